/*
 * Parity over the dies of units, and a die that fails: places, counts and times worked by hand, the law that
 * units with parity count like smaller ones, and drives that lose a die at random.
 *
 * Four channels of a die of one plane, 16 blocks of 4 pages of 4 sectors, unless said otherwise.
 */
#include "ftl/store.h"
#include "gc/tools/parity.c" /* for its static functions; the linker then leaves out the one in the archive */
#include "tests/bed_fixture.h"

#include <math.h>

#define WITH_UNITS "placement.policy=superblock placement.superblock=unit "
#define DRIVE                                                                                                \
	PAPER_DRIVE                                                                                          \
	"flash.channels=4 flash.dies=1 flash.planes=1 flash.blocks=16 gc.threshold=0 " WITH_UNITS            \
	"flash.over_provisioning=0.7 parity.on=true "

/* Times of DRIVE: command 100, sector 1000. */
#define WRITE 104100
#define READ  14100

static double count_of(struct bed *b, const char *name)
{
	return statistic_in(&b->drive->statistics, name);
}

static struct parity *parity_in(struct bed *b)
{
	struct tool *t = b->drive->ftl->store->tools.tool;

	while (t->ops != &tool_parity)
		t++;
	return t->state;
}

static ppn_t page_on(const struct bed *b, plane_t plane, uint32_t block, uint32_t page)
{
	const struct geometry *g = &b->drive->geometry;

	return (plane * g->blocks_per_plane + block) * g->pages_per_block + page;
}

static int owner_on(const struct bed *b, plane_t plane, uint32_t block, uint32_t page)
{
	return (int)flash_owner(b->drive->flash, page_on(b, plane, block, page));
}

/* Serves a request just before which the die fails. */
static void serve_after_failure(struct bed *b, enum request_type type, sector_t page, uint32_t pages)
{
	parity_in(b)->requests = parity_in(b)->settings->fail_at - 1;
	serve(b, b->last, type, page, pages);
}

/* ---- places ---- */

#define P (-1) /* parity, which has no owner */

/* The parity of stripe 0 is on die 3, that of stripe 1 on die 2, ... */
static void test_places(void **state)
{
	static const int unit[4][4] = { { 0, 1, 2, P }, { 3, 4, P, 5 }, { 6, P, 7, 8 }, { P, 9, 10, 11 } };
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	serve(&b, 0, REQUEST_WRITE, 0, 12);
	for (uint32_t page = 0; page < 4; page++)
		for (plane_t die = 0; die < 4; die++) {
			ppn_t ppn = page_on(&b, die, 0, page);

			assert_int_equal(owner_on(&b, die, 0, page), unit[page][die]);
			assert_true(
				space_is_parity(b.drive->ftl->store->space, ppn) == (unit[page][die] == P));
			if (unit[page][die] != P)
				assert_int_equal(b.drive->ftl->store->space->layout->ops->number(
							 b.drive->ftl->store->space->layout, ppn),
					unit[page][die]);
		}
	assert_statistic(&b, "parity.programs", 4);
	assert_statistic(&b, "flash.program.parity", 4);
	assert_statistic(&b, "flash.program.total", 16);
	bed_close(&b);
}

/* Three dies of two planes: stripes 0 and 1 are at offset 0, in planes 0, 2, 4 and 1, 3, 5. */
static void test_places_of_two_planes(void **state)
{
	static const int unit[2][6] = { { 0, 2, 1, P, P, 3 }, { P, 6, 4, 7, 5, P } };
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.channels=3 flash.planes=2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 8);
	for (uint32_t page = 0; page < 2; page++)
		for (plane_t plane = 0; plane < 6; plane++)
			assert_int_equal(owner_on(&b, plane, 0, page), unit[page][plane]);
	bed_close(&b);
}

/* A stripe that is not full has no parity yet.  No request waits for it: all programs run side by side. */
static void test_parity_is_not_waited_for(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	assert_int_equal(serve(&b, 0, REQUEST_WRITE, 0, 2), WRITE);
	assert_statistic(&b, "parity.programs", 0);
	assert_int_equal(serve(&b, b.last, REQUEST_WRITE, 2, 1), WRITE);
	assert_statistic(&b, "parity.programs", 1);
	bed_close(&b);

	/* on one channel the parity's data goes first, but the request is done when its own page is */
	bed_open(&b, DRIVE "flash.channels=1 flash.chips=4 ");
	serve(&b, 0, REQUEST_WRITE, 0, 2);
	assert_int_equal(serve(&b, b.last, REQUEST_WRITE, 2, 1), 4100 + WRITE);
	assert_int_equal(serve(&b, b.last + 1000000, REQUEST_WRITE, 3, 1), WRITE);
	bed_close(&b);
}

/* Units have 12 data pages; their parity is not counted as free. */
static void test_free_pages_are_those_of_data(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	assert_int_equal(b.drive->ftl->store->space->plane[0].free_pages, 16 * 12);
	serve(&b, 0, REQUEST_WRITE, 0, 7);
	assert_int_equal(b.drive->ftl->store->space->plane[0].free_pages, 16 * 12 - 7);
	ftl_check(b.drive->ftl);
	bed_close(&b);
}

/* An update of a handle leaves the rest of its unit to pads, whose stripes have parity, too. */
static void test_an_update_pads(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "fdp.handles=2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_UPDATE });
	drive_drain(b.drive);
	assert_statistic(&b, "flash.program.pad", 8);
	assert_statistic(&b, "parity.programs", 4);
	ftl_check(b.drive->ftl);
	bed_close(&b);
}

/* The default budget of a mapping cache is a page for 1,024 of the drive, 16 here, with those of parity. */
static void test_the_map_budget_is_of_all_pages(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.blocks=64 flash.pages=64 flash.over_provisioning=0.6 ftl=across ");
	serve(&b, 0, REQUEST_WRITE, 0, 3);
	assert_statistic(&b, "map.cache_bytes", 16 * 2048);
	bed_close(&b);
}

/* ---- the law ---- */

static void write_to_both(struct bed *a, struct bed *b, int requests)
{
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (int i = 0; i < requests; i++) {
		sector_t page = random_below(&random, a->drive->geometry.logical_pages);

		serve(a, a->last, REQUEST_WRITE, page, 1);
		serve(b, b->last, REQUEST_WRITE, page, 1);
	}
}

/* D dies of 2 planes, 24 blocks and 4 pages count like one plane of 24 blocks of (D - 1) x 2 x 4 pages; a
 * page of parity is programmed for D - 1 data pages, and a unit has D x 2 blocks to erase. */
static void test_parity_is_a_die_less(void **state)
{
	static const char *const counts[] = { "flash.program.host", "gc.collections", "gc.moved_pages",
		"gc.direct_erases", NULL };
	static const char *const with[] = { "ftl=page", "ftl=page gc.policy=fifo",
		"ftl=page gc.policy=cost_benefit", "ftl=page gc.policy=d_choices",
		"ftl=page gc.policy=patient", "ftl=dftl map.cache_bytes=1K", "ftl=across", "ftl=mmap",
		"ftl=optimal map.cache_bytes=1K" };

	(void)state;
	for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
		uint32_t dies = 3 + i % 3;
		double programs, data = 24.0 * (dies - 1) * 8, logical = floor(24.0 * dies * 8 * 0.4);
		char text[600], settings[1000];
		struct bed units, blocks;

		snprintf(text, sizeof text,
			PAPER_DRIVE "flash.dies=1 flash.page_bytes=4096 flash.blocks=24 gc.threshold=0.1 "
				    "flash.forward_bytes=0 %s ",
			with[i]);
		snprintf(settings, sizeof settings,
			"%s " WITH_UNITS "flash.channels=%u flash.over_provisioning=0.6 parity.on=true", text,
			dies);
		bed_open(&units, settings);
		snprintf(settings, sizeof settings,
			"%s flash.channels=1 flash.planes=1 flash.pages=%u flash.over_provisioning=%.9f",
			text, (dies - 1) * 8, 1 - logical / data);
		bed_open(&blocks, settings);
		assert_int_equal(units.drive->geometry.logical_pages, blocks.drive->geometry.logical_pages);
		write_to_both(&units, &blocks, 2500);
		for (const char *const *c = counts; *c; c++)
			if (count_of(&units, *c) != count_of(&blocks, *c))
				fail_msg("%s: %s is %g and %g", with[i], *c, count_of(&units, *c),
					count_of(&blocks, *c));
		assert_true(count_of(&units, "gc.collections") > 50);
		assert_true(count_of(&units, "flash.erase.total") ==
			    dies * 2 * count_of(&blocks, "flash.erase.total"));
		programs = count_of(&units, "flash.program.total") - count_of(&units, "parity.programs");
		assert_true(programs == count_of(&blocks, "flash.program.total"));
		/* each of the streams' open units may have a begun stripe */
		assert_true(count_of(&units, "parity.programs") <= programs / (dies - 1) &&
			    count_of(&units, "parity.programs") > programs / (dies - 1) - 4);
		assert_statistic(&units, "flash.copy.total", 0);
		ftl_check(units.drive->ftl);
		bed_close(&units);
		bed_close(&blocks);
	}
}

/* ---- lost pages ---- */

/* The three reads run side by side, or their data follow each other on one channel: 300 + 40,000 + 3 x
 * 16,384. */
static void test_a_lost_page_is_read_from_the_others(void **state)
{
	static const struct {
		const char *channels;
		tick_t ns;
	} cases[] = { { "flash.channels=4 flash.chips=1", 56684 },
		{ "flash.channels=1 flash.chips=4", 89452 } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char settings[1000];
		struct bed b;

		snprintf(settings, sizeof settings,
			DRIVE "flash.page_bytes=16384 flash.read_ns=40000 flash.command_ns=300 "
			      "flash.bus_mb_per_s=1000 flash.forward_bytes=0 parity.fail_at=3 "
			      "parity.fail_die=1 %s ",
			cases[i].channels);
		bed_open(&b, settings);
		serve(&b, 0, REQUEST_WRITE, 0, 3);
		serve(&b, b.last + 10000000, REQUEST_READ, 1, 1);
		assert_statistic(&b, "flash.read.host", 1);
		assert_int_equal(serve(&b, b.last + 10000000, REQUEST_READ, 1, 1), cases[i].ns);
		assert_statistic(&b, "flash.read.host", 1);
		assert_statistic(&b, "flash.read.parity", 3);
		assert_statistic(&b, "parity.lost_reads", 1);
		assert_statistic(&b, "parity.lost_host_reads", 1);
		assert_int_equal(serve(&b, b.last + 10000000, REQUEST_READ, 2, 1), 56684);
		assert_statistic(&b, "flash.read.parity", 3);
		bed_close(&b);
	}
}

/* A quarter of a lost page is written: the rest is read from the others, then the page is programmed. */
static void test_a_write_keeps_lost_data(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "parity.fail_at=2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 3);
	drive_run_until(b.drive, b.last += 1000000);
	drive_submit(b.drive,
		&(struct request){ .arrival = b.last, .type = REQUEST_WRITE, .start = 1, .sectors = 1 });
	drive_drain(b.drive);
	/* three of four sectors of each other page */
	assert_int_equal(b.drive->last_completion - b.last, 100 + 10000 + 3000 + WRITE);
	assert_statistic(&b, "parity.lost_rmw_reads", 1);
	assert_statistic(&b, "flash.read.rmw", 0);
	assert_statistic(&b, "flash.read.parity", 3);
	bed_close(&b);
}

/* Page 3, alone in stripe 1, is lost with die 0; its parity is programmed on die 2 and then read in 1 ms.
 * Unit 1 is filled with the 8 pages of three dies; the next page, on die 1, finds 14 free units and has
 * unit 0 collected.  It waits for an erase, but not for the read. */
static void test_requests_wait_for_their_own_reads(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.read_ns=1000000 flash.erase_ns=0 flash.forward_bytes=0 gc.low=15 "
			   "parity.fail_at=3 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve(&b, b.last, REQUEST_TRIM, 0, 3);
	assert_int_equal(serve(&b, b.last + 10000000, REQUEST_READ, 3, 1), WRITE + 1004100);
	serve(&b, b.last + 10000000, REQUEST_WRITE, 12, 8);
	assert_statistic(&b, "gc.collections", 0);
	assert_int_equal(serve(&b, b.last + 10000000, REQUEST_WRITE, 20, 1), 100 + WRITE);
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "parity.lost_reads", 2);
	assert_statistic(&b, "flash.read.parity", 2);
	assert_statistic(&b, "flash.read.gc", 0);
	bed_close(&b);
}

/* ---- a die fails ---- */

/* Page 3 is alone in stripe 1 when die 0 fails, on which it is; the parity of stripe 1 is on die 2.  Stripes
 * of the next units have two data pages on the dies left, 1 to 3. */
static void test_open_units_end(void **state)
{
	static const int unit[4][4] = { { P, 10, 11, P }, { P, 12, P, 13 }, { P, P, 14, 15 },
		{ P, 16, P, P } };
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "parity.fail_at=100 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve_after_failure(&b, REQUEST_READ, 3, 1);
	assert_statistic(&b, "parity.programs", 2);
	assert_int_equal(flash_next_page(b.drive->flash, 2 * 16), 2);
	assert_statistic(&b, "flash.read.forwarded.parity", 1);
	assert_int_equal(b.drive->ftl->store->space->plane[0].free_pages, 15 * 8);
	assert_int_equal(b.drive->ftl->store->space->block[0].state, BLOCK_CLOSED);
	serve(&b, b.last + 1000000, REQUEST_READ, 0, 1);
	assert_statistic(&b, "flash.read.parity", 3);
	serve(&b, b.last, REQUEST_WRITE, 10, 7);
	for (uint32_t page = 0; page < 4; page++)
		for (plane_t die = 0; die < 4; die++)
			if (unit[page][die] != P)
				assert_int_equal(owner_on(&b, die, 1, page), unit[page][die]);
	assert_int_equal(flash_next_page(b.drive->flash, 1), 0);
	assert_statistic(&b, "parity.programs", 2 + 3);
	assert_int_equal(b.drive->ftl->store->space->plane[0].free_pages, 15 * 8 - 7);
	assert_statistic(&b, "parity.lost_reads", 2);
	ftl_check(b.drive->ftl);
	bed_close(&b);
}

/* The die fails while a victim is begun and its live pages go to the last unit, which ends then: the rest of
 * the victim must move before. */
static void test_a_victim_begun_is_finished_first(void **state)
{
	struct random random;
	const struct space *s;
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "gc.separate=false gc.copies_per_write=0.5 gc.soft=0.1 "
			   "flash.over_provisioning=0.6 parity.fail_at=1000000 parity.rebuild=gc ");
	s = b.drive->ftl->store->space;
	random_init(&random, 1, 1);
	while (s->plane[0].begun == BLOCK_NONE || !s->block[s->plane[0].begun].valid ||
		blocks_left(s->blocks, 0))
		serve(&b, b.last, REQUEST_WRITE, random_below(&random, b.drive->geometry.logical_pages), 1);
	serve_after_failure(&b, REQUEST_WRITE, 0, 1);
	for (int i = 0; i < 100; i++)
		serve(&b, b.last, REQUEST_WRITE, random_below(&random, b.drive->geometry.logical_pages), 1);
	assert_false(b.drive->ftl->failed);
	drive_check_sectors(b.drive);
	bed_close(&b);
}

/* The parity of stripe 1 would be on die 2, which fails: the stripe has no parity, but loses no data. */
static void test_no_parity_on_the_die_that_failed(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "parity.fail_at=100 parity.fail_die=2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve_after_failure(&b, REQUEST_READ, 3, 1);
	assert_statistic(&b, "parity.programs", 1);
	assert_statistic(&b, "parity.lost_reads", 0);
	serve(&b, b.last, REQUEST_READ, 2, 1);
	assert_statistic(&b, "parity.lost_reads", 1);
	bed_close(&b);
}

/* The threshold of 0.1 is 20 of 16 x 12 pages before the failure, 13 of 16 x 8 pages after it. */
static void test_the_threshold_is_of_the_pages_that_are_left(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "gc.threshold=0.1 parity.fail_at=100 ");
	assert_int_equal(b.drive->ftl->store->collector->low_water, 20);
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve_after_failure(&b, REQUEST_READ, 3, 1);
	assert_int_equal(b.drive->ftl->store->collector->low_water, 13);
	bed_close(&b);
}

/* Pages 0, 3 and 6 are on die 0.  Page 3 is dead when that fails; the other two are rebuilt in unit 1, from
 * four data pages and two of parity. */
static void test_all_is_rebuilt_at_once(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "parity.fail_at=100 parity.rebuild=all ");
	serve(&b, 0, REQUEST_WRITE, 0, 9);
	serve(&b, b.last, REQUEST_TRIM, 3, 1);
	serve_after_failure(&b, REQUEST_READ, 0, 9);
	assert_statistic(&b, "parity.rebuilt_pages", 2);
	assert_statistic(&b, "parity.lost_reads", 2);
	assert_statistic(&b, "parity.lost_host_reads", 0);
	assert_true(count_of(&b, "flash.read.parity") + count_of(&b, "flash.read.forwarded.parity") == 6);
	assert_int_equal(owner_on(&b, 1, 1, 0), 0);
	assert_int_equal(owner_on(&b, 2, 1, 0), 6);
	assert_statistic(&b, "parity.programs", 3 + 1);
	assert_statistic(&b, "flash.program.parity", 4 + 2);
	assert_statistic(&b, "gc.moved_pages", 0);
	bed_close(&b);
}

/* A unit that ended with 5 of 12 pages, all live, is no victim: one with more live pages but a dead one is
 * collected.  Once it has a dead page itself, it is a victim. */
static void test_a_unit_that_ended_without_a_dead_page(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "parity.fail_at=100 ");
	serve(&b, 0, REQUEST_WRITE, 0, 5);
	serve_after_failure(&b, REQUEST_WRITE, 5, 8);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	assert_statistic(&b, "gc.collections", 0);
	serve(&b, b.last, REQUEST_TRIM, 12, 1);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "gc.moved_pages", 7);
	assert_statistic(&b, "flash.erase.gc", 3);
	serve(&b, b.last, REQUEST_TRIM, 4, 1);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	assert_statistic(&b, "gc.collections", 2);
	assert_statistic(&b, "gc.moved_pages", 7 + 4);
	assert_statistic(&b, "flash.erase.gc", 3 + 3);
	assert_statistic(&b, "parity.lost_reads", 2);
	bed_close(&b);
}

/* Of the 12 pages of unit 0 nine are live: to collect it would cost more than the 8 pages of a new unit. */
static void test_a_unit_that_holds_more_than_a_new_one(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "parity.fail_at=100 ");
	serve(&b, 0, REQUEST_WRITE, 0, 12);
	serve(&b, b.last, REQUEST_TRIM, 0, 3);
	serve_after_failure(&b, REQUEST_READ, 3, 1);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	assert_statistic(&b, "gc.collections", 0);
	serve(&b, b.last, REQUEST_TRIM, 3, 2);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "gc.moved_pages", 7);
	bed_close(&b);
}

/* Page 2 is read twice, so its block is due for refresh when the unit closes: with its last page, long after
 * the block was full, or because a die fails. */
static void test_a_unit_is_refreshed_when_it_has_closed(void **state)
{
	struct bed b;

	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		bed_open(&b,
			fails ? DRIVE
				"refresh.reads=2 flash.forward_bytes=0 parity.fail_at=100 parity.fail_die=1 "
			      : DRIVE "refresh.reads=2 flash.forward_bytes=0 parity.on=false ");
		serve(&b, 0, REQUEST_WRITE, 0, 4);
		serve(&b, b.last, REQUEST_READ, 2, 1);
		serve(&b, b.last, REQUEST_READ, 2, 1);
		assert_statistic(&b, "refresh.blocks", 0);
		if (!fails)
			serve(&b, b.last, REQUEST_WRITE, 4, 12);
		assert_statistic(&b, "refresh.blocks", 0);
		if (fails)
			parity_in(&b)->requests = 99;
		serve(&b, b.last, REQUEST_READ, 60, 1);
		assert_statistic(&b, "refresh.blocks", 1);
		assert_statistic(&b, "flash.program.refresh", fails ? 4 : 16);
		assert_statistic(&b, "refresh.due_reads", 1);
		bed_close(&b);
	}
}

/* ---- by chance ---- */

struct loss {
	const char *ftl;
	uint64_t at;
};

/* Writes, trims and reads of parts of pages; then each page is read. */
static void lose_a_die(void *loss)
{
	const struct loss *how = loss;
	char settings[1000];
	struct random random;
	struct bed b;

	random_init(&random, seed_of_run(), how->at);
	snprintf(settings, sizeof settings,
		PAPER_DRIVE WITH_UNITS "ftl=%s flash.dies=1 flash.chips=%d flash.channels=%d flash.planes=%d "
				       "flash.blocks=24 flash.page_bytes=4096 flash.over_provisioning=0.75 "
				       "gc.threshold=0.05 gc.policy=%s parity.on=true parity.fail_at=%llu "
				       "parity.fail_die=%d parity.rebuild=%s flash.forward_bytes=%d",
		how->ftl, 1 + (int)random_below(&random, 2), 3 + (int)random_below(&random, 3),
		1 + (int)random_below(&random, 2),
		(const char *const[]){ "greedy", "fifo", "cost_benefit", "d_choices", "random" }[how->at % 5],
		(unsigned long long)how->at, (int)random_below(&random, 3), how->at % 2 ? "gc" : "all",
		how->at % 3 ? 1 << 20 : 0);
	bed_open(&b, settings);
	for (int i = 0; i < 1500 && !b.drive->ftl->failed; i++) {
		sector_t sectors = b.drive->geometry.logical_sectors - 40;
		uint64_t kind = random_below(&random, 20);

		drive_run_until(b.drive, b.last += random_below(&random, 3) ? 20000 : 1000000);
		drive_submit(b.drive, &(struct request){ .arrival = b.last,
					      .type = kind < 6    ? REQUEST_READ
						      : kind < 19 ? REQUEST_WRITE
								  : REQUEST_TRIM,
					      .start = random_below(&random, sectors),
					      .sectors = 1 + (uint32_t)random_below(&random, 40) });
		if (i % 100 == 0)
			ftl_check(b.drive->ftl);
	}
	BUG_ON(b.drive->ftl->failed, "the drive is full");
	BUG_ON(!stripes_have_lost_die(&parity_in(&b)->stripes), "no die has failed");
	drive_drain(b.drive);
	drive_check_sectors(b.drive);
	BUG_ON(!count_of(&b, "gc.collections"), "nothing was collected");
	bed_close(&b);
}

static void test_a_die_is_lost_at_any_time(void **state)
{
	static const char *const ftls_of[] = { "page", "dftl map.cache_bytes=1K", "across", "mmap",
		"optimal map.cache_bytes=1K", "sftl map.cache_bytes=1K", "skeleton",
		"tpftl map.cache_bytes=2K", "cdftl map.cache_bytes=4K", "page gc.separate=false" };

	(void)state;
	for (uint64_t i = 0; i < amount(30, 300); i++) {
		struct loss loss = { ftls_of[i % 10], 1 + i * 1499 / amount(30, 300) };
		struct child child;

		run_in_child(&child, lose_a_die, &loss);
		if (child.status)
			fail_msg("%s, before request %llu: %s", loss.ftl, (unsigned long long)loss.at,
				child.text);
	}
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(DRIVE "placement.order=CWPD",
		"parity.on needs dies to vary before planes: placement.order = \"CWPD\" has to end with P");
	assert_refused(DRIVE "flash.channels=2", "parity.on needs 3 dies or more, the drive has 2");
	assert_refused(DRIVE "parity.fail_at=1 parity.fail_die=4",
		"parity.fail_die = 4: the drive has 4 dies, the last is 3");
	/* 256 pages, 192 of data in 16 units of 12; a reserve, an open unit and a victim leave 156 */
	assert_refused(DRIVE "flash.over_provisioning=0.38",
		"parity.on leaves 192 data pages; the host sees 158, and 3 units of 12 are needed to collect "
		"garbage: set flash.over_provisioning to 0.391 or more");
	/* after the failure 128 of data, 3 units of 8 */
	assert_refused(DRIVE "flash.over_provisioning=0.5 parity.fail_at=1",
		"parity.on leaves 128 data pages after parity.fail_at; the host sees 128, and 3 units of 8 "
		"are needed to collect garbage: set flash.over_provisioning to 0.594 or more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_places_of_two_planes),
		cmocka_unit_test(test_parity_is_not_waited_for),
		cmocka_unit_test(test_free_pages_are_those_of_data),
		cmocka_unit_test(test_an_update_pads),
		cmocka_unit_test(test_the_map_budget_is_of_all_pages),
		cmocka_unit_test(test_parity_is_a_die_less),
		cmocka_unit_test(test_a_lost_page_is_read_from_the_others),
		cmocka_unit_test(test_a_write_keeps_lost_data),
		cmocka_unit_test(test_requests_wait_for_their_own_reads),
		cmocka_unit_test(test_open_units_end),
		cmocka_unit_test(test_a_victim_begun_is_finished_first),
		cmocka_unit_test(test_no_parity_on_the_die_that_failed),
		cmocka_unit_test(test_the_threshold_is_of_the_pages_that_are_left),
		cmocka_unit_test(test_all_is_rebuilt_at_once),
		cmocka_unit_test(test_a_unit_that_ended_without_a_dead_page),
		cmocka_unit_test(test_a_unit_that_holds_more_than_a_new_one),
		cmocka_unit_test(test_a_unit_is_refreshed_when_it_has_closed),
		cmocka_unit_test(test_a_die_is_lost_at_any_time),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("parity over dies", tests, NULL, NULL);
}
