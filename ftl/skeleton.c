/*
 * A complete FTL to copy: page mapping in its simplest form, with every step explained.
 *
 *   1. make new-ftl NAME=mine  (copies this file to ftl/mine.c, adds the line FTL(mine) to ftl/list.h)
 *   2. make check-ftl NAME=mine  (the conformance suite on your FTL: random requests, trims, tiny drives,
 *      drive full,
 *                                  every sector compared with what the host last wrote)
 *   3. ./ssd run -s ftl=mine parameters/tiny.cfg TRACE
 *
 * An FTL maps what the host addresses (sectors) to where flash holds it (pages), and names the flash
 * operations that each request needs, with what each must wait for.  The map changes at once; when the
 * operations happen is up to the scheduler.
 */
#include "base/bits.h"
#include "base/memory.h"
#include "ftl/ftl.h"
#include "ftl/pages.h"
#include "ftl/store.h"

/* One entry per logical page: where it is, and which of its sectors hold data (0 = unmapped). */
struct skeleton_entry {
	ppn_t ppn;
	mask_t sectors;
};

/* Your own statistics: a struct of counters, with a row for each below. */
struct skeleton_statistics {
	uint64_t partial_writes;
};

/* All that the FTL remembers.  The core allocates it, zeroed; several drives may exist at once.  f->store
 * holds blocks, collection and page allocation: the core frees, checks, saves and reports it. */
struct skeleton {
	struct skeleton_entry *map;
	struct skeleton_statistics count;
};

/* Parameters of your own: this one is read from `skeleton: { report_partial = true; }` of the parameter
 * file. */
struct skeleton_settings {
	bool report_partial;
};

static const struct param skeleton_params[] = {
	{ PARAM(BOOL, struct skeleton_settings, report_partial), 0, 1, "", "true",
		"report how many page writes had to keep old data" },
	{ 0 },
};

/* The collector moved a live page: the map follows. */
static void skeleton_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct skeleton *s = f->state;

	BUG_ON(s->map[owner].ppn != from, "page %u of LPN %u was moved, the table says %u", from, owner,
		s->map[owner].ppn);
	s->map[owner].ppn = to;
	ftl_map_count(f, io)->accesses++;
}

/* New data of the host has blocks of its own; what survives a collection goes to stream 1 and stays there. */
static const struct store_plan skeleton_plan = {
	.streams = (const struct stream[]){ { "host", .survivors = 1 }, { "gc", .survivors = 1 }, { 0 } },
	.client = { .relocate = skeleton_relocate },
};

/* Allocate here, free in exit.  If the drive does not suit the FTL: `return fault_set(fault, ...)`. */
static bool skeleton_init(struct ftl *f, struct fault *fault)
{
	struct skeleton *s = f->state;

	if (!store_create(f, &skeleton_plan, fault))
		return false;
	s->map = memory_array(f->geometry->logical_pages, sizeof *s->map, "skeleton's page table");
	return true;
}

static void skeleton_exit(struct ftl *f)
{
	struct skeleton *s = f->state;

	memory_free(s->map);
}

/*
 * page_walk cuts a request at page borders: each part is one logical page and a mask of its sectors.  There
 * are several extents if some of the sectors are in a write buffer.
 */
static void skeleton_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct skeleton *s = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		struct skeleton_entry *entry = &s->map[part.lpn];
		mask_t wanted = entry->sectors & part.mask;

		ftl_count_lookup(f, io);
		if (!wanted) {
			ftl_count_unmapped(f, io); /* never written: read as zeros without touching flash */
			continue;
		}
		flash_read(io, entry->ppn, mask_sectors(wanted), CAUSE_HOST, OP_NONE);
		pages_answer(io, entry->ppn, part.lpn, wanted);
	}
}

static bool skeleton_write_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct skeleton *s = f->state;
	struct skeleton_entry *entry = &s->map[part.lpn];
	op_t old_data = OP_NONE;
	mask_t kept;
	ppn_t to;

	/* First the new page: this may collect garbage, and so change entry->ppn. */
	to = store_take(f, io, part.lpn, STREAM_HOST);
	if (to == PPN_NONE)
		return false; /* the drive is full: the map stays as it is */
	ftl_count_lookup(f, io);

	/* Read-modify-write: flash programs whole pages, so data of the old page that is not overwritten is
	 * copied. */
	kept = entry->sectors & ~part.mask;
	if (kept) {
		old_data = flash_read(io, entry->ppn, mask_sectors(kept), CAUSE_RMW, OP_NONE);
		s->count.partial_writes++;
	}

	/* The program waits for that read.  The owner is what skeleton_relocate() will get. */
	flash_program(io, to, part.lpn, mask_sectors(kept | part.mask), CAUSE_HOST, old_data);
	pages_hold_host(io, to, part.lpn, part.mask);
	pages_hold_kept(io, to, entry->ppn, part.lpn, kept);

	/* The old page is dead; the map points to the new one. */
	if (entry->sectors)
		space_release(f->store->space, entry->ppn);
	*entry = (struct skeleton_entry){ to, kept | part.mask };
	return true;
}

/* A buffer may flush several extents at once; page_walk joins those that meet in one page. */
static void skeleton_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (!skeleton_write_page(f, io, part))
			return;
}

/* These sectors read as zeros from now on. */
static void skeleton_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct skeleton *s = f->state;
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		struct skeleton_entry *entry = &s->map[part.lpn];

		ftl_count_lookup(f, io);
		if (entry->sectors && !(entry->sectors & ~part.mask))
			space_release(f->store->space, entry->ppn);
		entry->sectors &= ~part.mask;
	}
}

/* Invariants, checked after runs and often in tests: a wrong FTL should fail early. */
static void skeleton_check(const struct ftl *f)
{
	const struct skeleton *s = f->state;
	uint64_t mapped = 0;

	for (lpn_t lpn = 0; lpn < f->geometry->logical_pages; lpn++) {
		mapped += s->map[lpn].sectors != 0;
		BUG_ON(s->map[lpn].sectors && flash_owner(f->flash, s->map[lpn].ppn) != lpn,
			"LPN %u is mapped to page %u of LPN %u", lpn, s->map[lpn].ppn,
			flash_owner(f->flash, s->map[lpn].ppn));
	}
	BUG_ON(mapped != space_live_pages(f->store->space), "%llu LPNs are mapped, %llu pages are live",
		(unsigned long long)mapped, (unsigned long long)space_live_pages(f->store->space));
}

/* How the state is saved and loaded: a row for each field (base/state.h). */
static const struct state_row skeleton_entry_state[] = {
	STATE_NUMBER(struct skeleton_entry, ppn),
	STATE_NUMBER(struct skeleton_entry, sectors),
	{ 0 },
};

static const struct state_row skeleton_state[] = {
	STATE_ARRAY(struct skeleton, map, skeleton_entry_state),
	STATE_COUNTED(count),
	{ 0 },
};

/* The size of the mapping: a real table has no padding, a page number and a bit for each sector in words of
 * 32. */
static void skeleton_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = f->geometry->logical_pages * (f->geometry->sectors_per_page > 32 ? 12 : 8);
}

/* A row for each counter; the core zeroes the struct when the measurement begins, and reports it. */
static const struct stat_row skeleton_rows[] = {
	{ "skeleton.partial_writes", "pages", "page writes that had to keep old data", STAT_COUNT,
		offsetof(struct skeleton_statistics, partial_writes) },
	{ 0 },
};

static void skeleton_statistics(struct ftl *f, struct stat_list *list)
{
	struct skeleton *s = f->state;
	const struct skeleton_settings *settings = f->settings;

	if (settings->report_partial)
		stat_list_add(list, (struct stat_group){ .title = "skeleton",
					    .rows = skeleton_rows,
					    .values = &s->count,
					    .size = sizeof s->count });
}

/* The table: the only name that other files see. */
const struct ftl_ops ftl_skeleton = {
	.name = "skeleton",
	.brief = "page mapping in its simplest form, every step explained: the file to copy for an own FTL",
	.size = sizeof(struct skeleton),
	.state = skeleton_state,
	.init = skeleton_init,
	.exit = skeleton_exit,
	.read = skeleton_read,
	.write = skeleton_write,
	.trim = skeleton_trim,
	.check = skeleton_check,
	.facts = skeleton_facts,

	/* optional */
	.map_in_dram = true, /* false: mappings are read from flash */
	.params = skeleton_params,
	.settings_size = sizeof(struct skeleton_settings),
	.statistics = skeleton_statistics,
};
