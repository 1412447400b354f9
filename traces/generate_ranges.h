/*
 * The address stream "every page once, range by range": the space is cut into ranges that
 * are visited in order; a range is cut into pieces of random sizes that are visited in
 * random order.  (The synthetic reads of Jiang et al., "S-FTL", MSST 2011, Fig. 8.)
 * Memory is one range's pieces.
 */
#ifndef TRACES_GENERATE_RANGES_H
#define TRACES_GENERATE_RANGES_H

#include "traces/generate_draw.h"
#include "types.h"

#include <stdbool.h>

struct ranges {
	const struct mix *sizes;
	sector_t space, range;     /* sectors */
	sector_t next;             /* first sector of the range to come */
	struct random cuts, order; /* apart, so that pieces can be counted in advance */
	struct extent *piece;      /* of the present range */
	uint32_t pieces, taken, room;
};

/* `sizes` must outlive it. */
void ranges_init(struct ranges *, const struct mix *sizes, sector_t space, sector_t range, uint64_t seed);
void ranges_release(struct ranges *);

/* The next piece; false when the space is covered. */
bool ranges_next(struct ranges *, struct extent *);

/* How many pieces the whole space has. */
uint64_t ranges_count(const struct mix *sizes, sector_t space, sector_t range, uint64_t seed);

#endif
