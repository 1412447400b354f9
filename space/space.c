#include "space/space.h"

#include "base/fault.h"
#include "base/memory.h"

/* Cold data has a stream of its own behind the FTL's; cold mapping pages go where mapping pages go. */
static void add_wear_stream(struct space *s)
{
	BUG_ON(s->streams + 1u > STREAMS_MOST,
		"%u streams and one of wear levelling; at most %u are possible", s->streams, STREAMS_MOST);
	s->wear_stream = s->streams++;
	s->stream[s->wear_stream] = (struct stream){ "wear", s->stream[STREAM_HOST].survivors, false };
}

struct space *space_create(struct blocks *blocks, const struct stream *streams, uint32_t reserve)
{
	const struct geometry *g = blocks->geometry;
	struct space *s = memory_array(1, sizeof *s, "block manager");

	s->geometry = g;
	s->flash = blocks->flash;
	s->blocks = blocks;
	s->reserve = reserve;
	s->emptied = BLOCK_NONE;
	for (; streams[s->streams].name; s->streams++)
		s->stream[s->streams] = streams[s->streams];
	add_wear_stream(s);
	s->block = memory_array(g->blocks, sizeof *s->block, "block states");
	s->live = memory_array(g->pages_per_block, sizeof *s->live, "live pages");
	s->plane = memory_array(g->planes, sizeof *s->plane, "plane states");
	for (plane_t p = 0; p < g->planes; p++) {
		s->plane[p].free_pages = g->pages_per_plane;
		for (unsigned stream = 0; stream < STREAMS_MOST; stream++)
			s->plane[p].open[stream].block = BLOCK_NONE;
	}
	return s;
}

void space_keep_ages(struct space *s)
{
	s->stamp = memory_array(s->geometry->blocks, sizeof *s->stamp, "block ages");
}

void space_have_slots(struct space *s, uint32_t shift)
{
	s->slot_shift = shift;
	s->hollow = memory_array(s->geometry->blocks, sizeof *s->hollow, "slots of blocks");
}

void space_free(struct space *s)
{
	if (!s)
		return;
	memory_free(s->block);
	memory_free(s->stamp);
	memory_free(s->hollow);
	memory_free(s->live);
	memory_free(s->plane);
	memory_free(s);
}

/* ---- opening and closing ---- */

void space_open(struct space *s, plane_t p, unsigned stream)
{
	block_t b =
		stream == s->wear_stream ? blocks_take_most_worn(s->blocks, p) : blocks_take(s->blocks, p);

	BUG_ON(s->block[b].state != BLOCK_FREE || s->block[b].valid,
		"block %u is opened in state %u with %u live pages", b, s->block[b].state, s->block[b].valid);
	s->block[b].state = BLOCK_OPEN;
	s->block[b].stream = stream;
	s->plane[p].open[stream] = (struct open_block){ b, 0 };
}

void space_close(struct space *s, plane_t p, unsigned stream)
{
	block_t b = s->plane[p].open[stream].block;

	s->block[b].state = BLOCK_CLOSED;
	if (s->stamp)
		s->stamp[b] = s->handed_out;
	s->plane[p].open[stream].block = BLOCK_NONE;
	if (s->watcher.closed)
		s->watcher.closed(s->watcher.context, b);
}

/* No branch asks whether a page is live: in a victim that is mostly chance, and no processor foresees it. */
void space_begin_emptying(struct space *s, block_t b)
{
	ppn_t first = geometry_first_page(s->geometry, b), end = first + s->geometry->pages_per_block;

	s->emptied = b;
	s->lives = 0;
	for (ppn_t ppn = first; ppn < end; ppn++) {
		s->live[s->lives] = ppn;
		s->lives += flash_owner(s->flash, ppn) != OWNER_NONE;
	}
}

void space_end_emptying(struct space *s)
{
	s->emptied = BLOCK_NONE;
	s->lives = 0;
}

static void tell_dropped(struct space *s, block_t b)
{
	if (s->block[b].state == BLOCK_CLOSED && b != s->emptied && s->watcher.dropped)
		s->watcher.dropped(s->watcher.context, b);
}

void space_moved_away(struct space *s, ppn_t from)
{
	block_t b = geometry_block(s->geometry, from);

	BUG_ON(!s->block[b].valid, "page %u dies in block %u, which has no live page", from, b);
	s->block[b].valid--;
	tell_dropped(s, b);
}

void space_set_hollow(struct space *s, block_t b, uint32_t slots)
{
	uint32_t live = space_live(s, b);

	s->hollow[b] = slots;
	if (space_live(s, b) != live)
		tell_dropped(s, b);
}

void space_release(struct space *s, ppn_t ppn)
{
	BUG_ON(flash_owner(s->flash, ppn) == OWNER_NONE, "page %u dies twice", ppn);
	flash_disown(s->flash, ppn);
	space_moved_away(s, ppn);
}

void space_erase(struct space *s, struct io *io, block_t b, enum cause cause)
{
	const struct geometry *g = s->geometry;
	plane_t p = geometry_plane(g, b);

	BUG_ON(s->block[b].state != BLOCK_CLOSED || s->block[b].valid,
		"block %u is erased in state %u with %u live pages", b, s->block[b].state, s->block[b].valid);
	if (s->watcher.opened)
		s->watcher.opened(s->watcher.context, b);
	if (!blocks_give(s->blocks, io, b, cause)) {
		s->block[b].state = BLOCK_RETIRED;
		return;
	}
	s->block[b].state = BLOCK_FREE;
	s->plane[p].free_pages += g->pages_per_block;
}

static bool space_blocks_hold(void *space)
{
	const struct space *s = space;

	for (block_t b = 0; b < s->geometry->blocks; b++)
		if (s->block[b].valid > s->geometry->pages_per_block || s->block[b].state > BLOCK_RETIRED ||
			s->block[b].stream >= s->streams)
			return false;
	return true;
}

/* Only streams that there are have an open block. */
static bool space_streams_hold(void *space)
{
	const struct space *s = space;

	for (plane_t p = 0; p < s->geometry->planes; p++)
		for (unsigned stream = s->streams; stream < STREAMS_MOST; stream++)
			if (s->plane[p].open[stream].block != BLOCK_NONE)
				return false;
	return true;
}

static const struct state_row open_block_state[] = {
	STATE_INDEX(struct open_block, block, GEOMETRY(blocks)),
	STATE_UP_TO(struct open_block, next, GEOMETRY(pages_per_block)),
	{ 0 },
};

static const struct state_row space_plane_state[] = {
	STATE_STRUCTS(struct space_plane, open, open_block_state),
	STATE_UP_TO(struct space_plane, free_pages, GEOMETRY(pages_per_plane)),
	{ 0 },
};

const struct state_row space_state[] = {
	STATE_FIXED(geometry, flash, watcher, stream, streams, wear_stream, slot_shift, reserve),
	STATE_SCRATCH(emptied, live, lives),
	STATE_POINTER(struct space, blocks, blocks_state),
	STATE_NUMBERS(struct space, block),
	STATE_RESTORED(space_blocks_hold),
	STATE_NUMBERS(struct space, stamp),
	STATE_NUMBERS(struct space, hollow),
	STATE_ARRAY(struct space, plane, space_plane_state),
	STATE_RESTORED(space_streams_hold),
	STATE_NUMBER(struct space, handed_out),
	{ 0 },
};

/* ---- invariants ---- */

static void check_block(const struct space *s, block_t b)
{
	const struct geometry *g = s->geometry;
	ppn_t first = geometry_first_page(g, b);
	uint32_t live = 0, used = s->flash->block[b].next;

	for (uint32_t page = 0; page < used; page++)
		live += flash_owner(s->flash, first + page) != OWNER_NONE;
	BUG_ON(live != s->block[b].valid, "block %u has %u live pages, %u are counted", b, live,
		s->block[b].valid);
	BUG_ON(space_hollow(s, b) && space_hollow(s, b) >= live << s->slot_shift,
		"%u live pages of block %u have %u slots without data", live, b, space_hollow(s, b));
	BUG_ON((s->block[b].state == BLOCK_FREE || s->block[b].state == BLOCK_RETIRED) && used,
		"block %u is out of use with %u pages programmed", b, used);
	BUG_ON(s->stamp && s->stamp[b] > s->handed_out,
		"block %u was full before the last page was handed out", b);
	BUG_ON(s->block[b].state == BLOCK_CLOSED && used != g->pages_per_block,
		"block %u is closed with %u of %u pages programmed", b, used, g->pages_per_block);
}

uint64_t space_live_pages(const struct space *s)
{
	uint64_t pages = 0;

	for (block_t b = 0; b < s->geometry->blocks; b++)
		pages += s->block[b].valid;
	return pages;
}

/* The blocks that the streams of a plane fill, and no others, are open. */
static void check_open(const struct space *s, plane_t p, uint32_t open_blocks)
{
	for (unsigned stream = 0; stream < s->streams; stream++) {
		const struct open_block *open = &s->plane[p].open[stream];

		if (open->block == BLOCK_NONE)
			continue;
		BUG_ON(geometry_plane(s->geometry, open->block) != p ||
				s->block[open->block].state != BLOCK_OPEN ||
				s->block[open->block].stream != stream,
			"stream %u of plane %u fills block %u, which is not open for it", stream, p,
			open->block);
		BUG_ON(open->next != s->flash->block[open->block].next ||
				open->next >= s->geometry->pages_per_block,
			"page %u of the open block %u is next, %u are programmed", open->next, open->block,
			s->flash->block[open->block].next);
		open_blocks--;
	}
	BUG_ON(open_blocks, "%u open blocks of plane %u are filled by nobody", open_blocks, p);
}

static void check_plane(const struct space *s, plane_t p)
{
	const struct geometry *g = s->geometry;
	block_t first = p * g->blocks_per_plane;
	uint32_t free_pages = 0, in_state[BLOCK_RETIRED + 1] = { 0 };

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		check_block(s, b);
		in_state[s->block[b].state]++;
		if (s->block[b].state == BLOCK_FREE || s->block[b].state == BLOCK_OPEN)
			free_pages += g->pages_per_block - s->flash->block[b].next;
	}
	BUG_ON(in_state[BLOCK_FREE] != blocks_left(s->blocks, p) ||
			in_state[BLOCK_RETIRED] != s->blocks->plane[p].retired,
		"plane %u has %u free and %u retired blocks, %u and %u are listed", p, in_state[BLOCK_FREE],
		in_state[BLOCK_RETIRED], blocks_left(s->blocks, p), s->blocks->plane[p].retired);
	BUG_ON(free_pages != s->plane[p].free_pages, "plane %u has %u free pages, %u are counted", p,
		free_pages, s->plane[p].free_pages);
	check_open(s, p, in_state[BLOCK_OPEN]);
}

void space_check(const struct space *s)
{
	blocks_check(s->blocks);
	for (plane_t p = 0; p < s->geometry->planes; p++)
		check_plane(s, p);
}
