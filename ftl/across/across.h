/*
 * Across-FTL from within: the two tables, and what the files of this folder share.  Nobody else includes it.
 *
 * A write of at most a page that straddles a page border is stored alone in one flash page, an
 * area.  Every sector has at most one owner: the normal page of its logical page (its bit is set in the
 * page table) or one area.  Areas are found by the logical page left of their border, the anchor: two
 * ranges over the same border overlap, so there is at most one area per border, and a logical page touches
 * at most two areas (anchors lpn - 1 and lpn).
 */
#ifndef FTL_ACROSS_ACROSS_H
#define FTL_ACROSS_ACROSS_H

#include "base/bits.h"
#include "base/divide.h"
#include "ftl/page/page.h"

#define NO_AREA UINT32_MAX

enum across_index { INDEX_ANCHOR, INDEX_BOTH, INDEX_SINGLE };
enum across_neighbour { NEIGHBOUR_ROLLBACK_ALL, NEIGHBOUR_THEN_DIRECT };
enum across_partial { PARTIAL_ROLLBACK, PARTIAL_SHRINK };

struct across_settings {
	int index, neighbour, partial_cover;
	bool release_stale, gc_rollback;
	uint64_t max_areas;
};

/* An across-page area: which sectors of its anchor and of the page after it the flash page holds. */
struct across_area {
	mask_t left, right;
	lpn_t anchor;
	ppn_t ppn;
	bool cut; /* lost sectors: it may have holes and need not straddle its border any more */
};

/* The across-page mapping table: the lowest free index is used first, so that its mapping pages stay few. */
struct across_area_table {
	struct across_area *area;
	uint64_t *free, *any_free; /* bit per index; bit per word of `free` with one */
	uint32_t limit, used;
};

struct across_statistics {
	uint64_t direct_writes, profitable_merges, unprofitable_merges;
	uint64_t rollbacks, rolled_back, cover_drops, trim_drops, shrinks, gc_rollbacks;
	uint64_t refused_index, refused_limit; /* across writes done as normal ones */
	uint64_t merge_reads, rollback_reads;  /* of areas */
	uint64_t normal_released;              /* normal pages that lost their last sector to an area */
	uint64_t direct_reads, merged_reads, merged_read_pages, merged_read_extra;
	uint64_t most_areas;
	/* filled in when they are asked for */
	uint64_t area_writes, areas_replaced, areas, areas_limit;
};

/* Streams of its store. */
enum { ACROSS_HOST, ACROSS_GC, ACROSS_MAP };

struct across {
	struct page_ftl page;
	uint32_t *area_of; /* per anchor: index of its area + 1, 0 = none */
	uint64_t *anchors; /* bit per logical page: it is an anchor; asked first, a 32nd of the memory */
	struct across_area_table areas;
	/* Mapping pages: first those of the page table, then those of the areas. */
	struct directory *directory;
	struct map_cache *cache;
	uint32_t page_entries, area_entries; /* entries in a mapping page */
	struct divisor per_page_entries;
	uint32_t page_table_pages;
	owner_t area_base;             /* area i owns its flash page as area_base + i */
	lpn_t guard_first, guard_last; /* with gc_rollback: collections leave areas of these anchors alone */
	struct across_statistics count;
};

/*
 * What a request asks for between two sectors, with holes if a buffer hands over several extents that meet
 * in a page; every page from `first` to `last` is touched.
 */
struct across_piece {
	const struct geometry *geometry;
	const struct extent *extents;
	size_t n;
	sector_t start, end;
	lpn_t first, last;
};

/* May `next` belong to the same piece as what ends at `end`? */
static inline bool across_piece_continues(const struct geometry *g, sector_t end, const struct extent *next)
{
	return next->start == end || geometry_lpn(g, next->start) == geometry_lpn(g, end - 1);
}

/* The longest piece at the start of n > 0 ascending extents. */
static inline struct across_piece across_piece_next(
	const struct geometry *g, const struct extent *extents, size_t n)
{
	struct across_piece p = { .geometry = g, .extents = extents, .n = 1, .start = extents->start };

	while (p.n < n && across_piece_continues(g, extents[p.n - 1].end, &extents[p.n]))
		p.n++;
	p.end = extents[p.n - 1].end;
	p.first = geometry_lpn(g, p.start);
	p.last = geometry_lpn(g, p.end - 1);
	return p;
}

/* Its sectors in a page; 0 for pages outside it. */
mask_t across_piece_mask(const struct across_piece *, lpn_t);

static inline bool across_piece_is_across(const struct across_piece *p)
{
	return p->first != p->last && p->end - p->start <= p->geometry->sectors_per_page;
}

/* ---- areas.c: the table of areas ---- */

void across_areas_init(struct across_area_table *, uint32_t limit);
void across_areas_release(struct across_area_table *);
extern const struct state_row across_areas_state[];

/* Aborts unless exactly the indices of areas that hold something are taken. */
void across_areas_check(const struct across_area_table *);

/* The lowest free index; used < limit. */
uint32_t across_areas_take(struct across_area_table *);
void across_areas_give(struct across_area_table *, uint32_t index);

static inline const struct across_settings *across_settings(const struct ftl *f)
{
	return f->settings;
}

/* Index of the area with that anchor, or NO_AREA.  Any number may be asked, lpn - 1 of page 0 too. */
static inline uint32_t across_area_at(const struct across *a, lpn_t anchor)
{
	return anchor < a->page.map.lpns && bits_get(a->anchors, anchor) ? a->area_of[anchor] - 1 : NO_AREA;
}

/* Is there an area over a border of these pages?  If not, requests for them are page mapping's. */
static inline bool across_has_areas(const struct across *a, lpn_t first, lpn_t last)
{
	return bits_next(a->anchors, last / BITS_WORD + 1, first ? first - 1 : 0) <= last;
}

/* The anchor leads to that area from now on, or to none: NO_AREA. */
static inline void across_lead_to(struct across *a, lpn_t anchor, uint32_t index)
{
	a->area_of[anchor] = index + 1;
	(index == NO_AREA ? bits_clear : bits_set)(a->anchors, anchor);
}

/* Does the area hold a sector of the piece?  All of them? */
bool across_area_meets(const struct across_area *, const struct across_piece *);
bool across_area_covers(const struct across_area *, const struct across_piece *);

static inline uint32_t across_area_sectors(const struct across_area *area)
{
	return mask_sectors(area->left) + mask_sectors(area->right);
}

/* Takes the area out of both tables; its flash page is dead. */
void across_drop(struct ftl *, uint32_t index);

/* ---- look-ups, in across.c: what they cost and what must wait for them ---- */

/* Operations that others must wait for. */
struct across_needs {
	op_t op[8];
	uint32_t count;
};

void across_needs_add(struct across_needs *, op_t);
void across_needs_add_all(struct across_needs *, const struct across_needs *more);

/* The first of them, to be given to flash_read() or flash_program() as `after`. */
static inline op_t across_needs_first(const struct across_needs *n)
{
	return n->count ? n->op[0] : OP_NONE;
}

/* A read that waits for all of them. */
op_t across_read_page(struct io *, ppn_t, uint32_t sectors, enum cause, const struct across_needs *);

/* A program that waits for all of them. */
void across_program(struct io *, ppn_t, owner_t, uint32_t sectors, enum cause, const struct across_needs *);

/* The mapping page that holds the page table's entry. */
static inline uint32_t across_entry_page(const struct across *a, lpn_t lpn)
{
	return divide(lpn, a->per_page_entries);
}

/* The page's entry is read or changed soon. */
PREFETCHING void across_fetch_entry(const struct across *a, lpn_t lpn)
{
	page_map_prefetch(&a->page.map, lpn);
	map_cache_prefetch(a->cache, across_entry_page(a, lpn));
}

/* Looks up (and changes, if `write`) an entry of a mapping page: map_cache_get(). */
static inline op_t across_look_up_in(struct ftl *f, struct io *io, uint32_t id, bool write, op_t after)
{
	f->map.accesses++;
	return map_cache_get(((const struct across *)f->state)->cache, io, id, write, after);
}

/* The page table's entry of a page.  Returns what its user must wait for. */
static inline op_t across_look_up(struct ftl *f, struct io *io, lpn_t lpn, bool write)
{
	io->accesses++;
	return across_look_up_in(f, io, across_entry_page(f->state, lpn), write, OP_NONE);
}

/* The same, added to what must be waited for. */
void across_translate(struct ftl *, struct io *, lpn_t, bool write, struct across_needs *);

/* The same for the entry of page `first` - 1, where that is what leads to an area at its right border. */
void across_translate_neighbour(struct ftl *, struct io *, lpn_t first, bool write, struct across_needs *);

void across_translate_area(struct ftl *, struct io *, uint32_t index, bool write, struct across_needs *);

/* During a collection: an entry of mapping page `id` changes because what it maps was moved. */
void across_entry_moved(struct ftl *, struct io *, uint32_t id);

/* ---- the operations ---- */

void across_read(struct ftl *, struct io *, const struct extent *, size_t n);
void across_write(struct ftl *, struct io *, const struct extent *, size_t n);
void across_trim(struct ftl *, struct io *, struct extent);
void across_empty(struct ftl *, struct io *, block_t victim, unsigned stream, enum cause);

/* Every request begins (and ends) like this: pays for collections, protects its areas from being folded by
 * others. */
static inline void across_begin(struct ftl *f, struct io *io, struct extent e)
{
	struct across *a = f->state;
	lpn_t first = geometry_lpn(f->geometry, e.start);

	map_cache_settle(a->cache, io);
	if (!across_settings(f)->gc_rollback)
		return;
	a->guard_first = first < 2 ? 0 : first - 2;
	a->guard_last = geometry_lpn(f->geometry, e.end - 1) + 1;
}

static inline void across_end(struct ftl *f)
{
	struct across *a = f->state;

	a->guard_first = a->guard_last = LPN_NONE;
}

#endif
