/*
 * Patient: fewest live slots, the lowest block of equals; but blocks of mapping pages wait until at most an eighth of
 * them is live, since what is live there is going to be written again soon.  They wait no longer when free blocks
 * become scarce (fewer than half of gc.low) and half of the emptiest is dead, or when there is nothing else.  For the
 * same reason a block that was just filled waits until its stream has opened the next.
 */
#include "gc/collect.h"

/* It has no index: the blocks of a plane are few beside the pages of a victim, and looked at in their order. */
struct patient {
	char nothing;
};

static void nothing(struct gc_policy *policy)
{
	(void)policy;
}

static void nothing_of_block(struct gc_policy *policy, block_t b)
{
	(void)policy;
	(void)b;
}

static void no_regions(struct gc_policy *policy, struct regions *r)
{
	(void)policy;
	(void)r;
}

static bool always(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	(void)policy;
	(void)plane;
	(void)closed;
	return true;
}

static bool is_less(const struct space *s, block_t b, block_t than)
{
	return than == BLOCK_NONE || space_live_slots(s, b) < space_live_slots(s, than);
}

/* The block that each stream has filled last, if it has opened no other since and is not about to; else BLOCK_NONE. */
static void find_newest(const struct gc_policy *policy, plane_t plane, block_t *newest)
{
	const struct space *s = policy->space;
	block_t first = plane * s->geometry->blocks_per_plane;

	for (unsigned stream = 0; stream < STREAMS_MOST; stream++)
		newest[stream] = BLOCK_NONE;
	for (block_t b = first; b < first + s->geometry->blocks_per_plane; b++) {
		block_t *other = &newest[s->block[b].stream];

		if (s->block[b].state == BLOCK_CLOSED && s->block[b].stream != policy->stream &&
			s->plane[plane].open[s->block[b].stream].block == BLOCK_NONE &&
			(*other == BLOCK_NONE || s->block[b].stamp > s->block[*other].stamp))
			*other = b;
	}
}

/* Of all closed blocks but these. */
static block_t choose(struct gc_policy *policy, plane_t plane, const block_t *newest)
{
	const struct space *s = policy->space;
	const struct geometry *g = s->geometry;
	uint32_t slots = g->pages_per_block << s->slot_shift;
	block_t first = plane * g->blocks_per_plane, best = BLOCK_NONE, map = BLOCK_NONE;

	for (block_t b = first; b < first + g->blocks_per_plane; b++) {
		bool is_map;

		if (s->block[b].state != BLOCK_CLOSED || !gc_reclaimable(policy, b) ||
			(newest && newest[s->block[b].stream] == b))
			continue;
		is_map = space_stream(s, b)->map;
		if (is_map && is_less(s, b, map))
			map = b;
		if ((!is_map || space_live_slots(s, b) <= slots / 8) && is_less(s, b, best))
			best = b;
	}
	if (map == BLOCK_NONE || best == BLOCK_NONE)
		return map == BLOCK_NONE ? best : map;
	return blocks_left(s->blocks, plane) < policy->settings->low / 2 &&
			       space_live_slots(s, map) <= slots / 2
		       ? map
		       : best;
}

static block_t patient_pick(struct gc_policy *policy, plane_t plane)
{
	block_t newest[STREAMS_MOST], best;

	find_newest(policy, plane, newest);
	best = choose(policy, plane, newest);
	return best == BLOCK_NONE ? choose(policy, plane, NULL) : best;
}

const struct gc_policy_ops gc_patient = {
	.name = "patient",
	.brief = "the block with the least live data; mapping pages wait until few of their block are live",
	.size = sizeof(struct patient),
	.init = nothing,
	.exit = nothing,
	.closed = nothing_of_block,
	.opened = nothing_of_block,
	.regions = no_regions,
	.check = always,
	.pick = patient_pick,
};
