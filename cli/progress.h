/*
 * A line on a terminal that says how far a long run has come.  Silent elsewhere.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "drive/run.h"

#include <stdbool.h>

struct progress {
	bool on;               /* stderr is a terminal and nobody asked for quiet */
	double started, shown; /* seconds */
};

void progress_start(struct progress *, bool quiet);

/* Shows the line again if it is time to. */
void progress_show(struct progress *, const struct run *);

/* Clears the line and says what the run took: on stderr, so that results stay reproducible. */
void progress_end(struct progress *, const struct run *, bool quiet);

#endif
