/*
 * A run's results: everything the rooms counted, as rows of a report.
 */
#ifndef DRIVE_STATISTICS_H
#define DRIVE_STATISTICS_H

#include "drive/precondition.h"
#include "drive/run.h"
#include "stats/report.h"

/* What the command line knows about the run. */
struct run_facts {
	const char *command, *version, *parameters, *workload;
	enum run_end end;
	const struct precondition_result *before;
};

void statistics_report(struct report *, const struct run *, const struct run_facts *);

/* Columns for gnuplot: upper end of a latency bin in ns, then the requests in it (reads, writes, all). */
void statistics_write_latencies(const struct drive *, FILE *);

/* Columns for gnuplot: number of erases, blocks that have been erased so often. */
void statistics_write_wear(const struct drive *, FILE *);

#endif
