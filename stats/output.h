/*
 * Result files that are either whole or not there: written as NAME.partial-PID beside their final name (with
 * a checksum in place of a name that is too long), and renamed when every byte is on the disk.  The partial
 * file is locked: while it is, another program refuses to write the same name.  If a program is killed, its
 * file stays without a lock, and the next one removes it.
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

/* False and a fault if it cannot be created, or is being written by another program. */
bool output_open(struct output *, const char *path, struct fault *);

/* For a file that every program would write with the same bytes: the last one to finish replaces it. */
bool output_open_shared(struct output *, const char *path, struct fault *);

/* For a program of one thread that ends early: removes files begun and not committed.  Safe in a signal
 * handler. */
void outputs_remove(void);

/* Flushes, checks every earlier write, renames.  On failure the temporary is removed. */
bool output_commit(struct output *, struct fault *);

/* Discards the file. Harmless after output_commit() or a failed output_open(). */
void output_abandon(struct output *);

#endif
