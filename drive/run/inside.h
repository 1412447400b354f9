/* Between run.c, the replay, and tenants.c, its part for several tenants. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "drive/run/run.h"

/* Takes the next request from a workload of the run, and adds it to the checksum *sum. */
enum trace_status run_fetch(struct run *, struct workload *, struct request *, uint64_t *sum, struct fault *);

/* Can the drive do what a request of the workload asks for?  False: there is a fault. */
bool run_has_what_it_needs(
	const struct run *, const struct workload *, const struct request *, struct fault *);

/* Counts a request and submits it to the drive.  False: the drive did not take it. */
bool run_enter(struct run *, const struct request *);

/* Why the drive did not take the request: it is full or worn out, or the request broke one of its rules. */
enum run_end run_refused(struct run *, const struct request *, struct fault *);

/* Sets a fault: the workload is not that of the saved run. */
void run_tell_other_workload(struct run *, const struct workload *, uint64_t requests, struct fault *);

/* run_begin(), run_step() and run_wait() for several tenants (host/door.h). */
void tenants_begin(struct run *, struct fault *);
enum run_end tenants_step(struct run *, struct fault *);
void tenants_wait(struct run *, struct fault *);

#endif
