/*
 * Greedy: the block with the fewest live pages, the one that became so first among equals.
 * Candidates of a plane hang in one ring per number of live pages; a page that dies moves its
 * block down one ring, so the choice costs O(1).
 */
#include "base/list.h"
#include "base/memory.h"
#include "gc/policy.h"

struct greedy {
	struct link *link; /* of the blocks; the heads of the rings follow */
	uint32_t *lowest;  /* per plane: no ring below this one holds a block */
	uint32_t rings;    /* per plane: live pages 0 .. pages per block */
};

static uint32_t head_of(const struct gc_policy *policy, const struct greedy *g, plane_t plane, uint32_t live)
{
	return policy->space->geometry->blocks + plane * g->rings + live;
}

static void greedy_init(struct gc_policy *policy)
{
	const struct geometry *geometry = policy->space->geometry;
	struct greedy *g = policy->state;
	uint32_t heads, first = geometry->blocks;

	g->rings = geometry->pages_per_block + 1;
	heads = geometry->planes * g->rings;
	g->lowest = memory_array(geometry->planes, sizeof *g->lowest, "greedy victim index");
	g->link = memory_array((size_t)first + heads, sizeof *g->link, "greedy victim index");
	for (uint32_t i = first; i < first + heads; i++)
		list_init(ARRAY_ELEMENTS(g->link), i);
}

static void greedy_exit(struct gc_policy *policy)
{
	struct greedy *g = policy->state;

	memory_free(g->lowest);
	memory_free(g->link);
}

static void greedy_closed(struct gc_policy *policy, block_t b)
{
	struct greedy *g = policy->state;
	plane_t plane = geometry_plane(policy->space->geometry, b);
	uint32_t live = space_live(policy->space, b);

	list_append(ARRAY_ELEMENTS(g->link), head_of(policy, g, plane, live), b);
	if (live < g->lowest[plane])
		g->lowest[plane] = live;
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
	size_t links = (size_t)geometry->blocks + geometry->planes * g->rings;

	regions_visit(r, g->lowest, geometry->planes * sizeof *g->lowest);
	regions_below(r, NUMBERS(g->lowest), geometry->planes, g->rings, "greedy victim index");
	regions_visit(r, g->link, links * sizeof *g->link);
	regions_below(r, NUMBERS_OF(g->link, previous), links, links, "greedy victim index");
	regions_below(r, NUMBERS_OF(g->link, next), links, links, "greedy victim index");
}

static bool greedy_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	const struct greedy *g = policy->state;
	uint32_t listed = 0;

	for (uint32_t live = 0; live < g->rings; live++) {
		uint32_t head = head_of(policy, g, plane, live);
		uint32_t length = list_length(ARRAY_ELEMENTS(g->link), head, closed);

		if (length == INDEX_NONE || (length && live < g->lowest[plane]))
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

	for (; g->lowest[plane] + 1 < g->rings; g->lowest[plane]++) {
		uint32_t head = head_of(policy, g, plane, g->lowest[plane]);

		if (!list_empty(ARRAY_ELEMENTS(g->link), head))
			return g->link[head].next;
	}
	return BLOCK_NONE;
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
