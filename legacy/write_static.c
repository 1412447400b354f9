#include "legacy/engine.h"

/* With static allocation the address fixes the plane; a command takes the oldest write of each plane of a
 * chip.  The slots are in the order of their planes. */

static uint32_t first_die(const struct engine *e, const struct chip *chip)
{
	return chip_number(e, chip) * e->layout.dies;
}

/* The die of the token, which then advances. */
static uint32_t static_next_die(const struct engine *e, struct chip *chip)
{
	return first_die(e, chip) + advance(&chip->token, e->layout.dies);
}

static uint32_t die_of_slot(const struct engine *e, uint32_t i)
{
	return e->slot[i].plane / e->layout.planes;
}

static uint32_t slots_on_die(const struct engine *e, uint32_t n, uint32_t die)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += die_of_slot(e, i) == die;
	return count;
}

/* One write alone, on its own plane. */
static void static_program_one(struct engine *e, struct chip *chip)
{
	legacy_place_active(e, &e->slot[0]);
	legacy_program(e, chip, 1, TIMING_CHAINED);
}

/* Programs the write of slot i; the others go back. */
static void program_only(struct engine *e, struct chip *chip, uint32_t n, uint32_t i)
{
	for (uint32_t j = 0; j < n; j++)
		e->slot[j].refused = j != i;
	legacy_drop_refused(e, n);
	static_program_one(e, chip);
}

/* On every die the first write decides the block and page number of the others. */
static void program_level(struct engine *e, struct chip *chip, uint32_t n)
{
	uint32_t base = 0, level = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || die_of_slot(e, i) != die_of_slot(e, base)) {
			base = i;
			legacy_place_active(e, &e->slot[i]);
			continue;
		}
		e->slot[i].refused = !legacy_level(e, &e->slot[base], &e->slot[i], false);
		level += !e->slot[i].refused;
	}
	legacy_program(e, chip, n, level ? TIMING_PARALLEL : TIMING_CHAINED);
}

/* Moves the die's token behind the next plane that has a slot.  Returns that slot, n if there is none. */
static uint32_t probe_planes(struct engine *e, uint32_t n, uint32_t die)
{
	uint32_t planes = e->layout.planes;

	for (uint32_t tries = 0; tries < planes; tries++) {
		uint32_t plane = die * planes + advance(&e->die_token[die], planes);

		for (uint32_t i = 0; i < n; i++)
			if (e->slot[i].plane == plane)
				return i;
	}
	return n;
}

/* Programs one write of every die, the first in plane order.  The token has a partial effect: the plane after
 * the one it finds is skipped. */
static void static_program_interleaved(struct engine *e, struct chip *chip, uint32_t n)
{
	uint32_t die = first_die(e, chip), end = die + e->layout.dies, dies = 0, last = NONE;

	for (; die < end; die++) {
		uint32_t chosen, behind;

		if (!slots_on_die(e, n, die))
			continue;
		chosen = probe_planes(e, n, die);
		behind = die * e->layout.planes + e->die_token[die];
		dies++;
		for (uint32_t i = 0; i < n; i++)
			if (e->slot[i].plane == behind)
				e->slot[i].refused = i != chosen;
	}
	n = legacy_drop_refused(e, n);
	if (dies < 2) {
		program_only(e, chip, n, 0);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		e->slot[i].refused = die_of_slot(e, i) == last;
		last = die_of_slot(e, i);
		if (!e->slot[i].refused)
			legacy_place_active(e, &e->slot[i]);
	}
	e->count.interleaves++;
	legacy_program(e, chip, n, TIMING_CHAINED);
}

/* Two writes of one die that can program together, and others level with the first; without such a pair the
 * first alone. */
static void program_die(struct engine *e, struct chip *chip, uint32_t n)
{
	bool paired = false;

	for (uint32_t i = 1; i < n; i++) {
		bool placed = paired ? legacy_level(e, &e->slot[0], &e->slot[i], false)
				     : legacy_pair(e, &e->slot[0], &e->slot[i], false);

		paired |= placed;
		e->slot[i].refused = !placed;
	}
	if (paired)
		legacy_program(e, chip, n, TIMING_TWO_PLANE);
	else
		program_only(e, chip, n, 0);
}

/* The first die from the token on with more than one write programs two planes.  If there is none, the token
 * goes round once more, and the write found on the last occupied die is programmed alone. */
static void static_program_two_plane(struct engine *e, struct chip *chip, uint32_t n)
{
	uint32_t dies = e->layout.dies, found = 0;

	for (uint32_t tries = 0; tries < dies; tries++) {
		uint32_t die = static_next_die(e, chip);

		if (slots_on_die(e, n, die) < 2)
			continue;
		for (uint32_t i = 0; i < n; i++)
			e->slot[i].refused = die_of_slot(e, i) != die;
		program_die(e, chip, legacy_drop_refused(e, n));
		return;
	}
	for (uint32_t tries = 0; tries < dies; tries++) {
		uint32_t die = static_next_die(e, chip);

		if (slots_on_die(e, n, die))
			found = probe_planes(e, n, die);
	}
	program_only(e, chip, n, found);
}

/* A single write: the tokens advance until they reach it. */
static void program_single(struct engine *e, struct chip *chip)
{
	while (static_next_die(e, chip) != die_of_slot(e, 0))
		;
	probe_planes(e, 1, die_of_slot(e, 0));
	static_program_one(e, chip);
}

static bool static_program_many(struct engine *e, struct chip *chip)
{
	uint32_t plane = first_die(e, chip) * e->layout.planes, n = 0;

	for (uint32_t i = 0; i < e->layout.planes_per_chip; i++, plane++) {
		uint32_t write = legacy_lane_take(e, plane);

		if (write != NONE)
			e->slot[n++] = (struct slot){ .write = write, .plane = plane };
	}
	if (n == 0)
		return false;
	if (n == 1 && e->copy_back)
		static_program_one(e, chip);
	else if (n == 1)
		program_single(e, chip);
	else if (e->copy_back || (e->interleave && e->two_plane))
		program_level(e, chip, n);
	else if (e->interleave)
		static_program_interleaved(e, chip, n);
	else
		static_program_two_plane(e, chip, n);
	return true;
}

/* Has the write become partial while it waited?  Another write of its page added sectors. */
static bool lacks_sectors(const struct engine *e, const struct slot *s)
{
	const struct write *w = write_at(e, s->write);

	return record_get(&e->map, w->lpn).mask & ~w->mask;
}

static void count_late_update(struct engine *e)
{
	e->count.reads++;
	e->count.update_reads++;
}

/* Reads the page into the register first. */
static void program_late_update(struct engine *e, struct chip *chip)
{
	const struct write *w = write_at(e, e->slot[0].write);
	uint32_t missing = legacy_mask_sectors(record_get(&e->map, w->lpn).mask ^ w->mask);
	int64_t end =
		e->now + legacy_program_ns(e, e->slot[0].write) + e->p->t_r + missing * (uint32_t)e->p->t_rc;

	count_late_update(e);
	legacy_place_active(e, &e->slot[0]);
	legacy_program_until(e, chip, end);
}

/* Greedy copy-back needs a page of the old one's parity and skips pages until it has one. */
static void place_with_parity(struct engine *e, struct slot *s, uint32_t old)
{
	bool placed = legacy_place_active(e, s);

	while (placed && (ppn_of(e, s->plane, s->block, s->page) ^ old) & 1) {
		placed = legacy_place_active(e, s);
		e->count.programs--;
		e->count.writes--;
		e->count.wasted++;
	}
	if (!placed)
		legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED, "no free page for a greedy copy-back");
}

static void program_copy_back(struct engine *e, struct chip *chip)
{
	struct slot *s = &e->slot[0];
	const struct write *w = write_at(e, s->write);
	uint32_t old = record_get(&e->map, w->lpn).number;
	uint32_t data = (uint32_t)legacy_program_ns(e, s->write) - e->write_ns;
	int64_t end = e->now + 19 * e->p->t_wc + e->p->t_r + data;

	if (e->p->greed_copy_back == 1)
		place_with_parity(e, s, old);
	else
		legacy_place_active(e, s);
	count_late_update(e);
	if ((ppn_of(e, s->plane, s->block, s->page) ^ old) & 1)
		end = e->now + e->write_ns + e->p->t_r +
		      legacy_mask_sectors(record_get(&e->map, w->lpn).mask) * (uint32_t)e->p->t_rc + data;
	else
		e->count.copy_backs++;
	legacy_program_until(e, chip, end);
}

/* The plane of a die whose oldest write is the oldest of the die, NONE. */
static uint32_t oldest_lane(const struct engine *e, uint32_t die)
{
	uint32_t best = NONE;

	for (uint32_t p = die * e->layout.planes; p < (die + 1) * e->layout.planes; p++) {
		uint32_t head = e->lane[p].writes.first;

		if (head == NONE)
			continue;
		if (best == NONE || legacy_earlier(write_at(e, head)->sequence,
					    write_at(e, e->lane[best].writes.first)->sequence))
			best = p;
	}
	return best;
}

/* Without interleave and two-plane commands; update reads delay nothing here. */
static bool static_program_plain(struct engine *e, struct chip *chip)
{
	uint32_t die = first_die(e, chip), plane = NONE;

	for (uint32_t d = 0; d < e->layout.dies && plane == NONE; d++)
		plane = oldest_lane(e, die + d);
	if (plane == NONE)
		return false;
	e->slot[0] = (struct slot){ .write = legacy_lane_take(e, plane), .plane = plane };
	if (!lacks_sectors(e, &e->slot[0]))
		static_program_one(e, chip);
	else if (e->copy_back)
		program_copy_back(e, chip);
	else
		program_late_update(e, chip);
	return true;
}

bool legacy_write_static(struct engine *e, uint32_t channel)
{
	bool plain = !e->interleave && !e->two_plane;

	for (uint32_t h = 0; h < e->layout.chips && e->channel[channel].writes; h++) {
		struct chip *chip = &e->chip[channel * e->layout.chips + h];

		if (chip_idle(e, chip) && (plain ? static_program_plain : static_program_many)(e, chip))
			return true;
	}
	return false;
}
