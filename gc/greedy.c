/*
 * Greedy: the block with the fewest live pages, the one that became so first among equals.
 * Candidates of a plane hang in one ring per number of live pages; a page that dies moves its
 * block down one ring, so the choice costs O(1).
 */
#include "base/memory.h"
#include "base/ranks.h"
#include "gc/policy.h"

struct greedy {
	struct link *link;   /* of the blocks; the heads of the rings follow */
	struct ranks *ranks; /* per plane: live pages 0 .. pages per block */
};

static uint32_t links_of(const struct geometry *g)
{
	return g->blocks + g->planes * (g->pages_per_block + 1);
}

static void greedy_init(struct gc_policy *policy)
{
	const struct geometry *geometry = policy->space->geometry;
	struct greedy *g = policy->state;
	uint32_t rings = geometry->pages_per_block + 1;

	g->ranks = memory_array(geometry->planes, sizeof *g->ranks, "greedy victim index");
	g->link = memory_array(links_of(geometry), sizeof *g->link, "greedy victim index");
	policy->link = g->link;
	for (plane_t plane = 0; plane < geometry->planes; plane++)
		g->ranks[plane] =
			ranks_create(ARRAY_ELEMENTS(g->link), geometry->blocks + plane * rings, rings);
}

static void greedy_exit(struct gc_policy *policy)
{
	struct greedy *g = policy->state;

	memory_free(g->ranks);
	memory_free(g->link);
}

static void greedy_closed(struct gc_policy *policy, block_t b)
{
	struct greedy *g = policy->state;

	ranks_add(&g->ranks[geometry_plane(policy->space->geometry, b)], ARRAY_ELEMENTS(g->link),
		space_live(policy->space, b), b);
}

static void greedy_opened(struct gc_policy *policy, block_t b)
{
	struct greedy *g = policy->state;

	list_remove(ARRAY_ELEMENTS(g->link), b);
}

static void greedy_dropped(struct gc_policy *policy, block_t b)
{
	greedy_opened(policy, b);
	greedy_closed(policy, b);
}

static void greedy_regions(struct gc_policy *policy, struct regions *r)
{
	const struct geometry *geometry = policy->space->geometry;
	struct greedy *g = policy->state;
	uint32_t links = links_of(geometry);

	for (plane_t plane = 0; plane < geometry->planes; plane++)
		regions_visit(r, &g->ranks[plane].lowest, sizeof g->ranks[plane].lowest);
	regions_below(r, NUMBERS_OF(g->ranks, lowest), geometry->planes, g->ranks->count + 1u,
		"greedy victim index");
	regions_visit(r, g->link, links * sizeof *g->link);
	regions_below(r, NUMBERS_OF(g->link, previous), links, links, "greedy victim index");
	regions_below(r, NUMBERS_OF(g->link, next), links, links, "greedy victim index");
}

static bool greedy_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	const struct greedy *g = policy->state;
	const struct ranks *ranks = &g->ranks[plane];
	uint32_t listed = 0;

	for (uint32_t live = 0; live < ranks->count; live++) {
		uint32_t head = ranks->head + live;
		uint32_t length = list_length(ARRAY_ELEMENTS(g->link), head, closed);

		if (length == INDEX_NONE || (length && live < ranks->lowest))
			return false;
		for (uint32_t b = g->link[head].next; b != head; b = g->link[b].next)
			if (!gc_candidate(policy, plane, b) || space_live(policy->space, b) != live)
				return false;
		listed += length;
	}
	return listed == closed;
}

static block_t greedy_pick(struct gc_policy *policy, plane_t plane)
{
	struct greedy *g = policy->state;
	block_t best = ranks_first(&g->ranks[plane], ARRAY_ELEMENTS(g->link));

	/* One without a dead page wins nothing. */
	return g->ranks[plane].lowest < policy->space->geometry->pages_per_block ? best : BLOCK_NONE;
}

const struct gc_policy_ops gc_greedy = {
	.name = "greedy",
	.brief = "the block with the fewest live pages, in constant time",
	.size = sizeof(struct greedy),
	.init = greedy_init,
	.exit = greedy_exit,
	.closed = greedy_closed,
	.dropped = greedy_dropped,
	.opened = greedy_opened,
	.regions = greedy_regions,
	.check = greedy_check,
	.pick = greedy_pick,
};
