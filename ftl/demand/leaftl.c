/*
 * LeaFTL (Sun, Li, Zhang, Sun, Zhou, "LeaFTL: a learning-based flash translation layer for solid-state
 * drives", ASPLOS 2023).
 *
 * Pages that the host writes are kept in a buffer in DRAM.  When it is full, they are programmed in ascending
 * order of logical pages: consecutive pages go to consecutive places, and a line represents all of them
 * (segments.h).  A line may be off by up to gamma pages; the spare area of the page that it predicts then
 * tells where the right one is.  docs/leaftl.md explains it and what the paper leaves open.
 */
#include "ftl/demand/learned.h"

#include "base/hash.h"
#include "base/memory.h"
#include "flash/schedule.h"

#include <stdlib.h>

struct leaftl_settings {
	uint64_t buffer_pages, gamma, compact_every;
	bool demand;
};

struct leaftl_statistics {
	uint64_t buffer_hits, flushes, mispredicted, mispredict_reads, oob_reads, other_block;
};

/* A logical page in the buffer, with all its sectors that hold data. */
struct leaftl_waiting {
	lpn_t lpn;
	uint32_t link;
	mask_t mask;
	op_t read; /* of its old page, for the sectors that are kept */
};

struct leaftl {
	struct demand demand;
	struct learned groups;
	struct leaftl_waiting *waiting;
	uint32_t waits, room;
	struct hash hash;            /* of the LPNs in the buffer */
	const struct segment *found; /* by the last look-up */
	uint64_t flush_misses;       /* look-ups of flushes that missed, in this request */
	uint64_t flushed;            /* pages since the last compaction */
	struct leaftl_statistics statistics;
};

#define LEAFTL(type, field) PARAM(type, struct leaftl_settings, field)

static const struct param leaftl_params[] = {
	{ LEAFTL(UINT, buffer_pages), 0, 1e7, "pages", "0",
		"logical pages that wait in DRAM to be written in their order; 0 = a block of every plane" },
	{ LEAFTL(UINT, gamma), 0, 1000, "pages", "0",
		"by so many pages a segment may miss; 0 = every segment is exact" },
	{ LEAFTL(UINT, compact_every), 1, 1e12, "pages", "1000000",
		"written between two compactions of the groups in DRAM" },
	{ LEAFTL(BOOL, demand), 0, 1, "", "true",
		"groups are in mapping pages and DRAM holds map.cache_bytes of them; false: DRAM holds all" },
	{ 0 },
};

static const struct leaftl_settings *leaftl_settings(const struct ftl *f)
{
	return f->settings;
}

static struct hashed leaftl_hashed(const struct leaftl *l)
{
	return HASHED(l->waiting, lpn, link);
}

static struct leaftl_waiting *leaftl_find_waiting(const struct leaftl *l, lpn_t lpn)
{
	uint32_t i = l->waits ? hash_find(&l->hash, leaftl_hashed(l), lpn) : INDEX_NONE;

	return i == INDEX_NONE ? NULL : &l->waiting[i];
}

/* ---- look-ups ---- */

static op_t leaftl_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct leaftl *l = f->state;
	op_t ready = learned_use(&l->groups, io, learned_group(lpn));

	l->found = learned_find(&l->groups, io, lpn);
	return ready;
}

/* Reads a page for its spare area, unless it is not programmed. */
static op_t leaftl_search(struct ftl *f, struct io *io, ppn_t ppn, op_t after)
{
	block_t block = ppn < f->geometry->pages ? geometry_block(f->geometry, ppn) : BLOCK_NONE;

	if (block == BLOCK_NONE ||
		ppn - geometry_first_page(f->geometry, block) >= flash_next_page(f->flash, block))
		return after;
	return flash_read(io, ppn, 1, CAUSE_SEARCH, after);
}

/*
 * Reads the pages that lead from `says`, the page that the segment predicts, to `at`, that of the LPN: a
 * spare area holds the LPNs of the pages around it in its block.  If `at` is in another block, the page of
 * that block nearest to `says` is read, too.  Returns how many pages that takes, apart from `at`; *ready:
 * the last read.
 */
static uint32_t leaftl_miss(struct ftl *f, struct io *io, ppn_t says, ppn_t at, op_t *ready)
{
	struct leaftl *l = f->state;
	block_t block = geometry_block(f->geometry, at);
	ppn_t first = geometry_first_page(f->geometry, block),
	      last = first + f->geometry->pages_per_block - 1;
	ppn_t edge = (int32_t)(says - at) < 0 ? first : last;

	l->statistics.mispredicted += io->timed;
	*ready = leaftl_search(f, io, says, *ready);
	if (says - first <= last - first)
		return 1;
	l->statistics.other_block += io->timed;
	if (edge == at)
		return 1;
	*ready = leaftl_search(f, io, edge, *ready);
	return 2;
}

/* Finds the LPN's page, which is going to be read.  Returns what that read waits for. */
static op_t leaftl_locate(struct ftl *f, struct io *io, lpn_t lpn, ppn_t at, op_t ready)
{
	struct leaftl *l = f->state;
	const struct segment *s = l->found;
	ppn_t says = s ? segment_predict(s, (uint8_t)(lpn % GROUP_PAGES)) : at;

	BUG_ON(!s || (s->stride && says != at), "LPN %u is in page %u, its segment says %u", lpn, at, says);
	if (says == at)
		return ready;
	schedule_note(f->flash->schedule, "LPN %u is %u page(s) %s where its segment says", lpn,
		says - at < at - says ? says - at : at - says, says - at < at - says ? "before" : "behind");
	l->statistics.mispredict_reads += leaftl_miss(f, io, says, at, &ready);
	return ready;
}

/* The LPN's page is going to be invalid.  If its segment is approximate, the page must be found first. */
static op_t leaftl_find_old(struct ftl *f, struct io *io, lpn_t lpn, ppn_t at, op_t ready)
{
	struct leaftl *l = f->state;
	const struct segment *s = l->found;
	ppn_t says = s ? segment_predict(s, (uint8_t)(lpn % GROUP_PAGES)) : at;
	uint32_t reads = 1;

	if (!s || s->stride)
		return ready;
	if (says != at)
		reads += leaftl_miss(f, io, says, at, &ready);
	l->statistics.oob_reads += reads;
	return leaftl_search(f, io, at, ready);
}

/* ---- the buffer ---- */

static void leaftl_drop_waiting(struct leaftl *l, struct leaftl_waiting *w)
{
	uint32_t i = (uint32_t)(w - l->waiting), last = l->waits - 1;

	hash_remove(&l->hash, leaftl_hashed(l), i);
	if (i != last) {
		hash_remove(&l->hash, leaftl_hashed(l), last);
		l->waiting[i] = l->waiting[last];
		hash_add(&l->hash, leaftl_hashed(l), i);
	}
	l->waiting[--l->waits] = (struct leaftl_waiting){ 0 };
}

static int leaftl_by_lpn(const void *a, const void *b)
{
	lpn_t x = ((const struct leaftl_waiting *)a)->lpn, y = ((const struct leaftl_waiting *)b)->lpn;

	return x < y ? -1 : x > y;
}

/* Programs a page of the buffer.  False: the drive is full. */
static bool leaftl_program(struct ftl *f, struct io *io, const struct leaftl_waiting *w, plane_t *plane)
{
	struct leaftl *l = f->state;
	op_t ready = demand_look_up(f, io, w->lpn);
	struct page_entry old = page_map_get(&l->demand.map, w->lpn);
	ppn_t to;
	op_t program;

	if (f->failed)
		return false;
	if (old.mask)
		ready = leaftl_find_old(f, io, w->lpn, old.ppn, ready);
	to = store_take_from(f, io, w->lpn, STREAM_HOST, plane);
	if (to == PPN_NONE)
		return false;
	old = page_map_get(&l->demand.map, w->lpn);
	program = flash_program(io, to, w->lpn, mask_sectors(w->mask), CAUSE_HOST, ready);
	if (w->read != OP_NONE && w->read != ready && !schedule_done(f->flash->schedule, w->read))
		flash_wait(io, program, w->read);
	pages_tell_stored(f->flash, to, w->lpn, w->mask);
	page_replace(f, w->lpn, old, (struct page_entry){ to, w->mask });
	demand_change(f, io, w->lpn);
	return true;
}

/* Learns the places of a group's pages that were flushed. */
static void leaftl_learn(struct ftl *f, struct io *io, const struct leaftl_waiting *w, uint32_t pages)
{
	struct leaftl *l = f->state;
	uint32_t group = learned_group(w->lpn);

	for (uint32_t i = 0; i < pages; i++)
		learned_note(&l->groups, w[i].lpn);
	learned_learn(&l->groups, group);
	learned_grown(&l->groups, io, group);
}

/* Programs the buffer.  Each block's worth of consecutive pages goes to one plane, chosen anew each time. */
static void leaftl_flush(struct ftl *f, struct io *io)
{
	struct leaftl *l = f->state;
	struct leaftl_waiting *w = l->waiting;
	uint32_t all = l->waits, done = 0, learned = 0;
	uint64_t before = f->map.lookups - f->map.hits;
	plane_t plane = PLANE_NONE;

	qsort(w, all, sizeof *w, leaftl_by_lpn);
	hash_clear(&l->hash);
	l->statistics.flushes += io->timed;
	while (done < all) {
		if (done + 8 < all)
			learned_prefetch(&l->groups, w[done + 4].lpn, w[done + 8].lpn);
		if (done % f->geometry->pages_per_block == 0)
			plane = PLANE_NONE;
		if (!leaftl_program(f, io, &w[done], &plane))
			break;
		if (++done == all || learned_group(w[done].lpn) != learned_group(w[learned].lpn)) {
			leaftl_learn(f, io, w + learned, done - learned);
			learned = done;
		}
	}
	if (learned < done)
		leaftl_learn(f, io, w + learned, done - learned);
	l->flush_misses += f->map.lookups - f->map.hits - before;
	memmove(w, w + done, (all - done) * sizeof *w);
	memset(w + all - done, 0, done * sizeof *w);
	for (l->waits = 0; l->waits < all - done; l->waits++)
		hash_add(&l->hash, leaftl_hashed(l), l->waits);
	l->flushed += done;
	if (l->flushed >= leaftl_settings(f)->compact_every) {
		learned_compact(&l->groups, io);
		l->flushed = 0;
	}
}

/* Adds a page to the buffer, with the sectors of its old page that are kept. */
static void leaftl_enter(struct ftl *f, struct io *io, struct page_part part)
{
	struct leaftl *l = f->state;
	struct page_entry old = page_map_get(&l->demand.map, part.lpn);
	mask_t kept = old.mask & ~part.mask;
	op_t read = OP_NONE;

	if (kept) {
		read = demand_look_up(f, io, part.lpn);
		if (f->failed)
			return;
		old = page_map_get(&l->demand.map, part.lpn);
		read = leaftl_locate(f, io, part.lpn, old.ppn, read);
		read = flash_read(io, old.ppn, mask_sectors(kept), CAUSE_RMW, read);
	}
	l->waiting[l->waits] = (struct leaftl_waiting){ part.lpn, 0, old.mask | part.mask, read };
	hash_add(&l->hash, leaftl_hashed(l), l->waits++);
	pages_tell_dram(f->flash, part.lpn, part.mask, oracle_dram_store);
	pages_tell_loaded(f->flash, old.ppn, part.lpn, kept);
	if (l->waits == l->room)
		leaftl_flush(f, io);
}

/* ---- requests ---- */

static uint64_t leaftl_begin(struct ftl *f, struct io *io, struct extent last)
{
	struct leaftl *l = f->state;

	if (io->timed)
		learned_refresh(&l->groups);
	l->flush_misses = 0;
	return demand_begin(f, io, last);
}

static void leaftl_count_buffer_hit(struct leaftl *l, struct io *io)
{
	io->accesses++;
	l->statistics.buffer_hits += io->timed;
}

/* Outside time the page is not buffered, and its group is learned later unless it is cached. */
static bool leaftl_write_untimed(struct ftl *f, struct io *io, struct page_part part)
{
	struct leaftl *l = f->state;

	if (!page_write_part(f, io, io, part, OP_NONE))
		return false;
	learned_written_untimed(&l->groups, part.lpn);
	demand_change(f, io, part.lpn);
	return true;
}

static bool leaftl_write_part(struct ftl *f, struct io *io, struct page_part part)
{
	struct leaftl *l = f->state;
	struct leaftl_waiting *w = leaftl_find_waiting(l, part.lpn);

	if (!w && !io->timed)
		return leaftl_write_untimed(f, io, part);
	if (w) {
		leaftl_count_buffer_hit(l, io);
		w->mask |= part.mask;
		pages_tell_dram(f->flash, part.lpn, part.mask, oracle_dram_store);
	} else {
		leaftl_enter(f, io, part);
	}
	return !f->failed;
}

static void leaftl_flush_all(struct ftl *f, struct io *io)
{
	if (((const struct leaftl *)f->state)->waits)
		leaftl_flush(f, io);
}

static void leaftl_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	uint64_t begun = leaftl_begin(f, io, extents[n - 1]);
	struct leaftl *l = f->state;
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (!leaftl_write_part(f, io, part))
			return;
	demand_end(f, io, begun + l->flush_misses);
}

static void leaftl_read_part(struct ftl *f, struct io *io, struct page_part part)
{
	struct leaftl *l = f->state;
	const struct leaftl_waiting *w = leaftl_find_waiting(l, part.lpn);
	struct page_entry entry;
	op_t ready;

	if (w) {
		leaftl_count_buffer_hit(l, io);
		pages_tell_dram(f->flash, part.lpn, part.mask & w->mask, oracle_dram_answer);
		return;
	}
	ready = demand_look_up(f, io, part.lpn);
	entry = page_map_get(&l->demand.map, part.lpn);
	if (io->timed && entry.mask & part.mask)
		ready = leaftl_locate(f, io, part.lpn, entry.ppn, ready);
	if (!page_read_part(f, io, part, ready))
		ftl_count_unmapped(f, io);
}

static void leaftl_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	uint64_t begun = leaftl_begin(f, io, extents[n - 1]);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		leaftl_read_part(f, io, part);
	demand_end(f, io, begun);
}

/* Removes these sectors from the buffer and from the page. */
static void leaftl_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct leaftl *l = f->state;
	struct page_part part;

	leaftl_begin(f, io, e);
	while (page_walk_next(&walk, &part)) {
		struct leaftl_waiting *w = leaftl_find_waiting(l, part.lpn);

		demand_look_up(f, io, part.lpn);
		if (f->failed)
			return;
		if (w) {
			pages_tell_dram(f->flash, part.lpn, part.mask & w->mask, oracle_dram_drop);
			w->mask &= ~part.mask;
			if (!w->mask)
				leaftl_drop_waiting(l, w);
		}
		page_trim_part(f, part);
		demand_change(f, io, part.lpn);
	}
}

/* ---- collection ---- */

static void leaftl_changed(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct leaftl *l = f->state;
	struct group *group = &l->groups.group[learned_group(lpn)];

	group->dirty |= io->timed && group->cached;
}

static bool leaftl_moved(struct ftl *f, lpn_t lpn)
{
	struct leaftl *l = f->state;
	uint32_t group = learned_group(lpn);

	if (!bits_get(l->groups.stale, group)) {
		learned_note(&l->groups, lpn);
		bits_set(l->groups.changed, group);
	}
	return l->groups.in_dram || l->groups.group[group].cached;
}

static void leaftl_emptied(struct ftl *f)
{
	learned_learn_moved(&((struct leaftl *)f->state)->groups);
}

/* ---- the whole ---- */

static const struct demand_scheme leaftl_scheme = {
	.reserve = 2,
	.per_page = GROUP_PAGES,
	.look_up = leaftl_look_up,
	.changed = leaftl_changed,
	.moved = leaftl_moved,
	.by_owner = true,
	.emptied = leaftl_emptied,
	.prefetch = page_prefetch,
};

static bool leaftl_init(struct ftl *f, struct fault *fault)
{
	const struct leaftl_settings *s = leaftl_settings(f);
	struct leaftl *l = f->state;

	if (!demand_init(f, &leaftl_scheme, fault))
		return false;
	f->store->plan.sorts_requests = true;
	l->room = s->buffer_pages ? (uint32_t)s->buffer_pages
				  : f->geometry->planes * f->geometry->pages_per_block;
	l->waiting = memory_array(l->room, sizeof *l->waiting, "pages in the sorting buffer");
	l->hash = hash_create(l->room, "pages in the sorting buffer");
	learned_init(&l->groups, f, (uint32_t)s->gamma, !s->demand);
	return true;
}

static void leaftl_exit(struct ftl *f)
{
	struct leaftl *l = f->state;

	learned_release(&l->groups);
	memory_free(l->waiting);
	hash_free(&l->hash);
	demand_exit(f);
}

static void leaftl_index(void *leaftl)
{
	struct leaftl *l = leaftl;

	hash_clear(&l->hash);
	for (uint32_t i = 0; i < l->waits; i++)
		hash_add(&l->hash, leaftl_hashed(l), i);
}

static const struct state_row leaftl_waiting_state[] = {
	STATE_NUMBER(struct leaftl_waiting, lpn),
	STATE_REBUILT(link),
	STATE_NUMBER(struct leaftl_waiting, mask),
	STATE_OP(struct leaftl_waiting, read),
	{ 0 },
};

static const struct state_row leaftl_state[] = {
	STATE_FIXED(room),
	STATE_SCRATCH(found, flush_misses),
	STATE_REBUILT(hash),
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct leaftl, demand, demand_state),
	STATE_STRUCT(struct leaftl, groups, learned_state),
	STATE_EACH(struct leaftl, waiting, leaftl_waiting_state),
	STATE_NUMBER(struct leaftl, waits),
	STATE_RESTORED(leaftl_index),
	STATE_NUMBER(struct leaftl, flushed),
	{ 0 },
};

/* A page in the buffer has all sectors that its old page has. */
static void leaftl_check(const struct ftl *f)
{
	const struct leaftl *l = f->state;

	demand_check(f);
	learned_check(&l->groups);
	for (uint32_t i = 0; i < l->waits; i++)
		BUG_ON(page_map_get(&l->demand.map, l->waiting[i].lpn).mask & ~l->waiting[i].mask,
			"LPN %u waits without sectors that its old page has", l->waiting[i].lpn);
}

static void leaftl_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = learned_table_bytes(&((struct leaftl *)f->state)->groups);
}

static void leaftl_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct leaftl *l = f->state;
	const struct group *group = &l->groups.group[learned_group(lpn)];
	uint32_t levels;
	const struct segment *s = segments_find(&group->segments, (uint8_t)(lpn % GROUP_PAGES), &levels);

	page_print_entry(f, lpn, out);
	if (leaftl_find_waiting(l, lpn))
		fputs("; waits in DRAM to be written", out);
	if (s)
		fprintf(out, "; LPN %u to %u are a segment of level %u, %s",
			lpn - lpn % GROUP_PAGES + s->first, lpn - lpn % GROUP_PAGES + s->last, s->level,
			s->stride ? "accurate" : "approximate");
	if (!l->groups.in_dram)
		fprintf(out, "; group %u %s", learned_group(lpn),
			group->dirty    ? "in DRAM, changed"
			: group->cached ? "in DRAM"
					: "not in DRAM");
}

/* ---- statistics ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct leaftl_statistics, field)

static const struct stat_row leaftl_rows[] = {
	{ "buffer_hits", "pages", "written or read while they waited to be written", COUNT(buffer_hits) },
	{ "flushes", "", "of the buffer", COUNT(flushes) },
	{ "mispredicted", "look-ups", "whose segment named another page", COUNT(mispredicted) },
	{ "mispredict_reads", "pages", "read for that before the right one", COUNT(mispredict_reads) },
	{ "oob_reads", "pages", "read to find the old copy of a page that is written", COUNT(oob_reads) },
	{ "other_block", "look-ups", "whose segment named a page of another block", COUNT(other_block) },
	{ 0 },
};

#define OF_SEARCH(field) STAT_COUNT, offsetof(struct flash, field[CAUSE_SEARCH])

static const struct stat_row leaftl_flash_rows[] = {
	{ "flash.read.search", "pages", "for their spare area: to find another page, or that of an LPN",
		OF_SEARCH(count[OP_READ]) },
	{ "flash.read.forwarded.search", "pages", "the same, from the controller's memory",
		OF_SEARCH(forwarded) },
	{ 0 },
};

static void leaftl_statistics(struct ftl *f, struct stat_list *list)
{
	struct leaftl *l = f->state;

	demand_statistics(f, list);
	learned_statistics(&l->groups, list);
	stat_list_add(list,
		(struct stat_group){ NULL, "leaftl.", leaftl_rows, &l->statistics, sizeof l->statistics });
	directory_statistics(l->demand.table.directory, list);
	stat_list_add(list, (struct stat_group){ NULL, NULL, leaftl_flash_rows, f->flash });
}

static const struct ftl_hints leaftl_hints = { .prefetch = page_prefetch };
static const struct ftl_words leaftl_words = { .name_owner = demand_name_owner,
	.print_entry = leaftl_print_entry };

const struct ftl_ops ftl_leaftl = {
	.name = "leaftl",
	.brief = "page mapping with a table of learned lines, parts of it in DRAM (ASPLOS 2023)",
	.size = sizeof(struct leaftl),
	.state = leaftl_state,
	.params = leaftl_params,
	.settings_size = sizeof(struct leaftl_settings),
	.init = leaftl_init,
	.exit = leaftl_exit,
	.read = leaftl_read,
	.write = leaftl_write,
	.trim = leaftl_trim,
	.flush = leaftl_flush_all,
	.place_map = demand_place_map,
	.check = leaftl_check,
	.facts = leaftl_facts,
	.statistics = leaftl_statistics,
	.hints = &leaftl_hints,
	.words = &leaftl_words,
};
