/*
 * The operations under way and what each waits for: a pool of operations, edges between them,
 * the tickets of the requests they belong to.  Internal to flash/.
 * Knows nothing of time: it says what has become ready or done, schedule.c says when.
 */
#ifndef FLASH_OPS_H
#define FLASH_OPS_H

#include "flash/flash.h"

#define INDEX_NONE UINT32_MAX

enum stage { STAGE_WAITING, STAGE_READY, STAGE_QUEUED }; /* ready = waits for nothing but its block's gate */

struct op {
	uint32_t next;       /* in a queue, a command, a request's list or the free list */
	uint32_t generation; /* tells a handle of this use from one of an earlier use */
	uint32_t blockers;   /* what it still waits for; its request's release is one of them */
	uint32_t first_waiter, last_waiter; /* edges to operations that wait for this one */
	uint32_t ticket;                    /* INDEX_NONE: no request waits for it */
	ppn_t ppn, to; /* `to`: target of a copy; what is read at its source; of an erase, see order.c */
	uint32_t life, to_life; /* erases of their blocks when the operation was made */
	uint32_t behind;   /* + 1: the next in its block's list, or of the reads forwarded from a program */
	uint32_t forwards; /* + 1: reads that wait for this program's data */
	plane_t plane;
	uint32_t cell_ns;
	uint16_t sectors;
	uint8_t kind, cause, stage;
	bool held;   /* a program: the controller's memory holds its page */
	bool chases; /* a read: its page was still being written when it was made */
	bool orphan; /* its block has been erased outside time */
};

struct edge {
	uint32_t op, next;
};

struct ticket {
	uint32_t pending; /* operations to finish, and the release */
	uint32_t next;    /* in the free list or the list of completed ones */
	tick_t completed;
};

struct ops {
	struct op *op;
	struct edge *edge;
	struct ticket *ticket;
	uint32_t ops, edges, tickets; /* room in the arrays */
	uint32_t free_op, free_edge, free_ticket;
};

void ops_init(struct ops *);
void ops_release(struct ops *);

/* Each takes a zeroed element from its pool (which may move the array) and returns its index. */
uint32_t ops_take_op(struct ops *);
uint32_t ops_take_ticket(struct ops *);

void ops_give_op(struct ops *, uint32_t op); /* its handle means "done" from now on */
void ops_give_ticket(struct ops *, uint32_t ticket);

/* `op` waits for `other` too. */
void ops_add_edge(struct ops *, uint32_t op, uint32_t other);

/* Takes the first waiter off the list of `op`; INDEX_NONE when there is none. */
uint32_t ops_next_waiter(struct ops *, uint32_t op);

static inline op_t ops_handle(const struct ops *o, uint32_t index)
{
	return (op_t)o->op[index].generation << 32 | (index + 1);
}

/* Index behind a handle, or INDEX_NONE if the operation is done. */
static inline uint32_t ops_index(const struct ops *o, op_t handle)
{
	uint32_t index = (uint32_t)handle - 1;

	return handle != OP_NONE && o->op[index].generation == handle >> 32 ? index : INDEX_NONE;
}

#endif
