/*
 * Filling up wordlines: programs whose wordline lacks pages go on when pages of nobody take the place of
 * those (flash/wordline.h).  That happens when the drive stops between two events: a wait of a wordline is
 * over, or nothing else could ever go on; and when a request waits for data to be in flash.  Planes in order,
 * and in each of them streams in order.
 *
 * Without a store (NULL) there is nothing to fill up.
 */
#ifndef FTL_FILL_UP_H
#define FTL_FILL_UP_H

#include "ftl/store.h"

/* Takes a wait that is over off the schedule and fills up its wordline, if that has data of the host.
 * False: no wait is over.  */
bool fill_up_next(struct store *);

/* Fills up every wordline, if nothing else can go on.  False: something can, or there is nothing to fill. */
bool fill_up_stalled(struct store *);

/* Fills up what holds up programs of the request, or, INDEX_NONE, of any and with cause host: in `io`. */
void fill_up_for(struct store *, struct io *, uint32_t ticket);

/* Outside time: every open block goes on with a whole wordline. */
void fill_up_untimed(struct store *);

#endif
