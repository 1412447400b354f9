/*
 * Dependencies: a set of operations that another operation waits for.  flash_read() and flash_program() take
 * one of them; these take all.
 */
#ifndef FTL_DEPS_H
#define FTL_DEPS_H

#include "flash/flash.h"

#define DEPS_MOST 8u

struct deps {
	op_t op[DEPS_MOST]; /* no duplicates, no OP_NONE */
	uint32_t count;
};

/* OP_NONE and operations already in the set change nothing. */
void deps_add(struct deps *, op_t);
void deps_add_all(struct deps *, const struct deps *more);

/* The one added last, or OP_NONE. */
static inline op_t deps_last(const struct deps *d)
{
	return d->count ? d->op[d->count - 1] : OP_NONE;
}

/* The same as flash_read() and flash_program(), but dependent on the whole set. */
op_t deps_read(struct io *, ppn_t, uint32_t sectors, enum cause, const struct deps *);
op_t deps_program(struct io *, ppn_t, owner_t, uint32_t sectors, enum cause, const struct deps *);

#endif
