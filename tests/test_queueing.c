/*
 * The drive against theory: queues, throughput against what dies and buses can do at best, and write
 * amplification.
 */
#include "tests/load_fixture.h"

/* A read takes a die 91674 ns: command 290, sense 75000, 8 KB at 500 MB/s; 16674 of them the bus. */
#define READING_DRIVE                                                                                        \
	"flash.planes=1 flash.blocks=64 flash.pages=64 flash.page_bytes=8K flash.over_provisioning=0.2 "     \
	"flash.read_ns=75000 flash.program_ns=750000 flash.command_ns=290 flash.bus_mb_per_s=500 "           \
	"dram.access_ns=0 placement.policy=static "
#define ONE_DIE    READING_DRIVE "flash.channels=1 flash.chips=1 flash.dies=1 "
#define MANY_DIES  READING_DRIVE "flash.channels=32 flash.chips=1 flash.dies=1 "
#define MANY_BUSES READING_DRIVE "flash.channels=8 flash.chips=4 flash.dies=1 "

enum { SERVICE = 290 + 75000 + 16384, REQUESTS = SANITIZED ? 20000 : 400000 };

static const struct demand reads = { 0, false, 1 };

static double exponential(struct load *l, double mean)
{
	return -mean * log(1 - random_unit(&l->random));
}

/* Asserts that they differ by at most so many percent. */
static void assert_near(const char *what, double value, double theory, double percent)
{
	double off = 100 * (value - theory) / theory;

	print_message("%-44s %10.7g, theory %10.7g, %+.2f %%\n", what, value, theory, off);
	if (fabs(off) > percent)
		fail_msg("%s is %.3f %% off, may be %g", what, off, percent);
}

/* Arrivals at random (Poisson) at one server or several alike, each of which serves a request in the same
 * time: a mean of SERVICE (1 + load / 2 (1 - load)), Pollaczek and Khinchine. */
static void poisson(const char *settings, uint32_t dies, double load, double percent)
{
	struct load *l = load_open(settings, dies);
	double arrival = 0;
	char what[80];

	stat_list_start(&l->drive->statistics);
	for (int i = 0; i < REQUESTS; i++) {
		arrival += exponential(l, SERVICE / load / dies);
		drive_run_until(l->drive, (tick_t)arrival);
		load_request(l, reads, (tick_t)arrival);
	}
	drive_drain(l->drive);
	snprintf(what, sizeof what, "%u x M/D/1, load %g: mean latency, ns", dies, load);
	assert_near(what, histogram_mean(&l->drive->count->request[REQUEST_READ].latency),
		SERVICE * (1 + load / (2 * (1 - load))), SANITIZED ? 10 : percent);
	load_close(l);
}

static void test_one_die_is_an_m_d_1_queue(void **state)
{
	(void)state;
	poisson(ONE_DIE, 1, 0.2, 0.5);
	poisson(ONE_DIE, 1, 0.5, 0.5);
	poisson(ONE_DIE, 1, 0.8, 1.5);
}

static void test_dies_with_buses_of_their_own_are_as_many_queues(void **state)
{
	(void)state;
	poisson(MANY_DIES, 32, 0.5, 0.5);
	poisson(MANY_DIES, 32, 0.8, 1.5);
}

/* Lindley's recursion on the same arrivals, to the nanosecond: a request waits for what is left of those
 * before it. */
static void test_every_wait_is_that_of_lindley(void **state)
{
	struct load *l = load_open(ONE_DIE, 1);
	tick_t now = 0, free_at = 0;
	double sum = 0;

	(void)state;
	stat_list_start(&l->drive->statistics);
	for (int i = 0; i < 20000; i++) {
		now += (tick_t)exponential(l, SERVICE / 0.95);
		drive_run_until(l->drive, now);
		load_request(l, reads, now);
		free_at = (free_at > now ? free_at : now) + SERVICE;
		sum += (double)(free_at - now);
	}
	drive_drain(l->drive);
	assert_true(histogram_mean(&l->drive->count->request[REQUEST_READ].latency) == sum / 20000);
	assert_int_equal(l->drive->last_completion, free_at);
	load_close(l);
}

/* Requests in the drive = their rate x the time they stay. */
static void test_littles_law(void **state)
{
	static const struct demand demands[] = { { 0, false, 1 }, { 0.3, false, 1 }, { 0, true, 8 } };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (uint64_t depth = 1; depth <= 256; depth *= 4) {
			struct load *l = load_open(MANY_BUSES, 32 * 64);
			char what[80];
			double iops = load_iops(l, demands[i], depth, REQUESTS / 5);

			snprintf(what, sizeof what, "rate x latency, demand %zu, depth %d", i, (int)depth);
			assert_near(what, iops * l->latency_ns / 1e9, (double)depth, SANITIZED ? 10 : 0.5);
			load_close(l);
		}
}

/* More requests in the drive never make it slower, and in the end it is as fast as its dies. */
static void test_rate_grows_with_depth(void **state)
{
	double last = 0, iops = 0;

	(void)state;
	for (uint64_t depth = 1; depth <= 4096; depth *= 2) {
		struct load *l = load_open(MANY_BUSES, 32 * 64);

		iops = load_iops(l, reads, depth, REQUESTS / 4 + 20 * depth);
		if (iops < last)
			fail_msg("%d requests in the drive: %.0f a second, half as many: %.0f", (int)depth,
				iops, last);
		last = iops;
		load_close(l);
	}
	assert_near("random reads, depth 4096, a second", iops, 32e9 / SERVICE, 3);
}

/* The lower of what dies and buses can do. */
static double bound(const struct settings *s, double die_ns, double bus_ns)
{
	double buses = (double)s->flash.channels, dies = buses * (double)(s->flash.chips * s->flash.dies);

	return fmin(dies * 1e9 / die_ns, buses * 1e9 / bus_ns);
}

static void test_saturation(void **state)
{
	/* Times of a command on the bus and on its die, and pages it moves. */
	static const struct {
		const char *what, *settings;
		struct demand demand;
		double bus_ns, die_ns, pages;
	} cases[] = {
		{ "reads, bound by dies", MANY_BUSES, { 0, false, 1 }, 290 + 16384, SERVICE, 1 },
		{ "reads, bound by buses", MANY_BUSES "flash.bus_mb_per_s=100", { 0, false, 1 }, 290 + 81920,
			290 + 75000 + 81920, 1 },
		{ "writes, bound by dies", MANY_BUSES, { 1, true, 1 }, 290 + 16384, 290 + 16384 + 750000, 1 },
		{ "writes, bound by buses", MANY_BUSES "flash.bus_mb_per_s=40", { 1, true, 1 }, 290 + 204800,
			290 + 204800 + 750000, 1 },
		{ "reads of four planes",
			MANY_BUSES "flash.planes=4 flash.multiplane=any placement.order=PCWD", { 0, true, 4 },
			290 + 3 * 200 + 4 * 16384, 290 + 3 * 200 + 4 * 16384 + 75000, 4 },
		{ "writes of two planes",
			MANY_BUSES "flash.planes=2 flash.multiplane=same_offset placement.order=PCWD",
			{ 1, true, 2 }, 290 + 200 + 2 * 16384, 290 + 200 + 2 * 16384 + 750000, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct load *l = load_open(cases[i].settings, 4096);
		double iops = load_iops(l, cases[i].demand, 1024, REQUESTS / 10 + 5000);

		assert_near(cases[i].what, iops * cases[i].demand.pages,
			bound(&l->settings, cases[i].die_ns, cases[i].bus_ns) * cases[i].pages, 3);
		load_close(l);
	}
}

/* Pages programmed for each page that is written, evenly at random, when the drive has long been full. */
static double amplification(const char *settings)
{
	struct load *l = load_open(settings, 0);
	const struct geometry *g = &l->drive->geometry;
	const uint64_t *programs = &l->drive->flash->untimed[OP_PROGRAM];
	uint64_t writes = (uint64_t)g->logical_pages * (SANITIZED ? 2 : 8), before = 0;

	assert_true(drive_place(l->drive, (struct extent){ 0, g->logical_sectors }));
	for (uint64_t i = 0; i < 2 * writes; i++) {
		sector_t start = geometry_page_start(g, (lpn_t)random_below(&l->random, g->logical_pages));

		if (i == writes)
			before = *programs;
		assert_true(drive_place(l->drive, (struct extent){ start, start + g->sectors_per_page }));
	}
	before = *programs - before;
	load_close(l);
	return (double)before / (double)writes;
}

/* Greedy collection of blocks of 32 pages, 70, 80 and 90 % of the pages live: the mean field limit (d choices
 * of Van Houdt, SIGMETRICS 2013, d without bound). */
static void test_write_amplification_of_greedy_collection(void **state)
{
	static const struct {
		const char *hidden;
		double waf;
	} cases[] = { { "0.3", 1.793 }, { "0.2", 2.514 }, { "0.1", 4.508 } };
	char settings[600];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(settings, sizeof settings,
			ONE_DIE "flash.blocks=2048 flash.pages=32 flash.page_bytes=2K gc.policy=greedy "
				"gc.threshold=0 "
				"flash.over_provisioning=%s",
			cases[i].hidden);
		assert_near("pages programmed for a page written", amplification(settings), cases[i].waf,
			SANITIZED ? 5 : 1.5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_die_is_an_m_d_1_queue),
		cmocka_unit_test(test_dies_with_buses_of_their_own_are_as_many_queues),
		cmocka_unit_test(test_every_wait_is_that_of_lindley),
		cmocka_unit_test(test_littles_law),
		cmocka_unit_test(test_rate_grows_with_depth),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_write_amplification_of_greedy_collection),
	};

	return cmocka_run_group_tests_name("theory", tests, NULL, NULL);
}
