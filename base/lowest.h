/*
 * Numbers of which the lowest is at hand, as a tournament: changing one costs log2(count) comparisons, the lowest none.
 * Numbers that were never set count as the highest.
 */
#ifndef BASE_LOWEST_H
#define BASE_LOWEST_H

#include "base/memory.h"
#include "base/regions.h"

#define LOWEST_UNSET UINT64_MAX

#define LOWEST_TOP 8u

struct lowest {
	uint32_t leaves; /* a power of two, at least LOWEST_TOP */
	/* least[leaves + i] is number i, below are the lower ones of two; least[1] is the lowest. */
	uint64_t *least;
};

static inline struct lowest lowest_create(uint32_t count, const char *what)
{
	struct lowest t = { .leaves = LOWEST_TOP };

	while (t.leaves < count)
		t.leaves *= 2;
	t.least = memory_array((size_t)t.leaves * 2, sizeof *t.least, what);
	for (size_t i = 0; i < (size_t)t.leaves * 2; i++)
		t.least[i] = LOWEST_UNSET;
	return t;
}

static inline void lowest_free(struct lowest *t)
{
	memory_free(t->least);
}

static inline uint64_t lowest_get(const struct lowest *t, uint32_t i)
{
	return t->least[t->leaves + i];
}

static inline uint64_t lowest_of_all(const struct lowest *t)
{
	return t->least[1];
}

/* A number, but not yet who is lowest: that is known once it is set. */
static inline void lowest_note(struct lowest *t, uint32_t i, uint64_t value)
{
	t->least[t->leaves + i] = value;
}

/* A number comes up to the first `tops` of the tournament, even where nothing changes any more: when to stop would be a
 * branch that no processor foresees. */
static inline void lowest_climb(struct lowest *t, uint32_t number, uint64_t value, uint32_t tops)
{
	uint64_t *least = t->least;
	size_t i = (size_t)t->leaves + number;

	for (least[i] = value; i > tops; least[i] = value) {
		uint64_t other = least[i ^ 1];

		value = other < value ? other : value;
		i /= 2;
	}
}

/* The first `count` are played off anew. */
static inline void lowest_play_off(struct lowest *t, uint32_t count)
{
	for (uint32_t i = count; i; i--)
		t->least[i] = t->least[2 * i] < t->least[2 * i + 1] ? t->least[2 * i] : t->least[2 * i + 1];
}

static inline void lowest_set(struct lowest *t, uint32_t number, uint64_t value)
{
	lowest_climb(t, number, value, 1);
}

/* For several numbers that are set before anybody asks: each comes as far as the last LOWEST_TOP, which are then played
 * off once for all. */
static inline void lowest_enter(struct lowest *t, uint32_t number, uint64_t value)
{
	lowest_climb(t, number, value, 2 * LOWEST_TOP - 1);
}

static inline void lowest_play(struct lowest *t)
{
	lowest_play_off(t, LOWEST_TOP - 1);
}

/* State, for saving and loading: the numbers. */
static inline void lowest_regions(struct lowest *t, uint32_t count, struct regions *r)
{
	regions_visit(r, t->least + t->leaves, count * sizeof *t->least);
	lowest_play_off(t, t->leaves - 1);
}

/* The lowest number, of equal ones the first at or behind `from`, going round. */
static inline uint32_t lowest_from(const struct lowest *t, uint32_t from)
{
	uint64_t least = t->least[1];
	uint32_t i = t->leaves + from;

	if (t->least[i] == least)
		return from;
	while (i > 1 && (i & 1 || t->least[i + 1] != least))
		i /= 2;
	i += i > 1;
	while (i < t->leaves)
		i = 2 * i + (t->least[2 * i] != least);
	return i - t->leaves;
}

#endif
