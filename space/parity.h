/*
 * Parity over the dies of a unit (units.h): the pages of one offset and plane number in all dies are a
 * stripe, one of which holds the parity of the others.  If a die fails, what its pages held is read from the
 * rest of their stripes; units that are opened from then on have a die less.
 *
 * To space and collector a unit has only its data pages.  With D dies: data page k is in stripe
 * k div (D - 1); stripe s is at offset s div planes of a die, in the plane s mod planes of each die; its
 * parity is on die D - 1 - s mod D in striping order, its data on the others in ascending order.
 *
 * Parity is programmed when the last data page of its stripe has been handed out, for nobody: the controller
 * has the data.
 */
#ifndef SPACE_PARITY_H
#define SPACE_PARITY_H

#include "base/bits.h"
#include "flash/flash.h"
#include "space/units.h"

enum parity_rebuild { REBUILD_BY_COLLECTION, REBUILD_ALL };

struct parity_settings {
	bool on;
	uint64_t fail_at;  /* before this request a die fails, counted from 1; 0: none does */
	uint64_t fail_die; /* number in striping order */
	int rebuild;       /* enum parity_rebuild */
};

extern const struct param parity_params[];

struct parity_statistics {
	uint64_t programs;      /* parity pages */
	uint64_t rebuilt_pages; /* lost pages made anew at once */
	/* Filled in when the statistics are read. */
	uint64_t lost_reads, lost_host_reads, lost_rmw_reads;
	uint64_t flash_reads, flash_forwarded, flash_programs;
};

/* Of units with so many dies. */
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
	uint32_t *pages; /* per unit: data pages that it has, or had when it was closed; NULL: no die fails */
	uint64_t *fewer; /* bit per unit: of `less`; NULL likewise */
	struct flash_lost lost;
	ppn_t *stripe; /* room for the data pages of one */
	struct parity_statistics count;
};

static inline bool parity_is_on(const struct parity_settings *s)
{
	return s->on;
}

/* Makes the units have parity and fewer pages.  `order`: of the striping.  False and a fault. */
bool parity_init(struct parity *, const struct parity_settings *, struct units *, struct flash *,
	const char *order, struct fault *);
void parity_release(struct parity *);

/* Is there a die less, so that units are smaller? */
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

/* Was it opened before a die failed, so that pages of it may be lost? */
static inline bool parity_may_be_lost(const struct parity *p, block_t unit)
{
	return parity_has_failed(p) && !bits_get(p->fewer, unit);
}

/* Is the i-th block of a unit on the die that has failed? */
bool parity_is_lost(const struct parity *, uint32_t i);

/* Is it a page of parity, programmed since the erase? */
bool parity_is_parity(const struct parity *, ppn_t);

/* `pages` data pages of the unit have been handed out, the last one just now. */
void parity_handed_out(struct parity *, struct io *, block_t unit, uint32_t pages);

/* A request enters.  True: before it the die fails. */
bool parity_fails_now(struct parity *);

/* The die fails: its pages are lost.  Then each open unit, of so many pages handed out, ends: the parity of
 * its last stripe is programmed if it has a die.  Then each free unit has a die less from now on, as every
 * one that is erased. */
void parity_lose_die(struct parity *);
void parity_end_unit(struct parity *, struct io *, block_t unit, uint32_t pages);
void parity_renew_unit(struct parity *, block_t unit);

extern const struct state_row parity_state[];

void parity_statistics(struct parity *, struct stat_list *);

/* Aborts unless the programmed pages of each unit are its data pages and the parity of their stripes. */
void parity_check(const struct parity *);

#endif
