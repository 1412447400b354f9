/*
 * Logical pages that have left the buffer: a bounded memory for policies that treat a page which comes back
 * otherwise than a new one.  The one that came first is forgotten first.
 */
#ifndef BUFFER_GHOSTS_H
#define BUFFER_GHOSTS_H

#include "base/hash.h"
#include "base/list.h"
#include "base/regions.h"
#include "types.h"

struct ghost {
	lpn_t lpn;
	uint32_t chain;
	struct link link;
};

struct ghosts {
	struct ghost *
		ghost; /* two heads first: of those that are remembered, the oldest first, and of free ones */
	uint32_t room;
	struct hash index;
};

/* Remembers at most `room` > 0 pages. */
struct ghosts ghosts_create(uint32_t room);
void ghosts_free(struct ghosts *);

/* Remembers the page as the newest. */
void ghosts_add(struct ghosts *, lpn_t);

/* Whether the page is remembered; it is no more. */
bool ghosts_take(struct ghosts *, lpn_t);

/* State, for saving a run. */
void ghosts_regions(struct ghosts *, struct regions *);

#endif
