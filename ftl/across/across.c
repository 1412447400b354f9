/*
 * Across-FTL (Cai et al., "Re-aligning across-page requests for flash-based solid-state drives", ICPP 2023).
 *
 * A page-mapped FTL with a second table: a write of at most a page that straddles a page border goes to one
 * flash page of its own (an area, across.h) instead of two.  Updates of an area are merged into it (AMerge)
 * as long as the result fits a page; else its data goes back to the normal pages (ARollback).  Both tables
 * are in mapping pages behind a mapping cache.  docs/across.md explains it.
 *
 * Here: the tables, look-ups, relocation, invariants, statistics.  Writes and trims are in write.c, reads in
 * read.c, collection in collect.c, the table of areas in areas.c.
 */
#include "ftl/across/across.h"

#include "base/memory.h"
#include "stats/table.h"

#include <stdio.h>

#define ACROSS_AREA_ENTRY_BYTES  16u /* first sector 4, length 2, page 4, state 6 */
#define ACROSS_INDEX_FIELD_BYTES 4u

static const char *const across_index_names[] = { "anchor", "both", "single", NULL };
static const char *const across_neighbour_names[] = { "rollback_all", "rollback_neighbour_then_direct",
	NULL };
static const char *const across_partial_names[] = { "rollback", "shrink", NULL };

#define ACROSS(type, field) PARAM(type, struct across_settings, field)

static const struct param across_params[] = {
	{ ACROSS(CHOICE, index), 0, 0, "", "anchor",
		"where the page table records an area: anchor = in the entry of the page left of the "
		"border; both = in both entries, two fields each; single = in both entries, one field each "
		"(then a page can touch only one area)",
		across_index_names },
	{ ACROSS(BOOL, release_stale), 0, 1, "", "true",
		"sectors stored in an area become invalid in their normal page; a page without valid "
		"sectors is dead" },
	{ ACROSS(CHOICE, neighbour), 0, 0, "", "rollback_all",
		"an across write that overlaps the area of another border: rollback_all = everything is "
		"written to normal pages; rollback_neighbour_then_direct = only the old area is, and the "
		"write gets its own area",
		across_neighbour_names },
	{ ACROSS(CHOICE, partial_cover), 0, 0, "", "rollback",
		"a write over part of an area that cannot be merged: roll the area back, or let it keep the "
		"rest",
		across_partial_names },
	{ ACROSS(BOOL, gc_rollback), 0, 1, "", "false",
		"collection rolls an area back into its two normal pages if all three are in the victim" },
	{ ACROSS(UINT, max_areas), 0, 4e9, "areas", "0",
		"most areas at a time; further across writes are done as normal ones; 0 = as many as the "
		"spare pages can hold when every logical page is in use" },
	{ 0 },
};

/* ---- set-up ---- */

static ppn_t across_take_map_page(void *f, struct io *io, uint32_t id)
{
	return store_take((struct ftl *)f, io, id, ACROSS_MAP);
}

/* The collector moved a live page. */
static void across_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct across *a = f->state;

	if (owner < a->map.lpns) {
		page_map_move(&a->map, owner, from, to);
		across_entry_moved(f, io, across_entry_page(a, owner));
	} else if (directory_owns(a->directory, owner)) {
		directory_page_moved(a->directory, owner - a->map.lpns, from, to);
	} else {
		uint32_t index = owner - a->area_base;

		BUG_ON(a->areas.area[index].ppn != from, "page %u of area %u was moved, the table says %u",
			from, index, a->areas.area[index].ppn);
		a->areas.area[index].ppn = to;
		across_entry_moved(f, io, across_area_page(a, index));
	}
}

/* The two stages differ only for owners that are logical pages. */
static void across_prefetch(const struct ftl *f, owner_t owner, enum prefetch_stage stage)
{
	const struct across *a = f->state;

	if (directory_owns(a->directory, owner)) {
		directory_prefetch(a->directory, owner - a->map.lpns);
	} else if (owner >= a->map.lpns) {
		prefetch(&a->areas.area[owner - a->area_base]);
	} else if (stage == PREFETCH_ENTRY) {
		page_map_prefetch(&a->map, owner);
		map_cache_prefetch(a->cache, across_entry_page(a, owner));
		prefetch(&a->area_of[owner]);
	} else {
		page_prefetch(f, owner, stage);
		map_cache_prefetch_target(a->cache, across_entry_page(a, owner));
	}
}

static const struct store_plan across_plan = {
	.streams = (const struct stream[]){ [ACROSS_HOST] = { "host", .survivors = ACROSS_GC },
		[ACROSS_GC] = { "gc", .survivors = ACROSS_GC },
		[ACROSS_MAP] = { "map", .survivors = ACROSS_MAP, .map = true },
		{ 0 } },
	.client = { .relocate = across_relocate, .empty = across_empty, .prefetch = across_prefetch },
};

static uint32_t across_pages_for(uint32_t entries, uint32_t per_page)
{
	return entries / per_page + (entries % per_page != 0);
}

/* An area is a live page beside its two normal pages, so the spare pages limit the number of areas. */
static bool across_plan_areas(struct ftl *f, uint32_t *limit, struct fault *fault)
{
	const struct across *a = f->state;
	int64_t spare = store_spare_pages(f->store),
		areas = spare < a->map.lpns - 1 ? spare : (int64_t)a->map.lpns - 1;
	int64_t map_pages;

	areas = areas < 0 ? 0 : areas;
	map_pages = a->page_table_pages + across_pages_for((uint32_t)areas, a->area_entries);
	if (map_pages > map_cache_room(&f->core->map, f->geometry)) {
		spare -= map_pages;
		if (spare < 0)
			return fault_set(fault,
				"the spare pages of the drive lack %lld to hold across's %lld mapping "
				"pages: use a larger flash.over_provisioning or map.cache_bytes",
				(long long)-spare, (long long)map_pages);
		areas = areas < spare ? areas : spare;
	}
	if (across_settings(f)->max_areas && (uint64_t)areas > across_settings(f)->max_areas)
		areas = (int64_t)across_settings(f)->max_areas;
	*limit = (uint32_t)areas;
	return true;
}

static bool across_init(struct ftl *f, struct fault *fault)
{
	struct across *a = f->state;
	const struct geometry *g = f->geometry;
	uint32_t fields = across_settings(f)->index == INDEX_BOTH ? 2 : 1, limit = 0, map_pages;

	if (!page_create(f, &across_plan, fault))
		return false;
	a->page_entries = g->page_bytes / (a->map.entry_bytes + fields * ACROSS_INDEX_FIELD_BYTES);
	a->per_page_entries = divisor_of(a->page_entries);
	a->area_entries = g->page_bytes / ACROSS_AREA_ENTRY_BYTES;
	a->page_table_pages = across_pages_for(a->map.lpns, a->page_entries);
	if (!map_cache_fits(&f->core->map, g, a->page_table_pages, fault) ||
		!across_plan_areas(f, &limit, fault)) {
		page_exit(f);
		return false;
	}
	map_pages = a->page_table_pages + across_pages_for(limit, a->area_entries);
	a->area_of = memory_array(a->map.lpns, sizeof *a->area_of, "index of areas");
	across_areas_init(&a->areas, limit);
	a->area_base = a->map.lpns + map_pages;
	a->guard_first = a->guard_last = LPN_NONE;
	a->directory = directory_create(&f->core->map, f->store->space, &f->map, map_pages, a->map.lpns,
		(struct directory_client){ f, across_take_map_page });
	a->cache = map_cache_create(a->directory, a->page_table_pages);
	return true;
}

static void across_exit(struct ftl *f)
{
	struct across *a = f->state;

	map_cache_free(a->cache);
	directory_free(a->directory);
	across_areas_release(&a->areas);
	memory_free(a->area_of);
	page_exit(f);
}

/* ---- look-ups ---- */

/* A bit in a page's own entry says whether the page before it anchors an area, so no look-up is wasted. */
void across_translate_neighbour(const struct across_piece *p, bool write, struct deps *d)
{
	lpn_t anchor = p->first - 1;

	if (across_settings(p->f)->index != INDEX_ANCHOR || across_area_at(p->a, anchor) == NO_AREA)
		return;
	deps_add(d, across_look_up_in(p->f, p->io, across_entry_page(p->a, anchor), write, OP_NONE));
}

void across_translate_area(const struct across_piece *p, uint32_t index, bool write, struct deps *d)
{
	deps_add(d, across_look_up_in(p->f, p->io, across_area_page(p->a, index), write, deps_last(d)));
}

void across_entry_moved(struct ftl *f, struct io *io, uint32_t id)
{
	ftl_map_count(f, io)->accesses++;
	map_cache_entry_moved(across_of(f)->cache, io, id);
}

/* ---- invariants ---- */

static void across_check_area(const struct ftl *f, lpn_t anchor)
{
	const struct across *a = f->state;
	uint32_t index = across_area_at(a, anchor), before = across_area_at(a, anchor - 1), length;
	const struct across_area *area = &a->areas.area[index];
	mask_t right_of_page = before == NO_AREA ? 0 : a->areas.area[before].right;

	if (index == NO_AREA)
		return;
	BUG_ON(index >= a->areas.limit || area->anchor != anchor, "page %u points to area %u of anchor %u",
		anchor, index, area->anchor);
	BUG_ON(!area->left && !area->right, "area %u of anchor %u is empty", index, anchor);
	BUG_ON(!area->cut && (!area->left || !area->right),
		"area %u of anchor %u does not straddle its border", index, anchor);
	length = area->left && area->right
			 ? f->geometry->sectors_per_page - (uint32_t)__builtin_ctzll(area->left) + 64 -
				   (uint32_t)__builtin_clzll(area->right)
			 : 0;
	BUG_ON(length > f->geometry->sectors_per_page, "area %u is %u sectors long", index, length);
	BUG_ON(area->left & right_of_page, "areas %u and %u overlap in page %u", before, index, anchor);
	BUG_ON(flash_owner(f->flash, area->ppn) != a->area_base + index,
		"area %u is said to be in page %u, of owner %u", index, area->ppn,
		flash_owner(f->flash, area->ppn));
}

static void across_check_page(const struct ftl *f, lpn_t lpn)
{
	const struct across *a = f->state;
	struct page_entry entry = page_map_get(&a->map, lpn);
	uint32_t own = across_area_at(a, lpn), before = across_area_at(a, lpn - 1);
	mask_t areas = (own == NO_AREA ? 0 : a->areas.area[own].left) |
		       (before == NO_AREA ? 0 : a->areas.area[before].right);

	BUG_ON(entry.mask && flash_owner(f->flash, entry.ppn) != lpn,
		"LPN %u is mapped to page %u of owner %u", lpn, entry.ppn, flash_owner(f->flash, entry.ppn));
	BUG_ON((entry.mask & areas) && across_settings(f)->release_stale,
		"LPN %u shares sectors %#llx with an area", lpn, (unsigned long long)(entry.mask & areas));
	BUG_ON(own != NO_AREA && before != NO_AREA && across_settings(f)->index == INDEX_SINGLE,
		"LPN %u touches areas %u and %u and has room for one index", lpn, before, own);
}

static void across_check(const struct ftl *f)
{
	const struct across *a = f->state;
	uint64_t mapped = 0, areas = 0, live = space_live_pages(f->store->space);

	for (lpn_t lpn = 0; lpn < a->map.lpns; lpn++) {
		across_check_area(f, lpn);
		across_check_page(f, lpn);
		mapped += page_map_get(&a->map, lpn).mask != 0;
		areas += across_area_at(a, lpn) != NO_AREA;
	}
	page_map_check(&a->map);
	across_areas_check(&a->areas);
	directory_check(a->directory);
	map_cache_check(a->cache);
	BUG_ON(areas != a->areas.used, "the page table knows %llu areas, %u are in use",
		(unsigned long long)areas, a->areas.used);
	BUG_ON(mapped + areas + a->directory->in_flash != live,
		"%llu LPNs, %llu areas and %u mapping pages are in flash, %llu pages are live",
		(unsigned long long)mapped, (unsigned long long)areas, a->directory->in_flash,
		(unsigned long long)live);
}

/* ---- state and statistics ---- */

static const struct state_row across_state[] = {
	STATE_FIXED(page_entries, area_entries, per_page_entries, page_table_pages, area_base),
	STATE_SCRATCH(guard_first, guard_last),
	STATE_COUNTED(count),
	STATE_STRUCT(struct across, map, page_map_state),
	STATE_NUMBERS(struct across, area_of),
	STATE_STRUCT(struct across, areas, across_areas_state),
	STATE_POINTER(struct across, directory, directory_state),
	STATE_POINTER(struct across, cache, map_cache_state),
	{ 0 },
};

static void across_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = directory_table_bytes(across_of(f)->directory);
}

static void across_name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	const struct across *a = f->state;

	if (owner < a->map.lpns)
		snprintf(text, bytes, "LPN %u", owner);
	else if (owner < a->map.lpns + a->page_table_pages)
		snprintf(text, bytes, "page table, page %u", owner - a->map.lpns);
	else if (owner < a->area_base)
		snprintf(text, bytes, "area table, page %u", owner - a->map.lpns - a->page_table_pages);
	else
		snprintf(text, bytes, "area %u", owner - a->area_base);
}

static void across_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct across *a = f->state;
	struct page_entry entry = page_map_get(&a->map, lpn);
	uint32_t index = across_area_at(a, lpn);
	const struct across_area *area;

	if (entry.mask)
		pages_print(f->geometry, entry.ppn, entry.mask, out);
	if (index == NO_AREA)
		return;
	area = &a->areas.area[index];
	fprintf(out, "%sarea %u ", entry.mask ? "; " : "", index);
	pages_print(f->geometry, area->ppn, area->left, out);
	fprintf(out, ", and of LPN %u ", lpn + 1);
	mask_print(area->right, out);
}

#define COUNT(name, field, unit, meaning)                                                                    \
	{                                                                                                    \
		name, unit, meaning, STAT_COUNT, offsetof(struct across_statistics, field)                   \
	}
#define SHARE(name, field, over, meaning)                                                                    \
	{                                                                                                    \
		name, "share", meaning, STAT_RATIO, offsetof(struct across_statistics, field),               \
			offsetof(struct across_statistics, over)                                             \
	}

static const struct stat_row across_rows[] = {
	COUNT("direct_write", direct_writes, "requests", "across writes into a new area"),
	COUNT("amerge_profitable", profitable_merges, "requests", "across writes merged into their area"),
	COUNT("amerge_unprofitable", unprofitable_merges, "requests",
		"writes inside one page merged into an area"),
	SHARE("direct_share", direct_writes, area_writes, "of these three"),
	SHARE("profitable_share", profitable_merges, area_writes, "of these three"),
	SHARE("unprofitable_share", unprofitable_merges, area_writes, "of these three"),
	COUNT("refused_index", refused_index, "requests",
		"across writes done as normal ones: a page has no room for a second index"),
	COUNT("refused_limit", refused_limit, "requests",
		"across writes done as normal ones: there are as many areas as allowed"),
	COUNT("amerge_read", merge_reads, "pages", "areas read to be merged"),
	COUNT("rollback_read", rollback_reads, "pages", "areas read to be rolled back"),
	COUNT("normal_released", normal_released, "pages",
		"normal pages that lost their last sector to an area"),
	COUNT("areas_created", direct_writes, "areas", ""),
	COUNT("areas", areas, "areas", "at the end"),
	COUNT("areas_max", most_areas, "areas", "at a time"),
	COUNT("areas_limit", areas_limit, "areas", "allowed at a time"),
	COUNT("rollback_op", rollbacks, "requests", "that rolled areas back"),
	COUNT("rollback_area", rolled_back, "areas", "rolled back into their normal pages"),
	SHARE("rollback_share", rolled_back, direct_writes, "areas rolled back of areas created"),
	COUNT("cover_drop", cover_drops, "areas", "dropped because a write covered them"),
	SHARE("rollback_or_cover_share", areas_replaced, direct_writes,
		"areas rolled back or covered of areas created"),
	COUNT("trim_drop", trim_drops, "areas", "dropped because trims emptied them"),
	COUNT("shrink", shrinks, "areas", "that lost sectors to a write and kept the rest"),
	COUNT("gc_rollback", gc_rollbacks, "areas", "folded into normal pages by collection"),
	COUNT("direct_read", direct_reads, "requests", "answered from an area alone"),
	COUNT("merged_read_ops", merged_reads, "requests", "that needed an area and something else"),
	COUNT("merged_read_flash", merged_read_pages, "pages", "read by these requests"),
	COUNT("merged_read_extra", merged_read_extra, "pages",
		"of them, more than page mapping would have read"),
	{ 0 },
};

static void across_start_statistics(void *across)
{
	struct across *a = across;

	a->count.most_areas = a->areas.used;
}

static void across_gather_statistics(void *across)
{
	struct across *a = across;
	struct across_statistics *s = &a->count;

	s->area_writes = s->direct_writes + s->profitable_merges + s->unprofitable_merges;
	s->areas_replaced = s->rolled_back + s->cover_drops;
	s->areas = a->areas.used;
	s->areas_limit = a->areas.limit;
}

static void across_statistics(struct ftl *f, struct stat_list *list)
{
	struct across *a = f->state;

	stat_list_add(list, (struct stat_group){ "across", "across.", across_rows, &a->count, sizeof a->count,
				    a, across_start_statistics, across_gather_statistics });
	map_cache_statistics(a->cache, list);
}

static const struct ftl_hints across_hints = { .prefetch = across_prefetch };
static const struct ftl_words across_words = { .name_owner = across_name_owner,
	.print_entry = across_print_entry };

const struct ftl_ops ftl_across = {
	.name = "across",
	.brief = "page mapping that stores small writes over a page border in a page of their own: "
		 "Across-FTL, ICPP'23",
	.size = sizeof(struct across),
	.state = across_state,
	.params = across_params,
	.settings_size = sizeof(struct across_settings),
	.init = across_init,
	.exit = across_exit,
	.read = across_read,
	.write = across_write,
	.trim = across_trim,
	.check = across_check,
	.facts = across_facts,
	.statistics = across_statistics,
	.hints = &across_hints,
	.words = &across_words,
};
