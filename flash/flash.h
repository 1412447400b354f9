/*
 * The medium: the contents of every page and block, the rules of NAND flash, and operations with their
 * dependencies.  A call changes the state of the medium at once and returns a handle that later calls may
 * depend on; schedule.h decides when the operation happens.  No room above this one deals with time.
 *
 * Rules (breaking one aborts with block, page and cause):
 *   - the pages of a block are programmed in ascending order, once per erase, and without gaps unless
 *     flash.order allows them: a page passed over cannot be used until the next erase;
 *   - free pages and pages passed over are not read; addresses are in range;
 *   - a block is erased only when none of its pages has an owner.
 * In time: programs of a block start in order, an erase waits for all operations in flight in its block,
 * programs of an erased block wait for the erase, and data is read where it is.
 *
 * The medium does not know logical pages: an owner is a number that only the FTL interprets.
 */
#ifndef FLASH_FLASH_H
#define FLASH_FLASH_H

#include "base/prefetch.h"
#include "flash/geometry.h"
#include "flash/retry.h"
#include "flash/observer.h"
#include "observe/oracle.h"
#include "stats/table.h"

struct schedule;

/* 24 bytes, not a power of two: open blocks are a plane apart, so their records would share cache sets. */
struct flash_block {
	uint32_t next; /* page to be programmed next: one after the last programmed since the erase */
	uint32_t erases;

	/* Operations in flight (order.h). */
	uint32_t unfinished; /* number that use the present life of the block */
	uint32_t gate, last; /* INDEX_NONE: none */
	uint32_t erase;      /* the last erase, or INDEX_NONE */
};

/* Sums over all causes, computed when the statistics are read. */
struct flash_totals {
	uint64_t count[OP_KINDS], forwarded, transferred_bytes;
};

/* Times in the cells of blocks in SLC mode; a page that is folded takes several programs. */
struct slc_times {
	uint64_t read_ns, program_ns, erase_ns, fold_passes;
};

/* A failed die: its pages are rebuilt from the other pages of their stripes. */
struct flash_lost {
	die_t die;
	/* Finds the other pages of the stripe of a lost page.  Returns their number, at most that of the
	 * dies. */
	uint32_t (*find)(const void *parity, ppn_t lost, ppn_t *others);
	const void *parity;
	ppn_t *others;          /* room for them */
	uint64_t reads[CAUSES]; /* of lost pages */
};

struct flash {
	const struct geometry *geometry;
	const struct flash_settings *settings;
	struct oracle *oracle;            /* NULL: verification off */
	struct flash_observer *observers; /* a list */
	struct schedule *schedule;
	owner_t *owner;        /* per page, in its spare area; OWNER_NONE: invalid or free */
	uint64_t *passed_over; /* bit per page: skipped since the erase; NULL where flash.order forbids it */
	struct flash_block *block;
	struct slc_times *slc_times; /* NULL: no block is ever in SLC mode */
	uint64_t *slc;               /* bit per block: in SLC mode; NULL without times */
	struct retry *retry;         /* NULL: reads never fail and senses are not counted */
	struct flash_lost *lost;     /* NULL: no die has failed */
	bool watched;                /* there is an observer, a retry or a failed die */
	bool by_controller;          /* no copy-back: moved pages pass it for parity */

	uint64_t count[OP_KINDS][CAUSES]; /* a copy-back counts as a read, a program and a copy */
	uint64_t forwarded[CAUSES];       /* reads served from the controller's memory */
	uint64_t transferred_sectors;
	uint64_t pages_used;        /* programmed and not erased */
	uint64_t pages_used_before; /* the same when the statistics began */
	uint64_t untimed[OP_KINDS]; /* programs and erases outside time, not in the statistics */
	uint64_t pages_erased;      /* programmed pages that erases have freed */
	uint64_t erases_before;     /* sum of erases when the statistics began */
	struct flash_totals total;

	/* Programs by wordline. */
	uint64_t wordlines;       /* begun */
	uint64_t wordline_stalls; /* nothing could proceed until some were filled up */
	uint64_t wordline_pads;   /* pages that filled up wordlines */
	uint64_t forwarded_early; /* of `forwarded`: the wordline was not ready to be programmed */
};

/*
 * A request in the drive: the context of the operations it causes.  With `timed` off (preconditioning) the
 * state changes, but nothing is counted and no time passes.
 */
struct io {
	struct flash *flash;
	bool timed;
	bool detached;              /* the request does not wait for the operations issued now */
	bool work;                  /* background work: done when all its operations are, of any cause */
	bool durable;               /* the request waits for its data to be in flash, not in memory */
	bool cached;                /* its writes go through the SLC cache (gc/tools/slc.c) */
	uint8_t handle;             /* of the request: where its data is placed (gc/handles.h) */
	uint32_t ticket;            /* number of the request in the schedule; INDEX_NONE: of none */
	uint32_t first_op, last_op; /* list of the operations issued, to be released together */
	/* All later operations depend on those after step_behind (INDEX_NONE: from the first one on), up to
	 * and including step (INDEX_NONE: on none). */
	uint32_t step_behind, step;
	bool step_of_writes;  /* the step is of writes issued last: each block's last program is enough */
	uint32_t accesses;    /* page-level look-ups and buffer hits: each costs one DRAM access time */
	tick_t controller_ns; /* further delay before the operations may start */
};

struct flash *flash_create(const struct geometry *, const struct flash_settings *, struct oracle *);
void flash_free(struct flash *);

/* From now on blocks may be in SLC mode, with these times. */
void flash_use_slc(struct flash *, struct slc_times);

/* Reads may need several senses, or senses are counted for blocks to be refreshed.  False and a fault: these
 * settings are wrong. */
bool flash_use_retry(struct flash *, const struct retry_settings *, struct fault *);

/* Ages the data in the blocks: called when a request or a round of background work begins.  True: it is the
 * first. */
bool flash_pass_time(struct flash *);

/* Sets the mode of an empty block. */
void flash_set_slc(struct flash *, block_t, bool slc);

static inline bool flash_is_slc(const struct flash *f, block_t block)
{
	return f->slc && f->slc[block / 64] >> block % 64 & 1;
}

/*
 * `sectors`: number transferred (1 .. sectors per page); `after`: a dependency, or OP_NONE; flash_wait() adds
 * more.  A page whose program or copy is in flight is read where its data is: in the controller's memory if
 * that holds the page (flash.forward_bytes), at its source during a copy-back, else in flash once it is
 * programmed.
 */
op_t flash_read(struct io *, ppn_t, uint32_t sectors, enum cause, op_t after);
op_t flash_program(struct io *, ppn_t, owner_t, uint32_t sectors, enum cause, op_t after);

/* Programs a page without an owner, with all its sectors and CAUSE_PAD, to fill up a block or a part of it.
 * No request waits for it; its operation is released with those of `io`. */
void flash_pad(struct io *, ppn_t);

/* Programs a parity page, without an owner: the controller has the data. */
void flash_program_parity(struct io *, ppn_t);

/* To be called when `observers`, `retry` or `lost` has changed. */
void flash_set_watched(struct flash *);

/* A die has failed.  From now on its pages are neither programmed nor erased.  A read of one completes when
 * all other pages of its stripe have been read. */
void flash_lose_die(struct flash *, struct flash_lost *);

/* For flash_read(): reads the other pages of a lost page's stripe. */
op_t flash_read_others(struct io *, ppn_t, uint32_t sectors, enum cause, op_t after);

static inline bool flash_is_lost(const struct flash *f, ppn_t ppn)
{
	return f->watched && f->lost && geometry_die_of(f->geometry, ppn) == f->lost->die;
}

/* Counts a read that the controller answers from data whose program has not been issued yet. */
static inline void flash_count_forward(struct io *io, enum cause cause)
{
	io->flash->forwarded[cause] += io->timed;
}

/* Moves a page, its owner and its content; the source loses its owner.  Inside a plane by
 * copy-back where the settings allow it, else by a read and a program. */
op_t flash_copy(struct io *, ppn_t from, ppn_t to, enum cause, op_t after);

/* The same without a handle.  Consecutive moves from one block to another become one operation, which is much
 * cheaper to simulate. */
void flash_move(struct io *, ppn_t from, ppn_t to, enum cause);

op_t flash_erase(struct io *, block_t, enum cause);

/* `op` depends on `other`, too; only before the request is submitted. */
void flash_wait(struct io *, op_t op, op_t other);

/* Invalidates the page: a note in the controller, no flash operation. */
static inline void flash_disown(struct flash *f, ppn_t ppn)
{
	f->owner[ppn] = OWNER_NONE;
}

/* Gives a page just copied another owner: its spare area was written with the copy. */
static inline void flash_rename(struct flash *f, ppn_t ppn, owner_t owner)
{
	f->owner[ppn] = owner;
}

static inline owner_t flash_owner(const struct flash *f, ppn_t ppn)
{
	return f->owner[ppn];
}

/* Offset of the next page to program; pages_per_block: the block is full. */
static inline uint32_t flash_next_page(const struct flash *f, block_t block)
{
	return f->block[block].next;
}

/* Prefetches the owner of the page. */
static inline void flash_prefetch_owner(const struct flash *f, ppn_t ppn)
{
	prefetch(&f->owner[ppn]);
}

/* Prefetches for a read or an invalidation of the page. */
static inline void flash_prefetch(const struct flash *f, ppn_t ppn)
{
	prefetch(&f->block[geometry_block(f->geometry, ppn)]);
	flash_prefetch_owner(f, ppn);
}

/* For those that observe: flash_holds_kept() and flash_answers(). */
void flash_tell_kept(const struct flash *, ppn_t page, ppn_t from);
void flash_tell_answers(const struct flash *, ppn_t);

/* Data flow, for the oracle and those that observe: the contents of a page just programmed, the page that
 * answers a read. */
static inline void flash_holds_host(struct io *io, ppn_t ppn, struct extent e)
{
	oracle_page_host(io->flash->oracle, ppn, e);
}

static inline void flash_holds_kept(struct io *io, ppn_t ppn, ppn_t from, struct extent e)
{
	oracle_page_kept(io->flash->oracle, ppn, from, e);
	if (io->flash->observers && io->timed)
		flash_tell_kept(io->flash, ppn, from);
}

static inline void flash_answers(struct io *io, ppn_t ppn, struct extent e)
{
	oracle_page_answer(io->flash->oracle, ppn, e);
	if (io->flash->observers && io->timed)
		flash_tell_answers(io->flash, ppn);
}

/* The block has reached its endurance and must not be used again. */
static inline bool flash_worn_out(const struct flash *f, block_t block)
{
	return f->settings->endurance && f->block[block].erases >= f->settings->endurance;
}

/* State of pages and blocks; in a run also operations in flight and counters. */
extern const struct state_row flash_state[];

/* Aborts if an operation is in flight. */
void flash_check_idle(const struct flash *);

/* Adds the statistics of the medium to the list. */
void flash_statistics(struct flash *, struct stat_list *);

uint64_t flash_total(const struct flash *, enum op_kind);

/* Erases of all blocks since the drive was made. */
uint64_t flash_erases(const struct flash *);

/* Reads answered from the controller's memory, over all causes. */
uint64_t flash_forwarded(const struct flash *);

/* Aborts unless programs = pages used + pages erased and erases agree per block; pages passed over are
 * neither. */
void flash_check_books(const struct flash *);

#endif
