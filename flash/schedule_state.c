#include "flash/schedule_inside.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/wordline.h"
#include "flash/write_memory.h"

#include <inttypes.h>

/* ---- operations ---- */

static const struct state_row edge_state[] = {
	STATE_NUMBER(struct edge, next),
	STATE_NUMBER(struct edge, op),
	{ 0 },
};

static const struct state_row copy_state[] = {
	STATE_NUMBER(struct copy, next),
	STATE_NUMBER(struct copy, from),
	STATE_NUMBER(struct copy, to),
	STATE_NUMBER(struct copy, waiters),
	{ 0 },
};

static const struct state_row ticket_state[] = {
	STATE_NUMBER(struct ticket, next),
	STATE_NUMBER(struct ticket, pending),
	STATE_NUMBER(struct ticket, completed),
	{ 0 },
};

static const struct state_row wordline_state[] = {
	STATE_NUMBER(struct wordline, next),
	STATE_NUMBER(struct wordline, pages),
	STATE_NUMBER(struct wordline, pass),
	STATE_NUMBER(struct wordline, before),
	STATE_NUMBER(struct wordline, issued),
	STATE_NUMBER(struct wordline, ready),
	STATE_NUMBER(struct wordline, second),
	STATE_NUMBER(struct wordline, folds),
	STATE_NUMBER(struct wordline, lacks),
	{ 0 },
};

static const struct state_row op_state[] = {
	STATE_NUMBER(struct op, next),
	STATE_NUMBER(struct op, generation),
	STATE_NUMBER(struct op, blockers),
	STATE_NUMBER(struct op, waiters),
	STATE_NUMBER(struct op, ticket),
	STATE_NUMBER(struct op, ppn),
	STATE_NUMBER(struct op, to),
	STATE_NUMBER(struct op, wordline),
	STATE_NUMBER(struct op, users),
	STATE_NUMBER(struct op, life),
	STATE_NUMBER(struct op, to_life),
	STATE_NUMBER(struct op, before),
	STATE_NUMBER(struct op, behind_for_room),
	STATE_NUMBER(struct op, behind),
	STATE_NUMBER(struct op, forwards),
	STATE_NUMBER(struct op, followers),
	STATE_NUMBER(struct op, die),
	STATE_NUMBER(struct op, cell_ns),
	STATE_NUMBER(struct op, sectors),
	STATE_NUMBER(struct op, kind),
	STATE_NUMBER(struct op, cause),
	STATE_NUMBER(struct op, stage),
	STATE_NUMBER(struct op, flags),
	STATE_NUMBER(struct op, retries),
	STATE_NUMBER(struct op, room),
	{ 0 },
};

static const struct state_row ops_state[] = {
	STATE_POOL(struct ops, edge, edge_state),
	STATE_POOL(struct ops, copy, copy_state),
	STATE_POOL(struct ops, ticket, ticket_state),
	STATE_POOL(struct ops, op, op_state),
	STATE_POOL(struct ops, wordline, wordline_state),
	{ 0 },
};

/* ---- units and channels ---- */

static const struct state_row unit_state[] = {
	STATE_NUMBER(struct unit, phase),
	STATE_NUMBER(struct unit, reads),
	STATE_NUMBER(struct unit, others),
	STATE_NUMBER(struct unit, command),
	STATE_NUMBER(struct unit, suspended),
	STATE_NUMBER(struct unit, suspended_ns),
	STATE_NUMBER(struct unit, passed),
	STATE_NUMBER(struct unit, next),
	STATE_NUMBER(struct unit, brings_data),
	STATE_NUMBER(struct unit, in_ns),
	STATE_NUMBER(struct unit, cell_ns),
	STATE_NUMBER(struct unit, out_ns),
	{ 0 },
};

static const struct state_row channel_state[] = {
	STATE_NUMBER(struct channel, user),
	STATE_NUMBER(struct channel, first),
	STATE_NUMBER(struct channel, others),
	{ 0 },
};

/* ---- the schedule ---- */

static const struct state_row release_state[] = {
	STATE_NUMBER(struct release, when),
	STATE_NUMBER(struct release, order),
	STATE_NUMBER(struct release, first_op),
	STATE_NUMBER(struct release, ticket),
	{ 0 },
};

static const struct state_row wait_state[] = {
	STATE_NUMBER(struct wordline_wait, due),
	STATE_NUMBER(struct wordline_wait, order),
	STATE_NUMBER(struct wordline_wait, first),
	STATE_NUMBER(struct wordline_wait, life),
	{ 0 },
};

static void schedule_find_pad_due(void *schedule)
{
	struct schedule *s = schedule;

	s->pad_due = wordline_first_due(s);
}

const struct state_row schedule_state[] = {
	STATE_FIXED(flash, geometry, settings, registers, units, unit_of_die, per_channel),
	STATE_FIXED(transfer_ns, command_ns, plane_command_ns, room, place, heard, plain, copies_follow,
		wordline_pages),
	STATE_SCRATCH(woken, answered, answering),
	STATE_NUMBER(struct schedule, now),
	STATE_STRUCT(struct schedule, ops, ops_state),
	STATE_NUMBERS(struct schedule, open),
	STATE_HEAP(struct schedule, waits, struct wordline_wait, wait_state),
	STATE_NUMBER(struct schedule, wait_order),
	STATE_REBUILT(pad_due),
	STATE_RESTORED(schedule_find_pad_due),
	STATE_NUMBER(struct schedule, work_ticket),
	STATE_STRUCT(struct schedule, timers, timers_state),
	STATE_ARRAY(struct schedule, unit, unit_state),
	STATE_ARRAY(struct schedule, channel, channel_state),
	STATE_HEAP(struct schedule, releases, struct release, release_state),
	STATE_NUMBER(struct schedule, release_order),
	STATE_NUMBER(struct schedule, held),
	STATE_STRUCT(struct schedule, memory, write_memory_state),
	STATE_NUMBER(struct schedule, roomless),
	STATE_NUMBER(struct schedule, completed),
	STATE_NUMBER(struct schedule, in_flight),
	STATE_STRUCT(struct schedule, loads, loads_state),
	STATE_NUMBER(struct schedule, busy),
	{ 0 },
};

/* ---- checks ---- */

static void bus_check(const struct schedule *s)
{
	uint32_t left = s->units;

	for (uint32_t c = 0; c < s->geometry->channels; c++) {
		const struct queue *line[] = { &s->channel[c].first, &s->channel[c].others };

		for (size_t k = 0; k < 2; k++) {
			uint32_t last = line[k]->last;

			for (uint32_t u = line[k]->first; u != INDEX_NONE; last = u, u = s->unit[u].next)
				BUG_ON(!left-- || channel_of(s, u) != &s->channel[c],
					"die %u waits twice for a bus, or for that of another channel", u);
			BUG_ON(last != line[k]->last,
				"the queue of bus %u ends with another die than it should", c);
		}
	}
}

/* Counts what is in flight by its operations, and compares it with the counts that events keep. */
static void schedule_check_counts(const struct schedule *s)
{
	uint64_t in_flight = s->releases.count, held = 0, parts = s->releases.count, pending = 0;

	for (uint32_t i = 0; i < s->ops.op.used; i++) {
		const struct op *op = ops_at(&s->ops, i);

		if (op->stage == STAGE_DONE)
			continue;
		in_flight++;
		held += op->room == ROOM_FORWARD;
		parts += op->ticket != INDEX_NONE;
	}
	for (uint32_t i = 0; i < s->ops.ticket.used; i++)
		pending += ops_ticket(&s->ops, i)->pending;
	BUG_ON(s->in_flight != in_flight || s->held != held || pending != parts,
		"%" PRIu64 " operations in flight, %" PRIu64 " pages held and %" PRIu64
		" parts of requests, but %" PRIu64 ", %" PRIu64 " and %" PRIu64 " counted",
		s->in_flight, s->held, pending, in_flight, held, parts);
}

void schedule_check(const struct schedule *s)
{
	const struct release *release = s->releases.element;

	schedule_check_counts(s);
	for (uint32_t i = 1; i < s->releases.count; i++)
		BUG_ON(release_before(&release[i], &release[(i - 1) / 2]), "requests begin out of order");
	bus_check(s);
	if (s->open)
		wordline_check(s);
	write_memory_check(s);
	BUG_ON(timers_next(&s->timers) < s->now || release_due(s) < s->now, "an event lies in the past");
	if (!s->in_flight && s->completed.first == INDEX_NONE)
		flash_check_idle(s->flash);
}

void schedule_check_idle(const struct schedule *s)
{
	BUG_ON(!pool_is_free(&s->ops.op) || !pool_is_free(&s->ops.copy) || !pool_is_free(&s->ops.edge) ||
			!pool_is_free(&s->ops.ticket) || !pool_is_free(&s->ops.wordline),
		"operations, dependencies or requests are left");
	BUG_ON(s->held, "the controller's memory holds %llu pages of no program",
		(unsigned long long)s->held);
	for (die_t die = 0; die < s->geometry->dies; die++)
		BUG_ON(schedule_load(s, die), "die %u is idle and has a load of %llu ns", die,
			(unsigned long long)schedule_load(s, die));
	for (uint32_t u = 0; u < s->units; u++)
		BUG_ON(s->unit[u].phase != PHASE_IDLE, "die %u is busy without operations", u);
}

bool schedule_knows(const struct schedule *s, op_t op)
{
	uint32_t index = (uint32_t)op - 1, use = (uint32_t)(op >> 32);

	if (op == OP_NONE)
		return true;
	return index < s->ops.op.used && (use < ops_at(&s->ops, index)->generation ||
						 (use == ops_at(&s->ops, index)->generation &&
							 ops_at(&s->ops, index)->stage != STAGE_DONE));
}
