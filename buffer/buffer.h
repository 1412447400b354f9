/*
 * The write buffer in front of the FTL: recently written data in DRAM, and what was read where the policy wants it.
 *
 * The core (buffer.c) owns the data and the loop: it finds, merges, counts, and while there is
 * no room it asks the policy what leaves and hands the dirty part of it over to be flushed together.
 * A policy owns that one decision and the lists it needs for it.  This room knows logical pages and extents;
 * it knows nothing of FTLs or flash: what it flushes or misses goes to a sink.
 *
 * The order of things, which policies may rely on:
 *   - a request is handled page by page, ascending.  A part of a write is counted; then, if its page is here,
 *     hit() is called, even where no sector of the part is stored; then pages leave until there is room, the
 *     page itself perhaps among them; then the part enters, and inserted() is called if the page is new;
 *   - a read finds what is here of all its pages (hit() only where it finds something), then reads the rest in one
 *     call.  With `read_allocate` the sectors that were missing then enter clean, without counting and without
 *     hit(): the read does not wait for what they drive out.
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

/* One logical page of which some sectors are in the buffer. */
struct buffer_node {
	lpn_t lpn;
	uint32_t chain; /* the core's index */
	mask_t stored;  /* sectors present */
	mask_t dirty;   /* of these, newer than what the FTL has */
};

/* Where data goes that leaves the buffer and comes from what is not in it.  Extents ascend, unless the policy says that
 * what it merges goes out in its own order. */
struct buffer_sink {
	void *context;
	void (*write)(void *context, const struct extent *, size_t n);        /* flushed together */
	void (*write_merged)(void *context, const struct extent *, size_t n); /* the same, in one page */
	void (*read)(void *context, const struct extent *, size_t n);         /* one request's */
};

/* [REQUEST_READ], [REQUEST_WRITE] */
struct buffer_statistics {
	uint64_t sectors[2], hit_sectors[2], miss_sectors[2];
	uint64_t pages[2], page_hits[2]; /* accesses to one page, and those that found all they wanted */
	uint64_t page_finds[2];          /* accesses to a page of which anything is here */
	uint64_t requests[2], request_hits[2]; /* likewise */
	uint64_t legacy[2];                    /* what SSDsim divides the hits by */
	uint64_t evictions, evicted_pages;     /* times that something left, and pages of which it did */
	uint64_t flushed_pages, flushed_sectors, merged_writes;
	uint64_t capacity_bytes, dirty_sectors; /* looked up for the report */
};

struct stat_list;

struct extent_list {
	struct extent *extent;
	uint32_t n, room;
};

/* What leaves in this eviction; a page to be padded has no node. */
struct victim {
	lpn_t lpn;
	uint32_t node;
	mask_t mask;
};

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
	/* Set by the policy's init: sectors that were read enter; it calls buffer_pad(); it calls buffer_merge(). */
	bool read_allocate, pads, merges;
	bool in_order;   /* set there, too: what leaves goes out as it was chosen, not ascending */
	bool allocating; /* what was read enters: nobody waits for what leaves now */
	FILE *diary;     /* of a request that is explained: what leaves and why; else NULL */

	struct pool nodes;
	uint32_t heads; /* the first nodes, which are no pages */
	struct hash index;
	uint64_t capacity, used; /* sectors */

	struct victim *victim; /* chosen by the policy, in this eviction */
	uint32_t victims, victim_room;
	bool merging;
	struct extent_list flush, missing; /* what the victims flush; what a read did not find */
	mask_t *absent;                    /* of each page of that read */
	uint32_t absent_room;
	struct buffer_statistics statistics;
};

struct buffer_ops {
	const char *name, *brief;
	const char *group;          /* prefix of its parameters and statistics where the name cannot be one */
	size_t size;                /* of the private state */
	size_t page_size;           /* of the policy's own state of each page: buffer_own() */
	const struct param *params; /* own settings, or NULL */
	size_t settings_size;

	void (*init)(struct buffer *);
	void (*exit)(struct buffer *);
	/* A page enters with these sectors, by a write or because it was read; its own state is zeroed. */
	void (*inserted)(struct buffer *, uint32_t node, enum request_type, mask_t);
	/* A page that is here is written (the sectors may all be new), or some of what is read was found. */
	void (*hit)(struct buffer *, uint32_t node, enum request_type, mask_t);
	/* Optional: other sectors of the page are stored than before, written, evicted or trimmed, but not none. */
	void (*resized)(struct buffer *, uint32_t node, mask_t before);
	/* The page leaves, evicted or trimmed. */
	void (*removed)(struct buffer *, uint32_t node);
	/* Names at least one victim with buffer_choose().  NULL: this policy buffers nothing. */
	void (*evict)(struct buffer *);
	/* Optional: adds own statistics. */
	void (*statistics)(struct buffer *, struct stat_list *);
	/* Optional: aborts if an invariant of the policy broke. */
	void (*check)(const struct buffer *);
	/* The policy's state beside that of the pages, to save a run, and the bounds of both: buffer_link_regions(). */
	void (*regions)(struct buffer *, struct regions *);
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

/* Each returns the number of page-level DRAM accesses it took. */
uint32_t buffer_write(struct buffer *, struct extent);
uint32_t buffer_read(struct buffer *, struct extent);
void buffer_trim(struct buffer *, struct extent);

/* ---- for policies ---- */

static inline struct buffer_node *buffer_node(const struct buffer *b, uint32_t node)
{
	return pool_at(&b->nodes, node);
}

/* The policy's own state of a page; moves like the node when others enter. */
static inline void *buffer_own(const struct buffer *b, uint32_t node)
{
	return buffer_node(b, node) + 1;
}

/* A member of the policy's own state of each page, for lists of pages: BUFFER_FIELD(b, struct lru_page, link). */
#define BUFFER_FIELD(b, type, member)                                                                        \
	((struct array_field){                                                                               \
		(b)->nodes.object, sizeof(struct buffer_node) + offsetof(type, member), (b)->nodes.bytes })

/* Nodes that are no pages: heads of empty lists through that member, one after the other.  In init. */
#define BUFFER_HEADS(b, type, member, count) buffer_heads(b, offsetof(type, member), count)
uint32_t buffer_heads(struct buffer *, size_t offset, uint32_t count);

/* For regions: in lists through that member are all pages, and the heads from `head` on. */
#define BUFFER_LINK_REGIONS(b, r, type, member, head, heads)                                                 \
	buffer_link_regions(b, r, BUFFER_FIELD(b, type, member), head, heads)
void buffer_link_regions(
	const struct buffer *, struct regions *, struct array_field links, uint32_t head, uint32_t heads);

/* Declares that a number of the policy's own state of each page is below a bound. */
#define BUFFER_BELOW(b, r, type, member, bound)                                                              \
	regions_below(r,                                                                                     \
		(struct regions_numbers){ BUFFER_FIELD(b, type, member), sizeof((type *)0)->member },        \
		(b)->nodes.used, bound, "buffer")

/* The node of a page, NODE_NONE if nothing of it is here. */
uint32_t buffer_find(const struct buffer *, lpn_t);

static inline uint32_t buffer_sectors(const struct buffer *b, uint32_t node)
{
	return (uint32_t)__builtin_popcountll(buffer_node(b, node)->stored);
}

/*
 * In the present eviction these sectors of the page leave, WHOLE_PAGE for all.  Clean ones vanish; dirty ones of all
 * victims are flushed in one call.  A page is chosen once.
 */
void buffer_choose(struct buffer *, uint32_t node, mask_t);

/* What leaves in the present eviction shares one page of flash; needs `merges`. */
void buffer_merge(struct buffer *);

/*
 * This page, of which nothing is here, is written with the victims, in its place among them, with what it holds in
 * flash: the FTL gets an empty extent at its start.  Needs `pads`.  A page beyond the drive is left alone.
 */
void buffer_pad(struct buffer *, lpn_t);

/* Says in words why these leave; for `ssd run --explain`. */
__attribute__((format(printf, 2, 3))) void buffer_explain(struct buffer *, const char *, ...);

/* ---- */

/* Dirty sectors that have not reached the FTL. */
uint64_t buffer_dirty_sectors(const struct buffer *);

/* Adds what the buffer counts to the list. */
void buffer_statistics(struct buffer *, struct stat_list *);

/* What is in it, for saving a run in its midst. */
void buffer_regions(struct buffer *, struct regions *);

/* Aborts unless index, counts and nodes agree. */
void buffer_check(const struct buffer *);

#endif
