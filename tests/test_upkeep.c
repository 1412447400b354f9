/*
 * Collection ahead of need, in idle time and at a rate, and of the planes of a die together: cases worked by
 * hand, and the law of the rate.
 *
 * One die of one plane, 8 blocks of 4 pages.  A command takes 100 ns on the bus, a page 4,000; a read is
 * q = 100 + 10,000 + 4,000 ns, a program p = 100 + 4,000 + 100,000, an erase e = 100 + 1,000,000.  A page is
 * copied in q + p: its data leave the die and come back.
 */
#include "ftl/store.h"
#include "tests/bed_fixture.h"

#define DRIVE                                                                                                \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.copyback=false "                     \
		    "flash.forward_bytes=0 gc.threshold=0.05 "
#define IDLE DRIVE "upkeep.idle_ns=500000 upkeep.step_pages=1 gc.soft=0.85 "

enum { Q = 14100, P = 104100, E = 1000100, K = Q + P, IDLE_NS = 500000 };

/* Block 0 has pages 0 to 3, of which 2 and 3 are live; 26 of 32 pages are free. */
static void fill_first_block(struct bed *b)
{
	assert_int_equal(serve(b, 0, REQUEST_WRITE, 0, 4), 4 * P);
	assert_int_equal(serve(b, 4 * P, REQUEST_WRITE, 0, 2), 2 * P);
}

/* ---- idle time ---- */

static void test_two_steps_and_the_erase(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE);
	fill_first_block(&b);
	/* Page 2 moves, then page 3; the erase begins behind its program. */
	assert_int_equal(serve(&b, b.last + IDLE_NS + 2 * K + 1000, REQUEST_READ, 0, 1), E - 1000 + Q);
	assert_statistic(&b, "upkeep.steps", 2);
	assert_statistic(&b, "upkeep.idle_pages", 2);
	assert_statistic(&b, "upkeep.forced", 0);
	assert_statistic(&b, "upkeep.interrupted", 1);
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "gc.moved_pages", 2);
	assert_statistic(&b, "flash.erase.total", 1);
	bed_close(&b);
}

static void test_a_request_waits_for_one_step(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE);
	fill_first_block(&b);
	/* It arrives when the copy is being programmed. */
	assert_int_equal(serve(&b, b.last + IDLE_NS + 20000, REQUEST_READ, 0, 1), K - 20000 + Q);
	assert_statistic(&b, "upkeep.steps", 1);
	/* The next step begins as long after it; its read is in the cells when a request arrives. */
	assert_int_equal(serve(&b, b.last + IDLE_NS + 1000, REQUEST_READ, 0, 1), 2 * Q - 1000);
	assert_statistic(&b, "upkeep.steps", 2);
	assert_statistic(&b, "upkeep.interrupted", 2);
	bed_close(&b);
}

static void test_a_request_at_that_moment_is_behind_the_step(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE);
	fill_first_block(&b);
	assert_int_equal(serve(&b, b.last + IDLE_NS, REQUEST_READ, 0, 1), 2 * Q);
	assert_statistic(&b, "upkeep.interrupted", 1);
	bed_close(&b);
}

static void test_no_step_beside_a_request(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE);
	fill_first_block(&b);
	/* The five pages of the request take longer than the wait. */
	drive_run_until(b.drive, b.last + IDLE_NS - 1);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_WRITE, .start = 32, .sectors = 20 });
	drive_run_until(b.drive, b.last + 2 * IDLE_NS);
	assert_int_equal(b.drive->in_drive, 1);
	assert_statistic(&b, "upkeep.steps", 0);
	bed_close(&b);
}

static void test_a_page_dies_between_two_steps(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE);
	fill_first_block(&b);
	/* Page 3 is written when the copy of page 2 is being programmed: nothing is left but the erase. */
	assert_int_equal(serve(&b, b.last + IDLE_NS + 20000, REQUEST_WRITE, 3, 1), K - 20000 + P);
	assert_int_equal(serve(&b, b.last + IDLE_NS + 1000, REQUEST_READ, 0, 1), E - 1000 + Q);
	assert_statistic(&b, "upkeep.steps", 2);
	assert_statistic(&b, "gc.moved_pages", 1);
	assert_statistic(&b, "gc.direct_erases", 0);
	bed_close(&b);
}

/* A unit of two planes has two live pages: a step is one page of each plane, and then both blocks are
 * erased. */
static void test_a_step_of_a_unit(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE "flash.channels=2 placement.policy=superblock placement.superblock=unit ");
	serve(&b, 0, REQUEST_WRITE, 0, 8);
	serve(&b, b.last, REQUEST_WRITE, 0, 6);
	drive_run_until(b.drive, b.last + IDLE_NS);
	assert_statistic(&b, "upkeep.steps", 1);
	assert_statistic(&b, "upkeep.idle_pages", 2);
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "flash.erase.total", 2);
	bed_close(&b);
}

/* gc.soft wants 26 pages to be free, and they are. */
static void test_enough_is_free(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, IDLE "gc.soft=0.8125 ");
	fill_first_block(&b);
	assert_int_equal(serve(&b, b.last + 10 * IDLE_NS, REQUEST_READ, 0, 1), Q);
	assert_statistic(&b, "upkeep.steps", 0);
	bed_close(&b);
}

/* A forced collection finishes the victim begun, which has one more page to move. */
static void test_a_forced_collection_finishes_the_block(void **state)
{
	struct bed b;
	struct store *store;

	(void)state;
	bed_open(&b, IDLE);
	store = b.drive->ftl->store;
	fill_first_block(&b);
	drive_run_until(b.drive, b.last + IDLE_NS);
	assert_int_equal(store->space->plane[0].begun, 0);
	drive_check(b.drive);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	drive_drain(b.drive);
	assert_int_equal(store->space->plane[0].begun, BLOCK_NONE);
	assert_statistic(&b, "gc.collections", 1);
	assert_statistic(&b, "gc.moved_pages", 2);
	bed_close(&b);
}

/* Survivors go where the host writes, and the last free block is opened for them: the host may use only those
 * of its pages that the victim begun does not need. */
static void test_room_is_kept_for_the_block_begun(void **state)
{
	static const sector_t again[] = { 0, 4, 8, 12, 0, 8 };
	struct bed b;

	(void)state;
	bed_open(&b, IDLE "gc.threshold=0 gc.separate=false gc.soft=0.99 ");
	/* Six blocks of two live pages each, one of four, one that is free. */
	serve(&b, 0, REQUEST_WRITE, 0, 16);
	for (size_t i = 0; i < sizeof again / sizeof again[0]; i++)
		serve(&b, b.last, REQUEST_WRITE, again[i], 2);
	drive_run_until(b.drive, b.last + IDLE_NS);
	assert_statistic(&b, "upkeep.idle_pages", 1);
	serve(&b, b.last + IDLE_NS, REQUEST_WRITE, 15, 1);
	serve(&b, b.last, REQUEST_WRITE, 15, 1);
	assert_statistic(&b, "gc.collections", 0);
	/* One page is left of the open block, and one has to move there.  Then a second block must be
	 * collected: that of page 15, with one live page. */
	serve(&b, b.last, REQUEST_WRITE, 15, 1);
	assert_statistic(&b, "gc.collections", 2);
	assert_statistic(&b, "gc.moved_pages", 3);
	assert_statistic(&b, "upkeep.forced", 2);
	bed_close(&b);
}

/* ---- at a rate ---- */

static void test_pages_are_paid_for(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "gc.soft=0.82 gc.copies_per_write=1 ");
	fill_first_block(&b);
	/* Page 2 is read before the page is programmed, and programmed behind it. */
	assert_int_equal(serve(&b, 5000000, REQUEST_WRITE, 8, 1), Q + P);
	assert_statistic(&b, "upkeep.rate_pages", 1);
	/* Page 3 moves and the block is erased. */
	assert_int_equal(serve(&b, 10000000, REQUEST_WRITE, 9, 1), Q + P);
	assert_statistic(&b, "upkeep.rate_pages", 2);
	assert_statistic(&b, "gc.collections", 1);
	/* Block 1 is full, but all its pages are live: the credit is lost. */
	assert_int_equal(serve(&b, 15000000, REQUEST_WRITE, 10, 1), P);
	assert_statistic(&b, "upkeep.rate_pages", 2);
	/* So is that of the first of these two; then block 1 has a dead page, and one of its pages moves. */
	serve(&b, 20000000, REQUEST_WRITE, 0, 2);
	assert_statistic(&b, "upkeep.rate_pages", 3);
	bed_close(&b);
}

/* A page moves with every second write. */
static void test_half_a_page_of_credit(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "gc.soft=0.82 gc.copies_per_write=0.5 ");
	fill_first_block(&b);
	assert_int_equal(serve(&b, 5000000, REQUEST_WRITE, 8, 1), P);
	assert_int_equal(serve(&b, 10000000, REQUEST_WRITE, 9, 1), Q + P);
	assert_int_equal(serve(&b, 15000000, REQUEST_WRITE, 10, 1), P);
	assert_statistic(&b, "upkeep.rate_pages", 1);
	bed_close(&b);
}

/* ---- planes together ---- */

#define PLANES                                                                                               \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.forward_bytes=0 placement.policy=superblock "       \
		    "flash.multiplane=same_offset "

enum { PAIR_OF_PROGRAMS = 2 * 4100 + 100000, COPY = 200 + 110000, PAIR_OF_COPIES = COPY + 200 };

/* In both planes what fill_first_block() leaves in one. */
static void fill_first_blocks(struct bed *b)
{
	assert_int_equal(serve(b, 0, REQUEST_WRITE, 0, 8), 4 * PAIR_OF_PROGRAMS);
	assert_int_equal(serve(b, b->last, REQUEST_WRITE, 0, 4), 2 * PAIR_OF_PROGRAMS);
}

/* Two copies in each plane, then both blocks are erased with one command. */
static void test_copies_join(void **state)
{
	static const struct {
		const char *settings;
		tick_t copies;
	} cases[] = {
		{ "flash.multiplane_copy=true", 2 * PAIR_OF_COPIES },
		{ "flash.multiplane_copy=false", 4 * COPY },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char settings[600];
		struct bed b;

		snprintf(settings, sizeof settings,
			PLANES "gc.threshold=0.05 gc.soft=0.85 upkeep.idle_ns=500000 %s", cases[i].settings);
		bed_open(&b, settings);
		fill_first_blocks(&b);
		assert_int_equal(serve(&b, b.last + IDLE_NS + cases[i].copies + 1000, REQUEST_READ, 0, 1),
			E + 100 - 1000 + Q);
		assert_statistic(&b, "upkeep.steps", 2);
		assert_statistic(&b, "gc.collections", 2);
		bed_close(&b);
	}
}

/* The first plane is below the threshold; the second one will be after one more block. */
static void test_planes_are_collected_together(void **state)
{
	static const struct {
		const char *settings;
		int collections;
	} cases[] = {
		{ "gc.threshold=0.8 gc.together=plane", 1 },
		{ "gc.threshold=0.8 gc.together=die", 2 },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char settings[600];
		struct bed b;

		snprintf(settings, sizeof settings, PLANES "placement.policy=static %s", cases[i].settings);
		bed_open(&b, settings);
		fill_first_blocks(&b);
		serve(&b, b.last, REQUEST_WRITE, 12, 1);
		assert_statistic(&b, "gc.collections", 0);
		serve(&b, b.last, REQUEST_WRITE, 14, 1);
		assert_statistic(&b, "gc.collections", cases[i].collections);
		assert_statistic(&b, "gc.moved_pages", 2 * cases[i].collections);
		bed_close(&b);
	}
}

/* A victim is begun in both planes, one of its two pages moved: 25 pages of each are free.  The first plane
 * is low when six more are written there; the other one is not, and its block is collected with it. */
static void test_a_block_begun_is_collected_with_another_plane(void **state)
{
	struct bed b;
	int i;

	(void)state;
	bed_open(&b, PLANES "placement.policy=static gc.threshold=0.6 gc.together=die gc.soft=0.85 "
			    "upkeep.idle_ns=500000 upkeep.step_pages=1");
	fill_first_blocks(&b);
	serve(&b, b.last + IDLE_NS + 1000, REQUEST_WRITE, 12, 1);
	assert_statistic(&b, "upkeep.idle_pages", 2);
	for (i = 1; i < 6; i++)
		serve(&b, b.last, REQUEST_WRITE, 12, 1);
	assert_statistic(&b, "gc.collections", 0);
	serve(&b, b.last, REQUEST_WRITE, 12, 1);
	assert_statistic(&b, "gc.collections", 2);
	assert_statistic(&b, "gc.moved_pages", 4);
	bed_close(&b);
}

/* ---- the law ---- */

/* Forced collections among the second half of random writes of a page, one at a time. */
static double forced_at(const char *rate)
{
	char settings[600];
	struct random random;
	struct bed b;
	double forced;

	snprintf(settings, sizeof settings,
		DRIVE "flash.blocks=96 flash.pages=24 flash.over_provisioning=0.3 gc.threshold=0.06 "
		      "gc.soft=0.16 gc.copies_per_write=%s ",
		rate);
	bed_open(&b, settings);
	random_init(&random, 1, 1);
	for (sector_t page = 0; page < b.drive->geometry.logical_pages; page++)
		serve(&b, b.last, REQUEST_WRITE, page, 1);
	for (int i = 0; i < 14000; i++) {
		if (i == 7000)
			drive_count_from_here(b.drive);
		serve(&b, b.last, REQUEST_WRITE, random_below(&random, b.drive->geometry.logical_pages), 1);
	}
	forced = statistic_in(&b.drive->statistics, "upkeep.forced");
	print_message("gc.copies_per_write=%s: %g collections forced, WAF %.3f\n", rate, forced,
		statistic_in(&b.drive->statistics, "waf"));
	bed_close(&b);
	return forced;
}

/* The write amplification is 2.0 to 2.2: steady random writing needs more than a copy for each page. */
static void test_law_of_the_rate(void **state)
{
	(void)state;
	assert_true(forced_at("0.8") > 500);
	assert_true(forced_at("1.2") == 0);
	assert_true(forced_at("1.5") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_steps_and_the_erase),
		cmocka_unit_test(test_a_request_waits_for_one_step),
		cmocka_unit_test(test_a_request_at_that_moment_is_behind_the_step),
		cmocka_unit_test(test_no_step_beside_a_request),
		cmocka_unit_test(test_a_page_dies_between_two_steps),
		cmocka_unit_test(test_a_step_of_a_unit),
		cmocka_unit_test(test_enough_is_free),
		cmocka_unit_test(test_a_forced_collection_finishes_the_block),
		cmocka_unit_test(test_room_is_kept_for_the_block_begun),
		cmocka_unit_test(test_pages_are_paid_for),
		cmocka_unit_test(test_half_a_page_of_credit),
		cmocka_unit_test(test_copies_join),
		cmocka_unit_test(test_planes_are_collected_together),
		cmocka_unit_test(test_a_block_begun_is_collected_with_another_plane),
		cmocka_unit_test(test_law_of_the_rate),
	};

	return cmocka_run_group_tests_name("collection ahead of need", tests, NULL, NULL);
}
