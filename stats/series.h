/*
 * Statistics over time: a line of a table for each window of a run, with columns named like the statistics.  Of a
 * counter by how much it rose in the window, so that a column adds up to the statistic; of times those of the window
 * alone, the longest to the end of its bin (histogram.h), and no number where there was none.  Ratios and reals,
 * which do not add up, have no column.
 *
 * The lines are the caller's: it prints what identifies a window, then the rest follows.
 */
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "stats/table.h"

struct series;

struct series *series_create(const struct stat_list *);
void series_free(struct series *);

/* Where the window under way began, for saving a run. */
void series_regions(struct series *, struct regions *);

/* The rest of the line of names; the first window begins. */
void series_begin(struct series *, FILE *);

/* The rest of the line of a window; the next one begins. */
void series_row(struct series *, FILE *);

#endif
