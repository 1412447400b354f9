/*
 * A check of loaded state: counts the operations in flight from the lists that contain them and compares the
 * counts with those that operations, requests and blocks keep themselves.  Lists from a file must end,
 * contain nothing twice and agree on their last element before time passes.  Anything wrong aborts.  Internal
 * to flash/.
 */
#ifndef FLASH_CENSUS_H
#define FLASH_CENSUS_H

#include "flash/ops.h"

struct census {
	const struct ops *ops;
	uint64_t *op, *copy, *edge, *ticket, *wordline; /* bit per element: found in a list */
	uint64_t *free, *begins;  /* bit per operation: it is free; its request is not released */
	uint32_t *waits;          /* per operation: dependencies found */
	uint32_t *parts;          /* per request: operations and releases found */
	uint32_t in_flight, held; /* operations; pages in the controller's memory */
	uint32_t wordline_pages;
};

/* Counts free elements, dependencies and the rings of blocks. */
struct census census_begin(
	const struct ops *, const struct geometry *, const struct flash_block *, uint32_t wordline_pages);

/* Counts the operations in a queue of a die; those of its command. */
void census_queue(struct census *, const struct queue *);
void census_command(struct census *, uint32_t first);

/* Counts the operations of a request that is not released yet. */
void census_release(struct census *, uint32_t first_op, uint32_t ticket);

/* Counts the requests that have completed. */
void census_completed(struct census *, const struct queue *);

/* Is it a released operation that a request waits for? */
bool census_counts(const struct census *, uint32_t op);

/* Compares the counts and frees them. */
void census_end(struct census *);

#endif
