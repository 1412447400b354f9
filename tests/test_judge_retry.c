/*
 * The judge of time against a drive that repeats reads otherwise than it should: each breach must abort with
 * names and numbers, the same events in a lawful order must pass.
 *
 * One die of two planes of 4 blocks of 4 pages of 2 KiB.  Page 0 is old, and so is page 16, in the other
 * plane.
 */
#include "tests/drive_fixture.h"

enum { COMMAND = 100, PAGE = 4000, SENSE = 10000, ECC = 700, READ = COMMAND + SENSE + PAGE };

/* A read of page 0 that fails `times` times, and one of page 16 that fails once. */
static struct judge *two_reads(uint32_t times)
{
	static const tick_t read_ns[] = { SENSE }, program_ns[] = { 100000 };
	struct judge *j = judge_create(&(struct judge_settings){ .channels = 1,
		.dies_per_channel = 1,
		.planes_per_die = 2,
		.blocks_per_plane = 4,
		.pages_per_block = 4,
		.page_bytes = 2048,
		.dies_per_unit = 1,
		.read_ns = read_ns,
		.program_ns = program_ns,
		.read_types = 1,
		.program_types = 1,
		.command_ns = { COMMAND, COMMAND, COMMAND },
		.wordline_pages = 1,
		.passes = 1,
		.multiplane = JUDGED_ANY_OFFSET,
		.ecc_ns = ECC,
		.cache_reads = true,
		.bus_mb_per_s = 512 });

	judge_placed(j, 0, PPN_NONE);
	judge_placed(j, 16, PPN_NONE);
	judge_begin(j, 0);
	for (op_t id = 1; id <= 2; id++)
		judge_made(j, &(struct made_op){ .op = id,
				      .kind = OP_READ,
				      .ppn = id == 1 ? 0 : 16,
				      .to = PPN_NONE,
				      .sectors = 4,
				      .awaited = true });
	judge_repeated(j, 1, times);
	judge_repeated(j, 2, 1);
	judge_submit(j, 0, 0, 0);
	return j;
}

static tick_t attempt(struct judge *j, tick_t now)
{
	judge_bus(j, 0, BUS_SENDS, now);
	judge_bus(j, 0, BUS_LEFT, now += COMMAND);
	judge_cells(j, 0, true, now);
	judge_cells(j, 0, false, now += SENSE);
	judge_bus(j, 0, BUS_RECEIVES, now);
	judge_bus(j, 0, BUS_LEFT, now += PAGE);
	return now;
}

static tick_t again(struct judge *j, tick_t now)
{
	judge_senses_again(j, 0, now);
	return attempt(j, now);
}

static void test_a_lawful_read(void **state)
{
	struct judge *j = two_reads(2);

	(void)state;
	judge_started(j, 1, 0, 0);
	judge_done(j, 1, again(j, again(j, attempt(j, 0) + ECC) + ECC));
	judge_free(j);
}

enum breach { TOO_FEW, TOO_MANY, TOO_EARLY, TOO_LATE, NOT_READ, BESIDE, OTHER_NUMBER, BREACHES };

static void commit(void *context)
{
	enum breach breach = *(enum breach *)context;
	struct judge *j = two_reads(2);

	judge_started(j, 1, 0, 0);
	switch (breach) {
	case TOO_FEW:
		judge_done(j, 1, again(j, attempt(j, 0) + ECC));
		break;
	case TOO_MANY:
		judge_senses_again(j, 0, again(j, again(j, attempt(j, 0) + ECC) + ECC) + ECC);
		break;
	case TOO_EARLY:
		judge_senses_again(j, 0, attempt(j, 0) + ECC - 1);
		break;
	case TOO_LATE:
		judge_senses_again(j, 0, attempt(j, 0) + ECC + 1);
		break;
	case NOT_READ:
		judge_bus(j, 0, BUS_SENDS, 0);
		judge_bus(j, 0, BUS_LEFT, COMMAND);
		judge_senses_again(j, 0, COMMAND + ECC);
		break;
	case BESIDE:
		judge_started(j, 2, 0, attempt(j, 0));
		break;
	default:
		judge_started(j, 2, 0, 0);
	}
}

static void test_each_breach(void **state)
{
	static const char *const says[BREACHES] = {
		[TOO_FEW] = "a read of page 0 is done with 1 senses left",
		[TOO_MANY] = "die 0 senses again at 44400 what it has not read yet, or has read",
		[TOO_EARLY] = "die 0 senses again at 14799 instead of 14800",
		[TOO_LATE] = "die 0 senses again at 14801 instead of 14800",
		[NOT_READ] = "die 0 senses again at 800 what it has not read yet, or has read",
		[BESIDE] = "a read of page 16 starts on a die that is at work",
		[OTHER_NUMBER] = "a read of page 16 starts on a die that is at work",
	};

	(void)state;
	for (enum breach breach = 0; breach < BREACHES; breach++)
		assert_aborts(commit, &breach, says[breach]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lawful_read),
		cmocka_unit_test(test_each_breach),
	};

	return cmocka_run_group_tests_name("the judge of repeated reads", tests, NULL, NULL);
}
