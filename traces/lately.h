/*
 * Is a key among the last n distinct ones?  The share of yes is the hit ratio of an LRU cache of n, exactly, in 40
 * to 56 bytes for each of the n.
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
	} * keys; /* [0] is the head of their ring, latest first */
	uint32_t n, used;
	struct hash index;
	uint64_t asked, found;
};

struct lately lately_create(uint32_t n);
void lately_free(struct lately *);

/* Counts the answer; the key is then the latest. */
void lately_add(struct lately *, uint64_t key);

#endif
