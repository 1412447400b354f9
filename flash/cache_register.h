/*
 * The cache register of a die (flash.cache_register): a second page register in each of its planes.
 *
 *	reads      the data of a read leaves from it while the cells sense for the next read
 *	programs   the next program is loaded into it while the cells program
 *
 * The register is a unit of its own, number 2n if its die is 2n + 1, because it uses the bus and waits for it
 * independently of the die.  Its phases:
 *
 *	PHASE_IDLE   empty
 *	PHASE_WOKEN  empty; a program that may be loaded has become ready
 *	PHASE_IN     a program is loaded
 *	PHASE_HELD   a program is loaded and waits for the cells
 *	PHASE_OUT    the data of a read leaves
 *
 * A die in PHASE_HELD waits for its register and starts nothing else.  If it has a command, that is a read,
 * whose data stays in the cells until the register is empty; if not, the register is loading a program.
 * Internal to flash/.
 */
#ifndef FLASH_CACHE_REGISTER_H
#define FLASH_CACHE_REGISTER_H

#include "flash/schedule_inside.h"

static inline bool is_register(const struct schedule *s, uint32_t u)
{
	return s->registers && !(u & 1);
}

static inline uint32_t register_of(uint32_t die)
{
	return die - 1;
}

static inline uint32_t die_of_register(uint32_t u)
{
	return u + 1;
}

/* The die's register holds nothing and is not being filled. */
static inline bool register_is_empty(const struct schedule *s, uint32_t die)
{
	enum phase phase = s->unit[register_of(die)].phase;

	return phase == PHASE_IDLE || phase == PHASE_WOKEN;
}

/* ---- what the schedule asks ---- */

/* Has each die a register? */
HOT bool has_registers(const struct schedule *s, bool plain)
{
	return !plain && s->registers;
}

/* Is data of a read leaving the die's register? */
HOT bool register_sends(const struct schedule *s, uint32_t die, bool plain)
{
	return has_registers(s, plain) && s->unit[register_of(die)].phase == PHASE_OUT;
}

/* May the command of the die be suspended, as its register is empty? */
HOT bool register_lets_stop(const struct schedule *s, uint32_t die, bool plain)
{
	return !has_registers(s, plain) || register_is_empty(s, die);
}

/* Does data of reads leave through the register? */
HOT bool register_reads(const struct schedule *s, bool plain)
{
	return !plain && s->settings->cache_register & CACHE_READ;
}

/* The unit to be woken for an operation of the die: the register, if the cells work. */
HOT uint32_t register_to_wake(const struct schedule *s, uint32_t die, bool plain)
{
	return has_registers(s, plain) && s->unit[die].phase == PHASE_CELL ? register_of(die) : die;
}

/* The cells of the die hold the data of a read, which leaves through the register as soon as that is
 * empty. */
void register_take_data(struct schedule *, uint32_t die);

/* Loads the first waiting operation if it is a program, the cells program and no read waits. */
void register_load(struct schedule *, uint32_t die);

/* The cells of the die are free: a program in the register is next.  False: there is none. */
bool register_goes_on(struct schedule *, uint32_t die);

/* The timer of the register has expired. */
void register_expired(struct schedule *, uint32_t u);

#endif
