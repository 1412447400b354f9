#include "base/memory.h"
#include "traces/stat_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_SIZES 10u

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void put_share(
	struct report *out, const char *name, uint64_t part, uint64_t whole, const char *meaning)
{
	report_real(out, name, share(part, whole), "", meaning);
}

static void report_requests(const struct trace_stat *s, struct report *out)
{
	const struct counts *read = &s->type[REQUEST_READ], *write = &s->type[REQUEST_WRITE];
	uint64_t n = trace_stat_requests(s);

	report_section(out, "requests");
	report_count(out, "trace.requests", n, "requests", "all");
	report_count(out, "trace.reads", read->requests, "requests", "reads");
	report_count(out, "trace.writes", write->requests, "requests", "writes");
	report_count(out, "trace.trims", s->type[REQUEST_TRIM].requests, "requests", "trims (discards)");
	put_share(out, "trace.write_share", write->requests, n, "writes / requests");
	report_count(out, "trace.read_bytes", read->bytes, "bytes", "read in all");
	report_count(out, "trace.write_bytes", write->bytes, "bytes", "written in all");
	report_real(out, "trace.mean_read_bytes", share(read->bytes, read->requests), "bytes",
		"mean size of a read");
	report_real(out, "trace.mean_write_bytes", share(write->bytes, write->requests), "bytes",
		"mean size of a write");
}

static void report_time(const struct trace_stat *s, struct report *out)
{
	double seconds = (double)(s->last - s->first) / 1e9;
	double mean = histogram_mean(&s->gap);
	uint64_t n = trace_stat_requests(s);

	report_section(out, "time");
	report_real(out, "trace.duration_s", seconds, "s", "first to last arrival");
	report_real(out, "trace.rate", seconds > 0 ? (double)n / seconds : 0, "requests/s",
		"mean rate of arrival");
	report_real(out, "trace.gap_mean_ns", mean, "ns", "mean time between arrivals");
	report_real(out, "trace.gap_cv", mean > 0 ? histogram_deviation(&s->gap) / mean : 0, "",
		"its deviation / mean; 1 for random (Poisson) arrivals");
	report_count(out, "trace.gap_p50_ns", histogram_percentile(&s->gap, .5), "ns",
		"half of the gaps are no longer");
	report_count(out, "trace.gap_p90_ns", histogram_percentile(&s->gap, .9), "ns", "nine of ten");
	report_count(out, "trace.gap_p99_ns", histogram_percentile(&s->gap, .99), "ns", "99 of 100");
	report_count(out, "trace.gap_max_ns", s->gap.max, "ns", "the longest");
}

static void report_response(const struct trace_stat *s, struct report *out)
{
	const struct histogram *read = &s->type[REQUEST_READ].response;
	const struct histogram *write = &s->type[REQUEST_WRITE].response;
	double ns = (double)(s->last - s->first);
	double busy = (double)read->sum + (double)write->sum + (double)s->type[REQUEST_TRIM].response.sum;

	if (!s->depth.count)
		return;
	report_section(out, "responses of the traced system");
	report_real(out, "trace.response_read_mean_ns", histogram_mean(read), "ns",
		"mean response time of reads");
	report_count(
		out, "trace.response_read_p99_ns", histogram_percentile(read, .99), "ns", "99 of 100 reads");
	report_real(out, "trace.response_write_mean_ns", histogram_mean(write), "ns",
		"mean response time of writes");
	report_count(out, "trace.response_write_p99_ns", histogram_percentile(write, .99), "ns",
		"99 of 100 writes");
	report_real(out, "trace.depth_mean", ns > 0 ? busy / ns : 0, "requests",
		"under way at a time, mean over time");
	report_count(out, "trace.depth_p50", histogram_percentile(&s->depth, .5), "requests",
		"under way when one arrives, itself included: half of the arrivals see no more");
	report_count(out, "trace.depth_p99", histogram_percentile(&s->depth, .99), "requests",
		"99 of 100 arrivals");
	report_count(out, "trace.depth_max", s->depth.max, "requests", "the most");
}

static void report_space(const struct trace_stat *s, uint64_t written, struct report *out)
{
	uint64_t pages = tally_keys(s->pages), span = 0;

	for (size_t i = 0; i < s->reaches; i++)
		span += s->reach[i].high - s->reach[i].low;
	report_section(out, "address space");
	report_count(out, "trace.devices", devices_count(s->devices), "devices", "that requests go to");
	report_count(out, "trace.max_address_bytes", s->max_end, "bytes",
		"end of the highest request of any device");
	report_count(
		out, "trace.span_bytes", span, "bytes", "lowest to highest address, summed over devices");
	report_count(out, "trace.footprint_pages", pages, "4 KiB pages", "distinct pages read or written");
	report_count(out, "trace.footprint_bytes", pages << PAGE_BITS, "bytes", "of these pages");
	report_count(out, "trace.written_pages", written, "4 KiB pages", "distinct pages written");
}

static void report_across(const struct trace_stat *s, struct report *out)
{
	const struct counts *read = &s->type[REQUEST_READ], *write = &s->type[REQUEST_WRITE];
	char name[64];

	report_section(out, "across-page requests: no longer than a page, yet in two");
	for (unsigned i = 0; i < ACROSS_SIZES; i++) {
		unsigned kib = 4u << i;

		snprintf(name, sizeof name, "trace.across_%uk_share", kib);
		put_share(out, name, read->across[i] + write->across[i], trace_stat_requests(s),
			"across-page / all requests");
		snprintf(name, sizeof name, "trace.across_%uk_read_share", kib);
		put_share(out, name, read->across[i], read->requests, "across-page / all reads");
		snprintf(name, sizeof name, "trace.across_%uk_write_share", kib);
		put_share(out, name, write->across[i], write->requests, "across-page / all writes");
	}
}

/* How many requests start on the residue that is commonest in their region of 1 << bits MiB.  By ascending keys. */
static uint64_t on_commonest_residue(const struct tally_entry *entry, size_t n, unsigned bits)
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

static void report_residues(const struct trace_stat *s, struct report *out)
{
	static const struct {
		const char *name;
		unsigned bits;
	} regions[] = { { "1m", 0 }, { "64m", 6 }, { "1g", 10 }, { "16g", 14 } };
	struct tally_entry *sorted = tally_sorted(s->residues);
	size_t n = tally_keys(s->residues);
	char name[64];

	for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
		snprintf(name, sizeof name, "trace.residue_share_%s", regions[i].name);
		put_share(out, name, on_commonest_residue(sorted, n, regions[i].bits), trace_stat_requests(s),
			"requests whose start sector modulo 8 is the commonest of their region of this size");
	}
	memory_free(sorted);
}

static void report_alignment(const struct trace_stat *s, struct report *out)
{
	const struct counts *read = &s->type[REQUEST_READ], *write = &s->type[REQUEST_WRITE];
	uint64_t n = trace_stat_requests(s);
	char name[64];

	report_section(out, "alignment");
	put_share(out, "trace.start_aligned_4k_share", s->aligned_4k, n, "start on a 4 KiB border");
	put_share(out, "trace.start_aligned_8k_share", s->aligned_8k, n, "start on an 8 KiB border");
	put_share(out, "trace.size_multiple_4k_share", s->size_4k, n, "sizes that are multiples of 4 KiB");
	put_share(out, "trace.start_off_sector_share", s->off_sector, n, "do not start on a sector border");
	for (unsigned i = 0; i < 8; i++) {
		uint64_t count = 0;

		for (int type = 0; type < REQUEST_TYPES; type++)
			count += s->type[type].start_mod16[i] + s->type[type].start_mod16[i + 8];
		snprintf(name, sizeof name, "trace.start_mod8.%u", i);
		put_share(out, name, count, n, "share of requests by start sector modulo 8");
	}
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof name, "trace.read_start_mod16.%u", i);
		put_share(out, name, read->start_mod16[i], read->requests,
			"share of reads by start sector modulo 16");
	}
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof name, "trace.write_start_mod16.%u", i);
		put_share(out, name, write->start_mod16[i], write->requests,
			"share of writes by start sector modulo 16");
	}
}

static uint64_t size_count(const struct tally_entry *e)
{
	return (uint64_t)e->count[0] + e->count[1];
}

/* Most frequent first; the smaller of equals first. */
static int by_frequency(const void *left, const void *right)
{
	const struct tally_entry *a = left, *b = right;

	if (size_count(a) != size_count(b))
		return size_count(a) < size_count(b) ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

/* The smallest size that a share of the reads (which = 0) or writes (1) does not exceed.
 * The entries are sorted by size. */
static uint64_t size_percentile(
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

static void report_size_percentiles(
	const struct trace_stat *s, const struct tally_entry *sizes, size_t n, struct report *out)
{
	static const struct {
		const char *name, *meaning;
		double share;
	} points[] = { { "p50", "half are no larger", .5 }, { "p90", "nine of ten are no larger", .9 },
		{ "p99", "99 of 100 are no larger", .99 }, { "max", "the largest", 1 } };
	static const char *const types[] = { "read", "write" };
	char name[64];

	for (int which = 0; which < 2; which++) {
		uint64_t requests = s->type[which ? REQUEST_WRITE : REQUEST_READ].requests;

		for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
			snprintf(name, sizeof name, "trace.%s_size_%s_bytes", types[which], points[i].name);
			report_count(out, name, size_percentile(sizes, n, which, requests, points[i].share),
				"bytes", points[i].meaning);
		}
	}
}

/* Sizes that are no whole number of a guest's blocks of 4 KiB. */
static void report_off_grid(
	const struct trace_stat *s, const struct tally_entry *sizes, size_t n, struct report *out)
{
	static const char *const types[] = { "read", "write" };
	char name[64];

	for (int which = 0; which < 2; which++) {
		uint64_t requests = s->type[which ? REQUEST_WRITE : REQUEST_READ].requests, small = 0,
			 odd = 0;

		for (size_t i = 0; i < n; i++) {
			small += sizes[i].key < 4096 ? sizes[i].count[which] : 0;
			odd += sizes[i].key > 4096 && sizes[i].key % 4096 ? sizes[i].count[which] : 0;
		}
		snprintf(name, sizeof name, "trace.small_%s_share", types[which]);
		put_share(out, name, small, requests, "smaller than 4 KiB");
		snprintf(name, sizeof name, "trace.odd_%s_share", types[which]);
		put_share(out, name, odd, requests, "larger than 4 KiB and no multiple of it");
	}
}

static void report_sizes(const struct trace_stat *s, struct report *out)
{
	uint64_t requests = s->type[REQUEST_READ].requests + s->type[REQUEST_WRITE].requests;
	struct tally_entry *sizes = tally_sorted(s->sizes);
	size_t n = tally_keys(s->sizes);
	char name[64];

	report_section(out, "sizes of reads and writes");
	report_size_percentiles(s, sizes, n, out);
	report_off_grid(s, sizes, n, out);
	qsort(sizes, n, sizeof *sizes, by_frequency);
	report_count(out, "trace.sizes", n, "sizes", "distinct ones; the most frequent follow");
	for (size_t i = 0; i < n && i < TOP_SIZES; i++) {
		snprintf(name, sizeof name, "trace.size_share.%llu", (unsigned long long)sizes[i].key);
		put_share(out, name, size_count(&sizes[i]), requests, "requests of so many bytes");
	}
	memory_free(sizes);
}

static void report_order(const struct trace_stat *s, struct report *out)
{
	const struct counts *read = &s->type[REQUEST_READ], *write = &s->type[REQUEST_WRITE];

	report_section(out, "sequentiality");
	put_share(out, "trace.sequential_read_share", read->sequential, read->requests,
		"reads that start where the device's previous request ended / reads");
	put_share(out, "trace.sequential_write_share", write->sequential, write->requests,
		"writes that start where the device's previous request ended / writes");
	put_share(out, "trace.continuing_read_share", read->continuing, read->requests,
		"reads that start where any earlier request ended / reads");
	put_share(out, "trace.continuing_write_share", write->continuing, write->requests,
		"writes that start where any earlier request ended / writes");
}

/* --- heat --- */

/* How many pages were accessed so many times. */
struct step {
	uint64_t accesses, pages;
};

static int by_accesses(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	return (a->accesses < b->accesses) - (a->accesses > b->accesses);
}

static uint64_t accesses_of(const struct tally_entry *page, bool writes_only)
{
	return page->count[1] + (writes_only ? 0 : (uint64_t)page->count[0]);
}

/* The distribution of accesses over pages, hottest first; to be freed. */
static struct step *steps_of(const struct trace_stat *s, bool writes_only, size_t *n)
{
	struct tally *counts = tally_create("page heat");
	struct step *steps;
	const struct tally_entry *e;

	for (size_t at = 0; (e = tally_next(s->pages, &at));)
		if (accesses_of(e, writes_only))
			tally_add(counts, accesses_of(e, writes_only), 0);
	steps = memory_array(tally_keys(counts), sizeof *steps, "page heat");
	*n = 0;
	for (size_t at = 0; (e = tally_next(counts, &at));)
		steps[(*n)++] = (struct step){ .accesses = e->key, .pages = e->count[0] };
	qsort(steps, *n, sizeof *steps, by_accesses);
	tally_free(counts);
	return steps;
}

/* Share of the accesses that go to the hottest `part` of the pages (rounded up to whole pages). */
static double hot_share(const struct step *steps, size_t n, double part)
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
	return share(hot, all);
}

static void report_heat(const struct trace_stat *s, struct report *out)
{
	size_t n;
	struct step *steps = steps_of(s, false, &n);

	report_section(out, "heat of 4 KiB pages: a request counts once for each page it touches");
	report_real(out, "trace.hot_1pct_share", hot_share(steps, n, .01), "",
		"of the accesses, to the hottest 1 % of the pages");
	report_real(out, "trace.hot_10pct_share", hot_share(steps, n, .1), "", "to the hottest 10 %");
	memory_free(steps);
	steps = steps_of(s, true, &n);
	report_real(out, "trace.hot_1pct_write_share", hot_share(steps, n, .01), "",
		"of the page writes, to the 1 % of the written pages that are written most");
	report_real(out, "trace.hot_10pct_write_share", hot_share(steps, n, .1), "", "to the 10 %");
	memory_free(steps);
}

static void report_rewrites(const struct rewrites *r, struct report *out)
{
	uint64_t all = r->exact + r->same_start + r->shifted;

	report_count(out, "trace.rewrites", all, "requests", "writes of which a sector was written before");
	put_share(out, "trace.rewrites_exact_share", r->exact, all,
		"of these, begin where an earlier write began and are as long as the latest of those");
	put_share(out, "trace.rewrites_same_start_share", r->same_start, all, "and have another length");
	put_share(out, "trace.rewrites_shifted_share", r->shifted, all, "begin where no write began");
}

static void report_reuse(const struct trace_stat *s, uint64_t written, struct report *out)
{
	static const struct {
		const char *name;
		unsigned log2_pages;
	} caches[] = { { "1m", 8 }, { "4m", 10 }, { "16m", 12 }, { "64m", 14 }, { "256m", 16 }, { "1g", 18 },
		{ "4g", 20 }, { "16g", 22 }, { "64g", 24 } };
	uint64_t writes = s->type[REQUEST_WRITE].pages;
	char name[64];

	report_section(out,
		"reuse of 4 KiB pages; above 65,536 pages distances are estimated from a sample of them");
	report_count(out, "trace.page_writes", writes, "4 KiB pages", "written, each as often as it was");
	put_share(out, "trace.rewrite_share", writes - written, writes,
		"page writes to a page that was written before");
	report_rewrites(&s->rewrites, out);
	report_real(out, "trace.first_access_share", reuse_first_share(s->reuse), "",
		"page accesses that are the first to their page");
	for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
		snprintf(name, sizeof name, "trace.reuse_within_%s_share", caches[i].name);
		report_real(out, name, reuse_share_below(s->reuse, caches[i].log2_pages), "",
			"page accesses that an LRU cache of this many bytes would hit");
	}
}

/* What caches of a mapping would hit, exactly. */
static void report_lately(const struct trace_stat *s, struct report *out)
{
	put_share(out, "trace.region_reuse_111_share", s->few_regions.found, s->few_regions.asked,
		"requests whose 1 MiB region is among the last 111");
	put_share(out, "trace.region_reuse_936_share", s->many_regions.found, s->many_regions.asked,
		"requests whose 1 MiB region is among the last 936");
	report_count(
		out, "trace.reuse_page_bytes", 1ull << s->entry_bits, "bytes", "a page of the next line");
	put_share(out, "trace.page_reuse_8192_share", s->entries.found, s->entries.asked,
		"page accesses to one of the last 8,192");
}

static uint64_t written_pages(const struct trace_stat *s)
{
	const struct tally_entry *e;
	uint64_t written = 0;

	for (size_t at = 0; (e = tally_next(s->pages, &at));)
		written += e->count[1] > 0;
	return written;
}

void trace_stat_report(const struct trace_stat *s, struct report *out)
{
	uint64_t written = written_pages(s);

	report_requests(s, out);
	report_sizes(s, out);
	report_time(s, out);
	report_response(s, out);
	report_space(s, written, out);
	report_across(s, out);
	report_alignment(s, out);
	report_residues(s, out);
	report_order(s, out);
	report_heat(s, out);
	report_reuse(s, written, out);
	report_lately(s, out);
}
