#include "flash/schedule_inside.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/cache_register.h"
#include "flash/census.h"
#include "flash/events.h"
#include "flash/wordline.h"
#include "flash/write_memory.h"

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

/* The bounds of an operation that rows cannot express. */
static bool schedule_op_holds(const struct schedule *s, const struct op *op)
{
	if (ops_is_pass(op) || ops_is_part(op))
		return op->wordline < s->ops.wordline.used;
	return op->kind == OP_ERASE || op->to == PPN_NONE || op->to < s->geometry->pages;
}

static bool schedule_wordlines_hold(const struct schedule *s)
{
	for (uint32_t i = 0; i < s->ops.wordline.used; i++)
		for (int pass = 0; pass < 2; pass++)
			if (!s->open || !schedule_has_op(s, ops_wordline(&s->ops, i)->pass[pass]))
				return false;
	return true;
}

/* The same of all operations, edges and wordlines. */
static bool schedule_ops_hold(void *schedule)
{
	const struct schedule *s = schedule;
	const struct edge *edge = s->ops.edge.object;

	BUG_ON(s->woken.first != INDEX_NONE || s->answered.first != INDEX_NONE,
		"an event is being processed");
	for (uint32_t i = 0; i < s->ops.edge.used; i++)
		if (edge[i].op >= s->ops.op.used)
			return false;
	for (uint32_t i = 0; i < s->ops.op.used; i++)
		if (!schedule_op_holds(s, ops_at(&s->ops, i)))
			return false;
	return schedule_wordlines_hold(s);
}

/* ---- units and channels ---- */

/* Is the time short enough for timers (timers.h)? */
static bool schedule_is_soon(const struct schedule *s, uint64_t ns)
{
	return !(ns >> (60 - s->timers.bits));
}

/* Do the unit's phase, command and timer agree? */
static bool schedule_unit_holds(const struct schedule *s, uint32_t u)
{
	const struct unit *unit = &s->unit[u];
	bool set = min_tree_get(&s->timers.key, u) != MIN_TREE_UNSET, serves = unit->command != INDEX_NONE;

	if (!schedule_is_soon(s, unit->in_ns | unit->cell_ns | unit->out_ns | unit->suspended_ns) ||
		(set && !schedule_is_soon(s, timers_due(&s->timers, u) - s->now)))
		return false;
	switch (unit->phase) {
	case PHASE_IDLE:
		return !serves && !set;
	case PHASE_WOKEN:
		return false;
	case PHASE_STOP:
		return unit->suspended != INDEX_NONE && !is_register(s, u);
	case PHASE_DECODE:
		return serves && set && s->flash->retry && !is_register(s, u);
	case PHASE_HELD:
		return register_is_awaited(s, u) && !set;
	default:
		return serves && !(is_register(s, u) && unit->phase == PHASE_CELL);
	}
}

static bool schedule_units_hold(void *schedule)
{
	const struct schedule *s = schedule;

	for (uint32_t u = 0; u < s->units; u++)
		if (!schedule_unit_holds(s, u))
			return false;
	return true;
}

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

/* Waits exist only with programs by wordline. */
static bool schedule_waits_hold(void *schedule)
{
	struct schedule *s = schedule;

	s->pad_due = wordline_first_due(s);
	return s->open || !s->waits.count;
}

const struct state_row schedule_state[] = {
	STATE_FIXED(flash, geometry, settings, registers, units, unit_of_die, per_channel),
	STATE_FIXED(transfer_ns, command_ns, plane_command_ns, room, place, observers, heard, copies_follow,
		wordline_pages),
	STATE_SCRATCH(woken, answered, answering),
	STATE_NUMBER(struct schedule, now),
	STATE_STRUCT(struct schedule, ops, ops_state),
	STATE_RESTORED(schedule_ops_hold),
	STATE_VALUES(struct schedule, open, INDEX, STATE_OWN(struct schedule, ops.wordline.used)),
	STATE_HEAP(struct schedule, waits, STATE_UNBOUNDED, struct wordline_wait, wait_state),
	STATE_NUMBER(struct schedule, wait_order),
	STATE_REBUILT(pad_due),
	STATE_RESTORED(schedule_waits_hold),
	STATE_INDEX(struct schedule, work_ticket, STATE_OWN(struct schedule, ops.ticket.used)),
	STATE_STRUCT(struct schedule, timers, timers_state),
	STATE_ARRAY(struct schedule, unit, unit_state),
	STATE_RESTORED(schedule_units_hold),
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

void schedule_check(const struct schedule *s)
{
	const struct release *release = s->releases.element;
	struct census c = census_begin(&s->ops, s->geometry, s->flash->block, s->wordline_pages);

	for (uint32_t u = 0; u < s->units; u++) {
		census_queue(&c, &s->unit[u].reads);
		census_queue(&c, &s->unit[u].others);
		census_command(&c, s->unit[u].command);
		census_command(&c, s->unit[u].suspended);
	}
	for (uint32_t i = 0; i < s->releases.count; i++) {
		census_release(&c, release[i].first_op, release[i].ticket);
		BUG_ON(i && release_before(&release[i], &release[(i - 1) / 2]),
			"requests begin out of order");
	}
	census_completed(&c, &s->completed);
	for (uint32_t i = 0; s->heard & HEARD(checked) && i < s->ops.op.used; i++)
		if (census_counts(&c, i))
			TELL(s->flash, checked,
				(o->context, ops_handle(&s->ops, i), ops_at(&s->ops, i)->ticket));
	census_end(&c);
	bus_check(s);
	if (s->open)
		wordline_check(s);
	write_memory_check(s);
	BUG_ON(s->in_flight != c.in_flight + (uint64_t)s->releases.count || s->held != c.held,
		"%llu operations in flight and %llu pages held, but %u and %u counted",
		(unsigned long long)s->in_flight, (unsigned long long)s->held,
		c.in_flight + s->releases.count, c.held);
	BUG_ON(timers_next(&s->timers) < s->now || release_due(s) < s->now, "an event lies in the past");
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

bool schedule_has_op(const struct schedule *s, uint32_t index)
{
	return index < s->ops.op.used || index == INDEX_NONE;
}

uint32_t schedule_ops(const struct schedule *s)
{
	return s->ops.op.used;
}

uint32_t schedule_tickets(const struct schedule *s)
{
	return s->ops.ticket.used;
}
