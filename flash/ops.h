/*
 * The operations in flight and their dependencies: a pool of operations, edges between them, and the tickets
 * of their requests.  Internal to flash/.  This file does not handle time: it determines which operations
 * have become ready or done; the schedule decides when.
 */
#ifndef FLASH_OPS_H
#define FLASH_OPS_H

#include "base/pool.h"
#include "base/queue.h"
#include "base/ring.h"
#include "flash/flash.h"

#include <assert.h>

enum stage {
	STAGE_WAITING,
	STAGE_READY, /* without dependencies; waits for its turn in its block */
	STAGE_QUEUED,
	STAGE_IN_CELLS, /* a program, while the next one is loaded into the cache register */
	STAGE_DONE
};

/* Of a program: where the controller's memory holds its page. */
enum room {
	ROOM_NONE,    /* nowhere */
	ROOM_FORWARD, /* where it is kept for reads (flash.forward_bytes) */
	/* For the memory for writes (write_memory.h): not released yet, waiting for room, in it. */
	ROOM_LATER,
	ROOM_ASKED,
	ROOM_GIVEN,
};

enum {
	/* How the cells are used. */
	OP_IN_SLC = 1, /* the page is in a block in SLC mode */
	OP_TO_SLC = 2, /* the target of a copy is */
	OP_FOLDS = 4,  /* the program folds a page */
	OP_MODE = OP_IN_SLC | OP_TO_SLC | OP_FOLDS,

	OP_CHASES = 8,   /* a read: a program or copy of its page was in flight when it was issued */
	OP_ORPHAN = 16,  /* its block has been erased outside time */
	OP_DURABLE = 32, /* its request waits for the program, not only for room in memory */
	OP_FLAGS = 63,
};

/*
 * Kinds of operations that the schedule makes itself: the passes in which a wordline is programmed
 * (wordline.h). No request waits for them, and observers see the programs of pages that they carry out.
 */
enum { OP_WORDLINE = OP_FLUSH + 1, OP_SECOND_PASS };

struct op {
	uint32_t next;       /* in a queue, a command, a request's list or the free list */
	uint32_t generation; /* number of the operation among those in this slot; part of its handle */
	uint32_t blockers;   /* dependencies left, the release of its request included */
	uint32_t waiters;    /* ring of edges to the operations that depend on this one */
	uint32_t ticket;     /* of the request that waits for it, or INDEX_NONE */
	ppn_t ppn;
	union {
		ppn_t to; /* target of a copy; page requested by a read that is served elsewhere; PPN_NONE */
		uint32_t wordline; /* of a program by wordline, or a pass of it */
		uint32_t users;    /* of an erase: operations in flight of the life that it ends */
	};
	uint32_t life; /* erases of the block of `ppn` when the operation was issued */
	union {
		uint32_t to_life; /* the same of `to` */
		uint32_t before;  /* of an erase: the previous one of the block, perhaps done already */
		uint32_t behind_for_room; /* of a program without room: the next one */
	};
	/* Next in the ring of its block or its wordline, or in the list of reads forwarded from a program. */
	uint32_t behind;
	uint32_t forwards;  /* the first read that waits for this program's data, or INDEX_NONE */
	uint32_t followers; /* ring of the copies that follow this one (struct copy) */
	die_t die;
	uint32_t cell_ns;
	uint16_t sectors;
	uint8_t kind, cause, stage;
	uint8_t flags;   /* OP_IN_SLC, ... */
	uint8_t retries; /* of a read: senses still to follow; of a copy: those of its read */
	uint8_t room;    /* enum room */
};

/* An operation has the size of a cache line. */
static_assert(sizeof(struct op) == 64, "an operation has 64 bytes");

/*
 * Consecutive copies from one block to another are one operation, the first copy; when a copy is done, the
 * operation becomes the next one.  That is equivalent, because the later copies have no other dependencies
 * and so would follow the first in every list.
 */
struct copy {
	uint32_t next;
	ppn_t from, to;
	uint32_t waiters; /* as in struct op */
};

struct edge {
	uint32_t next, op;
};

/* Pages that are programmed together.  It ends with its last pass. */
struct wordline {
	uint32_t next;         /* in the free list */
	uint32_t pages;        /* ring of the programs of its pages, in page order */
	uint32_t pass[2];      /* in the ring of the block; INDEX_NONE: not yet, or done */
	uint32_t before;       /* the wordline whose second pass waits for this one's first; INDEX_NONE */
	uint8_t issued, ready; /* pages */
	bool second;           /* it has a second pass: it is not of pads alone */
	bool folds;            /* a page of it is folded from SLC mode */
	bool lacks; /* its last pass is held up until pages are issued: its own, or those of the next one */
};

struct ticket {
	uint32_t next;    /* in the free list or the queue of completed requests */
	uint32_t pending; /* operations in flight, and the release */
	tick_t completed;
};

struct ops {
	struct pool op, copy, edge, ticket, wordline;
};

static inline struct op *ops_at(const struct ops *o, uint32_t op)
{
	return (struct op *)o->op.object + op;
}

static inline struct copy *ops_copy(const struct ops *o, uint32_t copy)
{
	return (struct copy *)o->copy.object + copy;
}

static inline struct wordline *ops_wordline(const struct ops *o, uint32_t wordline)
{
	return (struct wordline *)o->wordline.object + wordline;
}

/* Does the operation involve the controller only? */
static inline bool ops_is_in_controller(const struct op *op)
{
	return op->kind == OP_FORWARD || op->kind == OP_FLUSH;
}

/* Does the program still wait for room in memory? */
static inline bool ops_lacks_room(const struct op *op)
{
	return op->room == ROOM_LATER || op->room == ROOM_ASKED;
}

static inline bool ops_is_pass(const struct op *op)
{
	return op->kind >= OP_WORDLINE;
}

/* Is it a program that is carried out by a pass of its wordline? */
static inline bool ops_is_part(const struct op *op)
{
	return op->kind == OP_PROGRAM && op->wordline != INDEX_NONE;
}

static inline struct ticket *ops_ticket(const struct ops *o, uint32_t ticket)
{
	return (struct ticket *)o->ticket.object + ticket;
}

static inline op_t ops_handle(const struct ops *o, uint32_t op)
{
	return (op_t)ops_at(o, op)->generation << 32 | (op + 1);
}

/* Index of the operation, or INDEX_NONE if it is done. */
static inline uint32_t ops_index(const struct ops *o, op_t handle)
{
	uint32_t index = (uint32_t)handle - 1;

	return handle != OP_NONE && ops_at(o, index)->generation == handle >> 32 ? index : INDEX_NONE;
}

/* Frees the operation: its handle means "done" from now on. */
static inline void ops_give_op(struct ops *o, uint32_t op)
{
	ops_at(o, op)->generation++;
	ops_at(o, op)->stage = STAGE_DONE;
	pool_give(&o->op, op);
}

/* Adds `op` to a ring of waiters. */
static inline void ops_add_edge(struct ops *o, uint32_t op, uint32_t *waiters)
{
	uint32_t index = pool_take(&o->edge);
	struct edge *edge = (struct edge *)o->edge.object;

	edge[index].op = op;
	ring_append(waiters, ARRAY_FIELD(edge, next), index);
	ops_at(o, op)->blockers++;
}

/* Takes the first waiter of `op`; INDEX_NONE: there is none. */
static inline uint32_t ops_next_waiter(struct ops *o, uint32_t op)
{
	struct edge *edge = (struct edge *)o->edge.object;
	uint32_t index = ring_take(&ops_at(o, op)->waiters, ARRAY_FIELD(edge, next));

	if (index == INDEX_NONE)
		return INDEX_NONE;
	pool_give(&o->edge, index);
	return edge[index].op;
}

/* Appends a copy to an operation that copies. */
static inline void ops_follow(struct ops *o, uint32_t op, ppn_t from, ppn_t to)
{
	uint32_t index = pool_take(&o->copy);
	struct copy *copy = (struct copy *)o->copy.object;

	copy[index] = (struct copy){ .from = from, .to = to, .waiters = INDEX_NONE };
	ring_append(&ops_at(o, op)->followers, ARRAY_FIELD(copy, next), index);
}

/* Iterates over the copies that follow the operation; INDEX_NONE: no more. */
static inline uint32_t ops_first_copy(const struct ops *o, const struct op *op)
{
	struct copy *copy = (struct copy *)o->copy.object;

	return ring_first(op->followers, ARRAY_FIELD(copy, next));
}

static inline uint32_t ops_next_copy(const struct ops *o, const struct op *op, uint32_t at)
{
	struct copy *copy = (struct copy *)o->copy.object;

	return ring_behind(op->followers, ARRAY_FIELD(copy, next), at);
}

/* Iterates over the programs of a wordline; INDEX_NONE: no more. */
static inline uint32_t ops_first_of(const struct ops *o, const struct wordline *w)
{
	struct op *op = (struct op *)o->op.object;

	return ring_first(w->pages, ARRAY_FIELD(op, behind));
}

static inline uint32_t ops_next_of(const struct ops *o, const struct wordline *w, uint32_t at)
{
	struct op *op = (struct op *)o->op.object;

	return ring_behind(w->pages, ARRAY_FIELD(op, behind), at);
}

/* Iterates over the operations of requests that an operation of a command carries out: the operation itself
 * or, for a pass, the programs of its wordline.  INDEX_NONE: no more. */
static inline uint32_t ops_first_part(const struct ops *o, uint32_t index)
{
	const struct op *op = ops_at(o, index);

	return ops_is_pass(op) ? ops_first_of(o, ops_wordline(o, op->wordline)) : index;
}

static inline uint32_t ops_next_part(const struct ops *o, uint32_t index, uint32_t at)
{
	const struct op *op = ops_at(o, index);

	return ops_is_pass(op) ? ops_next_of(o, ops_wordline(o, op->wordline), at) : INDEX_NONE;
}

/* Number of copies that follow the operation, at most `limit`. */
static inline uint64_t ops_followers(const struct ops *o, uint32_t op, uint64_t limit)
{
	uint32_t at = ops_first_copy(o, ops_at(o, op));
	uint64_t n = 0;

	for (; at != INDEX_NONE && n < limit; n++)
		at = ops_next_copy(o, ops_at(o, op), at);
	return n;
}

/* The first copy is done: the operation becomes the next one. */
static inline void ops_advance(struct ops *o, uint32_t index)
{
	struct copy *copy = (struct copy *)o->copy.object;
	struct op *op = ops_at(o, index);
	uint32_t next = ring_take(&op->followers, ARRAY_FIELD(copy, next));

	op->ppn = copy[next].from;
	op->to = copy[next].to;
	op->waiters = copy[next].waiters;
	pool_give(&o->copy, next);
}

#endif
