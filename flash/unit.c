#include "flash/bus.h"

/* Counts busy time of the cells; -ns takes it back. */
static void unit_count(struct schedule *s, const struct unit *unit, uint64_t ns)
{
	s->busy.die_ns += ns;
	if (cause_is_background(ops_at(&s->ops, unit->command)->cause))
		s->busy.die_background_ns += ns;
}

/* The cells start on the command. */
HOT void unit_work(struct schedule *s, uint32_t u, uint64_t ns)
{
	struct unit *unit = &s->unit[u];

	unit->phase = PHASE_CELL;
	event_busy(s, u, false, ns);
	unit_count(s, unit, ns);
	timers_set(&s->timers, u, s->now + ns);
}

/* ---- dispatch ---- */

HOT void unit_begin(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->phase = PHASE_IN;
	if (unit->in_ns)
		bus_request(s, u);
	else
		unit_work(s, u, unit->cell_ns);
}

static void unit_resume(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->command = unit->suspended;
	unit->suspended = INDEX_NONE;
	unit->out_ns = 0;
	event_resumed(s, u);
	unit_work(s, u, unit->suspended_ns);
}

/* Reads must wait: as many as allowed have overtaken the waiting or suspended operation. */
static bool unit_holds_reads(const struct schedule *s, const struct unit *unit)
{
	return s->settings->read_first_limit && unit->passed >= s->settings->read_first_limit;
}

/* Starts the next command of an idle unit, if an operation is ready. */
HOT void unit_dispatch(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	bool others = unit->suspended != INDEX_NONE || unit->others.first != INDEX_NONE;
	bool reads = unit->reads.first != INDEX_NONE && !(others && unit_holds_reads(s, unit));

	unit->passed += reads && others;
	if (!reads && unit->suspended != INDEX_NONE) {
		unit_resume(s, u);
	} else if (reads || others) {
		command_take(s, u, reads ? &unit->reads : &unit->others);
		unit_begin(s, u);
	}
}

static void unit_wake(struct schedule *s, uint32_t u)
{
	if (s->unit[u].phase != PHASE_IDLE)
		return;
	s->unit[u].phase = PHASE_WOKEN;
	queue_append(&s->woken, ARRAY_FIELD(s->unit, next), u);
}

void unit_dispatch_woken(struct schedule *s)
{
	uint32_t u;

	while ((u = queue_take(&s->woken, ARRAY_FIELD(s->unit, next))) != INDEX_NONE) {
		s->unit[u].phase = PHASE_IDLE;
		unit_dispatch(s, u);
	}
}

/* ---- suspension ---- */

static bool unit_may_suspend(const struct schedule *s, const struct unit *unit)
{
	uint8_t kind;

	if (s->settings->suspend == SUSPEND_NEVER || unit->phase != PHASE_CELL ||
		unit->suspended != INDEX_NONE || unit_holds_reads(s, unit))
		return false;
	kind = ops_at(&s->ops, unit->command)->kind;
	return kind == OP_ERASE || (kind != OP_READ && s->settings->suspend == SUSPEND_PROGRAM_AND_ERASE);
}

/* The cells need suspend_ns to stop. */
static void unit_suspend(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	uint64_t stop = s->settings->suspend_ns, left = timers_due(&s->timers, u) - s->now;

	event_suspended(s, u);
	unit_count(s, unit, stop - left);
	unit->suspended = unit->command;
	unit->suspended_ns = left + s->settings->resume_ns;
	unit->command = INDEX_NONE;
	unit->phase = PHASE_STOP;
	s->busy.suspensions++;
	timers_set(&s->timers, u, s->now + stop);
}

/* The cells have stopped: the pending read is dispatched. */
static void unit_stopped(struct schedule *s, uint32_t u)
{
	s->unit[u].phase = PHASE_IDLE;
	event_rests(s, u);
	unit_wake(s, u);
	unit_dispatch_woken(s);
}

void unit_enqueue(struct schedule *s, uint32_t index)
{
	struct op *op = s->ops.op.object;
	uint32_t u = unit_of(s, &op[index]);
	struct unit *unit = &s->unit[u];
	bool first = op[index].kind == OP_READ && s->settings->scheduler == SCHEDULE_READ_FIRST;

	queue_append(first ? &unit->reads : &unit->others, ARRAY_FIELD(op, next), index);
	if (first && unit_may_suspend(s, unit))
		unit_suspend(s, u);
	unit_wake(s, u);
}

/* ---- the end of a phase ---- */

HOT void unit_become_idle(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->command = INDEX_NONE;
	unit->phase = PHASE_IDLE;
	if (s->woken.first != INDEX_NONE) {
		unit_wake(s, u);
		unit_dispatch_woken(s);
	} else {
		unit_dispatch(s, u);
	}
	if (unit->phase == PHASE_IDLE)
		timers_unset(&s->timers, u);
}

/* The next copy of a series stands first among the die's other operations.  If neither a read nor a woken
 * unit goes before it, it is started without passing through the queue. */
HOT void unit_go_on_copying(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	struct op *op = s->ops.op.object;

	complete_copy(s, unit->command);
	if (unit->reads.first != INDEX_NONE || s->woken.first != INDEX_NONE || s->observers) {
		queue_prepend(&unit->others, ARRAY_FIELD(op, next), unit->command);
		unit_become_idle(s, u);
	} else {
		command_take_copy(s, u);
		unit_begin(s, u);
	}
}

/* The command has ended; the unit is idle only after all its operations are completed. */
HOT void unit_finish(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	const struct op *op = ops_at(&s->ops, unit->command);

	if (op->kind != OP_READ)
		unit->passed = 0;
	event_rests(s, u);
	if (op->followers != INDEX_NONE) {
		unit_go_on_copying(s, u);
		return;
	}
	command_end(s, u);
	unit_become_idle(s, u);
}

/* A read queued during the transfer suspends the command as soon as its cells start. */
static void unit_start_cells(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit_work(s, u, unit->cell_ns);
	if (unit->reads.first != INDEX_NONE && unit_may_suspend(s, unit))
		unit_suspend(s, u);
}

void unit_expired(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	enum phase ended = unit->phase;

	if (ended == PHASE_STOP) {
		unit_stopped(s, u);
		return;
	}
	event_free(s, u, ended != PHASE_CELL);
	unit->phase = PHASE_OUT;
	if (ended == PHASE_IN)
		unit_start_cells(s, u);
	else if (ended == PHASE_CELL && unit->out_ns)
		bus_request(s, u);
	else
		unit_finish(s, u);
	if (ended != PHASE_CELL)
		bus_pass_on(s, channel_of(s, u));
}
