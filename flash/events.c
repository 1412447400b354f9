#include "flash/events.h"

#include "flash/cache_register.h"
#include "flash/order.h"

/* ---- requests ---- */

void event_begun_observed(const struct schedule *s, uint32_t ticket)
{
	if (s->flash->judge)
		judge_begin(s->flash->judge, ticket);
}

void event_works_observed(const struct schedule *s, uint32_t ticket, uint64_t idle_ns)
{
	judge_works(s->flash->judge, ticket, idle_ns, s->now);
}

void event_durable_observed(const struct schedule *s, uint32_t ticket)
{
	judge_durable(s->flash->judge, ticket);
}

void event_flushes_observed(const struct schedule *s, uint32_t ticket)
{
	judge_flushes(s->flash->judge, ticket);
}

void event_submitted_observed(const struct schedule *s, const struct io *io, tick_t delay)
{
	if (s->accounts)
		accounts_submitted(s->accounts, io->ticket, s->now, delay);
	if (s->flash->judge)
		judge_submit(s->flash->judge, io->ticket, io->accesses, s->now);
	if (s->flash->judge && delay)
		judge_delayed(s->flash->judge, io->ticket, s->now + delay);
}

void event_completed_observed(const struct schedule *s, uint32_t ticket)
{
	if (s->flash->judge)
		judge_completed(s->flash->judge, ticket, s->now);
}

void event_drained_observed(const struct schedule *s)
{
	if (s->flash->judge)
		judge_idle(s->flash->judge);
}

/* ---- operations ---- */

/* Number of the die that serves the operation. */
static uint32_t events_unit(const struct schedule *s, uint32_t op)
{
	return unit_number(s, unit_of(s, ops_at(&s->ops, op)));
}

void event_made_observed(const struct schedule *s, const struct io *io, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);
	struct made_op made = { .op = ops_handle(&s->ops, index),
		.kind = (enum op_kind)op->kind,
		.cause = (enum cause)op->cause,
		.ppn = op->ppn,
		.to = op->to,
		.owner = s->flash->owner[order_target(op)],
		.sectors = op->sectors,
		.ticket = io->ticket,
		.awaited = op->ticket != INDEX_NONE,
		.rebuilt = op->kind == OP_FORWARD && flash_is_lost(s->flash, op->ppn) };

	if (s->accounts)
		accounts_made(s->accounts, index, made.cause);
	EACH_TRACER(t, s)
	tracer_made(t, &made);
	if (s->flash->judge)
		judge_made(s->flash->judge, &made);
}

static void events_trace_wait(const struct schedule *s, uint32_t op, uint32_t other)
{
	EACH_TRACER(t, s)
	tracer_waits(t, ops_handle(&s->ops, op), ops_handle(&s->ops, other));
}

void event_waits_observed(const struct schedule *s, uint32_t op, uint32_t other)
{
	if (s->tracer)
		events_trace_wait(s, op, other);
	if (s->flash->judge)
		judge_waits(s->flash->judge, ops_handle(&s->ops, op), ops_handle(&s->ops, other));
}

void event_ordered_observed(const struct schedule *s, uint32_t op)
{
	const struct flash_block *block;
	uint32_t erase;

	if (!s->tracer)
		return;
	block = block_of(s, order_target(ops_at(&s->ops, op)));
	erase = order_erase(&s->ops, block, block->erases);
	if (erase != INDEX_NONE && erase != op)
		events_trace_wait(s, op, erase);
}

void event_forwarded_observed(const struct schedule *s, uint32_t read, uint32_t program)
{
	if (s->tracer)
		events_trace_wait(s, read, program);
}

void event_released_observed(const struct schedule *s, uint32_t op, uint32_t ticket)
{
	if (s->accounts)
		accounts_released(s->accounts, op, ticket, s->now);
}

void event_unblocked_observed(const struct schedule *s, uint32_t op, uint32_t by)
{
	const struct op *other = by == INDEX_NONE ? NULL : ops_at(&s->ops, by);

	if (!s->accounts)
		return;
	if (other && other->ticket != INDEX_NONE && other->ticket == ops_at(&s->ops, op)->ticket)
		accounts_continued(s->accounts, op, by);
	else
		accounts_waited(s->accounts, op, other && cause_is_background(other->cause), s->now);
}

void event_repeated_observed(const struct schedule *s, uint32_t op)
{
	if (s->flash->judge)
		judge_repeated(s->flash->judge, ops_handle(&s->ops, op), ops_at(&s->ops, op)->retries);
}

void event_reads_at_observed(const struct schedule *s, uint32_t op, ppn_t source)
{
	if (s->flash->judge)
		judge_reads_at(s->flash->judge, ops_handle(&s->ops, op), source);
}

void event_ready_observed(const struct schedule *s, uint32_t op)
{
	if (s->accounts)
		accounts_ready(s->accounts, op, events_unit(s, op), s->now);
	EACH_TRACER(t, s)
	tracer_ready(t, ops_handle(&s->ops, op), s->now);
}

/* The time until now was spent on waiting for room.  Unless it is durable, the request no longer waits for
 * the program. */
void event_entered_memory_observed(const struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);

	if (s->accounts)
		accounts_waited(s->accounts, index, false, s->now);
	if (s->accounts && op->ticket != INDEX_NONE && !(op->flags & OP_DURABLE))
		accounts_finished(s->accounts, index, op->ticket);
	if (!(op->flags & OP_DURABLE))
		EACH_TRACER(t, s)
	tracer_left(t, ops_handle(&s->ops, index), s->now);
	if (s->flash->judge)
		judge_entered_memory(s->flash->judge, ops_handle(&s->ops, index), s->now);
}

void event_pass_made_observed(const struct schedule *s, uint32_t op)
{
	if (s->accounts)
		accounts_made(s->accounts, op, (enum cause)ops_at(&s->ops, op)->cause);
}

void event_joined_observed(const struct schedule *s, uint32_t op)
{
	if (!s->accounts)
		return;
	accounts_waited(s->accounts, op, false, s->now);
	accounts_ready(s->accounts, op, events_unit(s, op), s->now);
}

void event_passed_observed(const struct schedule *s, uint32_t op)
{
	if (s->flash->judge)
		judge_passed(s->flash->judge, ops_handle(&s->ops, op), s->now);
	if (s->accounts)
		accounts_ready(s->accounts, op, events_unit(s, op), s->now);
}

void event_done_observed(const struct schedule *s, uint32_t op)
{
	EACH_TRACER(t, s)
	tracer_done(t, ops_handle(&s->ops, op), s->now);
	if (s->flash->judge)
		judge_done(s->flash->judge, ops_handle(&s->ops, op), s->now);
}

void event_finished_observed(const struct schedule *s, uint32_t op)
{
	if (s->accounts)
		accounts_finished(s->accounts, op, ops_at(&s->ops, op)->ticket);
}

/* ---- units ---- */

/* The cause of a command is that of its first operation. */
static void events_work(const struct schedule *s, uint32_t u)
{
	if (s->accounts)
		accounts_unit(s->accounts, unit_number(s, u),
			cause_is_background(ops_at(&s->ops, s->unit[u].command)->cause), s->now);
}

static void events_pass(const struct schedule *s, uint32_t u, enum part part)
{
	for (uint32_t i = s->unit[u].command; s->accounts && i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		for (uint32_t at = ops_first_part(&s->ops, i); at != INDEX_NONE;
			at = ops_next_part(&s->ops, i, at))
			accounts_passed(s->accounts, at, part, s->now);
}

static void events_start(const struct schedule *s, uint32_t u, uint32_t op)
{
	if (s->accounts)
		accounts_started(s->accounts, op, unit_number(s, u), s->now);
	EACH_TRACER(t, s)
	tracer_started(t, ops_handle(&s->ops, op), s->now);
	if (s->flash->judge)
		judge_started(s->flash->judge, ops_handle(&s->ops, op), unit_number(s, u), s->now);
}

void event_started_observed(const struct schedule *s, uint32_t u)
{
	for (uint32_t i = s->unit[u].command; i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		for (uint32_t at = ops_first_part(&s->ops, i); at != INDEX_NONE;
			at = ops_next_part(&s->ops, i, at))
			events_start(s, u, at);
	if (!is_register(s, u))
		events_work(s, u);
}

static void events_trace_span(const struct schedule *s, uint32_t u, enum traced_place place, uint64_t ns)
{
	uint32_t first = s->unit[u].command;
	const struct op *op = ops_at(&s->ops, first);
	struct traced_span span = { .unit = unit_number(s, u),
		.kind = ops_is_pass(op) ? OP_PROGRAM : (enum op_kind)op->kind,
		.cause = (enum cause)op->cause,
		.place = place,
		.from = s->now,
		.to = s->now + ns };

	for (uint32_t i = first; i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		span.planes++;
	EACH_TRACER(t, s)
	tracer_works(t, ops_handle(&s->ops, ops_first_part(&s->ops, first)), span);
}

void event_busy_observed(const struct schedule *s, uint32_t u, bool bus, uint64_t ns)
{
	if (s->tracer)
		events_trace_span(s, u, bus ? TRACED_BUS : TRACED_CELLS, ns);
	if (!s->flash->judge)
		return;
	if (bus)
		judge_bus(s->flash->judge, unit_number(s, u),
			s->unit[u].phase == PHASE_OUT ? JUDGED_RECEIVES : JUDGED_SENDS, s->now);
	else
		judge_cells(s->flash->judge, unit_number(s, u), true, s->now);
}

void event_free_observed(const struct schedule *s, uint32_t u, bool bus)
{
	if (s->flash->judge && bus)
		judge_bus(s->flash->judge, unit_number(s, u), JUDGED_LEAVES, s->now);
	else if (s->flash->judge)
		judge_cells(s->flash->judge, unit_number(s, u), false, s->now);
	events_pass(s, u, bus ? PART_BUS : PART_CELLS);
}

void event_suspended_observed(const struct schedule *s, uint32_t u)
{
	if (s->flash->judge)
		judge_suspended(s->flash->judge, unit_number(s, u), s->now);
	events_pass(s, u, PART_CELLS);
	EACH_TRACER(t, s)
	tracer_ends(t, unit_number(s, u), TRACED_CELLS, s->now + s->settings->suspend_ns);
}

void event_resumed_observed(const struct schedule *s, uint32_t u)
{
	if (s->flash->judge)
		judge_resumed(s->flash->judge, unit_number(s, u));
	events_work(s, u);
	events_pass(s, u, PART_DIE);
}

void event_senses_again_observed(const struct schedule *s, uint32_t u)
{
	if (s->flash->judge)
		judge_senses_again(s->flash->judge, unit_number(s, u), s->now);
	events_pass(s, u, PART_CONTROLLER);
}

void event_filled_observed(const struct schedule *s, uint32_t u)
{
	if (s->tracer)
		events_trace_span(s, u, TRACED_REGISTER, 0);
}

void event_emptied_observed(const struct schedule *s, uint32_t u)
{
	EACH_TRACER(t, s)
	tracer_ends(t, unit_number(s, u), TRACED_REGISTER, s->now);
}

/* From now on the program waits for the cells, as if it were ready and had not started. */
void event_loaded_observed(const struct schedule *s, uint32_t u)
{
	for (uint32_t i = s->unit[u].command; s->accounts && i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		for (uint32_t at = ops_first_part(&s->ops, i); at != INDEX_NONE;
			at = ops_next_part(&s->ops, i, at))
			accounts_ready(s->accounts, at, unit_number(s, u), s->now);
}

void event_moved_observed(const struct schedule *s, uint32_t u)
{
	for (uint32_t i = s->unit[u].command; s->accounts && i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		for (uint32_t at = ops_first_part(&s->ops, i); at != INDEX_NONE;
			at = ops_next_part(&s->ops, i, at))
			accounts_started(s->accounts, at, unit_number(s, u), s->now);
	events_work(s, u);
}

void event_rests_observed(const struct schedule *s, uint32_t u)
{
	if (s->accounts)
		accounts_unit(s->accounts, unit_number(s, u), false, s->now);
}
