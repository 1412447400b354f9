/*
 * The entry cache: single mapping entries in DRAM, least recently used first, within a budget of bytes; one of the
 * ways to cache a table that lies in the directory's pages (directory.h).  The cached mapping table of DFTL
 * (Gupta, Kim, Urgaonkar, ASPLOS 2009, section 3).
 *
 * An entry is known by its key, a number of its FTL's (a logical page, a part of one); mapping page p holds the keys
 * from p * per_page on.  Entries may differ in size and change it.  What they mean is the FTL's affair, and which
 * parts of them are in DRAM (`parts`).
 *
 *   - A look-up is entry_cache_get() for every key.  One that is not in DRAM first drives out what has not been used
 *     for longest until it fits, then costs a read of its mapping page, even if its neighbour's read has just brought
 *     the same page: what shall come with a read enters by entry_cache_enter().
 *   - A changed entry that leaves is written back: a place is taken (which may collect; the entry is still in
 *     DRAM), its mapping page is read and programmed.  With `batch` all changed entries of that page are
 *     unchanged from then on and stay, else only the one that leaves.
 *   - A new value is entry_cache_change(), after the data's program.  For sizes that grew others leave by
 *     entry_cache_fit(), once all entries of a program are changed.
 *   - A collection changes what is in DRAM by entry_cache_moved() and pays for the rest itself (directory.h).
 *     Nothing enters or leaves meanwhile.
 *   - Outside time it is not used.
 *
 * An entry in DRAM costs 16 bytes of the simulator's memory, 20 unless all are `alike`, every key a bit (changed); the
 * index costs 4 for each `together` entries that there is room for, rounded up to a power of two, where it is used.
 *
 * Segmented LRU: `protect` entries have a segment of their own, for what was used again; what it has no room for goes
 * back to the others as the one last used.  0 is plain LRU.
 */
#ifndef PAGEMAP_ENTRY_CACHE_H
#define PAGEMAP_ENTRY_CACHE_H

#include "base/hash.h"
#include "base/list.h"
#include "base/pool.h"
#include "pagemap/directory.h"
#include "pagemap/fetches.h"

/* What entries differ in, unless all are alike. */
struct cached_own {
	uint16_t bytes;
	bool protected;
	uint8_t parts; /* the FTL's own: which parts of it are in DRAM; 0 when it enters */
};

struct cached_entry {
	uint32_t chain; /* of the index */
	uint32_t key;
	struct link use;         /* in the ring of its segment, least recently used first; zeros in none */
	struct cached_own own[]; /* 1; none if all entries are alike */
};

struct entry_cache_plan {
	uint32_t per_page; /* entries of a mapping page */
	uint64_t bytes;    /* budget, at least that of the largest entry */
	uint32_t least;    /* bytes of the smallest entry, for the size of the index */
	bool alike;        /* all entries have that many, and no parts; none is protected */
	uint32_t together; /* keys that are used together and share a place there, a power of two; 0 is 1 */
	uint64_t protect;  /* entries */
	bool batch;        /* a write-back is for all changed entries of the mapping page */
	bool read_once; /* one read does if an entry is loaded from the page that the one that leaves is written to */
};

struct entry_cache_statistics {
	uint64_t bytes, most_bytes, writebacks, batched, dropped;
};

/* Elements of the pool: one that is none, a head for each segment, the entries. */
struct entry_cache {
	struct directory *directory;
	struct entry_cache_plan plan;
	uint64_t keys; /* of all mapping pages */
	struct pool pool;
	struct fetches fetches;   /* that bring entries, by element */
	struct hash index;        /* of the entries, by key */
	uint64_t *dirty;          /* bit per key, whole words per mapping page: changed in DRAM */
	uint64_t used, most_used; /* bytes */
	uint64_t protected;       /* entries */
	struct entry_cache_statistics statistics;
};

/* The directory outlives the cache. */
struct entry_cache *entry_cache_create(struct directory *, struct entry_cache_plan);
void entry_cache_free(struct entry_cache *);

/* Its elements as those of the index. */
CONTAINER struct hashed entry_cache_indexed(const struct entry_cache *c)
{
	return (struct hashed){ POOL_FIELD(c->pool, struct cached_entry, key),
		POOL_FIELD(c->pool, struct cached_entry, chain) };
}

/* The entry if it is in DRAM, NULL if not; good until one enters. */
struct cached_entry *entry_cache_find(const struct entry_cache *, uint32_t key);

/* Is it in DRAM, and changed? */
bool entry_cache_dirty(const struct entry_cache *, uint32_t key);

/* The key is used soon; then, once what that fetches is there. */
PREFETCHING void entry_cache_expect(const struct entry_cache *c, uint32_t key)
{
	hash_expect(&c->index, key);
	__builtin_prefetch(&c->dirty[key / 64], 1); /* or near it, where the words of a page are not full */
}

PREFETCHING void entry_cache_expect_next(const struct entry_cache *c, uint32_t key)
{
	hash_expect_next(&c->index, entry_cache_indexed(c), key);
}

/*
 * Looks the entry up; if it is not in DRAM it enters unchanged, with this size.  Returns what its user must wait for.
 * May collect: look values up after it.  The drive is full: nothing enters.
 */
op_t entry_cache_get(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes);

/* The entry is in DRAM in part, what is looked up is not: its mapping page is read, its size is now `bytes`, it is the
 * one last used; others leave for it. */
op_t entry_cache_grow(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes);

/* The read of its mapping page that was just made for the entry `beside` brings this one, too, if it is not in DRAM
 * and there is room without driving that one out.  No look-up. */
void entry_cache_enter(struct entry_cache *, struct io *, uint32_t key, uint32_t bytes, uint32_t beside);

/* The last key that such a read for `key` brings along, if the request looks up all until `last`. */
uint32_t entry_cache_brought(const struct entry_cache *, uint32_t key, uint32_t last);

/* The entry, unless the drive was full, is in DRAM and is the one last used.  No look-up. */
void entry_cache_touch(struct entry_cache *, uint32_t key);

/* The entry, which is in DRAM, has a new value and this size; the budget may be exceeded until entry_cache_fit(). */
void entry_cache_change(struct entry_cache *, uint32_t key, uint32_t bytes);

/* The entry, which is in DRAM, has this size: what it says has changed in flash meanwhile. */
void entry_cache_resize(struct entry_cache *, uint32_t key, uint32_t bytes);

/* Drives out what the budget does not hold; at the drive's end without writing it. */
void entry_cache_fit(struct entry_cache *, struct io *);

/* During a collection: what the entry maps was moved.  False: it is not in DRAM. */
bool entry_cache_moved(struct entry_cache *, uint32_t key);

/* State, for saving and loading a drive with nothing under way; the directory is saved apart. */
/* The directory is not included. */
extern const struct state_row entry_cache_state[];

/* Aborts if rings, places, bits, sizes and counts disagree.  O(entries in DRAM + keys / 64). */
void entry_cache_check(const struct entry_cache *);

/* Rows map.cache_bytes, map.cached_bytes_max, map.writebacks, map.batched, and those of the directory. */
void entry_cache_statistics(struct entry_cache *, struct stat_list *);

#endif
