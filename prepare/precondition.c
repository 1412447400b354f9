#include "prepare/precondition.h"

#include "base/beside.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "prepare/workload.h"

#include <math.h>
#include <string.h>

/* ---- what a workload touches ---- */

/* Whole pages that are written together; what that needs is asked for, O(planes), once for so many. */
#define PLACED_TOGETHER 1024u

struct preparation {
	uint64_t *bit;  /* two for each page of the host: the workload touches it; it only writes to it */
	uint64_t pages; /* that it touches */
	/* With premap = sectors or requests, per sector: read before anything else, written or trimmed.  Else NULL. */
	uint64_t *read, *written;
	/* With premap = requests what each read was the first to read, in their order. */
	bool by_request;
	struct extent *firsts;
	uint32_t first_count, first_room;
	struct workload warm_up; /* mode = trace */
	/* Whole pages that will be written next, in their order, if the drive takes so many at once. */
	lpn_t queue[PLACED_TOGETHER];
	uint32_t queued;
	bool queues;
	uint32_t room; /* pages, queued or not, until the drive is asked again */
};

static lpn_t host_pages(const struct drive *d)
{
	return (lpn_t)(d->host->sectors >> d->geometry.sector_shift);
}

static bool touches(const struct preparation *f, lpn_t lpn)
{
	return f->pages && bits_get(f->bit, (size_t)lpn * 2);
}

static void touch(struct preparation *f, lpn_t lpn)
{
	f->pages += !touches(f, lpn);
	bits_set(f->bit, (size_t)lpn * 2);
}

/* Sector `s`, the next in order, belongs to what a read was the first to read. */
static void note_first(struct preparation *f, sector_t s, bool begins)
{
	if (!begins) {
		f->firsts[f->first_count - 1].end++;
		return;
	}
	f->firsts =
		memory_grown(f->firsts, &f->first_room, f->first_count + 1, sizeof *f->firsts, "first reads");
	f->firsts[f->first_count++] = (struct extent){ s, s + 1 };
}

/* What is read counts until it is written: then it has data of its own. */
static void touch_sectors(struct preparation *f, const struct drive *d, const struct request *r)
{
	bool first = false, before;

	for (sector_t s = r->start; s < r->start + r->sectors; s++)
		if (r->type != REQUEST_READ) {
			bits_set(f->written, s);
		} else {
			before = first;
			first = !bits_get(f->written, s) && !bits_get(f->read, s);
			if (first && f->by_request)
				note_first(f, s, !before);
			if (!bits_get(f->written, s)) {
				bits_set(f->read, s);
				touch(f, geometry_lpn(&d->geometry, s));
			}
		}
}

static void touch_pages(struct preparation *f, const struct drive *d, const struct request *r)
{
	struct extent e = request_extent(r);

	for (lpn_t lpn = geometry_lpn(&d->geometry, e.start); lpn <= geometry_lpn(&d->geometry, e.end - 1);
		lpn++)
		touch(f, lpn);
}

/* TRACE_BAD, too, if the drive stops, which may be why the next one cannot be read. */
static enum trace_status next_request(
	struct drive *d, struct workload *w, struct request *r, struct fault *fault)
{
	enum trace_status status = workload_next_for(d->host, w, r, fault);

	return drive_stops(d) ? TRACE_BAD : status;
}

/* The next request; `sum` goes on from those before. */
static enum trace_status next_summed(
	struct drive *d, struct workload *w, struct request *r, uint64_t *sum, struct fault *fault)
{
	enum trace_status status = next_request(d, w, r, fault);
	const uint64_t what[] = { r->start, r->sectors, r->type };

	if (status == TRACE_OK)
		*sum = hash_bytes(*sum, what, sizeof what);
	return status;
}

/* One pass over the workload; with `reads_only` the pages that are only written do not count. */
static bool find_footprint(
	struct preparation *f, struct drive *d, struct workload *w, bool reads_only, struct fault *fault)
{
	struct request r;
	enum trace_status status;

	d->past.workload = HASH_NOTHING;
	while ((status = next_summed(d, w, &r, &d->past.workload, fault)) == TRACE_OK)
		if (f->read && r.type != REQUEST_COLLECT)
			touch_sectors(f, d, &r);
		else if (r.type == REQUEST_READ || (r.type == REQUEST_WRITE && !reads_only))
			touch_pages(f, d, &r);
	return status == TRACE_END && workload_rewind(w, fault);
}

/* ---- filling ---- */

static struct extent whole_page(const struct drive *d, lpn_t lpn)
{
	sector_t start = geometry_page_start(&d->geometry, lpn);

	return (struct extent){ start, start + d->geometry.sectors_per_page };
}

/* Of one of the workload's sets of sectors, those in a page. */
static mask_t sectors_of(const uint64_t *set, const struct drive *d, lpn_t lpn)
{
	sector_t first = geometry_page_start(&d->geometry, lpn);

	return set[first / 64] >> first % 64 & bits_below(d->geometry.sectors_per_page);
}

/* Writes what is queued. */
static void write_queue(struct drive *d, struct preparation *f)
{
	if (f->queued)
		drive_place_pages(d, f->queue, f->queued);
	f->queued = 0;
}

/* Pages are queued from now on if the drive has room for so many. */
static void ask_for_room(struct drive *d, struct preparation *f)
{
	write_queue(d, f);
	f->queues = drive_takes_pages(d, PLACED_TOGETHER);
	f->room = PLACED_TOGETHER;
}

/* What of a page is to hold data, all or only sectors, in one write: it becomes one page of flash. */
static bool place_page(struct drive *d, struct preparation *f, lpn_t lpn)
{
	sector_t first = geometry_page_start(&d->geometry, lpn);
	struct extent extents[32];
	bool whole = !f->read || !touches(f, lpn);
	size_t n = 0;

	if (!f->room)
		ask_for_room(d, f);
	f->room--;
	if (f->queues && whole) {
		f->queue[f->queued++] = lpn;
		return true;
	}
	write_queue(d, f);
	if (whole)
		return drive_place(d, whole_page(d, lpn));
	for (uint32_t from = 0, end = 0; bits_next_run(sectors_of(f->read, d, lpn), &from, &end);)
		extents[n++] = (struct extent){ first + from, first + end };
	return drive_place_together(d, extents, n);
}

/* premap = requests: writes what requests were the first to read, one after the other. */
static bool place_requests(struct drive *d, const struct preparation *f)
{
	for (uint32_t i = 0; i < f->first_count; i++)
		if (!drive_place(d, f->firsts[i]))
			return false;
	return true;
}

/* Writes every page of the footprint once, in order of address, or request by request. */
static bool place_footprint(struct drive *d, struct preparation *f)
{
	if (f->by_request)
		return place_requests(d, f);
	for (lpn_t lpn = 0; lpn < host_pages(d); lpn++)
		if (touches(f, lpn) && !place_page(d, f, lpn))
			return false;
	return true;
}

/* Numbers of an order that are computed together. */
#define DRAWN_TOGETHER 1024u

/* A permutation of 0 .. n-1 < 2^32 without a table: four Feistel rounds on an even number of bits, walked until
 * the value lies below n again. */
struct shuffle {
	uint64_t key[4], n;
	uint32_t half_bits;
};

static struct shuffle shuffle_start(struct random *random, uint64_t n)
{
	struct shuffle s = { .n = n, .half_bits = 1 };

	while (n > (uint64_t)1 << 2 * s.half_bits)
		s.half_bits++;
	for (int i = 0; i < 4; i++)
		s.key[i] = random_next(random);
	return s;
}

static uint64_t permuted(const struct shuffle *s, uint64_t i)
{
	uint64_t half = ((uint64_t)1 << s->half_bits) - 1, left = i >> s->half_bits, right = i & half;

	for (int round = 0; round < 4; round++) {
		uint64_t next = left ^ ((right + s->key[round]) * 0x9e3779b97f4a7c15u >> 32 & half);

		left = right;
		right = next;
	}
	return left << s->half_bits | right;
}

/* Of `count` <= DRAWN_TOGETHER numbers from `i` on.  Walked together: none waits for the one before, and no branch asks
 * of each whether it is done. */
static void shuffle(const struct shuffle *s, uint64_t i, uint32_t count, uint32_t *to)
{
	uint32_t walks[DRAWN_TOGETHER], left = 0;

	for (uint32_t k = 0; k < count; k++) {
		to[k] = (uint32_t)permuted(s, i + k);
		walks[left] = k;
		left += to[k] >= s->n;
	}
	for (uint32_t walking = left; walking; walking = left) {
		left = 0;
		for (uint32_t w = 0; w < walking; w++) {
			uint32_t k = walks[w];

			to[k] = (uint32_t)permuted(s, to[k]);
			walks[left] = k;
			left += to[k] >= s->n;
		}
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Chooses exactly `wanted` of `total` things as they pass by, each with the same chance. */
struct quota {
	uint64_t wanted, total;
};

static bool quota_takes(struct quota *q, struct random *random)
{
	bool take = random_below(random, q->total--) < q->wanted;

	q->wanted -= take;
	return take;
}

/* Candidates are drawn beside, a block at a time: enough of them to be worth a thread. */
#define DRAWN_BLOCK  65536u
#define DRAWN_BLOCKS 4u

/* So many candidates before it is its turn, what is known of a page is fetched: a write takes less time than that. */
#define EXPECT_AHEAD 16u

/* Live pages in random order: a share of the footprint (all of it if there is room), and of the others; with
 * premap = sectors not of those that the workload only writes, unless too few are left. */
struct live_pages {
	const struct preparation *footprint;
	bool spare_written;
	struct random random;
	struct shuffle order;
	uint64_t at;
	lpn_t candidate[DRAWN_BLOCKS *
			DRAWN_BLOCK]; /* of the block of `at`, of the next, and of the one being drawn */
	uint64_t block;               /* being drawn */
	struct beside drawing;
	bool alone; /* who asks draws: that is on the second core already */
	struct quota inside, outside;
	lpn_t coming; /* after the one named last; page 0 once all have been named */
};

/* Behind the last of the order is whatever stood there. */
static void draw_block(void *live_pages)
{
	struct live_pages *live = live_pages;
	uint64_t i = live->block * DRAWN_BLOCK, end = least(i + DRAWN_BLOCK, live->order.n);

	for (; i < end; i += DRAWN_TOGETHER)
		shuffle(&live->order, i, (uint32_t)least(end - i, DRAWN_TOGETHER),
			live->candidate + i % (DRAWN_BLOCKS * DRAWN_BLOCK));
}

/* The block is drawn, the next one begins. */
static void draw_next_block(struct live_pages *live)
{
	beside_end(&live->drawing);
	if (++live->block * DRAWN_BLOCK >= live->order.n)
		return;
	if (live->alone)
		draw_block(live);
	else
		beside_start(&live->drawing, draw_block, live);
}

/* The next of the order, and a hint at one that comes. */
static lpn_t next_candidate(const struct drive *d, struct live_pages *live)
{
	const struct preparation *f = live->footprint;
	const struct ftl_hints *hints = ftl_hints(d->ftl);
	lpn_t lpn = live->candidate[live->at % (DRAWN_BLOCKS * DRAWN_BLOCK)];
	lpn_t coming = live->candidate[(live->at + EXPECT_AHEAD) % (DRAWN_BLOCKS * DRAWN_BLOCK)];

	if (f->pages)
		__builtin_prefetch(&f->bit[(size_t)coming * 2 / BITS_WORD]);
	/* A queue that nothing interrupts fetches for itself. */
	if (hints->expect && !live->alone && (f->read || !f->queues) && coming < d->geometry.logical_pages)
		hints->expect(d->ftl, coming);
	if (++live->at % DRAWN_BLOCK == 0)
		draw_next_block(live);
	return lpn;
}

/* Marks the pages that the workload writes to and of which it reads nothing before: how many they are. */
static uint64_t mark_only_written(struct preparation *f, const struct drive *d)
{
	uint64_t pages = 0;

	for (lpn_t lpn = 0; f->written && lpn < host_pages(d); lpn++)
		if (!touches(f, lpn) && sectors_of(f->written, d, lpn)) {
			bits_set(f->bit, (size_t)lpn * 2 + 1);
			pages++;
		}
	return pages;
}

/* Is the page, of those that it does not touch, one of them? */
static bool only_writes(const struct preparation *f, lpn_t lpn)
{
	return bits_get(f->bit, (size_t)lpn * 2 + 1);
}

static lpn_t next_live_page(struct drive *d, struct live_pages *live)
{
	const struct preparation *f = live->footprint;
	lpn_t next = live->coming, lpn = 0;
	bool taken = false;

	while (!taken && live->inside.wanted + live->outside.wanted) {
		bool inside;

		lpn = next_candidate(d, live);
		if (live->spare_written && only_writes(f, lpn))
			continue;
		inside = touches(f, lpn);
		if (inside && f->read)
			__builtin_prefetch(&f->read[geometry_page_start(&d->geometry, lpn) / BITS_WORD]);
		taken = quota_takes(inside ? &live->inside : &live->outside, &live->random);
	}
	live->coming = taken ? lpn : 0;
	return next;
}

static struct live_pages *live_pages_start(struct drive *d, struct preparation *f, uint64_t valid)
{
	uint64_t lpns = host_pages(d), inside = f->by_request ? 0 : least(valid, f->pages);
	uint64_t written = mark_only_written(f, d);
	struct live_pages *live = memory_array(1, sizeof *live, "order of live pages");

	live->footprint = f;
	live->inside = (struct quota){ inside, f->pages };
	live->outside = (struct quota){ valid - inside, lpns - f->pages };
	live->spare_written = written && live->outside.wanted + written <= live->outside.total;
	live->outside.total -= live->spare_written ? written : 0;
	random_init(&live->random, d->settings->top.seed, 0x707265);
	live->order = shuffle_start(&live->random, lpns);
	draw_block(live);
	draw_next_block(live);
	draw_next_block(live);
	next_live_page(d, live);
	return live;
}

static void live_pages_end(struct live_pages *live)
{
	beside_free(&live->drawing);
	memory_free(live);
}

/* Pages still to be programmed; an FTL may program mapping pages besides. */
static uint64_t pages_left(const struct drive *d, const struct preparation *f, uint64_t used)
{
	uint64_t programmed = d->flash->pages_used + f->queued;

	return used > programmed ? used - programmed : 0;
}

/*
 * Programs pages that are dead at once until no more than `left` are to be programmed: some pages from 0 on, in turn,
 * so that any placement spreads them while the mapping of so few stays where it is.  Ends after `used` writes, too,
 * should planes be collected on the way.
 */
static bool place_dead(struct drive *d, const struct preparation *f, uint64_t used, uint64_t left)
{
	lpn_t lpns = (lpn_t)least(host_pages(d), d->geometry.planes);

	for (uint64_t i = 0; i < used && pages_left(d, f, used) > left; i++) {
		struct extent page = whole_page(d, (lpn_t)(i % lpns));

		if (!drive_place(d, page))
			return false;
		drive_discard(d, page);
	}
	return true;
}

/* Writes pages that are live again until `used` is reached, in the end one alone, whose mapping moves nothing more. */
static bool top_up(struct drive *d, struct preparation *f, uint64_t used, const lpn_t *live, uint64_t n)
{
	for (uint64_t i = 0; n && i < used && pages_left(d, f, used); i++)
		if (!place_page(d, f, live[pages_left(d, f, used) > 4 * n ? i % n : 0]))
			return false;
	return true;
}

/* Every live page once; the last ones of them are kept to be written again. */
static bool place_live(struct drive *d, struct preparation *f, uint64_t valid, lpn_t *kept, uint64_t most)
{
	struct live_pages *live = live_pages_start(d, f, valid);
	bool fits = true;

	for (uint64_t i = 0; i < valid && fits; i++) {
		kept[i % most] = next_live_page(d, live);
		fits = place_page(d, f, kept[i % most]);
	}
	live_pages_end(live);
	return fits;
}

/*
 * Layout apart: dead pages, then what was read by requests, then each live page once, then what of the dead share
 * mapping pages have not taken: a sixteenth of it is kept back for them, for every FTL alike.
 */
static bool fill_apart(struct drive *d, struct preparation *f, uint64_t used, uint64_t valid)
{
	uint64_t most = least(valid, d->geometry.planes), margin = valid ? (used - valid) / 16 : 0;
	lpn_t *kept = memory_array(most, sizeof *kept, "pages to be written again");
	uint64_t read = f->by_request ? f->pages : 0;
	bool fits = place_dead(d, f, used, valid + read + margin) && place_requests(d, f) &&
		    place_live(d, f, valid, kept, most) && top_up(d, f, used, kept, most);

	memory_free(kept);
	return fits;
}

/* Pages whose order is decided beside while as many are written; a multiple of those that are written together. */
#define DECIDED_BLOCK 32768u

/* Layout mixed: what is written is decided slot by slot. */
struct mix {
	struct drive *drive;
	struct live_pages *live;
	struct quota stays;
	uint64_t slot, used, left; /* pages still to be programmed */
	lpn_t lpn;                 /* of the slot */
	lpn_t decided[2][DECIDED_BLOCK];
	uint32_t block; /* being decided */
};

static bool mix_goes_on(const struct mix *m)
{
	return (m->slot <= m->used && m->left) || m->stays.wanted;
}

/* The page of the slot is written, so many are left. */
static void next_slot(struct mix *m, uint64_t left)
{
	m->left = left;
	m->stays.total = least(left, m->slot < m->used ? m->used - m->slot : 0);
	if (m->stays.total < m->stays.wanted)
		m->stays.total = m->stays.wanted;
	if (m->stays.total && quota_takes(&m->stays, &m->live->random))
		m->lpn = next_live_page(m->drive, m->live);
	m->slot++;
}

/* Each page will be one of flash. */
static void decide_block(void *mix)
{
	struct mix *m = mix;

	for (uint32_t i = 0; i < DECIDED_BLOCK; i++) {
		m->decided[m->block][i] = m->lpn;
		next_slot(m, m->left - 1);
	}
}

static void write_block(struct drive *d, const lpn_t *lpn)
{
	for (uint32_t i = 0; i < DECIDED_BLOCK; i += PLACED_TOGETHER)
		drive_place_pages(d, lpn + i, PLACED_TOGETHER);
}

/* Behind what is queued, as long as there is room for the block that is written and the one that is decided meanwhile.
 * False: for none. */
static bool mix_by_blocks(struct mix *m, struct preparation *f)
{
	struct beside deciding = { .work = NULL };
	bool more;

	write_queue(m->drive, f);
	f->room = 0;
	more = drive_takes_pages(m->drive, DECIDED_BLOCK) && m->left >= DECIDED_BLOCK;
	if (!more)
		return false;
	m->live->alone = true;
	decide_block(m);
	while (more) {
		const lpn_t *decided = m->decided[m->block];

		m->block = !m->block;
		more = drive_takes_pages(m->drive, 2 * DECIDED_BLOCK) && m->left >= DECIDED_BLOCK;
		if (more)
			beside_start(&deciding, decide_block, m);
		write_block(m->drive, decided);
		beside_end(&deciding);
	}
	beside_free(&deciding);
	m->live->alone = false;
	return true;
}

/*
 * Layout mixed: programs `used` pages of which `valid` > 0 stay live, each place with the same chance of being live:
 * a page is written again and again, which leaves dead copies, until its turn to stay has come.  Ends after `used`
 * writes, too, where the placement has planes collected on the way.
 */
static bool fill_mixed(struct drive *d, struct preparation *f, uint64_t used, uint64_t valid)
{
	struct mix *m = memory_array(1, sizeof *m, "order of pages");
	bool fits;

	m->drive = d;
	m->live = live_pages_start(d, f, valid);
	m->stays.wanted = valid - 1;
	m->slot = 1;
	m->used = used;
	m->lpn = next_live_page(d, m->live);
	fits = place_requests(d, f);
	m->left = pages_left(d, f, used);
	while (fits && mix_goes_on(m)) {
		if (!f->read && m->slot % DECIDED_BLOCK == 1 && mix_by_blocks(m, f))
			continue;
		fits = place_page(d, f, m->lpn);
		next_slot(m, pages_left(d, f, used));
	}
	live_pages_end(m->live);
	memory_free(m);
	return fits;
}

/* Every page once, ascending or in runs whose order is drawn; mapping pages behind them, where the FTL's cache takes no
 * part in this. */
static bool fill_all(struct drive *d, struct preparation *f)
{
	uint64_t pages = d->host->beneath ? d->geometry.logical_pages : host_pages(d);
	uint64_t run = d->settings->precondition.fill_run, runs;
	struct shuffle order;
	struct random random;

	random_init(&random, d->settings->top.seed, 0x66696c6c);
	run = run && run < pages ? run : pages;
	runs = (pages + run - 1) / run;
	order = shuffle_start(&random, runs);
	d->filling = true;
	for (uint64_t i = 0; i < runs; i++) {
		uint64_t first;
		uint32_t drawn;

		shuffle(&order, i, 1, &drawn);
		first = run * drawn;
		for (uint64_t lpn = first; lpn < least(first + run, pages); lpn++)
			if (!place_page(d, f, (lpn_t)lpn))
				return false;
	}
	write_queue(d, f);
	d->filling = false;
	return drive_place_map(d);
}

/* ---- memory ---- */

/* Tables of drives with so many pages are worth a thread. */
#define POPULATED_FROM ((uint64_t)1 << 24)

/* So many times more pages of the drive than are live: then there may be none in parts of its table. */
#define SPARSE 64u

/* A part of the tables: of these planes the first pages, of these logical pages everything. */
struct tables {
	const struct drive *drive;
	plane_t plane, planes;
	uint64_t pages; /* of a plane */
	lpn_t lpn, lpns;
};

static void populate(void *tables)
{
	const struct tables *t = tables;
	const struct ftl_hints *hints = ftl_hints(t->drive->ftl);
	const struct flash *flash = t->drive->flash;
	uint64_t all = flash->geometry->pages / flash->geometry->planes;

	for (plane_t p = t->plane; p < t->planes; p++)
		memory_populate(&flash->owner[p * all], t->pages * sizeof *flash->owner);
	if (t->lpn < t->lpns && hints->populate)
		hints->populate(t->drive->ftl, t->lpn, t->lpns);
}

/* The memory of what preparing the drive will write: so many pages, so many of them live. */
static void populate_tables(const struct drive *d, uint64_t used, uint64_t live)
{
	const struct geometry *g = &d->geometry;
	lpn_t lpns = live >= g->pages / SPARSE ? g->logical_pages : 0;
	uint64_t pages = least(used, g->pages) / g->planes;
	struct tables half = { d, 0, g->planes / 2, pages, 0, lpns / 2 },
		      other = { d, g->planes / 2, g->planes, pages, lpns / 2, lpns };
	struct beside second = { .work = NULL };

	if (used < POPULATED_FROM)
		return;
	beside_start(&second, populate, &other);
	populate(&half);
	beside_free(&second);
}

/* ---- modes ---- */

void precondition_count(const struct drive *d, struct precondition_result *result)
{
	struct ftl_facts facts;

	d->ftl->ops->facts(d->ftl, &facts);
	*result = (struct precondition_result){ .used_pages = d->flash->pages_used,
		.valid_pages = facts.live_pages,
		.footprint_pages = d->past.footprint_pages,
		.replayed = d->past.replayed };
}

/* The requests of the warm-up trace, before any is replayed. */
static bool sum_warm_up(struct preparation *f, struct drive *d, struct fault *fault)
{
	struct request r;
	enum trace_status status;

	d->past.warm_up = HASH_NOTHING;
	while ((status = next_summed(d, &f->warm_up, &r, &d->past.warm_up, fault)) == TRACE_OK)
		;
	return status == TRACE_END;
}

static bool read_warm_up(
	struct preparation *f, struct drive *d, const struct workload *workload, struct fault *fault)
{
	const char *name = d->settings->precondition.trace;
	struct trace_settings own = d->settings->trace;

	own.profile_count = 0; /* what is set of a profile, and requests by hand, are the workload's */
	own.list = NULL;
	if (!*name)
		return fault_set(
			fault, "precondition.mode = \"trace\" needs precondition.trace, a file or a profile");
	if (!strcmp(name, "-") && workload && !strcmp(workload->name, "-"))
		return fault_set(
			fault, "standard input cannot be both precondition.trace and the trace of the run");
	return workload_open(&f->warm_up, name, &own, true, NULL, fault) && sum_warm_up(f, d, fault);
}

static bool replay_once(struct drive *d, struct workload *w, uint64_t used, struct fault *fault)
{
	struct request r;
	enum trace_status status = TRACE_END;

	while (d->flash->pages_used < used && (status = next_request(d, w, &r, fault)) == TRACE_OK) {
		if (r.type == REQUEST_WRITE && !drive_place(d, request_extent(&r)))
			break;
		if (r.type == REQUEST_TRIM)
			drive_discard(d, request_extent(&r));
		d->past.replayed++;
	}
	return status != TRACE_BAD;
}

static bool replay(struct drive *d, struct workload *w, uint64_t used, struct fault *fault)
{
	uint64_t passes = d->settings->precondition.passes;

	for (uint64_t pass = 0; pass < passes && d->flash->pages_used < used && !d->ftl->failed; pass++)
		if (!workload_rewind(w, fault) || !replay_once(d, w, used, fault))
			return false;
	return true;
}

static bool check_shares(const struct drive *d, uint64_t used, uint64_t valid, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;

	if (valid > used)
		return fault_set(fault, "precondition.valid = %g is more than precondition.used = %g",
			s->valid, s->used);
	if (valid > host_pages(d))
		return fault_set(fault,
			"precondition.valid = %g is more than the drive's logical pages (%.3f of the "
			"physical ones)",
			s->valid, (double)host_pages(d) / d->geometry.pages);
	return true;
}

bool preparation_apply(struct preparation *f, struct drive *d, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;
	uint64_t used = (uint64_t)llround(s->used * d->geometry.pages);
	uint64_t valid =
		s->mode == PRECONDITION_SYNTHETIC ? (uint64_t)llround(s->valid * d->geometry.pages) : 0;
	uint64_t others;
	bool fits = true;

	if (s->mode == PRECONDITION_AGED || s->mode == PRECONDITION_SYNTHETIC) {
		if (!check_shares(d, used, valid, fault))
			return false;
		populate_tables(d, used, valid);
		others = valid - (f->by_request ? least(valid, f->pages) : 0);
		fits = (s->layout == LAYOUT_APART || !others ? fill_apart : fill_mixed)(d, f, used, others);
	} else if (s->mode == PRECONDITION_FILL) {
		if (s->beneath && !d->host->ops->adopt)
			return fault_set(fault,
				"precondition.beneath: host.layer = %s must find an empty device",
				d->host->ops->name);
		populate_tables(d, host_pages(d), host_pages(d));
		d->host->beneath = s->beneath;
		fits = fill_all(d, f);
		d->host->beneath = false;
	} else if (s->mode == PRECONDITION_TRACE) {
		if (!replay(d, &f->warm_up, used, fault))
			return false;
		fits = !d->ftl->failed;
	}
	if (fits && f->pages && s->mode != PRECONDITION_SYNTHETIC &&
		!(f->by_request && s->mode == PRECONDITION_AGED))
		fits = place_footprint(d, f);
	write_queue(d, f);
	return fits ||
	       fault_set(fault, "the drive is full before the first request; use a larger drive or lower "
				"precondition.used");
}

static uint64_t *new_bits(uint64_t bits)
{
	return memory_array(bits_words(bits), sizeof(uint64_t), "workload's footprint");
}

bool precondition_reads(const struct precondition_settings *s)
{
	return s->premap != PREMAP_NONE && s->mode != PRECONDITION_FILL;
}

struct preparation *preparation_read(struct drive *d, struct workload *workload, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;
	struct preparation *f = memory_array(1, sizeof *f, "workload's footprint");
	bool synthetic = s->mode == PRECONDITION_SYNTHETIC, done = true;

	d->past = (struct drive_past){ 0 };
	f->bit = new_bits((uint64_t)host_pages(d) * 2);
	f->by_request = s->premap == PREMAP_REQUESTS;
	if (s->premap == PREMAP_SECTORS || f->by_request) {
		f->read = new_bits(d->host->sectors);
		f->written = new_bits(d->host->sectors);
	}
	if (s->mode == PRECONDITION_TRACE)
		done = read_warm_up(f, d, workload, fault);
	if (done && precondition_reads(s))
		done = find_footprint(f, d, workload, !synthetic, fault);
	d->past.footprint_pages = f->pages;
	if (done)
		return f;
	preparation_free(f);
	return NULL;
}

void preparation_free(struct preparation *f)
{
	if (!f)
		return;
	workload_close(&f->warm_up);
	memory_free(f->bit);
	memory_free(f->read);
	memory_free(f->written);
	memory_free(f->firsts);
	memory_free(f);
}

bool precondition(
	struct drive *d, struct workload *workload, struct precondition_result *result, struct fault *fault)
{
	struct preparation *f = preparation_read(d, workload, fault);
	bool done = f && preparation_apply(f, d, fault);

	preparation_free(f);
	precondition_count(d, result);
	return done;
}
