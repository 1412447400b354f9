/*
 * Writes and trims of MRSM.  A write packs its sub-pages, completed with old sectors, into pages and maps
 * them there; a trim unmaps sub-pages.
 */
#include "ftl/mrsm/mrsm.h"

#include "ftl/pages.h"

/* ---- mapping ---- */

/* How unmapping sub-pages changed the tree. */
struct unmapped {
	uint32_t taken, whole,
		left; /* extents touched; extents removed whole; remaining pieces of the others */
};

/* Unmaps [from, end) and invalidates its slots. */
static struct unmapped mrsm_unmap(struct ftl *f, sub_t from, sub_t end)
{
	struct mrsm *m = f->state;
	struct unmapped u = { 0, 0, 0 };
	struct mrsm_piece p;
	int parts;

	while ((parts = mrsm_tree_take(&m->tree, &from, end, &p)) >= 0) {
		slots_kill(&m->slots, p.ppn, p.slot, p.length);
		u.taken++;
		u.left += (uint32_t)parts;
		u.whole += parts == 0;
	}
	m->statistics.splits += u.taken - u.whole;
	return u;
}

/* Number of logical pages in [from, end) whose extents the request or collection has not searched yet; calls
 * come in ascending order. */
static uint32_t mrsm_searches(struct mrsm *m, sub_t from, sub_t end)
{
	lpn_t first = mrsm_lpn(m, from), last = mrsm_lpn(m, end - 1);
	uint32_t pages = last - first + (first != m->searched);

	m->searched = last;
	return pages;
}

/* Counts DRAM accesses: one for each node that is written, inserted or removed, and a descent for each
 * insertion, removal and search. */
static void mrsm_count_change(struct ftl *f, struct unmapped u, uint32_t put, uint32_t searched)
{
	uint32_t now = u.left + put, stay = u.taken < now ? u.taken : now;

	mrsm_count_nodes(f, searched + now - stay + u.taken - stay, now > u.taken ? now : u.taken);
}

/* The frequent case: a logical page that is one extent is mapped anew as one extent.  False: it is not the
 * case. */
static bool mrsm_map_whole(struct ftl *f, struct mrsm_piece run)
{
	struct mrsm *m = f->state;
	ppn_t was;

	if (run.length != m->slots_per_page || mrsm_tree_offset(&m->tree, run.sub))
		return false;
	was = mrsm_tree_move_whole(&m->tree, mrsm_lpn(m, run.sub), run.ppn);
	if (was == PPN_NONE)
		return false;
	slots_kill(&m->slots, was, 0, m->slots_per_page);
	mrsm_count_nodes(f, mrsm_searches(m, run.sub, run.sub + run.length), 1);
	return true;
}

/* Maps consecutive sub-pages; their old copies become invalid. */
static void mrsm_map_run(struct ftl *f, struct mrsm_piece run)
{
	struct mrsm *m = f->state;
	sub_t end = run.sub + run.length;
	uint32_t put = 1 + mrsm_tree_region_of(&m->tree, end - 1) - mrsm_tree_region_of(&m->tree, run.sub);
	struct unmapped u;

	if (mrsm_map_whole(f, run))
		return;
	u = mrsm_unmap(f, run.sub, end);
	mrsm_tree_put(&m->tree, run);
	mrsm_count_change(f, u, put, mrsm_searches(m, run.sub, end));
	m->statistics.merges += u.whole > put ? u.whole - put : 0;
}

/* Consecutive sub-pages in consecutive slots become one extent. */
static void mrsm_map_runs(struct ftl *f, const struct pack_page *page)
{
	for (uint32_t i = 0, slot = 0, length; i < page->count; slot += length) {
		sub_t first = page->part[i].sub;

		i += pack_run(page->part + i, page->count - i, &length);
		mrsm_map_run(f, (struct mrsm_piece){ first, length, page->to, slot });
	}
}

static void mrsm_hold(const struct mrsm *m, struct io *io, ppn_t to, const struct pack_part *p)
{
	for (uint32_t i = 0; i < p->length; i++) {
		sub_t sub = p->sub + i;
		mask_t host = p->host >> (i << m->sub_shift) & m->full_sub;
		mask_t kept = p->kept >> (i << m->sub_shift) & m->full_sub;

		if (host)
			pages_hold_host(io, to, mrsm_lpn(m, sub), mrsm_page_mask(m, sub, host));
		if (kept)
			pages_hold_kept(io, to, p->from, mrsm_lpn(m, sub), mrsm_page_mask(m, sub, kept));
	}
}

op_t mrsm_program(struct ftl *f, struct io *io, const struct pack_page *page)
{
	struct mrsm *m = f->state;
	op_t program = pack_program(&m->pack, io, page);

	for (uint32_t i = 0; i < page->count; i++) {
		if (f->flash->oracle)
			mrsm_hold(m, io, page->to, &page->part[i]);
		mrsm_add_written(m, page->part[i].sub, page->part[i].host);
	}
	mrsm_map_runs(f, page);
	return program;
}

/* Finds the sectors to keep of sub-pages that the host covers in part; each of these is a separate part. */
static void mrsm_find_kept(const struct mrsm *m, struct pack_part *packed, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		sub_t at = packed[i].sub;
		struct mrsm_piece p;

		packed[i].kept = mrsm_written(m, at, packed[i].length) & ~packed[i].host;
		if (packed[i].kept && mrsm_tree_next(&m->tree, &at, at + 1, &p))
			packed[i].from = p.ppn;
	}
}

/* One read per page that sectors are kept from. */
static void mrsm_read_kept(struct mrsm *m, struct io *io, struct pack_part *packed, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t sectors = 0, first = i;

		for (uint32_t j = count; j-- && packed[i].kept;)
			if (packed[j].kept && packed[j].from == packed[i].from) {
				sectors += mask_sectors(packed[j].kept);
				first = j;
			}
		if (!packed[i].kept || first != i)
			continue;
		packed[i].read = flash_read(io, packed[i].from, sectors, CAUSE_RMW, OP_NONE);
		mrsm_wait(m, io, packed[i].read);
		m->statistics.rmw_reads++;
	}
}

/* False: the drive is full. */
static bool mrsm_write_page(struct ftl *f, struct io *io, struct pack_part *packed, uint32_t count)
{
	struct mrsm *m = f->state;
	ppn_t to = store_take(f, io, mrsm_lpn(m, packed[0].sub), MRSM_HOST);

	if (to == PPN_NONE)
		return false;
	slots_prefetch(&m->slots, to);
	mrsm_find_kept(m, packed, count);
	mrsm_read_kept(m, io, packed, count);
	mrsm_wait(m, io, mrsm_program(f, io, &(struct pack_page){ to, packed, count, CAUSE_HOST }));
	m->statistics.packed_pages++;
	return true;
}

/* Sub-pages gathered for the next page. */
struct packing {
	struct pack_part part[SLOTS_MOST];
	uint32_t parts, slots;
};

/* How many sub-pages to gather from the start of the mask: up to `room` whole ones, or one that is covered in
 * part. */
static uint32_t mrsm_next_run(const struct mrsm *m, mask_t host, uint32_t room)
{
	uint32_t whole = (~host ? (uint32_t)__builtin_ctzll(~host) : 64) >> m->sub_shift;

	return whole > room ? room : whole + !whole;
}

/* Gathers the sub-pages of one logical page that the host writes, and programs each page that is full.
 * False: the drive is full. */
static bool mrsm_write_part(struct ftl *f, struct io *io, struct page_part part, struct packing *p)
{
	const struct mrsm *m = f->state;
	uint32_t length;

	for (uint32_t at = 0; at < m->slots_per_page; at += length) {
		mask_t host = part.mask >> (at << m->sub_shift);

		if (!host)
			return true;
		length = (uint32_t)__builtin_ctzll(host) >> m->sub_shift;
		if (length)
			continue;
		length = mrsm_next_run(m, host, m->slots_per_page - p->slots);
		p->part[p->parts++] = (struct pack_part){ .sub = part.lpn * m->slots_per_page + at,
			.length = length,
			.host = host & bits_below(length << m->sub_shift) };
		p->slots += length;
		if (p->slots < m->slots_per_page)
			continue;
		if (!mrsm_write_page(f, io, p->part, p->parts))
			return false;
		p->parts = p->slots = 0;
	}
	return true;
}

static void mrsm_pack_and_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mrsm *m = f->state;
	struct packing packing;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	packing.parts = packing.slots = 0;
	while (page_walk_next(&walk, &part))
		if (!mrsm_write_part(f, io, part, &packing))
			return;
	if (packing.parts && mrsm_write_page(f, io, packing.part, packing.parts))
		m->statistics.wasted_slots += m->slots_per_page - packing.slots;
}

void mrsm_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mrsm *m = f->state;

	mrsm_begin(f, io);
	for (size_t i = 0; i < n; i++) {
		sub_t from = mrsm_sub(m, extents[i].start), end = mrsm_sub(m, extents[i].end - 1) + 1;

		mrsm_open_regions(m, from, end);
		mrsm_translate(f, io, extents[i], true);
	}
	mrsm_pack_and_write(f, io, extents, n);
	for (size_t i = 0; i < n; i++)
		mrsm_fit_regions(f, io, mrsm_sub(m, extents[i].start), mrsm_sub(m, extents[i].end - 1) + 1);
}

/* ---- trim ---- */

/* The sub-page keeps its data outside the extent; false if there is none. */
static bool mrsm_keep_rest(struct mrsm *m, sub_t sub, struct extent e)
{
	mask_t rest = mrsm_written(m, sub, 1) & ~mrsm_covered(m, sub, e);

	if (rest)
		mrsm_set_written(m, sub, rest);
	return rest;
}

void mrsm_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct mrsm *m = f->state;
	sub_t first = mrsm_sub(m, e.start), last = mrsm_sub(m, e.end - 1), from = first, end = last + 1, at;
	struct mrsm_piece p;

	mrsm_begin(f, io);
	mrsm_translate(f, io, e, true);
	from += mrsm_keep_rest(m, first, e);
	end -= last > first && mrsm_keep_rest(m, last, e);
	for (at = from; mrsm_tree_next(&m->tree, &at, end, &p);)
		for (sub_t sub = p.sub; sub < p.sub + p.length; sub++)
			mrsm_set_written(m, sub, 0);
	mrsm_count_change(f, mrsm_unmap(f, from, end), 0, mrsm_logical_pages(m, first, last + 1));
	mrsm_fit_regions(f, io, first, last + 1);
}
