/*
 * Which block is collected next: one decision, one table of functions.
 *
 * A policy keeps whatever index it likes over the closed blocks.  It is told when a block
 * becomes a candidate, loses a live page, or stops being one.  It may look at the counts in
 * `space`; it changes nothing.  The collector owns everything else.
 */
#ifndef GC_POLICY_H
#define GC_POLICY_H

#include "base/random.h"
#include "space/space.h"

struct gc_settings;

struct gc_policy {
	const struct gc_policy_ops *ops;
	void *state; /* ops->size bytes, zeroed before init */
	const struct space *space;
	const struct link *link; /* per block: what `dropped` looks at first; NULL: nothing */
	const struct gc_settings *settings;
	struct random random;
	unsigned stream;   /* the one that needs a page of the plane */
	uint32_t patience; /* gc.strict: blocks without a dead page that may be taken for this page */
};

struct gc_policy_ops {
	const char *name, *brief;
	size_t size;
	bool ages; /* looks at space.stamp */
	void (*init)(struct gc_policy *);
	void (*exit)(struct gc_policy *);
	void (*closed)(struct gc_policy *, block_t);  /* a new candidate */
	void (*dropped)(struct gc_policy *, block_t); /* lost a live page; NULL if of no interest */
	void (*opened)(struct gc_policy *, block_t);  /* a candidate no more */
	const struct state_row *state;                /* rows of the private state */
	/* Is every closed block of the plane, of which there are so many, a candidate where it should be? */
	bool (*check)(const struct gc_policy *, plane_t, uint32_t closed);
	block_t (*pick)(
		struct gc_policy *, plane_t); /* a candidate with a dead page; BLOCK_NONE: there is none */
};

/* NULL-ended, in order of gc/list.h. */
extern const struct gc_policy_ops *const gc_policies[];

/* A closed block of the plane; `b` may be any number. */
static inline bool gc_candidate(const struct gc_policy *policy, plane_t plane, block_t b)
{
	const struct space *s = policy->space;

	return b < s->geometry->blocks && geometry_plane(s->geometry, b) == plane &&
	       s->block[b].state == BLOCK_CLOSED;
}

/* Collecting the block would win at least one page. */
static inline bool gc_reclaimable(const struct gc_policy *policy, block_t b)
{
	return space_live(policy->space, b) < policy->space->geometry->pages_per_block;
}

#endif
