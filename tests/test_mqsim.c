/*
 * Against MQSim, an independent simulator, where both model the same: both serve the same requests.
 *
 * MQSim 7ec40e3, unchanged but for one logged line a request: 8 channels x 4 chips x 1 die x 1 plane unless a
 * row says otherwise, 256 blocks x 256 pages of 8 KB, 75 / 750 / 3800 us, 500 MB/s (its "400 MT/s"), 12.7 %
 * over-provisioning, the map in DRAM, no cache, static CWDP.  Its bus takes data first.
 *
 * tests/mqsim/ has the requests of MQSim's generator: the first 30,000 of its random ones, which are the same
 * pages in every workload, and 5,000 of two open loops.  Its sequential ones begin at page 460,217.  A rate
 * counts until the last request enters the drive; MQSim's are from its log, for the same requests.
 */
#include "drive/prepare/workload.h"
#include "tests/load_fixture.h"

#define COMMON                                                                                               \
	"flash.dies=1 flash.pages=256 flash.page_bytes=8K flash.over_provisioning=0.127 "                    \
	"flash.read_ns=75000 "                                                                               \
	"flash.program_ns=750000 flash.erase_ns=3800000 flash.bus_mb_per_s=500 "                             \
	"flash.command_ns=[290,361,220] "                                                                    \
	"flash.plane_command_ns=[650,816,720] dram.access_ns=0 placement.policy=static "                     \
	"flash.multiplane=same_offset flash.bus_order=data_first flash.blocks=256 "                          \
	"flash.copyback=false gc.threshold=0.05 "
#define ONE_PLANE   COMMON "flash.planes=1 "
#define LINKED      ONE_PLANE "host.link_ns=20 "
#define TWO_PLANES  COMMON "flash.channels=4 flash.planes=2 placement.order=PCWD "
#define FOUR_PLANES COMMON "flash.chips=1 flash.planes=4 "
#define ONE_DIE     COMMON "flash.channels=1 flash.chips=1 flash.planes=4 flash.blocks=1024 "
#define WRITTEN     COMMON "flash.planes=1 flash.blocks=64 "

enum { MOST = 30000, FIRST = 460217, OPEN_LOOP = 0 };

/* ---- the same requests ---- */

enum asks { AS_WRITTEN, ALL_READ, ALL_WRITTEN, IN_ORDER_READ, IN_ORDER_WRITTEN };

static const struct row {
	const char *what, *settings;
	enum asks asks;
	const char *file;  /* of tests/mqsim/; NULL: in order */
	uint32_t sectors;  /* of a request */
	uint64_t first;    /* page, in order */
	uint64_t requests; /* in order */
	uint64_t depth;
	double rate, percent;       /* of MQSim; how far off ours may be */
	double mean[2], percent_of; /* latency of its reads and writes, ns; 0: none */
} rows[] = {
	{ "random read, 2", ONE_PLANE, ALL_READ, "random", 16, 0, 0, 2, 21271.6, 0.4, { 94019, 0 }, 0.4 },
	{ "random read, 8", ONE_PLANE, ALL_READ, "random", 16, 0, 0, 8, 74422.9, 1.4, { 107481, 0 }, 1.4 },
	{ "random read, 32", ONE_PLANE, ALL_READ, "random", 16, 0, 0, 32, 172456.9, 1.2, { 185503, 0 }, 1.2 },
	{ "random read, 2, link", LINKED, ALL_READ, "random", 16, 0, 0, 2, 21271.6, 0.01, { 94019, 0 },
		0.01 },
	{ "random read, 8, link", LINKED, ALL_READ, "random", 16, 0, 0, 8, 74422.9, 0.9, { 107481, 0 }, 0.9 },
	{ "random read, 32, link", LINKED, ALL_READ, "random", 16, 0, 0, 32, 172456.9, 1, { 185503, 0 }, 1 },
	{ "random read 4 KB, 32", ONE_PLANE, ALL_READ, "random", 8, 0, 0, 32, 213991.7, 1.1, { 149493, 0 },
		1.1 },
	{ "random write, 8", ONE_PLANE, ALL_WRITTEN, "random", 16, 0, 0, 8, 9314.3, 0.01, { 0, 858892 },
		0.01 },
	{ "70/30, 2", ONE_PLANE, AS_WRITTEN, "random", 16, 0, 0, 2, 6568.9, 0.1, { 100532, 777100 }, 0.5 },
	{ "70/30, 8", ONE_PLANE, AS_WRITTEN, "random", 16, 0, 0, 8, 22404.7, 0.3, { 149569, 837756 }, 1 },
	{ "four planes, 70/30, 8", FOUR_PLANES, AS_WRITTEN, "random", 16, 0, 0, 8, 15317.0, 0.2,
		{ 270551, 1105492 }, 1 },
	{ "sequential read 64 KB, 8", ONE_PLANE, IN_ORDER_READ, NULL, 128, FIRST, 20000, 8, 28399.8, 0.02,
		{ 281654, 0 }, 0.02 },
	{ "two planes, write 24 KB, 1", TWO_PLANES, IN_ORDER_WRITTEN, NULL, 48, FIRST, 10000, 1, 1203.7, 0.01,
		{ 0, 830793 }, 0.01 },
	{ "two planes, write 24 KB, 4", TWO_PLANES, IN_ORDER_WRITTEN, NULL, 48, FIRST, 10000, 4, 3777.9, 0.01,
		{ 0, 1058530 }, 0.01 },
	{ "four planes, write 32 KB, 2", ONE_DIE, IN_ORDER_WRITTEN, NULL, 64, 460218, 2000, 2, 1222.0, 0.01,
		{ 0, 1636281 }, 0.01 },
	{ "Poisson, 100,000 reads/s", ONE_PLANE, AS_WRITTEN, "poisson-read", 16, 0, 0, OPEN_LOOP, 99114.4,
		0.01, { 115449, 0 }, 0.05 },
	{ "Poisson, 30,000/s, 70/30", ONE_PLANE, AS_WRITTEN, "poisson-mixed", 16, 0, 0, OPEN_LOOP, 29381.3,
		0.01, { 182365, 896678 }, 0.05 },
};

struct requests {
	struct request request[MOST];
	uint64_t count;
};

static void read_requests(struct requests *q, const struct row *r, const struct trace_settings *settings)
{
	struct workload w = { 0 };
	struct fault fault = { "" };
	char path[80];

	snprintf(path, sizeof path, "tests/mqsim/%s.ssdsim.xz", r->file);
	if (!workload_open(&w, path, settings, false, NULL, &fault))
		fail_msg("%s", fault.text);
	while (q->count < MOST && workload_next(&w, &q->request[q->count], &fault) == TRACE_OK)
		q->count++;
	workload_close(&w);
}

/* The settings say how a trace is read. */
static void get_requests(struct requests *q, const struct row *r, const struct trace_settings *settings)
{
	q->count = r->requests;
	if (r->file)
		read_requests(q, r, settings);
	for (uint64_t i = 0; i < q->count; i++) {
		struct request *one = &q->request[i];

		if (!r->file)
			*one = (struct request){ .start = r->first * 16 + i * r->sectors };
		one->sectors = r->sectors;
		if (r->asks != AS_WRITTEN)
			one->type = r->asks == ALL_READ || r->asks == IN_ORDER_READ ? REQUEST_READ
										    : REQUEST_WRITE;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct request *const *x = a, *const *y = b;

	return ((*x)->start > (*y)->start) - ((*x)->start < (*y)->start);
}

/* Gives every page that is read its data beforehand, in order. */
static void place_what_is_read(struct drive *d, const struct requests *q)
{
	const struct request **order = memory_array(q->count, sizeof *order, "order");

	for (uint64_t i = 0; i < q->count; i++)
		order[i] = &q->request[i];
	qsort(order, q->count, sizeof *order, by_start);
	for (uint64_t i = 0; i < q->count; i++)
		if (order[i]->type == REQUEST_READ && (!i || order[i]->start != order[i - 1]->start))
			assert_true(drive_place(d, (struct extent){ order[i]->start / 16 * 16,
							   order[i]->start + order[i]->sectors }));
	memory_free(order);
}

/* Submits them, `depth` at a time or when they arrive.  Returns their rate until the last one enters. */
static double serve(struct drive *d, const struct requests *q, uint64_t depth)
{
	tick_t first = 0, now = 0;

	stat_list_start(&d->statistics);
	for (uint64_t i = 0; i < q->count; i++) {
		struct request r = q->request[i];

		if (depth) {
			while (d->in_drive >= depth)
				drive_run_to_completion(d);
			r.arrival = schedule_now(d->flash->schedule);
		} else
			drive_run_until(d, r.arrival);
		now = r.arrival;
		first = i ? first : now;
		assert_true(drive_submit(d, &r));
	}
	drive_drain(d);
	return (double)(q->count - depth) * 1e9 / (double)(now - first);
}

/* Asserts that ours is no further off than so many percent. */
static void assert_near(const char *what, double ours, double theirs, double percent)
{
	double off = 100 * (ours - theirs) / theirs;

	print_message("%-52s %11.1f, MQSim or model %11.1f, %+.3f %%\n", what, ours, theirs, off);
	if (!(fabs(off) <= percent))
		fail_msg("%s is %.3f %% off, may be %g", what, off, percent);
}

static void assert_mean(const char *what, const char *kind, struct load *l, enum request_type type,
	double mean, double percent)
{
	char line[80];

	snprintf(line, sizeof line, "%s: mean latency of %s, ns", what, kind);
	if (mean > 0)
		assert_near(line, histogram_mean(&l->drive->count->request[type].latency), mean, percent);
}

static void test_mqsims_own_requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		struct load *l = load_open(r->settings, 0);
		struct requests *q = memory_array(1, sizeof *q, "requests");

		get_requests(q, r, &l->settings.trace);
		place_what_is_read(l->drive, q);
		assert_near(r->what, serve(l->drive, q, r->depth), r->rate, r->percent);
		assert_mean(r->what, "reads", l, REQUEST_READ, r->mean[0], r->percent_of);
		assert_mean(r->what, "writes", l, REQUEST_WRITE, r->mean[1], r->percent_of);
		memory_free(q);
		load_close(l);
	}
}

/* ---- what each difference comes from ---- */

/* Sequential writes of 24 KB, 4 in the drive, in order from this page.  *pairs: commands to two planes. */
static double written_from(uint64_t page, const char *more, double *pairs)
{
	struct row r = {
		.asks = IN_ORDER_WRITTEN, .sectors = 48, .first = page, .requests = 10000, .depth = 4
	};
	struct requests *q = memory_array(1, sizeof *q, "requests");
	char settings[800];
	struct load *l;
	double rate;

	snprintf(settings, sizeof settings, TWO_PLANES "%s", more);
	l = load_open(settings, 0);
	get_requests(q, &r, &l->settings.trace);
	rate = serve(l->drive, q, r.depth);
	*pairs = statistic_in(&l->drive->statistics, "die.multiplane_commands");
	memory_free(q);
	load_close(l);
	return rate;
}

/* A die that first gets a single page never has its two planes in step again: 15 of 16 pairs. */
static void test_a_stream_from_an_odd_page(void **state)
{
	static const struct {
		uint64_t page;
		const char *more;
		double rate, pairs;
	} cases[] = {
		{ 0, "", 3911.8, 10000 },
		{ 2, "", 3911.8, 10000 },
		{ 1, "", 3778.3, 9375 },
		{ FIRST, "", 3778.3, 9375 },
		{ FIRST, "flash.multiplane=any", 3911.9, 10000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double pairs, rate = written_from(cases[i].page, cases[i].more, &pairs);

		assert_near("24 KB in order from a page", rate, cases[i].rate, 0.02);
		assert_true(pairs == cases[i].pairs);
	}
}

/* Half of a page of 8 KB is changed: command, sense, half a page out; command, a page in, program. */
static void test_read_modify_write(void **state)
{
	enum { NS = 290 + 75000 + 8192 + 361 + 16384 + 750000 };
	struct load *l = load_open(ONE_PLANE, 1);
	struct requests *q = memory_array(1, sizeof *q, "requests");

	(void)state;
	q->count = 1;
	q->request[0] = (struct request){ .sectors = 8, .type = REQUEST_WRITE };
	serve(l->drive, q, 1);
	assert_true(histogram_mean(&l->drive->count->request[REQUEST_WRITE].latency) == NS);
	memory_free(q);
	load_close(l);
}

/* MQSim is faster: its multi-plane programs overtake earlier pages of their blocks (docs/validation.md). */
static void test_programs_out_of_order(void **state)
{
	struct row r = { .asks = ALL_WRITTEN, .file = "random", .sectors = 16, .depth = 128 };
	struct requests *q = memory_array(1, sizeof *q, "requests");
	struct load *l = load_open(FOUR_PLANES, 0);
	double off;

	(void)state;
	get_requests(q, &r, &l->settings.trace);
	off = 100 * (serve(l->drive, q, r.depth) / 11788.9 - 1);
	print_message("random writes to four planes, 128: %+.2f %%\n", off);
	assert_true(off < -4 && off > -8);
	memory_free(q);
	load_close(l);
}

/* ---- collection, one write in the drive ---- */

enum {
	COLLECTED_WRITES = 400000,
	WRITE_NS = 361 + 16384 + 750000,
	COPY_NS = 290 + 75000 + 16384 + WRITE_NS,
	ERASE_NS = 220 + 3800000
};

struct collected {
	double mean, programs, erases, copies;
};

/* 4 x 2 dies, blocks of 64 pages: random pages out of 80 % of them are written one at a time, as by MQSim. */
static struct collected collect(const char *more)
{
	struct collected c;
	char settings[800];
	struct load *l;

	snprintf(settings, sizeof settings,
		COMMON "flash.channels=4 flash.chips=2 flash.planes=1 flash.pages=64 %s", more);
	l = load_open(settings, 0);
	l->pages = (lpn_t)(0.8 * l->drive->geometry.logical_pages);
	load_iops(l, (struct demand){ 1, false, 1 }, 1, COLLECTED_WRITES);
	drive_drain(l->drive);
	c.mean = histogram_mean(&l->drive->count->request[REQUEST_WRITE].latency);
	c.programs = statistic_in(&l->drive->statistics, "flash.program.total");
	c.erases = statistic_in(&l->drive->statistics, "flash.erase.total");
	c.copies = statistic_in(&l->drive->statistics, "gc.moved_pages");
	load_close(l);
	return c;
}

/* The mean if writes waited for all that collections do, and for nothing else. */
static double waiting_for_all(double copies, double erases)
{
	return WRITE_NS + (copies * COPY_NS + erases * ERASE_NS) / COLLECTED_WRITES;
}

/*
 * Counts agree, times do not.  In MQSim a write waits for the whole collection that it causes.  Here it does
 * not wait for the erase, and with its page in another block than the copies (gc.separate) only for reads,
 * which go first, not for programs of copies.  The next write to the die waits for what is left by then.  A
 * copy-back reads and programs in one operation, which leaves no such gap: gc.separate changes nothing.
 */
static void test_what_a_write_waits_for(void **state)
{
	enum { PROGRAMS = 599775, ERASES = 7433, MEAN = 1266099 };
	struct collected apart = collect("gc.separate=true"), mixed = collect("gc.separate=false");
	struct collected apart_back = collect("gc.separate=true flash.copyback=true"),
			 mixed_back = collect("gc.separate=false flash.copyback=true");

	(void)state;
	assert_near("pages programmed", mixed.programs, PROGRAMS, 1);
	assert_near("blocks erased", mixed.erases, ERASES, 1);
	assert_near("mean, whole collections, MQSim's counts",
		waiting_for_all(PROGRAMS - COLLECTED_WRITES, ERASES), MEAN, 0.01);
	assert_near("mean, whole collections, our counts", waiting_for_all(mixed.copies, mixed.erases), MEAN,
		0.5);
	assert_near("mean, copies in blocks of their own", apart.mean, MEAN, 13);
	assert_near("mean, copies beside new pages", mixed.mean, MEAN, 6);
	assert_true(mixed.mean > 1.06 * apart.mean);
	assert_near("copy-back: apart beside mixed", apart_back.mean, mixed_back.mean, 0.5);
}

/* ---- one sequence against others ---- */

enum { SEQUENCES = SANITIZED ? 1 : 8, PAGES = 65536 };

/* From the first request to the last answer, as MQSim counts. */
static double rate_of_sequence(const char *settings, struct demand demand, uint64_t depth, uint64_t seed)
{
	enum { REQUESTS = 100000 };
	struct load *l = load_open(settings, PAGES);
	double seconds;

	random_init(&l->random, seed, 9);
	load_iops(l, demand, depth, REQUESTS);
	drive_drain(l->drive);
	seconds = (double)l->drive->last_completion / 1e9;
	load_close(l);
	return REQUESTS / seconds;
}

static double rate(const char *settings, struct demand demand, uint64_t depth)
{
	double sum = 0;

	for (int seed = 1; seed <= SEQUENCES; seed++)
		sum += rate_of_sequence(settings, demand, depth, (uint64_t)seed);
	return sum / SEQUENCES;
}

/* Means of eight sequences of 100,000 against one of MQSim's: the tolerance is the spread of sequences. */
static void test_other_requests(void **state)
{
	static const struct {
		const char *what;
		double writes, rate;
	} cases[] = { { "random read, 128", 0, 211982 }, { "random write, 128", 1, 36624 },
		{ "70/30, 128", 0.3, 93744 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (!is_for_soak(i, 3))
			assert_near(cases[i].what,
				rate(WRITTEN, (struct demand){ cases[i].writes, false, 1 }, 128),
				cases[i].rate, SANITIZED ? 5 : 1.5);
}

/* An independent event model of 60 lines gives 212, 233 and 302 thousand random reads a second, 128 in the
 * drive. */
static void test_the_three_orders_of_the_bus(void **state)
{
	static const struct {
		const char *order, *settings;
		double iops;
	} cases[] = {
		{ "data first", WRITTEN "flash.command_ns=290 flash.bus_order=data_first", 212000 },
		{ "first come", WRITTEN "flash.command_ns=290 flash.bus_order=fifo", 233000 },
		{ "commands first", WRITTEN "flash.command_ns=290 flash.bus_order=command_first", 302000 },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_near(cases[i].order, rate(cases[i].settings, (struct demand){ 0, false, 1 }, 128),
			cases[i].iops, SANITIZED ? 5 : 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mqsims_own_requests),
		cmocka_unit_test(test_a_stream_from_an_odd_page),
		cmocka_unit_test(test_read_modify_write),
		cmocka_unit_test(test_programs_out_of_order),
		cmocka_unit_test(test_what_a_write_waits_for),
		cmocka_unit_test(test_other_requests),
		cmocka_unit_test(test_the_three_orders_of_the_bus),
	};

	return cmocka_run_group_tests_name("mqsim", tests, NULL, NULL);
}
