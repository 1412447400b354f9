#include "base/hash.h"

static uint32_t *create_buckets(uint32_t buckets, const char *what)
{
	uint32_t *bucket = memory_array(buckets, sizeof *bucket, what);

	memset(bucket, 0xff, buckets * sizeof *bucket);
	return bucket;
}

struct hash hash_create(uint32_t expected, const char *what)
{
	uint32_t buckets = HASH_SMALLEST;

	while (buckets < expected && buckets < 1u << 31)
		buckets *= 2;
	return (struct hash){ create_buckets(buckets, what), buckets, 0, what };
}

void hash_free(struct hash *h)
{
	memory_free(h->bucket);
}

void hash_grow(struct hash *h, struct hashed e)
{
	uint32_t *old = h->bucket, buckets = h->buckets;

	h->buckets *= 2;
	h->bucket = create_buckets(h->buckets, h->what);
	for (uint32_t b = 0; b < buckets; b++)
		for (uint32_t i = old[b], next; i != INDEX_NONE; i = next) {
			uint32_t *bucket = hash_bucket(h, hash_key(e, i));

			next = *hash_link(e, i);
			*hash_link(e, i) = *bucket;
			*bucket = i;
		}
	memory_free(old);
}

uint64_t hash_bytes(uint64_t before, const void *bytes, size_t size)
{
	for (const unsigned char *at = bytes, *end = at + size; at < end; at++)
		before = (before ^ *at) * 0x100000001b3u;
	return before;
}
