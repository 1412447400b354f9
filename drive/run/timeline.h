/*
 * What some requests of a run did over time: their operations, the dependencies, and the busy times of buses
 * and dies until the last operation was done.  Recorded during the run, written afterwards
 * (drive/run/trace_events.h).
 *
 * Memory grows with the operations of these requests, about 200 bytes each.
 */
#ifndef RUN_TIMELINE_H
#define RUN_TIMELINE_H

#include "drive/drive.h"
#include "observe/tracer.h"

struct timed_request {
	struct request request;
	uint64_t number;      /* from 1 */
	tick_t taken, served; /* when it entered the drive; when the last operation it waits for was done */
	uint32_t first, ops;  /* of its operations, in the tracer */
	uint64_t in_drive;    /* requests, this one included */
	uint64_t free_pages;  /* of the medium, after its operations were issued */
};

struct timeline {
	uint64_t from, to; /* numbers of requests, from 1; set by the caller, the rest is zero at first */
	struct drive_observer observer;
	struct drive *drive;
	uint64_t entered; /* requests so far, commands too */
	struct tracer tracer;
	struct timed_request *request;
	char (*owner)[32]; /* per operation: contents of the page */
	uint32_t requests, request_room, owner_room;
};

/* Call before the first request. */
void timeline_observe(struct timeline *, struct drive *);

/* After the run: ends recording and finds out when requests were served. */
void timeline_end(struct timeline *, struct drive *);
void timeline_release(struct timeline *);

#endif
