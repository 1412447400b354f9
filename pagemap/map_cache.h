/*
 * The mapping cache: a translation table too large for the controller's DRAM lives in flash in
 * mapping pages; the most recently used ones are held in DRAM within a budget of bytes, changed
 * ones are written back when they make room.  A directory in DRAM says where each page is.
 *
 * It knows mapping pages by id (0 .. pages - 1) and says which flash operations a look-up costs and which
 * it must wait for.  What the entries mean, and their values, is the FTL's affair: its own tables are always
 * up to date, so nothing here can make a mapping wrong, only dear.  It knows no FTL: pages of
 * flash come through a callback.
 *
 * In flash, mapping page `id` belongs to the owner `base + id`.
 */
#ifndef PAGEMAP_MAP_CACHE_H
#define PAGEMAP_MAP_CACHE_H

#include "base/param.h"
#include "base/prefetch.h"
#include "base/random.h"
#include "pagemap/space.h"
#include "stats/report.h"

/* Every FTL fills the first four; they are the core's rows map.*.  Untimed requests count nothing. */
struct map_statistics {
	uint64_t lookups, hits, misses; /* of a mapping page by a translation */
	uint64_t accesses;              /* mapping entries read or written in DRAM */
	uint64_t gc_moves;              /* mapping pages the collector moved */
	uint64_t gc_updates;            /* entries the collector changed while their page was not in DRAM */
	uint64_t unmapped_reads;        /* pages of read requests that hold no data: nothing was read */
};

/* What the entries of pages cost that the collector moved while their mapping page was not in DRAM. */
enum map_gc_update {
	/* The mapping page is loaded and is dirty from then on. */
	MAP_GC_LOAD,
	/*
	 * The change is noted in DRAM, 8 bytes each; once the notes take more than 1/64 of the budget (beside it),
	 * the page that waits longest is read, changed and written without entering the cache, once for all
	 * its notes (after the batch update of DFTL).
	 */
	MAP_GC_LAZY,
	/* Nothing: any number of changes is noted in DRAM until a translation loads the page. */
	MAP_GC_DEFER,
};

enum map_model {
	MAP_LRU, /* pages leave the cache from the least recently used end */
	/*
	 * a look-up hits with the chance budget / table; a miss costs a read, and a program too if it
	 * writes
	 */
	MAP_STATIC,
};

struct map_settings {
	uint64_t cache_bytes; /* 0 = physical bytes / 1024 */
	bool pin_pmt, blocking;
	int gc_update, model;
	uint64_t seed;    /* of the static model; set by the drive, from its own seed */
	double hit_share; /* of the static model, where the FTL knows better; 0 = budget / table */
};

extern const struct param map_params[];

/* The FTL's part: a page to program mapping page `id` into (of a stream of its own, collecting where
 * needed), or PPN_NONE when the drive is full. */
struct map_client {
	void *ftl;
	ppn_t (*allocate)(void *ftl, struct io *, uint32_t id);
};

/* A mapping page: its place in the directory.  Linked among the cached ones, or among those that wait for
 * map_cache_settle(), never both. */
struct map_page {
	op_t load; /* what must be done before the cached page can be used */
	ppn_t ppn; /* its copy in flash; PPN_NONE: never written */
	uint32_t newer, older;
	uint32_t flags : 8, notes : 24; /* changes noted while it waits */
};

struct map_list {
	uint32_t newest, oldest, length;
};

struct map_cache {
	const struct map_settings *settings;
	struct space *space;
	struct map_statistics *statistics;
	struct map_client client;
	struct map_page *page;
	uint32_t pages, pinned, room; /* ids; the first `pinned` ones stay; pages that the budget holds */
	owner_t base;
	struct map_list cached;          /* evictable pages in DRAM, most recently used first */
	struct map_list pending;         /* changed by the collector and not yet paid for, latest first */
	uint32_t resident, resident_max; /* pages in DRAM, pinned ones included */
	uint32_t existing;               /* pages that hold an entry */
	uint64_t notes, notes_most;      /* of all pages; more are paid for */
	struct random random;            /* of the static model */
};

/*
 * `pages` ids are possible; a page exists from its first write access to map_cache_remove().  The first
 * `pinned` of them are never evicted if the settings say pin_pmt.  Statistics are kept in `statistics`
 * (normally &ftl->map), which the drive clears when the measurement begins.
 */
struct map_cache *map_cache_create(const struct map_settings *, struct space *, uint32_t pages,
	uint32_t pinned, owner_t base, struct map_statistics *, struct map_client);
void map_cache_free(struct map_cache *);

/*
 * One entry of page `id` is looked up (and changed, if `write`).  Returns what an operation that uses the
 * entry must wait for, OP_NONE if nothing; a load caused here waits for `after` (an earlier look-up that
 * led to this one).  May allocate and so collect: look other mappings up after it, and do not
 * call it between taking a page and programming it.  Never called during a collection.
 */
op_t map_cache_get(struct map_cache *, struct io *, uint32_t id, bool write, op_t after);

/* During a collection: an entry of page `id` changes because the page it maps was moved. */
void map_cache_entry_moved(struct map_cache *, struct io *, uint32_t id);

/* During a collection: mapping page `id` itself was moved. */
void map_cache_page_moved(struct map_cache *, struct io *, uint32_t id, ppn_t from, ppn_t to);

/*
 * Pays for what collections changed: call it at the start of every request, outside collections.  Paying
 * programs pages, which can start collections, which can change more; so each call pays for a bounded number
 * of pages and the others wait (a page waits once, however often it is changed).  No request waits for
 * these operations (cause gc_map), except where it uses a page that is just being loaded.
 */
void map_cache_settle(struct map_cache *, struct io *);

/* The page holds no entry any more: it leaves DRAM and flash.  Ids can be used again. */
void map_cache_remove(struct map_cache *, uint32_t id);

/* Has the page been written (and not removed)? */
bool map_cache_exists(const struct map_cache *, uint32_t id);

/* The page is looked up soon. */
PREFETCHING void map_cache_prefetch(const struct map_cache *c, uint32_t id)
{
	__builtin_prefetch(&c->page[id], 1);
}

static inline bool map_cache_owns(const struct map_cache *c, owner_t owner)
{
	return owner - c->base < c->pages;
}

/* Bytes of all existing mapping pages. */
static inline uint64_t map_cache_table_bytes(const struct map_cache *c)
{
	return (uint64_t)c->existing * c->space->geometry->page_bytes;
}

/* Mapping pages of a budget: `cache_bytes` of the settings, or the drive's share; at least one. */
uint32_t map_cache_room(const struct map_settings *, const struct geometry *);

/* Copies in flash: the FTL adds them to its own live pages when it compares with the block manager. */
uint32_t map_cache_flash_pages(const struct map_cache *);

/* State, for saving and loading a drive with nothing under way. */
void map_cache_regions(struct map_cache *, struct regions *);

/* Aborts if lists, counts, flags and owners disagree.  O(pages). */
void map_cache_check(const struct map_cache *);

/* Rows map.cache_bytes, map.table_bytes, ... for the FTL's own section. */
void map_cache_report(const struct map_cache *, struct report *);

#endif
