/*
 * Time, worked out by hand.  Every case writes out its sum and is tested on both sides: not done a
 * nanosecond earlier, done at the moment.  The drive is that of drive_fixture.h:
 *
 *	command 100, sector on the bus 1000 (a page of 4: 4000), sense 10000, program 100000, erase 1000000
 *
 *	one page read        100 + 10000 + 4000  =  14100
 *	one page written     100 + 4000 + 100000 = 104100
 *	one page copied back 200 + 10000 + 100000 = 110200
 *	one block erased     100 + 1000000       = 1000100
 */
#include "tests/drive_fixture.h"

enum { READ = 14100, WRITE = 104100, COPY = 110200, ERASE = 1000100 };

/* With the judge and without it the times are the same. */
#define BENCHES 2u
static struct bench *(*const open_bench[BENCHES])(const char *) = { bench_open, bench_open_unjudged };

static void assert_done_at(struct bench *b, op_t op, tick_t when)
{
	struct schedule *s = b->flash->schedule;

	assert_true(op != OP_NONE);
	assert_true(schedule_now(s) < when);
	schedule_run_until(s, when - 1);
	assert_false(schedule_done(s, op));
	schedule_run_until(s, when);
	assert_true(schedule_done(s, op));
}

static void close_idle(struct bench *b)
{
	schedule_drain(b->flash->schedule);
	for (die_t die = 0; die < b->geometry.dies; die++)
		assert_int_equal(schedule_load(b->flash->schedule, die), 0);
	bench_close(b);
}

/* ---- operations that start without dependencies ---- */

struct timed_op {
	enum { NO_OP, READS, PROGRAMS, ERASES } does;
	uint32_t die, plane, block, page;
	tick_t at, done;
	uint32_t old; /* pages of the block programmed before the run; for READS the page, too */
};

#define OPS_MOST 4u

/* On PAPER_DRIVE with these settings each operation is submitted at `at` and done at `done`, to the ns. */
struct timed_case {
	const char *name, *settings;
	struct timed_op op[OPS_MOST];
	uint64_t multiplane_commands, suspensions;
};

#define TLC       " flash.program_ns=[100000,200000,300000]"
#define SUSPEND   "flash.suspend=program_and_erase flash.suspend_ns=0 flash.resume_ns=5000"
#define SUSPEND_E "flash.suspend=erase flash.suspend_ns=0 flash.resume_ns=5000"

enum { TWO_PLANES = 2 * (100 + 4000) }; /* both commands and both pages cross the bus */

/* clang-format off */
static const struct timed_case timed_cases[] = {
	{ "one_page_read", "", { { READS, 0, 0, 0, 0, 0, 100 + 10000 + 4 * 1000 } } },
	{ "one_page_written", "", { { PROGRAMS, 0, 0, 0, 0, 0, 100 + 4 * 1000 + 100000 } } },
	{ "one_block_erased", "", { { ERASES, 0, 0, 0, 0, 0, 100 + 1000000 } } },

	/* The die is busy until its data is out. */
	{ "two_reads_on_one_die", "",
		{ { READS, 0, 0, 0, 0, 0, READ },
			{ READS, 0, 1, 0, 0, 0, READ + READ } } },
	/* Second die: command 100..200, sense 200..10200, the bus is taken until 14100, data 14100..18100. */
	{ "two_reads_on_two_dies_of_a_channel", "",
		{ { READS, 0, 0, 0, 0, 0, READ }, { READS, 1, 0, 0, 0, 0, READ + 4000 } } },
	{ "two_reads_on_two_channels", "",
		{ { READS, 0, 0, 0, 0, 0, READ },
			{ READS, 2, 0, 0, 0, 0, READ } } },
	{ "two_writes_on_one_die", "",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 0, 1, 0, 0, 0, WRITE + WRITE } } },
	/* Second die: the bus is free at 4100, command and data until 8200, cells until 108200. */
	{ "two_writes_on_two_dies_of_a_channel", "",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE },
			{ PROGRAMS, 1, 0, 0, 0, 0, 2 * (100 + 4000) + 100000 } } },
	{ "two_writes_on_two_channels", "",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 3, 0, 0, 0, 0, WRITE } } },

	/* The dies of a chip share one control unit: the second program begins when the first is done. */
	{ "dies_of_a_chip_without_interleaving", "flash.interleave=false",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 1, 0, 0, 0, 0, WRITE + WRITE },
			{ PROGRAMS, 2, 0, 0, 0, 0, WRITE } } },
	/* Reads could overlap in the cells: the second starts when the first's data is out. */
	{ "reads_of_a_chip_without_interleaving", "flash.interleave=false",
		{ { READS, 0, 0, 0, 0, 0, READ }, { READS, 1, 0, 0, 0, 0, READ + READ } } },
	/* Two chips of one channel share only the bus, interleaved dies or not. */
	{ "chips_always_overlap", "flash.channels=1 flash.chips=2 flash.interleave=false",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 2, 0, 0, 0, 0, 100 + 4000 + WRITE } } },
	/* A read's command waits for the data of a write to another die: 4100 + 100 + 10000 + 4000. */
	{ "bus_is_shared_by_reads_and_writes", "",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { READS, 1, 0, 0, 0, 0, 4100 + READ } } },
	/* Four dies on one channel.  One erases (command 0..100), the others write one after another:
	 * 100..4200, 4200..8300, 8300..12400, each 100000 in the cells. */
	{ "bus_is_granted_in_order_of_requests", "flash.channels=1 flash.chips=2",
		{ { ERASES, 3, 0, 0, 0, 0, ERASE }, { PROGRAMS, 2, 0, 0, 0, 0, 100 + 4100 + 100000 },
			{ PROGRAMS, 0, 0, 0, 0, 0, 100 + 2 * 4100 + 100000 },
			{ PROGRAMS, 1, 0, 0, 0, 0, 100 + 3 * 4100 + 100000 } } },

	/* Multi-plane commands.  Die 0 is busy with an operation; two wait for it, one in each plane. */
	{ "multiplane_off", "",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 0, 0, 1, 0, 0, WRITE + WRITE },
			{ PROGRAMS, 0, 1, 0, 0, 0, WRITE + WRITE + WRITE } } },
	/* The cells of the planes work together. */
	{ "multiplane_program_at_the_same_offset", "flash.multiplane=same_offset",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE },
			{ PROGRAMS, 0, 0, 1, 0, 0, WRITE + TWO_PLANES + 100000 },
			{ PROGRAMS, 0, 1, 0, 0, 0, WRITE + TWO_PLANES + 100000 } },
		.multiplane_commands = 1 },
	{ "multiplane_program_at_another_offset_is_refused", "flash.multiplane=same_offset",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 0, 0, 1, 1, 0, WRITE + WRITE, .old = 1 },
			{ PROGRAMS, 0, 1, 0, 0, 0, WRITE + WRITE + WRITE } } },
	{ "multiplane_program_at_any_offset", "flash.multiplane=any",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE },
			{ PROGRAMS, 0, 0, 1, 1, 0, WRITE + TWO_PLANES + 100000, .old = 1 },
			{ PROGRAMS, 0, 1, 0, 0, 0, WRITE + TWO_PLANES + 100000 } },
		.multiplane_commands = 1 },
	/* The slower of two page types decides, 300000 for page 2 of its block, first or last in the
	 * command. */
	{ "multiplane_command_takes_the_longest_cell_time", "flash.multiplane=any" TLC,
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE },
			{ PROGRAMS, 0, 0, 1, 2, 0, WRITE + TWO_PLANES + 300000, .old = 2 },
			{ PROGRAMS, 0, 1, 0, 0, 0, WRITE + TWO_PLANES + 300000 } },
		.multiplane_commands = 1 },
	{ "the_longest_cell_time_may_come_last", "flash.multiplane=any" TLC,
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE },
			{ PROGRAMS, 0, 0, 1, 0, 0, WRITE + TWO_PLANES + 300000 },
			{ PROGRAMS, 0, 1, 0, 2, 0, WRITE + TWO_PLANES + 300000, .old = 2 } },
		.multiplane_commands = 1 },
	/* Two of the waiting writes are in one plane: they cannot share a command. */
	{ "multiplane_needs_different_planes", "flash.multiplane=any",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 0, 1, 0, 0, 0, 2 * WRITE },
			{ PROGRAMS, 0, 1, 0, 1, 0, 3 * WRITE } } },
	/* 200 for two commands, both planes sense together, both pages cross the bus. */
	{ "multiplane_read", "flash.multiplane=same_offset",
		{ { READS, 0, 0, 0, 0, 0, READ }, { READS, 0, 0, 1, 0, 0, READ + 2 * 100 + 10000 + 2 * 4000 },
			{ READS, 0, 1, 0, 0, 0, READ + 2 * 100 + 10000 + 2 * 4000 } },
		.multiplane_commands = 1 },
	/* Blocks have no offset that must agree. */
	{ "multiplane_erase", "flash.multiplane=same_offset",
		{ { ERASES, 0, 0, 0, 0, 0, ERASE }, { ERASES, 0, 0, 1, 0, 0, ERASE + 2 * 100 + 1000000 },
			{ ERASES, 0, 1, 5, 0, 0, ERASE + 2 * 100 + 1000000 } }, .multiplane_commands = 1 },

	/* A read that comes when one write is served and another waits. */
	{ "read_overtakes_waiting_writes", "flash.scheduler=read_first",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 0, 0, 1, 0, 0, WRITE + READ + WRITE },
			{ READS, 0, 0, 2, 0, 50000, WRITE + READ } } },
	{ "no_read_overtakes_with_fifo", "flash.scheduler=fifo",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { PROGRAMS, 0, 0, 1, 0, 0, WRITE + WRITE },
			{ READS, 0, 0, 2, 0, 50000, WRITE + WRITE + READ } } },

	/* Suspension.  Erase from 0, in the cells 100..1000100.  The read at 500000 leaves 500100 of it to
	 * do. */
	{ "read_suspends_an_erase", SUSPEND_E,
		{ { ERASES, 0, 0, 0, 0, 0, 500000 + READ + 500100 + 5000 },
			{ READS, 0, 0, 1, 0, 500000, 500000 + READ } }, .suspensions = 1 },
	{ "no_suspension_by_default", "",
		{ { ERASES, 0, 0, 0, 0, 0, ERASE }, { READS, 0, 0, 1, 0, 500000, ERASE + READ } } },
	/* In the cells 4100..104100; at 50000 there are 54100 left. */
	{ "read_suspends_a_program", SUSPEND,
		{ { PROGRAMS, 0, 0, 0, 0, 0, 50000 + READ + 54100 + 5000 },
			{ READS, 0, 0, 1, 0, 50000, 50000 + READ } }, .suspensions = 1 },
	/* The cells work from 112300 to 212300 (a write before, then both pages on the bus); 62300 are left
	 * at 150000. */
	{ "a_multiplane_program_is_suspended_whole", "flash.multiplane=any " SUSPEND,
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE },
			{ PROGRAMS, 0, 0, 1, 0, 0, 150000 + READ + 62300 + 5000 },
			{ PROGRAMS, 0, 1, 0, 0, 0, 150000 + READ + 62300 + 5000 },
			{ READS, 0, 0, 2, 0, 150000, 150000 + READ } },
		.multiplane_commands = 1, .suspensions = 1 },
	/* Another die of the chip has nothing to suspend, unless the chip is one unit: then the erase is
	 * suspended. */
	{ "a_read_of_another_die", SUSPEND_E,
		{ { ERASES, 0, 0, 0, 0, 0, ERASE }, { READS, 1, 0, 0, 0, 500000, 500000 + READ } } },
	{ "a_read_of_another_die_of_the_unit", SUSPEND_E " flash.interleave=false",
		{ { ERASES, 0, 0, 0, 0, 0, ERASE + READ + 5000 },
			{ READS, 1, 0, 0, 0, 500000, 500000 + READ } },
		.suspensions = 1 },
	/* An erase is suspended for one read at 500000; the next waits until it is done. */
	{ "suspensions_are_limited", SUSPEND_E " flash.read_first_limit=1",
		{ { ERASES, 0, 0, 0, 0, 0, ERASE + READ + 5000 },
			{ READS, 0, 0, 1, 0, 500000, 500000 + READ },
			{ READS, 0, 0, 1, 0, 600000, ERASE + READ + 5000 + READ } }, .suspensions = 1 },
	/* First come, first served: a read waits for what became ready before it. */
	{ "fifo_suspends_nothing", "flash.suspend=program_and_erase flash.scheduler=fifo",
		{ { ERASES, 0, 0, 0, 0, 0, ERASE }, { READS, 0, 0, 1, 0, 500000, ERASE + READ } } },
	/* The data of the program is on the bus until 4100: the cells start, are suspended at once, and work
	 * later. */
	{ "a_read_during_the_transfer_suspends_too", SUSPEND,
		{ { PROGRAMS, 0, 0, 0, 0, 0, 4100 + READ + 100000 + 5000 },
			{ READS, 0, 0, 1, 0, 4000, 4100 + READ } }, .suspensions = 1 },
	{ "programs_are_not_suspended_for_erase_only", "flash.suspend=erase",
		{ { PROGRAMS, 0, 0, 0, 0, 0, WRITE }, { READS, 0, 0, 1, 0, 50000, WRITE + READ } } },
	/* A write in another plane of the die does not suspend the erase. */
	{ "only_reads_suspend", "flash.suspend=program_and_erase",
		{ { ERASES, 0, 0, 0, 0, 0, ERASE }, { PROGRAMS, 0, 1, 0, 0, 500000, ERASE + WRITE } } },
	/* Suspended as its cells start, at 4100 (the read is done at 21200), and again at 30000, when 5000 +
	 * 100000 - (30000 - 21200) are left. */
	{ "each_suspension_takes_both_times",
		"flash.suspend=program_and_erase flash.suspend_ns=3000 flash.resume_ns=5000",
		{ { PROGRAMS, 0, 0, 0, 0, 0, 47100 + 5000 + 96200 },
			{ READS, 0, 0, 1, 0, 4000, 4100 + 3000 + READ },
			{ READS, 0, 0, 1, 0, 30000, 30000 + 3000 + READ } }, .suspensions = 2 },
};
/* clang-format on */

#define TIMED_CASES (sizeof timed_cases / sizeof *timed_cases)

static ppn_t timed_page(const struct bench *b, const struct timed_op *op)
{
	return page_at(b, op->die, op->plane, op->block, op->page);
}

static void prepare_pages(struct bench *b, const struct timed_case *c)
{
	for (const struct timed_op *op = c->op; op < c->op + OPS_MOST && op->does; op++) {
		block_t block = geometry_block(&b->geometry, timed_page(b, op));
		uint32_t pages = op->does == READS ? op->page + 1 : op->old;

		for (uint32_t page; (page = flash_next_page(b->flash, block)) < pages;)
			old_page(b, op->die, op->plane, op->block, page);
	}
}

static op_t submit_timed_op(struct bench *b, const struct timed_op *op)
{
	ppn_t ppn = timed_page(b, op);

	return op->does == READS      ? submit_read(b, ppn)
	       : op->does == PROGRAMS ? submit_program(b, ppn)
				      : submit_erase(b, ppn);
}

/* The next moment after `now` at which an operation is submitted or done. */
static tick_t next_moment(const struct timed_case *c, tick_t now)
{
	tick_t next = TICK_NEVER;

	for (const struct timed_op *op = c->op; op < c->op + OPS_MOST && op->does; op++) {
		if (op->at > now && op->at < next)
			next = op->at;
		if (op->done > now && op->done < next)
			next = op->done;
	}
	return next;
}

static void run_timed_case(struct bench *b, const struct timed_case *c)
{
	struct schedule *s = b->flash->schedule;
	op_t op[OPS_MOST];

	prepare_pages(b, c);
	for (tick_t now = 0; now != TICK_NEVER; now = next_moment(c, now)) {
		for (tick_t at = now - (now > 0); at <= now; at++) {
			schedule_run_until(s, at);
			for (uint32_t i = 0; i < OPS_MOST && c->op[i].does; i++)
				if (c->op[i].at < now && schedule_done(s, op[i]) != (c->op[i].done <= at))
					fail_msg("operation %u is%s done at %llu", i,
						schedule_done(s, op[i]) ? "" : " not",
						(unsigned long long)at);
		}
		for (uint32_t i = 0; i < OPS_MOST && c->op[i].does; i++)
			if (c->op[i].at == now)
				op[i] = submit_timed_op(b, &c->op[i]);
	}
	assert_int_equal(schedule_busy(s).multiplane_commands, c->multiplane_commands);
	assert_int_equal(schedule_busy(s).suspensions, c->suspensions);
	close_idle(b);
}

static void test_timed_case(void **state)
{
	const struct timed_case *c = *state;
	char settings[400];

	snprintf(settings, sizeof settings, "%s%s", PAPER_DRIVE, c->settings);
	for (size_t i = 0; i < BENCHES; i++)
		run_timed_case(open_bench[i](settings), c);
}

/* ---- one operation ---- */

/* Only the sectors that are wanted cross the bus; the cells work on whole pages. */
static void test_part_of_a_page(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t read, program;

	(void)state;
	bench_begin(b);
	read = flash_read(&b->io, old_page(b, 0, 0, 0, 0), 1, CAUSE_HOST, OP_NONE);
	program = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 3, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, read, 100 + 10000 + 1 * 1000);
	assert_done_at(b, program, 100 + 3 * 1000 + 100000);
	close_idle(b);
}

/* At 400 MB/s a sector takes 1280 ns; at 300 MB/s 3 sectors take 5120 ns, not 3 x 1707. */
static void test_transfer_is_rounded_once(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.bus_mb_per_s=400 flash.command_ns=0");
	op_t read;

	(void)state;
	assert_done_at(b, submit_read(b, old_page(b, 0, 0, 0, 0)), 10000 + 4 * 1280);
	close_idle(b);
	b = bench_open(PAPER_DRIVE "flash.bus_mb_per_s=300 flash.command_ns=0");
	old_page(b, 0, 0, 0, 0);
	bench_begin(b);
	read = flash_read(&b->io, 0, 3, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, read, 10000 + 5120);
	close_idle(b);
}

static void test_free_commands_never_touch_the_bus(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.command_ns=0");

	(void)state;
	assert_done_at(b, submit_erase(b, page_at(b, 0, 0, 0, 0)), 1000000);
	assert_int_equal(schedule_busy(b->flash->schedule).channel_ns, 0);
	close_idle(b);
}

/* Pages of a block take the times of the list in turn: LSB, CSB, MSB, LSB. */
static void test_page_types(void **state)
{
	static const tick_t read[] = { 10000, 20000, 30000, 10000 },
			    program[] = { 100000, 200000, 300000, 100000 };
	struct bench *b = bench_open(PAPER_DRIVE "flash.read_ns=[10000,20000,30000] "
						 "flash.program_ns=[100000,200000,300000]");
	tick_t now = 0;

	(void)state;
	for (uint32_t page = 0; page < 4; page++) {
		now += 100 + 4000 + program[page];
		assert_done_at(b, submit_program(b, page_at(b, 0, 0, 0, page)), now);
	}
	for (uint32_t page = 0; page < 4; page++) {
		now += 100 + read[page] + 4000;
		assert_done_at(b, submit_read(b, page_at(b, 0, 0, 0, page)), now);
	}
	close_idle(b);
}

/* ---- the order of the bus ---- */

#define THREE_DIES PAPER_DRIVE "flash.channels=1 flash.chips=3 flash.dies=1 "

/* Die 0 has the bus from 10100 to 14100 for the data of its read; that of die 1 asks for it at 10200. */
static struct bench *two_reads_go_on(const char *settings, op_t read[2])
{
	struct bench *b = bench_open(settings);

	read[0] = submit_read(b, old_page(b, 0, 0, 0, 0));
	read[1] = submit_read(b, old_page(b, 1, 0, 0, 0));
	return b;
}

/*
 * A read of die 2 comes.  Its command first: 14100..14200, data of die 1 until 18200; its own sense until
 * 24200 and data until 28200.  Data of die 1 first: until 18100, then the command, sense until 28200, data
 * until 32200.
 */
static void read_of_a_third_die(const char *settings, tick_t at, bool command_first)
{
	op_t read[2], third;
	struct bench *b = two_reads_go_on(settings, read);
	ppn_t old = old_page(b, 2, 0, 0, 0);

	schedule_run_until(b->flash->schedule, at);
	third = submit_read(b, old);
	assert_done_at(b, read[0], 14100);
	assert_done_at(b, read[1], command_first ? 18200 : 18100);
	assert_done_at(b, third, command_first ? 28200 : 32200);
	close_idle(b);
}

static void test_commands_or_data_go_first_on_the_bus(void **state)
{
	(void)state;
	read_of_a_third_die(THREE_DIES, 10150, true);
	read_of_a_third_die(THREE_DIES, 11000, true);
	read_of_a_third_die(THREE_DIES "flash.bus_order=fifo", 10150, true);
	read_of_a_third_die(THREE_DIES "flash.bus_order=fifo", 11000, false);
	read_of_a_third_die(THREE_DIES "flash.bus_order=data_first", 10150, false);
	read_of_a_third_die(THREE_DIES "flash.bus_order=data_first", 11000, false);
}

/* Die 0 leaves the bus at 14100, and its next read asks for it before the data of die 1 is given it. */
static void test_a_freed_die_asks_before_the_bus_is_passed_on(void **state)
{
	op_t read[2], next;
	struct bench *b = two_reads_go_on(THREE_DIES, read);

	(void)state;
	next = submit_read(b, page_at(b, 0, 0, 0, 0));
	assert_done_at(b, read[1], 14100 + 100 + 4000);
	assert_done_at(b, next, 14100 + READ);
	close_idle(b);
	b = two_reads_go_on(THREE_DIES "flash.bus_order=fifo", read);
	next = submit_read(b, page_at(b, 0, 0, 0, 0));
	assert_done_at(b, read[1], 14100 + 4000);
	assert_done_at(b, next, 18100 + READ);
	close_idle(b);
}

/*
 * At 104100 a transfer into one die ends and the program of another die is done, for which a program and a
 * read of two further dies wait.  If both must wait for the bus, too, the read's command goes first.
 */
static void at_the_end_of_a_transfer(
	struct bench *b, die_t transfer, die_t done, tick_t read_done, tick_t program_done)
{
	ppn_t old = old_page(b, 3, 0, 0, 0);
	op_t first, program, read;

	bench_begin(b);
	first = flash_program(&b->io, page_at(b, done, 0, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	program = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 4, CAUSE_HOST, first);
	read = flash_read(&b->io, old, 4, CAUSE_HOST, first);
	bench_submit(b);
	schedule_run_until(b->flash->schedule, 100000);
	submit_program(b, page_at(b, transfer, 0, 0, 0));
	assert_done_at(b, read, read_done);
	assert_done_at(b, program, program_done);
	close_idle(b);
}

/* Events of one instant are handled in the order of dies: a lower die has left the bus, which the program
 * takes at once; a higher one has not.  With the judge and without it. */
static void test_a_transfer_ends_in_the_order_of_the_dies(void **state)
{
	const char *four_dies = PAPER_DRIVE "flash.channels=1 flash.dies=4";

	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		at_the_end_of_a_transfer(
			open_bench[i](four_dies), 0, 1, 104100 + 4100 + READ, 104100 + WRITE);
		at_the_end_of_a_transfer(open_bench[i](four_dies), 1, 0, 104100 + READ, 104100 + 100 + WRITE);
	}
}

/*
 * A program brings data with its command.  It asks at 10150, before the data of die 1: first among equals
 * (bus 14100..18200), but behind the data of a read if that goes first (18100..22200).
 */
static void test_a_program_is_no_mere_command(void **state)
{
	static const struct {
		const char *settings;
		tick_t at, read, program;
	} cases[] = {
		{ THREE_DIES, 10150, 22200, 18200 + 100000 },
		{ THREE_DIES, 11000, 18100, 22200 + 100000 },
		{ THREE_DIES "flash.bus_order=fifo", 10150, 22200, 18200 + 100000 },
		{ THREE_DIES "flash.bus_order=data_first", 10150, 18100, 22200 + 100000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		op_t read[2], program;
		struct bench *b = two_reads_go_on(cases[i].settings, read);

		schedule_run_until(b->flash->schedule, cases[i].at);
		program = submit_program(b, page_at(b, 2, 0, 0, 0));
		assert_done_at(b, read[1], cases[i].read);
		assert_done_at(b, program, cases[i].program);
		close_idle(b);
	}
}

/* Commands of erases and copies: 14100..14200 and 14200..14400, the one that asked first; then the data. */
static void test_every_command_without_data_goes_first(void **state)
{
	op_t read[2], erase, copy;
	struct bench *b = two_reads_go_on(PAPER_DRIVE "flash.channels=1 flash.chips=4 flash.dies=1", read);
	ppn_t old = old_page(b, 3, 0, 0, 0);

	(void)state;
	schedule_run_until(b->flash->schedule, 11000);
	erase = submit_erase(b, page_at(b, 2, 0, 0, 0));
	bench_begin(b);
	copy = flash_copy(&b->io, old, page_at(b, 3, 0, 1, 0), CAUSE_GC, OP_NONE);
	bench_submit(b);
	assert_done_at(b, read[1], 14400 + 4000);
	assert_done_at(b, copy, 14200 + COPY);
	assert_done_at(b, erase, 14100 + ERASE);
	close_idle(b);
}

/* ---- multi-plane commands ---- */

/*
 * Four planes, a write under way and three waiting: three commands and pages on the bus, one time in the
 * cells.
 */
static void test_multiplane_command_of_three_planes(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.planes=4 flash.multiplane=same_offset");
	op_t waiting[3];

	(void)state;
	submit_program(b, page_at(b, 0, 3, 0, 0));
	for (uint32_t plane = 0; plane < 3; plane++)
		waiting[plane] = submit_program(b, page_at(b, 0, plane, plane, 0));
	assert_done_at(b, waiting[0], WRITE + 3 * (100 + 4000) + 100000);
	assert_true(schedule_done(b->flash->schedule, waiting[1]) &&
		    schedule_done(b->flash->schedule, waiting[2]));
	assert_int_equal(schedule_busy(b->flash->schedule).multiplane_commands, 1);
	close_idle(b);
}

/* Operations that become ready together start together, although the die is idle when the first one does. */
static void test_multiplane_commands_of_an_idle_die(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.multiplane=same_offset");
	ppn_t old[2] = { old_page(b, 0, 0, 0, 0), old_page(b, 0, 1, 0, 0) };
	op_t op[2];

	(void)state;
	bench_begin(b);
	for (int i = 0; i < 2; i++)
		op[i] = flash_program(&b->io, page_at(b, 1, (uint32_t)i, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, op[0], 2 * (100 + 4000) + 100000);
	assert_true(schedule_done(b->flash->schedule, op[1]));
	bench_begin(b);
	for (int i = 0; i < 2; i++)
		op[i] = flash_read(&b->io, old[i], 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, op[1], 108200 + 2 * 100 + 10000 + 2 * 4000);
	assert_true(schedule_done(b->flash->schedule, op[0]));
	close_idle(b);
}

/* Of operations that one request makes ready for an idle die, reads go first. */
static void test_a_read_of_the_same_request_goes_first(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 1, 0);
	op_t program, read;

	(void)state;
	bench_begin(b);
	program = flash_program(&b->io, page_at(b, 0, 0, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	read = flash_read(&b->io, old, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, read, READ);
	assert_done_at(b, program, READ + WRITE);
	close_idle(b);
}

/* Die 0 writes until 104100.  Behind that wait a write of page 1 in plane 0, another, and one of page 1 in
 * plane 1. */
static void join_from_the_middle(
	const char *settings, uint32_t plane, uint32_t block, uint32_t page, bool joins)
{
	struct bench *b = bench_open(settings);
	const tick_t two = 2 * (100 + 4000) + 100000;
	op_t first, between, last;

	old_page(b, 0, 0, 1, 0);
	old_page(b, 0, 1, 3, 0);
	submit_program(b, page_at(b, 0, 0, 0, 0));
	first = submit_program(b, page_at(b, 0, 0, 1, 1));
	between = submit_program(b, page_at(b, 0, plane, block, page));
	last = submit_program(b, page_at(b, 0, 1, 3, 1));
	assert_done_at(b, first, WRITE + (joins ? two : WRITE));
	assert_int_equal(schedule_done(b->flash->schedule, last), joins);
	assert_done_at(b, between, WRITE + two + WRITE); /* alone, or with the last one */
	assert_true(schedule_done(b->flash->schedule, last));
	close_idle(b);
}

/* Operations between two that can run together are passed over; up to flash.multiplane_search are looked
 * at. */
static void test_planes_join_from_the_middle_of_the_queue(void **state)
{
	(void)state;
	join_from_the_middle(PAPER_DRIVE "flash.multiplane=same_offset", 0, 2, 0, true);
	join_from_the_middle(PAPER_DRIVE "flash.multiplane=same_offset", 1, 2, 0, true);
	join_from_the_middle(PAPER_DRIVE "flash.multiplane=any", 0, 2, 0, true);
	join_from_the_middle(PAPER_DRIVE "flash.multiplane=any flash.multiplane_search=2", 0, 2, 0, true);
	join_from_the_middle(PAPER_DRIVE "flash.multiplane=any flash.multiplane_search=1", 0, 2, 0, false);
}

/* Page 2 of a block waits for its page 1, whose offset is not that of the head of the queue: that runs
 * alone. */
static void test_no_program_joins_before_its_predecessor(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.multiplane=same_offset");
	op_t first, second, third;

	(void)state;
	for (uint32_t page = 0; page < 2; page++)
		old_page(b, 0, 0, 1, page);
	old_page(b, 0, 1, 3, 0);
	submit_program(b, page_at(b, 0, 0, 0, 0));
	first = submit_program(b, page_at(b, 0, 0, 1, 2));
	second = submit_program(b, page_at(b, 0, 1, 3, 1));
	third = submit_program(b, page_at(b, 0, 1, 3, 2));
	assert_done_at(b, first, 2 * WRITE);
	assert_done_at(b, second, 3 * WRITE);
	assert_done_at(b, third, 4 * WRITE);
	assert_int_equal(schedule_busy(b->flash->schedule).multiplane_commands, 0);
	close_idle(b);
}

/* ---- copies ---- */

static op_t submit_copy(struct bench *b, ppn_t from, ppn_t to)
{
	op_t op;

	bench_begin(b);
	op = flash_copy(&b->io, from, to, CAUSE_GC, OP_NONE);
	bench_submit(b);
	return op;
}

/* Two commands on the bus, no data; sense and program in the plane. */
static void test_copy_back(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t copy = submit_copy(b, old_page(b, 0, 0, 0, 0), page_at(b, 0, 0, 1, 0));

	(void)state;
	assert_done_at(b, copy, 2 * 100 + 10000 + 100000);
	assert_int_equal(b->flash->transferred_sectors, 0);
	assert_int_equal(b->flash->count[OP_COPY][CAUSE_GC], 1);
	close_idle(b);
}

/* Page 1 of a block (sense 20000) goes to page 0 (program 100000), page 2 (30000) to page 1 (200000). */
static void test_copy_back_takes_the_times_of_both_pages(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.read_ns=[10000,20000,30000] "
						 "flash.program_ns=[100000,200000,300000]");
	const tick_t first = 2 * 100 + 20000 + 100000;
	op_t copy[2];

	(void)state;
	for (uint32_t page = 0; page < 3; page++)
		old_page(b, 0, 0, 0, page);
	copy[0] = submit_copy(b, page_at(b, 0, 0, 0, 1), page_at(b, 0, 0, 1, 0));
	copy[1] = submit_copy(b, page_at(b, 0, 0, 0, 2), page_at(b, 0, 0, 1, 1));
	assert_done_at(b, copy[0], first);
	assert_done_at(b, copy[1], first + 2 * 100 + 30000 + 200000);
	close_idle(b);
}

static void test_copy_without_copy_back_is_a_read_and_a_program(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.copyback=false");
	op_t copy = submit_copy(b, old_page(b, 0, 0, 0, 0), page_at(b, 0, 0, 1, 0));

	(void)state;
	assert_done_at(b, copy, READ + WRITE);
	assert_int_equal(b->flash->transferred_sectors, 8);
	assert_int_equal(b->flash->count[OP_COPY][CAUSE_GC], 0);
	close_idle(b);
}

static void test_copy_to_another_plane_crosses_the_bus(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t copy = submit_copy(b, old_page(b, 0, 0, 0, 0), page_at(b, 0, 1, 0, 0));

	(void)state;
	assert_done_at(b, copy, READ + WRITE);
	close_idle(b);
}

/* A page in flight need not be read: the program of its copy begins at once, on an idle die. */
static void test_copy_of_a_page_in_flight(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t program = submit_program(b, page_at(b, 0, 0, 0, 0));
	op_t copy = submit_copy(b, page_at(b, 0, 0, 0, 0), page_at(b, 2, 0, 0, 0));

	(void)state;
	assert_done_at(b, copy, WRITE);
	assert_true(schedule_done(b->flash->schedule, program));
	assert_int_equal(b->flash->forwarded[CAUSE_GC], 1);
	close_idle(b);
}

/* ---- pages moved in a row ---- */

/* The first pages of block 0 of plane 0, die 0, go into block 1: without the judge, as one operation. */
static void submit_moves(struct bench *b, uint32_t pages)
{
	for (uint32_t page = 0; page < pages; page++)
		old_page(b, 0, 0, 0, page);
	bench_begin(b);
	for (uint32_t page = 0; page < pages; page++)
		flash_move(&b->io, page_at(b, 0, 0, 0, page), page_at(b, 0, 0, 1, page), CAUSE_GC);
	bench_submit(b);
}

static void assert_written_at(struct bench *b, ppn_t ppn, tick_t when)
{
	struct schedule *s = b->flash->schedule;

	schedule_run_until(s, when - 1);
	assert_true(schedule_writes(s, ppn));
	schedule_run_until(s, when);
	assert_false(schedule_writes(s, ppn));
}

/* A page is written when its own copy is done; the last one moved is read at its source, between the
 * copies before it; the erase comes after all. */
static void test_pages_moved_in_a_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE);
		op_t erase, read;

		submit_moves(b, 3);
		erase = submit_erase(b, 0);
		assert_int_equal(schedule_load(b->flash->schedule, 0), 3 * 110000 + 1000000);
		assert_written_at(b, page_at(b, 0, 0, 1, 0), COPY);
		assert_int_equal(schedule_load(b->flash->schedule, 0), 2 * 110000 + 1000000);
		schedule_run_until(b->flash->schedule, COPY + 1);
		read = submit_read(b, page_at(b, 0, 0, 1, 2));
		assert_written_at(b, page_at(b, 0, 0, 1, 1), 2 * COPY);
		assert_done_at(b, read, 2 * COPY + READ);
		assert_written_at(b, page_at(b, 0, 0, 1, 2), 3 * COPY + READ);
		assert_done_at(b, erase, 3 * COPY + READ + ERASE);
		assert_int_equal(b->flash->count[OP_COPY][CAUSE_GC], 3);
		close_idle(b);
	}
}

/* The second page is moved again.  That can begin when its first move is done, at 220400: behind the copy
 * of the third page and operations queued earlier, before those queued later. */
static void test_a_moved_page_moves_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES * 2; i++) {
		struct bench *b = open_bench[i % BENCHES](PAPER_DRIVE);
		bool later = i >= BENCHES;
		op_t copy, program;

		submit_moves(b, 3);
		copy = submit_copy(b, page_at(b, 0, 0, 1, 1), page_at(b, 0, 0, 2, 0));
		schedule_run_until(b->flash->schedule, later ? 2 * COPY + 1 : 2 * COPY - 1);
		program = submit_program(b, page_at(b, 0, 1, 0, 0));
		assert_done_at(b, later ? copy : program, 3 * COPY + (later ? COPY : WRITE));
		assert_done_at(b, later ? program : copy, 4 * COPY + WRITE);
		close_idle(b);
	}
}

/* The second of two pages is still to be written to where it is moved from: it moves after that. */
static void test_a_page_moves_when_it_is_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE);
		op_t other = submit_erase(b, page_at(b, 2, 0, 0, 0));

		old_page(b, 0, 0, 0, 0);
		old_page(b, 0, 0, 1, 0);
		bench_begin(b);
		flash_copy(&b->io, 0, page_at(b, 0, 0, 1, 1), CAUSE_GC, other);
		bench_submit(b);
		bench_begin(b);
		for (uint32_t page = 0; page < 2; page++)
			flash_move(&b->io, page_at(b, 0, 0, 1, page), page_at(b, 0, 0, 2, page), CAUSE_GC);
		bench_submit(b);
		assert_written_at(b, page_at(b, 0, 0, 2, 0), COPY);
		assert_written_at(b, page_at(b, 0, 0, 2, 1), ERASE + 2 * COPY);
		close_idle(b);
	}
}

/* A page that is moved again while it moves is read at the source of the first copy: a sense of 30000. */
static void test_a_page_moved_twice_is_read_at_its_source(void **state)
{
	const tick_t read_done = COPY + READ + 20000, moved = read_done + 2 * COPY + 10000 + 20000;

	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE "flash.read_ns=[10000,20000,30000]");
		op_t read;

		submit_moves(b, 3);
		submit_copy(b, page_at(b, 0, 0, 1, 2), page_at(b, 0, 0, 2, 0));
		read = submit_read(b, page_at(b, 0, 0, 2, 0));
		submit_erase(b, 0);
		assert_done_at(b, read, read_done);
		assert_written_at(b, page_at(b, 0, 0, 1, 2), moved);
		assert_written_at(b, page_at(b, 0, 0, 2, 0), moved + COPY + 20000);
		close_idle(b);
	}
}

/* An operation that the request makes between two moves stays between them. */
static void test_what_is_made_between_moves_stays_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE);
		op_t program;

		for (uint32_t page = 0; page < 2; page++)
			old_page(b, 0, 0, 0, page);
		bench_begin(b);
		flash_move(&b->io, 0, page_at(b, 0, 0, 1, 0), CAUSE_GC);
		program = flash_program(&b->io, page_at(b, 0, 1, 0, 0), 1, 4, CAUSE_GC, OP_NONE);
		flash_move(&b->io, 1, page_at(b, 0, 0, 1, 1), CAUSE_GC);
		bench_submit(b);
		assert_done_at(b, program, COPY + WRITE);
		assert_written_at(b, page_at(b, 0, 0, 1, 1), 2 * COPY + WRITE);
		close_idle(b);
	}
}

/* Each block counts the operations under way in it. */
static void test_moves_from_two_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE);
		ppn_t other = old_page(b, 0, 0, 2, 0);
		op_t erase;

		old_page(b, 0, 0, 0, 0);
		bench_begin(b);
		flash_move(&b->io, 0, page_at(b, 0, 0, 1, 0), CAUSE_GC);
		flash_move(&b->io, other, page_at(b, 0, 0, 1, 1), CAUSE_GC);
		erase = flash_erase(&b->io, 0, CAUSE_GC);
		bench_submit(b);
		assert_written_at(b, page_at(b, 0, 0, 1, 1), 2 * COPY);
		assert_done_at(b, erase, 2 * COPY + ERASE);
		close_idle(b);
	}
}

/* A program under way, two more, and moves between these: each move counts as one operation looked at. */
static void moves_are_passed(struct bench *b, bool joined)
{
	op_t first, last;

	old_page(b, 0, 0, 2, 0);
	submit_program(b, page_at(b, 0, 0, 3, 0));
	first = submit_program(b, page_at(b, 0, 0, 2, 1));
	submit_moves(b, 3);
	last = submit_program(b, page_at(b, 0, 1, 0, 0));
	assert_done_at(b, first, WRITE + 2 * (100 + 4000) + 100000 - (joined ? 0 : 4100));
	assert_int_equal(schedule_done(b->flash->schedule, last), joined);
	close_idle(b);
}

static void test_moves_are_passed_one_by_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		moves_are_passed(
			open_bench[i](PAPER_DRIVE "flash.multiplane=any flash.multiplane_search=4"), true);
		moves_are_passed(
			open_bench[i](PAPER_DRIVE "flash.multiplane=any flash.multiplane_search=3"), false);
	}
}

/* Pages of two types: 110000, 210000 and 110000 in the cells. */
static void test_moved_pages_take_the_times_of_their_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE "flash.program_ns=100000,200000");

		submit_moves(b, 3);
		assert_written_at(b, page_at(b, 0, 0, 1, 0), COPY);
		assert_written_at(b, page_at(b, 0, 0, 1, 1), 2 * COPY + 100000);
		assert_written_at(b, page_at(b, 0, 0, 1, 2), 3 * COPY + 100000);
		close_idle(b);
	}
}

/* The second of three copies is suspended in its cells at 150000; 110000 - 39600 are left of it. */
static void test_a_moved_page_is_interrupted(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE
			"flash.suspend=program_and_erase flash.suspend_ns=0 flash.resume_ns=5000");
		ppn_t old = old_page(b, 0, 0, 4, 0);
		op_t read;

		submit_moves(b, 3);
		schedule_run_until(b->flash->schedule, 150000);
		read = submit_read(b, old);
		assert_done_at(b, read, 150000 + READ);
		assert_written_at(b, page_at(b, 0, 0, 1, 1), 2 * COPY + READ + 5000);
		assert_written_at(b, page_at(b, 0, 0, 1, 2), 3 * COPY + READ + 5000);
		close_idle(b);
	}
}

/* The block they move into is erased untimed: they go on, and nothing depends on them. */
static void test_an_untimed_erase_of_what_is_moved_into(void **state)
{
	(void)state;
	for (size_t i = 0; i < BENCHES; i++) {
		struct bench *b = open_bench[i](PAPER_DRIVE);
		struct io untimed = { .flash = b->flash };
		op_t program;

		submit_moves(b, 3);
		schedule_run_until(b->flash->schedule, 1);
		for (uint32_t page = 0; page < 3; page++)
			flash_disown(b->flash, page_at(b, 0, 0, 1, page));
		flash_erase(&untimed, geometry_block(&b->geometry, page_at(b, 0, 0, 1, 0)), CAUSE_GC);
		program = submit_program(b, page_at(b, 0, 0, 1, 0));
		assert_done_at(b, program, 3 * COPY + WRITE);
		close_idle(b);
	}
}

/* ---- no operation starves ---- */

/* A write waits from 0, four reads from 0: two of them pass it when the die is free at 104100. */
static void test_a_waiting_write_is_passed_by_so_many_reads(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.read_first_limit=2");
	ppn_t old = old_page(b, 0, 0, 2, 0);
	op_t write, read[4];

	(void)state;
	submit_program(b, page_at(b, 0, 0, 0, 0));
	write = submit_program(b, page_at(b, 0, 0, 1, 0));
	for (int i = 0; i < 4; i++)
		read[i] = submit_read(b, old);
	assert_done_at(b, read[1], WRITE + 2 * READ);
	assert_done_at(b, write, WRITE + 2 * READ + WRITE);
	assert_done_at(b, read[3], WRITE + 2 * READ + WRITE + 2 * READ);
	close_idle(b);
}

static void test_the_next_write_is_passed_as_often(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.read_first_limit=2");
	ppn_t old = old_page(b, 0, 0, 2, 0);
	op_t first, second, read[4];

	(void)state;
	submit_program(b, page_at(b, 0, 0, 0, 0));
	first = submit_program(b, page_at(b, 0, 0, 1, 0));
	second = submit_program(b, page_at(b, 0, 0, 1, 1));
	for (int i = 0; i < 4; i++)
		read[i] = submit_read(b, old);
	assert_done_at(b, first, WRITE + 2 * READ + WRITE);
	assert_done_at(b, read[3], WRITE + 2 * READ + WRITE + 2 * READ);
	assert_done_at(b, second, WRITE + 2 * READ + WRITE + 2 * READ + WRITE);
	close_idle(b);
}

/* ---- suspension ---- */

/* Reads that come while the erase is suspended are served before it resumes; it may be suspended again. */
static void test_an_erase_is_suspended_again(void **state)
{
	struct bench *b =
		bench_open(PAPER_DRIVE "flash.suspend=erase flash.suspend_ns=0 flash.resume_ns=5000");
	op_t erase = submit_erase(b, page_at(b, 0, 0, 0, 0)), read;
	ppn_t old = old_page(b, 0, 0, 1, 0);

	(void)state;
	schedule_run_until(b->flash->schedule, 500000);
	submit_read(b, old);
	schedule_run_until(b->flash->schedule, 510000);
	read = submit_read(b, old);
	assert_done_at(b, read, 500000 + 2 * READ);     /* 528200; 505100 of the erase are left */
	schedule_run_until(b->flash->schedule, 600000); /* 505100 - 71800 = 433300 are left */
	read = submit_read(b, old);
	assert_done_at(b, read, 600000 + READ);
	assert_done_at(b, erase, 600000 + READ + 433300 + 5000);
	assert_int_equal(schedule_busy(b->flash->schedule).suspensions, 2);
	close_idle(b);
}

/* Until 1019200 the die works for 10000 (sense) and 1000000 + 5000 (erase), or uses the bus, for 4200. */
static void test_suspension_keeps_the_books_of_busy_time(void **state)
{
	struct bench *b =
		bench_open(PAPER_DRIVE "flash.suspend=erase flash.suspend_ns=0 flash.resume_ns=5000");
	ppn_t old = old_page(b, 0, 0, 1, 0);
	struct busy busy;

	(void)state;
	submit_erase(b, page_at(b, 0, 0, 0, 0));
	schedule_run_until(b->flash->schedule, 500000);
	submit_read(b, old);
	schedule_drain(b->flash->schedule);
	busy = schedule_busy(b->flash->schedule);
	assert_int_equal(busy.die_ns, 10000 + 1000000 + 5000);
	assert_int_equal(busy.die_background_ns, 1000000 + 5000);
	assert_int_equal(busy.channel_ns, 100 + 100 + 4000);
	close_idle(b);
}

/* At 500000 a read comes; the erase is suspended at 503000.  The read that comes meanwhile goes before it,
 * too. */
static void test_suspending_takes_time(void **state)
{
	struct bench *b =
		bench_open(PAPER_DRIVE "flash.suspend=erase flash.suspend_ns=3000 flash.resume_ns=5000");
	op_t erase = submit_erase(b, page_at(b, 0, 0, 0, 0)), read[2];
	ppn_t old = old_page(b, 0, 0, 1, 0);
	struct busy busy;

	(void)state;
	schedule_run_until(b->flash->schedule, 500000);
	read[0] = submit_read(b, old);
	schedule_run_until(b->flash->schedule, 501000);
	read[1] = submit_read(b, old);
	assert_done_at(b, read[0], 503000 + READ);
	assert_done_at(b, read[1], 503000 + 2 * READ);
	assert_done_at(b, erase, 503000 + 2 * READ + 5000 + 500100);
	busy = schedule_busy(b->flash->schedule);
	assert_int_equal(busy.suspensions, 1);
	assert_int_equal(busy.die_ns, 2 * 10000 + 1000000 + 3000 + 5000);
	assert_int_equal(busy.die_background_ns, 1000000 + 3000 + 5000);
	close_idle(b);
}

/* Two reads suspend an erase as one command. */
static void test_reads_that_come_together_suspend_together(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.planes=4 flash.multiplane=any flash.suspend=erase "
						 "flash.suspend_ns=0 flash.resume_ns=5000");
	ppn_t old[2] = { old_page(b, 0, 1, 0, 0), old_page(b, 0, 2, 0, 0) };
	op_t erase = submit_erase(b, page_at(b, 0, 0, 0, 0)), read[2];

	(void)state;
	schedule_run_until(b->flash->schedule, 500000);
	bench_begin(b);
	for (int i = 0; i < 2; i++)
		read[i] = flash_read(&b->io, old[i], 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, read[0], 500000 + 2 * 100 + 10000 + 2 * 4000);
	assert_true(schedule_done(b->flash->schedule, read[1]));
	assert_done_at(b, erase, 518200 + 500100 + 5000);
	close_idle(b);
}

/* ---- commands ---- */

#define COMMANDS_DIFFER                                                                                      \
	PAPER_DRIVE "flash.command_ns=[100,200,300] flash.plane_command_ns=[10,20,30] flash.multiplane=any "

static void test_each_kind_of_command_takes_its_time(void **state)
{
	struct bench *b = bench_open(COMMANDS_DIFFER);
	op_t read = submit_read(b, old_page(b, 0, 0, 0, 0)),
	     program = submit_program(b, page_at(b, 2, 0, 0, 0)),
	     erase = submit_erase(b, page_at(b, 3, 0, 0, 0)), copy;
	ppn_t old = old_page(b, 1, 0, 0, 0);

	(void)state;
	assert_done_at(b, read, 100 + 10000 + 4000);
	bench_begin(b);
	copy = flash_copy(&b->io, old, page_at(b, 1, 0, 1, 0), CAUSE_GC, OP_NONE);
	bench_submit(b);
	assert_done_at(b, program, 200 + 4000 + 100000);
	assert_done_at(b, copy, 14100 + (100 + 200) + 10000 + 100000);
	assert_done_at(b, erase, 4200 + 300 + 1000000);
	close_idle(b);
}

static void test_further_planes_have_commands_of_their_own(void **state)
{
	struct bench *b = bench_open(COMMANDS_DIFFER "flash.planes=3");
	ppn_t old[3];
	op_t op[3];

	(void)state;
	for (uint32_t plane = 0; plane < 3; plane++)
		old[plane] = old_page(b, 0, plane, 0, 0);
	bench_begin(b);
	for (int i = 0; i < 3; i++)
		op[i] = flash_read(&b->io, old[i], 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, op[0], 100 + 2 * 10 + 10000 + 3 * 4000); /* 22120 */
	bench_begin(b);
	for (uint32_t i = 0; i < 2; i++)
		op[i] = flash_program(&b->io, page_at(b, 0, i, 1, 0), 1, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, op[1], 22120 + 200 + 20 + 2 * 4000 + 100000); /* 130340 */
	bench_begin(b);
	for (uint32_t i = 0; i < 3; i++)
		op[i] = flash_erase(&b->io, geometry_block(&b->geometry, page_at(b, 0, i, 2, 0)), CAUSE_GC);
	bench_submit(b);
	assert_done_at(b, op[2], 130340 + 300 + 2 * 30 + 1000000);
	close_idle(b);
}

/* ---- dependencies ---- */

static void test_operation_waits_for_another(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 0, 0);
	op_t read, program;

	(void)state;
	bench_begin(b);
	read = flash_read(&b->io, old, 4, CAUSE_RMW, OP_NONE);
	program = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 4, CAUSE_HOST, read);
	bench_submit(b);
	assert_done_at(b, read, READ);
	assert_done_at(b, program, READ + WRITE);
	close_idle(b);
}

/* The program waits for the slower of two reads: die 1's data crosses the bus after die 0's. */
static void test_operation_waits_for_two_others(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old[2] = { old_page(b, 0, 0, 0, 0), old_page(b, 1, 0, 0, 0) };
	op_t first, second, program;

	(void)state;
	bench_begin(b);
	first = flash_read(&b->io, old[0], 4, CAUSE_RMW, OP_NONE);
	second = flash_read(&b->io, old[1], 4, CAUSE_RMW, OP_NONE);
	program = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 4, CAUSE_HOST, first);
	flash_wait(&b->io, program, second);
	bench_submit(b);
	assert_done_at(b, program, READ + 4000 + WRITE);
	close_idle(b);
}

static void test_waiting_for_what_is_done_costs_nothing(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t before = submit_read(b, old_page(b, 0, 0, 0, 0)), program;

	(void)state;
	assert_done_at(b, before, READ);
	bench_begin(b);
	program = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 4, CAUSE_HOST, before);
	bench_submit(b);
	assert_done_at(b, program, READ + WRITE);
	close_idle(b);
}

/*
 * A read of block 0 waits for a write on another channel (until 104100) and takes 14100 then.  The erase of
 * the block could begin at 0, but the block is still to be read.
 */
static void test_erase_waits_for_what_goes_on_in_its_block(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 0, 0);
	op_t other, read, erase;

	(void)state;
	bench_begin(b);
	other = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	read = flash_read(&b->io, old, 4, CAUSE_GC, other);
	flash_disown(b->flash, old);
	erase = flash_erase(&b->io, 0, CAUSE_GC);
	bench_submit(b);
	assert_done_at(b, read, WRITE + READ);
	assert_done_at(b, erase, WRITE + READ + ERASE);
	close_idle(b);
}

/* The same, and a program of the erased block in a request that comes at once. */
static void test_program_waits_for_the_erase_of_its_block(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 0, 0);
	op_t other, erase, program, neighbour;

	(void)state;
	bench_begin(b);
	other = flash_program(&b->io, page_at(b, 2, 0, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	flash_read(&b->io, old, 4, CAUSE_GC, other);
	flash_disown(b->flash, old);
	erase = flash_erase(&b->io, 0, CAUSE_GC);
	bench_submit(b);
	program = submit_program(b, old);
	neighbour = submit_program(b, page_at(b, 0, 0, 1, 0));
	assert_done_at(b, neighbour, 4100 + 100000);
	assert_done_at(b, erase, WRITE + READ + ERASE);
	assert_done_at(b, program, WRITE + READ + ERASE + WRITE);
	close_idle(b);
}

/* Erase, program, erase again, program again, all handed over at once: one after another. */
static void test_two_lives_of_a_block_in_one_request(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t op[4];

	(void)state;
	bench_begin(b);
	op[0] = flash_erase(&b->io, 0, CAUSE_GC);
	op[1] = flash_program(&b->io, 0, 1, 4, CAUSE_HOST, OP_NONE);
	flash_disown(b->flash, 0);
	op[2] = flash_erase(&b->io, 0, CAUSE_GC);
	op[3] = flash_program(&b->io, 0, 1, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, op[0], ERASE);
	assert_done_at(b, op[1], ERASE + WRITE);
	assert_done_at(b, op[2], 2 * ERASE + WRITE);
	assert_done_at(b, op[3], 2 * ERASE + 2 * WRITE);
	close_idle(b);
}

/* ---- the order of a block ---- */

/* Page 0 waits for a read on another channel (until 14100); page 1, ready at once, must not pass it. */
static void test_a_program_waits_for_its_predecessor_in_the_block(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t read, first, second;

	(void)state;
	old_page(b, 2, 0, 0, 0);
	bench_begin(b);
	read = flash_read(&b->io, page_at(b, 2, 0, 0, 0), 4, CAUSE_RMW, OP_NONE);
	first = flash_program(&b->io, page_at(b, 0, 0, 0, 0), 1, 4, CAUSE_HOST, read);
	second = flash_program(&b->io, page_at(b, 0, 0, 0, 1), 1, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, first, READ + WRITE);
	assert_done_at(b, second, READ + WRITE + WRITE);
	close_idle(b);
}

/* Only its own block waits: a program of another block takes the die meanwhile, until 104100. */
static void test_other_blocks_do_not_wait_for_the_gate(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t read, first, copy, other;

	(void)state;
	old_page(b, 2, 0, 0, 0);
	old_page(b, 0, 0, 2, 0);
	bench_begin(b);
	read = flash_read(&b->io, page_at(b, 2, 0, 0, 0), 4, CAUSE_RMW, OP_NONE);
	first = flash_program(&b->io, page_at(b, 0, 0, 0, 0), 1, 4, CAUSE_HOST, read);
	copy = flash_copy(&b->io, page_at(b, 0, 0, 2, 0), page_at(b, 0, 0, 0, 1), CAUSE_GC, OP_NONE);
	other = flash_program(&b->io, page_at(b, 0, 0, 1, 0), 1, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	assert_done_at(b, other, WRITE);
	assert_done_at(b, first, WRITE + WRITE);
	assert_done_at(b, copy, WRITE + WRITE + COPY);
	close_idle(b);
}

/*
 * Page 0 waits for an erase elsewhere (until 1000100) and page 1 for page 0, when the block is erased
 * untimed.  Page 1 waits for nothing any more, nor does the new page 0; the old one still ends after its
 * erase.
 */
static void test_an_untimed_erase_opens_the_gate(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct io untimed = { .flash = b->flash };
	op_t erase, first, second, anew;

	(void)state;
	bench_begin(b);
	erase = flash_erase(&b->io, geometry_block(&b->geometry, page_at(b, 2, 0, 0, 0)), CAUSE_GC);
	first = flash_program(&b->io, 0, 1, 4, CAUSE_HOST, erase);
	second = flash_program(&b->io, 1, 1, 4, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	flash_disown(b->flash, 0);
	flash_disown(b->flash, 1);
	flash_erase(&untimed, 0, CAUSE_GC);
	anew = submit_program(b, 0);
	assert_done_at(b, second, WRITE);
	assert_done_at(b, anew, WRITE + WRITE);
	assert_done_at(b, first, ERASE + WRITE);
	close_idle(b);
}

/* A timed erase that waits for its block (a read until 1014200) no longer does after an untimed one. */
static void test_an_untimed_erase_frees_a_waiting_one(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct io untimed = { .flash = b->flash };
	op_t other, read, erase;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	bench_begin(b);
	other = flash_erase(&b->io, geometry_block(&b->geometry, page_at(b, 2, 0, 0, 0)), CAUSE_GC);
	read = flash_read(&b->io, 0, 4, CAUSE_GC, other);
	flash_disown(b->flash, 0);
	erase = flash_erase(&b->io, 0, CAUSE_GC);
	bench_submit(b);
	flash_erase(&untimed, 0, CAUSE_GC);
	assert_done_at(b, erase, ERASE);
	assert_done_at(b, read, ERASE + READ);
	close_idle(b);
}

/* ---- pages in flight ---- */

/* Served from the controller until 104099, from flash from 104100 on. */
static void test_read_of_a_page_in_flight_is_forwarded(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;
	uint32_t ticket = 0;
	tick_t when = 0;

	(void)state;
	submit_program(b, 0);
	schedule_run_until(s, WRITE - 1);
	assert_true(schedule_done(s, submit_read(b, 0)));
	assert_true(schedule_completed(s, &ticket, &when));
	assert_int_equal(when, WRITE - 1);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 1);
	assert_int_equal(b->flash->count[OP_READ][CAUSE_HOST], 0);
	schedule_run_until(s, WRITE);
	assert_done_at(b, submit_read(b, 0), WRITE + READ);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 1);
	assert_int_equal(b->flash->count[OP_READ][CAUSE_HOST], 1);
	close_idle(b);
}

/* A page in flight dies, its block is erased and rewritten: it is in flight until that program ends. */
static void test_page_is_in_flight_in_its_second_life(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;

	(void)state;
	submit_program(b, 0);
	flash_disown(b->flash, 0);
	submit_erase(b, 0);
	submit_program(b, 0);
	schedule_run_until(s, WRITE + ERASE + WRITE - 1);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 0);
	submit_read(b, 0);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 1);
	schedule_run_until(s, WRITE + ERASE + WRITE);
	assert_done_at(b, submit_read(b, 0), WRITE + ERASE + WRITE + READ);
	close_idle(b);
}

/* The same where the second life is untimed (the ideal device collects free of charge): the page is no longer
 * in flight, and a read costs a read. */
static void test_untimed_second_life_is_not_in_flight(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct io untimed = { .flash = b->flash };

	(void)state;
	submit_program(b, 0);
	flash_disown(b->flash, 0);
	flash_erase(&untimed, 0, CAUSE_GC);
	old_page(b, 0, 0, 0, 0);
	submit_read(b, 0);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 0);
	assert_int_equal(b->flash->count[OP_READ][CAUSE_HOST], 1);
	close_idle(b);
}

/* The program waits for a read until 14100: only then is there anything to answer with. */
static void test_a_forwarded_read_waits_for_the_data(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t read, program, forwarded;

	(void)state;
	old_page(b, 2, 0, 0, 0);
	bench_begin(b);
	read = flash_read(&b->io, page_at(b, 2, 0, 0, 0), 4, CAUSE_RMW, OP_NONE);
	program = flash_program(&b->io, 0, 1, 4, CAUSE_HOST, read);
	bench_submit(b);
	forwarded = submit_read(b, 0);
	assert_done_at(b, forwarded, READ);
	assert_done_at(b, program, READ + WRITE);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 1);
	close_idle(b);
}

/* It waits for its dependencies, and other operations can depend on it. */
static void test_a_forwarded_read_is_an_operation(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t other[2], forwarded, program;

	(void)state;
	old_page(b, 2, 0, 0, 0);
	old_page(b, 3, 0, 0, 0);
	submit_program(b, 0);
	bench_begin(b);
	other[0] = flash_read(&b->io, page_at(b, 2, 0, 0, 0), 4, CAUSE_MAP, OP_NONE);
	other[1] = flash_read(&b->io, page_at(b, 3, 0, 0, 0), 4, CAUSE_MAP, OP_NONE);
	forwarded = flash_read(&b->io, 0, 4, CAUSE_RMW, other[0]);
	flash_wait(&b->io, forwarded, other[1]);
	program = flash_program(&b->io, page_at(b, 2, 0, 1, 0), 1, 4, CAUSE_HOST, forwarded);
	bench_submit(b);
	assert_done_at(b, forwarded, READ + 4000);
	assert_done_at(b, program, READ + 4000 + WRITE);
	close_idle(b);
}

/* A chain of reads forwarded from programs that wait for them ends at once, however long it is. */
static void test_a_long_chain_of_forwarded_reads(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.pages=40000 flash.forward_bytes=1G");
	op_t other = submit_erase(b, page_at(b, 2, 0, 0, 0)), read = other;

	(void)state;
	for (uint32_t page = 0; page < amount(4000, 20000); page++) {
		bench_begin(b);
		if (page)
			read = flash_read(&b->io, page - 1, 4, CAUSE_RMW, OP_NONE);
		flash_program(&b->io, page, 1, 4, CAUSE_HOST, read);
		bench_submit(b);
	}
	assert_done_at(b, read, ERASE);
	close_idle(b);
}

/* Room for one page: the second program is not held, a read of its page waits for it. */
static void test_forwarding_takes_memory(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.forward_bytes=4095");
	op_t forwarded, read;

	(void)state;
	submit_program(b, page_at(b, 0, 0, 0, 0));
	submit_program(b, page_at(b, 2, 0, 0, 0));
	forwarded = submit_read(b, page_at(b, 0, 0, 0, 0));
	read = submit_read(b, page_at(b, 2, 0, 0, 0));
	assert_true(schedule_done(b->flash->schedule, forwarded));
	assert_done_at(b, read, WRITE + READ);
	submit_program(b, page_at(b, 2, 0, 0, 1)); /* the room is free again */
	assert_true(schedule_done(b->flash->schedule, submit_read(b, page_at(b, 2, 0, 0, 1))));
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 2);
	assert_int_equal(b->flash->count[OP_READ][CAUSE_HOST], 1);
	close_idle(b);
}

/* A page in flight that is not held in memory is copied once it is written, by copy-back. */
static void test_copy_of_a_page_nobody_holds(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.forward_bytes=0");
	op_t copy;

	(void)state;
	submit_program(b, 0);
	copy = submit_copy(b, 0, page_at(b, 0, 0, 1, 0));
	assert_done_at(b, copy, WRITE + COPY);
	assert_int_equal(b->flash->count[OP_COPY][CAUSE_GC], 1);
	close_idle(b);
}

/* The die writes until 104100, the copy waits behind it: the page is still where it was, and read there
 * first. */
static void test_a_page_under_copy_back_is_read_at_its_source(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t copy, read;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	submit_program(b, page_at(b, 0, 1, 0, 0));
	copy = submit_copy(b, 0, page_at(b, 0, 0, 1, 0));
	read = submit_read(b, page_at(b, 0, 0, 1, 0));
	assert_done_at(b, read, WRITE + READ);
	assert_done_at(b, copy, WRITE + READ + COPY);
	assert_int_equal(b->flash->forwarded[CAUSE_HOST], 0);
	assert_int_equal(b->flash->count[OP_READ][CAUSE_HOST], 1);
	close_idle(b);
}

/* In state the source block is erased and rewritten at once; in time, after the read and the copy. */
static void test_the_erase_of_a_source_waits_for_its_reader(void **state)
{
	const tick_t copied = WRITE + READ + COPY;
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t copy, erase, program, read;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	submit_program(b, page_at(b, 0, 1, 0, 0));
	copy = submit_copy(b, 0, page_at(b, 0, 0, 1, 0));
	erase = submit_erase(b, 0);
	program = submit_program(b, 0);
	read = submit_read(b, page_at(b, 0, 0, 1, 0));
	assert_done_at(b, read, WRITE + READ);
	assert_done_at(b, copy, copied);
	assert_done_at(b, erase, copied + ERASE);
	assert_done_at(b, program, copied + ERASE + WRITE);
	close_idle(b);
}

/* A read that waits for an operation after the erase of the source must not hold up that erase: it runs when
 * the page has long arrived. */
static void test_a_read_behind_the_erase_of_its_source(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t program, read;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	submit_copy(b, 0, page_at(b, 0, 0, 1, 0));
	submit_erase(b, 0);
	program = submit_program(b, 0);
	bench_begin(b);
	read = flash_read(&b->io, page_at(b, 0, 0, 1, 0), 4, CAUSE_MAP, program);
	bench_submit(b);
	assert_done_at(b, program, COPY + ERASE + WRITE);
	assert_done_at(b, read, COPY + ERASE + WRITE + READ);
	close_idle(b);
}

/* A page copied twice before the first copy has begun is still at its source; the second copy waits. */
static void test_a_copy_of_a_copy(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t other, copy[2], read;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	other = submit_erase(b, page_at(b, 2, 0, 0, 0));
	bench_begin(b);
	copy[0] = flash_copy(&b->io, 0, page_at(b, 0, 0, 1, 0), CAUSE_GC, other);
	copy[1] = flash_copy(&b->io, page_at(b, 0, 0, 1, 0), page_at(b, 0, 0, 2, 0), CAUSE_GC, OP_NONE);
	bench_submit(b);
	read = submit_read(b, page_at(b, 0, 0, 2, 0));
	assert_done_at(b, read, READ);
	assert_done_at(b, copy[0], ERASE + COPY);
	assert_done_at(b, copy[1], ERASE + COPY + COPY);
	close_idle(b);
}

/* The first copy has arrived and its block is erased: the page is read where the first copy took it. */
static void test_a_copy_of_a_copy_that_has_arrived(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t copy[2], read;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	copy[0] = submit_copy(b, 0, page_at(b, 0, 0, 1, 0));
	copy[1] = submit_copy(b, page_at(b, 0, 0, 1, 0), page_at(b, 0, 0, 2, 0));
	submit_erase(b, 0);
	submit_erase(b, page_at(b, 0, 0, 1, 0));
	assert_done_at(b, copy[0], COPY);
	read = submit_read(b, page_at(b, 0, 0, 2, 0));
	assert_done_at(b, copy[1], COPY + COPY);
	assert_done_at(b, read, COPY + COPY + READ);
	close_idle(b);
}

/* ---- requests ---- */

/* A request is complete when its last operation is, background work not counted. */
static void test_request_completes_with_its_last_operation(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;
	uint32_t ticket = 0;
	tick_t when = 0;

	(void)state;
	bench_begin(b);
	flash_program(&b->io, page_at(b, 0, 0, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	flash_program(&b->io, page_at(b, 1, 0, 0, 0), 1, 4, CAUSE_HOST, OP_NONE);
	flash_erase(&b->io, geometry_block(&b->geometry, page_at(b, 2, 0, 0, 0)), CAUSE_GC);
	bench_submit(b);
	assert_true(schedule_run_to_completion(s, TICK_NEVER));
	assert_true(schedule_completed(s, &ticket, &when));
	assert_int_equal(ticket, b->io.ticket);
	assert_int_equal(when, 2 * (100 + 4000) + 100000);
	assert_int_equal(schedule_now(s), when);
	assert_false(schedule_completed(s, &ticket, &when));
	schedule_drain(s);
	assert_int_equal(schedule_now(s), ERASE);
	close_idle(b);
}

static void test_request_without_operations_takes_its_look_ups(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;
	uint32_t ticket = 0;
	tick_t when = 0;

	(void)state;
	bench_begin(b);
	schedule_submit(s, &b->io, 3000);
	schedule_run_until(s, 2999);
	assert_false(schedule_completed(s, &ticket, &when));
	schedule_run_until(s, 3000);
	assert_true(schedule_completed(s, &ticket, &when));
	assert_int_equal(when, 3000);
	close_idle(b);
}

static void test_look_ups_that_end_together_keep_their_order(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	op_t write[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		bench_begin(b);
		write[i] = flash_program(&b->io, page_at(b, 0, 0, i, 0), 1, 4, CAUSE_HOST, OP_NONE);
		schedule_submit(b->flash->schedule, &b->io, 1000);
	}
	assert_done_at(b, write[0], 1000 + WRITE);
	assert_done_at(b, write[1], 1000 + 2 * WRITE);
	close_idle(b);
}

static void test_operations_begin_after_the_look_ups(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 0, 0);
	op_t read;

	(void)state;
	bench_begin(b);
	read = flash_read(&b->io, old, 4, CAUSE_HOST, OP_NONE);
	schedule_submit(b->flash->schedule, &b->io, 1000);
	assert_done_at(b, read, 1000 + READ);
	close_idle(b);
}

/* A read whose look-ups end with a program of its die gets the die before the program that waits there. */
static void test_look_ups_that_end_with_a_program(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 2, 0);
	op_t write[2], read;

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		write[i] = submit_program(b, page_at(b, 0, 0, i, 0));
	bench_begin(b);
	read = flash_read(&b->io, old, b->geometry.sectors_per_page, CAUSE_HOST, OP_NONE);
	schedule_submit(b->flash->schedule, &b->io, WRITE);
	assert_done_at(b, write[0], WRITE);
	assert_done_at(b, read, WRITE + READ);
	assert_done_at(b, write[1], WRITE + READ + WRITE);
	close_idle(b);
}

/* Of 300 requests with look-ups of random length each completes after just that time. */
static void test_many_look_ups_end_in_their_own_time(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;
	tick_t due[300], when = 0, last = 0;
	struct random random;
	uint32_t ticket = 0, completed = 0;

	(void)state;
	random_init(&random, seed_of_run(), 1);
	for (uint32_t i = 0; i < 300; i++) {
		tick_t delay = 1 + random_below(&random, 1000);

		bench_begin(b);
		due[b->io.ticket] = delay;
		schedule_submit(s, &b->io, delay);
	}
	schedule_drain(s);
	for (; schedule_completed(s, &ticket, &when); completed++) {
		assert_int_equal(when, due[ticket]);
		assert_true(when >= last);
		last = when;
	}
	assert_int_equal(completed, 300);
	close_idle(b);
}

/* ---- load ---- */

static void test_load_counts_what_waits_and_what_is_served(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct schedule *s = b->flash->schedule;

	(void)state;
	submit_program(b, page_at(b, 1, 0, 0, 0));
	submit_program(b, page_at(b, 1, 1, 0, 0));
	submit_erase(b, page_at(b, 3, 0, 0, 0));
	assert_int_equal(schedule_load(s, 0), 0);
	assert_int_equal(schedule_load(s, 1), 200000);
	assert_int_equal(schedule_load(s, 3), 1000000);
	schedule_run_until(s, WRITE - 1);
	assert_int_equal(schedule_load(s, 1), 200000);
	schedule_run_until(s, WRITE);
	assert_int_equal(schedule_load(s, 1), 100000);
	close_idle(b);
}

/* A chain of 5000 dependent reads ends exactly 5000 reads later: the pools grow, nothing is lost. */
static void test_a_long_chain(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	ppn_t old = old_page(b, 0, 0, 0, 0);
	op_t last = OP_NONE;

	(void)state;
	bench_begin(b);
	for (int i = 0; i < 5000; i++)
		last = flash_read(&b->io, old, 4, CAUSE_HOST, last);
	bench_submit(b);
	assert_done_at(b, last, (tick_t)5000 * READ);
	close_idle(b);
}

/* An idle drive has no events: nothing completes, and time passes only as it is told to. */
static void test_nothing_happens_on_an_idle_drive(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);

	(void)state;
	assert_false(schedule_run_to_completion(b->flash->schedule, TICK_NEVER));
	schedule_run_until(b->flash->schedule, 1000);
	assert_int_equal(schedule_now(b->flash->schedule), 1000);
	schedule_drain(b->flash->schedule);
	assert_int_equal(schedule_now(b->flash->schedule), 1000);
	close_idle(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_part_of_a_page),
		cmocka_unit_test(test_transfer_is_rounded_once),
		cmocka_unit_test(test_free_commands_never_touch_the_bus),
		cmocka_unit_test(test_page_types),
		cmocka_unit_test(test_commands_or_data_go_first_on_the_bus),
		cmocka_unit_test(test_a_freed_die_asks_before_the_bus_is_passed_on),
		cmocka_unit_test(test_a_transfer_ends_in_the_order_of_the_dies),
		cmocka_unit_test(test_a_program_is_no_mere_command),
		cmocka_unit_test(test_every_command_without_data_goes_first),
		cmocka_unit_test(test_multiplane_command_of_three_planes),
		cmocka_unit_test(test_multiplane_commands_of_an_idle_die),
		cmocka_unit_test(test_a_read_of_the_same_request_goes_first),
		cmocka_unit_test(test_planes_join_from_the_middle_of_the_queue),
		cmocka_unit_test(test_no_program_joins_before_its_predecessor),
		cmocka_unit_test(test_copy_back),
		cmocka_unit_test(test_copy_back_takes_the_times_of_both_pages),
		cmocka_unit_test(test_copy_without_copy_back_is_a_read_and_a_program),
		cmocka_unit_test(test_copy_to_another_plane_crosses_the_bus),
		cmocka_unit_test(test_copy_of_a_page_in_flight),
		cmocka_unit_test(test_pages_moved_in_a_row),
		cmocka_unit_test(test_a_moved_page_moves_on),
		cmocka_unit_test(test_a_page_moves_when_it_is_written),
		cmocka_unit_test(test_a_page_moved_twice_is_read_at_its_source),
		cmocka_unit_test(test_what_is_made_between_moves_stays_there),
		cmocka_unit_test(test_moves_from_two_blocks),
		cmocka_unit_test(test_moves_are_passed_one_by_one),
		cmocka_unit_test(test_moved_pages_take_the_times_of_their_types),
		cmocka_unit_test(test_a_moved_page_is_interrupted),
		cmocka_unit_test(test_an_untimed_erase_of_what_is_moved_into),
		cmocka_unit_test(test_a_waiting_write_is_passed_by_so_many_reads),
		cmocka_unit_test(test_the_next_write_is_passed_as_often),
		cmocka_unit_test(test_an_erase_is_suspended_again),
		cmocka_unit_test(test_suspension_keeps_the_books_of_busy_time),
		cmocka_unit_test(test_suspending_takes_time),
		cmocka_unit_test(test_reads_that_come_together_suspend_together),
		cmocka_unit_test(test_each_kind_of_command_takes_its_time),
		cmocka_unit_test(test_further_planes_have_commands_of_their_own),
		cmocka_unit_test(test_operation_waits_for_another),
		cmocka_unit_test(test_operation_waits_for_two_others),
		cmocka_unit_test(test_waiting_for_what_is_done_costs_nothing),
		cmocka_unit_test(test_erase_waits_for_what_goes_on_in_its_block),
		cmocka_unit_test(test_program_waits_for_the_erase_of_its_block),
		cmocka_unit_test(test_two_lives_of_a_block_in_one_request),
		cmocka_unit_test(test_a_program_waits_for_its_predecessor_in_the_block),
		cmocka_unit_test(test_other_blocks_do_not_wait_for_the_gate),
		cmocka_unit_test(test_an_untimed_erase_opens_the_gate),
		cmocka_unit_test(test_an_untimed_erase_frees_a_waiting_one),
		cmocka_unit_test(test_read_of_a_page_in_flight_is_forwarded),
		cmocka_unit_test(test_page_is_in_flight_in_its_second_life),
		cmocka_unit_test(test_untimed_second_life_is_not_in_flight),
		cmocka_unit_test(test_a_forwarded_read_waits_for_the_data),
		cmocka_unit_test(test_a_forwarded_read_is_an_operation),
		cmocka_unit_test(test_a_long_chain_of_forwarded_reads),
		cmocka_unit_test(test_forwarding_takes_memory),
		cmocka_unit_test(test_copy_of_a_page_nobody_holds),
		cmocka_unit_test(test_a_page_under_copy_back_is_read_at_its_source),
		cmocka_unit_test(test_the_erase_of_a_source_waits_for_its_reader),
		cmocka_unit_test(test_a_read_behind_the_erase_of_its_source),
		cmocka_unit_test(test_a_copy_of_a_copy),
		cmocka_unit_test(test_a_copy_of_a_copy_that_has_arrived),
		cmocka_unit_test(test_request_completes_with_its_last_operation),
		cmocka_unit_test(test_request_without_operations_takes_its_look_ups),
		cmocka_unit_test(test_operations_begin_after_the_look_ups),
		cmocka_unit_test(test_look_ups_that_end_together_keep_their_order),
		cmocka_unit_test(test_look_ups_that_end_with_a_program),
		cmocka_unit_test(test_many_look_ups_end_in_their_own_time),
		cmocka_unit_test(test_load_counts_what_waits_and_what_is_served),
		cmocka_unit_test(test_a_long_chain),
		cmocka_unit_test(test_nothing_happens_on_an_idle_drive),
	};

	struct CMUnitTest all[TIMED_CASES + sizeof tests / sizeof *tests];

	for (size_t i = 0; i < TIMED_CASES; i++)
		all[i] = (struct CMUnitTest){ .name = timed_cases[i].name,
			.test_func = test_timed_case,
			/* NOLINTNEXTLINE(performance-no-int-to-ptr): cmocka takes no const */
			.initial_state = (void *)(uintptr_t)&timed_cases[i] };
	memcpy(all + TIMED_CASES, tests, sizeof tests);
	return _cmocka_run_group_tests("time", all, sizeof all / sizeof *all, NULL, NULL);
}
