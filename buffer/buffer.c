#include "buffer/buffer.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/memory.h"
#include "stats/table.h"

#include <stdarg.h>

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
	BUG_ON(ops->evict && (!ops->size || !ops->init || !ops->inserted || !ops->hit || !ops->removed ||
				     !ops->regions),
		"buffer policy %s lacks a required operation", ops->name);
}

struct buffer *buffer_create(const struct buffer_ops *ops, const void *settings, struct buffer_shape shape,
	struct buffer_sink sink, struct oracle *oracle)
{
	struct buffer *b = memory_array(1, sizeof *b, "buffer");
	uint64_t sectors = shape.bytes / SECTOR_BYTES;

	check_ops(ops);
	b->ops = ops;
	b->settings = settings;
	b->sink = sink;
	b->oracle = oracle;
	b->shape = shape;
	b->sector_shift = (uint32_t)__builtin_ctz(shape.sectors_per_page);
	if (!ops->evict)
		return b;
	b->capacity = sectors > shape.sectors_per_page ? sectors : shape.sectors_per_page;
	b->nodes = pool_create(
		(uint32_t)(sizeof(struct buffer_node) + (ops->page_size + 7) / 8 * 8), "buffer nodes");
	b->index = hash_create(1, "buffer index");
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
	pool_free(&b->nodes);
	hash_free(&b->index);
	memory_free(b->victim);
	memory_free(b->flush.extent);
	memory_free(b->missing.extent);
	memory_free(b->absent);
	memory_free(b);
}

/* ---- pages ---- */

static struct hashed by_lpn(const struct buffer *b)
{
	return (struct hashed){ POOL_FIELD(b->nodes, struct buffer_node, lpn),
		POOL_FIELD(b->nodes, struct buffer_node, chain) };
}

uint32_t buffer_heads(struct buffer *b, size_t offset, uint32_t count)
{
	uint32_t first = b->nodes.used;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t head = pool_take(&b->nodes);

		list_init((struct array_field){ b->nodes.object, sizeof(struct buffer_node) + offset,
				  b->nodes.bytes },
			head);
	}
	b->heads += count;
	return first;
}

uint32_t buffer_find(const struct buffer *b, lpn_t lpn)
{
	return hash_find(&b->index, by_lpn(b), lpn);
}

/* Many masks are empty, and counting is a call on machines without an instruction for it. */
static uint32_t count_bits(mask_t mask)
{
	return mask ? (uint32_t)__builtin_popcountll(mask) : 0;
}

static uint32_t insert(struct buffer *b, lpn_t lpn)
{
	uint32_t at = pool_take(&b->nodes);

	memset(buffer_node(b, at), 0, b->nodes.bytes);
	buffer_node(b, at)->lpn = lpn;
	hash_add(&b->index, by_lpn(b), at);
	return at;
}

/* Sectors are not here any more; without any the page leaves. */
static void forget(struct buffer *b, uint32_t at, mask_t mask)
{
	struct buffer_node *node = buffer_node(b, at);
	mask_t before = node->stored;

	b->used -= count_bits(before & mask);
	if (before & ~mask) {
		node->stored &= ~mask;
		node->dirty &= ~mask;
		if (b->ops->resized && before & mask)
			b->ops->resized(b, at, before);
		return;
	}
	b->ops->removed(b, at);
	hash_remove(&b->index, by_lpn(b), at);
	node->stored = 0;
	pool_give(&b->nodes, at);
}

/* ---- eviction ---- */

static void add_victim(struct buffer *b, struct victim v)
{
	b->victim =
		memory_grown(b->victim, &b->victim_room, b->victims + 1, sizeof *b->victim, "buffer victims");
	b->victim[b->victims++] = v;
}

void buffer_choose(struct buffer *b, uint32_t node, mask_t mask)
{
	BUG_ON(node == NODE_NONE || !(buffer_node(b, node)->stored & mask),
		"%s evicts a page that is not in the buffer", b->ops->name);
	add_victim(
		b, (struct victim){ buffer_node(b, node)->lpn, node, buffer_node(b, node)->stored & mask });
}

void buffer_merge(struct buffer *b)
{
	BUG_ON(!b->merges, "%s merges without having said so", b->ops->name);
	b->merging = true;
}

void buffer_pad(struct buffer *b, lpn_t lpn)
{
	BUG_ON(!b->pads || buffer_find(b, lpn) != NODE_NONE,
		"%s pads LPN %u, which is in the buffer, or without having said so", b->ops->name, lpn);
	if (lpn < b->shape.pages)
		add_victim(b, (struct victim){ lpn, NODE_NONE, 0 });
}

static void push_extent(struct extent_list *list, struct extent e)
{
	list->extent =
		memory_grown(list->extent, &list->room, list->n + 1, sizeof *list->extent, "buffer extents");
	list->extent[list->n++] = e;
}

/* Adds a range to the list; ranges that touch become one, so that requests can form again. */
static void add_extent(struct extent_list *list, struct extent e)
{
	if (list->n && list->extent[list->n - 1].end == e.start)
		list->extent[list->n - 1].end = e.end;
	else
		push_extent(list, e);
}

static void add_mask(struct extent_list *list, sector_t first, mask_t mask)
{
	for (uint32_t from = 0, end = 0; bits_next_run(mask, &from, &end);)
		add_extent(list, (struct extent){ first + from, first + end });
}

static sector_t page_start(const struct buffer *b, lpn_t lpn)
{
	return (sector_t)lpn << b->sector_shift;
}

/* What leaves goes out in ascending order.  Most policies name it so, or name few; then insertion will do. */
static void sort_victims(struct buffer *b)
{
	for (uint32_t i = 1; i < b->victims; i++) {
		struct victim v = b->victim[i];
		uint32_t at = i;

		for (; at && b->victim[at - 1].lpn > v.lpn; at--)
			b->victim[at] = b->victim[at - 1];
		BUG_ON(at && b->victim[at - 1].lpn == v.lpn, "%s evicts LPN %u twice", b->ops->name, v.lpn);
		b->victim[at] = v;
	}
}

/* One call for all dirty sectors and the pads between them. */
static void hand_over(struct buffer *b)
{
	b->flush.n = 0;
	for (uint32_t i = 0; i < b->victims; i++) {
		const struct victim *v = &b->victim[i];
		sector_t start = page_start(b, v->lpn);
		mask_t dirty;

		if (v->node == NODE_NONE) {
			push_extent(&b->flush, (struct extent){ start, start });
			continue;
		}
		dirty = buffer_node(b, v->node)->dirty & v->mask;
		add_mask(&b->flush, start, dirty);
		b->statistics.evicted_pages++;
		b->statistics.flushed_pages += dirty != 0;
		b->statistics.flushed_sectors += count_bits(dirty);
	}
	if (!b->flush.n)
		return;
	b->statistics.merged_writes += b->merging;
	(b->merging ? b->sink.write_merged : b->sink.write)(b->sink.context, b->flush.extent, b->flush.n);
}

void buffer_explain(struct buffer *b, const char *format, ...)
{
	va_list args;

	if (!b->diary)
		return;
	fputs("# the buffer makes room: ", b->diary);
	va_start(args, format);
	vfprintf(b->diary, format, args);
	va_end(args);
	fputc('\n', b->diary);
}

/* What leaves, a line for each page. */
static void write_diary(const struct buffer *b)
{
	for (uint32_t i = 0; i < b->victims; i++) {
		const struct victim *v = &b->victim[i];

		if (v->node == NODE_NONE)
			continue;
		fprintf(b->diary, "#     LPN %u leaves, %u of its sectors, %u dirty%s\n", v->lpn,
			count_bits(v->mask), count_bits(buffer_node(b, v->node)->dirty & v->mask),
			b->merging ? ", into a page shared with others" : "");
	}
}

/* Tells the oracle of these sectors of a page. */
static void tell_of_page(struct buffer *b, lpn_t lpn, mask_t mask,
	void (*tell)(struct oracle *, enum oracle_holder, struct extent))
{
	sector_t first = page_start(b, lpn);

	for (uint32_t from = 0, end = 0; b->oracle && bits_next_run(mask, &from, &end);)
		tell(b->oracle, HOLDER_BUFFER, (struct extent){ first + from, first + end });
}

static void evict(struct buffer *b)
{
	uint64_t used = b->used;

	b->victims = 0;
	b->merging = false;
	b->ops->evict(b);
	if (!b->in_order)
		sort_victims(b);
	if (b->diary)
		write_diary(b);
	hand_over(b);
	b->statistics.evictions++;
	for (uint32_t i = 0; i < b->victims; i++) {
		const struct victim *v = &b->victim[i];

		if (v->node == NODE_NONE)
			continue;
		tell_of_page(b, v->lpn, v->mask, oracle_dram_drop);
		forget(b, v->node, v->mask);
	}
	BUG_ON(b->used == used, "%s evicts nothing from a full buffer", b->ops->name);
}

/* ---- requests ---- */

/* The part of the extent that lies in the page. */
static struct extent clip(const struct buffer *b, struct extent e, lpn_t lpn)
{
	sector_t start = page_start(b, lpn), end = start + b->shape.sectors_per_page;

	return (struct extent){ e.start > start ? e.start : start, e.end < end ? e.end : end };
}

/*
 * One access to a page that is at `at` or nowhere.  SSDsim counts as missed what is absent of a page that is here, and
 * else only what there is no room for.  True if everything was found.
 */
static bool count(struct buffer *b, enum request_type type, uint32_t at, mask_t found, mask_t absent)
{
	struct buffer_statistics *s = &b->statistics;
	uint64_t hit = count_bits(found), miss = count_bits(absent), missed = miss;

	if (at == NODE_NONE) {
		uint64_t room = type == REQUEST_WRITE ? b->capacity - b->used : miss;

		missed = miss > room ? miss - room : 0;
	}
	s->sectors[type] += hit + miss;
	s->hit_sectors[type] += hit;
	s->miss_sectors[type] += miss;
	s->legacy[type] += hit + missed;
	s->pages[type]++;
	s->page_hits[type] += !miss;
	s->page_finds[type] += at != NODE_NONE;
	return !miss;
}

static void count_request(struct buffer *b, enum request_type type, bool complete)
{
	b->statistics.requests[type]++;
	b->statistics.request_hits[type] += complete;
}

static mask_t stored_of(const struct buffer *b, uint32_t at)
{
	return at == NODE_NONE ? 0 : buffer_node(b, at)->stored;
}

/* Sectors of a page that is at `at` or nowhere enter. */
static void enter(struct buffer *b, uint32_t at, lpn_t lpn, mask_t mask, enum request_type type)
{
	mask_t stored = stored_of(b, at);
	uint32_t growth = count_bits(mask & ~stored);
	bool is_new;

	while (b->used + growth > b->capacity) {
		evict(b);
		at = buffer_find(b, lpn);
		stored = stored_of(b, at);
		growth = count_bits(mask & ~stored);
	}
	is_new = at == NODE_NONE;
	if (is_new)
		at = insert(b, lpn);
	b->used += growth;
	buffer_node(b, at)->stored |= mask;
	if (type == REQUEST_WRITE)
		buffer_node(b, at)->dirty |= mask;
	if (is_new)
		b->ops->inserted(b, at, type, mask);
	else if (b->ops->resized && growth)
		b->ops->resized(b, at, stored);
}

static bool write_part(struct buffer *b, lpn_t lpn, mask_t mask)
{
	uint32_t at = buffer_find(b, lpn);
	mask_t stored = stored_of(b, at);
	bool complete = count(b, REQUEST_WRITE, at, mask & stored, mask & ~stored);

	if (at != NODE_NONE)
		b->ops->hit(b, at, REQUEST_WRITE, mask);
	enter(b, at, lpn, mask, REQUEST_WRITE);
	return complete;
}

uint32_t buffer_write(struct buffer *b, struct extent e)
{
	uint32_t accesses = 0;
	bool complete = true;

	if (!b->ops->evict) {
		b->sink.write(b->sink.context, &e, 1);
		return 0;
	}
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); page_start(b, lpn) < e.end; lpn++) {
		complete &= write_part(b, lpn, extent_mask(e, lpn, b->sector_shift));
		oracle_dram_store(b->oracle, HOLDER_BUFFER, clip(b, e, lpn));
		accesses++;
	}
	count_request(b, REQUEST_WRITE, complete);
	return accesses;
}

/* What lies between the missing ranges was answered by the buffer. */
static void tell_oracle(const struct buffer *b, struct extent e)
{
	sector_t at = e.start;

	for (uint32_t i = 0; i < b->missing.n; i++) {
		if (at < b->missing.extent[i].start)
			oracle_dram_answer(
				b->oracle, HOLDER_BUFFER, (struct extent){ at, b->missing.extent[i].start });
		at = b->missing.extent[i].end;
	}
	if (at < e.end)
		oracle_dram_answer(b->oracle, HOLDER_BUFFER, (struct extent){ at, e.end });
}

/* Finds what is here of one page, and notes what is not.  True if something is. */
static bool read_part(struct buffer *b, lpn_t lpn, mask_t mask, mask_t *absent)
{
	uint32_t at = buffer_find(b, lpn);
	mask_t found = stored_of(b, at) & mask;

	*absent = mask & ~found;
	count(b, REQUEST_READ, at, found, *absent);
	add_mask(&b->missing, page_start(b, lpn), *absent);
	if (found)
		b->ops->hit(b, at, REQUEST_READ, mask);
	return found;
}

/* What a read did not find enters, page by page. */
static void allocate(struct buffer *b, lpn_t first, uint32_t pages)
{
	b->allocating = true;
	for (uint32_t i = 0; i < pages; i++) {
		lpn_t lpn = first + i;

		if (!b->absent[i])
			continue;
		enter(b, buffer_find(b, lpn), lpn, b->absent[i], REQUEST_READ);
		tell_of_page(b, lpn, b->absent[i], oracle_dram_store);
	}
	b->allocating = false;
}

/*
 * Answers what is present; the rest reaches the FTL at once, so that it reads no page twice around a
 * buffered sector and sees what is missing on both sides of a page border.
 */
uint32_t buffer_read(struct buffer *b, struct extent e)
{
	lpn_t first = (lpn_t)(e.start >> b->sector_shift);
	uint32_t accesses = 0, pages = (uint32_t)((e.end - 1) >> b->sector_shift) + 1 - first;

	if (!b->ops->evict) {
		b->sink.read(b->sink.context, &e, 1);
		return 0;
	}
	b->missing.n = 0;
	b->absent = memory_grown(b->absent, &b->absent_room, pages, sizeof *b->absent, "buffer misses");
	for (uint32_t i = 0; i < pages; i++)
		accesses +=
			read_part(b, first + i, extent_mask(e, first + i, b->sector_shift), &b->absent[i]);
	count_request(b, REQUEST_READ, !b->missing.n);
	if (b->missing.n)
		b->sink.read(b->sink.context, b->missing.extent, b->missing.n);
	if (b->oracle)
		tell_oracle(b, e);
	if (b->read_allocate)
		allocate(b, first, pages);
	return accesses;
}

void buffer_trim(struct buffer *b, struct extent e)
{
	if (!b->ops->evict)
		return;
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); page_start(b, lpn) < e.end; lpn++) {
		uint32_t at = buffer_find(b, lpn);

		if (at != NODE_NONE)
			forget(b, at, extent_mask(e, lpn, b->sector_shift));
	}
	oracle_dram_drop(b->oracle, HOLDER_BUFFER, e);
}

/* ---- statistics and checks ---- */

uint64_t buffer_dirty_sectors(const struct buffer *b)
{
	uint64_t sectors = 0;

	for (uint32_t i = 0; i < b->nodes.used; i++)
		if (buffer_node(b, i)->stored)
			sectors += count_bits(buffer_node(b, i)->dirty);
	return sectors;
}

#define FIELD_STAT(name) offsetof(struct buffer_statistics, name)
#define COUNT(name)      STAT_COUNT, FIELD_STAT(name)

#define DIRECTION(text, type, hit, miss)                                                                     \
	{ text "hit_sectors", "sectors", hit, COUNT(hit_sectors[type]) },                                    \
		{ text "miss_sectors", "sectors", miss, COUNT(miss_sectors[type]) },                         \
		{ text "hit_ratio", "share", "sectors found, of all", STAT_RATIO,                            \
			FIELD_STAT(hit_sectors[type]), FIELD_STAT(sectors[type]) },                          \
		{ text "page_accesses", "", "of requests, to one page", COUNT(pages[type]) },                \
		{ text "page_hits", "", "of these, found every sector", COUNT(page_hits[type]) },            \
		{ text "page_finds", "", "to a page that is here, if with other sectors",                    \
			COUNT(page_finds[type]) },                                                           \
		{ text "page_hit_ratio", "share", "accesses to a page that found every sector", STAT_RATIO,  \
			FIELD_STAT(page_hits[type]), FIELD_STAT(pages[type]) },                              \
		{ text "request_hit_ratio", "share", "requests that found every sector", STAT_RATIO,         \
			FIELD_STAT(request_hits[type]), FIELD_STAT(requests[type]) },                        \
	{                                                                                                    \
		text "legacy_hit_ratio", "share",                                                            \
			"sectors found, of these and what SSDsim counts as missed: not comparable",          \
			STAT_RATIO, FIELD_STAT(hit_sectors[type]), FIELD_STAT(legacy[type])                  \
	}

static const struct stat_row buffer_stats[] = {
	{ "capacity_bytes", "bytes", "", COUNT(capacity_bytes) },
	DIRECTION("read.", REQUEST_READ, "", ""),
	DIRECTION("write.", REQUEST_WRITE, "written over data still in the buffer", ""),
	{ "evictions", "", "times that pages left to make room", COUNT(evictions) },
	{ "evicted_pages", "pages", "of which something left", COUNT(evicted_pages) },
	{ "flushed_pages", "pages", "of these with dirty data", COUNT(flushed_pages) },
	{ "flushed_sectors", "sectors", "dirty data handed to the FTL", COUNT(flushed_sectors) },
	{ "flush_sectors_mean", "sectors", "of a page that leaves with dirty data", STAT_RATIO,
		FIELD_STAT(flushed_sectors), FIELD_STAT(flushed_pages) },
	{ "eviction_pages_mean", "pages", "that leave together", STAT_RATIO, FIELD_STAT(evicted_pages),
		FIELD_STAT(evictions) },
	{ "merged_writes", "", "parts of several pages handed over to share one", COUNT(merged_writes) },
	{ "dirty_sectors", "sectors", "still in the buffer at the end", COUNT(dirty_sectors) },
	{ 0 },
};

static void gather(void *buffer)
{
	struct buffer *b = buffer;

	b->statistics.capacity_bytes = b->capacity * SECTOR_BYTES;
	b->statistics.dirty_sectors = buffer_dirty_sectors(b);
}

void buffer_statistics(struct buffer *b, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ .title = "write buffer",
				    .prefix = "buffer.",
				    .rows = buffer_stats,
				    .values = &b->statistics,
				    .size = sizeof b->statistics,
				    .owner = b,
				    .gather = gather });
	if (b->ops->statistics)
		b->ops->statistics(b, list);
}

/* ---- state ---- */

static bool holds(const struct buffer *b, uint32_t node)
{
	return node < b->nodes.used && buffer_node(b, node)->stored;
}

void buffer_link_regions(
	const struct buffer *b, struct regions *r, struct array_field links, uint32_t head, uint32_t heads)
{
	for (uint32_t i = 0; i < b->nodes.used && !r->broken; i++) {
		struct link at = *list_link(links, i);

		if (i - head >= heads && !holds(b, i))
			continue;
		regions_require(r,
			(at.next - head < heads || holds(b, at.next)) &&
				(at.previous - head < heads || holds(b, at.previous)) &&
				list_agrees(links, b->nodes.used, i),
			"buffer");
	}
}

/* Which node a page has is state: lists are of nodes.  The index is made anew. */
static void node_regions(struct buffer *b, struct regions *r)
{
	uint64_t most = b->heads + b->capacity;

	pool_regions(&b->nodes, r, most < INDEX_NONE ? (uint32_t)most : INDEX_NONE - 1);
	regions_require(r, b->nodes.used >= b->heads, "buffer");
	if (r->broken)
		return;
	hash_clear(&b->index);
	for (uint32_t i = 0; i < b->nodes.used; i++) {
		const struct buffer_node *node = buffer_node(b, i);

		regions_require(r,
			node->stored ? i >= b->heads && node->lpn < b->shape.pages &&
					       !(node->stored & ~bits_below(b->shape.sectors_per_page))
				     : i >= b->heads || !node->dirty,
			"buffer");
		if (node->stored)
			hash_add(&b->index, by_lpn(b), i);
	}
	regions_require(r,
		pool_frees_zeros(&b->nodes, b->heads, POOL_NUMBERS(b->nodes, struct buffer_node, stored)),
		"buffer");
}

void buffer_regions(struct buffer *b, struct regions *r)
{
	if (!b->ops->evict)
		return;
	node_regions(b, r);
	regions_visit(r, &b->used, sizeof b->used);
	if (!r->broken)
		b->ops->regions(b, r);
}

void buffer_check(const struct buffer *b)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < b->nodes.used; i++) {
		const struct buffer_node *node = buffer_node(b, i);

		used += count_bits(node->stored);
		BUG_ON(node->stored && buffer_find(b, node->lpn) != i,
			"the buffer holds LPN %u, its index does not", node->lpn);
		BUG_ON(node->dirty & ~node->stored && node->stored,
			"LPN %u has dirty sectors that are not stored", node->lpn);
	}
	BUG_ON(used != b->used || used > b->capacity, "the buffer holds %llu sectors of %llu, counts %llu",
		(unsigned long long)used, (unsigned long long)b->capacity, (unsigned long long)b->used);
	if (b->ops->check)
		b->ops->check(b);
}
