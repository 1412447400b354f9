/*
 * Patient: the block with the fewest live slots, of equal ones the one with the lowest number.  Two kinds of
 * blocks are deferred:
 *
 *   - blocks of mapping pages, until at most an eighth of their slots is live, since mapping pages are likely
 *     to be written again soon.  They are not deferred if there is no block of data, or if free blocks are
 *     scarce (fewer than half of gc.low) and at most half of the slots of the best one is live;
 *   - for the same reason the block that a stream filled last, until the stream opens the next one.
 */
#include "base/memory.h"
#include "gc/collect.h"
#include "gc/rings.h"

struct patient {
	struct rings rings;
	/* per plane and stream: the block it filled last; BLOCK_NONE once that is no candidate */
	block_t *filled;
};

static block_t *patient_filled_last(const struct gc_policy *policy, block_t b)
{
	const struct space *s = policy->space;
	const struct patient *p = policy->state;

	return &p->filled[geometry_plane(s->geometry, b) * STREAMS_MOST + s->block[b].stream];
}

static void patient_init(struct gc_policy *policy)
{
	struct patient *p = policy->state;
	uint32_t streams = policy->space->geometry->planes * STREAMS_MOST;

	rings_create(policy, true);
	p->filled = memory_array(streams, sizeof *p->filled, "blocks filled last");
	for (uint32_t i = 0; i < streams; i++)
		p->filled[i] = BLOCK_NONE;
}

static void patient_exit(struct gc_policy *policy)
{
	struct patient *p = policy->state;

	memory_free(p->filled);
	rings_exit(policy);
}

static void patient_add(struct gc_policy *policy, block_t b)
{
	rings_add(policy, b);
	*patient_filled_last(policy, b) = b;
}

static void patient_remove(struct gc_policy *policy, block_t b)
{
	rings_remove(policy, b);
	if (*patient_filled_last(policy, b) == b)
		*patient_filled_last(policy, b) = BLOCK_NONE;
}

static const struct state_row patient_state[] = {
	STATE_STRUCT(struct patient, rings, rings_state),
	STATE_NUMBERS(struct patient, filled),
	{ 0 },
};

/* Its stream filled it last, has no open block, and is not the one that is about to open one. */
static bool patient_defers(const struct gc_policy *policy, plane_t plane, block_t b)
{
	const struct space *s = policy->space;
	unsigned stream = s->block[b].stream;

	return *patient_filled_last(policy, b) == b && stream != policy->stream &&
	       s->plane[plane].open[stream].block == BLOCK_NONE;
}

static bool patient_prefers(const struct space *s, block_t b, block_t than)
{
	uint32_t live = space_live_slots(s, b), other = than == BLOCK_NONE ? 0 : space_live_slots(s, than);

	return than == BLOCK_NONE || live < other || (live == other && b < than);
}

/* The best block of a set; `all`: deferred ones included.  It is in the lowest ring with a block to choose
 * from, since the rings are in order of the pages that live slots fill. */
static block_t patient_best(struct gc_policy *policy, plane_t plane, uint32_t set, bool all)
{
	const struct space *s = policy->space;
	const struct rings *r = policy->state;
	const struct ranks *ranks = &r->ranks[plane * r->sets + set];
	block_t best = BLOCK_NONE;

	if (rings_first(policy, plane, set) == BLOCK_NONE)
		return BLOCK_NONE;
	for (uint32_t live = ranks->lowest; live < s->block_pages && best == BLOCK_NONE; live++)
		for (uint32_t b = r->link[ranks->head + live].next; b != ranks->head + live;
			b = r->link[b].next)
			if ((all || !patient_defers(policy, plane, b)) && gc_reclaimable(policy, b) &&
				patient_prefers(s, b, best))
				best = b;
	return best;
}

static block_t patient_choose(struct gc_policy *policy, plane_t plane, bool all)
{
	const struct space *s = policy->space;
	uint32_t slots = s->geometry->pages_per_block << s->slot_shift;
	block_t data = patient_best(policy, plane, RINGS_DATA, all);
	block_t map = patient_best(policy, plane, RINGS_MAP, all);
	bool scarce = blocks_left(s->blocks, plane) < policy->settings->low / 2;

	if (map == BLOCK_NONE || data == BLOCK_NONE)
		return map == BLOCK_NONE ? data : map;
	if (space_live_slots(s, map) <= slots / 8 && patient_prefers(s, map, data))
		return map;
	return scarce && space_live_slots(s, map) <= slots / 2 ? map : data;
}

static block_t patient_pick(struct gc_policy *policy, plane_t plane)
{
	block_t best = patient_choose(policy, plane, false);

	return best == BLOCK_NONE ? patient_choose(policy, plane, true) : best;
}

const struct gc_policy_ops gc_patient = {
	.name = "patient",
	.brief = "the block with the least live data; blocks of mapping pages only when few of these are "
		 "live",
	.size = sizeof(struct patient),
	.init = patient_init,
	.exit = patient_exit,
	.add = patient_add,
	.changed = rings_changed,
	.remove = patient_remove,
	.state = patient_state,
	.check = rings_check,
	.pick = patient_pick,
};
