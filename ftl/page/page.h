/*
 * The operations of the page-mapped baseline, for FTLs that differ from it in a detail.
 * Each works on a state that begins with a struct page_ftl.
 */
#ifndef FTL_PAGE_PAGE_H
#define FTL_PAGE_PAGE_H

#include "ftl/ftl.h"
#include "ftl/pages.h"
#include "ftl/store.h"
#include "pagemap/page_map.h"

struct page_ftl {
	struct store *store;
	struct page_map map;
};

/* A store of this plan and a table, which page_exit() frees.  False and a fault: they do not fit the
 * drive. */
bool page_create(struct ftl *, const struct store_plan *, struct fault *);
extern const struct state_row page_state[];

bool page_init(struct ftl *, struct fault *);
void page_exit(struct ftl *);
/* The one page of a request; operations wait for `ready`, a look-up counted by the caller. */
void page_read_part(struct ftl *, struct io *, struct page_part, op_t ready);
void page_trim_part(struct ftl *, struct page_part);

void page_read(struct ftl *, struct io *, const struct extent *, size_t n);
void page_write(struct ftl *, struct io *, const struct extent *, size_t n);
void page_trim(struct ftl *, struct io *, struct extent);
void page_expect(const struct ftl *, lpn_t);
void page_expect_next(const struct ftl *, lpn_t);
void page_check(const struct ftl *);
void page_facts(const struct ftl *, struct ftl_facts *);
void page_statistics(struct ftl *, struct stat_list *);
void page_print_entry(const struct ftl *, lpn_t, FILE *);

/* Writes one page, with an empty mask what it holds; `housekeeping` pays for collection and for reading what
 * must be kept (normally the same as `io`).  False: the drive is full. */
bool page_write_part(struct ftl *, struct io *, struct io *housekeeping, struct page_part, op_t ready);

/* Aborts if the table and the owners of pages disagree.  Returns how many logical pages are mapped. */
uint64_t page_check_map(const struct ftl *);

#endif
