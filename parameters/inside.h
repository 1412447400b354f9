/* Shared by params.c, which handles rows, and file.c, which reads parameter files. */
#ifndef PARAMETERS_INSIDE_H
#define PARAMETERS_INSIDE_H

#include "parameters/expand.h"
#include "parameters/params.h"

#define KEY_BYTES   160
#define SHOWN_BYTES 64
#define LIST_BYTES  160

/* The tables, and how faults are reported. */
struct params_reader {
	const struct param_group *groups;
	size_t count;
	struct fault *fault;
	char where[FAULT_BYTES / 2];       /* begins each message: "drive.cfg:7: ", "-s gc.d=0: " or "" */
	const struct expansion *expansion; /* of the file being read */
};

/* A row and the group it was found in. */
struct params_entry {
	const struct param_group *group;
	const struct param *row; /* NULL: there is none */
};

/* The user's text, short and without control characters, for a message of one line; in `room`. */
const char *params_shown(const char *text, char *room /* [SHOWN_BYTES] */);

/* "flash.pages", in `room`. */
const char *params_key(struct params_entry, char *room /* [KEY_BYTES] */);

/* Is there a group whose name is the first `length` characters of `name`? */
bool params_has_group(const struct params_reader *, const char *name, size_t length);

struct params_entry params_find(const struct params_reader *, const char *key);

/* False, and a fault that suggests the nearest one: there is no such parameter, no such group. */
bool params_unknown(const struct params_reader *, const char *key);
bool params_unknown_group(const struct params_reader *, const char *name);

#endif
