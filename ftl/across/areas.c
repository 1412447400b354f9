/* The across-page mapping table, and the pieces of requests that are compared with it. */
#include "ftl/across/across.h"

#include "base/memory.h"

void across_areas_init(struct across_area_table *t, uint32_t limit)
{
	size_t words = bits_words(limit);

	t->limit = limit;
	t->area = memory_array(limit, sizeof *t->area, "table of areas");
	t->free = memory_array(words, sizeof *t->free, "table of areas");
	t->any_free = memory_array(bits_words(words), sizeof *t->any_free, "table of areas");
	for (uint32_t index = 0; index < limit; index++) {
		bits_set(t->free, index);
		bits_set(t->any_free, index / BITS_WORD);
	}
}

void across_areas_release(struct across_area_table *t)
{
	memory_free(t->area);
	memory_free(t->free);
	memory_free(t->any_free);
}

static const struct state_row across_area_state[] = {
	STATE_NUMBER(struct across_area, left),
	STATE_NUMBER(struct across_area, right),
	STATE_NUMBER(struct across_area, anchor),
	STATE_NUMBER(struct across_area, ppn),
	STATE_NUMBER(struct across_area, cut),
	{ 0 },
};

const struct state_row across_areas_state[] = {
	STATE_FIXED(limit),
	STATE_ARRAY(struct across_area_table, area, across_area_state),
	STATE_NUMBERS(struct across_area_table, free),
	STATE_NUMBERS(struct across_area_table, any_free),
	STATE_NUMBER(struct across_area_table, used),
	{ 0 },
};

void across_areas_check(const struct across_area_table *t)
{
	size_t words = bits_words(t->limit);
	uint32_t used = 0;

	for (uint32_t i = 0; i < words * BITS_WORD; i++) {
		bool holds = i < t->limit && (t->area[i].left | t->area[i].right);

		BUG_ON(bits_get(t->free, i) != (i < t->limit && !holds),
			"area %u of %u holds data and is free, or neither", i, t->limit);
		used += holds;
	}
	for (uint32_t w = 0; w < bits_words(words) * BITS_WORD; w++)
		BUG_ON(bits_get(t->any_free, w) != (w < words && t->free[w]),
			"whether one of the areas %u to %u is free is marked wrong", w * BITS_WORD,
			w * BITS_WORD + BITS_WORD - 1);
	BUG_ON(used != t->used, "%u areas hold data, %u are counted", used, t->used);
}

uint32_t across_areas_take(struct across_area_table *t)
{
	uint32_t word, index;

	BUG_ON(t->used >= t->limit, "all %u areas are taken", t->limit);
	word = bits_next(t->any_free, bits_words(bits_words(t->limit)), 0);
	index = bits_next(t->free, word + 1, word * BITS_WORD);
	bits_clear(t->free, index);
	if (!t->free[word])
		bits_clear(t->any_free, word);
	t->used++;
	return index;
}

void across_areas_give(struct across_area_table *t, uint32_t index)
{
	bits_set(t->free, index);
	bits_set(t->any_free, index / BITS_WORD);
	t->used--;
}

bool across_area_meets(const struct across_area *area, const struct across_piece *p)
{
	return (area->left & across_piece_mask(p, area->anchor)) |
	       (area->right & across_piece_mask(p, area->anchor + 1));
}

bool across_area_covers(const struct across_area *area, const struct across_piece *p)
{
	lpn_t end = area->anchor + 2;

	return p->first >= area->anchor && p->last < end &&
	       !(across_piece_mask(p, area->anchor) & ~area->left) &&
	       !(across_piece_mask(p, area->anchor + 1) & ~area->right);
}

void across_drop(struct ftl *f, uint32_t index)
{
	struct across *a = f->state;
	struct across_area *area = &a->areas.area[index];

	space_release(f->store->space, area->ppn);
	a->area_of[area->anchor] = 0;
	*area = (struct across_area){ 0 };
	across_areas_give(&a->areas, index);
}

/* ---- pieces ---- */

/* The next extent belongs to the piece if it begins where the piece ends, or in the piece's last page. */
struct across_piece across_piece_next(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct across_piece p = {
		.f = f, .a = f->state, .io = io, .extents = extents, .n = 1, .start = extents->start
	};

	while (p.n < n && (extents[p.n].start == extents[p.n - 1].end ||
				  geometry_lpn(f->geometry, extents[p.n].start) ==
					  geometry_lpn(f->geometry, extents[p.n - 1].end - 1)))
		p.n++;
	p.end = extents[p.n - 1].end;
	p.first = geometry_lpn(f->geometry, p.start);
	p.last = geometry_lpn(f->geometry, p.end - 1);
	return p;
}

mask_t across_piece_mask(const struct across_piece *p, lpn_t lpn)
{
	const struct geometry *g = p->f->geometry;
	sector_t start = geometry_page_start(g, lpn), end = start + g->sectors_per_page;
	mask_t mask = 0;

	if (lpn < p->first || lpn > p->last)
		return 0;
	for (size_t i = 0; i < p->n; i++)
		if (p->extents[i].start < end && p->extents[i].end > start)
			mask |= extent_mask(p->extents[i], lpn, g->sector_shift);
	return mask;
}
