/*
 * Across-FTL, internals shared by the files of this folder.  No other file includes it.
 *
 * A write of at most a page that straddles a page border is stored alone in one flash page, an area.  Each
 * sector has at most one owner: the normal page of its logical page (its bit is set in the page table) or one
 * area; with release_stale off, the normal page keeps its bit, too.  An area is found by the logical page
 * left of its border, its anchor: two ranges over the same border overlap, so there is at most one area for
 * each border, and a logical page touches at most two areas (anchors lpn - 1 and lpn).
 */
#ifndef FTL_ACROSS_ACROSS_H
#define FTL_ACROSS_ACROSS_H

#include "base/divide.h"
#include "ftl/deps.h"
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

/* left, right: sectors of the anchor page, and of the page after it, that the area's flash page holds. */
struct across_area {
	mask_t left, right;
	lpn_t anchor;
	ppn_t ppn;
	bool cut; /* some of its sectors were overwritten: it may have holes, or sectors on one side only */
};

/* The across-page mapping table: the lowest free index is used first, so that its mapping pages stay few. */
struct across_area_table {
	struct across_area *area;
	uint64_t *free, *any_free; /* bit per free index; bit per word of `free` that is not 0 */
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
	/* computed when the statistics are read */
	uint64_t area_writes, areas_replaced, areas, areas_limit;
};

/* Streams of its store. */
enum { ACROSS_HOST, ACROSS_GC, ACROSS_MAP };

struct across {
	struct page_map map;
	/* per anchor: index of its area + 1; 0 = none, so that untouched memory costs nothing */
	uint32_t *area_of;
	struct across_area_table areas;
	/* Mapping pages: first those of the page table, then those of the areas. */
	struct directory *directory;
	struct map_cache *cache;
	uint32_t page_entries, area_entries; /* in a mapping page */
	struct divisor per_page_entries;
	uint32_t page_table_pages;
	owner_t area_base; /* area i owns its flash page as area_base + i */
	lpn_t guard_first,
		guard_last; /* gc_rollback: collection does not roll back the areas of these anchors */
	struct across_statistics count;
};

static inline struct across *across_of(const struct ftl *f)
{
	return (struct across *)f->state;
}

static inline const struct across_settings *across_settings(const struct ftl *f)
{
	return (const struct across_settings *)f->settings;
}

/*
 * A part of the request being served that touches each page from `first` to `last`. It has holes if a buffer
 * flushes several extents that share a page.
 */
struct across_piece {
	struct ftl *f;
	struct across *a;
	struct io *io;
	const struct extent *extents;
	size_t n;
	sector_t start, end;
	lpn_t first, last;
};

/* The longest piece at the start of n > 0 ascending extents. */
struct across_piece across_piece_next(struct ftl *, struct io *, const struct extent *, size_t n);

/* Its sectors in a page; 0 for pages outside it. */
mask_t across_piece_mask(const struct across_piece *, lpn_t);

static inline bool across_piece_is_across(const struct across_piece *p)
{
	return p->first != p->last && p->end - p->start <= p->f->geometry->sectors_per_page;
}

/* ---- areas.c: the table of areas ---- */

void across_areas_init(struct across_area_table *, uint32_t limit);
void across_areas_release(struct across_area_table *);
extern const struct state_row across_areas_state[];

/* Aborts unless exactly the indices of areas that hold something are taken. */
void across_areas_check(const struct across_area_table *);

/* Takes the lowest free index; there must be one (used < limit). */
uint32_t across_areas_take(struct across_area_table *);
void across_areas_give(struct across_area_table *, uint32_t index);

/* Index of the area with that anchor, or NO_AREA. The anchor may be any number, such as lpn - 1 of page 0. */
static inline uint32_t across_area_at(const struct across *a, lpn_t anchor)
{
	return anchor < a->map.lpns ? a->area_of[anchor] - 1 : NO_AREA;
}

/* Is there an area over a border of these pages? If not, a request for them is served as in page mapping. */
static inline bool across_has_areas(const struct across *a, lpn_t first, lpn_t last)
{
	for (lpn_t anchor = first ? first - 1 : 0; anchor <= last; anchor++)
		if (a->area_of[anchor])
			return true;
	return false;
}

/* Does the area hold a sector of the piece?  All of them? */
bool across_area_meets(const struct across_area *, const struct across_piece *);
bool across_area_covers(const struct across_area *, const struct across_piece *);

static inline uint32_t across_area_sectors(const struct across_area *area)
{
	return mask_sectors(area->left) + mask_sectors(area->right);
}

/* Removes the area from both tables and invalidates its flash page. */
void across_drop(struct ftl *, uint32_t index);

/* ---- across.c: look-ups; they return or add the dependencies of operations that use the result ---- */

/* The mapping page that holds the page table's entry. */
static inline uint32_t across_entry_page(const struct across *a, lpn_t lpn)
{
	return divide(lpn, a->per_page_entries);
}

/* The mapping page that holds the area's entry. */
static inline uint32_t across_area_page(const struct across *a, uint32_t index)
{
	return a->page_table_pages + index / a->area_entries;
}

/* Looks up (and changes, if `write`) an entry of mapping page `id`: map_cache_get(). */
static inline op_t across_look_up_in(struct ftl *f, struct io *io, uint32_t id, bool write, op_t after)
{
	f->map.accesses++;
	return map_cache_get(across_of(f)->cache, io, id, write, after);
}

/* Looks up the page table's entry of a page. */
static inline op_t across_look_up(struct ftl *f, struct io *io, lpn_t lpn, bool write)
{
	io->accesses++;
	return across_look_up_in(f, io, across_entry_page(across_of(f), lpn), write, OP_NONE);
}

static inline void across_translate(const struct across_piece *p, lpn_t lpn, bool write, struct deps *d)
{
	deps_add(d, across_look_up(p->f, p->io, lpn, write));
}

/* Looks up the entry of page first - 1 if the area over its right border is found through it. */
void across_translate_neighbour(const struct across_piece *, bool write, struct deps *);

/* Looks up the area's entry, after the entry of the page table that holds its index. */
void across_translate_area(const struct across_piece *, uint32_t index, bool write, struct deps *);

/* During a collection: an entry of mapping page `id` changes because a page was moved. */
void across_entry_moved(struct ftl *, struct io *, uint32_t id);

/* ---- the operations ---- */

void across_read(struct ftl *, struct io *, const struct extent *, size_t n);
void across_write(struct ftl *, struct io *, const struct extent *, size_t n);
void across_trim(struct ftl *, struct io *, struct extent);
void across_empty(struct ftl *, struct io *, block_t victim, unsigned stream, enum cause);

/* Called at the beginning and end of every request: apply deferred updates, and protect the request's areas
 * from rollback by collection. */
static inline void across_begin(struct ftl *f, struct io *io, struct extent e)
{
	struct across *a = (struct across *)f->state;
	lpn_t first = geometry_lpn(f->geometry, e.start);

	map_cache_flush_updates(a->cache, io);
	if (!across_settings(f)->gc_rollback)
		return;
	a->guard_first = first < 2 ? 0 : first - 2;
	a->guard_last = geometry_lpn(f->geometry, e.end - 1) + 1;
}

static inline void across_end(struct ftl *f)
{
	across_of(f)->guard_first = across_of(f)->guard_last = LPN_NONE;
}

#endif
