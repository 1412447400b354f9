/*
 * Bad blocks: bad from the start and never used.  They are listed, drawn at random, or both.
 *
 * A plane then has fewer blocks.  With units (units.h), unit i consists of the i-th good block of each plane,
 * or, without `remap`, units with a bad block are lost.
 */
#ifndef SPACE_BAD_H
#define SPACE_BAD_H

#include "base/bits.h"
#include "base/fault.h"
#include "base/param.h"
#include "flash/geometry.h"
#include "stats/table.h"

struct bad_settings {
	char *list; /* numbers of blocks in the drive, separated by blanks or commas */
	double share;
	bool remap;
	uint64_t seed; /* set by the drive, from its own seed */
};

extern const struct param bad_params[];
extern const struct refusal bad_refusals[];

struct bad_blocks {
	uint64_t *block;    /* bit per block of the drive; NULL: none is bad */
	uint32_t *of_plane; /* per plane: number of bad blocks */
	uint32_t most;      /* bad blocks of the plane with the most */
	uint64_t count;     /* of the drive */
};

static inline bool bad_is_on(const struct bad_settings *s)
{
	return *s->list || s->share > 0;
}

static inline bool bad_block(const struct bad_blocks *b, block_t block)
{
	return b->block && bits_get(b->block, block);
}

/* False and a fault: the list is not one of blocks of the drive, or a plane has no good block.  The caller
 * calls bad_release() in either case. */
bool bad_init(struct bad_blocks *, const struct bad_settings *, const struct geometry *, struct fault *);
void bad_release(struct bad_blocks *);

void bad_statistics(struct bad_blocks *, struct stat_list *);

#endif
