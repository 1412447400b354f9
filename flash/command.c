#include "flash/command.h"

/* May the operation join the multi-plane command of `first`? */
static bool command_may_join(const struct schedule *s, const struct op *first, uint32_t index)
{
	const struct geometry *g = s->geometry;
	const struct op *op = ops_at(&s->ops, index);

	if (op->kind != first->kind || op->die != first->die || op->retries != first->retries ||
		(op->flags ^ first->flags) & (OP_IN_SLC | OP_TO_SLC) ||
		(op->kind == OP_COPY && !s->settings->multiplane_copy))
		return false;
	if (op->kind != OP_READ && !order_is_turn(&s->ops, block_of(s, order_target(op)), index))
		return false;
	if (s->settings->multiplane == MULTIPLANE_ANY || op->kind == OP_ERASE)
		return true;
	return geometry_page(g, op->ppn) == geometry_page(g, first->ppn) &&
	       geometry_page(g, order_target(op)) == geometry_page(g, order_target(first));
}

/* Bit of the operation's plane within its die. */
static uint64_t command_plane(const struct schedule *s, const struct op *op)
{
	const struct geometry *g = s->geometry;

	return (uint64_t)1 << geometry_plane(g, geometry_block(g, op->ppn)) % g->planes_per_die;
}

void command_add_planes(struct schedule *s, struct unit *unit, struct queue *q)
{
	uint32_t planes = s->geometry->planes_per_die, last = unit->command, before = INDEX_NONE;
	struct op *op = s->ops.op.object;
	const struct op *first = &op[unit->command];
	uint64_t left = s->settings->multiplane_search, taken = command_plane(s, first);

	for (uint32_t next, at = q->first; at != INDEX_NONE && left && taken != UINT64_MAX >> (64 - planes);
		at = next, left--) {
		uint64_t plane = command_plane(s, &op[at]);

		next = op[at].next;
		left -= ops_followers(&s->ops, at, left - 1);
		if (taken & plane || !command_may_join(s, first, at)) {
			before = at;
			continue;
		}
		taken |= plane;
		op[last].next = queue_take_behind(q, ARRAY_FIELD(op, next), before);
		op[last = at].next = INDEX_NONE;
	}
	s->busy.multiplane_commands += last != unit->command;
}
