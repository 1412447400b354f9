/*
 * Victim selection: which block is collected next.  A policy is a table of functions.
 *
 * A policy keeps an index of its own over the closed blocks, its candidates, and is called when a block
 * becomes one, loses a live page, or is one no longer.  It reads the counts in `space` and changes nothing
 * there.
 */
#ifndef GC_POLICY_H
#define GC_POLICY_H

#include "base/random.h"
#include "gc/space/space.h"

struct gc_settings;

struct gc_policy {
	const struct gc_policy_ops *ops;
	void *state; /* ops->size bytes, zeroed before init */
	const struct space *space;
	const struct link *link; /* per block, to prefetch: what `changed` reads first; NULL: nothing */
	const struct gc_settings *settings;
	struct random random;
	unsigned stream;          /* the stream that needs a page of the plane */
	uint32_t useless_victims; /* gc.strict: victims without a dead page that may still be chosen */
};

struct gc_policy_ops {
	const char *name, *brief;
	size_t size;
	bool ages; /* reads space.stamp */
	void (*init)(struct gc_policy *);
	void (*exit)(struct gc_policy *);
	void (*add)(struct gc_policy *, block_t); /* a new candidate */
	void (*changed)(
		struct gc_policy *, block_t); /* a page of a candidate has died; NULL: not of interest */
	void (*remove)(struct gc_policy *, block_t); /* no candidate any more */
	const struct state_row *state;               /* rows of the private state */
	/* Are the plane's candidates exactly its closed blocks, this many, each in its place? */
	bool (*check)(const struct gc_policy *, plane_t, uint32_t closed);
	/* A candidate with a dead page; BLOCK_NONE if there is none. */
	block_t (*pick)(struct gc_policy *, plane_t);
};

/* NULL-ended, in order of gc/list.h. */
extern const struct gc_policy_ops *const gc_policies[];

/* Is it a closed block of the plane?  `b` may be any number. */
static inline bool gc_candidate(const struct gc_policy *policy, plane_t plane, block_t b)
{
	const struct space *s = policy->space;

	return b < s->geometry->blocks && geometry_plane(s->geometry, b) == plane &&
	       s->block[b].state == BLOCK_CLOSED;
}

/* Has the block a dead page, and does its collection free at least one page?  A unit that a die failure ended
 * before it was full may have no dead page. */
static inline bool gc_reclaimable(const struct gc_policy *policy, block_t b)
{
	const struct space *s = policy->space;

	return space_live(s, b) < s->block_pages && (!s->layout || space_live(s, b) < space_pages(s, b));
}

#endif
