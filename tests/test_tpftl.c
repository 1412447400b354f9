/*
 * TPFTL: cases worked by hand on a filled drive of one plane; with a single mapping page it is DFTL.  An
 * entry takes 6 bytes, a node 8.
 *
 * 	SEED=n   another random run
 */
#include "tests/demand_fixture.h"

#include "base/random.h"

#define TPFTL FILLED "ftl=tpftl "

static void read_pages(struct rig *rig, lpn_t first, lpn_t last)
{
	rig_serve(rig, REQUEST_READ, (sector_t)first * 4, (sector_t)(last + 1) * 4);
}

static void write_pages(struct rig *rig, lpn_t first, lpn_t last)
{
	rig_serve(rig, REQUEST_WRITE, (sector_t)first * 4, (sector_t)(last + 1) * 4);
}

/* Entries and nodes in DRAM. */
static void assert_held(struct rig *rig, uint64_t entries, uint64_t nodes)
{
	assert_int_equal(statistic(rig, "tpftl.entries"), entries);
	assert_int_equal(statistic(rig, "tpftl.nodes"), nodes);
}

/* ---- what a miss loads ---- */

static void test_a_miss_loads_what_the_request_needs(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=4096");

	(void)state;
	read_pages(rig, 0, 7);
	assert_map(rig, 1, 0);
	assert_int_equal(rig->drive->ftl->map.hits, 7);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 7);
	assert_held(rig, 8, 1);
	assert_int_equal(statistic(rig, "map.cached_bytes_max"), 8 * 6 + 8);
	assert_int_equal(statistic(rig, "map.request_hits"), 0);
	read_pages(rig, 7, 7);
	assert_int_equal(statistic(rig, "map.request_hits"), 1);
	rig_close(rig);
	rig = filled(TPFTL, "map.cache_bytes=4096 tpftl.policy=bc");
	read_pages(rig, 0, 7);
	assert_map(rig, 8, 0);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 0);
	rig_close(rig);
}

/* Four entries at the end of a mapping page, four of the next one. */
static void test_a_miss_loads_of_one_mapping_page(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=4096");

	(void)state;
	read_pages(rig, 508, 515);
	assert_map(rig, 2, 0);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 6);
	assert_held(rig, 8, 2);
	rig_close(rig);
}

/*
 * 680 entries of two nodes fit. The first miss brings 512; the second, too: 168 fit, 344 replace entries of
 * the first node. From then on loading is cut where the victim node has no entry left, and goes on at the
 * next miss.
 */
static void test_loading_is_cut_when_a_node_is_emptied(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=4096");

	(void)state;
	read_pages(rig, 0, 4095);
	assert_map(rig, 14, 0);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 4082);
	assert_int_equal(statistic(rig, "tpftl.replaced"), 3416);
	assert_int_equal(statistic(rig, "tpftl.prefetch_cut"), 6);
	assert_held(rig, 680, 2);
	rig_close(rig);
}

/* Nine entries of one node: no other one to evict from. Those of the miss stay. */
static void test_the_only_node_is_evicted_from(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=62");

	(void)state;
	read_pages(rig, 0, 7);
	reading(rig, 8);
	assert_held(rig, 9, 1);
	reading(rig, 600);
	assert_map(rig, 3, 0);
	assert_int_equal(statistic(rig, "tpftl.replaced"), 3);
	assert_held(rig, 7, 2);
	assert_entry(rig, 2, "not in DRAM");
	assert_entry(rig, 3, "; in DRAM");
	assert_entry(rig, 8, "; in DRAM");
	rig_close(rig);
	/* 13 pages: the first nine, of which none is evicted for the tenth, then the rest. */
	rig = filled(TPFTL, "map.cache_bytes=62");
	read_pages(rig, 0, 12);
	assert_map(rig, 2, 0);
	assert_int_equal(statistic(rig, "tpftl.prefetch_cut"), 1);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 8 + 3);
	assert_entry(rig, 3, "not in DRAM");
	assert_entry(rig, 4, "; in DRAM");
	rig_close(rig);
}

/* ---- selective prefetch ---- */

/* As many entries as precede the missing one without a gap. */
static void test_selective_prefetch(void **state)
{
	static const uint64_t reads[] = { 1, 1, 0, 1, 0, 0, 0, 1, 0 };
	struct rig *rig = filled(TPFTL, "map.cache_bytes=4096 tpftl.selective=true");
	uint64_t all = 0;

	(void)state;
	for (lpn_t lpn = 0; lpn < 9; lpn++) {
		reading(rig, lpn);
		all += reads[lpn];
		assert_map(rig, all, 0);
	}
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 1 + 3 + 7);
	assert_int_equal(statistic(rig, "tpftl.selective"), 3);
	reading(rig, 20);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 1 + 3 + 7);
	/* A gap ends the count: LPN 19 is missing. */
	reading(rig, 21);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 1 + 3 + 7 + 1);
	rig_close(rig);
	rig = filled(TPFTL, "map.cache_bytes=4096 tpftl.selective=true tpftl.policy=rbc");
	reading(rig, 0);
	reading(rig, 1);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 0);
	rig_close(rig);
}

/*
 * Four nodes of one entry fill 56 bytes. The third turns selective prefetch off, as it was, and the count
 * restarts: 1 after the fourth. Then the nodes of 0, 600 and 1200 are evicted one by one for further entries
 * of the last: -2. So each of the eight reads misses; were it on, they would not.
 */
static void test_the_number_of_nodes_switches_selective_prefetch(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=56");

	(void)state;
	for (lpn_t lpn = 0; lpn <= 1800; lpn += 600)
		reading(rig, lpn);
	assert_held(rig, 4, 4);
	for (lpn_t lpn = 1801; lpn <= 1808; lpn++)
		reading(rig, lpn);
	assert_map(rig, 12, 0);
	assert_held(rig, 8, 1);
	assert_int_equal(statistic(rig, "tpftl.selective"), 0);
	rig_close(rig);
	/* One removed node is enough: 600 goes with the read of 1803. The next miss brings as many entries as
	 * precede it, four, for which the four are evicted. */
	rig = filled(TPFTL, "map.cache_bytes=40 tpftl.threshold=1");
	reading(rig, 600);
	for (lpn_t lpn = 1800; lpn < 1803; lpn++)
		reading(rig, lpn);
	assert_held(rig, 4, 2);
	reading(rig, 1803);
	assert_held(rig, 4, 1);
	assert_int_equal(statistic(rig, "tpftl.selective"), 0);
	reading(rig, 1804);
	assert_held(rig, 5, 1);
	assert_int_equal(statistic(rig, "tpftl.selective"), 1);
	assert_int_equal(statistic(rig, "tpftl.prefetched"), 4);
	assert_entry(rig, 1808, "; in DRAM");
	assert_map(rig, 6, 0);
	rig_close(rig);
}

/* ---- the order of nodes ---- */

/*
 * Node 0 has entries used at 1 and 4, node 1 one used at 2, node 2 one used at 3: means of 2.5, 2 and 3. An
 * entry of node 3 evicts node 1's, also if the last use of a node counts.  Then the mean of node 0 is the
 * lowest although it was used after node 2.
 */
static void test_the_coldest_node_has_the_lowest_mean(void **state)
{
	(void)state;
	for (int lru = 0; lru < 2; lru++) {
		struct rig *rig =
			filled(TPFTL, lru ? "map.cache_bytes=48 tpftl.order=lru" : "map.cache_bytes=48");

		reading(rig, 0);
		reading(rig, 600);
		reading(rig, 1200);
		reading(rig, 1);
		reading(rig, 1800);
		assert_entry(rig, 600, "not in DRAM");
		assert_entry(rig, 0, "; in DRAM");
		assert_entry(rig, 0, lru ? "1 of 3 nodes are colder" : "0 of 3 nodes are colder");
		reading(rig, 2400);
		assert_entry(rig, 1200, lru ? "not in DRAM" : "; in DRAM");
		assert_entry(rig, 0, lru ? "; in DRAM" : "not in DRAM");
		assert_entry(rig, 1, lru ? "; in DRAM" : "not in DRAM");
		rig_close(rig);
	}
}

/* Node 0's entries were used at 1 and 5, node 1's at 2, node 2's at 3 and 4: means 3, 2, 3.5.  A hit of LPN 0
 * makes it 5.5; when LPN 1 was the only one left, 5. */
static void test_a_hit_moves_a_node(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=4096");

	(void)state;
	reading(rig, 0);
	reading(rig, 600);
	reading(rig, 1200);
	reading(rig, 1201);
	reading(rig, 1);
	assert_entry(rig, 0, "1 of 3 nodes are colder");
	reading(rig, 0);
	assert_entry(rig, 0, "2 of 3 nodes are colder");
	reading(rig, 600);
	assert_entry(rig, 600, "2 of 3 nodes are colder");
	rig_close(rig);
}

/* Node 0 is the coldest when another entry of it is loaded: node 1 makes room. */
static void test_a_miss_spares_its_own_node(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=36");

	(void)state;
	reading(rig, 0);
	reading(rig, 600);
	reading(rig, 601);
	reading(rig, 1);
	assert_entry(rig, 0, "; in DRAM");
	assert_entry(rig, 600, "not in DRAM");
	assert_entry(rig, 601, "; in DRAM");
	rig_close(rig);
}

/* Node 0 has entries used at 1 and 6, node 1 at 3, 4 and 5: means 3.5 and 4.  The first one is evicted for
 * node 2: node 0 is then hotter than node 1, which is emptied for node 3. */
static void test_what_leaves_changes_the_heat(void **state)
{
	static const lpn_t used[] = { 0, 600, 601, 602, 600, 1, 1200 };
	struct rig *rig = filled(TPFTL, "map.cache_bytes=54");

	(void)state;
	for (size_t i = 0; i < sizeof used / sizeof *used; i++)
		reading(rig, used[i]);
	assert_entry(rig, 0, "not in DRAM");
	assert_held(rig, 5, 3);
	reading(rig, 1800);
	assert_entry(rig, 1, "; in DRAM");
	assert_entry(rig, 600, "not in DRAM");
	assert_held(rig, 3, 3);
	rig_close(rig);
}

/* ---- what is evicted, and what is written ---- */

/* LPNs 0 to 2 are dirty; 3 to 8 are clean and are evicted first, in the order of last use. */
static void test_clean_entries_are_evicted_first(void **state)
{
	struct rig *rig = filled(TPFTL, "map.cache_bytes=62");

	(void)state;
	write_pages(rig, 0, 2);
	read_pages(rig, 3, 7);
	reading(rig, 8);
	assert_map(rig, 3, 0);
	for (lpn_t lpn = 600; lpn <= 602; lpn++) {
		reading(rig, lpn);
		assert_map(rig, 4 + lpn - 600, 0);
	}
	for (lpn_t lpn = 0; lpn < 3; lpn++)
		assert_entry(rig, lpn, "in DRAM, changed");
	assert_entry(rig, 7, "not in DRAM");
	assert_entry(rig, 8, "; in DRAM");
	rig_close(rig);
}

static void test_a_write_back_cleans_the_node(void **state)
{
	(void)state;
	for (int batch = 0; batch < 2; batch++) {
		struct rig *rig =
			filled(TPFTL, batch ? "map.cache_bytes=36" : "map.cache_bytes=36 tpftl.policy=rsc");

		for (lpn_t lpn = 0; lpn < 3; lpn++)
			writing(rig, lpn);
		assert_map(rig, 3, 0);
		/* 8 + 3 * 6 bytes are used: one entry is evicted for the new node. */
		reading(rig, 600);
		assert_map(rig, 3 + 2, 1);
		assert_entry(rig, 0, "not in DRAM");
		assert_entry(rig, 1, batch ? "; in DRAM;" : "in DRAM, changed");
		assert_entry(rig, 2, batch ? "; in DRAM;" : "in DRAM, changed");
		assert_int_equal(statistic(rig, "map.batched"), batch ? 2 : 0);
		assert_int_equal(statistic(rig, "tpftl.dirty_victims"), 1);
		reading(rig, 1200);
		assert_map(rig, batch ? 3 + 2 + 1 : 3 + 2 + 3, batch ? 1 : 2 + 1);
		rig_close(rig);
	}
}

/* ---- collection ---- */

/* LPN 0 is moved and stays in DRAM, LPN 1 is moved and is not there: their mapping page is written, with LPN
 * 0's change and those of 2 to 5 if tpftl.gc_clean says so. */
static void test_a_collection_can_clean_a_node(void **state)
{
	(void)state;
	for (int clean = 0; clean < 2; clean++) {
		struct rig *rig = collected_once(clean ? "ftl=tpftl map.cache_bytes=40000 tpftl.gc_clean=true"
						       : "ftl=tpftl map.cache_bytes=40000");

		assert_int_equal(statistic(rig, "map.gc_lazy"), 1);
		assert_int_equal(statistic(rig, "map.gc_updates"), 3);
		assert_entry(rig, 0, clean ? "; in DRAM;" : "in DRAM, changed");
		assert_entry(rig, 2, clean ? "; in DRAM;" : "in DRAM, changed");
		rig_close(rig);
	}
}

/* ---- a table of one mapping page ---- */

/* One node, so the least recently used entry is evicted: without prefetch every operation and every time is
 * that of DFTL with as many entries. */
static void compare_with_dftl(const char *tpftl, const char *dftl)
{
	struct rig *rig[2] = { filled(ONE_PLANE "precondition.mode=fill ", tpftl),
		filled(ONE_PLANE "precondition.mode=fill ", dftl) };
	const struct flash *a = rig[0]->drive->flash, *b = rig[1]->drive->flash;
	uint32_t sectors = rig[0]->drive->geometry.logical_pages * 16;
	struct random random;

	assert_int_equal(((struct demand *)rig[0]->drive->ftl->state)->table.directory->pages, 1);
	random_init(&random, seed_of_run(), 3);
	for (uint64_t i = 0; i < amount(2000, 20000); i++) {
		uint64_t kind = random_below(&random, 12), start = random_below(&random, sectors - 64);
		uint64_t end = start + 1 + random_below(&random, 64);
		enum request_type type = !kind ? REQUEST_TRIM : kind < 6 ? REQUEST_READ : REQUEST_WRITE;

		assert_int_equal(rig_serve(rig[0], type, start, end), rig_serve(rig[1], type, start, end));
	}
	assert_true(b->count[OP_ERASE][CAUSE_GC] > 100);
	assert_memory_equal(a->count, b->count, sizeof a->count);
	assert_memory_equal(a->forwarded, b->forwarded, sizeof a->forwarded);
	assert_memory_equal(
		&rig[0]->drive->ftl->map, &rig[1]->drive->ftl->map, sizeof rig[0]->drive->ftl->map);
	assert_int_equal(statistic(rig[0], "map.batched"), statistic(rig[1], "map.batched"));
	assert_int_equal(statistic(rig[0], "map.gc_lazy"), statistic(rig[1], "map.gc_lazy"));
	rig_close(rig[0]);
	rig_close(rig[1]);
}

static void test_with_one_mapping_page_it_is_dftl(void **state)
{
	(void)state;
	compare_with_dftl("ftl=tpftl map.cache_bytes=128 tpftl.policy=b", "ftl=dftl dftl.entries=20");
	compare_with_dftl(
		"ftl=tpftl map.cache_bytes=128 tpftl.policy=", "ftl=dftl dftl.entries=20 map.batch=false");
}

/* ---- time ---- */

/* Four dies.  LPN 1 has been trimmed: its read is only the look-up, which brings LPN 2's entry, whose data is
 * on another die than the mapping page. */
static void test_what_was_prefetched_comes_with_the_read(void **state)
{
	struct rig *rig = filled(TIMED "flash.channels=4 flash.blocks=11 placement.policy=round_robin ",
		"ftl=tpftl map.cache_bytes=22 tpftl.policy=rsb");

	(void)state;
	on_page(rig, REQUEST_TRIM, 1);
	reading(rig, 3);
	reading(rig, 4);
	assert_entry(rig, 1, "not in DRAM");
	assert_int_equal(rig_serve(rig, REQUEST_READ, 1 * 16, 3 * 16), 26000 + 26000);
	assert_int_equal(reading(rig, 2), 26000);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_miss_loads_what_the_request_needs),
		cmocka_unit_test(test_a_miss_loads_of_one_mapping_page),
		cmocka_unit_test(test_loading_is_cut_when_a_node_is_emptied),
		cmocka_unit_test(test_the_only_node_is_evicted_from),
		cmocka_unit_test(test_selective_prefetch),
		cmocka_unit_test(test_the_number_of_nodes_switches_selective_prefetch),
		cmocka_unit_test(test_the_coldest_node_has_the_lowest_mean),
		cmocka_unit_test(test_a_hit_moves_a_node),
		cmocka_unit_test(test_a_miss_spares_its_own_node),
		cmocka_unit_test(test_what_leaves_changes_the_heat),
		cmocka_unit_test(test_clean_entries_are_evicted_first),
		cmocka_unit_test(test_a_write_back_cleans_the_node),
		cmocka_unit_test(test_a_collection_can_clean_a_node),
		cmocka_unit_test(test_with_one_mapping_page_it_is_dftl),
		cmocka_unit_test(test_what_was_prefetched_comes_with_the_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
