/*
 * The address stream "random reads, range by range": the space is divided into ranges that are visited in
 * order.  The requests of a range have as many sectors as the range, at random grid points, so that some
 * pages are read several times and some never. (The synthetic reads of Jiang et al., "S-FTL", MSST 2011, Fig.
 * 8.)
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
	struct random lengths, places; /* separate streams, so that requests can be counted in advance */
};

/* `sizes` must outlive it. */
struct ranges ranges_create(
	const struct mix *sizes, sector_t space, sector_t range, sector_t grid, uint64_t seed);

/* The next request; false after the last range. */
bool ranges_next(struct ranges *, struct extent *);

/* Number of requests from now on, counted one by one up to `most`. */
uint64_t ranges_count(struct ranges, uint64_t most);

#endif
