/*
 * The drive after a step, drawn: blocks as rows of cells, what was done and why, when buses and dies worked for it,
 * the map of what was touched, the buffer, counts.
 *
 * A cell shows what its page holds, LPNs as numbers, other things by the first letter of their name; x is
 * dead, . free, o passed over.  A mark before it says what the step changed: + programmed, - died, ~ still on
 * its way to flash for an earlier request.  Where numbers find no room a page is one character: # live, or its
 * mark.
 *
 * It works with any FTL: cells come from the medium, names from name_owner(), places from print_entry() or, where
 * an FTL has none, from the owners of pages.
 */
#ifndef WATCH_PICTURE_H
#define WATCH_PICTURE_H

#include "watch/player.h"
#include "watch/screen.h"

/* `rows`: blocks of a plane, `planes`: of the drive, that are shown at most; those first in which something changed or
 * that are being filled. */
struct picture_shape {
	uint32_t columns, rows, planes;
};

/* What needs more than this is not drawn: blocks of more pages than fit into a row.  False and a fault. */
bool picture_fits(const struct geometry *, struct picture_shape, struct fault *);

void picture_draw(struct screen *, const struct player *, struct picture_shape);

/* The shape of a picture of so many lines, if that can be.  Draws. */
struct picture_shape picture_shape_for(
	struct screen *, const struct player *, uint32_t columns, uint32_t lines);

/* The blocks alone, from that row on.  Returns the row behind. */
uint32_t picture_blocks(struct screen *, const struct player *, struct picture_shape, uint32_t row);

#endif
