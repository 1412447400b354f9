/*
 * The learned tables of all groups of 256 logical pages (LeaFTL): which of them are in DRAM, within a budget
 * of bytes, and when they are loaded and evicted.  In flash a group is a mapping page of the directory.  The
 * page table of the family is always up to date: the learned tables decide costs, never which data is read.
 *
 * A group that is written outside time is learned as a whole when the next request begins, unless it is
 * cached: then it is learned at once.
 */
#ifndef FTL_DEMAND_LEARNED_H
#define FTL_DEMAND_LEARNED_H

#include "ftl/demand/demand.h"
#include "ftl/demand/segments.h"

struct group {
	struct segments segments;
	uint32_t bytes; /* segments_bytes() */
	bool cached;    /* in DRAM */
	bool dirty;     /* in DRAM, and differs from its copy in flash */
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
	struct link *link; /* of groups in DRAM, least recently used first; the head follows */
	uint32_t groups;
	bool in_dram; /* all of them, always */
	uint64_t budget, used;
	uint64_t *stale; /* bit per group: to be learned as a whole */
	bool any_stale;
	uint64_t *noted;   /* bit per logical page: it has a new place, to be learned */
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

/* At the beginning of a request, not outside time: learns the groups that were written outside time. */
void learned_refresh_stale(struct learned *);
static inline void learned_refresh(struct learned *g)
{
	if (g->any_stale)
		learned_refresh_stale(g);
}

/* learned_note(): the page has a new place.  learned_learn() learns the places of a group's noted pages.
 * Outside time learned_written_untimed() replaces both. */
void learned_note(struct learned *, lpn_t);
void learned_learn(struct learned *, uint32_t group);
void learned_written_untimed(struct learned *, lpn_t);

/* Speed only: the group of page `next` will be used soon, that of `later` after it. */
static inline void learned_prefetch(const struct learned *g, lpn_t next, lpn_t later)
{
	const struct segments *s = &g->group[learned_group(next)].segments;

	prefetch(&g->group[learned_group(later)]);
	for (uint32_t i = 0; i < s->used; i += 4) /* one of each cache line */
		prefetch(s->segment + i);
}

/* Learns all noted pages, which a collection has moved.  Groups that are not in DRAM are also compacted, as
 * they will be written. */
void learned_learn_moved(struct learned *);

/* Looks the group up: counts the look-up, loads the group and evicts others if necessary, and makes it the
 * one used last.  Returns what users of the group wait for. */
op_t learned_use(struct learned *, struct io *, uint32_t group);

/* The group, the one used last, has changed and may have grown: makes it dirty and evicts others. */
void learned_grown(struct learned *, struct io *, uint32_t group);

/* Finds the segment of a page whose group was just used, and counts it.  NULL: none. */
const struct segment *learned_find(struct learned *, const struct io *, lpn_t);

/* Compacts all groups in DRAM. */
void learned_compact(struct learned *, const struct io *);

void learned_statistics(struct learned *, struct stat_list *);
uint64_t learned_table_bytes(struct learned *);

extern const struct state_row learned_state[];

/* Aborts unless every page is where its group says, within gamma, and bytes are counted right. */
void learned_check(const struct learned *);

#endif
