#include "flash/cache_register.h"

#include "flash/bus.h"
#include "flash/command.h"
#include "flash/repeat.h"

static void register_become_empty(struct schedule *s, uint32_t die)
{
	uint32_t r = register_of(die);

	event_emptied(s, r);
	s->unit[r].command = INDEX_NONE;
	s->unit[r].phase = PHASE_IDLE;
	timers_unset(&s->timers, r);
}

/* ---- reads ---- */

/* The die requests the bus for its next command before the register does for the data.  Data of a read that
 * will be repeated leaves from the die itself, which takes no other command meanwhile. */
void register_take_data(struct schedule *s, uint32_t die)
{
	struct unit *unit = &s->unit[die], *r = &s->unit[register_of(die)];

	timers_unset(&s->timers, die);
	if (r->phase != PHASE_IDLE) {
		unit->phase = PHASE_HELD;
		return;
	}
	if (repeat_follows(ops_at(&s->ops, unit->command), false)) {
		unit->phase = PHASE_OUT;
		bus_request(s, die, false);
		return;
	}
	r->command = unit->command;
	r->out_ns = unit->out_ns;
	r->phase = PHASE_OUT;
	event_filled(s, register_of(die));
	unit->command = INDEX_NONE;
	unit->phase = PHASE_IDLE;
	unit_take_next(s, die);
	bus_request(s, register_of(die), false);
}

/* An idle die takes its next command after the dies that the operations which end here wake, as one without a
 * register does: until they have ended, PHASE_HELD keeps it from being woken among them. */
static void register_end_sending(struct schedule *s, uint32_t die)
{
	struct unit *unit = &s->unit[die];
	bool idle = unit->phase == PHASE_IDLE;

	if (idle) {
		unit->phase = PHASE_HELD;
		event_rests(s, die);
	}
	command_end(s, register_of(die), false);
	register_become_empty(s, die);
	if (idle) {
		unit->phase = PHASE_IDLE;
		unit_wake_up(s, die);
	} else if (unit->phase == PHASE_HELD) {
		register_take_data(s, die);
	}
	unit_dispatch_woken(s);
}

/* ---- programs ---- */

static bool register_is_program(const struct op *op)
{
	return op->kind == OP_PROGRAM || ops_is_pass(op);
}

/* May the operation be loaded while the cells work on the other one?  Both must be in the same mode, SLC or
 * not. */
static bool register_may_load(const struct op *op, const struct op *works)
{
	return register_is_program(op) && register_is_program(works) &&
	       !((op->flags ^ works->flags) & OP_IN_SLC);
}

static void register_end_loading(struct schedule *, uint32_t die);

void register_load(struct schedule *s, uint32_t die)
{
	struct unit *unit = &s->unit[die], *r = &s->unit[register_of(die)];

	if (!(s->settings->cache_register & CACHE_PROGRAM) || unit->phase != PHASE_CELL ||
		r->phase != PHASE_IDLE || unit->suspended != INDEX_NONE || unit->reads.first != INDEX_NONE ||
		unit->others.first == INDEX_NONE ||
		!register_may_load(ops_at(&s->ops, unit->others.first), ops_at(&s->ops, unit->command)))
		return;
	for (uint32_t at = unit->command; at != INDEX_NONE; at = ops_at(&s->ops, at)->next)
		ops_at(&s->ops, at)->stage = STAGE_IN_CELLS;
	command_take(s, register_of(die), &unit->others, false);
	s->busy.cache_programs++;
	r->phase = PHASE_IN;
	event_filled(s, register_of(die));
	if (r->in_ns)
		bus_request(s, register_of(die), false);
	else
		register_end_loading(s, die);
}

static void register_to_cells(struct schedule *s, uint32_t die)
{
	struct unit *unit = &s->unit[die];
	const struct unit *r = &s->unit[register_of(die)];

	unit->command = r->command;
	unit->cell_ns = r->cell_ns;
	unit->out_ns = 0;
	register_become_empty(s, die);
	event_moved(s, die);
	unit_start_cells(s, die);
}

/* The next program is loaded after the other dies that this event has woken have taken their commands. */
bool register_goes_on(struct schedule *s, uint32_t die)
{
	struct unit *unit = &s->unit[die];
	enum phase phase = s->unit[register_of(die)].phase;

	if (phase != PHASE_IN && phase != PHASE_HELD)
		return false;
	if (phase == PHASE_HELD) {
		register_to_cells(s, die);
		unit_wake_up(s, die);
	} else {
		unit->phase = PHASE_HELD;
		timers_unset(&s->timers, die);
	}
	unit_dispatch_woken(s);
	return true;
}

/* Command and data of a program are there. */
static void register_end_loading(struct schedule *s, uint32_t die)
{
	uint32_t r = register_of(die);

	s->unit[r].phase = PHASE_HELD;
	timers_unset(&s->timers, r);
	event_loaded(s, r);
	if (s->unit[die].phase != PHASE_HELD)
		return;
	register_to_cells(s, die);
	register_load(s, die);
}

void register_expired(struct schedule *s, uint32_t u)
{
	uint32_t die = die_of_register(u);

	event_free(s, u, true);
	if (s->unit[u].phase == PHASE_OUT)
		register_end_sending(s, die);
	else
		register_end_loading(s, die);
	bus_pass_on(s, channel_of(s, die), false);
}
