/*
 * The generator: its distributions against the exact laws, every request of its address streams against their
 * definition, the profiles against the published figures they stand for (counted here, request by request),
 * and bad profiles with the whole message.
 */
#include "traces/generate.h"
#include "traces/rewrites.h"

#include "base/memory.h"
#include "tests/table_2.h"
#include "tests/tier.h"
#include "traces/generate_draw.h"
#include "traces/generate_math.h"
#include "traces/generate_targets.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_OVERRIDES 8

static uint64_t seed(void)
{
	const char *text = getenv("SEED");

	return text ? strtoull(text, NULL, 10) : 41;
}

/* Opens a profile with overrides given as further arguments, NULL-ended. */
static struct generator *open_with(const char *profile, ...)
{
	char *overrides[MAX_OVERRIDES];
	struct fault fault = { "" };
	struct generator *g;
	size_t n = 0;
	va_list args;

	va_start(args, profile);
	while (n < MAX_OVERRIDES && (overrides[n] = va_arg(args, char *)))
		n++;
	va_end(args);
	g = generator_open(profile, overrides, n, &fault);
	if (!g)
		fail_msg("%s: %s", profile, fault.text);
	return g;
}

/* Writes a profile of the given text to a new file.  The caller unlinks and frees the path. */
static char *write_profile(const char *text)
{
	char *path = memory_string("/tmp/test_generate.XXXXXX", "path");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	return path;
}

static struct generator *open_text(const char *text)
{
	char *path = write_profile(text);
	struct generator *g = open_with(path, NULL);

	unlink(path);
	memory_free(path);
	return g;
}

static void assert_near(const char *what, double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%s is %g, should be %g +- %g", what, value, expected, tolerance);
}

/* Chi-square of counts against expected ones, as standard deviations above its mean. */
static double chi_square_excess(const uint64_t *count, const double *expected, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((double)count[i] - expected[i]) * ((double)count[i] - expected[i]) / expected[i];
	return (sum - (double)(n - 1)) / sqrt(2.0 * (double)(n - 1));
}

/* Far beyond chance, yet a law that is off by a few per cent exceeds it by far. */
#define EXCESS_LIMIT 5.0

/* ---- logarithm and exponential ---- */

/* Against long double, whose error is a thousandth of what is allowed. */
static void assert_right(const char *name, double x, double value, long double right)
{
	long double unit = 0x1p-52L * fabsl(right);

	if (!(fabsl((long double)value - right) <= 4 * unit))
		fail_msg("SEED=%" PRIu64 ": %s(%a) is %a, off by %Lg units in the last place", seed(), name,
			x, value, ((long double)value - right) / unit);
}

static void check_functions(double log_x, double small)
{
	double x = (double)expl(log_x);

	assert_right("log", x, portable_log(x), logl(x));
	assert_right("exp", log_x, portable_exp(log_x), expl(log_x));
	assert_right("expm1", log_x, portable_expm1(log_x), expm1l(log_x));
	assert_right("expm1", small, portable_expm1(small), expm1l(small));
	assert_right("log1p", small, portable_log1p(small), log1pl(small));
}

static void portable_functions_are_right(void **state)
{
	struct random random;

	(void)state;
	random_init(&random, seed(), 2);
	assert_true(portable_log(1) == 0 && portable_log1p(0) == 0);
	assert_true(portable_exp(0) == 1 && portable_expm1(0) == 0);
	check_functions(690, 0.99);
	check_functions(-690, -0.99);
	for (unsigned i = 0; i < 200000; i++) {
		double sign = random_below(&random, 2) ? 1 : -1;

		check_functions(sign * ldexp(random_unit(&random), (int)random_below(&random, 10)),
			sign * ldexp(random_unit(&random), -(int)random_below(&random, 60)));
	}
}

/* ---- distributions ---- */

static void check_zipf(uint64_t n, double exponent, double shift, uint64_t draws)
{
	uint64_t *count = memory_array(n, sizeof *count, "test");
	double *expected = memory_array(n, sizeof *expected, "test"), sum = 0, excess;
	struct random random;
	struct zipf zipf;

	random_init(&random, seed(), 0);
	zipf_init(&zipf, n, exponent, shift);
	for (uint64_t i = 0; i < n; i++)
		sum += expected[i] = pow((double)i + 1 + shift, -exponent);
	for (uint64_t i = 0; i < n; i++)
		expected[i] *= (double)draws / sum;
	for (uint64_t i = 0; i < draws; i++) {
		uint64_t rank = zipf_draw(&zipf, &random);

		assert_true(rank < n);
		count[rank]++;
	}
	excess = chi_square_excess(count, expected, n);
	if (fabs(excess) > EXCESS_LIMIT)
		fail_msg("SEED=%" PRIu64 ": zipf(%g, %g) of %" PRIu64 " is off by %g deviations", seed(),
			exponent, shift, n, excess);
	memory_free(count);
	memory_free(expected);
}

static void zipf_follows_its_law(void **state)
{
	(void)state;
	check_zipf(1, 0.9, 0, 1000);
	check_zipf(2, 1.0, 0, 100000);
	check_zipf(100, 0, 0, 200000);
	check_zipf(1000, 0.5, 0, 500000);
	check_zipf(1000, 0.99, 0, 500000);
	check_zipf(1000, 1.0, 10, 500000);
	check_zipf(100, 1.7, 0, 2000000);
	check_zipf(100, 2.5, 20, 500000);
}

static void mix_follows_its_weights(void **state)
{
	static const uint64_t values[] = { 1, 3, 8, 16, 256 };
	double expected[] = { 100000, 50000, 700000, 149000, 1000 };
	uint64_t drawn[5] = { 0 }, ordered[5] = { 0 };
	struct fault fault = { "" };
	struct random random;
	struct mix mix;

	(void)state;
	random_init(&random, seed(), 1);
	assert_true(
		mix_parse(&mix, " 512:1e1 1536:5\t4K:70 8K:14.9 128K:0.1 ", MIX_SECTORS, "sizes", &fault));
	assert_int_equal(mix_largest(&mix), 256);
	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t value = mix_value(&mix, random_unit(&random)),
			 quantile = mix_quantile(&mix, i / 1e6);

		for (unsigned k = 0; k < 5; k++) {
			drawn[k] += value == values[k];
			ordered[k] += quantile == values[k];
		}
	}
	assert_true(fabs(chi_square_excess(drawn, expected, 5)) < EXCESS_LIMIT);
	for (unsigned k = 0; k < 5; k++)
		assert_near("interval of a value", (double)ordered[k], expected[k], 1.5);
	mix_release(&mix);
}

/* Mean (sectors), shares across a page of 16 sectors and of 32, share below 8 sectors, share of larger ones
 * off a grid of 8. */
static struct size_targets shares_of(const struct mix *mix)
{
	struct size_targets s = { 0 };

	for (size_t i = 0; i < mix->count; i++) {
		uint64_t n = mix->part[i].value;

		s.mean += mix->part[i].weight * (double)n;
		s.across += n <= 16 ? mix->part[i].weight * (double)(n - 1) / 16 : 0;
		s.across_16k += n <= 32 ? mix->part[i].weight * (double)(n - 1) / 32 : 0;
		s.small += n < 8 ? mix->part[i].weight : 0;
		s.odd += n > 8 && n % 8 ? mix->part[i].weight : 0;
	}
	return s;
}

/* Targets are met exactly.  The mean alone decides on two sizes: 1 and 9 sectors, on average 3, is 3 : 1. */
static void targets_are_met(void **state)
{
	static const struct size_targets wanted[] = { { .mean = 17.8 }, { .mean = 40, .across = 0.1 },
		{ .mean = 17.2, .across = 0.33, .across_16k = 0.25, .small = 0.165, .odd = 0.041 },
		{ .small = 0.999 }, { .mean = 250 }, { .mean = 1.1 }, { .across = 0.03 } };
	struct fault fault = { "" };
	struct mix mix;

	(void)state;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		struct size_targets got, want = wanted[i];

		assert_true(mix_parse(&mix, "512:37 1536:31 4K:293 5K:3 7680:3 8K:25 16K:16 45K:3 128K:16",
			MIX_SECTORS, "sizes", &fault));
		assert_true(targets_apply(&mix, &want, 8, "sizes", &fault));
		got = shares_of(&mix);
		assert_near("mean", want.mean > 0 ? got.mean : 0, want.mean, 1e-6);
		assert_near("across", want.across > 0 ? got.across : 0, want.across, 1e-6);
		assert_near("across 16K", want.across_16k > 0 ? got.across_16k : 0, want.across_16k, 1e-6);
		assert_near("small", want.small > 0 ? got.small : 0, want.small, 1e-6);
		assert_near("odd", want.odd > 0 ? got.odd : 0, want.odd, 1e-6);
		mix_release(&mix);
	}
	assert_true(mix_parse(&mix, "512 4608", MIX_SECTORS, "sizes", &fault));
	assert_true(targets_apply(&mix, &(struct size_targets){ .mean = 3 }, 8, "sizes", &fault));
	assert_near("share of the smaller", mix.part[0].weight, 0.75, 1e-6);
	mix_release(&mix);
}

static void impossible_targets_are_told(void **state)
{
	char *across[] = { "across=0.6", "across_ratio=10" }, *mean[] = { "write.mean=204800" };
	struct fault fault = { "" };

	(void)state;
	assert_null(generator_open("lun1", across, 2, &fault));
	assert_non_null(strstr(
		fault.text, "read.sizes: no weights of these sizes have mean = 21375.6, across = 0.05"));
	assert_null(generator_open("lun1", mean, 1, &fault));
	assert_non_null(strstr(fault.text, "sizes: no weights of these sizes have mean = "));
}

/* Also with another ratio of the across shares of writes and reads, the share of all requests is the
 * published one. */
static void across_is_shared_between_reads_and_writes(void **state)
{
	struct generator *g = open_with("lun2", "requests=200000", "across_ratio=2.5", NULL);
	double across[2] = { 0 }, count[2] = { 0 };
	struct request r;

	(void)state;
	while (generator_next(g, &r)) {
		count[r.type == REQUEST_WRITE]++;
		across[r.type == REQUEST_WRITE] +=
			r.sectors <= 16 && r.start / 16 != (r.start + r.sectors - 1) / 16;
	}
	assert_near("across of all", (across[0] + across[1]) / 200000, 0.164, 0.006);
	assert_near("of writes over of reads", across[1] / count[1] / (across[0] / count[0]), 2.5, 0.1);
	generator_close(g);
}

static void uniform_is_uniform(void **state)
{
	struct generator *g = open_with("uniform", "space=1G", "requests=1000000", NULL);
	uint64_t count[1024] = { 0 };
	double expected[1024], excess;
	struct request r;

	(void)state;
	while (generator_next(g, &r)) {
		assert_int_equal(r.start % 8, 0);
		count[r.start >> 11]++;
	}
	for (unsigned i = 0; i < 1024; i++)
		expected[i] = 1e6 / 1024;
	excess = chi_square_excess(count, expected, 1024);
	assert_near("chi-square of uniform starts, in deviations", excess, 0, EXCESS_LIMIT);
	generator_close(g);
}

/* The ranks of the profile lie anywhere in the space; its counts, in falling order, follow the law. */
static int falling(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static void zipf_profile_is_zipf(void **state)
{
	struct generator *g = open_with("zipf", "space=1M", "requests=4000000", NULL);
	uint64_t count[256] = { 0 };
	double sum = 0;
	struct request r;

	(void)state;
	while (generator_next(g, &r)) {
		assert_int_equal(r.start % 8, 0);
		count[r.start / 8]++;
	}
	qsort(count, 256, sizeof count[0], falling);
	for (unsigned i = 0; i < 256; i++)
		sum += pow(i + 1, -0.9);
	for (unsigned i = 0; i < 256; i++) {
		double expected = 4e6 * pow(i + 1, -0.9) / sum;

		/* Sorting shifts equal counts by about a deviation; six are allowed. */
		assert_near("count of a rank", (double)count[i], expected, 6 * sqrt(expected));
	}
	generator_close(g);
}

/* ---- address streams ---- */

static void sequential_runs_round_the_space(void **state)
{
	struct generator *g = open_with("sequential", "space=1M", "requests=100", NULL);
	struct request r;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		assert_true(generator_next(g, &r));
		assert_int_equal(r.type, REQUEST_WRITE);
		assert_int_equal(r.start, i % 16 * 128);
		assert_int_equal(r.sectors, 128);
		assert_int_equal(r.arrival, i * 500000);
		assert_int_equal(r.line, i + 1);
	}
	assert_false(generator_next(g, &r));
	assert_false(generator_next(g, &r));
	generator_close(g);
}

/* Requests fill each range with as many sectors as it has before the next one begins; sizes are as listed. */
static void ranges_are_visited_in_order(void **state)
{
	struct generator *g = open_with("ranges", "space=5M", "place.range=2M", "read.sizes=2K 6K", NULL);
	uint64_t sectors = generator_sectors(g), left = generator_requests(g), covered = 0;
	bool disorder = false;
	sector_t last = 0;
	struct request r;

	(void)state;
	assert_int_equal(sectors, 5 * 2048);
	for (; generator_next(g, &r); left--) {
		assert_int_equal(r.start / 4096, covered / 4096);
		assert_int_equal((r.start + r.sectors - 1) / 4096, covered / 4096);
		assert_true(r.start + r.sectors <= sectors);
		assert_int_equal(r.start % 4, 0);
		assert_true(r.sectors == 4 || r.sectors == 12 || (covered + r.sectors) % 4096 == 0 ||
			    covered + r.sectors == sectors);
		disorder |= r.start < last;
		last = r.start;
		covered += r.sectors;
	}
	assert_int_equal(covered, sectors);
	assert_int_equal(left, 0);
	assert_true(disorder);
	generator_close(g);
}

/* In a space for 2^42 requests, only those that will be made are counted. */
static void ranges_end_where_they_are_told(void **state)
{
	struct generator *g = open_with("ranges", "space=2048T", "place.grid=1M", "place.range=1G",
		"read.sizes=512", "requests=3", NULL);

	(void)state;
	assert_int_equal(generator_requests(g), 3);
	generator_close(g);
}

/* Of n requests of one page in n pages a share of 1/e of the pages is never met. */
static void ranges_draw_with_replacement(void **state)
{
	enum { PAGES_OF_RANGE = 16384 };
	struct generator *g = open_with("ranges", "space=32M", "place.range=32M", "read.sizes=2K", NULL);
	unsigned *met = memory_array(PAGES_OF_RANGE, sizeof *met, "test");
	double never = 0;
	struct request r;

	(void)state;
	assert_int_equal(generator_requests(g), PAGES_OF_RANGE);
	while (generator_next(g, &r))
		met[r.start / 4]++;
	for (size_t i = 0; i < PAGES_OF_RANGE; i++)
		never += !met[i];
	assert_true(fabs(never / PAGES_OF_RANGE - exp(-1)) < .01);
	memory_free(met);
	generator_close(g);
}

struct past {
	sector_t start;
	uint32_t sectors;
};

/* With a single source of places, every request can be explained by those before it. */
static void repeats_keep_start_and_length(void **state)
{
	struct generator *g =
		open_text("requests = 20000; write_share = 1.0;"
			  "write: { sizes = \"4K 8K 32K\"; recent = 0.6; recent_depth = 64; };");
	struct past past[20000];
	uint64_t n = 0, repeats = 0;
	struct request r;

	(void)state;
	for (; generator_next(g, &r); n++) {
		bool found = false;

		for (uint64_t back = 1; back <= 64 && back <= n; back++)
			found |= past[n - back].start == r.start && past[n - back].sectors == r.sectors;
		repeats += found;
		past[n] = (struct past){ r.start, r.sectors };
	}
	assert_near("share of repeats", (double)repeats / 20000, 0.6, 0.015);
	generator_close(g);
}

static void runs_continue_earlier_requests(void **state)
{
	struct generator *g = open_text("requests = 20000; write_share = 0.0;"
					"read: { sizes = \"4K 8K 32K\"; sequential = 0.4; streams = 1; };");
	uint64_t continued = 0;
	sector_t end = UINT64_MAX;
	struct request r;

	(void)state;
	while (generator_next(g, &r)) {
		continued += r.start == end;
		end = r.start + r.sectors;
	}
	assert_near("share of continued reads", (double)continued / 20000, 0.4, 0.015);
	generator_close(g);
}

/* Also when reads and writes alternate: a run goes on only after a request of its kind. */
static void runs_continue_the_last_request(void **state)
{
	struct generator *g =
		open_text("requests = 100000; write_share = 0.7;"
			  "read: { sizes = \"4K 8K\"; sequential = 0.15; follow = \"last\"; };"
			  "write: { sizes = \"4K 8K\"; sequential = 0.6; follow = \"last\"; };");
	uint64_t continued[2] = { 0 }, count[2] = { 0 };
	enum request_type last = REQUEST_TRIM;
	sector_t end = UINT64_MAX;
	struct request r;

	(void)state;
	for (; generator_next(g, &r); last = r.type) {
		unsigned kind = r.type == REQUEST_WRITE;

		count[kind]++;
		continued[kind] += r.start == end;
		if (r.start == end)
			assert_int_equal(r.type, last);
		end = r.start + r.sectors;
	}
	assert_near("share of continued reads", (double)continued[0] / (double)count[0], 0.15, 0.01);
	assert_near("share of continued writes", (double)continued[1] / (double)count[1], 0.6, 0.01);
	generator_close(g);
}

static void near_stays_near(void **state)
{
	struct generator *g = open_text("requests = 5000; space = \"1T\"; write_share = 1.0;"
					"write: { near = 0.8; near_span = \"1M\"; recent_depth = 16; };");
	sector_t past[5000];
	uint64_t n = 0, close = 0;
	struct request r;

	(void)state;
	for (; generator_next(g, &r); n++) {
		bool found = false;

		for (uint64_t back = 1; back <= 16 && back <= n; back++) {
			sector_t a = past[n - back], distance = a > r.start ? a - r.start : r.start - a;

			found |= distance > 0 && distance <= 2048;
		}
		close += found;
		past[n] = r.start;
	}
	assert_near("share of requests near an earlier one", (double)close / 5000, 0.8, 0.03);
	generator_close(g);
}

/* A hot set: as many places as the profile says, each with one start and one length. */
static void popular_places_are_fixed(void **state)
{
	struct generator *g = open_text("requests = 10000; write_share = 1.0;"
					"write: { sizes = \"4K 8K 32K\"; popular = 1.0; places = 0.01; };");
	struct past known[100];
	uint64_t places = 0;
	struct request r;

	(void)state;
	while (generator_next(g, &r)) {
		uint64_t i = 0;

		while (i < places && (known[i].start != r.start || known[i].sectors != r.sectors))
			i++;
		if (i < places)
			continue;
		assert_true(places < 100);
		known[places++] = (struct past){ r.start, r.sectors };
	}
	assert_int_equal(places, 100);
	generator_close(g);
}

/* Reads that only go to the places of the writes. */
static void other_reads_what_was_written(void **state)
{
	struct generator *g = open_text("requests = 20000; write_share = 0.5;"
					"write: { sizes = \"4K 8K\"; recent_depth = 32; };"
					"read: { recent = 1.0; other = 1.0; };");
	struct past written[20000];
	uint64_t n = 0, reads = 0, strange = 0;
	struct request r;

	(void)state;
	while (generator_next(g, &r)) {
		bool found = false;

		if (r.type == REQUEST_WRITE) {
			written[n++] = (struct past){ r.start, r.sectors };
			continue;
		}
		for (uint64_t back = 1; back <= 32 && back <= n; back++)
			found |= written[n - back].start == r.start && written[n - back].sectors == r.sectors;
		strange += !found;
		reads++;
		/* Only reads before the first write have nowhere to go. */
		assert_true(found || n == 0);
	}
	assert_int_equal(reads, 10000);
	assert_true(strange < 50);
	generator_close(g);
}

static void kinds_come_in_bursts(void **state)
{
	struct generator *g = open_text("requests = 100000; write_share = 0.3; together = 0.5;");
	uint64_t same = 0, writes = 0;
	enum request_type last = REQUEST_TRIM;
	struct request r;

	(void)state;
	for (; generator_next(g, &r); last = r.type) {
		same += r.type == last;
		writes += r.type == REQUEST_WRITE;
	}
	assert_int_equal(writes, 30000);
	/* 0.5 + 0.5 (0.3^2 + 0.7^2) */
	assert_near("share of requests of their predecessor's kind", (double)same / 100000, 0.79, 0.01);
	generator_close(g);
}

static void gaps_have_their_means(void **state)
{
	struct generator *g = open_text("requests = 200000; arrival: { gaps = \"100:3 1300:1\"; };");
	struct request r = { 0 };

	(void)state;
	while (generator_next(g, &r))
		;
	assert_near("mean gap in us", (double)r.arrival / 199999 / 1000, 400, 6);
	generator_close(g);
}

static void same_seed_same_trace(void **state)
{
	struct generator *a = open_with("lun1", "requests=20000", NULL);
	struct generator *b = open_with("lun1", "requests=20000", NULL);
	struct generator *c = open_with("lun1", "requests=20000", "seed=4711", NULL);
	struct request x, y, z;
	uint64_t differ = 0;

	(void)state;
	while (generator_next(a, &x)) {
		assert_true(generator_next(b, &y) && generator_next(c, &z));
		assert_true(x.arrival == y.arrival && x.start == y.start && x.line == y.line &&
			    x.sectors == y.sectors && x.device == y.device && x.type == y.type);
		differ += x.start != z.start;
	}
	assert_true(differ > 19000);
	generator_close(a);
	generator_close(b);
	generator_close(c);
}

/* FNV-1a (64 bits) over the numbers of all requests. */
static uint64_t checksum(struct generator *g)
{
	uint64_t sum = 0xcbf29ce484222325u;
	struct request r;

	while (generator_next(g, &r)) {
		uint64_t fields[] = { r.arrival, r.start, r.sectors, r.type == REQUEST_WRITE };

		for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
			for (unsigned shift = 0; shift < 64; shift += 8)
				sum = (sum ^ (fields[i] >> shift & 0xff)) * 0x100000001b3u;
	}
	return sum;
}

/* Two runs on one machine cannot show that another machine makes the same trace; a number taken on one
 * (x86-64) can.  The profile uses everything that involves arithmetic with fractions. */
static void same_trace_on_every_machine(void **state)
{
	struct generator *g = open_text(
		"requests = 200000; space = \"80G\"; seed = 7; write_share = 0.6; together = 0.4;"
		"arrival: { gaps = \"1050:65.4 3600:34.5 3158000:0.09\"; };"
		"place: { head = 0.7; };"
		"align: { unaligned = 0.875; keep_1g = 0.58; keep_64m = 0.81; keep_1m = 0.77; };"
		"write: { sizes = \"512:14.2 1536:9 4K:48 8K:5 20K:2.6\"; sequential = 0.3;"
		" streams = 4; recent = 0.07; near = 0.1; popular = 0.43; places = 0.28; zipf = 1.3;"
		" flat = 0.005; resized = 0.05; };"
		"read: { sizes = \"4K:30 32K:18.6 120K:10.6\"; sequential = 0.2; follow = \"last\";"
		" near = 0.3; popular = 0.4; zipf = 1.0; other = 0.4; };");

	(void)state;
	assert_int_equal(checksum(g), 0x5b69b6e186d31b9e);
	generator_close(g);
}

/*
 * The second request repeats the first from another point of the grid: they overlap and begin apart, unless
 * both are a single block.  Each way to overlap occurs.
 */
static void shifted_repeats_overlap(void **state)
{
	uint64_t at[16] = { 0 };
	char text[32];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct generator *g;
		struct request a, b;

		snprintf(text, sizeof text, "seed=%u", i);
		g = open_with("uniform", "requests=2", "space=1G", "write_share=1", "write.sizes=4K 12K",
			"write.recent=1", "write.shifted=1", text, NULL);
		assert_true(generator_next(g, &a) && generator_next(g, &b));
		assert_int_equal(b.start % 8, a.start % 8);
		assert_true(b.start < a.start + a.sectors && a.start < b.start + b.sectors);
		assert_int_equal(b.start == a.start, a.sectors == 8 && b.sectors == 8);
		at[8 + ((int64_t)b.start - (int64_t)a.start) / 8]++;
		generator_close(g);
	}
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(at[i] > 0, i >= 6 && i <= 10);
}

/* ---- profiles against the published figures ---- */

/* The properties of a trace, counted request by request. */
struct census {
	uint64_t count[2], bytes[2]; /* reads, writes */
	uint64_t across;             /* 8 KB pages */
	uint64_t continued[2];       /* start where the request before ended */
	uint64_t aligned;            /* to 4 KB */
	uint64_t duration;           /* ns */
};

static struct census take_census(struct generator *g)
{
	struct census c = { .duration = 0 };
	sector_t end = UINT64_MAX;
	struct request r;

	while (generator_next(g, &r)) {
		unsigned kind = r.type == REQUEST_WRITE;
		sector_t stop = r.start + r.sectors;

		assert_true(r.sectors > 0 && stop <= generator_sectors(g));
		assert_true(r.arrival >= c.duration);
		c.count[kind]++;
		c.bytes[kind] += (uint64_t)r.sectors * SECTOR_BYTES;
		c.across += r.sectors <= 16 && r.start / 16 != (stop - 1) / 16;
		c.continued[kind] += r.start == end;
		c.aligned += r.start % 8 == 0;
		c.duration = r.arrival;
		end = stop;
	}
	assert_int_equal(c.count[0] + c.count[1], generator_requests(g));
	return c;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void check_lun(const struct table_2 *lun, struct generator *g, uint64_t requests,
	double across_tolerance, double size_tolerance)
{
	struct census c = take_census(g);

	assert_int_equal(c.count[0] + c.count[1], requests);
	assert_near(lun->name, share(c.count[1], requests), lun->write_share, 0.0005);
	assert_near(lun->name, share(c.across, requests), lun->across, across_tolerance);
	assert_near(
		lun->name, (double)c.bytes[1] / 1024 / (double)c.count[1] / lun->write_kb, 1, size_tolerance);
	assert_near(lun->name, share(c.aligned, requests), 0.125, 0.05);
	generator_close(g);
}

static void luns_match_table_2(void **state)
{
	(void)state;
	for (size_t i = 0; i < LUNS; i++)
		check_lun(&table_2[i], open_with(table_2[i].name, NULL), table_2[i].requests, 0.005, 0.03);
}

static void scaled_luns_keep_their_ratios(void **state)
{
	char requests[40];

	(void)state;
	for (size_t i = 0; i < LUNS; i++) {
		snprintf(requests, sizeof requests, "requests=%" PRIu64, table_2[i].requests / 16);
		check_lun(&table_2[i], open_with(table_2[i].name, requests, "space=7360M", NULL),
			table_2[i].requests / 16, 0.01, 0.09);
	}
}

/* Share of the requests whose start modulo 8 is the commonest of their region. */
static double dominant_share(uint32_t (*count)[8], uint64_t regions, uint64_t requests)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < regions; i++) {
		uint32_t most = 0;

		for (unsigned k = 0; k < 8; k++)
			most = count[i][k] > most ? count[i][k] : most;
		sum += most;
	}
	return share(sum, requests);
}

static void check_alignment(const char *name, unsigned region_bits, double expected)
{
	struct generator *g = open_with(name, NULL);
	uint64_t regions = (generator_sectors(g) >> region_bits) + 1;
	uint32_t(*count)[8] = memory_array(regions, sizeof *count, "test");
	struct request r;

	while (generator_next(g, &r))
		count[r.start >> region_bits][r.start % 8]++;
	assert_near(name, dominant_share(count, regions, generator_requests(g)), expected, 0.05);
	memory_free(count);
	generator_close(g);
}

/* Two samples of the real traces: within 1 MB .94 and .95, 64 MB .72 and .77, 1 GB .64 and .63,
 * 16 GB .41 and .44. */
static void luns_are_aligned_locally(void **state)
{
	(void)state;
	for (size_t i = 0; i < LUNS; i++) {
		if (is_for_soak(i, LUNS))
			continue;
		check_alignment(table_2[i].name, 11, 0.945);
		check_alignment(table_2[i].name, 17, 0.745);
		check_alignment(table_2[i].name, 21, 0.635);
		check_alignment(table_2[i].name, 25, 0.425);
	}
}

/*
 * Share of the written 4 KB blocks that were written before.  Of the writes that overwrite something, at most
 * 8.5 % begin where no write began before: the samples of these traces have none among 34, which rules out
 * more with 95 % confidence.
 */
static void check_rewrites(const char *name, double expected)
{
	struct generator *g = open_with(name, NULL);
	struct rewrites kinds = rewrites_create();
	bool *written = memory_array(generator_sectors(g) / 8 + 1, sizeof *written, "test");
	uint64_t blocks = 0, again = 0;
	struct request r;

	while (generator_next(g, &r)) {
		if (r.type != REQUEST_WRITE)
			continue;
		rewrites_add(&kinds, 0, r.start, r.sectors);
		for (uint64_t b = r.start / 8; b <= (r.start + r.sectors - 1) / 8; b++) {
			again += written[b];
			written[b] = true;
			blocks++;
		}
	}
	assert_near(name, share(again, blocks), expected, 0.05);
	assert_near(
		name, share(kinds.shifted, kinds.exact + kinds.same_start + kinds.shifted), 0.0425, 0.0425);
	rewrites_free(&kinds);
	memory_free(written);
	generator_close(g);
}

static void luns_rewrite_as_measured(void **state)
{
	static const double expected[LUNS] = { 0.514, 0.569, 0.363, 0.443, 0.500, 0.500 };

	(void)state;
	for (size_t i = 0; i < LUNS; i++)
		if (!is_for_soak(i, 3))
			check_rewrites(table_2[i].name, expected[i]);
}

/* S-FTL, Table I: mean size in KB, shares of reads, of continued reads and writes. */
static void s_ftl_profiles_match_table_1(void **state)
{
	static const struct {
		const char *name;
		double kb, reads, continued_reads, continued_writes;
	} rows[] = {
		{ "financial", 9.85, .2316, .0071, .0040 },
		{ "msr", 9.31, .1845, .1386, .0260 },
		{ "cello99", 9.87, .5734, .0260, .0092 },
		{ "websearch", 32.29, .9998, .0647, .0094 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct generator *g = open_with(rows[i].name, NULL);
		struct census c = take_census(g);
		double n = (double)generator_requests(g);

		assert_near(rows[i].name, (double)(c.bytes[0] + c.bytes[1]) / n / 1024 / rows[i].kb, 1, 0.03);
		assert_near(rows[i].name, (double)c.count[0] / n, rows[i].reads, 0.00005);
		assert_near(
			rows[i].name, share(c.continued[0], c.count[0]) / rows[i].continued_reads, 1, 0.03);
		assert_near(
			rows[i].name, share(c.continued[1], c.count[1]) / rows[i].continued_writes, 1, 0.03);
		generator_close(g);
	}
}

/* PM-FTL's table of workloads. */
static void pm_ftl_profiles_match_their_table(void **state)
{
	static const struct {
		const char *name;
		uint64_t requests;
		double write_share, kb;
		uint64_t megabytes;
	} rows[] = {
		{ "f1", 5334944, .768, 6.87, 512 },
		{ "f2", 3698863, .177, 5.88, 512 },
		{ "msr-ts", 1801486, .824, 9.36, 16384 },
		{ "msr-src", 1557789, .887, 7.70, 16384 },
		{ "cloudvps", 6451269, .510, 11.17, 16384 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct generator *g = open_with(rows[i].name, NULL);
		struct census c;

		assert_int_equal(generator_requests(g), rows[i].requests);
		assert_int_equal(generator_sectors(g), rows[i].megabytes * 2048);
		if (is_for_soak(i + 2, 5)) {
			generator_close(g);
			continue;
		}
		c = take_census(g);
		assert_near(rows[i].name, share(c.count[1], rows[i].requests), rows[i].write_share, 0.0001);
		assert_near(rows[i].name,
			(double)(c.bytes[0] + c.bytes[1]) / (double)rows[i].requests / 1024 / rows[i].kb, 1,
			0.03);
		generator_close(g);
	}
}

/* ---- finding profiles ---- */

static void try_profile(void *context, const char *name, const char *brief)
{
	unsigned *count = context;
	struct generator *g = open_with(name, "requests=3000", NULL);

	if (!*brief)
		fail_msg("%s has no brief", name);
	assert_true(generator_known(name));
	take_census(g);
	generator_close(g);
	++*count;
}

static void every_profile_opens(void **state)
{
	unsigned count = 0;

	(void)state;
	generator_list(try_profile, &count);
	assert_true(count >= 26);
}

static void own_folder_comes_first(void **state)
{
	char folder[] = "/tmp/test_generate.XXXXXX", path[64];
	struct generator *g;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/lun1.cfg", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("brief = \"mine\"; requests = 12;", file);
	fclose(file);
	setenv("SSDLAB_PROFILES", folder, 1);
	g = open_with("lun1", NULL);
	unsetenv("SSDLAB_PROFILES");
	assert_int_equal(generator_requests(g), 12);
	generator_close(g);
	assert_true(generator_known(path));
	unlink(path);
	rmdir(folder);
	assert_false(generator_known(path));
	assert_false(generator_known("lun7"));
}

/* ---- bad profiles ---- */

static void bad_profiles_say_what_is_wrong(void **state)
{
	/* %s stands for the path of the profile. */
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "request = 5;", "%s:1: unknown parameter \"request\"; did you mean \"requests\"?" },
		{ "write: {\n\tsize = \"4K\";\n};", "%s:2: unknown parameter \"write.size\"; did you mean "
						    "\"write.sizes\"?" },
		{ "write: { sizes = \"4K:1 4X:2\"; };",
			"%s: write.sizes: \"4X:2\" is not a size (a multiple of 512, at "
			"most 64M) with a weight; write VALUE:WEIGHT pairs, e.g. "
			"\"4K:58 8K:5\"" },
		{ "write: { sizes = \"1000\"; };",
			"%s: write.sizes: \"1000\" is not a size (a multiple of 512, at most "
			"64M) with a weight; write VALUE:WEIGHT pairs, e.g. \"4K:58 8K:5\"" },
		{ "write: { sizes = \"4K:-1\"; };",
			"%s: write.sizes: \"4K:-1\" is not a size (a multiple of 512, at most "
			"64M) with a weight; write VALUE:WEIGHT pairs, e.g. \"4K:58 8K:5\"" },
		{ "read: { sizes = \"\"; };",
			"%s: read.sizes: no value has a weight; write VALUE:WEIGHT pairs, e.g. "
			"\"4K:58 8K:5\"" },
		{ "read: { sizes = \"4K:0 8K:0\"; };",
			"%s: read.sizes: no value has a weight; write VALUE:WEIGHT pairs, "
			"e.g. \"4K:58 8K:5\"" },
		{ "arrival: { gaps = \"fast\"; };",
			"%s: arrival.gaps: \"fast\" is not a time in us with a weight; write "
			"VALUE:WEIGHT pairs, e.g. \"4K:58 8K:5\"" },
		{ "write: { sequential = 0.7; popular = 0.4; };",
			"%s: write.sequential + recent + near + popular = 1.1; it should be at most 1" },
		{ "read: { sizes = \"1M\"; }; space = \"2M\";",
			"%s: read.sizes has 1048576 bytes; space should be at least four times that" },
		{ "place: { grid = 1000; };", "%s: place.grid = 1000 is not a multiple of 512 bytes" },
		{ "space = 10000000;", "%s: space = 10000000 is not a multiple of 512 bytes" },
		{ "place: { offset = 100; };", "%s: place.offset = 100 is not a multiple of 512 bytes" },
		{ "place: { offset = 4096; };", "%s: place.offset should be less than place.grid" },
		{ "place: { grid = 8192; }; align: { unaligned = 0.5; };",
			"%s: align.unaligned shifts a grid of 4K; place.grid should be 4K" },
		{ "place: { grid = 1048576; }; space = \"8M\";",
			"%s: space / place.grid should be 16 to 2^32" },
		{ "place: { grid = 512; }; space = \"4T\";", "%s: space / place.grid should be 16 to 2^32" },
		{ "write_share = 0.1; write: { sequential = 0.2; follow = \"last\"; };",
			"%s: write.sequential = 0.2 with follow = last; only 0.1 of them come after their "
			"own kind" },
		{ "place: { grid = 65536; }; read: { near = 0.5; near_span = 4096; };",
			"%s: read.near_span should be at least place.grid" },
		{ "requests = 0;", "%s: requests = 0 needs place.range" },
		{ "requests = 0; space = \"2048T\"; place: { grid = 1048576; range = 1048576; }; read: { "
		  "sizes = "
		  "\"512\"; };",
			"%s: place.range makes about 4.4e+12 requests, more than can be counted beforehand; "
			"requests should be 1 to 1e9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *path = write_profile(rows[i].text), expected[FAULT_BYTES];
		struct fault fault = { "" };
		const char *rest = rows[i].message + 2;

		snprintf(expected, sizeof expected, "%s%s", path, rest);
		assert_null(generator_open(path, NULL, 0, &fault));
		assert_string_equal(fault.text, expected);
		unlink(path);
		memory_free(path);
	}
}

static void bad_names_and_overrides_are_faults(void **state)
{
	char *misspelt[] = { "request=5" }, *no_law[] = { "arrival.law=often" },
	     *no_run[] = { "read.follow=me" };
	struct fault fault = { "" };

	(void)state;
	assert_null(generator_open("uniform", no_law, 1, &fault));
	assert_non_null(strstr(fault.text, "should be \"fixed\" or \"exponential\""));
	assert_null(generator_open("uniform", no_run, 1, &fault));
	assert_non_null(strstr(fault.text, "should be \"new\", \"any\" or \"last\""));
	assert_null(generator_open("lun7", NULL, 0, &fault));
	assert_string_equal(fault.text,
		"lun7: neither a file nor a profile; did you mean \"lun1\"?  `ssd list` names the profiles");
	assert_null(generator_open("./nothing.cfg", NULL, 0, &fault));
	assert_string_equal(
		fault.text, "./nothing.cfg: neither a file nor a profile; `ssd list` names the profiles");
	assert_null(generator_open("lun1", misspelt, 1, &fault));
	assert_string_equal(
		fault.text, "-s request=5: unknown parameter \"request\"; did you mean \"requests\"?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(portable_functions_are_right),
		cmocka_unit_test(zipf_follows_its_law),
		cmocka_unit_test(mix_follows_its_weights),
		cmocka_unit_test(targets_are_met),
		cmocka_unit_test(impossible_targets_are_told),
		cmocka_unit_test(across_is_shared_between_reads_and_writes),
		cmocka_unit_test(uniform_is_uniform),
		cmocka_unit_test(zipf_profile_is_zipf),
		cmocka_unit_test(sequential_runs_round_the_space),
		cmocka_unit_test(ranges_are_visited_in_order),
		cmocka_unit_test(ranges_end_where_they_are_told),
		cmocka_unit_test(ranges_draw_with_replacement),
		cmocka_unit_test(repeats_keep_start_and_length),
		cmocka_unit_test(runs_continue_earlier_requests),
		cmocka_unit_test(runs_continue_the_last_request),
		cmocka_unit_test(near_stays_near),
		cmocka_unit_test(popular_places_are_fixed),
		cmocka_unit_test(other_reads_what_was_written),
		cmocka_unit_test(kinds_come_in_bursts),
		cmocka_unit_test(gaps_have_their_means),
		cmocka_unit_test(same_seed_same_trace),
		cmocka_unit_test(same_trace_on_every_machine),
		cmocka_unit_test(shifted_repeats_overlap),
		cmocka_unit_test(luns_match_table_2),
		cmocka_unit_test(scaled_luns_keep_their_ratios),
		cmocka_unit_test(luns_are_aligned_locally),
		cmocka_unit_test(luns_rewrite_as_measured),
		cmocka_unit_test(s_ftl_profiles_match_table_1),
		cmocka_unit_test(pm_ftl_profiles_match_their_table),
		cmocka_unit_test(every_profile_opens),
		cmocka_unit_test(own_folder_comes_first),
		cmocka_unit_test(bad_profiles_say_what_is_wrong),
		cmocka_unit_test(bad_names_and_overrides_are_faults),
	};

	return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
