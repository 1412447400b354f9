/*
 * The order of programs and erases of a block in time.  A block keeps its unfinished programs, targets of
 * copies and erases in a ring, in the order in which they were made; behind the last is the first.  An
 * operation of the ring passes the gate into its die's queue when it is ready and every earlier one has
 * passed (an erase: has finished); as that queue is first come first served, they start in this order, and
 * because a die serves one command at a time they finish in it.  Both is asserted of every operation.
 *
 * An erase ends a life of its block: it waits for every operation of that life, reads and copies
 * from the block included.  Internal to flash/; knows nothing of time.
 */
#ifndef FLASH_ORDER_H
#define FLASH_ORDER_H

#include "base/fault.h"
#include "flash/ops.h"

/* Page that a program or a copy writes, and the life of its block in which it does. */
static inline ppn_t order_target(const struct op *op)
{
	return op->kind == OP_COPY ? op->to : op->ppn;
}

static inline uint32_t order_target_life(const struct op *op)
{
	return op->kind == OP_COPY ? op->to_life : op->life;
}

/* A program, copy or erase is made: it is the last of its block.  Its page is behind those made before
 * (flash.h), so that the order of the ring is that of pages. */
void order_append(struct ops *, struct flash_block *, uint32_t op);

/* The links of the rings. */
static inline struct array_field order_links(const struct ops *o)
{
	struct op *op = o->op.object;

	return ARRAY_FIELD(op, behind);
}

/* The first operation of the block's ring, and the one behind another; INDEX_NONE: none. */
static inline uint32_t order_first(const struct ops *o, const struct flash_block *b)
{
	return ring_first(b->last, order_links(o));
}

static inline uint32_t order_next(const struct ops *o, const struct flash_block *b, uint32_t at)
{
	return ring_behind(b->last, order_links(o), at);
}

/* An operation made now uses the block. */
static inline void order_enter(struct flash_block *b)
{
	b->unfinished++;
}

/* An operation uses the block in this life; false if nothing of that life is left. */
bool order_join(struct ops *, struct flash_block *, uint32_t life);

/* It no longer does.  The erase that has one blocker less, or INDEX_NONE. */
uint32_t order_leave(struct ops *, struct flash_block *, uint32_t life);

/* An operation that passes the gate now, or INDEX_NONE. */
uint32_t order_pass(struct ops *, struct flash_block *);

/* It is this program's or erase's turn in its block: no earlier one is unfinished. */
static inline bool order_is_turn(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	return ops_at(o, index)->orphan || order_first(o, b) == index;
}

/* A program, copy or erase starts or is done: aborts unless it is its turn. */
static inline void order_start(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	const struct op *op = ops_at(o, index);

	BUG_ON(!order_is_turn(o, b, index),
		"an operation of page %u starts before an earlier one of its block is done",
		order_target(op));
	BUG_ON(op->kind == OP_ERASE && op->users,
		"the block of page %u is erased while %u operations still use it", op->ppn, op->users);
}

/* It is done, or one of the copies that are one operation is. */
static inline void order_check_end(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	BUG_ON(!order_is_turn(o, b, index),
		"an operation of page %u is done before an earlier one of its block",
		order_target(ops_at(o, index)));
}

static inline void order_finish(struct ops *o, struct flash_block *b, uint32_t index)
{
	const struct op *op = ops_at(o, index);

	order_check_end(o, b, index);
	if (op->orphan)
		return;
	if (op->kind == OP_ERASE)
		b->gate = order_next(o, b, index);
	ring_take(&b->last, order_links(o));
}

/* The block was erased outside time: what is under way no longer concerns it and passes no gate.  Takes the
 * first operation off the ring; INDEX_NONE when there is none. */
uint32_t order_orphan(struct ops *, struct flash_block *);

/* The unfinished operation that writes the page in this life, or INDEX_NONE. */
uint32_t order_writer(const struct ops *, const struct flash_block *, ppn_t, uint32_t life);

/* Of that operation, which may write other pages before or behind it: where a copy takes the page from, and
 * what waits for the page. */
ppn_t order_source(const struct ops *, uint32_t writer, ppn_t);
uint32_t *order_waiters(const struct ops *, uint32_t writer, ppn_t);

/* The unfinished erase that begins this life, or INDEX_NONE. */
uint32_t order_erase(const struct ops *, const struct flash_block *, uint32_t life);

#endif
