/*
 * The results of a run: rows of name, value, unit and meaning, collected first and then written as text
 * (`name = value   # unit: meaning`) or as JSON:
 *
 *	{ "schema": 1, "parameters": { key: value }, "statistics": { name: value }, "units": { name: unit },
 *	  "warnings": [ sentence ] }
 *
 * The warnings are in JSON only, and only if there are any.
 * Names are stable: scripts depend on them.
 */
#ifndef STATS_REPORT_H
#define STATS_REPORT_H

#include "base/fault.h"
#include "stats/warnings.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Version of the JSON form; rises with a change that readers of the previous form would misread. */
#define REPORT_SCHEMA 1

struct report;

struct report *report_create(void);
void report_free(struct report *);

/* Starts a section; the rows that follow belong to it. */
void report_section(struct report *, const char *title);

/* A setting, its value as in a parameter file; in the text form a comment line. */
void report_parameter(struct report *, const char *key, const char *value);

/* One row each.  Name and text value are copied; unit and meaning must outlive the report.  A name may
 * occur only once. A value that is not finite (a mean of nothing) is left out of the text and null in
 * JSON. */
void report_count(struct report *, const char *name, uint64_t value, const char *unit, const char *meaning);
void report_real(struct report *, const char *name, double value, const char *unit, const char *meaning);
void report_text(struct report *, const char *name, const char *value, const char *meaning);

/* Records why the results are doubtful, once; `told`: the user knows it already. */
void report_warn(struct report *, const char *text, bool told);
const struct warnings *report_warnings(const struct report *);

/* The value of a statistic; NAN: there is none of this name, or it is a text. */
double report_number(const struct report *, const char *name);
/* A statistic or parameter that is a text, as it was given; NULL: there is none of this name. */
const char *report_value(const struct report *, const char *name);

/* Writes to an open stream. */
void report_write_text(const struct report *, FILE *);
/* Only the statistics whose names match a pattern (* and ?) of the list, which is separated by blanks or
 * commas. */
void report_write_some(const struct report *, const char *patterns, FILE *);
/* Writes the first pattern of the list that no statistic matches.  False: all are matched. */
bool report_lacks(const struct report *, const char *patterns, char *which, size_t bytes);
void report_write_json(const struct report *, FILE *);

#endif
