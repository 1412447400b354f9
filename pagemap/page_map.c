#include "pagemap/page_map.h"

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
