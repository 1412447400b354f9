/*
 * One row describes one setting.  The same row feeds the parser, the default, the range check, `ssd params`,
 * the echo of the effective setting above every result, and the list of settings on which a saved drive
 * depends. A room (or a plug-in) owns a struct of settings and the rows that describe it; parameters/ does
 * the reading.
 */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum param_type {
	PARAM_BOOL,   /* bool       true | false */
	PARAM_UINT,   /* uint64_t   whole number; 10K 4M 2G 1T are accepted, powers of 1024 */
	PARAM_REAL,   /* double */
	PARAM_CHOICE, /* int        index into `choices` */
	PARAM_TEXT,   /* char *     owned by the settings; "" when unset */
	PARAM_TICKS,  /* struct tick_list   one time, or one per page type: 75000 or [58000, 78000, 107000] */
};

/* Up to four times in ns: one for all pages, or one per page type (LSB, CSB, MSB, ...). */
struct tick_list {
	uint32_t count; /* 1..4 */
	uint64_t ns[4];
};

/* A table of rows ends with a row whose name is NULL. */
struct param {
	const char *name; /* within its group, "page_bytes" */
	enum param_type type;
	size_t offset;              /* of the field in the owner's settings */
	double min, max;            /* of numbers; each entry of a list */
	const char *unit;           /* "ns", "bytes", "pages", "" */
	const char *preset;         /* default, as a user would write it and as it is echoed */
	const char *help;           /* meaning, also of 0 where that is special */
	const char *const *choices; /* PARAM_CHOICE: names, NULL-ended */
	/* Optional, the condition under which the setting has an effect: another key is one of some values,
	 * "gc.policy=fifo,random", or none of them, "buffer!=none".  The other's own condition must hold,
	 * too.  If the drive has no such key, because that belongs to another FTL, the condition is met. */
	const char *matters_if;
	/* Affects only time, or only things outside the drive: the state of a prepared drive does not depend
	 * on it. */
	bool stateless;
	/* Echoed only if it is not at its default: results from before it existed keep their bytes. */
	bool quiet;
	/* Switches on the feature that its group describes: while all such rows of a group are at their
	 * defaults, no row of the group is echoed. */
	bool switches;
};

/* The first three members of a row whose key is the name of the field: PARAM(UINT, struct gc_settings, d). */
#define PARAM(type, owner, field) #field, PARAM_##type, offsetof(owner, field)

/*
 * Two settings that do not go together: the drive is refused if both conditions hold.  A condition is written
 * like a row's `matters_if`, or is a trait of the drive, "@units" (drive/refusals.c); the message names both
 * settings with their values.  A table ends with a row whose key is NULL.
 */
struct refusal {
	const char *key, *when;  /* `when` NULL: as soon as the table counts, because a feature is on */
	const char *with, *also; /* the other setting, and its condition */
	const char *why;         /* "KEY = VALUE: WITH = VALUE ..." */
};

/* Why a feature refuses an FTL without collections of its own. */
#define NEEDS_COLLECTION(WHO_NEEDS)                                                                          \
	"places pages itself or collects in no time; " WHO_NEEDS " an FTL such as page, across or dftl"

/* A named set of rows and the settings they describe.  The unnamed group "" is the file's top level. */
struct param_group {
	const char *name;
	const struct param *rows;
	void *settings;     /* zeroed by the owner before reading */
	bool stateless;     /* all its rows are */
	const char *unused; /* why none of its rows has an effect, "ftl = page"; NULL: see matters_if */
};

#endif
