#include "traces/generate_ranges.h"

enum { STREAM_LENGTHS = 201, STREAM_PLACES };

struct ranges ranges_create(
	const struct mix *sizes, sector_t space, sector_t range, sector_t grid, uint64_t seed)
{
	struct ranges r = { .sizes = sizes, .space = space, .range = range, .grid = grid };

	random_init(&r.lengths, seed, STREAM_LENGTHS);
	random_init(&r.places, seed, STREAM_PLACES);
	return r;
}

/* Draws the next length; the last one of a range may be cut short. 0 at the end of the space. */
static sector_t ranges_next_length(struct ranges *r)
{
	sector_t length;

	if (!r->left) {
		r->start = r->end;
		r->end = r->range < r->space - r->start ? r->start + r->range : r->space;
		r->left = r->end - r->start;
	}
	length = r->left ? mix_value(r->sizes, random_unit(&r->lengths)) : 0;
	if (length > r->left)
		length = r->left;
	r->left -= length;
	return length;
}

bool ranges_next(struct ranges *r, struct extent *request)
{
	sector_t length = ranges_next_length(r), points = (r->end - r->start - length) / r->grid + 1;

	request->start = r->start + random_below(&r->places, points) * r->grid;
	request->end = request->start + length;
	return length > 0;
}

uint64_t ranges_count(struct ranges r, uint64_t most)
{
	uint64_t count = 0;

	while (count < most && ranges_next_length(&r))
		count++;
	return count;
}
