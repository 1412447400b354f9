/*
 * Fuzz entry for saved runs: a run of the FTL, the buffer and the options that the first three bytes name is
 * saved half-way, numbers in the file are changed as the rest of the bytes say, and the sum at its end is
 * corrected.  Resuming must refuse it with a fault of one line, or give a run that ends with consistent
 * counts.
 */
#include "drive/run/checkpoint.h"
#include "parameters/params.h"
#include "tests/any_workload.h"
#include "tests/forge_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { OF_RUN = 160 }; /* requests */

static void set_run(struct settings *s, const char *setting)
{
	struct fault fault = { "" };

	BUG_ON(!params_set(setting, s->group, s->groups, &fault), "%s", fault.text);
}

/* Each bit of the third byte stands for an option. */
static void make_settings_of_run(struct settings *s, const uint8_t *data)
{
	static const char *const small[] = { "flash.channels=1", "flash.chips=2", "flash.dies=1",
		"flash.planes=2", "flash.blocks=16", "flash.pages=8", "flash.page_bytes=4K",
		"flash.over_provisioning=0.5", "map.cache_bytes=4K", "flash.order=ascending",
		"dram.buffer_bytes=32K", "trace.fold=true", "precondition.mode=fill" };
	static const char *const options[] = { "host.layer=indirect", "host.mode=closed",
		"flash.multiplane=any", "flash.suspend=program_and_erase", "map.load=request",
		"gc.policy=d_choices", "wear.delta=2", "flash.interleave=false" };
	int ftls_listed = 0, buffers_listed = 0;
	struct fault fault = { "" };

	while (ftls[ftls_listed])
		ftls_listed++;
	while (buffers[buffers_listed])
		buffers_listed++;
	BUG_ON(!settings_init(s, &fault), "%s", fault.text);
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		set_run(s, small[i]);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (data[2] >> i & 1)
			set_run(s, options[i]);
	s->top.ftl = data[0] % ftls_listed;
	s->top.buffer = data[1] % buffers_listed;
	BUG_ON(!set_any_workload(s, &fault), "%s", fault.text);
	s->ftl.gc.seed = s->ftl.map.seed = s->top.seed;
}

/* Requests arrive faster than they are served, so that some are always in flight. */
static char *requests_of_run(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct random random;

	random_init(&random, 1, 1);
	for (uint64_t i = 0; i < OF_RUN; i++) {
		char kind = "RWWD"[random_below(&random, 4)];
		uint64_t start = random_below(&random, 2000), sectors = 1 + random_below(&random, 24);

		fprintf(out, "%llu,%c,%llu,%llu\n", (unsigned long long)i * 200, kind,
			(unsigned long long)(SECTOR_BYTES * start),
			(unsigned long long)(SECTOR_BYTES * sectors));
	}
	fclose(out);
	return text;
}

struct whole {
	struct run run;
	struct workload workload;
	struct windows windows;
	struct precondition_result before;
	struct checkpoint what;
	FILE *rows;
	const char *path;
};

static bool go_on(void *whole, const struct run *run)
{
	(void)whole;
	(void)run;
	return true;
}

static bool save_half_way(void *whole, const struct run *run)
{
	struct whole *w = whole;
	struct fault fault = { "" };

	if (run->requests == OF_RUN / 2)
		BUG_ON(!checkpoint_save(&w->what, w->path, &fault), "%s", fault.text);
	return true;
}

/* False: there is no such drive. */
static bool begin_run(struct whole *w, const struct settings *s, const char *trace, const char *path)
{
	struct trace_options options = { .format = "csv", .columns = "time_us,op,offset_bytes,size_bytes" };
	struct fault fault = { "" };
	struct drive *d = drive_create(s, false, &fault);

	if (!d)
		return false;
	w->path = path;
	w->rows = fopen("/dev/null", "w");
	w->workload = (struct workload){ .name = "trace", .limit = UINT64_MAX };
	w->workload.trace = trace_open_memory("trace", trace, strlen(trace), &options, &fault);
	w->windows = (struct windows){ .warm_up = { .requests = OF_RUN / 4 }, .every = { .requests = 9 } };
	windows_open(&w->windows, d, w->rows);
	w->run = (struct run){ .drive = d,
		.workload = &w->workload,
		.keep_going = save_half_way,
		.ask_every = OF_RUN / 2,
		.context = w,
		.keeps_sum = true,
		.windows = &w->windows };
	w->what = (struct checkpoint){ .run = &w->run, .before = &w->before, .series = "9" };
	w->run.journal = journal_create(w->rows, false, false, &fault);
	journal_observe(w->run.journal, d);
	return true;
}

static void release_run(struct whole *w)
{
	windows_close(&w->windows);
	journal_free(w->run.journal);
	workload_close(&w->workload);
	drive_free(w->run.drive);
	fclose(w->rows);
}

/* False: there is no such drive, or it failed before it could be saved. */
static bool make_saved_run(const struct settings *s, const char *trace, const char *path)
{
	struct fault fault = { "" };
	struct whole w;

	if (!begin_run(&w, s, trace, path))
		return false;
	if (precondition(w.run.drive, &w.workload, &w.before, &fault)) {
		stat_list_start(&w.run.drive->statistics);
		run_workload(&w.run, &fault);
	}
	release_run(&w);
	return !access(path, F_OK);
}

static void resume_run(struct whole *w)
{
	struct fault fault = { "" };

	w->run.keep_going = go_on;
	if (checkpoint_load(&w->what, w->path, &fault) && run_workload(&w->run, &fault) != RUN_BAD_WORKLOAD)
		drive_check(w->run.drive);
	else
		BUG_ON(!*fault.text || strchr(fault.text, '\n'), "refused with \"%s\"", fault.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	enum { NAMED = 3 };
	struct settings settings;
	struct forgery file;
	struct whole w;
	char path[FORGERY_PATH], *trace;

	if (bytes < NAMED)
		return 0;
	forgery_path(path);
	make_settings_of_run(&settings, data);
	trace = requests_of_run();
	if (make_saved_run(&settings, trace, path)) {
		file = forgery_of(path);
		forge_as_said(&file, data + NAMED, bytes - NAMED, path);
		forgery_free(&file);
		begin_run(&w, &settings, trace, path);
		resume_run(&w);
		release_run(&w);
		unlink(path);
	}
	settings_release(&settings);
	free(trace);
	return 0;
}
