/*
 * Parameters: the option tables of all rooms (base/param.h) filled from defaults, from a
 * parameter file (libconfig) and from `-s KEY=VALUE`, in that order; printed for
 * `ssd params` and for the echo above every result.
 *
 * A key is "group.name", or "name" in the group "" (the file's top level).  Several tables
 * may share a group's name as long as no key occurs twice.  A group without settings is
 * known but not in effect: its rows are checked, nothing is stored.
 *
 * It handles rows, not their meaning: their owners check which values fit together.
 */
#ifndef PARAMETERS_PARAMS_H
#define PARAMETERS_PARAMS_H

#include "base/fault.h"
#include "base/param.h"

#include <stdio.h>

/* Each call below fills settings of the groups that have some.  False: the fault says in one
 * line where, what is wrong and what would be right; earlier settings may have been stored. */

/* Sets every row to its default, after checking the tables themselves. */
bool params_defaults(const struct param_group *groups, size_t count, struct fault *);

/* A parameter file whose syntax has been read, with what it includes (relative to the folder of the including
 * file); params_close() must follow.  NULL and a fault. */
struct params_file *params_open(const char *path, struct fault *);
/* The same of a text in memory, called `name` in messages; it can include nothing. */
struct params_file *params_open_text(const char *text, const char *name, struct fault *);
void params_close(struct params_file *); /* NULL: nothing */

/* The text that it gives to a parameter outside of the groups, and in `where` its place: "drive.cfg:7: ".
 * NULL: none.  Lives as long as the file. */
const char *params_text(const struct params_file *, const char *name, struct fault *where);

/* Stores its values. */
bool params_read(struct params_file *, const struct param_group *groups, size_t count, struct fault *);

/* All of this at once. */
bool params_read_file(const char *path, const struct param_group *groups, size_t count, struct fault *);

bool params_read_text(
	const char *text, const char *name, const struct param_group *groups, size_t count, struct fault *);

/* `assignment` as given to -s: "flash.page_bytes=4K".  Texts may be in quotes or not. */
bool params_set(const char *assignment, const struct param_group *groups, size_t count, struct fault *);

/* Does the condition hold, written like a row's `matters_if` (base/param.h), and has the setting an effect?
 * Also false if its group has no settings, because it belongs to another FTL. */
bool params_hold(const char *condition, const struct param_group *groups, size_t count);

/* Frees the texts the settings own. */
void params_release(const struct param_group *groups, size_t count);

/* Describes the rows of all groups (what NULL), of one group, or of one key. */
bool params_print(FILE *, const char *what, const struct param_group *groups, size_t count, struct fault *);

/* A setting as it is.  Its texts are valid during the call. */
struct param_echo {
	const char *key, *value; /* the value as params_set() takes it */
	const char *unused;      /* "", or why it has no effect: "gc.policy = greedy" */
	bool stateless;
};

typedef void param_visitor(void *context, const struct param_echo *);

/* Visits every row of the groups that have settings and are switched on, but no quiet one at its default. */
void params_echo(const struct param_group *groups, size_t count, param_visitor *, void *context);

#endif
