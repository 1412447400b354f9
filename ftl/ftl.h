/*
 * The flash translation layer: extents in, flash operations out, no clock.
 *
 * An FTL looks up and changes its mappings at once and hands the medium operations with what each must wait
 * for (flash/flash.h).  It never learns when they happen.
 *
 * Adding one: copy ftl/skeleton.c, rename, add one line to ftl/list.h, `make check`.
 *
 * Three rules every FTL lives by:
 *   1. Taking a page may collect, and so move any page: look a mapping up *after* it.
 *   2. Pages of a block are programmed in ascending order (of a stream: in the order in which they were taken).
 *   3. Say what a programmed page holds and what a read is answered from (pages_hold_...,
 *      pages_answer): with --verify the oracle compares every sector.
 */
#ifndef FTL_FTL_H
#define FTL_FTL_H

#include "base/fault.h"
#include "base/param.h"
#include "flash/flash.h"
#include "gc/collect.h"
#include "pagemap/map_cache.h"
#include "space/placement.h"
#include "stats/table.h"

#include <stdio.h>

/* The toolbox's settings, for FTLs that use it: ftl/store.h, pagemap/map_cache.h. */
struct ftl_settings {
	struct placement_settings placement;
	struct gc_settings gc;
	struct wear_settings wear;
	struct map_settings map;
};

/* What the core gives every FTL. */
struct ftl {
	const struct ftl_ops *ops;
	void *state;          /* ops->size bytes, zeroed before init */
	const void *settings; /* filled from the parameter group named like the FTL */
	const struct ftl_settings *core;
	const struct geometry *geometry;
	struct flash *flash;
	struct store *store;             /* what it is built on, if it has made one (store.h) */
	struct map_statistics map;       /* how the mapping was used; reported as map.* */
	struct map_statistics uncounted; /* where counts of work outside time go */
	bool failed;                     /* no page could be taken: the modelled drive is at its end */
};

/* What others may ask of any FTL. */
struct ftl_facts {
	uint64_t live_pages;     /* physical pages that hold live data or mappings */
	uint64_t free_blocks;    /* erased and at hand */
	uint64_t retired_blocks; /* worn out */
	uint64_t map_bytes;      /* size of the mapping a real controller would keep */
};

/* Names for pictures and explanations.  Each is optional. */
struct ftl_words {
	/* What the owner of a page is, where that is not "LPN owner". */
	void (*name_owner)(const struct ftl *, owner_t, char *text, size_t bytes);
	/* Where the mapping says that the sectors of a logical page are. */
	void (*print_entry)(const struct ftl *, lpn_t, FILE *);
};

/* Speed, and nothing else: a drive computes the same without them.  Each is optional. */
struct ftl_hints {
	/* This page is looked up soon, its entry should be fetched; it is looked up next, so should what the
	 * entry points to. */
	void (*expect)(const struct ftl *, lpn_t);
	void (*expect_next)(const struct ftl *, lpn_t);
};

struct ftl_ops {
	const char *name, *brief;
	size_t size;                   /* of the private state */
	const struct state_row *state; /* rows of the private state (base/state.h) */

	/* False: refuses the drive, the fault says why, nothing is kept.  `exit` frees what `init` took. */
	bool (*init)(struct ftl *, struct fault *);
	void (*exit)(struct ftl *);

	/* Extents are ascending and disjoint; several: flushed together, or read around buffered sectors. */
	void (*read)(struct ftl *, struct io *, const struct extent *, size_t n);
	void (*write)(struct ftl *, struct io *, const struct extent *, size_t n);
	void (*trim)(struct ftl *, struct io *, struct extent);

	/* Aborts if an invariant broke. */
	void (*check)(const struct ftl *);
	void (*facts)(const struct ftl *, struct ftl_facts *);

	/* ---- the rest is optional ---- */

	const struct param *params; /* own settings, of so many bytes */
	size_t settings_size;
	bool map_in_dram; /* always and whole: the settings map.* are without effect */

	/* Adds its statistics, and those of what it is built on, to the list. */
	void (*statistics)(struct ftl *, struct stat_list *);
	/* A reason to doubt the results, as part of a sentence.  False: none. */
	bool (*doubt)(const struct ftl *, char *text, size_t bytes);
	/* Outside time: programs the mapping pages of what was written that flash does not have.  After each
	 * write of preconditioning; of a fill, once after all its data. */
	void (*place_map)(struct ftl *, struct io *);

	/* For buffers that ask for it: these extents go into one page together. */
	void (*write_merged)(struct ftl *, struct io *, const struct extent *, size_t n);
	/* For buffers that ask for it: an empty extent at the start of a page may be among those it is given
	 * to write; what the page holds, if anything, is read and programmed again, CAUSE_PAD. */
	bool pads;

	const struct ftl_words *words;
	const struct ftl_hints *hints;
};

/* NULL-ended, in order of ftl/list.h. */
extern const struct ftl_ops *const ftls[];
extern const char *const ftl_names[];

/* Its tables, or empty ones. */
const struct ftl_words *ftl_words(const struct ftl *);
const struct ftl_hints *ftl_hints(const struct ftl *);

/* NULL and a fault if the drive and the FTL do not go together. */
struct ftl *ftl_create(const struct ftl_ops *, const void *own_settings, const struct ftl_settings *,
	struct flash *, struct fault *);
void ftl_free(struct ftl *);

/* State of the FTL and everything below it, for saving and loading a drive. */
void ftl_regions(struct ftl *, struct regions *);

/* Aborts if an invariant of the FTL, of what it is built on or of the medium broke.  O(pages). */
void ftl_check(const struct ftl *);

/* Where a request's use of the mapping is counted. */
static inline struct map_statistics *ftl_map_count(struct ftl *f, const struct io *io)
{
	return io->timed ? &f->map : &f->uncounted;
}

/* One page-level translation: counts it and charges one DRAM access time to the request. */
static inline void ftl_count_lookup(struct ftl *f, struct io *io)
{
	struct map_statistics *map = ftl_map_count(f, io);

	io->accesses++;
	map->lookups++;
	map->hits++;
	map->accesses++;
}

/* A page of a read request holds no data: it is answered with zeros and costs a look-up only. */
static inline void ftl_count_unmapped(struct ftl *f, const struct io *io)
{
	ftl_map_count(f, io)->unmapped_reads++;
}

/* What every FTL has: how its mapping was used.  Then its own. */
void ftl_statistics(struct ftl *, struct stat_list *);

#endif
