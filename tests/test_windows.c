/* Parts of a run: the warm-up, which no number includes, and rows over time, which add up to the
 * statistics. */
#include "tests/run_fixture.h"

#include <math.h>

/* Writes, reads and trims over a drive that must collect, `gap` ns apart. */
static char *a_trace(uint64_t requests, uint64_t gap)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (uint64_t i = 0; i < requests; i++)
		fprintf(out, "%llu 0 %llu 3 %d\n", (unsigned long long)(i * gap),
			(unsigned long long)(i * 7919 % 500), i % 3 == 2);
	fclose(out);
	return text;
}

static struct replay *replay_windows(const char *settings, const char *trace, struct windows *w)
{
	struct replay *r = replay_open(settings);

	windows_open(w, r->drive, w->out);
	r->run.windows = w;
	replay_trace(r, trace);
	return r;
}

#define DRIVE PAPER_DRIVE "ftl=dftl dftl.entries=16 buffer=lru dram.buffer_bytes=8K "

/* The column of the table, added up. */
static double sum_of(const char *table, const char *name, size_t *rows)
{
	size_t column = 0, length = strcspn(table, "\n");
	const char *at = table;
	double sum = 0;

	for (; (at > table && at[-1] != ',') || strncmp(at, name, strlen(name)) || at[strlen(name)] != ',';
		at++) {
		assert_true(at < table + length);
		column += *at == ',';
	}
	*rows = 0;
	for (at = strchr(table, '\n') + 1; *at; at = strchr(at, '\n') + 1, ++*rows) {
		const char *cell = at;

		for (size_t i = 0; i < column; i++)
			cell = strchr(cell, ',') + 1;
		sum += strtod(cell, NULL);
	}
	return sum;
}

static double statistic(const char *report, const char *name)
{
	char start[80];
	const char *line;

	snprintf(start, sizeof start, "\n%s = ", name);
	line = strstr(report, start);
	if (!line)
		fail_msg("no statistic %s", name);
	return strtod(line + strlen(start), NULL);
}

static void adds_up(const char *settings, struct span warm_up, struct span every)
{
	static const char *const names[] = { "request.read.count", "request.write.count", "request.all.count",
		"request.write.bytes", "flash.read.host", "flash.program.host", "flash.program.gc",
		"flash.erase.total", "flash.read.map", "map.miss", "map.lookup", "buffer.write.page_hits" };
	struct windows w = { .warm_up = warm_up, .every = every };
	char *table = NULL, *report, *trace = a_trace(600, 50000);
	size_t bytes, rows;
	struct replay *r;

	w.out = open_memstream(&table, &bytes);
	r = replay_windows(settings, trace, &w);
	fclose(w.out);
	report = replay_report(r);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (sum_of(table, names[i], &rows) != statistic(report, names[i]))
			fail_msg("%s: %g in the rows, %g", names[i], sum_of(table, names[i], &rows),
				statistic(report, names[i]));
	assert_true(statistic(report, "flash.erase.total") > 0);
	assert_int_equal(sum_of(table, "entered", &rows), statistic(report, "run.requests"));
	assert_int_equal(statistic(report, "run.served") + statistic(report, "run.warm_up"), 600);
	assert_int_equal(rows, w.rows);
	assert_true(rows > 3);
	replay_free(r);
	free(table);
	free(report);
	free(trace);
}

static void test_rows_add_up_to_the_statistics(void **state)
{
	(void)state;
	adds_up(DRIVE, (struct span){ 0 }, (struct span){ 70, 0 });
	adds_up(DRIVE, (struct span){ 100, 0 }, (struct span){ 0, 3000000 });
	adds_up(DRIVE "host.mode=closed host.queue_depth=3", (struct span){ 0, 2000000 },
		(struct span){ 50, 0 });
	adds_up(DRIVE "host.link_mb_per_s=100", (struct span){ 7, 0 }, (struct span){ 40, 0 });
}

/* Writing rows changes no number. */
static void test_rows_change_nothing(void **state)
{
	struct windows w = { .every = { 10, 0 } };
	char *table = NULL, *trace = a_trace(300, 20000), *with, *without;
	size_t bytes;
	struct replay *r;

	(void)state;
	w.out = open_memstream(&table, &bytes);
	r = replay_windows(DRIVE, trace, &w);
	with = replay_report(r);
	fclose(w.out);
	replay_free(r);
	r = replay(DRIVE, trace);
	without = replay_report(r);
	assert_string_equal(with, without);
	replay_free(r);
	free(table);
	free(trace);
	free(with);
	free(without);
}

/*
 * Page writes 10 us apart to one die each: a program takes 104.1 us, so the first two are under way when the
 * third enters and the statistics begin.  Only the third and the fourth are in them, though all four complete
 * after that.
 */
static void test_what_entered_before_is_not_counted(void **state)
{
	struct windows w = { .warm_up = { 2, 0 } };
	struct replay *r = replay_windows(
		PAPER_DRIVE "ftl=page", "0 0 0 4 0\n10000 0 4 4 0\n20000 0 8 4 0\n30000 0 12 4 0\n", &w);
	char *report = replay_report(r);

	(void)state;
	assert_int_equal(statistic(report, "run.warm_up"), 2);
	assert_int_equal(statistic(report, "run.warm_up_ns"), 20000);
	assert_int_equal(statistic(report, "request.write.count"), 2);
	assert_int_equal(statistic(report, "request.write.latency_mean_ns"), 104100);
	assert_int_equal(statistic(report, "flash.program.host"), 2);
	assert_int_equal(statistic(report, "run.simulated_ns"), 30000 + 104100 - 20000);
	assert_int_equal(statistic(report, "waf"), 1);
	free(report);
	replay_free(r);
}

/*
 * Windows of two page writes, each done before the next: WAF 1 where the drive has room.  The first window
 * has none before it to agree with, so the second is the last.
 */
static void test_until_two_windows_agree(void **state)
{
	struct windows w = { .warm_up = { 2, 0 }, .within = 0.01 };
	struct replay *r = replay_windows(PAPER_DRIVE "ftl=page",
		"0 0 0 4 0\n1000000 0 4 4 0\n2000000 0 8 4 0\n3000000 0 12 4 0\n4000000 0 16 4 0\n"
		"5000000 0 20 4 0\n6000000 0 24 4 0\n",
		&w);

	(void)state;
	assert_int_equal(w.counted_from.requests, 4);
	assert_int_equal(w.counted_from.when, 4000000);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].count, 3);
	replay_free(r);
}

/* The run is shorter than its warm-up: the statistics are those of all of it. */
static void test_a_warm_up_that_does_not_end(void **state)
{
	struct windows w = { .warm_up = { 9, 0 } };
	struct replay *r = replay_windows(PAPER_DRIVE "ftl=page", "0 0 0 4 0\n1000000 0 4 4 0\n", &w);

	(void)state;
	assert_false(w.counting);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].count, 2);
	replay_free(r);
}

static void test_spans_as_written(void **state)
{
	static const struct {
		const char *text;
		bool right;
		struct span span;
	} rows[] = { { "5000", true, { 5000, 0 } }, { "10s", true, { 0, 10000000000 } },
		{ "20ms", true, { 0, 20000000 } }, { "3us", true, { 0, 3000 } }, { "7ns", true, { 0, 7 } },
		{ "" }, { "0" }, { "0s" }, { "-1" }, { "1.5s" }, { "10 s" }, { "5m" }, { "99999999999s" },
		{ "99999999999999999999" } };
	struct windows w = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct span span = { 0 };

		if (span_read(&span, rows[i].text) != rows[i].right ||
			span.requests != rows[i].span.requests || span.ns != rows[i].span.ns)
			fail_msg("\"%s\"", rows[i].text);
	}
	assert_true(warm_up_read(&w, "2.5%:4ms"));
	assert_true(fabs(w.within - 0.025) < 1e-9);
	assert_int_equal(w.warm_up.ns, 4000000);
	assert_false(warm_up_read(&w, "0%:5"));
	assert_false(warm_up_read(&w, "200%:5"));
	assert_false(warm_up_read(&w, "2%:"));
	assert_false(warm_up_read(&w, "2%"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows_add_up_to_the_statistics),
		cmocka_unit_test(test_rows_change_nothing),
		cmocka_unit_test(test_what_entered_before_is_not_counted),
		cmocka_unit_test(test_until_two_windows_agree),
		cmocka_unit_test(test_a_warm_up_that_does_not_end), cmocka_unit_test(test_spans_as_written) };

	return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
