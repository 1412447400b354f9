/*
 * Placement handles of pages in the write buffer: a page keeps the handle of the request that wrote it last,
 * and is written to the FTL with it.  One byte for each logical page.
 */
#ifndef DRIVE_PAGE_HANDLES_H
#define DRIVE_PAGE_HANDLES_H

#include "base/state.h"
#include "flash/geometry.h"

struct page_handles {
	const struct geometry *geometry;
	uint8_t *of; /* per logical page */
	struct extent *run;
	uint32_t runs, room;
};

void page_handles_init(struct page_handles *, const struct geometry *);
void page_handles_release(struct page_handles *);

static inline bool page_handles_kept(const struct page_handles *h)
{
	return h->of != NULL;
}

/* A request with this handle writes the sectors. */
void page_handles_note(struct page_handles *, struct extent, uint8_t handle);

/* Cuts the extents between pages of different handles; calls `write` for each run of one handle, in their
 * order. */
void page_handles_write(struct page_handles *, const struct extent *, size_t n,
	void (*write)(void *context, uint8_t handle, const struct extent *, size_t n), void *context);

extern const struct state_row page_handles_state[];

#endif
