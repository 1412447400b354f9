/*
 * Page mapping in DRAM, and its operations for FTLs that differ from it in details.  Their state begins with
 * a struct page_map; all have a store.
 */
#ifndef FTL_PAGE_PAGE_H
#define FTL_PAGE_PAGE_H

#include "ftl/ftl.h"
#include "ftl/pages.h"
#include "ftl/store.h"
#include "pagemap/page_map.h"

static inline struct page_map *page_map_of(const struct ftl *f)
{
	return (struct page_map *)f->state;
}

/* Makes a store of this plan and a table, which page_exit() frees.  False and a fault: they do not fit the
 * drive. */
bool page_create(struct ftl *, const struct store_plan *, struct fault *);

/*
 * The next three functions serve the part of a request in one page; the caller looks its entry up.
 * Operations wait for `ready`, the read of a mapping page, or OP_NONE.
 */

/* False: the part holds no data, nothing is read. */
bool page_read_part(struct ftl *, struct io *, struct page_part, op_t ready);

/* With an empty mask the page is padded: its data is programmed again.  `background` is charged with
 * collection and read-modify-write, normally the same as `io`.  False: the drive is full. */
bool page_write_part(struct ftl *, struct io *, struct io *background, struct page_part, op_t ready);

/* True: no data is left in the page, and it is dead. */
bool page_trim_part(struct ftl *, struct page_part);

/* Changes the entry, which was `old`, to `to`; the old page, if any, dies. */
static inline void page_replace(struct ftl *f, lpn_t lpn, struct page_entry old, struct page_entry to)
{
	if (old.mask)
		space_release(f->store->space, old.ppn);
	page_map_set(page_map_of(f), lpn, to);
}

/* For the collector: it moved a live page. */
void page_relocate(struct ftl *, struct io *, owner_t, ppn_t from, ppn_t to);

/* Operations. */
bool page_init(struct ftl *, struct fault *);
void page_exit(struct ftl *);
void page_read(struct ftl *, struct io *, const struct extent *, size_t n);
void page_write(struct ftl *, struct io *, const struct extent *, size_t n);
void page_trim(struct ftl *, struct io *, struct extent);
void page_check(const struct ftl *);
void page_facts(const struct ftl *, struct ftl_facts *);
void page_print_entry(const struct ftl *, lpn_t, FILE *);
void page_prefetch(const struct ftl *, lpn_t, enum prefetch_stage);

/* Aborts if the table and the owners of pages disagree.  Returns how many logical pages are mapped. */
uint64_t page_check_map(const struct ftl *);

#endif
