/*
 * Physical space: which blocks are free, which block each stream of a plane is filling, and
 * how many pages of every block are live.  It hands out pages and takes them back; when to
 * reclaim a block and which one is the collector's affair (gc/), what a page holds the FTL's.
 *
 * A block is free, open (being filled by one stream), closed (full: a candidate for collection)
 * or retired (worn out).  Free blocks that were never used cost no memory: they are a counter.
 */
#ifndef PAGEMAP_SPACE_H
#define PAGEMAP_SPACE_H

#include "base/prefetch.h"
#include "flash/flash.h"

/* Pages of different streams never share a block. */
enum stream { STREAM_HOST, STREAM_GC, STREAM_MAP, STREAM_WEAR, STREAMS };

enum block_state { BLOCK_FREE, BLOCK_OPEN, BLOCK_CLOSED, BLOCK_RETIRED };

/* Which free block is opened next; STREAM_WEAR always opens the most worn one. */
enum free_order { FREE_LEAST_WORN, FREE_OLDEST };

struct space_block {
	uint32_t valid; /* live pages, counted from the moment they are handed out */
	uint32_t state; /* enum block_state; 0 = free, so untouched memory is right */
	uint32_t slack; /* live pages fewer that its data would fill if packed: space_set_slack() */
	uint64_t stamp; /* when its last page was handed out, in pages handed out by the drive */
};

struct open_block {
	block_t block; /* BLOCK_NONE: none open */
	uint32_t next; /* next page to hand out */
};

struct space_plane {
	struct open_block open[STREAMS];
	uint32_t fresh;      /* blocks of the plane never used: the last `fresh` ones */
	uint32_t recycled;   /* length of the heap of free blocks that were used before */
	uint32_t free_pages; /* not handed out: of free blocks and of open ones */
	uint32_t retired;
	uint64_t erases; /* of this run, for wear levelling */
};

/* Told when blocks become candidates for collection and change; a GC policy's index. */
struct space_watcher {
	void *context;
	void (*closed)(void *context, block_t);  /* the block is full now */
	void (*dropped)(void *context, block_t); /* a page of a closed block died */
	void (*opened)(void *context, block_t);  /* the block is no candidate any more */
};

struct space {
	const struct geometry *geometry;
	struct flash *flash;
	struct space_block *block;
	struct space_plane *plane;
	struct space_watcher watcher;
	uint32_t *heap;     /* per plane a heap of free blocks (by index in the plane) */
	uint32_t *heap_key; /* per block: erases, or order of becoming free */
	enum free_order order;
	uint32_t reserve;    /* free blocks per plane that only the collector may open */
	uint64_t handed_out; /* pages, ever: the clock of block ages */
	uint32_t freed;      /* blocks, ever: order of becoming free */
	uint64_t retired;
};

struct space *space_create(struct flash *, enum free_order, uint32_t reserve);
void space_free(struct space *);

static inline uint32_t space_free_blocks(const struct space *s, plane_t plane)
{
	return s->plane[plane].fresh + s->plane[plane].recycled;
}

/* Can the stream get a page without the collector?  `privileged`: the reserve may be used. */
bool space_has_page(const struct space *, plane_t, enum stream, bool privileged);

/*
 * Hands out the next page of the stream in that plane, opening a block if needed; the page counts
 * as live.  Pages of a block must be programmed in the order in which they are handed out.
 * PPN_NONE if space_has_page() is false.
 */
ppn_t space_take(struct space *, plane_t, enum stream, bool privileged);

/* The page will be read or released soon. */
PREFETCHING void space_prefetch(const struct space *s, ppn_t ppn)
{
	__builtin_prefetch(&s->block[geometry_block(s->geometry, ppn)], 1);
	flash_prefetch(s->flash, ppn);
}

/* The page is dead from now on. */
void space_release(struct space *, ppn_t);

/* A live page has been copied elsewhere: the old place is dead (flash_copy took its owner). */
void space_moved_away(struct space *, ppn_t from);

/*
 * For an FTL whose pages die in parts and whose collection packs what is left: how many pages fewer
 * than are live the data of the block would fill.
 */
void space_set_slack(struct space *, block_t, uint32_t pages);

/* Pages that the live data of the block will fill once collected: what collection of it costs. */
static inline uint32_t space_live(const struct space *s, block_t b)
{
	return s->block[b].valid - s->block[b].slack;
}

/* Erases a closed block without live pages; it becomes free, or is retired when worn out. */
void space_erase(struct space *, struct io *, block_t, enum cause);

/* Its state, for saving and loading a drive. */
void space_regions(struct space *, struct regions *);

/* Aborts unless counts, states and owners agree. */
void space_check(const struct space *);

#endif
