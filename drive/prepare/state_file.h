/*
 * State in a file: lines "key = value" that say what it belongs to, the values of the rows (base/state.h;
 * areas of zeros take no room), and a checksum.
 *
 * A file is refused in one line if it belongs to something else (the key that differs is named), if its
 * layout is another, or if its content does not match its checksum.  Its values are used as they are: a
 * file that somebody forged is trusted like a program.
 */
#ifndef PREPARE_STATE_FILE_H
#define PREPARE_STATE_FILE_H

#include "base/fault.h"
#include "base/state.h"

struct state_file {
	const char *magic;       /* the first line */
	const char *what, *make; /* for messages: "drive", "make one with ..." */
	/* Optional: why a file with another value for this line cannot be used. */
	const char *(*reason)(const char *line);
	bool running; /* state of a run is in it (base/state.h) */
	const struct state_row *rows;
	void *owner;
	bool shared; /* every program that saves it writes the same bytes */

	char *head; /* its lines; owned */
	uint32_t length, room;
};

/* Adds a line to the head. */
void state_file_add(struct state_file *, const char *key, const char *value);
void state_file_add_sum(struct state_file *, const char *key, uint64_t sum); /* 0: any */

/* The last line: a checksum of the rows, by which a file of another layout is recognised. */
void state_file_add_layout(struct state_file *);
void state_file_release(struct state_file *);

/* Writes the whole file, or none: false and a fault. */
bool state_file_save(const struct state_file *, const char *path, struct fault *);

/* False and a fault: the file does not exist, belongs to something else, or is damaged. */
bool state_file_load(const struct state_file *, const char *path, struct fault *);

#endif
