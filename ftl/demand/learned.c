#include "ftl/demand/learned.h"

#include "base/memory.h"
#include "flash/schedule.h"

#define GROUP_LINKS(g) ARRAY_ELEMENTS((g)->link)

static struct directory *learned_directory(const struct learned *g)
{
	return demand_of(g->ftl)->table.directory;
}

void learned_init(struct learned *g, struct ftl *f, uint32_t gamma, bool in_dram)
{
	uint32_t groups = demand_of(f)->table.directory->pages;

	*g = (struct learned){ .ftl = f,
		.groups = groups,
		.in_dram = in_dram,
		.budget = map_budget(&f->core->map, f->geometry) };
	g->group = memory_array(groups, sizeof *g->group, "groups of pages");
	g->link = memory_array((size_t)groups + 1, sizeof *g->link, "groups of pages");
	g->stale = memory_array(bits_words(groups), sizeof *g->stale, "groups to be learned");
	g->changed = memory_array(bits_words(groups), sizeof *g->changed, "groups to be learned");
	g->noted = memory_array((size_t)groups * GROUP_WORDS, sizeof *g->noted, "pages to be learned");
	g->point = memory_array(GROUP_PAGES, sizeof *g->point, "points to be learned");
	learner_init(&g->learner, gamma);
	list_init(GROUP_LINKS(g), groups);
	for (uint32_t i = 0; i < groups; i++)
		g->group[i].bytes = segments_bytes(&g->group[i].segments);
}

void learned_release(struct learned *g)
{
	for (uint32_t i = 0; i < g->groups; i++)
		segments_release(&g->group[i].segments);
	memory_free(g->group);
	memory_free(g->link);
	memory_free(g->stale);
	memory_free(g->changed);
	memory_free(g->noted);
	memory_free(g->point);
	learner_release(&g->learner);
}

/* ---- learning ---- */

static void learned_charge(struct learned *g, uint32_t bytes)
{
	g->used += bytes;
	if (g->used > g->statistics.most_cached_bytes)
		g->statistics.most_cached_bytes = g->used;
}

/* Counts the bytes of a group again: its segments have changed. */
static void group_resized(struct learned *g, uint32_t group)
{
	struct group *it = &g->group[group];
	uint32_t before = it->bytes;

	it->bytes = segments_bytes(&it->segments);
	if (!it->cached)
		return;
	g->used -= before;
	learned_charge(g, it->bytes);
}

void learned_note(struct learned *g, lpn_t lpn)
{
	bits_set(g->noted, lpn);
}

void learned_learn(struct learned *g, uint32_t group)
{
	uint64_t *noted = g->noted + (size_t)group * GROUP_WORDS;
	const struct page_map *map = page_map_of(g->ftl);
	uint32_t points = 0;

	for (uint32_t x = bits_next(noted, GROUP_WORDS, 0); x != INDEX_NONE;
		x = bits_next(noted, GROUP_WORDS, x)) {
		struct page_entry entry = page_map_get(map, group * GROUP_PAGES + x);

		bits_clear(noted, x);
		if (entry.mask)
			g->point[points++] = (struct point){ (uint8_t)x, entry.ppn };
	}
	if (points)
		segments_learn(&g->group[group].segments, &g->learner, g->point, points);
	group_resized(g, group);
}

static void group_refresh(struct learned *g, uint32_t group)
{
	lpn_t first = group * GROUP_PAGES, lpns = g->ftl->geometry->logical_pages;

	segments_clear(&g->group[group].segments);
	for (lpn_t lpn = first; lpn < lpns && lpn - first < GROUP_PAGES; lpn++)
		learned_note(g, lpn);
	learned_learn(g, group);
}

void learned_refresh_stale(struct learned *g)
{
	size_t words = bits_words(g->groups);

	for (uint32_t group = bits_next(g->stale, words, 0); group != INDEX_NONE;
		group = bits_next(g->stale, words, group)) {
		bits_clear(g->stale, group);
		group_refresh(g, group);
	}
	g->any_stale = false;
}

void learned_written_untimed(struct learned *g, lpn_t lpn)
{
	struct group *it = &g->group[learned_group(lpn)];

	if (!it->cached) {
		bits_set(g->stale, learned_group(lpn));
		g->any_stale = true;
		return;
	}
	learned_note(g, lpn);
	learned_learn(g, learned_group(lpn));
	it->dirty = true;
}

static void group_compact(struct learned *g, uint32_t group)
{
	segments_compact(&g->group[group].segments);
	group_resized(g, group);
}

void learned_learn_moved(struct learned *g)
{
	size_t words = bits_words(g->groups);

	for (uint32_t group = bits_next(g->changed, words, 0); group != INDEX_NONE;
		group = bits_next(g->changed, words, group)) {
		struct group *it = &g->group[group];

		bits_clear(g->changed, group);
		learned_learn(g, group);
		it->dirty |= it->cached;
		if (!it->cached && !g->in_dram)
			group_compact(g, group);
	}
}

void learned_compact(struct learned *g, const struct io *io)
{
	g->statistics.compactions += io->timed;
	for (uint32_t group = 0; group < g->groups; group++)
		if (g->in_dram || g->group[group].cached)
			group_compact(g, group);
}

/* ---- what is in DRAM ---- */

/* Compacts a dirty group and writes it back, unless compaction alone meets the budget.  False: it stays in
 * DRAM. */
static bool group_write(struct learned *g, struct io *io, uint32_t group, op_t *wait)
{
	struct table *table = &demand_of(g->ftl)->table;
	struct directory *d = table->directory;
	plane_t plane = store_make_room(g->ftl, io, group, table->stream);
	bool written;

	if (plane == PLANE_NONE)
		return false;
	group_compact(g, group);
	if (g->used <= g->budget)
		return false;
	table->into = plane;
	written = directory_program(d, io, group, CAUSE_MAP, directory_ready(d, io, group, OP_NONE), wait);
	table->into = PLANE_NONE;
	g->statistics.writebacks += written;
	return written;
}

/* Evicts groups, least recently used first, until the rest fit; never the one used last. */
static void learned_shrink(struct learned *g, struct io *io, op_t *wait)
{
	while (g->used > g->budget) {
		uint32_t victim = list_next(GROUP_LINKS(g), g->groups);
		struct group *it = &g->group[victim];

		if (victim == list_previous(GROUP_LINKS(g), g->groups) ||
			(it->dirty && !group_write(g, io, victim, wait)))
			return;
		schedule_note(g->ftl->flash->schedule, "group %u leaves DRAM, %s, %u bytes", victim,
			it->dirty ? "changed: it is written" : "unchanged", it->bytes);
		it->cached = it->dirty = false;
		g->used -= it->bytes;
		list_remove(GROUP_LINKS(g), victim);
		g->statistics.evictions++;
	}
}

static op_t group_load(struct learned *g, struct io *io, uint32_t group)
{
	struct directory *d = learned_directory(g);
	struct group *it = &g->group[group];
	op_t wait = directory_read(d, io, group, CAUSE_MAP, OP_NONE);

	schedule_note(g->ftl->flash->schedule, "group %u enters DRAM, %u bytes", group, it->bytes);
	it->cached = true;
	it->dirty = directory_clear_updates(d, group);
	learned_charge(g, it->bytes);
	list_append(GROUP_LINKS(g), g->groups, group);
	learned_shrink(g, io, &wait);
	return wait;
}

op_t learned_use(struct learned *g, struct io *io, uint32_t group)
{
	struct group *it = &g->group[group];
	bool in_dram = g->in_dram || it->cached;

	directory_count_lookup(learned_directory(g), group, in_dram);
	if (!in_dram)
		return group_load(g, io, group);
	if (g->in_dram)
		return OP_NONE;
	list_remove(GROUP_LINKS(g), group);
	list_append(GROUP_LINKS(g), g->groups, group);
	return directory_ready(learned_directory(g), io, group, OP_NONE);
}

void learned_grown(struct learned *g, struct io *io, uint32_t group)
{
	op_t nobody = OP_NONE;

	if (g->in_dram)
		return;
	g->group[group].dirty = true;
	learned_shrink(g, io, &nobody);
}

const struct segment *learned_find(struct learned *g, const struct io *io, lpn_t lpn)
{
	struct group_statistics *s = &g->statistics;
	uint32_t levels;
	const struct segment *segment =
		segments_find(&g->group[learned_group(lpn)].segments, (uint8_t)(lpn % GROUP_PAGES), &levels);

	if (io->timed) {
		s->levels += levels;
		s->top += segment && levels == 1;
		s->accurate += segment && segment->stride;
		s->approximate += segment && !segment->stride;
	}
	return segment;
}

/* ---- the rest ---- */

static const struct state_row group_state[] = {
	STATE_STRUCT(struct group, segments, segments_state),
	STATE_NUMBER(struct group, bytes),
	STATE_NUMBER(struct group, cached),
	STATE_NUMBER(struct group, dirty),
	{ 0 },
};

const struct state_row learned_state[] = {
	STATE_FIXED(ftl, groups, in_dram, budget, learner),
	STATE_SCRATCH(noted, changed, point),
	STATE_COUNTED(statistics),
	STATE_EACH(struct learned, group, group_state),
	STATE_NUMBERS(struct learned, link),
	STATE_NUMBERS(struct learned, stale),
	STATE_NUMBER(struct learned, any_stale),
	STATE_NUMBER(struct learned, used),
	{ 0 },
};

static void learned_check_page(const struct learned *g, lpn_t lpn)
{
	struct page_entry entry = page_map_get(page_map_of(g->ftl), lpn);
	uint8_t x = (uint8_t)(lpn % GROUP_PAGES);
	uint32_t gamma = g->learner.gamma, levels;
	const struct segment *s;
	ppn_t at;

	if (!entry.mask || bits_get(g->stale, learned_group(lpn)))
		return;
	s = segments_find(&g->group[learned_group(lpn)].segments, x, &levels);
	BUG_ON(!s, "LPN %u is in no segment", lpn);
	at = segment_predict(s, x);
	BUG_ON(s->stride ? at != entry.ppn : at - entry.ppn + gamma > 2 * gamma,
		"LPN %u is in page %u, its %s segment says %u", lpn, entry.ppn,
		s->stride ? "accurate" : "approximate", at);
}

void learned_check(const struct learned *g)
{
	uint64_t used = 0;
	uint32_t cached = 0;

	for (uint32_t i = 0; i < g->groups; i++) {
		const struct group *it = &g->group[i];

		segments_check(&it->segments, g->learner.gamma);
		BUG_ON(segments_bytes(&it->segments) != it->bytes, "group %u counts %u bytes instead of %u",
			i, it->bytes, segments_bytes(&it->segments));
		BUG_ON(it->dirty && !it->cached, "group %u was changed and is not in DRAM", i);
		cached += it->cached;
		used += it->cached ? it->bytes : 0;
	}
	for (lpn_t lpn = 0; lpn < g->ftl->geometry->logical_pages; lpn++)
		learned_check_page(g, lpn);
	BUG_ON(used != g->used || list_length(GROUP_LINKS(g), g->groups, g->groups) != cached,
		"%u groups of %llu bytes are in DRAM; counted are %u and %llu", cached,
		(unsigned long long)used, list_length(GROUP_LINKS(g), g->groups, g->groups),
		(unsigned long long)g->used);
}

uint64_t learned_table_bytes(struct learned *g)
{
	uint64_t bytes = 0;

	learned_refresh(g);
	for (uint32_t i = 0; i < g->groups; i++)
		bytes += g->group[i].bytes;
	return bytes;
}

#define COUNT(field) STAT_COUNT, offsetof(struct group_statistics, field)

static const struct stat_row learned_map_rows[] = {
	{ "cache_bytes", "bytes", "DRAM for groups, unless all are in DRAM", COUNT(budget) },
	{ "cached_bytes_max", "bytes", "most in use, until others leave for what grew",
		COUNT(most_cached_bytes) },
	{ "evictions", "pages", "groups that left DRAM", COUNT(evictions) },
	{ "writebacks", "pages", "of these changed, and written", COUNT(writebacks) },
	{ 0 },
};

static const struct stat_row learned_rows[] = {
	{ "levels", "levels", "searched by look-ups", COUNT(levels) },
	{ "top", "look-ups", "answered by the first level", COUNT(top) },
	{ "accurate", "look-ups", "answered by an accurate segment", COUNT(accurate) },
	{ "approximate_look_ups", "look-ups", "answered by an approximate one", COUNT(approximate) },
	{ "compactions", "", "of all groups in DRAM", COUNT(compactions) },
	{ "segments", "segments", "at the end", COUNT(segments) },
	{ "approximate", "segments", "of these approximate", COUNT(approximate_segments) },
	{ "list_bytes", "bytes", "for the lists of their pages", COUNT(list_bytes) },
	{ "table_bytes", "bytes", "of all groups at the end: 4 each, 8 a segment, and these lists",
		COUNT(table_bytes) },
	{ "table_bytes_released", "bytes",
		"the same as the released simulator counts: 5 for a segment of one page, lists by changes",
		COUNT(released_bytes) },
	{ "levels_max", "levels", "of a group at the end", COUNT(most_levels) },
	{ "group_bytes_max", "bytes", "of a group at the end", COUNT(most_bytes) },
	{ 0 },
};

static void learned_gather(void *groups)
{
	struct learned *g = groups;
	struct group_statistics *s = &g->statistics;

	s->table_bytes = learned_table_bytes(g);
	s->segments = s->approximate_segments = s->list_bytes = s->released_bytes = 0;
	s->most_levels = s->most_bytes = 0;
	for (uint32_t i = 0; i < g->groups; i++) {
		const struct segments *of = &g->group[i].segments;
		uint32_t levels = segments_levels(of);

		s->segments += of->used;
		for (uint32_t k = 0; k < of->used; k++)
			s->approximate_segments += !of->segment[k].stride;
		s->list_bytes += of->list_bytes;
		s->released_bytes += segments_released_bytes(of);
		s->most_levels = levels > s->most_levels ? levels : s->most_levels;
		s->most_bytes = g->group[i].bytes > s->most_bytes ? g->group[i].bytes : s->most_bytes;
	}
	s->budget = g->budget;
}

static void learned_start(void *groups)
{
	struct learned *g = groups;

	g->statistics.most_cached_bytes = g->used;
}

void learned_statistics(struct learned *g, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ NULL, "map.", learned_map_rows, &g->statistics,
				    sizeof g->statistics, g, learned_start, learned_gather });
	stat_list_add(list,
		(struct stat_group){ .prefix = "leaftl.", .rows = learned_rows, .values = &g->statistics });
}
