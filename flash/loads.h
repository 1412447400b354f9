/*
 * How much work lies before each die, in ns of its cells, and which has least.  Loads change with every operation and
 * are asked for once a host page, when mostly some die is idle: so idle ones are bits, and only when there is none does
 * the tournament (base/lowest.h) learn what has changed since it was last asked.
 *
 * Dies stand in the order of schedule_line_up().  Internal to flash/.
 */
#ifndef FLASH_LOADS_H
#define FLASH_LOADS_H

#include "base/bits.h"
#include "base/lowest.h"

struct loads {
	struct lowest ns;
	uint64_t *idle,
		*changed; /* a bit for each die: it has no work; the tournament does not know its load */
	size_t words;
};

struct loads loads_create(uint32_t dies);
void loads_free(struct loads *);

/* The loads, of so many dies, for saving and loading a run. */
void loads_regions(struct loads *, uint32_t dies, struct regions *);

/* The die with the least work, of equal ones the first at or behind `from`, going round, when none is idle. */
uint32_t loads_least_of_busy(struct loads *, uint32_t from);

static inline uint64_t loads_get(const struct loads *l, uint32_t die)
{
	return lowest_get(&l->ns, die);
}

static inline void loads_change(struct loads *l, uint32_t die, uint64_t by)
{
	uint64_t ns = lowest_get(&l->ns, die) + by, bit = (uint64_t)1 << die % BITS_WORD;
	size_t word = die / BITS_WORD;

	lowest_note(&l->ns, die, ns);
	l->changed[word] |= bit;
	l->idle[word] = (l->idle[word] & ~bit) | (uint64_t)(ns == 0) << die % BITS_WORD;
}

/* The die with the least work, of equal ones the first at or behind `from`, going round. */
static inline uint32_t loads_least(struct loads *l, uint32_t from)
{
	uint32_t idle = bits_next_round(l->idle, l->words, from);

	return idle == INDEX_NONE ? loads_least_of_busy(l, from) : idle;
}

#endif
