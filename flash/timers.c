#include "flash/timers.h"

#include "base/memory.h"

void timers_init(struct timers *t, uint32_t units)
{
	t->epoch = 0;
	t->bits = 1;
	while ((uint64_t)1 << t->bits < units)
		t->bits++;
	t->leaves = (uint32_t)1 << t->bits;
	t->key = memory_array((size_t)t->leaves * 2, sizeof *t->key, "event timers");
	for (uint32_t i = 0; i < 2 * t->leaves; i++)
		t->key[i] = TIMERS_UNSET;
}

void timers_release(struct timers *t)
{
	memory_free(t->key);
}

void timers_move_epoch(struct timers *t, tick_t due)
{
	tick_t next = timers_next(t), epoch = next < due ? next : due;

	for (uint32_t i = 1; i < 2 * t->leaves; i++)
		if (t->key[i] != TIMERS_UNSET)
			t->key[i] -= (epoch - t->epoch) << t->bits;
	t->epoch = epoch;
}

void timers_regions(struct timers *t, uint32_t units, struct regions *r)
{
	uint64_t *alarm = t->key + t->leaves;

	regions_visit(r, &t->epoch, sizeof t->epoch);
	regions_visit(r, alarm, units * sizeof *alarm);
	for (uint32_t u = 0; u < units; u++) {
		regions_require(r, alarm[u] == TIMERS_UNSET || (alarm[u] & (t->leaves - 1)) == u, "alarms");
		timers_put(t, u, alarm[u]);
	}
}
