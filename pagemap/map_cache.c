#include "pagemap/map_cache.h"

#include "base/memory.h"
#include "stats/table.h"

uint32_t map_cache_room(const struct map_settings *settings, const struct geometry *g)
{
	uint64_t pages = map_budget(settings, g) / g->page_bytes;

	if (!pages)
		return 1;
	return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

bool map_cache_fits(
	const struct map_settings *settings, const struct geometry *g, uint32_t pinned, struct fault *fault)
{
	uint64_t needed = ((uint64_t)pinned + 1) * g->page_bytes;

	if (!settings->pin_pmt || pinned < map_cache_room(settings, g))
		return true;
	return fault_set(fault,
		"map.pin_pmt needs %llu bytes, for the page table and one page beside it; map.cache_bytes "
		"gives %llu: use map.cache_bytes = %llu or more, or map.pin_pmt = false",
		(unsigned long long)needed, (unsigned long long)map_budget(settings, g),
		(unsigned long long)needed);
}

struct map_cache *map_cache_create(struct directory *d, uint32_t pinned)
{
	struct map_cache *c = map_cache_create_for(d, map_cache_room(d->settings, space_device(d->space)));

	c->pinned = d->settings->pin_pmt ? pinned : 0;
	BUG_ON(c->pinned >= c->room, "%u mapping pages are pinned, the budget holds %u", c->pinned, c->room);
	return c;
}

struct map_cache *map_cache_create_for(struct directory *d, uint32_t room)
{
	struct map_cache *c = memory_array(1, sizeof *c, "mapping cache");

	c->directory = d;
	c->room = room;
	c->page = memory_array((size_t)d->pages + 1, sizeof *c->page, "mapping cache");
	list_init(ARRAY_FIELD(c->page, link), d->pages);
	return c;
}

void map_cache_free(struct map_cache *c)
{
	if (!c)
		return;
	memory_free(c->page);
	memory_free(c);
}

/* ---- pages in DRAM ---- */

static void map_cache_insert(struct map_cache *c, uint32_t id)
{
	c->page[id].cached = true;
	if (id >= c->pinned)
		list_append(ARRAY_FIELD(c->page, link), c->directory->pages, id);
	if (++c->resident > c->most_resident)
		c->most_resident = c->resident;
}

static void map_cache_drop(struct map_cache *c, uint32_t id)
{
	c->page[id].cached = c->page[id].dirty = false;
	if (id >= c->pinned)
		list_remove(ARRAY_FIELD(c->page, link), id);
	c->resident--;
}

/* Evicts the page, with a write-back if it is dirty.  False: the drive is full. */
static bool map_cache_evict(struct map_cache *c, struct io *io, uint32_t id, enum cause cause, op_t *wait)
{
	struct directory *d = c->directory;

	if (c->page[id].dirty &&
		!directory_program(d, io, id, cause, directory_ready(d, io, id, OP_NONE), wait))
		return false;
	map_cache_drop(c, id);
	return true;
}

/* Evicts until one more page fits in the budget. */
static bool map_cache_make_room(struct map_cache *c, struct io *io, enum cause cause, op_t *wait)
{
	while (c->resident >= c->room)
		if (!map_cache_evict(c, io, c->page[c->directory->pages].link.next, cause, wait))
			return false;
	return true;
}

bool map_cache_load(struct map_cache *c, struct io *io, uint32_t id, enum cause cause, op_t after)
{
	op_t wait = after;

	if (!map_cache_make_room(c, io, cause, &wait))
		return false;
	directory_read(c->directory, io, id, cause, wait);
	c->page[id].dirty = directory_clear_updates(c->directory, id);
	map_cache_insert(c, id);
	map_cache_prefetch(c, c->page[c->directory->pages].link.next); /* the next to be evicted */
	return true;
}

/* ---- collections ---- */

void map_cache_entry_moved(struct map_cache *c, struct io *io, uint32_t id)
{
	BUG_ON(id >= c->directory->pages, "an entry of mapping page %u of %u is changed", id,
		c->directory->pages);
	if (c->page[id].cached)
		c->page[id].dirty = true;
	else if (io->timed)
		directory_defer_update(c->directory, id);
}

void map_cache_flush_updates_now(struct map_cache *c, struct io *io)
{
	struct directory *d = c->directory;
	uint32_t most = directory_batch(d);

	if (d->settings->gc_update != MAP_GC_LOAD)
		directory_flush_updates(d, io);
	else
		while (io->timed && most-- &&
			map_cache_load(c, io, directory_oldest_update(d), CAUSE_GC_UPDATE, OP_NONE))
			;
}

/* ---- the rest ---- */

void map_cache_remove(struct map_cache *c, uint32_t id)
{
	BUG_ON(id >= c->directory->pages, "mapping page %u of %u is removed", id, c->directory->pages);
	if (c->page[id].cached)
		map_cache_drop(c, id);
	directory_remove(c->directory, id);
}

static const struct state_row map_cache_page_state[] = {
	STATE_NUMBER(struct cached_page, link),
	STATE_NUMBER(struct cached_page, cached),
	STATE_NUMBER(struct cached_page, dirty),
	{ 0 },
};

const struct state_row map_cache_state[] = {
	STATE_FIXED(directory, pinned, room),
	STATE_COUNTED(statistics),
	STATE_ARRAY(struct map_cache, page, map_cache_page_state),
	STATE_NUMBER(struct map_cache, resident),
	STATE_OF_RUN,
	STATE_NUMBER(struct map_cache, most_resident),
	{ 0 },
};

void map_cache_check(const struct map_cache *c)
{
	const uint32_t head = c->directory->pages;
	uint32_t resident = 0, pinned = 0;
	uint32_t evictable = list_length(ARRAY_FIELD(c->page, link), head, c->resident);

	for (uint32_t id = 0; id < head; id++) {
		BUG_ON(c->page[id].dirty && !c->page[id].cached, "mapping page %u is dirty and not in DRAM",
			id);
		BUG_ON(c->directory->update[id].entries && c->page[id].cached,
			"mapping page %u has deferred updates and is in DRAM", id);
		resident += c->page[id].cached;
		pinned += c->page[id].cached && id < c->pinned;
	}
	BUG_ON(resident != c->resident || resident != pinned + evictable,
		"%u mapping pages are in DRAM, %u pinned; counted are %u, %u not pinned", resident, pinned,
		c->resident, evictable);
	for (uint32_t id = c->page[head].link.next; id != head; id = c->page[id].link.next)
		BUG_ON(!c->page[id].cached || id < c->pinned,
			"mapping page %u can be evicted and is not in DRAM, or pinned", id);
	BUG_ON(resident > c->room, "%u mapping pages are in DRAM, the budget holds %u", resident, c->room);
}

#define COUNT(field) STAT_COUNT, offsetof(struct map_cache_statistics, field)
#define REAL(field)  STAT_REAL, offsetof(struct map_cache_statistics, field)

static const struct stat_row map_cache_rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping pages", COUNT(bytes) },
	{ "cached_bytes_max", "bytes", "most in use", COUNT(most_bytes) },
	{ "cached_share", "share", "of the table that fits in DRAM", REAL(share) },
	{ 0 },
};

static void map_cache_start(void *cache)
{
	struct map_cache *c = cache;

	c->most_resident = c->resident;
}

static void map_cache_gather(void *cache)
{
	struct map_cache *c = cache;
	uint64_t bytes = c->directory->space->geometry->page_bytes;
	uint32_t existing = c->directory->existing;

	c->statistics.bytes = c->room * bytes;
	c->statistics.most_bytes = c->most_resident * bytes;
	c->statistics.share = existing > c->room ? (double)c->room / existing : 1;
}

void map_cache_statistics(struct map_cache *c, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", map_cache_rows, &c->statistics,
				    sizeof c->statistics, c, map_cache_start, map_cache_gather });
	directory_statistics(c->directory, list);
}
