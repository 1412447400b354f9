#include "legacy/engine.h"

/* Dynamic allocation has one lane, or one per channel if the address fixes that; static one per plane. */
static uint32_t lane_of(const struct engine *e, const struct write *w)
{
	if (!e->dynamic)
		return legacy_static_plane(e, w->lpn);
	return e->p->dynamic_allocation == 1 ? w->lpn % e->layout.channels : 0;
}

/* The whole sequence number: sub-requests in flight at one time differ by less than 2^32. */
static uint64_t whole_sequence(const struct engine *e, const struct write *w)
{
	return e->sequence - (uint32_t)((uint32_t)e->sequence - w->sequence);
}

/* Writes whose update read has ended by now become eligible. */
static void unblock(struct engine *e)
{
	while (timed_is_due(&e->unblocking, e->now)) {
		uint32_t write = timed_pop(&e->unblocking);
		const struct write *w = write_at(e, write);

		timed_push(&e->lane[lane_of(e, w)].unblocked, whole_sequence(e, w), write);
	}
}

void legacy_lane_append(struct engine *e, uint32_t write)
{
	queue_append(&e->lane[lane_of(e, write_at(e, write))].writes, next_writes(e), write);
}

uint32_t legacy_lane_take(struct engine *e, uint32_t number)
{
	struct lane *lane = &e->lane[number];
	uint32_t first = lane->writes.first;

	unblock(e);
	while (lane->unblocked.count) {
		uint32_t write = timed_first(&lane->unblocked).value;
		const struct write *w = write_at(e, write);
		int64_t end = read_at(e, w->update)->end;

		if (first != NONE && legacy_earlier(write_at(e, first)->sequence, w->sequence))
			break;
		timed_pop(&lane->unblocked);
		if (end <= e->now)
			return write;
		timed_push(&e->unblocking, (uint64_t)end, write); /* the clock went back (Q4) */
	}
	return queue_take(&lane->writes, next_writes(e));
}

void legacy_lane_return(struct engine *e, uint32_t write)
{
	const struct write *w = write_at(e, write);
	struct lane *lane = &e->lane[lane_of(e, w)];

	if (w->update != NONE)
		timed_push(&lane->unblocked, whole_sequence(e, w), write);
	else
		queue_prepend(&lane->writes, next_writes(e), write);
}
