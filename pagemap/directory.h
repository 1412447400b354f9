/*
 * The directory of mapping pages: a translation table too large for the controller's DRAM lies in flash in
 * mapping pages, and this says where each of them is.  Which part of the table is in DRAM, and in which unit, is
 * the business of whoever stands on it: whole pages (map_cache.h), single entries, parts of pages, nothing.
 *
 * It knows mapping pages by id (0 .. pages - 1) and says which flash operations a use of them costs and what must
 * wait for them.  What the entries mean, and their values, is the FTL's affair: its own tables are always up to
 * date, so nothing here can make a mapping wrong, only dear.  It knows no FTL: pages of flash come through a
 * callback.
 *
 * In flash, mapping page `id` belongs to the owner `base + id`.
 *
 * What a cache on top of it owes, whatever its unit:
 *   - A look-up counts itself, then reads what is not in DRAM with cause map; its user waits for what
 *     directory_read() returned, a later user of the same page for directory_ready().
 *   - Nothing leaves DRAM but by the cache's own decision, when it is asked for room or after a write; what leaves
 *     changed is programmed: directory_program() if the whole page is in DRAM, directory_rewrite() if only some of
 *     its entries are.  Making room comes first, then the load, which waits for *wait.
 *   - The budget is map_budget(), in bytes.
 *   - An entry that a collection changes and that is not in DRAM is noted and paid for later (directory_note()), or
 *     paid for within the collection: directory_pay(), once for each page, after everything live has left the
 *     victim (`emptied` of gc/collect.h).  The pages for that come out of the collector's reserve: ask for more than
 *     one block; what finds no page waits as if it were paid for later.
 *   - The FTL calls directory_enter() before an entry is written and directory_page_moved() when told so, and saves,
 *     checks and reports the directory beside its cache.
 */
#ifndef PAGEMAP_DIRECTORY_H
#define PAGEMAP_DIRECTORY_H

#include "base/list.h"
#include "base/param.h"
#include "base/prefetch.h"
#include "space/space.h"

struct stat_list;

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

/* What the read of a mapping page for one entry brings into a cache of single entries: it, or what else of the page the
 * request is going to look up. */
enum map_load { MAP_LOAD_ENTRY, MAP_LOAD_REQUEST };

/* The parameters map.*, of all FTLs whose table is in flash. */
struct map_settings {
	uint64_t cache_bytes; /* 0 = physical bytes / 1024 */
	bool pin_pmt, blocking, batch;
	int gc_update, load;
	uint64_t seed; /* of models of chance; set by the drive, from its own seed */
};

extern const struct param map_params[];

/* DRAM for the mapping table: `cache_bytes` of the settings, or the drive's share. */
uint64_t map_budget(const struct map_settings *, const struct geometry *);

/*
 * Look-ups of entries, by any FTL, whatever it caches (without a cache: hits only); the core's rows map.*.  A miss is
 * what costs a read and what a larger budget could have saved; so what was never written is none.
 */
struct map_statistics {
	uint64_t lookups;
	uint64_t hits;           /* in DRAM */
	uint64_t misses;         /* in flash: a mapping page is read */
	uint64_t unwritten;      /* nowhere yet: the mapping page was never written, nothing is read */
	uint64_t unmapped_reads; /* pages of read requests that hold no data: nothing was read */
	uint64_t accesses;       /* mapping entries read or written in DRAM, as the FTL counts its own */
};

/* The FTL's part: a page to program mapping page `id` into (of a stream of its own, collecting where
 * needed), or PPN_NONE when the drive is full. */
struct directory_client {
	void *ftl;
	ppn_t (*allocate)(void *ftl, struct io *, uint32_t id);
};

struct directory_page {
	op_t load;       /* the last read of its copy */
	ppn_t ppn;       /* its copy in flash; PPN_NONE: there is none */
	uint16_t exists; /* 0 or 1 */
	uint16_t waits;  /* 0 or 1: it has notes */
};

/* Apart from the pages, which every look-up uses: nearly all have none. */
struct directory_notes {
	struct link link; /* in the ring of pages that wait, longest first */
	uint32_t changes; /* of the page's entries that wait to be paid for; 0: it is not in the ring */
};

struct directory_statistics {
	uint64_t table_bytes, gc_moves, noted, waiting;
};

struct directory {
	const struct map_settings *settings;
	struct space *space;
	struct map_statistics *map;
	struct directory_client client;
	struct directory_page *page;
	struct directory_notes *note; /* per page, and the head of the ring behind them */
	uint32_t pages;               /* ids */
	owner_t base;
	uint32_t existing, in_flash; /* pages that hold an entry; that have a copy in flash */
	uint32_t waiting;            /* pages with noted changes */
	uint32_t unplaced,
		unplaced_end;       /* pages without a copy that directory_place() has not seen lie between */
	uint64_t noted, noted_most; /* changes of all pages; more are paid for, lazily */
	struct directory_statistics statistics;
};

/* Look-ups are counted in `map` (normally &ftl->map), which the drive clears when the measurement begins. */
struct directory *directory_create(const struct map_settings *, struct space *, struct map_statistics *map,
	uint32_t pages, owner_t base, struct directory_client);
void directory_free(struct directory *);

/* ---- which pages there are ---- */

/* For directory_enter(): a page that held none. */
void directory_enter_new(struct directory *, uint32_t id);

/* The page holds an entry from now on, in flash or not yet; for ever, or until directory_remove(). */
static inline void directory_enter(struct directory *d, uint32_t id)
{
	BUG_ON(id >= d->pages, "mapping page %u of %u is changed", id, d->pages);
	if (!d->page[id].exists)
		directory_enter_new(d, id);
}

/* It holds none any more: its copy dies, and what was noted of it.  Ids can be used again. */
void directory_remove(struct directory *, uint32_t id);

static inline bool directory_exists(const struct directory *d, uint32_t id)
{
	return d->page[id].exists;
}

/* Has it a copy in flash?  If not, using it reads nothing. */
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

/* The page is used or moved soon; noted. */
PREFETCHING void directory_prefetch(const struct directory *d, uint32_t id)
{
	__builtin_prefetch(&d->page[id], 1);
}

PREFETCHING void directory_prefetch_note(const struct directory *d, uint32_t id)
{
	directory_prefetch(d, id);
	__builtin_prefetch(&d->note[id], 1);
}

/* ---- what using them costs ---- */

/* An entry of the page is looked up, and is in DRAM or not.  Called before the page is read. */
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

/*
 * Reads the page's copy, once `after` is done.  Returns what the use of its entries must wait for; `after` where
 * there is no copy.
 */
op_t directory_read(struct directory *, struct io *, uint32_t id, enum cause, op_t after);

/* A load as long as it is under way, then `after`; *load is forgotten once it is done. */
op_t directory_pending(const struct io *, op_t *load, op_t after);

/* What the use of an entry that is in DRAM must wait for, if the whole page is. */
static inline op_t directory_ready(struct directory *d, const struct io *io, uint32_t id, op_t after)
{
	return d->page[id].load == OP_NONE ? after : directory_pending(io, &d->page[id].load, after);
}

/*
 * Programs the page anew, once `after` is done.  Who waits for that is the word of map.blocking alone, whatever the
 * cache: if false nobody does; if true the request does, and so does the look-up, whose steps then come one
 * after the other: the program waits for *wait, too, and *wait becomes the program, for what is read next and for the
 * look-up's user.  (With a background cause no request waits in any case.)
 * False: the drive is full, nothing has changed.  May allocate and so collect, unless called during a collection.
 *
 * Outside time (preconditioning) a page that has a copy is not written again: nothing that is measured later
 * would change.
 */
bool directory_program(struct directory *, struct io *, uint32_t id, enum cause, op_t after, op_t *wait);

/* Takes a place, reads the page, once `after` is done, and programs it with its changes, as above. */
bool directory_rewrite(struct directory *, struct io *, uint32_t id, enum cause, op_t after, op_t *wait);

/*
 * Outside time: every page that exists and has no copy in flash gets one, in ascending order.  For an FTL whose cache
 * takes no part in preconditioning (ftl.h: place_map).
 */
void directory_place(struct directory *, struct io *);

/* During a collection: the page itself was moved. */
void directory_page_moved(struct directory *, uint32_t id, ppn_t from, ppn_t to);

/* ---- notes: changes that collections made to entries not in DRAM, until their page is paid for ---- */

/* A page waits once, however often it is changed. */
void directory_note(struct directory *, uint32_t id);

/* The page is paid for in another way than by settling: it was loaded, or is written anyway.  True if it waited. */
bool directory_clear(struct directory *, uint32_t id);

/* How many pages one call may pay for: those that wait at its start, so that it ends whatever it starts. */
static inline uint32_t directory_due(const struct directory *d)
{
	return d->waiting < 64 ? d->waiting : 64;
}

/* The page that waits longest; some page waits. */
static inline uint32_t directory_waits_longest(const struct directory *d)
{
	return d->note[d->pages].link.next;
}

/* The page, which waits, is rewritten (cause gc_update).  False: no page can be had, it waits on. */
bool directory_pay(struct directory *, struct io *, uint32_t id);

/*
 * Lazily: while the notes take more than their part of DRAM, the page that waits longest is rewritten (cause
 * gc_update).  The drive's end (no page can be had) ends it, too; the page then waits on.
 */
void directory_settle_now(struct directory *, struct io *);

static inline void directory_settle(struct directory *d, struct io *io)
{
	if (d->noted > d->noted_most)
		directory_settle_now(d, io);
}

/* ---- the rest ---- */

/* Rows map.table_bytes, map.gc_moves, map.gc_updates and map.pending. */
void directory_statistics(struct directory *, struct stat_list *);

/* State, for saving and loading a drive with nothing under way. */
extern const struct state_row directory_state[];

/* Aborts if counts and owners disagree.  O(pages). */
void directory_check(const struct directory *);

#endif
