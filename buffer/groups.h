/*
 * Buffered pages, grouped by the block of logical addresses that they belong to, for policies that evict
 * blocks.  The policy keeps the blocks in its own order.
 */
#ifndef BUFFER_GROUPS_H
#define BUFFER_GROUPS_H

#include "base/bits.h"
#include "buffer/buffer.h"

struct group {
	uint32_t number; /* of the block: LPN / pages */
	uint32_t chain;
	struct link link; /* the policy's */
	uint32_t held;    /* pages in the buffer */
	uint32_t note;    /* the policy's; zeroed when the block enters */
	uint64_t page[];  /* bit per page: it is in the buffer */
};

/* State for each page of such a policy. */
struct grouped_page {
	uint32_t group;
};

struct groups {
	struct pool pool;
	struct hash index;
	uint32_t pages; /* of a block */
	uint32_t heads; /* number of heads, the first elements */
};

/* Blocks of `pages`; the first `heads` elements are heads of the policy's lists, not groups. */
struct groups groups_create(uint32_t pages, uint32_t heads);
void groups_free(struct groups *);

static inline struct group *group_at(const struct groups *g, uint32_t group)
{
	return (struct group *)pool_at(&g->pool, group);
}

static inline struct array_field group_links(const struct groups *g)
{
	return POOL_FIELD(g->pool, struct group, link);
}

/* The group of a page that is in the buffer. */
static inline uint32_t group_of(const struct buffer *b, uint32_t node)
{
	return ((struct grouped_page *)buffer_own(b, node))->group;
}

/* Adds a page to its group and returns the group, which is then in no list. */
uint32_t groups_enter(struct groups *, struct buffer *, uint32_t node);

/* Removes a page from its group.  With its last page the group leaves its list and is gone. */
void groups_leave(struct groups *, const struct buffer *, uint32_t node);

/* Chooses all pages of the group as victims; if the buffer pads, its other pages are padded. */
void groups_choose(const struct groups *, struct buffer *, uint32_t group);

/* State, for saving a run.  groups_restored() rebuilds the index. */
extern const struct state_row groups_state[], grouped_page_state[];
void groups_restored(struct groups *);

/* Aborts unless groups and buffer agree. */
void groups_check(const struct groups *, const struct buffer *);

#endif
