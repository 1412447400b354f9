/*
 * The flash translation layer: extents in, flash operations out, no clock.
 *
 * An FTL looks up and changes its mapping at once, and hands the medium operations with their dependencies
 * (flash/flash.h).  It never learns when they happen.
 *
 * To add one: copy ftl/skeleton.c, rename, add one line to ftl/list.h, `make check`.
 *
 * Three rules:
 *   1. Taking a page may start a collection, which moves pages: look a mapping up *after* it.
 *   2. Pages of a block are programmed in ascending order, those of a stream in the order in which they were
 *      taken.
 *   3. Declare what a programmed page holds and which page answers a read (pages_hold_..., pages_answer):
 *      with --verify the oracle compares every sector.
 */
#ifndef FTL_FTL_H
#define FTL_FTL_H

#include "base/fault.h"
#include "base/param.h"
#include "flash/flash.h"
#include "gc/tools/tool.h"
#include "pagemap/map_cache.h"
#include "gc/space/placement.h"
#include "stats/table.h"

#include <stdio.h>

/* Settings of the components of FTLs: ftl/store.h, pagemap/map_cache.h. */
struct ftl_settings {
	struct placement_settings placement;
	struct gc_settings gc;
	struct map_settings map;
	const void *tool[TOOLS]; /* settings of each (gc/tools/tool.h) */
};

/* What every FTL has. */
struct ftl {
	const struct ftl_ops *ops;
	void *state;          /* ops->size bytes, zeroed before init */
	const void *settings; /* filled from the parameter group named like the FTL */
	const struct ftl_settings *core;
	const struct geometry *geometry;
	struct flash *flash;
	struct store *store;             /* NULL unless the FTL creates one in its init (store.h) */
	struct map_statistics map;       /* look-ups; reported as map.* */
	struct map_statistics uncounted; /* look-ups outside time */
	bool failed;                     /* the drive is full or worn out: no page could be taken */
	char refusal[128]; /* not empty: a request broke a rule; text that follows "request N " */
};

struct ftl_facts {
	uint64_t live_pages;     /* physical pages that hold live data or mappings */
	uint64_t free_blocks;    /* erased */
	uint64_t retired_blocks; /* worn out */
	uint64_t map_bytes;      /* of the mapping as a real controller would keep it */
};

/* The model.  The core frees, checks, saves and reports the store; these functions do the rest. */
struct ftl_ops {
	const char *name, *brief;
	size_t size;                   /* of the private state */
	const struct state_row *state; /* rows of the private state (base/state.h) */

	/* False and a fault: the FTL does not support the drive; nothing but the store stays allocated.
	 * `exit` frees what `init` allocated. */
	bool (*init)(struct ftl *, struct fault *);
	void (*exit)(struct ftl *);

	/* Extents are ascending and disjoint.  There are several when a buffer flushes them together, or when
	 * a read leaves out buffered sectors. */
	void (*read)(struct ftl *, struct io *, const struct extent *, size_t n);
	void (*write)(struct ftl *, struct io *, const struct extent *, size_t n);
	void (*trim)(struct ftl *, struct io *, struct extent);

	/* Aborts if an invariant is broken. */
	void (*check)(const struct ftl *);
	/* With a store: map_bytes only. */
	void (*facts)(const struct ftl *, struct ftl_facts *);

	/* ---- the rest is optional ---- */

	const struct param *params; /* its own settings, and their size */
	size_t settings_size;
	bool map_in_dram;      /* all of it, always: the settings map.* have no effect */
	bool collects_untimed; /* its store's collections take no time */

	/* Called before anything else is created: reduces the logical size, and sets the zones of a drive
	 * that is written in zones.  `settings`: the FTL's own.  False and a fault: they do not fit. */
	bool (*shape)(const void *settings, struct geometry *, struct fault *);
	/*
	 * For a drive that is written in zones: called before each write or trim.  The extent of an append
	 * names the zone, and is set to the place where the data goes.  False: refused, nothing is done; if
	 * that ends the run, the FTL is marked failed and has set `refusal`.
	 */
	bool (*admit)(struct ftl *, struct io *, struct extent *, enum request_type, bool append);

	/* For such a drive: a command for one of its zones.  False: refused, as above. */
	bool (*command)(struct ftl *, struct io *, uint32_t zone, enum zone_command);

	/* Adds the FTL's own statistics to the list. */
	void (*statistics)(struct ftl *, struct stat_list *);
	/* A reason to doubt the results, as part of a sentence. False: there is none. */
	bool (*doubt)(const struct ftl *, char *text, size_t bytes);
	/* Outside time: programs the mapping pages that exist and are not yet in flash.  Called after each
	 * write of preconditioning; for a fill, once after all its data. */
	void (*place_map)(struct ftl *, struct io *);

	/* Programs the data that the FTL buffers in memory, except partial pages that are kept there to be
	 * filled later. */
	void (*flush)(struct ftl *, struct io *);

	/* With a store whose client has a `stream_of`, too: the stream for a page of host data.  Called once
	 * for each page, before room is made for it. */
	unsigned (*stream_of)(struct ftl *, struct io *, lpn_t);
	unsigned host_streams; /* streams that take data of the host at the same time; 0: one */

	/* For buffers that require it: writes these extents into one page. */
	void (*write_merged)(struct ftl *, struct io *, const struct extent *, size_t n);
	/* For buffers that require it: among the extents to write there may be an empty one at the start of a
	 * page; the page's data, if any, is then read and programmed again with CAUSE_PAD. */
	bool pads;

	const struct ftl_words *words;
	const struct ftl_hints *hints;
};

/* Names for pictures and explanations.  All are optional. */
struct ftl_words {
	/* Name of the owner of a page, unless it is "LPN owner". */
	void (*name_owner)(const struct ftl *, owner_t, char *text, size_t bytes);
	/* Prints where the sectors of a logical page are according to the mapping. */
	void (*print_entry)(const struct ftl *, lpn_t, FILE *);
	/* Prints what else a picture should show, such as the states of zones. */
	void (*print_state)(const struct ftl *, FILE *);
};

/* Speed only: results never depend on it.  Optional. */
struct ftl_hints {
	/* The logical page will be looked up soon (base/prefetch.h). */
	void (*prefetch)(const struct ftl *, lpn_t, enum prefetch_stage);
};

/* NULL-ended, in order of ftl/list.h. */
extern const struct ftl_ops *const ftls[];
extern const char *const ftl_names[];

/* The FTL's own, or empty ones. */
const struct ftl_words *ftl_words(const struct ftl *);
const struct ftl_hints *ftl_hints(const struct ftl *);

/* NULL and a fault if the FTL does not support the drive. */
struct ftl *ftl_create(const struct ftl_ops *, const void *own_settings, const struct ftl_settings *,
	struct flash *, struct fault *);
void ftl_free(struct ftl *);

/* State of the FTL and everything below it. */
extern const struct state_row ftl_state[];

/* Aborts if an invariant of the FTL, of its store or of the medium is broken.  O(pages). */
void ftl_check(const struct ftl *);

struct ftl_facts ftl_facts(const struct ftl *);

/* Look-ups, the store's statistics, the FTL's own. */
void ftl_statistics(struct ftl *, struct stat_list *);

/* Where the look-ups of a request are counted. */
static inline struct map_statistics *ftl_map_count(struct ftl *f, const struct io *io)
{
	return io->timed ? &f->map : &f->uncounted;
}

/* One page-level look-up: counts it and charges one DRAM access time to the request. */
static inline void ftl_count_lookup(struct ftl *f, struct io *io)
{
	struct map_statistics *map = ftl_map_count(f, io);

	io->accesses++;
	map->lookups++;
	map->hits++;
	map->accesses++;
}

/* A page of a read request holds no data: it reads as zeros and costs only its look-up. */
static inline void ftl_count_unmapped(struct ftl *f, const struct io *io)
{
	ftl_map_count(f, io)->unmapped_reads++;
}

#endif
