/*
 * Statistics as tables.  A room owns a plain struct of counters and one row per number: its name, unit,
 * meaning and offset.  A drive keeps one list of all these groups, which zeroes them at one moment, reports
 * them and lists their names.  Nothing else resets or prints a number.  The list handles numbers and names,
 * not what they count.
 */
#ifndef STATS_TABLE_H
#define STATS_TABLE_H

#include "base/param.h"
#include "base/state.h"
#include "stats/report.h"

#include <string.h>

enum stat_kind {
	STAT_COUNT, /* uint64_t */
	STAT_REAL,  /* double; not finite: there is no value */
	STAT_RATIO, /* uint64_t over the uint64_t at `over`; no value if that is 0 */
	STAT_SHARE, /* the same; 0 if that is 0 */
	STAT_TEXT,  /* const char * */
	STAT_TIMES, /* struct histogram: mean, deviation, percentiles, maximum; no values if it is empty */
};

/* A table of rows ends with a row whose name is NULL. */
struct stat_row {
	const char *name, *unit, *meaning;
	enum stat_kind kind;
	size_t offset, over; /* of the field in the group's values */
	/* Optional: an array of `count` fields, named name.each(i), with the same unit, meaning and
	 * `over`. */
	const char *(*each)(int i);
	int count;
};

struct stat_group {
	const char *title;  /* of a section of the report; NULL: the section before continues */
	const char *prefix; /* before each name, or NULL */
	const struct stat_row *rows;
	void *values;           /* base of the offsets */
	size_t size;            /* bytes of them that are zeroed when a measurement begins */
	void *owner;            /* for these two, both optional */
	void (*start)(void *);  /* after zeroing: sets peaks to the present level */
	void (*gather)(void *); /* before reading: fills in computed values */
	bool quiet;             /* left out of series, and of reports while its first number, a count, is 0 */
};

struct stat_settings {
	char *percentiles; /* of STAT_TIMES: "50 95 99.9" */
};

extern const struct param stat_params[];

#define PERCENTILES_MOST 16

struct stat_list {
	struct stat_group *group;
	uint32_t groups, room;
	size_t percentiles;                    /* in the arrays below; the maximum follows them */
	double share[PERCENTILES_MOST + 1];    /* 0 .. 1 */
	char suffix[PERCENTILES_MOST + 1][24]; /* "_p999_ns", "_max_ns" */
};

/* An empty list.  False and a fault if a percentile is no number from 0 to 100, has the name of another, or
 * there are too many. */
bool stat_list_init(struct stat_list *, const struct stat_settings *, struct fault *);
void stat_list_release(struct stat_list *);

/* Rows and values must outlive the list. */
void stat_list_add(struct stat_list *, struct stat_group);

/* Begins a measurement: every number is zero, every peak at the present level. */
void stat_list_start(struct stat_list *);

/* The values that the list zeroes, for saving a run; groups save what they zero themselves. */
extern const struct state_row stat_list_state[];

/* Has the groups fill in their computed values. */
void stat_list_gather(const struct stat_list *);

#define STAT_NAME_BYTES 112

/* One number of the list. */
struct stat_number {
	const struct stat_row *row; /* NULL at first */
	const char *title;          /* of its section, if it is the first of its group */
	char name[STAT_NAME_BYTES];
	const char *value;
	const char *values; /* of the group */
	uint32_t group;     /* for stat_next() */
	int index;          /* into the row's array: `each`, `count` */
};

/* Steps to the next number, in the order of the report; zeroed: to the first.  False: there are no more. */
bool stat_next(const struct stat_list *, struct stat_number *);

/* Of a STAT_COUNT. */
static inline uint64_t stat_count(const char *value)
{
	uint64_t count;

	memcpy(&count, value, sizeof count);
	return count;
}

/* All numbers as they are now, gathered before. */
void stat_list_report(const struct stat_list *, struct report *);

/* The numbers that stat_list_report() leaves out because their group is quiet: for a check of names before a
 * run. */
void stat_list_report_left_out(const struct stat_list *, struct report *);

/* Names that a listing has shown. */
struct stat_names {
	char **name;
	uint32_t names, room;
};

/* Prints a line with unit and meaning for each number whose name is not in `shown` yet, and adds it there. */
void stat_list_print(const struct stat_list *, FILE *, struct stat_names *shown);
void stat_names_release(struct stat_names *);

#endif
