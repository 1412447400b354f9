#include "gc/rings.h"

#include "base/memory.h"

static const char *const rings_what = "victim index";

static uint32_t rings_ranks(const struct gc_policy *policy)
{
	return policy->space->geometry->pages_per_block + 1;
}

static uint32_t rings_set_of(const struct gc_policy *policy, block_t b)
{
	const struct rings *r = policy->state;

	return r->sets > 1 && space_stream(policy->space, b)->map ? RINGS_MAP : RINGS_DATA;
}

static struct ranks *rings_ranks_of(const struct gc_policy *policy, plane_t plane, uint32_t set)
{
	const struct rings *r = policy->state;

	return &r->ranks[plane * r->sets + set];
}

void rings_create(struct gc_policy *policy, bool map_apart)
{
	const struct geometry *g = policy->space->geometry;
	struct rings *r = policy->state;
	uint32_t count, ranks = rings_ranks(policy);

	r->sets = map_apart ? 2 : 1;
	count = g->planes * r->sets;
	r->ranks = memory_array(count, sizeof *r->ranks, rings_what);
	r->link = memory_array(g->blocks + count * ranks, sizeof *r->link, rings_what);
	policy->link = r->link;
	for (uint32_t i = 0; i < count; i++)
		r->ranks[i] = ranks_create(ARRAY_ELEMENTS(r->link), g->blocks + i * ranks, ranks);
}

void rings_exit(struct gc_policy *policy)
{
	struct rings *r = policy->state;

	memory_free(r->ranks);
	memory_free(r->link);
}

void rings_add(struct gc_policy *policy, block_t b)
{
	const struct rings *r = policy->state;
	plane_t plane = geometry_plane(policy->space->geometry, b);

	ranks_add(rings_ranks_of(policy, plane, rings_set_of(policy, b)), ARRAY_ELEMENTS(r->link),
		space_live(policy->space, b), b);
}

void rings_remove(struct gc_policy *policy, block_t b)
{
	const struct rings *r = policy->state;

	list_remove(ARRAY_ELEMENTS(r->link), b);
}

void rings_changed(struct gc_policy *policy, block_t b)
{
	rings_remove(policy, b);
	rings_add(policy, b);
}

const struct state_row rings_state[] = {
	STATE_FIXED(sets),
	STATE_EACH(struct rings, ranks, ranks_state),
	STATE_NUMBERS(struct rings, link),
	{ 0 },
};

block_t rings_first(struct gc_policy *policy, plane_t plane, uint32_t set)
{
	const struct rings *r = policy->state;
	uint32_t b = ranks_first(rings_ranks_of(policy, plane, set), ARRAY_ELEMENTS(r->link));

	return b == INDEX_NONE ? BLOCK_NONE : b;
}

block_t rings_behind(struct gc_policy *policy, plane_t plane, uint32_t set, block_t b)
{
	const struct rings *r = policy->state;
	uint32_t head = rings_ranks_of(policy, plane, set)->head, end = head + rings_ranks(policy);
	uint32_t ring = head + space_live(policy->space, b), next = r->link[b].next;

	while (next == ring && ++ring < end)
		next = r->link[ring].next;
	return ring < end ? next : BLOCK_NONE;
}

/* Number of blocks in the ring for this number of live pages; INDEX_NONE if one does not belong there. */
static uint32_t rings_check_ring(
	const struct gc_policy *policy, plane_t plane, uint32_t set, uint32_t live, uint32_t most)
{
	const struct rings *r = policy->state;
	const struct ranks *ranks = rings_ranks_of(policy, plane, set);
	uint32_t head = ranks->head + live, length = list_length(ARRAY_ELEMENTS(r->link), head, most);

	if (length == INDEX_NONE || (length && live < ranks->lowest))
		return INDEX_NONE;
	for (uint32_t b = r->link[head].next; b != head; b = r->link[b].next)
		if (!gc_candidate(policy, plane, b) || space_live(policy->space, b) != live ||
			rings_set_of(policy, b) != set)
			return INDEX_NONE;
	return length;
}

bool rings_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	const struct rings *r = policy->state;
	uint32_t listed = 0, ranks = rings_ranks(policy);

	for (uint32_t i = 0; i < r->sets * ranks; i++) {
		uint32_t length = rings_check_ring(policy, plane, i / ranks, i % ranks, closed);

		if (length == INDEX_NONE)
			return false;
		listed += length;
	}
	return listed == closed;
}
