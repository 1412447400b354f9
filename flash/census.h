/*
 * What is under way, counted from the lists that name it, and held against what operations, requests and
 * blocks say of themselves: so that lists from a file end, name nothing twice and agree on their last element
 * before time passes. Whatever is wrong aborts.  Internal to flash/.
 */
#ifndef FLASH_CENSUS_H
#define FLASH_CENSUS_H

#include "flash/ops.h"

struct census {
	const struct ops *ops;
	uint64_t *op, *copy, *edge, *ticket; /* bits: named by a list */
	uint64_t *free, *begins;             /* bits: operations that are not there, or not released */
	uint32_t *waits;                     /* of each operation: for so much */
	uint32_t *parts;                     /* of each request: to be finished */
	uint32_t in_flight, held;            /* operations; pages of theirs in the controller's memory */
};

/* Begins with what is free, what waits for what, and what stands in the lists of blocks. */
struct census census_begin(const struct ops *, const struct geometry *, const struct flash_block *);

/* Operations of a die's queue, or of its command, which has no last one. */
void census_queue(struct census *, const struct queue *);
void census_command(struct census *, uint32_t first);

/* Operations of a request that are to become ready together. */
void census_release(struct census *, uint32_t first_op, uint32_t ticket);

/* Requests that have completed. */
void census_completed(struct census *, const struct queue *);

/* Is it an operation of a request, released and not done? */
bool census_counts(const struct census *, uint32_t op);

/* Compares. */
void census_end(struct census *);

#endif
