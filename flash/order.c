#include "flash/order.h"

#include "base/fault.h"

void order_append(struct ops *o, struct flash_block *b, uint32_t index)
{
	struct op *op = ops_at(o, index);

	if (op->kind == OP_ERASE) {
		op->users = b->unfinished;
		op->blockers += b->unfinished;
		op->before = b->erase;
		b->unfinished = 0;
		b->erase = index;
	}
	ring_append(&b->last, order_links(o), index);
	if (b->gate == INDEX_NONE)
		b->gate = index;
}

/* Of a block with erases in flight: the life that the first of them begins. */
static uint32_t order_first_life(const struct ops *o, const struct flash_block *b)
{
	const struct op *first = ops_at(o, order_first(o, b));

	return order_target_life(first) + (first->kind != OP_ERASE);
}

/* Thousands of erases may be in flight: searches from the nearer end of the ring. */
uint32_t order_erase(const struct ops *o, const struct flash_block *b, uint32_t life)
{
	uint32_t at = b->erase, first, back;

	if (at == INDEX_NONE)
		return INDEX_NONE;
	first = order_first_life(o, b);
	if (life < first || life > ops_at(o, at)->life)
		return INDEX_NONE;
	back = ops_at(o, at)->life - life;
	if (back > life - first) {
		at = order_first(o, b);
		while (ops_at(o, at)->kind != OP_ERASE || ops_at(o, at)->life != life)
			at = order_next(o, b, at);
		return at;
	}
	while (back--)
		at = ops_at(o, at)->before;
	return at;
}

bool order_join(struct ops *o, struct flash_block *b, uint32_t life)
{
	uint32_t erase;

	if (life == b->erases) {
		b->unfinished++;
		return true;
	}
	erase = order_erase(o, b, life + 1);
	if (erase == INDEX_NONE)
		return false;
	ops_at(o, erase)->users++;
	ops_at(o, erase)->blockers++;
	return true;
}

uint32_t order_leave(struct ops *o, struct flash_block *b, uint32_t life)
{
	uint32_t erase;

	if (life == b->erases) {
		b->unfinished--;
		return INDEX_NONE;
	}
	erase = order_erase(o, b, life + 1);
	if (erase != INDEX_NONE)
		ops_at(o, erase)->users--;
	return erase;
}

/* An erase that has passed keeps the gate closed until it is done. */
uint32_t order_pass(struct ops *o, struct flash_block *b)
{
	uint32_t index = b->gate;

	if (index == INDEX_NONE || ops_at(o, index)->stage != STAGE_READY)
		return INDEX_NONE;
	ops_at(o, index)->stage = STAGE_QUEUED;
	if (ops_at(o, index)->kind != OP_ERASE)
		b->gate = order_next(o, b, index);
	return index;
}

uint32_t order_orphan(struct ops *o, struct flash_block *b)
{
	uint32_t index = ring_take(&b->last, order_links(o));
	struct op *op;

	if (index == INDEX_NONE) {
		b->gate = INDEX_NONE;
		b->unfinished = 0;
		return INDEX_NONE;
	}
	op = ops_at(o, index);
	BUG_ON(ops_is_pass(op), "the block of page %u is erased outside time while a wordline is programmed",
		op->ppn);
	op->flags |= OP_ORPHAN;
	if (op->kind == OP_ERASE) {
		op->blockers -= op->users;
		op->users = 0;
		order_drop_erase(b, index);
	}
	return index;
}

/* The copy that writes the page, of those that follow the operation; NULL: none. */
static struct copy *order_find_copy(const struct ops *o, const struct op *op, ppn_t ppn)
{
	if (op->followers == INDEX_NONE || ppn <= op->to || ppn > ops_copy(o, op->followers)->to)
		return NULL;
	for (uint32_t at = ops_first_copy(o, op); at != INDEX_NONE; at = ops_next_copy(o, op, at))
		if (ops_copy(o, at)->to == ppn)
			return ops_copy(o, at);
	return NULL;
}

/* The program of the wordline that writes the page, or INDEX_NONE. */
static uint32_t order_page_of(const struct ops *o, const struct op *pass, ppn_t ppn, uint32_t life)
{
	const struct wordline *w = ops_wordline(o, pass->wordline);
	uint32_t at = ops_first_of(o, w);

	if (pass->life != life || ppn - pass->ppn >= w->issued)
		return INDEX_NONE;
	while (ops_at(o, at)->ppn != ppn)
		at = ops_next_of(o, w, at);
	return at;
}

uint32_t order_find_writer(const struct ops *o, const struct flash_block *b, ppn_t ppn, uint32_t life)
{
	uint32_t erase = order_erase(o, b, life);

	for (uint32_t at = erase == INDEX_NONE ? order_first(o, b) : order_next(o, b, erase);
		at != INDEX_NONE && ops_at(o, at)->kind != OP_ERASE; at = order_next(o, b, at)) {
		const struct op *op = ops_at(o, at);
		uint32_t page = ops_is_pass(op) ? order_page_of(o, op, ppn, life) : INDEX_NONE;

		if (page != INDEX_NONE)
			return page;
		if (!ops_is_pass(op) && order_target_life(op) == life &&
			(order_target(op) == ppn || order_find_copy(o, op, ppn)))
			return at;
	}
	return INDEX_NONE;
}

ppn_t order_source(const struct ops *o, uint32_t writer, ppn_t ppn)
{
	const struct copy *copy = order_find_copy(o, ops_at(o, writer), ppn);

	return copy ? copy->from : ops_at(o, writer)->ppn;
}

uint32_t *order_waiters(const struct ops *o, uint32_t writer, ppn_t ppn)
{
	struct copy *copy = order_find_copy(o, ops_at(o, writer), ppn);

	return copy ? &copy->waiters : &ops_at(o, writer)->waiters;
}
