/*
 * Parity over the dies of a unit (units.h): the pages of one offset and plane number in all dies are a
 * stripe, one of which holds the parity of the others.  If a die fails, the data of its pages is read from
 * the rest of their stripes; units opened from then on have one die less.
 *
 * To space and collector a unit has only its data pages.  With D dies of P planes: data page k is in stripe
 * k div (D - 1); stripe s is at offset s div P, in plane s mod P of each die; its parity is on die
 * D - 1 - s mod D in striping order, its data on the others in ascending order.
 *
 * Parity is programmed when the last data page of its stripe has been handed out.  It needs no read, since
 * the controller has the data, and no request waits for it.
 */
#ifndef SPACE_PARITY_H
#define SPACE_PARITY_H

#include "base/bits.h"
#include "flash/flash.h"
#include "gc/space/units.h"

enum parity_rebuild { REBUILD_BY_COLLECTION, REBUILD_ALL };

struct parity_settings {
	bool on;
	uint64_t fail_at;  /* a die fails just before this request, counted from 1; 0: none does */
	uint64_t fail_die; /* number in striping order */
	int rebuild;       /* enum parity_rebuild */
};

extern const struct param parity_params[];
extern const struct refusal parity_refusals[];

struct parity_statistics {
	uint64_t programs;      /* parity pages */
	uint64_t rebuilt_pages; /* lost pages rebuilt right after the failure */
	/* Filled in when the statistics are read. */
	uint64_t lost_reads, lost_host_reads, lost_rmw_reads;
	uint64_t flash_reads, flash_forwarded, flash_programs;
};

/* Sizes of a unit with this number of dies. */
struct parity_width {
	uint32_t dies;
	uint32_t pages; /* data pages of a unit */
	struct divisor by_dies, by_data;
};

struct parity {
	const struct parity_settings *settings;
	struct units *units;
	struct flash *flash;
	struct parity_width full, less; /* before and after a die has failed */
	uint64_t requests;              /* that have entered the drive */
	uint32_t dead;                  /* number in striping order of the die that has failed; INDEX_NONE */
	uint32_t *pages; /* per unit: data pages, fewer if the failure ended it early; NULL: no die fails */
	uint64_t *fewer; /* bit per unit: its width is `less`; NULL likewise */
	struct flash_lost lost;
	ppn_t *stripe; /* scratch: the data pages of one */
	struct parity_statistics count;
};

static inline bool parity_is_on(const struct parity_settings *s)
{
	return s->on;
}

/* Gives the units parity, and so fewer data pages.  `order`: placement.order.  False and a fault. */
bool parity_init(struct parity *, const struct parity_settings *, struct units *, struct flash *,
	const char *order, struct fault *);
void parity_release(struct parity *);

/* Has a die failed, so that new units are smaller? */
static inline bool parity_has_failed(const struct parity *p)
{
	return p->dead != INDEX_NONE;
}

/* Data pages of a unit that is opened now. */
static inline uint32_t parity_unit_pages(const struct parity *p)
{
	return parity_has_failed(p) ? p->less.pages : p->full.pages;
}

/* Data pages of a unit. */
static inline uint32_t parity_pages(const struct parity *p, block_t unit)
{
	return p->pages ? p->pages[unit] : p->full.pages;
}

/* Data pages of the unit that are programmed. */
uint32_t parity_programmed(const struct parity *, block_t unit);

/* Was the unit opened before a die failed, so that some of its pages may be lost? */
static inline bool parity_may_be_lost(const struct parity *p, block_t unit)
{
	return parity_has_failed(p) && !bits_get(p->fewer, unit);
}

/* Is the i-th block of a unit on the die that has failed? */
bool parity_is_lost(const struct parity *, uint32_t i);

/* Is it a page of parity, programmed since the erase? */
bool parity_is_parity(const struct parity *, ppn_t);

/* `pages` data pages of the unit have been handed out, the last one just now: programs the parity of its
 * stripe if that is full. */
void parity_handed_out(struct parity *, struct io *, block_t unit, uint32_t pages);

/* Counts a request that enters.  True: the die fails just before it. */
bool parity_fails_now(struct parity *);

/* A failure in three steps.  The die loses its pages.  Each open unit, with `pages` handed out, ends: the
 * parity of a partial last stripe is programmed unless its die has failed.  Each free unit, and later each
 * one that is erased, has one die less from then on. */
void parity_lose_die(struct parity *);
void parity_end_unit(struct parity *, struct io *, block_t unit, uint32_t pages);
void parity_renew_unit(struct parity *, block_t unit);

extern const struct state_row parity_state[];

void parity_statistics(struct parity *, struct stat_list *);

/* Aborts unless the programmed pages of each unit are its data pages and the parity of their stripes. */
void parity_check(const struct parity *);

#endif
