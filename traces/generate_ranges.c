#include "traces/generate_ranges.h"

#include "base/memory.h"

enum { STREAM_CUTS = 201, STREAM_ORDER };

void ranges_init(struct ranges *r, const struct mix *sizes, sector_t space, sector_t range, uint64_t seed)
{
	*r = (struct ranges){ .sizes = sizes, .space = space, .range = range };
	random_init(&r->cuts, seed, STREAM_CUTS);
	random_init(&r->order, seed, STREAM_ORDER);
}

void ranges_release(struct ranges *r)
{
	memory_free(r->piece);
}

static sector_t range_end(const struct ranges *r)
{
	return r->next + r->range < r->space ? r->next + r->range : r->space;
}

/* The piece that starts at a sector; the last one of a range may be cut short. */
static struct extent cut(struct ranges *r, sector_t start, sector_t end)
{
	sector_t size = mix_value(r->sizes, random_unit(&r->cuts));

	return (struct extent){ start, size < end - start ? start + size : end };
}

static void add_piece(struct ranges *r, struct extent piece)
{
	r->piece = memory_grown(r->piece, &r->room, r->pieces + 1, sizeof *r->piece, "pieces of a range");
	r->piece[r->pieces++] = piece;
}

static void shuffle(struct ranges *r)
{
	for (size_t i = r->pieces; i > 1; i--) {
		size_t j = (size_t)random_below(&r->order, i);
		struct extent swap = r->piece[i - 1];

		r->piece[i - 1] = r->piece[j];
		r->piece[j] = swap;
	}
}

static void fill_range(struct ranges *r)
{
	sector_t end = range_end(r);

	r->pieces = r->taken = 0;
	while (r->next < end) {
		struct extent piece = cut(r, r->next, end);

		add_piece(r, piece);
		r->next = piece.end;
	}
	shuffle(r);
}

bool ranges_next(struct ranges *r, struct extent *piece)
{
	if (r->taken == r->pieces) {
		if (r->next == r->space)
			return false;
		fill_range(r);
	}
	*piece = r->piece[r->taken++];
	return true;
}

uint64_t ranges_count(const struct mix *sizes, sector_t space, sector_t range, uint64_t seed)
{
	struct ranges r;
	uint64_t count = 0;

	ranges_init(&r, sizes, space, range, seed);
	while (r.next < r.space) {
		sector_t end = range_end(&r);

		for (; r.next < end; count++)
			r.next = cut(&r, r.next, end).end;
	}
	return count;
}
