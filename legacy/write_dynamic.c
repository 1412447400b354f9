#include "legacy/engine.h"

static uint32_t dynamic_next_die(const struct engine *e, const struct chip *chip)
{
	return chip_number(e, chip) * e->layout.dies + chip->token;
}

static void advance_die(const struct engine *e, struct chip *chip)
{
	advance(&chip->token, e->layout.dies);
}

/* Puts a write on the next plane of the next die.  The caller advances to the die after it. */
static bool place_by_tokens(struct engine *e, const struct chip *chip, struct slot *s)
{
	uint32_t die = dynamic_next_die(e, chip), planes = e->layout.planes;

	s->plane = die * planes + advance(&e->die_token[die], planes);
	return legacy_place_active(e, s);
}

/* How many writes one command may take.  SSDsim should divide the waiting writes among the channels, but
 * counts down from 0: the first command takes one, all others any number. */
static uint32_t command_limit(const struct engine *e)
{
	uint32_t limit = e->layout.planes_per_chip, gate;

	if (!e->gated)
		return limit;
	gate = quirk_kept(e, Q12_FIRST_ISSUE_GATE) ? e->gate : e->queued_writes;
	gate = gate / e->layout.channels + (gate % e->layout.channels != 0);
	if (gate < 1)
		gate = 1;
	return gate < limit ? gate : limit;
}

/* Prefetches the records of the old pages of the n writes, and the map entries and requests of the n writes
 * after them: they are far apart in memory. */
static inline void prefetch_pages(const struct engine *e, uint32_t lane, uint32_t n)
{
	uint32_t waiting = e->lane[lane].writes.first;

	for (uint32_t i = 0; i < n; i++)
		records_prefetch(&e->spare, e->map.number[write_at(e, e->slot[i].write)->lpn], 1);
	for (uint32_t i = 0; i < n && waiting != NONE; i++) {
		const struct write *w = write_at(e, waiting);

		records_prefetch(&e->map, w->lpn, 1);
		prefetch(request_at(e, w->request));
		waiting = w->next;
	}
}

static uint32_t take_writes(struct engine *e, uint32_t lane, uint32_t limit)
{
	uint32_t n = 0, write;

	while (n < limit && (write = legacy_lane_take(e, lane)) != NONE)
		e->slot[n++] = (struct slot){ .write = write };
	prefetch_pages(e, lane, n);
	return n;
}

/* One page alone. */
static void dynamic_program_one(struct engine *e, struct chip *chip)
{
	place_by_tokens(e, chip, &e->slot[0]);
	advance_die(e, chip);
	legacy_program(e, chip, 1, TIMING_CHAINED);
}

/* Interleave, with two-plane commands if allowed: one page on every die in turn, further ones level with
 * those. */
static void dynamic_program_interleaved(struct engine *e, struct chip *chip, uint32_t n)
{
	uint32_t bases = n < e->layout.dies ? n : e->layout.dies;
	uint32_t level = 0;

	for (uint32_t i = 0; i < bases; i++) {
		place_by_tokens(e, chip, &e->slot[i]);
		advance_die(e, chip);
	}
	for (uint32_t i = bases; i < n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is a page, and a chip has dies */
		e->slot[i].refused = !legacy_level(e, &e->slot[i % bases], &e->slot[i], true);
		level += !e->slot[i].refused;
		if (quirk_kept(e, Q32_DIE_SKEW))
			advance_die(e, chip);
	}
	e->count.interleaves++;
	legacy_program(e, chip, n, level ? TIMING_PARALLEL : TIMING_CHAINED);
}

/* Two planes of the next die, further ones level with the first. */
static void dynamic_program_two_plane(struct engine *e, struct chip *chip, uint32_t n)
{
	bool level = true;

	e->slot[0].plane = dynamic_next_die(e, chip) * e->layout.planes;
	if (!legacy_pair(e, &e->slot[0], &e->slot[1], true)) {
		legacy_drop_beyond(e, n, 1);
		dynamic_program_one(e, chip);
		return;
	}
	for (uint32_t i = 2; i < n; i++) {
		level = level && legacy_level(e, &e->slot[0], &e->slot[i], true);
		e->slot[i].refused = !level;
	}
	advance_die(e, chip);
	legacy_program(e, chip, n, TIMING_TWO_PLANE);
}

/* Forms the widest command the settings allow; false if no write can go. */
static bool dynamic_program_many(struct engine *e, struct chip *chip, uint32_t lane)
{
	uint32_t limit = command_limit(e), n;

	if (!e->interleave && e->layout.planes == 1 && !quirk_kept(e, Q13_ONE_PLANE_LIVELOCK))
		limit = 1;
	n = take_writes(e, lane, limit);
	if (n == 0)
		return false;
	if (n > 1 && !e->interleave && e->layout.planes == 1) {
		legacy_stop(e, Q13_ONE_PLANE_LIVELOCK, LEGACY_REFUSED,
			"'advanced command' asks for two-plane commands on dies of one plane");
		return true;
	}
	if (n == 1)
		dynamic_program_one(e, chip);
	else if (e->interleave)
		dynamic_program_interleaved(
			e, chip, e->two_plane ? n : legacy_drop_beyond(e, n, e->layout.dies));
	else
		dynamic_program_two_plane(e, chip, legacy_drop_beyond(e, n, e->layout.planes));
	return true;
}

/* Without advanced commands; false if no write can go. */
static bool dynamic_program_plain(struct engine *e, struct chip *chip, uint32_t lane)
{
	if (!take_writes(e, lane, 1))
		return false;
	if (!place_by_tokens(e, chip, &e->slot[0]))
		legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED, "a plane has no free page for a write");
	legacy_program(e, chip, 1, TIMING_CHAINED);
	return true;
}

bool legacy_write_dynamic(struct engine *e, uint32_t channel)
{
	struct channel *c = &e->channel[channel];
	uint32_t lane = e->p->dynamic_allocation == 1 ? channel : 0;
	bool plain = !e->interleave && !e->two_plane, issued;

	for (uint32_t tries = 0; tries < e->layout.chips; tries++) {
		struct chip *chip = &e->chip[channel * e->layout.chips + c->token];
		bool idle = chip_idle(e, chip);

		if (!(e->per_channel ? c->writes : e->queued_writes))
			return false;
		issued = idle && (plain ? dynamic_program_plain : dynamic_program_many)(e, chip, lane);
		if (idle && plain && !issued)
			return false;
		if (idle && (plain || !issued || quirk_kept(e, Q32_DIE_SKEW)))
			advance_die(e, chip);
		advance(&c->token, e->layout.chips);
		if (issued)
			return true;
	}
	return false;
}
