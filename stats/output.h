/*
 * Result files that are either whole or not there: written beside their final name
 * and renamed when every byte has reached the file system.
 */
#ifndef STATS_OUTPUT_H
#define STATS_OUTPUT_H

#include "base/fault.h"

#include <stdio.h>

struct output {
	FILE *stream;
	char *path;      /* final name */
	char *temporary; /* NULL for a device or pipe, which is written directly */
};

/* False and a fault if it cannot be created. */
bool output_open(struct output *, const char *path, struct fault *);

/* Flushes, checks every earlier write, renames.  On failure the temporary is removed. */
bool output_commit(struct output *, struct fault *);

/* Drops what was written.  Harmless after output_commit() or a failed output_open(). */
void output_abandon(struct output *);

#endif
