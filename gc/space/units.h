/*
 * A unit is the blocks of the same number in all planes, which are opened, filled, collected and erased
 * together (superblocks that stay together; reclaim units of the whole drive).
 *
 * To space and collector a unit is a block of a drive with one plane: they use `geometry` below.  Page k
 * of a unit is in plane k mod planes, in striping order, at offset k div planes.
 *
 * With bad blocks (bad.h) there are fewer units, and each has a list of its blocks.  With parity (parity.h)
 * only data pages count as pages of a unit.
 */
#ifndef SPACE_UNITS_H
#define SPACE_UNITS_H

#include "gc/space/bad.h"

struct parity;

struct units {
	struct geometry geometry; /* one plane, whose blocks are the units */
	const struct geometry *device;
	const plane_t *plane;     /* in striping order */
	const uint32_t *position; /* inverse of it */
	struct divisor planes;
	block_t *block; /* per unit and plane in striping order; NULL: without bad blocks they need no list */
	block_t *unit;  /* inverse of it, per block of the drive */
	struct parity *parity; /* NULL: none */
};

/* `plane` and `position` are arrays of struct placement (gc/space/placement.h), which must outlive it. */
void units_init(
	struct units *, const struct geometry *device, const plane_t *plane, const uint32_t *position);
void units_release(struct units *);

/* Leaves out bad blocks, or, without `remap`, units that have one.  False and a fault: no unit is left. */
bool units_leave_out(struct units *, const struct bad_blocks *, bool remap, struct fault *);

/* The i-th block of a unit, in striping order. */
static inline block_t units_block(const struct units *u, block_t unit, uint32_t i)
{
	if (u->block)
		return u->block[(size_t)unit * u->device->planes + i];
	return u->plane[i] * u->device->blocks_per_plane + unit;
}

/* units_page() and units_number() for units with parity. */
ppn_t units_page_beside_parity(const struct units *, block_t unit, uint32_t k);
uint32_t units_number_beside_parity(const struct units *, ppn_t);

static inline ppn_t units_page(const struct units *u, block_t unit, uint32_t k)
{
	uint32_t offset = divide(k, u->planes), i = k - offset * u->device->planes;

	if (u->parity)
		return units_page_beside_parity(u, unit, k);
	return geometry_first_page(u->device, units_block(u, unit, i)) + offset;
}

/* The unit of a page, and the page's number in it. */
static inline block_t units_unit(const struct units *u, ppn_t ppn)
{
	block_t block = geometry_block(u->device, ppn);

	if (u->unit)
		return u->unit[block];
	return block - geometry_plane(u->device, block) * u->device->blocks_per_plane;
}

static inline uint32_t units_number(const struct units *u, ppn_t ppn)
{
	plane_t plane = geometry_plane_of(u->device, ppn);

	if (u->parity)
		return units_number_beside_parity(u, ppn);
	return geometry_page(u->device, ppn) * u->device->planes + u->position[plane];
}

#endif
