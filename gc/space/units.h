/*
 * A unit is the blocks of the same number in all planes, which are opened, filled, collected and erased
 * together (superblocks that stay together; reclaim units of the whole drive).
 *
 * To space and collector a unit is a block of a drive with one plane (layout.h).  Page k of a unit is in
 * plane k mod planes, in striping order, at offset k div planes.
 *
 * With bad blocks there are fewer units, and each has a list of its blocks.
 */
#ifndef SPACE_UNITS_H
#define SPACE_UNITS_H

#include "gc/space/bad.h"
#include "gc/space/layout.h"

struct units {
	struct layout layout; /* one plane, whose blocks are the units */
	const struct flash *flash;
	const plane_t *plane;     /* in striping order */
	const uint32_t *position; /* inverse of it */
	struct divisor planes;
	block_t *block; /* per unit and plane in striping order; NULL: without bad blocks they need no list */
	block_t *unit;  /* inverse of it, per block of the drive */
};

/* `plane` and `position` are arrays of struct placement (gc/space/placement.h), which must outlive it. */
void units_init(struct units *, const struct flash *, const plane_t *plane, const uint32_t *position);
void units_release(struct units *);

/* Leaves out bad blocks, or, without `remap`, units that have one.  False: no unit is left. */
bool units_leave_out(struct units *, const struct bad_blocks *, bool remap);

/* The i-th block of a unit, in striping order. */
static inline block_t units_block(const struct units *u, block_t unit, uint32_t i)
{
	const struct geometry *device = u->layout.device;

	if (u->block)
		return u->block[(size_t)unit * device->planes + i];
	return u->plane[i] * device->blocks_per_plane + unit;
}

/* The unit of a page; BLOCK_NONE: of none. */
static inline block_t units_unit(const struct units *u, ppn_t ppn)
{
	const struct geometry *device = u->layout.device;
	block_t block = geometry_block(device, ppn);

	if (u->unit)
		return u->unit[block];
	return block - geometry_plane(device, block) * device->blocks_per_plane;
}

#endif
