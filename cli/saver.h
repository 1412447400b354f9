/*
 * Saves a run now and then (run/checkpoint.h).  As long as a run may be resumed, the rows of its series and its log
 * are written to FILE.series and FILE.log beside the FILE it is saved to, and copied into place at its end.
 */
#ifndef CLI_SAVER_H
#define CLI_SAVER_H

#include "cli/cli.h"
#include "run/checkpoint.h"

struct saver {
	const char *path; /* NULL: the run is not saved */
	bool resume;
	uint64_t requests; /* between two times; 0: */
	double seconds;
	double last;        /* when it was saved last */
	FILE *series, *log; /* NULL: there are none */
	struct checkpoint what;
};

/* What the options ask for.  False and a fault: they contradict each other, or a file cannot be. */
bool saver_open(struct saver *, const struct options *, struct fault *);
void saver_close(struct saver *);

/* The run goes on where it was saved.  Its parts are named in `what`. */
bool saver_resume(struct saver *, struct fault *);

/* Between two requests: saves the run if it is time, or if it ends.  If that cannot be, it goes on with a warning. */
void saver_pass(struct saver *, bool ends);

/* The results are written, and the run is done: nothing of it is kept. */
void saver_remove(struct saver *);

/* It ended before it began: nothing that was begun is kept, but what was saved before. */
void saver_abandon(struct saver *);

#endif
