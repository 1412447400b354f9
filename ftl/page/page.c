/*
 * "FTL": the page-mapped baseline.  The whole table is in DRAM; every page has one entry
 * {physical page, sectors that hold data}.  A write that does not cover all the data of
 * its page reads the old page first (read-modify-write), so a request that straddles a page border
 * costs two programs.  The baseline of Cai et al., ICPP 2023 (section 2.1), and of SSDsim.
 */
#include "ftl/page/page.h"

/* The collector moved a live page. */
static void relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct page_ftl *p = f->state;

	page_map_move(&p->map, owner, from, to);
	ftl_map_count(f, io)->accesses++;
}

static const struct store_plan plan = {
	.streams = (const struct stream[]){ { "host", .survivors = 1 }, { "gc", .survivors = 1 }, { 0 } },
	.client = { .relocate = relocate, .expect = page_expect },
};

bool page_create(struct ftl *f, const struct store_plan *wanted, struct fault *fault)
{
	struct page_ftl *p = f->state;

	p->store = page_map_fits(f->geometry, fault) ? store_create(f, wanted, fault) : NULL;
	if (p->store)
		page_map_init(&p->map, f->geometry);
	return p->store;
}

bool page_init(struct ftl *f, struct fault *fault)
{
	return page_create(f, &plan, fault);
}

void page_exit(struct ftl *f)
{
	struct page_ftl *p = f->state;

	store_free(p->store);
	page_map_release(&p->map);
}

void page_read_part(struct ftl *f, struct io *io, struct page_part part, op_t ready)
{
	struct page_ftl *p = f->state;
	struct page_entry entry = page_map_get(&p->map, part.lpn);
	mask_t wanted = entry.mask & part.mask;

	if (!wanted) {
		ftl_count_unmapped(f, io);
		return;
	}
	flash_read(io, entry.ppn, mask_sectors(wanted), CAUSE_HOST, ready);
	pages_answer(io, entry.ppn, part.lpn, wanted);
}

void page_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		page_read_part(f, io, part, OP_NONE);
	}
}

bool page_write_part(struct ftl *f, struct io *io, struct io *housekeeping, struct page_part part, op_t ready)
{
	struct page_ftl *p = f->state;
	ppn_t to = store_take(p->store, housekeeping, part.lpn, STREAM_HOST);
	struct page_entry old;
	enum cause read = part.mask ? CAUSE_RMW : CAUSE_PAD, program = part.mask ? CAUSE_HOST : CAUSE_PAD;
	mask_t kept;

	if (to == PPN_NONE)
		return false;
	old = page_map_get(&p->map, part.lpn);
	kept = old.mask & ~part.mask;
	if (kept)
		ready = flash_read(housekeeping, old.ppn, mask_sectors(kept), read, ready);
	flash_program(io, to, part.lpn, mask_sectors(old.mask | part.mask), program, ready);
	pages_hold_host(io, to, part.lpn, part.mask);
	pages_hold_kept(housekeeping, to, old.ppn, part.lpn, kept);
	if (old.mask)
		space_release(p->store->space, old.ppn);
	page_map_set(&p->map, part.lpn, (struct page_entry){ to, old.mask | part.mask });
	return true;
}

/* An empty part pads: what the page holds is written again.  Does it hold nothing? */
static bool pads_nothing(const struct page_ftl *p, struct page_part part)
{
	return !part.mask && !page_map_get(&p->map, part.lpn).mask;
}

void page_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		if (pads_nothing(f->state, part))
			continue;
		ftl_count_lookup(f, io);
		if (!page_write_part(f, io, io, part, OP_NONE))
			return;
	}
}

void page_trim_part(struct ftl *f, struct page_part part)
{
	struct page_ftl *p = f->state;
	struct page_entry entry = page_map_get(&p->map, part.lpn);

	if (entry.mask && !(entry.mask & ~part.mask))
		space_release(p->store->space, entry.ppn);
	entry.mask &= ~part.mask;
	page_map_set(&p->map, part.lpn, entry);
}

void page_trim(struct ftl *f, struct io *io, struct extent e)
{
	struct page_walk walk = page_walk_start(f->geometry, &e, 1);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		page_trim_part(f, part);
	}
}

void page_expect(const struct ftl *f, lpn_t lpn)
{
	page_map_prefetch(&((const struct page_ftl *)f->state)->map, lpn);
}

void page_expect_next(const struct ftl *f, lpn_t lpn)
{
	const struct page_ftl *p = f->state;
	ppn_t ppn = page_map_expected(&p->map, lpn);

	if (ppn != PPN_NONE)
		space_prefetch(p->store->space, ppn);
}

#define CHECK_AHEAD 40u /* owners lie anywhere */

uint64_t page_check_map(const struct ftl *f)
{
	const struct page_ftl *p = f->state;
	lpn_t lpns = f->geometry->logical_pages;
	uint64_t mapped = 0;

	for (lpn_t lpn = 0; lpn < lpns; lpn++) {
		struct page_entry entry = page_map_get(&p->map, lpn);
		ppn_t ahead =
			lpns - lpn > CHECK_AHEAD ? page_map_expected(&p->map, lpn + CHECK_AHEAD) : PPN_NONE;

		if (ahead != PPN_NONE)
			flash_prefetch_owner(f->flash, ahead);
		if (!entry.mask)
			continue;
		BUG_ON(flash_owner(f->flash, entry.ppn) != lpn, "LPN %u is mapped to page %u of LPN %u", lpn,
			entry.ppn, flash_owner(f->flash, entry.ppn));
		mapped++;
	}
	return mapped;
}

void page_check(const struct ftl *f)
{
	const struct page_ftl *p = f->state;
	uint64_t mapped = page_check_map(f);

	store_check(p->store);
	BUG_ON(mapped != space_live_pages(p->store->space), "%llu LPNs are mapped, %llu pages are live",
		(unsigned long long)mapped, (unsigned long long)space_live_pages(p->store->space));
}

const struct state_row page_state[] = {
	STATE_POINTER(struct page_ftl, store, store_state),
	STATE_STRUCT(struct page_ftl, map, page_map_state),
	{ 0 },
};

void page_facts(const struct ftl *f, struct ftl_facts *facts)
{
	const struct page_ftl *p = f->state;

	store_facts(p->store, facts);
	facts->map_bytes = page_map_bytes(&p->map);
}

void page_statistics(struct ftl *f, struct stat_list *list)
{
	store_statistics(((struct page_ftl *)f->state)->store, list);
}

void page_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct page_ftl *p = f->state;
	struct page_entry entry = page_map_get(&p->map, lpn);

	if (entry.mask)
		pages_print(f->geometry, entry.ppn, entry.mask, out);
}

static const struct ftl_hints page_hints = { .expect = page_expect, .expect_next = page_expect_next };
static const struct ftl_words page_words = { .print_entry = page_print_entry };

const struct ftl_ops ftl_page = {
	.name = "page",
	.brief = "page mapping with the whole table in DRAM: the baseline \"FTL\" of ICPP'23",
	.size = sizeof(struct page_ftl),
	.map_in_dram = true,
	.init = page_init,
	.exit = page_exit,
	.read = page_read,
	.write = page_write,
	.trim = page_trim,
	.check = page_check,
	.state = page_state,
	.facts = page_facts,
	.statistics = page_statistics,
	.pads = true,
	.hints = &page_hints,
	.words = &page_words,
};
