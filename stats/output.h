/*
 * Result files that are either whole or not there: written beside their final name, as NAME.partial-PID, and renamed
 * when every byte has reached the disk.  A name is written by one program at a time: the file beside it is locked, so
 * that another program refuses, and one that was killed leaves a file without a lock, which the next removes.
 */
#ifndef STATS_OUTPUT_H
#define STATS_OUTPUT_H

#include "base/fault.h"

#include <stdio.h>

/* Files that a program may have begun at a time. */
#define OUTPUTS_MOST 8

struct output {
	FILE *stream;
	char *path;      /* final name */
	char *temporary; /* NULL for a device or pipe, which is written directly */
};

/* False and a fault if it cannot be created, or is being written by another program. */
bool output_open(struct output *, const char *path, struct fault *);

/* For a program that ends early, from a signal handler, too: removes what was begun and not committed. */
void outputs_remove(void);

/* Flushes, checks every earlier write, renames.  On failure the temporary is removed. */
bool output_commit(struct output *, struct fault *);

/* Drops what was written.  Harmless after output_commit() or a failed output_open(). */
void output_abandon(struct output *);

#endif
