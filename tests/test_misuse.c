/*
 * Mistakes of a program that uses the library: each gives a status and a line that says what is wrong, none
 * ends the process, and the drive goes on.
 */
#include "base/toolbox.h"
#include "library/inside.h"
#include "tests/library_fixture.h"

#include <pthread.h>

#define FRESH "precondition.mode=none precondition.premap=none "

/* ---- calls of a drive ---- */

static enum ssdlab_status submit_one(ssdlab_drive *d, struct ssdlab_request r)
{
	return ssdlab_submit(d, &r, 1, NULL);
}

static const uint64_t late[] = { UINT64_MAX }, zero[] = { 0 };
static const uint32_t one[] = { 1 };
static const uint8_t write_kind[] = { SSDLAB_WRITE }, unknown_kind[] = { 9 };

static enum ssdlab_status submit_row(ssdlab_drive *d, struct ssdlab_columns columns)
{
	columns.size = columns.size ? columns.size : sizeof columns;
	return ssdlab_submit_columns(d, &columns, 1, NULL);
}

#define REQUEST(...) submit_one(d, (struct ssdlab_request){ __VA_ARGS__ })
#define WRITE(...)   REQUEST(.kind = SSDLAB_WRITE, .sectors = 1, __VA_ARGS__)
#define COLUMNS(...) submit_row(d, (struct ssdlab_columns){ __VA_ARGS__ })
#define GOOD(...)    COLUMNS(.sector = zero, .sectors = one, .kind = write_kind, __VA_ARGS__)

struct room {
	struct ssdlab_completion completion;
	struct ssdlab_block block;
	ssdlab_drive *copy;
	double value;
	size_t n;
	char *text;
};

/* clang-format off */
#define MISUSES(MISUSE)                                                                                      \
	MISUSE(no_rows, ssdlab_submit(d, NULL, 3, NULL), "ssdlab_submit(): requests is NULL")                \
	MISUSE(no_columns, ssdlab_submit_columns(d, NULL, 1, NULL), "columns is NULL")                       \
	MISUSE(columns_without_size, COLUMNS(.size = 1), "columns.size")                                     \
	MISUSE(no_sector, COLUMNS(.sectors = one, .kind = write_kind), "columns.sector is NULL")             \
	MISUSE(no_sectors, COLUMNS(.sector = zero, .kind = write_kind), "columns.sectors is NULL")           \
	MISUSE(no_kind, COLUMNS(.sector = zero, .sectors = one), "columns.kind is NULL")                     \
	MISUSE(unknown_kind, COLUMNS(.sector = zero, .sectors = one, .kind = unknown_kind),                  \
		"request:0: kind 9 is not 0 read")                                                           \
	MISUSE(a_column_of_hints, GOOD(.hint = write_kind),                                                  \
		"request:0: hint 1, which nothing reads")                                                    \
	MISUSE(a_column_of_devices, GOOD(.device = one), "request:0: device 1, which nothing reads")         \
	MISUSE(a_column_of_flags, GOOD(.flags = unknown_kind), "request:0: flags 9")                         \
	MISUSE(a_column_of_late_arrivals, GOOD(.arrival_ns = late),                                          \
		"the last moment is 9223372036854775807")                                                    \
	MISUSE(kind_of_a_zone_command, REQUEST(.kind = 6), "request:0: kind 6")                              \
	MISUSE(read_of_nothing, REQUEST(.kind = SSDLAB_READ), "request:0: 0 sectors")                        \
	MISUSE(flush_of_sectors, REQUEST(.kind = SSDLAB_FLUSH, .sectors = 1),                                \
		"a command has 0 sectors")                                                                   \
	MISUSE(update_without_handles, REQUEST(.kind = SSDLAB_UPDATE), "fdp.handles")                        \
	MISUSE(behind_the_end, WRITE(.sector = ssdlab_sectors(d)),                                           \
		"request:0: sectors 768 to 768 lie beyond the drive of 768 sectors")                         \
	MISUSE(across_the_end, REQUEST(.sector = 767, .sectors = 2),                                         \
		"request:0: sectors 767 to 768 lie beyond the drive of 768 sectors")                         \
	MISUSE(far_behind_the_end, WRITE(.sector = UINT64_MAX), "beyond the drive of 768 sectors")           \
	MISUSE(larger_than_the_drive, REQUEST(.sectors = UINT32_MAX),                                        \
		"larger than the drive of 768")                                                              \
	MISUSE(fua_of_a_read, REQUEST(.sectors = 1, .flags = SSDLAB_FUA),                                    \
		"flags 1; a write can have 1")                                                               \
	MISUSE(unknown_flags, WRITE(.flags = 3), "flags 3; a write can have 1")                              \
	MISUSE(reserved_is_set, WRITE(.reserved = { 1 }), "request:0: reserved is not 0")                    \
	MISUSE(last_reserved_is_set, WRITE(.reserved = { [4] = 255 }),                                       \
		"request:0: reserved is not 0")                                                              \
	MISUSE(a_hint_without_handles, WRITE(.hint = 200),                                                   \
		"hint 200, which nothing reads; set fdp.handles")                                            \
	MISUSE(a_device_without_handles, WRITE(.device = 7), "device 7, which nothing reads")                \
	MISUSE(a_hint_of_a_flush, REQUEST(.kind = SSDLAB_FLUSH, .hint = 1), "which nothing reads")           \
	MISUSE(an_arrival_at_the_end_of_time, WRITE(.arrival_ns = UINT64_MAX),                               \
		"request:0: arrives at 18446744073709551615 ns; the last moment is 9223372036854775807 ns")  \
	MISUSE(an_arrival_too_late, WRITE(.arrival_ns = SSDLAB_TIME_MOST + 1), "the last moment is")         \
	MISUSE(advance_to_the_end_of_time, ssdlab_advance(d, UINT64_MAX),                                    \
		"18446744073709551615 ns is too late")                                                       \
	MISUSE(advance_too_far, ssdlab_advance(d, SSDLAB_TIME_MOST + 1),                                     \
		"the last moment is 9223372036854775807")                                                    \
	MISUSE(prepared_twice, ssdlab_prepare(d, NULL), "once, before its first request")                    \
	MISUSE(no_workload, ssdlab_run(d, NULL), "ssdlab_run(): workload is NULL")                           \
	MISUSE(a_workload_without_name, ssdlab_run(d, ""), "neither a file nor a profile")                   \
	MISUSE(an_unknown_workload, ssdlab_run(d, "no-such-profile"), "no-such-profile")                     \
	MISUSE(a_folder_as_workload, ssdlab_run(d, "parameters/"), "parameters/")                            \
	MISUSE(no_name, ssdlab_statistic(d, NULL, &room.value), "ssdlab_statistic(): name is NULL")          \
	MISUSE(no_value, ssdlab_statistic(d, "waf", NULL), "ssdlab_statistic(): value is NULL")              \
	MISUSE(an_empty_name, ssdlab_statistic(d, "", &room.value), "there is no statistic \"\"")            \
	MISUSE(a_misspelt_name, ssdlab_statistic(d, "wAf", &room.value),                                     \
		"there is no statistic \"wAf\"")                                                             \
	MISUSE(a_pattern, ssdlab_statistic(d, "gc.*", &room.value),                                          \
		"there is no statistic \"gc.*\"")                                                            \
	MISUSE(two_names, ssdlab_statistic(d, "waf run.served", &room.value),                                \
		"there is no statistic \"waf run")                                                           \
	MISUSE(a_text, ssdlab_statistic(d, "run.ftl", &room.value),                                          \
		"run.ftl is a text, not a number")                                                           \
	MISUSE(no_text, ssdlab_json(d, "x", NULL, NULL, NULL), "ssdlab_json(): text is NULL")                \
	MISUSE(completions_not_asked_for, ssdlab_completions(d, &room.completion, 1, &room.n),               \
		"opened without completions; set options.completions")                                       \
	MISUSE(no_completions, ssdlab_completions(d, NULL, 1, &room.n), "completions is NULL")               \
	MISUSE(no_count_of_completions, ssdlab_completions(d, &room.completion, 1, NULL),                    \
		"taken is NULL")                                                                             \
	MISUSE(no_blocks, ssdlab_blocks(d, NULL, 1, &room.n), "ssdlab_blocks(): blocks is NULL")             \
	MISUSE(no_count_of_blocks, ssdlab_blocks(d, &room.block, 1, NULL), "count is NULL")                  \
	MISUSE(no_path, ssdlab_save(d, NULL), "ssdlab_save(): path is NULL")                                 \
	MISUSE(an_empty_path, ssdlab_save(d, ""), "cannot create \"\"")                                      \
	MISUSE(a_missing_folder, ssdlab_save(d, "no/such/folder"),                                           \
		"cannot create \"no/such/folder\"")                                                          \
	MISUSE(no_path_to_load, ssdlab_load(d, NULL, NULL), "ssdlab_load(): path is NULL")                   \
	MISUSE(loaded_too_late, ssdlab_load(d, "saved", NULL), "load into one that was just opened")         \
	MISUSE(no_copy, ssdlab_fork(d, NULL), "ssdlab_fork(): copy is NULL")

#define NO_DRIVE(MISUSE)                                                                                     \
	MISUSE(null_prepare, ssdlab_prepare(d, NULL), "")                                                    \
	MISUSE(null_run, ssdlab_run(d, "mixed"), "")                                                         \
	MISUSE(null_submit, WRITE(.sector = 0), "")                                                          \
	MISUSE(null_submit_columns, GOOD(.tag = NULL), "")                                                   \
	MISUSE(null_advance, ssdlab_advance(d, 1), "")                                                       \
	MISUSE(null_next, ssdlab_next(d), "")                                                                \
	MISUSE(null_drain, ssdlab_drain(d), "")                                                              \
	MISUSE(null_completions, ssdlab_completions(d, &room.completion, 1, &room.n), "")                    \
	MISUSE(null_statistic, ssdlab_statistic(d, "waf", &room.value), "")                                  \
	MISUSE(null_json, ssdlab_json(d, NULL, NULL, NULL, &room.text), "")                                  \
	MISUSE(null_reset, ssdlab_reset_statistics(d), "")                                                   \
	MISUSE(null_check, ssdlab_check(d), "")                                                              \
	MISUSE(null_blocks, ssdlab_blocks(d, &room.block, 1, &room.n), "")                                   \
	MISUSE(null_save, ssdlab_save(d, "saved"), "")                                                       \
	MISUSE(null_load, ssdlab_load(d, "saved", NULL), "")                                                 \
	MISUSE(null_fork, ssdlab_fork(d, &room.copy), "")
/* clang-format on */

#define FUNCTION(name, call, text)                                                                           \
	static enum ssdlab_status misuse_##name(ssdlab_drive *d)                                             \
	{                                                                                                    \
		struct room room = { 0 };                                                                    \
                                                                                                             \
		(void)room;                                                                                  \
		return call;                                                                                 \
	}
#define ROW(name, call, text) { #name, misuse_##name, text },

MISUSES(FUNCTION)
NO_DRIVE(FUNCTION)

struct misuse {
	const char *name;
	enum ssdlab_status (*call)(ssdlab_drive *);
	const char *says;
};

static const struct misuse misuses[] = { MISUSES(ROW) }, of_no_drive[] = { NO_DRIVE(ROW) };

/* One line that has these words. */
static void assert_says(const char *name, const char *text, const char *words)
{
	if (!*text || strchr(text, '\n') || !strstr(text, words))
		fail_msg("%s: \"%s\" does not say \"%s\"", name, text, words);
}

static void assert_refused(const char *name, ssdlab_drive *d, enum ssdlab_status status, const char *words)
{
	if (status != SSDLAB_MISTAKE)
		fail_msg("%s: status %d", name, status);
	assert_says(name, ssdlab_error(d), words);
}

static void test_each_call_refuses_what_it_cannot_do(void **state)
{
	ssdlab_drive *d = opened(FRESH, (struct ssdlab_options){ 0 });
	double served;

	(void)state;
	assert_ok(d, WRITE(.sector = 0));
	for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
		assert_refused(misuses[i].name, d, misuses[i].call(d), misuses[i].says);
		assert_ok(d, WRITE(.sector = i));
		assert_ok(d, ssdlab_check(d));
	}
	assert_ok(d, WRITE(.arrival_ns = 500));
	assert_refused("early", d, WRITE(.arrival_ns = 499), "before the request before it (500)");
	assert_ok(d, ssdlab_drain(d));
	assert_ok(d, ssdlab_statistic(d, "run.served", &served));
	assert_int_equal((size_t)served, 2 + sizeof misuses / sizeof *misuses);
	assert_ok(d, ssdlab_close(d));
}

static void test_a_call_of_no_drive_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof of_no_drive / sizeof *of_no_drive; i++)
		assert_refused(of_no_drive[i].name, NULL, of_no_drive[i].call(NULL), "the handle is NULL");
	assert_int_equal(ssdlab_now(NULL), 0);
	assert_int_equal(ssdlab_sectors(NULL), 0);
	assert_int_equal(ssdlab_in_flight(NULL), 0);
	assert_int_equal(ssdlab_close(NULL), SSDLAB_OK);
	ssdlab_free(NULL);
}

/* An empty std::vector has a NULL for its data. */
static void test_no_requests_are_no_mistake(void **state)
{
	struct ssdlab_columns columns = { .size = sizeof columns };
	ssdlab_drive *d;
	size_t taken = 7;

	(void)state;
	assert_ok(d, open_with(&d, "class", "", (struct ssdlab_options){ 0 }));
	assert_ok(d, ssdlab_submit(d, NULL, 0, &taken));
	assert_int_equal(taken, 0);
	assert_ok(d, ssdlab_submit(d, NULL, 0, NULL));
	assert_ok(d, ssdlab_submit_columns(d, &columns, 0, &taken));
	assert_int_equal(taken, 0);
	assert_ok(d, ssdlab_blocks(d, NULL, 0, &taken));
	assert_int_equal(taken, d->drive->geometry.blocks);
	ssdlab_close(d);
}

/* ---- opening ---- */

static size_t pick_block(void *context, uint32_t plane, const struct ssdlab_block *blocks, size_t n)
{
	(void)context;
	(void)plane;
	(void)blocks;
	return n;
}

static size_t pick_page(void *context, const struct ssdlab_page *pages, size_t n)
{
	(void)context;
	(void)pages;
	return n;
}

static char context[1];
static const char *const one_is_null[] = { "seed=1", NULL };
static const struct ftl_ops some_ftl = { .name = "mine" };

static const struct opening {
	const char *parameters, *settings, *says;
	struct ssdlab_options with;
} openings[] = {
	{ "parameters/none.cfg", "", "parameters/none.cfg", { 0 } },
	{ "tinny", "", "did you mean tiny?", { 0 } },
	{ "", "", "no parameter file \"\"", { 0 } },
	{ "tiny", "gc.treshold=0.1", "did you mean \"gc.threshold\"?", { 0 } },
	{ "tiny", "gc.threshold", "has no value", { 0 } },
	{ "tiny", "gc.threshold=2", "gc.threshold", { 0 } },
	{ "tiny", "gc.threshold=x", "gc.threshold", { 0 } },
	{ "tiny", "gc=1", "is a group", { 0 } },
	{ "tiny", "flash.pages=0", "flash.pages", { 0 } },
	{ "tiny", "ftl=no-such", "ftl", { 0 } },
	{ "tiny", "ftl=fast buffer=msac dram.buffer_bytes=64K", "ftl = fast", { 0 } },
	{ "tiny", "striped.superblock=256", "`ssd measure`", { 0 } },
	{ "tiny", "", "options.completions", { .completions = 3 } },
	{ "tiny", "", "options.completions", { .completions = -1 } },
	{ "tiny", "", "options.progress_context is given without options.progress",
		{ .progress_context = context } },
	{ "tiny", "", "without options.bug", { .bug_context = context } },
	{ "tiny", "", "options.gc_context is given without", { .gc_context = context } },
	{ "tiny", "", "options.gc_name is given without options.gc_pick", { .gc_name = "mine" } },
	{ "tiny", "", "options.buffer_context is given without", { .buffer_context = context } },
	{ "tiny", "", "options.buffer_name is given without options.buffer_pick", { .buffer_name = "mine" } },
	{ "tiny", "", "options.ftl_toolbox is given without options.ftl", { .ftl_toolbox = &ssd_toolbox } },
	{ "tiny", "", "compiled from other", { .ftl = &some_ftl } },
	{ "tiny", "", "is a policy of ssdlab", { .gc_pick = pick_block, .gc_name = "greedy" } },
	{ "tiny", "", "make a name", { .gc_pick = pick_block, .gc_name = "my policy" } },
	{ "tiny", "", "make a name", { .buffer_pick = pick_page, .buffer_name = "" } },
	{ "tiny", "gc.policy=fifo", "options.gc_pick is given, too", { .gc_pick = pick_block } },
	{ "tiny", "seed=1 gc.policy=fifo", "-s gc.policy=fifo", { .gc_pick = pick_block } },
	{ "tiny", "buffer=lru", "options.buffer_pick is given, too", { .buffer_pick = pick_page } },
	{ "tiny", "ftl=dftl", "options.ftl is given, too",
		{ .ftl = &some_ftl, .ftl_toolbox = &ssd_toolbox } },
};

static void test_each_drive_that_cannot_be_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
		const struct opening *o = &openings[i];
		ssdlab_drive *d;
		enum ssdlab_status status = open_with(&d, o->parameters, o->settings, o->with);
		char first[FAULT_BYTES];
		double waf;

		assert_refused(o->says, d, status, o->says);
		strcpy(first, ssdlab_error(d));
		assert_refused(o->says, d, ssdlab_statistic(d, NULL, &waf), o->says);
		assert_string_equal(ssdlab_error(d), first);
		assert_int_equal(ssdlab_sectors(d), 0);
		assert_ok(d, ssdlab_close(d));
	}
}

static void refused_options(const struct ssdlab_options *options, const char *words)
{
	ssdlab_drive *d;
	enum ssdlab_status status = ssdlab_open(&d, options);

	assert_refused(words, d, status, words);
	assert_ok(d, ssdlab_close(d));
}

static void test_options_that_are_not_there_are_refused(void **state)
{
	struct ssdlab_options good = { .size = sizeof good };

	(void)state;
	assert_int_equal(ssdlab_open(NULL, &good), SSDLAB_MISTAKE);
	refused_options(NULL, "ssdlab_open(): options is NULL");
	refused_options(&(struct ssdlab_options){ .size = 0 }, "options.size");
	refused_options(&(struct ssdlab_options){ .size = sizeof good + 8 }, "options.size");
	good.setting_count = 2;
	refused_options(&good, "options.settings is NULL, options.setting_count 2");
	good.settings = one_is_null;
	refused_options(&good, "options.settings[1] is NULL");
}

/* ---- addresses beyond the end ---- */

static void test_addresses_are_folded_only_on_request(void **state)
{
	ssdlab_drive *d = opened(FRESH, (struct ssdlab_options){ 0 });

	(void)state;
	assert_refused("run", d, ssdlab_run(d, "mixed"), "beyond the drive of 768 sectors");
	assert_refused("write", d, submit_one(d, (struct ssdlab_request){ 0, 768, 0, 4, 0, SSDLAB_WRITE }),
		"sectors 768 to 771 lie beyond the drive of 768 sectors");
	ssdlab_close(d);
	d = opened(FRESH "trace.fold=true trace.limit=100", (struct ssdlab_options){ 0 });
	assert_ok(d, ssdlab_run(d, "mixed"));
	assert_ok(d, submit_one(d, (struct ssdlab_request){ ssdlab_now(d), 768, 0, 4, 0, SSDLAB_WRITE }));
	ssdlab_close(d);
}

/* ---- hints ---- */

/* Hint 1 or device 1 names a handle with the matching fdp.by alone. */
static void named_by(
	const char *by, struct ssdlab_request named, struct ssdlab_request other, struct ssdlab_request large)
{
	char settings[200];
	ssdlab_drive *d;
	double units;

	snprintf(settings, sizeof settings, FRESH "flash.blocks=64 fdp.handles=2 fdp.by=%s", by);
	d = opened(settings, (struct ssdlab_options){ 0 });
	named.kind = other.kind = large.kind = SSDLAB_WRITE;
	named.sectors = other.sectors = large.sectors = 4;
	assert_ok(d, submit_one(d, named));
	assert_ok(d, ssdlab_drain(d));
	assert_ok(d, ssdlab_statistic(d, "fdp.1.units", &units));
	assert_float_equal(units, 1, 0);
	assert_refused(by, d, submit_one(d, other), "which nothing reads");
	assert_refused(by, d, submit_one(d, large), "with fdp.handles = 2 it is 0 to 1");
	ssdlab_close(d);
}

static void test_a_handle_is_named_as_the_drive_reads_it(void **state)
{
	const struct ssdlab_request hint = { .hint = 1 }, device = { .device = 1 };
	ssdlab_drive *d;

	(void)state;
	named_by("hint", hint, device, (struct ssdlab_request){ .hint = 2 });
	named_by("device", device, hint, (struct ssdlab_request){ .device = 2 });
	d = opened(FRESH "flash.blocks=64 fdp.handles=2 fdp.by=range fdp.ranges=0:1",
		(struct ssdlab_options){ 0 });
	assert_refused("range", d, WRITE(.hint = 1), "which nothing reads");
	assert_refused("range", d, WRITE(.device = 1), "which nothing reads");
	assert_ok(d, REQUEST(.kind = SSDLAB_UPDATE, .hint = 1));
	assert_refused("range", d, REQUEST(.kind = SSDLAB_UPDATE, .hint = 2), "it is 0 to 1");
	ssdlab_close(d);
}

/* ---- the end of time ---- */

static void test_time_can_pass_up_to_its_end(void **state)
{
	ssdlab_drive *d = opened(FRESH "host.time_scale=1000", (struct ssdlab_options){ 0 });

	(void)state;
	assert_refused("scaled", d, WRITE(.arrival_ns = SSDLAB_TIME_MOST / 100),
		"the last moment is 9223372036854776 ns");
	assert_ok(d, WRITE(.arrival_ns = SSDLAB_TIME_MOST / 1001));
	ssdlab_close(d);
	d = opened(FRESH, (struct ssdlab_options){ 0 });
	assert_ok(d, WRITE(.arrival_ns = SSDLAB_TIME_MOST));
	assert_ok(d, ssdlab_drain(d));
	assert_true(ssdlab_now(d) > SSDLAB_TIME_MOST);
	assert_ok(d, ssdlab_advance(d, SSDLAB_TIME_MOST));
	assert_ok(d, GOOD(.tag = zero));
	assert_ok(d, ssdlab_drain(d));
	ssdlab_close(d);
}

/* A second workload begins at the present moment. */
static void test_a_workload_ends_before_time_does(void **state)
{
	struct world *w = *state;
	char *path = path_in(w, "late.trace");
	ssdlab_drive *d = opened(FRESH "trace.format=ssdsim", (struct ssdlab_options){ 0 });

	put_text(w, "late.trace", "5 0 0 4 0\n9223372036854775000 0 4 4 0\n");
	assert_ok(d, WRITE(.arrival_ns = 1000));
	assert_ok(d, ssdlab_advance(d, 2000));
	assert_refused("late", d, ssdlab_run(d, path), "late.trace:2: arrives too late");
	ssdlab_close(d);
	d = opened(FRESH "trace.format=ssdsim", (struct ssdlab_options){ 0 });
	assert_ok(d, ssdlab_run(d, path));
	assert_refused("later", d, ssdlab_run(d, path), "late.trace:1: arrives too late");
	ssdlab_close(d);
	memory_free(path);
}

/* ---- calls at the wrong moment ---- */

/* What a callback sees of its drive. */
struct inside {
	ssdlab_drive *drive;
	int calls;
};

static void refused_in_callback(struct inside *in)
{
	static const char *const words = "a callback of a drive must not call that drive";
	ssdlab_drive *d = in->drive, *copy;
	double waf;

	in->calls++;
	assert_refused("submit", d, WRITE(.sector = 0), words);
	assert_refused("drain", d, ssdlab_drain(d), words);
	assert_refused("statistic", d, ssdlab_statistic(d, "waf", &waf), words);
	assert_refused("fork", d, ssdlab_fork(d, &copy), words);
	assert_null(copy);
	assert_refused("close", d, ssdlab_close(d), words);
	assert_true(ssdlab_sectors(d) == 768);
	(void)ssdlab_now(d);
	(void)ssdlab_in_flight(d);
}

static int progress_that_calls(void *inside, uint64_t requests, double share)
{
	(void)requests;
	(void)share;
	refused_in_callback(inside);
	return 0;
}

static size_t pick_that_calls(void *inside, uint32_t plane, const struct ssdlab_block *blocks, size_t n)
{
	(void)plane;
	(void)blocks;
	refused_in_callback(inside);
	return n;
}

static size_t page_that_calls(void *inside, const struct ssdlab_page *pages, size_t n)
{
	(void)pages;
	refused_in_callback(inside);
	return n;
}

static void test_a_callback_cannot_call_its_drive(void **state)
{
	struct inside in = { 0 };
	ssdlab_drive *d = opened(FRESH "trace.fold=true dram.buffer_bytes=32K trace.limit=5000",
		(struct ssdlab_options){ .progress = progress_that_calls,
			.progress_context = &in,
			.gc_pick = pick_that_calls,
			.gc_context = &in,
			.buffer_pick = page_that_calls,
			.buffer_context = &in });

	(void)state;
	in.drive = d;
	assert_ok(d, ssdlab_run(d, "mixed"));
	assert_true(in.calls > 100);
	assert_ok(d, ssdlab_check(d));
	assert_ok(d, ssdlab_close(d));
}

static void bug_that_calls(void *inside, const char *file, int line, const char *text)
{
	struct inside *in = inside;

	(void)file;
	(void)line;
	assert_non_null(strstr(text, "requests submitted"));
	in->calls++;
	assert_int_equal(ssdlab_close(in->drive), SSDLAB_MISTAKE);
	assert_int_equal(ssdlab_drain(in->drive), SSDLAB_MISTAKE);
}

/* The planted bug: the drive counts one request too many. */
static void test_a_handler_of_bugs_cannot_call_its_drive(void **state)
{
	struct inside in = { 0 };
	ssdlab_drive *d = opened(FRESH, (struct ssdlab_options){ .bug = bug_that_calls, .bug_context = &in });
	double waf;

	(void)state;
	in.drive = d;
	assert_ok(d, WRITE(.sector = 0));
	d->drive->in_drive++;
	assert_int_equal(ssdlab_check(d), SSDLAB_BROKEN);
	assert_int_equal(in.calls, 1);
	assert_says("broken", ssdlab_error(d), "requests submitted");
	assert_int_equal(ssdlab_statistic(d, NULL, &waf), SSDLAB_BROKEN);
	assert_says("broken", ssdlab_error(d), "requests submitted");
	assert_ok(d, ssdlab_close(d));
}

static void *call_from_another_thread(void *drive)
{
	ssdlab_drive *d = drive;
	bool refused = WRITE(.sector = 0) == SSDLAB_MISTAKE && ssdlab_drain(d) == SSDLAB_MISTAKE &&
		       ssdlab_close(d) == SSDLAB_MISTAKE;

	return refused && strstr(ssdlab_error(d), "another thread is in a call of this drive") ? d : NULL;
}

static int progress_with_a_thread(void *inside, uint64_t requests, double share)
{
	struct inside *in = inside;
	pthread_t thread;
	void *done;

	(void)requests;
	(void)share;
	in->calls++;
	assert_int_equal(pthread_create(&thread, NULL, call_from_another_thread, in->drive), 0);
	assert_int_equal(pthread_join(thread, &done), 0);
	assert_ptr_equal(done, in->drive);
	return 0;
}

static void test_two_threads_cannot_use_one_drive(void **state)
{
	struct inside in = { 0 };
	ssdlab_drive *d = opened(FRESH "trace.fold=true trace.limit=9000",
		(struct ssdlab_options){ .progress = progress_with_a_thread, .progress_context = &in });

	(void)state;
	in.drive = d;
	assert_ok(d, ssdlab_run(d, "mixed"));
	assert_true(in.calls >= 2);
	assert_ok(d, ssdlab_check(d));
	assert_ok(d, ssdlab_close(d));
}

/* What a thread could do with a drive that others use, too. */
struct user {
	ssdlab_drive *drive;
	size_t entered, refused, others; /* others: for another reason */
};

static void *write_at_will(void *user)
{
	struct user *u = user;
	ssdlab_drive *d = u->drive;

	for (int i = 0; i < 3000; i++)
		if (GOOD(.tag = NULL) == SSDLAB_OK)
			u->entered++;
		else if (strstr(ssdlab_error(d), "another thread is in a call of this drive"))
			u->refused++;
		else
			u->others++;
	return user;
}

static void test_threads_at_one_drive_leave_it_whole(void **state)
{
	enum { THREADS = 4 };
	ssdlab_drive *d = opened(FRESH, (struct ssdlab_options){ 0 });
	struct user user[THREADS];
	pthread_t thread[THREADS];
	size_t entered = 0;
	double served;

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		user[i] = (struct user){ .drive = d };
		assert_int_equal(pthread_create(&thread[i], NULL, write_at_will, &user[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		assert_int_equal(user[i].entered + user[i].refused, 3000);
		assert_int_equal(user[i].others, 0);
		entered += user[i].entered;
	}
	assert_ok(d, ssdlab_drain(d));
	assert_ok(d, ssdlab_check(d));
	assert_ok(d, ssdlab_statistic(d, "run.served", &served));
	assert_float_equal(served, (double)entered, 0);
	assert_ok(d, ssdlab_close(d));
}

/* The reason stays, whatever is tried in between. */
static void test_a_full_drive_says_so_again(void **state)
{
	ssdlab_drive *d = opened(FRESH "flash.endurance=1", (struct ssdlab_options){ 0 });
	enum ssdlab_status status = SSDLAB_OK;
	double value;

	(void)state;
	for (uint64_t i = 0; i < 5000 && status == SSDLAB_OK; i++)
		status = REQUEST(.kind = SSDLAB_WRITE, .sector = i * 4 % 768, .sectors = 4);
	assert_int_equal(status, SSDLAB_DRIVE_FULL);
	assert_refused("statistic", d, ssdlab_statistic(d, "nonsense", &value), "nonsense");
	assert_int_equal(WRITE(.sector = 0), SSDLAB_DRIVE_FULL);
	assert_says("full", ssdlab_error(d), "worn out after");
	assert_ok(d, ssdlab_close(d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_call_refuses_what_it_cannot_do),
		cmocka_unit_test(test_a_call_of_no_drive_is_refused),
		cmocka_unit_test(test_no_requests_are_no_mistake),
		cmocka_unit_test(test_each_drive_that_cannot_be_is_refused),
		cmocka_unit_test(test_options_that_are_not_there_are_refused),
		cmocka_unit_test(test_addresses_are_folded_only_on_request),
		cmocka_unit_test(test_a_handle_is_named_as_the_drive_reads_it),
		cmocka_unit_test(test_time_can_pass_up_to_its_end),
		cmocka_unit_test_setup_teardown(test_a_workload_ends_before_time_does, set_up, tear_down),
		cmocka_unit_test(test_a_callback_cannot_call_its_drive),
		cmocka_unit_test(test_a_handler_of_bugs_cannot_call_its_drive),
		cmocka_unit_test(test_two_threads_cannot_use_one_drive),
		cmocka_unit_test(test_threads_at_one_drive_leave_it_whole),
		cmocka_unit_test(test_a_full_drive_says_so_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
