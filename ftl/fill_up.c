#include "ftl/fill_up.h"

#include "flash/schedule.h"

static void fill_up_pages(struct store *s, struct io *io, plane_t plane, unsigned stream, uint32_t pages)
{
	s->space->flash->wordline_pads += pages;
	space_pad(s->space, io, plane, stream, pages);
}

/* Pads, in all planes, the open blocks for which `wanted` is true.  Returns the number of pads. */
static uint64_t fill_up_open(struct store *s, struct io *io, uint32_t ticket,
	bool (*wanted)(const struct store *, plane_t, unsigned stream, uint32_t pages, uint32_t ticket))
{
	struct space *space = s->space;
	uint64_t filled = 0;

	for (plane_t plane = 0; plane < space->geometry->planes; plane++)
		for (unsigned stream = 0; stream < space->streams; stream++) {
			block_t b = space->plane[plane].open[stream].block;
			uint32_t pages = b == BLOCK_NONE ? 0 : schedule_lacks(space->flash->schedule, b);

			if (!pages || !wanted(s, plane, stream, pages, ticket))
				continue;
			fill_up_pages(s, io, plane, stream, pages);
			filled += pages;
		}
	return filled;
}

/* Pads must not take the room that a collection in progress needs. */
static bool fill_up_is_spare(
	const struct store *s, plane_t plane, unsigned stream, uint32_t pages, uint32_t ticket)
{
	(void)ticket;
	return collector_can_spare(s->collector, plane, stream, pages);
}

bool fill_up_next(struct store *s)
{
	struct schedule *schedule = s ? s->space->flash->schedule : NULL;
	plane_t plane;
	struct io io;
	block_t b;

	if (!s || schedule_pad_due(schedule) > schedule_now(schedule))
		return false;
	b = schedule_next_to_pad(schedule);
	if (b == BLOCK_NONE || !space_stream(s->space, b)->host)
		return true;
	plane = geometry_plane(s->space->geometry, b);
	if (!fill_up_is_spare(s, plane, s->space->block[b].stream, schedule_lacks(schedule, b), INDEX_NONE))
		return true;
	schedule_begin_for_nobody(schedule, &io);
	fill_up_pages(s, &io, plane, s->space->block[b].stream, schedule_lacks(schedule, b));
	schedule_submit(schedule, &io, 0);
	return true;
}

/* Finishes every collection in progress: for when no room can be spared for pads. */
static bool fill_up_with_survivors(struct store *s, struct io *io)
{
	bool finished = false;

	for (plane_t plane = 0; plane < s->space->geometry->planes; plane++)
		if (s->space->plane[plane].begun != BLOCK_NONE)
			finished |= collector_collect(s->collector, io, plane);
	return finished;
}

bool fill_up_stalled(struct store *s)
{
	struct schedule *schedule = s ? s->space->flash->schedule : NULL;
	struct io io;
	bool filled;

	if (!s || !schedule_is_stuck(schedule))
		return false;
	s->space->flash->wordline_stalls++;
	schedule_begin_for_nobody(schedule, &io);
	filled = fill_up_open(s, &io, INDEX_NONE, fill_up_is_spare) || fill_up_with_survivors(s, &io);
	schedule_submit(schedule, &io, 0);
	return filled;
}

static bool fill_up_holds_up(
	const struct store *s, plane_t plane, unsigned stream, uint32_t pages, uint32_t ticket)
{
	(void)pages;
	return schedule_holds_up(
		s->space->flash->schedule, s->space->plane[plane].open[stream].block, ticket);
}

/* Pads that a request waits for may take room that a collection in progress needs: it is finished first.  The
 * pages that it moves may also fill up the wordline. */
static void fill_up_finish_victims(struct store *s, struct io *io, uint32_t ticket)
{
	for (plane_t plane = 0; plane < s->space->geometry->planes; plane++)
		for (unsigned stream = 0; stream < s->space->streams; stream++) {
			block_t b = s->space->plane[plane].open[stream].block;
			uint32_t pages = b == BLOCK_NONE ? 0 : schedule_lacks(s->space->flash->schedule, b);

			if (pages && !fill_up_is_spare(s, plane, stream, pages, ticket) &&
				fill_up_holds_up(s, plane, stream, pages, ticket))
				collector_collect(s->collector, io, plane);
		}
}

void fill_up_for(struct store *s, struct io *io, uint32_t ticket)
{
	if (!s)
		return;
	fill_up_finish_victims(s, io, ticket);
	fill_up_open(s, io, ticket, fill_up_holds_up);
}

void fill_up_untimed(struct store *s)
{
	struct io io = { .flash = s->space->flash, .timed = false };

	fill_up_open(s, &io, INDEX_NONE, fill_up_is_spare);
}
