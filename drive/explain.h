/*
 * Explains one request of a run: how it was looked up, which operations it caused on the medium, what each
 * waited for and when it happened.
 */
#ifndef DRIVE_EXPLAIN_H
#define DRIVE_EXPLAIN_H

#include "drive/drive.h"
#include "flash/watch.h"

#include <stdio.h>

struct explanation {
	uint64_t number; /* of the request, from 1; set by the caller, the rest is zero at first */
	bool seen;       /* the workload had so many requests */
	struct request request;
	tick_t taken; /* when it entered the drive */
	uint32_t accesses;
	struct map_statistics before, after;
	struct watch watch;
	char (*owner)[32]; /* per operation, what the page holds */
	char *map;         /* what the host layer made of it, what the mapping says of its pages once it was taken in */
	size_t map_bytes;
	FILE *diary; /* while it is taken in: what left the buffer and why */
	char *evictions;
	size_t evictions_bytes;
};

/* Around drive_submit() of the request. */
void explanation_begin(struct explanation *, struct drive *, const struct request *);
void explanation_taken(struct explanation *, struct drive *);

/* After the run, as comment lines. */
void explanation_write(const struct explanation *, const struct drive *, FILE *);
void explanation_release(struct explanation *, struct drive *);

#endif
