#include "flash/repeat.h"

#include "flash/cells.h"
#include "flash/events.h"

void schedule_repeat_read(struct schedule *s, op_t handle, uint32_t times)
{
	uint32_t index = ops_index(&s->ops, handle);
	struct op *op = ops_at(&s->ops, index);
	uint32_t ns = times * cells_read_ns(s, op->ppn, op->flags & OP_IN_SLC);

	op->retries = (uint8_t)times;
	if (op->kind == OP_COPY)
		op->cell_ns += ns += times * (uint32_t)s->flash->retry->settings->ecc_ns;
	load_change(s, op, ns);
	event_repeated(s, index);
}

void repeat_sense(struct schedule *s, uint32_t u)
{
	struct unit *unit = &s->unit[u];

	event_senses_again(s, u);
	for (uint32_t i = unit->command; i != INDEX_NONE; i = ops_at(&s->ops, i)->next) {
		struct op *op = ops_at(&s->ops, i);

		op->retries--;
		load_change(s, op, -(uint64_t)op->cell_ns);
		s->flash->transferred_sectors += op->sectors;
	}
	unit_start(s, u);
}

void repeat_decode(struct schedule *s, uint32_t u)
{
	uint64_t ecc_ns = s->flash->retry->settings->ecc_ns;

	s->unit[u].phase = PHASE_DECODE;
	if (ecc_ns)
		timers_set(&s->timers, u, s->now + ecc_ns);
	else
		repeat_sense(s, u);
}
