/*
 * The drive after a step, drawn: blocks as rows of cells, the operations and their reasons, the activity of
 * buses and dies, the map entries of touched pages, the buffer, counts.
 *
 * A cell shows what its page holds, an LPN as a number, other things by the first letter of their name; x is
 * dead, . free, o passed over, P parity, b in a bad block.  The mark before it shows the change of the step:
 * + programmed, - invalidated, ~ issued earlier and not yet written to flash.  Where numbers do not fit, a
 * page is one character: # for an LPN, or its mark.
 * The number of a block is followed by s if it is in SLC mode, with fewer pages, or by @1 if it has data of
 * placement handle 1.
 *
 * It works with any FTL: cells come from the medium, names from name_owner(), places from print_entry() or,
 * if an FTL has none, from the owners of pages.
 */
#ifndef WATCH_PICTURE_H
#define WATCH_PICTURE_H

#include "cli/watch/player.h"
#include "cli/watch/screen.h"

/* What the colours of live pages show: what the step did; how long ago they were programmed; how often the
 * host has written their LPN. */
enum picture_colours { COLOURS_CHANGE, COLOURS_AGE, COLOURS_HEAT, COLOURS };

/* The most that is shown: `rows` blocks of a plane, `planes` planes; those that changed or are being
 * filled come first. */
struct picture_shape {
	uint32_t columns, rows, planes;
	enum picture_colours colours;
};

/* The title of the colours; what a level of them means, from the coldest (0) on.  Not for COLOURS_CHANGE. */
const char *picture_colours_title(enum picture_colours);
const char *picture_colours_level(enum picture_colours, uint32_t level);

/* False and a fault: a block has more pages than fit into a row. */
bool picture_fits(const struct geometry *, struct picture_shape, struct fault *);

void picture_draw(struct screen *, const struct player *, struct picture_shape);

/* The shape of a picture of that many lines, as far as possible.  Draws one to find out. */
struct picture_shape picture_shape_for(
	struct screen *, const struct player *, uint32_t columns, uint32_t lines);

/* Only the blocks, from that row on.  Returns the row after them. */
uint32_t picture_blocks(struct screen *, const struct player *, struct picture_shape, uint32_t row);

#endif
