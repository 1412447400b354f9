/* Trace statistics against slow and obvious computations of the same things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "stats/report.h"
#include "traces/inflight.h"
#include "traces/lately.h"
#include "traces/picture.h"
#include "traces/reuse.h"
#include "traces/stat.h"
#include "traces/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUESTS 3000u
#define DEVICES  3u
#define PAGES    4096u /* of a device, 4 KiB */

static uint64_t seed(void)
{
	const char *text = getenv("SEED");
	uint64_t value = text ? strtoull(text, NULL, 0) : 1;

	print_message("SEED=%llu\n", (unsigned long long)value);
	return value;
}

/* --- reading a report --- */

static char *report_of(const struct record *records, size_t n)
{
	struct trace_stat *stat = trace_stat_create(2048);
	struct report *report = report_create();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	/* Some requests are announced, some are not: that makes no difference. */
	for (size_t i = 0; i < n; i++) {
		if (i % 3 && i + 1 < n)
			trace_stat_expect(stat, &records[i + 1]);
		trace_stat_add(stat, &records[i]);
	}
	assert_int_equal(trace_stat_requests(stat), n);
	trace_stat_report(stat, report);
	report_write_text(report, out);
	fclose(out);
	report_free(report);
	trace_stat_free(stat);
	return text;
}

static double value_of(const char *report, const char *name)
{
	char wanted[96];
	const char *found;

	snprintf(wanted, sizeof wanted, "\ntrace.%s = ", name);
	found = strstr(report, wanted);
	if (!found)
		print_message("no row trace.%s\n", name);
	assert_non_null(found);
	return strtod(found + strlen(wanted), NULL);
}

static void expect(const char *report, const char *name, double wanted)
{
	double got = value_of(report, name);

	if (fabs(got - wanted) > 1e-8 * (1 + fabs(wanted)))
		print_message("trace.%s is %.12g, should be %.12g\n", name, got, wanted);
	assert_true(fabs(got - wanted) <= 1e-8 * (1 + fabs(wanted)));
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* --- a random trace --- */

static struct record *random_trace(uint64_t from)
{
	struct record *records = memory_array(REQUESTS, sizeof *records, "test");
	struct random random;
	tick_t time = 500;

	random_init(&random, from, 2);
	for (size_t i = 0; i < REQUESTS; i++) {
		struct record *r = &records[i];

		time += random_below(&random, 2000000);
		r->time = time;
		r->device = (uint32_t)random_below(&random, DEVICES) * 1000;
		r->type = (enum request_type)(
			random_below(&random, 20) ? random_below(&random, 2) : REQUEST_TRIM);
		r->bytes = random_below(&random, 4) ? 512 * (1 + random_below(&random, 32)) : 4096;
		if (!random_below(&random, 50))
			r->bytes += 1 + random_below(&random, 511);
		r->offset = random_below(&random, 8) * random_below(&random, PAGES * 8 / 10) * 512 / 4;
		if (i && !random_below(&random, 4)) {
			r->offset = records[i - 1].offset + records[i - 1].bytes;
			r->device = records[i - 1].device;
		}
		if (r->offset + r->bytes > PAGES * 4096ull)
			r->offset = 0;
		r->response = random_below(&random, 3) ? random_below(&random, 5000000) : RESPONSE_UNKNOWN;
	}
	return records;
}

static size_t count_type(const struct record *r, enum request_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < REQUESTS; i++)
		n += r[i].type == type;
	return n;
}

static double bytes_of(const struct record *r, enum request_type type)
{
	double sum = 0;

	for (size_t i = 0; i < REQUESTS; i++)
		sum += r[i].type == type ? (double)r[i].bytes : 0;
	return sum;
}

static void test_counts(void **state)
{
	struct record *r = random_trace(seed());
	char *report = report_of(r, REQUESTS);
	double reads = (double)count_type(r, REQUEST_READ), writes = (double)count_type(r, REQUEST_WRITE);
	double seconds = (double)(r[REQUESTS - 1].time - r[0].time) * 1e-9;

	(void)state;
	expect(report, "requests", REQUESTS);
	expect(report, "reads", reads);
	expect(report, "writes", writes);
	expect(report, "trims", REQUESTS - reads - writes);
	expect(report, "write_share", writes / REQUESTS);
	expect(report, "read_bytes", bytes_of(r, REQUEST_READ));
	expect(report, "write_bytes", bytes_of(r, REQUEST_WRITE));
	expect(report, "mean_read_bytes", bytes_of(r, REQUEST_READ) / reads);
	expect(report, "mean_write_bytes", bytes_of(r, REQUEST_WRITE) / writes);
	expect(report, "duration_s", seconds);
	expect(report, "rate", REQUESTS / seconds);
	expect(report, "gap_mean_ns", seconds * 1e9 / (REQUESTS - 1));
	expect(report, "devices", DEVICES);
	free(report);
	memory_free(r);
}

/* --- space --- */

/* What every page of every device saw. */
struct page {
	unsigned accesses, writes;
};

static struct page *count_pages(const struct record *r)
{
	struct page *pages = memory_array(DEVICES * PAGES, sizeof *pages, "test");

	for (size_t i = 0; i < REQUESTS; i++)
		for (uint64_t byte = r[i].offset; byte < r[i].offset + r[i].bytes; byte++) {
			struct page *page = &pages[r[i].device / 1000 * PAGES + byte / 4096];

			if (r[i].type == REQUEST_TRIM || (byte > r[i].offset && byte % 4096))
				continue;
			page->accesses++;
			page->writes += r[i].type == REQUEST_WRITE;
		}
	return pages;
}

static int descending(const void *left, const void *right)
{
	const unsigned *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/* Share of the hottest pages, by sorting all of them. */
static double hot_share(const struct page *pages, bool writes, double part)
{
	unsigned *counts = memory_array(DEVICES * PAGES, sizeof *counts, "test");
	double all = 0, hot = 0;
	size_t n = 0;

	for (size_t i = 0; i < DEVICES * PAGES; i++) {
		unsigned count = writes ? pages[i].writes : pages[i].accesses;

		if (count)
			counts[n++] = count;
		all += count;
	}
	qsort(counts, n, sizeof *counts, descending);
	for (size_t i = 0; i < (size_t)ceil((double)n * part); i++)
		hot += counts[i];
	memory_free(counts);
	return hot / all;
}

static void test_space(void **state)
{
	struct record *r = random_trace(seed());
	struct page *pages = count_pages(r);
	char *report = report_of(r, REQUESTS);
	double span = 0, top = 0, touched = 0, written = 0, page_writes = 0, accesses = 0;

	(void)state;
	for (uint32_t device = 0; device < DEVICES; device++) {
		double low = 1e30, high = 0;

		for (size_t i = 0; i < REQUESTS; i++) {
			if (r[i].device != device * 1000)
				continue;
			low = fmin(low, (double)r[i].offset);
			high = fmax(high, (double)(r[i].offset + r[i].bytes));
		}
		span += high - low;
		top = fmax(top, high);
	}
	for (size_t i = 0; i < DEVICES * PAGES; i++) {
		touched += pages[i].accesses > 0;
		written += pages[i].writes > 0;
		page_writes += pages[i].writes;
		accesses += pages[i].accesses;
	}
	expect(report, "span_bytes", span);
	expect(report, "max_address_bytes", top);
	expect(report, "footprint_pages", touched);
	expect(report, "footprint_bytes", touched * 4096);
	expect(report, "written_pages", written);
	expect(report, "page_writes", page_writes);
	expect(report, "rewrite_share", 1 - written / page_writes);
	expect(report, "first_access_share", touched / accesses);
	expect(report, "hot_1pct_share", hot_share(pages, false, .01));
	expect(report, "hot_10pct_share", hot_share(pages, false, .1));
	expect(report, "hot_1pct_write_share", hot_share(pages, true, .01));
	expect(report, "hot_10pct_write_share", hot_share(pages, true, .1));
	free(report);
	memory_free(pages);
	memory_free(r);
}

/* --- across pages and alignment --- */

static double across(const struct record *r, uint64_t page, int type)
{
	double n = 0;

	for (size_t i = 0; i < REQUESTS; i++)
		if (r[i].bytes <= page && r[i].offset / page != (r[i].offset + r[i].bytes - 1) / page)
			n += type < 0 || (int)r[i].type == type;
	return n;
}

static void test_across(void **state)
{
	struct record *r = random_trace(seed());
	double reads, writes;
	char *report, name[64];

	(void)state;
	for (size_t i = 0; i < REQUESTS; i++)
		if (r[i].type == REQUEST_TRIM)
			r[i].type = REQUEST_READ;
	report = report_of(r, REQUESTS);
	reads = (double)count_type(r, REQUEST_READ);
	writes = (double)count_type(r, REQUEST_WRITE);
	for (unsigned kib = 4; kib <= 16; kib *= 2) {
		snprintf(name, sizeof name, "across_%uk_share", kib);
		expect(report, name, across(r, kib * 1024, -1) / REQUESTS);
		snprintf(name, sizeof name, "across_%uk_read_share", kib);
		expect(report, name, across(r, kib * 1024, REQUEST_READ) / reads);
		snprintf(name, sizeof name, "across_%uk_write_share", kib);
		expect(report, name, across(r, kib * 1024, REQUEST_WRITE) / writes);
	}
	free(report);
	memory_free(r);
}

static void test_across_by_hand(void **state)
{
	/* 8 KiB pages: a request of 8 KiB on a border, one sector behind it, and one that is longer. */
	static const struct record r[] = {
		{ 0, 8192, 8192, RESPONSE_UNKNOWN, 1, 0, REQUEST_WRITE },
		{ 1, 8704, 8192, RESPONSE_UNKNOWN, 2, 0, REQUEST_WRITE },
		{ 2, 8704, 8704, RESPONSE_UNKNOWN, 3, 0, REQUEST_WRITE },
		{ 3, 15872, 512, RESPONSE_UNKNOWN, 4, 0, REQUEST_READ },
	};
	char *report = report_of(r, 4);

	(void)state;
	expect(report, "across_8k_share", .25);
	expect(report, "across_8k_write_share", 1 / 3.0);
	expect(report, "across_8k_read_share", 0);
	free(report);
}

static void test_alignment(void **state)
{
	struct record *r = random_trace(seed());
	char *report = report_of(r, REQUESTS), name[64];
	double mod8[8] = { 0 }, mod16[REQUEST_TYPES][16] = { { 0 } }, at4k = 0, at8k = 0, times4k = 0,
	       odd = 0;

	(void)state;
	for (size_t i = 0; i < REQUESTS; i++) {
		mod8[r[i].offset / 512 % 8]++;
		mod16[r[i].type][r[i].offset / 512 % 16]++;
		at4k += r[i].offset % 4096 == 0;
		at8k += r[i].offset % 8192 == 0;
		times4k += r[i].bytes % 4096 == 0;
		odd += r[i].offset % 512 != 0;
	}
	expect(report, "start_aligned_4k_share", at4k / REQUESTS);
	expect(report, "start_aligned_8k_share", at8k / REQUESTS);
	expect(report, "size_multiple_4k_share", times4k / REQUESTS);
	expect(report, "start_off_sector_share", odd / REQUESTS);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(name, sizeof name, "start_mod8.%u", i);
		expect(report, name, mod8[i] / REQUESTS);
	}
	for (unsigned i = 0; i < 16; i++) {
		snprintf(name, sizeof name, "read_start_mod16.%u", i);
		expect(report, name, mod16[REQUEST_READ][i] / (double)count_type(r, REQUEST_READ));
		snprintf(name, sizeof name, "write_start_mod16.%u", i);
		expect(report, name, mod16[REQUEST_WRITE][i] / (double)count_type(r, REQUEST_WRITE));
	}
	free(report);
	memory_free(r);
}

/* Start sectors modulo 8: 0 0 1 in the first MiB, 1 1 in the second, 5 in another 64 MiB of the same GiB. */
static void test_residues_by_hand(void **state)
{
	static const struct record r[] = {
		{ 0, 0, 512, RESPONSE_UNKNOWN, 1, 0, REQUEST_WRITE },
		{ 1, 4096, 512, RESPONSE_UNKNOWN, 2, 0, REQUEST_READ },
		{ 2, 512, 512, RESPONSE_UNKNOWN, 3, 0, REQUEST_READ },
		{ 3, (1 << 20) + 512, 512, RESPONSE_UNKNOWN, 4, 0, REQUEST_READ },
		{ 4, (1 << 20) + 4608, 512, RESPONSE_UNKNOWN, 5, 0, REQUEST_WRITE },
		{ 5, (64 << 20) + 2560, 512, RESPONSE_UNKNOWN, 6, 0, REQUEST_READ },
	};
	char *report = report_of(r, 6);

	(void)state;
	expect(report, "residue_share_1m", 5 / 6.0);
	expect(report, "residue_share_64m", 4 / 6.0);
	expect(report, "residue_share_1g", 3 / 6.0);
	expect(report, "residue_share_16g", 3 / 6.0);
	free(report);
}

/* --- sizes --- */

static int ascending(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void expect_sizes(const char *report, const struct record *r, enum request_type type, const char *word)
{
	uint64_t *sizes = memory_array(REQUESTS, sizeof *sizes, "test");
	static const struct {
		const char *name;
		double share;
	} points[] = { { "p50", .5 }, { "p90", .9 }, { "p99", .99 }, { "max", 1 } };
	char name[64];
	size_t n = 0;

	for (size_t i = 0; i < REQUESTS; i++)
		if (r[i].type == type)
			sizes[n++] = r[i].bytes;
	qsort(sizes, n, sizeof *sizes, ascending);
	for (size_t i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "%s_size_%s_bytes", word, points[i].name);
		expect(report, name, (double)sizes[(size_t)ceil(points[i].share * (double)n) - 1]);
	}
	memory_free(sizes);
}

static void test_sizes(void **state)
{
	struct record *r = random_trace(seed());
	char *report = report_of(r, REQUESTS);
	double of_4k = 0, all = 0;

	(void)state;
	expect_sizes(report, r, REQUEST_READ, "read");
	expect_sizes(report, r, REQUEST_WRITE, "write");
	for (size_t i = 0; i < REQUESTS; i++) {
		all += r[i].type != REQUEST_TRIM;
		of_4k += r[i].type != REQUEST_TRIM && r[i].bytes == 4096;
	}
	expect(report, "size_share.4096", of_4k / all);
	free(report);
	memory_free(r);
}

static void test_sizes_off_the_grid_by_hand(void **state)
{
	static const struct record r[] = {
		{ 0, 0, 512, RESPONSE_UNKNOWN, 1, 0, REQUEST_WRITE },
		{ 1, 0, 4096, RESPONSE_UNKNOWN, 2, 0, REQUEST_WRITE },
		{ 2, 0, 5120, RESPONSE_UNKNOWN, 3, 0, REQUEST_WRITE },
		{ 3, 0, 8192, RESPONSE_UNKNOWN, 4, 0, REQUEST_WRITE },
		{ 4, 0, 3584, RESPONSE_UNKNOWN, 5, 0, REQUEST_READ },
		{ 5, 0, 8704, RESPONSE_UNKNOWN, 6, 0, REQUEST_READ },
	};
	char *report = report_of(r, 6);

	(void)state;
	expect(report, "small_write_share", .25);
	expect(report, "odd_write_share", .25);
	expect(report, "small_read_share", .5);
	expect(report, "odd_read_share", .5);
	free(report);
}

/* --- order --- */

static void test_sequentiality(void **state)
{
	struct record *r = random_trace(seed());
	char *report = report_of(r, REQUESTS);
	double sequential[REQUEST_TYPES] = { 0 }, continuing[REQUEST_TYPES] = { 0 };

	(void)state;
	for (size_t i = 0; i < REQUESTS; i++) {
		bool first = true, found = false;

		for (size_t j = i; j-- > 0;) {
			bool ends_here = r[j].offset + r[j].bytes == r[i].offset;

			if (r[j].device != r[i].device)
				continue;
			sequential[r[i].type] += first && ends_here;
			first = false;
			found |= ends_here;
		}
		continuing[r[i].type] += found;
	}
	expect(report, "sequential_read_share", sequential[0] / (double)count_type(r, REQUEST_READ));
	expect(report, "sequential_write_share", sequential[1] / (double)count_type(r, REQUEST_WRITE));
	expect(report, "continuing_read_share", continuing[0] / (double)count_type(r, REQUEST_READ));
	expect(report, "continuing_write_share", continuing[1] / (double)count_type(r, REQUEST_WRITE));
	assert_true(sequential[0] > 0 && continuing[0] > sequential[0]);
	free(report);
	memory_free(r);
}

static void test_responses(void **state)
{
	struct record *r = random_trace(seed());
	char *report = report_of(r, REQUESTS);
	double sum = 0, reads = 0, read_sum = 0, most = 0;

	(void)state;
	for (size_t i = 0; i < REQUESTS; i++) {
		double under_way = 1;

		if (r[i].response == RESPONSE_UNKNOWN)
			continue;
		sum += (double)r[i].response;
		reads += r[i].type == REQUEST_READ;
		read_sum += r[i].type == REQUEST_READ ? (double)r[i].response : 0;
		for (size_t j = 0; j < i; j++)
			under_way +=
				r[j].response != RESPONSE_UNKNOWN && r[j].time + r[j].response > r[i].time;
		most = fmax(most, under_way);
	}
	expect(report, "response_read_mean_ns", ratio(read_sum, reads));
	expect(report, "depth_mean", sum / (double)(r[REQUESTS - 1].time - r[0].time));
	expect(report, "depth_max", most);
	free(report);
	memory_free(r);
}

/* Without response times there is nothing to say about them. */
static void test_no_responses(void **state)
{
	struct record r = { 0, 0, 512, RESPONSE_UNKNOWN, 1, 0, REQUEST_READ };
	char *report = report_of(&r, 1);

	(void)state;
	assert_null(strstr(report, "response"));
	expect(report, "duration_s", 0);
	expect(report, "rate", 0);
	expect(report, "write_share", 0);
	expect(report, "mean_write_bytes", 0);
	expect(report, "rewrite_share", 0);
	free(report);
}

/* --- reuse --- */

/* Distinct other pages since the last access; -1: none. */
static long distance(const uint64_t *pages, size_t i)
{
	long distinct = 0;

	for (size_t j = i; j-- > 0;) {
		bool seen = false;

		if (pages[j] == pages[i])
			return distinct;
		for (size_t k = j + 1; k < i && !seen; k++)
			seen = pages[k] == pages[j];
		distinct += !seen;
	}
	return -1;
}

static void test_reuse_is_exact_for_few_pages(void **state)
{
	enum { N = 3000 };
	uint64_t *pages = memory_array(N, sizeof *pages, "test");
	struct reuse *reuse = reuse_create();
	struct random random;
	double below[12] = { 0 }, first = 0;

	(void)state;
	random_init(&random, seed(), 3);
	for (size_t i = 0; i < N; i++) {
		long d;

		pages[i] = random_below(&random, random_below(&random, 2) ? 40 : 700);
		reuse_add(reuse, pages[i]);
		d = distance(pages, i);
		first += d < 0;
		for (unsigned bits = 0; bits < 12; bits++)
			below[bits] += d >= 0 && d < 1L << bits;
	}
	assert_true(fabs(reuse_first_share(reuse) - first / N) < 1e-12);
	for (unsigned bits = 0; bits < 12; bits++)
		assert_true(fabs(reuse_share_below(reuse, bits) - below[bits] / N) < 1e-12);
	reuse_free(reuse);
	memory_free(pages);
}

/* Against distances by a plain search: a key at a distance below n is among the last n. */
static void test_lately_is_exact(void **state)
{
	enum { ASKED = 3000 };
	static const uint32_t sizes[] = { 1, 2, 37, 111, 5000 };
	uint64_t *pages = memory_array(ASKED, sizeof *pages, "test");
	struct random random;

	(void)state;
	random_init(&random, seed(), 5);
	for (size_t i = 0; i < ASKED; i++) /* keys that differ in their upper halves alone, too */
		pages[i] =
			random_below(&random, random_below(&random, 2) ? 40 : 700) * (i % 2 ? 1 : 1ull << 44);
	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		struct lately lately = lately_create(sizes[k]);
		uint64_t found = 0;

		for (size_t i = 0; i < ASKED; i++) {
			long d = distance(pages, i);

			lately_add(&lately, pages[i]);
			found += d >= 0 && d < (long)sizes[k];
			assert_int_equal(lately.found, found);
		}
		assert_int_equal(lately.asked, ASKED);
		lately_free(&lately);
	}
	memory_free(pages);
}

/* Regions by a request's first byte, pages by every page it touches, trims not at all. */
static void test_reuse_by_requests(void **state)
{
	static const struct record r[] = {
		{ 0, 0, 4096, RESPONSE_UNKNOWN, 1, 0, REQUEST_WRITE },       /* region 0, pages 0 1 */
		{ 1, 2048, 4096, RESPONSE_UNKNOWN, 1, 0, REQUEST_READ },     /* again, 1 again, 2 */
		{ 2, 1u << 20, 2048, RESPONSE_UNKNOWN, 1, 0, REQUEST_TRIM }, /* nothing */
		{ 3, (1u << 20) - 512, 1024, RESPONSE_UNKNOWN, 1, 0,
			REQUEST_READ },                                     /* region 0, pages 511 512 */
		{ 4, 1u << 20, 512, RESPONSE_UNKNOWN, 1, 0, REQUEST_READ }, /* region 1, 512 again */
	};
	char *report = report_of(r, sizeof r / sizeof r[0]);

	(void)state;
	expect(report, "region_reuse_111_share", 2. / 4);
	expect(report, "region_reuse_936_share", 2. / 4);
	expect(report, "page_reuse_8192_share", 2. / 7);
	free(report);
}

/* Compares sector ranges with all earlier writes of the device.  Counts how the last write overwrites them:
 * [0] exactly, [1] from the same start, [2] shifted. */
static void count_rewrite(const struct record *r, size_t last, double count[3])
{
	const struct record *w = &r[last];
	uint64_t first = w->offset / SECTOR_BYTES, end = (w->offset + w->bytes - 1) / SECTOR_BYTES;
	uint64_t same_start = 0;
	bool met = false;

	for (size_t i = 0; i < last; i++) {
		uint64_t other = r[i].offset / SECTOR_BYTES;
		uint64_t other_end = (r[i].offset + r[i].bytes - 1) / SECTOR_BYTES;

		if (r[i].type != REQUEST_WRITE || r[i].device != w->device)
			continue;
		met |= other <= end && first <= other_end;
		if (other == first)
			same_start = other_end - other + 1;
	}
	if (met)
		count[!same_start ? 2 : same_start == end - first + 1 ? 0 : 1]++;
}

static void test_rewrites(void **state)
{
	struct record *r = random_trace(seed());
	char *report = report_of(r, REQUESTS);
	double count[3] = { 0 }, all;

	(void)state;
	for (size_t i = 0; i < REQUESTS; i++)
		if (r[i].type == REQUEST_WRITE)
			count_rewrite(r, i, count);
	all = count[0] + count[1] + count[2];
	expect(report, "rewrites", all);
	expect(report, "rewrites_exact_share", count[0] / all);
	expect(report, "rewrites_same_start_share", count[1] / all);
	expect(report, "rewrites_shifted_share", count[2] / all);
	free(report);
	memory_free(r);
}

/* Neighbours in one 4 KiB page overwrite nothing; a write over two groups of 64 sectors meets both. */
static void test_rewrites_by_hand(void **state)
{
	static const struct record r[] = {
		{ 0, 1024, 1024, RESPONSE_UNKNOWN, 1, 0, REQUEST_WRITE },
		{ 1, 2048, 1024, RESPONSE_UNKNOWN, 2, 0, REQUEST_WRITE },
		{ 2, 1024, 1024, RESPONSE_UNKNOWN, 3, 0, REQUEST_READ },
		{ 3, 1024, 1024, RESPONSE_UNKNOWN, 4, 0, REQUEST_WRITE },
		{ 4, 1024, 2048, RESPONSE_UNKNOWN, 5, 0, REQUEST_WRITE },
		{ 5, 512, 1024, RESPONSE_UNKNOWN, 6, 0, REQUEST_WRITE },
		{ 6, 32256, 1024, RESPONSE_UNKNOWN, 7, 0, REQUEST_WRITE },
		{ 7, 32768, 512, RESPONSE_UNKNOWN, 8, 0, REQUEST_WRITE },
		{ 8, 512, 1024, RESPONSE_UNKNOWN, 9, 1, REQUEST_WRITE },
	};
	char *report = report_of(r, 9);

	(void)state;
	expect(report, "rewrites", 4);
	expect(report, "rewrites_exact_share", .25);
	expect(report, "rewrites_same_start_share", .25);
	expect(report, "rewrites_shifted_share", .5);
	free(report);
}

/* A loop over n pages comes back at distance n - 1, however many pages there are. */
static void test_reuse_of_a_loop(void **state)
{
	static const unsigned sizes[] = { 1000, 60000, 200000, 1000000 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct reuse *reuse = reuse_create();
		unsigned bits = 0;

		while (1u << bits < sizes[i])
			bits++;
		for (unsigned round = 0; round < 4; round++)
			for (uint64_t page = 0; page < sizes[i]; page++)
				reuse_add(reuse, page);
		/* When sampling starts, accesses so far are kept: hence not exactly a quarter. */
		assert_true(fabs(reuse_first_share(reuse) - .25) < .02);
		assert_true(reuse_share_below(reuse, bits - 1) < .01);
		assert_true(reuse_share_below(reuse, bits + 1) > .72);
		reuse_free(reuse);
	}
}

/* Uniform accesses to n pages: an LRU cache of c pages hits c/n of them. */
static void test_reuse_of_uniform_accesses(void **state)
{
	enum { PAGES_USED = 1 << 18, ACCESSES = 1 << 22 };
	struct reuse *reuse = reuse_create();
	struct random random;

	(void)state;
	random_init(&random, seed(), 4);
	for (size_t i = 0; i < ACCESSES; i++)
		reuse_add(reuse, random_below(&random, PAGES_USED));
	for (unsigned bits = 14; bits < 18; bits++) {
		double wanted = (double)(1 << bits) / PAGES_USED;

		print_message("%u: %.4f, should be %.4f\n", bits, reuse_share_below(reuse, bits), wanted);
		assert_true(fabs(reuse_share_below(reuse, bits) - wanted) < .02 + .04 * wanted);
	}
	reuse_free(reuse);
}

/* --- parts --- */

static void test_tally(void **state)
{
	enum { KEYS = 20000 };
	struct tally *tally = tally_create("test");
	const struct tally_entry *e;
	size_t seen = 0;

	(void)state;
	for (unsigned round = 0; round < 3; round++)
		for (uint64_t key = 0; key < KEYS; key++)
			tally_add(tally, key << (key % 40), key % 3 == round);
	for (size_t at = 0; (e = tally_next(tally, &at));)
		seen++;
	assert_int_equal(seen, tally_keys(tally));
	e = tally_find(tally, 12345ull << (12345 % 40));
	assert_non_null(e);
	assert_int_equal(e->count[0] + e->count[1], 3);
	assert_int_equal(e->count[1], 1);
	assert_null(tally_find(tally, UINT64_MAX));
	tally_free(tally);
}

static void test_picture_keeps_every_request(void **state)
{
	struct picture *p = picture_create();
	struct random random;
	uint64_t reads = 0, writes = 0, cells = 0;
	tick_t time = 0;

	(void)state;
	random_init(&random, seed(), 5);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t address = random_below(&random, 1ull << (10 + i % 40));

		time += random_below(&random, 1ull << (i % 30));
		picture_add(p, time, address, (enum request_type)(i % 2));
		assert_true(time / p->time_step < p->times);
		assert_true(address / p->address_step < p->addresses);
	}
	for (unsigned i = 0; i < PICTURE_TIMES; i++) {
		reads += p->reads[i];
		writes += p->writes[i];
		for (unsigned j = 0; j < PICTURE_ADDRESSES; j++)
			cells += p->heat[i][j];
	}
	assert_int_equal(reads, 10000);
	assert_int_equal(writes, 10000);
	assert_int_equal(cells, 20000);
	assert_true(p->times > PICTURE_TIMES / 2 - 1);
	memory_free(p);
}

static void test_inflight_by_hand(void **state)
{
	struct heap f = { .count = 0 };

	(void)state;
	assert_int_equal(inflight_add(&f, 0, 100), 0);
	assert_int_equal(inflight_add(&f, 10, 20), 1);
	assert_int_equal(inflight_add(&f, 19, 300), 2);
	assert_int_equal(inflight_add(&f, 20, 25), 2); /* the second is done at this very moment */
	assert_int_equal(inflight_add(&f, 100, 101), 1);
	assert_int_equal(inflight_add(&f, 1000, 1000), 0);
	memory_free(f.element);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_space),
		cmocka_unit_test(test_across),
		cmocka_unit_test(test_across_by_hand),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_residues_by_hand),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sizes_off_the_grid_by_hand),
		cmocka_unit_test(test_sequentiality),
		cmocka_unit_test(test_responses),
		cmocka_unit_test(test_no_responses),
		cmocka_unit_test(test_reuse_is_exact_for_few_pages),
		cmocka_unit_test(test_lately_is_exact),
		cmocka_unit_test(test_reuse_by_requests),
		cmocka_unit_test(test_rewrites),
		cmocka_unit_test(test_rewrites_by_hand),
		cmocka_unit_test(test_reuse_of_a_loop),
		cmocka_unit_test(test_reuse_of_uniform_accesses),
		cmocka_unit_test(test_tally),
		cmocka_unit_test(test_picture_keeps_every_request),
		cmocka_unit_test(test_inflight_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
