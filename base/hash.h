/*
 * A hash table from 32-bit keys to elements of an array.  Collisions are chained through the elements: each
 * has two uint32_t members, its key and a link, and costs 4 to 8 bytes of buckets.  Buckets that were never
 * used take no memory.  Several elements may have the same key; which of them is found first depends on the
 * sequence of calls alone.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/index.h"
#include "base/memory.h"
#include "base/prefetch.h"

#include <string.h>

#define HASH_SMALLEST 6u /* bits */

struct hash {
	uint32_t *bucket;       /* first element of a chain, as number + 1: zeroed memory is an empty table */
	uint32_t buckets, bits; /* 1 << bits */
	uint32_t shift;         /* 1 << shift consecutive keys share a bucket */
	uint32_t count;         /* elements, on average at most one per key of a bucket */
	const char *what;       /* names the table if memory runs out */
};

/* The two members in an array of elements: HASHED(node, lpn, link). */
struct hashed {
	struct array_field key, link;
};

#define HASHED(array, key, link) ((struct hashed){ ARRAY_FIELD(array, key), ARRAY_FIELD(array, link) })

/* Has room for `expected` elements before it grows. */
struct hash hash_create(uint32_t expected, const char *what);

/* For keys that are used together: each group of 1 << shift keys shares a bucket.  `expected` counts
 * groups. */
struct hash hash_create_near(uint32_t expected, uint32_t shift, const char *what);
void hash_free(struct hash *);

/* Removes all elements. */
static inline void hash_clear(struct hash *h)
{
	memset(h->bucket, 0, h->buckets * sizeof *h->bucket);
	h->count = 0;
}

/* Doubles the buckets. */
void hash_grow(struct hash *, struct hashed);

CONTAINER uint32_t *hash_link(struct hashed e, uint32_t i)
{
	return (uint32_t *)array_field_at(e.link, i);
}

CONTAINER uint32_t hash_key(struct hashed e, uint32_t i)
{
	return *(uint32_t *)array_field_at(e.key, i);
}

/* Buckets of consecutive keys share cache lines.  A run of `buckets` consecutive keys that begins at a
 * multiple of `buckets` has no collisions. */
CONTAINER uint32_t *hash_bucket(const struct hash *h, uint32_t key)
{
	uint32_t group = key >> h->shift;

	return &h->bucket[(group ^ (group >> h->bits) * 2654435761u >> 7) & (h->buckets - 1)];
}

/* The first element with this key in a chain, which begins with the value of a bucket or link; INDEX_NONE. */
CONTAINER uint32_t hash_from(struct hashed e, uint32_t at, uint32_t key)
{
	while (at && hash_key(e, at - 1) != key)
		at = *hash_link(e, at - 1);
	return at - 1;
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

/* An element with this key; INDEX_NONE if there is none. */
CONTAINER uint32_t hash_find(const struct hash *h, struct hashed e, uint32_t key)
{
	return hash_from(e, *hash_bucket(h, key), key);
}

/* The next element with the same key; INDEX_NONE. */
CONTAINER uint32_t hash_find_next(struct hashed e, uint32_t i)
{
	return hash_from(e, *hash_link(e, i), hash_key(e, i));
}

/* Adds an element that is not in the table.  Its key is set and does not change while it is in. */
CONTAINER void hash_add(struct hash *h, struct hashed e, uint32_t i)
{
	uint32_t *bucket;

	if (__builtin_expect(h->count++ >> h->shift == h->buckets, 0))
		hash_grow(h, e);
	bucket = hash_bucket(h, hash_key(e, i));
	*hash_link(e, i) = *bucket;
	*bucket = i + 1;
}

/* Removes an element that is in the table. */
CONTAINER void hash_remove(struct hash *h, struct hashed e, uint32_t i)
{
	uint32_t *at = hash_bucket(h, hash_key(e, i));

	while (*at != i + 1)
		at = hash_link(e, *at - 1);
	*at = *hash_link(e, i);
	h->count--;
}

/* A checksum against accidental differences.  `before` is the sum of the bytes before these, at first
 * HASH_NOTHING.  A polynomial in the prime of FNV-1: eight bytes are one step of the dependency chain. */
#define HASH_NOTHING 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t size);

#endif
