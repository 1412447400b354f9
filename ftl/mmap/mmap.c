/*
 * Page mapping in which parts of several logical pages may share one page of flash: the merge-page mapping of
 * MSAC (Zeng, "Improve performance of flash-based SSDs through multi-subpage merge and page-level temperature
 * recognition", section 2.2), which names it and says little more.
 *
 * The newest sectors of a logical page are in its base page, mapped one to one as in ftl/page/, and in
 * overlays, its parts of merged pages; each sector is in one of them only.  A merged write reads nothing; its
 * sectors become invalid in base and older overlays.  A plain write reads every page that holds a sector it
 * does not cover, and consolidates: one page, no overlays.  A read reads every page that holds one of its
 * sectors.
 *
 * A logical page has at most `overlays` overlays, and the drive as many merged pages as its spare pages can
 * hold when every logical page is in use (like areas in ftl/across/).  A write that would exceed either limit
 * is done plain.
 */
#include "ftl/mmap/mmap.h"

#define MMAP(type, field) PARAM(type, struct mmap_settings, field)

static const struct param mmap_params[] = {
	{ MMAP(UINT, overlays), 1, OVERLAYS_MOST, "", "4",
		"most merged pages that may hold parts of one logical page; a page that would need another "
		"one is written plain" },
	{ 0 },
};

/* ---- overlays ---- */

static void mmap_add_overlay(struct mmap_ftl *m, uint32_t merged, lpn_t lpn, mask_t mask)
{
	uint32_t i = pool_take(&m->overlay);

	*mmap_overlay_at(m, i) = (struct overlay){ mmap_first_overlay(m, lpn),
		mmap_merged_at(m, merged)->first, lpn, merged, mask };
	m->overlay_of[lpn] = i + 1;
	mmap_merged_at(m, merged)->first = i;
	if (++m->overlays > m->count.most_overlays)
		m->count.most_overlays = m->overlays;
}

static uint32_t mmap_add_merged_page(struct mmap_ftl *m, ppn_t ppn)
{
	uint32_t i = pool_take(&m->merged);

	*mmap_merged_at(m, i) = (struct merged_page){ NONE, ppn + 1 };
	m->merged_pages++;
	return i;
}

static void mmap_drop_merged_page(struct mmap_ftl *m, uint32_t i)
{
	mmap_merged_at(m, i)->page = 0;
	pool_give(&m->merged, i);
	m->merged_pages--;
}

/* Removes the overlay from both its lists; its sectors are in another place or trimmed. */
static void mmap_drop_overlay(struct mmap_ftl *m, uint32_t i)
{
	const struct overlay *o = mmap_overlay_at(m, i);
	uint32_t newest = mmap_first_overlay(m, o->lpn), *at = &newest;

	while (*at != i)
		at = &mmap_overlay_at(m, *at)->next;
	*at = o->next;
	m->overlay_of[o->lpn] = newest + 1;
	for (at = &mmap_merged_at(m, o->merged)->first; *at != i;)
		at = &mmap_overlay_at(m, *at)->beside;
	*at = o->beside;
	mmap_overlay_at(m, i)->mask = 0;
	pool_give(&m->overlay, i);
	m->overlays--;
}

/* Removes the sectors from base and overlays; those left without sectors become invalid. */
static void mmap_forget(struct ftl *f, lpn_t lpn, mask_t mask)
{
	struct mmap_ftl *m = f->state;
	struct page_entry base = page_map_get(&m->map, lpn);
	struct space *space = f->store->space;

	if (base.mask && !(base.mask & ~mask))
		space_release(space, base.ppn);
	base.mask &= ~mask;
	page_map_set(&m->map, lpn, base);
	for (uint32_t i = mmap_first_overlay(m, lpn), next; i != NONE; i = next) {
		struct overlay *o = mmap_overlay_at(m, i);
		uint32_t merged = o->merged;

		next = o->next;
		o->mask &= ~mask;
		if (o->mask)
			continue;
		mmap_drop_overlay(m, i);
		if (mmap_merged_at(m, merged)->first != NONE)
			continue;
		space_release(space, mmap_page_of(m, merged));
		mmap_drop_merged_page(m, merged);
	}
}

static void mmap_add_source(struct sources *s, ppn_t ppn, mask_t mask)
{
	if (mask)
		s->at[s->count++] = (struct page_entry){ ppn, mask };
}

struct sources mmap_find(const struct mmap_ftl *m, lpn_t lpn, mask_t mask)
{
	struct page_entry base = page_map_get(&m->map, lpn);
	struct sources s;

	s.count = 0;
	mmap_add_source(&s, base.ppn, base.mask & mask);
	for (uint32_t i = mmap_first_overlay(m, lpn); i != NONE; i = mmap_overlay_at(m, i)->next)
		mmap_add_source(&s, mmap_page_of(m, mmap_overlay_at(m, i)->merged),
			mmap_overlay_at(m, i)->mask & mask);
	return s;
}

/* ---- collection ---- */

/* A merged page with a single part, of a page without a base, becomes that page's base. */
static bool mmap_becomes_base(struct ftl *f, uint32_t merged, ppn_t ppn)
{
	struct mmap_ftl *m = f->state;
	uint32_t i = mmap_merged_at(m, merged)->first;
	struct overlay o = *mmap_overlay_at(m, i);

	if (o.beside != NONE || page_map_get(&m->map, o.lpn).mask)
		return false;
	mmap_drop_overlay(m, i);
	mmap_drop_merged_page(m, merged);
	page_map_set(&m->map, o.lpn, (struct page_entry){ ppn, o.mask });
	flash_rename(f->flash, ppn, o.lpn);
	return true;
}

static void mmap_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct mmap_ftl *m = f->state;
	uint32_t merged = owner - m->map.lpns;

	ftl_map_count(f, io)->accesses++;
	if (owner < m->map.lpns) {
		page_map_move(&m->map, owner, from, to);
		return;
	}
	BUG_ON(mmap_page_of(m, merged) != from, "page %u of merged page %u was moved, the table says %u",
		from, merged, mmap_page_of(m, merged));
	if (!mmap_becomes_base(f, merged, to))
		mmap_merged_at(m, merged)->page = to + 1;
}

static void mmap_prefetch_owner(const struct ftl *f, owner_t owner, enum prefetch_stage stage)
{
	if (owner < page_map_of(f)->lpns)
		page_prefetch(f, owner, stage);
}

static const struct store_plan plan = {
	.streams = (const struct stream[]){ { "host", .survivors = 1 }, { "gc", .survivors = 1 }, { 0 } },
	.client = { .relocate = mmap_relocate, .prefetch = mmap_prefetch_owner },
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

static void mmap_look_up(struct ftl *f, struct io *io, const struct sources *s)
{
	ftl_count_lookup(f, io);
	if (s->count > 1)
		ftl_map_count(f, io)->accesses += s->count - 1;
}

static void mmap_read_page(struct ftl *f, struct io *io, struct page_part part)
{
	struct mmap_ftl *m = f->state;
	struct sources s = mmap_find(m, part.lpn, part.mask);

	mmap_look_up(f, io, &s);
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
		mmap_read_page(f, io, part);
}

/* Writes the whole logical page to a flash page of its own; with an empty mask only its present data.  False:
 * the drive is full. */
static bool mmap_write_plain(struct ftl *f, struct io *io, struct page_part part)
{
	struct mmap_ftl *m = f->state;
	ppn_t to = store_take(f, io, part.lpn, STREAM_HOST);
	struct sources kept = mmap_find(m, part.lpn, ~part.mask);
	mask_t all = part.mask;
	op_t read[1 + OVERLAYS_MOST] = { OP_NONE }, program;

	if (to == PPN_NONE)
		return false;
	mmap_look_up(f, io, &kept);
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
	mmap_forget(f, part.lpn, ~(mask_t)0);
	page_map_set(&m->map, part.lpn, (struct page_entry){ to, all });
	return true;
}

static void mmap_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if ((part.mask || mmap_find(f->state, part.lpn, ~(mask_t)0).count) &&
			!mmap_write_plain(f, io, part))
			return;
}

static void mmap_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		mmap_forget(f, part.lpn, part.mask);
	}
}

/* ---- merged writes ---- */

/* Would the part and the overlays that it does not cover exceed the limit of a page? */
static bool mmap_exceeds(const struct ftl *f, struct page_part part)
{
	const struct mmap_settings *settings = f->settings;
	const struct mmap_ftl *m = f->state;
	uint64_t stay = 0;

	for (uint32_t i = mmap_first_overlay(m, part.lpn); i != NONE; i = mmap_overlay_at(m, i)->next)
		stay += (mmap_overlay_at(m, i)->mask & ~part.mask) != 0;
	return stay >= settings->overlays;
}

/* Writes the parts into one flash page. */
static void mmap_write_together(struct ftl *f, struct io *io, const struct page_part *part, uint32_t parts)
{
	struct mmap_ftl *m = f->state;
	ppn_t to = store_take(f, io, part->lpn, STREAM_HOST);
	uint32_t merged, sectors = 0;

	if (to == PPN_NONE)
		return;
	merged = mmap_add_merged_page(m, to);
	for (uint32_t i = 0; i < parts; i++)
		sectors += mask_sectors(part[i].mask);
	flash_program(io, to, mmap_name_of(m, merged), sectors, CAUSE_HOST, OP_NONE);
	for (uint32_t i = 0; i < parts; i++) {
		ftl_count_lookup(f, io);
		pages_hold_host(io, to, part[i].lpn, part[i].mask);
		mmap_forget(f, part[i].lpn, part[i].mask);
		mmap_add_overlay(m, merged, part[i].lpn, part[i].mask);
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
		bool many = !full && mmap_exceeds(f, part);

		m->count.overlay_overflows += many;
		if (!full && !many)
			merged[parts++] = part;
		else if (!mmap_write_plain(f, io, part))
			return;
	}
	if (parts == 1)
		mmap_write_plain(f, io, merged[0]);
	else if (parts)
		mmap_write_together(f, io, merged, parts);
}

/* ---- state, names, statistics ---- */

/* `first` has no bound here: in a free element it has another meaning; check() checks it. */
static const struct state_row merged_page_state[] = {
	STATE_NUMBER(struct merged_page, first),
	STATE_NUMBER(struct merged_page, page),
	{ 0 },
};

static const struct state_row overlay_state[] = {
	STATE_NUMBER(struct overlay, next),
	STATE_NUMBER(struct overlay, beside),
	STATE_NUMBER(struct overlay, lpn),
	STATE_NUMBER(struct overlay, merged),
	STATE_NUMBER(struct overlay, mask),
	{ 0 },
};

static const struct state_row mmap_state[] = {
	STATE_FIXED(limit),
	STATE_COUNTED(count),
	STATE_STRUCT(struct mmap_ftl, map, page_map_state),
	STATE_POOL(struct mmap_ftl, merged, merged_page_state),
	STATE_POOL(struct mmap_ftl, overlay, overlay_state),
	STATE_NUMBERS(struct mmap_ftl, overlay_of),
	STATE_NUMBER(struct mmap_ftl, overlays),
	STATE_NUMBER(struct mmap_ftl, merged_pages),
	{ 0 },
};

/* An overlay takes as much as an entry of the page table, plus its LPN. */
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
	for (uint32_t i = mmap_merged_at(m, owner - m->map.lpns)->first;
		i != NONE && length > 0 && (size_t)length < bytes; i = mmap_overlay_at(m, i)->beside)
		length += snprintf(text + length, bytes - (size_t)length, " %u", mmap_overlay_at(m, i)->lpn);
}

static void mmap_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	struct sources s = mmap_find(f->state, lpn, ~(mask_t)0);

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

static void mmap_start(void *state)
{
	struct mmap_ftl *m = state;

	m->count.most_overlays = m->overlays;
}

static void mmap_gather(void *state)
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
				    .start = mmap_start,
				    .gather = mmap_gather });
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
