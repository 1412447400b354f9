#include "ftl/store.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Each plane needs its reserve, an open block and a victim.  Mapping pages fill blocks beside the open one.
 * An FTL that packs cannot use the rest of a block of mapping pages, nor one page of each plane.  `pooled`,
 * `bad`: blocks of each plane that are always SLC blocks, or never used.
 */
static bool store_check_room(const struct geometry *g, const struct store_plan *plan, uint32_t kept,
	uint32_t pooled, uint32_t bad, struct fault *fault)
{
	uint32_t block_row = g->planes * g->pages_per_block, map_pages = plan->map_pages;
	uint32_t whole_rows = map_pages / block_row * block_row;
	double beside = !map_pages ? 0 : plan->packs ? (double)map_pages + g->planes : (double)whole_rows;
	double spare = ((double)g->pages - g->logical_pages - beside) / g->planes / g->pages_per_block -
		       pooled - bad;
	char pool[48] = "", broken[48] = "";

	if (spare >= kept + 2)
		return true;
	if (pooled)
		snprintf(pool, sizeof pool, " and %u SLC blocks", pooled);
	if (bad)
		snprintf(broken, sizeof broken, " and %u bad ones", bad);
	return fault_set(fault,
		"flash.over_provisioning leaves %.1f spare blocks in each plane beside %u mapping pages%s%s; "
		"at "
		"least %u are needed to collect garbage: use a larger share or more blocks",
		fmax(0, floor(spare * 10) / 10), map_pages, pool, broken, kept + 2);
}

/* Do the logical pages fit if each unit has `unit_pages` data pages?  `failed`: a die has failed. */
static bool store_fits_beside_parity(const struct store *s, const struct store_plan *plan, uint32_t kept,
	uint32_t unit_pages, bool failed, struct fault *fault)
{
	const struct geometry *units = &s->units.geometry, *device = s->units.device;
	double data = (double)units->blocks * unit_pages, pages = device->pages;
	double needed = device->logical_pages + plan->map_pages + (kept + 2.0) * unit_pages;

	return needed <= data ||
	       fault_set(fault,
		       "parity.on leaves %.0f data pages%s; the host sees %u, and %u units of %u are needed "
		       "to collect garbage: set flash.over_provisioning to %.3f or more",
		       data, failed ? " after parity.fail_at" : "", device->logical_pages, kept + 2,
		       unit_pages, ceil((1 - (data - needed + device->logical_pages) / pages) * 1000) / 1000);
}

static bool store_check_parity(
	const struct store *s, const struct store_plan *plan, uint32_t kept, struct fault *fault)
{
	const struct parity *p = &s->parity;

	return store_fits_beside_parity(s, plan, kept, p->full.pages, false, fault) &&
	       (!p->settings->fail_at || store_fits_beside_parity(s, plan, kept, p->less.pages, true, fault));
}

/* Copies the plan's streams; unless `separate`, survivors stay in their stream.  Returns their number. */
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

/* Blocks that each plane needs beside the reserve, a victim and the open blocks of a drive without these
 * features.  Static wear levelling, folding, each handle and each of the `streams` of an FTL that `divides`
 * data of the host need open blocks of their own; and the host writes to all handles while the plane is
 * low. */
static uint32_t store_kept_blocks(
	const struct ftl_settings *s, bool divides, unsigned streams, const struct geometry *g)
{
	uint32_t more = 0;

	if (divides)
		more = streams - 2;
	else if (handles_are_on(&s->handles))
		more = handles_more_streams(&s->handles) + 1 +
		       (uint32_t)ceil(s->gc.threshold * g->blocks_per_plane);
	return (s->wear.delta > 0) + slc_is_on(&s->slc) + more;
}

/* Adds the streams of an SLC cache; returns the one that fills SLC blocks.  Folded pages have a stream of
 * their own, unless moved and written pages share blocks. */
static unsigned store_add_slc_streams(bool separate, struct stream *streams, unsigned *count)
{
	unsigned slc = (*count)++, fold = STREAM_HOST;

	if (separate) {
		fold = (*count)++;
		streams[fold] = (struct stream){ "fold", .survivors = streams[STREAM_HOST].survivors };
	}
	streams[slc] = (struct stream){ "slc", .survivors = (uint8_t)fold, .slc = true };
	return slc;
}

static void store_create_slc(struct store *s, unsigned stream)
{
	const struct slc_settings *slc = &s->settings->slc;
	const struct geometry *g = s->space->geometry;
	uint32_t most = slc_blocks(slc, g);
	struct blocks *pool = NULL;

	if (slc->mode == SLC_STATIC) {
		pool = blocks_create(s->space->flash, s->blocks->order, NULL);
		if (s->bad.block)
			blocks_have_bad(pool, &s->bad);
		blocks_limit_to_last(pool, most);
	}
	space_have_slc(s->space, (uint32_t)slc->density, pool);
	slc_init(&s->slc, slc, s->collector, stream, s->space->stream[stream].survivors);
}

static enum free_order store_free_order(const struct wear_settings *s)
{
	if (s->lowest)
		return FREE_LOWEST;
	return s->dynamic ? FREE_LEAST_WORN : FREE_OLDEST;
}

/* The geometry that space and collector work with: the drive's, or that of its units.  NULL and a fault. */
static const struct geometry *store_geometry(struct store *s, struct flash *flash, struct fault *fault)
{
	const struct geometry *device = flash->geometry;
	const struct bad_settings *bad = &s->settings->bad;

	if (!bad_init(&s->bad, bad, device, fault))
		return NULL;
	if (!placement_has_units(&s->settings->placement))
		return device;
	units_init(&s->units, device, s->placement.plane, s->placement.position);
	if (s->bad.block && !units_leave_out(&s->units, &s->bad, bad->remap, fault))
		return NULL;
	if (parity_is_on(&s->settings->parity) && !parity_init(&s->parity, &s->settings->parity, &s->units,
							  flash, s->settings->placement.order, fault))
		return NULL;
	return &s->units.geometry;
}

static struct blocks *store_create_blocks(struct store *s, struct flash *flash, uint32_t pooled)
{
	bool units = placement_has_units(&s->settings->placement);
	struct blocks *blocks =
		blocks_create(flash, store_free_order(&s->settings->wear), units ? &s->units : NULL);

	if (s->bad.block && !units)
		blocks_have_bad(blocks, &s->bad);
	blocks_leave_last(blocks, pooled);
	return blocks;
}

bool store_create(struct ftl *f, const struct store_plan *plan, struct fault *fault)
{
	const struct ftl_settings *settings = f->core;
	struct stream streams[STREAMS_MOST] = { 0 };
	uint32_t reserve = plan->reserve ? plan->reserve : 1, pooled = 0, bad, kept;
	unsigned own = store_plan_streams(plan, settings->gc.separate, streams), count = own, slc = 0;
	struct store *s = memory_array(1, sizeof *s, "store");
	const struct geometry *g;

	f->store = s;
	s->settings = settings;
	s->plan = *plan;
	s->parity.dead = INDEX_NONE;
	s->directs = handles_are_on(&settings->handles) || slc_is_on(&settings->slc) || f->ops->stream_of;
	if (!placement_init(&s->placement, f->flash, &settings->placement, fault) ||
		!handles_init(&s->handles, &settings->handles, f->geometry, streams, &count, fault))
		return false;
	g = store_geometry(s, f->flash, fault);
	if (!g)
		return false;
	bad = g == f->geometry ? s->bad.most : 0;
	if (slc_is_on(&settings->slc)) {
		if (!slc_fits(&settings->slc, g, &settings->gc, reserve, bad, fault))
			return false;
		slc = store_add_slc_streams(settings->gc.separate, streams, &count);
		pooled = settings->slc.mode == SLC_STATIC ? slc_blocks(&settings->slc, g) : 0;
	}
	kept = reserve + store_kept_blocks(settings, f->ops->stream_of, own, g);
	if (s->units.parity && !store_check_parity(s, plan, kept, fault))
		return false;
	if (!store_check_room(g, plan, kept, pooled, bad, fault))
		return false;
	s->blocks = store_create_blocks(s, f->flash, pooled);
	s->space = space_create(s->blocks, streams, reserve);
	s->handles.space = s->space;
	s->collector = collector_create(s->space, &settings->gc, &settings->wear, f, &s->plan.client);
	if (slc_is_on(&settings->slc))
		store_create_slc(s, slc);
	if (refresh_is_on(&settings->refresh))
		refresh_init(&s->refresh, &settings->refresh, s->collector);
	return true;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	slc_release(&s->slc);
	refresh_release(&s->refresh);
	collector_free(s->collector);
	space_free(s->space);
	blocks_free(s->blocks);
	placement_release(&s->placement);
	parity_release(&s->parity);
	units_release(&s->units);
	bad_release(&s->bad);
	memory_free(s);
}

/* Takes a page of the plane: with `cached` from the SLC cache, if it has one; else from the stream. */
static ppn_t store_take_in(struct store *s, struct io *io, plane_t plane, unsigned stream, bool cached)
{
	ppn_t ppn = cached ? slc_take(&s->slc, io, plane) : PPN_NONE;

	if (ppn != PPN_NONE || !collector_make_room(s->collector, io, plane, stream))
		return ppn;
	if (cached)
		slc_count_direct(&s->slc, io);
	return space_take(s->space, io, plane, stream, s->collector->collecting);
}

/* Takes a page of *plane, else of the planes after it; PLANE_NONE: placement chooses.  Sets *plane. */
static inline ppn_t store_take_somewhere(
	struct ftl *f, struct io *io, lpn_t lpn, unsigned stream, bool cached, plane_t *plane)
{
	struct store *s = f->store;

	if (*plane == PLANE_NONE)
		*plane = placement_choose(&s->placement, lpn, stream);
	for (plane_t tries = 0; tries < s->space->geometry->planes; tries++) {
		ppn_t ppn = store_take_in(s, io, *plane, stream, cached);

		if (ppn != PPN_NONE)
			return ppn;
		*plane = placement_after(&s->placement, *plane);
	}
	f->failed = true;
	return PPN_NONE;
}

/* For data of the host, if handles, the FTL or an SLC cache decide where it goes. */
static ppn_t store_take_directed(struct ftl *f, struct io *io, lpn_t lpn, plane_t *plane)
{
	struct store *s = f->store;
	uint8_t handle = handles_of_page(&s->handles, lpn, io->handle);
	unsigned stream = f->ops->stream_of ? f->ops->stream_of(f, io, lpn) : s->handles.host[handle];
	ppn_t ppn =
		store_take_somewhere(f, io, lpn, stream, slc_is_on(&s->settings->slc) && io->cached, plane);

	if (ppn != PPN_NONE)
		handles_count_page(&s->handles, io, handle);
	return ppn;
}

ppn_t store_take_from(struct ftl *f, struct io *io, lpn_t lpn, unsigned stream, plane_t *plane)
{
	return f->store->directs && stream == STREAM_HOST
		       ? store_take_directed(f, io, lpn, plane)
		       : store_take_somewhere(f, io, lpn, stream, false, plane);
}

ppn_t store_take(struct ftl *f, struct io *io, lpn_t lpn, unsigned stream)
{
	plane_t plane = PLANE_NONE;

	return store_take_from(f, io, lpn, stream, &plane);
}

plane_t store_make_room(struct ftl *f, struct io *io, lpn_t lpn, unsigned stream)
{
	struct store *s = f->store;
	plane_t plane = placement_choose(&s->placement, lpn, stream);

	for (plane_t tries = 0; tries < s->space->geometry->planes; tries++) {
		if (collector_make_room(s->collector, io, plane, stream))
			return plane;
		plane = placement_after(&s->placement, plane);
	}
	f->failed = true;
	return PLANE_NONE;
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

void store_lose_die(struct ftl *f, struct io *io)
{
	struct store *s = f->store;

	collector_finish(s->collector, io, 0); /* its copies need room in the open units, which end now */
	space_lose_die(s->space, io);
	collector_count_pages(s->collector);
	for (block_t b = 0; refresh_is_on(&s->settings->refresh) && b < s->space->geometry->blocks; b++)
		refresh_closed(&s->refresh, b);
	if (s->settings->parity.rebuild == REBUILD_ALL)
		collector_rebuild(s->collector, io);
}

/* Extra live pages that one request may need temporarily. */
#define SPARE_MARGIN 4

int64_t store_spare_pages(const struct store *s)
{
	const struct geometry *g = s->space->geometry;
	uint32_t kept = s->space->reserve + 1 + s->settings->gc.separate + (s->settings->wear.delta != 0) +
			g->blocks_per_plane - s->blocks->count + (s->blocks->bad ? s->bad.most : 0);

	return (int64_t)g->pages - g->logical_pages - (int64_t)g->planes * kept * g->pages_per_block -
	       SPARE_MARGIN;
}

void store_facts(const struct store *s, struct ftl_facts *facts)
{
	facts->live_pages = space_live_pages(s->space);
	facts->free_blocks = blocks_left_in_all(s->blocks);
	facts->retired_blocks = s->blocks->retired;
}

/* ---- for pictures ---- */

uint32_t store_tag_columns(const struct store *s)
{
	if (handles_are_on(&s->settings->handles))
		return 2;
	return slc_is_on(&s->settings->slc);
}

void store_tag(const struct store *s, block_t block, char tag[STORE_TAG])
{
	const struct space *space = s->space;
	block_t b = space->units ? units_unit(space->units, geometry_first_page(space->units->device, block))
				 : block;
	int handle;

	*tag = 0;
	if (b == BLOCK_NONE || space->block[b].state == BLOCK_FREE || space->block[b].state == BLOCK_RETIRED)
		return;
	handle = handles_of_stream(&s->handles, space->block[b].stream);
	if (space_stream(space, b)->slc)
		memcpy(tag, "s", 2);
	else if (handle >= 0)
		memcpy(tag, (char[STORE_TAG]){ '@', (char)('0' + handle) }, STORE_TAG);
}

/* After loading: if a die had failed, planes have fewer pages. */
static bool store_restored(void *store)
{
	struct store *s = store;

	if (parity_has_failed(&s->parity))
		collector_count_pages(s->collector);
	return true;
}

const struct state_row store_state[] = {
	STATE_FIXED(settings, plan, blocks, units, bad, handles, directs),
	STATE_STRUCT(struct store, parity, parity_state),
	STATE_POINTER(struct store, space, space_state),
	STATE_POINTER(struct store, collector, collector_state),
	STATE_RESTORED(store_restored),
	STATE_STRUCT(struct store, placement, placement_state),
	STATE_STRUCT(struct store, slc, slc_state),
	STATE_STRUCT(struct store, refresh, refresh_state),
	{ 0 },
};

void store_check(const struct store *s)
{
	space_check(s->space);
	collector_check(s->collector);
	if (slc_is_on(&s->settings->slc))
		slc_check(&s->slc);
	if (refresh_is_on(&s->settings->refresh))
		refresh_check(&s->refresh);
}
