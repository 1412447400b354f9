/*
 * The sector oracle: a child commits each kind of data error that an FTL or a buffer could make, and must
 * abort naming sector, page and versions; correct data flow passes.
 *
 * The drive: 64 sectors, 8 pages of 4 sectors.
 */
#include "ftl/page/page.h"
#include "tests/drive_fixture.h"

static struct extent sectors(sector_t start, sector_t end)
{
	return (struct extent){ start, end };
}

static struct oracle *new_oracle(void)
{
	return oracle_create(64, 64, 8, 4);
}

/* What the host does, through a layer that changes no address. */
static void host_writes(struct oracle *o, struct extent e)
{
	oracle_write(o, e);
	oracle_send(o, e.start, e);
}

static void host_trims(struct oracle *o, struct extent e)
{
	oracle_trim(o, e);
	oracle_unsend(o, e);
}

static void host_reads(struct oracle *o, struct extent e)
{
	oracle_expect(o, e);
	oracle_expect_at(o, e.start, e);
}

/* The host writes page-sized data at sectors 4..7 and page 2 holds it. */
static struct oracle *one_page_written(void)
{
	struct oracle *o = new_oracle();

	host_writes(o, sectors(4, 8));
	oracle_page_host(o, 2, sectors(4, 8));
	oracle_step(o);
	return o;
}

/* A second version in page 3; page 2 is stale. */
static struct oracle *rewritten(void)
{
	struct oracle *o = one_page_written();

	host_writes(o, sectors(4, 8));
	oracle_page_host(o, 3, sectors(4, 8));
	oracle_step(o);
	return o;
}

static void answer_from(struct oracle *o, ppn_t ppn, struct extent e)
{
	oracle_page_read(o, ppn);
	oracle_page_answer(o, ppn, e);
}

/* ---- lies ---- */

static void stale_page(void *context)
{
	struct oracle *o = rewritten();

	(void)context;
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

static void data_forgotten(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_reads(o, sectors(4, 8));
	oracle_answered(o);
}

static void half_of_the_data_forgotten(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 6));
	oracle_answered(o);
}

static void trimmed_data_answered(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_trims(o, sectors(5, 6));
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

static void answered_twice(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_page_answer(o, 2, sectors(7, 8));
}

static void answered_by_flash_and_buffer(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_dram_answer(o, HOLDER_BUFFER, sectors(4, 5));
}

static void answered_unasked(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_reads(o, sectors(4, 6));
	answer_from(o, 2, sectors(4, 8));
}

static void page_not_read(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_reads(o, sectors(4, 8));
	oracle_page_answer(o, 2, sectors(4, 8));
}

/* Data that an earlier request read is no longer available. */
static void page_read_by_another_request(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	oracle_page_read(o, 2);
	oracle_step(o);
	host_reads(o, sectors(4, 8));
	oracle_page_answer(o, 2, sectors(4, 8));
}

static void another_page_read(void *context)
{
	struct oracle *o = rewritten();

	(void)context;
	host_reads(o, sectors(4, 8));
	oracle_page_read(o, 3);
	oracle_page_answer(o, 2, sectors(4, 8));
}

static void page_does_not_hold_it(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(8, 9));
	host_reads(o, sectors(8, 9));
	answer_from(o, 2, sectors(8, 9));
}

static void erased_page_answered(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	oracle_page_read(o, 2);
	oracle_page_erased(o, 2, 1);
	host_reads(o, sectors(4, 8));
	oracle_page_answer(o, 2, sectors(4, 8));
}

/* Read-modify-write from a page that was not read. */
static void kept_without_reading(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(4, 5));
	oracle_page_host(o, 3, sectors(4, 5));
	oracle_page_kept(o, 3, 2, sectors(5, 8));
}

/* Read-modify-write that keeps the old data of what was just written: found when it is read. */
static void kept_the_overwritten(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(4, 5));
	oracle_page_read(o, 2);
	oracle_page_kept(o, 3, 2, sectors(4, 8));
	host_reads(o, sectors(4, 8));
	answer_from(o, 3, sectors(4, 8));
	oracle_answered(o);
}

/* The same the other way round: the page is given a sector twice. */
static void given_twice(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(4, 5));
	oracle_page_host(o, 3, sectors(4, 5));
	oracle_page_read(o, 2);
	oracle_page_kept(o, 3, 2, sectors(4, 8));
}

static void page_overfull(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	host_writes(o, sectors(0, 5));
	oracle_page_host(o, 1, sectors(0, 5));
}

static void never_written(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	oracle_page_host(o, 1, sectors(0, 1));
}

/* Rewritten sectors are in the buffer, and the read bypasses it. */
static void buffer_passed_by(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

/* The buffer drops dirty data that never reached flash. */
static void buffer_data_lost(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	oracle_dram_drop(o, HOLDER_BUFFER, sectors(4, 8));
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

static void buffer_answers_what_it_dropped(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	oracle_dram_drop(o, HOLDER_BUFFER, sectors(6, 7));
	host_reads(o, sectors(4, 8));
	oracle_dram_answer(o, HOLDER_BUFFER, sectors(4, 8));
}

/* A write that bypasses the buffer leaves an old version in it. */
static void buffer_is_stale(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	host_writes(o, sectors(5, 6));
	host_reads(o, sectors(4, 8));
	oracle_dram_answer(o, HOLDER_BUFFER, sectors(4, 8));
	oracle_answered(o);
}

/* The old version is flushed after a new one was written: found by the next read. */
static void old_version_flushed_late(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	host_writes(o, sectors(4, 8));
	oracle_page_host(o, 2, sectors(4, 8));
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

static void copied_to_the_wrong_place(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	oracle_page_read(o, 2);
	oracle_page_copied(o, 2, 5);
	host_reads(o, sectors(4, 8));
	answer_from(o, 4, sectors(4, 8));
}

/* The host layer looks for sectors where others were sent. */
static void mapped_to_the_wrong_place(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	host_writes(o, sectors(8, 12));
	oracle_expect(o, sectors(8, 12));
	oracle_expect_at(o, 8, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

/* The host layer answers with the version that it holds, although a newer one was written. */
static void host_layer_is_stale(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	oracle_write(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_HOST, sectors(4, 8));
	oracle_write(o, sectors(4, 8));
	oracle_expect(o, sectors(4, 8));
	oracle_dram_answer(o, HOLDER_HOST, sectors(4, 8));
	oracle_answered(o);
}

/* The FTL programs data from its DRAM although the host has written a newer version. */
static void ftl_programs_what_is_stale(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_FTL, sectors(4, 8));
	host_writes(o, sectors(4, 8));
	oracle_page_dram(o, 2, sectors(4, 8));
	host_reads(o, sectors(4, 8));
	answer_from(o, 2, sectors(4, 8));
	oracle_answered(o);
}

static void ftl_programs_what_it_does_not_hold(void *context)
{
	struct oracle *o = new_oracle();

	(void)context;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	oracle_page_dram(o, 2, sectors(4, 8));
}

/* Sectors 4 and 5 were read in this step, 6 in the one before. */
static void host_layer_keeps_what_it_has_not_read(void *context)
{
	struct oracle *o = one_page_written();

	(void)context;
	oracle_take(o, sectors(6, 7));
	oracle_step(o);
	oracle_take(o, sectors(4, 6));
	oracle_give(o, sectors(2, 6)); /* 2 and 3 hold no data */
	oracle_give(o, sectors(5, 7));
}

static void beyond_the_drive(void *context)
{
	(void)context;
	host_writes(new_oracle(), sectors(60, 65));
}

static void empty_extent(void *context)
{
	(void)context;
	host_reads(new_oracle(), sectors(4, 4));
}

static void test_every_lie_is_caught(void **state)
{
	static const struct {
		void (*lie)(void *);
		const char *says;
	} cases[] = {
		{ stale_page, "sector 4 was read as version 1, its newest is 2" },
		{ data_forgotten, "sector 4 was read as version 0, its newest is 1" },
		{ half_of_the_data_forgotten, "sector 6 was read as version 0, its newest is 1" },
		{ trimmed_data_answered, "sector 5 was read as version 1, its newest is 0" },
		{ answered_twice, "sector 7 was answered twice" },
		{ answered_by_flash_and_buffer, "sector 4 was answered twice" },
		{ answered_unasked, "sector 6 was answered but not asked for" },
		{ page_not_read, "sector 4 is taken from page 2, which was not read" },
		{ page_read_by_another_request, "sector 4 is taken from page 2, which was not read" },
		{ another_page_read, "sector 4 is taken from page 2, which was not read" },
		{ page_does_not_hold_it, "sector 8 is taken from page 2, which does not hold it" },
		{ erased_page_answered, "sector 4 is taken from page 2, which was not read" },
		{ kept_without_reading, "sector 5 is taken from page 2, which was not read" },
		{ kept_the_overwritten, "sector 4 was read as version 1, its newest is 2" },
		{ given_twice, "page 3 is given sector 4 twice" },
		{ page_overfull, "page 1 is given more than its 4 sectors (sector 4)" },
		{ never_written, "page 1 is given sector 0, which the host never wrote" },
		{ buffer_passed_by, "sector 4 was read as version 1, its newest is 2" },
		{ buffer_data_lost, "sector 4 was read as version 1, its newest is 2" },
		{ buffer_answers_what_it_dropped, "sector 6 was answered from DRAM, which does not hold it" },
		{ buffer_is_stale, "sector 5 was read as version 1, its newest is 2" },
		{ old_version_flushed_late, "sector 4 was read as version 1, its newest is 2" },
		{ copied_to_the_wrong_place, "sector 4 is taken from page 4, which does not hold it" },
		{ mapped_to_the_wrong_place, "sector 8 was read as version 1, its newest is 2" },
		{ host_layer_is_stale, "sector 4 was read as version 1, its newest is 2" },
		{ ftl_programs_what_is_stale, "sector 4 was read as version 1, its newest is 2" },
		{ ftl_programs_what_it_does_not_hold,
			"page 2 is given sector 4 from DRAM, which does not hold it" },
		{ host_layer_keeps_what_it_has_not_read,
			"the host layer writes sector 6 anew, which it has not read" },
		{ beyond_the_drive, "sectors 60 to 65 of a drive of 64" },
		{ empty_extent, "sectors 4 to 4 of a drive of 64" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_aborts(cases[i].lie, NULL, cases[i].says);
}

/* ---- honest data flow ---- */

/* Partial writes, read-modify-write, a copy, an erase, a trim, the buffer: nothing of it is a lie. */
static void test_honest_flow_passes(void **state)
{
	struct oracle *o = one_page_written();

	(void)state;
	host_writes(o, sectors(6, 9)); /* across two pages */
	oracle_page_read(o, 2);
	oracle_page_host(o, 3, sectors(6, 8));
	oracle_page_kept(o, 3, 2, sectors(4, 6));
	oracle_page_host(o, 4, sectors(8, 9));
	oracle_step(o);
	oracle_page_read(o, 3);
	oracle_page_copied(o, 3, 5);
	oracle_page_erased(o, 0, 4);
	oracle_step(o);
	host_reads(o, sectors(2, 10)); /* 2, 3 and 9 were never written */
	answer_from(o, 5, sectors(4, 8));
	answer_from(o, 4, sectors(8, 9));
	oracle_answered(o);
	host_writes(o, sectors(5, 6));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(5, 6));
	host_trims(o, sectors(7, 8));
	oracle_step(o);
	host_reads(o, sectors(4, 8));
	oracle_dram_answer(o, HOLDER_BUFFER, sectors(5, 6));
	answer_from(o, 5, sectors(4, 5));
	oracle_page_answer(o, 5, sectors(6, 7));
	oracle_answered(o);
	oracle_free(o);
}

/* The buffer flushes the version it took in, although the host has written a newer one meanwhile. */
static void test_a_flush_holds_what_the_buffer_held(void **state)
{
	struct oracle *o = new_oracle();

	(void)state;
	host_writes(o, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8));
	host_writes(o, sectors(4, 8)); /* being taken in: page 2 is flushed to make room */
	oracle_page_host(o, 2, sectors(4, 8));
	oracle_dram_drop(o, HOLDER_BUFFER, sectors(4, 8));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(4, 8)); /* now it holds the new version */
	host_reads(o, sectors(4, 8));
	oracle_dram_answer(o, HOLDER_BUFFER, sectors(4, 8));
	oracle_answered(o);
	oracle_free(o);
}

/*
 * Three places hold versions of the same sectors: the host layer the newest, the buffer the one before, the
 * FTL the oldest.  Each sends on the version that it holds, whatever is newer above it.  A read must
 * return that of the host layer, sent elsewhere.
 */
static void test_each_room_holds_its_own_version(void **state)
{
	struct oracle *o = new_oracle();

	(void)state;
	host_writes(o, sectors(0, 4));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(0, 4));
	oracle_dram_store(o, HOLDER_FTL, sectors(0, 4));
	host_writes(o, sectors(0, 4));
	oracle_dram_store(o, HOLDER_BUFFER, sectors(0, 4));
	oracle_write(o, sectors(0, 4));
	oracle_dram_store(o, HOLDER_HOST, sectors(0, 4));
	oracle_page_dram(o, 0, sectors(0, 4)); /* version 1 */
	oracle_page_host(o, 1, sectors(0, 4)); /* version 2 */
	oracle_dram_drop(o, HOLDER_BUFFER, sectors(0, 4));
	oracle_send(o, 0, sectors(8, 12)); /* version 3, elsewhere */
	oracle_page_host(o, 2, sectors(8, 12));
	oracle_dram_drop(o, HOLDER_HOST, sectors(0, 4));
	oracle_step(o);
	oracle_expect(o, sectors(0, 4));
	oracle_expect_at(o, 0, sectors(8, 12));
	answer_from(o, 2, sectors(8, 12));
	oracle_answered(o);
	oracle_free(o);
}

/* A read that the host layer cut in two and reversed; and "no data" is something a buffer can hold. */
static void test_host_sectors_at_other_places(void **state)
{
	struct oracle *o = new_oracle();

	(void)state;
	oracle_write(o, sectors(10, 14));
	oracle_send(o, 10, sectors(42, 44));
	oracle_send(o, 12, sectors(40, 42));
	oracle_page_host(o, 2, sectors(40, 44));
	oracle_step(o);
	oracle_dram_store(o, HOLDER_BUFFER, sectors(60, 61));
	oracle_expect(o, sectors(10, 15));
	oracle_expect_at(o, 10, sectors(42, 44));
	oracle_expect_at(o, 12, sectors(40, 42));
	oracle_expect_at(o, 14, sectors(60, 61));
	answer_from(o, 2, sectors(40, 44));
	oracle_dram_answer(o, HOLDER_BUFFER, sectors(60, 61));
	oracle_answered(o);
	oracle_free(o);
}

static void test_without_an_oracle_nothing_happens(void **state)
{
	(void)state;
	oracle_write(NULL, sectors(0, 1));
	oracle_trim(NULL, sectors(0, 1));
	oracle_expect(NULL, sectors(0, 1));
	oracle_answered(NULL);
	oracle_send(NULL, 0, sectors(0, 1));
	oracle_unsend(NULL, sectors(0, 1));
	oracle_expect_at(NULL, 0, sectors(0, 1));
	oracle_dram_store(NULL, HOLDER_FTL, sectors(0, 1));
	oracle_dram_answer(NULL, HOLDER_FTL, sectors(0, 1));
	oracle_dram_drop(NULL, HOLDER_FTL, sectors(0, 1));
	oracle_page_dram(NULL, 0, sectors(0, 1));
	oracle_page_host(NULL, 0, sectors(0, 1));
	oracle_page_kept(NULL, 0, 1, sectors(0, 1));
	oracle_page_answer(NULL, 0, sectors(0, 1));
	oracle_page_copied(NULL, 0, 1);
	oracle_page_erased(NULL, 0, 1);
	oracle_free(NULL);
}

/* ---- an FTL that lies is caught through the whole drive ---- */

enum crime { CRIME_POINTS_ELSEWHERE, CRIME_LOSES_A_MASK, CRIME_BUFFER_LOSES, CRIMES };

static void submit(struct drive *d, enum request_type type, sector_t start, uint32_t n)
{
	struct request r = { .start = start, .sectors = n, .type = type };

	r.arrival = schedule_now(d->flash->schedule);
	drive_submit(d, &r);
	drive_drain(d);
}

/* Any entry of a page table or buffer that changes on its own is found by the next read. */
static void commit(void *context)
{
	enum crime crime = *(enum crime *)context;
	struct fault fault = { "" };
	struct settings s;
	struct drive *d;

	fixture_settings(&s, crime == CRIME_BUFFER_LOSES ? PAPER_DRIVE "buffer=lru" : PAPER_DRIVE);
	d = drive_create(&s, true, &fault);
	submit(d, REQUEST_WRITE, 0, 8);
	submit(d, REQUEST_READ, 0, 8);
	if (crime == CRIME_BUFFER_LOSES) {
		struct buffer_node *node = buffer_node(d->buffer, buffer_find(d->buffer, 0));

		node->stored = node->dirty = 0xe;
	} else {
		struct page_map *map = page_map_of(d->ftl);
		struct page_entry entry = page_map_get(map, 0);

		if (crime == CRIME_POINTS_ELSEWHERE)
			entry.ppn = page_map_get(map, 1).ppn;
		else
			entry.mask = 0x7;
		page_map_set(map, 0, entry);
	}
	submit(d, REQUEST_READ, 0, 8);
}

static void test_a_lying_drive_is_caught(void **state)
{
	static const char *const says[CRIMES] = {
		[CRIME_POINTS_ELSEWHERE] = "which does not hold it",
		[CRIME_LOSES_A_MASK] = "sector 3 was read as version 0, its newest is 1",
		[CRIME_BUFFER_LOSES] = "sector 0 was read as version 0, its newest is 1",
	};

	(void)state;
	for (enum crime crime = 0; crime < CRIMES; crime++)
		assert_aborts(commit, &crime, says[crime]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_lie_is_caught),
		cmocka_unit_test(test_honest_flow_passes),
		cmocka_unit_test(test_a_flush_holds_what_the_buffer_held),
		cmocka_unit_test(test_each_room_holds_its_own_version),
		cmocka_unit_test(test_host_sectors_at_other_places),
		cmocka_unit_test(test_without_an_oracle_nothing_happens),
		cmocka_unit_test(test_a_lying_drive_is_caught),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
