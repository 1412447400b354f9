/*
 * Where a guest's 4 KB grid lies on the sectors of a volume.
 *
 * Virtual disks begin on any sector of the volume that holds them, so requests that are
 * 4 KB aligned inside a guest begin at (multiple of 8) + residue, and the residue is the
 * same in a neighbourhood: nearly always within 1 MB, often within 64 MB, less so within
 * 1 GB and 16 GB.  Modelled as nested regions (16 GB, 1 GB, 64 MB, 1 MB, 64 KB): a region
 * keeps the residue of the region around it, or else has one of its own.  Everything is
 * a hash of the place: no table, the same answer every time.
 */
#ifndef TRACES_GENERATE_ALIGN_H
#define TRACES_GENERATE_ALIGN_H

#include <stdint.h>

#define GRID_SECTORS 8u
#define ALIGN_LEVELS 5

struct align_settings {
	double unaligned; /* share of the space whose residue is not 0 */
	double keep_1g;   /* share of the 1 GB regions that keep the residue of their 16 GB */
	double keep_64m, keep_1m, keep_64k;
};

struct align {
	uint64_t seed;
	double unaligned;
	unsigned top; /* level of the largest regions of which the space has at least four */
	double keep[ALIGN_LEVELS];
};

void align_init(struct align *, const struct align_settings *, uint64_t space_sectors, uint64_t seed);

/* The residue at a sector: 0 to 7. */
unsigned align_residue(const struct align *, uint64_t sector);

#endif
