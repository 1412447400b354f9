#include "flash/schedule_inside.h"

#include "flash/cells.h"
#include "flash/events.h"
#include "flash/order.h"
#include "flash/wordline.h"
#include "flash/write_memory.h"

void complete_part(struct schedule *s, uint32_t index)
{
	struct ticket *ticket = ops_ticket(&s->ops, index);

	if (--ticket->pending)
		return;
	if (index == s->work_ticket)
		s->work_ticket = INDEX_NONE;
	event_completed(s, index);
	ticket->completed = s->now;
	ticket = s->ops.ticket.object;
	queue_append(&s->completed, ARRAY_FIELD(ticket, next), index);
}

/* The operation no longer uses the block: the erase that ends this life of the block loses a dependency. */
HOT void complete_leave(struct schedule *s, struct flash_block *block, uint32_t life, bool plain)
{
	uint32_t erase = order_leave(&s->ops, block, life);

	if (erase != INDEX_NONE)
		COPY_OF(ready_unblock, plain)(s, erase, INDEX_NONE);
}

/* The operation no longer uses its blocks: the target, and the source of a copy or of a read at its
 * source. */
HOT void complete_leave_blocks(
	struct schedule *s, const struct op *op, struct flash_block *target, bool plain)
{
	switch (op->kind) {
	case OP_ERASE:
		COPY_OF(ready_pass, plain)(s, target);
		break;
	case OP_COPY:
		complete_leave(s, block_of(s, op->ppn), op->life, plain);
		complete_leave(s, target, op->to_life, plain);
		break;
	default:
		complete_leave(s, target, op->life, plain);
		if (op->kind == OP_READ && op->to != PPN_NONE)
			complete_leave(s, block_of(s, op->to), op->to_life, plain);
	}
}

HOT void complete_unblock_waiters(struct schedule *s, uint32_t index, bool plain)
{
	uint32_t waiter;

	while ((waiter = ops_next_waiter(&s->ops, index)) != INDEX_NONE)
		COPY_OF(ready_unblock, plain)(s, waiter, index);
}

HOT void complete_one(struct schedule *s, uint32_t index, bool plain)
{
	const struct op *op = ops_at(&s->ops, index);
	struct flash_block *block = block_of(s, order_target(op));

	if (!plain)
		event_done(s, index);
	load_change(s, op, -(uint64_t)op->cell_ns);
	s->in_flight--;
	s->held -= op->room == ROOM_FORWARD;
	if (op->kind != OP_READ && !ops_is_in_controller(op) && !wordline_has(op, plain))
		order_finish(&s->ops, block, index);
	complete_unblock_waiters(s, index, plain);
	if (!ops_is_in_controller(op))
		complete_leave_blocks(s, op, block, plain);
	if (write_memory_holds(op, plain))
		write_memory_leave(s);
	if (op->ticket != INDEX_NONE) {
		if (!plain)
			event_finished(s, index);
		complete_part(s, op->ticket);
	}
	ops_give_op(&s->ops, index);
}

void complete_op(struct schedule *s, uint32_t index)
{
	if (wordline_is_pass(ops_at(&s->ops, index), false))
		wordline_end_pass(s, index);
	else
		complete_one(s, index, false);
}

void complete_op_plain(struct schedule *s, uint32_t index)
{
	complete_one(s, index, true);
}

HOT void complete_first_copy(struct schedule *s, uint32_t index, bool plain)
{
	struct op *op = ops_at(&s->ops, index);

	if (!plain)
		event_done(s, index);
	load_change(s, op, -(uint64_t)op->cell_ns);
	order_check_end(&s->ops, block_of(s, op->to), index);
	complete_unblock_waiters(s, index, plain);
	ops_advance(&s->ops, index);
	op->cell_ns = cells_ns(s, OP_COPY, op->ppn, op->to, cells_mode_of(op, plain), plain);
}

void complete_copy(struct schedule *s, uint32_t index)
{
	complete_first_copy(s, index, false);
}

void complete_copy_plain(struct schedule *s, uint32_t index)
{
	complete_first_copy(s, index, true);
}
