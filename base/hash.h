/*
 * An index from 32-bit numbers to the elements of an array that have them, chained through the elements
 * themselves: each has two uint32_t members, its key and a link.  Beside them an element costs 4 to 8 bytes.
 * Several elements may have one key; which of them is found first is not said, but depends on the calls alone.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/index.h"
#include "base/memory.h"

#include <string.h>

#define HASH_SMALLEST 64u

struct hash {
	uint32_t *bucket;
	uint32_t buckets; /* a power of two */
	uint32_t count;   /* elements, at most one a bucket on average */
	const char *what; /* names the index should memory run out */
};

/* Where the members of the elements are: HASHED(node, lpn, link). */
struct hashed {
	struct array_field key, link;
};

#define HASHED(array, key, link) ((struct hashed){ ARRAY_FIELD(array, key), ARRAY_FIELD(array, link) })

/* `expected` elements are indexed without growing. */
struct hash hash_create(uint32_t expected, const char *what);
void hash_free(struct hash *);

/* Takes all elements out. */
static inline void hash_clear(struct hash *h)
{
	memset(h->bucket, 0xff, h->buckets * sizeof *h->bucket);
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

CONTAINER uint32_t *hash_bucket(const struct hash *h, uint32_t key)
{
	return &h->bucket[key * 2654435761u >> 7 & (h->buckets - 1)];
}

/* An element of this key, from `i` on in its chain. */
CONTAINER uint32_t hash_from(struct hashed e, uint32_t i, uint32_t key)
{
	while (i != INDEX_NONE && hash_key(e, i) != key)
		i = *hash_link(e, i);
	return i;
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

	if (__builtin_expect(h->count++ == h->buckets, 0))
		hash_grow(h, e);
	bucket = hash_bucket(h, hash_key(e, i));
	*hash_link(e, i) = *bucket;
	*bucket = i;
}

/* The element is in the index. */
CONTAINER void hash_remove(struct hash *h, struct hashed e, uint32_t i)
{
	uint32_t *at = hash_bucket(h, hash_key(e, i));

	while (*at != i)
		at = hash_link(e, *at);
	*at = *hash_link(e, i);
	h->count--;
}

/* A sum of bytes that go on from others, or begin with HASH_NOTHING, to tell apart what differs by chance: a polynomial
 * in the prime of FNV-1, so that eight bytes take one step of what depends on the step before. */
#define HASH_NOTHING 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t before, const void *, size_t bytes);

#endif
