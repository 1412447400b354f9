/*
 * FTLs whose page table lies in flash and of which DRAM holds what was asked for: what DFTL, S-FTL and their relatives
 * share.  Streams of host data, survivors and mapping pages; the order of a page's read and write; what collections
 * change; the accounting by page and by request.  An FTL of the family is a scheme: what it keeps in DRAM and how.
 *
 * Order of a page's write: look-up (which may evict, write back and so collect), room for the data, read-modify-write,
 * program, the old page dies, the entry changes.
 *
 * Outside time nothing is cached: preconditioning leaves every mapping page in flash.
 */
#ifndef FTL_DEMAND_DEMAND_H
#define FTL_DEMAND_DEMAND_H

#include "ftl/page/page.h"
#include "ftl/table.h"

/* What differs.  Mapping page p holds the entries of the logical pages from p * per_page on. */
struct demand_scheme {
	uint32_t reserve; /* free blocks of a plane for its collection */
	/* The entry is used soon: page_expect() and more. */
	void (*expect)(const struct ftl *, lpn_t);
	/* Looks an entry up, in time: counts and pays.  Returns what its user must wait for. */
	op_t (*look_up)(struct ftl *, struct io *, lpn_t);
	/* Optional: the host has changed the entry; in time it was looked up before. */
	void (*changed)(struct ftl *, struct io *, lpn_t);
	/* A collection has.  False: it is not in DRAM. */
	bool (*moved)(struct ftl *, lpn_t);
	/* Optional: a collection has programmed this mapping page with all its entries. */
	void (*updated)(struct ftl *, uint32_t page);
};

struct demand_statistics {
	uint64_t requests, request_hits;
};

/* The state of an FTL of the family begins with it. */
struct demand {
	struct page_ftl page;
	const struct demand_scheme *scheme;
	struct table table;
	struct directory *directory; /* the table's */
	uint32_t per_page;
	lpn_t last; /* of the request being served */
	struct demand_statistics statistics;
};

bool demand_init(struct ftl *, const struct demand_scheme *, struct fault *);
void demand_exit(struct ftl *);

/* For the operations of the same names. */
void demand_read(struct ftl *, struct io *, const struct extent *, size_t n);
void demand_write(struct ftl *, struct io *, const struct extent *, size_t n);
void demand_trim(struct ftl *, struct io *, struct extent);
void demand_place_map(struct ftl *, struct io *);
void demand_check(const struct ftl *);
extern const struct state_row demand_state[];
void demand_facts(const struct ftl *, struct ftl_facts *);
void demand_name_owner(const struct ftl *, owner_t, char *text, size_t bytes);
/* Without the directory's, which its user adds. */
void demand_statistics(struct ftl *, struct stat_list *);

#endif
