/*
 * MRSM, the scheme that ICPP'23 compares with (Chen, Tsao, Chang, IEEE TCAD 39(6), 2020, as far as the
 * ICPP paper describes it): mapping in sub-pages, so that a write of any alignment fills as few pages as it
 * has data and reads old data only where it covers part of a sub-page.  The cost is a large table.
 *
 *   tree.[ch] the extents: which sub-pages are stored where
 *   map.c         the mapping pages the extents would fill in flash, and the cost of using them
 *   collect.c     collection: updates the map for what gc/pack.h moves
 *   write.c       writes and trims
 *   mrsm.c        reads, checks, statistics
 *
 * This header is for these files only.
 */
#ifndef FTL_MRSM_MRSM_H
#define FTL_MRSM_MRSM_H

#include "ftl/ftl.h"
#include "base/random.h"
#include "gc/pack.h"
#include "ftl/mrsm/tree.h"
#include "ftl/store.h"

struct mrsm_settings {
	uint64_t subpage_sectors;
	uint64_t node_bytes;
	int cache_model;
	double cached_share;
};

struct mrsm_statistics {
	uint64_t descents, depths; /* descents from the root of the tree; sum of its depth at each */
	uint64_t splits, merges;
	uint64_t extents_max;
	uint64_t rmw_reads;
	uint64_t packed_pages, wasted_slots;
	/* computed when the statistics are read */
	uint64_t subpage_bytes, extents, extent_slots, mapped, node_bytes, table_bytes;
	double cached_share;
};

/* A page that a read request needs, and how many of its sectors. */
struct mrsm_wanted {
	ppn_t ppn;
	uint32_t sectors;
};

/* Streams of its store. */
enum { MRSM_HOST, MRSM_GC, MRSM_MAP };

struct mrsm {
	uint32_t sectors, slots_per_page; /* per sub-page; sub-pages per page */
	uint32_t sub_shift;               /* sectors = 1 << sub_shift */
	mask_t full_sub, full_page;       /* all sectors of a sub-page, of a page */
	struct mrsm_tree tree;
	struct slots slots;
	struct pack pack;
	/* Bit per logical sector: it holds data.  NULL if sub-pages are sectors: mapped ones hold data. */
	uint64_t *written;

	struct directory *directory;
	struct map_cache *cache; /* NULL: static model, hits are random */
	struct random random;    /* draws which look-ups hit (static model) */
	double chance; /* hit probability at the last request's translation; collections use it, too */
	uint32_t chance_nodes;     /* nodes of the tree that `chance` was computed for, */
	sub_t chance_mapped;       /* and its mapped sub-pages */
	uint64_t cache_bytes;      /* DRAM for the table */
	uint32_t *map_pages;       /* per region: mapping pages in use */
	uint32_t region_map_pages; /* the most a region can need */

	/* of the request or collection being served */
	op_t *wait; /* loads of mapping pages */
	uint32_t waits, wait_room;
	lpn_t searched; /* the last logical page whose extents were searched for a change */
	struct mrsm_wanted *wanted;
	uint32_t wanted_room;

	struct mrsm_statistics statistics;
};

static inline sub_t mrsm_sub(const struct mrsm *m, sector_t sector)
{
	return (sub_t)(sector >> m->sub_shift);
}

static inline lpn_t mrsm_lpn(const struct mrsm *m, sub_t sub)
{
	return mrsm_tree_page_of(&m->tree, sub);
}

/* Which of these sectors, at most 64 and all in mapped sub-pages, hold data. */
static inline mask_t mrsm_written_sectors(const struct mrsm *m, sector_t start, uint32_t sectors)
{
	uint32_t shift = start % 64;
	mask_t mask = ~(mask_t)0;

	if (m->written)
		mask = m->written[start / 64] >> shift;
	if (m->written && shift + sectors > 64)
		mask |= m->written[start / 64 + 1] << (64 - shift);
	return mask & bits_below(sectors);
}

/* The sectors of mapped consecutive sub-pages that hold data. */
static inline mask_t mrsm_written(const struct mrsm *m, sub_t sub, uint32_t length)
{
	return mrsm_written_sectors(m, (sector_t)sub << m->sub_shift, length << m->sub_shift);
}

/* Marks sectors of a sub-page as holding data; the second function also unmarks its other sectors.  A
 * sub-page never straddles a word. */
static inline void mrsm_add_written(struct mrsm *m, sub_t sub, mask_t mask)
{
	sector_t sector = (sector_t)sub << m->sub_shift;

	if (m->written)
		m->written[sector / 64] |= mask << sector % 64;
}

static inline void mrsm_set_written(struct mrsm *m, sub_t sub, mask_t mask)
{
	sector_t sector = (sector_t)sub << m->sub_shift;

	if (m->written)
		m->written[sector / 64] &= ~(m->full_sub << sector % 64);
	mrsm_add_written(m, sub, mask);
}

/* Turns a mask of the sub-page's sectors into one of its logical page's sectors. */
static inline mask_t mrsm_page_mask(const struct mrsm *m, sub_t sub, mask_t mask)
{
	return mask << (mrsm_tree_offset(&m->tree, sub) << m->sub_shift);
}

/* The sectors of a sub-page that the extent, which touches it, covers. */
static inline mask_t mrsm_covered(const struct mrsm *m, sub_t sub, struct extent e)
{
	return extent_mask(e, sub, m->sub_shift);
}

/* Logical pages that [from, end) touches. */
static inline uint32_t mrsm_logical_pages(const struct mrsm *m, sub_t from, sub_t end)
{
	return mrsm_lpn(m, end - 1) - mrsm_lpn(m, from) + 1;
}

/* Begins a request: writes back mapping pages that collections changed, and clears the dependencies. */
void mrsm_begin(struct ftl *, struct io *);

/* ---- writes and trims: write.c ---- */

void mrsm_write(struct ftl *, struct io *, const struct extent *, size_t n);
void mrsm_trim(struct ftl *, struct io *, struct extent);

/* Programs a page with these parts and maps them to it; their old copies become invalid. */
op_t mrsm_program(struct ftl *, struct io *, const struct pack_page *);

/* ---- cost of the tree: map.c ---- */

enum mrsm_cache_model { MRSM_LRU, MRSM_STATIC };

/* Most mapping pages in flash: 0 if all fit in DRAM and mrsm.cached_share is 0.  Uses only the tree. */
uint32_t mrsm_map_pages_in_flash(const struct ftl *);
bool mrsm_map_init(struct ftl *, owner_t base);
void mrsm_map_exit(struct mrsm *);

/* Gives each region of [from, end) a mapping page if it has none, before something is mapped there. */
void mrsm_open_regions(struct mrsm *, sub_t from, sub_t end);

/*
 * Translates (and changes, if `write`) the logical pages of an extent one by one: looks up the mapping page
 * of each, and charges one DRAM access for it to the request.  Afterwards m->wait holds the dependencies of
 * operations that use the entries.  May collect.
 */
void mrsm_translate(struct ftl *, struct io *, struct extent, bool write);

/* After a change of [from, end): gives its regions the mapping pages that their extents now need.  May
 * collect. */
void mrsm_fit_regions(struct ftl *, struct io *, sub_t from, sub_t end);

/* Collection changed the entry of the extent that begins at this sub-page.  mrsm_expect_move() prefetches for
 * this call. */
void mrsm_entry_moved(struct ftl *, struct io *, sub_t);
void mrsm_expect_move(const struct mrsm *, lpn_t);

/* Prefetch the entries of this logical page, and its mapping page. */
void mrsm_expect_entry(const struct mrsm *, lpn_t);
void mrsm_expect_map_page(const struct ftl *, lpn_t);

/*
 * Counts DRAM accesses of the paper's single balanced tree: a descent from its root (a search, an insertion,
 * a removal) visits a node per level; `nodes` more are visited or written in place, without a descent.
 */
void mrsm_count_nodes(struct ftl *, uint32_t descents, uint32_t nodes);

/* Makes `op` depend on the loads of mapping pages in m->wait. */
void mrsm_wait(const struct mrsm *, struct io *, op_t);

/* Bytes of the present nodes; and of the nodes that the whole drive would have if all of it were mapped as
 * finely as the mapped part, for comparison with a page table. */
uint64_t mrsm_node_bytes(const struct ftl *);
uint64_t mrsm_table_bytes(const struct ftl *);

/* Writes back the updates of collections, as map_cache_flush_updates() does. */
void mrsm_map_settle(struct mrsm *, struct io *);

void mrsm_map_check(const struct ftl *);
void mrsm_map_statistics(struct mrsm *, struct stat_list *);

/* ---- collection: collect.c ---- */

void mrsm_pack_init(struct ftl *);
void mrsm_empty(struct ftl *, struct io *, block_t victim, unsigned stream, enum cause);
block_t mrsm_last_resort(struct ftl *, plane_t);

#endif
