/*
 * A run saved between two requests (drive/prepare/state_file.h).  Resumed from the file it ends with the same
 * results, to the byte, as a run that was not interrupted.
 *
 * The file has the drive, the operations in flight and the statistics.  Of the workload it has the number of
 * requests taken and their checksum: when the run is resumed, the workload is read again up to there and must
 * be the same.  Rows of a series and of a log are in files of the caller, whose lengths are saved.  Runs with
 * verification are not saved.
 */
#ifndef RUN_CHECKPOINT_H
#define RUN_CHECKPOINT_H

#include "drive/prepare/precondition.h"
#include "drive/run/run.h"

struct checkpoint {
	struct run *run;
	struct precondition_result *before;
	const char *warm_up, *series;     /* options --warmup and --series as given; NULL */
	uint64_t series_bytes, log_bytes; /* rows written so far */
};

bool checkpoint_save(struct checkpoint *, const char *path, struct fault *);

/*
 * Loads into the run of a fresh drive that has the same windows and journal as the saved one.  False and a
 * fault: the file does not exist, is of another run, or is damaged.
 */
bool checkpoint_load(struct checkpoint *, const char *path, struct fault *);

#endif
