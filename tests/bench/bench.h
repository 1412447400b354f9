/*
 * What the parts of the bench share.  Each prints a table and ends the program if it cannot do its work.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* How fast workloads are generated, by profile. */
void bench_generating(void);

/* Speed and memory of the legacy engine, beside those measured with SSDsim 2.1. */
void bench_legacy(void);

/* How fast traces are read, by format and packing, beside a floor: lines counted and bytes copied. */
void bench_reading(void);

static inline void bench_give_up(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

/* Processor time of this process, in seconds. */
static inline double bench_processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Elapsed time since some moment, in seconds. */
static inline double bench_elapsed_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
