#include "legacy/engine.h"

void legacy_reads_sense(struct engine *e)
{
	if (!e->commands)
		return;
	for (uint32_t c = 0; c < e->layout.chips_all; c++) {
		struct chip *chip = &e->chip[c];

		if (chip->state != CHIP_READING || chip->command_end > e->now)
			continue;
		chip->state = CHIP_DATA_READY;
		chip->time = e->now + e->p->t_r;
		e->commands--;
		e->steps++;
	}
}

/* The oldest waiting read whose chip is idle.  Two-plane and interleaved reads are never formed. */
static struct chip *choose_read(const struct engine *e, uint32_t channel)
{
	struct chip *best = NULL;

	for (uint32_t h = 0; h < e->layout.chips; h++) {
		struct chip *chip = &e->chip[channel * e->layout.chips + h];

		if (chip->reads.first == NONE || !chip_idle(e, chip))
			continue;
		if (!best || legacy_earlier(read_at(e, chip->reads.first)->sequence,
				     read_at(e, best->reads.first)->sequence))
			best = chip;
	}
	return best;
}

bool legacy_read_command(struct engine *e, uint32_t channel)
{
	struct chip *chip = choose_read(e, channel);

	if (!chip)
		return false;
	chip->current = queue_take(&chip->reads, next_reads(e));
	chip->state = CHIP_READING;
	chip->command_end = e->channel[channel].time = e->now + e->write_ns;
	legacy_read_begins(e, read_at(e, chip->current));
	e->count.reads++;
	e->commands++;
	e->steps++;
	return true;
}

/* The read completes at `end`: it is reported to its request, or its write may be dispatched. */
static void finish_read(struct engine *e, uint32_t number, int64_t end)
{
	struct read *r = read_at(e, number);
	uint32_t sharer = r->sharer;

	r->end = end;
	hash_remove(&e->queued_reads, reads_by_ppn(e), number);
	if (r->request != NONE)
		legacy_subrequest_timed(e, r->request, end);
	if (r->write != NONE)
		timed_push(&e->unblocking, (uint64_t)end, r->write);
	else
		pool_give(&e->reads, number);
	while (sharer != NONE) {
		const struct read *s = read_at(e, sharer);
		uint32_t next = s->sharer;

		legacy_subrequest_timed(e, s->request, end);
		pool_give(&e->reads, sharer);
		sharer = next;
	}
}

bool legacy_read_transfer(struct engine *e, uint32_t channel)
{
	for (uint32_t h = 0; h < e->layout.chips; h++) {
		struct chip *chip = &e->chip[channel * e->layout.chips + h];
		int64_t end;

		if (chip->state != CHIP_DATA_READY || chip->time > e->now)
			continue;
		end = e->now + read_at(e, chip->current)->sectors * e->sector_read_ns;
		e->channel[channel].time = end;
		e->channel[channel].reads--;
		chip->state = CHIP_IDLE;
		chip->time = end;
		finish_read(e, chip->current, end);
		chip->current = NONE;
		e->steps++;
		return true;
	}
	return false;
}
