#include "flash/wordline.h"

#include "flash/cells.h"
#include "flash/events.h"
#include "flash/order.h"

/* All waits have the same length, so they end in the order in which they began. */
bool wordline_waits_before(const void *left, const void *right)
{
	return ((const struct wordline_wait *)left)->order < ((const struct wordline_wait *)right)->order;
}

/* ---- issued ---- */

static uint32_t wordline_pass_ns(const struct schedule *s, const struct wordline *w, const struct op *pass)
{
	return cells_ns(s, pass->kind, pass->ppn, PPN_NONE, 0, false) *
	       (w->folds ? (uint32_t)s->flash->slc_times->fold_passes : 1);
}

/* A pass for the wordline of the program `page`. */
static void wordline_add_pass(struct schedule *s, uint32_t number, uint32_t pass, uint32_t page)
{
	uint32_t index = pool_take(&s->ops.op), kind = pass ? OP_SECOND_PASS : OP_WORDLINE;
	struct op *op = ops_at(&s->ops, index);
	const struct op *of = ops_at(&s->ops, page);
	struct wordline *w = ops_wordline(&s->ops, number);

	*op = (struct op){ .next = INDEX_NONE,
		.generation = op->generation,
		.blockers = s->wordline_pages - w->ready,
		.waiters = INDEX_NONE,
		.ticket = INDEX_NONE,
		.forwards = INDEX_NONE,
		.followers = INDEX_NONE,
		.ppn = of->ppn,
		.wordline = number,
		.life = of->life,
		.to_life = of->life,
		.die = of->die,
		.kind = (uint8_t)kind,
		.cause = of->cause,
		.stage = w->ready == s->wordline_pages ? STAGE_READY : STAGE_WAITING };
	op->cell_ns = wordline_pass_ns(s, w, op);
	w->pass[pass] = index;
	s->in_flight++;
	event_pass_made(s, index);
	order_append(&s->ops, block_of(s, op->ppn), index);
}

/* Cell time of all passes, even if the wordline turns out to hold only pads, which need no second one. */
static uint64_t wordline_cell_ns(const struct schedule *s, ppn_t ppn)
{
	return (uint64_t)cells_ns(s, OP_WORDLINE, ppn, PPN_NONE, 0, false) +
	       (s->settings->passes == 2 ? cells_ns(s, OP_SECOND_PASS, ppn, PPN_NONE, 0, false) : 0);
}

/* The time of the wordline counts as load of the die until all of its pages are programmed. */
static void wordline_begin(struct schedule *s, block_t b, uint32_t page)
{
	uint32_t number = pool_take(&s->ops.wordline), before = s->open[b];
	const struct op *op = ops_at(&s->ops, page);
	bool second = s->settings->passes == 2 && s->flash->owner[op->ppn] != OWNER_NONE;
	struct wordline *w = ops_wordline(&s->ops, number);

	*w = (struct wordline){ .pages = INDEX_NONE,
		.pass = { INDEX_NONE, INDEX_NONE },
		.before = before,
		.second = second,
		.lacks = true };
	s->open[b] = number;
	s->flash->wordlines++;
	load_change(s, op, wordline_cell_ns(s, op->ppn));
	wordline_add_pass(s, number, 0, page);
	if (before != INDEX_NONE)
		wordline_add_pass(s, before, 1, ops_first_of(&s->ops, ops_wordline(&s->ops, before)));
	if (second && geometry_page(s->geometry, ops_at(&s->ops, page)->ppn) + s->wordline_pages ==
			      s->geometry->pages_per_block)
		wordline_add_pass(s, number, 1, page);
}

static void wordline_complete(struct schedule *s, block_t b, struct wordline *w)
{
	if (w->before != INDEX_NONE)
		ops_wordline(&s->ops, w->before)->lacks = false;
	w->before = INDEX_NONE;
	if (w->second && w->pass[1] == INDEX_NONE)
		return;
	w->lacks = false;
	s->open[b] = INDEX_NONE;
}

/* A page of the wordline is folded: each pass takes fold_passes times as long. */
static void wordline_folds(const struct schedule *s, struct wordline *w)
{
	w->folds = true;
	for (int pass = 0; pass < 2; pass++)
		if (w->pass[pass] != INDEX_NONE)
			ops_at(&s->ops, w->pass[pass])->cell_ns =
				wordline_pass_ns(s, w, ops_at(&s->ops, w->pass[pass]));
}

void wordline_add(struct schedule *s, uint32_t index)
{
	ppn_t ppn = ops_at(&s->ops, index)->ppn;
	block_t b = geometry_block(s->geometry, ppn);
	struct op *op;
	struct wordline *w;

	if (geometry_page(s->geometry, ppn) % s->wordline_pages == 0)
		wordline_begin(s, b, index);
	BUG_ON(s->open[b] == INDEX_NONE,
		"page %u is programmed in the midst of a wordline that was not begun", ppn);
	op = s->ops.op.object;
	w = ops_wordline(&s->ops, s->open[b]);
	op[index].wordline = s->open[b];
	ring_append(&w->pages, ARRAY_FIELD(op, behind), index);
	if (op[index].flags & OP_FOLDS)
		wordline_folds(s, w);
	if (++w->issued == s->wordline_pages)
		wordline_complete(s, b, w);
}

/* ---- ready ---- */

static void wordline_begin_wait(struct schedule *s, const struct op *first)
{
	struct wordline_wait wait = { s->now + s->settings->wordline_wait_ns, s->wait_order++, first->ppn,
		first->life };

	heap_push(&s->waits, &wait, sizeof wait, wordline_waits_before, "waits of wordlines");
	s->pad_due = wordline_first_due(s);
}

static void wordline_pass_ready(struct schedule *s, uint32_t number, uint32_t pass)
{
	const struct wordline *w = ops_wordline(&s->ops, number);
	struct op *op = ops_at(&s->ops, w->pass[pass]);

	for (uint32_t at = ops_first_of(&s->ops, w); !pass && at != INDEX_NONE;
		at = ops_next_of(&s->ops, w, at))
		event_joined(s, at);
	op->stage = STAGE_READY;
	ready_pass(s, block_of(s, op->ppn));
}

void wordline_page_ready(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);
	uint32_t number = op->wordline;
	struct wordline *w = ops_wordline(&s->ops, number);
	const struct op *first = ops_at(&s->ops, ops_first_of(&s->ops, w));

	if (++w->ready == 1 && s->settings->wordline_wait_ns &&
		s->open[geometry_block(s->geometry, op->ppn)] == number)
		wordline_begin_wait(s, first);
	if (w->lacks && op->ticket != INDEX_NONE && op->ticket == s->work_ticket) {
		op->ticket = INDEX_NONE;
		complete_part(s, s->work_ticket);
	}
	for (uint32_t pass = 0; pass < 2; pass++)
		if (w->pass[pass] != INDEX_NONE && !--ops_at(&s->ops, w->pass[pass])->blockers)
			wordline_pass_ready(s, number, pass);
}

/* ---- done ---- */

void wordline_end_pass(struct schedule *s, uint32_t index)
{
	struct op *op = ops_at(&s->ops, index);
	uint32_t number = op->wordline, at;
	struct wordline *w = ops_wordline(&s->ops, number);
	bool last = op->kind == OP_SECOND_PASS || !w->second;

	if (last)
		load_change(s, op, -wordline_cell_ns(s, op->ppn));
	order_finish(&s->ops, block_of(s, op->ppn), index);
	w->pass[op->kind == OP_SECOND_PASS] = INDEX_NONE;
	s->in_flight--;
	ops_give_op(&s->ops, index);
	op = s->ops.op.object;
	if (!last) {
		for (at = ops_first_of(&s->ops, w); at != INDEX_NONE; at = ops_next_of(&s->ops, w, at))
			event_passed(s, at);
		return;
	}
	while ((at = ring_take(&w->pages, ARRAY_FIELD(op, behind))) != INDEX_NONE)
		complete_op(s, at);
	pool_give(&s->ops.wordline, number);
}

uint32_t wordline_sectors(const struct schedule *s, const struct op *pass)
{
	const struct wordline *w = ops_wordline(&s->ops, pass->wordline);
	uint32_t sectors = 0;

	for (uint32_t at = ops_first_of(&s->ops, w); at != INDEX_NONE; at = ops_next_of(&s->ops, w, at))
		sectors += ops_at(&s->ops, at)->sectors;
	return sectors;
}

/* ---- wordlines that lack pages ---- */

uint32_t wordline_kept_back(const struct schedule *s, ppn_t ppn, uint32_t life)
{
	uint32_t number = s->open[geometry_block(s->geometry, ppn)], at;

	if (number == INDEX_NONE)
		return INDEX_NONE;
	at = ops_first_of(&s->ops, ops_wordline(&s->ops, number));
	while (at != INDEX_NONE && !(ops_at(&s->ops, at)->ppn == ppn && ops_at(&s->ops, at)->life == life))
		at = ops_next_of(&s->ops, ops_wordline(&s->ops, number), at);
	return at;
}

bool wordline_is_early(const struct schedule *s, uint32_t op)
{
	uint32_t pass;

	if (!ops_is_part(ops_at(&s->ops, op)))
		return false;
	pass = ops_wordline(&s->ops, ops_at(&s->ops, op)->wordline)->pass[0];
	return pass != INDEX_NONE && ops_at(&s->ops, pass)->stage == STAGE_WAITING;
}

uint32_t schedule_lacks(const struct schedule *s, block_t b)
{
	const struct geometry *g = s->geometry;
	uint32_t next = s->flash->block[b].next, pages = s->wordline_pages;
	const struct wordline *w;
	bool last;

	if (!s->open || flash_is_slc(s->flash, b))
		return 0;
	if (s->open[b] == INDEX_NONE)
		return (pages - next % pages) % pages;
	w = ops_wordline(&s->ops, s->open[b]);
	last = next - w->issued + pages == g->pages_per_block;
	return pages - w->issued + (w->second && !last ? pages : 0);
}

/* Does the wordline hold a program of the request?  INDEX_NONE: any program with cause host? */
static bool wordline_holds(const struct schedule *s, const struct wordline *w, uint32_t ticket)
{
	for (uint32_t at = ops_first_of(&s->ops, w); at != INDEX_NONE; at = ops_next_of(&s->ops, w, at))
		if (ticket == INDEX_NONE ? ops_at(&s->ops, at)->cause == CAUSE_HOST
					 : ops_at(&s->ops, at)->ticket == ticket)
			return true;
	return false;
}

bool schedule_holds_up(const struct schedule *s, block_t b, uint32_t ticket)
{
	const struct wordline *w;

	if (!s->open || s->open[b] == INDEX_NONE)
		return false;
	w = ops_wordline(&s->ops, s->open[b]);
	return wordline_holds(s, w, ticket) ||
	       (w->before != INDEX_NONE && wordline_holds(s, ops_wordline(&s->ops, w->before), ticket));
}

/* ---- waits that are over ---- */

tick_t schedule_pad_due(const struct schedule *s)
{
	return s->pad_due;
}

block_t schedule_next_to_pad(struct schedule *s)
{
	struct wordline_wait wait;
	block_t b;
	const struct op *first;

	heap_pop(&s->waits, &wait, sizeof wait, wordline_waits_before);
	s->pad_due = wordline_first_due(s);
	b = geometry_block(s->geometry, wait.first);
	if (s->open[b] == INDEX_NONE)
		return BLOCK_NONE;
	first = ops_at(&s->ops, ops_first_of(&s->ops, ops_wordline(&s->ops, s->open[b])));
	return first->ppn == wait.first && first->life == wait.life ? b : BLOCK_NONE;
}

bool schedule_goes_on(const struct schedule *s)
{
	return s->pad_due != TICK_NEVER || s->releases.count || timers_next(&s->timers) != TICK_NEVER;
}

bool schedule_is_stuck(const struct schedule *s)
{
	return s->open && s->in_flight && !schedule_goes_on(s);
}

/* ---- checks ---- */

/* The open wordline of the block is the one to be programmed next, or the one before. */
static void wordline_check_open(const struct schedule *s, block_t b, uint32_t number)
{
	const struct wordline *w = ops_wordline(&s->ops, number);
	ppn_t first = ops_at(&s->ops, ops_first_of(&s->ops, w))->ppn;

	BUG_ON(geometry_block(s->geometry, first) != b ||
			ops_at(&s->ops, ops_first_of(&s->ops, w))->wordline != number || !w->lacks ||
			first - geometry_first_page(s->geometry, b) + w->issued != s->flash->block[b].next,
		"the open wordline of block %u is another one", b);
}

void wordline_check(const struct schedule *s)
{
	const struct wordline_wait *wait = s->waits.element;

	for (block_t b = 0; b < s->geometry->blocks; b++)
		if (s->open[b] != INDEX_NONE)
			wordline_check_open(s, b, s->open[b]);
		else if (!flash_is_slc(s->flash, b))
			BUG_ON(s->flash->block[b].next % s->wordline_pages,
				"a wordline of block %u lacks pages and is not open", b);
	for (uint32_t i = 0; i < s->waits.count; i++)
		BUG_ON((i && wordline_waits_before(&wait[i], &wait[(i - 1) / 2])) || wait[i].due < s->now,
			"waits of wordlines end out of order");
	BUG_ON(s->pad_due != wordline_first_due(s), "no wait ends at %llu", (unsigned long long)s->pad_due);
}
