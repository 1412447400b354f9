/*
 * Free blocks, plane by plane: whoever wants to fill one takes it, whoever has emptied one gives it back to be
 * erased.  Which one comes next is the wear rule's affair.  An FTL that manages its blocks itself (log blocks)
 * uses this alone; space.h stands on it.
 *
 * Knows nothing of what blocks hold.  Blocks that were never used cost no memory: they are a counter.
 */
#ifndef SPACE_BLOCKS_H
#define SPACE_BLOCKS_H

#include "flash/flash.h"

/* Which free block is taken next. */
enum free_order { FREE_LEAST_WORN, FREE_OLDEST, FREE_LOWEST };

struct blocks_plane {
	uint32_t fresh;    /* blocks of the plane never used: the last `fresh` ones */
	uint32_t recycled; /* length of the heap of free blocks that were used before */
	uint32_t retired;
	uint64_t erases; /* of this run, for wear levelling */
};

/* The lowest key is taken first, of equal ones the lowest block. */
struct free_block {
	uint32_t key; /* erases, or order of becoming free */
	block_t block;
};

struct blocks {
	const struct geometry *geometry;
	struct flash *flash;
	struct blocks_plane *plane;
	struct free_block *heap; /* per plane, room for all its blocks */
	enum free_order order;
	uint32_t freed;   /* blocks, ever: order of becoming free */
	uint64_t retired; /* blocks, ever */
};

struct blocks *blocks_create(struct flash *, enum free_order);
void blocks_free(struct blocks *);

static inline uint32_t blocks_left(const struct blocks *b, plane_t plane)
{
	return b->plane[plane].fresh + b->plane[plane].recycled;
}

/* Of all planes. */
uint64_t blocks_left_in_all(const struct blocks *);

/* The next free block of the plane, or the one with the most erases (for cold data); BLOCK_NONE: there is none. */
block_t blocks_take(struct blocks *, plane_t);
block_t blocks_take_most_worn(struct blocks *, plane_t);

/* Erases a block without live pages and takes it back.  False: it is worn out and retired. */
bool blocks_give(struct blocks *, struct io *, block_t, enum cause);

extern const struct state_row blocks_state[];

/* Aborts unless every free block is erased and each is listed once. */
void blocks_check(const struct blocks *);

#endif
