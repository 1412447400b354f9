/*
 * Writing traces in the formats that can be written.
 */
#ifndef TRACES_WRITER_H
#define TRACES_WRITER_H

#include "base/fault.h"
#include "types.h"

#include <stdio.h>

struct devices;
struct format;
struct objects;

struct trace_writer {
	const struct format *format;
	struct devices *devices; /* met so far */
	struct objects *objects; /* of a format that is written at the end; else NULL */
	FILE *out;               /* the caller's; errors show when it is closed */
	uint64_t rounded;        /* arrivals that were rounded down to the format's unit */

	/* What the format cannot express: FLUSHes and other commands, left out; writes without their FUA,
	 * appends as plain writes, requests without their hint. */
	uint64_t flushes, commands, fua, appends, hints;
	bool wide; /* with columns of hints and flags */
};

/* Prints the format's heading.  False and a fault if there is no such format or it cannot be written. */
bool trace_writer_begin(struct trace_writer *, const char *format, FILE *, struct fault *);

/* The same with the columns of hints and flags, if the format has them. */
bool trace_writer_begin_wide(struct trace_writer *, const char *format, FILE *, struct fault *);

/* Prints one request; arrivals start at 0.  Counts what the format cannot express.  False and a fault: the
 * format has no trims, or the request is too late or too large for it. */
bool trace_writer_put(struct trace_writer *, const struct request *, struct fault *);

/* Prints what comes at the end of the file. */
void trace_writer_finish(struct trace_writer *);

/* Must follow trace_writer_begin(), successful or not. */
void trace_writer_end(struct trace_writer *);

/* The names of the formats that can be written, as "a, b, c". */
void trace_writer_formats(char *text, size_t bytes);

#endif
