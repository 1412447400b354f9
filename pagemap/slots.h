/*
 * Pages in slots: which slots of each hold live data, and which logical sub-page is in which.
 *
 * A page whose slots hold consecutive sub-pages is named after the first of them; any other page has a list
 * of its sub-pages.  Both names are owners, kept in the page's spare area:
 *
 *	[0, lists)   the first sub-page of a consecutive run; or whatever else the FTL names below `lists`
 *	[lists, ...) lists + number of the slot list
 *
 * Tells space.h when a page dies with its last slot, and how many slots of the live pages of a
 * block hold nothing.  A bit for each slot; lists cost 4 bytes a slot.
 */
#ifndef PAGEMAP_SLOTS_H
#define PAGEMAP_SLOTS_H

#include "base/bits.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "pagemap/space.h"

#define SLOTS_MOST 64u /* of a page */

struct slots {
	struct space *space;
	uint32_t per_page; /* a power of two */
	uint64_t *live;    /* per page as many bits: bit i = slot i holds live data */
	owner_t lists;     /* owners from here on are numbers of slot lists */
	struct pool list;  /* per_page of sub_t each */
};

void slots_init(struct slots *, struct space *, uint32_t per_page, owner_t lists);
void slots_release(struct slots *);

/* The page will be read or lose slots soon. */
PREFETCHING void slots_prefetch(const struct slots *s, ppn_t ppn)
{
	__builtin_prefetch(s->live + (size_t)ppn * s->per_page / 64, 1);
}

/* The live slots of a page as bits. */
static inline mask_t slots_live(const struct slots *s, ppn_t ppn)
{
	size_t bit = (size_t)ppn * s->per_page;

	return s->live[bit / 64] >> bit % 64 & bits_below(s->per_page);
}

/* The slot list of such an owner. */
static inline sub_t *slots_list(const struct slots *s, owner_t owner)
{
	return pool_at(&s->list, owner - s->lists);
}

/* The slots of a page with that owner will be looked at soon. */
PREFETCHING void slots_prefetch_list(const struct slots *s, owner_t owner)
{
	if (owner >= s->lists && owner != OWNER_NONE)
		__builtin_prefetch(slots_list(s, owner));
}

/* The logical sub-page in a slot of a page with that owner. */
static inline sub_t slots_sub(const struct slots *s, owner_t owner, uint32_t slot)
{
	return owner < s->lists ? owner + slot : slots_list(s, owner)[slot];
}

/* The owner for a page that will hold sub-pages that are not consecutive; its list is empty yet. */
owner_t slots_take_list(struct slots *);

/* The page has been programmed with live data in its first `count` slots. */
void slots_fill(struct slots *, ppn_t, uint32_t count);

/* The data of these slots is dead; with its last slot the page dies, and its list with it. */
void slots_kill(struct slots *, ppn_t, uint32_t slot, uint32_t count);

/* A page all of whose slots are live has been copied: the same slots are live there. */
void slots_move(struct slots *, ppn_t from, ppn_t to);

/* State, for saving and loading. */
void slots_regions(struct slots *, struct regions *);

/* Aborts if the counts per block or the lists disagree with the pages.  `data` says whether an owner's page
 * holds data; returns the live slots of all pages. */
uint64_t slots_check(const struct slots *, bool (*data)(const void *context, owner_t), const void *context);

#endif
