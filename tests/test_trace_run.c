/* A trace that was converted simulates as the original does: the program itself converts and runs, and
 * every line of statistics must be the same but for what names the file.  Runs the binary named by $SSD
 * (default build/ssd) from the top of the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "traces/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUESTS     2000u
#define REPORT_BYTES (256u << 10)

static char *folder_of(void **state)
{
	return *state;
}

static int set_up(void **state)
{
	*state = memory_string("/tmp/ssdlab-run-XXXXXX", "test");
	return mkdtemp(*state) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];
	int status;

	snprintf(command, sizeof command, "rm -rf '%s'", folder_of(state));
	status = system(command);
	memory_free(*state);
	return status;
}

/* Runs `ssd ...`, which must succeed; "@" stands for the test's folder. */
static void ssd(const char *folder, const char *arguments)
{
	const char *binary = getenv("SSD");
	char command[1024];
	size_t used = (size_t)snprintf(command, sizeof command, "%s ", binary ? binary : "build/ssd");

	for (const char *c = arguments; *c; c++)
		used += (size_t)snprintf(command + used, sizeof command - used, *c == '@' ? "%s" : "%.1s",
			*c == '@' ? folder : c);
	if (system(command) != 0)
		fail_msg("%s", command);
}

/* What the run of a trace file answers, to be freed, without the lines that name or describe the file. */
static char *simulate(const char *folder, const char *trace, const char *devices)
{
	char arguments[512], path[128], line[1024], *report = memory_array(REPORT_BYTES, 1, "test");
	FILE *file;

	snprintf(arguments, sizeof arguments,
		"run --verify -s precondition.mode=none -s trace.devices=%s parameters/tiny.cfg "
		"@/%s >@/report 2>@/messages",
		devices, trace);
	ssd(folder, arguments);
	snprintf(path, sizeof path, "%s/report", folder);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (strncmp(line, "run.command", 11) && strncmp(line, "run.workload", 12) &&
			strncmp(line, "# trace.devices", 15))
			strcat(report, line);
	fclose(file);
	assert_true(strlen(report) > 2000 && strlen(report) < REPORT_BYTES - sizeof line);
	return report;
}

static void expect_same(const char *folder, const char *trace, const char *devices, const char *wanted)
{
	char *report = simulate(folder, trace, devices);

	if (strcmp(report, wanted) != 0)
		fail_msg("%s simulates differently", trace);
	memory_free(report);
}

/* Requests anywhere on a drive of 384 KB, whose times are multiples of a step. */
static void write_source(const char *folder, const char *name, uint64_t step_ns, bool trims, uint64_t seed)
{
	static const char *const actions[] = { "read", "write", "trim" };
	char path[128];
	struct random random;
	uint64_t time = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
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
	const char *folder, const char *from, const char *format, const char *options, const char *to)
{
	char arguments[512];

	snprintf(arguments, sizeof arguments, "trace convert %s --to %s -o @/%s @/%s 2>@/messages", options,
		format, to, from);
	ssd(folder, arguments);
}

static uint64_t seed(void)
{
	const char *text = getenv("SEED");
	uint64_t value = text ? strtoull(text, NULL, 0) : 1;

	print_message("SEED=%llu\n", (unsigned long long)value);
	return value;
}

static void expect_same_in_every_format(
	const char *folder, const char *from, const char *devices, const char *wanted)
{
	for (size_t i = 0; trace_formats[i]; i++) {
		if (!trace_formats[i]->write)
			continue;
		convert(folder, from, trace_formats[i]->name, "", "second");
		print_message("%s, then %s\n", from, trace_formats[i]->name);
		expect_same(folder, "second", devices, wanted);
	}
}

/* From every format that can be written to every other one, at times that all of them hold. */
static void test_every_pair(void **state)
{
	const char *folder = folder_of(state);
	char *wanted;

	write_source(folder, "source", 1000, false, seed());
	wanted = simulate(folder, "source", "own");
	for (size_t i = 0; trace_formats[i]; i++) {
		const char *name = trace_formats[i]->name;

		if (!trace_formats[i]->write)
			continue;
		convert(folder, "source", name, "", name);
		expect_same(folder, name, "own", wanted);
		expect_same_in_every_format(folder, name, "own", wanted);
	}
	memory_free(wanted);
}

/* Each format at the finest times that it holds. */
static void test_finest_times(void **state)
{
	const char *folder = folder_of(state);
	uint64_t from = seed();

	for (size_t i = 0; trace_formats[i]; i++) {
		const struct format *format = trace_formats[i];
		char *wanted;

		if (!format->write)
			continue;
		print_message("%s\n", format->name);
		write_source(folder, "source", format->write_step_ns, false, from);
		wanted = simulate(folder, "source", "own");
		convert(folder, "source", format->name, "", "converted");
		expect_same(folder, "converted", "own", wanted);
		memory_free(wanted);
	}
}

/* Devices laid out one after another stay where they were laid, in whatever order they come. */
static void test_devices_laid_out(void **state)
{
	const char *folder = folder_of(state);
	char *wanted;

	write_source(folder, "source", 1000, false, seed());
	wanted = simulate(folder, "source", "all");
	expect_same_in_every_format(folder, "source", "all", wanted);
	convert(folder, "source", "ssdsim", "--devices all", "first");
	expect_same(folder, "first", "own", wanted);
	expect_same(folder, "first", "all", wanted);
	expect_same_in_every_format(folder, "first", "all", wanted);
	memory_free(wanted);
}

/* Trims, which only fio's format has. */
static void test_trims(void **state)
{
	const char *folder = folder_of(state);
	char *wanted;

	write_source(folder, "source", 1000, true, seed());
	wanted = simulate(folder, "source", "own");
	convert(folder, "source", "fio", "", "converted");
	expect_same(folder, "converted", "own", wanted);
	memory_free(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_pair, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_finest_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_devices_laid_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_trims, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
