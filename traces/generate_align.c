#include "traces/generate_align.h"

#include "traces/generate_draw.h"

/* log2 of a region's sectors: 16 GB, 1 GB, 64 MB, 1 MB, 64 KB. */
static const unsigned region_bits[ALIGN_LEVELS] = { 25, 21, 17, 11, 7 };

void align_init(struct align *a, const struct align_settings *settings, uint64_t space_sectors, uint64_t seed)
{
	*a = (struct align){
		.seed = scramble(seed),
		.unaligned = settings->unaligned,
		.keep = { 0, settings->keep_1g, settings->keep_64m, settings->keep_1m, settings->keep_64k },
	};
	while (a->top < ALIGN_LEVELS - 1 && space_sectors >> region_bits[a->top] < 4)
		a->top++;
	/* Keeps keep + align_zero_share() at most 1. */
	if (a->top < ALIGN_LEVELS - 1 && a->keep[a->top + 1] > a->unaligned)
		a->keep[a->top + 1] = a->unaligned;
}

/* Maps x in [0, 1) to a residue: 0 with its share, the other seven equally often. */
static unsigned align_residue_of(const struct align *a, double x)
{
	double aligned = 1 - a->unaligned;

	if (x < aligned)
		return 0;
	return 1 + (unsigned)((x - aligned) / a->unaligned * 7) % 7;
}

/*
 * A number in [0, 1) for a region, spread evenly over the regions with the same parent (a
 * permutation of n-ths with a common offset), so that shares hold within every parent and
 * not only on average.
 */
static double align_position(const struct align *a, unsigned level, uint64_t sector)
{
	unsigned bits = region_bits[level - 1] - region_bits[level];
	uint64_t siblings = 1u << bits;
	uint64_t child = sector >> region_bits[level] & (siblings - 1);
	uint64_t parent = sector >> region_bits[level - 1];
	uint64_t h = scramble(a->seed + (parent * ALIGN_LEVELS + level) * 0x9e3779b97f4a7c15u);
	uint64_t rank = (child * (h | 1) + (h >> 20)) & (siblings - 1);

	return ((double)rank + draw_unit_of(h * 0xda942042e4dd58b5u)) / (double)siblings;
}

/*
 * There are too few regions of the largest size to spread them evenly over eight residues, so they never have
 * residue 0.  To make up for it, this additional share of the regions one level below has residue 0.
 */
static double align_zero_share(const struct align *a, unsigned level)
{
	return level == a->top + 1 ? a->keep[level] * (1 - a->unaligned) / a->unaligned : 0;
}

unsigned align_residue(const struct align *a, uint64_t sector)
{
	if (a->unaligned <= 0)
		return 0;
	for (unsigned level = ALIGN_LEVELS - 1; level > a->top; level--) {
		double x = align_position(a, level, sector);
		double kept = a->keep[level], zero = align_zero_share(a, level);

		if (x >= kept + zero)
			return align_residue_of(a, (x - kept - zero) / (1 - kept - zero));
		if (x >= kept)
			return 0;
	}
	return 1 + (unsigned)(((sector >> region_bits[a->top]) * 3 + a->seed) % 7);
}
