/* The invariants of merge-page mapping. */
#include "ftl/mmap/mmap.h"

/* Checks the logical page's list of overlays; returns its length. */
static uint32_t mmap_check_list(const struct mmap_ftl *m, lpn_t lpn)
{
	uint32_t overlays = 0;

	for (uint32_t i = mmap_first_overlay(m, lpn); i != NONE; i = mmap_overlay_at(m, i)->next) {
		BUG_ON(mmap_overlay_at(m, i)->lpn != lpn || !mmap_overlay_at(m, i)->mask ||
				++overlays > OVERLAYS_MOST,
			"the list of overlays of LPN %u is broken", lpn);
	}
	return overlays;
}

/* Each sector of the page must be in one place only. */
static void mmap_check_page(const struct ftl *f, lpn_t lpn)
{
	const struct mmap_ftl *m = f->state;
	struct sources s = mmap_find(m, lpn, ~(mask_t)0);
	struct page_entry base = page_map_get(&m->map, lpn);
	mask_t all = 0;

	BUG_ON(base.mask && flash_owner(f->flash, base.ppn) != lpn, "LPN %u is mapped to page %u of LPN %u",
		lpn, base.ppn, flash_owner(f->flash, base.ppn));
	for (uint32_t i = 0; i < s.count; i++) {
		BUG_ON(all & s.at[i].mask, "LPN %u has a sector in two places", lpn);
		all |= s.at[i].mask;
	}
}

/* Checks the merged page and its list of overlays; returns the length of the list. */
static uint32_t mmap_check_merged_page(const struct ftl *f, uint32_t merged)
{
	const struct mmap_ftl *m = f->state;
	ppn_t page = mmap_page_of(m, merged);
	uint32_t overlays = 0, sectors = 0;

	for (uint32_t i = mmap_merged_at(m, merged)->first; i != NONE; i = mmap_overlay_at(m, i)->beside) {
		const struct overlay *o = mmap_overlay_at(m, i);

		sectors += mask_sectors(o->mask);
		BUG_ON(o->merged != merged || !o->mask || sectors > f->geometry->sectors_per_page,
			"merged page %u has lost an overlay of LPN %u", merged, o->lpn);
		overlays++;
	}
	BUG_ON(page == PPN_NONE || flash_owner(f->flash, page) != mmap_name_of(m, merged),
		"page %u is not merged page %u", page, merged);
	return overlays;
}

void mmap_check(const struct ftl *f)
{
	const struct mmap_ftl *m = f->state;
	uint64_t mapped = 0, pages = 0, overlays = 0, listed = 0;

	page_map_check(&m->map);
	for (lpn_t lpn = 0; lpn < m->map.lpns; lpn++) {
		listed += mmap_check_list(m, lpn);
		mmap_check_page(f, lpn);
		mapped += page_map_get(&m->map, lpn).mask != 0;
		/* Each merged page is counted with its first overlay. */
		for (uint32_t i = mmap_first_overlay(m, lpn); i != NONE; i = mmap_overlay_at(m, i)->next)
			if (mmap_merged_at(m, mmap_overlay_at(m, i)->merged)->first == i) {
				overlays += mmap_check_merged_page(f, mmap_overlay_at(m, i)->merged);
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
