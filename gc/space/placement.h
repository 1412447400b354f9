/*
 * Page allocation: which plane the next page is written to.  It depends only on the geometry, the load of the
 * dies, and the logical page and stream of the write.
 */
#ifndef SPACE_PLACEMENT_H
#define SPACE_PLACEMENT_H

#include "base/fault.h"
#include "flash/flash.h"
#include "gc/space/space.h"

enum placement_policy {
	PLACE_LEAST_LOADED, /* the die with the least work; its planes in turn */
	PLACE_ROUND_ROBIN,  /* the planes in turn */
	PLACE_STATIC,       /* a function of the logical page number */
	PLACE_SUPERBLOCK,   /* all planes of a die in turn, for each stream */
};

/* The die on which superblock placement continues: the least loaded one, or the next one; or each superblock
 * is a unit (gc/space/units.h). */
enum superblock_reach { SUPERBLOCK_DIE, SUPERBLOCK_DRIVE, SUPERBLOCK_UNIT };

struct placement_settings {
	int policy, superblock;
	char *order; /* e.g. "CWDP": channel varies fastest, then way (chip), die, plane */
};

extern const struct param placement_params[];
extern const struct refusal placement_refusals[];

/* The superblock that a stream writes. */
struct placement_stripe {
	uint32_t at, left; /* number of the die in striping order; planes of it not yet written */
};

struct placement {
	const struct geometry *geometry;
	const struct flash *flash;
	enum placement_policy policy;
	plane_t *plane;     /* planes in striping order */
	uint32_t *position; /* inverse of `plane` */
	die_t *die;         /* dies in striping order */
	uint32_t *turn;     /* per die: the plane chosen last */
	struct placement_stripe stripe[STREAMS_MOST];
	enum superblock_reach superblock;
	uint32_t cursor;    /* round robin: the last plane; else the die at which the search begins */
	uint32_t positions; /* bound of `cursor` */
};

/* False and a fault if the order is not a permutation of C, W, D and P. */
bool placement_init(
	struct placement *, const struct flash *, const struct placement_settings *, struct fault *);
void placement_release(struct placement *);

extern const struct state_row placement_state[];

static inline bool placement_has_units(const struct placement_settings *s)
{
	return s->policy == PLACE_SUPERBLOCK && s->superblock == SUPERBLOCK_UNIT;
}

/* With units always plane 0. */
plane_t placement_choose(struct placement *, lpn_t, unsigned stream);

/* The plane after this one in striping order: the next to try when this one is full. */
plane_t placement_after(const struct placement *, plane_t);

#endif
