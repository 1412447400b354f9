#include "observe/judge_inside.h"

#include "base/memory.h"

struct judge *judge_create(const struct judge_settings *s)
{
	struct judge *j = memory_array(1, sizeof *j, "judge");
	uint32_t dies = s->channels * s->dies_per_channel;

	j->settings = *s;
	j->lost = INDEX_NONE;
	j->pages_per_plane = s->blocks_per_plane * s->pages_per_block;
	j->pages = dies * s->planes_per_die * j->pages_per_plane;
	j->waits = pool_create(sizeof(struct judged_wait), "judge's dependencies");
	j->lives = pool_create(sizeof(struct judged_life), "judge's lives of blocks");
	j->wordlines = pool_create(sizeof(struct judged_wordline), "judge's wordlines");
	j->units_per_channel = s->dies_per_channel / s->dies_per_unit;
	j->unit = memory_array(dies, sizeof *j->unit, "judge's dies");
	for (uint32_t u = 0; u < dies; u++)
		j->unit[u].on_bus = INDEX_NONE;
	j->asks = j->work = INDEX_NONE;
	j->channel = memory_array(s->channels, sizeof *j->channel, "judge's channels");
	j->block = memory_array(j->pages / s->pages_per_block, sizeof *j->block, "judge's blocks");
	for (uint32_t i = 0; i < j->pages / s->pages_per_block; i++)
		j->block[i].old = j->block[i].wordline = INDEX_NONE;
	j->mode = memory_array(bits_words(j->pages / s->pages_per_block), sizeof *j->mode, "judge's blocks");
	j->slc = memory_array(bits_words(j->pages), sizeof *j->slc, "judge's pages");
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
	memory_free(j->op);
	pool_free(&j->waits);
	pool_free(&j->lives);
	pool_free(&j->wordlines);
	memory_free(j->request);
	memory_free(j->unit);
	memory_free(j->channel);
	memory_free(j->block);
	memory_free(j->mode);
	memory_free(j->slc);
	memory_free(j->meant);
	memory_free(j->present);
	memory_free(j->writer);
	memory_free(j->reader);
	memory_free(j);
}

/* ---- requests ---- */

void judge_begin(void *judge, uint32_t ticket)
{
	struct judge *j = judge;

	j->request = memory_grown(
		j->request, &j->request_room, ticket + 1, sizeof *j->request, "judge's requests");
	for (; j->requests <= ticket; j->requests++)
		j->request[j->requests] = (struct judged_request){ 0 };
	BUG_ON(j->request[ticket].open, "ticket %u is given out twice", ticket);
	j->request[ticket] = (struct judged_request){ .serial = ++j->serial, .open = true };
	j->ticket = ticket;
	j->open_requests++;
}

void judge_works(void *judge, uint32_t ticket, uint64_t idle_ns, tick_t now)
{
	struct judge *j = judge;

	BUG_ON(j->open_requests != 1, "work in idle time begins at %llu with %llu requests in the drive",
		(unsigned long long)now, (unsigned long long)j->open_requests - 1);
	BUG_ON(now < j->left + idle_ns, "work in idle time begins at %llu, %llu ns after the last request",
		(unsigned long long)now, (unsigned long long)(now - j->left));
	j->request[ticket].work = true;
	j->work = ticket;
}

void judge_submit(void *judge, uint32_t ticket, uint64_t look_ups, tick_t now)
{
	struct judge *j = judge;

	judge_pass_time(j, now);
	judge_settle(j);
	j->request[ticket].submitted = true;
	j->request[ticket].released = now + look_ups * j->settings.dram_ns;
}

/* The delay covers look-ups and transfers on the host's link, which the judge does not model. */
void judge_delayed(void *judge, uint32_t ticket, tick_t until)
{
	struct judge *j = judge;
	struct judged_request *r = &j->request[ticket];

	BUG_ON(until < r->released,
		"the request of ticket %u is to begin at %llu, its look-ups take until %llu", ticket,
		(unsigned long long)until, (unsigned long long)r->released);
	r->released = until;
}

/* Work in idle time does not wait for programs that are ready but whose wordline lacks pages. */
static void judge_leave_parts(const struct judge *j, struct judged_request *r)
{
	for (uint32_t i = 0; i < j->ops; i++) {
		const struct judged_op *d = &j->op[i];

		if (d->stage == JUDGED_DONE || d->request != r->serial || !d->made.awaited ||
			!judge_may_be_left(j, d))
			continue;
		r->pending--;
	}
}

void judge_completed(void *judge, uint32_t ticket, tick_t now)
{
	struct judge *j = judge;
	struct judged_request *r = &j->request[ticket];

	judge_pass_time(j, now);
	BUG_ON(!r->open, "the request of ticket %u completes twice", ticket);
	if (r->work && r->pending)
		judge_leave_parts(j, r);
	BUG_ON(r->pending, "the request of ticket %u completes at %llu before %u of its operations", ticket,
		(unsigned long long)now, r->pending);
	judge_check_flushed(j, r);
	BUG_ON(!r->submitted || now < r->released,
		"the request of ticket %u completes at %llu, its look-ups take until %llu", ticket,
		(unsigned long long)now, (unsigned long long)r->released);
	r->open = false;
	if (r->work)
		j->work = INDEX_NONE;
	else
		j->left = now;
	j->open_requests--;
}

/* ---- operations are issued ---- */

static void judge_make_room(struct judge *j, uint32_t slot)
{
	j->op = memory_grown(j->op, &j->op_room, slot + 1, sizeof *j->op, "judge's operations");
	for (; j->ops <= slot; j->ops++)
		j->op[j->ops] = (struct judged_op){ .stage = JUDGED_DONE, .waits = INDEX_NONE };
}

static void judge_made_write(struct judge *j, struct judged_op *d)
{
	struct judged_block *b = judge_block(j, judge_target(d));

	d->slc = bits_get(j->mode, judge_target(d) / j->settings.pages_per_block);
	d->data = d->made.kind == OP_COPY ? j->meant[d->made.ppn] : ++j->data;
	d->place = b->made++;
	d->life = b->lives;
	d->epoch = b->epoch;
	b->users++;
	j->meant[judge_target(d)] = d->data;
	j->writer[judge_target(d)] = d->made.op;
	if (d->made.kind != OP_PROGRAM)
		return;
	if (j->settings.by_wordline && !d->slc)
		judge_made_part(j, d);
	judge_made_program(j, d);
	d->held = j->settings.by_wordline || d->room == JUDGED_WITHOUT_ROOM ||
		  (j->held + 1) * j->settings.page_bytes <= j->settings.forward_bytes;
	j->held += d->held && d->room == JUDGED_NO_ROOM_NEEDED;
}

static void judge_made_read(struct judge *j, struct judged_op *d)
{
	struct judged_block *b = judge_block(j, d->made.ppn);

	BUG_ON(!j->meant[d->made.ppn], "page %u is to be read and holds nothing", d->made.ppn);
	d->data = j->meant[d->made.ppn];
	d->at = d->made.ppn;
	d->source_life = b->lives;
	d->source_epoch = d->at_epoch = b->epoch;
	b->users++;
	if (d->made.kind != OP_READ)
		return;
	j->reader[d->made.ppn] = d->made.op;
	j->unit[judge_unit(j, d)].reads++;
}

static void judge_end_life(struct judge *j, struct judged_block *b)
{
	uint32_t ended;

	if (b->users) {
		ended = pool_take(&j->lives);
		*judge_life(j, ended) = (struct judged_life){ INDEX_NONE, b->lives, b->users };
		ring_append(&b->old, judge_life_links(j), ended);
	}
	b->lives++;
	b->users = 0;
}

static void judge_made_erase(struct judge *j, struct judged_op *d)
{
	struct judged_block *b = judge_block(j, d->made.ppn);
	ppn_t first = d->made.ppn - d->made.ppn % j->settings.pages_per_block;

	d->slc = bits_get(j->mode, d->made.ppn / j->settings.pages_per_block);
	d->place = b->made++;
	d->life = b->lives;
	d->epoch = b->epoch;
	judge_end_life(j, b);
	for (ppn_t ppn = first; ppn < first + j->settings.pages_per_block; ppn++)
		j->meant[ppn] = j->reader[ppn] = 0;
}

static void judge_made_forward(struct judge *j, struct judged_op *d)
{
	const struct judged_op *writer = judge_find(j, j->writer[d->made.ppn]);

	d->data = j->meant[d->made.ppn];
	j->reader[d->made.ppn] = d->made.op;
	if (judge_is_lost(j, d->made.ppn))
		return;
	d->writer = j->writer[d->made.ppn];
	BUG_ON(!writer || writer->stage == JUDGED_DONE || writer->made.kind != OP_PROGRAM || !writer->held,
		"a read of page %u is served from memory that does not hold the page", d->made.ppn);
}

/* A failed die takes no operations, and no request waits for programs of parity. */
static void judge_check_made(const struct judge *j, const struct made_op *made)
{
	BUG_ON(made->kind < OP_KINDS && (judge_is_lost(j, made->ppn) ||
						(made->kind == OP_COPY && judge_is_lost(j, made->to))),
		"a %s of page %u is made for a die that has failed", op_name(made->kind), made->ppn);
	BUG_ON(made->kind == OP_PROGRAM && made->cause == CAUSE_PARITY && made->awaited,
		"a request waits for the parity in page %u", made->ppn);
}

void judge_made(void *judge, const struct made_op *made)
{
	struct judge *j = judge;
	uint32_t slot = (uint32_t)made->op - 1;
	struct judged_op *d;

	judge_check_made(j, made);
	judge_make_room(j, slot);
	d = &j->op[slot];
	BUG_ON(d->stage != JUDGED_DONE, "operation %llu is made while %llu is under way",
		(unsigned long long)made->op, (unsigned long long)d->made.op);
	*d = (struct judged_op){ .made = *made,
		.stage = JUDGED_MADE,
		.waits = INDEX_NONE,
		.wordline = INDEX_NONE,
		.request = made->ticket == INDEX_NONE ? 0 : j->request[made->ticket].serial };
	j->open_ops++;
	if (made->awaited)
		j->request[made->ticket].pending++;
	if (judge_reads(d))
		judge_made_read(j, d);
	if (judge_writes(d))
		judge_made_write(j, d);
	if (made->kind == OP_ERASE)
		judge_made_erase(j, d);
	if (made->kind == OP_FORWARD)
		judge_made_forward(j, d);
}

void judge_waits(void *judge, op_t op, op_t other)
{
	struct judge *j = judge;
	struct judged_op *d = judge_find(j, op);
	uint32_t index;

	if (judge_is_done(j, other))
		return;
	BUG_ON(!d || d->stage != JUDGED_MADE, "operation %llu gets a dependency after it has started",
		(unsigned long long)op);
	index = pool_take(&j->waits);
	*judge_wait(j, index) = (struct judged_wait){ d->waits, other };
	d->waits = index;
}

void judge_repeated(void *judge, op_t op, uint32_t times)
{
	struct judge *j = judge;

	judge_find(j, op)->retries = times;
}

/* ---- at the end ---- */

void judge_idle(void *judge)
{
	const struct judge *j = judge;

	BUG_ON(j->in_memory || j->room_given != j->room_made, "at the end %llu pages are in memory",
		(unsigned long long)j->in_memory);
	BUG_ON(j->open_ops || j->open_requests || j->held,
		"at the end %llu operations, %llu requests and %llu pages in memory are left",
		(unsigned long long)j->open_ops, (unsigned long long)j->open_requests,
		(unsigned long long)j->held);
	BUG_ON(!pool_is_free(&j->wordlines), "at the end wordlines are left");
	for (ppn_t ppn = 0; ppn < j->pages; ppn++)
		BUG_ON(j->meant[ppn] != j->present[ppn], "page %u never arrived in flash", ppn);
}

/* ---- the table ---- */

struct flash_observer *judge_observer(struct judge *j)
{
	static const struct flash_hears hears = { .begun = judge_begin,
		.works = judge_works,
		.durable = judge_durable,
		.flushes = judge_flushes,
		.submitted = judge_submit,
		.delayed = judge_delayed,
		.completed = judge_completed,
		.drained = judge_idle,
		.made = judge_made,
		.waits = judge_waits,
		.repeated = judge_repeated,
		.reads_at = judge_reads_at,
		.has_room = judge_entered_memory,
		.started = judge_started,
		.passed = judge_passed,
		.done = judge_done,
		.bus = judge_bus,
		.cells = judge_cells,
		.senses_again = judge_senses_again,
		.suspended = judge_suspended,
		.resumed = judge_resumed,
		.kept = judge_kept,
		.copied = judge_copied,
		.answers = judge_answers,
		.die_lost = judge_lose_die,
		.rebuilt = judge_rebuilt,
		.placed = judge_placed,
		.cleared = judge_cleared,
		.mode = judge_mode };

	j->observer = (struct flash_observer){ .hears = &hears, .context = j };
	return &j->observer;
}

/* ---- saved ---- */

static const struct state_row judged_wait_state[] = {
	STATE_NUMBER(struct judged_wait, next),
	STATE_NUMBER(struct judged_wait, other),
	{ 0 },
};

static const struct state_row judged_life_state[] = {
	STATE_NUMBER(struct judged_life, next),
	STATE_NUMBER(struct judged_life, life),
	STATE_NUMBER(struct judged_life, users),
	{ 0 },
};

static const struct state_row judged_request_state[] = {
	STATE_NUMBER(struct judged_request, serial),
	STATE_NUMBER(struct judged_request, released),
	STATE_NUMBER(struct judged_request, pending),
	STATE_NUMBER(struct judged_request, open),
	STATE_NUMBER(struct judged_request, submitted),
	STATE_NUMBER(struct judged_request, work),
	STATE_NUMBER(struct judged_request, durable),
	STATE_NUMBER(struct judged_request, flushes),
	STATE_NUMBER(struct judged_request, flushed),
	{ 0 },
};

static const struct state_row made_op_state[] = {
	STATE_NUMBER(struct made_op, op),
	STATE_NUMBER(struct made_op, kind),
	STATE_NUMBER(struct made_op, cause),
	STATE_NUMBER(struct made_op, ppn),
	STATE_NUMBER(struct made_op, to),
	STATE_NUMBER(struct made_op, owner),
	STATE_NUMBER(struct made_op, sectors),
	STATE_NUMBER(struct made_op, ticket),
	STATE_NUMBER(struct made_op, awaited),
	STATE_NUMBER(struct made_op, rebuilt),
	{ 0 },
};

static const struct state_row judged_op_state[] = {
	STATE_STRUCT(struct judged_op, made, made_op_state),
	STATE_NUMBER(struct judged_op, stage),
	STATE_NUMBER(struct judged_op, request),
	STATE_NUMBER(struct judged_op, writer),
	STATE_NUMBER(struct judged_op, data),
	STATE_NUMBER(struct judged_op, place),
	STATE_NUMBER(struct judged_op, life),
	STATE_NUMBER(struct judged_op, source_life),
	STATE_NUMBER(struct judged_op, epoch),
	STATE_NUMBER(struct judged_op, source_epoch),
	STATE_NUMBER(struct judged_op, waits),
	STATE_NUMBER(struct judged_op, at),
	STATE_NUMBER(struct judged_op, at_epoch),
	STATE_NUMBER(struct judged_op, held),
	STATE_NUMBER(struct judged_op, slc),
	STATE_NUMBER(struct judged_op, passed),
	STATE_NUMBER(struct judged_op, again),
	STATE_NUMBER(struct judged_op, left),
	STATE_NUMBER(struct judged_op, command_again),
	STATE_NUMBER(struct judged_op, command),
	STATE_NUMBER(struct judged_op, retries),
	STATE_NUMBER(struct judged_op, wordline),
	STATE_NUMBER(struct judged_op, number),
	STATE_NUMBER(struct judged_op, room_place),
	STATE_NUMBER(struct judged_op, room),
	{ 0 },
};

static const struct state_row judged_wordline_state[] = {
	STATE_NUMBER(struct judged_wordline, next),
	STATE_NUMBER(struct judged_wordline, first),
	STATE_NUMBER(struct judged_wordline, life),
	STATE_NUMBER(struct judged_wordline, made),
	STATE_NUMBER(struct judged_wordline, begun),
	STATE_NUMBER(struct judged_wordline, passed),
	STATE_NUMBER(struct judged_wordline, done),
	STATE_NUMBER(struct judged_wordline, before),
	STATE_NUMBER(struct judged_wordline, after),
	STATE_NUMBER(struct judged_wordline, ends),
	STATE_NUMBER(struct judged_wordline, data),
	{ 0 },
};

static const struct state_row judged_block_state[] = {
	STATE_NUMBER(struct judged_block, made),
	STATE_NUMBER(struct judged_block, started),
	STATE_NUMBER(struct judged_block, done),
	STATE_NUMBER(struct judged_block, page),
	STATE_NUMBER(struct judged_block, life),
	STATE_NUMBER(struct judged_block, lives),
	STATE_NUMBER(struct judged_block, epoch),
	STATE_NUMBER(struct judged_block, users),
	STATE_NUMBER(struct judged_block, old),
	STATE_NUMBER(struct judged_block, wordline),
	{ 0 },
};

static const struct state_row judged_command_state[] = {
	STATE_NUMBER(struct judged_command, kind),
	STATE_NUMBER(struct judged_command, left),
	STATE_NUMBER(struct judged_command, die),
	STATE_NUMBER(struct judged_command, page),
	STATE_NUMBER(struct judged_command, target),
	STATE_NUMBER(struct judged_command, modes),
	STATE_NUMBER(struct judged_command, planes),
	STATE_NUMBER(struct judged_command, first_plane),
	STATE_NUMBER(struct judged_command, wordline),
	STATE_NUMBER(struct judged_command, passed),
	STATE_NUMBER(struct judged_command, begun),
	STATE_NUMBER(struct judged_command, command_ns),
	STATE_NUMBER(struct judged_command, cells),
	STATE_NUMBER(struct judged_command, bus_spent),
	STATE_NUMBER(struct judged_command, cells_spent),
	STATE_NUMBER(struct judged_command, since),
	STATE_NUMBER(struct judged_command, in_sectors),
	STATE_NUMBER(struct judged_command, out_sectors),
	STATE_NUMBER(struct judged_command, suspensions),
	STATE_NUMBER(struct judged_command, in_cells),
	STATE_NUMBER(struct judged_command, cells_seen),
	STATE_NUMBER(struct judged_command, sent),
	STATE_NUMBER(struct judged_command, retries),
	STATE_NUMBER(struct judged_command, bus_request),
	STATE_NUMBER(struct judged_command, requested_at),
	{ 0 },
};

static const struct state_row judged_unit_state[] = {
	STATE_STRUCT(struct judged_unit, now[0], judged_command_state),
	STATE_STRUCT(struct judged_unit, now[1], judged_command_state),
	STATE_STRUCT(struct judged_unit, suspended, judged_command_state),
	STATE_NUMBER(struct judged_unit, last),
	STATE_NUMBER(struct judged_unit, stopped),
	STATE_NUMBER(struct judged_unit, on_bus),
	STATE_NUMBER(struct judged_unit, stopping),
	STATE_NUMBER(struct judged_unit, since),
	STATE_NUMBER(struct judged_unit, free_from),
	STATE_NUMBER(struct judged_unit, reads),
	STATE_NUMBER(struct judged_unit, stopped_at),
	{ 0 },
};

static const struct state_row judged_channel_state[] = {
	STATE_NUMBER(struct judged_channel, taken),
	STATE_NUMBER(struct judged_channel, left),
	{ 0 },
};

const struct state_row judge_state[] = {
	STATE_FIXED(observer, settings, pages, pages_per_plane, units_per_channel),
	STATE_NUMBER(struct judge, data),
	STATE_NUMBER(struct judge, lost),
	STATE_NUMBERS(struct judge, meant),
	STATE_NUMBERS(struct judge, present),
	STATE_NUMBERS(struct judge, mode),
	STATE_NUMBERS(struct judge, slc),
	STATE_OF_RUN,
	STATE_POOL(struct judge, waits, judged_wait_state),
	STATE_POOL(struct judge, lives, judged_life_state),
	STATE_POOL(struct judge, wordlines, judged_wordline_state),
	STATE_GROWN(struct judge, request, requests, request_room, judged_request_state),
	STATE_GROWN(struct judge, op, ops, op_room, judged_op_state),
	STATE_NUMBER(struct judge, serial),
	STATE_NUMBER(struct judge, open_requests),
	STATE_NUMBER(struct judge, work),
	STATE_NUMBER(struct judge, open_ops),
	STATE_NUMBER(struct judge, held),
	STATE_NUMBER(struct judge, programs),
	STATE_NUMBER(struct judge, room_made),
	STATE_NUMBER(struct judge, room_given),
	STATE_NUMBER(struct judge, in_memory),
	STATE_NUMBER(struct judge, ticket),
	STATE_NUMBER(struct judge, last),
	STATE_NUMBER(struct judge, left),
	STATE_ARRAY(struct judge, unit, judged_unit_state),
	STATE_ARRAY(struct judge, channel, judged_channel_state),
	STATE_NUMBER(struct judge, bus_requests),
	STATE_NUMBER(struct judge, loads),
	STATE_NUMBER(struct judge, asks),
	STATE_ARRAY(struct judge, block, judged_block_state),
	STATE_NUMBERS(struct judge, writer),
	STATE_NUMBERS(struct judge, reader),
	{ 0 },
};
