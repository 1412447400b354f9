/*
 * MRSM: requests.
 *
 * A write takes as many pages as its sub-pages fill, packed from slot 0 in logical order whatever their
 * alignment; the rest of the last page is wasted (partial pages are not kept in RAM to be filled later).  Old
 * data is read only for sub-pages that are covered in part.  A read takes one flash read per physical page
 * involved.
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
	{ MRSM(UINT, node_bytes), 4, 64, "bytes", "16", "size of an extent in a mapping page" },
	{ MRSM(CHOICE, cache_model), 0, 0, "", "static",
		"static = as the numbers of ICPP'23 suggest: each translation of a logical page hits with "
		"a fixed probability, else reads its mapping page, and programs it if it changes; lru = a "
		"real cache of whole mapping pages; most of those that exist fit in it, so MRSM gets much "
		"better than published",
		cache_model_names },
	{ MRSM(REAL, cached_share), 0, 1, "share", "0",
		"static: probability of a hit; 0 = cache / size of the table if the whole drive were "
		"mapped as finely as its written part (ICPP'23: 0.421)" },
	{ 0 },
};

/* ---- life ---- */

static bool mrsm_choose_subpage(struct ftl *f, struct fault *fault)
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

/* Collection moved a mapping page; data is moved by mrsm_empty(). */
static void mrsm_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct mrsm *m = f->state;

	(void)io;
	directory_page_moved(m->directory, owner - m->directory->base, from, to);
}

/* Prefetches the directory's entry of a mapping page that is about to move. */
static void mrsm_prefetch_owner(const struct ftl *f, owner_t owner, enum prefetch_stage stage)
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
	.client = { .relocate = mrsm_relocate,
		.empty = mrsm_empty,
		.last_resort = mrsm_last_resort,
		.prefetch = mrsm_prefetch_owner },
	.packs = true,
};

static size_t mrsm_written_words(const struct ftl *f)
{
	return f->geometry->logical_sectors / 64 + 1;
}

static bool mrsm_init(struct ftl *f, struct fault *fault)
{
	struct store_plan plan = plan_without_map;
	struct mrsm *m = f->state;
	const struct geometry *g = f->geometry;
	uint64_t subs, names;

	if (!mrsm_choose_subpage(f, fault) || !page_map_fits(g, fault))
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
		m->written = memory_array(mrsm_written_words(f), sizeof *m->written, "written sectors");
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

void mrsm_begin(struct ftl *f, struct io *io)
{
	struct mrsm *m = f->state;

	mrsm_map_settle(m, io);
	m->waits = 0;
	m->searched = LPN_NONE;
}

/* ---- read ---- */

static void mrsm_want(struct mrsm *m, uint32_t *count, ppn_t ppn, uint32_t sectors)
{
	for (uint32_t i = *count; i--;)
		if (m->wanted[i].ppn == ppn) {
			m->wanted[i].sectors += sectors;
			return;
		}
	m->wanted = memory_grown(m->wanted, &m->wanted_room, *count + 1, sizeof *m->wanted, "read requests");
	m->wanted[(*count)++] = (struct mrsm_wanted){ ppn, sectors };
}

/* Adds the pages that hold data of the extent to the `count` wanted so far; returns the new count. */
static uint32_t mrsm_find_wanted(struct ftl *f, struct extent e, uint32_t count)
{
	struct mrsm *m = f->state;
	sub_t at = mrsm_sub(m, e.start), end = mrsm_sub(m, e.end - 1) + 1;
	uint32_t visited = 0;
	struct mrsm_piece p;

	mrsm_count_nodes(f, mrsm_logical_pages(m, at, end), 0);
	for (; mrsm_tree_next(&m->tree, &at, end, &p); visited++) {
		sector_t start = (sector_t)p.sub << m->sub_shift;
		sector_t stop = (sector_t)(p.sub + p.length) << m->sub_shift;
		mask_t written;

		start = start > e.start ? start : e.start;
		stop = stop < e.end ? stop : e.end;
		written = mrsm_written_sectors(m, start, (uint32_t)(stop - start));
		if (written)
			mrsm_want(m, &count, p.ppn, mask_sectors(written));
	}
	mrsm_count_nodes(f, 0, visited);
	return count;
}

static void mrsm_answer(const struct mrsm *m, struct io *io, struct extent e)
{
	sub_t at = mrsm_sub(m, e.start), end = mrsm_sub(m, e.end - 1) + 1;
	struct mrsm_piece p;

	while (mrsm_tree_next(&m->tree, &at, end, &p))
		for (sub_t sub = p.sub; sub < p.sub + p.length; sub++)
			pages_answer(io, p.ppn, mrsm_lpn(m, sub),
				mrsm_page_mask(m, sub, mrsm_written(m, sub, 1) & mrsm_covered(m, sub, e)));
}

static void mrsm_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mrsm *m = f->state;
	uint32_t count = 0;

	mrsm_begin(f, io);
	for (size_t i = 0; i < n; i++)
		mrsm_translate(f, io, extents[i], false); /* may cause a collection that moves the data */
	for (size_t i = 0; i < n; i++)
		count = mrsm_find_wanted(f, extents[i], count);
	for (uint32_t i = 0; i < count; i++)
		mrsm_wait(m, io, flash_read(io, m->wanted[i].ppn, m->wanted[i].sectors, CAUSE_HOST, OP_NONE));
	for (size_t i = 0; f->flash->oracle && i < n; i++)
		mrsm_answer(m, io, extents[i]);
}

/* ---- operations and tables of the FTL ---- */

static void mrsm_prefetch(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	const struct mrsm *m = f->state;
	ppn_t ppn;

	if (stage == PREFETCH_ENTRY) {
		mrsm_tree_prefetch(&m->tree, lpn, PREFETCH_ENTRY);
		if (m->written)
			prefetch(&m->written[geometry_page_start(f->geometry, lpn) / 64]);
		mrsm_expect_entry(m, lpn);
		return;
	}
	/* The page's first extent is about to be read or to become invalid. */
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
	STATE_NUMBERS(struct mrsm, map_pages),
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

static bool mrsm_holds_data(const void *mrsm, owner_t owner)
{
	return !directory_owns(((const struct mrsm *)mrsm)->directory, owner);
}

/* Every sub-page of the piece is valid in its page and holds data. */
static void mrsm_check_piece(const struct ftl *f, struct mrsm_piece p)
{
	const struct mrsm *m = f->state;
	owner_t owner;

	BUG_ON(p.ppn >= f->geometry->pages, "sub-page %u is mapped to page %u of %u", p.sub, p.ppn,
		f->geometry->pages);
	owner = flash_owner(f->flash, p.ppn);
	BUG_ON(owner == OWNER_NONE || !mrsm_holds_data(m, owner),
		"sub-page %u is mapped to page %u of owner %u", p.sub, p.ppn, owner);
	for (uint32_t i = 0; i < p.length; i++) {
		BUG_ON(!(slots_live(&m->slots, p.ppn) >> (p.slot + i) & 1) ||
				slots_sub(&m->slots, owner, p.slot + i) != p.sub + i,
			"sub-page %u is mapped to slot %u of page %u, which holds sub-page %u", p.sub + i,
			p.slot + i, p.ppn, slots_sub(&m->slots, owner, p.slot + i));
		BUG_ON(!mrsm_written(m, p.sub + i, 1), "sub-page %u is mapped and holds no data", p.sub + i);
	}
}

/* The pages of pieces are anywhere in memory: they are prefetched this many pieces ahead. */
#define AHEAD 16u

static void mrsm_check_pieces(const struct ftl *f)
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
			mrsm_check_piece(f, piece[n % AHEAD]);
		piece[n++ % AHEAD] = p;
	}
	for (uint32_t i = n > AHEAD ? n - AHEAD : 0; i < n; i++)
		mrsm_check_piece(f, piece[i % AHEAD]);
	for (; end < m->tree.subs; end++)
		BUG_ON(m->written && mrsm_written(m, end, 1), "sub-page %u holds data and is not mapped",
			end);
}

static void mrsm_check(const struct ftl *f)
{
	const struct mrsm *m = f->state;
	uint64_t live = slots_check(&m->slots, mrsm_holds_data, m);

	mrsm_tree_check(&m->tree);
	mrsm_check_pieces(f);
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

static void mrsm_start_statistics(void *ftl)
{
	struct mrsm *m = ((const struct ftl *)ftl)->state;

	m->statistics.extents_max = m->tree.nodes;
}

static void mrsm_gather_statistics(void *ftl)
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
				    f, mrsm_start_statistics, mrsm_gather_statistics });
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
