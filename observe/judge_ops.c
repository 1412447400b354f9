#include "observe/judge_inside.h"

/* ---- an operation starts ---- */

bool judge_is_released(const struct judge *j, const struct judged_op *d, tick_t now)
{
	const struct judged_request *r;

	if (d->made.ticket == INDEX_NONE)
		return true;
	r = &j->request[d->made.ticket];
	return r->serial != d->request || (r->submitted && now >= r->released);
}

bool judge_waits_are_over(const struct judge *j, const struct judged_op *d)
{
	for (uint32_t at = d->waits; at != INDEX_NONE; at = judge_wait(j, at)->next) {
		const struct judged_op *other = judge_find(j, judge_wait(j, at)->other);

		if (other && other->stage != JUDGED_DONE)
			return false;
	}
	return true;
}

void judge_check_waits(const struct judge *j, const struct judged_op *d, tick_t now)
{
	BUG_ON(!judge_is_released(j, d, now),
		"a %s of page %u starts at %llu, before the look-ups of its request", judge_kind_name(d),
		d->made.ppn, (unsigned long long)now);
	for (uint32_t at = d->waits; at != INDEX_NONE; at = judge_wait(j, at)->next) {
		const struct judged_op *other = judge_find(j, judge_wait(j, at)->other);

		BUG_ON(other && other->stage != JUDGED_DONE,
			"a %s of page %u starts at %llu before the %s of page %u that it waits for",
			judge_kind_name(d), d->made.ppn, (unsigned long long)now, judge_kind_name(other),
			other->made.ppn);
	}
}

/* Does the operation use this life of the block, as its source or its target? */
static bool judge_uses(
	const struct judge *j, const struct judged_op *d, const struct judged_block *b, uint32_t life)
{
	if (d->stage == JUDGED_DONE)
		return false;
	return (judge_reads(d) && judge_block(j, d->made.ppn) == b && d->source_life == life &&
		       d->source_epoch == b->epoch) ||
	       (judge_writes(d) && judge_block(j, judge_target(d)) == b && d->life == life &&
		       d->epoch == b->epoch);
}

/* A life of the block that has ended; NULL if no operation uses it.  Most searches are for the oldest. */
static struct judged_life *judge_find_life(const struct judge *j, const struct judged_block *b, uint32_t life)
{
	uint32_t at = ring_first(b->old, judge_life_links(j));

	while (at != INDEX_NONE && judge_life(j, at)->life < life)
		at = ring_behind(b->old, judge_life_links(j), at);
	return at != INDEX_NONE && judge_life(j, at)->life == life && judge_life(j, at)->users
		       ? judge_life(j, at)
		       : NULL;
}

/* Aborts if an operation still uses the life of the block that the erase ends. */
static void judge_check_unused(
	const struct judge *j, const struct judged_op *erase, const struct judged_block *b)
{
	if (!judge_find_life(j, b, erase->life))
		return;
	for (uint32_t i = 0; i < j->ops; i++)
		BUG_ON(judge_uses(j, &j->op[i], b, erase->life),
			"the block of page %u is erased before the %s of page %u is done", erase->made.ppn,
			judge_kind_name(&j->op[i]), j->op[i].made.ppn);
}

/* Programs and erases of a block start in the order in which they were issued. */
static void judge_check_order(struct judge *j, const struct judged_op *d)
{
	struct judged_block *b = judge_block(j, judge_target(d));
	uint32_t page = judge_target(d) % j->settings.pages_per_block;

	if (d->epoch != b->epoch)
		return;
	BUG_ON(d->place != b->started, "a %s of page %u starts as number %u of its block, it is number %u",
		judge_kind_name(d), judge_target(d), b->started, d->place);
	b->started++;
	BUG_ON(d->life != b->life, "a %s of page %u starts in life %u of its block, it belongs to life %u",
		judge_kind_name(d), judge_target(d), b->life, d->life);
	if (d->made.kind == OP_ERASE) {
		judge_check_unused(j, d, b);
		b->page = 0;
		return;
	}
	BUG_ON(page < b->page, "page %u of a block is programmed after page %u", page, b->page - 1);
	b->page = page + 1;
}

static void judge_check_data(const struct judge *j, const struct judged_op *d)
{
	if (judge_reads(d) && d->at_epoch == judge_block(j, d->at)->epoch)
		BUG_ON(j->present[d->at] != d->data, "a %s of page %u takes place at page %u, which holds %s",
			judge_kind_name(d), d->made.ppn, d->at,
			j->present[d->at] ? "other data" : "nothing yet");
}

/* Counts only reads released before `now`: the judge may not have heard yet of all that are released now. */
bool judge_is_waiting(const struct judge *j, const struct judged_op *d, tick_t now)
{
	if (d->stage != JUDGED_MADE || d->made.kind != OP_READ || !now || !judge_is_released(j, d, now - 1) ||
		j->present[d->at] != d->data)
		return false;
	for (uint32_t at = d->waits; at != INDEX_NONE; at = judge_wait(j, at)->next)
		if (!judge_is_done(j, judge_wait(j, at)->other))
			return false;
	return true;
}

/* With a cache register the second pass of a wordline may be loaded while the cells do the first. */
static bool judge_starts_again(const struct judge *j, const struct judged_op *d)
{
	return d && j->settings.cache_programs && d->stage == JUDGED_STARTED && d->wordline != INDEX_NONE &&
	       !d->passed && !d->again;
}

static void judge_start_again(struct judge *j, struct judged_op *d, uint32_t unit, tick_t now)
{
	uint32_t command = d->command;

	d->again = d->passed = true;
	judge_start_part(j, d);
	judge_join_command(j, unit, d, now);
	d->command_again = d->command;
	d->command = command;
	d->passed = false;
}

void judge_started(void *judge, op_t op, uint32_t unit, tick_t now)
{
	struct judge *j = judge;
	struct judged_op *d = judge_find(j, op);

	judge_pass_time(j, now);
	if (judge_starts_again(j, d)) {
		judge_start_again(j, d, unit, now);
		return;
	}
	BUG_ON(!d || d->stage != JUDGED_MADE, "operation %llu starts twice", (unsigned long long)op);
	if (!judge_reads(d))
		d->at = d->made.ppn;
	if (d->made.kind == OP_READ)
		j->unit[judge_unit(j, d)].reads--;
	BUG_ON(judge_unit(j, d) != unit, "a %s of page %u starts on die %u", judge_kind_name(d), d->at, unit);
	judge_check_waits(j, d, now);
	BUG_ON(d->room == JUDGED_WITHOUT_ROOM, "the program of page %u starts without room in memory",
		d->made.ppn);
	judge_check_data(j, d);
	if (d->made.kind != OP_READ && !d->passed)
		judge_check_order(j, d);
	if (d->wordline != INDEX_NONE)
		judge_start_part(j, d);
	judge_join_command(j, unit, d, now);
	d->stage = JUDGED_STARTED;
}

/* ---- an operation ends ---- */

/* The operation no longer uses that life of the block. */
static void judge_leave_block(struct judge *j, struct judged_block *b, uint32_t life, uint32_t epoch)
{
	uint32_t first;

	if (epoch != b->epoch)
		return;
	if (life == b->lives) {
		b->users--;
		return;
	}
	judge_find_life(j, b, life)->users--;
	while ((first = ring_first(b->old, judge_life_links(j))) != INDEX_NONE &&
		!judge_life(j, first)->users)
		pool_give(&j->lives, ring_take(&b->old, judge_life_links(j)));
}

static void judge_end_write(struct judge *j, const struct judged_op *d)
{
	struct judged_block *b = judge_block(j, judge_target(d));

	if (d->epoch != b->epoch)
		return;
	BUG_ON(d->wordline == INDEX_NONE && d->place != b->done,
		"a %s of page %u is done as number %u of its block, it is number %u", judge_kind_name(d),
		judge_target(d), b->done, d->place);
	b->done++;
	if (judge_writes(d)) {
		j->present[judge_target(d)] = d->data;
		judge_programmed(j, judge_target(d), d->slc);
		judge_leave_block(j, b, d->life, d->epoch);
		return;
	}
	b->life++;
	for (uint32_t page = 0; page < j->settings.pages_per_block; page++)
		j->present[d->made.ppn - d->made.ppn % j->settings.pages_per_block + page] = 0;
}

/*
 * The data of a forwarded read is in the controller, so the program that holds it has no dependencies left.
 */
static void judge_check_forward(const struct judge *j, const struct judged_op *d, tick_t now)
{
	const struct judged_op *writer = judge_find(j, d->writer);

	judge_check_waits(j, d, now);
	if (!writer || writer->stage != JUDGED_MADE)
		return;
	judge_check_waits(j, writer, now);
	BUG_ON(writer->room == JUDGED_WITHOUT_ROOM,
		"a read of page %u is answered from memory that has no room for the page yet", d->made.ppn);
}

static void judge_drop_waits(struct judge *j, struct judged_op *d)
{
	while (d->waits != INDEX_NONE) {
		uint32_t at = d->waits;

		d->waits = judge_wait(j, at)->next;
		pool_give(&j->waits, at);
	}
}

void judge_passed(void *judge, op_t op, tick_t now)
{
	struct judge *j = judge;
	struct judged_op *d = judge_find(j, op);

	judge_pass_time(j, now);
	BUG_ON(!d || d->stage != JUDGED_STARTED || d->wordline == INDEX_NONE,
		"operation %llu ends a pass that has not started", (unsigned long long)op);
	judge_leave_command(j, judge_unit(j, d), d, now);
	judge_pass_part(j, d, now);
	d->stage = d->again ? JUDGED_STARTED : JUDGED_MADE;
	if (d->again)
		d->command = d->command_again;
	d->again = false;
}

void judge_done(void *judge, op_t op, tick_t now)
{
	struct judge *j = judge;
	struct judged_op *d = judge_find(j, op);

	judge_pass_time(j, now);
	BUG_ON(!d || d->stage != (d->made.kind < OP_KINDS ? JUDGED_STARTED : JUDGED_MADE),
		"operation %llu is done and has not started", (unsigned long long)op);
	if (d->made.kind == OP_FORWARD)
		judge_check_forward(j, d, now);
	else if (d->made.kind == OP_FLUSH)
		judge_check_waits(j, d, now);
	else
		judge_leave_command(j, judge_unit(j, d), d, now);
	if (d->wordline != INDEX_NONE)
		judge_end_part(j, d, now);
	if (judge_reads(d))
		judge_check_data(j, d);
	if (judge_writes(d) || d->made.kind == OP_ERASE)
		judge_end_write(j, d);
	if (judge_reads(d))
		judge_leave_block(j, judge_block(j, d->made.ppn), d->source_life, d->source_epoch);
	j->held -= d->held && d->room == JUDGED_NO_ROOM_NEEDED;
	judge_end_program(j, d);
	if (d->made.awaited && j->request[d->made.ticket].serial == d->request)
		j->request[d->made.ticket].pending--;
	judge_drop_waits(j, d);
	d->stage = JUDGED_DONE;
	j->open_ops--;
}

/* ---- a die that has failed ---- */

void judge_lose_die(void *judge, uint32_t die)
{
	struct judge *j = judge;

	j->lost = die;
}

void judge_rebuilt(void *judge, ppn_t page, const ppn_t *others, uint32_t n)
{
	struct judge *j = judge;
	const struct judged_op *answer = judge_find(j, j->reader[page]);

	BUG_ON(!answer || !judge_is_lost(j, page), "page %u is made anew and was not lost", page);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = answer->waits;

		while (at != INDEX_NONE && judge_wait(j, at)->other != j->reader[others[i]])
			at = judge_wait(j, at)->next;
		BUG_ON(at == INDEX_NONE,
			"page %u is made anew from page %u and does not wait for a read of it", page,
			others[i]);
	}
}
