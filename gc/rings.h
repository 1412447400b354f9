/*
 * Closed blocks of each plane in rings, one for each number of pages that the live data of a block fills
 * (space_live()).  A page that dies moves its block down one ring, so that the fewest are found in O(1).
 *
 * The first member of the state of a policy that uses it: most of these are functions of its table.
 */
#ifndef GC_RINGS_H
#define GC_RINGS_H

#include "base/ranks.h"
#include "gc/policy.h"

struct rings {
	struct link *link;   /* of the blocks; the heads of the rings follow */
	struct ranks *ranks; /* per plane and set: live pages 0 .. pages per block */
	uint32_t sets;
	uint32_t (*set_of)(
		const struct gc_policy *, block_t); /* which a block belongs to; NULL if there is one */
};

/* `set_of` does not change its mind about a closed block. */
void rings_create(struct gc_policy *, uint32_t sets, uint32_t (*set_of)(const struct gc_policy *, block_t));

void rings_exit(struct gc_policy *);
void rings_closed(struct gc_policy *, block_t);
void rings_dropped(struct gc_policy *, block_t);
void rings_opened(struct gc_policy *, block_t);
extern const struct state_row rings_state[];
bool rings_check(const struct gc_policy *, plane_t, uint32_t closed);

/* The block that came first to the fewest live pages of its set; BLOCK_NONE. */
block_t rings_first(struct gc_policy *, plane_t, uint32_t set);

#endif
