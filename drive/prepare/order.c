/*
 * Four Feistel rounds permute the numbers with an even count of bits; a result not below n is permuted again
 * until it is.  A thousand numbers are computed together: that takes a third of the time of computing them
 * one by one, since none depends on another and no branch depends on a single number.
 */
#include "drive/prepare/order.h"

static uint32_t order_permuted(const struct order *o, uint64_t i)
{
	uint64_t half = ((uint64_t)1 << o->half_bits) - 1, left = i >> o->half_bits, right = i & half;

	for (int round = 0; round < 4; round++) {
		uint64_t next = left ^ ((right + o->key[round]) * 0x9e3779b97f4a7c15u >> 32 & half);

		left = right;
		right = next;
	}
	return (uint32_t)(left << o->half_bits | right);
}

/* Computes a block of the order, numbers i, i + 1, ..., or as many of them as there are. */
static void order_draw_block(struct order *o, uint64_t i)
{
	uint32_t *number = &o->number[i % (2 * ORDER_BLOCK)], again[ORDER_BLOCK], left = 0;

	for (uint32_t k = 0; k < ORDER_BLOCK && i + k < o->n; k++) {
		number[k] = order_permuted(o, i + k);
		again[left] = k;
		left += number[k] >= o->n;
	}
	for (uint32_t count = left; count; count = left) {
		left = 0;
		for (uint32_t w = 0; w < count; w++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): w < count: it is set */
			uint32_t k = again[w];

			number[k] = order_permuted(o, number[k]);
			again[left] = k;
			left += number[k] >= o->n;
		}
	}
}

void order_init(struct order *o, struct random *random, uint64_t n)
{
	*o = (struct order){ .n = n, .half_bits = 1 };
	while (n > (uint64_t)1 << 2 * o->half_bits)
		o->half_bits++;
	for (int i = 0; i < 4; i++)
		o->key[i] = random_next(random);
	order_draw_block(o, 0);
	order_draw_block(o, ORDER_BLOCK);
}

uint32_t order_next(struct order *o)
{
	uint32_t number = o->number[o->at % (2 * ORDER_BLOCK)];

	if (++o->at % ORDER_BLOCK == 0)
		order_draw_block(o, o->at + ORDER_BLOCK);
	return number;
}
