/*
 * Reads of mapping pages or parts of them that are in flight: whoever uses what they load depends on them.
 * What is loaded is identified by a number above 0; memory grows with the reads in flight, not with the
 * numbers.
 */
#ifndef PAGEMAP_FETCHES_H
#define PAGEMAP_FETCHES_H

#include "base/hash.h"
#include "base/pool.h"
#include "flash/flash.h"

struct fetches {
	struct pool pool;
	struct hash index; /* by the number loaded */
	uint32_t due;      /* reads that may begin before completed ones are searched for and dropped */
};

struct fetches fetches_create(void);
void fetches_free(struct fetches *);

/* `number` is loaded by this read, not by an earlier one any more; OP_NONE: it is loaded. */
void fetches_begin(struct fetches *, const struct io *, uint32_t number, op_t read);

/* The read that loads `number`; OP_NONE once it is done. */
op_t fetches_pending(struct fetches *, const struct io *, uint32_t number);

/* `number` is no longer loaded by any read. */
void fetches_forget(struct fetches *, uint32_t number);

/* State; empty unless operations in flight are kept. Numbers are below `bound`. */
extern const struct state_row fetches_state[];

/* Are the numbers below the bound? */
bool fetches_are_below(const struct fetches *, uint32_t bound);

#endif
