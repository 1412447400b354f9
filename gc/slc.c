#include "gc/slc.h"

#include "base/memory.h"
#include "flash/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const slc_mode_names[] = { "off", "static", "dynamic", NULL };
static const char *const slc_when_full_names[] = { "direct", "fold", NULL };
static const char *const slc_victim_names[] = { "fifo", "greedy", NULL };

#define SLC(type, field) PARAM(type, struct slc_settings, field)
#define SLC_TIME(field)  #field, PARAM_UINT, offsetof(struct slc_settings, times.field)
#define SLC_IF_ON        .matters_if = "slc.mode!=off"

const struct param slc_params[] = {
	{ SLC(CHOICE, mode), 0, 0, "", "off",
		"cache of blocks that are written in SLC mode: static = the last blocks of each plane, and "
		"nothing else; dynamic = any free blocks",
		slc_mode_names, .switches = true },
	{ SLC(UINT, density), 2, 4, "pages", "3",
		"pages of a normal block for one page in SLC mode; it divides "
		"flash.pages",
		SLC_IF_ON },
	{ SLC(REAL, share), 0, 1, "share", "0.05", "blocks of each plane in SLC mode, at most; at least one",
		SLC_IF_ON },
	{ SLC(UINT, low), 0, 1e9, "blocks", "0",
		"a block is opened in SLC mode only while more blocks of its plane are free; 0 = two and the "
		"reserve more than gc.threshold",
		.matters_if = "slc.mode=dynamic" },
	{ SLC(CHOICE, when_full), 0, 0, "", "direct",
		"what a page of the host does that finds no block in SLC mode: direct = goes to a normal "
		"block; "
		"fold = waits until a block is folded",
		slc_when_full_names, SLC_IF_ON },
	{ SLC(CHOICE, victim), 0, 0, "", "fifo",
		"block that is folded next: fifo = the one closed first; greedy = the one with the fewest "
		"valid "
		"pages",
		slc_victim_names, SLC_IF_ON },
	{ SLC(UINT, idle_ns), 0, 1e18, "ns", "0",
		"blocks are folded when no request has been in the drive for so long; 0 = never", SLC_IF_ON,
		.stateless = true },
	{ SLC(UINT, keep), 0, 1e9, "blocks", "0", "as long as more than so many blocks of a plane are in use",
		.matters_if = "slc.idle_ns!=0", .stateless = true },
	{ SLC_TIME(read_ns), 1, 1e9, "ns", "25000", "time of a read in the cells of a block in SLC mode",
		SLC_IF_ON, .stateless = true },
	{ SLC_TIME(program_ns), 1, 1e9, "ns", "160000", "time of a program there", SLC_IF_ON,
		.stateless = true },
	{ SLC_TIME(erase_ns), 0, 1e9, "ns", "0", "time of an erase there; 0 = flash.erase_ns", SLC_IF_ON,
		.stateless = true },
	{ SLC_TIME(fold_passes), 1, 8, "", "1",
		"programs, one after another, that a folded page takes in a normal block", SLC_IF_ON,
		.stateless = true },
	{ 0 },
};

uint32_t slc_blocks(const struct slc_settings *s, const struct geometry *g)
{
	return (uint32_t)fmax(1, floor(s->share * g->blocks_per_plane));
}

/* A block may be opened while more blocks than this are free. */
static uint32_t slc_low(const struct slc_settings *s, const struct geometry *g, const struct gc_settings *gc,
	uint32_t reserve)
{
	double low_water = ceil(gc->threshold * g->pages_per_plane);

	return s->low ? (uint32_t)s->low : (uint32_t)ceil(low_water / g->pages_per_block) + reserve + 2;
}

bool slc_fits(const struct slc_settings *s, const struct geometry *g, const struct gc_settings *gc,
	uint32_t reserve, uint32_t bad, struct fault *fault)
{
	uint32_t pages = g->pages_per_block, density = (uint32_t)s->density;
	uint32_t fewer = pages / density * density;

	if (pages % density)
		return fault_set(fault, "slc.density = %u does not divide flash.pages = %u: use %u or %u",
			density, pages, fewer ? fewer : density, fewer + density);
	if (s->mode == SLC_STATIC && slc_blocks(s, g) >= g->blocks_per_plane - bad)
		return fault_set(fault, "slc.share = %g leaves no normal block of %u in each plane; use less",
			s->share, g->blocks_per_plane - bad);
	if (s->mode == SLC_DYNAMIC && slc_low(s, g, gc, reserve) <= reserve)
		return fault_set(fault, "slc.low = %u is not more than the reserve of %u blocks; use more",
			slc_low(s, g, gc, reserve), reserve);
	return true;
}

void slc_init(struct slc *c, const struct slc_settings *settings, struct collector *collector,
	unsigned stream, unsigned fold)
{
	struct space *space = collector->space;
	const struct geometry *g = space->geometry;

	*c = (struct slc){ .settings = settings,
		.space = space,
		.collector = collector,
		.stream = stream,
		.fold = fold,
		.most = slc_blocks(settings, g),
		.low = slc_low(settings, g, collector->settings, space->reserve) };
	c->in_use = memory_array(g->planes, sizeof *c->in_use, "SLC cache");
	c->closed = memory_array(g->planes, sizeof *c->closed, "SLC cache");
	c->queue = memory_array((size_t)g->planes * c->most, sizeof *c->queue, "SLC cache");
	c->count.first_direct = c->count.first_fold = NAN;
	if (settings->mode == SLC_DYNAMIC)
		collector->slc = c;
}

void slc_release(struct slc *c)
{
	memory_free(c->in_use);
	memory_free(c->closed);
	memory_free(c->queue);
}

static block_t *slc_queue(const struct slc *c, plane_t p)
{
	return c->queue + (size_t)p * c->most;
}

/* ---- taking pages ---- */

static bool slc_may_open(const struct slc *c, plane_t p)
{
	const struct space *s = c->space;

	if (s->pool)
		return blocks_left(s->pool, p) > 0;
	return c->in_use[p] < c->most && blocks_left(s->blocks, p) > c->low;
}

static void slc_open(struct slc *c, plane_t p)
{
	space_open(c->space, p, c->stream);
	c->in_use[p]++;
	c->in_use_in_all++;
	if (c->in_use_in_all > c->count.in_use_most)
		c->count.in_use_most = c->in_use_in_all;
}

static uint64_t slc_written(const struct slc *c)
{
	return c->count.host_pages + c->count.direct_pages;
}

ppn_t slc_take(struct slc *c, struct io *io, plane_t p)
{
	const struct open_block *open = &c->space->plane[p].open[c->stream];
	block_t block;
	ppn_t ppn;

	if (c->collector->collecting)
		return PPN_NONE;
	while (open->block == BLOCK_NONE && !slc_may_open(c, p))
		if (c->settings->when_full != SLC_FOLD || !slc_fold(c, io, p))
			return PPN_NONE;
	if (open->block == BLOCK_NONE)
		slc_open(c, p);
	block = open->block;
	ppn = space_take_slc(c->space, p, c->stream);
	if (open->block == BLOCK_NONE)
		slc_queue(c, p)[c->closed[p]++] = block;
	c->count.host_pages += io->timed;
	return ppn;
}

void slc_count_direct(struct slc *c, const struct io *io)
{
	if (!io->timed)
		return;
	if (isnan(c->count.first_direct))
		c->count.first_direct = (double)slc_written(c);
	c->count.direct_pages++;
}

/* ---- folding ---- */

/* The place in the queue of the block that is folded next. */
static uint32_t slc_next(const struct slc *c, plane_t p)
{
	const block_t *queue = slc_queue(c, p);
	uint32_t best = 0;

	for (uint32_t i = 1; c->settings->victim == SLC_GREEDY && i < c->closed[p]; i++)
		if (c->space->block[queue[i]].valid < c->space->block[queue[best]].valid)
			best = i;
	return best;
}

static void slc_leave(struct slc *c, plane_t p, uint32_t at)
{
	block_t *queue = slc_queue(c, p);

	memmove(queue + at, queue + at + 1, (--c->closed[p] - at) * sizeof *queue);
	c->in_use[p]--;
	c->in_use_in_all--;
}

bool slc_fold(struct slc *c, struct io *io, plane_t p)
{
	struct space *s = c->space;
	uint32_t at;
	block_t b;

	if (!c->closed[p])
		return false;
	collector_finish(c->collector, io, p);
	at = slc_next(c, p);
	b = slc_queue(c, p)[at];
	if (!s->pool && s->block[b].valid > collector_room_for_copies(s, p, c->fold))
		return false;
	if (io->timed && isnan(c->count.first_fold))
		c->count.first_fold = (double)slc_written(c);
	schedule_note(s->flash->schedule, "folded block %u of the cache: %u of %u pages live", b,
		s->block[b].valid, space_slc_pages(s));
	if (!s->pool)
		collector_clear(c->collector, io, b, c->fold, CAUSE_FOLD);
	else if (!collector_fold(c->collector, io, b, c->fold))
		return false;
	slc_leave(c, p, at);
	c->count.folded_blocks += io->timed;
	return true;
}

bool slc_fold_idle(struct slc *c, struct io *io, plane_t p, uint64_t *moved)
{
	uint64_t handed_out = c->space->handed_out;

	if (c->in_use[p] <= c->settings->keep || !slc_fold(c, io, p))
		return false;
	*moved = c->space->handed_out - handed_out;
	c->count.idle_folds++;
	return true;
}

void slc_print(const struct slc *c, FILE *out)
{
	const char *between = "; next to be folded: block ";
	plane_t planes = c->space->geometry->planes;

	fprintf(out, "SLC cache: %" PRIu64 " of %" PRIu64 " blocks in use", c->in_use_in_all,
		(uint64_t)c->most * planes);
	for (plane_t p = 0; p < planes; p++)
		if (c->closed[p]) {
			fprintf(out, "%s%u", between, slc_queue(c, p)[slc_next(c, p)]);
			between = ", ";
		}
}

/* ---- state ---- */

static bool slc_holds(void *slc)
{
	const struct slc *c = slc;
	uint64_t all = 0;

	if (!c->space) /* there is no cache */
		return true;
	for (plane_t p = 0; p < c->space->geometry->planes; p++) {
		all += c->in_use[p];
		if (c->in_use[p] > c->most || c->closed[p] > c->in_use[p])
			return false;
		for (uint32_t i = 0; i < c->closed[p]; i++)
			if (slc_queue(c, p)[i] >= c->space->geometry->blocks)
				return false;
	}
	return all == c->in_use_in_all;
}

const struct state_row slc_state[] = {
	STATE_FIXED(settings, space, collector, stream, fold, most, low),
	STATE_COUNTED(count),
	STATE_NUMBERS(struct slc, in_use),
	STATE_NUMBERS(struct slc, closed),
	STATE_NUMBERS(struct slc, queue),
	STATE_NUMBER(struct slc, in_use_in_all),
	STATE_RESTORED(slc_holds),
	{ 0 },
};

void slc_check(const struct slc *c)
{
	const struct space *s = c->space;
	const struct geometry *g = s->geometry;

	for (plane_t p = 0; p < g->planes; p++) {
		block_t first = p * g->blocks_per_plane;
		uint32_t closed = 0, open = s->plane[p].open[c->stream].block != BLOCK_NONE;

		for (block_t b = first; b < first + g->blocks_per_plane; b++)
			closed += s->block[b].state == BLOCK_CACHED;
		BUG_ON(closed != c->closed[p] || open + closed != c->in_use[p],
			"plane %u has %u closed SLC blocks of %u; the cache knows %u of %u", p, closed,
			open + closed, c->closed[p], c->in_use[p]);
		for (uint32_t i = 0; i < closed; i++)
			BUG_ON(s->block[slc_queue(c, p)[i]].state != BLOCK_CACHED,
				"block %u waits to be folded in state %u", slc_queue(c, p)[i],
				s->block[slc_queue(c, p)[i]].state);
	}
}

/* ---- statistics ---- */

#define COUNT(name)     STAT_COUNT, offsetof(struct slc_statistics, name)
#define REAL(name)      STAT_REAL, offsetof(struct slc_statistics, name)
#define OF_FOLDS(field) STAT_COUNT, offsetof(struct flash, field[CAUSE_FOLD])

static const struct stat_row slc_rows[] = {
	{ "slc.blocks", "blocks", "of the drive that may be in SLC mode at a time", COUNT(blocks) },
	{ "slc.host_pages", "pages", "of the host written to SLC blocks", COUNT(host_pages) },
	{ "slc.direct_pages", "pages", "of the host written to normal blocks", COUNT(direct_pages) },
	{ "slc.folded_blocks", "blocks", "whose live pages were moved to normal blocks",
		COUNT(folded_blocks) },
	{ "slc.idle_folds", "blocks", "of these in idle time", COUNT(idle_folds) },
	{ "slc.died", "pages", "written again or trimmed before they were folded", COUNT(died) },
	{ "slc.in_use", "blocks", "in SLC mode at the end", COUNT(in_use) },
	{ "slc.in_use_max", "blocks", "in SLC mode, at most", COUNT(in_use_most) },
	{ "slc.first_direct", "pages", "of the host written before the first that found no SLC block",
		REAL(first_direct) },
	{ "slc.first_fold", "pages", "of the host written before a block was folded", REAL(first_fold) },
	{ 0 },
};

static const struct stat_row slc_flash_rows[] = {
	{ "flash.read.fold", "pages", "of SLC blocks that were folded", OF_FOLDS(count[OP_READ]) },
	{ "flash.read.forwarded.fold", "pages", "", OF_FOLDS(forwarded) },
	{ "flash.program.fold", "pages", "folded", OF_FOLDS(count[OP_PROGRAM]) },
	{ "flash.copy.fold", "pages", "", OF_FOLDS(count[OP_COPY]) },
	{ "flash.erase.fold", "blocks", "", OF_FOLDS(count[OP_ERASE]) },
	{ 0 },
};

static void slc_start(void *slc)
{
	struct slc *c = slc;

	c->count.in_use_most = c->in_use_in_all;
	c->count.first_direct = c->count.first_fold = NAN;
	c->space->count[c->stream].died = 0;
}

static void slc_gather(void *slc)
{
	struct slc *c = slc;

	c->count.blocks = (uint64_t)c->most * c->space->geometry->planes;
	c->count.in_use = c->in_use_in_all;
	c->count.died = c->space->count[c->stream].died;
}

void slc_statistics(struct slc *c, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ "SLC cache", NULL, slc_rows, &c->count, sizeof c->count, c,
				    slc_start, slc_gather });
	stat_list_add(list, (struct stat_group){ NULL, NULL, slc_flash_rows, c->space->flash });
}
