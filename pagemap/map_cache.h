/*
 * The mapping cache: the most recently used mapping pages (directory.h) are held in DRAM within a budget of bytes,
 * changed ones are written back when they make room.
 *
 * One of the ways to cache a table that lies in the directory's pages: whole pages, least recently used first.
 */
#ifndef PAGEMAP_MAP_CACHE_H
#define PAGEMAP_MAP_CACHE_H

#include "base/fault.h"
#include "pagemap/directory.h"

struct map_cache_statistics {
	uint64_t bytes, most_bytes;
	double share;
};

struct cached_page {
	struct link link; /* in DRAM and not pinned: the ring, least recently used first */
	bool cached, dirty;
};

struct map_cache {
	struct directory *directory;
	struct cached_page *page;         /* and behind them the head of the ring of evictable ones */
	uint32_t pinned, room;            /* the first `pinned` ids stay; pages that the budget holds */
	uint32_t resident, most_resident; /* pages in DRAM, pinned ones included */
	struct map_cache_statistics statistics;
};

/* Do the pinned pages and one other fit in the budget?  If not, the fault says what would do. */
bool map_cache_fits(const struct map_settings *, const struct geometry *, uint32_t pinned, struct fault *);

/*
 * A page exists from its first write access to map_cache_remove().  The first `pinned` ids are never evicted if the
 * settings say pin_pmt; map_cache_fits() has been asked.  The directory outlives the cache.
 */
struct map_cache *map_cache_create(struct directory *, uint32_t pinned);

void map_cache_free(struct map_cache *);

/* For map_cache_get(), of a page that is not in DRAM.  False: the drive is full. */
bool map_cache_load(struct map_cache *, struct io *, uint32_t id, op_t after);

/*
 * One entry of page `id` is looked up (and changed, if `write`).  Returns what an operation that uses the
 * entry must wait for, OP_NONE if nothing; a load caused here waits for `after` (an earlier look-up that
 * led to this one).  May allocate and so collect: look other mappings up after it, and do not
 * call it between taking a page and programming it.  Never called during a collection.
 */
static inline op_t map_cache_get(struct map_cache *c, struct io *io, uint32_t id, bool write, op_t after)
{
	struct directory *d = c->directory;

	BUG_ON(id >= d->pages, "mapping page %u of %u is looked up", id, d->pages);
	if (write)
		directory_enter(d, id);
	directory_count_lookup(d, id, c->page[id].cached);
	if (!c->page[id].cached) {
		if (!map_cache_load(c, io, id, after))
			return after;
	} else if (id >= c->pinned && c->page[d->pages].link.previous != id) {
		list_remove(ARRAY_FIELD(c->page, link), id);
		list_append(ARRAY_FIELD(c->page, link), d->pages, id);
	}
	c->page[id].dirty |= write;
	return directory_ready(d, io, id, after);
}

/* During a collection: an entry of page `id` changes because the page it maps was moved. */
void map_cache_entry_moved(struct map_cache *, struct io *, uint32_t id);

/* For map_cache_settle(), where something may be due. */
void map_cache_settle_changed(struct map_cache *, struct io *);

/*
 * Pays for what collections changed: call it at the start of every request, outside collections.  Paying
 * programs pages, which can start collections, which can change more; so each call pays for a bounded number
 * of pages and the others wait.  No request waits for these operations (cause gc_update), except where it uses a
 * page that is just being loaded.
 */
static inline void map_cache_settle(struct map_cache *c, struct io *io)
{
	if (c->directory->waiting)
		map_cache_settle_changed(c, io);
}

/* The page holds no entry any more: it leaves DRAM and flash.  Ids can be used again. */
void map_cache_remove(struct map_cache *, uint32_t id);

/* The page is looked up soon. */
PREFETCHING void map_cache_prefetch(const struct map_cache *c, uint32_t id)
{
	__builtin_prefetch(&c->page[id], 1);
	directory_prefetch(c->directory, id);
}

/* The page, which was prefetched, is looked up next: if that reads it and writes another back, where they lie is
 * fetched. */
PREFETCHING void map_cache_expect_next(const struct map_cache *c, uint32_t id)
{
	const struct directory *d = c->directory;
	ppn_t ppn = d->page[id].ppn, old;

	if (c->page[id].cached || c->resident < c->room)
		return;
	old = d->page[c->page[d->pages].link.next].ppn;
	if (ppn != PPN_NONE)
		__builtin_prefetch(&d->space->flash->block[geometry_block(d->space->geometry, ppn)]);
	if (old != PPN_NONE)
		space_prefetch(d->space, old);
}

/* Mapping pages that the budget holds; at least one. */
uint32_t map_cache_room(const struct map_settings *, const struct geometry *);

/* State, for saving and loading a drive with nothing under way; the directory is saved apart. */
/* The directory is not included. */
extern const struct state_row map_cache_state[];

/* Aborts if ring, counts and flags disagree.  O(pages). */
void map_cache_check(const struct map_cache *);

/* Rows map.cache_bytes, ..., and those of the directory. */
void map_cache_statistics(struct map_cache *, struct stat_list *);

#endif
