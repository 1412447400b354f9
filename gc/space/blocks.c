#include "gc/space/blocks.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/heap.h"
#include "base/memory.h"

#include <string.h>

struct blocks *blocks_create(
	struct flash *flash, enum free_order order, const struct layout *layout, const struct bad_blocks *bad)
{
	const struct geometry *g = layout ? &layout->geometry : flash->geometry;
	struct blocks *s = memory_array(1, sizeof *s, "free blocks");

	s->geometry = g;
	s->layout = layout;
	s->bad = bad;
	s->flash = flash;
	s->order = order;
	s->plane = memory_array(g->planes, sizeof *s->plane, "free blocks");
	s->heap = memory_array(g->blocks, sizeof *s->heap, "free blocks");
	blocks_leave_last(s, 0);
	return s;
}

/* ---- which blocks are managed ---- */

static bool blocks_bad_at(const struct blocks *s, plane_t p, uint32_t i)
{
	return blocks_are_bad(s, p * s->geometry->blocks_per_plane + i);
}

/* Index in the plane of the first of its last `count` good blocks. */
static uint32_t blocks_place_of_last(const struct blocks *s, plane_t p, uint32_t count)
{
	uint32_t i = s->geometry->blocks_per_plane;

	while (i && count)
		count -= !blocks_bad_at(s, p, --i);
	return i;
}

static void blocks_pass_bad(struct blocks *s, plane_t p)
{
	struct blocks_plane *plane = &s->plane[p];

	while (plane->next < plane->end && blocks_bad_at(s, p, plane->next))
		plane->next++;
}

static void blocks_limit(struct blocks *s, plane_t p, uint32_t first, uint32_t end)
{
	struct blocks_plane *plane = &s->plane[p];

	plane->first = plane->next = first;
	plane->end = end;
	plane->fresh = 0;
	for (uint32_t i = first; i < end; i++)
		plane->fresh += !blocks_bad_at(s, p, i);
	blocks_pass_bad(s, p);
}

void blocks_leave_last(struct blocks *s, uint32_t count)
{
	s->count = s->geometry->blocks_per_plane - count;
	for (plane_t p = 0; p < s->geometry->planes; p++)
		blocks_limit(s, p, 0, blocks_place_of_last(s, p, count));
}

void blocks_limit_to_last(struct blocks *s, uint32_t count)
{
	s->count = count;
	for (plane_t p = 0; p < s->geometry->planes; p++)
		blocks_limit(s, p, blocks_place_of_last(s, p, count), s->geometry->blocks_per_plane);
}

void blocks_free(struct blocks *s)
{
	if (!s)
		return;
	memory_free(s->plane);
	memory_free(s->heap);
	memory_free(s);
}

uint64_t blocks_left_in_all(const struct blocks *s)
{
	uint64_t blocks = 0;

	for (plane_t p = 0; p < s->geometry->planes; p++)
		blocks += blocks_left(s, p);
	return blocks;
}

/* ---- the heap of used free blocks of a plane ---- */

static bool blocks_goes_before(const void *left, const void *right)
{
	const struct free_block *a = left, *b = right;

	return a->key != b->key ? a->key < b->key : a->block < b->block;
}

static struct free_block *blocks_plane_heap(const struct blocks *s, plane_t p)
{
	return s->heap + (size_t)p * s->geometry->blocks_per_plane;
}

static block_t blocks_remove_at(struct blocks *s, plane_t p, uint32_t i)
{
	struct free_block *heap = blocks_plane_heap(s, p);
	block_t b = heap[i].block;

	heap_remove(ARRAY_ELEMENTS(heap), s->plane[p].recycled--, i, blocks_goes_before);
	return b;
}

/* ---- taking and giving ---- */

/* Fresh blocks go first: none is less worn, none has been free for longer.  With FREE_LOWEST they go last:
 * they have the highest numbers. */
block_t blocks_take(struct blocks *s, plane_t p)
{
	struct blocks_plane *plane = &s->plane[p];
	block_t b = p * s->geometry->blocks_per_plane + plane->next;

	if (!plane->fresh || (s->order == FREE_LOWEST && plane->recycled))
		return plane->recycled ? blocks_remove_at(s, p, 0) : BLOCK_NONE;
	plane->fresh--;
	plane->next++;
	blocks_pass_bad(s, p);
	return b;
}

block_t blocks_take_most_worn(struct blocks *s, plane_t p)
{
	const struct free_block *heap = blocks_plane_heap(s, p);
	uint32_t most = 0;

	if (!s->plane[p].recycled)
		return blocks_take(s, p);
	for (uint32_t i = 1; i < s->plane[p].recycled; i++)
		if (s->flash->block[heap[i].block].erases > s->flash->block[heap[most].block].erases)
			most = i;
	return blocks_remove_at(s, p, most);
}

/* Is the i-th block of the drive in each block lost with its die? */
static bool blocks_is_lost(const struct blocks *s, plane_t i)
{
	return s->layout->ops->is_lost && s->layout->ops->is_lost(s->layout, i);
}

/* Erases a block of the drive, or those of a block of the layout that are not lost.  False: one is worn
 * out. */
static bool blocks_erase(const struct blocks *s, struct io *io, block_t b, enum cause cause)
{
	bool good = true;

	if (!s->layout) {
		flash_erase(io, b, cause);
		return !flash_worn_out(s->flash, b);
	}
	for (plane_t i = 0; i < s->layout->device->planes; i++) {
		block_t part = s->layout->ops->part(s->layout, b, i);

		if (blocks_is_lost(s, i))
			continue;
		flash_erase(io, part, cause);
		good &= !flash_worn_out(s->flash, part);
	}
	return good;
}

/* Erases of the block, or of its first block of the drive that is not lost. */
static uint32_t blocks_erases(const struct blocks *s, block_t b)
{
	if (s->layout)
		b = s->layout->ops->part(s->layout, b, blocks_is_lost(s, 0));
	return s->flash->block[b].erases;
}

uint32_t blocks_programmed(const struct blocks *s, block_t b)
{
	return s->layout ? s->layout->ops->programmed(s->layout, b) : s->flash->block[b].next;
}

bool blocks_give(struct blocks *s, struct io *io, block_t b, enum cause cause)
{
	plane_t p = geometry_plane(s->geometry, b);
	struct free_block free = { .block = b };
	bool good = blocks_erase(s, io, b, cause);

	s->plane[p].erases++;
	if (!good) {
		s->plane[p].retired++;
		s->retired++;
		return false;
	}
	if (s->order == FREE_LEAST_WORN)
		free.key = blocks_erases(s, b);
	else if (s->order == FREE_OLDEST)
		free.key = s->freed++;
	heap_add(ARRAY_ELEMENTS(blocks_plane_heap(s, p)), s->plane[p].recycled++, &free, blocks_goes_before);
	return true;
}

/* ---- state ---- */

/* The fresh blocks are the last good ones that are managed. */
static void blocks_find_fresh(void *blocks)
{
	struct blocks *s = blocks;

	for (plane_t p = 0; p < s->geometry->planes; p++) {
		uint32_t fresh = s->plane[p].fresh;

		s->plane[p].next = s->plane[p].end;
		while (fresh && s->plane[p].next > s->plane[p].first)
			fresh -= !blocks_bad_at(s, p, --s->plane[p].next);
	}
}

static const struct state_row blocks_plane_state[] = {
	STATE_FIXED(first, end),
	STATE_REBUILT(next),
	STATE_NUMBER(struct blocks_plane, fresh),
	STATE_NUMBER(struct blocks_plane, recycled),
	STATE_NUMBER(struct blocks_plane, retired),
	STATE_NUMBER(struct blocks_plane, erases),
	{ 0 },
};

static const struct state_row blocks_free_block_state[] = {
	STATE_NUMBER(struct free_block, key),
	STATE_NUMBER(struct free_block, block),
	{ 0 },
};

const struct state_row blocks_state[] = {
	STATE_FIXED(geometry, layout, bad, flash, order, count),
	STATE_EACH(struct blocks, plane, blocks_plane_state),
	STATE_RESTORED(blocks_find_fresh),
	STATE_ARRAY(struct blocks, heap, blocks_free_block_state),
	STATE_NUMBER(struct blocks, freed),
	STATE_NUMBER(struct blocks, retired),
	{ 0 },
};

/* The block is erased, of the plane, and not yet in `listed`. */
static void blocks_check_free(const struct blocks *s, plane_t p, block_t b, uint64_t *listed)
{
	uint32_t i = b - p * s->geometry->blocks_per_plane;

	BUG_ON(i >= s->geometry->blocks_per_plane || bits_get(listed, i),
		"free block %u is listed twice, or not of plane %u", b, p);
	BUG_ON(blocks_are_bad(s, b), "block %u is free and bad", b);
	BUG_ON(blocks_programmed(s, b), "block %u is free with %u pages programmed", b,
		blocks_programmed(s, b));
	bits_set(listed, i);
}

static void blocks_check_plane(const struct blocks *s, plane_t p, uint64_t *listed)
{
	const struct geometry *g = s->geometry;
	const struct free_block *heap = blocks_plane_heap(s, p);
	block_t first = p * g->blocks_per_plane;
	uint32_t fresh = 0;

	BUG_ON(blocks_left(s, p) + s->plane[p].retired > s->count,
		"plane %u has %u blocks, %u are free and %u retired", p, s->count, blocks_left(s, p),
		s->plane[p].retired);
	memset(listed, 0, bits_words(g->blocks_per_plane) * sizeof *listed);
	for (block_t b = first + s->plane[p].next; b < first + s->plane[p].end; b++)
		if (!blocks_are_bad(s, b)) {
			blocks_check_free(s, p, b, listed);
			fresh++;
		}
	BUG_ON(fresh != s->plane[p].fresh, "plane %u has %u fresh blocks, %u are counted", p, fresh,
		s->plane[p].fresh);
	for (uint32_t i = 0; i < s->plane[p].recycled; i++) {
		blocks_check_free(s, p, heap[i].block, listed);
		BUG_ON(i && blocks_goes_before(&heap[i], &heap[(i - 1) / 2]),
			"free block %u of plane %u stands behind %u", heap[i].block, p,
			heap[(i - 1) / 2].block);
	}
}

void blocks_check(const struct blocks *s)
{
	uint64_t *listed =
		memory_array(bits_words(s->geometry->blocks_per_plane), sizeof *listed, "free blocks");
	uint64_t retired = 0;

	for (plane_t p = 0; p < s->geometry->planes; p++) {
		blocks_check_plane(s, p, listed);
		retired += s->plane[p].retired;
	}
	memory_free(listed);
	BUG_ON(retired != s->retired, "%llu blocks of the planes are retired, %llu are counted",
		(unsigned long long)retired, (unsigned long long)s->retired);
}
