#include "flash/timers.h"

void timers_init(struct timers *t, uint32_t units)
{
	t->epoch = 0;
	t->key = min_tree_create(units, "event timers");
	t->bits = (uint32_t)__builtin_ctz(t->key.leaves);
	t->reach = (tick_t)1 << (63 - t->bits);
}

void timers_release(struct timers *t)
{
	min_tree_free(&t->key);
}

void timers_move_epoch(struct timers *t, tick_t due)
{
	tick_t next = timers_next(t), epoch = next < due ? next : due;
	uint64_t by = (epoch - t->epoch) << t->bits;

	for (uint32_t i = 1; i < 2 * t->key.leaves; i++)
		if (t->key.node[i] != MIN_TREE_UNSET)
			t->key.node[i] -= by;
	t->epoch = epoch;
}

void timers_regions(struct timers *t, uint32_t units, struct regions *r)
{
	regions_visit(r, &t->epoch, sizeof t->epoch);
	min_tree_regions(&t->key, units, r);
	for (uint32_t u = 0; u < units; u++) {
		uint64_t alarm = min_tree_get(&t->key, u);

		regions_require(r, alarm == MIN_TREE_UNSET || (alarm & (t->key.leaves - 1)) == u, "alarms");
	}
}
