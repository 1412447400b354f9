/*
 * Reads of Across-FTL.  A read inside one area is answered by one page (direct read).  Any other reads each
 * area and each normal page that holds a sector of it, in parallel (merged read, if an area is among them).
 */
#include "ftl/across/across.h"

/* The area that holds every sector of the piece, or NO_AREA. */
static uint32_t across_covering_area(const struct across_piece *p)
{
	uint32_t own = across_area_at(p->a, p->first), before = across_area_at(p->a, p->first - 1);

	if (own != NO_AREA && across_area_covers(&p->a->areas.area[own], p))
		return own;
	if (before != NO_AREA && across_area_covers(&p->a->areas.area[before], p))
		return before;
	return NO_AREA;
}

/* Reads these sectors of an area. */
static void across_read_sectors(const struct across_piece *p, const struct across_area *area, mask_t left,
	mask_t right, const struct deps *d)
{
	deps_read(p->io, area->ppn, mask_sectors(left) + mask_sectors(right), CAUSE_HOST, d);
	pages_answer(p->io, area->ppn, area->anchor, left);
	pages_answer(p->io, area->ppn, area->anchor + 1, right);
}

static void across_read_direct(const struct across_piece *p, uint32_t index)
{
	const struct across_area *area = &p->a->areas.area[index];
	struct deps d = { .count = 0 };

	across_translate(p, p->first, false, &d);
	if (area->anchor != p->first)
		across_translate_neighbour(p, false, &d);
	across_translate_area(p, index, false, &d);
	across_read_sectors(
		p, area, across_piece_mask(p, area->anchor), across_piece_mask(p, area->anchor + 1), &d);
	p->a->count.direct_reads++;
}

/* Progress of a merged read. */
struct across_progress {
	uint32_t areas, pages; /* read */
	uint32_t plain;        /* logical pages with data: what page mapping would read */
};

/*
 * Reads the sectors of the piece that the area with that anchor holds, if `lpn` is the area's first page in
 * the piece. `entry`: dependencies of the look-up of page `lpn`. Returns the sectors of page `lpn` that are
 * in the area.
 */
static mask_t across_read_area(const struct across_piece *p, lpn_t anchor, lpn_t lpn,
	const struct deps *entry, struct across_progress *done)
{
	uint32_t index = across_area_at(p->a, anchor);
	const struct across_area *area;
	mask_t left, right;
	struct deps d;

	if (index == NO_AREA)
		return 0;
	area = &p->a->areas.area[index];
	left = area->left & across_piece_mask(p, anchor);
	right = area->right & across_piece_mask(p, anchor + 1);
	if (anchor != lpn && lpn != p->first)
		return right; /* read with its left page */
	d = *entry;
	across_translate_area(p, index, false, &d);
	if (left | right) {
		across_read_sectors(p, area, left, right, &d);
		done->areas++;
	}
	return anchor == lpn ? left : right;
}

static void across_read_page(const struct across_piece *p, lpn_t lpn, struct across_progress *done)
{
	struct deps d = { .count = 0 };
	struct page_entry entry;
	mask_t in_areas, wanted;

	across_translate(p, lpn, false, &d);
	if (lpn == p->first)
		across_translate_neighbour(p, false, &d);
	in_areas = across_read_area(p, lpn - 1, lpn, &d, done);
	in_areas |= across_read_area(p, lpn, lpn, &d, done);
	entry = page_map_get(&p->a->map, lpn);
	wanted = entry.mask & across_piece_mask(p, lpn) & ~in_areas;
	done->plain += (wanted | in_areas) != 0;
	if (!wanted)
		return;
	deps_read(p->io, entry.ppn, mask_sectors(wanted), CAUSE_HOST, &d);
	pages_answer(p->io, entry.ppn, lpn, wanted);
	done->pages++;
}

/* There are no areas: reads as in page mapping. */
static void across_read_plain(const struct across_piece *p)
{
	struct page_walk walk = page_walk_start(p->f->geometry, p->extents, p->n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		page_read_part(p->f, p->io, part, across_look_up(p->f, p->io, part.lpn, false));
}

static void across_read_piece(const struct across_piece *p)
{
	struct across_statistics *count = &p->a->count;
	struct across_progress done = { 0 };
	uint32_t index, reads;

	if (!across_has_areas(p->a, p->first, p->last)) {
		across_read_plain(p);
		return;
	}
	index = across_covering_area(p);
	if (index != NO_AREA) {
		across_read_direct(p, index);
		return;
	}
	for (lpn_t lpn = p->first; lpn <= p->last; lpn++)
		across_read_page(p, lpn, &done);
	if (!done.areas)
		return;
	reads = done.areas + done.pages;
	count->merged_reads++;
	count->merged_read_pages += reads;
	count->merged_read_extra += reads > done.plain ? reads - done.plain : 0;
}

void across_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	across_begin(f, io, (struct extent){ extents[0].start, extents[n - 1].end });
	while (n) {
		struct across_piece p = across_piece_next(f, io, extents, n);

		across_read_piece(&p);
		extents += p.n;
		n -= p.n;
	}
	across_end(f);
}
