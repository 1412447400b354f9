#include "legacy/engine.h"

/* Dynamic allocation queues for the device, with a fixed channel for the channel; static for the plane. */
static uint32_t lane_of(const struct engine *e, const struct write *w)
{
	if (!e->dynamic)
		return legacy_static_plane(e, w->lpn);
	return e->p->dynamic_allocation == 1 ? w->lpn % e->layout.channels : 0;
}

/* The whole sequence number: sub-requests alive at one time lie closer together than 2^32. */
static uint64_t whole_sequence(const struct engine *e, const struct write *w)
{
	return e->sequence - (uint32_t)((uint32_t)e->sequence - w->sequence);
}

/* Writes whose update read has ended by now become eligible. */
static void unblock(struct engine *e)
{
	while (e->unblocking.count && e->unblocking.entry[0].key <= (uint64_t)e->now) {
		uint32_t write = heap_pop(&e->unblocking);
		const struct write *w = write_at(e, write);

		heap_push(&e->lane[lane_of(e, w)].unblocked, whole_sequence(e, w), write);
	}
}

void legacy_lane_append(struct engine *e, uint32_t write)
{
	struct write *w = write_at(e, write);
	struct lane *lane = &e->lane[lane_of(e, w)];

	w->next = NONE;
	if (lane->head == NONE)
		lane->head = write;
	else
		write_at(e, lane->tail)->next = write;
	lane->tail = write;
}

uint32_t legacy_lane_take(struct engine *e, uint32_t number)
{
	struct lane *lane = &e->lane[number];
	uint32_t first = lane->head;

	unblock(e);
	while (lane->unblocked.count) {
		uint32_t write = lane->unblocked.entry[0].value;
		const struct write *w = write_at(e, write);
		int64_t end = read_at(e, w->update)->end;

		if (first != NONE && legacy_earlier(write_at(e, first)->sequence, w->sequence))
			break;
		heap_pop(&lane->unblocked);
		if (end <= e->now)
			return write;
		heap_push(&e->unblocking, (uint64_t)end, write); /* the clock went back (Q4) */
	}
	if (first != NONE)
		lane->head = write_at(e, first)->next;
	return first;
}

void legacy_lane_return(struct engine *e, uint32_t write)
{
	struct write *w = write_at(e, write);
	struct lane *lane = &e->lane[lane_of(e, w)];

	if (w->update != NONE) {
		heap_push(&lane->unblocked, whole_sequence(e, w), write);
		return;
	}
	w->next = lane->head;
	if (lane->head == NONE)
		lane->tail = write;
	lane->head = write;
}
