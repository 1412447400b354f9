/*
 * The operations under way and what each waits for: a pool of operations, edges between them,
 * the tickets of the requests they belong to.  Internal to flash/.
 * Knows nothing of time: it says what has become ready or done, schedule.c says when.
 */
#ifndef FLASH_OPS_H
#define FLASH_OPS_H

#include "base/pool.h"
#include "base/queue.h"
#include "flash/flash.h"

enum stage {
	STAGE_WAITING,
	STAGE_READY, /* waits for nothing but its block's gate */
	STAGE_QUEUED,
	STAGE_DONE
};

struct op {
	uint32_t next;        /* in a queue, a command, a request's list or the free list */
	uint32_t generation;  /* tells a handle of this use from one of an earlier use */
	uint32_t blockers;    /* what it still waits for; its request's release is one of them */
	struct queue waiters; /* edges to operations that wait for this one */
	uint32_t ticket;      /* INDEX_NONE: no request waits for it */
	ppn_t ppn, to; /* `to`: target of a copy; what is read at its source; of an erase, see order.c */
	uint32_t life, to_life; /* erases of their blocks when the operation was made */
	uint32_t behind;   /* + 1: the next in its block's ring, or of the reads forwarded from a program */
	uint32_t forwards; /* + 1: reads that wait for this program's data */
	die_t die;
	uint32_t cell_ns;
	uint16_t sectors;
	uint8_t kind, cause, stage;
	bool held;   /* a program: the controller's memory holds its page */
	bool chases; /* a read: its page was still being written when it was made */
	bool orphan; /* its block has been erased outside time */
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
	struct pool op, edge, ticket;
};

static inline struct op *ops_at(const struct ops *o, uint32_t op)
{
	return (struct op *)o->op.object + op;
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

/* `op` waits for `other` too. */
static inline void ops_add_edge(struct ops *o, uint32_t op, uint32_t other)
{
	uint32_t index = pool_take(&o->edge);
	struct edge *edge = o->edge.object;

	edge[index].op = op;
	queue_append(&ops_at(o, other)->waiters, ARRAY_FIELD(edge, next), index);
	ops_at(o, op)->blockers++;
}

/* Takes the first waiter off the list of `op`; INDEX_NONE when there is none. */
static inline uint32_t ops_next_waiter(struct ops *o, uint32_t op)
{
	struct edge *edge = o->edge.object;
	uint32_t index = queue_take(&ops_at(o, op)->waiters, ARRAY_FIELD(edge, next));

	if (index == INDEX_NONE)
		return INDEX_NONE;
	pool_give(&o->edge, index);
	return edge[index].op;
}

#endif
