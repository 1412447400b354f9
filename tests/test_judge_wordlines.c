/*
 * The judge of time against a drive that programs wordlines otherwise than it should: each breach must abort
 * with names and numbers, the same events in a lawful order must pass.
 *
 * One die of one plane of 4 blocks of 6 pages of 2 KiB, two pages a wordline.
 */
#include "tests/drive_fixture.h"

enum {
	COMMAND = 100,
	PAGE = 4000,
	LOAD = 2 * (COMMAND + PAGE),
	FIRST = 50000,
	SECOND = 120000,
	ONE = 100000
};

static struct judge *judge_of(uint32_t passes)
{
	static const tick_t read_ns[] = { 10000 }, one[] = { ONE }, two[] = { FIRST, SECOND };

	return judge_create(&(struct judge_settings){ .channels = 1,
		.dies_per_channel = 1,
		.planes_per_die = 1,
		.blocks_per_plane = 4,
		.pages_per_block = 6,
		.page_bytes = 2048,
		.dies_per_unit = 1,
		.read_ns = read_ns,
		.program_ns = passes == 2 ? two : one,
		.read_types = 1,
		.program_types = passes,
		.erase_ns = 1000000,
		.command_ns = { COMMAND, COMMAND, COMMAND },
		.plane_command_ns = { COMMAND, COMMAND, COMMAND },
		.by_wordline = true,
		.wordline_pages = 2,
		.passes = passes,
		.bus_mb_per_s = 512 });
}

/* The program of page `id` - 1, of request 0. */
static void make(struct judge *j, op_t id)
{
	judge_made(j, &(struct made_op){ .op = id,
			      .kind = OP_PROGRAM,
			      .ppn = (ppn_t)id - 1,
			      .to = PPN_NONE,
			      .owner = 7,
			      .sectors = 4,
			      .awaited = true });
}

static void make_pad(struct judge *j, op_t id, enum cause cause)
{
	judge_made(j, &(struct made_op){ .op = id,
			      .kind = OP_PROGRAM,
			      .cause = cause,
			      .ppn = (ppn_t)id - 1,
			      .to = PPN_NONE,
			      .owner = OWNER_NONE,
			      .ticket = INDEX_NONE,
			      .sectors = 4 });
}

/* Programs of the pages from 0 on, issued by a request that began at 0. */
static struct judge *pages(uint32_t passes, uint32_t n)
{
	struct judge *j = judge_of(passes);

	judge_begin(j, 0);
	for (op_t id = 1; id <= n; id++)
		make(j, id);
	judge_submit(j, 0, 0, 0);
	return j;
}

/* Both programs in one command; returns when its cells end. */
static tick_t run_pass(struct judge *j, op_t id, tick_t load, tick_t cells, tick_t now)
{
	judge_started(j, id, 0, now);
	judge_started(j, id + 1, 0, now);
	judge_bus(j, 0, BUS_SENDS, now);
	judge_bus(j, 0, BUS_LEFT, now += load);
	judge_cells(j, 0, true, now);
	judge_cells(j, 0, false, now += cells);
	return now;
}

static tick_t end(struct judge *j, op_t id, tick_t now)
{
	judge_done(j, id, now);
	judge_done(j, id + 1, now);
	return now;
}

static tick_t pass(struct judge *j, op_t id, tick_t now)
{
	now = run_pass(j, id, LOAD, FIRST, now);
	judge_passed(j, id, now);
	judge_passed(j, id + 1, now);
	return now;
}

static void test_a_lawful_wordline(void **state)
{
	struct judge *j = pages(1, 3);
	tick_t now;

	(void)state;
	make_pad(j, 4, CAUSE_PAD);
	now = end(j, 1, run_pass(j, 1, LOAD, ONE, 0));
	now = end(j, 3, run_pass(j, 3, LOAD, ONE, now));
	judge_completed(j, 0, now);
	judge_idle(j);
	judge_free(j);
}

/* Pages 0 to 2 and a pad are two wordlines; pads alone are the third one, with one pass. */
static void test_lawful_passes(void **state)
{
	struct judge *j = pages(2, 3);
	tick_t now;

	(void)state;
	make_pad(j, 4, CAUSE_PAD);
	make_pad(j, 5, CAUSE_PAD);
	make_pad(j, 6, CAUSE_PAD);
	now = pass(j, 3, pass(j, 1, 0));
	now = end(j, 1, run_pass(j, 1, LOAD, SECOND, now));
	now = end(j, 5, run_pass(j, 5, LOAD, FIRST, now));
	now = end(j, 3, run_pass(j, 3, LOAD, SECOND, now));
	judge_completed(j, 0, now);
	judge_idle(j);
	judge_free(j);
}

/* A round of work is over although a program waits for its wordline. */
static void test_lawful_work(void **state)
{
	struct judge *j = judge_of(1);

	(void)state;
	judge_begin(j, 0);
	judge_works(j, 0, 0, 0);
	make(j, 1);
	judge_submit(j, 0, 0, 0);
	judge_completed(j, 0, 10);
	judge_free(j);
}

enum breach {
	LACKS_PAGES,
	ONE_IS_NOT_READY,
	OUT_OF_ORDER,
	ALONE,
	APART,
	SHORT_LOAD,
	SHORT_CELLS,
	LATER_WORDLINE_FIRST,
	AWAITED_PAD,
	PAD_OF_HOST,
	MIDST,
	DONE_AFTER_FIRST,
	SECOND_TOO_EARLY,
	SECOND_TOO_LATE,
	TWO_PASSES_OF_ONE,
	TIME_OF_THE_FIRST,
	WORK_OVER_TOO_EARLY,
	BREACHES
};

static void break_one_pass(struct judge *j, enum breach breach)
{
	switch (breach) {
	case OUT_OF_ORDER:
		judge_started(j, 2, 0, 0);
		break;
	case ALONE:
		judge_started(j, 1, 0, 0);
		judge_bus(j, 0, BUS_SENDS, 0);
		judge_bus(j, 0, BUS_LEFT, COMMAND + PAGE);
		judge_cells(j, 0, true, COMMAND + PAGE);
		judge_cells(j, 0, false, COMMAND + PAGE + ONE);
		judge_done(j, 1, COMMAND + PAGE + ONE);
		break;
	case APART:
		judge_done(j, 1, run_pass(j, 1, LOAD, ONE, 0));
		judge_done(j, 2, LOAD + ONE + 1);
		break;
	case SHORT_LOAD:
		run_pass(j, 1, LOAD - COMMAND, ONE, 0);
		break;
	case SHORT_CELLS:
		end(j, 1, run_pass(j, 1, LOAD, ONE - 1, 0));
		break;
	case TWO_PASSES_OF_ONE:
		run_pass(j, 1, LOAD, ONE, 0);
		judge_passed(j, 1, LOAD + ONE);
		break;
	default:
		run_pass(j, 3, LOAD, ONE, 0);
	}
}

static void break_two_passes(enum breach breach)
{
	struct judge *j = pages(2, 6);
	tick_t now = pass(j, 1, 0);

	switch (breach) {
	case DONE_AFTER_FIRST:
		end(j, 3, run_pass(j, 3, LOAD, FIRST, now));
		break;
	case SECOND_TOO_EARLY:
		run_pass(j, 1, LOAD, SECOND, now);
		break;
	case SECOND_TOO_LATE:
		run_pass(j, 5, LOAD, FIRST, pass(j, 3, now));
		break;
	default:
		end(j, 1, run_pass(j, 1, LOAD, FIRST, pass(j, 3, now)));
	}
}

/* A round of work is over although its wordline has all pages. */
static void leave_too_early(void)
{
	struct judge *j = judge_of(1);

	judge_begin(j, 0);
	judge_works(j, 0, 0, 0);
	make(j, 1);
	make(j, 2);
	judge_submit(j, 0, 0, 0);
	judge_completed(j, 0, 10);
}

static void wait_for_a_read(void)
{
	struct judge *j = judge_of(1);

	judge_placed(j, 12, PPN_NONE);
	judge_begin(j, 0);
	judge_made(j, &(struct made_op){ .op = 3, .kind = OP_READ, .ppn = 12, .to = PPN_NONE, .sectors = 4 });
	make(j, 1);
	make(j, 2);
	judge_waits(j, 2, 3);
	judge_submit(j, 0, 0, 0);
	run_pass(j, 1, LOAD, ONE, 0);
}

static void commit(void *context)
{
	enum breach breach = *(enum breach *)context;

	switch (breach) {
	case LACKS_PAGES:
		judge_started(pages(1, 1), 1, 0, 0);
		break;
	case ONE_IS_NOT_READY:
		wait_for_a_read();
		break;
	case AWAITED_PAD:
		judge_made(pages(1, 1), &(struct made_op){ .op = 2,
						.kind = OP_PROGRAM,
						.cause = CAUSE_PAD,
						.ppn = 1,
						.owner = OWNER_NONE,
						.awaited = true });
		break;
	case PAD_OF_HOST:
		make_pad(pages(1, 1), 2, CAUSE_HOST);
		break;
	case MIDST:
		make(pages(1, 0), 2);
		break;
	case WORK_OVER_TOO_EARLY:
		leave_too_early();
		break;
	case DONE_AFTER_FIRST:
	case SECOND_TOO_EARLY:
	case SECOND_TOO_LATE:
	case TIME_OF_THE_FIRST:
		break_two_passes(breach);
		break;
	default:
		break_one_pass(pages(1, 4), breach);
	}
}

static void test_each_breach(void **state)
{
	static const char *const says[BREACHES] = {
		[LACKS_PAGES] = "the program of page 0 starts, its wordline has 1 of 2 pages",
		[ONE_IS_NOT_READY] = "a program of page 1 starts at 0 before the read of page 12",
		[OUT_OF_ORDER] = "a program of page 1 starts as number 0 of its block, it is number 1",
		[ALONE] = "the program of page 0 ends apart from the others of its wordline",
		[APART] = "the program of page 1 ends apart from the others of its wordline",
		[SHORT_LOAD] =
			"the cells of die 0 begin after 8100 ns on the bus, command and data take 8200",
		[SHORT_CELLS] = "a program of page 0 took 99999 ns in the cells, should take 100000",
		[LATER_WORDLINE_FIRST] =
			"a program of page 2 starts as number 0 of its block, it is number 2",
		[AWAITED_PAD] = "page 1 belongs to nobody, and is programmed for pad",
		[PAD_OF_HOST] = "page 1 belongs to nobody, and is programmed for host",
		[MIDST] = "page 1 is programmed in a wordline that was not begun",
		[DONE_AFTER_FIRST] = "page 2 is done after 1 of 2 passes",
		[SECOND_TOO_EARLY] =
			"the second pass of page 0 starts before the first one of the next wordline is done",
		[SECOND_TOO_LATE] =
			"the wordline of page 4 is programmed before the second pass of the one before last",
		[TWO_PASSES_OF_ONE] = "page 0 is programmed once more than it should be",
		[TIME_OF_THE_FIRST] = "a program of page 0 took 50000 ns in the cells, should take 120000",
		[WORK_OVER_TOO_EARLY] = "the request of ticket 0 completes at 10 before 2 of its operations",
	};

	(void)state;
	for (enum breach breach = 0; breach < BREACHES; breach++)
		assert_aborts(commit, &breach, says[breach]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lawful_wordline),
		cmocka_unit_test(test_lawful_passes),
		cmocka_unit_test(test_lawful_work),
		cmocka_unit_test(test_each_breach),
	};

	return cmocka_run_group_tests_name("judge of wordlines", tests, NULL, NULL);
}
