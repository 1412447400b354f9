#include "legacy/engine.h"

#define FAN 16

/* An entry is a number of invalid pages and, in its lowest bits, the position of its source in the group
 * below, counted from the end, so that the largest entry is the first of those with most invalid pages.
 * Entries of blocks, with no group below, have 0 there.  Blocks have at most 2^16 pages, so that entries fit
 * 31 bits. */
static uint32_t entry_of(uint32_t count, uint32_t place)
{
	return count * FAN + FAN - 1 - place % FAN;
}

static uint32_t victims_count_in(uint32_t entry)
{
	return entry / FAN;
}

static uint32_t place_in(uint32_t entry)
{
	return FAN - 1 - entry % FAN;
}

/* Every level is filled up to whole groups by entries that stay 0. */
void legacy_victims_create(struct victims *v, uint32_t planes, uint32_t blocks)
{
	uint32_t size = blocks;

	*v = (struct victims){ 0 };
	do {
		uint32_t groups = (size + FAN - 1) / FAN;

		v->size[v->levels++] = groups * FAN;
		v->words += groups * FAN;
		size = groups;
	} while (size > 1);
	v->size[v->levels++] = 1;
	v->words++;
	v->entry = memory_array((size_t)planes * v->words, sizeof *v->entry, "legacy victim index");
}

/* Raises the maxima above an entry of level 0. */
static void raise_maxima(const struct victims *v, uint32_t *level, uint32_t i, uint32_t count)
{
	for (uint32_t n = 0; n + 1 < v->levels; n++) {
		uint32_t entry = entry_of(count, i);

		level += v->size[n];
		i /= FAN;
		if (level[i] >= entry)
			return;
		level[i] = entry;
	}
}

uint32_t legacy_victims_add(struct victims *v, uint32_t plane, uint32_t block, uint32_t more)
{
	uint32_t *level = v->entry + (size_t)plane * v->words;
	uint32_t count = victims_count_in(level[block] += more * FAN);

	raise_maxima(v, level, block, count);
	return count;
}

/* The largest entry for a group once the one at `place` is replaced.  Without a branch, so that the compiler
 * can look at several entries at once. */
static uint32_t group_max(const uint32_t *group, uint32_t place, uint32_t replacement)
{
	int32_t max = 0;

	for (uint32_t i = 0; i < FAN; i++) {
		uint32_t count = victims_count_in(i == place ? replacement : group[i]);
		int32_t entry = (int32_t)entry_of(count, i);

		max = entry > max ? entry : max;
	}
	return (uint32_t)max;
}

/* Entries are stored after their group has been read: a wide load of data just stored in pieces would wait
 * for all earlier stores. */
void legacy_victims_clear(struct victims *v, uint32_t plane, uint32_t block)
{
	uint32_t *level = v->entry + (size_t)plane * v->words;
	uint32_t i = block, entry = 0;

	for (uint32_t n = 0; n + 1 < v->levels; n++) {
		uint32_t place = i % FAN, *above = level + v->size[n];
		bool led = place_in(above[i / FAN]) == place;
		uint32_t max = led ? group_max(level + i - place, place, entry) : 0;

		level[i] = entry;
		if (!led)
			return;
		entry = max;
		level = above;
		i /= FAN;
	}
	*level = entry;
}

/* Walks down from the top: every entry has the position of its source below. */
static uint32_t first_with_max(const struct victims *v, uint32_t plane)
{
	const uint32_t *level = v->entry + (size_t)plane * v->words + v->words - 1;
	uint32_t i = 0, count = victims_count_in(*level);

	for (uint32_t n = v->levels - 1; n-- > 0;) {
		uint32_t place = place_in(level[i]);

		level -= v->size[n];
		i = i * FAN + place;
	}
	return count ? i : NONE;
}

uint32_t legacy_victims_best(struct victims *v, uint32_t plane, uint32_t except)
{
	uint32_t best = first_with_max(v, plane), hidden;

	if (best != except)
		return best;
	hidden = victims_count_in(v->entry[(size_t)plane * v->words + except]);
	legacy_victims_clear(v, plane, except);
	best = first_with_max(v, plane);
	legacy_victims_add(v, plane, except, hidden);
	return best;
}
