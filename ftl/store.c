#include "ftl/store.h"

#include "base/memory.h"

#include <math.h>

/*
 * Each plane needs its reserve, an open block and a victim.  Mapping pages fill blocks beside the open one.
 * An FTL that packs cannot use the rest of a block of mapping pages, nor one page of each plane.
 */
static bool store_check_room(
	const struct geometry *g, const struct store_plan *plan, uint32_t reserve, struct fault *fault)
{
	uint32_t block_row = g->planes * g->pages_per_block, map_pages = plan->map_pages;
	uint32_t whole_rows = map_pages / block_row * block_row;
	double beside = !map_pages ? 0 : plan->packs ? (double)map_pages + g->planes : (double)whole_rows;
	double spare = ((double)(g->pages - g->logical_pages) - beside) / g->planes / g->pages_per_block;

	if (spare >= reserve + 2)
		return true;
	return fault_set(fault,
		"flash.over_provisioning leaves %.1f spare blocks in each plane beside %u mapping pages; at "
		"least %u are needed to collect garbage: use a larger share or more blocks",
		fmax(0, floor(spare * 10) / 10), map_pages, reserve + 2);
}

/* The plan's streams under gc.separate.  Returns their number. */
static unsigned store_plan_streams(const struct store_plan *plan, bool separate, struct stream *streams)
{
	unsigned i = 0;

	for (; plan->streams[i].name; i++) {
		streams[i] = plan->streams[i];
		if (!separate)
			streams[i].survivors = (uint8_t)i;
	}
	return i;
}

/* Blocks of each plane beside the reserve, a victim and the open blocks of a drive without these features:
 * static wear levelling and each handle have open blocks of their own, and handles are all written while the
 * plane is low. */
static uint32_t store_kept_blocks(const struct ftl_settings *s, const struct geometry *g)
{
	uint32_t handles = 0;

	if (handles_are_on(&s->handles))
		handles = handles_more_streams(&s->handles) + 1 +
			  (uint32_t)ceil(s->gc.threshold * g->blocks_per_plane);
	return (s->wear.delta > 0) + handles;
}

static enum free_order store_free_order(const struct wear_settings *s)
{
	if (s->lowest)
		return FREE_LOWEST;
	return s->dynamic ? FREE_LEAST_WORN : FREE_OLDEST;
}

/* The geometry in which space and collector count. */
static const struct geometry *store_geometry(struct store *s, const struct geometry *device)
{
	if (!placement_has_units(&s->settings->placement))
		return device;
	units_init(&s->units, device, s->placement.plane, s->placement.position);
	return &s->units.geometry;
}

bool store_create(struct ftl *f, const struct store_plan *plan, struct fault *fault)
{
	const struct ftl_settings *settings = f->core;
	struct stream streams[STREAMS_MOST] = { 0 };
	uint32_t reserve = plan->reserve ? plan->reserve : 1;
	unsigned count = store_plan_streams(plan, settings->gc.separate, streams);
	struct store *s = memory_array(1, sizeof *s, "store");
	const struct geometry *g;

	f->store = s;
	s->settings = settings;
	s->plan = *plan;
	if (!placement_init(&s->placement, f->flash, &settings->placement, fault) ||
		!handles_init(&s->handles, &settings->handles, f->geometry, streams, &count, fault))
		return false;
	g = store_geometry(s, f->geometry);
	if (!store_check_room(g, plan, reserve + store_kept_blocks(settings, g), fault))
		return false;
	s->blocks = blocks_create(f->flash, store_free_order(&settings->wear),
		placement_has_units(&settings->placement) ? &s->units : NULL);
	s->space = space_create(s->blocks, streams, reserve);
	s->handles.space = s->space;
	s->collector = collector_create(s->space, &settings->gc, &settings->wear, f, &s->plan.client);
	return true;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	collector_free(s->collector);
	space_free(s->space);
	blocks_free(s->blocks);
	placement_release(&s->placement);
	memory_free(s);
}

ppn_t store_take(struct ftl *f, struct io *io, lpn_t lpn, unsigned stream)
{
	struct store *s = f->store;
	bool host = stream == STREAM_HOST && handles_are_on(s->handles.settings);
	uint8_t handle = host ? handles_of_page(&s->handles, lpn, io->handle) : 0;
	plane_t plane;

	if (host)
		stream = s->handles.host[handle];
	plane = placement_choose(&s->placement, lpn, stream);
	for (plane_t tries = 0; tries < s->space->geometry->planes; tries++) {
		if (collector_make_room(s->collector, io, plane, stream)) {
			if (host)
				handles_count_page(&s->handles, io, handle);
			return space_take(s->space, plane, stream, s->collector->collecting);
		}
		plane = placement_after(&s->placement, plane);
	}
	f->failed = true;
	return PPN_NONE;
}

bool store_collect(struct store *s, struct io *io)
{
	const struct space_plane *plane = s->space->plane;
	plane_t planes = s->space->geometry->planes;
	bool *tried = memory_array(planes, sizeof *tried, "planes");
	bool done = false;

	for (plane_t tries = 0; tries < planes && !done; tries++) {
		plane_t fullest = PLANE_NONE;

		for (plane_t p = 0; p < planes; p++)
			if (!tried[p] &&
				(fullest == PLANE_NONE || plane[p].free_pages < plane[fullest].free_pages))
				fullest = p;
		tried[fullest] = true;
		done = collector_collect(s->collector, io, fullest);
	}
	memory_free(tried);
	return done;
}

/* Extra live pages that one request may need for a moment. */
#define SPARE_MARGIN 4

int64_t store_spare_pages(const struct store *s)
{
	const struct geometry *g = s->space->geometry;
	uint32_t kept = s->space->reserve + 1 + s->settings->gc.separate + (s->settings->wear.delta != 0);

	return (int64_t)g->pages - g->logical_pages - (int64_t)g->planes * kept * g->pages_per_block -
	       SPARE_MARGIN;
}

void store_facts(const struct store *s, struct ftl_facts *facts)
{
	facts->live_pages = space_live_pages(s->space);
	facts->free_blocks = blocks_left_in_all(s->blocks);
	facts->retired_blocks = s->blocks->retired;
}

const struct state_row store_state[] = {
	STATE_FIXED(settings, plan, blocks, units, handles),
	STATE_POINTER(struct store, space, space_state),
	STATE_POINTER(struct store, collector, collector_state),
	STATE_STRUCT(struct store, placement, placement_state),
	{ 0 },
};

void store_check(const struct store *s)
{
	space_check(s->space);
	collector_check(s->collector);
}
