/*
 * The text of a parameter file made ready for libconfig: included files put in place, since libconfig looks
 * for them in one folder only, and every whole number written with libconfig's 64-bit suffix, since libconfig
 * 1.5 silently cuts larger ones to 32 bits.  It handles characters, lines and files, not parameters or
 * settings.
 */
#ifndef PARAMETERS_EXPAND_H
#define PARAMETERS_EXPAND_H

#include "base/fault.h"

#include <stddef.h>
#include <stdint.h>

struct place {
	const char *file; /* as the user named it */
	unsigned line;    /* from 1 */
};

struct expansion {
	char *text; /* for config_read_string() */
	uint32_t used, room;
	struct place *places; /* of every line of the text */
	uint32_t lines, line_room;
	char **files; /* names of the files read */
	uint32_t file_count, file_room;
	uint32_t bytes, settings; /* of all files */
	bool in_memory;           /* no file: has no folder to include from */
};

/* Reads a file and what it includes, relative to the folder of the including file.  False and a fault that
 * names the place; expansion_release() must follow either way. */
bool expand_file(struct expansion *, const char *path, struct fault *);

/* The same for a text in memory, called `name` in messages, which may include nothing. */
bool expand_text(struct expansion *, const char *text, const char *name, struct fault *);

void expansion_release(struct expansion *);

/* Where a line (from 1) of the text comes from; a line beyond the last one is taken for the last. */
struct place expansion_place(const struct expansion *, unsigned line);

#endif
