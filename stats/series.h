/*
 * Statistics over time: a line of a table for each window of a run, with columns named like the statistics.
 * The column of a counter has its increase in the window, so the column adds up to the statistic.  Columns of
 * times are about the window alone, the maximum rounded up to the end of its bin (histogram.h), and empty if
 * it had none.  Ratios and reals, which do not add up, have no column.
 *
 * The caller begins each line with what identifies the window; these functions add the rest.
 */
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "stats/table.h"

struct series;

struct series *series_create(const struct stat_list *);
void series_free(struct series *);

/* Counts at the beginning of the current window, for saving a run. */
extern const struct state_row series_state[];

/* Ends the line of names; the first window begins. */
void series_begin(struct series *, FILE *);

/* Ends the line of a window; the next one begins. */
void series_row(struct series *, FILE *);

#endif
