/*
 * Merge-page mapping: declarations shared by its files.  Internal to ftl/mmap/.
 */
#ifndef FTL_MMAP_MMAP_H
#define FTL_MMAP_MMAP_H

#include "base/pool.h"
#include "ftl/page/page.h"

#define OVERLAYS_MOST 16u
#define PARTS_MOST    64u /* parts of a merged page: each has at least a sector */
#define NONE          INDEX_NONE

struct mmap_settings {
	uint64_t overlays;
};

/* Part of a logical page in a merged page. */
struct overlay {
	uint32_t next;   /* next overlay of the same logical page */
	uint32_t beside; /* next overlay in the same merged page */
	lpn_t lpn;
	uint32_t merged; /* index of the merged page */
	mask_t mask;
};

struct merged_page {
	uint32_t first; /* its first overlay */
	uint32_t page;  /* its PPN + 1; 0: this element is free */
};

struct mmap_statistics {
	uint64_t merged_programs, consolidations, overlay_overflows, refused_full, multi_reads;
	uint64_t most_overlays;
	uint64_t overlays, merged_pages; /* computed when the statistics are read */
};

struct mmap_ftl {
	struct page_map map;  /* base pages */
	uint32_t *overlay_of; /* per logical page: its newest overlay + 1; 0 = none */
	struct pool overlay, merged;
	uint32_t overlays, merged_pages, limit; /* in use now; `limit`: most merged pages */
	struct mmap_statistics count;
};

static inline struct overlay *mmap_overlay_at(const struct mmap_ftl *m, uint32_t i)
{
	return (struct overlay *)pool_at(&m->overlay, i);
}

static inline struct merged_page *mmap_merged_at(const struct mmap_ftl *m, uint32_t i)
{
	return (struct merged_page *)pool_at(&m->merged, i);
}

static inline ppn_t mmap_page_of(const struct mmap_ftl *m, uint32_t merged)
{
	return mmap_merged_at(m, merged)->page - 1;
}

static inline uint32_t mmap_first_overlay(const struct mmap_ftl *m, lpn_t lpn)
{
	return m->overlay_of[lpn] - 1;
}

/* The owner number of a merged page; these numbers follow those of the logical pages. */
static inline owner_t mmap_name_of(const struct mmap_ftl *m, uint32_t merged)
{
	return m->map.lpns + merged;
}

/* Pages that hold sectors of a logical page, the base first. */
struct sources {
	struct page_entry at[1 + OVERLAYS_MOST];
	uint32_t count;
};

struct sources mmap_find(const struct mmap_ftl *m, lpn_t lpn, mask_t mask);

/* Aborts if an invariant of lists, counts or owners is broken. */
void mmap_check(const struct ftl *);

#endif
