/* State as tables: every kind of row saved, loaded and copied (base/state.h). */
#include "base/fault.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/queue.h"
#include "base/ranks.h"
#include "base/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct item {
	uint32_t page;
	uint16_t next;
	uint8_t kind;
	bool dirty;
	uint64_t mask, op;
	struct link link;
	struct queue queue;
};

struct inner {
	uint64_t number;
};

struct plugin {
	uint32_t choice;
};

struct owner {
	uint32_t limit;
	uint64_t number;
	struct inner inner, inners[2], *behind, *absent;
	struct item *item;
	uint32_t *indexes;
	struct pool pool;
	struct heap heap;
	uint32_t *grown, grown_used, grown_room;
	struct ranks *ranks;
	void *plugin;
	uint64_t op, of_run;
	uint64_t sum; /* of indexes: follows from them */
	uint64_t calls, ends;
};

static const struct state_row item_state[] = {
	STATE_NUMBER(struct item, page),
	STATE_NUMBER(struct item, next),
	STATE_NUMBER(struct item, kind),
	STATE_NUMBER(struct item, dirty),
	STATE_NUMBER(struct item, mask),
	STATE_OP(struct item, op),
	STATE_NUMBER(struct item, link),
	STATE_NUMBER(struct item, queue),
	{ 0 },
};

static const struct state_row inner_state[] = { STATE_NUMBER(struct inner, number), { 0 } };
static const struct state_row plugin_state[] = { STATE_NUMBER(struct plugin, choice), { 0 } };

static const struct state_row *plugin_rows(const void *owner)
{
	(void)owner;
	return plugin_state;
}

static void owner_restored(void *owner)
{
	struct owner *o = owner;

	o->calls++;
	o->sum = 0;
	for (size_t i = 0; i < memory_count(o->indexes); i++)
		o->sum += o->indexes[i];
}

static void owner_ended(void *owner)
{
	((struct owner *)owner)->ends++;
}

static const struct state_row owner_state[] = {
	STATE_FIXED(limit),
	STATE_NUMBER(struct owner, number),
	STATE_STRUCT(struct owner, inner, inner_state),
	STATE_STRUCTS(struct owner, inners, inner_state),
	STATE_POINTER(struct owner, behind, inner_state),
	STATE_POINTER(struct owner, absent, inner_state),
	STATE_ARRAY(struct owner, item, item_state),
	STATE_NUMBERS(struct owner, indexes),
	STATE_REBUILT(sum),
	STATE_RESTORED(owner_restored),
	STATE_POOL(struct owner, pool, inner_state),
	STATE_HEAP(struct owner, heap, uint64_t, NULL),
	STATE_GROWN(struct owner, grown, grown_used, grown_room, NULL),
	STATE_EACH(struct owner, ranks, ranks_state),
	STATE_CHOSEN(struct owner, plugin, plugin_rows),
	STATE_OP(struct owner, op),
	STATE_ENDED(owner_ended),
	STATE_SCRATCH(calls, ends),
	STATE_OF_RUN,
	STATE_NUMBER(struct owner, of_run),
	{ 0 },
};

/* Copies what is visited into a buffer, or back. */
struct copier {
	struct state_visitor visitor;
	unsigned char bytes[8192];
	size_t at, used;
	bool back;
};

static void copy(struct state_visitor *r, void *bytes, size_t size)
{
	struct copier *c = (struct copier *)r;

	assert_true(c->at + size <= sizeof c->bytes);
	if (size)
		memcpy(c->back ? bytes : c->bytes + c->at, c->back ? c->bytes + c->at : bytes, size);
	c->at += size;
	c->used = c->back ? c->used : c->at;
}

static void owner_init(struct owner *o, bool filled)
{
	static const struct item item = { .page = 999,
		.next = UINT16_MAX,
		.kind = 2,
		.dirty = true,
		.mask = 0xff,
		.op = 99,
		.link = { 1, 2 },
		.queue = { 4, INDEX_NONE } };

	*o = (struct owner){ .limit = 7 };
	o->behind = memory_array(1, sizeof *o->behind, "test");
	o->item = memory_array(3, sizeof *o->item, "test");
	o->indexes = memory_array(5, sizeof *o->indexes, "test");
	o->pool = pool_create(sizeof(struct inner), "test");
	o->ranks = memory_array(2, sizeof *o->ranks, "test");
	o->ranks[0] = o->ranks[1] = (struct ranks){ .head = 10, .count = 4, .lowest = 4 };
	o->plugin = memory_array(1, sizeof(struct plugin), "test");
	if (!filled)
		return;
	o->number = 7;
	o->inner.number = 1, o->inners[0].number = 2, o->inners[1].number = 3, o->behind->number = 4;
	o->item[0] = o->item[1] = o->item[2] = item;
	for (uint32_t i = 0; i < 5; i++)
		o->indexes[i] = i + 2;
	for (uint32_t i = 0; i < 20; i++)
		((struct inner *)pool_at(&o->pool, pool_take(&o->pool)))->number = (uint64_t)(50 + i) << 32;
	pool_give(&o->pool, 5);
	pool_give(&o->pool, 9);
	for (uint32_t i = 0; i < 3; i++)
		heap_push(&o->heap, &(uint64_t){ 30 - i }, sizeof(uint64_t), heap_number_before, "test");
	o->grown_used = 40;
	o->grown = memory_grown(NULL, &o->grown_room, 40, sizeof *o->grown, "test");
	for (uint32_t i = 0; i < 40; i++)
		o->grown[i] = i;
	o->ranks[1].lowest = 2;
	((struct plugin *)o->plugin)->choice = 1;
	o->op = 50;
	o->of_run = 77;
}

static void owner_free(struct owner *o)
{
	memory_free(o->behind);
	memory_free(o->item);
	memory_free(o->indexes);
	pool_free(&o->pool);
	memory_free(o->heap.element);
	memory_free(o->grown);
	memory_free(o->ranks);
	memory_free(o->plugin);
}

static struct copier saved(struct owner *o, bool running)
{
	struct copier c = { .visitor = { .visit = copy, .running = running } };

	state_visit(&c.visitor, owner_state, o);
	c.at = 0;
	c.back = true;
	return c;
}

static void assert_same(const struct owner *a, const struct owner *b)
{
	assert_int_equal(b->number, 7);
	assert_int_equal(b->inner.number, 1);
	assert_int_equal(b->inners[0].number + 10 * b->inners[1].number, 32);
	assert_int_equal(b->behind->number, 4);
	assert_memory_equal(a->item, b->item, 3 * sizeof *a->item);
	assert_memory_equal(a->indexes, b->indexes, 5 * sizeof *a->indexes);
	assert_int_equal(b->sum, 2 + 3 + 4 + 5 + 6);
	assert_int_equal(b->heap.count, 3);
	assert_memory_equal(a->heap.element, b->heap.element, 3 * sizeof(uint64_t));
	assert_int_equal(b->grown_used, 40);
	assert_int_equal(b->grown[39], 39);
	assert_int_equal(b->ranks[0].lowest + 10 * b->ranks[1].lowest, 24);
	assert_int_equal(b->ranks[1].head, 10);
	assert_int_equal(((const struct plugin *)b->plugin)->choice, 1);
}

static void test_state_goes_from_one_owner_to_another(void **state)
{
	(void)state;
	for (int running = 0; running < 2; running++) {
		struct owner a, b;
		struct copier c;

		owner_init(&a, true);
		owner_init(&b, false);
		c = saved(&a, running);
		state_visit(&c.visitor, owner_state, &b);
		assert_int_equal(c.at, c.used);
		assert_same(&a, &b);
		assert_int_equal(b.op, running ? 50 : 0);
		assert_int_equal(b.item[2].op, running ? 99 : 0);
		assert_int_equal(b.of_run, running ? 77 : 0);
		assert_int_equal(b.calls, 1);
		assert_int_equal(b.ends, !running);
		owner_free(&a);
		owner_free(&b);
	}
}

/* The free objects of a pool are saved, too. */
static void test_pool_is_saved(void **state)
{
	struct owner a, b;
	struct copier c;

	(void)state;
	owner_init(&a, true);
	owner_init(&b, false);
	c = saved(&a, true);
	state_visit(&c.visitor, owner_state, &b);
	assert_int_equal(b.pool.used, 20);
	assert_int_equal(((struct inner *)pool_at(&b.pool, 19))->number, (uint64_t)69 << 32);
	assert_int_equal(pool_take(&b.pool), 9);
	assert_int_equal(pool_take(&b.pool), 5);
	assert_int_equal(pool_take(&b.pool), 20);
	owner_free(&a);
	owner_free(&b);
}

/* Another name, place, kind, size or length anywhere changes the sum. */
static void test_layout_is_told_apart(void **state)
{
	struct other_inner {
		uint32_t pad, number;
	};
	static const struct state_row other_rows[][2] = { { STATE_NUMBER(struct other_inner, number) },
		{ STATE_NUMBER(struct inner, number) }, { STATE_OP(struct inner, number) } };
	struct state_row outer[2] = { STATE_STRUCT(struct owner, inner, inner_state), { 0 } };
	struct owner o;
	uint64_t sum;

	(void)state;
	owner_init(&o, true);
	assert_int_equal(state_layout(owner_state, &o, true), state_layout(owner_state, &o, true));
	sum = state_layout(outer, &o, true);
	for (size_t i = 0; i < 3; i++) {
		outer[0].rows = other_rows[i];
		assert_true((state_layout(outer, &o, true) == sum) == (i == 1));
	}
	outer[0].rows = inner_state;
	outer[0].name = "outer";
	assert_true(state_layout(outer, &o, true) != sum);
	sum = state_layout(owner_state, &o, true);
	memory_free(o.indexes);
	o.indexes = memory_array(6, sizeof *o.indexes, "test");
	assert_true(state_layout(owner_state, &o, true) != sum);
	owner_free(&o);
}

static uint64_t limit_layout(const void *owner)
{
	return ((const struct owner *)owner)->limit;
}

/* Rows of a run belong to the layout only with a run; what another table describes belongs to it. */
static void test_layout_of_a_run_and_of_other_tables(void **state)
{
	static const struct state_row rows[][4] = {
		{ STATE_NUMBER(struct owner, number), { 0 } },
		{ STATE_NUMBER(struct owner, number), STATE_OF_RUN, STATE_NUMBER(struct owner, of_run) },
		{ STATE_TABLE(struct owner, number, NULL, limit_layout), { 0 } },
	};
	struct owner o = { .limit = 1 };
	uint64_t sum = state_layout(rows[2], &o, true);

	(void)state;
	assert_true(state_layout(rows[0], &o, false) == state_layout(rows[1], &o, false));
	assert_true(state_layout(rows[0], &o, true) != state_layout(rows[1], &o, true));
	o.limit = 2;
	assert_true(state_layout(rows[2], &o, true) != sum);
}

/* Objects of a pool end with data of a plug-in.  A new pool has neither objects nor memory. */
static void test_ends_of_objects(void **state)
{
	static const struct state_row rows[] = {
		STATE_POOL_TAILED(struct owner, pool, inner_state, plugin_rows, sizeof(struct inner)), { 0 }
	};
	struct copier c = { .visitor = { .visit = copy } };
	struct owner a = { .pool = pool_create(sizeof(struct inner) + sizeof(struct plugin), "test") }, b = a;
	struct plugin *end;

	(void)state;
	state_visit(&c.visitor, rows, &a);
	assert_int_equal(c.at, 2 * sizeof(uint32_t));
	for (int i = 0; i < 3; i++)
		pool_take(&a.pool);
	end = (struct plugin *)(void *)((struct inner *)pool_at(&a.pool, 2) + 1);
	end->choice = 1;
	c.at = 0;
	state_visit(&c.visitor, rows, &a);
	c.at = 0;
	c.back = true;
	state_visit(&c.visitor, rows, &b);
	end = (struct plugin *)(void *)((struct inner *)pool_at(&b.pool, 2) + 1);
	assert_int_equal(end->choice, 1);
	assert_true(state_layout(rows, &a, true) != state_layout(rows, NULL, true));
	pool_free(&a.pool);
	pool_free(&b.pool);
}

static void end(struct state_visitor *r, void *bytes, size_t size)
{
	memset(bytes, 0xff, size);
	r->ended = true;
}

/* Nothing is visited after the end of a file, and a number of elements that it cuts off allocates none. */
static void test_nothing_is_visited_after_the_end(void **state)
{
	static const struct state_row rows[] = {
		STATE_GROWN(struct owner, grown, grown_used, grown_room, NULL),
		STATE_NUMBER(struct owner, op),
		STATE_RESTORED(owner_restored),
		{ 0 },
	};
	struct state_visitor v = { .visit = end };
	struct owner o = { .op = 3 };

	(void)state;
	state_visit(&v, rows, &o);
	assert_null(o.grown);
	assert_int_equal(o.grown_used, 0);
	assert_int_equal(o.op, 3);
	assert_int_equal(o.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_of_a_run_and_of_other_tables),
		cmocka_unit_test(test_ends_of_objects),
		cmocka_unit_test(test_nothing_is_visited_after_the_end),
		cmocka_unit_test(test_state_goes_from_one_owner_to_another),
		cmocka_unit_test(test_pool_is_saved),
		cmocka_unit_test(test_layout_is_told_apart),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
