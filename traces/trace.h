/*
 * Reading block traces: any known format, plain, compressed or inside an archive,
 * in one pass and constant memory.  A reader knows bytes, lines and requests; it knows
 * nothing of drives.
 *
 * Order: requests come out sorted by time (ties in file order).  Out-of-order lines are
 * sorted in a window of requests that grows as the disorder it meets, up to a million;
 * a line that comes later than that is TRACE_BAD and asks for sort_fully.
 * Memory: the window (48 bytes per request), one block of the file, and one entry for
 * each device of the trace.
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include "base/fault.h"
#include "traces/record.h"
#include "types.h"

struct trace;

enum trace_status { TRACE_OK, TRACE_END, TRACE_BAD };

/* A zeroed struct asks for the defaults. */
struct trace_options {
	const char *format;    /* name of a format; NULL or "auto": found from the content */
	const char *member;    /* file inside a tar or zip archive; NULL: the only one */
	const char *devices;   /* NULL or "own": each device keeps its own addresses;
	                        * "all": laid out one after another, in ascending order of their
	                        * numbers (the file is read twice);
	                        * a number or name: that device alone */
	const char *time_unit; /* of the time column: "ns" "us" "ms" "s" "100ns"; NULL or "auto": the format's own */
	bool sort_fully;       /* hold the whole trace in memory to sort it */
	void (*warn)(void *context, const char *text);   /* told of what looks wrong but can be read; may be NULL */
	void *warn_context;
};

/* Opens a trace ("-" is standard input).  The options' strings must outlive it.  NULL and a
 * fault if it cannot be read, is empty, or its format cannot be told. */
struct trace *trace_open(const char *path, const struct trace_options *, struct fault *);
struct trace *trace_open_memory(const char *name, const void *bytes, size_t size, const struct trace_options *,
                                struct fault *);   /* the same from memory, which must outlive it */
void trace_close(struct trace *);

/* The next request in order of arrival.  Arrival times are those of the file in ns,
 * less the first arrival of the file.  TRACE_BAD: the fault names file, line, what is
 * wrong and what would be right; nothing can be read after it. */
enum trace_status trace_next(struct trace *, struct request *, struct fault *);

/* The same in bytes and with the response time. */
enum trace_status trace_next_record(struct trace *, struct record *, struct fault *);

/* Facts about the reading so far. */
const char *trace_format(const struct trace *);       /* "ssdsim" */
uint64_t trace_reordered(const struct trace *);       /* requests whose time lay before their predecessor's */
uint64_t trace_skipped(const struct trace *);         /* heading and comment lines */
uint64_t trace_dropped(const struct trace *);         /* events that are no requests, and other devices' */
uint64_t trace_devices(const struct trace *);         /* devices met, chosen or not */
uint64_t trace_unaligned(const struct trace *);       /* requests that do not cover whole sectors */
uint64_t trace_rounded(const struct trace *);         /* addresses like 1.2E+11, last digits lost */
uint64_t trace_bytes_read(const struct trace *);      /* of the file as stored (compressed) */
uint64_t trace_bytes_total(const struct trace *);     /* 0 when unknown (standard input) */

#endif
