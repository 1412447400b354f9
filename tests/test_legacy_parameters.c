/*
 * SSDsim's parameter grammar, line by line; the trace grammar; the import; the corpus of the fuzzer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "legacy/scan.h"
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

/* A line of 200 bytes and more goes on as a line of its own. */
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

static void check_line(const char *text, bool ok)
{
	struct legacy_line line;
	const char *what;

	assert_int_equal(legacy_scan_line(text, strlen(text), &line, &what), ok);
	assert_int_equal(what == NULL, ok);
}

static void test_trace_lines(void **state)
{
	struct legacy_line line;
	const char *what;

	(void)state;
	assert_true(legacy_scan_line("26214000 9 303574 7 1\r", 22, &line, &what));
	assert_int_equal(line.time, 26214000);
	assert_int_equal(line.sector, 303574);
	assert_int_equal(line.sectors, 7);
	assert_true(line.read);
	check_line("0 0 0 1 0", true);
	check_line("  1\t2 3  4 0 more", true);
	check_line("+1 0 2147483647 4 0", true);
	check_line("1 0 2147483648 4 0", false);
	check_line("1 0 3 4", false);
	check_line("1 0 3 4 x", false);
	check_line("1.5 0 3 4 0", false);
	check_line("1 0 -3 4 0", false);
	check_line("1 0 3 0 0", false);
	check_line("1 0 3 4 2", false);
	check_line("99999999999999999999999999 0 3 4 0", true);
	assert_false(legacy_scan_line(" \t", 2, &line, &what));
	assert_string_equal(what, "");
}

/* Lines across the edges of the read buffer, and a last line without an end. */
static void test_scan_long_file(void **state)
{
	char path[] = "/tmp/legacy-scan-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct legacy_scan scan;
	struct legacy_line line;
	struct fault fault;

	(void)state;
	assert_non_null(file);
	for (int i = 1; i <= 100000; i++)
		fprintf(file, "%s%d 0 %d 8 1", i == 1 ? "" : "\n", i, i);
	fclose(file);
	assert_true(legacy_scan_open(&scan, path, &fault));
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 1; i <= 100000; i++) {
			assert_int_equal(legacy_scan_next(&scan, &line, &fault), SCAN_LINE);
			assert_int_equal(line.time, i);
			assert_int_equal(line.sector, i);
			assert_int_equal(line.terminated, i < 100000);
		}
		assert_int_equal(legacy_scan_next(&scan, &line, &fault), SCAN_END);
		legacy_scan_rewind(&scan);
	}
	legacy_scan_close(&scan);
	unlink(path);
}

/* Every setting that has an equal in the main simulator arrives there. */
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
		cmocka_unit_test(test_scan_long_file),
		cmocka_unit_test(test_import),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
