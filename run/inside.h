/* Between run.c, the replay, and tenants.c, its part for several tenants. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "run/run.h"

/* Takes the next request from a workload of the run, and adds it to a sum. */
enum trace_status run_fetch(struct run *, struct workload *, struct request *, uint64_t *sum, struct fault *);

/* Can the drive do what a request of the workload asks for?  False: there is a fault. */
bool run_has_what_it_needs(
	const struct run *, const struct workload *, const struct request *, struct fault *);

/* Counts a request and submits it to the drive.  False: the drive did not take it. */
bool run_enter(struct run *, const struct request *);

/* Why the drive did not take the request: it is full or worn out, or the request broke a rule of it. */
enum run_end run_refused(struct run *, const struct request *, struct fault *);

/* A fault: the workload is another one than that of the run that was saved. */
void run_tell_other_workload(struct run *, const struct workload *, uint64_t requests, struct fault *);

/*
 * The same as run_begin(), run_step() and run_wait() with several tenants (host/door.h), whose requests are
 * moved from their workloads to the drive.
 */
void tenants_begin(struct run *, struct fault *);
enum run_end tenants_step(struct run *, struct fault *);
void tenants_wait(struct run *, struct fault *);

#endif
