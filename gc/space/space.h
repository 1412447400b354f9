/*
 * Physical space of page-granular FTLs: the open blocks of each plane and the live pages of each block.  It
 * hands out pages and takes them back.  gc/ decides when a block is collected and which one, the FTL what a
 * page holds, blocks.h which free block is opened next.
 *
 * With a layout (layout.h) a block here is several blocks of the drive.
 *
 * A block is free, open (one stream fills it), closed (full: a candidate for victim selection), begun (chosen
 * as victim; its remaining live pages move later), cached (full, in SLC mode: it is folded, not collected) or
 * retired (worn out, or bad from the start).
 */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "base/list.h"
#include "base/prefetch.h"
#include "gc/space/blocks.h"

/*
 * Each stream has open blocks of its own: its pages never share a block with those of another.  An FTL
 * declares its streams as an array that ends with a NULL name; the first one takes the host's data.
 */
struct stream {
	const char *name;
	uint8_t survivors; /* the stream that live pages of its victims are copied to */
	bool map;          /* mapping pages: their copies and erases are counted separately */
	bool host;         /* data of the host; the first stream always */
	bool worn;         /* it opens the most worn free block */
	/* Its blocks are no candidates and its pages not counted as free: space_take_apart() takes them, so
	 * many of a block; from the pool, if there is one. */
	bool apart;
	uint32_t pages;
};

#define STREAM_HOST  0u
#define STREAMS_MOST 24u

enum block_state { BLOCK_FREE, BLOCK_OPEN, BLOCK_CLOSED, BLOCK_BEGUN, BLOCK_CACHED, BLOCK_RETIRED };

/* 4 bytes: with 8 or 16 the records of the planes' open blocks would map to the same cache sets (see struct
 * flash_block).  `valid` is in the top bits, where counting is one addition. */
struct space_block {
	unsigned state : 3;  /* enum block_state; 0 = free, so that zeroed memory is right */
	unsigned stream : 5; /* that opened it last */
	unsigned valid : 24; /* live pages; a page is live from the moment it is handed out */
};

struct open_block {
	block_t block; /* BLOCK_NONE: none open */
	uint32_t next; /* next page to hand out */
};

struct space_plane {
	struct open_block open[STREAMS_MOST];
	uint32_t free_pages; /* pages of free and open normal blocks that are not handed out */
	block_t begun;       /* BLOCK_NONE: none */
};

/* Since the statistics began. */
struct stream_statistics {
	uint64_t opened; /* blocks */
	uint64_t moved;  /* pages that collection moved out of blocks of the stream */
	uint64_t died;   /* pages of the stream that were written again or trimmed */
};

enum block_event {
	BLOCK_OPENED,
	BLOCK_FILLED,
	BLOCK_ERASED,
	BLOCK_CUT /* perhaps ended: a die has failed */
};

struct space_listener {
	void *context;
	void (*hears)(void *context, block_t, enum block_event); /* NULL: nobody listens */
};

struct gc_policy; /* gc/policy.h; this room only passes it on */

/* The victim index of a policy, kept up to date by these calls.  NULL: not of interest. */
struct space_index {
	struct gc_policy *policy;
	void (*add)(struct gc_policy *, block_t);     /* the block is closed: a candidate */
	void (*changed)(struct gc_policy *, block_t); /* a page of a candidate has died */
	void (*remove)(struct gc_policy *, block_t);  /* no candidate any more: begun or to be erased */
	const struct link *link;                      /* per block, to prefetch: what `changed` reads first */
};

struct space {
	const struct geometry *geometry; /* of the layout, if there is one */
	struct layout *layout;           /* NULL: blocks are those of the drive */
	struct flash *flash;
	struct blocks *blocks;
	struct blocks *pool; /* for streams that are `apart`; NULL: none.  Not counted as free pages */
	struct space_listener listener;
	uint32_t block_pages; /* of a block that is opened now */
	uint32_t plane_pages; /* of each plane, without the pool */
	struct space_block *block;
	uint32_t *dead_slots; /* per block: dead slots of its live pages; NULL unless pages have slots */
	uint64_t *stamp;      /* per block: `handed_out` when it was closed; NULL without space_keep_ages() */
	struct space_plane *plane;
	struct space_index index;
	struct stream stream[STREAMS_MOST];
	struct stream_statistics count[STREAMS_MOST];
	unsigned streams;    /* number: the FTL's and those of tools */
	uint32_t slot_shift; /* a page has 1 << slot_shift slots: space_use_slots() */
	uint32_t reserve;    /* free blocks per plane that only the collector may open */
	uint64_t handed_out; /* pages, ever: the clock of block ages */

	/* A victim whose live pages are being moved; its changes are not reported to `index`. */
	block_t victim;        /* BLOCK_NONE: none */
	ppn_t *victim_page;    /* its pages that were live when the move began; some may have died since */
	uint32_t victim_pages; /* number of them */
};

/* The blocks must outlive it. */
struct space *space_create(struct blocks *, struct layout *, const struct stream *, uint32_t reserve);
void space_free(struct space *);

/* The geometry of the drive itself: it counts all physical pages, that of a layout may count fewer. */
static inline const struct geometry *space_device(const struct space *s)
{
	return s->layout ? s->layout->device : s->geometry;
}

/* Page k of a block, the block of a page, and the i-th block of the drive in a block. */
static inline ppn_t space_page(const struct space *s, block_t b, uint32_t k)
{
	return s->layout ? s->layout->ops->page(s->layout, b, k) : geometry_first_page(s->geometry, b) + k;
}

static inline block_t space_block_of(const struct space *s, ppn_t ppn)
{
	return s->layout ? s->layout->ops->block_of(s->layout, ppn) : geometry_block(s->geometry, ppn);
}

static inline block_t space_part(const struct space *s, block_t b, uint32_t i)
{
	return s->layout ? s->layout->ops->part(s->layout, b, i) : b;
}

/* Blocks of the drive in a block. */
static inline uint32_t space_parts(const struct space *s)
{
	return space_device(s)->planes / s->geometry->planes;
}

/* The page's number in the order in which pages of its block are handed out, behind all pages of the blocks
 * before it. */
static inline ppn_t space_place(const struct space *s, ppn_t ppn)
{
	if (!s->layout)
		return ppn;
	return s->layout->ops->block_of(s->layout, ppn) * s->geometry->pages_per_block +
	       s->layout->ops->number(s->layout, ppn);
}

/* Does the page hold parity of others? */
static inline bool space_is_parity(const struct space *s, ppn_t ppn)
{
	return s->layout && s->layout->ops->is_parity && s->layout->ops->is_parity(s->layout, ppn);
}

/* Pages of a full block. */
static inline uint32_t space_pages(const struct space *s, block_t b)
{
	if (s->block[b].state == BLOCK_CACHED)
		return s->stream[s->block[b].stream].pages;
	return s->layout && s->layout->ops->pages ? s->layout->ops->pages(s->layout, b)
						  : s->geometry->pages_per_block;
}

/* Can the stream get a page without a collection?  `privileged`: the reserve may be used. */
static inline bool space_has_page(const struct space *s, plane_t p, unsigned stream, bool privileged)
{
	return s->plane[p].open[stream].block != BLOCK_NONE ||
	       blocks_left(s->blocks, p) > (privileged ? 0 : s->reserve);
}

/* From now on `stamp` is kept.  To be called before the first page is handed out. */
void space_keep_ages(struct space *);

/* Hands out the next page of the open block of a stream that is `apart`.  With its last page the block
 * becomes cached. */
ppn_t space_take_apart(struct space *, plane_t, unsigned stream);

/* For space_take(): opens a block for the stream, which has none in that plane; closes its open block. */
void space_open(struct space *, plane_t, unsigned stream);
void space_close(struct space *, plane_t, unsigned stream);

/* For space_take(): tells a layout that a page of the open block was handed out. */
static inline void space_handed_out(struct space *s, struct io *io, const struct open_block *open)
{
	if (s->layout && s->layout->ops->handed_out)
		s->layout->ops->handed_out(s->layout, io, open->block, open->next);
}

/*
 * Hands out the next page of the stream in that plane, opening a block if needed; the page counts as live.
 * Pages of a block must be programmed in the order in which they are handed out.  PPN_NONE if
 * space_has_page() is false. A block is closed with its last page, so an open block always has room.  With
 * the last data page of a stripe its parity is programmed.
 */
static inline ppn_t space_take(struct space *s, struct io *io, plane_t p, unsigned stream, bool privileged)
{
	struct open_block *open = &s->plane[p].open[stream];
	ppn_t ppn;

	if (!space_has_page(s, p, stream, privileged))
		return PPN_NONE;
	if (open->block == BLOCK_NONE)
		space_open(s, p, stream);
	ppn = space_page(s, open->block, open->next++);
	s->block[open->block].valid++;
	s->plane[p].free_pages--;
	s->handed_out++;
	space_handed_out(s, io, open);
	if (open->next == s->block_pages)
		space_close(s, p, stream);
	return ppn;
}

/* Pads the stream's open block, if it has one: programs up to `pages` of its next pages, which are dead at
 * once and not handed out. */
void space_pad(struct space *, struct io *, plane_t, unsigned stream, uint32_t pages);

/* Blocks opened from now on have another number of pages: that of the layout. */
void space_resize(struct space *);

/* For a page that will be read or released soon. */
static inline void space_prefetch(const struct space *s, ppn_t ppn)
{
	block_t b = space_block_of(s, ppn);

	prefetch(&s->block[b]);
	if (s->index.link)
		prefetch(&s->index.link[b]);
	flash_prefetch(s->flash, ppn);
}

/* Live pages of the block are going to be moved: sets `victim`, `victim_page` and `victim_pages`.  At the end
 * a closed block that was not erased is begun: it is no candidate any more. */
void space_begin_victim(struct space *, block_t);
void space_end_victim(struct space *);

/* Sorts `victim_page` by the owners of the pages.  `order`: scratch with room for the pages of a block. */
void space_sort_victim(struct space *, uint64_t *order);

/* A closed block is going to be moved later: begun from now on. */
void space_mark_begun(struct space *, block_t);

/* The page is dead from now on. */
void space_release(struct space *, ppn_t);

/* The page was copied and is dead: flash_move() has removed its owner already. */
void space_moved_away(struct space *, ppn_t from);

/* For an FTL whose pages die in parts (slots.h) and whose collection packs live slots: a page has 1 << shift
 * slots. To be called before the first page is handed out. */
void space_use_slots(struct space *, uint32_t shift);

/* Number of slots without live data in the block's live pages. */
void space_set_dead_slots(struct space *, block_t, uint32_t slots);

static inline uint32_t space_dead_slots(const struct space *s, block_t b)
{
	return s->dead_slots ? s->dead_slots[b] : 0;
}

static inline uint32_t space_live_slots(const struct space *s, block_t b)
{
	return (s->block[b].valid << s->slot_shift) - space_dead_slots(s, b);
}

/* Pages that the live data of the block fills once its live slots are packed: the cost of its collection. */
static inline uint32_t space_live(const struct space *s, block_t b)
{
	return s->block[b].valid - (s->dead_slots ? s->dead_slots[b] >> s->slot_shift : 0);
}

static inline void space_tell(const struct space *s, block_t b, enum block_event event)
{
	if (s->listener.hears)
		s->listener.hears(s->listener.context, b, event);
}

static inline const struct stream *space_stream(const struct space *s, block_t b)
{
	return &s->stream[s->block[b].stream];
}

/* Of all blocks.  O(blocks). */
uint64_t space_live_pages(const struct space *);

/* Erases a closed or begun block without live pages; it becomes free, or is retired when worn out. */
void space_erase(struct space *, struct io *, block_t, enum cause);

/* Includes the free blocks. */
extern const struct state_row space_state[];

/* Aborts unless counts, states and owners agree. */
void space_check(const struct space *);

#endif
