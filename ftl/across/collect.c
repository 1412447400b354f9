/*
 * Collection of areas, with the option gc_rollback: an area whose two normal pages lie in the same
 * victim is folded into them, so that two pages are written instead of three copied.
 */
#include "ftl/across/across.h"

/* The normal page of `lpn` holds data, and in the victim. */
static bool is_in(const struct ftl *f, block_t victim, lpn_t lpn)
{
	struct page_entry entry = page_map_get(&((const struct across *)f->state)->page.map, lpn);

	return entry.mask && geometry_block(f->geometry, entry.ppn) == victim;
}

/* Areas that the request being served has looked up must stay as they are. */
static bool can_fold(const struct ftl *f, const struct across_area *area, block_t victim)
{
	const struct across *a = f->state;
	bool guarded = area->anchor >= a->guard_first && area->anchor <= a->guard_last;

	return !guarded && area->left && area->right && is_in(f, victim, area->anchor) &&
	       is_in(f, victim, area->anchor + 1);
}

/* What folding one area needs at hand. */
struct folding {
	unsigned stream;
	enum cause cause;
	ppn_t area_page;
	op_t area_read;
};

/* Writes the normal page anew with the area's sectors in it. */
static void fold_into(struct ftl *f, struct io *io, const struct folding *fold, lpn_t lpn, mask_t sectors)
{
	struct across *a = f->state;
	struct page_entry old = page_map_get(&a->page.map, lpn);
	plane_t plane = geometry_plane(f->geometry, geometry_block(f->geometry, old.ppn));
	mask_t kept = old.mask & ~sectors;
	op_t read = kept ? flash_read(io, old.ppn, mask_sectors(kept), fold->cause, OP_NONE) : OP_NONE;
	ppn_t to = space_take(a->page.store->space, plane, fold->stream, true);
	struct across_needs n = { .count = 0 };

	BUG_ON(to == PPN_NONE, "plane %u has no free page to fold LPN %u into", plane, lpn);
	across_needs_add(&n, read);
	across_needs_add(&n, fold->area_read);
	across_program(io, to, lpn, mask_sectors(old.mask | sectors), fold->cause, &n);
	pages_hold_kept(io, to, old.ppn, lpn, kept);
	pages_hold_kept(io, to, fold->area_page, lpn, sectors);
	space_release(a->page.store->space, old.ppn);
	page_map_set(&a->page.map, lpn, (struct page_entry){ to, old.mask | sectors });
	across_entry_moved(f, io, across_entry_page(a, lpn));
}

static void fold_area(struct ftl *f, struct io *io, uint32_t index, unsigned stream, enum cause cause)
{
	struct across *a = f->state;
	struct across_area area = a->areas.area[index];
	struct folding fold = { stream, cause, area.ppn, OP_NONE };

	fold.area_read = flash_read(io, area.ppn, across_area_sectors(&area), cause, OP_NONE);
	fold_into(f, io, &fold, area.anchor, area.left);
	fold_into(f, io, &fold, area.anchor + 1, area.right);
	across_drop(f, index);
	across_entry_moved(f, io, a->page_table_pages + index / a->area_entries);
	a->count.gc_rollbacks++;
}

void across_empty(struct ftl *f, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	const struct across *a = f->state;
	const struct space *s = a->page.store->space;

	if (across_settings(f)->gc_rollback)
		for (uint32_t i = 0; i < s->lives; i++) {
			owner_t owner = flash_owner(f->flash, s->live[i]);

			if (owner != OWNER_NONE && owner >= a->area_base &&
				can_fold(f, &a->areas.area[owner - a->area_base], victim))
				fold_area(f, io, owner - a->area_base, stream, cause);
		}
	collector_move(a->page.store->collector, io, victim, stream, cause);
}
