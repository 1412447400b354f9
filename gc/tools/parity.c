/*
 * Parity over the dies of a unit (gc/space/stripes.h), and a die that fails: open units end, units opened
 * from then on are smaller, and lost pages are rebuilt by collection or all at once.
 */
#include "gc/space/stripes.h"
#include "gc/tools/tool.h"

#include <math.h>
#include <string.h>

enum parity_rebuild { REBUILD_BY_COLLECTION, REBUILD_ALL };

struct parity_settings {
	bool on;
	uint64_t fail_at;  /* a die fails just before this request, counted from 1; 0: none does */
	uint64_t fail_die; /* number in striping order */
	int rebuild;       /* enum parity_rebuild */
};

struct parity_statistics {
	uint64_t programs;      /* parity pages */
	uint64_t rebuilt_pages; /* lost pages rebuilt right after the failure */
	/* Filled in when the statistics are read. */
	uint64_t lost_reads, lost_host_reads, lost_rmw_reads;
	uint64_t flash_reads, flash_forwarded, flash_programs;
};

struct parity {
	struct stripes stripes; /* without units there are none, and the drive is refused */
	const struct parity_settings *settings;
	struct space *space;
	struct collector *collector;
	uint64_t requests; /* that have entered the drive */
	struct parity_statistics count;
};

static const char *const parity_rebuild_names[] = { "gc", "all", NULL };

#define PARITY(type, field) PARAM(type, struct parity_settings, field)

static const struct param parity_params[] = {
	{ PARITY(BOOL, on), 0, 1, "", "false",
		"one page of each stripe over the dies of a unit holds the parity of the others",
		.switches = true },
	{ PARITY(UINT, fail_at), 0, 1e18, "", "0",
		"just before this request of the run a die fails, the first one being 1; 0 = none does",
		.matters_if = "parity.on=true", .stateless = true },
	{ PARITY(UINT, fail_die), 0, 1e6, "", "0", "which one, counted in placement.order from 0",
		.matters_if = "parity.fail_at!=0", .stateless = true },
	{ PARITY(CHOICE, rebuild), 0, 0, "", "gc",
		"lost pages are made anew when a collection moves them (gc), or all of them at once (all)",
		parity_rebuild_names, .matters_if = "parity.fail_at!=0", .stateless = true },
	{ 0 },
};

#define PARITY_NEEDS "parity needs an FTL such as page, across or dftl"

static const struct refusal parity_refusals[] = {
	{ "parity.on", NULL, "ftl", "@collects_nothing", NEEDS_COLLECTION("parity needs") },
	{ "parity.on", NULL, "ftl", "@slots", "keeps parts of pages; " PARITY_NEEDS },
	{ "parity.on", NULL, "ftl", "@sorts_requests", "expects pages beside each other; " PARITY_NEEDS },
	{ "parity.on", NULL, "slc.mode", "slc.mode!=off", "does not go with it; set slc.mode = off" },
	{ "parity.on", NULL, "flash.program_unit", "flash.program_unit=wordline",
		"does not go with it yet; set flash.program_unit = page" },
	{ "parity.on", NULL, "placement.policy", "placement.policy!=superblock",
		"fills the planes one by one; set placement.policy = superblock and placement.superblock = "
		"unit" },
	{ "parity.on", NULL, "placement.superblock", "placement.superblock!=unit",
		"fills the dies one by one; set placement.superblock = unit" },
	{ 0 },
};

/* ---- a die fails ---- */

static void parity_end_open_units(struct parity *p, struct io *io)
{
	struct space *s = p->space;

	for (unsigned stream = 0; stream < s->streams; stream++) {
		const struct open_block *open = &s->plane[0].open[stream];

		if (open->block == BLOCK_NONE)
			continue;
		stripes_end_unit(&p->stripes, io, open->block, open->next);
		space_close(s, 0, stream);
	}
}

/* New units are smaller from now on. */
static void parity_resize(struct parity *p)
{
	space_resize(p->space);
	collector_count_pages(p->collector);
}

/* Rebuilds the lost live pages of a unit.  Making room for them may collect the unit itself.  False: there is
 * no room. */
static bool parity_rebuild_unit(struct parity *p, struct io *io, block_t unit)
{
	struct collector *c = p->collector;
	const struct stream *of = space_stream(p->space, unit);
	bool moved = false, room = true;

	for (uint32_t k = 0; stripes_may_be_lost(&p->stripes, unit) && k < stripes_pages(&p->stripes, unit);
		k++) {
		ppn_t from = space_page(p->space, unit, k);

		if (!flash_is_lost(p->stripes.flash, from) ||
			flash_owner(p->stripes.flash, from) == OWNER_NONE)
			continue;
		room = collector_make_room(c, io, 0, of->survivors);
		if (!room)
			break;
		if (!stripes_may_be_lost(&p->stripes, unit) ||
			flash_owner(p->stripes.flash, from) == OWNER_NONE)
			continue;
		collector_move_page(c, io, from, of->survivors, CAUSE_PARITY);
		p->count.rebuilt_pages++;
		moved = true;
	}
	if (moved && !of->map && c->client->emptied) {
		c->collecting = true;
		c->client->emptied(c->ftl, io, unit);
		c->collecting = false;
	}
	return room;
}

static void parity_rebuild(struct parity *p, struct io *io)
{
	for (block_t unit = 0; unit < p->stripes.layout.geometry.blocks; unit++)
		if (!parity_rebuild_unit(p, io, unit))
			return;
}

/* Counts the requests that enter. */
static bool parity_is_due(struct tool *t)
{
	struct parity *p = t->state;

	return ++p->requests == p->settings->fail_at;
}

/* The die fails. */
static void parity_lose_die(struct tool *t, struct io *io)
{
	struct parity *p = t->state;
	struct space *s = p->space;

	collector_finish(p->collector, io, 0); /* its copies need room in the open units, which end now */
	stripes_lose_die(&p->stripes);
	parity_end_open_units(p, io);
	for (block_t unit = 0; unit < s->geometry->blocks; unit++)
		if (s->block[unit].state == BLOCK_FREE)
			s->layout->ops->freed(s->layout, unit);
	parity_resize(p);
	s->plane[0].free_pages = blocks_left(s->blocks, 0) * s->block_pages;
	for (block_t unit = 0; unit < s->geometry->blocks; unit++)
		space_tell(s, unit, BLOCK_CUT);
	if (p->settings->rebuild == REBUILD_ALL)
		parity_rebuild(p, io);
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

	memset(p->stripes.lost.reads, 0, sizeof p->stripes.lost.reads);
}

static void parity_gather(void *parity)
{
	struct parity *p = parity;
	const struct flash *f = p->stripes.flash;

	p->count.lost_reads = 0;
	for (int cause = 0; cause < CAUSES; cause++)
		p->count.lost_reads += p->stripes.lost.reads[cause];
	p->count.lost_host_reads = p->stripes.lost.reads[CAUSE_HOST];
	p->count.lost_rmw_reads = p->stripes.lost.reads[CAUSE_RMW];
	p->count.flash_reads = f->count[OP_READ][CAUSE_PARITY];
	p->count.flash_forwarded = f->forwarded[CAUSE_PARITY];
	p->count.flash_programs = f->count[OP_PROGRAM][CAUSE_PARITY];
}

static void parity_statistics(struct tool *t, struct stat_list *list)
{
	struct parity *p = t->state;

	stat_list_add(list, (struct stat_group){ "parity over dies", NULL, parity_rows, &p->count,
				    sizeof p->count, p, parity_start, parity_gather });
}

/* ---- state ---- */

/* Called after the stripes are loaded. */
static void parity_restored(void *parity)
{
	struct parity *p = parity;

	if (stripes_have_lost_die(&p->stripes))
		parity_resize(p);
}

static const struct state_row parity_state[] = {
	STATE_FIXED(settings, space, collector),
	STATE_COUNTED(count),
	STATE_OF_RUN,
	STATE_NUMBER(struct parity, requests),
	STATE_STRUCT(struct parity, stripes, stripes_state),
	STATE_RESTORED(parity_restored),
	{ 0 },
};

/* ---- the tool ---- */

static bool parity_is_on(const void *settings)
{
	return ((const struct parity_settings *)settings)->on;
}

static bool parity_suits(const struct parity_settings *s, const struct tool_needs *needs, struct fault *fault)
{
	const struct geometry *g = needs->device;

	if (needs->order[3] != 'P')
		return fault_set(fault,
			"parity.on needs dies to vary before planes: placement.order = \"%s\" "
			"has to end with P",
			needs->order);
	if (g->dies < 3)
		return fault_set(fault, "parity.on needs 3 dies or more, the drive has %u", g->dies);
	return !s->fail_at || s->fail_die < g->dies ||
	       fault_set(fault, "parity.fail_die = %llu: the drive has %u dies, the last is %u",
		       (unsigned long long)s->fail_die, g->dies, g->dies - 1);
}

/* A drive without units is refused later. */
static bool parity_claim(struct tool *t, struct tool_needs *needs, struct fault *fault)
{
	struct parity *p = t->state;

	p->settings = t->settings;
	if (!needs->units)
		return true;
	if (!parity_suits(p->settings, needs, fault))
		return false;
	stripes_init(&p->stripes, needs->units, needs->flash, &p->count.programs);
	if (p->settings->fail_at)
		stripes_prepare_for_loss(&p->stripes, (uint32_t)p->settings->fail_die);
	needs->layout = &p->stripes.layout;
	needs->geometry = &p->stripes.layout.geometry;
	return true;
}

/* Do the logical pages fit if each unit has `unit_pages` data pages? */
static bool parity_leaves_room(const struct parity *p, const struct tool_needs *needs, uint32_t unit_pages,
	const char *when, struct fault *fault)
{
	uint32_t kept = needs->reserve + needs->open_blocks + 2, logical = needs->device->logical_pages;
	double data = (double)p->stripes.layout.geometry.blocks * unit_pages, pages = needs->device->pages;
	double needed = logical + needs->map_pages + (double)kept * unit_pages;

	return needed <= data ||
	       fault_set(fault,
		       "parity.on leaves %.0f data pages%s; the host sees %u, and %u units of %u are needed "
		       "to collect garbage: set flash.over_provisioning to %.3f or more",
		       data, when, logical, kept, unit_pages,
		       ceil((1 - (data - needed + logical) / pages) * 1000) / 1000);
}

static bool parity_fits(const struct tool *t, const struct tool_needs *needs, struct fault *fault)
{
	const struct parity *p = t->state;

	return !p->stripes.units ||
	       (parity_leaves_room(p, needs, p->stripes.full.pages, "", fault) &&
		       (!p->settings->fail_at || parity_leaves_room(p, needs, p->stripes.less.pages,
							 " after parity.fail_at", fault)));
}

static void parity_init(struct tool *t)
{
	struct parity *p = t->state;

	p->space = t->space;
	p->collector = t->collector;
}

static void parity_exit(struct tool *t)
{
	stripes_release(&((struct parity *)t->state)->stripes);
}

static void parity_check(const struct tool *t)
{
	const struct parity *p = t->state;
	uint64_t medium = p->stripes.flash->count[OP_PROGRAM][CAUSE_PARITY];

	BUG_ON(medium != p->count.programs + p->count.rebuilt_pages,
		"the medium counts %llu programs of parity, here are %llu and %llu rebuilt",
		(unsigned long long)medium, (unsigned long long)p->count.programs,
		(unsigned long long)p->count.rebuilt_pages);
}

const struct store_tool tool_parity = {
	.name = "parity",
	.params = parity_params,
	.settings_size = sizeof(struct parity_settings),
	.refusals = parity_refusals,
	.size = sizeof(struct parity),
	.state = parity_state,
	.is_on = parity_is_on,
	.claim = parity_claim,
	.fits = parity_fits,
	.init = parity_init,
	.exit = parity_exit,
	.is_due = parity_is_due,
	.act = parity_lose_die,
	.check = parity_check,
	.statistics = parity_statistics,
};
