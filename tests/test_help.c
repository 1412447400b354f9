/* The manual and the completion of command lines: they contain everything that the tables have. */
#include "tests/program_fixture.h"

/* The words offered, one a line, in this order; unless `whole`, only the beginning of a list that grows. */
static void test_completion(void **state)
{
	static const struct {
		const char *typed, *offered;
		bool whole;
	} cases[] = {
		{ "tr", "trace\n", true },
		{ "trace ''", "stat\nconvert\ngenerate\n", true },
		{ "trace stat --so", "--sort\n", true },
		{ "run --sa", "--save-drive\n", true },
		{ "probe --fi", "--fio\n--fit\n", true },
		{ "run --json ''", "", true }, /* a file: left to the shell */
		{ "run -s gc.pol", "gc.policy=\n", true },
		{ "run -s gc.policy=gr", "gc.policy=greedy\n", true },
		{ "run -s flash.copyback=", "flash.copyback=true\nflash.copyback=false\n", true },
		{ "run -s ftl=", "ftl=page\n", false },
		{ "run -s gc.threshold=", "", true },
		{ "trace generate -s gc.pol", "", true }, /* of a profile, not of a drive */
		{ "run ''", "chardin-ssd\nchardin-usb\nclass\n", false },
		{ "run ti", "tiny\n", true },
		{ "watch --verify cla", "class\n", true },
		{ "quiz ti", "tiny\n", true },
		{ "measure chardin-s", "chardin-ssd\n", true },
		{ "probe 970p", "970pro\n", true },
		{ "run parameters/ti", "", true },
		{ "legacy cl", "", true }, /* of SSDsim */
		{ "legacy import cl", "", true },
		{ "watch tiny lun2", "lun2\n", true },
		{ "watch tiny lun1 lun2", "lun2\n", true },
		{ "quiz tiny lun2", "", true },
		{ "run --json lun x.cfg lun2", "lun2\n", true },
		{ "run x.cfg lun2 lun3", "lun3\n", true }, /* of a second tenant */
		{ "trace stat lun2 lun", "", true },
		{ "trace convert --to ssd", "ssdsim\n", true },
		{ "list st", "statistics\n", true },
		{ "params gc.thr", "gc.threshold\n", true },
		{ "help leg", "legacy\n", true },
		{ "bogus ''", "", true },
		{ "", "", true },
	};
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[128];
		size_t length = strlen(cases[i].offered);

		snprintf(line, sizeof line, "$ssd help --complete -- %s", cases[i].typed);
		shell(w, line);
		assert_status(w, DONE, line);
		if (strncmp(w->out, cases[i].offered, length) || (cases[i].whole && w->out[length]))
			fail_msg("after \"ssd %s\" is offered \"%s\"", cases[i].typed, w->out);
	}
}

/* Each command has a page, with every --option that its --help shows; mandoc has no warnings. */
static void test_manual(void **state)
{
	static const char line[] =
		"$ssd help --man $d/man && cd $d/man && mandoc -Tlint -Wwarning *.1 && "
		"for page in *.1; do command=$(echo ${page%.1} | tr - ' '); "
		"$ssd ${command#ssd} --help | grep -oE '^  (-.,? ?)?--[a-z-]+' | grep -oE -- '--[a-z-]+' "
		">options; "
		"while read -r option; do mandoc -Tascii -O width=200 $page | sed 's/.\\x08//g' | "
		"grep -qF -- \"$option\" || echo \"$page lacks $option\"; done <options; done; "
		"$ssd help | sed -n 's/^  \\([a-z]*\\)  .*/\\1/p' | while read -r c; do test -f ssd-$c.1 || "
		"echo \"$c has no page\"; done; ls *.1 | wc -l";
	struct world *w = *state;

	shell(w, line);
	assert_status(w, DONE, line);
	if (strtoul(w->out, NULL, 10) < 12)
		fail_msg("%s", w->out);
}

/* A folder that cannot be made is the user's mistake. */
static void test_a_manual_that_cannot_be_written(void **state)
{
	struct world *w = *state;

	ssd(w, "help --man /dev/null/man");
	assert_status(w, USER, "help --man");
	assert_non_null(strstr(w->err, "/dev/null"));
	ssd(w, "help bogus");
	assert_status(w, USER, "help bogus");
	assert_non_null(strstr(w->err, "unknown command \"bogus\""));
}

/* Whoever types the first example sees a run whose results mean something: no line begins with "! ". */
static void test_first_examples(void **state)
{
	static const char *const helps[] = { "--help", "run --help" };
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(helps); i++) {
		char line[128] = "$ssd run ";
		const char *example;

		ssd(w, helps[i]);
		example = strstr(w->out, "examples:\n  ssd run ");
		assert_non_null(example);
		example += strlen("examples:\n  ssd run ");
		strncat(line, example, strcspn(example, "\n"));
		if (strstr(line, "  "))
			*strstr(line, "  ") = '\0';
		shell(w, line);
		assert_status(w, DONE, line);
		if (strstr(w->out, "\n! "))
			fail_msg("%s: %s", line, strstr(w->out, "\n! "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_completion),
		TEST(test_first_examples),
		TEST(test_manual),
		TEST(test_a_manual_that_cannot_be_written),
	};

	return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
