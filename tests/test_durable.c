/*
 * When a write is complete, FLUSH and FUA: cases worked by hand.
 *
 * One die of 64 blocks of 96 pages of 16 KiB.  A command takes C on the bus, a page X; a page is loaded in
 * A = C + X and programmed in P, a wordline of three pages is loaded in 3 A and programmed in W.  A read is
 * Q = C + R + X; programming a page of an SLC block takes S with its load.
 */
#include "drive/durable.h"
#include "tests/run_fixture.h"

#define DRIVE                                                                                                \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=64 flash.pages=96 "         \
	"flash.page_bytes=16384 flash.over_provisioning=0.125 flash.read_ns=40000 flash.program_ns=500000 "  \
	"flash.erase_ns=3000000 flash.command_ns=300 flash.plane_command_ns=300 flash.bus_mb_per_s=1000 "    \
	"flash.copyback=false flash.forward_bytes=0 dram.access_ns=0 host.mode=open gc.threshold=0.05 "      \
	"precondition.premap=none "
#define MEMORY    "host.write_done=memory "
#define WORDLINES "flash.cell_bits=3 flash.program_unit=wordline flash.program_ns=1400000 "
#define PARITY                                                                                               \
	"flash.channels=4 placement.policy=superblock placement.superblock=unit parity.on=true "             \
	"flash.over_provisioning=0.5 "
#define HANDLES "fdp.handles=2 fdp.by=device flash.over_provisioning=0.25 "

enum { C = 300, X = 16384, R = 40000, P = 500000, W = 1400000, A = C + X, Q = C + R + X, S = A + 160000 };

#define REQUESTS_MOST 8
#define ENDED         UINT64_MAX

/* A run: latencies of its requests in the order of the trace, and statistics by name. */
struct timed_case {
	const char *name, *settings, *trace;
	uint64_t latency[REQUESTS_MOST + 1];
	struct {
		const char *name;
		double value;
	} statistic[4];
};

struct heard {
	struct drive_observer observer;
	uint64_t latency[REQUESTS_MOST];
	uint32_t requests, of_ticket[REQUESTS_MOST];
};

static void hear_entered(void *context, uint32_t ticket, const struct request *r)
{
	struct heard *h = context;

	(void)r;
	assert_true(ticket < REQUESTS_MOST && h->requests < REQUESTS_MOST);
	h->of_ticket[ticket] = h->requests++;
}

static void hear_completed(void *context, uint32_t ticket, const struct pending *p, tick_t when)
{
	struct heard *h = context;

	h->latency[h->of_ticket[ticket]] = when - p->arrival;
}

static void hear(struct heard *h, struct drive *d)
{
	*h = (struct heard){ .observer = {
				     .context = h, .entered = hear_entered, .completed = hear_completed } };
	drive_observe(d, &h->observer);
}

static void check_case(const struct timed_case *c)
{
	struct replay *r = replay_open(c->settings);
	struct heard heard;

	hear(&heard, r->drive);
	replay_trace(r, c->trace);
	assert_int_equal(r->end, RUN_DONE);
	for (uint32_t i = 0; i < REQUESTS_MOST && (i < heard.requests || c->latency[i] != ENDED); i++)
		if (i >= heard.requests || heard.latency[i] != c->latency[i])
			fail_msg("%s: request %u takes %llu ns, not %llu", c->name, i + 1,
				(unsigned long long)heard.latency[i], (unsigned long long)c->latency[i]);
	for (size_t i = 0; i < 4 && c->statistic[i].name; i++)
		if (statistic_in(&r->drive->statistics, c->statistic[i].name) != c->statistic[i].value)
			fail_msg("%s: %s is %g, not %g", c->name, c->statistic[i].name,
				statistic_in(&r->drive->statistics, c->statistic[i].name),
				c->statistic[i].value);
	flash_check_idle(r->drive->flash);
	replay_free(r);
}

static void check_cases(const struct timed_case *c)
{
	for (; c->name; c++)
		check_case(c);
}

/* ---- pages ---- */

static void test_pages(void **state)
{
	static const struct timed_case cases[] = {
		{ "a FLUSH waits for what was written", DRIVE, "0 0 0 32 0\n100 0 0 0 2\n",
			{ A + P, A + P - 100, ENDED },
			{ { "request.flush.count", 1 }, { "request.all.count", 2 } } },
		{ "a FLUSH of nothing", DRIVE "dram.access_ns=1000 ", "0 0 0 0 2\n", { 1000, ENDED } },
		{ "a FLUSH does not wait for what is written behind it", DRIVE,
			"0 0 0 32 0\n0 0 0 0 2\n0 0 32 32 0\n", { A + P, A + P, 2 * (A + P), ENDED } },
		{ "a write in memory, and a FLUSH", DRIVE MEMORY, "0 0 0 32 0\n100 0 0 0 2\n",
			{ 0, A + P - 100, ENDED },
			{ { "request.write.latency_max_ns", 0 },
				{ "request.flush.latency_max_ns", A + P - 100 } } },
		{ "a write in memory with FUA", DRIVE MEMORY, "0 0 0 32 4\n0 0 32 32 0\n",
			{ A + P, 0, ENDED },
			{ { "request.fua.count", 1 }, { "request.fua.bytes", 16384 },
				{ "request.write.count", 2 } } },
		{ "FUA changes nothing of a write in flash", DRIVE, "0 0 0 32 4\n", { A + P, ENDED } },
		{ "a FLUSH with power-loss protection", DRIVE MEMORY "host.plp=true dram.access_ns=1000 ",
			"0 0 0 32 0\n100 0 0 0 2\n200 0 64 32 4\n", { 1000, 1000, 1000, ENDED } },
		/* 24 sectors are read, 32 programmed. */
		{ "old data is not waited for", DRIVE MEMORY,
			"0 0 0 32 0\n1000000 0 0 8 0\n1000000 0 0 0 2\n",
			{ 0, 0, C + R + 24 * 512 + A + P, ENDED }, { { "flash.read.rmw", 1 } } },
		{ "old data is waited for with FUA", DRIVE MEMORY, "0 0 0 32 0\n1000000 0 0 8 4\n",
			{ 0, C + R + 24 * 512 + A + P, ENDED } },
		{ "a page in memory is read there", DRIVE MEMORY, "0 0 0 32 0\n1000 0 0 32 1\n",
			{ 0, 0, ENDED }, { { "flash.read.forwarded", 1 }, { "flash.read.total", 0 } } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

/* Room for one page. */
static void test_room(void **state)
{
	static const struct timed_case cases[] = {
		/* The second request has its look-up done first, but was made later. */
		{ "room is given in the order of making",
			DRIVE MEMORY "host.write_bytes=16384 dram.access_ns=1000 ",
			"0 0 0 64 0\n100 0 160 32 0\n200 0 0 0 2\n",
			{ 2000 + A + P, 2000 - 100 + 2 * (A + P), 2000 - 200 + 3 * (A + P), ENDED },
			{ { "host.memory_pages_max", 1 }, { "host.memory_full_ns", 2 * (A + P) } } },
		{ "a page without room is read as soon as it has some",
			DRIVE MEMORY "host.write_bytes=16384 ", "0 0 0 32 0\n0 0 32 32 0\n1000 0 32 32 1\n",
			{ 0, A + P, A + P - 1000, ENDED }, { { "flash.read.forwarded", 1 } } },
		{ "a read of another page waits for no room", DRIVE MEMORY "host.write_bytes=16384 ",
			"0 0 320 32 0\n1000000 0 0 32 0\n1000000 0 32 32 0\n1000000 0 320 32 1\n",
			{ 0, 0, A + P, A + P + Q, ENDED } },
		{ "by default there is room for two pages", DRIVE MEMORY, "0 0 0 96 0\n", { A + P, ENDED },
			{ { "host.memory_pages_max", 2 } } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

static void test_a_flush_of_every_second_write(void **state)
{
	static const struct timed_case cases[] = {
		{ "every second write", DRIVE MEMORY "host.flush_every=2 ",
			"0 0 0 32 0\n0 0 320 32 1\n50 0 32 32 0\n3000000 0 64 32 0\n",
			{ 0, 0, 0, 2 * (A + P) - 50, 0, ENDED },
			{ { "request.flush.count", 1 }, { "request.all.count", 5 } } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

/* ---- a write buffer in front ---- */

static void test_buffer(void **state)
{
	static const struct timed_case cases[] = {
		{ "a FLUSH writes what is dirty, once", DRIVE "buffer=lru dram.buffer_bytes=256K ",
			"0 0 64 32 0\n0 0 0 32 0\n100 0 0 0 2\n9000000 0 0 0 2\n9000000 0 64 32 1\n",
			{ 0, 0, 2 * (A + P), 0, 0, ENDED },
			{ { "flash.program.host", 2 }, { "buffer.flushed_pages", 2 },
				{ "buffer.evictions", 0 }, { "buffer.dirty_sectors", 0 } } },
		{ "FUA writes its own pages", DRIVE "buffer=lru dram.buffer_bytes=256K ",
			"0 0 0 8 0\n0 0 64 32 0\n0 0 8 24 4\n9000000 0 0 0 2\n",
			{ 0, 0, A + P, A + P, ENDED },
			{ { "flash.program.host", 2 }, { "flash.read.rmw", 0 } } },
		{ "neither with power-loss protection",
			DRIVE "buffer=lru dram.buffer_bytes=256K host.plp=true ",
			"0 0 0 32 0\n0 0 0 0 2\n0 0 32 32 4\n", { 0, 0, 0, ENDED },
			{ { "flash.program.host", 0 }, { "buffer.dirty_sectors", 64 } } },
		/* Block 0 is evicted with page 0 and pads of its pages 1 to 3, which are read before. */
		{ "pads of a buffer take room",
			DRIVE MEMORY "buffer=bplru bplru.padding=true dram.buffer_bytes=64K flash.pages=4 ",
			"0 0 0 128 0\n1000 0 0 0 2\n10000000 0 128 128 0\n20000000 0 0 32 0\n"
			"30000000 0 256 128 0\n",
			{ 0, 4 * (A + P), 0, 2 * (A + P), 3 * Q + 2 * (A + P), ENDED },
			{ { "flash.program.pad", 3 }, { "host.memory_pages_max", 2 } } },
		/* The same with a pad of page 0, and pages of another handle behind the block. */
		{ "a pad of page 0 is a page",
			DRIVE MEMORY HANDLES
			"buffer=bplru bplru.padding=true dram.buffer_bytes=64K flash.pages=4 ",
			"0 0 0 128 0\n1000 0 0 0 2\n10000000 1 128 128 0\n20000000 0 32 32 0\n"
			"30000000 0 256 128 0\n",
			{ 0, 4 * (A + P), 0, 2 * (A + P), 3 * Q + 2 * (A + P), ENDED },
			{ { "flash.program.pad", 3 } } },
		/* Pages 0 and 2 are of handle 0, page 1 of handle 1. */
		{ "a FLUSH of two handles", DRIVE HANDLES "buffer=lru dram.buffer_bytes=256K ",
			"0 0 0 32 0\n0 1 32 32 0\n0 0 64 32 0\n0 0 0 0 2\n", { 0, 0, 0, 3 * (A + P), ENDED },
			{ { "fdp.0.host_pages", 2 }, { "fdp.1.host_pages", 1 } } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

/* ---- with other features ---- */

static void test_slc(void **state)
{
	static const struct timed_case cases[] = {
		{ "a page into SLC", DRIVE "slc.mode=dynamic slc.program_ns=160000 ",
			"0 0 0 32 0\n1000 0 0 0 2\n", { S, S - 1000, ENDED },
			{ { "flash.program.pad", 0 } } },
		{ "the same in memory", DRIVE MEMORY "slc.mode=dynamic slc.program_ns=160000 ",
			"0 0 0 32 0\n1000 0 0 0 2\n", { 0, S - 1000, ENDED } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

static void test_zones(void **state)
{
	static const struct timed_case cases[] = {
		{ "a part of a page waits for the rest, not a FLUSH for it", DRIVE "ftl=zns ",
			"0 0 0 8 0\n1000 0 0 0 2\n", { 0, 0, ENDED }, { { "flash.program.total", 0 } } },
		{ "a page in a zone", DRIVE MEMORY "ftl=zns ", "0 0 0 32 0\n1000 0 0 0 2\n",
			{ 0, A + P - 1000, ENDED } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

static void test_wordlines(void **state)
{
	static const struct timed_case cases[] = {
		{ "a FLUSH fills up", DRIVE WORDLINES MEMORY, "0 0 0 32 0\n1000 0 0 0 2\n",
			{ 0, 3 * A + W, ENDED },
			{ { "flash.program.pad", 2 }, { "flash.wordline_stalls", 0 } } },
		{ "FUA fills up its own wordline", DRIVE WORDLINES MEMORY, "0 0 0 32 0\n1000 0 32 32 4\n",
			{ 0, 3 * A + W, ENDED }, { { "flash.program.pad", 1 } } },
		{ "FUA completes its wordline", DRIVE WORDLINES MEMORY, "0 0 0 64 0\n0 0 64 32 4\n",
			{ 0, 3 * A + W, ENDED }, { { "flash.program.pad", 0 } } },
		{ "with power-loss protection nothing is filled up but at the end",
			DRIVE WORDLINES MEMORY "host.plp=true ", "0 0 0 32 0\n0 0 0 0 2\n0 0 32 32 4\n",
			{ 0, 0, 0, ENDED }, { { "flash.program.pad", 1 }, { "flash.wordline_stalls", 1 } } },
		{ "a request larger than the memory is taken in parts",
			DRIVE WORDLINES MEMORY "host.write_bytes=49152 ", "0 0 0 288 0\n",
			{ 2 * (3 * A + W), ENDED }, { { "host.memory_pages_max", 3 } } },
		{ "a FLUSH waits for what has no room yet", DRIVE WORDLINES MEMORY "host.write_bytes=98304 ",
			"0 0 0 96 0\n0 0 96 96 0\n0 0 192 96 0\n0 0 0 0 2\n",
			{ 0, 0, 3 * A + W, 3 * (3 * A + W), ENDED } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

static void test_wordlines_of_handles(void **state)
{
	static const struct timed_case cases[] = {
		{ "each handle has its wordline", DRIVE WORDLINES HANDLES,
			"0 0 0 32 0\n0 1 32 32 0\n0 0 64 32 0\n0 1 96 32 0\n0 0 128 32 0\n0 1 160 32 0\n",
			{ 3 * A + W, 2 * (3 * A + W), 3 * A + W, 2 * (3 * A + W), 3 * A + W, 2 * (3 * A + W),
				ENDED },
			{ { "flash.wordlines", 2 }, { "flash.program.pad", 0 } } },
		{ "FUA fills up that of its handle", DRIVE WORDLINES HANDLES,
			"0 0 0 32 0\n0 1 32 32 0\n0 1 64 32 4\n",
			{ 2 * (3 * A + W), 3 * A + W, 3 * A + W, ENDED }, { { "flash.program.pad", 3 } } },
		{ "a FLUSH those of all", DRIVE WORDLINES MEMORY HANDLES,
			"0 0 0 32 0\n0 1 32 32 0\n0 0 0 0 2\n", { 0, 0, 2 * (3 * A + W), ENDED },
			{ { "flash.program.pad", 4 } } },
		{ "the least room is enough", DRIVE WORDLINES MEMORY HANDLES "host.write_bytes=98304 ",
			"0 0 0 32 0\n0 1 32 32 0\n0 0 64 32 0\n0 1 96 32 0\n0 0 128 32 0\n",
			{ 0, 0, 0, 0, 0, ENDED } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

/* An SLC block is programmed page by page. */
static void test_wordlines_and_slc(void **state)
{
#define TLC_AND_SLC DRIVE WORDLINES "slc.mode=dynamic "
	static const struct timed_case cases[] = {
		{ "a page into SLC waits for no neighbours", TLC_AND_SLC, "0 0 0 32 0\n1000 0 0 0 2\n",
			{ S, S - 1000, ENDED }, { { "flash.program.pad", 0 }, { "flash.wordlines", 0 } } },
		{ "the same in memory", TLC_AND_SLC MEMORY, "0 0 0 32 0\n1000 0 0 0 2\n",
			{ 0, S - 1000, ENDED }, { { "flash.program.pad", 0 } } },
		{ "FUA into SLC fills up nothing", TLC_AND_SLC MEMORY, "0 0 0 32 4\n", { S, ENDED },
			{ { "flash.program.pad", 0 } } },
		/* A block of 32 pages in SLC mode; page 33 goes to a normal block, and has room when 27 are
		 * programmed. */
		{ "what goes past a full SLC cache is filled up",
			DRIVE WORDLINES MEMORY "slc.mode=static slc.share=0.016 ",
			"0 0 0 1056 0\n0 0 0 0 2\n", { 27 * S, 32 * S + 3 * A + W, ENDED },
			{ { "flash.program.pad", 2 } } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

/* No request waits for parity: on four channels a page takes as long as a stripe of three with its parity. */
static void test_parity_is_not_waited_for(void **state)
{
	static const struct timed_case cases[] = {
		{ "FLUSH of a page", DRIVE MEMORY PARITY, "0 0 0 32 0\n0 0 0 0 2\n", { 0, A + P, ENDED },
			{ { "parity.programs", 0 } } },
		{ "FLUSH of a stripe", DRIVE MEMORY PARITY, "0 0 0 96 0\n0 0 0 0 2\n", { 0, A + P, ENDED },
			{ { "parity.programs", 1 } } },
		{ "FUA of a stripe", DRIVE PARITY, "0 0 0 96 4\n", { A + P, ENDED },
			{ { "parity.programs", 1 } } },
		{ 0 },
	};

	(void)state;
	check_cases(cases);
}

/* One page of three is written: its SLC block lacks no others. */
static void test_an_slc_block_lacks_no_pages(void **state)
{
	struct replay *r = replay_open(TLC_AND_SLC);
	struct schedule *s = r->drive->flash->schedule;
	bool found = false;

	(void)state;
	drive_submit(r->drive, &(struct request){ .type = REQUEST_WRITE, .sectors = 32 });
	for (block_t b = 0; b < r->drive->geometry.blocks; b++)
		if (flash_next_page(r->drive->flash, b)) {
			assert_int_equal(schedule_lacks(s, b), 0);
			found = true;
		}
	assert_true(found);
	drive_drain(r->drive);
	replay_free(r);
}

/* A block of three pages is folded in idle time: three reads in SLC mode, a wordline, programmed
 * slc.fold_passes times, and the erase. */
static void test_a_fold_is_a_wordline(void **state)
{
	enum { QS = C + 25000 + X, E = 3000000, IDLE = 1000000 };

	(void)state;
	for (int passes = 1; passes <= 2; passes++) {
		tick_t end = 3 * S + IDLE + 3 * QS + 3 * A + passes * W + C + E;
		char settings[1024];
		struct replay *r;

		snprintf(settings, sizeof settings,
			DRIVE WORDLINES "flash.pages=9 slc.mode=static slc.share=0.016 slc.idle_ns=%d "
					"slc.fold_passes=%d ",
			IDLE, passes);
		r = replay_open(settings);
		stat_list_start(&r->drive->statistics);
		drive_submit(r->drive, &(struct request){ .type = REQUEST_WRITE, .sectors = 96 });
		drive_run_until(r->drive, end - 1);
		assert_true(schedule_goes_on(r->drive->flash->schedule));
		drive_run_until(r->drive, end);
		assert_false(schedule_goes_on(r->drive->flash->schedule));
		assert_int_equal(statistic_in(&r->drive->statistics, "slc.idle_folds"), 1);
		assert_int_equal(statistic_in(&r->drive->statistics, "flash.program.pad"), 0);
		drive_drain(r->drive);
		drive_check(r->drive);
		replay_free(r);
	}
}

/* The update of a handle fills up its block, for which no request waits. */
static void test_an_update_of_a_handle(void **state)
{
	struct replay *r = replay_open(DRIVE WORDLINES MEMORY HANDLES);
	struct drive *d = r->drive;
	struct heard heard;

	(void)state;
	hear(&heard, d);
	stat_list_start(&d->statistics);
	drive_submit(d, &(struct request){ .type = REQUEST_WRITE, .sectors = 32, .device = 1 });
	drive_submit(d, &(struct request){ .type = REQUEST_UPDATE, .device = 1, .hint = 1 });
	drive_submit(d, &(struct request){ .type = REQUEST_FLUSH });
	drive_drain(d);
	assert_int_equal(heard.requests, 2);
	assert_int_equal(heard.latency[0], 0);
	assert_int_equal(heard.latency[1], 3 * A + W);
	assert_int_equal(statistic_in(&d->statistics, "flash.program.pad"), 95);
	assert_int_equal(statistic_in(&d->statistics, "flash.wordlines"), 32);
	assert_int_equal(schedule_now(d->flash->schedule), 32 * (3 * A + W));
	drive_check(d);
	replay_free(r);
}

/* ---- what a FLUSH costs ---- */

/* A write and a FLUSH behind it, at the same moment: from its arrival until the FLUSH is complete. */
static void assert_cost(const char *what, const char *settings, uint64_t ns)
{
	struct replay *r = replay_open(settings);
	uint64_t measured;

	replay_trace(r, "0 0 0 32 0\n");
	measured = r->drive->last_completion;
	print_message("write + FLUSH, %s: %llu ns, on paper %llu\n", what, (unsigned long long)measured,
		(unsigned long long)ns);
	assert_int_equal(measured, ns);
	replay_free(r);
}

#define SYNCED DRIVE MEMORY "host.mode=closed host.queue_depth=1 host.flush_every=1 dram.access_ns=1000 "
#define TLC    "flash.cell_bits=3 flash.program_unit=wordline flash.program_ns=1725000 "

static void test_what_a_flush_costs(void **state)
{
	(void)state;
	assert_cost("one-shot TLC", SYNCED TLC, 2 * 1000 + 3 * A + 1725000);
	assert_cost("the page in SLC mode", SYNCED "flash.program_ns=160000 ", 1000 + A + 160000);
	assert_cost("TLC with power-loss protection", SYNCED TLC "host.plp=true ", 2 * 1000);
}

/* ---- the log ---- */

/* A row of the log of the case, to be freed; row 0 is the heading. */
static char *row_of_log(const char *settings, const char *trace, unsigned row)
{
	struct replay *r = replay_open(settings);
	struct fault fault = { "" };
	char *text = NULL, *line;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct journal *journal = journal_create(out, false, false, &fault);

	journal_tell_fua(journal);
	journal_observe(journal, r->drive);
	replay_trace(r, trace);
	assert_true(journal_finish(journal, &fault));
	journal_free(journal);
	fclose(out);
	for (line = text; row--;)
		line = strchr(line, '\n') + 1;
	line = memory_string(line, "row");
	line[strcspn(line, "\n")] = '\0';
	free(text);
	replay_free(r);
	return line;
}

static void assert_row(const char *settings, const char *trace, unsigned row, const char *wanted)
{
	char *line = row_of_log(settings, trace, row);

	assert_string_equal(line, wanted);
	memory_free(line);
}

/* Latency, then the wait for a slot, the controller, mapping, the die, collection, bus, cells, link. */
static void test_where_the_time_goes(void **state)
{
	static const char *const one = DRIVE MEMORY "host.write_bytes=16384 dram.access_ns=1000 ",
				 *const trace = "0 0 0 32 0\n0 0 32 32 0\n0 0 0 0 2\n0 0 64 32 4\n";

	(void)state;
	assert_row(one, trace, 0,
		"number,arrival_ns,entered_ns,completed_ns,type,sector,sectors,class,latency_ns,door_ns,"
		"controller_ns,map_ns,die_ns,collection_ns,bus_ns,cells_ns,link_ns,reads,map_reads,gc_reads,"
		"programs,map_programs,gc_programs,erases,map_erases,gc_erases,fua");
	assert_row(
		one, trace, 1, "1,0,0,1000,write,0,32,aligned,1000,0,1000,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0");
	/* Room for the second page takes a program; the FLUSH waits for two programs of others. */
	assert_row(one, trace, 2,
		"2,0,0,517684,write,32,32,aligned,517684,0,1000,0,516684,0,0,0,0,0,0,0,1,0,0,0,0,0,0");
	assert_row(one, trace, 3,
		"3,0,0,1034368,flush,0,0,none,1034368,0,1000,0,1033368,0,0,0,0,0,0,0,0,0,0,0,0,0,0");
	assert_row(one, trace, 4,
		"4,0,0,1551052,write,64,32,aligned,1551052,0,1000,0,1033368,0,16684,500000,0,0,0,0,1,0,0,0,0,"
		"0,1");
	/* Old data that a write with FUA keeps is read for it: the bus and the cells are its own. */
	assert_row(one, "0 0 0 32 0\n1000000 0 0 8 4\n", 2,
		"2,1000000,1000000,1570272,write,0,8,unaligned,570272,0,1000,0,0,0,29272,540000,0,1,0,0,1,0,"
		"0,0,0,0,1");
}

/* Pads follow the writes, in blocks into which collections that have begun copy: the pages that pads would
 * take are reserved for the rest of the victims. */
static void test_a_victim_begun(void **state)
{
	struct replay *r = replay_open(DRIVE WORDLINES
		"flash.blocks=12 flash.pages=9 flash.over_provisioning=0.3 gc.separate=false gc.threshold=0 "
		"gc.soft=0.5 gc.copies_per_write=0.5 ");
	uint32_t pages = r->drive->geometry.logical_pages, page = 1;

	(void)state;
	stat_list_start(&r->drive->statistics);
	for (int i = 0; i < 2000; i++) {
		page = (page * 7919 + 13) % 65521;
		assert_true(drive_submit(
			r->drive, &(struct request){ .arrival = schedule_now(r->drive->flash->schedule),
					  .type = REQUEST_WRITE,
					  .start = page % pages * 32,
					  .sectors = 32,
					  .flags = i % 3 ? REQUEST_FUA : 0 }));
		while (r->drive->in_drive > 2 && drive_run_to_completion(r->drive))
			;
	}
	drive_drain(r->drive);
	drive_check(r->drive);
	flash_check_idle(r->drive->flash);
	replay_free(r);
}

/* ---- refusals ---- */

static void assert_refused(const char *settings, const char *text)
{
	struct settings s;
	struct fault fault = { "" };

	fixture_settings(&s, settings);
	assert_null(drive_create(&s, false, &fault));
	assert_string_equal(fault.text, text);
	settings_release(&s);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused(DRIVE MEMORY "host.write_bytes=16383 ",
		"host.write_bytes = 16383 holds 0 pages; 1 is needed");
	assert_refused(DRIVE MEMORY WORDLINES "host.write_bytes=16384 ",
		"host.write_bytes = 16384 holds 1 page; 3 are needed: passes x cell_bits for each plane");
	assert_refused(DRIVE MEMORY WORDLINES HANDLES "host.write_bytes=49152 ",
		"host.write_bytes = 49152 holds 3 pages; 6 are needed: passes x cell_bits x handles for each "
		"plane");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_a_flush_of_every_second_write),
		cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_slc),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_wordlines),
		cmocka_unit_test(test_wordlines_of_handles),
		cmocka_unit_test(test_wordlines_and_slc),
		cmocka_unit_test(test_a_fold_is_a_wordline),
		cmocka_unit_test(test_an_slc_block_lacks_no_pages),
		cmocka_unit_test(test_parity_is_not_waited_for),
		cmocka_unit_test(test_an_update_of_a_handle),
		cmocka_unit_test(test_what_a_flush_costs),
		cmocka_unit_test(test_where_the_time_goes),
		cmocka_unit_test(test_a_victim_begun),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
