/* `ssd run --log`: parts of latencies worked out by hand, and rows that add up to the statistics of any
 * run. */
#include "drive/statistics.h"
#include "tests/run_fixture.h"

struct table {
	struct replay *replay;
	char *text;
	const char *line[4096]; /* of requests, in the order of completion */
	size_t lines;
};

static void run(struct table *t, const char *settings, const char *trace, struct windows *windows)
{
	struct fault fault;
	struct journal *journal;
	size_t bytes;
	FILE *out = open_memstream(&t->text, &bytes);

	journal = journal_create(out, false, false, &fault);
	t->replay = replay_open(settings);
	if (windows)
		windows_open(windows, t->replay->drive, NULL);
	t->replay->run.windows = windows;
	journal_observe(journal, t->replay->drive);
	replay_trace(t->replay, trace);
	assert_true(journal_finish(journal, &fault));
	journal_free(journal);
	fclose(out);
	t->lines = 0;
	for (const char *at = strchr(t->text, '\n') + 1; *at; at = strchr(at, '\n') + 1)
		t->line[t->lines++] = at;
}

static void release(struct table *t)
{
	replay_free(t->replay);
	free(t->text);
}

static uint64_t cell(const struct table *t, size_t line, const char *name)
{
	const char *head = t->text, *at = t->line[line];

	for (; strncmp(head, name, strlen(name)) || !strchr(",\n", head[strlen(name)]);
		head = strchr(head, ',') + 1)
		at = strchr(at, ',') + 1;
	return strtoull(at, NULL, 10);
}

static uint64_t sum(const struct table *t, const char *name)
{
	uint64_t all = 0;

	for (size_t i = 0; i < t->lines; i++)
		all += cell(t, i, name);
	return all;
}

struct parts {
	uint64_t door, controller, map, die, collection, bus, cells, link;
};

static void assert_parts(const struct table *t, size_t line, struct parts p)
{
	const struct {
		const char *name;
		uint64_t ns;
	} rows[] = { { "door_ns", p.door }, { "controller_ns", p.controller }, { "map_ns", p.map },
		{ "die_ns", p.die }, { "collection_ns", p.collection }, { "bus_ns", p.bus },
		{ "cells_ns", p.cells }, { "link_ns", p.link },
		{ "latency_ns",
			p.door + p.controller + p.map + p.die + p.collection + p.bus + p.cells + p.link } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (cell(t, line, rows[i].name) != rows[i].ns)
			fail_msg("row %zu: %s is %llu, should be %llu", line, rows[i].name,
				(unsigned long long)cell(t, line, rows[i].name),
				(unsigned long long)rows[i].ns);
}

#define ONE_DIE                                                                                              \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=16 flash.pages=4 "          \
	"flash.page_bytes=2048 flash.over_provisioning=0.5 flash.read_ns=10000 flash.program_ns=100000 "     \
	"flash.erase_ns=1000000 flash.command_ns=100 flash.plane_command_ns=100 flash.bus_mb_per_s=512 "     \
	"dram.access_ns=0 ftl=page "

/* A command takes 100 ns on the bus, a sector 1 us; a read 10 us in the cells, a program 100 us. */
static void test_by_hand(void **state)
{
	static const struct {
		const char *settings, *trace;
		size_t line;
		struct parts parts;
	} rows[] = {
		{ ONE_DIE, "0 0 0 4 0\n", 0, { .bus = 4100, .cells = 100000 } },
		/* the two kept sectors are read, then the page is programmed */
		{ ONE_DIE, "0 0 0 4 0\n200000 0 1 2 0\n", 1, { .bus = 2100 + 4100, .cells = 110000 } },
		/* the second of two reads waits for the die */
		{ ONE_DIE, "0 0 0 4 0\n200000 0 0 4 1\n200000 0 0 4 1\n", 2,
			{ .die = 14100, .bus = 4100, .cells = 10000 } },
		/* or outside the drive */
		{ ONE_DIE "host.queue_limit=1", "0 0 0 4 0\n200000 0 0 4 1\n200000 0 0 4 1\n", 2,
			{ .door = 14100, .bus = 4100, .cells = 10000 } },
		/* two dies on one bus: the second program waits for the data of the first */
		{ ONE_DIE "flash.dies=2", "0 0 0 4 0\n0 0 4 4 0\n", 1, { .bus = 2 * 4100, .cells = 100000 } },
		{ ONE_DIE "dram.access_ns=50", "0 0 0 4 0\n", 0,
			{ .controller = 50, .bus = 4100, .cells = 100000 } },
		/* a write's data crosses the link before its look-ups, a read's after its operations */
		{ ONE_DIE "host.link_mb_per_s=512", "0 0 0 4 0\n", 0,
			{ .controller = 4000, .bus = 4100, .cells = 100000 } },
		{ ONE_DIE "host.link_mb_per_s=512", "0 0 0 4 0\n200000 0 0 4 1\n", 1,
			{ .bus = 4100, .cells = 10000, .link = 4000 } },
		/* a read suspends a program half way: 1 us to suspend, 14.1 for the read, 0.5 to resume */
		{ ONE_DIE "flash.suspend=program_and_erase flash.suspend_ns=1000 flash.resume_ns=500",
			"0 0 0 4 0\n200000 0 4 4 0\n254100 0 0 4 1\n", 1,
			{ .die = 1000, .bus = 4100, .cells = 10000 } },
		{ ONE_DIE "flash.suspend=program_and_erase flash.suspend_ns=1000 flash.resume_ns=500",
			"0 0 0 4 0\n200000 0 4 4 0\n254100 0 0 4 1\n", 2,
			{ .die = 15100, .bus = 4100, .cells = 100500 } },
		/* the third program waits for the die, is loaded during the second and waits for the cells */
		{ ONE_DIE "flash.cache_register=program", "0 0 0 8 0\n0 0 8 4 0\n", 1,
			{ .die = 200000, .bus = 4100, .cells = 100000 } },
		/* a read sensed during another's transfer, and one whose data waits for the register */
		{ ONE_DIE "flash.cache_register=read", "0 0 0 8 0\n300000 0 0 4 1\n300000 0 4 4 1\n", 2,
			{ .die = 10100, .bus = 4100, .cells = 10000 } },
		{ ONE_DIE "flash.cache_register=read flash.read_ns=1000",
			"0 0 0 8 0\n300000 0 0 4 1\n300000 0 4 4 1\n", 2,
			{ .die = 1100, .bus = 100 + 3000 + 4000, .cells = 1000 } },
		/* a read that fails once */
		{ ONE_DIE "retry.pe=0 retry.days=0 retry.steps=1", "0 0 0 4 0\n200000 0 0 4 1\n", 1,
			{ .controller = 10000, .bus = 2 * 4100, .cells = 20000 } },
		/* a request that does nothing */
		{ ONE_DIE, "0 0 0 4 1\n", 0, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct table t;

		run(&t, rows[i].settings, rows[i].trace, NULL);
		assert_parts(&t, rows[i].line, rows[i].parts);
		release(&t);
	}
}

static char *a_trace(uint64_t requests, uint64_t gap, uint64_t pages, bool aligned)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (uint64_t i = 0; i < requests; i++) {
		uint64_t page = i * i * 31 % pages;

		fprintf(out, "%llu 0 %llu %d %d\n", (unsigned long long)(i * gap),
			(unsigned long long)(4 * page + (aligned ? 0 : i % 4)),
			aligned ? 4 : 1 + (int)(i % 7), i % 3 == 2);
	}
	fclose(out);
	return text;
}

/* Requests 10 ms apart: a write that needs a block erased, with nothing to copy, waits for the erase only. */
static void test_behind_an_erase(void **state)
{
	char *text = NULL;
	size_t bytes, found = 0;
	FILE *out = open_memstream(&text, &bytes);
	struct table t;

	(void)state;
	for (int i = 0; i < 200; i++)
		fprintf(out, "%d 0 %d 4 0\n", i * 10000000, 4 * (i % 16));
	fclose(out);
	run(&t, ONE_DIE, text, NULL);
	for (size_t i = 0; i < t.lines; i++) {
		uint64_t erases = cell(&t, i, "gc_erases");

		assert_int_equal(cell(&t, i, "gc_programs"), 0);
		assert_parts(&t, i,
			(struct parts){ .collection = erases * 1000100, .bus = 4100, .cells = 100000 });
		found += erases;
	}
	assert_true(found > 10);
	release(&t);
	free(text);
}

/* Reads of pages far apart: first the mapping page is read (look-ups cost nothing), then the data. */
static void test_behind_a_mapping_page(void **state)
{
	char *trace = NULL;
	size_t bytes, found = 0;
	FILE *out = open_memstream(&trace, &bytes);
	struct table t;

	(void)state;
	for (int i = 0; i < 60; i++)
		fprintf(out, "%d 0 %d 4 %d\n", i * 10000000, i % 30 * 120, i >= 30);
	fclose(out);
	run(&t, PAPER_DRIVE "flash.blocks=64 ftl=dftl dftl.entries=4", trace, NULL);
	for (size_t i = 0; i < t.lines; i++)
		if (cell(&t, i, "map_reads") == 1 && !cell(&t, i, "map_programs") &&
			cell(&t, i, "reads") == 1 && !cell(&t, i, "programs")) {
			assert_parts(&t, i, (struct parts){ .map = 14100, .bus = 4100, .cells = 10000 });
			found++;
		}
	assert_true(found > 0);
	release(&t);
	free(trace);
}

/* Many settings together.  The journal itself checks that the parts of each request add up. */
static void test_rows_add_up_to_the_statistics(void **state)
{
	static const char *const settings[] = { PAPER_DRIVE "ftl=page buffer=lru dram.buffer_bytes=8K",
		PAPER_DRIVE "ftl=across dram.access_ns=70 flash.suspend=program_and_erase",
		PAPER_DRIVE "ftl=mrsm map.cache_bytes=2K flash.copyback=true host.queue_limit=4",
		PAPER_DRIVE "ftl=dftl dftl.entries=16 flash.multiplane=any host.link_mb_per_s=200",
		PAPER_DRIVE
		"ftl=fast flash.scheduler=fifo flash.forward_bytes=8K host.mode=closed host.queue_depth=5",
		PAPER_DRIVE
		"ftl=page flash.forward_bytes=16K buffer=2qw-clock dram.buffer_bytes=8K gc.policy=fifo" };
	char *trace = a_trace(1500, 60000, 120, false);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof settings / sizeof *settings; i++) {
		struct windows windows = { .warm_up = { i % 2 ? 300 : 0, 0 } };
		const struct drive *d;
		struct table t;

		run(&t, settings[i / 2], trace, &windows);
		d = t.replay->drive;
		assert_int_equal(t.lines, d->count->request[REQUEST_TYPES].count);
		assert_int_equal(t.lines, i % 2 ? 1200 : 1500);
		statistics_sum_types(d->count);
		assert_true(sum(&t, "latency_ns") == d->count->request[REQUEST_TYPES].latency.sum);
		assert_int_equal(sum(&t, "sectors"), d->count->request[REQUEST_TYPES].sectors);
		assert_int_equal(sum(&t, "reads") + sum(&t, "map_reads") + sum(&t, "gc_reads"),
			flash_total(d->flash, OP_READ));
		assert_int_equal(sum(&t, "programs") + sum(&t, "map_programs") + sum(&t, "gc_programs"),
			flash_total(d->flash, OP_PROGRAM));
		assert_int_equal(sum(&t, "erases") + sum(&t, "map_erases") + sum(&t, "gc_erases"),
			flash_total(d->flash, OP_ERASE));
		assert_int_equal(sum(&t, "map_reads"), d->flash->count[OP_READ][CAUSE_MAP]);
		assert_true(flash_total(d->flash, OP_ERASE) > 0);
		release(&t);
	}
	free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_behind_an_erase), cmocka_unit_test(test_behind_a_mapping_page),
		cmocka_unit_test(test_rows_add_up_to_the_statistics) };

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
