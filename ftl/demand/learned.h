/*
 * The learned tables of all groups of 256 logical pages (LeaFTL): which of them are in DRAM, within a budget
 * of bytes, and what moves in and out.  In flash a group is a mapping page of the directory.  The page table
 * of the family is always up to date; what is learned decides costs, and never which data is read.
 *
 * Outside time nothing is learned: a group that was written then is learned as a whole when it is needed.
 */
#ifndef FTL_DEMAND_LEARNED_H
#define FTL_DEMAND_LEARNED_H

#include "ftl/demand/demand.h"
#include "ftl/demand/segments.h"

struct group {
	struct segments segments;
	uint32_t bytes; /* segments_bytes() */
	bool cached;    /* in DRAM */
	bool dirty;     /* and not as in flash */
};

struct group_statistics {
	uint64_t levels, top, accurate, approximate, compactions, writebacks, evictions;
	/* Gathered; of all groups at the end. */
	uint64_t segments, approximate_segments, list_bytes, table_bytes, released_bytes, most_levels,
		most_bytes;
	uint64_t budget;
	uint64_t most_cached_bytes;
};

struct learned {
	struct ftl *ftl;
	struct group *group;
	struct link *link; /* of those in DRAM, used least recently first; the head follows */
	uint32_t groups;
	bool in_dram; /* all of them, always */
	uint64_t budget, used;
	uint64_t *stale; /* bit per group: to be learned as a whole */
	bool any_stale;
	uint64_t *noted;   /* bit per logical page: has a new place, to be learned */
	uint64_t *changed; /* bit per group: some of its pages are noted */
	struct point *point;
	struct learner learner;
	struct group_statistics statistics;
};

static inline uint32_t learned_group(lpn_t lpn)
{
	return lpn / GROUP_PAGES;
}

void learned_init(struct learned *, struct ftl *, uint32_t gamma, bool in_dram);
void learned_release(struct learned *);

/* At the beginning of a request, in time: what was written outside time is learned. */
void learned_refresh_stale(struct learned *);
static inline void learned_refresh(struct learned *g)
{
	if (g->any_stale)
		learned_refresh_stale(g);
}

/* The page has a new place; learned_learn() learns what was noted of its group.  Outside time instead of
 * both. */
void learned_note(struct learned *, lpn_t);
void learned_learn(struct learned *, uint32_t group);
void learned_written_untimed(struct learned *, lpn_t);

/* Speed only: the group of the second page will be used soon, that of the first one before. */
static inline void learned_prefetch(const struct learned *g, lpn_t next, lpn_t later)
{
	const struct segments *s = &g->group[learned_group(next)].segments;

	prefetch(&g->group[learned_group(later)]);
	for (uint32_t i = 0; i < s->used; i += 4) /* of a cache line */
		prefetch(s->segment + i);
}

/* Learns all that is noted: a collection has moved it.  Groups that are not in DRAM are compacted, as they
 * will be written. */
void learned_learn_moved(struct learned *);

/* A look-up of the group, which is then in DRAM and the one used last: counts it, and loads it in place of
 * others.  Returns what users of it wait for. */
op_t learned_use(struct learned *, struct io *, uint32_t group);

/* The group, which was used last, differs from its copy in flash, and may be larger: others leave. */
void learned_grown(struct learned *, struct io *, uint32_t group);

/* The segment of a page whose group was just used, counted; NULL: none. */
const struct segment *learned_find(struct learned *, const struct io *, lpn_t);

/* Compacts all that are in DRAM. */
void learned_compact(struct learned *, const struct io *);

void learned_statistics(struct learned *, struct stat_list *);
uint64_t learned_table_bytes(struct learned *);

extern const struct state_row learned_state[];

/* Aborts unless every page is where its group says, within gamma, and bytes are counted right. */
void learned_check(const struct learned *);

#endif
