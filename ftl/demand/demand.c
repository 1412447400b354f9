#include "ftl/demand/demand.h"

#include "base/bits.h"
#include "base/memory.h"

enum { DEMAND_GC = STREAM_HOST + 1, DEMAND_MAP };

#define ENTRY_BYTES 4u /* in a mapping page */

/* ---- set-up ---- */

/* In a collection the plane's own reserve; the other planes need theirs. */
static ppn_t take_map_page(void *ftl, struct io *io, uint32_t id)
{
	struct demand *d = ((struct ftl *)ftl)->state;

	return d->collecting == PLANE_NONE
		       ? store_take(d->page.store, io, id, DEMAND_MAP)
		       : space_take(d->page.store->space, d->collecting, DEMAND_MAP, true);
}

static void relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct demand *d = f->state;
	uint32_t page = owner / d->per_page;

	if (directory_owns(d->directory, owner)) {
		directory_page_moved(d->directory, owner - d->directory->base, from, to);
		return;
	}
	page_map_move(&d->page.map, owner, from, to);
	ftl_map_count(f, io)->accesses++;
	if (d->scheme->moved(f, owner)) {
		d->statistics.gc_lazy += io->timed;
	} else if (io->timed) {
		directory_note(d->directory, page);
		bits_set(d->updates, page);
	}
}

static void emptied(struct ftl *f, struct io *io, block_t victim)
{
	struct demand *d = f->state;
	size_t words = bits_words(d->directory->pages);

	d->collecting = geometry_plane(f->geometry, victim);
	for (uint32_t page = bits_next(d->updates, words, 0); page != INDEX_NONE;
		page = bits_next(d->updates, words, page)) {
		bits_clear(d->updates, page);
		if (directory_pay(d->directory, io, page) && d->scheme->updated)
			d->scheme->updated(f, page);
	}
	d->collecting = PLANE_NONE;
}

bool demand_init(struct ftl *f, const struct demand_scheme *scheme, struct fault *fault)
{
	static const struct stream streams[] = { { "host", .survivors = DEMAND_GC },
		{ "gc", .survivors = DEMAND_GC }, { "map", .survivors = DEMAND_MAP, .map = true }, { 0 } };
	const struct collector_client client = {
		.relocate = relocate, .emptied = emptied, .expect = scheme->expect
	};
	struct demand *d = f->state;
	const struct geometry *g = f->geometry;
	uint32_t per_page = g->page_bytes / ENTRY_BYTES, pages = (g->logical_pages + per_page - 1) / per_page;
	struct store_plan plan = { streams, client, scheme->reserve, pages };

	d->scheme = scheme;
	d->per_page = per_page;
	d->collecting = PLANE_NONE;
	d->page.store = store_create(f, &plan, fault);
	if (!d->page.store)
		return false;
	page_map_init(&d->page.map, g);
	d->directory = directory_create(&f->core->map, d->page.store->space, &f->map, pages, g->logical_pages,
		(struct directory_client){ f, take_map_page });
	d->directory->noted_most = 0;
	d->updates = memory_array(bits_words(pages), sizeof *d->updates, "changed mapping pages");
	return true;
}

void demand_exit(struct ftl *f)
{
	struct demand *d = f->state;

	directory_free(d->directory);
	memory_free(d->updates);
	page_exit(f);
}

/* ---- requests ---- */

static op_t look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	const struct demand *d = f->state;

	if (!io->timed)
		return OP_NONE;
	io->accesses++;
	f->map.accesses++;
	return d->scheme->look_up(f, io, lpn);
}

static void change(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct demand *d = f->state;

	directory_enter(d->directory, lpn / d->per_page);
	if (d->scheme->changed)
		d->scheme->changed(f, io, lpn);
}

/* A request begins: what collections could not pay for is tried again.  Returns the look-ups that cost something. */
static uint64_t begin(struct ftl *f, struct io *io)
{
	directory_settle(((struct demand *)f->state)->directory, io);
	return f->map.lookups - f->map.hits;
}

static void end(struct ftl *f, const struct io *io, uint64_t begun)
{
	struct demand_statistics *s = &((struct demand *)f->state)->statistics;

	s->requests += io->timed;
	s->request_hits += io->timed && f->map.lookups - f->map.hits == begun;
}

void demand_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	uint64_t begun = begin(f, io);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		page_read_part(f, io, part, look_up(f, io, part.lpn));
	end(f, io, begun);
}

void demand_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	uint64_t begun = begin(f, io);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		op_t ready = look_up(f, io, part.lpn);

		if (f->failed || !page_write_part(f, io, io, part, ready))
			return;
		change(f, io, part.lpn);
	}
	end(f, io, begun);
}

void demand_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	begin(f, io);
	while (page_walk_next(&walk, &part)) {
		look_up(f, io, part.lpn);
		if (f->failed)
			return;
		page_trim_part(f, part);
		change(f, io, part.lpn);
	}
}

void demand_place_map(struct ftl *f, struct io *io)
{
	directory_place(((struct demand *)f->state)->directory, io);
}

/* ---- the rest ---- */

void demand_check(const struct ftl *f)
{
	const struct demand *d = f->state;
	uint64_t live = space_live_pages(d->page.store->space), mapped = page_check_map(f);

	store_check(d->page.store);
	directory_check(d->directory);
	BUG_ON(live != mapped + d->directory->in_flash,
		"%llu LPNs are mapped, %u mapping pages in flash, %llu pages are live",
		(unsigned long long)mapped, d->directory->in_flash, (unsigned long long)live);
}

void demand_regions(struct ftl *f, struct regions *r)
{
	page_regions(f, r);
	directory_regions(((struct demand *)f->state)->directory, r);
}

void demand_facts(const struct ftl *f, struct ftl_facts *facts)
{
	page_facts(f, facts);
	facts->map_bytes = (uint64_t)f->geometry->logical_pages * ENTRY_BYTES;
}

void demand_name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	const struct directory *d = ((const struct demand *)f->state)->directory;

	if (directory_owns(d, owner))
		snprintf(text, bytes, "mapping page %u", owner - d->base);
	else
		snprintf(text, bytes, "LPN %u", owner);
}

/* ---- statistics ---- */

static const struct stat_row page_rows[] = {
	{ "page_hit_share", "share", "of look-ups, each of one page, answered from DRAM", STAT_RATIO,
		offsetof(struct map_statistics, hits), offsetof(struct map_statistics, lookups) },
	{ 0 },
};

#define COUNT(field) STAT_COUNT, offsetof(struct demand_statistics, field)

static const struct stat_row rows[] = {
	{ "requests", "requests", "reads and writes as the FTL gets them", COUNT(requests) },
	{ "request_hits", "requests", "all of whose look-ups were answered from DRAM", COUNT(request_hits) },
	{ "request_hit_share", "share", "the same, of all requests", STAT_RATIO,
		offsetof(struct demand_statistics, request_hits),
		offsetof(struct demand_statistics, requests) },
	{ "gc_lazy", "entries", "changed by collection in DRAM", COUNT(gc_lazy) },
	{ 0 },
};

void demand_statistics(struct ftl *f, struct stat_list *list)
{
	struct demand *d = f->state;

	page_statistics(f, list);
	stat_list_add(list, (struct stat_group){ .prefix = "map.", .rows = page_rows, .values = &f->map });
	stat_list_add(list, (struct stat_group){ .prefix = "map.",
				    .rows = rows,
				    .values = &d->statistics,
				    .size = sizeof d->statistics });
}
