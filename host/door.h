/*
 * The requests of several tenants between the workload and the drive:
 *
 *	workload -> held: read ahead of their time -> waiting: they have arrived -> drive
 *
 * A request waits in the queue of its tenant; with host.arbitration = fifo in one of all.  It leaves the
 * queue when the arbiter names that, and the drive has a slot.  run/tenants.c moves requests from place to
 * place and lets time pass; a host with one tenant has no door.
 *
 * What is read of the workload is held in lines, one for each closed tenant, whose next request arrives when
 * one of its requests completes, whatever other tenants do.  Open tenants, whose requests arrive at their
 * times, have a line each if their workloads are apart, and one together if they share a trace.
 */
#ifndef HOST_DOOR_H
#define HOST_DOOR_H

#include "host/arbiter.h"
#include "host/queues.h"

/* What has been read of the workload of a tenant, or of the one of all, the first then. */
struct door_source {
	uint64_t taken; /* requests */
	uint64_t sum;   /* of them, for runs that are saved */
	bool ended;     /* there are no more */
};

struct door {
	const struct tenants *tenants;
	bool in_one_queue;
	bool ends_with_first; /* host.end */
	struct arbiter arbiter;
	uint64_t slots; /* requests that may be in the drive */

	struct queues held, waiting;
	bool apart;                  /* tenants have a workload each */
	uint32_t line[TENANTS_MOST]; /* of each tenant, in `held` */
	uint64_t open_lines;         /* those of open tenants, as bits */
	struct door_source source[TENANTS_MOST];

	/* Tenants of requests that have completed since the run last looked, in this order. */
	uint32_t *left;
	uint32_t lefts, left_room;
};

struct door *door_create(const struct tenants *, const struct host_settings *);
void door_free(struct door *);

/* Before the first request of a run: do the tenants have a workload each? */
void door_set_lines(struct door *, bool apart);

/* No request is held or waits, of a run that was ended, and nothing has been read. */
void door_clear(struct door *);

/* A request of the tenant has arrived: it waits. */
void door_arrive(struct door *, const struct request *);

/* The request that the arbiter names of those that wait, of which there is one. */
struct request door_next(struct door *);

/* No more requests arrive. */
void door_close(struct door *);

/* A request of this tenant has left the drive. */
void door_note_left(struct door *, uint32_t tenant);

extern const struct state_row door_state[];

#endif
