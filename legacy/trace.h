/*
 * The trace in SSDsim's units.  A trace in SSDsim's own format is read as SSDsim reads it: in file order,
 * with its times and errors.  One in any other format is read as `ssd trace convert --to ssdsim` would write
 * it, without trims.  It is read twice.  Independent of drives.
 */
#ifndef LEGACY_TRACE_H
#define LEGACY_TRACE_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>

enum legacy_line_status { LINE_OK, LINE_END, LINE_BAD };

struct legacy_line {
	int64_t time;     /* ns */
	uint32_t sector;  /* below 2^31 */
	uint32_t sectors; /* 1 .. 2^31-1 */
	bool read;
	bool terminated; /* ends in a newline */
};

struct legacy_trace {
	struct trace *trace;
	const char *path; /* the caller's; for messages */
	bool as_written;  /* SSDsim's own format */
	uint64_t line;    /* number of the line last returned, from 1 */
	int64_t last_time;
	uint64_t disordered;   /* lines earlier than their predecessor */
	uint64_t trims, blank; /* skipped so far; blank lines and comments: only if as_written */
};

/* The file, or `list` instead of it with pages of that size (traces/trace.h).  False and a fault: it cannot
 * be read. */
bool legacy_trace_open(
	struct legacy_trace *, const char *path, const char *list, uint32_t page_bytes, struct fault *);
void legacy_trace_close(struct legacy_trace *);

/* Back to the first line. */
bool legacy_trace_rewind(struct legacy_trace *, struct fault *);

/* The next line.  LINE_BAD: the fault names file, line and what is wrong. */
enum legacy_line_status legacy_trace_next(struct legacy_trace *, struct legacy_line *, struct fault *);

#endif
