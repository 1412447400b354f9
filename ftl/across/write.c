/*
 * Writes and trims of Across-FTL.  How a piece of a request is written depends on the areas whose sectors it
 * overwrites (Cai et al., section 3.3.1):
 *
 *	direct   none, and it straddles a border: it becomes an area
 *	merge    one, and both together fit in a page: the area is rewritten with both (AMerge)
 *	normal   anything else: page by page as in page mapping; areas that are overwritten in part are
 *	         folded into these pages (ARollback), areas that are covered are dropped
 *
 * Each page is taken after the look-ups and programmed before anything else happens.  The tables are read
 * only after that page is taken, as taking it may move other pages.
 */
#include "ftl/across/across.h"

/* Anchors of the areas that a piece of at most a page can overlap; returns their number, 2 or 3. */
static int across_anchors(const struct across_piece *p, lpn_t anchor[3])
{
	anchor[0] = p->first - 1;
	anchor[1] = p->first;
	anchor[2] = p->last;
	return p->first == p->last ? 2 : 3;
}

/* ---- writing an area ---- */

/* The sectors are now stored in an area. With release_stale off (the paper, taken literally) their old copies
 * stay valid. */
static void across_take_from_page(const struct across_piece *p, lpn_t lpn, mask_t sectors)
{
	if (across_settings(p->f)->release_stale && page_map_get(&p->a->map, lpn).mask & sectors)
		p->a->count.normal_released += page_trim_part(p->f, (struct page_part){ lpn, sectors });
}

static bool across_changes_page(const struct across_piece *p, lpn_t lpn)
{
	return across_settings(p->f)->release_stale &&
	       page_map_get(&p->a->map, lpn).mask & across_piece_mask(p, lpn);
}

/* Looks up areas other than `index`, too, to find out whether the piece overlaps them. */
static void across_translate_others(const struct across_piece *p, uint32_t index, struct deps *d)
{
	lpn_t anchor[3];
	int anchors = across_anchors(p, anchor);

	across_translate_neighbour(p, false, d);
	for (int i = 0; i < anchors; i++) {
		uint32_t other = across_area_at(p->a, anchor[i]);

		if (other != NO_AREA && other != index)
			across_translate_area(p, other, false, d);
	}
}

/*
 * Programs the area: the piece, and the sectors of the area that the piece does not cover. Changes the page
 * table's entries that point to a `created` area or lose sectors. False: the drive is full.
 */
static bool across_write_area(const struct across_piece *p, uint32_t index, bool created)
{
	struct across *a = p->a;
	struct across_area *area = &a->areas.area[index];
	mask_t left = across_piece_mask(p, area->anchor), right = across_piece_mask(p, area->anchor + 1);
	mask_t kept_left = area->left & ~left, kept_right = area->right & ~right;
	struct deps d = { .count = 0 };
	ppn_t to;

	across_translate(p, p->first, created || across_changes_page(p, p->first), &d);
	if (p->last != p->first)
		across_translate(p, p->last, created || across_changes_page(p, p->last), &d);
	across_translate_others(p, index, &d);
	across_translate_area(p, index, true, &d);
	to = store_take(p->f, p->io, area->anchor, ACROSS_HOST);
	if (to == PPN_NONE)
		return false;
	if (kept_left | kept_right) {
		deps_add(&d, deps_read(p->io, area->ppn, mask_sectors(kept_left) + mask_sectors(kept_right),
				     CAUSE_RMW, &d));
		a->count.merge_reads++;
	}
	deps_program(p->io, to, a->area_base + index,
		mask_sectors(area->left | left) + mask_sectors(area->right | right), CAUSE_HOST, &d);
	pages_hold_host(p->io, to, area->anchor, left);
	pages_hold_host(p->io, to, area->anchor + 1, right);
	pages_hold_kept(p->io, to, area->ppn, area->anchor, kept_left);
	pages_hold_kept(p->io, to, area->ppn, area->anchor + 1, kept_right);
	if (!created)
		space_release(p->f->store->space, area->ppn);
	*area = (struct across_area){ area->left | left, area->right | right, area->anchor, to, area->cut };
	across_take_from_page(p, area->anchor, left);
	across_take_from_page(p, area->anchor + 1, right);
	return true;
}

/* ---- direct write ---- */

/* May the border right of the piece's first page get an area of its own? */
static bool across_may_create(const struct across_piece *p)
{
	struct across *a = p->a;

	if (across_settings(p->f)->index == INDEX_SINGLE &&
		(across_area_at(a, p->first - 1) != NO_AREA || across_area_at(a, p->first + 1) != NO_AREA)) {
		a->count.refused_index++;
		return false;
	}
	if (a->areas.used < a->areas.limit)
		return true;
	a->count.refused_limit++;
	return false;
}

static bool across_write_direct(const struct across_piece *p)
{
	struct across *a = p->a;
	uint32_t index = across_areas_take(&a->areas);

	a->areas.area[index] = (struct across_area){ .anchor = p->first };
	if (!across_write_area(p, index, true)) {
		a->areas.area[index] = (struct across_area){ 0 };
		across_areas_give(&a->areas, index);
		return false;
	}
	a->area_of[p->first] = index + 1;
	a->count.direct_writes++;
	if (a->areas.used > a->count.most_areas)
		a->count.most_areas = a->areas.used;
	return true;
}

/* ---- AMerge ---- */

/* Do the piece and the area together fit in a page, inside the area's two pages? */
static bool across_fits_together(const struct across_area *area, const struct across_piece *p)
{
	const struct geometry *g = p->f->geometry;
	sector_t anchor = geometry_page_start(g, area->anchor), border = anchor + g->sectors_per_page;
	sector_t start = area->left ? anchor + (uint32_t)__builtin_ctzll(area->left)
				    : border + (uint32_t)__builtin_ctzll(area->right);
	sector_t end = area->right ? border + 64 - (uint32_t)__builtin_clzll(area->right)
				   : anchor + 64 - (uint32_t)__builtin_clzll(area->left);

	start = p->start < start ? p->start : start;
	end = p->end > end ? p->end : end;
	return end - start <= g->sectors_per_page && start >= anchor && end <= border + g->sectors_per_page;
}

static bool across_write_merged(const struct across_piece *p, uint32_t index)
{
	struct across_statistics *count = &p->a->count;
	bool written = across_write_area(p, index, false);

	*(across_piece_is_across(p) ? &count->profitable_merges : &count->unprofitable_merges) += written;
	return written;
}

/* ---- normal write and ARollback ---- */

/* An area over a border of the pages being written. */
struct across_met {
	uint32_t index; /* NO_AREA: there is none, or the write does not overlap it */
	bool fold;      /* sectors that the write does not cover go back to the normal pages */
	bool read;      /* this request has read the area, with operation `done` */
	op_t done;
	uint32_t kept;    /* sectors that the write does not cover */
	struct deps deps; /* dependencies of its look-up */
};

static const struct across_met across_met_none = { .index = NO_AREA };

/* Finds the area over a border and decides how the write treats it, before any of its sectors are removed.
 * The area of the anchor `forced` counts as overlapped. */
static struct across_met across_meet(const struct across_piece *p, lpn_t anchor, lpn_t forced)
{
	struct across_met m = across_met_none;
	uint32_t index = across_area_at(p->a, anchor);
	const struct across_area *area;

	if (index == NO_AREA)
		return m;
	area = &p->a->areas.area[index];
	if (!across_area_meets(area, p) && anchor != forced)
		return m;
	m.index = index;
	m.kept = mask_sectors(area->left & ~across_piece_mask(p, anchor)) +
		 mask_sectors(area->right & ~across_piece_mask(p, anchor + 1));
	m.fold = m.kept && across_settings(p->f)->partial_cover == PARTIAL_ROLLBACK;
	p->a->count.shrinks += m.kept && !m.fold;
	return m;
}

static struct deps across_look_up_page(const struct across_piece *p, lpn_t lpn, bool write)
{
	struct deps d = { .count = 0 };

	across_translate(p, lpn, write, &d);
	return d;
}

/* Looks up the area, overlapped or not. `entry`: dependencies of the page table's entries that hold its
 * index. */
static void across_look_up_area(
	const struct across_piece *p, lpn_t anchor, struct across_met *m, const struct deps *entry)
{
	uint32_t index = across_area_at(p->a, anchor);

	if (index == NO_AREA)
		return;
	m->deps = *entry;
	across_translate_area(p, index, m->index != NO_AREA, &m->deps);
}

/* One page of a normal write. */
struct across_page {
	lpn_t lpn;
	mask_t host, lost; /* sectors that the host writes; sectors of its areas that the host overwrites */
	struct across_met *met[2]; /* the areas over its left and its right border */
};

/* Sectors of the area in page `lpn`, one of its two. */
static mask_t *across_area_part(struct across *a, const struct across_met *m, lpn_t lpn)
{
	struct across_area *area = &a->areas.area[m->index];

	return area->anchor == lpn ? &area->left : &area->right;
}

/* Sectors of the area that are folded into the page. */
static mask_t across_folded(struct across *a, const struct across_met *m, const struct across_page *page)
{
	return m->index != NO_AREA && m->fold ? *across_area_part(a, m, page->lpn) & ~page->lost : 0;
}

/* Makes the program of a page into which the area is folded depend on the read of the area.  The area is read
 * once, for all such pages. */
static void across_read_folded(
	const struct across_piece *p, struct across_met *m, const struct deps *look_up, struct deps *program)
{
	struct deps d = *look_up;

	if (!m->read) {
		deps_add_all(&d, &m->deps);
		m->done = deps_read(p->io, p->a->areas.area[m->index].ppn, m->kept, CAUSE_MERGE, &d);
		m->read = true;
		p->a->count.rollback_reads++;
	}
	deps_add(program, m->done);
}

static void across_take_from_area(
	const struct across_piece *p, struct across_met *m, lpn_t lpn, mask_t sectors)
{
	struct across_area *area;

	if (m->index == NO_AREA)
		return;
	area = &p->a->areas.area[m->index];
	*across_area_part(p->a, m, lpn) &= ~sectors;
	area->cut = true;
	if (area->left | area->right)
		return;
	across_drop(p->f, m->index);
	m->index = NO_AREA;
	if (m->fold)
		p->a->count.rolled_back++;
	else
		p->a->count.cover_drops++;
}

/* `look_up`: dependencies of the page's entry. False: the drive is full. */
static bool across_write_page(
	const struct across_piece *p, const struct across_page *page, const struct deps *look_up)
{
	struct across *a = p->a;
	mask_t folded[2] = { across_folded(a, page->met[0], page), across_folded(a, page->met[1], page) };
	mask_t written = page->host | folded[0] | folded[1], kept;
	ppn_t to = store_take(p->f, p->io, page->lpn, ACROSS_HOST);
	struct deps d = *look_up;
	struct page_entry old;

	if (to == PPN_NONE)
		return false;
	old = page_map_get(&a->map, page->lpn);
	kept = old.mask & ~written;
	for (int i = 0; i < 2; i++) {
		deps_add_all(&d, &page->met[i]->deps);
		if (folded[i])
			across_read_folded(p, page->met[i], look_up, &d);
	}
	if (kept)
		deps_add(&d, deps_read(p->io, old.ppn, mask_sectors(kept), CAUSE_RMW, look_up));
	deps_program(p->io, to, page->lpn, mask_sectors(kept | written),
		page->host ? CAUSE_HOST : CAUSE_MERGE, &d);
	pages_hold_host(p->io, to, page->lpn, page->host);
	pages_hold_kept(p->io, to, old.ppn, page->lpn, kept);
	page_replace(p->f, page->lpn, old, (struct page_entry){ to, kept | written });
	for (int i = 0; i < 2; i++) {
		if (folded[i])
			pages_hold_kept(
				p->io, to, a->areas.area[page->met[i]->index].ppn, page->lpn, folded[i]);
		across_take_from_area(p, page->met[i], page->lpn, page->lost | folded[i]);
	}
	return true;
}

/*
 * Looks up the area over the left border of the piece; if it is folded, writes the page before the piece.
 * `first`: dependencies of the piece's first page.  False: the drive is full.
 */
static bool across_write_before(const struct across_piece *p, struct across_met *before, struct deps first)
{
	struct across_met none = across_met_none;
	struct across_page page = { .lpn = p->first - 1, .met = { &none, before } };
	bool writes = across_folded(p->a, before, &page);

	if (writes)
		across_translate(p, p->first - 1, true, &first);
	else
		across_translate_neighbour(p, before->index != NO_AREA, &first);
	across_look_up_area(p, p->first - 1, before, &first);
	return !writes || across_write_page(p, &page, &first);
}

/* If the area over the right border of the piece is folded, writes the page after the piece.  False: the
 * drive is full. */
static bool across_write_behind(const struct across_piece *p, struct across_met *last)
{
	struct across_met none = across_met_none;
	struct across_page page = { .lpn = p->last + 1, .met = { last, &none } };
	struct deps look_up;

	if (!across_folded(p->a, last, &page))
		return true;
	look_up = across_look_up_page(p, p->last + 1, true);
	return across_write_page(p, &page, &look_up);
}

/* Writes the piece to its normal pages, and folds the areas that it covers in part.  `forced`:
 * across_meet(). */
static bool across_write_normal(const struct across_piece *p, lpn_t forced)
{
	struct across_met before = across_meet(p, p->first - 1, LPN_NONE), own;
	struct deps look_up = across_look_up_page(p, p->first, true);
	bool folds = before.fold;

	if (!across_write_before(p, &before, look_up))
		return false;
	for (lpn_t lpn = p->first; lpn <= p->last; lpn++) {
		mask_t host = across_piece_mask(p, lpn);

		if (lpn != p->first)
			look_up = across_look_up_page(p, lpn, true);
		own = across_meet(p, lpn, forced);
		across_look_up_area(p, lpn, &own, &look_up);
		folds |= own.fold;
		if (!across_write_page(
			    p, &(struct across_page){ lpn, host, host, { &before, &own } }, &look_up))
			return false;
		before = own;
	}
	p->a->count.rollbacks += folds;
	return across_write_behind(p, &before);
}

/* There are no areas: writes as in page mapping.  False: the drive is full. */
static bool across_write_plain(const struct across_piece *p)
{
	struct page_walk walk = page_walk_start(p->f->geometry, p->extents, p->n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (!page_write_part(p->f, p->io, p->io, part, across_look_up(p->f, p->io, part.lpn, true)))
			return false;
	return true;
}

/* ---- the choice ---- */

/* The areas over the borders of a piece of at most a page. */
struct across_met_areas {
	uint32_t index[3], count;
	bool neighbour; /* one of them is over a border that the piece does not straddle */
};

static struct across_met_areas across_find_met(const struct across_piece *p)
{
	struct across_met_areas met = { .count = 0 };
	lpn_t anchor[3];
	int anchors = across_anchors(p, anchor);

	for (int i = 0; i < anchors; i++) {
		uint32_t index = across_area_at(p->a, anchor[i]);
		bool same_border = anchor[i] == p->first && across_piece_is_across(p);

		if (index == NO_AREA || (!same_border && !across_area_meets(&p->a->areas.area[index], p)))
			continue;
		met.index[met.count++] = index;
		met.neighbour |= across_piece_is_across(p) && !same_border;
	}
	return met;
}

/* Folds an area that the piece replaces; sectors that the host is going to write are not kept.  False: the
 * drive is full. */
static bool across_fold_neighbour(const struct across_piece *p, lpn_t anchor)
{
	struct across_met m = across_meet(p, anchor, LPN_NONE), none = across_met_none;
	struct deps look_up;

	if (m.index == NO_AREA)
		return true;
	look_up = across_look_up_page(p, anchor, m.fold);
	across_look_up_area(p, anchor, &m, &look_up);
	p->a->count.rollbacks += m.fold;
	for (lpn_t lpn = anchor; lpn <= anchor + 1; lpn++) {
		struct across_page page = {
			.lpn = lpn, .lost = across_piece_mask(p, lpn), .met = { &none, &m }
		};

		if (!across_folded(p->a, &m, &page)) {
			across_take_from_area(p, &m, lpn, page.lost);
			continue;
		}
		if (lpn != anchor)
			look_up = across_look_up_page(p, lpn, true);
		if (!across_write_page(p, &page, &look_up))
			return false;
	}
	return true;
}

/* A piece of at most a page.  False: the drive is full. */
static bool across_write_small(const struct across_piece *p)
{
	struct across_met_areas met = across_find_met(p);

	if (met.neighbour && across_settings(p->f)->neighbour == NEIGHBOUR_THEN_DIRECT) {
		if (!across_fold_neighbour(p, p->first - 1) || !across_fold_neighbour(p, p->last))
			return false;
		met = across_find_met(p);
	}
	if (!met.count && across_piece_is_across(p) && across_may_create(p))
		return across_write_direct(p);
	if (met.count == 1 && across_fits_together(&p->a->areas.area[met.index[0]], p))
		return across_write_merged(p, met.index[0]);
	return across_write_normal(p, across_piece_is_across(p) ? p->first : LPN_NONE);
}

static bool across_write_piece(const struct across_piece *p)
{
	if (!across_piece_is_across(p) && !across_has_areas(p->a, p->first, p->last))
		return across_write_plain(p);
	return p->end - p->start <= p->f->geometry->sectors_per_page ? across_write_small(p)
								     : across_write_normal(p, LPN_NONE);
}

void across_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	bool fits = true;

	across_begin(f, io, (struct extent){ extents[0].start, extents[n - 1].end });
	while (n && fits) {
		struct across_piece p = across_piece_next(f, io, extents, n);

		fits = across_write_piece(&p);
		extents += p.n;
		n -= p.n;
	}
	across_end(f);
}

/* ---- trim ---- */

static void across_trim_page(const struct across_piece *p, lpn_t lpn)
{
	mask_t trimmed = across_piece_mask(p, lpn);

	across_look_up(p->f, p->io, lpn, page_map_get(&p->a->map, lpn).mask & trimmed);
	page_trim_part(p->f, (struct page_part){ lpn, trimmed });
}

/* An area may be left with holes, or with sectors on one side only; its anchor does not change. */
static void across_trim_area(const struct across_piece *p, lpn_t anchor)
{
	uint32_t index = across_area_at(p->a, anchor);
	struct deps d = { .count = 0 };
	struct across_area *area;
	bool met;

	if (index == NO_AREA)
		return;
	area = &p->a->areas.area[index];
	met = across_area_meets(area, p);
	if (anchor + 1 == p->first)
		across_translate_neighbour(p, met, &d);
	across_translate_area(p, index, met, &d);
	if (!met)
		return;
	area->left &= ~across_piece_mask(p, anchor);
	area->right &= ~across_piece_mask(p, anchor + 1);
	area->cut = true;
	if (area->left | area->right)
		return;
	across_drop(p->f, index);
	p->a->count.trim_drops++;
}

void across_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct across_piece p = across_piece_next(f, io, &e, 1);

	across_begin(f, io, e);
	across_trim_area(&p, p.first - 1);
	for (lpn_t lpn = p.first; lpn <= p.last; lpn++) {
		across_trim_page(&p, lpn);
		across_trim_area(&p, lpn);
	}
	across_end(f);
}
