/*
 * State in a file: lines "key = value" that say what it belongs to, the rooms' regions (base/regions.h; areas
 * of zeros take no room), and a checksum.
 *
 * A file may come from anywhere.  A key that differs is named, every number is held against the bounds that
 * its room declares, the whole is checked for consistency, and only then is it used.
 */
#ifndef PREPARE_STATE_FILE_H
#define PREPARE_STATE_FILE_H

#include "base/fault.h"
#include "base/regions.h"

struct state_file {
	const char *magic;       /* the first line */
	const char *what, *make; /* for messages: "drive", "make one with ..." */
	/* Optional: why a file with another value for this line cannot be used. */
	const char *(*reason)(const char *line);
	bool running; /* as in struct regions */
	void (*visit)(void *context, struct regions *);
	void (*check)(
		void *context); /* aborts if anything is wrong; runs in a child, so what it changes is lost */
	void *context;

	char *head; /* its lines; owned */
	uint32_t length, room;
};

/* Adds a line to the head. */
void state_file_add(struct state_file *, const char *key, const char *value);
void state_file_release(struct state_file *);

/* The whole file is written, or none.  False and a fault. */
bool state_file_save(const struct state_file *, const char *path, struct fault *);

/* False and a fault: there is no such file, it belongs to something else, or it is damaged. */
bool state_file_load(const struct state_file *, const char *path, struct fault *);

#endif
