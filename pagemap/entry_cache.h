/*
 * The entry cache: single mapping entries in DRAM, in LRU order, within a budget of bytes.  The cached
 * mapping table of DFTL (Gupta, Kim, Urgaonkar, ASPLOS 2009, section 3), on top of directory.h.
 *
 * An entry is identified by its key: a logical page, or a part of one.  Mapping page p holds the keys from
 * p * per_page on. Entries may differ in size, and their sizes may change.  What they mean, and which parts
 * of them are in DRAM (`parts`), is up to the FTL.
 *
 *   - entry_cache_get() looks up one key.  On a miss it first evicts least recently used entries until the
 *     new one fits, then reads the mapping page, even if a miss of a neighbour has just read the same page:
 *     other entries that this read is to load are added by entry_cache_enter().
 *   - A dirty entry that is evicted is written back: a page is taken (which may collect; the entry is still
 *     in DRAM), its mapping page is read and programmed.  With `batch` all dirty entries of that page are
 *     clean from then on and stay in DRAM, else only the evicted one is written.
 *   - entry_cache_change() gives an entry a new value, after the data's program.  If sizes grow,
 *     entry_cache_fit() evicts other entries, once all entries of a program are changed.
 *   - A collection changes entries in DRAM by entry_cache_moved(), others through the directory.  No entry
 *     enters or leaves meanwhile.
 *   - Outside time it is not used.
 *
 * Memory of the simulator: 20 bytes for each entry in DRAM, a bit for each key (dirty), and for the index 4
 * bytes for each `together` entries that fit in the budget, rounded up to a power of two; untouched parts of
 * the index take no memory.
 *
 * An FTL with its own replacement policy chooses among the elements of the cache (entry_cache_coldest(),
 * entry_cache_next()), evicts them, and inserts what it has read.
 *
 * Segmented LRU: up to `protect` entries that were used again are in a protected segment.  If there are more,
 * the least recently used of them returns to the other segment, as its most recently used.  0 is plain LRU.
 */
#ifndef PAGEMAP_ENTRY_CACHE_H
#define PAGEMAP_ENTRY_CACHE_H

#include "base/hash.h"
#include "base/list.h"
#include "base/pool.h"
#include "pagemap/directory.h"
#include "pagemap/fetches.h"

struct cached_entry {
	uint32_t chain; /* of the index */
	uint32_t key;
	struct link use; /* in its ring, least recently used first; zeros if it is in none */
	uint16_t bytes;
	uint8_t segment; /* head of its ring, unless there is one for each mapping page */
	uint8_t parts;   /* for the FTL: which parts of it are in DRAM; 0 when it enters */
};

struct entry_cache_plan {
	uint32_t per_page; /* entries of a mapping page */
	uint64_t bytes;    /* budget, at least that of the largest entry */
	uint32_t least;    /* bytes of the smallest entry, for the size of the index */
	uint32_t together; /* keys that are used together and share a bucket, a power of two; 0 is 1 */
	uint64_t protect;  /* entries of the protected segment */
	bool batch;        /* a write-back cleans all entries of the mapping page */
	bool read_once;    /* write-back and load of the same mapping page share one read */
	bool by_page;      /* a ring for each mapping page; the FTL chooses what is evicted */
};

struct entry_cache_statistics {
	uint64_t bytes, most_bytes, writebacks, batched, dropped;
};

/* Elements of the pool: an unused one, a head for each ring, the entries. */
struct entry_cache {
	struct directory *directory;
	struct entry_cache_plan plan;
	uint64_t keys; /* of all mapping pages */
	struct pool pool;
	struct fetches fetches;   /* reads in flight that load entries, by element */
	struct hash index;        /* of the entries, by key */
	uint64_t *dirty;          /* bit per key, whole words per mapping page */
	uint64_t used, most_used; /* bytes */
	uint64_t protected_entries;
	struct entry_cache_statistics statistics;
};

/* The directory outlives the cache. */
struct entry_cache *entry_cache_create(struct directory *, struct entry_cache_plan);
void entry_cache_free(struct entry_cache *);

/* Its entries as elements of the index. */
CONTAINER struct hashed entry_cache_indexed(const struct entry_cache *c)
{
	return (struct hashed){ POOL_FIELD(c->pool, struct cached_entry, key),
		POOL_FIELD(c->pool, struct cached_entry, chain) };
}

/* The entry; NULL if it is not in DRAM.  Valid until another one enters. */
struct cached_entry *entry_cache_find(const struct entry_cache *, uint32_t key);

/* Is it in DRAM, and dirty? */
bool entry_cache_dirty(const struct entry_cache *, uint32_t key);

/* The key will be looked up soon. */
static inline void entry_cache_prefetch(const struct entry_cache *c, uint32_t key, enum prefetch_stage stage)
{
	hash_prefetch(&c->index, entry_cache_indexed(c), key, stage);
	if (stage == PREFETCH_ENTRY)
		prefetch(&c->dirty[key / 64]); /* exact if per_page is a multiple of 64 */
}

/*
 * Looks up the entry; if it is not in DRAM, it enters clean, with this size.  Returns the operation that its
 * users depend on.  May collect: look up values afterwards.  If the drive is full nothing enters.
 */
op_t entry_cache_get(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes);

/* The same; with map.load = request a miss also loads the keys behind it, up to `last`, which have the same
 * size. */
op_t entry_cache_look_up(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes, uint32_t last);

/* Looks up a part that is not in DRAM of an entry that is: reads its mapping page, makes its size `bytes` and
 * the entry the most recently used, and evicts others for it. */
op_t entry_cache_grow(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes);

/* The read of a mapping page just made for the entry `beside` loads this entry, too, unless it is in DRAM
 * already or `beside` would be evicted for it. Counts no look-up. */
void entry_cache_enter(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes, uint32_t beside);

/* The last key whose entry a read for `key` also loads, if the request looks up all keys until `last`. */
uint32_t entry_cache_brought(const struct entry_cache *, uint32_t key, uint32_t last);

/* Makes the entry, if it is in DRAM, the most recently used.  Counts no look-up. */
void entry_cache_touch(struct entry_cache *, uint32_t key);

/* The entry, which is in DRAM, has a new value and this size.  The budget may be exceeded until
 * entry_cache_fit(). */
void entry_cache_change(struct entry_cache *, uint32_t key, uint32_t bytes);

/* The entry, which is in DRAM, has this size now; that does not make it dirty. */
void entry_cache_resize(struct entry_cache *, uint32_t key, uint32_t bytes);

/* Evicts entries until the rest is within the budget; if the drive is full, without a write-back. */
void entry_cache_fit(struct entry_cache *, struct io *);

/* ---- for an FTL with its own replacement policy ---- */

/* The element of an entry; INDEX_NONE: it is not in DRAM. */
uint32_t entry_cache_element(const struct entry_cache *, uint32_t key);

/* The least recently used element (with plan.by_page, of the mapping page), and the one used next
 * after `i`.  INDEX_NONE: there is none. Not for segmented LRU. */
uint32_t entry_cache_coldest(const struct entry_cache *, uint32_t page);
uint32_t entry_cache_next(const struct entry_cache *, uint32_t i);

static inline uint32_t entry_cache_key(const struct entry_cache *c, uint32_t i)
{
	return ((const struct cached_entry *)pool_at(&c->pool, i))->key;
}

/* Evicts the entry, with a write-back if it is dirty. False: the drive is full. */
bool entry_cache_evict(struct entry_cache *, struct io *, uint32_t i, op_t *wait);

/* Removes the entry without a write-back: its value is known elsewhere. */
void entry_cache_remove(struct entry_cache *, uint32_t i);

/* Inserts a clean entry, loaded by this read or OP_NONE.  It is not in DRAM yet, and there is room for it.
 * Returns its element. */
uint32_t entry_cache_insert(struct entry_cache *, const struct io *, uint32_t key, uint32_t bytes, op_t read);

/* The mapping page is up to date: its entries in DRAM become clean.  Returns how many of them were dirty. */
uint32_t entry_cache_clean_page(struct entry_cache *, uint32_t page);

/* Something other than entries takes `now` bytes of the budget; it took `before`. */
void entry_cache_charge(struct entry_cache *, uint32_t now, uint32_t before);

/* ---- collections, and the rest ---- */

/* During a collection: the page of the entry was moved.  False: the entry is not in DRAM. */
bool entry_cache_moved(struct entry_cache *, uint32_t key);

/* Without the directory. */
extern const struct state_row entry_cache_state[];

/* Aborts if rings, index, sizes and counts disagree.  O(entries in DRAM + keys / 64). */
void entry_cache_check(const struct entry_cache *);

/* The same, if `beside` bytes are charged for other things. */
void entry_cache_check_beside(const struct entry_cache *, uint64_t beside);

/* Rows map.cache_bytes, map.cached_bytes_max, map.writebacks, map.batched, map.dropped, and the
 * directory's. */
void entry_cache_statistics(struct entry_cache *, struct stat_list *);

#endif
