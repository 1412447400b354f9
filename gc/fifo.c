/*
 * FIFO: the block that was closed first.  The candidates of each plane are a ring in the order in which they
 * were closed.  A block without a dead page is no use as a victim and moves to the end of the ring.
 */
#include "base/list.h"
#include "base/memory.h"
#include "gc/policy.h"

struct fifo {
	struct link *link; /* of the blocks; the heads of the planes follow */
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
	struct fifo *f = policy->state;

	memory_free(f->link);
}

static uint32_t fifo_head(const struct gc_policy *policy, plane_t plane)
{
	return policy->space->geometry->blocks + plane;
}

static void fifo_add(struct gc_policy *policy, block_t b)
{
	struct fifo *f = policy->state;

	list_append(
		ARRAY_ELEMENTS(f->link), fifo_head(policy, geometry_plane(policy->space->geometry, b)), b);
}

static void fifo_remove(struct gc_policy *policy, block_t b)
{
	struct fifo *f = policy->state;

	list_remove(ARRAY_ELEMENTS(f->link), b);
}

static const struct state_row fifo_state[] = {
	STATE_NUMBERS(struct fifo, link),
	{ 0 },
};

static bool fifo_check(const struct gc_policy *policy, plane_t plane, uint32_t closed)
{
	const struct fifo *f = policy->state;
	uint32_t head = fifo_head(policy, plane);

	if (list_length(ARRAY_ELEMENTS(f->link), head, closed) != closed)
		return false;
	for (uint32_t b = f->link[head].next; b != head; b = f->link[b].next)
		if (!gc_candidate(policy, plane, b))
			return false;
	return true;
}

/* gc.strict: the block closed first, dead pages or not, unless no block has a dead page. */
static block_t fifo_pick_strictly(const struct gc_policy *policy, plane_t plane)
{
	const struct fifo *f = policy->state;
	uint32_t head = fifo_head(policy, plane);

	for (uint32_t b = f->link[head].next; b != head; b = f->link[b].next)
		if (gc_reclaimable(policy, b))
			return f->link[head].next;
	return BLOCK_NONE;
}

static block_t fifo_pick(struct gc_policy *policy, plane_t plane)
{
	const struct fifo *f = policy->state;
	uint32_t head = fifo_head(policy, plane), first_passed = head, b;

	if (policy->useless_victims)
		return fifo_pick_strictly(policy, plane);
	while ((b = f->link[head].next) != head && b != first_passed) {
		if (gc_reclaimable(policy, b))
			return b;
		if (first_passed == head)
			first_passed = b;
		fifo_remove(policy, b);
		fifo_add(policy, b);
	}
	return BLOCK_NONE;
}

const struct gc_policy_ops gc_fifo = {
	.name = "fifo",
	.brief = "the block filled first; one without a dead page goes to the end of the queue (gc.strict: "
		 "the first, dead pages or not): wears evenly, copies more",
	.size = sizeof(struct fifo),
	.init = fifo_init,
	.exit = fifo_exit,
	.add = fifo_add,
	.remove = fifo_remove,
	.state = fifo_state,
	.check = fifo_check,
	.pick = fifo_pick,
};
