/*
 * The write buffer in front of the FTL: recently written data in DRAM.
 *
 * The core (buffer.c) owns the data and the loop: it finds, merges, counts, and while there is
 * no room it asks the policy which pages leave and hands their dirty extents over to be flushed together.
 * A policy owns that one decision and the lists it needs for it.  This room knows logical pages and extents;
 * it knows nothing of FTLs or flash: what it flushes or misses goes to a sink.
 */
#ifndef BUFFER_BUFFER_H
#define BUFFER_BUFFER_H

#include "base/param.h"
#include "stats/table.h"
#include "types.h"
#include "verify/oracle.h"

#define NODE_NONE UINT32_MAX

/* One logical page of which some sectors are in the buffer. */
struct buffer_node {
	lpn_t lpn;
	uint32_t chain;          /* the core's index */
	uint32_t previous, next; /* the policy's list */
	mask_t stored;           /* sectors present */
	mask_t dirty;            /* of these, newer than what the FTL has */
	uint64_t tag;            /* the policy's, zero at first */
};

/* Where data goes that leaves the buffer and comes from what is not in it. */
struct buffer_sink {
	void *context;
	void (*write)(void *context, const struct extent *, size_t n); /* ascending; flushed together */
	void (*read)(void *context, const struct extent *, size_t n);  /* ascending; one request's */
};

struct buffer_statistics {
	uint64_t hit_sectors[2], miss_sectors[2]; /* [REQUEST_READ], [REQUEST_WRITE] */
	uint64_t evictions, flushed_sectors;      /* nodes that left, and what they took along */
};

struct buffer {
	const struct buffer_ops *ops;
	void *state; /* ops->size bytes, zeroed before init */
	const void *settings;
	struct oracle *oracle;
	struct buffer_sink sink;
	uint32_t sectors_per_page, sector_shift;

	struct buffer_node *node;
	uint32_t nodes, free_node;
	uint32_t *index; /* hash of LPN to node */
	uint32_t index_mask;
	uint64_t capacity, used; /* sectors */

	uint32_t *victim; /* chosen by the policy, in this eviction */
	uint32_t victims, victim_room;
	struct extent *extent; /* what they flush */
	size_t extents, extent_room;
	struct buffer_statistics statistics;
};

struct buffer_ops {
	const char *name, *brief;
	size_t size;                /* of the private state */
	const struct param *params; /* own settings, or NULL */
	size_t settings_size;

	void (*init)(struct buffer *);
	void (*exit)(struct buffer *);
	/* A page enters by a write; is written or read again; leaves, evicted or trimmed. */
	void (*inserted)(struct buffer *, uint32_t node);
	void (*hit)(struct buffer *, uint32_t node, enum request_type);
	void (*removed)(struct buffer *, uint32_t node);
	/* Names at least one victim with buffer_choose().  NULL: this policy buffers nothing. */
	void (*evict)(struct buffer *);
};

/* NULL-ended, in order of buffer/list.h. */
extern const struct buffer_ops *const buffers[];

/* `bytes` is rounded down to sectors but holds at least one page. */
struct buffer *buffer_create(const struct buffer_ops *, const void *settings, uint64_t bytes,
	uint32_t sectors_per_page, struct buffer_sink, struct oracle *);
void buffer_free(struct buffer *);

/* Each returns the number of page-level DRAM accesses it took. */
uint32_t buffer_write(struct buffer *, struct extent);
uint32_t buffer_read(struct buffer *, struct extent);
void buffer_trim(struct buffer *, struct extent);

/* For policies: this node leaves in the present eviction. */
void buffer_choose(struct buffer *, uint32_t node);

/* Dirty sectors that have not reached the FTL. */
uint64_t buffer_dirty_sectors(const struct buffer *);

/* Adds what the buffer counts to the list. */
void buffer_statistics(struct buffer *, struct stat_list *);

/* Aborts unless index, counts and nodes agree. */
void buffer_check(const struct buffer *);

#endif
