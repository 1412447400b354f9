/*
 * What a page-granular FTL is built on: free blocks, space with its streams, the collector, and placement, as
 * one thing that it makes in its init and hands its calls to.
 *
 * An FTL of another kind (fixed offsets in a block, logs with merges) makes none and takes from pagemap/ what
 * it needs.
 */
#ifndef FTL_STORE_H
#define FTL_STORE_H

#include "ftl/ftl.h"
#include "gc/collect.h"
#include "space/placement.h"
#include "space/space.h"

/* What the FTL declares. */
struct store_plan {
	const struct stream
		*streams; /* ended by a NULL name; with gc.separate off survivors stay in their own */
	struct collector_client client; /* its part in collections */
	/*
	 * Free blocks of a plane kept for the collector; 0 = 1, enough for the live pages of any victim.
	 * More for FTLs that write mapping pages while they are collected.
	 */
	uint32_t reserve;
	uint32_t map_pages; /* that can live in flash beside the logical pages */
	bool hollows;       /* data dies in parts of pages, and one block is all the reserve there is */
};

extern const struct state_row store_state[];

struct store {
	struct ftl *ftl;
	struct store_plan plan;
	struct blocks *blocks;
	struct space *space;
	struct collector *collector;
	struct placement placement;
};

/* NULL and a fault if the drive leaves too little spare space, or the placement cannot be. */
struct store *store_create(struct ftl *, const struct store_plan *, struct fault *);
void store_free(struct store *);

/*
 * The place for one page of the stream, collecting first where the chosen plane is low.
 * `lpn` matters to static placement only.  PPN_NONE: the drive is full or worn out; the FTL is
 * marked failed, gives up the request and keeps its mappings as they are.
 */
ppn_t store_take(struct store *, struct io *, lpn_t, unsigned stream);

/* Reclaims one block, in the plane with the fewest free pages where that is possible.  False: nowhere. */
bool store_collect(struct store *, struct io *);

/*
 * Live pages the drive can hold beyond its logical ones.  A plane can always be collected as long as it has
 * a dead page outside the reserve and the blocks being filled with copies, mapping pages and cold data.
 */
int64_t store_spare_pages(const struct store *);

/* For the operations of the same names of an FTL with a store. */
void store_facts(const struct store *, struct ftl_facts *);
void store_statistics(struct store *, struct stat_list *);
void store_check(const struct store *);

#endif
