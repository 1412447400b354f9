/* Bad blocks of a drive: never used.  The set may be empty. */
#ifndef SPACE_BAD_H
#define SPACE_BAD_H

#include "base/bits.h"
#include "flash/geometry.h"

struct bad_blocks {
	uint64_t *block;    /* bit per block of the drive; NULL: none is bad */
	uint32_t *of_plane; /* per plane: number of bad blocks; NULL likewise */
	uint32_t most;      /* bad blocks of the plane with the most */
	uint64_t count;     /* of the drive */
};

extern const struct bad_blocks bad_none;

static inline bool bad_block(const struct bad_blocks *b, block_t block)
{
	return b->block && bits_get(b->block, block);
}

static inline uint32_t bad_of_plane(const struct bad_blocks *b, plane_t p)
{
	return b->of_plane ? b->of_plane[p] : 0;
}

#endif
