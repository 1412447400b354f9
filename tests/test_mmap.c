/*
 * The FTL for merged pages: what reads and writes of a page in several places cost, and that nothing of them
 * is lost.  Pages have 16 sectors; A, B and C are logical pages.
 */
#include "tests/inside.h"
#include "tests/rig_fixture.h"

#include "drive/prepare/image.h"

#define PAGE 16u
enum { A = 3, B = 7, C = 20 };

#define MMAP_DRIVE ONE_PLANE "ftl=mmap "

static struct extent part(lpn_t lpn, uint32_t from, uint32_t end)
{
	return (struct extent){ lpn * PAGE + from, lpn * PAGE + end };
}

/* Merges parts of two pages into one, untimed. */
static void merge(struct rig *rig, struct extent a, struct extent b)
{
	const struct extent parts[] = { a, b };
	struct io io = { .flash = rig->drive->flash };

	oracle_step(rig->drive->oracle);
	for (int i = 0; i < 2; i++) {
		oracle_write(rig->drive->oracle, parts[i]);
		oracle_send(rig->drive->oracle, parts[i].start, parts[i]);
	}
	rig->drive->ftl->ops->write_merged(rig->drive->ftl, &io, parts, 2);
	ftl_check(rig->drive->ftl);
}

static tick_t serve(struct rig *rig, enum request_type type, struct extent e)
{
	return rig_serve(rig, type, e.start, e.end);
}

static double statistic(struct rig *rig, const char *name)
{
	return statistic_in(&rig->drive->statistics, name);
}

/*
 * Half of A is in a page with half of B, the rest in its base: two reads, one after the other, of 10 us and 1
 * us a sector.  A plain write of a sector reads both and consolidates: (10 + 8) + (10 + 7) + 16 + 100 us.
 */
static void test_a_page_in_two_places(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE);

	(void)state;
	serve(rig, REQUEST_WRITE, part(A, 0, 16));
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	assert_true(statistic(rig, "mmap.overlays") == 2);
	assert_int_equal(serve(rig, REQUEST_READ, part(A, 0, 16)), 36000);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 2);
	assert_true(statistic(rig, "mmap.multi_reads") == 1);
	assert_int_equal(serve(rig, REQUEST_READ, part(A, 4, 6)), 12000);
	assert_int_equal(serve(rig, REQUEST_READ, part(B, 0, 16)), 18000);

	assert_int_equal(serve(rig, REQUEST_WRITE, part(A, 0, 1)), 151000);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 2);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 1);
	assert_true(statistic(rig, "mmap.consolidations") == 1);
	assert_true(statistic(rig, "mmap.overlays") == 1);
	assert_int_equal(serve(rig, REQUEST_READ, part(A, 0, 16)), 26000);
	rig_close(rig);
}

/* An overlay that a write covers is not read: only the base is. */
static void test_covered_overlays_are_not_read(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE);

	(void)state;
	serve(rig, REQUEST_WRITE, part(A, 0, 16));
	merge(rig, part(A, 2, 8), part(B, 0, 8));
	serve(rig, REQUEST_WRITE, part(A, 0, 12));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 1);
	serve(rig, REQUEST_WRITE, part(B, 0, 16));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 0);
	assert_true(statistic(rig, "mmap.merged_pages") == 0);
	rig_close(rig);
}

/*
 * Through the buffer: two half pages leave in one program, which takes 16 us and 100 and waits for no read,
 * though both have a base.
 */
static void test_a_merged_write_reads_nothing(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE "buffer=msac dram.buffer_bytes=8K");

	(void)state;
	drive_place(rig->drive, part(A, 0, 16));
	drive_place(rig->drive, part(B, 0, 16));
	serve(rig, REQUEST_WRITE, part(A, 0, 8));
	serve(rig, REQUEST_WRITE, part(B, 4, 12));
	assert_int_equal(serve(rig, REQUEST_WRITE, part(C, 0, 16)), 116000);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 1);
	assert_int_equal(flash_total(rig->drive->flash, OP_READ), 0);
	assert_true(statistic(rig, "mmap.merged_programs") == 1);
	assert_true(statistic(rig, "buffer.merged_writes") == 1);
	serve(rig, REQUEST_READ, part(A, 0, 16));
	serve(rig, REQUEST_READ, part(B, 0, 16));
	assert_true(statistic(rig, "mmap.multi_reads") == 1 + 1); /* B: base, overlay; A: base, overlay */
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 2);
	rig_close(rig);
}

/* A page may have one overlay: at a second one A is written plain, and so is B, its only partner. */
static void test_overlays_are_limited(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE "mmap.overlays=1");

	(void)state;
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	merge(rig, part(A, 0, 8), part(C, 0, 8)); /* the first one goes */
	assert_true(statistic(rig, "mmap.overlay_overflows") == 0);
	assert_true(statistic(rig, "mmap.overlays") == 3);
	merge(rig, part(A, 4, 12), part(B, 0, 8)); /* sectors 0 to 3 would stay */
	assert_true(statistic(rig, "mmap.overlay_overflows") == 1);
	assert_true(statistic(rig, "mmap.merged_programs") == 2);
	assert_true(statistic(rig, "mmap.consolidations") == 2);
	assert_true(statistic(rig, "mmap.overlays") == 1); /* C */
	serve(rig, REQUEST_READ, part(A, 0, 12));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 1);
	rig_close(rig);
}

/* 128 spare pages, of which three blocks and four pages are reserved: 100 merged pages, and not one more. */
static void test_merged_pages_are_limited(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE);

	(void)state;
	for (lpn_t lpn = 0; lpn < 192; lpn++)
		serve(rig, REQUEST_WRITE, part(lpn, 0, 16));
	for (uint32_t from = 0; from < 16; from += 8)
		for (lpn_t lpn = 0; lpn < 192; lpn += 2)
			merge(rig, part(lpn, from, from + 6), part(lpn + 1, from, from + 6));
	assert_true(statistic(rig, "mmap.overlays_max") == 200);
	assert_true(statistic(rig, "mmap.refused_full") > 0);
	for (lpn_t lpn = 0; lpn < 192; lpn++)
		serve(rig, REQUEST_READ, part(lpn, 0, 16));
	assert_true(flash_total(rig->drive->flash, OP_ERASE) + rig->drive->flash->untimed[OP_ERASE] > 0);
	rig_close(rig);
}

/* A merged page lives as long as a sector of it does. */
static void test_trims(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE);

	(void)state;
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	serve(rig, REQUEST_TRIM, part(A, 0, 7));
	assert_true(statistic(rig, "mmap.overlays") == 2);
	serve(rig, REQUEST_READ, part(A, 0, 16));
	serve(rig, REQUEST_TRIM, part(A, 0, 16));
	assert_true(statistic(rig, "mmap.overlays") == 1);
	serve(rig, REQUEST_READ, part(B, 0, 16));
	serve(rig, REQUEST_TRIM, part(B, 0, 8));
	assert_true(statistic(rig, "mmap.merged_pages") == 0);
	rig_close(rig);
}

/* All that is left of a merged page is half of A, which has no base: collection makes it the base, and the
 * overlay is gone. */
static void test_collection_makes_a_base(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE "gc.policy=fifo");
	uint32_t writes = 0;

	(void)state;
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	serve(rig, REQUEST_WRITE, part(B, 0, 16));
	for (; statistic(rig, "mmap.overlays") > 0; writes++) {
		assert_true(writes < 2000);
		serve(rig, REQUEST_WRITE, part(C + writes % 160, 0, 16));
	}
	serve(rig, REQUEST_READ, part(A, 0, 16));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 1);
	rig_close(rig);
}

/* A merged page is collected as one, twice over, and read in its new place. */
static void test_merged_pages_are_collected(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE "gc.policy=fifo");

	(void)state;
	serve(rig, REQUEST_WRITE, part(A, 0, 16));
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	for (uint32_t i = 0; i < 1000; i++)
		serve(rig, REQUEST_WRITE, part(C + i % 160, 0, 16));
	assert_true(statistic(rig, "gc.moved_pages") >= 2);
	assert_true(statistic(rig, "mmap.overlays") == 2);
	serve(rig, REQUEST_READ, part(A, 0, 16));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 2);
	serve(rig, REQUEST_READ, part(B, 0, 16));
	rig_close(rig);
}

/* A block is padded with the data of its pages, wherever it is; pages without data are not padded. */
static void test_pads(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE "buffer=bplru bplru.padding=true dram.buffer_bytes=8K");

	(void)state;
	drive_place(rig->drive, part(A, 0, 16));
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	serve(rig, REQUEST_WRITE, part(0, 0, 16));
	serve(rig, REQUEST_WRITE, part(C, 0, 16));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_PAD), 3); /* A in two places, B in one */
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_PAD), 2);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 1);
	assert_true(statistic(rig, "mmap.overlays") == 0);
	rig_close(rig);
}

/* Saved with overlays, loaded, and everything is where it was. */
static void test_overlays_are_saved(void **state)
{
	struct rig *saved = rig_with(MMAP_DRIVE), *rig = rig_with(MMAP_DRIVE);
	char path[] = "/tmp/ssdlab-drive-XXXXXX";
	struct fault fault = { "" };
	int file = mkstemp(path);

	(void)state;
	drive_place(saved->drive, part(A, 0, 16));
	merge(saved, part(A, 0, 8), part(B, 0, 8));
	merge(saved, part(A, 8, 12), part(C, 0, 8));
	merge(saved, part(B, 0, 12), part(C, 8, 12));
	assert_true(file >= 0 && image_save(saved->drive, path, &fault));
	if (!image_load(rig->drive, path, &fault))
		fail_msg("%s", fault.text);
	unlink(path);
	close(file);
	stat_list_start(&saved->drive->statistics);
	stat_list_start(&rig->drive->statistics);
	ftl_check(rig->drive->ftl);
	assert_true(statistic(rig, "mmap.overlays") == 5);
	assert_true(statistic(rig, "mmap.overlays_max") == 5);
	serve(rig, REQUEST_READ, part(A, 0, 16));
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_HOST), 3);
	merge(rig, part(A, 0, 4), part(B, 12, 16));
	serve(rig, REQUEST_WRITE, part(C, 0, 1));
	for (int i = 0; i < 3; i++)
		serve(rig, REQUEST_READ, part((lpn_t[]){ A, B, C }[i], 0, 16));
	rig_close(saved);
	rig_close(rig);
}

/* In words: whose parts a page holds, and where a page is. */
static void test_names(void **state)
{
	struct rig *rig = rig_with(MMAP_DRIVE);
	const struct ftl *f = rig->drive->ftl;
	char text[32] = "", *entry = NULL;
	size_t size;
	FILE *out = open_memstream(&entry, &size);

	(void)state;
	drive_place(rig->drive, part(A, 0, 16));
	merge(rig, part(A, 0, 8), part(B, 0, 8));
	ftl_words(f)->name_owner(f, A, text, sizeof text);
	assert_string_equal(text, "LPN 3");
	ftl_words(f)->name_owner(f, f->geometry->logical_pages, text, sizeof text);
	assert_string_equal(text, "parts of 7 3");
	ftl_words(f)->print_entry(f, A, out);
	fclose(out);
	assert_string_equal(entry, "in 0.0: sectors 8-15; in 0.1: sectors 0-7");
	free(entry);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_page_in_two_places),
		cmocka_unit_test(test_covered_overlays_are_not_read),
		cmocka_unit_test(test_a_merged_write_reads_nothing),
		cmocka_unit_test(test_overlays_are_limited),
		cmocka_unit_test(test_merged_pages_are_limited),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_collection_makes_a_base),
		cmocka_unit_test(test_merged_pages_are_collected),
		cmocka_unit_test(test_pads),
		cmocka_unit_test(test_overlays_are_saved),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("mmap", tests, NULL, NULL);
}
