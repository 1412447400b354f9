/*
 * A run that is saved and resumed gives every number and every row of an unbroken run, wherever it was saved,
 * whatever the drive.
 *
 *	SEED=n      the first case (default 1)
 *	CASES=n     so many of each FTL and buffer
 *	TEST=text   only cases with it
 */
#include "drive/run/checkpoint.h"
#include "drive/run/report.h"
#include "tests/random_fixture.h"

enum { REQUESTS = SANITIZED ? 300 : 800 };

/* ---- one run ---- */

/* What a run left behind. */
struct ending {
	enum run_end end;
	char *report, *rows[2]; /* of the series and of the log; parts of the run, if it was resumed */
	size_t bytes[2];
};

struct case_of_run {
	const struct combination *combination;
	const char *trace;
	char path[TEMPORARY_PATH];
	uint64_t save_at; /* request before which it is saved; UINT64_MAX: it is not */
	bool resume;
};

struct stage {
	const struct case_of_run *how;
	struct settings settings;
	struct workload workload;
	struct windows windows;
	struct precondition_result before;
	struct run run;
	struct checkpoint what;
	struct journal *journal;
	FILE *out[2];
	struct ending ending;
};

static bool save_once(void *stage, const struct run *run)
{
	struct stage *s = stage;
	struct fault fault;

	if (run->requests != s->how->save_at)
		return true;
	journal_flush(s->journal);
	fflush(s->out[0]);
	fflush(s->out[1]);
	s->what.series_bytes = s->ending.bytes[0];
	s->what.log_bytes = s->ending.bytes[1];
	BUG_ON(!checkpoint_save(&s->what, s->how->path, &fault), "%s", fault.text);
	return true;
}

/* What a row leaves out may break an invariant long before it changes a number. */
static bool load_stage(struct stage *s, struct fault *fault)
{
	const struct drive *d = s->run.drive;

	if (!checkpoint_load(&s->what, s->how->path, fault))
		return false;
	host_check(d->host);
	buffer_check(d->buffer);
	ftl_check(d->ftl);
	schedule_check(d->flash->schedule);
	return true;
}

static bool open_stage(struct stage *s, struct fault *fault)
{
	const struct combination *c = s->how->combination;
	struct trace_options options = { .format = "csv", .columns = RANDOM_COLUMNS, .commands = true };

	fixture_settings(&s->settings, c->settings);
	s->settings.top.ftl = (int)c->ftl;
	s->settings.top.buffer = (int)c->buffer;
	s->settings.host.layer = (int)c->layer;
	s->workload = (struct workload){ .name = "trace", .limit = UINT64_MAX };
	s->workload.trace = trace_open_memory("trace", s->how->trace, strlen(s->how->trace), &options, fault);
	for (int i = 0; i < 2; i++)
		s->out[i] = open_memstream(&s->ending.rows[i], &s->ending.bytes[i]);
	s->windows = (struct windows){ .warm_up = { .requests = c->seed % 3 ? 0 : REQUESTS / 3 },
		.every = { .requests = 70 } };
	s->run = (struct run){ .drive = drive_create(&s->settings, false, fault),
		.workload = &s->workload,
		.keep_going = save_once,
		.ask_every = 1,
		.context = s,
		.keeps_sum = true,
		.windows = &s->windows };
	windows_open(&s->windows, s->run.drive, s->out[0]);
	s->what = (struct checkpoint){ .run = &s->run, .before = &s->before, .series = "70" };
	s->journal = journal_create(s->out[1], false, s->settings.host.of.tenants > 1, fault);
	journal_observe(s->journal, s->run.drive);
	s->run.journal = s->journal;
	if (s->how->resume)
		return load_stage(s, fault);
	if (!precondition(s->run.drive, &s->workload, &s->before, fault))
		return false;
	stat_list_start(&s->run.drive->statistics);
	return true;
}

static void report_stage(struct stage *s)
{
	struct run_facts facts = { .end = s->ending.end, .before = &s->before };
	struct report *report = report_create();
	size_t size;
	FILE *out = open_memstream(&s->ending.report, &size);

	facts.command = facts.version = facts.parameters = facts.workload = "";
	run_report(report, &s->run, &facts);
	report_write_text(report, out);
	run_report_latencies(s->run.drive, out);
	run_report_wear(s->run.drive, out);
	fclose(out);
	report_free(report);
}

static void close_stage(struct stage *s)
{
	assert_true(journal_finish(s->journal, &(struct fault){ "" }));
	journal_free(s->journal);
	fclose(s->out[0]);
	fclose(s->out[1]);
	workload_close(&s->workload);
	drive_free(s->run.drive);
	settings_release(&s->settings);
}

/* False: the drive cannot be prepared with these settings, or a file is refused. */
static bool run_case(const struct case_of_run *how, struct ending *ending, struct fault *fault)
{
	struct stage s = { .how = how };
	bool done = open_stage(&s, fault);

	if (done) {
		s.ending.end = run_workload(&s.run, fault);
		done = s.ending.end != RUN_BAD_WORKLOAD; /* a request is larger than the drive */
	}
	if (done) {
		drive_check(s.run.drive);
		report_stage(&s);
	}
	close_stage(&s);
	*ending = s.ending;
	return done;
}

static void free_ending(struct ending *e)
{
	free(e->report);
	free(e->rows[0]);
	free(e->rows[1]);
}

/* ---- a random case ---- */

static void same_bytes(const char *what, const char *left, size_t n, const char *right, size_t m)
{
	size_t at = 0, begun;

	while (at < n && at < m && left[at] == right[at])
		at++;
	for (begun = at; begun && left[begun - 1] != '\n';)
		begun--;
	BUG_ON(n != m || memcmp(left, right, n), "%s: %.*s is %.*s", what, (int)strcspn(left + begun, "\n"),
		left + begun, (int)strcspn(right + begun, "\n"), right + begun);
}

static void same_text(const char *what, const char *left, const char *right)
{
	same_bytes(what, left, strlen(left), right, strlen(right));
}

/* The rows of the whole run are those of the first part, up to the save, then those of the second. */
static void same_rows(const char *what, const struct ending *whole, const struct ending *first,
	const struct ending *second, int which)
{
	size_t before = whole->bytes[which] - second->bytes[which];

	BUG_ON(before > whole->bytes[which], "%s: there are more rows", what);
	same_bytes(what, whole->rows[which], before, first->rows[which], before);
	same_bytes(what, whole->rows[which] + before, second->bytes[which], second->rows[which],
		second->bytes[which]);
}

/* One bit of the file is flipped: it is refused. */
static void refuse_damaged(const struct case_of_run *how, struct random *random)
{
	FILE *file = fopen(how->path, "r+b");
	struct fault fault = { "" };
	struct ending e;
	long at;
	int c;

	fseek(file, 0, SEEK_END);
	at = (long)random_below(random, (uint32_t)ftell(file));
	fseek(file, at, SEEK_SET);
	c = fgetc(file);
	fseek(file, at, SEEK_SET);
	fputc(c ^ 1 << random_below(random, 8), file);
	fclose(file);
	BUG_ON(run_case(how, &e, &fault) || !*fault.text || strchr(fault.text, '\n'),
		"damaged at %ld, refused with \"%s\"", at, fault.text);
	free_ending(&e);
}

/* Saved before this request the run goes on as if it had not been, and so does the resumed one.  False: it
 * was not saved. */
static bool resume_at(struct case_of_run *how, const struct ending *whole, uint64_t request)
{
	struct ending saved, resumed;
	struct fault fault = { "" };

	how->save_at = request;
	how->resume = false;
	BUG_ON(!run_case(how, &saved, &fault), "%s", fault.text);
	same_text("saved", whole->report, saved.report);
	if (access(how->path, F_OK)) /* the drive had failed before */
		return false;
	how->resume = true;
	BUG_ON(!run_case(how, &resumed, &fault), "%s", fault.text);
	same_text("resumed", whole->report, resumed.report);
	same_rows("series", whole, &saved, &resumed, 0);
	same_rows("log", whole, &saved, &resumed, 1);
	free_ending(&saved);
	free_ending(&resumed);
	return true;
}

static void save_and_resume(void *combination)
{
	struct combination *c = combination;
	struct random random;
	struct case_of_run how = { .combination = c, .save_at = UINT64_MAX };
	struct ending whole;
	struct fault fault = { "" };

	random_init(&random, c->seed, 9);
	how.trace = random_trace(&random, REQUESTS, c, 90);
	add_of_host(c, &random, 40);
	temporary_path(how.path);
	if (!run_case(&how, &whole, &fault))
		return;
	for (uint64_t i = 0; i < amount(1, 3) && resume_at(&how, &whole, random_below(&random, REQUESTS));
		i++) {
		refuse_damaged(&how, &random);
		unlink(how.path);
	}
	free_ending(&whole);
	free((char *)how.trace);
}

/* Each pair has seeds of its own, unless one is given; `make test` plays every fifth pair. */
static uint64_t play_cases(size_t ftl, size_t buffer)
{
	const char *only = getenv("TEST");
	uint64_t cases = refuses(ftl, buffer) ? 0 : from_environment("CASES", 1), played = 0;
	uint64_t first = from_environment("SEED", 1 + 1000 * ftl + 100 * buffer);
	bool in_turn = only || !is_for_check(ftl + buffer, 5);

	for (uint64_t seed = first; in_turn && seed < first + cases; seed++) {
		struct combination c = {
			.ftl = ftl, .buffer = buffer, .layer = layer_for(ftl, seed % 2), .seed = seed
		};
		char repeat[320];

		snprintf(c.name, sizeof c.name, "%s+%s", ftls[ftl]->name, buffers[buffer]->name);
		if (only && !strstr(c.name, only))
			continue;
		snprintf(repeat, sizeof repeat, "CASES=1 TEST=%s tests/test_resume", c.name);
		draw_drive(&c);
		run_combination(&c, save_and_resume, repeat);
		played++;
	}
	return played;
}

static void test_a_resumed_run_is_the_run(void **state)
{
	uint64_t played = 0;

	(void)state;
	for (size_t ftl = 0; ftls[ftl]; ftl++)
		for (size_t buffer = 0; buffers[buffer]; buffer++)
			played += play_cases(ftl, buffer);
	print_message("%llu runs\n", (unsigned long long)played);
}

/* ---- cases by hand ---- */

struct by_hand {
	const char *ftl, *settings, *trace;
	uint64_t save_at;
};

static void resume_by_hand(void *context)
{
	const struct by_hand *b = context;
	struct combination c = { .seed = 1 };
	struct case_of_run how = { .combination = &c, .trace = b->trace, .save_at = UINT64_MAX };
	struct ending whole;
	struct fault fault = { "" };

	while (strcmp(ftls[c.ftl]->name, b->ftl))
		c.ftl++;
	snprintf(c.settings, sizeof c.settings, "%s", b->settings);
	temporary_path(how.path);
	BUG_ON(!run_case(&how, &whole, &fault) || !resume_at(&how, &whole, b->save_at), "%s", fault.text);
	unlink(how.path);
	free_ending(&whole);
}

#define ONE_DIE                                                                                              \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=32 flash.pages=8 "          \
	"flash.page_bytes=4K flash.over_provisioning=0.5 flash.read_ns=10000 flash.program_ns=100000 "       \
	"precondition.mode=fill "

/* Two SLC blocks of four pages are full after 8 * 165 us.  From 1.42 ms on the first one is folded: at 1.6
 * and 2 ms pages are read and programmed, at 2.6 ms it is being erased; at 4.3 ms the second one is
 * folded. */
#define FOLDING                                                                                              \
	ONE_DIE "precondition.mode=none slc.mode=static slc.density=2 slc.share=0.0625 slc.idle_ns=100000 "  \
		"slc.fold_passes=2 slc.erase_ns=1500000 flash.erase_ns=1000000 flash.copyback=false "        \
		"flash.command_ns=1000 flash.bus_mb_per_s=1024"
#define FOLDED                                                                                               \
	"0,W,0,32768,0,0\n1600,R,20480,4096,0,0\n2000,R,0,4096,0,0\n"                                        \
	"2600,R,0,4096,0,0\n4300,R,4096,4096,0,0\n4310,W,8192,4096,0,0\n9000,W,8192,32768,0,0\n"

#define FOUR_DIES                                                                                            \
	"flash.channels=4 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=32 flash.pages=8 "          \
	"flash.page_bytes=4K flash.over_provisioning=0.6 precondition.mode=fill "                            \
	"placement.policy=superblock placement.superblock=unit parity.on=true parity.fail_at=4 "             \
	"parity.fail_die=1 "

static const char of_parity[] = "0,W,0,40960,0,0\n10,R,4096,40960,0,0\n20,W,81920,20480,0,0\n"
				"30,R,0,409600,0,0\n40,W,4096,2048,0,0\n50,W,204800,81920,0,0\n"
				"60,R,204800,40960,0,0\n5000,R,0,819200,0,0\n";

static void test_what_is_waited_for_by_hand(void **state)
{
	static struct by_hand cases[] = {
		/* The second read hits what the first one is loading, a mapping page or an entry, and waits
		 * for it. */
		{ "sftl", ONE_DIE "map.cache_bytes=8K", "0,R,4096,4096,0,0\n0,R,8192,4096,0,0\n", 1 },
		{ "dftl", ONE_DIE "map.cache_bytes=64", "0,R,4096,4096,0,0\n0,R,4096,4096,0,0\n", 1 },
		/* At the save two reads have overtaken the write: it goes before the other two. */
		{ "page", ONE_DIE "flash.read_first_limit=2 flash.bus_mb_per_s=4096",
			"0,R,0,4096,0,0\n0,W,4096,4096,0,0\n0,R,8192,4096,0,0\n0,R,12288,4096,0,0\n"
			"0,R,16384,4096,0,0\n0,R,20480,4096,0,0\n30,R,24576,4096,0,0\n31,R,0,4096,0,0\n",
			7 },
		{ "page", FOLDING, FOLDED, 1 },
		{ "page", FOLDING, FOLDED, 2 },
		{ "page", FOLDING, FOLDED, 3 },
		{ "page", FOLDING, FOLDED, 5 },
		{ "dftl", FOLDING " map.cache_bytes=64", FOLDED, 3 },
		{ "page", FOLDING " slc.mode=dynamic slc.when_full=fold fdp.handles=2 fdp.by=hint", FOLDED,
			2 },
		/* Before, at and after the failure of a die, with reads of lost pages under way. */
		{ "page", FOUR_DIES, of_parity, 2 },
		{ "page", FOUR_DIES "parity.rebuild=all", of_parity, 3 },
		{ "page", FOUR_DIES, of_parity, 5 },
		{ "dftl", FOUR_DIES "map.cache_bytes=4K parity.rebuild=all", of_parity, 7 },
	};
	struct child child;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		run_in_child(&child, resume_by_hand, &cases[i]);
		if (child.status)
			fail_msg("case %zu: status %#x, %s", i, (unsigned)child.status, child.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_waited_for_by_hand),
		cmocka_unit_test(test_a_resumed_run_is_the_run),
	};

	return cmocka_run_group_tests_name("resumed runs", tests, NULL, NULL);
}
