/*
 * Shared by the files of the schedule. Internal to flash/.
 *
 *	issue.c            an operation is issued: its times, dependencies and place in its block's order
 *	ready.c            its last dependency is gone: it is queued at its die, or answered from memory
 *	unit.c             the queues of a die, its next command, the phases of a command, suspension
 *	command.h          which operations one command serves (multi-plane), and how long it takes
 *	bus.h              the bus of a channel: who uses it, who waits for it
 *	complete.c         an operation is done: its dependents, its blocks and its request go on
 *	schedule.c         requests and the event loop
 *	schedule_state.c   saved and checked state
 *
 * Features of the hardware that a drive may have; what the files above ask about each is in its header:
 *
 *	cells.h            blocks in SLC mode have other times
 *	wordline.c         programs that wait for each other: a wordline is programmed as one
 *	write_memory.c     programs that wait for room in the controller's memory
 *	cache_register.c   what a die does with its cache register while the cells work
 *	repeat.c           reads that are repeated
 *
 * Every operation passes through the HOT functions.  They are force-inlined: calls would cost 10 % of a run.
 * `plain` is a constant in them.  They are compiled twice: for a plain drive, without these features and
 * without observers, where nothing is asked about them; and for every drive.  So the function name() works
 * for every drive, and name_plain() is for plain ones; COPY_OF() calls one of them.
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

#define COPY_OF(name, plain) (*((plain) ? name##_plain : name))

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
	uint64_t heard; /* functions that one of them has (events.h) */
	bool plain;     /* no observers, and no feature of those above */
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

/* Adds to the load of the operation's die; -ns subtracts. */
static inline void load_change(struct schedule *s, const struct op *op, uint64_t by)
{
	loads_change(&s->loads, s->place[op->die], by);
}

/* ---- ready.c ---- */

/* Removes one dependency of the operation: the one on operation `by`; INDEX_NONE: another kind. */
void ready_unblock(struct schedule *, uint32_t index, uint32_t by);
void ready_unblock_plain(struct schedule *, uint32_t index, uint32_t by);

/* Makes the operation wait until `writer` has written the page. */
void ready_wait_for_page(struct schedule *, uint32_t index, uint32_t writer, ppn_t);

/* Queues the block's ready operations whose turn it is. */
void ready_pass(struct schedule *, struct flash_block *);
void ready_pass_plain(struct schedule *, struct flash_block *);

/* ---- complete.c ---- */

void complete_op(struct schedule *, uint32_t index);
void complete_op_plain(struct schedule *, uint32_t index);

/* The first copy of a series is done; the operation becomes the next copy. */
void complete_copy(struct schedule *, uint32_t index);
void complete_copy_plain(struct schedule *, uint32_t index);

/* An operation of the request is done, or all are released. */
void complete_part(struct schedule *, uint32_t index);

/* ---- unit.c ---- */

/* Appends a ready operation to a queue of its die. */
void unit_enqueue(struct schedule *, uint32_t index);
void unit_enqueue_plain(struct schedule *, uint32_t index);

/* Dispatches the woken units: every operation that becomes ready now is queued. */
void unit_dispatch_woken(struct schedule *);
void unit_dispatch_woken_plain(struct schedule *);

/* The timer of a unit has expired. */
void unit_expired(struct schedule *, uint32_t unit);
void unit_expired_plain(struct schedule *, uint32_t unit);

/* For features.  Starts the next command if an operation is ready; begins the command, on the bus unless it
 * needs none; starts the cells on it, which a waiting read may suspend at once; wakes the die if it is idle,
 * or its register if the cells work. */
void unit_take_next(struct schedule *, uint32_t unit);
void unit_start(struct schedule *, uint32_t unit);
void unit_start_cells(struct schedule *, uint32_t unit);
void unit_wake_up(struct schedule *, uint32_t unit);

#endif
