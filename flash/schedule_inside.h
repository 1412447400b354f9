/*
 * Shared by the files of the schedule. Internal to flash/.
 *
 *	issue.c            an operation is issued: its times, dependencies and place in its block's order
 *	ready.c            its last dependency is gone: it is queued at its die, or answered from memory
 *	unit.c             the queues of a die, its next command, the phases of a command, suspension
 *	cache_register.c   what a die does with its cache register while the cells work
 *	command.c          which operations one command serves (multi-plane), and how long it takes
 *	bus.h              the bus of a channel: who uses it, who waits for it
 *	complete.c         an operation is done: its dependents, its blocks and its request go on
 *	write_memory.c     programs that wait for room in the controller's memory
 *	wordline.c         programs that wait for each other: a wordline is programmed as one
 *	schedule.c         requests and the event loop
 *	schedule_state.c   saved and checked state
 *
 * Every operation passes through the HOT functions.  They are force-inlined: calls would cost 10 % of a run.
 */
#ifndef FLASH_SCHEDULE_INSIDE_H
#define FLASH_SCHEDULE_INSIDE_H

#include "base/heap.h"
#include "flash/loads.h"
#include "flash/ops.h"
#include "flash/schedule.h"
#include "flash/timers.h"

#define HOT static inline __attribute__((always_inline))

/* Compiled once, neither inlined nor specialised, so that the compiler inlines functions only it calls. */
#ifdef __clang__
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY __attribute__((noinline, noclone))
#endif

enum phase {
	PHASE_IDLE,
	PHASE_WOKEN, /* idle; dispatched once every operation that becomes ready now is queued */
	PHASE_IN,    /* waits for or uses the bus: command, and data of a program */
	PHASE_CELL,  /* the cell array works */
	PHASE_OUT,   /* waits for or uses the bus: data of a read */
	PHASE_HELD,  /* waits for the cache register, or the register for the cells (cache_register.h) */

	/* Of a die, without cells or bus. */
	PHASE_STOP,   /* the cell array stops, because a read suspends the command */
	PHASE_DECODE, /* the data of a sense is decoded and found wrong; the next sense follows */
};

/* Serves one command at a time: a die, or a whole chip without flash.interleave, or its cache register. */
struct unit {
	enum phase phase;
	struct queue reads, others; /* ready operations; FIFO scheduling uses `others` only */
	uint32_t command;           /* first operation of the command in service, or INDEX_NONE */
	uint32_t suspended;         /* first operation of a suspended command, or INDEX_NONE */
	tick_t suspended_ns;        /* remaining cell time of the suspended command */
	uint64_t passed;            /* read commands served while another operation waited */
	uint32_t next;              /* in a bus queue or the queue of woken units */
	bool brings_data;           /* the command has data to transfer in */
	uint64_t in_ns, cell_ns, out_ns;
};

struct channel {
	uint32_t user;              /* unit on the bus, or INDEX_NONE */
	struct queue first, others; /* waiting units; `first` is served before `others` */
};

/* Operations of a request that may start from `when` on. */
struct release {
	tick_t when;
	uint64_t order;
	uint32_t first_op, ticket;
};

/* When an open wordline is to be filled up. */
struct wordline_wait {
	tick_t due;
	uint64_t order;
	ppn_t first; /* its first page, and the life of the block */
	uint32_t life;
};

/* The controller's memory for data that the host writes (write_memory.h). */
struct write_memory {
	uint64_t pages;      /* room for so many; 0: a write completes when its data is in flash */
	uint64_t used, most; /* now; maximum since the statistics began */
	bool full;           /* since full_since the next program in line waits for room */
	tick_t full_since;
	uint64_t full_ns; /* time of such waits, up to full_since */
};

struct schedule {
	struct flash *flash;
	const struct geometry *geometry;
	const struct flash_settings *settings;
	struct ops ops;
	struct timers timers; /* one per unit: the end of its phase */
	tick_t now;

	uint32_t registers; /* 1: each die follows its cache register, a unit of its own; else 0 */
	uint32_t units;
	struct unit *unit;
	struct channel *channel;
	struct queue woken; /* units */
	uint32_t *unit_of_die;
	struct divisor per_channel;          /* units */
	uint32_t *transfer_ns;               /* by number of sectors, up to a page of each plane of a die */
	uint64_t command_ns[OP_KINDS];       /* on the bus, for the first plane of a command */
	uint64_t plane_command_ns[OP_KINDS]; /* for each further plane */

	struct heap releases;
	uint64_t release_order;

	struct queue answered; /* forwarded reads whose data is there, to be completed */
	bool answering;
	uint64_t held, room; /* pages in the controller's memory, and how many fit (flash.forward_bytes) */
	struct write_memory memory;
	struct queue roomless; /* programs without room in it, in order of issue */

	bool copies_follow;      /* one operation may be a series of copies (struct copy) */
	uint32_t wordline_pages; /* pages that a program command programs in each plane */
	uint32_t *open;          /* by block: its open wordline, or INDEX_NONE; NULL: programs are by page */
	struct heap waits;       /* of open wordlines, until they are filled up */
	uint64_t wait_order;
	tick_t pad_due;       /* when the first of these waits ends */
	uint32_t work_ticket; /* of the background work in flight; INDEX_NONE: none */

	struct queue completed; /* tickets */
	uint64_t in_flight;     /* operations and releases */
	struct loads loads;
	uint32_t *place; /* by die: its index in loads */
	struct busy busy;
	bool observers; /* there is one (flash/observer.h) */
	uint64_t heard; /* functions that one of them has (events.h) */
};

static inline bool release_before(const void *left, const void *right)
{
	const struct release *a = (const struct release *)left, *b = (const struct release *)right;

	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

/* Time of the next release, or TICK_NEVER. */
static inline tick_t release_due(const struct schedule *s)
{
	return s->releases.count ? ((const struct release *)s->releases.element)->when : TICK_NEVER;
}

static inline uint32_t unit_of(const struct schedule *s, const struct op *op)
{
	return s->unit_of_die[op->die];
}

/* Number of the die, or the chip, that the unit belongs to. */
static inline uint32_t unit_number(const struct schedule *s, uint32_t u)
{
	return u >> s->registers;
}

static inline struct channel *channel_of(const struct schedule *s, uint32_t u)
{
	return &s->channel[divide(u, s->per_channel)];
}

static inline struct flash_block *block_of(const struct schedule *s, ppn_t ppn)
{
	return &s->flash->block[geometry_block(s->geometry, ppn)];
}

/* ---- time in the cells ---- */

HOT uint32_t time_of_page(const struct schedule *s, const struct tick_list *times, ppn_t ppn)
{
	if (times->count == 1)
		return (uint32_t)times->ns[0];
	return (uint32_t)times->ns[geometry_page(s->geometry, ppn) % times->count];
}

/* How the cells of an operation issued now are used. */
static inline uint8_t mode_of(const struct schedule *s, ppn_t ppn, ppn_t to, enum cause cause)
{
	const struct flash *f = s->flash;

	if (!f->slc)
		return 0;
	return (flash_is_slc(f, geometry_block(s->geometry, ppn)) ? OP_IN_SLC : 0) |
	       (to != PPN_NONE && flash_is_slc(f, geometry_block(s->geometry, to)) ? OP_TO_SLC : 0) |
	       (cause == CAUSE_FOLD ? OP_FOLDS : 0);
}

static inline uint32_t time_of_read(const struct schedule *s, ppn_t ppn, bool slc)
{
	return slc ? (uint32_t)s->flash->slc_times->read_ns : time_of_page(s, &s->settings->read_ns, ppn);
}

static inline uint32_t time_of_program(const struct schedule *s, ppn_t ppn, bool slc, bool folds)
{
	if (slc)
		return (uint32_t)s->flash->slc_times->program_ns;
	return time_of_page(s, &s->settings->program_ns, ppn) *
	       (folds ? (uint32_t)s->flash->slc_times->fold_passes : 1);
}

/* Every operation's time in the cells.  A read takes place at `ppn`; `to` is the target of a copy.  A program
 * that its wordline carries out takes none. */
static inline uint32_t time_in_cells(
	const struct schedule *s, uint32_t kind, ppn_t ppn, ppn_t to, uint8_t mode)
{
	switch (kind) {
	case OP_READ:
		return time_of_read(s, ppn, mode & OP_IN_SLC);
	case OP_PROGRAM:
		return s->open && !(mode & OP_IN_SLC)
			       ? 0
			       : time_of_program(s, ppn, mode & OP_IN_SLC, mode & OP_FOLDS);
	case OP_WORDLINE:
		return (uint32_t)s->settings->program_ns.ns[0];
	case OP_SECOND_PASS:
		return (uint32_t)s->settings->program_ns.ns[1];
	case OP_COPY:
		return time_of_read(s, ppn, mode & OP_IN_SLC) +
		       time_of_program(s, to, mode & OP_TO_SLC, mode & OP_FOLDS);
	case OP_ERASE:
		return (uint32_t)(mode & OP_IN_SLC ? s->flash->slc_times->erase_ns : s->settings->erase_ns);
	default:
		return 0;
	}
}

/* Adds to the load of the operation's die; -ns subtracts. */
static inline void load_change(struct schedule *s, const struct op *op, uint64_t by)
{
	loads_change(&s->loads, s->place[op->die], by);
}

/* ---- ready.c ---- */

/* Removes one dependency of the operation: the one on operation `by`; INDEX_NONE: another kind. */
void ready_unblock(struct schedule *, uint32_t index, uint32_t by);

/* Makes the operation wait until `writer` has written the page. */
void ready_wait_for_page(struct schedule *, uint32_t index, uint32_t writer, ppn_t);

/* Queues the block's ready operations whose turn it is. */
void ready_pass(struct schedule *, struct flash_block *);

/* ---- complete.c ---- */

void complete_op(struct schedule *, uint32_t index);

/* The first copy of a series is done; the operation becomes the next copy. */
void complete_copy(struct schedule *, uint32_t index);

/* An operation of the request is done, or all are released. */
void complete_part(struct schedule *, uint32_t index);

/* ---- command.c ---- */

/* The first operation of the queue, and those that can join it, become the unit's command. */
void command_take(struct schedule *, uint32_t unit, struct queue *);

/* The next copy of a series becomes the unit's command. */
void command_take_copy(struct schedule *, uint32_t unit);

/* Completes all operations of the unit's command. */
void command_end(struct schedule *, uint32_t unit);

/* ---- unit.c ---- */

/* Appends a ready operation to a queue of its die. */
void unit_enqueue(struct schedule *, uint32_t index);

/* Dispatches the woken units: every operation that becomes ready now is queued. */
void unit_dispatch_woken(struct schedule *);

/* The timer of a unit has expired: in a drive without cache registers; with them. */
void unit_expired(struct schedule *, uint32_t unit);
void unit_expired_cached(struct schedule *, uint32_t unit);

/* For dies with a cache register.  Starts the next command if an operation is ready; starts the cells on the
 * command, which a waiting read may suspend at once; wakes the die if it is idle, or its register if the
 * cells work. */
void unit_take_next(struct schedule *, uint32_t unit);
void unit_start_cells(struct schedule *, uint32_t unit);
void unit_wake_cached(struct schedule *, uint32_t unit);

#endif
