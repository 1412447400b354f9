#include "ftl/store.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Each plane needs its reserve, an open block and a victim.  Mapping pages fill blocks beside the open one.
 * An FTL that packs cannot use the rest of a block of mapping pages, nor one page of each plane.
 */
static bool store_check_room(
	const struct tool_needs *needs, const struct store_plan *plan, struct fault *fault)
{
	const struct geometry *g = needs->geometry;
	uint32_t pooled = needs->pool_blocks, bad = needs->bad->most;
	uint32_t needed = needs->reserve + needs->open_blocks + 2, map_pages = plan->map_pages;
	uint32_t block_row = g->planes * g->pages_per_block, whole_rows = map_pages / block_row * block_row;
	double beside = !map_pages ? 0 : plan->packs ? (double)map_pages + g->planes : (double)whole_rows;
	double spare = ((double)g->pages - g->logical_pages - beside) / g->planes / g->pages_per_block -
		       pooled - bad;
	char pool[48] = "", broken[48] = "";

	if (spare >= needed)
		return true;
	if (pooled)
		snprintf(pool, sizeof pool, " and %u SLC blocks", pooled);
	if (bad)
		snprintf(broken, sizeof broken, " and %u bad ones", bad);
	return fault_set(fault,
		"flash.over_provisioning leaves %.1f spare blocks in each plane beside %u mapping pages%s%s; "
		"at "
		"least %u are needed to collect garbage: use a larger share or more blocks",
		fmax(0, floor(spare * 10) / 10), map_pages, pool, broken, needed);
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

/* What the tools find before they claim anything. */
static struct tool_needs store_needs(struct store *s, struct ftl *f, struct stream *streams)
{
	const struct ftl_settings *settings = s->settings;
	const struct store_plan *plan = &s->plan;
	struct tool_needs needs = { .geometry = f->geometry,
		.device = f->geometry,
		.order = settings->placement.order,
		.bad = &bad_none,
		.device_bad = &bad_none,
		.gc = &settings->gc,
		.flash = f->flash,
		.reserve = plan->reserve ? plan->reserve : 1,
		.map_pages = plan->map_pages,
		.streams = streams };

	needs.count = store_plan_streams(plan, settings->gc.separate, streams);
	needs.open_blocks = f->ops->stream_of ? needs.count - 2 : 0;
	if (placement_has_units(&settings->placement)) {
		units_init(&s->units, f->flash, s->placement.plane, s->placement.position);
		needs.units = &s->units;
		needs.layout = &s->units.layout;
		needs.geometry = &s->units.layout.geometry;
	}
	return needs;
}

static void store_make(struct store *s, struct ftl *f, const struct tool_needs *needs)
{
	s->bad = needs->device_bad;
	s->kept_blocks = needs->cold_blocks + needs->bad->most;
	s->blocks = blocks_create(f->flash, tools_wants(s->settings->tool).order, needs->layout, needs->bad);
	blocks_leave_last(s->blocks, needs->pool_blocks);
	s->space = space_create(s->blocks, needs->layout, needs->streams, needs->reserve);
	s->collector = collector_create(s->space, &s->settings->gc, f, &s->plan.client);
	tools_init(&s->tools, s->collector);
}

bool store_create(struct ftl *f, const struct store_plan *plan, struct fault *fault)
{
	struct stream streams[STREAMS_MOST + 1] = { 0 };
	struct store *s = memory_array(1, sizeof *s, "store");
	struct tool_needs needs;

	f->store = s;
	s->settings = f->core;
	s->plan = *plan;
	tools_create(&s->tools, s->settings->tool);
	s->directs = s->tools.directs || f->ops->stream_of;
	if (!placement_init(&s->placement, f->flash, &s->settings->placement, fault))
		return false;
	needs = store_needs(s, f, streams);
	if (!tools_claim(&s->tools, &needs, fault) || !tools_fit(&s->tools, &needs, fault) ||
		!store_check_room(&needs, plan, fault))
		return false;
	store_make(s, f, &needs);
	return true;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	tools_release(&s->tools);
	collector_free(s->collector);
	space_free(s->space);
	blocks_free(s->blocks);
	placement_release(&s->placement);
	units_release(&s->units);
	memory_free(s);
}

/* A page of the plane that a tool has for data of the host, or PPN_NONE. */
static ppn_t store_take_of_tools(struct store *s, struct io *io, plane_t plane)
{
	ppn_t ppn = PPN_NONE;

	TOOLS_WITH (t, &s->tools, page)
		if (ppn == PPN_NONE)
			ppn = t->ops->page(t, io, plane);
	return ppn;
}

static void store_tell_placed(struct store *s, const struct io *io, unsigned stream, bool own)
{
	TOOLS_WITH (t, &s->tools, placed)
		t->ops->placed(t, io, stream, own);
}

/* Takes a page of the plane; `directed`: of a tool, if one has any, else of the stream. */
static ppn_t store_take_in(struct store *s, struct io *io, plane_t plane, unsigned stream, bool directed)
{
	ppn_t ppn = directed ? store_take_of_tools(s, io, plane) : PPN_NONE;

	if (ppn == PPN_NONE && !collector_make_room(s->collector, io, plane, stream))
		return ppn;
	if (directed)
		store_tell_placed(s, io, stream, ppn != PPN_NONE);
	return ppn != PPN_NONE ? ppn : space_take(s->space, io, plane, stream, s->collector->collecting);
}

/* Takes a page of *plane, else of the planes after it, of so many in all.  Sets *plane. */
static ppn_t store_take_of_planes(
	struct ftl *f, struct io *io, unsigned stream, bool directed, plane_t *plane, plane_t planes)
{
	struct store *s = f->store;

	for (; planes; planes--) {
		ppn_t ppn = store_take_in(s, io, *plane, stream, directed);

		if (ppn != PPN_NONE)
			return ppn;
		*plane = placement_after(&s->placement, *plane);
	}
	f->failed = true;
	return PPN_NONE;
}

/* Takes a page of *plane, or of another one if that has none; PLANE_NONE: placement chooses.  Sets *plane. */
static ppn_t store_take_somewhere(
	struct ftl *f, struct io *io, lpn_t lpn, unsigned stream, bool directed, plane_t *plane)
{
	struct store *s = f->store;

	if (*plane == PLANE_NONE)
		*plane = placement_choose(&s->placement, lpn, stream);
	return store_take_of_planes(f, io, stream, directed, plane, s->space->geometry->planes);
}

/* For data of the host, if tools or the FTL decide where it goes. */
static ppn_t store_take_directed(struct ftl *f, struct io *io, lpn_t lpn, plane_t *plane)
{
	struct store *s = f->store;
	unsigned stream = f->ops->stream_of ? f->ops->stream_of(f, io, lpn) : STREAM_HOST;

	TOOLS_WITH (t, &s->tools, stream)
		stream = t->ops->stream(t, io, lpn, stream);
	return store_take_somewhere(f, io, lpn, stream, true, plane);
}

ppn_t store_take_from(struct ftl *f, struct io *io, lpn_t lpn, unsigned stream, plane_t *plane)
{
	return f->store->directs && stream == STREAM_HOST
		       ? store_take_directed(f, io, lpn, plane)
		       : store_take_somewhere(f, io, lpn, stream, false, plane);
}

/* Tries first what nearly always succeeds: nobody directs the page, and the plane that placement chooses has
 * room for it. */
ppn_t store_take(struct ftl *f, struct io *io, lpn_t lpn, unsigned stream)
{
	struct store *s = f->store;
	plane_t plane = PLANE_NONE;

	if (s->directs)
		return store_take_from(f, io, lpn, stream, &plane);
	plane = placement_choose(&s->placement, lpn, stream);
	if (collector_make_room(s->collector, io, plane, stream))
		return space_take(s->space, io, plane, stream, s->collector->collecting);
	plane = placement_after(&s->placement, plane);
	return store_take_of_planes(f, io, stream, false, &plane, s->space->geometry->planes - 1);
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

void store_enter(struct store *s, struct io *io, const struct request *r, bool first)
{
	TOOLS_WITH (t, &s->tools, enter)
		t->ops->enter(t, io, r, first);
}

bool store_knows(const struct store *s, enum request_type type)
{
	return s && s->tools.takes >> type & 1;
}

void store_command(struct store *s, struct io *io, const struct request *r)
{
	TOOLS_WITH (t, &s->tools, command)
		if (t->ops->takes == r->type)
			t->ops->command(t, io, r);
}

bool store_has_labels(const struct store *s)
{
	if (s)
		TOOLS_WITH (t, &s->tools, labels)
			return true;
	return false;
}

struct tool_labels store_labels(const struct store *s, enum request_type type)
{
	struct tool_labels all = { 0 };

	if (s)
		TOOLS_WITH (t, &s->tools, labels) {
			struct tool_labels of = t->ops->labels(t->settings, type);

			all.devices = of.devices > all.devices ? of.devices : all.devices;
			all.hints = of.hints > all.hints ? of.hints : all.hints;
		}
	return all;
}

bool store_is_due(const struct store *s)
{
	bool due = false;

	TOOLS_WITH (t, &s->tools, is_due)
		due |= t->due = t->ops->is_due(t);
	return due;
}

void store_act(struct store *s, struct io *io)
{
	TOOLS_WITH (t, &s->tools, act)
		if (t->due)
			t->ops->act(t, io);
}

/* Extra live pages that one request may need temporarily. */
#define SPARE_MARGIN 4

int64_t store_spare_pages(const struct store *s)
{
	const struct geometry *g = s->space->geometry;
	uint32_t kept = s->space->reserve + 1 + s->settings->gc.separate + s->kept_blocks +
			g->blocks_per_plane - s->blocks->count;

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
	uint32_t columns = 0;

	TOOLS_WITH (t, &s->tools, tag)
		columns = t->ops->tag_columns > columns ? t->ops->tag_columns : columns;
	return columns;
}

void store_tag(const struct store *s, block_t block, char tag[TOOL_TAG])
{
	const struct space *space = s->space;
	block_t b = space_block_of(space, geometry_first_page(space_device(space), block));

	*tag = 0;
	if (b == BLOCK_NONE || space->block[b].state == BLOCK_FREE || space->block[b].state == BLOCK_RETIRED)
		return;
	TOOLS_WITH (t, &s->tools, tag)
		if (t->ops->tag(t, b, tag))
			return;
}

const struct state_row store_state[] = {
	STATE_FIXED(settings, plan, blocks, units, bad, kept_blocks, directs),
	STATE_POINTER(struct store, space, space_state),
	STATE_POINTER(struct store, collector, collector_state),
	STATE_STRUCT(struct store, placement, placement_state),
	STATE_STRUCT(struct store, tools, tools_state),
	{ 0 },
};

void store_check(const struct store *s)
{
	space_check(s->space);
	collector_check(s->collector);
	TOOLS_WITH (t, &s->tools, check)
		t->ops->check(t);
}
