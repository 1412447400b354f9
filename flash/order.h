/*
 * The order of programs and erases of a block.  A block keeps its programs, copies into it and erases that
 * are in flight in a ring, in order of issue.  An operation passes the gate into the queue of its die when it
 * is ready and every earlier one has passed; an earlier erase must be done.  As the queue is first come,
 * first served, operations of a block start in this order, and as the cells of a die serve one command at a
 * time they finish in it.  Both are asserted for every operation.
 *
 * An erase ends a life of its block: it waits for every operation of that life, including reads and copies
 * from the block.  Internal to flash/; does not handle time.
 */
#ifndef FLASH_ORDER_H
#define FLASH_ORDER_H

#include "base/fault.h"
#include "flash/ops.h"

/* The page that a program or copy writes, and the life of its block. */
static inline ppn_t order_target(const struct op *op)
{
	return op->kind == OP_COPY ? op->to : op->ppn;
}

static inline uint32_t order_target_life(const struct op *op)
{
	return op->kind == OP_COPY ? op->to_life : op->life;
}

/* Appends a program, copy or erase to the ring of its block.  Pages are issued in ascending order (flash.h),
 * so the ring is in order of pages, too, apart from second passes. */
void order_append(struct ops *, struct flash_block *, uint32_t index);

/* The links of the rings. */
static inline struct array_field order_links(const struct ops *o)
{
	struct op *op = (struct op *)o->op.object;

	return ARRAY_FIELD(op, behind);
}

/* First operation of the ring of a block, and the next one; INDEX_NONE: none. */
static inline uint32_t order_first(const struct ops *o, const struct flash_block *b)
{
	return ring_first(b->last, order_links(o));
}

static inline uint32_t order_next(const struct ops *o, const struct flash_block *b, uint32_t at)
{
	return ring_behind(b->last, order_links(o), at);
}

/* An operation issued now uses the block. */
static inline void order_enter(struct flash_block *b)
{
	b->unfinished++;
}

/* The operation uses this life of the block; false: that life is over. */
bool order_join(struct ops *, struct flash_block *, uint32_t life);

/* The operation no longer uses this life.  Returns the erase that loses a dependency by this, or
 * INDEX_NONE. */
uint32_t order_leave(struct ops *, struct flash_block *, uint32_t life);

/* Lets the next ready operation pass the gate; INDEX_NONE: none can. */
uint32_t order_pass(struct ops *, struct flash_block *);

/* No earlier program, copy or erase of the block is in flight: the operation may end. */
static inline bool order_is_first(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	return ops_at(o, index)->flags & OP_ORPHAN || order_first(o, b) == index;
}

/* The operation may start: it is the first, or the one before it is in the cells. */
static inline bool order_is_turn(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	uint32_t first;

	if (order_is_first(o, b, index))
		return true;
	first = order_first(o, b);
	return ops_at(o, first)->stage == STAGE_IN_CELLS && order_next(o, b, first) == index;
}

/* The operation starts: aborts unless it is its turn. */
static inline void order_start(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	const struct op *op = ops_at(o, index);

	BUG_ON(!order_is_turn(o, b, index),
		"an operation of page %u starts before an earlier one of its block has", order_target(op));
	BUG_ON(op->kind == OP_ERASE && op->users,
		"the block of page %u is erased while %u operations still use it", op->ppn, op->users);
}

/* The operation or its first copy is done: aborts unless it is its turn. */
static inline void order_check_end(const struct ops *o, const struct flash_block *b, uint32_t index)
{
	BUG_ON(!order_is_first(o, b, index),
		"an operation of page %u is done before an earlier one of its block",
		order_target(ops_at(o, index)));
}

/* The erase, the first in the ring, is removed. */
static inline void order_drop_erase(struct flash_block *b, uint32_t index)
{
	if (b->erase == index)
		b->erase = INDEX_NONE;
}

static inline void order_finish(struct ops *o, struct flash_block *b, uint32_t index)
{
	const struct op *op = ops_at(o, index);

	order_check_end(o, b, index);
	if (op->flags & OP_ORPHAN)
		return;
	if (op->kind == OP_ERASE) {
		b->gate = order_next(o, b, index);
		order_drop_erase(b, index);
	}
	ring_take(&b->last, order_links(o));
}

/* The block was erased outside time: operations in flight no longer concern it and pass no gate.  Takes the
 * first one off the ring; INDEX_NONE: there is none. */
uint32_t order_orphan(struct ops *, struct flash_block *);

/* The operation in flight that writes the page in this life of the block, or INDEX_NONE. */
uint32_t order_find_writer(const struct ops *, const struct flash_block *, ppn_t, uint32_t life);

static inline uint32_t order_writer(
	const struct ops *o, const struct flash_block *b, ppn_t ppn, uint32_t life)
{
	return b->last == INDEX_NONE ? INDEX_NONE : order_find_writer(o, b, ppn, life);
}

/* For this writer, which may be a series of copies: the source of the page, and the ring of operations that
 * wait for the page. */
ppn_t order_source(const struct ops *, uint32_t writer, ppn_t);
uint32_t *order_waiters(const struct ops *, uint32_t writer, ppn_t);

/* The erase in flight that begins this life of the block, or INDEX_NONE. */
uint32_t order_erase(const struct ops *, const struct flash_block *, uint32_t life);

#endif
