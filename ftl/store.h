/*
 * The base of a page-granular FTL: free blocks, space with its streams, the collector and page allocation in
 * one.
 *
 * An FTL makes one in its init; the core frees, checks, saves and reports it.  FTLs of another kind (fixed
 * offsets in a block, logs with merges) have none and use gc/space/blocks.h directly.
 */
#ifndef FTL_STORE_H
#define FTL_STORE_H

#include "ftl/ftl.h"
#include "gc/tools/tool.h"
#include "gc/space/placement.h"
#include "gc/space/space.h"

struct store_plan {
	/* Ended by a NULL name.  With gc.separate off, survivors stay in their own stream. */
	const struct stream *streams;
	struct collector_client client;
	/* Free blocks of each plane that only the collector may open; 0 means 1, enough for the live pages of
	 * any victim.  More for FTLs that write mapping pages during a collection. */
	uint32_t reserve;
	uint32_t map_pages; /* most that flash holds, in addition to the logical pages */
	/* collection packs live slots of partly dead pages, and one block is all the reserve there is */
	bool packs;
	bool mixes_requests; /* a page may hold data of several requests */
	bool sorts_requests; /* pages of several requests are written together */
};

extern const struct state_row store_state[];

struct store {
	const struct ftl_settings *settings;
	struct store_plan plan;
	struct blocks *blocks;
	struct space *space;
	struct collector *collector;
	struct placement placement;
	struct units units;           /* if placement.superblock = unit */
	const struct bad_blocks *bad; /* of the drive */
	struct tools tools;
	uint32_t kept_blocks; /* of each plane, that are never full of live pages */
	bool directs;         /* tools or the FTL decide where data of the host goes */
};

/* Makes f->store.  False and a fault if the drive has too little spare space, or the placement is not
 * possible. */
bool store_create(struct ftl *, const struct store_plan *, struct fault *);
void store_free(struct store *);

/*
 * Takes a page of the stream to program, collecting first if the chosen plane is low.  `lpn` matters to
 * static placement and, for data of the host, to tools and to the FTL's `stream_of`.  PPN_NONE:
 * the drive is full or worn out and the FTL is marked failed; it gives up the request and leaves its mapping
 * as it is.
 */
ppn_t store_take(struct ftl *, struct io *, lpn_t, unsigned stream);

/* The same from *plane, for pages that are to share a plane; PLANE_NONE: from any.  *plane is set to the
 * plane of the page, another one if the first is full. */
ppn_t store_take_from(struct ftl *, struct io *, lpn_t, unsigned stream, plane_t *plane);

/* Makes room for a page of a stream of the FTL's own, collecting where needed, and returns its plane.
 * PLANE_NONE: the drive is full; the FTL is marked failed. */
plane_t store_make_room(struct ftl *, struct io *, lpn_t, unsigned stream);

/* Collects one block, in the plane with the fewest free pages that has a victim.  False: none has one. */
bool store_collect(struct store *, struct io *);

/* A request or command enters; `first`: no time has passed before. */
void store_enter(struct store *, struct io *, const struct request *, bool first);

/* Does a tool take this command?  It then does so. */
bool store_knows(const struct store *, enum request_type);
void store_command(struct store *, struct io *, const struct request *);

/* Does the handle of buffered data matter?  What is read of a request of this type: the most of any tool.
 * The store may be NULL. */
bool store_has_labels(const struct store *);
struct tool_labels store_labels(const struct store *, enum request_type);

/* Before a request enters: does a tool act first?  Then it does so, with an io of no request. */
bool store_is_due(const struct store *);
void store_act(struct store *, struct io *);

/*
 * Live pages that the drive can hold beyond its logical ones.  A plane can be collected as long as it has a
 * dead page outside the reserve and the open blocks of copies, mapping pages and cold data.
 */
int64_t store_spare_pages(const struct store *);

/* The tag shown behind a block's number: "s" for a block in SLC mode, "@1" for one with data of placement
 * handle 1, else ""; and the most columns that tags take on this drive. */
uint32_t store_tag_columns(const struct store *);
void store_tag(const struct store *, block_t, char tag[TOOL_TAG]);

/* For the core. */
void store_facts(const struct store *, struct ftl_facts *);
void store_check(const struct store *);

#endif
