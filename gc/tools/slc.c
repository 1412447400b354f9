/*
 * An SLC cache: pages of the host are written to blocks in SLC mode first, which are faster and hold fewer
 * pages, and moved to normal blocks later (folded).
 *
 * static   the last blocks of each plane are SLC blocks and nothing else
 * dynamic  any free block may become one while enough blocks are free; when a plane is low, an SLC block is
 *          folded before anything is collected
 *
 * An SLC block has flash.pages / slc.density pages and closes with the last of them.  Folding moves its live
 * pages into the stream `fold`, in page order (dynamic: as in a collection), and erases it.  The block that
 * closed first is folded next or, with slc.victim = greedy, the one with the fewest live pages.  SLC blocks
 * are no candidates of collection.
 */
#include "gc/tools/tool.h"

#include "base/memory.h"
#include "flash/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum slc_mode { SLC_OFF, SLC_STATIC, SLC_DYNAMIC };
enum slc_when_full { SLC_DIRECT, SLC_FOLD };
enum slc_victim { SLC_FIFO, SLC_GREEDY };

struct slc_settings {
	int mode, when_full, victim;
	uint64_t density; /* pages of a normal block for one SLC page */
	double share;     /* of the blocks of each plane */
	uint64_t low; /* dynamic: one is opened only while more blocks of its plane are free; 0: derived */
	uint64_t idle_ns, keep;
	struct slc_times times;
};

struct slc_statistics {
	uint64_t host_pages, direct_pages, folded_blocks, idle_folds, died;
	uint64_t in_use, in_use_most, blocks;
	double first_direct, first_fold; /* host pages written before the first; NaN: none yet */
};

struct slc {
	const struct slc_settings *settings;
	struct space *space;
	struct collector *collector;
	unsigned stream, fold; /* the streams of SLC blocks and of folded pages */
	uint32_t most;         /* SLC blocks of a plane */
	uint32_t low;
	uint32_t *in_use; /* per plane: SLC blocks */
	uint32_t *closed; /* per plane: of these, how many are in `queue` */
	block_t *queue;   /* per plane, with room for `most`: closed blocks, in the order of closing */
	uint64_t in_use_in_all;
	struct slc_statistics count;
};

static const char *const slc_mode_names[] = { "off", "static", "dynamic", NULL };
static const char *const slc_when_full_names[] = { "direct", "fold", NULL };
static const char *const slc_victim_names[] = { "fifo", "greedy", NULL };

#define SLC(type, field) PARAM(type, struct slc_settings, field)
#define SLC_TIME(field)  #field, PARAM_UINT, offsetof(struct slc_settings, times.field)
#define SLC_IF_ON        .matters_if = "slc.mode!=off"

static const struct param slc_params[] = {
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

/* Most SLC blocks that a plane may have at a time. */
static uint32_t slc_blocks(const struct slc_settings *s, const struct geometry *g)
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

static bool slc_fits(const struct slc_settings *s, const struct geometry *g, const struct gc_settings *gc,
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

static bool slc_is_on(const void *settings)
{
	return ((const struct slc_settings *)settings)->mode != SLC_OFF;
}

static void slc_wants(const void *settings, struct tool_wants *wants)
{
	wants->slc = ((const struct slc_settings *)settings)->times;
}

/* Folded pages have a stream of their own, unless moved and written pages share blocks. */
static void slc_add_streams(struct slc *c, struct tool_needs *needs)
{
	struct stream *streams = needs->streams;

	c->stream = needs->count++;
	c->fold = STREAM_HOST;
	if (needs->gc->separate) {
		c->fold = needs->count++;
		streams[c->fold] = (struct stream){ "fold", .survivors = streams[STREAM_HOST].survivors };
	}
	streams[c->stream] = (struct stream){ "slc", .survivors = (uint8_t)c->fold, .apart = true,
		.pages = needs->geometry->pages_per_block / (uint32_t)c->settings->density };
}

static bool slc_claim(struct tool *t, struct tool_needs *needs, struct fault *fault)
{
	const struct geometry *g = needs->geometry;
	uint64_t bits = needs->flash->settings->cell_bits;
	struct slc *c = t->state;

	c->settings = t->settings;
	if (bits > 1 && bits != c->settings->density)
		return fault_set(fault,
			"slc.density = %u: flash.cell_bits = %u makes wordlines of another size; an SLC "
			"block has one page for each: set both alike",
			(unsigned)c->settings->density, (unsigned)bits);
	if (!slc_fits(c->settings, g, needs->gc, needs->reserve, needs->bad->most, fault))
		return false;
	c->most = slc_blocks(c->settings, g);
	c->low = slc_low(c->settings, g, needs->gc, needs->reserve);
	slc_add_streams(c, needs);
	needs->open_blocks++;
	needs->pool_blocks += c->settings->mode == SLC_STATIC ? c->most : 0;
	return true;
}

static void slc_init(struct tool *t)
{
	struct space *s = t->space;
	plane_t planes = s->geometry->planes;
	struct slc *c = t->state;

	c->space = s;
	c->collector = t->collector;
	c->in_use = memory_array(planes, sizeof *c->in_use, "SLC cache");
	c->closed = memory_array(planes, sizeof *c->closed, "SLC cache");
	c->queue = memory_array((size_t)planes * c->most, sizeof *c->queue, "SLC cache");
	c->count.first_direct = c->count.first_fold = NAN;
	if (c->settings->mode != SLC_STATIC)
		return;
	s->pool = blocks_create(s->flash, s->blocks->order, NULL, s->blocks->bad);
	blocks_limit_to_last(s->pool, c->most);
}

static void slc_exit(struct tool *t)
{
	struct slc *c = t->state;

	memory_free(c->in_use);
	memory_free(c->closed);
	memory_free(c->queue);
}

/* A block is in the mode of the stream that opens it. */
static void slc_hear(struct tool *t, block_t b, enum block_event event)
{
	const struct slc *c = t->state;

	if (event == BLOCK_OPENED)
		flash_set_slc(t->space->flash, b, t->space->block[b].stream == c->stream);
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

/* Moves the live pages one by one, making room for each. */
static bool slc_fold_pages(struct slc *cache, struct io *io, block_t b)
{
	struct collector *c = cache->collector;
	struct space *s = c->space;
	plane_t plane = geometry_plane(s->geometry, b);

	for (uint32_t k = 0; k < s->stream[cache->stream].pages; k++) {
		ppn_t from = space_page(s, b, k);

		if (flash_owner(c->flash, from) == OWNER_NONE)
			continue;
		if (!collector_make_room(c, io, plane, cache->fold))
			return false;
		collector_move_page(c, io, from, cache->fold, CAUSE_FOLD);
	}
	return true;
}

/* False: there was no room, and some pages are still in the block. */
static bool slc_fold_static(struct slc *cache, struct io *io, block_t b)
{
	struct collector *c = cache->collector;
	bool whole = slc_fold_pages(cache, io, b);

	c->collecting = true;
	if (c->client->emptied)
		c->client->emptied(c->ftl, io, b);
	if (whole)
		space_erase(c->space, io, b, CAUSE_FOLD);
	c->collecting = false;
	return whole;
}

/* Folds a block of the plane.  False: none is closed, or its live pages find no room. */
static bool slc_fold(struct slc *c, struct io *io, plane_t p)
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
		s->block[b].valid, s->stream[c->stream].pages);
	if (!s->pool)
		collector_clear(c->collector, io, b, c->fold, CAUSE_FOLD);
	else if (!slc_fold_static(c, io, b))
		return false;
	slc_leave(c, p, at);
	c->count.folded_blocks += io->timed;
	return true;
}

static ppn_t slc_take(struct tool *t, struct io *io, plane_t p)
{
	struct slc *c = t->state;
	const struct open_block *open = &c->space->plane[p].open[c->stream];
	block_t block;
	ppn_t ppn;

	if (!io->cached || c->collector->collecting)
		return PPN_NONE;
	while (open->block == BLOCK_NONE && !slc_may_open(c, p))
		if (c->settings->when_full != SLC_FOLD || !slc_fold(c, io, p))
			return PPN_NONE;
	if (open->block == BLOCK_NONE)
		slc_open(c, p);
	block = open->block;
	ppn = space_take_apart(c->space, p, c->stream);
	if (open->block == BLOCK_NONE)
		slc_queue(c, p)[c->closed[p]++] = block;
	c->count.host_pages += io->timed;
	return ppn;
}

/* Counts a page that went to a normal block. */
static void slc_placed(struct tool *t, const struct io *io, unsigned stream, bool own)
{
	struct slc *c = t->state;

	(void)stream;
	if (own || !io->cached || !io->timed)
		return;
	if (isnan(c->count.first_direct))
		c->count.first_direct = (double)slc_written(c);
	c->count.direct_pages++;
}

static bool slc_make_room(struct tool *t, struct io *io, plane_t p)
{
	struct slc *c = t->state;

	return c->settings->mode == SLC_DYNAMIC && slc_fold(c, io, p);
}

static uint64_t slc_wait(const void *settings)
{
	return ((const struct slc_settings *)settings)->idle_ns;
}

static bool slc_fold_idle(struct tool *t, struct io *io, plane_t p, uint32_t pages, uint64_t *moved)
{
	struct slc *c = t->state;
	uint64_t handed_out = c->space->handed_out;

	(void)pages;
	if (c->in_use[p] <= c->settings->keep || !slc_fold(c, io, p))
		return false;
	*moved = c->space->handed_out - handed_out;
	c->count.idle_folds++;
	return true;
}

static void slc_print(const struct tool *t, FILE *out)
{
	const struct slc *c = t->state;
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

static const struct state_row slc_state[] = {
	STATE_FIXED(settings, space, collector, stream, fold, most, low),
	STATE_COUNTED(count),
	STATE_NUMBERS(struct slc, in_use),
	STATE_NUMBERS(struct slc, closed),
	STATE_NUMBERS(struct slc, queue),
	STATE_NUMBER(struct slc, in_use_in_all),
	{ 0 },
};

static void slc_check(const struct tool *t)
{
	const struct slc *c = t->state;
	const struct space *s = c->space;
	const struct geometry *g = s->geometry;
	uint64_t in_use = 0;

	for (plane_t p = 0; p < g->planes; p++) {
		block_t first = p * g->blocks_per_plane;
		uint32_t closed = 0, open = s->plane[p].open[c->stream].block != BLOCK_NONE;

		for (block_t b = first; b < first + g->blocks_per_plane; b++)
			closed += s->block[b].state == BLOCK_CACHED;
		in_use += c->in_use[p];
		BUG_ON(closed != c->closed[p] || open + closed != c->in_use[p],
			"plane %u has %u closed SLC blocks of %u; the cache knows %u of %u", p, closed,
			open + closed, c->closed[p], c->in_use[p]);
		for (uint32_t i = 0; i < closed; i++)
			BUG_ON(s->block[slc_queue(c, p)[i]].state != BLOCK_CACHED,
				"block %u waits to be folded in state %u", slc_queue(c, p)[i],
				s->block[slc_queue(c, p)[i]].state);
	}
	BUG_ON(in_use != c->in_use_in_all, "%" PRIu64 " SLC blocks are in use, %" PRIu64 " are counted",
		in_use, c->in_use_in_all);
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

static void slc_statistics(struct tool *t, struct stat_list *list)
{
	struct slc *c = t->state;

	stat_list_add(list, (struct stat_group){ "SLC cache", NULL, slc_rows, &c->count, sizeof c->count, c,
				    slc_start, slc_gather });
	stat_list_add(list, (struct stat_group){ NULL, NULL, slc_flash_rows, c->space->flash });
}

static bool slc_tag(const struct tool *t, block_t b, char tag[TOOL_TAG])
{
	const struct slc *c = t->state;

	if (t->space->block[b].stream != c->stream)
		return false;
	memcpy(tag, "s", 2);
	return true;
}

static const struct refusal slc_refusals[] = {
	{ "slc.mode", NULL, "ftl", "@collects_nothing", NEEDS_COLLECTION("an SLC cache needs") },
	{ "slc.mode", NULL, "ftl", "@slots",
		"keeps parts of pages; an SLC cache needs an FTL such as page, across or dftl" },
	{ "slc.mode", NULL, "placement.superblock", "@units",
		"opens the blocks of all planes together, which are of one mode; set placement.superblock "
		"= drive" },
	{ "slc.mode", NULL, "fdp.isolation", "fdp.isolation=persistently",
		"keeps handles apart, and the cache mixes them; set fdp.isolation = initially" },
	{ "slc.mode", NULL, "ftl", "@divides_data", "decides where data goes; set slc.mode = off" },
	{ 0 },
};

const struct store_tool tool_slc = {
	.name = "slc",
	.params = slc_params,
	.settings_size = sizeof(struct slc_settings),
	.refusals = slc_refusals,
	.size = sizeof(struct slc),
	.state = slc_state,
	.is_on = slc_is_on,
	.wants = slc_wants,
	.claim = slc_claim,
	.init = slc_init,
	.exit = slc_exit,
	.page = slc_take,
	.placed = slc_placed,
	.heard = slc_hear,
	.make_room = slc_make_room,
	.wait = slc_wait,
	.idle = slc_fold_idle,
	.check = slc_check,
	.statistics = slc_statistics,
	.tag = slc_tag,
	.tag_columns = 1,
	.print = slc_print,
};
