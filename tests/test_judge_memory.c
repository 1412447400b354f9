/*
 * The judge of time against a drive that does not keep the rules of memory for writes, of FLUSH or of FUA:
 * each breach must abort with names and numbers, the same events in a lawful order must pass.
 *
 * One die of one plane of 4 blocks of 8 pages of 2 KiB; memory has room for two pages.
 */
#include "tests/drive_fixture.h"

enum { COMMAND = 100, PAGE = 4000, PROGRAM = 100000, LOOK_UP = 1000, ALL = COMMAND + PAGE + PROGRAM };

static struct judge *judge_of(uint64_t memory_pages)
{
	static const tick_t read_ns[] = { 10000 }, program_ns[] = { PROGRAM };

	return judge_create(&(struct judge_settings){ .channels = 1,
		.dies_per_channel = 1,
		.planes_per_die = 1,
		.blocks_per_plane = 4,
		.pages_per_block = 8,
		.page_bytes = 2048,
		.dies_per_unit = 1,
		.read_ns = read_ns,
		.program_ns = program_ns,
		.read_types = 1,
		.program_types = 1,
		.erase_ns = 1000000,
		.command_ns = { COMMAND, COMMAND, COMMAND },
		.plane_command_ns = { COMMAND, COMMAND, COMMAND },
		.wordline_pages = 1,
		.passes = 1,
		.bus_mb_per_s = 512,
		.dram_ns = LOOK_UP,
		.memory_pages = memory_pages });
}

/* The program of page `id` - 1, for the request that has begun last. */
static void make(struct judge *j, op_t id, uint32_t ticket)
{
	judge_made(j, &(struct made_op){ .op = id,
			      .kind = OP_PROGRAM,
			      .ppn = (ppn_t)id - 1,
			      .to = PPN_NONE,
			      .owner = 7,
			      .ticket = ticket,
			      .sectors = 4,
			      .awaited = true });
}

static tick_t program(struct judge *j, op_t id, tick_t now)
{
	judge_started(j, id, 0, now);
	judge_bus(j, 0, BUS_SENDS, now);
	judge_bus(j, 0, BUS_LEFT, now += COMMAND + PAGE);
	judge_cells(j, 0, true, now);
	judge_cells(j, 0, false, now += PROGRAM);
	judge_done(j, id, now);
	return now;
}

/* A write of that many pages from the first one on, with a look-up. */
static struct judge *write_pages(uint32_t n, bool fua)
{
	struct judge *j = judge_of(2);

	judge_begin(j, 0);
	if (fua)
		judge_durable(j, 0);
	for (op_t id = 1; id <= n; id++)
		make(j, id, 0);
	judge_submit(j, 0, 1, 0);
	return j;
}

static void flush(struct judge *j, uint32_t ticket, tick_t now)
{
	judge_begin(j, ticket);
	judge_durable(j, ticket);
	judge_flushes(j, ticket);
	judge_submit(j, ticket, 0, now);
}

static void test_a_lawful_write(void **state)
{
	struct judge *j = write_pages(3, false);
	tick_t now;

	(void)state;
	judge_entered_memory(j, 1, LOOK_UP);
	judge_entered_memory(j, 2, LOOK_UP);
	now = program(j, 1, LOOK_UP);
	judge_entered_memory(j, 3, now);
	judge_completed(j, 0, now);
	flush(j, 0, now);
	now = program(j, 3, program(j, 2, now));
	judge_completed(j, 0, now);
	judge_idle(j);
	judge_free(j);
}

static void test_a_lawful_fua(void **state)
{
	struct judge *j = write_pages(1, true);
	tick_t now;

	(void)state;
	judge_entered_memory(j, 1, LOOK_UP);
	now = program(j, 1, LOOK_UP);
	judge_completed(j, 0, now);
	judge_idle(j);
	judge_free(j);
}

enum breach {
	ROOM_BEFORE_LOOK_UP,
	ROOM_OUT_OF_ORDER,
	ROOM_TWICE,
	TOO_MANY,
	STARTS_WITHOUT_ROOM,
	WRITE_WITHOUT_ROOM,
	FUA_IN_MEMORY,
	FLUSH_TOO_EARLY,
	READ_WITHOUT_ROOM,
	LEFT_IN_MEMORY,
	BREACHES
};

static void read_without_room(struct judge *j)
{
	judge_begin(j, 1);
	judge_made(j, &(struct made_op){ .op = 9,
			      .kind = OP_FORWARD,
			      .ppn = 0,
			      .to = PPN_NONE,
			      .ticket = 1,
			      .sectors = 4,
			      .awaited = true });
	judge_submit(j, 1, 0, 0);
	judge_done(j, 9, LOOK_UP);
}

static void commit(void *context)
{
	enum breach breach = *(enum breach *)context;
	struct judge *j = write_pages(3, breach == FUA_IN_MEMORY);

	if (breach == READ_WITHOUT_ROOM)
		read_without_room(j);
	if (breach == ROOM_OUT_OF_ORDER)
		judge_entered_memory(j, 2, LOOK_UP);
	if (breach == STARTS_WITHOUT_ROOM)
		program(j, 1, LOOK_UP);
	judge_entered_memory(j, 1, breach == ROOM_BEFORE_LOOK_UP ? LOOK_UP - 1 : LOOK_UP);
	if (breach == ROOM_TWICE)
		judge_entered_memory(j, 1, LOOK_UP);
	judge_entered_memory(j, 2, LOOK_UP);
	if (breach == WRITE_WITHOUT_ROOM)
		judge_completed(j, 0, LOOK_UP);
	if (breach == TOO_MANY)
		judge_entered_memory(j, 3, LOOK_UP);
	program(j, 1, LOOK_UP);
	judge_entered_memory(j, 3, LOOK_UP + ALL);
	judge_completed(j, 0, LOOK_UP + ALL);
	if (breach == LEFT_IN_MEMORY)
		judge_idle(j);
	flush(j, 0, LOOK_UP + ALL);
	judge_completed(j, 0, LOOK_UP + ALL);
}

static void test_each_breach(void **state)
{
	static const char *const says[BREACHES] = {
		[ROOM_BEFORE_LOOK_UP] =
			"page 0 is given room in memory at 999, before the look-ups of its request",
		[ROOM_OUT_OF_ORDER] = "page 1 is given room in memory as number 0, it was made as number 1",
		[ROOM_TWICE] = "operation 1 is given room in memory that it does not wait for",
		[TOO_MANY] = "3 pages are in memory that has room for 2",
		[STARTS_WITHOUT_ROOM] = "the program of page 0 starts without room in memory",
		[WRITE_WITHOUT_ROOM] = "the request of ticket 0 completes at 1000 before 1 of its operations",
		[FUA_IN_MEMORY] = "the request of ticket 0 completes at 105100 before 2 of its operations",
		[FLUSH_TOO_EARLY] = "a FLUSH completes before the program of page 1 that was made before it",
		[READ_WITHOUT_ROOM] =
			"a read of page 0 is answered from memory that has no room for the page yet",
		[LEFT_IN_MEMORY] = "at the end 2 pages are in memory",
	};

	(void)state;
	for (enum breach breach = 0; breach < BREACHES; breach++)
		assert_aborts(commit, &breach, says[breach]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lawful_write),
		cmocka_unit_test(test_a_lawful_fua),
		cmocka_unit_test(test_each_breach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
