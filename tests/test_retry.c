/*
 * Reads that are repeated, and blocks that are refreshed: cases worked by hand, laws.
 *
 * One die of 64 blocks of 96 pages of 16 KiB.  A command takes C = 300 ns on the bus, a page X = 16,384; a
 * read senses for R = 40,000; its data is decoded for ECC = 10,000 before it is read again.  Q = C + R + X.
 */
#include "tests/bed_fixture.h"

#include <math.h>

/* clang-format off */
#define DRIVE                                                                                                \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.blocks=64 flash.pages=96 "           \
	"flash.page_bytes=16384 flash.over_provisioning=0.125 flash.read_ns=40000 flash.program_ns=500000 "  \
	"flash.erase_ns=3000000 flash.command_ns=300 flash.plane_command_ns=300 flash.bus_mb_per_s=1000 "    \
	"flash.copyback=false flash.forward_bytes=0 gc.threshold=0.05 host.mode=open "
/* clang-format on */
#define ALWAYS(n) DRIVE "retry.pe=0 retry.days=0 retry.steps=" #n " "
#define CACHED    "flash.cache_register=both "

enum { C = 300, X = 16384, R = 40000, ECC = 10000, Q = C + R + X, P = 500000 };
#define T ((tick_t)1000000000)

static void filled(struct bed *b, const char *settings, uint32_t pages)
{
	bed_open(b, settings);
	serve(b, 0, REQUEST_WRITE, 0, pages);
	drive_count_from_here(b->drive);
}

static void ask(struct bed *b, tick_t after, enum request_type type, sector_t page)
{
	uint32_t sectors = b->drive->geometry.sectors_per_page;

	drive_run_until(b->drive, T + after);
	assert_true(drive_submit(b->drive,
		&(struct request){
			.arrival = T + after, .type = type, .start = page * sectors, .sectors = sectors }));
}

/* When the next request is complete. */
static tick_t done(struct bed *b)
{
	assert_true(drive_run_to_completion(b->drive));
	return b->drive->last_completion - T;
}

/* ---- time ---- */

static void test_a_read_is_repeated(void **state)
{
	static const struct {
		const char *settings;
		tick_t ns;
	} cases[] = { { ALWAYS(0), Q }, { ALWAYS(1), 2 * Q + ECC }, { ALWAYS(2), 3 * Q + 2 * ECC },
		{ ALWAYS(5), 6 * Q + 5 * ECC }, { ALWAYS(5) "retry.max=3", 4 * Q + 3 * ECC },
		{ ALWAYS(2) "retry.ecc_ns=0", 3 * Q }, { ALWAYS(1) CACHED, 2 * Q + ECC } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bed b;

		filled(&b, cases[i].settings, 1);
		assert_int_equal(serve(&b, T, REQUEST_READ, 0, 1), cases[i].ns);
		bed_close(&b);
	}
}

/* Nothing runs beside senses that fail, with or without the cache register. */
static void test_reads_of_a_die(void **state)
{
	static const struct {
		const char *settings;
		uint32_t reads;
		tick_t done[3];
	} cases[] = {
		{ ALWAYS(1), 2, { 2 * Q + ECC, 4 * Q + 2 * ECC } },
		{ ALWAYS(1) CACHED, 2, { 2 * Q + ECC + C, 4 * Q + 2 * ECC - X } },
		{ ALWAYS(1) CACHED, 3, { 123668, 230652, 337336 } },
		{ ALWAYS(2) CACHED, 2, { 190352, 363720 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bed b;

		filled(&b, cases[i].settings, 3);
		for (uint32_t page = 0; page < cases[i].reads; page++)
			ask(&b, 0, REQUEST_READ, page);
		for (uint32_t page = 0; page < cases[i].reads; page++)
			assert_int_equal(done(&b), cases[i].done[page]);
		bed_close(&b);
	}
}

/* The other die's data holds the bus when the first one asks for its second command. */
static void test_two_dies_on_a_bus(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, ALWAYS(1) "flash.dies=2 flash.blocks=32 placement.policy=round_robin", 2);
	ask(&b, 0, REQUEST_READ, 0);
	ask(&b, 0, REQUEST_READ, 1);
	assert_int_equal(done(&b), 129752);
	assert_int_equal(done(&b), 146136);
	bed_close(&b);
}

/* Reads of two planes join if they need the same number of senses. */
static void test_planes_of_a_die(void **state)
{
	struct bed b;

	(void)state;
#define PLANES                                                                                               \
	DRIVE "flash.planes=2 flash.blocks=32 flash.multiplane=any placement.policy=round_robin "            \
	      "retry.reads_per_step=1 "
	filled(&b, PLANES, 2);
	assert_int_equal(serve(&b, T - 2000000, REQUEST_READ, 0, 1), Q);
	assert_int_equal(serve(&b, T - 1000000, REQUEST_READ, 1, 1), Q);
	ask(&b, 0, REQUEST_READ, 0);
	ask(&b, 0, REQUEST_READ, 1);
	assert_int_equal(done(&b), 2 * Q + ECC); /* the second one comes when the die is at work */
	bed_close(&b);
	filled(&b, PLANES, 2);
	assert_int_equal(serve(&b, T - 2000000, REQUEST_READ, 0, 2), 2 * C + R + 2 * X);
	assert_int_equal(serve(&b, T, REQUEST_READ, 0, 2), 2 * (2 * C + R + 2 * X) + ECC);
	assert_statistic(&b, "die.multiplane_commands", 2);
	bed_close(&b);
	filled(&b, PLANES, 2);
	serve(&b, T - 2000000, REQUEST_READ, 1, 1);
	assert_int_equal(serve(&b, T, REQUEST_READ, 0, 2), Q + 2 * Q + ECC);
	assert_statistic(&b, "die.multiplane_commands", 0);
	bed_close(&b);
}

/* A copy inside the die senses again there, and needs no bus.  One over the bus reads as any other, and the
 * program of the write goes before its program. */
static void test_copies(void **state)
{
	struct bed b;

	(void)state;
	for (int inside = 0; inside < 2; inside++) {
		char settings[900];
		tick_t before = inside ? 2 * C + 3 * R + 2 * ECC + P : 3 * Q + 2 * ECC;

		snprintf(
			settings, sizeof settings, ALWAYS(2) "flash.copyback=%s ", inside ? "true" : "false");
		filled(&b, settings, 96);
		serve(&b, T, REQUEST_WRITE, 1, 95);
		drive_run_until(b.drive, 2 * T);
		drive_submit(b.drive, &(struct request){ .arrival = 2 * T, .type = REQUEST_COLLECT });
		assert_int_equal(serve(&b, 2 * T, REQUEST_WRITE, 1, 1), before + C + X + P);
		assert_statistic(&b, "retry.steps", 2);
		bed_close(&b);
	}
}

/* ---- how many ---- */

/* Three rows and columns: interpolated between them, the nearest edge beyond. */
static void test_the_table(void **state)
{
	static const struct {
		uint64_t erases;
		const char *age;
		uint32_t needed;
	} cases[] = { { 0, "0", 0 }, { 0, "10", 1 }, { 0, "9.9999", 0 }, { 1000, "0", 0 }, { 3000, "0", 3 },
		{ 500, "10", 1 }, { 1000, "100", 5 }, { 2000, "100", 8 }, { 3000, "100", 12 },
		{ 99999, "36500", 12 }, { 1500, "55", 4 }, { 2999, "99", 11 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static const struct geometry g = { .blocks = 1 };
		struct retry_settings s = { .pe = "0 1000 3000",
			.days = "0 10 100",
			.steps = "0 1 2, 0.5 2 5, 3 6 12",
			.max = 64,
			.erases = cases[i].erases,
			.age_days = strtod(cases[i].age, NULL) };
		struct fault fault;
		struct retry *r = retry_create(&s, &g, &fault);

		retry_pass_time(r, 17);
		retry_prefill(r, 0);
		assert_int_equal(retry_read(r, 0, 0, false), cases[i].needed);
		retry_free(r);
	}
}

static void test_bad_tables(void **state)
{
	static const struct {
		const char *pe, *days, *steps, *reason;
	} cases[] = {
		{ "0 5 5", "0", "1, 2, 3", "retry.pe: 5 is not more than the number before it" },
		{ "0 x", "0", "1, 2", "retry.pe: \"x\" should be a number from 0 to 100000, with blanks" },
		{ "0", "-1", "1", "retry.days: \"-1\" should be a number from 0 to 11574.1" },
		{ "0 5", "0", "1", "retry.steps has 1 rows, and retry.pe has 2 numbers" },
		{ "0", "0", "1, 2", "retry.steps has more rows than the 1 of retry.pe" },
		{ "0", "0 1", "1", "retry.steps has 1 numbers in row 1, and retry.days has 2" },
		{ "0", "0", "65", "retry.steps: \"65\" should be a number from 0 to 64" },
		{ "", "", "1", "retry.steps has more rows than the 0 of retry.pe" },
		{ "0", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "1",
			"retry.days: more than 16 numbers in a line" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static const struct geometry g = { .blocks = 1 };
		struct retry_settings s = { .pe = (char *)cases[i].pe,
			.days = (char *)cases[i].days,
			.steps = (char *)cases[i].steps,
			.max = 24 };
		struct fault fault = { "" };

		assert_null(retry_create(&s, &g, &fault));
		if (!strstr(fault.text, cases[i].reason))
			fail_msg("\"%s\" is not \"%s\"", fault.text, cases[i].reason);
	}
}

/* After every second sense of a block its reads need one more: 1, 1, 2, 3 senses, 7 in all. */
static void test_reads_disturb_their_block(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, DRIVE "retry.reads_per_step=2 ", 2);
	assert_int_equal(serve(&b, T, REQUEST_READ, 0, 1), Q);
	assert_int_equal(serve(&b, 2 * T, REQUEST_READ, 1, 1), Q);
	assert_int_equal(serve(&b, 3 * T, REQUEST_READ, 0, 1), 2 * Q + ECC);
	assert_int_equal(serve(&b, 4 * T, REQUEST_READ, 0, 1), 3 * Q + 2 * ECC);
	assert_statistic(&b, "retry.senses", 7);
	assert_statistic(&b, "retry.reads", 2);
	assert_statistic(&b, "retry.steps", 3);
	assert_statistic(&b, "retry.histogram.0", 2);
	assert_statistic(&b, "retry.histogram.2", 1);
	bed_close(&b);
}

static void test_what_worked_last_is_tried_first(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, ALWAYS(2) "retry.history=true ", 97);
	assert_int_equal(serve(&b, T, REQUEST_READ, 0, 1), 3 * Q + 2 * ECC);
	assert_int_equal(serve(&b, 2 * T, REQUEST_READ, 1, 1), Q);
	assert_int_equal(serve(&b, 3 * T, REQUEST_READ, 96, 1), 3 * Q + 2 * ECC); /* another block */
	assert_statistic(&b, "retry.history_hits", 1);
	assert_statistic(&b, "retry.reads", 2);
	assert_statistic(&b, "retry.senses", 7);
	bed_close(&b);
}

/* Block 0 is read, erased and written again: its first read begins anew, although it needs as many senses as
 * the last one before the erase. */
static void test_voltages_do_not_survive_an_erase(void **state)
{
	struct bed b;
	tick_t now = 4 * T;
	uint32_t page = 0;

	(void)state;
	filled(&b, ALWAYS(2) "retry.history=true flash.blocks=8 flash.over_provisioning=0.5 ", 96);
	assert_int_equal(serve(&b, T, REQUEST_READ, 0, 1), 3 * Q + 2 * ECC);
	assert_int_equal(serve(&b, 2 * T, REQUEST_READ, 1, 1), Q);
	serve(&b, 3 * T, REQUEST_WRITE, 0, 96);
	drive_run_until(b.drive, now);
	drive_submit(b.drive, &(struct request){ .arrival = now, .type = REQUEST_COLLECT });
	assert_int_equal(flash_next_page(b.drive->flash, 0), 0);
	for (; !flash_next_page(b.drive->flash, 0); page = (page + 1) % 96)
		serve(&b, now += T, REQUEST_WRITE, page, 1);
	page = (page + 95) % 96;
	assert_int_equal(serve(&b, now + T, REQUEST_READ, page, 1), 3 * Q + 2 * ECC);
	assert_int_equal(serve(&b, now + 2 * T, REQUEST_READ, page, 1), Q);
	assert_statistic(&b, "retry.history_hits", 2);
	assert_statistic(&b, "retry.steps", 4);
	bed_close(&b);
}

/* A page in an SLC block is read at once, and with two further senses once it is folded. */
static void test_a_page_in_the_slc_cache(void **state)
{
	enum { SHORT = 25000 };
	struct bed b;

	(void)state;
	filled(&b, ALWAYS(2) "slc.mode=static slc.share=0.03 slc.when_full=fold slc.idle_ns=0 ", 1);
	assert_int_equal(serve(&b, T, REQUEST_READ, 0, 1), C + SHORT + X);
	serve(&b, 2 * T, REQUEST_WRITE, 1, 40);
	assert_int_equal(serve(&b, 3 * T, REQUEST_READ, 0, 1), 3 * Q + 2 * ECC);
	bed_close(&b);
}

/* ---- refresh ---- */

/* Block 0 is full, with two live pages; the first read of it makes it due. */
static void two_live_pages(struct bed *b, const char *settings)
{
	bed_open(b, settings);
	serve(b, 0, REQUEST_WRITE, 0, 96);
	serve(b, T - 400000000, REQUEST_WRITE, 2, 94);
	drive_count_from_here(b->drive);
	assert_int_equal(serve(b, T, REQUEST_READ, 0, 1), Q);
}

static void test_a_block_is_refreshed_before_a_request(void **state)
{
	struct bed b;

	(void)state;
	two_live_pages(&b, DRIVE "refresh.reads=1 ");
	assert_int_equal(serve(&b, 2 * T, REQUEST_READ, 5, 1), 3 * Q);
	assert_statistic(&b, "refresh.blocks", 1);
	assert_statistic(&b, "refresh.due_reads", 1);
	assert_statistic(&b, "flash.program.refresh", 2);
	assert_statistic(&b, "flash.erase.refresh", 1);
	assert_statistic(&b, "gc.collections", 0);
	assert_int_equal(serve(&b, 3 * T, REQUEST_READ, 5, 1), Q);
	bed_close(&b);
}

/* A request that comes when the round is under way waits for both reads. */
static void test_a_block_is_refreshed_in_idle_time(void **state)
{
	struct bed b;

	(void)state;
	two_live_pages(&b, DRIVE "refresh.reads=1 upkeep.idle_ns=1000000 ");
	assert_int_equal(serve(&b, b.last + 1000000 + 1000, REQUEST_READ, 5, 1), 3 * Q - 1000);
	assert_statistic(&b, "refresh.blocks", 1);
	assert_statistic(&b, "upkeep.steps", 1);
	assert_statistic(&b, "gc.collections", 0);
	bed_close(&b);
}

/* Data that is never read is refreshed once a period: never before it is old, and soon afterwards. */
static void test_what_nobody_reads_is_refreshed(void **state)
{
	enum { BLOCKS = 20, DAYS = 40, LEAST = BLOCKS * (DAYS / 5), MOST = BLOCKS * (DAYS / 4) };
	const tick_t day = 86400000000000, hour = day / 24;
	struct bed b;
	double refreshed;

	(void)state;
	bed_open(&b, DRIVE "refresh.days=4 ");
	serve(&b, 0, REQUEST_WRITE, 0, 96 * BLOCKS);
	drive_count_from_here(b.drive);
	for (tick_t t = hour; t < DAYS * day; t += hour) {
		serve(&b, t, REQUEST_READ, 5, 1);
		for (block_t block = 0; block < b.drive->geometry.blocks; block++)
			if (flash_next_page(b.drive->flash, block) == b.drive->geometry.pages_per_block)
				assert_true(retry_age(b.drive->flash->retry, block) <=
					    (int64_t)(4 * day + (BLOCKS + 1) * hour));
	}
	/* A block takes its place in line, an hour for each one before it: 9 rounds of 4 days and less than
	 * one. */
	refreshed = statistic_in(&b.drive->statistics, "refresh.blocks");
	assert_true(refreshed <= MOST && refreshed >= LEAST);
	assert_true(statistic_in(&b.drive->statistics, "refresh.due_age") == refreshed);
	assert_statistic(&b, "flash.program.refresh", refreshed * 96);
	bed_close(&b);
}

/* A block is as old as its first page, and is not moved before it is full. */
static void test_age_counts_from_the_opening(void **state)
{
	const tick_t day = 86400000000000;
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "refresh.days=4 ");
	serve(&b, 0, REQUEST_WRITE, 0, 1);
	serve(&b, 3 * day, REQUEST_WRITE, 1, 94);
	serve(&b, 5 * day, REQUEST_READ, 0, 1);
	assert_statistic(&b, "refresh.blocks", 0);
	serve(&b, 5 * day + T, REQUEST_WRITE, 95, 1);
	serve(&b, 5 * day + 2 * T, REQUEST_READ, 0, 1);
	assert_statistic(&b, "refresh.blocks", 1);
	serve(&b, 5 * day + 3 * T, REQUEST_READ, 0, 1);
	assert_statistic(&b, "refresh.blocks", 1);
	bed_close(&b);
}

/* One block of a unit is read: the unit is due, once, and moves as a whole. */
static void test_a_unit_is_refreshed(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.planes=2 flash.blocks=32 flash.over_provisioning=0.3 "
			   "placement.policy=superblock placement.superblock=unit refresh.reads=2 ");
	serve(&b, 0, REQUEST_WRITE, 0, 2 * 96);
	drive_count_from_here(b.drive);
	serve(&b, T, REQUEST_READ, 0, 4);
	assert_statistic(&b, "refresh.blocks", 0);
	serve(&b, 2 * T, REQUEST_READ, 0, 1);
	assert_statistic(&b, "refresh.blocks", 1);
	assert_statistic(&b, "flash.program.refresh", 2 * 96);
	assert_statistic(&b, "flash.erase.refresh", 2);
	serve(&b, 3 * T, REQUEST_READ, 0, 1);
	assert_statistic(&b, "refresh.blocks", 1);
	bed_close(&b);
}

/* Refresh programs for each page read: the pages of a block over the senses that make it due. */
static void test_the_price_of_refresh(void **state)
{
	enum { SENSES = 960, READS = 96000 };
	struct bed b;
	double programs;

	(void)state;
	bed_open(&b, DRIVE "refresh.reads=960 ");
	serve(&b, 0, REQUEST_WRITE, 0, 96 * 10);
	drive_count_from_here(b.drive);
	for (uint32_t i = 0; i < READS / 96; i++)
		serve(&b, T + i * (T / 10), REQUEST_READ, i % 10 * 96, 96);
	programs = statistic_in(&b.drive->statistics, "flash.program.refresh");
	assert_true(fabs(programs / READS - 96.0 / SENSES) < 0.15 * 96.0 / SENSES);
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_read_is_repeated),
		cmocka_unit_test(test_reads_of_a_die),
		cmocka_unit_test(test_two_dies_on_a_bus),
		cmocka_unit_test(test_planes_of_a_die),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_the_table),
		cmocka_unit_test(test_bad_tables),
		cmocka_unit_test(test_reads_disturb_their_block),
		cmocka_unit_test(test_what_worked_last_is_tried_first),
		cmocka_unit_test(test_voltages_do_not_survive_an_erase),
		cmocka_unit_test(test_a_page_in_the_slc_cache),
		cmocka_unit_test(test_a_block_is_refreshed_before_a_request),
		cmocka_unit_test(test_a_block_is_refreshed_in_idle_time),
		cmocka_unit_test(test_what_nobody_reads_is_refreshed),
		cmocka_unit_test(test_age_counts_from_the_opening),
		cmocka_unit_test(test_a_unit_is_refreshed),
		cmocka_unit_test(test_the_price_of_refresh),
	};

	return cmocka_run_group_tests_name("repeated reads and refresh", tests, NULL, NULL);
}
