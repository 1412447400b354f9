/*
 * The floor: the least that page mapping must do for a page write.  Look up the old page, invalidate it and
 * move its block in the victim index, append to the open block, update the map; when free blocks run low,
 * copy the valid pages of the block with the fewest.  No time, no requests, no statistics.  The simulator's
 * cost is compared with that of the floor.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stdint.h>

struct floor_drive;

struct floor_drive *floor_create(
	uint32_t planes, uint32_t blocks_per_plane, uint32_t pages_per_block, uint32_t lpns);
void floor_free(struct floor_drive *);
void floor_write(struct floor_drive *, uint32_t lpn);

/* Pages programmed so far, with those of collections. */
uint64_t floor_programs(const struct floor_drive *);

#endif
