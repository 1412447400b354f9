#include "pagemap/page_map.h"

#include "base/bits.h"
#include "base/memory.h"

void page_map_init(struct page_map *m, const struct geometry *g)
{
	m->lpns = g->logical_pages;
	m->stride = g->sectors_per_page > 32 ? 3 : 2;
	m->word = memory_array((size_t)m->lpns * m->stride, sizeof *m->word, "page table");
}

void page_map_release(struct page_map *m)
{
	memory_free(m->word);
}

void page_map_regions(struct page_map *m, const struct geometry *g, struct regions *r)
{
	regions_visit(r, m->word, page_map_bytes(m));
	for (lpn_t lpn = 0; lpn < m->lpns; lpn++) {
		struct page_entry entry = page_map_get(m, lpn);

		regions_require(r, entry.ppn < g->pages && !(entry.mask & ~bits_below(g->sectors_per_page)),
			"page table");
	}
}
