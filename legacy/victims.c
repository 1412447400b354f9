#include "legacy/engine.h"

#define FAN 16

void legacy_victims_create(struct victims *v, uint32_t planes, uint32_t blocks)
{
	*v = (struct victims){ 0 };
	for (uint32_t size = blocks;; size = (size + FAN - 1) / FAN) {
		v->size[v->levels++] = size;
		v->words += size;
		if (size == 1)
			break;
	}
	v->count = memory_array((size_t)planes * v->words, sizeof *v->count, "legacy victim index");
}

/* Raises the maxima above an entry of level 0. */
static void raise_maxima(const struct victims *v, uint32_t *level, uint32_t i, uint32_t count)
{
	for (uint32_t n = 0; n + 1 < v->levels; n++) {
		level += v->size[n];
		i /= FAN;
		if (level[i] >= count)
			return;
		level[i] = count;
	}
}

uint32_t legacy_victims_add(struct victims *v, uint32_t plane, uint32_t block, uint32_t more)
{
	uint32_t *level = v->count + (size_t)plane * v->words;
	uint32_t count = level[block] += more;

	raise_maxima(v, level, block, count);
	return count;
}

static uint32_t group_max(const uint32_t *level, uint32_t size, uint32_t group)
{
	uint32_t end = (group + 1) * FAN < size ? (group + 1) * FAN : size;
	uint32_t max = 0;

	for (uint32_t i = group * FAN; i < end; i++)
		max = level[i] > max ? level[i] : max;
	return max;
}

void legacy_victims_clear(struct victims *v, uint32_t plane, uint32_t block)
{
	uint32_t *level = v->count + (size_t)plane * v->words;
	uint32_t i = block;

	level[i] = 0;
	for (uint32_t n = 0; n + 1 < v->levels; n++) {
		i /= FAN;
		level[v->size[n] + i] = group_max(level, v->size[n], i);
		level += v->size[n];
	}
}

/* Walks down from the top, each time into the first group that holds the maximum. */
static uint32_t first_with_max(const struct victims *v, uint32_t plane)
{
	const uint32_t *level = v->count + (size_t)plane * v->words + v->words - 1;
	uint32_t max = *level, i = 0;

	for (uint32_t n = v->levels - 1; n-- > 0;) {
		level -= v->size[n];
		for (i *= FAN; level[i] != max; i++)
			;
	}
	return max ? i : NONE;
}

uint32_t legacy_victims_best(struct victims *v, uint32_t plane, uint32_t except)
{
	uint32_t best = first_with_max(v, plane), *level, hidden;

	if (best != except)
		return best;
	level = v->count + (size_t)plane * v->words;
	hidden = level[except];
	legacy_victims_clear(v, plane, except);
	best = first_with_max(v, plane);
	legacy_victims_add(v, plane, except, hidden);
	return best;
}
