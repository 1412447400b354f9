/*
 * Padding of wordlines: pages without an owner fill up an incomplete wordline, so that its programs can start
 * (flash/wordline.h).  This happens between two events, when a wordline has waited for
 * flash.wordline_wait_ns or nothing else can proceed, and when a request waits for data to be in flash.
 * Planes are padded in order, and the streams of each plane in order.
 *
 * Without a store (NULL) there is nothing to fill up.
 */
#ifndef FTL_FILL_UP_H
#define FTL_FILL_UP_H

#include "ftl/store.h"

/* Takes the next wait that is over off the schedule and pads its wordline, if it is of a stream of the host
 * and the plane can spare the room.  False: no wait is over. */
bool fill_up_next(struct store *);

/* If no operation in flight can go on: pads every incomplete wordline for which there is room to spare; if
 * there is none, finishes the collections in progress.  False: nothing was done. */
bool fill_up_stalled(struct store *);

/* Pads, as part of `io`, the wordlines that hold up programs of the request with this ticket; INDEX_NONE:
 * programs with cause host of any request. */
void fill_up_for(struct store *, struct io *, uint32_t ticket);

/* Outside time: pads every open block to the end of its wordline, if there is room to spare. */
void fill_up_untimed(struct store *);

#endif
