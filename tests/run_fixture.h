/*
 * A whole run for tests: settings and an SSDsim trace ("time_ns device sector sectors op", op 1 = read)
 * as text, replayed on a verified drive.
 */
#ifndef TESTS_RUN_FIXTURE_H
#define TESTS_RUN_FIXTURE_H

#include "drive/run/run.h"
#include "drive/run/report.h"
#include "tests/drive_fixture.h"

struct replay {
	struct settings settings;
	struct drive *drive;
	struct workload workload;
	struct run run;
	struct precondition_result before;
	struct fault fault;
	enum run_end end;
};

static inline bool replay_goes_on(void *context, const struct run *run)
{
	(void)context;
	(void)run;
	return true;
}

static inline struct replay *replay_open(const char *settings)
{
	struct replay *r = memory_array(1, sizeof *r, "replay");

	fixture_settings(&r->settings, settings);
	r->drive = drive_create(&r->settings, true, &r->fault);
	if (!r->drive)
		fail_msg("%s", r->fault.text);
	r->run = (struct run){ .drive = r->drive, .workload = &r->workload, .keep_going = replay_goes_on };
	return r;
}

/* Replays the trace; the statistics start with it. */
static inline void replay_trace(struct replay *r, const char *trace)
{
	struct trace_options options = { .format = "ssdsim", .commands = true };

	r->workload = (struct workload){ .name = "trace",
		.limit = r->settings.trace.limit ? r->settings.trace.limit : UINT64_MAX };
	r->workload.trace = trace_open_memory("trace", trace, strlen(trace), &options, &r->fault);
	if (!r->workload.trace)
		fail_msg("%s", r->fault.text);
	stat_list_start(&r->drive->statistics);
	r->end = run_workload(&r->run, &r->fault);
	if (r->end != RUN_BAD_WORKLOAD)
		drive_check(r->drive);
}

static inline struct replay *replay(const char *settings, const char *trace)
{
	struct replay *r = replay_open(settings);

	replay_trace(r, trace);
	return r;
}

static inline void replay_free(struct replay *r)
{
	workload_close(&r->workload);
	drive_free(r->drive);
	settings_release(&r->settings);
	memory_free(r);
}

/* The report as text; the caller frees it with free(). */
static inline char *replay_report(struct replay *r)
{
	struct run_facts facts = { .command = "ssd run",
		.version = "test",
		.parameters = "none",
		.workload = "trace",
		.before = &r->before };
	struct report *report = report_create();
	struct { /* not on the stack: gcc 12 would take the text for its own address */
		char *text;
		size_t size;
	} *memory = memory_array(1, sizeof *memory, "report");
	FILE *stream = open_memstream(&memory->text, &memory->size);
	char *text;

	facts.end = r->end;
	run_report(report, &r->run, &facts);
	report_write_text(report, stream);
	fclose(stream);
	report_free(report);
	text = memory->text;
	memory_free(memory);
	return text;
}

/* The number of that name in a report. */
static inline double value_of(const char *report, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = report; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, name, length) && !strncmp(line + length, " = ", 3))
			return strtod(line + length + 3, NULL);
	fail_msg("the report has no %s", name);
	return 0;
}

#endif
