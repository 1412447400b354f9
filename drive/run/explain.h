/*
 * Explains one request of a run: its look-ups, the operations it caused on the medium, their dependencies and
 * times.
 */
#ifndef RUN_EXPLAIN_H
#define RUN_EXPLAIN_H

#include "drive/drive.h"
#include "observe/tracer.h"

#include <stdio.h>

struct explanation {
	uint64_t number; /* of the request, from 1; set by the caller, the rest is zero at first */
	struct drive_observer observer;
	struct drive *drive; /* NULL: it observes none */
	uint64_t entered;    /* requests so far, commands too */
	bool seen;           /* the run got as far as this request */
	struct request request;
	tick_t taken;  /* when it entered the drive */
	char said[48]; /* by tools of the store: "placement handle 2" */
	uint32_t accesses;
	struct map_statistics before, after;
	struct tracer tracer;
	char (*owner)[32]; /* per operation: contents of the page */
	char *map;         /* parts from the host layer, and the mapping entries afterwards */
	size_t map_bytes;
	FILE *diary; /* while the request is served: evictions from the buffer, and why */
	char *evictions;
	size_t evictions_bytes;
};

/* Call before the request enters. */
void explanation_observe(struct explanation *, struct drive *);

/* After the run, as comment lines. */
void explanation_write(const struct explanation *, const struct drive *, FILE *);

/* "read", "write", ... */
const char *request_name(enum request_type);

/* "write of LPN 3, sectors 0 to 1" */
void request_tell(const struct geometry *, const struct request *, FILE *);

/* What the request does and why, in a sentence or two, without a newline. */
void explanation_tell(const struct explanation *, const struct drive *, FILE *);

/* When the request completed, as known so far: the end of its look-ups and of operations it waits for. */
tick_t explanation_completion(const struct explanation *, const struct drive *);

/* Contents of a page in the words of its FTL: "LPN 5"; "-" for none. */
void name_owner(const struct ftl *, owner_t, char *text, size_t bytes);

/* What a page holds; of parity: "parity of unit 3, offset 1". */
void name_content(const struct ftl *, ppn_t, owner_t, char *text, size_t bytes);

/* "3.0": block and offset of the page. */
void name_place(const struct geometry *, ppn_t, char *text, size_t bytes);

/* The drive, if there is one, is still there. */
void explanation_release(struct explanation *);

#endif
