/* CDFTL: cases worked by hand on a filled drive of one plane. */
#include "tests/demand_fixture.h"

#define CDFTL FILLED "ftl=cdftl cdftl.entries=2 cdftl.pages=1 "

static void test_a_page_answers_for_its_neighbours(void **state)
{
	struct rig *rig = filled(CDFTL, "");

	(void)state;
	reading(rig, 0);
	reading(rig, 1);
	reading(rig, 2);
	reading(rig, 0);
	assert_map(rig, 1, 0);
	assert_int_equal(rig->drive->ftl->map.hits, 3);
	assert_int_equal(statistic(rig, "cdftl.cmt_hits"), 0);
	assert_int_equal(statistic(rig, "cdftl.ctp_hits"), 3);
	reading(rig, 2);
	assert_int_equal(statistic(rig, "cdftl.cmt_hits"), 1);
	assert_entry(rig, 1, "not in DRAM; mapping page 0 in DRAM");
	assert_entry(rig, 2, "; in DRAM; mapping page 0 in DRAM");
	rig_close(rig);
}

/* LPN 0's entry is kicked out into mapping page 0, which is then written to make room for page 1; later LPN
 * 600's into page 1, for page 2. */
static void test_changes_leave_into_their_page(void **state)
{
	struct rig *rig = filled(CDFTL, "");

	(void)state;
	writing(rig, 0);
	writing(rig, 1);
	assert_map(rig, 1, 0);
	writing(rig, 600);
	assert_map(rig, 2, 1);
	assert_int_equal(statistic(rig, "cdftl.kicked_out"), 1);
	assert_entry(rig, 1, "; in DRAM, changed; mapping page 0 not in DRAM");
	/* LPN 1's mapping page is not in DRAM, 600's is. */
	reading(rig, 1200);
	assert_map(rig, 3, 2);
	assert_int_equal(statistic(rig, "cdftl.kicked_out"), 2);
	assert_entry(rig, 1, "; in DRAM, changed");
	assert_entry(rig, 600, "not in DRAM");
	/* LPN 1200's entry is clean, and so is its mapping page. */
	reading(rig, 1800);
	assert_map(rig, 4, 2);
	assert_entry(rig, 1, "; in DRAM, changed");
	assert_entry(rig, 1800, "; in DRAM; mapping page 3 in DRAM");
	assert_int_equal(statistic(rig, "map.writebacks"), 2);
	rig_close(rig);
}

/* Mapping page 0 is written with the changes of LPNs 0 and 1; the entry of LPN 1 stays in DRAM, clean. */
static void test_a_page_can_be_written_with_all_changes(void **state)
{
	struct rig *rig = filled(CDFTL, "cdftl.fold=true");

	(void)state;
	writing(rig, 0);
	writing(rig, 1);
	writing(rig, 600);
	assert_map(rig, 2, 1);
	assert_int_equal(statistic(rig, "cdftl.folded"), 1);
	assert_entry(rig, 1, "; in DRAM; mapping page 0 not in DRAM");
	/* LPN 1's entry leaves, as the least recently used of the clean ones; mapping page 1 is clean. */
	reading(rig, 1200);
	assert_map(rig, 3, 1);
	assert_entry(rig, 1, "not in DRAM");
	assert_entry(rig, 600, "; in DRAM, changed");
	rig_close(rig);
}

/* Room for three entries.  Those of LPNs 0 and 600 are dirty, and their mapping pages are not in DRAM: they
 * stay, however long they are unused. */
static void test_a_change_without_its_page_stays(void **state)
{
	struct rig *rig = filled(FILLED, "ftl=cdftl cdftl.entries=3 cdftl.pages=1");

	(void)state;
	writing(rig, 0);
	writing(rig, 600);
	writing(rig, 1200);
	assert_map(rig, 3, 0);
	for (lpn_t lpn = 1201; lpn < 1210; lpn++)
		writing(rig, lpn);
	assert_map(rig, 3, 0);
	assert_int_equal(statistic(rig, "cdftl.kicked_out"), 9);
	assert_entry(rig, 0, "; in DRAM, changed");
	assert_entry(rig, 600, "; in DRAM, changed");
	assert_entry(rig, 1209, "; in DRAM, changed; mapping page 2 in DRAM, changed");
	/* Mapping page 2 is written to make room for page 0; LPN 0's entry, once least recently used, then
	 * leaves into page 0. */
	reading(rig, 1);
	assert_map(rig, 4, 1);
	assert_entry(rig, 1209, "not in DRAM");
	reading(rig, 0);
	reading(rig, 2);
	assert_entry(rig, 1, "not in DRAM");
	assert_entry(rig, 0, "; in DRAM, changed");
	writing(rig, 2);
	reading(rig, 3);
	assert_entry(rig, 0, "not in DRAM; mapping page 0 in DRAM, changed");
	assert_entry(rig, 600, "; in DRAM, changed");
	rig_close(rig);
}

/* Room for two mapping pages.  Page 0 is used again, for LPN 1's entry: page 1 is evicted for page 2.  As
 * page 1 is clean, it is not written, although LPN 600's entry is dirty. */
static void test_pages_leave_in_the_order_of_use(void **state)
{
	struct rig *rig = filled(FILLED, "ftl=cdftl cdftl.entries=8 cdftl.pages=2 cdftl.fold=true");

	(void)state;
	reading(rig, 0);
	writing(rig, 600);
	reading(rig, 1);
	reading(rig, 1200);
	assert_map(rig, 3, 0);
	assert_entry(rig, 1, "mapping page 0 in DRAM");
	assert_entry(rig, 600, "; in DRAM, changed; mapping page 1 not in DRAM");
	rig_close(rig);
}

/* A collection moves LPNs 0 and 1: the entry of the first is in DRAM, of the second only the mapping page. */
static void test_a_collection_changes_what_is_in_dram(void **state)
{
	struct rig *rig = with_a_victim("ftl=cdftl cdftl.entries=2000 cdftl.pages=2");
	const struct collector *c = rig->drive->ftl->store->collector;
	const struct flash *f = rig->drive->flash;

	(void)state;
	reading(rig, 0);
	/* Pages 0 and 2 are in DRAM; LPNs 600 and 601 belong to page 1. */
	for (lpn_t lpn = 1024; !c->count.collections; lpn++)
		writing(rig, lpn % 1536);
	assert_int_equal(c->count.moved_pages, 4);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_GC_UPDATE], 1);
	assert_int_equal(statistic(rig, "map.gc_updates"), 2);
	assert_int_equal(statistic(rig, "map.gc_lazy"), 1);
	assert_int_equal(statistic(rig, "cdftl.gc_page_entries"), 1);
	assert_entry(rig, 0, "; in DRAM, changed; mapping page 0 in DRAM, changed");
	assert_entry(rig, 1, "not in DRAM; mapping page 0 in DRAM, changed");
	rig_close(rig);
}

/* Half of the cache is for pages, at least one; entries have the rest, at least one. */
static void test_the_cache_is_divided(void **state)
{
	static const struct {
		const char *bytes;
		uint64_t used;
	} cases[] = { { "10000", 2 * 2048 + 738 * 8 }, { "6000", 2048 + 494 * 8 }, { "2064", 2048 + 2 * 8 },
		{ "100", 2048 + 8 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char settings[80];
		struct rig *rig;

		snprintf(settings, sizeof settings, "ftl=cdftl map.cache_bytes=%s", cases[i].bytes);
		rig = filled(FILLED, settings);
		assert_int_equal(statistic(rig, "map.cache_bytes"), cases[i].used);
		rig_close(rig);
	}
}

/* ---- waiting ---- */

static void test_cdftl_waits(void **state)
{
	struct rig *rig = filled(TIMED, "ftl=cdftl cdftl.entries=2 cdftl.pages=1");

	(void)state;
	assert_int_equal(reading(rig, 0), 26000 + 26000);
	assert_int_equal(reading(rig, 1), 26000);
	assert_int_equal(writing(rig, 2), 116000);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_page_answers_for_its_neighbours),
		cmocka_unit_test(test_changes_leave_into_their_page),
		cmocka_unit_test(test_a_page_can_be_written_with_all_changes),
		cmocka_unit_test(test_a_change_without_its_page_stays),
		cmocka_unit_test(test_pages_leave_in_the_order_of_use),
		cmocka_unit_test(test_a_collection_changes_what_is_in_dram),
		cmocka_unit_test(test_the_cache_is_divided),
		cmocka_unit_test(test_cdftl_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
