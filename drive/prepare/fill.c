#include "drive/prepare/fill.h"

#include "base/memory.h"
#include "drive/prepare/order.h"

/* The mapping entry of a page is prefetched this many pages before the page is written. */
#define FILL_AHEAD 16u

static uint64_t fill_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct extent fill_whole(const struct drive *d, lpn_t lpn)
{
	sector_t start = geometry_page_start(&d->geometry, lpn);

	return (struct extent){ start, start + d->geometry.sectors_per_page };
}

/* Writes a page.  With premap = sectors or requests a touched page gets only the sectors that are read before
 * they are written, in one flash page. */
static bool fill_page(struct drive *d, const struct footprint *f, lpn_t lpn)
{
	struct extent run[32];

	if (!f->read || !footprint_touches(f, lpn))
		return drive_place(d, fill_whole(d, lpn));
	return drive_place_together(d, run, footprint_runs(f, lpn, run));
}

/* Prefetches the entries that the FTL looks up when the page is written. */
static void fill_prefetch(const struct drive *d, lpn_t lpn)
{
	const struct ftl_hints *hints = ftl_hints(d->ftl);

	if (hints->prefetch)
		hints->prefetch(d->ftl, lpn, PREFETCH_ENTRY);
}

/* Pages still to be programmed to reach `used`; mapping pages programmed so far count. */
static uint64_t fill_left(const struct drive *d, uint64_t used)
{
	return used > d->flash->pages_used ? used - d->flash->pages_used : 0;
}

/* With premap = requests: writes the extents of first reads, in order.  Otherwise does nothing. */
static bool fill_first_reads(struct drive *d, const struct footprint *f)
{
	for (uint32_t i = 0; i < f->first_count; i++)
		if (!drive_place(d, f->first_reads[i]))
			return false;
	return true;
}

bool fill_footprint(struct drive *d, const struct footprint *f)
{
	if (f->by_request)
		return fill_first_reads(d, f);
	for (lpn_t lpn = 0; lpn < host_pages(d); lpn++)
		if (footprint_touches(f, lpn) && !fill_page(d, f, lpn))
			return false;
	return true;
}

/* ---- live pages ---- */

/* Chooses exactly `wanted` of `total` things as they pass by, each with the same chance. */
struct fill_quota {
	uint64_t wanted, total;
};

static bool fill_quota_takes(struct fill_quota *q, struct random *random)
{
	bool take = random_below(random, q->total--) < q->wanted;

	q->wanted -= take;
	return take;
}

/* Live pages in random order: a share of the footprint (all of it if there is room), and of the other pages.
 * With premap = sectors pages that the workload only writes are left out, unless too few others remain. */
struct fill_live {
	const struct drive *drive;
	const struct footprint *footprint;
	bool leaves_written;
	struct random random;
	struct order order;
	struct fill_quota inside, outside;
	lpn_t drawn; /* one page ahead, so that its data is prefetched while another is written */
};

/* Returns the page drawn before and draws the next one, which is page 0 once all have been drawn. */
static lpn_t fill_live_next(struct fill_live *live)
{
	const struct footprint *f = live->footprint;
	lpn_t next = live->drawn;

	live->drawn = 0;
	while (live->inside.wanted + live->outside.wanted) {
		lpn_t lpn = order_next(&live->order), ahead = order_ahead(&live->order, FILL_AHEAD);
		bool inside;

		footprint_prefetch_page(f, ahead);
		fill_prefetch(live->drive, ahead);
		if (live->leaves_written && footprint_only_writes(f, lpn))
			continue;
		inside = footprint_touches(f, lpn);
		if (inside)
			footprint_prefetch_sectors(f, lpn);
		if (fill_quota_takes(inside ? &live->inside : &live->outside, &live->random)) {
			live->drawn = lpn;
			break;
		}
	}
	return next;
}

static struct fill_live *fill_live_create(struct drive *d, struct footprint *f, uint64_t valid)
{
	uint64_t lpns = host_pages(d), inside = f->by_request ? 0 : fill_least(valid, f->pages);
	uint64_t written = footprint_mark_written(f);
	struct fill_live *live = memory_array(1, sizeof *live, "order of live pages");

	live->drive = d;
	live->footprint = f;
	live->inside = (struct fill_quota){ inside, f->pages };
	live->outside = (struct fill_quota){ valid - inside, lpns - f->pages };
	live->leaves_written = written && live->outside.wanted + written <= live->outside.total;
	live->outside.total -= live->leaves_written ? written : 0;
	random_init(&live->random, d->settings->top.seed, 0x707265);
	order_init(&live->order, &live->random, lpns);
	fill_live_next(live);
	return live;
}

/* ---- layouts ---- */

/*
 * Writes a page again and again, which leaves dead copies, until it is chosen to stay valid; then goes on
 * with the next one.  Ends after `used` writes at the latest: if planes must be collected on the way, the
 * number of programmed pages never reaches `used`.
 */
bool fill_mixed(struct drive *d, struct footprint *f, uint64_t used, uint64_t valid)
{
	struct fill_live *live = fill_live_create(d, f, valid);
	struct fill_quota stays = { .wanted = valid - 1 };
	lpn_t lpn = fill_live_next(live);
	bool fits = fill_first_reads(d, f);
	uint64_t left = fill_left(d, used);

	for (uint64_t i = 1; fits && ((i <= used && left) || stays.wanted); i++) {
		fits = fill_page(d, f, lpn);
		left = fill_left(d, used);
		stays.total = fill_least(left, i < used ? used - i : 0);
		if (stays.total < stays.wanted)
			stays.total = stays.wanted;
		if (stays.total && fill_quota_takes(&stays, &live->random))
			lpn = fill_live_next(live);
	}
	memory_free(live);
	return fits;
}

/*
 * Programs pages and discards them at once, until only `left` pages are still to be programmed.  The pages
 * are the first ones of the drive, one per plane, in turn: any placement spreads them over the planes, and
 * so few pages need only one or two mapping pages.  Ends after `used` writes at the latest, as above.
 */
static bool fill_dead(struct drive *d, uint64_t used, uint64_t left)
{
	lpn_t lpns = (lpn_t)fill_least(host_pages(d), d->geometry.planes);

	for (uint64_t i = 0; i < used && fill_left(d, used) > left; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a drive has pages and planes */
		struct extent page = fill_whole(d, (lpn_t)(i % lpns));

		if (!drive_place(d, page))
			return false;
		drive_discard(d, page);
	}
	return true;
}

/*
 * Writes every live page once and keeps the numbers of the last `most` of them, which fill_up() writes again.
 */
static bool fill_live(struct drive *d, struct footprint *f, uint64_t valid, lpn_t *last, uint64_t most)
{
	struct fill_live *live = fill_live_create(d, f, valid);
	bool fits = true;

	for (uint64_t i = 0; i < valid && fits; i++) {
		last[i % most] = fill_live_next(live);
		fits = fill_page(d, f, last[i % most]);
	}
	memory_free(live);
	return fits;
}

/*
 * Writes n live pages again, in turn, until `used` is reached; at the end only one of them, because then its
 * mapping page is not programmed again.
 */
static bool fill_up(struct drive *d, const struct footprint *f, uint64_t used, const lpn_t *live, uint64_t n)
{
	for (uint64_t i = 0; n && i < used && fill_left(d, used); i++)
		if (!fill_page(d, f, live[fill_left(d, used) > 4 * n ? i % n : 0]))
			return false;
	return true;
}

/*
 * A sixteenth of the dead pages is reserved for mapping pages, whatever the FTL; fill_up() programs the rest
 * of it at the end.
 */
bool fill_apart(struct drive *d, struct footprint *f, uint64_t used, uint64_t valid)
{
	uint64_t most = fill_least(valid, d->geometry.planes), margin = valid ? (used - valid) / 16 : 0;
	lpn_t *last = memory_array(most, sizeof *last, "pages to be written again");
	uint64_t read = f->by_request ? f->pages : 0;
	bool fits = fill_dead(d, used, valid + read + margin) && fill_first_reads(d, f) &&
		    fill_live(d, f, valid, last, most) && fill_up(d, f, used, last, most);

	memory_free(last);
	return fits;
}

/* ---- every page ---- */

static bool fill_run(struct drive *d, const struct footprint *f, uint64_t first, uint64_t end)
{
	for (uint64_t lpn = first; lpn < end; lpn++)
		if (!fill_page(d, f, (lpn_t)lpn))
			return false;
	return true;
}

bool fill_all(struct drive *d, const struct footprint *f)
{
	uint64_t pages = d->host->beneath ? d->geometry.logical_pages : host_pages(d);
	uint64_t run = d->settings->precondition.fill_run, runs;
	struct order order;
	struct random random;

	random_init(&random, d->settings->top.seed, 0x66696c6c);
	run = run && run < pages ? run : pages;
	runs = (pages + run - 1) / run;
	order_init(&order, &random, runs);
	d->filling = true;
	for (uint64_t i = 0; i < runs; i++) {
		uint64_t first = run * order_next(&order);

		fill_prefetch(d, (lpn_t)(run * order_ahead(&order, FILL_AHEAD)));
		if (!fill_run(d, f, first, fill_least(first + run, pages)))
			return false;
	}
	d->filling = false;
	return drive_place_map(d);
}
