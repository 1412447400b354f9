/*
 * A mapping table in flash, of an FTL with a store: the directory of its pages, and what a collection owes them.
 *
 * A collection first moves all that is live.  An entry that is in DRAM changes there; the mapping pages of the others
 * are read and programmed, once each and in ascending order, before the victim is erased.  That can take as many pages
 * again as were moved, so that a collection can lose space.  What finds no place in the reserve of the plane stays
 * noted in DRAM (pagemap/directory.h) until the next request; so every collection of a plane can be done.
 */
#ifndef FTL_TABLE_H
#define FTL_TABLE_H

#include "ftl/store.h"
#include "pagemap/directory.h"

#define TABLE_ENTRY_BYTES 4u /* in a mapping page */

struct table {
	struct ftl *ftl;
	struct store *store;
	unsigned stream; /* of its pages */
	struct directory *directory;
	uint64_t *updates;  /* bit per mapping page: the collection under way has changed it */
	plane_t collecting; /* mapping pages are written into the reserve of this plane; PLANE_NONE */
	uint64_t gc_lazy;   /* entries that collections changed in DRAM */
};

/* At a place where it stays; its pages are the owners from `base` on. */
void table_init(struct table *, struct ftl *, struct store *, unsigned stream, uint32_t pages, owner_t base);
void table_release(struct table *);

/* During a collection: an entry of the page has changed, in DRAM or not. */
void table_moved(struct table *, const struct io *, uint32_t page, bool in_dram);

/* The victim holds nothing live any more: pays for what has changed.  `updated` (optional) is told of pages that were
 * programmed with all their entries. */
void table_emptied(struct table *, struct io *, block_t victim, void (*updated)(struct ftl *, uint32_t page));

extern const struct state_row table_state[];

/* Row map.gc_lazy. */
void table_statistics(struct table *, struct stat_list *);

#endif
