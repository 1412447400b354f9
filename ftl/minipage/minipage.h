/*
 * Minipage-FTL and PM-FTL (Zhou, Wu, Xie, "Exploiting minipage-level mapping to solve the size discrepancy of
 * I/O requests and flash pages", Flash Memory Summit 2016): flash pages grow, requests do not, so parts of a
 * page, minipages, are mapped.  The minipages of a request are packed into flash pages.
 *
 *   map.c        the cached part of the table, and the cost of look-ups, changes and collections
 *   write.c      packing
 *   minipage.c   reads, trims, the two FTLs
 *   places.c     where minipages are
 *
 * Minipage-FTL maps every minipage separately.  PM-FTL maps a logical page that one request covers as a page
 * (mode P: one entry), else as its minipages (mode M: an entry each); if collection finds all minipages of a
 * logical page in its victim, it makes them a page again.  Its table has space for an entry per minipage of
 * every logical page; the mode is a bit of the first entry, so it costs neither DRAM nor reads.
 *
 * The slides leave out most details of both. docs/minipage.md lists the choices made here, and what follows
 * from the published numbers.  This header is for these files only.
 */
#ifndef FTL_MINIPAGE_MINIPAGE_H
#define FTL_MINIPAGE_MINIPAGE_H

#include "base/bits.h"
#include "ftl/ftl.h"
#include "ftl/minipage/places.h"
#include "ftl/pages.h"
#include "ftl/table.h"
#include "gc/pack.h"
#include "pagemap/entry_cache.h"

#define MINI_MOST 8u /* minipages of a page */

enum mini_packing { PACK_REQUEST, PACK_BUFFER };
enum mini_node { NODE_SPARSE, NODE_FULL };

/* Settings of both; `node` is PM-FTL's. */
struct mini_settings {
	uint64_t bytes;
	int pack, node;
	bool demand;
};

struct mini_statistics {
	uint64_t full, packed, partial, pack_hits;
	uint64_t to_m, to_p, gc_full, grown;
	uint64_t live, paged, volatile_sectors, volatile_most; /* live, paged: computed when read */
};

/* A minipage of a read request. */
struct mini_touch {
	sub_t sub;
	mask_t mask; /* of its sectors */
	op_t ready;
	uint32_t wanted; /* index of the flash page that holds it */
};

/* A flash page that a read request needs. */
struct mini_wanted {
	ppn_t ppn;
	uint32_t sectors;
	op_t read;
};

/* Streams of its store. */
enum { MINI_HOST, MINI_GC, MINI_MAP };

struct mini {
	bool pages;       /* PM-FTL: has mode P */
	bool buffered;    /* pack = buffer: minipages are kept in RAM across requests */
	uint32_t per_lpn; /* minipages of a page */
	uint32_t shift;   /* a minipage has 1 << shift sectors */
	mask_t full;      /* all of them */
	struct slots slots;
	struct pack pack;
	struct places places; /* in flash */
	uint64_t *split;      /* bit per logical page: mode M */

	struct table table;        /* without a directory if the whole table is in DRAM */
	struct entry_cache *cache; /* keys: logical pages (PM-FTL) or minipages; NULL likewise */
	sub_t last;                /* last minipage of the request being served */

	struct pack_part waiting[MINI_MOST]; /* gathered to fill a page: of the request, or kept in RAM */
	uint32_t waits;
	sub_t waited[MINI_MOST]; /* in RAM when the request began */
	uint32_t waited_count;

	struct mini_touch *touch; /* of the read being served */
	uint32_t touched, touch_room;
	struct mini_wanted *wanted;
	uint32_t wants, wanted_room;
	struct mini_statistics statistics;
};

static inline lpn_t mini_lpn(const struct mini *m, sub_t sub)
{
	return sub >> m->places.sub_shift;
}

static inline ppn_t mini_ppn(const struct mini *m, sub_t sub)
{
	return places_get(&m->places, sub) >> m->places.sub_shift;
}

static inline uint32_t mini_slot(const struct mini *m, sub_t sub)
{
	return places_get(&m->places, sub) & (m->per_lpn - 1);
}

/* The sectors of a minipage that hold data in flash. */
static inline mask_t mini_written(const struct mini *m, sub_t sub)
{
	return places_written(&m->places, sub);
}

/* Turns a mask of the minipage's sectors into one of its logical page's sectors, and back. */
static inline mask_t mini_page_mask(const struct mini *m, sub_t sub, mask_t mask)
{
	return mask << (sub % m->per_lpn << m->shift);
}

static inline mask_t mini_mask(const struct mini *m, struct page_part part, uint32_t i)
{
	return part.mask >> (i << m->shift) & m->full;
}

/* Invalidates the data of the minipage. */
static inline void mini_kill(struct mini *m, sub_t sub)
{
	slots_kill(&m->slots, mini_ppn(m, sub), mini_slot(m, sub), 1);
}

/* Prefetches for a look-up or move of the minipage; the second function, once that data is in the cache,
 * prefetches what it points to and returns places_expect_next(). */
static inline void mini_expect_sub(const struct mini *m, sub_t sub)
{
	places_expect(&m->places, mini_lpn(m, sub));
	if (m->cache)
		entry_cache_prefetch(m->cache, m->pages ? mini_lpn(m, sub) : sub, PREFETCH_ENTRY);
}

static inline uint32_t mini_expect_sub_next(const struct mini *m, sub_t sub)
{
	if (m->cache)
		entry_cache_prefetch(m->cache, m->pages ? mini_lpn(m, sub) : sub, PREFETCH_TARGET);
	return places_expect_next(&m->places, mini_lpn(m, sub));
}

/* ---- the table: map.c ---- */

bool mini_map_init(struct ftl *, struct fault *);
void mini_map_exit(struct mini *);

/* Looks up the minipages in the mask `wanted`, or all of a page in mode P. Returns the dependency of
 * operations that use them. */
op_t mini_look_up_page(struct ftl *, struct io *, lpn_t, uint32_t wanted);
/* Looks up one minipage; not for PM-FTL. */
op_t mini_look_up(struct ftl *, struct io *, sub_t);

/* These minipages were programmed in one page, as a whole logical page (PM-FTL) or packed. */
void mini_changed(struct ftl *, struct io *, const struct pack_part *, uint32_t count, bool whole);
/* The minipage, or PM-FTL's logical page, has lost data.  `splits`: the page changes to mode M. */
void mini_trimmed(struct ftl *, struct io *, sub_t, bool splits);

/* For the collector. */
void mini_relocate(struct ftl *, struct io *, owner_t, ppn_t from, ppn_t to);
void mini_empty(struct ftl *, struct io *, block_t victim, unsigned stream, enum cause);
void mini_emptied(struct ftl *, struct io *, block_t victim);
block_t mini_last_resort(struct ftl *, plane_t);

void mini_map_check(const struct ftl *);

/* ---- packing: write.c ---- */

/* Programs a page with these minipages, each after its read, and maps them to it; their old copies become
 * invalid. */
void mini_program(struct ftl *, struct io *, const struct pack_page *);

/* The part of a minipage that is kept in RAM, or NULL. */
struct pack_part *mini_waiting(struct mini *, sub_t);

/* Trims sectors of a minipage kept in RAM. */
void mini_forget(struct ftl *, sub_t, mask_t);

/* Reports sectors of a minipage in RAM to the oracle. */
void mini_tell(struct ftl *, sub_t, mask_t, void (*tell)(struct oracle *, enum oracle_holder, struct extent));

void mini_write(struct ftl *, struct io *, const struct extent *, size_t n);
void mini_write_merged(struct ftl *, struct io *, const struct extent *, size_t n);

#endif
