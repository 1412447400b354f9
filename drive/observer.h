/*
 * What the drive tells of its requests: to the log, the parts of a run, a timeline, an explanation, the judge
 * of the queues, the library.  Any number may observe a drive, each for itself.
 *
 *	entering    before anything is done for the request, also for a command, which no host waits for
 *	entered     it is in the drive, under this ticket; not for commands
 *	issued      its operations are issued; also for a command
 *	served      they are done; where its time went
 *	goes_on     it was served, and goes on under the ticket `next` while its data crosses the host's link
 *	completed   the host has its answer, at time `when`; the ticket may then be used again
 *	time_passes after all requests that may enter at this moment have entered
 */
#ifndef DRIVE_OBSERVER_H
#define DRIVE_OBSERVER_H

#include "types.h"

struct account;
struct drive;
struct pending;

/* A field of the struct that observes.  Functions that are NULL are not called. */
struct drive_observer {
	struct drive_observer *next; /* of the drive's list */
	void *context;
	void (*entering)(void *context, const struct request *);
	void (*entered)(void *context, uint32_t ticket, const struct request *);
	void (*issued)(void *context, uint32_t ticket, const struct request *);
	void (*served)(void *context, uint32_t ticket, const struct account *);
	void (*goes_on)(void *context, uint32_t ticket, uint32_t next);
	void (*completed)(void *context, uint32_t ticket, const struct pending *, tick_t when);
	void (*time_passes)(void *context);
};

/* From now on, before the first request if it hears `served`: called after those that observe already.  No
 * longer. */
void drive_observe(struct drive *, struct drive_observer *);
void drive_dismiss(struct drive *, struct drive_observer *);

#endif
