#include "gc/space/parity.h"

#include "base/memory.h"

#include <string.h>

static const char *const parity_rebuild_names[] = { "gc", "all", NULL };

#define PARITY(type, field) PARAM(type, struct parity_settings, field)

#define PARITY_IF_ON "parity.on=true"

const struct param parity_params[] = {
	{ PARITY(BOOL, on), 0, 1, "", "false",
		"one page of each stripe over the dies of a unit holds the parity of the others",
		.switches = true },
	{ PARITY(UINT, fail_at), 0, 1e18, "", "0",
		"just before this request of the run a die fails, the first one being 1; 0 = none does",
		.matters_if = PARITY_IF_ON, .stateless = true },
	{ PARITY(UINT, fail_die), 0, 1e6, "", "0", "which one, counted in placement.order from 0",
		.matters_if = "parity.fail_at!=0", .stateless = true },
	{ PARITY(CHOICE, rebuild), 0, 0, "", "gc",
		"lost pages are made anew when a collection moves them (gc), or all of them at once (all)",
		parity_rebuild_names, .matters_if = "parity.fail_at!=0", .stateless = true },
	{ 0 },
};

#define PARITY_NEEDS "parity needs an FTL such as page, across or dftl"

const struct refusal parity_refusals[] = {
	{ "parity.on", PARITY_IF_ON, "ftl", "@collects_nothing", NEEDS_COLLECTION("parity needs") },
	{ "parity.on", PARITY_IF_ON, "ftl", "@slots", "keeps parts of pages; " PARITY_NEEDS },
	{ "parity.on", PARITY_IF_ON, "ftl", "@sorts_requests",
		"expects pages beside each other; " PARITY_NEEDS },
	{ "parity.on", PARITY_IF_ON, "slc.mode", "slc.mode!=off", "does not go with it; set slc.mode = off" },
	{ "parity.on", PARITY_IF_ON, "flash.program_unit", "flash.program_unit=wordline",
		"does not go with it yet; set flash.program_unit = page" },
	{ "parity.on", PARITY_IF_ON, "placement.policy", "placement.policy!=superblock",
		"fills the planes one by one; set placement.policy = superblock and placement.superblock = "
		"unit" },
	{ "parity.on", PARITY_IF_ON, "placement.superblock", "placement.superblock!=unit",
		"fills the dies one by one; set placement.superblock = unit" },
	{ 0 },
};

/* ---- places ---- */

static const struct parity_width *parity_width_of(const struct parity *p, block_t unit)
{
	return p->fewer && bits_get(p->fewer, unit) ? &p->less : &p->full;
}

/* Place of the parity among the pages of a stripe. */
static uint32_t parity_column(const struct parity_width *w, uint32_t stripe)
{
	return w->dies - 1 - (stripe - divide(stripe, w->by_dies) * w->dies);
}

/* The page of a stripe at a place. */
static ppn_t parity_place(const struct parity *p, block_t unit, uint32_t stripe, uint32_t column)
{
	const struct geometry *g = p->units->device;
	uint32_t offset = divide(stripe, g->per_die), plane = stripe - offset * g->planes_per_die;
	uint32_t die = column + (parity_width_of(p, unit) == &p->less && column >= p->dead);

	return geometry_first_page(g, units_block(p->units, unit, plane * g->dies + die)) + offset;
}

static ppn_t parity_of_stripe(const struct parity *p, block_t unit, uint32_t stripe)
{
	return parity_place(p, unit, stripe, parity_column(parity_width_of(p, unit), stripe));
}

ppn_t units_page_beside_parity(const struct units *u, block_t unit, uint32_t k)
{
	const struct parity *p = u->parity;
	const struct parity_width *w = parity_width_of(p, unit);
	uint32_t stripe = divide(k, w->by_data), column = k - stripe * (w->dies - 1);

	return parity_place(p, unit, stripe, column + (column >= parity_column(w, stripe)));
}

/* The stripe of a page, and the page's place in it. */
static uint32_t parity_stripe_of(const struct parity *p, ppn_t ppn, uint32_t *column)
{
	const struct geometry *g = p->units->device;
	uint32_t i = p->units->position[geometry_plane_of(g, ppn)];

	*column = i % g->dies;
	if (parity_width_of(p, units_unit(p->units, ppn)) == &p->less)
		*column -= *column > p->dead;
	return geometry_page(g, ppn) * g->planes_per_die + i / g->dies;
}

uint32_t units_number_beside_parity(const struct units *u, ppn_t ppn)
{
	const struct parity_width *w = parity_width_of(u->parity, units_unit(u, ppn));
	uint32_t column, stripe = parity_stripe_of(u->parity, ppn, &column);

	return stripe * (w->dies - 1) + column - (column > parity_column(w, stripe));
}

bool parity_is_parity(const struct parity *p, ppn_t ppn)
{
	const struct geometry *g = p->units->device;
	block_t unit = units_unit(p->units, ppn);
	uint32_t column, stripe;

	if (unit == BLOCK_NONE || geometry_page(g, ppn) >= flash_next_page(p->flash, geometry_block(g, ppn)))
		return false;
	stripe = parity_stripe_of(p, ppn, &column);
	return column == parity_column(parity_width_of(p, unit), stripe);
}

bool parity_is_lost(const struct parity *p, uint32_t i)
{
	return parity_has_failed(p) && i % p->units->device->dies == p->dead;
}

static bool parity_is_programmed(const struct parity *p, ppn_t ppn)
{
	const struct geometry *g = p->units->device;

	return geometry_page(g, ppn) < flash_next_page(p->flash, geometry_block(g, ppn));
}

uint32_t parity_programmed(const struct parity *p, block_t unit)
{
	uint32_t pages = 0, most = parity_pages(p, unit);

	while (pages < most && parity_is_programmed(p, units_page(p->units, unit, pages)))
		pages++;
	return pages;
}

/* ---- programs ---- */

/* Programs the parity of the first `pages` data pages of the stripe. */
static void parity_program(struct parity *p, struct io *io, block_t unit, uint32_t stripe, uint32_t pages)
{
	uint32_t first = stripe * (parity_width_of(p, unit)->dies - 1);
	ppn_t ppn = parity_of_stripe(p, unit, stripe);

	flash_program_parity(io, ppn);
	if (p->flash->oracle) {
		for (uint32_t i = 0; i < pages; i++)
			p->stripe[i] = units_page(p->units, unit, first + i);
		oracle_page_parity(p->flash->oracle, ppn, p->stripe, pages);
	}
	p->count.programs += io->timed;
}

void parity_handed_out(struct parity *p, struct io *io, block_t unit, uint32_t pages)
{
	const struct parity_width *w = parity_width_of(p, unit);
	uint32_t stripes = divide(pages, w->by_data);

	if (pages == stripes * (w->dies - 1))
		parity_program(p, io, unit, stripes - 1, w->dies - 1);
}

/* ---- a die fails ---- */

bool parity_fails_now(struct parity *p)
{
	return p->units && ++p->requests == p->settings->fail_at;
}

void parity_lose_die(struct parity *p)
{
	p->dead = (uint32_t)p->settings->fail_die;
	flash_lose_die(p->flash, &p->lost);
}

void parity_end_unit(struct parity *p, struct io *io, block_t unit, uint32_t pages)
{
	uint32_t data = p->full.dies - 1, stripe = pages / data;

	p->pages[unit] = pages;
	if (pages % data && parity_column(&p->full, stripe) != p->dead)
		parity_program(p, io, unit, stripe, pages % data);
}

void parity_renew_unit(struct parity *p, block_t unit)
{
	bits_set(p->fewer, unit);
	p->pages[unit] = p->less.pages;
}

/* The other pages of the stripe.  It may be partial, if it was the last of a unit that the failure ended. */
static uint32_t parity_find_others(const void *parity, ppn_t lost, ppn_t *others)
{
	const struct parity *p = parity;
	block_t unit = units_unit(p->units, lost);
	uint32_t data = parity_width_of(p, unit)->dies - 1, n = 0;
	uint32_t k = units_number(p->units, lost), first = k - k % data;

	for (uint32_t i = first; i < first + data && i < p->pages[unit]; i++)
		if (i != k)
			others[n++] = units_page(p->units, unit, i);
	others[n++] = parity_of_stripe(p, unit, k / data);
	return n;
}

/* ---- set-up ---- */

static struct parity_width parity_width(const struct geometry *g, uint32_t dies)
{
	return (struct parity_width){ dies, (dies - 1) * g->planes_per_die * g->pages_per_block,
		divisor_of(dies), divisor_of(dies - 1) };
}

static void parity_may_lose_die(struct parity *p)
{
	const struct geometry *g = p->units->device;
	uint32_t units = p->units->geometry.blocks;

	p->less = parity_width(g, g->dies - 1);
	p->pages = memory_array(units, sizeof *p->pages, "units");
	p->fewer = memory_array(bits_words(units), sizeof *p->fewer, "units");
	for (uint32_t unit = 0; unit < units; unit++)
		p->pages[unit] = p->full.pages;
	p->lost = (struct flash_lost){ .die = p->units->plane[p->settings->fail_die] / g->planes_per_die,
		.find = parity_find_others,
		.parity = p,
		.others = memory_array(g->dies, sizeof *p->lost.others, "stripes") };
}

bool parity_init(struct parity *p, const struct parity_settings *settings, struct units *units,
	struct flash *flash, const char *order, struct fault *fault)
{
	const struct geometry *g = units->device;

	if (order[3] != 'P')
		return fault_set(fault,
			"parity.on needs dies to vary before planes: placement.order = \"%s\" "
			"has to end with P",
			order);
	if (g->dies < 3)
		return fault_set(fault, "parity.on needs 3 dies or more, the drive has %u", g->dies);
	if (settings->fail_at && settings->fail_die >= g->dies)
		return fault_set(fault, "parity.fail_die = %llu: the drive has %u dies, the last is %u",
			(unsigned long long)settings->fail_die, g->dies, g->dies - 1);
	*p = (struct parity){ .settings = settings,
		.units = units,
		.flash = flash,
		.full = parity_width(g, g->dies),
		.dead = INDEX_NONE,
		.stripe = memory_array(g->dies, sizeof *p->stripe, "stripes") };
	units->parity = p;
	units->geometry.pages_per_block = p->full.pages;
	geometry_count(&units->geometry);
	flash->by_controller = true;
	if (flash->oracle)
		oracle_have_stripes(flash->oracle, g->pages / g->dies);
	if (settings->fail_at)
		parity_may_lose_die(p);
	return true;
}

void parity_release(struct parity *p)
{
	memory_free(p->pages);
	memory_free(p->fewer);
	memory_free(p->lost.others);
	memory_free(p->stripe);
}

/* ---- statistics ---- */

#define COUNT(name) STAT_COUNT, offsetof(struct parity_statistics, name)

static const struct stat_row parity_rows[] = {
	{ "parity.programs", "pages", "of parity programmed", COUNT(programs) },
	{ "parity.lost_reads", "pages", "on the die that failed, read from the rest of their stripes",
		COUNT(lost_reads) },
	{ "parity.lost_host_reads", "pages", "of these for reads of the host", COUNT(lost_host_reads) },
	{ "parity.lost_rmw_reads", "pages", "of these for data that a write keeps", COUNT(lost_rmw_reads) },
	{ "parity.rebuilt_pages", "pages", "lost with the die and made anew at once", COUNT(rebuilt_pages) },
	{ "flash.read.parity", "pages", "other pages of stripes, in place of lost ones", COUNT(flash_reads) },
	{ "flash.read.forwarded.parity", "pages", "", COUNT(flash_forwarded) },
	{ "flash.program.parity", "pages", "of parity, and rebuilt", COUNT(flash_programs) },
	{ 0 },
};

static void parity_start(void *parity)
{
	struct parity *p = parity;

	memset(p->lost.reads, 0, sizeof p->lost.reads);
}

static void parity_gather(void *parity)
{
	struct parity *p = parity;
	const struct flash *f = p->flash;

	p->count.lost_reads = 0;
	for (int cause = 0; cause < CAUSES; cause++)
		p->count.lost_reads += p->lost.reads[cause];
	p->count.lost_host_reads = p->lost.reads[CAUSE_HOST];
	p->count.lost_rmw_reads = p->lost.reads[CAUSE_RMW];
	p->count.flash_reads = f->count[OP_READ][CAUSE_PARITY];
	p->count.flash_forwarded = f->forwarded[CAUSE_PARITY];
	p->count.flash_programs = f->count[OP_PROGRAM][CAUSE_PARITY];
}

void parity_statistics(struct parity *p, struct stat_list *list)
{
	if (p->units)
		stat_list_add(list, (struct stat_group){ "parity over dies", NULL, parity_rows, &p->count,
					    sizeof p->count, p, parity_start, parity_gather });
}

/* ---- state ---- */

static const struct state_row parity_lost_state[] = {
	STATE_FIXED(die, find, parity, others),
	STATE_NUMBER(struct flash_lost, reads),
	{ 0 },
};

/* `dead` is the die that the settings name, or none. */
static bool parity_restored(void *parity)
{
	struct parity *p = parity;

	if (!parity_has_failed(p))
		return true;
	if (!p->pages || p->dead != p->settings->fail_die)
		return false;
	for (block_t unit = 0; unit < p->units->geometry.blocks; unit++)
		if (p->pages[unit] > parity_width_of(p, unit)->pages)
			return false;
	p->flash->lost = &p->lost;
	return true;
}

const struct state_row parity_state[] = {
	STATE_FIXED(settings, units, flash, full, less),
	STATE_SCRATCH(stripe),
	STATE_COUNTED(count),
	STATE_OF_RUN,
	STATE_NUMBER(struct parity, requests),
	STATE_INDEX(struct parity, dead, GEOMETRY(dies)),
	STATE_NUMBERS(struct parity, pages),
	STATE_NUMBERS(struct parity, fewer),
	STATE_STRUCT(struct parity, lost, parity_lost_state),
	STATE_RESTORED(parity_restored),
	{ 0 },
};

/* ---- check ---- */

static void parity_count_page(const struct parity *p, uint32_t *count, ppn_t ppn)
{
	count[p->units->position[geometry_plane_of(p->units->device, ppn)]]++;
}

static void parity_check_unit(const struct parity *p, block_t unit, uint32_t *count)
{
	const struct geometry *g = p->units->device;
	const struct parity_width *w = parity_width_of(p, unit);
	uint32_t pages = parity_programmed(p, unit), stripe = pages / (w->dies - 1);

	memset(count, 0, g->planes * sizeof *count);
	for (uint32_t k = 0; k < pages; k++)
		parity_count_page(p, count, units_page(p->units, unit, k));
	for (uint32_t s = 0; s < stripe; s++)
		parity_count_page(p, count, parity_of_stripe(p, unit, s));
	/* a partial stripe that the failure ended */
	if (pages % (w->dies - 1) && w == &p->full && parity_has_failed(p) &&
		parity_column(w, stripe) != p->dead)
		parity_count_page(p, count, parity_of_stripe(p, unit, stripe));
	for (uint32_t i = 0; i < g->planes; i++) {
		block_t b = units_block(p->units, unit, i);

		BUG_ON(flash_next_page(p->flash, b) != count[i] && !(w == &p->less && parity_is_lost(p, i)),
			"block %u of unit %u has %u pages programmed, its data and parity fill %u", b, unit,
			flash_next_page(p->flash, b), count[i]);
	}
}

void parity_check(const struct parity *p)
{
	uint32_t *count = memory_array(p->units->device->planes, sizeof *count, "units");

	for (block_t unit = 0; unit < p->units->geometry.blocks; unit++)
		parity_check_unit(p, unit, count);
	memory_free(count);
	BUG_ON(p->flash->count[OP_PROGRAM][CAUSE_PARITY] != p->count.programs + p->count.rebuilt_pages,
		"the medium counts %llu programs of parity, here are %llu and %llu rebuilt",
		(unsigned long long)p->flash->count[OP_PROGRAM][CAUSE_PARITY],
		(unsigned long long)p->count.programs, (unsigned long long)p->count.rebuilt_pages);
}
