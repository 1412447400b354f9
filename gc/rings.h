/*
 * The candidates of each plane in rings, one for each number of pages that a block's live data fills
 * (space_live()). A page that dies moves its block down one ring, so the block with the fewest is found in
 * O(1).
 *
 * A policy that uses it has it as the first member of its state, and most of these functions in its table.
 */
#ifndef GC_RINGS_H
#define GC_RINGS_H

#include "base/ranks.h"
#include "gc/policy.h"

struct rings {
	struct link *link;   /* of the blocks; the heads of the rings follow */
	struct ranks *ranks; /* per plane and set: live pages 0 .. pages per block */
	uint32_t sets;       /* 1, or 2: blocks of data, blocks of mapping pages */
};

enum { RINGS_DATA, RINGS_MAP };

/* `map_apart`: blocks of mapping pages have rings of their own. */
void rings_create(struct gc_policy *, bool map_apart);
void rings_exit(struct gc_policy *);
void rings_add(struct gc_policy *, block_t);
void rings_changed(struct gc_policy *, block_t);
void rings_remove(struct gc_policy *, block_t);
extern const struct state_row rings_state[];
bool rings_check(const struct gc_policy *, plane_t, uint32_t closed);

/* Of the blocks of a set with the fewest live pages, the one that reached this number first; BLOCK_NONE. */
block_t rings_first(struct gc_policy *, plane_t, uint32_t set);

/* The block behind this one, in its ring or the next that is not empty; BLOCK_NONE: none. */
block_t rings_behind(struct gc_policy *, plane_t, uint32_t set, block_t);

#endif
