/*
 * The SLC cache: times of its blocks and the order of folding, worked by hand, and the law of the first
 * fold.
 *
 * One die of one plane, 16 blocks of 6 pages, so 2 pages of a block in SLC mode.  A command takes 300 ns on
 * the bus, a page 4,000; cells take 40,000 ns for a read, 500,000 for a program, 3,000,000 for an erase, in
 * SLC mode 25,000, 160,000 and as much.
 */
#include "ftl/store.h"
#include "tests/bed_fixture.h"

#define DRIVE                                                                                                \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.blocks=16 flash.pages=6 "            \
		    "flash.over_provisioning=0.6 flash.command_ns=300 flash.read_ns=40000 "                  \
		    "flash.program_ns=500000 flash.erase_ns=3000000 flash.copyback=false "                   \
		    "flash.forward_bytes=0 gc.threshold=0 slc.share=0.125 "
#define STATIC  DRIVE "slc.mode=static "
#define DYNAMIC DRIVE "slc.mode=dynamic "

enum {
	WRITE_SLC = 300 + 4000 + 160000,
	READ_SLC = 300 + 25000 + 4000,
	WRITE = 300 + 4000 + 500000,
	READ = 300 + 40000 + 4000,
	ERASE = 300 + 3000000,
	FOLD = READ_SLC + WRITE
};

static int state_of(const struct bed *b, block_t block)
{
	return (int)b->drive->ftl->store->space->block[block].state;
}

/* Two SLC blocks of two pages; the fifth page goes to block 0, which is never an SLC block. */
static void test_times_and_places(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC);
	for (int page = 0; page < 4; page++)
		assert_int_equal(serve(&b, b.last, REQUEST_WRITE, (sector_t)page, 1), WRITE_SLC);
	assert_int_equal(serve(&b, b.last, REQUEST_WRITE, 4, 1), WRITE);
	assert_int_equal(serve(&b, b.last, REQUEST_READ, 0, 1), READ_SLC);
	assert_int_equal(serve(&b, b.last, REQUEST_READ, 4, 1), READ);
	assert_int_equal(flash_owner(b.drive->flash, 14 * 6 + 1), 1);
	assert_int_equal(flash_owner(b.drive->flash, 15 * 6), 2);
	assert_int_equal(flash_owner(b.drive->flash, 0), 4);
	assert_int_equal(state_of(&b, 14), BLOCK_CACHED);
	assert_statistic(&b, "slc.blocks", 2);
	assert_statistic(&b, "slc.host_pages", 4);
	assert_statistic(&b, "slc.direct_pages", 1);
	assert_statistic(&b, "slc.first_direct", 4);
	assert_statistic(&b, "slc.in_use", 2);
	bed_close(&b);
}

/* Page 0 is written again while both blocks are full: it dies in the cache.  In idle time the blocks are
 * folded one after another, first that with pages 0 and 1, of which 1 is live, then that with 2 and 3. */
static void test_blocks_are_folded_in_idle_time(void **state)
{
	struct bed b;
	tick_t begin;

	(void)state;
	bed_open(&b, STATIC "slc.idle_ns=1000000 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve(&b, b.last, REQUEST_WRITE, 0, 1);
	assert_statistic(&b, "slc.died", 1);
	begin = b.last + 1000000;
	drive_run_until(b.drive, begin + FOLD + ERASE - 1);
	assert_int_equal(b.drive->flash->block[14].erases, 1);
	assert_statistic(&b, "slc.idle_folds", 1);
	assert_statistic(&b, "flash.program.fold", 1);
	drive_run_until(b.drive, begin + FOLD + ERASE);
	assert_statistic(&b, "slc.idle_folds", 2);
	assert_statistic(&b, "flash.program.fold", 3);
	assert_statistic(&b, "flash.erase.fold", 2);
	assert_statistic(&b, "slc.in_use", 0);
	drive_run_until(b.drive, begin + 10 * ERASE);
	/* two reads at once, the second one's data behind the first one's program; then the erase */
	assert_statistic(&b, "upkeep.steps", 2);
	assert_int_equal(serve(&b, b.last + 20 * ERASE, REQUEST_READ, 1, 1), READ);
	serve(&b, b.last, REQUEST_WRITE, 0, 1);
	assert_statistic(&b, "slc.in_use", 1);
	assert_statistic(&b, "slc.in_use_max", 2);
	bed_close(&b);
}

/* A folded page takes two programs; a read of it waits for both, but not for the erase. */
static void test_folding_in_two_passes(void **state)
{
	static const tick_t passes[] = { 500000, 1000000 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char settings[1000];
		struct bed b;
		tick_t begin;

		snprintf(settings, sizeof settings,
			STATIC "slc.idle_ns=1000000 slc.keep=1 slc.fold_passes=%d ", i + 1);
		bed_open(&b, settings);
		serve(&b, 0, REQUEST_WRITE, 0, 3);
		serve(&b, b.last, REQUEST_WRITE, 0, 1);
		begin = b.last + 1000000;
		/* page 1 alone is live in the first block; it is read just after its program has begun */
		assert_int_equal(serve(&b, begin + READ_SLC + 4300, REQUEST_READ, 1, 1), passes[i] + READ);
		bed_close(&b);
	}
}

/* With memory for writes a page is complete when it has room there.  A FLUSH waits for pages in SLC mode, and
 * fills up the wordline of the one that found no place there. */
static void test_a_flush_fills_up_normal_blocks(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b,
		STATIC "flash.pages=9 flash.cell_bits=3 flash.program_unit=wordline host.write_done=memory "
		       "flash.order=consecutive flash.program_ns=1400000 slc.share=0.0625 ");
	assert_int_equal(serve(&b, 0, REQUEST_WRITE, 0, 2), 0);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_FLUSH });
	drive_drain(b.drive);
	assert_int_equal(schedule_now(b.drive->flash->schedule), 2 * WRITE_SLC);
	assert_statistic(&b, "flash.program.pad", 0);
	serve(&b, 2 * WRITE_SLC, REQUEST_WRITE, 2, 2);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_FLUSH });
	drive_drain(b.drive);
	assert_int_equal(schedule_now(b.drive->flash->schedule), 3 * WRITE_SLC + 3 * 4300 + 1400000);
	assert_statistic(&b, "flash.program.pad", 2);
	assert_statistic(&b, "slc.direct_pages", 1);
	bed_close(&b);
}

/* Two folded pages lack a third one when nothing else goes on: a pad takes its place.  The open SLC block
 * gets no pad. */
static void test_a_stall_fills_up_what_was_folded(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "flash.pages=9 flash.cell_bits=3 flash.program_unit=wordline slc.idle_ns=1000000 "
			    "flash.order=consecutive flash.program_ns=1400000 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve(&b, b.last, REQUEST_TRIM, 0, 1);
	drive_run_until(b.drive, b.last + 2000000);
	drive_drain(b.drive);
	assert_statistic(&b, "flash.program.fold", 2);
	assert_statistic(&b, "flash.program.pad", 1);
	assert_statistic(&b, "slc.in_use", 1);
	bed_close(&b);
}

/* Planes of two channels are folded in one round: both are erased at the same moment. */
static void test_planes_are_folded_together(void **state)
{
	struct bed b;
	tick_t erased;

	(void)state;
	bed_open(&b, STATIC "flash.channels=2 placement.policy=round_robin slc.idle_ns=1000000 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	erased = b.last + 1000000 + 2 * FOLD + ERASE;
	assert_int_equal(serve(&b, erased - 1, REQUEST_READ, 0, 2), 1 + READ);
	assert_statistic(&b, "upkeep.steps", 2);
	assert_statistic(&b, "slc.idle_folds", 2);
	assert_statistic(&b, "flash.erase.fold", 2);
	bed_close(&b);
}

/* With a cache register the data of a page are sent while the page before it is programmed, if both are in
 * blocks of one mode: two pages in SLC mode, but not one of them and one that finds no room there. */
static void test_what_follows_in_the_same_mode(void **state)
{
	static const struct {
		const char *settings;
		tick_t second, direct;
	} cases[] = { { STATIC "host.queue_depth=9 ", 2 * WRITE_SLC, WRITE_SLC + WRITE },
		{ STATIC "flash.cache_register=both ", 4300 + 2 * 160000, WRITE_SLC + WRITE } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bed b;

		bed_open(&b, cases[i].settings);
		assert_int_equal(serve(&b, 0, REQUEST_WRITE, 0, 2), cases[i].second);
		serve(&b, b.last, REQUEST_WRITE, 2, 1);
		assert_int_equal(serve(&b, b.last, REQUEST_WRITE, 3, 2), cases[i].direct);
		assert_statistic(&b, "slc.direct_pages", 1);
		bed_close(&b);
	}
}

/* Programs by wordline, of three pages in 1,400,000 ns: pages in SLC mode are programmed one by one.  Three
 * are folded in idle time: they are read, then programmed together, once or twice, and then the block is
 * erased. */
static void test_folding_into_a_wordline(void **state)
{
	static const tick_t programs[] = { 1400000, 2800000 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char settings[1000];
		struct bed b;
		tick_t done;

		snprintf(settings, sizeof settings,
			STATIC "flash.pages=9 flash.cell_bits=3 flash.program_unit=wordline "
			       "flash.order=consecutive flash.program_ns=1400000 slc.share=0.0625 "
			       "slc.idle_ns=1000000 slc.fold_passes=%d ",
			i + 1);
		bed_open(&b, settings);
		assert_int_equal(serve(&b, 0, REQUEST_WRITE, 0, 3), 3 * WRITE_SLC);
		assert_statistic(&b, "flash.wordlines", 0);
		done = b.last + 1000000 + 3 * READ_SLC + 3 * 4300 + programs[i] + ERASE;
		assert_int_equal(serve(&b, done - 1, REQUEST_READ, 0, 1), 1 + READ);
		assert_statistic(&b, "flash.wordlines", 1);
		assert_statistic(&b, "flash.program.pad", 0);
		assert_statistic(&b, "flash.program.fold", 3);
		bed_close(&b);
	}
}

/* With `fold` the page waits until the oldest block is folded. */
static void test_a_page_waits_for_a_fold(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "slc.when_full=fold ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	assert_int_equal(serve(&b, b.last, REQUEST_WRITE, 4, 1), 2 * FOLD + ERASE + WRITE_SLC);
	assert_statistic(&b, "slc.direct_pages", 0);
	assert_statistic(&b, "slc.folded_blocks", 1);
	assert_statistic(&b, "slc.first_fold", 4);
	assert_int_equal(flash_owner(b.drive->flash, 0), 0);
	assert_int_equal(flash_owner(b.drive->flash, 1), 1);
	bed_close(&b);
}

/* A victim of idle time is begun, 1 of its 2 live pages is being moved, when a page needs a fold: the pages
 * that a fold takes are reserved for the victim, so the victim is finished first. */
static void test_a_victim_begun_is_finished_before_a_fold(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DYNAMIC "slc.when_full=fold gc.soft=0.99 upkeep.idle_ns=1000000 upkeep.step_pages=1 ");
	/* Pages 0 to 5 are folded into block 2, 6 to 9 are in the cache; 4 and 5 stay live. */
	serve(&b, 0, REQUEST_WRITE, 0, 10);
	serve(&b, b.last, REQUEST_TRIM, 0, 4);
	assert_int_equal(flash_owner(b.drive->flash, 2 * 6 + 5), 5);
	assert_statistic(&b, "slc.folded_blocks", 3);
	serve(&b, b.last + 1000000 + 1000, REQUEST_WRITE, 10, 1);
	assert_statistic(&b, "upkeep.steps", 1);
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "gc.moved_pages", 2);
	assert_int_equal(b.drive->flash->block[2].erases, 1);
	assert_statistic(&b, "slc.folded_blocks", 4);
	bed_close(&b);
}

/* Blocks with 2 and 1 live pages: greedy folds the one with 1, fifo the older one; so does greedy when both
 * have 1. */
static void test_which_block_is_folded(void **state)
{
	static const struct {
		const char *victim;
		uint32_t trimmed, first_folded;
	} cases[] = { { "fifo", 2, 0 }, { "greedy", 2, 3 }, { "greedy", 1, 0 } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		char settings[1000];
		struct bed b;

		snprintf(settings, sizeof settings, STATIC "slc.when_full=fold slc.victim=%s ",
			cases[i].victim);
		bed_open(&b, settings);
		serve(&b, 0, REQUEST_WRITE, 0, 4);
		serve(&b, b.last, REQUEST_TRIM, 2, 1);
		if (cases[i].trimmed == 1)
			serve(&b, b.last, REQUEST_TRIM, 1, 1);
		serve(&b, b.last, REQUEST_WRITE, 5, 1);
		assert_int_equal(flash_owner(b.drive->flash, 0), cases[i].first_folded);
		bed_close(&b);
	}
}

/* The plane is low with fewer than 58 free pages.  A normal block with one live page would cost less than the
 * two live pages of an SLC block, which is folded all the same. */
static void test_folding_comes_before_collecting(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DYNAMIC "gc.threshold=0.6 slc.low=4 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4 + 27);
	serve(&b, b.last, REQUEST_TRIM, 4, 5);
	assert_statistic(&b, "slc.folded_blocks", 0);
	serve(&b, b.last, REQUEST_WRITE, 31, 1);
	assert_statistic(&b, "slc.folded_blocks", 1);
	assert_statistic(&b, "gc.collections", 0);
	bed_close(&b);
}

/* Without separate streams for moved pages, a folded page goes to the block that the host writes. */
static void test_folding_among_new_data(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "gc.separate=false slc.idle_ns=1000000 ");
	serve(&b, 0, REQUEST_WRITE, 0, 5);
	drive_run_until(b.drive, b.last + 1000000 + 20 * ERASE);
	for (ppn_t ppn = 0; ppn < 5; ppn++)
		assert_int_equal(flash_owner(b.drive->flash, ppn), (ppn + 4) % 5);
	bed_close(&b);
}

/* Pages 0 to 5 were folded into block 0, 6 and 7 into block 1.  Page 5 is moved once more, but not into the
 * block of folded pages. */
static void test_what_was_folded_and_lives(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "slc.idle_ns=1000000 slc.fold_passes=2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	serve(&b, b.last + 20 * ERASE, REQUEST_WRITE, 4, 4);
	serve(&b, b.last + 20 * ERASE, REQUEST_TRIM, 0, 5);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	assert_int_equal(flash_owner(b.drive->flash, 6), 6);
	assert_int_equal(flash_owner(b.drive->flash, 2 * 6), 5);
	/* its program, which is no fold, has begun */
	assert_int_equal(serve(&b, b.last + READ + 4300, REQUEST_READ, 5, 1), 500000 + READ);
	bed_close(&b);
}

/* The third block folded finds room for one of its three pages: plane 0, which has all data, is full.  That
 * page is found where it went, and the block is folded when there is room. */
static void test_a_fold_is_cut_short(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "flash.planes=2 slc.density=2 flash.over_provisioning=0.58 slc.share=0.25 "
			    "slc.idle_ns=1000000 gc.separate=true placement.policy=static ftl=leaftl "
			    "leaftl.buffer_pages=6 ");
	/* the first twelve pages to four blocks of the cache; then page 0 dies in the first of them */
	for (sector_t page = 0; page < 60; page += 6)
		serve(&b, b.last, REQUEST_WRITE, page, 6);
	serve(&b, b.last, REQUEST_WRITE, 0, 1);
	serve(&b, b.last, REQUEST_WRITE, 60, 5);
	drive_run_until(b.drive, b.last + 40 * ERASE);
	assert_statistic(&b, "slc.folded_blocks", 2);
	assert_statistic(&b, "flash.program.fold", 2 + 3 + 1);
	assert_int_equal(serve(&b, b.last + 60 * ERASE, REQUEST_READ, 6, 1), READ);
	assert_int_equal(serve(&b, b.last, REQUEST_READ, 7, 1), READ_SLC);
	serve(&b, b.last, REQUEST_TRIM, 12, 12);
	drive_run_until(b.drive, b.last + 40 * ERASE);
	assert_statistic(&b, "slc.in_use", 0);
	bed_close(&b);
}

/* With slc.keep a block is kept; slc.erase_ns is the time of an erase. */
static void test_a_block_is_kept(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "slc.idle_ns=1000000 slc.keep=1 slc.erase_ns=700000 ");
	serve(&b, 0, REQUEST_WRITE, 0, 4);
	/* the second page is read while the first one waits to be programmed */
	assert_int_equal(serve(&b, b.last + 1000000 + 2 * FOLD + 1000, REQUEST_READ, 2, 1),
		300 + 700000 - 1000 + READ_SLC);
	drive_run_until(b.drive, b.last + 20 * ERASE);
	assert_statistic(&b, "slc.in_use", 1);
	assert_statistic(&b, "slc.in_use_max", 2);
	assert_statistic(&b, "slc.idle_folds", 1);
	bed_close(&b);
}

/* A drive at rest has folded: preconditioning goes past the cache.  The SLC blocks of a static cache are
 * no part of the pages that gc.threshold is a share of. */
static void test_preconditioning_and_threshold(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, STATIC "gc.threshold=0.1 ");
	assert_true(drive_place(b.drive, (struct extent){ 0, 4 * 4 }));
	assert_statistic(&b, "slc.in_use", 0);
	assert_int_equal(flash_owner(b.drive->flash, 3), 3);
	assert_int_equal(b.drive->ftl->store->collector->low_water, 9); /* of 14 * 6 pages, rounded up */
	bed_close(&b);
}

/* Two planes: a page in SLC mode and a normal one are not read by one command, two in SLC mode are. */
static void test_modes_do_not_join_a_command(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b,
		STATIC "flash.planes=2 placement.policy=round_robin slc.share=0.0625 flash.multiplane=any "
		       "flash.plane_command_ns=300 ");
	for (int page = 0; page < 8; page++)
		serve(&b, b.last, REQUEST_WRITE, (sector_t)page, 1);
	/* 0 to 3 are in SLC mode; odd pages lie in plane 1 */
	assert_int_equal(serve(&b, b.last, REQUEST_READ, 2, 2), 600 + 25000 + 2 * 4000);
	assert_int_equal(serve(&b, b.last, REQUEST_READ, 4, 2), 600 + 40000 + 2 * 4000);
	assert_int_equal(serve(&b, b.last, REQUEST_READ, 3, 2), READ_SLC + READ);
	bed_close(&b);
}

/* Sequential writing of an empty drive: the cache takes s pages, and normal blocks are full when
 * (blocks - reserve) x pages - (density - 1) x s pages have been written. */
static void test_the_law_of_the_first_fold(void **state)
{
	static const struct {
		const char *settings;
		double cached, first;
	} cases[] = {
		{ "flash.blocks=64 flash.pages=6 slc.low=2 slc.share=0.1", 12, 63 * 6 - 24 },
		{ "flash.blocks=64 flash.pages=6 slc.low=2 slc.share=0.25", 32, 63 * 6 - 64 },
		{ "flash.blocks=64 flash.pages=6 slc.low=2 slc.share=0.4", 50, 63 * 6 - 100 },
		{ "flash.blocks=64 flash.pages=6 slc.low=2 slc.share=0.25 slc.density=2", 48, 63 * 6 - 48 },
		{ "flash.blocks=64 flash.pages=8 slc.low=2 slc.share=0.25 slc.density=4", 32, 63 * 8 - 96 },
		{ "flash.blocks=1024 flash.pages=96 slc.low=10 slc.share=0.3", 9824, 78560 },
		{ "flash.blocks=1024 flash.pages=96 slc.low=10 slc.share=0.6", 19648, 58912 },
		/* all blocks but the ten that are kept free */
		{ "flash.blocks=1024 flash.pages=96 slc.low=10 slc.share=1", 32448, 33312 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char settings[1000];
		struct bed b;

		snprintf(settings, sizeof settings,
			DRIVE "flash.over_provisioning=0.0625 slc.mode=dynamic %s ", cases[i].settings);
		bed_open(&b, settings);
		for (lpn_t page = 0; page < b.drive->geometry.logical_pages; page += 6)
			serve(&b, b.last, REQUEST_WRITE, page, 6);
		assert_statistic(&b, "slc.first_direct", cases[i].cached);
		assert_statistic(&b, "slc.first_fold", cases[i].first);
		bed_close(&b);
	}
}

/* Every page of the host went either to the cache or to a normal block. */
static void test_pages_are_counted_once(void **state)
{
	static const char *const names[] = { "page", "dftl", "sftl", "optimal", "across", "mmap",
		"skeleton" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char settings[1000];
		struct random random;
		struct bed b;

		snprintf(settings, sizeof settings,
			DRIVE "flash.channels=2 flash.planes=2 flash.blocks=48 gc.threshold=0.1 slc.mode=%s "
			      "slc.when_full=%s slc.idle_ns=%d map.cache_bytes=1K ftl=%s ",
			i % 2 ? "static" : "dynamic", i % 3 ? "fold" : "direct", i % 2 ? 2000000 : 0,
			names[i]);
		bed_open(&b, settings);
		random_init(&random, seed_of_run(), i);
		for (int n = 0; n < 3000; n++)
			serve(&b, b.last + random_below(&random, 100) * 50000, REQUEST_WRITE,
				random_below(&random, b.drive->geometry.logical_pages), 1);
		assert_true(statistic_in(&b.drive->statistics, "slc.host_pages") +
				    statistic_in(&b.drive->statistics, "slc.direct_pages") ==
			    statistic_in(&b.drive->statistics, "flash.program.host"));
		assert_true(statistic_in(&b.drive->statistics, "slc.folded_blocks") > 20);
		bed_close(&b);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(
		DYNAMIC "flash.pages=64", "slc.density = 3 does not divide flash.pages = 64: use 63 or 66");
	assert_refused(DYNAMIC "slc.low=1", "slc.low = 1 is not more than the reserve of 1 blocks");
	assert_refused(STATIC "slc.share=1", "slc.share = 1 leaves no normal block of 16 in each plane");
	assert_refused(STATIC "slc.share=0.5",
		"leaves 1.6 spare blocks in each plane beside 0 mapping pages and 8 SLC "
		"blocks; at least 4 are needed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_and_places),
		cmocka_unit_test(test_blocks_are_folded_in_idle_time),
		cmocka_unit_test(test_folding_in_two_passes),
		cmocka_unit_test(test_folding_into_a_wordline),
		cmocka_unit_test(test_a_flush_fills_up_normal_blocks),
		cmocka_unit_test(test_a_stall_fills_up_what_was_folded),
		cmocka_unit_test(test_planes_are_folded_together),
		cmocka_unit_test(test_what_follows_in_the_same_mode),
		cmocka_unit_test(test_a_page_waits_for_a_fold),
		cmocka_unit_test(test_a_victim_begun_is_finished_before_a_fold),
		cmocka_unit_test(test_which_block_is_folded),
		cmocka_unit_test(test_folding_comes_before_collecting),
		cmocka_unit_test(test_folding_among_new_data),
		cmocka_unit_test(test_what_was_folded_and_lives),
		cmocka_unit_test(test_a_fold_is_cut_short),
		cmocka_unit_test(test_a_block_is_kept),
		cmocka_unit_test(test_preconditioning_and_threshold),
		cmocka_unit_test(test_modes_do_not_join_a_command),
		cmocka_unit_test(test_the_law_of_the_first_fold),
		cmocka_unit_test(test_pages_are_counted_once),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("SLC cache", tests, NULL, NULL);
}
