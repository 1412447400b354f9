#include "flash/schedule_inside.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/wordline.h"
#include "flash/write_memory.h"

#include <inttypes.h>

/* ---- operations ---- */

static const struct state_row edge_state[] = {
	STATE_INDEX(struct edge, next, STATE_ITS_COUNT),
	STATE_NUMBER(struct edge, op), /* schedule_ops_hold() */
	{ 0 },
};

static const struct state_row copy_state[] = {
	STATE_INDEX(struct copy, next, STATE_ITS_COUNT),
	STATE_BELOW(struct copy, from, GEOMETRY(pages)),
	STATE_BELOW(struct copy, to, GEOMETRY(pages)),
	STATE_INDEX(struct copy, waiters, STATE_OWN(struct ops, edge.used)),
	{ 0 },
};

static const struct state_row ticket_state[] = {
	STATE_INDEX(struct ticket, next, STATE_ITS_COUNT),
	STATE_NUMBER(struct ticket, pending),
	STATE_NUMBER(struct ticket, completed),
	{ 0 },
};

static const struct state_row wordline_state[] = {
	STATE_INDEX(struct wordline, next, STATE_ITS_COUNT),
	STATE_INDEX(struct wordline, pages, STATE_OWN(struct ops, op.used)),
	STATE_NUMBER(struct wordline, pass), /* schedule_wordlines_hold() */
	STATE_INDEX(struct wordline, before, STATE_ITS_COUNT),
	STATE_NUMBER(struct wordline, issued),
	STATE_NUMBER(struct wordline, ready),
	STATE_BOOL(struct wordline, second),
	STATE_BOOL(struct wordline, folds),
	STATE_BOOL(struct wordline, lacks),
	{ 0 },
};

static const struct state_row op_state[] = {
	STATE_INDEX(struct op, next, STATE_ITS_COUNT),
	STATE_NUMBER(struct op, generation),
	STATE_NUMBER(struct op, blockers),
	STATE_INDEX(struct op, waiters, STATE_OWN(struct ops, edge.used)),
	STATE_INDEX(struct op, ticket, STATE_OWN(struct ops, ticket.used)),
	STATE_BELOW(struct op, ppn, GEOMETRY(pages)),
	STATE_NUMBER(struct op, to), /* schedule_ops_hold() */
	STATE_NUMBER(struct op, wordline),
	STATE_NUMBER(struct op, users),
	STATE_NUMBER(struct op, life),
	STATE_NUMBER(struct op, to_life),
	STATE_NUMBER(struct op, before), /* schedule_ops_hold() */
	STATE_NUMBER(struct op, behind_for_room),
	STATE_INDEX(struct op, behind, STATE_ITS_COUNT),
	STATE_INDEX(struct op, forwards, STATE_ITS_COUNT),
	STATE_INDEX(struct op, followers, STATE_OWN(struct ops, copy.used)),
	STATE_BELOW(struct op, die, GEOMETRY(dies)),
	STATE_NUMBER(struct op, cell_ns),
	STATE_UP_TO(struct op, sectors, GEOMETRY(sectors_per_page)),
	STATE_UP_TO(struct op, kind, STATE_LIMIT(OP_SECOND_PASS)),
	STATE_BELOW(struct op, cause, STATE_LIMIT(CAUSES)),
	STATE_UP_TO(struct op, stage, STATE_LIMIT(STAGE_DONE)),
	STATE_UP_TO(struct op, flags, STATE_LIMIT(OP_FLAGS)),
	STATE_UP_TO(struct op, retries, STATE_LIMIT(RETRY_STEPS_MOST)),
	STATE_UP_TO(struct op, room, STATE_LIMIT(ROOM_GIVEN)),
	{ 0 },
};

/* Free elements keep their last contents, so the same bounds apply. */
static const struct state_row ops_state[] = {
	STATE_POOL(struct ops, edge, STATE_UNBOUNDED, edge_state),
	STATE_POOL(struct ops, copy, STATE_UNBOUNDED, copy_state),
	STATE_POOL(struct ops, ticket, STATE_UNBOUNDED, ticket_state),
	STATE_POOL(struct ops, op, STATE_UNBOUNDED, op_state),
	STATE_POOL(struct ops, wordline, STATE_UNBOUNDED, wordline_state),
	{ 0 },
};

/* ---- units and channels ---- */

#define OPS   STATE_OWN(struct schedule, ops.op.used)
#define UNITS STATE_COUNT(struct schedule, unit)

static const struct state_row unit_state[] = {
	STATE_UP_TO(struct unit, phase, STATE_LIMIT(PHASE_DECODE)),
	STATE_QUEUE(struct unit, reads, OPS),
	STATE_QUEUE(struct unit, others, OPS),
	STATE_INDEX(struct unit, command, OPS),
	STATE_INDEX(struct unit, suspended, OPS),
	STATE_NUMBER(struct unit, suspended_ns),
	STATE_NUMBER(struct unit, passed),
	STATE_INDEX(struct unit, next, UNITS),
	STATE_BOOL(struct unit, brings_data),
	STATE_NUMBER(struct unit, in_ns),
	STATE_NUMBER(struct unit, cell_ns),
	STATE_NUMBER(struct unit, out_ns),
	{ 0 },
};

static const struct state_row channel_state[] = {
	STATE_INDEX(struct channel, user, UNITS),
	STATE_QUEUE(struct channel, first, UNITS),
	STATE_QUEUE(struct channel, others, UNITS),
	{ 0 },
};

/* ---- the schedule ---- */

static const struct state_row release_state[] = {
	STATE_NUMBER(struct release, when),
	STATE_NUMBER(struct release, order),
	STATE_INDEX(struct release, first_op, OPS),
	STATE_BELOW(struct release, ticket, STATE_OWN(struct schedule, ops.ticket.used)),
	{ 0 },
};

static const struct state_row wait_state[] = {
	STATE_NUMBER(struct wordline_wait, due),
	STATE_NUMBER(struct wordline_wait, order),
	STATE_BELOW(struct wordline_wait, first, GEOMETRY(pages)),
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
	STATE_FIXED(transfer_ns, command_ns, plane_command_ns, room, place, tracer, observers, copies_follow,
		wordline_pages),
	STATE_SCRATCH(woken, answered, answering),
	STATE_NUMBER(struct schedule, now),
	STATE_STRUCT(struct schedule, ops, ops_state),
	STATE_VALUES(struct schedule, open, INDEX, STATE_OWN(struct schedule, ops.wordline.used)),
	STATE_HEAP(struct schedule, waits, STATE_UNBOUNDED, struct wordline_wait, wait_state),
	STATE_NUMBER(struct schedule, wait_order),
	STATE_REBUILT(pad_due),
	STATE_RESTORED(schedule_find_pad_due),
	STATE_INDEX(struct schedule, work_ticket, STATE_OWN(struct schedule, ops.ticket.used)),
	STATE_STRUCT(struct schedule, timers, timers_state),
	STATE_ARRAY(struct schedule, unit, unit_state),
	STATE_ARRAY(struct schedule, channel, channel_state),
	STATE_HEAP(struct schedule, releases, STATE_OWN(struct schedule, ops.ticket.used), struct release,
		release_state),
	STATE_NUMBER(struct schedule, release_order),
	STATE_NUMBER(struct schedule, held),
	STATE_STRUCT(struct schedule, memory, write_memory_state),
	STATE_QUEUE(struct schedule, roomless, OPS),
	STATE_QUEUE(struct schedule, completed, STATE_OWN(struct schedule, ops.ticket.used)),
	STATE_NUMBER(struct schedule, in_flight),
	STATE_STRUCT(struct schedule, loads, loads_state),
	STATE_NUMBER(struct schedule, busy),
	STATE_POINTER(struct schedule, accounts, accounts_state),
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
	if (!s->in_flight)
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
