/*
 * One alarm per hardware unit and the earliest of them at hand: a tournament tree.
 * Setting an alarm costs log2(units) comparisons, the next one costs nothing.
 * Alarms of the same time ring in order of their unit, so runs are repeatable.
 *
 * Time and unit are one number, (due - epoch) << bits | unit.  The epoch moves on when that would not fit: alarms
 * that are set must not lie 2^(63 - bits) ns or more apart, 8.5 s with 2^30 units.
 */
#ifndef FLASH_TIMERS_H
#define FLASH_TIMERS_H

#include "base/regions.h"
#include "types.h"

struct timers {
	uint32_t leaves, bits; /* 2^bits leaves >= units */
	tick_t epoch;
	uint64_t *key; /* key[leaves + unit]; key[1] is the least; TIMERS_UNSET */
};

#define TIMERS_UNSET UINT64_MAX

void timers_init(struct timers *, uint32_t units);
void timers_release(struct timers *);

/* The alarms, of so many units. */
void timers_regions(struct timers *, uint32_t units, struct regions *);

/* The epoch becomes the earliest alarm, or `due` if that is earlier. */
void timers_move_epoch(struct timers *, tick_t due);

static inline void timers_put(struct timers *t, uint32_t unit, uint64_t key)
{
	uint32_t i = t->leaves + unit;

	for (t->key[i] = key; i > 1; t->key[i /= 2] = key) {
		uint64_t other = t->key[i ^ 1];

		key = other < key ? other : key;
	}
}

static inline void timers_set(struct timers *t, uint32_t unit, tick_t due)
{
	if ((due - t->epoch) >> (63 - t->bits))
		timers_move_epoch(t, due);
	timers_put(t, unit, (due - t->epoch) << t->bits | unit);
}

static inline void timers_unset(struct timers *t, uint32_t unit)
{
	if (t->key[t->leaves + unit] != TIMERS_UNSET)
		timers_put(t, unit, TIMERS_UNSET);
}

/* When the alarm of a unit, which is set, rings. */
static inline tick_t timers_due(const struct timers *t, uint32_t unit)
{
	return t->epoch + (t->key[t->leaves + unit] >> t->bits);
}

/* The unit whose alarm rings first, if any is set. */
static inline uint32_t timers_first(const struct timers *t)
{
	return (uint32_t)t->key[1] & (t->leaves - 1);
}

static inline tick_t timers_next(const struct timers *t)
{
	return t->key[1] == TIMERS_UNSET ? TICK_NEVER : t->epoch + (t->key[1] >> t->bits);
}

#endif
