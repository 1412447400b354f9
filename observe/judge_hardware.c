#include "observe/judge_inside.h"

/* ---- commands ---- */

static uint64_t judge_page_ns(const tick_t *times, size_t types, uint32_t page)
{
	return times[page % types];
}

static tick_t judge_read_ns(const struct judge *j, ppn_t ppn)
{
	const struct judge_settings *s = &j->settings;

	return bits_get(j->slc, ppn) ? s->slc_read_ns
				     : judge_page_ns(s->read_ns, s->read_types, ppn % s->pages_per_block);
}

static tick_t judge_program_ns(const struct judge *j, const struct judged_op *d)
{
	const struct judge_settings *s = &j->settings;
	uint64_t times = d->made.cause == CAUSE_FOLD ? s->fold_passes : 1;

	if (d->slc)
		return s->slc_program_ns;
	return judge_page_ns(s->program_ns, s->program_types, judge_target(d) % s->pages_per_block) * times;
}

static tick_t judge_cell_ns(const struct judge *j, const struct judged_op *d)
{
	tick_t ns = 0;

	if (d->made.kind == OP_ERASE)
		return d->slc ? j->settings.slc_erase_ns : j->settings.erase_ns;
	if (judge_reads(d))
		ns += judge_read_ns(j, d->at);
	if (d->wordline != INDEX_NONE)
		return j->settings.program_ns[d->passed];
	if (judge_writes(d))
		ns += judge_program_ns(j, d);
	return ns;
}

static tick_t judge_transfer_ns(const struct judge *j, uint64_t sectors)
{
	return (tick_t)((double)(sectors * SECTOR_BYTES) * 1000.0 / j->settings.bus_mb_per_s + 0.5);
}

static tick_t judge_in_ns(const struct judge *j, const struct judged_command *c)
{
	return c->command_ns + judge_transfer_ns(j, c->in_sectors);
}

static void judge_request_bus(struct judge *j, struct judged_command *c, tick_t now)
{
	c->bus_request = ++j->bus_requests;
	c->requested_at = now;
}

/* Bit 0: it reads in SLC mode; bit 1: it writes or erases in SLC mode. */
static unsigned judge_modes(const struct judge *j, const struct judged_op *d)
{
	return (judge_reads(d) && bits_get(j->slc, d->at)) | (unsigned)d->slc << 1;
}

/* May the operation be part of a multi-plane command? */
static bool judge_may_join(const struct judge *j, const struct judged_command *c, const struct judged_op *d)
{
	if (j->settings.multiplane == JUDGED_ALONE || judge_modes(j, d) != c->modes ||
		(d->made.kind == OP_COPY && !j->settings.multiplane_copy))
		return false;
	if (d->passed != c->passed)
		return false;
	if (j->settings.multiplane == JUDGED_ANY_OFFSET || d->made.kind == OP_ERASE)
		return true;
	if (d->wordline != INDEX_NONE)
		return (d->at % j->settings.pages_per_block - c->page) < j->settings.wordline_pages;
	return d->at % j->settings.pages_per_block == c->page &&
	       (d->made.kind != OP_COPY || d->made.to % j->settings.pages_per_block == c->target);
}

static tick_t judge_command_ns(const struct judge *j, enum op_kind kind, bool further)
{
	const tick_t *ns = further ? j->settings.plane_command_ns : j->settings.command_ns;

	if (kind == OP_COPY)
		return ns[0] + ns[1];
	return ns[kind == OP_ERASE ? 2 : kind == OP_PROGRAM];
}

/* A read that suspends a command starts as soon as the cells have stopped. */
static void judge_check_stop(struct judged_unit *u, const struct judged_op *d, tick_t now)
{
	BUG_ON(u->stopping && now != u->stopped_at,
		"a %s of page %u starts at %llu, the command it suspends stops at %llu", judge_kind_name(d),
		d->at, (unsigned long long)now, (unsigned long long)u->stopped_at);
	u->stopping = false;
}

void judge_join_command(struct judge *j, uint32_t unit, const struct judged_op *d, tick_t now)
{
	struct judged_command *c = &j->unit[unit].now;
	uint32_t plane = d->at / j->pages_per_plane, die = plane / j->settings.planes_per_die;
	uint64_t bit = (uint64_t)1 << plane % j->settings.planes_per_die;
	bool more; /* of the wordline that joined last */

	judge_check_stop(&j->unit[unit], d, now);
	if (!c->left)
		*c = (struct judged_command){ .kind = d->made.kind,
			.die = die,
			.page = d->at % j->settings.pages_per_block,
			.target = d->made.to % j->settings.pages_per_block,
			.modes = judge_modes(j, d),
			.first_plane = plane,
			.wordline = INDEX_NONE,
			.passed = d->passed,
			.begun = now };
	more = d->wordline != INDEX_NONE && d->wordline == c->wordline;
	BUG_ON(c->begun != now || c->cells_seen || c->bus_spent || c->kind != d->made.kind || c->die != die ||
			(!more && ((c->planes & bit) || (c->left && !judge_may_join(j, c, d)))),
		"a %s of page %u starts on a die that is at work", judge_kind_name(d), d->made.ppn);
	c->command_ns += judge_command_ns(j, d->made.kind, plane != c->first_plane);
	c->left++;
	c->wordline = d->wordline;
	c->planes |= bit;
	c->in_sectors += d->made.kind == OP_PROGRAM ? d->made.sectors : 0;
	c->out_sectors += d->made.kind == OP_READ ? d->made.sectors : 0;
	if (judge_cell_ns(j, d) > c->cells)
		c->cells = judge_cell_ns(j, d);
	if (!c->bus_request && judge_in_ns(j, c))
		judge_request_bus(j, c, now);
}

/* The command has spent the time it should on the bus and in the cells. */
static void judge_check_times(
	const struct judge *j, const struct judged_op *d, const struct judged_command *c)
{
	tick_t bus = judge_in_ns(j, c) + judge_transfer_ns(j, c->out_sectors);
	tick_t cells = c->cells + c->suspensions * j->settings.resume_ns;

	BUG_ON(c->cells_spent != cells, "a %s of page %u took %llu ns in the cells, should take %llu",
		judge_kind_name(d), d->made.ppn, (unsigned long long)c->cells_spent,
		(unsigned long long)cells);
	BUG_ON(c->bus_spent + 1 < bus || c->bus_spent > bus + 1,
		"a %s of page %u took %llu ns on the bus, should take %llu", judge_kind_name(d), d->made.ppn,
		(unsigned long long)c->bus_spent, (unsigned long long)bus);
}

void judge_leave_command(struct judge *j, uint32_t unit, const struct judged_op *d)
{
	struct judged_unit *u = &j->unit[unit];

	BUG_ON(u->on_bus || u->now.in_cells || !u->now.left, "a %s of page %u is done while its die works",
		judge_kind_name(d), d->made.ppn);
	judge_check_times(j, d, &u->now);
	u->now.left--;
}

/* ---- bus and cells ---- */

/* Priority on the bus: 0 before 1. */
static int judge_rank(const struct judge *j, const struct judged_command *c)
{
	switch (j->settings.bus_order) {
	case JUDGED_COMMAND_FIRST:
		return c->cells_seen || c->in_sectors;
	case JUDGED_DATA_FIRST:
		return !c->cells_seen;
	default:
		return 0;
	}
}

/* No other unit goes first, and the bus was not idle while this one waited. */
static void judge_check_turn(const struct judge *j, uint32_t unit, uint32_t channel, tick_t now)
{
	const struct judged_command *c = &j->unit[unit].now;

	BUG_ON(!c->bus_request ||
			now != (c->requested_at > j->channel[channel].left ? c->requested_at
									   : j->channel[channel].left),
		"die %u takes the bus of channel %u at %llu, when it should not or should have before", unit,
		channel, (unsigned long long)now);
	for (uint32_t i = 0; i < j->units_per_channel; i++) {
		uint32_t other = channel * j->units_per_channel + i;
		const struct judged_command *o = &j->unit[other].now;

		BUG_ON(o->bus_request && (judge_rank(j, o) < judge_rank(j, c) ||
						 (judge_rank(j, o) == judge_rank(j, c) &&
							 o->bus_request < c->bus_request)),
			"die %u takes the bus of channel %u at %llu, it is the turn of die %u", unit, channel,
			(unsigned long long)now, other);
	}
}

void judge_bus(struct judge *j, uint32_t unit, bool takes, tick_t now)
{
	uint32_t channel = unit / j->units_per_channel;
	struct judged_channel *bus = &j->channel[channel];
	struct judged_unit *u = &j->unit[unit];

	judge_pass_time(j, now);
	BUG_ON(takes == bus->taken || takes == u->on_bus || u->now.in_cells || !u->now.left,
		"die %u %s the bus of channel %u at %llu out of turn", unit, takes ? "takes" : "leaves",
		channel, (unsigned long long)now);
	bus->taken = u->on_bus = takes;
	if (takes) {
		judge_check_turn(j, unit, channel, now);
		u->now.bus_request = 0;
		u->since = now;
	} else {
		bus->left = now;
		u->now.bus_spent += now - u->since;
	}
}

void judge_cells(struct judge *j, uint32_t unit, bool takes, tick_t now)
{
	struct judged_command *c = &j->unit[unit].now;

	judge_pass_time(j, now);
	BUG_ON(takes == c->in_cells || j->unit[unit].on_bus || !c->left,
		"the cells of die %u %s at %llu out of turn", unit, takes ? "begin" : "end",
		(unsigned long long)now);
	BUG_ON(takes && c->bus_spent + 1 < judge_in_ns(j, c),
		"the cells of die %u begin after %llu ns on the bus, command and data take %llu", unit,
		(unsigned long long)c->bus_spent, (unsigned long long)judge_in_ns(j, c));
	c->in_cells = takes;
	c->cells_seen = true;
	if (takes)
		c->since = now;
	else
		c->cells_spent += now - c->since;
	if (!takes && c->out_sectors && c->cells_spent >= c->cells)
		judge_request_bus(j, c, now);
}

void judge_suspended(struct judge *j, uint32_t unit)
{
	struct judged_unit *u = &j->unit[unit];

	BUG_ON(!u->now.left || u->now.in_cells || u->suspended.left || u->now.kind == OP_READ,
		"die %u suspends a command that cannot be suspended", unit);
	u->suspended = u->now;
	u->suspended.suspensions++;
	u->stopping = true;
	u->stopped_at = j->last + j->settings.suspend_ns;
	u->now = (struct judged_command){ 0 };
}

void judge_resumed(struct judge *j, uint32_t unit)
{
	struct judged_unit *u = &j->unit[unit];

	BUG_ON(u->now.left || !u->suspended.left || u->stopping, "die %u resumes no command, or two", unit);
	u->now = u->suspended;
	u->suspended = (struct judged_command){ 0 };
}
