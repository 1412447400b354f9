#include "gc/space/stripes.h"

#include "base/bits.h"
#include "base/memory.h"

#include <string.h>

static const struct stripes *stripes_of(const struct layout *layout)
{
	return (const struct stripes *)layout;
}

/* ---- places ---- */

static const struct stripes_width *stripes_width_of(const struct stripes *s, block_t unit)
{
	return s->fewer && bits_get(s->fewer, unit) ? &s->less : &s->full;
}

/* Place of the parity among the pages of a stripe. */
static uint32_t stripes_column(const struct stripes_width *w, uint32_t stripe)
{
	return w->dies - 1 - (stripe - divide(stripe, w->by_dies) * w->dies);
}

/* The page of a stripe at a place. */
static ppn_t stripes_place(const struct stripes *s, block_t unit, uint32_t stripe, uint32_t column)
{
	const struct geometry *g = s->layout.device;
	uint32_t offset = divide(stripe, g->per_die), plane = stripe - offset * g->planes_per_die;
	uint32_t die = column + (stripes_width_of(s, unit) == &s->less && column >= s->dead);

	return geometry_first_page(g, units_block(s->units, unit, plane * g->dies + die)) + offset;
}

static ppn_t stripes_parity_of(const struct stripes *s, block_t unit, uint32_t stripe)
{
	return stripes_place(s, unit, stripe, stripes_column(stripes_width_of(s, unit), stripe));
}

static ppn_t stripes_page(const struct layout *layout, block_t unit, uint32_t k)
{
	const struct stripes *s = stripes_of(layout);
	const struct stripes_width *w = stripes_width_of(s, unit);
	uint32_t stripe = divide(k, w->by_data), column = k - stripe * (w->dies - 1);

	return stripes_place(s, unit, stripe, column + (column >= stripes_column(w, stripe)));
}

/* The stripe of a page, and the page's place in it. */
static uint32_t stripes_number_of(const struct stripes *s, ppn_t ppn, uint32_t *column)
{
	const struct geometry *g = s->layout.device;
	uint32_t i = s->units->position[geometry_plane_of(g, ppn)];

	*column = i % g->dies;
	if (stripes_width_of(s, units_unit(s->units, ppn)) == &s->less)
		*column -= *column > s->dead;
	return geometry_page(g, ppn) * g->planes_per_die + i / g->dies;
}

static uint32_t stripes_number(const struct layout *layout, ppn_t ppn)
{
	const struct stripes *s = stripes_of(layout);
	const struct stripes_width *w = stripes_width_of(s, units_unit(s->units, ppn));
	uint32_t column, stripe = stripes_number_of(s, ppn, &column);

	return stripe * (w->dies - 1) + column - (column > stripes_column(w, stripe));
}

static bool stripes_is_parity(const struct layout *layout, ppn_t ppn)
{
	const struct stripes *s = stripes_of(layout);
	const struct geometry *g = s->layout.device;
	block_t unit = units_unit(s->units, ppn);
	uint32_t column, stripe;

	if (unit == BLOCK_NONE || geometry_page(g, ppn) >= flash_next_page(s->flash, geometry_block(g, ppn)))
		return false;
	stripe = stripes_number_of(s, ppn, &column);
	return column == stripes_column(stripes_width_of(s, unit), stripe);
}

static bool stripes_is_lost(const struct layout *layout, uint32_t i)
{
	const struct stripes *s = stripes_of(layout);

	return stripes_have_lost_die(s) && i % s->layout.device->dies == s->dead;
}

static bool stripes_is_programmed(const struct stripes *s, ppn_t ppn)
{
	const struct geometry *g = s->layout.device;

	return geometry_page(g, ppn) < flash_next_page(s->flash, geometry_block(g, ppn));
}

static uint32_t stripes_programmed(const struct layout *layout, block_t unit)
{
	const struct stripes *s = stripes_of(layout);
	uint32_t pages = 0, most = stripes_pages(s, unit);

	while (pages < most && stripes_is_programmed(s, stripes_page(layout, unit, pages)))
		pages++;
	return pages;
}

static uint32_t stripes_pages_of(const struct layout *layout, block_t unit)
{
	return stripes_pages(stripes_of(layout), unit);
}

static block_t stripes_unit_of(const struct layout *layout, ppn_t ppn)
{
	return units_unit(stripes_of(layout)->units, ppn);
}

static block_t stripes_part(const struct layout *layout, block_t unit, uint32_t i)
{
	return units_block(stripes_of(layout)->units, unit, i);
}

/* ---- programs ---- */

/* Programs the parity of the first `pages` data pages of the stripe. */
static void stripes_program(struct stripes *s, struct io *io, block_t unit, uint32_t stripe, uint32_t pages)
{
	uint32_t first = stripe * (stripes_width_of(s, unit)->dies - 1);
	ppn_t ppn = stripes_parity_of(s, unit, stripe);

	flash_program_parity(io, ppn);
	if (s->flash->oracle) {
		for (uint32_t i = 0; i < pages; i++)
			s->stripe[i] = stripes_page(&s->layout, unit, first + i);
		oracle_page_parity(s->flash->oracle, ppn, s->stripe, pages);
	}
	*s->programs += io->timed;
}

static void stripes_handed_out(struct layout *layout, struct io *io, block_t unit, uint32_t pages)
{
	struct stripes *s = (struct stripes *)layout;
	const struct stripes_width *w = stripes_width_of(s, unit);
	uint32_t stripes = divide(pages, w->by_data);

	if (pages == stripes * (w->dies - 1))
		stripes_program(s, io, unit, stripes - 1, w->dies - 1);
}

/* ---- a die fails ---- */

/* The parity of a partial last stripe is programmed, unless its die has failed. */
void stripes_end_unit(struct stripes *s, struct io *io, block_t unit, uint32_t pages)
{
	uint32_t data = s->full.dies - 1, stripe = pages / data;

	s->pages[unit] = pages;
	if (pages % data && stripes_column(&s->full, stripe) != s->dead)
		stripes_program(s, io, unit, stripe, pages % data);
}

/* A unit that is free once a die has failed has one die less. */
static void stripes_freed(struct layout *layout, block_t unit)
{
	struct stripes *s = (struct stripes *)layout;

	if (!stripes_have_lost_die(s))
		return;
	bits_set(s->fewer, unit);
	s->pages[unit] = s->less.pages;
}

/* The other pages of the stripe.  It may be partial, if it was the last of a unit that the failure ended. */
static uint32_t stripes_find_others(const void *stripes, ppn_t lost, ppn_t *others)
{
	const struct stripes *s = stripes;
	block_t unit = units_unit(s->units, lost);
	uint32_t data = stripes_width_of(s, unit)->dies - 1, n = 0;
	uint32_t k = stripes_number(&s->layout, lost), first = k - k % data;

	for (uint32_t i = first; i < first + data && i < s->pages[unit]; i++)
		if (i != k)
			others[n++] = stripes_page(&s->layout, unit, i);
	others[n++] = stripes_parity_of(s, unit, k / data);
	return n;
}

void stripes_lose_die(struct stripes *s)
{
	s->dead = s->fails;
	s->layout.block_pages = s->less.pages;
	flash_lose_die(s->flash, &s->lost);
}

/* ---- check ---- */

static void stripes_count_page(const struct stripes *s, uint32_t *count, ppn_t ppn)
{
	count[s->units->position[geometry_plane_of(s->layout.device, ppn)]]++;
}

static void stripes_check_unit(const struct stripes *s, block_t unit, uint32_t *count)
{
	const struct geometry *g = s->layout.device;
	const struct stripes_width *w = stripes_width_of(s, unit);
	uint32_t pages = stripes_programmed(&s->layout, unit), stripe = pages / (w->dies - 1);

	memset(count, 0, g->planes * sizeof *count);
	for (uint32_t k = 0; k < pages; k++)
		stripes_count_page(s, count, stripes_page(&s->layout, unit, k));
	for (uint32_t i = 0; i < stripe; i++)
		stripes_count_page(s, count, stripes_parity_of(s, unit, i));
	/* a partial stripe that the failure ended */
	if (pages % (w->dies - 1) && w == &s->full && stripes_have_lost_die(s) &&
		stripes_column(w, stripe) != s->dead)
		stripes_count_page(s, count, stripes_parity_of(s, unit, stripe));
	for (uint32_t i = 0; i < g->planes; i++) {
		block_t b = units_block(s->units, unit, i);

		BUG_ON(flash_next_page(s->flash, b) != count[i] &&
				!(w == &s->less && stripes_is_lost(&s->layout, i)),
			"block %u of unit %u has %u pages programmed, its data and parity fill %u", b, unit,
			flash_next_page(s->flash, b), count[i]);
	}
}

/* The programmed pages of each unit are its data pages and the parity of their stripes. */
static void stripes_check(const struct layout *layout)
{
	const struct stripes *s = stripes_of(layout);
	uint32_t *count = memory_array(layout->device->planes, sizeof *count, "units");

	for (block_t unit = 0; unit < layout->geometry.blocks; unit++)
		stripes_check_unit(s, unit, count);
	memory_free(count);
}

/* ---- set-up ---- */

static const struct layout_ops stripes_ops = {
	.page = stripes_page,
	.block_of = stripes_unit_of,
	.number = stripes_number,
	.part = stripes_part,
	.programmed = stripes_programmed,
	.pages = stripes_pages_of,
	.is_lost = stripes_is_lost,
	.handed_out = stripes_handed_out,
	.freed = stripes_freed,
	.is_parity = stripes_is_parity,
	.check = stripes_check,
};

static struct stripes_width stripes_width(const struct geometry *g, uint32_t dies)
{
	return (struct stripes_width){ dies, (dies - 1) * g->planes_per_die * g->pages_per_block,
		divisor_of(dies), divisor_of(dies - 1) };
}

void stripes_init(struct stripes *s, const struct units *units, struct flash *flash, uint64_t *programs)
{
	const struct geometry *g = units->layout.device;

	*s = (struct stripes){ .layout = units->layout,
		.units = units,
		.flash = flash,
		.full = stripes_width(g, g->dies),
		.dead = INDEX_NONE,
		.stripe = memory_array(g->dies, sizeof *s->stripe, "stripes") };
	s->programs = programs;
	s->layout.ops = &stripes_ops;
	s->layout.geometry.pages_per_block = s->layout.block_pages = s->full.pages;
	geometry_count(&s->layout.geometry);
	flash->by_controller = true;
	if (flash->oracle)
		oracle_use_stripes(flash->oracle, g->pages / g->dies);
}

void stripes_prepare_for_loss(struct stripes *s, uint32_t die)
{
	const struct geometry *g = s->layout.device;
	uint32_t units = s->layout.geometry.blocks;

	s->fails = die;
	s->less = stripes_width(g, g->dies - 1);
	s->pages = memory_array(units, sizeof *s->pages, "units");
	s->fewer = memory_array(bits_words(units), sizeof *s->fewer, "units");
	for (uint32_t unit = 0; unit < units; unit++)
		s->pages[unit] = s->full.pages;
	s->lost = (struct flash_lost){ .die = s->units->plane[die] / g->planes_per_die,
		.find = stripes_find_others,
		.parity = s,
		.others = memory_array(g->dies, sizeof *s->lost.others, "stripes") };
}

void stripes_release(struct stripes *s)
{
	memory_free(s->pages);
	memory_free(s->fewer);
	memory_free(s->lost.others);
	memory_free(s->stripe);
}

/* ---- state ---- */

static const struct state_row stripes_lost_state[] = {
	STATE_FIXED(die, find, parity, others),
	STATE_NUMBER(struct flash_lost, reads),
	{ 0 },
};

static void stripes_restored(void *stripes)
{
	struct stripes *s = stripes;

	if (!stripes_have_lost_die(s))
		return;
	s->flash->lost = &s->lost;
	flash_set_watched(s->flash);
	s->layout.block_pages = s->less.pages;
}

const struct state_row stripes_state[] = {
	STATE_FIXED(layout, units, flash, full, less, fails, programs),
	STATE_SCRATCH(stripe),
	STATE_OF_RUN,
	STATE_NUMBER(struct stripes, dead),
	STATE_NUMBERS(struct stripes, pages),
	STATE_NUMBERS(struct stripes, fewer),
	STATE_STRUCT(struct stripes, lost, stripes_lost_state),
	STATE_RESTORED(stripes_restored),
	{ 0 },
};
