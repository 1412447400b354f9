/*
 * The candidates of each plane as an unordered set, in dense lists: adding, removing and drawing cost O(1).
 *
 * A policy that uses it has it as the first member of its state, and most of these functions in its table.
 */
#ifndef GC_CANDIDATES_H
#define GC_CANDIDATES_H

#include "gc/policy.h"

struct candidates {
	uint32_t *count;    /* per plane */
	block_t *list;      /* per plane, with room for all its blocks */
	uint32_t *position; /* per block: its index in its plane's list */
};

/* The candidates of the plane, count[plane] of them. */
block_t *candidates_of(const struct gc_policy *, plane_t);

void candidates_init(struct gc_policy *);
void candidates_exit(struct gc_policy *);
void candidates_add(struct gc_policy *, block_t);
void candidates_remove(struct gc_policy *, block_t);
extern const struct state_row candidates_state[];
bool candidates_check(const struct gc_policy *, plane_t, uint32_t closed);

#define OVER_CANDIDATES                                                                                      \
	.size = sizeof(struct candidates), .init = candidates_init, .exit = candidates_exit,                 \
	.add = candidates_add, .remove = candidates_remove, .state = candidates_state,                       \
	.check = candidates_check

#endif
