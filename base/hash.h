/*
 * An index from 32-bit numbers to the elements of an array that have them, chained through the elements
 * themselves: each has two uint32_t members, its key and a link.  Beside them an element costs 4 to 8 bytes;
 * an index for more elements than there are costs nothing where none has been.  Several elements may have one
 * key; which of them is found first is not said, but depends on the calls alone.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/index.h"
#include "base/memory.h"
#include "base/prefetch.h"

#include <string.h>

#define HASH_SMALLEST 6u /* bits */

struct hash {
	uint32_t *bucket;       /* number + 1 of the first element of a chain, as in the links; 0: none */
	uint32_t buckets, bits; /* 1 << bits */
	uint32_t shift;         /* 1 << shift keys that follow each other share a bucket */
	uint32_t count;         /* elements, at most one for each key of a bucket on average */
	const char *what;       /* names the index should memory run out */
};

/* Where the members of the elements are: HASHED(node, lpn, link). */
struct hashed {
	struct array_field key, link;
};

#define HASHED(array, key, link) ((struct hashed){ ARRAY_FIELD(array, key), ARRAY_FIELD(array, link) })

/* `expected` elements are indexed without growing. */
struct hash hash_create(uint32_t expected, const char *what);

/* Keys that are used together, 1 << shift from a multiple of that on, share a bucket: `expected` such
 * groups. */
struct hash hash_create_near(uint32_t expected, uint32_t shift, const char *what);
void hash_free(struct hash *);

/* Takes all elements out. */
static inline void hash_clear(struct hash *h)
{
	memset(h->bucket, 0, h->buckets * sizeof *h->bucket);
	h->count = 0;
}

/* Twice the buckets. */
void hash_grow(struct hash *, struct hashed);

CONTAINER uint32_t *hash_link(struct hashed e, uint32_t i)
{
	return array_field_at(e.link, i);
}

CONTAINER uint32_t hash_key(struct hashed e, uint32_t i)
{
	return *(uint32_t *)array_field_at(e.key, i);
}

/* Keys that follow each other share lines of the processor's cache; from a multiple of the buckets on, as
 * many as there are never meet. */
CONTAINER uint32_t *hash_bucket(const struct hash *h, uint32_t key)
{
	uint32_t group = key >> h->shift;

	return &h->bucket[(group ^ (group >> h->bits) * 2654435761u >> 7) & (h->buckets - 1)];
}

/* An element of this key, in a chain from the one behind `before`, a bucket or link, on. */
CONTAINER uint32_t hash_from(struct hashed e, uint32_t before, uint32_t key)
{
	while (before && hash_key(e, before - 1) != key)
		before = *hash_link(e, before - 1);
	return before - 1;
}

/* For a later hash_find(): the bucket; then, once that is in the cache, the first element of its chain. */
static inline void hash_prefetch(
	const struct hash *h, struct hashed e, uint32_t key, enum prefetch_stage stage)
{
	uint32_t *bucket = hash_bucket(h, key);

	if (stage == PREFETCH_ENTRY)
		prefetch(bucket);
	else if (*bucket)
		prefetch(hash_link(e, *bucket - 1));
}

/* An element of this key; INDEX_NONE. */
CONTAINER uint32_t hash_find(const struct hash *h, struct hashed e, uint32_t key)
{
	return hash_from(e, *hash_bucket(h, key), key);
}

/* Another element of the same key. */
CONTAINER uint32_t hash_find_next(struct hashed e, uint32_t i)
{
	return hash_from(e, *hash_link(e, i), hash_key(e, i));
}

/* Adds an element, which is not in the index and whose key is set and stays. */
CONTAINER void hash_add(struct hash *h, struct hashed e, uint32_t i)
{
	uint32_t *bucket;

	if (__builtin_expect(h->count++ >> h->shift == h->buckets, 0))
		hash_grow(h, e);
	bucket = hash_bucket(h, hash_key(e, i));
	*hash_link(e, i) = *bucket;
	*bucket = i + 1;
}

/* The element is in the index. */
CONTAINER void hash_remove(struct hash *h, struct hashed e, uint32_t i)
{
	uint32_t *at = hash_bucket(h, hash_key(e, i));

	while (*at != i + 1)
		at = hash_link(e, *at - 1);
	*at = *hash_link(e, i);
	h->count--;
}

/* A sum of bytes that go on from others, or begin with HASH_NOTHING, to tell apart what differs by chance: a
 * polynomial in the prime of FNV-1, so that eight bytes take one step of what depends on the step before. */
#define HASH_NOTHING 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t before, const void *, size_t bytes);

#endif
