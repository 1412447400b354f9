#include "flash/bus.h"
#include "flash/cache_register.h"

/*
 * In this file `cached` is a compile-time constant: with or without cache registers.  Without them they cost
 * no time.
 */

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

/* While data leaves its register, a die takes no command but a read. */
static void unit_dispatch_read(struct schedule *s, uint32_t u, bool first)
{
	struct unit *unit = &s->unit[u];
	uint32_t other = unit->suspended == INDEX_NONE ? unit->others.first : INDEX_NONE;

	if (!first && (other == INDEX_NONE || ops_at(&s->ops, other)->kind != OP_READ))
		return;
	s->busy.cache_reads++;
	command_take(s, u, first ? &unit->reads : &unit->others);
	unit_begin(s, u);
}

HOT void unit_dispatch(struct schedule *s, uint32_t u, bool cached)
{
	struct unit *unit = &s->unit[u];
	bool others = unit->suspended != INDEX_NONE || unit->others.first != INDEX_NONE;
	bool reads = unit->reads.first != INDEX_NONE && !(others && unit_holds_reads(s, unit));

	unit->passed += reads && others;
	if (cached && register_sends(s, u)) {
		unit_dispatch_read(s, u, reads);
	} else if (!reads && unit->suspended != INDEX_NONE) {
		unit_resume(s, u);
		if (cached)
			register_load(s, u);
	} else if (reads || others) {
		command_take(s, u, reads ? &unit->reads : &unit->others);
		unit_begin(s, u);
	}
}

void unit_take_next(struct schedule *s, uint32_t u)
{
	unit_dispatch(s, u, true);
}

HOT void unit_wake(struct schedule *s, uint32_t u, bool cached)
{
	if (cached && s->unit[u].phase == PHASE_CELL)
		u = register_of(u);
	if (s->unit[u].phase != PHASE_IDLE)
		return;
	s->unit[u].phase = PHASE_WOKEN;
	queue_append(&s->woken, ARRAY_FIELD(s->unit, next), u);
}

void unit_wake_cached(struct schedule *s, uint32_t u)
{
	unit_wake(s, u, true);
}

HOT void unit_dispatch_all(struct schedule *s, bool cached)
{
	uint32_t u;

	while ((u = queue_take(&s->woken, ARRAY_FIELD(s->unit, next))) != INDEX_NONE) {
		s->unit[u].phase = PHASE_IDLE;
		if (cached && is_register(s, u))
			register_load(s, die_of_register(u));
		else
			unit_dispatch(s, u, cached);
	}
}

ONE_COPY static void unit_dispatch_all_cached(struct schedule *s)
{
	unit_dispatch_all(s, true);
}

ONE_COPY void unit_dispatch_woken(struct schedule *s)
{
	if (s->registers)
		unit_dispatch_all_cached(s);
	else
		unit_dispatch_all(s, false);
}

/* ---- suspension ---- */

static bool unit_may_suspend(const struct schedule *s, uint32_t u)
{
	const struct unit *unit = &s->unit[u];
	uint8_t kind;

	if (unit->phase != PHASE_CELL || unit->suspended != INDEX_NONE || unit_holds_reads(s, unit) ||
		(s->registers && !register_is_empty(s, u)))
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
ONE_COPY static void unit_interrupt(struct schedule *s, uint32_t u, bool cached)
{
	if (unit_may_suspend(s, u))
		unit_suspend(s, u);
	else
		unit_wake(s, u, cached);
}

/* The command is suspended: dispatches the pending read. */
static void unit_stopped(struct schedule *s, uint32_t u)
{
	s->unit[u].phase = PHASE_IDLE;
	event_rests(s, u);
	unit_wake(s, u, false);
	unit_dispatch_woken(s);
}

HOT void unit_append(struct schedule *s, uint32_t index, bool cached)
{
	struct op *op = s->ops.op.object;
	uint32_t u = unit_of(s, &op[index]);
	struct unit *unit = &s->unit[u];
	bool first = op[index].kind == OP_READ && s->settings->scheduler == SCHEDULE_READ_FIRST;

	queue_append(first ? &unit->reads : &unit->others, ARRAY_FIELD(op, next), index);
	if (first && s->settings->suspend != SUSPEND_NEVER)
		unit_interrupt(s, u, cached);
	else
		unit_wake(s, u, cached);
}

ONE_COPY static void unit_enqueue_cached(struct schedule *s, uint32_t index)
{
	unit_append(s, index, true);
}

ONE_COPY void unit_enqueue(struct schedule *s, uint32_t index)
{
	if (s->registers)
		unit_enqueue_cached(s, index);
	else
		unit_append(s, index, false);
}

/* ---- reads that are repeated ---- */

/* Repeats the read in service; the die takes no other command meanwhile. */
static void unit_sense_again(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	event_senses_again(s, u);
	for (uint32_t i = unit->command; i != INDEX_NONE; i = ops_at(&s->ops, i)->next) {
		struct op *op = ops_at(&s->ops, i);

		op->retries--;
		load_change(s, op, -(uint64_t)op->cell_ns);
		s->flash->transferred_sectors += op->sectors;
	}
	unit_begin(s, u);
}

/* The data of a sense has left the die; decoding it fails. */
static void unit_decode(struct schedule *s, uint32_t u)
{
	uint64_t ecc_ns = s->flash->retry->settings->ecc_ns;

	s->unit[u].phase = PHASE_DECODE;
	if (ecc_ns)
		timers_set(&s->timers, u, s->now + ecc_ns);
	else
		unit_sense_again(s, u);
}

/* ---- the end of a phase ---- */

HOT void unit_become_idle(struct schedule *s, uint32_t u, bool cached)
{
	struct unit *unit = &s->unit[u];

	unit->command = INDEX_NONE;
	unit->phase = PHASE_IDLE;
	if (cached && register_goes_on(s, u))
		return;
	if (s->woken.first != INDEX_NONE) {
		unit_wake(s, u, cached);
		unit_dispatch_woken(s);
	} else {
		unit_dispatch(s, u, cached);
	}
	if (unit->phase == PHASE_IDLE)
		timers_unset(&s->timers, u);
}

/* The next copy of a series is first among the die's other operations.  It starts without passing through the
 * queue unless a read or a woken unit goes first, or an observer is attached. */
HOT void unit_go_on_copying(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	struct op *op = s->ops.op.object;

	complete_copy(s, unit->command);
	if (unit->reads.first != INDEX_NONE || s->woken.first != INDEX_NONE || s->observers) {
		queue_prepend(&unit->others, ARRAY_FIELD(op, next), unit->command);
		unit_become_idle(s, u, false);
	} else {
		command_take_copy(s, u);
		unit_begin(s, u);
	}
}

/* The command has ended: completes its operations, and only then makes the unit idle. */
HOT void unit_finish(struct schedule *s, uint32_t u, bool cached)
{
	struct unit *unit = &s->unit[u];
	const struct op *op = ops_at(&s->ops, unit->command);

	if (op->kind != OP_READ) {
		unit->passed = 0;
	} else if (op->retries) {
		unit_decode(s, u);
		return;
	}
	event_rests(s, u);
	if (!cached && op->followers != INDEX_NONE) {
		unit_go_on_copying(s, u);
		return;
	}
	command_end(s, u);
	unit_become_idle(s, u, cached);
}

/* A read queued during the transfer suspends the command as soon as its cells start. */
HOT void unit_begin_cells(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit_work(s, u, unit->cell_ns);
	if (unit->reads.first != INDEX_NONE && s->settings->suspend != SUSPEND_NEVER &&
		unit_may_suspend(s, u))
		unit_suspend(s, u);
}

void unit_start_cells(struct schedule *s, uint32_t u)
{
	unit_begin_cells(s, u);
}

/* The cells of the unit hold the data of a read. */
HOT void unit_send_data(struct schedule *s, uint32_t u, bool cached)
{
	if (cached && s->settings->cache_register & CACHE_READ)
		register_take_data(s, u);
	else
		bus_request(s, u);
}

static void unit_end_pause(struct schedule *s, uint32_t u)
{
	if (s->unit[u].phase == PHASE_STOP)
		unit_stopped(s, u);
	else
		unit_sense_again(s, u);
}

HOT void unit_end_phase(struct schedule *s, uint32_t u, bool cached)
{
	struct unit *unit = &s->unit[u];
	enum phase ended = unit->phase;

	if (ended >= PHASE_STOP) {
		unit_end_pause(s, u);
		return;
	}
	event_free(s, u, ended != PHASE_CELL);
	unit->phase = PHASE_OUT;
	if (ended == PHASE_IN) {
		unit_begin_cells(s, u);
		if (cached)
			register_load(s, u);
	} else if (ended == PHASE_CELL && unit->out_ns) {
		unit_send_data(s, u, cached);
	} else {
		unit_finish(s, u, cached);
	}
	if (ended != PHASE_CELL)
		bus_pass_on(s, channel_of(s, u));
}

void unit_expired(struct schedule *s, uint32_t u)
{
	unit_end_phase(s, u, false);
}

void unit_expired_cached(struct schedule *s, uint32_t u)
{
	if (is_register(s, u))
		register_expired(s, u);
	else
		unit_end_phase(s, u, true);
}
