#include "flash/schedule_inside.h"

#include "flash/events.h"
#include "flash/order.h"

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

/* Moves operations that may join the command from the queue to the command, one per plane. */
static void command_add_planes(struct schedule *s, struct unit *unit, struct queue *q)
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

static uint32_t command_wordline_sectors(const struct schedule *s, const struct op *pass)
{
	const struct wordline *w = ops_wordline(&s->ops, pass->wordline);
	uint32_t sectors = 0;

	for (uint32_t at = ops_first_of(&s->ops, w); at != INDEX_NONE; at = ops_next_of(&s->ops, w, at))
		sectors += ops_at(&s->ops, at)->sectors;
	return sectors;
}

/* Computes the times of the command.  Data of programs is transferred in, data of reads out. */
HOT void command_measure(struct schedule *s, struct unit *unit)
{
	const uint64_t *commands = s->command_ns;
	uint64_t in_ns = 0, cell_ns = 0;
	uint32_t in_sectors = 0, out_sectors = 0, i = unit->command;

	do {
		const struct op *op = ops_at(&s->ops, i);

		if (op->cell_ns > cell_ns)
			cell_ns = op->cell_ns;
		if (ops_is_pass(op)) {
			in_ns += s->wordline_pages * commands[OP_PROGRAM];
			in_sectors += command_wordline_sectors(s, op);
		} else {
			in_ns += commands[op->kind];
			in_sectors += op->kind == OP_PROGRAM ? op->sectors : 0;
			out_sectors += op->kind == OP_READ ? op->sectors : 0;
		}
		commands = s->plane_command_ns;
		i = op->next;
	} while (i != INDEX_NONE);
	s->flash->transferred_sectors += in_sectors + out_sectors;
	unit->brings_data = in_sectors;
	unit->in_ns = in_ns + s->transfer_ns[in_sectors];
	unit->cell_ns = cell_ns;
	unit->out_ns = s->transfer_ns[out_sectors];
}

HOT void command_start_op(struct schedule *s, uint32_t index)
{
	const struct op *op = ops_at(&s->ops, index);

	if (op->kind != OP_READ)
		order_start(&s->ops, block_of(s, order_target(op)), index);
}

void command_take(struct schedule *s, uint32_t u, struct queue *q)
{
	struct unit *unit = &s->unit[u];
	struct op *op = s->ops.op.object;

	unit->command = queue_take(q, ARRAY_FIELD(op, next));
	op[unit->command].next = INDEX_NONE;
	if (s->settings->multiplane != MULTIPLANE_OFF)
		command_add_planes(s, unit, q);
	command_measure(s, unit);
	for (uint32_t i = unit->command; i != INDEX_NONE; i = op[i].next)
		command_start_op(s, i);
	event_started(s, u);
}

void command_take_copy(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	command_start_op(s, unit->command);
	unit->brings_data = false;
	unit->in_ns = s->command_ns[OP_COPY];
	unit->cell_ns = ops_at(&s->ops, unit->command)->cell_ns;
	unit->out_ns = 0;
}

void command_end(struct schedule *s, uint32_t u)
{
	uint32_t index = s->unit[u].command;

	while (index != INDEX_NONE) {
		uint32_t next = ops_at(&s->ops, index)->next;

		complete_op(s, index);
		index = next;
	}
}
