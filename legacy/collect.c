#include "legacy/engine.h"

/* The idle chip of the channel with the newest waiting collection; NULL: none. */
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

/* Removes the newest collection of the chip. */
static void dismiss(struct engine *e, struct chip *chip)
{
	struct collections *c = &chip->collections;
	uint32_t number = chip_number(e, chip);

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

/* Erases the newest dead block in every plane of a die where it has the same number as in plane `like`. */
static void erase_level(struct engine *e, uint32_t die, uint32_t like)
{
	uint32_t planes = e->layout.planes, blocks = e->layout.blocks;
	uint32_t index = e->plane[like].direct_erase % blocks;

	for (uint32_t p = die * planes; p < (die + 1) * planes; p++)
		if (e->plane[p].direct_erase != NONE && e->plane[p].direct_erase % blocks == index)
			erase_direct(e, p);
}

/* The part of a die in an erase command: its first plane with a dead block (on the die of `own`, that plane)
 * and, with two-plane commands, those with a dead block of the same number. */
static void erase_die(struct engine *e, uint32_t die, uint32_t own, bool two_plane)
{
	uint32_t plane = die * e->layout.planes, end = plane + e->layout.planes;

	if (die == own / e->layout.planes)
		plane = own;
	while (plane < end && e->plane[plane].direct_erase == NONE)
		plane++;
	if (plane == end)
		return;
	if (two_plane)
		erase_level(e, die, plane);
	else
		erase_direct(e, plane);
}

/* Erases dead blocks, on all dies and planes one command can reach. */
static void collect_dead(struct engine *e, struct channel *channel, struct chip *chip, uint32_t own)
{
	const struct legacy_parameters *p = e->p;
	const struct layout *l = &e->layout;
	bool two_plane = e->two_plane && l->planes > 1, interleave = e->interleave && l->dies > 1;
	uint32_t die = interleave ? chip_number(e, chip) * l->dies : own / l->planes;

	for (uint32_t end = die + (interleave ? l->dies : 1); die < end; die++)
		erase_die(e, die, own, two_plane);
	e->count.interleaved_two_plane_erases += interleave && two_plane;
	e->count.interleave_erases += interleave && !two_plane;
	e->count.two_plane_erases += !interleave && two_plane;
	if (interleave && two_plane) {
		channel->time = e->now + 18 * p->t_wc + p->t_wb;
		chip->time = channel->time - 9 * p->t_wc + p->t_bers;
	} else if (interleave || two_plane) {
		channel->time = e->now + 14 * p->t_wc;
		chip->time = channel->time + p->t_bers;
	} else {
		channel->time = e->now + 5 * p->t_wc;
		chip->time = channel->time + p->t_wb + p->t_bers;
	}
}

/* Totals of moving the valid pages of a victim. */
struct moves {
	uint32_t plane;
	uint32_t first, next, end; /* free pages (ppn) of the active block the moves use up */
	uint32_t pages, copy_backs;
	uint32_t sectors; /* sectors that cross the channel; not counted if they take no time */
	bool gave_up;     /* the last page taken had the wrong parity */
};

static void close_run(struct engine *e, struct moves *m)
{
	legacy_take_pages(e, m->plane, e->plane[m->plane].active, m->next - m->first);
	m->first = m->next;
}

/* Continues in the rest of the active block, or in the next open one. */
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

/* Greedy copy-back skips a page of the wrong parity; SSDsim crashes if the next one has it, too. */
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

/* The entries of a victim's pages are far apart in memory: they are prefetched together. */
static inline void prefetch_victim(const struct engine *e, uint32_t block)
{
	const uint32_t *number = e->spare.number + block * e->layout.pages;

	prefetch(&e->block[block]);
	for (uint32_t i = 0; i < e->layout.pages; i++)
		prefetch(&e->map.number[number[i]]);
}

static uint32_t valid_sectors(const struct records *spare, uint32_t first, uint32_t count)
{
	uint32_t sectors = 0;

	for (uint32_t i = 0; i < count; i++)
		sectors += legacy_mask_sectors(record_get(spare, first + i).mask);
	return sectors;
}

/* The map points to every page with valid sectors, so no move is checked.  The erase clears the old pages. */
static void move_run(struct engine *e, struct moves *m, uint32_t from, uint32_t count)
{
	const uint32_t *lpn = e->spare.number + from;
	uint32_t *map = e->map.number, to = m->next;

	records_copy(&e->spare, from, to, count);
	for (uint32_t i = 0; i < count; i++)
		map[lpn[i]] = to + i;
	m->next += count;
	m->pages += count;
	m->gave_up = false;
}

static bool greedy_copy_back(const struct engine *e)
{
	return e->copy_back && e->p->greed_copy_back == 1;
}

/* With copy-back that is not greedy, as in SSDsim's default commands. */
static bool collections_are_free(const struct engine *e)
{
	return e->copy_back && !greedy_copy_back(e) && quirk_kept(e, Q2_FREE_COLLECTION);
}

/* Moves a block's pages, in runs that are adjacent in both places.  Includes pages that were free when the
 * block was chosen: moved pages may have been written there. */
static bool move_pages(struct engine *e, struct moves *m, uint32_t from, uint32_t end)
{
	bool greedy = greedy_copy_back(e), free = collections_are_free(e);

	while (from < end) {
		uint32_t run = records_run(&e->spare, from, end - from);
		bool same_parity;

		if (!run) {
			from++;
			continue;
		}
		if (m->next == m->end && !open_run(e, m))
			return false;
		if (run > m->end - m->next)
			run = m->end - m->next;
		same_parity = !((from ^ m->next) & 1);
		if (greedy && !same_parity) {
			if (!give_up(e, m, m->next++))
				return false;
			continue;
		}
		if (e->copy_back && same_parity)
			m->copy_backs += run;
		else if (!free)
			m->sectors += valid_sectors(&e->spare, from, run);
		move_run(e, m, from, run);
		from += run;
	}
	return true;
}

static bool empty_block(struct engine *e, struct moves *m, uint32_t block)
{
	uint32_t first = ppn_of(e, m->plane, block, 0);
	bool ok;

	prefetch_victim(e, m->plane * e->layout.blocks + block);
	ok = move_pages(e, m, first, first + e->layout.pages);
	close_run(e, m);
	e->count.programs += m->pages;
	e->count.writes += m->pages;
	e->count.copy_backs += m->copy_backs;
	e->count.collection_copy_backs += m->copy_backs;
	return ok;
}

/* The time the moves and the erase take. */
static void collect_occupy(
	struct engine *e, struct channel *channel, struct chip *chip, const struct moves *m)
{
	const struct legacy_parameters *p = e->p;
	uint32_t in_plane = m->pages * (uint32_t)(14 * p->t_wc + p->t_r + p->t_prog);
	uint32_t transfer = m->sectors * 512u * (uint32_t)(p->t_wc + p->t_rc);

	if (collections_are_free(e))
		return;
	if (greedy_copy_back(e))
		transfer = 0;
	channel->time = e->now + in_plane + transfer;
	chip->time = channel->time + p->t_bers;
}

/* Prefetches the block that is likely to be the plane's next victim. */
static inline void prefetch_next_victim(struct engine *e, uint32_t plane)
{
	uint32_t next = legacy_victims_best(&e->victims, plane, e->plane[plane].active);

	if (next != NONE)
		records_prefetch(&e->spare, ppn_of(e, plane, next, 0), e->layout.pages);
}

/* Moves the valid pages of the block with most invalid pages and erases it.  False: no free page, the
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
	collect_occupy(e, channel, chip, &moves);
	prefetch_next_victim(e, plane);
	return true;
}

bool legacy_collect(struct engine *e, uint32_t channel)
{
	struct chip *chip = choose_chip(e, channel);
	uint32_t plane;

	if (!chip)
		return false;
	plane = chip_number(e, chip) * e->layout.planes_per_chip + chip->collections.plane;
	if (e->plane[plane].direct_erase != NONE)
		collect_dead(e, &e->channel[channel], chip, plane);
	else if (!collect_victim(e, &e->channel[channel], chip, plane))
		return false;
	dismiss(e, chip);
	return true;
}
