/*
 * Statistics as tables.  A room owns a plain struct of counters and one row per number that says what it is
 * called, its unit, its meaning and where it lies.  Whoever measures keeps one list of all these groups: it
 * zeroes them at one moment, reports them, and lists what there is.  Nobody else resets or prints a number.
 *
 * Knows numbers and names, not what they count.
 */
#ifndef STATS_TABLE_H
#define STATS_TABLE_H

#include "base/param.h"
#include "base/regions.h"
#include "stats/report.h"

#include <string.h>

enum stat_kind {
	STAT_COUNT, /* uint64_t */
	STAT_REAL,  /* double; one that is not finite says that there is nothing to tell */
	STAT_RATIO, /* uint64_t over the uint64_t at `over`; nothing where that is 0 */
	STAT_TEXT,  /* const char * */
	STAT_TIMES, /* struct histogram: mean, deviation, percentiles, maximum; nothing where it is empty */
};

/* A table of rows ends with a row whose name is NULL. */
struct stat_row {
	const char *name, *unit, *meaning;
	enum stat_kind kind;
	size_t offset, over; /* of the field in the group's values */
	/* Optional: `count` fields in a row, each named name.each(i); its unit and meaning are theirs. */
	const char *(*each)(int i);
	int count;
};

struct stat_group {
	const char *title;  /* of a section of the report; NULL: belongs to the one before */
	const char *prefix; /* before each name, or NULL */
	const struct stat_row *rows;
	void *values;           /* what the offsets count from */
	size_t size;            /* bytes of it that are zeroed when a measurement begins; 0: nothing */
	void *owner;            /* for these two, both optional */
	void (*start)(void *);  /* after zeroing: peaks begin at the present level */
	void (*gather)(void *); /* before reading: fills in what is computed or looked up */
};

struct stat_settings {
	char *percentiles; /* of STAT_TIMES: "50 95 99.9" */
};

extern const struct param stat_params[];

#define PERCENTILES_MOST 16

struct stat_list {
	struct stat_group *group;
	uint32_t groups, room;
	size_t percentiles;
	double percentile[PERCENTILES_MOST]; /* 0 .. 100 */
	char suffix[PERCENTILES_MOST][24];   /* "_p999_ns" */
};

/* An empty list.  False and a fault if the percentiles are no numbers from 0 to 100. */
bool stat_list_init(struct stat_list *, const struct stat_settings *, struct fault *);
void stat_list_release(struct stat_list *);

/* Rows and values must outlive the list. */
void stat_list_add(struct stat_list *, struct stat_group);

/* The measurement begins: every number is zero, every peak where things stand. */
void stat_list_start(struct stat_list *);

/* What the list zeroes when a measurement begins, for saving a run; what groups zero themselves is theirs. */
void stat_list_regions(struct stat_list *, struct regions *);

#define STAT_NAME_BYTES 112

/* A row's name, whole, and where its value lies. */
struct stat_number {
	char name[STAT_NAME_BYTES];
	const struct stat_row *row;
	const char *value;
};

/* Of a STAT_COUNT. */
static inline uint64_t stat_count(const char *value)
{
	uint64_t count;

	memcpy(&count, value, sizeof count);
	return count;
}

typedef void stat_visitor(void *context, const struct stat_list *, const struct stat_number *);

/* Every number as it is now, in the order of the report. */
void stat_list_visit(const struct stat_list *, stat_visitor *, void *context);

/* The same without asking the groups for what they count elsewhere. */
void stat_list_look(const struct stat_list *, stat_visitor *, void *context);

/* All groups in the order in which they were added. */
void stat_list_report(struct stat_list *, struct report *);

/* The names that a listing has shown. */
struct stat_names {
	char **name;
	uint32_t names, room;
};

/* What there is: a line with unit and meaning for each number whose name is new to `shown`, which learns it. */
void stat_list_print(const struct stat_list *, FILE *, struct stat_names *shown);
void stat_names_release(struct stat_names *);

#endif
