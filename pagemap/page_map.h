/*
 * The page table of a page-mapped FTL: for every logical page the physical page that holds
 * it and which of its sectors hold data.  One entry is one load: 8 bytes for pages of up
 * to 32 sectors, 12 bytes for 64 (32 KiB).  Untouched parts of the table cost no memory.
 */
#ifndef PAGEMAP_PAGE_MAP_H
#define PAGEMAP_PAGE_MAP_H

#include "base/fault.h"
#include "base/prefetch.h"
#include "base/regions.h"
#include "flash/geometry.h"

/* mask == 0: the page holds no data, ppn means nothing. */
struct page_entry {
	ppn_t ppn;
	mask_t mask;
};

struct page_map {
	uint32_t *word;  /* ppn, then the mask in one or two words */
	uint32_t stride; /* words per entry: 2 or 3 */
	lpn_t lpns;
};

void page_map_init(struct page_map *, const struct geometry *);
void page_map_release(struct page_map *);

static inline uint64_t page_map_bytes(const struct page_map *m)
{
	return (uint64_t)m->lpns * m->stride * sizeof *m->word;
}

static inline struct page_entry page_map_get(const struct page_map *m, lpn_t lpn)
{
	const uint32_t *w = m->word + (size_t)lpn * m->stride;

	return (struct page_entry){ w[0], m->stride == 2 ? w[1] : w[1] | (mask_t)w[2] << 32 };
}

static inline void page_map_set(struct page_map *m, lpn_t lpn, struct page_entry e)
{
	uint32_t *w = m->word + (size_t)lpn * m->stride;

	w[0] = e.ppn;
	w[1] = (uint32_t)e.mask;
	if (m->stride == 3)
		w[2] = (uint32_t)(e.mask >> 32);
}

/* Its state, for saving and loading a drive. */
void page_map_regions(struct page_map *, const struct geometry *, struct regions *);

/* The entry will be needed soon. */
PREFETCHING void page_map_prefetch(const struct page_map *m, lpn_t lpn)
{
	__builtin_prefetch(m->word + (size_t)lpn * m->stride, 1);
}

/* A collection moved the data; what it is stays.  Aborts if it was elsewhere. */
static inline void page_map_move(struct page_map *m, lpn_t lpn, ppn_t from, ppn_t to)
{
	uint32_t *ppn = m->word + (size_t)lpn * m->stride;

	BUG_ON(*ppn != from, "page %u of LPN %u was moved, the table says %u", from, lpn, *ppn);
	*ppn = to;
}

#endif
