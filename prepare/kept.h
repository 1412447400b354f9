/*
 * Files of state: a head of lines "key = value" that says whose it is, the rooms' regions, areas of zeros taking no
 * room, and a checksum.  Files come from anywhere: a key that differs is named, every number is held against the
 * bounds that its room declares (base/regions.h), then the whole is put to a check, and only then it is used.
 */
#ifndef PREPARE_KEPT_H
#define PREPARE_KEPT_H

#include "base/fault.h"
#include "base/regions.h"

struct kept {
	const char *magic;       /* the first line */
	const char *what, *make; /* "drive", "make one with ..."; for messages */
	const char *(*reason)(
		const char *line); /* optional: why another value of this line of the head will not do */
	bool running;              /* as in struct regions */
	void (*visit)(void *context, struct regions *);
	void (*check)(void *context); /* ends the process if anything is wrong; what it changes is lost */
	void *context;

	char *head;
	uint32_t length, room;
};

/* A line of the head. */
void kept_add(struct kept *, const char *key, const char *value);
void kept_release(struct kept *);

/* Whole or not at all. */
bool kept_save(const struct kept *, const char *path, struct fault *);

/* False and a fault: no such file, another's, damaged. */
bool kept_load(const struct kept *, const char *path, struct fault *);

#endif
