/*
 * A trace format: how one line (or binary record) becomes a record, and back.
 * One file per format, one line in traces/list.h.  A format knows neither files nor
 * compression, sorting or detection.
 */
#ifndef TRACES_FORMAT_H
#define TRACES_FORMAT_H

#include "traces/scan.h"

#include <stdio.h>

enum parsed {
	PARSED_RECORD,  /* a request */
	PARSED_HEADING, /* a line about the trace */
	PARSED_OTHER,   /* an event that is no request */
	PARSED_BAD,     /* the scan says why */
};

struct format {
	const char *name, *brief;
	const char *layout;    /* what a line should be, for messages */
	uint32_t time_unit_ns; /* of its time column */
	uint32_t record_bytes; /* of a binary record; 0: lines of text */

	/* The scan stands on a line that is not empty (or spans one binary record).  Fills the
	 * record but for its line number; response is RESPONSE_UNKNOWN beforehand. */
	enum parsed (*parse)(struct scan *, struct record *);

	/* Optional.  The same for a line that `parse` calls bad, as the program reads it that the format belongs to.
	 * PARSED_BAD: even so; what `parse` said about it stands. */
	enum parsed (*tolerate)(struct scan *, struct record *);

	/* Optional.  Where several formats read the same lines, the sign by which this one is told:
	 * true if the line (which parses) could not be meant otherwise.  Such a format is detected
	 * only if it has at least one such line. */
	bool (*typical)(const char *begin, const char *end);

	/* Optional.  What wins if both formats fit: a format that reads the same lines as well. */
	const char *yields_to;

	/* Optional: formats that can be written.  `introduce` prints what must stand before a device's
	 * first request.  `write` prints one request, whose times start at 0: a trim only where the format has
	 * words for it. */
	const char *heading;                               /* printed first, may be NULL */
	void (*introduce)(FILE *, const struct request *); /* may be NULL */
	void (*write)(FILE *, const struct request *);
	bool writes_trims;
	uint32_t write_step_ns; /* times are rounded down to multiples of it */
};

#define TRACE_FORMATS_MAX 32

/* The formats, fewer than TRACE_FORMATS_MAX, ended by NULL. */
extern const struct format *const trace_formats[];

/* NULL: unknown. */
const struct format *trace_format_named(const char *name);

#endif
