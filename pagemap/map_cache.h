/*
 * The mapping cache: whole mapping pages in DRAM, in LRU order, within a budget of bytes.  Dirty pages are
 * written back when they are evicted.  On top of directory.h.
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
	struct link link; /* in the ring of evictable pages, least recently used first */
	bool cached, dirty;
};

struct map_cache {
	struct directory *directory;
	struct cached_page *page;         /* per id; the head of the ring follows */
	uint32_t pinned, room;            /* the first `pinned` ids are never evicted; pages in the budget */
	uint32_t resident, most_resident; /* pages in DRAM, with the pinned ones */
	struct map_cache_statistics statistics;
};

/* Do the pinned pages and one more fit in the budget?  If not, the fault says how many bytes are needed. */
bool map_cache_fits(const struct map_settings *, const struct geometry *, uint32_t pinned, struct fault *);

/* With map.pin_pmt the first `pinned` ids are never evicted; map_cache_fits() must hold.  The directory
 * outlives the cache. */
struct map_cache *map_cache_create(struct directory *, uint32_t pinned);

/* The same with room for `room` pages, at least one, none of them pinned. */
struct map_cache *map_cache_create_for(struct directory *, uint32_t room);

void map_cache_free(struct map_cache *);

/* For map_cache_get(): loads a page that is not in DRAM.  False: the drive is full. */
bool map_cache_load(struct map_cache *, struct io *, uint32_t id, enum cause, op_t after);

/* The page that map_cache_load() is going to evict; INDEX_NONE: there is room. */
static inline uint32_t map_cache_next_victim(const struct map_cache *c)
{
	return c->resident < c->room ? INDEX_NONE : c->page[c->directory->pages].link.next;
}

/* Makes the page, which is in DRAM, the most recently used. */
static inline void map_cache_use(struct map_cache *c, uint32_t id)
{
	if (id >= c->pinned && c->page[c->directory->pages].link.previous != id) {
		list_remove(ARRAY_FIELD(c->page, link), id);
		list_append(ARRAY_FIELD(c->page, link), c->directory->pages, id);
	}
}

/*
 * Looks up one entry of page `id`, and changes it if `write`.  Returns the operation that users of the entry
 * depend on; a load made here depends on `after`, an earlier look-up that led to this one.  May collect: look
 * up other mappings afterwards, and do not call it between taking a page and programming it, nor during a
 * collection.
 */
static inline op_t map_cache_get(struct map_cache *c, struct io *io, uint32_t id, bool write, op_t after)
{
	struct directory *d = c->directory;

	BUG_ON(id >= d->pages, "mapping page %u of %u is looked up", id, d->pages);
	if (write)
		directory_enter(d, id);
	directory_count_lookup(d, id, c->page[id].cached);
	if (!c->page[id].cached) {
		if (!map_cache_load(c, io, id, CAUSE_MAP, after))
			return after;
	} else {
		map_cache_use(c, id);
	}
	c->page[id].dirty |= write;
	return directory_ready(d, io, id, after);
}

/* During a collection: an entry of page `id` changes. */
void map_cache_entry_moved(struct map_cache *, struct io *, uint32_t id);

/* For map_cache_flush_updates(): there are deferred updates. */
void map_cache_flush_updates_now(struct map_cache *, struct io *);

/*
 * Applies deferred updates, as map.gc_update says: to be called at the start of every request.  That programs
 * mapping pages, which may start collections, which may defer more; so each call is for a bounded number of
 * pages.  No request waits for these operations (cause gc_update), except where it uses a page that is being
 * loaded.
 */
static inline void map_cache_flush_updates(struct map_cache *c, struct io *io)
{
	if (c->directory->pending_pages)
		map_cache_flush_updates_now(c, io);
}

/* The page holds no entry any more, in DRAM or in flash.  Ids can be used again. */
void map_cache_remove(struct map_cache *, uint32_t id);

/* The page will be looked up soon. */
static inline void map_cache_prefetch(const struct map_cache *c, uint32_t id)
{
	prefetch(&c->page[id]);
	directory_prefetch(c->directory, id);
}

/*
 * If the look-up of the page will load it and evict another page: prefetches the places of both.  To be
 * called after map_cache_prefetch().
 */
static inline void map_cache_prefetch_target(const struct map_cache *c, uint32_t id)
{
	const struct directory *d = c->directory;
	ppn_t ppn = d->page[id].ppn, old;

	if (c->page[id].cached || c->resident < c->room)
		return;
	old = d->page[c->page[d->pages].link.next].ppn;
	if (ppn != PPN_NONE)
		prefetch(&d->space->flash->block[geometry_block(d->space->flash->geometry, ppn)]);
	if (old != PPN_NONE)
		space_prefetch(d->space, old);
}

/* Mapping pages in the budget; at least one. */
uint32_t map_cache_room(const struct map_settings *, const struct geometry *);

/* Without the directory. */
extern const struct state_row map_cache_state[];

/* Aborts if ring, counts and flags disagree.  O(pages). */
void map_cache_check(const struct map_cache *);

/* Rows map.cache_bytes, ..., and those of the directory. */
void map_cache_statistics(struct map_cache *, struct stat_list *);

#endif
