/*
 * Refresh: blocks whose data is old or was read often are moved before they become unreadable.
 *
 * A block is due when it has been sensed refresh.reads times since its erase, or was opened refresh.days ago;
 * an open block only once it is full.  Each plane has a list of its due blocks.  Before each request the
 * first of each plane's list, up to refresh.per_request, are refreshed: room is made as for a page, live
 * pages move to the stream of their survivors, and the block is erased.  The request's operations queue
 * behind this work.  When the drive is idle, ftl/ refreshes blocks ahead.
 *
 * A block that is collected meanwhile is no longer due; a begun one is finished by the collector.  Blocks in
 * SLC mode are never due.  A unit is due as soon as one of its blocks is.
 */
#include "gc/tools/tool.h"

#include "base/list.h"
#include "base/memory.h"
#include "flash/retry.h"
#include "flash/schedule.h"

#include <math.h>

struct refresh_settings {
	uint64_t reads, per_request;
	double days;
};

struct refresh_statistics {
	uint64_t blocks, due_reads, due_age, postponed;
};

/* The list that a block is in: none, that of opened blocks, or that of due blocks, for one of two reasons. */
enum refresh_place { REFRESH_NOWHERE, REFRESH_OPENED, REFRESH_READ_OFTEN, REFRESH_OLD };

struct refresh {
	const struct refresh_settings *settings;
	struct collector *collector;
	struct space *space;
	struct retry *retry;
	/* Per block, and behind them the heads of each plane's two lists: opened blocks, in the order of
	 * being opened, and due blocks.  A block is in at most one of them. */
	struct link *link;
	uint8_t *place; /* per block: enum refresh_place */
	int64_t age_ns; /* age from which a block is due; 0: none is due by age */
	struct refresh_statistics count;
};

#define REFRESH(type, field) PARAM(type, struct refresh_settings, field)

static const struct param refresh_params[] = {
	{ REFRESH(UINT, reads), 0, 1e12, "senses", "0",
		"senses of a block since its erase after which its data is moved; 0 = any number",
		.stateless = true, .switches = true },
	{ REFRESH(REAL, days), 0, 36500, "days", "0",
		"days after which a block's data is moved, counted from when the block was opened; 0 = "
		"never",
		.stateless = true, .switches = true },
	{ REFRESH(UINT, per_request), 0, 1e6, "blocks", "1",
		"that each plane refreshes in front of a request, at most", .stateless = true },
	{ 0 },
};

static bool refresh_is_on(const void *settings)
{
	const struct refresh_settings *s = settings;

	return s->reads || s->days > 0;
}

static void refresh_wants(const void *settings, struct tool_wants *wants)
{
	(void)settings;
	wants->history = true;
}

static struct array_field refresh_links(const struct refresh *r)
{
	return ARRAY_ELEMENTS(r->link);
}

static uint32_t refresh_head(const struct refresh *r, plane_t plane, enum refresh_place place)
{
	return r->space->geometry->blocks + 2 * plane + (place != REFRESH_OPENED);
}

static void refresh_remove(struct refresh *r, block_t b)
{
	if (r->place[b] != REFRESH_NOWHERE)
		list_remove(refresh_links(r), b);
	r->place[b] = REFRESH_NOWHERE;
}

static void refresh_append(struct refresh *r, block_t b, enum refresh_place place)
{
	refresh_remove(r, b);
	list_append(refresh_links(r), refresh_head(r, geometry_plane(r->space->geometry, b), place), b);
	r->place[b] = (uint8_t)place;
}

/* ---- what is due ---- */

/* Full, and not being emptied. */
static bool refresh_may_move(const struct refresh *r, block_t b)
{
	return r->space->block[b].state == BLOCK_CLOSED && b != r->space->victim;
}

/* Has the block, or one of the unit, been sensed refresh.reads times? */
static bool refresh_was_read(const struct refresh *r, block_t b)
{
	bool often = false;

	for (uint32_t i = 0; i < space_parts(r->space); i++)
		often |= r->retry->block[space_part(r->space, b, i)].senses >= r->settings->reads;
	return often;
}

/* The block may have closed (a unit perhaps before its blocks were full): it is due if it was sensed
 * refresh.reads times. */
static void refresh_closed(struct refresh *r, block_t b)
{
	if (r->settings->reads && r->place[b] == REFRESH_OPENED && refresh_may_move(r, b) &&
		refresh_was_read(r, b))
		refresh_append(r, b, REFRESH_READ_OFTEN);
}

static void refresh_hear(void *context, block_t block, enum retry_event event)
{
	struct refresh *r = context;
	ppn_t first = geometry_first_page(r->retry->geometry, block);
	block_t b = space_block_of(r->space, first);

	switch (event) {
	case RETRY_OPENED:
		if (r->place[b] == REFRESH_NOWHERE && !flash_is_slc(r->space->flash, block))
			refresh_append(r, b, REFRESH_OPENED);
		break;
	case RETRY_ERASED:
		refresh_remove(r, b);
		break;
	case RETRY_FILLED:
		refresh_closed(r, b);
		break;
	default:
		if (!r->settings->reads || r->retry->block[block].senses < r->settings->reads ||
			r->place[b] != REFRESH_OPENED || !refresh_may_move(r, b))
			break;
		refresh_append(r, b, REFRESH_READ_OFTEN);
	}
}

/* The first block of a unit is the one that was opened first. */
static bool refresh_is_old(const struct refresh *r, block_t b)
{
	ppn_t first = space_page(r->space, b, 0);

	return retry_age(r->retry, geometry_block(r->retry->geometry, first)) >= r->age_ns;
}

static void refresh_look_at(struct refresh *r, plane_t p)
{
	uint32_t head = refresh_head(r, p, REFRESH_OPENED), next;

	for (uint32_t b = r->link[head].next; b != head && refresh_is_old(r, b); b = next) {
		next = r->link[b].next;
		if (refresh_may_move(r, b))
			refresh_append(r, b, REFRESH_OLD);
	}
}

/* Time has passed: finds the blocks that are due by their age. */
static void refresh_look(struct refresh *r)
{
	for (plane_t p = 0; r->age_ns && p < r->space->geometry->planes; p++)
		refresh_look_at(r, p);
}

/* Before the first request: blocks with data count as opened in the order of their numbers. */
static void refresh_begin(struct refresh *r)
{
	const struct space *s = r->space;

	for (block_t b = 0; b < s->geometry->blocks; b++) {
		block_t first = geometry_block(r->retry->geometry, space_page(s, b, 0));

		if (flash_next_page(s->flash, first) && !flash_is_slc(s->flash, first))
			refresh_append(r, b, REFRESH_OPENED);
	}
}

/* ---- moving it ---- */

static bool refresh_is_due(const struct refresh *r, block_t b)
{
	return r->place[b] > REFRESH_OPENED;
}

/* Refreshes the first due block of the plane, unless making room collects it.  False: none is due, or there
 * is no room. */
static bool refresh_next(struct refresh *r, struct io *io, plane_t p)
{
	struct space *s = r->space;
	uint32_t head = refresh_head(r, p, REFRESH_OLD), b = r->link[head].next;
	unsigned stream;
	bool old;

	if (b == head)
		return false;
	stream = space_stream(s, b)->survivors;
	collector_finish(r->collector, io, p);
	if (refresh_is_due(r, b) && !collector_make_room(r->collector, io, p, stream)) {
		r->count.postponed++;
		return false;
	}
	if (!refresh_is_due(r, b)) /* it was collected */
		return true;
	if (!collector_has_room(r->collector, b)) {
		r->count.postponed++;
		return false;
	}
	schedule_note(s->flash->schedule, "refreshed block %u: %u of its pages live", b, s->block[b].valid);
	old = r->place[b] == REFRESH_OLD;
	collector_clear(r->collector, io, b, stream, CAUSE_REFRESH);
	r->count.blocks++;
	*(old ? &r->count.due_age : &r->count.due_reads) += 1;
	return true;
}

static void refresh_enter(struct tool *t, struct io *io, const struct request *request, bool first)
{
	struct refresh *r = t->state;

	(void)request;
	if (first)
		refresh_begin(r);
	refresh_look(r);
	for (plane_t p = 0; p < r->space->geometry->planes; p++)
		for (uint64_t n = r->settings->per_request; n && refresh_next(r, io, p); n--)
			;
}

static void refresh_round(struct tool *t)
{
	flash_pass_time(t->space->flash);
	refresh_look(t->state);
}

static bool refresh_idle(struct tool *t, struct io *io, plane_t p, uint32_t pages, uint64_t *moved)
{
	struct refresh *r = t->state;
	uint64_t handed_out = r->space->handed_out, blocks = r->count.blocks;

	(void)pages;
	while (r->count.blocks == blocks)
		if (!refresh_next(r, io, p))
			return false;
	*moved = r->space->handed_out - handed_out;
	return true;
}

/* ---- made, saved, reported ---- */

static void refresh_init(struct tool *t)
{
	const struct refresh_settings *settings = t->settings;
	struct refresh *r = t->state;
	struct space *s = t->space;
	const struct geometry *g = s->geometry;

	*r = (struct refresh){ .settings = settings,
		.collector = t->collector,
		.space = s,
		.retry = s->flash->retry,
		.age_ns = llround(settings->days * 86400e9) };
	r->link = memory_array((size_t)g->blocks + 2 * g->planes, sizeof *r->link, "refresh");
	r->place = memory_array(g->blocks, sizeof *r->place, "refresh");
	for (uint32_t i = g->blocks; i < g->blocks + 2 * g->planes; i++)
		list_init(refresh_links(r), i);
	r->retry->listener = (struct retry_listener){ r, refresh_hear };
}

static void refresh_exit(struct tool *t)
{
	struct refresh *r = t->state;

	memory_free(r->link);
	memory_free(r->place);
}

/* A die has failed: the block may have ended early. */
static void refresh_hear_of_space(struct tool *t, block_t b, enum block_event event)
{
	if (event == BLOCK_CUT)
		refresh_closed(t->state, b);
}

static const struct state_row refresh_state[] = {
	STATE_FIXED(settings, collector, space, retry, age_ns),
	STATE_COUNTED(count),
	STATE_OF_RUN,
	STATE_NUMBERS(struct refresh, link),
	STATE_NUMBERS(struct refresh, place),
	{ 0 },
};

static void refresh_check(const struct tool *t)
{
	const struct refresh *r = t->state;
	const struct geometry *g = r->space->geometry;
	uint32_t found = 0, placed = 0;

	for (block_t b = 0; b < g->blocks; b++)
		placed += r->place[b] != REFRESH_NOWHERE;
	for (plane_t p = 0; p < g->planes; p++)
		for (int due = 0; due < 2; due++) {
			uint32_t head = refresh_head(r, p, due ? REFRESH_OLD : REFRESH_OPENED);
			uint32_t n = list_length(refresh_links(r), head, g->blocks);

			found += n;
			for (uint32_t b = r->link[head].next; n--; b = r->link[b].next)
				BUG_ON(b >= g->blocks || !r->place[b] || refresh_is_due(r, b) != due ||
						geometry_plane(g, b) != p,
					"block %u is in a list of plane %u for refresh", b, p);
		}
	BUG_ON(found != placed, "%u blocks are in lists for refresh, %u should be", found, placed);
}

#define COUNT(name)         STAT_COUNT, offsetof(struct refresh_statistics, name)
#define OF_REFRESHES(field) STAT_COUNT, offsetof(struct flash, field[CAUSE_REFRESH])

static const struct stat_row refresh_rows[] = {
	{ "refresh.blocks", "blocks", "whose live pages were moved because they were old or read often",
		COUNT(blocks) },
	{ "refresh.due_reads", "blocks", "of these due by senses (refresh.reads)", COUNT(due_reads) },
	{ "refresh.due_age", "blocks", "of these due by age (refresh.days)", COUNT(due_age) },
	{ "refresh.postponed", "", "attempts that found no room for the live pages", COUNT(postponed) },
	{ 0 },
};

static const struct stat_row refresh_flash_rows[] = {
	{ "flash.read.refresh", "pages", "of blocks that were refreshed", OF_REFRESHES(count[OP_READ]) },
	{ "flash.read.forwarded.refresh", "pages", "", OF_REFRESHES(forwarded) },
	{ "flash.program.refresh", "pages", "", OF_REFRESHES(count[OP_PROGRAM]) },
	{ "flash.copy.refresh", "pages", "", OF_REFRESHES(count[OP_COPY]) },
	{ "flash.erase.refresh", "blocks", "", OF_REFRESHES(count[OP_ERASE]) },
	{ 0 },
};

static void refresh_statistics(struct tool *t, struct stat_list *list)
{
	struct refresh *r = t->state;

	stat_list_add(list, (struct stat_group){ "refresh", NULL, refresh_rows, &r->count, sizeof r->count });
	stat_list_add(list, (struct stat_group){ NULL, NULL, refresh_flash_rows, r->space->flash });
}

static const struct refusal refresh_refusals[] = {
	{ "refresh.reads", "refresh.reads!=0", "ftl", "@collects_nothing",
		NEEDS_COLLECTION("refresh needs") },
	{ "refresh.days", "refresh.days!=0", "ftl", "@collects_nothing", NEEDS_COLLECTION("refresh needs") },
	{ 0 },
};

const struct store_tool tool_refresh = {
	.name = "refresh",
	.params = refresh_params,
	.settings_size = sizeof(struct refresh_settings),
	.stateless = true,
	.refusals = refresh_refusals,
	.size = sizeof(struct refresh),
	.state = refresh_state,
	.is_on = refresh_is_on,
	.wants = refresh_wants,
	.init = refresh_init,
	.exit = refresh_exit,
	.enter = refresh_enter,
	.heard = refresh_hear_of_space,
	.round = refresh_round,
	.idle = refresh_idle,
	.check = refresh_check,
	.statistics = refresh_statistics,
};
