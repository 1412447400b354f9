/*
 * `ssd watch`: a drive seen at work, request by request, on a terminal or as text.
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include "cli/watch/picture.h"

/* Prints pictures as text, without escapes: after each of the steps from .. to; 0 is before the first
 * request.  False and a fault: the trace is bad. */
bool watch_print(struct player *, uint64_t from, uint64_t to, struct picture_shape, FILE *, struct fault *);

/* On the terminal, with keys, from step `from` on, until the user leaves.  False: as above. */
bool watch_live(struct player *, uint64_t from, struct fault *);

#endif
