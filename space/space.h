/*
 * Physical space of page-granular FTLs: which block each stream of a plane is filling, and how many pages of every
 * block are live.  It hands out pages and takes them back; when to reclaim a block and which one is the
 * collector's affair (gc/), what a page holds the FTL's, which free block comes next that of blocks.h.
 *
 * A block is free, open (being filled by one stream), closed (full: a candidate for collection)
 * or retired (worn out).
 */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "base/list.h"
#include "base/prefetch.h"
#include "space/blocks.h"

/*
 * Pages of different streams never share a block.  The FTL declares its streams, an array that ends with a NULL name;
 * the first one takes the data of the host.
 */
struct stream {
	const char *name;
	uint8_t survivors; /* the stream that live pages of its blocks are copied to */
	bool map;          /* mapping pages: their copies and erases are counted apart */
};

#define STREAM_HOST  0u
#define STREAMS_MOST 8u /* with that of wear levelling, which always opens the most worn block */

enum block_state { BLOCK_FREE, BLOCK_OPEN, BLOCK_CLOSED, BLOCK_RETIRED };

/* 4 bytes: of 8 or 16 the records of planes' blocks push each other out as those of struct flash_block would.  What is
 * counted stands on top, where that is one addition. */
struct space_block {
	unsigned state : 4;  /* enum block_state; 0 = free, so untouched memory is right */
	unsigned stream : 4; /* that opened it last */
	unsigned valid : 24; /* live pages, counted from the moment they are handed out */
};

struct open_block {
	block_t block; /* BLOCK_NONE: none open */
	uint32_t next; /* next page to hand out */
};

struct space_plane {
	struct open_block open[STREAMS_MOST];
	uint32_t free_pages; /* not handed out: of free blocks and of open ones */
};

/* Told when blocks become candidates for collection and change; a GC policy's index. */
struct space_watcher {
	void *context;
	void (*closed)(void *context, block_t);  /* the block is full now */
	void (*dropped)(void *context, block_t); /* a page of a closed block died */
	void (*opened)(void *context, block_t);  /* the block is no candidate any more */
	const struct link *link;                 /* per block: what `dropped` looks at first; NULL: nothing */
};

struct space {
	const struct geometry *geometry;
	struct flash *flash;
	struct blocks *blocks;
	struct space_block *block;
	uint32_t *
		hollow; /* per block: slots of its live pages that hold no live data; NULL unless pages have slots */
	uint64_t *
		stamp; /* per block: when its last page was handed out, in pages handed out by the drive; NULL:
			    nobody asks (space_keep_ages()) */
	struct space_plane *plane;
	struct space_watcher watcher;
	struct stream stream[STREAMS_MOST];
	unsigned streams;     /* the FTL's and that of wear levelling */
	unsigned wear_stream; /* for cold data */
	uint32_t slot_shift;  /* a page has 1 << slot_shift slots: space_have_slots() */
	block_t emptied;  /* what is being emptied, BLOCK_NONE: of its pages the watcher is told nothing */
	ppn_t *live;      /* its pages that were live when that began, in order; some may have died since */
	uint32_t lives;   /* how many these are */
	uint32_t reserve; /* free blocks per plane that only the collector may open */
	uint64_t handed_out; /* pages, ever: the clock of block ages */
};

/* The blocks must outlive it. */
struct space *space_create(struct blocks *, const struct stream *, uint32_t reserve);
void space_free(struct space *);

/* Can the stream get a page without the collector?  `privileged`: the reserve may be used. */
static inline bool space_has_page(const struct space *s, plane_t p, unsigned stream, bool privileged)
{
	return s->plane[p].open[stream].block != BLOCK_NONE ||
	       blocks_left(s->blocks, p) > (privileged ? 0 : s->reserve);
}

/* From now on it is noted when blocks are full; before the first page is handed out. */
void space_keep_ages(struct space *);

/* For space_take(): the stream has no block in that plane and gets one; its block is full. */
void space_open(struct space *, plane_t, unsigned stream);
void space_close(struct space *, plane_t, unsigned stream);

/*
 * Hands out the next page of the stream in that plane, opening a block if needed; the page counts
 * as live.  Pages of a block must be programmed in the order in which they are handed out.
 * PPN_NONE if space_has_page() is false.  A block is closed with its last page, so an open block always has room.
 */
static inline ppn_t space_take(struct space *s, plane_t p, unsigned stream, bool privileged)
{
	struct open_block *open = &s->plane[p].open[stream];
	ppn_t ppn;

	if (!space_has_page(s, p, stream, privileged))
		return PPN_NONE;
	if (open->block == BLOCK_NONE)
		space_open(s, p, stream);
	ppn = geometry_first_page(s->geometry, open->block) + open->next++;
	s->block[open->block].valid++;
	s->plane[p].free_pages--;
	s->handed_out++;
	if (open->next == s->geometry->pages_per_block)
		space_close(s, p, stream);
	return ppn;
}

/* The page will be read or released soon. */
PREFETCHING void space_prefetch(const struct space *s, ppn_t ppn)
{
	block_t b = geometry_block(s->geometry, ppn);

	__builtin_prefetch(&s->block[b], 1);
	if (s->watcher.link)
		__builtin_prefetch(&s->watcher.link[b], 1);
	flash_prefetch(s->flash, ppn);
}

/* A closed block is going to be emptied: space.live, space.emptied. */
void space_begin_emptying(struct space *, block_t);
void space_end_emptying(struct space *);

/* The page is dead from now on. */
void space_release(struct space *, ppn_t);

/* A live page has been copied elsewhere: the old place is dead (flash_move took its owner). */
void space_moved_away(struct space *, ppn_t from);

/* For an FTL whose pages die in parts (slots.h) and whose collection packs what is left: a page has 1 << shift slots.
 * Before the first page is handed out. */
void space_have_slots(struct space *, uint32_t shift);

/* Of an FTL with slots: so many of those of the block's live pages hold no live data. */
void space_set_hollow(struct space *, block_t, uint32_t slots);

static inline uint32_t space_hollow(const struct space *s, block_t b)
{
	return s->hollow ? s->hollow[b] : 0;
}

/* A page of the block counts with all its slots unless some are hollow. */
static inline uint32_t space_live_slots(const struct space *s, block_t b)
{
	return (s->block[b].valid << s->slot_shift) - space_hollow(s, b);
}

/* Pages that the live data of the block will fill once collected: what collection of it costs. */
static inline uint32_t space_live(const struct space *s, block_t b)
{
	return s->block[b].valid - (space_hollow(s, b) >> s->slot_shift);
}

static inline const struct stream *space_stream(const struct space *s, block_t b)
{
	return &s->stream[s->block[b].stream];
}

/* Of all blocks.  O(blocks). */
uint64_t space_live_pages(const struct space *);

/* Erases a closed block without live pages; it becomes free, or is retired when worn out. */
void space_erase(struct space *, struct io *, block_t, enum cause);

/* Its free blocks included. */
extern const struct state_row space_state[];

/* Aborts unless counts, states and owners agree. */
void space_check(const struct space *);

#endif
