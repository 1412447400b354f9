/*
 * FIFO: the block that was filled first.  One ring of closed blocks per plane, in the order of
 * closing; a collected block leaves from wherever it stands.  A block that lost no page yet
 * has nothing to give and goes to the end of the ring.
 */
#include "base/list.h"
#include "base/memory.h"
#include "gc/policy.h"

/* The planes' heads follow the blocks in the array. */
struct fifo {
	struct link *link;
};

static void fifo_init(struct gc_policy *policy)
{
	const struct geometry *g = policy->space->geometry;
	struct fifo *f = policy->state;

	f->link = memory_array((size_t)g->blocks + g->planes, sizeof *f->link, "FIFO victim index");
	for (uint32_t i = g->blocks; i < g->blocks + g->planes; i++)
		list_init(ARRAY_ELEMENTS(f->link), i);
}

static void fifo_exit(struct gc_policy *policy)
{
	memory_free(((struct fifo *)policy->state)->link);
}

static uint32_t head_of(const struct gc_policy *policy, plane_t plane)
{
	return policy->space->geometry->blocks + plane;
}

static void fifo_closed(struct gc_policy *policy, block_t b)
{
	struct fifo *f = policy->state;

	list_append(ARRAY_ELEMENTS(f->link), head_of(policy, geometry_plane(policy->space->geometry, b)), b);
}

static void fifo_opened(struct gc_policy *policy, block_t b)
{
	struct fifo *f = policy->state;

	list_remove(ARRAY_ELEMENTS(f->link), b);
}

static const struct state_row fifo_state[] = {
	STATE_VALUES(struct fifo, link, LINK, STATE_ITS_COUNT),
	{ 0 },
};

static bool fifo_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	struct link *link = ((const struct fifo *)policy->state)->link;
	uint32_t head = head_of(policy, plane);

	if (list_length(ARRAY_ELEMENTS(link), head, closed) != closed)
		return false;
	for (uint32_t b = link[head].next; b != head; b = link[b].next)
		if (!gc_candidate(policy, plane, b))
			return false;
	return true;
}

/* The one filled first, unless none has a dead page. */
static block_t strict_pick(const struct gc_policy *policy, plane_t plane)
{
	const struct link *link = ((const struct fifo *)policy->state)->link;
	uint32_t head = head_of(policy, plane);

	for (uint32_t b = link[head].next; b != head; b = link[b].next)
		if (gc_reclaimable(policy, b))
			return link[head].next;
	return BLOCK_NONE;
}

static block_t fifo_pick(struct gc_policy *policy, plane_t plane)
{
	const struct fifo *f = policy->state;
	uint32_t head = head_of(policy, plane), first_seen = head, b;

	if (policy->patience)
		return strict_pick(policy, plane);
	while ((b = f->link[head].next) != head && b != first_seen) {
		if (gc_reclaimable(policy, b))
			return b;
		if (first_seen == head)
			first_seen = b;
		fifo_opened(policy, b);
		fifo_closed(policy, b);
	}
	return BLOCK_NONE;
}

const struct gc_policy_ops gc_fifo = {
	.name = "fifo",
	.brief =
		"the block filled first, of those with a dead page (gc.strict: of all): wears evenly, copies more",
	.size = sizeof(struct fifo),
	.init = fifo_init,
	.exit = fifo_exit,
	.closed = fifo_closed,
	.opened = fifo_opened,
	.state = fifo_state,
	.check = fifo_check,
	.pick = fifo_pick,
};
