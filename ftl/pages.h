/* Requests cut at page borders, and the oracle's calls for parts of a page given as a sector mask. */
#ifndef FTL_PAGES_H
#define FTL_PAGES_H

#include "flash/flash.h"

#include <stdio.h>

/* The part of a request within one logical page. */
struct page_part {
	lpn_t lpn;
	mask_t mask; /* its sectors; with holes if several extents meet in the page */
};

/* Walks over disjoint extents page by page.  Ascending extents that meet in a page form one part. */
struct page_walk {
	const struct geometry *geometry;
	const struct extent *extent, *end;
	sector_t at;
};

static inline struct page_walk page_walk_start(
	const struct geometry *g, const struct extent *extents, size_t n)
{
	return (struct page_walk){ g, extents, extents + n, n ? extents->start : 0 };
}

/* For page_walk_next(): the extent ends in this page, others follow and may begin there. */
void page_walk_meet(struct page_walk *, struct page_part *);

/* The next part; false: there is none. */
static inline bool page_walk_next(struct page_walk *w, struct page_part *part)
{
	const struct geometry *g = w->geometry;
	sector_t page_end;

	if (w->extent == w->end)
		return false;
	part->lpn = geometry_lpn(g, w->at);
	page_end = geometry_page_start(g, part->lpn + 1);
	if (w->extent + 1 != w->end && w->extent->end <= page_end) {
		page_walk_meet(w, part);
		return true;
	}
	part->mask = extent_mask((struct extent){ w->at, w->extent->end }, part->lpn, g->sector_shift);
	w->at = page_end;
	w->extent += w->extent->end <= page_end;
	return true;
}

/* The next three functions, if there is an oracle. */
void pages_tell_host(struct io *, ppn_t, lpn_t, mask_t);
void pages_tell_kept(struct io *, ppn_t, ppn_t from, lpn_t, mask_t);
void pages_tell_answer(struct io *, ppn_t, lpn_t, mask_t);

/* flash_holds_host(), flash_holds_kept() and flash_answers() for the sectors `mask` of page `lpn`. */
static inline void pages_hold_host(struct io *io, ppn_t ppn, lpn_t lpn, mask_t mask)
{
	if (io->flash->oracle)
		pages_tell_host(io, ppn, lpn, mask);
}

static inline void pages_hold_kept(struct io *io, ppn_t ppn, ppn_t from, lpn_t lpn, mask_t mask)
{
	if (io->flash->oracle)
		pages_tell_kept(io, ppn, from, lpn, mask);
}

static inline void pages_answer(struct io *io, ppn_t ppn, lpn_t lpn, mask_t mask)
{
	if (io->flash->oracle)
		pages_tell_answer(io, ppn, lpn, mask);
}

/* For sectors of a page that the FTL holds in DRAM.  pages_tell_dram() is for oracle_dram_store(), _answer()
 * or _drop(); pages_tell_loaded(): they were read from page `from`; pages_tell_stored(): they are now in page
 * `to` and no longer in DRAM. */
void pages_tell_dram(
	struct flash *, lpn_t, mask_t, void (*tell)(struct oracle *, enum oracle_holder, struct extent));
void pages_tell_loaded(struct flash *, ppn_t from, lpn_t, mask_t);
void pages_tell_stored(struct flash *, ppn_t to, lpn_t, mask_t);

/* In words: "sectors 0-3, 8-15" or "no sectors"; "in BLOCK.PAGE: sectors 0-3". */
void mask_print(mask_t, FILE *);
void pages_print(const struct geometry *, ppn_t, mask_t, FILE *);

#endif
