/*
 * Background work.  A tool of the store (gc/tools/tool.h) may have a chore, which starts when no request has
 * been in the drive for a certain time: blocks of the SLC cache are folded, blocks are collected or
 * refreshed.  The drive works in rounds, in all planes at once: each plane takes the first chore that has
 * work there and folds or refreshes a whole block, or makes a step of a collection.  The next round begins
 * when the operations of the last one are done, if still no request has entered; it does not wait for a
 * program whose data is ready while its wordline lacks pages, as its own steps may supply them.  A request
 * waits for the operations of a round in flight as for any others, never for the rest of a collection.
 *
 * A round looks for work when it begins.  If there is none, the next search follows the next request.  No
 * round begins before the first request or after the last one.
 */
#ifndef GC_UPKEEP_H
#define GC_UPKEEP_H

#include "gc/tools/tool.h"

struct upkeep_settings {
	uint64_t idle_ns, step_pages;
};

extern const struct param upkeep_params[];

struct upkeep_statistics {
	uint64_t steps, idle_pages, rate_pages, forced, interrupted;
};

/* Of a tool of the store that works in idle time. */
struct chore {
	struct tool *tool;
	uint64_t wait_ns; /* 0: it is never done */
	bool has_work;    /* perhaps: a request has ended since a round last found no work */
};

struct upkeep {
	const struct upkeep_settings *settings;
	struct collector *collector; /* NULL: nothing is ever done */
	struct chore chore[TOOLS];
	uint32_t chores;
	uint64_t least_wait_ns; /* the shortest wait of the chores; 0: there are none */
	uint64_t requests;      /* in the drive */
	tick_t idle_since;      /* completion of the last one */
	bool works;             /* operations of a round are in flight */
	struct upkeep_statistics count;
};

/* Settings, collector and its tools must outlive it.  Without a collector there is no background work. */
void upkeep_init(struct upkeep *, const struct upkeep_settings *, struct collector *);

static inline bool upkeep_is_on(const struct upkeep *u)
{
	return u->least_wait_ns;
}

/* A request enters the drive, or has left it. */
static inline void upkeep_entered(struct upkeep *u)
{
	u->requests++;
	u->count.interrupted += u->works;
}

static inline void upkeep_left(struct upkeep *u, tick_t when)
{
	u->requests--;
	u->idle_since = when;
	for (struct chore *c = u->chore; c < u->chore + u->chores; c++)
		c->has_work = true;
}

/* When the next round begins, not before `now`; TICK_NEVER: not before something completes. */
tick_t upkeep_due(const struct upkeep *, tick_t now);

/* Begins a round now: its operations belong to `io`. */
void upkeep_begin_round(struct upkeep *, struct io *, tick_t now);

/* The operations of the round are done. */
static inline void upkeep_end_round(struct upkeep *u)
{
	u->works = false;
}

/* Adds its statistics to the list, if there is ever background work or gc.copies_per_write. */
void upkeep_statistics(struct upkeep *, struct stat_list *);

extern const struct state_row upkeep_state[];

#endif
