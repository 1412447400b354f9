#include "flash/schedule_inside.h"

#include "flash/cells.h"
#include "flash/events.h"
#include "flash/order.h"
#include "flash/repeat.h"
#include "flash/wordline.h"
#include "flash/write_memory.h"

/* The request that waits for an operation issued now, or INDEX_NONE. */
HOT uint32_t issue_ticket(const struct io *io, enum cause cause, bool plain)
{
	if (io->detached || (cause_is_background(cause) && !io->work) || write_memory_frees(io, cause, plain))
		return INDEX_NONE;
	return io->ticket;
}

HOT void issue_join_request(struct schedule *s, struct io *io, uint32_t index, bool plain)
{
	struct op *op = ops_at(&s->ops, index);

	op->blockers = 1;
	op->ticket = issue_ticket(io, op->cause, plain);
	if (op->ticket != INDEX_NONE)
		ops_ticket(&s->ops, op->ticket)->pending++;
	if (io->first_op == INDEX_NONE)
		io->first_op = index;
	else
		ops_at(&s->ops, io->last_op)->next = index;
	io->last_op = index;
}

/* Makes the operation wait for all operations of the request issued in (io->step_behind, io->step].  If that
 * step only wrote, the last program of each block is enough: programs of a block finish in order, and none of
 * these blocks has a later one.  Programs by wordline are left out, as they may wait for this operation to
 * fill their wordline. */
static void issue_wait_for_step(struct schedule *s, const struct io *io, uint32_t index)
{
	uint32_t behind = io->step_behind, end = ops_at(&s->ops, io->step)->next;
	uint32_t first = behind == INDEX_NONE ? io->first_op : ops_at(&s->ops, behind)->next;

	for (; first != end; first = ops_at(&s->ops, first)->next) {
		const struct op *op = ops_at(&s->ops, first);

		if (op->kind != OP_PROGRAM ||
			(!has_wordlines(s, s->plain) &&
				(!io->step_of_writes || block_of(s, op->ppn)->last == first)))
			schedule_wait(s, ops_handle(&s->ops, index), ops_handle(&s->ops, first));
	}
}

/* What is issued. */
struct issued {
	enum op_kind kind;
	enum cause cause;
	ppn_t ppn, to;
	uint32_t sectors;
};

HOT uint32_t issue_op(struct io *io, struct issued i, bool plain)
{
	struct schedule *s = io->flash->schedule;
	uint32_t index = pool_take(&s->ops.op);
	struct op *op = ops_at(&s->ops, index);
	uint8_t mode = cells_mode(s, i.ppn, i.to, i.cause, plain);

	*op = (struct op){ .next = INDEX_NONE,
		.generation = op->generation,
		.waiters = INDEX_NONE,
		.forwards = INDEX_NONE,
		.followers = INDEX_NONE,
		.ppn = i.ppn,
		.to = i.to,
		.die = geometry_die_of(s->geometry, i.ppn),
		.cell_ns = cells_ns(s, i.kind, i.ppn, i.to, mode, plain),
		.sectors = (uint16_t)i.sectors,
		.kind = (uint8_t)i.kind,
		.cause = (uint8_t)i.cause,
		.flags = mode | (io->durable ? OP_DURABLE : 0) };
	load_change(s, op, op->cell_ns);
	s->in_flight++;
	issue_join_request(s, io, index, plain);
	if (!plain)
		event_made(s, io, index);
	if (io->step != INDEX_NONE)
		issue_wait_for_step(s, io, index);
	return index;
}

/* The page of a program is kept in the controller's memory if there is room. */
HOT void issue_take_room(struct schedule *s, uint32_t index, bool plain)
{
	struct op *op = ops_at(&s->ops, index);

	if (write_memory_takes(s, op, s->flash->owner[op->ppn], plain)) {
		write_memory_enter(s, index);
	} else if (s->held < s->room) {
		op->room = ROOM_FORWARD;
		s->held++;
	}
}

/* A program, copy or erase.  Inlined once per kind: `i.kind` is a constant. */
HOT op_t issue_change(struct io *io, struct issued i, bool plain)
{
	struct schedule *s = io->flash->schedule;
	uint32_t index = issue_op(io, i, plain);
	struct op *op = ops_at(&s->ops, index);
	struct flash_block *block = block_of(s, i.ppn),
			   *target = i.kind == OP_COPY ? block_of(s, i.to) : block;

	op->life = block->erases;
	op->to_life = target->erases;
	if (i.kind != OP_ERASE)
		order_enter(block);
	if (i.kind == OP_COPY)
		order_enter(target);
	if (i.kind == OP_PROGRAM)
		issue_take_room(s, index, plain);
	if (!plain)
		event_ordered(s, index);
	if (i.kind == OP_PROGRAM && wordline_takes(s, op->flags, plain))
		wordline_add(s, index);
	else
		order_append(&s->ops, target, index);
	return ops_handle(&s->ops, index);
}

op_t schedule_program(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause)
{
	struct issued i = { OP_PROGRAM, cause, ppn, PPN_NONE, sectors };

	return io->flash->schedule->plain ? issue_change(io, i, true) : issue_change(io, i, false);
}

op_t schedule_erase(struct io *io, ppn_t first, enum cause cause)
{
	return issue_change(io, (struct issued){ OP_ERASE, cause, first, PPN_NONE, 0 }, false);
}

/* ---- copies ---- */

op_t schedule_copy(struct io *io, ppn_t from, ppn_t to, enum cause cause, op_t after)
{
	struct schedule *s = io->flash->schedule;
	const struct flash_block *block = block_of(s, from);
	uint32_t writer = wordline_writer_of(s, from, block->erases, false);
	op_t op;

	if (writer != INDEX_NONE && ops_at(&s->ops, writer)->room)
		return OP_NONE;
	op = issue_change(
		io, (struct issued){ OP_COPY, cause, from, to, s->geometry->sectors_per_page }, false);
	schedule_wait(s, op, after);
	if (writer != INDEX_NONE)
		ready_wait_for_page(s, ops_index(&s->ops, op), writer, from);
	return op;
}

/* May the copy be appended to the request's last copy without changing the order of operations? */
static bool issue_may_follow(
	const struct schedule *s, const struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	const struct op *op;

	if (!s->copies_follow || s->heard || has_repeats(s, s->plain) || io->last_op == INDEX_NONE ||
		io->step != INDEX_NONE)
		return false;
	op = ops_at(&s->ops, io->last_op);
	return op->kind == OP_COPY && op->cause == cause && op->ticket == issue_ticket(io, cause, false) &&
	       geometry_share_block(s->geometry, from, op->ppn) &&
	       geometry_share_block(s->geometry, to, op->to);
}

bool schedule_move(struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct schedule *s = io->flash->schedule;
	const struct op *op;

	if (block_of(s, from)->last != INDEX_NONE || !issue_may_follow(s, io, from, to, cause))
		return schedule_copy(io, from, to, cause, OP_NONE) != OP_NONE;
	ops_follow(&s->ops, io->last_op, from, to);
	op = ops_at(&s->ops, io->last_op);
	load_change(s, op, cells_ns(s, OP_COPY, from, to, op->flags, s->plain));
	return true;
}

op_t schedule_last(const struct io *io)
{
	return ops_handle(&io->flash->schedule->ops, io->last_op);
}

/* ---- reads ---- */

/* The read depends on the data of the program, unless that is in the controller's memory already. */
static void issue_await_data(struct schedule *s, uint32_t read, uint32_t program)
{
	struct op *op = ops_at(&s->ops, program);

	if (op->stage != STAGE_WAITING)
		return;
	ops_at(&s->ops, read)->behind = op->forwards;
	ops_at(&s->ops, read)->blockers++;
	op->forwards = read;
	event_forwarded(s, read, program);
}

/* A read of a page that is held for the program. */
static op_t issue_forward(struct io *io, struct issued i, uint32_t program)
{
	struct schedule *s = io->flash->schedule;
	uint32_t index;

	i.kind = OP_FORWARD;
	index = issue_op(io, i, false);
	s->flash->forwarded_early += wordline_is_early(s, program);
	issue_await_data(s, index, program);
	return ops_handle(&s->ops, index);
}

HOT op_t issue_read(struct io *io, struct issued i, bool *held, bool plain)
{
	struct schedule *s = io->flash->schedule;
	struct flash_block *block = block_of(s, i.ppn);
	uint32_t writer = wordline_writer_of(s, i.ppn, block->erases, plain), index;
	struct op *op;

	*held = writer != INDEX_NONE && ops_at(&s->ops, writer)->room != ROOM_NONE;
	if (*held)
		return issue_forward(io, i, writer);
	index = issue_op(io, i, plain);
	op = ops_at(&s->ops, index);
	op->life = op->to_life = block->erases;
	if (writer != INDEX_NONE)
		op->flags |= OP_CHASES;
	order_enter(block);
	return ops_handle(&s->ops, index);
}

op_t schedule_read(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, bool *held)
{
	struct issued i = { OP_READ, cause, ppn, PPN_NONE, sectors };

	return io->flash->schedule->plain ? issue_read(io, i, held, true) : issue_read(io, i, held, false);
}

bool schedule_writes(const struct schedule *s, ppn_t ppn)
{
	return wordline_writer_of(s, ppn, block_of(s, ppn)->erases, false) != INDEX_NONE;
}

op_t schedule_answer(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause)
{
	return ops_handle(&io->flash->schedule->ops,
		issue_op(io, (struct issued){ OP_FORWARD, cause, ppn, PPN_NONE, sectors }, false));
}

/* ---- dependencies ---- */

void schedule_wait_for(struct schedule *s, op_t op, op_t other)
{
	uint32_t waiter = ops_index(&s->ops, op), index = ops_index(&s->ops, other);

	if (index == INDEX_NONE)
		return;
	ops_add_edge(&s->ops, waiter, &ops_at(&s->ops, index)->waiters);
	event_waits(s, waiter, index);
}

bool schedule_done(const struct schedule *s, op_t op)
{
	return ops_index(&s->ops, op) == INDEX_NONE;
}

/* ---- FLUSH ---- */

/* It waits for a program in the cells behind which another one is loaded, too: that one ends later, but need
 * not be of the host, and a FLUSH does not wait for others. */
void schedule_flush(struct schedule *s, struct io *io)
{
	uint32_t programs = 0;
	op_t flush;

	event_flushes(s, io->ticket);
	flush = ops_handle(
		&s->ops, issue_op(io, (struct issued){ OP_FLUSH, CAUSE_HOST, 0, PPN_NONE, 0 }, false));
	for (uint32_t i = 0; i < s->ops.op.used; i++) {
		const struct op *op = ops_at(&s->ops, i);

		if (op->kind != OP_PROGRAM || op->cause != CAUSE_HOST || op->stage == STAGE_DONE)
			continue;
		schedule_wait_for(s, flush, ops_handle(&s->ops, i));
		programs++;
	}
	schedule_note(s, "a FLUSH waits for %u program%s", programs, programs == 1 ? "" : "s");
}
