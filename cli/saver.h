/*
 * Saves a run from time to time (drive/run/checkpoint.h).  While a run can still be resumed, the rows of its
 * series and its log go to FILE.series and FILE.log beside the FILE it is saved to; they are copied into
 * place at its end.
 */
#ifndef CLI_SAVER_H
#define CLI_SAVER_H

#include "cli/cli.h"
#include "drive/run/checkpoint.h"

enum { ROWS_SERIES, ROWS_LOG, ROWS };

struct saver {
	const char *path;  /* NULL: the run is not saved */
	bool resume;       /* from that file */
	uint64_t requests; /* between two saves, or: */
	uint64_t seconds;
	double last;      /* when it was last saved */
	FILE *rows[ROWS]; /* NULL: not wanted, or the run is not saved */
	struct checkpoint what;
};

/* Reads the options and opens the files.  False and a fault: the options contradict each other, or a file
 * cannot be opened. */
bool saver_open(struct saver *, const struct options *, struct fault *);
void saver_close(struct saver *);

/* Restores the saved run into the parts named in `what`. */
bool saver_resume(struct saver *, struct fault *);

/* Call between two requests: saves the run before the first one, when a save is due, and if it `ends`.  A
 * save that fails is a warning. */
void saver_pass(struct saver *, bool ends);

/* The run is done and its results are written: removes the saved run. */
void saver_remove(struct saver *);

/* The run ended before its first request: removes the files opened, unless a run was saved there earlier. */
void saver_abandon(struct saver *);

#endif
