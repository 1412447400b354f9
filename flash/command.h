/*
 * The command of a unit: one operation, or one for each plane.  Internal to flash/.
 */
#ifndef FLASH_COMMAND_H
#define FLASH_COMMAND_H

#include "flash/events.h"
#include "flash/order.h"
#include "flash/wordline.h"

/* Moves operations that may join the command from the queue to the command, one per plane. */
void command_add_planes(struct schedule *, struct unit *, struct queue *);

/* Computes the times of the command.  Data of programs is transferred in, data of reads out. */
HOT void command_measure(struct schedule *s, struct unit *unit, bool plain)
{
	const uint64_t *commands = s->command_ns;
	uint64_t in_ns = 0, cell_ns = 0;
	uint32_t in_sectors = 0, out_sectors = 0, i = unit->command;

	do {
		const struct op *op = ops_at(&s->ops, i);

		if (op->cell_ns > cell_ns)
			cell_ns = op->cell_ns;
		if (wordline_is_pass(op, plain)) {
			in_ns += s->wordline_pages * commands[OP_PROGRAM];
			in_sectors += wordline_sectors(s, op);
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

/* The first operation of the queue, and those that can join it, become the unit's command. */
HOT void command_take(struct schedule *s, uint32_t u, struct queue *q, bool plain)
{
	struct unit *unit = &s->unit[u];
	struct op *op = (struct op *)s->ops.op.object;

	unit->command = queue_take(q, ARRAY_FIELD(op, next));
	op[unit->command].next = INDEX_NONE;
	if (s->settings->multiplane != MULTIPLANE_OFF)
		command_add_planes(s, unit, q);
	command_measure(s, unit, plain);
	for (uint32_t i = unit->command; i != INDEX_NONE; i = op[i].next)
		command_start_op(s, i);
	if (!plain)
		event_started(s, u);
}

/* The next copy of a series becomes the unit's command. */
HOT void command_take_copy(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	command_start_op(s, unit->command);
	unit->brings_data = false;
	unit->in_ns = s->command_ns[OP_COPY];
	unit->cell_ns = ops_at(&s->ops, unit->command)->cell_ns;
	unit->out_ns = 0;
}

/* Completes all operations of the unit's command. */
HOT void command_end(struct schedule *s, uint32_t u, bool plain)
{
	uint32_t index = s->unit[u].command;

	while (index != INDEX_NONE) {
		uint32_t next = ops_at(&s->ops, index)->next;

		COPY_OF(complete_op, plain)(s, index);
		index = next;
	}
}

#endif
