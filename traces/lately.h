/*
 * Counts how often a key is among the last n distinct ones, which is the hit ratio of an LRU cache of n keys.
 * Exact; 40 to 56 bytes for each of the n.
 */
#ifndef TRACES_LATELY_H
#define TRACES_LATELY_H

#include "base/hash.h"
#include "base/list.h"

#include <stdint.h>

struct lately {
	struct lately_key {
		uint64_t key;
		uint32_t hash, chain;
		struct link link;
	} * keys; /* [0] is the head of the LRU list, latest first */
	uint32_t n, used;
	struct hash index;
	uint64_t asked, found;
};

struct lately lately_create(uint32_t n);
void lately_free(struct lately *);

/* Counts an access; the key becomes the most recent one. */
void lately_add(struct lately *, uint64_t key);

#endif
