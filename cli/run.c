/* `ssd run`: simulate a drive serving a trace. */
#include "base/memory.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "drive/image.h"
#include "drive/statistics.h"
#include "stats/output.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
	char **assignment;
	size_t assignments;
	const char *folder, *json, *save_drive, *load_drive;
	const char *parameters, *workload;
	uint64_t explain; /* number of a request, 0 = none */
	bool verify, quiet;
};

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

static void usage(void)
{
	printf("usage: ssd run [option]... PARAMETERS TRACE\n\n"
	       "Simulates the drive described by PARAMETERS serving TRACE: a trace file in any known "
	       "format, plain or\n"
	       "compressed, \"-\" for standard input, or the name of a generator profile (ssd list).  "
	       "Statistics go to\n"
	       "standard output.\n\n"
	       "  -s KEY=VALUE         set a parameter, e.g. -s ftl=direct -s gc.threshold=0.05 (ssd "
	       "params)\n"
	       "  -o DIR               also write DIR/statistics.txt, latency.txt and wear.txt (columns for "
	       "gnuplot)\n"
	       "  --json FILE          also write the statistics as JSON\n"
	       "  --verify             compare every sector read with the newest written, check all "
	       "invariants\n"
	       "  --save-drive FILE    keep the preconditioned drive, before the first request\n"
	       "  --load-drive FILE    start from a kept drive instead of preconditioning\n"
	       "  --explain N          print what request N did: look-ups, operations, waits, times\n"
	       "  --quiet              no statistics on standard output, no progress\n\n"
	       "examples:\n"
	       "  ssd run parameters/tiny.cfg uniform\n"
	       "  ssd run -s trace.fold=true -o results/mine parameters/icpp23.cfg my-trace.csv.xz\n"
	       "  ssd run -s gc.policy=fifo -s host.mode=closed -s host.queue_depth=8 parameters/icpp23.cfg "
	       "lun1\n");
}

enum {
	OPTION_JSON = 256,
	OPTION_VERIFY,
	OPTION_QUIET,
	OPTION_SAVE,
	OPTION_LOAD,
	OPTION_EXPLAIN,
	OPTION_HELP
};

static const struct option long_options[] = {
	{ "json", required_argument, NULL, OPTION_JSON },
	{ "verify", no_argument, NULL, OPTION_VERIFY },
	{ "quiet", no_argument, NULL, OPTION_QUIET },
	{ "save-drive", required_argument, NULL, OPTION_SAVE },
	{ "load-drive", required_argument, NULL, OPTION_LOAD },
	{ "explain", required_argument, NULL, OPTION_EXPLAIN },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

/* A whole number from 1, and nothing else. */
static bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *number;
}

/* Returns -1 to go on, or the exit status. */
static int parse(struct options *o, int argc, char **argv)
{
	int c;

	optind = 1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":s:o:qh", long_options, NULL)) != -1)
		switch (c) {
		case 's':
			o->assignment[o->assignments++] = optarg;
			break;
		case 'o':
			o->folder = optarg;
			break;
		case OPTION_JSON:
			o->json = optarg;
			break;
		case OPTION_VERIFY:
			o->verify = true;
			break;
		case 'q':
		case OPTION_QUIET:
			o->quiet = true;
			break;
		case OPTION_SAVE:
			o->save_drive = optarg;
			break;
		case OPTION_LOAD:
			o->load_drive = optarg;
			break;
		case OPTION_EXPLAIN:
			if (!parse_number(optarg, &o->explain))
				return cli_mistake(
					"--explain %s: should be the number of a request, from 1", optarg);
			break;
		case 'h':
		case OPTION_HELP:
			usage();
			return STATUS_DONE;
		case ':':
			return cli_mistake("option %s needs a value; `ssd run --help` explains the options",
				argv[optind - 1]);
		default:
			return cli_mistake(
				"unknown option %s; `ssd run --help` shows the options", argv[optind - 1]);
		}
	if (argc - optind != 2)
		return cli_mistake(
			"run needs a parameter file and a trace: ssd run [option]... PARAMETERS TRACE");
	o->parameters = argv[optind];
	o->workload = argv[optind + 1];
	return -1;
}

/* The command as it was typed, for the record. */
static char *command_line(int argc, char **argv)
{
	size_t bytes = 4;
	char *text;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	text = memory_array(bytes, 1, "command line");
	strcpy(text, "ssd");
	for (int i = 0; i < argc; i++) {
		strcat(text, " ");
		strcat(text, argv[i]);
	}
	return text;
}

static bool keep_going(void *progress, const struct run *run)
{
	progress_show(progress, run);
	return !interrupted;
}

static void warn(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "ssd: warning: %s\n", text);
}

/* ---- results ---- */

static void write_statistics(const void *report, FILE *out)
{
	report_write_text(report, out);
}

static void write_json(const void *report, FILE *out)
{
	report_write_json(report, out);
}

static void write_latencies(const void *drive, FILE *out)
{
	statistics_write_latencies(drive, out);
}

static void write_wear(const void *drive, FILE *out)
{
	statistics_write_wear(drive, out);
}

static bool write_file(
	const char *path, void (*write)(const void *, FILE *), const void *what, struct fault *fault)
{
	struct output out;

	if (!output_open(&out, path, fault))
		return false;
	write(what, out.stream);
	return output_commit(&out, fault);
}

static bool write_in_folder(const char *folder, const char *name, void (*write)(const void *, FILE *),
	const void *what, struct fault *fault)
{
	size_t bytes = strlen(folder) + strlen(name) + 2;
	char *path = memory_array(bytes, 1, "path");
	bool done;

	snprintf(path, bytes, "%s/%s", folder, name);
	done = write_file(path, write, what, fault);
	memory_free(path);
	return done;
}

static bool write_results(
	const struct options *o, const struct report *report, const struct drive *drive, struct fault *fault)
{
	if (!o->quiet)
		report_write_text(report, stdout);
	if (o->json && !write_file(o->json, write_json, report, fault))
		return false;
	if (!o->folder)
		return true;
	return write_in_folder(o->folder, "latency.txt", write_latencies, drive, fault) &&
	       write_in_folder(o->folder, "wear.txt", write_wear, drive, fault) &&
	       write_in_folder(o->folder, "statistics.txt", write_statistics, report, fault);
}

/* Every folder of the path that is missing is made, before the run rather than after it. */
static bool make_folder(const char *folder, struct fault *fault)
{
	char *path = memory_string(folder, "path");
	bool done = true;

	for (char *slash = strchr(path + 1, '/'); done; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			done = fault_set(fault, "%s: cannot be made: %s", path, strerror(errno));
		if (!slash)
			break;
		*slash = '/';
	}
	memory_free(path);
	return done;
}

/* ---- the run ---- */

static bool prepare(
	struct drive *drive, const struct options *o, struct precondition_result *before, struct fault *fault)
{
	if (o->load_drive) {
		*before = (struct precondition_result){ 0 };
		if (!image_load(drive, o->load_drive, fault))
			return false;
		precondition_count(drive, before);
	} else if (!precondition(drive, o->workload, before, fault)) {
		return false;
	}
	if (o->save_drive && !image_save(drive, o->save_drive, fault))
		return false;
	drive_statistics_start(drive);
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
	char text[120];

	if (x->number && !x->seen) {
		snprintf(text, sizeof text, "--explain %llu: the run had %llu requests",
			(unsigned long long)x->number, (unsigned long long)run->requests);
		warn(NULL, text);
	}
	explanation_write(x, run->drive, stdout);
	explanation_release(x, run->drive);
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
		.parameters = o->parameters,
		.workload = o->workload,
		.before = &before };
	struct explanation explanation = { .number = o->explain };
	struct report *report;
	bool written;

	run.explanation = o->explain ? &explanation : NULL;
	if (!prepare(drive, o, &before, fault))
		return STATUS_USER;
	progress_start(&progress, o->quiet);
	catch_interrupt();
	facts.end = run_workload(&run, fault);
	progress_end(&progress, &run, o->quiet || facts.end == RUN_BAD_WORKLOAD);
	explain(&explanation, &run);
	if (facts.end == RUN_BAD_WORKLOAD)
		return STATUS_USER;
	drive_check(drive);
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
		fprintf(stderr, "ssd: %s: format %s\n", o->workload, trace_format(w->trace));
}

static int run_with(const struct options *o, const struct settings *settings, const char *command)
{
	struct fault fault = { "" };
	struct workload workload = { 0 };
	struct drive *drive = drive_create(settings, o->verify, &fault);
	int status = STATUS_USER;

	if (drive && (!o->folder || make_folder(o->folder, &fault)) &&
		workload_open(&workload, o->workload, &settings->trace, o->quiet ? NULL : warn, &fault)) {
		tell_format(o, settings, &workload);
		status = simulate(drive, &workload, o, command, &fault);
	}
	workload_close(&workload);
	drive_free(drive);
	return status == STATUS_USER ? cli_mistake("%s", fault.text) : status;
}

int cli_run(int argc, char **argv)
{
	struct options o = { .assignment = memory_array((size_t)argc, sizeof *o.assignment, "options") };
	char *command = command_line(argc, argv);
	struct settings settings;
	struct fault fault = { "" };
	int status = parse(&o, argc, argv);

	if (status < 0) {
		if (settings_init(&settings, &fault) &&
			settings_read(&settings, o.parameters, o.assignment, o.assignments, &fault))
			status = run_with(&o, &settings, command);
		else
			status = cli_mistake("%s", fault.text);
		settings_release(&settings);
	}
	memory_free(command);
	memory_free(o.assignment);
	return status;
}
