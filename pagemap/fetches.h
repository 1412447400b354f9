/*
 * Reads in flight of mapping pages or parts of them: users of the data that a read loads depend on it.  The
 * data is identified by a number above 0; memory grows with the reads in flight, not with the numbers.
 */
#ifndef PAGEMAP_FETCHES_H
#define PAGEMAP_FETCHES_H

#include "base/hash.h"
#include "base/pool.h"
#include "flash/flash.h"

struct fetches {
	struct pool pool;
	struct hash index; /* by the number loaded */
	uint32_t due;      /* reads that may still begin before completed ones are dropped */
};

struct fetches fetches_create(void);
void fetches_free(struct fetches *);

/* `number` is loaded by this read, which replaces an earlier one; OP_NONE: it is loaded already. */
void fetches_begin(struct fetches *, const struct io *, uint32_t number, op_t read);

/* The read that loads `number`; OP_NONE once it is done. */
op_t fetches_pending(struct fetches *, const struct io *, uint32_t number);

/* Forgets the read that loads `number`, if there is one. */
void fetches_forget(struct fetches *, uint32_t number);

/* State; empty unless operations in flight are saved. */
extern const struct state_row fetches_state[];

#endif
