#include "gc/refresh.h"

#include "base/memory.h"
#include "flash/schedule.h"

#include <math.h>

#define REFRESH(type, field) PARAM(type, struct refresh_settings, field)

const struct param refresh_params[] = {
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
	const struct units *units = r->space->units;
	plane_t planes = units ? units->device->planes : 1;
	bool often = false;

	for (plane_t i = 0; i < planes; i++)
		often |= r->retry->block[units ? units_block(units, b, i) : b].senses >= r->settings->reads;
	return often;
}

void refresh_closed(struct refresh *r, block_t b)
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

void refresh_look(struct refresh *r)
{
	for (plane_t p = 0; r->age_ns && p < r->space->geometry->planes; p++)
		refresh_look_at(r, p);
}

void refresh_begin(struct refresh *r)
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

void refresh_before_request(struct refresh *r, struct io *io)
{
	refresh_look(r);
	for (plane_t p = 0; p < r->space->geometry->planes; p++)
		for (uint64_t n = r->settings->per_request; n && refresh_next(r, io, p); n--)
			;
}

bool refresh_idle(struct refresh *r, struct io *io, plane_t p, uint64_t *moved)
{
	uint64_t handed_out = r->space->handed_out, blocks = r->count.blocks;

	while (r->count.blocks == blocks)
		if (!refresh_next(r, io, p))
			return false;
	*moved = r->space->handed_out - handed_out;
	return true;
}

/* ---- made, saved, reported ---- */

void refresh_init(struct refresh *r, const struct refresh_settings *settings, struct collector *collector)
{
	struct space *s = collector->space;
	const struct geometry *g = s->geometry;

	*r = (struct refresh){ .settings = settings,
		.collector = collector,
		.space = s,
		.retry = s->flash->retry,
		.age_ns = llround(settings->days * 86400e9) };
	r->link = memory_array((size_t)g->blocks + 2 * g->planes, sizeof *r->link, "refresh");
	r->place = memory_array(g->blocks, sizeof *r->place, "refresh");
	for (uint32_t i = g->blocks; i < g->blocks + 2 * g->planes; i++)
		list_init(refresh_links(r), i);
	r->retry->listener = (struct retry_listener){ r, refresh_hear };
}

void refresh_release(struct refresh *r)
{
	memory_free(r->link);
	memory_free(r->place);
}

static bool refresh_holds(void *refresh)
{
	const struct refresh *r = refresh;
	uint32_t count = r->space ? r->space->geometry->blocks : 0;

	for (block_t b = 0; b < count; b++)
		if (r->place[b] > REFRESH_OLD)
			return false;
	return true;
}

const struct state_row refresh_state[] = {
	STATE_FIXED(settings, collector, space, retry, age_ns),
	STATE_COUNTED(count),
	STATE_OF_RUN,
	STATE_VALUES(struct refresh, link, LINK, STATE_ITS_COUNT),
	STATE_NUMBERS(struct refresh, place),
	STATE_RESTORED(refresh_holds),
	{ 0 },
};

void refresh_check(const struct refresh *r)
{
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

void refresh_statistics(struct refresh *r, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ "refresh", NULL, refresh_rows, &r->count, sizeof r->count });
	stat_list_add(list, (struct stat_group){ NULL, NULL, refresh_flash_rows, r->space->flash });
}
