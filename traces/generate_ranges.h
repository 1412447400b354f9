/*
 * The address stream "random reads, range by range": the space is cut into ranges that are visited in order;
 * each gets as many sectors of requests as it has, at random grid points, so that some pages come often and
 * some never. (The synthetic reads of Jiang et al., "S-FTL", MSST 2011, Fig. 8.)
 */
#ifndef TRACES_GENERATE_RANGES_H
#define TRACES_GENERATE_RANGES_H

#include "traces/generate_draw.h"
#include "types.h"

#include <stdbool.h>

struct ranges {
	const struct mix *sizes;
	sector_t space, range, grid;   /* sectors */
	sector_t start, end, left;     /* the present range, and how much is still to be drawn in it */
	struct random lengths, places; /* apart, so that requests can be counted in advance */
};

/* `sizes` must outlive it. */
struct ranges ranges_create(
	const struct mix *sizes, sector_t space, sector_t range, sector_t grid, uint64_t seed);

/* The next request; false when every range had its share. */
bool ranges_next(struct ranges *, struct extent *);

/* How many requests that makes from now on, counted one by one up to `most`. */
uint64_t ranges_count(struct ranges, uint64_t most);

#endif
