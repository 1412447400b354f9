/*
 * DFTL (Gupta, Kim, Urgaonkar, "DFTL: a flash translation layer employing demand-based selective caching of page-level
 * address mappings", ASPLOS 2009).
 *
 * DRAM holds single entries of 8 bytes, least recently used first (pagemap/entry_cache.h).  A miss costs a read of
 * the entry's mapping page, and a changed entry that makes room another read and a program of its own.
 * docs/dftl.md explains it and says what is open: what a write-back cleans, what leaves first.
 */
#include "ftl/demand/demand.h"
#include "pagemap/entry_cache.h"

#define CACHED_BYTES 8u /* of an entry in DRAM: LPN and PPN */

struct dftl_settings {
	uint64_t entries, slru;
	bool same_vtpn;
};

struct dftl {
	struct demand demand;
	struct entry_cache *cache;
};

#define DFTL(type, field) PARAM(type, struct dftl_settings, field)

static const struct param params[] = {
	{ DFTL(UINT, entries), 0, 1e9, "entries", "8192",
		"mapping entries in DRAM, 8 bytes each; 0 = as many as map.cache_bytes holds" },
	{ DFTL(UINT, slru), 0, 1e9, "entries", "0",
		"of these, used more than once and kept longer (segmented LRU); 0 = plain LRU" },
	{ DFTL(BOOL, same_vtpn), 0, 1, "", "false",
		"one read does if the entry that leaves changed and the one that enters lie in the same mapping "
		"page" },
	{ 0 },
};

static op_t look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct dftl *d = f->state;
	bool brings = f->core->map.load == MAP_LOAD_REQUEST && !entry_cache_find(d->cache, lpn);
	op_t ready = entry_cache_get(d->cache, io, lpn, CACHED_BYTES);
	uint32_t last = entry_cache_brought(d->cache, lpn, d->demand.last);

	if (!brings)
		return ready;
	for (lpn_t next = lpn + 1; next <= last; next++)
		entry_cache_enter(d->cache, io, next, CACHED_BYTES, lpn);
	entry_cache_touch(d->cache, lpn);
	return ready;
}

static void changed(struct ftl *f, struct io *io, lpn_t lpn)
{
	if (io->timed)
		entry_cache_change(((struct dftl *)f->state)->cache, lpn, CACHED_BYTES);
}

static bool moved(struct ftl *f, lpn_t lpn)
{
	return entry_cache_moved(((struct dftl *)f->state)->cache, lpn);
}

static void expect(const struct ftl *f, lpn_t lpn)
{
	page_expect(f, lpn);
	entry_cache_expect(((const struct dftl *)f->state)->cache, lpn);
}

static void expect_next(const struct ftl *f, lpn_t lpn)
{
	page_expect_next(f, lpn);
	entry_cache_expect_next(((const struct dftl *)f->state)->cache, lpn);
}

static const struct demand_scheme scheme = {
	.reserve = 2, .expect = expect, .look_up = look_up, .changed = changed, .moved = moved
};

static bool dftl_init(struct ftl *f, struct fault *fault)
{
	struct dftl *d = f->state;
	const struct dftl_settings *s = f->settings;
	uint64_t bytes = s->entries ? s->entries * CACHED_BYTES : map_budget(&f->core->map, f->geometry);

	if (bytes < CACHED_BYTES)
		return fault_set(fault,
			"map.cache_bytes = %llu does not hold a mapping entry: use %u or more, or set dftl.entries",
			(unsigned long long)bytes, CACHED_BYTES);
	if (!demand_init(f, &scheme, fault))
		return false;
	d->cache = entry_cache_create(
		d->demand.directory, (struct entry_cache_plan){ .per_page = d->demand.per_page,
					     .bytes = bytes,
					     .least = CACHED_BYTES,
					     .alike = !s->slru,
					     .protect = s->slru,
					     .batch = f->core->map.batch,
					     .read_once = s->same_vtpn });
	return true;
}

static void dftl_exit(struct ftl *f)
{
	entry_cache_free(((struct dftl *)f->state)->cache);
	demand_exit(f);
}

static void dftl_check(const struct ftl *f)
{
	demand_check(f);
	entry_cache_check(((const struct dftl *)f->state)->cache);
}

static const struct state_row dftl_state[] = {
	STATE_STRUCT(struct dftl, demand, demand_state),
	STATE_POINTER(struct dftl, cache, entry_cache_state),
	{ 0 },
};

static void dftl_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct entry_cache *c = ((const struct dftl *)f->state)->cache;

	page_print_entry(f, lpn, out);
	fputs(entry_cache_find(c, lpn) ? "; in DRAM" : "; not in DRAM", out);
	fputs(entry_cache_dirty(c, lpn) ? ", changed" : "", out);
}

static void dftl_statistics(struct ftl *f, struct stat_list *list)
{
	demand_statistics(f, list);
	entry_cache_statistics(((struct dftl *)f->state)->cache, list);
}

static const struct ftl_hints dftl_hints = { .expect = expect, .expect_next = expect_next };
static const struct ftl_words dftl_words = { .name_owner = demand_name_owner,
	.print_entry = dftl_print_entry };

const struct ftl_ops ftl_dftl = {
	.name = "dftl",
	.brief = "page mapping with the table in flash and single entries of it in DRAM (ASPLOS 2009)",
	.size = sizeof(struct dftl),
	.params = params,
	.settings_size = sizeof(struct dftl_settings),
	.init = dftl_init,
	.exit = dftl_exit,
	.read = demand_read,
	.write = demand_write,
	.trim = demand_trim,
	.place_map = demand_place_map,
	.check = dftl_check,
	.state = dftl_state,
	.facts = demand_facts,
	.statistics = dftl_statistics,
	.hints = &dftl_hints,
	.words = &dftl_words,
};
