/*
 * The containers of base/ compared with plain arrays that are searched linearly: after any calls, both must
 * agree.  SEED=... repeats one sequence of calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/child.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/min_tree.h"
#include "base/pool.h"
#include "base/queue.h"
#include "base/ring.h"
#include "base/random.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SEEDS    200u
#define STEPS    300u
#define ELEMENTS 64u

/* Runs a test of random calls for every seed, or for the one of SEED. */
static void for_each_seed(void (*test)(struct random *))
{
	const char *one = getenv("SEED");
	uint64_t first = one ? strtoull(one, NULL, 10) : 0;

	for (uint64_t seed = first; seed < first + (one ? 1 : SEEDS); seed++) {
		struct random r;

		random_init(&r, seed, 0);
		test(&r);
	}
}

/* ---- heap ---- */

/* Ordered by due time, then by creation, as releases and records are. */
struct event {
	uint64_t due;
	uint32_t order;
	char load[5];
};

static bool due_before(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

/* The index of the event that goes first. */
static uint32_t first_event(const struct event *event, uint32_t count)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < count; i++)
		if (due_before(&event[i], &event[first]))
			first = i;
	return first;
}

static void drop_event(struct event *event, uint32_t *count, uint32_t order)
{
	uint32_t i = 0;

	while (event[i].order != order)
		i++;
	event[i] = event[--*count];
}

static void random_heap(struct random *r)
{
	struct event model[STEPS], out;
	struct heap h = { 0 };
	uint32_t count = 0;

	for (uint32_t step = 0; step < STEPS; step++) {
		if (random_below(r, 5) < 3 || !count) {
			model[count] = (struct event){ random_below(r, 20), step, "load" };
			heap_push(&h, &model[count++], sizeof *model, due_before, "test");
		} else if (random_below(r, 2)) {
			heap_pop(&h, &out, sizeof out, due_before);
			assert_int_equal(out.order, model[first_event(model, count)].order);
			assert_string_equal(out.load, "load");
			drop_event(model, &count, out.order);
		} else {
			uint32_t at = (uint32_t)random_below(r, count);
			struct event *event = h.element;

			drop_event(model, &count, event[at].order);
			heap_remove(ARRAY_ELEMENTS(event), h.count--, at, due_before);
		}
		assert_int_equal(h.count, count);
		if (count)
			assert_int_equal(
				((struct event *)h.element)->order, model[first_event(model, count)].order);
	}
	while (count) {
		heap_pop(&h, &out, sizeof out, due_before);
		assert_int_equal(out.order, model[first_event(model, count)].order);
		drop_event(model, &count, out.order);
	}
	memory_free(h.element);
}

static void test_heap(void **state)
{
	(void)state;
	for_each_seed(random_heap);
}

/* Two heaps side by side in one array: neither touches the other. */
static void test_heaps_in_one_array(void **state)
{
	uint64_t number[8] = { 0 };
	struct array_field left = ARRAY_ELEMENTS(number), right = ARRAY_ELEMENTS(number + 4);

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		heap_add(left, (uint32_t)i, &(uint64_t){ 40 - i }, heap_number_before);
		heap_add(right, (uint32_t)i, &(uint64_t){ 10 + i }, heap_number_before);
	}
	assert_int_equal(number[0], 37);
	assert_int_equal(number[4], 10);
	heap_remove(right, 4, 0, heap_number_before);
	heap_remove(left, 4, 3, heap_number_before);
	assert_int_equal(number[0], 37);
	assert_int_equal(number[4], 11);
	heap_remove(right, 1, 0, heap_number_before);
	assert_int_equal(number[4], 11);
}

/* ---- winner tree ---- */

static uint32_t first_least(const uint64_t *model, uint32_t count, uint32_t from)
{
	uint32_t best = from;

	for (uint32_t i = 1; i < count; i++)
		if (model[(from + i) % count] < model[best])
			best = (from + i) % count;
	return best;
}

static void random_min_tree(struct random *r)
{
	uint32_t count = 1 + (uint32_t)random_below(r, ELEMENTS);
	struct min_tree t = min_tree_create(count, "test");
	uint64_t model[ELEMENTS];

	for (uint32_t i = 0; i < count; i++)
		min_tree_set(&t, i, model[i] = 1);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = (uint32_t)random_below(r, count), from = (uint32_t)random_below(r, count);

		for (uint64_t more = random_below(r, 4); more; more--) {
			uint32_t k = (uint32_t)random_below(r, count);

			min_tree_set_leaf(&t, k, random_below(r, 4));
			min_tree_set(&t, k, model[k] = random_below(r, 4));
		}
		min_tree_set(&t, i, model[i] = random_below(r, 6) ? random_below(r, 4) : MIN_TREE_UNSET);
		assert_int_equal(min_tree_get(&t, i), model[i]);
		assert_int_equal(min_tree_least(&t), model[first_least(model, count, 0)]);
		if (min_tree_least(&t) != MIN_TREE_UNSET)
			assert_int_equal(min_tree_first_least(&t, from), first_least(model, count, from));
	}
	min_tree_free(&t);
}

static void test_min_tree(void **state)
{
	(void)state;
	for_each_seed(random_min_tree);
}

/* ---- list ---- */

struct page {
	uint32_t number;
	struct link link;
};

/* Elements 0 and 1 are the heads of two rings. */
static void expect_ring(struct page *page, uint32_t head, const uint32_t *model, uint32_t count)
{
	struct array_field links = ARRAY_FIELD(page, link);
	uint32_t i = head;

	assert_int_equal(list_empty(links, head), count == 0);
	for (uint32_t n = 0; n < count; n++) {
		assert_int_equal(list_previous(links, list_next(links, i)), i);
		i = list_next(links, i);
		assert_int_equal(i, model[n]);
	}
	assert_int_equal(list_next(links, i), head);
	assert_int_equal(list_previous(links, head), i);
}

static void take_out(uint32_t *model, uint32_t *count, uint32_t i)
{
	uint32_t kept = 0;

	for (uint32_t n = 0; n < *count; n++)
		if (model[n] != i)
			model[kept++] = model[n];
	*count = kept;
}

static void random_lists(struct random *r)
{
	struct page page[ELEMENTS];
	struct array_field links = ARRAY_FIELD(page, link);
	uint32_t model[2][ELEMENTS], count[2] = { 0 }, ring_of[ELEMENTS];

	memset(ring_of, 0xff, sizeof ring_of);
	list_init(links, 0);
	list_init(links, 1);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = 2 + (uint32_t)random_below(r, ELEMENTS - 2), ring = (uint32_t)random_below(r, 2);

		if (ring_of[i] != INDEX_NONE) {
			list_remove(links, i);
			take_out(model[ring_of[i]], &count[ring_of[i]], i);
			ring_of[i] = INDEX_NONE;
		} else if (random_below(r, 2)) {
			list_append(links, ring, i);
			model[ring][count[ring]++] = i;
			ring_of[i] = ring;
		} else {
			list_prepend(links, ring, i);
			memmove(model[ring] + 1, model[ring], count[ring]++ * sizeof **model);
			model[ring][0] = i;
			ring_of[i] = ring;
		}
		expect_ring(page, 0, model[0], count[0]);
		expect_ring(page, 1, model[1], count[1]);
	}
}

static void test_list(void **state)
{
	(void)state;
	for_each_seed(random_lists);
}

/* ---- queue ---- */

static void random_queue(struct random *r)
{
	struct page page[ELEMENTS];
	struct array_field next = ARRAY_FIELD(page, link.next);
	struct queue q = QUEUE_EMPTY;
	uint32_t model[ELEMENTS], count = 0;
	bool queued[ELEMENTS] = { false };

	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = (uint32_t)random_below(r, ELEMENTS);

		if (random_below(r, 2)) {
			i = queue_take(&q, next);
			assert_int_equal(i, count ? model[0] : INDEX_NONE);
			if (!count)
				continue;
			memmove(model, model + 1, --count * sizeof *model);
			queued[i] = false;
		} else if (!queued[i] && random_below(r, 2)) {
			queue_append(&q, next, i);
			model[count++] = i;
			queued[i] = true;
		} else if (!queued[i]) {
			queue_prepend(&q, next, i);
			memmove(model + 1, model, count++ * sizeof *model);
			model[0] = i;
			queued[i] = true;
		}
		assert_int_equal(q.first, count ? model[0] : INDEX_NONE);
	}
}

static void test_queue(void **state)
{
	(void)state;
	for_each_seed(random_queue);
}

/* ---- rings ---- */

static void random_ring(struct random *r)
{
	struct page page[ELEMENTS];
	struct array_field next = ARRAY_FIELD(page, link.next);
	uint32_t last = INDEX_NONE, model[ELEMENTS], count = 0;
	bool queued[ELEMENTS] = { false };

	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = (uint32_t)random_below(r, ELEMENTS);

		if (random_below(r, 2)) {
			i = ring_take(&last, next);
			assert_int_equal(i, count ? model[0] : INDEX_NONE);
			if (!count)
				continue;
			memmove(model, model + 1, --count * sizeof *model);
			queued[i] = false;
		} else if (!queued[i]) {
			ring_append(&last, next, i);
			model[count++] = i;
			queued[i] = true;
		}
		assert_int_equal(last, count ? model[count - 1] : INDEX_NONE);
		for (uint32_t k = 0, at = last; k < count; k++)
			assert_int_equal(at = *ring_next(next, at), model[k]);
	}
}

static void test_ring(void **state)
{
	(void)state;
	for_each_seed(random_ring);
}

/* ---- pool ---- */

struct object {
	uint32_t link;
	uint32_t owner, generation;
};

/* New objects are zeroed and come in ascending order, used ones last in first out, as their user left
 * them. */
static void test_pool_order(void **state)
{
	struct pool p = pool_create(sizeof(struct object), "test");
	struct object *o;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(pool_take(&p), i);
		o = pool_at(&p, i);
		assert_int_equal(o->link | o->owner | o->generation, 0);
		*o = (struct object){ 7, 7, 100 + i };
	}
	pool_give(&p, 30);
	pool_give(&p, 99);
	pool_give(&p, 0);
	assert_int_equal(pool_take(&p), 0);
	assert_int_equal(pool_take(&p), 99);
	assert_int_equal(pool_take(&p), 30);
	o = pool_at(&p, 30);
	assert_int_equal(o->generation, 130);
	assert_int_equal(pool_take(&p), 100);
	pool_free(&p);
}

/* No object is given out twice, and its content stays while others are taken and given back. */
static void random_pool(struct random *r)
{
	struct pool p = pool_create(sizeof(struct object), "test");
	uint32_t taken[STEPS], count = 0;

	for (uint32_t step = 0; step < STEPS; step++) {
		if (random_below(r, 5) < 3 || !count) {
			taken[count] = pool_take(&p);
			((struct object *)pool_at(&p, taken[count]))->owner = count;
			((struct object *)pool_at(&p, taken[count]))->link = step;
			count++;
		} else {
			pool_give(&p, taken[--count]);
		}
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(((struct object *)pool_at(&p, taken[i]))->owner, i);
	}
	assert_true(p.used <= STEPS);
	pool_free(&p);
}

static void test_pool(void **state)
{
	(void)state;
	for_each_seed(random_pool);
}

/* A ring whose links contradict each other, or that never comes back to its head, has no length. */
static void test_broken_rings(void **state)
{
	struct link link[4] = { { 0 } };

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		list_init(ARRAY_ELEMENTS(link), i);
	list_append(ARRAY_ELEMENTS(link), 3, 0);
	list_append(ARRAY_ELEMENTS(link), 3, 1);
	assert_int_equal(list_length(ARRAY_ELEMENTS(link), 3, 2), 2);
	assert_int_equal(list_length(ARRAY_ELEMENTS(link), 2, 0), 0);
	assert_int_equal(list_length(ARRAY_ELEMENTS(link), 3, 1), INDEX_NONE);
	link[1].next = 0;
	assert_int_equal(list_length(ARRAY_ELEMENTS(link), 3, 4), INDEX_NONE);
	link[1].next = 3;
	link[3].previous = 0;
	assert_int_equal(list_length(ARRAY_ELEMENTS(link), 3, 4), INDEX_NONE);
}

/* ---- hash ---- */

struct node {
	uint32_t link, key;
	bool in;
};

static bool is_chained(const struct hash *h, struct hashed e, uint32_t key, uint32_t wanted)
{
	for (uint32_t i = hash_find(h, e, key); i != INDEX_NONE; i = hash_find_next(e, i))
		if (i == wanted)
			return true;
	return false;
}

/* Few keys, so that several elements have the same one; many elements, so that the index grows. */
static void random_hash(struct random *r)
{
	struct node node[4 * ELEMENTS] = { 0 };
	struct hashed e = HASHED(node, key, link);
	struct hash h = hash_create_near(0, (uint32_t)random_below(r, 4), "test");
	uint32_t count = 0;

	for (uint32_t step = 0; step < 4 * STEPS; step++) {
		uint32_t i = (uint32_t)random_below(r, 4 * ELEMENTS);
		uint32_t key = (uint32_t)random_below(r, 4 * ELEMENTS) << 20, of_key = 0, found = 0;

		if (node[i].in) {
			hash_remove(&h, e, i);
			count--;
		} else {
			node[i].key = key;
			hash_add(&h, e, i);
			count++;
		}
		node[i].in = !node[i].in;
		for (uint32_t n = 0; n < 4 * ELEMENTS; n++)
			of_key += node[n].in && node[n].key == key;
		for (uint32_t n = hash_find(&h, e, key); n != INDEX_NONE; n = hash_find_next(e, n))
			found += node[n].in && node[n].key == key;
		assert_int_equal(found, of_key);
		assert_int_equal(h.count, count);
	}
	for (uint32_t n = 0; n < 4 * ELEMENTS; n++)
		assert_int_equal(is_chained(&h, e, node[n].key, n), node[n].in);
	hash_free(&h);
}

static void test_hash(void **state)
{
	(void)state;
	for_each_seed(random_hash);
}

/* A table never holds more elements than buckets, nor more than twice the buckets it needs. */
static void test_hash_grows(void **state)
{
	struct node *node = memory_array(5000, sizeof *node, "test");
	struct hash h = hash_create(100, "test");

	(void)state;
	assert_int_equal(h.buckets, 128);
	for (uint32_t i = 0; i < 5000; i++) {
		node[i].key = 8 * i;
		hash_add(&h, HASHED(node, key, link), i);
		assert_true(h.count <= h.buckets);
	}
	assert_int_equal(h.buckets, 8192);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(hash_find(&h, HASHED(node, key, link), 8 * i), i);
	assert_int_equal(hash_find(&h, HASHED(node, key, link), 7), INDEX_NONE);
	hash_free(&h);
	memory_free(node);
}

/* Consecutive keys from a multiple of the number of buckets on have a bucket each. */
static void test_hash_of_keys_in_a_row(void **state)
{
	struct node node[128] = { 0 };
	struct hash h = hash_create(128, "test");

	(void)state;
	for (uint32_t first = 0; first < 1u << 31; first = 3 * first + 128) {
		for (uint32_t i = 0; i < 128; i++) {
			node[i].key = first / 128 * 128 + i;
			hash_add(&h, HASHED(node, key, link), i);
		}
		for (uint32_t i = 0; i < 128; i++)
			assert_int_equal(node[i].link, 0);
		hash_clear(&h);
	}
	hash_free(&h);
}

/* Each group of four consecutive keys shares a bucket, and the table does not grow. */
static void test_hash_of_keys_that_are_used_together(void **state)
{
	struct node node[512] = { 0 };
	struct hash h = hash_create_near(128, 2, "test");

	(void)state;
	for (uint32_t i = 0; i < 512; i++) {
		node[i].key = 4096 + i;
		hash_add(&h, HASHED(node, key, link), i);
	}
	assert_int_equal(h.buckets, 128);
	for (uint32_t i = 0; i < 512; i++)
		assert_int_equal(node[i].link, i % 4 ? i : 0);
	hash_free(&h);
}

/* The sum is the same in any portions, and every bit changes it. */
static void test_sum_of_bytes(void **state)
{
	unsigned char bytes[100];
	uint64_t whole;

	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(37 * i);
	whole = hash_bytes(HASH_NOTHING, bytes, sizeof bytes);
	for (size_t i = 0; i <= sizeof bytes; i++)
		assert_true(
			hash_bytes(hash_bytes(HASH_NOTHING, bytes, i), bytes + i, sizeof bytes - i) == whole);
	for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		assert_true(hash_bytes(HASH_NOTHING, bytes, sizeof bytes) != whole);
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
}

/* ---- bits ---- */

static void expect_round(const uint64_t *words, uint32_t count, const bool *model, uint32_t from)
{
	uint32_t found = from, steps = 0;

	while (steps < 64 * count && !model[found]) {
		found = (found + 1) % (64 * count);
		steps++;
	}
	assert_int_equal(bits_next_round(words, count, from), steps < 64 * count ? found : INDEX_NONE);
}

static void random_bits(struct random *r)
{
	uint64_t words[3] = { 0 };
	bool model[3 * 64] = { false };

	assert_int_equal(bits_words(0), 0);
	assert_int_equal(bits_words(129), 3);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = (uint32_t)random_below(r, 192), next = (uint32_t)random_below(r, 192),
			 from = next;

		model[i] = random_below(r, 3) == 0;
		if (model[i])
			bits_set(words, i);
		else
			bits_clear(words, i);
		for (uint32_t n = 0; n < 192; n++)
			assert_int_equal(bits_get(words, n), model[n]);
		while (next < 192 && !model[next])
			next++;
		assert_int_equal(bits_next(words, 3, from), next < 192 ? next : INDEX_NONE);
		expect_round(words, 1, model, from % 64);
		expect_round(words, 3, model, from);
	}
}

static void test_bits(void **state)
{
	(void)state;
	for_each_seed(random_bits);
}

/* All runs together are the mask, and no two are adjacent. */
static void expect_runs(uint64_t mask)
{
	uint64_t seen = 0;
	uint32_t from, end = 0, last = 0;

	while (bits_next_run(mask, &from, &end)) {
		assert_true(from < end && end <= 64);
		assert_true(!seen || from > last);
		for (uint32_t i = from; i < end; i++)
			seen |= (uint64_t)1 << i;
		last = end;
	}
	assert_true(seen == mask);
}

static void random_runs(struct random *r)
{
	uint64_t mask = random_next(r);

	expect_runs(mask);
	expect_runs(mask & mask << 1 & mask << 2);
	expect_runs(~(mask & mask << 1 & mask << 2));
}

static void test_runs(void **state)
{
	uint32_t from, end = 0;

	(void)state;
	assert_true(bits_below(0) == 0 && bits_below(3) == 7 && bits_below(64) == ~(uint64_t)0);
	assert_false(bits_next_run(0, &from, &end));
	assert_true(bits_next_run(~(uint64_t)0, &from, &end));
	assert_int_equal(from, 0);
	assert_int_equal(end, 64);
	assert_false(bits_next_run(~(uint64_t)0, &from, &end));
	end = 0;
	assert_true(bits_next_run(0x8000000000000060u, &from, &end));
	assert_int_equal(from, 5);
	assert_int_equal(end, 7);
	assert_true(bits_next_run(0x8000000000000060u, &from, &end));
	assert_int_equal(from, 63);
	assert_int_equal(end, 64);
	for_each_seed(random_runs);
}

/* ---- arrays that grow ---- */

static void test_grown(void **state)
{
	uint32_t room = 0, moves = 0, *array = NULL;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t before = room;

		array = memory_grown(array, &room, i + 1, sizeof *array, "test");
		moves += room != before;
		assert_true(room > i);
		array[i] = i;
	}
	assert_int_equal(moves, 7); /* 16, 32 ... 1024 */
	assert_int_equal(array[0] + array[999], 999);
	array = memory_grown(array, &room, 5000, sizeof *array, "test");
	assert_int_equal(room, 5000);
	memory_free(array);
}

/* ---- child processes ---- */

static void ignore(int number)
{
	(void)number;
}

/* Ends with this status after 20 ms. */
static pid_t child_of(int status)
{
	pid_t child = fork();

	if (!child) {
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		_exit(status);
	}
	return child;
}

/* Signals that interrupt the wait change nothing.  While SIGCHLD is ignored, the status is lost. */
static void test_the_end_of_a_child(void **state)
{
	static const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = ignore }, before;
	int status;

	(void)state;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	status = child_end(child_of(3));
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	signal(SIGCHLD, SIG_IGN);
	status = child_end(child_of(0));
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(status, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_heaps_in_one_array),
		cmocka_unit_test(test_min_tree),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_pool_order),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_broken_rings),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_hash_grows),
		cmocka_unit_test(test_hash_of_keys_in_a_row),
		cmocka_unit_test(test_hash_of_keys_that_are_used_together),
		cmocka_unit_test(test_sum_of_bytes),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_grown),
		cmocka_unit_test(test_the_end_of_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
