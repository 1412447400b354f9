/* `ssd trace`: its options, its files, and its messages about mistakes. */
#include "tests/program_fixture.h"

#include <sys/stat.h>

/* Runs `ssd trace ...` in the test's folder.  Returns its status. */
static int run(struct world *w, const char *line)
{
	char command[512];

	snprintf(command, sizeof command,
		"export SSDLAB_PROFILES=$PWD/traces/profiles; cd $d && exec $ssd trace %s", line);
	shell(w, command);
	return w->status;
}

/* The last line on stderr; remarks may stand before it. */
static void expect_mistake(const struct world *w, const char *wanted)
{
	char line[1024];
	size_t length = (size_t)snprintf(line, sizeof line, "ssd: %s\n", wanted), all = strlen(w->err);

	assert_int_equal(w->status, USER);
	assert_string_equal(all > length ? w->err + all - length : w->err, line);
}

static void expect_text(const struct world *w, const char *name, const char *wanted)
{
	char *text = text_of(w, name);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	memory_free(text);
}

static void expect_part(const struct world *w, const char *name, const char *wanted)
{
	char *text = text_of(w, name);

	assert_non_null(text);
	assert_non_null(strstr(text, wanted));
	memory_free(text);
}

#define TRACE "5 0 8 8 0\n7 1 16 16 1\n6 0 24 8 0\n"

static void test_stat(void **state)
{
	struct world *w = *state;

	put_text(w, "a", TRACE);
	assert_int_equal(run(w, "stat --json a.json a"), DONE);
	expect_part(w, "stdout", "trace.requests = 3 ");
	expect_part(w, "stdout", "trace.format = ssdsim ");
	expect_part(w, "stdout", "trace.reordered = 1 ");
	expect_part(w, "a.json", "\"trace.requests\": 3");
	assert_int_equal(run(w, "stat --json both.json a a"), DONE);
	expect_part(w, "both.json", "[\n");
	assert_int_equal(run(w, "stat --devices 1 a"), DONE);
	expect_part(w, "stdout", "trace.requests = 1 ");
}

static void test_convert(void **state)
{
	struct world *w = *state;

	put_text(w, "a", TRACE);
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n1 0 24 8 0\n2 1 16 16 1\n");
	assert_int_equal(run(w, "convert --to disksim --time-unit ms -o b a"), DONE);
	expect_text(w, "b", "0.000000 0 8 8 0\n1.000000 0 24 8 0\n2.000000 1 16 16 1\n");
	assert_int_equal(run(w, "convert --to spc --time-unit s --output b a"), DONE);
	expect_text(w, "b", "0,8,4096,W,0.000000000\n0,24,4096,W,1.000000000\n1,16,8192,R,2.000000000\n");
	assert_int_equal(run(w, "convert --to msr --time-unit us -o b a"), DONE);
	expect_text(w, "b",
		"0,trace,0,Write,4096,4096,0\n10,trace,0,Write,12288,4096,0\n"
		"20,trace,1,Read,8192,8192,0\n");
	assert_int_equal(run(w, "convert --to systor -o b a"), DONE);
	expect_text(w, "b",
		"Timestamp,Response,IOType,LUN,Offset,Size\n0.000000000,0.000000000,W,0,4096,4096\n"
		"0.000000001,0.000000000,W,0,12288,4096\n0.000000002,0.000000000,R,1,8192,8192\n");
	assert_int_equal(run(w, "convert --to fio --time-unit us -o b a"), DONE);
	expect_text(w, "b",
		"fio version 3 iolog\n0 device0 add\n0 device0 open\n0 device0 write 4096 4096\n"
		"1 device0 write 12288 4096\n2 device1 add\n2 device1 open\n2 device1 read 8192 8192\n");
	assert_int_equal(run(w, "convert --to mqsim --devices all a"), DONE);
	expect_text(w, "stdout", "0 0 8 8 0\n1 0 24 8 0\n2 0 2064 16 1\n");
}

/* Commands that a format cannot express are left out, and reported. */
static void test_flush_and_fua(void **state)
{
	struct world *w = *state;

	put_text(w, "a", "0 0 8 8 0\n1 0 0 0 2\n2 1 16 16 4\n");
	assert_int_equal(run(w, "stat a"), DONE);
	expect_part(w, "stdout", "trace.requests = 2 ");
	expect_part(w, "stdout", "trace.flushes = 1 ");
	expect_part(w, "stdout", "trace.fua = 1 ");
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n1 0 0 0 2\n2 1 16 16 4\n");
	assert_int_equal(run(w, "convert --to csv -o b a"), DONE);
	expect_text(w, "b",
		"time_ns,op,offset_bytes,size_bytes,device,hint,flags\n0,write,4096,4096,0,0,\n"
		"1,flush,0,0,0,0,\n"
		"2,write,8192,8192,1,0,FUA\n");
	assert_int_equal(run(w, "convert --to ssdsim -o c b"), DONE);
	expect_text(w, "c", "0 0 8 8 0\n1 0 0 0 2\n2 1 16 16 4\n");
	assert_int_equal(run(w, "convert --to blkparse -o b a"), DONE);
	assert_int_equal(run(w, "convert --to ssdsim -o c b"), DONE);
	expect_text(w, "c", "0 0 8 8 0\n2 1 16 16 0\n");
	assert_non_null(strstr(w->err, "2 FLUSH and FUA are left out; --flush"));
	assert_int_equal(run(w, "convert --flush --to ssdsim -o c b"), DONE);
	expect_text(w, "c", "0 0 8 8 0\n1 0 0 0 2\n2 1 16 16 4\n");
	assert_int_equal(run(w, "convert --to fio --time-unit us -o b a"), DONE);
	assert_non_null(strstr(w->err, "1 writes have lost their FUA: format fio cannot say them"));
	assert_int_equal(run(w, "convert --flush --to ssdsim -o c b"), DONE);
	expect_text(w, "c", "0 0 8 8 0\n1000 0 0 0 2\n2000 1 16 16 0\n");
	assert_int_equal(run(w, "convert --to spc -o b a"), DONE);
	assert_non_null(strstr(w->err, "1 FLUSHes were left out: format spc cannot say them"));
	put_text(w, "a", "w1@3\n=f\ngc\nw2!\n");
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 3 8 8 0\n0 0 0 0 2\n200000000 0 16 8 4\n");
	assert_non_null(strstr(w->err, "1 hints were left out"));
	assert_non_null(strstr(w->err, "1 other commands were left out"));
	assert_int_equal(run(w, "convert --to csv -o b a"), DONE);
	expect_part(w, "b", ",3,3,\n");
}

/* Letters of Linux: F before the type is a FLUSH before the request, F behind W is FUA. */
static void test_flush_of_linux(void **state)
{
	struct world *w = *state;

	put_text(w, "a",
		"8,0 1 1 0.000000000 1 Q WS 8 + 8 [p]\n8,0 1 2 0.000000001 1 Q FWFS 16 + 8 [p]\n"
		"8,0 1 3 0.000000002 1 Q FWS [p]\n8,0 1 4 0.000000003 1 Q FN [p]\n"
		"8,0 1 5 0.000000004 1 Q N [p]\n"
		"8,0 1 6 0.000000005 1 Q R 8 + 8 [p]\n");
	assert_int_equal(run(w, "convert --flush --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n1 0 0 0 2\n1 0 16 8 4\n2 0 0 0 2\n3 0 0 0 2\n5 0 8 8 1\n");
	assert_int_equal(run(w, "stat --flush a"), DONE);
	expect_part(w, "stdout", "trace.flushes = 3 ");
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n1 0 16 8 0\n5 0 8 8 1\n");
	assert_non_null(strstr(w->err, "3 FLUSH and FUA are left out"));
}

static void test_flush_in_columns(void **state)
{
	struct world *w = *state;

	put_text(w, "a",
		"time_ns,op,offset_bytes,size_bytes,flags\n0,W,4096,4096,\n1,F,,,\n2,W,8192,4096,FLUSH+FUA\n"
		"3,W,8192,4096,fua\n4,W,0,0,FLUSH\n");
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n1 0 0 0 2\n2 0 0 0 2\n2 0 16 8 4\n3 0 16 8 4\n4 0 0 0 2\n");
	put_text(w, "a",
		"time_us opcode offset_sectors size_sectors ctrl\n0 1 8 8 0x0\n1 0 0 0 0\n2 1 16 8 0x4000\n"
		"3 2 8 8 16384\n");
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n1000 0 0 0 2\n2000 0 16 8 4\n3000 0 8 8 1\n");
	put_text(w, "a", "time_ns,op,offset_bytes,size_bytes,flags\n0,W,4096,4096,FUA+SYNC\n");
	assert_int_equal(run(w, "convert --to ssdsim -o b a"), USER);
	assert_non_null(strstr(w->err, "flags \"SYNC\" should be FLUSH, FUA or FLUSH+FUA"));
}

static void test_generated_flushes(void **state)
{
	struct world *w = *state;

	assert_int_equal(
		run(w, "generate uniform -s requests=100 -s write_share=1 --flush-every 30 -o a"), DONE);
	assert_int_equal(run(w, "stat a"), DONE);
	expect_part(w, "stdout", "trace.requests = 100 ");
	expect_part(w, "stdout", "trace.flushes = 3 ");
}

/* Hints and updates are kept where they can be written; a trace without any has no column for them. */
static void test_hints(void **state)
{
	static const char converted[] =
		"time_ns,op,offset_bytes,size_bytes,device,hint,flags\n"
		"0,write,0,2048,0,0,\n1000,write,2048,2048,0,1,\n2000,read,4096,2048,0,0,\n"
		"3000,update,0,0,0,1,\n";
	struct world *w = *state;

	put_text(w, "a.csv",
		"time_ns,op,offset_sectors,size_sectors,hint\n0,W,0,4,0\n1000,W,4,4,1\n2000,R,8,4,\n"
		"3000,U,,,1\n");
	assert_int_equal(run(w, "convert --to csv a.csv -o b.csv"), DONE);
	expect_text(w, "b.csv", converted);
	assert_int_equal(run(w, "convert --to csv b.csv"), DONE);
	expect_text(w, "stdout", converted);
	assert_int_equal(run(w, "stat b.csv"), DONE);
	expect_part(w, "stdout", "trace.hint.0 = 2 ");
	expect_part(w, "stdout", "trace.hint.1 = 1 ");
	assert_int_equal(run(w, "convert --to csv -L w0,gc,w1@3,u3"), DONE);
	expect_text(w, "stdout",
		"time_ns,op,offset_bytes,size_bytes,device,hint,flags\n0,write,0,4096,0,0,\n"
		"200000000,write,4096,4096,3,3,\n300000000,update,0,0,3,3,\n");
	assert_int_equal(run(w, "convert --to csv -L w0,gc,w1"), DONE);
	expect_text(w, "stdout",
		"time_ns,op,offset_bytes,size_bytes,device\n0,write,0,4096,0\n200000000,write,4096,4096,0\n");
	assert_int_equal(run(w, "convert --to ssdsim b.csv"), DONE);
	expect_text(w, "stdout", "0 0 0 4 0\n1000 0 4 4 0\n2000 0 8 4 1\n");
	assert_int_equal(run(w, "stat --json c.json -L w0"), DONE);
	assert_null(strstr(w->out, "hint"));
}

static void test_limit(void **state)
{
	struct world *w = *state;

	put_text(w, "a", TRACE);
	assert_int_equal(run(w, "stat --limit 2 a"), DONE);
	expect_part(w, "stdout", "trace.requests = 2 ");
	assert_int_equal(run(w, "stat --limit 9 a"), DONE);
	expect_part(w, "stdout", "trace.requests = 3 ");
	assert_int_equal(run(w, "convert --to ssdsim --limit 1 -o b a"), DONE);
	expect_text(w, "b", "0 0 8 8 0\n");
	assert_int_equal(run(w, "stat --limit 0 a"), USER);
	expect_mistake(w, "trace stat: --limit 0: should be a whole number from 1");
}

static void test_generate(void **state)
{
	struct world *w = *state;
	char *text;

	assert_int_equal(run(w, "generate uniform -s requests=100 -o a"), DONE);
	assert_int_equal(run(w, "generate uniform -s requests=100 --to spc -o b"), DONE);
	assert_int_equal(run(w, "stat b"), DONE);
	expect_part(w, "stdout", "trace.format = spc ");
	expect_part(w, "stdout", "trace.requests = 100 ");
	assert_int_equal(run(w, "convert --to ssdsim -o c b"), DONE);
	assert_int_equal(run(w, "convert --to ssdsim -o d a"), DONE);
	text = text_of(w, "c");
	assert_non_null(text);
	expect_text(w, "d", text);
	memory_free(text);
	assert_int_equal(run(w, "generate nonsense -o e"), USER);
	assert_false(exists(w, "e"));
}

static void test_bad_trace_leaves_nothing(void **state)
{
	struct world *w = *state;

	put_text(w, "bad", "5 0 8 8 0\n7 1 16 16 2\n");
	assert_int_equal(run(w, "convert --to spc -o b bad"), USER);
	expect_mistake(w,
		"bad:2: operation is 2 (FLUSH), whose first sector and sectors should be 0; ssdsim lines "
		"are: time[ns] device first-sector sectors 1=read|0=write|4=write with FUA|2=FLUSH");
	assert_false(exists(w, "b"));
	assert_int_equal(run(w, "stat --json b bad"), USER);
	assert_false(exists(w, "b"));
}

static void test_full_disk(void **state)
{
	struct world *w = *state;
	struct stat status;

	if (stat("/dev/full", &status))
		skip();
	put_text(w, "a", TRACE);
	assert_int_equal(run(w, "convert --to spc -o /dev/full a"), USER);
	assert_non_null(strstr(w->err, "/dev/full"));
}

/* Draws where gnuplot is installed; says so where it is not; leaves nothing half done. */
static void test_plot(void **state)
{
	struct world *w = *state;
	char *path = memory_string(getenv("PATH"), "test");

	put_text(w, "a", TRACE);
	if (run(w, "stat --plot a.svg a") == DONE)
		expect_part(w, "a.svg", "<svg");
	else
		expect_mistake(w, "gnuplot, which --plot needs, cannot be run: No such file or directory");
	if (w->status == DONE) { /* quotes at the beginning and side by side */
		put_text(w, "'a''.trace", TRACE);
		assert_int_equal(run(w, "stat --plot \"'p'''.svg\" \"'a''.trace\""), DONE);
		expect_part(w, "'p'''.svg", "<svg");
		expect_part(w, "'p'''.svg", "'a''.trace");
	}
	setenv("PATH", w->folder, 1);
	run(w, "stat --plot b.svg a");
	setenv("PATH", path, 1);
	memory_free(path);
	expect_mistake(w, "gnuplot, which --plot needs, cannot be run: No such file or directory");
	assert_false(exists(w, "b.svg"));
	assert_int_equal(exists(w, "b.svg.partial-*"), 0);
	put_text(w, "trims", "fio version 3 iolog\n1 f trim 0 4096\n");
	assert_int_equal(run(w, "stat --plot d.svg trims"), USER);
	expect_mistake(w, "trims: has neither a read nor a write to draw");
	assert_int_equal(run(w, "stat --plot nowhere/c.svg a"), USER);
	expect_mistake(w, "cannot create \"nowhere/c.svg\": No such file or directory");
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *line, *mistake;
	} cases[] = {
		{ "", "trace: 0 operands are given; should be: ssd trace COMMAND ..." },
		{ "sort a", "unknown command \"trace sort\"; `ssd trace --help` lists them" },
		{ "stat",
			"trace stat: 0 operands are given; should be: ssd trace stat [OPTION]... TRACE..." },
		{ "stat --fast a",
			"trace stat: unknown option --fast; `ssd trace stat --help` shows the options" },
		{ "stat a --json", "trace stat: option --json needs a value: --json FILE" },
		{ "stat --plot p.svg a a", "trace stat: --plot draws one trace, 2 are given" },
		{ "stat nothing", "nothing: cannot be opened: No such file or directory" },
		{ "convert a",
			"trace convert: option --to FORMAT is missing; `ssd trace convert --help` lists the "
			"formats" },
		{ "convert --to spc", "trace convert: 0 operands are given; should be: "
				      "ssd trace convert [OPTION]... --to FORMAT TRACE" },
		{ "convert --to tencent a",
			"cannot write traces in format \"tencent\"; should be one of ssdsim, "
			"mqsim, disksim, spc, msr, systor, blkparse, fio, oracleGeneral, csv" },
		{ "convert --format scp --to spc a", "unknown trace format \"scp\"; did you mean \"spc\"?" },
		{ "generate",
			"trace generate: 0 operands are given; should be: ssd trace generate [OPTION]... "
			"PROFILE" },
	};
	struct world *w = *state;

	put_text(w, "a", TRACE);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(run(w, cases[i].line), USER);
		expect_mistake(w, cases[i].mistake);
	}
}

static void test_help(void **state)
{
	struct world *w = *state;

	assert_int_equal(run(w, "--help"), DONE);
	expect_part(w, "stdout", "trace stat ");
	assert_int_equal(run(w, "stat --help"), DONE);
	expect_part(w, "stdout", "--json FILE");
	assert_int_equal(run(w, "convert --help"), DONE);
	expect_part(w, "stdout",
		"--to FORMAT          ssdsim, mqsim, disksim, spc, msr, systor, blkparse, fio, "
		"oracleGeneral, csv\n");
	assert_int_equal(run(w, "generate --help"), DONE);
	expect_part(w, "stdout", "PROFILE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stat),
		TEST(test_convert),
		TEST(test_flush_and_fua),
		TEST(test_flush_of_linux),
		TEST(test_flush_in_columns),
		TEST(test_generated_flushes),
		TEST(test_hints),
		TEST(test_limit),
		TEST(test_generate),
		TEST(test_bad_trace_leaves_nothing),
		TEST(test_full_disk),
		TEST(test_plot),
		TEST(test_mistakes),
		TEST(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
