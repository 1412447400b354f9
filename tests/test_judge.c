/*
 * The judge of time against a drive that breaks the laws of time on purpose, event by event: each breach
 * must abort with names and numbers, the same events in a lawful order must pass.
 *
 * One channel of two dies of two planes of 4 blocks of 4 pages; times as in drive_fixture.h.
 */
#include "tests/drive_fixture.h"

enum { COMMAND = 100, PAGE = 4000, SENSE = 10000, PROGRAM = 100000, ERASE = 1000000, DRAM = 50 };

static struct judge_settings settings_of(enum judged_bus bus_order)
{
	static const tick_t read_ns[] = { SENSE }, program_ns[] = { PROGRAM };

	return (struct judge_settings){ .channels = 1,
		.dies_per_channel = 2,
		.planes_per_die = 2,
		.blocks_per_plane = 4,
		.pages_per_block = 4,
		.page_bytes = 2048,
		.dies_per_unit = 1,
		.read_ns = read_ns,
		.program_ns = program_ns,
		.read_types = 1,
		.program_types = 1,
		.erase_ns = ERASE,
		.command_ns = { COMMAND, COMMAND, COMMAND },
		.suspend_ns = 3000,
		.resume_ns = 5000,
		.dram_ns = DRAM,
		.bus_order = bus_order,
		.bus_mb_per_s = 512,
		.forward_bytes = 1 << 20 };
}

static struct judge *new_judge_of(enum judged_bus bus_order)
{
	struct judge_settings settings = settings_of(bus_order);

	return judge_create(&settings);
}

static struct judge *new_judge(void)
{
	return new_judge_of(JUDGED_COMMAND_FIRST);
}

/* An operation of ticket 0 on a whole page; awaited, unless it is an erase. */
static void make(struct judge *j, uint64_t id, enum op_kind kind, ppn_t ppn, ppn_t to)
{
	struct made_op made = {
		.op = id, .kind = kind, .ppn = ppn, .to = to, .sectors = 4, .awaited = kind != OP_ERASE
	};

	judge_made(j, &made);
}

/* The operation alone on its die, from `now` on; returns when it is done. */
static tick_t go_through(struct judge *j, uint64_t id, tick_t in, tick_t cells, tick_t out, tick_t now)
{
	const uint32_t die = 0;

	judge_started(j, id, die, now);
	judge_bus(j, die, BUS_SENDS, now);
	judge_bus(j, die, BUS_LEFT, now += in);
	judge_cells(j, die, true, now);
	judge_cells(j, die, false, now += cells);
	if (out) {
		judge_bus(j, die, BUS_RECEIVES, now);
		judge_bus(j, die, BUS_LEFT, now += out);
	}
	judge_done(j, id, now);
	return now;
}

static tick_t read_through(struct judge *j, uint64_t id, tick_t now)
{
	return go_through(j, id, COMMAND, SENSE, PAGE, now);
}

static tick_t program_through(struct judge *j, uint64_t id, tick_t now)
{
	return go_through(j, id, COMMAND + PAGE, PROGRAM, 0, now);
}

static tick_t erase_through(struct judge *j, uint64_t id, tick_t now)
{
	return go_through(j, id, COMMAND, ERASE, 0, now);
}

/* Page 0 is old.  Request 0 reads it (1), writes its data to page 4 (2), and writes page 5 (3). */
static struct judge *begun(void)
{
	struct judge *j = new_judge();

	judge_placed(j, 0, PPN_NONE);
	judge_begin(j, 0);
	make(j, 1, OP_READ, 0, PPN_NONE);
	make(j, 2, OP_PROGRAM, 4, PPN_NONE);
	judge_waits(j, 2, 1);
	make(j, 3, OP_PROGRAM, 5, PPN_NONE);
	return j;
}

static void test_a_lawful_request(void **state)
{
	struct judge *j = begun();
	tick_t now = DRAM;

	(void)state;
	judge_kept(j, 4, 0);
	make(j, 4, OP_FORWARD, 4, PPN_NONE);
	judge_answers(j, 4);
	judge_submit(j, 0, 1, 0);
	now = read_through(j, 1, now);
	judge_done(j, 4, now);
	now = program_through(j, 2, now);
	now = program_through(j, 3, now);
	judge_completed(j, 0, now);
	judge_idle(j);
	judge_begin(j, 0);
	make(j, 5, OP_COPY, 5, 8);
	make(j, 6, OP_ERASE, 4, PPN_NONE);
	make(j, 7, OP_PROGRAM, 4, PPN_NONE);
	make(j, 8, OP_READ, 8, PPN_NONE);
	judge_submit(j, 0, 0, now);
	judge_reads_at(j, 8, 5);
	now = read_through(j, 8, now);
	now = go_through(j, 5, 2 * COMMAND, SENSE + PROGRAM, 0, now);
	now = erase_through(j, 6, now);
	now = program_through(j, 7, now);
	judge_completed(j, 0, now);
	judge_idle(j);
	judge_free(j);
}

/*
 * The collector reads page 8 and erases its block.  The request reads page 0, which moves to page 8 without
 * copy-back, and writes what it read to page 4: what was read at page 8 before is no longer there and need
 * not be waited for.
 */
static void test_a_page_that_is_moved_to_where_another_was_read(void **state)
{
	struct judge *j = new_judge();

	(void)state;
	judge_placed(j, 0, PPN_NONE);
	judge_placed(j, 8, PPN_NONE);
	judge_begin(j, 0);
	make(j, 1, OP_READ, 8, PPN_NONE);
	make(j, 2, OP_ERASE, 8, PPN_NONE);
	make(j, 3, OP_READ, 0, PPN_NONE);
	make(j, 4, OP_PROGRAM, 8, PPN_NONE);
	judge_waits(j, 4, 3);
	make(j, 5, OP_PROGRAM, 4, PPN_NONE);
	judge_waits(j, 5, 3);
	judge_kept(j, 4, 8);
	judge_free(j);
}

/* A program is suspended after 50000 ns in the cells for a read, and resumed; `stop` and `cost` are the times
 * that this takes. */
static void interrupt(struct judge *j, tick_t stop, tick_t cost)
{
	tick_t now = COMMAND + PAGE;

	judge_started(j, 3, 0, 0);
	judge_bus(j, 0, BUS_SENDS, 0);
	judge_bus(j, 0, BUS_LEFT, now);
	judge_cells(j, 0, true, now);
	judge_suspended(j, 0, now += 50000);
	now = read_through(j, 1, now + stop);
	judge_resumed(j, 0);
	judge_cells(j, 0, true, now);
	judge_cells(j, 0, false, now += PROGRAM - 50000 + cost);
	judge_done(j, 3, now);
}

/*
 * One request reads a page, copies it over the bus into a block that was read from and erased before, and
 * keeps its data in a third page: the data of the copy, brought by the read of the original.
 */
static void test_a_copy_over_the_bus_is_the_same_data(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.copyback=false");
	ppn_t from = old_page(b, 0, 0, 0, 0), to = old_page(b, 0, 0, 1, 0), page = page_at(b, 0, 0, 2, 0);
	op_t read;

	(void)state;
	bench_begin(b);
	read = flash_read(&b->io, from, 4, CAUSE_MERGE, OP_NONE);
	flash_read(&b->io, to, 4, CAUSE_HOST, OP_NONE);
	flash_disown(b->flash, to);
	flash_erase(&b->io, geometry_block(&b->geometry, to), CAUSE_GC);
	flash_copy(&b->io, from, to, CAUSE_GC, OP_NONE);
	flash_program(&b->io, page, 2, 4, CAUSE_HOST, read);
	flash_holds_kept(&b->io, page, to, (struct extent){ 0, 4 });
	bench_submit(b);
	schedule_drain(b->flash->schedule);
	bench_close(b);
}

static struct judge *read_and_write(void)
{
	struct judge *j = new_judge();

	judge_placed(j, 0, PPN_NONE);
	judge_begin(j, 0);
	make(j, 1, OP_READ, 0, PPN_NONE);
	make(j, 3, OP_PROGRAM, 4, PPN_NONE);
	judge_submit(j, 0, 0, 0);
	return j;
}

/*
 * A program of die 0 and a read of die 1 ask for the bus, one after the other; or the program asks, and the
 * read with its data at the same moment.  The bus goes to die `taker`.
 */
static void take_the_bus(enum judged_bus bus_order, bool data, uint32_t taker, tick_t later)
{
	struct judge *j = new_judge_of(bus_order);

	judge_placed(j, 32, PPN_NONE);
	judge_begin(j, 0);
	make(j, 1, OP_PROGRAM, 0, PPN_NONE);
	make(j, 2, OP_READ, 32, PPN_NONE);
	judge_submit(j, 0, 0, 0);
	if (data) {
		judge_started(j, 2, 1, 0);
		judge_bus(j, 1, BUS_SENDS, 0);
		judge_bus(j, 1, BUS_LEFT, COMMAND);
		judge_cells(j, 1, true, COMMAND);
		judge_started(j, 1, 0, COMMAND + SENSE);
		judge_cells(j, 1, false, COMMAND + SENSE);
		judge_bus(j, taker, taker ? BUS_RECEIVES : BUS_SENDS, COMMAND + SENSE);
	} else {
		judge_started(j, 1, 0, 0);
		judge_started(j, 2, 1, 0);
		judge_bus(j, taker, BUS_SENDS, later);
	}
	judge_free(j);
}

/* The same events; the bus goes to the die whose turn it is. */
static void test_lawful_turns_on_the_bus(void **state)
{
	(void)state;
	take_the_bus(JUDGED_COMMAND_FIRST, false, 1, 0);
	take_the_bus(JUDGED_COMMAND_FIRST, true, 0, 0);
	take_the_bus(JUDGED_FIRST_COME, true, 0, 0);
	take_the_bus(JUDGED_FIRST_COME, false, 0, 0);
	take_the_bus(JUDGED_DATA_FIRST, true, 1, 0);
	take_the_bus(JUDGED_DATA_FIRST, false, 0, 0);
}

static void test_a_lawful_interruption(void **state)
{
	struct judge *j = read_and_write();

	(void)state;
	interrupt(j, 3000, 5000);
	judge_free(j);
}

/* A read of page 0, the erase of its block, and a new program of the page. */
static struct judge *two_lives(void)
{
	struct judge *j = new_judge();

	judge_placed(j, 0, PPN_NONE);
	judge_begin(j, 0);
	make(j, 1, OP_READ, 0, PPN_NONE);
	make(j, 2, OP_ERASE, 0, PPN_NONE);
	make(j, 3, OP_PROGRAM, 0, PPN_NONE);
	judge_submit(j, 0, 0, 0);
	return j;
}

enum breach {
	BEFORE_LOOK_UPS,
	BEFORE_ITS_READ,
	KEEPS_UNREAD,
	OUT_OF_ORDER,
	ERASE_IN_USE,
	PROGRAM_BEFORE_ERASE,
	READ_OF_NOTHING,
	READ_TOO_EARLY,
	FORWARD_UNREAD,
	FORWARD_AFTER,
	ONE_SECTOR,
	NO_TRANSFER,
	SHORT_CELLS,
	FREE_RESUME,
	FREE_SUSPENSION,
	DIE_TWICE,
	TWO_PLANES,
	BUS_TWICE,
	BUS_IDLE,
	COMMAND_PASSED,
	DATA_PASSED,
	FIRST_PASSED,
	WRONG_DIE,
	ANSWERED_UNREAD,
	TOO_EARLY,
	WORK_BESIDE_REQUEST,
	WORK_TOO_EARLY,
	COPIES_ALONE,
	COPIES_FROM_ELSEWHERE,
	COPIES_TO_ELSEWHERE,
	LEFT_OVER,
	BREACHES
};

/* Breaches of dependencies and of the places of data. */
static void break_order(enum breach breach)
{
	struct judge *j = breach == ERASE_IN_USE || breach == PROGRAM_BEFORE_ERASE ? two_lives() : begun();

	if (breach == KEEPS_UNREAD)
		judge_kept(j, 5, 0);
	if (breach == FORWARD_UNREAD)
		make(j, 4, OP_FORWARD, 4, PPN_NONE);
	if (breach == READ_OF_NOTHING)
		make(j, 4, OP_READ, 9, PPN_NONE);
	if (breach == READ_TOO_EARLY)
		make(j, 4, OP_READ, 4, PPN_NONE);
	judge_submit(j, 0, breach == BEFORE_LOOK_UPS, 0);
	switch (breach) {
	case BEFORE_LOOK_UPS:
		read_through(j, 1, DRAM - 1);
		break;
	case BEFORE_ITS_READ:
		program_through(j, 2, 0);
		break;
	case OUT_OF_ORDER:
	case PROGRAM_BEFORE_ERASE:
		program_through(j, 3, 0);
		break;
	case ERASE_IN_USE:
		erase_through(j, 2, 0);
		break;
	case FORWARD_UNREAD:
		judge_done(j, 4, 0);
		break;
	case FORWARD_AFTER:
		program_through(j, 2, read_through(j, 1, 0));
		make(j, 4, OP_FORWARD, 4, PPN_NONE);
		break;
	default:
		read_through(j, 4, 0);
	}
}

/* Work in idle time begins at 199; a request without operations completed at 100, or has not. */
static void work_too_early(bool completed)
{
	struct judge *j = new_judge();

	judge_begin(j, 0);
	judge_submit(j, 0, 0, 0);
	if (completed)
		judge_completed(j, 0, 100);
	judge_begin(j, 1);
	judge_works(j, 1, 100, 199);
}

/* A copy in each plane of a die, in one command. */
static void copy_in_two_planes(enum breach breach)
{
	struct judge_settings settings = settings_of(JUDGED_FIRST_COME);
	struct judge *j;
	ppn_t from = breach == COPIES_FROM_ELSEWHERE ? 17 : 16;

	settings.multiplane = JUDGED_SAME_OFFSET;
	settings.multiplane_copy = breach != COPIES_ALONE;
	j = judge_create(&settings);
	judge_placed(j, 0, PPN_NONE);
	judge_placed(j, 16, PPN_NONE);
	judge_placed(j, 17, PPN_NONE);
	judge_begin(j, 0);
	make(j, 1, OP_COPY, 0, 4);
	make(j, 2, OP_COPY, from, breach == COPIES_TO_ELSEWHERE ? 21 : 20);
	judge_submit(j, 0, 0, 0);
	judge_started(j, 1, 0, 0);
	judge_started(j, 2, 0, 0);
}

/* Breaches of what a die, a bus and a request can do. */
static void break_physics(enum breach breach)
{
	struct judge *j = read_and_write();

	switch (breach) {
	case ONE_SECTOR:
		go_through(j, 1, COMMAND, SENSE, 1000, 0);
		break;
	case NO_TRANSFER:
		go_through(j, 3, COMMAND, PROGRAM, 0, 0);
		break;
	case SHORT_CELLS:
		go_through(j, 3, COMMAND + PAGE, PROGRAM - 1, 0, 0);
		break;
	case FREE_RESUME:
		interrupt(j, 3000, 0);
		break;
	case FREE_SUSPENSION:
		interrupt(j, 2999, 5000);
		break;
	case DIE_TWICE:
		judge_started(j, 1, 0, 0);
		judge_started(j, 3, 0, 0);
		break;
	case TWO_PLANES:
		make(j, 4, OP_PROGRAM, 16, PPN_NONE);
		judge_started(j, 3, 0, 0);
		judge_started(j, 4, 0, 0);
		break;
	case BUS_TWICE:
		judge_placed(j, 32, PPN_NONE);
		make(j, 4, OP_READ, 32, PPN_NONE);
		judge_started(j, 1, 0, 0);
		judge_bus(j, 0, BUS_SENDS, 0);
		judge_started(j, 4, 1, 0);
		judge_bus(j, 1, BUS_SENDS, 0);
		break;
	case BUS_IDLE:
		take_the_bus(JUDGED_FIRST_COME, false, 0, 1);
		break;
	case COMMAND_PASSED:
		take_the_bus(JUDGED_COMMAND_FIRST, false, 0, 0);
		break;
	case DATA_PASSED:
		take_the_bus(JUDGED_DATA_FIRST, true, 0, 0);
		break;
	case FIRST_PASSED:
		take_the_bus(JUDGED_FIRST_COME, false, 1, 0);
		break;
	case WRONG_DIE:
		judge_started(j, 1, 1, 0);
		break;
	case ANSWERED_UNREAD:
		judge_answers(j, 4);
		break;
	case TOO_EARLY:
		judge_completed(j, 0, program_through(j, 3, 0));
		break;
	case COPIES_ALONE:
	case COPIES_FROM_ELSEWHERE:
	case COPIES_TO_ELSEWHERE:
		copy_in_two_planes(breach);
		break;
	case WORK_BESIDE_REQUEST:
	case WORK_TOO_EARLY:
		work_too_early(breach == WORK_TOO_EARLY);
		break;
	default:
		judge_idle(j);
	}
}

static void commit(void *context)
{
	enum breach breach = *(enum breach *)context;

	if (breach < ONE_SECTOR)
		break_order(breach);
	else
		break_physics(breach);
}

static void test_each_breach(void **state)
{
	static const char *const says[BREACHES] = {
		[BEFORE_LOOK_UPS] = "a read of page 0 starts at 49, before the look-ups of its request",
		[BEFORE_ITS_READ] = "a program of page 4 starts at 0 before the read of page 0",
		[KEEPS_UNREAD] = "page 5 keeps data of page 0 and does not wait for a read of it",
		[OUT_OF_ORDER] = "a program of page 5 starts as number 0 of its block, it is number 1",
		[ERASE_IN_USE] = "the block of page 0 is erased before the read of page 0 is done",
		[PROGRAM_BEFORE_ERASE] =
			"a program of page 0 starts as number 0 of its block, it is number 1",
		[READ_OF_NOTHING] = "page 9 is to be read and holds nothing",
		[READ_TOO_EARLY] = "a read of page 4 takes place at page 4, which holds nothing yet",
		[FORWARD_UNREAD] = "a program of page 4 starts at 0 before the read of page 0",
		[FORWARD_AFTER] = "a read of page 4 is served from memory that does not hold the page",
		[ONE_SECTOR] = "a read of page 0 took 1100 ns on the bus, should take 4100",
		[NO_TRANSFER] = "after 100 ns on the bus, command and data take 4100",
		[SHORT_CELLS] = "a program of page 4 took 99999 ns in the cells, should take 100000",
		[FREE_RESUME] = "a program of page 4 took 100000 ns in the cells, should take 105000",
		[FREE_SUSPENSION] =
			"a read of page 0 starts at 57099, the command it suspends stops at 57100",
		[DIE_TWICE] = "a program of page 4 starts on a die that is at work",
		[TWO_PLANES] = "a program of page 16 starts on a die that is at work",
		[BUS_TWICE] = "die 1 takes the bus of channel 0 at 0 out of turn",
		[BUS_IDLE] =
			"die 0 takes the bus of channel 0 at 1, when it should not or should have before",
		[COMMAND_PASSED] = "die 0 takes the bus of channel 0 at 0, it is the turn of die 1",
		[DATA_PASSED] = "die 0 takes the bus of channel 0 at 10100, it is the turn of die 1",
		[FIRST_PASSED] = "die 1 takes the bus of channel 0 at 0, it is the turn of die 0",
		[WRONG_DIE] = "a read of page 0 starts on die 1",
		[ANSWERED_UNREAD] = "a request is answered from page 4 and waits for no read of it",
		[TOO_EARLY] = "the request of ticket 0 completes at 104100 before 1 of its operations",
		[WORK_BESIDE_REQUEST] = "work in idle time begins at 199 with 1 requests in the drive",
		[WORK_TOO_EARLY] = "work in idle time begins at 199, 99 ns after the last request",
		[COPIES_ALONE] = "a copy of page 16 starts on a die that is at work",
		[COPIES_FROM_ELSEWHERE] = "a copy of page 17 starts on a die that is at work",
		[COPIES_TO_ELSEWHERE] = "a copy of page 16 starts on a die that is at work",
		[LEFT_OVER] = "at the end 2 operations, 1 requests and 1 pages in memory are left",
	};

	(void)state;
	for (enum breach breach = 0; breach < BREACHES; breach++)
		assert_aborts(commit, &breach, says[breach]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lawful_request),
		cmocka_unit_test(test_a_lawful_interruption),
		cmocka_unit_test(test_lawful_turns_on_the_bus),
		cmocka_unit_test(test_a_page_that_is_moved_to_where_another_was_read),
		cmocka_unit_test(test_a_copy_over_the_bus_is_the_same_data),
		cmocka_unit_test(test_each_breach),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
