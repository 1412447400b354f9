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
	uint32_t page_table_pages;
	owner_t area_base;             /* area i owns its flash page as area_base + i */
	lpn_t guard_first, guard_last; /* collections leave areas of these anchors alone */
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

/* The longest piece at the start of n > 0 ascending extents. */
struct across_piece across_piece_next(const struct geometry *, const struct extent *, size_t n);

/* Its sectors in a page; 0 for pages outside it. */
mask_t across_piece_mask(const struct across_piece *, lpn_t);

static inline bool across_piece_is_across(const struct across_piece *p)
{
	return p->first != p->last && p->end - p->start <= p->geometry->sectors_per_page;
}

/* ---- areas.c: the table of areas ---- */

void across_areas_init(struct across_area_table *, uint32_t limit);
void across_areas_release(struct across_area_table *);
void across_areas_regions(struct across_area_table *, const struct geometry *, struct regions *);

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

/* Looks up (and changes, if `write`) the page table's entry of a page. */
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

/* Every request begins (and ends) like this: pays for collections, protects its areas. */
void across_begin(struct ftl *, struct io *, struct extent);
void across_end(struct ftl *);

#endif
