/*
 * Collection for FTLs whose pages have slots (gc/space/slots.h).  Pages of the victim without a dead slot are
 * copied (unless the FTL wants all of them regrouped); of the others only the valid slots move, sorted by
 * logical address and packed into full pages, so that n partly dead pages become ceil(valid slots / slots of
 * a page).
 *
 * Deals with slots and sub-pages only; the map belongs to the FTL.
 */
#ifndef GC_PACK_H
#define GC_PACK_H

#include "gc/space/slots.h"

struct ftl; /* passed on to the client */
struct stat_list;

/* Consecutive sub-pages to be programmed into consecutive slots: new data of the host, and old sectors kept
 * from another page. */
struct pack_part {
	sub_t sub;         /* the first */
	uint32_t length;   /* 1 .. slots of a page */
	ppn_t from;        /* page of the kept sectors */
	bool whole;        /* regrouped: all sub-pages of its logical page are collected */
	mask_t host, kept; /* bit i = sector i from the first sub-page on; a collection has only kept ones */
	op_t read;         /* the read of `from` */
};

/* A page to be programmed: these parts, from slot 0 on. */
struct pack_page {
	ppn_t to;
	const struct pack_part *part;
	uint32_t count;
	enum cause cause;
};

/* Number of parts, from the first, that hold consecutive sub-pages, and the number of these. */
static inline uint32_t pack_run(const struct pack_part *part, uint32_t count, uint32_t *length)
{
	uint32_t n = 1;

	*length = part->length;
	while (n < count && part[n].sub == part->sub + *length)
		*length += part[n++].length;
	return n;
}

/* Functions of the FTL. */
struct pack_client {
	struct ftl *ftl;
	/* Mask of the sectors that hold data, of `length` consecutive sub-pages. */
	mask_t (*holds)(const struct ftl *, sub_t, uint32_t length);
	/* A page was copied, all its slots valid; `from` is invalid already. */
	void (*moved)(struct ftl *, struct io *, owner_t, ppn_t from, ppn_t to);
	/* Programs a page and maps its parts to it: pack_program(), slots_kill(). */
	void (*program)(struct ftl *, struct io *, const struct pack_page *);
	/*
	 * 0: pages without a dead slot are copied.  Else all valid slots of the victim are sorted, each a
	 * part of its own.  N > 1: logical pages of N sub-pages that are completely in the victim come first.
	 */
	uint32_t regroup;
};

struct pack_statistics {
	uint64_t copied_pages, packed_pages, slots_moved;
};

struct pack {
	struct slots *slots;
	struct pack_client client;
	struct pack_part *part;   /* valid slots to be packed, of the present or last victim */
	uint32_t parts, live;     /* number of parts, and of slots in them */
	struct pack_part *sorted; /* scratch of the same size, to sort them */
	struct pack_statistics statistics;
};

void pack_init(struct pack *, struct slots *, struct pack_client);
void pack_release(struct pack *);

/* Programs a page, which depends on the reads of its parts, and makes its slots valid. */
op_t pack_program(struct pack *, struct io *, const struct pack_page *);

/* `empty` and `last_resort` of gc/collect.h. */
void pack_empty(struct pack *, struct io *, block_t victim, unsigned stream, enum cause);
block_t pack_last_resort(const struct pack *, plane_t);

/* Rows PREFIXgc_copied_pages, PREFIXgc_packed_pages, PREFIXgc_slots_moved. */
void pack_statistics(struct pack *, const char *prefix, struct stat_list *);

#endif
