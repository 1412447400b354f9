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

const struct state_row timers_state[] = {
	STATE_FIXED(bits, reach),
	STATE_NUMBER(struct timers, epoch),
	STATE_STRUCT(struct timers, key, min_tree_state),
	{ 0 },
};
