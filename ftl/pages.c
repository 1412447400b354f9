#include "ftl/pages.h"

#include "base/bits.h"

void page_walk_meet(struct page_walk *w, struct page_part *part)
{
	sector_t page_end = geometry_page_start(w->geometry, part->lpn + 1);

	part->mask = 0;
	while (geometry_lpn(w->geometry, w->at) == part->lpn) {
		part->mask |= extent_mask(
			(struct extent){ w->at, w->extent->end }, part->lpn, w->geometry->sector_shift);
		if (w->extent->end > page_end) {
			w->at = page_end;
			break;
		}
		if (++w->extent == w->end)
			break;
		w->at = w->extent->start;
	}
}

/* Sets `e` to the next run of sectors of the mask behind e->end, the page's start at first.  False: none. */
static bool pages_next_run(const struct geometry *g, lpn_t lpn, mask_t mask, struct extent *e)
{
	sector_t first = geometry_page_start(g, lpn);
	uint32_t from, end = (uint32_t)(e->end - first);

	if (!bits_next_run(mask, &from, &end))
		return false;
	*e = (struct extent){ first + from, first + end };
	return true;
}

void pages_tell_host(struct io *io, ppn_t ppn, lpn_t lpn, mask_t mask)
{
	struct extent e = { .end = geometry_page_start(io->flash->geometry, lpn) };

	while (pages_next_run(io->flash->geometry, lpn, mask, &e))
		flash_holds_host(io, ppn, e);
}

void pages_tell_kept(struct io *io, ppn_t ppn, ppn_t from, lpn_t lpn, mask_t mask)
{
	struct extent e = { .end = geometry_page_start(io->flash->geometry, lpn) };

	while (pages_next_run(io->flash->geometry, lpn, mask, &e))
		flash_holds_kept(io, ppn, from, e);
}

void pages_tell_answer(struct io *io, ppn_t ppn, lpn_t lpn, mask_t mask)
{
	struct extent e = { .end = geometry_page_start(io->flash->geometry, lpn) };

	while (pages_next_run(io->flash->geometry, lpn, mask, &e))
		flash_answers(io, ppn, e);
}

void pages_tell_dram(struct flash *f, lpn_t lpn, mask_t mask,
	void (*tell)(struct oracle *, enum oracle_holder, struct extent))
{
	struct extent e = { .end = geometry_page_start(f->geometry, lpn) };

	while (f->oracle && pages_next_run(f->geometry, lpn, mask, &e))
		tell(f->oracle, HOLDER_FTL, e);
}

void pages_tell_loaded(struct flash *f, ppn_t from, lpn_t lpn, mask_t mask)
{
	struct extent e = { .end = geometry_page_start(f->geometry, lpn) };

	while (f->oracle && pages_next_run(f->geometry, lpn, mask, &e))
		oracle_dram_keep(f->oracle, HOLDER_FTL, from, e);
}

void pages_tell_stored(struct flash *f, ppn_t to, lpn_t lpn, mask_t mask)
{
	struct extent e = { .end = geometry_page_start(f->geometry, lpn) };

	while (f->oracle && pages_next_run(f->geometry, lpn, mask, &e))
		oracle_page_dram(f->oracle, to, e);
	pages_tell_dram(f, lpn, mask, oracle_dram_drop);
}

void mask_print(mask_t mask, FILE *out)
{
	uint32_t from, end = 0;

	fputs(mask ? "sectors " : "no sectors", out);
	for (const char *between = ""; bits_next_run(mask, &from, &end); between = ", ")
		fprintf(out, "%s%u-%u", between, from, end - 1);
}

void pages_print(const struct geometry *g, ppn_t ppn, mask_t mask, FILE *out)
{
	block_t block = geometry_block(g, ppn);

	fprintf(out, "in %u.%u: ", block, ppn - geometry_first_page(g, block));
	mask_print(mask, out);
}
