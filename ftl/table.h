/*
 * A mapping table in flash, of an FTL with a store: the directory of its mapping pages and their updates by
 * collection.
 *
 * A collection first moves all live pages.  An entry that is in DRAM changes there; the mapping pages of the
 * others are read and programmed, once each and in ascending order, before the victim is erased.  That can
 * take as many pages as were moved, so that a collection can lose space.  If the reserve of the plane runs
 * out, the remaining updates stay pending in DRAM (pagemap/directory.h) until the next request, so that every
 * collection can be finished.
 */
#ifndef FTL_TABLE_H
#define FTL_TABLE_H

#include "ftl/store.h"
#include "pagemap/directory.h"

#define TABLE_ENTRY_BYTES 4u /* in a mapping page */

struct table {
	struct ftl *ftl;
	unsigned stream; /* of its mapping pages */
	struct directory *directory;
	uint64_t *changed; /* bit per mapping page: the present collection changes it */
	plane_t into;      /* mapping pages are written into this plane, which has room; PLANE_NONE: any */
	uint64_t gc_lazy;  /* entries that collections changed in DRAM */
};

/* Mapping page i is the owner base + i.  The struct must not be moved afterwards. */
void table_init(struct table *, struct ftl *, unsigned stream, uint32_t pages, owner_t base);
void table_release(struct table *);

/* During a collection: an entry of the mapping page changes, in DRAM or in flash. */
void table_moved(struct table *, const struct io *, uint32_t page, bool in_dram);

/* The victim's live pages have moved: programs the mapping pages that this changed, unless the plane has no
 * room for them.  `updated` (optional) is called for each one programmed. */
void table_emptied(struct table *, struct io *, block_t victim, void (*updated)(struct ftl *, uint32_t page));

extern const struct state_row table_state[];

/* Row map.gc_lazy. */
void table_statistics(struct table *, struct stat_list *);

#endif
