#include "base/state.h"

#include "base/fault.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/min_tree.h"
#include "base/queue.h"
#include "base/ranks.h"

#include <stdio.h>
#include <string.h>

const struct state_row ranks_state[] = {
	STATE_FIXED(head, count),
	STATE_UP_TO(struct ranks, lowest, STATE_OWN(struct ranks, count)),
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

/* The struct that is visited or checked. */
struct state_walk {
	struct state_visitor *visitor;
	const void *owner; /* of the rows; also that of the elements of its arrays */
	size_t count;      /* elements of the array that the rows are of */
};

static uint64_t state_limit(const struct state_walk *w, const struct state_limit *limit)
{
	switch (limit->from) {
	case STATE_FROM_OWNER:
		return index_number((const char *)w->owner + limit->number, limit->bytes);
	case STATE_FROM_DEVICE:
		return index_number((const char *)w->visitor->scope.device + limit->number, limit->bytes);
	case STATE_FROM_ARRAY:
		return memory_count(
			*(const void *const *)(const void *)((const char *)w->owner + limit->number));
	case STATE_FROM_ITSELF:
		return w->count;
	default:
		return limit->number;
	}
}

/* The largest number of elements allowed. */
static uint64_t state_most(const struct state_walk *w, const struct state_row *row, size_t bytes)
{
	uint64_t most =
		row->limit.from == STATE_FROM_FILE ? w->visitor->most / bytes : state_limit(w, &row->limit);

	return most < INDEX_NONE ? most : INDEX_NONE - 1;
}

/* ---- bounds ---- */

static bool state_rows_hold(const struct state_walk *, const struct state_row *, const char *element);

static bool state_op_holds(const struct state_visitor *v, const void *at)
{
	uint64_t op = index_number(at, 8);

	return !op || (v->scope.running && v->scope.knows(v->scope.schedule, op));
}

static bool state_structs_hold(const struct state_walk *w, const struct state_row *row, const char *at)
{
	for (uint32_t i = 0; i < row->count; i++)
		if (!state_rows_hold(w, row->rows, at + i * row->bytes))
			return false;
	return true;
}

static bool state_index_holds(uint64_t number, uint32_t bytes, uint64_t limit)
{
	return number < limit || number == (bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1);
}

static bool state_value_holds(
	const struct state_walk *w, const struct state_row *row, enum state_kind kind, const void *at)
{
	uint64_t limit = kind == STATE_IS_NUMBER ? 0 : state_limit(w, &row->limit);
	const struct link *link = at;
	const struct queue *queue = at;

	switch (kind) {
	case STATE_IS_BOOL:
		return index_number(at, 1) < 2;
	case STATE_IS_BELOW:
		return index_number(at, row->bytes) < limit;
	case STATE_IS_UP_TO:
		return index_number(at, row->bytes) <= limit;
	case STATE_IS_INDEX:
		return state_index_holds(index_number(at, row->bytes), row->bytes, limit);
	case STATE_IS_MASK:
		return limit >= 64 || !(index_number(at, row->bytes) >> limit);
	case STATE_IS_OP:
		return state_op_holds(w->visitor, at);
	case STATE_IS_LINK:
		return link->previous < limit && link->next < limit;
	case STATE_IS_QUEUE:
		return state_index_holds(queue->first, 4, limit) && state_index_holds(queue->last, 4, limit);
	case STATE_IS_STRUCT:
		return state_structs_hold(w, row, at);
	default:
		return true;
	}
}

static bool state_rows_hold(const struct state_walk *w, const struct state_row *rows, const char *element)
{
	for (const struct state_row *row = rows; row->name; row++)
		if (!state_value_holds(w, row, row->kind, element + row->offset)) {
			w->visitor->field = row->name;
			return false;
		}
	return true;
}

static bool state_array_holds(
	const struct state_walk *w, const struct state_row *rows, const char *array, size_t stride)
{
	for (size_t i = 0; i < w->count; i++)
		if (!state_rows_hold(w, rows, array + i * stride))
			return false;
	return true;
}

static bool state_elements_hold(
	const struct state_walk *w, const struct state_row *row, const char *array, size_t stride)
{
	if (row->rows)
		return state_array_holds(w, row->rows, array, stride);
	for (size_t i = 0; i < w->count && row->element != STATE_IS_NUMBER; i++)
		if (!state_value_holds(w, row, row->element, array + i * stride))
			return false;
	return true;
}

/* ---- visiting ---- */

void state_visit_bytes(struct state_visitor *v, void *bytes, size_t size)
{
	if (!v->broken)
		v->visit(v, bytes, size);
}

/* Names the first thing that does not hold by its path: "store.space.plane.free_pages". */
static void state_require(struct state_visitor *v, bool holds)
{
	size_t length = 0;

	if (v->broken || holds)
		return;
	for (uint32_t i = 0; i < v->depth && length < sizeof v->place; i++)
		length += (size_t)snprintf(
			v->place + length, sizeof v->place - length, "%s%s", i ? "." : "", v->path[i]);
	if (v->field && length < sizeof v->place)
		snprintf(v->place + length, sizeof v->place - length, ".%s", v->field);
	v->broken = v->place;
}

/* Without a run no operation is in flight, and a handle of one that is done means nothing. */
static void state_forget_ops(
	const struct state_walk *w, const struct state_row *rows, char *array, size_t stride)
{
	for (const struct state_row *row = rows; row && row->name && !w->visitor->scope.running; row++)
		for (size_t i = 0; i < w->count && row->kind == STATE_IS_OP; i++)
			memset(array + i * stride + row->offset, 0, row->bytes);
}

static void state_visit_elements(
	struct state_walk *w, const struct state_row *row, void *array, size_t stride)
{
	struct state_visitor *v = w->visitor;

	state_forget_ops(w, row->rows, array, stride);
	state_visit_bytes(v, array, w->count * stride);
	state_require(v, state_elements_hold(w, row, array, stride));
}

/* Makes room for elements to be read, zeroed if it is new. */
static void *state_make_room(void *elements, uint32_t *room, uint32_t count, size_t bytes, const char *what)
{
	if (count <= *room)
		return elements;
	memory_free(elements);
	*room = count;
	return memory_array(count, bytes, what);
}

/* Reads or writes the number of elements, and allocates memory for them. */
static void *state_visit_count(struct state_walk *w, const struct state_row *row, uint32_t *count,
	void *elements, uint32_t *room, size_t bytes)
{
	struct state_visitor *v = w->visitor;

	state_visit_bytes(v, count, sizeof *count);
	state_require(v, *count <= state_most(w, row, bytes));
	if (v->broken)
		*count = 0;
	w->count = *count;
	return state_make_room(elements, room, *count, bytes, row->name);
}

static void state_visit_pool(struct state_walk *w, const struct state_row *row, struct pool *p)
{
	p->object = state_visit_count(w, row, &p->used, p->object, &p->room, p->bytes);
	state_visit_bytes(w->visitor, &p->free, sizeof p->free);
	state_visit_elements(w, row, p->object, p->bytes);
	if (p->used && row->chosen && row->chosen(w->owner))
		state_require(w->visitor, state_array_holds(w, row->chosen(w->owner),
						  (char *)p->object + row->count, p->bytes));
	state_require(w->visitor, pool_count_free(p) != INDEX_NONE);
}

static void state_visit_grown(struct state_walk *w, const struct state_row *row, void **array, char *owner)
{
	*array = state_visit_count(w, row, (uint32_t *)(void *)(owner + row->used), *array,
		(uint32_t *)(void *)(owner + row->room), row->bytes);
	state_visit_elements(w, row, *array, row->bytes);
}

static void state_visit_heap(struct state_walk *w, const struct state_row *row, struct heap *h)
{
	h->element = state_visit_count(w, row, &h->count, h->element, &h->room, row->bytes);
	state_visit_elements(w, row, h->element, row->bytes);
}

static void state_visit_structs(struct state_walk *w, const struct state_row *row, char *at)
{
	for (size_t i = 0; i < w->count; i++)
		state_visit(w->visitor, row->rows, at + i * row->bytes);
}

/* Memory behind a pointer of the owner. */
static void state_visit_behind(struct state_walk *w, const struct state_row *row, void **pointer, char *owner)
{
	if (!*pointer)
		return;
	w->count = row->bytes ? memory_count(*pointer) : 1;
	if (row->kind == STATE_IS_POINTER)
		state_visit(w->visitor, row->rows, *pointer);
	else if (row->kind == STATE_IS_CHOSEN)
		state_visit(w->visitor, row->chosen(owner), *pointer);
	else if (row->kind == STATE_IS_EACH)
		state_visit_structs(w, row, *pointer);
	else
		state_visit_elements(w, row, *pointer, row->bytes);
}

static void state_visit_value(struct state_walk *w, const struct state_row *row, void *at)
{
	w->count = 1;
	if (row->kind == STATE_IS_OP && !w->visitor->scope.running)
		memset(at, 0, row->bytes);
	state_visit_bytes(w->visitor, at, row->bytes);
	state_require(w->visitor, state_value_holds(w, row, row->kind, at));
}

static void state_visit_row(struct state_visitor *v, const struct state_row *row, char *owner)
{
	struct state_walk w = { v, owner, 0 };
	void *at = owner + row->offset;

	switch (row->kind) {
	case STATE_IS_STRUCT:
		w.count = row->count;
		state_visit_structs(&w, row, at);
		break;
	case STATE_IS_GROWN:
		state_visit_grown(&w, row, at, owner);
		break;
	case STATE_IS_POOL:
		state_visit_pool(&w, row, at);
		break;
	case STATE_IS_HEAP:
		state_visit_heap(&w, row, at);
		break;
	case STATE_IS_POINTER:
	case STATE_IS_CHOSEN:
	case STATE_IS_ARRAY:
	case STATE_IS_EACH:
		state_visit_behind(&w, row, at, owner);
		break;
	case STATE_IS_RESTORED:
		row->restored(owner);
		break;
	case STATE_IS_ENDED:
		if (!v->scope.running)
			row->restored(owner);
		break;
	case STATE_IS_TABLE:
		row->visit(owner, v);
		break;
	case STATE_IS_NOT_SAVED:
	case STATE_IS_RUN:
		break;
	default:
		state_visit_value(&w, row, at);
	}
}

void state_visit(struct state_visitor *v, const struct state_row *rows, void *owner)
{
	for (const struct state_row *row = rows; row && row->name && !v->broken; row++) {
		if (row->kind == STATE_IS_RUN && !v->scope.running)
			return;
		BUG_ON(v->depth == STATE_DEPTH, "%s: rows are nested too deeply", row->name);
		v->path[v->depth++] = row->name;
		state_visit_row(v, row, owner);
		v->depth--;
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

static void state_visit_copier(struct state_copier *c, const struct state_row *rows, void *owner)
{
	state_visit(&c->visitor, rows, owner);
	BUG_ON(c->visitor.broken, "a drive breaks what is declared of its %s", c->visitor.broken);
}

void state_note(struct state_parts *to, const struct state_row *rows, void *owner, struct state_scope scope)
{
	struct state_copier c = { { .visit = state_note_part, .scope = scope, .most = UINT64_MAX },
		.to = to };

	state_visit_copier(&c, rows, owner);
}

void state_give(
	const struct state_parts *from, const struct state_row *rows, void *owner, struct state_scope scope)
{
	struct state_copier c = { { .visit = state_give_part, .scope = scope, .most = UINT64_MAX },
		.from = from };

	state_visit_copier(&c, rows, owner);
}

/* ---- the layout ---- */

static uint64_t state_sum_row(uint64_t sum, const struct state_row *row)
{
	uint32_t place[] = { row->kind, row->element, row->offset, row->bytes };

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
