#include "traces/generate_profile.h"

#include "base/memory.h"
#include "base/param.h"
#include "parameters/params.h"
#include "traces/generate_find.h"

#include <math.h>
#include <stdio.h>

/* ---- keys ---- */

#define PROFILE(type, field) PARAM(type, struct profile, field)
#define ALIGN(type, field)   PARAM(type, struct align_settings, field)
#define KIND(type, field)    PARAM(type, struct kind_settings, field)

static const char *const gap_laws[] = { "fixed", "exponential", NULL };
static const char *const follows[] = { "new", "any", "last", NULL };

static const struct param top_rows[] = {
	{ PROFILE(TEXT, brief), 0, 0, "", "", "what the profile stands for, in one line" },
	{ PROFILE(UINT, requests), 0, 1e12, "requests", "100000",
		"how many; 0 only with ranges: until each had its share" },
	{ PROFILE(UINT, space), 1 << 20, 0x1p53, "bytes", "8G", "size of the address space" },
	{ PROFILE(UINT, seed), 0, 0x1p53, "", "1", "same seed, same trace" },
	{ PROFILE(REAL, write_share), 0, 1, "", "0.5", "writes / requests; their number is exact" },
	{ PROFILE(REAL, together), 0, 0.999, "", "0",
		"share of requests that are of their predecessor's kind for that reason alone: reads and "
		"writes come in bursts" },
	{ PROFILE(REAL, across), 0, 1, "", "0",
		"share of requests that cross a page of 8 KB and are no longer than one: the weights of both "
		"`sizes` are changed, as little as possible, until it is so; 0: as they are" },
	{ PROFILE(REAL, across_16k), 0, 1, "", "0", "the same for pages of 16 KB" },
	{ PROFILE(REAL, across_ratio), 0.001, 1000, "", "1",
		"with these: that share among the writes over that among the reads" },
	{ 0 },
};

static const struct param arrival_rows[] = {
	{ "law", PARAM_CHOICE, offsetof(struct profile, gap_law), 0, 0, "", "exponential",
		"gaps between arrivals are as listed, or exponential with the means listed", gap_laws },
	{ PROFILE(TEXT, gaps), 0, 0, "us:weight", "1000",
		"gaps with weights; one exponential is a Poisson process, several a hyper-exponential one" },
	{ 0 },
};

static const struct param place_rows[] = {
	{ PROFILE(UINT, grid), SECTOR_BYTES, 1 << 20, "bytes", "4K",
		"starts are multiples of this, a multiple of 512" },
	{ PROFILE(UINT, offset), 0, 1 << 20, "bytes", "0", "shift of the whole grid, a multiple of 512" },
	{ PROFILE(REAL, head), 0, 1, "", "1",
		"share of the requests smaller than the grid that begin on it; the others lie anywhere in "
		"one block of it" },
	{ "range", PARAM_UINT, offsetof(struct profile, range_bytes), 0, 1 << 30, "bytes", "0",
		"not 0: range by range, at random inside a range, as many bytes as it has" },
	{ 0 },
};

static const struct param align_rows[] = {
	{ ALIGN(REAL, unaligned), 0, 1, "", "0",
		"share of the space where a guest's 4 KB grid is off ours, by 1 to 7 sectors alike" },
	{ ALIGN(REAL, keep_1g), 0, 1, "", "0", "share of the 1 GB regions with the shift of their 16 GB" },
	{ ALIGN(REAL, keep_64m), 0, 1, "", "0", "share of the 64 MB regions with the shift of their 1 GB" },
	{ ALIGN(REAL, keep_1m), 0, 1, "", "0", "share of the 1 MB regions with the shift of their 64 MB" },
	{ ALIGN(REAL, keep_64k), 0, 1, "", "1", "share of the 64 KB regions with the shift of their 1 MB" },
	{ 0 },
};

static const struct param kind_rows[] = {
	{ KIND(TEXT, sizes), 0, 0, "bytes:weight", "4K", "sizes with weights" },
	{ KIND(REAL, sequential), 0, 1, "", "0",
		"share that starts where an earlier request of its kind ended" },
	{ KIND(CHOICE, follow), 0, 0, "", "new",
		"which one: at a new place; also at a repeated one, so that runs are rewritten; or the last "
		"request of all, if it is of the same kind",
		follows },
	{ KIND(UINT, streams), 1, 1024, "", "1", "with new and any: runs that go on side by side" },
	{ KIND(REAL, recent), 0, 1, "", "0",
		"share that repeats the place of a recent request, the likelier the fresher" },
	{ KIND(UINT, recent_depth), 1, 1 << 20, "requests", "1000", "how far back recent and near reach" },
	{ KIND(REAL, near), 0, 1, "", "0",
		"share that begins near a recent request, the likelier the nearer" },
	{ KIND(UINT, near_span), 4096, 1 << 30, "bytes", "64M", "how far away near reaches" },
	{ KIND(REAL, popular), 0, 1, "", "0",
		"share that goes to popular places; what all these shares leave begins anywhere" },
	{ KIND(REAL, places), 0, 1e6, "per request", "0",
		"how many popular places, per request of this kind; 0: every grid point of the space" },
	{ KIND(REAL, zipf), 0, 10, "", "0", "exponent of their popularity; 0: all alike (a hot set)" },
	{ KIND(REAL, flat), 0, 1, "", "0",
		"share of the places at the head whose popularity is about the same (Mandelbrot's shift)" },
	{ KIND(REAL, other), 0, 1, "", "0",
		"share of the recent and popular places that is taken from the other kind: reads of what "
		"was written, writes of what was read" },
	{ KIND(REAL, resized), 0, 1, "", "0",
		"share of the repeats that keep the start but get a new length" },
	{ KIND(REAL, shifted), 0, 1, "", "0",
		"share of the repeats that begin elsewhere on the grid, with a new length, yet overlap the "
		"place" },
	{ KIND(REAL, mean), 0, 64 << 20, "bytes", "0",
		"mean size: weights of `sizes` are changed for it, as for across; 0: as they are" },
	{ KIND(REAL, small), 0, 1, "", "0", "likewise: share of requests smaller than the grid" },
	{ KIND(REAL, odd), 0, 1, "", "0",
		"likewise: share of requests larger than the grid that are no multiple of it" },
	{ 0 },
};

#define GROUPS 6

static void profile_groups(struct param_group groups[GROUPS], struct profile *p)
{
	groups[0] = (struct param_group){ "", top_rows, p };
	groups[1] = (struct param_group){ "arrival", arrival_rows, p };
	groups[2] = (struct param_group){ "place", place_rows, p };
	groups[3] = (struct param_group){ "align", align_rows, &p->align };
	groups[4] = (struct param_group){ "read", kind_rows, &p->kind[KIND_READ] };
	groups[5] = (struct param_group){ "write", kind_rows, &p->kind[KIND_WRITE] };
}

/* ---- reading and checking ---- */

static bool profile_whole_sectors(const char *path, const char *key, uint64_t bytes, struct fault *fault)
{
	if (bytes % SECTOR_BYTES == 0)
		return true;
	return fault_set(fault, "%s: %s = %llu is not a multiple of %u bytes", path, key,
		(unsigned long long)bytes, SECTOR_BYTES);
}

double profile_after_own_kind(const struct profile *p, unsigned kind)
{
	double of_kind = kind == KIND_WRITE ? p->write_share : 1 - p->write_share;

	return p->together + (1 - p->together) * of_kind;
}

static bool profile_check_kind(const struct profile *p, unsigned kind, const char *path, struct fault *fault)
{
	static const char *const names[KINDS] = { "read", "write" };
	const struct kind_settings *k = &p->kind[kind];
	double sum = k->sequential + k->recent + k->near + k->popular;
	double after_own = profile_after_own_kind(p, kind);

	if (sum > 1 + 1e-9)
		return fault_set(fault,
			"%s: %s.sequential + recent + near + popular = %g; it should be at most 1", path,
			names[kind], sum);
	if (k->near > 0 && k->near_span < p->grid)
		return fault_set(fault, "%s: %s.near_span should be at least place.grid", path, names[kind]);
	if (k->follow == RUN_LAST && k->sequential > after_own + 1e-9)
		return fault_set(fault,
			"%s: %s.sequential = %g with follow = last; only %g of them come after their own "
			"kind",
			path, names[kind], k->sequential, after_own);
	if (mix_largest(&p->size_mix[kind]) * SECTOR_BYTES * 4 > p->space)
		return fault_set(fault,
			"%s: %s.sizes has %llu bytes; space should be at least four times that", path,
			names[kind], (unsigned long long)mix_largest(&p->size_mix[kind]) * SECTOR_BYTES);
	return true;
}

static bool profile_check(const struct profile *p, const char *path, struct fault *fault)
{
	if (!profile_whole_sectors(path, "space", p->space, fault) ||
		!profile_whole_sectors(path, "place.grid", p->grid, fault) ||
		!profile_whole_sectors(path, "place.offset", p->offset, fault) ||
		!profile_whole_sectors(path, "place.range", p->range_bytes, fault))
		return false;
	if (p->align.unaligned > 0 && p->grid != GRID_SECTORS * SECTOR_BYTES)
		return fault_set(
			fault, "%s: align.unaligned shifts a grid of 4K; place.grid should be 4K", path);
	if (p->offset >= p->grid)
		return fault_set(fault, "%s: place.offset should be less than place.grid", path);
	if (p->space / p->grid < 16 || p->space / p->grid > UINT32_MAX)
		return fault_set(fault, "%s: space / place.grid should be 16 to 2^32", path);
	if (p->requests == 0 && p->range_bytes == 0)
		return fault_set(fault, "%s: requests = 0 needs place.range", path);
	return profile_check_kind(p, KIND_READ, path, fault) &&
	       profile_check_kind(p, KIND_WRITE, path, fault);
}

static bool profile_parse_mix(struct mix *mix, const char *text, enum mix_unit unit, const char *path,
	const char *key, struct fault *fault)
{
	char where[FAULT_BYTES / 2];

	snprintf(where, sizeof where, "%s: %s", path, key);
	return mix_parse(mix, text, unit, where, fault);
}

/* The targets for all requests of a kind.  The profile gives `across` for both kinds together. */
static struct size_targets profile_wanted(const struct profile *p, unsigned kind)
{
	const struct kind_settings *k = &p->kind[kind];
	double over_all = (kind == KIND_WRITE ? p->across_ratio : 1) /
			  (p->write_share * p->across_ratio + 1 - p->write_share);

	return (struct size_targets){ .mean = k->mean / SECTOR_BYTES,
		.across = p->across * over_all,
		.across_16k = p->across_16k * over_all,
		.small = k->small,
		.odd = k->odd };
}

/* The target for a kind's own sizes, so that all its requests together meet `wanted`.  `borrowed`: share of
 * its requests that take a place, and with it the size, from the other kind; `lent`: share of the other
 * kind's requests that take one from this kind. */
static double profile_own_share(double wanted, double others, double borrowed, double lent)
{
	double own = ((1 - lent) * wanted - borrowed * others) / (1 - borrowed - lent);

	return !wanted || !others || borrowed + lent >= 1 ? wanted : fmax(own, 1e-12);
}

static struct size_targets profile_targets(const struct profile *p, unsigned kind)
{
	const struct kind_settings *own = &p->kind[kind], *other = &p->kind[!kind];
	double borrowed = own->other * (own->recent + own->popular);
	double lent = other->other * (other->recent + other->popular);
	struct size_targets a = profile_wanted(p, kind), b = profile_wanted(p, !kind);

	return (struct size_targets){ .mean = profile_own_share(a.mean, b.mean, borrowed, lent),
		.across = profile_own_share(a.across, b.across, borrowed, lent),
		.across_16k = profile_own_share(a.across_16k, b.across_16k, borrowed, lent),
		.small = profile_own_share(a.small, b.small, borrowed, lent),
		.odd = profile_own_share(a.odd, b.odd, borrowed, lent) };
}

static bool profile_apply_targets(struct profile *p, const char *path, struct fault *fault)
{
	static const char *const keys[KINDS] = { "read.sizes", "write.sizes" };

	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct size_targets t = profile_targets(p, kind);
		char where[FAULT_BYTES / 2];

		snprintf(where, sizeof where, "%s: %s", path, keys[kind]);
		if (t.mean + t.across + t.across_16k + t.small + t.odd > 0 &&
			!targets_apply(&p->size_mix[kind], &t, p->grid / SECTOR_BYTES, where, fault))
			return false;
	}
	return true;
}

/* With place.range all requests are counted before the first is made; the limit keeps that to seconds. */
static bool profile_can_be_counted(const struct profile *p, const char *path, struct fault *fault)
{
	double most = 1e9, mean = mix_mean(&p->size_mix[KIND_READ]) * SECTOR_BYTES;
	double about = p->range_bytes ? (double)p->space * (1 / mean + 1 / (double)p->range_bytes) : 0;

	return about <= most || (p->requests && (double)p->requests <= most) ||
	       fault_set(fault,
		       "%s: place.range makes about %.2g requests, more than can be counted beforehand; "
		       "requests should be 1 to 1e9",
		       path, about);
}

static bool profile_parse(struct profile *p, const char *path, struct fault *fault)
{
	return profile_parse_mix(&p->gap_mix, p->gaps, MIX_NS, path, "arrival.gaps", fault) &&
	       profile_parse_mix(&p->size_mix[KIND_READ], p->kind[KIND_READ].sizes, MIX_SECTORS, path,
		       "read.sizes", fault) &&
	       profile_parse_mix(&p->size_mix[KIND_WRITE], p->kind[KIND_WRITE].sizes, MIX_SECTORS, path,
		       "write.sizes", fault) &&
	       profile_check(p, path, fault) && profile_apply_targets(p, path, fault) &&
	       profile_can_be_counted(p, path, fault);
}

/* Parses `text`, the profile compiled in; if it is NULL, reads the file at `path`. */
static bool profile_read(struct profile *p, const char *path, const char *text, char *const overrides[],
	size_t n, struct fault *fault)
{
	struct param_group groups[GROUPS];

	profile_groups(groups, p);
	if (!params_defaults(groups, GROUPS, fault) ||
		!(text ? params_read_text(text, path, groups, GROUPS, fault)
		       : params_read_file(path, groups, GROUPS, fault)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!params_set(overrides[i], groups, GROUPS, fault))
			return false;
	return profile_parse(p, path, fault);
}

bool profile_open(struct profile *p, const char *name, char *const overrides[], size_t n, struct fault *fault)
{
	char *path = profile_find(name);
	const char *text = path ? NULL : built_in_text(built_in_profiles, name);
	bool good;

	*p = (struct profile){ 0 };
	if (!path && !text)
		return profile_missing(name, fault);
	good = profile_read(p, path ? path : name, text, overrides, n, fault);
	memory_free(path);
	if (!good)
		profile_release(p);
	return good;
}

void profile_release(struct profile *p)
{
	struct param_group groups[GROUPS];

	profile_groups(groups, p);
	params_release(groups, GROUPS);
	mix_release(&p->gap_mix);
	for (unsigned kind = 0; kind < KINDS; kind++)
		mix_release(&p->size_mix[kind]);
}
