/*
 * Explains one request of a run: how it was looked up, which operations it caused on the medium, what each
 * waited for and when it happened.
 */
#ifndef RUN_EXPLAIN_H
#define RUN_EXPLAIN_H

#include "drive/drive.h"
#include "observe/tracer.h"

#include <stdio.h>

struct explanation {
	uint64_t number; /* of the request, from 1; set by the caller, the rest is zero at first */
	bool seen;       /* the workload had so many requests */
	struct request request;
	tick_t taken; /* when it entered the drive */
	uint32_t accesses;
	struct map_statistics before, after;
	struct tracer tracer;
	char (*owner)[32]; /* per operation, what the page holds */
	char *map; /* what the host layer made of it, what the mapping says of its pages once it was taken in */
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

/* "write of LPN 3, sectors 0 to 1" */
void request_tell(const struct geometry *, const struct request *, FILE *);

/* What the request does and why, in a sentence or two, without a line's end. */
void explanation_tell(const struct explanation *, const struct drive *, FILE *);

/* When the last operation it waits for was done, as far as they are. */
tick_t explanation_completion(const struct explanation *, const struct drive *);

/* What the page holds in the words of its FTL: "LPN 5"; "-" if nothing. */
void name_owner(const struct ftl *, owner_t, char *text, size_t bytes);

/* "3.0": its block, and its place in that. */
void name_place(const struct geometry *, ppn_t, char *text, size_t bytes);
void explanation_release(struct explanation *, struct drive *);

#endif
