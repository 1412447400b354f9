/*
 * The operations under way and what each waits for: a pool of operations, edges between them,
 * the tickets of the requests they belong to.  Internal to flash/.
 * Knows nothing of time: it says what has become ready or done, schedule.c says when.
 */
#ifndef FLASH_OPS_H
#define FLASH_OPS_H

#include "base/pool.h"
#include "base/queue.h"
#include "base/ring.h"
#include "flash/flash.h"

enum stage {
	STAGE_WAITING,
	STAGE_READY, /* waits for nothing but its block's gate */
	STAGE_QUEUED,
	STAGE_DONE
};

struct op {
	uint32_t next;       /* in a queue, a command, a request's list or the free list */
	uint32_t generation; /* tells a handle of this use from one of an earlier use */
	uint32_t blockers;   /* what it still waits for; its request's release is one of them */
	uint32_t waiters;    /* ring of edges to operations that wait for this one */
	uint32_t ticket;     /* INDEX_NONE: no request waits for it */
	ppn_t ppn;
	union {
		ppn_t to; /* of a copy: its target; of a read at the source of a copy: the page asked for; PPN_NONE */
		uint32_t users; /* of an erase: unfinished operations of the life that it ends */
	};
	uint32_t life, to_life; /* erases of their blocks when the operation was made */
	uint32_t behind;        /* the next in its block's ring, or of the reads forwarded from a program */
	uint32_t forwards;      /* the first read that waits for this program's data, or INDEX_NONE */
	uint32_t followers;     /* ring of the copies that follow this one (struct copy) */
	die_t die;
	uint32_t cell_ns;
	uint16_t sectors;
	uint8_t kind, cause, stage;
	bool held;   /* a program: the controller's memory holds its page */
	bool chases; /* a read: its page was still being written when it was made */
	bool orphan; /* its block has been erased outside time */
};

/*
 * Copies made one behind the other, from one block into another, become one operation: that of the first one,
 * which becomes the next whenever it is done.  Those to come wait for nothing of their own, so they would
 * stand behind it in every list.
 */
struct copy {
	uint32_t next;
	ppn_t from, to;
	uint32_t waiters; /* as those of an operation */
};

struct edge {
	uint32_t next, op;
};

struct ticket {
	uint32_t next;    /* in the free list or the list of completed ones */
	uint32_t pending; /* operations to finish, and the release */
	tick_t completed;
};

struct ops {
	struct pool op, copy, edge, ticket;
};

static inline struct op *ops_at(const struct ops *o, uint32_t op)
{
	return (struct op *)o->op.object + op;
}

static inline struct copy *ops_copy(const struct ops *o, uint32_t copy)
{
	return (struct copy *)o->copy.object + copy;
}

static inline struct ticket *ops_ticket(const struct ops *o, uint32_t ticket)
{
	return (struct ticket *)o->ticket.object + ticket;
}

static inline op_t ops_handle(const struct ops *o, uint32_t op)
{
	return (op_t)ops_at(o, op)->generation << 32 | (op + 1);
}

/* Index behind a handle, or INDEX_NONE if the operation is done. */
static inline uint32_t ops_index(const struct ops *o, op_t handle)
{
	uint32_t index = (uint32_t)handle - 1;

	return handle != OP_NONE && ops_at(o, index)->generation == handle >> 32 ? index : INDEX_NONE;
}

/* Its handle means "done" from now on. */
static inline void ops_give_op(struct ops *o, uint32_t op)
{
	ops_at(o, op)->generation++;
	ops_at(o, op)->stage = STAGE_DONE;
	pool_give(&o->op, op);
}

/* `op` waits, too, for what has these waiters. */
static inline void ops_add_edge(struct ops *o, uint32_t op, uint32_t *waiters)
{
	uint32_t index = pool_take(&o->edge);
	struct edge *edge = o->edge.object;

	edge[index].op = op;
	ring_append(waiters, ARRAY_FIELD(edge, next), index);
	ops_at(o, op)->blockers++;
}

/* Takes the first waiter off the list of `op`; INDEX_NONE when there is none. */
static inline uint32_t ops_next_waiter(struct ops *o, uint32_t op)
{
	struct edge *edge = o->edge.object;
	uint32_t index = ring_take(&ops_at(o, op)->waiters, ARRAY_FIELD(edge, next));

	if (index == INDEX_NONE)
		return INDEX_NONE;
	pool_give(&o->edge, index);
	return edge[index].op;
}

/* A copy follows the last one of an operation that copies. */
static inline void ops_follow(struct ops *o, uint32_t op, ppn_t from, ppn_t to)
{
	uint32_t index = pool_take(&o->copy);
	struct copy *copy = o->copy.object;

	copy[index] = (struct copy){ .from = from, .to = to, .waiters = INDEX_NONE };
	ring_append(&ops_at(o, op)->followers, ARRAY_FIELD(copy, next), index);
}

/* The copies that follow an operation, one after the other; INDEX_NONE: no more. */
static inline uint32_t ops_first_copy(const struct ops *o, const struct op *op)
{
	struct copy *copy = o->copy.object;

	return ring_first(op->followers, ARRAY_FIELD(copy, next));
}

static inline uint32_t ops_next_copy(const struct ops *o, const struct op *op, uint32_t at)
{
	struct copy *copy = o->copy.object;

	return ring_behind(op->followers, ARRAY_FIELD(copy, next), at);
}

/* How many copies follow the operation, counted up to a limit. */
static inline uint64_t ops_followers(const struct ops *o, uint32_t op, uint64_t limit)
{
	uint32_t at = ops_first_copy(o, ops_at(o, op));
	uint64_t n = 0;

	for (; at != INDEX_NONE && n < limit; n++)
		at = ops_next_copy(o, ops_at(o, op), at);
	return n;
}

/* A copy that others follow is done: the operation is the next one. */
static inline void ops_advance(struct ops *o, uint32_t index)
{
	struct copy *copy = o->copy.object;
	struct op *op = ops_at(o, index);
	uint32_t next = ring_take(&op->followers, ARRAY_FIELD(copy, next));

	op->ppn = copy[next].from;
	op->to = copy[next].to;
	op->waiters = copy[next].waiters;
	pool_give(&o->copy, next);
}

#endif
