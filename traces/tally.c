#include "traces/tally.h"

#include "base/memory.h"

#include <stdlib.h>

#define FIRST_BITS 8

struct tally {
	struct tally_entry *slot; /* free where both counts are 0 */
	uint64_t keys;
	unsigned bits; /* log2 of the slots */
	const char *what;
};

struct tally *tally_create(const char *what)
{
	struct tally *t = memory_array(1, sizeof *t, what);

	t->what = what;
	t->bits = FIRST_BITS;
	t->slot = memory_array((size_t)1 << t->bits, sizeof *t->slot, what);
	return t;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	memory_free(t->slot);
	memory_free(t);
}

static bool tally_is_free(const struct tally_entry *e)
{
	return !(e->count[0] | e->count[1]);
}

/* The slot where the search for a key begins.  Fibonacci hashing spreads neighbouring keys evenly. */
static size_t tally_home(const struct tally *t, uint64_t key)
{
	return (size_t)((key ^ key >> 32) * 0x9e3779b97f4a7c15u >> (64 - t->bits));
}

/* The slot of a key, or the free one where it belongs. */
static struct tally_entry *tally_slot(const struct tally *t, uint64_t key)
{
	size_t mask = ((size_t)1 << t->bits) - 1;
	size_t i = tally_home(t, key);

	while (!tally_is_free(&t->slot[i]) && t->slot[i].key != key)
		i = (i + 1) & mask;
	return &t->slot[i];
}

static void tally_grow(struct tally *t)
{
	struct tally_entry *old = t->slot;
	size_t slots = (size_t)1 << t->bits++;

	t->slot = memory_array(2 * slots, sizeof *t->slot, t->what);
	for (size_t i = 0; i < slots; i++)
		if (!tally_is_free(&old[i]))
			*tally_slot(t, old[i].key) = old[i];
	memory_free(old);
}

struct tally_entry *tally_at(struct tally *t, uint64_t key)
{
	struct tally_entry *e = tally_slot(t, key);

	if (tally_is_free(e)) {
		if (++t->keys > ((uint64_t)7 << t->bits) / 10) {
			tally_grow(t);
			e = tally_slot(t, key);
		}
		e->key = key;
	}
	return e;
}

const struct tally_entry *tally_add(struct tally *t, uint64_t key, int which)
{
	struct tally_entry *e = tally_at(t, key);

	e->count[which] += e->count[which] < UINT32_MAX;
	return e;
}

void tally_expect(const struct tally *t, uint64_t key)
{
	__builtin_prefetch(&t->slot[tally_home(t, key)]);
}

const struct tally_entry *tally_find(const struct tally *t, uint64_t key)
{
	const struct tally_entry *e = tally_slot(t, key);

	return tally_is_free(e) ? NULL : e;
}

uint64_t tally_keys(const struct tally *t)
{
	return t->keys;
}

const struct tally_entry *tally_next(const struct tally *t, size_t *position)
{
	while (*position < (size_t)1 << t->bits) {
		const struct tally_entry *e = &t->slot[(*position)++];

		if (!tally_is_free(e))
			return e;
	}
	return NULL;
}

static int tally_by_key(const void *left, const void *right)
{
	const struct tally_entry *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

struct tally_entry *tally_sorted(const struct tally *t)
{
	struct tally_entry *entries = memory_array(t->keys, sizeof *entries, t->what);
	const struct tally_entry *e;
	size_t n = 0;

	for (size_t at = 0; (e = tally_next(t, &at));)
		entries[n++] = *e;
	qsort(entries, n, sizeof *entries, tally_by_key);
	return entries;
}
