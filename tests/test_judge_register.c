/*
 * The judge of time against a drive that uses cache registers otherwise than it should: each breach must
 * abort with names and numbers, the same events in a lawful order must pass.
 *
 * One die of one plane of 4 blocks of 4 pages of 2 KiB.  Pages 0 to 3 are old.
 */
#include "tests/drive_fixture.h"

enum { COMMAND = 100, PAGE = 4000, SENSE = 10000, LOAD = COMMAND + PAGE, PROGRAM = 100000 };

static struct judge *judge_of_dies(uint32_t dies, const tick_t *read_ns, const tick_t *program_ns, bool reads,
	bool programs, enum judged_bus bus_order)
{
	struct judge *j = judge_create(&(struct judge_settings){ .channels = 1,
		.dies_per_channel = dies,
		.planes_per_die = 1,
		.blocks_per_plane = 4,
		.pages_per_block = 4,
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
		.suspend_ns = 1000,
		.bus_order = bus_order,
		.bus_mb_per_s = 512,
		.reads_first = true,
		.cache_reads = reads,
		.cache_programs = programs });

	for (ppn_t page = 0; page < 4; page++)
		judge_placed(j, page, PPN_NONE);
	return j;
}

/* One die, with a cache register for reads, for programs or for both. */
static struct judge *judge_of(bool reads, bool programs, enum judged_bus bus_order)
{
	static const tick_t read_ns[] = { SENSE }, program_ns[] = { PROGRAM };

	return judge_of_dies(1, read_ns, program_ns, reads, programs, bus_order);
}

/* Operations of ticket 0. */
static void make(struct judge *j, op_t id, enum op_kind kind, ppn_t page)
{
	judge_made(j,
		&(struct made_op){
			.op = id, .kind = kind, .ppn = page, .to = PPN_NONE, .sectors = 4, .awaited = true });
}

static struct judge *three(enum op_kind kind, ppn_t page, struct judge *j)
{
	judge_begin(j, 0);
	for (op_t id = 1; id <= 3; id++)
		make(j, id, kind, page + (ppn_t)id - 1);
	judge_submit(j, 0, 0, 0);
	return j;
}

static struct judge *reads(enum judged_bus bus_order)
{
	return three(OP_READ, 0, judge_of(true, false, bus_order));
}

static struct judge *programs(void)
{
	return three(OP_PROGRAM, 4, judge_of(false, true, JUDGED_COMMAND_FIRST));
}

/* Starts the operation, sends over the bus, and begins its time in the cells. */
static void issue(struct judge *j, uint32_t die, op_t id, tick_t now, tick_t bus)
{
	judge_started(j, id, die, now);
	judge_bus(j, die, BUS_SENDS, now);
	judge_bus(j, die, BUS_LEFT, now + bus);
	judge_cells(j, die, true, now + bus);
}

/* ---- reads: the first one's data is about to leave at FIRST ---- */

enum { FIRST = COMMAND + SENSE };

static void sense(struct judge *j, op_t id, tick_t now)
{
	issue(j, 0, id, now, COMMAND);
	judge_cells(j, 0, false, now + COMMAND + SENSE);
}

static void receive(struct judge *j, op_t id, tick_t now)
{
	judge_bus(j, 0, BUS_RECEIVES, now);
	judge_bus(j, 0, BUS_LEFT, now += PAGE);
	judge_done(j, id, now);
}

/* The command of the second one goes before the data of the first, however the bus is shared out. */
static void test_lawful_reads(void **state)
{
	(void)state;
	for (int order = JUDGED_COMMAND_FIRST; order <= JUDGED_DATA_FIRST; order++) {
		struct judge *j = reads((enum judged_bus)order);

		sense(j, 1, 0);
		issue(j, 0, 2, FIRST, COMMAND);
		receive(j, 1, FIRST + COMMAND);
		judge_cells(j, 0, false, 2 * FIRST);
		sense(j, 3, 2 * FIRST);
		judge_free(j);
	}
}

/*
 * On die 0 the data of read 2 is ready while the data of read 1 is on the bus.  At 9300 that transfer ends.
 * At the same moment the program of die 1, about to end, is suspended, and read 3 is issued.  The command of
 * read 3 goes before the data of read 2: the suspension must not put that data first.
 */
static void test_a_suspension_settles_nothing(void **state)
{
	static const tick_t read_ns[] = { 1000 }, program_ns[] = { 5200 };
	struct judge *j = judge_of_dies(2, read_ns, program_ns, true, false, JUDGED_FIRST_COME);

	(void)state;
	judge_begin(j, 0);
	for (op_t id = 1; id <= 3; id++)
		make(j, id, OP_READ, (ppn_t)id - 1);
	make(j, 4, OP_PROGRAM, 16);
	judge_submit(j, 0, 0, 0);
	issue(j, 1, 4, 0, LOAD);
	issue(j, 0, 1, LOAD, COMMAND);
	judge_cells(j, 0, false, 5200);
	issue(j, 0, 2, 5200, COMMAND);
	judge_bus(j, 0, BUS_RECEIVES, 5300);
	judge_cells(j, 0, false, 6300);
	judge_bus(j, 0, BUS_LEFT, 9300);
	judge_done(j, 1, 9300);
	judge_suspended(j, 1, 9300);
	issue(j, 0, 3, 9300, COMMAND);
	judge_free(j);
}

/* ---- programs: the first one is in the cells from LOAD on ---- */

static void load(struct judge *j, op_t id, tick_t now)
{
	judge_started(j, id, 0, now);
	judge_bus(j, 0, BUS_SENDS, now);
	judge_bus(j, 0, BUS_LEFT, now + LOAD);
}

static void test_lawful_programs(void **state)
{
	struct judge *j = programs();

	(void)state;
	issue(j, 0, 1, 0, LOAD);
	load(j, 2, LOAD);
	judge_cells(j, 0, false, LOAD + PROGRAM);
	judge_done(j, 1, LOAD + PROGRAM);
	judge_cells(j, 0, true, LOAD + PROGRAM);
	load(j, 3, LOAD + PROGRAM);
	judge_cells(j, 0, false, LOAD + 2 * PROGRAM);
	judge_done(j, 2, LOAD + 2 * PROGRAM);
	judge_free(j);
}

/* ---- breaches ---- */

enum breach {
	READ_WITHOUT_REGISTER,
	PROGRAM_WITHOUT_REGISTER,
	THIRD_READ,
	THIRD_PROGRAM,
	PROGRAM_BESIDE_DATA,
	LOADED_BEFORE_A_READ,
	LOADED_BEHIND_A_READ,
	SUSPENDED_WITH_LOAD,
	BOTH_IN_CELLS,
	CELLS_IDLE,
	DATA_BEFORE_COMMAND,
	BREACHES
};

static void break_reads(enum breach breach)
{
	struct judge *j = breach == READ_WITHOUT_REGISTER
				  ? three(OP_READ, 0, judge_of(false, true, JUDGED_FIRST_COME))
				  : reads(JUDGED_COMMAND_FIRST);

	make(j, 4, OP_PROGRAM, 4);
	sense(j, 1, 0);
	if (breach == PROGRAM_BESIDE_DATA) {
		judge_started(j, 4, 0, FIRST);
		return;
	}
	judge_started(j, 2, 0, FIRST);
	if (breach == DATA_BEFORE_COMMAND) {
		judge_bus(j, 0, BUS_RECEIVES, FIRST);
		return;
	}
	judge_bus(j, 0, BUS_SENDS, FIRST);
	judge_bus(j, 0, BUS_LEFT, FIRST + COMMAND);
	judge_cells(j, 0, true, FIRST + COMMAND);
	judge_bus(j, 0, BUS_RECEIVES, FIRST + COMMAND);
	judge_started(j, 3, 0, FIRST + COMMAND + 1);
}

static void break_programs(enum breach breach)
{
	struct judge *j = breach == PROGRAM_WITHOUT_REGISTER
				  ? three(OP_PROGRAM, 4, judge_of(true, false, JUDGED_FIRST_COME))
				  : programs();

	if (breach == LOADED_BEFORE_A_READ)
		make(j, 4, OP_READ, 0);
	issue(j, 0, 1, 0, LOAD);
	load(j, 2, LOAD);
	switch (breach) {
	case THIRD_PROGRAM:
		judge_started(j, 3, 0, 2 * LOAD);
		break;
	case BOTH_IN_CELLS:
		judge_cells(j, 0, true, 2 * LOAD);
		break;
	case SUSPENDED_WITH_LOAD:
		judge_suspended(j, 0, 3 * LOAD);
		break;
	default:
		judge_cells(j, 0, false, LOAD + PROGRAM);
		judge_done(j, 1, LOAD + PROGRAM);
		judge_cells(j, 0, true, LOAD + PROGRAM + 1);
	}
}

static void commit(void *context)
{
	enum breach breach = *(enum breach *)context;
	struct judge *j;

	switch (breach) {
	case READ_WITHOUT_REGISTER:
	case THIRD_READ:
	case PROGRAM_BESIDE_DATA:
	case DATA_BEFORE_COMMAND:
		break_reads(breach);
		break;
	case LOADED_BEHIND_A_READ:
		j = judge_of(true, true, JUDGED_COMMAND_FIRST);
		judge_begin(j, 0);
		make(j, 1, OP_READ, 0);
		make(j, 2, OP_PROGRAM, 4);
		judge_submit(j, 0, 0, 0);
		issue(j, 0, 1, 0, COMMAND);
		judge_started(j, 2, 0, COMMAND);
		break;
	default:
		break_programs(breach);
	}
}

static void test_each_breach(void **state)
{
	static const char *const says[BREACHES] = {
		[READ_WITHOUT_REGISTER] = "a read of page 1 starts on a die that is at work",
		[PROGRAM_WITHOUT_REGISTER] = "a program of page 5 starts on a die that is at work",
		[THIRD_READ] = "a read of page 2 starts on a die that is at work",
		[THIRD_PROGRAM] = "a program of page 6 starts on a die that is at work",
		[PROGRAM_BESIDE_DATA] = "a program of page 4 starts on a die that is at work",
		[LOADED_BEFORE_A_READ] = "a program of page 5 starts on a die that is at work",
		[LOADED_BEHIND_A_READ] = "a program of page 4 starts on a die that is at work",
		[SUSPENDED_WITH_LOAD] = "die 0 suspends a command that cannot be suspended",
		[BOTH_IN_CELLS] = "the cells of die 0 begin a second command at 8200",
		[CELLS_IDLE] = "the cells of die 0 begin at 104101 instead of 104100",
		[DATA_BEFORE_COMMAND] = "die 0 takes the bus of channel 0 at 10100, it is the turn of die 0",
	};

	(void)state;
	for (enum breach breach = 0; breach < BREACHES; breach++)
		assert_aborts(commit, &breach, says[breach]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lawful_reads),
		cmocka_unit_test(test_a_suspension_settles_nothing),
		cmocka_unit_test(test_lawful_programs),
		cmocka_unit_test(test_each_breach),
	};

	return cmocka_run_group_tests_name("the judge of cache registers", tests, NULL, NULL);
}
