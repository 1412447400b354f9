/*
 * Histogram of times with percentiles: log-linear bins, 128 to the octave, so that a
 * percentile is within 0.8 % of the exact value at any scale and 385 bins serve a decade.
 * Values below 128 are exact.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BINS (58 * 128)

struct histogram {
	uint64_t count, sum, min, max;
	uint64_t sum_squares_high, sum_squares_low;   /* 128 bits */
	uint64_t bin[HISTOGRAM_BINS];
};

/* A zeroed struct is an empty histogram. */
void histogram_add(struct histogram *, uint64_t value);

double histogram_mean(const struct histogram *);          /* 0 when empty */
double histogram_deviation(const struct histogram *);     /* population; 0 when empty */

/* Smallest value v such that at least `share` (0..1) of the values are <= v, rounded up
 * to the end of its bin but never above the maximum.  0 when empty. */
uint64_t histogram_percentile(const struct histogram *, double share);

/* Bounds of a bin: the values low <= v < high. */
void histogram_bin_bounds(unsigned bin, uint64_t *low, uint64_t *high);

#endif
