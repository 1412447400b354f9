#include "tests/own_ftls.h"

#include "base/bits.h"
#include "base/memory.h"
#include "ftl/ftl.h"
#include "ftl/page/page.h"
#include "ftl/pages.h"
#include "gc/space/blocks.h"

/* Where a logical page is, and which of its sectors hold data. */
struct entry {
	ppn_t ppn;
	mask_t mask;
};

/* What both have: their own blocks, and a table. */
struct own {
	struct blocks *blocks;
	struct entry *map;
};

static bool own_init(struct ftl *f)
{
	struct own *own = f->state;

	own->blocks = blocks_create(f->flash, FREE_LEAST_WORN, NULL, &bad_none);
	own->map = memory_array(f->geometry->logical_pages, sizeof *own->map, "own table");
	return true;
}

static void own_exit(struct ftl *f)
{
	struct own *own = f->state;

	blocks_free(own->blocks);
	memory_free(own->map);
}

static void own_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	const struct own *own = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		struct entry entry = own->map[part.lpn];
		mask_t wanted = entry.mask & part.mask;

		ftl_count_lookup(f, io);
		if (!wanted) {
			ftl_count_unmapped(f, io);
			continue;
		}
		flash_read(io, entry.ppn, mask_sectors(wanted), CAUSE_HOST, OP_NONE);
		pages_answer(io, entry.ppn, part.lpn, wanted);
	}
}

/* Programs a page for the host; what must be kept comes along, the old page dies. */
static void own_program(struct ftl *f, struct io *io, struct page_part part, ppn_t to)
{
	struct own *own = f->state;
	struct entry old = own->map[part.lpn];
	mask_t kept = old.mask & ~part.mask;
	op_t after = OP_NONE;

	ftl_count_lookup(f, io);
	if (kept)
		after = flash_read(io, old.ppn, mask_sectors(kept), CAUSE_RMW, OP_NONE);
	flash_program(io, to, part.lpn, mask_sectors(kept | part.mask), CAUSE_HOST, after);
	pages_hold_host(io, to, part.lpn, part.mask);
	pages_hold_kept(io, to, old.ppn, part.lpn, kept);
	if (old.mask)
		flash_disown(f->flash, old.ppn);
	own->map[part.lpn] = (struct entry){ to, kept | part.mask };
}

static void own_move(struct ftl *f, struct io *io, ppn_t from, ppn_t to, enum cause cause)
{
	struct own *own = f->state;
	lpn_t lpn = flash_owner(f->flash, from);

	flash_copy(io, from, to, cause, OP_NONE);
	own->map[lpn].ppn = to;
}

static uint32_t live_in(const struct ftl *f, block_t b)
{
	ppn_t first = geometry_first_page(f->geometry, b);
	uint32_t live = 0;

	for (uint32_t page = 0; page < f->flash->block[b].next; page++)
		live += flash_owner(f->flash, first + page) != OWNER_NONE;
	return live;
}

static void own_check(const struct ftl *f)
{
	const struct own *own = f->state;
	uint32_t mapped = 0, live = 0;

	blocks_check(own->blocks);
	for (lpn_t lpn = 0; lpn < f->geometry->logical_pages; lpn++) {
		mapped += own->map[lpn].mask != 0;
		BUG_ON(own->map[lpn].mask && flash_owner(f->flash, own->map[lpn].ppn) != lpn,
			"LPN %u is mapped to page %u of LPN %u", lpn, own->map[lpn].ppn,
			flash_owner(f->flash, own->map[lpn].ppn));
	}
	for (block_t b = 0; b < f->geometry->blocks; b++)
		live += live_in(f, b);
	BUG_ON(mapped != live, "%u LPNs are mapped, %u pages are live", mapped, live);
}

static void own_facts(const struct ftl *f, struct ftl_facts *facts)
{
	const struct own *own = f->state;

	facts->live_pages = 0;
	for (lpn_t lpn = 0; lpn < f->geometry->logical_pages; lpn++)
		facts->live_pages += own->map[lpn].mask != 0;
	facts->free_blocks = blocks_left_in_all(own->blocks);
	facts->retired_blocks = own->blocks->retired;
	facts->map_bytes = f->geometry->logical_pages * sizeof *own->map;
}

static const struct state_row entry_state[] = {
	STATE_NUMBER(struct entry, ppn),
	STATE_NUMBER(struct entry, mask),
	{ 0 },
};

static const struct state_row own_state[] = {
	STATE_POINTER(struct own, blocks, blocks_state),
	STATE_ARRAY(struct own, map, entry_state),
	{ 0 },
};

/* ---- own_log: page mapping with page cursors and a cleaner of its own ---- */

struct cursor {
	block_t block; /* number + 1; 0 = none */
	uint32_t next;
};

struct own_log {
	struct own own;
	uint32_t *live;              /* per block */
	bool *full;                  /* per block: may be cleaned */
	struct cursor *host, *clean; /* per plane */
	plane_t plane;
};

static bool log_init(struct ftl *f, struct fault *fault)
{
	struct own_log *l = f->state;
	const struct geometry *g = f->geometry;

	if ((g->pages - g->logical_pages) / g->pages_per_block / g->planes < 3)
		return fault_set(fault, "own_log needs three spare blocks in each plane");
	l->live = memory_array(g->blocks, sizeof *l->live, "own log");
	l->full = memory_array(g->blocks, sizeof *l->full, "own log");
	l->host = memory_array(g->planes, sizeof *l->host, "own log");
	l->clean = memory_array(g->planes, sizeof *l->clean, "own log");
	return own_init(f);
}

static void log_exit(struct ftl *f)
{
	struct own_log *l = f->state;

	own_exit(f);
	memory_free(l->live);
	memory_free(l->full);
	memory_free(l->host);
	memory_free(l->clean);
}

static ppn_t log_take(struct ftl *f, plane_t plane, struct cursor *c)
{
	struct own_log *l = f->state;
	block_t b;

	if (!c->block) {
		b = blocks_take(l->own.blocks, plane);
		if (b == BLOCK_NONE)
			return PPN_NONE;
		*c = (struct cursor){ b + 1, 0 };
	}
	b = c->block - 1;
	l->live[b]++;
	if (c->next + 1 == f->geometry->pages_per_block) {
		c->block = 0;
		l->full[b] = true;
	}
	return geometry_first_page(f->geometry, b) + c->next++;
}

/* Pages that the cleaner can fill. */
static uint32_t log_room(const struct ftl *f, plane_t plane)
{
	const struct own_log *l = f->state;
	uint32_t pages = f->geometry->pages_per_block;

	return (l->clean[plane].block ? pages - l->clean[plane].next : 0) +
	       blocks_left(l->own.blocks, plane) * pages;
}

/* Empties the full block of the plane with the fewest live pages.  False: none wins a page, or there is no
 * room. */
static bool log_clean(struct ftl *f, struct io *io, plane_t plane)
{
	struct own_log *l = f->state;
	const struct geometry *g = f->geometry;
	block_t best = BLOCK_NONE, first = plane * g->blocks_per_plane;

	for (block_t b = first; b < first + g->blocks_per_plane; b++)
		if (l->full[b] && (best == BLOCK_NONE || l->live[b] < l->live[best]))
			best = b;
	if (best == BLOCK_NONE || l->live[best] == g->pages_per_block || l->live[best] > log_room(f, plane))
		return false;
	for (ppn_t from = geometry_first_page(g, best); l->live[best]; from++) {
		if (flash_owner(f->flash, from) == OWNER_NONE)
			continue;
		own_move(f, io, from, log_take(f, plane, &l->clean[plane]), CAUSE_GC);
		l->live[best]--;
	}
	l->full[best] = false;
	blocks_give(l->own.blocks, io, best, CAUSE_GC);
	return true;
}

/* A page of the first plane from the cursor that can give one; one free block is kept for the cleaner. */
static ppn_t log_allocate(struct ftl *f, struct io *io)
{
	struct own_log *l = f->state;

	for (plane_t tries = 0; tries < f->geometry->planes; tries++) {
		bool possible = true;

		l->plane = (l->plane + 1) % f->geometry->planes;
		while (possible && !l->host[l->plane].block && blocks_left(l->own.blocks, l->plane) <= 1)
			possible = log_clean(f, io, l->plane);
		if (possible)
			return log_take(f, l->plane, &l->host[l->plane]);
	}
	f->failed = true;
	return PPN_NONE;
}

static void log_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct own_log *l = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		ppn_t to = log_allocate(f, io);

		if (to == PPN_NONE)
			return;
		if (l->own.map[part.lpn].mask)
			l->live[geometry_block(f->geometry, l->own.map[part.lpn].ppn)]--;
		own_program(f, io, part, to);
	}
}

static void log_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct own_log *l = f->state;
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		struct entry *entry = &l->own.map[part.lpn];

		ftl_count_lookup(f, io);
		if (entry->mask && !(entry->mask & ~part.mask)) {
			flash_disown(f->flash, entry->ppn);
			l->live[geometry_block(f->geometry, entry->ppn)]--;
		}
		entry->mask &= ~part.mask;
	}
}

static const struct state_row cursor_state[] = {
	STATE_NUMBER(struct cursor, block),
	STATE_NUMBER(struct cursor, next),
	{ 0 },
};

static const struct state_row own_log_state[] = {
	STATE_STRUCT(struct own_log, own, own_state),
	STATE_NUMBERS(struct own_log, live),
	STATE_NUMBERS(struct own_log, full),
	STATE_ARRAY(struct own_log, host, cursor_state),
	STATE_ARRAY(struct own_log, clean, cursor_state),
	STATE_NUMBER(struct own_log, plane),
	{ 0 },
};

static void log_check_cursor(const struct ftl *f, plane_t plane, struct cursor c)
{
	const struct own_log *l = f->state;
	block_t b = c.block - 1;

	BUG_ON(c.block && (geometry_plane(f->geometry, b) != plane || l->full[b] || !c.next ||
				  c.next != f->flash->block[b].next),
		"page %u of block %u is next in plane %u", c.next, b, plane);
}

static void log_check(const struct ftl *f)
{
	const struct own_log *l = f->state;
	const struct geometry *g = f->geometry;

	own_check(f);
	for (block_t b = 0; b < g->blocks; b++)
		BUG_ON(l->live[b] != live_in(f, b) ||
				(l->full[b] && f->flash->block[b].next != g->pages_per_block),
			"block %u has %u live pages, %u are counted, or it is not full", b, live_in(f, b),
			l->live[b]);
	for (plane_t p = 0; p < g->planes; p++) {
		log_check_cursor(f, p, l->host[p]);
		log_check_cursor(f, p, l->clean[p]);
		BUG_ON(l->host[p].block && l->host[p].block == l->clean[p].block,
			"host and cleaner fill block %u", l->host[p].block - 1);
	}
}

const struct ftl_ops ftl_own_log = {
	.name = "own_log",
	.brief = "a test: page mapping without a store",
	.size = sizeof(struct own_log),
	.init = log_init,
	.exit = log_exit,
	.read = own_read,
	.write = log_write,
	.trim = log_trim,
	.check = log_check,
	.state = own_log_state,
	.facts = own_facts,
};

/* ---- own_fixed: a logical block in a physical one, every page at its offset ---- */

struct own_fixed {
	struct own own;
	block_t *block; /* per logical block: number + 1; 0 = none */
};

static uint32_t fixed_count(const struct geometry *g)
{
	return (g->logical_pages + g->pages_per_block - 1) / g->pages_per_block;
}

static bool fixed_init(struct ftl *f, struct fault *fault)
{
	struct own_fixed *x = f->state;
	const struct geometry *g = f->geometry;
	uint32_t in_plane = (fixed_count(g) + g->planes - 1) / g->planes;

	if (in_plane >= g->blocks_per_plane)
		return fault_set(fault, "own_fixed needs spare blocks: one in each plane");
	if (f->flash->settings->order != ORDER_ASCENDING)
		return fault_set(fault, "own_fixed skips pages; use flash.order = \"ascending\"");
	x->block = memory_array(fixed_count(g), sizeof *x->block, "own blocks");
	return own_init(f);
}

static void fixed_exit(struct ftl *f)
{
	own_exit(f);
	memory_free(((struct own_fixed *)f->state)->block);
}

/* Writes the logical block anew with the part in its place. */
static bool fixed_rewrite(struct ftl *f, struct io *io, struct page_part part, block_t *at)
{
	struct own_fixed *x = f->state;
	const struct geometry *g = f->geometry;
	block_t to = blocks_take(x->own.blocks, part.lpn / g->pages_per_block % g->planes);
	ppn_t from = geometry_first_page(g, *at - 1), target = geometry_first_page(g, to);

	if (to == BLOCK_NONE)
		return false;
	for (uint32_t i = 0; i < g->pages_per_block; i++) {
		if (i == part.lpn % g->pages_per_block)
			own_program(f, io, part, target + i);
		else if (flash_next_page(f->flash, *at - 1) > i &&
			 flash_owner(f->flash, from + i) != OWNER_NONE)
			own_move(f, io, from + i, target + i, CAUSE_MERGE);
	}
	blocks_give(x->own.blocks, io, *at - 1, CAUSE_MERGE);
	*at = to + 1;
	return true;
}

static bool fixed_write_part(struct ftl *f, struct io *io, struct page_part part)
{
	struct own_fixed *x = f->state;
	const struct geometry *g = f->geometry;
	uint32_t lbn = part.lpn / g->pages_per_block, offset = part.lpn % g->pages_per_block;
	block_t *at = &x->block[lbn], taken;

	if (!*at) {
		taken = blocks_take(x->own.blocks, lbn % g->planes);
		if (taken == BLOCK_NONE)
			return false;
		*at = taken + 1;
	}
	if (offset < flash_next_page(f->flash, *at - 1))
		return fixed_rewrite(f, io, part, at);
	own_program(f, io, part, geometry_first_page(g, *at - 1) + offset);
	return true;
}

static void fixed_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part))
		if (!fixed_write_part(f, io, part)) {
			f->failed = true;
			return;
		}
}

static void fixed_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct own_fixed *x = f->state;
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		struct entry *entry = &x->own.map[part.lpn];

		ftl_count_lookup(f, io);
		if (entry->mask && !(entry->mask & ~part.mask))
			flash_disown(f->flash, entry->ppn);
		entry->mask &= ~part.mask;
	}
}

static const struct state_row fixed_state[] = {
	STATE_STRUCT(struct own_fixed, own, own_state),
	STATE_NUMBERS(struct own_fixed, block),
	{ 0 },
};

static void fixed_check(const struct ftl *f)
{
	const struct own_fixed *x = f->state;
	const struct geometry *g = f->geometry;
	uint64_t *taken = memory_array(bits_words(g->blocks), sizeof *taken, "own blocks");

	own_check(f);
	for (uint32_t lbn = 0; lbn < fixed_count(g); lbn++) {
		block_t b = x->block[lbn] - 1;

		if (!x->block[lbn])
			continue;
		BUG_ON(bits_get(taken, b) || !f->flash->block[b].next ||
				geometry_plane(g, b) != lbn % g->planes,
			"logical block %u lies in block %u, which is another's, free, or elsewhere", lbn, b);
		bits_set(taken, b);
	}
	for (lpn_t lpn = 0; lpn < g->logical_pages; lpn++)
		BUG_ON(x->own.map[lpn].mask && x->own.map[lpn].ppn != (x->block[lpn / g->pages_per_block] -
									      1) * g->pages_per_block +
									      lpn % g->pages_per_block,
			"LPN %u is not at its offset", lpn);
	memory_free(taken);
}

const struct ftl_ops ftl_own_fixed = {
	.name = "own_fixed",
	.brief = "a test: fixed offsets in blocks, pages are skipped",
	.size = sizeof(struct own_fixed),
	.init = fixed_init,
	.exit = fixed_exit,
	.read = own_read,
	.write = fixed_write,
	.trim = fixed_trim,
	.check = fixed_check,
	.state = fixed_state,
	.facts = own_facts,
};

/* ---- own_groups: three streams for data of the host, one for what a collection moves ---- */

enum { GROUPS = 3 };

static unsigned group_of_written(struct ftl *f, struct io *io, lpn_t lpn)
{
	(void)f;
	(void)io;
	return lpn % GROUPS;
}

static unsigned group_of_moved(const struct ftl *f, owner_t owner, unsigned from)
{
	(void)f;
	(void)owner;
	(void)from;
	return GROUPS;
}

static bool groups_init(struct ftl *f, struct fault *fault)
{
	static const struct stream streams[] = { { "0", .survivors = GROUPS, .host = true },
		{ "1", .survivors = GROUPS, .host = true }, { "2", .survivors = GROUPS, .host = true },
		{ "moved", .survivors = GROUPS }, { 0 } };

	return page_create(f,
		&(struct store_plan){ .streams = streams,
			.client = { .relocate = page_relocate, .stream_of = group_of_moved } },
		fault);
}

const struct ftl_ops ftl_own_groups = {
	.name = "own_groups",
	.brief = "a test: page mapping with three streams of host data",
	.size = sizeof(struct page_map),
	.init = groups_init,
	.exit = page_exit,
	.read = page_read,
	.write = page_write,
	.trim = page_trim,
	.check = page_check,
	.state = page_map_state,
	.facts = page_facts,
	.map_in_dram = true,
	.stream_of = group_of_written,
};
