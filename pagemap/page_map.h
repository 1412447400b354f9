/*
 * The page table of a page-mapped FTL: for each logical page its physical page and the sectors that hold
 * data.  Nearly always all sectors do, and an entry takes 4 bytes; other entries take 8 more in a side table,
 * 12 for pages of 64 sectors.  Untouched parts of the table take no memory.
 */
#ifndef PAGEMAP_PAGE_MAP_H
#define PAGEMAP_PAGE_MAP_H

#include "base/fault.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "base/state.h"
#include "flash/geometry.h"

/* mask == 0: the page holds no data, ppn has no meaning. */
struct page_entry {
	ppn_t ppn;
	mask_t mask;
};

struct page_map {
	uint32_t *entry; /* 0 = no data; 1 .. pages: ppn + 1, all sectors; above: index in the side table */
	struct pool partial; /* ppn, then the mask in one or two words */
	mask_t full;
	uint32_t pages; /* physical */
	lpn_t lpns;
	uint32_t entry_bytes; /* in a controller (page number and mask): what the model counts */
};

/* False and a fault: too many pages for such entries. */
bool page_map_fits(const struct geometry *, struct fault *);
void page_map_init(struct page_map *, const struct geometry *);
void page_map_release(struct page_map *);

static inline uint64_t page_map_bytes(const struct page_map *m)
{
	return (uint64_t)m->lpns * m->entry_bytes;
}

/* The words of an entry in the side table. */
static inline uint32_t *page_map_partial(const struct page_map *m, uint32_t entry)
{
	return (uint32_t *)pool_at(&m->partial, entry - m->pages - 1);
}

static inline struct page_entry page_map_get(const struct page_map *m, lpn_t lpn)
{
	uint32_t entry = m->entry[lpn];
	const uint32_t *w;

	if (entry <= m->pages)
		return entry ? (struct page_entry){ entry - 1, m->full } : (struct page_entry){ 0 };
	w = page_map_partial(m, entry);
	return (struct page_entry){ w[0], m->entry_bytes == 8 ? w[1] : w[1] | (mask_t)w[2] << 32 };
}

/* For page_map_set(): some, not all, sectors of the page hold data, or did. */
void page_map_set_partial(struct page_map *, lpn_t, struct page_entry);

static inline void page_map_set(struct page_map *m, lpn_t lpn, struct page_entry e)
{
	if (e.mask == m->full && m->entry[lpn] <= m->pages)
		m->entry[lpn] = e.ppn + 1;
	else
		page_map_set_partial(m, lpn, e);
}

extern const struct state_row page_map_state[];

/* Aborts unless every entry of the side table is free or belongs to one page. */
void page_map_check(const struct page_map *);

/* The entry will be needed soon. */
static inline void page_map_prefetch(const struct page_map *m, lpn_t lpn)
{
	prefetch(m->entry + lpn);
}

/* The physical page, from an entry that was prefetched.  PPN_NONE: none, or it is in the side table, whose
 * entry is then prefetched. */
static inline ppn_t page_map_peek(const struct page_map *m, lpn_t lpn)
{
	uint32_t entry = m->entry[lpn];

	if (entry <= m->pages)
		return entry ? entry - 1 : PPN_NONE;
	prefetch(page_map_partial(m, entry));
	return PPN_NONE;
}

/* A collection moved the page. */
static inline void page_map_move(struct page_map *m, lpn_t lpn, ppn_t from, ppn_t to)
{
	uint32_t *entry = &m->entry[lpn], offset = 1;

	if (*entry > m->pages) {
		entry = page_map_partial(m, *entry);
		offset = 0;
	}
	BUG_ON(*entry != from + offset, "page %u of LPN %u was moved, the table says %u", from, lpn,
		*entry - offset);
	*entry = to + offset;
}

#endif
