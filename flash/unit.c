#include "flash/bus.h"
#include "flash/cache_register.h"
#include "flash/command.h"
#include "flash/repeat.h"

/* Counts busy time of the cells; -ns takes it back. */
static void unit_count(struct schedule *s, const struct unit *unit, uint64_t ns)
{
	s->busy.die_ns += ns;
	if (cause_is_background(ops_at(&s->ops, unit->command)->cause))
		s->busy.die_background_ns += ns;
}

/* The cells start on the command. */
HOT void unit_work(struct schedule *s, uint32_t u, uint64_t ns, bool plain)
{
	struct unit *unit = &s->unit[u];

	unit->phase = PHASE_CELL;
	if (!plain)
		event_busy(s, u, false, ns);
	unit_count(s, unit, ns);
	timers_set(&s->timers, u, s->now + ns);
}

/* ---- dispatch ---- */

HOT void unit_begin(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];

	unit->phase = PHASE_IN;
	if (unit->in_ns)
		bus_request(s, u, plain);
	else
		unit_work(s, u, unit->cell_ns, plain);
}

void unit_start(struct schedule *s, uint32_t u)
{
	unit_begin(s, u, false);
}

static void unit_resume(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->command = unit->suspended;
	unit->suspended = INDEX_NONE;
	unit->out_ns = 0;
	event_resumed(s, u);
	unit_work(s, u, unit->suspended_ns, false);
}

/* Reads must wait: as many as allowed have overtaken the waiting or suspended operation. */
static bool unit_holds_reads(const struct schedule *s, const struct unit *unit)
{
	return s->settings->read_first_limit && unit->passed >= s->settings->read_first_limit;
}

/* While data leaves its register, a die takes no command but a read. */
static void unit_dispatch_read(struct schedule *s, uint32_t u, bool first)
{
	struct unit *unit = &s->unit[u];
	uint32_t other = unit->suspended == INDEX_NONE ? unit->others.first : INDEX_NONE;

	if (!first && (other == INDEX_NONE || ops_at(&s->ops, other)->kind != OP_READ))
		return;
	s->busy.cache_reads++;
	command_take(s, u, first ? &unit->reads : &unit->others, false);
	unit_begin(s, u, false);
}

HOT void unit_dispatch(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];
	bool others = unit->suspended != INDEX_NONE || unit->others.first != INDEX_NONE;
	bool reads = unit->reads.first != INDEX_NONE && !(others && unit_holds_reads(s, unit));

	unit->passed += reads && others;
	if (register_sends(s, u, plain)) {
		unit_dispatch_read(s, u, reads);
	} else if (!reads && unit->suspended != INDEX_NONE) {
		unit_resume(s, u);
		if (has_registers(s, plain))
			register_load(s, u);
	} else if (reads || others) {
		command_take(s, u, reads ? &unit->reads : &unit->others, plain);
		unit_begin(s, u, plain);
	}
}

void unit_take_next(struct schedule *s, uint32_t u)
{
	unit_dispatch(s, u, false);
}

HOT void unit_wake(struct schedule *s, uint32_t u, bool plain)
{
	u = register_to_wake(s, u, plain);
	if (s->unit[u].phase != PHASE_IDLE)
		return;
	s->unit[u].phase = PHASE_WOKEN;
	queue_append(&s->woken, ARRAY_FIELD(s->unit, next), u);
}

void unit_wake_up(struct schedule *s, uint32_t u)
{
	unit_wake(s, u, false);
}

HOT void unit_dispatch_all(struct schedule *s, bool plain)
{
	uint32_t u;

	while ((u = queue_take(&s->woken, ARRAY_FIELD(s->unit, next))) != INDEX_NONE) {
		s->unit[u].phase = PHASE_IDLE;
		if (!plain && is_register(s, u))
			register_load(s, die_of_register(u));
		else
			unit_dispatch(s, u, plain);
	}
}

ONE_COPY void unit_dispatch_woken(struct schedule *s)
{
	unit_dispatch_all(s, false);
}

ONE_COPY void unit_dispatch_woken_plain(struct schedule *s)
{
	unit_dispatch_all(s, true);
}

/* ---- suspension ---- */

static bool unit_may_suspend(const struct schedule *s, uint32_t u, bool plain)
{
	const struct unit *unit = &s->unit[u];
	uint8_t kind;

	if (unit->phase != PHASE_CELL || unit->suspended != INDEX_NONE || unit_holds_reads(s, unit) ||
		!register_lets_stop(s, u, plain))
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

/* A read has been queued: suspends the command in the cells if allowed, else wakes the unit.  Out of line:
 * queueing itself is short and hot. */
ONE_COPY static void unit_interrupt(struct schedule *s, uint32_t u)
{
	if (unit_may_suspend(s, u, false))
		unit_suspend(s, u);
	else
		unit_wake(s, u, false);
}

/* The command is suspended: dispatches the pending read. */
static void unit_stopped(struct schedule *s, uint32_t u)
{
	s->unit[u].phase = PHASE_IDLE;
	event_rests(s, u);
	unit_wake(s, u, false);
	unit_dispatch_woken(s);
}

HOT void unit_append(struct schedule *s, uint32_t index, bool plain)
{
	struct op *op = s->ops.op.object;
	uint32_t u = unit_of(s, &op[index]);
	struct unit *unit = &s->unit[u];
	bool first = op[index].kind == OP_READ && s->settings->scheduler == SCHEDULE_READ_FIRST;

	queue_append(first ? &unit->reads : &unit->others, ARRAY_FIELD(op, next), index);
	if (first && s->settings->suspend != SUSPEND_NEVER)
		unit_interrupt(s, u);
	else
		unit_wake(s, u, plain);
}

ONE_COPY void unit_enqueue(struct schedule *s, uint32_t index)
{
	unit_append(s, index, false);
}

ONE_COPY void unit_enqueue_plain(struct schedule *s, uint32_t index)
{
	unit_append(s, index, true);
}

/* ---- the end of a phase ---- */

HOT void unit_become_idle(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];

	unit->command = INDEX_NONE;
	unit->phase = PHASE_IDLE;
	if (has_registers(s, plain) && register_goes_on(s, u))
		return;
	if (s->woken.first != INDEX_NONE) {
		unit_wake(s, u, plain);
		COPY_OF(unit_dispatch_woken, plain)(s);
	} else {
		unit_dispatch(s, u, plain);
	}
	if (unit->phase == PHASE_IDLE)
		timers_unset(&s->timers, u);
}

/* The next copy of a series is first among the die's other operations.  It starts without passing through the
 * queue unless a read or a woken unit goes first, or an observer is attached.  True: it has started. */
HOT bool unit_goes_on_copying(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];
	struct op *op = s->ops.op.object;

	COPY_OF(complete_copy, plain)(s, unit->command);
	if (unit->reads.first != INDEX_NONE || s->woken.first != INDEX_NONE || (!plain && s->heard)) {
		queue_prepend(&unit->others, ARRAY_FIELD(op, next), unit->command);
		return false;
	}
	command_take_copy(s, u);
	unit_begin(s, u, plain);
	return true;
}

/* The command has ended: completes its operations, and only then makes the unit idle. */
HOT void unit_finish(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];
	const struct op *op = ops_at(&s->ops, unit->command);

	if (op->kind != OP_READ) {
		unit->passed = 0;
	} else if (repeat_follows(op, plain)) {
		repeat_decode(s, u);
		return;
	}
	if (!plain)
		event_rests(s, u);
	if (op->followers == INDEX_NONE)
		command_end(s, u, plain);
	else if (unit_goes_on_copying(s, u, plain))
		return;
	unit_become_idle(s, u, plain);
}

/* A read queued during the transfer suspends the command as soon as its cells start. */
HOT void unit_begin_cells(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];

	unit_work(s, u, unit->cell_ns, plain);
	if (unit->reads.first != INDEX_NONE && s->settings->suspend != SUSPEND_NEVER &&
		unit_may_suspend(s, u, plain))
		unit_suspend(s, u);
}

void unit_start_cells(struct schedule *s, uint32_t u)
{
	unit_begin_cells(s, u, false);
}

/* The cells of the unit hold the data of a read. */
HOT void unit_send_data(struct schedule *s, uint32_t u, bool plain)
{
	if (register_reads(s, plain))
		register_take_data(s, u);
	else
		bus_request(s, u, plain);
}

static void unit_end_pause(struct schedule *s, uint32_t u)
{
	if (s->unit[u].phase == PHASE_STOP)
		unit_stopped(s, u);
	else
		repeat_sense(s, u);
}

HOT void unit_end_phase(struct schedule *s, uint32_t u, bool plain)
{
	struct unit *unit = &s->unit[u];
	enum phase ended = unit->phase;

	if (ended >= PHASE_STOP) {
		unit_end_pause(s, u);
		return;
	}
	if (!plain)
		event_free(s, u, ended != PHASE_CELL);
	unit->phase = PHASE_OUT;
	if (ended == PHASE_IN) {
		unit_begin_cells(s, u, plain);
		if (has_registers(s, plain))
			register_load(s, u);
	} else if (ended == PHASE_CELL && unit->out_ns) {
		unit_send_data(s, u, plain);
	} else {
		unit_finish(s, u, plain);
	}
	if (ended != PHASE_CELL)
		bus_pass_on(s, channel_of(s, u), plain);
}

void unit_expired(struct schedule *s, uint32_t u)
{
	if (is_register(s, u))
		register_expired(s, u);
	else
		unit_end_phase(s, u, false);
}

void unit_expired_plain(struct schedule *s, uint32_t u)
{
	unit_end_phase(s, u, true);
}
