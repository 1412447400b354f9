#include "tests/bench/floor.h"

#include "base/list.h"
#include "base/memory.h"

struct floor_drive {
	uint32_t planes, blocks, pages, low_water;
	uint32_t *map, *owner, *valid;
	struct link *link; /* blocks in lists, one per plane and number of valid pages */
	uint32_t *lowest, *open, *at, *free_count, *free_list;
	uint32_t turn;
	uint64_t programs;
};

struct floor_drive *floor_create(uint32_t planes, uint32_t blocks, uint32_t pages, uint32_t lpns)
{
	struct floor_drive *f = memory_array(1, sizeof *f, "floor");
	uint32_t all = planes * blocks, rings = planes * (pages + 1);

	f->planes = planes;
	f->blocks = blocks;
	f->pages = pages;
	f->low_water = blocks / 10;
	f->map = memory_array(lpns, sizeof *f->map, "floor");
	f->owner = memory_array((size_t)all * pages, sizeof *f->owner, "floor");
	f->valid = memory_array(all, sizeof *f->valid, "floor");
	f->link = memory_array((size_t)all + rings, sizeof *f->link, "floor");
	f->lowest = memory_array(planes, sizeof *f->lowest, "floor");
	f->open = memory_array(planes, sizeof *f->open, "floor");
	f->at = memory_array(planes, sizeof *f->at, "floor");
	f->free_count = memory_array(planes, sizeof *f->free_count, "floor");
	f->free_list = memory_array(all, sizeof *f->free_list, "floor");
	for (uint32_t i = 0; i < lpns; i++)
		f->map[i] = INDEX_NONE;
	for (uint32_t i = all; i < all + rings; i++)
		list_init(ARRAY_ELEMENTS(f->link), i);
	for (uint32_t p = 0; p < planes; p++) {
		for (uint32_t b = 0; b < blocks; b++)
			f->free_list[p * blocks + f->free_count[p]++] = p * blocks + blocks - 1 - b;
		f->open[p] = f->free_list[p * blocks + --f->free_count[p]];
	}
	return f;
}

void floor_free(struct floor_drive *f)
{
	memory_free(f->map);
	memory_free(f->owner);
	memory_free(f->valid);
	memory_free(f->link);
	memory_free(f->lowest);
	memory_free(f->open);
	memory_free(f->at);
	memory_free(f->free_count);
	memory_free(f->free_list);
	memory_free(f);
}

static void link_block(struct floor_drive *f, uint32_t plane, uint32_t b)
{
	uint32_t head = f->planes * f->blocks + plane * (f->pages + 1) + f->valid[b];

	list_append(ARRAY_ELEMENTS(f->link), head, b);
	if (f->valid[b] < f->lowest[plane])
		f->lowest[plane] = f->valid[b];
}

static void append(struct floor_drive *f, uint32_t plane, uint32_t lpn)
{
	uint32_t b = f->open[plane], ppn = b * f->pages + f->at[plane]++;

	f->owner[ppn] = lpn;
	f->map[lpn] = ppn;
	f->valid[b]++;
	f->programs++;
	if (f->at[plane] == f->pages) {
		link_block(f, plane, b);
		f->open[plane] = f->free_list[plane * f->blocks + --f->free_count[plane]];
		f->at[plane] = 0;
	}
}

static void collect(struct floor_drive *f, uint32_t plane)
{
	uint32_t heads = f->planes * f->blocks + plane * (f->pages + 1), b;

	while (list_empty(ARRAY_ELEMENTS(f->link), heads + f->lowest[plane]))
		f->lowest[plane]++;
	b = list_next(ARRAY_ELEMENTS(f->link), heads + f->lowest[plane]);
	list_remove(ARRAY_ELEMENTS(f->link), b);
	for (uint32_t page = 0; page < f->pages; page++)
		if (f->owner[b * f->pages + page] != INDEX_NONE)
			append(f, plane, f->owner[b * f->pages + page]);
	f->valid[b] = 0;
	f->free_list[plane * f->blocks + f->free_count[plane]++] = b;
}

void floor_write(struct floor_drive *f, uint32_t lpn)
{
	uint32_t old, plane = f->turn;

	if (++f->turn == f->planes)
		f->turn = 0;
	if (f->free_count[plane] < f->low_water)
		collect(f, plane);
	old = f->map[lpn];
	if (old != INDEX_NONE) {
		uint32_t b = old / f->pages, owner_plane = b / f->blocks;

		f->owner[old] = INDEX_NONE;
		f->valid[b]--;
		if (b != f->open[owner_plane]) {
			list_remove(ARRAY_ELEMENTS(f->link), b);
			link_block(f, owner_plane, b);
		}
	}
	append(f, plane, lpn);
}

uint64_t floor_programs(const struct floor_drive *f)
{
	return f->programs;
}
