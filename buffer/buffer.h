/*
 * The write buffer in front of the FTL: recently written data in DRAM and, if the policy wants it, data that
 * was read.
 *
 * The core (buffer.c) finds, merges and counts; while there is no space it lets the policy choose victims,
 * and flushes their dirty sectors together.  A policy makes that one decision and owns the lists it needs for
 * it.  This room works on logical pages and extents, not on FTLs or flash: flushes and misses go to a sink.
 *
 * The order of calls, which policies may rely on:
 *   - a request is handled page by page, ascending.  A part of a write is counted; then, if any sector of its
 *     page is buffered, hit() is called, even if all sectors of the part are new; then pages are evicted
 *     until there is room, perhaps this page, too; then the part enters, and inserted() is called if the
 *     page is new;
 *   - a read looks up all its pages (hit() only where it finds a sector), then reads the missing sectors in
 *     one call. With `read_allocate` these then enter clean, without counting and without hit(): the read
 *     does not wait for the evictions this causes.
 */
#ifndef BUFFER_BUFFER_H
#define BUFFER_BUFFER_H

#include "base/hash.h"
#include "base/list.h"
#include "base/param.h"
#include "base/pool.h"
#include "stats/table.h"
#include "types.h"
#include "observe/oracle.h"

#include <stdio.h>

#define NODE_NONE  INDEX_NONE
#define WHOLE_PAGE (~(mask_t)0)

/* A logical page with buffered sectors. */
struct buffer_node {
	lpn_t lpn;
	uint32_t chain; /* the core's index */
	mask_t stored;  /* sectors that are buffered */
	mask_t dirty;   /* of these, the dirty ones */
};

/* Receives flushes and misses.  Extents ascend, unless the policy sets `in_order`. */
struct buffer_sink {
	void *context;
	void (*write)(void *context, const struct extent *, size_t n); /* flushed together */
	void (*write_merged)(
		void *context, const struct extent *, size_t n);      /* the same, into one page of flash */
	void (*read)(void *context, const struct extent *, size_t n); /* of one request */
};

/* [REQUEST_READ], [REQUEST_WRITE] */
struct buffer_statistics {
	uint64_t sectors[2], hit_sectors[2], miss_sectors[2];
	uint64_t pages[2], page_hits[2];       /* accesses to one page; those that found all their sectors */
	uint64_t page_finds[2];                /* accesses to a page with any buffered sector */
	uint64_t requests[2], request_hits[2]; /* requests; those that found all their sectors */
	uint64_t legacy[2];                    /* what SSDsim divides the hits by */
	uint64_t evictions, evicted_pages;
	uint64_t flushed_pages, flushed_sectors, merged_writes;
	uint64_t capacity_bytes, dirty_sectors; /* computed when the statistics are read */
};

struct stat_list;

struct extent_list {
	struct extent *extent;
	uint32_t n, room;
};

/* A page, or some of its sectors, in the present eviction; a page to be padded has no node. */
struct victim {
	lpn_t lpn;
	uint32_t node;
	mask_t mask;
};

/* Lists of pages, linked through one member of the policy's state for a page. */
struct buffer_lists {
	size_t member;         /* its offset */
	uint32_t first, heads; /* head nodes: the first, and how many in a row */
};

#define BUFFER_LISTS_MOST 3

struct buffer_shape {
	uint64_t bytes; /* rounded down to sectors, but at least one page */
	uint32_t sectors_per_page, pages_per_block;
	lpn_t pages; /* of the drive */
};

struct buffer {
	const struct buffer_ops *ops;
	void *state; /* ops->size bytes, zeroed before init */
	const void *settings;
	struct oracle *oracle;
	struct buffer_sink sink;
	struct buffer_shape shape;
	uint32_t sector_shift;
	/* Set by the policy's init: data that was read enters; it calls buffer_pad(); it calls
	 * buffer_merge(); victims are flushed in the order in which they were chosen, not ascending. */
	bool read_allocate, pads, merges, in_order;
	bool allocating;  /* data that was read enters: no request waits for evictions now */
	uint64_t request; /* number of the present or last write */
	FILE *explains;   /* while a request is explained: receives victims and reasons; else NULL */

	struct pool nodes;
	uint32_t heads; /* the first nodes are heads of lists, not pages */
	struct buffer_lists list[BUFFER_LISTS_MOST];
	uint32_t lists;
	struct hash index;
	uint64_t capacity, used; /* sectors */

	struct victim *victim; /* of the present eviction */
	uint32_t victims, victim_room;
	bool merging;
	struct extent_list flush,
		missing; /* dirty sectors of the victims; sectors that a read did not find */
	mask_t *absent;  /* for each page of that read: sectors not found */
	uint32_t absent_room;
	struct buffer_statistics statistics;
	char prefix[64]; /* of the policy's statistics */
};

struct buffer_ops {
	const char *name, *brief;
	const char *group;          /* prefix of its parameters and statistics; NULL: its name */
	size_t size;                /* of the private state */
	size_t page_size;           /* of its state for each page: buffer_own() */
	const struct param *params; /* own settings, or NULL */
	size_t settings_size;

	void (*init)(struct buffer *);
	void (*exit)(struct buffer *);
	/* A page enters with these sectors, written or read; the policy's state for it is zeroed. */
	void (*inserted)(struct buffer *, uint32_t node, enum request_type, mask_t);
	/* A buffered page is written (perhaps other sectors of it), or a read found some of its sectors. */
	void (*hit)(struct buffer *, uint32_t node, enum request_type, mask_t);
	/* Optional: sectors of the page were added, evicted or trimmed, and some are left; or all became
	 * clean. */
	void (*resized)(struct buffer *, uint32_t node, mask_t before);
	/* The page leaves, evicted or trimmed. */
	void (*removed)(struct buffer *, uint32_t node);
	/* Chooses at least one victim with buffer_choose().  NULL: this policy buffers nothing. */
	void (*evict)(struct buffer *);
	/* Own statistics, or NULL: the rows, and the offset and size of their values in the private state. */
	const struct stat_row *statistics;
	size_t count, count_size;
	/* Optional: aborts if an invariant of the policy broke. */
	void (*check)(const struct buffer *);
	/* Rows of the private state and of that for each page. */
	const struct state_row *state, *page_state;
	/* Optional, after a run is loaded: rebuilds what has no row. */
	void (*restored)(struct buffer *);
};

static inline const char *buffer_group(const struct buffer_ops *ops)
{
	return ops->group ? ops->group : ops->name;
}

/* NULL-ended, in order of buffer/list.h. */
extern const struct buffer_ops *const buffers[];

struct buffer *buffer_create(const struct buffer_ops *, const void *settings, struct buffer_shape,
	struct buffer_sink, struct oracle *);
void buffer_free(struct buffer *);

/* Writes and reads return the number of page-level DRAM accesses. */
uint32_t buffer_write(struct buffer *, struct extent);
uint32_t buffer_read(struct buffer *, struct extent);
void buffer_trim(struct buffer *, struct extent);

/* Writes back all dirty sectors of the pages that the extent touches, in one call to the FTL; they stay
 * buffered, clean.  The extent is not empty. */
void buffer_clean(struct buffer *, struct extent);

/* ---- for policies ---- */

static inline struct buffer_node *buffer_node(const struct buffer *b, uint32_t node)
{
	return (struct buffer_node *)pool_at(&b->nodes, node);
}

/* The policy's state for a page.  The pointer is valid until another page enters. */
static inline void *buffer_own(const struct buffer *b, uint32_t node)
{
	return buffer_node(b, node) + 1;
}

/* A member of the policy's state for each page, for lists of pages: BUFFER_FIELD(b, struct lru_page,
 * link). */
#define BUFFER_FIELD(b, type, member)                                                                        \
	((struct array_field){                                                                               \
		(b)->nodes.object, sizeof(struct buffer_node) + offsetof(type, member), (b)->nodes.bytes })

/* Creates the heads of `count` empty lists through that member, as nodes in a row; returns the first.  Only
 * in init, once for each member. */
#define BUFFER_HEADS(b, type, member, count) buffer_heads(b, offsetof(type, member), count)
uint32_t buffer_heads(struct buffer *, size_t member, uint32_t count);

/* The node of a page, NODE_NONE if no sector of it is buffered. */
uint32_t buffer_find(const struct buffer *, lpn_t);

static inline uint32_t buffer_sectors(const struct buffer *b, uint32_t node)
{
	return (uint32_t)__builtin_popcountll(buffer_node(b, node)->stored);
}

/*
 * Evicts these sectors of the page, WHOLE_PAGE for all.  Clean ones are dropped; the dirty ones of all
 * victims of an eviction are flushed in one call.  A page is chosen once in an eviction.
 */
void buffer_choose(struct buffer *, uint32_t node, mask_t);

/* The victims of the present eviction share one page of flash; needs `merges`. */
void buffer_merge(struct buffer *);

/*
 * Rewrites a page that is not buffered, together with the victims: the FTL gets an empty extent at its start.
 * Needs `pads`.  Does nothing for a page beyond the drive.
 */
void buffer_pad(struct buffer *, lpn_t);

/* The reason for the choice of these victims, in words, for `ssd run --explain`. */
__attribute__((format(printf, 2, 3))) void buffer_explain(struct buffer *, const char *, ...);

/* ---- */

/* Sectors that are dirty now. */
uint64_t buffer_dirty_sectors(const struct buffer *);

/* Adds the buffer's statistics to the list. */
void buffer_statistics(struct buffer *, struct stat_list *);

/* State, for saving a run. */
extern const struct state_row buffer_state[];

/* Aborts unless index, counts and nodes agree. */
void buffer_check(const struct buffer *);

#endif
