/*
 * MRSM's ordered map from logical sub-pages to slots of physical pages.
 *
 * An extent (a node of the paper's tree; "piece" here, because struct extent is a range of sectors) maps
 * `length` consecutive sub-pages to consecutive slots of one page.  Extents never overlap and never cross the
 * border of a region, the range of pages that one mapping page of a page-mapped FTL describes.
 *
 * A controller would keep one balanced tree.  Here each logical page has a number: its place if it is one
 * extent, else the first of a list of the extents that begin in it.  The results are the same;
 * mrsm_tree_depth() gives the depth of the tree.  4 bytes for each logical page, 12 for each extent that is
 * not exactly one page.
 *
 * It deals with numbers only, not with flash, sectors, or the use of an extent.
 */
#ifndef FTL_MRSM_TREE_H
#define FTL_MRSM_TREE_H

#include "base/pool.h"
#include "base/prefetch.h"
#include "base/state.h"
#include "types.h"

struct mrsm_piece {
	sub_t sub;       /* first logical sub-page */
	uint32_t length; /* 1 .. sub-pages per page */
	ppn_t ppn;
	uint32_t slot; /* of the first sub-page in the page */
};

/* An extent that is not exactly one logical page, in the list of the page in which it begins. */
struct mrsm_tree_node {
	uint32_t next; /* its number as in mrsm_tree.page; 0 = none */
	ppn_t ppn;
	uint16_t length; /* 0 = free */
	uint8_t offset;  /* of the first sub-page in its logical page */
	uint8_t slot;
};

struct mrsm_tree_region {
	uint32_t nodes; /* pieces in the region */
	uint32_t fine;  /* of these, pieces that are not exactly one logical page */
};

struct mrsm_tree {
	uint32_t subs_per_page;
	uint32_t page_shift, region_shift; /* 1 << shift: sub-pages in a page, in a region */
	sub_t subs, region_subs;
	uint32_t pages, ppns; /* logical, physical */
	uint32_t regions, nodes;
	sub_t mapped; /* sub-pages in all pieces */
	/* per logical page: 0 = no extent begins in it; 1 .. ppns = it is one extent, in page number - 1;
	 * above = ppns + 1 + its first node */
	uint32_t *page;
	struct pool node; /* struct mrsm_tree_node */
	struct mrsm_tree_region *region;
};

/* At most 64 sub-pages per page, these and pages per region powers of two; `pages` + `ppns` fit 32 bits. */
void mrsm_tree_init(
	struct mrsm_tree *, lpn_t pages, uint32_t ppns, uint32_t subs_per_page, uint32_t region_pages);
void mrsm_tree_release(struct mrsm_tree *);

/* Like mrsm_tree_next(), and unmaps the piece.  Returns how many pieces remain of the extent that it was cut
 * from, 0 to 2, or -1 if nothing more is mapped. */
int mrsm_tree_take(struct mrsm_tree *, sub_t *at, sub_t end, struct mrsm_piece *);

/* Maps a piece whose sub-pages are not mapped. */
void mrsm_tree_put(struct mrsm_tree *, struct mrsm_piece);

/* The page of the extent that begins at `sub` was moved, slots unchanged.  Returns the extent. */
struct mrsm_piece mrsm_tree_move(struct mrsm_tree *, sub_t, ppn_t to);

/* Nodes on the way from the root of a balanced tree of these pieces to a leaf. */
static inline uint32_t mrsm_tree_depth(const struct mrsm_tree *t)
{
	return t->nodes ? 32 - (uint32_t)__builtin_clz(t->nodes) : 0;
}

static inline uint32_t mrsm_tree_region_of(const struct mrsm_tree *t, sub_t sub)
{
	return sub >> t->region_shift;
}

static inline lpn_t mrsm_tree_page_of(const struct mrsm_tree *t, sub_t sub)
{
	return sub >> t->page_shift;
}

/* Offset of the sub-page in its page. */
static inline uint32_t mrsm_tree_offset(const struct mrsm_tree *t, sub_t sub)
{
	return sub & (t->subs_per_page - 1);
}

/* The place of a logical page that is one extent, as most are, else PPN_NONE. */
static inline ppn_t mrsm_tree_whole(const struct mrsm_tree *t, lpn_t page)
{
	return t->page[page] - 1 < t->ppns ? t->page[page] - 1 : PPN_NONE;
}

/* Maps such a page to `to`.  Returns its old place; PPN_NONE if it is not one extent, and nothing changes. */
static inline ppn_t mrsm_tree_move_whole(struct mrsm_tree *t, lpn_t page, ppn_t to)
{
	ppn_t from = mrsm_tree_whole(t, page);

	if (from != PPN_NONE)
		t->page[page] = to + 1;
	return from;
}

/* mrsm_tree_next() for a page that is not one extent. */
bool mrsm_tree_search(const struct mrsm_tree *, sub_t *at, sub_t end, struct mrsm_piece *);

/*
 * The first piece of [*at, end), clipped to that range; *at becomes its end.  False: nothing more is mapped.
 * The tree may be changed between two calls.
 */
static inline bool mrsm_tree_next(const struct mrsm_tree *t, sub_t *at, sub_t end, struct mrsm_piece *p)
{
	sub_t from = *at, stop = (from | (t->subs_per_page - 1)) + 1;
	ppn_t ppn = from < end ? mrsm_tree_whole(t, mrsm_tree_page_of(t, from)) : PPN_NONE;

	if (ppn == PPN_NONE)
		return mrsm_tree_search(t, at, end, p);
	*at = stop < end ? stop : end;
	*p = (struct mrsm_piece){ from, *at - from, ppn, mrsm_tree_offset(t, from) };
	return true;
}

/* The physical page of the first extent that begins in the logical page; PPN_NONE: none does. */
ppn_t mrsm_tree_peek(const struct mrsm_tree *, lpn_t);

/* Prefetches the extents of the logical page. */
void mrsm_tree_prefetch(const struct mrsm_tree *, lpn_t, enum prefetch_stage);

extern const struct state_row mrsm_tree_state[];

/* Aborts unless extents are in order, disjoint, inside their regions and pages, and the counts are right. */
void mrsm_tree_check(const struct mrsm_tree *);

#endif
