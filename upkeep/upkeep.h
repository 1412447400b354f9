/*
 * Work that no request asks for.  There are three chores, each with a time for which no request must have
 * been in the drive: blocks of the SLC cache are folded (slc.idle_ns, gc/slc.h), blocks are collected and
 * blocks are refreshed (upkeep.idle_ns, gc/collect.h, gc/refresh.h).  The drive works in rounds: in each
 * plane the first chore for which there is work, a whole block that is folded or refreshed or a step of a
 * collection, all planes at once.  The next round begins when the operations of the last one are done, if
 * still no request has entered; a program whose data is ready before its wordline has all pages is not waited
 * for, as the next step may bring them.  A request waits for the operations of a round that is under way as
 * for any others, never for the rest of a collection.
 *
 * Work is looked for when a round could begin: a drive in which nothing was to be done is looked at again
 * after its next request.  Before the first request and after the last one there is none.
 */
#ifndef UPKEEP_UPKEEP_H
#define UPKEEP_UPKEEP_H

#include "base/fault.h"
#include "ftl/ftl.h"

struct upkeep_settings {
	uint64_t idle_ns, step_pages;
};

extern const struct param upkeep_params[];

struct upkeep_statistics {
	uint64_t steps, idle_pages, rate_pages, forced, interrupted;
};

enum chore_kind { CHORE_FOLD, CHORE_COLLECT, CHORE_REFRESH, CHORES };

struct chore {
	uint64_t wait_ns; /* 0: it is never done */
	bool has_work;    /* perhaps: a request was served, or a round worked, since it was last looked for */
};

struct upkeep {
	const struct upkeep_settings *settings;
	struct ftl *ftl;
	struct chore chore[CHORES];
	uint64_t requests; /* in the drive */
	tick_t idle_since; /* completion of the last one */
	bool works;        /* operations of a round are in flight */
	struct upkeep_statistics count;
};

/* Settings and FTL must outlive it; with work to be done ahead the FTL has a store. */
void upkeep_init(struct upkeep *, const struct upkeep_settings *, struct ftl *);

static inline bool upkeep_is_on(const struct upkeep *u)
{
	return u->chore[CHORE_FOLD].wait_ns || u->chore[CHORE_COLLECT].wait_ns;
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
	for (int kind = 0; kind < CHORES; kind++)
		u->chore[kind].has_work = true;
}

/* The least wait of a chore: for so long no request has been in the drive when a round begins. */
uint64_t upkeep_least_wait(const struct upkeep *);

/* When the next round begins, not before `now`; TICK_NEVER: not before something completes. */
tick_t upkeep_due(const struct upkeep *, tick_t now);

/* Begins a round at that moment: its operations belong to `io`. */
void upkeep_begin_round(struct upkeep *, struct io *, tick_t now);

/* The operations of the round are done. */
static inline void upkeep_end_round(struct upkeep *u)
{
	u->works = false;
}

/* Adds its statistics to the list, if work is ever done ahead. */
void upkeep_statistics(struct upkeep *, struct stat_list *);

extern const struct state_row upkeep_state[];

#endif
