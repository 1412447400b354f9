#include "traces/lately.h"

#include "base/memory.h"

#define LINKS(l) ARRAY_FIELD((l)->keys, link)
#define KEYS(l)  HASHED((l)->keys, hash, chain)

struct lately lately_create(uint32_t n)
{
	struct lately l = { .keys = memory_array(n + 1u, sizeof *l.keys, "keys met lately"), .n = n };

	/* four buckets a key: a look-up rarely walks a chain */
	l.index = hash_create(4 * n, "keys met lately");
	list_init(LINKS(&l), 0);
	return l;
}

void lately_free(struct lately *l)
{
	memory_free(l->keys);
	hash_free(&l->index);
}

static uint32_t lately_find(const struct lately *l, uint64_t key, uint32_t hash)
{
	uint32_t i = hash_find(&l->index, KEYS(l), hash);

	while (i != INDEX_NONE && l->keys[i].key != key)
		i = hash_find_next(KEYS(l), i);
	return i;
}

/* An element for a new key: an unused one, or that of the least recently used key. */
static uint32_t lately_place(struct lately *l)
{
	uint32_t last;

	if (l->used < l->n)
		return ++l->used;
	last = list_previous(LINKS(l), 0);
	list_remove(LINKS(l), last);
	hash_remove(&l->index, KEYS(l), last);
	return last;
}

void lately_add(struct lately *l, uint64_t key)
{
	uint32_t hash = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32), i = lately_find(l, key, hash);

	l->asked++;
	if (i != INDEX_NONE) {
		l->found++;
		list_remove(LINKS(l), i);
	} else {
		i = lately_place(l);
		l->keys[i].key = key;
		l->keys[i].hash = hash;
		hash_add(&l->index, KEYS(l), i);
	}
	list_prepend(LINKS(l), 0, i);
}
