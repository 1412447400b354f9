/*
 * Log-block FTLs, internals shared by the files of this folder. No other file includes it.
 *
 * The pages of a logical block are in its data block, each at its own offset, so the only mapping is a table
 * of blocks.  Pages that cannot be written there go to log blocks, whose pages are mapped one by one; merges
 * combine logs with data blocks.  The FTLs differ in which logical blocks share a log and when it is merged:
 *
 *	block       no logs: to overwrite a page, its block is rewritten
 *	inorder     one for each of N logical blocks, written in ascending order
 *	bast        one for each of N logical blocks, written in any order (Kim et al. 2002)
 *	fast        one for a block written from offset 0, the others shared by all (Lee et al. 2007)
 *	last        several for blocks written from offset 0, shared ones for hot and cold pages (Lee 2008)
 *	superblock  pages anywhere in the blocks of n adjacent logical blocks (Kang et al. 2006)
 *
 * Every plane works like a drive of its own, with its own logical blocks and logs.  Addresses are striped
 * over the planes, a few pages on each in turn, so that long requests use all planes.
 *
 * Merges are in the foreground: a request waits for the copies and erases of the merges that it causes.
 */
#ifndef FTL_LOG_LOG_H
#define FTL_LOG_LOG_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/memory.h"
#include "ftl/ftl.h"
#include "ftl/pages.h"
#include "gc/space/blocks.h"

#define LBN_NONE UINT32_MAX

/* Settings shared by several FTLs: the first member of an FTL's own settings, or all of them. */
struct log_settings {
	uint64_t logs, stripe, gap_ns;
};

#define LOG_PARAM(type, field) PARAM(type, struct log_settings, field)

#define LOG_PARAM_LOGS                                                                                       \
	{                                                                                                    \
		LOG_PARAM(UINT, logs), 0, 1e6, "blocks", "0",                                                \
			"log blocks of each plane; 0 = 3 % of its blocks, at least two"                      \
	}
#define LOG_PARAM_STRIPE                                                                                     \
	{                                                                                                    \
		LOG_PARAM(UINT, stripe), 1, 65536, "pages", "1",                                             \
			"pages of ascending address in one plane before the next plane's turn; divides "     \
			"flash.pages"                                                                        \
	}
#define LOG_PARAM_GAP                                                                                        \
	{                                                                                                    \
		LOG_PARAM(UINT, gap_ns), 0, 1e9, "ns", "0",                                                  \
			"additional time of a write that does not begin where the previous one ended"        \
	}

struct log_statistics {
	uint64_t switches, partial, full;                          /* merges */
	uint64_t full_copies, partial_copies, gap_copies, dummies; /* pages */
	uint64_t victims, victim_lbns; /* shared logs emptied, logical blocks merged for them */
	uint64_t dead;                 /* shared logs erased without a merge */
	uint64_t pages, room;          /* used pages and size of logs when they were merged */
};

/* A log: of one logical block, or shared. */
struct log_block {
	block_t block; /* BLOCK_NONE: none, it is free */
	uint32_t lbn;  /* LBN_NONE: shared */
	struct link link;
	uint32_t opened;  /* of a shared log: number in the order of opening */
	uint64_t touched; /* number of the last event: a write to it, or one of its pages invalidated */
	bool ordered;     /* of one logical block: it holds pages 0, 1, ... in their places, all valid */
	bool hot;         /* LAST: a shared log for hot pages */
};

/* Mapping entry: a page of a shared log, or one that is not at its offset in its logical block's log. */
struct log_page {
	uint32_t lpn, link;
};

struct log_ftl {
	struct ftl *ftl;
	const struct geometry *geometry;
	struct blocks *blocks;
	struct placement placement; /* the striping order */
	uint32_t stripe, group_pages, lbns;
	struct divisor per_stripe, per_planes, per_group;

	block_t *data;     /* per logical block: its data block, or BLOCK_NONE */
	uint32_t *own;     /* per logical block: number of its log, or INDEX_NONE */
	uint64_t *present; /* bit per LPN: it holds data */
	/* bit per sector: no data, in a page that has some; only partial pages touch its memory */
	uint64_t *lacks;
	uint32_t *live; /* per block: its live pages */
	uint64_t live_pages;
	/*
	 * For an FTL in which pages may be anywhere, else NULL. find: the page of an LPN with data, PPN_NONE
	 * if the map is broken. moved: the LPN is now in another page. look_up: returns the read of the map
	 * that operations on the LPN depend on, or OP_NONE.
	 */
	ppn_t (*find)(const struct log_ftl *, lpn_t);
	void (*moved)(struct log_ftl *, lpn_t, ppn_t);
	op_t (*look_up)(struct log_ftl *, struct io *, lpn_t);

	/* Writes the host's part of a page.  False: the FTL has failed. */
	bool (*write_page)(struct ftl *, struct io *, struct page_part);

	/*
	 * Logs of each plane: first `owned` ones of one logical block each, then `shared` ones.  The owned
	 * ones are in rings, free ones first, then by their last write, the least recent first.
	 */
	struct log_block *log;
	uint32_t owned, shared; /* of a plane */
	uint32_t logs;          /* of all planes */
	struct log_page *page;  /* for each log, one entry per page of a block */
	struct hash index;      /* by LPN: the entry of the page that holds its newest data */
	uint32_t opened;
	uint64_t events;

	uint64_t gap_ns;
	sector_t expected; /* start of a write that continues the previous one */
	struct log_statistics count, uncounted;
};

/* A logical block and a page's place in it. */
struct log_place {
	uint32_t lbn, offset;
};

/* ---- log.c: pages ---- */

/* `owned` and `shared` logs in each plane.  False and a fault if the drive is too small for them. */
bool log_init(struct log_ftl *, struct ftl *, uint32_t owned, uint32_t shared, struct fault *);
void log_exit(struct log_ftl *);

/* Number of logs of a plane according to the settings. */
uint32_t log_count_of(const struct ftl *, const struct log_settings *);

static inline struct log_place log_place(const struct log_ftl *l, lpn_t lpn)
{
	uint32_t group = divide(lpn, l->per_group), page = lpn - group * l->group_pages;
	uint32_t unit = divide(page, l->per_stripe), row = divide(unit, l->per_planes);

	return (struct log_place){ .lbn = (group - row) * l->geometry->planes + unit,
		.offset = (row - unit) * l->stripe + page };
}

/* The result may be beyond the last logical page. */
static inline lpn_t log_lpn(const struct log_ftl *l, struct log_place p)
{
	uint32_t group = divide(p.lbn, l->per_planes), row = divide(p.offset, l->per_stripe);
	uint32_t unit = row * l->geometry->planes + p.lbn - group * l->geometry->planes;

	return group * l->group_pages + unit * l->stripe + p.offset - row * l->stripe;
}

/* Position of the logical block's plane in the striping order, and the plane. */
static inline uint32_t log_position(const struct log_ftl *l, uint32_t lbn)
{
	return lbn - divide(lbn, l->per_planes) * l->geometry->planes;
}

static inline plane_t log_plane(const struct log_ftl *l, uint32_t lbn)
{
	return l->placement.plane[log_position(l, lbn)];
}

/* Sectors of the page that hold data. */
static inline mask_t log_sectors(const struct log_ftl *l, lpn_t lpn)
{
	sector_t first = geometry_page_start(l->geometry, lpn);

	if (!bits_get(l->present, lpn))
		return 0;
	return ~(l->lacks[first / BITS_WORD] >> first % BITS_WORD) & l->geometry->full_page;
}

/* An empty part is padding: the page's data is to be written again.  True if there is no data to write. */
static inline bool log_pads_nothing(const struct log_ftl *l, struct page_part part)
{
	return !part.mask && !log_sectors(l, part.lpn);
}

/* End of an extent; an empty one is padding and stands for its whole page. */
static inline sector_t log_end(const struct log_ftl *l, struct extent e)
{
	return e.end > e.start ? e.end : e.end + l->geometry->sectors_per_page;
}

static inline struct log_statistics *log_counts(struct log_ftl *l, const struct io *io)
{
	return io->timed ? &l->count : &l->uncounted;
}

/* The flash page with the newest data of the LPN; PPN_NONE if it has none. */
ppn_t log_find(const struct log_ftl *, lpn_t);

/*
 * Programs the host's part of a page, which may be empty, at `to`, together with the kept sectors of the old
 * page. `log`: number of the log that contains `to`; INDEX_NONE: no log does.
 */
void log_program(struct log_ftl *, struct io *, struct page_part, ppn_t to, uint32_t log);

/* Copies a live page to its offset in another block or, if the FTL has a page map, to any page. */
void log_copy(struct log_ftl *, struct io *, ppn_t from, ppn_t to);

/* Takes a free block of the logical block's plane.  BLOCK_NONE: there is none, and the FTL has failed. */
block_t log_take(struct log_ftl *, uint32_t lbn);

/* Operations of FTLs whose state begins with a struct log_ftl. */
void log_read(struct ftl *, struct io *, const struct extent *, size_t n);
void log_write(struct ftl *, struct io *, const struct extent *, size_t n);
void log_trim(struct ftl *, struct io *, struct extent);
void log_free(struct ftl *);
void log_check(const struct ftl *);

/* For checks: claims the block, unless it is BLOCK_NONE.  Aborts if it is not in the plane, not in use or
 * already claimed. */
void log_claim(const struct log_ftl *, uint64_t *claimed, block_t, plane_t);

extern const struct state_row log_state[]; /* state of a struct log_ftl */
void log_facts(const struct ftl *, struct ftl_facts *);
extern const struct ftl_words log_words;
void log_add_statistics(struct ftl *, struct stat_list *);

/* The operations of an FTL without further state of its own. */
#define LOG_OPERATIONS                                                                                       \
	.map_in_dram = true, .read = log_read, .trim = log_trim, .check = log_check, .state = log_state,     \
	.facts = log_facts, .statistics = log_add_statistics, .words = &log_words

/* ---- merge.c: logs and merges; false: no free block, the FTL has failed, all data is still in place ---- */

/*
 * Copies the logical block's missing pages to `into`, which becomes the data block; the old one is erased.
 * `into` is a log with the first pages in their places (a switch if it has all, else a partial merge), or
 * BLOCK_NONE for a free block (a full merge).  The host's parts, ascending and all above the pages that
 * `into` has, are programmed in their places instead of being copied.
 */
bool log_merge(
	struct log_ftl *, struct io *, uint32_t lbn, block_t into, const struct page_part *, size_t parts);

/* Offset of the next page that can be written in the block. */
static inline uint32_t log_next(const struct log_ftl *l, block_t block)
{
	return block == BLOCK_NONE ? 0 : flash_next_page(l->ftl->flash, block);
}

bool log_write_data(struct log_ftl *, struct io *, struct page_part);

/* The log of one logical block, or NULL. */
static inline struct log_block *log_of(const struct log_ftl *l, uint32_t lbn)
{
	return l->own[lbn] == INDEX_NONE ? NULL : &l->log[l->own[lbn]];
}

/* Opens a log for the logical block, which has none; if all are in use, the least recently written one is
 * merged. */
struct log_block *log_open(struct log_ftl *, struct io *, uint32_t lbn);

/* Programs the next page of the log; a log that is then full and in order becomes the data block at once. */
bool log_append(struct log_ftl *, struct io *, struct log_block *, uint32_t page, struct page_part);

/* Merges a log of one logical block: partial or switch if it is in order, else full.  The host's part, if
 * there is one, goes to its place in the merged block. */
bool log_close(struct log_ftl *, struct io *, struct log_block *, const struct page_part *);

/* Copies the logical block's pages with data to their places in a block, from its next page to `end`.
 * Returns their number. */
uint32_t log_copy_until(struct log_ftl *, struct io *, uint32_t lbn, block_t into, uint32_t end);

/* ---- shared.c: logs that all logical blocks of a plane share ---- */

/* Chooses the full shared log of a plane to empty when all are in use.  `own`: the caller's current log,
 * which is full, or INDEX_NONE. */
typedef uint32_t log_chooser(struct log_ftl *, struct io *, uint32_t position, uint32_t own);

/* Appends a page to the shared log `*current` of its plane; if that is full, *current becomes a new one. */
bool log_append_shared(struct log_ftl *, struct io *, uint32_t *current, struct page_part, log_chooser *);

/* Aborts unless every shared log in use is full, except the `kinds` current ones of each plane. */
void log_check_shared(const struct log_ftl *, const uint32_t *current, uint32_t kinds);

/* The next full shared log of a plane after the given one; the first one after INDEX_NONE.  INDEX_NONE if
 * there is none. */
uint32_t log_next_shared(const struct log_ftl *, uint32_t position, uint32_t);

#endif
