/*
 * The medium: what is on every page and block, NAND's laws, and operations with what
 * each must wait for.  A call changes the state of the medium at once and returns a handle
 * that later calls may wait for; *when* it happens is schedule.h's affair, and nobody
 * above this room ever sees a clock.
 *
 * Laws (breaking one aborts with block, page and cause):
 *   - the pages of a block are programmed in ascending order, each once per erase, and without gaps
 *     unless flash.order allows them: a page passed over is used up;
 *   - a free page and one passed over are not read; addresses are in range;
 *   - an erased block holds no page that has an owner.
 * In time, too: programs of a block start in their order, an erase waits for everything still going on
 * in its block, what is programmed into a block waits for its erase, and data is read where it is.
 *
 * Knows nothing of logical pages: an owner is a number that its FTL understands.
 */
#ifndef FLASH_FLASH_H
#define FLASH_FLASH_H

#include "base/prefetch.h"
#include "flash/geometry.h"
#include "observe/event.h"
#include "observe/judge.h"
#include "observe/oracle.h"
#include "stats/table.h"

struct schedule;

/* 20 bytes, no power of two: blocks that planes fill lie a plane apart, and at powers of two their records
 * would push each other out of the caches. */
struct flash_block {
	uint32_t next; /* page that is programmed next: the one behind the last programmed since the erase */
	uint32_t erases;

	/* Operations in flight (order.h). */
	uint32_t unfinished; /* number of those of this life of the block */
	uint32_t gate, last; /* INDEX_NONE: none */
};

/* Over all causes; filled in when the numbers are read. */
struct flash_totals {
	uint64_t count[OP_KINDS], forwarded, transferred_bytes;
};

struct flash {
	const struct geometry *geometry;
	const struct flash_settings *settings;
	struct oracle *oracle; /* NULL: verification off */
	struct judge *judge;   /* the same, of time */
	struct schedule *schedule;
	owner_t *owner;        /* per page, in its spare area; OWNER_NONE once dead */
	uint64_t *passed_over; /* bit per page: skipped since the erase; NULL where flash.order forbids it */
	struct flash_block *block;

	uint64_t count[OP_KINDS][CAUSES]; /* a copy-back counts as a read, a program and a copy */
	uint64_t forwarded[CAUSES];       /* reads served from the controller's memory */
	uint64_t transferred_sectors;
	uint64_t pages_used;        /* programmed and not erased */
	uint64_t pages_used_before; /* the same when the statistics began */
	uint64_t untimed[OP_KINDS]; /* programs and erases outside time and statistics */
	uint64_t pages_erased;      /* programmed pages that erases have freed */
	uint64_t erases_before;     /* sum of erases when the statistics began */
	struct flash_totals total;
};

/*
 * One request on its way through the drive: what the operations it causes have in common.
 * With `timed` off (preconditioning) the state changes, nothing is counted and no time passes.
 */
struct io {
	struct flash *flash;
	bool timed;
	bool detached;              /* the request does not wait for the operations made now */
	uint32_t ticket;            /* of the schedule; who waits for the operations */
	uint32_t first_op, last_op; /* operations to be released together */
	uint32_t step;              /* the last one that all behind it wait for; INDEX_NONE */
	uint32_t accesses;          /* page-level look-ups and buffer hits: each costs one DRAM access time */
	tick_t controller_ns;       /* what the request takes besides before its operations may start */
};

struct flash *flash_create(const struct geometry *, const struct flash_settings *, struct oracle *);
void flash_free(struct flash *);

/* From now on a judge watches what time does; before the first operation.  `dram_ns`: of a look-up. */
void flash_have_judged(struct flash *, tick_t dram_ns);

/*
 * `sectors` = how many sectors cross the bus (1 .. sectors per page); `after` = the
 * operation that must be done first, or OP_NONE.  More of them: flash_wait().
 * A page still on its way to flash is read where its data is: in the controller's memory if that holds the
 * page (flash.forward_bytes), at its source while it is copied back, else in flash when it is there.
 */
op_t flash_read(struct io *, ppn_t, uint32_t sectors, enum cause, op_t after);
op_t flash_program(struct io *, ppn_t, owner_t, uint32_t sectors, enum cause, op_t after);

/* Moves a page, its owner and its content; the source loses its owner.  Inside a plane by
 * copy-back where the settings allow it, else by a read and a program. */
op_t flash_copy(struct io *, ppn_t from, ppn_t to, enum cause, op_t after);

/* The same where no later call is to wait for it.  Pages moved one behind the other, from one block into
 * another, then cost a fraction. */
void flash_move(struct io *, ppn_t from, ppn_t to, enum cause);

op_t flash_erase(struct io *, block_t, enum cause);

/* One more operation that `op` must wait for; only before the request is submitted. */
void flash_wait(struct io *, op_t op, op_t other);

/* The page holds nothing any more: a note in the controller, no flash operation. */
static inline void flash_disown(struct flash *f, ppn_t ppn)
{
	f->owner[ppn] = OWNER_NONE;
}

/* A page just copied holds what it held, by another name: its spare area was written with the copy. */
static inline void flash_rename(struct flash *f, ppn_t ppn, owner_t owner)
{
	f->owner[ppn] = owner;
}

static inline owner_t flash_owner(const struct flash *f, ppn_t ppn)
{
	return f->owner[ppn];
}

/* The page of the block that is programmed next: pages per block when it is full. */
static inline uint32_t flash_next_page(const struct flash *f, block_t block)
{
	return f->block[block].next;
}

/* Its owner will be asked for soon. */
PREFETCHING void flash_prefetch_owner(const struct flash *f, ppn_t ppn)
{
	__builtin_prefetch(&f->owner[ppn], 1);
}

/* The page will be read or die soon. */
PREFETCHING void flash_prefetch(const struct flash *f, ppn_t ppn)
{
	__builtin_prefetch(&f->block[geometry_block(f->geometry, ppn)]);
	flash_prefetch_owner(f, ppn);
}

/* Data flow, for the oracle: what a page just programmed holds, what a read is answered from. */
static inline void flash_holds_host(struct io *io, ppn_t ppn, struct extent e)
{
	oracle_page_host(io->flash->oracle, ppn, e);
}

static inline void flash_holds_kept(struct io *io, ppn_t ppn, ppn_t from, struct extent e)
{
	oracle_page_kept(io->flash->oracle, ppn, from, e);
	if (io->flash->judge && io->timed)
		judge_kept(io->flash->judge, ppn, from);
}

static inline void flash_answers(struct io *io, ppn_t ppn, struct extent e)
{
	oracle_page_answer(io->flash->oracle, ppn, e);
	if (io->flash->judge && io->timed)
		judge_answers(io->flash->judge, ppn);
}

/* The block has reached its endurance: it must not be used again. */
static inline bool flash_worn_out(const struct flash *f, block_t block)
{
	return f->settings->endurance && f->block[block].erases >= f->settings->endurance;
}

/* Pages and blocks; of a run also operations in flight and counts. */
extern const struct state_row flash_state[];

/* Aborts unless nothing is left of operations when all have ended. */
void flash_check_idle(const struct flash *);

/* Adds what the medium counts to the list. */
void flash_statistics(struct flash *, struct stat_list *);

uint64_t flash_total(const struct flash *, enum op_kind);

/* Reads served from the controller's memory, of all causes. */
uint64_t flash_forwarded(const struct flash *);

/* Aborts unless programs = pages used + pages erased and erases agree per block; pages passed over are
 * neither. */
void flash_check_books(const struct flash *);

#endif
