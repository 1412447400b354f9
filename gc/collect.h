/*
 * The collector keeps free pages in every plane: it decides when to collect, moves live pages, erases, levels
 * wear, and counts.  A policy (policy.h) selects the victim; the FTL is called for each live page that was
 * moved.
 *
 * While an FTL serves a request, collection runs only where room is made for a page: in
 * collector_make_room(), and in slc_take() with slc.when_full = fold.  Nowhere else can a mapping change that
 * the FTL has looked up.
 *
 * Trigger (as in SSDsim and the ICPP'23 paper): the free pages of the plane are below gc.threshold.  One
 * victim is collected for each page written or, with gc.hysteresis, victims until threshold + hysteresis is
 * free.  With gc.low instead, a stream needs a new block and fewer than gc.low blocks are free: victims are
 * collected until that many are.
 *
 * It may also collect ahead, in steps of some pages: when the drive is idle (ftl/) and, with
 * gc.copies_per_write, for pages that the host writes while the free pages are below gc.soft.  A plane has at
 * most one begun victim; it is finished before another one is chosen.
 */
#ifndef GC_COLLECT_H
#define GC_COLLECT_H

#include "gc/policy.h"
#include "stats/table.h"

enum gc_together { GC_PLANE, GC_DIE };

struct gc_settings {
	int policy; /* index into gc_policies */
	double threshold, hysteresis;
	uint64_t d, low;
	double soft, copies_per_write;
	bool strict, separate;
	int together;  /* enum gc_together */
	uint64_t seed; /* set by the drive, from its own seed */

	const struct gc_policy_ops *brought; /* in place of `policy`; NULL: none */
	const void *own;                     /* settings of that policy */
};

extern const struct param gc_params[];

struct ftl;   /* this room only passes it on */
struct tools; /* gc/tools/tool.h */

/* The FTL's part in a collection.  All but `relocate` are optional. */
struct collector_client {
	/* A live page of this owner has been copied to `to`; `from` is dead already. */
	void (*relocate)(struct ftl *, struct io *, owner_t, ppn_t from, ppn_t to);
	/* The stream to which a live page of this owner would be moved out of a block of stream `from`; if
	 * NULL, that of the block's survivors.  Also called to check whether a victim has room, so it changes
	 * nothing.  Needs `emptied`. */
	unsigned (*stream_of)(const struct ftl *, owner_t, unsigned from);
	/* Live pages move in the order of their owners, not in that of the pages. */
	bool by_owner;
	/*
	 * Replaces copies page by page, for data victims: the FTL moves the live data (space.victim_page)
	 * into at most space_live(victim) pages, which it takes with space_take(stream, privileged).
	 */
	void (*empty)(struct ftl *, struct io *, block_t victim, unsigned stream, enum cause);
	/*
	 * A data victim has no live page left and is about to be erased, or no more of its pages move for
	 * now: the map must be right for all that have moved.  Changed mapping pages can be written into the
	 * rest of the plane's reserve.
	 */
	void (*emptied)(struct ftl *, struct io *, block_t victim);
	/* Called if no victim of the plane frees a page.  Returns a block whose collection makes another one
	 * reclaimable, or BLOCK_NONE. */
	block_t (*last_resort)(struct ftl *, plane_t);
	/* Speed only: the entry of this owner is going to change. */
	void (*prefetch)(const struct ftl *, owner_t, enum prefetch_stage);
};

struct gc_statistics {
	uint64_t collections, direct_erases, moved_pages;
	uint64_t map_moved_pages; /* mapping pages; not in moved_pages */
	uint64_t map_erases;      /* of blocks that held mapping pages */
	uint64_t forced;          /* collections because a plane was low or full */
	uint64_t rate_pages;      /* moved for gc.copies_per_write */
};

/* Pages for which several blocks were collected in a row, because only the reserve was free. */
struct gc_rows {
	uint64_t pages, most; /* most blocks for one of them */
};

struct collector {
	struct space *space;
	struct flash *flash;
	const struct gc_settings *settings;
	struct gc_policy policy;
	struct ftl *ftl;
	const struct collector_client *client;
	const struct tools *tools;
	bool collecting;                /* a collection is running: no other one starts */
	uint64_t *order;                /* scratch: the victim's pages by owner; NULL without by_owner */
	uint32_t low_water, high_water; /* free pages of a plane: start below, collect up to */
	uint32_t soft_water;            /* below this many free pages it collects ahead */
	bool looks;                     /* any page taken may need a collection or a step: slow path */
	uint64_t rate;                  /* gc.copies_per_write in millionths */
	int64_t *credit;                /* per plane: pages to be moved, in millionths; NULL without a rate */
	struct gc_statistics count;
	struct gc_statistics uncounted; /* counts of work outside time */
	struct gc_rows rows;            /* within it */
};

struct collector *collector_create(
	struct space *, const struct gc_settings *, struct ftl *, const struct collector_client *);
void collector_free(struct collector *);

static inline struct gc_statistics *collector_count(struct collector *c, const struct io *io)
{
	return io->timed ? &c->count : &c->uncounted;
}

/* For collector_make_room(): the slow path. */
bool collector_make_room_now(struct collector *, struct io *, plane_t, unsigned stream);

/* Has the plane fewer free pages than gc.threshold? */
static inline bool collector_is_low(const struct collector *c, plane_t plane)
{
	return c->space->plane[plane].free_pages < c->low_water;
}

/*
 * Collects if the plane is low, and until space_take(plane, stream) can succeed.  False: the plane is full
 * and no block of it can be reclaimed.  During a collection (for an FTL that writes mapping pages meanwhile)
 * it collects nothing and returns whether the stream can get a page with the reserve.
 */
static inline bool collector_make_room(struct collector *c, struct io *io, plane_t plane, unsigned stream)
{
	if (c->collecting || c->looks || collector_is_low(c, plane) ||
		!space_has_page(c->space, plane, stream, false))
		return collector_make_room_now(c, io, plane, stream);
	c->policy.stream = stream;
	return true;
}

/* Collects one block of the plane, however many pages are free.  False: none can be reclaimed. */
bool collector_collect(struct collector *, struct io *, plane_t);

/* Finishes the plane's begun victim, if it has one, before other work (e.g. a fold) takes the room kept for
 * it. */
void collector_finish(struct collector *, struct io *, plane_t);

/* Moves the live pages of a closed or cached block as a collection does, into the stream unless the FTL names
 * others, and erases it. */
void collector_clear(struct collector *, struct io *, block_t, unsigned stream, enum cause);

/* Moves up to `most` live pages of the block into the stream, and erases it if none is left.  Returns the
 * number of pages taken.  Tools are not told. */
uint64_t collector_reclaim(
	struct collector *, struct io *, block_t, unsigned stream, enum cause, uint32_t most);

/* The number of pages in a plane has changed: recomputes the thresholds that are shares of it. */
void collector_count_pages(struct collector *);

/* Is there room in the block's plane for copies of its live pages, each in its stream? */
bool collector_has_room(const struct collector *, block_t);

/* Free pages for copies of the stream: in its open block and in free blocks. */
uint64_t collector_room_for_copies(const struct space *, plane_t, unsigned stream);

/* Can `pages` free pages of the stream in that plane be used for something else?  The room that a begun
 * victim needs for its remaining live pages is kept. */
bool collector_can_spare(const struct collector *, plane_t, unsigned stream, uint32_t pages);

/* A plane is collected before its free pages fall below `pages`, whatever gc.threshold says. */
void collector_keep_free(struct collector *, uint32_t pages);

/* Steps will be made: collector_make_room() keeps the room that a begun victim needs. */
void collector_expect_steps(struct collector *);

/* Works on the plane's begun victim or, if free pages are below gc.soft, chooses one: moves up to `pages` of
 * its live pages, or all of them if the FTL works on whole victims, and erases it if none is left.  False:
 * there is nothing to do. */
bool collector_step(struct collector *, struct io *, plane_t, uint32_t pages, uint64_t *moved);

/* Moves a live page into its plane outside a collection, and tells the FTL.  There must be room: see
 * collector_make_room(). */
void collector_move_page(struct collector *, struct io *, ppn_t from, unsigned stream, enum cause);

/* Copies every live page of the victim, as collection does without `empty`.  For a client whose `empty` does
 * extra work first and then copies page by page. */
void collector_move(struct collector *, struct io *, block_t victim, unsigned stream, enum cause);

extern const struct state_row collector_state[];

void collector_statistics(struct collector *, struct stat_list *);

/* Aborts unless the policy's index is right and the medium has counted the same copies. */
void collector_check(const struct collector *);

#endif
