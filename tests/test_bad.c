/*
 * Bad blocks: cases worked by hand; and a plane with bad blocks must give the same counts as a smaller one.
 *
 * One plane of 16 blocks of 4 pages of 4 sectors, unless said otherwise.
 */
#include "ftl/store.h"
#include "tests/bed_fixture.h"

#define ONE_PLANE PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 gc.threshold=0 flash.blocks=16 "
#define UNITS                                                                                                \
	PAPER_DRIVE                                                                                          \
	"flash.dies=1 flash.planes=1 gc.threshold=0 flash.blocks=16 placement.policy=superblock "            \
	"placement.superblock=unit "

static int owner_at(const struct bed *b, block_t block, uint32_t page)
{
	return (int)flash_owner(b->drive->flash, geometry_first_page(&b->drive->geometry, block) + page);
}

static void test_bad_blocks_are_passed_over(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, ONE_PLANE "bad.list=2,0,2 ");
	assert_int_equal(b.drive->ftl->store->space->plane[0].free_pages, 14 * 4);
	serve(&b, 0, REQUEST_WRITE, 0, 12);
	for (int page = 0; page < 4; page++) {
		assert_int_equal(owner_at(&b, 1, (uint32_t)page), page);
		assert_int_equal(owner_at(&b, 3, (uint32_t)page), 4 + page);
		assert_int_equal(owner_at(&b, 4, (uint32_t)page), 8 + page);
	}
	assert_statistic(&b, "bad.blocks", 2);
	assert_statistic(&b, "wear.retired_blocks", 0);
	ftl_check(b.drive->ftl);
	bed_close(&b);
}

/* The threshold is a share of all pages of the plane: 0.2 of 64 are 13.  With 44 pages of the 14 good blocks
 * written, the next write finds 12 free. */
static void test_the_threshold_counts_bad_blocks(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, ONE_PLANE "bad.list=2,0 gc.threshold=0.2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 22);
	serve(&b, b.last, REQUEST_WRITE, 0, 22);
	assert_statistic(&b, "gc.collections", 0);
	serve(&b, b.last, REQUEST_WRITE, 0, 1);
	assert_statistic(&b, "gc.collections", 1);
	bed_close(&b);
}

static void serve_both(struct bed *a, struct bed *b, int requests)
{
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (int i = 0; i < requests; i++) {
		sector_t page = random_below(&random, a->drive->geometry.logical_pages);

		serve(a, a->last, REQUEST_WRITE, page, 1);
		serve(b, b->last, REQUEST_WRITE, page, 1);
	}
}

static void assert_same_counts(struct bed *a, struct bed *b, const char *what)
{
	static const char *const counts[] = { "flash.program.total", "flash.read.total", "flash.erase.total",
		"gc.collections", "gc.moved_pages", "gc.direct_erases", "wear.max" };

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (statistic_in(&a->drive->statistics, counts[i]) !=
			statistic_in(&b->drive->statistics, counts[i]))
			fail_msg("%s: %s differs", what, counts[i]);
	assert_true(statistic_in(&a->drive->statistics, "gc.collections") > 300);
	ftl_check(a->drive->ftl);
}

/* Wherever the bad blocks are: 24 blocks of which 4 are bad give the counts of 20 blocks. */
static void test_a_plane_with_bad_blocks_is_a_smaller_one(void **state)
{
	static const char *const with[] = { "gc.policy=greedy", "gc.policy=fifo wear.dynamic=false",
		"gc.policy=cost_benefit wear.lowest=true", "gc.policy=d_choices wear.delta=2",
		"ftl=dftl map.cache_bytes=1K", "ftl=mrsm flash.page_bytes=8192" };

	(void)state;
	for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
		char settings[1000];
		struct bed bad, small;

		snprintf(settings, sizeof settings,
			ONE_PLANE
			"flash.blocks=24 flash.over_provisioning=0.5 gc.low=3 bad.list=0,7,8,23 %s ",
			with[i]);
		bed_open(&bad, settings);
		snprintf(settings, sizeof settings,
			ONE_PLANE "flash.blocks=20 flash.over_provisioning=0.4 gc.low=3 %s ", with[i]);
		bed_open(&small, settings);
		serve_both(&bad, &small, 3000);
		assert_same_counts(&bad, &small, with[i]);
		bed_close(&bad);
		bed_close(&small);
	}
}

/* ---- units ---- */

/* Of 24 units of two planes, 20 are left; wear decides which one is opened next. */
static void test_a_drive_with_fewer_units_is_a_smaller_one(void **state)
{
	static const struct {
		const char *bad, *with;
	} cases[] = { { "bad.list=0,7,8,23", "ftl=page" },
		{ "bad.remap=false bad.list=0,7,32,47", "ftl=page" },
		{ "bad.list=0,7,8,23", "ftl=mrsm flash.page_bytes=8192" },
		{ "bad.list=0,7,8,23", "ftl=sftl map.cache_bytes=1K" } };
	char settings[1000];
	struct bed large, small;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(settings, sizeof settings,
			UNITS "flash.blocks=24 flash.over_provisioning=0.5 gc.low=3 %s %s ", cases[i].bad,
			cases[i].with);
		bed_open(&large, settings);
		snprintf(settings, sizeof settings,
			UNITS "flash.blocks=20 flash.over_provisioning=0.4 gc.low=3 %s ", cases[i].with);
		bed_open(&small, settings);
		serve_both(&large, &small, 4000);
		assert_same_counts(&large, &small, cases[i].with);
		bed_close(&large);
		bed_close(&small);
	}
}

/* Two channels.  Blocks 1 and 4 of the first plane and block 2 of the second (18) are bad: unit 1 consists of
 * blocks 2 and 17.  Without remapping, and with block 4 good, blocks 3 and 19 follow unit 0. */
static void test_units_of_good_blocks(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, UNITS "bad.list=1,4,18 ");
	assert_int_equal(b.drive->ftl->store->space->geometry->blocks, 14);
	serve(&b, 0, REQUEST_WRITE, 0, 10);
	assert_int_equal(owner_at(&b, 0, 3), 6);
	assert_int_equal(owner_at(&b, 2, 0), 8);
	assert_int_equal(owner_at(&b, 17, 0), 9);
	ftl_check(b.drive->ftl);
	bed_close(&b);

	bed_open(&b, UNITS "bad.list=1,18 bad.remap=false ");
	assert_int_equal(b.drive->ftl->store->space->geometry->blocks, 14);
	serve(&b, 0, REQUEST_WRITE, 0, 10);
	assert_int_equal(owner_at(&b, 3, 0), 8);
	assert_int_equal(owner_at(&b, 19, 0), 9);
	ftl_check(b.drive->ftl);
	bed_close(&b);
}

/* 14 units are left of 16; 0.2 of their 112 pages are 23.  With 90 pages written, the next write finds 22
 * free. */
static void test_the_threshold_counts_units_that_are_left(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, UNITS "bad.list=1,18 bad.remap=false gc.threshold=0.2 ");
	for (int i = 0; i < 5; i++)
		serve(&b, b.last, REQUEST_WRITE, 0, 18);
	assert_statistic(&b, "gc.collections", 0);
	serve(&b, b.last, REQUEST_WRITE, 0, 1);
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "flash.erase.total", 2);
	bed_close(&b);
}

/* ---- SLC blocks ---- */

/* The last two good blocks, 13 and 14, are SLC blocks of two pages. */
static void test_the_pool_has_good_blocks(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, ONE_PLANE "slc.mode=static slc.density=2 slc.share=0.125 bad.list=0,15 ");
	serve(&b, 0, REQUEST_WRITE, 0, 6);
	assert_int_equal(owner_at(&b, 13, 0), 0);
	assert_int_equal(owner_at(&b, 14, 1), 3);
	assert_int_equal(owner_at(&b, 1, 0), 4);
	ftl_check(b.drive->ftl);
	bed_close(&b);
}

/* ---- drawn ---- */

static uint64_t drawn(const char *settings, uint64_t *sum)
{
	struct bed b;
	uint64_t count = 0;

	bed_open(&b, settings);
	*sum = 0;
	for (block_t block = 0; block < b.drive->geometry.blocks; block++)
		if (bad_block(b.drive->ftl->store->bad, block)) {
			count++;
			*sum = *sum * 31 + block;
		}
	assert_statistic(&b, "bad.blocks", (double)count);
	bed_close(&b);
	return count;
}

/* Of 4096 blocks a tenth is bad, within five standard deviations (19); another seed draws others. */
static void test_a_share_is_drawn_with_the_seed(void **state)
{
	uint64_t sum, same, other, listed;
	uint64_t count = drawn(PAPER_DRIVE "flash.blocks=512 bad.share=0.1", &sum);

	(void)state;
	assert_in_range(count, 410 - 96, 410 + 96);
	assert_int_equal(drawn(PAPER_DRIVE "flash.blocks=512 bad.share=0.1", &same), count);
	drawn(PAPER_DRIVE "seed=2 flash.blocks=512 bad.share=0.1", &other);
	assert_true(sum == same && sum != other);
	assert_in_range(drawn(PAPER_DRIVE "flash.blocks=512 bad.share=0.1 bad.list=0,1,2,3,4,5,6,7", &listed),
		count + 1, count + 8);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(ONE_PLANE "bad.list=3,x", "bad.list: \"x\" is no number of a block, such as \"3 17\"");
	assert_refused(ONE_PLANE "bad.list=3-5", "bad.list: \"3-5\" is no number of a block");
	assert_refused(ONE_PLANE "bad.list=16", "bad.list: block 16 of a drive of 16, the last is 15");
	assert_refused(ONE_PLANE "bad.list=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
		"bad.list, bad.share: all 16 blocks of a plane are bad");
	/* 8 spare blocks, 6 bad; 3 are needed: a reserve, an open block and a victim. */
	assert_refused(ONE_PLANE "bad.list=0,1,2,3,4,5",
		"leaves 2.0 spare blocks in each plane beside 0 mapping pages and 6 bad ones; at least 3 are "
		"needed");
	assert_refused(UNITS "bad.remap=false bad.list=0,1,2,3,4,5,6,7,24,25,26,27,28,29,30,31",
		"bad.remap = false: every unit of 2 blocks has a bad one; use true");
	assert_refused(ONE_PLANE "slc.mode=static slc.share=0.8 slc.density=2 bad.list=0,1,2,3",
		"slc.share = 0.8 leaves no normal block of 12 in each plane; use less");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_blocks_are_passed_over),
		cmocka_unit_test(test_the_threshold_counts_bad_blocks),
		cmocka_unit_test(test_a_plane_with_bad_blocks_is_a_smaller_one),
		cmocka_unit_test(test_a_drive_with_fewer_units_is_a_smaller_one),
		cmocka_unit_test(test_units_of_good_blocks),
		cmocka_unit_test(test_the_threshold_counts_units_that_are_left),
		cmocka_unit_test(test_the_pool_has_good_blocks),
		cmocka_unit_test(test_a_share_is_drawn_with_the_seed),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("bad blocks", tests, NULL, NULL);
}
