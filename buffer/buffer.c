#include "buffer/extents.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/memory.h"

#include <inttypes.h>
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

static void buffer_check_ops(const struct buffer_ops *ops)
{
	BUG_ON(!ops->name || !ops->brief, "a buffer policy without name or brief");
	BUG_ON(ops->evict && (!ops->size || !ops->init || !ops->inserted || !ops->hit || !ops->removed ||
				     !ops->page_state),
		"buffer policy %s lacks a required operation", ops->name);
}

struct buffer *buffer_create(const struct buffer_ops *ops, const void *settings, struct buffer_shape shape,
	struct buffer_sink sink, struct oracle *oracle)
{
	struct buffer *b = memory_array(1, sizeof *b, "buffer");
	uint64_t sectors = shape.bytes / SECTOR_BYTES;

	buffer_check_ops(ops);
	b->ops = ops;
	b->settings = settings;
	b->sink = sink;
	b->oracle = oracle;
	b->shape = shape;
	b->sector_shift = (uint32_t)__builtin_ctz(shape.sectors_per_page);
	b->nodes = pool_create(
		(uint32_t)(sizeof(struct buffer_node) + (ops->page_size + 7) / 8 * 8), "buffer nodes");
	if (!ops->evict)
		return b;
	b->capacity = sectors > shape.sectors_per_page ? sectors : shape.sectors_per_page;
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

static struct hashed buffer_by_lpn(const struct buffer *b)
{
	return (struct hashed){ POOL_FIELD(b->nodes, struct buffer_node, lpn),
		POOL_FIELD(b->nodes, struct buffer_node, chain) };
}

static struct array_field buffer_links(const struct buffer *b, size_t member)
{
	return (struct array_field){ b->nodes.object, sizeof(struct buffer_node) + member, b->nodes.bytes };
}

uint32_t buffer_heads(struct buffer *b, size_t member, uint32_t count)
{
	uint32_t first = b->heads;

	BUG_ON(b->lists == BUFFER_LISTS_MOST, "%s has lists through more than %d members", b->ops->name,
		BUFFER_LISTS_MOST);
	for (; b->heads < first + count; b->heads++) {
		uint32_t head = pool_take(&b->nodes);

		list_init(buffer_links(b, member), head);
	}
	b->list[b->lists++] = (struct buffer_lists){ member, first, count };
	return first;
}

uint32_t buffer_find(const struct buffer *b, lpn_t lpn)
{
	return hash_find(&b->index, buffer_by_lpn(b), lpn);
}

/* Many masks are empty; without a population count instruction, counting is a call. */
static uint32_t buffer_count_bits(mask_t mask)
{
	return mask ? (uint32_t)__builtin_popcountll(mask) : 0;
}

static uint32_t buffer_insert(struct buffer *b, lpn_t lpn)
{
	uint32_t at = pool_take(&b->nodes);

	memset(buffer_node(b, at), 0, b->nodes.bytes);
	buffer_node(b, at)->lpn = lpn;
	hash_add(&b->index, buffer_by_lpn(b), at);
	return at;
}

/* Drops sectors of a page, and with the last one the page. */
static void buffer_drop(struct buffer *b, uint32_t at, mask_t mask)
{
	struct buffer_node *node = buffer_node(b, at);
	mask_t before = node->stored;

	b->used -= buffer_count_bits(before & mask);
	if (before & ~mask) {
		node->stored &= ~mask;
		node->dirty &= ~mask;
		if (b->ops->resized && before & mask)
			b->ops->resized(b, at, before);
		return;
	}
	b->ops->removed(b, at);
	hash_remove(&b->index, buffer_by_lpn(b), at);
	node->stored = 0;
	pool_give(&b->nodes, at);
}

/* ---- eviction ---- */

static void buffer_add_victim(struct buffer *b, struct victim v)
{
	b->victim =
		memory_grown(b->victim, &b->victim_room, b->victims + 1, sizeof *b->victim, "buffer victims");
	b->victim[b->victims++] = v;
}

void buffer_choose(struct buffer *b, uint32_t node, mask_t mask)
{
	BUG_ON(node == NODE_NONE || !(buffer_node(b, node)->stored & mask),
		"%s evicts a page that is not in the buffer", b->ops->name);
	buffer_add_victim(
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
		buffer_add_victim(b, (struct victim){ lpn, NODE_NONE, 0 });
}

static sector_t buffer_page_start(const struct buffer *b, lpn_t lpn)
{
	return (sector_t)lpn << b->sector_shift;
}

/* Sorts by address.  Insertion sort: most policies choose pages in this order already, or only a few. */
static void buffer_sort_victims(struct buffer *b)
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

/* Flushes all dirty sectors of the victims, and pages to be padded, in one call. */
static void buffer_flush(struct buffer *b)
{
	b->flush.n = 0;
	for (uint32_t i = 0; i < b->victims; i++) {
		const struct victim *v = &b->victim[i];
		sector_t start = buffer_page_start(b, v->lpn);
		mask_t dirty;

		if (v->node == NODE_NONE) {
			extents_push(&b->flush, (struct extent){ start, start });
			continue;
		}
		dirty = buffer_node(b, v->node)->dirty & v->mask;
		extents_add_mask(&b->flush, start, dirty);
		b->statistics.evicted_pages++;
		b->statistics.flushed_pages += dirty != 0;
		b->statistics.flushed_sectors += buffer_count_bits(dirty);
	}
	if (!b->flush.n)
		return;
	b->statistics.merged_writes += b->merging;
	(b->merging ? b->sink.write_merged : b->sink.write)(b->sink.context, b->flush.extent, b->flush.n);
}

void buffer_explain(struct buffer *b, const char *format, ...)
{
	va_list args;

	if (!b->explains)
		return;
	fputs("# the buffer makes room: ", b->explains);
	va_start(args, format);
	vfprintf(b->explains, format, args);
	va_end(args);
	fputc('\n', b->explains);
}

/* A line for each victim. */
static void buffer_explain_victims(const struct buffer *b)
{
	for (uint32_t i = 0; i < b->victims; i++) {
		const struct victim *v = &b->victim[i];

		if (v->node == NODE_NONE)
			continue;
		fprintf(b->explains, "#     LPN %u leaves, %u of its sectors, %u dirty%s\n", v->lpn,
			buffer_count_bits(v->mask),
			buffer_count_bits(buffer_node(b, v->node)->dirty & v->mask),
			b->merging ? ", into a page shared with others" : "");
	}
}

/* Calls a function of the oracle for these sectors of a page. */
static void buffer_tell_oracle(struct buffer *b, lpn_t lpn, mask_t mask,
	void (*tell)(struct oracle *, enum oracle_holder, struct extent))
{
	sector_t first = buffer_page_start(b, lpn);

	for (uint32_t from = 0, end = 0; b->oracle && bits_next_run(mask, &from, &end);)
		tell(b->oracle, HOLDER_BUFFER, (struct extent){ first + from, first + end });
}

static void buffer_evict(struct buffer *b)
{
	uint64_t used = b->used;

	b->victims = 0;
	b->merging = false;
	b->ops->evict(b);
	if (!b->in_order)
		buffer_sort_victims(b);
	if (b->explains)
		buffer_explain_victims(b);
	buffer_flush(b);
	b->statistics.evictions++;
	for (uint32_t i = 0; i < b->victims; i++) {
		const struct victim *v = &b->victim[i];

		if (v->node == NODE_NONE)
			continue;
		buffer_tell_oracle(b, v->lpn, v->mask, oracle_dram_drop);
		buffer_drop(b, v->node, v->mask);
	}
	BUG_ON(b->used == used, "%s evicts nothing from a full buffer", b->ops->name);
}

/* ---- requests ---- */

/* The part of the extent within the page. */
static struct extent buffer_clip(const struct buffer *b, struct extent e, lpn_t lpn)
{
	sector_t start = buffer_page_start(b, lpn), end = start + b->shape.sectors_per_page;

	return (struct extent){ e.start > start ? e.start : start, e.end < end ? e.end : end };
}

/*
 * Counts an access to a page, whose node is `at` or NODE_NONE.  SSDsim counts absent sectors as missed if
 * others of the page are buffered, else only those for which there is no room.  True if all sectors were
 * found.
 */
static bool buffer_count_access(
	struct buffer *b, enum request_type type, uint32_t at, mask_t found, mask_t absent)
{
	struct buffer_statistics *s = &b->statistics;
	uint64_t hit = buffer_count_bits(found), miss = buffer_count_bits(absent), missed = miss;

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

static void buffer_count_request(struct buffer *b, enum request_type type, bool complete)
{
	b->statistics.requests[type]++;
	b->statistics.request_hits[type] += complete;
}

static mask_t buffer_stored_of(const struct buffer *b, uint32_t at)
{
	return at == NODE_NONE ? 0 : buffer_node(b, at)->stored;
}

/* Adds sectors to a page, whose node is `at` or NODE_NONE. */
static void buffer_enter(struct buffer *b, uint32_t at, lpn_t lpn, mask_t mask, enum request_type type)
{
	mask_t stored = buffer_stored_of(b, at);
	uint32_t growth = buffer_count_bits(mask & ~stored);
	bool is_new;

	while (b->used + growth > b->capacity) {
		buffer_evict(b);
		at = buffer_find(b, lpn);
		stored = buffer_stored_of(b, at);
		growth = buffer_count_bits(mask & ~stored);
	}
	is_new = at == NODE_NONE;
	if (is_new)
		at = buffer_insert(b, lpn);
	b->used += growth;
	buffer_node(b, at)->stored |= mask;
	if (type == REQUEST_WRITE)
		buffer_node(b, at)->dirty |= mask;
	if (is_new)
		b->ops->inserted(b, at, type, mask);
	else if (b->ops->resized && growth)
		b->ops->resized(b, at, stored);
}

static bool buffer_write_part(struct buffer *b, lpn_t lpn, mask_t mask)
{
	uint32_t at = buffer_find(b, lpn);
	mask_t stored = buffer_stored_of(b, at);
	bool complete = buffer_count_access(b, REQUEST_WRITE, at, mask & stored, mask & ~stored);

	if (at != NODE_NONE)
		b->ops->hit(b, at, REQUEST_WRITE, mask);
	buffer_enter(b, at, lpn, mask, REQUEST_WRITE);
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
	b->request++;
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); buffer_page_start(b, lpn) < e.end; lpn++) {
		complete &= buffer_write_part(b, lpn, extent_mask(e, lpn, b->sector_shift));
		oracle_dram_store(b->oracle, HOLDER_BUFFER, buffer_clip(b, e, lpn));
		accesses++;
	}
	buffer_count_request(b, REQUEST_WRITE, complete);
	return accesses;
}

/* The buffer answered all but the missing ranges. */
static void buffer_answer_oracle(const struct buffer *b, struct extent e)
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

/* Looks up the sectors of one page and records the absent ones.  True if any was found. */
static bool buffer_read_part(struct buffer *b, lpn_t lpn, mask_t mask, mask_t *absent)
{
	uint32_t at = buffer_find(b, lpn);
	mask_t found = buffer_stored_of(b, at) & mask;

	*absent = mask & ~found;
	buffer_count_access(b, REQUEST_READ, at, found, *absent);
	extents_add_mask(&b->missing, buffer_page_start(b, lpn), *absent);
	if (found)
		b->ops->hit(b, at, REQUEST_READ, mask);
	return found;
}

/* Buffers the sectors that a read did not find, page by page. */
static void buffer_allocate(struct buffer *b, lpn_t first, uint32_t pages)
{
	b->allocating = true;
	for (uint32_t i = 0; i < pages; i++) {
		lpn_t lpn = first + i;

		if (!b->absent[i])
			continue;
		buffer_enter(b, buffer_find(b, lpn), lpn, b->absent[i], REQUEST_READ);
		buffer_tell_oracle(b, lpn, b->absent[i], oracle_dram_store);
	}
	b->allocating = false;
}

/*
 * All missing sectors reach the FTL in one call, so that it reads no page twice around a buffered sector and
 * sees a range across a page border as one.
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
		accesses += buffer_read_part(
			b, first + i, extent_mask(e, first + i, b->sector_shift), &b->absent[i]);
	buffer_count_request(b, REQUEST_READ, !b->missing.n);
	if (b->missing.n)
		b->sink.read(b->sink.context, b->missing.extent, b->missing.n);
	if (b->oracle)
		buffer_answer_oracle(b, e);
	if (b->read_allocate)
		buffer_allocate(b, first, pages);
	return accesses;
}

void buffer_trim(struct buffer *b, struct extent e)
{
	if (!b->ops->evict)
		return;
	for (lpn_t lpn = (lpn_t)(e.start >> b->sector_shift); buffer_page_start(b, lpn) < e.end; lpn++) {
		uint32_t at = buffer_find(b, lpn);

		if (at != NODE_NONE)
			buffer_drop(b, at, extent_mask(e, lpn, b->sector_shift));
	}
	oracle_dram_drop(b->oracle, HOLDER_BUFFER, e);
}

/* ---- state ---- */

static void buffer_restored(void *buffer)
{
	struct buffer *b = buffer;

	if (!b->ops->evict)
		return;
	hash_clear(&b->index);
	for (uint32_t i = 0; i < b->nodes.used; i++)
		if (buffer_node(b, i)->stored)
			hash_add(&b->index, buffer_by_lpn(b), i);
	if (b->ops->restored)
		b->ops->restored(b);
}

static const struct state_row *buffer_policy_state(const void *buffer)
{
	return ((const struct buffer *)buffer)->ops->state;
}

static const struct state_row *buffer_page_state(const void *buffer)
{
	return ((const struct buffer *)buffer)->ops->page_state;
}

static const struct state_row buffer_node_state[] = {
	STATE_NUMBER(struct buffer_node, lpn),
	STATE_REBUILT(chain),
	STATE_NUMBER(struct buffer_node, stored),
	STATE_NUMBER(struct buffer_node, dirty),
	{ 0 },
};

const struct state_row buffer_state[] = {
	STATE_FIXED(ops, settings, oracle, sink, shape, sector_shift, heads, list, lists, capacity),
	STATE_FIXED(read_allocate, pads, merges, in_order, prefix),
	STATE_SCRATCH(allocating, explains, victim, victims, victim_room, merging, flush),
	STATE_SCRATCH(missing, absent, absent_room),
	STATE_POOL_TAILED(
		struct buffer, nodes, buffer_node_state, buffer_page_state, sizeof(struct buffer_node)),
	STATE_REBUILT(index),
	STATE_NUMBER(struct buffer, used),
	STATE_NUMBER(struct buffer, request),
	STATE_CHOSEN(struct buffer, state, buffer_policy_state),
	STATE_COUNTED(statistics),
	STATE_RESTORED(buffer_restored),
	{ 0 },
};

void buffer_check(const struct buffer *b)
{
	uint32_t nodes = b->heads + pool_count_free(&b->nodes);
	uint64_t used = 0;

	for (uint32_t i = 0; i < b->nodes.used; i++) {
		const struct buffer_node *node = buffer_node(b, i);

		used += buffer_count_bits(node->stored);
		nodes += node->stored != 0;
		BUG_ON(node->stored && buffer_find(b, node->lpn) != i,
			"the buffer holds LPN %u, its index does not", node->lpn);
		BUG_ON(node->dirty & ~node->stored && node->stored,
			"LPN %u has dirty sectors that are not stored", node->lpn);
	}
	BUG_ON(used != b->used || used > b->capacity,
		"the buffer holds %" PRIu64 " sectors of %" PRIu64 ", counts %" PRIu64, used, b->capacity,
		b->used);
	BUG_ON(b->ops->evict && nodes != b->nodes.used, "%u of %u nodes of the buffer are known", nodes,
		b->nodes.used);
	if (b->ops->check)
		b->ops->check(b);
}
