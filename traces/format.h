/*
 * Trace formats: how one line (or binary record) becomes a record, and back.  Each is a row of one table
 * (formats.c); lines of columns need no code.  A format has nothing to do with files, compression, sorting or
 * detection.
 */
#ifndef TRACES_FORMAT_H
#define TRACES_FORMAT_H

#include "traces/columns.h"

#include <stdio.h>

/* The scan is at the start of a line that is not empty (or spans one binary record).  Fills the record but
 * for its line number; response is RESPONSE_UNKNOWN beforehand. */
typedef enum parsed format_parse(struct scan *, struct record *);

/* Prints one request; times start at 0. */
typedef void format_write(FILE *, const struct request *);

struct format {
	const char *name, *brief;
	const char *layout;          /* of a line, for messages */
	struct columns_text columns; /* of lines of columns, which columns_read() parses */
	format_parse *parse;
	uint32_t time_unit_ns; /* of the time column, without columns */
	uint32_t record_bytes; /* of a binary record; 0: lines of text */

	/* Optional. Parses a line that `parse` rejected, as the program does to which the format belongs.
	 * PARSED_BAD: it is bad for that program, too; the problem that `parse` described remains. */
	format_parse *tolerate;

	/* Optional.  Where several formats read the same lines: a line that only this one is likely to have.
	 * Such a format is detected if there is at least one. */
	bool (*typical)(const char *begin, const char *end);

	/* Optional.  The format that is detected if both fit, since it reads the same lines. */
	const char *yields_to;

	/* Optional: of formats that can be written.  `introduce` prints the lines required before a device's
	 * first request. */
	format_write *write, *introduce;
	bool writes_trims, writes_heading;
	uint32_t write_step_ns; /* times are rounded down to multiples of it */
};

#define TRACE_FORMATS_MAX 32

#define FIO_HEADING_V2 "fio version 2 iolog"
#define FIO_HEADING_V3 "fio version 3 iolog"

/* The formats, fewer than TRACE_FORMATS_MAX, ended by a NULL name; in the order of `ssd list`. */
extern const struct format trace_formats[];

/* NULL: unknown. */
const struct format *trace_format_named(const char *name);

/* Prepares a scan of lines in this format: unit of the times and columns, which must outlive it. */
void format_begin(const struct format *, struct columns *, struct scan *);

/* Other parts of the table than columns. */
format_parse ssdsim_tolerate, fio_parse, fio2_parse, list_parse;
format_parse blkparse_parse_queued, blkparse_parse_issued, blkparse_parse_completed;
format_parse vscsi1_parse, vscsi2_parse;
format_write ssdsim_write, disksim_write, spc_write, msr_write, systor_write, fio_write, fio_introduce;

#endif
