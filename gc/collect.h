/*
 * The collector: keeps every plane of the drive supplied with free pages.
 *
 * It owns the loop (when to collect, copying live pages, erasing, levelling wear) and counts it; a policy
 * (policy.h) names the victim, the FTL is told where each live page went.  Collection runs only inside
 * collector_make_room(), so an FTL knows when a mapping it has looked up may go stale.
 *
 * Trigger (ALGORITHMS of SSDsim and the ICPP'23 paper): the free pages of the plane fall below gc.threshold;
 * one victim per page written, or until threshold + hysteresis when that is set.  Or, with gc.low, a stream
 * that has no open block finds fewer free ones: then until there are so many.
 */
#ifndef GC_COLLECT_H
#define GC_COLLECT_H

#include "gc/policy.h"
#include "stats/table.h"

struct gc_settings {
	int policy; /* index into gc_policies */
	double threshold, hysteresis;
	uint64_t d, low;
	bool strict, separate;
	uint64_t seed; /* set by the drive, from its own seed */
};

struct wear_settings {
	bool dynamic, lowest;
	uint64_t delta, period; /* delta 0: no static levelling */
};

extern const struct param gc_params[], wear_params[];

struct ftl; /* this room only hands it on */

/*
 * The FTL's part in a collection.  `relocate`: a live page with this owner now lives at `to`; `from` is dead
 * already.  `empty` (optional): the FTL itself moves all that is live (space.live) out of a victim with data
 * into pages it takes with space_take(stream, privileged), space_live(victim) of them; victims with mapping
 * pages are copied page by page all the same.  `emptied` (optional): a victim with data holds nothing live
 * any more and is going to be erased; mapping pages that this changed can be written into what is left of the
 * reserve of its plane.  `last_resort` (optional): no block of the plane wins a page; names one whose
 * collection brings another nearer to that, or BLOCK_NONE.
 */
struct collector_client {
	void (*relocate)(struct ftl *, struct io *, owner_t, ppn_t from, ppn_t to);
	void (*empty)(struct ftl *, struct io *, block_t victim, unsigned stream, enum cause);
	void (*emptied)(struct ftl *, struct io *, block_t victim);
	block_t (*last_resort)(struct ftl *, plane_t);
	void (*expect)(
		const struct ftl *, owner_t); /* optional hint: a page of this owner is about to move */
};

struct gc_statistics {
	uint64_t collections, direct_erases, moved_pages;
	uint64_t map_moved_pages; /* mapping pages; not in moved_pages */
	uint64_t map_erases;      /* of blocks that held mapping pages */
	uint64_t wear_moves, wear_moved_pages;
};

struct collector {
	struct space *space;
	struct flash *flash;
	const struct gc_settings *settings;
	const struct wear_settings *wear;
	struct gc_policy policy;
	struct ftl *ftl;
	const struct collector_client *client;
	bool collecting;                /* a victim is being emptied: no further collection starts */
	uint32_t low_water, high_water; /* free pages of a plane: start below, collect up to */
	struct gc_statistics count;
	struct gc_statistics uncounted; /* where counts of work outside time go */
};

struct collector *collector_create(struct space *, const struct gc_settings *, const struct wear_settings *,
	struct ftl *, const struct collector_client *);
void collector_free(struct collector *);

static inline struct gc_statistics *collector_count(struct collector *c, const struct io *io)
{
	return io->timed ? &c->count : &c->uncounted;
}

/* For collector_make_room(), where something may have to be done. */
bool collector_make_room_now(struct collector *, struct io *, plane_t, unsigned stream);

/* Has the plane fewer free pages than gc.threshold wants? */
static inline bool collector_is_low(const struct collector *c, plane_t plane)
{
	return c->space->plane[plane].free_pages < c->low_water;
}

/*
 * Makes sure that space_take(plane, stream) succeeds, collecting if the plane is low.
 * False: the plane is full, no block of it can be reclaimed.
 * Called from within a collection (an FTL that writes mapping pages while pages are moved) it collects
 * nothing and says whether the reserve has a page.
 */
static inline bool collector_make_room(struct collector *c, struct io *io, plane_t plane, unsigned stream)
{
	if (c->collecting || c->settings->low || collector_is_low(c, plane) ||
		!space_has_page(c->space, plane, stream, false))
		return collector_make_room_now(c, io, plane, stream);
	c->policy.stream = stream;
	return true;
}

/* Reclaims one block of the plane, however many pages are free.  False: none can be. */
bool collector_collect(struct collector *, struct io *, plane_t);

/* Copies every live page out of the victim: what collection does by itself, for clients whose `empty` has
 * something to do before it. */
void collector_move(struct collector *, struct io *, block_t victim, unsigned stream, enum cause);

extern const struct state_row collector_state[];

/* Adds what it counts to the list. */
void collector_statistics(struct collector *, struct stat_list *);

/* Aborts unless the policy's index is right and the medium has counted the same copies. */
void collector_check(const struct collector *);

#endif
