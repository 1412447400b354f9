/*
 * What a block of the space is made of, if it is not simply a block of the drive: blocks of all planes
 * (units.h), of whose pages some may hold parity (gc/tools/parity.c).  To space, collector and FTLs it is a
 * block like any other, of a drive with the geometry below.
 */
#ifndef SPACE_LAYOUT_H
#define SPACE_LAYOUT_H

#include "flash/flash.h"

struct layout {
	const struct layout_ops *ops;
	struct geometry geometry;      /* of the space */
	const struct geometry *device; /* of the drive: it counts all physical pages */
	uint32_t block_pages;          /* of a block that is opened now */
};

struct layout_ops {
	/* Page k of a block, in the order in which pages are handed out; the block of a page, BLOCK_NONE if
	 * it is of none; and the number of a page in its block. */
	ppn_t (*page)(const struct layout *, block_t, uint32_t k);
	block_t (*block_of)(const struct layout *, ppn_t);
	uint32_t (*number)(const struct layout *, ppn_t);
	/* The i-th block of the drive in a block, one of each plane. */
	block_t (*part)(const struct layout *, block_t, uint32_t i);
	/* Pages of the block that are programmed since its erase. */
	uint32_t (*programmed)(const struct layout *, block_t);

	/* The rest is optional. */

	/* Pages of the block once it is full; NULL: as many as the geometry says. */
	uint32_t (*pages)(const struct layout *, block_t);
	/* Is the i-th block of each block lost with its die? */
	bool (*is_lost)(const struct layout *, uint32_t i);
	/* `pages` pages of the block have been handed out, the last one just now. */
	void (*handed_out)(struct layout *, struct io *, block_t, uint32_t pages);
	/* The block is free again. */
	void (*freed)(struct layout *, block_t);
	/* Does the page hold parity? */
	bool (*is_parity)(const struct layout *, ppn_t);
	void (*check)(const struct layout *);
};

#endif
