/*
 * The medium: its geometry compared with counting by hand and by loops, and the laws of NAND, each broken on
 * purpose in a child that must abort naming block, page and cause.
 */
#include "base/random.h"
#include "flash/loads.h"
#include "flash/timers.h"
#include "tests/drive_fixture.h"

/* ---- geometry ---- */

static bool derive(struct geometry *g, const char *text, struct fault *fault)
{
	struct settings s;
	bool done;

	fixture_settings(&s, text);
	done = geometry_derive(g, &s.flash, fault);
	settings_release(&s);
	return done;
}

static void test_geometry_by_hand(void **state)
{
	struct fault fault = { "" };
	struct geometry g;

	(void)state;
	assert_true(derive(&g,
		"flash.channels=2 flash.chips=3 flash.dies=2 flash.planes=2 flash.blocks=10 "
		"flash.pages=12 flash.page_bytes=4096 flash.over_provisioning=0.25",
		&fault));
	assert_int_equal(g.dies_per_channel, 6);
	assert_int_equal(g.dies, 12);
	assert_int_equal(g.planes, 24);
	assert_int_equal(g.blocks, 240);
	assert_int_equal(g.pages_per_plane, 120);
	assert_int_equal(g.pages, 2880);
	assert_int_equal(g.sectors_per_page, 8);
	assert_int_equal(g.sector_shift, 3);
	assert_int_equal(g.full_page, 0xff);
	assert_int_equal(g.logical_pages, 2160);
	assert_int_equal(g.logical_sectors, 17280);
}

static void test_icpp23_drive_has_128_GiB(void **state)
{
	struct fault fault = { "" };
	struct geometry g;

	(void)state;
	assert_true(derive(&g, "flash.over_provisioning=0", &fault));
	assert_int_equal(g.blocks, 262144);
	assert_int_equal(g.logical_sectors * SECTOR_BYTES, (uint64_t)128 << 30);
}

static void test_every_page_size(void **state)
{
	static const struct {
		const char *setting;
		uint32_t sectors, shift;
		mask_t full;
	} cases[] = {
		{ "flash.page_bytes=2K", 4, 2, 0xf },
		{ "flash.page_bytes=4K", 8, 3, 0xff },
		{ "flash.page_bytes=8K", 16, 4, 0xffff },
		{ "flash.page_bytes=16K", 32, 5, 0xffffffff },
		{ "flash.page_bytes=32K", 64, 6, UINT64_MAX },
	};
	struct fault fault = { "" };
	struct geometry g;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(derive(&g, cases[i].setting, &fault));
		assert_int_equal(g.sectors_per_page, cases[i].sectors);
		assert_int_equal(g.sector_shift, cases[i].shift);
		assert_true(g.full_page == cases[i].full);
		assert_int_equal(geometry_lpn(&g, 3 * g.sectors_per_page - 1), 2);
		assert_int_equal(geometry_page_start(&g, 3), 3 * g.sectors_per_page);
	}
}

/* Numbers of pages, blocks, planes and dies as types.h defines them, against counting. */
static void test_numbers_run_from_channel_to_page(void **state)
{
	struct bench *b =
		bench_open("flash.channels=2 flash.chips=2 flash.dies=2 flash.planes=3 flash.blocks=5 "
			   "flash.pages=7 flash.over_provisioning=0.3");
	const struct geometry *g = &b->geometry;
	ppn_t ppn = 0;

	(void)state;
	for (die_t die = 0; die < 2 * 2 * 2; die++)
		for (uint32_t plane = 0; plane < 3; plane++)
			for (uint32_t block = 0; block < 5; block++)
				for (uint32_t page = 0; page < 7; page++, ppn++) {
					assert_int_equal(page_at(b, die, plane, block, page), ppn);
					assert_int_equal(
						geometry_block(g, ppn), (die * 3 + plane) * 5 + block);
					assert_int_equal(
						geometry_plane(g, geometry_block(g, ppn)), die * 3 + plane);
					assert_int_equal(
						geometry_first_page(g, geometry_block(g, ppn)), ppn - page);
				}
	assert_int_equal(ppn, g->pages);
	bench_close(b);
}

/* 4294967294 pages can be numbered, one more cannot. */
static void test_most_pages(void **state)
{
	struct fault fault = { "" };
	struct geometry g;

	(void)state;
	assert_true(derive(&g,
		"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=3999 "
		"flash.pages=537005",
		&fault));
	assert_int_equal(g.pages, 4294965990u);
	assert_false(derive(&g,
		"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=65536 "
		"flash.pages=65536",
		&fault));
	assert_non_null(strstr(fault.text, "4294967296 pages"));
	assert_false(derive(&g,
		"flash.channels=1024 flash.chips=1024 flash.dies=64 flash.planes=64 flash.blocks=16M "
		"flash.pages=1M",
		&fault));
}

static void test_page_size_must_be_a_power_of_two(void **state)
{
	struct fault fault = { "" };
	struct geometry g;

	(void)state;
	assert_false(derive(&g, "flash.page_bytes=3000", &fault));
	assert_non_null(strstr(fault.text, "flash.page_bytes = 3000"));
}

static void test_some_logical_page_must_remain(void **state)
{
	struct fault fault = { "" };
	struct geometry g;

	(void)state;
	assert_false(derive(&g,
		"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=4 flash.pages=2 "
		"flash.over_provisioning=0.9",
		&fault));
	assert_non_null(strstr(fault.text, "flash.over_provisioning"));
}

/* 0.1 of 1000 pages are 100, although neither 0.1 nor 1 - 0.1 is exact in binary. */
static void test_over_provisioning_is_exact_where_it_should_be(void **state)
{
	struct fault fault = { "" };
	struct geometry g;
	char text[200];

	(void)state;
	for (int percent = 0; percent < 100; percent++) {
		snprintf(text, sizeof text,
			"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=10 "
			"flash.pages=100 flash.over_provisioning=%.2f",
			percent / 100.0);
		if (!derive(&g, text, &fault))
			fail_msg("%s", fault.text);
		assert_int_equal(g.logical_pages, 1000 - 10 * percent);
	}
}

/* The bits of a page that an extent covers, sector by sector. */
static void test_extent_mask_against_counting(void **state)
{
	(void)state;
	for (uint32_t shift = 2; shift <= 6; shift++) {
		uint32_t sectors = 1u << shift;

		for (sector_t start = sectors - 1; start < 3 * sectors; start++)
			for (sector_t end = start + 1; end <= 4 * sectors; end++)
				for (lpn_t lpn = (lpn_t)(start >> shift); lpn <= (end - 1) >> shift; lpn++) {
					mask_t expected = 0;

					for (uint32_t i = 0; i < sectors; i++)
						if (lpn * sectors + i >= start && lpn * sectors + i < end)
							expected |= (mask_t)1 << i;
					assert_true(extent_mask((struct extent){ start, end }, lpn, shift) ==
						    expected);
				}
	}
}

/* ---- laws, each broken on purpose ---- */

/* The child's medium: block 5 holds pages 0 and 1, of which page 0 is dead; nothing else was programmed. */
static struct bench *half_full_block(struct io *io)
{
	struct bench *b = bench_open(PAPER_DRIVE);

	*io = (struct io){ .flash = b->flash };
	flash_program(io, 20, 7, 4, CAUSE_HOST, OP_NONE);
	flash_program(io, 21, 8, 4, CAUSE_HOST, OP_NONE);
	flash_disown(b->flash, 20);
	return b;
}

enum law {
	PROGRAM_TWICE,
	PROGRAM_OUT_OF_ORDER,
	PROGRAM_BEYOND,
	PROGRAM_FOR_NOBODY,
	READ_FREE,
	READ_BEYOND,
	READ_ERASED,
	COPY_DEAD,
	COPY_FREE,
	COPY_OUT_OF_ORDER,
	ERASE_LIVE,
	ERASE_BEYOND,
	BOOKS_LOSE_A_PAGE,
	BOOKS_LOSE_AN_ERASE,
	LAWS
};

static void break_books(struct bench *b, enum law law)
{
	if (law == BOOKS_LOSE_A_PAGE)
		b->flash->count[OP_PROGRAM][CAUSE_HOST]++;
	else
		b->flash->block[3].erases++;
	flash_check_books(b->flash);
}

static void break_law(void *context)
{
	enum law law = *(enum law *)context;
	struct io io;
	struct bench *b = half_full_block(&io);

	switch (law) {
	case PROGRAM_TWICE:
		flash_program(&io, 20, 9, 4, CAUSE_HOST, OP_NONE);
		break;
	case PROGRAM_OUT_OF_ORDER:
		flash_program(&io, 23, 9, 4, CAUSE_MERGE, OP_NONE);
		break;
	case PROGRAM_BEYOND:
		flash_program(&io, b->geometry.pages, 9, 4, CAUSE_HOST, OP_NONE);
		break;
	case PROGRAM_FOR_NOBODY:
		flash_program(&io, 22, OWNER_NONE, 4, CAUSE_MAP, OP_NONE);
		break;
	case READ_FREE:
		flash_read(&io, 22, 4, CAUSE_RMW, OP_NONE);
		break;
	case READ_BEYOND:
		flash_read(&io, b->geometry.pages + 5, 4, CAUSE_HOST, OP_NONE);
		break;
	case READ_ERASED:
		flash_disown(b->flash, 21);
		flash_erase(&io, 5, CAUSE_GC);
		flash_read(&io, 21, 4, CAUSE_HOST, OP_NONE);
		break;
	case COPY_DEAD:
		flash_copy(&io, 20, 24, CAUSE_GC, OP_NONE);
		break;
	case COPY_FREE:
		flash_copy(&io, 22, 24, CAUSE_GC, OP_NONE);
		break;
	case COPY_OUT_OF_ORDER:
		flash_copy(&io, 21, 25, CAUSE_WEAR, OP_NONE);
		break;
	case ERASE_LIVE:
		flash_erase(&io, 5, CAUSE_GC);
		break;
	case ERASE_BEYOND:
		flash_erase(&io, b->geometry.blocks, CAUSE_GC);
		break;
	default:
		break_books(b, law);
	}
}

static void test_each_law(void **state)
{
	static const char *const says[LAWS] = {
		[PROGRAM_TWICE] = "host programs page 0 of block 5 twice without an erase",
		[PROGRAM_OUT_OF_ORDER] = "merge programs page 3 of block 5 out of order, the next one is 2",
		[PROGRAM_BEYOND] = "host programs page 256 of 256",
		[PROGRAM_FOR_NOBODY] = "map programs page 2 of block 5 for nobody",
		[READ_FREE] = "rmw reads the free page 2 of block 5 (2 pages programmed)",
		[READ_BEYOND] = "host reads page 261 of 256",
		[READ_ERASED] = "host reads the free page 1 of block 5 (0 pages programmed)",
		[COPY_DEAD] = "gc copies the dead page 20",
		[COPY_FREE] = "gc reads the free page 2 of block 5",
		[COPY_OUT_OF_ORDER] = "wear programs page 1 of block 6 out of order, the next one is 0",
		[ERASE_LIVE] = "gc erases block 5, whose page 1 belongs to 8",
		[ERASE_BEYOND] = "gc erases block 64 of 64",
		[BOOKS_LOSE_A_PAGE] = "3 programs and 0 pages before are not 2 pages now and 0 erased",
		[BOOKS_LOSE_AN_ERASE] = "the blocks count 1 erases, the medium 0",
	};

	(void)state;
	for (enum law law = 0; law < LAWS; law++)
		assert_aborts(break_law, &law, says[law]);
}

/* In ascending order, pages may be passed over: they are used up, hold nothing, and are not counted as
 * programmed. */
static void test_pages_may_be_passed_over(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.order=ascending");
	struct io io = { .flash = b->flash };

	(void)state;
	flash_program(&io, 21, 7, 4, CAUSE_HOST, OP_NONE);
	flash_program(&io, 23, 8, 4, CAUSE_HOST, OP_NONE);
	assert_int_equal(flash_next_page(b->flash, 5), 4);
	assert_int_equal(b->flash->pages_used, 2);
	assert_int_equal(flash_owner(b->flash, 20), OWNER_NONE);
	flash_check_books(b->flash);
	flash_disown(b->flash, 21);
	flash_disown(b->flash, 23);
	flash_erase(&io, 5, CAUSE_GC);
	assert_int_equal(flash_next_page(b->flash, 5), 0);
	assert_int_equal(b->flash->pages_erased, 2);
	flash_program(&io, 20, 9, 4, CAUSE_HOST, OP_NONE);
	flash_program(&io, 22, 9, 4, CAUSE_HOST, OP_NONE);
	flash_read(&io, 20, 4, CAUSE_HOST, OP_NONE);
	flash_check_books(b->flash);
	bench_close(b);
}

static void break_ascending_law(void *context)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.order=ascending");
	struct io io = { .flash = b->flash };

	flash_program(&io, 21, 7, 4, CAUSE_HOST, OP_NONE);
	if (*(bool *)context)
		flash_read(&io, 20, 4, CAUSE_RMW, OP_NONE);
	else
		flash_program(&io, 20, 7, 4, CAUSE_HOST, OP_NONE);
}

static void test_pages_passed_over_are_lost(void **state)
{
	bool reads = false;

	(void)state;
	assert_aborts(break_ascending_law, &reads, "host programs page 0 of block 5, which was passed over");
	reads = true;
	assert_aborts(break_ascending_law, &reads, "rmw reads page 0 of block 5, which was passed over");
}

/* The same operations in a lawful order pass: the laws forbid no more than they should. */
static void test_lawful_life_of_a_block(void **state)
{
	struct io io;
	struct bench *b = half_full_block(&io);

	(void)state;
	flash_program(&io, 22, 9, 4, CAUSE_HOST, OP_NONE);
	flash_read(&io, 20, 4, CAUSE_HOST, OP_NONE);
	flash_copy(&io, 21, 24, CAUSE_GC, OP_NONE);
	flash_copy(&io, 22, 25, CAUSE_GC, OP_NONE);
	flash_erase(&io, 5, CAUSE_GC);
	flash_program(&io, 20, 10, 4, CAUSE_HOST, OP_NONE);
	assert_int_equal(flash_owner(b->flash, 24), 8);
	assert_int_equal(flash_owner(b->flash, 25), 9);
	assert_int_equal(flash_owner(b->flash, 20), 10);
	assert_int_equal(b->flash->block[5].erases, 1);
	assert_int_equal(b->flash->pages_used, 3);
	flash_check_books(b->flash);
	bench_close(b);
}

/* ---- counting ---- */

static void test_each_operation_is_counted_once_under_its_cause(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct flash *f = b->flash;

	(void)state;
	bench_begin(b);
	flash_program(&b->io, 0, 1, 4, CAUSE_HOST, OP_NONE);
	flash_program(&b->io, 1, 2, 4, CAUSE_MAP, OP_NONE);
	bench_submit(b);
	schedule_drain(f->schedule);
	bench_begin(b);
	flash_read(&b->io, 0, 3, CAUSE_RMW, OP_NONE);
	flash_copy(&b->io, 0, 4, CAUSE_GC, OP_NONE);
	flash_copy(&b->io, 1, page_at(b, 3, 0, 0, 0), CAUSE_WEAR, OP_NONE);
	flash_erase(&b->io, 0, CAUSE_GC);
	bench_submit(b);
	schedule_drain(f->schedule);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_HOST], 1);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_MAP], 1);
	assert_int_equal(f->count[OP_READ][CAUSE_RMW], 1);
	assert_int_equal(f->count[OP_COPY][CAUSE_GC], 1);
	assert_int_equal(f->count[OP_READ][CAUSE_GC], 1);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_GC], 1);
	assert_int_equal(f->count[OP_COPY][CAUSE_WEAR], 0);
	assert_int_equal(f->count[OP_READ][CAUSE_WEAR], 1);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_WEAR], 1);
	assert_int_equal(f->count[OP_ERASE][CAUSE_GC], 1);
	assert_int_equal(flash_total(f, OP_READ), 3);
	assert_int_equal(flash_total(f, OP_PROGRAM), 4);
	assert_int_equal(flash_total(f, OP_COPY), 1);
	assert_int_equal(flash_total(f, OP_ERASE), 1);
	assert_int_equal(f->transferred_sectors, 4 + 4 + 3 + 4 + 4);
	assert_int_equal(f->pages_used, 2);
	flash_check_books(f);
	bench_close(b);
}

/* Page 0 belongs to a request, page 1 is a pad of the same request, page 2 a pad of no request: one after
 * another, each takes 4,100 ns on the bus and 100,000 in the cells. */
static void test_pads_belong_to_nobody(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct accounts *a = accounts_create(b->geometry.dies);
	struct schedule *s = b->flash->schedule;
	uint32_t ticket;
	tick_t when;
	struct io io;

	(void)state;
	flash_observe(b->flash, accounts_observer(a));
	bench_begin(b);
	flash_program(&b->io, 0, 1, 4, CAUSE_HOST, OP_NONE);
	flash_pad(&b->io, 1);
	bench_submit(b);
	schedule_begin_for_nobody(s, &io);
	flash_pad(&io, 2);
	schedule_submit(s, &io, 0);
	assert_true(schedule_run_to_completion(s, TICK_NEVER));
	assert_true(schedule_completed(s, &ticket, &when));
	assert_int_equal(ticket, b->io.ticket);
	assert_int_equal(when, 104100);
	schedule_check(s);
	schedule_drain(s);
	assert_false(schedule_completed(s, &ticket, &when));
	assert_int_equal(schedule_now(s), 3 * 104100);
	assert_int_equal(b->flash->count[OP_PROGRAM][CAUSE_PAD], 2);
	assert_int_equal(b->flash->transferred_sectors, 3 * 4);
	assert_int_equal(flash_owner(b->flash, 1), OWNER_NONE);
	assert_int_equal(flash_next_page(b->flash, 0), 3);
	flash_check_books(b->flash);
	flash_disown(b->flash, 0);
	submit_erase(b, 0);
	schedule_drain(s);
	bench_close(b);
	accounts_free(a);
}

static void test_statistics_start_forgets_and_books_still_balance(void **state)
{
	struct stat_list list = { .room = 0 };
	struct bench *b = bench_open(PAPER_DRIVE);
	struct flash *f = b->flash;

	(void)state;
	old_page(b, 0, 0, 0, 0);
	flash_disown(f, 0);
	submit_erase(b, 0);
	submit_program(b, 0);
	submit_read(b, 0);
	schedule_drain(f->schedule);
	assert_int_equal(flash_forwarded(f), 1);
	flash_statistics(f, &list);
	stat_list_start(&list);
	stat_list_release(&list);
	flash_check_books(f);
	for (int kind = 0; kind < OP_KINDS; kind++)
		assert_int_equal(flash_total(f, (enum op_kind)kind), 0);
	assert_int_equal(flash_forwarded(f), 0);
	assert_int_equal(f->transferred_sectors, 0);
	assert_int_equal(schedule_busy(f->schedule).die_ns, 0);
	assert_int_equal(f->block[0].erases, 1);
	submit_program(b, 1);
	schedule_drain(f->schedule);
	flash_check_books(f);
	assert_int_equal(flash_total(f, OP_PROGRAM), 1);
	bench_close(b);
}

static void test_untimed_operations_are_not_counted(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE);
	struct io io = { .flash = b->flash };

	(void)state;
	flash_program(&io, 0, 1, 4, CAUSE_HOST, OP_NONE);
	flash_read(&io, 0, 4, CAUSE_HOST, OP_NONE);
	flash_copy(&io, 0, 4, CAUSE_GC, OP_NONE);
	flash_erase(&io, 0, CAUSE_GC);
	for (int kind = 0; kind < OP_KINDS; kind++)
		assert_int_equal(flash_total(b->flash, (enum op_kind)kind), 0);
	assert_int_equal(b->flash->pages_used, 1);
	schedule_drain(b->flash->schedule);
	assert_int_equal(schedule_now(b->flash->schedule), 0);
	flash_check_books(b->flash);
	bench_close(b);
}

static void test_endurance(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "flash.endurance=3");
	struct io io = { .flash = b->flash };

	(void)state;
	for (int erases = 1; erases <= 3; erases++) {
		assert_false(flash_worn_out(b->flash, 2));
		flash_erase(&io, 2, CAUSE_GC);
	}
	assert_true(flash_worn_out(b->flash, 2));
	assert_false(flash_worn_out(b->flash, 3));
	bench_close(b);
}

static void test_causes_have_the_names_of_the_statistics(void **state)
{
	(void)state;
	for (int cause = 0; cause < CAUSES; cause++)
		assert_non_null(cause_name((enum cause)cause));
	assert_string_equal(cause_name(CAUSE_HOST), "host");
	assert_string_equal(cause_name(CAUSE_GC_MAP), "gc_map");
	assert_string_equal(cause_name(CAUSE_GC_UPDATE), "gc_update");
	assert_false(cause_is_background(CAUSE_HOST) || cause_is_background(CAUSE_RMW) ||
		     cause_is_background(CAUSE_PAD));
	assert_true(cause_is_background(CAUSE_GC) && cause_is_background(CAUSE_WEAR));
}

/* Near multiples of the divisor, and near both ends of the range of 32 bits. */
static void test_divisors_against_division(void **state)
{
	struct random random;

	(void)state;
	random_init(&random, 1, 1);
	for (int i = 0; i < 200000; i++) {
		uint32_t number = i < 1000 ? (uint32_t)i + 1 : UINT32_MAX >> random_below(&random, 32);
		uint32_t n;

		number = i % 3 ? number : (uint32_t)random_below(&random, number) + 1;
		n = (uint32_t)random_below(&random, UINT32_MAX / number) * number;
		for (uint32_t by = 0; by < 4; by++) {
			const uint32_t at[] = { n - by, n + by, by, UINT32_MAX - by };

			for (int k = 0; k < 4; k++)
				assert_int_equal(divide(at[k], divisor_of(number)), at[k] / number);
		}
	}
}

static uint32_t least_of(const uint64_t *ns, uint32_t dies, uint32_t from)
{
	uint32_t least = from;

	for (uint32_t i = 1; i < dies; i++)
		if (ns[(from + i) % dies] < ns[least])
			least = (from + i) % dies;
	return least;
}

/* Few different loads, so that many are equal; none of them 0 for half of the time. */
static void check_loads(uint32_t dies)
{
	struct loads l = loads_create(dies);
	uint64_t ns[130] = { 0 };
	struct random random;

	random_init(&random, dies, 1);
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t die = (uint32_t)random_below(&random, dies),
			 from = (uint32_t)random_below(&random, dies);
		uint64_t now = random_below(&random, 3) + (i / 2000 % 2);

		loads_change(&l, die, now - ns[die]);
		ns[die] = now;
		assert_true(loads_get(&l, die) == now);
		if (random_below(&random, 3) == 0)
			assert_int_equal(loads_least(&l, from), least_of(ns, dies, from));
	}
	loads_free(&l);
}

static void test_loads(void **state)
{
	static const uint32_t dies[] = { 1, 2, 3, 63, 64, 65, 130 };

	(void)state;
	for (size_t i = 0; i < sizeof dies / sizeof *dies; i++)
		check_loads(dies[i]);
}

/* The earliest of all alarms, the lowest unit of several. */
static uint32_t first_of(const tick_t *due, uint32_t units)
{
	uint32_t first = 0;

	for (uint32_t u = 1; u < units; u++)
		if (due[u] < due[first])
			first = u;
	return first;
}

/* Alarms lie up to 2^33 ns ahead of a clock that goes on to the year 2500 and also stands still, so that with
 * many units the epoch moves, both with alarms set and without. */
static void check_timers(uint32_t units, uint32_t shown)
{
	tick_t due[8], now = 0;
	struct random random;
	struct timers t;

	random_init(&random, units, 1);
	timers_init(&t, units);
	for (uint32_t u = 0; u < shown; u++)
		due[u] = TICK_NEVER;
	for (int i = 0; i < 200000; i++) {
		uint32_t u = (uint32_t)random_below(&random, shown), first;

		if (random_below(&random, 2)) {
			due[u] = now + random_below(&random, i / 64 % 2 ? 4 : (uint64_t)1 << 33);
			timers_set(&t, u, due[u]);
		} else {
			due[u] = TICK_NEVER;
			timers_unset(&t, u);
		}
		first = first_of(due, shown);
		assert_true(timers_next(&t) == due[first]);
		if (due[first] == TICK_NEVER) {
			now += random_below(&random, 4096) ? 1 : random_below(&random, (uint64_t)1 << 54);
			continue;
		}
		assert_int_equal(timers_first(&t), first);
		assert_true(timers_due(&t, first) == due[first]);
		if (random_below(&random, 2))
			now = due[first];
	}
	timers_release(&t);
}

static void test_timers_against_a_search(void **state)
{
	(void)state;
	check_timers(1, 1);
	check_timers(3, 3);
	check_timers(1024, 8);
	check_timers(1 << 20, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divisors_against_division),
		cmocka_unit_test(test_timers_against_a_search),
		cmocka_unit_test(test_geometry_by_hand),
		cmocka_unit_test(test_icpp23_drive_has_128_GiB),
		cmocka_unit_test(test_every_page_size),
		cmocka_unit_test(test_numbers_run_from_channel_to_page),
		cmocka_unit_test(test_most_pages),
		cmocka_unit_test(test_page_size_must_be_a_power_of_two),
		cmocka_unit_test(test_some_logical_page_must_remain),
		cmocka_unit_test(test_over_provisioning_is_exact_where_it_should_be),
		cmocka_unit_test(test_extent_mask_against_counting),
		cmocka_unit_test(test_each_law),
		cmocka_unit_test(test_pages_may_be_passed_over),
		cmocka_unit_test(test_pages_passed_over_are_lost),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_lawful_life_of_a_block),
		cmocka_unit_test(test_each_operation_is_counted_once_under_its_cause),
		cmocka_unit_test(test_pads_belong_to_nobody),
		cmocka_unit_test(test_statistics_start_forgets_and_books_still_balance),
		cmocka_unit_test(test_untimed_operations_are_not_counted),
		cmocka_unit_test(test_endurance),
		cmocka_unit_test(test_causes_have_the_names_of_the_statistics),
	};

	return cmocka_run_group_tests_name("flash", tests, NULL, NULL);
}
