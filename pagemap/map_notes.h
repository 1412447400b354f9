/*
 * Changes that collections made to entries whose mapping page is not in DRAM: noted in DRAM until the page is
 * paid for, by settling (map.gc_update) or because it is loaded or written anyway.  A page waits once, however often
 * it is changed.
 *
 * For caches that do not update the directory's pages within the collection itself.
 */
#ifndef PAGEMAP_MAP_NOTES_H
#define PAGEMAP_MAP_NOTES_H

#include "base/list.h"
#include "pagemap/directory.h"

/* What one call pays for, in mapping pages. */
#define MAP_NOTES_SETTLE_MOST 64u

struct map_notes_statistics {
	uint64_t noted, waiting;
};

struct map_notes {
	struct directory *directory;
	uint32_t *noted;      /* changes per page */
	struct link *link;    /* of pages with changes, the first to begin with first; last, its head */
	uint32_t waiting;     /* of these */
	uint64_t total, most; /* changes of all pages; more are paid for, lazily */
	struct map_notes_statistics statistics;
};

void map_notes_init(struct map_notes *, struct directory *);
void map_notes_release(struct map_notes *);

/* One change more. */
void map_notes_add(struct map_notes *, uint32_t id);

/* The page is paid for in another way.  True if it was waiting. */
bool map_notes_clear(struct map_notes *, uint32_t id);

/* The page is changed soon. */
PREFETCHING void map_notes_prefetch(const struct map_notes *n, uint32_t id)
{
	__builtin_prefetch(&n->noted[id], 1);
	__builtin_prefetch(&n->link[id], 1);
}

/* The page that waits for longest, if one does. */
static inline uint32_t map_notes_oldest(const struct map_notes *n)
{
	return list_next(ARRAY_ELEMENTS(n->link), n->directory->pages);
}

/* How many pages a call may pay for: those that wait at its start, so that it ends whatever it starts. */
static inline uint32_t map_notes_due(const struct map_notes *n)
{
	return n->waiting < MAP_NOTES_SETTLE_MOST ? n->waiting : MAP_NOTES_SETTLE_MOST;
}

/*
 * Lazily: while the notes take more than their part of DRAM, the page that waits longest is rewritten (cause
 * gc_update).  The drive's end (no page can be had) ends it, too; the page then waits on.
 */
void map_notes_settle(struct map_notes *, struct io *);

void map_notes_regions(struct map_notes *, struct regions *);
/* Rows map.gc_updates and map.pending. */
void map_notes_statistics(struct map_notes *, struct stat_list *);

void map_notes_check(const struct map_notes *);

#endif
