/*
 * Ghosts: recently evicted logical pages, for policies that treat a returning page differently from a new
 * one.  A bounded FIFO.
 */
#ifndef BUFFER_GHOSTS_H
#define BUFFER_GHOSTS_H

#include "base/hash.h"
#include "base/list.h"
#include "base/state.h"
#include "types.h"

struct ghost {
	lpn_t lpn;
	uint32_t chain;
	struct link link;
};

struct ghosts {
	struct ghost *ghost; /* begins with two heads: of ghosts, oldest first, and of free elements */
	uint32_t room;
	struct hash index;
};

/* At most `room` > 0 ghosts. */
struct ghosts ghosts_create(uint32_t room);
void ghosts_free(struct ghosts *);

/* The page becomes the newest ghost; if there is no room, the oldest one is forgotten. */
void ghosts_add(struct ghosts *, lpn_t);

/* Removes the page from the ghosts.  True if it was one. */
bool ghosts_take(struct ghosts *, lpn_t);

/* State, for saving a run. */
extern const struct state_row ghosts_state[];

#endif
