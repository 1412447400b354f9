/*
 * The address stream "random reads, range by range": the space is cut into ranges that are visited in order.
 * Each range gets requests for as many sectors as it has, at random grid points, so that some pages occur
 * often and some never. (The synthetic reads of Jiang et al., "S-FTL", MSST 2011, Fig. 8.)
 */
#ifndef TRACES_GENERATE_RANGES_H
#define TRACES_GENERATE_RANGES_H

#include "traces/generate_draw.h"
#include "types.h"

#include <stdbool.h>

struct ranges {
	const struct mix *sizes;
	sector_t space, range, grid;   /* sectors */
	sector_t start, end, left;     /* of the current range; sectors still to be drawn in it */
	struct random lengths, places; /* separate, so that requests can be counted in advance */
};

/* `sizes` must outlive the ranges. */
struct ranges ranges_create(
	const struct mix *sizes, sector_t space, sector_t range, sector_t grid, uint64_t seed);

/* Draws the next request; false if all ranges are done. */
bool ranges_next(struct ranges *, struct extent *);

/* The number of requests still to come, counted one by one, at most `most`. */
uint64_t ranges_count(struct ranges, uint64_t most);

#endif
