/*
 * The closed blocks of every plane as dense arrays, for policies that draw or scan:
 * adding, removing and drawing cost O(1).
 */
#ifndef GC_CANDIDATES_H
#define GC_CANDIDATES_H

#include "base/regions.h"
#include "flash/geometry.h"

struct candidates {
	const struct geometry *geometry;
	uint32_t *count;    /* per plane */
	block_t *list;      /* per plane, room for all its blocks */
	uint32_t *position; /* per block: where it stands in its plane's list */
};

void candidates_init(struct candidates *, const struct geometry *);
void candidates_release(struct candidates *);
void candidates_add(struct candidates *, block_t);
void candidates_remove(struct candidates *, block_t);

void candidates_regions(struct candidates *, struct regions *);

static inline const block_t *candidates_of(const struct candidates *c, plane_t plane)
{
	return c->list + (size_t)plane * c->geometry->blocks_per_plane;
}

#endif
