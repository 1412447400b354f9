/*
 * The program as a user meets it: exit statuses, one line for each mistake, results that are complete or
 * absent.
 */
#include "tests/any_workload.h"
#include "tests/drive_fixture.h"
#include "tests/program_fixture.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

/* ---- status 0 ---- */

static void test_commands_that_only_print(void **state)
{
	static const struct mistake cases[] = {
		{ "help", "usage: ssd COMMAND" },
		{ "", "usage: ssd COMMAND" },
		{ "--help", "usage: ssd COMMAND" },
		{ "version", "ssd " },
		{ "list", "page" },
		{ "params", "threshold" },
		{ "params gc", "threshold" },
		{ "params gc.threshold", "0.1" },
		{ "run --help", "usage: ssd run" },
		{ "run --help --bogus", "usage: ssd run" },
		{ "trace --help", "usage: ssd trace" },
		{ "trace stat --help", "usage: ssd trace stat" },
		{ "trace convert --help", "ssdsim" },
		{ "trace generate --help", "usage: ssd trace generate" },
		{ "params --help", "usage: ssd params" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		ssd(w, cases[i].arguments);
		assert_status(w, DONE, cases[i].arguments);
		assert_string_equal(w->err, "");
		if (!says(w, cases[i].says))
			fail_msg("ssd %s does not say \"%s\"", cases[i].arguments, cases[i].says);
	}
}

static void test_a_run(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "deep/results/statistics.txt"), *file;

	ssd(w, "run --verify -s trace.limit=2000 -o @/deep/results --json @/run.json parameters/tiny.cfg "
	       "uniform");
	assert_status(w, DONE, "run");
	assert_true(says(w, "run.requests = 2000 ") && says(w, "run.served = 2000 ") &&
		    says(w, "run.verified = 1 "));
	assert_true(says(w, "run.interrupted = 0 ") && says(w, "run.drive_failed = 0 "));
	file = contents(path);
	assert_non_null(file);
	assert_string_equal(file, w->out);
	assert_true(exists(w, "deep/results/latency.txt") && exists(w, "deep/results/wear.txt") &&
		    exists(w, "run.json"));
	memory_free(file);
	memory_free(path);
}

static void test_quiet(void **state)
{
	struct world *w = *state;

	ssd(w, "run --quiet -s trace.limit=100 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --quiet");
	assert_string_equal(w->out, "");
	assert_string_equal(w->err, "");
}

/* ---- only checking ---- */

static void test_checking_runs_nothing(void **state)
{
	static const struct mistake wrong[] = {
		{ "run --check -s ftl=none parameters/tiny.cfg uniform", "should be \"page\"" },
		{ "run --check parameters/tiny.cfg missing.trace", "missing.trace" },
		{ "run --check -s workload.requests=3 parameters/tiny.cfg traces/samples/random.trace",
			"random.trace is a trace, only profiles have settings" },
		{ "run --check -s workload.reqests=3 parameters/tiny.cfg uniform",
			"did you mean \"requests\"" },
	};
	struct world *w = *state;

	ssd(w, "run --check -o @/made --json @/made.json -s workload.requests=7 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --check");
	assert_true(says(w, "flash.page_bytes = 2048\n") && says(w, "workload.requests = 7\n"));
	assert_false(says(w, "run.served") || exists(w, "made") || exists(w, "made.json"));
	for (size_t i = 0; i < COUNT(wrong); i++) {
		ssd(w, wrong[i].arguments);
		assert_status(w, USER, wrong[i].arguments);
		assert_non_null(strstr(w->err, wrong[i].says));
		assert_null(strstr(w->err, "cannot be simulated"));
	}
}

/* Valid settings that do not fit together are told from mistakes, as a sweep goes on without them. */
static void test_checking_tells_refusals_from_mistakes(void **state)
{
	static const struct mistake refused[] = {
		{ "-s gc.threshold=0.9 -s flash.over_provisioning=0 parameters/tiny.cfg uniform",
			"flash.over_provisioning leaves " },
		{ "-s ftl=sepbit -s wear.delta=2 -s flash.blocks=99 parameters/tiny.cfg uniform",
			"wear.delta = 2: ftl = sepbit " },
	};
	struct world *w = *state;
	char line[200], start[120];

	for (size_t i = 0; i < COUNT(refused); i++) {
		snprintf(line, sizeof line, "run --check %s", refused[i].arguments);
		snprintf(start, sizeof start, "ssd: cannot be simulated: %s", refused[i].says);
		ssd(w, line);
		assert_status(w, USER, line);
		assert_ptr_equal(strstr(w->err, start), w->err);
		snprintf(line, sizeof line, "run %s", refused[i].arguments);
		ssd(w, line);
		assert_status(w, USER, line);
		assert_ptr_equal(strstr(w->err, refused[i].says), w->err + strlen("ssd: "));
	}
}

/* Writes the statistics of a run with these settings, without its command, to a file. */
static void statistics_to(struct world *w, const char *file, const char *first, const char *second)
{
	char line[600];

	snprintf(line, sizeof line,
		"$ssd run -q --json $d/all %s %s -s trace.limit=3000 parameters/tiny.cfg uniform && "
		"sed '/\"parameters\"/,/}/d; /run.command/d' $d/all >$d/%s",
		first, second, file);
	shell(w, line);
	assert_status(w, DONE, line);
}

/* A setting that `--check` calls without effect has none: another value changes no statistic. */
static void test_settings_without_effect_have_none(void **state)
{
	static const struct {
		const char *given, *key, *value, *why;
	} cases[] = {
		{ "-s buffer=none", "dram.buffer_bytes", "4K", "buffer = none" },
		{ "-s flash.suspend=never", "flash.suspend_ns", "9000", "flash.suspend = never" },
		{ "-s flash.suspend=never", "flash.resume_ns", "9000", "flash.suspend = never" },
		{ "-s flash.scheduler=fifo", "flash.read_first_limit", "2", "flash.scheduler = fifo" },
		{ "-s flash.dies=1", "flash.interleave", "false", "flash.dies = 1" },
		{ "-s flash.planes=1 -s flash.multiplane=any", "flash.multiplane", "same_offset",
			"flash.planes = 1" },
		{ "-s flash.planes=1 -s flash.multiplane=any", "flash.multiplane_search", "2",
			"flash.planes = 1" },
		{ "-s flash.planes=2 -s flash.multiplane=off", "flash.multiplane_search", "2",
			"flash.multiplane = off" },
		{ "-s gc.policy=fifo", "gc.d", "2", "gc.policy = fifo" },
		{ "-s gc.policy=greedy", "gc.strict", "true", "gc.policy = greedy" },
		{ "-s wear.delta=0", "wear.period", "2", "wear.delta = 0" },
		{ "-s host.mode=closed", "host.queue_limit", "3", "host.mode = closed" },
		{ "-s host.mode=closed", "host.time_scale", "3", "host.mode = closed" },
		{ "-s host.mode=open", "host.queue_depth", "3", "host.mode = open" },
		{ "-s precondition.mode=fill", "precondition.used", "0.4", "precondition.mode = fill" },
		{ "-s precondition.mode=aged", "precondition.valid", "0.2", "precondition.mode = aged" },
		{ "-s precondition.mode=aged", "precondition.layout", "apart", "precondition.mode = aged" },
		{ "-s precondition.mode=aged", "precondition.fill_run", "4", "precondition.mode = aged" },
		{ "-s precondition.mode=aged", "precondition.trace", "mixed", "precondition.mode = aged" },
		{ "-s precondition.mode=aged", "precondition.passes", "4", "precondition.mode = aged" },
		{ "-s precondition.mode=aged", "precondition.beneath", "true", "precondition.mode = aged" },
		{ "-s flash.scheduler=fifo", "flash.suspend", "erase", "flash.scheduler = fifo" },
		{ "-s flash.scheduler=fifo -s flash.suspend=erase", "flash.suspend_ns", "9000",
			"flash.scheduler = fifo" },
		{ "-s ftl=page", "map.cache_bytes", "2K", "ftl = page" },
		{ "-s ftl=dftl -s dftl.entries=16", "map.cache_bytes", "2K", "dftl.entries = 16" },
		{ "-s ftl=direct", "map.blocking", "true", "ftl = direct" },
		{ "-s ftl=skeleton", "map.gc_update", "load", "ftl = skeleton" },
	};
	struct world *w = *state;
	char set[160], line[320];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(set, sizeof set, "-s %s=%s", cases[i].key, cases[i].value);
		snprintf(line, sizeof line, "run --check %s %s parameters/tiny.cfg uniform", cases[i].given,
			set);
		ssd(w, line);
		assert_status(w, DONE, line);
		snprintf(line, sizeof line, "# %s: without effect, %s\n", cases[i].key, cases[i].why);
		assert_true(says(w, line));
		statistics_to(w, "without", cases[i].given, "");
		statistics_to(w, "with", cases[i].given, set);
		shell(w, "cmp $d/without $d/with");
		assert_status(w, DONE, line);
	}
}

/* A setting with an effect is not called without effect. */
static void test_settings_with_effect(void **state)
{
	static const char *const set[] = { "ftl=mrsm -s map.cache_bytes=2K", "ftl=dftl -s map.cache_bytes=2K",
		"ftl=sftl -s map.cache_bytes=2K", "ftl=across -s map.blocking=true",
		"host.mode=closed -s host.queue_depth=2", "buffer=lru -s dram.buffer_bytes=8K",
		"gc.policy=d_choices -s gc.d=2", "gc.policy=random -s gc.strict=true",
		"precondition.mode=aged -s precondition.used=0.3",
		"precondition.mode=synthetic -s precondition.used=0.3",
		"flash.suspend=erase -s flash.suspend_ns=1", "flash.dies=2 -s flash.interleave=false",
		"flash.planes=2 -s flash.multiplane=any -s flash.multiplane_search=1",
		"wear.delta=4 -s wear.period=2" };
	struct world *w = *state;
	char line[200];

	for (size_t i = 0; i < COUNT(set); i++) {
		snprintf(line, sizeof line, "run --check -s %s parameters/tiny.cfg uniform", set[i]);
		ssd(w, line);
		assert_status(w, DONE, line);
		assert_false(says(w, "without effect"));
	}
}

/* Another seed of the run gives another workload, unless the workload has a seed of its own. */
static void test_a_seed_is_of_the_workload_too(void **state)
{
	struct world *w = *state;

	statistics_to(w, "one", "-s seed=1", "-s ftl=direct");
	statistics_to(w, "two", "-s seed=2", "-s ftl=direct");
	shell(w, "sed -i /run.seed/d $d/one $d/two; cmp -s $d/one $d/two");
	assert_int_equal(w->status, 1);
	statistics_to(w, "two", "-s seed=2", "-s ftl=direct -s workload.seed=1");
	statistics_to(w, "one", "-s seed=1", "-s ftl=direct -s workload.seed=1");
	shell(w, "sed -i /run.seed/d $d/one $d/two; cmp $d/one $d/two");
	assert_status(w, DONE, "the workload's own seed");
}

/* Every FTL and every buffer that `ssd list` shows can be used.  Some buffers need operations that not every
 * FTL has. */
static void test_every_plug_in_runs(void **state)
{
	struct world *w = *state;
	char line[300], needs[80];

	for (size_t b = 0; buffers[b]; b++) {
		unsigned ran = 0;

		snprintf(needs, sizeof needs, "ssd: buffer = %s needs an FTL", buffers[b]->name);
		for (size_t f = 0; ftls[f]; f++) {
			if (ran && is_for_soak(f + b, 6))
				continue;
			snprintf(line, sizeof line,
				"run --verify -s ftl=%s -s buffer=%s -s dram.buffer_bytes=8K -s "
				"trace.limit=3000%s parameters/tiny.cfg uniform",
				ftls[f]->name, buffers[b]->name,
				b && !has_classes(ftls[f]) ? "" : any_workload_options(ftls[f]));
			ssd(w, line);
			if (w->status == USER && strstr(w->err, needs) && !ftls[f]->write_merged)
				continue;
			if (w->status == USER && b && ftls[f]->admit)
				continue;
			assert_status(w, DONE, line);
			ran++;
			snprintf(line, sizeof line, "run.ftl = %s", ftls[f]->name);
			assert_true(says(w, line));
		}
		assert_true(ran);
	}
}

/* ---- mistakes on the command line ---- */

static void test_mistakes_on_the_command_line(void **state)
{
	static const struct mistake cases[] = {
		{ "lst", "unknown command \"lst\"; did you mean \"list\"" },
		{ "xyzzy", "unknown command \"xyzzy\"; `ssd --help`" },
		{ "list everything", "\"everything\"" },
		{ "list ftl", "did you mean \"ftls\"" },
		{ "list --all", "list: unknown option --all" },
		{ "version 3", "version: 1 operand is given" },
		{ "params no.such", "unknown parameter \"no.such\"" },
		{ "params gc.treshold", "did you mean \"gc.threshold\"" },
		{ "params gc wear", "params: 2 operands are given; should be: ssd params [GROUP|KEY]" },
		{ "run", "run: 0 operands are given; should be: ssd run [OPTION]... PARAMETERS TRACE" },
		{ "run parameters/tiny.cfg", "run: 1 operand is given" },
		{ "run parameters/tiny.cfg uniform more", "more: neither a file nor a profile" },
		{ "run -- parameters/tiny.cfg --quiet more", "--quiet: neither a file nor a profile" },
		{ "run -s host.tenants=3 parameters/tiny.cfg uniform uniform",
			"2 traces, each of a tenant: host.tenants = 3" },
		{ "run -s host.tenants=2 -s host.depths=1 parameters/tiny.cfg uniform",
			"host.tenants = 2, host.depths = \"1\" names 1" },
		{ "run --verfy parameters/tiny.cfg uniform",
			"run: unknown option --verfy; did you mean --verify?" },
		{ "run -verify parameters/tiny.cfg uniform",
			"run: unknown option -v; did you mean --verify?" },
		{ "run -z parameters/tiny.cfg uniform", "run: unknown option -z; `ssd run --help`" },
		{ "run -qz parameters/tiny.cfg uniform", "run: unknown option -z" },
		{ "run --plot x parameters/tiny.cfg uniform", "run: unknown option --plot;" },
		{ "run --verify=yes parameters/tiny.cfg uniform", "run: option --verify takes no value" },
		{ "run parameters/tiny.cfg uniform -s", "run: option -s needs a value: -s KEY=VALUE" },
		{ "run parameters/tiny.cfg uniform -o", "run: option -o needs a value: -o DIR" },
		{ "run parameters/tiny.cfg uniform --json", "run: option --json needs a value: --json FILE" },
		{ "run --series 10 parameters/tiny.cfg uniform", "run: --series 10: needs -o DIR" },
		{ "run --series 0s -o @/x parameters/tiny.cfg uniform",
			"run: --series 0s: should be a number" },
		{ "run --warmup 5% parameters/tiny.cfg uniform", "run: --warmup 5%: should be a number" },
		{ "run --explain 0 parameters/tiny.cfg uniform",
			"run: --explain 0: should be a whole number from 1" },
		{ "run --explain -1 parameters/tiny.cfg uniform", "run: --explain -1: should be" },
		{ "run --explain=1x parameters/tiny.cfg uniform", "run: --explain 1x: should be" },
		{ "run --explain 99999999999999999999 parameters/tiny.cfg uniform",
			"should be a whole number" },
		{ "run -s gc parameters/tiny.cfg uniform", "KEY=VALUE" },
		{ "run -s gc.treshold=0.2 parameters/tiny.cfg uniform", "did you mean \"gc.threshold\"" },
		{ "run -s threshold=0.2 parameters/tiny.cfg uniform", "unknown parameter \"threshold\"" },
		{ "run -s gc.threshold=high parameters/tiny.cfg uniform", "gc.threshold=high" },
		{ "run -s gc.threshold=1.5 parameters/tiny.cfg uniform", "should be 0 to 0.9" },
		{ "run -s flash.pages=-1 parameters/tiny.cfg uniform", "flash.pages=-1" },
		{ "run -s flash.pages=99999999999999999999 parameters/tiny.cfg uniform", "flash.pages=" },
		{ "run -s flash.copyback=maybe parameters/tiny.cfg uniform", "flash.copyback=maybe" },
		{ "run -s flash.read_ns=[1,2,3,4,5] parameters/tiny.cfg uniform", "flash.read_ns=" },
		{ "run -s ftl=pagee parameters/tiny.cfg uniform", "\"page\"" },
		{ "run -s placement.order=CCDP parameters/tiny.cfg uniform", "placement.order = \"CCDP\"" },
		{ "run -s precondition.mode=trace parameters/tiny.cfg uniform", "precondition.trace" },
		{ "run -s precondition.mode=synthetic -s precondition.used=0.2 -s precondition.valid=0.5 "
		  "parameters/tiny.cfg uniform",
			"precondition.valid = 0.5" },
		{ "run parameters/tiny.cfg no-such-trace", "no-such-trace: " },
		{ "run parameters/no-such.cfg uniform", "parameters/no-such.cfg" },
		{ "run parameters uniform", "parameters" },
		{ "trace", "trace: 0 operands are given; should be: ssd trace COMMAND ..." },
		{ "trace stats x", "unknown command \"trace stats\"; did you mean \"trace stat\"" },
		{ "trace stat", "trace stat: 0 operands" },
		{ "trace stat no-such-trace", "no-such-trace: " },
		{ "trace stat --formt msr no-such-trace",
			"trace stat: unknown option --formt; did you mean --format?" },
		{ "trace stat --m x no-such-trace", "no-such-trace: " },
		{ "trace stat --o x no-such-trace", "trace stat: unknown option --o;" },
		{ "trace convert --t spc no-such-trace",
			"trace convert: option --t is unclear: --to or --time-unit?" },
		{ "trace convert no-such-trace", "trace convert: option --to FORMAT is missing" },
		{ "trace convert --to nothing no-such-trace", "no-such-trace" },
		{ "trace generate no-such-profile", "no-such-profile" },
		{ "trace generate -s request=5 uniform", "did you mean \"requests\"" },
		{ "legacy",
			"legacy: 0 operands are given; should be: ssd legacy [OPTION]... PARAMETERS TRACE" },
		{ "legacy --bogus parameters/tiny.cfg uniform",
			"legacy: unknown option --bogus; `ssd legacy --help`" },
		{ "legacy --fxi Q2 parameters/tiny.cfg uniform", "did you mean --fix?" },
		{ "legacy import", "legacy import: 0 operands are given" },
		{ "legacy diff one",
			"legacy diff: 1 operand is given; should be: ssd legacy diff A.dat B.dat" },
	};

	assert_mistakes(*state, cases, COUNT(cases));
}

/* ---- parameter files ---- */

static void test_bad_parameter_files(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "flash: { blocks = 16", "bad.cfg:1" },
		{ "flash: {\n  blocks = = 16;\n};\n", "bad.cfg:2" },
		{ "ftl = \"page;\n", "bad.cfg" },
		{ "flash: {\n  blokcs = 16;\n};\n",
			"bad.cfg:2: unknown parameter \"flash.blokcs\"; did you mean \"flash.blocks\"" },
		{ "falsh: { blocks = 16; };\n", "bad.cfg:1: unknown" },
		{ "ftl = 3;\n", "bad.cfg:1: ftl" },
		{ "flash: { blocks = \"many\"; };\n", "bad.cfg:1: flash.blocks" },
		{ "flash: { blocks = 1.5; };\n", "bad.cfg:1: flash.blocks" },
		{ "flash: { copyback = 7; };\n", "bad.cfg:1: flash.copyback" },
		{ "flash: { blocks = 0; };\n", "bad.cfg:1: flash.blocks" },
		{ "flash: { planes = 0; };\n", "bad.cfg:1: flash.planes" },
		{ "flash: { page_bytes = 3000; };\n", "flash.page_bytes = 3000 is not a power of two" },
		{ "flash: { command_ns = [1, 2]; };\n",
			"flash.command_ns is a list of 2 times; give one, or three" },
		{ "flash: { plane_command_ns = [1, 2, 3, 4]; };\n",
			"flash.plane_command_ns is a list of 4 times" },
		{ "flash: { page_bytes = 65536; };\n", "bad.cfg:1: flash.page_bytes" },
		{ "flash: { blocks = 16777216; pages = 1024; };\n", "at most 4294967294 can be addressed" },
		{ "flash: { over_provisioning = 0.0; };\n", "flash.over_provisioning leaves" },
		{ "flash: { blocks = 4; over_provisioning = 0.5; };\n", "flash.over_provisioning leaves" },
		{ "gc: { threshold = -0.1; };\n", "bad.cfg:1: gc.threshold" },
		{ "seed = 1;\nseed = 2;\n", "bad.cfg:2" },
		{ "flash = 7;\n", "bad.cfg:1: \"flash\" is a group" },
		{ "flash: { channels = 1; chips = 1; dies = 1; planes = 1; blocks = 99999999999; };\n",
			"bad.cfg:1: flash.blocks" },
		{ "\x7f"
		  "ELF\x01\x02\x03",
			"bad.cfg" },
	};
	struct world *w = *state;
	size_t right = 0;

	for (size_t i = 0; i < COUNT(cases); i++) {
		put_text(w, "bad.cfg", cases[i].text);
		right += is_mistake(w, "run @/bad.cfg uniform", cases[i].says);
	}
	assert_int_equal(right, COUNT(cases));
}

/* ---- traces ---- */

static void test_bad_traces(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "bad.trace: " },
		{ "\n\n\n", "bad.trace: " },
		{ "0 0 0 4 0\n1 0 4 4\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 x 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 -4 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n-1 0 4 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 0 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 -4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 4 9\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 99999999999999999999999 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 99999999999 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 18446744073709551614 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 9223372036854775806 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 4294967295 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n99999999999999999999999 0 4 4 0\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 4 4 0 and more\n", "bad.trace:2: " },
		{ "0 0 0 4 0\n1 0 100000 4 0\n",
			"bad.trace:2: sectors 100000 to 100003 lie beyond the drive" },
		{ "0 0 0 4 0\n1 0 0 100000 0\n",
			"bad.trace:2: a request of 100000 sectors is larger than the drive" },
	};
	struct world *w = *state;
	size_t right = 0;

	for (size_t i = 0; i < COUNT(cases); i++) {
		put_text(w, "bad.trace", cases[i].text);
		right += is_mistake(w,
			"run -s trace.format=ssdsim -s trace.fold=false parameters/tiny.cfg @/bad.trace",
			cases[i].says);
		right += is_mistake(w,
			"run -s trace.format=ssdsim -s trace.fold=false -s precondition.premap=none "
			"parameters/tiny.cfg @/bad.trace",
			cases[i].says);
	}
	assert_int_equal(right, 2 * COUNT(cases));
}

/* The first half of a small SSDsim trace, compressed by gzip. */
static const unsigned char compressed[] = {
	0x1f,
	0x8b,
	0x08,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x02,
	0x03,
	0x2d,
	0x8e,
	0xb9,
	0x11,
	0x00,
	0x20,
	0x0c,
	0xc3,
	0x7a,
	0xa6,
	0x60,
	0x84,
	0x7c,
	0x40,
	0xb2,
	0xff,
	0x62,
	0x80,
	0xe3,
	0x4b,
	0x13,
	0x9d,
	0x0a,
	0x4b,
	0xa6,
	0xbc,
	0x8b,
	0x29,
	0x43,
	0x45,
	0xfe,
	0xeb,
	0xe7,
	0x91,
	0x0e,
	0x6b,
};

static void test_traces_that_are_not_text(void **state)
{
	struct world *w = *state;
	unsigned char noise[4096];
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)random_next(&random);
	put_bytes(w, "noise", noise, sizeof noise);
	assert_mistake(w, "run parameters/tiny.cfg @/noise", "noise");
	assert_mistake(w, "trace stat @/noise", "noise");
	assert_mistake(w, "run parameters/tiny.cfg @", "is a directory");
	memcpy(noise, compressed, sizeof compressed);
	put_bytes(w, "corrupt.gz", noise, sizeof noise);
	assert_mistake(w, "run parameters/tiny.cfg @/corrupt.gz", "corrupt.gz");
	put_bytes(w, "truncated.gz", compressed, sizeof compressed);
	assert_mistake(w, "run parameters/tiny.cfg @/truncated.gz", "truncated.gz");
	assert_mistake(w, "trace stat @/truncated.gz", "truncated.gz");
}

/* A file that can be opened, but whose first byte cannot be read: as on a broken disk. */
/* Parameters may come through a pipe that the shell names, but no pipe of a folder is waited for. */
static void test_parameters_from_a_pipe(void **state)
{
	static const char *const lines[] = {
		"cat parameters/tiny.cfg | $ssd run -qs trace.limit=9 /dev/stdin uniform",
		"cat parameters/tiny.cfg | $ssd run -qs trace.limit=9 /dev/fd/4 uniform 4<&0",
		"$ssd legacy import /dev/stdin <$d/page.parameters", "SSDLAB_PROFILES=$d $ssd list profiles"
	};
	static const struct mistake cases[] = {
		{ "run -q @/pipe.cfg uniform", "pipe.cfg\": it is a pipe or a device, not a file" },
		{ "trace generate @/pipe.cfg", "pipe.cfg\": it is a pipe or a device, not a file" },
		{ "legacy import @/pipe.cfg", "pipe.cfg: it is a pipe or a device, not a file" },
	};
	struct world *w = *state;

	shell(w, "mkfifo $d/pipe.cfg && tar -xJf tests/legacy/golden.tar.xz -O 01_default/page.parameters "
		 ">$d/page.parameters");
	for (size_t i = 0; i < COUNT(lines); i++) {
		shell(w, lines[i]);
		assert_status(w, DONE, lines[i]);
	}
	assert_mistakes(w, cases, COUNT(cases));
}

/* Names and texts of others reach a terminal without the control characters that it would obey; each remark
 * stays a line.  U+009B is one of them, e with an acute accent is not. */
#define OBEYED "e\033[31mx\nssd: fake\302\233\303\251"
#define SHOWN  "e\\x1b[31mx\\x0assd: fake\\xc2\\x9b\303\251"

static void assert_shows(struct world *w, const char *line, const char *text)
{
	shell(w, line);
	for (const char *c = w->err; *c; c++)
		if ((c == w->err || c[-1] == '\n') && strncmp(c, "ssd: ", 5))
			fail_msg("%s: %s", line, w->err);
	for (const char *said = w->err; said; said = said == w->err ? w->out : NULL)
		for (const char *c = said; *c; c++)
			if ((*c < ' ' && *c >= 0 && *c != '\n') || !strncmp(c, "\302\233", 2))
				fail_msg("%s: a terminal would obey what it says", line);
	if (!strstr(w->err, text) && !says(w, text))
		fail_msg("%s: %s%s", line, w->err, w->out);
}

static void test_control_characters_are_shown(void **state)
{
	static const struct mistake cases[] = {
		{ "trace stat \"$n\"", "ssd: " SHOWN ": format ssdsim\n" },
		{ "trace convert --to ssdsim \"$n\"", "ssd: " SHOWN ": format ssdsim\n" },
		{ "run -s trace.limit=1 \"$n.cfg\" \"$n\"", SHOWN " on " SHOWN ".cfg: ftl = page" },
		{ "run \"$n/cfg\" uniform", "\"" SHOWN "/cfg\"" },
		{ "run -q --json \"$n/json\" tiny uniform", "cannot create \"" SHOWN "/json\"" },
		{ "run tiny \"$n-\"", "ssd: " SHOWN "-: neither a file nor a profile" },
		{ "run --load-drive \"$n\" tiny uniform", "ssd: " SHOWN ": " },
		{ "\"$n\"", "unknown command \"" SHOWN "\"" },
		{ "run --check texts.cfg uniform", "trace.member = \"x\\xc2\\x9b\303\251\"" },
		{ "run --all -s trace.limit=1 texts.cfg uniform",
			"# trace.member = \"x\\xc2\\x9b\303\251\"" },
		{ "list profiles", SHOWN },
	};
	struct world *w = *state;
	char *drive = contents("parameters/tiny.cfg");

	put_text(w, OBEYED, "0 0 0 8 0\n");
	put_text(w, OBEYED ".cfg", drive);
	put_text(w, "texts.cfg", "trace: { member = \"x\302\233\303\251\"; };\n");
	put_text(w, "brief.cfg", "brief = \"e\\x1b[31mx\\nssd: fake\302\233\303\251\";\n");
	for (size_t i = 0; i < COUNT(cases); i++) {
		char line[400];

		snprintf(line, sizeof line, "cd $d; n=$(ls -d e*[!g]); export SSDLAB_PROFILES=.; $ssd %s",
			cases[i].arguments);
		assert_shows(w, line, cases[i].says);
	}
	memory_free(drive);
}

static void test_a_trace_that_fails_to_be_read(void **state)
{
	struct world *w = *state;

	if (access("/proc/self/mem", R_OK))
		return;
	assert_mistake(w, "run parameters/tiny.cfg /proc/self/mem", "/proc/self/mem");
	assert_mistake(w, "trace stat /proc/self/mem", "/proc/self/mem");
	assert_mistake(w, "run /proc/self/mem uniform", "/proc/self/mem");
	assert_mistake(w, "run --load-drive /proc/self/mem parameters/tiny.cfg uniform", "/proc/self/mem");
}

/* A file that no one may read; a superuser may. */
static void test_an_unreadable_trace(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "secret.trace");

	put_text(w, "secret.trace", "0 0 0 4 0\n");
	assert_int_equal(chmod(path, 0), 0);
	if (access(path, R_OK) == 0) {
		ssd(w, "run --quiet -s trace.format=ssdsim parameters/tiny.cfg @/secret.trace");
		assert_status(w, DONE, "run as superuser");
	} else {
		assert_mistake(w, "run parameters/tiny.cfg @/secret.trace", "secret.trace: ");
	}
	memory_free(path);
}

/* Sorted, counted and served. */
static void test_time_going_back(void **state)
{
	struct world *w = *state;

	put_text(w, "back.trace", "5000 0 0 4 0\n9000 0 4 4 0\n7000 0 8 4 0\n");
	ssd(w, "run -s trace.format=ssdsim parameters/tiny.cfg @/back.trace");
	assert_status(w, DONE, "run back.trace");
	assert_true(says(w, "run.served = 3 ") && says(w, "run.reordered = 1 "));
}

/* ---- results that cannot be written ---- */

static void test_results_that_cannot_be_written(void **state)
{
	static const struct mistake cases[] = {
		{ "run --quiet -o @/file/results -s trace.limit=10 parameters/tiny.cfg uniform", "file" },
		{ "run --quiet -o @/file -s trace.limit=10 parameters/tiny.cfg uniform", "file" },
		{ "run --quiet -o /proc/results -s trace.limit=10 parameters/tiny.cfg uniform",
			"/proc/results" },
		{ "run --quiet -o '' -s trace.limit=10 parameters/tiny.cfg uniform", "cannot be created" },
		{ "legacy -o '' parameters/tiny.cfg uniform", "cannot be created" },
		{ "run --quiet --json @/none/run.json -s trace.limit=10 parameters/tiny.cfg uniform",
			"none/run.json" },
		{ "run --quiet --json /dev/full -s trace.limit=10 parameters/tiny.cfg uniform", "/dev/full" },
		{ "run --quiet --save-drive /dev/full -s trace.limit=10 parameters/tiny.cfg uniform",
			"/dev/full" },
		{ "run --quiet --save-drive @/none/drive -s trace.limit=10 parameters/tiny.cfg uniform",
			"none/drive" },
		{ "trace generate -s requests=10 -o /dev/full uniform", "/dev/full" },
	};
	struct world *w = *state;

	put_text(w, "file", "not a folder");
	put_text(w, "fine.trace", "0 0 0 4 0\n");
	assert_mistakes(w, cases, COUNT(cases));
	ssd(w, "trace stat --json /dev/full @/fine.trace --format ssdsim"); /* prints the text, then fails */
	assert_status(w, USER, "trace stat --json /dev/full");
	assert_non_null(strstr(w->err, "/dev/full"));
}

/* A folder that no one may write to; a superuser may. */
static void test_a_folder_that_cannot_be_written(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "locked");

	assert_int_equal(mkdir(path, 0555), 0);
	if (access(path, W_OK)) {
		assert_mistake(w, "run --quiet -o @/locked parameters/tiny.cfg uniform", "locked");
		assert_mistake(w, "run --quiet -o @/locked/deep parameters/tiny.cfg uniform", "locked");
		assert_mistake(
			w, "run --quiet --json @/locked/run.json parameters/tiny.cfg uniform", "locked");
	}
	memory_free(path);
}

/* Standard output is full, closed, or a pipe without a reader: the output is lost, and an error says so.
 * Only a listing into a pipe without a reader ends well and in silence, as in `ssd list | head`. */
/* Does it name standard output as a file that cannot be written? */
static bool says_of_output(const struct world *w)
{
	return strstr(w->err, "standard output") || strstr(w->err, "/dev/stdout");
}

/* To a full disk and a closed one that is a mistake; a pipe whose reader has left, as `head` does, ends the
 * program quietly. */
static void test_a_standard_output_that_takes_nothing(void **state)
{
	static const char *const cases[] = { "help", "version", "list", "list gc", "params", "run --help",
		"legacy --list-quirks", "run -s trace.limit=10 parameters/tiny.cfg uniform",
		"run --check parameters/tiny.cfg uniform", "trace stat --format ssdsim @/fine.trace",
		"trace stat --format ssdsim --json @/stat.json @/fine.trace",
		"trace generate -s requests=100000 uniform",
		"trace convert --format ssdsim --to spc @/fine.trace",
		"watch --plain -L w0 parameters/tiny.cfg", "quiz --paper parameters/tiny.cfg",
		"quiz --answers parameters/tiny.cfg", "probe --only empty-read -s flash.blocks=1024 tiny",
		"probe --fio @/jobs @/large", "measure --random tiny", "legacy import @/page.parameters",
		"help --complete -- ''" };
	struct world *w = *state;

	put_text(w, "fine.trace", "0 0 0 4 0\n");
	shell(w,
		"truncate -s 40M $d/large; tar -xJf tests/legacy/golden.tar.xz -O 01_default/page.parameters "
		">$d/page.parameters");
	for (w->sink = SINK_FULL; w->sink < SINKS; w->sink++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			bool ended = w->sink == SINK_BROKEN_PIPE;

			ssd(w, cases[i]);
			if (w->status != (ended ? DONE : USER) || ended != !says_of_output(w))
				fail_msg("ssd %s, output %d: status %d, \"%s\"", cases[i], w->sink, w->status,
					w->err);
		}
	w->sink = SINK_KEPT;
	assert_true(exists(w, "stat.json") && exists(w, "jobs/5-full.fio"));
}

/* What has its own file is written although nobody reads the rest; a file that is a pipe without a reader is
 * a mistake. */
static void test_results_beside_a_pipe_that_ends(void **state)
{
	struct world *w = *state;

	w->sink = SINK_BROKEN_PIPE;
	ssd(w, "run -s trace.limit=10 -o @/o --json @/json parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run");
	assert_true(exists(w, "o/statistics.txt") && exists(w, "json"));
	w->sink = SINK_KEPT;
	shell(w,
		"{ $ssd run -qs trace.limit=20000 --log /dev/fd/3 tiny uniform 3>&1 >&2; echo $? >$d/status; "
		"} | sleep 0");
	assert_non_null(strstr(w->err, "cannot write \"/dev/fd/3\": Broken pipe"));
	shell(w, "cat $d/status");
	assert_true(says(w, "2\n"));
}

/* A value behind "=" or in the next word, a unique beginning of a name; letters joined, or with their value;
 * options behind operands; behind "--" nothing is an option. */
static void test_spellings_of_options(void **state)
{
	static const char *const same[] = {
		"run --quiet --json @/a.json -s trace.limit=100 parameters/tiny.cfg uniform",
		"run --quiet --json=@/a.json -strace.limit=100 parameters/tiny.cfg uniform",
		"run --qui --js @/a.json parameters/tiny.cfg uniform -s trace.limit=100",
		"run -qstrace.limit=100 --j=@/a.json -- parameters/tiny.cfg uniform",
		"run -q parameters/tiny.cfg --json @/none --json @/a.json -s trace.limit=100 -- uniform",
	};
	struct world *w = *state;
	char *path = path_in(w, "a.json"), *file;

	for (size_t i = 0; i < COUNT(same); i++) {
		ssd(w, same[i]);
		assert_status(w, DONE, same[i]);
		assert_string_equal(w->out, "");
		file = contents(path);
		assert_non_null(file);
		assert_non_null(strstr(file, "\"run.requests\": 100,"));
		memory_free(file);
		assert_int_equal(unlink(path), 0);
	}
	memory_free(path);
}

/* `ssd list WHAT` prints that section of `ssd list`; together the sections are all of it but the last
 * line. */
static void test_one_listing(void **state)
{
	static const char *const what[] = { "drives", "ftls", "buffers", "layers", "gc", "formats",
		"profiles" };
	struct world *w = *state;
	char command[32], *all;
	size_t length = 0;

	ssd(w, "list");
	assert_status(w, DONE, "list");
	all = memory_string(w->out, "list");
	for (size_t i = 0; i < COUNT(what); i++) {
		snprintf(command, sizeof command, "list %s", what[i]);
		ssd(w, command);
		assert_status(w, DONE, command);
		assert_int_equal(strncmp(w->out, what[i], strlen(what[i])), 0);
		assert_non_null(strstr(all, w->out));
		length += strlen(w->out) + (i > 0);
	}
	assert_int_equal(strncmp(all + length + 1, "statistics: ", 12), 0);
	assert_int_equal(strlen(all + length + 1), strcspn(all + length + 1, "\n") + 1);
	memory_free(all);
}

/* Has the listing a row for the statistic of this line?  Those of one kind of time share a row:
 * "request.read.latency_*_ns". */
static bool is_listed(const char *listing, const char *line)
{
	static const char *const times[] = { "latency_", "service_" };
	char name[100], row[120], *at;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
	for (size_t i = 0; i < COUNT(times); i++)
		if ((at = strstr(name, times[i])) && !strstr(at, "per_sector"))
			strcpy(at + strlen(times[i]), "*_ns");
	snprintf(row, sizeof row, "\n  %s ", name);
	return strstr(listing, row);
}

/* `ssd list statistics` explains every statistic that an FTL or a buffer reports. */
static void test_every_number_is_listed(void **state)
{
	struct world *w = *state;
	char *listing;

	ssd(w, "list statistics");
	assert_status(w, DONE, "list statistics");
	listing = memory_string(w->out, "listing");
	for (size_t i = 0; ftls[i]; i++) {
		char command[300];

		snprintf(command, sizeof command,
			"run -s ftl=%s -s buffer=%s -s trace.limit=300%s parameters/tiny.cfg mixed",
			ftls[i]->name, i % 2 ? "lru" : "none", any_workload_options(ftls[i]));
		ssd(w, command);
		assert_status(w, DONE, command);
		for (const char *line = w->out; line && *line; line = strchr(line, '\n')) {
			line += *line == '\n';
			if (*line >= 'a' && *line <= 'z' && !is_listed(listing, line))
				fail_msg("not listed: %.60s", line);
		}
	}
	memory_free(listing);
}

/* Files are complete although standard output is closed: no file may get its descriptor number. */
static void test_files_beside_a_closed_standard_output(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "open/statistics.txt"), *whole, *file;

	ssd(w, "run -o @/open --save-drive @/drive -s trace.limit=1000 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run");
	whole = contents(path);
	assert_non_null(whole);
	w->sink = SINK_CLOSED;
	ssd(w, "run --quiet -o @/open --save-drive @/drive -s trace.limit=1000 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --quiet >&-");
	file = contents(path);
	assert_string_equal(strstr(file, "\nrequest."), strstr(whole, "\nrequest."));
	memory_free(file);
	/* Without --quiet: output that cannot be printed gets into none of the files. */
	ssd(w, "run -o @/open --json @/json -s trace.limit=1000 parameters/tiny.cfg uniform");
	assert_status(w, USER, "run >&-");
	file = text_of(w, "json");
	assert_non_null(strstr(file, "{"));
	assert_null(strstr(file, "# requests: completed"));
	memory_free(file);
	w->sink = SINK_KEPT;
	ssd(w, "run --quiet --load-drive @/drive -s trace.limit=1000 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --load-drive");
	memory_free(whole);
	memory_free(path);
}

/* The modelled drive fails and the statistics are lost too: the error must name the loss. */
static void test_a_full_standard_output_of_a_failed_drive(void **state)
{
	struct world *w = *state;

	w->sink = SINK_FULL;
	ssd(w, "run -s flash.endurance=3 parameters/tiny.cfg uniform");
	assert_status(w, USER, "run of a drive that wears out > /dev/full");
	assert_non_null(strstr(w->err, "standard output"));
}

/* The disk is full after some bytes: no result file is left looking complete, and none half-written. */
static void test_a_disk_that_fills_up(void **state)
{
	struct world *w = *state;
	static const rlim_t limits[] = { 1, 100, 1000, 4096 };

	for (size_t i = 0; i < COUNT(limits); i++) {
		char command[100];

		w->file_limit = limits[i];
		assert_mistake(w, "run --quiet -o @/full -s trace.limit=500 parameters/tiny.cfg uniform",
			"cannot write");
		assert_false(exists(w, "full/statistics.txt"));
		assert_mistake(w,
			"run --quiet --save-drive @/full/drive -s precondition.mode=aged parameters/tiny.cfg "
			"uniform",
			"cannot write");
		assert_false(exists(w, "full/drive"));
		w->file_limit = 0;
		snprintf(command, sizeof command, "test -z \"$(ls %s/full | grep partial)\"", w->folder);
		assert_int_equal(system(command), 0);
	}
}

static void test_other_files_on_a_disk_that_fills_up(void **state)
{
	static const struct {
		const char *arguments, *file;
	} cases[] = {
		{ "run --quiet --json @/run.json -s trace.limit=500 parameters/tiny.cfg uniform",
			"run.json" },
		{ "trace generate -s requests=5000 -o @/made.trace uniform", "made.trace" },
		{ "trace convert --format ssdsim --to spc -o @/made.spc traces/samples/across.trace",
			"made.spc" },
		{ "trace stat --format ssdsim --json @/stat.json traces/samples/across.trace", "stat.json" },
		{ "run --quiet --log @/log.csv -s trace.limit=2000 parameters/tiny.cfg uniform", "log.csv" },
		{ "run --quiet --log @/log.zst -s trace.limit=50000 parameters/tiny.cfg uniform", "log.zst" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		w->file_limit = 600;
		ssd(w, cases[i].arguments);
		assert_status(w, USER, cases[i].arguments);
		assert_false(exists(w, cases[i].file));
		if (!strstr(w->err, "File too large"))
			fail_msg("ssd %s: %s", cases[i].arguments, w->err);
		shell(w, "! ls $d | grep partial");
		assert_status(w, DONE, "ls");
	}
}

/* Results of an earlier run are replaced by whole ones or not at all. */
static void test_earlier_results_survive_a_full_disk(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "kept/statistics.txt"), *before, *after;

	ssd(w, "run --quiet -o @/kept -s trace.limit=500 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run");
	before = contents(path);
	w->file_limit = 3000;
	assert_mistake(
		w, "run --quiet -o @/kept -s trace.limit=900 parameters/tiny.cfg uniform", "cannot write");
	after = contents(path);
	assert_non_null(after);
	assert_string_equal(after, before);
	memory_free(before);
	memory_free(after);
	memory_free(path);
}

static void test_a_drive_larger_than_memory(void **state)
{
	struct world *w = *state;

	if (SANITIZED)
		return;
	w->memory_limit = (rlim_t)1 << 30;
	assert_mistake(w,
		"run -s flash.blocks=2000000 -s flash.pages=256 -s trace.limit=10 parameters/tiny.cfg "
		"uniform",
		"out of memory: the ");
}

/* ---- status 3 and 130 ---- */

static void test_a_worn_out_drive(void **state)
{
	struct world *w = *state;
	char line[300];

	for (size_t f = 0; ftls[f]; f++) {
		if (is_for_soak(f, 4))
			continue;
		snprintf(line, sizeof line,
			"run --verify -o @/%s -s ftl=%s -s flash.endurance=3%s parameters/tiny.cfg uniform",
			ftls[f]->name, ftls[f]->name, any_workload_options(ftls[f]));
		ssd(w, line);
		assert_status(w, DRIVE_FAILED, line);
		assert_true(says(w, "run.drive_failed = 1 ") && says(w, "run.interrupted = 0 "));
		snprintf(line, sizeof line, "%s/statistics.txt", ftls[f]->name);
		assert_true(exists(w, line));
	}
}

/* Even with --quiet, the program says why the status is 3. */
static void test_a_failed_drive_says_why(void **state)
{
	struct world *w = *state;

	ssd(w, "run --quiet -s flash.endurance=3 -s trace.limit=90000 parameters/tiny.cfg uniform");
	assert_status(w, DRIVE_FAILED, "run --quiet -s flash.endurance=3");
	assert_non_null(strstr(w->err, "ssd: worn out after "));
	assert_non_null(strstr(w->err, " of 90000 requests: "));
	assert_non_null(strstr(w->err, " of 64 blocks have reached flash.endurance"));
	assert_string_equal(strchr(w->err, '\n'), "\n");
}

/* A profile of endless writes, slow enough for a signal to meet every phase of a run. */
static void put_endless(const struct world *w)
{
	put_text(w, "endless.cfg",
		"brief = \"never ends\";\nrequests = 1000000000000;\nspace = \"1M\";\nwrite_share = 1.0;\n"
		"arrival = { law = \"fixed\"; gaps = \"500\"; };\nwrite = { sizes = \"4K\"; };\n"
		"read = { sizes = \"4K\"; };\n");
	setenv("SSDLAB_PROFILES", w->folder, 1);
}

/* Writes many requests into a pipe, then nothing more. */
static _Noreturn void feed(int pipe)
{
	char line[40];

	for (int n = 0; n < 20000; n++)
		if (write(pipe, line, (size_t)sprintf(line, "%d 0 %d 8 0\n", n * 1000, n % 100 * 8)) < 0)
			break;
	pause();
	_exit(0);
}

/* The program with such a pipe for standard input. */
static pid_t start_on_pipe(struct world *w, const char *arguments, pid_t *feeder, int *error)
{
	int ends[2], input = dup(STDIN_FILENO);
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	*feeder = fork();
	assert_true(*feeder >= 0);
	if (!*feeder)
		feed(ends[1]);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	pid = start(w, arguments, error);
	dup2(input, STDIN_FILENO);
	close(input);
	return pid;
}

static void end_feeder(pid_t feeder)
{
	kill(feeder, SIGKILL);
	assert_int_equal(waitpid(feeder, NULL, 0), feeder);
}

static size_t files_beginning(const struct world *w, const char *name)
{
	DIR *list = opendir(w->folder);
	size_t n = 0;

	for (struct dirent *entry; (entry = readdir(list));)
		n += !strncmp(entry->d_name, name, strlen(name));
	closedir(list);
	return n;
}

/* Waits until the rows of --series 10 beside the run @/saved say that hundreds of requests were served; false
 * if the program ends before. */
static bool serves(const struct world *w, pid_t pid)
{
	char *path = path_in(w, "saved.series");
	struct stat file = { .st_size = 0 };
	siginfo_t ended = { 0 };
	bool runs = true;

	while (runs && (stat(path, &file) || file.st_size < 8192)) {
		runs = !waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid;
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	}
	memory_free(path);
	return runs;
}

/* An endless workload.  Each signal ends the run with the statistics of all requests served. */
static void test_interrupt(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct world *w = *state;
	char *path = path_in(w, "results/statistics.txt"), *file;
	int error;
	pid_t pid;

	put_endless(w);
	for (size_t i = 0; i < COUNT(signals); i++) {
		pid = start(w,
			"run --checkpoint @/saved --series 10 -o @/results -s precondition.premap=none "
			"parameters/tiny.cfg endless",
			&error);
		if (!serves(w, pid)) {
			finish(w, pid, error);
			fail_msg("the run does not begin: %s", w->err);
		}
		kill(pid, signals[i]);
		finish(w, pid, error);
		assert_status(w, 128 + signals[i], "run endless");
		assert_true(says(w, "run.interrupted = 1 ") && says(w, "run.drive_failed = 0 "));
		assert_true(value_of(w, "run.served") > 0);
		assert_int_equal(value_of(w, "run.served"), value_of(w, "run.requests"));
		file = contents(path);
		assert_string_equal(file, w->out);
		memory_free(file);
		shell(w, "rm -f $d/saved*");
	}
	unsetenv("SSDLAB_PROFILES");
	memory_free(path);
}

/* Waits until there is a file whose name begins so; false if the program ends before. */
static bool begins(const struct world *w, pid_t pid, const char *name)
{
	siginfo_t ended = { 0 };

	while (!files_beginning(w, name)) {
		if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid)
			return false;
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	}
	return true;
}

#define TO_BE_SAVED                                                                                          \
	"--json @/json -o @/out --series 10 --checkpoint @/saved --drives @/drives --save-drive @/kept "

/*
 * The drive is being prepared for an endless workload, by a trace that is replayed again and again, or for a
 * workload from a pipe that has stalled: the run ends at once, with the statistics of no request, and the
 * unfinished drive is not kept.
 */
static void test_signals_before_the_first_request(void **state)
{
	static const char *const cases[] = { "run --quiet " TO_BE_SAVED "parameters/tiny.cfg endless",
		"run --quiet " TO_BE_SAVED "-s precondition.mode=trace -s precondition.trace=uniform "
		"-s precondition.passes=1000000 -s precondition.used=1 -s precondition.premap=none "
		"parameters/tiny.cfg uniform",
		"run --quiet " TO_BE_SAVED "parameters/tiny.cfg -" };
	struct world *w = *state;

	put_endless(w);
	for (size_t i = 0; i < COUNT(cases); i++) {
		int error;
		pid_t feeder, pid = start_on_pipe(w, cases[i], &feeder, &error);

		assert_true(begins(w, pid, "saved.series"));
		nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
		kill(pid, SIGTERM);
		finish(w, pid, error);
		end_feeder(feeder);
		assert_status(w, 128 + SIGTERM, cases[i]);
		assert_non_null(strstr(w->err, "ended by signal 15 before the first request"));
		assert_true(exists(w, "json"));
		shell(w, "cat $d/out/statistics.txt; rm -r $d/json $d/out");
		assert_true(says(w, "run.interrupted = 1 ") && says(w, "run.requests = 0 "));
		for (const char *const *name = (const char *const[]){ "saved", "kept", "drives", NULL };
			*name; name++)
			assert_int_equal(files_beginning(w, *name), 0);
	}
	unsetenv("SSDLAB_PROFILES");
}

/* The run ends with the requests received so far, whether it still serves them or waits for more when the
 * signal comes. */
static void end_while_nothing_comes(struct world *w, long ms)
{
	int error;
	pid_t feeder, pid = start_on_pipe(w,
			      "run --checkpoint @/saved --series 10 -o @/out -s precondition.premap=none "
			      "parameters/tiny.cfg -",
			      &feeder, &error);

	assert_true(serves(w, pid));
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
	kill(pid, SIGTERM);
	finish(w, pid, error);
	end_feeder(feeder);
	assert_status(w, 128 + SIGTERM, "run -");
	assert_true(says(w, "run.interrupted = 1 ") && value_of(w, "run.served") > 0);
	assert_int_equal(value_of(w, "run.served"), value_of(w, "run.requests"));
	assert_true(exists(w, "saved"));
	shell(w, "rm -r $d/saved* $d/out");
}

static void test_a_signal_while_nothing_comes(void **state)
{
	for (long ms = 0; ms < 40; ms += 5)
		end_while_nothing_comes(*state, ms);
	end_while_nothing_comes(*state, 500);
}

/* A signal while a file is written ends the program at once, and no unfinished file is left. */
static void test_signals_leave_nothing_half_done(void **state)
{
	static const struct {
		const char *arguments, *file;
		int signal;
	} cases[] = {
		{ "trace generate -o @/trace endless", "trace", SIGTERM },
		{ "trace generate -o @/trace endless", "trace", SIGINT },
		{ "trace generate -o @/trace endless", "trace", SIGQUIT },
		{ "run --quiet --json @/json parameters/tiny.cfg endless", "json", SIGQUIT },
	};
	struct world *w = *state;
	int error;

	put_endless(w);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = start(w, cases[i].arguments, &error);

		assert_true(begins(w, pid, cases[i].file));
		kill(pid, cases[i].signal);
		finish(w, pid, error);
		assert_status(w, cases[i].signal == SIGQUIT ? -1 : 128 + cases[i].signal, cases[i].arguments);
		assert_int_equal(files_beginning(w, cases[i].file), 0);
	}
	unsetenv("SSDLAB_PROFILES");
}

/* A program removes the unfinished file of a killed one; it refuses a file that another program is
 * writing. */
static void test_what_a_killed_run_leaves(void **state)
{
	struct world *w = *state;
	int error;
	pid_t pid;

	put_endless(w);
	pid = start(w, "run --quiet --json @/json parameters/tiny.cfg endless", &error);
	assert_true(begins(w, pid, "json.partial-"));
	assert_mistake(w, "run --json @/json parameters/tiny.cfg uniform", "another program is writing it");
	assert_int_equal(files_beginning(w, "json"), 1);
	kill(pid, SIGKILL);
	finish(w, pid, error);
	assert_int_equal(files_beginning(w, "json.partial-"), 1);
	ssd(w, "run --quiet --json @/json -s trace.limit=10 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --json");
	assert_int_equal(files_beginning(w, "json.partial-"), 0);
	assert_true(exists(w, "json"));
	unsetenv("SSDLAB_PROFILES");
}

/* Rows beside a saved run do not follow a link, which somebody else may have put there. */
static void test_rows_beside_a_saved_run_follow_no_link(void **state)
{
	struct world *w = *state;
	char *link = path_in(w, "saved.log"), *text;

	put_text(w, "victim", "precious\n");
	assert_int_equal(symlink("victim", link), 0);
	assert_mistake(w,
		"run -q --checkpoint @/saved --log @/log -s trace.limit=9 parameters/tiny.cfg uniform",
		"saved.log\": Too many levels of symbolic links");
	text = text_of(w, "victim");
	assert_string_equal(text, "precious\n");
	memory_free(text);
	memory_free(link);
}

/* Two inputs or results in the same file are refused: one would be lost. */
static void test_each_result_has_a_file_of_its_own(void **state)
{
#define ONE_FILE(options, what)                                                                              \
	{                                                                                                    \
		"run " options " parameters/tiny.cfg uniform", what " are the same file"                     \
	}
	static const struct mistake cases[] = {
		ONE_FILE("--json @/x --log @/x", "--json and --log"),
		ONE_FILE("--json @/x --save-drive @/../$(basename @)/x", "--json and --save-drive"),
		ONE_FILE("--json @/x --checkpoint @/x", "--json and --checkpoint"),
		ONE_FILE("--log @/run.log --checkpoint @/run", "--log and the rows saved beside the run"),
		ONE_FILE("--log @/run.log --resume @/run", "--log and the rows saved beside the run"),
		ONE_FILE("-o @/out --json @/out/statistics.txt", "--json and a result of -o"),
		ONE_FILE("-o @/out --series 10 --log @/out/series.csv", "--log and a result of -o"),
		ONE_FILE("--timeline 1..2 @/linked --json @/file", "--json and --timeline"),
		{ "run --json @/p.cfg @/p.cfg uniform", "the parameters and --json are the same file" },
		{ "run --log @/linked parameters/tiny.cfg @/file", "the trace and --log are the same file" },
		{ "trace stat --json @/file @/file", "the trace and --json are the same file" },
		{ "measure --json @/file @/linked", "the parameters and --json are the same file" },
		{ "measure --plugin @/file --json @/linked parameters/tiny.cfg",
			"--plugin and --json are the same file" },
	};
	struct world *w = *state;
	char *path = path_in(w, "linked");

	put_text(w, "file", "0 0 0 8 0\n");
	put_text(w, "p.cfg", "ftl = \"page\";\n");
	assert_int_equal(symlink("file", path), 0);
	assert_mistakes(w, cases, COUNT(cases));
	assert_mistake(
		w, "run -o @/out --series 10 --json @/out/series.csv parameters/tiny.cfg uniform", "--json");
	ssd(w, "run --quiet -s trace.limit=1000 --json /dev/null --log /dev/null parameters/tiny.cfg "
	       "uniform");
	assert_status(w, DONE, "--json /dev/null --log /dev/null");
	memory_free(path);
#undef ONE_FILE
}

/* A wrong name of a result is found before the workload, here an endless one, is read. */
static void test_bad_names_of_results_are_found_at_once(void **state)
{
	static const struct mistake cases[] = {
		{ "run -o @/file parameters/tiny.cfg endless", "file" },
		{ "run --json @/none/run.json parameters/tiny.cfg endless", "none/run.json" },
		{ "run --checkpoint @/none/run parameters/tiny.cfg endless", "none/run" },
	};
	struct world *w = *state;

	put_endless(w);
	put_text(w, "file", "not a folder");
	assert_mistakes(w, cases, COUNT(cases));
	ssd(w, "run --quiet -o @/new --json @/new/run.json -s trace.limit=10 parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run -o new --json new/run.json");
	unsetenv("SSDLAB_PROFILES");
}

/* ---- saved drives ---- */

#define AGED                                                                                                 \
	"-s precondition.mode=synthetic -s precondition.used=0.8 -s precondition.valid=0.5 -s "              \
	"trace.limit=800 "

/* All but the command itself. */
static const char *results(const struct world *w)
{
	const char *from = w->out ? strstr(w->out, "run.version") : NULL;

	assert_non_null(from);
	return from;
}

/* Whatever the FTL and the preconditioning: a run with a saved or kept drive prints the same lines. */
static void test_a_loaded_drive_continues_as_the_saved_one(void **state)
{
	static const char *const modes[] = { "", AGED,
		"-s precondition.mode=fill -s precondition.fill_run=3 ",
		"-s precondition.mode=trace -s precondition.trace=mixed -s precondition.used=0.6 ",
		"-s precondition.mode=aged -s precondition.used=0.5 -s precondition.premap=sectors " };
	struct world *w = *state;
	char line[400], *alone;

	for (size_t f = 0; ftls[f]; f++)
		for (size_t mode = 0; mode < COUNT(modes); mode++) {
			if (is_for_soak(f + mode, COUNT(modes)))
				continue;
			if (ftls[f]->admit && (mode == 1 || mode == 4)) /* not for zones */
				continue;
			snprintf(line, sizeof line,
				"run %s -s ftl=%s -s map.cache_bytes=16K -s gc.policy=random %s -s "
				"trace.limit=800%s parameters/tiny.cfg mixed",
				f % 2 ? "" : "--verify", ftls[f]->name, modes[mode],
				any_workload_options(ftls[f]));
			ssd(w, line);
			assert_status(w, DONE, line);
			alone = memory_string(results(w), "results");
			for (size_t i = 0; i < 4; i++) {
				char kept[500];

				snprintf(kept, sizeof kept, "%s %s", line,
					(const char *[]){ "--save-drive @/drive", "--load-drive @/drive",
						"--drives @/drives", "--drives @/drives" }[i]);
				ssd(w, kept);
				assert_status(w, DONE, kept);
				assert_string_equal(results(w), alone);
			}
			memory_free(alone);
		}
}

/* Each prepares the drive, or finds it prepared; none fails. */
static void test_a_kept_drive_is_prepared_by_several_runs_at_once(void **state)
{
	enum { RUNS = 4 };
	struct world *w = *state;
	int error[RUNS];
	pid_t pid[RUNS];

	for (int i = 0; i < RUNS; i++)
		pid[i] = start(
			w, "run --quiet --drives @/drives " AGED "parameters/tiny.cfg uniform", &error[i]);
	for (int i = 0; i < RUNS; i++) {
		finish(w, pid[i], error[i]);
		assert_status(w, DONE, "run --drives");
	}
	shell(w, "test $(ls $d/drives | wc -l) = 1");
	assert_status(w, 0, "one drive is kept");
}

/* Settings that affect time only, and those of host and buffer, may differ from those of the saved drive. */
static void test_a_kept_drive_serves_runs_that_differ_in_time(void **state)
{
	struct world *w = *state;
	char *alone;

#define FASTER                                                                                               \
	"run " AGED                                                                                          \
	"-s flash.read_ns=1000 -s flash.scheduler=fifo -s buffer=cflru -s dram.buffer_bytes=64K -s "         \
	"host.mode=closed "
	ssd(w, "run --quiet " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --save-drive");
	ssd(w, FASTER "parameters/tiny.cfg uniform");
	alone = memory_string(results(w), "results");
	ssd(w, FASTER "--load-drive @/drive parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --load-drive");
	assert_string_equal(results(w), alone);
	memory_free(alone);
	/* The program may inherit an ignored SIGCHLD; its own child processes must work nevertheless. */
	shell(w,
		"exec bash -c 'trap \"\" CHLD; exec \"$@\"' bash $ssd run --quiet --load-drive $d/drive " AGED
		"parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --load-drive, SIGCHLD ignored");
#undef FASTER
}

/* The message names the setting that differs, with both values. */
static void test_saved_drives_that_do_not_fit(void **state)
{
#define LOAD(more) "run --load-drive @/drive " AGED more " parameters/tiny.cfg uniform"
	static const struct mistake cases[] = {
		{ "run --load-drive @/none parameters/tiny.cfg uniform", "none: cannot be read" },
		{ "run --load-drive @ parameters/tiny.cfg uniform", "" },
		{ "run --load-drive parameters/tiny.cfg parameters/tiny.cfg uniform", "not a saved drive" },
		{ "run --load-drive /dev/null parameters/tiny.cfg uniform", "/dev/null: should be a file" },
		{ LOAD("-s flash.blocks=32"), "its flash.blocks is 16, here it is 32" },
		{ LOAD("-s flash.over_provisioning=0.3"), "flash.over_provisioning is 0.25, here it is 0.3" },
		{ LOAD("-s ftl=skeleton"), "its ftl is \"page\", here it is \"skeleton\"" },
		{ LOAD("-s gc.policy=fifo"), "its gc.policy is \"greedy\", here it is \"fifo\"" },
		{ LOAD("-s map.pin_pmt=true"), "its map.pin_pmt is false, here it is true" },
		{ LOAD("-s precondition.used=0.7"), "its precondition.used is 0.8, here it is 0.7" },
		{ LOAD("-s seed=2"), "its seed is 1, here it is 2" },
		{ LOAD("--verify"), "its verification is off, here it is on" },
		{ LOAD("-s trace.limit=900"), "prepared for another workload" },
		{ "run --load-drive @/drive " AGED "parameters/tiny.cfg mixed",
			"prepared for another workload" },
	};
#undef LOAD
	struct world *w = *state;

	ssd(w, "run --quiet " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	assert_status(w, DONE, "run --save-drive");
	assert_mistakes(w, cases, COUNT(cases));
	shell(w, "sed -i 's/^layout = ./layout = x/' $d/drive");
	ssd(w, "run --load-drive @/drive " AGED "parameters/tiny.cfg uniform");
	assert_status(w, USER, "a drive of another layout");
	assert_non_null(strstr(w->err, "saved by another version of ssd"));
}

/* However little memory there is: the log is complete, or there is none and a line says why. */
static void test_a_packed_log_without_memory(void **state)
{
	struct world *w = *state;

	if (SANITIZED)
		return;
	shell(w, "set -- run --quiet -s trace.limit=300 parameters/tiny.cfg mixed --log; $ssd $* "
		 "$d/right.zst; for kb in $(seq 30000 600 90000); do (ulimit -v $kb; exec $ssd $* "
		 "$d/log.zst) 2>$d/err; s=$?; [ $s = 0 ] && { cmp $d/log.zst $d/right.zst || exit 1; }; [ $s "
		 "= 2 ] && { [ ! -e $d/log.zst ] && [ $(grep -c ^ssd: $d/err) = 1 ] || exit 1; }; rm -f "
		 "$d/log.zst; done; exit 0");
	if (w->status)
		fail_msg("status %d, \"%s\", \"%s\"", w->status, w->out ? w->out : "", w->err);
}

/* ---- a run that is killed and resumed ---- */

#define LASTING                                                                                              \
	"run --quiet -o out --json out/json --log out/log.zst --series 1000 -s ftl=dftl -s buffer=lru -s "   \
	"trace.limit=40000 -s dram.buffer_bytes=64K -s precondition.mode=fill "
#define TINY "\"$top/parameters/tiny.cfg\" mixed"

/*
 * A run is killed at its first checkpoint, then resumed and killed again until it completes; before each
 * resume garbage is appended to its rows.  The results equal those of an undisturbed run, and no other file
 * is left.
 */
static void test_a_killed_run_is_resumed(void **state)
{
	struct world *w = *state;

	shell(w, "top=$PWD; mkdir $d/a $d/b; cd $d/a; $ssd " LASTING TINY "; "
		 "cd $d/b; $ssd " LASTING "--checkpoint c --every=3000 " TINY " & "
		 "while kill -0 $! && ! [ -e $d/b/c ]; do :; done 2>/dev/null; kill -9 $!; wait; "
		 "cd $d/b; n=0; "
		 "while [ -e c ]; do n=$((n + 1)); "
		 "for rows in c.log c.series; do head -c 9M /dev/zero >>$rows; done; "
		 "timeout -s KILL $((n / 4)).$((n % 4 * 25)) "
		 "$ssd " LASTING "--resume c --every 3000 " TINY "; done; diff -r $d/a $d/b && echo same");
	if (w->status || !says(w, "same"))
		fail_msg("status %d, \"%s\", \"%s\"", w->status, w->out ? w->out : "", w->err);
}

/* Waits until the file $rows beside a saved run has rows of served requests.  $! is the run. */
#define UNTIL_LONG                                                                                           \
	"while kill -0 $! 2>/dev/null && [ \"$(cat $rows 2>/dev/null | wc -c)\" -lt 8192 ]; do :; done; "

/* A signal saves the run at once, before a checkpoint is due. */
static void test_an_interrupted_run_is_resumed(void **state)
{
	struct world *w = *state;

	shell(w, "top=$PWD; mkdir $d/a $d/b; cd $d/a; $ssd " LASTING TINY "; cd $d/b; $ssd " LASTING
		 "--checkpoint c " TINY " & pid=$!; rows=$d/b/c.log; " UNTIL_LONG
		 "kill -TERM $pid; wait $pid; s=$?; cd $d/b; "
		 "[ $s = 0 ] || { [ $s = 143 ] && cmp -s $d/a/out/json out/json; [ $? = 1 ] && $ssd " LASTING
		 "--resume c " TINY "; }; diff -r $d/a $d/b && echo same");
	if (w->status || !says(w, "same"))
		fail_msg("status %d, \"%s\", \"%s\"", w->status, w->out ? w->out : "", w->err);
}

/* The unfinished file of a program killed while it saved the run is removed with the saved run, when the
 * resumed run ends. */
static void test_a_run_killed_while_it_is_saved(void **state)
{
	struct world *w = *state;

	shell(w,
		"set -- run --quiet -o $d/out --series 10 -s trace.limit=200000 parameters/tiny.cfg uniform; "
		"$ssd $* --checkpoint $d/run & rows=$d/run.series; " UNTIL_LONG
		"kill $!; wait $! && exit; : >$d/run.partial-1; exec $ssd $* --resume $d/run");
	assert_status(w, DONE, "run --resume");
	assert_int_equal(files_beginning(w, "run"), 0);
}

static void test_saved_runs_that_do_not_fit(void **state)
{
#define RESUME(more) "run --resume @/run -s trace.limit=40000 " more " parameters/tiny.cfg uniform"
	static const struct mistake cases[] = {
		{ "run --every 10min parameters/tiny.cfg uniform", "needs --checkpoint FILE" },
		{ "run --checkpoint @/c --every 10m parameters/tiny.cfg uniform", "5000, 30s, 10min, 2h" },
		{ "run --checkpoint @/c --every 0 parameters/tiny.cfg uniform", "5000, 30s, 10min, 2h" },
		{ "run --checkpoint @/c --resume @/run parameters/tiny.cfg uniform", "saved where it was" },
		{ "run --checkpoint @/c --verify parameters/tiny.cfg uniform",
			"--verify: a run that is saved" },
		{ "run --checkpoint @/c --explain 1 parameters/tiny.cfg uniform",
			"--explain: a run that is saved" },
		{ "run --resume @/none parameters/tiny.cfg uniform", "none: cannot be read" },
		{ "run --resume README.md parameters/tiny.cfg uniform", "not a saved run" },
		{ RESUME("-s flash.read_ns=1000"), "another run was saved: its flash.read_ns is" },
		{ RESUME("--warmup 100"), "its --warmup is none, here it is 100" },
		{ RESUME("--log @/log"), "run.log" },
		{ "run --resume @/run -s trace.limit=40000 parameters/tiny.cfg mixed",
			"not the workload of the run" },
		{ "run --resume @/cut -s trace.limit=40000 parameters/tiny.cfg uniform",
			"damaged: its content" },
		{ "run --resume @/flipped -s trace.limit=40000 parameters/tiny.cfg uniform",
			"damaged: its content" },
	};
#undef RESUME
	struct world *w = *state;

	/* A run may end before its file has been seen, and leaves none: repeats until one is killed in
	 * time. */
	shell(w, "until [ -e $d/run ]; do "
		 "$ssd run --quiet -s trace.limit=40000 --checkpoint $d/run parameters/tiny.cfg uniform & "
		 "while kill -0 $! && ! [ -e $d/run ]; do :; done; kill -9 $!; wait; done 2>/dev/null; "
		 "size=$(wc -c <$d/run); head -c $((size - 9)) $d/run >$d/cut; "
		 "{ head -c $((size - 99)) $d/run; printf x; tail -c 98 $d/run; } >$d/flipped");
	assert_mistakes(w, cases, COUNT(cases));
}

static unsigned char *bytes_of(const struct world *w, const char *name, size_t *size)
{
	char *path = path_in(w, name);
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = memory_array(1 << 20, 1, "saved drive");

	assert_non_null(file);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	memory_free(path);
	return bytes;
}

/* The first, a middle and the last byte are flipped; then the file is cut and made longer.
 * tests/test_state_file.c tries every byte. */
static void test_a_damaged_drive_is_refused(void **state)
{
	static const char load[] = "run --quiet " AGED "--load-drive @/damaged parameters/tiny.cfg uniform";
	struct world *w = *state;
	unsigned char *bytes;
	size_t size;

	ssd(w, "run --quiet " AGED "--save-drive @/drive parameters/tiny.cfg uniform");
	bytes = bytes_of(w, "drive", &size);
	for (size_t i = 0; i < 3; i++) {
		size_t at = i * (size - 1) / 2;

		bytes[at] ^= 0x80;
		put_bytes(w, "damaged", bytes, size);
		assert_mistake(w, load, i ? "damaged: its content" : "not a saved drive");
		bytes[at] ^= 0x80;
	}
	put_bytes(w, "damaged", bytes, size - 1);
	assert_mistake(w, load, "damaged: its content");
	put_bytes(w, "damaged", bytes, size + 1);
	assert_mistake(w, load, "damaged: its content");
	put_bytes(w, "damaged", bytes, size);
	ssd(w, load);
	assert_status(w, DONE, load);
	memory_free(bytes);
}

/* ---- a program that was copied ---- */

/* A copy of the program contains the same profiles. */
static void test_a_copied_program_has_its_profiles(void **state)
{
	struct world *w = *state;
	char *here, *there;

	ssd(w, "list profiles");
	here = memory_string(w->out, "profiles");
	shell(w, "cp \"$ssd\" $d/copy && cd $d && exec ./copy list profiles");
	assert_status(w, DONE, "list profiles");
	assert_string_equal(w->out, here);
	ssd(w, "trace generate -s requests=50 lun1");
	there = memory_string(w->out, "trace");
	shell(w, "cd $d && exec ./copy trace generate -s requests=50 lun1");
	assert_status(w, DONE, "trace generate");
	assert_string_equal(w->out, there);
	shell(w, "cd $d && exec ./copy trace generate lun");
	assert_status(w, USER, "trace generate lun");
	assert_non_null(strstr(w->err, "did you mean \"lun"));
	memory_free(here);
	memory_free(there);
}

/* ---- the same twice, and README ---- */

static void test_the_same_command_prints_the_same(void **state)
{
	struct world *w = *state;
	char *first, line[300];

	for (size_t f = 0; ftls[f]; f++) {
		snprintf(line, sizeof line,
			"run -s ftl=%s -s buffer=lru -s dram.buffer_bytes=8K -s gc.policy=random -s "
			"trace.limit=5000%s parameters/tiny.cfg mixed",
			ftls[f]->name, any_workload_options(ftls[f]));
		ssd(w, line);
		assert_status(w, DONE, line);
		first = memory_string(w->out, "output");
		ssd(w, line);
		assert_string_equal(w->out, first);
		memory_free(first);
	}
}

/* All but the line with the command itself. */
static char *without_command(char *text)
{
	char *line = strstr(text, "run.command = "), *next;

	assert_non_null(line);
	next = strchr(line, '\n');
	memmove(line, next, strlen(next) + 1);
	return text;
}

/* The order of settings, where results go, and whether they are checked, change nothing. */
static void test_what_must_not_matter_does_not(void **state)
{
	static const char *const same[] = {
		"run -s ftl=across -s trace.limit=3000 -s gc.policy=d_choices parameters/tiny.cfg mixed",
		"run -s gc.policy=d_choices -s ftl=across -s trace.limit=3000 parameters/tiny.cfg mixed",
		"run parameters/tiny.cfg mixed -s trace.limit=3000 -s gc.policy=d_choices -s ftl=across",
		"run -s trace.limit=7 -s ftl=page -s ftl=across -s gc.policy=d_choices -s trace.limit=3000 "
		"parameters/tiny.cfg mixed",
		"run -o @/results --json @/run.json --save-drive @/drive -s ftl=across -s trace.limit=3000 "
		"-s gc.policy=d_choices parameters/tiny.cfg mixed",
	};
	struct world *w = *state;
	char *first = NULL;

	for (size_t i = 0; i < COUNT(same); i++) {
		ssd(w, same[i]);
		assert_status(w, DONE, same[i]);
		if (!first)
			first = memory_string(without_command(w->out), "output");
		else
			assert_string_equal(without_command(w->out), first);
	}
	ssd(w, "run --verify -s ftl=across -s trace.limit=3000 -s gc.policy=d_choices parameters/tiny.cfg "
	       "mixed");
	assert_string_equal(strstr(w->out, "\nrequest."), strstr(first, "\nrequest."));
	memory_free(first);
}

/* Scripts are those of the tree in which the program was built, not what lies in the current folder: a
 * folder of somebody else's, here with a grader and a fitter. */
static void test_scripts_of_the_current_folder(void **state)
{
	static const struct mistake cases[] = {
		{ "cd $d && $ssd grade 2", "grade: works at the top of the source tree, " },
		{ "cd $d && $ssd probe --fit none", "probe: none: not a result of fio" },
		{ "cp $ssd $d/scripts && cd $d && scripts/ssd grade 2",
			"grade: No such file or directory; it belongs to the source tree: call it" },
		{ "cd $d && scripts/ssd probe --fit none",
			"fit: No such file or directory; it belongs to the source tree: call it" },
	};
	struct world *w = *state;

	shell(w, "mkdir -p $d/scripts/course $d/scripts/probe; printf '#!/bin/sh\ntouch $d/was-run\n' "
		 ">$d/scripts/probe/fit; cp $d/scripts/probe/fit $d/scripts/course/grade; "
		 "chmod +x $d/scripts/*/*");
	for (size_t i = 0; i < COUNT(cases); i++) {
		shell(w, cases[i].arguments);
		assert_status(w, USER, cases[i].arguments);
		if (!strstr(w->err, cases[i].says) || exists(w, "was-run"))
			fail_msg("%s: %s", cases[i].arguments, w->err);
	}
	ssd(w, "grade");
	assert_status(w, DONE, "grade");
	assert_true(says(w, "9.2"));
}

/* By hand: 2 pages written at 0, one of them read at 100 ms, one that was never written at 200 ms. */
static void test_a_run_ends_with_a_summary(void **state)
{
	static const char expected[] =
		"w0+2,r0,r40 on tiny: ftl = page, buffer = none, seed = 1\n"
		"drive       524 kB of flash, 25.0 % of it over-provisioning; 2 dies\n"
		"requests    3 served and verified in 200 ms: 15 IOPS, 0.0205 MB/s read, 0.0205 MB/s "
		"written\n"
		"latency     mean        median      99 %        99.9 %      longest     of requests\n"
		"  read      15.1 us     15.1 us     15.1 us     15.1 us     15.1 us     2\n"
		"  write     105 us      105 us      105 us      105 us      105 us      1\n"
		"waf         1.00: the host wrote 4.10 kB, flash programmed 4.10 kB\n"
		"flash       2 pages read, 2 programmed, 0 blocks erased; dies 0.1 % busy, buses 0.0 %\n"
		"wear        a block was erased 0 to 0 times, 0.0 on average\n"
		"all statistics: --all; some: --show 'waf gc.*'; as files: -o DIR, --json FILE\n";
	struct world *w = *state;

	shell(w, "$ssd run --verify -L w0+2,r0,r40 tiny");
	assert_status(w, DONE, "a summary");
	assert_string_equal(w->out, expected);
	shell(w, "$ssd run --show 'waf request.r*.count,run.served' -L w0+2,r0,r40 tiny");
	assert_string_equal(w->out,
		"run.served = 3                                          # requests: completed; equal to "
		"run.requests unless the drive failed\n"
		"request.read.count = 2                                  # requests: completed\n"
		"waf = 1                                                 # write amplification: bytes of "
		"pages programmed / bytes written by the host\n");
	shell(w, "$ssd run --show 'waf gc.nothing' -L w0 tiny");
	assert_status(w, USER, "an unknown statistic");
	assert_string_equal(w->err, "ssd: run: --show gc.nothing: this run has no such statistic; `ssd list "
				    "statistics` shows all\n");
}

/* The summary on standard output says it; with all statistics, stderr does. */
static void test_a_run_says_what_makes_it_doubtful(void **state)
{
	static const struct mistake cases[] = {
		{ "-s trace.limit=20000 -s host.mode=open tiny uniform",
			"requests arrive faster than the drive serves them: " },
		{ "-s trace.limit=1000 tiny lun1", "lie beyond the end of the drive" },
		{ "-s precondition.premap=none -L r0,r1,w2,r2 tiny",
			"2 of 3 pages read (66.7 %) held no data" },
		{ "-s ftl=sftl -s flash.page_bytes=4K -s flash.blocks=256 class uniform",
			"hardly a mapping page of sftl shrinks" },
	};
	struct world *w = *state;
	char line[200];

	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(line, sizeof line, "$ssd run %s | tr '\\n' ' ' | sed 's/  */ /g'",
			cases[i].arguments);
		shell(w, line);
		if (!says(w, cases[i].says))
			fail_msg("ssd run %s does not say \"%s\"", cases[i].arguments, cases[i].says);
		snprintf(line, sizeof line, "run %s", cases[i].arguments);
		ssd(w, line);
		assert_non_null(strstr(w->err, cases[i].says));
	}
	shell(w, "$ssd run class zipf && $ssd run -s ftl=sftl class sequential");
	assert_false(says(w, "!"));
}

/*
 * A trace of ten writes, 1 ms apart, with a limit and in a closed loop: only the first are served, and their
 * times have no effect.  A list without times, and a profile, say nothing.
 */
static void test_a_run_says_what_it_leaves_of_a_trace(void **state)
{
	struct world *w = *state;

	shell(w, "for i in 0 1 2 3 4 5 6 7 8 9; do echo ${i}000000 0 ${i}00 8 0; done >$d/ten.trace; "
		 "$ssd run -s trace.limit=4 class $d/ten.trace | grep '^!'");
	assert_true(says(w, "! the first 4 of 10 requests of the trace (trace.limit = 4); -s trace.limit=0"));
	assert_true(says(w, "! the arrival times of the trace are not used: host.mode = closed keeps 4 "));
	shell(w, "$ssd run -s trace.limit=0 -s host.mode=open class $d/ten.trace && "
		 "$ssd run -s trace.limit=10 -s host.mode=open class $d/ten.trace && "
		 "$ssd run -s trace.limit=4 class lun1 && $ssd run class -L w0,w1,w2");
	assert_status(w, DONE, "runs of whole traces");
	assert_false(says(w, "!"));
}

/* With little spare space, FTLs with many streams have only their reserve free. */
static void test_a_run_says_that_its_reserve_is_the_limit(void **state)
{
#define CHAINED                                                                                              \
	"-s flash.blocks=256 -s trace.limit=40000 -s workload.requests=40000 -s workload.write_share=1 "
	struct world *w = *state;

	shell(w, "$ssd run " CHAINED
		 "-s ftl=sepbit -s gc.threshold=0.02 class zipf | tr '\\n' ' ' | sed 's/  */ /g'");
	assert_true(says(
		w, " blocks were collected in a row, because only the reserve was free (in each plane 4 "));
	assert_true(says(w, "raise gc.threshold to at least 0.043,"));
	shell(w, "$ssd run --show 'gc.coll* gc.in_a_row*' " CHAINED
		 "-s ftl=sepbit -s gc.threshold=0.02 class zipf");
	assert_true(value_of(w, "gc.in_a_row") > 400);
	assert_int_equal(value_of(w, "gc.in_a_row_most"), 7);
	/* What it advises is enough; page mapping has two streams and needs less. */
	shell(w, "$ssd run --all " CHAINED "-s ftl=sepbit -s gc.threshold=0.043 class zipf && "
		 "$ssd run --all " CHAINED "-s ftl=page -s gc.threshold=0.02 class zipf");
	assert_status(w, DONE, "runs with more free blocks");
	assert_false(says(w, "in_a_row"));
}

/*
 * Of whichever kind, a warning is below the summary, and in JSON also with --quiet; what was told when it
 * happened is not told again.  Without a warning JSON has no list of them.
 */
static void test_warnings_are_in_summary_and_json(void **state)
{
	static const struct mistake cases[] = {
		{ "-s trace.limit=1000 tiny lun1", "988 of 1000 requests (98.8 %) lie beyond the end" },
		{ "--warmup 5 -L w0 tiny", "the run ended during the warm-up: statistics cover" },
		{ "tiny $d/two.trace", "has several devices, whose" },
		{ "-s flash.endurance=3 tiny uniform", "worn out after " },
	};
	struct world *w = *state;
	char line[400];

	put_text(w, "two.trace", "1 0 8 8 0\n2 1 16 8 0\n");
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(line, sizeof line,
			"$ssd run %s 2>/dev/null | tr '\\n' ' ' | sed 's/  */ /g'; "
			"$ssd run -q --json $d/json %s 2>/dev/null; "
			"sed -n '/^  \"warnings\": \\[$/,$p' $d/json >$d/listed; "
			"$ssd run --all %s 2>$d/told >/dev/null",
			cases[i].arguments, cases[i].arguments, cases[i].arguments);
		shell(w, line);
		assert_non_null(strstr(w->out, "! "));
		assert_non_null(strstr(strstr(w->out, "! "), cases[i].says));
		snprintf(line, sizeof line, "cd $d; grep -c '%s' listed told", cases[i].says);
		shell(w, line);
		assert_string_equal(w->out, "listed:1\ntold:1\n");
	}
	shell(w, "$ssd run --quiet --json $d/json class zipf && tail -n 2 $d/json");
	assert_string_equal(w->out, "  }\n}\n");
}

/* A drive is found by name from anywhere; next to a folder `parameters`, by its file there. */
static void test_drives_have_names(void **state)
{
	struct world *w = *state;

	shell(w, "cd $d && $ssd run --check class zipf | grep -q 'flash.blocks = 64$' && mkdir parameters && "
		 "echo 'flash: { blocks = 99; };' >parameters/class.cfg && "
		 "$ssd run --check class uniform | grep 'flash.blocks = 99$'");
	assert_status(w, DONE, "a drive by its name");
	shell(w, "cd $d && $ssd run --check clas zipf");
	assert_status(w, USER, "an unknown drive");
	assert_string_equal(w->err, "ssd: there is no parameter file \"clas\" and no drive of that name; did "
				    "you mean class? `ssd list drives` shows all\n");
}

#define OF_DEVICES                                                                                           \
	"-s flash.over_provisioning=0.5 -s fdp.handles=2 -s fdp.by=device -L w0@0,=w1@1,=w2@3 "              \
	"parameters/tiny.cfg"

/* The device of a request selects a handle, of two here, and a tenant: one that is no handle gets the first,
 * one that is no tenant is a mistake. */
static void test_a_device_is_handle_and_tenant(void **state)
{
	struct world *w = *state;

	shell(w, "$ssd run --all " OF_DEVICES);
	assert_int_equal(value_of(w, "fdp.invalid"), 1);
	assert_int_equal(value_of(w, "fdp.0.host_pages"), 2);
	shell(w, "$ssd run --all -s host.tenants=4 " OF_DEVICES);
	assert_int_equal(value_of(w, "fdp.0.host_pages"), 2);
	assert_int_equal(value_of(w, "tenant.3.write.count"), 1);
	shell(w, "$ssd run --all -s host.tenants=2 " OF_DEVICES);
	assert_int_equal(w->status, USER);
	assert_non_null(strstr(w->err, "device 3, host.tenants = 2"));
}

#define TWO_TENANTS                                                                                          \
	"-s trace.limit=100 -s host.arbitration=round_robin -s host.modes=open,closed parameters/tiny.cfg "  \
	"uniform mixed"

/* A tenant has its rows and columns where there are several, and nowhere else. */
static void test_tenants_in_every_output(void **state)
{
	struct world *w = *state;

	ssd(w, "run -o @/out --series 50 --log @/log --json @/json " TWO_TENANTS);
	assert_status(w, DONE, "run");
	assert_true(says(w, "# host.tenants = 2\n"));
	assert_int_equal(value_of(w, "tenant.0.all.count"), 100);
	assert_int_equal(value_of(w, "tenant.1.all.count"), 100);
	assert_true(says(w, "run.workload = uniform mixed "));
	shell(w, "head -1 $d/log; cut -d, -f27 $d/log | sort | uniq -c; head -1 $d/out/series.csv; "
		 "cat $d/json");
	assert_true(says(w, ",gc_erases,tenant\n"));
	assert_true(says(w, "100 0\n") && says(w, "100 1\n"));
	assert_true(says(w, ",tenant.1.write.count,"));
	assert_true(says(w, "\"tenant.1.read.count\": "));
	shell(w, "$ssd run --explain 7 " TWO_TENANTS "; $ssd watch --plain --at 2 " TWO_TENANTS);
	assert_true(says(w, "\n# tenant 1\n") || says(w, "\n# tenant 0\n"));
	assert_true(says(w, "2. tenant "));
	shell(w, "$ssd run --timeline 1..200 $d/t --json $d/s -q " TWO_TENANTS "; cat $d/t");
	assert_true(says(w, "\"tenant\":1}"));
	shell(w, "$ssd run " TWO_TENANTS);
	assert_true(says(w, "\n  tenant 1  ") && says(w, " IOPS\n"));
	ssd(w, "run -o @/out --series 50 --log @/log --json @/json -s trace.limit=100 parameters/tiny.cfg "
	       "mixed");
	shell(w, "cat $d/log $d/out/* $d/json");
	assert_false(says(w, "tenant"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_device_is_handle_and_tenant),
		TEST(test_tenants_in_every_output),
		TEST(test_commands_that_only_print),
		TEST(test_a_run),
		TEST(test_quiet),
		TEST(test_checking_runs_nothing),
		TEST(test_checking_tells_refusals_from_mistakes),
		TEST(test_settings_without_effect_have_none),
		TEST(test_settings_with_effect),
		TEST(test_a_seed_is_of_the_workload_too),
		TEST(test_every_plug_in_runs),
		TEST(test_mistakes_on_the_command_line),
		TEST(test_bad_parameter_files),
		TEST(test_bad_traces),
		TEST(test_traces_that_are_not_text),
		TEST(test_parameters_from_a_pipe),
		TEST(test_control_characters_are_shown),
		TEST(test_a_trace_that_fails_to_be_read),
		TEST(test_an_unreadable_trace),
		TEST(test_time_going_back),
		TEST(test_results_that_cannot_be_written),
		TEST(test_a_folder_that_cannot_be_written),
		TEST(test_a_standard_output_that_takes_nothing),
		TEST(test_results_beside_a_pipe_that_ends),
		TEST(test_spellings_of_options),
		TEST(test_one_listing),
		TEST(test_every_number_is_listed),
		TEST(test_files_beside_a_closed_standard_output),
		TEST(test_a_full_standard_output_of_a_failed_drive),
		TEST(test_a_disk_that_fills_up),
		TEST(test_other_files_on_a_disk_that_fills_up),
		TEST(test_earlier_results_survive_a_full_disk),
		TEST(test_a_drive_larger_than_memory),
		TEST(test_a_worn_out_drive),
		TEST(test_a_failed_drive_says_why),
		TEST(test_interrupt),
		TEST(test_signals_before_the_first_request),
		TEST(test_rows_beside_a_saved_run_follow_no_link),
		TEST(test_each_result_has_a_file_of_its_own),
		TEST(test_a_signal_while_nothing_comes),
		TEST(test_signals_leave_nothing_half_done),
		TEST(test_what_a_killed_run_leaves),
		TEST(test_bad_names_of_results_are_found_at_once),
		TEST(test_a_loaded_drive_continues_as_the_saved_one),
		TEST(test_a_kept_drive_is_prepared_by_several_runs_at_once),
		TEST(test_a_kept_drive_serves_runs_that_differ_in_time),
		TEST(test_saved_drives_that_do_not_fit),
		TEST(test_a_packed_log_without_memory),
		TEST(test_a_killed_run_is_resumed),
		TEST(test_an_interrupted_run_is_resumed),
		TEST(test_a_run_killed_while_it_is_saved),
		TEST(test_saved_runs_that_do_not_fit),
		TEST(test_a_damaged_drive_is_refused),
		TEST(test_a_copied_program_has_its_profiles),
		TEST(test_the_same_command_prints_the_same),
		TEST(test_what_must_not_matter_does_not),
		TEST(test_scripts_of_the_current_folder),
		TEST(test_a_run_ends_with_a_summary),
		TEST(test_a_run_says_what_makes_it_doubtful),
		TEST(test_a_run_says_what_it_leaves_of_a_trace),
		TEST(test_a_run_says_that_its_reserve_is_the_limit),
		TEST(test_warnings_are_in_summary_and_json),
		TEST(test_drives_have_names),
	};

	return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
