#include "legacy/engine.h"

/* The newest waiting collection of the channel whose chip is idle. */
static struct chip *choose_chip(const struct engine *e, uint32_t channel)
{
	struct chip *best = NULL;

	for (uint32_t h = 0; h < e->layout.chips; h++) {
		struct chip *chip = &e->chip[channel * e->layout.chips + h];

		if (!chip->collections.count || !chip_idle(e, chip))
			continue;
		if (!best || chip->collections.sequence > best->collections.sequence)
			best = chip;
	}
	return best;
}

/* The newest collection of the chip is dealt with. */
static void dismiss(struct engine *e, struct chip *chip)
{
	struct collections *c = &chip->collections;
	uint32_t number = (uint32_t)(chip - e->chip);

	e->plane[number * e->layout.planes_per_chip + c->plane].collecting = false;
	if (--c->count) {
		c->sequence -= number_pop(&c->older);
		c->plane = (uint32_t)number_pop(&c->older);
	}
	e->channel[number / e->layout.chips].collections--;
	e->waiting_collections--;
	e->steps++;
}

/* Erases the newest block without valid pages of a plane. */
static void erase_direct(struct engine *e, uint32_t plane)
{
	uint32_t block = e->plane[plane].direct_erase;

	e->plane[plane].direct_erase = e->block[block].next;
	legacy_erase(e, block);
	e->count.direct_erases++;
}

/* Every plane of a die whose newest dead block has the number of `like`'s. */
static void erase_level(struct engine *e, uint32_t die, uint32_t like)
{
	uint32_t planes = e->layout.planes, blocks = e->layout.blocks;
	uint32_t index = e->plane[like].direct_erase % blocks;

	for (uint32_t p = die * planes; p < (die + 1) * planes; p++)
		if (e->plane[p].direct_erase != NONE && e->plane[p].direct_erase % blocks == index)
			erase_direct(e, p);
}

/* First plane of a die with a dead block - on the die of `own` that plane itself; NONE. */
static uint32_t plane_with_dead_block(const struct engine *e, uint32_t die, uint32_t own)
{
	if (die == own / e->layout.planes)
		return own;
	for (uint32_t p = die * e->layout.planes; p < (die + 1) * e->layout.planes; p++)
		if (e->plane[p].direct_erase != NONE)
			return p;
	return NONE;
}

static void erase_all_dies(struct engine *e, uint32_t own, bool two_plane)
{
	uint32_t first = own / e->layout.planes_per_chip * e->layout.dies;

	for (uint32_t die = first; die < first + e->layout.dies; die++) {
		uint32_t plane = plane_with_dead_block(e, die, own);

		if (plane == NONE)
			continue;
		if (two_plane)
			erase_level(e, die, plane);
		else
			erase_direct(e, plane);
	}
}

/* Erases dead blocks, on all dies and planes one command can reach. */
static void collect_dead(struct engine *e, struct channel *channel, struct chip *chip, uint32_t own)
{
	const struct legacy_parameters *p = e->p;
	bool two_plane = e->two_plane && e->layout.planes > 1;

	if (e->interleave && e->layout.dies > 1 && two_plane) {
		erase_all_dies(e, own, true);
		e->count.interleaved_two_plane_erases++;
		channel->time = e->now + 18 * p->t_wc + p->t_wb;
		chip->time = channel->time - 9 * p->t_wc + p->t_bers;
	} else if (e->interleave && e->layout.dies > 1) {
		erase_all_dies(e, own, false);
		e->count.interleave_erases++;
		channel->time = e->now + 14 * p->t_wc;
		chip->time = channel->time + p->t_bers;
	} else if (two_plane) {
		erase_level(e, own / e->layout.planes, own);
		e->count.two_plane_erases++;
		channel->time = e->now + 14 * p->t_wc;
		chip->time = channel->time + p->t_bers;
	} else {
		erase_direct(e, own);
		channel->time = e->now + 5 * p->t_wc;
		chip->time = channel->time + p->t_wb + p->t_bers;
	}
}

/* What moving the valid pages of a victim comes to. */
struct moves {
	uint32_t plane;
	uint32_t first, next, end; /* free pages (ppn) of the active block the moves use up */
	uint32_t pages, copy_backs;
	uint32_t sectors; /* that cross the channel */
	bool gave_up;     /* the last page taken had the wrong parity */
};

static void close_run(struct engine *e, struct moves *m)
{
	legacy_take_pages(e, m->plane, e->plane[m->plane].active, m->next - m->first);
	m->first = m->next;
}

/* The rest of the active block, or the next open one. */
static bool open_run(struct engine *e, struct moves *m)
{
	uint32_t block;

	close_run(e, m);
	if (!legacy_find_active(e, m->plane)) {
		legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED, "garbage collection finds no free page");
		return false;
	}
	block = e->plane[m->plane].active;
	m->first = m->next = ppn_of(e, m->plane, block, block_at(e, m->plane, block)->written);
	m->end = ppn_of(e, m->plane, block, e->layout.pages);
	return true;
}

/* Greedy copy-back gives up a page of the wrong parity; SSDsim crashes if the next one is no better. */
static bool give_up(struct engine *e, struct moves *m, uint32_t ppn)
{
	const struct layout *l = &e->layout;

	if (m->gave_up) {
		legacy_stop(e, Q20_COPY_BACK_PARITY, LEGACY_DIED,
			"greedy copy-back finds no page of equal parity");
		return false;
	}
	m->gave_up = true;
	legacy_victims_add(&e->victims, m->plane, ppn / l->pages % l->blocks, 1);
	e->count.wasted++;
	return true;
}

/* The map's records of the victim's pages lie far apart; they are fetched together. */
static void prefetch_map(struct records spare, struct records map, uint32_t ppn, uint32_t end)
{
	for (; ppn < end; ppn++)
		record_prefetch(&map, record_get(&spare, ppn).number);
}

/* Moves the pages in [from, end).  Those free when the victim was chosen are looked at, too: moved pages may
 * end up there.  The tables are copied so that the compiler may keep them in registers. */
static bool move_pages(struct engine *e, struct moves *m, uint32_t from, uint32_t end)
{
	bool copy_back = e->copy_back, greedy = copy_back && e->p->greed_copy_back == 1;
	struct records spare = e->spare, map = e->map;

	prefetch_map(spare, map, from, end);
	while (from < end) {
		struct record page = record_get(&spare, from);
		uint32_t to;

		if (!page.mask) {
			from++;
			continue;
		}
		if (m->next == m->end && !open_run(e, m))
			return false;
		to = m->next++;
		if (!copy_back || (from ^ to) & 1) {
			if (greedy && give_up(e, m, to))
				continue;
			if (greedy)
				return false;
			m->sectors += mask_sectors(page.mask);
		} else {
			m->copy_backs++;
		}
		record_set(&spare, to, page.number, page.mask);
		/* A page with valid sectors is the one the map names.  The old place is left to the erase. */
		record_renumber(&map, page.number, to);
		m->gave_up = false;
		m->pages++;
		from++;
	}
	return true;
}

static bool empty_block(struct engine *e, struct moves *m, uint32_t block)
{
	uint32_t first = ppn_of(e, m->plane, block, 0);
	bool ok = move_pages(e, m, first, first + e->layout.pages);

	close_run(e, m);
	e->count.programs += m->pages;
	e->count.writes += m->pages;
	e->count.copy_backs += m->copy_backs;
	e->count.collection_copy_backs += m->copy_backs;
	return ok;
}

/* The time the moves and the erase take - none at all with SSDsim's default commands, copy-back without
 * greed. */
static void occupy(struct engine *e, struct channel *channel, struct chip *chip, const struct moves *m)
{
	const struct legacy_parameters *p = e->p;
	uint32_t in_plane = m->pages * (uint32_t)(14 * p->t_wc + p->t_r + p->t_prog);
	uint32_t transfer = m->sectors * 512u * (uint32_t)(p->t_wc + p->t_rc);

	if (e->copy_back && p->greed_copy_back == 1)
		transfer = 0;
	else if (e->copy_back && quirk_kept(e, Q2_FREE_COLLECTION))
		return;
	channel->time = e->now + in_plane + transfer;
	chip->time = channel->time + p->t_bers;
}

/* Moves what is valid in the block with most invalid pages and erases it.  False: no free page, the
 * collection stays. */
static bool collect_victim(struct engine *e, struct channel *channel, struct chip *chip, uint32_t plane)
{
	const struct layout *l = &e->layout;
	struct moves moves = { .plane = plane };
	uint32_t victim;

	if (!legacy_find_active(e, plane))
		return false;
	victim = legacy_victims_best(&e->victims, plane, e->plane[plane].active);
	if (victim == NONE)
		return true;
	if (!empty_block(e, &moves, victim))
		return false;
	legacy_erase(e, plane * l->blocks + victim);
	occupy(e, channel, chip, &moves);
	return true;
}

bool legacy_collect(struct engine *e, uint32_t channel)
{
	struct chip *chip = choose_chip(e, channel);
	uint32_t plane;

	if (!chip)
		return false;
	plane = (uint32_t)(chip - e->chip) * e->layout.planes_per_chip + chip->collections.plane;
	if (e->plane[plane].direct_erase != NONE)
		collect_dead(e, &e->channel[channel], chip, plane);
	else if (!collect_victim(e, &e->channel[channel], chip, plane))
		return false;
	dismiss(e, chip);
	return true;
}
