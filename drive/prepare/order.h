/*
 * The numbers 0 to n-1 < 2^32 in random order, without a table of them.
 */
#ifndef PREPARE_ORDER_H
#define PREPARE_ORDER_H

#include "base/random.h"

#define ORDER_BLOCK 1024u /* numbers computed together */

struct order {
	uint64_t key[4], n, at;
	uint32_t half_bits;
	uint32_t number[2 * ORDER_BLOCK]; /* the block of `at` and the next one */
};

/* Draws a permutation. */
void order_init(struct order *, struct random *, uint64_t n);

/* To be called n times at most. */
uint32_t order_next(struct order *);

/* What order_next() returns `ahead` < ORDER_BLOCK calls after the next one; beyond the end any number below
 * n. */
static inline uint32_t order_ahead(const struct order *o, uint32_t ahead)
{
	return o->number[(o->at + ahead) % (2 * ORDER_BLOCK)];
}

#endif
