#include "ftl/log/log.h"

/* ---- where pages are ---- */

/* Is the page at its offset, in a block of its own logical block? */
static bool log_is_at(const struct log_ftl *l, block_t block, uint32_t offset, lpn_t lpn)
{
	return offset < log_next(l, block) &&
	       flash_owner(l->ftl->flash, geometry_first_page(l->geometry, block) + offset) == lpn;
}

static struct hashed log_mapped_pages(const struct log_ftl *l)
{
	return HASHED(l->page, lpn, link);
}

ppn_t log_find(const struct log_ftl *l, lpn_t lpn)
{
	struct log_place at;
	const struct log_block *own;
	uint32_t i;

	if (lpn >= l->geometry->logical_pages || !log_sectors(l, lpn))
		return PPN_NONE;
	if (l->find)
		return l->find(l, lpn);
	at = log_place(l, lpn);
	if (log_is_at(l, l->data[at.lbn], at.offset, lpn))
		return geometry_first_page(l->geometry, l->data[at.lbn]) + at.offset;
	own = log_of(l, at.lbn);
	if (own && log_is_at(l, own->block, at.offset, lpn))
		return geometry_first_page(l->geometry, own->block) + at.offset;
	i = hash_find(&l->index, log_mapped_pages(l), lpn);
	BUG_ON(i == INDEX_NONE, "LPN %u has data, but no page", lpn);
	return geometry_first_page(l->geometry, l->log[geometry_block(l->geometry, i)].block) +
	       geometry_page(l->geometry, i);
}

/* The page now holds the newest data of the LPN. In a log it gets a mapping entry, unless it is at its offset
 * in its logical block's log. */
static void log_enter(struct log_ftl *l, lpn_t lpn, ppn_t ppn, uint32_t log)
{
	uint32_t page = geometry_page(l->geometry, ppn), i;

	l->live[geometry_block(l->geometry, ppn)]++;
	l->live_pages++;
	if (l->moved)
		l->moved(l, lpn, ppn);
	if (log == INDEX_NONE)
		return;
	l->log[log].touched = ++l->events;
	if (l->log[log].lbn != LBN_NONE && page == log_place(l, lpn).offset)
		return;
	i = geometry_first_page(l->geometry, log) + page;
	l->page[i].lpn = lpn;
	hash_add(&l->index, log_mapped_pages(l), i);
}

/* The page no longer holds the newest data.  Returns the log that had a mapping entry for it, or
 * INDEX_NONE. */
static uint32_t log_leave(struct log_ftl *l, lpn_t lpn, ppn_t ppn)
{
	block_t block = geometry_block(l->geometry, ppn);
	struct log_place at = log_place(l, lpn);
	const struct log_block *own;
	uint32_t i;

	l->live[block]--;
	l->live_pages--;
	if (l->find || block == l->data[at.lbn])
		return INDEX_NONE;
	own = log_of(l, at.lbn);
	if (own && block == own->block && geometry_page(l->geometry, ppn) == at.offset)
		return INDEX_NONE;
	i = hash_find(&l->index, log_mapped_pages(l), lpn);
	hash_remove(&l->index, log_mapped_pages(l), i);
	return geometry_block(l->geometry, i);
}

/* ---- pages change ---- */

static void log_set_sectors(struct log_ftl *l, lpn_t lpn, mask_t mask)
{
	mask_t full = l->geometry->full_page, lacking = mask ? full & ~mask : 0;
	sector_t first = geometry_page_start(l->geometry, lpn);
	uint64_t *word = &l->lacks[first / BITS_WORD];
	unsigned shift = first % BITS_WORD;

	if (mask)
		bits_set(l->present, lpn);
	else
		bits_clear(l->present, lpn);
	if ((*word >> shift & full) != lacking) /* untouched memory takes no pages */
		*word = (*word & ~(full << shift)) | lacking << shift;
}

/* A page-level translation.  Returns the operation that its result depends on, or OP_NONE. */
static op_t log_translate(struct log_ftl *l, struct io *io, lpn_t lpn)
{
	if (!l->look_up) {
		ftl_count_lookup(l->ftl, io);
		return OP_NONE;
	}
	io->accesses++;
	ftl_map_count(l->ftl, io)->accesses++;
	return l->look_up(l, io, lpn);
}

/* Invalidates the LPN's data, if it has any. */
static void log_drop(struct log_ftl *l, lpn_t lpn, ppn_t ppn)
{
	uint32_t log;

	if (ppn == PPN_NONE)
		return;
	log = log_leave(l, lpn, ppn);
	if (log != INDEX_NONE)
		l->log[log].touched = ++l->events;
	flash_disown(l->ftl->flash, ppn);
}

/*
 * Skips the block's free pages before this one, or programs dummies where flash.order does not allow
 * skipping.
 */
static void log_reach(struct log_ftl *l, struct io *io, ppn_t to)
{
	block_t block = geometry_block(l->geometry, to);
	ppn_t at = geometry_first_page(l->geometry, block) + log_next(l, block);

	if (l->ftl->flash->settings->order == ORDER_ASCENDING)
		return;
	for (; at < to; at++) {
		flash_program(io, at, 0, l->geometry->sectors_per_page, CAUSE_MERGE, OP_NONE);
		flash_disown(l->ftl->flash, at);
		log_counts(l, io)->dummies++;
	}
}

void log_program(struct log_ftl *l, struct io *io, struct page_part part, ppn_t to, uint32_t log)
{
	mask_t had = log_sectors(l, part.lpn), kept = had & ~part.mask;
	ppn_t old = log_find(l, part.lpn);
	op_t after = log_translate(l, io, part.lpn);

	log_reach(l, io, to);
	if (kept)
		after = flash_read(io, old, mask_sectors(kept), part.mask ? CAUSE_RMW : CAUSE_PAD, after);
	flash_program(
		io, to, part.lpn, mask_sectors(had | part.mask), part.mask ? CAUSE_HOST : CAUSE_PAD, after);
	pages_hold_host(io, to, part.lpn, part.mask);
	pages_hold_kept(io, to, old, part.lpn, kept);
	log_drop(l, part.lpn, old);
	log_set_sectors(l, part.lpn, had | part.mask);
	log_enter(l, part.lpn, to, log);
}

void log_copy(struct log_ftl *l, struct io *io, ppn_t from, ppn_t to)
{
	lpn_t lpn = flash_owner(l->ftl->flash, from);

	log_reach(l, io, to);
	flash_move(io, from, to, CAUSE_MERGE);
	log_leave(l, lpn, from);
	log_enter(l, lpn, to, INDEX_NONE);
}

block_t log_take(struct log_ftl *l, uint32_t lbn)
{
	block_t block = blocks_take(l->blocks, log_plane(l, lbn));

	l->ftl->failed |= block == BLOCK_NONE;
	return block;
}

/* ---- requests ---- */

/* Adds the extra time of writes that do not begin where the previous one ended. */
static void log_count_gaps(struct log_ftl *l, struct io *io, const struct extent *extents, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (extents[i].start != l->expected)
			io->controller_ns += l->gap_ns;
		l->expected = log_end(l, extents[i]);
	}
}

void log_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct log_ftl *l = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	log_count_gaps(l, io, extents, n);
	while (page_walk_next(&walk, &part))
		if (!log_pads_nothing(l, part) && !l->write_page(f, io, part))
			return;
}

void log_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct log_ftl *l = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		mask_t wanted = log_sectors(l, part.lpn) & part.mask;
		op_t after = log_translate(l, io, part.lpn);
		ppn_t ppn;

		if (!wanted) {
			ftl_count_unmapped(f, io);
			continue;
		}
		ppn = log_find(l, part.lpn);
		flash_read(io, ppn, mask_sectors(wanted), CAUSE_HOST, after);
		pages_answer(io, ppn, part.lpn, wanted);
	}
}

void log_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct log_ftl *l = f->state;
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		mask_t had = log_sectors(l, part.lpn);

		log_translate(l, io, part.lpn);
		if (!(had & ~part.mask))
			log_drop(l, part.lpn, log_find(l, part.lpn));
		log_set_sectors(l, part.lpn, had & ~part.mask);
	}
}

static void log_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct log_ftl *l = f->state;
	struct log_place at = log_place(l, lpn);
	ppn_t ppn = log_find(l, lpn);

	fprintf(out, "page %u of logical block %u, ", at.offset, at.lbn);
	if (ppn == PPN_NONE) {
		fputs("no data", out);
		return;
	}
	if (!l->find)
		fputs(geometry_block(f->geometry, ppn) == l->data[at.lbn] ? "data block " : "log ", out);
	pages_print(f->geometry, ppn, log_sectors(l, lpn), out);
}

const struct ftl_words log_words = { .print_entry = log_print_entry };

/* ---- set-up, state and facts ---- */

uint32_t log_count_of(const struct ftl *f, const struct log_settings *s)
{
	uint32_t share = f->geometry->blocks_per_plane * 3 / 100;

	return s->logs ? (uint32_t)s->logs : share < 2 ? 2 : share;
}

static bool log_check_drive(const struct log_ftl *l, uint32_t logs, struct fault *fault)
{
	const struct geometry *g = l->geometry;
	const char *name = l->ftl->ops->name;
	uint32_t data = l->lbns / g->planes,
		 spare = data < g->blocks_per_plane ? g->blocks_per_plane - data : 0;

	if (spare < logs + 2)
		return fault_set(fault,
			"%u of the %u blocks of a plane hold data, which leaves %u spare blocks; ftl = %s "
			"needs %u%s: use a larger flash.over_provisioning%s",
			data, g->blocks_per_plane, spare, name, logs + 2, logs ? ", two more than logs" : "",
			logs ? " or fewer logs" : "");
	if (g->pages_per_block % l->stripe)
		return fault_set(fault, "%s.stripe = %u does not divide flash.pages = %u", name, l->stripe,
			g->pages_per_block);
	return true;
}

static void log_make_tables(struct log_ftl *l, uint32_t logs)
{
	const struct geometry *g = l->geometry;
	uint32_t all = logs * g->planes;

	l->data = memory_array(l->lbns, sizeof *l->data, "block map");
	l->own = memory_array(l->lbns, sizeof *l->own, "block map");
	l->present = memory_array(bits_words(g->logical_pages), sizeof *l->present, "sector map");
	l->lacks = memory_array(bits_words(g->logical_sectors), sizeof *l->lacks, "sector map");
	l->live = memory_array(g->blocks, sizeof *l->live, "live pages");
	l->log = memory_array(all + g->planes, sizeof *l->log, "logs");
	l->page = memory_array((size_t)all * g->pages_per_block, sizeof *l->page, "log map");
	l->index = hash_create(all * g->pages_per_block, "log map");
	for (uint32_t i = 0; i < l->lbns; i++) {
		l->data[i] = BLOCK_NONE;
		l->own[i] = INDEX_NONE;
	}
	for (uint32_t i = 0; i < all; i++)
		l->log[i] = (struct log_block){ .block = BLOCK_NONE, .lbn = LBN_NONE };
	for (uint32_t p = 0; p < g->planes; p++) {
		list_init(ARRAY_FIELD(l->log, link), all + p);
		for (uint32_t i = 0; i < l->owned; i++)
			list_append(ARRAY_FIELD(l->log, link), all + p, p * logs + i);
	}
}

bool log_init(struct log_ftl *l, struct ftl *f, uint32_t owned, uint32_t shared, struct fault *fault)
{
	const struct log_settings *s = f->settings;
	const struct geometry *g = f->geometry;
	uint32_t logs = owned + shared;

	l->ftl = f;
	l->geometry = g;
	l->stripe = (uint32_t)s->stripe;
	l->group_pages = g->pages_per_block * g->planes;
	l->lbns = (g->logical_pages + l->group_pages - 1) / l->group_pages * g->planes;
	l->owned = owned;
	l->shared = shared;
	l->logs = logs * g->planes;
	l->gap_ns = s->gap_ns;
	l->per_stripe = divisor_of(l->stripe);
	l->per_planes = divisor_of(g->planes);
	l->per_group = divisor_of(l->group_pages);
	if (!log_check_drive(l, logs, fault) ||
		!placement_init(&l->placement, f->flash, &f->core->placement, fault))
		return false;
	l->blocks = blocks_create(f->flash, tools_wants(f->core->tool).order, NULL, &bad_none);
	log_make_tables(l, logs);
	return true;
}

void log_exit(struct log_ftl *l)
{
	blocks_free(l->blocks);
	placement_release(&l->placement);
	memory_free(l->data);
	memory_free(l->own);
	memory_free(l->present);
	memory_free(l->lacks);
	memory_free(l->live);
	memory_free(l->log);
	memory_free(l->page);
	hash_free(&l->index);
}

void log_free(struct ftl *f)
{
	log_exit(f->state);
}

/* Rebuilds the index of mapped pages from the contents of the logs. */
static void log_index_pages(void *log_ftl)
{
	struct log_ftl *l = log_ftl;
	hash_free(&l->index);
	l->index = hash_create(l->logs * l->geometry->pages_per_block, "log map");
	for (uint32_t log = 0; log < l->logs; log++)
		for (uint32_t page = 0; page < log_next(l, l->log[log].block); page++) {
			uint32_t i = geometry_first_page(l->geometry, log) + page;
			lpn_t lpn = flash_owner(
				l->ftl->flash, geometry_first_page(l->geometry, l->log[log].block) + page);

			if (lpn == OWNER_NONE ||
				(l->log[log].lbn != LBN_NONE && page == log_place(l, lpn).offset))
				continue;
			l->page[i].lpn = lpn;
			hash_add(&l->index, log_mapped_pages(l), i);
		}
}

static const struct state_row log_block_state[] = {
	STATE_NUMBER(struct log_block, block),
	STATE_NUMBER(struct log_block, lbn),
	STATE_NUMBER(struct log_block, link),
	STATE_NUMBER(struct log_block, opened),
	STATE_NUMBER(struct log_block, touched),
	STATE_NUMBER(struct log_block, ordered),
	STATE_NUMBER(struct log_block, hot),
	{ 0 },
};

const struct state_row log_state[] = {
	STATE_FIXED(ftl, geometry, placement, stripe, group_pages, lbns, per_stripe, per_planes, per_group,
		gap_ns),
	STATE_FIXED(find, moved, look_up, write_page, owned, shared, logs),
	STATE_COUNTED(count, uncounted),
	STATE_POINTER(struct log_ftl, blocks, blocks_state),
	STATE_NUMBERS(struct log_ftl, data),
	STATE_NUMBERS(struct log_ftl, own),
	STATE_NUMBERS(struct log_ftl, present),
	STATE_NUMBERS(struct log_ftl, lacks),
	STATE_NUMBERS(struct log_ftl, live),
	STATE_NUMBER(struct log_ftl, live_pages),
	STATE_ARRAY(struct log_ftl, log, log_block_state),
	STATE_NUMBER(struct log_ftl, opened),
	STATE_NUMBER(struct log_ftl, events),
	STATE_NUMBER(struct log_ftl, expected),
	STATE_REBUILT(page, index),
	STATE_RESTORED(log_index_pages),
	{ 0 },
};

void log_facts(const struct ftl *f, struct ftl_facts *facts)
{
	const struct log_ftl *l = f->state;
	const struct geometry *g = f->geometry;

	facts->live_pages = l->live_pages;
	facts->free_blocks = blocks_left_in_all(l->blocks);
	facts->retired_blocks = l->blocks->retired;
	facts->map_bytes =
		4 * (l->find ? g->logical_pages : l->lbns + (uint64_t)l->logs * (1 + g->pages_per_block));
}

/* ---- invariants ---- */

static void log_check_log(const struct log_ftl *l, uint32_t i)
{
	const struct log_block *log = &l->log[i];

	BUG_ON(log->lbn != LBN_NONE && (log->block == BLOCK_NONE || l->own[log->lbn] != i ||
					       log_position(l, log->lbn) != i / (l->owned + l->shared)),
		"log %u is of logical block %u, which has log %u", i, log->lbn, l->own[log->lbn]);
	for (uint32_t page = 0; log->ordered && page < log_next(l, log->block); page++) {
		owner_t owner =
			flash_owner(l->ftl->flash, geometry_first_page(l->geometry, log->block) + page);

		BUG_ON(owner != OWNER_NONE && log_place(l, owner).offset != page,
			"page %u of log %u, which is in order, holds LPN %u", page, i, owner);
	}
}

static uint64_t log_check_block(const struct log_ftl *l, block_t block)
{
	const struct flash *flash = l->ftl->flash;
	ppn_t first = geometry_first_page(l->geometry, block);
	uint32_t live = 0;

	for (uint32_t page = 0; page < log_next(l, block); page++) {
		lpn_t lpn = flash_owner(flash, first + page);

		if (lpn == OWNER_NONE)
			continue;
		live++;
		BUG_ON(log_find(l, lpn) != first + page, "page %u belongs to LPN %u, which is in %u",
			first + page, lpn, log_find(l, lpn));
	}
	BUG_ON(live != l->live[block], "block %u has %u live pages, %u are counted", block, live,
		l->live[block]);
	return live;
}

/* A block in use has programmed pages; a free one has none. */
void log_claim(const struct log_ftl *l, uint64_t *claimed, block_t block, plane_t plane)
{
	if (block == BLOCK_NONE)
		return;
	BUG_ON(geometry_plane(l->geometry, block) != plane || bits_get(claimed, block) || !log_next(l, block),
		"block %u of plane %u is in use twice, is free or in another plane", block, plane);
	bits_set(claimed, block);
}

static void log_check_ring(const struct log_ftl *l, uint32_t position)
{
	uint32_t logs = l->owned + l->shared, head = logs * l->geometry->planes + position;

	BUG_ON(list_length(ARRAY_FIELD(l->log, link), head, l->owned) != l->owned,
		"not all %u logs of position %u are in its ring", l->owned, position);
	for (uint32_t i = l->log[head].link.next; i != head; i = l->log[i].link.next)
		BUG_ON(i / logs != position || i % logs >= l->owned, "log %u is in the ring of position %u",
			i, position);
}

static void log_check_blocks(const struct log_ftl *l)
{
	uint32_t logs = l->owned + l->shared;
	uint64_t *claimed = memory_array(bits_words(l->geometry->blocks), sizeof *claimed, "blocks in use");

	blocks_check(l->blocks);
	for (uint32_t lbn = 0; lbn < l->lbns; lbn++)
		log_claim(l, claimed, l->data[lbn], log_plane(l, lbn));
	for (uint32_t i = 0; i < logs * l->geometry->planes; i++)
		log_claim(l, claimed, l->log[i].block, l->placement.plane[i / logs]);
	memory_free(claimed);
	for (uint32_t position = 0; l->owned && position < l->geometry->planes; position++)
		log_check_ring(l, position);
}

void log_check(const struct ftl *f)
{
	const struct log_ftl *l = f->state;
	const struct geometry *g = f->geometry;
	uint64_t live = 0, mapped = 0;

	log_check_blocks(l);
	for (uint32_t i = 0; i < l->logs; i++)
		log_check_log(l, i);
	for (block_t block = 0; block < g->blocks; block++)
		live += log_check_block(l, block);
	for (uint32_t lbn = 0; lbn < l->lbns; lbn++)
		BUG_ON(l->own[lbn] != INDEX_NONE && l->log[l->own[lbn]].lbn != lbn,
			"logical block %u has log %u of another", lbn, l->own[lbn]);
	for (lpn_t lpn = 0; lpn < g->logical_pages; lpn++)
		mapped += log_sectors(l, lpn) != 0;
	BUG_ON(live != l->live_pages || live != mapped,
		"%llu pages are live, %llu counted, %llu LPNs hold data", (unsigned long long)live,
		(unsigned long long)l->live_pages, (unsigned long long)mapped);
}

/* ---- statistics ---- */

#define COUNT(name) STAT_COUNT, offsetof(struct log_statistics, name)

static const struct stat_row rows[] = {
	{ "log.merge.switch", "merges", "the log had all pages in order", COUNT(switches) },
	{ "log.merge.partial", "merges", "the log had the first pages in order", COUNT(partial) },
	{ "log.merge.full", "merges", "into a free block", COUNT(full) },
	{ "log.copy.partial", "pages", "", COUNT(partial_copies) },
	{ "log.copy.full", "pages", "", COUNT(full_copies) },
	{ "log.copy.gap", "pages", "to reach the page that is written", COUNT(gap_copies) },
	{ "log.dummies", "pages", "programmed with nothing, where flash.order forbids to pass over them",
		COUNT(dummies) },
	{ "log.victims", "blocks", "shared logs emptied", COUNT(victims) },
	{ "log.dead", "blocks", "of them: had no live page, and were erased without a merge", COUNT(dead) },
	{ "log.victim_blocks", "merges", "logical blocks merged to empty them", COUNT(victim_lbns) },
	{ "log.blocks_per_victim", "merges", "logical blocks with data in an emptied log", STAT_RATIO,
		offsetof(struct log_statistics, victim_lbns), offsetof(struct log_statistics, victims) },
	{ "log.utilisation", "share", "pages of logs that were used when they were merged", STAT_RATIO,
		offsetof(struct log_statistics, pages), offsetof(struct log_statistics, room) },
	{ 0 },
};

void log_add_statistics(struct ftl *f, struct stat_list *list)
{
	struct log_ftl *l = f->state;

	stat_list_add(list, (struct stat_group){ "log blocks", NULL, rows, &l->count, sizeof l->count });
}
