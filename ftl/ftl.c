#include "ftl/ftl.h"

#include "base/memory.h"

#define FTL(name) extern const struct ftl_ops ftl_##name;
#include "ftl/list.h"
#undef FTL

const struct ftl_ops *const ftls[] = {
#define FTL(name) &ftl_##name,
#include "ftl/list.h"
#undef FTL
	NULL,
};

/* A missing operation is our bug, and better named now than crashed into later. */
static void check_ops(const struct ftl_ops *ops)
{
	BUG_ON(!ops->name || !ops->brief || !ops->size, "an FTL without name, brief or state");
	BUG_ON(!ops->init || !ops->exit || !ops->read || !ops->write || !ops->trim ||
			(!ops->relocate && !ops->empty) || !ops->check || !ops->regions || !ops->map_bytes,
		"FTL %s lacks a required operation", ops->name);
}

/* Every plane needs its reserve, a block being filled by each stream, and something to collect. */
static bool check_room(const struct geometry *g, uint32_t reserve, struct fault *fault)
{
	double spare = (double)(g->pages - g->logical_pages) / g->planes / g->pages_per_block;

	if (spare >= reserve + 2)
		return true;
	return fault_set(fault,
		"flash.over_provisioning leaves %.1f spare blocks in each plane; at least %u are "
		"needed to collect garbage: use a larger share or more blocks",
		spare, reserve + 2);
}

/* One block is enough for the live pages of any victim. */
static uint32_t reserve_of(const struct ftl_ops *ops)
{
	return ops->reserved_blocks ? ops->reserved_blocks : 1;
}

static void relocate(void *ftl, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct ftl *f = ftl;

	f->ops->relocate(f, io, owner, from, to);
}

static void empty(void *ftl, struct io *io, block_t victim, enum stream stream, enum cause cause)
{
	struct ftl *f = ftl;

	f->ops->empty(f, io, victim, stream, cause);
}

static block_t last_resort(void *ftl, plane_t plane)
{
	struct ftl *f = ftl;

	return f->ops->last_resort(f, plane);
}

static void expect(void *ftl, owner_t owner)
{
	const struct ftl *f = ftl;

	if (owner < f->geometry->logical_pages)
		f->ops->expect(f, owner);
}

struct ftl *ftl_create(const struct ftl_ops *ops, const void *own_settings,
	const struct ftl_settings *settings, struct flash *flash, struct fault *fault)
{
	struct ftl *f;

	check_ops(ops);
	/* Static wear levelling fills a block of its own. */
	if (!check_room(flash->geometry, reserve_of(ops) + (settings->wear.delta > 0), fault))
		return NULL;
	f = memory_array(1, sizeof *f, "FTL");
	f->ops = ops;
	f->settings = own_settings;
	f->geometry = flash->geometry;
	f->flash = flash;
	f->map_settings = &settings->map;
	f->state = memory_array(1, ops->size, "FTL state");
	f->space =
		space_create(flash, settings->wear.dynamic ? FREE_LEAST_WORN : FREE_OLDEST, reserve_of(ops));
	f->collector = collector_create(f->space, &settings->gc, &settings->wear,
		(struct collector_client){ f, relocate, ops->empty ? empty : NULL,
			ops->last_resort ? last_resort : NULL, ops->expect ? expect : NULL });
	if (placement_init(&f->placement, flash, &settings->placement, fault)) {
		if (ops->init(f, fault))
			return f;
		placement_release(&f->placement);
	}
	collector_free(f->collector);
	space_free(f->space);
	memory_free(f->state);
	memory_free(f);
	return NULL;
}

void ftl_free(struct ftl *f)
{
	if (!f)
		return;
	f->ops->exit(f);
	placement_release(&f->placement);
	collector_free(f->collector);
	space_free(f->space);
	memory_free(f->state);
	memory_free(f);
}

ppn_t ftl_allocate(struct ftl *f, struct io *io, lpn_t lpn, enum stream stream)
{
	plane_t plane = placement_choose(&f->placement, lpn);

	for (plane_t tries = 0; tries < f->geometry->planes; tries++) {
		if (collector_make_room(f->collector, io, plane, stream))
			return space_take(f->space, plane, stream, f->collector->collecting);
		plane = placement_after(&f->placement, plane);
	}
	f->failed = true;
	return PPN_NONE;
}

void ftl_regions(struct ftl *f, struct regions *r)
{
	flash_regions(f->flash, r);
	space_regions(f->space, r);
	collector_regions(f->collector, r);
	placement_regions(&f->placement, r);
	f->ops->regions(f, r);
}

void ftl_check(const struct ftl *f)
{
	space_check(f->space);
	f->ops->check(f);
	flash_check_books(f->flash);
}
