/*
 * The floor: what a page-mapped drive cannot avoid doing for a page write, and nothing else.
 * Look up the old place, mark it dead and move its block in the victim index, append to the
 * open block, change the map; when free blocks run low copy the live pages of the block with the
 * fewest.  No time, no requests, no statistics.  A simulator's cost per page write is measured in it.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stdint.h>

struct floor_drive;

struct floor_drive *floor_create(
	uint32_t planes, uint32_t blocks_per_plane, uint32_t pages_per_block, uint32_t lpns);
void floor_free(struct floor_drive *);
void floor_write(struct floor_drive *, uint32_t lpn);

/* Programs so far, collections included. */
uint64_t floor_programs(const struct floor_drive *);

#endif
