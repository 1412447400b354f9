/*
 * Placement by class: SepBIT and DAC in cases worked by hand, and the laws that hold for any scheme.
 *
 * One die of one plane, blocks of 4 pages of 4 sectors, nothing collected unless asked for.
 */
#include "ftl/class/class.h"
#include "tests/bed_fixture.h"

#define ONE_PLANE                                                                                            \
	PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 gc.threshold=0 flash.blocks=64 "           \
		    "flash.over_provisioning=0.5 "
#define DAC ONE_PLANE "ftl=dac "
/* The oldest block with a dead page is collected first; one collected block of class 0 gives a mean. */
#define SEPBIT ONE_PLANE "ftl=sepbit sepbit.window=1 gc.policy=fifo "

/* ---- a scheme of one class ---- */

struct one_class {
	struct classes classes;
};

static unsigned one_class_of_written(const struct ftl *f, lpn_t lpn)
{
	(void)f;
	(void)lpn;
	return 0;
}

static unsigned one_class_of_moved(const struct ftl *f, lpn_t lpn, unsigned from)
{
	(void)f;
	(void)lpn;
	return from;
}

static bool one_class_init(struct ftl *f, struct fault *fault)
{
	static const struct class_scheme scheme = {
		.host_classes = 1, .of_written = one_class_of_written, .of_moved = one_class_of_moved
	};

	return class_init(f, &scheme, fault);
}

static const struct state_row one_class_state[] = {
	STATE_STRUCT(struct one_class, classes, class_state),
	{ 0 },
};

static const struct ftl_ops ftl_one_class = {
	.name = "one_class",
	.brief = "all data in one class",
	.size = sizeof(struct one_class),
	.state = one_class_state,
	.init = one_class_init,
	.exit = page_exit,
	CLASS_OPERATIONS,
	.check = page_check,
	.facts = page_facts,
};

#define FTL(name) extern const struct ftl_ops ftl_##name;
#include "ftl/list.h"
#undef FTL

/* Replaces the program's list of FTLs: the registered ones and this. */
const struct ftl_ops *const ftls[] = {
#define FTL(name) &ftl_##name,
#include "ftl/list.h"
#undef FTL
	&ftl_one_class,
	NULL,
};
const char *const ftl_names[] = {
#define FTL(name) #name,
#include "ftl/list.h"
#undef FTL
	"one_class",
	NULL,
};

/* ---- */

static void request(struct bed *b, enum request_type type, sector_t page, uint32_t pages)
{
	serve(b, b->last, type, page, pages);
}

static void write_pages(struct bed *b, sector_t page, uint32_t pages)
{
	request(b, REQUEST_WRITE, page, pages);
}

static void collect(struct bed *b, unsigned blocks)
{
	while (blocks--)
		assert_true(drive_submit(b->drive, &(struct request){ .type = REQUEST_COLLECT }));
	drive_drain(b->drive);
}

/* The class of the block in which the page is. */
static int class_of(const struct bed *b, lpn_t lpn)
{
	const struct space *s = b->drive->ftl->store->space;
	struct page_entry entry = page_map_get(page_map_of(b->drive->ftl), lpn);

	assert_true(entry.mask != 0);
	return (int)s->block[space_block_of(s, entry.ppn)].stream;
}

/* ---- DAC ---- */

/* The first write goes to class 0, and so does the second; from then on each goes one higher. */
static void test_a_write_goes_up(void **state)
{
	static const int class[] = { 0, 0, 1, 2, 3, 4, 5, 5 };
	struct bed b;

	(void)state;
	bed_open(&b, DAC);
	for (size_t i = 0; i < sizeof class / sizeof *class; i++) {
		write_pages(&b, 7, 1);
		assert_int_equal(class_of(&b, 7), class[i]);
	}
	assert_statistic(&b, "class.0.host_pages", 2);
	assert_statistic(&b, "class.5.host_pages", 2);
	/* A trimmed page keeps its class. */
	request(&b, REQUEST_TRIM, 7, 1);
	write_pages(&b, 7, 1);
	assert_int_equal(class_of(&b, 7), 5);
	bed_close(&b);
}

/* Pages 0 to 3 are written three times: they lie in a block of class 1, and their next class is 2. */
static void test_a_copy_goes_down(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DAC);
	for (int i = 0; i < 3; i++)
		write_pages(&b, 0, 4);
	write_pages(&b, 0, 1);
	assert_int_equal(class_of(&b, 0), 2);
	collect(&b, 2); /* the first two blocks, of class 0, hold nothing any more */
	assert_statistic(&b, "class.0.victims", 2);
	assert_statistic(&b, "gc.moved_pages", 0);
	collect(&b, 1);
	assert_statistic(&b, "class.1.victims", 1);
	assert_statistic(&b, "class.2.gc_pages", 3);
	assert_int_equal(class_of(&b, 1), 2);
	write_pages(&b, 1, 1); /* 2 less 1 */
	assert_int_equal(class_of(&b, 1), 1);
	write_pages(&b, 1, 1);
	assert_int_equal(class_of(&b, 1), 2);
	bed_close(&b);
}

static void test_no_class_is_below_the_first(void **state)
{
	struct bed b;

	(void)state;
	bed_open(&b, DAC);
	write_pages(&b, 0, 4);
	write_pages(&b, 0, 1);
	collect(&b, 1);
	assert_statistic(&b, "class.0.gc_pages", 3);
	write_pages(&b, 1, 1);
	assert_int_equal(class_of(&b, 1), 0);
	bed_close(&b);
}

/* ---- SepBIT ---- */

/*
 * Times are counts of written pages.  Pages 0 to 3 are written at 1 to 4; pages 0, 1, 2 and 0 at 5 to 8, into
 * a block of class 0 that was opened at 4; page 4 at 9.  Both blocks are collected: the lifespan of the
 * second, and so the mean, is 5 pages.
 */
static void open_with_a_mean(struct bed *b, const char *settings)
{
	bed_open(b, settings);
	write_pages(b, 0, 4);
	assert_int_equal(class_of(b, 3), 1);
	write_pages(b, 0, 3);
	write_pages(b, 0, 1);
	for (lpn_t lpn = 0; lpn < 3; lpn++)
		assert_int_equal(class_of(b, lpn), 0);
	write_pages(b, 4, 1);
	assert_int_equal(class_of(b, 4), 1);
	collect(b, 1);
	assert_statistic(b, "class.1.victims", 1);
	assert_statistic(b, "sepbit.means", 0);
	assert_int_equal(class_of(b, 3), 3);
	collect(b, 1);
	assert_statistic(b, "class.0.victims", 1);
	assert_statistic(b, "class.2.gc_pages", 3);
	assert_int_equal(class_of(b, 0), 2);
}

/* Ages: at 9, page 3, written at 4, is 5 old; at 10, page 2 (at 7) 3; at 11, page 1 (at 6) 5; at 12, page 0
 * (at 8) 4. */
static void test_short_lives_are_apart(void **state)
{
	static const int class[] = { 0, 1, 0, 1 };
	struct bed b;

	(void)state;
	open_with_a_mean(&b, SEPBIT);
	assert_statistic(&b, "sepbit.means", 1);
	assert_statistic(&b, "sepbit.mean_lifespan", 5);
	for (lpn_t lpn = 4; lpn--;) {
		write_pages(&b, lpn, 1);
		assert_int_equal(class_of(&b, lpn), class[lpn]);
	}
	/* Page 4 was trimmed: its write overwrites nothing. */
	write_pages(&b, 4, 1);
	request(&b, REQUEST_TRIM, 4, 1);
	write_pages(&b, 4, 1);
	assert_int_equal(class_of(&b, 4), 1);
	bed_close(&b);
}

/*
 * Pages 4 to 7 were written at 9 to 12, pages 64 to 67 at 69 to 72.  At 89, with a mean of 5, the former are
 * 80 to 77 old, the latter 20 to 17: 16 means divide classes 5 and 4, 4 means classes 4 and 3.  A page of
 * each block is dead, so that it is collected.
 */
static void test_moved_pages_are_divided_by_age(void **state)
{
	struct bed b;

	(void)state;
	open_with_a_mean(&b, SEPBIT);
	write_pages(&b, 5, 80);
	request(&b, REQUEST_TRIM, 6, 1);
	request(&b, REQUEST_TRIM, 66, 1);
	collect(&b, 1);
	assert_int_equal(class_of(&b, 4), 5);
	assert_int_equal(class_of(&b, 5), 4);
	assert_int_equal(class_of(&b, 7), 4);
	collect(&b, 1);
	assert_int_equal(class_of(&b, 64), 4);
	assert_int_equal(class_of(&b, 65), 3);
	assert_int_equal(class_of(&b, 67), 3);
	assert_statistic(&b, "class.5.gc_pages", 1);
	assert_statistic(&b, "class.1.victims", 3);
	assert_statistic(&b, "sepbit.means", 1);
	bed_close(&b);
}

/* Without a mean, every overwritten page counts as short-lived, and moved pages go to class 3. */
static void test_without_a_mean(void **state)
{
	struct bed b;

	(void)state;
	open_with_a_mean(&b, ONE_PLANE "ftl=sepbit gc.policy=fifo ");
	assert_statistic(&b, "sepbit.means", 0);
	write_pages(&b, 5, 100);
	write_pages(&b, 3, 1);
	assert_int_equal(class_of(&b, 3), 0);
	request(&b, REQUEST_TRIM, 6, 1);
	collect(&b, 1);
	assert_int_equal(class_of(&b, 4), 3);
	bed_close(&b);
}

/* Two blocks of class 0 make a mean: the first lives from 4 to 9, the second from 9 to 15. */
static void test_a_mean_of_several_blocks(void **state)
{
	struct bed b;

	(void)state;
	open_with_a_mean(&b, ONE_PLANE "ftl=sepbit sepbit.window=2 gc.policy=fifo ");
	assert_statistic(&b, "sepbit.means", 0);
	write_pages(&b, 0, 3);
	write_pages(&b, 0, 1);
	write_pages(&b, 8, 2);
	collect(&b, 1);
	assert_statistic(&b, "class.0.victims", 2);
	assert_statistic(&b, "sepbit.means", 1);
	assert_statistic(&b, "sepbit.mean_lifespan", 5.5);
	/* At 16, page 1, written at 11, is 5 old; at 20, page 8, written at 14, is 6 old. */
	write_pages(&b, 10, 1);
	write_pages(&b, 1, 1);
	assert_int_equal(class_of(&b, 1), 0);
	write_pages(&b, 11, 3);
	write_pages(&b, 8, 1);
	assert_int_equal(class_of(&b, 8), 1);
	bed_close(&b);
}

/* The next block of class 0 lives from 9 to 15; the lifespan of the first one no longer counts. */
static void test_the_next_mean(void **state)
{
	struct bed b;

	(void)state;
	open_with_a_mean(&b, SEPBIT);
	write_pages(&b, 0, 3);
	write_pages(&b, 0, 1);
	write_pages(&b, 8, 2);
	collect(&b, 1);
	assert_statistic(&b, "sepbit.means", 2);
	assert_statistic(&b, "sepbit.mean_lifespan", 6);
	bed_close(&b);
}

/* ---- laws ---- */

#define HOT                                                                                                  \
	"flash.channels=1 flash.dies=1 flash.planes=%u flash.blocks=64 flash.pages=16 "                      \
	"gc.threshold=%s flash.over_provisioning=%s precondition.premap=none ftl=%s "

/* Fills the drive, then writes random pages, nine of ten in its first eighth. */
static void play(struct bed *b, unsigned planes, const char *threshold, const char *spare, const char *more)
{
	uint32_t pages, requests = 4000;
	struct random random;
	char settings[700];

	snprintf(settings, sizeof settings, PAPER_DRIVE HOT, planes, threshold, spare, more);
	bed_open(b, settings);
	random_init(&random, seed_of_run(), 3);
	pages = b->drive->geometry.logical_pages;
	for (lpn_t lpn = 0; lpn < pages; lpn++)
		write_pages(b, lpn, 1);
	while (requests--)
		write_pages(b, random_below(&random, random_below(&random, 10) ? pages / 8 : pages), 1);
	assert_false(b->drive->ftl->failed);
}

/* The time of the last completion and all counts of flash operations equal those of page mapping. */
static void test_one_class_is_page_mapping(void **state)
{
	(void)state;
	for (unsigned planes = 1; planes <= 2; planes++) {
		struct bed page, one;

		play(&page, planes, "0.15", "0.25", "page gc.separate=false");
		play(&one, planes, "0.15", "0.25", "one_class");
		assert_true(page.drive->ftl->store->collector->count.moved_pages > 1000);
		assert_int_equal(page.last, one.last);
		assert_memory_equal(
			page.drive->flash->count, one.drive->flash->count, sizeof page.drive->flash->count);
		bed_close(&page);
		bed_close(&one);
	}
}

/* With the least spare blocks, 10 of 64, a full drive can always be collected, whatever the threshold. */
static void test_every_victim_has_room(void **state)
{
	static const char *const thresholds[] = { "0", "0.02", "0.1" };
	static const char *const schemes[] = { "sepbit", "dac", "dac gc.policy=random", "dac gc.policy=fifo",
		"sepbit gc.policy=random sepbit.window=1" };
	struct bed b;

	(void)state;
	for (size_t t = 0; t < 3; t++)
		for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
			play(&b, 1, thresholds[t], "0.1563", schemes[i]);
			bed_close(&b);
		}
	assert_refused(PAPER_DRIVE "ftl=dac flash.blocks=64 flash.over_provisioning=0.15",
		"leaves 9.6 spare blocks in each plane beside 0 mapping pages; at least 10 are needed");
}

/* Reads of the first page, which is in the second plane, keep that plane busy: the write goes into the first
 * plane, as long as it has room. */
static void write_beside_reads(struct bed *b, tick_t arrival, sector_t page)
{
	uint32_t sectors = b->drive->geometry.sectors_per_page;

	drive_run_until(b->drive, arrival);
	for (int i = 0; i < 200; i++)
		drive_submit(b->drive,
			&(struct request){ .arrival = arrival, .type = REQUEST_READ, .sectors = sectors });
	serve(b, arrival, REQUEST_WRITE, page, 1);
}

/* The pages of a block that is refreshed for its age go to several classes, too, and a plane may be full of
 * valid pages. */
static void test_every_refreshed_block_has_room(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct random random;
		struct bed b;
		uint32_t pages;

		bed_open(&b, PAPER_DRIVE
			"flash.channels=2 flash.dies=1 flash.planes=1 flash.blocks=24 flash.pages=6 "
			"flash.over_provisioning=0.45 gc.threshold=0 placement.policy=least_loaded "
			"ftl=dac refresh.days=1e-6 ");
		random_init(&random, seed, 4);
		pages = b.drive->geometry.logical_pages;
		serve(&b, 0, REQUEST_WRITE, 1, 1);
		serve(&b, b.last, REQUEST_WRITE, 0, 1);
		for (int i = 0; i < 3000; i++)
			write_beside_reads(&b, b.last,
				1 + random_below(&random, random_below(&random, 2) ? pages - 1 : 8));
		assert_true(statistic_in(&b.drive->statistics, "refresh.blocks") > 1000);
		assert_true(statistic_in(&b.drive->statistics, "refresh.postponed") > 0);
		bed_close(&b);
	}
}

/* Each class into which the host's data goes has an open wordline of its own. */
static void test_memory_for_the_wordlines_of_classes(void **state)
{
	(void)state;
	assert_refused(ONE_PLANE "ftl=dac flash.pages=6 flash.program_unit=wordline flash.cell_bits=3 "
				 "flash.order=consecutive flash.copyback=false host.write_done=memory "
				 "host.write_bytes=34K",
		"holds 17 pages; 18 are needed: passes x cell_bits x classes for each plane");
}

/* Blocks collected for the next write that collects any. */
static uint64_t collected_for_a_write(struct bed *b)
{
	const struct gc_statistics *count = &b->drive->ftl->store->collector->count;
	uint64_t before = count->collections;

	while (count->collections == before)
		write_pages(b, 0, 1);
	return count->collections - before;
}

/* Collection at a rate, and of the planes of a die together. */
static void test_with_collection_ahead(void **state)
{
	static const char *const ways[] = { "sepbit gc.soft=0.2 gc.copies_per_write=3",
		"dac gc.soft=0.3 gc.copies_per_write=5", "sepbit", "dac", "sepbit gc.together=die",
		"dac gc.together=die" };
	struct bed b;

	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		play(&b, 2, "0.15", "0.25", ways[i]);
		if (i >= 2)
			assert_int_equal(collected_for_a_write(&b), i < 4 ? 1 : 2);
		bed_close(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_write_goes_up),
		cmocka_unit_test(test_a_copy_goes_down),
		cmocka_unit_test(test_no_class_is_below_the_first),
		cmocka_unit_test(test_short_lives_are_apart),
		cmocka_unit_test(test_moved_pages_are_divided_by_age),
		cmocka_unit_test(test_without_a_mean),
		cmocka_unit_test(test_a_mean_of_several_blocks),
		cmocka_unit_test(test_the_next_mean),
		cmocka_unit_test(test_one_class_is_page_mapping),
		cmocka_unit_test(test_every_victim_has_room),
		cmocka_unit_test(test_every_refreshed_block_has_room),
		cmocka_unit_test(test_with_collection_ahead),
		cmocka_unit_test(test_memory_for_the_wordlines_of_classes),
	};

	return cmocka_run_group_tests_name("classes", tests, NULL, NULL);
}
