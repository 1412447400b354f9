#include "pagemap/page_map.h"

#include "base/bits.h"
#include "base/memory.h"

bool page_map_fits(const struct geometry *g, struct fault *fault)
{
	uint64_t names = (uint64_t)g->pages + g->logical_pages;

	return names < UINT32_MAX ||
	       fault_set(fault,
		       "flash: %llu physical and logical pages; the page table can address %u: use larger "
		       "pages or fewer blocks",
		       (unsigned long long)names, UINT32_MAX - 1);
}

void page_map_init(struct page_map *m, const struct geometry *g)
{
	m->lpns = g->logical_pages;
	m->pages = g->pages;
	m->full = g->full_page;
	m->entry_bytes = (g->sectors_per_page > 32 ? 3 : 2) * (uint32_t)sizeof(uint32_t);
	m->entry = memory_array(m->lpns, sizeof *m->entry, "page table");
	m->partial = pool_create(m->entry_bytes, "page table");
}

void page_map_release(struct page_map *m)
{
	memory_free(m->entry);
	pool_free(&m->partial);
}

void page_map_set_partial(struct page_map *m, lpn_t lpn, struct page_entry e)
{
	bool partial = e.mask && e.mask != m->full;
	uint32_t *w;

	if (m->entry[lpn] > m->pages && !partial)
		pool_give(&m->partial, m->entry[lpn] - m->pages - 1);
	if (!partial) {
		m->entry[lpn] = e.mask ? e.ppn + 1 : 0;
		return;
	}
	if (m->entry[lpn] <= m->pages)
		m->entry[lpn] = pool_take(&m->partial) + m->pages + 1;
	w = page_map_partial(m, m->entry[lpn]);
	w[0] = e.ppn;
	w[1] = (uint32_t)e.mask;
	if (m->entry_bytes > 8)
		w[2] = (uint32_t)(e.mask >> 32);
}

const struct state_row page_map_state[] = {
	STATE_FIXED(full, pages, lpns, entry_bytes),
	STATE_NUMBERS(struct page_map, entry),
	STATE_POOL(struct page_map, partial, NULL),
	{ 0 },
};

void page_map_check(const struct page_map *m)
{
	uint32_t partial = pool_count_free(&m->partial);

	for (lpn_t lpn = 0; lpn < m->lpns; lpn++)
		partial += m->entry[lpn] > m->pages;
	BUG_ON(partial != m->partial.used, "%u of %u entries of the side table are known", partial,
		m->partial.used);
}
