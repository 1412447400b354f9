/*
 * The replay: requests of a workload meet the drive as the host settings say.
 */
#ifndef DRIVE_RUN_H
#define DRIVE_RUN_H

#include "drive/drive.h"
#include "drive/explain.h"
#include "drive/windows.h"
#include "drive/workload.h"

enum run_end {
	RUN_DONE,         /* every request was served */
	RUN_BAD_WORKLOAD, /* the fault says what is wrong with it */
	RUN_DRIVE_FAILED, /* the modelled drive is full or worn out */
	RUN_INTERRUPTED,
};

struct run {
	struct drive *drive;
	struct workload *workload;
	/* Asked between two requests, every few thousand and at each multiple of this, unless it is 0.  Then the run may
	 * be saved (drive/checkpoint.h). */
	bool (*keep_going)(void *context, const struct run *);
	uint64_t ask_every;
	void *context;
	uint64_t requests; /* taken from the workload */
	bool summed;       /* it is to be saved, or was */
	bool resumed;      /* of a run that was saved are number and sum of the requests: it goes on there */
	uint64_t sum;      /* of these and the next one */
	struct explanation *explanation; /* NULL: no request is to be explained */
	struct windows *windows;         /* NULL: the run has no parts */
};

enum run_end run_workload(struct run *, struct fault *);

#endif
