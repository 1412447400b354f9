/* lockf() belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "cli/saver.h"

#include "base/memory.h"
#include "stats/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 600

/* "5000" requests, or "30s", "10min", "2h". */
static bool read_every(struct saver *s, const char *text)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 } };
	const char *end;
	uint64_t value;

	if (!count_read(text, &value, &end))
		return false;
	s->requests = *end ? 0 : value;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name))
			s->seconds = (double)value * units[i].seconds;
	return s->requests || s->seconds > 0;
}

/* The lock is for the life of the process; where there are none, nothing is refused. */
static FILE *open_beside(const struct saver *s, const char *ending, struct fault *fault)
{
	char *name = cli_joined(s->path, "", ending);
	int file = open(name, s->resume ? O_RDWR : O_RDWR | O_CREAT, 0666);
	FILE *stream = NULL;

	if (file >= 0 && lockf(file, F_TLOCK, 0) && (errno == EACCES || errno == EAGAIN)) {
		fault_set(fault, "cannot write \"%s\": another program is writing it", name);
		close(file);
	} else if (file < 0 || (!s->resume && ftruncate(file, 0)) || !(stream = fdopen(file, "r+"))) {
		fault_set(fault, "cannot %s \"%s\": %s", s->resume ? "go on with" : "create", name,
			strerror(errno));
		if (file >= 0)
			close(file);
	}
	memory_free(name);
	return stream;
}

static bool ask(struct saver *s, const struct options *o, struct fault *fault)
{
	if (o->every && !o->checkpoint && !o->resume)
		return fault_set(
			fault, "run: --every %s: needs --checkpoint FILE, where the run is saved", o->every);
	if (o->checkpoint && o->resume && strcmp(o->checkpoint, o->resume))
		return fault_set(fault,
			"run: --checkpoint %s: a run that is resumed is saved where it was, in %s",
			o->checkpoint, o->resume);
	s->resume = o->resume;
	s->path = o->resume ? o->resume : o->checkpoint;
	s->seconds = o->every ? 0 : DEFAULT_SECONDS;
	if (o->every && !read_every(s, o->every))
		return fault_set(fault,
			"run: --every %s: should be a number of requests or a time by the clock: 5000, 30s, 10min, 2h",
			o->every);
	if (s->path && (o->verify || o->explain || o->timeline[0]))
		return fault_set(fault,
			"run: --%s: a run that is saved or resumed has neither judges nor witnesses",
			o->verify    ? "verify"
			: o->explain ? "explain"
				     : "timeline");
	return true;
}

/* Found before the run, not when it is killed. */
static bool can_be_saved(const char *path, struct fault *fault)
{
	struct output probe;
	bool done = output_open(&probe, path, fault);

	output_abandon(&probe);
	return done;
}

bool saver_open(struct saver *s, const struct options *o, struct fault *fault)
{
	if (!ask(s, o, fault) || (o->checkpoint && !can_be_saved(o->checkpoint, fault)))
		return false;
	s->what.warm_up = o->warm_up;
	s->what.series = o->series;
	s->last = cli_seconds();
	if (!s->path)
		return true;
	return (!o->series || (s->series = open_beside(s, ".series", fault))) &&
	       (!o->log || (s->log = open_beside(s, ".log", fault)));
}

void saver_close(struct saver *s)
{
	if (s->series)
		fclose(s->series);
	if (s->log)
		fclose(s->log);
}

/* ---- saving ---- */

/* All that was written to a file beside is on the disk: so many bytes. */
static bool is_written(FILE *stream, uint64_t *bytes)
{
	if (!stream)
		return true;
	if (fflush(stream) || ferror(stream) || fsync(fileno(stream)))
		return false;
	*bytes = (uint64_t)ftello(stream);
	return true;
}

static void save(struct saver *s)
{
	struct journal *rows = s->what.run->drive->journal;
	struct fault fault = { "" };

	if (rows)
		journal_flush(rows);
	if (!is_written(s->series, &s->what.series_bytes) || !is_written(s->log, &s->what.log_bytes))
		fault_set(&fault, "its rows cannot be written: %s", strerror(errno));
	else if (checkpoint_save(&s->what, s->path, &fault))
		return;
	cli_note("warning: the run is not saved after %llu requests: %s",
		(unsigned long long)s->what.run->requests, fault.text);
}

void saver_pass(struct saver *s, bool ends)
{
	uint64_t requests = s->what.run->requests;
	double now = s->path ? cli_seconds() : 0;

	if (!s->path || !(ends || !requests || (s->requests && requests % s->requests == 0) ||
				(!s->requests && now - s->last >= s->seconds)))
		return;
	save(s);
	s->last = cli_seconds();
}

/* ---- going on ---- */

/* What was written later is written again. */
static bool cut(FILE *stream, uint64_t bytes, const char *what, const struct saver *s, struct fault *fault)
{
	if (!stream)
		return true;
	if (fseeko(stream, 0, SEEK_END) || (uint64_t)ftello(stream) < bytes)
		return fault_set(fault, "%s: %s%s, the rows written so far, is shorter than it was", s->path,
			s->path, what);
	if (ftruncate(fileno(stream), (off_t)bytes) || fseeko(stream, (off_t)bytes, SEEK_SET))
		return fault_set(fault, "cannot go on with \"%s%s\": %s", s->path, what, strerror(errno));
	return true;
}

bool saver_resume(struct saver *s, struct fault *fault)
{
	return checkpoint_load(&s->what, s->path, fault) &&
	       cut(s->series, s->what.series_bytes, ".series", s, fault) &&
	       cut(s->log, s->what.log_bytes, ".log", s, fault);
}

void saver_abandon(struct saver *s)
{
	if (s->path && access(s->path, F_OK))
		saver_remove(s);
}

void saver_remove(struct saver *s)
{
	static const char *const endings[] = { "", ".series", ".log" };

	for (size_t i = 0; s->path && i < sizeof endings / sizeof *endings; i++) {
		char *name = cli_joined(s->path, "", endings[i]);

		unlink(name);
		memory_free(name);
	}
}
