#include "legacy/engine.h"

/* The lesser of `least` and the distance from now to `time`.  A time that has passed wraps to beyond every
 * future one. */
static uint64_t sooner(uint64_t least, int64_t time, int64_t now)
{
	uint64_t distance = (uint64_t)time - (uint64_t)now - 1;

	return distance < least ? distance : least;
}

/* The next time at which a channel or chip becomes free or has data ready.  Without branches, which would be
 * mispredicted. */
static int64_t next_event(const struct engine *e)
{
	uint64_t least = INT64_MAX;

	for (uint32_t c = 0; c < e->layout.channels; c++)
		least = sooner(least, e->channel[c].time, e->now);
	for (uint32_t h = 0; h < e->layout.chips_all; h++) {
		const struct chip *chip = &e->chip[h];

		least = sooner(least, chip->state == CHIP_READING ? 0 : chip->time, e->now);
	}
	return least == INT64_MAX ? TIME_NEVER : e->now + 1 + (int64_t)least;
}

static void see_sector(struct engine *e, uint32_t sector)
{
	if (sector < e->count.min_sector)
		e->count.min_sector = sector;
	if (sector > e->count.max_sector)
		e->count.max_sector = sector;
}

/* Reads ahead by one line.  False: the trace is bad. */
static bool look_ahead(struct engine *e, struct fault *fault)
{
	switch (legacy_trace_next(e->trace, &e->line, fault)) {
	case LINE_BAD:
		return false;
	case LINE_END:
		e->trace_ended = true;
		/* SSDsim reads the end of a file after a newline as a line at sector 0. */
		if (e->trace->line && quirk_kept(e, Q7_END_OF_TRACE))
			e->count.min_sector = 0;
		return true;
	case LINE_OK:
		break;
	}
	e->line_ready = true;
	see_sector(e, e->line.sector);
	return true;
}

/* The mean request size: SSDsim updates it at arrivals but weights it by completions. */
static void account_size(struct kind *kind, uint32_t sectors)
{
	float n = (float)kind->completed;
	float sum = kind->mean_sectors * n;

	sum = sum + (float)sectors;
	kind->mean_sectors = sum / (float)(kind->completed + 1);
	kind->sectors += sectors;
	kind->admitted++;
}

static uint32_t create_request(struct engine *e)
{
	const struct legacy_line *line = &e->line;
	uint32_t number = pool_take(&e->requests);

	*request_at(e, number) = (struct request){ .sequence = e->admitted++,
		.arrival = line->time,
		.sector = line->sector % e->layout.limit,
		.sectors = line->sectors,
		.read = line->read,
		.read_at_0 = NONE };
	account_size(&e->kind[!line->read], line->sectors);
	e->queued_requests++;
	e->line_ready = false;
	return number;
}

/* After the last line SSDsim's clock stops, and a busy drive hangs; this engine lets it finish. */
static enum admission drain(struct engine *e, bool moved)
{
	int64_t event = next_event(e);

	if (!e->queued_requests)
		return ENDED;
	note(e, Q7_END_OF_TRACE);
	if (event != TIME_NEVER)
		e->now = event;
	else if (moved)
		return WAITED;
	else if (e->due.count && !timed_is_due(&e->due, e->now))
		e->now = (int64_t)timed_first(&e->due).key;
	else
		legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED, "waiting writes can never be issued");
	return WAITED;
}

/* The clock moves to the arrival of the line - in SSDsim also backwards. */
static void move_to_line(struct engine *e)
{
	if (e->line.time > e->now || quirk_kept(e, Q4_TIME_GOES_BACK))
		e->now = e->line.time;
}

/* An unterminated last line moves the clock, but never becomes a request. */
static enum admission drop_last_line(struct engine *e)
{
	e->trace_ended = true;
	e->line_ready = false;
	move_to_line(e);
	return WAITED;
}

/* True if the line must wait; the clock has then moved to the next event, if there is one. */
static bool waits(struct engine *e, int64_t event, bool moved)
{
	bool full = e->queued_requests >= (uint32_t)e->p->queue_length;

	if (event == TIME_NEVER) {
		if (quirk_kept(e, Q5_QUEUE_LIMIT_IGNORED) || !e->queued_requests)
			return false;
		if (!moved && full)
			legacy_stop(e, Q9_NO_FREE_PAGE, LEGACY_DIED, "the queue is full and nothing moves");
		return moved || full;
	}
	if (event >= e->line.time && !full)
		return false;
	e->now = event;
	return true;
}

enum admission legacy_admit(struct engine *e, uint32_t *request, struct fault *fault)
{
	bool moved = e->steps != e->steps_seen;
	int64_t event;

	e->steps_seen = e->steps;
	if (!e->line_ready && !e->trace_ended && !look_ahead(e, fault))
		return ADMIT_FAILED;
	if (!e->line_ready)
		return drain(e, moved);
	event = next_event(e);
	if (waits(e, event, moved))
		return WAITED;
	if (!e->line.terminated && quirk_kept(e, Q7_END_OF_TRACE))
		return drop_last_line(e);
	move_to_line(e);
	*request = create_request(e);
	return ADMITTED;
}
