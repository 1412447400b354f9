#include "flash/schedule_inside.h"

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
HOT void complete_leave(struct schedule *s, struct flash_block *block, uint32_t life)
{
	uint32_t erase = order_leave(&s->ops, block, life);

	if (erase != INDEX_NONE)
		ready_unblock(s, erase, INDEX_NONE);
}

/* The operation no longer uses its blocks: the target, and the source of a copy or of a read at its
 * source. */
HOT void complete_leave_blocks(struct schedule *s, const struct op *op, struct flash_block *target)
{
	switch (op->kind) {
	case OP_ERASE:
		ready_pass(s, target);
		break;
	case OP_COPY:
		complete_leave(s, block_of(s, op->ppn), op->life);
		complete_leave(s, target, op->to_life);
		break;
	default:
		complete_leave(s, target, op->life);
		if (op->kind == OP_READ && op->to != PPN_NONE)
			complete_leave(s, block_of(s, op->to), op->to_life);
	}
}

HOT void complete_unblock_waiters(struct schedule *s, uint32_t index)
{
	uint32_t waiter;

	while ((waiter = ops_next_waiter(&s->ops, index)) != INDEX_NONE)
		ready_unblock(s, waiter, index);
}

void complete_op(struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);
	struct flash_block *block = block_of(s, order_target(op));

	if (ops_is_pass(op)) {
		wordline_end_pass(s, index);
		return;
	}
	event_done(s, index);
	load_change(s, op, -(uint64_t)op->cell_ns);
	s->in_flight--;
	s->held -= op->room == ROOM_FORWARD;
	if (op->kind != OP_READ && !ops_is_in_controller(op) && !ops_is_part(op))
		order_finish(&s->ops, block, index);
	complete_unblock_waiters(s, index);
	if (!ops_is_in_controller(op))
		complete_leave_blocks(s, op, block);
	if (op->room == ROOM_GIVEN)
		write_memory_leave(s);
	if (op->ticket != INDEX_NONE) {
		event_finished(s, index);
		complete_part(s, op->ticket);
	}
	ops_give_op(&s->ops, index);
}

void complete_copy(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);

	event_done(s, index);
	load_change(s, op, -(uint64_t)op->cell_ns);
	order_check_end(&s->ops, block_of(s, op->to), index);
	complete_unblock_waiters(s, index);
	ops_advance(&s->ops, index);
	op->cell_ns = time_in_cells(s, OP_COPY, op->ppn, op->to, op->flags);
}
