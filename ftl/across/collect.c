/*
 * Collection of areas with the option gc_rollback: an area whose two normal pages are in the same victim is
 * rolled back into them, so that two pages are programmed instead of three copied.
 */
#include "ftl/across/across.h"

/* The normal page of `lpn` holds data, in the victim. */
static bool across_is_in(const struct ftl *f, block_t victim, lpn_t lpn)
{
	struct page_entry entry = page_map_get(&across_of(f)->map, lpn);

	return entry.mask && space_block_of(f->store->space, entry.ppn) == victim;
}

/* Areas that the request being served has looked up must not change. */
static bool across_can_fold(const struct ftl *f, const struct across_area *area, block_t victim)
{
	const struct across *a = f->state;
	bool guarded = area->anchor >= a->guard_first && area->anchor <= a->guard_last;

	return !guarded && area->left && area->right && across_is_in(f, victim, area->anchor) &&
	       across_is_in(f, victim, area->anchor + 1);
}

struct across_folding {
	unsigned stream;
	enum cause cause;
	ppn_t area_page;
	op_t area_read;
};

/* Writes the normal page again, with the area's sectors in it. */
static void across_fold_into(
	struct ftl *f, struct io *io, const struct across_folding *fold, lpn_t lpn, mask_t sectors)
{
	struct across *a = f->state;
	struct page_entry old = page_map_get(&a->map, lpn);
	struct space *space = f->store->space;
	plane_t plane = geometry_plane(space->geometry, space_block_of(space, old.ppn));
	mask_t kept = old.mask & ~sectors;
	ppn_t to = space_take(space, io, plane, fold->stream, true);
	struct deps d = { .count = 0 };

	BUG_ON(to == PPN_NONE, "plane %u has no free page to fold LPN %u into", plane, lpn);
	if (kept)
		deps_add(&d, flash_read(io, old.ppn, mask_sectors(kept), fold->cause, OP_NONE));
	deps_add(&d, fold->area_read);
	deps_program(io, to, lpn, mask_sectors(old.mask | sectors), fold->cause, &d);
	pages_hold_kept(io, to, old.ppn, lpn, kept);
	pages_hold_kept(io, to, fold->area_page, lpn, sectors);
	page_replace(f, lpn, old, (struct page_entry){ to, old.mask | sectors });
	across_entry_moved(f, io, across_entry_page(a, lpn));
}

static void across_fold_area(struct ftl *f, struct io *io, uint32_t index, unsigned stream, enum cause cause)
{
	struct across *a = f->state;
	struct across_area area = a->areas.area[index];
	struct across_folding fold = { stream, cause, area.ppn, OP_NONE };

	fold.area_read = flash_read(io, area.ppn, across_area_sectors(&area), cause, OP_NONE);
	across_fold_into(f, io, &fold, area.anchor, area.left);
	across_fold_into(f, io, &fold, area.anchor + 1, area.right);
	across_drop(f, index);
	across_entry_moved(f, io, across_area_page(a, index));
	a->count.gc_rollbacks++;
}

void across_empty(struct ftl *f, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	const struct across *a = f->state;
	const struct space *s = f->store->space;

	if (across_settings(f)->gc_rollback)
		for (uint32_t i = 0; i < s->victim_pages; i++) {
			owner_t owner = flash_owner(f->flash, s->victim_page[i]);

			if (owner != OWNER_NONE && owner >= a->area_base &&
				across_can_fold(f, &a->areas.area[owner - a->area_base], victim))
				across_fold_area(f, io, owner - a->area_base, stream, cause);
		}
	collector_move(f->store->collector, io, victim, stream, cause);
}
