#include "pagemap/space.h"

#include "base/fault.h"
#include "base/memory.h"

struct space *space_create(struct flash *flash, enum free_order order, uint32_t reserve)
{
	const struct geometry *g = flash->geometry;
	struct space *s = memory_array(1, sizeof *s, "block manager");

	s->geometry = g;
	s->flash = flash;
	s->order = order;
	s->reserve = reserve;
	s->block = memory_array(g->blocks, sizeof *s->block, "block states");
	s->plane = memory_array(g->planes, sizeof *s->plane, "plane states");
	s->heap = memory_array(g->blocks, sizeof *s->heap, "free blocks");
	s->heap_key = memory_array(g->blocks, sizeof *s->heap_key, "free blocks");
	for (plane_t p = 0; p < g->planes; p++) {
		s->plane[p].fresh = g->blocks_per_plane;
		s->plane[p].free_pages = g->pages_per_plane;
		for (int stream = 0; stream < STREAMS; stream++)
			s->plane[p].open[stream].block = BLOCK_NONE;
	}
	return s;
}

void space_free(struct space *s)
{
	if (!s)
		return;
	memory_free(s->block);
	memory_free(s->plane);
	memory_free(s->heap);
	memory_free(s->heap_key);
	memory_free(s);
}

/* ---- the heap of used free blocks of a plane: lowest key, then lowest block first ---- */

static bool goes_before(const struct space *s, block_t a, block_t b)
{
	return s->heap_key[a] != s->heap_key[b] ? s->heap_key[a] < s->heap_key[b] : a < b;
}

static void heap_sift_up(struct space *s, uint32_t *heap, uint32_t i)
{
	block_t b = heap[i];

	for (; i && goes_before(s, b, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = b;
}

static void heap_sift_down(struct space *s, uint32_t *heap, uint32_t length, uint32_t i)
{
	block_t b = heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < length) {
		if (child + 1 < length && goes_before(s, heap[child + 1], heap[child]))
			child++;
		if (!goes_before(s, heap[child], b))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = b;
}

static uint32_t *plane_heap(const struct space *s, plane_t p)
{
	return s->heap + (size_t)p * s->geometry->blocks_per_plane;
}

static void heap_push(struct space *s, plane_t p, block_t b)
{
	uint32_t *heap = plane_heap(s, p), i = s->plane[p].recycled++;

	s->heap_key[b] = s->order == FREE_LEAST_WORN ? s->flash->block[b].erases : s->freed++;
	heap[i] = b;
	heap_sift_up(s, heap, i);
}

static block_t heap_remove(struct space *s, plane_t p, uint32_t i)
{
	uint32_t *heap = plane_heap(s, p), last = --s->plane[p].recycled;
	block_t b = heap[i];

	if (i != last) {
		heap[i] = heap[last];
		heap_sift_down(s, heap, last, i);
		heap_sift_up(s, heap, i);
	}
	return b;
}

/* ---- opening and closing ---- */

/* Never-used blocks go first: no block is less worn, and none has been free for longer. */
static block_t next_free_block(struct space *s, plane_t p)
{
	const struct geometry *g = s->geometry;

	if (s->plane[p].fresh)
		return p * g->blocks_per_plane + g->blocks_per_plane - s->plane[p].fresh--;
	return heap_remove(s, p, 0);
}

static block_t most_worn_free_block(struct space *s, plane_t p)
{
	const uint32_t *heap = plane_heap(s, p);
	uint32_t most = 0;

	if (!s->plane[p].recycled)
		return next_free_block(s, p);
	for (uint32_t i = 1; i < s->plane[p].recycled; i++)
		if (s->flash->block[heap[i]].erases > s->flash->block[heap[most]].erases)
			most = i;
	return heap_remove(s, p, most);
}

static void open_block(struct space *s, plane_t p, enum stream stream, block_t b)
{
	BUG_ON(s->block[b].state != BLOCK_FREE || s->block[b].valid,
		"block %u is opened in state %u with %u live pages", b, s->block[b].state, s->block[b].valid);
	s->block[b].state = BLOCK_OPEN;
	s->plane[p].open[stream] = (struct open_block){ b, 0 };
}

bool space_has_page(const struct space *s, plane_t p, enum stream stream, bool privileged)
{
	return s->plane[p].open[stream].block != BLOCK_NONE ||
	       space_free_blocks(s, p) > (privileged ? 0 : s->reserve);
}

/* A block is closed with its last page, so an open block always has room. */
ppn_t space_take(struct space *s, plane_t p, enum stream stream, bool privileged)
{
	struct space_plane *plane = &s->plane[p];
	struct open_block *open = &plane->open[stream];
	block_t b;
	ppn_t ppn;

	if (open->block == BLOCK_NONE) {
		if (!space_has_page(s, p, stream, privileged))
			return PPN_NONE;
		open_block(s, p, stream,
			stream == STREAM_WEAR ? most_worn_free_block(s, p) : next_free_block(s, p));
	}
	b = open->block;
	ppn = geometry_first_page(s->geometry, b) + open->next++;
	s->block[b].valid++;
	plane->free_pages--;
	s->handed_out++;
	if (open->next == s->geometry->pages_per_block) {
		s->block[b].state = BLOCK_CLOSED;
		s->block[b].stamp = s->handed_out;
		open->block = BLOCK_NONE;
		if (s->watcher.closed)
			s->watcher.closed(s->watcher.context, b);
	}
	return ppn;
}

void space_moved_away(struct space *s, ppn_t from)
{
	block_t b = geometry_block(s->geometry, from);

	BUG_ON(!s->block[b].valid, "page %u dies in block %u, which has no live page", from, b);
	s->block[b].valid--;
	if (s->block[b].state == BLOCK_CLOSED && s->watcher.dropped)
		s->watcher.dropped(s->watcher.context, b);
}

void space_set_slack(struct space *s, block_t b, uint32_t pages)
{
	if (s->block[b].slack == pages)
		return;
	s->block[b].slack = pages;
	if (s->block[b].state == BLOCK_CLOSED && s->watcher.dropped)
		s->watcher.dropped(s->watcher.context, b);
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
	flash_erase(io, b, cause);
	s->plane[p].erases++;
	if (flash_worn_out(s->flash, b)) {
		s->block[b].state = BLOCK_RETIRED;
		s->plane[p].retired++;
		s->retired++;
		return;
	}
	s->block[b].state = BLOCK_FREE;
	s->plane[p].free_pages += g->pages_per_block;
	heap_push(s, p, b);
}

void space_regions(struct space *s, struct regions *r)
{
	const struct geometry *g = s->geometry;

	regions_visit(r, s->block, (size_t)g->blocks * sizeof *s->block);
	regions_visit(r, s->plane, (size_t)g->planes * sizeof *s->plane);
	regions_visit(r, s->heap, (size_t)g->blocks * sizeof *s->heap);
	regions_visit(r, s->heap_key, (size_t)g->blocks * sizeof *s->heap_key);
	regions_visit(r, &s->handed_out, sizeof s->handed_out);
	regions_visit(r, &s->freed, sizeof s->freed);
	regions_visit(r, &s->retired, sizeof s->retired);
}

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
	BUG_ON(s->block[b].slack && s->block[b].slack >= live,
		"the data of %u live pages of block %u packs into %u pages fewer", live, b,
		s->block[b].slack);
	BUG_ON(s->block[b].state == BLOCK_CLOSED && used != g->pages_per_block,
		"block %u is closed with %u of %u pages programmed", b, used, g->pages_per_block);
	BUG_ON(s->block[b].state == BLOCK_FREE && used, "block %u is free with %u pages programmed", b, used);
}

void space_check(const struct space *s)
{
	const struct geometry *g = s->geometry;

	for (plane_t p = 0; p < g->planes; p++) {
		block_t first = p * g->blocks_per_plane;
		uint32_t free_pages = 0, free_blocks = 0;

		for (block_t b = first; b < first + g->blocks_per_plane; b++) {
			check_block(s, b);
			free_blocks += s->block[b].state == BLOCK_FREE;
			if (s->block[b].state == BLOCK_FREE || s->block[b].state == BLOCK_OPEN)
				free_pages += g->pages_per_block - s->flash->block[b].next;
		}
		BUG_ON(free_blocks != space_free_blocks(s, p), "plane %u has %u free blocks, %u are listed",
			p, free_blocks, space_free_blocks(s, p));
		BUG_ON(free_pages != s->plane[p].free_pages, "plane %u has %u free pages, %u are counted", p,
			free_pages, s->plane[p].free_pages);
	}
}
