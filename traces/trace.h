/*
 * Reading block traces: any known format, plain, compressed or inside an archive,
 * in one pass and constant memory.  A reader knows bytes, lines and requests; it knows
 * nothing of drives.
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include "base/fault.h"
#include "types.h"

struct trace;

enum trace_status { TRACE_OK, TRACE_END, TRACE_BAD };

struct trace_options {
	const char *format;    /* name of a format; NULL or "auto": found from the content */
};

/* Opens a trace ("-" is standard input).  NULL and a fault if it cannot be read, is empty,
 * or its format cannot be told. */
struct trace *trace_open(const char *path, const struct trace_options *, struct fault *);
void trace_close(struct trace *);

/* The next request in order of arrival.  Arrival times are those of the file in ns,
 * less the first arrival of the file.  TRACE_BAD: the fault names file, line, what is
 * wrong and what would be right. */
enum trace_status trace_next(struct trace *, struct request *, struct fault *);

/* Facts about the reading so far. */
const char *trace_format(const struct trace *);       /* "ssdsim" */
uint64_t trace_reordered(const struct trace *);       /* requests whose time lay before their predecessor's */
uint64_t trace_bytes_read(const struct trace *);      /* of the file as stored (compressed) */
uint64_t trace_bytes_total(const struct trace *);     /* 0 when unknown (standard input) */

#endif
