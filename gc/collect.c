#include "gc/collect.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/schedule.h"
#include "gc/tools/tool.h"

#include <math.h>

void collector_count_pages(struct collector *c)
{
	const struct gc_settings *s = c->settings;
	double pages = c->space->plane_pages;

	c->low_water = s->low ? 0 : (uint32_t)ceil(s->threshold * pages);
	c->high_water = (uint32_t)fmin(ceil((s->threshold + s->hysteresis) * pages), pages);
	c->soft_water = (uint32_t)fmax(ceil(s->soft * pages), c->low_water);
}

struct collector *collector_create(struct space *space, const struct gc_settings *settings, struct ftl *ftl,
	const struct collector_client *client)
{
	static const struct tools none;
	struct collector *c = memory_array(1, sizeof *c, "collector");
	struct gc_policy *policy = &c->policy;

	c->space = space;
	c->flash = space->flash;
	c->settings = settings;
	c->tools = &none;
	c->ftl = ftl;
	c->client = client;
	collector_count_pages(c);
	c->rate = (uint64_t)(settings->copies_per_write * 1e6 + 0.5);
	if (c->rate)
		c->credit = memory_array(space->geometry->planes, sizeof *c->credit, "collection ahead");
	c->looks = settings->low || c->rate;

	if (client->by_owner)
		c->order =
			memory_array(space->geometry->pages_per_block, sizeof *c->order, "order of copies");

	policy->ops = settings->brought ? settings->brought : gc_policies[settings->policy];
	policy->state = memory_array(1, policy->ops->size, "victim index");
	policy->space = space;
	policy->settings = settings;
	random_init(&policy->random, settings->seed, 0x6763);
	if (policy->ops->ages)
		space_keep_ages(space);
	policy->ops->init(policy);
	space->index = (struct space_index){ policy, policy->ops->add, policy->ops->changed,
		policy->ops->remove, policy->link };
	return c;
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	c->policy.ops->exit(&c->policy);
	memory_free(c->policy.state);
	memory_free(c->credit);
	memory_free(c->order);
	memory_free(c);
}

/* Prefetches the entries that are going to change: they are anywhere in memory. */
static void collector_prefetch(const struct collector *c)
{
	const struct space *s = c->space;

	for (uint32_t i = 0; i < s->victim_pages; i++) {
		owner_t owner = flash_owner(c->flash, s->victim_page[i]);

		if (owner != OWNER_NONE)
			c->client->prefetch(c->ftl, owner, PREFETCH_ENTRY);
	}
}

/* Into a page that was taken for it. */
static inline void collector_move_to(
	struct collector *c, struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	owner_t owner = flash_owner(c->flash, from);

	flash_move(io, from, to, cause);
	space_moved_away(c->space, from);
	c->client->relocate(c->ftl, io, owner, from, to);
}

void collector_move_page(struct collector *c, struct io *io, ppn_t from, unsigned stream, enum cause cause)
{
	struct space *s = c->space;
	plane_t plane = geometry_plane(s->geometry, space_block_of(s, from));
	ppn_t to = space_take(s, io, plane, stream, false);

	BUG_ON(to == PPN_NONE, "plane %u has no free page for live page %u", plane, from);
	collector_move_to(c, io, from, to, cause);
}

static void collector_move_some(
	struct collector *c, struct io *io, block_t victim, unsigned stream, enum cause cause, uint32_t most)
{
	struct space *s = c->space;
	plane_t plane = geometry_plane(s->geometry, victim);

	if (c->client->prefetch)
		collector_prefetch(c);
	for (uint32_t i = 0; i < s->victim_pages && most; i++) {
		ppn_t from = s->victim_page[i], to;
		owner_t owner = flash_owner(c->flash, from);

		if (owner == OWNER_NONE)
			continue;
		if (c->client->stream_of)
			stream = c->client->stream_of(c->ftl, owner, s->block[victim].stream);
		to = space_take(s, io, plane, stream, true);
		BUG_ON(to == PPN_NONE, "plane %u has no free page for the live pages of block %u", plane,
			victim);
		collector_move_to(c, io, from, to, cause);
		most--;
	}
	BUG_ON(most && s->block[victim].valid, "block %u counts %u more live pages than it has", victim,
		s->block[victim].valid);
}

void collector_move(struct collector *c, struct io *io, block_t victim, unsigned stream, enum cause cause)
{
	collector_move_some(c, io, victim, stream, cause, UINT32_MAX);
}

uint64_t collector_reclaim(
	struct collector *c, struct io *io, block_t victim, unsigned stream, enum cause cause, uint32_t most)
{
	uint64_t handed_out = c->space->handed_out;
	bool data = !space_stream(c->space, victim)->map;

	c->collecting = true;
	space_begin_victim(c->space, victim);
	if (c->order)
		space_sort_victim(c->space, c->order);
	if (c->client->empty && data)
		c->client->empty(c->ftl, io, victim, stream, cause);
	else
		collector_move_some(c, io, victim, stream, cause, most);
	handed_out = c->space->handed_out - handed_out;
	if (!c->space->block[victim].valid) {
		if (c->client->emptied && data)
			c->client->emptied(c->ftl, io, victim);
		space_erase(c->space, io, victim, cause);
	}
	c->collecting = false;
	space_end_victim(c->space);
	return handed_out;
}

static void collector_tell_tools(struct collector *c, struct io *io, plane_t plane)
{
	TOOLS_WITH (t, c->tools, collected)
		t->ops->collected(t, io, plane);
}

static bool collector_ask_tools(struct collector *c, struct io *io, plane_t plane)
{
	TOOLS_WITH (t, c->tools, make_room)
		if (t->ops->make_room(t, io, plane))
			return true;
	return false;
}

uint64_t collector_room_for_copies(const struct space *s, plane_t plane, unsigned stream)
{
	const struct open_block *open = &s->plane[plane].open[stream];
	uint64_t pages = s->block_pages;

	return blocks_left(s->blocks, plane) * pages + (open->block == BLOCK_NONE ? 0 : pages - open->next);
}

/* The block to collect, or BLOCK_NONE.  `pressed`: the plane cannot be written without a collection, so the
 * FTL's last resort is tried, too. */
static block_t collector_choose_victim(struct collector *c, plane_t plane, bool pressed)
{
	block_t victim = c->policy.ops->pick(&c->policy, plane);

	if (victim == BLOCK_NONE)
		return pressed && c->client->last_resort ? c->client->last_resort(c->ftl, plane) : BLOCK_NONE;
	BUG_ON(c->space->block[victim].state != BLOCK_CLOSED ||
			!(c->policy.useless_victims || gc_reclaimable(&c->policy, victim)),
		"%s picks block %u: state %u, %u live pages", c->policy.ops->name, victim,
		c->space->block[victim].state, c->space->block[victim].valid);
	return victim;
}

bool collector_has_room(const struct collector *c, block_t victim)
{
	const struct space *s = c->space;
	plane_t plane = geometry_plane(s->geometry, victim);
	uint32_t moves[STREAMS_MOST] = { 0 }, pages = s->geometry->pages_per_block, blocks = 0;

	if (!c->client->stream_of)
		return space_live(s, victim) <=
		       collector_room_for_copies(s, plane, space_stream(s, victim)->survivors);
	for (uint32_t k = 0; k < pages; k++) {
		owner_t owner = flash_owner(c->flash, space_page(s, victim, k));

		if (owner != OWNER_NONE)
			moves[c->client->stream_of(c->ftl, owner, s->block[victim].stream)]++;
	}
	for (unsigned stream = 0; stream < s->streams; stream++) {
		const struct open_block *open = &s->plane[plane].open[stream];
		uint32_t room = open->block == BLOCK_NONE ? 0 : pages - open->next;

		if (moves[stream] > room)
			blocks += (moves[stream] - room + pages - 1) / pages;
	}
	return blocks <= blocks_left(s->blocks, plane);
}

/* Chooses a victim whose live pages have room in the plane; BLOCK_NONE: there is none. */
static block_t collector_begin(struct collector *c, plane_t plane, bool pressed)
{
	struct space *s = c->space;
	block_t victim = collector_choose_victim(c, plane, pressed);

	if (victim == BLOCK_NONE || !collector_has_room(c, victim))
		return BLOCK_NONE;
	c->policy.useless_victims -= c->policy.useless_victims && !gc_reclaimable(&c->policy, victim);
	if (s->layout)
		schedule_note(c->flash->schedule,
			"%u of %u pages are free: %s takes unit %u, %u of its %u pages live",
			s->plane[plane].free_pages, s->geometry->pages, c->policy.ops->name, victim,
			s->block[victim].valid, s->geometry->pages_per_block);
	else
		schedule_note(c->flash->schedule,
			"plane %u has %u of %u pages free: %s takes block %u, %u of its %u pages live", plane,
			s->plane[plane].free_pages, s->geometry->pages_per_plane, c->policy.ops->name, victim,
			s->block[victim].valid, s->geometry->pages_per_block);
	return victim;
}

/* Continues with the plane's begun victim, or selects one: moves up to `most` of its live pages, and erases
 * it once none is left.  False: no block of the plane can be reclaimed. */
static bool collector_advance(
	struct collector *c, struct io *io, plane_t plane, bool pressed, uint32_t most, uint64_t *moved)
{
	struct space *s = c->space;
	struct gc_statistics *count = collector_count(c, io);
	bool chosen = s->plane[plane].begun == BLOCK_NONE, map;
	block_t victim = chosen ? collector_begin(c, plane, pressed) : s->plane[plane].begun;
	unsigned stream;

	if (victim == BLOCK_NONE)
		return false;
	stream = s->block[victim].stream;
	map = s->stream[stream].map;
	count->direct_erases += chosen && space_live(s, victim) == 0;
	*moved = collector_reclaim(
		c, io, victim, s->stream[stream].survivors, map ? CAUSE_GC_MAP : CAUSE_GC, most);
	*(map ? &count->map_moved_pages : &count->moved_pages) += *moved;
	s->count[stream].moved += *moved;
	if (s->plane[plane].begun != BLOCK_NONE)
		return true;
	count->collections++;
	count->map_erases += map;
	collector_tell_tools(c, io, plane);
	return true;
}

/* Pages that a step may move: a whole victim if the FTL has work to do when it is emptied. */
static uint32_t collector_step_pages(const struct collector *c, uint32_t pages)
{
	return c->client->emptied ? UINT32_MAX : pages;
}

/* Collects one victim, or finishes the one begun. */
static bool collector_collect_one(struct collector *c, struct io *io, plane_t plane, bool pressed)
{
	uint64_t moved;

	return collector_advance(c, io, plane, pressed, UINT32_MAX, &moved);
}

/* Sets a limit on victims that free nothing, so that collection ends with gc.strict, too. */
static void collector_reset_useless_victims(struct collector *c)
{
	c->policy.useless_victims = c->settings->strict ? c->space->geometry->blocks_per_plane : 0;
}

bool collector_collect(struct collector *c, struct io *io, plane_t plane)
{
	collector_reset_useless_victims(c);
	return collector_collect_one(c, io, plane, false);
}

void collector_keep_free(struct collector *c, uint32_t pages)
{
	uint32_t *water[] = { &c->low_water, &c->high_water, &c->soft_water };

	for (unsigned i = 0; i < 3; i++)
		*water[i] = *water[i] > pages ? *water[i] : pages + 1;
}

void collector_expect_steps(struct collector *c)
{
	c->looks = true;
}

bool collector_step(struct collector *c, struct io *io, plane_t plane, uint32_t pages, uint64_t *moved)
{
	struct space_plane *p = &c->space->plane[plane];

	if (p->begun == BLOCK_NONE && p->free_pages >= c->soft_water)
		return false;
	c->policy.useless_victims = 0;
	return collector_advance(c, io, plane, false, collector_step_pages(c, pages), moved);
}

/* Adds the credit for a page of the host, and makes a step of as many copies as the credit allows. */
static void collector_pay(struct collector *c, struct io *io, plane_t plane)
{
	int64_t *credit = &c->credit[plane];
	uint64_t moved = 0;

	*credit += (int64_t)c->rate;
	if (*credit < 1000000)
		return;
	if (!collector_step(c, io, plane, (uint32_t)(*credit / 1000000), &moved))
		*credit = 0;
	*credit -= (int64_t)moved * 1000000;
	collector_count(c, io)->rate_pages += moved;
}

bool collector_can_spare(const struct collector *c, plane_t plane, unsigned stream, uint32_t pages)
{
	const struct space *s = c->space;
	block_t victim = s->plane[plane].begun;

	return victim == BLOCK_NONE || space_stream(s, victim)->survivors != stream ||
	       collector_room_for_copies(s, plane, stream) >= (uint64_t)space_live(s, victim) + pages;
}

/* Would a page of the stream take room that the begun victim needs for its remaining pages? */
static bool collector_lacks_room(const struct collector *c, plane_t plane, unsigned stream)
{
	const struct space *s = c->space;
	block_t victim = s->plane[plane].begun;

	return victim != BLOCK_NONE && space_stream(s, victim)->survivors == stream &&
	       collector_room_for_copies(s, plane, stream) <= space_live(s, victim);
}

/* Begins a victim of the plane, unless it has one, without moving a page yet.  False: no victim. */
static bool collector_mark_victim(struct collector *c, struct io *io, plane_t plane)
{
	block_t victim;

	if (c->space->plane[plane].begun != BLOCK_NONE)
		return true;
	victim = collector_begin(c, plane, false);
	if (victim == BLOCK_NONE)
		return false;
	collector_count(c, io)->direct_erases += space_live(c->space, victim) == 0;
	space_mark_begun(c->space, victim);
	return true;
}

/* With `stream_of`, one block after the other: moving the pages of one may change the streams of the next
 * one's pages, and so whether they have room. */
static uint32_t collector_collect_die_apart(struct collector *c, struct io *io, plane_t plane)
{
	const struct geometry *g = c->space->geometry;
	plane_t first = plane - plane % g->planes_per_die;
	uint32_t victims = collector_collect_one(c, io, plane, false);

	for (plane_t p = first; victims && p < first + g->planes_per_die; p++)
		if (p != plane && c->space->plane[p].free_pages < c->low_water + g->pages_per_block)
			victims += collector_collect_one(c, io, p, false);
	return victims;
}

/* Collects a block of the plane, and one of each other plane of its die that has a begun victim or will be
 * low after another block is filled: a page of each in turn, this plane first.  Returns the number of
 * blocks. */
static uint32_t collector_collect_die(struct collector *c, struct io *io, plane_t plane)
{
	const struct geometry *g = c->space->geometry;
	struct space_plane *of = &c->space->plane[plane - plane % g->planes_per_die];
	plane_t first = plane - plane % g->planes_per_die, own = plane - first;
	uint32_t victims = 0, left;
	uint64_t moved;

	if (c->client->stream_of)
		return collector_collect_die_apart(c, io, plane);
	if (!collector_mark_victim(c, io, plane))
		return 0;
	for (plane_t p = 0; p < g->planes_per_die; p++)
		victims +=
			of[p].begun != BLOCK_NONE || (of[p].free_pages < c->low_water + g->pages_per_block &&
							     collector_mark_victim(c, io, first + p));
	for (left = victims; left;)
		for (plane_t i = 0; i <= g->planes_per_die; i++) {
			plane_t p = i ? i - 1 : own; /* this plane, then the others */

			if ((i && p == own) || of[p].begun == BLOCK_NONE)
				continue;
			collector_advance(c, io, first + p, false, collector_step_pages(c, 1), &moved);
			left -= of[p].begun == BLOCK_NONE;
		}
	return victims;
}

/* Makes room: finishes the begun victim, else has a tool make some, else collects.  `low`:
 * the plane is below gc.threshold; then, with gc.together = die, collects planes of its die together. */
static bool collector_make_some_room(
	struct collector *c, struct io *io, plane_t plane, bool low, bool pressed)
{
	uint32_t blocks;

	if (c->space->plane[plane].begun == BLOCK_NONE && collector_ask_tools(c, io, plane))
		return true;
	if (low && c->settings->together == GC_DIE)
		blocks = collector_collect_die(c, io, plane);
	else
		blocks = collector_collect_one(c, io, plane, pressed);
	collector_count(c, io)->forced += blocks;
	return blocks;
}

static void collector_force(struct collector *c, struct io *io, plane_t plane)
{
	while (collector_make_some_room(c, io, plane, true, false))
		if (c->high_water == c->low_water || c->space->plane[plane].free_pages >= c->high_water)
			break;
}

/* Collects while the stream needs a block and fewer than gc.low are free. */
static void collector_force_blocks(struct collector *c, struct io *io, plane_t plane, unsigned stream)
{
	const struct space *s = c->space;

	while (s->plane[plane].open[stream].block == BLOCK_NONE &&
		blocks_left(s->blocks, plane) < c->settings->low &&
		collector_make_some_room(c, io, plane, false, false))
		;
}

/* Is the page for the host, and is the plane between gc.threshold and gc.soft? */
static bool collector_is_paid(const struct collector *c, const struct io *io, plane_t plane, unsigned stream)
{
	return c->rate && c->space->stream[stream].host && io->timed && !collector_is_low(c, plane) &&
	       c->space->plane[plane].free_pages < c->soft_water;
}

/* Notes that these blocks were collected for one page. */
static void collector_count_row(struct collector *c, uint64_t blocks)
{
	if (blocks < 2)
		return;
	c->rows.pages++;
	c->rows.most = blocks > c->rows.most ? blocks : c->rows.most;
}

/* Collects until the stream can get a page without the reserve.  False: no block can be reclaimed. */
static bool collector_free_block(struct collector *c, struct io *io, plane_t plane, unsigned stream)
{
	do
		if (!collector_make_some_room(c, io, plane, false, true))
			return false;
	while (!space_has_page(c->space, plane, stream, false) || collector_lacks_room(c, plane, stream));
	return true;
}

bool collector_make_room_now(struct collector *c, struct io *io, plane_t plane, unsigned stream)
{
	uint64_t before = c->count.forced;
	bool found;

	if (c->collecting)
		return space_has_page(c->space, plane, stream, true);
	c->policy.stream = stream;
	collector_reset_useless_victims(c);
	if (collector_is_paid(c, io, plane, stream))
		collector_pay(c, io, plane);
	else if (collector_is_low(c, plane))
		collector_force(c, io, plane);
	if (c->settings->low)
		collector_force_blocks(c, io, plane, stream);
	if (space_has_page(c->space, plane, stream, false) && !collector_lacks_room(c, plane, stream))
		return true;
	found = collector_free_block(c, io, plane, stream);
	collector_count_row(c, c->count.forced - before);
	return found;
}

void collector_finish(struct collector *c, struct io *io, plane_t plane)
{
	if (c->space->plane[plane].begun != BLOCK_NONE)
		collector_collect_one(c, io, plane, false);
}

void collector_clear(struct collector *c, struct io *io, block_t b, unsigned stream, enum cause cause)
{
	collector_reclaim(c, io, b, stream, cause, UINT32_MAX);
	collector_tell_tools(c, io, geometry_plane(c->space->geometry, b));
}

static const struct state_row *collector_policy_state(const void *policy)
{
	return ((const struct gc_policy *)policy)->ops->state;
}

static const struct state_row collector_gc_state[] = {
	STATE_FIXED(ops, space, link, settings),
	STATE_SCRATCH(stream, useless_victims),
	STATE_CHOSEN(struct gc_policy, state, collector_policy_state),
	STATE_NUMBER(struct gc_policy, random),
	{ 0 },
};

const struct state_row collector_state[] = {
	STATE_FIXED(
		space, flash, settings, ftl, client, tools, low_water, high_water, soft_water, looks, rate),
	STATE_SCRATCH(collecting, order),
	STATE_COUNTED(count, uncounted, rows),
	STATE_STRUCT(struct collector, policy, collector_gc_state),
	STATE_OF_RUN,
	STATE_NUMBERS(struct collector, credit),
	{ 0 },
};
