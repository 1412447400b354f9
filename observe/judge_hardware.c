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
	if (d->made.kind == OP_COPY)
		ns += d->retries * (judge_read_ns(j, d->at) + j->settings.ecc_ns);
	if (d->wordline != INDEX_NONE)
		return j->settings.program_ns[d->passed] *
		       (d->made.cause == CAUSE_FOLD ? j->settings.fold_passes : 1);
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

/* ---- requests for the bus ---- */

static bool judge_cells_are_done(const struct judge *j, const struct judged_command *c)
{
	return c->cells_seen && !c->in_cells &&
	       c->cells_spent >= c->cells + c->suspensions * j->settings.resume_ns;
}

static bool judge_has_data(const struct judge *j, const struct judged_command *c)
{
	return c->left && c->out_sectors && judge_cells_are_done(j, c);
}

/* The command whose read data is next to leave the unit; NULL: none, or two, of which one is leaving. */
static struct judged_command *judge_data_of(const struct judge *j, struct judged_unit *u)
{
	bool first = judge_has_data(j, &u->now[0]), second = judge_has_data(j, &u->now[1]);

	return first == second ? NULL : &u->now[second];
}

void judge_settle(struct judge *j)
{
	struct judged_command *c;

	if (j->asks == INDEX_NONE)
		return;
	c = judge_data_of(j, &j->unit[j->asks]);
	c->bus_request = ++j->bus_requests;
	j->asks = INDEX_NONE;
}

/* A command, with the data of a program, requests the bus: before read data of its unit that is ready now. */
static void judge_request_bus(struct judge *j, uint32_t unit, struct judged_command *c, tick_t now)
{
	if (j->asks != unit)
		judge_settle(j);
	c->bus_request = ++j->bus_requests;
	c->requested_at = now;
}

/* Read data requests the bus, unless other data is leaving the unit. */
static void judge_offer_data(struct judge *j, uint32_t unit, tick_t now)
{
	struct judged_command *c = judge_data_of(j, &j->unit[unit]);

	if (!c || c->bus_request || j->unit[unit].on_bus == (uint32_t)(c - j->unit[unit].now))
		return;
	judge_settle(j);
	c->requested_at = now;
	j->asks = unit;
	if (!j->settings.cache_reads)
		judge_settle(j);
}

/* ---- commands begin and end ---- */

/* Bit 0: it reads in SLC mode; bit 1: it writes or erases in SLC mode. */
static unsigned judge_modes(const struct judge *j, const struct judged_op *d)
{
	return (judge_reads(d) && bits_get(j->slc, d->at)) | (unsigned)d->slc << 1;
}

/* May the operation be part of a multi-plane command? */
static bool judge_may_join(const struct judge *j, const struct judged_command *c, const struct judged_op *d)
{
	if (j->settings.multiplane == JUDGED_ALONE || judge_modes(j, d) != c->modes ||
		d->retries != c->retries || (d->made.kind == OP_COPY && !j->settings.multiplane_copy))
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

/* Checked for every program that is loaded or, if operations are many, for a sample. */
static bool judge_a_read_waits(struct judge *j, uint32_t unit, tick_t now)
{
	if (!j->settings.reads_first || !j->unit[unit].reads || ++j->loads % (1 + j->ops / 64))
		return false;
	for (uint32_t i = 0; i < j->ops; i++)
		if (judge_is_waiting(j, &j->op[i], now) && judge_unit(j, &j->op[i]) == unit)
			return true;
	return false;
}

/* May the operation begin a command beside the one its unit has?  A read may while the data of another
 * leaves, a program while the cells program. */
static bool judge_may_begin(
	struct judge *j, uint32_t unit, const struct judged_command *c, const struct judged_op *d, tick_t now)
{
	if (!c->left)
		return true;
	if (d->made.kind != c->kind)
		return false;
	if (d->made.kind == OP_READ)
		return j->settings.cache_reads && judge_cells_are_done(j, c) && !c->retries;
	return d->made.kind == OP_PROGRAM && j->settings.cache_programs && c->in_cells &&
	       judge_modes(j, d) == c->modes && !j->unit[unit].suspended.left &&
	       !judge_a_read_waits(j, unit, now);
}

/* The operation begins a command of its unit, or joins the one that begins now. */
static struct judged_command *judge_begin_command(
	struct judge *j, uint32_t unit, const struct judged_op *d, tick_t now)
{
	struct judged_unit *u = &j->unit[unit];
	struct judged_command *c = &u->now[u->last];

	if (c->left && c->begun == now && !c->cells_seen && !c->bus_spent)
		return c;
	u->last ^= c->left != 0;
	c = &u->now[u->last];
	BUG_ON(c->left || !judge_may_begin(j, unit, &u->now[!u->last], d, now),
		"a %s of page %u starts on a die that is at work", judge_kind_name(d), d->made.ppn);
	*c = (struct judged_command){ .kind = d->made.kind,
		.die = d->at / j->pages_per_plane / j->settings.planes_per_die,
		.page = d->at % j->settings.pages_per_block,
		.target = d->made.to % j->settings.pages_per_block,
		.modes = judge_modes(j, d),
		.first_plane = d->at / j->pages_per_plane,
		.wordline = INDEX_NONE,
		.passed = d->passed,
		.retries = d->retries,
		.begun = now,
		.sent = now };
	return c;
}

void judge_join_command(struct judge *j, uint32_t unit, struct judged_op *d, tick_t now)
{
	struct judged_command *c = judge_begin_command(j, unit, d, now);
	uint32_t plane = d->at / j->pages_per_plane, die = plane / j->settings.planes_per_die;
	uint64_t bit = (uint64_t)1 << plane % j->settings.planes_per_die;
	bool more; /* a further page of the wordline that joined last */

	judge_check_stop(&j->unit[unit], d, now);
	d->command = j->unit[unit].last;
	more = d->wordline != INDEX_NONE && d->wordline == c->wordline;
	BUG_ON(c->kind != d->made.kind || c->die != die ||
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
		judge_request_bus(j, unit, c, now);
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

void judge_leave_command(struct judge *j, uint32_t unit, const struct judged_op *d, tick_t now)
{
	struct judged_unit *u = &j->unit[unit];
	struct judged_command *c = &u->now[d->command];

	BUG_ON(u->on_bus == d->command || c->in_cells || !c->left,
		"a %s of page %u is done while its die works", judge_kind_name(d), d->made.ppn);
	judge_check_times(j, d, c);
	BUG_ON(d->made.kind == OP_READ && c->retries, "a read of page %u is done with %u senses left",
		d->made.ppn, c->retries);
	if (!--c->left)
		judge_offer_data(j, unit, now);
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

/* No other command goes first, and the bus was not idle while this one waited. */
static void judge_check_turn(
	const struct judge *j, uint32_t unit, const struct judged_command *c, uint32_t channel, tick_t now)
{
	BUG_ON(now != (c->requested_at > j->channel[channel].left ? c->requested_at
								  : j->channel[channel].left),
		"die %u takes the bus of channel %u at %llu, when it should not or should have before", unit,
		channel, (unsigned long long)now);
	for (uint32_t i = 0; i < 2 * j->units_per_channel; i++) {
		uint32_t other = channel * j->units_per_channel + i / 2;
		const struct judged_command *o = &j->unit[other].now[i % 2];

		BUG_ON(o->bus_request && (judge_rank(j, o) < judge_rank(j, c) ||
						 (judge_rank(j, o) == judge_rank(j, c) &&
							 o->bus_request < c->bus_request)),
			"die %u takes the bus of channel %u at %llu, it is the turn of die %u", unit, channel,
			(unsigned long long)now, other);
	}
}

/* The command that uses the bus, or has requested it for the same transfer; INDEX_NONE: none. */
static uint32_t judge_user(const struct judged_unit *u, enum bus_use use)
{
	if (use == BUS_LEFT)
		return u->on_bus;
	for (uint32_t i = 0; i < 2; i++)
		if (u->now[i].bus_request && u->now[i].cells_seen == (use == BUS_RECEIVES))
			return i;
	return INDEX_NONE;
}

void judge_bus(void *judge, uint32_t unit, enum bus_use use, tick_t now)
{
	struct judge *j = judge;
	uint32_t channel = unit / j->units_per_channel, command;
	struct judged_channel *bus = &j->channel[channel];
	struct judged_unit *u = &j->unit[unit];
	struct judged_command *c;
	bool takes = use != BUS_LEFT;

	judge_pass_time(j, now);
	if (use != BUS_SENDS || j->asks != unit)
		judge_settle(j);
	command = judge_user(u, use);
	BUG_ON(takes == bus->taken || takes == (u->on_bus != INDEX_NONE) || command == INDEX_NONE,
		"die %u %s the bus of channel %u at %llu out of turn", unit, takes ? "takes" : "leaves",
		channel, (unsigned long long)now);
	c = &u->now[command];
	bus->taken = takes;
	u->on_bus = takes ? command : INDEX_NONE;
	if (takes) {
		judge_check_turn(j, unit, c, channel, now);
		c->bus_request = 0;
		u->since = now;
	} else {
		bus->left = c->sent = now;
		c->bus_spent += now - u->since;
	}
}

/* The command that takes the cells, or leaves them; INDEX_NONE: none. */
static uint32_t judge_in_cells(const struct judge *j, const struct judged_unit *u, bool begins)
{
	for (uint32_t i = 0; i < 2; i++)
		if (u->now[i].left && u->now[i].in_cells != begins &&
			!(begins && judge_has_data(j, &u->now[i])) && u->on_bus != i)
			return i;
	return INDEX_NONE;
}

/* A unit may have two commands, but only one in the cells. */
static void judge_check_cells(
	const struct judge *j, uint32_t unit, const struct judged_command *c, bool takes, tick_t now)
{
	const struct judged_unit *u = &j->unit[unit];
	tick_t due = c->sent > u->free_from ? c->sent : u->free_from;

	BUG_ON(takes && (u->now[0].in_cells || u->now[1].in_cells),
		"the cells of die %u begin a second command at %llu", unit, (unsigned long long)now);
	BUG_ON(takes && c->bus_spent + 1 < judge_in_ns(j, c),
		"the cells of die %u begin after %llu ns on the bus, command and data take %llu", unit,
		(unsigned long long)c->bus_spent, (unsigned long long)judge_in_ns(j, c));
	BUG_ON(takes && !c->cells_seen && now != due, "the cells of die %u begin at %llu instead of %llu",
		unit, (unsigned long long)now, (unsigned long long)due);
}

static void judge_leave_cells(struct judged_unit *u, struct judged_command *c, tick_t now)
{
	c->in_cells = false;
	c->cells_spent += now - c->since;
	u->free_from = now;
}

void judge_cells(void *judge, uint32_t unit, bool takes, tick_t now)
{
	struct judge *j = judge;
	struct judged_unit *u = &j->unit[unit];
	uint32_t command = judge_in_cells(j, u, takes);
	struct judged_command *c;

	judge_pass_time(j, now);
	BUG_ON(command == INDEX_NONE, "the cells of die %u %s at %llu out of turn", unit,
		takes ? "begin" : "end", (unsigned long long)now);
	c = &u->now[command];
	judge_check_cells(j, unit, c, takes, now);
	judge_settle(j);
	if (takes) {
		c->in_cells = c->cells_seen = true;
		c->since = now;
	} else {
		judge_leave_cells(u, c, now);
		judge_offer_data(j, unit, now);
	}
}

/* The command that began last repeats a read whose data was wrong, ecc_ns after that data left the bus. */
void judge_senses_again(void *judge, uint32_t unit, tick_t now)
{
	struct judge *j = judge;
	struct judged_unit *u = &j->unit[unit];
	struct judged_command *c = &u->now[u->last];
	tick_t bus = judge_in_ns(j, c) + judge_transfer_ns(j, c->out_sectors);

	judge_pass_time(j, now);
	BUG_ON(!c->left || !c->retries || c->kind != OP_READ || u->on_bus != INDEX_NONE || c->in_cells ||
			c->cells_spent != c->cells || c->bus_spent + 1 < bus,
		"die %u senses again at %llu what it has not read yet, or has read", unit,
		(unsigned long long)now);
	BUG_ON(now != c->sent + j->settings.ecc_ns, "die %u senses again at %llu instead of %llu", unit,
		(unsigned long long)now, (unsigned long long)(c->sent + j->settings.ecc_ns));
	c->retries--;
	c->bus_spent = c->cells_spent = 0;
	c->cells_seen = false;
	c->begun = c->sent = now;
	if (judge_in_ns(j, c))
		judge_request_bus(j, unit, c, now);
}

/*
 * A read was issued to the unit, possibly while the schedule handles the end of a command of another unit:
 * read data there may still have to let the next command of its unit go first, so there is no judge_settle()
 * here.  The cells may have been due to end at this very moment.
 */
void judge_suspended(void *judge, uint32_t unit, tick_t now)
{
	struct judge *j = judge;
	struct judged_unit *u = &j->unit[unit];
	struct judged_command *c = &u->now[u->last];

	judge_pass_time(j, now);
	BUG_ON(!c->left || !c->in_cells || u->suspended.left || c->kind == OP_READ,
		"die %u suspends a command that cannot be suspended", unit);
	judge_leave_cells(u, c, now);
	u->suspended = *c;
	u->stopped = u->last;
	u->suspended.suspensions++;
	u->stopping = true;
	u->stopped_at = now + j->settings.suspend_ns;
	*c = (struct judged_command){ 0 };
}

void judge_resumed(void *judge, uint32_t unit)
{
	struct judge *j = judge;
	struct judged_unit *u = &j->unit[unit];

	BUG_ON(u->now[0].left || u->now[1].left || !u->suspended.left || u->stopping,
		"die %u resumes no command, or two", unit);
	u->last = u->stopped;
	u->now[u->last] = u->suspended;
	u->suspended = (struct judged_command){ 0 };
}
