#include "pagemap/directory.h"

#include "base/fault.h"
#include "base/memory.h"
#include "flash/schedule.h"
#include "stats/table.h"

/* The smallest default budget, in mapping pages: tiny drives would have none otherwise. */
#define DIRECTORY_PAGES_LEAST 8u

/* DRAM for deferred updates: the budget divided by this; bytes of an update, an entry's number and value. */
#define DIRECTORY_UPDATES_PART 64u
#define DIRECTORY_UPDATE_BYTES 8u

static const char *const directory_load_names[] = { "entry", "request", NULL };
static const char *const directory_gc_update_names[] = { "load", "lazy", "defer", NULL };

#define MAP(type, field) PARAM(type, struct map_settings, field)

const struct param map_params[] = {
	{ MAP(UINT, cache_bytes), 0, 1e15, "bytes", "0",
		"DRAM for the mapping table, for FTLs that keep their table in flash; 0 = physical bytes / "
		"1024, at least 8 pages",
		.matters_if = "dftl.entries=0" },
	{ MAP(BOOL, pin_pmt), 0, 1, "", "false",
		"mapping pages of the page table stay in DRAM once loaded; those of the FTL's other tables "
		"share the rest" },
	{ MAP(BOOL, blocking), 0, 1, "", "false",
		"a look-up that causes a mapping page to be written waits for the write, and so does its "
		"request; false: neither waits" },
	{ MAP(CHOICE, gc_update), 0, 0, "", "lazy",
		"how collection updates mapping pages that are not cached: load = load them into the "
		"cache; lazy = collect the changes, then read and write each page once per batch; defer = "
		"keep the changes until the page is loaded",
		directory_gc_update_names },
	{ MAP(BOOL, batch), 0, 1, "", "true",
		"for FTLs that cache single entries: a write-back of a mapping page includes all its "
		"changed entries; false: only the evicted one, as in the released DFTL" },
	{ MAP(CHOICE, load), 0, 0, "", "entry",
		"for FTLs that cache single entries: entry = each miss reads its mapping page; request = "
		"one read loads all entries of the page that the request needs, at most 256",
		directory_load_names },
	{ 0 },
};

uint64_t map_budget(const struct map_settings *settings, const struct geometry *g)
{
	uint64_t pages = g->pages / 1024;

	if (settings->cache_bytes)
		return settings->cache_bytes;
	return (pages < DIRECTORY_PAGES_LEAST ? DIRECTORY_PAGES_LEAST : pages) * g->page_bytes;
}

struct directory *directory_create(const struct map_settings *settings, struct space *space,
	struct map_statistics *map, uint32_t pages, owner_t base, struct directory_client client)
{
	struct directory *d = memory_array(1, sizeof *d, "directory of mapping pages");

	*d = (struct directory){
		.settings = settings, .space = space, .client = client, .pages = pages, .unplaced = pages
	};
	d->map = map;
	d->base = base;
	d->pending_limit =
		map_budget(settings, space_device(space)) / DIRECTORY_UPDATES_PART / DIRECTORY_UPDATE_BYTES;
	d->page = memory_array(pages, sizeof *d->page, "directory of mapping pages");
	d->update = memory_array((size_t)pages + 1, sizeof *d->update, "updates of mapping pages");
	for (uint32_t id = 0; id < pages; id++)
		d->page[id].ppn = PPN_NONE;
	list_init(ARRAY_FIELD(d->update, link), pages);
	return d;
}

void directory_free(struct directory *d)
{
	if (!d)
		return;
	memory_free(d->page);
	memory_free(d->update);
	memory_free(d);
}

/* ---- which pages exist ---- */

void directory_enter_new(struct directory *d, uint32_t id)
{
	d->existing++;
	d->page[id].exists = 1;
	d->unplaced = id < d->unplaced ? id : d->unplaced;
	d->unplaced_end = id < d->unplaced_end ? d->unplaced_end : id + 1;
}

void directory_remove(struct directory *d, uint32_t id)
{
	struct directory_page *p = &d->page[id];

	BUG_ON(id >= d->pages, "mapping page %u of %u is removed", id, d->pages);
	if (directory_in_flash(d, id)) {
		space_release(d->space, p->ppn);
		d->in_flash--;
	}
	d->existing -= p->exists;
	directory_clear_updates(d, id);
	*p = (struct directory_page){ .ppn = PPN_NONE };
}

/* ---- what their use costs ---- */

op_t directory_read(struct directory *d, struct io *io, uint32_t id, enum cause cause, op_t after)
{
	struct directory_page *p = &d->page[id];

	BUG_ON(id >= d->pages, "mapping page %u of %u is read", id, d->pages);
	p->load = after;
	if (directory_in_flash(d, id))
		p->load = flash_read(io, p->ppn, d->space->geometry->sectors_per_page, cause, after);
	return p->load;
}

op_t directory_await(const struct io *io, op_t *load, op_t after)
{
	if (*load == OP_NONE)
		return after;
	if (!schedule_done(io->flash->schedule, *load))
		return *load;
	*load = OP_NONE;
	return after;
}

/* A new copy of a mapping page; `read`: the old one is read before. */
struct directory_copy {
	uint32_t id;
	enum cause cause;
	bool read;
};

/* The new page is taken first: that may collect, and so move or rewrite the old copy. */
static bool directory_renew(
	struct directory *d, struct io *io, struct directory_copy copy, op_t after, op_t *wait)
{
	bool detached = io->detached;
	uint32_t id = copy.id;
	struct directory_page *p = &d->page[id];
	op_t program;
	ppn_t to;

	BUG_ON(id >= d->pages, "mapping page %u of %u is written", id, d->pages);
	if (!io->timed && directory_in_flash(d, id))
		return true;
	to = d->client.allocate(d->client.ftl, io, id);
	if (to == PPN_NONE)
		return false;
	if (copy.read)
		after = directory_read(d, io, id, copy.cause, after);
	io->detached |= !d->settings->blocking;
	program =
		flash_program(io, to, d->base + id, d->space->geometry->sectors_per_page, copy.cause, after);
	io->detached = detached;
	if (d->settings->blocking) {
		if (*wait != OP_NONE && *wait != after)
			flash_wait(io, program, *wait);
		*wait = program;
	}
	if (directory_in_flash(d, id))
		space_release(d->space, p->ppn);
	else
		d->in_flash++;
	p->ppn = to;
	return true;
}

bool directory_program(
	struct directory *d, struct io *io, uint32_t id, enum cause cause, op_t after, op_t *wait)
{
	return directory_renew(d, io, (struct directory_copy){ id, cause, false }, after, wait);
}

bool directory_rewrite(
	struct directory *d, struct io *io, uint32_t id, enum cause cause, op_t after, op_t *wait)
{
	return directory_renew(d, io, (struct directory_copy){ id, cause, true }, after, wait);
}

void directory_place(struct directory *d, struct io *io)
{
	op_t nobody = OP_NONE;

	for (; d->unplaced < d->unplaced_end; d->unplaced++)
		if (directory_exists(d, d->unplaced) && !directory_in_flash(d, d->unplaced) &&
			!directory_program(d, io, d->unplaced, CAUSE_MAP, OP_NONE, &nobody))
			return;
	d->unplaced = d->pages;
	d->unplaced_end = 0;
}

void directory_page_moved(struct directory *d, uint32_t id, ppn_t from, ppn_t to)
{
	BUG_ON(id >= d->pages || d->page[id].ppn != from,
		"mapping page %u was moved from page %u, the directory says %u", id, from, d->page[id].ppn);
	d->page[id].ppn = to;
	d->statistics.gc_moves++;
}

/* ---- deferred updates ---- */

static void directory_add_pending(struct directory *d, uint32_t id)
{
	d->pending_entries++;
	if (d->update[id].entries++)
		return;
	d->page[id].pending = 1;
	list_append(ARRAY_FIELD(d->update, link), d->pages, id);
	d->pending_pages++;
}

void directory_defer_update(struct directory *d, uint32_t id)
{
	d->statistics.gc_updates++;
	directory_add_pending(d, id);
}

bool directory_clear_updates(struct directory *d, uint32_t id)
{
	if (!d->page[id].pending)
		return false;
	d->page[id].pending = 0;
	d->pending_entries -= d->update[id].entries;
	d->update[id].entries = 0;
	list_remove(ARRAY_FIELD(d->update, link), id);
	d->pending_pages--;
	return true;
}

bool directory_apply_updates(struct directory *d, struct io *io, uint32_t id)
{
	op_t nobody = OP_NONE;

	directory_clear_updates(d, id);
	if (directory_rewrite(d, io, id, CAUSE_GC_UPDATE, OP_NONE, &nobody))
		return true;
	directory_add_pending(d, id);
	return false;
}

void directory_flush_updates_now(struct directory *d, struct io *io)
{
	uint32_t most = directory_batch(d);

	if (!io->timed || d->settings->gc_update == MAP_GC_DEFER)
		return;
	while (most-- && d->pending_entries > d->pending_limit &&
		directory_apply_updates(d, io, directory_oldest_update(d)))
		;
}

/* ---- the rest ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct directory_statistics, field)

static const struct stat_row directory_rows[] = {
	{ "table_bytes", "bytes", "of mapping pages that exist", COUNT(table_bytes) },
	{ "gc_moves", "pages", "mapping pages moved by collection", COUNT(gc_moves) },
	{ "gc_updates", "entries", "changed by collection while their mapping page was not in DRAM",
		COUNT(gc_updates) },
	{ "pending", "pages", "changed by collection and not yet written at the end", COUNT(pending) },
	{ 0 },
};

static void directory_gather(void *directory)
{
	struct directory *d = directory;

	d->statistics.table_bytes = directory_table_bytes(d);
	d->statistics.pending = d->pending_pages;
}

void directory_statistics(struct directory *d, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", directory_rows, &d->statistics,
				    sizeof d->statistics, d, NULL, directory_gather });
}

static const struct state_row directory_page_state[] = {
	STATE_OP(struct directory_page, load),
	STATE_NUMBER(struct directory_page, ppn),
	STATE_NUMBER(struct directory_page, exists),
	STATE_NUMBER(struct directory_page, pending),
	{ 0 },
};

static const struct state_row directory_update_state[] = {
	STATE_NUMBER(struct directory_update, link),
	STATE_NUMBER(struct directory_update, entries),
	{ 0 },
};

const struct state_row directory_state[] = {
	STATE_FIXED(settings, space, map, client, pages, base, pending_limit),
	STATE_COUNTED(statistics),
	STATE_ARRAY(struct directory, page, directory_page_state),
	STATE_ARRAY(struct directory, update, directory_update_state),
	STATE_NUMBER(struct directory, existing),
	STATE_NUMBER(struct directory, in_flash),
	STATE_NUMBER(struct directory, pending_pages),
	STATE_NUMBER(struct directory, pending_entries),
	STATE_NUMBER(struct directory, unplaced),
	STATE_NUMBER(struct directory, unplaced_end),
	{ 0 },
};

static void directory_check_page(const struct directory *d, uint32_t id)
{
	const struct directory_page *p = &d->page[id];
	owner_t owner = p->ppn == PPN_NONE ? d->base + id : flash_owner(d->space->flash, p->ppn);

	BUG_ON(p->pending != (d->update[id].entries > 0), "mapping page %u has %u deferred updates and %s",
		id, d->update[id].entries, p->pending ? "is pending" : "is not pending");
	BUG_ON(owner != d->base + id, "mapping page %u is said to be in page %u, which belongs to %u", id,
		p->ppn, owner);
	BUG_ON(p->ppn != PPN_NONE && !space_stream(d->space, space_block_of(d->space, p->ppn))->map,
		"mapping page %u is in page %u, in a block of data", id, p->ppn);
}

void directory_check(const struct directory *d)
{
	uint32_t existing = 0, in_flash = 0, changed = 0;
	uint32_t pending = list_length(ARRAY_FIELD(d->update, link), d->pages, d->pending_pages);
	uint64_t entries = 0;

	for (uint32_t id = 0; id < d->pages; id++) {
		directory_check_page(d, id);
		existing += d->page[id].exists;
		in_flash += directory_in_flash(d, id);
		entries += d->update[id].entries;
		changed += d->update[id].entries > 0;
	}
	BUG_ON(existing != d->existing || in_flash != d->in_flash,
		"%u mapping pages exist, %u are in flash; counted are %u and %u", existing, in_flash,
		d->existing, d->in_flash);
	BUG_ON(pending != d->pending_pages || changed != d->pending_pages || entries != d->pending_entries,
		"%u mapping pages are pending, %llu updates; counted are %u and %llu", pending,
		(unsigned long long)entries, d->pending_pages, (unsigned long long)d->pending_entries);
	for (uint32_t id = directory_oldest_update(d); id != d->pages; id = d->update[id].link.next)
		BUG_ON(!d->update[id].entries, "mapping page %u is pending without an update", id);
}
