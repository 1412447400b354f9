/*
 * Placement handles and units: cases worked by hand, and the laws that hold for any requests.
 *
 * One die of one plane, 16 blocks of 4 pages of 4 sectors, unless said otherwise.
 */
#include "ftl/store.h"
#include "tests/bed_fixture.h"

#include <math.h>

#define ONE_PLANE PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 gc.threshold=0 flash.blocks=16 "
#define HINTS     ONE_PLANE "fdp.handles=3 fdp.by=hint "

static void write_with(struct bed *b, uint8_t hint, sector_t page, uint32_t pages)
{
	drive_submit(b->drive, &(struct request){ .type = REQUEST_WRITE,
				       .start = page * 4,
				       .sectors = pages * 4,
				       .device = 2u - hint,
				       .hint = hint });
	drive_drain(b->drive);
}

static void update(struct bed *b, uint8_t hint)
{
	drive_submit(b->drive, &(struct request){ .type = REQUEST_UPDATE, .hint = hint });
	drive_drain(b->drive);
}

static double count_of(struct bed *b, const char *name)
{
	return statistic_in(&b->drive->statistics, name);
}

/* The logical page in a place, or -1. */
static int owner_at(const struct bed *b, ppn_t ppn)
{
	return (int)flash_owner(b->drive->flash, ppn);
}

/* ---- handles ---- */

/* Requests with hints 1, 0, 1 and 9, which does not exist and means 0. */
static void test_each_handle_fills_blocks_of_its_own(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, HINTS);
	write_with(&b, 1, 10, 1);
	write_with(&b, 0, 0, 2);
	write_with(&b, 1, 11, 1);
	write_with(&b, 9, 5, 1);
	assert_int_equal(owner_at(&b, 0), 10);
	assert_int_equal(owner_at(&b, 1), 11);
	assert_int_equal(owner_at(&b, 4), 0);
	assert_int_equal(owner_at(&b, 5), 1);
	assert_int_equal(owner_at(&b, 6), 5);
	assert_statistic(&b, "fdp.invalid", 1);
	assert_statistic(&b, "fdp.0.host_pages", 3);
	assert_statistic(&b, "fdp.1.host_pages", 2);
	assert_statistic(&b, "fdp.1.units", 1);
	assert_statistic(&b, "fdp.2.units", 0);
	assert_statistic(&b, "fdp.hbmw_bytes", 5 * 2048);
	bed_close(&b);
}

/* The device of write_with() is 2 - hint; there is no device 2 - 9. */
static void test_devices_are_handles(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, ONE_PLANE "fdp.handles=3 fdp.by=device ");
	write_with(&b, 1, 10, 1);
	write_with(&b, 2, 11, 1);
	write_with(&b, 0, 12, 2);
	write_with(&b, 9, 14, 1);
	assert_int_equal(owner_at(&b, 0), 10);
	assert_int_equal(owner_at(&b, 4), 11);
	assert_int_equal(owner_at(&b, 5), 14);
	assert_int_equal(owner_at(&b, 8), 12);
	assert_statistic(&b, "fdp.0.host_pages", 2);
	assert_statistic(&b, "fdp.2.host_pages", 2);
	assert_statistic(&b, "fdp.invalid", 1);
	bed_close(&b);
}

/* Pages 0 and 1 are of handle 0; page 2 begins below sector 9, so it still is; from page 3 on handle 1, from
 * page 5 on one that does not exist, which means 0. */
static void test_ranges_cut_a_request(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, ONE_PLANE "fdp.handles=2 fdp.by=range fdp.ranges=9:1,20:257 ");
	write_with(&b, 1, 0, 6);
	assert_int_equal(owner_at(&b, 0), 0);
	assert_int_equal(owner_at(&b, 2), 2);
	assert_int_equal(owner_at(&b, 4), 3);
	assert_int_equal(owner_at(&b, 5), 4);
	assert_int_equal(owner_at(&b, 3), 5);
	assert_statistic(&b, "fdp.0.host_pages", 4);
	assert_statistic(&b, "fdp.invalid", 0);
	bed_close(&b);
}

/* The rest of the handle's open block is padded; a handle without an open block pads nothing. */
static void test_an_update_pads(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, HINTS);
	write_with(&b, 1, 10, 1);
	write_with(&b, 0, 0, 1);
	update(&b, 1);
	update(&b, 2);
	write_with(&b, 1, 11, 1);
	write_with(&b, 0, 1, 1);
	assert_int_equal(owner_at(&b, 0), 10);
	assert_int_equal(owner_at(&b, 8), 11);
	assert_int_equal(owner_at(&b, 5), 1);
	assert_statistic(&b, "flash.program.pad", 3);
	assert_statistic(&b, "fdp.updates", 2);
	assert_statistic(&b, "fdp.1.units", 2);
	assert_statistic(&b, "fdp.mbmw_bytes", 7 * 2048);
	assert_statistic(&b, "waf", 7.0 / 4);
	bed_close(&b);
}

static void test_an_update_pads_in_every_plane(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, HINTS "flash.planes=2 flash.chips=2 placement.policy=round_robin ");
	write_with(&b, 1, 0, 4);
	update(&b, 1);
	assert_statistic(&b, "flash.program.pad", 4 * 3);
	bed_close(&b);
}

/* Handle 1 wrote pages 0 to 3 and again 0 to 2: one page of its first block is live and moves. */
static void test_what_moves_is_counted_where_it_was(void **state)
{
	static const char *const isolations[] = { "initially", "persistently" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char settings[500];
		struct bed b;

		snprintf(settings, sizeof settings, HINTS "fdp.isolation=%s ", isolations[i]);
		bed_open(&b, settings);
		write_with(&b, 1, 0, 4);
		write_with(&b, 1, 0, 3);
		serve(&b, b.last, REQUEST_COLLECT, 0, 0);
		assert_statistic(&b, "gc.moved_pages", 1);
		assert_statistic(&b, "fdp.0.moved_pages", 0);
		assert_statistic(&b, "fdp.1.moved_pages", 1);
		assert_statistic(&b, i ? "fdp.1.gc_units" : "fdp.gc.units", 1);
		if (!i)
			assert_statistic(&b, "fdp.gc.moved_pages", 0);
		bed_close(&b);
	}
}

/* Below 61 free pages, each page written with any handle makes collection copy one page.  Page 0 is dead in
 * the first block when page 1 is written again: one of its other pages moves. */
static void test_every_handle_pays(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, HINTS "gc.soft=0.95 gc.copies_per_write=1 ");
	write_with(&b, 1, 0, 4);
	write_with(&b, 1, 0, 1);
	assert_statistic(&b, "upkeep.rate_pages", 0);
	write_with(&b, 1, 1, 1);
	assert_statistic(&b, "upkeep.rate_pages", 1);
	bed_close(&b);
}

/* The buffer holds 4 pages.  Pages 0 and 2 are written with handle 1, page 1 first with handle 1 and then
 * with handle 2: it reaches the FTL as a run of its own. */
static void test_a_buffered_page_keeps_its_last_handle(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, HINTS "buffer=lru dram.buffer_bytes=8192 ");
	write_with(&b, 1, 0, 3);
	write_with(&b, 2, 1, 1);
	write_with(&b, 0, 8, 4);
	assert_int_equal(b.drive->ftl->store->space->block[0].valid, 2);
	assert_int_equal(owner_at(&b, 0), 0);
	assert_int_equal(owner_at(&b, 1), 2);
	assert_int_equal(owner_at(&b, 4), 1);
	assert_statistic(&b, "fdp.0.host_pages", 0);
	assert_statistic(&b, "fdp.1.host_pages", 2);
	assert_statistic(&b, "fdp.2.host_pages", 1);
	bed_close(&b);
}

static void note_run(void *text, uint8_t handle, const struct extent *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sprintf((char *)text + strlen(text), "%s%u-%u", i ? "+" : "", (unsigned)e[i].start,
			(unsigned)e[i].end);
	sprintf((char *)text + strlen(text), "@%u ", handle);
}

/* Extents that are flushed together: an empty one, for page 0, to be padded; sectors 2 to 15, of pages with
 * handles 1, 1, 2, 1; page 5, with handle 1, too; page 6, without a handle. */
static void test_flushed_extents_are_cut_by_handles(void **state)
{
	static const struct extent flushed[] = { { 0, 0 }, { 2, 16 }, { 20, 24 }, { 24, 28 } };
	struct page_handles h;
	char runs[200] = "";
	struct bed b;

	(void)state;
	bed_open(&b, ONE_PLANE);
	page_handles_init(&h, &b.drive->geometry);
	page_handles_note(&h, (struct extent){ 0, 24 }, 1);
	page_handles_note(&h, (struct extent){ 9, 10 }, 2);
	page_handles_write(&h, flushed, 4, note_run, runs);
	assert_string_equal(runs, "0-0+2-8@1 8-12@2 12-16+20-24@1 24-28@0 ");
	page_handles_release(&h);
	bed_close(&b);
}

/* ---- laws ---- */

#define RANDOM                                                                                               \
	"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=32 flash.pages=8 "          \
	"flash.page_bytes=2048 flash.over_provisioning=0.4 gc.threshold=0.05 fdp.handles=3 fdp.by=range "    \
	"fdp.ranges=100:2,900:1 "

static void write_at_random(struct bed *b, int requests)
{
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (int i = 0; i < requests; i++)
		serve(b, b->last, REQUEST_WRITE, random_below(&random, b->drive->geometry.logical_pages), 1);
}

/* No block holds pages of two handles.  Independent of the streams: the handle of a page follows from its
 * owner, which is its logical page. */
static void test_handles_stay_apart(void **state)
{
	const struct geometry *g;
	struct bed b;

	(void)state;
	bed_open(&b, RANDOM "fdp.isolation=persistently ");
	g = &b.drive->geometry;
	write_at_random(&b, 5000);
	assert_true(statistic_in(&b.drive->statistics, "gc.moved_pages") > 500);
	for (block_t block = 0; block < g->blocks; block++) {
		int handle = -1;

		for (ppn_t ppn = geometry_first_page(g, block); ppn < geometry_first_page(g, block + 1);
			ppn++) {
			owner_t lpn = flash_owner(b.drive->flash, ppn);
			int of = lpn < 25 ? 0 : lpn < 225 ? 2 : 1;

			if (lpn == OWNER_NONE)
				continue;
			assert_true(handle < 0 || handle == of);
			handle = of;
		}
	}
	bed_close(&b);
}

static void test_the_host_pages_of_all_handles(void **state)
{
	static const char *const isolations[] = { "initially", "persistently" };
	struct bed b;

	(void)state;
	for (int i = 0; i < 2; i++) {
		char settings[600];
		double moved;

		snprintf(settings, sizeof settings, RANDOM "fdp.isolation=%s ", isolations[i]);
		bed_open(&b, settings);
		write_at_random(&b, 3000);
		assert_true(statistic_in(&b.drive->statistics, "fdp.0.host_pages") +
				    statistic_in(&b.drive->statistics, "fdp.1.host_pages") +
				    statistic_in(&b.drive->statistics, "fdp.2.host_pages") ==
			    statistic_in(&b.drive->statistics, "flash.program.host"));
		moved = statistic_in(&b.drive->statistics, "fdp.0.moved_pages") +
			statistic_in(&b.drive->statistics, "fdp.1.moved_pages") +
			statistic_in(&b.drive->statistics, "fdp.2.moved_pages");
		if (!i)
			moved += statistic_in(&b.drive->statistics, "fdp.gc.moved_pages");
		assert_true(moved == statistic_in(&b.drive->statistics, "gc.moved_pages"));
		bed_close(&b);
	}
}

/* All that is reported of a drive. */
static char *report_of(struct bed *b)
{
	struct report *report = report_create();
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	stat_list_report(&b->drive->statistics, report);
	report_write_text(report, out);
	fclose(out);
	report_free(report);
	return text;
}

/* One handle is the same as none: no other setting of handles has an effect, nor has a hint or a device. */
static void test_one_handle_is_none(void **state)
{
	static const char *const settings[] = { "",
		"fdp.handles=1 fdp.by=hint fdp.ranges=0:1 fdp.isolation=persistently ",
		"fdp.handles=1 fdp.by=range " };
	char *report[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		char all[600];
		struct random random;
		struct bed b;

		snprintf(all, sizeof all, ONE_PLANE "gc.threshold=0.1 %s", settings[i]);
		bed_open(&b, all);
		random_init(&random, seed_of_run(), 4);
		for (int n = 0; n < 2000; n++)
			write_with(&b, i ? (uint8_t)(n % 3) : 0, random_below(&random, 30), 1);
		report[i] = report_of(&b);
		assert_true(strstr(report[i], "\ngc.moved_pages = ") && !strstr(report[i], "\nfdp."));
		bed_close(&b);
	}
	assert_string_equal(report[0], report[1]);
	assert_string_equal(report[0], report[2]);
	for (int i = 0; i < 3; i++)
		free(report[i]);
}

/* The share in a block that is cleaned in the order of writing, with `logical` pages written at random. */
static double share_of_live_pages(double physical, double logical)
{
	double r = physical / logical, x = 0.5;

	/* d = x / r, with x exp(-x) = r exp(-r) and x < 1 */
	for (int i = 0; i < 1000; i++)
		x = r * exp(x - r);
	return x / r;
}

/*
 * Two tenants in turn: handle 1 writes its share of the drive at random, handle 0 the rest in order.  Kept
 * apart, the first one has the write amplification of the formula for cleaning in the order of writing
 * (FIFO), or up to 5 % less, as greedy is better.  The second half is measured, when the drive is in its
 * steady state.
 */
static double waf_of_a_tenant(uint32_t percent, double *formula)
{
	uint32_t pages = 1024 * 64, logical = 57344, s = logical * percent / 100, next = s;
	uint32_t requests = (uint32_t)amount(120000, 600000);
	double kept = ceil(0.02 * pages), moved = 0;
	char settings[600];
	struct random random;
	struct bed b;

	snprintf(settings, sizeof settings,
		PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.blocks=1024 flash.pages=64 "
			    "flash.over_provisioning=0.125 gc.threshold=0.02 fdp.handles=2 fdp.by=range "
			    "fdp.isolation=persistently fdp.ranges=0:1,%u:0 ",
		s * 4);
	bed_open(&b, settings);
	assert_int_equal(b.drive->geometry.logical_pages, logical);
	random_init(&random, seed_of_run(), percent);
	for (lpn_t lpn = 0; lpn < logical; lpn += 64)
		serve(&b, b.last, REQUEST_WRITE, lpn, 64);
	for (uint32_t n = 0; n < requests; n++) {
		if (n == requests / 2)
			moved = count_of(&b, "fdp.1.moved_pages");
		serve(&b, b.last, REQUEST_WRITE, random_below(&random, s), 1);
		serve(&b, b.last, REQUEST_WRITE, next, 1);
		next = next + 1 == logical ? s : next + 1;
	}
	moved = count_of(&b, "fdp.1.moved_pages") - moved;
	/* The other tenant's pages die in order: all spare pages but those kept free serve random writes. */
	*formula = 1 / (1 - share_of_live_pages(s + pages - logical - kept, s));
	bed_close(&b);
	return 1 + 2 * moved / requests;
}

static void test_a_tenant_costs_what_the_formula_says(void **state)
{
	static const uint32_t percent[] = { 4, 25, 50 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		double formula, waf = waf_of_a_tenant(percent[i], &formula);

		if (waf > formula || waf < 0.95 * formula)
			fail_msg("%u %% at random: WAF %.4f, by the formula %.4f", percent[i], waf, formula);
	}
}

/* ---- units ---- */

/* Two channels of two planes: page k of unit 0 is in plane k mod 4 of the striping order, channels first. */
static void test_pages_of_a_unit(void **state)
{
	static const plane_t order[] = { 0, 2, 1, 3 };
	struct bed b;

	(void)state;
	bed_open(&b, PAPER_DRIVE "flash.dies=1 placement.policy=superblock placement.superblock=unit ");
	serve(&b, 0, REQUEST_WRITE, 0, 10);
	for (uint32_t k = 0; k < 10; k++) {
		ppn_t ppn = order[k % 4] * b.drive->geometry.pages_per_plane + k / 4;

		assert_int_equal(owner_at(&b, ppn), k);
		assert_int_equal(space_place(b.drive->ftl->store->space, ppn), k);
	}
	bed_close(&b);
}

/* The same requests to two drives; with `updates`, a handle continues in new blocks after every 100th. */
static void write_to_both(struct bed *a, struct bed *b, int requests, bool updates)
{
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (int i = 0; i < requests; i++) {
		sector_t page = random_below(&random, a->drive->geometry.logical_pages);

		serve(a, a->last, REQUEST_WRITE, page, 1);
		serve(b, b->last, REQUEST_WRITE, page, 1);
		if (!updates || i % 100)
			continue;
		update(a, (uint8_t)(page % 3));
		update(b, (uint8_t)(page % 3));
	}
}

static void assert_same_counts(struct bed *a, struct bed *b, const char *const *counts, const char *what)
{
	for (; *counts; counts++)
		if (count_of(a, *counts) != count_of(b, *counts))
			fail_msg("%s: %s is %g and %g", what, *counts, count_of(a, *counts),
				count_of(b, *counts));
}

/* Units of N planes count like blocks of one plane that are N times as large; every erase is one of N
 * blocks. */
static void test_units_are_large_blocks(void **state)
{
	static const struct {
		const char *ftl;
		bool handles;
	} cases[] = { { "page", false }, { "dftl map.cache_bytes=1K", false }, { "across", false },
		{ "mrsm", false }, { "minipage", false }, { "mmap", false },
		{ "page fdp.handles=3 fdp.by=range fdp.ranges=64:2,400:1", true },
		{ "dftl map.cache_bytes=1K fdp.handles=3 fdp.by=range fdp.ranges=64:2,400:1 "
		  "fdp.isolation=persistently",
			true } };
	static const char *const policy[] = { "greedy", "fifo", "cost_benefit", "d_choices" };
	static const char *const counts[] = { "flash.program.total", "flash.read.total", "gc.collections",
		"gc.moved_pages", "gc.direct_erases", "waf", NULL };
	static const char *const of_handles[] = { "fdp.0.host_pages", "fdp.1.host_pages", "fdp.2.host_pages",
		"fdp.0.units", "fdp.1.units", "fdp.2.units", "fdp.0.moved_pages", "fdp.1.moved_pages",
		"fdp.2.moved_pages", "flash.program.pad", "fdp.dlwa", "fdp.unit_bytes", "fdp.mbe_bytes",
		NULL };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bed units, blocks;
		char settings[800], with[500];

		snprintf(with, sizeof with,
			"flash.chips=1 flash.dies=1 flash.page_bytes=4096 flash.over_provisioning=0.55 "
			"flash.blocks=24 "
			"gc.threshold=0.1 flash.copyback=false flash.forward_bytes=0 gc.policy=%s ftl=%s ",
			policy[i % 4], cases[i].ftl);
		snprintf(settings, sizeof settings,
			"flash.channels=2 flash.planes=2 flash.pages=4 placement.policy=superblock "
			"placement.superblock=unit %s",
			with);
		bed_open(&units, settings);
		snprintf(
			settings, sizeof settings, "flash.channels=1 flash.planes=1 flash.pages=16 %s", with);
		bed_open(&blocks, settings);
		write_to_both(&units, &blocks, 2500, cases[i].handles);
		assert_same_counts(&units, &blocks, counts, cases[i].ftl);
		if (cases[i].handles)
			assert_same_counts(&units, &blocks, of_handles, cases[i].ftl);
		assert_true(count_of(&units, "gc.collections") > 100);
		assert_true(
			count_of(&units, "flash.erase.total") == 4 * count_of(&blocks, "flash.erase.total"));
		bed_close(&units);
		bed_close(&blocks);
	}
}

/* Each block endures three erases; then its unit is retired as a whole. */
static void test_a_unit_wears_out_as_a_whole(void **state)
{
	struct bed b;
	double retired;

	(void)state;
	bed_open(&b, PAPER_DRIVE "flash.dies=1 flash.blocks=16 flash.endurance=3 placement.policy=superblock "
				 "placement.superblock=unit ");
	for (int i = 0; i < 2000 && !b.drive->ftl->failed; i++)
		serve(&b, b.last, REQUEST_WRITE, (sector_t)i % 40, 1);
	assert_true(b.drive->ftl->failed);
	retired = statistic_in(&b.drive->statistics, "wear.retired_blocks");
	assert_true(retired > 0);
	assert_statistic(&b, "wear.max", 3);
	assert_true(b.drive->ftl->store->blocks->retired == retired);
	bed_close(&b);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(ONE_PLANE "fdp.handles=2 fdp.ranges=x", "fdp.ranges: \"x\" has no sector");
	assert_refused(ONE_PLANE "fdp.handles=2 fdp.ranges=0:", "fdp.ranges: \"0:\" has no handle");
	assert_refused(
		ONE_PLANE "fdp.handles=2 fdp.ranges=8:1,0:0", "\"0:0\" begins below the range before it");
	assert_refused(ONE_PLANE "fdp.handles=2 fdp.ranges=9999:1",
		"fdp.ranges: sector 9999 lies beyond the drive of 128 sectors");
	/* 4 spare blocks; an open block for each handle, one for moved pages, a reserve, and a victim. */
	assert_refused(PAPER_DRIVE
		"flash.channels=1 flash.dies=1 flash.planes=1 fdp.handles=3 gc.threshold=0",
		"leaves 4.0 spare blocks in each plane beside 0 mapping pages; at least 6 are needed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_handle_fills_blocks_of_its_own),
		cmocka_unit_test(test_devices_are_handles),
		cmocka_unit_test(test_ranges_cut_a_request),
		cmocka_unit_test(test_an_update_pads),
		cmocka_unit_test(test_an_update_pads_in_every_plane),
		cmocka_unit_test(test_what_moves_is_counted_where_it_was),
		cmocka_unit_test(test_every_handle_pays),
		cmocka_unit_test(test_a_buffered_page_keeps_its_last_handle),
		cmocka_unit_test(test_flushed_extents_are_cut_by_handles),
		cmocka_unit_test(test_handles_stay_apart),
		cmocka_unit_test(test_the_host_pages_of_all_handles),
		cmocka_unit_test(test_one_handle_is_none),
		cmocka_unit_test(test_a_tenant_costs_what_the_formula_says),
		cmocka_unit_test(test_pages_of_a_unit),
		cmocka_unit_test(test_units_are_large_blocks),
		cmocka_unit_test(test_a_unit_wears_out_as_a_whole),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("placement handles and units", tests, NULL, NULL);
}
