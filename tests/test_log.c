/* The log-block FTLs: what each write costs, by hand; which requests wait for which merge; drives that
 * cannot run them. */
#include "drive/prepare/image.h"
#include "ftl/log/log.h"
#include "tests/rig_fixture.h"

/* 24 logical blocks of 8 pages, 16 spare blocks. */
#define LOGS ONE_PLANE "flash.order=ascending "

enum { PAGE_SECTORS = 16, PAGES = 8 };

/* Every page holds data. */
static struct rig *filled(const char *settings)
{
	struct rig *rig = rig_with(settings);
	sector_t sectors = rig->drive->geometry.logical_sectors;

	for (sector_t s = 0; s < sectors; s += PAGE_SECTORS)
		assert_true(drive_place(rig->drive, (struct extent){ s, s + PAGE_SECTORS }));
	stat_list_start(&rig->drive->statistics);
	return rig;
}

static tick_t write_pages(struct rig *rig, lpn_t first, uint32_t pages)
{
	return rig_serve(rig, REQUEST_WRITE, first * PAGE_SECTORS, (first + pages) * PAGE_SECTORS);
}

/* "3+1 8+2": a request of page 3, then one of pages 8 and 9.  Returns the latency of the last. */
static tick_t write_all(struct rig *rig, const char *requests)
{
	tick_t latency = 0;
	unsigned first, pages;
	int length;

	for (; sscanf(requests, " %u+%u%n", &first, &pages, &length) == 2; requests += length)
		latency = write_pages(rig, first, pages);
	return latency;
}

static const struct log_statistics *counts(const struct rig *rig)
{
	return &((const struct log_ftl *)rig->drive->ftl->state)->count;
}

/* Two pages are a long write. */
#define LAST "ftl=last last.threshold_sectors=32 "

#define SUPER "ftl=superblock "

/* ---- the cost table of the family, on a filled drive ---- */

static const struct cost {
	const char *settings, *requests;
	unsigned programs, copies, erases;
} costs[] = {
	/* A whole logical block in order: one switch. */
	{ "ftl=block", "0+8", 8, 0, 1 },
	{ "ftl=bast bast.logs=2", "0+8", 8, 0, 1 },
	{ "ftl=bast bast.logs=2", "0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1", 8, 0, 1 },
	{ "ftl=inorder inorder.logs=2", "0+8", 8, 0, 1 },
	/* A request rewrites each logical block that it touches once. */
	{ "ftl=block", "3+1", 1, 7, 1 },
	{ "ftl=block", "3+2", 2, 6, 1 },
	{ "ftl=block", "3+1 4+1", 2, 14, 2 },
	{ "ftl=block", "6+4", 4, 12, 2 },
	/* One page somewhere, or the first pages in order; the log is merged when another block needs it. */
	{ "ftl=bast bast.logs=1", "3+1 8+1", 2, 8, 2 },
	{ "ftl=bast bast.logs=1", "0+3 8+1", 4, 5, 1 },
	/* The least recently written log is merged. */
	{ "ftl=bast bast.logs=2", "0+3 9+1 3+1 16+1", 6, 8, 2 },
	/* Full and not in order: merged when it is needed, not before. */
	{ "ftl=bast bast.logs=2", "1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1", 8, 0, 0 },
	{ "ftl=bast bast.logs=2", "1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1", 9, 8, 2 },
	/* Every second page: the gaps are copied, and the rest when the block is closed for another. */
	{ "ftl=inorder inorder.logs=1", "0+1 2+1 4+1 6+1 8+1", 5, 4, 1 },
	{ "ftl=inorder inorder.logs=1", "0+1 2+1 4+1 7+1", 4, 4, 1 },
	/* Descending: every write closes the log. */
	{ "ftl=inorder inorder.logs=1", "5+1 4+1", 2, 5 + 2 + 4, 1 },
	/* The sequential log, and what ends it: the first page of another logical block, its first page
	 * again, a page further on, another page again. */
	{ "ftl=fast fast.logs=2", "0+8", 8, 0, 1 },
	{ "ftl=fast fast.logs=2", "0+3 8+1", 4, 5, 1 },
	{ "ftl=fast fast.logs=2", "0+3 0+1", 4, 5, 1 },
	{ "ftl=fast fast.logs=2", "0+2 5+1", 3, 8 - 2 - 1, 1 },
	{ "ftl=fast fast.logs=2", "0+3 1+1", 4, 8 - 1, 2 },
	{ "ftl=fast fast.logs=2 fast.sw_break=random", "0+2 5+1", 3, 6, 1 },
	{ "ftl=fast fast.logs=2 fast.sw_break=random", "0+3 1+1", 4, 5, 1 },
	/* A shared log with data of eight logical blocks; one with data of the sequential log's block: the
	 * sequential log is merged, too. */
	{ "ftl=fast fast.logs=2", "1+1 9+1 17+1 25+1 33+1 41+1 49+1 57+1 65+1", 9, 8 * 8, 8 + 1 },
	{ "ftl=fast fast.logs=2", "9+1 8+1 17+1 17+1 17+1 17+1 17+1 17+1 17+1 25+1", 10, 7 + 8, 3 },
	/* Two shared logs, the first with data of one logical block, the second of eight: the oldest is
	 * emptied. */
	{ "ftl=fast fast.logs=3",
		"1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1 9+1 17+1 25+1 33+1 41+1 49+1 57+1 65+1 73+1", 17, 8, 2 },
	/* The figure of the S-FTL paper: blocks of 4 pages, one shared log. */
	{ "ftl=fast fast.logs=2 flash.pages=4", "1+1 2+1 3+1 5+1", 4, 0, 0 },
	{ "ftl=fast fast.logs=2 flash.pages=4", "1+1 2+1 3+1 5+1 6+1", 5, 8, 3 },
	/* Long requests; a sequential log with an overwritten page; one that is not continued. */
	{ LAST "last.logs=2", "0+8", 8, 0, 1 },
	{ LAST "last.logs=2", "0+2 8+2", 4, 6, 1 },
	{ LAST "last.logs=2", "0+2 1+1 8+2", 5, 8, 2 },
	{ LAST "last.logs=2", "0+2 4+2", 4, 6, 1 },
	/* A short write of the next page goes to a shared log: the sequential log stays in order. */
	{ LAST "last.logs=2", "0+2 2+1 8+2", 5, 6, 1 },
	/* A dead block of the superblock is erased; the two with the fewest live pages are compacted; another
	 * superblock is folded. */
	{ SUPER "superblock.blocks=2 superblock.more=1", "0+8", 8, 0, 0 },
	{ SUPER "superblock.blocks=2 superblock.more=1", "0+8 0+1", 9, 0, 1 },
	{ SUPER "superblock.blocks=2 superblock.more=1", "0+4 8+4 0+1", 9, 4 + 4, 2 },
	{ SUPER "superblock.blocks=1 superblock.more=1 flash.blocks=6 flash.over_provisioning=0.3333333",
		"0+1 8+1", 2, 1 + 7, 2 },
	/* Of two blocks with four live pages the older one is compacted.  Then its pages are overwritten, and
	 * the cold block, all dead, is erased once it is no longer the cold block. */
	{ SUPER "superblock.blocks=2 superblock.more=2",
		"0+4 8+4 0+2 8+2 4+2 12+2 0+2 8+2 6+2 14+2 2+2 10+2 0+2 8+2 4+1", 33, 2 + 2 + 4 + 4, 5 },
	/* A shared log whose pages are all dead is only erased. */
	{ LAST "last.logs=2", "1+1 2+1 3+1 4+1 5+1 6+1 7+1 7+1 0+8 9+1", 17, 0, 1 + 1 },
	/* A cold log is being filled, and so the hot one is emptied when it is full, although its page is
	 * hot. */
	{ LAST "last.logs=3", "1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1", 10, 8, 2 },
	/* While few logs are hot, the victim is the cold log with data of the fewest logical blocks, here the
	 * second. */
	{ LAST "last.logs=3", "9+1 17+1 25+1 33+1 41+1 49+1 57+1 65+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 10+1 73+1",
		17, 16, 3 },
	/* Exactly half of the four shared logs are hot: the victim is still cold, with data of two blocks. */
	{ LAST "last.logs=5",
		"8+1 9+1 10+1 11+1 24+1 25+1 26+1 27+1 17+1 18+1 19+1 20+1 21+1 22+1 23+1 "
		"17+1 18+1 19+1 20+1 21+1 22+1 23+1 17+1 18+1 19+1 20+1 21+1 22+1 23+1 18+1 19+1 20+1",
		32, 16, 3 },
};

static void assert_cost(const struct cost *c)
{
	char settings[1024];
	struct rig *rig;
	unsigned programs, copies, erases;

	snprintf(settings, sizeof settings, LOGS "%s", c->settings);
	rig = filled(settings);
	write_all(rig, c->requests);
	programs = (unsigned)rig->drive->flash->count[OP_PROGRAM][CAUSE_HOST];
	copies = (unsigned)rig->drive->flash->count[OP_COPY][CAUSE_MERGE];
	erases = (unsigned)rig->drive->flash->count[OP_ERASE][CAUSE_MERGE];
	if (programs != c->programs || copies != c->copies || erases != c->erases)
		fail_msg("%s, \"%s\": %u programs, %u copies, %u erases; %u, %u, %u expected", c->settings,
			c->requests, programs, copies, erases, c->programs, c->copies, c->erases);
	rig_close(rig);
}

static void test_what_writes_cost(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
		assert_cost(&costs[i]);
}

/* Four shared logs, k = 16 pages.  A page is hot if no more than 16 others were written since, or if it lies
 * in a hot log: there it stays hot. */
static void test_hot_pages_have_logs_of_their_own(void **state)
{
	struct rig *rig = filled(LOGS LAST "last.logs=5");
	const struct log_ftl *l = rig->drive->ftl->state;

	(void)state;
	write_all(rig, "1+1 1+1");
	assert_int_equal(l->live[geometry_block(l->geometry, log_find(l, 1))], 1);
	write_all(rig, "2+1 3+1 4+1 5+1 6+1 9+1 10+1 11+1 12+1 13+1 14+1 17+1 18+1 19+1 20+1 21+1 2+1");
	assert_int_equal(
		geometry_block(l->geometry, log_find(l, 1)), geometry_block(l->geometry, log_find(l, 2)));
	write_all(rig, "22+1 25+1 3+1");
	assert_int_not_equal(
		geometry_block(l->geometry, log_find(l, 1)), geometry_block(l->geometry, log_find(l, 3)));
	write_all(rig, "26+1 1+1");
	assert_int_equal(
		geometry_block(l->geometry, log_find(l, 1)), geometry_block(l->geometry, log_find(l, 2)));
	rig_close(rig);
}

/* Parts of a write that a buffer hands over together are one long write, even with a page to be padded
 * between them. */
static void test_parts_are_a_long_write(void **state)
{
	static const struct extent parts[] = { { 0, 16 }, { 16, 16 }, { 32, 40 }, { 64, 68 }, { 70, 72 } };
	struct rig *rig = filled(LOGS LAST "last.logs=4");
	const struct log_ftl *l = rig->drive->ftl->state;
	struct io io = { .flash = rig->drive->flash };

	(void)state;
	rig->drive->ftl->ops->write(rig->drive->ftl, &io, &parts[3], 2);
	assert_null(log_of(l, 0));
	rig->drive->ftl->ops->write(rig->drive->ftl, &io, parts, 3);
	assert_non_null(log_of(l, 0));
	assert_int_equal(log_next(l, log_of(l, 0)->block), 3);
	rig_close(rig);
}

/* Where pages must be programmed in order, gaps are filled with dummy pages. */
static void test_gaps_are_filled_where_the_order_is_strict(void **state)
{
	struct rig *rig = rig_with(ONE_PLANE "ftl=bast bast.logs=2");

	(void)state;
	write_all(rig, "3+1 6+1");
	assert_int_equal(rig->drive->flash->count[OP_PROGRAM][CAUSE_HOST], 2);
	assert_int_equal(rig->drive->flash->count[OP_PROGRAM][CAUSE_MERGE], 3 + 2);
	assert_int_equal(counts(rig)->dummies, 5);
	rig_close(rig);
	rig = rig_with(LOGS "ftl=bast bast.logs=2");
	write_all(rig, "3+1 6+1");
	assert_int_equal(rig->drive->flash->count[OP_PROGRAM][CAUSE_MERGE], 0);
	rig_close(rig);
}

/* ---- time ---- */

/*
 * A copy takes 10 + 100 us, a program 16 us on the bus and 100 in the cells, an erase 1 ms, and the die does
 * one after the other.  A request waits for every operation of the merges that it causes.
 */
static void test_a_request_waits_for_its_merges(void **state)
{
	struct rig *rig = filled(LOGS "ftl=block");

	(void)state;
	assert_int_equal(write_all(rig, "3+1"), 7 * 110000 + 116000 + 1000000);
	rig_close(rig);
	rig = filled(LOGS "ftl=bast bast.logs=1");
	assert_int_equal(write_all(rig, "3+1"), 116000);
	assert_int_equal(write_all(rig, "8+1"), 8 * 110000 + 2 * 1000000 + 116000);
	rig_close(rig);
	rig = filled(LOGS "ftl=inorder inorder.logs=1");
	assert_int_equal(write_all(rig, "2+1"), 2 * 110000 + 116000);
	assert_int_equal(write_all(rig, "8+1"), 5 * 110000 + 1000000 + 116000);
	rig_close(rig);
}

/* A partial write: the sectors to keep are read where the merge has put them, and so after it. */
static void test_old_data_is_read_after_the_merge(void **state)
{
	struct rig *rig = filled(LOGS "ftl=bast bast.logs=1");

	(void)state;
	write_all(rig, "1+1 1+1 1+1 1+1 1+1 1+1 1+1 1+1");
	/* 12 of 16 sectors are read: 10 + 12 us. */
	assert_int_equal(rig_serve(rig, REQUEST_WRITE, 16, 20), 8 * 110000 + 2 * 1000000 + 22000 + 116000);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 1);
	rig_close(rig);
}

static void test_a_gap_takes_time(void **state)
{
	static const char *const ftls_with_gaps[] = { "inorder", "bast" };
	char settings[1024];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig *rig;

		snprintf(settings, sizeof settings, LOGS "ftl=%s %s.gap_ns=7000", ftls_with_gaps[i],
			ftls_with_gaps[i]);
		rig = filled(settings);
		assert_int_equal(write_all(rig, "0+2"), 7000 + 232000);
		assert_int_equal(write_all(rig, "2+1"), 116000);
		rig_serve(rig, REQUEST_READ, 0, 16);
		assert_int_equal(write_all(rig, "3+1"), 116000);
		assert_int_equal(write_all(rig, "8+1"), 7000 + 116000);
		rig_close(rig);
	}
}

/*
 * Loading the map of a superblock reads one sector, 10 + 1 us, once for each request and superblock.
 * Everything in the superblock waits for it: a read of 10 + 16 us, a program, the read of the 12 sectors that
 * a partial write keeps.
 */
static void test_requests_wait_for_maps_of_superblocks(void **state)
{
	struct rig *rig = filled(LOGS SUPER "superblock.blocks=2 superblock.cached_maps=1");
	const struct map_statistics *map = &rig->drive->ftl->map;

	(void)state;
	assert_int_equal(rig_serve(rig, REQUEST_READ, 0, 16), 11000 + 26000);
	assert_int_equal(rig_serve(rig, REQUEST_READ, 15 * 16, 16 * 16), 26000);
	assert_int_equal(rig_serve(rig, REQUEST_READ, 15 * 16, 17 * 16), 11000 + 2 * 26000);
	assert_int_equal(write_all(rig, "0+1"), 11000 + 116000);
	assert_int_equal(rig_serve(rig, REQUEST_WRITE, 16 * 16, 16 * 16 + 4), 11000 + 22000 + 116000);
	assert_int_equal(map->lookups, 6);
	assert_int_equal(map->hits, 2);
	assert_int_equal(map->misses, 4);
	rig_close(rig);
	rig = rig_with(LOGS SUPER);
	rig_serve(rig, REQUEST_READ, 0, 16);
	rig_serve(rig, REQUEST_READ, 0, 16);
	assert_int_equal(rig->drive->ftl->map.unwritten, 1); /* a hit, the second time */
	assert_int_equal(rig->drive->ftl->map.hits, 1);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_MAP), 0);
	rig_close(rig);
}

/* A read that must load its map (10 + 1 us) is overtaken by a read of half a page (10 + 8 us) whose map is in
 * DRAM. */
static void test_data_is_read_behind_its_map(void **state)
{
	struct rig *rig = filled(LOGS SUPER "superblock.blocks=2 superblock.cached_maps=2");
	struct drive *d = rig->drive;
	tick_t now;

	(void)state;
	rig_serve(rig, REQUEST_READ, 16 * 16, 17 * 16);
	now = schedule_now(d->flash->schedule);
	drive_submit(d, &(struct request){ .arrival = now, .sectors = 16, .line = 1 });
	drive_submit(d, &(struct request){ .arrival = now, .start = 16 * 16, .sectors = 8, .line = 2 });
	assert_true(drive_run_to_completion(d));
	assert_int_equal(d->last_completion - now, 11000 + 18000);
	drive_drain(d);
	assert_int_equal(d->last_completion - now, 11000 + 18000 + 26000);
	rig_close(rig);
}

/* Four dies, each with its own channel: pages of ascending address go to all of them. */
static void test_planes_work_side_by_side(void **state)
{
	struct rig *rig = filled(LOGS "flash.channels=4 ftl=bast bast.logs=2");

	(void)state;
	assert_int_equal(write_all(rig, "0+4"), 116000);
	assert_int_equal(write_all(rig, "4+8"), 2 * 116000);
	rig_close(rig);
	rig = filled(LOGS "flash.channels=4 ftl=bast bast.logs=2 bast.stripe=8");
	assert_int_equal(write_all(rig, "0+4"), 4 * 116000);
	assert_int_equal(write_all(rig, "4+8"), 4 * 116000 + 1000000); /* a switch */
	rig_close(rig);
}

/* ---- places ---- */

static void assert_places(const char *settings)
{
	struct rig *rig = rig_with(settings);
	const struct log_ftl *l = rig->drive->ftl->state;
	const struct geometry *g = &rig->drive->geometry;
	bool *taken = memory_array((size_t)l->lbns * g->pages_per_block, sizeof *taken, "places");

	for (lpn_t lpn = 0; lpn < g->logical_pages; lpn++) {
		struct log_place at = log_place(l, lpn);

		assert_true(at.lbn < l->lbns && at.offset < g->pages_per_block);
		assert_int_equal(log_lpn(l, at), lpn);
		assert_false(taken[at.lbn * g->pages_per_block + at.offset]);
		taken[at.lbn * g->pages_per_block + at.offset] = true;
		assert_int_equal(log_position(l, at.lbn), lpn / l->stripe % g->planes);
	}
	memory_free(taken);
	rig_close(rig);
}

static void test_every_page_has_a_place_of_its_own(void **state)
{
	(void)state;
	assert_places(LOGS "ftl=block");
	assert_places(LOGS "ftl=block flash.channels=3 block.stripe=1");
	assert_places(LOGS "ftl=block flash.channels=3 flash.planes=2 block.stripe=2");
	assert_places(LOGS "ftl=block flash.channels=3 block.stripe=8 flash.over_provisioning=0.43");
	assert_places(
		LOGS "ftl=block flash.channels=5 flash.pages=6 block.stripe=3 flash.over_provisioning=0.51");
}

/* ---- refusals ---- */

static void test_refuses_drives_that_cannot_carry_it(void **state)
{
	static const struct {
		const char *settings, *says;
	} rows[] = {
		{ LOGS "ftl=bast bast.logs=15",
			"24 of the 40 blocks of a plane hold data, which leaves 16 spare "
			"blocks; ftl = bast needs 17, two more than logs: " },
		{ LOGS "ftl=block flash.over_provisioning=0.03",
			"leaves 1 spare blocks; ftl = block needs 2: " },
		{ LOGS "ftl=fast fast.logs=1", "fast.logs = 1, but fast needs 2" },
		{ LOGS "ftl=last last.logs=4 last.sequential=4",
			"last: 4 sequential ones of 4 logs leave none to share" },
		{ LOGS "ftl=bast bast.stripe=3", "bast.stripe = 3 does not divide flash.pages = 8" },
		{ LOGS "ftl=inorder placement.order=CWD", "placement.order = \"CWD\"" },
	};
	struct settings s;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fault fault = { "" };

		fixture_settings(&s, rows[i].settings);
		assert_null(drive_create(&s, true, &fault));
		if (!strstr(fault.text, rows[i].says))
			fail_msg("\"%s\" does not say \"%s\"", fault.text, rows[i].says);
		settings_release(&s);
	}
}

/* A drive saved with another number of logs is not loaded. */
static void test_a_drive_of_other_logs_is_not_loaded(void **state)
{
	struct rig *saved = filled(LOGS "ftl=bast bast.logs=2"),
		   *other = rig_with(LOGS "ftl=bast bast.logs=3");
	char path[] = "/tmp/ssdlab-log-XXXXXX";
	struct fault fault = { "" };
	int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0 && image_save(saved->drive, path, &fault));
	assert_false(image_load(other->drive, path, &fault));
	assert_non_null(strstr(fault.text, "its bast.logs is 2, here it is 3"));
	unlink(path);
	close(file);
	rig_close(saved);
	rig_close(other);
}

/* ---- wear ---- */

/* One page written again and again wears out no block: 17 take turns. */
static void test_spare_blocks_share_the_wear(void **state)
{
	struct rig *rig = filled(LOGS "ftl=block");
	uint32_t most = 0;

	(void)state;
	for (unsigned i = 0; i < 3 * 17; i++)
		write_pages(rig, 3, 1);
	for (block_t b = 0; b < rig->drive->geometry.blocks; b++)
		if (rig->drive->flash->block[b].erases > most)
			most = rig->drive->flash->block[b].erases;
	assert_int_equal(most, 3);
	rig_close(rig);
}

/* ---- trims ---- */

/* A logical block without data is merged without a new block, and its next writes go to an empty one. */
static void test_a_trimmed_block_is_merged_into_nothing(void **state)
{
	struct rig *rig = filled(LOGS "ftl=bast bast.logs=1");

	(void)state;
	write_all(rig, "3+1");
	rig_serve(rig, REQUEST_TRIM, 0, PAGES * PAGE_SECTORS);
	write_all(rig, "8+1");
	assert_int_equal(counts(rig)->full, 1);
	assert_int_equal(counts(rig)->full_copies, 0);
	assert_int_equal(rig_cost(rig, OP_ERASE, CAUSE_MERGE), 2);
	write_all(rig, "2+1 5+1");
	assert_int_equal(rig->drive->flash->count[OP_ERASE][CAUSE_MERGE], 2);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_writes_cost),
		cmocka_unit_test(test_hot_pages_have_logs_of_their_own),
		cmocka_unit_test(test_parts_are_a_long_write),
		cmocka_unit_test(test_gaps_are_filled_where_the_order_is_strict),
		cmocka_unit_test(test_a_request_waits_for_its_merges),
		cmocka_unit_test(test_old_data_is_read_after_the_merge),
		cmocka_unit_test(test_a_gap_takes_time),
		cmocka_unit_test(test_requests_wait_for_maps_of_superblocks),
		cmocka_unit_test(test_data_is_read_behind_its_map),
		cmocka_unit_test(test_planes_work_side_by_side),
		cmocka_unit_test(test_every_page_has_a_place_of_its_own),
		cmocka_unit_test(test_refuses_drives_that_cannot_carry_it),
		cmocka_unit_test(test_a_drive_of_other_logs_is_not_loaded),
		cmocka_unit_test(test_spare_blocks_share_the_wear),
		cmocka_unit_test(test_a_trimmed_block_is_merged_into_nothing),
	};

	return cmocka_run_group_tests_name("log-block FTLs", tests, NULL, NULL);
}
