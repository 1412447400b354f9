/*
 * Numbers of runs that must be equal or in a known relation: two FTLs of one algorithm, an FTL and its ideal,
 * a count and its parts, a run as text and as JSON.
 */
#include "tests/program_fixture.h"

#include "base/random.h"

/* ---- a report, row by row ---- */

struct row {
	const char *line, *value; /* in the text of the report */
	size_t line_length, name_length, value_length;
};

/* The next line "NAME = VALUE   # unit: meaning"; false at the end of the report. */
static bool next_row(const char **at, struct row *row)
{
	for (; **at; *at += (*at)[0] == '\n') {
		const char *line = *at, *equals, *meaning;

		*at += strcspn(line, "\n");
		equals = strstr(line, " = ");
		if (*line == '#' || !equals || equals > *at)
			continue;
		*row = (struct row){ line, equals + 3, (size_t)(*at - line), (size_t)(equals - line), 0 };
		meaning = strstr(row->value, " # ");
		row->value_length = (size_t)((meaning && meaning < *at ? meaning : *at) - row->value);
		while (row->value_length && row->value[row->value_length - 1] == ' ')
			row->value_length--;
		return true;
	}
	return false;
}

static bool begins(const struct row *row, const char *prefix)
{
	return !strncmp(row->line, prefix, strlen(prefix));
}

static double real_of(const struct world *w, const char *name)
{
	const char *at = w->out;
	struct row row;

	while (next_row(&at, &row))
		if (row.name_length == strlen(name) && begins(&row, name))
			return strtod(row.value, NULL);
	fail_msg("nothing is said about %s", name);
	return 0;
}

static void run(struct world *w, const char *format, ...)
{
	char arguments[900];
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(arguments, sizeof arguments, format, args) < (int)sizeof arguments);
	va_end(args);
	ssd(w, arguments);
	assert_status(w, DONE, arguments);
}

static char *report_of(struct world *w, const char *ftl, const char *rest)
{
	char *text;

	run(w, "run -s ftl=%s %s", ftl, rest);
	text = w->out;
	w->out = NULL;
	return text;
}

/* The next row, leaving out those that differ by intention. */
static bool next_common(const char **at, struct row *row, const char *own)
{
	while (next_row(at, row))
		if (!begins(row, "run.command") && !begins(row, "run.ftl") && !begins(row, "run.verified") &&
			!begins(row, own))
			return true;
	return false;
}

/* Returns the number of rows; rows that begin with `own` are left out of the second. */
static unsigned assert_same_report(const char *a, const char *b, const char *own, const char *what)
{
	struct row x, y;
	unsigned rows = 0;

	for (;; rows++) {
		bool more_x = next_common(&a, &x, "run.command"), more_y = next_common(&b, &y, own);

		assert_int_equal(more_x, more_y);
		if (!more_x)
			return rows;
		if (x.line_length != y.line_length || strncmp(x.line, y.line, x.line_length))
			fail_msg("%s:\n%.*s\n%.*s", what, (int)x.line_length, x.line, (int)y.line_length,
				y.line);
	}
}

/* ---- workloads that no profile makes ---- */

/* Reads, writes and trims at random places; `whole`: of one or two whole pages of 2 KB. */
static void put_workload(struct world *w, bool whole)
{
	enum { REQUESTS = 3000, UNIT = 512, SPACE = 384 << 10 };
	char *text = memory_array(REQUESTS, 64, "workload"), *end = text;
	struct random random;

	random_init(&random, 1, 2);
	end += sprintf(end, "fio version 3 iolog\n0 f add\n0 f open\n");
	for (unsigned i = 0; i < REQUESTS; i++) {
		uint64_t kind = random_below(&random, 10), unit = whole ? 2048 : UNIT;
		uint64_t length = unit * (1 + random_below(&random, whole ? 2 : 16));
		uint64_t start = random_below(&random, (SPACE - length) / unit) * unit;
		const char *action = kind < 6 ? "write" : kind < 8 ? "read" : "trim";

		end += sprintf(end, "%u f %s %llu %llu\n", 200 * i, action, (unsigned long long)start,
			(unsigned long long)length);
	}
	put_text(w, whole ? "whole" : "any", text);
	memory_free(text);
}

/* ---- one algorithm, two FTLs ---- */

static void test_skeleton_is_page_in_every_number(void **state)
{
	static const char *const runs[] = {
		"-s host.mode=closed -s trace.limit=3000 parameters/tiny.cfg mixed",
		"-s host.mode=closed -s host.queue_depth=1 -s flash.page_bytes=4K -s trace.limit=3000 "
		"parameters/tiny.cfg zipf",
		"parameters/tiny.cfg @/any",
		"-s host.mode=closed -s buffer=lru -s dram.buffer_bytes=32K parameters/tiny.cfg @/any",
		"-s host.mode=closed -s flash.page_bytes=8K -s flash.planes=4 -s flash.multiplane=any "
		"-s trace.limit=3000 parameters/tiny.cfg mixed",
		"-s flash.page_bytes=16K -s wear.delta=2 -s wear.period=1 -s trace.limit=3000 "
		"parameters/tiny.cfg lun3",
		"-s flash.page_bytes=32K -s flash.suspend=program_and_erase -s host.time_scale=0.1 "
		"-s trace.limit=3000 parameters/tiny.cfg lun1",
		"-s host.mode=closed -s precondition.mode=synthetic -s precondition.used=0.9 "
		"-s precondition.valid=0.5 -s flash.scheduler=fifo -s flash.copyback=false -s "
		"trace.limit=3000 "
		"parameters/tiny.cfg lun2",
		"-s gc.policy=random -s gc.separate=false -s gc.threshold=0.3 -s wear.dynamic=false "
		"-s flash.blocks=12 -s flash.over_provisioning=0.5 parameters/tiny.cfg @/any",
		"-s precondition.mode=fill -s flash.pages=8 -s placement.policy=static -s "
		"flash.forward_bytes=0 "
		"-s dram.access_ns=1000 -s host.mode=closed -s trace.limit=3000 parameters/tiny.cfg lun6",
	};

	put_workload(*state, false);
	for (size_t i = 0; i < COUNT(runs); i++) {
		char *page = report_of(*state, "page", runs[i]);
		char *skeleton = report_of(*state, "skeleton", runs[i]);

		assert_true(assert_same_report(page, skeleton, "skeleton.", runs[i]) > 150);
		assert_null(strstr(page, "\nflash.erase.total = 0 "));
		memory_free(page);
		memory_free(skeleton);
	}
}

/* ---- watching changes nothing ---- */

/* With the judge every end of a transfer is an event, without it only one that something waits for; and a
 * drive without features of the hardware is simulated by functions of its own. */
static void test_a_judge_changes_no_number(void **state)
{
	static const char *const loads[] = {
		"-s host.mode=closed -s host.queue_depth=8 parameters/tiny.cfg mixed",
		"-s flash.command_ns=300 -s host.time_scale=0.1 parameters/tiny.cfg @/any",
		"-s flash.dies=2 -s flash.command_ns=1 -s host.mode=closed parameters/tiny.cfg uniform",
	};
	static const char *const engines[] = {
		"",
		"-s flash.bus_order=fifo -s flash.copyback=false",
		"-s flash.bus_order=data_first -s flash.multiplane=any",
		"-s flash.suspend=program_and_erase -s flash.suspend_ns=0 -s flash.resume_ns=500",
		"-s flash.suspend=erase -s flash.read_first_limit=3 -s flash.interleave=false",
		"-s flash.cache_register=both",
		"-s flash.program_unit=wordline -s flash.cell_bits=2 -s flash.copyback=false",
		"-s host.write_done=memory",
		"-s slc.mode=static -s slc.density=2 -s slc.share=0.1 -s flash.blocks=32",
		"-s retry.reads_per_step=20",
		("-s parity.on=true -s parity.fail_at=2000 -s flash.blocks=32 -s flash.over_provisioning=0.6 "
		 "-s placement.policy=superblock -s placement.superblock=unit"),
	};

	put_workload(*state, false);
	for (size_t i = 0; i < COUNT(loads) * COUNT(engines); i++) {
		char rest[400], verified[420], *plain, *judged;

		snprintf(rest, sizeof rest, "--warmup %d -s trace.limit=3000 -s flash.chips=2 %s %s",
			i % 2 ? 700 : 1, engines[i % COUNT(engines)], loads[i / COUNT(engines)]);
		snprintf(verified, sizeof verified, "--verify %s", rest);
		plain = report_of(*state, "page", rest);
		judged = report_of(*state, "page", verified);
		assert_true(assert_same_report(plain, judged, "run.command", rest) > 150);
		memory_free(plain);
		memory_free(judged);
	}
}

/* ---- an FTL and its ideal ---- */

static void test_direct_is_page_where_nothing_is_partial_or_collected(void **state)
{
	const char *const rest = "-s flash.blocks=256 -s flash.pages=32 parameters/tiny.cfg @/whole";
	char *page, *direct;

	put_workload(*state, true);
	page = report_of(*state, "page", rest);
	direct = report_of(*state, "direct", rest);
	assert_true(assert_same_report(page, direct, "run.command", rest) > 150);
	assert_non_null(strstr(page, "\nflash.erase.total = 0 "));
	assert_non_null(strstr(page, "\nflash.read.rmw = 0 "));
	memory_free(page);
	memory_free(direct);
}

static void test_direct_collects_free_of_charge(void **state)
{
	static const char *const none[] = { "gc.collections", "gc.direct_erases", "gc.moved_pages",
		"gc.moved_map_pages", "wear.moves", "wear.moved_pages", "flash.erase.total",
		"flash.copy.total", "flash.read.rmw", "flash.read.gc", "flash.read.wear", "flash.program.gc",
		"flash.program.wear" };
	static const char *const of_page[] = { "gc.collections", "gc.moved_pages", "wear.moves",
		"flash.erase.total", "flash.copy.total", "flash.read.rmw" };
	const char *const rest =
		"-s host.mode=closed -s flash.page_bytes=8K -s wear.delta=2 -s wear.period=1 -s "
		"trace.limit=3000 "
		"parameters/tiny.cfg lun1";
	struct world *w = *state;
	const char *at;
	struct row row;

	run(w, "run -s ftl=page %s", rest);
	for (size_t i = 0; i < COUNT(of_page); i++)
		assert_true(value_of(w, of_page[i]) > 0);
	run(w, "run -s ftl=direct %s", rest);
	for (size_t i = 0; i < COUNT(none); i++)
		assert_int_equal(value_of(w, none[i]), 0);
	assert_int_equal(value_of(w, "map.dram_access"), value_of(w, "map.lookup"));
	for (at = w->out; next_row(&at, &row);)
		assert_false(begins(&row, "gc.moved_per_collection"));
}

/* ---- mapping pages that are moved ---- */

static void test_moved_mapping_pages_are_counted_once(void **state)
{
	static const char *const ftls[] = { "across", "mrsm -s mrsm.cache_model=lru",
		"mrsm -s mrsm.cache_model=static" };
	struct world *w = *state;

	for (size_t i = 0; i < 2 * COUNT(ftls); i++) {
		bool level = i % 2;
		uint64_t moved;

		run(w,
			"run -s ftl=%s -s map.cache_bytes=16K -s host.mode=closed -s flash.blocks=64 "
			"-s flash.pages=16 %s -s trace.limit=5000 parameters/tiny.cfg mixed",
			ftls[i / 2], level ? "-s wear.delta=2 -s wear.period=1" : "");
		moved = value_of(w, "gc.moved_map_pages");
		assert_true(moved > 0);
		assert_true(value_of(w, "flash.erase.map") > 0);
		assert_int_equal(value_of(w, "flash.program.gc_map"), moved);
		assert_int_equal(
			value_of(w, "flash.read.gc_map") + value_of(w, "flash.read.forwarded.gc_map"), moved);
		assert_int_equal(value_of(w, "wear.moves") > 0, level);
		assert_true(value_of(w, "map.gc_moves") >= moved);
		assert_true(value_of(w, "map.gc_moves") - moved <= value_of(w, "wear.moved_pages"));
	}
}

/* ---- sub-pages as large as pages ---- */

static void test_whole_sub_pages_erase_like_page_mapping(void **state)
{
	static const char *const layouts[] = { "mixed", "apart" };
	struct world *w = *state;

	for (size_t i = 0; i < COUNT(layouts); i++) {
		char rest[512];
		double page, mrsm;

		snprintf(rest, sizeof rest,
			"-s flash.page_bytes=8K -s flash.blocks=64 -s flash.pages=16 -s host.mode=closed "
			"-s map.cache_bytes=1M -s precondition.mode=synthetic -s precondition.layout=%s "
			"-s precondition.used=0.8 -s precondition.valid=0.4 -s trace.limit=10000 "
			"parameters/tiny.cfg "
			"lun1",
			layouts[i]);
		run(w, "run -s ftl=page %s", rest);
		page = real_of(w, "flash.erase.total");
		run(w, "run -s ftl=mrsm -s mrsm.subpage_sectors=16 -s mrsm.cached_share=1 %s", rest);
		mrsm = real_of(w, "flash.erase.total");
		assert_true(page > 500);
		if (mrsm < 0.98 * page || mrsm > 1.02 * page)
			fail_msg("%s: %.0f erases, page mapping has %.0f", layouts[i], mrsm, page);
	}
}

/* ---- text and JSON ---- */

/* The text after "NAME": in the part of the JSON text that begins with "TITLE": {, or NULL. */
static const char *in_json(const char *json, const char *title, const char *name, size_t name_length)
{
	char key[128];
	const char *part, *found;

	snprintf(key, sizeof key, "\n  \"%s\": {", title);
	part = strstr(json, key);
	assert_non_null(part);
	assert_true(snprintf(key, sizeof key, "\n    \"%.*s\": ", (int)name_length, name) < (int)sizeof key);
	found = strstr(part, key);
	return found && found < strstr(part, "\n  }") ? found + strlen(key) : NULL;
}

/* The value as it is, or with quotes around it. */
static bool json_says(const char *at, const char *value, size_t length)
{
	bool quoted = at && *at == '"';

	return at && !strncmp(at + quoted, value, length) &&
	       strchr(quoted ? "\"" : ",\n", at[quoted + length]);
}

static unsigned assert_rows_are_in_json(const char *text, const char *json)
{
	unsigned rows = 0;
	struct row row;

	for (; next_row(&text, &row); rows++) {
		const char *meaning = row.value + row.value_length, *unit;
		size_t length;

		if (!json_says(in_json(json, "statistics", row.line, row.name_length), row.value,
			    row.value_length))
			fail_msg("not in JSON: %.*s", (int)row.line_length, row.line);
		meaning += strspn(meaning, " #");
		length = strcspn(meaning, ":\n");
		unit = in_json(json, "units", row.line, row.name_length);
		if (unit && !json_says(unit, meaning, length))
			fail_msg("another unit in JSON: %.*s", (int)row.line_length, row.line);
		if (!unit && meaning[length] == ':' && !begins(&row, "waf"))
			fail_msg("no unit in JSON: %.*s", (int)row.line_length, row.line);
	}
	return rows;
}

/* Every name of the part is in the text if it has a value, and not if it is null.  Returns how many are
 * null. */
static unsigned assert_json_is_in_text(const char *json, const char *text)
{
	const char *at = strstr(json, "\n  \"statistics\": {");
	unsigned nothing = 0;

	for (at = strchr(at, '{') + 1; !strncmp(at, "\n    \"", 6); at += 1 + strcspn(at + 1, "\n")) {
		size_t length = strcspn(at + 6, "\"");
		bool null = !strncmp(at + 6 + length, "\": null", 7);
		char line[128];

		snprintf(line, sizeof line, "\n%.*s = ", (int)length, at + 6);
		if (!strstr(text, line) != null)
			fail_msg("in JSON%s: %s", null ? " null" : "", line + 1);
		if (null && strncmp(at + 6, "waf", length) && !in_json(json, "units", at + 6, length))
			fail_msg("null and without a unit: %s", line + 1);
		nothing += null;
	}
	return nothing;
}

static unsigned assert_parameters_are_in_json(const char *text, const char *json)
{
	const char *at = strstr(text, "# ---- effective parameters ----\n");
	unsigned rows = 0;

	assert_non_null(at);
	for (at = strchr(at, '\n') + 1; !strncmp(at, "# ", 2) && at[2] != '-';
		at += strcspn(at, "\n") + 1, rows++) {
		const char *value = strstr(at, " = ") + 3;
		const char *in = in_json(json, "parameters", at + 2, (size_t)(value - at) - 5);
		size_t length = strcspn(value, "\n");

		if (!in)
			fail_msg("not in JSON: %.*s", (int)strcspn(at, "\n"), at);
		if (*value != '"' && !json_says(in, value, length))
			fail_msg("another value in JSON: %.*s", (int)strcspn(at, "\n"), at);
	}
	return rows;
}

static void test_json_says_what_the_text_says(void **state)
{
	static const char *const ftls[] = { "page", "across", "mrsm", "direct", "skeleton" };
	struct world *w = *state;

	for (size_t i = 0; i < 2 * COUNT(ftls); i++) {
		char *json;

		run(w,
			"run -s ftl=%s --json @/run.json %s -s host.mode=closed -s trace.limit=%d "
			"parameters/tiny.cfg "
			"mixed",
			ftls[i / 2], i % 2 ? "-s buffer=lru -s map.cache_bytes=8K" : "", i % 2 ? 2000 : 1);
		json = text_of(w, "run.json");
		assert_non_null(json);
		assert_true(assert_rows_are_in_json(w->out, json) > 100);
		assert_true(assert_json_is_in_text(json, w->out) > 5);
		assert_true(assert_parameters_are_in_json(w->out, json) > 50);
		memory_free(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_skeleton_is_page_in_every_number),
		TEST(test_a_judge_changes_no_number),
		TEST(test_direct_is_page_where_nothing_is_partial_or_collected),
		TEST(test_direct_collects_free_of_charge),
		TEST(test_moved_mapping_pages_are_counted_once),
		TEST(test_whole_sub_pages_erase_like_page_mapping),
		TEST(test_json_says_what_the_text_says),
	};

	return cmocka_run_group_tests_name("metamorphic", tests, NULL, NULL);
}
