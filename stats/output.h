/*
 * Result files that are either whole or not there: written as NAME.partial-PID beside their final name, and
 * renamed when every byte is on the disk.  Only one program writes a name at a time: the partial file is
 * locked, so another program refuses.  If a program is killed, its file stays without a lock, and the next
 * one removes it.
 */
#ifndef STATS_OUTPUT_H
#define STATS_OUTPUT_H

#include "base/fault.h"

#include <stdio.h>

/* Files that a program may write at the same time. */
#define OUTPUTS_MOST 8

struct output {
	FILE *stream;
	char *path;      /* final name */
	char *temporary; /* NULL for a device or pipe, which is written directly */
};

/* False and a fault if it cannot be created, or is being written by another program. */
bool output_open(struct output *, const char *path, struct fault *);

/* For a program that ends early: removes files begun and not committed.  Safe in a signal handler. */
void outputs_remove(void);

/* Flushes, checks every earlier write, renames.  On failure the temporary is removed. */
bool output_commit(struct output *, struct fault *);

/* Discards the file. Harmless after output_commit() or a failed output_open(). */
void output_abandon(struct output *);

#endif
