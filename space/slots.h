/*
 * Pages in slots: which slots of each page hold valid data, and which logical sub-page is in which slot.
 *
 * A page whose slots hold consecutive sub-pages is named after the first of them, any other page after a list
 * of its sub-pages.  Names are owners, kept in the page's spare area:
 *
 *	[0, lists)   the first sub-page of consecutive ones; or whatever else the FTL names below `lists`
 *	[lists, ...) lists + number of the list
 *
 * A page is released (space.h) with its last valid slot; space.h also knows how many slots of the live pages
 * of a block are dead.  A bit for each slot, 4 bytes for each slot of a page with a list.
 */
#ifndef SPACE_SLOTS_H
#define SPACE_SLOTS_H

#include "base/bits.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "space/space.h"

#define SLOTS_MOST 64u /* of a page */

struct slots {
	struct space *space;
	uint32_t per_page, shift; /* 1 << shift */
	mask_t full;              /* all slots of a page */
	uint64_t *live;           /* per page as many bits: bit i = slot i holds valid data */
	owner_t lists;            /* owners from here on name lists */
	struct pool list;         /* of per_page sub-pages, 4 bytes each */
};

void slots_init(struct slots *, struct space *, uint32_t per_page, owner_t lists);
void slots_release(struct slots *);

/* Where the bits of a page begin; they share a word. */
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

/* The list that such an owner names. */
static inline uint32_t *slots_list(const struct slots *s, owner_t owner)
{
	return (uint32_t *)pool_at(&s->list, owner - s->lists);
}

/* The slots of a page with that owner will be looked at soon. */
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

/* The owner of a page that will hold any sub-pages; the caller fills its list. */
owner_t slots_take_list(struct slots *);

/* The page has been programmed with valid data in its first `count` slots. */
void slots_fill(struct slots *, ppn_t, uint32_t count);

/* The data of these slots is invalid; with the last valid slot the page is released, and its list with it. */
void slots_kill(struct slots *, ppn_t, uint32_t slot, uint32_t count);

/* A page all of whose slots are valid has been copied: the same slots are valid there. */
void slots_move(struct slots *, ppn_t from, ppn_t to);

extern const struct state_row slots_state[];

/* Aborts if the counts per block or the lists disagree with the pages.  `data` says whether an owner's page
 * holds data; returns the valid slots of all pages. */
uint64_t slots_check(const struct slots *, bool (*data)(const void *context, owner_t), const void *context);

#endif
