/*
 * A list of extents that are flushed together or read together.  Internal to buffer/.
 */
#ifndef BUFFER_EXTENTS_H
#define BUFFER_EXTENTS_H

#include "buffer/buffer.h"

void extents_push(struct extent_list *, struct extent);

/* Adds a range to the list; adjacent ranges become one, so that split requests form again. */
void extents_add(struct extent_list *, struct extent);

/* Adds the sectors in the mask, of a page that begins at `first`. */
void extents_add_mask(struct extent_list *, sector_t first, mask_t);

#endif
