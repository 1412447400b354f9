/*
 * Detects the format of a trace from its first lines.
 */
#ifndef TRACES_DETECT_H
#define TRACES_DETECT_H

#include "traces/format.h"
#include "traces/source.h"

/* Columns that the first line names. */
struct detected {
	char columns[COLUMNS_BYTES]; /* as --columns takes them; empty: it names none */
	bool commas;                 /* between them */
	bool json;                   /* they are keys of objects */
	bool asked;                  /* the fault asks for what the line leaves open */
};

/* Returns the one format that parses the first lines (at most 64) without error.  If there is none: the one
 * that parses at least half of them, or that would parse the first line but for one bad number, so that the
 * error message can name that line.  NULL and a fault if the trace is empty, if no format fits, or if several
 * do.  A first line that names columns, and is not the heading of a format, decides alone: format csv or
 * json, and *detected has the columns; a fault asks for what it leaves open. */
const struct format *trace_detect(struct source *, struct detected *, struct fault *);

/* The first line of the source, as an object in JSON.  False if it is none. */
bool trace_detect_json(struct source *, struct json_lines *, struct fault *);

#endif
