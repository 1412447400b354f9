/*
 * S-FTL (Jiang, Zhang, Yuan, Hu, Chen, "S-FTL: an efficient address translation for flash memory by
 * exploiting spatial locality", MSST 2011).
 *
 * DRAM holds whole mapping pages, least recently used first.  Each is held as it is in flash or, where
 * consecutive logical pages are in consecutive places, as a bitmap and the places where runs begin (heads.h):
 * 70 bytes instead of 2048.  Small pages get a second chance before they are evicted; the dirty entries of
 * an evicted page, if they are few, go to a buffer of entries.  docs/sftl.md explains it.
 *
 * Consecutive places are those in which pages are written one after the other: page after page of a block,
 * then of the block with the next number; on several planes page after page of a row of blocks, in striping
 * order.
 */
#include "ftl/demand/demand.h"
#include "ftl/demand/heads.h"
#include "ftl/demand/stack.h"

#include "base/bits.h"
#include "base/memory.h"
#include "flash/schedule.h"

#define SFTL_BUFFERED_BYTES 8u /* of an entry in the buffer: LPN and PPN */
#define SFTL_HEAD_BYTES     4u
#define SFTL_HEADER_BYTES   2u

struct sftl_settings {
	uint64_t bits, buffer_entries;
};

struct sftl_page {
	uint32_t runs;   /* runs of entries that continue each other */
	uint32_t heads;  /* at the last measurement; with one bit, equal to `runs` */
	uint32_t dirty;  /* number of dirty entries; they are in the buffer if the page is not cached */
	uint32_t charge; /* its size in DRAM in bytes */
	bool cached, bitmap;
	bool flagged; /* it has had a second chance since its last use */
};

struct sftl_statistics {
	uint64_t buffer_hits, uncached, evictions, diverted, second_chances[2];
	uint64_t pages, bytes, most_bytes, cache_bytes;
};

struct sftl {
	struct demand demand;
	struct sftl_page *page;
	struct stack stack;
	uint64_t *head;     /* bit per logical page: its entry is a head */
	uint64_t *dirty;    /* bit per logical page */
	struct heads heads; /* scratch, with two bits */
	uint32_t buffered;  /* entries in the buffer */
	/* the mapping page read by the last look-up, if it does not fit in DRAM; else INDEX_NONE */
	uint32_t in_hand;
	uint64_t budget, used;
	struct sftl_statistics statistics;
};

#define SFTL(type, field) PARAM(type, struct sftl_settings, field)

static const struct param sftl_params[] = {
	{ SFTL(UINT, bits), 1, 2, "bits", "1",
		"bits of an entry in a bitmap; with 2, short runs inside long ones do not end them" },
	{ SFTL(UINT, buffer_entries), 0, 1e6, "entries", "50",
		"size of the buffer for the dirty entries of evicted pages that have few of them; 8 bytes "
		"each, part of map.cache_bytes" },
	{ 0 },
};

/* ---- the size of a page ---- */

static uint64_t sftl_buffer_entries(const struct ftl *f)
{
	return ((const struct sftl_settings *)f->settings)->buffer_entries;
}

static bool sftl_two_bits(const struct ftl *f)
{
	return ((const struct sftl_settings *)f->settings)->bits == 2;
}

/* Pages written in sequence have consecutive places. Round robin starts with the second plane. */
static uint32_t sftl_place_of(const struct ftl *f, ppn_t ppn)
{
	const struct placement *p = &f->store->placement;
	const struct geometry *g = f->geometry;
	block_t block = geometry_block(g, ppn);
	plane_t plane = geometry_plane(g, block);
	uint32_t row = block - plane * g->blocks_per_plane, page = ppn - geometry_first_page(g, block);
	uint32_t position = p->position[plane] + (p->policy == PLACE_ROUND_ROBIN ? g->planes - 1 : 0);

	if (f->store->space->layout)
		return space_place(f->store->space, ppn);
	return (row * g->pages_per_block + page) * g->planes + position % g->planes;
}

static uint32_t sftl_offset_of(const struct ftl *f, lpn_t lpn)
{
	const struct sftl *s = f->state;
	struct page_entry e = page_map_get(&s->demand.map, lpn);

	return e.mask ? sftl_place_of(f, e.ppn) - lpn % s->demand.per_page : f->geometry->pages;
}

static lpn_t sftl_end_of(const struct ftl *f, uint32_t page)
{
	uint64_t end = (page + (uint64_t)1) * demand_of(f)->per_page;

	return end < f->geometry->logical_pages ? (lpn_t)end : f->geometry->logical_pages;
}

static bool sftl_begins_run(const struct ftl *f, lpn_t lpn)
{
	return lpn % demand_of(f)->per_page == 0 || sftl_offset_of(f, lpn) != sftl_offset_of(f, lpn - 1);
}

static void sftl_count_run(struct ftl *f, lpn_t lpn)
{
	struct sftl *s = f->state;
	bool head = sftl_begins_run(f, lpn);

	if (head == bits_get(s->head, lpn))
		return;
	(head ? bits_set : bits_clear)(s->head, lpn);
	s->page[lpn / s->demand.per_page].runs += head ? 1 : -1u;
}

/* With two bits: the number of heads of the page. */
static uint32_t sftl_count_heads(struct ftl *f, uint32_t page)
{
	struct sftl *s = f->state;
	size_t words = bits_words(s->demand.per_page);
	uint32_t runs = 0;

	for (size_t w = page * words; w < (page + 1) * words; w++)
		for (uint64_t left = s->head[w]; left; left &= left - 1)
			s->heads.entry[runs++].offset =
				sftl_offset_of(f, (lpn_t)(w * BITS_WORD) + (lpn_t)__builtin_ctzll(left));
	return heads_encode(&s->heads, runs);
}

/* Bytes of a mapping page as a bitmap and so many heads. */
static uint32_t sftl_bitmap_bytes(const struct ftl *f, uint32_t heads)
{
	uint32_t bits = sftl_two_bits(f) ? 2 : 1;

	return (bits * demand_of(f)->per_page + 7) / 8 + SFTL_HEADER_BYTES + heads * SFTL_HEAD_BYTES;
}

/* Sets the page's size in DRAM.  It becomes a bitmap below 80 % of a page, and while cached stays one up to
 * 90 %. */
static void sftl_measure(struct ftl *f, uint32_t page)
{
	const struct sftl *s = f->state;
	struct sftl_page *p = &s->page[page];
	uint32_t full = f->geometry->page_bytes, size;

	p->heads = sftl_two_bits(f) ? sftl_count_heads(f, page) : p->runs;
	size = sftl_bitmap_bytes(f, p->heads);
	if (!p->bitmap || !p->cached)
		p->bitmap = 10 * size < 8 * full;
	else
		p->bitmap = 10 * size <= 9 * full;
	p->charge = p->bitmap ? size : full;
}

/* An entry maps to another place. */
static void sftl_resize(struct ftl *f, lpn_t lpn)
{
	struct sftl *s = f->state;
	uint32_t page = lpn / s->demand.per_page, before = s->page[page].charge;

	sftl_count_run(f, lpn);
	if (lpn + 1 < sftl_end_of(f, page))
		sftl_count_run(f, lpn + 1);
	if (!s->page[page].cached)
		return;
	sftl_measure(f, page);
	s->used += s->page[page].charge;
	s->used -= before;
	if (s->used > s->statistics.most_bytes)
		s->statistics.most_bytes = s->used;
}

/* ---- dirty entries ---- */

static void sftl_set_dirty(struct sftl *s, lpn_t lpn)
{
	s->page[lpn / s->demand.per_page].dirty += !bits_get(s->dirty, lpn);
	bits_set(s->dirty, lpn);
}

/* The mapping page was programmed with all its dirty entries. */
static void sftl_set_clean(struct sftl *s, uint32_t page)
{
	size_t words = bits_words(s->demand.per_page);

	memset(s->dirty + page * words, 0, words * sizeof *s->dirty);
	if (!s->page[page].cached)
		s->buffered -= s->page[page].dirty;
	s->page[page].dirty = 0;
}

static bool sftl_program(struct ftl *f, struct io *io, uint32_t page, op_t *wait)
{
	struct sftl *s = f->state;
	struct directory *d = s->demand.table.directory;

	if (!directory_program(d, io, page, CAUSE_MAP, directory_ready(d, io, page, OP_NONE), wait))
		return false;
	directory_clear_updates(d, page);
	sftl_set_clean(s, page);
	return true;
}

/* ---- making room ---- */

/* Dirty entries go to the buffer if they are few and it has room for all; else the page is written. */
static bool sftl_evict(struct ftl *f, struct io *io, uint32_t page, op_t *wait)
{
	struct sftl *s = f->state;
	struct sftl_page *p = &s->page[page];
	bool divert = p->dirty && 100 * p->dirty < 5 * s->demand.per_page &&
		      s->buffered + p->dirty <= sftl_buffer_entries(f);

	schedule_note(f->flash->schedule, "mapping page %u of %u bytes leaves DRAM, %u changed entries%s",
		page, p->charge, p->dirty,
		divert     ? " go to the buffer"
		: p->dirty ? ": it is written"
			   : "");
	if (!divert && p->dirty && !sftl_program(f, io, page, wait))
		return false;
	if (divert) {
		s->buffered += p->dirty;
		s->statistics.diverted += p->dirty;
	}
	s->statistics.evictions++;
	s->used -= p->charge;
	p->cached = false;
	stack_take(&s->stack, page);
	return true;
}

/* How many thirds down the stack a small page is put as its second chance; 0: it gets none. */
static uint32_t sftl_second_chance(const struct ftl *f, const struct sftl_page *p)
{
	if (!p->bitmap || p->flagged)
		return 0;
	if (100 * p->charge < 30 * f->geometry->page_bytes)
		return 1;
	return 100 * p->charge < 60 * f->geometry->page_bytes ? 2 : 0;
}

static bool sftl_evict_one(struct ftl *f, struct io *io, op_t *wait)
{
	struct sftl *s = f->state;
	uint32_t page, third;

	while ((third = sftl_second_chance(f, &s->page[page = stack_bottom(&s->stack)]))) {
		stack_take(&s->stack, page);
		stack_put(&s->stack, page, third);
		s->page[page].flagged = true;
		s->statistics.second_chances[third - 1]++;
		schedule_note(f->flash->schedule,
			"mapping page %u of %u bytes has a second chance, %u/3 down", page,
			s->page[page].charge, third);
	}
	return sftl_evict(f, io, page, wait);
}

static void sftl_fit(struct ftl *f, struct io *io)
{
	struct sftl *s = f->state;
	op_t nobody = OP_NONE;

	while (s->used > s->budget && sftl_evict_one(f, io, &nobody))
		;
}

/* ---- look-ups ---- */

/* The page enters DRAM; its dirty entries leave the buffer. */
static void sftl_enter(struct sftl *s, uint32_t page)
{
	struct sftl_page *p = &s->page[page];

	s->buffered -= p->dirty;
	p->cached = true;
	p->flagged = false;
	s->used += p->charge;
	if (s->used > s->statistics.most_bytes)
		s->statistics.most_bytes = s->used;
	stack_put(&s->stack, page, 0);
}

/* Does the page fit in DRAM? Pages are read uncompressed, so with less DRAM than such a page none fits. */
static bool sftl_holds_page(struct ftl *f, uint32_t page)
{
	const struct sftl *s = f->state;

	sftl_measure(f, page);
	return map_budget(&f->core->map, f->geometry) >= f->geometry->page_bytes &&
	       s->page[page].charge <= s->budget;
}

/* Evictions may cause a collection, which can change the page's size. A page that does not fit is read for
 * one look-up only. */
static op_t sftl_load(struct ftl *f, struct io *io, uint32_t page)
{
	struct sftl *s = f->state;
	struct sftl_page *p = &s->page[page];
	op_t wait = OP_NONE;
	bool holds;

	while ((holds = sftl_holds_page(f, page)) && s->used + p->charge > s->budget)
		if (!sftl_evict_one(f, io, &wait))
			return OP_NONE;
	schedule_note(f->flash->schedule,
		holds ? "mapping page %u enters DRAM with %u bytes"
		      : "mapping page %u: no room for its %u bytes",
		page, p->charge);
	wait = directory_read(s->demand.table.directory, io, page, CAUSE_MAP, wait);
	if (holds) {
		sftl_enter(s, page);
	} else {
		s->in_hand = page;
		s->statistics.uncached++;
	}
	return wait;
}

static op_t sftl_look_up(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct sftl *s = f->state;
	uint32_t page = lpn / s->demand.per_page;
	bool cached = s->page[page].cached, buffered = !cached && bits_get(s->dirty, lpn);

	s->in_hand = INDEX_NONE;
	directory_count_lookup(s->demand.table.directory, page, cached || buffered);
	s->statistics.buffer_hits += buffered;
	if (buffered)
		return OP_NONE;
	if (!cached)
		return sftl_load(f, io, page);
	s->page[page].flagged = false;
	stack_take(&s->stack, page);
	stack_put(&s->stack, page, 0);
	return directory_ready(s->demand.table.directory, io, page, OP_NONE);
}

/* ---- changes ---- */

static void sftl_changed(struct ftl *f, struct io *io, lpn_t lpn)
{
	struct sftl *s = f->state;
	uint32_t page = lpn / s->demand.per_page;
	op_t nobody = OP_NONE;

	sftl_resize(f, lpn);
	if (!io->timed)
		return;
	if (s->in_hand == page) {
		sftl_program(f, io, page, &nobody);
	} else {
		/* The entry was in the buffer. If a collection has written it back since, it enters the
		 * buffer again. */
		s->buffered += !s->page[page].cached && !bits_get(s->dirty, lpn);
		sftl_set_dirty(s, lpn);
	}
	sftl_fit(f, io);
}

static bool sftl_moved(struct ftl *f, lpn_t lpn)
{
	struct sftl *s = f->state;

	sftl_resize(f, lpn);
	if (s->page[lpn / s->demand.per_page].cached)
		sftl_set_dirty(s, lpn);
	return bits_get(s->dirty, lpn);
}

/* Its dirty entries in the buffer were programmed with it. */
static void sftl_updated(struct ftl *f, uint32_t page)
{
	sftl_set_clean(f->state, page);
}

static const struct demand_scheme sftl_scheme = { .reserve = 2,
	.look_up = sftl_look_up,
	.changed = sftl_changed,
	.moved = sftl_moved,
	.updated = sftl_updated,
	.prefetch = page_prefetch };

/* ---- the whole ---- */

static bool sftl_init(struct ftl *f, struct fault *fault)
{
	struct sftl *s = f->state;
	uint64_t budget = map_budget(&f->core->map, f->geometry),
		 buffer = sftl_buffer_entries(f) * SFTL_BUFFERED_BYTES;
	uint32_t pages;

	if (!demand_init(f, &sftl_scheme, fault))
		return false;
	pages = s->demand.table.directory->pages;
	s->budget = budget > buffer ? budget - buffer : 0;
	s->page = memory_array(pages, sizeof *s->page, "mapping pages in DRAM");
	s->head = memory_array(
		bits_words((size_t)pages * s->demand.per_page), sizeof *s->head, "heads of runs");
	s->dirty = memory_array(
		bits_words((size_t)pages * s->demand.per_page), sizeof *s->dirty, "changed entries");
	s->in_hand = INDEX_NONE;
	stack_init(&s->stack, pages);
	heads_init(&s->heads, s->demand.per_page);
	for (uint32_t page = 0; page < pages; page++)
		sftl_count_run(f, page * s->demand.per_page);
	return true;
}

static void sftl_exit(struct ftl *f)
{
	struct sftl *s = f->state;

	memory_free(s->page);
	memory_free(s->head);
	memory_free(s->dirty);
	stack_release(&s->stack);
	heads_release(&s->heads);
	demand_exit(f);
}

static void sftl_check_page(const struct ftl *f, uint32_t page)
{
	const struct sftl *s = f->state;
	const struct sftl_page *p = &s->page[page];
	uint32_t dirty = 0, runs = 0;

	for (lpn_t lpn = page * s->demand.per_page; lpn < sftl_end_of(f, page); lpn++) {
		dirty += bits_get(s->dirty, lpn);
		runs += sftl_begins_run(f, lpn);
		BUG_ON(sftl_begins_run(f, lpn) != bits_get(s->head, lpn),
			"LPN %u begins a run: %d, marked is %d", lpn, sftl_begins_run(f, lpn),
			bits_get(s->head, lpn));
	}
	BUG_ON(dirty != p->dirty, "mapping page %u has %u dirty entries, counted are %u", page, dirty,
		p->dirty);
	BUG_ON(runs != p->runs, "mapping page %u has %u runs, counted are %u", page, runs, p->runs);
	BUG_ON(p->cached && (sftl_two_bits(f) ? p->heads > runs : p->heads != runs),
		"mapping page %u has %u runs and %u heads", page, runs, p->heads);
}

static void sftl_check(const struct ftl *f)
{
	const struct sftl *s = f->state;
	uint32_t cached = 0, buffered = 0;
	uint64_t used = 0;

	demand_check(f);
	stack_check(&s->stack);
	for (uint32_t page = 0; page < s->demand.table.directory->pages; page++) {
		sftl_check_page(f, page);
		cached += s->page[page].cached;
		used += s->page[page].cached ? s->page[page].charge : 0;
		buffered += s->page[page].cached ? 0 : s->page[page].dirty;
	}
	BUG_ON(cached != stack_count(&s->stack) || used != s->used,
		"%u mapping pages of %llu bytes are in DRAM; counted are %u and %llu", cached,
		(unsigned long long)used, stack_count(&s->stack), (unsigned long long)s->used);
	BUG_ON(used > s->budget && !f->failed, "mapping pages fill %llu bytes, the budget is %llu",
		(unsigned long long)used, (unsigned long long)s->budget);
	BUG_ON(buffered != s->buffered || buffered > sftl_buffer_entries(f),
		"%u dirty entries are in the buffer, counted are %u", buffered, s->buffered);
}

static const struct state_row sftl_page_state[] = {
	STATE_NUMBER(struct sftl_page, runs),
	STATE_NUMBER(struct sftl_page, heads),
	STATE_NUMBER(struct sftl_page, dirty),
	STATE_NUMBER(struct sftl_page, charge),
	STATE_NUMBER(struct sftl_page, cached),
	STATE_NUMBER(struct sftl_page, bitmap),
	STATE_NUMBER(struct sftl_page, flagged),
	{ 0 },
};

static const struct state_row sftl_state[] = {
	STATE_FIXED(budget, heads),
	STATE_SCRATCH(in_hand),
	STATE_COUNTED(statistics),
	STATE_STRUCT(struct sftl, demand, demand_state),
	STATE_ARRAY(struct sftl, page, sftl_page_state),
	STATE_NUMBERS(struct sftl, head),
	STATE_NUMBERS(struct sftl, dirty),
	STATE_STRUCT(struct sftl, stack, stack_state),
	STATE_NUMBER(struct sftl, buffered),
	STATE_NUMBER(struct sftl, used),
	{ 0 },
};

/* Doubts results if planes are chosen by load and nine of ten mapping pages shrink by at most a tenth. */
static bool sftl_doubt(const struct ftl *f, char *text, size_t bytes)
{
	const struct sftl *s = f->state;
	uint32_t pages = s->demand.table.directory->pages, large = 0;

	for (uint32_t page = 0; page < pages; page++)
		large += 10 * sftl_bitmap_bytes(f, s->page[page].runs) >= 9 * f->geometry->page_bytes;
	snprintf(text, bytes,
		"hardly a mapping page of sftl shrinks at the end of this run: placement.policy = "
		"least_loaded writes consecutive logical pages to places that are not; compare round_robin, "
		"static, or a drive of one plane");
	return f->geometry->planes > 1 && f->core->placement.policy == PLACE_LEAST_LOADED &&
	       10 * large >= 9 * pages;
}

static void sftl_print_entry(const struct ftl *f, lpn_t lpn, FILE *out)
{
	const struct sftl *s = f->state;
	uint32_t page = lpn / s->demand.per_page;
	const struct sftl_page *p = &s->page[page];

	page_print_entry(f, lpn, out);
	if (p->cached)
		fprintf(out, "; mapping page %u in DRAM, %u bytes, %u heads, %u changed", page, p->charge,
			p->heads, p->dirty);
	else
		fputs(bits_get(s->dirty, lpn) ? "; in the buffer, changed" : "; not in DRAM", out);
}

/* ---- statistics ---- */

#define COUNT(field) STAT_COUNT, offsetof(struct sftl_statistics, field)

static const struct stat_row sftl_rows[] = {
	{ "cache_bytes", "bytes", "DRAM for mapping pages; that of the buffer of entries comes on top",
		COUNT(cache_bytes) },
	{ "cached_bytes_max", "bytes", "most in use, until others leave for what grew", COUNT(most_bytes) },
	{ "cached_pages", "pages", "mapping pages in DRAM at the end", COUNT(pages) },
	{ "shrunk_bytes", "bytes", "of each of them", STAT_RATIO, offsetof(struct sftl_statistics, bytes),
		offsetof(struct sftl_statistics, pages) },
	{ "buffer_hits", "look-ups", "answered from the buffer of entries", COUNT(buffer_hits) },
	{ "uncached", "look-ups", "whose mapping page was read and did not fit in DRAM", COUNT(uncached) },
	{ "evictions", "pages", "mapping pages that left DRAM", COUNT(evictions) },
	{ "diverted", "entries", "changed, moved to the buffer as their page left", COUNT(diverted) },
	{ "second_chances_1", "pages", "put back a third down the stack: below 30 % of a page",
		COUNT(second_chances[0]) },
	{ "second_chances_2", "pages", "put back two thirds down: below 60 %", COUNT(second_chances[1]) },
	{ 0 },
};

static void sftl_start(void *sftl)
{
	struct sftl *s = sftl;

	s->statistics.most_bytes = s->used;
}

static void sftl_gather(void *sftl)
{
	struct sftl *s = sftl;

	s->statistics.cache_bytes = s->budget;
	s->statistics.pages = stack_count(&s->stack);
	s->statistics.bytes = s->used;
}

static void sftl_statistics(struct ftl *f, struct stat_list *list)
{
	struct sftl *s = f->state;

	demand_statistics(f, list);
	stat_list_add(list, (struct stat_group){ NULL, "map.", sftl_rows, &s->statistics,
				    sizeof s->statistics, s, sftl_start, sftl_gather });
	directory_statistics(s->demand.table.directory, list);
}

static const struct ftl_hints sftl_hints = { .prefetch = page_prefetch };
static const struct ftl_words sftl_words = { .name_owner = demand_name_owner,
	.print_entry = sftl_print_entry };

const struct ftl_ops ftl_sftl = {
	.name = "sftl",
	.brief = "page mapping with the table in flash and compressed pages of it in DRAM (MSST 2011)",
	.size = sizeof(struct sftl),
	.state = sftl_state,
	.params = sftl_params,
	.settings_size = sizeof(struct sftl_settings),
	.init = sftl_init,
	.exit = sftl_exit,
	DEMAND_OPERATIONS,
	.check = sftl_check,
	.doubt = sftl_doubt,
	.statistics = sftl_statistics,
	.hints = &sftl_hints,
	.words = &sftl_words,
};
