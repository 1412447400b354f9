#include "flash/census.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/memory.h"
#include "flash/geometry.h"
#include "flash/order.h"

/* The element is found in a list; it must be in no other. */
static void census_claim(uint64_t *named, uint32_t i, uint32_t count, const char *what)
{
	BUG_ON(i >= count || bits_get(named, i), "%s %u is not there, or in two lists", what, i);
	bits_set(named, i);
}

static void census_claim_free(uint64_t *named, const struct pool *p)
{
	for (uint32_t i = p->free; i != INDEX_NONE; memcpy(&i, pool_at(p, i), sizeof i))
		census_claim(named, i, p->used, p->what);
}

static void census_claim_op(struct census *c, uint32_t i)
{
	census_claim(c->op, i, c->ops->op.used, "operation");
}

/* A dependency of an operation in flight. */
static void census_await(struct census *c, uint32_t i)
{
	BUG_ON(i >= c->ops->op.used || bits_get(c->free, i), "operation %u is awaited and not under way", i);
	c->waits[i]++;
}

static void census_check_last(const struct queue *q, uint32_t last)
{
	BUG_ON(q->first != INDEX_NONE && last != q->last, "a list ends with %u and should with %u", last,
		q->last);
}

static void census_count_waiters(struct census *c, uint32_t last)
{
	struct edge *edge = c->ops->edge.object;
	struct array_field next = ARRAY_FIELD(edge, next);

	for (uint32_t i = ring_first(last, next); i != INDEX_NONE; i = ring_behind(last, next, i)) {
		census_claim(c->edge, i, c->ops->edge.used, "dependency");
		census_await(c, edge[i].op);
	}
}

/* Copies that follow an operation are of the same blocks and write ascending pages. */
static void census_count_followers(struct census *c, const struct geometry *g, const struct op *op)
{
	ppn_t to = op->to;

	BUG_ON(op->followers != INDEX_NONE && op->kind != OP_COPY,
		"copies follow an operation of page %u, which does not copy", op->ppn);
	for (uint32_t at = ops_first_copy(c->ops, op); at != INDEX_NONE; at = ops_next_copy(c->ops, op, at)) {
		const struct copy *copy;

		census_claim(c->copy, at, c->ops->copy.used, "copy");
		copy = ops_copy(c->ops, at);
		BUG_ON(geometry_block(g, copy->from) != geometry_block(g, op->ppn) ||
				geometry_block(g, copy->to) != geometry_block(g, op->to) || copy->to <= to,
			"the copy of page %u follows that of page %u", copy->from, op->ppn);
		to = copy->to;
		census_count_waiters(c, copy->waiters);
	}
}

/* Must the operation be in the ring of its block? */
static bool census_has_turn(const struct op *op)
{
	return op->kind != OP_READ && !ops_is_in_controller(op) && !(op->flags & OP_ORPHAN) &&
	       !ops_is_part(op);
}

/* A program that is not ready: the passes of its wordline wait for it. */
static void census_await_passes(struct census *c, const struct op *op)
{
	for (int pass = 0; pass < 2; pass++) {
		uint32_t i = ops_wordline(c->ops, op->wordline)->pass[pass];

		if (i != INDEX_NONE)
			census_await(c, i);
	}
}

static void census_count_op(struct census *c, const struct geometry *g, uint32_t i, uint64_t *behind)
{
	const struct op *op = ops_at(c->ops, i);

	c->in_flight++;
	c->held += op->room == ROOM_FORWARD;
	c->waits[i] += ops_lacks_room(op);
	BUG_ON((census_has_turn(op) || ops_is_part(op)) && !bits_get(behind, i),
		"operation %u is in no list of a block", i);
	if (ops_is_part(op) && op->stage == STAGE_WAITING)
		census_await_passes(c, op);
	census_count_waiters(c, op->waiters);
	census_count_followers(c, g, op);
	for (uint32_t at = op->forwards; at != INDEX_NONE; at = ops_at(c->ops, at)->behind) {
		census_claim(behind, at, c->ops->op.used, "forwarded read");
		BUG_ON(ops_at(c->ops, at)->kind != OP_FORWARD, "operation %u is forwarded", at);
		census_await(c, at);
	}
	if (op->ticket == INDEX_NONE)
		return;
	BUG_ON(bits_get(c->ticket, op->ticket), "an operation is of request %u, which has completed",
		op->ticket);
	c->parts[op->ticket]++;
}

/* Within a life of a block, pages are written in ascending order, except by second passes. */
static bool census_follows(const struct op *op, ppn_t page)
{
	return op->kind == OP_ERASE || op->kind == OP_SECOND_PASS || order_target(op) > page;
}

/* The programs of a wordline are of consecutive pages, and its passes name it. */
static void census_count_wordline(struct census *c, uint32_t number, uint64_t *behind)
{
	const struct wordline *w = ops_wordline(c->ops, number);
	uint32_t pages = 0, ready = 0;
	ppn_t first = PPN_NONE;

	for (uint32_t at = ops_first_of(c->ops, w); at != INDEX_NONE; at = ops_next_of(c->ops, w, at)) {
		const struct op *op = ops_at(c->ops, at);

		census_claim(behind, at, c->ops->op.used, "program of a wordline");
		first = pages ? first : op->ppn;
		BUG_ON(bits_get(c->free, at) || !ops_is_part(op) || op->wordline != number ||
				op->ppn != first + pages++,
			"operation %u is in wordline %u", at, number);
		ready += op->stage != STAGE_WAITING;
	}
	BUG_ON(!pages || pages != w->issued || ready != w->ready || pages > c->wordline_pages,
		"wordline %u has %u programs and counts %u", number, pages, w->issued);
	for (int pass = 0; pass < 2; pass++)
		BUG_ON(w->pass[pass] != INDEX_NONE &&
				(bits_get(c->free, w->pass[pass]) ||
					ops_at(c->ops, w->pass[pass])->kind != OP_WORDLINE + pass ||
					ops_at(c->ops, w->pass[pass])->wordline != number),
			"operation %u is no pass of wordline %u", w->pass[pass], number);
}

static void census_count_wordlines(struct census *c, uint64_t *behind)
{
	census_claim_free(c->wordline, &c->ops->wordline);
	for (uint32_t i = 0; i < c->ops->wordline.used; i++)
		if (!bits_get(c->wordline, i))
			census_count_wordline(c, i, behind);
}

/* Successive erases of a block begin successive lives. */
static void census_count_erase(const struct census *c, struct flash_block *b, uint32_t at)
{
	const struct op *op = ops_at(c->ops, at);

	if (op->kind != OP_ERASE)
		return;
	BUG_ON(b->erase != INDEX_NONE &&
			(op->before != b->erase || op->life != ops_at(c->ops, b->erase)->life + 1),
		"erase %u stands behind another than it names", at);
	b->erase = at;
}

static void census_count_block(struct census *c, const struct geometry *g, const struct flash_block *blocks,
	block_t b, uint64_t *behind)
{
	const struct op *before = NULL;
	struct flash_block erases = { .erase = INDEX_NONE };
	uint32_t last = INDEX_NONE;
	bool gate = blocks[b].gate == INDEX_NONE;

	for (uint32_t at = order_first(c->ops, &blocks[b]); at != INDEX_NONE;
		last = at, at = order_next(c->ops, &blocks[b], at)) {
		const struct op *op = ops_at(c->ops, at);

		census_claim(behind, at, c->ops->op.used, "operation of a block");
		BUG_ON(bits_get(c->free, at) || !census_has_turn(op) ||
				geometry_block(g, order_target(op)) != b,
			"operation %u is in the list of block %u", at, b);
		BUG_ON(before && before->kind != OP_ERASE && !census_follows(op, order_target(before)),
			"operation %u stands behind a later one", at);
		before = op->kind == OP_SECOND_PASS ? before : op;
		gate |= at == blocks[b].gate;
		census_count_erase(c, &erases, at);
	}
	BUG_ON(last != blocks[b].last || !gate, "the list of block %u does not end, or has no gate", b);
	BUG_ON(erases.erase != blocks[b].erase, "block %u names %u as its last erase, which is %u", b,
		blocks[b].erase, erases.erase);
}

/* The search for the source of a page that is being copied must end. */
static void census_check_source(const struct census *c, const struct geometry *g,
	const struct flash_block *blocks, uint32_t i, ppn_t to)
{
	const struct ops *o = c->ops;

	for (uint64_t copies = 0; i != INDEX_NONE && ops_at(o, i)->kind == OP_COPY; copies++) {
		to = order_source(o, i, to);
		BUG_ON(copies > (uint64_t)o->op.used + o->copy.used, "page %u is copied from itself", to);
		i = order_writer(o, &blocks[geometry_block(g, to)], to, ops_at(o, i)->life);
	}
}

/* The next operation of the block writes a page above those of the copies. */
static void census_check_behind(const struct census *c, const struct flash_block *block, uint32_t i, ppn_t to)
{
	uint32_t next = ops_at(c->ops, i)->flags & OP_ORPHAN ? INDEX_NONE : order_next(c->ops, block, i);

	BUG_ON(next != INDEX_NONE && !census_follows(ops_at(c->ops, next), to),
		"operation %u stands behind a later one", next);
}

/* Checks all pages that the operation writes. */
static void census_check_sources(
	const struct census *c, const struct geometry *g, const struct flash_block *blocks, uint32_t i)
{
	const struct op *op = ops_at(c->ops, i);
	census_check_source(c, g, blocks, i, op->to);
	for (uint32_t at = ops_first_copy(c->ops, op); at != INDEX_NONE; at = ops_next_copy(c->ops, op, at))
		census_check_source(c, g, blocks, i, ops_copy(c->ops, at)->to);
	if (op->followers != INDEX_NONE)
		census_check_behind(
			c, &blocks[geometry_block(g, op->to)], i, ops_copy(c->ops, op->followers)->to);
}

struct census census_begin(const struct ops *ops, const struct geometry *g, const struct flash_block *blocks,
	uint32_t wordline_pages)
{
	uint32_t used = ops->op.used;
	struct census c = { .ops = ops,
		.op = memory_array(bits_words(used), sizeof *c.op, "census"),
		.copy = memory_array(bits_words(ops->copy.used), sizeof *c.copy, "census"),
		.edge = memory_array(bits_words(ops->edge.used), sizeof *c.edge, "census"),
		.ticket = memory_array(bits_words(ops->ticket.used), sizeof *c.ticket, "census"),
		.wordline = memory_array(bits_words(ops->wordline.used), sizeof *c.wordline, "census"),
		.wordline_pages = wordline_pages,
		.free = memory_array(bits_words(used), sizeof *c.free, "census"),
		.begins = memory_array(bits_words(used), sizeof *c.begins, "census"),
		.waits = memory_array(used, sizeof *c.waits, "census"),
		.parts = memory_array(ops->ticket.used, sizeof *c.parts, "census") };
	uint64_t *behind =
		memory_array(bits_words(used), sizeof *behind, "census"); /* found by its link `behind` */

	census_claim_free(c.op, &ops->op);
	memcpy(c.free, c.op, bits_words(used) * sizeof *c.op);
	census_claim_free(c.copy, &ops->copy);
	census_claim_free(c.edge, &ops->edge);
	census_claim_free(c.ticket, &ops->ticket);
	census_count_wordlines(&c, behind);
	for (block_t b = 0; b < g->blocks; b++)
		census_count_block(&c, g, blocks, b, behind);
	for (uint32_t i = 0; i < used; i++)
		if (!bits_get(c.free, i))
			census_count_op(&c, g, i, behind);
	for (uint32_t i = 0; i < used; i++)
		if (!bits_get(c.free, i))
			census_check_sources(&c, g, blocks, i);
	memory_free(behind);
	return c;
}

static void census_claim_ready(struct census *c, uint32_t i)
{
	const struct op *op = ops_at(c->ops, i);
	bool passes;

	census_claim_op(c, i);
	passes = op->stage == STAGE_READY && (op->kind == OP_READ || op->flags & OP_ORPHAN);
	BUG_ON(op->blockers || !(passes || op->stage == STAGE_QUEUED || op->stage == STAGE_IN_CELLS),
		"operation %u is in the queue of its die and is not ready", i);
}

void census_queue(struct census *c, const struct queue *q)
{
	uint32_t last = INDEX_NONE;

	for (uint32_t i = q->first; i != INDEX_NONE; last = i, i = ops_at(c->ops, i)->next)
		census_claim_ready(c, i);
	census_check_last(q, last);
}

void census_command(struct census *c, uint32_t first)
{
	for (uint32_t i = first; i != INDEX_NONE; i = ops_at(c->ops, i)->next)
		census_claim_ready(c, i);
}

void census_release(struct census *c, uint32_t first_op, uint32_t ticket)
{
	BUG_ON(ticket >= c->ops->ticket.used, "request %u begins and is not there", ticket);
	c->parts[ticket]++;
	for (uint32_t i = first_op; i != INDEX_NONE; i = ops_at(c->ops, i)->next) {
		census_claim_op(c, i);
		census_await(c, i);
		bits_set(c->begins, i);
	}
}

void census_completed(struct census *c, const struct queue *q)
{
	uint32_t last = INDEX_NONE;

	for (uint32_t i = q->first; i != INDEX_NONE; last = i, i = ops_ticket(c->ops, i)->next) {
		census_claim(c->ticket, i, c->ops->ticket.used, "request");
		BUG_ON(ops_ticket(c->ops, i)->pending, "request %u has completed and has parts", i);
	}
	census_check_last(q, last);
}

bool census_counts(const struct census *c, uint32_t op)
{
	return !bits_get(c->free, op) && !bits_get(c->begins, op) && ops_at(c->ops, op)->ticket != INDEX_NONE;
}

/* An erase also waits for its users, which it counts itself. */
static void census_compare(const struct census *c)
{
	const struct ops *o = c->ops;

	for (uint32_t i = 0; i < o->op.used; i++) {
		const struct op *op = ops_at(o, i);
		uint32_t waits = c->waits[i] + (op->kind == OP_ERASE ? op->users : 0);

		if (!bits_get(c->free, i) && ops_is_pass(op))
			waits += c->wordline_pages - ops_wordline(o, op->wordline)->issued;

		BUG_ON(!bits_get(c->free, i) && op->blockers != waits,
			"operation %u waits for %u others and counts %u", i, waits, op->blockers);
	}
	for (uint32_t i = 0; i < o->ticket.used; i++)
		BUG_ON(!bits_get(c->ticket, i) && ops_ticket(o, i)->pending != c->parts[i],
			"request %u has %u parts and counts %u", i, c->parts[i], ops_ticket(o, i)->pending);
}

void census_end(struct census *c)
{
	census_compare(c);
	memory_free(c->op);
	memory_free(c->copy);
	memory_free(c->edge);
	memory_free(c->ticket);
	memory_free(c->wordline);
	memory_free(c->free);
	memory_free(c->begins);
	memory_free(c->waits);
	memory_free(c->parts);
}
