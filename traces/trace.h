/*
 * Reading block traces: any known format, plain, compressed or inside an archive,
 * in one pass and constant memory.  A reader deals with bytes, lines and requests, not with drives.
 *
 * Order: requests come out sorted by time (ties in file order).  Out-of-order lines are
 * sorted in a window that holds back 4,096 requests, 65,536 from the first late one on, and
 * up to a million if some are late by more than a quarter of the window; a line that comes too
 * late even so is TRACE_BAD and asks for sort_fully.
 * Memory: the window (56 bytes per request), one block of the file, and one entry for
 * each device of the trace.
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include "base/fault.h"
#include "traces/record.h"
#include "types.h"

struct trace;

enum trace_status { TRACE_OK, TRACE_END, TRACE_BAD };

/* A zeroed struct selects the defaults; an empty text means NULL. */
struct trace_options {
	const char *format; /* name of a format; NULL or "auto": found from the content */
	/* names of the columns of a trace in no known format (traces/columns.h); NULL: it is in one */
	const char *columns;
	const char *member; /* file inside a tar or zip archive; NULL: the only one */

	/* NULL or "own": each device keeps its own addresses; "all": laid out one after another in ascending
	 * order of their numbers or names (the trace is read twice); a number or name: that one alone. */
	const char *devices;

	const char *time_unit; /* "ns" "us" "ms" "s" "100ns"; NULL or "auto": the format's own */
	bool sort_fully;       /* hold the whole trace in memory to sort it */
	bool again;            /* it will be rewound: data from a pipe is kept (traces/source.h) */

	/* Requests in place of a file: lines of the format "list" with commas between them; NULL: there is a
	 * file. */
	const char *list;
	uint32_t page_bytes; /* of the pages in which such lines count; 0: 4096 */

	bool shared; /* devices have one address space on purpose: no warning that they overlap */

	/* Commands without sectors are returned; else they are dropped. */
	bool commands;

	/* FLUSH and FUA are read in formats of Linux and fio; else they are left out there. */
	bool flush;

	/* A format.  A trace in this format, or in no recognised one, is read as the format's own program
	 * reads it: in file order, with its times, accepting what that program accepts.  It is not sorted,
	 * and its times are not checked. */
	const char *as_written;

	/* Called for input that can be read but looks wrong; may be NULL. */
	void (*warn)(void *context, const char *text);
	void *warn_context;
};

/* Opens a trace ("-" is standard input).  The options' strings must outlive it.  NULL and a
 * fault if it cannot be read, is empty, or its format is not recognised. */
struct trace *trace_open(const char *path, const struct trace_options *, struct fault *);

/* The same from memory, which must outlive it; `name` is used in messages. */
struct trace *trace_open_memory(
	const char *name, const void *bytes, size_t size, const struct trace_options *, struct fault *);

void trace_close(struct trace *);

/* Back to the first request.  Warnings are not repeated. */
bool trace_rewind(struct trace *, struct fault *);

/* The next request in order of arrival.  Arrival times are those of the file in ns,
 * less the first arrival of the file (except as_written).  TRACE_BAD: the fault names file, line, what is
 * wrong and what would be right; nothing can be read after it. */
enum trace_status trace_next(struct trace *, struct request *, struct fault *);

/* The same in bytes and with the response time, for callers that keep devices apart: trace_next() warns if
 * their addresses overlap. */
enum trace_status trace_next_record(struct trace *, struct record *, struct fault *);

/* Facts about the reading so far. */
struct trace_counts {
	uint64_t reordered; /* requests with an earlier time than a previous line */
	uint64_t skipped;   /* heading and comment lines */
	uint64_t blank;     /* empty lines */
	uint64_t dropped;   /* events that are no requests, and other devices' */
	uint64_t devices;   /* devices met, chosen or not; not counted as_written */
	uint64_t unaligned; /* requests that do not cover whole sectors */
	uint64_t rounded;   /* addresses like 1.2E+11, their last digits lost */
	uint64_t unflushed; /* FLUSH and FUA left out */
};

struct trace_counts trace_counts(const struct trace *);
tick_t trace_span(const struct trace *); /* from the first arrival to that of the last request returned */
const char *trace_format(const struct trace *);   /* "ssdsim" */
uint64_t trace_bytes_read(const struct trace *);  /* of the file as stored (compressed) */
uint64_t trace_bytes_total(const struct trace *); /* 0 when unknown (a pipe) */

/* True if the line of the request read last ends in a newline; the last one of a file may not.  Only for
 * traces read as_written. */
bool trace_line_ended(const struct trace *);

#endif
