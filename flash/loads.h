/*
 * The load of each die, queued and running work in ns of cell time, and the least loaded die.
 *
 * Loads change with every operation, but the least loaded die is needed only once per host page, and then
 * some die is usually idle.  So idle dies are kept as bits, and the winner tree is updated only by a look-up
 * that finds no idle die.
 *
 * Dies are numbered in the order of schedule_line_up().  Internal to flash/.
 */
#ifndef FLASH_LOADS_H
#define FLASH_LOADS_H

#include "base/bits.h"
#include "base/min_tree.h"
#include "base/state.h"

struct loads {
	struct min_tree ns;
	uint64_t *idle;    /* bit per die: it has no work */
	uint64_t *changed; /* bit per die: its load has changed since the tree was updated */
	size_t words;
};

struct loads loads_create(uint32_t dies);
void loads_free(struct loads *);

extern const struct state_row loads_state[];

/* loads_least() when no die is idle. */
uint32_t loads_least_of_busy(struct loads *, uint32_t from);

static inline uint64_t loads_get(const struct loads *l, uint32_t die)
{
	return min_tree_get(&l->ns, die);
}

static inline void loads_change(struct loads *l, uint32_t die, uint64_t by)
{
	uint64_t ns = min_tree_get(&l->ns, die) + by, bit = (uint64_t)1 << die % BITS_WORD;
	size_t word = die / BITS_WORD;

	min_tree_set_leaf(&l->ns, die, ns);
	l->changed[word] |= bit;
	l->idle[word] ^= (l->idle[word] ^ -(uint64_t)(ns == 0)) & bit;
}

/* The least loaded die; of several, the first from `from` on, cyclically. */
static inline uint32_t loads_least(struct loads *l, uint32_t from)
{
	uint32_t idle = bits_next_round(l->idle, l->words, from);

	return idle == INDEX_NONE ? loads_least_of_busy(l, from) : idle;
}

#endif
