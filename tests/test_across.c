/*
 * Across-FTL: the examples of the paper (Cai et al., ICPP 2023, Figs. 5-7), the cost of every kind of request
 * compared with the page-mapped baseline, the options, trims, timing, and random requests under the sector
 * oracle with small mapping caches and constant collection.
 *
 *	SEED=n    other random requests
 *	SEEDS=n   n runs of each random case (default 2; 50 make more than ten million requests)
 *	TEST=text only random cases whose settings contain the text
 */
#include "tests/rig_fixture.h"

#include "drive/run/explain.h"
#include "drive/prepare/image.h"
#include "ftl/across/across.h"
#include "tests/inside.h"

/* The addresses of the paper, 1028K .. 1038K, lie on the drive of the fixture. */
#define K(kilobytes) ((kilobytes)*2u)

static struct rig *rig_open(const char *ftl, const char *more)
{
	char text[1024];

	snprintf(text, sizeof text, ONE_PLANE "ftl=%s %s", ftl, more);
	return rig_with(text);
}

static struct across *across_in(const struct rig *rig)
{
	return across_of(rig->drive->ftl);
}

static const struct across_statistics *counts(const struct rig *rig)
{
	return &across_in(rig)->count;
}

static const struct across_area *area_at(const struct rig *rig, lpn_t anchor)
{
	uint32_t index = across_area_at(across_in(rig), anchor);

	return index == NO_AREA ? NULL : &across_in(rig)->areas.area[index];
}

/* Data pages that a request reads and programs, and its latency. */
struct cost {
	unsigned reads, programs, areas_read;
	tick_t latency;
};

static struct cost serve(struct rig *rig, enum request_type type, sector_t start, sector_t end)
{
	struct cost cost = { .latency = rig_serve(rig, type, start, end) };

	cost.areas_read = rig_cost(rig, OP_READ, CAUSE_MERGE);
	cost.reads = rig_cost(rig, OP_READ, CAUSE_HOST) + rig_cost(rig, OP_READ, CAUSE_RMW) + cost.areas_read;
	cost.programs = rig_cost(rig, OP_PROGRAM, CAUSE_HOST) + rig_cost(rig, OP_PROGRAM, CAUSE_MERGE);
	return cost;
}

static struct cost write_k(struct rig *rig, unsigned start, unsigned end)
{
	return serve(rig, REQUEST_WRITE, K(start), K(end));
}

static struct cost read_k(struct rig *rig, unsigned start, unsigned end)
{
	return serve(rig, REQUEST_READ, K(start), K(end));
}

static struct cost trim_k(struct rig *rig, unsigned start, unsigned end)
{
	return serve(rig, REQUEST_TRIM, K(start), K(end));
}

#define assert_cost(request, wanted_reads, wanted_programs)                                                  \
	do {                                                                                                 \
		struct cost is = (request);                                                                  \
                                                                                                             \
		assert_int_equal(is.reads, wanted_reads);                                                    \
		assert_int_equal(is.programs, wanted_programs);                                              \
	} while (0)

/* Pages 126 .. 132 are full. */
static struct rig *rig_filled(const char *ftl, const char *more)
{
	struct rig *rig = rig_open(ftl, more);

	for (unsigned page = 126; page <= 132; page++)
		write_k(rig, 8 * page, 8 * page + 8);
	return rig;
}

/* ---- the paper's examples; pages are 8 KB, so 1028K is in page 128 and 1032K begins page 129 ---- */

static void test_figure_5_direct_write(void **state)
{
	struct rig *rig = rig_open("across", "");
	const struct across_area *area;

	(void)state;
	assert_cost(write_k(rig, 1028, 1034), 0, 1);
	area = area_at(rig, 128);
	assert_non_null(area);
	assert_int_equal(area->left, 0xff00);
	assert_int_equal(area->right, 0x000f);
	assert_int_equal(counts(rig)->direct_writes, 1);
	assert_int_equal(page_map_get(&across_in(rig)->map, 128).mask, 0);
	rig_close(rig);
}

static void test_figure_6_merge(void **state)
{
	struct rig *rig = rig_open("across", "");

	(void)state;
	write_k(rig, 1028, 1034);
	assert_cost(write_k(rig, 1030, 1036), 1, 1);
	assert_int_equal(across_area_sectors(area_at(rig, 128)), 16);
	assert_int_equal(counts(rig)->profitable_merges, 1);
	assert_int_equal(across_in(rig)->areas.used, 1);
	rig_close(rig);
}

static void test_figure_6_rollback(void **state)
{
	struct rig *rig = rig_open("across", "");
	struct cost cost;

	(void)state;
	write_k(rig, 1028, 1034);
	cost = write_k(rig, 1030, 1038);
	assert_int_equal(cost.areas_read, 1);
	assert_cost(cost, 1, 2);
	assert_int_equal(across_in(rig)->areas.used, 0);
	assert_null(area_at(rig, 128));
	assert_int_equal(counts(rig)->rolled_back, 1);
	assert_int_equal(page_map_get(&across_in(rig)->map, 128).mask, 0xff00);
	assert_int_equal(page_map_get(&across_in(rig)->map, 129).mask, 0x0fff);
	rig_close(rig);
}

static void test_figure_7_reads(void **state)
{
	struct rig *rig = rig_filled("across", "");

	(void)state;
	write_k(rig, 1028, 1034);
	assert_cost(read_k(rig, 1030, 1034), 1, 0);
	assert_int_equal(counts(rig)->direct_reads, 1);
	assert_cost(read_k(rig, 1030, 1036), 2, 0);
	assert_int_equal(counts(rig)->merged_reads, 1);
	assert_int_equal(counts(rig)->merged_read_pages, 2);
	assert_int_equal(counts(rig)->merged_read_extra, 0);
	rig_close(rig);
}

/* ---- the cost of requests, compared with the baseline on the same data ---- */

/* Sectors are counted from 1024K (page 128); the area, if any, is written first. */
static const struct priced {
	const char *what;
	unsigned area_start, area_end; /* 0, 0: none */
	enum request_type type;
	unsigned start, end;
	unsigned reads, programs, areas_read, page_reads, page_programs;
} prices[] = {
	{ "direct write", 0, 0, REQUEST_WRITE, 8, 20, 0, 1, 0, 2, 2 },
	{ "merge, overlap", 8, 20, REQUEST_WRITE, 12, 24, 1, 1, 0, 2, 2 },
	{ "merge, same range", 8, 20, REQUEST_WRITE, 8, 20, 0, 1, 0, 2, 2 },
	{ "merge, superset", 8, 20, REQUEST_WRITE, 6, 22, 0, 1, 0, 2, 2 },
	{ "merge inside one page", 8, 20, REQUEST_WRITE, 8, 12, 1, 1, 0, 1, 1 },
	{ "rollback by an aligned page", 8, 20, REQUEST_WRITE, 0, 16, 2, 2, 1, 0, 1 },
	{ "rollback by an across write", 8, 20, REQUEST_WRITE, 12, 28, 3, 2, 1, 2, 2 },
	{ "rollback of a clipped area", 8, 20, REQUEST_WRITE, 16, 40, 3, 3, 1, 1, 2 },
	{ "covered", 8, 20, REQUEST_WRITE, 0, 32, 0, 2, 0, 0, 2 },
	{ "covered by an unaligned write", 8, 20, REQUEST_WRITE, 4, 28, 2, 2, 0, 2, 2 },
	{ "beside the area in its page", 8, 20, REQUEST_WRITE, 2, 8, 1, 1, 0, 1, 1 },
	{ "across read inside", 8, 20, REQUEST_READ, 10, 18, 1, 0, 0, 2, 0 },
	{ "read inside, one page", 8, 20, REQUEST_READ, 9, 12, 1, 0, 0, 1, 0 },
	{ "read inside, right page", 8, 20, REQUEST_READ, 16, 20, 1, 0, 0, 1, 0 },
	{ "read partly inside", 8, 20, REQUEST_READ, 2, 12, 2, 0, 0, 1, 0 },
	{ "read out at one side", 8, 20, REQUEST_READ, 8, 24, 2, 0, 0, 2, 0 },
	{ "read out at both sides", 8, 20, REQUEST_READ, 4, 24, 3, 0, 0, 2, 0 },
	{ "read beside", 8, 20, REQUEST_READ, 20, 30, 1, 0, 0, 1, 0 },
};

static void test_prices(void **state)
{
	const sector_t at = K(1024);

	(void)state;
	for (size_t i = 0; i < sizeof prices / sizeof prices[0]; i++) {
		const struct priced *p = &prices[i];
		struct rig *across = rig_filled("across", ""), *page = rig_filled("page", "");
		struct cost ours, theirs;

		if (p->area_end) {
			serve(across, REQUEST_WRITE, at + p->area_start, at + p->area_end);
			serve(page, REQUEST_WRITE, at + p->area_start, at + p->area_end);
		}
		ours = serve(across, p->type, at + p->start, at + p->end);
		theirs = serve(page, p->type, at + p->start, at + p->end);
		if (ours.reads != p->reads || ours.programs != p->programs ||
			ours.areas_read != p->areas_read)
			fail_msg("%s: %u reads (%u to roll back), %u programs; should be %u (%u), %u",
				p->what, ours.reads, ours.areas_read, ours.programs, p->reads, p->areas_read,
				p->programs);
		if (theirs.reads != p->page_reads || theirs.programs != p->page_programs)
			fail_msg("%s, page mapping: %u reads, %u programs; should be %u, %u", p->what,
				theirs.reads, theirs.programs, p->page_reads, p->page_programs);
		rig_close(across);
		rig_close(page);
	}
}

static void test_two_areas_of_one_page(void **state)
{
	struct rig *rig = rig_filled("across", "");

	(void)state;
	write_k(rig, 1031, 1034);
	write_k(rig, 1039, 1042);
	assert_int_equal(across_in(rig)->areas.used, 2);
	assert_cost(write_k(rig, 1033, 1036), 1, 1); /* overlaps the left area only, and still fits */
	assert_int_equal(counts(rig)->unprofitable_merges, 1);
	assert_cost(read_k(rig, 1032, 1040), 3, 0); /* both areas and the page between them */
	assert_cost(write_k(rig, 1035, 1040), 4,
		3); /* both areas, and the pages beside page 129 have data to keep */
	assert_int_equal(counts(rig)->rolled_back, 2);
	assert_int_equal(counts(rig)->rollbacks, 1);
	assert_int_equal(across_in(rig)->areas.used, 0);
	rig_close(rig);
}

/* Four areas under one long write: the two in the middle are covered, the two at its ends rolled back. */
static void test_long_write_over_areas(void **state)
{
	struct rig *rig = rig_filled("across", "");

	(void)state;
	for (unsigned border = 1024; border <= 1048; border += 8)
		write_k(rig, border - 1, border + 2);
	assert_int_equal(across_in(rig)->areas.used, 4);
	assert_cost(write_k(rig, 1024, 1048), 2 + 2, 5);
	assert_int_equal(counts(rig)->cover_drops, 2);
	assert_int_equal(counts(rig)->rolled_back, 2);
	assert_int_equal(across_in(rig)->areas.used, 0);
	rig_close(rig);
}

/* The area replaces the last valid sectors of a normal page: the page becomes invalid, unless
 * across.release_stale is off. */
static void test_release_of_stale_sectors(void **state)
{
	struct rig *exclusive = rig_open("across", ""),
		   *literal = rig_open("across", "across.release_stale=false");

	(void)state;
	write_k(exclusive, 1028, 1030);
	write_k(literal, 1028, 1030);
	write_k(exclusive, 1028, 1034);
	write_k(literal, 1028, 1034);
	assert_int_equal(counts(exclusive)->normal_released, 1);
	assert_int_equal(counts(literal)->normal_released, 0);
	assert_cost(write_k(exclusive, 1024, 1028), 0, 1);
	assert_cost(write_k(literal, 1024, 1028), 1, 1); /* reads sectors that the area replaced */
	rig_close(exclusive);
	rig_close(literal);
}

/* ---- options ---- */

static void test_single_index_refuses_a_second_area(void **state)
{
	struct rig *rig = rig_filled("across", "across.index=single");

	(void)state;
	write_k(rig, 1031, 1034);
	assert_cost(write_k(rig, 1039, 1042), 2, 2);
	assert_int_equal(counts(rig)->refused_index, 1);
	assert_int_equal(across_in(rig)->areas.used, 1);
	write_k(rig, 1047, 1050);
	assert_int_equal(across_in(rig)->areas.used, 2);
	rig_close(rig);
}

/* An across write that overlaps the area at another border. */
static void test_neighbour(void **state)
{
	struct rig *all = rig_filled("across", "");
	struct rig *direct = rig_filled("across", "across.neighbour=rollback_neighbour_then_direct");

	(void)state;
	write_k(all, 1030, 1036);
	write_k(direct, 1030, 1036);
	assert_cost(write_k(all, 1035, 1042), 1 + 2, 3);
	assert_int_equal(across_in(all)->areas.used, 0);
	assert_cost(write_k(direct, 1035, 1042), 1 + 2, 2 + 1);
	assert_null(area_at(direct, 128));
	assert_non_null(area_at(direct, 129));
	assert_int_equal(counts(direct)->rolled_back, 1);
	rig_close(all);
	rig_close(direct);
}

static void test_shrinking(void **state)
{
	struct rig *rig = rig_filled("across", "across.partial_cover=shrink");

	(void)state;
	write_k(rig, 1028, 1034);
	assert_cost(write_k(rig, 1024, 1032), 0, 1);
	assert_int_equal(counts(rig)->shrinks, 1);
	assert_int_equal(area_at(rig, 128)->left, 0);
	assert_int_equal(area_at(rig, 128)->right, 0x000f);
	assert_cost(read_k(rig, 1024, 1040), 3, 0);
	rig_close(rig);
}

/* Otherwise the areas would take more mapping pages than they need. */
static void test_the_lowest_free_area_is_taken(void **state)
{
	struct rig *rig = rig_open("across", "");

	(void)state;
	write_k(rig, 1028, 1034);
	write_k(rig, 1052, 1058);
	assert_int_equal(across_area_at(across_in(rig), 131), 1);
	trim_k(rig, 1028, 1034);
	write_k(rig, 1076, 1082);
	assert_int_equal(across_area_at(across_in(rig), 134), 0);
	rig_close(rig);
}

static void test_limit(void **state)
{
	struct rig *rig = rig_filled("across", "across.max_areas=1");

	(void)state;
	write_k(rig, 1031, 1034);
	assert_cost(write_k(rig, 1047, 1050), 2, 2);
	assert_int_equal(counts(rig)->refused_limit, 1);
	write_k(rig, 1024, 1040);
	assert_cost(write_k(rig, 1047, 1050), 0, 1);
	rig_close(rig);
}

/* 12 bytes an entry with one index field, 16 with two; 16 an area. */
static void test_size_of_the_tables(void **state)
{
	struct rig *one = rig_open("across", ""), *two = rig_open("across", "across.index=both");

	(void)state;
	assert_int_equal(across_in(one)->page_entries, 8192 / 12);
	assert_int_equal(across_in(two)->page_entries, 8192 / 16);
	assert_int_equal(across_in(one)->area_entries, 8192 / 16);
	assert_int_equal(map_bytes_of(one->drive->ftl), 0);
	write_k(one, 0, 8);
	assert_int_equal(map_bytes_of(one->drive->ftl), 8192);
	write_k(one, 1028, 1034);
	assert_int_equal(map_bytes_of(one->drive->ftl), 2 * 8192);
	rig_close(one);
	rig_close(two);
}

/* 192 entries of 12 bytes take two mapping pages of 2 KB; the cache must hold these and one more. */
static void test_refuses_to_pin_more_than_the_budget(void **state)
{
	static const char *const budgets[] = { "2K", "4K", "6K" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fault fault = { "" };
		struct settings settings;
		struct drive *drive;
		char text[1024];

		snprintf(text, sizeof text,
			ONE_PLANE "ftl=across flash.page_bytes=2K map.pin_pmt=true map.cache_bytes=%s",
			budgets[i]);
		fixture_settings(&settings, text);
		drive = drive_create(&settings, true, &fault);
		assert_int_equal(drive != NULL, i == 2);
		assert_int_equal(strstr(fault.text, "map.pin_pmt needs 6144 bytes") != NULL, i < 2);
		drive_free(drive);
		settings_release(&settings);
	}
}

/* There are never more areas than the spare pages can hold with every logical page in use. */
static void test_areas_never_fill_the_drive(void **state)
{
	struct rig *rig = rig_open("across", "");
	lpn_t pages = rig->drive->geometry.logical_pages;

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (lpn_t lpn = 0; lpn < pages; lpn++)
			serve(rig, REQUEST_WRITE, 16 * lpn, 16 * lpn + 16);
		for (lpn_t lpn = 0; lpn + 1 < pages; lpn++)
			serve(rig, REQUEST_WRITE, 16 * lpn + 15, 16 * lpn + 17);
		assert_int_equal(across_in(rig)->areas.used, across_in(rig)->areas.limit);
	}
	assert_true(counts(rig)->refused_limit > 0);
	rig_close(rig);
}

/* ---- trims ---- */

static void test_trim(void **state)
{
	struct rig *rig = rig_filled("across", "");

	(void)state;
	write_k(rig, 1028, 1034);
	assert_cost(trim_k(rig, 1029, 1030), 0, 0);
	assert_int_equal(area_at(rig, 128)->left, 0xf300);
	assert_cost(read_k(rig, 1028, 1034), 1, 0);
	assert_cost(write_k(rig, 1028, 1034), 0, 1);
	trim_k(rig, 1032, 1040);
	assert_int_equal(area_at(rig, 128)->right, 0);
	trim_k(rig, 1028, 1032);
	assert_int_equal(counts(rig)->trim_drops, 1);
	assert_cost(read_k(rig, 1024, 1040), 1, 0);
	rig_close(rig);
}

/* The remainder of a trimmed area lies in one page.  It and a write across that page's other border fit into
 * one page, but merged they would exceed the area's two pages. */
static void test_trimmed_area_is_not_merged_over_another_border(void **state)
{
	struct rig *rig = rig_filled("across", "");

	(void)state;
	write_k(rig, 1031, 1037);
	trim_k(rig, 1024, 1036);
	assert_int_equal(area_at(rig, 128)->left, 0);
	write_k(rig, 1036, 1042);
	assert_int_equal(counts(rig)->cover_drops + counts(rig)->rolled_back, 1);
	read_k(rig, 1032, 1048);
	rig_close(rig);
}

/* The remainder of a trimmed area is rolled back by the next across write at its border; the write after that
 * makes a new area. */
static void test_trimmed_area_gives_up_its_place(void **state)
{
	struct rig *rig = rig_filled("across", "");

	(void)state;
	write_k(rig, 1025, 1033);
	trim_k(rig, 1026, 1033);
	assert_cost(write_k(rig, 1031, 1037), 1 + 2, 2);
	assert_int_equal(counts(rig)->rolled_back, 1);
	write_k(rig, 1031, 1037);
	assert_int_equal(counts(rig)->direct_writes, 2);
	rig_close(rig);
}

/* ---- time: a sector takes 1 us on the bus, reading a page 10 us in the cells, writing 100 ---- */

static void test_merge_reads_before_it_writes(void **state)
{
	struct rig *rig = rig_open("across", "");

	(void)state;
	assert_int_equal(write_k(rig, 1028, 1034).latency, 12000 + 100000);
	assert_int_equal(read_k(rig, 1028, 1034).latency, 10000 + 12000);
	/* keeps 4 sectors of the area, writes 16 */
	assert_int_equal(write_k(rig, 1030, 1036).latency, 10000 + 4000 + 16000 + 100000);
	rig_close(rig);
}

/*
 * The cache holds one mapping page: those of the page table and of the areas evict each other.  The write
 * leaves the areas' page dirty in DRAM.  The first read writes it back, reads the page table's, and finds the
 * areas' page still in the write-back, as the die serves reads first.  The second reads both.
 */
static void test_look_ups_come_one_after_the_other(void **state)
{
	struct rig *rig = rig_open("across", "map.cache_bytes=8K");
	const tick_t map_read = 10000 + 16000;

	(void)state;
	write_k(rig, 1028, 1034);
	assert_int_equal(read_k(rig, 1028, 1034).latency, map_read + 10000 + 12000);
	assert_int_equal(read_k(rig, 1028, 1034).latency, map_read + map_read + 10000 + 12000);
	rig_close(rig);
}

/*
 * So do those of a rollback, as the page table says whether there is an area: its look-up evicts the areas'
 * page, which the reads before left in DRAM and which is loaded again afterwards.  Every page lies on a die
 * of its own.
 */
static void test_a_rollback_looks_the_page_table_up_first(void **state)
{
	struct rig *rig = rig_open("across", "map.cache_bytes=8K flash.channels=8 flash.blocks=8");
	const tick_t map_read = 10000 + 16000, area_read = 10000 + 4000, write = 8000 + 100000;

	(void)state;
	write_k(rig, 1028, 1034);
	read_k(rig, 1028, 1034);
	read_k(rig, 1028, 1034);
	assert_int_equal(write_k(rig, 1030, 1038).latency, map_read + map_read + area_read + write);
	assert_int_equal(counts(rig)->rolled_back, 1);
	rig_close(rig);
}

/*
 * The cache holds one mapping page, and each page lies on a die of its own.  A normal page or an area is
 * read, and a page written, only after the mapping page has been read.  The first read leaves the areas' page
 * in DRAM.
 */
static void test_requests_wait_for_their_mapping_page(void **state)
{
	struct rig *rig = rig_open("across", "map.cache_bytes=8K flash.channels=8 flash.blocks=8");
	const tick_t map_read = 10000 + 16000;

	(void)state;
	write_k(rig, 1040, 1048);
	write_k(rig, 1028, 1034);
	read_k(rig, 1028, 1034);
	assert_int_equal(read_k(rig, 1040, 1048).latency, map_read + 10000 + 16000);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_MAP), 1);
	assert_int_equal(read_k(rig, 1028, 1034).latency, map_read + 10000 + 12000);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_MAP), 1);
	assert_int_equal(write_k(rig, 1040, 1048).latency, map_read + 16000 + 100000);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_MAP), 1);
	rig_close(rig);
}

/* Does the operation wait for a read of the page table's only mapping page? */
static bool waits_for_the_page_table(const struct rig *rig, const struct tracer *t, uint32_t op)
{
	for (uint32_t i = 0; i < t->waits; i++)
		if (t->wait[i].op == op && t->wait[i].other != TRACED_EARLIER &&
			t->op[t->wait[i].other].made.cause == CAUSE_MAP &&
			t->op[t->wait[i].other].made.owner == across_in(rig)->map.lpns)
			return true;
	return false;
}

/* Serves the request.  Returns the number of its operations for host data, each of which must wait for the
 * page table. */
static uint32_t serve_waiting(struct rig *rig, enum request_type type, sector_t start, sector_t end)
{
	struct explanation x = { .number = 1 };
	struct request r = { .arrival = schedule_now(rig->drive->flash->schedule),
		.start = start,
		.sectors = (uint32_t)(end - start),
		.type = type };
	uint32_t waiting = 0;

	explanation_observe(&x, rig->drive);
	assert_true(drive_submit(rig->drive, &r));
	drive_drain(rig->drive);
	for (uint32_t op = 0; op < x.tracer.ops; op++)
		if (x.tracer.op[op].made.cause == CAUSE_HOST) {
			assert_true(waits_for_the_page_table(rig, &x.tracer, op));
			waiting++;
		}
	explanation_release(&x);
	return waiting;
}

/* Also where there is an area, but not of the requested sectors: those are in page 129, whose left border has
 * an area, and in the pages behind it.  The area's write leaves the areas' mapping page in DRAM. */
static void test_requests_beside_areas_wait_for_their_mapping_page(void **state)
{
	struct rig *rig = rig_open("across", "map.cache_bytes=8K");

	(void)state;
	write_k(rig, 1032, 1056);
	write_k(rig, 1028, 1034);
	assert_int_equal(serve_waiting(rig, REQUEST_READ, K(1036), K(1056)), 3);
	write_k(rig, 1028, 1034);
	assert_int_equal(serve_waiting(rig, REQUEST_WRITE, K(1036), K(1056)), 3);
	rig_close(rig);
}

static void test_nothing_is_counted_outside_time(void **state)
{
	struct rig *rig = rig_open("across", "map.cache_bytes=8K");
	struct across_statistics none = { 0 };

	(void)state;
	for (sector_t s = 0; s < 1600; s += 40) {
		assert_true(drive_place(rig->drive, (struct extent){ s + 8, s + 20 }));
		assert_true(drive_place(rig->drive, (struct extent){ s + 10, s + 22 }));
		assert_true(drive_place(rig->drive, (struct extent){ s, s + 40 }));
		drive_discard(rig->drive, (struct extent){ s, s + 20 });
	}
	stat_list_start(&rig->drive->statistics);
	none.most_areas = across_in(rig)->areas.used; /* a peak starts at the present value */
	assert_memory_equal(counts(rig), &none, sizeof none);
	assert_int_equal(rig->drive->ftl->map.lookups + rig->drive->ftl->map.accesses, 0);
	rig_close(rig);
}

/* ---- random requests ---- */

#define SMALL                                                                                                \
	"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=20 flash.pages=6 "          \
	"flash.over_provisioning=0.4 flash.read_ns=10000 flash.program_ns=100000 flash.erase_ns=1000000 "

static const char *const random_cases[] = {
	SMALL "flash.page_bytes=8K",
	SMALL "flash.page_bytes=4K map.cache_bytes=4K",
	SMALL "flash.page_bytes=2K map.cache_bytes=6K map.gc_update=lazy across.index=both",
	SMALL "flash.page_bytes=2K map.cache_bytes=4K map.gc_update=defer across.index=single",
	SMALL "flash.page_bytes=32K map.cache_bytes=32K "
	      "across.neighbour=rollback_neighbour_then_direct",
	SMALL "flash.page_bytes=2K map.cache_bytes=8K map.pin_pmt=true across.partial_cover=shrink",
	SMALL "flash.page_bytes=8K across.gc_rollback=true across.release_stale=false gc.separate=false "
	      "flash.channels=1 flash.planes=1 flash.blocks=12 flash.pages=32",
	SMALL
	"flash.page_bytes=2K map.cache_bytes=2K across.gc_rollback=true across.neighbour="
	"rollback_neighbour_then_direct across.partial_cover=shrink wear.delta=3 placement.policy=static "
	"flash.channels=1 flash.planes=1 flash.blocks=12 flash.pages=40",
	SMALL "flash.page_bytes=2K map.cache_bytes=2K across.release_stale=false across.max_areas=20 "
	      "gc.policy=fifo",
	SMALL "flash.page_bytes=16K map.cache_bytes=16K host.mode=closed map.gc_update=lazy",
	SMALL "flash.page_bytes=8K buffer=lru dram.buffer_bytes=64K map.cache_bytes=8K",
};

#define REQUESTS 20000

struct player {
	struct drive *drive;
	struct random random;
};

/* Half of the requests straddle a border, half go to a sixteenth of the drive. */
static struct request random_request(struct player *p)
{
	const struct geometry *g = &p->drive->geometry;
	uint64_t kind = random_below(&p->random, 100), size = g->sectors_per_page;
	sector_t range = random_below(&p->random, 2) ? g->logical_sectors : g->logical_sectors / 16;
	struct request r = { .line = 1, .start = random_below(&p->random, range) };
	uint64_t longest = random_below(&p->random, 8) ? size : 5 * size;

	r.type = kind < 60 ? REQUEST_WRITE : kind < 92 ? REQUEST_READ : REQUEST_TRIM;
	r.sectors = 1 + (uint32_t)random_below(&p->random, longest);
	if (size > 1 && r.start >= size && random_below(&p->random, 2)) {
		r.sectors = 2 + (uint32_t)random_below(&p->random, size - 1);
		r.start = r.start / size * size - 1 - random_below(&p->random, r.sectors - 1);
	}
	if (r.sectors > g->logical_sectors - r.start)
		r.sectors = (uint32_t)(g->logical_sectors - r.start);
	return r;
}

/* Some writes are made outside time, as preconditioning does. */
static void play(struct player *p, struct request r)
{
	struct drive *d = p->drive;
	uint64_t depth = random_below(&p->random, 6);

	if (!d->buffer->capacity && r.type == REQUEST_WRITE && !random_below(&p->random, 20)) {
		drive_drain(d);
		BUG_ON(!drive_place(d, request_extent(&r)), "the drive failed");
		return;
	}
	r.arrival = schedule_now(d->flash->schedule);
	BUG_ON(!drive_submit(d, &r), "the drive failed");
	while (d->in_drive > depth && drive_run_to_completion(d))
		;
}

/* Mapping pages have blocks of their own, wherever collection has moved them. */
static void check_blocks_are_not_shared(const struct drive *d)
{
	const struct across *a = d->ftl->state;
	const struct geometry *g = &d->geometry;

	for (block_t b = 0; b < g->blocks; b++) {
		uint32_t data = 0, map = 0;

		for (uint32_t page = 0; page < d->flash->block[b].next; page++) {
			owner_t owner = flash_owner(d->flash, geometry_first_page(g, b) + page);

			map += owner != OWNER_NONE && directory_owns(a->directory, owner);
			data += owner != OWNER_NONE && !directory_owns(a->directory, owner);
		}
		BUG_ON(data && map, "block %u holds %u pages of data and %u of the mapping", b, data, map);
	}
}

/* In a child, which dies if a sector is wrong or an invariant broken. */
static void play_case(void *context)
{
	const char *text = context;
	struct settings settings;
	struct fault fault = { "" };
	struct player p;

	fixture_settings(&settings, text);
	p.drive = drive_create(&settings, true, &fault);
	BUG_ON(!p.drive, "%s", fault.text);
	random_init(&p.random, settings.top.seed, 5);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		play(&p, random_request(&p));
		if (i % 64 == 0) {
			ftl_check(p.drive->ftl);
			check_blocks_are_not_shared(p.drive);
		}
	}
	drive_drain(p.drive);
	drive_check(p.drive);
	BUG_ON(!p.drive->ftl->store->collector->count.collections,
		"nothing was collected: the case is too easy");
	drive_free(p.drive);
	settings_release(&settings);
}

static void test_random_requests(void **state)
{
	const char *text = getenv("SEEDS"), *only = getenv("TEST");
	uint64_t seeds = text ? strtoull(text, NULL, 0) : amount(1, 2);

	(void)state;
	for (uint64_t seed = seed_of_run(); seed < seed_of_run() + seeds; seed++)
		for (size_t i = 0; i < sizeof random_cases / sizeof random_cases[0]; i++) {
			struct child child;
			char settings[1024];

			if (only && !strstr(random_cases[i], only))
				continue;
			snprintf(settings, sizeof settings, "%s ftl=across seed=%llu", random_cases[i],
				(unsigned long long)seed);
			run_in_child(&child, play_case, settings);
			if (child.status)
				fail_msg("SEED=%llu %s: %s", (unsigned long long)seed, random_cases[i],
					child.text);
		}
}

/* Every rare path is taken by some random case. */
static void test_random_requests_reach_everything(void **state)
{
	const size_t counters = offsetof(struct across_statistics, area_writes) / sizeof(uint64_t);
	struct across_statistics sum = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof random_cases / sizeof random_cases[0]; i++) {
		struct settings settings;
		struct fault fault = { "" };
		struct player p;
		const struct across_statistics *s;
		char text[1024];

		snprintf(text, sizeof text, "%s ftl=across", random_cases[i]);
		fixture_settings(&settings, text);
		p.drive = drive_create(&settings, false, &fault);
		random_init(&p.random, seed_of_run(), 5);
		for (uint32_t n = 0; n < REQUESTS; n++)
			play(&p, random_request(&p));
		s = &((struct across *)p.drive->ftl->state)->count;
		for (size_t word = 0; word < counters; word++)
			((uint64_t *)&sum)[word] += ((const uint64_t *)s)[word];
		drive_free(p.drive);
		settings_release(&settings);
	}
	for (size_t word = 0; word < counters; word++)
		if (!((uint64_t *)&sum)[word])
			fail_msg("statistic %zu of struct across_statistics was never counted", word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_5_direct_write),
		cmocka_unit_test(test_figure_6_merge),
		cmocka_unit_test(test_figure_6_rollback),
		cmocka_unit_test(test_figure_7_reads),
		cmocka_unit_test(test_prices),
		cmocka_unit_test(test_two_areas_of_one_page),
		cmocka_unit_test(test_long_write_over_areas),
		cmocka_unit_test(test_release_of_stale_sectors),
		cmocka_unit_test(test_single_index_refuses_a_second_area),
		cmocka_unit_test(test_neighbour),
		cmocka_unit_test(test_shrinking),
		cmocka_unit_test(test_the_lowest_free_area_is_taken),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_size_of_the_tables),
		cmocka_unit_test(test_refuses_to_pin_more_than_the_budget),
		cmocka_unit_test(test_areas_never_fill_the_drive),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_trimmed_area_is_not_merged_over_another_border),
		cmocka_unit_test(test_trimmed_area_gives_up_its_place),
		cmocka_unit_test(test_merge_reads_before_it_writes),
		cmocka_unit_test(test_look_ups_come_one_after_the_other),
		cmocka_unit_test(test_a_rollback_looks_the_page_table_up_first),
		cmocka_unit_test(test_requests_wait_for_their_mapping_page),
		cmocka_unit_test(test_requests_beside_areas_wait_for_their_mapping_page),
		cmocka_unit_test(test_nothing_is_counted_outside_time),
		cmocka_unit_test(test_random_requests),
		cmocka_unit_test(test_random_requests_reach_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
