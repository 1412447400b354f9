#include "flash/schedule_inside.h"

#include "flash/cells.h"
#include "flash/events.h"
#include "flash/order.h"
#include "flash/wordline.h"

HOT void ready_pass_ops(struct schedule *s, struct flash_block *block, bool plain)
{
	uint32_t index;

	while ((index = order_pass(&s->ops, block)) != INDEX_NONE)
		COPY_OF(unit_enqueue, plain)(s, index);
}

void ready_pass(struct schedule *s, struct flash_block *block)
{
	ready_pass_ops(s, block, false);
}

void ready_pass_plain(struct schedule *s, struct flash_block *block)
{
	ready_pass_ops(s, block, true);
}

/* ---- reads from the controller's memory ---- */

/* Completing a forwarded read can make others ready.  A queue instead of recursion: chains may be long. */
static void ready_answer(struct schedule *s, uint32_t index)
{
	struct op *op = s->ops.op.object;
	uint32_t next;

	queue_append(&s->answered, ARRAY_FIELD(op, next), index);
	if (s->answering)
		return;
	s->answering = true;
	while ((next = queue_take(&s->answered, ARRAY_FIELD(op, next))) != INDEX_NONE)
		complete_op(s, next);
	s->answering = false;
}

/* The data of the program is in the controller's memory: reads forwarded from it are answered. */
static void ready_answer_reads(struct schedule *s, uint32_t program)
{
	uint32_t at = ops_at(&s->ops, program)->forwards;

	ops_at(&s->ops, program)->forwards = INDEX_NONE;
	while (at != INDEX_NONE) {
		uint32_t next = ops_at(&s->ops, at)->behind;

		ready_unblock(s, at, program);
		at = next;
	}
}

/* ---- reads of a page under copy-back ---- */

void ready_wait_for_page(struct schedule *s, uint32_t index, uint32_t writer, ppn_t ppn)
{
	ops_add_edge(&s->ops, index, order_waiters(&s->ops, writer, ppn));
	event_waits(s, index, writer);
}

/* Source page of the copy, and the life of its block.  False: an erase has ended that life. */
static bool ready_trace_back(const struct schedule *s, uint32_t copy, ppn_t *ppn, uint32_t *life)
{
	const struct flash_block *block;

	*ppn = order_source(&s->ops, copy, *ppn);
	*life = ops_at(&s->ops, copy)->life;
	block = block_of(s, *ppn);
	return *life == block->erases || order_erase(&s->ops, block, *life + 1) != INDEX_NONE;
}

/* Redirects the read to the source of a copy. */
static void ready_read_at(struct schedule *s, struct op *op, ppn_t source, uint32_t life, uint8_t mode)
{
	uint64_t before = op->cell_ns;

	op->to = op->ppn;
	op->to_life = op->life;
	op->ppn = source;
	op->life = life;
	order_join(&s->ops, block_of(s, source), life);
	op->flags = (uint8_t)((op->flags & ~OP_MODE) | mode);
	op->cell_ns = cells_ns(s, OP_READ, source, PPN_NONE, mode, false);
	load_change(s, op, (op->cell_ns - before) * (1u + op->retries));
}

/*
 * A page that is being copied is read at its source, or at the source's source if that is being copied, too.
 * False: the data is not in flash yet, and the read waits for it.  Decided when the read has no other
 * dependency left: the erase of the source block will wait for the read, so the read must not wait for an
 * operation after that erase.
 */
static bool ready_find_data(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);
	ppn_t ppn = op->ppn;
	uint32_t life = op->life, first = wordline_writer_of(s, ppn, life, false), writer = first;
	bool known = true;
	uint8_t mode = 0;

	if (first == INDEX_NONE)
		return true;
	while (known && writer != INDEX_NONE && ops_at(&s->ops, writer)->kind == OP_COPY) {
		mode = ops_at(&s->ops, writer)->flags & OP_IN_SLC;
		known = ready_trace_back(s, writer, &ppn, &life);
		writer = wordline_writer_of(s, ppn, life, false);
	}
	if (known && writer == INDEX_NONE) {
		event_reads_at(s, index, ppn);
		ready_read_at(s, op, ppn, life, mode);
		return true;
	}
	ready_wait_for_page(s, index, first, op->ppn);
	return false;
}

/* ---- ready ---- */

HOT void ready_op(struct schedule *s, uint32_t index, bool plain)
{
	struct op *op = ops_at(&s->ops, index);

	if (op->flags & OP_CHASES && !ready_find_data(s, index))
		return;
	if (!plain)
		event_ready(s, index);
	op->stage = STAGE_READY;
	if (op->forwards != INDEX_NONE)
		ready_answer_reads(s, index);
	if (ops_is_in_controller(op))
		ready_answer(s, index);
	else if (op->kind == OP_READ || op->flags & OP_ORPHAN)
		COPY_OF(unit_enqueue, plain)(s, index);
	else if (wordline_has(op, plain))
		wordline_page_ready(s, index);
	else
		ready_pass_ops(s, block_of(s, order_target(op)), plain);
}

HOT void ready_lose_blocker(struct schedule *s, uint32_t index, uint32_t by, bool plain)
{
	if (!plain)
		event_unblocked(s, index, by);
	if (--ops_at(&s->ops, index)->blockers == 0)
		ready_op(s, index, plain);
}

void ready_unblock(struct schedule *s, uint32_t index, uint32_t by)
{
	ready_lose_blocker(s, index, by, false);
}

void ready_unblock_plain(struct schedule *s, uint32_t index, uint32_t by)
{
	ready_lose_blocker(s, index, by, true);
}

void schedule_forget(struct schedule *s, block_t b)
{
	struct flash_block *block = &s->flash->block[b];
	uint32_t index;

	while ((index = order_orphan(&s->ops, block)) != INDEX_NONE) {
		const struct op *op = ops_at(&s->ops, index);

		if (op->stage == STAGE_READY)
			unit_enqueue(s, index);
		else if (op->stage == STAGE_WAITING && !op->blockers)
			ready_op(s, index, false);
	}
	unit_dispatch_woken(s);
}
