#include "flash/events.h"

#include "flash/cache_register.h"
#include "flash/order.h"

/* Tells of an event of the schedule, if anyone hears that. */
#define HEAR(function, arguments)                                                                            \
	do {                                                                                                 \
		if (s->heard & HEARD(function))                                                              \
			TELL(s->flash, function, arguments);                                                 \
	} while (0)

/* ---- requests ---- */

void event_begun_observed(const struct schedule *s, uint32_t ticket)
{
	HEAR(begun, (o->context, ticket));
}

void event_works_observed(const struct schedule *s, uint32_t ticket, uint64_t idle_ns)
{
	HEAR(works, (o->context, ticket, idle_ns, s->now));
}

void event_durable_observed(const struct schedule *s, uint32_t ticket)
{
	HEAR(durable, (o->context, ticket));
}

void event_flushes_observed(const struct schedule *s, uint32_t ticket)
{
	HEAR(flushes, (o->context, ticket));
}

void event_submitted_observed(const struct schedule *s, const struct io *io, tick_t delay)
{
	HEAR(submitted, (o->context, io->ticket, io->accesses, s->now));
	if (delay)
		HEAR(delayed, (o->context, io->ticket, s->now + delay));
}

void event_completed_observed(const struct schedule *s, uint32_t ticket)
{
	HEAR(completed, (o->context, ticket, s->now));
}

void event_drained_observed(const struct schedule *s)
{
	HEAR(drained, (o->context));
}

/* ---- operations ---- */

static op_t events_name(const struct schedule *s, uint32_t op)
{
	return ops_handle(&s->ops, op);
}

/* Number of the die that serves the operation. */
static uint32_t events_unit(const struct schedule *s, uint32_t op)
{
	return unit_number(s, unit_of(s, ops_at(&s->ops, op)));
}

void event_made_observed(const struct schedule *s, const struct io *io, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);
	struct made_op made = { .op = events_name(s, index),
		.kind = (enum op_kind)op->kind,
		.cause = (enum cause)op->cause,
		.ppn = op->ppn,
		.to = op->to,
		.owner = s->flash->owner[order_target(op)],
		.sectors = op->sectors,
		.ticket = io->ticket,
		.awaited = op->ticket != INDEX_NONE,
		.rebuilt = op->kind == OP_FORWARD && flash_is_lost(s->flash, op->ppn) };

	HEAR(made, (o->context, &made));
}

void event_waits_observed(const struct schedule *s, uint32_t op, uint32_t other)
{
	HEAR(waits, (o->context, events_name(s, op), events_name(s, other)));
}

void event_ordered_observed(const struct schedule *s, uint32_t op)
{
	const struct flash_block *block = block_of(s, order_target(ops_at(&s->ops, op)));
	uint32_t erase = order_erase(&s->ops, block, block->erases);

	if (erase != INDEX_NONE && erase != op)
		HEAR(follows, (o->context, events_name(s, op), events_name(s, erase)));
}

void event_forwarded_observed(const struct schedule *s, uint32_t read, uint32_t program)
{
	HEAR(follows, (o->context, events_name(s, read), events_name(s, program)));
}

void event_released_observed(const struct schedule *s, uint32_t op, uint32_t ticket)
{
	HEAR(released, (o->context, events_name(s, op), ticket, s->now));
}

void event_unblocked_observed(const struct schedule *s, uint32_t op, uint32_t by)
{
	const struct op *other = by == INDEX_NONE ? NULL : ops_at(&s->ops, by);

	if (other && other->ticket != INDEX_NONE && other->ticket == ops_at(&s->ops, op)->ticket)
		HEAR(continued, (o->context, events_name(s, op), events_name(s, by)));
	else
		HEAR(waited,
			(o->context, events_name(s, op), other && cause_is_background(other->cause), s->now));
}

void event_repeated_observed(const struct schedule *s, uint32_t op)
{
	HEAR(repeated, (o->context, events_name(s, op), ops_at(&s->ops, op)->retries));
}

void event_reads_at_observed(const struct schedule *s, uint32_t op, ppn_t source)
{
	HEAR(reads_at, (o->context, events_name(s, op), source));
}

void event_ready_observed(const struct schedule *s, uint32_t op)
{
	HEAR(ready, (o->context, events_name(s, op), events_unit(s, op), s->now));
}

/* The time until now was spent on waiting for room.  Unless it is durable, the request no longer waits for
 * the program. */
void event_entered_memory_observed(const struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);
	bool leaves = !(op->flags & OP_DURABLE);

	HEAR(waited, (o->context, events_name(s, index), false, s->now));
	if (leaves && op->ticket != INDEX_NONE)
		HEAR(finished, (o->context, events_name(s, index), op->ticket));
	if (leaves)
		HEAR(left, (o->context, events_name(s, index), s->now));
	HEAR(has_room, (o->context, events_name(s, index), s->now));
}

void event_pass_made_observed(const struct schedule *s, uint32_t op)
{
	HEAR(pass_made, (o->context, events_name(s, op), (enum cause)ops_at(&s->ops, op)->cause));
}

void event_joined_observed(const struct schedule *s, uint32_t op)
{
	HEAR(waited, (o->context, events_name(s, op), false, s->now));
	HEAR(waits_again, (o->context, events_name(s, op), events_unit(s, op), s->now));
}

void event_passed_observed(const struct schedule *s, uint32_t op)
{
	HEAR(passed, (o->context, events_name(s, op), s->now));
	HEAR(waits_again, (o->context, events_name(s, op), events_unit(s, op), s->now));
}

void event_done_observed(const struct schedule *s, uint32_t op)
{
	HEAR(done, (o->context, events_name(s, op), s->now));
}

void event_finished_observed(const struct schedule *s, uint32_t op)
{
	HEAR(finished, (o->context, events_name(s, op), ops_at(&s->ops, op)->ticket));
}

/* ---- units ---- */

/* The operations of the command of unit u. */
#define EACH_OP(s, u, at)                                                                                    \
	for (uint32_t in = (s)->unit[u].command; in != INDEX_NONE; in = ops_at(&(s)->ops, in)->next)         \
		for (uint32_t at = ops_first_part(&(s)->ops, in); at != INDEX_NONE;                          \
			at = ops_next_part(&(s)->ops, in, at))

/* The cause of a command is that of its first operation. */
static void events_turn(const struct schedule *s, uint32_t u)
{
	bool background = cause_is_background(ops_at(&s->ops, s->unit[u].command)->cause);

	HEAR(turns, (o->context, unit_number(s, u), background, s->now));
}

static void events_spend(const struct schedule *s, uint32_t u, enum part part)
{
	if (!(s->heard & HEARD(spent)))
		return;
	EACH_OP (s, u, op)
		HEAR(spent, (o->context, events_name(s, op), part, s->now));
}

void event_started_observed(const struct schedule *s, uint32_t u)
{
	EACH_OP (s, u, op)
		HEAR(started, (o->context, events_name(s, op), unit_number(s, u), s->now));
	if (!is_register(s, u))
		events_turn(s, u);
}

static void events_be_busy(const struct schedule *s, uint32_t u, enum busy_place place, uint64_t ns)
{
	uint32_t first = s->unit[u].command;
	const struct op *op = ops_at(&s->ops, first);
	struct busy_span span = { .unit = unit_number(s, u),
		.kind = ops_is_pass(op) ? OP_PROGRAM : (enum op_kind)op->kind,
		.cause = (enum cause)op->cause,
		.place = place,
		.from = s->now,
		.to = s->now + ns };

	for (uint32_t i = first; i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		span.planes++;
	HEAR(busy, (o->context, events_name(s, ops_first_part(&s->ops, first)), span));
}

void event_busy_observed(const struct schedule *s, uint32_t u, bool bus, uint64_t ns)
{
	enum bus_use use = s->unit[u].phase == PHASE_OUT ? BUS_RECEIVES : BUS_SENDS;

	if (s->heard & HEARD(busy))
		events_be_busy(s, u, bus ? BUSY_BUS : BUSY_CELLS, ns);
	if (bus)
		HEAR(bus, (o->context, unit_number(s, u), use, s->now));
	else
		HEAR(cells, (o->context, unit_number(s, u), true, s->now));
}

void event_free_observed(const struct schedule *s, uint32_t u, bool bus)
{
	if (bus)
		HEAR(bus, (o->context, unit_number(s, u), BUS_LEFT, s->now));
	else
		HEAR(cells, (o->context, unit_number(s, u), false, s->now));
	events_spend(s, u, bus ? PART_BUS : PART_CELLS);
}

void event_suspended_observed(const struct schedule *s, uint32_t u)
{
	HEAR(suspended, (o->context, unit_number(s, u), s->now));
	events_spend(s, u, PART_CELLS);
	HEAR(busy_until, (o->context, unit_number(s, u), BUSY_CELLS, s->now + s->settings->suspend_ns));
}

void event_resumed_observed(const struct schedule *s, uint32_t u)
{
	HEAR(resumed, (o->context, unit_number(s, u)));
	events_turn(s, u);
	events_spend(s, u, PART_DIE);
}

void event_senses_again_observed(const struct schedule *s, uint32_t u)
{
	HEAR(senses_again, (o->context, unit_number(s, u), s->now));
	events_spend(s, u, PART_CONTROLLER);
}

void event_filled_observed(const struct schedule *s, uint32_t u)
{
	events_be_busy(s, u, BUSY_REGISTER, 0);
}

void event_emptied_observed(const struct schedule *s, uint32_t u)
{
	HEAR(busy_until, (o->context, unit_number(s, u), BUSY_REGISTER, s->now));
}

/* From now on the program waits for the cells, as if it were ready and had not started. */
void event_loaded_observed(const struct schedule *s, uint32_t u)
{
	EACH_OP (s, u, op)
		HEAR(waits_again, (o->context, events_name(s, op), unit_number(s, u), s->now));
}

void event_moved_observed(const struct schedule *s, uint32_t u)
{
	EACH_OP (s, u, op)
		HEAR(begins_again, (o->context, events_name(s, op), unit_number(s, u), s->now));
	events_turn(s, u);
}

void event_rests_observed(const struct schedule *s, uint32_t u)
{
	HEAR(turns, (o->context, unit_number(s, u), false, s->now));
}
