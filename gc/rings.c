#include "gc/rings.h"

#include "base/memory.h"

static const char *const what = "victim index";

static uint32_t ranks_of(const struct gc_policy *policy)
{
	return policy->space->geometry->pages_per_block + 1;
}

static uint32_t links_of(const struct gc_policy *policy)
{
	const struct geometry *g = policy->space->geometry;
	const struct rings *r = policy->state;

	return g->blocks + g->planes * r->sets * ranks_of(policy);
}

static uint32_t set_of(const struct gc_policy *policy, block_t b)
{
	const struct rings *r = policy->state;

	return r->set_of ? r->set_of(policy, b) : 0;
}

static struct ranks *ranks_at(const struct gc_policy *policy, plane_t plane, uint32_t set)
{
	const struct rings *r = policy->state;

	return &r->ranks[plane * r->sets + set];
}

void rings_create(
	struct gc_policy *policy, uint32_t sets, uint32_t (*set_of_block)(const struct gc_policy *, block_t))
{
	const struct geometry *g = policy->space->geometry;
	struct rings *r = policy->state;

	r->sets = sets;
	r->set_of = set_of_block;
	r->ranks = memory_array(g->planes * sets, sizeof *r->ranks, what);
	r->link = memory_array(links_of(policy), sizeof *r->link, what);
	policy->link = r->link;
	for (uint32_t i = 0; i < g->planes * sets; i++)
		r->ranks[i] = ranks_create(
			ARRAY_ELEMENTS(r->link), g->blocks + i * ranks_of(policy), ranks_of(policy));
}

void rings_exit(struct gc_policy *policy)
{
	struct rings *r = policy->state;

	memory_free(r->ranks);
	memory_free(r->link);
}

void rings_closed(struct gc_policy *policy, block_t b)
{
	const struct rings *r = policy->state;

	ranks_add(ranks_at(policy, geometry_plane(policy->space->geometry, b), set_of(policy, b)),
		ARRAY_ELEMENTS(r->link), space_live(policy->space, b), b);
}

void rings_opened(struct gc_policy *policy, block_t b)
{
	const struct rings *r = policy->state;

	list_remove(ARRAY_ELEMENTS(r->link), b);
}

void rings_dropped(struct gc_policy *policy, block_t b)
{
	rings_opened(policy, b);
	rings_closed(policy, b);
}

const struct state_row rings_state[] = {
	STATE_FIXED(sets, set_of),
	STATE_EACH(struct rings, ranks, ranks_state),
	STATE_VALUES(struct rings, link, LINK, STATE_ITS_COUNT),
	{ 0 },
};

block_t rings_first(struct gc_policy *policy, plane_t plane, uint32_t set)
{
	const struct rings *r = policy->state;
	uint32_t b = ranks_first(ranks_at(policy, plane, set), ARRAY_ELEMENTS(r->link));

	return b == INDEX_NONE ? BLOCK_NONE : b;
}

/* Blocks of a ring, INDEX_NONE if one does not belong there. */
static uint32_t check_ring(
	const struct gc_policy *policy, plane_t plane, uint32_t set, uint32_t live, uint32_t most)
{
	const struct rings *r = policy->state;
	uint32_t head = ranks_at(policy, plane, set)->head + live;
	uint32_t length = list_length(ARRAY_ELEMENTS(r->link), head, most);

	if (length == INDEX_NONE || (length && live < ranks_at(policy, plane, set)->lowest))
		return INDEX_NONE;
	for (uint32_t b = r->link[head].next; b != head; b = r->link[b].next)
		if (!gc_candidate(policy, plane, b) || space_live(policy->space, b) != live ||
			set_of(policy, b) != set)
			return INDEX_NONE;
	return length;
}

bool rings_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	const struct rings *r = policy->state;
	uint32_t listed = 0;

	for (uint32_t i = 0; i < r->sets * ranks_of(policy); i++) {
		uint32_t length =
			check_ring(policy, plane, i / ranks_of(policy), i % ranks_of(policy), closed);

		if (length == INDEX_NONE)
			return false;
		listed += length;
	}
	return listed == closed;
}
