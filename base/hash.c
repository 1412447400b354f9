#include "base/hash.h"

struct hash hash_create(uint32_t expected, const char *what)
{
	return hash_create_near(expected, 0, what);
}

struct hash hash_create_near(uint32_t expected, uint32_t shift, const char *what)
{
	struct hash h = { .bits = HASH_SMALLEST, .shift = shift, .what = what };

	while (h.bits < 31 && 1u << h.bits < expected)
		h.bits++;
	h.buckets = 1u << h.bits;
	h.bucket = memory_array(h.buckets, sizeof *h.bucket, what);
	return h;
}

void hash_free(struct hash *h)
{
	memory_free(h->bucket);
}

void hash_grow(struct hash *h, struct hashed e)
{
	uint32_t *old = h->bucket, buckets = h->buckets;

	h->buckets *= 2;
	h->bits++;
	h->bucket = memory_array(h->buckets, sizeof *h->bucket, h->what);
	for (uint32_t b = 0; b < buckets; b++)
		for (uint32_t at = old[b], next; at; at = next) {
			uint32_t *bucket = hash_bucket(h, hash_key(e, at - 1));

			next = *hash_link(e, at - 1);
			*hash_link(e, at - 1) = *bucket;
			*bucket = at;
		}
	memory_free(old);
}

#define P1 0x100000001b3u
#define P2 (P1 * P1)
#define P4 (P2 * P2)

uint64_t hash_bytes(uint64_t before, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (; size >= 8; size -= 8, at += 8) {
		uint64_t high = (at[0] * P1 + at[1]) * P2 + at[2] * P1 + at[3];
		uint64_t low = (at[4] * P1 + at[5]) * P2 + at[6] * P1 + at[7];

		before = before * (P4 * P4) + high * P4 + low;
	}
	for (; size; size--)
		before = before * P1 + *at++;
	return before;
}
