/*
 * Physical space: which page comes next, which free block is opened, what the reserve keeps back, when
 * blocks retire; placement: the striping orders against nested loops, turns, and the least loaded die
 * by hand; and the names of pages in slots.
 */
#include "gc/space/slots.h"
#include "tests/drive_fixture.h"

/* One plane of 8 blocks of 4 pages. */
#define ONE_PLANE PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 "

/* Streams as an FTL might declare them; that of wear levelling follows. */
enum { GC = STREAM_HOST + 1, MAP, WEAR };

static const struct stream streams[] = { { "host", .survivors = GC }, { "gc", .survivors = GC },
	{ "map", .survivors = MAP, .map = true }, { "wear", .survivors = GC, .worn = true }, { 0 } };

struct plot {
	struct bench *bench;
	struct blocks *blocks;
	struct space *space;
	struct io io; /* untimed */
};

static struct plot plot_open(const char *settings, enum free_order order, uint32_t reserve)
{
	struct plot f = { .bench = bench_open(settings) };

	f.blocks = blocks_create(f.bench->flash, order, NULL, &bad_none);
	f.space = space_create(f.blocks, NULL, streams, reserve);
	f.io = (struct io){ .flash = f.bench->flash };
	return f;
}

static void plot_close(struct plot *f)
{
	space_check(f->space);
	space_free(f->space);
	blocks_free(f->blocks);
	bench_close(f->bench);
}

/* Takes a page of plane 0 and programs it. */
static ppn_t write_page(struct plot *f, unsigned stream, bool privileged)
{
	ppn_t ppn = space_take(f->space, NULL, 0, stream, privileged);

	if (ppn != PPN_NONE)
		flash_program(&f->io, ppn, 1, 4, CAUSE_HOST, OP_NONE);
	return ppn;
}

/* Writes the rest of the open block of the stream, or a whole new one. */
static block_t write_block(struct plot *f, unsigned stream)
{
	ppn_t ppn;

	do
		ppn = write_page(f, stream, true);
	while (f->space->plane[0].open[stream].block != BLOCK_NONE);
	return geometry_block(&f->bench->geometry, ppn);
}

static void kill_and_erase(struct plot *f, block_t b)
{
	ppn_t first = geometry_first_page(&f->bench->geometry, b);

	for (uint32_t page = 0; page < f->bench->geometry.pages_per_block; page++)
		if (flash_owner(f->bench->flash, first + page) != OWNER_NONE)
			space_release(f->space, first + page);
	space_erase(f->space, &f->io, b, CAUSE_GC);
}

/* ---- pages and streams ---- */

/* Two streams in turn: each fills a block of its own from page 0 up. */
static void test_streams_fill_blocks_of_their_own(void **state)
{
	static const ppn_t expected[] = { 0, 4, 1, 5, 2, 6, 3, 7, 8, 12 };
	struct plot f = plot_open(ONE_PLANE, FREE_LEAST_WORN, 0);

	(void)state;
	space_keep_ages(f.space);
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		assert_int_equal(write_page(&f, i % 2 ? GC : STREAM_HOST, true), expected[i]);
		assert_int_equal(f.space->plane[0].free_pages, 32 - (i + 1));
		space_check(f.space);
	}
	assert_int_equal(f.space->block[0].state, BLOCK_CLOSED);
	assert_int_equal(f.space->stamp[0], 7); /* its last page was the seventh of the drive */
	assert_int_equal(f.space->block[2].state, BLOCK_OPEN);
	assert_int_equal(blocks_left(f.blocks, 0), 4);
	plot_close(&f);
}

/* Padding fills the open block only, is not handed out, and leaves no live page. */
static void test_the_rest_of_a_block_is_padded(void **state)
{
	struct plot f = plot_open(ONE_PLANE, FREE_LEAST_WORN, 0);

	(void)state;
	space_pad(f.space, &f.io, 0, STREAM_HOST, 4); /* no block is open */
	assert_int_equal(f.space->plane[0].free_pages, 32);
	write_page(&f, STREAM_HOST, false);
	space_pad(f.space, &f.io, 0, STREAM_HOST, 2);
	space_check(f.space);
	assert_int_equal(f.space->plane[0].free_pages, 29);
	assert_int_equal(f.space->handed_out, 1);
	assert_int_equal(f.space->block[0].valid, 1);
	assert_int_equal(f.space->block[0].state, BLOCK_OPEN);
	assert_int_equal(write_page(&f, STREAM_HOST, false), 3);
	write_page(&f, STREAM_HOST, false);
	space_pad(f.space, &f.io, 0, STREAM_HOST, 9);
	assert_int_equal(f.space->block[1].state, BLOCK_CLOSED);
	assert_int_equal(f.space->plane[0].free_pages, 24);
	assert_int_equal(write_page(&f, STREAM_HOST, false), 8);
	plot_close(&f);
}

/* Of 8 blocks the host may open 6, the collector all. */
static void test_the_reserve_is_the_collectors(void **state)
{
	struct plot f = plot_open(ONE_PLANE, FREE_LEAST_WORN, 2);

	(void)state;
	for (int i = 0; i < 6 * 4; i++)
		assert_true(write_page(&f, STREAM_HOST, false) != PPN_NONE);
	assert_false(space_has_page(f.space, 0, STREAM_HOST, false));
	assert_true(write_page(&f, STREAM_HOST, false) == PPN_NONE);
	assert_true(space_has_page(f.space, 0, GC, true));
	for (int i = 0; i < 2 * 4; i++)
		assert_true(write_page(&f, GC, true) != PPN_NONE);
	assert_false(space_has_page(f.space, 0, GC, true));
	assert_true(write_page(&f, GC, true) == PPN_NONE);
	assert_int_equal(f.space->plane[0].free_pages, 0);
	plot_close(&f);
}

/* A stream fills its open block although it may open no block of the reserve. */
static void test_an_open_block_is_filled(void **state)
{
	struct plot f = plot_open(ONE_PLANE, FREE_LEAST_WORN, 7);

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(write_page(&f, STREAM_HOST, false), i);
	assert_true(write_page(&f, STREAM_HOST, false) == PPN_NONE);
	plot_close(&f);
}

/* Of a full block of four pages the second and the third have died: the others are listed, also once they
 * die. */
static void test_the_live_pages_of_a_victim(void **state)
{
	struct plot f = plot_open(ONE_PLANE, FREE_LEAST_WORN, 0);
	block_t b = write_block(&f, STREAM_HOST);
	ppn_t first = geometry_first_page(&f.bench->geometry, b);

	(void)state;
	space_release(f.space, first + 1);
	space_release(f.space, first + 2);
	space_begin_victim(f.space, b);
	space_release(f.space, first);
	assert_int_equal(f.space->victim, b);
	assert_int_equal(f.space->victim_pages, 2);
	assert_int_equal(f.space->victim_page[0], first);
	assert_int_equal(f.space->victim_page[1], first + 3);
	space_end_victim(f.space);
	assert_int_equal(f.space->victim, BLOCK_NONE);
	assert_int_equal(f.space->victim_pages, 0);
	plot_close(&f);
}

/* ---- which free block is opened ---- */

/* Every block was written and erased once; blocks 3, 6 and 1 are free, in this order of becoming free. */
static struct plot three_free_blocks(enum free_order order)
{
	static const block_t freed[] = { 3, 6, 1 };
	struct plot f = plot_open(ONE_PLANE, order, 0);

	for (int i = 0; i < 8; i++)
		write_block(&f, STREAM_HOST);
	for (size_t i = 0; i < 3; i++)
		kill_and_erase(&f, freed[i]);
	return f;
}

static void test_the_block_free_for_longest_is_opened(void **state)
{
	struct plot f = three_free_blocks(FREE_OLDEST);

	(void)state;
	assert_int_equal(write_block(&f, STREAM_HOST), 3);
	assert_int_equal(write_block(&f, STREAM_HOST), 6);
	kill_and_erase(&f, 3);
	assert_int_equal(write_block(&f, STREAM_HOST), 1);
	assert_int_equal(write_block(&f, STREAM_HOST), 3);
	plot_close(&f);
}

/* Equally worn: the lowest number.  Block 1 is worn twice then, so 3 and 6 come before it. */
static void test_the_least_worn_free_block_is_opened(void **state)
{
	struct plot f = three_free_blocks(FREE_LEAST_WORN);

	(void)state;
	assert_int_equal(write_block(&f, STREAM_HOST), 1);
	kill_and_erase(&f, 1);
	assert_int_equal(write_block(&f, STREAM_HOST), 3);
	assert_int_equal(write_block(&f, STREAM_HOST), 6);
	assert_int_equal(write_block(&f, STREAM_HOST), 1);
	plot_close(&f);
}

/* Cold data of wear levelling goes to the most worn free block, here block 1 again. */
static void test_wear_levelling_opens_the_most_worn_block(void **state)
{
	struct plot f = three_free_blocks(FREE_LEAST_WORN);

	(void)state;
	assert_int_equal(write_block(&f, STREAM_HOST), 1);
	kill_and_erase(&f, 1);
	assert_int_equal(write_block(&f, WEAR), 1);
	plot_close(&f);
}

/* 20000 blocks written and erased at random: the one opened is the least worn by a scan of all. */
static void test_the_least_worn_block_against_a_scan(void **state)
{
	struct plot f = plot_open(ONE_PLANE "flash.blocks=37 ", FREE_LEAST_WORN, 0);
	const struct flash *flash = f.bench->flash;
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 1);
	for (int i = 0; i < 20000; i++) {
		block_t b = (block_t)random_below(&random, 37);
		uint32_t least = UINT32_MAX;

		if (f.space->block[b].state == BLOCK_CLOSED)
			kill_and_erase(&f, b);
		if (!blocks_left(f.blocks, 0) || random_below(&random, 2))
			continue;
		for (b = 0; b < 37; b++)
			if (f.space->block[b].state == BLOCK_FREE && flash->block[b].erases < least)
				least = flash->block[b].erases;
		b = write_block(&f, STREAM_HOST);
		if (flash->block[b].erases != least)
			fail_msg("SEED=%llu: block %u with %u erases was opened, there is one with %u",
				(unsigned long long)seed_of_run(), b, flash->block[b].erases, least);
	}
	plot_close(&f);
}

/* With an endurance of 2 the second erase ends a block: its pages are gone from the plane. */
static void test_worn_out_blocks_retire(void **state)
{
	struct plot f = plot_open(ONE_PLANE "flash.endurance=2 ", FREE_OLDEST, 0);

	(void)state;
	for (int life = 0; life < 2; life++)
		for (int i = 0; i < 8; i++)
			kill_and_erase(&f, write_block(&f, STREAM_HOST));
	assert_int_equal(f.blocks->retired, 8);
	assert_int_equal(f.blocks->plane[0].retired, 8);
	assert_int_equal(f.space->plane[0].free_pages, 0);
	assert_int_equal(f.blocks->plane[0].erases, 16);
	assert_true(write_page(&f, GC, true) == PPN_NONE);
	plot_close(&f);
}

/* ---- misuse ---- */

enum misuse { ERASE_OPEN, ERASE_WITH_LIVE_PAGES, DIES_TWICE, LOST_PAGE, LOST_BLOCK, MISUSES };

static void misuse(void *context)
{
	struct plot f = plot_open(ONE_PLANE, FREE_LEAST_WORN, 0);

	write_block(&f, STREAM_HOST);
	write_page(&f, STREAM_HOST, true);
	switch (*(enum misuse *)context) {
	case ERASE_OPEN:
		space_release(f.space, 4);
		space_erase(f.space, &f.io, 1, CAUSE_GC);
		break;
	case ERASE_WITH_LIVE_PAGES:
		space_release(f.space, 0);
		space_erase(f.space, &f.io, 0, CAUSE_GC);
		break;
	case DIES_TWICE:
		space_release(f.space, 2);
		space_release(f.space, 2);
		break;
	case LOST_PAGE:
		flash_disown(f.bench->flash, 2);
		break;
	default:
		f.blocks->plane[0].fresh--;
		f.blocks->plane[0].next++;
	}
	space_check(f.space);
}

static void test_misuse_is_caught(void **state)
{
	static const char *const says[MISUSES] = {
		[ERASE_OPEN] = "block 1 is erased in state 1 with 0 live pages",
		[ERASE_WITH_LIVE_PAGES] = "block 0 is erased in state 2 with 3 live pages",
		[DIES_TWICE] = "page 2 dies twice",
		[LOST_PAGE] = "block 0 has 3 live pages, 4 are counted",
		[LOST_BLOCK] = "plane 0 has 6 free and 0 retired blocks, 5 and 0 are listed",
	};

	(void)state;
	for (enum misuse m = 0; m < MISUSES; m++)
		assert_aborts(misuse, &m, says[m]);
}

/* ---- placement ---- */

#define SHAPE PAPER_DRIVE "flash.channels=2 flash.chips=3 flash.dies=2 flash.planes=4 "

static void placement_open(struct placement *p, const struct bench *b)
{
	struct fault fault = { "" };

	if (!placement_init(p, b->flash, &b->settings.ftl.placement, &fault))
		fail_msg("%s", fault.text);
}

/* The plane with these coordinates of SHAPE, as types.h numbers them. */
static plane_t plane_of(const uint32_t at[4])
{
	return ((at[0] * 3 + at[1]) * 2 + at[2]) * 4 + at[3];
}

/* All 24 orders: four nested loops, the first letter's is the innermost. */
static void test_every_striping_order_against_nested_loops(void **state)
{
	static const char letters[] = "CWDP";
	static const uint32_t sizes[4] = { 2, 3, 2, 4 };
	char text[400];

	(void)state;
	for (int i = 0; i < 256; i++) {
		uint32_t level[4] = { i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3 }, at[4], n[4];
		struct placement p;
		struct bench *b;
		lpn_t lpn = 0;

		if ((1u << level[0] | 1u << level[1] | 1u << level[2] | 1u << level[3]) != 15)
			continue;
		snprintf(text, sizeof text, SHAPE "placement.policy=static placement.order=%c%c%c%c",
			letters[level[0]], letters[level[1]], letters[level[2]], letters[level[3]]);
		b = bench_open(text);
		placement_open(&p, b);
		for (n[3] = 0; n[3] < sizes[level[3]]; n[3]++)
			for (n[2] = 0; n[2] < sizes[level[2]]; n[2]++)
				for (n[1] = 0; n[1] < sizes[level[1]]; n[1]++)
					for (n[0] = 0; n[0] < sizes[level[0]]; n[0]++, lpn++) {
						for (int k = 0; k < 4; k++)
							at[level[k]] = n[k];
						assert_int_equal(placement_choose(&p, lpn, 0), plane_of(at));
						assert_int_equal(
							placement_choose(&p, lpn + 48, 0), plane_of(at));
					}
		assert_int_equal(lpn, 48);
		placement_release(&p);
		bench_close(b);
	}
}

/* Planes are chosen in the striping order, each once before any is chosen again, whatever is written. */
static void test_round_robin_takes_every_plane_in_turn(void **state)
{
	struct bench *b = bench_open(SHAPE "placement.policy=round_robin placement.order=PWDC");
	struct placement p;
	plane_t last;

	(void)state;
	placement_open(&p, b);
	last = placement_choose(&p, 7, 0);
	for (int round = 0; round < 3; round++) {
		uint64_t seen = 0;

		for (int i = 0; i < 48; i++) {
			plane_t plane = placement_choose(&p, 7, 0);

			assert_int_equal(plane, placement_after(&p, last));
			seen |= (uint64_t)1 << plane;
			last = plane;
		}
		assert_true(seen == ((uint64_t)1 << 48) - 1);
	}
	placement_release(&p);
	bench_close(b);
}

/*
 * Four dies (0 and 1 on channel 0, 2 and 3 on channel 1); order CWDP visits 0, 2, 1, 3.  All idle: die 0,
 * then 2. With work on 1 and 3 the search from 1 goes on to 0; when all have work, 2 with the least.
 */
static void test_the_least_loaded_die(void **state)
{
	struct bench *b = bench_open(PAPER_DRIVE "placement.order=CWDP");
	struct placement p;

	(void)state;
	placement_open(&p, b);
	assert_int_equal(placement_choose(&p, 0, 0) / 2, 0);
	assert_int_equal(placement_choose(&p, 0, 0) / 2, 2);
	submit_program(b, page_at(b, 1, 0, 0, 0));
	submit_program(b, page_at(b, 3, 0, 0, 0));
	assert_int_equal(placement_choose(&p, 0, 0) / 2, 0);
	submit_erase(b, page_at(b, 0, 0, 0, 0));
	submit_read(b, old_page(b, 2, 0, 0, 0));
	assert_int_equal(placement_choose(&p, 0, 0) / 2, 2);
	assert_int_equal(placement_choose(&p, 0, 0) / 2, 2);
	schedule_drain(b->flash->schedule);
	assert_int_equal(placement_choose(&p, 0, 0) / 2, 1);
	placement_release(&p);
	bench_close(b);
}

/*
 * Two streams, each of which goes through the planes of a die by itself.  Dies stand in the order 0, 6, 2,
 * ...: the first stream goes from the least loaded die 0 (planes 0 to 3) to 2 (8 to 11) while the second is
 * on die 6 (24 to 27), or both from 6 to 2.
 */
static void test_superblocks(void **state)
{
	static const struct {
		const char *settings;
		plane_t plane[10];
	} cases[] = {
		{ SHAPE "placement.policy=superblock", { 0, 24, 1, 2, 25, 3, 8, 26, 27, 9 } },
		{ SHAPE "placement.policy=superblock placement.superblock=drive",
			{ 24, 24, 25, 26, 25, 27, 8, 26, 27, 9 } },
	};
	static const unsigned stream[10] = { 0, 1, 0, 0, 1, 0, 0, 1, 1, 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bench *b = bench_open(cases[i].settings);
		struct placement p;

		placement_open(&p, b);
		for (size_t page = 0; page < 10; page++)
			assert_int_equal(placement_choose(&p, 7, stream[page]), cases[i].plane[page]);
		placement_release(&p);
		bench_close(b);
	}
}

/* The planes of a die take turns. */
static void test_planes_of_the_least_loaded_die_take_turns(void **state)
{
	struct bench *b = bench_open(SHAPE "flash.channels=1 flash.chips=1 flash.dies=1");
	struct placement p;
	plane_t first;

	(void)state;
	placement_open(&p, b);
	first = placement_choose(&p, 0, 0);
	for (plane_t i = 1; i < 12; i++)
		assert_int_equal(placement_choose(&p, 0, 0), (first + i) % 4);
	placement_release(&p);
	bench_close(b);
}

/* Sixteen pages of four slots: named after their first sub-page, or after one of sixteen lists. */
static void test_names_of_pages_in_slots(void **state)
{
	static const uint32_t subs[2][4] = { { 5, 6, 7, 40 }, { 7, 4, 5, 6 } };
	const struct geometry g = { .pages = 16 };
	struct space space = { .geometry = &g };
	owner_t owner[2];
	struct slots s;

	(void)state;
	slots_init(&s, &space, 4, OWNER_NONE - 16);
	for (size_t i = 0; i < 2; i++) {
		owner[i] = slots_take_list(&s);
		memcpy(slots_list(&s, owner[i]), subs[i], sizeof subs[i]);
	}
	for (size_t i = 0; i < 2; i++)
		for (uint32_t slot = 0; slot < 4; slot++)
			assert_int_equal(slots_sub(&s, owner[i], slot), subs[i][slot]);
	assert_int_equal(slots_sub(&s, 12, 3), 15);
	for (uint32_t i = 2; i < 16; i++)
		assert_in_range(slots_take_list(&s), s.lists, OWNER_NONE - 1);
	slots_release(&s);
	memory_free(space.dead_slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams_fill_blocks_of_their_own),
		cmocka_unit_test(test_the_rest_of_a_block_is_padded),
		cmocka_unit_test(test_the_reserve_is_the_collectors),
		cmocka_unit_test(test_an_open_block_is_filled),
		cmocka_unit_test(test_the_live_pages_of_a_victim),
		cmocka_unit_test(test_the_block_free_for_longest_is_opened),
		cmocka_unit_test(test_the_least_worn_free_block_is_opened),
		cmocka_unit_test(test_wear_levelling_opens_the_most_worn_block),
		cmocka_unit_test(test_the_least_worn_block_against_a_scan),
		cmocka_unit_test(test_worn_out_blocks_retire),
		cmocka_unit_test(test_misuse_is_caught),
		cmocka_unit_test(test_every_striping_order_against_nested_loops),
		cmocka_unit_test(test_round_robin_takes_every_plane_in_turn),
		cmocka_unit_test(test_the_least_loaded_die),
		cmocka_unit_test(test_planes_of_the_least_loaded_die_take_turns),
		cmocka_unit_test(test_superblocks),
		cmocka_unit_test(test_names_of_pages_in_slots),
	};

	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
