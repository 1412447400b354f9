#include "base/memory.h"
#include "stats/table.h"
#include "traces/stat_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_SIZES 10u

/* ---- rows ---- */

#define AT(field)          offsetof(struct trace_stat, field)
#define COUNT(field)       STAT_COUNT, AT(field)
#define REAL(field)        STAT_REAL, AT(field)
#define SHARE(part, whole) STAT_SHARE, AT(part), AT(whole)

#define ALL    figures.requests
#define READS  type[REQUEST_READ].requests
#define WRITES type[REQUEST_WRITE].requests

static const char *stat_number_name(int i)
{
	static const char *const names[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11",
		"12", "13", "14", "15" };

	return names[i];
}

static const struct stat_row stat_durable_rows[] = {
	{ "flushes", "", "FLUSH: data written before is to be in flash", COUNT(flushes) },
	{ "fua", "requests", "of the writes, to be in flash when they are done (FUA)", COUNT(fua) },
	{ 0 },
};

static const struct stat_row stat_request_rows[] = {
	{ "requests", "requests", "all", COUNT(ALL) },
	{ "reads", "requests", "reads", COUNT(READS) },
	{ "writes", "requests", "writes", COUNT(WRITES) },
	{ "trims", "requests", "trims (discards)", COUNT(type[REQUEST_TRIM].requests) },
	{ "write_share", "", "writes / requests", SHARE(WRITES, ALL) },
	{ "read_bytes", "bytes", "read in all", COUNT(type[REQUEST_READ].bytes) },
	{ "write_bytes", "bytes", "written in all", COUNT(type[REQUEST_WRITE].bytes) },
	{ "mean_read_bytes", "bytes", "mean size of a read", SHARE(type[REQUEST_READ].bytes, READS) },
	{ "mean_write_bytes", "bytes", "mean size of a write", SHARE(type[REQUEST_WRITE].bytes, WRITES) },
	{ 0 },
};

#define SIZES_OF(name, i)                                                                                    \
	{ name "_size_p50_bytes", "bytes", "half are no larger", COUNT(figures.size[i][POINT_50]) },         \
		{ name "_size_p90_bytes", "bytes", "90 % are no larger", COUNT(figures.size[i][POINT_90]) }, \
		{ name "_size_p99_bytes", "bytes", "99 % are no larger", COUNT(figures.size[i][POINT_99]) }, \
	{                                                                                                    \
		name "_size_max_bytes", "bytes", "the largest", COUNT(figures.size[i][POINT_MAX])            \
	}

#define OFF_GRID_OF(name, i, whole)                                                                          \
	{ "small_" name "_share", "", "smaller than 4 KiB", SHARE(figures.small[i], whole) },                \
	{                                                                                                    \
		"odd_" name "_share", "", "larger than 4 KiB and no multiple of it",                         \
			SHARE(figures.odd[i], whole)                                                         \
	}

static const struct stat_row stat_size_rows[] = {
	SIZES_OF("read", 0),
	SIZES_OF("write", 1),
	OFF_GRID_OF("read", 0, READS),
	OFF_GRID_OF("write", 1, WRITES),
	{ "sizes", "sizes", "distinct ones; the most frequent follow", COUNT(figures.sizes) },
	{ 0 },
};

static const struct stat_row stat_time_rows[] = {
	{ "duration_s", "s", "first to last arrival", REAL(figures.seconds) },
	{ "rate", "requests/s", "mean rate of arrival", REAL(figures.rate) },
	{ "gap_mean_ns", "ns", "mean time between arrivals", REAL(figures.gap_mean) },
	{ "gap_cv", "", "its deviation / mean; 1 for random (Poisson) arrivals", REAL(figures.gap_cv) },
	{ "gap_p50_ns", "ns", "half of the gaps are no longer", COUNT(figures.gap[POINT_50]) },
	{ "gap_p90_ns", "ns", "90 %", COUNT(figures.gap[POINT_90]) },
	{ "gap_p99_ns", "ns", "99 %", COUNT(figures.gap[POINT_99]) },
	{ "gap_max_ns", "ns", "the longest", COUNT(gap.max) },
	{ 0 },
};

static const struct stat_row stat_response_rows[] = {
	{ "response_read_mean_ns", "ns", "mean response time of reads", REAL(figures.response_mean[0]) },
	{ "response_read_p99_ns", "ns", "99 % of the reads", COUNT(figures.response_99[0]) },
	{ "response_write_mean_ns", "ns", "mean response time of writes", REAL(figures.response_mean[1]) },
	{ "response_write_p99_ns", "ns", "99 % of the writes", COUNT(figures.response_99[1]) },
	{ "depth_mean", "requests", "in flight, mean over time", REAL(figures.depth_mean) },
	{ "depth_p50", "requests",
		"in flight when one arrives, itself included: half of the arrivals see no more",
		COUNT(figures.depth_50) },
	{ "depth_p99", "requests", "99 % of the arrivals", COUNT(figures.depth_99) },
	{ "depth_max", "requests", "the most", COUNT(depth.max) },
	{ 0 },
};

static const struct stat_row stat_space_rows[] = {
	{ "devices", "devices", "accessed", COUNT(figures.devices) },
	{ "max_address_bytes", "bytes", "end of the highest request of any device", COUNT(max_end) },
	{ "span_bytes", "bytes", "lowest to highest address, summed over devices", COUNT(figures.span) },
	{ "footprint_pages", "4 KiB pages", "distinct pages read or written",
		COUNT(figures.footprint_pages) },
	{ "footprint_bytes", "bytes", "of these pages", COUNT(figures.footprint_bytes) },
	{ "written_pages", "4 KiB pages", "distinct pages written", COUNT(figures.written_pages) },
	{ 0 },
};

#define ACROSS(size, i)                                                                                      \
	{ "across_" size "_share", "", "across-page / all requests", SHARE(figures.across[i], ALL) },        \
		{ "across_" size "_read_share", "", "across-page / all reads",                               \
			SHARE(type[REQUEST_READ].across[i], READS) },                                        \
	{                                                                                                    \
		"across_" size "_write_share", "", "across-page / all writes",                               \
			SHARE(type[REQUEST_WRITE].across[i], WRITES)                                         \
	}

static const struct stat_row stat_across_rows[] = {
	ACROSS("4k", 0),
	ACROSS("8k", 1),
	ACROSS("16k", 2),
	{ 0 },
};

#define RESIDUE(region, i)                                                                                   \
	{                                                                                                    \
		"residue_share_" region, "",                                                                 \
			"start on the commonest sector modulo 8 of their " region " region",                 \
			SHARE(figures.on_commonest_residue[i], ALL)                                          \
	}

static const struct stat_row stat_alignment_rows[] = {
	{ "start_aligned_4k_share", "", "start on a 4 KiB border", SHARE(aligned_4k, ALL) },
	{ "start_aligned_8k_share", "", "start on an 8 KiB border", SHARE(aligned_8k, ALL) },
	{ "size_multiple_4k_share", "", "sizes that are multiples of 4 KiB", SHARE(size_4k, ALL) },
	{ "start_off_sector_share", "", "do not start on a sector border", SHARE(off_sector, ALL) },
	{ "start_mod8", "", "share of requests by start sector modulo 8", SHARE(figures.start_mod8, ALL),
		stat_number_name, 8 },
	{ "read_start_mod16", "", "share of reads by start sector modulo 16",
		SHARE(type[REQUEST_READ].start_mod16, READS), stat_number_name, 16 },
	{ "write_start_mod16", "", "share of writes by start sector modulo 16",
		SHARE(type[REQUEST_WRITE].start_mod16, WRITES), stat_number_name, 16 },
	RESIDUE("1m", 0),
	RESIDUE("64m", 1),
	RESIDUE("1g", 2),
	RESIDUE("16g", 3),
	{ 0 },
};

static const struct stat_row stat_order_rows[] = {
	{ "sequential_read_share", "", "reads that start where the device's previous request ended / reads",
		SHARE(type[REQUEST_READ].sequential, READS) },
	{ "sequential_write_share", "",
		"writes that start where the device's previous request ended / writes",
		SHARE(type[REQUEST_WRITE].sequential, WRITES) },
	{ "continuing_read_share", "", "reads that start where any earlier request ended / reads",
		SHARE(type[REQUEST_READ].continuing, READS) },
	{ "continuing_write_share", "", "writes that start where any earlier request ended / writes",
		SHARE(type[REQUEST_WRITE].continuing, WRITES) },
	{ 0 },
};

static const struct stat_row stat_heat_rows[] = {
	{ "hot_1pct_share", "", "of the accesses, to the hottest 1 % of the pages", REAL(figures.hot_1) },
	{ "hot_10pct_share", "", "to the hottest 10 %", REAL(figures.hot_10) },
	{ "hot_1pct_write_share", "", "of the page writes, to the 1 % of the written pages with most writes",
		REAL(figures.hot_1_written) },
	{ "hot_10pct_write_share", "", "to the 10 %", REAL(figures.hot_10_written) },
	{ 0 },
};

#define WITHIN(size, i)                                                                                      \
	{                                                                                                    \
		"reuse_within_" size "_share", "",                                                           \
			"page accesses that an LRU cache of this many bytes would hit",                      \
			REAL(figures.reuse_within[i])                                                        \
	}

static const struct stat_row stat_reuse_rows[] = {
	{ "page_writes", "4 KiB pages", "written, each as often as it was",
		COUNT(type[REQUEST_WRITE].pages) },
	{ "rewrite_share", "", "page writes to a page that was written before",
		SHARE(figures.page_rewrites, type[REQUEST_WRITE].pages) },
	{ "rewrites", "requests", "writes that overwrite at least one sector", COUNT(figures.rewrites) },
	{ "rewrites_exact_share", "",
		"of these, start where an earlier write started and are as long as the latest of those",
		SHARE(rewrites.exact, figures.rewrites) },
	{ "rewrites_same_start_share", "", "and have another length",
		SHARE(rewrites.same_start, figures.rewrites) },
	{ "rewrites_shifted_share", "", "start where no write started",
		SHARE(rewrites.shifted, figures.rewrites) },
	{ "first_access_share", "", "page accesses that are the first to their page",
		REAL(figures.first_access) },
	WITHIN("1m", 0),
	WITHIN("4m", 1),
	WITHIN("16m", 2),
	WITHIN("64m", 3),
	WITHIN("256m", 4),
	WITHIN("1g", 5),
	WITHIN("4g", 6),
	WITHIN("16g", 7),
	WITHIN("64g", 8),
	{ "region_reuse_111_share", "", "requests whose 1 MiB region is among the last 111",
		SHARE(few_regions.found, few_regions.asked) },
	{ "region_reuse_936_share", "", "requests whose 1 MiB region is among the last 936",
		SHARE(many_regions.found, many_regions.asked) },
	{ "reuse_page_bytes", "bytes", "a page of the next line", COUNT(figures.entry_bytes) },
	{ "page_reuse_8192_share", "", "page accesses to one of the last 8,192",
		SHARE(entries.found, entries.asked) },
	{ 0 },
};

/* ---- sizes ---- */

static uint64_t stat_size_count(const struct tally_entry *e)
{
	return (uint64_t)e->count[0] + e->count[1];
}

/* Most frequent first; equally frequent ones by size. */
static int stat_by_frequency(const void *left, const void *right)
{
	const struct tally_entry *a = left, *b = right;

	if (stat_size_count(a) != stat_size_count(b))
		return stat_size_count(a) < stat_size_count(b) ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

/* The smallest size such that the share `part` of the reads (which = 0) or writes (1) is no larger.
 * The entries are sorted by size. */
static uint64_t stat_size_percentile(
	const struct tally_entry *sizes, size_t n, int which, uint64_t requests, double part)
{
	double wanted = part * (double)requests;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += sizes[i].count[which];
		if (sum && (double)sum >= wanted)
			return sizes[i].key;
	}
	return 0;
}

static const double stat_points[POINTS] = { .5, .9, .99, 1 };

static void stat_compute_sizes(struct trace_stat *s, const struct tally_entry *sizes)
{
	struct figures *f = &s->figures;

	f->sizes = tally_keys(s->sizes);
	for (int which = 0; which < 2; which++) {
		uint64_t requests = s->type[which ? REQUEST_WRITE : REQUEST_READ].requests;

		for (int i = 0; i < POINTS; i++)
			f->size[which][i] =
				stat_size_percentile(sizes, f->sizes, which, requests, stat_points[i]);
		f->small[which] = f->odd[which] = 0;
		for (size_t i = 0; i < f->sizes; i++) {
			f->small[which] += sizes[i].key < 4096 ? sizes[i].count[which] : 0;
			f->odd[which] +=
				sizes[i].key > 4096 && sizes[i].key % 4096 ? sizes[i].count[which] : 0;
		}
	}
}

/* The names contain sizes that occur in the trace. */
static void stat_report_top_sizes(
	const struct trace_stat *s, const struct tally_entry *sizes, struct report *out)
{
	uint64_t requests = s->READS + s->WRITES;
	char name[64];

	for (size_t i = 0; i < s->figures.sizes && i < TOP_SIZES; i++) {
		snprintf(name, sizeof name, "trace.size_share.%" PRIu64, sizes[i].key);
		report_real(out, name, stat_share(stat_size_count(&sizes[i]), requests), "",
			"requests of so many bytes");
	}
}

/* ---- time ---- */

static void stat_compute_time(struct trace_stat *s)
{
	struct figures *f = &s->figures;
	double ns = (double)(s->last - s->first), busy = 0;

	f->seconds = ns / 1e9;
	f->rate = f->seconds > 0 ? (double)f->requests / f->seconds : 0;
	f->gap_mean = histogram_mean(&s->gap);
	f->gap_cv = f->gap_mean > 0 ? histogram_deviation(&s->gap) / f->gap_mean : 0;
	for (int i = 0; i < POINT_MAX; i++)
		f->gap[i] = histogram_percentile(&s->gap, stat_points[i]);
	for (int type = 0; type < REQUEST_TYPES; type++)
		busy += (double)s->type[type].response.sum;
	for (int which = 0; which < 2; which++) {
		const struct histogram *h = &s->type[which ? REQUEST_WRITE : REQUEST_READ].response;

		f->response_mean[which] = histogram_mean(h);
		f->response_99[which] = histogram_percentile(h, .99);
	}
	f->depth_mean = ns > 0 ? busy / ns : 0;
	f->depth_50 = histogram_percentile(&s->depth, .5);
	f->depth_99 = histogram_percentile(&s->depth, .99);
}

/* ---- space ---- */

static void stat_compute_space(struct trace_stat *s)
{
	struct figures *f = &s->figures;
	const struct tally_entry *e;

	f->devices = devices_count(s->devices);
	f->span = f->written_pages = 0;
	for (size_t i = 0; i < s->reaches; i++)
		f->span += s->reach[i].high - s->reach[i].low;
	f->footprint_pages = tally_keys(s->pages);
	f->footprint_bytes = f->footprint_pages << PAGE_BITS;
	for (size_t at = 0; (e = tally_next(s->pages, &at));)
		f->written_pages += e->count[1] > 0;
	f->page_rewrites = s->type[REQUEST_WRITE].pages - f->written_pages;
	for (int i = 0; i < ACROSS_SIZES; i++)
		f->across[i] = s->type[REQUEST_READ].across[i] + s->type[REQUEST_WRITE].across[i];
}

/* Number of requests that start on the most common residue of their region of 1 << bits MiB. The keys
 * ascend. */
static uint64_t stat_on_commonest_residue(const struct tally_entry *entry, size_t n, unsigned bits)
{
	uint64_t count[8] = { 0 }, most = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t *here = &count[entry[i].key & 7];

		*here += entry[i].count[0];
		if (*here > most)
			most = *here;
		if (i + 1 < n && entry[i].key >> (3 + bits) == entry[i + 1].key >> (3 + bits))
			continue;
		sum += most;
		most = 0;
		memset(count, 0, sizeof count);
	}
	return sum;
}

static void stat_compute_alignment(struct trace_stat *s)
{
	static const unsigned region_bits[REGION_SIZES] = { 0, 6, 10, 14 };
	struct tally_entry *sorted = tally_sorted(s->residues);

	for (int i = 0; i < 8; i++) {
		s->figures.start_mod8[i] = 0;
		for (int type = 0; type < REQUEST_TYPES; type++)
			s->figures.start_mod8[i] +=
				s->type[type].start_mod16[i] + s->type[type].start_mod16[i + 8];
	}
	for (int i = 0; i < REGION_SIZES; i++)
		s->figures.on_commonest_residue[i] =
			stat_on_commonest_residue(sorted, tally_keys(s->residues), region_bits[i]);
	memory_free(sorted);
}

/* ---- heat ---- */

/* Number of pages that were accessed this many times. */
struct stat_step {
	uint64_t accesses, pages;
};

static int stat_by_accesses(const void *left, const void *right)
{
	const struct stat_step *a = left, *b = right;

	return (a->accesses < b->accesses) - (a->accesses > b->accesses);
}

static uint64_t stat_accesses(const struct tally_entry *page, bool writes_only)
{
	return page->count[1] + (writes_only ? 0 : (uint64_t)page->count[0]);
}

/* The distribution of accesses over pages, hottest first; to be freed. */
static struct stat_step *stat_steps(const struct trace_stat *s, bool writes_only, size_t *n)
{
	struct tally *counts = tally_create("page heat");
	struct stat_step *steps;
	const struct tally_entry *e;

	for (size_t at = 0; (e = tally_next(s->pages, &at));)
		if (stat_accesses(e, writes_only))
			tally_add(counts, stat_accesses(e, writes_only), 0);
	steps = memory_array(tally_keys(counts), sizeof *steps, "page heat");
	*n = 0;
	for (size_t at = 0; (e = tally_next(counts, &at));)
		steps[(*n)++] = (struct stat_step){ .accesses = e->key, .pages = e->count[0] };
	qsort(steps, *n, sizeof *steps, stat_by_accesses);
	tally_free(counts);
	return steps;
}

/* Share of the accesses that go to the hottest `part` of the pages (rounded up to whole pages). */
static double stat_hot_share(const struct stat_step *steps, size_t n, double part)
{
	uint64_t pages = 0, all = 0, hot = 0, left;

	for (size_t i = 0; i < n; i++) {
		pages += steps[i].pages;
		all += steps[i].pages * steps[i].accesses;
	}
	left = (uint64_t)ceil((double)pages * part);
	for (size_t i = 0; i < n && left; i++) {
		uint64_t taken = steps[i].pages < left ? steps[i].pages : left;

		hot += taken * steps[i].accesses;
		left -= taken;
	}
	return stat_share(hot, all);
}

static void stat_compute_heat(const struct trace_stat *s, bool writes_only, double *hot_1, double *hot_10)
{
	size_t n;
	struct stat_step *steps = stat_steps(s, writes_only, &n);

	*hot_1 = stat_hot_share(steps, n, .01);
	*hot_10 = stat_hot_share(steps, n, .1);
	memory_free(steps);
}

static void stat_compute_reuse(struct trace_stat *s)
{
	struct figures *f = &s->figures;

	f->rewrites = s->rewrites.exact + s->rewrites.same_start + s->rewrites.shifted;
	f->first_access = reuse_first_share(s->reuse);
	for (unsigned i = 0; i < CACHE_SIZES; i++)
		f->reuse_within[i] = reuse_share_below(s->reuse, 8 + 2 * i);
	f->entry_bytes = 1ull << s->entry_bits;
}

/* ---- the report ---- */

static void stat_report_rows(
	struct trace_stat *s, const char *title, const struct stat_row *rows, struct report *out)
{
	struct stat_group group = { .title = title, .prefix = "trace.", .rows = rows, .values = s };
	struct stat_list list = { .group = &group, .groups = 1 };

	stat_list_report(&list, out);
}

/* Nothing if no request has a hint. */
static void stat_report_hints(const struct trace_stat *s, struct report *out)
{
	char name[24];

	if (s->hint[0] == trace_stat_requests(s))
		return;
	report_section(out, "hints");
	for (unsigned hint = 0; hint <= UINT8_MAX; hint++) {
		snprintf(name, sizeof name, "trace.hint.%u", hint);
		if (s->hint[hint])
			report_count(out, name, s->hint[hint], "requests", "with this hint");
	}
}

void trace_stat_report(struct trace_stat *s, struct report *out)
{
	struct tally_entry *sizes = tally_sorted(s->sizes);
	struct figures *f = &s->figures;

	f->requests = trace_stat_requests(s);
	stat_compute_sizes(s, sizes);
	stat_compute_time(s);
	stat_compute_space(s);
	stat_compute_alignment(s);
	stat_compute_heat(s, false, &f->hot_1, &f->hot_10);
	stat_compute_heat(s, true, &f->hot_1_written, &f->hot_10_written);
	stat_compute_reuse(s);

	stat_report_rows(s, "requests", stat_request_rows, out);
	if (s->flushes || s->fua)
		stat_report_rows(s, NULL, stat_durable_rows, out);
	stat_report_hints(s, out);
	stat_report_rows(s, "sizes of reads and writes", stat_size_rows, out);
	qsort(sizes, f->sizes, sizeof *sizes, stat_by_frequency);
	stat_report_top_sizes(s, sizes, out);
	memory_free(sizes);
	stat_report_rows(s, "time", stat_time_rows, out);
	if (s->depth.count)
		stat_report_rows(s, "responses of the traced system", stat_response_rows, out);
	stat_report_rows(s, "address space", stat_space_rows, out);
	stat_report_rows(s, "across-page requests: no longer than a page, yet in two", stat_across_rows, out);
	stat_report_rows(s, "alignment", stat_alignment_rows, out);
	stat_report_rows(s, "sequentiality", stat_order_rows, out);
	stat_report_rows(s, "heat of 4 KiB pages: a request counts once for each page it touches",
		stat_heat_rows, out);
	stat_report_rows(s,
		"reuse of 4 KiB pages; above 65,536 pages distances are estimated from a sample of them",
		stat_reuse_rows, out);
}
