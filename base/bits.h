/*
 * Sets of small numbers, a bit each: arrays of 64-bit words, or a single word (a mask).
 * Bit i stands for number i.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include "base/index.h"

#include <stdbool.h>

#define BITS_WORD 64u

/* Words for so many bits. */
CONTAINER size_t bits_words(size_t bits)
{
	return (bits + BITS_WORD - 1) / BITS_WORD;
}

CONTAINER bool bits_get(const uint64_t *words, size_t i)
{
	return words[i / BITS_WORD] >> i % BITS_WORD & 1;
}

CONTAINER void bits_set(uint64_t *words, size_t i)
{
	words[i / BITS_WORD] |= (uint64_t)1 << i % BITS_WORD;
}

CONTAINER void bits_clear(uint64_t *words, size_t i)
{
	words[i / BITS_WORD] &= ~((uint64_t)1 << i % BITS_WORD);
}

/* The lowest number in the set at or above `from`; INDEX_NONE if there is none.  `count` > 0 words; `from` <
 * 64 * count. */
CONTAINER uint32_t bits_next(const uint64_t *words, size_t count, uint32_t from)
{
	size_t w = from / BITS_WORD;
	uint64_t word = words[w] & ~(uint64_t)0 << from % BITS_WORD;

	while (!word) {
		if (++w == count)
			return INDEX_NONE;
		word = words[w];
	}
	return (uint32_t)(w * BITS_WORD) + (uint32_t)__builtin_ctzll(word);
}

/* The same, continuing at 0 after the last word. */
CONTAINER uint32_t bits_next_round(const uint64_t *words, size_t count, uint32_t from)
{
	uint32_t found;

#ifndef NO_BRANCH_FREE /* above or below `from` is random and would mispredict */
	if (count == 1) {
		uint64_t rotated = words[0] >> from | words[0] << (BITS_WORD - from) % BITS_WORD;

		return rotated ? (from + (uint32_t)__builtin_ctzll(rotated)) % BITS_WORD : INDEX_NONE;
	}
#endif
	found = bits_next(words, count, from);
	return found == INDEX_NONE ? bits_next(words, count, 0) : found;
}

/* A mask of the lowest `count` bits; `count` is 0 to 64. */
CONTAINER uint64_t bits_below(uint32_t count)
{
	return count < BITS_WORD ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
}

/* Finds the next run of set bits of a mask, [*from, *end), at or above the old *end, which starts at 0.
 * False if there is none. */
CONTAINER bool bits_next_run(uint64_t mask, uint32_t *from, uint32_t *end)
{
	uint64_t clear;

	mask &= ~bits_below(*end);
	if (!mask)
		return false;
	*from = (uint32_t)__builtin_ctzll(mask);
	clear = ~mask & ~bits_below(*from);
	*end = clear ? (uint32_t)__builtin_ctzll(clear) : BITS_WORD;
	return true;
}

#endif
