/*
 * The assembled drive: classes of requests, the cost of each kind of request by hand, preconditioning, what
 * the statistics count and leave out, determinism.
 */
#include "ftl/page/page.h"
#include "tests/any_workload.h"
#include "tests/run_fixture.h"
#include "tests/inside.h"

#include <math.h>

enum { READ = 14100, WRITE = 104100 }; /* one page (drive_fixture.h) */

/* ---- classes ---- */

/* Straight from the definition: at most a page long and in two pages; both ends at page borders; the rest. */
static enum request_class classify_by_definition(sector_t start, uint32_t n, uint32_t page)
{
	if (n <= page && start / page != (start + n - 1) / page)
		return CLASS_ACROSS;
	return start % page == 0 && (start + n) % page == 0 ? CLASS_ALIGNED : CLASS_UNALIGNED;
}

static void test_classes_against_the_definition(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);

	(void)state;
	for (sector_t start = 0; start < 20; start++)
		for (uint32_t n = 1; n < 20; n++) {
			struct request r = { .start = start, .sectors = n };

			assert_int_equal(
				drive_classify(&b->geometry, &r), classify_by_definition(start, n, 4));
		}
	bench_close(b);
}

/* The example of the paper: 8 KB at 1028 KB, 8 KB pages: across although it is a page long. */
static void test_class_of_the_example_of_icpp23(void **state)
{
	struct bench *b = bench_open("flash.page_bytes=8K");
	struct request across = { .start = 1028 * 2, .sectors = 16 },
		       long_one = { .start = 1028 * 2, .sectors = 17 };

	(void)state;
	assert_int_equal(drive_classify(&b->geometry, &across), CLASS_ACROSS);
	assert_int_equal(drive_classify(&b->geometry, &long_one), CLASS_UNALIGNED);
	assert_string_equal(class_name(CLASS_ACROSS), "across");
	assert_string_equal(class_name(CLASS_ALIGNED), "aligned");
	assert_string_equal(class_name(CLASS_UNALIGNED), "unaligned");
	bench_close(b);
}

/* ---- what a request costs ---- */

/* Each look-up of the map costs one access time before the flash begins. */
static void test_write_of_one_page(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "dram.access_ns=1000", "0 0 0 4 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 1000 + WRITE);
	assert_int_equal(r->drive->ftl->map.lookups, 1);
	replay_free(r);
}

/* Never written: answered with zeros in the time of its look-ups. */
static void test_read_of_nothing(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "dram.access_ns=1000", "0 0 0 8 1\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 2 * 1000);
	assert_int_equal(flash_total(r->drive->flash, OP_READ), 0);
	assert_int_equal(r->drive->ftl->map.unmapped_reads, 2);
	replay_free(r);
}

static void test_read_of_what_was_written(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n1000000 0 1 2 1\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 100 + 10000 + 2 * 1000);
	replay_free(r);
}

/* Sectors 1..3 must be read before the page is written again: 100 + 10000 + 3000, then a write. */
static void test_partial_write_reads_what_it_keeps(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n1000000 0 0 1 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 13100 + WRITE);
	assert_int_equal(r->drive->flash->count[OP_READ][CAUSE_RMW], 1);
	assert_int_equal(r->drive->flash->count[OP_PROGRAM][CAUSE_HOST], 2);
	replay_free(r);
}

/* Sectors 0 and 1 hold data; 1 and 2 are written: 0 is kept and the page holds three. */
static void test_partial_write_keeps_only_what_holds_data(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 2 0\n1000000 0 1 2 0\n2000000 0 0 4 1\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max,
		(100 + 10000 + 1000) + (100 + 3000 + 100000));
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 100 + 10000 + 3000);
	replay_free(r);
}

/*
 * Every other request is one page, the others are two: pages 0, 1-2, 3, 4-5, ... in planes 0, 1-0, 1, 0-1.
 * So one of four requests can program both planes of a die at the same offset, however many pages are
 * written.
 */
static void test_superblocks_stay_in_step(void **state)
{
	char trace[4000] = "";
	struct replay *r;

	(void)state;
	for (int i = 0; i < 48; i++)
		sprintf(trace + strlen(trace), "%d 0 %d %d 0\n", i * 1000000, i % 8 * 8, i % 2 ? 8 : 4);
	r = replay(PAPER_DRIVE "flash.multiplane=same_offset placement.policy=superblock", trace);
	assert_int_equal(schedule_busy(r->drive->flash->schedule).multiplane_commands, 12);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 2 * 4100 + 100000);
	replay_free(r);
}

#define LINKED PAPER_DRIVE "placement.policy=static host.link_ns=300 host.link_mb_per_s=512 "

/* A sector takes 1000 ns on the link, a request 300 more; the data of a write crosses it before anything else
 * is done. */
static void test_requests_cross_the_link(void **state)
{
	struct replay *r = replay(LINKED "dram.access_ns=50", "0 0 0 4 0\n1000000 0 0 3 1\n");
	const struct request_statistics *of = r->drive->count->request;

	(void)state;
	assert_int_equal(of[REQUEST_WRITE].latency.max, 4000 + 300 + 50 + WRITE);
	assert_int_equal(of[REQUEST_READ].latency.max, 50 + 100 + 10000 + 3000 + 3000 + 300);
	assert_int_equal(r->drive->count->service[REQUEST_READ].max, of[REQUEST_READ].latency.max);
	assert_int_equal(r->drive->last_completion, 1000000 + of[REQUEST_READ].latency.max);
	replay_free(r);
}

/* Two pages on two channels are written and read at once: each direction carries one after the other. */
static void test_the_link_carries_one_request_after_another(void **state)
{
	struct replay *r = replay(LINKED, "0 0 0 4 0\n0 0 4 4 0\n1000000 0 0 4 1\n1000000 0 4 4 1\n");
	const struct request_statistics *of = r->drive->count->request;

	(void)state;
	assert_int_equal(of[REQUEST_WRITE].latency.min, 4000 + 300 + WRITE);
	assert_int_equal(of[REQUEST_READ].latency.min, READ + 4000 + 300);
	assert_int_equal(of[REQUEST_READ].latency.max, READ + 2 * 4000 + 300);
	replay_free(r);
	r = replay(LINKED, "0 0 0 4 0\n0 0 4 4 0\n");
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 2 * 4000 + 300 + WRITE);
	replay_free(r);
}

/* Two reads at once, of pages on two channels, and later a write: each takes 700 ns of the processor, before
 * its data crosses the link. */
static void test_the_controller_processes_one_request_after_another(void **state)
{
	struct replay *r = replay(LINKED "host.command_ns=700",
		"0 0 0 4 0\n0 0 4 4 0\n1000000 0 0 4 1\n1000000 0 4 4 1\n2000000 0 0 4 0\n");
	const struct request_statistics *of = r->drive->count->request;

	(void)state;
	assert_int_equal(of[REQUEST_WRITE].latency.min, 700 + 4000 + 300 + WRITE);
	assert_int_equal(of[REQUEST_WRITE].latency.max, 700 + 2 * 4000 + 300 + WRITE);
	assert_int_equal(of[REQUEST_READ].latency.min, 700 + READ + 4000 + 300);
	assert_int_equal(of[REQUEST_READ].latency.max, 700 + READ + 2 * 4000 + 300);
	replay_free(r);
	r = replay(PAPER_DRIVE "host.command_ns=20000 placement.policy=static",
		"0 0 0 8 0\n1000000 0 0 4 1\n1000000 0 4 4 1\n");
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.min, 20000 + READ);
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 2 * 20000 + READ);
	replay_free(r);
}

/* The next request of a closed loop comes when the host has the answer, although the drive has long been
 * idle. */
static void test_a_slot_is_taken_until_the_answer_has_come(void **state)
{
	struct replay *r =
		replay(LINKED "host.mode=closed host.queue_depth=1", "0 0 0 4 0\n0 0 0 4 1\n0 0 0 4 1\n");

	(void)state;
	assert_int_equal(r->drive->last_completion, (4300 + WRITE) + 2 * (READ + 4300));
	assert_int_equal(r->drive->in_drive, 0);
	replay_free(r);
}

/* A read while the write is in flight, and one after it. */
static void test_data_on_its_way_is_read_at_once(void **state)
{
	struct replay *r =
		replay(PAPER_DRIVE "dram.access_ns=500", "0 0 0 4 0\n2000 0 0 4 1\n1000000 0 0 4 1\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.min, 500);
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 500 + READ);
	assert_int_equal(r->drive->flash->forwarded[CAUSE_HOST], 1);
	replay_free(r);
}

/* An across request programs two pages, an aligned one of the same length one. */
static void test_programs_of_classes(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 2 4 0\n1000000 0 8 4 0\n2000000 0 12 7 0\n");
	struct class_statistics(*of_class)[2] = r->drive->count->of_class;

	(void)state;
	assert_int_equal(of_class[CLASS_ACROSS][REQUEST_WRITE].programs, 2);
	assert_int_equal(of_class[CLASS_ACROSS][REQUEST_WRITE].request.sectors, 4);
	assert_int_equal(of_class[CLASS_ALIGNED][REQUEST_WRITE].programs, 1);
	assert_int_equal(of_class[CLASS_UNALIGNED][REQUEST_WRITE].programs, 2);
	assert_int_equal(of_class[CLASS_UNALIGNED][REQUEST_WRITE].request.sectors, 7);
	assert_int_equal(of_class[CLASS_ACROSS][REQUEST_READ].request.count, 0);
	replay_free(r);
}

/* Reads of one sector and of four, each alone on the drive: a mean over requests, not over all sectors. */
static void test_latency_per_sector_of_requests_and_of_sectors(void **state)
{
	struct replay *r =
		replay(PAPER_DRIVE, "0 0 0 4 0\n1000000 0 4 1 0\n2000000 0 0 4 1\n3000000 0 4 1 1\n");
	struct class_statistics(*of_class)[2] = r->drive->count->of_class;

	(void)state;
	assert_true(of_class[CLASS_ALIGNED][REQUEST_READ].latency_each == READ / 4.0);
	assert_true(of_class[CLASS_ALIGNED][REQUEST_WRITE].programs_each == 1 / 4.0);
	assert_true(of_class[CLASS_UNALIGNED][REQUEST_WRITE].programs_each == 1);
	assert_true(of_class[CLASS_UNALIGNED][REQUEST_READ].latency_each <= READ);
	replay_free(r);
	r = replay(PAPER_DRIVE, "0 0 0 8 0\n1000000 0 0 8 1\n2000000 0 0 4 1\n");
	of_class = r->drive->count->of_class;
	assert_int_equal(of_class[CLASS_ALIGNED][REQUEST_READ].request.sectors, 12);
	assert_true(of_class[CLASS_ALIGNED][REQUEST_READ].latency_each ==
		    (double)of_class[CLASS_ALIGNED][REQUEST_READ].request.latency.max / 8 +
			    (double)of_class[CLASS_ALIGNED][REQUEST_READ].request.latency.min / 4);
	assert_true(of_class[CLASS_ALIGNED][REQUEST_WRITE].programs_each == 2 / 8.0);
	replay_free(r);
}

/* With a buffer, a write takes the time of its accesses; the flush that makes room is part of the request
 * that needs it. */
static void test_buffered_write(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "buffer=lru dram.buffer_bytes=2K dram.access_ns=1000",
		"0 0 0 4 0\n1000000 0 4 4 0\n2000000 0 4 4 1\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.min, 1000);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 2 * 1000 + WRITE);
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 1000);
	assert_int_equal(buffer_dirty_sectors(r->drive->buffer), 4);
	replay_free(r);
}

/* Sector 1 of a page lies in the buffer, the others in flash: the page is read once, although sector 1 is not
 * needed from it. */
static void test_a_page_is_read_once_around_a_buffered_sector(void **state)
{
	struct replay *r = replay_open(PAPER_DRIVE "buffer=lru dram.buffer_bytes=2K");

	(void)state;
	drive_place(r->drive, (struct extent){ 0, 4 });
	replay_trace(r, "0 0 1 1 0\n1000000 0 0 4 1\n");
	assert_int_equal(flash_total(r->drive->flash, OP_READ), 1);
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.max, 100 + 10000 + 3 * 1000);
	replay_free(r);
}

/* ---- preconditioning ---- */

/* A plane of 400,000 pages. */
#define ONE_PLANE "flash.channels=1 flash.planes=1 flash.blocks=4000 flash.pages=100"

#define MEDIUM                                                                                               \
	"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=100 flash.pages=20 "        \
	"flash.page_bytes=2048 flash.over_provisioning=0.2 trace.fold=true trace.limit=500 "                 \
	"gc.threshold=0.05 "

static bool precondition_for(struct replay *r, const char *workload)
{
	struct workload w;
	bool done = workload_open(&w, workload, &r->settings.trace, true, NULL, &r->fault) &&
		    precondition(r->drive, &w, &r->before, &r->fault);

	workload_close(&w);
	return done;
}

static struct replay *prepared_for(const char *workload, const char *settings)
{
	struct replay *r = replay_open(settings);

	if (!precondition_for(r, workload))
		fail_msg("%s", r->fault.text);
	return r;
}

static struct replay *prepared(const char *settings)
{
	return prepared_for("uniform", settings);
}

/* Both shares are reached to three digits: within half a thousandth of the pages. */
static void test_synthetic_state_is_reached(void **state)
{
	static const struct {
		double used, valid;
	} cases[] = { { 0.9, 0.398 }, { 0.5, 0.5 }, { 0.8, 0.8 }, { 0.9, 0.001 }, { 0.123, 0.045 },
		{ 0.7, 0 }, { 0, 0 } };
	char text[512];

	(void)state;
	for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
		double used = cases[i / 2].used, valid = cases[i / 2].valid;
		struct replay *r;
		uint64_t live = 0;

		snprintf(text, sizeof text,
			MEDIUM "precondition.mode=synthetic precondition.layout=%s precondition.used=%g "
			       "precondition.valid=%g",
			i % 2 ? "apart" : "mixed", used, valid);
		r = prepared(text);
		for (ppn_t ppn = 0; ppn < r->drive->geometry.pages; ppn++)
			live += r->drive->flash->block[ppn / 20].next > ppn % 20 &&
				flash_owner(r->drive->flash, ppn) != OWNER_NONE;
		assert_int_equal(r->before.valid_pages, live);
		assert_true(fabs((double)r->before.used_pages / 8000 - used) < 0.0005);
		assert_true(fabs((double)live / 8000 - valid) < 0.0005);
		ftl_check(r->drive->ftl);
		replay_free(r);
	}
}

/* The share of live pages is the same everywhere: per block of 20 mean 8.84, deviation about 2.2. */
static void test_synthetic_state_is_spread_evenly(void **state)
{
	struct replay *r =
		prepared(MEDIUM "precondition.mode=synthetic precondition.used=0.9 precondition.valid=0.398");
	double sum = 0, squares = 0;
	uint32_t closed = 0;

	(void)state;
	for (block_t b = 0; b < r->drive->geometry.blocks; b++) {
		double valid = r->drive->ftl->store->space->block[b].valid;

		if (r->drive->ftl->store->space->block[b].state != BLOCK_CLOSED)
			continue;
		closed++;
		sum += valid;
		squares += valid * valid;
	}
	assert_true(closed >= 356);
	assert_true(fabs(sum / closed - 20 * 0.398 / 0.9) < 0.2);
	assert_true(fabs(sqrt(squares / closed - sum / closed * (sum / closed)) - 2.22) < 0.4);
	replay_free(r);
}

/*
 * Mapping pages that an FTL programs count as used, too: all FTLs start equally full, to the page, except
 * those that merge blocks, where a page that is written again requires an erase, too.  Six classes keep six
 * blocks of a plane free.
 */
static void test_all_ftls_start_equally_full(void **state)
{
	static const struct {
		const char *drive;
		unsigned used, valid; /* tenths of the pages */
	} cases[] = {
		{ MEDIUM, 8, 4 },
		{ MEDIUM "map.cache_bytes=64K ", 9, 3 },
		{ MEDIUM "flash.planes=1 flash.pages=64 flash.blocks=60 flash.page_bytes=8192 ", 9, 4 },
		{ MEDIUM "flash.channels=4 flash.dies=2 flash.blocks=40 flash.page_bytes=4096 "
			 "gc.threshold=0.1 ",
			9, 4 },
		{ MEDIUM "placement.policy=round_robin gc.policy=fifo ", 7, 5 },
	};
	static const char *const states[] = { "synthetic precondition.layout=mixed",
		"synthetic precondition.layout=apart", "aged" };
	char text[1024];

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
		for (size_t i = 0; ftls[i]; i++)
			for (size_t s = 0; s < 3 && has_a_store(i); s++) {
				struct replay *r;
				uint32_t pages;

				snprintf(text, sizeof text,
					MEDIUM "map.cache_bytes=8192 %s %s ftl=%s precondition.mode=%s "
					       "precondition.premap=none precondition.used=0.%u "
					       "precondition.valid=0.%u",
					cases[c].drive, has_classes(ftls[i]) ? "flash.blocks=100" : "",
					ftls[i]->name, states[s], cases[c].used, cases[c].valid);
				r = prepared(text);
				pages = r->drive->geometry.pages / 10;
				if (r->before.used_pages != (uint64_t)pages * cases[c].used)
					print_error("%s: %llu pages\n", text,
						(unsigned long long)r->before.used_pages);
				assert_int_equal(r->before.used_pages, pages * cases[c].used);
				assert_true(s == 2 || r->before.valid_pages >= pages * cases[c].valid);
				replay_free(r);
			}
}

/* Static striping puts all copies of a page in one plane, which is collected before `used` is reached. */
static void test_static_placement_ends(void **state)
{
	static const char *const layouts[] = { "mixed", "apart" };
	char text[512];

	(void)state;
	for (size_t l = 0; l < 2; l++) {
		struct replay *r;

		snprintf(text, sizeof text,
			MEDIUM "placement.policy=static precondition.mode=synthetic precondition.layout=%s "
			       "precondition.used=0.95 precondition.valid=0.4",
			layouts[l]);
		r = prepared(text);
		assert_true(r->before.used_pages <= 95 * r->drive->geometry.pages / 100);
		assert_int_equal(r->before.valid_pages, 4 * r->drive->geometry.pages / 10);
		replay_free(r);
	}
}

/* Verification changes nothing: the same pages are in the same places with and without it. */
static void prepare_with_and_without_verification(const char *ftl)
{
	static const char *const states[] = { "used=0.9 precondition.valid=0.5 precondition.layout=mixed",
		"used=0.7 precondition.valid=0.5 precondition.layout=apart precondition.premap=none",
		"used=0.3 precondition.valid=0.25 precondition.layout=apart precondition.premap=none",
		"used=0.4 precondition.valid=0.2 precondition.layout=apart precondition.premap=none "
		"gc.threshold=0.3",
		"used=0.95 precondition.valid=0.4 gc.low=40",
		"used=0.9 precondition.valid=0.7 placement.policy=static",
		"used=0.9 precondition.valid=0.5 precondition.layout=mixed precondition.premap=sectors",
		"used=0.7 precondition.valid=0.5 precondition.layout=apart precondition.premap=sectors",
		"used=0.8 precondition.valid=0.6 precondition.layout=mixed precondition.premap=requests",
		"used=0.95 precondition.valid=0.6 " ONE_PLANE,
		"used=0.95 precondition.valid=0.6 gc.threshold=0.3 " ONE_PLANE };

	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		char text[512];
		struct replay *with, *without;

		snprintf(text, sizeof text, MEDIUM "ftl=%s precondition.mode=synthetic precondition.%s", ftl,
			states[i]);
		with = prepared_for("lun1", text);
		without = replay_open(text);
		drive_free(without->drive);
		without->drive = drive_create(&without->settings, false, &without->fault);
		assert_true(precondition_for(without, "lun1"));
		ftl_check(without->drive->ftl);
		for (ppn_t ppn = 0; ppn < with->drive->geometry.pages; ppn++)
			assert_int_equal(flash_owner(with->drive->flash, ppn),
				flash_owner(without->drive->flash, ppn));
		for (lpn_t lpn = 0; lpn < with->drive->geometry.logical_pages; lpn++)
			assert_int_equal(page_map_get(page_map_of(with->drive->ftl), lpn).mask,
				page_map_get(page_map_of(without->drive->ftl), lpn).mask);
		assert_int_equal(with->before.used_pages, without->before.used_pages);
		replay_free(with);
		replay_free(without);
	}
}

static void test_verification_prepares_the_same_drive(void **state)
{
	(void)state;
	prepare_with_and_without_verification("page");
	prepare_with_and_without_verification("across");
}

struct broken {
	const struct drive *drive;
	lpn_t lpn;
};

static void check_with_wrong_owner(void *broken)
{
	struct broken *b = broken;

	flash_rename(b->drive->flash, page_map_get(page_map_of(b->drive->ftl), b->lpn).ppn, 7);
	ftl_check(b->drive->ftl);
}

/* All 1,200,000 logical pages are live; their random order is computed in many blocks. */
static void test_a_large_drive_is_filled_and_checked(void **state)
{
	struct replay *r =
		replay_open("flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=4000 "
			    "flash.pages=100 flash.page_bytes=2048 flash.over_provisioning=0.25 "
			    "precondition.mode=synthetic precondition.premap=none "
			    "precondition.used=0.8 precondition.valid=0.75");
	lpn_t lpns = r->drive->geometry.logical_pages;
	struct broken broken[] = { { NULL, 11 }, { NULL, lpns - 11 } };

	(void)state;
	assert_int_equal(lpns, 1200000);
	drive_free(r->drive);
	r->drive = drive_create(&r->settings, false, &r->fault);
	assert_true(precondition(r->drive, NULL, &r->before, &r->fault));
	assert_int_equal(r->before.valid_pages, lpns);
	assert_int_equal(page_check_map(r->drive->ftl), lpns);
	ftl_check(r->drive->ftl);
	for (size_t i = 0; i < 2; i++) {
		char text[40];

		broken[i].drive = r->drive;
		snprintf(text, sizeof text, "LPN %u is mapped to page", broken[i].lpn);
		assert_aborts(check_with_wrong_owner, &broken[i], text);
	}
	replay_free(r);
}

/* The pages of a block are all live or all dead, except in three blocks of each plane: where live ones follow
 * dead ones, where dead ones follow these, and where the last live ones were written again. */
static void test_live_pages_lie_apart(void **state)
{
	struct replay *r = prepared(MEDIUM "precondition.mode=synthetic precondition.layout=apart "
					   "precondition.used=0.9 precondition.valid=0.398");
	const struct drive *d = r->drive;
	uint32_t mixed = 0;

	(void)state;
	for (block_t b = 0; b < d->geometry.blocks; b++) {
		uint32_t live = d->ftl->store->space->block[b].valid;

		mixed += live && live < d->flash->block[b].next;
	}
	assert_true(mixed <= 3 * d->geometry.planes);
	replay_free(r);
}

/* 500 requests of 4 KB touch less than the valid share: every page they touch is live. */
static void test_pages_of_the_workload_come_first(void **state)
{
	struct replay *r =
		prepared(MEDIUM "precondition.mode=synthetic precondition.used=0.9 precondition.valid=0.398");
	struct request q;

	(void)state;
	assert_true(workload_open(&r->workload, "uniform", &r->settings.trace, false, NULL, &r->fault));
	while (workload_next(&r->workload, &q, &r->fault) == TRACE_OK) {
		uint64_t before = flash_total(r->drive->flash, OP_READ);

		assert_true(host_admit(r->drive->host, &q, "uniform", &r->fault));
		q.type = REQUEST_READ;
		q.arrival = schedule_now(r->drive->flash->schedule);
		drive_submit(r->drive, &q);
		drive_drain(r->drive);
		assert_int_equal(flash_total(r->drive->flash, OP_READ) - before,
			(q.start + q.sectors - 1) / 4 - q.start / 4 + 1);
	}
	replay_free(r);
}

static void test_aged_state_is_used_and_dead(void **state)
{
	struct replay *r =
		prepared(MEDIUM "precondition.mode=aged precondition.used=0.9 precondition.premap=none");

	(void)state;
	assert_int_equal(r->before.used_pages, 7200);
	assert_int_equal(r->before.valid_pages, 0);
	ftl_check(r->drive->ftl);
	replay_free(r);
}

/* One plane, so that places tell the order: every logical page once, ascending or in whole runs of 7. */
static void test_every_page_is_filled_once(void **state)
{
	static const char one_plane[] = MEDIUM "flash.channels=1 flash.planes=1 precondition.mode=fill ";
	uint32_t pages, ascending = 0;
	struct replay *r = prepared(one_plane);

	(void)state;
	pages = r->drive->geometry.logical_pages;
	assert_int_equal(r->before.used_pages, pages);
	assert_int_equal(r->before.valid_pages, pages);
	for (ppn_t ppn = 0; ppn < pages; ppn++)
		assert_int_equal(flash_owner(r->drive->flash, ppn), ppn);
	replay_free(r);
	r = prepared(MEDIUM "flash.channels=1 flash.planes=1 precondition.mode=fill precondition.fill_run=7 "
			    "precondition.premap=none");
	assert_int_equal(r->before.used_pages, pages);
	assert_int_equal(r->before.valid_pages, pages);
	for (ppn_t ppn = 1; ppn < pages; ppn++) {
		lpn_t lpn = flash_owner(r->drive->flash, ppn),
		      previous = flash_owner(r->drive->flash, ppn - 1);

		assert_true(lpn == previous + 1 || lpn % 7 == 0);
		ascending += lpn == previous + 1;
	}
	assert_in_range(ascending, pages / 7 * 6 - 7, pages / 7 * 6 + 7 + pages / 70);
	replay_free(r);
}

static void test_the_order_of_filling_depends_on_the_seed(void **state)
{
	static const char in_runs[] = MEDIUM "precondition.mode=fill precondition.fill_run=7 "
					     "flash.channels=1 flash.planes=1 precondition.premap=none ";
	struct replay *one = prepared(in_runs), *two;
	char text[512];
	uint32_t same = 0;

	(void)state;
	snprintf(text, sizeof text, "%s seed=4711", in_runs);
	two = prepared(text);
	for (ppn_t ppn = 0; ppn < one->drive->geometry.logical_pages; ppn++)
		same += flash_owner(one->drive->flash, ppn) == flash_owner(two->drive->flash, ppn);
	assert_true(same < one->drive->geometry.logical_pages / 2);
	replay_free(one);
	replay_free(two);
}

/* Every FTL holds every logical page once; the mapping pages of those that have some come on top. */
static void test_all_ftls_are_filled_alike(void **state)
{
	(void)state;
	for (size_t i = 0; ftls[i]; i++) {
		bool maps = ftls[i]->place_map || !strcmp(ftls[i]->name, "across") ||
			    !strcmp(ftls[i]->name, "mrsm");
		char text[1024];
		struct replay *r;
		uint64_t pages;

		snprintf(text, sizeof text, MEDIUM "map.cache_bytes=8192 ftl=%s precondition.mode=fill",
			ftls[i]->name);
		r = prepared(text);
		pages = r->drive->geometry.logical_pages;
		assert_true(r->before.valid_pages >= pages && r->before.used_pages >= r->before.valid_pages);
		if (maps)
			assert_true(
				r->before.used_pages > pages && r->before.used_pages < pages + pages / 10);
		else
			assert_int_equal(r->before.used_pages, pages);
		replay_free(r);
	}
}

/* These sectors of the first three pages hold data, and the trace can be served. */
static void expect_masks_and_replay(struct replay *r, const mask_t mask[3], const char *trace)
{
	for (lpn_t lpn = 0; lpn < 3; lpn++)
		assert_int_equal(page_map_get(page_map_of(r->drive->ftl), lpn).mask, mask[lpn]);
	replay_trace(r, trace);
	assert_int_equal(r->end, RUN_DONE);
	replay_free(r);
}

/* Reads of sectors 1 and 2, of 4 and 5 after they were written, and of 9 and 11 before that.  Premapped are
 * pages 0 to 2 as a whole, or only the read sectors of pages 0 and 2, each in one page of flash. */
static void test_premapping_of_pages_and_of_sectors(void **state)
{
	static const char trace[] =
		"0 0 1 2 1\n1 0 4 4 0\n2 0 4 2 1\n3 0 9 1 1\n4 0 11 1 1\n5 0 8 4 0\n6 0 10 1 1\n";
	static const struct {
		const char *premap;
		mask_t mask[3];
		uint64_t pages;
	} cases[] = { { "none", { 0, 0, 0 }, 0 }, { "pages", { 0xf, 0xf, 0xf }, 3 },
		{ "sectors", { 0x6, 0, 0xa }, 2 } };
	char name[] = "/tmp/ssdlab-trace-XXXXXX", text[512];
	int file = mkstemp(name);

	(void)state;
	assert_int_equal(write(file, trace, sizeof trace - 1), sizeof trace - 1);
	close(file);
	for (int i = 0; i < 3; i++) {
		struct replay *r;

		snprintf(text, sizeof text, PAPER_DRIVE "trace.format=ssdsim precondition.premap=%s",
			cases[i].premap);
		r = replay_open(text);
		assert_true(precondition_for(r, name));
		assert_int_equal(r->before.used_pages, cases[i].pages);
		assert_int_equal(r->before.footprint_pages, cases[i].pages);
		expect_masks_and_replay(r, cases[i].mask, trace);
	}
	unlink(name);
}

/* The same on a drive with other live pages: of pages 0 and 2 only the read sectors are premapped; page 1,
 * which is written before it is read, is empty unless all logical pages must be live. */
static void test_premapping_of_sectors_among_live_pages(void **state)
{
	static const char trace[] = "0 0 1 2 1\n1 0 4 4 0\n2 0 4 2 1\n3 0 9 1 1\n4 0 11 1 1\n5 0 8 4 0\n";
	static const struct {
		const char *shares;
		mask_t mask[3];
	} cases[] = { { "sectors precondition.used=0.9 precondition.valid=0.398", { 0x6, 0, 0xa } },
		{ "sectors precondition.used=0.85 precondition.valid=0.798", { 0x6, 0, 0xa } },
		{ "sectors precondition.used=0.85 precondition.valid=0.8", { 0x6, 0xf, 0xa } },
		{ "sectors precondition.used=0.9 precondition.valid=0.398 precondition.layout=apart",
			{ 0x6, 0, 0xa } },
		{ "requests precondition.used=0.9 precondition.valid=0.398", { 0x6, 0, 0xa } },
		{ "requests precondition.used=0.9 precondition.valid=0.0001", { 0x6, 0, 0xa } } };
	char name[] = "/tmp/ssdlab-trace-XXXXXX", text[512];
	int file = mkstemp(name);

	(void)state;
	assert_int_equal(write(file, trace, sizeof trace - 1), sizeof trace - 1);
	close(file);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct replay *r;

		snprintf(text, sizeof text,
			MEDIUM "trace.format=ssdsim precondition.mode=synthetic precondition.premap=%s",
			cases[i].shares);
		r = replay_open(text);
		assert_true(precondition_for(r, name));
		assert_int_equal(r->before.footprint_pages, 2);
		expect_masks_and_replay(r, cases[i].mask, trace);
	}
	unlink(name);
}

/*
 * Reads of sectors 2 to 5, over a border, and of 4 to 7, of which 4 and 5 are premapped already.  By
 * requests, MRSM packs the sectors of the first read into one page; by sectors, they lie in two pages, of
 * which the second then holds 4 to 7.
 */
static void test_premapping_of_requests(void **state)
{
	static const char trace[] = "0 0 2 4 1\n1 0 4 4 1\n";
	static const struct {
		const char *settings;
		uint64_t used, reads;
	} cases[] = { { "ftl=mrsm precondition.premap=sectors", 2, 3 },
		{ "ftl=mrsm precondition.premap=requests", 2, 3 },
		{ "ftl=mrsm precondition.premap=requests trace.limit=1", 1, 1 },
		{ "ftl=mrsm precondition.premap=sectors trace.limit=1", 2, 2 },
		{ "ftl=page precondition.premap=requests", 3, 3 } };
	char name[] = "/tmp/ssdlab-trace-XXXXXX", text[512];
	int file = mkstemp(name);

	(void)state;
	assert_int_equal(write(file, trace, sizeof trace - 1), sizeof trace - 1);
	close(file);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool one = strstr(cases[i].settings, "limit=1") != NULL;
		struct replay *r;

		snprintf(text, sizeof text, PAPER_DRIVE "trace.format=ssdsim %s", cases[i].settings);
		r = replay_open(text);
		assert_true(precondition_for(r, name));
		assert_int_equal(r->before.used_pages, cases[i].used);
		replay_trace(r, one ? "0 0 2 4 1\n" : trace);
		assert_int_equal(r->end, RUN_DONE);
		assert_int_equal(r->drive->flash->count[OP_READ][CAUSE_HOST], cases[i].reads);
		replay_free(r);
	}
	unlink(name);
}

static void test_replayed_state_stops_at_its_share(void **state)
{
	struct replay *r =
		prepared(MEDIUM "precondition.mode=trace precondition.trace=uniform precondition.used=0.53 "
				"precondition.passes=100 precondition.premap=none");

	(void)state;
	assert_in_range(r->before.used_pages, 4240, 4242);
	assert_true(r->before.replayed > 500);
	replay_free(r);
}

/* The statistics count nothing that preconditioning did. */
static void test_statistics_exclude_preconditioning(void **state)
{
	struct replay *r =
		prepared(MEDIUM "precondition.mode=trace precondition.trace=uniform precondition.used=1 "
				"precondition.passes=40");
	const struct flash *f = r->drive->flash;

	(void)state;
	assert_true(r->drive->ftl->store->collector->uncounted.collections > 0);
	assert_int_equal(r->drive->ftl->store->collector->count.collections, 0);
	replay_trace(r, "0 0 0 4 0\n90000000 0 0 4 1\n");
	assert_int_equal(flash_total(f, OP_PROGRAM), 1 + r->drive->ftl->store->collector->count.moved_pages);
	assert_int_equal(flash_total(f, OP_READ), 1 + r->drive->ftl->store->collector->count.moved_pages);
	assert_true(r->drive->ftl->store->collector->count.collections <= 1);
	assert_int_equal(flash_total(f, OP_ERASE), r->drive->ftl->store->collector->count.collections);
	assert_int_equal(r->drive->ftl->map.lookups, 2);
	assert_int_equal(r->drive->count->request[REQUEST_TYPES].count, 2);
	replay_free(r);
}

static void assert_refused(const char *settings, const char *workload, const char *says)
{
	struct replay *r = replay_open(settings);

	if (precondition_for(r, workload) || !strstr(r->fault.text, says))
		fail_msg("should be refused with \"%s\": \"%s\"", says, r->fault.text);
	replay_free(r);
}

static void test_impossible_states_are_refused(void **state)
{
	(void)state;
	assert_refused(MEDIUM "precondition.mode=synthetic precondition.used=0.3 precondition.valid=0.4",
		"uniform", "precondition.valid = 0.4 is more than precondition.used");
	assert_refused(MEDIUM "precondition.mode=synthetic precondition.used=0.95 precondition.valid=0.9",
		"uniform", "more than the drive's logical pages");
	assert_refused(MEDIUM "precondition.mode=trace", "uniform", "needs precondition.trace");
	assert_refused(MEDIUM "precondition.mode=synthetic", "no-such-trace", "no-such-trace");
	assert_refused(MEDIUM "precondition.mode=trace precondition.trace=no-such-trace", "uniform",
		"no-such-trace");
}

/* ---- reports ---- */

/* A busy little trace: writes and reads of the first 400 sectors. */
static char *busy_trace(uint64_t requests)
{
	char *text = memory_array(requests, 48, "trace");
	struct random random;
	size_t at = 0;

	random_init(&random, seed_of_run(), 2);
	for (uint64_t i = 0; i < requests; i++)
		at += (size_t)sprintf(text + at, "%llu 0 %llu %llu %d\n", (unsigned long long)(i * 30000),
			(unsigned long long)random_below(&random, 380),
			(unsigned long long)random_below(&random, 16) + 1, random_below(&random, 3) == 0);
	return text;
}

#define BUSY                                                                                                 \
	PAPER_DRIVE "flash.blocks=10 flash.over_provisioning=0.4 buffer=lru dram.buffer_bytes=16K "          \
		    "host.queue_limit=8 flash.multiplane=any flash.suspend=program_and_erase wear.delta=3 "

static void test_the_seed_reaches_every_room(void **state)
{
	char *const assignment[] = { "seed=77" };
	struct settings s;
	struct fault fault = { "" };

	(void)state;
	assert_true(settings_init(&s, &fault));
	assert_true(settings_read(&s, NULL, assignment, 1, &fault));
	assert_int_equal(s.ftl.gc.seed, 77);
	assert_int_equal(s.ftl.map.seed, 77);
	settings_release(&s);
}

/* Two runs give the same report, to the byte; with the random policy, another seed gives another result. */
static void test_two_runs_give_the_same_report(void **state)
{
	char *trace = busy_trace(3000), *text[3], settings[1024];

	(void)state;
	for (int policy = 0; gc_policies[policy]; policy++) {
		for (int i = 0; i < 3; i++) {
			struct replay *r;

			snprintf(settings, sizeof settings, BUSY "gc.policy=%s seed=%d",
				gc_policies[policy]->name, i < 2 ? 1 : 2);
			r = replay(settings, trace);
			assert_int_equal(r->end, RUN_DONE);
			assert_true(r->drive->ftl->store->collector->count.collections > 50);
			text[i] = replay_report(r);
			replay_free(r);
		}
		assert_string_equal(text[0], text[1]);
		if (!strcmp(gc_policies[policy]->name, "random"))
			assert_true(value_of(text[0], "request.all.latency_mean_ns") !=
				    value_of(text[2], "request.all.latency_mean_ns"));
		for (int i = 0; i < 3; i++)
			free(text[i]);
	}
	memory_free(trace);
}

static double sum_of(const char *report, const char *prefix, const char *const *names)
{
	char name[100];
	double sum = 0;

	for (; *names; names++) {
		snprintf(name, sizeof name, "%s.%s", prefix, *names);
		sum += value_of(report, name);
	}
	return sum;
}

static void test_the_books_of_a_report_balance(void **state)
{
	static const char *const causes[] = { "merge", "pad", "gc", "gc_map", "gc_update", "wear", "host",
		"rmw", "map", NULL };
	/* An erase has one of the first six causes; flash.erase.map overlaps with these. */
	static const char *const erase_causes[] = { "merge", "pad", "gc", "gc_map", "gc_update", "wear",
		NULL };
	static const char *const kinds[] = { "flash.read", "flash.program", "flash.copy", "flash.erase" };
	static const char *const types[] = { "read.count", "write.count", "trim.count", NULL };
	static const char *const classes[] = { "across.read.count", "across.write.count",
		"aligned.read.count", "aligned.write.count", "unaligned.read.count", "unaligned.write.count",
		NULL };
	char *trace = busy_trace(3000), *text, name[100];
	struct replay *r = replay(BUSY, trace);

	(void)state;
	text = replay_report(r);
	for (int kind = 0; kind < 4; kind++) {
		snprintf(name, sizeof name, "%s.total", kinds[kind]);
		assert_true(
			value_of(text, name) == sum_of(text, kinds[kind], kind == 3 ? erase_causes : causes));
	}
	assert_true(value_of(text, "run.requests") == 3000);
	assert_true(value_of(text, "run.served") == 3000);
	assert_true(value_of(text, "request.all.count") == 3000);
	assert_true(sum_of(text, "request", types) == 3000);
	assert_true(sum_of(text, "request", classes) == 3000);
	assert_true(value_of(text, "flash.program.gc") == value_of(text, "gc.moved_pages"));
	assert_true(value_of(text, "flash.program.wear") == value_of(text, "wear.moved_pages"));
	assert_true(value_of(text, "flash.erase.gc") == value_of(text, "gc.collections"));
	assert_true(fabs(value_of(text, "waf") - value_of(text, "flash.program.total") * 2048 /
							 value_of(text, "request.write.bytes")) < 1e-4);
	assert_true(
		value_of(text, "buffer.write.hit_sectors") + value_of(text, "buffer.write.miss_sectors") ==
		value_of(text, "request.write.bytes") / 512);
	assert_true(value_of(text, "buffer.read.hit_sectors") + value_of(text, "buffer.read.miss_sectors") ==
		    value_of(text, "request.read.bytes") / 512);
	assert_true(fabs(value_of(text, "wear.mean") * value_of(text, "drive.blocks") -
			    value_of(text, "flash.erase.total")) < 0.01);
	assert_true(value_of(text, "die.busy_share") > 0 && value_of(text, "die.busy_share") <= 1);
	assert_true(value_of(text, "channel.busy_share") > 0 && value_of(text, "channel.busy_share") <= 1);
	assert_true(value_of(text, "gc.time_share") > 0 && value_of(text, "gc.time_share") < 1);
	free(text);
	memory_free(trace);
	replay_free(r);
}

static void test_write_amplification_counts_mapping_pages(void **state)
{
	char *trace = busy_trace(1000), *text;
	struct replay *r = replay(BUSY "buffer=none flash.blocks=20 ftl=across map.cache_bytes=2K", trace);

	(void)state;
	text = replay_report(r);
	assert_true(value_of(text, "flash.program.map") > 0);
	assert_true(fabs(value_of(text, "waf") - value_of(text, "flash.program.total") * 2048 /
							 value_of(text, "request.write.bytes")) < 1e-4);
	free(text);
	memory_free(trace);
	replay_free(r);
}

/* The unit that the name of a statistic implies; NULL: none. */
static const char *unit_by_name(const char *name, size_t length)
{
	static const struct {
		const char *begins, *ends, *unit;
	} families[] = { { "", "_ns", "ns" }, { "", "bytes", "bytes" }, { "", "_share", "share" },
		{ "", "_ratio", "share" }, { "", "_sectors", "sectors" }, { "", "_pages", "pages" },
		{ "request.", ".count", "requests" }, { "flash.read", "", "pages" },
		{ "flash.program", "", "pages" }, { "flash.copy", "", "pages" },
		{ "flash.erase", "", "blocks" } };

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		size_t end = strlen(families[i].ends);

		if (!strncmp(name, families[i].begins, strlen(families[i].begins)) && end <= length &&
			!strncmp(name + length - end, families[i].ends, end))
			return families[i].unit;
	}
	return NULL;
}

/* "name = value   # unit: meaning"; parameters stand behind a "#". */
static void test_numbers_have_the_units_of_their_names(void **state)
{
	(void)state;
	for (size_t i = 0; ftls[i]; i++) {
		char settings[640], *text;
		struct replay *r;
		unsigned checked = 0;

		snprintf(settings, sizeof settings, BUSY "flash.blocks=20 ftl=%s%s", ftls[i]->name,
			any_workload(ftls[i]));
		r = replay(settings, "0 0 0 4 0\n0 0 0 4 1\n");
		text = replay_report(r);
		for (const char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			const char *equals = strstr(line, " = "), *is = strstr(line, "# ");
			const char *unit =
				*line != '#' && equals ? unit_by_name(line, (size_t)(equals - line)) : NULL;

			if (!unit)
				continue;
			if (!is || strncmp(is + 2, unit, strlen(unit)) != 0 ||
				!strchr(":", is[2 + strlen(unit)]))
				fail_msg("not in %s: %s", unit, line);
			checked++;
		}
		assert_true(checked > 60);
		free(text);
		replay_free(r);
	}
}

/* Names that scripts depend on. */
static void test_stable_names(void **state)
{
	static const char *const latencies[] = { "count", "bytes", "latency_mean_ns", "latency_p50_ns",
		"latency_p95_ns", "latency_p99_ns", "latency_p999_ns", "latency_p9999_ns", "latency_max_ns",
		NULL };
	static const char *const prefixes[] = { "request.read", "request.write", "request.all",
		"request.across.read", "request.across.write", "request.aligned.read",
		"request.aligned.write", "request.unaligned.read", "request.unaligned.write" };
	static const char *const others[] = { "waf", "gc.collections", "gc.moved_pages", "gc.time_share",
		"buffer.read.hit_sectors", "buffer.write.miss_sectors", "map.lookup", "map.hit", "map.miss",
		"map.read", "map.write", "map.dram_access", "map.bytes", "wear.min", "wear.max", "wear.mean",
		"wear.sd", "die.busy_share", "channel.busy_share", "run.seed", "run.interrupted",
		"precondition.used", "precondition.valid" };
	char *trace = busy_trace(3000);
	struct replay *r = replay(BUSY, trace);
	char *text = replay_report(r);

	(void)state;
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		sum_of(text, prefixes[i], latencies);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		value_of(text, others[i]);
	assert_non_null(strstr(text, "run.command = ssd run"));
	assert_non_null(strstr(text, "flash.page_bytes = 2048"));
	free(text);
	memory_free(trace);
	replay_free(r);
}

/* A class without requests reports no latency: a reader of the table would average in a mean of 0. */
static void test_an_empty_class_has_no_latency(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n");
	char *text = replay_report(r);

	(void)state;
	assert_true(value_of(text, "request.trim.count") == 0);
	assert_true(value_of(text, "request.across.read.count") == 0);
	assert_null(strstr(text, "request.trim.latency"));
	assert_null(strstr(text, "request.across.read.latency"));
	assert_non_null(strstr(text, "request.write.latency_mean_ns"));
	free(text);
	replay_free(r);
}

/* Two writes of 104100 and a read of 14100, by hand. */
static void test_latencies_of_a_report(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n1000000 0 4 4 0\n2000000 0 0 4 1\n");
	char *text = replay_report(r);

	(void)state;
	assert_true(value_of(text, "request.write.latency_mean_ns") == WRITE);
	assert_true(value_of(text, "request.write.latency_max_ns") == WRITE);
	assert_true(value_of(text, "request.read.latency_mean_ns") == READ);
	assert_true(fabs(value_of(text, "request.all.latency_mean_ns") - (2 * WRITE + READ) / 3.0) < 0.1);
	assert_true(value_of(text, "run.simulated_ns") == 2000000 + READ);
	assert_true(value_of(text, "waf") == 1);
	assert_true(fabs(value_of(text, "die.busy_share") - 210000.0 / (4 * 2014100)) < 1e-6);
	assert_true(fabs(value_of(text, "channel.busy_share") - 3 * 4100.0 / (2 * 2014100)) < 1e-6);
	free(text);
	replay_free(r);
}

static void test_simulated_time_begins_with_the_first_arrival(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "5000000 0 0 4 0\n6000000 0 0 4 1\n");
	char *text = replay_report(r);

	(void)state;
	assert_true(value_of(text, "run.simulated_ns") == 1000000 + READ);
	free(text);
	replay_free(r);
}

/* Half of the blocks were erased once, half five times. */
static void test_spread_of_wear(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n");
	char *text;

	(void)state;
	for (block_t b = 0; b < r->drive->geometry.blocks; b++)
		r->drive->flash->block[b].erases = b % 2 ? 5 : 1;
	text = replay_report(r);
	assert_true(value_of(text, "wear.min") == 1);
	assert_true(value_of(text, "wear.max") == 5);
	assert_true(value_of(text, "wear.mean") == 3);
	assert_true(value_of(text, "wear.sd") == 2);
	free(text);
	replay_free(r);
}

/* Copied pages share no blocks with written ones, unless gc.separate is off. */
static void test_copied_pages_have_blocks_of_their_own(void **state)
{
	char *trace = busy_trace(1000);

	(void)state;
	for (int separate = 0; separate < 2; separate++) {
		struct replay *r = replay(separate ? BUSY "buffer=none wear.delta=0 gc.separate=true"
						   : BUSY "buffer=none wear.delta=0 gc.separate=false",
			trace);
		const struct space *s = r->drive->ftl->store->space;
		uint32_t others = 0;

		assert_true(flash_total(r->drive->flash, OP_ERASE) > 50);
		for (block_t b = 0; b < s->geometry->blocks; b++)
			others += s->block[b].state != BLOCK_FREE && s->block[b].stream != STREAM_HOST;
		assert_int_equal(others > 0, separate);
		replay_free(r);
	}
	memory_free(trace);
}

/* The columns for gnuplot hold every request and every block once. */
static void test_columns(void **state)
{
	char *trace = busy_trace(500);
	struct replay *r = replay(BUSY, trace);
	unsigned long long latency, reads, writes, all, sum = 0, erases, blocks;
	FILE *file = tmpfile();

	(void)state;
	run_report_latencies(r->drive, file);
	rewind(file);
	assert_int_equal(fscanf(file, "#%*[^\n]\n"), 0);
	while (fscanf(file, "%llu %llu %llu %llu", &latency, &reads, &writes, &all) == 4) {
		assert_int_equal(all, reads + writes);
		sum += all;
	}
	assert_int_equal(sum, 500);
	fclose(file);
	file = tmpfile();
	run_report_wear(r->drive, file);
	rewind(file);
	assert_int_equal(fscanf(file, "#%*[^\n]\n"), 0);
	for (sum = 0; fscanf(file, "%llu %llu", &erases, &blocks) == 2;)
		sum += blocks;
	assert_int_equal(sum, r->drive->geometry.blocks);
	fclose(file);
	memory_free(trace);
	replay_free(r);
}

/* ---- how a run ends ---- */

static bool stop(void *context, const struct run *run)
{
	(void)context;
	return !run->requests;
}

/* Requests that were already read are still served. */
static void test_an_interrupted_run_keeps_its_books(void **state)
{
	char *trace = busy_trace(20000);
	struct replay *r = replay_open(BUSY);

	(void)state;
	r->run.keep_going = stop;
	replay_trace(r, trace);
	assert_int_equal(r->end, RUN_INTERRUPTED);
	assert_true(r->run.requests > 0 && r->run.requests < 20000);
	assert_int_equal(r->drive->count->request[REQUEST_TYPES].count, r->run.requests);
	memory_free(trace);
	replay_free(r);
}

static void test_a_worn_out_drive_ends_the_run(void **state)
{
	char *trace = busy_trace(20000), *text;
	struct replay *r = replay(BUSY "flash.endurance=5", trace);

	(void)state;
	assert_int_equal(r->end, RUN_DRIVE_FAILED);
	text = replay_report(r);
	assert_true(value_of(text, "run.drive_failed") == 1);
	assert_true(value_of(text, "wear.retired_blocks") > 0);
	assert_true(value_of(text, "wear.max") == 5);
	free(text);
	memory_free(trace);
	replay_free(r);
}

/* An ideal device: as many programs as pages written; collections, which are free, are not counted. */
static void test_the_ideal_device_amplifies_nothing(void **state)
{
	char *trace = busy_trace(3000), *text;
	struct replay *r =
		replay(PAPER_DRIVE "flash.blocks=10 flash.over_provisioning=0.4 ftl=direct", trace);

	(void)state;
	text = replay_report(r);
	assert_true(r->drive->ftl->store->collector->uncounted.collections > 0);
	assert_true(value_of(text, "gc.collections") == 0);
	assert_true(value_of(text, "gc.moved_pages") == 0);
	assert_true(value_of(text, "map.dram_access") == value_of(text, "map.lookup"));
	assert_true(value_of(text, "flash.program.total") == value_of(text, "flash.program.host"));
	assert_true(value_of(text, "flash.erase.total") == 0);
	assert_true(value_of(text, "flash.read.total") == value_of(text, "flash.read.host"));
	free(text);
	memory_free(trace);
	replay_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes_against_the_definition),
		cmocka_unit_test(test_class_of_the_example_of_icpp23),
		cmocka_unit_test(test_write_of_one_page),
		cmocka_unit_test(test_read_of_nothing),
		cmocka_unit_test(test_read_of_what_was_written),
		cmocka_unit_test(test_partial_write_reads_what_it_keeps),
		cmocka_unit_test(test_partial_write_keeps_only_what_holds_data),
		cmocka_unit_test(test_superblocks_stay_in_step),
		cmocka_unit_test(test_requests_cross_the_link),
		cmocka_unit_test(test_the_link_carries_one_request_after_another),
		cmocka_unit_test(test_the_controller_processes_one_request_after_another),
		cmocka_unit_test(test_a_slot_is_taken_until_the_answer_has_come),
		cmocka_unit_test(test_data_on_its_way_is_read_at_once),
		cmocka_unit_test(test_programs_of_classes),
		cmocka_unit_test(test_latency_per_sector_of_requests_and_of_sectors),
		cmocka_unit_test(test_buffered_write),
		cmocka_unit_test(test_a_page_is_read_once_around_a_buffered_sector),
		cmocka_unit_test(test_synthetic_state_is_reached),
		cmocka_unit_test(test_synthetic_state_is_spread_evenly),
		cmocka_unit_test(test_verification_prepares_the_same_drive),
		cmocka_unit_test(test_a_large_drive_is_filled_and_checked),
		cmocka_unit_test(test_live_pages_lie_apart),
		cmocka_unit_test(test_all_ftls_start_equally_full),
		cmocka_unit_test(test_static_placement_ends),
		cmocka_unit_test(test_pages_of_the_workload_come_first),
		cmocka_unit_test(test_aged_state_is_used_and_dead),
		cmocka_unit_test(test_every_page_is_filled_once),
		cmocka_unit_test(test_the_order_of_filling_depends_on_the_seed),
		cmocka_unit_test(test_all_ftls_are_filled_alike),
		cmocka_unit_test(test_premapping_of_pages_and_of_sectors),
		cmocka_unit_test(test_premapping_of_sectors_among_live_pages),
		cmocka_unit_test(test_premapping_of_requests),
		cmocka_unit_test(test_replayed_state_stops_at_its_share),
		cmocka_unit_test(test_statistics_exclude_preconditioning),
		cmocka_unit_test(test_impossible_states_are_refused),
		cmocka_unit_test(test_the_seed_reaches_every_room),
		cmocka_unit_test(test_two_runs_give_the_same_report),
		cmocka_unit_test(test_the_books_of_a_report_balance),
		cmocka_unit_test(test_write_amplification_counts_mapping_pages),
		cmocka_unit_test(test_numbers_have_the_units_of_their_names),
		cmocka_unit_test(test_stable_names),
		cmocka_unit_test(test_an_empty_class_has_no_latency),
		cmocka_unit_test(test_latencies_of_a_report),
		cmocka_unit_test(test_simulated_time_begins_with_the_first_arrival),
		cmocka_unit_test(test_spread_of_wear),
		cmocka_unit_test(test_copied_pages_have_blocks_of_their_own),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_an_interrupted_run_keeps_its_books),
		cmocka_unit_test(test_a_worn_out_drive_ends_the_run),
		cmocka_unit_test(test_the_ideal_device_amplifies_nothing),
	};

	return cmocka_run_group_tests_name("drive", tests, NULL, NULL);
}
