/*
 * Units (units.h) whose pages form stripes over the dies: the pages of one offset and plane number in all
 * dies are a stripe, one of which holds the parity of the others.  If a die fails, the data of its pages is
 * read from the rest of their stripes; units opened from then on have one die less.
 *
 * To space and collector a unit has only its data pages.  With D dies of P planes: data page k is in stripe
 * k div (D - 1); stripe s is at offset s div P, in plane s mod P of each die; its parity is on die
 * D - 1 - s mod D in striping order, its data on the others in ascending order.
 *
 * Parity is programmed when the last data page of its stripe has been handed out.  It needs no read, since
 * the controller has the data, and no request waits for it.
 */
#ifndef SPACE_STRIPES_H
#define SPACE_STRIPES_H

#include "gc/space/units.h"

/* Sizes of a unit with this number of dies. */
struct stripes_width {
	uint32_t dies;
	uint32_t pages; /* data pages of a unit */
	struct divisor by_dies, by_data;
};

struct stripes {
	struct layout layout; /* of the units, less the pages of parity */
	const struct units *units;
	struct flash *flash;
	struct stripes_width full, less; /* before and after a die has failed */
	uint32_t fails;                  /* number in striping order of the die that may fail */
	uint32_t dead;                   /* the same once it has; INDEX_NONE */
	uint32_t *pages; /* per unit: data pages, fewer if the failure ended it early; NULL: no die fails */
	uint64_t *fewer; /* bit per unit: its width is `less`; NULL likewise */
	struct flash_lost lost;
	ppn_t *stripe;      /* scratch: the data pages of one */
	uint64_t *programs; /* where parity pages are counted */
};

/* Stripes of these units; `programs` is where parity pages are counted.  For a failure call
 * stripes_prepare_for_loss() with the die's number in striping order. */
void stripes_init(struct stripes *, const struct units *, struct flash *, uint64_t *programs);
void stripes_prepare_for_loss(struct stripes *, uint32_t die);
void stripes_release(struct stripes *);

static inline bool stripes_have_lost_die(const struct stripes *s)
{
	return s->dead != INDEX_NONE;
}

/* Data pages of a unit. */
static inline uint32_t stripes_pages(const struct stripes *s, block_t unit)
{
	return s->pages ? s->pages[unit] : s->full.pages;
}

/* Was the unit opened before a die failed, so that some of its pages may be lost? */
static inline bool stripes_may_be_lost(const struct stripes *s, block_t unit)
{
	return s->dead != INDEX_NONE && !bits_get(s->fewer, unit);
}

/* The die fails: its pages are lost.  Then each open unit must be ended, with `pages` handed out, and each
 * free one be told to the layout as freed. */
void stripes_lose_die(struct stripes *);
void stripes_end_unit(struct stripes *, struct io *, block_t unit, uint32_t pages);

/* `dead` and what the failure changed; for a loaded drive the medium is told. */
extern const struct state_row stripes_state[];

#endif
