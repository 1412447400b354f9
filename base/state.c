#include "base/state.h"

#include "base/fault.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/min_tree.h"
#include "base/ranks.h"

#include <string.h>

const struct state_row ranks_state[] = {
	STATE_FIXED(head, count),
	STATE_NUMBER(struct ranks, lowest),
	{ 0 },
};

static void min_tree_restored(void *tree)
{
	struct min_tree *t = tree;
	uint64_t *node = t->node;

	for (uint32_t i = t->count; i < t->leaves; i++)
		min_tree_set_leaf(t, i, MIN_TREE_UNSET);
	for (uint32_t i = t->leaves - 1; i; i--)
		node[i] = node[2 * i] < node[2 * i + 1] ? node[2 * i] : node[2 * i + 1];
}

const struct state_row min_tree_state[] = {
	STATE_FIXED(count, leaves),
	STATE_NUMBERS(struct min_tree, node),
	STATE_RESTORED(min_tree_restored),
	{ 0 },
};

/* ---- visiting ---- */

void state_visit_bytes(struct state_visitor *v, void *bytes, size_t size)
{
	if (!v->ended)
		v->visit(v, bytes, size);
}

/* Without a run no operation is in flight, and a handle of one that is done means nothing. */
static void state_forget_ops(
	const struct state_visitor *v, const struct state_row *rows, char *array, size_t count, size_t stride)
{
	for (const struct state_row *row = rows; row && row->name && !v->running; row++)
		for (size_t i = 0; i < count && row->kind == STATE_IS_OP; i++)
			memset(array + i * stride + row->offset, 0, row->bytes);
}

static void state_visit_elements(
	struct state_visitor *v, const struct state_row *row, void *array, size_t count, size_t stride)
{
	state_forget_ops(v, row->rows, array, count, stride);
	state_visit_bytes(v, array, count * stride);
}

/* Visits the number of elements, makes room for them, zeroed if it is new, and visits them. */
static void *state_visit_growing(struct state_visitor *v, const struct state_row *row, uint32_t *count,
	void *elements, uint32_t *room, size_t bytes)
{
	state_visit_bytes(v, count, sizeof *count);
	if (v->ended)
		*count = 0;
	if (*count > *room) {
		memory_free(elements);
		*room = *count;
		elements = memory_array(*count, bytes, row->name);
	}
	state_visit_elements(v, row, elements, *count, bytes);
	return elements;
}

/* Memory behind a pointer of the owner. */
static void state_visit_behind(struct state_visitor *v, const struct state_row *row, void *at, char *owner)
{
	size_t count = row->bytes ? memory_count(at) : 1;

	if (row->kind == STATE_IS_POINTER)
		state_visit(v, row->rows, at);
	else if (row->kind == STATE_IS_CHOSEN)
		state_visit(v, row->chosen(owner), at);
	else if (row->kind == STATE_IS_ARRAY)
		state_visit_elements(v, row, at, count, row->bytes);
	else
		for (size_t i = 0; i < count; i++)
			state_visit(v, row->rows, (char *)at + i * row->bytes);
}

static void state_visit_row(struct state_visitor *v, const struct state_row *row, char *owner)
{
	char *at = owner + row->offset;
	void **pointer = (void **)(void *)at;
	struct pool *pool = (void *)at;
	struct heap *heap = (void *)at;

	switch (row->kind) {
	case STATE_IS_NUMBER:
	case STATE_IS_OP:
		if (row->kind == STATE_IS_OP && !v->running)
			memset(at, 0, row->bytes);
		state_visit_bytes(v, at, row->bytes);
		break;
	case STATE_IS_STRUCT:
		for (uint32_t i = 0; i < row->count; i++)
			state_visit(v, row->rows, at + i * row->bytes);
		break;
	case STATE_IS_GROWN:
		*pointer = state_visit_growing(v, row, (uint32_t *)(void *)(owner + row->used), *pointer,
			(uint32_t *)(void *)(owner + row->room), row->bytes);
		break;
	case STATE_IS_POOL:
		state_visit_bytes(v, &pool->free, sizeof pool->free);
		pool->object =
			state_visit_growing(v, row, &pool->used, pool->object, &pool->room, pool->bytes);
		break;
	case STATE_IS_HEAP:
		heap->element =
			state_visit_growing(v, row, &heap->count, heap->element, &heap->room, row->bytes);
		break;
	case STATE_IS_POINTER:
	case STATE_IS_CHOSEN:
	case STATE_IS_ARRAY:
	case STATE_IS_EACH:
		if (*pointer)
			state_visit_behind(v, row, *pointer, owner);
		break;
	case STATE_IS_RESTORED:
		row->restored(owner);
		break;
	case STATE_IS_ENDED:
		if (!v->running)
			row->restored(owner);
		break;
	case STATE_IS_TABLE:
		row->visit(owner, v);
		break;
	case STATE_IS_NOT_SAVED:
	case STATE_IS_RUN:
		break;
	}
}

void state_visit(struct state_visitor *v, const struct state_row *rows, void *owner)
{
	for (const struct state_row *row = rows; row && row->name && !v->ended; row++) {
		if (row->kind == STATE_IS_RUN && !v->running)
			return;
		state_visit_row(v, row, owner);
	}
}

/* ---- copying ---- */

struct state_part {
	unsigned char *at;
	size_t size;
};

struct state_copier {
	struct state_visitor visitor; /* first: the copier is found through it */
	struct state_parts *to;
	const struct state_parts *from;
	uint32_t next;
};

static void state_note_part(struct state_visitor *v, void *bytes, size_t size)
{
	struct state_parts *to = ((struct state_copier *)v)->to;

	to->part = memory_grown(to->part, &to->room, to->parts + 1, sizeof *to->part, "parts of a copy");
	to->part[to->parts++] = (struct state_part){ bytes, size };
}

/* Equal pieces are not written: zeros that were never touched then take no memory in the copy, either. */
static void state_give_part(struct state_visitor *v, void *bytes, size_t size)
{
	enum { PIECE = 4096 };
	struct state_copier *c = (struct state_copier *)v;
	const struct state_part *part = &c->from->part[c->next++];
	const unsigned char *from = part->at;
	unsigned char *to = bytes;

	BUG_ON(c->next > c->from->parts || part->size != size, "two drives of the same rows differ in size");
	for (size_t piece; size; from += piece, to += piece, size -= piece) {
		piece = size < PIECE ? size : PIECE;
		if (memcmp(from, to, piece) != 0)
			memcpy(to, from, piece);
	}
}

void state_note(struct state_parts *to, const struct state_row *rows, void *owner, bool running)
{
	struct state_copier c = { { .visit = state_note_part, .running = running }, .to = to };

	state_visit(&c.visitor, rows, owner);
}

void state_give(const struct state_parts *from, const struct state_row *rows, void *owner, bool running)
{
	struct state_copier c = { { .visit = state_give_part, .running = running }, .from = from };

	state_visit(&c.visitor, rows, owner);
}

/* ---- the layout ---- */

static uint64_t state_sum_row(uint64_t sum, const struct state_row *row)
{
	uint32_t place[] = { row->kind, row->offset, row->bytes };

	sum = hash_bytes(sum, row->name, strlen(row->name) + 1);
	return hash_bytes(sum, place, sizeof place);
}

static uint64_t state_sum(uint64_t sum, const struct state_row *rows, const char *owner, bool running);

/* The rows that this row leads to.  Elements hold no pointers, so those of an array need no owner. */
static uint64_t state_sum_behind(uint64_t sum, const struct state_row *row, const char *owner, bool running)
{
	const char *at = owner ? owner + row->offset : NULL;

	if (row->layout && owner) {
		uint64_t layout = row->layout(owner);

		return hash_bytes(sum, &layout, sizeof layout);
	}
	if (at && (row->kind == STATE_IS_POINTER || row->kind == STATE_IS_CHOSEN)) {
		const char *to = *(const char *const *)(const void *)at;

		return to ? state_sum(sum, row->chosen ? row->chosen(owner) : row->rows, to, running) : sum;
	}
	if (at && (row->kind == STATE_IS_ARRAY || row->kind == STATE_IS_EACH)) {
		uint64_t count = memory_count(*(const void *const *)(const void *)at);

		sum = hash_bytes(sum, &count, sizeof count);
	}
	sum = state_sum(sum, row->rows, row->kind == STATE_IS_STRUCT ? at : NULL, running);
	return at && row->chosen ? state_sum(sum, row->chosen(owner), NULL, running) : sum;
}

static uint64_t state_sum(uint64_t sum, const struct state_row *rows, const char *owner, bool running)
{
	for (const struct state_row *row = rows; row && row->name; row++) {
		if (row->kind == STATE_IS_RUN && !running)
			return sum;
		sum = state_sum_behind(state_sum_row(sum, row), row, owner, running);
	}
	return sum;
}

uint64_t state_layout(const struct state_row *rows, const void *owner, bool running)
{
	return state_sum(HASH_NOTHING, rows, owner, running);
}
