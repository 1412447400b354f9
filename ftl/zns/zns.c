#include "ftl/zns/zns.h"

#include "base/memory.h"

#define ZNS(type, field) PARAM(type, struct zns_settings, field)

static const char *const finish_names[] = { "pad", "none", NULL };
static const char *const refuse_names[] = { "stop", "count", NULL };

static const struct param zns_params[] = {
	{ ZNS(UINT, rows), 1, 1 << 24, "rows", "1",
		"size of a zone: rows of blocks, a row being one block of each plane" },
	{ ZNS(UINT, open), 0, 1e6, "zones", "14",
		"zones open at once; one more write closes the one that was written least recently; 0 = any "
		"number",
		.stateless = true },
	{ ZNS(UINT, active), 0, 1e6, "zones", "14", "maximum active zones (open or closed); 0 = no limit",
		.stateless = true },
	{ ZNS(CHOICE, finish), 0, 0, "", "pad",
		"a zone that is finished early: its other pages are programmed with nothing, or are left",
		finish_names },
	{ ZNS(CHOICE, refuse), 0, 0, "", "stop",
		"a command that breaks a rule of zones ends the run, or is counted and does nothing",
		refuse_names },
	{ ZNS(BOOL, serial), 0, 1, "", "true",
		"a write to a zone waits until the write before it is done, as with the zone lock of Linux; "
		"appends never wait",
		.stateless = true },
	{ 0 },
};

/* ---- life ---- */

static bool zns_shape(const void *settings, struct geometry *g, struct fault *fault)
{
	const struct zns_settings *s = settings;
	uint64_t zone = s->rows * g->planes * g->pages_per_block;

	if (s->open > s->active && s->active)
		return fault_set(fault,
			"zns.open = %llu is more than zns.active = %llu: open zones are active",
			(unsigned long long)s->open, (unsigned long long)s->active);
	if (zone > g->logical_pages)
		return fault_set(fault,
			"zns.rows = %llu: a zone of %llu pages does not fit on a drive of %u; use fewer rows",
			(unsigned long long)s->rows, (unsigned long long)zone, g->logical_pages);
	g->zone_pages = (uint32_t)zone;
	g->active_zones = s->active;
	g->logical_pages -= g->logical_pages % g->zone_pages;
	g->logical_sectors = geometry_page_start(g, g->logical_pages);
	return true;
}

static bool zns_init(struct ftl *f, struct fault *fault)
{
	const struct geometry *g = f->geometry;
	const struct zns_settings *s = f->settings;
	struct zns *z = f->state;

	if (!placement_init(&z->placement, f->flash, &f->core->placement, fault))
		return false;
	z->planes = g->planes;
	z->zone_pages = g->zone_pages;
	z->zones = g->logical_pages / g->zone_pages;
	z->row_pages = g->planes * g->pages_per_block;
	z->zone_sectors = geometry_page_start(g, g->zone_pages);
	z->zone = memory_array(z->zones + (size_t)1, sizeof *z->zone, "zones");
	for (uint32_t i = 0; i < z->zones; i++)
		z->zone[i].writer = INDEX_NONE;
	list_init(ARRAY_FIELD(z->zone, link), z->zones);
	if (s->serial) {
		z->last = memory_array(g->blocks, sizeof *z->last, "turns of zones");
		z->before = memory_array(g->blocks, sizeof *z->before, "turns of zones");
	}
	return true;
}

static void zns_exit(struct ftl *f)
{
	struct zns *z = f->state;

	placement_release(&z->placement);
	memory_free(z->zone);
	memory_free(z->last);
	memory_free(z->before);
}

/* ---- requests ---- */

/* A trim of exactly one zone is a reset; any other trim is ignored. */
static bool zns_admit_trim(struct ftl *f, struct io *io, struct extent e)
{
	const struct zns *z = f->state;

	if (e.start % z->zone_sectors == 0 && extent_sectors(e) == z->zone_sectors)
		return true;
	zns_count(f, io)->ignored_trims++;
	return false;
}

static bool zns_admit(struct ftl *f, struct io *io, struct extent *e, enum request_type type, bool append)
{
	struct zns *z = f->state;

	z->appends = append;
	return type == REQUEST_TRIM ? zns_admit_trim(f, io, *e) : zone_admit(f, io, e, append);
}

static void zns_trim(struct ftl *f, struct io *io, struct extent e)
{
	ftl_count_lookup(f, io);
	zone_reset(f, io, zns_zone_of(f->state, e.start));
}

static bool zns_command(struct ftl *f, struct io *io, uint32_t zone, enum zone_command command)
{
	if (command == ZONE_COMMAND_OPEN)
		return zone_open(f, io, zone);
	if (command == ZONE_COMMAND_FINISH)
		return zone_finish(f, io, zone);
	zone_close(f, io, zone);
	return true;
}

/* ---- state ---- */

static const struct state_row zone_rows[] = {
	STATE_NUMBER(struct zone, state),
	STATE_NUMBER(struct zone, link),
	STATE_NUMBER(struct zone, written),
	STATE_NUMBER(struct zone, padded),
	STATE_NUMBER(struct zone, writer),
	STATE_NUMBER(struct zone, writer_page),
	{ 0 },
};

static const struct state_row zns_state[] = {
	STATE_FIXED(placement, zones, planes, zone_pages, row_pages, zone_sectors),
	STATE_SCRATCH(appends),
	STATE_COUNTED(count, uncounted),
	STATE_ARRAY(struct zns, zone, zone_rows),
	STATE_NUMBER(struct zns, open),
	STATE_NUMBER(struct zns, active),
	STATE_NUMBER(struct zns, live_pages),
	STATE_OF_RUN,
	STATE_NUMBERS(struct zns, last),
	STATE_NUMBERS(struct zns, before),
	{ 0 },
};

/* How many pages of the block are programmed if `pages` of its zone are. */
static uint32_t zns_pages_of_block(const struct zns *z, uint32_t position, uint32_t row, uint32_t pages)
{
	uint32_t before = row * z->row_pages, in_row = pages > before ? pages - before : 0;

	in_row = in_row < z->row_pages ? in_row : z->row_pages;
	return in_row / z->planes + (position < in_row % z->planes);
}

static void zns_check_zone(const struct ftl *f, uint32_t number)
{
	const struct zns_settings *s = f->settings;
	const struct zns *z = f->state;
	uint32_t data = zns_data_pages(f, number), pages = z->zone[number].padded ? z->zone_pages : data;

	for (uint32_t page = 0; page < pages; page++) {
		owner_t owner = page < data ? number * z->zone_pages + page : OWNER_NONE;
		ppn_t ppn = zns_page(f, number, page);

		BUG_ON(flash_owner(f->flash, ppn) != owner, "page %u of zone %u belongs to %u", page, number,
			flash_owner(f->flash, ppn));
	}
	for (uint32_t row = 0; row < s->rows; row++)
		for (uint32_t i = 0; i < z->planes; i++) {
			block_t block = zns_block(f, number, z->placement.plane[i], row);
			uint32_t right = zns_pages_of_block(z, i, row, pages);

			BUG_ON(flash_next_page(f->flash, block) != right,
				"%u pages of block %u are programmed; zone %u has %u, of which %u are in it",
				flash_next_page(f->flash, block), block, number, pages, right);
		}
}

static void zns_check(const struct ftl *f)
{
	const struct zns *z = f->state;
	uint64_t live = 0;

	zone_check(f);
	for (uint32_t number = 0; number < z->zones; number++) {
		zns_check_zone(f, number);
		live += zns_data_pages(f, number);
	}
	BUG_ON(live != z->live_pages, "%llu pages hold data, %llu are counted", (unsigned long long)live,
		(unsigned long long)z->live_pages);
}

/* A controller keeps a write pointer and a state for each zone. */
static void zns_facts(const struct ftl *f, struct ftl_facts *facts)
{
	const struct zns *z = f->state;

	facts->live_pages = z->live_pages;
	facts->map_bytes = 8 * (uint64_t)z->zones;
	for (block_t block = 0; block < f->geometry->blocks; block++) {
		bool worn = flash_worn_out(f->flash, block);

		facts->retired_blocks += worn;
		facts->free_blocks += !worn && !flash_next_page(f->flash, block);
	}
}

/* ---- statistics ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct zns_statistics, field)

static const struct stat_row zns_rows[] = {
	{ "zones", "zones", "of the drive", COUNT(zones) },
	{ "zone_bytes", "bytes", "size of a zone, and as much as it holds", COUNT(zone_bytes) },
	{ "writes", "commands", "at a write pointer", COUNT(writes) },
	{ "appends", "commands", "writes that name only the zone", COUNT(appends) },
	{ "pages", "pages", "of data written to zones", COUNT(pages) },
	{ "waf", "", "write amplification of the device: pages programmed / pages of data", STAT_RATIO,
		offsetof(struct zns_statistics, programs), offsetof(struct zns_statistics, pages) },
	{ "resets", "zones", "of zones that were not empty", COUNT(resets) },
	{ "erased_zones", "zones", "of these, with pages to erase", COUNT(erased_zones) },
	{ "finishes", "zones", "made full before their end", COUNT(finishes) },
	{ "filled", "zones", "written to their end", COUNT(filled) },
	{ "explicit_opens", "commands", "", COUNT(explicit_opens) },
	{ "closes", "commands", "", COUNT(closes) },
	{ "implicit_closes", "zones", "closed because zns.open were open", COUNT(implicit_closes) },
	{ "open_most", "zones", "open at once", COUNT(open_most) },
	{ "active_most", "zones", "open or closed at once", COUNT(active_most) },
	{ "ignored_trims", "requests", "trims of anything but one whole zone", COUNT(ignored_trims) },
	{ "error_full", "commands", "refused: the zone is full", COUNT(error[ERROR_FULL]) },
	{ "error_boundary", "commands", "refused: beyond the end of the zone", COUNT(error[ERROR_BOUNDARY]) },
	{ "error_pointer", "commands", "refused: not at the write pointer", COUNT(error[ERROR_POINTER]) },
	{ "error_active", "commands", "refused: zns.active zones are active", COUNT(error[ERROR_ACTIVE]) },
	{ "error_open", "commands", "refused: zns.open zones are open by command", COUNT(error[ERROR_OPEN]) },
	{ 0 },
};

/* The statistics of flash/ have no row for CAUSE_HOST erases, because only zones cause them. */
static const struct stat_row zns_flash_rows[] = {
	{ "flash.erase.host", "blocks", "erased by resets of zones", STAT_COUNT,
		offsetof(struct flash, count[OP_ERASE][CAUSE_HOST]) },
	{ 0 },
};

static void zns_start_peaks(void *ftl)
{
	struct zns *z = zns_of(ftl);

	z->count.open_most = z->open;
	z->count.active_most = z->active;
}

static void zns_gather(void *ftl)
{
	const struct ftl *f = ftl;
	struct zns *z = f->state;

	z->count.zones = z->zones;
	z->count.zone_bytes = (uint64_t)z->zone_sectors * SECTOR_BYTES;
	z->count.programs = flash_total(f->flash, OP_PROGRAM);
}

static void zns_statistics(struct ftl *f, struct stat_list *list)
{
	struct zns *z = f->state;

	stat_list_add(list, (struct stat_group){ .title = "zones",
				    .prefix = "zns.",
				    .rows = zns_rows,
				    .values = &z->count,
				    .size = sizeof z->count,
				    .owner = f,
				    .start = zns_start_peaks,
				    .gather = zns_gather });
	stat_list_add(list, (struct stat_group){ .rows = zns_flash_rows, .values = f->flash });
}

/* ---- words ---- */

static void zns_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct zns *z = f->state;
	uint32_t number = lpn / z->zone_pages, page = lpn % z->zone_pages;
	const struct zone *zone = &z->zone[number];

	fprintf(out, "page %u of zone %u (%s, %llu of %llu sectors written) ", page, number,
		zone_state_names[zone->state], (unsigned long long)zone->written,
		(unsigned long long)z->zone_sectors);
	if (page < zns_data_pages(f, number))
		fprintf(out, "in %u.%u", geometry_block(f->geometry, zns_page(f, number, page)),
			geometry_page(f->geometry, zns_page(f, number, page)));
	else
		fputs(page == zns_data_pages(f, number) && zns_waiting(f, number)
				? "waits in the controller's memory"
				: "holds no data",
			out);
}

/* Prints how many zones are empty and full, and each active zone. */
static void zns_print_state(const struct ftl *f, FILE *out)
{
	const struct zns *z = f->state;
	uint32_t of[ZONE_STATES] = { 0 }, page = f->geometry->sectors_per_page;

	for (uint32_t i = 0; i < z->zones; i++)
		of[z->zone[i].state]++;
	fprintf(out, "%u zones of %u pages: %u empty, %u full", z->zones, z->zone_pages, of[ZONE_EMPTY],
		of[ZONE_FULL]);
	for (uint32_t i = 0; i < z->zones; i++) {
		const struct zone *zone = &z->zone[i];

		if (zone->state == ZONE_EMPTY || zone->state == ZONE_FULL)
			continue;
		fprintf(out, "; zone %u %s, at page %llu", i, zone_state_names[zone->state],
			(unsigned long long)(zone->written / page));
		if (zone->written % page)
			fprintf(out, ".%u", (unsigned)(zone->written % page));
	}
}

static const struct ftl_words zns_words = { .print_entry = zns_print_entry, .print_state = zns_print_state };

const struct ftl_ops ftl_zns = {
	.name = "zns",
	.brief =
		"zones: written from their first page to their last, reset as a whole; no map, no collection",
	.size = sizeof(struct zns),
	.state = zns_state,
	.map_in_dram = true,
	.params = zns_params,
	.settings_size = sizeof(struct zns_settings),
	.shape = zns_shape,
	.admit = zns_admit,
	.command = zns_command,
	.init = zns_init,
	.exit = zns_exit,
	.read = zns_read,
	.write = zns_write,
	.trim = zns_trim,
	.check = zns_check,
	.facts = zns_facts,
	.statistics = zns_statistics,
	.words = &zns_words,
};
