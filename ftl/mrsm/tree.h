/*
 * MRSM's ordered map: which logical sub-pages lie in which slots of which physical page.
 *
 * An entry ("node" of the paper's tree; "piece" here, because struct extent is a range of sectors) says that
 * `length` consecutive sub-pages lie in consecutive slots of one page.  Pieces never overlap and never cross
 * the border of a region, the range of pages that one mapping page of a page-mapped FTL describes.
 *
 * Where a controller would keep one balanced tree, this keeps a number per logical page: where the page is if
 * one piece is all of it, else which sorted array holds the pieces that begin in it.  The same answers for
 * one or two cache misses; what the tree would cost is told by mrsm_tree_depth().  4 bytes per logical page,
 * 8 more and 8 per piece (in rooms of powers of two) for a page that is mapped otherwise.
 *
 * Knows numbers only: nothing of flash, of sectors, or of what a piece is for.
 */
#ifndef FTL_MRSM_TREE_H
#define FTL_MRSM_TREE_H

#include "base/pool.h"
#include "base/state.h"
#include "types.h"

struct mrsm_piece {
	sub_t sub;       /* first logical sub-page */
	uint32_t length; /* 1 .. sub-pages per page */
	ppn_t ppn;
	uint32_t slot; /* of the first sub-page in the page */
};

#define TREE_CLASSES 6u /* rooms of a leaf: 2, 4, ... 64 pieces */

/* The pieces that begin in a logical page, unless one is all of it: cell[at .. at + count), ascending. */
struct mrsm_tree_leaf {
	uint32_t at;
	uint16_t count, room;
};

struct mrsm_tree_region {
	uint32_t nodes; /* pieces in the region */
	uint32_t fine;  /* of these, the ones that are not exactly one logical page */
};

struct mrsm_tree {
	uint32_t subs_per_page;
	uint32_t page_shift, region_shift; /* 1 << shift: sub-pages in a page, in a region */
	sub_t subs, region_subs;
	uint32_t pages, ppns; /* logical, physical */
	uint32_t regions, nodes;
	sub_t mapped; /* sub-pages in all pieces */
	/* 0 = no piece begins in it; 1 .. ppns: one is all of it, ppn + 1; behind: number of a leaf */
	uint32_t *page;
	struct pool leaf; /* struct mrsm_tree_leaf */
	struct mrsm_tree_region *region;
	uint64_t *cell;              /* pool of all leaves */
	uint32_t cells, cells_room;  /* cells ever used; room of the pool */
	uint32_t free[TREE_CLASSES]; /* lists of unused arrays, by room; 0 = none */
};

/* At most 64 sub-pages per page, these and pages per region powers of two; `pages` + `ppns` fit 32 bits. */
void mrsm_tree_init(
	struct mrsm_tree *, lpn_t pages, uint32_t ppns, uint32_t subs_per_page, uint32_t region_pages);
void mrsm_tree_release(struct mrsm_tree *);

/* The same, and unmaps the piece it returns.  Returns the nodes left of the one it was cut from, 0 to
 * 2, or -1 when nothing more is mapped. */
int mrsm_tree_take(struct mrsm_tree *, sub_t *at, sub_t end, struct mrsm_piece *);

/* Maps a piece whose sub-pages are not mapped. */
void mrsm_tree_put(struct mrsm_tree *, struct mrsm_piece);

/* The page that holds the whole piece which begins at `sub` has moved, slots unchanged.  Returns the
 * piece. */
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

/* Its place in its page. */
static inline uint32_t mrsm_tree_offset(const struct mrsm_tree *t, sub_t sub)
{
	return sub & (t->subs_per_page - 1);
}

/* The page that holds a whole logical page as one piece, else PPN_NONE. Most pages are one piece and need no
 * search. */
static inline ppn_t mrsm_tree_whole(const struct mrsm_tree *t, lpn_t page)
{
	return t->page[page] - 1 < t->ppns ? t->page[page] - 1 : PPN_NONE;
}

/* It is somewhere else now.  Returns where it was; PPN_NONE: it is not one piece, and nothing changes. */
static inline ppn_t mrsm_tree_move_whole(struct mrsm_tree *t, lpn_t page, ppn_t to)
{
	ppn_t from = mrsm_tree_whole(t, page);

	if (from != PPN_NONE)
		t->page[page] = to + 1;
	return from;
}

/* For mrsm_tree_next(), where there is something to be searched. */
bool mrsm_tree_search(const struct mrsm_tree *, sub_t *at, sub_t end, struct mrsm_piece *);

/*
 * The first piece of [*at, end), clipped to that range; *at moves behind it.  False: nothing more is mapped.
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

/* Where the first piece is that begins in the logical page, PPN_NONE: none does. */
ppn_t mrsm_tree_peek(const struct mrsm_tree *, lpn_t);

/* The pieces around this sub-page will be needed soon; sooner than that, it will be expected. */
void mrsm_tree_expect(const struct mrsm_tree *, sub_t);
void mrsm_tree_expect_later(const struct mrsm_tree *, sub_t);

/* State, for saving and loading. */
extern const struct state_row mrsm_tree_state[];

/* Aborts unless the pieces are in order, apart, inside their regions and pages, and the counts are right. */
void mrsm_tree_check(const struct mrsm_tree *);

#endif
