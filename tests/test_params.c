/*
 * Parameters: tables of good and bad input with the whole message expected, files with
 * includes, assignments, printing, the echo that reads back, "did you mean", and the
 * fuzzer's corpus replayed.
 */
#include "tests/fuzz/params.c"

#include "base/suggest.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CORPUS "tests/fuzz/corpus/params"

/* The sample tables at their defaults. */
struct fixture {
	struct sample sample;
	struct param_group groups[SAMPLE_GROUPS];
	struct fault fault;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .fault = { "" } };
	sample_bind(&f->sample, f->groups);
	if (!params_defaults(f->groups, SAMPLE_GROUPS, &f->fault))
		fail_msg("%s", f->fault.text);
}

static void end(struct fixture *f)
{
	params_release(f->groups, SAMPLE_GROUPS);
}

struct wanted_line {
	const char *text;
	int found;
};

static void look_for(void *context, const struct param_echo *setting)
{
	struct wanted_line *wanted = context;
	char text[256];

	snprintf(text, sizeof text, "%s = %s", setting->key, setting->value);
	wanted->found += strcmp(text, wanted->text) == 0;
}

static void assert_echo(const struct fixture *f, const char *line)
{
	struct wanted_line wanted = { line, 0 };

	params_echo(f->groups, SAMPLE_GROUPS, look_for, &wanted);
	if (wanted.found != 1)
		fail_msg("the echo has \"%s\" %d times", line, wanted.found);
}

/* ---- defaults ---- */

static void test_defaults(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(f.sample.top.seed, 1);
	assert_int_equal(f.sample.top.order, 1);
	assert_int_equal(f.sample.flash.page_bytes, 8192);
	assert_true(f.sample.flash.reserve == 0.07);
	assert_false(f.sample.flash.suspend);
	assert_string_equal(f.sample.flash.label, "");
	assert_int_equal(f.sample.flash.read_ns.count, 1);
	assert_int_equal(f.sample.flash.read_ns.ns[0], 75000);
	assert_true(f.sample.gc.threshold == 10);
	end(&f);
}

static void test_a_default_outside_its_range_is_a_fault(void **state)
{
	static const struct param rows[] = {
		{ "depth", PARAM_UINT, 0, 1, 8, "requests", "9", "Depth.", NULL }, { 0 }
	};
	uint64_t depth = 0;
	struct param_group group = { "host", rows, &depth };
	struct fault fault;

	(void)state;
	assert_false(params_defaults(&group, 1, &fault));
	assert_string_equal(fault.text, "the default of host.depth is \"9\", should be 1 to 8 requests");
	assert_int_equal(depth, 0);
}

/* The exit signal of params_defaults() for tables that are wrong. */
static int signal_of_tables(const struct param_group *groups, size_t count)
{
	struct fault fault;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		if (freopen("/dev/null", "w", stderr))
			params_defaults(groups, count, &fault);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_wrong_tables_are_bugs(void **state)
{
	static const struct param same[] = { { "seed", PARAM_BOOL, 0, 0, 0, "", "no", "", NULL }, { 0 } };
	static const struct param no_range[] = { { "a", PARAM_UINT, 0, 5, 5, "", "5", "", NULL }, { 0 } };
	static const struct param no_choices[] = { { "a", PARAM_CHOICE, 0, 0, 0, "", "x", "", NULL }, { 0 } };
	static const struct param no_preset[] = { { "a", PARAM_BOOL, 0, 0, 0, "", NULL, "", NULL }, { 0 } };
	static const struct param no_such_key[] = {
		{ "a", PARAM_BOOL, 0, 0, 0, "", "no", "", .matters_if = "sede=1" }, { 0 }
	};
	static const struct param no_such_value[] = {
		{ "a", PARAM_BOOL, 0, 0, 0, "", "no", "", .matters_if = "order!=fifo,lifo" }, { 0 }
	};
	static const struct param *const tables[] = { same, no_range, no_choices, no_preset, no_such_key,
		no_such_value };

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct param_group groups[] = { { "", sample_top_rows, NULL }, { "", tables[i], NULL } };

		assert_int_equal(signal_of_tables(groups, 2), SIGABRT);
		assert_int_equal(signal_of_tables(groups, 1), 0);
	}
}

/* ---- conditions ---- */

struct mode {
	int order;
	bool parts;
	uint64_t size, depth;
};

#define MODE(type, field) PARAM(type, struct mode, field)

/* `size` matters only with `parts`, `parts` only with an order that is not fifo. */
static const struct param mode_rows[] = {
	{ MODE(CHOICE, order), 0, 0, "", "fifo", "", sample_orders, .stateless = true },
	{ MODE(BOOL, parts), 0, 0, "", "true", "", .matters_if = "order!=fifo" },
	{ MODE(UINT, size), 0, 9, "", "1", "", .matters_if = "parts=true" },
	{ MODE(UINT, depth), 0, 9, "", "1", "", .matters_if = "order=fifo,random" },
	{ 0 },
};

struct told {
	char text[200];
};

/* "size: order = fifo; " for each setting without effect, "order stateless; " for each stateless one. */
static void tell(void *context, const struct param_echo *setting)
{
	struct told *told = context;
	size_t used = strlen(told->text), room = sizeof told->text - used;

	if (*setting->unused)
		snprintf(told->text + used, room, "%s: %s; ", setting->key, setting->unused);
	else if (setting->stateless)
		snprintf(told->text + used, room, "%s stateless; ", setting->key);
}

static void test_settings_without_effect(void **state)
{
	static const struct {
		const char *order, *parts, *told;
	} cases[] = {
		{ "order=fifo", "parts=true", "order stateless; parts: order = fifo; size: order = fifo; " },
		{ "order=fifo", "parts=false",
			"order stateless; parts: order = fifo; size: parts = false; " },
		{ "order=random", "parts=true", "order stateless; " },
		{ "order=random", "parts=false", "order stateless; size: parts = false; " },
		{ "order=read_first", "parts=true", "order stateless; depth: order = read_first; " },
	};
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mode mode = { 0 };
		struct sample_gc gc = { 0 };
		struct param_group groups[] = { { "", mode_rows, &mode }, { "gc", sample_gc_rows, &gc } };
		struct told told = { "" };

		assert_true(params_defaults(groups, 1, &fault));
		assert_true(params_set(cases[i].order, groups, 1, &fault));
		assert_true(params_set(cases[i].parts, groups, 1, &fault));
		params_echo(groups, 1, tell, &told);
		assert_string_equal(told.text, cases[i].told);
		groups[0].unused = "it = so";
		groups[1].stateless = true;
		told.text[0] = '\0';
		params_echo(groups, 2, tell, &told);
		assert_string_equal(told.text,
			"order: it = so; parts: it = so; size: it = so; depth: it = so; "
			"gc.threshold stateless; ");
	}
}

/* ---- settings that are echoed only if they are set ---- */

struct quiet {
	double share;
	bool on;
	int order;
};

static const struct param quiet_rows[] = {
	{ PARAM(REAL, struct quiet, share), 0, 9, "", "0.5", "", .quiet = true },
	{ PARAM(BOOL, struct quiet, on), 0, 0, "", "false", "", .quiet = true },
	{ PARAM(CHOICE, struct quiet, order), 0, 0, "", "fifo", "", sample_orders, .quiet = true },
	{ 0 },
};

static void tell_key(void *context, const struct param_echo *setting)
{
	struct told *told = context;
	size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof told->text - used, "%s=%s ", setting->key, setting->value);
}

static void test_quiet_settings(void **state)
{
	struct quiet quiet = { 0 };
	struct param_group group = { "", quiet_rows, &quiet };
	struct told told = { "" };
	struct fault fault;

	(void)state;
	assert_true(params_defaults(&group, 1, &fault));
	assert_true(params_set("share=0.50", &group, 1, &fault));
	params_echo(&group, 1, tell_key, &told);
	assert_string_equal(told.text, "");
	assert_true(params_set("share=0.25", &group, 1, &fault));
	assert_true(params_set("on=true", &group, 1, &fault));
	assert_true(params_set("order=random", &group, 1, &fault));
	params_echo(&group, 1, tell_key, &told);
	assert_string_equal(told.text, "share=0.25 on=true order=\"random\" ");
}

/* A group with switches is echoed whole while one of them is on. */
static void test_a_group_that_is_switched_on(void **state)
{
	static const struct param rows[] = {
		{ PARAM(BOOL, struct quiet, on), 0, 0, "", "false", "", .switches = true },
		{ PARAM(CHOICE, struct quiet, order), 0, 0, "", "fifo", "", sample_orders, .switches = true },
		{ PARAM(REAL, struct quiet, share), 0, 9, "", "0.5", "" },
		{ 0 },
	};
	static const struct {
		const char *set, *told;
	} cases[] = {
		{ "share=0.25", "" },
		{ "on=true", "on=true order=\"fifo\" share=0.5 " },
		{ "order=random", "on=false order=\"random\" share=0.5 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct quiet quiet = { 0 };
		struct param_group group = { "", rows, &quiet };
		struct told told = { "" };
		struct fault fault;

		assert_true(params_defaults(&group, 1, &fault));
		assert_true(params_set(cases[i].set, &group, 1, &fault));
		params_echo(&group, 1, tell_key, &told);
		assert_string_equal(told.text, cases[i].told);
	}
}

/* ---- files: good ---- */

static void test_good_texts(void **state)
{
	static const struct {
		const char *text, *echo;
	} cases[] = {
		{ "", "seed = 1" },
		{ "seed = 7;", "seed = 7" },
		{ "seed = 0x10", "seed = 16" },
		{ "seed = 4294967296;", "seed = 4294967296" },
		{ "seed = 2147483648;", "seed = 2147483648" },
		{ "seed = 4294967296L;", "seed = 4294967296" },
		{ "seed = 0xFFFFFFFFF;", "seed = 68719476735" },
		{ "seed = 9223372036854775807;", "seed = 9223372036854775807" },
		{ "seed = \"3G\";", "seed = 3221225472" },
		{ "seed = 1; # 2\n// seed = 3\n/* seed = 4 */", "seed = 1" },
		{ "order = \"random\";", "order = \"random\"" },
		{ "flash: { page_bytes = \"4K\"; };", "flash.page_bytes = 4096" },
		{ "flash = { page_bytes = 4096 }", "flash.page_bytes = 4096" },
		{ "flash: { blocks = \"1m\"; };", "flash.blocks = 1048576" },
		{ "flash: { blocks = 4294967296; };", "flash.blocks = 4294967296" },
		{ "flash: { reserve = 0.1; };", "flash.reserve = 0.1" },
		{ "flash: { reserve = .25; };", "flash.reserve = 0.25" },
		{ "flash: { reserve = 1e-3; };", "flash.reserve = 0.001" },
		{ "flash: { reserve = 0; };", "flash.reserve = 0" },
		{ "flash: { reserve = 0.30000000000000004; };", "flash.reserve = 0.30000000000000004" },
		{ "flash: { suspend = true; };", "flash.suspend = true" },
		{ "flash: { suspend = FALSE; };", "flash.suspend = false" },
		{ "flash: { label = \"a\" \"b\"; };", "flash.label = \"ab\"" },
		{ "flash: { label = \"123 @include \\\"x\\\" \\\\ // #\"; };",
			"flash.label = \"123 @include \\\"x\\\" \\\\ // #\"" },
		{ "flash: { read_ns = 58000; };", "flash.read_ns = 58000" },
		{ "flash: { read_ns = [58000]; };", "flash.read_ns = 58000" },
		{ "flash: { read_ns = [1, 2L, 3000000000, 4]; };", "flash.read_ns = [1, 2, 3000000000, 4]" },
		{ "flash: { read_ns = (0, 1000000000000); };", "flash.read_ns = [0, 1000000000000]" },
		{ "gc: { threshold = 100; };\r\n", "gc.threshold = 100" },
		{ "absent: { threshold = 3; };", "gc.threshold = 10" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;

		begin(&f);
		if (!params_read_text(cases[i].text, "drive.cfg", f.groups, SAMPLE_GROUPS, &f.fault))
			fail_msg("\"%s\" is refused: %s", cases[i].text, f.fault.text);
		assert_echo(&f, cases[i].echo);
		end(&f);
	}
}

static void test_a_later_text_replaces_an_earlier_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_true(params_read_text("flash: { label = \"one\"; };", "a", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_true(params_set("flash.label=two", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_string_equal(f.sample.flash.label, "two");
	end(&f);
	assert_null(f.sample.flash.label);
}

/* ---- files: bad ---- */

#define TICKS_KIND "a whole number of ns, or 1 to 4 of them in [ ]"
#define SYNTAX     "syntax error; settings are written name = value; and groups flash: { name = value; };"

static const struct {
	const char *text, *message;
} bad_texts[] = {
	/* names */
	{ "\nflash: {\n pagebytes = 1; };", "drive.cfg:3: unknown parameter \"flash.pagebytes\"; did "
					    "you mean \"flash.page_bytes\"?" },
	{ "flsh: { page_bytes = 1; };", "drive.cfg:1: unknown group \"flsh\"; did you mean \"flash\"?" },
	{ "page_bytes = 4096;",
		"drive.cfg:1: unknown parameter \"page_bytes\"; did you mean \"flash.page_bytes\"?" },
	{ "flash: { threshold = 5; };", "drive.cfg:1: unknown parameter \"flash.threshold\"; did you "
					"mean \"gc.threshold\"?" },
	{ "sede = 5;", "drive.cfg:1: unknown parameter \"sede\"; did you mean \"seed\"?" },
	{ "flash: { zzz = 5; };", "drive.cfg:1: unknown parameter \"flash.zzz\"; known are "
				  "page_bytes, blocks, reserve, suspend, label, read_ns" },
	{ "zzz: { };", "drive.cfg:1: unknown group \"zzz\"; known are flash, gc, absent" },
	{ "flash: { flash: { blocks = 1; }; };",
		"drive.cfg:1: unknown parameter \"flash.flash\"; known are page_bytes, blocks, "
		"reserve, suspend, label, read_ns" },
	{ "flash = 3;", "drive.cfg:1: \"flash\" is a group, should be written flash: { name = value; };" },
	{ "seed: { a = 1; };", "drive.cfg:1: seed is a group, should be a whole number" },
	/* types */
	{ "flash: { page_bytes = true; };",
		"drive.cfg:1: flash.page_bytes is a truth value, should be a whole number of bytes" },
	{ "flash: { page_bytes = 4096.0; };",
		"drive.cfg:1: flash.page_bytes is a real number, should be a whole number of bytes" },
	{ "flash: { page_bytes = [4096]; };",
		"drive.cfg:1: flash.page_bytes is a list, should be a whole number of bytes" },
	{ "flash: { page_bytes = \"big\"; };",
		"drive.cfg:1: flash.page_bytes = \"big\", should be a whole number of bytes" },
	{ "flash: { page_bytes = \"4KB\"; };",
		"drive.cfg:1: flash.page_bytes = \"4KB\", should be a whole number of bytes" },
	{ "flash: { reserve = \"\"; };", "drive.cfg:1: flash.reserve = \"\", should be a number" },
	{ "flash: { suspend = 1; };",
		"drive.cfg:1: flash.suspend is a whole number, should be true or false" },
	{ "flash: { suspend = \"yes\"; };",
		"drive.cfg:1: flash.suspend is a string, should be true or false" },
	{ "flash: { label = 5; };",
		"drive.cfg:1: flash.label is a whole number, should be a text of one line" },
	{ "flash: { label = \"a\\nb\"; };",
		"drive.cfg:1: flash.label = \"a?b\", should be a text of one line" },
	{ "order = 1;", "drive.cfg:1: order is a whole number, should be \"read_first\", \"fifo\" or "
			"\"random\"" },
	{ "order = \"Fifo\";",
		"drive.cfg:1: order = \"Fifo\", should be \"read_first\", \"fifo\" or \"random\"" },
	/* ranges: both sides of each end */
	{ "flash: { page_bytes = 2047; };",
		"drive.cfg:1: flash.page_bytes = 2047, should be 2048 to 32768 bytes" },
	{ "flash: { page_bytes = 32769; };",
		"drive.cfg:1: flash.page_bytes = 32769, should be 2048 to 32768 bytes" },
	{ "flash: { page_bytes = \"33K\"; };",
		"drive.cfg:1: flash.page_bytes = \"33K\", should be 2048 to 32768 bytes" },
	{ "flash: { blocks = 4294967297; };",
		"drive.cfg:1: flash.blocks = 4294967297, should be 1 to 4294967296" },
	{ "seed = -1;", "drive.cfg:1: seed = -1, should be 0 to 9223372036854775807" },
	{ "seed = \"16777216T\";", "drive.cfg:1: seed = \"16777216T\", should be 0 to 9223372036854775807" },
	{ "seed = 9223372036854775808;",
		"drive.cfg:1: the number 9223372036854775808 is too large; the largest is "
		"9223372036854775807" },
	{ "seed = 0x10000000000000000;",
		"drive.cfg:1: the number 0x10000000000000000 is too large; the largest is "
		"9223372036854775807" },
	{ "flash: { reserve = 0.51; };", "drive.cfg:1: flash.reserve = 0.51, should be 0 to 0.5" },
	{ "flash: { reserve = -0.01; };", "drive.cfg:1: flash.reserve = -0.01, should be 0 to 0.5" },
	{ "gc: { threshold = 101; };", "drive.cfg:1: gc.threshold = 101, should be 0 to 100 %" },
	{ "absent: { threshold = 101; };", "drive.cfg:1: absent.threshold = 101, should be 0 to 100 %" },
	/* lists of times */
	{ "flash: { read_ns = []; };", "drive.cfg:1: flash.read_ns = [], should be " TICKS_KIND },
	{ "flash: { read_ns = [1, 2, 3, 4, 5]; };",
		"drive.cfg:1: flash.read_ns = [1, 2, 3, 4, 5], should be " TICKS_KIND },
	{ "flash: { read_ns = [0.5]; };", "drive.cfg:1: flash.read_ns = [0.5], should be " TICKS_KIND },
	{ "flash: { read_ns = \"75K\"; };", "drive.cfg:1: flash.read_ns is a string, should be " TICKS_KIND },
	{ "flash: { read_ns = (1, (2)); };",
		"drive.cfg:1: flash.read_ns = [1, (a list)], should be " TICKS_KIND },
	{ "flash: { read_ns = [1, 1000000000001]; };",
		"drive.cfg:1: flash.read_ns = [1, 1000000000001], should be 0 to 1000000000000 ns" },
	/* syntax */
	{ "\nseed == 1;", "drive.cfg:2: " SYNTAX },
	{ "flash.blocks = 5;", "drive.cfg:1: " SYNTAX },
	{ "seed = 1L2;", "drive.cfg:1: " SYNTAX },
	{ "seed = 1;\nseed = 2;",
		"drive.cfg:2: duplicate setting name; each parameter and each group may occur once" },
	{ "flash: { };\n\nflash: { };",
		"drive.cfg:3: duplicate setting name; each parameter and each group may occur once" },
	{ "seed = 1;\n/* \n\n", "drive.cfg:2: this comment is not finished before the end of the file" },
	{ "flash: {\n label = \"abc;\n};\n",
		"drive.cfg:2: this text is not finished before the end of the file" },
	{ "\n@include \"other.cfg\"\n", "drive.cfg:2: @include needs a parameter file to be beside of" },
};

static void test_bad_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
		struct fixture f;

		begin(&f);
		if (params_read_text(bad_texts[i].text, "drive.cfg", f.groups, SAMPLE_GROUPS, &f.fault))
			fail_msg("\"%s\" is accepted", bad_texts[i].text);
		assert_string_equal(f.fault.text, bad_texts[i].message);
		end(&f);
	}
}

static void test_a_refused_value_changes_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_false(params_set("flash.read_ns=[1,2,x]", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_false(params_set("flash.label=a\nb", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_false(params_set("order=none", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_echo(&f, "flash.read_ns = 75000");
	assert_echo(&f, "flash.label = \"\"");
	assert_echo(&f, "order = \"fifo\"");
	end(&f);
}

/* Two tables may each have rows of one group. */
static void test_tables_may_share_a_group(void **state)
{
	static const struct param rows[] = { { "cells", PARAM_UINT, 0, 1, 4, "bits", "3", "Bits.", NULL },
		{ 0 } };
	struct sample sample = { 0 };
	uint64_t cells = 0;
	struct param_group groups[] = { { "flash", sample_flash_rows, &sample.flash },
		{ "flash", rows, &cells } };
	struct fault fault;

	(void)state;
	assert_true(params_defaults(groups, 2, &fault));
	assert_int_equal(cells, 3);
	assert_true(params_read_text("flash: { blocks = 5; cells = 2; };", "drive.cfg", groups, 2, &fault));
	assert_int_equal(sample.flash.blocks, 5);
	assert_int_equal(cells, 2);
	assert_false(params_set("x=1", groups, 2, &fault));
	assert_string_equal(fault.text, "-s x=1: unknown parameter \"x\"; known are flash.NAME");
	params_release(groups, 2);
}

static void test_a_long_list_of_names_is_cut(void **state)
{
	enum { ROWS = 40 };
	char names[ROWS][24], expected[256] = "-s x=1: unknown parameter \"x\"; known are ";
	struct param rows[ROWS + 1] = { 0 };
	struct param_group group = { "", rows, NULL };
	struct fault fault;

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof names[i], "parameter_%02d", i);
		rows[i] = (struct param){ names[i], PARAM_BOOL, 0, 0, 0, "", "no", "", NULL };
		if (i < 12) /* the twelfth passes 160 characters: 12 * 12 + 11 * 2 = 166 */
			snprintf(expected + strlen(expected), 24, "%s%s", i ? ", " : "", names[i]);
	}
	snprintf(expected + strlen(expected), 8, ", ...");
	assert_false(params_set("x=1", &group, 1, &fault));
	assert_string_equal(fault.text, expected);
}

/* ---- files on disk ---- */

static int enter_folder(void **state)
{
	const char *base = getenv("TMPDIR");
	char *folder = memory_array(512, 1, "folder name");

	*state = folder;
	if (!getcwd(folder + 256, 256))
		return -1;
	snprintf(folder, 256, "%s/ssdlab-params-XXXXXX", base ? base : "/tmp");
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("sub", 0777) == 0 ? 0 : -1;
}

static void remove_files(const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;
	char path[300];

	while ((entry = readdir(entries))) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (*entry->d_name != '.')
			remove(path);
	}
	closedir(entries);
}

/* Back to where the tests were started: the corpus is found from there. */
static int leave_folder(void **state)
{
	char *folder = *state;

	remove_files("sub");
	remove_files(".");
	if (chdir(folder + 256) != 0 || rmdir(folder) != 0)
		return -1;
	memory_free(folder);
	return 0;
}

static void write_bytes(const char *path, const void *bytes, size_t count)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, count, stream), count);
	assert_int_equal(fclose(stream), 0);
}

static void write_file(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

static void assert_refused(const char *path, const char *message)
{
	struct fixture f;

	begin(&f);
	assert_false(params_read_file(path, f.groups, SAMPLE_GROUPS, &f.fault));
	assert_string_equal(f.fault.text, message);
	end(&f);
}

static void test_includes_are_beside_the_including_file(void **state)
{
	struct fixture f;

	(void)state;
	write_file("sub/main.cfg", "seed = 5;\n  @include \"flash.cfg\"\ngc: { threshold = 7; };");
	write_file("sub/flash.cfg", "@include \"../order.cfg\"\nflash: {\n@include \"blocks.cfg\"\n};");
	write_file("sub/blocks.cfg", "blocks = 3000000000; # no newline");
	write_file("order.cfg", "order = \"random\"");
	begin(&f);
	if (!params_read_file("sub/main.cfg", f.groups, SAMPLE_GROUPS, &f.fault))
		fail_msg("%s", f.fault.text);
	assert_echo(&f, "seed = 5");
	assert_echo(&f, "order = \"random\"");
	assert_echo(&f, "flash.blocks = 3000000000");
	assert_echo(&f, "gc.threshold = 7");
	end(&f);
}

static void test_faults_name_the_included_file_and_line(void **state)
{
	(void)state;
	write_file("main.cfg", "seed = 5;\n@include \"sub/a.cfg\"\ngc: { threshold = 700; };");
	write_file("sub/a.cfg", "\nflash: { blocks = 0; };\n");
	assert_refused("main.cfg", "sub/a.cfg:2: flash.blocks = 0, should be 1 to 4294967296");
	write_file("sub/a.cfg", "flash: { blocks = 1; };\n");
	assert_refused("main.cfg", "main.cfg:3: gc.threshold = 700, should be 0 to 100 %");
	write_file("sub/a.cfg", "\n\nflash: { blocks 1; };\n");
	assert_refused("main.cfg", "sub/a.cfg:3: " SYNTAX);
	write_file("sub/a.cfg", "flash: { label = \"x\n");
	assert_refused("main.cfg", "sub/a.cfg:1: this text is not finished before the end of the file");
	write_file("sub/a.cfg", "@include \"none.cfg\"");
	assert_refused("main.cfg", "sub/a.cfg:1: cannot include \"sub/none.cfg\": No such file or directory");
	write_file("sub/a.cfg", "@include \"../sub/\"");
	assert_refused("main.cfg", "sub/a.cfg:1: cannot include \"sub/../sub/\": Is a directory");
	write_file("sub/a.cfg", "@include \"a.cfg\"");
	assert_refused("main.cfg", "sub/a.cfg:1: included files are nested deeper than 10");
}

/* The file itself and ten files nested in it, but not eleven. */
static void test_includes_nest_ten_deep(void **state)
{
	struct fixture f;
	char path[16], text[40];

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof path, "%d.cfg", i);
		snprintf(text, sizeof text, "@include \"%d.cfg\"", i + 1);
		write_file(path, text);
	}
	write_file("10.cfg", "seed = 77;");
	begin(&f);
	assert_true(params_read_file("0.cfg", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_echo(&f, "seed = 77");
	end(&f);
	write_file("10.cfg", "@include \"11.cfg\"");
	write_file("11.cfg", "seed = 77;");
	assert_refused("0.cfg", "10.cfg:1: included files are nested deeper than 10");
}

/* Twelve lines in each of ten files would be 12^10 files.  0.cfg to 8.cfg are nine; each 9.cfg with
 * its twelve includes is thirteen: 9 + 7 x 13 = 100. */
static void test_includes_are_a_hundred_in_all(void **state)
{
	struct fixture f;
	char path[16], line[40], text[512];

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof path, "%d.cfg", i);
		snprintf(line, sizeof line, "@include \"%d.cfg\"\n", i + 1);
		text[0] = '\0';
		for (int n = 0; n < 12; n++)
			strcat(text, line);
		write_file(path, text);
	}
	write_file("10.cfg", "");
	assert_refused("0.cfg",
		"8.cfg:8: the parameters are spread over more than 100 files, each as often as it is "
		"included");
	write_file("8.cfg", "@include \"9.cfg\"\nseed = 77;");
	write_file("0.cfg", "@include \"8.cfg\"");
	begin(&f);
	assert_true(params_read_file("0.cfg", f.groups, SAMPLE_GROUPS, &f.fault));
	assert_echo(&f, "seed = 77");
	end(&f);
}

static void test_files_that_cannot_be_read(void **state)
{
	static const char binary[] = "seed = 1;\0\n";
	size_t large = (1u << 20) + 1;
	char *blanks = memory_array(large, 1, "blanks");

	(void)state;
	memset(blanks, ' ', large);
	write_bytes("binary.cfg", binary, sizeof binary);
	write_bytes("large.cfg", blanks, large);
	memory_free(blanks);
	assert_refused("none.cfg", "cannot read the parameter file \"none.cfg\": No such file or directory");
	assert_refused("", "cannot read the parameter file \"\": No such file or directory");
	assert_refused("sub", "cannot read the parameter file \"sub\": Is a directory");
	assert_refused("binary.cfg",
		"cannot read the parameter file \"binary.cfg\": it holds binary data, not text");
	assert_refused("large.cfg", "cannot read the parameter file \"large.cfg\": it is larger than any "
				    "parameter file (1048576 bytes)");
}

/* A pipe that nobody writes to is not waited for, neither as the file nor as one that it includes. */
static void test_pipes_and_devices_are_no_files(void **state)
{
	(void)state;
	alarm(20); /* ends the test */
	assert_int_equal(mkfifo("pipe.cfg", 0666), 0);
	assert_refused("pipe.cfg",
		"cannot read the parameter file \"pipe.cfg\": it is a pipe or a device, not a file");
	write_file("main.cfg", "seed = 5;\n@include \"pipe.cfg\"\n");
	assert_refused(
		"main.cfg", "main.cfg:2: cannot include \"pipe.cfg\": it is a pipe or a device, not a file");
	write_file("main.cfg", "@include \"/dev/zero\"\n");
	assert_refused(
		"main.cfg", "main.cfg:1: cannot include \"/dev/zero\": it is a pipe or a device, not a file");
	alarm(0);
}

/* The program's library compares each name with all others. */
static void test_settings_are_5000_in_all(void **state)
{
	static char text[60001 * 16];
	struct fixture f;
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 60000; i++)
		used += (size_t)sprintf(text + used, "key%d = 1;\n", i);
	write_file("many.cfg", text);
	assert_refused("many.cfg", "many.cfg:5001: there are more than 5000 settings, which no drive and no "
				   "profile has");
	used = (size_t)sprintf(text, "/* = : */ flash: { label = \"");
	memset(text + used, '=', 6000);
	strcpy(text + used + 6000, "\"; }; # ====");
	write_file("few.cfg", text);
	begin(&f);
	assert_true(params_read_file("few.cfg", f.groups, SAMPLE_GROUPS, &f.fault));
	end(&f);
}

/* A hundred files of a megabyte are not. */
static void test_files_are_a_megabyte_in_all(void **state)
{
	size_t large = 600000;
	char *blanks = memory_array(large, 1, "blanks");

	(void)state;
	memset(blanks, ' ', large);
	write_bytes("large.cfg", blanks, large);
	memory_free(blanks);
	write_file("main.cfg", "@include \"large.cfg\"\n@include \"large.cfg\"\n");
	assert_refused("main.cfg",
		"main.cfg:2: cannot include \"large.cfg\": the parameters would be more than "
		"1048576 bytes in all");
}

/* Root may read everything, so root becomes another user first. */
static void test_an_unreadable_file(void **state)
{
	int status;
	pid_t child;

	(void)state;
	write_file("secret.cfg", "seed = 1;");
	assert_int_equal(chmod("secret.cfg", 0), 0);
	assert_int_equal(chmod(".", 0777), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static const char message[] =
			"cannot read the parameter file \"secret.cfg\": Permission denied";
		struct fault fault;

		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(1);
		if (params_read_file("secret.cfg", NULL, 0, &fault))
			_exit(2);
		_exit(strcmp(fault.text, message) == 0 ? 0 : 3);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- assignments ---- */

static void test_good_assignments(void **state)
{
	static const struct {
		const char *assignment, *echo;
	} cases[] = {
		{ "seed=5", "seed = 5" },
		{ " seed = 5 ", "seed = 5" },
		{ "seed=+0x1f", "seed = 31" },
		{ "flash.page_bytes=4K", "flash.page_bytes = 4096" },
		{ "flash.page_bytes=\"4k\"", "flash.page_bytes = 4096" },
		{ "flash.blocks=4G", "flash.blocks = 4294967296" },
		{ "seed=2T", "seed = 2199023255552" },
		{ "flash.reserve=0.25", "flash.reserve = 0.25" },
		{ "flash.reserve=1e-2", "flash.reserve = 0.01" },
		{ "gc.threshold=100", "gc.threshold = 100" },
		{ "flash.suspend=true", "flash.suspend = true" },
		{ "flash.suspend=yes", "flash.suspend = true" },
		{ "flash.suspend=on", "flash.suspend = true" },
		{ "flash.suspend=1", "flash.suspend = true" },
		{ "flash.suspend=false", "flash.suspend = false" },
		{ "flash.suspend=no", "flash.suspend = false" },
		{ "flash.suspend=off", "flash.suspend = false" },
		{ "flash.suspend=0", "flash.suspend = false" },
		{ "order=random", "order = \"random\"" },
		{ "order=\"random\"", "order = \"random\"" },
		{ "flash.label=", "flash.label = \"\"" },
		{ "flash.label=a=b c", "flash.label = \"a=b c\"" },
		{ "flash.label=\" x \"", "flash.label = \" x \"" },
		{ "flash.label=say \"hi\"", "flash.label = \"say \\\"hi\\\"\"" },
		{ "flash.read_ns=75000", "flash.read_ns = 75000" },
		{ "flash.read_ns=[1,2, 3 ,4]", "flash.read_ns = [1, 2, 3, 4]" },
		{ "flash.read_ns=1,2", "flash.read_ns = [1, 2]" },
		{ "absent.threshold=1", "gc.threshold = 10" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;

		begin(&f);
		if (!params_set(cases[i].assignment, f.groups, SAMPLE_GROUPS, &f.fault))
			fail_msg("%s", f.fault.text);
		assert_echo(&f, cases[i].echo);
		end(&f);
	}
}

static void test_bad_assignments(void **state)
{
	static const struct {
		const char *assignment, *message;
	} cases[] = {
		{ "seed", "-s seed: has no value, should be KEY=VALUE" },
		{ "", "-s : has no value, should be KEY=VALUE" },
		{ "=5", "-s =5: unknown parameter \"\"; known are seed, order, flash.NAME, gc.NAME, "
			"absent.NAME" },
		{ "flash.x=3", "-s flash.x=3: unknown parameter \"flash.x\"; known are page_bytes, blocks, "
			       "reserve, suspend, label, read_ns" },
		{ "flash.block=3", "-s flash.block=3: unknown parameter \"flash.block\"; did you mean "
				   "\"flash.blocks\"?" },
		{ "flash.treshold=3", /* near to a name of another group only */
			"-s flash.treshold=3: unknown parameter \"flash.treshold\"; known are page_bytes, "
			"blocks, "
			"reserve, suspend, label, read_ns" },
		{ "flahs.blocks=3", "-s flahs.blocks=3: unknown parameter \"flahs.blocks\"; did you mean "
				    "\"flash.blocks\"?" },
		{ "blocks=3", "-s blocks=3: unknown parameter \"blocks\"; did you mean \"flash.blocks\"?" },
		{ "flash=3", "-s flash=3: \"flash\" is a group; its parameters are set as flash.NAME=VALUE" },
		{ "flash.blocks=", "-s flash.blocks=: should be a whole number" },
		{ "flash.blocks=0", "-s flash.blocks=0: should be 1 to 4294967296" },
		{ "flash.page_bytes=-4096", "-s flash.page_bytes=-4096: should be 2048 to 32768 bytes" },
		{ "flash.page_bytes=4096.5",
			"-s flash.page_bytes=4096.5: should be a whole number of bytes" },
		{ "flash.page_bytes=4P", "-s flash.page_bytes=4P: should be a whole number of bytes" },
		{ "seed=99999999999999999999",
			"-s seed=99999999999999999999: should be 0 to 9223372036854775807" },
		{ "seed=0x", "-s seed=0x: should be a whole number" },
		{ "flash.reserve=nan", "-s flash.reserve=nan: should be a number" },
		{ "flash.reserve=inf", "-s flash.reserve=inf: should be a number" },
		{ "flash.reserve=0x1", "-s flash.reserve=0x1: should be a number" },
		{ "flash.reserve=1e999", "-s flash.reserve=1e999: should be 0 to 0.5" },
		{ "flash.suspend=maybe", "-s flash.suspend=maybe: should be true or false" },
		{ "order=lifo", "-s order=lifo: should be \"read_first\", \"fifo\" or \"random\"" },
		{ "flash.read_ns=75K", "-s flash.read_ns=75K: should be " TICKS_KIND },
		{ "flash.read_ns=[1,,2]", "-s flash.read_ns=[1,,2]: should be " TICKS_KIND },
		{ "flash.read_ns=[]", "-s flash.read_ns=[]: should be " TICKS_KIND },
		{ "flash.label=two\nlines", "-s flash.label=two?lines: should be a text of one line" },
		{ "a.name.that.is.longer.than.sixty.characters.is.cut.short.in.messages=1",
			"-s a.name.that.is.longer.than.sixty.characters.is.cut.short.in....: unknown "
			"parameter "
			"\"a.name.that.is.longer.than.sixty.characters.is.cut.short.in....\"; known are "
			"flash.NAME, gc.NAME, absent.NAME" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;

		begin(&f);
		if (params_set(cases[i].assignment, f.groups, SAMPLE_GROUPS, &f.fault))
			fail_msg("%s is accepted", cases[i].assignment);
		assert_string_equal(f.fault.text, cases[i].message);
		end(&f);
	}
}

/* ---- printing ---- */

/* The text of params_print() about `what`; the caller frees it.  NULL: a fault. */
static char *printed(struct fixture *f, const char *what)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	bool good;

	assert_non_null(stream);
	good = params_print(stream, what, f->groups, SAMPLE_GROUPS, &f->fault);
	fclose(stream);
	if (good)
		return text;
	assert_int_equal(bytes, 0);
	free(text);
	return NULL;
}

static void test_printing_one_key_of_each_kind(void **state)
{
	static const struct {
		const char *key, *text;
	} cases[] = {
		{ "flash.page_bytes", "flash.page_bytes = 8K\n"
				      "\ta whole number of bytes, 2048 to 32768\n"
				      "\tUser data of a page.\n" },
		{ "flash.reserve", "flash.reserve = 0.07\n"
				   "\ta number, 0 to 0.5\n"
				   "\tShare of the flash that the host never sees; what the collector works "
				   "with, so that\n"
				   "\ta larger share makes for fewer copies.\n" },
		{ "flash.label", "flash.label = \"\"\n"
				 "\ta text of one line\n"
				 "\tA name for the drive.\n" },
		{ "order", "order = fifo\n"
			   "\t\"read_first\", \"fifo\" or \"random\"\n"
			   "\tWho goes first.\n" },
		{ "flash.read_ns", "flash.read_ns = 75000\n"
				   "\t" TICKS_KIND ", 0 to 1000000000000\n"
				   "\tSense time of a page.\n" },
		{ "gc", "gc.threshold = 10\n"
			"\ta number (%), 0 to 100\n"
			"\tFree blocks below this share start a collection.\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		char *text;

		begin(&f);
		text = printed(&f, cases[i].key);
		assert_non_null(text);
		assert_string_equal(text, cases[i].text);
		free(text);
		end(&f);
	}
}

static void test_printing_everything_has_every_key_once(void **state)
{
	static const char *const keys[] = { "seed = ", "order = ", "flash.page_bytes = ", "flash.blocks = ",
		"flash.reserve = ", "flash.suspend = ", "flash.label = ", "flash.read_ns = ",
		"\ngc.threshold = ", "absent.threshold = " };
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	text = printed(&f, NULL);
	assert_non_null(text);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *found = strstr(text, keys[i]);

		assert_non_null(found);
		assert_null(strstr(found + 1, keys[i]));
	}
	free(text);
	end(&f);
}

static void test_printing_conditions(void **state)
{
	static const char wanted[] =
		"order = fifo\n"
		"\t\"read_first\", \"fifo\" or \"random\"\n\t\n"
		"parts = true\n\ttrue or false\n\tonly if order is not fifo\n\t\n"
		"size = 1\n\ta whole number, 0 to 9\n\tonly if parts is true\n\t\n"
		"depth = 1\n\ta whole number, 0 to 9\n\tonly if order is fifo or random\n\t\n";
	struct mode mode = { 0 };
	struct param_group group = { "", mode_rows, &mode };
	struct fault fault;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_true(params_defaults(&group, 1, &fault) && params_print(out, NULL, &group, 1, &fault));
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_printing_an_unknown_key(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_null(printed(&f, "flash.page_byte"));
	assert_string_equal(
		f.fault.text, "unknown parameter \"flash.page_byte\"; did you mean \"flash.page_bytes\"?");
	end(&f);
}

/* ---- suggestions ---- */

static void test_suggestions(void **state)
{
	static const char *const names[] = { "page", "across", "dftl", "sftl", "fast", "last", "superblock",
		"x", NULL };
	static const struct {
		const char *word, *name;
	} cases[] = {
		{ "page", "page" },
		{ "Page", "page" },
		{ "apge", "page" },
		{ "pag", "page" },
		{ "paage", "page" },
		{ "acros", "across" },
		{ "arcoss", "across" },
		{ "dtfl", "dftl" },
		{ "superblok", "superblock" },
		{ "super_blcok", "superblock" },
		{ "lst", "last" },
		{ "fsat", "fast" },
		{ "", NULL },
		{ "y", NULL },
		{ "zz", NULL },
		{ "block", NULL },
		{ "greedy", NULL },
		{ "a.word.that.is.longer.than.any.name.that.this.program.has.or.will.ever.have", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *name = suggest(cases[i].word, names);

		if (cases[i].name)
			assert_non_null(name);
		if (name && (!cases[i].name || strcmp(name, cases[i].name) != 0))
			fail_msg("\"%s\" suggests \"%s\"", cases[i].word, name);
	}
}

static void test_the_first_of_equally_near_names_is_kept(void **state)
{
	struct suggestion s = { .word = "nast" };

	(void)state;
	assert_true(suggestion_offer(&s, "fast"));
	assert_false(suggestion_offer(&s, "last"));
	assert_string_equal(s.nearest, "fast");
	assert_int_equal(s.distance, 1);
	assert_true(suggestion_offer(&s, "NAST"));
	assert_int_equal(s.distance, 0);
}

/* ---- corpus ---- */

static uint8_t *read_bytes(const char *path, size_t *count)
{
	uint8_t *bytes = memory_array(65536, 1, "corpus file");
	FILE *stream = fopen(path, "rb");

	assert_non_null(stream);
	*count = fread(bytes, 1, 65536, stream);
	fclose(stream);
	return bytes;
}

/* Every file of the corpus; the entry aborts when a promise is broken. */
static void test_corpus(void **state)
{
	DIR *folder = opendir(CORPUS);
	struct dirent *entry;
	int files = 0;

	(void)state;
	if (!folder)
		fail_msg("%s is missing; run the tests from the project's folder", CORPUS);
	while ((entry = readdir(folder))) {
		char path[400];
		uint8_t *bytes;
		size_t count;

		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
		bytes = read_bytes(path, &count);
		assert_int_equal(LLVMFuzzerTestOneInput(bytes, count), 0);
		memory_free(bytes);
		files++;
	}
	closedir(folder);
	assert_true(files >= 10);
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_a_default_outside_its_range_is_a_fault),
		cmocka_unit_test(test_wrong_tables_are_bugs),
		cmocka_unit_test(test_settings_without_effect),
		cmocka_unit_test(test_quiet_settings),
		cmocka_unit_test(test_a_group_that_is_switched_on),
		cmocka_unit_test(test_good_texts),
		cmocka_unit_test(test_a_later_text_replaces_an_earlier_one),
		cmocka_unit_test(test_bad_texts),
		cmocka_unit_test(test_a_refused_value_changes_nothing),
		cmocka_unit_test(test_tables_may_share_a_group),
		cmocka_unit_test(test_a_long_list_of_names_is_cut),
		FILE_TEST(test_includes_are_beside_the_including_file),
		FILE_TEST(test_faults_name_the_included_file_and_line),
		FILE_TEST(test_includes_nest_ten_deep),
		FILE_TEST(test_includes_are_a_hundred_in_all),
		FILE_TEST(test_files_that_cannot_be_read),
		FILE_TEST(test_pipes_and_devices_are_no_files),
		FILE_TEST(test_settings_are_5000_in_all),
		FILE_TEST(test_files_are_a_megabyte_in_all),
		FILE_TEST(test_an_unreadable_file),
		cmocka_unit_test(test_good_assignments),
		cmocka_unit_test(test_bad_assignments),
		cmocka_unit_test(test_printing_one_key_of_each_kind),
		cmocka_unit_test(test_printing_everything_has_every_key_once),
		cmocka_unit_test(test_printing_conditions),
		cmocka_unit_test(test_printing_an_unknown_key),
		cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_the_first_of_equally_near_names_is_kept),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
