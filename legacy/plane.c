#include "legacy/engine.h"

static uint64_t *open_blocks(const struct engine *e, uint32_t plane)
{
	return e->open_blocks + (size_t)plane * e->words_per_plane;
}

void legacy_planes_create(struct engine *e)
{
	const struct layout *l = &e->layout;
	size_t blocks = (size_t)l->planes_all * l->blocks;

	e->plane = memory_array(l->planes_all, sizeof *e->plane, "legacy planes");
	e->block = memory_array(blocks, sizeof *e->block, "legacy blocks");
	e->words_per_plane = (uint32_t)bits_words(l->blocks);
	e->open_blocks = memory_array(
		(size_t)l->planes_all * e->words_per_plane, sizeof *e->open_blocks, "legacy blocks");
	legacy_victims_create(&e->victims, l->planes_all, l->blocks);
	for (uint32_t p = 0; p < l->planes_all; p++) {
		e->plane[p].free_pages = l->blocks * l->pages;
		e->plane[p].direct_erase = NONE;
		for (uint32_t b = 0; b < l->blocks; b++)
			bits_set(open_blocks(e, p), b);
	}
	e->spare = records_create(blocks * l->pages, l->sectors, "legacy pages");
}

void legacy_planes_free(struct engine *e)
{
	records_free(&e->spare);
	memory_free(e->victims.entry);
	memory_free(e->open_blocks);
	memory_free(e->block);
	memory_free(e->plane);
}

/* The active block stays as long as it has a free page; then the next open one takes over. */
bool legacy_find_active(struct engine *e, uint32_t plane)
{
	const uint64_t *open = open_blocks(e, plane);
	struct plane *p = &e->plane[plane];
	uint32_t found = bits_next(open, e->words_per_plane, p->active);

	if (found == NONE)
		found = bits_next(open, e->words_per_plane, 0);
	if (found == NONE)
		return false;
	p->active = found;
	return true;
}

uint32_t legacy_first_open_pair(const struct engine *e, uint32_t a, uint32_t b)
{
	const uint64_t *open_a = open_blocks(e, a), *open_b = open_blocks(e, b);

	for (uint32_t w = 0; w < e->words_per_plane; w++)
		if (open_a[w] & open_b[w])
			return w * BITS_WORD + (uint32_t)__builtin_ctzll(open_a[w] & open_b[w]);
	return NONE;
}

/* Uses up the pages of a block below `written`. */
static void set_written(struct engine *e, uint32_t plane, uint32_t block, uint32_t written)
{
	struct block *b = block_at(e, plane, block);

	e->plane[plane].free_pages -= written - b->written;
	b->written = written;
	if (written == e->layout.pages)
		bits_clear(open_blocks(e, plane), block);
	if (written > 64)
		note(e, Q8_PAGE_64);
}

uint32_t legacy_take_pages(struct engine *e, uint32_t plane, uint32_t block, uint32_t n)
{
	uint32_t page = block_at(e, plane, block)->written;

	BUG_ON(page + n > e->layout.pages, "plane %u block %u: no room for %u pages", plane, block, n);
	set_written(e, plane, block, page + n);
	return page;
}

/* Skips the free pages before `page`, so that two planes have the same next page. */
void legacy_skip_pages(struct engine *e, uint32_t plane, uint32_t block, uint32_t page)
{
	uint32_t skipped = page - block_at(e, plane, block)->written;

	set_written(e, plane, block, page);
	legacy_victims_add(&e->victims, plane, block, skipped);
	e->count.wasted += skipped;
}

void legacy_erase(struct engine *e, uint32_t block)
{
	const struct layout *l = &e->layout;
	uint32_t plane = block / l->blocks, index = block % l->blocks;
	bool overcount = quirk_kept(e, Q14_FREE_PAGES_OVERCOUNTED);
	uint32_t used = e->block[block].written;

	e->plane[plane].free_pages += overcount ? l->pages : used;
	e->plane[plane].erases++;
	e->block[block].written = 0;
	bits_set(open_blocks(e, plane), index);
	legacy_victims_clear(&e->victims, plane, index);
	records_clear(&e->spare, block * l->pages, used);
	e->count.erases++;
	e->steps++;
}

/* Pages SSDsim marks used in an aged block: while (float)n < P * ratio + 1. */
static uint32_t aged_pages(const struct engine *e)
{
	float limit = (float)e->layout.pages * e->p->aged_ratio;
	uint32_t n = 0;

	limit = limit + 1.0f;
	while ((float)n < limit)
		n++;
	return n;
}

/* Fills the first blocks of every plane with invalid pages.  Nothing is counted as written. */
void legacy_age(struct engine *e)
{
	const struct layout *l = &e->layout;
	float share = (float)(l->blocks * l->pages);
	uint32_t per_block = aged_pages(e), quota;

	share = share * e->p->aged_ratio;
	quota = (uint32_t)share;
	for (uint32_t p = 0; p < l->planes_all; p++)
		for (uint32_t b = 0, n = 0; n < quota && b < l->blocks; b++, n += per_block) {
			set_written(e, p, b, per_block);
			legacy_victims_add(&e->victims, p, b, per_block);
		}
}
