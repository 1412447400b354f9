/* lockf() belongs to the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "cli/saver.h"

#include "base/memory.h"
#include "stats/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 600

static const char *const saver_endings[ROWS] = { ".series", ".log" };

/* Bytes of the rows that belong to the saved run. */
static uint64_t *saver_bytes(struct saver *s, int rows)
{
	return rows == ROWS_LOG ? &s->what.log_bytes : &s->what.series_bytes;
}

static bool saver_read_options(struct saver *s, const struct options *o, struct fault *fault)
{
	static const struct unit units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { NULL, 0 } };

	s->resume = o->resume;
	s->path = o->resume ? o->resume : o->checkpoint;
	s->seconds = DEFAULT_SECONDS;
	if (o->every && !s->path)
		return fault_set(
			fault, "run: --every %s: needs --checkpoint FILE, where the run is saved", o->every);
	if (o->checkpoint && o->resume && strcmp(o->checkpoint, o->resume))
		return fault_set(fault,
			"run: --checkpoint %s: a run that is resumed is saved where it was, in %s",
			o->checkpoint, o->resume);
	if (o->every && !amount_read(o->every, units, &s->requests, &s->seconds))
		return fault_set(fault,
			"run: --every %s: should be a number of requests or a time by the clock: 5000, 30s, "
			"10min, 2h",
			o->every);
	if (s->path && (o->verify || o->explain || o->timeline[0]))
		return fault_set(fault,
			"run: --%s: a run that is saved or resumed can be neither checked nor traced",
			o->verify    ? "verify"
			: o->explain ? "explain"
				     : "timeline");
	return true;
}

/* The lock is for the life of the process; where locks are not supported, nothing is refused. */
static FILE *saver_open_rows(const struct saver *s, int rows, struct fault *fault)
{
	char *name = cli_joined(s->path, "", saver_endings[rows]);
	int file = open(name, O_NOFOLLOW | (s->resume ? O_RDWR : O_RDWR | O_CREAT), 0666);
	FILE *stream = NULL;

	if (file >= 0 && lockf(file, F_TLOCK, 0) && (errno == EACCES || errno == EAGAIN))
		fault_set(fault, "cannot write \"%s\": another program is writing it", name);
	else if (file < 0 || (!s->resume && ftruncate(file, 0)) || !(stream = fdopen(file, "r+")))
		fault_set(fault, "cannot %s \"%s\": %s", s->resume ? "go on with" : "create", name,
			strerror(errno));
	if (file >= 0 && !stream)
		close(file);
	memory_free(name);
	return stream;
}

/* Tries to write before the run begins, not when it is saved; removes the leftovers of a program that was
 * killed while saving. */
static bool saver_can_write(const char *path, struct fault *fault)
{
	struct output probe;
	bool done = output_open(&probe, path, fault);

	output_abandon(&probe);
	return done;
}

bool saver_open(struct saver *s, const struct options *o, struct fault *fault)
{
	const char *const wanted[ROWS] = { o->series, o->log };

	if (!saver_read_options(s, o, fault) || (s->path && !saver_can_write(s->path, fault)))
		return false;
	s->what.warm_up = o->warm_up;
	s->what.series = o->series;
	s->last = cli_seconds();
	for (int rows = 0; s->path && rows < ROWS; rows++)
		if (wanted[rows] && !(s->rows[rows] = saver_open_rows(s, rows, fault)))
			return false;
	return true;
}

void saver_close(struct saver *s)
{
	for (int rows = 0; rows < ROWS; rows++)
		if (s->rows[rows])
			fclose(s->rows[rows]);
}

/* ---- saving ---- */

/* Writes all rows to the disk and notes how many bytes they are.  False: that failed. */
static bool saver_flush(struct saver *s)
{
	if (s->what.run->journal)
		journal_flush(s->what.run->journal);
	for (int rows = 0; rows < ROWS; rows++) {
		FILE *stream = s->rows[rows];

		if (stream && (fflush(stream) || ferror(stream) || fsync(fileno(stream))))
			return false;
		if (stream)
			*saver_bytes(s, rows) = (uint64_t)ftello(stream);
	}
	return true;
}

void saver_pass(struct saver *s, bool ends)
{
	uint64_t requests = s->what.run->requests;
	struct fault fault = { "" };

	if (!s->path || !(ends || !requests || (s->requests && requests % s->requests == 0) ||
				(!s->requests && cli_seconds() - s->last >= (double)s->seconds)))
		return;
	if (!saver_flush(s))
		fault_set(&fault, "its rows cannot be written: %s", strerror(errno));
	else
		checkpoint_save(&s->what, s->path, &fault);
	if (*fault.text)
		cli_note(
			"warning: the run is not saved after %" PRIu64 " requests: %s", requests, fault.text);
	s->last = cli_seconds();
}

/* ---- resuming ---- */

/* Cuts off the rows written after the run was saved; they will be written again. */
static bool saver_cut(struct saver *s, int rows, struct fault *fault)
{
	FILE *stream = s->rows[rows];
	uint64_t bytes = *saver_bytes(s, rows);

	if (!stream)
		return true;
	if (fseeko(stream, 0, SEEK_END) || (uint64_t)ftello(stream) < bytes)
		return fault_set(fault, "%s: %s%s, the rows written so far, is shorter than it was", s->path,
			s->path, saver_endings[rows]);
	if (ftruncate(fileno(stream), (off_t)bytes) || fseeko(stream, (off_t)bytes, SEEK_SET))
		return fault_set(fault, "cannot go on with \"%s%s\": %s", s->path, saver_endings[rows],
			strerror(errno));
	return true;
}

bool saver_resume(struct saver *s, struct fault *fault)
{
	return checkpoint_load(&s->what, s->path, fault) && saver_cut(s, ROWS_SERIES, fault) &&
	       saver_cut(s, ROWS_LOG, fault);
}

void saver_abandon(struct saver *s)
{
	if (s->path && access(s->path, F_OK))
		saver_remove(s);
}

void saver_remove(struct saver *s)
{
	if (s->path)
		unlink(s->path);
	for (int rows = 0; s->path && rows < ROWS; rows++) {
		char *name = cli_joined(s->path, "", saver_endings[rows]);

		unlink(name);
		memory_free(name);
	}
}
