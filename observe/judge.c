#include "observe/judge.h"

#include "base/fault.h"
#include "base/memory.h"

enum stage { MADE, STARTED, DONE };

struct deed {
	struct made_op made;
	enum stage stage;
	uint64_t request;             /* serial number */
	uint64_t writer;              /* of a forwarded read: the program whose data it takes */
	uint32_t data;                /* number of the data that it reads, copies or programs */
	uint32_t place;               /* in the order of its block, counted from 0 in each epoch */
	uint32_t life, source_life;   /* of the blocks it writes and reads */
	uint32_t epoch, source_epoch; /* erases outside time of these blocks when it was made */
	uint32_t first_wait;          /* + 1 */
	ppn_t at;                     /* where it reads, */
	uint32_t at_epoch;            /* since which erase outside time */
	bool held;
};

struct wait {
	op_t other;
	uint32_t next; /* + 1 */
};

struct served {
	uint64_t serial;
	tick_t released;
	uint32_t pending;
	bool open, submitted;
};

/* What time has done to a block, and what is still to come. */
struct block {
	uint32_t made, started, done; /* programs, copies and erases in this epoch */
	uint32_t page;                /* behind the last whose program has started */
	uint32_t life, lives;         /* erases done in time, erases made */
	uint32_t epoch;
	uint32_t users, old_users; /* operations of the last life made, and of earlier ones */
};

/* Operations that a unit serves as one. */
struct command {
	enum op_kind kind;
	uint32_t left; /* operations not done; 0 = none */
	uint32_t die;
	uint32_t page;   /* of its block, that of the first operation */
	uint64_t planes; /* of the die, bit by bit */
	tick_t begun, command_ns, cells, bus_spent, cells_spent, since;
	uint64_t in_sectors, out_sectors;
	uint32_t interruptions;
	bool in_cells, cells_seen;
	uint64_t asked; /* waits for the bus since this request of all for a bus; 0 = does not wait */
	tick_t asked_at;
};

struct unit {
	struct command now, interrupted;
	bool on_bus, stops; /* stops: what is interrupted, until a time */
	tick_t since;       /* on the bus */
	tick_t stops_until;
};

struct bus {
	bool taken;
	tick_t left; /* last, by whoever had it */
};

struct judge {
	struct judge_settings settings;
	uint32_t pages, pages_per_plane, units_per_channel;
	struct deed *deed; /* by the low half of their number */
	struct wait *wait;
	struct served *request;
	uint32_t deeds, waits, requests, free_wait;
	uint64_t serial, open_requests, open_deeds, held;
	uint32_t ticket; /* of the request being taken in */
	tick_t last;

	struct unit *unit;
	struct bus *bus;
	uint64_t asked; /* requests for a bus */
	struct block *block;
	uint32_t *meant,
		*present; /* per page: number of the data meant to be there, and there in time; 0 = none */
	uint64_t *writer; /* per page: operation made last to write it */
	uint64_t *reader; /* per page: read of it made last */
	uint32_t data;    /* last number given out */
};

struct judge *judge_create(const struct judge_settings *s)
{
	struct judge *j = memory_array(1, sizeof *j, "judge");
	uint32_t dies = s->channels * s->dies_per_channel;

	j->settings = *s;
	j->pages_per_plane = s->blocks_per_plane * s->pages_per_block;
	j->pages = dies * s->planes_per_die * j->pages_per_plane;
	j->units_per_channel = s->dies_per_channel / s->dies_per_unit;
	j->unit = memory_array(dies, sizeof *j->unit, "judge's dies");
	j->bus = memory_array(s->channels, sizeof *j->bus, "judge's channels");
	j->block = memory_array(j->pages / s->pages_per_block, sizeof *j->block, "judge's blocks");
	j->meant = memory_array(j->pages, sizeof *j->meant, "judge's pages");
	j->present = memory_array(j->pages, sizeof *j->present, "judge's pages");
	j->writer = memory_array(j->pages, sizeof *j->writer, "judge's pages");
	j->reader = memory_array(j->pages, sizeof *j->reader, "judge's pages");
	return j;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	memory_free(j->deed);
	memory_free(j->wait);
	memory_free(j->request);
	memory_free(j->unit);
	memory_free(j->bus);
	memory_free(j->block);
	memory_free(j->meant);
	memory_free(j->present);
	memory_free(j->writer);
	memory_free(j->reader);
	memory_free(j);
}

/* ---- finding ---- */

static struct deed *find(const struct judge *j, uint64_t id)
{
	uint32_t slot = (uint32_t)id - 1;

	return id && slot < j->deeds && j->deed[slot].made.op == id ? &j->deed[slot] : NULL;
}

static bool is_done(const struct judge *j, uint64_t id)
{
	const struct deed *d = find(j, id);

	return !d || d->stage == DONE;
}

static struct block *block_of(const struct judge *j, ppn_t ppn)
{
	return &j->block[ppn / j->settings.pages_per_block];
}

static ppn_t target(const struct deed *d)
{
	return d->made.kind == OP_COPY ? d->made.to : d->made.ppn;
}

static bool reads(const struct deed *d)
{
	return d->made.kind == OP_READ || d->made.kind == OP_COPY;
}

static bool writes(const struct deed *d)
{
	return d->made.kind == OP_PROGRAM || d->made.kind == OP_COPY;
}

static const char *kind_name(const struct deed *d)
{
	static const char *const names[] = { "read", "program", "copy", "erase", "forwarded read" };

	return names[d->made.kind];
}

static void pass_time(struct judge *j, tick_t now)
{
	BUG_ON(now < j->last, "time goes back from %llu to %llu", (unsigned long long)j->last,
		(unsigned long long)now);
	j->last = now;
}

/* ---- requests ---- */

void judge_begin(struct judge *j, uint32_t ticket)
{
	if (ticket >= j->requests) {
		uint32_t room = 2 * ticket + 64;

		j->request = memory_resize(j->request, room, sizeof *j->request, "judge's requests");
		for (; j->requests < room; j->requests++)
			j->request[j->requests] = (struct served){ 0 };
	}
	BUG_ON(j->request[ticket].open, "ticket %u is given out twice", ticket);
	j->request[ticket] = (struct served){ .serial = ++j->serial, .open = true };
	j->ticket = ticket;
	j->open_requests++;
}

void judge_submit(struct judge *j, uint32_t ticket, uint64_t look_ups, tick_t now)
{
	pass_time(j, now);
	j->request[ticket].submitted = true;
	j->request[ticket].released = now + look_ups * j->settings.dram_ns;
}

/* The operations of the request may start. */
static bool is_released(const struct judge *j, const struct deed *d, tick_t now)
{
	const struct served *r = &j->request[d->made.ticket];

	return r->serial != d->request || (r->submitted && now >= r->released);
}

void judge_completed(struct judge *j, uint32_t ticket, tick_t now)
{
	struct served *r = &j->request[ticket];

	pass_time(j, now);
	BUG_ON(!r->open, "the request of ticket %u completes twice", ticket);
	BUG_ON(r->pending, "the request of ticket %u completes at %llu before %u of its operations", ticket,
		(unsigned long long)now, r->pending);
	BUG_ON(!r->submitted || now < r->released,
		"the request of ticket %u completes at %llu, its look-ups take until %llu", ticket,
		(unsigned long long)now, (unsigned long long)r->released);
	r->open = false;
	j->open_requests--;
}

/* ---- operations are made ---- */

static void make_room(struct judge *j, uint32_t slot)
{
	uint32_t room = 2 * slot + 1024;

	if (slot < j->deeds)
		return;
	j->deed = memory_resize(j->deed, room, sizeof *j->deed, "judge's operations");
	for (; j->deeds < room; j->deeds++)
		j->deed[j->deeds] = (struct deed){ .stage = DONE };
}

static void write_page(struct judge *j, struct deed *d)
{
	struct block *b = block_of(j, target(d));

	d->data = d->made.kind == OP_COPY ? j->meant[d->made.ppn] : ++j->data;
	d->place = b->made++;
	d->life = b->lives;
	d->epoch = b->epoch;
	b->users++;
	j->meant[target(d)] = d->data;
	j->writer[target(d)] = d->made.op;
	if (d->made.kind != OP_PROGRAM)
		return;
	d->held = (j->held + 1) * j->settings.page_bytes <= j->settings.forward_bytes;
	j->held += d->held;
}

static void read_page(struct judge *j, struct deed *d)
{
	struct block *b = block_of(j, d->made.ppn);

	BUG_ON(!j->meant[d->made.ppn], "page %u is to be read and holds nothing", d->made.ppn);
	d->data = j->meant[d->made.ppn];
	d->at = d->made.ppn;
	d->source_life = b->lives;
	d->source_epoch = d->at_epoch = b->epoch;
	b->users++;
	if (d->made.kind == OP_READ)
		j->reader[d->made.ppn] = d->made.op;
}

static void erase_block(struct judge *j, struct deed *d)
{
	struct block *b = block_of(j, d->made.ppn);
	ppn_t first = d->made.ppn - d->made.ppn % j->settings.pages_per_block;

	d->place = b->made++;
	d->life = b->lives++;
	d->epoch = b->epoch;
	b->old_users += b->users;
	b->users = 0;
	for (ppn_t ppn = first; ppn < first + j->settings.pages_per_block; ppn++)
		j->meant[ppn] = j->reader[ppn] = 0;
}

static void forward_page(struct judge *j, struct deed *d)
{
	const struct deed *writer = find(j, j->writer[d->made.ppn]);

	d->writer = j->writer[d->made.ppn];
	d->data = j->meant[d->made.ppn];
	BUG_ON(!writer || writer->stage == DONE || writer->made.kind != OP_PROGRAM || !writer->held,
		"a read of page %u is served from memory that does not hold the page", d->made.ppn);
	j->reader[d->made.ppn] = d->made.op;
}

void judge_made(struct judge *j, const struct made_op *made)
{
	uint32_t slot = (uint32_t)made->op - 1;
	struct deed *d;

	make_room(j, slot);
	d = &j->deed[slot];
	BUG_ON(d->stage != DONE, "operation %llu is made while %llu is under way",
		(unsigned long long)made->op, (unsigned long long)d->made.op);
	*d = (struct deed){ .made = *made, .stage = MADE, .request = j->request[made->ticket].serial };
	j->open_deeds++;
	j->request[made->ticket].pending += made->awaited;
	if (reads(d))
		read_page(j, d);
	if (writes(d))
		write_page(j, d);
	if (made->kind == OP_ERASE)
		erase_block(j, d);
	if (made->kind == OP_FORWARD)
		forward_page(j, d);
}

void judge_waits(struct judge *j, op_t op, op_t other)
{
	struct deed *d = find(j, op);
	uint32_t index = j->free_wait;

	if (is_done(j, other))
		return;
	BUG_ON(!d || d->stage != MADE, "operation %llu is told to wait too late", (unsigned long long)op);
	if (!index) {
		j->wait = memory_resize(j->wait, j->waits + 1, sizeof *j->wait, "judge's waits");
		index = ++j->waits;
	} else {
		j->free_wait = j->wait[index - 1].next;
	}
	j->wait[index - 1] = (struct wait){ other, d->first_wait };
	d->first_wait = index;
}

/* Time has not passed since the request read the page, here or where it lay before it was collected: the
 * program must still wait for that. */
void judge_kept(struct judge *j, ppn_t page, ppn_t from)
{
	const struct deed *program = find(j, j->writer[page]), *read = find(j, j->reader[from]);
	bool waits = false;

	if (!program || program->request != j->serial || !read || read->request != j->serial)
		return;
	for (uint32_t at = program->first_wait; at && !waits; at = j->wait[at - 1].next) {
		const struct deed *other = find(j, j->wait[at - 1].other);

		waits = other->data == j->meant[from] && other->request == j->serial && !writes(other);
	}
	BUG_ON(!waits, "page %u keeps data of page %u and does not wait for a read of it", page, from);
}

void judge_copied(struct judge *j, ppn_t page, ppn_t from)
{
	find(j, j->writer[page])->data = j->meant[page] = j->meant[from];
	judge_kept(j, page, from);
}

void judge_answers(struct judge *j, ppn_t page)
{
	const struct deed *read = find(j, j->reader[page]);

	BUG_ON(!read || read->request != j->serial || !read->made.awaited,
		"a request is answered from page %u and waits for no read of it", page);
}

void judge_reads_at(struct judge *j, op_t op, ppn_t source)
{
	struct deed *d = find(j, op);

	BUG_ON(!d || d->stage != MADE, "operation %llu changes its place too late", (unsigned long long)op);
	BUG_ON(is_done(j, j->writer[d->made.ppn]), "page %u is read at page %u although it is there",
		d->made.ppn, source);
	d->at = source;
	d->at_epoch = block_of(j, source)->epoch;
}

/* ---- outside time ---- */

void judge_placed(struct judge *j, ppn_t page, ppn_t from)
{
	j->meant[page] = from == PPN_NONE ? ++j->data : j->meant[from];
	j->present[page] = j->meant[page];
	j->writer[page] = 0;
}

/* What is under way no longer concerns the block. */
void judge_cleared(struct judge *j, ppn_t first)
{
	struct block *b = block_of(j, first);

	for (ppn_t ppn = first; ppn < first + j->settings.pages_per_block; ppn++) {
		j->meant[ppn] = j->present[ppn] = 0;
		j->writer[ppn] = j->reader[ppn] = 0;
	}
	*b = (struct block){ .epoch = b->epoch + 1 };
}

/* ---- an operation starts ---- */

static uint64_t page_time(const tick_t *times, size_t types, uint32_t page)
{
	return times[page % types];
}

static tick_t cell_time(const struct judge *j, const struct deed *d)
{
	const struct judge_settings *s = &j->settings;
	tick_t ns = d->made.kind == OP_ERASE ? s->erase_ns : 0;

	if (reads(d))
		ns += page_time(s->read_ns, s->read_types, d->at % s->pages_per_block);
	if (writes(d))
		ns += page_time(s->program_ns, s->program_types, target(d) % s->pages_per_block);
	return ns;
}

static void check_waits(const struct judge *j, const struct deed *d, tick_t now)
{
	BUG_ON(!is_released(j, d, now), "a %s of page %u starts at %llu, before the look-ups of its request",
		kind_name(d), d->made.ppn, (unsigned long long)now);
	for (uint32_t at = d->first_wait; at; at = j->wait[at - 1].next) {
		const struct deed *other = find(j, j->wait[at - 1].other);

		BUG_ON(other && other->stage != DONE,
			"a %s of page %u starts at %llu before the %s of page %u that it waits for",
			kind_name(d), d->made.ppn, (unsigned long long)now, kind_name(other),
			other->made.ppn);
	}
}

/* Does the operation use a life of a block, as its source or its target? */
static bool uses(const struct judge *j, const struct deed *d, const struct block *b, uint32_t life)
{
	if (d->stage == DONE)
		return false;
	return (reads(d) && block_of(j, d->made.ppn) == b && d->source_life == life &&
		       d->source_epoch == b->epoch) ||
	       (writes(d) && block_of(j, target(d)) == b && d->life == life && d->epoch == b->epoch);
}

/* The life that the erase ends is over. */
static void check_unused(const struct judge *j, const struct deed *erase, const struct block *b)
{
	for (uint32_t i = 0; b->old_users && i < j->deeds; i++)
		BUG_ON(uses(j, &j->deed[i], b, erase->life),
			"the block of page %u is erased before the %s of page %u is done", erase->made.ppn,
			kind_name(&j->deed[i]), j->deed[i].made.ppn);
}

/* Programs and erases of a block start in the order in which they were made, erases alone. */
static void check_order(struct judge *j, const struct deed *d)
{
	struct block *b = block_of(j, target(d));
	uint32_t page = target(d) % j->settings.pages_per_block;

	if (d->epoch != b->epoch)
		return;
	BUG_ON(d->place != b->started, "a %s of page %u starts as number %u of its block, it is number %u",
		kind_name(d), target(d), b->started, d->place);
	b->started++;
	BUG_ON(d->life != b->life, "a %s of page %u starts in life %u of its block, it belongs to life %u",
		kind_name(d), target(d), b->life, d->life);
	if (d->made.kind == OP_ERASE) {
		check_unused(j, d, b);
		b->page = 0;
		return;
	}
	BUG_ON(page < b->page, "page %u of a block is programmed after page %u", page, b->page - 1);
	b->page = page + 1;
}

static void check_data(const struct judge *j, const struct deed *d)
{
	if (reads(d) && d->at_epoch == block_of(j, d->at)->epoch)
		BUG_ON(j->present[d->at] != d->data, "a %s of page %u takes place at page %u, which holds %s",
			kind_name(d), d->made.ppn, d->at, j->present[d->at] ? "other data" : "nothing yet");
}

static tick_t transfer_time(const struct judge *j, uint64_t sectors)
{
	return (tick_t)((double)(sectors * SECTOR_BYTES) * 1000.0 / j->settings.bus_mb_per_s + 0.5);
}

static tick_t way_in(const struct judge *j, const struct command *c)
{
	return c->command_ns + transfer_time(j, c->in_sectors);
}

static void ask_for_bus(struct judge *j, struct command *c, tick_t now)
{
	c->asked = ++j->asked;
	c->asked_at = now;
}

/* A command of several planes: as the settings allow, and copies never. */
static bool may_join(const struct judge *j, const struct command *c, const struct deed *d)
{
	if (j->settings.multiplane == JUDGED_ALONE || d->made.kind == OP_COPY)
		return false;
	return j->settings.multiplane == JUDGED_ANY_OFFSET || d->made.kind == OP_ERASE ||
	       d->at % j->settings.pages_per_block == c->page;
}

static tick_t command_time(const struct judge *j, enum op_kind kind, bool further)
{
	const tick_t *ns = further ? j->settings.plane_command_ns : j->settings.command_ns;

	if (kind == OP_COPY)
		return ns[0] + ns[1];
	return ns[kind == OP_ERASE ? 2 : kind == OP_PROGRAM];
}

static void join_command(struct judge *j, struct command *c, const struct deed *d, tick_t now)
{
	uint32_t plane = d->at / j->pages_per_plane, die = plane / j->settings.planes_per_die;
	uint64_t bit = (uint64_t)1 << plane % j->settings.planes_per_die;

	if (!c->left)
		*c = (struct command){ .kind = d->made.kind,
			.die = die,
			.page = d->at % j->settings.pages_per_block,
			.begun = now };
	BUG_ON(c->begun != now || c->cells_seen || c->bus_spent || c->kind != d->made.kind || c->die != die ||
			(c->planes & bit) || (c->left && !may_join(j, c, d)),
		"a %s of page %u starts on a die that is at work", kind_name(d), d->made.ppn);
	c->command_ns += command_time(j, d->made.kind, c->left);
	c->left++;
	c->planes |= bit;
	c->in_sectors += d->made.kind == OP_PROGRAM ? d->made.sectors : 0;
	c->out_sectors += d->made.kind == OP_READ ? d->made.sectors : 0;
	if (cell_time(j, d) > c->cells)
		c->cells = cell_time(j, d);
	if (!c->asked && way_in(j, c))
		ask_for_bus(j, c, now);
}

/* A read interrupts when the cells have stopped, and then at once. */
static void check_stop(struct unit *u, const struct deed *d, tick_t now)
{
	BUG_ON(u->stops && now != u->stops_until,
		"a %s of page %u starts at %llu, what it interrupts stops at %llu", kind_name(d), d->at,
		(unsigned long long)now, (unsigned long long)u->stops_until);
	u->stops = false;
}

void judge_started(struct judge *j, op_t op, uint32_t unit, tick_t now)
{
	struct deed *d = find(j, op);

	pass_time(j, now);
	BUG_ON(!d || d->stage != MADE, "operation %llu starts twice", (unsigned long long)op);
	if (!reads(d))
		d->at = d->made.ppn;
	BUG_ON(d->at / j->pages_per_plane / j->settings.planes_per_die / j->settings.dies_per_unit != unit,
		"a %s of page %u starts on die %u", kind_name(d), d->at, unit);
	check_waits(j, d, now);
	check_data(j, d);
	if (d->made.kind != OP_READ)
		check_order(j, d);
	check_stop(&j->unit[unit], d, now);
	join_command(j, &j->unit[unit].now, d, now);
	d->stage = STARTED;
}

/* ---- hardware ---- */

/* 0 goes before 1. */
static int rank(const struct judge *j, const struct command *c)
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

/* Nobody else should have it, and it was not left idle while the die waited. */
static void check_turn(const struct judge *j, uint32_t unit, uint32_t channel, tick_t now)
{
	const struct command *c = &j->unit[unit].now;

	BUG_ON(!c->asked || now != (c->asked_at > j->bus[channel].left ? c->asked_at : j->bus[channel].left),
		"die %u takes the bus of channel %u at %llu, when it should not or should have before", unit,
		channel, (unsigned long long)now);
	for (uint32_t i = 0; i < j->units_per_channel; i++) {
		uint32_t other = channel * j->units_per_channel + i;
		const struct command *o = &j->unit[other].now;

		BUG_ON(o->asked && (rank(j, o) < rank(j, c) ||
					   (rank(j, o) == rank(j, c) && o->asked < c->asked)),
			"die %u takes the bus of channel %u at %llu, it is the turn of die %u", unit, channel,
			(unsigned long long)now, other);
	}
}

void judge_bus(struct judge *j, uint32_t unit, bool takes, tick_t now)
{
	uint32_t channel = unit / j->units_per_channel;
	struct bus *bus = &j->bus[channel];
	struct unit *u = &j->unit[unit];

	pass_time(j, now);
	BUG_ON(takes == bus->taken || takes == u->on_bus || u->now.in_cells || !u->now.left,
		"die %u %s the bus of channel %u at %llu out of turn", unit, takes ? "takes" : "leaves",
		channel, (unsigned long long)now);
	bus->taken = u->on_bus = takes;
	if (takes) {
		check_turn(j, unit, channel, now);
		u->now.asked = 0;
		u->since = now;
	} else {
		bus->left = now;
		u->now.bus_spent += now - u->since;
	}
}

void judge_cells(struct judge *j, uint32_t unit, bool takes, tick_t now)
{
	struct command *c = &j->unit[unit].now;

	pass_time(j, now);
	BUG_ON(takes == c->in_cells || j->unit[unit].on_bus || !c->left,
		"the cells of die %u %s at %llu out of turn", unit, takes ? "begin" : "end",
		(unsigned long long)now);
	BUG_ON(takes && c->bus_spent + 1 < way_in(j, c),
		"the cells of die %u begin after %llu ns on the bus, command and data take %llu", unit,
		(unsigned long long)c->bus_spent, (unsigned long long)way_in(j, c));
	c->in_cells = takes;
	c->cells_seen = true;
	if (takes)
		c->since = now;
	else
		c->cells_spent += now - c->since;
	if (!takes && c->out_sectors && c->cells_spent >= c->cells)
		ask_for_bus(j, c, now);
}

void judge_suspended(struct judge *j, uint32_t unit)
{
	struct unit *u = &j->unit[unit];

	BUG_ON(!u->now.left || u->now.in_cells || u->interrupted.left || u->now.kind == OP_READ,
		"die %u interrupts what cannot be interrupted", unit);
	u->interrupted = u->now;
	u->interrupted.interruptions++;
	u->stops = true;
	u->stops_until = j->last + j->settings.suspend_ns;
	u->now = (struct command){ 0 };
}

void judge_resumed(struct judge *j, uint32_t unit)
{
	struct unit *u = &j->unit[unit];

	BUG_ON(u->now.left || !u->interrupted.left || u->stops, "die %u takes up nothing, or two things",
		unit);
	u->now = u->interrupted;
	u->interrupted = (struct command){ 0 };
}

/* ---- an operation ends ---- */

static void check_times(const struct judge *j, const struct deed *d, const struct command *c, bool on_bus)
{
	tick_t bus = way_in(j, c) + transfer_time(j, c->out_sectors);
	tick_t cells = c->cells + c->interruptions * j->settings.resume_ns;

	BUG_ON(on_bus || c->in_cells || !c->left, "a %s of page %u is done while its die works", kind_name(d),
		d->made.ppn);
	BUG_ON(c->cells_spent != cells, "a %s of page %u took %llu ns in the cells, should take %llu",
		kind_name(d), d->made.ppn, (unsigned long long)c->cells_spent, (unsigned long long)cells);
	BUG_ON(c->bus_spent + 1 < bus || c->bus_spent > bus + 1,
		"a %s of page %u took %llu ns on the bus, should take %llu", kind_name(d), d->made.ppn,
		(unsigned long long)c->bus_spent, (unsigned long long)bus);
}

static void leave_block(struct block *b, uint32_t life, uint32_t epoch)
{
	if (epoch != b->epoch)
		return;
	if (life == b->lives)
		b->users--;
	else
		b->old_users--;
}

static void end_of_write(struct judge *j, const struct deed *d)
{
	struct block *b = block_of(j, target(d));

	if (d->epoch != b->epoch)
		return;
	BUG_ON(d->place != b->done, "a %s of page %u is done as number %u of its block, it is number %u",
		kind_name(d), target(d), b->done, d->place);
	b->done++;
	if (writes(d)) {
		j->present[target(d)] = d->data;
		leave_block(b, d->life, d->epoch);
		return;
	}
	b->life++;
	for (uint32_t page = 0; page < j->settings.pages_per_block; page++)
		j->present[d->made.ppn - d->made.ppn % j->settings.pages_per_block + page] = 0;
}

/* What the program waits for is done, so its data is there. */
static void check_forward(const struct judge *j, const struct deed *d, tick_t now)
{
	const struct deed *writer = find(j, d->writer);

	check_waits(j, d, now);
	if (writer && writer->stage == MADE)
		check_waits(j, writer, now);
}

static void give_back_waits(struct judge *j, struct deed *d)
{
	while (d->first_wait) {
		uint32_t at = d->first_wait;

		d->first_wait = j->wait[at - 1].next;
		j->wait[at - 1].next = j->free_wait;
		j->free_wait = at;
	}
}

void judge_done(struct judge *j, op_t op, tick_t now)
{
	struct deed *d = find(j, op);
	struct unit *u;

	pass_time(j, now);
	BUG_ON(!d || d->stage != (d->made.kind == OP_FORWARD ? MADE : STARTED),
		"operation %llu is done and has not started", (unsigned long long)op);
	if (d->made.kind == OP_FORWARD) {
		check_forward(j, d, now);
	} else {
		u = &j->unit[d->at / j->pages_per_plane / j->settings.planes_per_die /
			     j->settings.dies_per_unit];
		check_times(j, d, &u->now, u->on_bus);
		u->now.left--;
	}
	if (reads(d))
		check_data(j, d);
	if (writes(d) || d->made.kind == OP_ERASE)
		end_of_write(j, d);
	if (reads(d))
		leave_block(block_of(j, d->made.ppn), d->source_life, d->source_epoch);
	j->held -= d->held;
	if (d->made.awaited && j->request[d->made.ticket].serial == d->request)
		j->request[d->made.ticket].pending--;
	give_back_waits(j, d);
	d->stage = DONE;
	j->open_deeds--;
}

/* ---- at the end ---- */

void judge_idle(const struct judge *j)
{
	BUG_ON(j->open_deeds || j->open_requests || j->held,
		"at the end %llu operations, %llu requests and %llu pages in memory are left",
		(unsigned long long)j->open_deeds, (unsigned long long)j->open_requests,
		(unsigned long long)j->held);
	for (ppn_t ppn = 0; ppn < j->pages; ppn++)
		BUG_ON(j->meant[ppn] != j->present[ppn], "page %u never arrived in flash", ppn);
}

/* Nothing is in flight. */
static bool judge_pages_hold(void *judge)
{
	const struct judge *j = judge;

	for (ppn_t ppn = 0; ppn < j->pages; ppn++)
		if (j->meant[ppn] != j->present[ppn] || j->meant[ppn] > j->data)
			return false;
	return true;
}

const struct state_row judge_state[] = {
	STATE_FIXED(settings, pages, pages_per_plane, units_per_channel),
	STATE_SCRATCH(deed, wait, request, deeds, waits, requests, free_wait),
	STATE_SCRATCH(serial, open_requests, open_deeds, held, ticket, last),
	STATE_SCRATCH(unit, bus, asked, block, writer, reader),
	STATE_NUMBERS(struct judge, meant),
	STATE_NUMBERS(struct judge, present),
	STATE_NUMBER(struct judge, data),
	STATE_RESTORED(judge_pages_hold),
	{ 0 },
};
