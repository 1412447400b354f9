#include "pagemap/map_cache.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/schedule.h"

#define ID_NONE UINT32_MAX

/* What map_cache_settle() pays for in one call, in mapping pages. */
#define SETTLE_MOST 64u

/* Lazy: DRAM for the notes of changes, as a part of the budget; bytes of a note, an entry's number and value. */
#define NOTES_PART 64u
#define NOTE_BYTES 8u

/* The smallest default budget, in mapping pages: tiny drives would have none otherwise. */
#define ROOM_LEAST 8u

enum { PAGE_CACHED = 1, PAGE_DIRTY = 2, PAGE_EXISTS = 4, PAGE_PENDING = 8 };

static const char *const gc_update_names[] = { "load", "lazy", "defer", NULL };
static const char *const model_names[] = { "lru", "static", NULL };

const struct param map_params[] = {
	{ "cache_bytes", PARAM_UINT, offsetof(struct map_settings, cache_bytes), 0, 1e15, "bytes", "0",
		"DRAM for mapping pages, for FTLs that keep their table in flash; 0 = physical bytes / "
		"1024, at least 8 pages" },
	{ "pin_pmt", PARAM_BOOL, offsetof(struct map_settings, pin_pmt), 0, 1, "", "false",
		"the page table stays in DRAM once loaded; the FTL's other mapping pages share what is left" },
	{ "blocking", PARAM_BOOL, offsetof(struct map_settings, blocking), 0, 1, "", "false",
		"a mapping page is loaded only after the changed one it replaces has been written back" },
	{ "gc_update", PARAM_CHOICE, offsetof(struct map_settings, gc_update), 0, 0, "", "lazy",
		"mapping pages not in DRAM whose entries collection changes: load = into the cache; lazy = noted, "
		"then read and written in batches; defer = noted until next loaded",
		gc_update_names },
	{ "model", PARAM_CHOICE, offsetof(struct map_settings, model), 0, 0, "", "lru",
		"lru = a real cache; static = every look-up hits with the chance cache / table, and a miss "
		"that changes an entry writes its page at once",
		model_names },
	{ 0 },
};

uint32_t map_cache_room(const struct map_settings *settings, const struct geometry *g)
{
	uint64_t pages = settings->cache_bytes / g->page_bytes;

	if (!settings->cache_bytes) {
		pages = g->pages / 1024;
		if (pages < ROOM_LEAST)
			pages = ROOM_LEAST;
	}
	if (!pages)
		pages = 1;
	return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

struct map_cache *map_cache_create(const struct map_settings *settings, struct space *space, uint32_t pages,
	uint32_t pinned, owner_t base, struct map_statistics *statistics, struct map_client client)
{
	struct map_cache *c = memory_array(1, sizeof *c, "mapping cache");

	c->settings = settings;
	c->space = space;
	c->statistics = statistics;
	c->client = client;
	c->pages = pages;
	c->pinned = settings->pin_pmt ? pinned : 0;
	c->room = map_cache_room(settings, space->geometry);
	c->notes_most = (uint64_t)c->room * space->geometry->page_bytes / NOTES_PART / NOTE_BYTES;
	c->base = base;
	c->cached = c->pending = (struct map_list){ ID_NONE, ID_NONE, 0 };
	c->page = memory_array(pages, sizeof *c->page, "directory of mapping pages");
	for (uint32_t id = 0; id < pages; id++)
		c->page[id].ppn = PPN_NONE;
	random_init(&c->random, settings->seed, 0x6d6170);
	return c;
}

void map_cache_free(struct map_cache *c)
{
	if (!c)
		return;
	memory_free(c->page);
	memory_free(c);
}

/* ---- lists through the directory ---- */

static void list_add(struct map_cache *c, struct map_list *list, uint32_t id)
{
	struct map_page *p = &c->page[id];

	p->newer = ID_NONE;
	p->older = list->newest;
	if (list->newest == ID_NONE)
		list->oldest = id;
	else
		c->page[list->newest].newer = id;
	list->newest = id;
	list->length++;
}

static void list_remove(struct map_cache *c, struct map_list *list, uint32_t id)
{
	const struct map_page *p = &c->page[id];

	if (p->newer == ID_NONE)
		list->newest = p->older;
	else
		c->page[p->newer].older = p->older;
	if (p->older == ID_NONE)
		list->oldest = p->newer;
	else
		c->page[p->older].newer = p->newer;
	list->length--;
}

static void enter(struct map_cache *c, uint32_t id)
{
	c->page[id].flags |= PAGE_CACHED;
	if (id >= c->pinned)
		list_add(c, &c->cached, id);
	if (++c->resident > c->resident_max)
		c->resident_max = c->resident;
}

static void leave(struct map_cache *c, uint32_t id)
{
	c->page[id].flags &= ~(uint32_t)(PAGE_CACHED | PAGE_DIRTY);
	if (id >= c->pinned)
		list_remove(c, &c->cached, id);
	c->resident--;
}

/* One change more waits. */
static void await_payment(struct map_cache *c, uint32_t id)
{
	c->page[id].notes++;
	c->notes++;
	if (c->page[id].flags & PAGE_PENDING)
		return;
	c->page[id].flags |= PAGE_PENDING;
	list_add(c, &c->pending, id);
}

/* True if the page was waiting. */
static bool stop_waiting(struct map_cache *c, uint32_t id)
{
	if (!(c->page[id].flags & PAGE_PENDING))
		return false;
	c->notes -= c->page[id].notes;
	c->page[id].notes = 0;
	c->page[id].flags &= ~(uint32_t)PAGE_PENDING;
	list_remove(c, &c->pending, id);
	return true;
}

/* ---- traffic ---- */

/* Programs the page anew; *ready becomes the program.  False: the drive is full, nothing has changed. */
static bool write_back(struct map_cache *c, struct io *io, uint32_t id, enum cause cause, op_t *ready)
{
	const struct geometry *g = c->space->geometry;
	struct map_page *p = &c->page[id];
	ppn_t to = c->client.allocate(c->client.ftl, io, id);

	if (to == PPN_NONE)
		return false;
	*ready = flash_program(io, to, c->base + id, g->sectors_per_page, cause, *ready);
	if (p->ppn != PPN_NONE)
		space_release(c->space, p->ppn);
	p->ppn = to;
	return true;
}

/*
 * A dirty page is written before it goes.  Outside time (preconditioning) only if it has no copy in flash: to
 * write the others again would change nothing that is measured later.
 */
static bool evict(struct map_cache *c, struct io *io, uint32_t id, enum cause cause, op_t *ready)
{
	const struct map_page *p = &c->page[id];

	if ((p->flags & PAGE_DIRTY) && (io->timed || p->ppn == PPN_NONE)) {
		op_t written = p->load;
		bool done;

		io->detached = !c->settings->blocking;
		done = write_back(c, io, id, cause, &written);
		io->detached = false;
		if (!done)
			return false;
		*ready = written;
	}
	leave(c, id);
	return true;
}

/* One page more fits in the budget, unless all others are pinned.  *ready becomes the last write-back. */
static bool make_room(struct map_cache *c, struct io *io, enum cause cause, op_t *ready)
{
	while (c->resident >= c->room && c->cached.length)
		if (!evict(c, io, c->cached.oldest, cause, ready))
			return false;
	return true;
}

static op_t read_copy(struct map_cache *c, struct io *io, uint32_t id, enum cause cause, op_t after)
{
	ppn_t ppn = c->page[id].ppn;

	if (ppn == PPN_NONE)
		return after;
	return flash_read(io, ppn, c->space->geometry->sectors_per_page, cause, after);
}

/* A page is loaded beside the one that it replaces, or, if told so, into its place once it is written back. */
static bool load(struct map_cache *c, struct io *io, uint32_t id, enum cause cause, op_t after)
{
	op_t written = OP_NONE;

	if (!make_room(c, io, cause, &written))
		return false;
	if (!c->settings->blocking)
		written = OP_NONE;
	c->page[id].load = read_copy(c, io, id, cause, written == OP_NONE ? after : written);
	if (stop_waiting(c, id))
		c->page[id].flags |= PAGE_DIRTY;
	enter(c, id);
	return true;
}

/* ---- look-ups ---- */

static void note_write(struct map_cache *c, uint32_t id)
{
	if (c->page[id].flags & PAGE_EXISTS)
		return;
	c->page[id].flags |= PAGE_EXISTS;
	c->existing++;
}

static void count_lookup(struct map_cache *c, const struct io *io, bool hit)
{
	struct map_statistics *s = c->statistics;

	if (!io->timed)
		return;
	s->lookups++;
	s->accesses++;
	s->hits += hit;
	s->misses += !hit;
}

/* The static model: does a look-up of the page find it in DRAM? */
static bool chance_of_hit(struct map_cache *c, uint32_t id)
{
	if (id < c->pinned)
		return true;
	if (c->settings->hit_share > 0)
		return random_unit(&c->random) < c->settings->hit_share;
	if (c->existing <= c->room)
		return true;
	return random_below(&c->random, c->existing) < c->room;
}

/* Outside time every page that a miss could read gets its copy in flash, and no more. */
static op_t get_static(struct map_cache *c, struct io *io, uint32_t id, bool write, op_t after)
{
	op_t ready = after;
	bool hit;

	if (!io->timed) {
		if (write && c->page[id].ppn == PPN_NONE && c->pages > c->room)
			write_back(c, io, id, CAUSE_MAP, &ready);
		return OP_NONE;
	}
	hit = chance_of_hit(c, id);
	count_lookup(c, io, hit);
	if (hit)
		return after;
	ready = read_copy(c, io, id, CAUSE_MAP, after);
	if (write) {
		op_t written = ready;

		stop_waiting(c, id);
		write_back(c, io, id, CAUSE_MAP, &written);
	}
	return ready;
}

/* What users of a page in DRAM wait for: its load, as long as that is under way. */
static op_t ready_when(const struct io *io, struct map_page *p, op_t after)
{
	if (p->load == OP_NONE)
		return after;
	if (!schedule_done(io->flash->schedule, p->load))
		return p->load;
	p->load = OP_NONE;
	return after;
}

op_t map_cache_get(struct map_cache *c, struct io *io, uint32_t id, bool write, op_t after)
{
	struct map_page *p = &c->page[id];
	bool hit = p->flags & PAGE_CACHED;

	BUG_ON(id >= c->pages, "mapping page %u of %u is looked up", id, c->pages);
	if (write)
		note_write(c, id);
	if (c->settings->model == MAP_STATIC)
		return get_static(c, io, id, write, after);
	count_lookup(c, io, hit);
	if (!hit && !load(c, io, id, CAUSE_MAP, after))
		return after;
	if (hit && id >= c->pinned && c->cached.newest != id) {
		list_remove(c, &c->cached, id);
		list_add(c, &c->cached, id);
	}
	if (write)
		p->flags |= PAGE_DIRTY;
	return ready_when(io, p, after);
}

/* ---- collections ---- */

void map_cache_entry_moved(struct map_cache *c, struct io *io, uint32_t id)
{
	struct map_page *p = &c->page[id];

	BUG_ON(id >= c->pages, "an entry of mapping page %u of %u is changed", id, c->pages);
	c->statistics->accesses += io->timed;
	if (p->flags & PAGE_CACHED) {
		p->flags |= PAGE_DIRTY;
		return;
	}
	if (!io->timed || (c->settings->model == MAP_STATIC && chance_of_hit(c, id)))
		return;
	c->statistics->gc_updates++;
	await_payment(c, id);
}

void map_cache_page_moved(struct map_cache *c, struct io *io, uint32_t id, ppn_t from, ppn_t to)
{
	struct map_page *p = &c->page[id];

	BUG_ON(id >= c->pages || p->ppn != from,
		"mapping page %u was moved from page %u, the directory says %u", id, from, p->ppn);
	p->ppn = to;
	c->statistics->gc_moves += io->timed;
}

/* Reads, changes and writes the page; the cache is not involved. */
static bool rewrite(struct map_cache *c, struct io *io, uint32_t id)
{
	op_t done = read_copy(c, io, id, CAUSE_GC_UPDATE, OP_NONE);

	return write_back(c, io, id, CAUSE_GC_UPDATE, &done);
}

/*
 * Pays at most for as many pages as wait at its start, so it ends whatever the collections it starts add.
 * The drive's end (no page can be had) also ends it; the page then waits on.
 */
void map_cache_settle(struct map_cache *c, struct io *io)
{
	bool in_cache = c->settings->gc_update == MAP_GC_LOAD && c->settings->model == MAP_LRU;
	uint32_t most = c->pending.length < SETTLE_MOST ? c->pending.length : SETTLE_MOST;

	if (!io->timed || c->settings->gc_update == MAP_GC_DEFER)
		return;
	while (most-- && (in_cache || c->notes > c->notes_most)) {
		uint32_t id = c->pending.oldest;

		if (in_cache) {
			if (!load(c, io, id, CAUSE_GC_UPDATE, OP_NONE))
				return;
			continue;
		}
		stop_waiting(c, id);
		if (!rewrite(c, io, id)) {
			await_payment(c, id);
			return;
		}
	}
}

/* ---- the rest ---- */

void map_cache_remove(struct map_cache *c, uint32_t id)
{
	struct map_page *p = &c->page[id];

	BUG_ON(id >= c->pages, "mapping page %u of %u is removed", id, c->pages);
	stop_waiting(c, id);
	if (p->flags & PAGE_CACHED)
		leave(c, id);
	if (p->ppn != PPN_NONE)
		space_release(c->space, p->ppn);
	c->existing -= (p->flags & PAGE_EXISTS) != 0;
	*p = (struct map_page){ .ppn = PPN_NONE };
}

bool map_cache_exists(const struct map_cache *c, uint32_t id)
{
	return c->page[id].flags & PAGE_EXISTS;
}

uint32_t map_cache_flash_pages(const struct map_cache *c)
{
	uint32_t pages = 0;

	for (uint32_t id = 0; id < c->pages; id++)
		pages += c->page[id].ppn != PPN_NONE;
	return pages;
}

/* Nothing is under way, so nobody has to wait for a load: handles mean nothing in another process. */
void map_cache_regions(struct map_cache *c, struct regions *r)
{
	for (uint32_t id = 0; id < c->pages; id++)
		c->page[id].load = OP_NONE;
	regions_visit(r, c->page, (size_t)c->pages * sizeof *c->page);
	regions_visit(r, &c->cached, sizeof c->cached);
	regions_visit(r, &c->pending, sizeof c->pending);
	regions_visit(r, &c->resident, sizeof c->resident);
	regions_visit(r, &c->existing, sizeof c->existing);
	regions_visit(r, &c->notes, sizeof c->notes);
	regions_visit(r, &c->random, sizeof c->random);
}

static void check_list(
	const struct map_cache *c, const struct map_list *list, uint32_t flag, const char *name)
{
	uint32_t length = 0, newer = ID_NONE;

	for (uint32_t id = list->newest; id != ID_NONE; newer = id, id = c->page[id].older) {
		BUG_ON(++length > list->length, "the list of %s mapping pages is longer than %u", name,
			list->length);
		BUG_ON(!(c->page[id].flags & flag) || c->page[id].newer != newer,
			"mapping page %u is in the list of %s ones: flags %u, newer %u and not %u", id, name,
			c->page[id].flags, c->page[id].newer, newer);
	}
	BUG_ON(length != list->length || list->oldest != newer, "the list of %s mapping pages has %u, not %u",
		name, length, list->length);
}

/* The page agrees with itself and with the medium. */
static void check_page(const struct map_cache *c, uint32_t id)
{
	const struct map_page *p = &c->page[id];

	BUG_ON((p->flags & PAGE_DIRTY) && !(p->flags & PAGE_CACHED),
		"mapping page %u is dirty and not in DRAM", id);
	BUG_ON((p->flags & PAGE_PENDING) && (p->flags & PAGE_CACHED),
		"mapping page %u waits to be loaded and is in DRAM", id);
	BUG_ON(p->ppn != PPN_NONE && flash_owner(c->space->flash, p->ppn) != c->base + id,
		"mapping page %u is said to be in page %u, which belongs to %u", id, p->ppn,
		flash_owner(c->space->flash, p->ppn));
}

void map_cache_check(const struct map_cache *c)
{
	uint32_t resident = 0, pinned = 0, pending = 0, existing = 0;
	uint64_t notes = 0;

	check_list(c, &c->cached, PAGE_CACHED, "cached");
	check_list(c, &c->pending, PAGE_PENDING, "pending");
	for (uint32_t id = 0; id < c->pages; id++) {
		uint32_t flags = c->page[id].flags;

		check_page(c, id);
		resident += (flags & PAGE_CACHED) != 0;
		pinned += (flags & PAGE_CACHED) && id < c->pinned;
		pending += (flags & PAGE_PENDING) != 0;
		existing += (flags & PAGE_EXISTS) != 0;
		notes += c->page[id].notes;
	}
	BUG_ON(notes != c->notes, "%llu changes are noted, counted are %llu", (unsigned long long)notes,
		(unsigned long long)c->notes);
	BUG_ON(resident != c->resident || resident != pinned + c->cached.length,
		"%u mapping pages are in DRAM, %u pinned; counted are %u, %u not pinned", resident, pinned,
		c->resident, c->cached.length);
	BUG_ON(pending != c->pending.length || existing != c->existing,
		"%u mapping pages wait and %u exist; counted are %u and %u", pending, existing,
		c->pending.length, c->existing);
	BUG_ON(resident > c->room && c->cached.length > 1,
		"%u mapping pages are in DRAM, the budget holds %u", resident, c->room);
}

void map_cache_report(const struct map_cache *c, struct report *r)
{
	uint64_t bytes = c->space->geometry->page_bytes;
	double share = c->existing > c->room ? (double)c->room / c->existing : 1;

	report_count(r, "map.cache_bytes", c->room * bytes, "bytes", "DRAM for mapping pages");
	report_count(r, "map.cached_bytes_max", c->resident_max * bytes, "bytes", "most ever in use");
	report_count(r, "map.table_bytes", map_cache_table_bytes(c), "bytes", "of mapping pages that exist");
	report_real(r, "map.cached_share", share, "share", "of the table that fits in DRAM");
	report_count(
		r, "map.gc_moves", c->statistics->gc_moves, "pages", "mapping pages moved by collection");
	report_count(r, "map.gc_updates", c->statistics->gc_updates, "entries",
		"changed by collection while their mapping page was not in DRAM");
	report_count(r, "map.pending", c->pending.length, "pages",
		"changed by collection and not yet paid for at the end");
}
