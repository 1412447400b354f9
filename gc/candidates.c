/*
 * Policies over the candidates as an unordered set: one at random, the best of d random ones, the best by
 * cost and benefit.
 */
#include "gc/candidates.h"

#include "base/memory.h"
#include "gc/collect.h"

block_t *candidates_of(const struct gc_policy *policy, plane_t plane)
{
	const struct candidates *c = policy->state;

	return c->list + (size_t)plane * policy->space->geometry->blocks_per_plane;
}

void candidates_init(struct gc_policy *policy)
{
	const struct geometry *g = policy->space->geometry;
	struct candidates *c = policy->state;

	c->count = memory_array(g->planes, sizeof *c->count, "collection candidates");
	c->list = memory_array(g->blocks, sizeof *c->list, "collection candidates");
	c->position = memory_array(g->blocks, sizeof *c->position, "collection candidates");
}

void candidates_exit(struct gc_policy *policy)
{
	struct candidates *c = policy->state;

	memory_free(c->count);
	memory_free(c->list);
	memory_free(c->position);
}

void candidates_add(struct gc_policy *policy, block_t b)
{
	struct candidates *c = policy->state;
	plane_t plane = geometry_plane(policy->space->geometry, b);

	c->position[b] = c->count[plane]++;
	candidates_of(policy, plane)[c->position[b]] = b;
}

void candidates_remove(struct gc_policy *policy, block_t b)
{
	struct candidates *c = policy->state;
	plane_t plane = geometry_plane(policy->space->geometry, b);
	block_t *list = candidates_of(policy, plane), last = list[--c->count[plane]];

	list[c->position[b]] = last;
	c->position[last] = c->position[b];
}

const struct state_row candidates_state[] = {
	STATE_NUMBERS(struct candidates, count),
	STATE_NUMBERS(struct candidates, list),
	STATE_NUMBERS(struct candidates, position),
	{ 0 },
};

bool candidates_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	const struct candidates *c = policy->state;
	const block_t *list = candidates_of(policy, plane);

	for (uint32_t i = 0; i < c->count[plane]; i++)
		if (!gc_candidate(policy, plane, list[i]) || c->position[list[i]] != i)
			return false;
	return c->count[plane] == closed;
}

/* The first candidate with a dead page from index `from` on, cyclically; BLOCK_NONE: none. */
static block_t candidates_search(
	const struct gc_policy *policy, const block_t *list, uint32_t count, uint32_t from)
{
	for (uint32_t i = 0; i < count; i++)
		if (gc_reclaimable(policy, list[(from + i) % count]))
			return list[(from + i) % count];
	return BLOCK_NONE;
}

/*
 * A random candidate with a dead page: draws up to 32 times, then searches the list from the last draw on.
 * gc.strict: the first draw, dead pages or not, unless no candidate has a dead page.
 */
static block_t gc_random_pick(struct gc_policy *policy, plane_t plane)
{
	const struct candidates *c = policy->state;
	const block_t *list = candidates_of(policy, plane);
	uint32_t count = c->count[plane], at = 0;
	block_t found;

	if (!count)
		return BLOCK_NONE;
	for (uint32_t draws = 0; draws < (policy->useless_victims ? 1 : 32); draws++) {
		at = (uint32_t)random_below(&policy->random, count);
		if (gc_reclaimable(policy, list[at]))
			return list[at];
	}
	found = candidates_search(policy, list, count, at);
	return policy->useless_victims && found != BLOCK_NONE ? list[at] : found;
}

/* With this many draws per block of a plane, a block is missed with probability exp(-64). */
#define GC_ENOUGH_DRAWS 64u

/* Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based
 * solid state drives", SIGMETRICS 2013: already d = 10 is close to greedy. */
static block_t gc_d_choices_pick(struct gc_policy *policy, plane_t plane)
{
	const struct candidates *c = policy->state;
	uint64_t most = GC_ENOUGH_DRAWS * (uint64_t)policy->space->geometry->blocks_per_plane;
	uint64_t draws = policy->settings->d < most ? policy->settings->d : most;
	block_t best = gc_random_pick(policy, plane);

	for (uint64_t i = 1; best != BLOCK_NONE && i < draws; i++) {
		block_t b = candidates_of(policy, plane)[random_below(&policy->random, c->count[plane])];

		if (space_live(policy->space, b) < space_live(policy->space, best) &&
			gc_reclaimable(policy, b))
			best = b;
	}
	return best;
}

/* age * (1 - u) / 2u, u = share of live pages; the age is counted in pages handed out since the block was
 * closed (log cleaning of Rosenblum and Ousterhout, as Kawaguchi et al. use it for flash). */
static double gc_benefit(const struct space *s, block_t b)
{
	double pages = s->geometry->pages_per_block, live = space_live(s, b);
	double age = (double)(s->handed_out - s->stamp[b]) + 1;

	return live > 0 ? age * (pages - live) / (2 * live) : 1e300;
}

static block_t gc_cost_benefit_pick(struct gc_policy *policy, plane_t plane)
{
	const struct candidates *c = policy->state;
	const block_t *list = candidates_of(policy, plane);
	block_t best = BLOCK_NONE;
	double most = -1;

	for (uint32_t i = 0; i < c->count[plane]; i++) {
		double value = gc_benefit(policy->space, list[i]);

		if (!gc_reclaimable(policy, list[i]))
			continue;
		if (value > most || (value == most && list[i] < best)) {
			most = value;
			best = list[i];
		}
	}
	return best;
}

const struct gc_policy_ops gc_random = {
	.name = "random",
	.brief = "any closed block with a dead page (gc.strict: any), with equal chance: the floor for all",
	OVER_CANDIDATES,
	.pick = gc_random_pick,
};

const struct gc_policy_ops gc_d_choices = {
	.name = "d_choices",
	.brief = "the best of gc.d blocks drawn at random: near greedy without an index",
	OVER_CANDIDATES,
	.pick = gc_d_choices_pick,
};

const struct gc_policy_ops gc_cost_benefit = {
	.name = "cost_benefit",
	.brief = "the most free space per copied page, weighted by age: cold blocks wait less",
	OVER_CANDIDATES,
	.ages = true,
	.pick = gc_cost_benefit_pick,
};
