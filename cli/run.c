/* `ssd run`: simulate a drive serving a trace. */
#include "base/memory.h"
#include "base/version.h"
#include "cli/cli.h"
#include "drive/image.h"
#include "drive/statistics.h"
#include "stats/output.h"

#include <signal.h>
#include <string.h>

/* The only state outside a run: what a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

/* Until the first request there is nothing to save, and Ctrl-C simply ends the program; then it ends the run,
 * and a second one the program. */
static void catch_interrupt(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
}

/* The command as it was typed, for the record. */
static char *command_line(char **typed)
{
	size_t bytes = 4;
	char *text;

	for (char **word = typed; *word; word++)
		bytes += strlen(*word) + 1;
	text = memory_array(bytes, 1, "command line");
	strcpy(text, "ssd");
	for (char **word = typed; *word; word++)
		strcat(strcat(text, " "), *word);
	return text;
}

static bool keep_going(void *progress, const struct run *run)
{
	if (progress_due(progress))
		progress_show(progress, run->requests, workload_progress(run->workload), run->drive);
	return !interrupted;
}

/* ---- results ---- */

static bool open_in_folder(struct output *out, const char *folder, const char *name, struct fault *fault)
{
	size_t bytes = strlen(folder) + strlen(name) + 2;
	char *path = memory_array(bytes, 1, "path");
	bool done;

	snprintf(path, bytes, "%s/%s", folder, name);
	done = output_open(out, path, fault);
	memory_free(path);
	return done;
}

static bool write_folder(
	const char *folder, const struct report *report, const struct drive *drive, struct fault *fault)
{
	struct output out;

	if (!open_in_folder(&out, folder, "latency.txt", fault))
		return false;
	statistics_write_latencies(drive, out.stream);
	if (!output_commit(&out, fault) || !open_in_folder(&out, folder, "wear.txt", fault))
		return false;
	statistics_write_wear(drive, out.stream);
	if (!output_commit(&out, fault) || !open_in_folder(&out, folder, "statistics.txt", fault))
		return false;
	report_write_text(report, out.stream);
	return output_commit(&out, fault);
}

static bool write_results(
	const struct options *o, const struct report *report, const struct drive *drive, struct fault *fault)
{
	struct output json;

	if (!o->quiet)
		report_write_text(report, stdout);
	if (o->json) {
		if (!output_open(&json, o->json, fault))
			return false;
		report_write_json(report, json.stream);
		if (!output_commit(&json, fault))
			return false;
	}
	return !o->folder || write_folder(o->folder, report, drive, fault);
}

/* ---- the run ---- */

static bool prepare(struct drive *drive, const struct options *o, struct workload *workload,
	struct precondition_result *before, struct fault *fault)
{
	if (o->load_drive) {
		*before = (struct precondition_result){ 0 };
		if (!image_load(drive, o->load_drive, fault))
			return false;
		precondition_count(drive, before);
	} else if (!precondition(drive, workload, before, fault)) {
		return false;
	}
	if (o->save_drive && !image_save(drive, o->save_drive, fault))
		return false;
	stat_list_start(&drive->statistics);
	return true;
}

static int status_of(enum run_end end)
{
	if (end == RUN_DRIVE_FAILED)
		return STATUS_DRIVE_FAILED;
	return end == RUN_INTERRUPTED ? STATUS_INTERRUPTED : STATUS_DONE;
}

static void explain(struct explanation *x, const struct run *run)
{
	if (x->number && !x->seen)
		cli_note("warning: --explain %llu: the run had %llu requests", (unsigned long long)x->number,
			(unsigned long long)run->requests);
	explanation_write(x, run->drive, stdout);
	explanation_release(x, run->drive);
}

static void tell_doubt(const struct drive *drive, const struct options *o)
{
	char text[320];

	if (!o->quiet && statistics_doubt(drive, text, sizeof text))
		cli_warn(NULL, text);
}

/* On stderr, so that results stay reproducible. */
static void tell_speed(const struct progress *p, uint64_t requests, bool quiet)
{
	double elapsed = progress_end(p);

	if (!quiet)
		cli_note("%llu requests in %.2f s (%.0f requests/s)", (unsigned long long)requests, elapsed,
			elapsed > 0 ? (double)requests / elapsed : 0);
}

static int simulate(struct drive *drive, struct workload *workload, const struct options *o,
	const char *command, struct fault *fault)
{
	struct progress progress;
	struct precondition_result before;
	struct run run = {
		.drive = drive, .workload = workload, .keep_going = keep_going, .context = &progress
	};
	struct run_facts facts = { .command = command,
		.version = SSD_VERSION,
		.parameters = o->operand.text[0],
		.workload = o->operand.text[1],
		.before = &before };
	struct explanation explanation = { .number = o->explain };
	struct report *report;
	bool written;

	run.explanation = o->explain ? &explanation : NULL;
	if (!prepare(drive, o, workload, &before, fault))
		return STATUS_USER;
	progress_start(&progress, o->quiet);
	catch_interrupt();
	facts.end = run_workload(&run, fault);
	tell_speed(&progress, run.requests, o->quiet || facts.end == RUN_BAD_WORKLOAD);
	explain(&explanation, &run);
	if (facts.end == RUN_BAD_WORKLOAD)
		return STATUS_USER;
	drive_check(drive);
	tell_doubt(drive, o);
	report = report_create();
	statistics_report(report, &run, &facts);
	written = write_results(o, report, drive, fault);
	report_free(report);
	return written ? status_of(facts.end) : STATUS_USER;
}

/* A format that was found and not given is said, so that a wrong guess is seen. */
static void tell_format(const struct options *o, const struct settings *settings, const struct workload *w)
{
	if (w->trace && !o->quiet && !strcmp(settings->trace.format, "auto"))
		cli_note("%s: format %s", w->name, trace_format(w->trace));
}

static int run_with(const struct options *o, const struct settings *settings, struct fault *fault)
{
	struct workload workload = { 0 };
	struct drive *drive = drive_create(settings, o->verify, fault);
	char *command = command_line(o->typed);
	int status = STATUS_USER;

	if (drive && (!o->folder || cli_make_folder(o->folder, fault)) &&
		workload_open(&workload, o->operand.text[1], &settings->trace,
			precondition_reads(&settings->precondition), o->quiet ? NULL : cli_warn, fault)) {
		tell_format(o, settings, &workload);
		status = simulate(drive, &workload, o, command, fault);
	}
	workload_close(&workload);
	drive_free(drive);
	memory_free(command);
	return status;
}

int cli_run(const struct options *o, struct fault *fault)
{
	struct settings settings;
	int status = STATUS_USER;

	if (settings_init(&settings, fault) &&
		settings_read(&settings, o->operand.text[0], o->setting.text, o->setting.count, fault))
		status = run_with(o, &settings, fault);
	settings_release(&settings);
	return status;
}
