/*
 * Static wear levelling: blocks of cold data, which are never collected, are moved into worn
 * blocks so that their own, fresh cells come into use.
 */
#ifndef GC_WEAR_H
#define GC_WEAR_H

#include "gc/collect.h"

/* Called after each erase of a plane; moves at most one block every wear.period erases. */
void wear_level(struct collector *, struct io *, plane_t);

/* For wear.c and collect.c: empties a closed block into pages of the stream and erases it. */
void collector_reclaim(struct collector *, struct io *, block_t, unsigned stream, enum cause);

#endif
