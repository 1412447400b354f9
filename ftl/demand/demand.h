/*
 * FTLs with the page table in flash and part of it cached in DRAM: what DFTL, S-FTL and related FTLs share.
 * Streams of host data, survivors and mapping pages; the order of a page's read and write; updates by
 * collections; statistics by page and by request.  An FTL of the family is a scheme: what it caches and how.
 *
 * Order of a page's write: look-up (which may evict, write back and so collect), a page for the data,
 * read-modify-write, program, the old page becomes invalid, the entry changes.
 *
 * Outside time nothing is cached: preconditioning leaves every mapping page in flash.
 */
#ifndef FTL_DEMAND_DEMAND_H
#define FTL_DEMAND_DEMAND_H

#include "ftl/page/page.h"
#include "ftl/table.h"

/* The functions that differ. Mapping page p holds the entries of the logical pages from p * per_page on. */
struct demand_scheme {
	uint32_t reserve;  /* free blocks of each plane that only collection may open */
	uint32_t per_page; /* entries of a mapping page; 0: as many as it has room for */
	/* Looks up an entry, never outside time: counts the look-up, and reads and writes mapping pages.
	 * Returns the dependency of operations that use the entry. */
	op_t (*look_up)(struct ftl *, struct io *, lpn_t);
	/* Optional: the host has changed the entry, which was looked up before unless outside time. */
	void (*changed)(struct ftl *, struct io *, lpn_t);
	/* Collection changes the entry. False: it is not cached. */
	bool (*moved)(struct ftl *, lpn_t);
	/* Optional: collection has programmed this mapping page with all its entries. */
	void (*updated)(struct ftl *, uint32_t page);
	bool by_owner; /* collection moves pages in their logical order */
	/* Optional: called first when the live pages of a data victim have moved. */
	void (*emptied)(struct ftl *);
	/* page_prefetch(), or more. */
	void (*prefetch)(const struct ftl *, lpn_t, enum prefetch_stage);
};

struct demand_statistics {
	uint64_t requests, request_hits;
};

/* The first member of the state of an FTL of the family. */
struct demand {
	struct page_map map;
	const struct demand_scheme *scheme;
	struct table table;
	uint32_t per_page; /* entries of a mapping page */
	lpn_t last;        /* last logical page of the request being served */
	struct demand_statistics statistics;
};

static inline struct demand *demand_of(const struct ftl *f)
{
	return (struct demand *)f->state;
}

bool demand_init(struct ftl *, const struct demand_scheme *, struct fault *);

/*
 * For a scheme with a read and a write of its own.  demand_begin() begins a request whose last extent is
 * `last`, and returns a number for demand_end(), which ends it.  Entries are looked up and changed in
 * between.
 */
uint64_t demand_begin(struct ftl *, struct io *, struct extent last);
void demand_end(struct ftl *, const struct io *, uint64_t begun);
op_t demand_look_up(struct ftl *, struct io *, lpn_t);
void demand_change(struct ftl *, struct io *, lpn_t);

/* Operations. */
extern const struct state_row demand_state[];
void demand_exit(struct ftl *);
void demand_read(struct ftl *, struct io *, const struct extent *, size_t n);
void demand_write(struct ftl *, struct io *, const struct extent *, size_t n);
void demand_trim(struct ftl *, struct io *, struct extent);
void demand_place_map(struct ftl *, struct io *);
void demand_check(const struct ftl *);
void demand_facts(const struct ftl *, struct ftl_facts *);
void demand_name_owner(const struct ftl *, owner_t, char *text, size_t bytes);
/* Without the rows of the directory, which the scheme adds after its own. */
void demand_statistics(struct ftl *, struct stat_list *);

/* The operations that all FTLs of the family share. */
#define DEMAND_OPERATIONS                                                                                    \
	.read = demand_read, .write = demand_write, .trim = demand_trim, .place_map = demand_place_map,      \
	.facts = demand_facts

#endif
