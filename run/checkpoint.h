/*
 * A run saved between two requests (prepare/kept.h).  A run resumed from the file ends with the results, to the byte,
 * of a run that was not interrupted.
 *
 * The file has the drive with all that is under way in it, and what was counted.  Of the workload it has the number of
 * requests taken and a sum of them: it is read again up to there, and must be the same.  Rows of a series and of a
 * log that were written lie in files of the caller's, as long as it says.  Runs under judges are not saved.
 */
#ifndef RUN_CHECKPOINT_H
#define RUN_CHECKPOINT_H

#include "prepare/precondition.h"
#include "run/run.h"

struct checkpoint {
	struct run *run;
	struct precondition_result *before;
	const char *warm_up, *series;     /* what makes the windows of the run, as the user wrote it; NULL */
	uint64_t series_bytes, log_bytes; /* rows written so far */
};

bool checkpoint_save(struct checkpoint *, const char *path, struct fault *);

/* Into the run of a fresh drive, whose windows and journal are those of the run that was saved.  False and a fault:
 * no such file, another run, damaged. */
bool checkpoint_load(struct checkpoint *, const char *path, struct fault *);

#endif
