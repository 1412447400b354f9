/*
 * Where minipages are: a number for each logical page.
 *
 * A place is flash page * minipages of a page + slot.  The number of a logical page that is full of data and
 * whose minipages have consecutive places is its first place + 1; without data it is 0.  Any other logical
 * page is in a side table, with a place for each minipage and the sectors that hold data.
 *
 * 4 bytes a logical page, in the side table 4 more for each of its minipages and a bit for each sector.
 */
#ifndef FTL_MINIPAGE_PLACES_H
#define FTL_MINIPAGE_PLACES_H

#include "base/pool.h"
#include "base/prefetch.h"
#include "flash/geometry.h"

struct places {
	uint32_t *entry;   /* per logical page; above `count` an index into the side table */
	struct pool apart; /* the side table: places, then the sectors, 32 a word */
	lpn_t lpns;
	uint32_t count;   /* number of places; together with the logical pages fewer than 2^32 */
	uint32_t per_lpn; /* minipages of a page, 1 << sub_shift */
	uint32_t sub_shift;
	uint32_t shift;    /* a minipage has 1 << shift sectors */
	mask_t full, page; /* all sectors of a minipage, of a page */
};

/* Minipages of 1 << shift sectors. */
void places_init(struct places *, const struct geometry *, uint32_t shift);
void places_release(struct places *);

/* The side table's words of a logical page that is in it. */
static inline uint32_t *places_apart(const struct places *p, uint32_t entry)
{
	return (uint32_t *)pool_at(&p->apart, entry - p->count - 1);
}

/* The sectors of a logical page that hold data. */
static inline mask_t places_page(const struct places *p, lpn_t lpn)
{
	uint32_t entry = p->entry[lpn];
	const uint32_t *word;

	if (entry <= p->count)
		return entry ? p->page : 0;
	word = places_apart(p, entry) + p->per_lpn;
	return p->page >> 32 ? word[0] | (mask_t)word[1] << 32 : word[0];
}

/* Those of a minipage, beginning at bit 0. */
static inline mask_t places_written(const struct places *p, sub_t sub)
{
	return places_page(p, sub >> p->sub_shift) >> ((sub & (p->per_lpn - 1)) << p->shift) & p->full;
}

/* The place of a minipage that holds data. */
static inline uint32_t places_get(const struct places *p, sub_t sub)
{
	uint32_t entry = p->entry[sub >> p->sub_shift], i = sub & (p->per_lpn - 1);

	return entry <= p->count ? entry - 1 + i : places_apart(p, entry)[i];
}

/* Gives these minipages of a logical page consecutive places; `written`: their sectors that hold data. */
void places_set(struct places *, sub_t first, uint32_t count, uint32_t place, mask_t written);

/* Prefetches the entry of the logical page.  The second function, once that is in the cache, returns the
 * page's first place, or INDEX_NONE if it has no data or is in the side table, which it prefetches. */
static inline void places_expect(const struct places *p, lpn_t lpn)
{
	prefetch(&p->entry[lpn]);
}

static inline uint32_t places_expect_next(const struct places *p, lpn_t lpn)
{
	uint32_t entry = p->entry[lpn];

	if (entry <= p->count)
		return entry ? entry - 1 : INDEX_NONE;
	prefetch(places_apart(p, entry));
	return INDEX_NONE;
}

/* State, for saving and loading. */
extern const struct state_row places_state[];

/* Aborts unless every entry of the side table is free or belongs to one page that needs it. */
void places_check(const struct places *);

#endif
