#include "flash/timers.h"

#include "base/memory.h"

void timers_init(struct timers *t, uint32_t units)
{
	t->leaves = 2;
	while (t->leaves < units)
		t->leaves *= 2;
	t->winner = memory_array((size_t)t->leaves * 2, sizeof *t->winner, "event timers");
	t->due = memory_array(t->leaves, sizeof *t->due, "event timers");
	for (uint32_t i = 0; i < t->leaves; i++) {
		t->due[i] = TICK_NEVER;
		t->winner[t->leaves + i] = i;
	}
	for (uint32_t i = t->leaves - 1; i; i--)
		t->winner[i] = t->winner[2 * i];
}

void timers_release(struct timers *t)
{
	memory_free(t->winner);
	memory_free(t->due);
}

void timers_set(struct timers *t, uint32_t unit, tick_t due)
{
	t->due[unit] = due;
	for (uint32_t i = (t->leaves + unit) / 2; i; i /= 2) {
		uint32_t left = t->winner[2 * i], right = t->winner[2 * i + 1];
		uint32_t winner = t->due[right] < t->due[left] ? right : left;

		/* Neither before nor after does this unit win here: nothing changes further up. */
		if (winner == t->winner[i] && winner != unit)
			break;
		t->winner[i] = winner;
	}
}
