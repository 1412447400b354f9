/* Shared by the commands: settings, remarks and progress on stderr, signals, files and folders. */
/* realpath() belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "base/memory.h"
#include "base/program.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "drive/drive.h"
#include "drive/statistics.h"
#include "stats/output.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --plugin, which is the first -s, and the others. */
static struct words cli_assignments(const struct options *o)
{
	struct words set = { memory_array(o->setting.count + 1, sizeof *set.text, "settings"), 0 };

	if (o->plugin)
		set.text[set.count++] = cli_joined("ftl=", strchr(o->plugin, '/') ? "" : "./", o->plugin);
	memcpy(set.text + set.count, o->setting.text, o->setting.count * sizeof *set.text);
	set.count += o->setting.count;
	return set;
}

bool cli_settings(struct settings *s, const struct options *o, struct fault *fault)
{
	const char *path = o->operand.count ? o->operand.text[0] : NULL;
	struct words set = cli_assignments(o);
	bool done = settings_init(s, fault) && settings_read(s, path, set.text, set.count, fault);

	if (o->plugin)
		memory_free(set.text[0]);
	memory_free(set.text);
	s->trace.list = o->trace.list;
	return done;
}

bool cli_have_traces(struct settings *s, const struct options *o, struct fault *fault)
{
	if (o->trace.list && o->operand.count > 2)
		return fault_set(fault, "-L takes the place of the trace, and \"%.200s\" is given",
			o->operand.text[1]);
	return settings_have_workloads(s, o->operand.count - 1, fault);
}

bool cli_range(const char *text, uint64_t *from, uint64_t *to)
{
	char *end;

	*from = *to = strtoull(text, &end, 10);
	if (end != text && !strncmp(end, "..", 2) && end[2] >= '0' && end[2] <= '9')
		*to = strtoull(end + 2, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *from <= *to;
}

/* ---- remarks and signals ---- */

#define NOTE_BYTES 8192 /* more than two of the longest paths */

void cli_note(const char *format, ...)
{
	char text[NOTE_BYTES], *line = NULL;
	size_t bytes;
	FILE *shown = open_memstream(&line, &bytes); /* so that the line reaches stderr as a whole */
	va_list args;

	BUG_ON(!shown, "no stream in memory");
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fputs("ssd: ", shown);
	utf8_print(shown, text);
	fputc('\n', shown);
	fclose(shown);
	fputs(line, stderr);
	free(line);
}

void cli_warn(void *context, const char *text)
{
	(void)context;
	cli_note("warning: %s", text);
}

/* The only state outside a struct here: a signal handler needs it. */
static volatile sig_atomic_t interrupted;

#define IN_A_RUN (-1) /* the first signal is noted, and the run ends itself */

/* A signal ends a wait for a pipe, but not one that begins after it: so an alarm every second ends each wait
 * until the run has ended. */
static void cli_wake(int number)
{
	(void)number;
	alarm(1);
}

static void cli_take_signal(int number)
{
	if (interrupted == IN_A_RUN && number != SIGQUIT) {
		interrupted = number;
		alarm(1);
		return;
	}
	outputs_remove();
	if (number != SIGQUIT)
		_exit(STATUS_SIGNAL + number);
	signal(number, SIG_DFL);
	raise(number);
}

void cli_catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = cli_take_signal, .sa_flags = SA_RESTART }, old;
	struct sigaction wake = { .sa_handler = cli_wake, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	sigaction(SIGALRM, &wake, NULL);
	atexit(outputs_remove);
}

void cli_run_begins(void)
{
	interrupted = IN_A_RUN;
}

int cli_signal(void)
{
	return interrupted == IN_A_RUN ? 0 : interrupted;
}

static void cli_end_quietly(int signal_number)
{
	(void)signal_number;
	_exit(STATUS_DONE);
}

void cli_listing(void)
{
	signal(SIGPIPE, cli_end_quietly);
}

/* ---- progress ---- */

double cli_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(struct progress *p, bool quiet)
{
	p->on = !quiet && isatty(STDERR_FILENO);
	p->started = p->shown = cli_seconds();
}

bool progress_due(struct progress *p)
{
	double now = p->on ? cli_seconds() : 0;

	if (!p->on || now - p->shown < 0.2)
		return false;
	p->shown = now;
	return true;
}

void progress_show(const struct progress *p, uint64_t requests, double done, const struct drive *drive)
{
	double elapsed = p->shown - p->started;
	struct ftl_facts facts;

	fputs("\r\033[K", stderr);
	if (done > 0)
		fprintf(stderr, "%5.1f %%  ETA %.0f s  ", done * 100, elapsed / done - elapsed);
	fprintf(stderr, "%" PRIu64 " requests, %.0f/s", requests, (double)requests / elapsed);
	if (drive) {
		double waf = statistics_waf(drive);

		facts = ftl_facts(drive->ftl);
		fprintf(stderr, "  WAF %.3f  %" PRIu64 " free blocks", waf > 0 ? waf : 0, facts.free_blocks);
	}
	fflush(stderr);
}

double progress_end(const struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
	return cli_seconds() - p->started;
}

/* ---- scripts ---- */

void cli_become(const char *script, char **words, struct fault *fault)
{
	char *tree = program_tree(), *path = tree ? cli_joined(tree, "/", script) : NULL;

	if (path)
		execv(path, words);
	fault_set(fault, "%s: %.250s: %s; it belongs to the source tree: call it there, as ./ssd %s",
		words[0], path ? path : script,
		path ? strerror(errno) : "where this program lies is not known", words[0]);
	memory_free(path);
	memory_free(tree);
}

/* ---- files and folders ---- */

char *cli_joined(const char *first, const char *between, const char *second)
{
	size_t bytes = strlen(first) + strlen(between) + strlen(second) + 1;
	char *joined = memory_array(bytes, 1, "file name");

	snprintf(joined, bytes, "%s%s%s", first, between, second);
	return joined;
}

bool cli_make_folder(const char *folder, struct fault *fault)
{
	char *path = memory_string(folder, "path");
	bool done = true;

	/* The root itself is there; an empty path has nothing behind its first byte. */
	for (char *slash = strchr(path + (*path == '/'), '/'); done; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			done = fault_set(fault, "%s: cannot be created: %s", path, strerror(errno));
		if (!slash)
			break;
		*slash = '/';
	}
	memory_free(path);
	return done;
}

/* The same name for every path to a file, whether it exists or not, to be freed; NULL of a device, pipe or
 * folder. */
static char *cli_place_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
	char *folder, *known, *place;
	struct stat status;

	if (!path || (!stat(path, &status) && !S_ISREG(status.st_mode)))
		return NULL;
	known = realpath(path, NULL);
	if (known) {
		place = memory_string(known, "path");
	} else {
		folder = memory_string(path, "path");
		folder[slash ? name - path : 0] = '\0';
		known = realpath(*folder ? folder : ".", NULL);
		place = cli_joined(known ? known : folder, "/", name);
		memory_free(folder);
	}
	free(known);
	return place;
}

bool cli_distinct(const struct named *file, size_t n, struct fault *fault)
{
	char **place = memory_array(n, sizeof *place, "file names");
	bool distinct = true;

	for (size_t i = 0; i < n; i++) {
		place[i] = cli_place_of(file[i].path);
		for (size_t k = 0; k < i && distinct && place[i]; k++)
			distinct = !place[k] || strcmp(place[k], place[i]) ||
				   !(file[i].written || file[k].written) ||
				   fault_set(fault, "%s and %s are the same file, \"%s\"", file[k].what,
					   file[i].what, file[i].path);
	}
	for (size_t i = 0; i < n; i++)
		memory_free(place[i]);
	memory_free(place);
	return distinct;
}
