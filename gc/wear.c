#include "gc/wear.h"

#define WEAR(type, field) PARAM(type, struct wear_settings, field)

const struct param wear_params[] = {
	{ WEAR(BOOL, dynamic), 0, 1, "", "true",
		"the free block with the fewest erases is used next; off = the one that has been free "
		"longest" },
	{ WEAR(UINT, delta), 0, 1e9, "erases", "0",
		"difference between the most and the least worn block of a plane from which cold data is "
		"moved; 0 = never" },
	{ WEAR(UINT, period), 1, 1e9, "erases", "16",
		"cold data moves at most once per this many erases of a plane" },
	{ 0 },
};

static block_t least_worn_closed(const struct space *s, plane_t plane)
{
	const struct geometry *g = s->geometry;
	block_t first = plane * g->blocks_per_plane, best = BLOCK_NONE;

	for (block_t b = first; b < first + g->blocks_per_plane; b++)
		if (s->block[b].state == BLOCK_CLOSED &&
			(best == BLOCK_NONE || s->flash->block[b].erases < s->flash->block[best].erases))
			best = b;
	return best;
}

static uint32_t most_erases(const struct space *s, plane_t plane)
{
	const struct geometry *g = s->geometry;
	block_t first = plane * g->blocks_per_plane;
	uint32_t most = 0;

	for (block_t b = first; b < first + g->blocks_per_plane; b++)
		if (s->flash->block[b].erases > most)
			most = s->flash->block[b].erases;
	return most;
}

void wear_level(struct collector *c, struct io *io, plane_t plane)
{
	struct space *s = c->space;
	struct gc_statistics *count = collector_count(c, io);
	uint64_t handed_out = s->handed_out;
	const struct stream *from;
	block_t cold;

	if (!c->wear->delta || s->blocks->plane[plane].erases % c->wear->period)
		return;
	cold = least_worn_closed(s, plane);
	if (cold == BLOCK_NONE || most_erases(s, plane) - s->flash->block[cold].erases <= c->wear->delta)
		return;
	if (blocks_left(s->blocks, plane) <= s->reserve)
		return;
	from = space_stream(s, cold);
	count->map_erases += from->map;
	collector_reclaim(c, io, cold, from->map ? from->survivors : s->wear_stream, CAUSE_WEAR);
	count->wear_moves++;
	count->wear_moved_pages += s->handed_out - handed_out;
}
