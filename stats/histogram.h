/*
 * Histogram of times with percentiles: log-linear bins, 128 to the octave, so that a
 * percentile is within 0.8 % of the exact value at any scale and about 425 bins serve a
 * decade.  Values below 128 are exact.  It handles numbers, not what they measure.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_OCTAVE_BITS 7
#define HISTOGRAM_OCTAVE      (1u << HISTOGRAM_OCTAVE_BITS)
#define HISTOGRAM_BINS        ((65 - HISTOGRAM_OCTAVE_BITS) * HISTOGRAM_OCTAVE)

__extension__ typedef unsigned __int128 histogram_sum_t;

struct histogram {
	uint64_t count, min, max;
	histogram_sum_t sum, sum_squares; /* exact as long as they fit 128 bits */
	uint64_t bin[HISTOGRAM_BINS];
};

/* The bin a value belongs to: the octave from its highest bit, the rest from the seven below. */
static inline unsigned histogram_bin(uint64_t value)
{
	unsigned shift;

	if (value < HISTOGRAM_OCTAVE)
		return (unsigned)value;
	shift = 63 - HISTOGRAM_OCTAVE_BITS - (unsigned)__builtin_clzll(value);
	return (shift << HISTOGRAM_OCTAVE_BITS) + (unsigned)(value >> shift);
}

/* A zeroed struct is an empty histogram.  Several calls per request: kept inline. */
static inline void histogram_add(struct histogram *h, uint64_t value)
{
	if (value < h->min || h->count == 0)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->count++;
	h->sum += value;
	h->sum_squares += (histogram_sum_t)value * value;
	h->bin[histogram_bin(value)]++;
}

/* Adds the values of another. */
void histogram_join(struct histogram *, const struct histogram *);

double histogram_mean(const struct histogram *);      /* 0 when empty */
double histogram_deviation(const struct histogram *); /* population; 0 when empty */

/* Smallest value v such that at least `share` (0..1) of the values are <= v, rounded up
 * to the end of its bin but never above the maximum.  0 when empty. */
uint64_t histogram_percentile(const struct histogram *, double share);

/* Bounds of a bin: the values low <= v < high.  The last bin's high is UINT64_MAX, which
 * is a value of that bin too. */
void histogram_bin_bounds(unsigned bin, uint64_t *low, uint64_t *high);

#endif
