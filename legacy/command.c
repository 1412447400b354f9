#include "legacy/engine.h"

/* Command and data of one page on the channel; the die then takes t_PROG. */
int64_t legacy_program_ns(const struct engine *e, uint32_t write)
{
	return e->write_ns + legacy_mask_sectors(write_at(e, write)->mask) * e->sector_write_ns;
}

/* The write is dispatched: it is reported to its request and leaves the queues. */
static void finish_write(struct engine *e, uint32_t channel, uint32_t number, int64_t end)
{
	const struct write *w = write_at(e, number);

	legacy_subrequest_timed(e, w->request, end);
	if (w->update != NONE)
		pool_give(&e->reads, w->update);
	if (e->per_channel)
		e->channel[channel].writes--;
	e->queued_writes--;
	e->gate--;
	pool_give(&e->writes, number);
}

static void command_occupy(struct engine *e, struct chip *chip, uint32_t channel, int64_t end)
{
	e->channel[channel].time = end;
	chip->time = end + e->p->t_prog;
	e->steps++;
}

uint32_t legacy_drop_refused(struct engine *e, uint32_t n)
{
	uint32_t remain = 0;

	for (uint32_t i = n; i-- > 0;)
		if (e->slot[i].refused)
			legacy_lane_return(e, e->slot[i].write);
	for (uint32_t i = 0; i < n; i++)
		if (!e->slot[i].refused)
			e->slot[remain++] = e->slot[i];
	return remain;
}

void legacy_program(struct engine *e, struct chip *chip, uint32_t n, enum timing timing)
{
	uint32_t channel = chip_number(e, chip) / e->layout.chips;
	int64_t end = e->now;

	e->count.interleaved_two_planes += timing == TIMING_PARALLEL;
	e->count.two_plane_programs += timing == TIMING_TWO_PLANE;
	n = legacy_drop_refused(e, n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t start = end;

		if (timing == TIMING_PARALLEL)
			start = e->now;
		else if (timing == TIMING_TWO_PLANE && i)
			start += e->p->t_dbsy;
		end = start + legacy_program_ns(e, e->slot[i].write);
		finish_write(e, channel, e->slot[i].write, end);
	}
	command_occupy(e, chip, channel, end);
}

void legacy_program_until(struct engine *e, struct chip *chip, int64_t end)
{
	uint32_t channel = chip_number(e, chip) / e->layout.chips;

	finish_write(e, channel, e->slot[0].write, end);
	command_occupy(e, chip, channel, end);
}

uint32_t legacy_drop_beyond(struct engine *e, uint32_t n, uint32_t limit)
{
	for (uint32_t i = limit; i < n; i++)
		e->slot[i].refused = true;
	return legacy_drop_refused(e, n);
}

/* Can the active block of `plane` take a page at the block and page number of `base`?  Skips pages for that
 * if allowed. */
static bool stands_level(struct engine *e, const struct slot *base, uint32_t plane)
{
	uint32_t block, written;

	if (!legacy_find_active(e, plane))
		return false;
	block = e->plane[plane].active;
	written = block_at(e, plane, block)->written;
	if (block != base->block || written > base->page)
		return false;
	if (written == base->page)
		return true;
	if (e->p->greed_multi_plane != 1)
		return false;
	legacy_skip_pages(e, plane, block, base->page);
	return true;
}

/* Places *s beside the base: same die, same block and page number, in another plane (any with `search`,
 * otherwise its own).  Never requests a collection. */
bool legacy_level(struct engine *e, const struct slot *base, struct slot *s, bool search)
{
	uint32_t planes = e->layout.planes, die = base->plane / planes;
	uint32_t *token = &e->die_token[die];

	if (!search) {
		if (!stands_level(e, base, s->plane))
			return false;
		legacy_place_at(e, s, s->plane, base->block);
		return true;
	}
	if (base->lost) {
		legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED,
			"a write without a free page leads a two-plane command");
		return false;
	}
	for (uint32_t tries = 0; tries < planes; tries++) {
		uint32_t plane = die * planes + advance(token, planes);

		if (stands_level(e, base, plane)) {
			legacy_place_at(e, s, plane, base->block);
			return true;
		}
	}
	return false;
}

/* A block and page number at which two planes can program together; pages of the lower plane are already
 * skipped. */
struct meeting {
	uint32_t block, page;
};

static uint32_t written_in(const struct engine *e, uint32_t plane, uint32_t block)
{
	return block_at(e, plane, block)->written;
}

/* Brings both planes to the later of their next pages in one block. */
static bool meet_in_block(struct engine *e, uint32_t a, uint32_t b, uint32_t block, struct meeting *m)
{
	uint32_t next_a = written_in(e, a, block), next_b = written_in(e, b, block);

	*m = (struct meeting){ block, next_a > next_b ? next_a : next_b };
	if (m->page >= e->layout.pages) {
		legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED, "two-plane programming of a full plane");
		return false;
	}
	if (next_a < next_b)
		legacy_skip_pages(e, a, block, next_b);
	else if (next_b < next_a)
		legacy_skip_pages(e, b, block, next_a);
	return true;
}

/* Greedy: the active block with the higher next page, if the other plane can still program that page; else
 * the first block open in both. */
static bool meet_greedy(struct engine *e, uint32_t a, uint32_t b, struct meeting *m)
{
	uint32_t block_a = e->plane[a].active, block_b = e->plane[b].active, block;
	uint32_t next_a = written_in(e, a, block_a), next_b = written_in(e, b, block_b);
	bool follow_b = next_a < next_b;

	if (follow_b ? written_in(e, a, block_b) <= next_b : written_in(e, b, block_a) <= next_a)
		return meet_in_block(e, a, b, follow_b ? block_b : block_a, m);
	block = legacy_first_open_pair(e, a, b);
	return block != NONE && meet_in_block(e, a, b, block, m);
}

/* Not greedy: only two untouched blocks meet. */
static bool meet_untouched(const struct engine *e, uint32_t a, uint32_t b, struct meeting *m)
{
	uint32_t block_a = e->plane[a].active, block_b = e->plane[b].active;

	if (written_in(e, a, block_a) || written_in(e, b, block_b))
		return false;
	m->page = 0;
	m->block = block_a;
	if (!written_in(e, b, block_a))
		return true;
	m->block = block_b;
	return !written_in(e, a, block_b);
}

static bool meet(struct engine *e, uint32_t a, uint32_t b, struct meeting *m)
{
	bool greedy = e->p->greed_multi_plane == 1;
	uint32_t block_a, block_b;

	legacy_find_active(e, a);
	legacy_find_active(e, b);
	block_a = e->plane[a].active;
	block_b = e->plane[b].active;
	if (block_a == block_b) {
		if (!greedy && written_in(e, a, block_a) != written_in(e, b, block_a))
			return false;
		return meet_in_block(e, a, b, block_a, m);
	}
	return greedy ? meet_greedy(e, a, b, m) : meet_untouched(e, a, b, m);
}

/* The next two planes of the die. False: the second is beyond the last, and the run has to end. */
static bool choose_planes(struct engine *e, uint32_t die, uint32_t *a, uint32_t *b)
{
	uint32_t planes = e->layout.planes, *token = &e->die_token[die];
	uint32_t first = *token % 2 ? (*token + 1) % planes : *token;

	*token = (*token + (*token % 2 ? 3 : 2)) % planes;
	*a = die * planes + first;
	*b = die * planes + (first + 1) % planes;
	if (first + 1 < planes || !quirk_kept(e, Q35_PLANE_PAST_THE_LAST))
		return true;
	legacy_stop(e, Q35_PLANE_PAST_THE_LAST, LEGACY_DIED,
		"a two-plane command on dies with an odd number of planes takes a plane behind the last");
	return false;
}

bool legacy_pair(struct engine *e, struct slot *a, struct slot *b, bool search)
{
	uint32_t die = a->plane / e->layout.planes, before = e->die_token[die];
	uint32_t plane_a = a->plane, plane_b = b->plane;
	struct meeting m;

	if ((search && !choose_planes(e, die, &plane_a, &plane_b)) || !meet(e, plane_a, plane_b, &m)) {
		e->die_token[die] = before;
		return false;
	}
	legacy_place_at(e, a, plane_a, m.block);
	legacy_place_at(e, b, plane_b, m.block);
	legacy_ask_collection(e, plane_a);
	legacy_ask_collection(e, plane_b);
	return true;
}
