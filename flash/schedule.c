#include "flash/schedule_inside.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/events.h"
#include "flash/wordline.h"
#include "flash/write_memory.h"

/* Bus time of a command without its data.  A copy-back sends a read and a program command. */
static uint64_t schedule_command_ns(const struct tick_list *times, enum op_kind kind)
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

static uint32_t *schedule_transfer_ns(const struct geometry *g, uint32_t program_pages, double mb_per_s)
{
	uint32_t most = g->sectors_per_page * program_pages * g->planes_per_die;
	uint32_t *ns = memory_array(most + 1u, sizeof *ns, "transfer times");

	for (uint32_t sectors = 0; sectors <= most; sectors++)
		ns[sectors] = (uint32_t)(sectors * (SECTOR_BYTES * 1000.0 / mb_per_s) + 0.5);
	return ns;
}

static void schedule_program_by_wordline(struct schedule *s)
{
	s->open = memory_array(s->geometry->blocks, sizeof *s->open, "open wordlines");
	for (block_t b = 0; b < s->geometry->blocks; b++)
		s->open[b] = INDEX_NONE;
	s->room = UINT64_MAX;
}

struct schedule *schedule_create(struct flash *flash)
{
	const struct geometry *g = flash->geometry;
	struct schedule *s = memory_array(1, sizeof *s, "schedule");
	uint32_t dies_per_unit = flash->settings->interleave ? 1 : g->dies_per_chip;

	s->flash = flash;
	s->geometry = g;
	s->settings = flash->settings;
	s->registers = s->settings->cache_register != CACHE_OFF;
	s->copies_follow = !s->registers && !s->settings->multiplane_copy;
	s->per_channel = divisor_of(g->dies_per_channel / dies_per_unit << s->registers);
	for (int kind = 0; kind < OP_KINDS; kind++) {
		s->command_ns[kind] = schedule_command_ns(&s->settings->command_ns, (enum op_kind)kind);
		s->plane_command_ns[kind] =
			schedule_command_ns(&s->settings->plane_command_ns, (enum op_kind)kind);
	}
	s->woken = s->answered = s->completed = s->roomless = QUEUE_EMPTY;
	s->room = flash->settings->forward_bytes / g->page_bytes;
	s->units = g->dies / dies_per_unit << s->registers;
	s->unit = memory_array(s->units, sizeof *s->unit, "dies");
	s->channel = memory_array(g->channels, sizeof *s->channel, "channels");
	s->loads = loads_create(g->dies);
	s->place = memory_array(g->dies, sizeof *s->place, "dies");
	s->unit_of_die = memory_array(g->dies, sizeof *s->unit_of_die, "dies");
	for (die_t d = 0; d < g->dies; d++) {
		s->place[d] = d;
		s->unit_of_die[d] = d / dies_per_unit << s->registers | s->registers;
	}
	s->wordline_pages = geometry_program_pages(flash->settings);
	s->transfer_ns = schedule_transfer_ns(g, s->wordline_pages, flash->settings->bus_mb_per_s);
	s->pad_due = TICK_NEVER;
	s->work_ticket = INDEX_NONE;
	if (flash->settings->program_unit == UNIT_WORDLINE)
		schedule_program_by_wordline(s);
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
		pool_create(sizeof(struct ticket), "request pool"),
		pool_create(sizeof(struct wordline), "wordline pool") };
	timers_init(&s->timers, s->units);
	schedule_choose_copy(s);
	return s;
}

void schedule_free(struct schedule *s)
{
	pool_free(&s->ops.op);
	pool_free(&s->ops.copy);
	pool_free(&s->ops.edge);
	pool_free(&s->ops.ticket);
	pool_free(&s->ops.wordline);
	timers_release(&s->timers);
	memory_free(s->unit);
	memory_free(s->channel);
	loads_free(&s->loads);
	memory_free(s->place);
	memory_free(s->unit_of_die);
	memory_free(s->transfer_ns);
	memory_free(s->releases.element);
	memory_free(s->open);
	memory_free(s->waits.element);
	memory_free(s);
}

/* ---- requests ---- */

HOT void schedule_release_ops(struct schedule *s, uint32_t first_op, uint32_t ticket, bool plain)
{
	s->in_flight--;
	while (first_op != INDEX_NONE) {
		uint32_t next = ops_at(&s->ops, first_op)->next;

		if (!plain)
			event_released(s, first_op, ticket);
		COPY_OF(ready_unblock, plain)(s, first_op, INDEX_NONE);
		if (write_memory_lacks(ops_at(&s->ops, first_op), plain))
			write_memory_ask(s, first_op);
		first_op = next;
	}
	COPY_OF(unit_dispatch_woken, plain)(s);
	if (ticket != INDEX_NONE)
		complete_part(s, ticket);
}

ONE_COPY static void schedule_release(struct schedule *s, uint32_t first_op, uint32_t ticket)
{
	schedule_release_ops(s, first_op, ticket, false);
}

ONE_COPY static void schedule_release_plain(struct schedule *s, uint32_t first_op, uint32_t ticket)
{
	schedule_release_ops(s, first_op, ticket, true);
}

void schedule_begin_for_nobody(struct schedule *s, struct io *io)
{
	*io = (struct io){ .flash = s->flash,
		.timed = true,
		.detached = true,
		.cached = true,
		.ticket = INDEX_NONE,
		.first_op = INDEX_NONE,
		.last_op = INDEX_NONE,
		.step = INDEX_NONE };
	oracle_step(s->flash->oracle);
}

void schedule_begin(struct schedule *s, struct io *io)
{
	schedule_begin_for_nobody(s, io);
	io->detached = false;
	io->ticket = pool_take(&s->ops.ticket);
	ops_ticket(&s->ops, io->ticket)->pending = 1;
	event_begun(s, io->ticket);
}

void schedule_begin_work(struct schedule *s, struct io *io, uint64_t idle_ns)
{
	schedule_begin(s, io);
	io->work = true;
	s->work_ticket = io->ticket;
	event_works(s, io->ticket, idle_ns);
}

void schedule_submit(struct schedule *s, struct io *io, tick_t delay)
{
	struct release later = { s->now + delay, s->release_order, io->first_op, io->ticket };

	BUG_ON(delay && io->ticket == INDEX_NONE, "operations of no request are delayed by %llu ns",
		(unsigned long long)delay);
	s->in_flight++;
	s->release_order++;
	if (io->ticket != INDEX_NONE)
		event_submitted(s, io, delay);
	if (delay)
		heap_push(&s->releases, &later, sizeof later, release_before, "release queue");
	else if (s->plain)
		schedule_release_plain(s, io->first_op, io->ticket);
	else
		schedule_release(s, io->first_op, io->ticket);
}

/* ---- time ---- */

tick_t schedule_now(const struct schedule *s)
{
	return s->now;
}

HOT void schedule_release_next(struct schedule *s, bool plain)
{
	struct release r;

	heap_pop(&s->releases, &r, sizeof r, release_before);
	s->now = r.when;
	COPY_OF(schedule_release, plain)(s, r.first_op, r.ticket);
}

HOT void schedule_expire_next(struct schedule *s, tick_t due, bool plain)
{
	uint32_t u = timers_first(&s->timers);

	s->now = due;
	COPY_OF(unit_expired, plain)(s, u);
}

/* Processes events up to `until` or the end of a wordline's wait; if `eager`, stops at the first completion.
 * Of events at the same time, releases come first, then units by number, then waits.  */
HOT void schedule_loop(struct schedule *s, tick_t until, bool eager, bool plain)
{
	while (!eager || s->completed.first == INDEX_NONE) {
		tick_t timer = timers_next(&s->timers), release = release_due(s),
		       due = wordline_due(s, plain), last = until < due ? until : due;

		if (timer < release && timer <= last)
			schedule_expire_next(s, timer, plain);
		else if (release <= last && release != TICK_NEVER)
			schedule_release_next(s, plain);
		else
			return;
	}
}

ONE_COPY static void schedule_run_any(struct schedule *s, tick_t until, bool eager)
{
	schedule_loop(s, until, eager, false);
}

ONE_COPY static void schedule_run_plain(struct schedule *s, tick_t until, bool eager)
{
	schedule_loop(s, until, eager, true);
}

static void schedule_run(struct schedule *s, tick_t until, bool eager)
{
	if (s->plain)
		schedule_run_plain(s, until, eager);
	else
		schedule_run_any(s, until, eager);
}

/* Advances the time to `until`, or to the end of a wordline's wait: no event lies before. */
static void schedule_pass_time(struct schedule *s, tick_t until)
{
	tick_t due = wordline_due(s, s->plain), now = until < due ? until : due;

	if (now > s->now && now != TICK_NEVER)
		s->now = now;
}

void schedule_run_until(struct schedule *s, tick_t until)
{
	schedule_run(s, until, false);
	schedule_pass_time(s, until);
}

bool schedule_run_to_completion(struct schedule *s, tick_t until)
{
	schedule_run(s, until, true);
	if (s->completed.first != INDEX_NONE)
		return true;
	schedule_pass_time(s, until);
	return false;
}

void schedule_drain(struct schedule *s)
{
	schedule_run_until(s, TICK_NEVER);
	BUG_ON(s->in_flight, "%llu operations wait for something that never happens",
		(unsigned long long)s->in_flight);
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

void schedule_statistics_start(struct schedule *s)
{
	s->busy = (struct busy){ 0 };
	write_memory_start(s);
}

struct busy schedule_busy(const struct schedule *s)
{
	return s->busy;
}

void schedule_choose_copy(struct schedule *s)
{
	const struct flash *f = s->flash;

	s->plain = !s->heard && !s->open && !s->registers && !s->memory.pages && !f->slc && !f->retry;
}

/* A bit for each function that the table has. */
static uint64_t schedule_heard(const struct flash_hears *hears)
{
	uint64_t heard = 0;
	void (*function)(void);

	_Static_assert(sizeof *hears / sizeof function <= 64, "a bit for each function");
	for (size_t i = 0; i < sizeof *hears / sizeof function; i++) {
		memcpy(&function, (const char *)hears + i * sizeof function, sizeof function);
		heard |= (uint64_t)(function != NULL) << i;
	}
	return heard;
}

void schedule_set_observers(struct schedule *s)
{
	s->heard = 0;
	for (const struct flash_observer *o = s->flash->observers; o; o = o->next)
		s->heard |= schedule_heard(o->hears);
	schedule_choose_copy(s);
}

bool schedule_is_traced(const struct schedule *s)
{
	return s->heard & HEARD(note);
}

void schedule_note(struct schedule *s, const char *format, ...)
{
	va_list args;

	if (!schedule_is_traced(s))
		return;
	for (const struct flash_observer *o = s->flash->observers; o; o = o->next) {
		if (!o->hears->note)
			continue;
		va_start(args, format);
		o->hears->note(o->context, format, args);
		va_end(args);
	}
}
