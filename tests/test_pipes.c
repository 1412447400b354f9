/*
 * A trace from a pipe gives the results of the file, also where it must be read twice: devices laid out one
 * after another, pages premapped, SSDsim.
 */
#include "tests/program_fixture.h"

#define LINES 30000 /* several times what is read at once */

/* Every way to hand the trace over. */
static const struct {
	const char *before, *trace, *behind;
} ways[] = {
	{ "", "$d/trace", "" }, { "", "-", "<$d/trace" }, { "cat $d/trace |", "-", "" },
	{ "gzip -c $d/trace |", "-", "" }, { "cat $d/trace |", "/dev/stdin", "" },
	{ "{ head -c 333 $d/trace; sleep 0.1; tail -c +334 $d/trace; } |", "-", "" }, /* an odd piece */
	{ "mkfifo $d/fifo; cat $d/trace >$d/fifo &", "$d/fifo", "; s=$?; rm $d/fifo; exit $s" },
	{ "{ read line;", "-", "; } <$d/two" }, /* begins after a line already read */
};

static int set_up_trace(void **state)
{
	char *path;
	FILE *file;

	if (set_up(state))
		return -1;
	path = path_in(*state, "trace");
	file = fopen(path, "w");
	assert_non_null(file);
	for (unsigned i = 0; i < LINES; i++)
		fprintf(file, "%u %u %u 4 %u\n", 100000 * i, i / 7 % 3, 4 * (i * 7919 % 1000), i / 3 % 2);
	fprintf(file, "99999999999 0 0 4 1");
	fclose(file);
	memory_free(path);
	shell(*state, "{ echo something else; cat $d/trace; } >$d/two; "
		      "tar -C $d -xJf tests/legacy/golden.tar.xz 01_default/page.parameters");
	return 0;
}

/* `command` up to the trace; `show` prints the result. */
static void compare(struct world *w, const char *command, const char *show)
{
	char line[512], *expected = NULL;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		snprintf(line, sizeof line, "%s { %s %s %s; } %s", ways[i].before, command, ways[i].trace,
			show, ways[i].behind);
		print_message("%s\n", line);
		shell(w, line);
		assert_status(w, DONE, line);
		if (!expected)
			expected = memory_string(w->out, "test");
		assert_true(strlen(expected) > 5);
		assert_string_equal(w->out, expected);
	}
	memory_free(expected);
}

static void test_devices(void **state)
{
	compare(*state, "$ssd trace stat --devices all --json $d/json",
		">$d/out && grep -v '^trace.file' $d/out");
	compare(*state, "$ssd trace convert --to msr --devices all -o $d/out", "&& cksum <$d/out");
}

/* Lines with the command, and so the name, are left out. */
#define NUMBERS ">$d/out && grep '^[a-z0-9._]*_ns \\|^flash' $d/out"

static void test_run(void **state)
{
	compare(*state, "$ssd run --all -s trace.fold=true -s trace.devices=all tiny", NUMBERS);
	compare(*state, "$ssd run --all -s trace.fold=true -s trace.limit=9000 parameters/tiny.cfg", NUMBERS);
	compare(*state, "$ssd run --all -s trace.fold=true -s precondition.premap=none parameters/tiny.cfg",
		NUMBERS);
	compare(*state,
		"$ssd run --all -s precondition.mode=trace -s precondition.used=0.9 -s precondition.passes=9 "
		"-s trace.fold=true -s trace.limit=1000 parameters/tiny.cfg uniform -s "
		"precondition.trace=\"$(echo",
		")\"" NUMBERS);
}

static void test_legacy(void **state)
{
	compare(*state, "$ssd legacy -o $d/legacy $d/01_default/page.parameters",
		"&& cat $d/legacy/statistic10.dat | sed 2d");
}

/* Two readers cannot share standard input. */
static void test_one_standard_input(void **state)
{
	struct world *w = *state;

	ssd(w, "run -s precondition.mode=trace -s precondition.trace=- parameters/tiny.cfg - <@/trace");
	assert_int_equal(w->status, USER);
	assert_non_null(
		strstr(w->err, "standard input cannot be both precondition.trace and the trace of the run"));
	ssd(w, "trace stat - - <@/trace");
	assert_int_equal(w->status, USER);
	assert_non_null(strstr(w->err, "-: is empty"));
}

/* No room for the copy, no folder for it; and no copy is left behind. */
static void test_keeping(void **state)
{
	struct world *w = *state;

	w->file_limit = 4096;
	shell(w, "cat $d/trace | TMPDIR=$d $ssd trace stat --devices all -");
	assert_int_equal(w->status, USER);
	assert_non_null(strstr(w->err, ": File too large"));
	w->file_limit = 0;
	shell(w, "cat $d/trace | TMPDIR=$d/nowhere $ssd trace stat --devices all -");
	assert_int_equal(w->status, USER);
	assert_non_null(strstr(w->err, "nowhere: No such file or directory"));
	shell(w, "cat $d/trace | TMPDIR=$d $ssd trace stat --devices all - >$d/out; ls $d | grep pipe");
	assert_string_equal(w->out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_legacy),
		cmocka_unit_test(test_one_standard_input),
		cmocka_unit_test(test_keeping),
	};

	return cmocka_run_group_tests(tests, set_up_trace, tear_down);
}
