/*
 * `ssd legacy` as a user types it, and the scripts of the study: exit statuses, the one line about a mistake,
 * the files.
 */
#include "tests/legacy_bench.h"
#include "tests/program_fixture.h"

/* 16 pages of 4 sectors in 4 blocks, a buffer of 16 sectors. */
#define DRIVE                                                                                                \
	"channel number = 1\nchip number = 1\nchip number[0] = 1\ndie number = 1\nplane number = 1\n"        \
	"block number = 4\npage number = 4\nsubpage page = 4\nsubpage capacity = 512\n"                      \
	"t_PROG = 200000\nt_DBSY = 50\nt_BERS = 1500000\nt_WC = 25\nt_R = 20000\nt_WB = 100\n"               \
	"t_RC = 25\noverprovide = 0.1\ndram capacity = 8192\n"

/* The third request reads a buffered page beside one that is not: SSDsim's buffer answers both (Q3). */
#define TRACE "0 0 0 4 1\n1000000 0 4 4 0\n2000000 0 0 8 1\n9000000 0 0 4 0"

static unsigned lines_of(const char *text)
{
	unsigned lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_message("\"%s\" is not in: %s\n", part, text);
	assert_non_null(strstr(text, part));
}

/* The command ends with `status` and one line that holds `part`. */
static void refused(struct world *s, const char *line, int status, const char *part)
{
	shell(s, line);
	if (s->status != status)
		print_message("%s: status %d, %s\n", line, s->status, s->err);
	assert_int_equal(s->status, status);
	assert_int_equal(lines_of(s->err), 1);
	expect(s->err, part);
}

static int set_up_files(void **state)
{
	if (set_up(state))
		return -1;
	put_text(*state, "page.parameters", DRIVE);
	put_text(*state, "trace", TRACE);
	return 0;
}

/* A run of the original, through the command: every byte of the statistics, every row by checksum. */
static void test_original(void **state)
{
	struct world *s = *state;

	shell(s, "tar -C $d -xJf tests/legacy/golden.tar.xz && cd $d && "
		 "grep '^44_gc60_p16_adv0' cases.tsv >case && read -r name trace rows sum <case && "
		 "cd $OLDPWD && $ssd legacy -o $d/o $d/$name/page.parameters $d/traces/$trace && "
		 "cmp $d/o/statistic10.dat $d/$name/statistic10.dat && "
		 "sed '1,/process time$/d' $d/o/ex.out | head -n $rows | sha256sum | grep $sum");
	assert_string_equal(s->err, "");
	assert_int_equal(s->status, 0);
	assert_int_equal(lines_of(s->out), 1);
}

/* The command writes what the engine writes, with and without repairs. */
static void test_same_as_engine(void **state)
{
	static const struct {
		const char *option;
		quirk_set repaired;
	} cases[] = {
		{ "", 0 },
		{ "--fix Q3", QUIRK_BIT(Q3_READ_CURSOR) },
		{ "--fix=q3,6", QUIRK_BIT(Q3_READ_CURSOR) | QUIRK_BIT(Q6_UPDATE_READ_TWICE) },
	};
	struct world *s = *state;
	char line[256];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench b;

		bench_execute(&b, DRIVE, TRACE, cases[i].repaired);
		snprintf(line, sizeof line,
			"$ssd legacy %s -o $d/o $d/page.parameters $d/trace && cmp $d/o/ex.out %s/ex.out && "
			"cmp $d/o/statistic10.dat %s/statistic10.dat",
			cases[i].option, b.folder, b.folder);
		shell(s, line);
		assert_string_equal(s->out, "");
		assert_int_equal(s->status, 0);
		bench_remove(&b);
	}
}

/* An SSDsim trace gives the same results compressed as plain; a trace in another format, those of what `trace
 * convert` makes of it. */
static void test_every_format(void **state)
{
	struct world *s = *state;

	shell(s, "gzip -k $d/trace && xz -k $d/trace && $ssd legacy -o $d/a $d/page.parameters $d/trace && "
		 "$ssd legacy -o $d/b $d/page.parameters $d/trace.gz && "
		 "$ssd legacy -o $d/c $d/page.parameters $d/trace.xz && "
		 "sed -i 's/^trace file: trace.*/trace file: trace/' $d/b/* $d/c/* && "
		 "cmp $d/a/ex.out $d/b/ex.out && cmp $d/a/ex.out $d/c/ex.out && "
		 "cmp $d/a/statistic10.dat $d/b/statistic10.dat");
	assert_string_equal(s->err, "");
	assert_int_equal(s->status, 0);
	/* out of order, not from time 0, with a trim; the last line lacks a newline, but is a request, too */
	put_text(s, "blkparse",
		"8,0 1 1 100.000009000 7 Q W 4 + 4 [x]\n8,0 1 2 100.000007500 7 Q R 0 + 8 [x]\n"
		"8,0 1 3 100.000020000 7 Q D 0 + 8 [x]\n8,0 1 4 100.001000000 7 Q WS 8 + 4 [x]");
	shell(s,
		"grep -v 'Q D' $d/blkparse | $ssd trace convert --to ssdsim - -o $d/trace && cat $d/trace && "
		"$ssd legacy -o $d/a $d/page.parameters $d/trace && "
		"$ssd legacy -o $d/b $d/page.parameters $d/blkparse && "
		"sed -i 's/^trace file: .*/trace file: trace/' $d/b/* && cmp $d/a/ex.out $d/b/ex.out && "
		"cmp $d/a/statistic10.dat $d/b/statistic10.dat");
	assert_string_equal(s->out, "0 0 0 8 1\n1500 0 4 4 0\n992500 0 8 4 0\n");
	expect(s->err, "1 trims");
	assert_int_equal(s->status, 0);
}

static void test_lists(void **state)
{
	struct world *s = *state;
	char start[16];
	const char *line;

	shell(s, "$ssd legacy --list-quirks");
	assert_int_equal(s->status, 0);
	assert_int_equal(lines_of(s->out), QUIRKS - 1);
	line = s->out;
	for (int q = 1; q < QUIRKS; q++, line = strchr(line, '\n') + 1) {
		snprintf(start, sizeof start, "Q%d ", q);
		assert_int_equal(strncmp(line, start, strlen(start)), 0);
	}
	shell(s, "$ssd legacy --help");
	assert_int_equal(s->status, 0);
	expect(s->out, "--fix LIST");
	expect(s->out, "import");
	expect(s->out, "diff");
	expect(s->out, "Exit status: ");
	expect(s->out, "examples:");
}

static void test_wrong_lists(void **state)
{
	struct world *s = *state;

	refused(s, "$ssd legacy --fix Q36 $d/page.parameters $d/trace", 2, "did you mean Q3?");
	refused(s, "$ssd legacy --fix al $d/page.parameters $d/trace", 2, "did you mean all?");
	refused(s, "$ssd legacy --fix Q2,Q2O $d/page.parameters $d/trace", 2, "did you mean Q2?");
	refused(s, "$ssd legacy --fix copyback $d/page.parameters $d/trace", 2, "see --list-quirks");
	refused(s, "$ssd legacy --fix Q8 $d/page.parameters $d/trace", 2, "nothing to repair");
	refused(s, "$ssd legacy $d/page.parameters", 2,
		"legacy: 1 operand is given; should be: ssd legacy [OPTION]... PARAMETERS TRACE");
}

/* Lines are read and rows written in blocks: over several blocks and a partial one, no row is misplaced. */
static void test_many_rows(void **state)
{
	struct world *s = *state;

	shell(s, "awk 'BEGIN { for (n = 0; n < 20001; n++) print n \"00000 0\", n % 8 * 4, \"4 1\" }' "
		 ">$d/reads && "
		 "$ssd legacy -o $d/o $d/page.parameters $d/reads && awk '/process time$/ { on = 1; next } "
		 "on && NF != 7 { on = 0; print n } on { if ($1 != n \"00000\" && n || $2 != n++ % 8 * 4) "
		 "exit 1 }' "
		 "$d/o/ex.out");
	assert_string_equal(s->out, "20001\n");
	assert_int_equal(s->status, 0);
	s->file_limit = 500000;
	shell(s, "$ssd legacy -o $d/full $d/page.parameters $d/reads");
	assert_int_equal(s->status, 2);
	expect(s->err, "full/ex.out\": File too large");
	s->file_limit = 0;
	shell(s, "ls -A $d/full");
	assert_string_equal(s->out, "");
}

static void test_bad_input(void **state)
{
	struct world *s = *state;

	refused(s, "$ssd legacy -o $d/o $d/none $d/trace", 2, "none: No such file");
	refused(s, "$ssd legacy -o $d/o $d/page.parameters $d/none", 2, "No such file");
	refused(s, "$ssd legacy -o $d/page.parameters/o $d/page.parameters $d/trace", 2, "cannot be created");
	put_text(s, "bad", "0 0 0 4 1\n5 0 0 0 0\n");
	refused(s, "$ssd legacy -o $d/o $d/page.parameters $d/bad", 2, "bad:2: size is 0");
	assert_false(exists(s, "o/ex.out"));
	assert_false(exists(s, "o/statistic10.dat"));
	put_text(s, "six", DRIVE "allocation = 1\nstatic_allocation = 6\n");
	refused(s, "$ssd legacy -o $d/o $d/six $d/trace", 2, "Q24");
	put_text(s, "two", DRIVE "dynamic_allocation = 2\n");
	refused(s, "$ssd legacy -o $d/o $d/two $d/trace", 2,
		"dynamic_allocation 2: SSDsim gives writes no place with 2 and 3, which are unfinished, and "
		"prints results all the same; should be 0 (everything dynamic) or 1 (channel by address)");
	put_text(s, "two", DRIVE "allocation = 1\ndynamic_allocation = 2\n");
	shell(s, "$ssd legacy -o $d/o $d/two $d/trace");
	assert_int_equal(s->status, 0);
}

/* Where SSDsim crashes for lack of pages, the run ends, says why and keeps the results so far. */
static void test_dying_drive(void **state)
{
	struct world *s = *state;

	put_text(s, "unbuffered", DRIVE "dram capacity = 0\n");
	put_text(s, "trace", "0 0 0 56 0\n10000000 0 0 32 0\n90000000 0 0 4 0");
	shell(s, "$ssd legacy -o $d/o $d/unbuffered $d/trace");
	assert_int_equal(s->status, 3);
	expect(s->err, "Q9");
	expect(s->err, "1 requests were finished");
	shell(s, "tail -n 1 $d/o/ex.out; tail -n 1 $d/o/statistic10.dat");
	assert_int_equal(lines_of(s->out), 2);
	expect(s->out, "ENDED EARLY");
}

/* What SSDsim does not survive but this engine does is reported once. */
static void test_notes(void **state)
{
	struct world *s = *state;

	put_text(s, "typo", DRIVE "dei number = 2\n");
	put_text(s, "trace", "0 0 0 4 0\n1000 0 4 4 0\n2000 0 8 4 0\n");
	shell(s, "$ssd legacy -o $d/o $d/typo $d/trace");
	assert_int_equal(s->status, 0);
	expect(s->err, "the first is 'dei number'");
	expect(s->err, "Q23");
	assert_int_equal(lines_of(s->err), 2);
	assert_string_equal(s->out, "");
}

static void test_diff(void **state)
{
	struct world *s = *state;

	shell(s, "$ssd legacy -o $d/a $d/page.parameters $d/trace && $ssd legacy --fix Q3 -o $d/b "
		 "$d/page.parameters $d/trace && $ssd legacy diff $d/a/statistic10.dat $d/a/statistic10.dat");
	assert_int_equal(s->status, 0);
	assert_int_equal(lines_of(s->out), 1);
	expect(s->out, "0 of ");
	shell(s, "$ssd legacy diff $d/a/statistic10.dat $d/b/statistic10.dat");
	assert_int_equal(s->status, 1);
	expect(s->out, "buffer read hits ");
	expect(s->out, "-50.00 %");
	assert_null(strstr(s->out, "write request count"));
	shell(s, "$ssd legacy diff $d/a/statistic10.dat $d/a/ex.out");
	assert_int_equal(s->status, 1);
	expect(s->out, "waste page count");
	refused(s, "$ssd legacy diff $d/a/statistic10.dat $d/none", 2, "none: No such file");
	refused(s, "$ssd legacy diff $d/a/statistic10.dat $d/trace", 2, "no statistics");
	refused(s, "$ssd legacy diff $d/a/statistic10.dat", 2, "should be: ssd legacy diff A.dat B.dat");
}

/* The main simulator can run the imported drive. */
static void test_import(void **state)
{
	struct world *s = *state;

	put_text(s, "larger", DRIVE "block number = 64\n");
	shell(s, "$ssd legacy import $d/larger >$d/drive.cfg && "
		 "$ssd run --all --verify $d/drive.cfg $d/trace");
	assert_int_equal(s->status, 0);
	expect(s->out, "run.served = 4 ");
	expect(s->out, "# flash.blocks = 64\n");
	expect(s->out, "# flash.page_bytes = 2048\n");
	expect(s->out, "# dram.buffer_bytes = 8192\n");
	/* A name is no line of the imported file. */
	put_text(s, "larger\nbuffer = \"none", DRIVE "block number = 64\n");
	shell(s, "$ssd legacy import $d/larger*e >$d/drive.cfg && "
		 "$ssd run --all --verify $d/drive.cfg $d/trace");
	assert_int_equal(s->status, 0);
	expect(s->out, "# buffer = \"lru\"\n");
	refused(s, "$ssd legacy import", 2, "should be: ssd legacy import PARAMETERS");
	refused(s, "$ssd legacy import $d/none", 2, "none: No such file");
}

/* One row per number: SSDsim's, the repaired one, the main simulator's, and the quirk whose repair changes
 * it. */
static void test_compare(void **state)
{
	struct world *s = *state;
	long long kept, repaired, main_engine;
	char change[32], cause[32];
	const char *row;

	put_text(s, "larger", DRIVE "block number = 64\n");
	shell(s, "scripts/legacy/compare -p $ssd $d/larger $d/trace");
	assert_int_equal(s->status, 0);
	row = strstr(s->out, "sectors hit by reads");
	assert_non_null(row);
	assert_int_equal(sscanf(row, "sectors hit by reads %lld %lld %31s %lld %31s", &kept, &repaired,
				 change, &main_engine, cause),
		5);
	assert_int_equal(kept, 8);
	assert_int_equal(repaired, 4);
	assert_string_equal(change, "-50.0%");
	assert_int_equal(main_engine, 4);
	assert_string_equal(cause, "Q3");
	refused(s, "scripts/legacy/compare $d/page.parameters", 2, "usage");
	refused(s, "scripts/legacy/compare -p $ssd $d/none $d/trace", 2, "none: No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_original, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_same_as_engine, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_every_format, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_lists, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_wrong_lists, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_many_rows, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_bad_input, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_dying_drive, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_notes, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_diff, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_import, set_up_files, tear_down),
		cmocka_unit_test_setup_teardown(test_compare, set_up_files, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
