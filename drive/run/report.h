/*
 * The results of a run: statistics, and columns for gnuplot.
 */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "drive/prepare/precondition.h"
#include "drive/run/run.h"
#include "stats/report.h"

/* What only the caller knows about the run. */
struct run_facts {
	const char *command, *version, *parameters, *workload;
	enum run_end end;
	const struct precondition_result *before;
};

/* Statistics and warnings. */
void run_report(struct report *, const struct run *, const struct run_facts *);

/* Every number that some FTL, buffer or host layer reports, once, with unit and meaning. */
void run_report_names(FILE *);

/* Columns for gnuplot: upper end of a latency bin in ns, then the requests in it (reads, writes, all). */
void run_report_latencies(const struct drive *, FILE *);

/* Columns for gnuplot: number of erases, blocks that have been erased so often. */
void run_report_wear(const struct drive *, FILE *);

#endif
