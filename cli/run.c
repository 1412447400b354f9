/* `ssd run`: simulate a drive serving a trace. */
#include "base/memory.h"
#include "base/version.h"
#include "cli/saver.h"
#include "prepare/image.h"
#include "run/report.h"
#include "stats/output.h"
#include "run/trace_events.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static bool is_apart(const struct options *o, const char *word)
{
	for (size_t i = 0; i < o->apart.count; i++)
		if (o->apart.text[i] == word)
			return true;
	return false;
}

/* The command as it was typed, for the record, without what only says how the run is to survive. */
static char *command_line(const struct options *o)
{
	char **typed = o->typed;
	size_t bytes = 4;
	char *text;

	for (char **word = typed; *word; word++)
		bytes += strlen(*word) + 1;
	text = memory_array(bytes, 1, "command line");
	strcpy(text, "ssd");
	for (char **word = typed; *word; word++)
		if (!is_apart(o, *word))
			strcat(strcat(text, " "), *word);
	return text;
}

/* What goes on beside a run. */
struct beside {
	struct progress progress;
	struct saver *saver;
};

static bool keep_going(void *context, const struct run *run)
{
	struct beside *b = context;
	bool ends = cli_signal();

	if (progress_due(&b->progress))
		progress_show(&b->progress, run->requests, workload_progress(run->workload), run->drive);
	saver_pass(b->saver, ends);
	return !ends;
}

/* ---- results ---- */

/* Opened before the run, so that a name that cannot be is found at once. */
struct results {
	/* Those not asked for have no stream. */
	struct output json, latency, wear, statistics, series, log, timeline;
	struct journal *rows; /* of the log, or NULL */
	struct saver saver;
};

static bool open_in_folder(struct output *out, const char *folder, const char *name, struct fault *fault)
{
	char *path = cli_joined(folder, "/", name);
	bool done = output_open(out, path, fault);

	memory_free(path);
	return done;
}

static bool is_packed(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcmp(path + length - 4, ".zst");
}

/* The rows of a run that may be resumed are packed at its end. */
static bool open_log(struct results *r, const char *path, struct fault *fault)
{
	FILE *beside = r->saver.log;

	if (output_open(&r->log, path, fault))
		r->rows = journal_create(beside ? beside : r->log.stream, !beside && is_packed(path), fault);
	return r->rows;
}

/* What is in the folder, and beside a run that is saved, has names that nobody typed. */
static bool are_distinct(const struct options *o, struct fault *fault)
{
	static const char *const beside[] = { "statistics.txt", "latency.txt", "wear.txt", "series.csv" };
	enum { BESIDE = sizeof beside / sizeof *beside, TYPED = 10 };
	const char *saved = o->resume ? o->resume : o->checkpoint,
		   *name = o->resume ? "--resume" : "--checkpoint";
	char *in_folder[BESIDE] = { NULL }, *series = saved ? cli_joined(saved, "", ".series") : NULL,
	     *log = saved ? cli_joined(saved, "", ".log") : NULL;
	struct named file[TYPED + BESIDE] = { { "the parameters", o->operand.text[0], false },
		{ "the trace", o->trace.list ? NULL : o->operand.text[1], false },
		{ "--load-drive", o->load_drive, false }, { "--json", o->json, true },
		{ "--log", o->log, true }, { "--timeline", o->timeline[1], true },
		{ "--save-drive", o->save_drive, true }, { name, saved, true },
		{ "the rows saved beside the run", series, true },
		{ "the rows saved beside the run", log, true } };
	bool distinct;

	for (size_t i = 0; i < BESIDE; i++) {
		in_folder[i] = o->folder && (i < BESIDE - 1 || o->series)
				       ? cli_joined(o->folder, "/", beside[i])
				       : NULL;
		file[TYPED + i] = (struct named){ "a result of -o", in_folder[i], true };
	}
	distinct = cli_distinct(file, TYPED + BESIDE, fault);
	for (size_t i = 0; i < BESIDE; i++)
		memory_free(in_folder[i]);
	memory_free(series);
	memory_free(log);
	return distinct;
}

static bool results_open(struct results *r, const struct options *o, struct fault *fault)
{
	if ((o->folder && !cli_make_folder(o->folder, fault)) || !are_distinct(o, fault) ||
		!saver_open(&r->saver, o, fault) || (o->json && !output_open(&r->json, o->json, fault)) ||
		(o->log && !open_log(r, o->log, fault)) ||
		(o->timeline[1] && !output_open(&r->timeline, o->timeline[1], fault)))
		return false;
	if (o->series && !open_in_folder(&r->series, o->folder, "series.csv", fault))
		return false;
	return !o->folder || (open_in_folder(&r->latency, o->folder, "latency.txt", fault) &&
				     open_in_folder(&r->wear, o->folder, "wear.txt", fault) &&
				     open_in_folder(&r->statistics, o->folder, "statistics.txt", fault));
}

static void results_abandon(struct results *r)
{
	journal_free(r->rows);
	saver_close(&r->saver);
	output_abandon(&r->json);
	output_abandon(&r->latency);
	output_abandon(&r->wear);
	output_abandon(&r->statistics);
	output_abandon(&r->series);
	output_abandon(&r->log);
	output_abandon(&r->timeline);
}

static bool commit(struct output *out, struct fault *fault)
{
	return !out->stream || output_commit(out, fault);
}

/* Rows that were written beside come into place. */
static bool copy_rows(const struct results *r, const struct options *o, struct fault *fault)
{
	const struct saver *saver = &r->saver;

	return (!saver->series || journal_copy(saver->series, r->series.stream, false, fault)) &&
	       (!saver->log || journal_copy(saver->log, r->log.stream, is_packed(o->log), fault));
}

static bool results_write(struct results *r, const struct options *o, const struct report *report,
	const struct drive *drive, struct fault *fault)
{
	if (!o->quiet)
		report_write_text(report, stdout);
	if (r->rows && !journal_finish(r->rows, fault))
		return false;
	if (r->json.stream)
		report_write_json(report, r->json.stream);
	if (o->folder) {
		run_report_latencies(drive, r->latency.stream);
		run_report_wear(drive, r->wear.stream);
		report_write_text(report, r->statistics.stream);
	}
	return copy_rows(r, o, fault) && commit(&r->json, fault) && commit(&r->latency, fault) &&
	       commit(&r->wear, fault) && commit(&r->statistics, fault) && commit(&r->series, fault) &&
	       commit(&r->log, fault) && commit(&r->timeline, fault);
}

/* ---- the run ---- */

/* A drive of the folder, made and kept there if it is missing. */
static bool find_or_make(
	struct drive *drive, struct preparation *preparation, const char *folder, struct fault *fault)
{
	char *name = image_name(drive), *path = cli_joined(folder, "/", name);
	bool there = !access(path, F_OK), done;

	if (there)
		done = image_load(drive, path, fault);
	else
		done = preparation_apply(preparation, drive, fault) && cli_make_folder(folder, fault) &&
		       image_save(drive, path, fault);
	memory_free(name);
	memory_free(path);
	return done;
}

static bool is_signalled(void)
{
	return cli_signal() != 0;
}

/* True, too, if a signal stops it. */
static bool prepare(struct drive *drive, const struct options *o, struct workload *workload,
	struct precondition_result *before, struct fault *fault)
{
	struct preparation *preparation;
	bool done;

	drive->stops = is_signalled;
	preparation = preparation_read(drive, workload, fault);
	done = preparation;

	if (done && o->load_drive)
		done = image_load(drive, o->load_drive, fault);
	else if (done && o->drives)
		done = find_or_make(drive, preparation, o->drives, fault);
	else if (done)
		done = preparation_apply(preparation, drive, fault);
	preparation_free(preparation);
	done = done && (!o->save_drive || image_save(drive, o->save_drive, fault));
	if (!done && !drive->stopped)
		return false;
	stat_list_start(&drive->statistics);
	precondition_count(drive, before);
	return true;
}

static int status_of(enum run_end end)
{
	if (end == RUN_DRIVE_FAILED)
		return STATUS_DRIVE_FAILED;
	return end == RUN_INTERRUPTED ? STATUS_SIGNAL + cli_signal() : STATUS_DONE;
}

/* A run that was stopped while its drive was prepared has served nothing. */
static enum run_end run_prepared(struct run *run, struct saver *saver, struct fault *fault)
{
	if (!run->drive->stopped)
		return run_workload(run, fault);
	cli_note("ended by signal %d before the first request, while the drive was prepared", cli_signal());
	saver_abandon(saver);
	return RUN_INTERRUPTED;
}

static void explain(struct explanation *x, const struct run *run)
{
	if (x->number && !x->seen)
		cli_note("warning: --explain %llu: the run had %llu requests", (unsigned long long)x->number,
			(unsigned long long)run->requests);
	explanation_write(x, run->drive, stdout);
	explanation_release(x, run->drive);
}

/* False and a fault: it cannot be. */
static bool read_timeline(struct timeline *t, const struct options *o, struct fault *fault)
{
	if (!o->timeline[0])
		return true;
	if (o->explain)
		return fault_set(fault, "run: --timeline and --explain: one at a time");
	return (cli_range(o->timeline[0], &t->from, &t->to) && t->from) ||
	       fault_set(fault, "run: --timeline %s: should be numbers of requests, FROM..TO, from 1",
		       o->timeline[0]);
}

/* Written, if it was asked for, and released. */
static void end_timeline(struct timeline *t, const struct options *o, struct drive *drive, FILE *out)
{
	size_t length = o->timeline[1] ? strlen(o->timeline[1]) : 0;
	bool page = length > 5 && !strcmp(o->timeline[1] + length - 5, ".html");

	timeline_end(t, drive);
	if (out)
		(page ? trace_events_write_page : trace_events_write)(t, drive, out);
	timeline_release(t);
}

static void tell_doubt(const struct drive *drive, const struct options *o)
{
	char text[320];

	if (!o->quiet && run_report_doubt(drive, text, sizeof text))
		cli_warn(NULL, text);
	if (!o->quiet && drive->ftl->ops->doubt && drive->ftl->ops->doubt(drive->ftl, text, sizeof text))
		cli_warn(NULL, text);
}

/* Whatever is asked to be quiet: why the status is STATUS_DRIVE_FAILED, and when it happened. */
static void tell_failure(const struct run *run, enum run_end end)
{
	const struct drive *d = run->drive;
	struct ftl_facts facts = { 0 };
	char all[40] = "";

	if (end != RUN_DRIVE_FAILED)
		return;
	d->ftl->ops->facts(d->ftl, &facts);
	if (workload_requests(run->workload))
		snprintf(all, sizeof all, " of %" PRIu64, workload_requests(run->workload));
	if (facts.retired_blocks)
		cli_note("worn out after %" PRIu64 "%s requests: %" PRIu64 " of %u blocks have reached "
			 "flash.endurance, no page can be written any more",
			run->requests, all, facts.retired_blocks, d->geometry.blocks);
	else
		cli_note("full after %" PRIu64
			 "%s requests: no page can be written and no block reclaimed; a larger "
			 "flash.over_provisioning helps",
			run->requests, all);
}

/* On stderr, so that results stay reproducible. */
static void tell_speed(const struct progress *p, uint64_t requests, bool quiet)
{
	double elapsed = progress_end(p);

	if (!quiet)
		cli_note("%llu requests in %.2f s (%.0f requests/s)", (unsigned long long)requests, elapsed,
			elapsed > 0 ? (double)requests / elapsed : 0);
}

/* False and a fault: they cannot be. */
static bool read_windows(struct windows *w, const struct options *o, struct fault *fault)
{
	if (o->warm_up && !warm_up_read(w, o->warm_up))
		return fault_set(fault,
			"run: --warmup %s: should be a number of requests or a time (5000, 10s, "
			"20ms, 3us, 100ns), or 2%%:SPAN with such a one",
			o->warm_up);
	if (o->series && !span_read(&w->every, o->series))
		return fault_set(fault,
			"run: --series %s: should be a number of requests or a time: 5000, 10s, "
			"20ms, 3us, 100ns",
			o->series);
	return !o->series || o->folder ||
	       fault_set(fault,
		       "run: --series %s: needs -o DIR; it writes "
		       "DIR/series.csv",
		       o->series);
}

static void tell_warm_up(const struct windows *w, const struct options *o)
{
	if (!o->warm_up || o->quiet)
		return;
	if (w->counting)
		cli_note("warm-up: %" PRIu64 " requests, until %.9g s", w->counted_from.requests,
			(double)w->counted_from.when / 1e9);
	else
		cli_warn(NULL, "the warm-up did not end before the run; the statistics are those of the "
			       "whole run, of which a log has no rows");
}

/* What was saved of a run that is done goes when its results are there. */
static bool write_all(struct results *results, const struct options *o, const struct run *run,
	const struct run_facts *facts, struct fault *fault)
{
	struct report *report = report_create();
	bool written;

	run_report(report, run, facts);
	written = results_write(results, o, report, run->drive, fault);
	report_free(report);
	if (written && facts->end != RUN_INTERRUPTED)
		saver_remove(&results->saver);
	return written;
}

static int simulate(struct drive *drive, struct workload *workload, const struct options *o,
	const char *command, struct results *results, struct windows *windows, struct fault *fault)
{
	struct saver *saver = &results->saver;
	struct beside beside = { .saver = saver };
	struct precondition_result before;
	struct run run = { .drive = drive,
		.workload = workload,
		.keep_going = keep_going,
		.context = &beside,
		.ask_every = saver->requests,
		.summed = saver->path };
	struct run_facts facts = { .command = command,
		.version = SSD_VERSION,
		.parameters = o->operand.text[0],
		.workload = o->operand.text[1],
		.before = &before };
	struct explanation explanation = { .number = o->explain };
	struct timeline timeline = { .from = 0 };

	run.explanation = o->explain ? &explanation : NULL;
	run.windows = o->series || o->warm_up ? windows : NULL;
	windows->out = saver->series ? saver->series : results->series.stream;
	saver->what.run = &run;
	saver->what.before = &before;
	run.timeline = o->timeline[0] ? &timeline : NULL;
	if (!read_timeline(&timeline, o, fault))
		return STATUS_USER;
	if (results->rows)
		drive_keep_journal(drive, results->rows);
	cli_run_begins();
	if (saver->resume ? !saver_resume(saver, fault) : !prepare(drive, o, workload, &before, fault))
		return STATUS_USER;
	progress_start(&beside.progress, o->quiet);
	facts.end = run_prepared(&run, saver, fault);
	tell_failure(&run, facts.end);
	tell_speed(
		&beside.progress, run.requests, o->quiet || drive->stopped || facts.end == RUN_BAD_WORKLOAD);
	explain(&explanation, &run);
	end_timeline(&timeline, o, drive, results->timeline.stream);
	tell_warm_up(windows, o);
	if (facts.end == RUN_BAD_WORKLOAD)
		return STATUS_USER;
	if (!drive->stopped)
		drive_check(drive);
	tell_doubt(drive, o);
	return write_all(results, o, &run, &facts, fault) ? status_of(facts.end) : STATUS_USER;
}

/* A format that was found and not given is said, so that a wrong guess is seen. */
static void tell_format(const struct options *o, const struct settings *settings, const struct workload *w)
{
	if (w->trace && !o->trace.list && !o->quiet && !strcmp(settings->trace.format, "auto"))
		cli_note("%s: format %s", w->name, trace_format(w->trace));
}

/* ---- only to check ---- */

/* "key = value" if it has an effect; else, if it was given on the command line, why it has none, as a comment. */
static void print_effect(void *context, const struct param_echo *setting)
{
	const struct options *o = context;
	size_t length = strlen(setting->key);

	if (!*setting->unused)
		printf("%s = %s\n", setting->key, setting->value);
	for (size_t i = 0; *setting->unused && i < o->setting.count; i++)
		if (!strncmp(o->setting.text[i], setting->key, length) && o->setting.text[i][length] == '=')
			printf("# %s: without effect, %s\n", setting->key, setting->unused);
}

static int check_run(const struct options *o, const struct settings *settings)
{
	cli_listing();
	settings_echo(settings, print_effect, (void *)o);
	return STATUS_DONE;
}

static int run_with(const struct options *o, const struct settings *settings, struct fault *fault)
{
	struct workload workload = { 0 };
	struct results results = { .json = { NULL } };
	struct windows windows = { .rows = 0 };
	struct drive *drive = drive_create(settings, o->verify, fault);
	char *command = command_line(o);
	int status = STATUS_USER;

	if (drive && read_windows(&windows, o, fault) &&
		workload_open(&workload, o->operand.text[1], &settings->trace,
			precondition_reads(&settings->precondition), o->quiet ? NULL : cli_warn, fault) &&
		(o->check || results_open(&results, o, fault))) {
		tell_format(o, settings, &workload);
		status = o->check ? check_run(o, settings)
				  : simulate(drive, &workload, o, command, &results, &windows, fault);
	}
	results_abandon(&results);
	windows_release(&windows);
	workload_close(&workload);
	drive_free(drive);
	memory_free(command);
	return status;
}

static bool simulates(const struct settings *s, struct fault *fault)
{
	return !s->striped->superblock ||
	       fault_set(fault,
		       "striped.superblock = %llu: this device model is for `ssd measure`; 0 simulates a drive",
		       (unsigned long long)s->striped->superblock);
}

int cli_run(const struct options *o, struct fault *fault)
{
	struct settings settings;
	int status = STATUS_USER;

	if (settings_init(&settings, fault) &&
		settings_read(&settings, o->operand.text[0], o->setting.text, o->setting.count, fault) &&
		simulates(&settings, fault)) {
		settings.trace.list = o->trace.list;
		status = run_with(o, &settings, fault);
	}
	settings_release(&settings);
	return status;
}
