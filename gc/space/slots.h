/*
 * Pages in slots: which slots of each page hold valid data, and which logical sub-page is in which slot.
 *
 * A page whose slots hold consecutive sub-pages is named after the first of them, any other page after a list
 * of its sub-pages.  Names are owners, kept in the page's spare area:
 *
 *	[0, lists)   the first sub-page of consecutive ones; or whatever else the FTL names below `lists`
 *	[lists, ...) lists + number of the list
 *
 * A page is released (space.h) when its last valid slot dies; space.h also counts the dead slots in the live
 * pages of each block.  Memory: a bit per slot, and 4 bytes per slot of a page with a list.
 */
#ifndef SPACE_SLOTS_H
#define SPACE_SLOTS_H

#include "base/bits.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "gc/space/space.h"

#define SLOTS_MOST 64u /* of a page */

struct slots {
	struct space *space;
	uint32_t per_page, shift; /* 1 << shift */
	mask_t full;              /* all slots of a page */
	uint64_t *live;           /* per_page bits per page: bit i = slot i holds valid data */
	owner_t lists;            /* owners from here on name lists */
	struct pool list;         /* of per_page sub-pages, 4 bytes each */
};

void slots_init(struct slots *, struct space *, uint32_t per_page, owner_t lists);
void slots_release(struct slots *);

/* Index of the first bit of a page; all of its bits are in one word. */
static inline size_t slots_bit(const struct slots *s, ppn_t ppn)
{
	return (size_t)ppn << s->shift;
}

/* The page will be read or lose slots soon. */
static inline void slots_prefetch(const struct slots *s, ppn_t ppn)
{
	prefetch(s->live + slots_bit(s, ppn) / 64);
}

/* The valid slots of a page as bits. */
static inline mask_t slots_live(const struct slots *s, ppn_t ppn)
{
	size_t bit = slots_bit(s, ppn);

	return s->live[bit / 64] >> bit % 64 & s->full;
}

/* The list that an owner names; the owner is not below `lists`. */
static inline uint32_t *slots_list(const struct slots *s, owner_t owner)
{
	return (uint32_t *)pool_at(&s->list, owner - s->lists);
}

/* Prefetches the list, if any, of a page with that owner. */
static inline void slots_prefetch_list(const struct slots *s, owner_t owner)
{
	if (owner >= s->lists && owner != OWNER_NONE)
		prefetch(slots_list(s, owner));
}

/* The logical sub-page in a slot of a page with that owner. */
static inline sub_t slots_sub(const struct slots *s, owner_t owner, uint32_t slot)
{
	return owner < s->lists ? owner + slot : slots_list(s, owner)[slot];
}

/* A new owner for a page of any sub-pages; the caller fills its list. */
owner_t slots_take_list(struct slots *);

/* The page has been programmed with valid data in its first `count` slots. */
void slots_fill(struct slots *, ppn_t, uint32_t count);

/* Invalidates these slots.  If no valid slot is left, the page is released, and its list with it. */
void slots_kill(struct slots *, ppn_t, uint32_t slot, uint32_t count);

/* A page whose slots are all valid has been copied: they are now valid in `to` instead of `from`. */
void slots_move(struct slots *, ppn_t from, ppn_t to);

extern const struct state_row slots_state[];

/* Aborts if the counts per block or the lists disagree with the pages.  `data` says whether an owner's page
 * holds data; returns the valid slots of all pages. */
uint64_t slots_check(const struct slots *, bool (*data)(const void *context, owner_t), const void *context);

#endif
