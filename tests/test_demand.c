/*
 * The FTLs whose page table lies in flash: cases worked by hand on a filled drive of one plane, which
 * operations wait for a mapping page, what collections change, the stack of S-FTL and its bitmaps against
 * plain models.
 *
 *	SEED=n   another random run
 */
#include "tests/demand_fixture.h"

#include "ftl/demand/heads.h"
#include "ftl/demand/stack.h"
#include "tests/inside.h"

/* ---- a filled drive ---- */

/* Data from the first page on, behind it the mapping pages in a block of their own, both ascending. */
static void test_a_filled_drive_has_its_table_behind_its_data(void **state)
{
	static const char *const names[] = { "optimal", "dftl", "sftl", "tpftl", "cdftl" };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		char ftl[16];
		struct rig *rig;

		snprintf(ftl, sizeof ftl, "ftl=%s", names[i]);
		rig = filled(FILLED, ftl);
		for (ppn_t ppn = 0; ppn < 57344 + 112; ppn++)
			assert_int_equal(flash_owner(rig->drive->flash, ppn), ppn);
		assert_int_equal(rig->drive->flash->pages_used, 57344 + 112);
		assert_map(rig, 0, 0);
		assert_int_equal(rig->drive->ftl->map.lookups, 0);
		rig_close(rig);
	}
}

/* ---- DFTL ---- */

#define DFTL "ftl=dftl dftl.entries=2 "

static void read_with_two_entries(const char *dftl)
{
	struct rig *rig = filled(FILLED, dftl);

	reading(rig, 0);
	reading(rig, 1);
	reading(rig, 0);
	assert_map(rig, 2, 0);
	assert_int_equal(rig->drive->ftl->map.hits, 1);
	reading(rig, 600);
	assert_map(rig, 3, 0);
	assert_entry(rig, 0, "; in DRAM");
	assert_entry(rig, 1, "not in DRAM");
	assert_int_equal(statistic(rig, "map.requests"), 4);
	assert_int_equal(statistic(rig, "map.request_hits"), 1);
	rig_close(rig);
}

/* map.cache_bytes is the size of the cache, as in every FTL, unless dftl.entries is given. */
static void test_dftl_reads(void **state)
{
	(void)state;
	read_with_two_entries("ftl=dftl map.cache_bytes=16");
	read_with_two_entries(DFTL);
	read_with_two_entries(DFTL "map.cache_bytes=1M");
}

static void write_two_of_a_page(bool batch)
{
	struct rig *rig = filled(FILLED, batch ? DFTL "map.batch=true" : DFTL "map.batch=false");

	writing(rig, 0);
	writing(rig, 1);
	assert_map(rig, 2, 0);
	reading(rig, 600);
	assert_map(rig, 4, 1);
	assert_entry(rig, 1, batch ? "in DRAM" : "in DRAM, changed");
	assert_int_equal(statistic(rig, "map.batched"), batch);
	reading(rig, 1200);
	assert_map(rig, batch ? 5 : 6, batch ? 1 : 2);
	rig_close(rig);
}

static void test_dftl_writes_back(void **state)
{
	(void)state;
	write_two_of_a_page(false);
	write_two_of_a_page(true);
	for (int batch = 0; batch < 2; batch++) {
		struct rig *rig = filled(FILLED, batch ? DFTL "map.batch=true" : DFTL "map.batch=false");

		writing(rig, 0);
		writing(rig, 600);
		reading(rig, 1200);
		reading(rig, 1800);
		assert_map(rig, 2 + 2 * 2, 2);
		rig_close(rig);
	}
}

/* Victim and wanted entry lie in one mapping page. */
static void test_dftl_reads_a_mapping_page_once(void **state)
{
	(void)state;
	for (int once = 0; once < 2; once++) {
		struct rig *rig = filled(FILLED, once ? "ftl=dftl dftl.entries=1 dftl.same_vtpn=true"
						      : "ftl=dftl dftl.entries=1 dftl.same_vtpn=false");

		writing(rig, 0);
		reading(rig, 1);
		assert_map(rig, once ? 2 : 3, 1);
		rig_close(rig);
	}
}

/* A request hits if all its pages do; a read of 3 pages of which 2 are in DRAM does not. */
static void test_hits_of_requests_and_of_pages(void **state)
{
	struct rig *rig = filled(FILLED, "ftl=dftl dftl.entries=8");

	(void)state;
	rig_serve(rig, REQUEST_READ, 0, 8);
	rig_serve(rig, REQUEST_READ, 0, 12);
	rig_serve(rig, REQUEST_READ, 4, 9);
	assert_int_equal(rig->drive->ftl->map.lookups, 2 + 3 + 2);
	assert_int_equal(rig->drive->ftl->map.hits, 0 + 2 + 2);
	assert_int_equal(statistic(rig, "map.request_hits"), 1);
	rig_close(rig);
}

static void test_an_unlimited_cache_hits(void **state)
{
	struct rig *rig = filled(FILLED, "ftl=optimal");

	(void)state;
	rig_serve(rig, REQUEST_READ, 0, 8);
	writing(rig, 600);
	on_page(rig, REQUEST_TRIM, 700);
	assert_map(rig, 0, 0);
	assert_int_equal(rig->drive->ftl->map.hits, 4);
	assert_int_equal(statistic(rig, "map.request_hits"), 2);
	rig_close(rig);
}

/* ---- collection ---- */

static void test_a_collection_changes_mapping_pages(void **state)
{
	struct rig *rig = collected_once("ftl=dftl dftl.entries=2000");

	(void)state;
	assert_int_equal(statistic(rig, "map.gc_lazy"), 1);
	assert_int_equal(statistic(rig, "map.gc_updates"), 3);
	assert_entry(rig, 0, "in DRAM, changed");
	rig_close(rig);
}

/* One mapping page fits in DRAM, the third; the changed entries of the first left the buffer with the
 * collection. */
static void test_a_collection_takes_changes_out_of_the_buffer(void **state)
{
	struct rig *rig = collected_once("ftl=sftl map.cache_bytes=2048 sftl.buffer_entries=240");

	(void)state;
	assert_int_equal(statistic(rig, "map.diverted"), 4);
	assert_int_equal(statistic(rig, "map.gc_updates"), 4);
	assert_entry(rig, 2, "not in DRAM");
	rig_close(rig);
}

/*
 * LPNs 2 to 5 are in the buffer of entries when LPN 2 is written again.  The page for its data requires a
 * collection, of the first block, which also holds LPNs 0 and 1: their mapping page is written, with all its
 * entries in the buffer.  So only LPN 2 enters the buffer again.
 */
static void test_an_entry_that_was_written_meanwhile_is_buffered_again(void **state)
{
	struct rig *rig = with_a_victim("ftl=sftl map.cache_bytes=2048 sftl.buffer_entries=240");
	const struct collector *c = rig->drive->ftl->store->collector;

	(void)state;
	for (lpn_t lpn = 1024; !collector_is_low(c, 0); lpn++)
		writing(rig, lpn % 1536);
	assert_entry(rig, 2, "in the buffer, changed");
	assert_int_equal(c->count.collections, 0);
	writing(rig, 2);
	assert_int_equal(c->count.collections, 1);
	assert_int_equal(statistic(rig, "map.buffer_hits"), 1);
	assert_int_equal(rig->drive->flash->count[OP_PROGRAM][CAUSE_GC_UPDATE], 2);
	assert_int_equal(rig->drive->flash->count[OP_PROGRAM][CAUSE_MAP], 0);
	assert_entry(rig, 2, "in the buffer, changed");
	assert_entry(rig, 3, "not in DRAM");
	ftl_check(rig->drive->ftl);
	rig_close(rig);
}

/* No free pages but the reserve, and DRAM for few entries: collections lose space, updates of mapping pages
 * find no page and wait, the drive goes on, and all of them are written later. */
static void keep_short(const char *ftl)
{
	struct rig *rig =
		filled("flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=1040 "
		       "flash.pages=8 flash.page_bytes=2K flash.over_provisioning=0.0065 "
		       "gc.threshold=0 gc.policy=fifo precondition.mode=fill map.cache_bytes=2K "
		       "sftl.buffer_entries=4 dftl.entries=4 ",
			ftl);
	const struct demand *d = rig->drive->ftl->state;
	uint32_t lpns = rig->drive->geometry.logical_pages, most = 0;
	struct random random;
	uint64_t none = 0;

	random_init(&random, seed_of_run(), 5);
	for (uint64_t i = 0; i < amount(1500, 6000); i++) {
		writing(rig, (lpn_t)random_below(&random, lpns));
		most = d->table.directory->pending_pages > most ? d->table.directory->pending_pages : most;
		none += most && !d->table.directory->pending_pages;
	}
	assert_true(most > 0);
	assert_true(none > 0);
	rig_close(rig);
}

static void test_updates_wait_for_room(void **state)
{
	(void)state;
	keep_short("ftl=dftl");
	keep_short("ftl=sftl");
	keep_short("ftl=tpftl map.cache_bytes=32");
	keep_short("ftl=cdftl cdftl.entries=4");
}

/* ---- waiting ---- */

static void test_dftl_waits(void **state)
{
	struct rig *rig = filled(TIMED, "ftl=dftl dftl.entries=1");

	(void)state;
	assert_int_equal(reading(rig, 0), 26000 + 26000);
	assert_int_equal(reading(rig, 0), 26000);
	assert_int_equal(writing(rig, 0), 116000);
	/* The old mapping page is read; the load of the new one is answered by the controller, and its
	 * program comes after the read of the data. */
	assert_int_equal(reading(rig, 1), 26000 + 26000);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_MAP), 1);
	assert_int_equal(writing(rig, 2), 26000 + 116000);
	/* Half a page: reads of the mapping page and of old data (8 sectors), program of the mapping page,
	 * which was issued first, program of the data. */
	assert_int_equal(rig_serve(rig, REQUEST_WRITE, 48, 56), 26000 + 18000 + 116000 + 116000);
	rig_close(rig);
	rig = filled(TIMED, "ftl=dftl dftl.entries=1 map.blocking=true");
	assert_int_equal(writing(rig, 0), 26000 + 116000);
	assert_int_equal(reading(rig, 1), 26000 + 116000 + 26000);
	assert_int_equal(writing(rig, 1), 116000);
	assert_int_equal(writing(rig, 2), 26000 + 116000 + 116000);
	rig_close(rig);
}

static void test_sftl_waits(void **state)
{
	struct rig *rig = filled(TIMED, "ftl=sftl");

	(void)state;
	assert_int_equal(reading(rig, 0), 26000 + 26000);
	assert_int_equal(reading(rig, 1), 26000);
	assert_int_equal(writing(rig, 2), 116000);
	rig_close(rig);
	rig = filled(TIMED, "ftl=sftl map.cache_bytes=4K");
	assert_int_equal(reading(rig, 0), 26000 + 26000);
	assert_int_equal(reading(rig, 0), 26000 + 26000);
	assert_int_equal(writing(rig, 0), 26000 + 116000);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_MAP), 1);
	rig_close(rig);
	rig = filled(TIMED, "ftl=sftl map.cache_bytes=4K map.blocking=true");
	assert_int_equal(writing(rig, 0), 26000 + 116000 + 116000);
	rig_close(rig);
}

/* Four dies are written in turn: LPN 1 and the written pages are on other dies than the mapping page. */
static void test_nothing_is_done_before_its_place_is_known(void **state)
{
	static const char *const ftl[] = { "ftl=dftl dftl.entries=1", "ftl=sftl map.cache_bytes=4K" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig *rig = filled(
			TIMED "flash.channels=4 flash.blocks=11 placement.policy=round_robin ", ftl[i]);

		assert_int_equal(reading(rig, 1), 26000 + 26000);
		assert_int_equal(writing(rig, 2), 26000 + 116000);
		assert_int_equal(rig_serve(rig, REQUEST_WRITE, 80, 88), 26000 + 18000 + 116000);
		rig_close(rig);
	}
}

/* A mapping page that has become too large for DRAM, and a write to a mapping page that is not there. */
static void test_sftl_waits_for_a_write_back(void **state)
{
	(void)state;
	for (int blocking = 0; blocking < 2; blocking++) {
		struct rig *rig = filled(FILLED "flash.read_ns=10000 flash.program_ns=100000 "
						"flash.command_ns=0 flash.bus_mb_per_s=512 dram.access_ns=0 "
						"ftl=sftl map.cache_bytes=2048 sftl.buffer_entries=240 ",
			blocking ? "map.blocking=true" : "map.blocking=false");

		/* Pages of 4 us on the bus: reads 14 us, programs 104; 128 bytes hold one mapping page. */
		assert_int_equal(writing(rig, 0), 14000 + 104000);
		assert_entry(rig, 0, "74 bytes, 2 heads, 1 changed");
		for (lpn_t lpn = 2; lpn <= 14; lpn += 2)
			writing(rig, lpn);
		/* 16 heads exceed the budget: the page has left DRAM. */
		assert_int_equal(statistic(rig, "map.evictions"), 1);
		assert_int_equal(statistic(rig, "map.diverted"), 8);
		assert_int_equal(reading(rig, 2), 14000);
		/* The page is read for one look-up; the write programs it, with the entries in the buffer. */
		assert_int_equal(writing(rig, 100), 14000 + 104000 + (blocking ? 104000 : 0));
		assert_entry(rig, 2, "not in DRAM");
		rig_close(rig);
	}
}

/* ---- S-FTL ---- */

#define SFTL FILLED "ftl=sftl map.cache_bytes=4096 "

static void test_sftl_pages_shrink(void **state)
{
	(void)state;
	for (int bits = 1; bits <= 2; bits++) {
		struct rig *rig = filled(SFTL, bits == 1 ? "sftl.bits=1" : "sftl.bits=2");

		for (lpn_t lpn = 0; lpn < 512; lpn++)
			reading(rig, lpn);
		assert_map(rig, 1, 0);
		assert_int_equal(rig->drive->ftl->map.hits, 511);
		assert_entry(rig, 0, bits == 1 ? "70 bytes, 1 heads" : "134 bytes, 1 heads");
		writing(rig, 3);
		writing(rig, 4);
		assert_map(rig, 1, 0);
		assert_entry(rig, 0, bits == 1 ? "78 bytes, 3 heads, 2 changed" : "138 bytes, 2 heads");
		rig_close(rig);
	}
}

/* Single writes in mapping page `page`, with two unwritten pages between them. */
static void scatter(struct rig *rig, uint32_t page, uint32_t writes)
{
	for (uint32_t i = 0; i < writes; i++)
		writing(rig, page * 512 + 3 * i + 1);
}

/* Uses all mapping pages from `first` on, twice, so that those before are evicted. */
static void drive_out(struct rig *rig, uint32_t first)
{
	for (uint32_t i = 0; i < 2 * 112; i++)
		if (i % 112 >= first)
			reading(rig, i % 112 * 512);
}

static void test_few_changes_wait_in_the_buffer(void **state)
{
	static const struct {
		uint32_t pages, writes, buffered;
	} cases[] = { { 1, 25, 25 }, { 1, 26, 0 }, { 2, 26, 0 }, { 2, 25, 50 }, { 3, 25, 50 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rig *rig = filled(SFTL, "");
		uint32_t pages = cases[i].pages, writes = cases[i].writes;

		for (uint32_t page = 0; page < pages; page++)
			scatter(rig, page, writes);
		drive_out(rig, pages);
		assert_entry(rig, 0, "not in DRAM");
		assert_int_equal(statistic(rig, "map.diverted"), cases[i].buffered);
		assert_map(rig, rig->drive->flash->count[OP_READ][CAUSE_MAP],
			pages - cases[i].buffered / writes);
		if (cases[i].buffered == 25) {
			uint64_t reads = rig->drive->flash->count[OP_READ][CAUSE_MAP];

			assert_entry(rig, 4, "in the buffer, changed");
			writing(rig, 4);
			reading(rig, 7);
			assert_int_equal(statistic(rig, "map.buffer_hits"), 2);
			assert_map(rig, reads, 0);
			reading(rig, 0);
			assert_entry(rig, 0, "51 heads, 25 changed");
			assert_map(rig, reads + 1, 0);
		}
		rig_close(rig);
	}
}

/* 208 bytes: two pages of 70.  Both are put back once before the least recently used one leaves. */
static void test_a_small_page_has_a_second_chance(void **state)
{
	struct rig *rig = filled(FILLED "ftl=sftl map.cache_bytes=2048 ", "sftl.buffer_entries=230");

	(void)state;
	reading(rig, 0);
	reading(rig, 512);
	assert_int_equal(statistic(rig, "map.second_chances_1"), 0);
	reading(rig, 1024);
	assert_int_equal(statistic(rig, "map.second_chances_1"), 2);
	assert_int_equal(statistic(rig, "map.evictions"), 1);
	assert_entry(rig, 0, "not in DRAM");
	assert_entry(rig, 512, "mapping page 1 in DRAM");
	/* Page 1 has had its chance since it was used last. */
	reading(rig, 1536);
	assert_int_equal(statistic(rig, "map.second_chances_1"), 2);
	assert_entry(rig, 512, "not in DRAM");
	/* Pages 2 and 3 are put back, 2 leaves; 3 is used again, so that it is put back with 4, which
	 * leaves. */
	reading(rig, 2048);
	assert_int_equal(statistic(rig, "map.second_chances_1"), 4);
	reading(rig, 1536);
	reading(rig, 2560);
	assert_int_equal(statistic(rig, "map.second_chances_1"), 6);
	assert_entry(rig, 2048, "not in DRAM");
	assert_entry(rig, 1536, "in DRAM");
	rig_close(rig);
}

/* Page 0 is put back and evicted; when it comes back it has another second chance. */
static void test_a_page_that_returns_has_a_second_chance(void **state)
{
	struct rig *rig = filled(FILLED "ftl=sftl map.cache_bytes=2048 ", "sftl.buffer_entries=230");

	(void)state;
	reading(rig, 0);
	reading(rig, 512);
	reading(rig, 1024);
	reading(rig, 0);
	assert_entry(rig, 512, "not in DRAM");
	assert_int_equal(statistic(rig, "map.second_chances_1"), 2);
	reading(rig, 512);
	assert_int_equal(statistic(rig, "map.second_chances_1"), 4);
	assert_entry(rig, 1024, "not in DRAM");
	assert_entry(rig, 0, "in DRAM");
	rig_close(rig);
}

/* 170 writes one by one: a bitmap of more than 60 % of a page. */
static void test_a_large_page_has_no_second_chance(void **state)
{
	struct rig *rig = filled(SFTL, "");

	(void)state;
	scatter(rig, 0, 170);
	assert_entry(rig, 0, "1430 bytes, 341 heads, 170 changed");
	drive_out(rig, 1);
	assert_entry(rig, 0, "not in DRAM");
	assert_int_equal(statistic(rig, "map.second_chances_2"), 0);
	rig_close(rig);
}

/* 128 writes one by one: more than 820 bytes, which is above 30 and below 60 % of a page. */
static void test_a_larger_page_has_less_of_one(void **state)
{
	struct rig *rig = filled(SFTL, "");

	(void)state;
	for (uint32_t i = 0; i < 128; i++)
		writing(rig, i * 37 % 128 * 4 + 1);
	assert_entry(rig, 0, "1094 bytes, 257 heads, 128 changed");
	drive_out(rig, 1);
	assert_int_equal(statistic(rig, "map.second_chances_2"), 1);
	assert_entry(rig, 0, "not in DRAM");
	assert_int_equal(rig->drive->flash->count[OP_PROGRAM][CAUSE_MAP], 1);
	rig_close(rig);
}

/* Above 90 % of a page, a mapping page is held as in flash; below 80 %, it is compressed again. */
static void test_the_form_of_a_page_changes(void **state)
{
	struct rig *rig = filled(SFTL, "");

	(void)state;
	for (uint32_t i = 0; i < 221; i++)
		writing(rig, 2 * i + 1);
	assert_entry(rig, 0, "1838 bytes, 443 heads");
	writing(rig, 443);
	assert_entry(rig, 0, "2048 bytes, 445 heads");
	for (lpn_t lpn = 0; lpn < 52; lpn++)
		writing(rig, lpn);
	assert_entry(rig, 0, "2048 bytes, 394 heads");
	writing(rig, 52);
	assert_entry(rig, 0, "1638 bytes, 393 heads");
	rig_close(rig);
}

static void test_less_than_a_page_of_cache(void **state)
{
	struct rig *rig = filled(FILLED, "ftl=sftl map.cache_bytes=1024");

	(void)state;
	for (lpn_t lpn = 0; lpn < 10; lpn++)
		reading(rig, lpn);
	assert_map(rig, 10, 0);
	for (lpn_t lpn = 0; lpn < 10; lpn++)
		writing(rig, lpn);
	assert_map(rig, 20, 10);
	assert_int_equal(statistic(rig, "map.uncached"), 20);
	assert_int_equal(rig->drive->ftl->map.hits, 0);
	rig_close(rig);
}

/* On four planes in turn, pages written one after another are consecutive; placed by load, only every other
 * page is, which is no reason for a warning. */
static void test_runs_on_several_planes(void **state)
{
	static const struct {
		const char *placement, *entry;
	} cases[] = { { "placement.policy=round_robin", "70 bytes, 1 heads" },
		{ "placement.policy=static placement.order=PDWC", "70 bytes, 1 heads" },
		{ "placement.policy=least_loaded", "1090 bytes, 256 heads" } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct rig *rig =
			filled(FILLED "flash.planes=4 flash.blocks=256 ftl=sftl ", cases[i].placement);
		const struct ftl *f = rig->drive->ftl;
		char text[320];

		reading(rig, 1000);
		assert_entry(rig, 1000, cases[i].entry);
		assert_false(f->ops->doubt(f, text, sizeof text));
		rig_close(rig);
	}
}

/* ---- bitmaps ---- */

#define ENTRIES  64u
#define UNMAPPED UINT32_MAX

/* Sets the place of each entry: runs overwrite each other, some are trimmed. */
static void make_history(uint32_t place[ENTRIES], struct random *random)
{
	uint32_t next = 1000;

	for (uint32_t i = 0; i < ENTRIES; i++)
		place[i] = random_below(random, 4) ? i : UNMAPPED;
	for (uint64_t runs = random_below(random, 20); runs--; next += (uint32_t)random_below(random, 3)) {
		uint32_t i = (uint32_t)random_below(random, ENTRIES), length;
		bool trim = !random_below(random, 8);

		for (length = 1 + (uint32_t)random_below(random, 12); length-- && i < ENTRIES; i++)
			place[i] = trim ? UNMAPPED : next++;
	}
}

static bool continues(const uint32_t *place, uint32_t head, uint32_t i)
{
	return place[head] == UNMAPPED ? place[i] == UNMAPPED
				       : place[i] != UNMAPPED && place[i] == place[head] + (i - head);
}

/* The codes, rule by rule. */
static void encode(const uint32_t *place, uint8_t *code)
{
	uint32_t head = 0;

	code[0] = HEADS_LONG_HEAD;
	for (uint32_t i = 1; i < ENTRIES; i++) {
		bool later = false;

		for (uint32_t j = i + 1; j < ENTRIES; j++)
			later |= continues(place, head, j);
		if (continues(place, head, i))
			code[i] = HEADS_LONG;
		else if (code[i - 1] & HEADS_SHORT && continues(place, i - 1, i))
			code[i] = HEADS_SHORT;
		else
			code[i] = later ? HEADS_SHORT_HEAD : HEADS_LONG_HEAD;
		head = code[i] == HEADS_LONG_HEAD ? i : head;
	}
}

/* The head of an entry's run, found backwards as in the paper. */
static uint32_t head_of(const uint8_t *code, uint32_t i)
{
	bool brief = code[i] & HEADS_SHORT;

	while (code[i] != (brief ? HEADS_SHORT_HEAD : HEADS_LONG_HEAD))
		i--;
	return i;
}

static void test_two_bits_for_an_entry(void **state)
{
	uint8_t code[ENTRIES];
	uint32_t place[ENTRIES];
	struct random random;
	struct heads h;

	(void)state;
	random_init(&random, seed_of_run(), 1);
	heads_init(&h, ENTRIES);
	for (int history = 0; history < 3000; history++) {
		uint32_t one_bit = 1, two_bits = 0, counted, runs = 0;

		make_history(place, &random);
		for (uint32_t i = 0; i < ENTRIES; i++)
			h.entry[i].offset = place[i] == UNMAPPED ? 5000 : place[i] - i;
		counted = heads_encode(&h, ENTRIES);
		encode(place, code);
		assert_memory_equal(h.code, code, ENTRIES);
		for (uint32_t i = 0; i < ENTRIES; i++) {
			two_bits += h.code[i] >= HEADS_LONG_HEAD;
			one_bit += i && !continues(place, i - 1, i);
			assert_true(continues(place, head_of(h.code, i), i));
		}
		assert_int_equal(counted, two_bits);
		assert_true(two_bits <= one_bit);
		for (uint32_t i = 0; i < ENTRIES; i++)
			if (!i || !continues(place, i - 1, i))
				h.entry[runs++].offset = place[i] == UNMAPPED ? 5000 : place[i] - i;
		assert_int_equal(heads_encode(&h, runs), counted);
	}
	heads_release(&h);
}

/* Fig. 3: 8 entries in a row of which the fourth and fifth are written anew. */
static void test_the_example_of_the_paper(void **state)
{
	static const uint32_t place[8] = { 100, 101, 102, 200, 201, 105, 106, 107 };
	static const uint8_t code[8] = { HEADS_LONG_HEAD, HEADS_LONG, HEADS_LONG, HEADS_SHORT_HEAD,
		HEADS_SHORT, HEADS_LONG, HEADS_LONG, HEADS_LONG };
	struct heads h;

	(void)state;
	heads_init(&h, 8);
	for (uint32_t i = 0; i < 8; i++)
		h.entry[i].offset = place[i] - i;
	assert_int_equal(heads_encode(&h, 8), 2);
	assert_memory_equal(h.code, code, sizeof code);
	assert_int_equal(4 - head_of(h.code, 4), 1);
	assert_int_equal(5 - head_of(h.code, 5), 5);
	heads_release(&h);
}

/* ---- the stack ---- */

#define THINGS 40u

struct plain_stack {
	uint32_t thing[THINGS], count; /* from the top */
};

static void plain_take(struct plain_stack *p, uint32_t thing)
{
	uint32_t i = 0;

	while (p->thing[i] != thing)
		i++;
	p->count--;
	memmove(p->thing + i, p->thing + i + 1, (p->count - i) * sizeof *p->thing);
}

static void plain_put(struct plain_stack *p, uint32_t thing, uint32_t third)
{
	uint32_t at = third * p->count / 3;

	memmove(p->thing + at + 1, p->thing + at, (p->count - at) * sizeof *p->thing);
	p->thing[at] = thing;
	p->count++;
}

static void assert_same_stack(const struct stack *s, const struct plain_stack *p)
{
	uint32_t at = 0;

	for (uint32_t third = 0; third < 3; third++)
		for (uint32_t i = s->thing[THINGS + third].link.next; i != THINGS + third;
			i = s->thing[i].link.next)
			assert_int_equal(i, p->thing[at++]);
	assert_int_equal(at, p->count);
	assert_int_equal(stack_count(s), p->count);
	if (p->count)
		assert_int_equal(stack_bottom(s), p->thing[p->count - 1]);
}

static void test_the_stack_agrees_with_an_array(void **state)
{
	struct plain_stack p = { .count = 0 };
	bool in[THINGS] = { false };
	struct random random;
	struct stack s;

	(void)state;
	random_init(&random, seed_of_run(), 2);
	stack_init(&s, THINGS);
	for (int step = 0; step < 20000; step++) {
		uint32_t thing = (uint32_t)random_below(&random, THINGS);
		uint32_t third = (uint32_t)random_below(&random, 3);

		if (in[thing]) {
			stack_take(&s, thing);
			plain_take(&p, thing);
		}
		in[thing] = random_below(&random, 30) > (uint64_t)(step / 100 % 30);
		if (in[thing]) {
			stack_put(&s, thing, third);
			plain_put(&p, thing, third);
		}
		assert_same_stack(&s, &p);
		stack_check(&s);
	}
	stack_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_filled_drive_has_its_table_behind_its_data),
		cmocka_unit_test(test_dftl_reads),
		cmocka_unit_test(test_dftl_writes_back),
		cmocka_unit_test(test_dftl_reads_a_mapping_page_once),
		cmocka_unit_test(test_hits_of_requests_and_of_pages),
		cmocka_unit_test(test_an_unlimited_cache_hits),
		cmocka_unit_test(test_a_collection_changes_mapping_pages),
		cmocka_unit_test(test_a_collection_takes_changes_out_of_the_buffer),
		cmocka_unit_test(test_an_entry_that_was_written_meanwhile_is_buffered_again),
		cmocka_unit_test(test_updates_wait_for_room),
		cmocka_unit_test(test_dftl_waits),
		cmocka_unit_test(test_sftl_waits),
		cmocka_unit_test(test_nothing_is_done_before_its_place_is_known),
		cmocka_unit_test(test_sftl_waits_for_a_write_back),
		cmocka_unit_test(test_sftl_pages_shrink),
		cmocka_unit_test(test_few_changes_wait_in_the_buffer),
		cmocka_unit_test(test_a_small_page_has_a_second_chance),
		cmocka_unit_test(test_a_larger_page_has_less_of_one),
		cmocka_unit_test(test_a_page_that_returns_has_a_second_chance),
		cmocka_unit_test(test_a_large_page_has_no_second_chance),
		cmocka_unit_test(test_the_form_of_a_page_changes),
		cmocka_unit_test(test_less_than_a_page_of_cache),
		cmocka_unit_test(test_runs_on_several_planes),
		cmocka_unit_test(test_two_bits_for_an_entry),
		cmocka_unit_test(test_the_example_of_the_paper),
		cmocka_unit_test(test_the_stack_agrees_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
