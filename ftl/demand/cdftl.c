/*
 * CDFTL (Qin, Wang, Liu, Guan, "A two-level caching mechanism for demand-based page-level address mapping in
 * NAND flash memory storage systems", RTAS 2011).
 *
 * DRAM holds single entries (pagemap/entry_cache.h, the paper's CMT) above whole mapping pages
 * (pagemap/map_cache.h, its CTP), each in LRU order.  A dirty entry is evicted into its mapping page in DRAM;
 * flash is read and written by mapping page only.  docs/cdftl.md explains it and what the paper leaves open.
 */
#include "ftl/demand/demand.h"
#include "pagemap/entry_cache.h"

#include "flash/schedule.h"

#define CDFTL_ENTRY_BYTES 8u /* in DRAM: LPN and PPN */

struct cdftl_settings {
	uint64_t entries, pages;
	bool fold;
};

struct cdftl_statistics {
	uint64_t bytes, most_bytes, writebacks;
	uint64_t cmt_hits, ctp_hits, kicked_out, folded, gc_pages;
};

struct cdftl {
	struct demand demand;
	struct entry_cache *entries;
	struct map_cache *pages;
	struct cdftl_statistics statistics;
};

static struct cdftl *cdftl_of(const struct ftl *f)
{
	return (struct cdftl *)f->state;
}

#define CDFTL(type, field) PARAM(type, struct cdftl_settings, field)

static const struct param cdftl_params[] = {
	{ CDFTL(UINT, entries), 0, 1e9, "entries", "0",
		"mapping entries in DRAM, 8 bytes each, with cdftl.pages instead of map.cache_bytes; 0 = "
		"mapping pages take half of map.cache_bytes, entries the rest; at least one of each" },
	{ CDFTL(UINT, pages), 1, 1e6, "pages", "1", "mapping pages in DRAM",
		.matters_if = "cdftl.entries!=0" },
	{ CDFTL(BOOL, fold), 0, 1, "", "false",
		"a mapping page that is written includes the changes of its entries above it, which are "
		"clean afterwards" },
	{ 0 },
};

static bool cdftl_folds(const struct ftl *f)
{
	return ((const struct cdftl_settings *)f->settings)->fold;
}

static uint32_t cdftl_page_of(const struct cdftl *c, lpn_t lpn)
{
	return lpn / c->demand.per_page;
}

/* ---- mapping pages ---- */

/* Loads a mapping page and, if there is no room, evicts the least recently used one.  False: the drive is
 * full. */
static bool cdftl_load(struct ftl *f, struct io *io, uint32_t page)
{
	struct cdftl *c = f->state;
	uint32_t victim = map_cache_next_victim(c->pages);
	bool writes = victim != INDEX_NONE && c->pages->page[victim].dirty;

	if (victim != INDEX_NONE)
		schedule_note(f->flash->schedule, "mapping page %u leaves DRAM, %s", victim,
			writes ? "changed: it is written" : "unchanged");
	if (!map_cache_load(c->pages, io, page, CAUSE_MAP, OP_NONE))
		return false;
	c->statistics.writebacks += writes;
	if (writes && cdftl_folds(f))
		c->statistics.folded += entry_cache_clean_page(c->entries, victim);
	schedule_note(f->flash->schedule, "mapping page %u enters DRAM", page);
	return true;
}

/* ---- entries ---- */

/*
 * Evicts the least recently used entry that is clean or has its mapping page in DRAM.  At least the entry
 * that entered last is one.  False: it is not, because the drive is full and its page could not be loaded.
 */
static bool cdftl_kick_out(struct ftl *f)
{
	struct cdftl *c = f->state;

	for (uint32_t i = entry_cache_coldest(c->entries, 0); i != INDEX_NONE;
		i = entry_cache_next(c->entries, i)) {
		uint32_t key = entry_cache_key(c->entries, i), page = cdftl_page_of(c, key);
		bool dirty = entry_cache_dirty(c->entries, key);

		if (dirty && !c->pages->page[page].cached)
			continue;
		schedule_note(f->flash->schedule,
			dirty ? "entry %u leaves into mapping page %u, changed"
			      : "entry %u leaves DRAM, unchanged",
			key, page);
		c->pages->page[page].dirty |= dirty;
		c->statistics.kicked_out += dirty;
		entry_cache_remove(c->entries, i);
		return true;
	}
	return false;
}

/* Loads an entry from its mapping page, which is itself loaded if it is not in DRAM. */
static op_t cdftl_enter(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct cdftl *c = f->state;
	uint32_t page = cdftl_page_of(c, lpn);
	op_t wait;

	if (c->entries->used + CDFTL_ENTRY_BYTES > c->entries->plan.bytes && !cdftl_kick_out(f))
		return OP_NONE;
	if (c->pages->page[page].cached)
		map_cache_use(c->pages, page);
	else if (!cdftl_load(f, io, page))
		return OP_NONE;
	schedule_note(f->flash->schedule, "entry %u enters DRAM, from mapping page %u", lpn, page);
	wait = directory_ready(c->demand.table.directory, io, page, OP_NONE);
	entry_cache_insert(c->entries, io, lpn, CDFTL_ENTRY_BYTES, wait);
	return wait;
}

static op_t cdftl_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct cdftl *c = f->state;
	uint32_t page = cdftl_page_of(c, lpn);

	if (entry_cache_element(c->entries, lpn) != INDEX_NONE) {
		c->statistics.cmt_hits++;
		return entry_cache_get(c->entries, io, lpn, CDFTL_ENTRY_BYTES);
	}
	c->statistics.ctp_hits += c->pages->page[page].cached;
	directory_count_lookup(c->demand.table.directory, page, c->pages->page[page].cached);
	return cdftl_enter(f, io, lpn);
}

/* ---- changes ---- */

static void cdftl_changed(struct ftl *f, struct io *io, lpn_t lpn)
{
	if (io->timed)
		entry_cache_change(cdftl_of(f)->entries, lpn, CDFTL_ENTRY_BYTES);
}

static bool cdftl_moved(struct ftl *f, lpn_t lpn)
{
	struct cdftl *c = f->state;
	struct cached_page *page = &c->pages->page[cdftl_page_of(c, lpn)];

	if (entry_cache_moved(c->entries, lpn))
		return true;
	if (!page->cached)
		return false;
	page->dirty = true;
	c->statistics.gc_pages++;
	c->demand.table.gc_lazy--; /* undoes what table_moved() is going to count: gc_pages has it already */
	return true;
}

static void cdftl_prefetch(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	page_prefetch(f, lpn, stage);
	entry_cache_prefetch(cdftl_of(f)->entries, lpn, stage);
}

static const struct demand_scheme cdftl_scheme = { .reserve = 2,
	.look_up = cdftl_look_up,
	.changed = cdftl_changed,
	.moved = cdftl_moved,
	.prefetch = cdftl_prefetch };

/* ---- the whole ---- */

/* Returns how many entries DRAM holds; sets *pages to how many mapping pages.  At least one of each. */
static uint64_t cdftl_split(const struct ftl *f, uint32_t *pages)
{
	const struct cdftl_settings *s = f->settings;
	uint64_t budget = map_budget(&f->core->map, f->geometry), page = f->geometry->page_bytes;

	*pages = s->entries ? (uint32_t)s->pages : map_cache_room(&f->core->map, f->geometry);
	if (s->entries)
		return s->entries;
	*pages = *pages > 1 ? *pages / 2 : 1;
	budget -= budget < *pages * page ? budget : *pages * page;
	return budget < CDFTL_ENTRY_BYTES ? 1 : budget / CDFTL_ENTRY_BYTES;
}

static bool cdftl_init(struct ftl *f, struct fault *fault)
{
	struct cdftl *c = f->state;
	uint64_t entries;
	uint32_t pages;

	if (!demand_init(f, &cdftl_scheme, fault))
		return false;
	entries = cdftl_split(f, &pages);
	c->entries = entry_cache_create(
		c->demand.table.directory, (struct entry_cache_plan){ .per_page = c->demand.per_page,
						   .bytes = entries * CDFTL_ENTRY_BYTES,
						   .least = CDFTL_ENTRY_BYTES });
	c->pages = map_cache_create_for(c->demand.table.directory, pages);
	return true;
}

static void cdftl_exit(struct ftl *f)
{
	struct cdftl *c = f->state;

	entry_cache_free(c->entries);
	map_cache_free(c->pages);
	demand_exit(f);
}

static void cdftl_check(const struct ftl *f)
{
	demand_check(f);
	entry_cache_check(cdftl_of(f)->entries);
	map_cache_check(cdftl_of(f)->pages);
}

static const struct state_row cdftl_state[] = {
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct cdftl, demand, demand_state),
	STATE_POINTER(struct cdftl, entries, entry_cache_state),
	STATE_POINTER(struct cdftl, pages, map_cache_state),
	{ 0 },
};

static void cdftl_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct cdftl *c = f->state;
	uint32_t page = cdftl_page_of(c, lpn);

	page_print_entry(f, lpn, out);
	fputs(entry_cache_find(c->entries, lpn) ? "; in DRAM" : "; not in DRAM", out);
	fputs(entry_cache_dirty(c->entries, lpn) ? ", changed" : "", out);
	fprintf(out, "; mapping page %u %s", page, c->pages->page[page].cached ? "in DRAM" : "not in DRAM");
	fputs(c->pages->page[page].dirty ? ", changed" : "", out);
}

/* ---- statistics ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct cdftl_statistics, field)

static const struct stat_row cdftl_map_rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping entries and mapping pages", COUNT(bytes) },
	{ "cached_bytes_max", "bytes", "most in use", COUNT(most_bytes) },
	{ "writebacks", "pages", "changed mapping pages that left DRAM", COUNT(writebacks) },
	{ 0 },
};

static const struct stat_row cdftl_rows[] = {
	{ "cmt_hits", "look-ups", "answered from the entries in DRAM", COUNT(cmt_hits) },
	{ "ctp_hits", "look-ups", "answered from the mapping pages in DRAM", COUNT(ctp_hits) },
	{ "kicked_out", "entries", "changed, that left into their mapping page in DRAM", COUNT(kicked_out) },
	{ "folded", "entries", "whose changes were written with their mapping page and that stayed",
		COUNT(folded) },
	{ "gc_page_entries", "entries", "changed by collection in mapping pages in DRAM", COUNT(gc_pages) },
	{ 0 },
};

static void cdftl_start(void *cdftl)
{
	struct cdftl *c = cdftl;

	c->entries->most_used = c->entries->used;
	c->pages->most_resident = c->pages->resident;
}

static void cdftl_gather(void *cdftl)
{
	struct cdftl *c = cdftl;
	uint64_t page = c->demand.table.directory->space->geometry->page_bytes;

	c->statistics.bytes = c->entries->plan.bytes + c->pages->room * page;
	c->statistics.most_bytes = c->entries->most_used + c->pages->most_resident * page;
}

static void cdftl_statistics(struct ftl *f, struct stat_list *list)
{
	struct cdftl *c = f->state;

	demand_statistics(f, list);
	stat_list_add(list, (struct stat_group){ NULL, "map.", cdftl_map_rows, &c->statistics,
				    sizeof c->statistics, c, cdftl_start, cdftl_gather });
	stat_list_add(list,
		(struct stat_group){ .prefix = "cdftl.", .rows = cdftl_rows, .values = &c->statistics });
	directory_statistics(c->demand.table.directory, list);
}

static const struct ftl_hints cdftl_hints = { .prefetch = cdftl_prefetch };
static const struct ftl_words cdftl_words = { .name_owner = demand_name_owner,
	.print_entry = cdftl_print_entry };

const struct ftl_ops ftl_cdftl = {
	.name = "cdftl",
	.brief = "page mapping with the table in flash, entries of it in DRAM above whole pages of it (RTAS "
		 "2011)",
	.size = sizeof(struct cdftl),
	.state = cdftl_state,
	.params = cdftl_params,
	.settings_size = sizeof(struct cdftl_settings),
	.init = cdftl_init,
	.exit = cdftl_exit,
	DEMAND_OPERATIONS,
	.check = cdftl_check,
	.statistics = cdftl_statistics,
	.hints = &cdftl_hints,
	.words = &cdftl_words,
};
