/* LeaFTL: cases worked by hand on a filled drive of one plane (demand_fixture.h: blocks of 64 pages). */
#include "ftl/demand/learned.h"
#include "tests/demand_fixture.h"

#define LEAFTL FILLED "gc.separate=true ftl=leaftl "

static ppn_t place_of(const struct rig *rig, lpn_t lpn)
{
	return page_map_get(page_map_of(rig->drive->ftl), lpn).ppn;
}

/* Pages read for their spare area by the last request. */
static unsigned searched(const struct rig *rig)
{
	return rig_cost(rig, OP_READ, CAUSE_SEARCH);
}

/* ---- the table ---- */

/* A filled group is one segment; 64 pages written in order add one, and the rest stays one. */
static void test_runs_are_segments(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=64");

	(void)state;
	assert_int_equal(statistic(rig, "leaftl.segments"), 224);
	assert_int_equal(statistic(rig, "leaftl.table_bytes"), 224 * 12);
	for (lpn_t lpn = 0; lpn < 64; lpn++)
		writing(rig, lpn);
	assert_int_equal(statistic(rig, "leaftl.flushes"), 1);
	assert_int_equal(statistic(rig, "leaftl.segments"), 225);
	assert_int_equal(statistic(rig, "leaftl.levels_max"), 1);
	/* Every seventh page from 1000 on, in three groups: one segment in each, above the old ones. */
	for (lpn_t i = 0; i < 64; i++)
		writing(rig, 1000 + 7 * i);
	assert_int_equal(statistic(rig, "leaftl.segments"), 228);
	assert_int_equal(statistic(rig, "leaftl.levels_max"), 2);
	rig_close(rig);
}

/* ---- the buffer ---- */

static void test_pages_wait_and_are_sorted(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=3");
	ppn_t before = place_of(rig, 5);

	(void)state;
	writing(rig, 900);
	writing(rig, 5);
	writing(rig, 5); /* already in the buffer: takes no room */
	reading(rig, 5);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 0);
	assert_int_equal(place_of(rig, 5), before);
	assert_entry(rig, 5, "waits in DRAM to be written");
	assert_int_equal(statistic(rig, "leaftl.buffer_hits"), 2);
	assert_int_equal(statistic(rig, "map.lookup"), 0);
	writing(rig, 3);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 3);
	assert_int_equal(place_of(rig, 5), place_of(rig, 3) + 1);
	assert_int_equal(place_of(rig, 900), place_of(rig, 3) + 2);
	assert_int_equal(statistic(rig, "map.lookup"), 3); /* of the old copies */
	/* Groups 0 and 3 are looked up for the first time, but a flush does not make its request a miss. */
	assert_int_equal(statistic(rig, "map.miss"), 2);
	assert_int_equal(statistic(rig, "map.request_hits"), statistic(rig, "map.requests"));
	rig_close(rig);
}

/* A write of one sector: the other three are read when the page enters the buffer.  A sector trimmed in the
 * buffer is not written. */
static void test_a_part_enters_with_the_rest(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=2");

	(void)state;
	rig_serve(rig, REQUEST_WRITE, 7 * 4 + 1, 7 * 4 + 2);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 1);
	assert_int_equal(statistic(rig, "map.lookup"), 1);
	rig_serve(rig, REQUEST_TRIM, 7 * 4, 7 * 4 + 1);
	writing(rig, 8);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 2);
	assert_entry(rig, 7, "sectors 1-3");
	/* A page trimmed as a whole leaves the buffer. */
	writing(rig, 20);
	on_page(rig, REQUEST_TRIM, 20);
	writing(rig, 21);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 0);
	reading(rig, 7);
	rig_close(rig);
}

/* A FLUSH, and a write with FUA, programs the whole buffer, sorted by LPN. */
static void test_a_flush_empties_the_buffer(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=8 host.write_done=memory");
	struct drive *d = rig->drive;

	(void)state;
	writing(rig, 9);
	writing(rig, 4);
	drive_submit(d, &(struct request){ .type = REQUEST_FLUSH });
	drive_drain(d);
	assert_int_equal(d->flash->count[OP_PROGRAM][CAUSE_HOST], 2);
	assert_int_equal(place_of(rig, 9), place_of(rig, 4) + 1);
	writing(rig, 6);
	drive_submit(d, &(struct request){
				.type = REQUEST_WRITE, .start = 2 * 4, .sectors = 4, .flags = REQUEST_FUA });
	drive_drain(d);
	assert_int_equal(d->flash->count[OP_PROGRAM][CAUSE_HOST], 4);
	assert_int_equal(place_of(rig, 6), place_of(rig, 2) + 1);
	assert_int_equal(statistic(rig, "leaftl.flushes"), 2);
	rig_close(rig);
}

/* A buffer of one page sorts nothing: until the first collection every page is where page mapping with an
 * unlimited cache has it. */
static void test_a_buffer_of_one_page_is_page_mapping(void **state)
{
	struct rig *one = filled(LEAFTL, "flash.blocks=64 leaftl.buffer_pages=1 leaftl.demand=false"),
		   *optimal = filled(FILLED, "flash.blocks=64 gc.separate=true ftl=optimal");
	uint32_t pages = one->drive->geometry.logical_pages;
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 1);
	for (unsigned i = 0; i < 150; i++) {
		sector_t from = random_below(&random, pages * 4 - 12),
			 end = from + 1 + random_below(&random, 12);
		enum request_type type = random_below(&random, 3) ? REQUEST_WRITE : REQUEST_READ;

		rig_serve(one, type, from, end);
		rig_serve(optimal, type, from, end);
	}
	assert_int_equal(statistic(one, "gc.collections"), 0);
	for (lpn_t lpn = 0; lpn < pages; lpn++)
		assert_int_equal(place_of(one, lpn), place_of(optimal, lpn));
	assert_memory_equal(
		one->drive->flash->count, optimal->drive->flash->count, sizeof one->drive->flash->count);
	rig_close(one);
	rig_close(optimal);
}

/* ---- mispredictions ---- */

/* With gamma 1 pages 8 to 31 of these are one segment, which mispredicts 10, 12 and 14 by one
 * (test_segments.c). */
static const lpn_t scattered[] = { 0, 1, 2, 3, 8, 10, 12, 14, 20, 23, 25, 30, 31, 40, 41 };

static void write_scattered(struct rig *rig)
{
	for (size_t i = 0; i < 15; i++)
		writing(rig, scattered[i]);
}

static void test_a_miss_costs_a_read(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=15 leaftl.gamma=1");

	(void)state;
	write_scattered(rig);
	assert_int_equal(statistic(rig, "leaftl.oob_reads"), 0);
	reading(rig, 20);
	assert_int_equal(searched(rig), 0);
	reading(rig, 10);
	assert_int_equal(searched(rig), 1);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 1);
	rig_serve(rig, REQUEST_WRITE, 12 * 4, 12 * 4 + 1);
	assert_int_equal(searched(rig), 1);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 1);
	assert_int_equal(statistic(rig, "leaftl.mispredicted"), 2);
	assert_int_equal(statistic(rig, "leaftl.mispredict_reads"), 2);
	assert_int_equal(statistic(rig, "leaftl.approximate_look_ups"), 3);
	/* To find the old copies of nine approximate pages, three of them mispredicted. */
	write_scattered(rig);
	assert_int_equal(statistic(rig, "leaftl.oob_reads"), 12);
	assert_int_equal(statistic(rig, "leaftl.mispredicted"), 5);
	assert_int_equal(statistic(rig, "leaftl.other_block"), 0);
	rig_close(rig);
}

/* 315 pages are 4 blocks and 59 pages: page 10 becomes the first page of a block.  With gamma 4 it is
 * mispredicted by two, as are 12 and 14. */
static void test_a_miss_into_another_block(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=15 leaftl.gamma=4 leaftl.demand=false");

	(void)state;
	for (lpn_t lpn = 5000; lpn < 5315; lpn++)
		writing(rig, lpn);
	write_scattered(rig);
	assert_int_equal(place_of(rig, 10) % 64, 0);
	reading(rig, 10); /* the predicted page, then the first of the block, which is it */
	assert_int_equal(searched(rig), 1);
	assert_int_equal(statistic(rig, "leaftl.other_block"), 1);
	reading(rig, 12); /* the second */
	assert_int_equal(searched(rig), 2);
	assert_int_equal(statistic(rig, "leaftl.other_block"), 2);
	reading(rig, 14); /* the third: the first is predicted */
	assert_int_equal(searched(rig), 1);
	assert_int_equal(statistic(rig, "leaftl.other_block"), 2);
	assert_int_equal(statistic(rig, "leaftl.mispredict_reads"), 4);
	rig_close(rig);
}

/* The mispredicted page is read first, and the read of the right page waits for it. */
static void test_a_miss_takes_time(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=15 leaftl.gamma=1 leaftl.demand=false "
					 "flash.forward_bytes=0 flash.read_ns=10000 flash.command_ns=0 "
					 "flash.bus_mb_per_s=512 dram.access_ns=0");

	(void)state;
	write_scattered(rig);
	assert_int_equal(reading(rig, 20), 10000 + 4000);
	assert_int_equal(reading(rig, 10), 10000 + 1000 + 10000 + 4000);
	rig_close(rig);
}

/* ---- what is in DRAM ---- */

/* DRAM holds two groups of one segment, 12 bytes each. */
static void test_groups_leave_in_the_order_of_use(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=1 map.cache_bytes=24");

	(void)state;
	reading(rig, 0);
	reading(rig, 256);
	reading(rig, 1);
	assert_map(rig, 2, 0);
	reading(rig, 512);
	assert_map(rig, 3, 0);
	assert_entry(rig, 0, "group 0 in DRAM");
	assert_entry(rig, 256, "group 1 not in DRAM");
	assert_int_equal(statistic(rig, "map.evictions"), 1);
	/* {0} and {1-255} take 20 bytes: group 2 is evicted for them. */
	writing(rig, 0);
	assert_map(rig, 3, 0);
	assert_entry(rig, 512, "group 2 not in DRAM");
	assert_entry(rig, 0, "group 0 in DRAM, changed");
	/* Group 0 is evicted dirty: it is written, and need not be read for that. */
	reading(rig, 256);
	assert_map(rig, 4, 1);
	assert_int_equal(statistic(rig, "map.writebacks"), 1);
	assert_int_equal(statistic(rig, "map.evictions"), 3);
	rig_close(rig);
}

/* A group may be larger than the whole budget. */
static void test_one_group_always_fits(void **state)
{
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=1 map.cache_bytes=1");

	(void)state;
	reading(rig, 0);
	reading(rig, 1);
	assert_map(rig, 1, 0);
	reading(rig, 256);
	assert_map(rig, 2, 0);
	rig_close(rig);
}

/* The beginning of LeaFTL's state. */
struct own {
	struct demand demand;
	struct learned groups;
};

/*
 * Group 0 has {0-1}, {5-6}, {4, 7}, an older {5-6}, hidden by the newer one, and {2-255}: 44 bytes.  With
 * group 1 it exceeds the budget; compacted to 36 bytes, it stays.
 */
static void test_a_compacted_group_may_stay(void **state)
{
	static const lpn_t pages[] = { 0, 1, 5, 6, 4, 7, 5, 6 };
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=2 map.cache_bytes=48");
	const struct learned *groups = &((const struct own *)rig->drive->ftl->state)->groups;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		writing(rig, pages[i]);
	assert_int_equal(groups->group[0].bytes, 44);
	reading(rig, 256);
	assert_map(rig, 2, 0);
	assert_int_equal(groups->group[0].bytes, 36);
	assert_entry(rig, 0, "group 0 in DRAM, changed");
	assert_entry(rig, 256, "group 1 in DRAM");
	reading(rig, 512);
	assert_map(rig, 3, 1);
	assert_entry(rig, 0, "group 0 not in DRAM");
	rig_close(rig);
}

/* All groups are compacted after every 8 pages written. */
static void test_compaction_after_so_many_pages(void **state)
{
	static const lpn_t pages[] = { 0, 1, 5, 6, 4, 7, 5, 6 };
	struct rig *rig = filled(LEAFTL, "leaftl.buffer_pages=2 leaftl.compact_every=8");

	(void)state;
	for (size_t i = 0; i < 6; i++)
		writing(rig, pages[i]);
	assert_int_equal(statistic(rig, "leaftl.compactions"), 0);
	for (size_t i = 6; i < 8; i++)
		writing(rig, pages[i]);
	assert_int_equal(statistic(rig, "leaftl.compactions"), 1);
	assert_int_equal(statistic(rig, "leaftl.group_bytes_max"), 36);
	rig_close(rig);
}

/* ---- collection ---- */

/*
 * The first block holds LPNs 601, 0, 600, 1 and four dead pages.  Its pages move in the order of their LPNs;
 * group 0, already in DRAM, learns them there; group 2 is read, changed and written.
 */
static void test_a_collection_sorts_and_learns(void **state)
{
	static const lpn_t first[] = { 601, 0, 600, 1, 2, 3, 4, 5 };
	struct rig *rig = filled(SMALL, "gc.separate=true ftl=leaftl leaftl.buffer_pages=1");
	const struct collector *c = rig->drive->ftl->store->collector;
	const struct flash *f = rig->drive->flash;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		drive_place(rig->drive, (struct extent){ first[i] * 4, first[i] * 4 + 4 });
	stat_list_start(&rig->drive->statistics);
	for (lpn_t lpn = 2; lpn < 6; lpn++)
		writing(rig, lpn);
	for (lpn_t lpn = 1024; !c->count.collections; lpn++)
		writing(rig, lpn % 1536);
	assert_int_equal(c->count.moved_pages, 4);
	assert_int_equal(place_of(rig, 1), place_of(rig, 0) + 1);
	assert_int_equal(place_of(rig, 600), place_of(rig, 0) + 2);
	assert_int_equal(place_of(rig, 601), place_of(rig, 0) + 3);
	assert_entry(rig, 0, "LPN 0 to 1 are a segment of level 0, accurate; group 0 in DRAM, changed");
	assert_entry(rig, 601, "LPN 600 to 601 are a segment of level 0, accurate; group 2 not in DRAM");
	assert_int_equal(statistic(rig, "map.gc_lazy"), 2);
	assert_int_equal(statistic(rig, "map.gc_updates"), 2);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_GC_UPDATE], 1);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_are_segments),
		cmocka_unit_test(test_pages_wait_and_are_sorted),
		cmocka_unit_test(test_a_part_enters_with_the_rest),
		cmocka_unit_test(test_a_flush_empties_the_buffer),
		cmocka_unit_test(test_a_buffer_of_one_page_is_page_mapping),
		cmocka_unit_test(test_a_miss_costs_a_read),
		cmocka_unit_test(test_a_miss_into_another_block),
		cmocka_unit_test(test_a_miss_takes_time),
		cmocka_unit_test(test_groups_leave_in_the_order_of_use),
		cmocka_unit_test(test_one_group_always_fits),
		cmocka_unit_test(test_a_compacted_group_may_stay),
		cmocka_unit_test(test_compaction_after_so_many_pages),
		cmocka_unit_test(test_a_collection_sorts_and_learns),
	};

	return cmocka_run_group_tests_name("leaftl", tests, NULL, NULL);
}
