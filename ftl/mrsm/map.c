/*
 * Where the extents would be in flash, and the cost of using them.
 *
 * A region has one mapping page as long as all its extents are whole logical pages (then a plain table will
 * do, as in a page-mapped FTL), else as many as its nodes fill.  Its pages share its address range evenly.
 * DRAM accesses are those of the paper's single tree: a search visits one node per level.
 */
#include "ftl/mrsm/mrsm.h"

#include "base/memory.h"

static ppn_t mrsm_take_map_page(void *ftl, struct io *io, uint32_t id)
{
	return store_take((struct ftl *)ftl, io, id, MRSM_MAP);
}

static uint32_t mrsm_pages_for(const struct ftl *f, uint64_t nodes)
{
	const struct mrsm_settings *s = f->settings;
	uint32_t page = f->geometry->page_bytes;

	return (uint32_t)((nodes * s->node_bytes + page - 1) >> __builtin_ctz(page));
}

uint32_t mrsm_map_pages_in_flash(const struct ftl *f)
{
	const struct mrsm_tree *t = &((const struct mrsm *)f->state)->tree;
	const struct mrsm_settings *s = f->settings;
	uint32_t others = t->regions - 1, region = mrsm_pages_for(f, t->region_subs);
	uint64_t all = (uint64_t)t->regions * region * f->geometry->page_bytes;

	if (all <= map_budget(&f->core->map, f->geometry) && s->cached_share == 0)
		return 0;
	return others * region + mrsm_pages_for(f, t->subs - (uint64_t)others * t->region_subs);
}

bool mrsm_map_init(struct ftl *f, owner_t base)
{
	struct mrsm *m = f->state;
	const struct mrsm_settings *s = f->settings;

	m->region_map_pages = mrsm_pages_for(f, m->tree.region_subs);
	if ((uint64_t)m->region_map_pages * m->tree.regions >= OWNER_NONE)
		return false;
	m->map_pages = memory_array(m->tree.regions, sizeof *m->map_pages, "regions");
	m->directory = directory_create(&f->core->map, f->store->space, &f->map,
		m->region_map_pages * m->tree.regions, base,
		(struct directory_client){ f, mrsm_take_map_page });
	if (s->cache_model == MRSM_LRU)
		m->cache = map_cache_create(m->directory, 0);
	m->cache_bytes = map_budget(&f->core->map, f->geometry);
	random_init(&m->random, f->core->map.seed, 0x6d6170);
	m->chance_nodes = UINT32_MAX;
	return true;
}

void mrsm_map_exit(struct mrsm *m)
{
	map_cache_free(m->cache);
	directory_free(m->directory);
	memory_free(m->map_pages);
	memory_free(m->wait);
}

/* ---- mapping pages of a region ---- */

static uint32_t mrsm_pages_needed(const struct ftl *f, uint32_t region)
{
	const struct mrsm_tree_region *r = &((const struct mrsm *)f->state)->tree.region[region];

	return r->fine ? mrsm_pages_for(f, r->nodes) : r->nodes > 0;
}

/* The mapping page of an extent that begins in this logical page.  If its region has none yet: the first. */
static uint32_t mrsm_map_page_of(const struct mrsm *m, lpn_t lpn)
{
	uint32_t shift = m->tree.region_shift - m->tree.page_shift, region = lpn >> shift;
	uint64_t within = lpn & (((uint32_t)1 << shift) - 1);
	uint32_t index = (uint32_t)(within * m->map_pages[region] >> shift);

	return region * m->region_map_pages + index;
}

/* Pages of one request often wait for the same load. */
static void mrsm_add_wait(struct mrsm *m, op_t op)
{
	if (op == OP_NONE || (m->waits && m->wait[m->waits - 1] == op))
		return;
	m->wait =
		memory_grown(m->wait, &m->wait_room, m->waits + 1, sizeof *m->wait, "loads of mapping pages");
	m->wait[m->waits++] = op;
}

void mrsm_open_regions(struct mrsm *m, sub_t from, sub_t end)
{
	for (uint32_t region = mrsm_tree_region_of(&m->tree, from);
		region <= mrsm_tree_region_of(&m->tree, end - 1); region++)
		if (!m->map_pages[region])
			m->map_pages[region] = 1;
}

/* ---- the two cache models ---- */

/* The static model's hit probability: the setting, or the share of the table that fits in DRAM. */
static void mrsm_set_chance(struct ftl *f)
{
	struct mrsm *m = f->state;
	const struct mrsm_settings *s = f->settings;
	double room = (double)m->cache_bytes, table;

	if (m->tree.nodes == m->chance_nodes && m->tree.mapped == m->chance_mapped)
		return;
	table = (double)mrsm_table_bytes(f);
	m->chance = s->cached_share > 0 ? s->cached_share : room < table ? room / table : 1;
	m->chance_nodes = m->tree.nodes;
	m->chance_mapped = m->tree.mapped;
}

static bool mrsm_hits(struct mrsm *m)
{
	return random_unit(&m->random) < m->chance;
}

/* The static model, which ICPP'23 seems to use: a miss reads the mapping page, and programs it if the entry
 * changes. */
static op_t mrsm_look_up_by_chance(struct mrsm *m, struct io *io, uint32_t id, bool write)
{
	struct directory *d = m->directory;
	op_t ready = OP_NONE;
	bool hit;

	if (write)
		directory_enter(d, id);
	if (!io->timed) {
		/* Only pages that a later miss could read are programmed. */
		if (write && (uint64_t)d->pages * d->space->geometry->page_bytes > m->cache_bytes)
			directory_program(d, io, id, CAUSE_MAP, OP_NONE, &ready);
		return OP_NONE;
	}
	hit = mrsm_hits(m);
	directory_count_lookup(d, id, hit);
	if (hit)
		return OP_NONE;
	ready = directory_read(d, io, id, CAUSE_MAP, OP_NONE);
	if (write) {
		directory_clear_updates(d, id);
		directory_program(d, io, id, CAUSE_MAP, ready, &ready);
	}
	return ready;
}

static op_t mrsm_look_up(struct mrsm *m, struct io *io, uint32_t id, bool write)
{
	return m->cache ? map_cache_get(m->cache, io, id, write, OP_NONE)
			: mrsm_look_up_by_chance(m, io, id, write);
}

void mrsm_map_settle(struct mrsm *m, struct io *io)
{
	if (m->cache)
		map_cache_flush_updates(m->cache, io);
	else
		directory_flush_updates(m->directory, io);
}

void mrsm_translate(struct ftl *f, struct io *io, struct extent e, bool write)
{
	struct mrsm *m = f->state;
	lpn_t first = geometry_lpn(f->geometry, e.start), last = geometry_lpn(f->geometry, e.end - 1);

	io->accesses += last - first + 1;
	if (!m->cache)
		mrsm_set_chance(f);
	for (lpn_t lpn = first; lpn <= last; lpn++)
		if (m->map_pages[mrsm_tree_region_of(&m->tree, lpn * m->slots_per_page)])
			mrsm_add_wait(m, mrsm_look_up(m, io, mrsm_map_page_of(m, lpn), write));
}

static void mrsm_fit_region(struct ftl *f, struct io *io, uint32_t region)
{
	struct mrsm *m = f->state;
	uint32_t first = region * m->region_map_pages, needed = mrsm_pages_needed(f, region);

	for (uint32_t i = needed; i < m->map_pages[region]; i++)
		if (m->cache)
			map_cache_remove(m->cache, first + i);
		else
			directory_remove(m->directory, first + i);
	for (uint32_t i = m->map_pages[region]; i < needed; i++)
		mrsm_look_up(m, io, first + i, true);
	m->map_pages[region] = needed;
}

void mrsm_fit_regions(struct ftl *f, struct io *io, sub_t from, sub_t end)
{
	const struct mrsm *m = f->state;

	for (uint32_t region = mrsm_tree_region_of(&m->tree, from);
		region <= mrsm_tree_region_of(&m->tree, end - 1); region++)
		mrsm_fit_region(f, io, region);
}

void mrsm_entry_moved(struct ftl *f, struct io *io, sub_t sub)
{
	struct mrsm *m = f->state;

	if (m->cache)
		map_cache_entry_moved(m->cache, io, mrsm_map_page_of(m, mrsm_lpn(m, sub)));
	else if (io->timed && !mrsm_hits(m))
		directory_defer_update(m->directory, mrsm_map_page_of(m, mrsm_lpn(m, sub)));
}

void mrsm_expect_entry(const struct mrsm *m, lpn_t lpn)
{
	uint32_t id = mrsm_map_page_of(m, lpn);

	if (m->cache)
		map_cache_prefetch(m->cache, id);
	else
		directory_prefetch(m->directory, id);
}

void mrsm_expect_move(const struct mrsm *m, lpn_t lpn)
{
	directory_prefetch_update(m->directory, mrsm_map_page_of(m, lpn));
}

void mrsm_expect_map_page(const struct ftl *f, lpn_t lpn)
{
	const struct mrsm *m = f->state;
	uint32_t id = mrsm_map_page_of(m, lpn);

	prefetch(&m->tree.region[lpn >> (m->tree.region_shift - m->tree.page_shift)]);
	if (directory_in_flash(m->directory, id))
		space_prefetch(f->store->space, m->directory->page[id].ppn);
	if (m->directory->page[id].pending)
		directory_prefetch_update(m->directory, id);
}

/* ---- costs ---- */

void mrsm_count_nodes(struct ftl *f, uint32_t descents, uint32_t nodes)
{
	struct mrsm *m = f->state;
	uint64_t depths = (uint64_t)descents * mrsm_tree_depth(&m->tree);

	f->map.accesses += depths + nodes;
	m->statistics.descents += descents;
	m->statistics.depths += depths;
	if (m->tree.nodes > m->statistics.extents_max)
		m->statistics.extents_max = m->tree.nodes;
}

void mrsm_wait(const struct mrsm *m, struct io *io, op_t op)
{
	for (uint32_t i = 0; i < m->waits; i++)
		flash_wait(io, op, m->wait[i]);
}

uint64_t mrsm_node_bytes(const struct ftl *f)
{
	const struct mrsm_settings *s = f->settings;

	return ((const struct mrsm *)f->state)->tree.nodes * s->node_bytes;
}

uint64_t mrsm_table_bytes(const struct ftl *f)
{
	const struct mrsm_tree *t = &((const struct mrsm *)f->state)->tree;

	return t->mapped ? (uint64_t)((double)mrsm_node_bytes(f) / t->mapped * t->subs) : 0;
}

static const struct stat_row static_rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping pages", STAT_COUNT },
	{ 0 },
};

void mrsm_map_statistics(struct mrsm *m, struct stat_list *list)
{
	if (m->cache) {
		map_cache_statistics(m->cache, list);
		return;
	}
	stat_list_add(list,
		(struct stat_group){ .prefix = "map.", .rows = static_rows, .values = &m->cache_bytes });
	directory_statistics(m->directory, list);
}

void mrsm_map_check(const struct ftl *f)
{
	const struct mrsm *m = f->state;

	directory_check(m->directory);
	if (m->cache)
		map_cache_check(m->cache);
	for (uint32_t region = 0; region < m->tree.regions; region++) {
		BUG_ON(m->tree.region[region].nodes && !m->map_pages[region],
			"region %u has %u extents and no mapping page", region, m->tree.region[region].nodes);
		for (uint32_t i = 0; i < m->region_map_pages; i++)
			BUG_ON(directory_exists(m->directory, region * m->region_map_pages + i) !=
					(i < m->map_pages[region]),
				"mapping page %u of region %u: the region uses %u", i, region,
				m->map_pages[region]);
	}
}
