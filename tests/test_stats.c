/*
 * Statistics: the histogram against sorted arrays and two-pass sums, the report's two forms
 * against texts written by hand and a JSON reader of its own, result files under failure.
 */
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/histogram.h"
#include "stats/output.h"
#include "stats/report.h"
#include "stats/series.h"
#include "stats/table.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t seed_of_run(void)
{
	const char *text = getenv("SEED");

	return text ? strtoull(text, NULL, 0) : 20231;
}

/* ---- histogram ---- */

static void test_bins_cover_every_value_once(void **state)
{
	uint64_t low, high, expected = 0;

	(void)state;
	for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++) {
		histogram_bin_bounds(bin, &low, &high);
		assert_int_equal(low, expected);
		assert_true(high > low);
		assert_int_equal(histogram_bin(low), bin);
		assert_int_equal(histogram_bin(high - 1), bin);
		/* Exact below 128, then never wider than 1/128 of the values inside. */
		assert_true(high - low == 1 || (high - low - 1) / 128 < low / 128);
		expected = high;
	}
	assert_true(expected == UINT64_MAX);
	assert_int_equal(histogram_bin(UINT64_MAX), HISTOGRAM_BINS - 1);
}

static void test_empty_histogram_is_all_zero(void **state)
{
	struct histogram *h = memory_array(1, sizeof *h, "histogram");

	(void)state;
	assert_true(histogram_mean(h) == 0);
	assert_true(histogram_deviation(h) == 0);
	assert_int_equal(histogram_percentile(h, 0.99), 0);
	memory_free(h);
}

/* 1, 2, 3, 4, 10: mean 4; squares about it 9 + 4 + 1 + 0 + 36 = 50, over 5 is 10. */
static void test_small_case_by_hand(void **state)
{
	static const uint64_t values[] = { 3, 1, 10, 4, 2 };
	struct histogram *h = memory_array(1, sizeof *h, "histogram");

	(void)state;
	for (size_t i = 0; i < 5; i++)
		histogram_add(h, values[i]);
	assert_int_equal(h->count, 5);
	assert_int_equal(h->min, 1);
	assert_int_equal(h->max, 10);
	assert_int_equal(h->sum, 20);
	assert_true(histogram_mean(h) == 4);
	assert_true(fabs(histogram_deviation(h) - sqrt(10)) < 1e-12);
	assert_int_equal(histogram_percentile(h, 0), 1);
	assert_int_equal(histogram_percentile(h, 0.2), 1);
	assert_int_equal(histogram_percentile(h, 0.21), 2);
	assert_int_equal(histogram_percentile(h, 0.5), 3);
	assert_int_equal(histogram_percentile(h, 0.8), 4);
	assert_int_equal(histogram_percentile(h, 1), 10);
	memory_free(h);
}

/* 3, 10 and 1, 2, 4: the values above, in two histograms, whose own deviations are 3.5 and sqrt(14 / 9). */
static void test_joined_by_hand(void **state)
{
	static const uint64_t values[] = { 3, 10, 1, 2, 4 };
	struct histogram *h = memory_array(3, sizeof *h, "histogram");

	(void)state;
	for (size_t i = 0; i < 5; i++)
		histogram_add(&h[i >= 2], values[i]);
	assert_true(fabs(histogram_deviation(&h[0]) - 3.5) < 1e-12);
	assert_true(fabs(histogram_deviation(&h[1]) - sqrt(14.0 / 9)) < 1e-12);
	histogram_join(&h[0], &h[1]);
	histogram_join(&h[0], &h[2]); /* empty */
	assert_int_equal(h[0].count, 5);
	assert_int_equal(h[0].min, 1);
	assert_int_equal(h[0].max, 10);
	assert_true(histogram_mean(&h[0]) == 4);
	assert_true(fabs(histogram_deviation(&h[0]) - sqrt(10)) < 1e-12);
	assert_int_equal(histogram_percentile(&h[0], 0.5), 3);
	memory_free(h);
}

static void test_zero_is_a_value(void **state)
{
	struct histogram *h = memory_array(1, sizeof *h, "histogram");

	(void)state;
	histogram_add(h, 7);
	histogram_add(h, 0);
	assert_int_equal(h->min, 0);
	assert_int_equal(histogram_percentile(h, 0.5), 0);
	assert_int_equal(histogram_percentile(h, 1), 7);
	memory_free(h);
}

/* A bin's end may lie above everything that was seen: 1000 shares its bin with 1001..1003. */
static void test_percentile_never_exceeds_the_maximum(void **state)
{
	struct histogram *h = memory_array(1, sizeof *h, "histogram");

	(void)state;
	histogram_add(h, 1000);
	assert_int_equal(histogram_percentile(h, 0.5), 1000);
	histogram_add(h, 5000);
	assert_int_equal(histogram_percentile(h, 0.5), 1003);
	memory_free(h);
}

/* The deviation of {b, b+1, ..., b+9} is sqrt(99/12) whatever b is. */
static void test_deviation_keeps_its_digits_far_from_zero(void **state)
{
	static const uint64_t bases[] = { 0, 1000000007, 1000000000000007, (uint64_t)1 << 56 };

	(void)state;
	for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
		struct histogram *h = memory_array(1, sizeof *h, "histogram");

		for (uint64_t i = 0; i < 10; i++)
			histogram_add(h, bases[b] + i);
		assert_true(fabs(histogram_deviation(h) - sqrt(99.0 / 12)) < 1e-9);
		memory_free(h);
	}
}

/* 200 waits of 2^60 ns pass 2^64 in sum and in every square. */
static void test_sums_do_not_wrap(void **state)
{
	struct histogram *h = memory_array(1, sizeof *h, "histogram");

	(void)state;
	for (int i = 0; i < 200; i++)
		histogram_add(h, (uint64_t)1 << 60);
	assert_true(histogram_mean(h) == 0x1p60);
	assert_true(histogram_deviation(h) == 0);
	memory_free(h);
}

enum { SAMPLES = 30011 };

static uint64_t draw_small(struct random *r)
{
	return random_below(r, 100);
}

static uint64_t draw_uniform(struct random *r)
{
	return random_below(r, 3000000);
}

static uint64_t draw_exponential(struct random *r)
{
	return (uint64_t)(-log(1 - random_unit(r)) * 250000);
}

static uint64_t draw_two_peaks(struct random *r)
{
	return random_below(r, 10) ? 75000 + random_below(r, 500) : 2000000 + random_below(r, 100000);
}

static uint64_t draw_heavy_tail(struct random *r)
{
	return (uint64_t)(1000 / pow(1 - random_unit(r), 1.2));
}

static uint64_t draw_constant(struct random *r)
{
	(void)random_next(r);
	return 1000000;
}

static uint64_t draw_any_bits(struct random *r)
{
	return random_next(r) >> random_below(r, 64);
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_percentiles(const struct histogram *h, const uint64_t *sorted, uint64_t seed)
{
	static const uint64_t millionths[] = { 0, 1, 10000, 70000, 250000, 290000, 500000, 570000, 900000,
		990000, 999000, 999900, 999999, 1000000 };

	for (size_t i = 0; i < sizeof millionths / sizeof *millionths; i++) {
		uint64_t rank = (millionths[i] * h->count + 999999) / 1000000;
		uint64_t exact = sorted[rank ? rank - 1 : 0];
		uint64_t got = histogram_percentile(h, (double)millionths[i] / 1e6);

		if (got < exact || got - exact > exact / 128 || got > h->max)
			fail_msg("SEED=%" PRIu64 ": share %" PRIu64 "e-6 is %" PRIu64
				 ", sorted array says %" PRIu64,
				seed, millionths[i], got, exact);
	}
}

static void test_percentiles_against_sorted_arrays(void **state)
{
	static uint64_t (*const draws[])(struct random *) = { draw_small, draw_uniform, draw_exponential,
		draw_two_peaks, draw_heavy_tail, draw_constant, draw_any_bits };
	uint64_t *values = memory_array(SAMPLES, sizeof *values, "samples");
	uint64_t seed = seed_of_run();

	(void)state;
	for (size_t d = 0; d < sizeof draws / sizeof *draws; d++) {
		struct histogram *h = memory_array(1, sizeof *h, "histogram");
		struct random stream;

		random_init(&stream, seed, d);
		for (size_t i = 0; i < SAMPLES; i++) {
			values[i] = draws[d](&stream);
			histogram_add(h, values[i]);
		}
		qsort(values, SAMPLES, sizeof *values, compare_values);
		assert_int_equal(h->min, values[0]);
		assert_int_equal(h->max, values[SAMPLES - 1]);
		check_percentiles(h, values, seed);
		memory_free(h);
	}
	memory_free(values);
}

/* With few samples a share such as 0.07 of 100 must not ask for an eighth value. */
static void test_ranks_of_round_shares_are_exact(void **state)
{
	(void)state;
	for (uint64_t count = 1; count <= 120; count++) {
		struct histogram *h = memory_array(1, sizeof *h, "histogram");

		for (uint64_t v = 1; v <= count; v++)
			histogram_add(h, v);
		for (uint64_t percent = 1; percent <= 100; percent++)
			assert_int_equal(
				histogram_percentile(h, (double)percent / 100), (percent * count + 99) / 100);
		memory_free(h);
	}
}

/* ---- report ---- */

typedef void (*write_function)(const struct report *, FILE *);

/* The text of the report; the caller frees it. */
__attribute__((noinline)) static char *written(const struct report *report, write_function write)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	assert_non_null(stream);
	write(report, stream);
	fclose(stream);
	return text;
}

static struct report *small_report(void)
{
	struct report *r = report_create();

	report_section(r, "requests");
	report_parameter(r, "flash.pages", "64");
	report_parameter(r, "flash.read_ns", "[58000, 78000]");
	report_parameter(r, "placement.order", "\"C\\\"W\"");
	report_count(r, "request.all.count", 18446744073709551615u, "requests", "served");
	report_real(r, "waf", 2.0 / 3, "", "programs per host page");
	report_real(r, "empty", 0.0 / 1e-300 / 0.0, "ns", "mean of nothing");
	report_section(r, "run");
	report_real(r, "endless", HUGE_VAL, "ns", "");
	report_text(r, "run.trace", "a b.csv", "");
	report_text(r, "run.odd", "x # \"y\"\\\n", "needs quotes");
	return r;
}

static void test_report_as_text(void **state)
{
	struct report *r = small_report();
	char *text = written(r, report_write_text);

	(void)state;
	assert_string_equal(text,
		"# ---- requests ----\n"
		"# flash.pages = 64\n"
		"# flash.read_ns = [58000, 78000]\n"
		"# placement.order = \"C\\\"W\"\n"
		"request.all.count = 18446744073709551615                # requests: served\n"
		"waf = 0.666666667                                       # programs per host page\n"
		"\n"
		"# ---- run ----\n"
		"run.trace = a b.csv\n"
		"run.odd = \"x # \\\"y\\\"\\\\\\u000a\"                           # needs quotes\n");
	free(text);
	report_free(r);
}

static void test_report_as_json(void **state)
{
	struct report *r = small_report();
	char *text = written(r, report_write_json);

	(void)state;
	assert_string_equal(text, "{\n"
				  "  \"schema\": 1,\n"
				  "  \"parameters\": {\n"
				  "    \"flash.pages\": 64,\n"
				  "    \"flash.read_ns\": [58000, 78000],\n"
				  "    \"placement.order\": \"C\\\"W\"\n"
				  "  },\n"
				  "  \"statistics\": {\n"
				  "    \"request.all.count\": 18446744073709551615,\n"
				  "    \"waf\": 0.666666667,\n"
				  "    \"empty\": null,\n"
				  "    \"endless\": null,\n"
				  "    \"run.trace\": \"a b.csv\",\n"
				  "    \"run.odd\": \"x # \\\"y\\\"\\\\\\u000a\"\n"
				  "  },\n"
				  "  \"units\": {\n"
				  "    \"request.all.count\": \"requests\",\n"
				  "    \"empty\": \"ns\",\n"
				  "    \"endless\": \"ns\"\n"
				  "  }\n"
				  "}\n");
	free(text);
	report_free(r);
}

static void test_texts_are_quoted_where_a_line_needs_it(void **state)
{
	static const char *const cases[][2] = { { "plain", "plain" }, { "", "\"\"" }, { " x", "\" x\"" },
		{ "x ", "\"x \"" }, { "a#b", "\"a#b\"" }, { "a\"b", "\"a\\\"b\"" },
		{ "a\tb", "\"a\\u0009b\"" }, { "a\\b", "a\\b" }, { "\xc3\xbc", "\xc3\xbc" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct report *r = report_create();
		char *text, expected[64];

		report_text(r, "t", cases[i][0], "");
		text = written(r, report_write_text);
		snprintf(expected, sizeof expected, "t = %s\n", cases[i][1]);
		assert_string_equal(text, expected);
		free(text);
		report_free(r);
	}
}

static void test_empty_report(void **state)
{
	struct report *r = report_create();
	char *text = written(r, report_write_text), *json = written(r, report_write_json);

	(void)state;
	assert_string_equal(text, "");
	assert_string_equal(json,
		"{\n  \"schema\": 1,\n  \"parameters\": {\n  },\n  \"statistics\": {\n  },\n"
		"  \"units\": {\n  }\n}\n");
	free(text);
	free(json);
	report_free(r);
	report_free(NULL);
}

/* A long name pushes its comment to the right, by one blank, and does not lose it. */
static void test_long_rows_keep_their_comment(void **state)
{
	struct report *r = report_create();
	char *text;

	(void)state;
	report_count(r, "a.name.that.is.longer.than.the.column.of.the.comments", 12345, "ns", "m");
	text = written(r, report_write_text);
	assert_string_equal(text, "a.name.that.is.longer.than.the.column.of.the.comments = 12345 # ns: m\n");
	free(text);
	report_free(r);
}

static void test_reals_have_one_spelling(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = { { 0, "0" }, { -0.0, "0" }, { 1, "1" }, { 0.1 + 0.2, "0.3" }, { 1e20, "1e+20" },
		{ -2.5, "-2.5" }, { 123456789, "123456789" }, { 1234567891, "1.23456789e+09" },
		{ 1e-7, "1e-07" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct report *r = report_create();
		char *text, expected[64];

		report_real(r, "x", cases[i].value, "", "");
		text = written(r, report_write_text);
		snprintf(expected, sizeof expected, "x = %s\n", cases[i].text);
		assert_string_equal(text, expected);
		free(text);
		report_free(r);
	}
}

static void test_json_replaces_what_is_not_utf8(void **state)
{
	static const struct {
		const char *bytes, *json;
	} cases[] = {
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xe2\x82\xac \xf0\x9f\x92\xbe", "\xe2\x82\xac \xf0\x9f\x92\xbe" },
		{ "\xff!", "\\ufffd!" },
		{ "\xc3", "\\ufffd" },
		{ "\xc0\xaf", "\\ufffd\\ufffd" },                       /* overlong "/" */
		{ "\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd" },            /* surrogate */
		{ "\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd" }, /* above U+10FFFF */
		{ "\xe2\x82", "\\ufffd\\ufffd" },
		{ "\t\x01\x7f", "\\u0009\\u0001\\u007f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct report *r = report_create();
		char *json, expected[128];

		report_text(r, "t", cases[i].bytes, "");
		json = written(r, report_write_json);
		snprintf(expected, sizeof expected, "{\n    \"t\": \"%s\"\n  }", cases[i].json);
		assert_non_null(strstr(json, expected));
		free(json);
		report_free(r);
	}
}

/* They are listed once, in order, and only in JSON; without one there is no list. */
static void test_warnings_are_listed_once(void **state)
{
	struct report *r = report_create();
	char *text = written(r, report_write_text), *json = written(r, report_write_json);

	(void)state;
	assert_null(strstr(json, "warnings"));
	free(json);
	report_warn(r, "a \"folded\" trace", true);
	report_warn(r, "too fast", false);
	report_warn(r, "a \"folded\" trace", false);
	assert_int_equal(report_warnings(r)->used, 2);
	assert_true(report_warnings(r)->list[0].told && !report_warnings(r)->list[1].told);
	json = written(r, report_write_json);
	assert_string_equal(strstr(json, "\"units\""),
		"\"units\": {\n  },\n  \"warnings\": [\n    \"a \\\"folded\\\" trace\",\n    \"too fast\"\n  "
		"]\n}\n");
	free(json);
	json = written(r, report_write_text);
	assert_string_equal(json, text);
	free(json);
	free(text);
	report_free(r);
}

/* A strict reader of one JSON string; returns what follows it, NULL if it is not valid. */
static const char *skip_json_string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	while (*s != '"') {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s != '\\') {
			s++;
			continue;
		}
		if (s[1] == 'u' && strspn(s + 2, "0123456789abcdefABCDEF") >= 4)
			s += 6;
		else if (s[1] && strchr("\"\\/bfnrt", s[1]))
			s += 2;
		else
			return NULL;
	}
	return s + 1;
}

/* Any bytes in names and values: still one object of strings, as many as there are rows. */
static void test_json_of_random_bytes_is_valid(void **state)
{
	static const char head[] = "\"statistics\": {\n    ";
	uint64_t seed = seed_of_run();
	struct random stream;

	(void)state;
	random_init(&stream, seed, 100);
	for (int round = 0; round < 500; round++) {
		struct report *r = report_create();
		char value[24] = "", name[24] = "";
		const char *at;
		char *json;

		for (uint64_t i = random_below(&stream, 20); i > 0; i--)
			value[i - 1] = (char)(1 + random_below(&stream, 255));
		for (uint64_t i = random_below(&stream, 20); i > 0; i--)
			name[i - 1] = (char)(1 + random_below(&stream, 127));
		report_text(r, name, value, "");
		json = written(r, report_write_json);
		assert_non_null(strstr(json, head));
		at = skip_json_string(strstr(json, head) + sizeof head - 1);
		if (at)
			at = strncmp(at, ": ", 2) ? NULL : skip_json_string(at + 2);
		if (!at || strcmp(at, "\n  },\n  \"units\": {\n  }\n}\n") != 0)
			fail_msg("SEED=%" PRIu64 ", round %d: not JSON: %s", seed, round, json);
		free(json);
		report_free(r);
	}
}

/* The status of a child that runs `body`; its standard error goes nowhere. */
static int run_child(void (*body)(void))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void report_twice(void)
{
	struct report *r = report_create();

	report_count(r, "waf", 1, "", "");
	report_real(r, "waf", 1, "", "");
}

static void test_a_name_reported_twice_is_a_bug(void **state)
{
	int status = run_child(report_twice);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* ---- result files ---- */

/* A folder of its own for each test; the working directory while the test runs. */
static int enter_folder(void **state)
{
	const char *base = getenv("TMPDIR");
	char *folder = memory_array(256, 1, "folder name");

	snprintf(folder, 256, "%s/ssdlab-stats-XXXXXX", base ? base : "/tmp");
	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int count_files(void)
{
	DIR *folder = opendir(".");
	int count = -2; /* "." and ".." */

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static int leave_folder(void **state)
{
	DIR *folder = opendir(".");
	struct dirent *file;

	while ((file = readdir(folder)))
		if (*file->d_name != '.')
			remove(file->d_name);
	closedir(folder);
	if (chdir("/") != 0 || rmdir(*state) != 0)
		return -1;
	memory_free(*state);
	return 0;
}

static void write_file(const char *path, const char *text)
{
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	fputs(text, stream);
	assert_int_equal(fclose(stream), 0);
}

static void assert_file(const char *path, const char *expected)
{
	char text[256] = "";
	FILE *stream = fopen(path, "r");

	assert_non_null(stream);
	text[fread(text, 1, sizeof text - 1, stream)] = '\0';
	fclose(stream);
	assert_string_equal(text, expected);
}

static void test_commit_replaces_the_old_file_at_once(void **state)
{
	struct output output;
	struct fault fault;

	(void)state;
	write_file("result.txt", "old\n");
	assert_true(output_open(&output, "result.txt", &fault));
	fputs("new\n", output.stream);
	fflush(output.stream);
	assert_file("result.txt", "old\n");
	assert_int_equal(count_files(), 2);
	assert_true(output_commit(&output, &fault));
	assert_file("result.txt", "new\n");
	assert_int_equal(count_files(), 1);
	output_abandon(&output);
	assert_file("result.txt", "new\n");
}

static void test_abandon_leaves_the_old_file(void **state)
{
	struct output output;
	struct fault fault;

	(void)state;
	write_file("result.txt", "old\n");
	assert_true(output_open(&output, "result.txt", &fault));
	fputs("new\n", output.stream);
	output_abandon(&output);
	assert_file("result.txt", "old\n");
	assert_int_equal(count_files(), 1);
	assert_true(output_open(&output, "other.txt", &fault));
	output_abandon(&output);
	assert_int_equal(count_files(), 1);
}

/* As many as there are threads that save drives. */
static void test_any_number_of_files_is_begun_at_once(void **state)
{
	struct output output[40];
	struct fault fault;
	char name[16];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "%d.txt", i);
		assert_true(output_open(&output[i], name, &fault));
	}
	assert_int_equal(count_files(), 40);
	for (int i = 0; i < 40; i += 2)
		assert_true(output_commit(&output[i], &fault));
	outputs_remove();
	assert_int_equal(count_files(), 20);
	for (int i = 1; i < 40; i += 2)
		output_abandon(&output[i]);
	assert_int_equal(count_files(), 20);
}

static void test_a_symbolic_link_stays_one(void **state)
{
	struct output output;
	struct fault fault;
	struct stat status;

	(void)state;
	write_file("target.txt", "old\n");
	assert_int_equal(symlink("target.txt", "link.txt"), 0);
	assert_true(output_open(&output, "link.txt", &fault));
	fputs("new\n", output.stream);
	assert_true(output_commit(&output, &fault));
	assert_file("target.txt", "new\n");
	assert_int_equal(lstat("link.txt", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(count_files(), 2);
}

static void test_what_cannot_be_created_is_named(void **state)
{
	static const struct {
		const char *path, *message;
	} cases[] = {
		{ "missing/result.txt", "cannot create \"missing/result.txt\": No such file or directory" },
		{ ".", "cannot create \".\": Is a directory" },
		{ "file/result.txt", "cannot create \"file/result.txt\": Not a directory" },
		{ "", "cannot create \"\": No such file or directory" },
	};

	(void)state;
	write_file("file", "");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct output output;
		struct fault fault;

		assert_false(output_open(&output, cases[i].path, &fault));
		assert_string_equal(fault.text, cases[i].message);
		output_abandon(&output);
		assert_int_equal(count_files(), 1);
	}
}

/* Nothing is write-protected for root, so root becomes another user first. */
static void write_to_protected_file(void)
{
	struct output output;
	struct fault fault;

	if (geteuid() == 0 && setuid(65534) != 0)
		_exit(1);
	if (output_open(&output, "result.txt", &fault))
		_exit(2);
	_exit(strcmp(fault.text, "cannot create \"result.txt\": Permission denied") == 0 ? 0 : 3);
}

static void test_a_write_protected_file_is_left_alone(void **state)
{
	(void)state;
	write_file("result.txt", "old\n");
	assert_int_equal(chmod(".", 0777), 0);
	assert_int_equal(chmod("result.txt", 0444), 0);
	assert_int_equal(run_child(write_to_protected_file), 0);
	assert_file("result.txt", "old\n");
	assert_int_equal(count_files(), 1);
}

/* Both a few bytes, found when the stream is closed, and many, found while writing. */
static void test_a_full_device_is_found_at_commit(void **state)
{
	static const int lines[] = { 1, 100000 };

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	for (size_t i = 0; i < 2; i++) {
		struct output output;
		struct fault fault;

		assert_true(output_open(&output, "/dev/full", &fault));
		assert_null(output.temporary);
		for (int line = 0; line < lines[i]; line++)
			fprintf(output.stream, "request.count = %d\n", line);
		assert_false(output_commit(&output, &fault));
		assert_string_equal(fault.text, "cannot write \"/dev/full\": No space left on device");
		assert_int_equal(count_files(), 0);
	}
}

/* A stream that once failed is not trusted, whatever its last flush says. */
static void test_an_earlier_error_is_found_at_commit(void **state)
{
	struct output output;
	struct fault fault;

	(void)state;
	assert_true(output_open(&output, "result.txt", &fault));
	fputs("x = 1\n", output.stream);
	assert_int_equal(fgetc(output.stream), EOF); /* an error: it is open for writing only */
	assert_false(output_commit(&output, &fault));
	assert_string_equal(fault.text, "cannot write \"result.txt\": Input/output error");
	assert_int_equal(count_files(), 0);
}

/* A limit on the size of files stands for a full file system. */
static void write_beyond_the_limit(void (*write)(FILE *))
{
	struct rlimit limit = { 1000, 1000 };
	struct output output;
	struct fault fault;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || !output_open(&output, "result.txt", &fault))
		_exit(1);
	write(output.stream);
	if (output_commit(&output, &fault))
		_exit(2);
	_exit(strcmp(fault.text, "cannot write \"result.txt\": File too large") == 0 ? 0 : 3);
}

static void put_lines(FILE *stream)
{
	for (int line = 0; line < 5000; line++)
		fprintf(stream, "request.count = %d\n", line);
}

static void write_lines_beyond_the_limit(void)
{
	write_beyond_the_limit(put_lines);
}

/* A block larger than the stream's buffer: when the file is committed, nothing is left to be written. */
static void put_block(FILE *stream)
{
	static const char block[1 << 17];

	fwrite(block, 1, sizeof block, stream);
}

static void write_a_block_beyond_the_limit(void)
{
	write_beyond_the_limit(put_block);
}

static void test_a_failed_write_leaves_the_old_file_only(void **state)
{
	(void)state;
	write_file("result.txt", "old\n");
	assert_int_equal(run_child(write_lines_beyond_the_limit), 0);
	assert_int_equal(run_child(write_a_block_beyond_the_limit), 0);
	assert_file("result.txt", "old\n");
	assert_int_equal(count_files(), 1);
}

/* In a folder that others may write to: a link with the name of the partial file is not followed.  A file
 * with that name is what a killed program with this number has left. */
static void test_what_has_the_name_of_the_partial_file_is_not_written(void **state)
{
	struct output output;
	struct fault fault;
	struct stat status;
	char partial[64];

	(void)state;
	snprintf(partial, sizeof partial, "result.txt.partial-%ld", (long)getpid());
	write_file("victim.txt", "precious\n");
	for (int is_link = 0; is_link < 2; is_link++) {
		if (is_link)
			assert_int_equal(symlink("victim.txt", partial), 0);
		else
			write_file(partial, "half a resu");
		assert_true(output_open(&output, "result.txt", &fault));
		fputs("new\n", output.stream);
		assert_true(output_commit(&output, &fault));
		assert_int_equal(lstat("result.txt", &status), 0);
		assert_true(S_ISREG(status.st_mode));
		assert_file("result.txt", "new\n");
		assert_file("victim.txt", "precious\n");
		assert_int_equal(count_files(), 2);
	}
	assert_int_equal(mkdir(partial, 0777), 0);
	assert_false(output_open(&output, "result.txt", &fault));
	assert_non_null(strstr(fault.text, "cannot create \"result.txt\": "));
	assert_int_equal(rmdir(partial), 0);
}

/* A program in another container may have the same number. */
static void test_a_partial_file_that_is_being_written_stays(void **state)
{
	struct output output;
	struct fault fault;
	char partial[64], byte;
	int ends[2];
	pid_t writer;

	(void)state;
	snprintf(partial, sizeof partial, "result.txt.partial-%ld", (long)getpid());
	write_file(partial, "half a resu");
	assert_int_equal(pipe(ends), 0);
	writer = fork();
	if (!writer) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

		_exit(fcntl(open(partial, O_RDWR), F_SETLK, &lock) || write(ends[1], "x", 1) != 1 || pause());
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_false(output_open(&output, "result.txt", &fault));
	assert_string_equal(fault.text, "cannot create \"result.txt\": another program is writing it");
	assert_file(partial, "half a resu");
	kill(writer, SIGKILL);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	assert_true(output_open(&output, "result.txt", &fault));
	output_abandon(&output);
	assert_int_equal(count_files(), 0);
}

static void begin_and_wait(const char *name, int told)
{
	struct output output;
	struct fault fault;

	_exit(!output_open(&output, name, &fault) || write(told, "x", 1) != 1 || pause());
}

/* Names as long as a file's may be, although that of the partial file is longer: they are written, a second
 * writer is refused, and what a killed one leaves is removed. */
static void test_names_as_long_as_a_file_may_have(void **state)
{
	struct output output;
	struct fault fault;
	char name[256], byte;
	int ends[2];
	pid_t writer;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	memset(name, 'n', sizeof name);
	for (size_t length = 220; length < sizeof name; length++) {
		name[length] = '\0';
		assert_true(output_open(&output, name, &fault));
		fputs("new\n", output.stream);
		assert_true(output_commit(&output, &fault));
		assert_file(name, "new\n");
		writer = fork();
		if (!writer)
			begin_and_wait(name, ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		assert_false(output_open(&output, name, &fault));
		assert_non_null(strstr(fault.text, "another program is writing it"));
		kill(writer, SIGKILL);
		assert_int_equal(waitpid(writer, NULL, 0), writer);
		assert_int_equal(count_files(), 2);
		assert_true(output_open(&output, name, &fault));
		output_abandon(&output);
		assert_int_equal(count_files(), 1);
		assert_int_equal(unlink(name), 0);
		name[length] = 'n';
	}
}

/* One of several programs that write the same file again and again. */
static void write_one_of_many(void)
{
	struct fault fault;

	for (int i = 0; i < 200; i++) {
		struct output output;

		if (!output_open_shared(&output, "result.txt", &fault))
			_exit(1);
		fputs("the same\n", output.stream);
		if (!output_commit(&output, &fault))
			_exit(2);
	}
	_exit(0);
}

/* No writer removes a file that another one has just begun. */
static void test_a_file_is_shared_by_its_writers(void **state)
{
	pid_t writers[4];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		writers[i] = fork();
		assert_true(writers[i] >= 0);
		if (!writers[i])
			write_one_of_many();
	}
	for (size_t i = 0; i < 4; i++) {
		int status;

		assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
		assert_int_equal(status, 0);
	}
	assert_file("result.txt", "the same\n");
	assert_int_equal(count_files(), 1);
}

static void write_to_closed_pipe(void)
{
	struct output output;
	struct fault fault;
	int ends[2];
	char path[32];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) != 0)
		_exit(1);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
	if (!output_open(&output, path, &fault))
		_exit(1);
	close(ends[0]);
	fputs("x = 1\n", output.stream);
	_exit(!output_commit(&output, &fault) && strstr(fault.text, ": Broken pipe") ? 0 : 2);
}

static void test_a_closed_pipe_is_found_at_commit(void **state)
{
	(void)state;
	if (access("/dev/fd", X_OK) != 0)
		skip();
	assert_int_equal(run_child(write_to_closed_pipe), 0);
}

static void write_to_standard_output(void)
{
	struct output output;
	struct fault fault;

	if (!freopen("screen.txt", "w", stdout))
		_exit(1);
	printf("before\n");
	if (!output_open(&output, "/dev/stdout", &fault))
		_exit(2);
	fputs("result\n", output.stream);
	if (!output_commit(&output, &fault))
		_exit(3);
	printf("after\n");
	_exit(fflush(stdout) == 0 ? 0 : 4);
}

static void test_standard_output_keeps_its_order(void **state)
{
	(void)state;
	assert_int_equal(run_child(write_to_standard_output), 0);
	assert_file("screen.txt", "before\nresult\nafter\n");
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

/* ---- tables ---- */

struct counters {
	uint64_t done, tried, by_kind[2];
	double figure;
	uint64_t peak, level; /* the level is no statistic: it stays */
	struct histogram times;
};

static const char *kind_name(int i)
{
	return i ? "odd" : "even";
}

static const struct stat_row counter_rows[] = {
	{ "done", "things", "finished", STAT_COUNT, offsetof(struct counters, done) },
	{ "share", "share", "of those tried", STAT_RATIO, offsetof(struct counters, done),
		offsetof(struct counters, tried) },
	{ "kind", "things", "", STAT_COUNT, offsetof(struct counters, by_kind), .each = kind_name,
		.count = 2 },
	{ "part", "", "of those tried", STAT_SHARE, offsetof(struct counters, by_kind),
		offsetof(struct counters, tried), kind_name, 2 },
	{ "figure", "", "computed", STAT_REAL, offsetof(struct counters, figure) },
	{ "peak", "things", "", STAT_COUNT, offsetof(struct counters, peak) },
	{ "wait", "", "to the end", STAT_TIMES, offsetof(struct counters, times) },
	{ 0 },
};

static void start_at_level(void *counters)
{
	((struct counters *)counters)->peak = ((struct counters *)counters)->level;
}

static void compute(void *counters)
{
	((struct counters *)counters)->figure = 2.5;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the settings own what they name */
static char *table_text(struct counters *c, char *percentiles, bool start)
{
	struct stat_settings settings = { percentiles };
	struct report *r = report_create();
	struct stat_list list;
	struct fault fault;
	char *text;

	assert_true(stat_list_init(&list, &settings, &fault));
	stat_list_add(&list, (struct stat_group){ .title = "work",
				     .prefix = "w.",
				     .rows = counter_rows,
				     .values = c,
				     .size = sizeof *c,
				     .owner = c,
				     .gather = compute });
	list.group[0].size = offsetof(struct counters, level);
	list.group[0].start = start_at_level;
	if (start)
		stat_list_start(&list);
	stat_list_report(&list, r);
	text = written(r, report_write_text);
	report_free(r);
	stat_list_release(&list);
	return text;
}

/* Drops the first of the two characters wherever they stand together. */
static void squeeze(char *rows, const char *pair)
{
	char *at;

	while ((at = strstr(rows, pair)))
		memmove(at, at + 1, strlen(at));
}

static void assert_rows(char *text, const char *expected)
{
	char rows[1024] = "", *line = strtok(text, "\n");

	for (; line; line = strtok(NULL, "\n"))
		if (*line != '#')
			snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%.*s;",
				(int)strcspn(line, "#"), line);
	squeeze(rows, "  ");
	squeeze(rows, " ;");
	assert_string_equal(rows, expected);
	free(text);
}

static void test_a_table_is_zeroed_computed_and_reported(void **state)
{
	struct counters c = { .done = 3, .tried = 4, .by_kind = { 1, 2 }, .peak = 9, .level = 5 };
	char percentiles[] = "50, 99.9";

	(void)state;
	histogram_add(&c.times, 10);
	histogram_add(&c.times, 30);
	assert_rows(table_text(&c, percentiles, false),
		"w.done = 3;w.share = 0.75;w.kind.even = 1;w.kind.odd = 2;w.part.even = 0.25;w.part.odd = "
		"0.5;w.figure = 2.5;w.peak = 9;w.wait_mean_ns = 20;w.wait_sd_ns = 10;w.wait_p50_ns = "
		"10;w.wait_p999_ns = 30;w.wait_max_ns = 30;");
	c.times = (struct histogram){ 0 };
	assert_rows(table_text(&c, percentiles, true),
		"w.done = 0;w.kind.even = 0;w.kind.odd = 0;w.part.even = 0;w.part.odd = 0;w.figure = 2.5;"
		"w.peak = 5;");
	assert_int_equal(c.level, 5);
}

static void test_bad_percentiles_are_refused(void **state)
{
	static char *const bad[] = { "50 101", "x", "-1", "50;99", "1e9999",
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", ".", "9.9.9" };
	static char *const twice[] = { "50 50", "0,0", "50 99 50", "100 100", "9.99 99.9" };
	struct stat_list list;
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct stat_settings settings = { bad[i] };

		assert_false(stat_list_init(&list, &settings, &fault));
		assert_non_null(strstr(fault.text, "stats.percentiles"));
	}
	for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
		struct stat_settings settings = { twice[i] };

		assert_false(stat_list_init(&list, &settings, &fault));
		assert_non_null(strstr(fault.text, "has the same name in results as a number before it"));
	}
}

/* Each window, to the last, has its own mean, percentile and longest time; one without values has none. */
static void test_times_of_windows(void **state)
{
	static const struct stat_row only[] = { { "t", "", "time", STAT_TIMES, 0 }, { 0 } };
	struct stat_settings settings = { (char[]){ "50" } };
	struct histogram times = { .count = 0 };
	struct stat_list list;
	struct series *series;
	struct fault fault;
	char text[200] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	assert_true(stat_list_init(&list, &settings, &fault));
	stat_list_add(&list, (struct stat_group){ "", "", only, &times });
	series = series_create(&list);
	series_begin(series, out);
	for (int i = 0; i < 9; i++)
		histogram_add(&times, 100);
	series_row(series, out);
	histogram_add(&times, 6);
	histogram_add(&times, 100);
	histogram_add(&times, 8);
	series_row(series, out);
	series_row(series, out);
	histogram_add(&times, 20);
	series_row(series, out);
	fclose(out);
	assert_string_equal(text, ",t_mean_ns,t_p50_ns,t_max_ns\n,100,100,100\n,38,8,100\n,,,\n,20,20,20\n");
	series_free(series);
	stat_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins_cover_every_value_once),
		cmocka_unit_test(test_empty_histogram_is_all_zero),
		cmocka_unit_test(test_small_case_by_hand),
		cmocka_unit_test(test_joined_by_hand),
		cmocka_unit_test(test_zero_is_a_value),
		cmocka_unit_test(test_percentile_never_exceeds_the_maximum),
		cmocka_unit_test(test_deviation_keeps_its_digits_far_from_zero),
		cmocka_unit_test(test_sums_do_not_wrap),
		cmocka_unit_test(test_percentiles_against_sorted_arrays),
		cmocka_unit_test(test_ranks_of_round_shares_are_exact),
		cmocka_unit_test(test_report_as_text),
		cmocka_unit_test(test_report_as_json),
		cmocka_unit_test(test_texts_are_quoted_where_a_line_needs_it),
		cmocka_unit_test(test_empty_report),
		cmocka_unit_test(test_long_rows_keep_their_comment),
		cmocka_unit_test(test_reals_have_one_spelling),
		cmocka_unit_test(test_json_replaces_what_is_not_utf8),
		cmocka_unit_test(test_warnings_are_listed_once),
		cmocka_unit_test(test_json_of_random_bytes_is_valid),
		cmocka_unit_test(test_a_name_reported_twice_is_a_bug),
		cmocka_unit_test(test_a_table_is_zeroed_computed_and_reported),
		cmocka_unit_test(test_bad_percentiles_are_refused),
		cmocka_unit_test(test_times_of_windows),
		FILE_TEST(test_commit_replaces_the_old_file_at_once),
		FILE_TEST(test_abandon_leaves_the_old_file),
		FILE_TEST(test_any_number_of_files_is_begun_at_once),
		FILE_TEST(test_a_symbolic_link_stays_one),
		FILE_TEST(test_what_cannot_be_created_is_named),
		FILE_TEST(test_a_write_protected_file_is_left_alone),
		FILE_TEST(test_a_full_device_is_found_at_commit),
		FILE_TEST(test_an_earlier_error_is_found_at_commit),
		FILE_TEST(test_a_failed_write_leaves_the_old_file_only),
		FILE_TEST(test_what_has_the_name_of_the_partial_file_is_not_written),
		FILE_TEST(test_a_partial_file_that_is_being_written_stays),
		FILE_TEST(test_names_as_long_as_a_file_may_have),
		FILE_TEST(test_a_file_is_shared_by_its_writers),
		FILE_TEST(test_a_closed_pipe_is_found_at_commit),
		FILE_TEST(test_standard_output_keeps_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
