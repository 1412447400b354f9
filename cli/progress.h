/*
 * A line on a terminal that says how far a long run or a long trace has come.  Silent elsewhere.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct drive;

struct progress {
	bool on;               /* stderr is a terminal and nobody asked for quiet */
	double started, shown; /* seconds */
};

void progress_start(struct progress *, bool quiet);

/* Is it time to show the line again? */
bool progress_due(struct progress *);

/* `done` is the share from 0 to 1, 0 if nobody knows; with a drive (may be NULL) its WAF is shown, too. */
void progress_show(const struct progress *, uint64_t requests, double done, const struct drive *);

/* Clears the line.  Returns the seconds since the start. */
double progress_end(const struct progress *);

#endif
