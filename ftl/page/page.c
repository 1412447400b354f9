/*
 * "FTL": the page-mapped baseline.  The whole table is in DRAM: for each logical page its physical page and
 * the sectors that hold data.  A write that does not cover all data of its page reads the old page first
 * (read-modify-write), so a request that straddles a page border costs two programs.  The baseline of Cai et
 * al., ICPP 2023 (section 2.1), and of SSDsim.
 */
#include "ftl/page/page.h"

void page_relocate(struct ftl *f, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	page_map_move(page_map_of(f), owner, from, to);
	ftl_map_count(f, io)->accesses++;
}

static const struct store_plan page_plan = {
	.streams = (const struct stream[]){ { "host", .survivors = 1 }, { "gc", .survivors = 1 }, { 0 } },
	.client = { .relocate = page_relocate, .prefetch = page_prefetch },
};

bool page_create(struct ftl *f, const struct store_plan *plan, struct fault *fault)
{
	if (!page_map_fits(f->geometry, fault) || !store_create(f, plan, fault))
		return false;
	page_map_init(page_map_of(f), f->geometry);
	return true;
}

bool page_init(struct ftl *f, struct fault *fault)
{
	return page_create(f, &page_plan, fault);
}

void page_exit(struct ftl *f)
{
	page_map_release(page_map_of(f));
}

bool page_read_part(struct ftl *f, struct io *io, struct page_part part, op_t ready)
{
	struct page_entry entry = page_map_get(page_map_of(f), part.lpn);
	mask_t wanted = entry.mask & part.mask;

	if (!wanted)
		return false;
	flash_read(io, entry.ppn, mask_sectors(wanted), CAUSE_HOST, ready);
	pages_answer(io, entry.ppn, part.lpn, wanted);
	return true;
}

void page_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		ftl_count_lookup(f, io);
		if (!page_read_part(f, io, part, OP_NONE))
			ftl_count_unmapped(f, io);
	}
}

bool page_write_part(struct ftl *f, struct io *io, struct io *background, struct page_part part, op_t ready)
{
	ppn_t to = store_take(f, background, part.lpn, STREAM_HOST);
	enum cause read = part.mask ? CAUSE_RMW : CAUSE_PAD, program = part.mask ? CAUSE_HOST : CAUSE_PAD;
	struct page_entry old;
	mask_t kept;

	if (to == PPN_NONE)
		return false;
	old = page_map_get(page_map_of(f), part.lpn);
	kept = old.mask & ~part.mask;
	if (kept)
		ready = flash_read(background, old.ppn, mask_sectors(kept), read, ready);
	flash_program(io, to, part.lpn, mask_sectors(old.mask | part.mask), program, ready);
	pages_hold_host(io, to, part.lpn, part.mask);
	pages_hold_kept(background, to, old.ppn, part.lpn, kept);
	page_replace(f, part.lpn, old, (struct page_entry){ to, old.mask | part.mask });
	return true;
}

void page_write(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		if (!part.mask && !page_map_get(page_map_of(f), part.lpn).mask)
			continue; /* there is nothing to pad */
		ftl_count_lookup(f, io);
		if (!page_write_part(f, io, io, part, OP_NONE))
			return;
	}
}

bool page_trim_part(struct ftl *f, struct page_part part)
{
	struct page_entry entry = page_map_get(page_map_of(f), part.lpn);
	bool dies = entry.mask && !(entry.mask & ~part.mask);

	if (dies)
		space_release(f->store->space, entry.ppn);
	entry.mask &= ~part.mask;
	page_map_set(page_map_of(f), part.lpn, entry);
	return dies;
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

void page_prefetch(const struct ftl *f, lpn_t lpn, enum prefetch_stage stage)
{
	ppn_t ppn;

	if (stage == PREFETCH_ENTRY) {
		page_map_prefetch(page_map_of(f), lpn);
		return;
	}
	ppn = page_map_peek(page_map_of(f), lpn);
	if (ppn != PPN_NONE)
		space_prefetch(f->store->space, ppn);
}

#define PAGE_CHECK_AHEAD 40u /* entries to prefetch ahead: owners are scattered in memory */

uint64_t page_check_map(const struct ftl *f)
{
	const struct page_map *map = page_map_of(f);
	uint64_t mapped = 0;

	page_map_check(map);
	for (lpn_t lpn = 0; lpn < map->lpns; lpn++) {
		struct page_entry entry = page_map_get(map, lpn);
		ppn_t ahead = map->lpns - lpn > PAGE_CHECK_AHEAD ? page_map_peek(map, lpn + PAGE_CHECK_AHEAD)
								 : PPN_NONE;

		if (ahead != PPN_NONE)
			flash_prefetch_owner(f->flash, ahead);
		BUG_ON(entry.mask && flash_owner(f->flash, entry.ppn) != lpn,
			"LPN %u is mapped to page %u of LPN %u", lpn, entry.ppn,
			flash_owner(f->flash, entry.ppn));
		mapped += entry.mask != 0;
	}
	return mapped;
}

void page_check(const struct ftl *f)
{
	uint64_t mapped = page_check_map(f), live = space_live_pages(f->store->space);

	BUG_ON(mapped != live, "%llu LPNs are mapped, %llu pages are live", (unsigned long long)mapped,
		(unsigned long long)live);
}

void page_facts(const struct ftl *f, struct ftl_facts *facts)
{
	facts->map_bytes = page_map_bytes(page_map_of(f));
}

void page_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	struct page_entry entry = page_map_get(page_map_of(f), lpn);

	if (entry.mask)
		pages_print(f->geometry, entry.ppn, entry.mask, out);
}

static const struct ftl_hints page_hints = { .prefetch = page_prefetch };
static const struct ftl_words page_words = { .print_entry = page_print_entry };

const struct ftl_ops ftl_page = {
	.name = "page",
	.brief = "page mapping with the whole table in DRAM: the baseline \"FTL\" of ICPP'23",
	.size = sizeof(struct page_map),
	.state = page_map_state,
	.map_in_dram = true,
	.init = page_init,
	.exit = page_exit,
	.read = page_read,
	.write = page_write,
	.trim = page_trim,
	.check = page_check,
	.facts = page_facts,
	.pads = true,
	.hints = &page_hints,
	.words = &page_words,
};
