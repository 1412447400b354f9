/* A failed die: its pages are rebuilt from the other pages of their stripes. */
#include "flash/events.h"

void flash_lose_die(struct flash *f, struct flash_lost *lost)
{
	f->lost = lost;
	flash_set_watched(f);
	TELL(f, die_lost, (o->context, lost->die));
	oracle_lose_die(f->oracle, lost->die);
}

op_t flash_read_others(struct io *io, ppn_t ppn, uint32_t sectors, enum cause cause, op_t after)
{
	struct flash *f = io->flash;
	struct flash_lost *lost = f->lost;
	uint32_t n = lost->find(lost->parity, ppn, lost->others);
	op_t answer = io->timed ? schedule_answer(io, ppn, sectors, cause) : OP_NONE;
	bool detached = io->detached;

	io->detached |= cause_is_background(cause) && !io->work;
	for (uint32_t i = 0; i < n; i++)
		flash_wait(io, answer, flash_read(io, lost->others[i], sectors, CAUSE_PARITY, after));
	io->detached = detached;
	oracle_page_rebuilt(f->oracle, ppn, lost->others, n);
	if (io->timed)
		TELL(f, rebuilt, (o->context, ppn, lost->others, n));
	lost->reads[cause] += io->timed;
	return answer;
}
