/*
 * Programs by wordline: cases worked by hand.
 *
 * One die of 8 blocks of 6 pages of 2 KiB, three pages a wordline.  A command takes 100 ns on the bus, a page
 * 4,000; a wordline is loaded in L = 3 x 4,100 ns and programmed in W = 300,000, or in two passes of F and N.
 * A read is Q = 100 + 10,000 + 4,000 ns.
 */
#include "ftl/fill_up.h"
#include "tests/bed_fixture.h"

#define DRIVE                                                                                                \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.pages=6 flash.copyback=false "       \
		    "flash.cell_bits=3 flash.program_unit=wordline flash.program_ns=300000 "                 \
		    "flash.forward_bytes=0 host.mode=open "
#define TWO_PASSES DRIVE "flash.passes=2 flash.program_ns=[90000,250000] "

enum { L = 3 * 4100, W = 300000, F = 90000, N = 250000, Q = 14100 };

static void request(struct bed *b, tick_t arrival, enum request_type type, sector_t page, uint32_t pages)
{
	uint32_t sectors = b->drive->geometry.sectors_per_page;

	drive_run_until(b->drive, arrival);
	assert_true(drive_submit(b->drive, &(struct request){ .arrival = arrival,
						   .type = type,
						   .start = page * sectors,
						   .sectors = pages * sectors }));
}

/* Completes all requests in the drive, as a run does while another request waits for a slot.  Returns the
 * time of the last completion. */
static tick_t served(struct bed *b)
{
	while (b->drive->in_drive && drive_run_to_completion(b->drive))
		;
	assert_int_equal(b->drive->in_drive, 0);
	return b->drive->last_completion;
}

/* ---- one pass ---- */

static void test_three_pages_are_one_command(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	request(&b, 0, REQUEST_WRITE, 0, 3);
	assert_int_equal(served(&b), L + W);
	assert_statistic(&b, "flash.wordlines", 1);
	assert_statistic(&b, "flash.program.pad", 0);
	assert_statistic(&b, "flash.wordline_stalls", 0);
	bed_close(&b);
}

/* Both planes cross the bus, then their cells work together: the number of the wordline is the same. */
static void test_wordlines_of_two_planes_join(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.planes=2 flash.multiplane=same_offset placement.policy=superblock ");
	request(&b, 0, REQUEST_WRITE, 0, 6);
	assert_int_equal(served(&b), 2 * L + W);
	assert_statistic(&b, "die.multiplane_commands", 1);
	bed_close(&b);
}

/* The first page waits for 50,000 ns, whatever arrives meanwhile; then the wordline is filled up. */
static void test_the_wait_begins_with_the_first_page(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.wordline_wait_ns=50000 ");
	request(&b, 0, REQUEST_WRITE, 0, 1);
	request(&b, 40000, REQUEST_WRITE, 1, 1);
	assert_int_equal(served(&b), 50000 + L + W);
	assert_statistic(&b, "flash.program.pad", 1);
	assert_statistic(&b, "flash.wordline_pads", 1);
	/* A wordline that is complete waits for nothing. */
	request(&b, 1000000, REQUEST_WRITE, 0, 3);
	assert_int_equal(served(&b), 1000000 + L + W);
	assert_statistic(&b, "flash.program.pad", 1);
	assert_statistic(&b, "flash.wordline_stalls", 0);
	bed_close(&b);
}

/* The wordline is filled up when nothing else can go on, and so at the end of a run. */
static void test_a_stall_fills_up(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	request(&b, 0, REQUEST_WRITE, 0, 1);
	drive_run_until(b.drive, 5000);
	assert_int_equal(b.drive->in_drive, 1);
	assert_int_equal(served(&b), 5000 + L + W);
	request(&b, 400000, REQUEST_WRITE, 1, 2);
	drive_run_until(b.drive, 500000);
	drive_drain(b.drive);
	assert_int_equal(b.drive->last_completion, 500000 + L + W);
	assert_statistic(&b, "flash.wordline_stalls", 2);
	assert_statistic(&b, "flash.program.pad", 3);
	assert_statistic(&b, "flash.wordlines", 2);
	bed_close(&b);
}

/* All wordlines at once: none waits for another one to be programmed. */
static void test_a_stall_fills_up_every_plane(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.channels=2 ");
	request(&b, 0, REQUEST_WRITE, 0, 2);
	assert_int_equal(served(&b), L + W);
	assert_statistic(&b, "flash.wordlines", 2);
	assert_statistic(&b, "flash.wordline_stalls", 1);
	bed_close(&b);
}

/* Pages that wait for their wordline are read in the controller's memory, at once. */
static void test_what_waits_is_read_in_memory(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	request(&b, 0, REQUEST_WRITE, 0, 1);
	request(&b, 1000, REQUEST_READ, 0, 1);
	drive_run_until(b.drive, 1001);
	assert_int_equal(b.drive->in_drive, 1);
	request(&b, 2000, REQUEST_WRITE, 1, 2);
	request(&b, 3000, REQUEST_READ, 0, 1);
	assert_int_equal(served(&b), 2000 + L + W);
	assert_statistic(&b, "flash.read.forwarded", 2);
	assert_statistic(&b, "flash.read.forwarded.wordline", 1);
	bed_close(&b);
}

/* Half a page, then the other half: the second program keeps what the first one of its wordline wrote. */
static void test_old_data_in_the_same_wordline(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_WRITE, .start = 0, .sectors = 2 });
	drive_submit(b.drive, &(struct request){ .type = REQUEST_WRITE, .start = 2, .sectors = 2 });
	drive_submit(b.drive, &(struct request){ .type = REQUEST_WRITE, .start = 4, .sectors = 4 });
	assert_int_equal(served(&b), 3 * 100 + (2 + 4 + 4) * 1000 + W);
	assert_statistic(&b, "flash.program.pad", 0);
	bed_close(&b);
}

/* The cells stop for the read, 20,000 ns each way, and go on. */
static void test_a_read_suspends_a_wordline(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.suspend=program_and_erase precondition.mode=fill ");
	assert_true(drive_place(b.drive, (struct extent){ 0, 4 * 12 }));
	request(&b, 0, REQUEST_WRITE, 0, 3);
	request(&b, 100000, REQUEST_READ, 8, 1);
	assert_true(drive_run_to_completion(b.drive));
	assert_int_equal(schedule_now(b.drive->flash->schedule), 100000 + 20000 + Q);
	assert_int_equal(served(&b), L + W + 20000 + Q + 20000);
	bed_close(&b);
}

/* ---- two passes ---- */

/* First pass, first pass of the next wordline, second pass: a block ends with that of its last wordline. */
static void test_two_passes(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, TWO_PASSES);
	request(&b, 0, REQUEST_WRITE, 0, 3);
	drive_run_until(b.drive, 200000);
	assert_int_equal(b.drive->in_drive, 1);
	request(&b, 200000, REQUEST_WRITE, 3, 3);
	assert_true(drive_run_to_completion(b.drive));
	assert_int_equal(schedule_now(b.drive->flash->schedule), 200000 + 2 * L + F + N);
	assert_int_equal(served(&b), 200000 + 3 * L + F + 2 * N);
	assert_statistic(&b, "flash.wordlines", 2);
	assert_statistic(&b, "flash.transferred_bytes", 12 * 2048);
	bed_close(&b);
}

/* A page takes two pads and, for its second pass, a next wordline of pads alone, which has one pass only. */
static void test_two_passes_are_filled_up(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, TWO_PASSES);
	request(&b, 0, REQUEST_WRITE, 0, 1);
	assert_int_equal(served(&b), 3 * L + 2 * F + N);
	assert_statistic(&b, "flash.program.pad", 5);
	/* The next block begins like the first one: wait, then five pads again. */
	request(&b, 1000000, REQUEST_WRITE, 1, 1);
	assert_int_equal(served(&b), 1000000 + 3 * L + 2 * F + N);
	assert_statistic(&b, "flash.wordlines", 4);
	bed_close(&b);
}

/* A complete wordline whose second pass is kept back waits, too. */
static void test_the_wait_of_a_second_pass(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, TWO_PASSES "flash.wordline_wait_ns=500000 ");
	request(&b, 0, REQUEST_WRITE, 0, 3);
	assert_int_equal(served(&b), 500000 + 2 * L + F + N);
	assert_statistic(&b, "flash.program.pad", 3);
	bed_close(&b);
}

/* A wordline counts as load with both passes, from its first page until it is programmed; so do pads. */
static void test_the_load_of_two_passes(void **state)
{
	struct bed b;
	const struct schedule *s;

	(void)state;
	bed_open(&b, TWO_PASSES "flash.wordline_wait_ns=1000 ");
	s = b.drive->flash->schedule;
	request(&b, 0, REQUEST_WRITE, 0, 1);
	assert_int_equal(schedule_load(s, 0), F + N);
	drive_run_until(b.drive, 1000 + L);
	assert_int_equal(schedule_load(s, 0), 2 * (F + N));
	drive_run_until(b.drive, 1000 + 2 * L + 2 * F);
	assert_int_equal(schedule_load(s, 0), F + N);
	assert_int_equal(served(&b), 1000 + 3 * L + 2 * F + N);
	assert_int_equal(schedule_load(s, 0), 0);
	bed_close(&b);
}

/* ---- questions ---- */

/* A wordline that lacks pages holds up a request, or any data of the host. */
static void test_what_is_held_up(void **state)
{
	struct bed b;
	struct schedule *s;
	struct io io;

	(void)state;
	bed_open(&b, DRIVE);
	s = b.drive->flash->schedule;
	request(&b, 0, REQUEST_WRITE, 0, 4);
	assert_int_equal(schedule_lacks(s, 0), 2);
	assert_int_equal(schedule_lacks(s, 1), 0);
	assert_true(schedule_holds_up(s, 0, INDEX_NONE));
	assert_true(schedule_holds_up(s, 0, b.drive->io.ticket));
	assert_false(schedule_holds_up(s, 0, b.drive->io.ticket + 1));
	schedule_begin_for_nobody(s, &io);
	fill_up_for(b.drive->ftl->store, &io, b.drive->io.ticket + 1);
	assert_int_equal(schedule_lacks(s, 0), 2);
	fill_up_for(b.drive->ftl->store, &io, b.drive->io.ticket);
	schedule_submit(s, &io, 0);
	assert_int_equal(schedule_lacks(s, 0), 0);
	assert_false(schedule_holds_up(s, 0, INDEX_NONE));
	assert_int_equal(served(&b), 2 * (L + W));
	assert_statistic(&b, "flash.wordline_stalls", 0);
	bed_close(&b);
}

/* With two passes the first wordline is held up until the second one has all pages. */
static void test_a_second_pass_is_held_up(void **state)
{
	struct bed b;
	struct schedule *s;
	uint32_t first;

	(void)state;
	bed_open(&b, TWO_PASSES "flash.pages=9 ");
	s = b.drive->flash->schedule;
	request(&b, 0, REQUEST_WRITE, 0, 3);
	first = b.drive->io.ticket;
	assert_int_equal(schedule_lacks(s, 0), 3);
	request(&b, 0, REQUEST_WRITE, 3, 1);
	assert_int_equal(schedule_lacks(s, 0), 2 + 3);
	assert_true(schedule_holds_up(s, 0, first));
	request(&b, 0, REQUEST_WRITE, 4, 2);
	assert_false(schedule_holds_up(s, 0, first));
	assert_true(schedule_holds_up(s, 0, b.drive->io.ticket));
	assert_int_equal(schedule_lacks(s, 0), 3);
	schedule_check(s);
	bed_close(&b);
}

/* Untimed, pages are programmed one by one; the first request begins a new wordline. */
static void test_preparation_ends_with_whole_wordlines(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE);
	assert_true(drive_place(b.drive, (struct extent){ 0, 4 * 4 }));
	assert_int_equal(flash_next_page(b.drive->flash, 0), 4);
	assert_int_equal(schedule_lacks(b.drive->flash->schedule, 0), 2);
	fill_up_untimed(b.drive->ftl->store);
	assert_int_equal(flash_next_page(b.drive->flash, 0), 6);
	assert_int_equal(b.drive->flash->untimed[OP_PROGRAM], 6);
	request(&b, 0, REQUEST_WRITE, 0, 3);
	assert_int_equal(served(&b), L + W);
	bed_close(&b);
}

/* A wordline of the survivors is not filled up by a wait, but by a stall. */
static void test_survivors_wait_for_each_other(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "flash.wordline_wait_ns=1000 ");
	request(&b, 0, REQUEST_WRITE, 0, 6);
	request(&b, 1000000, REQUEST_WRITE, 0, 3);
	request(&b, 2000000, REQUEST_WRITE, 3, 2);
	assert_int_equal(b.drive->in_drive, 1);
	drive_run_until(b.drive, 3000000);
	assert_statistic(&b, "flash.program.pad", 1);
	drive_submit(b.drive, &(struct request){ .type = REQUEST_COLLECT });
	drive_run_until(b.drive, 9000000);
	assert_statistic(&b, "gc.moved_pages", 1);
	assert_statistic(&b, "flash.erase.total", 1);
	assert_statistic(&b, "flash.program.pad", 1);
	drive_drain(b.drive);
	assert_statistic(&b, "flash.program.pad", 3);
	bed_close(&b);
}

/* ---- work in idle time ---- */

/* With steps of one page, a round is over although its program waits for its wordline.  The third round
 * completes the wordline. */
static void test_rounds_leave_programs_that_wait(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DRIVE "gc.soft=0.9 upkeep.idle_ns=500000 upkeep.step_pages=1 flash.program_ns=300000 ");
	request(&b, 0, REQUEST_WRITE, 0, 6);
	assert_int_equal(served(&b), 2 * (L + W));
	request(&b, 1000000, REQUEST_WRITE, 0, 3);
	assert_int_equal(served(&b), 1000000 + L + W);
	/* Three steps of a read each, one after the other; the erase with the third. */
	drive_run_until(b.drive, b.drive->last_completion + 500000 + 3 * Q - 1);
	assert_statistic(&b, "upkeep.steps", 3);
	assert_statistic(&b, "gc.collections", 1);
	drive_run_until(b.drive, 9000000);
	assert_statistic(&b, "flash.program.gc", 3);
	assert_statistic(&b, "flash.program.pad", 0);
	bed_close(&b);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
	static const struct {
		const char *settings, *message;
	} cases[] = {
		{ "flash.cell_bits=4",
			"flash.pages = 6 is no multiple of flash.cell_bits = 4; a block is made of whole "
			"wordlines" },
		{ "flash.program_ns=[1,2,3]",
			"flash.program_unit = wordline: flash.program_ns is a list of 3 times; give "
			"one of a whole wordline" },
		{ "flash.passes=2",
			"flash.program_unit = wordline: flash.program_ns is a list of 1 times; give two, of "
			"the "
			"first and the second pass" },
		{ "flash.passes=2 flash.program_unit=page",
			"flash.passes = 2 needs flash.program_unit = wordline" },
		{ "flash.copyback=true",
			"flash.program_unit = wordline does not go with flash.copyback = true; a page "
			"cannot be moved on the chip alone" },
		{ "flash.order=ascending", "flash.program_unit = wordline needs flash.order = consecutive" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char settings[1000];
		struct settings s;
		struct fault fault = { "" };

		snprintf(settings, sizeof settings, DRIVE "%s", cases[i].settings);
		fixture_settings(&s, settings);
		assert_null(drive_create(&s, false, &fault));
		assert_string_equal(fault.text, cases[i].message);
		settings_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_pages_are_one_command),
		cmocka_unit_test(test_wordlines_of_two_planes_join),
		cmocka_unit_test(test_the_wait_begins_with_the_first_page),
		cmocka_unit_test(test_a_stall_fills_up),
		cmocka_unit_test(test_a_stall_fills_up_every_plane),
		cmocka_unit_test(test_what_waits_is_read_in_memory),
		cmocka_unit_test(test_old_data_in_the_same_wordline),
		cmocka_unit_test(test_a_read_suspends_a_wordline),
		cmocka_unit_test(test_two_passes),
		cmocka_unit_test(test_two_passes_are_filled_up),
		cmocka_unit_test(test_the_wait_of_a_second_pass),
		cmocka_unit_test(test_the_load_of_two_passes),
		cmocka_unit_test(test_what_is_held_up),
		cmocka_unit_test(test_a_second_pass_is_held_up),
		cmocka_unit_test(test_preparation_ends_with_whole_wordlines),
		cmocka_unit_test(test_survivors_wait_for_each_other),
		cmocka_unit_test(test_rounds_leave_programs_that_wait),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("programs by wordline", tests, NULL, NULL);
}
