/*
 * Reads that bring something into DRAM, as long as they may be under way: who uses it meanwhile waits.  What
 * they bring is known by a number above 0; memory is for the reads, not for all the numbers there are.
 */
#ifndef PAGEMAP_FETCHES_H
#define PAGEMAP_FETCHES_H

#include "base/hash.h"
#include "base/pool.h"
#include "flash/flash.h"

struct fetches {
	struct pool pool;
	struct hash index; /* by what they bring */
	uint32_t due;      /* so many more may begin before those that are done are looked for */
};

struct fetches fetches_create(void);
void fetches_free(struct fetches *);

/* `number` is being brought by this read, no longer by another; OP_NONE: it is there. */
void fetches_begin(struct fetches *, const struct io *, uint32_t number, op_t read);

/* The read that `number` comes with; OP_NONE once it is done. */
op_t fetches_pending(struct fetches *, const struct io *, uint32_t number);

/* `number` is not waited for any more. */
void fetches_forget(struct fetches *, uint32_t number);

/* State; unless operations under way are kept, none is.  Numbers are below `bound`. */
extern const struct state_row fetches_state[];

/* Is what they bring below the bound? */
bool fetches_are_below(const struct fetches *, uint32_t bound);

#endif
