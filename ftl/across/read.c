/*
 * Reads of Across-FTL.  A read inside one area is answered by one page (direct read); any other
 * reads every area and every normal page that holds a sector of it, side by side (merged read, if there
 * is an area among them).
 */
#include "ftl/across/across.h"

/* The area that holds every sector asked for, or NO_AREA. */
static uint32_t covering_area(const struct across *a, const struct across_piece *p)
{
	uint32_t own = across_area_at(a, p->first), before = across_area_at(a, p->first - 1);

	if (own != NO_AREA && across_area_covers(&a->areas.area[own], p))
		return own;
	if (before != NO_AREA && across_area_covers(&a->areas.area[before], p))
		return before;
	return NO_AREA;
}

static void read_direct(struct ftl *f, struct io *io, const struct across_piece *p, uint32_t index)
{
	struct across *a = f->state;
	struct across_area *area = &a->areas.area[index];
	mask_t left = across_piece_mask(p, area->anchor), right = across_piece_mask(p, area->anchor + 1);
	struct across_needs n = { .count = 0 };

	across_translate(f, io, p->first, false, &n);
	if (area->anchor != p->first)
		across_translate_neighbour(f, io, p->first, false, &n);
	across_translate_area(f, io, index, false, &n);
	across_read_page(io, area->ppn, mask_sectors(left) + mask_sectors(right), CAUSE_HOST, &n);
	pages_answer(io, area->ppn, area->anchor, left);
	pages_answer(io, area->ppn, area->anchor + 1, right);
	a->count.direct_reads++;
}

/* What a read has done so far. */
struct progress {
	uint32_t areas, pages; /* read */
	uint32_t plain;        /* logical pages with data: what page mapping would read */
};

/* Reads the sectors asked for out of the area with that anchor.  Returns those in page `lpn`, read now or before. */
static mask_t read_area(struct ftl *f, struct io *io, const struct across_piece *p, lpn_t anchor, lpn_t lpn,
	const struct across_needs *entry, struct progress *done)
{
	struct across *a = f->state;
	uint32_t index = across_area_at(a, anchor);
	const struct across_area *area = &a->areas.area[index];
	struct across_needs n;
	mask_t left, right;

	if (index == NO_AREA)
		return 0;
	left = area->left & across_piece_mask(p, anchor);
	right = area->right & across_piece_mask(p, anchor + 1);
	if (anchor != lpn && lpn != p->first)
		return right; /* looked up, and read if need be, with its left page */
	n = *entry;
	across_translate_area(f, io, index, false, &n);
	if (left | right) {
		across_read_page(io, area->ppn, mask_sectors(left) + mask_sectors(right), CAUSE_HOST, &n);
		pages_answer(io, area->ppn, anchor, left);
		pages_answer(io, area->ppn, anchor + 1, right);
		done->areas++;
	}
	return anchor == lpn ? left : right;
}

static void read_page(
	struct ftl *f, struct io *io, const struct across_piece *p, lpn_t lpn, struct progress *done)
{
	struct across *a = f->state;
	struct across_needs n = { .count = 0 };
	struct page_entry entry;
	mask_t in_areas, wanted;

	across_translate(f, io, lpn, false, &n);
	if (lpn == p->first)
		across_translate_neighbour(f, io, lpn, false, &n);
	in_areas = read_area(f, io, p, lpn - 1, lpn, &n, done);
	in_areas |= read_area(f, io, p, lpn, lpn, &n, done);
	entry = page_map_get(&a->page.map, lpn);
	wanted = entry.mask & across_piece_mask(p, lpn) & ~in_areas;
	done->plain += (wanted | in_areas) != 0;
	if (!wanted)
		return;
	across_read_page(io, entry.ppn, mask_sectors(wanted), CAUSE_HOST, &n);
	pages_answer(io, entry.ppn, lpn, wanted);
	done->pages++;
}

/* Where no area is, as page mapping does it. */
static void read_plain(struct ftl *f, struct io *io, const struct across_piece *p)
{
	struct across *a = f->state;
	struct page_walk walk = page_walk_start(f->geometry, p->extents, p->n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		op_t look_up = across_look_up(f, io, part.lpn, false);
		struct page_entry entry = page_map_get(&a->page.map, part.lpn);
		mask_t wanted = entry.mask & part.mask;

		if (!wanted)
			continue;
		flash_read(io, entry.ppn, mask_sectors(wanted), CAUSE_HOST, look_up);
		pages_answer(io, entry.ppn, part.lpn, wanted);
	}
}

static void read_piece(struct ftl *f, struct io *io, const struct across_piece *p)
{
	struct across *a = f->state;
	struct progress done = { 0 };
	uint32_t index, reads;

	if (!across_has_areas(a, p->first, p->last)) {
		read_plain(f, io, p);
		return;
	}
	index = covering_area(a, p);
	if (index != NO_AREA) {
		read_direct(f, io, p, index);
		return;
	}
	for (lpn_t lpn = p->first; lpn <= p->last; lpn++)
		read_page(f, io, p, lpn, &done);
	if (!done.areas)
		return;
	reads = done.areas + done.pages;
	a->count.merged_reads++;
	a->count.merged_read_pages += reads;
	a->count.merged_read_extra += reads > done.plain ? reads - done.plain : 0;
}

void across_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	across_begin(f, io, (struct extent){ extents[0].start, extents[n - 1].end });
	while (n) {
		struct across_piece p = across_piece_next(f->geometry, extents, n);

		read_piece(f, io, &p);
		extents += p.n;
		n -= p.n;
	}
	across_end(f);
}
