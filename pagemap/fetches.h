/*
 * Reads that load something into DRAM, while they may be in flight: its users depend on the read. The thing
 * loaded is named by a number above 0; memory is taken per read, not per number.
 */
#ifndef PAGEMAP_FETCHES_H
#define PAGEMAP_FETCHES_H

#include "base/hash.h"
#include "base/pool.h"
#include "flash/flash.h"

struct fetches {
	struct pool pool;
	struct hash index; /* by the number loaded */
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

/* State; empty unless operations in flight are kept. Numbers are below `bound`. */
extern const struct state_row fetches_state[];

/* Are the numbers below the bound? */
bool fetches_are_below(const struct fetches *, uint32_t bound);

#endif
