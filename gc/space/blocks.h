/*
 * Free blocks of each plane.  A block is taken to be filled, and given back to be erased.  Dynamic wear
 * levelling decides which one is taken next.  space.h is built on it; an FTL that manages its blocks itself
 * (log blocks) uses it directly.
 *
 * What blocks hold does not matter here.  Blocks that were never used are only counted and take no memory.
 *
 * With a layout (layout.h) a block here is several of the drive: they are erased together, and it is worn out
 * when the first of them is.
 */
#ifndef SPACE_BLOCKS_H
#define SPACE_BLOCKS_H

#include "flash/flash.h"
#include "gc/space/bad.h"
#include "gc/space/layout.h"

/* Which free block is taken next. */
enum free_order { FREE_LEAST_WORN, FREE_OLDEST, FREE_LOWEST };

struct blocks_plane {
	uint32_t fresh;    /* blocks that were never used: the last good ones of the plane */
	uint32_t recycled; /* free blocks that were used before: the length of the heap */
	uint32_t retired;
	uint64_t erases;     /* ever, for static wear levelling */
	uint32_t first, end; /* range of the plane's blocks that are managed here */
	uint32_t next;       /* index of the first fresh block */
};

/* The lowest key is taken first, of equal ones the lowest block. */
struct free_block {
	uint32_t key; /* erases, or order of becoming free */
	block_t block;
};

struct blocks {
	const struct geometry *geometry; /* of the layout, if there is one */
	const struct layout *layout;     /* NULL: blocks of the drive */
	const struct bad_blocks *bad;    /* never taken */
	struct flash *flash;
	struct blocks_plane *plane;
	struct free_block *heap; /* one per plane, each with room for all blocks of the plane */
	enum free_order order;
	uint32_t count;   /* blocks managed per plane; with blocks_leave_last() bad ones included */
	uint32_t freed;   /* blocks given back so far; counted for FREE_OLDEST only */
	uint64_t retired; /* blocks of all planes */
};

/* The layout, or NULL, and the bad blocks must outlive it. */
struct blocks *blocks_create(
	struct flash *, enum free_order, const struct layout *, const struct bad_blocks *);
void blocks_free(struct blocks *);

/* Manages all blocks of each plane but the last `count` good ones, or only those.  Call before the first
 * block is taken. */
void blocks_leave_last(struct blocks *, uint32_t count);
void blocks_limit_to_last(struct blocks *, uint32_t count);

static inline bool blocks_are_bad(const struct blocks *b, block_t block)
{
	return bad_block(b->bad, block);
}

static inline bool blocks_manage(const struct blocks *b, block_t block)
{
	plane_t p = geometry_plane(b->geometry, block);
	uint32_t i = block - p * b->geometry->blocks_per_plane;

	return i >= b->plane[p].first && i < b->plane[p].end && !blocks_are_bad(b, block);
}

static inline uint32_t blocks_left(const struct blocks *b, plane_t plane)
{
	return b->plane[plane].fresh + b->plane[plane].recycled;
}

/* Free blocks of all planes. */
uint64_t blocks_left_in_all(const struct blocks *);

/* The next free block of the plane, or the one with the most erases (for cold data); BLOCK_NONE if none is
 * free. */
block_t blocks_take(struct blocks *, plane_t);
block_t blocks_take_most_worn(struct blocks *, plane_t);

/* Erases a block without live pages and makes it free.  False: it is worn out and retired. */
bool blocks_give(struct blocks *, struct io *, block_t, enum cause);

/* Pages of the block that have been programmed since its erase, without parity pages. */
uint32_t blocks_programmed(const struct blocks *, block_t);

extern const struct state_row blocks_state[];

/* Aborts unless every free block is erased and listed once. */
void blocks_check(const struct blocks *);

#endif
