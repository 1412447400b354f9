/*
 * The replay: submits the requests of a workload to the drive as the host settings say.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "drive/journal.h"
#include "drive/run/windows.h"
#include "drive/prepare/workload.h"

enum run_end {
	RUN_DONE,         /* every request was served */
	RUN_BAD_WORKLOAD, /* the fault says why */
	RUN_DRIVE_FAILED, /* the modelled drive is full or worn out */
	RUN_INTERRUPTED,
};

struct run {
	struct drive *drive;
	struct workload *workload; /* NULL: requests are given to run_serve() */
	/* Called between two requests, every few thousand and at each multiple of `ask_every` unless that is
	 * 0; the run may be saved then (drive/run/checkpoint.h).  False ends the run. */
	bool (*keep_going)(void *context, const struct run *);
	uint64_t ask_every;
	void *context;
	uint64_t requests; /* taken from the workload */
	uint64_t commands; /* of these, those for which no host waits */
	tick_t from;       /* added to the arrivals of the workload */
	bool keeps_sum;    /* needed to save the run */
	bool resumed;      /* `requests` and `sum` are those of a saved run, which goes on */
	uint64_t sum;      /* checksum of the requests taken and the next one */
	/* Those that observe the drive and are saved with the run. */
	struct windows *windows; /* NULL: the run has no parts */
	struct journal *journal; /* NULL: no log */

	const struct run_source *source; /* drive/run/inside.h */
	struct request next;             /* of one tenant: to be submitted, if status is TRACE_OK */
	enum trace_status status;
};

enum run_end run_workload(struct run *, struct fault *);

/* After RUN_DRIVE_FAILED: why, and when it happened. */
void run_failure(const struct run *, struct fault *why);

/*
 * The same step by step.  After run_begin(), while status is TRACE_OK, run_step() submits one request and
 * returns RUN_DONE if that succeeded.  run_wait() lets time pass until the next request may enter, or until
 * all are completed.
 */
void run_begin(struct run *, struct fault *);
enum run_end run_step(struct run *, struct fault *);
void run_wait(struct run *, struct fault *);

/*
 * For a request that is not from a workload, with one tenant: lets time pass until it may enter, which in a
 * closed loop is its arrival, then counts and submits it.  The host must have admitted it; drive_expect() may
 * have been called for it.
 */
enum run_end run_serve(struct run *, struct request *);

#endif
