#include "flash/schedule_inside.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/census.h"
#include "flash/events.h"
#include "flash/order.h"

#include <string.h>

/* What every operation passes, called from few places and inlined into all. */
#define STEP static inline __attribute__((always_inline))

/* On the bus, without data: a copy-back is a read and a program. */
static uint64_t command_ns(const struct tick_list *times, enum op_kind kind)
{
	switch (kind) {
	case OP_PROGRAM:
		return geometry_command_ns(times, COMMAND_PROGRAM);
	case OP_ERASE:
		return geometry_command_ns(times, COMMAND_ERASE);
	case OP_COPY:
		return geometry_command_ns(times, COMMAND_READ) + geometry_command_ns(times, COMMAND_PROGRAM);
	default:
		return geometry_command_ns(times, COMMAND_READ);
	}
}

static uint32_t *transfer_times(const struct geometry *g, double mb_per_s)
{
	uint32_t most = g->sectors_per_page * g->planes_per_die;
	uint32_t *ns = memory_array(most + 1u, sizeof *ns, "transfer times");

	for (uint32_t sectors = 0; sectors <= most; sectors++)
		ns[sectors] = (uint32_t)(sectors * (SECTOR_BYTES * 1000.0 / mb_per_s) + 0.5);
	return ns;
}

struct schedule *schedule_create(struct flash *flash)
{
	const struct geometry *g = flash->geometry;
	struct schedule *s = memory_array(1, sizeof *s, "schedule");
	uint32_t dies_per_unit = flash->settings->interleave ? 1 : g->dies_per_chip;

	s->flash = flash;
	s->geometry = g;
	s->settings = flash->settings;
	s->per_unit = divisor_of(dies_per_unit);
	s->per_channel = divisor_of(g->dies_per_channel / dies_per_unit);
	for (int kind = 0; kind < OP_KINDS; kind++) {
		s->command_ns[kind] = command_ns(&s->settings->command_ns, (enum op_kind)kind);
		s->plane_command_ns[kind] = command_ns(&s->settings->plane_command_ns, (enum op_kind)kind);
	}
	s->woken = s->answered = s->completed = QUEUE_EMPTY;
	s->room = flash->settings->forward_bytes / g->page_bytes;
	s->units = g->dies / dies_per_unit;
	s->unit = memory_array(s->units, sizeof *s->unit, "dies");
	s->channel = memory_array(g->channels, sizeof *s->channel, "channels");
	s->loads = loads_create(g->dies);
	s->place = memory_array(g->dies, sizeof *s->place, "dies");
	for (die_t d = 0; d < g->dies; d++)
		s->place[d] = d;
	s->transfer_ns = transfer_times(g, flash->settings->bus_mb_per_s);
	for (uint32_t u = 0; u < s->units; u++)
		s->unit[u] = (struct unit){ .reads = QUEUE_EMPTY,
			.others = QUEUE_EMPTY,
			.command = INDEX_NONE,
			.suspended = INDEX_NONE };
	for (uint32_t c = 0; c < g->channels; c++)
		s->channel[c] = (struct channel){ INDEX_NONE, QUEUE_EMPTY, QUEUE_EMPTY };
	s->ops = (struct ops){ pool_create(sizeof(struct op), "operation pool"),
		pool_create(sizeof(struct copy), "copy pool"),
		pool_create(sizeof(struct edge), "dependency pool"),
		pool_create(sizeof(struct ticket), "request pool") };
	timers_init(&s->timers, s->units);
	return s;
}

void schedule_free(struct schedule *s)
{
	pool_free(&s->ops.op);
	pool_free(&s->ops.copy);
	pool_free(&s->ops.edge);
	pool_free(&s->ops.ticket);
	timers_release(&s->timers);
	accounts_free(s->accounts);
	memory_free(s->unit);
	memory_free(s->channel);
	loads_free(&s->loads);
	memory_free(s->place);
	memory_free(s->transfer_ns);
	memory_free(s->releases.element);
	memory_free(s);
}

static uint32_t page_time(const struct schedule *s, const struct tick_list *times, ppn_t ppn)
{
	if (times->count == 1)
		return (uint32_t)times->ns[0];
	return (uint32_t)times->ns[geometry_page(s->geometry, ppn) % times->count];
}

STEP uint32_t copy_time(const struct schedule *s, ppn_t from, ppn_t to)
{
	return page_time(s, &s->settings->read_ns, from) + page_time(s, &s->settings->program_ns, to);
}

STEP uint32_t cell_time(const struct schedule *s, const struct op *op)
{
	switch (op->kind) {
	case OP_READ:
		return page_time(s, &s->settings->read_ns, op->ppn);
	case OP_PROGRAM:
		return page_time(s, &s->settings->program_ns, op->ppn);
	case OP_COPY:
		return copy_time(s, op->ppn, op->to);
	case OP_ERASE:
		return (uint32_t)s->settings->erase_ns;
	default:
		return 0;
	}
}

static void change_load(struct schedule *s, const struct op *op, uint64_t by)
{
	loads_change(&s->loads, s->place[op->die], by);
}

/* ---- making operations ---- */

/* The request that waits for what is made now, or INDEX_NONE. */
static uint32_t awaited_by(const struct io *io, enum cause cause)
{
	return io->detached || cause_is_background(cause) ? INDEX_NONE : io->ticket;
}

static void join_request(struct schedule *s, struct io *io, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);

	op->blockers = 1;
	op->ticket = awaited_by(io, op->cause);
	if (op->ticket != INDEX_NONE)
		ops_ticket(&s->ops, op->ticket)->pending++;
	if (io->first_op == INDEX_NONE)
		io->first_op = index;
	else
		ops_at(&s->ops, io->last_op)->next = index;
	io->last_op = index;
}

/* For what the request's operations up to io->step have brought. */
static void wait_for_step(struct schedule *s, const struct io *io, uint32_t index)
{
	uint32_t first = io->first_op, end = ops_at(&s->ops, io->step)->next;

	for (; first != end; first = ops_at(&s->ops, first)->next)
		schedule_wait(s, ops_handle(&s->ops, index), ops_handle(&s->ops, first));
}

STEP uint32_t make_op(
	struct io *io, enum op_kind kind, ppn_t ppn, ppn_t to, uint32_t sectors, enum cause cause)
{
	struct schedule *s = io->flash->schedule;
	uint32_t index = pool_take(&s->ops.op);
	struct op *op = ops_at(&s->ops, index);

	*op = (struct op){ .next = INDEX_NONE,
		.generation = op->generation,
		.waiters = INDEX_NONE,
		.train = INDEX_NONE,
		.ppn = ppn,
		.to = to,
		.die = geometry_die_of(s->geometry, ppn),
		.sectors = (uint16_t)sectors,
		.kind = (uint8_t)kind,
		.cause = (uint8_t)cause };
	op->cell_ns = cell_time(s, op);
	change_load(s, op, op->cell_ns);
	s->under_way++;
	join_request(s, io, index);
	event_made(s, io, index);
	if (io->step != INDEX_NONE)
		wait_for_step(s, io, index);
	return index;
}

/* For each kind of operation by itself. */
STEP op_t make_timed_op(
	struct io *io, enum op_kind kind, ppn_t ppn, ppn_t to, uint32_t sectors, enum cause cause)
{
	struct schedule *s = io->flash->schedule;
	uint32_t index = make_op(io, kind, ppn, to, sectors, cause);
	struct op *op = ops_at(&s->ops, index);
	struct flash_block *block = block_of(s, ppn), *target = kind == OP_COPY ? block_of(s, to) : block;

	op->life = block->erases;
	op->to_life = target->erases;
	if (kind != OP_ERASE)
		order_enter(block);
	if (kind == OP_COPY)
		order_enter(target);
	if (kind == OP_PROGRAM && s->held < s->room) {
		op->held = true;
		s->held++;
	}
	if (kind == OP_READ) {
		op->chases = order_writer(&s->ops, block, ppn, op->life) != INDEX_NONE;
		return ops_handle(&s->ops, index);
	}
	event_ordered(s, index);
	order_append(&s->ops, target, index);
	return ops_handle(&s->ops, index);
}

op_t schedule_op(struct io *io, enum op_kind kind, ppn_t ppn, uint32_t sectors, enum cause cause)
{
	switch (kind) {
	case OP_READ:
		return make_timed_op(io, OP_READ, ppn, PPN_NONE, sectors, cause);
	case OP_PROGRAM:
		return make_timed_op(io, OP_PROGRAM, ppn, PPN_NONE, sectors, cause);
	default:
		return make_timed_op(io, OP_ERASE, ppn, PPN_NONE, sectors, cause);
	}
}

/* It waits until the page is written. */
static void wait_for_page(struct schedule *s, uint32_t index, uint32_t writer, ppn_t ppn)
{
	ops_add_edge(&s->ops, index, order_waiters(&s->ops, writer, ppn));
	event_waits(s, index, writer);
}

op_t schedule_copy(struct io *io, ppn_t from, ppn_t to, enum cause cause, op_t after)
{
	struct schedule *s = io->flash->schedule;
	const struct flash_block *block = block_of(s, from);
	uint32_t writer = order_writer(&s->ops, block, from, block->erases);
	op_t op;

	if (writer != INDEX_NONE && ops_at(&s->ops, writer)->held)
		return OP_NONE;
	op = make_timed_op(io, OP_COPY, from, to, s->geometry->sectors_per_page, cause);
	schedule_wait(s, op, after);
	if (writer != INDEX_NONE)
		wait_for_page(s, ops_index(&s->ops, op), writer, from);
	return op;
}

/* Does a copy of a page that nothing writes stand behind all that the request has made if it follows the last of it? */
static bool may_follow(const struct schedule *s, const struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	const struct op *op;

	if (io->last_op == INDEX_NONE || io->step != INDEX_NONE || s->observers)
		return false;
	op = ops_at(&s->ops, io->last_op);
	return op->kind == OP_COPY && op->cause == cause && op->ticket == awaited_by(io, cause) &&
	       geometry_share_block(s->geometry, from, op->ppn) &&
	       geometry_share_block(s->geometry, to, op->to);
}

bool schedule_move(struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct schedule *s = io->flash->schedule;

	if (block_of(s, from)->last || !may_follow(s, io, from, to, cause))
		return schedule_copy(io, from, to, cause, OP_NONE) != OP_NONE;
	ops_follow(&s->ops, io->last_op, from, to);
	change_load(s, ops_at(&s->ops, io->last_op), copy_time(s, from, to));
	return true;
}

op_t schedule_writer(const struct schedule *s, ppn_t ppn, bool *held)
{
	const struct flash_block *block = block_of(s, ppn);
	uint32_t writer = order_writer(&s->ops, block, ppn, block->erases);

	*held = writer != INDEX_NONE && ops_at(&s->ops, writer)->held;
	return writer == INDEX_NONE ? OP_NONE : ops_handle(&s->ops, writer);
}

/* It has what it needs as soon as the program has. */
static void await_data(struct schedule *s, uint32_t forward, uint32_t program)
{
	struct op *op = ops_at(&s->ops, program);

	if (op->stage != STAGE_WAITING)
		return;
	ops_at(&s->ops, forward)->behind = op->forwards;
	ops_at(&s->ops, forward)->blockers++;
	op->forwards = forward + 1;
	event_forwarded(s, forward, program);
}

op_t schedule_forward(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, op_t writer)
{
	struct schedule *s = io->flash->schedule;
	uint32_t index = make_op(io, OP_FORWARD, ppn, PPN_NONE, sectors, cause);

	await_data(s, index, ops_index(&s->ops, writer));
	return ops_handle(&s->ops, index);
}

void schedule_wait_for(struct schedule *s, op_t op, op_t other)
{
	uint32_t waiter = ops_index(&s->ops, op), index = ops_index(&s->ops, other);

	if (index == INDEX_NONE)
		return;
	ops_add_edge(&s->ops, waiter, &ops_at(&s->ops, index)->waiters);
	event_waits(s, waiter, index);
}

bool schedule_done(const struct schedule *s, op_t op)
{
	return ops_index(&s->ops, op) == INDEX_NONE;
}

/* ---- queues ---- */

static void append(struct schedule *s, struct queue *q, uint32_t index)
{
	struct op *op = s->ops.op.object;

	queue_append(q, ARRAY_FIELD(op, next), index);
}

/* The first operation of a queue that is not empty, now linked to none. */
static uint32_t take(struct schedule *s, struct queue *q)
{
	struct op *op = s->ops.op.object;
	uint32_t index = queue_take(q, ARRAY_FIELD(op, next));

	op[index].next = INDEX_NONE;
	return index;
}

/* ---- the bus ---- */

static void count_cells(struct schedule *s, const struct unit *unit, uint64_t ns)
{
	s->busy.die_ns += ns;
	if (cause_is_background(ops_at(&s->ops, unit->command)->cause))
		s->busy.die_background_ns += ns;
}

/* The cells work for the unit's command. */
STEP void work_cells(struct schedule *s, uint32_t u, uint64_t ns)
{
	struct unit *unit = &s->unit[u];

	unit->phase = PHASE_CELL;
	event_busy(s, u, false, ns);
	count_cells(s, unit, ns);
	timers_set(&s->timers, u, s->now + ns);
}

STEP void use_bus(struct schedule *s, struct channel *channel, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	uint64_t ns = unit->phase == PHASE_IN ? unit->in_ns : unit->out_ns;

	channel->user = u;
	s->busy.channel_ns += ns;
	event_busy(s, u, true, ns);
	timers_set(&s->timers, u, s->now + ns);
}

static bool goes_first(const struct schedule *s, const struct unit *unit)
{
	switch (s->settings->bus_order) {
	case BUS_COMMAND_FIRST:
		return unit->phase == PHASE_IN && !unit->brings_data;
	case BUS_DATA_FIRST:
		return unit->phase == PHASE_OUT;
	default:
		return false;
	}
}

STEP void ask_for_bus(struct schedule *s, uint32_t u)
{
	struct channel *channel = channel_of(s, u);

	if (channel->user == INDEX_NONE) {
		use_bus(s, channel, u);
		return;
	}
	timers_unset(&s->timers, u);
	queue_append(goes_first(s, &s->unit[u]) ? &channel->first : &channel->others,
		ARRAY_FIELD(s->unit, next), u);
}

static void pass_on_bus(struct schedule *s, struct channel *channel)
{
	struct queue *line = channel->first.first == INDEX_NONE ? &channel->others : &channel->first;
	uint32_t u = queue_take(line, ARRAY_FIELD(s->unit, next));

	channel->user = INDEX_NONE;
	if (u != INDEX_NONE)
		use_bus(s, channel, u);
}

/* ---- the die ---- */

/* May `op` run in one multi-plane command with `first`? */
static bool may_join(const struct schedule *s, const struct op *first, uint32_t index)
{
	const struct geometry *g = s->geometry;
	const struct op *op = ops_at(&s->ops, index);

	if (op->kind != first->kind || op->kind == OP_COPY || op->die != first->die)
		return false;
	if (op->kind != OP_READ && !order_is_turn(&s->ops, block_of(s, op->ppn), index))
		return false;
	return s->settings->multiplane == MULTIPLANE_ANY || op->kind == OP_ERASE ||
	       geometry_page(g, op->ppn) == geometry_page(g, first->ppn);
}

/* Of its plane, among those of its die. */
static uint64_t plane_bit(const struct schedule *s, const struct op *op)
{
	const struct geometry *g = s->geometry;

	return (uint64_t)1 << geometry_plane(g, geometry_block(g, op->ppn)) % g->planes_per_die;
}

/* Adds the operations of the queue that may join the command, one per plane; others keep their places. */
static void gather_planes(struct schedule *s, struct unit *unit, struct queue *q)
{
	uint32_t planes = s->geometry->planes_per_die, last = unit->command, before = INDEX_NONE;
	struct op *op = s->ops.op.object;
	const struct op *first = &op[unit->command];
	uint64_t left = s->settings->multiplane_search, taken = plane_bit(s, first);

	for (uint32_t next, at = q->first; at != INDEX_NONE && left && taken != UINT64_MAX >> (64 - planes);
		at = next, left--) {
		uint64_t plane = plane_bit(s, &op[at]);

		next = op[at].next;
		left -= ops_followers(&s->ops, at, left - 1);
		if (taken & plane || !may_join(s, first, at)) {
			before = at;
			continue;
		}
		taken |= plane;
		op[last].next = queue_take_behind(q, ARRAY_FIELD(op, next), before);
		op[last = at].next = INDEX_NONE;
	}
	s->busy.multiplane_commands += last != unit->command;
}

/* Data of programs crosses the bus on the way in, data of reads on the way out. */
STEP void measure(struct schedule *s, struct unit *unit)
{
	const uint64_t *commands = s->command_ns;
	uint64_t in_ns = 0, cell_ns = 0;
	uint32_t in_sectors = 0, out_sectors = 0, i = unit->command;

	do {
		const struct op *op = ops_at(&s->ops, i);

		in_ns += commands[op->kind];
		commands = s->plane_command_ns;
		if (op->cell_ns > cell_ns)
			cell_ns = op->cell_ns;
		in_sectors += op->kind == OP_PROGRAM ? op->sectors : 0;
		out_sectors += op->kind == OP_READ ? op->sectors : 0;
		i = op->next;
	} while (i != INDEX_NONE);
	s->flash->transferred_sectors += in_sectors + out_sectors;
	unit->brings_data = in_sectors;
	unit->in_ns = in_ns + s->transfer_ns[in_sectors];
	unit->cell_ns = cell_ns;
	unit->out_ns = s->transfer_ns[out_sectors];
}

STEP void begin_op(struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);

	if (op->kind != OP_READ)
		order_start(&s->ops, block_of(s, order_target(op)), index);
}

/* It has been measured. */
STEP void begin_command(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->phase = PHASE_IN;
	if (unit->in_ns)
		ask_for_bus(s, u);
	else
		work_cells(s, u, unit->cell_ns);
}

STEP void start_command(struct schedule *s, uint32_t u, struct queue *q)
{
	struct unit *unit = &s->unit[u];

	unit->command = take(s, q);
	if (s->settings->multiplane != MULTIPLANE_OFF)
		gather_planes(s, unit, q);
	measure(s, unit);
	for (uint32_t i = unit->command; i != INDEX_NONE; i = ops_at(&s->ops, i)->next)
		begin_op(s, i);
	event_started(s, u);
	begin_command(s, u);
}

static void resume(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->command = unit->suspended;
	unit->suspended = INDEX_NONE;
	unit->out_ns = 0;
	event_resumed(s, u);
	work_cells(s, u, unit->suspended_ns);
}

/* Enough reads have passed what waits or was interrupted. */
static bool reads_must_wait(const struct schedule *s, const struct unit *unit)
{
	return s->settings->read_first_limit && unit->passed >= s->settings->read_first_limit;
}

/* Gives an idle die its next command, if anything is ready. */
STEP void dispatch(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	bool passes = unit->suspended != INDEX_NONE || unit->others.first != INDEX_NONE;
	bool reads = unit->reads.first != INDEX_NONE && !(passes && reads_must_wait(s, unit));

	unit->passed += reads && passes;
	if (!reads && unit->suspended != INDEX_NONE)
		resume(s, u);
	else if (reads || passes)
		start_command(s, u, reads ? &unit->reads : &unit->others);
}

/* An idle die is to be given a command. */
static void wake(struct schedule *s, uint32_t u)
{
	if (s->unit[u].phase != PHASE_IDLE)
		return;
	s->unit[u].phase = PHASE_WOKEN;
	queue_append(&s->woken, ARRAY_FIELD(s->unit, next), u);
}

/* All that becomes ready now waits: so what belongs together may start together. */
static void dispatch_woken(struct schedule *s)
{
	uint32_t u;

	while ((u = queue_take(&s->woken, ARRAY_FIELD(s->unit, next))) != INDEX_NONE) {
		s->unit[u].phase = PHASE_IDLE;
		dispatch(s, u);
	}
}

static bool may_suspend(const struct schedule *s, const struct unit *unit)
{
	uint8_t kind;

	if (s->settings->suspend == SUSPEND_NEVER || unit->phase != PHASE_CELL ||
		unit->suspended != INDEX_NONE || reads_must_wait(s, unit))
		return false;
	kind = ops_at(&s->ops, unit->command)->kind;
	return kind == OP_ERASE || (kind != OP_READ && s->settings->suspend == SUSPEND_PROGRAM_AND_ERASE);
}

/* What has stopped is kept; the die is free for the read. */
static void stopped(struct schedule *s, uint32_t u)
{
	s->unit[u].phase = PHASE_IDLE;
	event_rests(s, u);
	wake(s, u);
	dispatch_woken(s);
}

/* The cells take time to stop. */
static void suspend(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	uint64_t stop = s->settings->suspend_ns, left = timers_due(&s->timers, u) - s->now;

	event_suspended(s, u);
	count_cells(s, unit, stop - left);
	unit->suspended = unit->command;
	unit->suspended_ns = left + s->settings->resume_ns;
	unit->command = INDEX_NONE;
	unit->phase = PHASE_STOP;
	s->busy.suspensions++;
	timers_set(&s->timers, u, s->now + stop);
}

/* Into the queue of its die. */
STEP void queue_up(struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);
	uint32_t u = unit_of(s, op);
	struct unit *unit = &s->unit[u];
	bool first = op->kind == OP_READ && s->settings->scheduler == SCHEDULE_READ_FIRST;

	append(s, first ? &unit->reads : &unit->others, index);
	if (first && may_suspend(s, unit))
		suspend(s, u);
	wake(s, u);
}

/* Those whose turn has come pass the gate of their block. */
STEP void open_gate(struct schedule *s, struct flash_block *block)
{
	uint32_t index;

	while ((index = order_pass(&s->ops, block)) != INDEX_NONE)
		queue_up(s, index);
}

STEP void unblock(struct schedule *s, uint32_t index, uint32_t by);
static void end_op(struct schedule *s, uint32_t index);

/* What is answered may let others be answered: one after another, however long the chain. */
static void answer(struct schedule *s, uint32_t index)
{
	append(s, &s->answered, index);
	if (s->answering)
		return;
	s->answering = true;
	while (s->answered.first != INDEX_NONE)
		end_op(s, take(s, &s->answered));
	s->answering = false;
}

/* The data of the program is in the controller's memory: reads of it can be answered. */
static void answer_reads(struct schedule *s, uint32_t program)
{
	uint32_t at = ops_at(&s->ops, program)->forwards;

	ops_at(&s->ops, program)->forwards = 0;
	while (at) {
		uint32_t next = ops_at(&s->ops, at - 1)->behind;

		unblock(s, at - 1, program);
		at = next;
	}
}

/* Where the copy takes the page from, in a life of its block that no erase has ended in time; false: nobody knows. */
static bool trace_back(const struct schedule *s, uint32_t copy, ppn_t *ppn, uint32_t *life)
{
	const struct flash_block *block;

	*ppn = order_source(&s->ops, copy, *ppn);
	*life = ops_at(&s->ops, copy)->life;
	block = block_of(s, *ppn);
	return *life == block->erases || order_erase(&s->ops, block, *life + 1) != INDEX_NONE;
}

static void read_at_source(struct schedule *s, struct op *op, ppn_t ppn, uint32_t life)
{
	uint64_t before = op->cell_ns;

	op->to = op->ppn;
	op->to_life = op->life;
	op->ppn = ppn;
	op->life = life;
	order_join(&s->ops, block_of(s, ppn), life);
	op->cell_ns = cell_time(s, op);
	change_load(s, op, op->cell_ns - before);
}

/*
 * A page under copy-back is read where the copy takes it from, over several copies that are not done.
 * False: its data is nowhere yet and the read waits.  Decided when nothing else holds up the read: the
 * erase of the source waits for it, and must not wait for what may stand behind the erase.
 */
static bool find_data(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);
	ppn_t ppn = op->ppn;
	uint32_t life = op->life, first = order_writer(&s->ops, block_of(s, ppn), ppn, life), writer = first;
	bool known = true;

	if (first == INDEX_NONE)
		return true;
	while (known && writer != INDEX_NONE && ops_at(&s->ops, writer)->kind == OP_COPY) {
		known = trace_back(s, writer, &ppn, &life);
		writer = order_writer(&s->ops, block_of(s, ppn), ppn, life);
	}
	if (known && writer == INDEX_NONE) {
		event_reads_at(s, index, ppn);
		read_at_source(s, op, ppn, life);
		return true;
	}
	wait_for_page(s, index, first, op->ppn);
	return false;
}

STEP void make_ready(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);

	if (op->chases && !find_data(s, index))
		return;
	event_ready(s, index);
	op->stage = STAGE_READY;
	if (op->forwards)
		answer_reads(s, index);
	if (op->kind == OP_FORWARD)
		answer(s, index);
	else if (op->kind == OP_READ || op->orphan)
		queue_up(s, index);
	else
		open_gate(s, block_of(s, order_target(op)));
}

/* `by`: the operation that it no longer waits for; INDEX_NONE. */
STEP void unblock(struct schedule *s, uint32_t index, uint32_t by)
{
	event_unblocked(s, index, by);
	if (--ops_at(&s->ops, index)->blockers == 0)
		make_ready(s, index);
}

void schedule_forget(struct schedule *s, block_t b)
{
	struct flash_block *block = &s->flash->block[b];
	uint32_t index;

	while ((index = order_orphan(&s->ops, block)) != INDEX_NONE) {
		const struct op *op = ops_at(&s->ops, index);

		if (op->stage == STAGE_READY)
			queue_up(s, index);
		else if (op->stage == STAGE_WAITING && !op->blockers)
			make_ready(s, index);
	}
	dispatch_woken(s);
}

/* ---- completion ---- */

STEP void finish_part_of_request(struct schedule *s, uint32_t index)
{
	struct ticket *ticket = ops_ticket(&s->ops, index);

	if (--ticket->pending)
		return;
	event_completed(s, index);
	ticket->completed = s->now;
	ticket = s->ops.ticket.object;
	queue_append(&s->completed, ARRAY_FIELD(ticket, next), index);
}

STEP void leave_block(struct schedule *s, struct flash_block *block, uint32_t life)
{
	uint32_t erase = order_leave(&s->ops, block, life);

	if (erase != INDEX_NONE)
		unblock(s, erase, INDEX_NONE);
}

/* The operation no longer concerns the blocks it used: that of its target, and where it reads beside it. */
STEP void leave_blocks(struct schedule *s, const struct op *op, struct flash_block *target)
{
	switch (op->kind) {
	case OP_ERASE:
		open_gate(s, target);
		break;
	case OP_COPY:
		leave_block(s, block_of(s, op->ppn), op->life);
		leave_block(s, target, op->to_life);
		break;
	default:
		leave_block(s, target, op->life);
		if (op->kind == OP_READ && op->to != PPN_NONE)
			leave_block(s, block_of(s, op->to), op->to_life);
	}
}

static void end_op(struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);
	struct flash_block *block = block_of(s, order_target(op));
	uint32_t waiter;

	event_done(s, index);
	change_load(s, op, -(uint64_t)op->cell_ns);
	s->under_way--;
	s->held -= op->held;
	if (op->kind != OP_READ && op->kind != OP_FORWARD)
		order_finish(&s->ops, block, index);
	while ((waiter = ops_next_waiter(&s->ops, index)) != INDEX_NONE)
		unblock(s, waiter, index);
	if (op->kind != OP_FORWARD)
		leave_blocks(s, op, block);
	if (op->ticket != INDEX_NONE) {
		event_finished(s, index);
		finish_part_of_request(s, op->ticket);
	}
	ops_give_op(&s->ops, index);
}

/* Its command is finished. */
STEP void be_idle(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	unit->command = INDEX_NONE;
	unit->phase = PHASE_IDLE;
	if (s->woken.first != INDEX_NONE) {
		wake(s, u);
		dispatch_woken(s);
	} else {
		dispatch(s, u);
	}
	if (unit->phase == PHASE_IDLE)
		timers_unset(&s->timers, u);
}

/* A copy is done that others follow: its operation is the next one now. */
STEP void end_copy(struct schedule *s, uint32_t index, const struct flash_block *block)
{
	struct op *op = ops_at(&s->ops, index);
	uint32_t waiter;

	event_done(s, index);
	change_load(s, op, -(uint64_t)op->cell_ns);
	order_check_end(&s->ops, block, index);
	while ((waiter = ops_next_waiter(&s->ops, index)) != INDEX_NONE)
		unblock(s, waiter, index);
	ops_advance(&s->ops, index);
	op->cell_ns = copy_time(s, op->ppn, op->to);
}

/* The next of the train is the first of all that the die has to do.  Mostly that is what it does now, and how is known
 * without the way over its queue. */
STEP void go_on_copying(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	struct op *op = s->ops.op.object;
	uint32_t index = unit->command;
	const struct flash_block *block = block_of(s, op[index].to);

	end_copy(s, index, block);
	if (unit->reads.first != INDEX_NONE || s->woken.first != INDEX_NONE || s->observers) {
		queue_prepend(&unit->others, ARRAY_FIELD(op, next), index);
		be_idle(s, u);
		return;
	}
	order_start(&s->ops, block, index);
	unit->brings_data = false;
	unit->in_ns = s->command_ns[OP_COPY];
	unit->cell_ns = op[index].cell_ns;
	unit->out_ns = 0;
	begin_command(s, u);
}

/* The die stays taken until every operation of the command is finished, then serves the next. */
STEP void finish_command(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	uint32_t index = unit->command;

	if (ops_at(&s->ops, index)->kind != OP_READ)
		unit->passed = 0;
	event_rests(s, u);
	if (ops_at(&s->ops, index)->train != INDEX_NONE) {
		go_on_copying(s, u);
		return;
	}
	while (index != INDEX_NONE) {
		uint32_t next = ops_at(&s->ops, index)->next;

		end_op(s, index);
		index = next;
	}
	be_idle(s, u);
}

/* A read that came while the command was on the bus interrupts it as one that comes a moment later would. */
static void start_cells(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	work_cells(s, u, unit->cell_ns);
	if (unit->reads.first != INDEX_NONE && may_suspend(s, unit))
		suspend(s, u);
}

/* The unit has done what its alarm was set for. */
STEP void unit_done(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];
	enum phase done = unit->phase;

	if (done == PHASE_STOP) {
		stopped(s, u);
		return;
	}
	event_free(s, u, done != PHASE_CELL);
	unit->phase = PHASE_OUT;
	if (done == PHASE_IN)
		start_cells(s, u);
	else if (done == PHASE_CELL && unit->out_ns)
		ask_for_bus(s, u);
	else
		finish_command(s, u);
	if (done != PHASE_CELL)
		pass_on_bus(s, channel_of(s, u));
}

/* ---- releases: operations of a request become ready after its look-ups ---- */

static bool earlier(const void *left, const void *right)
{
	const struct release *a = left, *b = right;

	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static tick_t next_release(const struct schedule *s)
{
	return s->releases.count ? ((const struct release *)s->releases.element)->when : TICK_NEVER;
}

static void release(struct schedule *s, uint32_t first_op, uint32_t ticket)
{
	s->under_way--;
	while (first_op != INDEX_NONE) {
		uint32_t next = ops_at(&s->ops, first_op)->next;

		event_released(s, first_op, ticket);
		unblock(s, first_op, INDEX_NONE);
		first_op = next;
	}
	dispatch_woken(s);
	finish_part_of_request(s, ticket);
}

void schedule_begin(struct schedule *s, struct io *io)
{
	io->flash = s->flash;
	io->timed = true;
	io->detached = false;
	io->accesses = 0;
	io->controller_ns = 0;
	io->first_op = io->last_op = io->step = INDEX_NONE;
	io->ticket = pool_take(&s->ops.ticket);
	ops_ticket(&s->ops, io->ticket)->pending = 1;
	oracle_step(s->flash->oracle);
	event_begun(s, io->ticket);
}

void schedule_submit(struct schedule *s, struct io *io, tick_t delay)
{
	struct release later = { s->now + delay, s->release_order, io->first_op, io->ticket };

	s->under_way++;
	s->release_order++;
	event_submitted(s, io, delay);
	if (delay)
		heap_push(&s->releases, &later, sizeof later, earlier, "release queue");
	else
		release(s, io->first_op, io->ticket);
}

/* ---- time ---- */

tick_t schedule_now(const struct schedule *s)
{
	return s->now;
}

STEP void release_next(struct schedule *s)
{
	struct release r;

	heap_pop(&s->releases, &r, sizeof r, earlier);
	s->now = r.when;
	release(s, r.first_op, r.ticket);
}

STEP void ring_next_alarm(struct schedule *s, tick_t due)
{
	uint32_t u = timers_first(&s->timers);

	s->now = due;
	unit_done(s, u);
}

/* Up to a moment; `eager`: or until a request is completed.  At one instant releases come first, then dies in order. */
static void run(struct schedule *s, tick_t until, bool eager)
{
	while (!eager || s->completed.first == INDEX_NONE) {
		tick_t alarm = timers_next(&s->timers), release = next_release(s);

		if (release <= alarm && release <= until && release != TICK_NEVER)
			release_next(s);
		else if (alarm <= until && alarm != TICK_NEVER)
			ring_next_alarm(s, alarm);
		else
			return;
	}
}

void schedule_run_until(struct schedule *s, tick_t until)
{
	run(s, until, false);
	if (until > s->now && until != TICK_NEVER)
		s->now = until;
}

bool schedule_run_to_completion(struct schedule *s)
{
	run(s, TICK_NEVER, true);
	return s->completed.first != INDEX_NONE;
}

void schedule_drain(struct schedule *s)
{
	schedule_run_until(s, TICK_NEVER);
	BUG_ON(s->under_way, "%llu operations wait for something that never happens",
		(unsigned long long)s->under_way);
	event_drained(s);
}

bool schedule_completed(struct schedule *s, uint32_t *ticket, tick_t *when)
{
	struct ticket *done = s->ops.ticket.object;
	uint32_t index = queue_take(&s->completed, ARRAY_FIELD(done, next));

	if (index == INDEX_NONE)
		return false;
	*ticket = index;
	*when = done[index].completed;
	pool_give(&s->ops.ticket, index);
	return true;
}

uint64_t schedule_load(const struct schedule *s, die_t die)
{
	return loads_get(&s->loads, s->place[die]);
}

void schedule_line_up(struct schedule *s, const die_t *order)
{
	for (uint32_t place = 0; place < s->geometry->dies; place++)
		s->place[order[place]] = place;
}

uint32_t schedule_least_loaded(struct schedule *s, uint32_t from)
{
	return loads_least(&s->loads, from);
}

struct busy schedule_busy(const struct schedule *s)
{
	return s->busy;
}

static void set_observers(struct schedule *s)
{
	s->observers = (uint8_t)((s->flash->judge ? TO_JUDGE : 0) | (s->accounts ? TO_ACCOUNTS : 0) |
				 (s->tracer ? TO_TRACER : 0));
}

void schedule_trace(struct schedule *s, struct tracer *tracer)
{
	s->tracer = tracer;
	set_observers(s);
}

void schedule_be_judged(struct schedule *s)
{
	set_observers(s);
}

void schedule_keep_accounts(struct schedule *s)
{
	s->accounts = accounts_create(s->units);
	set_observers(s);
}

const struct account *schedule_account(const struct schedule *s, uint32_t ticket)
{
	return accounts_of(s->accounts, ticket);
}

void schedule_note(struct schedule *s, const char *format, ...)
{
	va_list args;

	if (!s->tracer)
		return;
	va_start(args, format);
	tracer_note(s->tracer, format, args);
	va_end(args);
}

/* ---- state ---- */

/* What stays behind in a free element has been right once, and is held against the same bounds. */
static void ops_regions(struct schedule *s, struct regions *r)
{
	const struct geometry *g = s->geometry;
	struct op *op;
	struct copy *copy;
	struct edge *edge;
	struct ticket *ticket;
	uint32_t ops, copies, edges, tickets;

	pool_regions(&s->ops.op, r, regions_most(r, sizeof *op));
	pool_regions(&s->ops.copy, r, regions_most(r, sizeof *copy));
	pool_regions(&s->ops.edge, r, regions_most(r, sizeof *edge));
	pool_regions(&s->ops.ticket, r, regions_most(r, sizeof *ticket));
	op = s->ops.op.object;
	copy = s->ops.copy.object;
	edge = s->ops.edge.object;
	ticket = s->ops.ticket.object;
	ops = s->ops.op.used;
	copies = s->ops.copy.used;
	edges = s->ops.edge.used;
	tickets = s->ops.ticket.used;
	regions_below_or_none(r, NUMBERS_OF(op, next), ops, ops, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, waiters), ops, edges, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, ticket), ops, tickets, "operations");
	regions_below(r, NUMBERS_OF(op, ppn), ops, g->pages, "operations");
	regions_below(r, NUMBERS_OF(op, behind), ops, ops + 1u, "operations");
	regions_below(r, NUMBERS_OF(op, forwards), ops, ops + 1u, "operations");
	regions_below_or_none(r, NUMBERS_OF(op, train), ops, copies, "operations");
	regions_below(r, NUMBERS_OF(op, die), ops, g->dies, "operations");
	regions_below(r, NUMBERS_OF(op, sectors), ops, g->sectors_per_page + 1u, "operations");
	regions_below(r, NUMBERS_OF(op, kind), ops, OP_FORWARD + 1, "operations");
	regions_below(r, NUMBERS_OF(op, cause), ops, CAUSES, "operations");
	regions_below(r, NUMBERS_OF(op, stage), ops, STAGE_DONE + 1, "operations");
	regions_below(r, NUMBERS_OF(op, held), ops, 2, "operations");
	regions_below(r, NUMBERS_OF(op, chases), ops, 2, "operations");
	regions_below(r, NUMBERS_OF(op, orphan), ops, 2, "operations");
	for (uint32_t i = 0; i < ops && !r->broken; i++)
		regions_require(r, op[i].kind == OP_ERASE || op[i].to == PPN_NONE || op[i].to < g->pages,
			"operations");
	regions_below_or_none(r, NUMBERS_OF(copy, next), copies, copies, "copies");
	regions_below(r, NUMBERS_OF(copy, from), copies, g->pages, "copies");
	regions_below(r, NUMBERS_OF(copy, to), copies, g->pages, "copies");
	regions_below_or_none(r, NUMBERS_OF(copy, waiters), copies, edges, "copies");
	regions_below_or_none(r, NUMBERS_OF(edge, next), edges, edges, "dependencies");
	regions_below(r, NUMBERS_OF(edge, op), edges, ops, "dependencies");
	regions_below_or_none(r, NUMBERS_OF(ticket, next), tickets, tickets, "requests");
}

/* Of each element, that its queue names operations, units, tickets. */
#define QUEUE_BELOW(r, array, name, count, bound, what)                                                      \
	do {                                                                                                 \
		regions_below_or_none(r, NUMBERS_OF(array, name.first), count, bound, what);                 \
		regions_below_or_none(r, NUMBERS_OF(array, name.last), count, bound, what);                  \
	} while (0)

/* Far from what alarms may lie apart (timers.h). */
static bool is_soon(const struct schedule *s, uint64_t ns)
{
	return !(ns >> (60 - s->timers.bits));
}

/* An alarm is that of a command under way, or of one that stops. */
static bool unit_holds(const struct schedule *s, uint32_t u)
{
	const struct unit *unit = &s->unit[u];

	if (!is_soon(s, unit->in_ns | unit->cell_ns | unit->out_ns | unit->suspended_ns) ||
		(min_tree_get(&s->timers.key, u) != MIN_TREE_UNSET &&
			!is_soon(s, timers_due(&s->timers, u) - s->now)))
		return false;
	if (unit->phase == PHASE_IDLE)
		return unit->command == INDEX_NONE && min_tree_get(&s->timers.key, u) == MIN_TREE_UNSET;
	return unit->phase == PHASE_STOP ? unit->suspended != INDEX_NONE
					 : unit->phase != PHASE_WOKEN && unit->command != INDEX_NONE;
}

static void unit_regions(struct schedule *s, struct regions *r)
{
	uint32_t units = s->units, channels = s->geometry->channels, ops = s->ops.op.used;

	timers_regions(&s->timers, units, r);
	regions_visit(r, s->unit, units * sizeof *s->unit);
	regions_below(r, NUMBERS_OF(s->unit, phase), units, PHASE_STOP + 1, "dies");
	QUEUE_BELOW(r, s->unit, reads, units, ops, "dies");
	QUEUE_BELOW(r, s->unit, others, units, ops, "dies");
	regions_below_or_none(r, NUMBERS_OF(s->unit, command), units, ops, "dies");
	regions_below_or_none(r, NUMBERS_OF(s->unit, suspended), units, ops, "dies");
	regions_below_or_none(r, NUMBERS_OF(s->unit, next), units, units, "dies");
	regions_below(r, NUMBERS_OF(s->unit, brings_data), units, 2, "dies");
	for (uint32_t u = 0; u < units; u++)
		regions_require(r, unit_holds(s, u), "dies");
	regions_visit(r, s->channel, channels * sizeof *s->channel);
	regions_below_or_none(r, NUMBERS_OF(s->channel, user), channels, units, "channels");
	QUEUE_BELOW(r, s->channel, first, channels, units, "channels");
	QUEUE_BELOW(r, s->channel, others, channels, units, "channels");
}

static void release_regions(struct schedule *s, struct regions *r)
{
	struct heap *h = &s->releases;
	struct release *release;

	regions_visit(r, &h->count, sizeof h->count);
	regions_require(r, h->count <= s->ops.ticket.used, "releases");
	if (r->broken)
		h->count = 0;
	h->element = memory_grown(h->element, &h->room, h->count, sizeof *release, "release queue");
	release = h->element;
	regions_visit(r, release, h->count * sizeof *release);
	regions_below_or_none(r, NUMBERS_OF(release, first_op), h->count, s->ops.op.used, "releases");
	regions_below(r, NUMBERS_OF(release, ticket), h->count, s->ops.ticket.used, "releases");
	regions_visit(r, &s->release_order, sizeof s->release_order);
}

void schedule_regions(struct schedule *s, struct regions *r)
{
	BUG_ON(s->woken.first != INDEX_NONE || s->answered.first != INDEX_NONE, "an event is under way");
	regions_visit(r, &s->now, sizeof s->now);
	ops_regions(s, r);
	unit_regions(s, r);
	release_regions(s, r);
	regions_visit(r, &s->held, sizeof s->held);
	regions_visit(r, &s->completed, sizeof s->completed);
	QUEUE_BELOW(r, s, completed, 1, s->ops.ticket.used, "requests");
	regions_visit(r, &s->under_way, sizeof s->under_way);
	loads_regions(&s->loads, s->geometry->dies, r);
	regions_visit(r, &s->busy, sizeof s->busy);
	if (s->accounts && !r->broken)
		accounts_regions(s->accounts, s->ops.op.used, s->ops.ticket.used, s->units, r);
}

static void check_lines(const struct schedule *s)
{
	uint32_t left = s->units;

	for (uint32_t c = 0; c < s->geometry->channels; c++) {
		const struct queue *line[] = { &s->channel[c].first, &s->channel[c].others };

		for (size_t k = 0; k < 2; k++) {
			uint32_t last = line[k]->last;

			for (uint32_t u = line[k]->first; u != INDEX_NONE; last = u, u = s->unit[u].next)
				BUG_ON(!left-- || channel_of(s, u) != &s->channel[c],
					"die %u waits twice for a bus, or for another", u);
			BUG_ON(last != line[k]->last, "the line of bus %u does not end as it should", c);
		}
	}
}

void schedule_check(const struct schedule *s)
{
	const struct release *release = s->releases.element;
	struct census c = census_begin(&s->ops, s->geometry, s->flash->block);

	for (uint32_t u = 0; u < s->units; u++) {
		census_queue(&c, &s->unit[u].reads);
		census_queue(&c, &s->unit[u].others);
		census_command(&c, s->unit[u].command);
		census_command(&c, s->unit[u].suspended);
	}
	for (uint32_t i = 0; i < s->releases.count; i++) {
		census_release(&c, release[i].first_op, release[i].ticket);
		BUG_ON(i && earlier(&release[i], &release[(i - 1) / 2]), "requests begin out of order");
	}
	census_completed(&c, &s->completed);
	for (uint32_t i = 0; s->accounts && i < s->ops.op.used; i++)
		BUG_ON(census_counts(&c, i) && !accounts_agree(s->accounts, i, ops_at(&s->ops, i)->ticket),
			"the account of operation %u is not of its request", i);
	census_end(&c);
	check_lines(s);
	BUG_ON(s->under_way != c.under_way + (uint64_t)s->releases.count || s->held != c.held,
		"%llu are under way and %llu held, and %u and %u counted", (unsigned long long)s->under_way,
		(unsigned long long)s->held, c.under_way + s->releases.count, c.held);
	BUG_ON(timers_next(&s->timers) < s->now || next_release(s) < s->now, "an event lies in the past");
}

void schedule_check_idle(const struct schedule *s)
{
	BUG_ON(!pool_is_free(&s->ops.op) || !pool_is_free(&s->ops.copy) || !pool_is_free(&s->ops.edge) ||
			!pool_is_free(&s->ops.ticket),
		"operations, what they wait for or requests are left");
	BUG_ON(s->held, "the controller's memory holds %llu pages for nobody", (unsigned long long)s->held);
	for (die_t die = 0; die < s->geometry->dies; die++)
		BUG_ON(schedule_load(s, die), "die %u is idle and has work for %llu ns", die,
			(unsigned long long)schedule_load(s, die));
	for (uint32_t u = 0; u < s->units; u++)
		BUG_ON(s->unit[u].phase != PHASE_IDLE, "die %u is idle and does something", u);
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

uint32_t schedule_tickets(const struct schedule *s)
{
	return s->ops.ticket.used;
}

void schedule_statistics_start(struct schedule *s)
{
	s->busy = (struct busy){ 0 };
}
