/* Between run.c, the replay with its source of requests for one tenant, and tenants.c, the source for
 * several. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "drive/run/run.h"

/* Where a run finds its next request.  It sets the status of the run: TRACE_OK while there are more. */
struct run_source {
	/* Before the first request; or before the next one of a saved run, whose workload is read again. */
	void (*begin)(struct run *, struct fault *);
	void (*skip)(struct run *, struct fault *);

	/* Lets time pass until a request may enter the drive.  False: there is none, or a fault. */
	bool (*find)(struct run *, struct fault *);

	/* The same, and takes that request. */
	bool (*take)(struct run *, struct request *, struct fault *);

	/* It has entered.  Optional. */
	void (*entered)(struct run *, const struct request *, struct fault *);
};

/* For several tenants (host/door.h). */
extern const struct run_source tenants_source;

/* Takes the next request from a workload of the run, and adds it to the checksum *sum. */
enum trace_status run_fetch(struct run *, struct workload *, struct request *, uint64_t *sum, struct fault *);

/* Can the drive do what a request of the workload asks for?  False: there is a fault. */
bool run_has_what_it_needs(
	const struct run *, const struct workload *, const struct request *, struct fault *);

/* Sets a fault: the workload is not that of the saved run. */
void run_tell_other_workload(struct run *, const struct workload *, uint64_t requests, struct fault *);

#endif
