/*
 * The conformance suite: every registered FTL with every buffer on drives small enough to collect all the
 * time, under random reads, writes and trims.  The sector oracle compares every sector read; the
 * invariants are checked during the run.  An FTL is under test as soon as its line is in ftl/list.h.
 *
 *	SEED=n          another run of chance
 *	OPERATIONS=n    a longer one (default 4000 per case)
 *	TEST=text       only cases whose name contains the text, e.g. TEST=skeleton
 */
#include "drive/image.h"
#include "tests/play_fixture.h"
#include "tests/inside.h"

#define QUICK "flash.read_ns=10000 flash.program_ns=100000 flash.erase_ns=1000000 dram.access_ns=100 "

static const struct shape {
	const char *name, *settings;
} shapes[] = {
	{ "2K-4-planes", QUICK
		"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=12 flash.pages=8 "
		"flash.page_bytes=2K flash.over_provisioning=0.34 dram.buffer_bytes=20K flash.multiplane=any "
		"flash.suspend=program_and_erase" },
	{ "8K-6-pages", QUICK
		"flash.channels=1 flash.chips=2 flash.dies=2 flash.planes=1 flash.blocks=10 flash.pages=6 "
		"flash.page_bytes=8K flash.over_provisioning=0.4 dram.buffer_bytes=50K flash.copyback=false "
		"flash.scheduler=fifo flash.interleave=false gc.policy=cost_benefit" },
	{ "32K-1-plane", QUICK
		"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=16 flash.pages=16 "
		"flash.page_bytes=32K flash.over_provisioning=0.25 dram.buffer_bytes=100K gc.hysteresis=0.1 "
		"gc.policy=fifo wear.delta=2 wear.period=4" },
	{ "16K-7-pages", QUICK
		"flash.channels=3 flash.chips=1 flash.dies=2 flash.planes=1 flash.blocks=11 flash.pages=7 "
		"flash.page_bytes=16K flash.over_provisioning=0.45 dram.buffer_bytes=30K gc.policy=random "
		"flash.read_ns=[10000,20000,30000] flash.program_ns=[100000,200000,300000]" },
	{ "4K-least-spare", QUICK
		"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=8 flash.pages=4 "
		"flash.page_bytes=4K flash.over_provisioning=0.375 dram.buffer_bytes=4K gc.policy=d_choices "
		"gc.separate=false wear.dynamic=false" },
};

static const char *const placements[] = { "least_loaded", "round_robin", "static" };

#define SHAPES     (sizeof shapes / sizeof shapes[0])
#define PLACEMENTS (sizeof placements / sizeof placements[0])

static uint64_t operations(void)
{
	const char *text = getenv("OPERATIONS");

	return text ? strtoull(text, NULL, 0) : 4000;
}

/* ---- the conformance run, in a child ---- */

static void conform(void *context)
{
	struct player player, *p = &player;
	uint64_t n = operations();

	player_open(p, context);
	BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive is full before its last logical page");
	for (uint64_t i = 0; i < n; i++) {
		BUG_ON(!play(p, random_request(p), random_below(&p->random, 8)), "the drive failed");
		if (i % 50 == 0)
			player_check(p);
	}
	BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive failed when it was filled again");
	BUG_ON(!play_all_pages(p, REQUEST_READ), "the drive failed when it was read");
	drive_drain(p->drive);
	drive_check(p->drive);
	BUG_ON(!store_of(p->drive->ftl)->collector->count.collections,
		"nothing was collected: the case is too easy");
	player_close(p);
}

static void run_case(struct combination *c, void (*act)(void *))
{
	char repeat[200];

	snprintf(repeat, sizeof repeat, "OPERATIONS=%llu TEST=%s tests/test_ftl",
		(unsigned long long)operations(), c->name);
	run_combination(c, act, repeat);
}

static void test_conforms(void **state)
{
	run_case(*state, conform);
}

/* ---- the end of a drive ---- */

/*
 * Blocks wear out one by one until no page can be written: the FTL says so, and what it holds is
 * still in order.  The bound is what all blocks together can take.
 */
static void wear_out(void *context)
{
	struct player player, *p = &player;
	const struct geometry *g;
	uint64_t writes = 0, bound;

	player_open(p, context);
	g = &p->drive->geometry;
	bound = (uint64_t)g->blocks * (p->settings.flash.endurance + 1) * g->pages_per_block;
	while (play(p, random_request(p), 4)) {
		BUG_ON(writes > 100 * bound, "the drive never wears out");
		writes++;
	}
	BUG_ON(!p->drive->ftl->failed, "a write was refused, the FTL is not marked failed");
	BUG_ON(!store_of(p->drive->ftl)->space->blocks->retired, "the drive failed with no block worn out");
	BUG_ON(flash_total(p->drive->flash, OP_PROGRAM) + p->drive->flash->untimed[OP_PROGRAM] > bound,
		"more pages were programmed than the blocks can take");
	drive_drain(p->drive);
	drive_check(p->drive);
	player_close(p);
}

static void test_wears_out(void **state)
{
	struct combination worn = *(struct combination *)*state;

	strcat(worn.settings, " flash.endurance=6");
	run_case(&worn, wear_out);
}

/* Fewer spare blocks than collection needs are refused before anything is written. */
static void test_refuses_a_drive_without_spare_blocks(void **state)
{
	struct fault fault = { "" };
	struct settings s;

	(void)state;
	for (size_t i = 0; ftls[i]; i++) {
		fixture_settings(&s, PAPER_DRIVE "flash.over_provisioning=0.1");
		s.top.ftl = (int)i;
		assert_null(drive_create(&s, true, &fault));
		assert_non_null(strstr(fault.text, "spare blocks"));
		settings_release(&s);
	}
}

/*
 * Static wear levelling keeps a block open in each plane.  One plane of 12 blocks, full all the time: 3
 * spare blocks are enough without it and refused with it; with 4 no drive fails while its blocks are good.
 */
static void keep_full(void *context)
{
	struct player player, *p = &player;

	player_open(p, context);
	BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive is full before its last logical page");
	for (uint64_t i = 0; i < 5 * operations(); i++)
		BUG_ON(!play(p, random_request(p), 0), "the drive failed after %llu requests",
			(unsigned long long)i);
	player_check(p);
	player_close(p);
}

static void test_wear_levelling_has_its_block(void **state)
{
	static const char shape[] =
		QUICK "flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=12 "
		      "flash.pages=8 flash.page_bytes=2K flash.over_provisioning=";
	struct combination c = { .seed = seed_of_run(), .name = "wear-levelling-has-its-block" };
	struct fault fault = { "" };
	struct settings s;

	(void)state;
	for (; ftls[c.ftl]; c.ftl++) {
		snprintf(c.settings, sizeof c.settings, "%s0.25 wear.delta=1", shape);
		fixture_settings(&s, c.settings);
		s.top.ftl = (int)c.ftl;
		assert_null(drive_create(&s, true, &fault));
		assert_non_null(strstr(fault.text, "leaves 3.0 spare blocks in each plane; at least 4"));
		settings_release(&s);
		snprintf(c.settings, sizeof c.settings, "%s0.25", shape);
		run_case(&c, keep_full);
		snprintf(c.settings, sizeof c.settings, "%s0.3334 wear.delta=1 wear.period=1", shape);
		run_case(&c, keep_full);
	}
}

/* ---- saved in the middle, continued as if nothing had happened ---- */

/* Writes and trims outside time, as preconditioning does. */
static void prepare(struct player *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct request r = random_request(p);

		if (r.type == REQUEST_TRIM)
			drive_discard(p->drive, request_extent(&r));
		else
			BUG_ON(!drive_place(p->drive, request_extent(&r)), "the drive failed");
	}
}

static void check_same(const struct player *a, const struct player *b)
{
	const struct flash *f = a->drive->flash, *g = b->drive->flash;

	BUG_ON(a->digest != b->digest, "completion times differ");
	BUG_ON(memcmp(f->count, g->count, sizeof f->count), "operation counts differ");
	BUG_ON(memcmp(f->owner, g->owner, f->geometry->pages * sizeof *f->owner), "page owners differ");
	BUG_ON(memcmp(a->drive->count->request, b->drive->count->request, sizeof a->drive->count->request),
		"latencies differ");
}

static void finish_both(struct player *a, struct player *b)
{
	for (uint64_t i = 0; i < operations() / 2; i++) {
		play(a, random_request(a), 3);
		play(b, random_request(b), 3);
	}
	drive_drain(a->drive);
	drive_drain(b->drive);
}

static void save_and_continue(void *context)
{
	struct player a, b;
	struct fault fault = { "" };
	char path[] = "/tmp/ssdlab-drive-XXXXXX";
	int file = mkstemp(path);

	player_open(&a, context);
	player_open(&b, context);
	prepare(&a, operations() / 2);
	BUG_ON(file < 0 || !image_save(a.drive, path, &fault), "%s", fault.text);
	BUG_ON(!image_load(b.drive, path, &fault), "%s", fault.text);
	unlink(path);
	close(file);
	b.random = a.random;
	stat_list_start(&a.drive->statistics);
	stat_list_start(&b.drive->statistics);
	drive_check(b.drive);
	finish_both(&a, &b);
	check_same(&a, &b);
	drive_check(b.drive);
	player_close(&a);
	player_close(&b);
}

static void test_saved_drive_continues_identically(void **state)
{
	run_case(*state, save_and_continue);
}

/*
 * A drive may be loaded with another placement than it was saved with: whose turn it was means something else
 * there.  Refused or continued, but never beyond the dies there are.
 */
static void load_with_another_placement(void *context)
{
	struct player a, b;
	struct fault fault = { "" };
	char path[] = "/tmp/ssdlab-drive-XXXXXX";
	int file = mkstemp(path);

	player_open(&a, context);
	player_open(&b, context);
	b.settings.ftl.placement.policy = PLACE_LEAST_LOADED;
	drive_free(b.drive);
	b.drive = drive_create(&b.settings, true, &fault);
	prepare(&a, 7);
	BUG_ON(file < 0 || !image_save(a.drive, path, &fault), "%s", fault.text);
	if (image_load(b.drive, path, &fault)) {
		prepare(&b, 50);
		BUG_ON(store_of(b.drive->ftl)->placement.cursor >= b.drive->geometry.dies,
			"die %u of %u is next", store_of(b.drive->ftl)->placement.cursor,
			b.drive->geometry.dies);
	}
	unlink(path);
	close(file);
	player_close(&a);
	player_close(&b);
}

static void test_loaded_with_another_placement(void **state)
{
	struct combination c = { .name = "loaded-with-another-placement", .seed = seed_of_run() };

	(void)state;
	strcpy(c.settings, PAPER_DRIVE "flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=8 "
				       "placement.policy=round_robin");
	run_case(&c, load_with_another_placement);
}

/* ---- two drives in one process ---- */

static void run_two(void *context)
{
	struct player alone, a, b;

	player_open(&alone, context);
	player_open(&a, context);
	player_open(&b, context);
	random_init(&b.random, seed_of_run() + 1, 8);
	for (uint64_t i = 0; i < operations() / 2; i++)
		play(&alone, random_request(&alone), 3);
	drive_drain(alone.drive);
	finish_both(&a, &b);
	check_same(&alone, &a);
	BUG_ON(a.digest == b.digest, "two different drives ran alike");
	player_close(&alone);
	player_close(&a);
	player_close(&b);
}

static void test_two_drives_do_not_disturb_each_other(void **state)
{
	run_case(*state, run_two);
}

/* ---- the list of cases ---- */

struct suite {
	struct CMUnitTest test[1024];
	struct combination combination[1024];
	size_t tests;
};

static void add(struct suite *s, const char *what, CMUnitTestFunction function, size_t ftl, size_t buffer,
	size_t shape, size_t placement, bool trims)
{
	const char *only = getenv("TEST");
	struct combination *c = &s->combination[s->tests];

	assert_true(s->tests < sizeof s->test / sizeof s->test[0]);
	*c = (struct combination){ .ftl = ftl, .buffer = buffer, .trims = trims, .seed = seed_of_run() };
	snprintf(c->name, sizeof c->name, "%s:%s+%s/%s/%s/%s", what, ftls[ftl]->name, buffers[buffer]->name,
		shapes[shape].name, placements[placement], trims ? "trims" : "no-trims");
	snprintf(c->settings, sizeof c->settings, "%s placement.policy=%s", shapes[shape].settings,
		placements[placement]);
	if (only && !strstr(c->name, only))
		return;
	s->test[s->tests++] =
		(struct CMUnitTest){ .name = c->name, .test_func = function, .initial_state = c };
}

static void add_shape(struct suite *s, size_t ftl, size_t buffer, size_t shape)
{
	for (size_t placement = 0; placement < PLACEMENTS; placement++)
		for (int trims = 0; trims < 2; trims++)
			add(s, "conforms", test_conforms, ftl, buffer, shape, placement, trims);
	add(s, "wears-out", test_wears_out, ftl, buffer, shape, shape % PLACEMENTS, true);
	add(s, "saved", test_saved_drive_continues_identically, ftl, buffer, shape, (shape + 1) % PLACEMENTS,
		true);
	add(s, "two-drives", test_two_drives_do_not_disturb_each_other, ftl, buffer, shape,
		(shape + 2) % PLACEMENTS, true);
}

int main(void)
{
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_refuses_a_drive_without_spare_blocks),
		cmocka_unit_test(test_wear_levelling_has_its_block),
		cmocka_unit_test(test_loaded_with_another_placement),
	};
	struct suite *s = memory_array(1, sizeof *s, "suite");
	int failed;

	for (size_t ftl = 0; ftls[ftl]; ftl++)
		for (size_t buffer = 0; buffers[buffer]; buffer++)
			for (size_t shape = 0; shape < SHAPES; shape++)
				add_shape(s, ftl, buffer, shape);
	failed = _cmocka_run_group_tests("FTLs", s->test, s->tests, NULL, NULL);
	memory_free(s);
	return failed + cmocka_run_group_tests_name("FTLs, single cases", others, NULL, NULL);
}
