/*
 * SSDsim's parameter grammar, line by line; the trace grammar; the import; the corpus of the fuzzer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "legacy/trace.h"
#include "tests/fuzz/legacy_params.c"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define CORPUS "tests/fuzz/corpus/legacy_params"

static struct legacy_parameters parse(const char *text)
{
	struct legacy_parameters p;
	struct fault fault;

	assert_true(legacy_parameters_parse(&p, text, strlen(text), "test", &fault));
	memory_free(p.text);
	p.text = NULL;
	return p;
}

static void test_values(void **state)
{
	(void)state;
	assert_int_equal(parse("die number = 3;  # comment").dies, 3);
	assert_int_equal(parse("die number=3").dies, 3);
	assert_int_equal(parse("die number   =\t 3x").dies, 3);
	assert_int_equal(parse("die number = -3").dies, -3);
	assert_int_equal(parse("die number = 3.9").dies, 3);
	assert_int_equal(parse("die number = 3\ndie number = 5\n").dies, 5);
	assert_int_equal(parse("die number = 3\ndie number = none\n").dies, 3);
	assert_int_equal(parse("die number = 3 = 4").dies, 3);
	assert_float_equal(parse("overprovide = 0.10;").overprovide, 0.10f, 0);
	assert_int_equal(parse("").queue_length, 5);
	assert_int_equal(parse("").dies, 0);
}

static void test_keys(void **state)
{
	struct legacy_parameters p;

	(void)state;
	assert_int_equal(parse("#die number = 3").dies, 0);
	assert_int_equal(parse(" die number = 3").dies, 0);
	assert_int_equal(parse("Die number = 3").dies, 0);
	assert_int_equal(parse("die number\t= 3").dies, 0);
	assert_int_equal(parse("wear leveling = 3\nt_CLS = 2\ndram voltage = 3.3\n").unknown_keys, 0);
	p = parse("dei number = 3\nfoo = 4\n");
	assert_int_equal(p.unknown_keys, 2);
	assert_string_equal(p.unknown_key, "dei number");
	p = parse("chip number[0] = 2\nchip number[17] = 4\nchip number = 6\n");
	assert_int_equal(p.chips[0], 2);
	assert_int_equal(p.chips[17], 4);
	assert_int_equal(p.chip_number, 6);
}

/* Bytes of a line beyond the 199th are read as a line of their own. */
static void test_long_lines(void **state)
{
	char text[512];
	struct legacy_parameters p;

	(void)state;
	memset(text, 'x', sizeof text);
	memcpy(text + 199, "die number = 7\n", 16);
	p = parse(text);
	assert_int_equal(p.dies, 7);
}

static void write_trace(char *path, const char *text, size_t bytes)
{
	FILE *file;

	strcpy(path, "/tmp/legacy-trace-XXXXXX");
	file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

/* Reads a line after a good one: a trace of a bad line alone would have no known format. */
static enum legacy_line_status read_line(const char *text, struct legacy_line *line, struct fault *fault)
{
	char path[64], lines[512];
	struct legacy_trace trace;
	enum legacy_line_status status;

	write_trace(path, lines, (size_t)snprintf(lines, sizeof lines, "0 0 0 1 0\n%s\n", text));
	assert_true(legacy_trace_open(&trace, path, NULL, 0, fault));
	assert_int_equal(legacy_trace_next(&trace, line, fault), LINE_OK);
	status = legacy_trace_next(&trace, line, fault);
	assert_int_equal(trace.blank, status == LINE_END);
	legacy_trace_close(&trace);
	unlink(path);
	return status;
}

/* More lines than are read ahead at a time, every third a trim; read twice from the start. */
static void test_lines_that_are_read_ahead(void **state)
{
	enum { LINES = 30000 };

	char path[64], *text = memory_array(LINES, 40, "test");
	size_t bytes = (size_t)sprintf(text, "fio version 2 iolog\n/dev/a add\n/dev/a open\n");
	struct legacy_trace trace;
	struct legacy_line line;
	struct fault fault;

	(void)state;
	for (unsigned i = 0; i < LINES; i++)
		bytes += (size_t)sprintf(
			text + bytes, "/dev/a %s %u 512\n", i % 3 == 2 ? "trim" : "write", 512 * i);
	write_trace(path, text, bytes);
	assert_true(legacy_trace_open(&trace, path, NULL, 0, &fault));
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < LINES; i++) {
			if (i % 3 == 2)
				continue;
			assert_int_equal(legacy_trace_next(&trace, &line, &fault), LINE_OK);
			assert_int_equal(line.sector, i);
			assert_int_equal(trace.line, i + 4);
			assert_int_equal(trace.trims, i / 3);
		}
		assert_int_equal(legacy_trace_next(&trace, &line, &fault), LINE_END);
		assert_int_equal(trace.trims, LINES / 3);
		assert_true(legacy_trace_rewind(&trace, &fault));
	}
	legacy_trace_close(&trace);
	unlink(path);
	memory_free(text);
}

/* What SSDsim's scanf accepts as a line, and what is refused. */
static void test_trace_lines(void **state)
{
	static const struct {
		const char *text;
		struct legacy_line line;
	} good[] = {
		{ "26214000 9 303574 7 1\r", { 26214000, 303574, 7, true, true } },
		{ "0 0 0 1 0", { 0, 0, 1, false, true } },
		{ "  1\t2 3  4 0 more", { 1, 3, 4, false, true } },
		{ "1\v2 3\f4 1,", { 1, 3, 4, true, true } },
		{ "+1 0 2147483647 4 0", { 1, INT32_MAX, 4, false, true } },
		{ "1 0 3 2147483647 0", { 1, 3, INT32_MAX, false, true } },
		{ "1 99999999999 3 4 0", { 1, 3, 4, false, true } },
		{ "99999999999999999999999999 0 3 4 0", { INT64_MAX, 3, 4, false, true } },
		{ "9999999999999999999 0 3 4 0", { INT64_MAX, 3, 4, false, true } },
	};
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "1 0 2147483648 4 0", ":2: sector and size must be below 2^31" },
		{ "1 0 3 2147483648 0", ":2: size 2147483648 is absurd" },
		{ "1 0 3 4", ":2: operation is missing" },
		{ "1 0 3 4 x", ":2: operation \"x\" is not" },
		{ "1x5 0 3 4 0", ":2: time \"1x5\" is not" },
		{ "1 0 -3 4 0", ":2: first sector -3 is negative" },
		{ "1 0 3 0 0", ":2: size is 0" },
		{ "1 0 3 4 2", ":2: operation is 2, should be 1 (read) or 0 (write)" },
		{ "1 0 0 0 2", ":2: operation is 2, should be 1 (read) or 0 (write)" },
		{ "1 0 3 4 4", ":2: operation is 4, should be 1 (read) or 0 (write)" },
	};
	struct legacy_line line = { 0 };
	struct fault fault = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(read_line(good[i].text, &line, &fault), LINE_OK);
		assert_int_equal(line.time, good[i].line.time);
		assert_int_equal(line.sector, good[i].line.sector);
		assert_int_equal(line.sectors, good[i].line.sectors);
		assert_int_equal(line.read, good[i].line.read);
		assert_true(line.terminated);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(read_line(bad[i].text, &line, &fault), LINE_BAD);
		if (!strstr(fault.text, bad[i].why))
			print_message("%s: %s\n", bad[i].text, fault.text);
		assert_non_null(strstr(fault.text, bad[i].why));
	}
	assert_int_equal(read_line("", &line, &fault), LINE_END);
	assert_int_equal(read_line(" \t", &line, &fault), LINE_END);
	assert_int_equal(read_line("# comment", &line, &fault), LINE_END);
}

/* SSDsim cuts a line of 200 bytes in two; one byte less it reads. */
static void test_long_trace_line(void **state)
{
	char text[256];
	struct legacy_line line;
	struct fault fault;

	(void)state;
	snprintf(text, sizeof text, "1 0 3 4 0 %0189d", 7);
	assert_int_equal(strlen(text), 199);
	assert_int_equal(read_line(text, &line, &fault), LINE_OK);
	strcat(text, "7");
	assert_int_equal(read_line(text, &line, &fault), LINE_BAD);
}

/* Lines across the edges of the read buffer, times that go back, and a last line without a newline. */
static void test_long_trace(void **state)
{
	enum { LINES = 100000 };
	char path[64], *text = memory_array(LINES, 32, "test");
	struct legacy_trace trace;
	struct legacy_line line;
	struct fault fault;
	size_t bytes = 0;

	(void)state;
	for (int i = 1; i <= LINES; i++)
		bytes += (size_t)sprintf(text + bytes, "%s%d 0 %d 8 1", i == 1 ? "" : "\n", i ^ 1, i);
	write_trace(path, text, bytes);
	memory_free(text);
	assert_true(legacy_trace_open(&trace, path, NULL, 0, &fault));
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 1; i <= LINES; i++) {
			assert_int_equal(legacy_trace_next(&trace, &line, &fault), LINE_OK);
			assert_int_equal(line.time, i ^ 1);
			assert_int_equal(line.sector, i);
			assert_int_equal(line.terminated, i < LINES);
		}
		assert_int_equal(trace.disordered, LINES / 2 - 1);
		assert_int_equal(legacy_trace_next(&trace, &line, &fault), LINE_END);
		assert_true(legacy_trace_rewind(&trace, &fault));
	}
	legacy_trace_close(&trace);
	unlink(path);
}

/* Every setting with a counterpart in the main simulator is imported. */
static void test_import(void **state)
{
	static const char *const expected[] = { "channels = 2;", "chips = 3;", "dies = 4;", "planes = 5;",
		"blocks = 6;", "pages = 7;", "page_bytes = 4096;", "over_provisioning = 0.25;",
		"read_ns = 11;", "program_ns = 12;", "erase_ns = 13;", "command_ns = 70;",
		"bus_mb_per_s = 100;", "copyback = true;", "interleave = false;",
		"multiplane = \"same_offset\";", "policy = \"static\";", "order = \"CDWP\";",
		"threshold = 0.125;", "queue_limit = 9;", "buffer_bytes = 65536;", "buffer = \"lru\";",
		"mode = \"aged\";", "used = 0.5;" };
	struct legacy_parameters p = parse(
		"channel number = 2\nchip number = 6\nchip number[0] = 3\nchip number[1] = 3\n"
		"die number = 4\nplane number = 5\nblock number = 6\npage number = 7\nsubpage page = 8\n"
		"subpage capacity = 512\noverprovide = 0.25\nt_R = 11\nt_PROG = 12\nt_BERS = 13\nt_WC = 10\n"
		"t_RC = 10\nadvanced command = 6\nallocation = 1\nstatic_allocation = 3\ngc hard threshold = "
		"0.125\n"
		"queue_length = 9\ndram capacity = 65536\naged = 1\naged ratio = 0.5\n");
	char text[4096] = "";
	FILE *out = fmemopen(text, sizeof text, "w");
	struct fault fault = { "" };

	(void)state;
	assert_true(legacy_import(&p, "test", out, &fault));
	fclose(out);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		if (!strstr(text, expected[i]))
			print_message("missing: %s\n", expected[i]);
		assert_non_null(strstr(text, expected[i]));
	}
}

/* SSDsim accepts any 32-bit cycle time; seven cycles need more bits. */
static void test_import_of_the_longest_cycle(void **state)
{
	struct legacy_parameters p = parse(
		"channel number = 2\nchip number = 4\nchip number[0] = 2\nchip number[1] = 2\ndie number = "
		"2\n"
		"plane number = 2\nblock number = 64\npage number = 64\nsubpage page = 4\nsubpage capacity = "
		"512\n"
		"overprovide = 0.1\nt_WC = 2147483647\ngc hard threshold = 0.3\n");
	char text[4096] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	assert_true(legacy_import(&p, "test", out, &(struct fault){ "" }));
	fclose(out);
	assert_non_null(strstr(text, "    command_ns = 15032385529; "));
	legacy_parameters_free(&p);
}

static void replay(const char *name)
{
	uint8_t data[4096];
	char path[512];
	FILE *file;
	size_t bytes;

	snprintf(path, sizeof path, "%s/%s", CORPUS, name);
	print_message("%s\n", path);
	file = fopen(path, "rb");
	assert_non_null(file);
	bytes = fread(data, 1, sizeof data, file);
	fclose(file);
	assert_int_equal(LLVMFuzzerTestOneInput(data, bytes), 0);
}

static void test_corpus(void **state)
{
	DIR *folder = opendir(CORPUS);
	struct dirent *entry;
	unsigned files = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.') {
			replay(entry->d_name);
			files++;
		}
	closedir(folder);
	assert_true(files >= 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_trace_lines),
		cmocka_unit_test(test_lines_that_are_read_ahead),
		cmocka_unit_test(test_long_trace_line),
		cmocka_unit_test(test_long_trace),
		cmocka_unit_test(test_import),
		cmocka_unit_test(test_import_of_the_longest_cycle),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
