/*
 * Writes and trims of Across-FTL.  A piece of a request meets the areas whose sectors it overwrites, and
 * one of three things happens (Cai et al., section 3.3.1):
 *
 *	direct   none, and the piece straddles a border: it becomes an area of its own
 *	merge    one, and both together fit in a page: the area is written anew (AMerge)
 *	normal   anything else: page by page as in page mapping; areas that are overwritten in part
 *	         are folded into these pages (ARollback), areas that are covered are dropped
 *
 * Every page is allocated after the look-ups and programmed before anything else happens; what the tables
 * say is read after the allocation, which may have moved pages.
 */
#include "ftl/across/across.h"

/* ---- writing an area ---- */

/* The sectors belong to an area now.  Literal reading of the paper (release_stale off): the old ones stay. */
static void take_from_normal_page(struct ftl *f, lpn_t lpn, mask_t sectors)
{
	struct across *a = f->state;
	struct page_entry entry = page_map_get(&a->page.map, lpn);

	if (!across_settings(f)->release_stale || !(entry.mask & sectors))
		return;
	entry.mask &= ~sectors;
	if (!entry.mask) {
		space_release(a->page.store->space, entry.ppn);
		a->count.normal_released++;
	}
	page_map_set(&a->page.map, lpn, entry);
}

static bool changes_normal_page(const struct ftl *f, const struct across_piece *p, lpn_t lpn)
{
	const struct across *a = f->state;

	return across_settings(f)->release_stale &&
	       (page_map_get(&a->page.map, lpn).mask & across_piece_mask(p, lpn));
}

/* Whether they are met is known only after they have been looked up too: the areas beside `index`. */
static void translate_other_areas(
	struct ftl *f, struct io *io, const struct across_piece *p, uint32_t index, struct across_needs *n)
{
	const lpn_t anchor[] = { p->first - 1, p->first, p->last };

	across_translate_neighbour(f, io, p->first, false, n);
	for (int i = 0; i < (p->first == p->last ? 2 : 3); i++) {
		uint32_t other = across_area_at(f->state, anchor[i]);

		if (other != NO_AREA && other != index)
			across_translate_area(f, io, other, false, n);
	}
}

/*
 * Writes the area anew: the piece, and what it leaves of the area.  Of the page table it changes the entries
 * that lead to a `new` area, or those that lose sectors.  False: the drive is full.
 */
static bool write_area(struct ftl *f, struct io *io, const struct across_piece *p, uint32_t index, bool new)
{
	struct across *a = f->state;
	struct across_area *area = &a->areas.area[index];
	mask_t left = across_piece_mask(p, area->anchor), right = across_piece_mask(p, area->anchor + 1);
	mask_t kept_left = area->left & ~left, kept_right = area->right & ~right;
	struct across_needs n = { .count = 0 };
	ppn_t to;

	across_translate(f, io, p->first, new || changes_normal_page(f, p, p->first), &n);
	if (p->last != p->first)
		across_translate(f, io, p->last, new || changes_normal_page(f, p, p->last), &n);
	translate_other_areas(f, io, p, index, &n);
	across_translate_area(f, io, index, true, &n);
	to = store_take(a->page.store, io, area->anchor, ACROSS_HOST);
	if (to == PPN_NONE)
		return false;
	if (kept_left || kept_right) {
		across_needs_add(
			&n, across_read_page(io, area->ppn,
				    mask_sectors(kept_left) + mask_sectors(kept_right), CAUSE_RMW, &n));
		a->count.merge_reads++;
	}
	across_program(io, to, a->area_base + index,
		mask_sectors(area->left | left) + mask_sectors(area->right | right), CAUSE_HOST, &n);
	pages_hold_host(io, to, area->anchor, left);
	pages_hold_host(io, to, area->anchor + 1, right);
	pages_hold_kept(io, to, area->ppn, area->anchor, kept_left);
	pages_hold_kept(io, to, area->ppn, area->anchor + 1, kept_right);
	if (!new)
		space_release(a->page.store->space, area->ppn);
	*area = (struct across_area){ area->left | left, area->right | right, area->anchor, to, area->cut };
	take_from_normal_page(f, area->anchor, left);
	take_from_normal_page(f, area->anchor + 1, right);
	return true;
}

/* ---- direct write ---- */

/* May the border right of `first` get an area of its own? */
static bool may_create(struct ftl *f, lpn_t first)
{
	struct across *a = f->state;

	if (across_settings(f)->index == INDEX_SINGLE &&
		(across_area_at(a, first - 1) != NO_AREA || across_area_at(a, first + 1) != NO_AREA)) {
		a->count.refused_index++;
		return false;
	}
	if (a->areas.used < a->areas.limit)
		return true;
	a->count.refused_limit++;
	return false;
}

static bool write_direct(struct ftl *f, struct io *io, const struct across_piece *p)
{
	struct across *a = f->state;
	uint32_t index = across_areas_take(&a->areas);

	a->areas.area[index] = (struct across_area){ .anchor = p->first };
	if (!write_area(f, io, p, index, true)) {
		a->areas.area[index] = (struct across_area){ 0 };
		across_areas_give(&a->areas, index);
		return false;
	}
	across_lead_to(a, p->first, index);
	a->count.direct_writes++;
	if (a->areas.used > a->count.most_areas)
		a->count.most_areas = a->areas.used;
	return true;
}

/* ---- AMerge ---- */

/* Do the piece and the area together fit in a page, inside the area's two pages? */
static bool fits_together(const struct across_area *area, const struct across_piece *p)
{
	const struct geometry *g = p->geometry;
	sector_t anchor = geometry_page_start(g, area->anchor), border = anchor + g->sectors_per_page;
	sector_t start = area->left ? anchor + (uint32_t)__builtin_ctzll(area->left)
				    : border + (uint32_t)__builtin_ctzll(area->right);
	sector_t end = area->right ? border + 64 - (uint32_t)__builtin_clzll(area->right)
				   : anchor + 64 - (uint32_t)__builtin_clzll(area->left);

	start = p->start < start ? p->start : start;
	end = p->end > end ? p->end : end;
	return end - start <= g->sectors_per_page && start >= anchor && end <= border + g->sectors_per_page;
}

static bool write_merged(struct ftl *f, struct io *io, const struct across_piece *p, uint32_t index)
{
	struct across_statistics *count = &((struct across *)f->state)->count;
	bool written = write_area(f, io, p, index, false);

	*(across_piece_is_across(p) ? &count->profitable_merges : &count->unprofitable_merges) += written;
	return written;
}

/* ---- normal write and ARollback ---- */

/* An area over a border of the pages being written. */
struct member {
	uint32_t index; /* NO_AREA: none, or the write does not meet it */
	bool fold;      /* what the write does not cover goes back to the normal pages */
	bool read;      /* the area has been read by this request, as the operation `done` */
	uint32_t kept;  /* sectors that the write does not cover */
	op_t done;
	struct across_needs needs; /* its look-up */
};

/*
 * Which area is met and what becomes of it is decided before the first of its sectors is taken away.
 * The area of the anchor `forced` counts as met.
 */
static struct member meet(struct ftl *f, const struct across_piece *p, lpn_t anchor, lpn_t forced)
{
	struct across *a = f->state;
	struct member m = { .index = NO_AREA };
	uint32_t index = across_area_at(a, anchor);
	const struct across_area *area = &a->areas.area[index];

	if (index == NO_AREA || (!across_area_meets(area, p) && anchor != forced))
		return m;
	m.index = index;
	m.kept = mask_sectors(area->left & ~across_piece_mask(p, anchor)) +
		 mask_sectors(area->right & ~across_piece_mask(p, anchor + 1));
	m.fold = m.kept && across_settings(f)->partial_cover == PARTIAL_ROLLBACK;
	a->count.shrinks += m.kept && !m.fold;
	return m;
}

/* Looks the area up, met or not, once the page table's entries that lead to it have been. */
static void look_up_area(
	struct ftl *f, struct io *io, lpn_t anchor, struct member *m, const struct across_needs *entry)
{
	uint32_t index = across_area_at(f->state, anchor);

	if (index == NO_AREA)
		return;
	m->needs = *entry;
	across_translate_area(f, io, index, m->index != NO_AREA, &m->needs);
}

static struct across_needs look_up_page(struct ftl *f, struct io *io, lpn_t lpn, bool write)
{
	struct across_needs n = { .count = 0 };

	across_translate(f, io, lpn, write, &n);
	return n;
}

/* The normal page is at `to` now, with what of the old one is not `written`. */
static void renew_page(
	struct ftl *f, struct io *io, lpn_t lpn, struct page_entry old, ppn_t to, mask_t written)
{
	struct across *a = f->state;

	pages_hold_kept(io, to, old.ppn, lpn, old.mask & ~written);
	if (old.mask)
		space_release(a->page.store->space, old.ppn);
	page_map_set(&a->page.map, lpn, (struct page_entry){ to, old.mask | written });
}

/* Sectors of the area in page `lpn`, one of its two. */
static mask_t *area_part(struct across *a, const struct member *m, lpn_t lpn)
{
	struct across_area *area = &a->areas.area[m->index];

	return area->anchor == lpn ? &area->left : &area->right;
}

/* One page of a normal write: what the host writes to it, and what its areas lose to the host. */
struct normal_page {
	lpn_t lpn;
	mask_t host, lost;
};

/* Here and below m is NULL where there cannot be an area. */
static mask_t to_fold(struct across *a, const struct member *m, struct normal_page page)
{
	return m && m->index != NO_AREA && m->fold ? *area_part(a, m, page.lpn) & ~page.lost : 0;
}

/* The area is read once, however many pages it is folded into.  `feed`: what the program waits for. */
static void read_area(struct ftl *f, struct io *io, struct member *m, mask_t fold,
	const struct across_needs *look_up, struct across_needs *feed)
{
	struct across *a = f->state;
	struct across_needs first;

	if (!m)
		return;
	across_needs_add_all(feed, &m->needs);
	if (!fold)
		return;
	if (!m->read) {
		first = *look_up;
		across_needs_add_all(&first, &m->needs);
		m->done = across_read_page(io, a->areas.area[m->index].ppn, m->kept, CAUSE_MERGE, &first);
		m->read = true;
		a->count.rollback_reads++;
	}
	across_needs_add(feed, m->done);
}

static void take_from_area(struct ftl *f, struct member *m, lpn_t lpn, mask_t sectors)
{
	struct across *a = f->state;
	struct across_area *area;

	if (!m || m->index == NO_AREA)
		return;
	area = &a->areas.area[m->index];
	*area_part(a, m, lpn) &= ~sectors;
	area->cut = true;
	if (area->left || area->right)
		return;
	across_drop(f, m->index);
	m->index = NO_AREA;
	if (m->fold)
		a->count.rolled_back++;
	else
		a->count.cover_drops++;
}

/*
 * `look_up`: the page's own; `before` and `own`: the areas over its left and right border.  False: the drive
 * is full.
 */
static bool write_page(struct ftl *f, struct io *io, struct normal_page page,
	const struct across_needs *look_up, struct member *before, struct member *own)
{
	struct across *a = f->state;
	mask_t from_before = to_fold(a, before, page), from_own = to_fold(a, own, page), kept;
	mask_t written = page.host | from_before | from_own;
	struct across_needs feed = { .count = 0 };
	struct page_entry old;
	ppn_t to;

	to = store_take(a->page.store, io, page.lpn, ACROSS_HOST);
	if (to == PPN_NONE)
		return false;
	old = page_map_get(&a->page.map, page.lpn);
	kept = old.mask & ~written;
	across_needs_add_all(&feed, look_up);
	read_area(f, io, before, from_before, look_up, &feed);
	read_area(f, io, own, from_own, look_up, &feed);
	if (kept)
		across_needs_add(
			&feed, across_read_page(io, old.ppn, mask_sectors(kept), CAUSE_RMW, look_up));
	across_program(
		io, to, page.lpn, mask_sectors(kept | written), page.host ? CAUSE_HOST : CAUSE_MERGE, &feed);
	pages_hold_host(io, to, page.lpn, page.host);
	if (from_before)
		pages_hold_kept(io, to, a->areas.area[before->index].ppn, page.lpn, from_before);
	if (from_own)
		pages_hold_kept(io, to, a->areas.area[own->index].ppn, page.lpn, from_own);
	renew_page(f, io, page.lpn, old, to, written);
	take_from_area(f, before, page.lpn, page.lost | from_before);
	take_from_area(f, own, page.lpn, page.lost | from_own);
	return true;
}

/* Does folding the area need its page `lpn`, which the host does not write, to be written? */
static bool extends_to(struct across *a, const struct member *m, lpn_t lpn)
{
	return m->index != NO_AREA && m->fold && *area_part(a, m, lpn);
}

/* One page over whose borders no area is, as page mapping does it.  False: the drive is full. */
static bool write_plain_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct across *a = f->state;
	op_t look_up = across_look_up(f, io, part.lpn, true), read = OP_NONE, program;
	ppn_t to = store_take(a->page.store, io, part.lpn, ACROSS_HOST);
	struct page_entry old;
	mask_t kept;

	if (to == PPN_NONE)
		return false;
	old = page_map_get(&a->page.map, part.lpn);
	kept = old.mask & ~part.mask;
	if (kept)
		read = flash_read(io, old.ppn, mask_sectors(kept), CAUSE_RMW, look_up);
	program = flash_program(io, to, part.lpn, mask_sectors(old.mask | part.mask), CAUSE_HOST,
		look_up == OP_NONE ? read : look_up);
	if (look_up != OP_NONE)
		flash_wait(io, program, read);
	pages_hold_host(io, to, part.lpn, part.mask);
	renew_page(f, io, part.lpn, old, to, part.mask);
	return true;
}

static bool write_plain(struct ftl *f, struct io *io, const struct across_piece *p)
{
	struct page_walk walk = page_walk_start(f->geometry, p->extents, p->n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (!write_plain_page(f, io, part))
			return false;
	return true;
}

/*
 * Writes the piece to its normal pages, and the areas it covers in part with it: then one page more at
 * either end may be written.
 */
static bool write_normal(struct ftl *f, struct io *io, const struct across_piece *p, lpn_t forced)
{
	struct across *a = f->state;
	struct member before, own = { .index = NO_AREA };
	struct across_needs entry, outer;
	bool folds;

	before = meet(f, p, p->first - 1, LPN_NONE);
	folds = before.fold;
	outer = entry = look_up_page(f, io, p->first, true);
	if (extends_to(a, &before, p->first - 1)) {
		across_translate(f, io, p->first - 1, true, &outer);
		look_up_area(f, io, p->first - 1, &before, &outer);
		if (!write_page(f, io, (struct normal_page){ p->first - 1, 0, 0 }, &outer, NULL, &before))
			return false;
	} else {
		across_translate_neighbour(f, io, p->first, before.index != NO_AREA, &outer);
		look_up_area(f, io, p->first - 1, &before, &outer);
	}
	for (lpn_t lpn = p->first; lpn <= p->last; lpn++) {
		mask_t host = across_piece_mask(p, lpn);

		if (lpn != p->first)
			entry = look_up_page(f, io, lpn, true);
		own = meet(f, p, lpn, forced);
		look_up_area(f, io, lpn, &own, &entry);
		folds |= own.fold;
		if (!write_page(f, io, (struct normal_page){ lpn, host, host }, &entry, &before, &own))
			return false;
		before = own;
	}
	a->count.rollbacks += folds;
	if (!extends_to(a, &before, p->last + 1))
		return true;
	entry = look_up_page(f, io, p->last + 1, true);
	return write_page(f, io, (struct normal_page){ p->last + 1, 0, 0 }, &entry, &before, NULL);
}

/* ---- the choice ---- */

/* Areas that a piece of at most a page has to do with. */
struct met_areas {
	uint32_t index[3], count;
	bool neighbour; /* one of them lies over another border than the piece */
};

static struct met_areas find_met_areas(const struct across *a, const struct across_piece *p)
{
	const lpn_t anchor[] = { p->first - 1, p->first, p->last };
	struct met_areas met = { .count = 0 };

	for (int i = 0; i < (p->first == p->last ? 2 : 3); i++) {
		uint32_t index = across_area_at(a, anchor[i]);
		bool in_its_place = anchor[i] == p->first && across_piece_is_across(p);

		if (index == NO_AREA || (!in_its_place && !across_area_meets(&a->areas.area[index], p)))
			continue;
		met.index[met.count++] = index;
		met.neighbour |= across_piece_is_across(p) && !in_its_place;
	}
	return met;
}

/* Folds one page of an area that is about to be replaced; what the host will write is not kept. */
static bool fold_page(struct ftl *f, struct io *io, const struct across_piece *p, lpn_t lpn,
	const struct across_needs *look_up, struct member *before, struct member *own)
{
	struct normal_page page = { lpn, 0, across_piece_mask(p, lpn) };
	struct member *m = before ? before : own;
	struct across_needs entry;

	if (to_fold(f->state, m, page)) {
		entry = look_up ? *look_up : look_up_page(f, io, lpn, true);
		return write_page(f, io, page, &entry, before, own);
	}
	take_from_area(f, m, lpn, page.lost);
	return true;
}

/* neighbour = rollback_neighbour_then_direct: the areas of other borders make way for the piece. */
static bool clear_neighbours(struct ftl *f, struct io *io, const struct across_piece *p)
{
	const lpn_t anchor[] = { p->first - 1, p->last };
	struct across *a = f->state;

	for (int i = 0; i < 2; i++) {
		struct member m = meet(f, p, anchor[i], LPN_NONE);
		struct across_needs entry;

		if (m.index == NO_AREA)
			continue;
		entry = look_up_page(f, io, anchor[i], m.fold);
		look_up_area(f, io, anchor[i], &m, &entry);
		a->count.rollbacks += m.fold;
		if (!fold_page(f, io, p, anchor[i], &entry, NULL, &m) ||
			!fold_page(f, io, p, anchor[i] + 1, NULL, &m, NULL))
			return false;
	}
	return true;
}

/* A piece of at most a page.  False: the drive is full. */
static bool write_small(struct ftl *f, struct io *io, const struct across_piece *p)
{
	struct across *a = f->state;
	struct met_areas met = find_met_areas(a, p);

	if (met.neighbour && across_settings(f)->neighbour == NEIGHBOUR_THEN_DIRECT) {
		if (!clear_neighbours(f, io, p))
			return false;
		met = find_met_areas(a, p);
	}
	if (!met.count && across_piece_is_across(p) && may_create(f, p->first))
		return write_direct(f, io, p);
	if (met.count == 1 && fits_together(&a->areas.area[met.index[0]], p))
		return write_merged(f, io, p, met.index[0]);
	return write_normal(f, io, p, across_piece_is_across(p) ? p->first : LPN_NONE);
}

static bool write_piece(struct ftl *f, struct io *io, const struct across_piece *p)
{
	if (!across_piece_is_across(p) && !across_has_areas(f->state, p->first, p->last))
		return write_plain(f, io, p);
	return p->end - p->start <= f->geometry->sectors_per_page ? write_small(f, io, p)
								  : write_normal(f, io, p, LPN_NONE);
}

void across_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	bool fits = true;

	across_begin(f, io, (struct extent){ extents[0].start, extents[n - 1].end });
	while (n && fits) {
		struct across_piece p = across_piece_next(f->geometry, extents, n);

		fits = write_piece(f, io, &p);
		extents += p.n;
		n -= p.n;
	}
	across_end(f);
}

/* ---- trim ---- */

static void trim_page(struct ftl *f, struct io *io, const struct across_piece *p, lpn_t lpn)
{
	struct across *a = f->state;
	struct page_entry entry;
	struct across_needs n = { .count = 0 };
	mask_t trimmed = across_piece_mask(p, lpn);

	across_translate(f, io, lpn, page_map_get(&a->page.map, lpn).mask & trimmed, &n);
	entry = page_map_get(&a->page.map, lpn);
	if (!(entry.mask & trimmed))
		return;
	entry.mask &= ~trimmed;
	if (!entry.mask)
		space_release(a->page.store->space, entry.ppn);
	page_map_set(&a->page.map, lpn, entry);
}

/* An area may keep holes or only one side of its border; it stays where its anchor says. */
static void trim_area(struct ftl *f, struct io *io, const struct across_piece *p, lpn_t anchor)
{
	struct across *a = f->state;
	uint32_t index = across_area_at(a, anchor);
	struct across_area *area = &a->areas.area[index];
	struct across_needs n = { .count = 0 };
	bool met;

	if (index == NO_AREA)
		return;
	met = across_area_meets(area, p);
	if (anchor + 1 == p->first)
		across_translate_neighbour(f, io, p->first, met, &n);
	across_translate_area(f, io, index, met, &n);
	if (!met)
		return;
	area->left &= ~across_piece_mask(p, anchor);
	area->right &= ~across_piece_mask(p, anchor + 1);
	area->cut = true;
	if (area->left || area->right)
		return;
	across_drop(f, index);
	a->count.trim_drops++;
}

void across_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct across_piece p = across_piece_next(f->geometry, &e, 1);

	across_begin(f, io, e);
	trim_area(f, io, &p, p.first - 1);
	for (lpn_t lpn = p.first; lpn <= p.last; lpn++) {
		trim_page(f, io, &p, lpn);
		trim_area(f, io, &p, lpn);
	}
	across_end(f);
}
