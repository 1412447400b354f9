/*
 * Patient: fewest live slots, the lowest block of equals; but blocks of mapping pages wait until at most an eighth of
 * them is live, since what is live there is going to be written again soon.  They wait no longer when free blocks
 * become scarce (fewer than half of gc.low) and half of the emptiest is dead, or when there is nothing else.  For the
 * same reason a block that was just filled waits until its stream opens the next.
 */
#include "base/memory.h"
#include "gc/collect.h"
#include "gc/rings.h"

/* Sets of rings. */
enum { DATA, MAP };

struct patient {
	struct rings rings;
	block_t *filled; /* per plane and stream: the block that it filled last, BLOCK_NONE if that is gone */
};

static block_t *filled_by(const struct gc_policy *policy, block_t b)
{
	const struct space *s = policy->space;

	return &((struct patient *)policy->state)
			->filled[geometry_plane(s->geometry, b) * STREAMS_MOST + s->block[b].stream];
}

static uint32_t set_of(const struct gc_policy *policy, block_t b)
{
	return space_stream(policy->space, b)->map ? MAP : DATA;
}

static void patient_init(struct gc_policy *policy)
{
	struct patient *p = policy->state;
	uint32_t streams = policy->space->geometry->planes * STREAMS_MOST;

	rings_create(policy, 2, set_of);
	p->filled = memory_array(streams, sizeof *p->filled, "blocks filled last");
	for (uint32_t i = 0; i < streams; i++)
		p->filled[i] = BLOCK_NONE;
}

static void patient_exit(struct gc_policy *policy)
{
	memory_free(((struct patient *)policy->state)->filled);
	rings_exit(policy);
}

static void patient_closed(struct gc_policy *policy, block_t b)
{
	rings_closed(policy, b);
	*filled_by(policy, b) = b;
}

static void patient_opened(struct gc_policy *policy, block_t b)
{
	rings_opened(policy, b);
	if (*filled_by(policy, b) == b)
		*filled_by(policy, b) = BLOCK_NONE;
}

static const struct state_row patient_state[] = {
	STATE_STRUCT(struct patient, rings, rings_state),
	STATE_VALUES(struct patient, filled, INDEX, GEOMETRY(blocks)),
	{ 0 },
};

/* Its stream has filled it last, has opened no other since and is not about to. */
static bool waits(const struct gc_policy *policy, plane_t plane, block_t b)
{
	const struct space *s = policy->space;
	unsigned stream = s->block[b].stream;

	return *filled_by(policy, b) == b && stream != policy->stream &&
	       s->plane[plane].open[stream].block == BLOCK_NONE;
}

static bool is_before(const struct space *s, block_t b, block_t than)
{
	uint32_t live = space_live_slots(s, b), other = than == BLOCK_NONE ? 0 : space_live_slots(s, than);

	return than == BLOCK_NONE || live < other || (live == other && b < than);
}

/* The first of a set; of those that wait, too, if `all`.  Fewest live slots are fewest pages that they fill: the lowest
 * ring that holds a candidate has it. */
static block_t first_of(struct gc_policy *policy, plane_t plane, uint32_t set, bool all)
{
	const struct space *s = policy->space;
	const struct rings *r = policy->state;
	const struct ranks *ranks = &r->ranks[plane * r->sets + set];
	block_t best = BLOCK_NONE;

	if (rings_first(policy, plane, set) == BLOCK_NONE)
		return BLOCK_NONE;
	for (uint32_t live = ranks->lowest; live < s->geometry->pages_per_block && best == BLOCK_NONE; live++)
		for (uint32_t b = r->link[ranks->head + live].next; b != ranks->head + live;
			b = r->link[b].next)
			if ((all || !waits(policy, plane, b)) && is_before(s, b, best))
				best = b;
	return best;
}

static block_t choose(struct gc_policy *policy, plane_t plane, bool all)
{
	const struct space *s = policy->space;
	uint32_t slots = s->geometry->pages_per_block << s->slot_shift;
	block_t best = first_of(policy, plane, DATA, all), map = first_of(policy, plane, MAP, all);

	if (map == BLOCK_NONE || best == BLOCK_NONE)
		return map == BLOCK_NONE ? best : map;
	if (space_live_slots(s, map) <= slots / 8 && is_before(s, map, best))
		return map;
	return blocks_left(s->blocks, plane) < policy->settings->low / 2 &&
			       space_live_slots(s, map) <= slots / 2
		       ? map
		       : best;
}

static block_t patient_pick(struct gc_policy *policy, plane_t plane)
{
	block_t best = choose(policy, plane, false);

	return best == BLOCK_NONE ? choose(policy, plane, true) : best;
}

const struct gc_policy_ops gc_patient = {
	.name = "patient",
	.brief = "the block with the least live data; mapping pages wait until few of their block are live",
	.size = sizeof(struct patient),
	.init = patient_init,
	.exit = patient_exit,
	.closed = patient_closed,
	.dropped = rings_dropped,
	.opened = patient_opened,
	.state = patient_state,
	.check = rings_check,
	.pick = patient_pick,
};
