#include "gc/space/space.h"

#include "base/fault.h"
#include "base/memory.h"

#include <stdlib.h>

struct space *space_create(
	struct blocks *blocks, struct layout *layout, const struct stream *streams, uint32_t reserve)
{
	const struct geometry *g = blocks->geometry;
	struct space *s = memory_array(1, sizeof *s, "space");

	s->geometry = g;
	s->layout = layout;
	s->flash = blocks->flash;
	s->blocks = blocks;
	s->reserve = reserve;
	s->victim = BLOCK_NONE;
	for (; streams[s->streams].name; s->streams++)
		s->stream[s->streams] = streams[s->streams];
	s->stream[STREAM_HOST].host = true;
	s->block = memory_array(g->blocks, sizeof *s->block, "block states");
	s->victim_page = memory_array(g->pages_per_block, sizeof *s->victim_page, "live pages");
	s->plane = memory_array(g->planes, sizeof *s->plane, "plane states");
	s->block_pages = g->pages_per_block;
	s->plane_pages = blocks->count * g->pages_per_block;
	for (block_t b = 0; b < g->blocks; b++)
		if (blocks_are_bad(blocks, b))
			s->block[b].state = BLOCK_RETIRED;
	for (plane_t p = 0; p < g->planes; p++) {
		s->plane[p].free_pages = blocks_left(blocks, p) * g->pages_per_block;
		s->plane[p].begun = BLOCK_NONE;
		for (unsigned stream = 0; stream < STREAMS_MOST; stream++)
			s->plane[p].open[stream].block = BLOCK_NONE;
	}
	return s;
}

void space_keep_ages(struct space *s)
{
	s->stamp = memory_array(s->geometry->blocks, sizeof *s->stamp, "block ages");
}

void space_use_slots(struct space *s, uint32_t shift)
{
	s->slot_shift = shift;
	s->dead_slots = memory_array(s->geometry->blocks, sizeof *s->dead_slots, "slots of blocks");
}

void space_free(struct space *s)
{
	if (!s)
		return;
	blocks_free(s->pool);
	memory_free(s->block);
	memory_free(s->stamp);
	memory_free(s->dead_slots);
	memory_free(s->victim_page);
	memory_free(s->plane);
	memory_free(s);
}

/* ---- opening and closing ---- */

static block_t space_find_free(struct space *s, plane_t p, const struct stream *for_stream)
{
	if (for_stream->apart && s->pool)
		return blocks_take(s->pool, p);
	if (for_stream->apart)
		s->plane[p].free_pages -= s->geometry->pages_per_block;
	return for_stream->worn ? blocks_take_most_worn(s->blocks, p) : blocks_take(s->blocks, p);
}

void space_open(struct space *s, plane_t p, unsigned stream)
{
	block_t b = space_find_free(s, p, &s->stream[stream]);

	BUG_ON(s->block[b].state != BLOCK_FREE || s->block[b].valid,
		"block %u is opened in state %u with %u live pages", b, s->block[b].state, s->block[b].valid);
	s->block[b].state = BLOCK_OPEN;
	s->block[b].stream = stream;
	s->plane[p].open[stream] = (struct open_block){ b, 0 };
	s->count[stream].opened++;
	space_tell(s, b, BLOCK_OPENED);
}

void space_close(struct space *s, plane_t p, unsigned stream)
{
	block_t b = s->plane[p].open[stream].block;

	s->block[b].state = BLOCK_CLOSED;
	if (s->stamp)
		s->stamp[b] = s->handed_out;
	s->plane[p].open[stream].block = BLOCK_NONE;
	if (s->index.add)
		s->index.add(s->index.policy, b);
	space_tell(s, b, BLOCK_FILLED);
}

ppn_t space_take_apart(struct space *s, plane_t p, unsigned stream)
{
	struct open_block *open = &s->plane[p].open[stream];
	ppn_t ppn = space_page(s, open->block, open->next++);

	s->block[open->block].valid++;
	s->handed_out++;
	if (open->next == s->stream[stream].pages) {
		s->block[open->block].state = BLOCK_CACHED;
		open->block = BLOCK_NONE;
	}
	return ppn;
}

void space_pad(struct space *s, struct io *io, plane_t p, unsigned stream, uint32_t pages)
{
	struct open_block *open = &s->plane[p].open[stream];

	for (; pages && open->block != BLOCK_NONE; pages--) {
		flash_pad(io, space_page(s, open->block, open->next++));
		s->plane[p].free_pages--;
		space_handed_out(s, io, open);
		if (open->next == s->block_pages)
			space_close(s, p, stream);
	}
}

void space_resize(struct space *s)
{
	s->block_pages = s->layout->block_pages;
	s->plane_pages = s->blocks->count * s->block_pages;
}

/* Branch-free: which pages of a victim are live is random and would be mispredicted. */
void space_begin_victim(struct space *s, block_t b)
{
	uint32_t pages = space_pages(s, b), live = 0;
	const struct layout *layout = s->layout;
	const owner_t *owner = s->flash->owner;
	ppn_t *page = s->victim_page, first = geometry_first_page(s->geometry, b);

	for (uint32_t k = 0; !layout && k < pages; k++) {
		page[live] = first + k;
		live += owner[first + k] != OWNER_NONE;
	}
	for (uint32_t k = 0; layout && k < pages; k++) {
		page[live] = layout->ops->page(layout, b, k);
		live += owner[page[live]] != OWNER_NONE;
	}
	s->victim = b;
	s->victim_pages = live;
}

static int space_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Owners are unique, so the page number in the low half does not affect the order. */
void space_sort_victim(struct space *s, uint64_t *order)
{
	for (uint32_t i = 0; i < s->victim_pages; i++)
		order[i] = (uint64_t)flash_owner(s->flash, s->victim_page[i]) << 32 | s->victim_page[i];
	qsort(order, s->victim_pages, sizeof *order, space_compare);
	for (uint32_t i = 0; i < s->victim_pages; i++)
		s->victim_page[i] = (ppn_t)order[i];
}

void space_mark_begun(struct space *s, block_t b)
{
	if (s->index.remove)
		s->index.remove(s->index.policy, b);
	s->block[b].state = BLOCK_BEGUN;
	s->plane[geometry_plane(s->geometry, b)].begun = b;
}

void space_end_victim(struct space *s)
{
	if (s->block[s->victim].state == BLOCK_CLOSED)
		space_mark_begun(s, s->victim);
	s->victim = BLOCK_NONE;
	s->victim_pages = 0;
}

static void space_tell_index(struct space *s, block_t b)
{
	if (s->block[b].state == BLOCK_CLOSED && b != s->victim && s->index.changed)
		s->index.changed(s->index.policy, b);
}

void space_moved_away(struct space *s, ppn_t from)
{
	block_t b = space_block_of(s, from);

	BUG_ON(!s->block[b].valid, "page %u dies in block %u, which has no live page", from, b);
	s->block[b].valid--;
	space_tell_index(s, b);
}

void space_set_dead_slots(struct space *s, block_t b, uint32_t slots)
{
	uint32_t live = space_live(s, b);

	s->dead_slots[b] = slots;
	if (space_live(s, b) != live)
		space_tell_index(s, b);
}

void space_release(struct space *s, ppn_t ppn)
{
	BUG_ON(flash_owner(s->flash, ppn) == OWNER_NONE, "page %u dies twice", ppn);
	flash_disown(s->flash, ppn);
	s->count[s->block[space_block_of(s, ppn)].stream].died++;
	space_moved_away(s, ppn);
}

void space_erase(struct space *s, struct io *io, block_t b, enum cause cause)
{
	const struct geometry *g = s->geometry;
	plane_t p = geometry_plane(g, b);
	bool pooled = s->pool && blocks_manage(s->pool, b);
	enum block_state state = s->block[b].state;

	BUG_ON((state != BLOCK_CLOSED && state != BLOCK_BEGUN && state != BLOCK_CACHED) || s->block[b].valid,
		"block %u is erased in state %u with %u live pages", b, state, s->block[b].valid);
	if (state == BLOCK_BEGUN)
		s->plane[p].begun = BLOCK_NONE;
	else if (state == BLOCK_CLOSED && s->index.remove)
		s->index.remove(s->index.policy, b);
	if (!blocks_give(pooled ? s->pool : s->blocks, io, b, cause)) {
		s->block[b].state = BLOCK_RETIRED;
		space_tell(s, b, BLOCK_ERASED);
		return;
	}
	s->block[b].state = BLOCK_FREE;
	if (!pooled)
		s->plane[p].free_pages += s->block_pages;
	if (s->layout && s->layout->ops->freed)
		s->layout->ops->freed(s->layout, b);
	space_tell(s, b, BLOCK_ERASED);
}

static const struct state_row space_open_block_state[] = {
	STATE_NUMBER(struct open_block, block),
	STATE_NUMBER(struct open_block, next),
	{ 0 },
};

static const struct state_row space_plane_state[] = {
	STATE_STRUCTS(struct space_plane, open, space_open_block_state),
	STATE_NUMBER(struct space_plane, free_pages),
	STATE_NUMBER(struct space_plane, begun),
	{ 0 },
};

const struct state_row space_state[] = {
	STATE_REBUILT(block_pages, plane_pages),
	STATE_FIXED(geometry, layout, flash, index, listener, stream, streams, slot_shift, reserve),
	STATE_SCRATCH(victim, victim_page, victim_pages),
	STATE_POINTER(struct space, blocks, blocks_state),
	STATE_POINTER(struct space, pool, blocks_state),
	STATE_NUMBERS(struct space, block),
	STATE_NUMBERS(struct space, stamp),
	STATE_NUMBERS(struct space, dead_slots),
	STATE_ARRAY(struct space, plane, space_plane_state),
	STATE_NUMBER(struct space, handed_out),
	STATE_OF_RUN,
	STATE_NUMBER(struct space, count),
	{ 0 },
};

/* ---- invariants ---- */

static void space_check_block(const struct space *s, block_t b)
{
	uint32_t live = 0, used = blocks_programmed(s->blocks, b);

	for (uint32_t k = 0; k < used; k++)
		live += flash_owner(s->flash, space_page(s, b, k)) != OWNER_NONE;
	BUG_ON(live != s->block[b].valid, "block %u has %u live pages, %u are counted", b, live,
		s->block[b].valid);
	BUG_ON(space_dead_slots(s, b) && space_dead_slots(s, b) >= live << s->slot_shift,
		"%u live pages of block %u have %u slots without data", live, b, space_dead_slots(s, b));
	BUG_ON((s->block[b].state == BLOCK_FREE || s->block[b].state == BLOCK_RETIRED) && used,
		"block %u is out of use with %u pages programmed", b, used);
	BUG_ON(s->stamp && s->stamp[b] > s->handed_out,
		"block %u was closed after the last page was handed out", b);
	BUG_ON((s->block[b].state == BLOCK_CLOSED || s->block[b].state == BLOCK_BEGUN ||
		       s->block[b].state == BLOCK_CACHED) &&
			used != space_pages(s, b),
		"block %u is closed with %u of %u pages programmed", b, used, space_pages(s, b));
}

uint64_t space_live_pages(const struct space *s)
{
	uint64_t pages = 0;

	for (block_t b = 0; b < s->geometry->blocks; b++)
		pages += s->block[b].valid;
	return pages;
}

/* Each open block belongs to one stream of the plane. */
static void space_check_open(const struct space *s, plane_t p, uint32_t open_blocks)
{
	for (unsigned stream = 0; stream < s->streams; stream++) {
		const struct open_block *open = &s->plane[p].open[stream];

		if (open->block == BLOCK_NONE)
			continue;
		BUG_ON(geometry_plane(s->geometry, open->block) != p ||
				s->block[open->block].state != BLOCK_OPEN ||
				s->block[open->block].stream != stream,
			"stream %u of plane %u has block %u open, which is not its own", stream, p,
			open->block);
		BUG_ON(open->next != blocks_programmed(s->blocks, open->block) ||
				open->next >= s->block_pages,
			"page %u of the open block %u is next, %u are programmed", open->next, open->block,
			blocks_programmed(s->blocks, open->block));
		open_blocks--;
	}
	BUG_ON(open_blocks, "%u open blocks of plane %u belong to no stream", open_blocks, p);
}

static void space_check_plane(const struct space *s, plane_t p)
{
	const struct geometry *g = s->geometry;
	block_t first = p * g->blocks_per_plane;
	uint32_t free_pages = 0, in_state[BLOCK_RETIRED + 1] = { 0 }, free_blocks, retired;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		space_check_block(s, b);
		in_state[s->block[b].state]++;
		if ((s->block[b].state == BLOCK_FREE && blocks_manage(s->blocks, b)) ||
			(s->block[b].state == BLOCK_OPEN && !space_stream(s, b)->apart))
			free_pages += s->block_pages - blocks_programmed(s->blocks, b);
	}
	free_blocks = blocks_left(s->blocks, p) + (s->pool ? blocks_left(s->pool, p) : 0);
	retired = s->blocks->plane[p].retired + (s->pool ? s->pool->plane[p].retired : 0) +
		  bad_of_plane(s->blocks->bad, p);
	BUG_ON(in_state[BLOCK_FREE] != free_blocks || in_state[BLOCK_RETIRED] != retired,
		"plane %u has %u free and %u retired blocks, %u and %u are listed", p, in_state[BLOCK_FREE],
		in_state[BLOCK_RETIRED], free_blocks, retired);
	BUG_ON(in_state[BLOCK_BEGUN] != (s->plane[p].begun != BLOCK_NONE) ||
			(s->plane[p].begun != BLOCK_NONE && s->block[s->plane[p].begun].state != BLOCK_BEGUN),
		"plane %u has begun the collection of %u blocks; block %u is noted", p, in_state[BLOCK_BEGUN],
		s->plane[p].begun);
	BUG_ON(free_pages != s->plane[p].free_pages, "plane %u has %u free pages, %u are counted", p,
		free_pages, s->plane[p].free_pages);
	space_check_open(s, p, in_state[BLOCK_OPEN]);
}

void space_check(const struct space *s)
{
	blocks_check(s->blocks);
	if (s->pool)
		blocks_check(s->pool);
	for (plane_t p = 0; p < s->geometry->planes; p++)
		space_check_plane(s, p);
	if (s->layout && s->layout->ops->check)
		s->layout->ops->check(s->layout);
}
