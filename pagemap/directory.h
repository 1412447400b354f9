/*
 * The directory of mapping pages.  A mapping table that is too large for the controller's DRAM is kept in
 * flash, in mapping pages; the directory says where each of them is.  The caches built on it decide what is
 * in DRAM, and in which unit: whole pages (map_cache.h), single entries (entry_cache.h), parts of pages,
 * nothing.
 *
 * It identifies mapping pages by id (0 .. pages - 1), and issues the flash operations that their use costs.
 * What entries mean does not matter here: the FTL's own tables are always up to date, so a mistake here
 * changes costs, never data.  It depends on no FTL either: a callback allocates pages of flash.
 *
 * In flash, mapping page `id` belongs to the owner `base + id`.
 *
 * Rules for a cache, whatever its unit:
 *   - A look-up is counted first, then reads what is not in DRAM, with cause map.  Users of the entry wait
 *     for what directory_read() returns, later users of the same page for directory_ready().
 *   - Entries leave DRAM only when the cache makes room or after a write.  Dirty ones are written back:
 *     directory_program() if the whole page is in DRAM, directory_rewrite() if only some of its entries are.
 *     Room is made first; the load then waits for *wait.
 *   - The budget is map_budget(), in bytes.
 *   - An entry that a collection changes in flash is updated later (directory_defer_update()), or within the
 *     collection (directory_apply_updates(), once for each page, when the victim holds nothing live any more:
 *     `emptied` of gc/collect.h).  Pages for that come from the collector's reserve: ask for more than one
 *     block.  Updates that get no page stay deferred.
 *   - The FTL calls directory_enter() before an entry is written, and directory_page_moved() when a
 *     collection moved a mapping page.  The FTL saves, checks and reports the directory with its cache.
 */
#ifndef PAGEMAP_DIRECTORY_H
#define PAGEMAP_DIRECTORY_H

#include "base/list.h"
#include "base/param.h"
#include "base/prefetch.h"
#include "gc/space/space.h"

struct stat_list;

/* What happens when a collection changes entries of mapping pages that are not in DRAM. */
enum map_gc_update {
	/* Loaded; the page is dirty from then on. */
	MAP_GC_LOAD,
	/*
	 * Deferred: changes are kept in DRAM, 8 bytes each, on top of the budget.  Once they take more than
	 * 1/64 of it, the page deferred first is read, updated and written with all its changes, without
	 * entering the cache (after the batch update of DFTL).
	 */
	MAP_GC_LAZY,
	/* Any number of changes is kept in DRAM until a look-up loads the page. */
	MAP_GC_DEFER,
};

/* Entries that the read of a mapping page loads into a cache of single entries: the one looked up, or also
 * others that the request is going to look up. */
enum map_load { MAP_LOAD_ENTRY, MAP_LOAD_REQUEST };

/* The parameters map.*, of all FTLs whose table is in flash. */
struct map_settings {
	uint64_t cache_bytes; /* 0 = physical bytes / 1024 */
	bool pin_pmt, blocking, batch;
	int gc_update, load;
	uint64_t seed; /* set by the drive, from its own seed */
};

extern const struct param map_params[];

/* DRAM for the mapping table: `cache_bytes` of the settings, or the drive's share. */
uint64_t map_budget(const struct map_settings *, const struct geometry *);

/* Look-ups of entries, of every FTL (without a cache all are hits); the core's rows map.*.  A miss costs a
 * read, which a larger budget could have saved; an entry that was never written is no miss. */
struct map_statistics {
	uint64_t lookups;
	uint64_t hits;           /* in DRAM */
	uint64_t misses;         /* in flash: a mapping page is read */
	uint64_t unwritten;      /* the mapping page was never written: nothing is read */
	uint64_t unmapped_reads; /* pages of read requests that hold no data: nothing is read */
	uint64_t accesses;       /* mapping entries read or written in DRAM */
};

/* The FTL's part: a page to program mapping page `id` into (of a stream of its own, collecting where needed);
 * PPN_NONE: the drive is full. */
struct directory_client {
	void *ftl;
	ppn_t (*allocate)(void *ftl, struct io *, uint32_t id);
};

struct directory_page {
	op_t load;        /* the last read of its copy */
	ppn_t ppn;        /* its copy in flash; PPN_NONE: there is none */
	uint16_t exists;  /* 0 or 1 */
	uint16_t pending; /* 0 or 1: it has deferred updates */
};

/* Kept apart from struct directory_page, which every look-up uses: nearly all pages have no updates. */
struct directory_update {
	struct link link; /* in the ring of pages with deferred updates, oldest first */
	uint32_t entries; /* number of updates; 0: it is not in the ring */
};

struct directory_statistics {
	uint64_t table_bytes, gc_moves, gc_updates, pending;
};

struct directory {
	const struct map_settings *settings;
	struct space *space;
	struct map_statistics *map;
	struct directory_client client;
	struct directory_page *page;
	struct directory_update *update; /* per page; the head of the ring follows */
	uint32_t pages;                  /* ids */
	owner_t base;
	uint32_t existing, in_flash;             /* pages that exist; that have a copy in flash */
	uint32_t unplaced, unplaced_end;         /* pages that directory_place() has not visited yet */
	uint32_t pending_pages;                  /* with deferred updates */
	uint64_t pending_entries, pending_limit; /* deferred; more are written back (MAP_GC_LAZY) */
	struct directory_statistics statistics;
};

/* Look-ups are counted in `map`, normally &ftl->map. */
struct directory *directory_create(const struct map_settings *, struct space *, struct map_statistics *map,
	uint32_t pages, owner_t base, struct directory_client);
void directory_free(struct directory *);

/* ---- which pages exist ---- */

/* For directory_enter(): the page's first entry. */
void directory_enter_new(struct directory *, uint32_t id);

/* The page holds an entry, whether it is in flash yet or not: it exists until directory_remove(). */
static inline void directory_enter(struct directory *d, uint32_t id)
{
	BUG_ON(id >= d->pages, "mapping page %u of %u is changed", id, d->pages);
	if (!d->page[id].exists)
		directory_enter_new(d, id);
}

/* The page holds no entry any more: its copy is dead, deferred updates are dropped.  Ids can be used
 * again. */
void directory_remove(struct directory *, uint32_t id);

static inline bool directory_exists(const struct directory *d, uint32_t id)
{
	return d->page[id].exists;
}

/* Does it have a copy in flash?  If not, its use reads nothing. */
static inline bool directory_in_flash(const struct directory *d, uint32_t id)
{
	return d->page[id].ppn != PPN_NONE;
}

static inline bool directory_owns(const struct directory *d, owner_t owner)
{
	return owner - d->base < d->pages;
}

/* Bytes of all pages that exist. */
static inline uint64_t directory_table_bytes(const struct directory *d)
{
	return (uint64_t)d->existing * d->space->geometry->page_bytes;
}

static inline void directory_prefetch(const struct directory *d, uint32_t id)
{
	prefetch(&d->page[id]);
}

static inline void directory_prefetch_update(const struct directory *d, uint32_t id)
{
	directory_prefetch(d, id);
	prefetch(&d->update[id]);
}

/* ---- what their use costs ---- */

/* An entry of the page is looked up.  Called before the page is read. */
static inline void directory_count_lookup(struct directory *d, uint32_t id, bool in_dram)
{
	d->map->lookups++;
	if (in_dram)
		d->map->hits++;
	else if (directory_in_flash(d, id))
		d->map->misses++;
	else
		d->map->unwritten++;
}

/* Reads the page's copy, once `after` is done.  Returns the operation that users of its entries depend on;
 * without a copy that is `after`. */
op_t directory_read(struct directory *, struct io *, uint32_t id, enum cause, op_t after);

/* The load while it is in flight, else `after`; sets *load to OP_NONE once it is done. */
op_t directory_await(const struct io *, op_t *load, op_t after);

/* For a page that is in DRAM as a whole: returns the operation that users of its entries depend on. */
static inline op_t directory_ready(struct directory *d, const struct io *io, uint32_t id, op_t after)
{
	return d->page[id].load == OP_NONE ? after : directory_await(io, &d->page[id].load, after);
}

/*
 * Programs the page to a new place, once `after` is done.  With map.blocking the request waits for the
 * program, and the steps of the look-up follow one another: the program depends on *wait, too, and *wait
 * becomes the program, on which the next read and the user of the look-up depend.  Else nothing waits for it.
 * (With a background cause no request waits in any case.) False: the drive is full, nothing has changed.
 * Takes a page and so may collect, unless called during a collection.
 *
 * Outside time (preconditioning) a page that has a copy is not written again: that would change nothing that
 * is measured later.
 */
bool directory_program(struct directory *, struct io *, uint32_t id, enum cause, op_t after, op_t *wait);

/* Read-modify-write: takes a page, reads the old copy once `after` is done, and programs, as above. */
bool directory_rewrite(struct directory *, struct io *, uint32_t id, enum cause, op_t after, op_t *wait);

/* Outside time: programs every page that exists and has no copy in flash, in ascending order.  For an FTL
 * whose cache takes no part in preconditioning (place_map of ftl.h). */
void directory_place(struct directory *, struct io *);

/* During a collection: the mapping page itself was moved. */
void directory_page_moved(struct directory *, uint32_t id, ppn_t from, ppn_t to);

/* ---- deferred updates: changes by collections of entries that are not in DRAM ---- */

/* An entry of the page changes.  The page is in the ring once, however often it changes. */
void directory_defer_update(struct directory *, uint32_t id);

/* The page was loaded or is written for another reason: it has no deferred updates any more.  True if it
 * had. */
bool directory_clear_updates(struct directory *, uint32_t id);

/* Most pages that one call may write back: at most 64, and no more than are pending at its start, so that it
 * ends even if it causes further updates. */
static inline uint32_t directory_batch(const struct directory *d)
{
	return d->pending_pages < 64 ? d->pending_pages : 64;
}

/* The page deferred first; there is one. */
static inline uint32_t directory_oldest_update(const struct directory *d)
{
	return d->update[d->pages].link.next;
}

/* The page, which has deferred updates, is rewritten (cause gc_update).  False: the drive is full; the
 * page stays in the ring, as the last one and with one update. */
bool directory_apply_updates(struct directory *, struct io *, uint32_t id);

/* MAP_GC_LAZY: applies the oldest updates while there are more than the limit, for at most one batch of pages
 * and only until the drive is full. */
void directory_flush_updates_now(struct directory *, struct io *);

static inline void directory_flush_updates(struct directory *d, struct io *io)
{
	if (d->pending_entries > d->pending_limit)
		directory_flush_updates_now(d, io);
}

/* ---- the rest ---- */

/* Rows map.table_bytes, map.gc_moves, map.gc_updates and map.pending. */
void directory_statistics(struct directory *, struct stat_list *);

extern const struct state_row directory_state[];

/* Aborts if counts and owners disagree.  O(pages). */
void directory_check(const struct directory *);

#endif
