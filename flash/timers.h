/*
 * One timer per unit, in a winner tree (base/min_tree.h).  Timers that are due at the same time expire in
 * order of their units, so runs are repeatable.
 *
 * Time and unit are one number, (due - epoch) << bits | unit.  The epoch advances when a time would not fit:
 * set timers must lie less than 2^(63 - bits) ns apart, 8.5 s with 2^30 units.
 */
#ifndef FLASH_TIMERS_H
#define FLASH_TIMERS_H

#include "base/min_tree.h"
#include "base/state.h"
#include "types.h"

struct timers {
	struct min_tree key; /* of the units; MIN_TREE_UNSET */
	uint32_t bits;
	tick_t epoch, reach; /* greatest distance of a timer from the epoch */
};

void timers_init(struct timers *, uint32_t units);
void timers_release(struct timers *);

extern const struct state_row timers_state[];

/* The epoch becomes the earliest timer, or `due` if that is earlier. */
void timers_move_epoch(struct timers *, tick_t due);

static inline void timers_set(struct timers *t, uint32_t unit, tick_t due)
{
	if (due - t->epoch >= t->reach)
		timers_move_epoch(t, due);
	min_tree_set(&t->key, unit, (due - t->epoch) << t->bits | unit);
}

static inline void timers_unset(struct timers *t, uint32_t unit)
{
	min_tree_set(&t->key, unit, MIN_TREE_UNSET);
}

/* When the timer of the unit, which must be set, expires. */
static inline tick_t timers_due(const struct timers *t, uint32_t unit)
{
	return t->epoch + (min_tree_get(&t->key, unit) >> t->bits);
}

/* The unit whose timer expires first, if one is set. */
static inline uint32_t timers_first(const struct timers *t)
{
	return (uint32_t)min_tree_least(&t->key) & (((uint32_t)1 << t->bits) - 1);
}

static inline tick_t timers_next(const struct timers *t)
{
	uint64_t key = min_tree_least(&t->key);

	return key == MIN_TREE_UNSET ? TICK_NEVER : t->epoch + (key >> t->bits);
}

#endif
