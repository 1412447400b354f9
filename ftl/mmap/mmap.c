/*
 * Page mapping in which parts of several logical pages may share one page of flash: the merge-page mapping of
 * MSAC (Zeng, "Improve performance of flash-based SSDs through multi-subpage merge and page-level temperature
 * recognition", section 2.2), which names it and says little more.
 *
 * Of every logical page the newest sectors are in its base page, mapped one to one as in ftl/page/, and in
 * overlays: its parts of merged pages.  A sector is in one of them only.  A merged write reads nothing; what
 * it writes leaves base and older overlays.  A plain write that does not cover all sectors reads each page
 * that holds one of the rest and consolidates: one page, no overlays.  A read reads each page that holds a
 * sector it wants.
 *
 * A logical page has at most `overlays` of them, and the drive as many merged pages as its spare pages can
 * hold when every logical page is in use, as areas in ftl/across/; what would exceed either is written plain.
 */
#include "base/pool.h"
#include "ftl/page/page.h"

#define OVERLAYS_MOST 16u
#define PARTS_MOST    64u /* of a page: each has a sector */
#define NONE          INDEX_NONE

struct mmap_settings {
	uint64_t overlays;
};

/* Part of a logical page in a merged page. */
struct overlay {
	uint32_t next;   /* of the same logical page */
	uint32_t beside; /* in the same merged page */
	lpn_t lpn;
	uint32_t merged; /* that page */
	mask_t mask;
};

struct merged_page {
	uint32_t first; /* overlay in it */
	uint32_t page;  /* its PPN + 1; 0: there is none */
};

struct mmap_statistics {
	uint64_t merged_programs, consolidations, overlay_overflows, refused_full, multi_reads;
	uint64_t most_overlays;
	uint64_t overlays, merged_pages; /* filled in when they are asked for */
};

struct mmap_ftl {
	struct page_map map;  /* base pages */
	uint32_t *overlay_of; /* per logical page: its newest overlay + 1; 0 = none */
	struct pool overlay, merged;
	uint32_t overlays, merged_pages, limit; /* there are; merged pages at most */
	struct mmap_statistics count;
};

#define MMAP(type, field) PARAM(type, struct mmap_settings, field)

static const struct param mmap_params[] = {
	{ MMAP(UINT, overlays), 1, OVERLAYS_MOST, "", "4",
		"merged pages in which a logical page may have parts; it is written plain instead of into one "
		"more" },
	{ 0 },
};

static struct overlay *overlay_at(const struct mmap_ftl *m, uint32_t i)
{
	return pool_at(&m->overlay, i);
}

static struct merged_page *merged_at(const struct mmap_ftl *m, uint32_t i)
{
	return pool_at(&m->merged, i);
}

static ppn_t page_of(const struct mmap_ftl *m, uint32_t merged)
{
	return merged_at(m, merged)->page - 1;
}

static uint32_t first_overlay(const struct mmap_ftl *m, lpn_t lpn)
{
	return m->overlay_of[lpn] - 1;
}

/* Merged pages are owners behind the logical ones. */
static owner_t name_of(const struct mmap_ftl *m, uint32_t merged)
{
	return m->map.lpns + merged;
}

/* ---- overlays ---- */

static void add_overlay(struct mmap_ftl *m, uint32_t merged, lpn_t lpn, mask_t mask)
{
	uint32_t i = pool_take(&m->overlay);

	*overlay_at(m, i) =
		(struct overlay){ first_overlay(m, lpn), merged_at(m, merged)->first, lpn, merged, mask };
	m->overlay_of[lpn] = i + 1;
	merged_at(m, merged)->first = i;
	if (++m->overlays > m->count.most_overlays)
		m->count.most_overlays = m->overlays;
}

static uint32_t add_merged_page(struct mmap_ftl *m, ppn_t ppn)
{
	uint32_t i = pool_take(&m->merged);

	*merged_at(m, i) = (struct merged_page){ NONE, ppn + 1 };
	m->merged_pages++;
	return i;
}

static void drop_merged_page(struct mmap_ftl *m, uint32_t i)
{
	merged_at(m, i)->page = 0;
	pool_give(&m->merged, i);
	m->merged_pages--;
}

/* Takes the overlay out of both its lists; its sectors are elsewhere or nowhere. */
static void drop_overlay(struct mmap_ftl *m, uint32_t i)
{
	const struct overlay *o = overlay_at(m, i);
	uint32_t newest = first_overlay(m, o->lpn), *at = &newest;

	while (*at != i)
		at = &overlay_at(m, *at)->next;
	*at = o->next;
	m->overlay_of[o->lpn] = newest + 1;
	for (at = &merged_at(m, o->merged)->first; *at != i;)
		at = &overlay_at(m, *at)->beside;
	*at = o->beside;
	overlay_at(m, i)->mask = 0;
	pool_give(&m->overlay, i);
	m->overlays--;
}

/* The sectors are not where they were; what holds no others is dead. */
static void forget(struct ftl *f, lpn_t lpn, mask_t mask)
{
	struct mmap_ftl *m = f->state;
	struct page_entry base = page_map_get(&m->map, lpn);
	struct space *space = f->store->space;

	if (base.mask && !(base.mask & ~mask))
		space_release(space, base.ppn);
	base.mask &= ~mask;
	page_map_set(&m->map, lpn, base);
	for (uint32_t i = first_overlay(m, lpn), next; i != NONE; i = next) {
		struct overlay *o = overlay_at(m, i);
		uint32_t merged = o->merged;

		next = o->next;
		o->mask &= ~mask;
		if (o->mask)
			continue;
		drop_overlay(m, i);
		if (merged_at(m, merged)->first != NONE)
			continue;
		space_release(space, page_of(m, merged));
		drop_merged_page(m, merged);
	}
}

/* Pages that hold sectors of a logical page, the base first. */
struct sources {
	struct page_entry at[1 + OVERLAYS_MOST];
	uint32_t count;
};

static void add_source(struct sources *s, ppn_t ppn, mask_t mask)
{
	if (mask)
		s->at[s->count++] = (struct page_entry){ ppn, mask };
}

static struct sources find(const struct mmap_ftl *m, lpn_t lpn, mask_t mask)
{
	struct page_entry base = page_map_get(&m->map, lpn);
	struct sources s;

	s.count = 0;
	add_source(&s, base.ppn, base.mask & mask);
	for (uint32_t i = first_overlay(m, lpn); i != NONE; i = overlay_at(m, i)->next)
		add_source(&s, page_of(m, overlay_at(m, i)->merged), overlay_at(m, i)->mask & mask);
	return s;
}

/* ---- collection ---- */

/* Of a merged page that holds nothing but one part of a page without a base: that is its base from now on. */
static bool becomes_base(struct ftl *f, uint32_t merged, ppn_t ppn)
{
	struct mmap_ftl *m = f->state;
	uint32_t i = merged_at(m, merged)->first;
	struct overlay o = *overlay_at(m, i);

	if (o.beside != NONE || page_map_get(&m->map, o.lpn).mask)
		return false;
	drop_overlay(m, i);
	drop_merged_page(m, merged);
	page_map_set(&m->map, o.lpn, (struct page_entry){ ppn, o.mask });
	flash_rename(f->flash, ppn, o.lpn);
	return true;
}

static void relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct mmap_ftl *m = f->state;
	uint32_t merged = owner - m->map.lpns;

	ftl_map_count(f, io)->accesses++;
	if (owner < m->map.lpns) {
		page_map_move(&m->map, owner, from, to);
		return;
	}
	BUG_ON(page_of(m, merged) != from, "page %u of merged page %u was moved, the table says %u", from,
		merged, page_of(m, merged));
	if (!becomes_base(f, merged, to))
		merged_at(m, merged)->page = to + 1;
}

static void prefetch_owner(const struct ftl *f, owner_t owner, enum prefetch_stage stage)
{
	if (owner < page_map_of(f)->lpns)
		page_prefetch(f, owner, stage);
}

static const struct store_plan plan = {
	.streams = (const struct stream[]){ { "host", .survivors = 1 }, { "gc", .survivors = 1 }, { 0 } },
	.client = { .relocate = relocate, .prefetch = prefetch_owner },
};

static bool mmap_init(struct ftl *f, struct fault *fault)
{
	struct mmap_ftl *m = f->state;
	int64_t spare;

	if (!page_create(f, &plan, fault))
		return false;
	spare = store_spare_pages(f->store);
	m->limit = spare < 0 ? 0 : (uint32_t)spare;
	m->overlay_of = memory_array(m->map.lpns, sizeof *m->overlay_of, "merge-page mapping");
	m->overlay = pool_create(sizeof(struct overlay), "merge-page mapping");
	m->merged = pool_create(sizeof(struct merged_page), "merged pages");
	return true;
}

static void mmap_exit(struct ftl *f)
{
	struct mmap_ftl *m = f->state;

	memory_free(m->overlay_of);
	pool_free(&m->overlay);
	pool_free(&m->merged);
	page_exit(f);
}

/* ---- requests ---- */

static void look_up(struct ftl *f, struct io *io, const struct sources *s)
{
	ftl_count_lookup(f, io);
	if (s->count > 1)
		ftl_map_count(f, io)->accesses += s->count - 1;
}

static void read_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct mmap_ftl *m = f->state;
	struct sources s = find(m, part.lpn, part.mask);

	look_up(f, io, &s);
	if (!s.count) {
		ftl_count_unmapped(f, io);
		return;
	}
	m->count.multi_reads += s.count - 1;
	for (uint32_t i = 0; i < s.count; i++) {
		flash_read(io, s.at[i].ppn, mask_sectors(s.at[i].mask), CAUSE_HOST, OP_NONE);
		pages_answer(io, s.at[i].ppn, part.lpn, s.at[i].mask);
	}
}

static void mmap_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		read_page(f, io, part);
}

/* The page in one page of its own, all of it; with an empty mask only what it holds.  False: the drive is
 * full. */
static bool write_plain(struct ftl *f, struct io *io, struct page_part part)
{
	struct mmap_ftl *m = f->state;
	ppn_t to = store_take(f, io, part.lpn, STREAM_HOST);
	struct sources kept = find(m, part.lpn, ~part.mask);
	mask_t all = part.mask;
	op_t read[1 + OVERLAYS_MOST] = { OP_NONE }, program;

	if (to == PPN_NONE)
		return false;
	look_up(f, io, &kept);
	for (uint32_t i = 0; i < kept.count; i++) {
		read[i] = flash_read(io, kept.at[i].ppn, mask_sectors(kept.at[i].mask),
			part.mask ? CAUSE_RMW : CAUSE_PAD, OP_NONE);
		all |= kept.at[i].mask;
	}
	program = flash_program(
		io, to, part.lpn, mask_sectors(all), part.mask ? CAUSE_HOST : CAUSE_PAD, read[0]);
	pages_hold_host(io, to, part.lpn, part.mask);
	for (uint32_t i = 0; i < kept.count; i++) {
		if (i)
			flash_wait(io, program, read[i]);
		pages_hold_kept(io, to, kept.at[i].ppn, part.lpn, kept.at[i].mask);
	}
	m->count.consolidations += m->overlay_of[part.lpn] != 0;
	forget(f, part.lpn, ~(mask_t)0);
	page_map_set(&m->map, part.lpn, (struct page_entry){ to, all });
	return true;
}

static void mmap_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if ((part.mask || find(f->state, part.lpn, ~(mask_t)0).count) && !write_plain(f, io, part))
			return;
}

static void mmap_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		forget(f, part.lpn, part.mask);
	}
}

/* ---- merged writes ---- */

/* Does an overlay more, beside those that the part does not cover, exceed what a page may have? */
static bool exceeds(const struct ftl *f, struct page_part part)
{
	const struct mmap_settings *settings = f->settings;
	const struct mmap_ftl *m = f->state;
	uint64_t stay = 0;

	for (uint32_t i = first_overlay(m, part.lpn); i != NONE; i = overlay_at(m, i)->next)
		stay += (overlay_at(m, i)->mask & ~part.mask) != 0;
	return stay >= settings->overlays;
}

/* The parts in one page. */
static void write_together(struct ftl *f, struct io *io, const struct page_part *part, uint32_t parts)
{
	struct mmap_ftl *m = f->state;
	ppn_t to = store_take(f, io, part->lpn, STREAM_HOST);
	uint32_t merged, sectors = 0;

	if (to == PPN_NONE)
		return;
	merged = add_merged_page(m, to);
	for (uint32_t i = 0; i < parts; i++)
		sectors += mask_sectors(part[i].mask);
	flash_program(io, to, name_of(m, merged), sectors, CAUSE_HOST, OP_NONE);
	for (uint32_t i = 0; i < parts; i++) {
		ftl_count_lookup(f, io);
		pages_hold_host(io, to, part[i].lpn, part[i].mask);
		forget(f, part[i].lpn, part[i].mask);
		add_overlay(m, merged, part[i].lpn, part[i].mask);
	}
	m->count.merged_programs++;
}

static void mmap_write_merged(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct mmap_ftl *m = f->state;
	bool full = m->merged_pages >= m->limit;
	struct page_part part, merged[PARTS_MOST];
	uint32_t parts = 0;

	m->count.refused_full += full;
	while (page_walk_next(&walk, &part)) {
		bool many = !full && exceeds(f, part);

		m->count.overlay_overflows += many;
		if (!full && !many)
			merged[parts++] = part;
		else if (!write_plain(f, io, part))
			return;
	}
	if (parts == 1)
		write_plain(f, io, merged[0]);
	else if (parts)
		write_together(f, io, merged, parts);
}

/* ---- what there is to know ---- */

/* The page's own list; how many. */
static uint32_t check_list(const struct mmap_ftl *m, lpn_t lpn)
{
	uint32_t overlays = 0;

	for (uint32_t i = first_overlay(m, lpn); i != NONE; i = overlay_at(m, i)->next) {
		BUG_ON(overlay_at(m, i)->lpn != lpn || !overlay_at(m, i)->mask || ++overlays > OVERLAYS_MOST,
			"the list of overlays of LPN %u is broken", lpn);
	}
	return overlays;
}

/* Each sector of the page must be in one place only. */
static void check_page(const struct ftl *f, lpn_t lpn)
{
	const struct mmap_ftl *m = f->state;
	struct sources s = find(m, lpn, ~(mask_t)0);
	struct page_entry base = page_map_get(&m->map, lpn);
	mask_t all = 0;

	BUG_ON(base.mask && flash_owner(f->flash, base.ppn) != lpn, "LPN %u is mapped to page %u of LPN %u",
		lpn, base.ppn, flash_owner(f->flash, base.ppn));
	for (uint32_t i = 0; i < s.count; i++) {
		BUG_ON(all & s.at[i].mask, "LPN %u has a sector in two places", lpn);
		all |= s.at[i].mask;
	}
}

/* Overlays of a merged page, whose first one begins its list. */
static uint32_t check_merged_page(const struct ftl *f, uint32_t merged)
{
	const struct mmap_ftl *m = f->state;
	ppn_t page = page_of(m, merged);
	uint32_t overlays = 0, sectors = 0;

	for (uint32_t i = merged_at(m, merged)->first; i != NONE; i = overlay_at(m, i)->beside) {
		const struct overlay *o = overlay_at(m, i);

		sectors += mask_sectors(o->mask);
		BUG_ON(o->merged != merged || !o->mask || sectors > f->geometry->sectors_per_page,
			"merged page %u has lost an overlay of LPN %u", merged, o->lpn);
		overlays++;
	}
	BUG_ON(page == PPN_NONE || flash_owner(f->flash, page) != name_of(m, merged),
		"page %u is not merged page %u", page, merged);
	return overlays;
}

static void mmap_check(const struct ftl *f)
{
	const struct mmap_ftl *m = f->state;
	uint64_t mapped = 0, pages = 0, overlays = 0, listed = 0;

	for (lpn_t lpn = 0; lpn < m->map.lpns; lpn++) {
		listed += check_list(m, lpn);
		check_page(f, lpn);
		mapped += page_map_get(&m->map, lpn).mask != 0;
		/* Each merged page is counted with its first overlay. */
		for (uint32_t i = first_overlay(m, lpn); i != NONE; i = overlay_at(m, i)->next)
			if (merged_at(m, overlay_at(m, i)->merged)->first == i) {
				overlays += check_merged_page(f, overlay_at(m, i)->merged);
				pages++;
			}
	}
	BUG_ON(pages != m->merged_pages || overlays != m->overlays || listed != overlays || pages > m->limit,
		"%u merged pages of %u, %u overlays", m->merged_pages, m->limit, m->overlays);
	BUG_ON(pool_count_free(&m->overlay) + overlays != m->overlay.used ||
			pool_count_free(&m->merged) + pages != m->merged.used,
		"overlays or merged pages are neither in use nor free");
	BUG_ON(mapped + pages != space_live_pages(f->store->space), "%llu pages are mapped, %llu are live",
		(unsigned long long)(mapped + pages), (unsigned long long)space_live_pages(f->store->space));
}

/* The first of a merged page is bounded by what it means, which check() sees: of a free one it means
 * another. */
static const struct state_row merged_page_state[] = {
	STATE_NUMBER(struct merged_page, first),
	STATE_UP_TO(struct merged_page, page, GEOMETRY(pages)),
	{ 0 },
};

static const struct state_row overlay_state[] = {
	STATE_INDEX(struct overlay, next, STATE_ITS_COUNT),
	STATE_INDEX(struct overlay, beside, STATE_ITS_COUNT),
	STATE_BELOW(struct overlay, lpn, STATE_OWN(struct mmap_ftl, map.lpns)),
	STATE_BELOW(struct overlay, merged, STATE_OWN(struct mmap_ftl, merged.used)),
	STATE_MASK(struct overlay, mask, GEOMETRY(sectors_per_page)),
	{ 0 },
};

static bool mmap_restored(void *mmap)
{
	const struct mmap_ftl *m = mmap;

	return pool_frees_zeros(&m->merged, 0, POOL_NUMBERS(m->merged, struct merged_page, page)) &&
	       pool_frees_zeros(&m->overlay, 0, POOL_NUMBERS(m->overlay, struct overlay, mask));
}

static const struct state_row mmap_state[] = {
	STATE_FIXED(limit),
	STATE_COUNTED(count),
	STATE_STRUCT(struct mmap_ftl, map, page_map_state),
	STATE_POOL(struct mmap_ftl, merged, STATE_OWN(struct mmap_ftl, limit), merged_page_state),
	STATE_POOL(struct mmap_ftl, overlay, STATE_UNBOUNDED, overlay_state),
	STATE_VALUES(struct mmap_ftl, overlay_of, UP_TO, STATE_OWN(struct mmap_ftl, overlay.used)),
	STATE_RESTORED(mmap_restored),
	STATE_NUMBER(struct mmap_ftl, overlays),
	STATE_NUMBER(struct mmap_ftl, merged_pages),
	{ 0 },
};

/* An overlay costs what an entry of the page table does, and its LPN. */
static void mmap_facts(const struct ftl *f, struct ftl_facts *facts)
{
	const struct mmap_ftl *m = f->state;

	page_facts(f, facts);
	facts->map_bytes += (uint64_t)m->overlays * (m->map.entry_bytes + sizeof(uint32_t));
}

static void mmap_name_owner(const struct ftl *f, owner_t owner, char *text, size_t bytes)
{
	const struct mmap_ftl *m = f->state;
	int length;

	if (owner < m->map.lpns) {
		snprintf(text, bytes, "LPN %u", owner);
		return;
	}
	length = snprintf(text, bytes, "parts of");
	for (uint32_t i = merged_at(m, owner - m->map.lpns)->first;
		i != NONE && length > 0 && (size_t)length < bytes; i = overlay_at(m, i)->beside)
		length += snprintf(text + length, bytes - (size_t)length, " %u", overlay_at(m, i)->lpn);
}

static void mmap_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	struct sources s = find(f->state, lpn, ~(mask_t)0);

	for (uint32_t i = 0; i < s.count; i++) {
		fputs(i ? "; " : "", out);
		pages_print(f->geometry, s.at[i].ppn, s.at[i].mask, out);
	}
}

#define COUNT(field) STAT_COUNT, offsetof(struct mmap_statistics, field)

static const struct stat_row mmap_stats[] = {
	{ "merged_programs", "pages", "that took parts of several logical pages", COUNT(merged_programs) },
	{ "consolidations", "pages", "with overlays, written plain: they have none then",
		COUNT(consolidations) },
	{ "overlay_overflows", "pages", "of these, because they had as many as may be",
		COUNT(overlay_overflows) },
	{ "refused_full", "", "merged writes done plain: the drive holds no more merged pages",
		COUNT(refused_full) },
	{ "multi_reads", "pages", "read of a logical page beyond its first", COUNT(multi_reads) },
	{ "overlays", "", "parts of logical pages in merged pages, at the end", COUNT(overlays) },
	{ "overlays_max", "", "the most there were", COUNT(most_overlays) },
	{ "merged_pages", "pages", "that hold such parts, at the end", COUNT(merged_pages) },
	{ 0 },
};

static void start(void *state)
{
	struct mmap_ftl *m = state;

	m->count.most_overlays = m->overlays;
}

static void gather(void *state)
{
	struct mmap_ftl *m = state;

	m->count.overlays = m->overlays;
	m->count.merged_pages = m->merged_pages;
}

static void mmap_statistics(struct ftl *f, struct stat_list *list)
{
	struct mmap_ftl *m = f->state;

	stat_list_add(list, (struct stat_group){ .prefix = "mmap.",
				    .rows = mmap_stats,
				    .values = &m->count,
				    .size = sizeof m->count,
				    .owner = m,
				    .start = start,
				    .gather = gather });
}

static const struct ftl_hints mmap_hints = { .prefetch = page_prefetch };
static const struct ftl_words mmap_words = { .name_owner = mmap_name_owner, .print_entry = mmap_print_entry };

const struct ftl_ops ftl_mmap = {
	.name = "mmap",
	.brief = "page mapping in which parts of several pages may share one: what buffer = msac needs",
	.size = sizeof(struct mmap_ftl),
	.params = mmap_params,
	.settings_size = sizeof(struct mmap_settings),
	.init = mmap_init,
	.exit = mmap_exit,
	.read = mmap_read,
	.write = mmap_write,
	.trim = mmap_trim,
	.check = mmap_check,
	.state = mmap_state,
	.facts = mmap_facts,
	.statistics = mmap_statistics,
	.write_merged = mmap_write_merged,
	.pads = true,
	.hints = &mmap_hints,
	.words = &mmap_words,
};
