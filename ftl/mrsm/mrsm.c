/*
 * MRSM: requests.
 *
 * A write takes as many pages as its sub-pages fill, packed from slot 0 in logical order whatever their
 * alignment; what is left of the last page is wasted (no data waits in RAM for company).  Old data is read
 * only for sub-pages that are covered in part.  A read takes one flash read per physical page involved.
 */
#include "ftl/mrsm/mrsm.h"

#include "base/bits.h"
#include "base/memory.h"
#include "ftl/pages.h"
#include "pagemap/page_map.h"
#include "stats/table.h"

#include <stdio.h>

#define MRSM(type, field) PARAM(type, struct mrsm_settings, field)

static const char *const cache_model_names[] = { "lru", "static", NULL };

static const struct param mrsm_params[] = {
	{ MRSM(UINT, subpage_sectors), 1, 64, "sectors", "1",
		"size of a sub-page, the smallest piece that is mapped: a power of two up to a page" },
	{ MRSM(UINT, node_bytes), 4, 64, "bytes", "16", "of an extent in a mapping page" },
	{ MRSM(CHOICE, cache_model), 0, 0, "", "static",
		"static = as in ICPP'23, as far as its numbers tell: each logical page translated finds its "
		"entry in DRAM by chance, else reads its mapping page, and programs it if it changes; lru = "
		"a real cache of whole mapping pages, of which those that exist mostly fit, so that MRSM gets "
		"much better than published",
		cache_model_names },
	{ MRSM(REAL, cached_share), 0, 1, "share", "0",
		"static: chance of a hit; 0 = cache / size of the table, were the whole drive mapped as finely as "
		"what is (ICPP'23 names 0.421)" },
	{ 0 },
};

/* ---- life ---- */

static bool choose_subpage(struct ftl *f, struct fault *fault)
{
	struct mrsm *m = f->state;
	const struct mrsm_settings *s = f->settings;
	uint32_t page = f->geometry->sectors_per_page;
	uint64_t sectors = s->subpage_sectors;

	if (sectors & (sectors - 1) || sectors > page)
		return fault_set(fault,
			"mrsm.subpage_sectors = %llu is not a power of two up to the %u sectors of a page",
			(unsigned long long)sectors, page);
	m->sectors = (uint32_t)sectors;
	m->sub_shift = (uint32_t)__builtin_ctz(m->sectors);
	m->slots_per_page = page / m->sectors;
	m->full_sub = bits_below(m->sectors);
	m->full_page = bits_below(page);
	return true;
}

/* A mapping page was moved; data moves by mrsm_empty(). */
static void relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct mrsm *m = f->state;

	(void)io;
	directory_page_moved(m->directory, owner - m->directory->base, from, to);
}

/* A mapping page is about to move. */
static void prefetch_owner(const struct ftl *f, owner_t owner, enum prefetch_stage stage)
{
	const struct mrsm *m = f->state;

	(void)stage;
	if (directory_owns(m->directory, owner))
		directory_prefetch(m->directory, owner - m->directory->base);
}

static const struct store_plan plan_without_map = {
	.streams = (const struct stream[]){ [MRSM_HOST] = { "host", .survivors = MRSM_GC },
		[MRSM_GC] = { "gc", .survivors = MRSM_GC },
		[MRSM_MAP] = { "map", .survivors = MRSM_MAP, .map = true },
		{ 0 } },
	.client = { .relocate = relocate,
		.empty = mrsm_empty,
		.last_resort = mrsm_last_resort,
		.prefetch = prefetch_owner },
	.packs = true,
};

static size_t written_words(const struct ftl *f)
{
	return f->geometry->logical_sectors / 64 + 1;
}

static bool mrsm_init(struct ftl *f, struct fault *fault)
{
	struct store_plan plan = plan_without_map;
	struct mrsm *m = f->state;
	const struct geometry *g = f->geometry;
	uint64_t subs, names;

	if (!choose_subpage(f, fault) || !page_map_fits(g, fault))
		return false;
	subs = (uint64_t)g->logical_pages * m->slots_per_page;
	if (subs >= OWNER_NONE)
		return fault_set(fault,
			"%llu sub-pages cannot be addressed; use a larger mrsm.subpage_sectors",
			(unsigned long long)subs);
	mrsm_tree_init(&m->tree, g->logical_pages, g->pages, m->slots_per_page, g->page_bytes / 8);
	plan.map_pages = mrsm_map_pages_in_flash(f);
	if (!store_create(f, &plan, fault)) {
		mrsm_tree_release(&m->tree);
		return false;
	}
	if (!mrsm_map_init(f, (owner_t)subs)) {
		mrsm_tree_release(&m->tree);
		return fault_set(fault,
			"the drive is too large for mrsm.subpage_sectors = %u; use larger ones", m->sectors);
	}
	names = subs + m->directory->pages;
	slots_init(&m->slots, f->store->space, m->slots_per_page, (owner_t)names);
	if (m->sectors > 1)
		m->written = memory_array(written_words(f), sizeof *m->written, "written sectors");
	mrsm_pack_init(f);
	return true;
}

static void mrsm_exit(struct ftl *f)
{
	struct mrsm *m = f->state;

	mrsm_map_exit(m);
	mrsm_tree_release(&m->tree);
	slots_release(&m->slots);
	memory_free(m->written);
	pack_release(&m->pack);
	memory_free(m->wanted);
}

/* ---- sectors ---- */

/* A mask of sectors of a sub-page as one of its logical page. */
static mask_t page_mask(const struct mrsm *m, sub_t sub, mask_t mask)
{
	return mask << (mrsm_tree_offset(&m->tree, sub) << m->sub_shift);
}

static void hold(const struct mrsm *m, struct io *io, ppn_t to, const struct pack_part *p)
{
	for (uint32_t i = 0; i < p->length; i++) {
		sub_t sub = p->sub + i;
		mask_t host = p->host >> (i << m->sub_shift) & m->full_sub;
		mask_t kept = p->kept >> (i << m->sub_shift) & m->full_sub;

		if (host)
			pages_hold_host(io, to, mrsm_lpn(m, sub), page_mask(m, sub, host));
		if (kept)
			pages_hold_kept(io, to, p->from, mrsm_lpn(m, sub), page_mask(m, sub, kept));
	}
}

/* The sectors of a sub-page that the extent covers; it touches the sub-page. */
static mask_t covered(const struct mrsm *m, sub_t sub, struct extent e)
{
	return extent_mask(e, sub, m->sub_shift);
}

/* A request begins: it pays for what collections have changed, and waits for nothing yet. */
static void begin(struct ftl *f, struct io *io)
{
	struct mrsm *m = f->state;

	mrsm_map_settle(m, io);
	m->waits = 0;
	m->searched = LPN_NONE;
}

static uint32_t logical_pages(const struct mrsm *m, sub_t from, sub_t end)
{
	return mrsm_lpn(m, end - 1) - mrsm_lpn(m, from) + 1;
}

/* ---- read ---- */

static void want(struct mrsm *m, uint32_t *count, ppn_t ppn, uint32_t sectors)
{
	for (uint32_t i = *count; i--;)
		if (m->wanted[i].ppn == ppn) {
			m->wanted[i].sectors += sectors;
			return;
		}
	m->wanted = memory_grown(m->wanted, &m->wanted_room, *count + 1, sizeof *m->wanted, "read requests");
	m->wanted[(*count)++] = (struct mrsm_wanted){ ppn, sectors };
}

/* Adds the pages that hold data of the extent to the `count` wanted so far; returns their number. */
static uint32_t find_wanted(struct ftl *f, struct extent e, uint32_t count)
{
	struct mrsm *m = f->state;
	sub_t at = mrsm_sub(m, e.start), end = mrsm_sub(m, e.end - 1) + 1;
	uint32_t visited = 0;
	struct mrsm_piece p;

	mrsm_count_nodes(f, logical_pages(m, at, end), 0);
	for (; mrsm_tree_next(&m->tree, &at, end, &p); visited++) {
		sector_t start = (sector_t)p.sub << m->sub_shift;
		sector_t stop = (sector_t)(p.sub + p.length) << m->sub_shift;
		mask_t written;

		start = start > e.start ? start : e.start;
		stop = stop < e.end ? stop : e.end;
		written = mrsm_written_sectors(m, start, (uint32_t)(stop - start));
		if (written)
			want(m, &count, p.ppn, mask_sectors(written));
	}
	mrsm_count_nodes(f, 0, visited);
	return count;
}

static void answer(const struct mrsm *m, struct io *io, struct extent e)
{
	sub_t at = mrsm_sub(m, e.start), end = mrsm_sub(m, e.end - 1) + 1;
	struct mrsm_piece p;

	while (mrsm_tree_next(&m->tree, &at, end, &p))
		for (sub_t sub = p.sub; sub < p.sub + p.length; sub++)
			pages_answer(io, p.ppn, mrsm_lpn(m, sub),
				page_mask(m, sub, mrsm_written(m, sub, 1) & covered(m, sub, e)));
}

static void mrsm_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mrsm *m = f->state;
	uint32_t count = 0;

	begin(f, io);
	for (size_t i = 0; i < n; i++)
		mrsm_translate(f, io, extents[i], false); /* may collect, and so move what is wanted */
	for (size_t i = 0; i < n; i++)
		count = find_wanted(f, extents[i], count);
	for (uint32_t i = 0; i < count; i++)
		mrsm_wait(m, io, flash_read(io, m->wanted[i].ppn, m->wanted[i].sectors, CAUSE_HOST, OP_NONE));
	for (size_t i = 0; f->flash->oracle && i < n; i++)
		answer(m, io, extents[i]);
}

/* ---- write ---- */

/* What became of the tree where sub-pages were unmapped. */
struct unmapped {
	uint32_t taken, whole,
		left; /* extents that were there; that are gone; pieces of the others that stay */
};

/* Unmaps [from, end): its slots die. */
static struct unmapped unmap(struct ftl *f, sub_t from, sub_t end)
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

/* Logical pages of [from, end) that the request or collection has not searched for yet; they come in
 * order. */
static uint32_t searches(struct mrsm *m, sub_t from, sub_t end)
{
	lpn_t first = mrsm_lpn(m, from), last = mrsm_lpn(m, end - 1);
	uint32_t pages = last - first + (first != m->searched);

	m->searched = last;
	return pages;
}

/* Nodes that stay are written in place, others inserted or removed: a descent each, as each search. */
static void count_change(struct ftl *f, struct unmapped u, uint32_t put, uint32_t searched)
{
	uint32_t now = u.left + put, stay = u.taken < now ? u.taken : now;

	mrsm_count_nodes(f, searched + now - stay + u.taken - stay, now > u.taken ? now : u.taken);
}

/* A logical page that is one extent becomes another: the frequent case, nothing else can change.  False: it
 * is not. */
static bool map_whole(struct ftl *f, struct mrsm_piece run)
{
	struct mrsm *m = f->state;
	ppn_t was;

	if (run.length != m->slots_per_page || mrsm_tree_offset(&m->tree, run.sub))
		return false;
	was = mrsm_tree_move_whole(&m->tree, mrsm_lpn(m, run.sub), run.ppn);
	if (was == PPN_NONE)
		return false;
	slots_kill(&m->slots, was, 0, m->slots_per_page);
	mrsm_count_nodes(f, searches(m, run.sub, run.sub + run.length), 1);
	return true;
}

/* Maps consecutive sub-pages; what was mapped there before dies. */
static void map_run(struct ftl *f, struct mrsm_piece run)
{
	struct mrsm *m = f->state;
	sub_t end = run.sub + run.length;
	struct unmapped u = { 1, 1, 0 };
	uint32_t put = 1 + mrsm_tree_region_of(&m->tree, end - 1) - mrsm_tree_region_of(&m->tree, run.sub);
	struct mrsm_piece old;

	if (map_whole(f, run))
		return;
	if (mrsm_tree_replace(&m->tree, run, &old)) {
		slots_kill(&m->slots, old.ppn, old.slot, old.length);
	} else {
		u = unmap(f, run.sub, end);
		mrsm_tree_put(&m->tree, run);
	}
	count_change(f, u, put, searches(m, run.sub, end));
	m->statistics.merges += u.whole > put ? u.whole - put : 0;
}

/* Consecutive sub-pages in consecutive slots become one extent. */
static void map_runs(struct ftl *f, const struct pack_page *page)
{
	for (uint32_t i = 0, slot = 0, length; i < page->count; slot += length) {
		sub_t first = page->part[i].sub;

		i += pack_run(page->part + i, page->count - i, &length);
		map_run(f, (struct mrsm_piece){ first, length, page->to, slot });
	}
}

op_t mrsm_program(struct ftl *f, struct io *io, const struct pack_page *page)
{
	struct mrsm *m = f->state;
	op_t program = pack_program(&m->pack, io, page);

	for (uint32_t i = 0; i < page->count; i++) {
		if (f->flash->oracle)
			hold(m, io, page->to, &page->part[i]);
		mrsm_add_written(m, page->part[i].sub, page->part[i].host);
	}
	map_runs(f, page);
	return program;
}

/* Finds what must be kept of sub-pages that the host covers in part; each of these is a part of its own. */
static void find_kept(const struct mrsm *m, struct pack_part *packed, uint32_t count)
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
static void read_kept(struct mrsm *m, struct io *io, struct pack_part *packed, uint32_t count)
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
static bool write_page(struct ftl *f, struct io *io, struct pack_part *packed, uint32_t count)
{
	struct mrsm *m = f->state;
	ppn_t to = store_take(f, io, mrsm_lpn(m, packed[0].sub), MRSM_HOST);

	if (to == PPN_NONE)
		return false;
	slots_prefetch(&m->slots, to);
	find_kept(m, packed, count);
	read_kept(m, io, packed, count);
	mrsm_wait(m, io, mrsm_program(f, io, &(struct pack_page){ to, packed, count, CAUSE_HOST }));
	m->statistics.packed_pages++;
	return true;
}

/* The same with one logical page, all of it new: nothing is kept, nothing packed. */
static bool write_whole(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct mrsm *m = f->state;
	sub_t sub = lpn * m->slots_per_page;
	ppn_t to = store_take(f, io, lpn, MRSM_HOST);
	op_t program;

	if (to == PPN_NONE)
		return false;
	slots_prefetch(&m->slots, to);
	program = flash_program(io, to, sub, f->geometry->sectors_per_page, CAUSE_HOST, OP_NONE);
	slots_fill(&m->slots, to, m->slots_per_page);
	pages_hold_host(io, to, lpn, m->full_page);
	mrsm_add_written(m, sub, m->full_page);
	map_run(f, (struct mrsm_piece){ sub, m->slots_per_page, to, 0 });
	mrsm_wait(m, io, program);
	m->statistics.packed_pages++;
	return true;
}

/* What waits until it fills a page. */
struct packing {
	struct pack_part part[SLOTS_MOST];
	uint32_t parts, slots;
};

/* How many sub-pages the mask begins with: one covered in part, or whole ones as far as there is room. */
static uint32_t next_run(const struct mrsm *m, mask_t host, uint32_t room)
{
	uint32_t whole = (~host ? (uint32_t)__builtin_ctzll(~host) : 64) >> m->sub_shift;

	return whole > room ? room : whole + !whole;
}

/* The sub-pages of one logical page that the host writes, a page at a time. */
static bool write_part(struct ftl *f, struct io *io, struct page_part part, struct packing *p)
{
	const struct mrsm *m = f->state;
	uint32_t length;

	if (part.mask == m->full_page && !p->slots)
		return write_whole(f, io, part.lpn);
	for (uint32_t at = 0; at < m->slots_per_page; at += length) {
		mask_t host = part.mask >> (at << m->sub_shift);

		if (!host)
			return true;
		length = (uint32_t)__builtin_ctzll(host) >> m->sub_shift;
		if (length)
			continue;
		length = next_run(m, host, m->slots_per_page - p->slots);
		p->part[p->parts++] = (struct pack_part){ .sub = part.lpn * m->slots_per_page + at,
			.length = length,
			.host = host & bits_below(length << m->sub_shift) };
		p->slots += length;
		if (p->slots < m->slots_per_page)
			continue;
		if (!write_page(f, io, p->part, p->parts))
			return false;
		p->parts = p->slots = 0;
	}
	return true;
}

static void pack_and_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mrsm *m = f->state;
	struct packing packing;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	packing.parts = packing.slots = 0;
	while (page_walk_next(&walk, &part))
		if (!write_part(f, io, part, &packing))
			return;
	if (packing.parts && write_page(f, io, packing.part, packing.parts))
		m->statistics.wasted_slots += m->slots_per_page - packing.slots;
}

static void mrsm_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mrsm *m = f->state;

	begin(f, io);
	for (size_t i = 0; i < n; i++) {
		sub_t from = mrsm_sub(m, extents[i].start), end = mrsm_sub(m, extents[i].end - 1) + 1;

		mrsm_open_regions(m, from, end);
		mrsm_translate(f, io, extents[i], true);
	}
	pack_and_write(f, io, extents, n);
	for (size_t i = 0; i < n; i++)
		mrsm_fit_regions(f, io, mrsm_sub(m, extents[i].start), mrsm_sub(m, extents[i].end - 1) + 1);
}

/* ---- trim ---- */

/* The sub-page keeps the sectors outside the extent; false if there are none. */
static bool keep_rest(struct mrsm *m, sub_t sub, struct extent e)
{
	mask_t rest = mrsm_written(m, sub, 1) & ~covered(m, sub, e);

	if (rest)
		mrsm_set_written(m, sub, rest);
	return rest;
}

static void mrsm_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct mrsm *m = f->state;
	sub_t first = mrsm_sub(m, e.start), last = mrsm_sub(m, e.end - 1), from = first, end = last + 1, at;
	struct mrsm_piece p;

	begin(f, io);
	mrsm_translate(f, io, e, true);
	from += keep_rest(m, first, e);
	end -= last > first && keep_rest(m, last, e);
	for (at = from; mrsm_tree_next(&m->tree, &at, end, &p);)
		for (sub_t sub = p.sub; sub < p.sub + p.length; sub++)
			mrsm_set_written(m, sub, 0);
	count_change(f, unmap(f, from, end), 0, logical_pages(m, first, last + 1));
	mrsm_fit_regions(f, io, first, last + 1);
}

/* ---- the rest ---- */

static void mrsm_prefetch(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	const struct mrsm *m = f->state;
	ppn_t ppn;

	if (stage == PREFETCH_ENTRY) {
		mrsm_tree_expect_later(&m->tree, lpn * m->slots_per_page);
		if (m->written)
			prefetch(&m->written[geometry_page_start(f->geometry, lpn) / 64]);
		mrsm_expect_entry(m, lpn);
		return;
	}
	/* What is mapped first there is about to be read, or to die. */
	ppn = mrsm_tree_peek(&m->tree, lpn);
	mrsm_expect_map_page(f, lpn);
	if (ppn == PPN_NONE)
		return;
	space_prefetch(f->store->space, ppn);
	slots_prefetch(&m->slots, ppn);
}

static const struct state_row mrsm_state[] = {
	STATE_FIXED(sectors, slots_per_page, sub_shift, full_sub, full_page, cache_bytes, region_map_pages),
	STATE_SCRATCH(
		pack, chance_nodes, chance_mapped, wait, waits, wait_room, searched, wanted, wanted_room),
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct mrsm, tree, mrsm_tree_state),
	STATE_STRUCT(struct mrsm, slots, slots_state),
	STATE_NUMBERS(struct mrsm, written),
	STATE_VALUES(struct mrsm, map_pages, UP_TO, STATE_OWN(struct mrsm, region_map_pages)),
	STATE_POINTER(struct mrsm, directory, directory_state),
	STATE_NUMBER(struct mrsm, random),
	STATE_NUMBER(struct mrsm, chance),
	STATE_POINTER(struct mrsm, cache, map_cache_state),
	{ 0 },
};

static void mrsm_name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	const struct mrsm *m = f->state;
	sub_t first;

	if (directory_owns(m->directory, owner)) {
		snprintf(text, bytes, "mapping page %u", owner - m->directory->base);
		return;
	}
	first = slots_sub(&m->slots, owner, 0);
	snprintf(text, bytes, "LPN %u.%u%s", mrsm_lpn(m, first),
		mrsm_tree_offset(&m->tree, first) << m->sub_shift,
		owner < m->slots.lists ? "" : " and others");
}

static bool holds_data(const void *mrsm, owner_t owner)
{
	return !directory_owns(((const struct mrsm *)mrsm)->directory, owner);
}

/* Every sub-page of the piece is where its page says, and holds data. */
static void check_piece(const struct ftl *f, struct mrsm_piece p)
{
	const struct mrsm *m = f->state;
	owner_t owner;

	BUG_ON(p.ppn >= f->geometry->pages, "sub-page %u is mapped to page %u of %u", p.sub, p.ppn,
		f->geometry->pages);
	owner = flash_owner(f->flash, p.ppn);
	BUG_ON(owner == OWNER_NONE || !holds_data(m, owner), "sub-page %u is mapped to page %u of owner %u",
		p.sub, p.ppn, owner);
	for (uint32_t i = 0; i < p.length; i++) {
		BUG_ON(!(slots_live(&m->slots, p.ppn) >> (p.slot + i) & 1) ||
				slots_sub(&m->slots, owner, p.slot + i) != p.sub + i,
			"sub-page %u is mapped to slot %u of page %u, which holds sub-page %u", p.sub + i,
			p.slot + i, p.ppn, slots_sub(&m->slots, owner, p.slot + i));
		BUG_ON(!mrsm_written(m, p.sub + i, 1), "sub-page %u is mapped and holds no data", p.sub + i);
	}
}

/* Pages of pieces lie anywhere: so many pieces ahead they are asked for. */
#define AHEAD 16u

static void check_pieces(const struct ftl *f)
{
	const struct mrsm *m = f->state;
	struct mrsm_piece piece[AHEAD], p;
	sub_t at = 0, end = 0;
	uint32_t n = 0;

	for (; mrsm_tree_next(&m->tree, &at, m->tree.subs, &p); end = at) {
		for (; end < p.sub; end++)
			BUG_ON(m->written && mrsm_written(m, end, 1),
				"sub-page %u holds data and is not mapped", end);
		if (p.ppn < f->geometry->pages) {
			flash_prefetch(f->flash, p.ppn);
			slots_prefetch(&m->slots, p.ppn);
		}
		if (n >= AHEAD)
			check_piece(f, piece[n % AHEAD]);
		piece[n++ % AHEAD] = p;
	}
	for (uint32_t i = n > AHEAD ? n - AHEAD : 0; i < n; i++)
		check_piece(f, piece[i % AHEAD]);
	for (; end < m->tree.subs; end++)
		BUG_ON(m->written && mrsm_written(m, end, 1), "sub-page %u holds data and is not mapped",
			end);
}

static void mrsm_check(const struct ftl *f)
{
	const struct mrsm *m = f->state;
	uint64_t live = slots_check(&m->slots, holds_data, m);

	mrsm_tree_check(&m->tree);
	check_pieces(f);
	BUG_ON(live != m->tree.mapped, "%llu slots are live, %u sub-pages mapped", (unsigned long long)live,
		m->tree.mapped);
	mrsm_map_check(f);
}

static void mrsm_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = mrsm_table_bytes(f);
}

#define ROW(name, kind, field, unit, meaning)                                                                \
	{                                                                                                    \
		name, unit, meaning, kind, offsetof(struct mrsm_statistics, field)                           \
	}
#define COUNT(name, unit, meaning) ROW(#name, STAT_COUNT, name, unit, meaning)
#define RATIO(name, field, over, unit, meaning)                                                              \
	{                                                                                                    \
		name, unit, meaning, STAT_RATIO, offsetof(struct mrsm_statistics, field),                    \
			offsetof(struct mrsm_statistics, over)                                               \
	}

static const struct stat_row rows[] = {
	COUNT(subpage_bytes, "bytes", "size of a sub-page"),
	COUNT(extents, "extents", "nodes of the tree at the end"),
	COUNT(extents_max, "extents", "most nodes"),
	RATIO("extents_per_page", extent_slots, mapped, "extents", "per logical page's worth of data"),
	COUNT(splits, "extents", "that lost a part to a page written or a trim and kept the rest"),
	COUNT(merges, "extents", "fewer, as a page was written with one in the place of several whole ones"),
	COUNT(rmw_reads, "pages", "read to complete sub-pages"),
	COUNT(packed_pages, "pages", "written for the host"),
	COUNT(wasted_slots, "sub-pages", "left unused in these pages"),
	COUNT(node_bytes, "bytes", "of all nodes"),
	COUNT(table_bytes, "bytes",
		"of the nodes if the whole drive were mapped as finely as what is mapped now"),
	ROW("table_cached_share", STAT_REAL, cached_share, "share", "of that table that fits in DRAM"),
	RATIO("tree_depth_mean", depths, descents, "nodes", "visited by a descent from the root"),
	{ 0 },
};

static void start_statistics(void *ftl)
{
	struct mrsm *m = ((const struct ftl *)ftl)->state;

	m->statistics.extents_max = m->tree.nodes;
}

static void gather_statistics(void *ftl)
{
	const struct ftl *f = ftl;
	struct mrsm *m = f->state;
	struct mrsm_statistics *s = &m->statistics;
	double room = (double)map_budget(&f->core->map, f->geometry);

	s->subpage_bytes = m->sectors * SECTOR_BYTES;
	s->extents = m->tree.nodes;
	s->extent_slots = (uint64_t)m->tree.nodes * m->slots_per_page;
	s->mapped = m->tree.mapped;
	s->node_bytes = mrsm_node_bytes(f);
	s->table_bytes = mrsm_table_bytes(f);
	s->cached_share = (double)s->table_bytes > room ? room / (double)s->table_bytes : 1;
}

static void mrsm_statistics(struct ftl *f, struct stat_list *list)
{
	struct mrsm *m = f->state;

	stat_list_add(list, (struct stat_group){ "mrsm", "mrsm.", rows, &m->statistics, sizeof m->statistics,
				    f, start_statistics, gather_statistics });
	pack_statistics(&m->pack, "mrsm.", list);
	mrsm_map_statistics(m, list);
}

static const struct ftl_hints mrsm_hints = { .prefetch = mrsm_prefetch };
static const struct ftl_words mrsm_words = { .name_owner = mrsm_name_owner };

const struct ftl_ops ftl_mrsm = {
	.name = "mrsm",
	.brief = "sub-page mapping by extents in a tree, packed writes and collection (TCAD 2020), as in "
		 "ICPP'23",
	.size = sizeof(struct mrsm),
	.params = mrsm_params,
	.settings_size = sizeof(struct mrsm_settings),
	.init = mrsm_init,
	.exit = mrsm_exit,
	.read = mrsm_read,
	.write = mrsm_write,
	.trim = mrsm_trim,
	.check = mrsm_check,
	.state = mrsm_state,
	.facts = mrsm_facts,
	.statistics = mrsm_statistics,
	.hints = &mrsm_hints,
	.words = &mrsm_words,
};
