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
#define ONE_DIE         READING_DRIVE "flash.channels=1 flash.chips=1 flash.dies=1 "
#define MANY_DIES       READING_DRIVE "flash.channels=32 flash.chips=1 flash.dies=1 "
#define MANY_ON_ONE_BUS READING_DRIVE "flash.channels=1 flash.chips=64 flash.dies=1 flash.program_ns=200000 "
#define MANY_BUSES      READING_DRIVE "flash.channels=8 flash.chips=4 flash.dies=1 "

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

/* Writes, each to another die, wait for the bus alone. */
static void test_a_bus_is_a_queue_too(void **state)
{
	enum { ON_BUS = 290 + 16384, PROGRAM = 200000, WRITES = 20000 };
	static const double loads[] = { 0.5, 0.8 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct load *l = load_open(MANY_ON_ONE_BUS, 64 * 64);
		struct demand writes = { 1, true, 1 };
		tick_t now = 0, free_at = 0;
		double sum = 0;

		stat_list_start(&l->drive->statistics);
		for (int j = 0; j < WRITES; j++) {
			now += (tick_t)exponential(l, ON_BUS / loads[i]);
			drive_run_until(l->drive, now);
			load_request(l, writes, now);
			free_at = (free_at > now ? free_at : now) + ON_BUS;
			sum += (double)(free_at + PROGRAM - now);
		}
		drive_drain(l->drive);
		print_message("bus, load %g: mean latency %.1f ns\n", loads[i], sum / WRITES);
		assert_true(histogram_mean(&l->drive->count->request[REQUEST_WRITE].latency) == sum / WRITES);
		load_close(l);
	}
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

/* ---- write amplification: laws ---- */

enum { BLOCK_PAGES = 32, GREEDY = 2000, OLDEST = -1 }; /* as many choices as all; none */

/*
 * The mean field limit of d choices (Van Houdt, SIGMETRICS 2013): share[i] of infinitely many blocks have i
 * live pages.  A collection takes the one with the fewest of d blocks drawn at random and leaves it full of
 * live pages: the copies, and new versions of pages of any block.
 */
static double mean_field(double live, double d)
{
	double share[BLOCK_PAGES + 2] = { 0 }, copied = 0, step = fmin(0.5 / d, 0.02);
	int middle = (int)(live * BLOCK_PAGES);

	share[middle + 1] = live * BLOCK_PAGES - middle;
	share[middle] = 1 - share[middle + 1];
	for (int steps = (int)(50 / step); steps; steps--) {
		double above = 1, power = 1, taken[BLOCK_PAGES + 1], written;

		copied = 0;
		for (int i = 0; i <= BLOCK_PAGES; i++) {
			above = fmax(above - share[i], 0);
			taken[i] = power - pow(above, d);
			power -= taken[i];
			copied += i * taken[i];
		}
		written = (BLOCK_PAGES - copied) / (live * BLOCK_PAGES);
		for (int i = 0; i <= BLOCK_PAGES; i++)
			share[i] += step * (written * ((i + 1) * share[i + 1] - i * share[i]) - taken[i] +
						   (i == BLOCK_PAGES));
	}
	return BLOCK_PAGES / (BLOCK_PAGES - copied);
}

/* First in, first out: 1 / (1 - d) where d = exp(-r (1 - d)), r = physical / logical. */
static double oldest_first(double live)
{
	double d = 0;

	for (int i = 0; i < 1000; i++)
		d = exp(-(1 - d) / live);
	return 1 / (1 - d);
}

/* Blocks of pages, of which one is open and one spare, with no regard for time, planes and wear. */
struct blocks_model {
	uint32_t *where, *page, *valid; /* of a logical page; in a place; in a block */
	uint32_t blocks, open, next, spare;
	uint64_t programs;
};

static void model_program(struct blocks_model *p, uint32_t logical)
{
	uint32_t place = p->open * BLOCK_PAGES + p->next++;

	p->valid[p->where[logical] / BLOCK_PAGES]--;
	p->where[logical] = place;
	p->page[place] = logical;
	p->valid[p->open]++;
	p->programs++;
}

/* The spare block is opened with the live pages of the block that has the fewest, which is spare then. */
static void model_collect(struct blocks_model *p)
{
	uint32_t victim = p->spare ? 0 : 1;

	for (uint32_t b = 0; b < p->blocks; b++)
		if (b != p->spare && p->valid[b] < p->valid[victim])
			victim = b;
	p->open = p->spare;
	p->next = 0;
	p->spare = victim;
	for (uint32_t i = victim * BLOCK_PAGES; i < (victim + 1) * BLOCK_PAGES; i++)
		if (p->where[p->page[i]] == i)
			model_program(p, p->page[i]);
}

/* Write amplification of greedy collection with so many blocks, simulated page by page: a little more than
 * with infinitely many. */
static double greedy_of(uint32_t blocks, double live)
{
	uint32_t logical = (uint32_t)(live * blocks * BLOCK_PAGES);
	struct blocks_model p = { .blocks = blocks,
		.where = memory_array(logical, sizeof *p.where, "map"),
		.page = memory_array((uint64_t)blocks * BLOCK_PAGES, sizeof *p.page, "pages"),
		.valid = memory_array(blocks, sizeof *p.valid, "blocks"),
		.spare = blocks - 1,
		.next = BLOCK_PAGES };
	uint64_t writes = 8ull * logical;
	struct random random;

	random_init(&random, seed_of_run(), 1);
	for (uint32_t i = 0; i < logical; i++) {
		p.where[i] = p.page[i] = i;
		p.valid[i / BLOCK_PAGES]++;
	}
	for (uint64_t i = 0; i < 2 * writes; i++) {
		p.programs = i == writes ? 0 : p.programs;
		if (p.next == BLOCK_PAGES)
			model_collect(&p);
		model_program(&p, (uint32_t)random_below(&random, logical));
	}
	memory_free(p.where);
	memory_free(p.page);
	memory_free(p.valid);
	return (double)p.programs / (double)writes;
}

#define COLLECTED                                                                                            \
	ONE_DIE "flash.blocks=2048 flash.pages=32 flash.page_bytes=2K gc.threshold=0 flash.over_provisioning="

static void test_write_amplification(void **state)
{
	static const struct {
		const char *policy, *settings;
		double live, d, percent; /* d: number of choices, or OLDEST */
	} cases[] = {
		{ "greedy", COLLECTED "0.3", 0.7, GREEDY, 0.5 },
		{ "greedy", COLLECTED "0.2", 0.8, GREEDY, 0.5 },
		{ "greedy", COLLECTED "0.1", 0.9, GREEDY, 0.8 },
		{ "fifo", COLLECTED "0.2 gc.policy=fifo", 0.8, OLDEST, 0.6 },
		{ "10 choices", COLLECTED "0.2 gc.policy=d_choices gc.d=10 gc.strict=true", 0.8, 10, 0.5 },
		{ "3 choices", COLLECTED "0.2 gc.policy=d_choices gc.d=3 gc.strict=true", 0.8, 3, 0.7 },
		{ "random", COLLECTED "0.2 gc.policy=random gc.strict=true", 0.8, 1, 1 },
	};
	char what[60];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double live = cases[i].live, d = cases[i].d, ours;

		if (is_for_check(i, 3))
			continue;
		ours = amplification(cases[i].settings);
		snprintf(what, sizeof what, "write amplification, %s, %g live", cases[i].policy, live);
		assert_near(what, ours, d == OLDEST ? oldest_first(live) : mean_field(live, d),
			SANITIZED ? 5 : cases[i].percent);
		if (d == GREEDY)
			assert_near("  beside a model of as many blocks", ours, greedy_of(2048, live),
				SANITIZED ? 5 : 0.5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_die_is_an_m_d_1_queue),
		cmocka_unit_test(test_dies_with_buses_of_their_own_are_as_many_queues),
		cmocka_unit_test(test_every_wait_is_that_of_lindley),
		cmocka_unit_test(test_a_bus_is_a_queue_too),
		cmocka_unit_test(test_littles_law),
		cmocka_unit_test(test_rate_grows_with_depth),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_write_amplification),
	};

	return cmocka_run_group_tests_name("theory", tests, NULL, NULL);
}
