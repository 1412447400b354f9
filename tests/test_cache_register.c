/*
 * The cache register of a die: cases worked by hand.
 *
 * One die of 8 blocks of 6 pages of 2 KiB.  A command takes C = 100 ns on the bus, a page X = 4,000; a read
 * senses for R = 10,000, a program takes P = 100,000.  A page is loaded in A = C + X, read in Q = C + R + X.
 */
#include "tests/bed_fixture.h"

#define DRIVE                                                                                                \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.pages=6 flash.copyback=false "       \
		    "flash.forward_bytes=0 host.mode=open flash.suspend_ns=3000 flash.resume_ns=5000 "
#define BOTH     DRIVE "flash.cache_register=both "
#define WORDLINE "flash.cell_bits=3 flash.program_unit=wordline "

enum { C = 100, X = 4000, R = 10000, P = 100000, A = C + X, Q = C + R + X, S = 3000, RESUME = 5000 };

/* Requests arrive from T on; pages 0 to 5 hold data. */
enum { T = 1000000 };

static void filled(struct bed *b, const char *settings)
{
	bed_open(b, settings);
	serve(b, 0, REQUEST_WRITE, 0, 6);
	drive_count_from_here(b->drive);
}

static void ask(struct bed *b, tick_t after, enum request_type type, sector_t page, uint32_t pages)
{
	uint32_t sectors = b->drive->geometry.sectors_per_page;

	drive_run_until(b->drive, T + after);
	assert_true(drive_submit(b->drive, &(struct request){ .arrival = T + after,
						   .type = type,
						   .start = page * sectors,
						   .sectors = pages * sectors }));
}

/* Writes the first half of a page. */
static void write_half(struct bed *b, tick_t after, sector_t page)
{
	uint32_t sectors = b->drive->geometry.sectors_per_page;

	drive_run_until(b->drive, T + after);
	assert_true(drive_submit(b->drive, &(struct request){ .arrival = T + after,
						   .type = REQUEST_WRITE,
						   .start = page * sectors,
						   .sectors = sectors / 2 }));
}

/* The time, from T, at which the next request completes. */
static tick_t done(struct bed *b)
{
	assert_true(drive_run_to_completion(b->drive));
	return b->drive->last_completion - T;
}

/* ---- reads ---- */

/* The command of the next read precedes the data of the one before it, whatever the order of the bus. */
static void test_a_sense_beside_data(void **state)
{
	static const char *const orders[] = { "command_first", "fifo", "data_first" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		char settings[600];
		struct bed b;

		snprintf(settings, sizeof settings, BOTH "flash.bus_order=%s ", orders[i]);
		filled(&b, settings);
		for (sector_t page = 0; page < 3; page++)
			ask(&b, 0, REQUEST_READ, page, 1);
		assert_int_equal(done(&b), 2 * C + R + X);
		assert_int_equal(done(&b), 2 * (C + R) + C + X);
		assert_int_equal(done(&b), 3 * (C + R) + X);
		assert_statistic(&b, "die.cache_reads", 2);
		bed_close(&b);
	}
}

/* A sense takes less time than the transfer of the previous data, and waits for its end. */
static void test_data_waits_in_the_cells(void **state)
{
	enum { SHORT = 1000 };
	struct bed b;

	(void)state;
	filled(&b, BOTH "flash.read_ns=1000 ");
	for (sector_t page = 0; page < 3; page++)
		ask(&b, 0, REQUEST_READ, page, 1);
	assert_int_equal(done(&b), 2 * C + SHORT + X);
	assert_int_equal(done(&b), 3 * C + SHORT + 2 * X);
	assert_int_equal(done(&b), 3 * C + SHORT + 3 * X);
	bed_close(&b);
}

/*
 * Two dies share a bus.  A read of die 0 ends; with it a program becomes ready at die 1, while another waits
 * at die 0.  The die that the event has woken requests the bus first, with and without a register.
 */
static void test_the_woken_die_goes_first(void **state)
{
	enum { HALF = X / 2 };
	static const char *const registers[] = { "off", "read", "program", "both" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		char settings[600];
		struct bed b;

		snprintf(settings, sizeof settings,
			DRIVE "flash.dies=2 placement.policy=round_robin flash.cache_register=%s ",
			registers[i]);
		bed_open(&b, settings);
		ask(&b, 0, REQUEST_WRITE, 0, 1);
		assert_int_equal(done(&b), A + P);
		/* half of page 0: the other half is read in die 0, the page is programmed in die 1 */
		write_half(&b, A + P, 0);
		/* for die 0, half of a page without data: half a transfer */
		write_half(&b, A + P + 500, 1);
		assert_int_equal(done(&b), A + P + C + R + HALF + A + P);
		assert_int_equal(done(&b), A + P + C + R + HALF + A + C + HALF + P);
		bed_close(&b);
	}
}

/* A program is not loaded while the data of a read is transferred. */
static void test_a_program_waits_for_the_register(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH);
	ask(&b, 0, REQUEST_READ, 0, 1);
	ask(&b, C + R + 500, REQUEST_WRITE, 0, 1);
	assert_int_equal(done(&b), Q);
	assert_int_equal(done(&b), Q + A + P);
	bed_close(&b);
}

static void test_each_alone(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, DRIVE "flash.cache_register=read ");
	ask(&b, 0, REQUEST_WRITE, 0, 2);
	assert_int_equal(done(&b), 2 * (A + P));
	bed_close(&b);
	filled(&b, DRIVE "flash.cache_register=program ");
	ask(&b, 0, REQUEST_READ, 0, 1);
	ask(&b, 0, REQUEST_READ, 1, 1);
	assert_int_equal(done(&b), Q);
	assert_int_equal(done(&b), 2 * Q);
	bed_close(&b);
}

/* In order of arrival: the read behind the program does not pass it. */
static void test_first_come_first_served(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH "flash.scheduler=fifo ");
	ask(&b, 0, REQUEST_READ, 0, 1);
	ask(&b, 0, REQUEST_READ, 1, 1);
	ask(&b, 0, REQUEST_WRITE, 0, 1);
	ask(&b, 0, REQUEST_READ, 2, 1);
	assert_int_equal(done(&b), 2 * C + R + X);
	assert_int_equal(done(&b), 2 * (C + R) + X);
	assert_int_equal(done(&b), 2 * (C + R) + X + A + P);
	assert_int_equal(done(&b), 2 * (C + R) + X + A + P + Q);
	assert_statistic(&b, "die.cache_reads", 1);
	bed_close(&b);
}

/* ---- programs ---- */

static void test_programs_follow_each_other(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH);
	ask(&b, 0, REQUEST_WRITE, 0, 4);
	assert_int_equal(done(&b), A + 4 * P);
	assert_statistic(&b, "die.cache_programs", 3);
	bed_close(&b);
}

/* Loading takes longer than a program. */
static void test_the_cells_wait_for_data(void **state)
{
	enum { SHORT = 1000 };
	struct bed b;

	(void)state;
	filled(&b, BOTH "flash.program_ns=1000 ");
	ask(&b, 0, REQUEST_WRITE, 0, 3);
	assert_int_equal(done(&b), 3 * A + SHORT);
	assert_statistic(&b, "die.cache_programs", 2);
	bed_close(&b);
}

static void test_a_read_behind_what_is_loaded(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH);
	ask(&b, 0, REQUEST_WRITE, 0, 2);
	ask(&b, 50000, REQUEST_READ, 3, 1);
	assert_int_equal(done(&b), A + 2 * P);
	assert_int_equal(done(&b), A + 2 * P + Q);
	bed_close(&b);
}

/* The read arrives before the second program can be loaded, and goes before it. */
static void test_nothing_is_loaded_while_a_read_waits(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH);
	ask(&b, 0, REQUEST_WRITE, 0, 2);
	ask(&b, 0, REQUEST_READ, 3, 1);
	assert_int_equal(done(&b), A + P + Q);
	assert_int_equal(done(&b), A + P + Q + A + P);
	assert_statistic(&b, "die.cache_programs", 0);
	bed_close(&b);
}

/* The read suspends not the running program but the loaded one, as soon as its cells begin. */
static void test_suspension_with_a_program_loaded(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH "flash.suspend=program_and_erase ");
	ask(&b, 0, REQUEST_WRITE, 0, 2);
	ask(&b, 50000, REQUEST_READ, 3, 1);
	assert_int_equal(done(&b), A + P + S + Q);
	assert_int_equal(done(&b), A + P + S + Q + P + RESUME);
	bed_close(&b);
}

/* The cells program a page of the host, and a pad that finishes its zone is loaded meanwhile.  A FLUSH waits
 * for the page, until A + P, although not for the pad, which ends later. */
static void test_a_flush_with_a_program_loaded(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, BOTH "ftl=zns precondition.premap=none ");
	ask(&b, 0, REQUEST_WRITE, 0, 1);
	drive_run_until(b.drive, T + A + 10000);
	drive_submit(b.drive,
		&(struct request){
			.arrival = T + A + 10000, .type = REQUEST_ZONE, .hint = ZONE_COMMAND_FINISH });
	ask(&b, A + 50000, REQUEST_FLUSH, 0, 0);
	assert_statistic(&b, "die.cache_programs", 1);
	assert_int_equal(done(&b), A + P); /* of both */
	assert_int_equal(b.drive->in_drive, 0);
	assert_statistic(&b, "request.write.latency_max_ns", A + P);
	assert_statistic(&b, "request.flush.latency_max_ns", P - 50000);
	drive_drain(b.drive);
	assert_statistic(&b, "flash.program.pad", 5);
	bed_close(&b);
}

/* Two reads overlap while the program is suspended; it resumes when the data of both has left. */
static void test_reads_in_a_suspension(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH "flash.suspend=program_and_erase ");
	ask(&b, 0, REQUEST_WRITE, 0, 1);
	ask(&b, 50000, REQUEST_READ, 3, 1);
	ask(&b, 50000, REQUEST_READ, 4, 1);
	assert_int_equal(done(&b), 50000 + S + 2 * C + R + X);
	assert_int_equal(done(&b), 50000 + S + 2 * (C + R) + X);
	assert_int_equal(done(&b), A + P + S + 2 * (C + R) + X + RESUME);
	bed_close(&b);
}

/* ---- with other features ---- */

static void test_wordlines(void **state)
{
	struct bed b;

	(void)state;
	filled(&b, BOTH WORDLINE);
	ask(&b, 0, REQUEST_WRITE, 0, 6);
	assert_int_equal(done(&b), 3 * A + 2 * P);
	assert_statistic(&b, "die.cache_programs", 1);
	bed_close(&b);
}

/* A block is one wordline: its second pass is loaded while its first one programs, and the next block behind
 * that. */
static void test_two_passes_of_one_wordline(void **state)
{
	enum { F = 40000, N = 60000 };
	struct bed b;

	(void)state;
	filled(&b,
		BOTH WORDLINE "flash.pages=3 flash.blocks=16 flash.passes=2 flash.program_ns=[40000,60000] ");
	ask(&b, 0, REQUEST_WRITE, 0, 6);
	assert_int_equal(done(&b), 3 * A + 2 * F + 2 * N);
	assert_statistic(&b, "die.cache_programs", 3);
	bed_close(&b);
}

/* A program is loaded during another only if both are of the same mode. */
static void test_modes_of_blocks(void **state)
{
	enum { SLC = 30000 };
#define SLC_DRIVE                                                                                            \
	DRIVE "flash.blocks=32 slc.mode=static slc.density=3 slc.share=0.04 slc.read_ns=5000 "               \
	      "slc.program_ns=30000 "
	struct bed b;

	(void)state;
	bed_open(&b, SLC_DRIVE);
	assert_int_equal(serve(&b, T, REQUEST_WRITE, 0, 2), 2 * (A + SLC));
	bed_close(&b);
	bed_open(&b, SLC_DRIVE "flash.cache_register=both ");
	assert_int_equal(serve(&b, T, REQUEST_WRITE, 0, 2), A + 2 * SLC);
	/* The SLC cache is full. */
	assert_int_equal(serve(&b, 2 * T, REQUEST_WRITE, 2, 2), A + 2 * P);
	bed_close(&b);
	bed_open(&b, SLC_DRIVE "flash.cache_register=both ");
	serve(&b, T, REQUEST_WRITE, 0, 1);
	assert_int_equal(serve(&b, 2 * T, REQUEST_WRITE, 1, 2), 2 * A + SLC + P);
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sense_beside_data),
		cmocka_unit_test(test_data_waits_in_the_cells),
		cmocka_unit_test(test_the_woken_die_goes_first),
		cmocka_unit_test(test_a_program_waits_for_the_register),
		cmocka_unit_test(test_each_alone),
		cmocka_unit_test(test_first_come_first_served),
		cmocka_unit_test(test_programs_follow_each_other),
		cmocka_unit_test(test_the_cells_wait_for_data),
		cmocka_unit_test(test_a_read_behind_what_is_loaded),
		cmocka_unit_test(test_nothing_is_loaded_while_a_read_waits),
		cmocka_unit_test(test_suspension_with_a_program_loaded),
		cmocka_unit_test(test_a_flush_with_a_program_loaded),
		cmocka_unit_test(test_reads_in_a_suspension),
		cmocka_unit_test(test_wordlines),
		cmocka_unit_test(test_two_passes_of_one_wordline),
		cmocka_unit_test(test_modes_of_blocks),
	};

	return cmocka_run_group_tests_name("the cache register", tests, NULL, NULL);
}
