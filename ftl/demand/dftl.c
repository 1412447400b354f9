/*
 * DFTL (Gupta, Kim, Urgaonkar, "DFTL: a flash translation layer employing demand-based selective caching of
 * page-level address mappings", ASPLOS 2009).
 *
 * DRAM holds single entries of 8 bytes, least recently used first (pagemap/entry_cache.h).  A miss costs a
 * read of the entry's mapping page; the write-back of a dirty entry costs another read and a program.
 * docs/dftl.md explains it and what the paper leaves open: what a write-back cleans, what is evicted first.
 */
#include "ftl/demand/demand.h"
#include "pagemap/entry_cache.h"

#define DFTL_ENTRY_BYTES 8u /* in DRAM: LPN and PPN */

struct dftl_settings {
	uint64_t entries, slru;
	bool same_vtpn;
};

struct dftl {
	struct demand demand;
	struct entry_cache *cache;
};

static struct dftl *dftl_of(const struct ftl *f)
{
	return (struct dftl *)f->state;
}

#define DFTL(type, field) PARAM(type, struct dftl_settings, field)

static const struct param dftl_params[] = {
	{ DFTL(UINT, entries), 0, 1e9, "entries", "0",
		"mapping entries in DRAM, 8 bytes each, instead of map.cache_bytes; 0 = as many as "
		"map.cache_bytes holds" },
	{ DFTL(UINT, slru), 0, 1e9, "entries", "0",
		"of these, entries of the protected segment, used more than once (segmented LRU); 0 = "
		"plain LRU" },
	{ DFTL(BOOL, same_vtpn), 0, 1, "", "false",
		"one read is enough if the evicted dirty entry and the loaded one belong to the same "
		"mapping page" },
	{ 0 },
};

static op_t dftl_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct dftl *d = f->state;

	return entry_cache_look_up(d->cache, io, lpn, DFTL_ENTRY_BYTES, d->demand.last);
}

static void dftl_changed(struct ftl *f, struct io *io, lpn_t lpn)
{
	if (io->timed)
		entry_cache_change(dftl_of(f)->cache, lpn, DFTL_ENTRY_BYTES);
}

static bool dftl_moved(struct ftl *f, lpn_t lpn)
{
	return entry_cache_moved(dftl_of(f)->cache, lpn);
}

static void dftl_prefetch(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	page_prefetch(f, lpn, stage);
	entry_cache_prefetch(dftl_of(f)->cache, lpn, stage);
}

static const struct demand_scheme dftl_scheme = { .reserve = 2,
	.look_up = dftl_look_up,
	.changed = dftl_changed,
	.moved = dftl_moved,
	.prefetch = dftl_prefetch };

static bool dftl_init(struct ftl *f, struct fault *fault)
{
	struct dftl *d = f->state;
	const struct dftl_settings *s = f->settings;
	uint64_t bytes = s->entries ? s->entries * DFTL_ENTRY_BYTES : map_budget(&f->core->map, f->geometry);

	if (bytes < DFTL_ENTRY_BYTES)
		return fault_set(fault,
			"map.cache_bytes = %llu does not hold a mapping entry: use %u or more",
			(unsigned long long)bytes, DFTL_ENTRY_BYTES);
	if (!demand_init(f, &dftl_scheme, fault))
		return false;
	d->cache = entry_cache_create(
		d->demand.table.directory, (struct entry_cache_plan){ .per_page = d->demand.per_page,
						   .bytes = bytes,
						   .least = DFTL_ENTRY_BYTES,
						   .protect = s->slru,
						   .batch = f->core->map.batch,
						   .read_once = s->same_vtpn });
	return true;
}

static void dftl_exit(struct ftl *f)
{
	entry_cache_free(dftl_of(f)->cache);
	demand_exit(f);
}

static void dftl_check(const struct ftl *f)
{
	demand_check(f);
	entry_cache_check(dftl_of(f)->cache);
}

static const struct state_row dftl_state[] = {
	STATE_STRUCT(struct dftl, demand, demand_state),
	STATE_POINTER(struct dftl, cache, entry_cache_state),
	{ 0 },
};

static void dftl_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct entry_cache *c = dftl_of(f)->cache;

	page_print_entry(f, lpn, out);
	fputs(entry_cache_find(c, lpn) ? "; in DRAM" : "; not in DRAM", out);
	fputs(entry_cache_dirty(c, lpn) ? ", changed" : "", out);
}

static void dftl_statistics(struct ftl *f, struct stat_list *list)
{
	demand_statistics(f, list);
	entry_cache_statistics(dftl_of(f)->cache, list);
}

static const struct ftl_hints dftl_hints = { .prefetch = dftl_prefetch };
static const struct ftl_words dftl_words = { .name_owner = demand_name_owner,
	.print_entry = dftl_print_entry };

const struct ftl_ops ftl_dftl = {
	.name = "dftl",
	.brief = "page mapping with the table in flash and single entries of it in DRAM (ASPLOS 2009)",
	.size = sizeof(struct dftl),
	.state = dftl_state,
	.params = dftl_params,
	.settings_size = sizeof(struct dftl_settings),
	.init = dftl_init,
	.exit = dftl_exit,
	DEMAND_OPERATIONS,
	.check = dftl_check,
	.statistics = dftl_statistics,
	.hints = &dftl_hints,
	.words = &dftl_words,
};
