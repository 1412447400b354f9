#include "stats/histogram.h"

#include "base/fault.h"

#include <float.h>
#include <math.h>

void histogram_join(struct histogram *h, const struct histogram *other)
{
	if (other->count && (other->min < h->min || h->count == 0))
		h->min = other->min;
	if (other->max > h->max)
		h->max = other->max;
	h->count += other->count;
	h->sum += other->sum;
	h->sum_squares += other->sum_squares;
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
		h->bin[i] += other->bin[i];
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? (double)h->sum / (double)h->count : 0;
}

/*
 * Squares are taken about the whole part of the mean: those sums are exact in 128 bits
 * (intermediate wrapping cancels), so a small deviation of large values loses no digits.
 */
double histogram_deviation(const struct histogram *h)
{
	histogram_sum_t centre, squares;
	double rest, variance;

	if (!h->count)
		return 0;
	centre = h->sum / h->count;
	rest = (double)(h->sum % h->count) / (double)h->count;
	squares = h->sum_squares - 2 * centre * h->sum + h->count * centre * centre;
	variance = (double)squares / (double)h->count - rest * rest;
	return variance > 0 ? sqrt(variance) : 0;
}

/* How many values must be counted from the smallest on.  0.07 * 100 is a little more than
 * 7 in binary; the factor keeps such a product from asking for one value more. */
static uint64_t histogram_rank(double share, uint64_t count)
{
	double rank = ceil(share * (double)count * (1 - 4 * DBL_EPSILON));

	if (rank < 1)
		return 1;
	return rank < (double)count ? (uint64_t)rank : count;
}

uint64_t histogram_percentile(const struct histogram *h, double share)
{
	uint64_t rank, seen = 0, low, high;
	unsigned bin = histogram_bin(h->min);

	BUG_ON(!(share >= 0 && share <= 1), "percentile of share %g", share);
	if (!h->count)
		return 0;
	rank = histogram_rank(share, h->count);
	for (;;) {
		seen += h->bin[bin];
		if (seen >= rank)
			break;
		bin++;
	}
	histogram_bin_bounds(bin, &low, &high);
	return high - 1 < h->max ? high - 1 : h->max;
}

void histogram_bin_bounds(unsigned bin, uint64_t *low, uint64_t *high)
{
	unsigned shift = bin < HISTOGRAM_OCTAVE ? 0 : bin / HISTOGRAM_OCTAVE - 1;
	uint64_t first = bin - shift * HISTOGRAM_OCTAVE;

	BUG_ON(bin >= HISTOGRAM_BINS, "histogram bin %u of %u", bin, HISTOGRAM_BINS);
	*low = first << shift;
	*high = bin == HISTOGRAM_BINS - 1 ? UINT64_MAX : (first + 1) << shift;
}
