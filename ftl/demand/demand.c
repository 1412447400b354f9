#include "ftl/demand/demand.h"

enum { DEMAND_GC = STREAM_HOST + 1, DEMAND_MAP };

/* ---- set-up ---- */

static void demand_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct demand *d = f->state;
	struct directory *directory = d->table.directory;

	if (directory_owns(directory, owner)) {
		directory_page_moved(directory, owner - directory->base, from, to);
		return;
	}
	page_map_move(&d->map, owner, from, to);
	ftl_map_count(f, io)->accesses++;
	table_moved(&d->table, io, owner / d->per_page, d->scheme->moved(f, owner));
}

static void demand_emptied(struct ftl *f, struct io *io, block_t victim)
{
	struct demand *d = f->state;

	if (d->scheme->emptied)
		d->scheme->emptied(f);
	table_emptied(&d->table, io, victim, d->scheme->updated);
}

bool demand_init(struct ftl *f, const struct demand_scheme *scheme, struct fault *fault)
{
	static const struct stream streams[] = { { "host", .survivors = DEMAND_GC },
		{ "gc", .survivors = DEMAND_GC }, { "map", .survivors = DEMAND_MAP, .map = true }, { 0 } };
	const struct collector_client client = { .relocate = demand_relocate,
		.by_owner = scheme->by_owner,
		.emptied = demand_emptied,
		.prefetch = scheme->prefetch };
	struct demand *d = f->state;
	const struct geometry *g = f->geometry;
	uint32_t per_page = scheme->per_page ? scheme->per_page : g->page_bytes / TABLE_ENTRY_BYTES,
		 pages = (g->logical_pages + per_page - 1) / per_page;

	d->scheme = scheme;
	d->per_page = per_page;
	if (!page_create(f, &(struct store_plan){ streams, client, scheme->reserve, pages }, fault))
		return false;
	table_init(&d->table, f, DEMAND_MAP, pages, g->logical_pages);
	return true;
}

void demand_exit(struct ftl *f)
{
	table_release(&demand_of(f)->table);
	page_exit(f);
}

/* ---- requests ---- */

op_t demand_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	if (!io->timed)
		return OP_NONE;
	io->accesses++;
	f->map.accesses++;
	return demand_of(f)->scheme->look_up(f, io, lpn);
}

void demand_change(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct demand *d = f->state;

	directory_enter(d->table.directory, lpn / d->per_page);
	if (d->scheme->changed)
		d->scheme->changed(f, io, lpn);
}

/* Called at the beginning of a request: retries updates that collection had to defer. Returns the number of
 * look-ups that missed so far. */
uint64_t demand_begin(struct ftl *f, struct io *io, struct extent last)
{
	struct demand *d = f->state;

	d->last = geometry_lpn(f->geometry, last.end ? last.end - 1 : 0);
	directory_flush_updates(d->table.directory, io);
	return f->map.lookups - f->map.hits;
}

void demand_end(struct ftl *f, const struct io *io, uint64_t begun)
{
	struct demand_statistics *s = &demand_of(f)->statistics;

	s->requests += io->timed;
	s->request_hits += io->timed && f->map.lookups - f->map.hits == begun;
}

void demand_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	uint64_t begun = demand_begin(f, io, extents[n - 1]);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (!page_read_part(f, io, part, demand_look_up(f, io, part.lpn)))
			ftl_count_unmapped(f, io);
	demand_end(f, io, begun);
}

void demand_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	uint64_t begun = demand_begin(f, io, extents[n - 1]);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		op_t ready = demand_look_up(f, io, part.lpn);

		if (f->failed || !page_write_part(f, io, io, part, ready))
			return;
		demand_change(f, io, part.lpn);
	}
	demand_end(f, io, begun);
}

void demand_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	demand_begin(f, io, e);
	while (page_walk_next(&walk, &part)) {
		demand_look_up(f, io, part.lpn);
		if (f->failed)
			return;
		page_trim_part(f, part);
		demand_change(f, io, part.lpn);
	}
}

void demand_place_map(struct ftl *f, struct io *io)
{
	directory_place(demand_of(f)->table.directory, io);
}

/* ---- the rest ---- */

void demand_check(const struct ftl *f)
{
	const struct directory *d = demand_of(f)->table.directory;
	uint64_t live = space_live_pages(f->store->space), mapped = page_check_map(f);

	directory_check(d);
	BUG_ON(live != mapped + d->in_flash,
		"%llu LPNs are mapped, %u mapping pages in flash, %llu pages are live",
		(unsigned long long)mapped, d->in_flash, (unsigned long long)live);
}

const struct state_row demand_state[] = {
	STATE_FIXED(scheme, per_page),
	STATE_SCRATCH(last),
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct demand, map, page_map_state),
	STATE_STRUCT(struct demand, table, table_state),
	{ 0 },
};

void demand_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = (uint64_t)f->geometry->logical_pages * TABLE_ENTRY_BYTES;
}

void demand_name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	const struct directory *d = demand_of(f)->table.directory;

	if (directory_owns(d, owner))
		snprintf(text, bytes, "mapping page %u", owner - d->base);
	else
		snprintf(text, bytes, "LPN %u", owner);
}

/* ---- statistics ---- */

static const struct stat_row demand_page_rows[] = {
	{ "page_hit_share", "share", "of look-ups, each of one page, answered from DRAM", STAT_RATIO,
		offsetof(struct map_statistics, hits), offsetof(struct map_statistics, lookups) },
	{ 0 },
};

#define COUNT(field) STAT_COUNT, offsetof(struct demand_statistics, field)

static const struct stat_row demand_rows[] = {
	{ "requests", "requests", "reads and writes as the FTL gets them", COUNT(requests) },
	{ "request_hits", "requests", "all of whose look-ups were answered from DRAM", COUNT(request_hits) },
	{ "request_hit_share", "share", "the same, of all requests", STAT_RATIO,
		offsetof(struct demand_statistics, request_hits),
		offsetof(struct demand_statistics, requests) },
	{ 0 },
};

void demand_statistics(struct ftl *f, struct stat_list *list)
{
	struct demand *d = f->state;

	stat_list_add(
		list, (struct stat_group){ .prefix = "map.", .rows = demand_page_rows, .values = &f->map });
	stat_list_add(list, (struct stat_group){ .prefix = "map.",
				    .rows = demand_rows,
				    .values = &d->statistics,
				    .size = sizeof d->statistics });
	table_statistics(&d->table, list);
}
