/* `ssd trace`: its options, its files, and what it says to mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_BYTES 64

/* What a test works with: a folder of its own, and the last mistake the command told. */
struct bench {
	char folder[FOLDER_BYTES];
};

/* The program's main() prints it; here it must be kept for the test to see, and the command has
 * no handle to pass. */
static char mistake[1024];

int cli_mistake(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(mistake, sizeof mistake, format, args);
	va_end(args);
	return STATUS_USER;
}

static int set_up(void **state)
{
	struct bench *b = memory_array(1, sizeof *b, "test");

	char here[256], profiles[512];

	snprintf(b->folder, sizeof b->folder, "/tmp/ssdlab-cli-XXXXXX");
	assert_non_null(getcwd(here, sizeof here));
	snprintf(profiles, sizeof profiles, "%s/traces/profiles", here);
	setenv("SSDLAB_PROFILES", profiles, 1);
	*state = b;
	mistake[0] = '\0';
	return mkdtemp(b->folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct bench *b = *state;
	char command[2 * FOLDER_BYTES];
	int status;

	snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
	status = system(command);
	memory_free(b);
	return status;
}

static const char *path_in(const struct bench *b, const char *name, char path[2 * FOLDER_BYTES])
{
	snprintf(path, 2 * FOLDER_BYTES, "%s/%s", b->folder, name);
	return path;
}

static void put_file(const struct bench *b, const char *name, const char *text)
{
	char path[2 * FOLDER_BYTES];
	FILE *file = fopen(path_in(b, name, path), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The file's content, to be freed; NULL: there is no such file. */
static char *get_file(const struct bench *b, const char *name)
{
	char path[2 * FOLDER_BYTES], *text;
	FILE *file = fopen(path_in(b, name, path), "r");

	if (!file)
		return NULL;
	text = memory_array(1u << 20, 1, "test");
	text[fread(text, 1, (1u << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* Runs `ssd trace ...` with the words of one line, in the test's folder. */
static int run(const struct bench *b, const char *line)
{
	char words[512], *argv[32] = { "trace" }, here[512];
	int argc = 1, status, out;

	snprintf(words, sizeof words, "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir(b->folder), 0);
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	assert_non_null(freopen("stdout", "w", stdout));
	status = cli_trace(argc, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	assert_int_equal(chdir(here), 0);
	return status;
}

static void expect_text(const struct bench *b, const char *name, const char *wanted)
{
	char *text = get_file(b, name);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	memory_free(text);
}

static void expect_part(const struct bench *b, const char *name, const char *wanted)
{
	char *text = get_file(b, name);

	assert_non_null(text);
	assert_non_null(strstr(text, wanted));
	memory_free(text);
}

#define TRACE "5 0 8 8 0\n7 1 16 16 1\n6 0 24 8 0\n"

static void test_stat(void **state)
{
	struct bench *b = *state;

	put_file(b, "a", TRACE);
	assert_int_equal(run(b, "stat --json a.json a"), STATUS_DONE);
	expect_part(b, "stdout", "trace.requests = 3 ");
	expect_part(b, "stdout", "trace.format = ssdsim ");
	expect_part(b, "stdout", "trace.reordered = 1 ");
	expect_part(b, "a.json", "\"trace.requests\": 3");
	assert_int_equal(run(b, "stat --json both.json a a"), STATUS_DONE);
	expect_part(b, "both.json", "[\n");
	assert_int_equal(run(b, "stat --devices 1 a"), STATUS_DONE);
	expect_part(b, "stdout", "trace.requests = 1 ");
}

static void test_convert(void **state)
{
	struct bench *b = *state;

	put_file(b, "a", TRACE);
	assert_int_equal(run(b, "convert --to ssdsim -o b a"), STATUS_DONE);
	expect_text(b, "b", "0 0 8 8 0\n1 0 24 8 0\n2 1 16 16 1\n");
	assert_int_equal(run(b, "convert --to disksim --time-unit ms -o b a"), STATUS_DONE);
	expect_text(b, "b", "0.000000 0 8 8 0\n1.000000 0 24 8 0\n2.000000 1 16 16 1\n");
	assert_int_equal(run(b, "convert --to spc --time-unit s --output b a"), STATUS_DONE);
	expect_text(b, "b", "0,8,4096,W,0.000000000\n0,24,4096,W,1.000000000\n1,16,8192,R,2.000000000\n");
	assert_int_equal(run(b, "convert --to msr --time-unit us -o b a"), STATUS_DONE);
	expect_text(b, "b",
		"0,trace,0,Write,4096,4096,0\n10,trace,0,Write,12288,4096,0\n"
		"20,trace,1,Read,8192,8192,0\n");
	assert_int_equal(run(b, "convert --to systor -o b a"), STATUS_DONE);
	expect_text(b, "b",
		"Timestamp,Response,IOType,LUN,Offset,Size\n0.000000000,0.000000000,W,0,4096,4096\n"
		"0.000000001,0.000000000,W,0,12288,4096\n0.000000002,0.000000000,R,1,8192,8192\n");
	assert_int_equal(run(b, "convert --to fio --time-unit us -o b a"), STATUS_DONE);
	expect_text(b, "b",
		"fio version 3 iolog\n0 device0 add\n0 device0 open\n0 device0 write 4096 4096\n"
		"1 device0 write 12288 4096\n2 device1 add\n2 device1 open\n2 device1 read 8192 8192\n");
	assert_int_equal(run(b, "convert --to mqsim --devices all a"), STATUS_DONE);
	expect_text(b, "stdout", "0 0 8 8 0\n1 0 24 8 0\n2 0 2064 16 1\n");
}

static void test_generate(void **state)
{
	struct bench *b = *state;
	char *text;

	assert_int_equal(run(b, "generate uniform -s requests=100 -o a"), STATUS_DONE);
	assert_int_equal(run(b, "generate uniform -s requests=100 --to spc -o b"), STATUS_DONE);
	assert_int_equal(run(b, "stat b"), STATUS_DONE);
	expect_part(b, "stdout", "trace.format = spc ");
	expect_part(b, "stdout", "trace.requests = 100 ");
	assert_int_equal(run(b, "convert --to ssdsim -o c b"), STATUS_DONE);
	assert_int_equal(run(b, "convert --to ssdsim -o d a"), STATUS_DONE);
	text = get_file(b, "c");
	assert_non_null(text);
	expect_text(b, "d", text);
	memory_free(text);
	assert_int_equal(run(b, "generate nonsense -o e"), STATUS_USER);
	assert_null(get_file(b, "e"));
}

static void test_bad_trace_leaves_nothing(void **state)
{
	struct bench *b = *state;

	put_file(b, "bad", "5 0 8 8 0\n7 1 16 16 2\n");
	assert_int_equal(run(b, "convert --to spc -o b bad"), STATUS_USER);
	assert_string_equal(mistake,
		"bad:2: operation is 2, should be 1 (read) or 0 (write); ssdsim lines are: "
		"time[ns] device first-sector sectors 1=read|0=write");
	assert_null(get_file(b, "b"));
	assert_int_equal(run(b, "stat --json b bad"), STATUS_USER);
	assert_null(get_file(b, "b"));
}

static void test_full_disk(void **state)
{
	struct bench *b = *state;
	struct stat status;

	if (stat("/dev/full", &status))
		skip();
	put_file(b, "a", TRACE);
	assert_int_equal(run(b, "convert --to spc -o /dev/full a"), STATUS_USER);
	assert_non_null(strstr(mistake, "/dev/full"));
}

/* Draws where gnuplot is installed; says so where it is not; leaves nothing half done. */
static void test_plot(void **state)
{
	struct bench *b = *state;
	char *path = memory_string(getenv("PATH"), "test");
	int status;

	put_file(b, "a", TRACE);
	status = run(b, "stat --plot a.svg a");
	if (status == STATUS_DONE)
		expect_part(b, "a.svg", "<svg");
	else
		assert_string_equal(
			mistake, "gnuplot, which --plot needs, cannot be run: No such file or directory");
	setenv("PATH", b->folder, 1);
	status = run(b, "stat --plot b.svg a");
	setenv("PATH", path, 1);
	memory_free(path);
	assert_int_equal(status, STATUS_USER);
	assert_string_equal(mistake, "gnuplot, which --plot needs, cannot be run: No such file or directory");
	assert_null(get_file(b, "b.svg"));
	assert_null(get_file(b, "b.svg.partial"));
	assert_null(get_file(b, "b.svg.partial.gnuplot"));
	put_file(b, "trims", "fio version 3 iolog\n1 f trim 0 4096\n");
	assert_int_equal(run(b, "stat --plot d.svg trims"), STATUS_USER);
	assert_string_equal(mistake, "trims: has neither a read nor a write to draw");
	assert_int_equal(run(b, "stat --plot nowhere/c.svg a"), STATUS_USER);
	assert_string_equal(
		mistake, "the plot \"nowhere/c.svg\" cannot be written: No such file or directory");
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *line, *mistake;
	} cases[] = {
		{ "", "trace: stat, convert or generate? see `ssd trace --help`" },
		{ "sort a", "trace: unknown command \"sort\"; should be stat, convert or generate" },
		{ "stat", "trace stat: which trace? see `ssd trace stat --help`" },
		{ "stat --fast a",
			"trace stat: unknown or unclear option \"--fast\"; see `ssd trace stat --help`" },
		{ "stat a --json",
			"trace stat: a value is missing behind \"--json\"; see `ssd trace stat --help`" },
		{ "stat --plot p.svg a a", "trace stat: --plot draws one trace, 2 are given" },
		{ "stat nothing", "nothing: cannot be opened: No such file or directory" },
		{ "convert a",
			"trace convert needs --to FORMAT and one trace; see `ssd trace convert --help`" },
		{ "convert --to spc",
			"trace convert needs --to FORMAT and one trace; see `ssd trace convert --help`" },
		{ "convert --to tencent a",
			"cannot write traces in format \"tencent\"; should be one of ssdsim, "
			"mqsim, disksim, spc, msr, systor, fio" },
		{ "convert --format scp --to spc a", "unknown trace format \"scp\"; did you mean \"spc\"?" },
		{ "generate", "trace generate needs one profile; see `ssd trace generate --help`" },
	};
	struct bench *b = *state;

	put_file(b, "a", TRACE);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(run(b, cases[i].line), STATUS_USER);
		assert_string_equal(mistake, cases[i].mistake);
	}
}

static void test_help(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run(b, "--help"), STATUS_DONE);
	expect_part(b, "stdout", "usage: ssd trace stat");
	assert_int_equal(run(b, "stat --help"), STATUS_DONE);
	expect_part(b, "stdout", "--json FILE");
	assert_int_equal(run(b, "convert --help"), STATUS_DONE);
	expect_part(b, "stdout", "--to FORMAT         ssdsim, mqsim, disksim, spc, msr, systor, fio\n");
	assert_int_equal(run(b, "generate --help"), STATUS_DONE);
	expect_part(b, "stdout", "PROFILE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stat, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_convert, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_generate, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_bad_trace_leaves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_full_disk, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_plot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mistakes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_help, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
