/* The across-page mapping table, and requests cut into pieces to be compared with it. */
#include "ftl/across/across.h"

#include "base/memory.h"

#define WORD_BITS 64u

static size_t words(uint32_t bits)
{
	return (bits + WORD_BITS - 1) / WORD_BITS;
}

void across_areas_init(struct across_area_table *t, uint32_t limit)
{
	t->limit = limit;
	t->area = memory_array(limit, sizeof *t->area, "table of areas");
	t->taken = memory_array(words(limit), sizeof *t->taken, "table of areas");
	t->full = memory_array(words((uint32_t)words(limit)), sizeof *t->full, "table of areas");
}

void across_areas_release(struct across_area_table *t)
{
	memory_free(t->area);
	memory_free(t->taken);
	memory_free(t->full);
}

void across_areas_regions(struct across_area_table *t, struct regions *r)
{
	regions_visit(r, t->area, t->limit * sizeof *t->area);
	regions_visit(r, t->taken, words(t->limit) * sizeof *t->taken);
	regions_visit(r, t->full, words((uint32_t)words(t->limit)) * sizeof *t->full);
	regions_visit(r, &t->used, sizeof t->used);
}

uint32_t across_areas_take(struct across_area_table *t)
{
	uint32_t group = 0, word, index;

	BUG_ON(t->used >= t->limit, "all %u areas are taken", t->limit);
	while (!~t->full[group])
		group++;
	word = group * WORD_BITS + (uint32_t)__builtin_ctzll(~t->full[group]);
	index = word * WORD_BITS + (uint32_t)__builtin_ctzll(~t->taken[word]);
	t->taken[word] |= (uint64_t)1 << index % WORD_BITS;
	if (!~t->taken[word])
		t->full[group] |= (uint64_t)1 << word % WORD_BITS;
	t->used++;
	return index;
}

void across_areas_give(struct across_area_table *t, uint32_t index)
{
	uint32_t word = index / WORD_BITS;

	t->taken[word] &= ~((uint64_t)1 << index % WORD_BITS);
	t->full[word / WORD_BITS] &= ~((uint64_t)1 << word % WORD_BITS);
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

	space_release(a->store->space, area->ppn);
	a->area_of[area->anchor] = 0;
	*area = (struct across_area){ 0 };
	across_areas_give(&a->areas, index);
}

/* ---- pieces ---- */

/* May `next` belong to the same piece as what ends at `end`? */
static bool continues(const struct geometry *g, sector_t end, const struct extent *next)
{
	return next->start == end || geometry_lpn(g, next->start) == geometry_lpn(g, end - 1);
}

struct across_piece across_piece_next(const struct geometry *g, const struct extent *extents, size_t n)
{
	struct across_piece p = { .geometry = g, .extents = extents, .n = 1, .start = extents->start };

	while (p.n < n && continues(g, extents[p.n - 1].end, &extents[p.n]))
		p.n++;
	p.end = extents[p.n - 1].end;
	p.first = geometry_lpn(g, p.start);
	p.last = geometry_lpn(g, p.end - 1);
	return p;
}

mask_t across_piece_mask(const struct across_piece *p, lpn_t lpn)
{
	const struct geometry *g = p->geometry;
	sector_t start = geometry_page_start(g, lpn), end = start + g->sectors_per_page;
	mask_t mask = 0;

	if (lpn < p->first || lpn > p->last)
		return 0;
	for (size_t i = 0; i < p->n; i++)
		if (p->extents[i].start < end && p->extents[i].end > start)
			mask |= extent_mask(p->extents[i], lpn, g->sector_shift);
	return mask;
}
