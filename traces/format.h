/*
 * Trace formats: they parse one line (or binary record) into a struct record, and print requests.  Each
 * format is a row of one table (formats.c); lines of plain columns need no code.  Formats do not deal with
 * files, compression, sorting or detection.
 */
#ifndef TRACES_FORMAT_H
#define TRACES_FORMAT_H

#include "traces/columns.h"

#include <stdio.h>

/* Parses the line (not empty) or binary record that the scan covers.  Fills the record except its line
 * number; the caller sets `response` to RESPONSE_UNKNOWN beforehand. */
typedef enum parsed format_parse(struct scan *, struct record *);

/* Prints one request; times start at 0. */
typedef void format_write(FILE *, const struct request *);

struct format {
	const char *name, *brief;
	const char *layout;          /* of a line, for messages */
	struct columns_text columns; /* for formats that columns_read() parses */
	format_parse *parse;
	uint32_t time_unit_ns; /* of the time, for formats without `columns` */
	uint32_t record_bytes; /* size of a binary record; 0: lines of text */

	/* Optional.  Parses a line that `parse` rejects in the way the original program of this format does.
	 * PARSED_BAD: that program rejects it, too; the problem described by `parse` remains. */
	format_parse *tolerate;

	/* Optional, for formats that share their syntax with others: true if the line is likely to be of this
	 * format only.  The format is detected only if at least one line is. */
	bool (*typical)(const char *begin, const char *end);

	/* Optional.  The format that is detected instead if both fit; it parses the same lines.  "any": every
	 * other one. */
	const char *yields_to;

	/* Optional, for formats that can be written.  `introduce` prints what must precede a device's first
	 * request. */
	format_write *write, *introduce;
	bool writes_trims, writes_heading;
	bool writes_flushes, writes_fua, writes_hints;
	bool writes_objects;    /* at the end, with objects_write(); `write` is not called */
	uint32_t write_step_ns; /* times are rounded down to multiples of it; 0: cannot be written */
};

#define TRACE_FORMATS_MAX 40

#define FIO_HEADING_V2 "fio version 2 iolog"
#define FIO_HEADING_V3 "fio version 3 iolog"

/* All formats, fewer than TRACE_FORMATS_MAX, in the order of `ssd list`; a NULL name ends them. */
extern const struct format trace_formats[];

/* NULL if there is no such format. */
const struct format *trace_format_named(const char *name);

/* Prepares a scan for this format: time unit and columns.  `columns` is filled and must outlive the scan. */
void format_begin(const struct format *, struct columns *, struct scan *);

/* REQUEST_TYPES: it is neither a read nor a write. */
enum request_type scsi_type(unsigned command);

/* The keys of an object, and its values, separated by commas. */
struct json_lines {
	char names[JSON_LINE_BYTES], values[JSON_LINE_BYTES];
};

/* False if the line is no object, or a very long one. */
bool json_flatten(const char *begin, const char *end, struct json_lines *);

/* Takes the keys of the columns from the first object. */
void json_name_keys(struct columns *, const struct json_lines *);

/* Functions of the table, for formats that columns do not describe and for writing. */
format_parse ssdsim_tolerate, fio_parse, fio2_parse, list_parse;
format_parse blkparse_parse_queued, blkparse_parse_issued, blkparse_parse_completed;
format_parse ftrace_parse_queued, ftrace_parse_issued, ftrace_parse_completed, perf_trace_parse, nvme_parse;
format_parse vscsi1_parse, vscsi2_parse, objects_parse, json_parse;
format_write ssdsim_write, disksim_write, spc_write, msr_write, systor_write, blkparse_write, fio_write,
	fio_introduce, csv_write, csv_write_more;

/* Parses "223490 + 8".  PARSED_OTHER if it is missing, or for 0 sectors. */
format_parse blkparse_parse_place;

/* Requests for a file in oracleGeneral.  False and a fault if the format cannot express one. */
struct objects *objects_create(void);
void objects_free(struct objects *);
bool objects_add(struct objects *, const struct request *, struct fault *);
void objects_write(const struct objects *, FILE *);

#endif
