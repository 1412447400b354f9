#include "flash/ops.h"

#include "base/memory.h"

#define FIRST_ROOM 1024

/* Appends `count` fresh operations to the pool; the lowest index is used first. */
static void grow_ops(struct ops *o, uint32_t count)
{
	uint32_t old = o->ops;

	o->op = memory_resize(o->op, old + count, sizeof *o->op, "operation pool");
	o->ops += count;
	for (uint32_t i = o->ops; i-- > old;) {
		o->op[i] = (struct op){ .next = o->free_op, .generation = 1 };
		o->free_op = i;
	}
}

static void grow_edges(struct ops *o, uint32_t count)
{
	uint32_t old = o->edges;

	o->edge = memory_resize(o->edge, old + count, sizeof *o->edge, "dependency pool");
	o->edges += count;
	for (uint32_t i = o->edges; i-- > old;) {
		o->edge[i].next = o->free_edge;
		o->free_edge = i;
	}
}

static void grow_tickets(struct ops *o, uint32_t count)
{
	uint32_t old = o->tickets;

	o->ticket = memory_resize(o->ticket, old + count, sizeof *o->ticket, "request pool");
	o->tickets += count;
	for (uint32_t i = o->tickets; i-- > old;) {
		o->ticket[i].next = o->free_ticket;
		o->free_ticket = i;
	}
}

void ops_init(struct ops *o)
{
	*o = (struct ops){ .free_op = INDEX_NONE, .free_edge = INDEX_NONE, .free_ticket = INDEX_NONE };
	grow_ops(o, FIRST_ROOM);
	grow_edges(o, FIRST_ROOM);
	grow_tickets(o, FIRST_ROOM);
}

void ops_release(struct ops *o)
{
	memory_free(o->op);
	memory_free(o->edge);
	memory_free(o->ticket);
}

uint32_t ops_take_op(struct ops *o)
{
	uint32_t index;

	if (o->free_op == INDEX_NONE)
		grow_ops(o, o->ops);
	index = o->free_op;
	o->free_op = o->op[index].next;
	return index;
}

void ops_give_op(struct ops *o, uint32_t index)
{
	struct op *op = &o->op[index];

	op->generation++;
	op->next = o->free_op;
	o->free_op = index;
}

uint32_t ops_take_ticket(struct ops *o)
{
	uint32_t index;

	if (o->free_ticket == INDEX_NONE)
		grow_tickets(o, o->tickets);
	index = o->free_ticket;
	o->free_ticket = o->ticket[index].next;
	return index;
}

void ops_give_ticket(struct ops *o, uint32_t index)
{
	o->ticket[index].next = o->free_ticket;
	o->free_ticket = index;
}

void ops_add_edge(struct ops *o, uint32_t op, uint32_t other)
{
	struct op *cause = &o->op[other];
	uint32_t index;

	if (o->free_edge == INDEX_NONE)
		grow_edges(o, o->edges);
	index = o->free_edge;
	o->free_edge = o->edge[index].next;
	o->edge[index] = (struct edge){ .op = op, .next = INDEX_NONE };
	if (cause->first_waiter == INDEX_NONE)
		cause->first_waiter = index;
	else
		o->edge[cause->last_waiter].next = index;
	cause->last_waiter = index;
	o->op[op].blockers++;
}

uint32_t ops_next_waiter(struct ops *o, uint32_t op)
{
	uint32_t index = o->op[op].first_waiter, waiter;

	if (index == INDEX_NONE)
		return INDEX_NONE;
	waiter = o->edge[index].op;
	o->op[op].first_waiter = o->edge[index].next;
	o->edge[index].next = o->free_edge;
	o->free_edge = index;
	return waiter;
}
