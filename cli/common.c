/* What the commands share: remarks and progress on stderr, files and folders. */
/* realpath() belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "base/memory.h"
#include "cli/cli.h"
#include "drive/drive.h"
#include "drive/statistics.h"
#include "stats/output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void cli_note(const char *format, ...)
{
	va_list args;

	fputs("ssd: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void cli_warn(void *context, const char *text)
{
	(void)context;
	cli_note("warning: %s", text);
}

/* The only state of the program outside a struct: what a signal handler can reach. */
static volatile sig_atomic_t interrupted;

#define IN_A_RUN (-1) /* the first signal is noted, the run ends by itself */

static void take_signal(int number)
{
	if (interrupted != IN_A_RUN) {
		outputs_remove();
		_exit(STATUS_SIGNAL + number);
	}
	interrupted = number;
}

void cli_catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = take_signal, .sa_flags = SA_RESTART }, old;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
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

static void end_quietly(int signal_number)
{
	(void)signal_number;
	_exit(STATUS_DONE);
}

void cli_listing(void)
{
	signal(SIGPIPE, end_quietly);
}

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
	fprintf(stderr, "%llu requests, %.0f/s", (unsigned long long)requests, (double)requests / elapsed);
	if (drive) {
		double waf = statistics_waf(drive);

		drive->ftl->ops->facts(drive->ftl, &facts);
		fprintf(stderr, "  WAF %.3f  %llu free blocks", waf > 0 ? waf : 0,
			(unsigned long long)facts.free_blocks);
	}
	fflush(stderr);
}

double progress_end(const struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
	return cli_seconds() - p->started;
}

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

/* One name for each place of a file, whether it is there or not, to be freed; NULL of what is none. */
static char *place_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	char *folder, *known, *place;
	struct stat status;

	if (!path || (!stat(path, &status) && !S_ISREG(status.st_mode)))
		return NULL;
	folder = memory_string(slash ? path : ".", "path");
	if (slash)
		folder[slash == path ? 1 : slash - path] = 0;
	known = realpath(path, NULL);
	place = known ? memory_string(known, "path") : NULL;
	free(known);
	known = place ? NULL : realpath(folder, NULL);
	place = place ? place : cli_joined(known ? known : folder, "/", slash ? slash + 1 : path);
	free(known);
	memory_free(folder);
	return place;
}

bool cli_distinct(const struct named *file, size_t n, struct fault *fault)
{
	char **place = memory_array(n, sizeof *place, "names of files");
	bool distinct = true;

	for (size_t i = 0; i < n; i++) {
		place[i] = place_of(file[i].path);
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
