/*
 * Greedy: the block with the fewest live pages, the one that became so first among equals.
 */
#include "gc/rings.h"

static void greedy_init(struct gc_policy *policy)
{
	rings_create(policy, 1, NULL);
}

static block_t greedy_pick(struct gc_policy *policy, plane_t plane)
{
	block_t best = rings_first(policy, plane, 0);

	/* One without a dead page wins nothing. */
	return best != BLOCK_NONE && gc_reclaimable(policy, best) ? best : BLOCK_NONE;
}

const struct gc_policy_ops gc_greedy = {
	.name = "greedy",
	.brief = "the block with the fewest live pages, in constant time",
	.size = sizeof(struct rings),
	.init = greedy_init,
	.exit = rings_exit,
	.closed = rings_closed,
	.dropped = rings_dropped,
	.opened = rings_opened,
	.state = rings_state,
	.check = rings_check,
	.pick = greedy_pick,
};
