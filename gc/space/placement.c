#include "gc/space/placement.h"

#include "base/memory.h"
#include "flash/schedule.h"

#include <string.h>

static const char *const placement_names[] = { "least_loaded", "round_robin", "static", "superblock", NULL };
static const char *const placement_superblock_names[] = { "die", "drive", "unit", NULL };

const struct param placement_params[] = {
	{ PARAM(CHOICE, struct placement_settings, policy), 0, 0, "", "least_loaded",
		"where a page is written: the die with the least work, planes in turn, by logical page "
		"number, or the planes of a die one after another, so that they stay at the same offset",
		placement_names },
	{ PARAM(CHOICE, struct placement_settings, superblock), 0, 0, "", "die",
		"die on which superblock placement continues: die = the one with the least work; drive = "
		"the next one, so that all dies stay at the same offset; unit = the next one, and the blocks "
		"of one number in all planes are opened, collected and erased together",
		placement_superblock_names },
	{ PARAM(TEXT, struct placement_settings, order), 0, 0, "", "CWDP",
		"striping order of channel (C), way = chip (W), die (D) and plane (P); the first varies "
		"fastest" },
	{ 0 },
};

const struct refusal placement_refusals[] = {
	{ "placement.superblock", "@units", "ftl", "@collects_nothing", NEEDS_COLLECTION("units need") },
	{ "placement.superblock", "@units", "gc.together", "gc.together=die",
		"collects planes; a unit is collected as a whole: set gc.together = plane" },
	{ "placement.superblock", "@units", "ftl", "@divides_data",
		"opens blocks of a plane; set placement.superblock = drive" },
	{ 0 },
};

static bool placement_is_permutation(const char *order)
{
	return strlen(order) == 4 && strchr(order, 'C') && strchr(order, 'W') && strchr(order, 'D') &&
	       strchr(order, 'P');
}

/* The plane at a position of the striping order, whose mixed-radix digits are the plane's coordinates. */
static plane_t placement_plane_at(const struct geometry *g, const char *order, uint32_t position)
{
	const uint32_t size[] = { g->channels, g->chips_per_channel, g->dies_per_chip, g->planes_per_die };
	uint32_t digit[4] = { 0 }, plane = 0;

	for (; *order; order++) {
		size_t of = strcspn("CWDP", (char[]){ *order, '\0' });

		digit[of] = position % size[of];
		position /= size[of];
	}
	for (size_t i = 0; i < 4; i++)
		plane = plane * size[i] + digit[i];
	return plane;
}

bool placement_init(struct placement *p, const struct flash *flash, const struct placement_settings *settings,
	struct fault *fault)
{
	const struct geometry *g = flash->geometry;
	uint32_t dies = 0;

	if (!placement_is_permutation(settings->order))
		return fault_set(fault,
			"placement.order = \"%s\" is not an order of the letters C, W, D and P, such as "
			"\"CWDP\"",
			settings->order);
	*p = (struct placement){
		.geometry = g,
		.flash = flash,
		.policy = (enum placement_policy)settings->policy,
		.superblock = (enum superblock_reach)settings->superblock,
		.positions = settings->policy == PLACE_ROUND_ROBIN ? g->planes : g->dies,
	};
	p->plane = memory_array(g->planes, sizeof *p->plane, "striping order");
	p->position = memory_array(g->planes, sizeof *p->position, "striping order");
	p->die = memory_array(g->dies, sizeof *p->die, "striping order");
	p->turn = memory_array(g->dies, sizeof *p->turn, "striping order");
	for (uint32_t i = 0; i < g->planes; i++) {
		p->plane[i] = placement_plane_at(g, settings->order, i);
		p->position[p->plane[i]] = i;
		if (p->plane[i] % g->planes_per_die == 0)
			p->die[dies++] = p->plane[i] / g->planes_per_die;
	}
	schedule_line_up(flash->schedule, p->die);
	return true;
}

void placement_release(struct placement *p)
{
	memory_free(p->plane);
	memory_free(p->position);
	memory_free(p->die);
	memory_free(p->turn);
}

static const struct state_row placement_stripe_state[] = {
	STATE_NUMBER(struct placement_stripe, at),
	STATE_NUMBER(struct placement_stripe, left),
	{ 0 },
};

const struct state_row placement_state[] = {
	STATE_FIXED(geometry, flash, policy, positions, plane, position, die, superblock),
	STATE_NUMBERS(struct placement, turn),
	STATE_STRUCTS(struct placement, stripe, placement_stripe_state),
	STATE_NUMBER(struct placement, cursor),
	{ 0 },
};

/* The first die from the cursor on with the least work, as a number in striping order. */
static uint32_t placement_least_loaded(struct placement *p)
{
	uint32_t best = schedule_least_loaded(p->flash->schedule, p->cursor);

	p->cursor = best + 1 == p->geometry->dies ? 0 : best + 1;
	return best;
}

static plane_t placement_next_plane(struct placement *p, die_t die)
{
	uint32_t planes = p->geometry->planes_per_die, turn = p->turn[die] + 1;

	turn *= turn < planes; /* branch-free: dies come up in random order */
	p->turn[die] = turn;
	return die * planes + turn;
}

/* Each stream has its own superblock. */
static plane_t placement_in_step(struct placement *p, unsigned stream)
{
	struct placement_stripe *s = &p->stripe[stream];
	uint32_t planes = p->geometry->planes_per_die;

	if (p->superblock == SUPERBLOCK_UNIT)
		return 0;
	if (!s->left) {
		if (p->superblock == SUPERBLOCK_DIE)
			s->at = placement_least_loaded(p);
		else
			s->at = (s->at + 1) % p->geometry->dies;
		s->left = planes;
	}
	return p->die[s->at] * planes + planes - s->left--;
}

plane_t placement_choose(struct placement *p, lpn_t lpn, unsigned stream)
{
	switch (p->policy) {
	case PLACE_LEAST_LOADED:
		return placement_next_plane(p, p->die[placement_least_loaded(p)]);
	case PLACE_SUPERBLOCK:
		return placement_in_step(p, stream);
	case PLACE_ROUND_ROBIN:
		if (++p->cursor >= p->geometry->planes)
			p->cursor = 0;
		return p->plane[p->cursor];
	default:
		return p->plane[lpn % p->geometry->planes];
	}
}

plane_t placement_after(const struct placement *p, plane_t plane)
{
	uint32_t position = p->position[plane] + 1;

	return p->plane[position == p->geometry->planes ? 0 : position];
}
