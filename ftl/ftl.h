/*
 * The flash translation layer: extents in, flash operations out, no clock.
 *
 * An FTL looks up and changes its mappings at once and hands the medium operations with what each
 * must wait for (flash/flash.h).  It never learns when they happen.
 *
 * Adding one: copy ftl/skeleton.c, rename, add one line to ftl/list.h, `make check`.
 *
 * Three rules every FTL lives by:
 *   1. ftl_allocate() may collect, and so move any page: look a mapping up *after* it.
 *   2. Pages of a stream are programmed in the order in which they were allocated.
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
#include "pagemap/placement.h"
#include "pagemap/space.h"
#include "stats/report.h"

/* What the core gives every FTL. */
struct ftl {
	const struct ftl_ops *ops;
	void *state;          /* ops->size bytes, zeroed before init */
	const void *settings; /* filled from the parameter group named like the FTL */
	const struct geometry *geometry;
	struct flash *flash;
	struct space *space;
	struct collector *collector;
	struct placement placement;
	const struct map_settings *map_settings; /* for FTLs whose table is in flash: pagemap/map_cache.h */
	struct map_statistics map;               /* how the mapping was used; reported as map.* */
	bool failed; /* no page could be allocated: the modelled drive is at its end */
};

struct ftl_ops {
	const char *name, *brief;
	size_t size;                /* of the private state */
	const struct param *params; /* own settings, or NULL */
	size_t settings_size;
	/*
	 * Free blocks of a plane kept for the collector; 0 = 1.  More for FTLs that write mapping pages while
	 * they are collected.
	 */
	uint32_t reserved_blocks;

	/* False: refuses the drive, the fault says why.  `exit` frees what `init` took. */
	bool (*init)(struct ftl *, struct fault *);
	void (*exit)(struct ftl *);

	/* Extents are ascending and disjoint; several: flushed together, or read around buffered sectors. */
	void (*read)(struct ftl *, struct io *, const struct extent *, size_t n);
	void (*write)(struct ftl *, struct io *, const struct extent *, size_t n);
	void (*trim)(struct ftl *, struct io *, struct extent);

	/* The collector moved a live page. */
	void (*relocate)(struct ftl *, struct io *, owner_t, ppn_t from, ppn_t to);
	/* Optional, instead of `relocate`: an own way to move live data, and its way out (gc/collect.h). */
	void (*empty)(struct ftl *, struct io *, block_t victim, enum stream, enum cause);
	block_t (*last_resort)(struct ftl *, plane_t);

	/*
	 * Optional hints that change nothing: this page is looked up soon, its entry should be fetched; it is
	 * used next, what its entry points to should be fetched.
	 */
	void (*expect)(const struct ftl *, lpn_t);
	void (*expect_next)(const struct ftl *, lpn_t);
	/* Aborts if an invariant broke. */
	void (*check)(const struct ftl *);
	/* Its state, for saving and loading a drive. */
	void (*regions)(struct ftl *, struct regions *);
	/* Size of the mapping a real controller would keep. */
	uint64_t (*map_bytes)(const struct ftl *);
	/* Optional: says in words what the owner of a page is, where that is not "LPN owner". */
	void (*name_owner)(const struct ftl *, owner_t, char *text, size_t bytes);
	/* Optional: own statistics. */
	void (*report)(const struct ftl *, struct report *);

	/* Optional, for buffers that ask for it: these extents go into one page together. */
	void (*write_merged)(struct ftl *, struct io *, const struct extent *, size_t n);
	/* Optional, likewise: what the one page of this extent holds is read and programmed again, CAUSE_PAD. */
	void (*pad)(struct ftl *, struct io *, const struct extent *page, size_t one);
};

/* NULL-ended, in order of ftl/list.h. */
extern const struct ftl_ops *const ftls[];

/* What an FTL is built on besides the medium. */
struct ftl_settings {
	struct placement_settings placement;
	struct gc_settings gc;
	struct wear_settings wear;
	struct map_settings map;
};

/* NULL and a fault if the drive and the FTL do not go together. */
struct ftl *ftl_create(const struct ftl_ops *, const void *own_settings, const struct ftl_settings *,
	struct flash *, struct fault *);
void ftl_free(struct ftl *);

/*
 * The place for one page of the stream, collecting first where the chosen plane is low.
 * `lpn` matters to static placement only.  PPN_NONE: the drive is full or worn out; the FTL is
 * marked failed, gives up the request and keeps its mappings as they are.
 */
ppn_t ftl_allocate(struct ftl *, struct io *, lpn_t, enum stream);

/* State of the FTL and everything below it, for saving and loading a drive. */
void ftl_regions(struct ftl *, struct regions *);

/* Aborts if an invariant of the FTL, the block manager or the medium broke.  O(pages). */
void ftl_check(const struct ftl *);

/* One page-level translation: counts it and charges one DRAM access time to the request. */
static inline void ftl_count_lookup(struct ftl *f, struct io *io)
{
	io->accesses++;
	f->map.lookups++;
	f->map.hits++;
	f->map.accesses++;
}

#endif
