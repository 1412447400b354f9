#include "ftl/ftl.h"
#include "ftl/store.h"

#include "base/hash.h"
#include "base/memory.h"
#include "flash/schedule.h"

static void ftl_check_ops(const struct ftl_ops *ops)
{
	BUG_ON(!ops->name || !ops->brief || !ops->size, "an FTL without name, brief or state");
	BUG_ON(!ops->init || !ops->exit || !ops->read || !ops->write || !ops->trim || !ops->check ||
			!ops->state || !ops->facts,
		"FTL %s lacks a required operation", ops->name);
}

struct ftl *ftl_create(const struct ftl_ops *ops, const void *own_settings,
	const struct ftl_settings *settings, struct flash *flash, struct fault *fault)
{
	struct ftl *f = memory_array(1, sizeof *f, "FTL");

	ftl_check_ops(ops);
	f->ops = ops;
	f->settings = own_settings;
	f->core = settings;
	f->geometry = flash->geometry;
	f->flash = flash;
	f->state = memory_array(1, ops->size, "FTL state");
	if (ops->init(f, fault))
		return f;
	store_free(f->store);
	memory_free(f->state);
	memory_free(f);
	return NULL;
}

const struct ftl_words *ftl_words(const struct ftl *f)
{
	static const struct ftl_words none;

	return f->ops->words ? f->ops->words : &none;
}

const struct ftl_hints *ftl_hints(const struct ftl *f)
{
	static const struct ftl_hints none;

	return f->ops->hints ? f->ops->hints : &none;
}

void ftl_free(struct ftl *f)
{
	if (!f)
		return;
	f->ops->exit(f);
	store_free(f->store);
	memory_free(f->state);
	memory_free(f);
}

static const struct state_row *ftl_own_state(const void *ftl)
{
	return ((const struct ftl *)ftl)->ops->state;
}

const struct state_row ftl_state[] = {
	STATE_FIXED(ops, settings, core, geometry),
	STATE_POINTER(struct ftl, flash, flash_state),
	STATE_POINTER(struct ftl, store, store_state),
	STATE_CHOSEN(struct ftl, state, ftl_own_state),
	STATE_COUNTED(map, uncounted),
	STATE_SCRATCH(failed, refusal), /* a drive that failed is not saved */
	{ 0 },
};

void ftl_check(const struct ftl *f)
{
	if (f->store)
		store_check(f->store);
	f->ops->check(f);
	flash_check_books(f->flash);
}

struct ftl_facts ftl_facts(const struct ftl *f)
{
	struct ftl_facts facts = { 0 };

	if (f->store)
		store_facts(f->store, &facts);
	f->ops->facts(f, &facts);
	return facts;
}

#define COUNT(name) STAT_COUNT, offsetof(struct map_statistics, name)

static const struct stat_row ftl_map_rows[] = {
	{ "map.lookup", "look-ups", "page-level translations", COUNT(lookups) },
	{ "map.hit", "look-ups", "answered from DRAM", COUNT(hits) },
	{ "map.miss", "look-ups", "that had to read a mapping page", COUNT(misses) },
	{ "map.unwritten", "look-ups", "of entries whose mapping page was never written: nothing to read",
		COUNT(unwritten) },
	{ "map.unmapped_reads", "pages", "of read requests that hold no data; they cost a look-up only",
		COUNT(unmapped_reads) },
	{ "map.dram_access", "entries", "mapping entries read or written in DRAM", COUNT(accesses) },
	{ 0 },
};

void ftl_statistics(struct ftl *f, struct stat_list *list)
{
	stat_list_add(
		list, (struct stat_group){ "address mapping", NULL, ftl_map_rows, &f->map, sizeof f->map });
	if (f->store) {
		collector_statistics(f->store->collector, list);
		TOOLS_WITH (t, &f->store->tools, statistics)
			t->ops->statistics(t, list);
	}
	if (f->ops->statistics)
		f->ops->statistics(f, list);
}
