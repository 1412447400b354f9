/* Greedy: the block with the fewest live pages; among equals the one that reached this number first. */
#include "gc/rings.h"

static void greedy_init(struct gc_policy *policy)
{
	rings_create(policy, false);
}

static block_t greedy_pick(struct gc_policy *policy, plane_t plane)
{
	block_t best = rings_first(policy, plane, RINGS_DATA);

	while (best != BLOCK_NONE && !gc_reclaimable(policy, best) &&
		space_live(policy->space, best) < policy->space->block_pages)
		best = rings_behind(policy, plane, RINGS_DATA, best);
	return best != BLOCK_NONE && gc_reclaimable(policy, best) ? best : BLOCK_NONE;
}

const struct gc_policy_ops gc_greedy = {
	.name = "greedy",
	.brief = "the block with the fewest live pages, in constant time",
	.size = sizeof(struct rings),
	.init = greedy_init,
	.exit = rings_exit,
	.add = rings_add,
	.changed = rings_changed,
	.remove = rings_remove,
	.state = rings_state,
	.check = rings_check,
	.pick = greedy_pick,
};
