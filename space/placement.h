/*
 * Where the next page goes: which plane of which die.  Knows the shape of the medium and how
 * busy its dies are; knows nothing of blocks or of what is written but its stream.
 */
#ifndef SPACE_PLACEMENT_H
#define SPACE_PLACEMENT_H

#include "base/fault.h"
#include "flash/flash.h"
#include "space/space.h"

enum placement_policy {
	PLACE_LEAST_LOADED, /* the die with the least work; its planes in turn */
	PLACE_ROUND_ROBIN,  /* every plane in turn, whatever is written */
	PLACE_STATIC,       /* a function of the logical page number */
	PLACE_SUPERBLOCK,   /* every plane of a die, one after another, for each stream by itself */
};

/* What is written in step: each die by itself, or all of them. */
enum superblock_reach { SUPERBLOCK_DIE, SUPERBLOCK_DRIVE };

struct placement_settings {
	int policy, superblock;
	char *order; /* e.g. "CWDP": channel varies fastest, then way (chip), die, plane */
};

extern const struct param placement_params[];

/* A superblock that a stream is writing. */
struct placement_stripe {
	uint32_t at, left; /* die, in striping order; its planes that are still to be written */
};

struct placement {
	const struct geometry *geometry;
	const struct flash *flash;
	enum placement_policy policy;
	plane_t *plane;     /* planes in striping order */
	uint32_t *position; /* inverse of `plane` */
	die_t *die;         /* dies in striping order */
	uint32_t *turn;     /* per die: its next plane */
	struct placement_stripe stripe[STREAMS_MOST];
	enum superblock_reach superblock;
	uint32_t cursor;    /* next position of round robin, or of the search for an idle die ... */
	uint32_t positions; /* ... of so many: planes, or dies */
};

/* False and a fault if the order is not a permutation of C, W, D and P. */
bool placement_init(
	struct placement *, const struct flash *, const struct placement_settings *, struct fault *);
void placement_release(struct placement *);

extern const struct state_row placement_state[];

plane_t placement_choose(struct placement *, lpn_t, unsigned stream);

/* The plane after `plane` in striping order: where to look when `plane` is full. */
plane_t placement_after(const struct placement *, plane_t);

#endif
