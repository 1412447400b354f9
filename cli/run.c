/* `ssd run`: simulate a drive serving a trace. */
#include "base/memory.h"
#include "base/utf8.h"
#include "base/version.h"
#include "base/wrap.h"
#include "cli/saver.h"
#include "drive/durable.h"
#include "drive/prepare/image.h"
#include "drive/run/explain.h"
#include "drive/run/report.h"
#include "drive/run/summary.h"
#include "drive/run/trace_events.h"
#include "stats/output.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The result files; those of -o follow the others. */
enum { OUT_JSON, OUT_LOG, OUT_TIMELINE, OUT_SERIES, OUT_LATENCIES, OUT_WEAR, OUT_STATISTICS, OUTS };

/* A run and everything that goes with it. */
struct session {
	const struct options *o;
	struct settings settings;
	struct drive *drive;
	struct workload workload;
	char *workload_names; /* as they were typed */
	struct precondition_result before;
	struct run run;
	enum run_end end;
	struct windows windows;
	struct explanation explanation;
	struct timeline timeline;
	struct progress progress;
	struct saver saver;
	char *path[OUTS]; /* NULL: not wanted */
	struct output out[OUTS];
	struct journal *log; /* the rows of --log, or NULL */
	struct report *report;
};

/* ---- result files ---- */

static bool run_ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), wanted = strlen(ending);

	return length > wanted && !strcmp(path + length - wanted, ending);
}

static const struct {
	const char *what; /* for messages */
	const char *name; /* in the folder of -o; NULL: an option names the file */
} run_outputs[OUTS] = {
	[OUT_JSON] = { "--json", NULL },
	[OUT_LOG] = { "--log", NULL },
	[OUT_TIMELINE] = { "--timeline", NULL },
	[OUT_SERIES] = { "a result of -o", "series.csv" },
	[OUT_LATENCIES] = { "a result of -o", "latency.txt" },
	[OUT_WEAR] = { "a result of -o", "wear.txt" },
	[OUT_STATISTICS] = { "a result of -o", "statistics.txt" },
};

static void run_name_outputs(struct session *s)
{
	const struct options *o = s->o;
	const char *const typed[OUTS] = {
		[OUT_JSON] = o->json, [OUT_LOG] = o->log, [OUT_TIMELINE] = o->timeline[1]
	};

	for (int i = 0; i < OUTS; i++)
		if (typed[i])
			s->path[i] = memory_string(typed[i], "file name");
		else if (run_outputs[i].name && o->folder && (i != OUT_SERIES || o->series))
			s->path[i] = cli_joined(o->folder, "/", run_outputs[i].name);
}

/* No result may overwrite another one, or an input. */
static bool run_files_are_distinct(const struct session *s, struct fault *fault)
{
	enum { FIRST = 3 + TENANTS_MOST, BEHIND = FIRST + OUTS };
	const struct options *o = s->o;
	const char *saved = o->resume ? o->resume : o->checkpoint;
	char *series = saved ? cli_joined(saved, "", ".series") : NULL,
	     *log = saved ? cli_joined(saved, "", ".log") : NULL;
	struct named file[BEHIND + 4] = { { "the parameters", o->operand.text[0], false },
		{ "--load-drive", o->load_drive, false }, { "the FTL", s->settings.brought.path, false },
		[BEHIND] = { "--save-drive", o->save_drive, true },
		{ o->resume ? "--resume" : "--checkpoint", saved, true },
		{ "the rows saved beside the run", series, true },
		{ "the rows saved beside the run", log, true } };
	bool distinct;

	for (size_t i = 1; i < o->operand.count && !o->trace.list; i++)
		file[2 + i] = (struct named){ "the trace", o->operand.text[i], false };
	for (int i = 0; i < OUTS; i++)
		file[FIRST + i] = (struct named){ run_outputs[i].what, s->path[i], true };
	distinct = cli_distinct(file, BEHIND + 4, fault);
	memory_free(series);
	memory_free(log);
	return distinct;
}

/*
 * Opened before the run, so that an unwritable path fails at once.  The log of a run that may be resumed is
 * compressed when the run ends.
 */
static bool run_open_outputs(struct session *s, struct fault *fault)
{
	const struct options *o = s->o;
	FILE *beside;

	run_name_outputs(s);
	if ((o->folder && !cli_make_folder(o->folder, fault)) || !run_files_are_distinct(s, fault) ||
		!saver_open(&s->saver, o, fault))
		return false;
	for (int i = 0; i < OUTS; i++)
		if (s->path[i] && !output_open(&s->out[i], s->path[i], fault))
			return false;
	if (!o->log)
		return true;
	beside = s->saver.rows[ROWS_LOG];
	s->log = journal_create(beside ? beside : s->out[OUT_LOG].stream,
		!beside && run_ends_in(o->log, ".zst"), s->settings.host.of.tenants > 1, fault);
	if (s->log && durable_matters(&s->settings))
		journal_tell_fua(s->log);
	return s->log;
}

/* The series and the log are written during the run; those beside a saved run still have to be copied. */
static bool run_write_output(struct session *s, int i, struct fault *fault)
{
	FILE *out = s->out[i].stream, *const *beside = s->saver.rows;

	switch (i) {
	case OUT_JSON:
		report_write_json(s->report, out);
		return true;
	case OUT_LOG:
		return journal_finish(s->log, fault) &&
		       (!beside[ROWS_LOG] ||
			       journal_copy(beside[ROWS_LOG], out, run_ends_in(s->o->log, ".zst"), fault));
	case OUT_TIMELINE:
		(run_ends_in(s->path[i], ".html") ? trace_events_write_page : trace_events_write)(
			&s->timeline, s->drive, out);
		return true;
	case OUT_SERIES:
		return !beside[ROWS_SERIES] || journal_copy(beside[ROWS_SERIES], out, false, fault);
	case OUT_LATENCIES:
		run_report_latencies(s->drive, out);
		return true;
	case OUT_WEAR:
		run_report_wear(s->drive, out);
		return true;
	default:
		report_write_text(s->report, out);
		return true;
	}
}

static bool run_write_outputs(struct session *s, struct fault *fault)
{
	bool done = true;

	for (int i = 0; i < OUTS && done; i++)
		done = !s->path[i] || run_write_output(s, i, fault);
	for (int i = 0; i < OUTS && done; i++)
		done = !s->path[i] || output_commit(&s->out[i], fault);
	return done;
}

/* ---- options ---- */

static bool run_read_windows(struct session *s, struct fault *fault)
{
	const struct options *o = s->o;

	if (o->warm_up && !warm_up_read(&s->windows, o->warm_up))
		return fault_set(fault,
			"run: --warmup %s: should be a number of requests or a time (5000, 10s, 20ms, 3us, "
			"100ns), or 2%%:SPAN with one of these",
			o->warm_up);
	if (o->series && !span_read(&s->windows.every, o->series))
		return fault_set(fault,
			"run: --series %s: should be a number of requests or a time: 5000, 10s, 20ms, 3us, "
			"100ns",
			o->series);
	return !o->series || o->folder ||
	       fault_set(fault, "run: --series %s: needs -o DIR; it writes DIR/series.csv", o->series);
}

static bool run_read_timeline(struct session *s, struct fault *fault)
{
	const char *range = s->o->timeline[0];

	return !range || (cli_range(range, &s->timeline.from, &s->timeline.to) && s->timeline.from) ||
	       fault_set(fault, "run: --timeline %s: should be numbers of requests, FROM..TO, from 1", range);
}

/* ---- before the run ---- */

/* Loads the drive from the folder; if it is not there, preconditions it and saves it there. */
static bool run_find_or_make(struct session *s, struct preparation *preparation, struct fault *fault)
{
	const char *folder = s->o->drives;
	char *name = image_name(s->drive), *path = cli_joined(folder, "/", name);
	bool done;

	if (!access(path, F_OK))
		done = image_load(s->drive, path, fault);
	else
		done = preparation_apply(preparation, s->drive, fault) && cli_make_folder(folder, fault) &&
		       image_keep(s->drive, path, fault);
	memory_free(name);
	memory_free(path);
	return done;
}

static bool run_is_signalled(void *unused)
{
	(void)unused;
	return cli_signal() != 0;
}

/* True also if a signal stopped it. */
static bool run_prepare(struct session *s, struct fault *fault)
{
	const struct options *o = s->o;
	struct preparation *preparation;
	bool done;

	s->drive->stops = run_is_signalled;
	preparation = preparation_read(s->drive, &s->workload, fault);
	if (!preparation)
		done = false;
	else if (o->load_drive)
		done = image_load(s->drive, o->load_drive, fault);
	else if (o->drives)
		done = run_find_or_make(s, preparation, fault);
	else
		done = preparation_apply(preparation, s->drive, fault);
	preparation_free(preparation);
	done = done && (!o->save_drive || image_save(s->drive, o->save_drive, fault));
	if (!done && !s->drive->stopped)
		return false;
	stat_list_start(&s->drive->statistics);
	precondition_count(s->drive, &s->before);
	return true;
}

static void run_tell_format_of(const struct workload *w)
{
	if (w->trace)
		cli_note("%s: format %s", w->name, trace_format(w->trace));
	for (uint32_t i = 0; i < w->parts; i++)
		run_tell_format_of(&w->part[i]);
}

/* A format that was guessed is shown, so that a wrong guess is noticed. */
static void run_tell_format(const struct session *s)
{
	if (!s->o->trace.list && !s->o->quiet && !strcmp(s->settings.trace.format, "auto"))
		run_tell_format_of(&s->workload);
}

/* ---- after the run ---- */

/* Below the summary; or on stderr, unless it was there already. */
static void run_print_warnings(const struct warnings *w, bool below)
{
	for (uint32_t i = 0; i < w->used; i++)
		if (below) {
			fputs("! ", stdout);
			wrap_print(stdout, w->list[i].text, "  ", 98);
		} else if (!w->list[i].told) {
			cli_warn(NULL, w->list[i].text);
		}
}

/* The list that was asked for, with warnings on stderr; or the summary, with warnings below it. */
static void run_print_report(struct session *s)
{
	const struct options *o = s->o;

	if (o->all || o->show)
		run_print_warnings(report_warnings(s->report), false);
	if (o->all) {
		report_write_text(s->report, stdout);
	} else if (o->show) {
		report_write_some(s->report, o->show, stdout);
	} else {
		summary_write(s->report, stdout);
		run_print_warnings(report_warnings(s->report), true);
		puts("all statistics: --all; some: --show 'waf gc.*'; as files: -o DIR, --json FILE");
	}
}

/* Printed even with --quiet: why the status is STATUS_DRIVE_FAILED, and when it happened. */
static void run_tell_failure(const struct session *s)
{
	struct fault why;

	if (s->end != RUN_DRIVE_FAILED)
		return;
	run_failure(&s->run, &why);
	cli_note("%s", why.text);
}

/* On stderr, so that results stay reproducible. */
static void run_tell_speed(const struct session *s)
{
	double elapsed = progress_end(&s->progress);

	if (!s->o->quiet && !s->drive->stopped && s->end != RUN_BAD_WORKLOAD)
		cli_note("%" PRIu64 " requests in %.2f s (%.0f requests/s)", s->run.requests, elapsed,
			elapsed > 0 ? (double)s->run.requests / elapsed : 0);
}

static void run_tell_warm_up(const struct session *s)
{
	const struct windows *w = &s->windows;

	if (s->o->warm_up && w->counting && !s->o->quiet)
		cli_note("warm-up: %" PRIu64 " requests, until %.9g s", w->counted_from.requests,
			(double)w->counted_from.when / 1e9);
}

static void run_tell_explanation(const struct session *s)
{
	const struct explanation *x = &s->explanation;

	if (x->number && !x->seen)
		cli_note("warning: --explain %" PRIu64 ": the run had %" PRIu64 " requests", x->number,
			s->run.requests);
	explanation_write(x, s->drive, stdout);
}

/* ---- the run ---- */

static bool run_keep_going(void *session, const struct run *run)
{
	struct session *s = session;
	bool ends = cli_signal();

	if (progress_due(&s->progress))
		progress_show(&s->progress, run->requests, workload_progress(run->workload), run->drive);
	saver_pass(&s->saver, ends);
	return !ends;
}

static void run_connect(struct session *s)
{
	FILE *series = s->saver.rows[ROWS_SERIES];

	s->run = (struct run){ .drive = s->drive,
		.workload = &s->workload,
		.keep_going = run_keep_going,
		.context = s,
		.ask_every = s->saver.requests,
		.keeps_sum = s->saver.path,
		.windows = s->o->series || s->o->warm_up ? &s->windows : NULL,
		.journal = s->log };
	s->explanation.number = s->o->explain;
	if (s->run.windows)
		windows_open(&s->windows, s->drive, series ? series : s->out[OUT_SERIES].stream);
	if (s->o->explain)
		explanation_observe(&s->explanation, s->drive);
	if (s->o->timeline[0])
		timeline_observe(&s->timeline, s->drive);
	if (s->log)
		journal_observe(s->log, s->drive);
	s->saver.what.run = &s->run;
	s->saver.what.before = &s->before;
}

/* A run that was stopped while its drive was prepared has served nothing. */
static enum run_end run_prepared(struct session *s, struct fault *fault)
{
	if (!s->drive->stopped)
		return run_workload(&s->run, fault);
	cli_note("ended by signal %d before the first request, while the drive was prepared", cli_signal());
	saver_abandon(&s->saver);
	return RUN_INTERRUPTED;
}

static int run_status(enum run_end end)
{
	if (end == RUN_DRIVE_FAILED)
		return STATUS_DRIVE_FAILED;
	return end == RUN_INTERRUPTED ? STATUS_SIGNAL + cli_signal() : STATUS_DONE;
}

/* The words, separated by blanks; to be freed. */
static char *run_joined(char *const *words, size_t n)
{
	char *joined = memory_string(words[0], "words");

	for (size_t i = 1; i < n; i++) {
		char *shorter = joined;

		joined = cli_joined(shorter, " ", words[i]);
		memory_free(shorter);
	}
	return joined;
}

/* "ssd run ..." as it was typed, without the options that do not change results. */
static char *run_command(const struct options *o)
{
	char *typed = run_joined(o->recorded.text, o->recorded.count);
	char *command = cli_joined("ssd run", " ", typed);

	memory_free(typed);
	return command;
}

static void run_make_report(struct session *s)
{
	char *command = run_command(s->o);
	struct run_facts facts = { .command = command,
		.version = SSD_VERSION,
		.parameters = s->o->operand.text[0],
		.workload = s->workload_names,
		.end = s->end,
		.before = &s->before };

	s->report = report_create();
	run_report(s->report, &s->run, &facts);
	memory_free(command);
}

/* Do the names of --show match statistics?  Checked on a report made before the run, without their values. */
static bool run_read_shown(struct session *s, struct fault *fault)
{
	char name[96];
	bool lacks;

	if (!s->o->show)
		return true;
	run_make_report(s);
	stat_list_report_left_out(&s->drive->statistics, s->report);
	lacks = report_lacks(s->report, s->o->show, name, sizeof name);
	report_free(s->report);
	s->report = NULL;
	return !lacks ||
	       fault_set(fault,
		       "run: --show %s: this run has no such statistic; `ssd list statistics` shows all",
		       name);
}

static int run_simulate(struct session *s, struct fault *fault)
{
	run_connect(s);
	if (!run_read_shown(s, fault))
		return STATUS_USER;
	cli_run_begins();
	if (s->saver.resume ? !saver_resume(&s->saver, fault) : !run_prepare(s, fault))
		return STATUS_USER;
	progress_start(&s->progress, s->o->quiet);
	s->end = run_prepared(s, fault);
	run_tell_failure(s);
	run_tell_speed(s);
	run_tell_explanation(s);
	run_tell_warm_up(s);
	if (s->end == RUN_BAD_WORKLOAD)
		return STATUS_USER;
	if (!s->drive->stopped)
		drive_check(s->drive);
	timeline_end(&s->timeline, s->drive);
	run_make_report(s);
	if (!s->o->quiet)
		run_print_report(s);
	if (!run_write_outputs(s, fault))
		return STATUS_USER;
	if (s->end != RUN_INTERRUPTED)
		saver_remove(&s->saver);
	return run_status(s->end);
}

/* ---- --check ---- */

static void run_print_value(const struct param_echo *setting)
{
	printf("%s = ", setting->key);
	utf8_print(stdout, setting->value);
	putchar('\n');
}

/* "key = value" if it has an effect; else, if it was given on the command line, why it has none, as a
 * comment. */
static void run_print_setting(void *options, const struct param_echo *setting)
{
	const struct options *o = options;
	size_t length = strlen(setting->key);

	if (!*setting->unused)
		run_print_value(setting);
	for (size_t i = 0; *setting->unused && i < o->setting.count; i++)
		if (!strncmp(o->setting.text[i], setting->key, length) && o->setting.text[i][length] == '=')
			printf("# %s: without effect, %s\n", setting->key, setting->unused);
}

static int run_check(const struct session *s)
{
	cli_listing();
	settings_echo(&s->settings, run_print_setting, (void *)s->o);
	return STATUS_DONE;
}

/* ---- the command ---- */

/* The drive of the settings.  With --check, a refusal is told from a mistake in one of them. */
static bool run_make_drive(struct session *s, struct fault *fault)
{
	struct fault why;

	s->drive = drive_create(&s->settings, s->o->verify, fault);
	if (s->drive || !s->o->check)
		return s->drive;
	why = *fault;
	return fault_set(fault, "cannot be simulated: %s", why.text);
}

/* To load the file of an FTL is to run a program. */
static bool run_check_loads_nothing(const struct options *o, struct fault *fault)
{
	const char *path = o->plugin;

	for (size_t i = 0; !path && i < o->setting.count; i++)
		path = settings_ftl_file(o->setting.text[i]);
	return !path ||
	       fault_set(fault,
		       "run: --check runs nothing, so that %.200s is not loaded, and what depends on it "
		       "cannot be checked; leave out --check",
		       path);
}

/* Everything that can be wrong is found here, before the drive is prepared. */
static bool run_open(struct session *s, struct fault *fault)
{
	const struct options *o = s->o;

	if (o->check && !run_check_loads_nothing(o, fault))
		return false;
	if (!cli_settings(&s->settings, o, fault) || !cli_have_traces(&s->settings, o, fault))
		return false;
	if (s->settings.striped->superblock)
		return fault_set(fault,
			"striped.superblock = %" PRIu64
			": this device model is for `ssd measure`; 0 simulates a "
			"drive",
			s->settings.striped->superblock);
	s->workload_names = run_joined(o->operand.text + 1, o->operand.count - 1);
	return run_make_drive(s, fault) && run_read_windows(s, fault) && run_read_timeline(s, fault) &&
	       workload_open_several(&s->workload, o->operand.text + 1, o->operand.count - 1, &s->settings,
		       (struct workload_opening){
			       precondition_reads(&s->settings.precondition), o->quiet ? NULL : cli_warn },
		       fault) &&
	       (o->check || run_open_outputs(s, fault));
}

static void run_close(struct session *s)
{
	explanation_release(&s->explanation);
	timeline_release(&s->timeline);
	memory_free(s->workload_names);
	journal_free(s->log);
	saver_close(&s->saver);
	for (int i = 0; i < OUTS; i++) {
		output_abandon(&s->out[i]);
		memory_free(s->path[i]);
	}
	report_free(s->report);
	windows_close(&s->windows);
	workload_close(&s->workload);
	drive_free(s->drive);
	settings_release(&s->settings);
}

int cli_run(const struct options *o, struct fault *fault)
{
	struct session s = { .o = o };
	int status = STATUS_USER;

	if (run_open(&s, fault)) {
		run_tell_format(&s);
		status = o->check ? run_check(&s) : run_simulate(&s, fault);
	}
	run_close(&s);
	return status;
}
