/*
 * The first line of a table in no known format: the names of its columns, or the keys of its first JSON
 * object, become a text for columns_parse() (traces/columns.h).
 */
#ifndef TRACES_HEADING_H
#define TRACES_HEADING_H

#include "traces/columns.h"

enum heading_kind {
	HEADING_NONE,   /* the line names no columns of requests */
	HEADING_UNSURE, /* a unit or a column is missing; `question` says which */
	HEADING_SURE,
};

struct heading {
	char columns[COLUMNS_BYTES]; /* as --columns takes them; if unsure: a proposal */
	char question[PROBLEM_BYTES];
};

/* Reads the line.  `next` is the line after it, which may be empty: it tells a type in words from one in
 * numbers.  A line without three columns that are known is HEADING_NONE. */
enum heading_kind heading_read(
	struct heading *, const char *begin, const char *end, const char *next, const char *next_end);

/* Returns the end of the name at `at` and moves *at behind its separator.  Names stand between commas if the
 * line has any, else between blanks. */
const char *heading_name(const char **at, const char *end, bool commas);

#endif
