/*
 * A run's results: which numbers there are, and what is computed from them at the end.
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

/* Adds the numbers of all rooms of the drive to its list, in the order in which they are reported. */
void statistics_add(struct drive *);

void statistics_report(struct report *, const struct run *, const struct run_facts *);

/* What is counted by class or type of request, by type and of all. */
void statistics_sum_types(struct drive_statistics *);

/* Write amplification so far: bytes of pages programmed / bytes written by the host.  NaN before the first write. */
double statistics_waf(const struct drive *);

/* In words, if a notable share of the pages read held no data: then latencies are those of a drive that was never
 * written.  False: nothing to say. */
bool statistics_doubt(const struct drive *, char *text, size_t bytes);

/* Every number that some FTL, buffer or host layer reports, once, with unit and meaning. */
void statistics_print_names(FILE *);

/* Columns for gnuplot: upper end of a latency bin in ns, then the requests in it (reads, writes, all). */
void statistics_write_latencies(const struct drive *, FILE *);

/* Columns for gnuplot: number of erases, blocks that have been erased so often. */
void statistics_write_wear(const struct drive *, FILE *);

#endif
