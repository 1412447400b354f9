/*
 * MRSM: collection.  gc/pack.h moves and packs the valid slots of the victim, so that neighbouring sub-pages
 * become one extent again; this file updates the map.
 */
#include "ftl/mrsm/mrsm.h"

static mask_t mrsm_holds(const struct ftl *f, sub_t sub, uint32_t length)
{
	return mrsm_written(f->state, sub, length);
}

/* A data page with all slots live was copied: its extents change only their page. */
static void mrsm_moved(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct mrsm *m = f->state;
	struct mrsm_piece p;

	(void)from;
	if (owner < m->tree.subs && !mrsm_tree_offset(&m->tree, owner) &&
		mrsm_tree_move_whole(&m->tree, mrsm_lpn(m, owner), to) != PPN_NONE) {
		mrsm_count_nodes(f, 1, 1);
		mrsm_entry_moved(f, io, owner);
		return;
	}
	for (uint32_t slot = 0; slot < m->slots_per_page; slot += p.length) {
		p = mrsm_tree_move(&m->tree, slots_sub(&m->slots, owner, slot), to);
		mrsm_count_nodes(f, 1, 1);
		mrsm_entry_moved(f, io, p.sub);
	}
}

static void mrsm_program_packed(struct ftl *f, struct io *io, const struct pack_page *page)
{
	mrsm_program(f, io, page);
	for (uint32_t i = 0, length; i < page->count; i += pack_run(page->part + i, page->count - i, &length))
		mrsm_entry_moved(f, io, page->part[i].sub);
}

void mrsm_pack_init(struct ftl *f)
{
	struct mrsm *m = f->state;

	pack_init(
		&m->pack, &m->slots, (struct pack_client){ f, mrsm_holds, mrsm_moved, mrsm_program_packed });
}

/* Extents are looked up page by page; prefetching all of them first, in two steps, hides most cache
 * misses. */
static void mrsm_expect_extents(const struct ftl *f)
{
	const struct mrsm *m = f->state;
	const struct space *s = m->slots.space;

	for (uint32_t i = 0; i < s->victim_pages; i++) {
		owner_t owner = flash_owner(f->flash, s->victim_page[i]);

		if (owner < m->tree.subs)
			mrsm_tree_prefetch(&m->tree, mrsm_lpn(m, owner), PREFETCH_ENTRY);
	}
	for (uint32_t i = 0; i < s->victim_pages; i++) {
		owner_t owner = flash_owner(f->flash, s->victim_page[i]);

		if (owner < m->tree.subs) {
			mrsm_tree_prefetch(&m->tree, mrsm_lpn(m, owner), PREFETCH_TARGET);
			mrsm_expect_move(m, mrsm_lpn(m, owner));
		}
	}
}

void mrsm_empty(struct ftl *f, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	struct mrsm *m = f->state;
	lpn_t searched = m->searched; /* by the request that this collection serves */

	m->searched = LPN_NONE;
	mrsm_expect_extents(f);
	pack_empty(&m->pack, io, victim, stream, cause);
	m->searched = searched;
}

block_t mrsm_last_resort(struct ftl *f, plane_t plane)
{
	return pack_last_resort(&((const struct mrsm *)f->state)->pack, plane);
}
