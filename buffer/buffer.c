#include "buffer/buffer.h"

#include "base/fault.h"
#include "base/memory.h"

#define BUFFER(name) extern const struct buffer_ops buffer_##name;
#include "buffer/list.h"
#undef BUFFER

const struct buffer_ops *const buffers[] = {
#define BUFFER(name) &buffer_##name,
#include "buffer/list.h"
#undef BUFFER
	NULL,
};

static void check_ops(const struct buffer_ops *ops)
{
	BUG_ON(!ops->name || !ops->brief, "a buffer policy without name or brief");
	BUG_ON(ops->evict && (!ops->size || !ops->init || !ops->inserted || !ops->hit || !ops->removed),
		"buffer policy %s lacks a required operation", ops->name);
}

struct buffer *buffer_create(const struct buffer_ops *ops, const void *settings, uint64_t bytes,
	uint32_t sectors_per_page, struct buffer_sink sink, struct oracle *oracle)
{
	struct buffer *b = memory_array(1, sizeof *b, "buffer");
	uint32_t buckets = 64;

	check_ops(ops);
	b->ops = ops;
	b->settings = settings;
	b->sink = sink;
	b->oracle = oracle;
	b->sectors_per_page = sectors_per_page;
	b->sector_shift = (uint32_t)__builtin_ctz(sectors_per_page);
	b->free_node = NODE_NONE;
	if (!ops->evict)
		return b;
	b->capacity = bytes / SECTOR_BYTES > sectors_per_page ? bytes / SECTOR_BYTES : sectors_per_page;
	while (buckets < b->capacity / sectors_per_page && buckets < 1u << 30)
		buckets *= 2;
	b->index_mask = buckets - 1;
	b->index = memory_array(buckets, sizeof *b->index, "buffer index");
	for (uint32_t i = 0; i < buckets; i++)
		b->index[i] = NODE_NONE;
	b->state = memory_array(1, ops->size, "buffer policy");
	ops->init(b);
	return b;
}

void buffer_free(struct buffer *b)
{
	if (!b)
		return;
	if (b->ops->exit)
		b->ops->exit(b);
	memory_free(b->state);
	memory_free(b->node);
	memory_free(b->index);
	memory_free(b->victim);
	memory_free(b->extent);
	memory_free(b);
}

/* ---- the index ---- */

static uint32_t *bucket_of(const struct buffer *b, lpn_t lpn)
{
	return &b->index[(lpn * 2654435769u >> 7) & b->index_mask];
}

static uint32_t find(const struct buffer *b, lpn_t lpn)
{
	uint32_t at = *bucket_of(b, lpn);

	while (at != NODE_NONE && b->node[at].lpn != lpn)
		at = b->node[at].chain;
	return at;
}

static void grow(struct buffer *b)
{
	uint32_t old = b->nodes, count = old ? 2 * old : 256;

	b->node = memory_resize(b->node, count, sizeof *b->node, "buffer nodes");
	b->nodes = count;
	for (uint32_t i = count; i-- > old;) {
		b->node[i].chain = b->free_node;
		b->node[i].stored = 0;
		b->free_node = i;
	}
}

static uint32_t insert(struct buffer *b, lpn_t lpn)
{
	uint32_t *bucket = bucket_of(b, lpn), at;

	if (b->free_node == NODE_NONE)
		grow(b);
	at = b->free_node;
	b->free_node = b->node[at].chain;
	b->node[at] = (struct buffer_node){
		.lpn = lpn, .chain = *bucket, .previous = NODE_NONE, .next = NODE_NONE
	};
	*bucket = at;
	return at;
}

static void drop(struct buffer *b, uint32_t node)
{
	uint32_t *link = bucket_of(b, b->node[node].lpn);

	b->ops->removed(b, node);
	b->used -= (uint32_t)__builtin_popcountll(b->node[node].stored);
	while (*link != node)
		link = &b->node[*link].chain;
	*link = b->node[node].chain;
	b->node[node].stored = 0;
	b->node[node].chain = b->free_node;
	b->free_node = node;
}

/* ---- eviction ---- */

void buffer_choose(struct buffer *b, uint32_t node)
{
	BUG_ON(node == NODE_NONE || !b->node[node].stored, "%s evicts a page that is not in the buffer",
		b->ops->name);
	if (b->victims == b->victim_room) {
		b->victim_room = b->victim_room ? 2 * b->victim_room : 16;
		b->victim = memory_resize(b->victim, b->victim_room, sizeof *b->victim, "buffer victims");
	}
	b->victim[b->victims++] = node;
}

/* Adds a range to the list; ranges that touch become one, so that requests can form again. */
static void add_extent(struct buffer *b, struct extent e)
{
	if (b->extents && b->extent[b->extents - 1].end == e.start) {
		b->extent[b->extents - 1].end = e.end;
		return;
	}
	if (b->extents == b->extent_room) {
		b->extent_room = b->extent_room ? 2 * b->extent_room : 64;
		b->extent = memory_resize(b->extent, b->extent_room, sizeof *b->extent, "buffer extents");
	}
	b->extent[b->extents++] = e;
}

static void add_mask(struct buffer *b, lpn_t lpn, mask_t mask)
{
	sector_t first = (sector_t)lpn << b->sector_shift;

	while (mask) {
		uint32_t from = (uint32_t)__builtin_ctzll(mask);
		mask_t rest = mask >> from;
		uint32_t length = ~rest ? (uint32_t)__builtin_ctzll(~rest) : 64;

		add_extent(b, (struct extent){ first + from, first + from + length });
		mask = from + length >= 64 ? 0 : mask >> (from + length) << (from + length);
	}
}

/* Extents go out in ascending order; there are few victims, so insertion will do. */
static void sort_victims(struct buffer *b)
{
	for (uint32_t i = 1; i < b->victims; i++) {
		uint32_t node = b->victim[i], at = i;

		for (; at && b->node[b->victim[at - 1]].lpn > b->node[node].lpn; at--)
			b->victim[at] = b->victim[at - 1];
		b->victim[at] = node;
	}
}

static void evict(struct buffer *b)
{
	b->victims = 0;
	b->extents = 0;
	b->ops->evict(b);
	BUG_ON(!b->victims, "%s evicts nothing from a full buffer", b->ops->name);
	sort_victims(b);
	for (uint32_t i = 0; i < b->victims; i++)
		add_mask(b, b->node[b->victim[i]].lpn, b->node[b->victim[i]].dirty);
	if (b->extents)
		b->sink.write(b->sink.context, b->extent, b->extents);
	for (size_t i = 0; i < b->extents; i++) {
		b->statistics.flushed_sectors += extent_sectors(b->extent[i]);
		oracle_dram_drop(b->oracle, HOLDER_BUFFER, b->extent[i]);
	}
	b->statistics.evictions += b->victims;
	for (uint32_t i = 0; i < b->victims; i++)
		drop(b, b->victim[i]);
}

/* ---- requests ---- */

static void count(struct buffer *b, enum request_type type, mask_t hit, mask_t miss)
{
	b->statistics.hit_sectors[type] += (uint32_t)__builtin_popcountll(hit);
	b->statistics.miss_sectors[type] += (uint32_t)__builtin_popcountll(miss);
}

static void write_part(struct buffer *b, lpn_t lpn, mask_t mask)
{
	uint32_t at = find(b, lpn);
	mask_t stored = at == NODE_NONE ? 0 : b->node[at].stored;

	count(b, REQUEST_WRITE, mask & stored, mask & ~stored);
	if (at != NODE_NONE)
		b->ops->hit(b, at, REQUEST_WRITE);
	while (b->used + (uint32_t)__builtin_popcountll(mask & ~stored) > b->capacity) {
		evict(b);
		at = find(b, lpn);
		stored = at == NODE_NONE ? 0 : b->node[at].stored;
	}
	if (at == NODE_NONE) {
		at = insert(b, lpn);
		b->node[at].stored = b->node[at].dirty = mask;
		b->ops->inserted(b, at);
	}
	b->node[at].stored = stored | mask;
	b->node[at].dirty |= mask;
	b->used += (uint32_t)__builtin_popcountll(mask & ~stored);
}

uint32_t buffer_write(struct buffer *b, struct extent e)
{
	uint32_t accesses = 0;

	if (!b->ops->evict) {
		b->sink.write(b->sink.context, &e, 1);
		return 0;
	}
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); (sector_t)lpn << b->sector_shift < e.end;
		lpn++) {
		sector_t first = (sector_t)lpn << b->sector_shift, end = first + b->sectors_per_page;

		write_part(b, lpn, extent_mask(e, lpn, b->sector_shift));
		oracle_dram_store(b->oracle, HOLDER_BUFFER,
			(struct extent){ e.start > first ? e.start : first, e.end < end ? e.end : end });
		accesses++;
	}
	return accesses;
}

/* What lies between the missing ranges was answered by the buffer. */
static void tell_oracle(const struct buffer *b, struct extent e)
{
	sector_t at = e.start;

	for (size_t i = 0; i < b->extents; i++) {
		if (at < b->extent[i].start)
			oracle_dram_answer(b->oracle, HOLDER_BUFFER, (struct extent){ at, b->extent[i].start });
		at = b->extent[i].end;
	}
	if (at < e.end)
		oracle_dram_answer(b->oracle, HOLDER_BUFFER, (struct extent){ at, e.end });
}

/*
 * Answers what is present; the rest reaches the FTL at once, so that it reads no page twice around a
 * buffered sector and sees what is missing on both sides of a page border.
 */
uint32_t buffer_read(struct buffer *b, struct extent e)
{
	uint32_t accesses = 0;

	if (!b->ops->evict) {
		b->sink.read(b->sink.context, &e, 1);
		return 0;
	}
	b->extents = 0;
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); (sector_t)lpn << b->sector_shift < e.end;
		lpn++) {
		uint32_t at = find(b, lpn);
		mask_t mask = extent_mask(e, lpn, b->sector_shift),
		       stored = at == NODE_NONE ? 0 : b->node[at].stored & mask;

		count(b, REQUEST_READ, stored, mask & ~stored);
		add_mask(b, lpn, mask & ~stored);
		if (!stored)
			continue;
		accesses++;
		b->ops->hit(b, at, REQUEST_READ);
	}
	if (b->extents)
		b->sink.read(b->sink.context, b->extent, b->extents);
	if (b->oracle)
		tell_oracle(b, e);
	return accesses;
}

void buffer_trim(struct buffer *b, struct extent e)
{
	if (!b->ops->evict)
		return;
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); (sector_t)lpn << b->sector_shift < e.end;
		lpn++) {
		uint32_t at = find(b, lpn);
		mask_t mask = extent_mask(e, lpn, b->sector_shift);

		if (at == NODE_NONE)
			continue;
		b->used -= (uint32_t)__builtin_popcountll(b->node[at].stored & mask);
		b->node[at].stored &= ~mask;
		b->node[at].dirty &= ~mask;
		if (!b->node[at].stored)
			drop(b, at);
	}
	oracle_dram_drop(b->oracle, HOLDER_BUFFER, e);
}

uint64_t buffer_dirty_sectors(const struct buffer *b)
{
	uint64_t sectors = 0;

	for (uint32_t i = 0; i < b->nodes; i++)
		if (b->node[i].stored)
			sectors += (uint32_t)__builtin_popcountll(b->node[i].dirty);
	return sectors;
}

void buffer_check(const struct buffer *b)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < b->nodes; i++) {
		const struct buffer_node *node = &b->node[i];

		used += (uint32_t)__builtin_popcountll(node->stored);
		BUG_ON(node->stored && find(b, node->lpn) != i, "the buffer holds LPN %u, its index does not",
			node->lpn);
		BUG_ON(node->dirty & ~node->stored && node->stored,
			"LPN %u has dirty sectors that are not stored", node->lpn);
	}
	BUG_ON(used != b->used || used > b->capacity, "the buffer holds %llu sectors of %llu, counts %llu",
		(unsigned long long)used, (unsigned long long)b->capacity, (unsigned long long)b->used);
}
