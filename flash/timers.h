/*
 * One alarm per hardware unit and the earliest of them at hand: a tournament tree.
 * Setting an alarm costs log2(units) comparisons, the next one costs nothing.
 * Alarms of the same time ring in order of their unit, so runs are repeatable.
 */
#ifndef FLASH_TIMERS_H
#define FLASH_TIMERS_H

#include "types.h"

struct timers {
	uint32_t leaves;  /* power of two >= units */
	uint32_t *winner; /* winner[1] is the unit whose alarm rings first */
	tick_t *due;      /* per unit; TICK_NEVER = not set */
};

void timers_init(struct timers *, uint32_t units);
void timers_release(struct timers *);

/* Sets the alarm of a unit; TICK_NEVER takes it back. */
void timers_set(struct timers *, uint32_t unit, tick_t due);

static inline uint32_t timers_first(const struct timers *t)
{
	return t->winner[1];
}

static inline tick_t timers_next(const struct timers *t)
{
	return t->due[t->winner[1]];
}

#endif
