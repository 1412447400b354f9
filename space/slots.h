/*
 * Pages in slots: which slots of each hold live data, and which logical sub-page is in which.
 *
 * A page whose slots hold consecutive sub-pages is named after the first of them; one with two such runs has
 * the first sub-pages of both in a pair, any other page a list of its sub-pages.  All names are owners, kept
 * in the page's spare area:
 *
 *	[0, lists)     the first sub-page of a consecutive run; or whatever else the FTL names below `lists`
 *	[lists, pairs) lists + number of the slot list
 *	[pairs, ...)   pairs + number of the pair * slots of a page + slots of its first run; while there are names
 *
 * Tells space.h when a page dies with its last slot, and how many slots of the live pages of a block hold
 * nothing.  A bit for each slot; lists cost 4 bytes a slot, pairs 8.
 */
#ifndef SPACE_SLOTS_H
#define SPACE_SLOTS_H

#include "base/bits.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "space/space.h"

#define SLOTS_MOST 64u /* of a page */

/* The first sub-pages of two runs. */
struct slots_pair {
	sub_t first, second;
};

struct slots {
	struct space *space;
	uint32_t per_page, shift; /* 1 << shift */
	mask_t full;              /* all slots of a page */
	uint64_t *live;           /* per page as many bits: bit i = slot i holds live data */
	owner_t lists, pairs;     /* owners from here on name slot lists, pairs */
	uint32_t most_pairs;      /* that have names */
	struct pool list;         /* per_page of sub_t each */
	struct pool pair;
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

/* The live slots of a page as bits. */
static inline mask_t slots_live(const struct slots *s, ppn_t ppn)
{
	size_t bit = slots_bit(s, ppn);

	return s->live[bit / 64] >> bit % 64 & s->full;
}

/* The slot list of such an owner. */
static inline sub_t *slots_list(const struct slots *s, owner_t owner)
{
	return pool_at(&s->list, owner - s->lists);
}

/* The pair of such an owner. */
static inline struct slots_pair *slots_pair(const struct slots *s, owner_t owner)
{
	return pool_at(&s->pair, (owner - s->pairs) >> s->shift);
}

/* The slots of a page with that owner will be looked at soon. */
static inline void slots_prefetch_list(const struct slots *s, owner_t owner)
{
	if (owner < s->lists || owner == OWNER_NONE)
		return;
	if (owner < s->pairs)
		prefetch(slots_list(s, owner));
	else
		prefetch(slots_pair(s, owner));
}

/* The logical sub-page in a slot of a page with that owner. */
static inline sub_t slots_sub(const struct slots *s, owner_t owner, uint32_t slot)
{
	uint32_t run;

	if (owner < s->lists)
		return owner + slot;
	if (owner < s->pairs)
		return slots_list(s, owner)[slot];
	run = (owner - s->pairs) & (s->per_page - 1);
	return slot < run ? slots_pair(s, owner)->first + slot : slots_pair(s, owner)->second + slot - run;
}

/* The owner for a page that will hold two runs of sub-pages, so many in the first; OWNER_NONE: no name is
 * left. */
owner_t slots_take_pair(struct slots *, sub_t first, uint32_t run, sub_t second);

/* The owner for a page that will hold any sub-pages; its list is empty yet. */
owner_t slots_take_list(struct slots *);

/* The page has been programmed with live data in its first `count` slots. */
void slots_fill(struct slots *, ppn_t, uint32_t count);

/* The data of these slots is dead; with its last slot the page dies, and its pair or list with it. */
void slots_kill(struct slots *, ppn_t, uint32_t slot, uint32_t count);

/* A page all of whose slots are live has been copied: the same slots are live there. */
void slots_move(struct slots *, ppn_t from, ppn_t to);

extern const struct state_row slots_state[];

/* Aborts if the counts per block, the pairs or the lists disagree with the pages.  `data` says whether an
 * owner's page holds data; returns the live slots of all pages. */
uint64_t slots_check(const struct slots *, bool (*data)(const void *context, owner_t), const void *context);

#endif
