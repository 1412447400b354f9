/*
 * The replay: requests of a workload meet the drive as the host settings say.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "drive/drive.h"
#include "run/explain.h"
#include "run/timeline.h"
#include "run/windows.h"
#include "prepare/workload.h"

enum run_end {
	RUN_DONE,         /* every request was served */
	RUN_BAD_WORKLOAD, /* the fault says what is wrong with it */
	RUN_DRIVE_FAILED, /* the modelled drive is full or worn out */
	RUN_INTERRUPTED,
};

struct run {
	struct drive *drive;
	struct workload *workload;
	/* Asked between two requests, every few thousand and at each multiple of `ask_every`, unless that is 0.  Then
	 * the run may be saved (run/checkpoint.h). */
	bool (*keep_going)(void *context, const struct run *);
	uint64_t ask_every;
	void *context;
	uint64_t requests; /* taken from the workload */
	uint64_t asides;   /* of these, collections that were asked for */
	bool summed;       /* it is to be saved, or was */
	bool resumed;      /* of a run that was saved are these numbers and this sum: it goes on there */
	uint64_t sum;      /* of these and the next one */
	struct explanation *explanation; /* NULL: no request is to be explained */
	struct timeline
		*timeline;       /* NULL: none is kept; there is one witness, for it or for the explanation */
	struct windows *windows; /* NULL: the run has no parts */

	struct request next; /* to be taken in, if the status says so */
	enum trace_status status;
};

enum run_end run_workload(struct run *, struct fault *);

/* The same step by step.  After run_begin(), as long as status is TRACE_OK, run_step() takes in one request; RUN_DONE
 * means that it was.  run_wait() lets time pass until the next one may enter, or until all is done. */
void run_begin(struct run *, struct fault *);
enum run_end run_step(struct run *, struct fault *);
void run_wait(struct run *);

#endif
