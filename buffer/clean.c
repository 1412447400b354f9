/* Dirty data is written to the FTL and stays in the buffer. */
#include "base/memory.h"
#include "buffer/extents.h"

#include <stdlib.h>

static int clean_by_address(const void *left, const void *right)
{
	lpn_t a = ((const struct victim *)left)->lpn, b = ((const struct victim *)right)->lpn;

	return (a > b) - (a < b);
}

static bool clean_is_wanted(const struct buffer *b, const struct buffer_node *node, struct extent e)
{
	sector_t start = (sector_t)node->lpn << b->sector_shift;

	return node->stored && node->dirty && start < e.end && start + b->shape.sectors_per_page > e.start;
}

static void clean_add(struct buffer *b, uint32_t node)
{
	b->victim =
		memory_grown(b->victim, &b->victim_room, b->victims + 1, sizeof *b->victim, "buffer victims");
	b->victim[b->victims++] =
		(struct victim){ buffer_node(b, node)->lpn, node, buffer_node(b, node)->dirty };
}

/* The dirty pages of the extent, ascending. */
static void clean_choose(struct buffer *b, struct extent e)
{
	lpn_t first = (lpn_t)(e.start >> b->sector_shift);
	uint64_t pages = ((e.end - 1) >> b->sector_shift) + 1 - first;
	uint32_t node;

	b->victims = 0;
	if (pages < b->nodes.used) {
		for (lpn_t lpn = first; lpn < first + pages; lpn++)
			if ((node = buffer_find(b, lpn)) != NODE_NONE && buffer_node(b, node)->dirty)
				clean_add(b, node);
		return;
	}
	for (node = b->heads; node < b->nodes.used; node++)
		if (clean_is_wanted(b, buffer_node(b, node), e))
			clean_add(b, node);
	if (b->victims)
		qsort(b->victim, b->victims, sizeof *b->victim, clean_by_address);
}

void buffer_clean(struct buffer *b, struct extent e)
{
	if (!b->ops->evict)
		return;
	clean_choose(b, e);
	b->flush.n = 0;
	for (uint32_t i = 0; i < b->victims; i++)
		extents_add_mask(&b->flush, (sector_t)b->victim[i].lpn << b->sector_shift, b->victim[i].mask);
	if (!b->victims)
		return;
	b->sink.write(b->sink.context, b->flush.extent, b->flush.n);
	for (uint32_t i = 0; i < b->victims; i++) {
		struct buffer_node *node = buffer_node(b, b->victim[i].node);

		b->statistics.flushed_pages++;
		b->statistics.flushed_sectors += (uint32_t)__builtin_popcountll(node->dirty);
		node->dirty = 0;
		if (b->ops->resized)
			b->ops->resized(b, b->victim[i].node, node->stored);
	}
}
