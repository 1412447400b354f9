/*
 * Reads, trims, and the two FTLs.
 *
 * A read first looks up all its entries and then issues one flash read for each flash page needed, which
 * depends on the entries that point to it.
 */
#include "ftl/minipage/minipage.h"

#include "base/memory.h"
#include "flash/schedule.h"
#include "stats/table.h"

/* ---- settings ---- */

#define MINI(type, field) PARAM(type, struct mini_settings, field)

static const char *const packing_names[] = { "request", "buffer", NULL };
static const char *const node_names[] = { "sparse", "full", NULL };

/* clang-format off */
#define MINI_ROWS \
	{ MINI(UINT, bytes), 512, 16384, "bytes", "4096", \
		"size of a minipage, a power of two; a page if that is smaller" }, \
	{ MINI(CHOICE, pack), 0, 0, "", "request", \
		"request = the minipages of one request are packed into pages, the last one may be partly " \
		"empty; buffer = up to a page of minipages is kept in RAM and packed with those of later " \
		"requests; a power failure would lose them", packing_names }, \
	{ MINI(BOOL, demand), 0, 1, "", "true", \
		"the table is in flash and map.cache_bytes of its entries are cached; false: all of it is " \
		"in DRAM" }
/* clang-format on */

static const struct param minipage_params[] = { MINI_ROWS, { 0 } };

static const struct param pm_params[] = {
	MINI_ROWS,
	{ MINI(CHOICE, node), 0, 0, "", "sparse",
		"cached entries of a logical page that is mapped as minipages: sparse = those looked up; "
		"full = all",
		node_names },
	{ 0 },
};

/* ---- life ---- */

static const struct store_plan plan = {
	.streams = (const struct stream[]){ [MINI_HOST] = { "host", .survivors = MINI_GC },
		[MINI_GC] = { "gc", .survivors = MINI_GC },
		[MINI_MAP] = { "map", .survivors = MINI_MAP, .map = true },
		{ 0 } },
	.client = { .relocate = mini_relocate,
		.empty = mini_empty,
		.emptied = mini_emptied,
		.last_resort = mini_last_resort },
	.reserve = 2,
};

/* Most mapping pages that can be valid at a time. */
static uint32_t mini_map_pages(const struct ftl *f, uint32_t per_lpn)
{
	uint32_t per_page = f->geometry->page_bytes / TABLE_ENTRY_BYTES / per_lpn;

	return ((const struct mini_settings *)f->settings)->demand
		       ? (f->geometry->logical_pages + per_page - 1) / per_page
		       : 0;
}

static bool mini_init(struct ftl *f, bool pages, struct fault *fault)
{
	struct mini *m = f->state;
	const struct mini_settings *s = f->settings;
	const struct geometry *g = f->geometry;
	uint64_t bytes = s->bytes < g->page_bytes ? s->bytes : g->page_bytes;
	struct store_plan mine = plan;

	if (bytes & (bytes - 1) || bytes * MINI_MOST < g->page_bytes)
		return fault_set(fault,
			"%s.bytes = %llu is not a power of two of at least 1/%u of a page of %u bytes",
			f->ops->name, (unsigned long long)s->bytes, MINI_MOST, g->page_bytes);
	m->pages = pages;
	m->buffered = mine.mixes_requests = s->pack == PACK_BUFFER;
	m->per_lpn = (uint32_t)(g->page_bytes / bytes);
	m->shift = (uint32_t)__builtin_ctzll(bytes / SECTOR_BYTES);
	m->full = bits_below((uint32_t)(bytes / SECTOR_BYTES));
	mine.map_pages = mini_map_pages(f, m->per_lpn);
	if ((uint64_t)g->pages * m->per_lpn + mine.map_pages >= OWNER_NONE / 2)
		return fault_set(
			fault, "the drive has too many minipages; use larger %s.bytes", f->ops->name);
	if (!store_create(f, &mine, fault))
		return false;
	if (mini_map_init(f, fault))
		return true;
	return false;
}

static bool mini_minipage_init(struct ftl *f, struct fault *fault)
{
	return mini_init(f, false, fault);
}

static bool mini_pm_init(struct ftl *f, struct fault *fault)
{
	return mini_init(f, true, fault);
}

static void mini_exit(struct ftl *f)
{
	struct mini *m = f->state;

	mini_map_exit(m);
	memory_free(m->touch);
	memory_free(m->wanted);
}

/* ---- read ---- */

/* Adds sectors to read from the flash page; returns its index in `wanted`. */
static uint32_t mini_want(struct mini *m, ppn_t ppn, uint32_t sectors)
{
	uint32_t i = m->wants;

	while (i--)
		if (m->wanted[i].ppn == ppn) {
			m->wanted[i].sectors += sectors;
			return i;
		}
	m->wanted =
		memory_grown(m->wanted, &m->wanted_room, m->wants + 1, sizeof *m->wanted, "read requests");
	m->wanted[m->wants] = (struct mini_wanted){ .ppn = ppn, .sectors = sectors };
	return m->wants++;
}

/* Looks up the minipages of a part, except those kept in RAM. */
static void mini_touch_part(struct ftl *f, struct io *io, struct page_part part)
{
	struct mini *m = f->state;
	uint32_t first = m->touched, bits = 0;
	op_t ready = OP_NONE;

	for (uint32_t i = 0; i < m->per_lpn; i++) {
		sub_t sub = part.lpn * m->per_lpn + i;
		mask_t mask = mini_mask(m, part, i);

		if (!mask)
			continue;
		m->touch = memory_grown(
			m->touch, &m->touch_room, m->touched + 1, sizeof *m->touch, "read requests");
		if (!mini_waiting(m, sub)) {
			bits |= 1u << i;
			ready = m->pages ? OP_NONE : mini_look_up(f, io, sub);
		}
		m->touch[m->touched++] = (struct mini_touch){ .sub = sub, .mask = mask, .ready = ready };
	}
	if (m->pages && bits)
		ready = mini_look_up_page(f, io, part.lpn, bits);
	for (; m->pages && first < m->touched; first++)
		m->touch[first].ready = ready;
}

/* Finds the flash page of the minipage, unless it is in RAM or holds no data. */
static void mini_find(struct ftl *f, struct io *io, struct mini_touch *t)
{
	struct mini *m = f->state;
	const struct pack_part *part = mini_waiting(m, t->sub);

	if (part) {
		mini_tell(f, t->sub, t->mask & (part->host | part->kept), oracle_dram_answer);
		t->mask = 0;
		return;
	}
	t->mask &= mini_written(m, t->sub);
	if (t->mask)
		t->wanted = mini_want(m, mini_ppn(m, t->sub), mask_sectors(t->mask));
	else
		ftl_count_unmapped(f, io);
}

static void mini_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct mini *m = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	m->touched = m->wants = 0;
	m->last = (sub_t)((extents[n - 1].end - 1) >> m->shift);
	if (m->cache)
		directory_flush_updates(m->table.directory, io);
	while (page_walk_next(&walk, &part))
		mini_touch_part(f, io, part);
	for (uint32_t i = 0; i < m->touched; i++)
		mini_find(f, io, &m->touch[i]);
	for (uint32_t i = 0; i < m->wants; i++)
		m->wanted[i].read =
			flash_read(io, m->wanted[i].ppn, m->wanted[i].sectors, CAUSE_HOST, OP_NONE);
	for (uint32_t i = 0; i < m->touched; i++) {
		const struct mini_touch *t = &m->touch[i];

		if (!t->mask)
			continue;
		flash_wait(io, m->wanted[t->wanted].read, t->ready);
		pages_answer(io, m->wanted[t->wanted].ppn, mini_lpn(m, t->sub),
			mini_page_mask(m, t->sub, t->mask));
	}
}

/* ---- trim ---- */

/* Drops sectors of a minipage, in RAM and in flash.  True if it had data in flash and has none now. */
static bool mini_drop(struct ftl *f, sub_t sub, mask_t mask)
{
	struct mini *m = f->state;
	mask_t written = mini_written(m, sub);

	mini_forget(f, sub, mask);
	if (!(written & mask))
		return false;
	if (!(written & ~mask))
		mini_kill(m, sub);
	places_set(&m->places, sub, 1, places_get(&m->places, sub), written & ~mask);
	return !(written & ~mask);
}

/* A logical page in mode P that loses some of its minipages changes to mode M. */
static void mini_trim_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct mini *m = f->state;
	sub_t first = part.lpn * m->per_lpn;
	uint32_t bits = 0, dead = 0;

	for (uint32_t i = 0; i < m->per_lpn; i++)
		bits |= (uint32_t)(mini_mask(m, part, i) != 0) << i;
	mini_look_up_page(f, io, part.lpn, bits);
	for (uint32_t i = 0; i < m->per_lpn && !f->failed; i++)
		if (bits >> i & 1)
			dead += mini_drop(f, first + i, mini_mask(m, part, i));
	if (!f->failed)
		mini_trimmed(f, io, first, dead && dead < m->per_lpn && !bits_get(m->split, part.lpn));
}

static void mini_trim_minipages(struct ftl *f, struct io *io, struct page_part part)
{
	struct mini *m = f->state;

	for (uint32_t i = 0; i < m->per_lpn && !f->failed; i++) {
		sub_t sub = part.lpn * m->per_lpn + i;

		if (!mini_mask(m, part, i))
			continue;
		mini_look_up(f, io, sub);
		if (f->failed)
			return;
		mini_drop(f, sub, mini_mask(m, part, i));
		mini_trimmed(f, io, sub, false);
	}
}

static void mini_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct mini *m = f->state;
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	m->last = (sub_t)((e.end - 1) >> m->shift);
	if (m->cache)
		directory_flush_updates(m->table.directory, io);
	while (page_walk_next(&walk, &part) && !f->failed)
		(m->pages ? mini_trim_page : mini_trim_minipages)(f, io, part);
}

/* ---- the rest ---- */

static void mini_place_map(struct ftl *f, struct io *io)
{
	struct mini *m = f->state;

	if (m->cache)
		directory_place(m->table.directory, io);
}

static void mini_prefetch(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	const struct mini *m = f->state;
	uint32_t place;

	if (stage == PREFETCH_ENTRY) {
		mini_expect_sub(m, lpn * m->per_lpn);
		return;
	}
	place = mini_expect_sub_next(m, lpn * m->per_lpn);
	if (place == INDEX_NONE)
		return;
	space_prefetch(f->store->space, place >> m->places.sub_shift);
	slots_prefetch(&m->slots, place >> m->places.sub_shift);
}

static bool mini_is_map_page(const struct mini *m, owner_t owner)
{
	return m->cache && directory_owns(m->table.directory, owner);
}

static bool mini_holds_data(const void *state, owner_t owner)
{
	return !mini_is_map_page(state, owner);
}

/* The minipage's slot is valid and belongs to it. */
static void mini_check_place(const struct ftl *f, sub_t sub)
{
	const struct mini *m = f->state;
	ppn_t ppn = mini_ppn(m, sub);
	uint32_t slot = mini_slot(m, sub);

	BUG_ON(!(slots_live(&m->slots, ppn) >> slot & 1) ||
			slots_sub(&m->slots, flash_owner(f->flash, ppn), slot) != sub,
		"minipage %u is said to be in slot %u of page %u, which is dead or another's", sub, slot,
		ppn);
}

/* A minipage waits once, with all sectors that its old page has. */
static void mini_check_waiting(const struct ftl *f, uint32_t i)
{
	struct mini *m = f->state;
	const struct pack_part *p = &m->waiting[i];

	BUG_ON(mini_waiting(m, p->sub) != p || mini_written(m, p->sub) & ~(p->host | p->kept),
		"minipage %u waits twice, or without sectors that its old page has", p->sub);
}

static void mini_check(const struct ftl *f)
{
	const struct mini *m = f->state;
	uint64_t live = slots_check(&m->slots, mini_holds_data, m), mapped = 0, map_pages = 0;

	for (sub_t sub = 0; sub < f->geometry->logical_pages * m->per_lpn; sub++)
		if (mini_written(m, sub)) {
			mini_check_place(f, sub);
			mapped++;
		}
	BUG_ON(live != mapped, "%llu slots are live, %llu minipages mapped", (unsigned long long)live,
		(unsigned long long)mapped);
	for (ppn_t ppn = 0; m->cache && ppn < f->geometry->pages; ppn++)
		map_pages += flash_owner(f->flash, ppn) != OWNER_NONE &&
			     mini_is_map_page(m, flash_owner(f->flash, ppn));
	BUG_ON(m->cache && map_pages != m->table.directory->in_flash,
		"%llu mapping pages are live, %u in flash", (unsigned long long)map_pages,
		m->table.directory->in_flash);
	BUG_ON(m->waits && (!m->buffered || m->waits >= m->per_lpn + f->failed), "%u minipages wait",
		m->waits);
	for (uint32_t i = 0; i < m->waits; i++)
		mini_check_waiting(f, i);
	places_check(&m->places);
	mini_map_check(f);
}

static const struct state_row mini_waiting_state[] = {
	STATE_NUMBER(struct pack_part, sub),
	STATE_NUMBER(struct pack_part, length),
	STATE_NUMBER(struct pack_part, from),
	STATE_NUMBER(struct pack_part, whole),
	STATE_NUMBER(struct pack_part, host),
	STATE_NUMBER(struct pack_part, kept),
	STATE_OP(struct pack_part, read),
	{ 0 },
};

static const struct state_row mini_state[] = {
	STATE_FIXED(pages, buffered, per_lpn, shift, full),
	STATE_SCRATCH(
		pack, last, waited, waited_count, touch, touched, touch_room, wanted, wants, wanted_room),
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct mini, slots, slots_state),
	STATE_STRUCT(struct mini, places, places_state),
	STATE_NUMBERS(struct mini, split),
	STATE_STRUCTS(struct mini, waiting, mini_waiting_state),
	STATE_NUMBER(struct mini, waits),
	STATE_STRUCT(struct mini, table, table_state),
	STATE_POINTER(struct mini, cache, entry_cache_state),
	{ 0 },
};

static void mini_facts(const struct ftl *f, struct ftl_facts *facts)
{
	const struct mini *m = f->state;

	facts->map_bytes = (uint64_t)f->geometry->logical_pages * m->per_lpn * TABLE_ENTRY_BYTES;
}

static void mini_name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	const struct mini *m = f->state;

	if (mini_is_map_page(m, owner))
		snprintf(text, bytes, "mapping page %u", owner - m->table.directory->base);
	else if (owner >= m->slots.lists)
		snprintf(text, bytes, "several, of LPN %u", mini_lpn(m, slots_sub(&m->slots, owner, 0)));
	else
		snprintf(text, bytes, "LPN %u, minipage %u", mini_lpn(m, owner), owner % m->per_lpn);
}

static void mini_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	struct mini *m = f->state;
	const struct cached_entry *e = m->cache && m->pages ? entry_cache_find(m->cache, lpn) : NULL;
	const char *between = "";

	if (m->pages)
		fprintf(out, "mode %c%s; ", bits_get(m->split, lpn) ? 'M' : 'P', e ? ", in DRAM" : "");
	for (uint32_t i = 0; i < m->per_lpn; i++, between = "; ") {
		sub_t sub = lpn * m->per_lpn + i;

		if (mini_waiting(m, sub))
			fprintf(out, "%sminipage %u waits in RAM", between, i);
		else if (!mini_written(m, sub))
			fprintf(out, "%sminipage %u nowhere", between, i);
		else {
			fprintf(out, "%sslot %u ", between, mini_slot(m, sub));
			pages_print(f->geometry, mini_ppn(m, sub),
				mini_page_mask(m, sub, mini_written(m, sub)), out);
		}
	}
}

/* ---- statistics ---- */

#define ROW(name, unit, meaning)                                                                             \
	{                                                                                                    \
#name, unit, meaning, STAT_COUNT, offsetof(struct mini_statistics, name)                     \
	}

#define STATISTICS_ROWS                                                                                      \
	ROW(packed, "pages", "programmed for the host, full of minipages"),                                  \
		ROW(partial, "pages", "programmed for the host with fewer"),                                 \
		ROW(pack_hits, "minipages", "written again while they waited in RAM"),                       \
		ROW(live, "minipages", "that hold data in flash at the end"),                                \
		ROW(volatile_sectors, "sectors",                                                             \
			"of the host that wait in RAM at the end: lost if power fails now"),                 \
		ROW(volatile_most, "sectors", "the most that waited after a request")

static const struct stat_row minipage_rows[] = { STATISTICS_ROWS, { 0 } };

static const struct stat_row pm_rows[] = {
	ROW(full, "pages", "programmed for the host with one logical page"),
	STATISTICS_ROWS,
	ROW(paged, "pages", "logical ones that are mapped as pages at the end, or were never written"),
	ROW(to_m, "pages", "logical ones that a write or trim turned into minipages"),
	ROW(to_p, "pages", "logical ones that a write or collection turned into a page again"),
	ROW(gc_full, "pages", "logical ones that a collection wrote, all of them in its victim"),
	ROW(grown, "look-ups", "of minipages missing in a node that was in DRAM"),
	{ 0 },
};

static void mini_gather(void *ftl)
{
	const struct ftl *f = ftl;
	struct mini *m = f->state;
	struct mini_statistics *s = &m->statistics;

	s->live = 0;
	s->paged = f->geometry->logical_pages;
	for (sub_t sub = 0; sub < f->geometry->logical_pages * m->per_lpn; sub++)
		s->live += mini_written(m, sub) != 0;
	for (lpn_t lpn = 0; lpn < f->geometry->logical_pages; lpn++)
		s->paged -= bits_get(m->split, lpn);
}

static void mini_statistics(struct ftl *f, struct stat_list *list)
{
	struct mini *m = f->state;

	stat_list_add(list, (struct stat_group){ f->ops->name, m->pages ? "pm." : "minipage.",
				    m->pages ? pm_rows : minipage_rows, &m->statistics, sizeof m->statistics,
				    f, NULL, mini_gather });
	pack_statistics(&m->pack, m->pages ? "pm." : "minipage.", list);
	if (!m->cache)
		return;
	entry_cache_statistics(m->cache, list);
	table_statistics(&m->table, list);
}

static const struct ftl_words mini_words = { .name_owner = mini_name_owner, .print_entry = mini_print_entry };
static const struct ftl_hints mini_hints = { .prefetch = mini_prefetch };

#define OPERATIONS                                                                                           \
	.size = sizeof(struct mini), .state = mini_state, .settings_size = sizeof(struct mini_settings),     \
	.exit = mini_exit, .read = mini_read, .write = mini_write, .trim = mini_trim, .check = mini_check,   \
	.facts = mini_facts, .statistics = mini_statistics, .place_map = mini_place_map,                     \
	.words = &mini_words, .hints = &mini_hints

const struct ftl_ops ftl_minipage = {
	.name = "minipage",
	.brief = "parts of a page mapped one by one, packed into pages (Minipage-FTL, FMS 2016)",
	.params = minipage_params,
	.init = mini_minipage_init,
	OPERATIONS,
};

const struct ftl_ops ftl_pm = {
	.name = "pm",
	.brief = "logical pages mapped as pages or as minipages, as they are written (PM-FTL, FMS 2016)",
	.params = pm_params,
	.init = mini_pm_init,
	.write_merged = mini_write_merged,
	OPERATIONS,
};
