/*
 * MRSM: small cases worked by hand (packing, partly covered sub-pages, splitting and merging of extents,
 * trims, dense collection, paging of the tree), the tree against a plain model, equality with the page-mapped
 * FTL where sub-pages are pages, saving and loading, and random requests under the sector oracle with small
 * mapping caches and constant collection.
 *
 * 	SEED=n    another random run
 * 	SEEDS=n   so many runs of each random case (default 1)
 * 	TEST=text only random cases whose settings contain the text
 */
#include "tests/rig_fixture.h"

#include "drive/prepare/image.h"
#include "ftl/mrsm/mrsm.h"
#include "gc/collect.h"
#include "tests/inside.h"

/* More than 3 million random requests; sanitized ones are several times slower. */
#ifdef __SANITIZE_ADDRESS__
#define REQUESTS     60000u
#define TREE_CHANGES 60000u
#else
#define REQUESTS     260000u
#define TREE_CHANGES 300000u
#endif
#define CHECK_EVERY 2048u

#define QUARTERS "mrsm.subpage_sectors=4 "

/* ---- a drive, and what requests cost ---- */

/* The settings need not name the FTL. */
static struct rig *rig_open_ftl(const char *ftl, const char *settings)
{
	char text[1200];

	snprintf(text, sizeof text, "%.1000s ftl=%s", settings, ftl);
	return rig_with(text);
}

static struct rig *rig_open(const char *more)
{
	char text[1024];

	snprintf(text, sizeof text, ONE_PLANE "%s", more);
	return rig_open_ftl("mrsm", text);
}

static struct mrsm *mrsm_of(const struct rig *rig)
{
	return rig->drive->ftl->state;
}

static const struct mrsm_statistics *counts(const struct rig *rig)
{
	return &mrsm_of(rig)->statistics;
}

static const struct pack_statistics *packed(const struct rig *rig)
{
	return &mrsm_of(rig)->pack.statistics;
}

struct cost {
	unsigned reads, rmw, programs, map_reads, map_programs;
	uint64_t accesses;
	tick_t latency;
};

static struct cost serve(struct rig *rig, enum request_type type, sector_t start, sector_t end)
{
	uint64_t accesses = rig->drive->ftl->map.accesses;
	tick_t latency = rig_serve(rig, type, start, end);

	return (struct cost){ rig_cost(rig, OP_READ, CAUSE_HOST), rig_cost(rig, OP_READ, CAUSE_RMW),
		rig_cost(rig, OP_PROGRAM, CAUSE_HOST), rig_cost(rig, OP_READ, CAUSE_MAP),
		rig_cost(rig, OP_PROGRAM, CAUSE_MAP), rig->drive->ftl->map.accesses - accesses, latency };
}

static struct cost write_sectors(struct rig *rig, sector_t start, sector_t end)
{
	return serve(rig, REQUEST_WRITE, start, end);
}

static struct cost read_sectors(struct rig *rig, sector_t start, sector_t end)
{
	return serve(rig, REQUEST_READ, start, end);
}

static struct cost trim_sectors(struct rig *rig, sector_t start, sector_t end)
{
	return serve(rig, REQUEST_TRIM, start, end);
}

#define assert_written(request, wanted_rmw, wanted_programs)                                                 \
	do {                                                                                                 \
		struct cost is = (request);                                                                  \
                                                                                                             \
		assert_int_equal(is.rmw, wanted_rmw);                                                        \
		assert_int_equal(is.programs, wanted_programs);                                              \
	} while (0)

/* The extents of the drive as "sub+length@slot", ascending. */
static const char *extents(const struct rig *rig, char *text, size_t room)
{
	const struct mrsm *m = mrsm_of(rig);
	struct mrsm_piece p;
	size_t length = 0;

	text[0] = 0;
	for (sub_t at = 0; mrsm_tree_next(&m->tree, &at, m->tree.subs, &p);)
		length += (size_t)snprintf(text + length, room - length, "%s%u+%u@%u", length ? " " : "",
			p.sub, p.length, p.slot);
	return text;
}

#define assert_extents(rig, wanted)                                                                          \
	do {                                                                                                 \
		char text[2048];                                                                             \
                                                                                                             \
		assert_string_equal(extents(rig, text, sizeof text), wanted);                                \
	} while (0)

/* ---- packing ---- */

/* A page's worth of data fills one page, whatever its alignment: there are no across-page requests. */
static void test_any_page_of_sectors_fills_one_page(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	write_sectors(rig, 0, 128);
	for (sector_t start = 40; start < 80; start++) {
		assert_written(write_sectors(rig, start, start + 16), 0, 1);
		assert_int_equal(read_sectors(rig, start, start + 16).latency, 10000 + 16000);
	}
	assert_int_equal(counts(rig)->wasted_slots, 0);
	assert_int_equal(counts(rig)->rmw_reads, 0);
	rig_close(rig);
}

/* 40 sectors from sector 7 on: 2.5 pages, where the page-mapped FTL needs 3 (and with 50 sectors 4 for 4). */
static void test_long_writes_take_as_many_pages_as_their_data(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	assert_written(write_sectors(rig, 7, 47), 0, 3);
	assert_int_equal(counts(rig)->wasted_slots, 8);
	assert_extents(rig, "7+16@0 23+16@0 39+8@0");
	assert_int_equal(read_sectors(rig, 7, 47).reads, 3);
	assert_int_equal(read_sectors(rig, 0, 64).reads, 3);
	assert_int_equal(read_sectors(rig, 22, 24).reads, 2);
	assert_int_equal(read_sectors(rig, 47, 64).reads, 0);
	rig_close(rig);
}

/* ---- partly covered sub-pages, of 4 sectors here ---- */

static void test_partly_covered_sub_pages_are_completed(void **state)
{
	struct rig *rig = rig_open(QUARTERS);
	struct cost cost;

	(void)state;
	assert_written(write_sectors(rig, 2, 6), 0, 1);
	assert_extents(rig, "0+2@0");
	/* sectors 4 and 5 are old and stay; 0 .. 3 are new or were never written */
	cost = write_sectors(rig, 0, 4);
	assert_written(cost, 0, 1);
	assert_extents(rig, "0+1@0 1+1@1");
	/* sub-page 0 keeps sectors 0 and 1 of one page, sub-page 1 sector 5 of another */
	cost = write_sectors(rig, 2, 5);
	assert_written(cost, 2, 1);
	assert_extents(rig, "0+2@0");
	/* 2 and 1 sectors kept of the same page: read once; 6 sectors are programmed */
	cost = write_sectors(rig, 2, 5);
	assert_written(cost, 1, 1);
	assert_int_equal(cost.latency, 10000 + 3000 + 6000 + 100000);
	assert_int_equal(counts(rig)->rmw_reads, 3);
	assert_int_equal(read_sectors(rig, 0, 16).reads, 1);
	rig_close(rig);
}

/* Whole sub-pages are overwritten without a read; with sub-pages of a sector everything is. */
static void test_whole_sub_pages_are_overwritten_directly(void **state)
{
	struct rig *quarters = rig_open(QUARTERS), *sectors = rig_open("");

	(void)state;
	write_sectors(quarters, 0, 16);
	assert_written(write_sectors(quarters, 4, 12), 0, 1);
	assert_written(write_sectors(quarters, 4, 13), 1, 1);
	write_sectors(sectors, 0, 16);
	assert_written(write_sectors(sectors, 3, 10), 0, 1);
	rig_close(quarters);
	rig_close(sectors);
}

/* ---- extents ---- */

static void test_extents_split_and_merge(void **state)
{
	struct rig *rig = rig_open(QUARTERS);

	(void)state;
	write_sectors(rig, 0, 16);
	assert_extents(rig, "0+4@0");
	write_sectors(rig, 4, 8);
	assert_extents(rig, "0+1@0 1+1@0 2+2@2");
	assert_int_equal(counts(rig)->splits, 1);
	assert_int_equal(read_sectors(rig, 0, 16).reads, 2);
	/* takes the end of one extent and the beginning of another: both are cut, none is replaced */
	write_sectors(rig, 16, 32);
	write_sectors(rig, 12, 20);
	assert_extents(rig, "0+1@0 1+1@0 2+1@2 3+2@0 5+3@1");
	assert_int_equal(counts(rig)->splits, 3);
	assert_int_equal(counts(rig)->merges, 0);
	write_sectors(rig, 0, 32);
	assert_extents(rig, "0+4@0 4+4@0");
	/* the first page replaces three and cuts a fourth, the second replaces what is left of it and a
	 * fifth */
	assert_int_equal(counts(rig)->splits, 3 + 1);
	assert_int_equal(counts(rig)->merges, 2 + 1);
	rig_close(rig);
}

static void test_trim(void **state)
{
	struct rig *rig = rig_open(QUARTERS);
	const struct flash *flash = rig->drive->flash;
	ppn_t page;
	struct mrsm_piece p;
	sub_t at = 0;

	(void)state;
	write_sectors(rig, 0, 16);
	assert_true(mrsm_tree_next(&mrsm_of(rig)->tree, &at, 4, &p));
	page = p.ppn;
	/* sub-pages 1 and 2 are covered in part and stay with what they keep */
	trim_sectors(rig, 6, 9);
	assert_extents(rig, "0+4@0");
	assert_int_equal(mrsm_written(mrsm_of(rig), 1, 1), 3);
	assert_int_equal(mrsm_written(mrsm_of(rig), 2, 1), 14);
	/* what is left of sub-page 1 goes, 0 stays */
	trim_sectors(rig, 4, 8);
	assert_extents(rig, "0+1@0 2+2@2");
	assert_int_equal(slots_live(&mrsm_of(rig)->slots, page), 13);
	assert_int_equal(read_sectors(rig, 4, 8).reads, 0);
	trim_sectors(rig, 0, 4);
	assert_int_equal(flash_owner(flash, page), 0);
	trim_sectors(rig, 0, 100);
	assert_extents(rig, "");
	assert_int_equal(flash_owner(flash, page), OWNER_NONE);
	assert_int_equal(mrsm_of(rig)->directory->existing, 0);
	rig_close(rig);
}

/* ---- collection ---- */

/* Collects that block, as the collector would if it were the best. */
static void reclaim(struct rig *rig, block_t victim)
{
	struct drive *d = rig->drive;
	struct collector *c = d->ftl->store->collector;
	struct space *space = d->ftl->store->space;
	uint64_t handed_out = space->handed_out;
	struct io io;

	schedule_begin(d->flash->schedule, &io);
	io.flash = d->flash;
	c->collecting = true;
	space_begin_victim(space, victim);
	mrsm_empty(d->ftl, &io, victim, MRSM_GC, CAUSE_GC);
	space_erase(space, &io, victim, CAUSE_GC);
	space_end_victim(space);
	c->collecting = false;
	c->count.collections++;
	c->count.moved_pages += space->handed_out - handed_out;
	schedule_submit(d->flash->schedule, &io, 0);
	drive_drain(d);
	ftl_check(d->ftl);
}

static uint64_t gc_programs(const struct rig *rig)
{
	return rig->drive->flash->count[OP_PROGRAM][CAUSE_GC];
}

/* Eight pages of which half is valid become four, whose sub-pages are not consecutive: they have lists. */
static void test_half_live_pages_are_packed(void **state)
{
	struct rig *rig = rig_open(QUARTERS);
	struct mrsm *m = mrsm_of(rig);
	struct pool *names = &m->slots.list;

	(void)state;
	for (sector_t page = 0; page < 8; page++)
		write_sectors(rig, 16 * page, 16 * page + 16);
	for (sector_t page = 0; page < 8; page++)
		write_sectors(rig, 16 * page, 16 * page + 8);
	assert_int_equal(space_dead_slots(rig->drive->ftl->store->space, 0), 16);
	assert_int_equal(space_live(rig->drive->ftl->store->space, 0), 4);
	reclaim(rig, 0);
	assert_int_equal(gc_programs(rig), 4);
	assert_int_equal(rig->drive->flash->count[OP_READ][CAUSE_GC], 8);
	assert_int_equal(packed(rig)->packed_pages, 4);
	assert_int_equal(packed(rig)->slots_moved, 16);
	assert_int_equal(packed(rig)->copied_pages, 0);
	assert_int_equal(m->tree.nodes, 16);
	assert_int_equal(names->used, 4);
	assert_int_equal(read_sectors(rig, 8, 32).reads, 2);
	/* overwritten, the four pages die and their names can be used again */
	write_sectors(rig, 0, 128);
	assert_int_equal(m->tree.nodes, 8);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_not_equal(names->free, INDEX_NONE);
		names->free = *(uint32_t *)pool_at(names, names->free);
	}
	assert_int_equal(names->free, INDEX_NONE);
	names->used = 0;
	rig_close(rig);
}

/* Eight halves of pages, written in turn from two ends, come together: page-sized extents again. */
static void test_collection_makes_neighbours_one_extent(void **state)
{
	struct rig *rig = rig_open(QUARTERS);

	(void)state;
	for (sector_t page = 0; page < 4; page++)
		write_sectors(rig, 16 * page, 16 * page + 8);
	for (sector_t page = 4; page-- > 0;)
		write_sectors(rig, 16 * page + 8, 16 * page + 16);
	assert_int_equal(mrsm_of(rig)->tree.nodes, 8);
	assert_int_equal(space_live(rig->drive->ftl->store->space, 0), 4);
	reclaim(rig, 0);
	assert_int_equal(gc_programs(rig), 4);
	assert_extents(rig, "0+4@0 4+4@0 8+4@0 12+4@0");
	assert_int_equal(mrsm_of(rig)->slots.list.used, 0);
	assert_int_equal(counts(rig)->merges, 4);
	assert_int_equal(read_sectors(rig, 0, 64).reads, 4);
	rig_close(rig);
}

/* Pages without a dead slot move whole, with the extents they have; eight quarters fill two pages. */
static void test_full_pages_move_as_they_are(void **state)
{
	struct rig *rig = rig_open(QUARTERS);

	(void)state;
	for (sector_t page = 0; page < 8; page++)
		write_sectors(rig, 16 * page + 8, 16 * page + 24);
	trim_sectors(rig, 8, 12);
	trim_sectors(rig, 24, 28);
	assert_int_equal(space_live(rig->drive->ftl->store->space, 0), 8);
	trim_sectors(rig, 40, 48);
	assert_int_equal(space_live(rig->drive->ftl->store->space, 0), 7);
	reclaim(rig, 0);
	assert_int_equal(packed(rig)->copied_pages, 5);
	assert_int_equal(packed(rig)->packed_pages, 2);
	assert_int_equal(packed(rig)->slots_moved, 8);
	assert_int_equal(read_sectors(rig, 0, 16 * 9).reads, 7);
	rig_close(rig);
}

/* A victim with one dead slot frees no page: its last page is filled with a slot of another block that has
 * dead ones. */
static void test_the_last_page_is_topped_up(void **state)
{
	struct rig *rig = rig_open(QUARTERS);
	const struct space *space = rig->drive->ftl->store->space;

	(void)state;
	for (sector_t page = 0; page < 16; page++)
		write_sectors(rig, 16 * page, 16 * page + 16);
	trim_sectors(rig, 0, 4);
	trim_sectors(rig, 16 * 8, 16 * 8 + 4);
	assert_int_equal(space_dead_slots(space, 0), 1);
	assert_int_equal(space_dead_slots(space, 1), 1);
	reclaim(rig, 0);
	assert_int_equal(packed(rig)->copied_pages, 7);
	assert_int_equal(packed(rig)->packed_pages, 1);
	assert_int_equal(packed(rig)->slots_moved, 4);
	assert_int_equal(space_dead_slots(space, 1), 2);
	rig_close(rig);
}

/* Pages in the host's own order move whole, too: each changes an entry in flash. */
static void test_whole_pages_move_with_their_entries(void **state)
{
	struct rig *rig = rig_open(QUARTERS "mrsm.cached_share=1e-12");
	block_t victim;

	(void)state;
	for (sector_t page = 0; page < 8; page++)
		write_sectors(rig, 16 * page, 16 * page + 16);
	victim = geometry_block(rig->drive->ftl->geometry, mrsm_tree_whole(&mrsm_of(rig)->tree, 0));
	assert_int_equal(space_live(rig->drive->ftl->store->space, victim), 8);
	reclaim(rig, victim);
	assert_int_equal(packed(rig)->copied_pages, 8);
	assert_int_equal(mrsm_of(rig)->directory->statistics.gc_updates, 8);
	assert_int_equal(read_sectors(rig, 0, 16 * 8).reads, 8);
	rig_close(rig);
}

/* ---- the tree's pages: 2 KB, for 256 logical pages of 4 sectors or 128 extents each ---- */

#define TWO_REGIONS                                                                                          \
	"flash.page_bytes=2K flash.blocks=100 mrsm.cache_model=lru map.gc_update=lazy "                      \
	"map.blocking=true map.cache_bytes=2K "

static void test_one_mapping_page_fits(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS);
	const tick_t map_write = 4000 + 100000, map_read = 10000 + 4000;
	struct cost cost;

	(void)state;
	assert_int_equal(mrsm_of(rig)->tree.regions, 2);
	cost = write_sectors(rig, 0, 4);
	assert_int_equal(cost.map_reads + cost.map_programs, 0);
	cost = write_sectors(rig, 1024, 1028); /* evicts the other region's page */
	assert_int_equal(cost.map_reads, 0);
	assert_int_equal(cost.map_programs, 1);
	cost = read_sectors(rig, 0, 4); /* and is evicted, being dirty */
	assert_int_equal(cost.map_reads, 1);
	assert_int_equal(cost.map_programs, 1);
	assert_int_equal(cost.latency, map_write + map_read + 10000 + 4000);
	cost = read_sectors(rig, 1024, 1028); /* clean pages are dropped */
	assert_int_equal(cost.map_reads, 1);
	assert_int_equal(cost.map_programs, 0);
	assert_int_equal(cost.latency, map_read + 10000 + 4000);
	assert_int_equal(read_sectors(rig, 1030, 1031).map_reads, 0);
	rig_close(rig);
}

/* Data lies on both channels, mapping pages on either: every read waits for its mapping page. */
static void test_reads_wait_for_their_mapping_page(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS "flash.channels=2 flash.blocks=50");

	(void)state;
	for (sector_t page = 0; page < 8; page++) {
		write_sectors(rig, 4 * page, 4 * page + 4);
		write_sectors(rig, 1024 + 4 * page, 1024 + 4 * page + 4);
	}
	read_sectors(rig, 0, 4);
	for (sector_t page = 0; page < 8; page++)
		for (sector_t region = 1024;; region = 0) {
			struct cost cost = read_sectors(rig, region + 4 * page, region + 4 * page + 4);

			assert_int_equal(cost.map_reads, 1);
			assert_int_equal(cost.map_programs, 0);
			assert_int_equal(cost.latency, 2 * (10000 + 4000));
			if (!region)
				break;
		}
	rig_close(rig);
}

/* The two mapping pages of a region divide its logical pages between them. */
static void test_mapping_pages_share_a_region(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS);

	(void)state;
	for (sector_t s = 0; s < 258; s += 2)
		write_sectors(rig, s, s + 1);
	assert_int_equal(mrsm_of(rig)->map_pages[0], 2);
	read_sectors(rig, 0, 1);
	assert_int_equal(read_sectors(rig, 4 * 127, 4 * 128).map_reads, 0);
	assert_int_equal(read_sectors(rig, 4 * 128, 4 * 129).map_reads, 1);
	assert_int_equal(read_sectors(rig, 4 * 255, 4 * 256).map_reads, 0);
	assert_int_equal(read_sectors(rig, 4 * 127, 4 * 128).map_reads, 1);
	rig_close(rig);
}

/* 129 extents do not fit in a mapping page; a region of whole pages fits in one, an empty one needs none. */
static void test_regions_grow_and_shrink(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS "map.cache_bytes=64K");
	const struct mrsm *m = mrsm_of(rig);

	(void)state;
	for (sector_t s = 0; s < 256; s += 2)
		write_sectors(rig, s, s + 1);
	assert_int_equal(m->tree.region[0].nodes, 128);
	assert_int_equal(m->map_pages[0], 1);
	write_sectors(rig, 256, 257);
	assert_int_equal(m->map_pages[0], 2);
	assert_int_equal(m->directory->existing, 2);
	write_sectors(rig, 0, 1024);
	assert_int_equal(m->tree.region[0].nodes, 256);
	assert_int_equal(m->tree.region[0].fine, 0);
	assert_int_equal(m->map_pages[0], 1);
	write_sectors(rig, 1, 2);
	assert_int_equal(m->map_pages[0], (258 * 16 + 2047) / 2048);
	trim_sectors(rig, 0, 1024);
	assert_int_equal(m->map_pages[0], 0);
	assert_int_equal(m->directory->existing, 0);
	rig_close(rig);
}

/* No extent crosses the border of two regions, though one page holds both. */
static void test_extents_end_at_regions(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS "map.cache_bytes=64K");

	(void)state;
	assert_written(write_sectors(rig, 1022, 1026), 0, 1);
	assert_extents(rig, "1022+2@0 1024+2@2");
	assert_int_equal(read_sectors(rig, 1022, 1026).reads, 1);
	rig_close(rig);
}

/* Hits are drawn at random: here every look-up misses, or none does.  Each logical page is looked up by
 * itself. */
static void test_static_model(void **state)
{
	struct rig *never = rig_open("mrsm.cached_share=1e-12"), *always = rig_open("mrsm.cached_share=1");
	struct cost cost;

	(void)state;
	cost = write_sectors(never, 0, 16);
	assert_int_equal(cost.map_reads, 0); /* there is no copy yet */
	assert_int_equal(cost.map_programs, 1);
	cost = read_sectors(never, 0, 16);
	assert_int_equal(cost.map_reads, 1);
	assert_int_equal(cost.map_programs, 0);
	assert_int_equal(cost.latency, 2 * (10000 + 16000));
	cost = write_sectors(never, 8, 24); /* the second page's miss finds the first's program under way */
	assert_int_equal(cost.map_reads, 1);
	assert_int_equal(cost.map_programs, 2);
	assert_int_equal(never->drive->ftl->map.lookups, 1 + 1 + 2);
	assert_int_equal(never->drive->ftl->map.unwritten, 1);
	assert_int_equal(never->drive->ftl->map.misses, 1 + 2);
	write_sectors(always, 0, 40);
	cost = read_sectors(always, 0, 16);
	assert_int_equal(cost.map_reads + always->drive->ftl->map.misses, 0);
	rig_close(never);
	rig_close(always);
}

/* Half of the only extent is trimmed: an extent for 16 sub-pages becomes one for 8, and the table twice as
 * large. */
static void test_the_chance_follows_the_tree(void **state)
{
	struct rig *rig = rig_open("map.cache_bytes=64");
	const struct mrsm *m = mrsm_of(rig);

	(void)state;
	write_sectors(rig, 0, 16);
	read_sectors(rig, 0, 16);
	assert_true(m->chance == 64.0 / m->tree.subs);
	trim_sectors(rig, 8, 16);
	read_sectors(rig, 0, 16);
	assert_int_equal(m->tree.nodes, 1);
	assert_true(m->chance == 32.0 / m->tree.subs);
	rig_close(rig);
}

/* Of 20000 look-ups; within five standard deviations. */
static void test_chance_of_a_hit(void **state)
{
	const double p = 0.421, n = 20000;
	struct rig *rig = rig_open("mrsm.cached_share=0.421");
	const struct flash *flash = rig->drive->flash;
	const struct map_statistics *map = &rig->drive->ftl->map;
	double hits;

	(void)state;
	assert_true(drive_place(rig->drive, (struct extent){ 0, 1600 }));
	for (int i = 0; i < 200; i++)
		read_sectors(rig, 0, 1600);
	hits = (double)map->hits;
	if (map->lookups != n || hits * hits + p * p * n * n > 2 * hits * p * n + 25 * p * (1 - p) * n)
		fail_msg("SEED=%llu: %.0f hits of %llu, %.0f expected", (unsigned long long)seed_of_run(),
			hits, (unsigned long long)map->lookups, p * n);
	assert_int_equal(flash->count[OP_READ][CAUSE_MAP] + flash->forwarded[CAUSE_MAP], map->misses);
	rig_close(rig);
}

/*
 * The same operation costs the same in both cache models: a write that misses its mapping page and causes a
 * write-back, of the evicted page (a real cache) or of the page that it changes (the static model).  Data,
 * mapping page read and mapping page written are on dies of their own.
 */
static void test_who_waits_for_write_backs(void **state)
{
	static const char *const models[] = { "mrsm.cache_model=lru", "mrsm.cached_share=1e-12" };
	const tick_t load = 10000 + 4000, write_back = 4000 + 100000, write = 1000 + 100000;

	(void)state;
	for (int blocking = 0; blocking < 2; blocking++)
		for (int i = 0; i < 2; i++) {
			char text[512];
			struct rig *rig;
			struct cost cost;

			snprintf(text, sizeof text,
				"flash.page_bytes=2K flash.channels=8 flash.blocks=20 map.cache_bytes=2K "
				"map.blocking=%s %s",
				blocking ? "true" : "false", models[i]);
			rig = rig_open(text);
			write_sectors(rig, 0, 4);
			write_sectors(rig, 1024, 1028);
			cost = write_sectors(rig, 0, 1);
			assert_int_equal(cost.map_reads, 1);
			assert_int_equal(cost.map_programs, 1);
			assert_int_equal(cost.latency, (blocking ? write_back : 0) + load + write);
			rig_close(rig);
		}
}

/* Loads the mapping page, then reads the rest of the sub-page if that is written in part, then writes it,
 * each on a die of its own. */
static void write_after_a_load(sector_t end, uint32_t rmw, tick_t latency)
{
	struct rig *rig = rig_open("flash.page_bytes=2K flash.channels=8 flash.blocks=20 map.cache_bytes=2K "
				   "mrsm.cache_model=lru mrsm.subpage_sectors=4");
	struct cost cost;

	write_sectors(rig, 0, 4);
	write_sectors(rig, 1024, 1028);
	cost = write_sectors(rig, 0, end);
	assert_int_equal(cost.map_reads, 1);
	assert_int_equal(cost.rmw, rmw);
	assert_int_equal(cost.latency, latency);
	rig_close(rig);
}

static void test_a_write_waits_for_its_mapping_page(void **state)
{
	(void)state;
	write_after_a_load(1, 1, (10000 + 4000) + (10000 + 3000) + (4000 + 100000));
	write_after_a_load(4, 0, (10000 + 4000) + (4000 + 100000));
}

/* ---- what the tree costs in DRAM: a descent visits a node per level; nothing but nodes is counted ---- */

static void test_accesses_to_dram(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	/* one node: searched and inserted at depth 1, written */
	assert_int_equal(write_sectors(rig, 0, 16).accesses, 2 * 1 + 1);
	for (sector_t page = 1; page < 7; page++)
		write_sectors(rig, 16 * page, 16 * page + 16);
	/* seven nodes: three levels */
	assert_int_equal(read_sectors(rig, 0, 16).accesses, 3 + 1);
	assert_int_equal(read_sectors(rig, 8, 24).accesses, 2 * 3 + 2);
	assert_int_equal(read_sectors(rig, 160, 176).accesses, 3);
	assert_int_equal(write_sectors(rig, 0, 16).accesses, 3 + 1);
	/* two searches; two extents are cut, a third is inserted between them: now four levels */
	assert_int_equal(write_sectors(rig, 8, 24).accesses, (2 + 1) * 4 + 3);
	/* the first page cuts one extent in two and rewrites one; the second removes one, which leaves
	 * seven */
	assert_int_equal(write_sectors(rig, 0, 32).accesses, (4 + 2) + (2 * 3 + 2));
	rig_close(rig);
}

/* A logical page is searched for once in a request, however many flash pages its data goes to. */
static void test_accesses_of_requests_over_several_pages(void **state)
{
	struct rig *rig = rig_open(""), *quarters = rig_open(QUARTERS);

	(void)state;
	/* Three extents: of pages 0 and 1, of 1 and 2, of 2.  One node: two searches, an insertion at depth
	 * 1.  Two nodes: page 2's search, an insertion at depth 2.  Three nodes: an insertion at depth 2. */
	assert_int_equal(write_sectors(rig, 7, 47).accesses, (3 * 1 + 1) + (2 * 2 + 1) + (1 * 2 + 1));
	/* Old sectors are kept from the extent that the one search finds: it is cut, a second one
	 * inserted. */
	write_sectors(quarters, 0, 16);
	assert_int_equal(write_sectors(quarters, 2, 5).accesses, 2 * 2 + 2);
	/* A trim that changes no extent still searches for one. */
	assert_int_equal(trim_sectors(quarters, 6, 7).accesses, 1 * 2);
	rig_close(rig);
	rig_close(quarters);
}

/* An extent over the border of two regions is two. */
static void test_accesses_at_a_region_border(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS "map.cache_bytes=64K");

	(void)state;
	/* two searches and two insertions at depth 2; then both are replaced */
	assert_int_equal(write_sectors(rig, 1022, 1026).accesses, 4 * 2 + 2);
	assert_int_equal(write_sectors(rig, 1022, 1026).accesses, 2 * 2 + 2);
	assert_int_equal(counts(rig)->merges, 0);
	rig_close(rig);
}

static void test_nothing_is_counted_outside_time(void **state)
{
	struct rig *rig = rig_open(TWO_REGIONS);
	struct mrsm_statistics none = { 0 };

	(void)state;
	for (sector_t s = 0; s < 1600; s += 10) {
		assert_true(drive_place(rig->drive, (struct extent){ s + 2, s + 5 }));
		assert_true(drive_place(rig->drive, (struct extent){ s, s + 10 }));
		drive_discard(rig->drive, (struct extent){ s, s + 3 });
	}
	stat_list_start(&rig->drive->statistics);
	none.extents_max = mrsm_of(rig)->tree.nodes; /* a peak starts at the current value */
	assert_memory_equal(counts(rig), &none, sizeof none);
	assert_int_equal(rig->drive->ftl->map.lookups + rig->drive->ftl->map.accesses, 0);
	rig_close(rig);
}

/* ---- the tree against a plain model: one record per sub-page ---- */

#define MODEL_PAGES  256u
#define MODEL_REGION 64u
#define MODEL_PPNS   100003u

struct model_sub {
	ppn_t ppn;
	uint32_t slot;
	bool mapped, begins; /* a piece begins here */
};

struct model {
	struct mrsm_tree tree;
	struct random random;
	uint32_t subs_per_page, subs;
	struct model_sub *sub;
};

static struct mrsm_piece model_next(const struct model *m, sub_t at, sub_t end)
{
	struct mrsm_piece p = { end, 0, 0, 0 };

	while (at < end && !m->sub[at].mapped)
		at++;
	if (at == end)
		return p;
	p = (struct mrsm_piece){ at, 1, m->sub[at].ppn, m->sub[at].slot };
	while (at + p.length < end && m->sub[at + p.length].mapped && !m->sub[at + p.length].begins)
		p.length++;
	return p;
}

static void assert_same_piece(struct mrsm_piece a, struct mrsm_piece b)
{
	assert_int_equal(a.sub, b.sub);
	assert_int_equal(a.length, b.length);
	assert_int_equal(a.ppn, b.ppn);
	assert_int_equal(a.slot, b.slot);
}

static void model_walk(const struct model *m, sub_t from, sub_t end)
{
	struct mrsm_piece p, wanted;
	sub_t at = from;

	while (mrsm_tree_next(&m->tree, &at, end, &p)) {
		wanted = model_next(m, from, end);
		assert_same_piece(p, wanted);
		from = p.sub + p.length;
		assert_int_equal(at, from);
	}
	assert_int_equal(model_next(m, from, end).length, 0);
}

/* Takes what is mapped there; the parts that stay outside the range are counted from the model. */
static void model_take(struct model *m, sub_t from, sub_t end)
{
	struct mrsm_piece p, wanted;
	sub_t at = from;
	int left;

	while ((left = mrsm_tree_take(&m->tree, &at, end, &p)) >= 0) {
		int before, behind;

		wanted = model_next(m, from, end);
		assert_same_piece(p, wanted);
		from = p.sub + p.length;
		before = !m->sub[p.sub].begins;
		behind = from < m->subs && m->sub[from].mapped && !m->sub[from].begins;
		assert_int_equal(left, before + behind);
		if (behind)
			m->sub[from].begins = true;
		for (sub_t s = p.sub; s < from; s++)
			m->sub[s] = (struct model_sub){ 0 };
	}
	assert_int_equal(model_next(m, from, end).length, 0);
}

static void model_put(struct model *m, sub_t from, uint32_t length)
{
	uint32_t room = m->subs_per_page - length;
	struct mrsm_piece p = { from, length, (ppn_t)random_below(&m->random, MODEL_PPNS),
		(uint32_t)random_below(&m->random, room + 1) };

	model_take(m, from, from + length);
	mrsm_tree_put(&m->tree, p);
	for (uint32_t i = 0; i < length; i++)
		m->sub[from + i] = (struct model_sub){ p.ppn, p.slot + i, true,
			!i || (from + i) % (MODEL_REGION * m->subs_per_page) == 0 };
}

static void model_move(struct model *m, sub_t from)
{
	ppn_t to = (ppn_t)random_below(&m->random, MODEL_PPNS);
	struct mrsm_piece p;

	while (from < m->subs && !m->sub[from].begins)
		from++;
	if (from == m->subs)
		return;
	p = mrsm_tree_move(&m->tree, from, to);
	assert_int_equal(p.ppn, to);
	do
		m->sub[from++].ppn = to;
	while (from < m->subs && m->sub[from].mapped && !m->sub[from].begins);
	assert_int_equal(p.sub + p.length, from);
}

static void model_count(const struct model *m)
{
	uint32_t nodes = 0, mapped = 0;

	for (sub_t s = 0; s < m->subs; s++) {
		nodes += m->sub[s].begins;
		mapped += m->sub[s].mapped;
	}
	assert_int_equal(m->tree.nodes, nodes);
	assert_int_equal(m->tree.mapped, mapped);
	mrsm_tree_check(&m->tree);
	model_walk(m, 0, m->subs);
}

static void model_change(struct model *m)
{
	uint32_t length = 1 + (uint32_t)random_below(&m->random, m->subs_per_page);
	sub_t from = (sub_t)random_below(&m->random, m->subs - length + 1);
	uint64_t what = random_below(&m->random, 100);
	sub_t end = from + (sub_t)random_below(&m->random, 100 * m->subs_per_page);

	if (end > m->subs)
		end = m->subs;
	if (what < 70) {
		model_put(m, from, length);
	} else if (what < 80) {
		model_take(m, from, from + length);
	} else if (what < 81) {
		model_take(m, from, end);
	} else if (what < 90) {
		model_move(m, from);
	} else {
		model_walk(m, from, from + length);
	}
}

static void test_tree_like_a_plain_model(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 4, 16, 64 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct model m = { .subs_per_page = sizes[i], .subs = MODEL_PAGES * sizes[i] };

		m.sub = memory_array(m.subs, sizeof *m.sub, "model");
		random_init(&m.random, seed_of_run(), 9);
		mrsm_tree_init(&m.tree, MODEL_PAGES, MODEL_PPNS, m.subs_per_page, MODEL_REGION);
		for (uint32_t change = 0; change < TREE_CHANGES; change++) {
			model_change(&m);
			if (change % CHECK_EVERY == 0)
				model_count(&m);
		}
		model_count(&m);
		model_take(&m, 0, m.subs);
		model_count(&m);
		mrsm_tree_release(&m.tree);
		memory_free(m.sub);
	}
}

static void test_depth_of_the_tree(void **state)
{
	struct mrsm_tree t = { 0 };

	(void)state;
	assert_int_equal(mrsm_tree_depth(&t), 0);
	t.nodes = 1;
	assert_int_equal(mrsm_tree_depth(&t), 1);
	t.nodes = 7;
	assert_int_equal(mrsm_tree_depth(&t), 3);
	t.nodes = 8;
	assert_int_equal(mrsm_tree_depth(&t), 4);
}

/* ---- random requests ---- */

#define SMALL                                                                                                \
	"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.blocks=20 flash.pages=6 "          \
	"flash.over_provisioning=0.4 flash.read_ns=10000 flash.program_ns=100000 flash.erase_ns=1000000 "
#define LRU "mrsm.cache_model=lru "

static const char *const random_cases[] = {
	SMALL "flash.page_bytes=8K map.cache_bytes=8K",
	SMALL "flash.page_bytes=8K mrsm.subpage_sectors=4 mrsm.cached_share=0.421",
	SMALL LRU "flash.page_bytes=4K map.cache_bytes=4K mrsm.subpage_sectors=2 map.gc_update=load",
	SMALL LRU "flash.page_bytes=2K map.cache_bytes=2K map.gc_update=lazy",
	SMALL LRU "flash.page_bytes=2K map.cache_bytes=6K map.gc_update=defer mrsm.node_bytes=64",
	SMALL LRU "flash.page_bytes=2K mrsm.subpage_sectors=2 map.cache_bytes=2K map.gc_update=load "
		  "gc.policy=fifo wear.delta=3 wear.period=4",
	SMALL "flash.page_bytes=32K flash.pages=4 mrsm.subpage_sectors=2 map.cache_bytes=32K",
	SMALL "flash.page_bytes=2K mrsm.subpage_sectors=4 placement.policy=static map.gc_update=lazy",
	SMALL LRU "flash.page_bytes=8K mrsm.subpage_sectors=2 gc.separate=false flash.channels=1 "
		  "flash.planes=1 flash.blocks=12 flash.pages=32 flash.copyback=false",
	SMALL LRU "flash.page_bytes=2K map.cache_bytes=4K flash.channels=1 flash.planes=1 flash.blocks=12 "
		  "flash.pages=40 gc.policy=cost_benefit map.gc_update=lazy",
	SMALL "flash.page_bytes=16K host.mode=closed mrsm.subpage_sectors=8 flash.multiplane=any",
	SMALL LRU "flash.page_bytes=8K buffer=lru dram.buffer_bytes=64K map.cache_bytes=8K",
};

#define CASES (sizeof random_cases / sizeof random_cases[0])

struct player {
	struct settings settings;
	struct drive *drive;
	struct random random;
};

static void player_open(struct player *p, const char *ftl, const char *settings, bool verify)
{
	struct fault fault = { "" };
	char text[1200];

	snprintf(text, sizeof text, "%.1000s ftl=%s", settings, ftl);
	fixture_settings(&p->settings, text);
	p->drive = drive_create(&p->settings, verify, &fault);
	BUG_ON(!p->drive, "%s", fault.text);
	random_init(&p->random, p->settings.top.seed, 5);
}

static void player_close(struct player *p)
{
	drive_drain(p->drive);
	drive_check(p->drive);
	drive_free(p->drive);
	settings_release(&p->settings);
}

/* Any alignment; half of the requests go to a sixteenth of the drive, one in eight is long. */
static struct request random_request(struct player *p)
{
	const struct geometry *g = &p->drive->geometry;
	uint64_t kind = random_below(&p->random, 100), size = g->sectors_per_page;
	sector_t range = random_below(&p->random, 2) ? g->logical_sectors : g->logical_sectors / 16;
	struct request r = { .line = 1, .start = random_below(&p->random, range) };
	uint64_t longest = random_below(&p->random, 8) ? size : 5 * size;

	r.type = kind < 60 ? REQUEST_WRITE : kind < 92 ? REQUEST_READ : REQUEST_TRIM;
	r.sectors = 1 + (uint32_t)random_below(&p->random, longest);
	if (!random_below(&p->random, 4))
		r.start = r.start / size * size;
	if (r.sectors > g->logical_sectors - r.start)
		r.sectors = (uint32_t)(g->logical_sectors - r.start);
	return r;
}

/* Some writes and trims are untimed, as in preconditioning. */
static void play(struct player *p, struct request r)
{
	struct drive *d = p->drive;
	uint64_t depth = random_below(&p->random, 6);

	if (!d->buffer->capacity && r.type != REQUEST_READ && !random_below(&p->random, 20)) {
		drive_drain(d);
		if (r.type == REQUEST_TRIM)
			drive_discard(d, request_extent(&r));
		else
			BUG_ON(!drive_place(d, request_extent(&r)), "the drive failed");
		return;
	}
	r.arrival = schedule_now(d->flash->schedule);
	BUG_ON(!drive_submit(d, &r), "the drive failed");
	while (d->in_drive > depth && drive_run_to_completion(d))
		;
}

static void play_many(struct player *p, uint32_t requests)
{
	for (uint32_t i = 0; i < requests; i++) {
		play(p, random_request(p));
		if (i % CHECK_EVERY == 0)
			ftl_check(p->drive->ftl);
	}
}

/* In a child, which dies if a sector is wrong or an invariant broken. */
static void play_case(void *settings)
{
	struct player p;

	player_open(&p, "mrsm", settings, true);
	play_many(&p, REQUESTS);
	BUG_ON(!p.drive->ftl->store->collector->count.collections,
		"nothing was collected: the case is too easy");
	player_close(&p);
}

static void test_random_requests(void **state)
{
	const char *text = getenv("SEEDS"), *only = getenv("TEST");
	uint64_t seeds = text ? strtoull(text, NULL, 0) : 1;

	(void)state;
	for (uint64_t seed = seed_of_run(); seed < seed_of_run() + seeds; seed++)
		for (size_t i = 0; i < CASES; i++) {
			struct child child;
			char settings[1024];

			if (only ? !strstr(random_cases[i], only) : is_for_soak(i, shorter(30, 6)))
				continue;
			snprintf(settings, sizeof settings, "%s seed=%llu", random_cases[i],
				(unsigned long long)(seed + 1000 * i));
			run_in_child(&child, play_case, settings);
			if (child.status)
				fail_msg("SEED=%llu %s: %s", (unsigned long long)seed, random_cases[i],
					child.text);
		}
}

/* The buffer holds the middle of a read: looking up the part behind it moves pages of the part before it. */
static void test_parts_of_a_read_are_looked_up_before_any_is_read(void **state)
{
	const char *const settings = SMALL LRU
		"flash.page_bytes=2K mrsm.node_bytes=64 flash.blocks=32 flash.pages=8 flash.planes=1 "
		"flash.channels=1 buffer=lru dram.buffer_bytes=32K map.cache_bytes=2K wear.delta=1 "
		"wear.period=1 gc.hysteresis=0.2 placement.policy=static seed=32236";
	struct child child;

	(void)state;
	run_in_child(&child, play_case, (void *)settings);
	if (child.status)
		fail_msg("%s", child.text);
}

/* Every rare path is taken by some random case. */
static void test_random_requests_reach_everything(void **state)
{
	struct mrsm_statistics sum = { 0 };
	const size_t counters = offsetof(struct mrsm_statistics, subpage_bytes) / sizeof(uint64_t);
	struct map_statistics map = { 0 };
	uint64_t moved = 0, packed_pages = 0, copied_pages = 0;

	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		struct player p;
		const uint64_t *own, *of_map;

		player_open(&p, "mrsm", random_cases[i], false);
		play_many(&p, 5000);
		own = (const uint64_t *)&((struct mrsm *)p.drive->ftl->state)->statistics;
		of_map = (const uint64_t *)&p.drive->ftl->map;
		moved += ((struct mrsm *)p.drive->ftl->state)->directory->statistics.gc_moves;
		packed_pages += ((struct mrsm *)p.drive->ftl->state)->pack.statistics.packed_pages;
		copied_pages += ((struct mrsm *)p.drive->ftl->state)->pack.statistics.copied_pages;
		for (size_t word = 0; word < counters; word++)
			((uint64_t *)&sum)[word] += own[word];
		for (size_t word = 0; word < sizeof map / sizeof(uint64_t); word++)
			((uint64_t *)&map)[word] += of_map[word];
		player_close(&p);
	}
	for (size_t word = 0; word < counters; word++)
		if (!((uint64_t *)&sum)[word])
			fail_msg("statistic %zu of struct mrsm_statistics was never counted", word);
	assert_true(moved && map.misses && packed_pages && copied_pages);
}

/* ---- sub-pages as large as pages: the page-mapped FTL, operation for operation ---- */

static void test_whole_pages_are_page_mapping(void **state)
{
	const char *const settings = SMALL "flash.page_bytes=4K mrsm.subpage_sectors=8 mrsm.cached_share=1";
	struct player mrsm, page;

	(void)state;
	player_open(&mrsm, "mrsm", settings, true);
	player_open(&page, "page", settings, true);
	play_many(&mrsm, REQUESTS / 10);
	play_many(&page, REQUESTS / 10);
	drive_drain(mrsm.drive);
	drive_drain(page.drive);
	assert_memory_equal(
		mrsm.drive->flash->count, page.drive->flash->count, sizeof page.drive->flash->count);
	assert_int_equal(mrsm.drive->last_completion, page.drive->last_completion);
	player_close(&mrsm);
	player_close(&page);
}

/* ---- a saved drive goes on like the one it was saved from ---- */

static void test_saved_drive_continues_identically(void **state)
{
	const char *const settings =
		SMALL "flash.page_bytes=8K mrsm.subpage_sectors=2 mrsm.cached_share=0.9 map.gc_update=defer";
	struct fault fault = { "" };
	struct player a, b;
	char path[] = "/tmp/ssdlab-mrsm-XXXXXX";
	int file = mkstemp(path);
	tick_t start;

	(void)state;
	assert_true(file >= 0);
	player_open(&a, "mrsm", settings, true);
	player_open(&b, "mrsm", settings, true);
	for (uint32_t i = 0; i < 3000; i++) {
		struct request r = random_request(&a);

		if (r.type == REQUEST_TRIM)
			drive_discard(a.drive, request_extent(&r));
		else
			assert_true(drive_place(a.drive, request_extent(&r)));
	}
	do
		play_many(&a, 100);
	while (!((struct mrsm *)a.drive->ftl->state)->directory->pending_entries);
	drive_drain(a.drive);
	start = schedule_now(a.drive->flash->schedule);
	if (!image_save(a.drive, path, &fault) || !image_load(b.drive, path, &fault))
		fail_msg("%s", fault.text);
	unlink(path);
	close(file);
	assert_true(((struct mrsm *)b.drive->ftl->state)->slots.list.used > 0);
	/* Until the next request, look-ups of collections use the chance of the last one. */
	assert_true(
		((struct mrsm *)b.drive->ftl->state)->chance == ((struct mrsm *)a.drive->ftl->state)->chance);
	assert_int_equal(((struct mrsm *)b.drive->ftl->state)->directory->pending_entries,
		((struct mrsm *)a.drive->ftl->state)->directory->pending_entries);
	stat_list_start(&a.drive->statistics);
	memset(a.drive->submitted, 0, sizeof a.drive->submitted);
	stat_list_start(&b.drive->statistics);
	ftl_check(b.drive->ftl);
	b.random = a.random;
	play_many(&a, 5000);
	play_many(&b, 5000);
	drive_drain(a.drive);
	drive_drain(b.drive);
	assert_memory_equal(a.drive->flash->count, b.drive->flash->count, sizeof a.drive->flash->count);
	assert_int_equal(a.drive->last_completion - start, b.drive->last_completion);
	player_close(&a);
	player_close(&b);
}

/* ---- refused settings ---- */

static void test_refuses_odd_sub_pages(void **state)
{
	static const char *const wrong[] = { "mrsm.subpage_sectors=3", "mrsm.subpage_sectors=32" };

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct fault fault = { "" };
		struct settings s;
		char text[1024];

		snprintf(text, sizeof text, ONE_PLANE "ftl=mrsm %s", wrong[i]);
		fixture_settings(&s, text);
		assert_null(drive_create(&s, true, &fault));
		assert_non_null(strstr(fault.text, "power of two up to the 16 sectors of a page"));
		settings_release(&s);
	}
}

/*
 * 26 pages of 4 sectors in 13 blocks.  Mapped sector by sector, 15 or 16 logical pages take two mapping
 * pages; the reserve, the blocks of copies, of mapping pages and of cold data, and a page, take 9 more: 15
 * and 2 are all there is.
 */
#define NO_PAGE_TO_SPARE                                                                                     \
	"ftl=mrsm flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=13 flash.pages=2 " \
	"flash.page_bytes=2K mrsm.node_bytes=64 wear.delta=1 wear.period=1 map.cache_bytes="

static const char *const cache_models[] = { "1K mrsm.cache_model=lru", "1K mrsm.cache_model=static",
	"1M mrsm.cached_share=0.3" };

static void test_the_finest_map_has_its_pages(void **state)
{
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 5);
	for (size_t i = 0; i < sizeof cache_models / sizeof cache_models[0]; i++) {
		bool in_flash = false;
		char text[512];
		struct rig *rig;

		snprintf(text, sizeof text, NO_PAGE_TO_SPARE "%s flash.over_provisioning=0.423",
			cache_models[i]);
		rig = rig_with(text);
		assert_int_equal(rig->drive->geometry.logical_sectors, 60);
		for (int write = 0; write < 6000; write++) {
			sector_t at = random_below(&random, 60);

			rig_serve(rig, REQUEST_WRITE, at, at + 1);
			in_flash |= mrsm_of(rig)->directory->in_flash > 0;
		}
		assert_true(in_flash);
		rig_close(rig);
	}
}

static void test_refuses_a_drive_without_room_for_its_map(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cache_models / sizeof cache_models[0]; i++) {
		struct fault fault = { "" };
		struct settings s;
		struct drive *d;
		char text[512];

		snprintf(text, sizeof text, NO_PAGE_TO_SPARE "%s flash.over_provisioning=0.384",
			cache_models[i]);
		fixture_settings(&s, text);
		assert_null(drive_create(&s, true, &fault));
		assert_non_null(strstr(fault.text, "leaves 3.5 spare blocks in each plane beside 2 mapping "
						   "pages; at least 4 are needed"));
		settings_release(&s);

		strcat(text, " map.cache_bytes=1M mrsm.cached_share=0");
		fixture_settings(&s, text);
		d = drive_create(&s, true, &fault);
		assert_non_null(d);
		drive_free(d);
		settings_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_page_of_sectors_fills_one_page),
		cmocka_unit_test(test_long_writes_take_as_many_pages_as_their_data),
		cmocka_unit_test(test_partly_covered_sub_pages_are_completed),
		cmocka_unit_test(test_whole_sub_pages_are_overwritten_directly),
		cmocka_unit_test(test_extents_split_and_merge),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_half_live_pages_are_packed),
		cmocka_unit_test(test_collection_makes_neighbours_one_extent),
		cmocka_unit_test(test_full_pages_move_as_they_are),
		cmocka_unit_test(test_the_last_page_is_topped_up),
		cmocka_unit_test(test_whole_pages_move_with_their_entries),
		cmocka_unit_test(test_one_mapping_page_fits),
		cmocka_unit_test(test_reads_wait_for_their_mapping_page),
		cmocka_unit_test(test_mapping_pages_share_a_region),
		cmocka_unit_test(test_regions_grow_and_shrink),
		cmocka_unit_test(test_extents_end_at_regions),
		cmocka_unit_test(test_static_model),
		cmocka_unit_test(test_chance_of_a_hit),
		cmocka_unit_test(test_the_chance_follows_the_tree),
		cmocka_unit_test(test_who_waits_for_write_backs),
		cmocka_unit_test(test_a_write_waits_for_its_mapping_page),
		cmocka_unit_test(test_accesses_to_dram),
		cmocka_unit_test(test_accesses_of_requests_over_several_pages),
		cmocka_unit_test(test_accesses_at_a_region_border),
		cmocka_unit_test(test_nothing_is_counted_outside_time),
		cmocka_unit_test(test_tree_like_a_plain_model),
		cmocka_unit_test(test_depth_of_the_tree),
		cmocka_unit_test(test_random_requests),
		cmocka_unit_test(test_parts_of_a_read_are_looked_up_before_any_is_read),
		cmocka_unit_test(test_random_requests_reach_everything),
		cmocka_unit_test(test_whole_pages_are_page_mapping),
		cmocka_unit_test(test_saved_drive_continues_identically),
		cmocka_unit_test(test_refuses_odd_sub_pages),
		cmocka_unit_test(test_the_finest_map_has_its_pages),
		cmocka_unit_test(test_refuses_a_drive_without_room_for_its_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
