#include "drive/precondition.h"

#include "base/memory.h"
#include "base/random.h"
#include "drive/workload.h"

#include <math.h>
#include <string.h>

/* ---- the pages a workload touches ---- */

struct footprint {
	uint64_t *bit; /* per logical page */
	uint64_t pages;
};

static bool touches(const struct footprint *f, lpn_t lpn)
{
	return f->bit[lpn / 64] >> lpn % 64 & 1;
}

static void touch(struct footprint *f, lpn_t lpn)
{
	f->pages += !touches(f, lpn);
	f->bit[lpn / 64] |= (uint64_t)1 << lpn % 64;
}

/* One pass over the workload; with `reads_only` the pages that are only written do not count. */
static bool find_footprint(
	struct footprint *f, struct drive *d, const char *name, bool reads_only, struct fault *fault)
{
	const struct settings *c = d->settings;
	struct workload w;
	struct request r;
	enum trace_status status = TRACE_END;

	if (!strcmp(name, "-"))
		return fault_set(fault,
			"standard input cannot be read twice: give the trace as a file, or set "
			"precondition.mode = \"none\" and precondition.premap_reads = false");
	if (!workload_open(&w, name, &c->trace, NULL, fault))
		return false;
	while ((status = workload_next(&w, &r, fault)) == TRACE_OK) {
		struct extent e;

		if (!host_admit(d->host, &r, name, fault)) {
			status = TRACE_BAD;
			break;
		}
		e = request_extent(&r);
		if (r.type == REQUEST_READ || (r.type == REQUEST_WRITE && !reads_only))
			for (lpn_t lpn = geometry_lpn(&d->geometry, e.start);
				lpn <= geometry_lpn(&d->geometry, e.end - 1); lpn++)
				touch(f, lpn);
	}
	workload_close(&w);
	return status == TRACE_END;
}

/* ---- filling ---- */

static struct extent whole_page(const struct drive *d, lpn_t lpn)
{
	sector_t start = geometry_page_start(&d->geometry, lpn);

	return (struct extent){ start, start + d->geometry.sectors_per_page };
}

/* Writes every page of the footprint once, in order of address. */
static bool place_footprint(struct drive *d, const struct footprint *f)
{
	for (lpn_t lpn = 0; lpn < d->geometry.logical_pages; lpn++)
		if (touches(f, lpn) && !drive_place(d, whole_page(d, lpn)))
			return false;
	return true;
}

/* A permutation of 0 .. n-1 without a table: four Feistel rounds on an even number of bits, walked until
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

static uint64_t shuffle_at(const struct shuffle *s, uint64_t i)
{
	uint64_t half = ((uint64_t)1 << s->half_bits) - 1;

	do {
		uint64_t left = i >> s->half_bits, right = i & half;

		for (int round = 0; round < 4; round++) {
			uint64_t mixed = (right + s->key[round]) * 0x9e3779b97f4a7c15u;
			uint64_t next = left ^ (mixed >> 32 & half);

			left = right;
			right = next;
		}
		i = left << s->half_bits | right;
	} while (i >= s->n);
	return i;
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

/* Live pages in random order: a share of the footprint (all of it if there is room), and of the others. */
struct live_pages {
	const struct footprint *footprint;
	struct shuffle order;
	uint64_t at;
	struct quota inside, outside;
};

static struct live_pages live_pages_start(
	const struct drive *d, const struct footprint *f, uint64_t valid, struct random *random)
{
	uint64_t lpns = d->geometry.logical_pages, inside = valid < f->pages ? valid : f->pages;

	return (struct live_pages){ .footprint = f,
		.order = shuffle_start(random, lpns),
		.inside = { inside, f->pages },
		.outside = { valid - inside, lpns - f->pages } };
}

/* Page 0 once all have been named. */
static lpn_t next_live_page(struct live_pages *live, struct random *random)
{
	while (live->inside.wanted + live->outside.wanted) {
		lpn_t lpn = (lpn_t)shuffle_at(&live->order, live->at++);

		if (quota_takes(touches(live->footprint, lpn) ? &live->inside : &live->outside, random))
			return lpn;
	}
	return 0;
}

static void expect_page(struct drive *d, lpn_t lpn)
{
	drive_expect(d, &(struct request){ .start = geometry_page_start(&d->geometry, lpn), .sectors = 1 });
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Pages still to be programmed; an FTL may program mapping pages besides. */
static uint64_t pages_left(const struct drive *d, uint64_t used)
{
	return used > d->flash->pages_used ? used - d->flash->pages_used : 0;
}

/*
 * Programs pages that will be dead until no more than `left` are to be programmed: logical pages from 0, in
 * turn, so that any placement spreads them.  Ends after `used` writes, too, should planes be collected on the way.
 */
static bool place_dead(struct drive *d, uint64_t used, uint64_t left)
{
	lpn_t lpns = d->geometry.logical_pages, end = 0;

	for (uint64_t i = 0; i < used && pages_left(d, used) > left; i++) {
		if (!drive_place(d, whole_page(d, (lpn_t)(i % lpns))))
			return false;
		end = i < lpns ? (lpn_t)i + 1 : lpns;
	}
	for (lpn_t lpn = 0; lpn < end; lpn++)
		drive_discard(d, whole_page(d, lpn));
	return true;
}

/* Layout apart: the dead pages first, then each live page once; mapping pages programmed meanwhile come on top. */
static bool fill_apart(struct drive *d, const struct footprint *f, uint64_t used, uint64_t valid)
{
	struct live_pages live;
	struct random random;
	lpn_t lpn;

	random_init(&random, d->settings->top.seed, 0x707265);
	live = live_pages_start(d, f, valid, &random);
	lpn = next_live_page(&live, &random);
	if (!place_dead(d, used, valid))
		return false;
	for (uint64_t i = 0; i < valid; i++) {
		lpn_t coming = next_live_page(&live, &random);

		expect_page(d, coming);
		if (!drive_place(d, whole_page(d, lpn)))
			return false;
		lpn = coming;
	}
	return true;
}

/*
 * Layout mixed: programs `used` pages of which `valid` > 0 stay live, each place with the same chance of being live:
 * a page is written again and again, which leaves dead copies, until its turn to stay has come.  Ends after `used`
 * writes, too, where the placement has planes collected on the way.
 */
static bool fill_mixed(struct drive *d, const struct footprint *f, uint64_t used, uint64_t valid)
{
	struct quota stays = { valid - 1, 0 };
	struct live_pages live;
	struct random random;
	lpn_t lpn, coming;

	random_init(&random, d->settings->top.seed, 0x707265);
	live = live_pages_start(d, f, valid, &random);
	lpn = next_live_page(&live, &random);
	coming = next_live_page(&live, &random);
	for (uint64_t slot = 1; (slot <= used && pages_left(d, used)) || stays.wanted; slot++) {
		if (!drive_place(d, whole_page(d, lpn)))
			return false;
		stays.total = least(pages_left(d, used), slot < used ? used - slot : 0);
		if (stays.total < stays.wanted)
			stays.total = stays.wanted;
		if (!stays.total || !quota_takes(&stays, &random))
			continue;
		lpn = coming;
		coming = next_live_page(&live, &random);
		expect_page(d, coming);
	}
	return true;
}

/* ---- modes ---- */

void precondition_count(const struct drive *d, struct precondition_result *result)
{
	result->used_pages = d->flash->pages_used;
	result->valid_pages = 0;
	for (block_t b = 0; b < d->geometry.blocks; b++)
		result->valid_pages += d->ftl->space->block[b].valid;
}

static bool replay_once(struct drive *d, uint64_t used, uint64_t *replayed, struct fault *fault)
{
	const struct settings *c = d->settings;
	const char *name = c->precondition.trace;
	struct workload w;
	struct request r;
	enum trace_status status = TRACE_END;

	if (!workload_open(&w, name, &c->trace, NULL, fault))
		return false;
	while (d->flash->pages_used < used && (status = workload_next(&w, &r, fault)) == TRACE_OK) {
		if (!host_admit(d->host, &r, name, fault)) {
			status = TRACE_BAD;
			break;
		}
		if (r.type == REQUEST_WRITE && !drive_place(d, request_extent(&r)))
			break;
		if (r.type == REQUEST_TRIM)
			drive_discard(d, request_extent(&r));
		++*replayed;
	}
	workload_close(&w);
	return status != TRACE_BAD;
}

static bool replay(struct drive *d, uint64_t used, struct precondition_result *result, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;

	if (!*s->trace)
		return fault_set(
			fault, "precondition.mode = \"trace\" needs precondition.trace, a file or a profile");
	for (uint64_t pass = 0; pass < s->passes && d->flash->pages_used < used && !d->ftl->failed; pass++)
		if (!replay_once(d, used, &result->replayed, fault))
			return false;
	return true;
}

static bool check_shares(const struct drive *d, uint64_t used, uint64_t valid, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;

	if (valid > used)
		return fault_set(fault, "precondition.valid = %g is more than precondition.used = %g",
			s->valid, s->used);
	if (valid > d->geometry.logical_pages)
		return fault_set(fault,
			"precondition.valid = %g is more than the drive's logical pages (%.3f of the "
			"physical ones)",
			s->valid, (double)d->geometry.logical_pages / d->geometry.pages);
	return true;
}

/* The first part of precondition(): everything but reading the workload. */
static bool prepare(
	struct drive *d, struct footprint *f, struct precondition_result *result, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;
	uint64_t used = (uint64_t)llround(s->used * d->geometry.pages);
	uint64_t valid =
		s->mode == PRECONDITION_SYNTHETIC ? (uint64_t)llround(s->valid * d->geometry.pages) : 0;
	bool fits = true;

	if (s->mode == PRECONDITION_AGED || s->mode == PRECONDITION_SYNTHETIC) {
		if (!check_shares(d, used, valid, fault))
			return false;
		fits = (s->layout == LAYOUT_APART || !valid ? fill_apart : fill_mixed)(d, f, used, valid);
	} else if (s->mode == PRECONDITION_TRACE) {
		if (!replay(d, used, result, fault))
			return false;
		fits = !d->ftl->failed;
	}
	if (fits && s->premap_reads && s->mode != PRECONDITION_SYNTHETIC)
		fits = place_footprint(d, f);
	return fits ||
	       fault_set(fault, "the drive is full before the first request; use a larger drive or lower "
				"precondition.used");
}

bool precondition(
	struct drive *d, const char *workload, struct precondition_result *result, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;
	bool synthetic = s->mode == PRECONDITION_SYNTHETIC, done = true;
	struct footprint f = { .pages = 0 };

	*result = (struct precondition_result){ 0 };
	f.bit = memory_array(
		(size_t)d->geometry.logical_pages / 64 + 1, sizeof *f.bit, "workload's footprint");
	if (s->premap_reads)
		done = find_footprint(&f, d, workload, !synthetic, fault);
	done = done && prepare(d, &f, result, fault);
	result->footprint_pages = f.pages;
	memory_free(f.bit);
	precondition_count(d, result);
	return done;
}
