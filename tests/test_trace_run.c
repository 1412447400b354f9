/* A converted trace simulates as the original does: the program itself converts and runs, and every line of
 * statistics must be the same, except those that name the file. */
#include "base/random.h"
#include "tests/program_fixture.h"
#include "traces/format.h"

#define REQUESTS 2000u

/* The command must succeed. */
static void run(struct world *w, const char *arguments)
{
	ssd(w, arguments);
	assert_status(w, DONE, arguments);
}

/* The report of a run of a trace file, to be freed, without the lines that name or describe the file. */
static char *simulate(struct world *w, const char *trace, const char *devices)
{
	char arguments[512], *report, *to;

	snprintf(arguments, sizeof arguments,
		"run --verify -s precondition.mode=none -s trace.devices=%s parameters/tiny.cfg @/%s",
		devices, trace);
	run(w, arguments);
	report = memory_string(w->out, "test");
	to = report;
	for (char *line = w->out, *end; (end = strchr(line, '\n')); line = end + 1)
		if (strncmp(line, "run.command", 11) && strncmp(line, "run.workload", 12) &&
			strncmp(line, "# trace.devices", 15)) {
			memcpy(to, line, (size_t)(end + 1 - line));
			to += end + 1 - line;
		}
	*to = '\0';
	assert_true(to - report > 2000);
	return report;
}

static void expect_same(struct world *w, const char *trace, const char *devices, const char *wanted)
{
	char *report = simulate(w, trace, devices);

	if (strcmp(report, wanted) != 0)
		fail_msg("%s simulates differently", trace);
	memory_free(report);
}

/* Requests anywhere on a drive of 384 KB, whose times are multiples of a step. */
static void write_source(struct world *w, const char *name, uint64_t step_ns, bool trims, uint64_t seed)
{
	static const char *const actions[] = { "read", "write", "trim" };
	char *path = path_in(w, name);
	struct random random;
	uint64_t time = 0;
	FILE *file;

	file = fopen(path, "w");
	memory_free(path);
	assert_non_null(file);
	random_init(&random, seed, step_ns);
	if (trims)
		fputs("fio version 3 iolog\n0 f add\n0 f open\n", file);
	for (unsigned i = 0; i < REQUESTS; i++) {
		unsigned start = (unsigned)random_below(&random, 700);
		unsigned sectors = 1 + (unsigned)random_below(&random, 32);
		unsigned device = 2 - (unsigned)random_below(&random, 3);

		if (trims)
			fprintf(file, "%llu f %s %u %u\n", (unsigned long long)time / 1000,
				actions[random_below(&random, 3)], start * 512, sectors * 512);
		else
			fprintf(file, "%llu %u %u %u %u\n", (unsigned long long)time, device, start, sectors,
				(unsigned)random_below(&random, 2));
		time += random_below(&random, 2000000 / step_ns) * step_ns;
	}
	fclose(file);
}

static void convert(
	struct world *w, const char *from, const char *format, const char *options, const char *to)
{
	char arguments[512];

	snprintf(arguments, sizeof arguments, "trace convert %s --to %s -o @/%s @/%s", options, format, to,
		from);
	run(w, arguments);
}

static uint64_t seed(void)
{
	const char *text = getenv("SEED");
	uint64_t value = text ? strtoull(text, NULL, 0) : 1;

	print_message("SEED=%llu\n", (unsigned long long)value);
	return value;
}

static void expect_same_in_every_format(
	struct world *w, const char *from, const char *devices, const char *wanted)
{
	for (size_t i = 0; trace_formats[i].name; i++) {
		if (!trace_formats[i].write)
			continue;
		convert(w, from, trace_formats[i].name, "", "second");
		print_message("%s, then %s\n", from, trace_formats[i].name);
		expect_same(w, "second", devices, wanted);
	}
}

/* From every format that can be written to every other one, at times that all of them hold. */
static void test_every_pair(void **state)
{
	struct world *w = *state;
	char *wanted;

	write_source(w, "source", 1000, false, seed());
	wanted = simulate(w, "source", "own");
	for (size_t i = 0; trace_formats[i].name; i++) {
		const char *name = trace_formats[i].name;

		if (!trace_formats[i].write)
			continue;
		convert(w, "source", name, "", name);
		expect_same(w, name, "own", wanted);
		expect_same_in_every_format(w, name, "own", wanted);
	}
	memory_free(wanted);
}

/* Each format at the finest times that it holds. */
static void test_finest_times(void **state)
{
	struct world *w = *state;
	uint64_t from = seed();

	for (size_t i = 0; trace_formats[i].name; i++) {
		const struct format *format = &trace_formats[i];
		char *wanted;

		if (!format->write)
			continue;
		print_message("%s\n", format->name);
		write_source(w, "source", format->write_step_ns, false, from);
		wanted = simulate(w, "source", "own");
		convert(w, "source", format->name, "", "converted");
		expect_same(w, "converted", "own", wanted);
		memory_free(wanted);
	}
}

/* Devices laid out one after another stay where they were laid, in whatever order they come. */
static void test_devices_laid_out(void **state)
{
	struct world *w = *state;
	char *wanted;

	write_source(w, "source", 1000, false, seed());
	wanted = simulate(w, "source", "all");
	expect_same_in_every_format(w, "source", "all", wanted);
	convert(w, "source", "ssdsim", "--devices all", "first");
	expect_same(w, "first", "own", wanted);
	expect_same(w, "first", "all", wanted);
	expect_same_in_every_format(w, "first", "all", wanted);
	memory_free(wanted);
}

/* Trims, which only fio's format has. */
static void test_trims(void **state)
{
	struct world *w = *state;
	char *wanted;

	write_source(w, "source", 1000, true, seed());
	wanted = simulate(w, "source", "own");
	convert(w, "source", "fio", "", "converted");
	expect_same(w, "converted", "own", wanted);
	memory_free(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_pair),
		TEST(test_finest_times),
		TEST(test_devices_laid_out),
		TEST(test_trims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
