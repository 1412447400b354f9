/*
 * The requests of several tenants between the workload and the drive:
 *
 *	workload -> held: read ahead of their time -> waiting: they have arrived -> drive
 *
 * A request waits in the queue of its tenant; with host.arbitration = fifo all tenants share one queue.  It
 * enters the drive when the arbiter chooses its queue and the drive has a free slot.  drive/run/tenants.c
 * moves the requests and lets time pass; a host with one tenant has no door.
 *
 * Requests read from the workload are held in lines.  Each closed tenant has a line of its own, because its
 * next request arrives when one of its requests completes, whatever other tenants do.  Open tenants, whose
 * requests arrive at the times of the trace, have a line each if each has a workload, and share one line if
 * they share a trace.
 */
#ifndef HOST_DOOR_H
#define HOST_DOOR_H

#include "host/arbiter.h"
#include "host/queues.h"

/* What has been read of a tenant's workload; the first entry, if all tenants share one workload. */
struct door_source {
	uint64_t taken; /* requests */
	uint64_t sum;   /* checksum of them, for runs that are saved */
	bool ended;     /* there are no more */
};

struct door {
	const struct tenants *tenants;
	bool in_one_queue;
	bool ends_with_first; /* host.end */
	struct arbiter arbiter;
	uint64_t slots; /* requests that may be in the drive at once */

	struct queues held, waiting;
	bool apart;                  /* each tenant has a workload of its own */
	uint32_t line[TENANTS_MOST]; /* of each tenant, in `held` */
	uint64_t open_lines;         /* those of open tenants, as bits */
	struct door_source source[TENANTS_MOST];

	/* Tenants of the requests completed since tenants_arrive() last looked, in order of completion. */
	uint32_t *left;
	uint32_t lefts, left_room;
};

struct door *door_create(const struct tenants *, const struct host_settings *);
void door_free(struct door *);

/* Call before the first request of a run.  `apart`: each tenant has a workload of its own. */
void door_set_lines(struct door *, bool apart);

/* For a new run: drops the requests that an earlier one left behind, and resets what has been read. */
void door_clear(struct door *);

/* A request has arrived: puts it into its queue. */
void door_arrive(struct door *, const struct request *);

/* Takes the request that the arbiter chooses.  At least one must be waiting. */
struct request door_next(struct door *);

/* No more requests arrive: drops those held. */
void door_close(struct door *);

/* A request of this tenant has left the drive. */
void door_note_left(struct door *, uint32_t tenant);

extern const struct state_row door_state[];

#endif
