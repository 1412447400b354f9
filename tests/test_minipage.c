/*
 * Minipage-FTL and PM-FTL, and page mapping beside them: cases worked by hand on a filled drive, which
 * requests wait for a mapping page, minipages kept in RAM, and random requests with every option.
 *
 * 	SEED=n   another random run
 */
#include "tests/rig_fixture.h"

#include "base/random.h"
#include "drive/prepare/precondition.h"
#include "ftl/minipage/minipage.h"

/* 16384 logical pages of 4 minipages of 8 sectors. */
#define FILLED                                                                                               \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=192 flash.pages=128 "       \
	"flash.page_bytes=16K flash.over_provisioning=0.33333 precondition.mode=fill "                       \
	"flash.read_ns=10000 flash.program_ns=100000 flash.erase_ns=1000000 flash.command_ns=0 "             \
	"flash.bus_mb_per_s=512 flash.forward_bytes=0 dram.access_ns=0 "

/* ---- a drive, and what requests cost ---- */

static struct mini *mini_of(const struct rig *rig)
{
	return rig->drive->ftl->state;
}

static struct rig *filled(const char *settings)
{
	struct precondition_result result;
	struct fault fault = { "" };
	struct rig *rig;
	char text[1200];

	snprintf(text, sizeof text, FILLED "%s", settings);
	rig = rig_with(text);
	assert_true(precondition(rig->drive, NULL, &result, &fault));
	stat_list_start(&rig->drive->statistics);
	return rig;
}

/* Sectors [from, end) of a page.  Returns the latency. */
static tick_t serve(struct rig *rig, enum request_type type, lpn_t lpn, sector_t from, sector_t end)
{
	sector_t first = (sector_t)lpn * rig->drive->geometry.sectors_per_page;

	return rig_serve(rig, type, first + from, first + end);
}

static tick_t reading(struct rig *rig, lpn_t lpn, sector_t from, sector_t end)
{
	return serve(rig, REQUEST_READ, lpn, from, end);
}

static tick_t writing(struct rig *rig, lpn_t lpn, sector_t from, sector_t end)
{
	return serve(rig, REQUEST_WRITE, lpn, from, end);
}

struct cost {
	unsigned map_reads, map_programs, reads, rmw, programs;
};

static void assert_cost(const struct rig *rig, struct cost c, const char *what)
{
	struct cost is = { rig_cost(rig, OP_READ, CAUSE_MAP), rig_cost(rig, OP_PROGRAM, CAUSE_MAP),
		rig_cost(rig, OP_READ, CAUSE_HOST), rig_cost(rig, OP_READ, CAUSE_RMW),
		rig_cost(rig, OP_PROGRAM, CAUSE_HOST) };

	if (memcmp(&is, &c, sizeof c))
		fail_msg("%s: %u map reads, %u map programs, %u reads, %u rmw, %u programs", what,
			is.map_reads, is.map_programs, is.reads, is.rmw, is.programs);
}

/* ---- twelve requests, and what each costs in the three FTLs ---- */

static const struct {
	enum request_type type;
	lpn_t lpn;
	sector_t from, end;
	struct cost page, mini, pm;
} cases[] = {
	{ REQUEST_READ, 0, 0, 8, { 1, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 } },
	{ REQUEST_READ, 0, 24, 32, { 0, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 }, { 0, 0, 1, 0, 0 } },
	{ REQUEST_WRITE, 0, 8, 16, { 0, 0, 0, 1, 1 }, { 1, 0, 0, 0, 1 }, { 0, 0, 0, 0, 1 } },
	{ REQUEST_READ, 0, 0, 32, { 0, 0, 1, 0, 0 }, { 1, 0, 2, 0, 0 }, { 0, 0, 2, 0, 0 } },
	{ REQUEST_WRITE, 0, 0, 32, { 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 1 } },
	{ REQUEST_WRITE, 1, 0, 8, { 1, 0, 0, 1, 1 }, { 2, 1, 0, 0, 1 }, { 1, 0, 0, 0, 1 } },
	{ REQUEST_WRITE, 1, 4, 8, { 0, 0, 0, 1, 1 }, { 0, 0, 0, 1, 1 }, { 0, 0, 0, 1, 1 } },
	{ REQUEST_WRITE, 5000, 16, 32, { 1, 0, 0, 1, 1 }, { 2, 0, 0, 0, 1 }, { 2, 1, 0, 0, 1 } },
	{ REQUEST_READ, 1, 8, 16, { 0, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 } },
	{ REQUEST_READ, 1, 0, 8, { 0, 0, 1, 0, 0 }, { 0, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 } },
	{ REQUEST_READ, 1, 8, 16, { 0, 0, 1, 0, 0 }, { 0, 0, 1, 0, 0 }, { 0, 0, 1, 0, 0 } },
	{ REQUEST_READ, 9000, 0, 8, { 1, 0, 1, 0, 0 }, { 2, 1, 1, 0, 0 }, { 2, 1, 1, 0, 0 } },
};

static void serve_cases(const char *ftl, size_t cost, struct rig *rig)
{
	char what[40];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		serve(rig, cases[i].type, cases[i].lpn, cases[i].from, cases[i].end);
		snprintf(what, sizeof what, "%s, case %zu", ftl, i + 1);
		assert_cost(rig, *(const struct cost *)((const char *)&cases[i] + cost), what);
	}
}

static void test_page_ftl(void **state)
{
	struct rig *rig = filled("ftl=dftl map.cache_bytes=32");

	(void)state;
	serve_cases("page mapping", offsetof(__typeof__(*cases), page), rig);
	rig_close(rig);
}

static void test_minipage_ftl(void **state)
{
	struct rig *rig = filled("ftl=minipage");
	struct mini *m = mini_of(rig);

	(void)state;
	m->cache->plan.bytes = 32;
	serve_cases("minipage", offsetof(__typeof__(*cases), mini), rig);
	assert_int_equal(m->statistics.packed, 1);
	assert_int_equal(m->statistics.partial, 4);
	assert_int_equal(m->cache->statistics.batched, 4); /* with lpn 0, then with lpn 5000's other half */
	rig_close(rig);
}

static void test_pm_ftl(void **state)
{
	struct rig *rig = filled("ftl=pm");
	struct mini *m = mini_of(rig);

	(void)state;
	m->cache->plan.bytes = 32;
	serve_cases("pm", offsetof(__typeof__(*cases), pm), rig);
	assert_int_equal(m->statistics.full, 1);
	assert_int_equal(m->statistics.partial, 4);
	assert_int_equal(m->statistics.to_m, 3);
	assert_int_equal(m->statistics.to_p, 1);
	assert_int_equal(m->statistics.grown, 1);
	assert_int_equal(m->cache->statistics.batched, 1);
	rig_close(rig);
}

/* The sizes of a logical page's node as it changes. */
static void test_nodes_of_pm_ftl(void **state)
{
	struct rig *rig = filled("ftl=pm");
	struct mini *m = mini_of(rig);

	(void)state;
	reading(rig, 0, 0, 8);
	assert_int_equal(entry_cache_find(m->cache, 0)->bytes, 8);
	writing(rig, 0, 8, 16);
	assert_int_equal(entry_cache_find(m->cache, 0)->bytes, 20);
	assert_true(entry_cache_dirty(m->cache, 0));
	serve(rig, REQUEST_WRITE, 0, 0, 32);
	assert_int_equal(entry_cache_find(m->cache, 0)->bytes, 8);
	serve(rig, REQUEST_TRIM, 0, 0, 8);
	assert_int_equal(entry_cache_find(m->cache, 0)->bytes, 20);
	rig_close(rig);
}

/* One read of a mapping page also loads the other entries that the request looks up. */
static void test_a_load_for_the_request(void **state)
{
	struct rig *rig = filled("ftl=minipage map.load=request");

	(void)state;
	reading(rig, 0, 0, 64);
	assert_cost(rig, (struct cost){ 1, 0, 2, 0, 0 }, "8 minipages");
	writing(rig, 7, 24, 40);
	assert_cost(rig, (struct cost){ 1, 0, 0, 0, 1 }, "2 minipages, written");
	rig_close(rig);
	rig = filled("ftl=pm pm.node=full map.load=request");
	reading(rig, 0, 0, 96);
	assert_cost(rig, (struct cost){ 1, 0, 3, 0, 0 }, "3 nodes");
	writing(rig, 4, 0, 64);
	assert_cost(rig, (struct cost){ 1, 0, 0, 0, 2 }, "2 nodes of pages, written");
	writing(rig, 7, 24, 40);
	assert_cost(rig, (struct cost){ 1, 0, 0, 0, 1 }, "2 nodes of minipages, written");
	rig_close(rig);
	rig = filled("ftl=dftl map.cache_bytes=4K map.load=request");
	reading(rig, 0, 0, 96);
	assert_cost(rig, (struct cost){ 1, 0, 3, 0, 0 }, "3 entries");
	rig_close(rig);
	rig = filled("ftl=dftl dftl.entries=3 map.load=request");
	reading(rig, 0, 0, 160);
	assert_cost(rig, (struct cost){ 2, 0, 5, 0, 0 },
		"5 entries, 3 at a time: the fourth does not drive out the first");
	rig_close(rig);
}

static void check(void *ftl)
{
	ftl_check(ftl);
}

/* A wrong count of the directory is reported beside the right one. */
static void test_mapping_pages_are_counted(void **state)
{
	struct rig *rig = filled("ftl=minipage");
	struct directory *d = mini_of(rig)->table.directory;
	char text[80];

	(void)state;
	assert_int_not_equal(d->in_flash, 0);
	snprintf(text, sizeof text, ": %u mapping pages are live, %u in flash", d->in_flash, d->in_flash + 1);
	d->in_flash++;
	assert_aborts(check, rig->drive->ftl, text);
	d->in_flash--;
	rig_close(rig);
}

/* ---- requests that wait for entries ---- */

/* A mapping page takes 10 us in the cells and 32 on the bus, 8 sectors of data 10 and 8. */
static void test_a_read_waits_for_its_entries(void **state)
{
	struct rig *rig = filled("ftl=minipage");

	(void)state;
	assert_int_equal(reading(rig, 0, 0, 8), 42000 + 18000);
	assert_int_equal(reading(rig, 0, 0, 8), 18000);
	assert_int_equal(reading(rig, 9000, 0, 16), 2 * 42000 + 26000);
	rig_close(rig);
	rig = filled("ftl=pm");
	assert_int_equal(reading(rig, 9000, 0, 16), 42000 + 26000);
	assert_int_equal(reading(rig, 9000, 16, 32), 26000);
	rig_close(rig);
}

/* The load, the read of the 4 sectors to keep, then the program of 8; a whole page keeps nothing. */
static void test_a_write_waits_for_its_entries(void **state)
{
	static const char *const names[] = { "ftl=minipage", "ftl=pm" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig *rig = filled(names[i]);

		assert_int_equal(writing(rig, 0, 0, 4), 42000 + 14000 + 108000);
		assert_int_equal(writing(rig, 0, 0, 4), 14000 + 108000);
		rig_close(rig);
	}
	{
		struct rig *rig = filled("ftl=pm");

		assert_int_equal(writing(rig, 7, 0, 32), 42000 + 132000);
		rig_close(rig);
	}
}

/*
 * Two dies, each with a bus: mapping page 0 and even logical pages are on one, odd ones on the other, where
 * only dependencies make an operation wait.  A load takes 42 us, a read 10 and 1 a sector, a program 100 and
 * 1 a sector.
 */
#define TWO_DIES "flash.channels=2 placement.policy=static "

static void test_who_waits_for_another_die(void **state)
{
	static const struct {
		const char *settings, *what;
		enum request_type type;
		sector_t from, end; /* of LPN 1 */
		tick_t takes;       /* us */
	} rows[] = {
		{ "ftl=minipage", "a read", REQUEST_READ, 0, 8, 42 + 18 },
		{ "ftl=minipage", "a read of two", REQUEST_READ, 0, 16, 2 * 42 + 26 },
		{ "ftl=minipage", "a program", REQUEST_WRITE, 0, 8, 42 + 108 },
		{ "ftl=minipage", "a packed program", REQUEST_WRITE, 0, 16, 2 * 42 + 116 },
		{ "ftl=minipage", "what is kept", REQUEST_WRITE, 0, 4, 42 + 14 + 108 },
		{ "ftl=minipage map.load=request", "what was brought", REQUEST_READ, -8, 32, 42 + 42 },
		{ "ftl=pm", "a read", REQUEST_READ, 0, 16, 42 + 26 },
		{ "ftl=pm", "a program", REQUEST_WRITE, 0, 8, 42 + 108 },
		{ "ftl=pm", "what is kept", REQUEST_WRITE, 0, 4, 42 + 14 + 108 },
		{ "ftl=pm", "a page", REQUEST_WRITE, 0, 32, 42 + 132 },
		{ "ftl=pm pm.node=full map.load=request", "what was brought", REQUEST_READ, -8, 32, 42 + 42 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char settings[120];
		struct rig *rig;
		tick_t took;

		snprintf(settings, sizeof settings, TWO_DIES "%s", rows[i].settings);
		rig = filled(settings);
		took = serve(rig, rows[i].type, 1, rows[i].from, rows[i].end);
		if (took != rows[i].takes * 1000)
			fail_msg("%s, %s: %llu ns", rows[i].settings, rows[i].what, (unsigned long long)took);
		rig_close(rig);
	}
}

/* A node in DRAM that lacks the minipage, and one that another request is still loading. */
static void test_who_waits_with_a_node_in_dram(void **state)
{
	struct rig *rig = filled(TWO_DIES "ftl=pm");
	struct request r = { .line = 1, .start = 3 * 32, .sectors = 8, .type = REQUEST_READ };

	(void)state;
	mini_of(rig)->cache->plan.bytes = 32;
	writing(rig, 1, 8, 16);
	reading(rig, 5, 0, 8);
	reading(rig, 7, 0, 8);
	reading(rig, 1, 0, 8);
	assert_int_equal(reading(rig, 1, 16, 24), 42000 + 18000);
	assert_int_equal(mini_of(rig)->statistics.grown, 1);
	r.arrival = schedule_now(rig->drive->flash->schedule);
	assert_true(drive_submit(rig->drive, &r));
	assert_int_equal(reading(rig, 3, 8, 16), 42000 + 18000 + 18000);
	rig_close(rig);
}

/* ---- RAM ---- */

static void test_minipages_wait_in_ram(void **state)
{
	struct rig *rig = filled("ftl=minipage minipage.pack=buffer minipage.demand=false");
	struct mini *m = mini_of(rig);

	(void)state;
	assert_int_equal(writing(rig, 0, 0, 8), 0);
	writing(rig, 1, 2, 4);
	assert_cost(rig, (struct cost){ 0, 0, 0, 1, 0 }, "complete in RAM");
	writing(rig, 1, 0, 2);
	assert_cost(rig, (struct cost){ 0, 0, 0, 0, 0 }, "again");
	assert_int_equal(m->statistics.pack_hits, 1);
	reading(rig, 1, 0, 16);
	assert_cost(rig, (struct cost){ 0, 0, 1, 0, 0 }, "half in RAM");
	assert_int_equal(m->statistics.volatile_sectors, 8 + 4);
	serve(rig, REQUEST_TRIM, 1, 0, 8);
	assert_int_equal(m->waits, 1);
	reading(rig, 1, 0, 8);
	assert_cost(rig, (struct cost){ 0, 0, 0, 0, 0 }, "trimmed");
	writing(rig, 2, 0, 24);
	assert_cost(rig, (struct cost){ 0, 0, 0, 0, 1 }, "company");
	assert_int_equal(m->statistics.packed, 1);
	assert_int_equal(m->waits, 0);
	rig_close(rig);
	rig = filled("ftl=pm pm.pack=buffer");
	writing(rig, 0, 0, 8);
	assert_int_equal(mini_of(rig)->waits, 1);
	writing(rig, 0, 0, 32);
	assert_int_equal(mini_of(rig)->waits, 0);
	rig_close(rig);
}

/* ---- behind a buffer ---- */

static struct rig *behind_a_buffer(const char *settings)
{
	char text[300];
	struct rig *rig;

	snprintf(text, sizeof text, "dram.buffer_bytes=32K %s", settings);
	rig = filled(text);
	writing(rig, 1, 0, 8);
	writing(rig, 2, 0, 8);
	writing(rig, 3, 0, 32);
	writing(rig, 1, 0, 8);
	writing(rig, 4, 0, 8);
	writing(rig, 5, 0, 16);
	return rig;
}

static void test_the_buffer_cooperates(void **state)
{
	static const struct {
		const char *settings;
		struct cost first, second;
		unsigned full, packed, partial;
	} rows[] = {
		{ "ftl=dftl buffer=lru", { 1, 0, 0, 1, 1 }, { 1, 0, 0, 0, 1 }, 0, 0, 0 },
		{ "ftl=minipage buffer=lru", { 1, 0, 0, 0, 1 }, { 4, 0, 0, 0, 1 }, 0, 1, 1 },
		{ "ftl=pm buffer=coop coop.packs=false", { 1, 0, 0, 0, 1 }, { 1, 0, 0, 0, 1 }, 1, 0, 1 },
		{ "ftl=pm buffer=coop", { 3, 0, 0, 0, 1 }, { 1, 0, 0, 0, 1 }, 1, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig *rig = behind_a_buffer(rows[i].settings);
		struct mini *m = mini_of(rig);

		assert_cost(rig, rows[i].first, rows[i].settings);
		writing(rig, 6, 0, 32);
		assert_cost(rig, rows[i].second, rows[i].settings);
		if (i) {
			assert_int_equal(m->statistics.full, rows[i].full);
			assert_int_equal(m->statistics.packed, rows[i].packed);
			assert_int_equal(m->statistics.partial, rows[i].partial);
		}
		rig_close(rig);
	}
}

/* LPN 1 is in mode M, its node not in DRAM.  A pack takes two of its three minipages and looks up these; the
 * third is looked up when it is packed, and then missing in the node. */
static void test_a_pack_looks_up_what_it_takes(void **state)
{
	struct rig *rig = filled("dram.buffer_bytes=32K ftl=pm buffer=coop");
	struct mini *m = mini_of(rig);

	(void)state;
	m->cache->plan.bytes = 32;
	serve(rig, REQUEST_TRIM, 1, 24, 32);
	reading(rig, 8, 0, 8);
	reading(rig, 9, 0, 8);
	assert_null(entry_cache_find(m->cache, 1));
	m->cache->plan.bytes = 4096;
	writing(rig, 2, 0, 16);
	writing(rig, 1, 0, 24);
	writing(rig, 3, 0, 24);
	writing(rig, 4, 0, 8);
	assert_cost(rig, (struct cost){ 2, 0, 0, 0, 1 }, "all of LPN 2, two of LPN 1");
	writing(rig, 5, 0, 24);
	writing(rig, 6, 0, 8);
	assert_cost(rig, (struct cost){ 2, 0, 0, 0, 1 }, "one of LPN 1, all of LPN 3");
	assert_int_equal(m->statistics.grown, 1);
	rig_close(rig);
}

/* A minipage of LPN 9 is in RAM when sectors of LPN 5 and all of LPN 9 are to share pages, so LPN 9 is
 * written as minipages: first 5.0 with the three in RAM, then, with none of it left in RAM, 9.0 to 9.3. */
static void test_a_merged_page_waits_in_part(void **state)
{
	static const struct extent extents[] = { { 5 * 32, 5 * 32 + 8 }, { 9 * 32, 9 * 32 + 32 } };
	struct rig *rig = filled("ftl=pm pm.pack=buffer");
	struct ftl *f = rig->drive->ftl;
	struct schedule *schedule = f->flash->schedule;
	struct io io;

	(void)state;
	for (lpn_t lpn = 9; lpn < 12; lpn++)
		writing(rig, lpn, 0, 8);
	assert_int_equal(mini_of(rig)->waits, 3);
	rig_cost(rig, OP_PROGRAM, CAUSE_HOST);
	schedule_begin(schedule, &io);
	f->ops->write_merged(f, &io, extents, 2);
	schedule_submit(schedule, &io, 0);
	schedule_drain(schedule);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 2);
	assert_int_equal(mini_of(rig)->statistics.packed, 2);
	assert_int_equal(mini_of(rig)->statistics.full, 0);
	rig_close(rig);
}

/* ---- collection ---- */

/* A block of eight minipages of four logical pages, written apart and in no order, becomes two pages. */
static void assert_order_of_collection(const char *ftl, const uint32_t place[8])
{
	static const struct {
		lpn_t lpn;
		uint32_t minipage;
	} written[8] = { { 40000, 2 }, { 16000, 1 }, { 40000, 0 }, { 7, 3 }, { 40001, 2 }, { 40000, 3 },
		{ 7, 0 }, { 40000, 1 } };
	struct rig *rig;
	struct mini *m;
	char text[1200];

	snprintf(text, sizeof text,
		FILLED "precondition.mode=none flash.blocks=8000 flash.pages=8 ftl=%s %s.demand=false", ftl,
		ftl);
	rig = rig_with(text);
	m = mini_of(rig);
	for (size_t i = 0; i < 8; i++)
		writing(rig, written[i].lpn, 8 * written[i].minipage, 8 * written[i].minipage + 8);
	rig_serve(rig, REQUEST_COLLECT, 0, 1);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_GC), 8);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_GC), 2);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(
			places_get(&m->places, written[i].lpn * 4 + written[i].minipage) % 8, place[i]);
	rig_close(rig);
}

/* By address: 7.0 7.3 16000.1 40000.0, 40000.1 40000.2 40000.3 40001.2; in PM-FTL LPN 40000 comes first, as a
 * page. */
static void test_the_order_of_a_collection(void **state)
{
	(void)state;
	assert_order_of_collection("minipage", (const uint32_t[]){ 5, 2, 3, 1, 7, 6, 0, 4 });
	assert_order_of_collection("pm", (const uint32_t[]){ 2, 6, 0, 5, 7, 3, 4, 1 });
}

/* The same with so many that they are merged in several passes: written descending, they end up ascending. */
static void test_the_order_of_a_large_collection(void **state)
{
	struct rig *rig =
		rig_with(FILLED "precondition.mode=none flash.blocks=1600 flash.pages=40 ftl=minipage "
				"minipage.demand=false");
	struct mini *m = mini_of(rig);

	(void)state;
	for (lpn_t i = 40; i-- > 0;)
		writing(rig, 1000 * i, 0, 8);
	rig_serve(rig, REQUEST_COLLECT, 0, 1);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_GC), 40);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_GC), 10);
	for (lpn_t i = 0; i < 40; i++)
		assert_int_equal(places_get(&m->places, 1000 * i * 4) % (40 * 4), i);
	rig_close(rig);
}

/* ---- random requests ---- */

#define SMALL                                                                                                \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=40 flash.pages=8 "          \
	"flash.over_provisioning=0.4 map.cache_bytes=2560 dram.buffer_bytes=64K "

/* Invariants are checked after every request, and the oracle compares; collections pack minipages, and make
 * pages whole again. */
static void test_random_requests(void **state)
{
	static const char *const options[] = {
		"flash.page_bytes=16K ftl=minipage",
		"flash.page_bytes=8K ftl=minipage minipage.bytes=2K minipage.pack=buffer",
		"flash.page_bytes=16K ftl=minipage minipage.pack=buffer minipage.demand=false",
		"flash.page_bytes=4K ftl=minipage minipage.bytes=2K map.batch=false",
		("flash.page_bytes=16K ftl=minipage map.load=request gc.policy=patient gc.low=6 "
		 "wear.lowest=true"),
		"flash.page_bytes=16K ftl=pm",
		"flash.page_bytes=16K ftl=pm pm.bytes=2K pm.pack=buffer",
		"flash.page_bytes=8K ftl=pm pm.demand=false gc.policy=patient gc.low=6",
		"flash.page_bytes=16K ftl=pm pm.node=full map.load=request",
		"flash.page_bytes=16K ftl=pm buffer=coop pm.pack=buffer",
		"flash.page_bytes=8K ftl=pm buffer=coop coop.minipage_bytes=2K map.batch=false",
		"flash.page_bytes=16K ftl=dftl map.load=request gc.policy=patient gc.low=6",
		"flash.page_bytes=2K ftl=dftl dftl.entries=4 dftl.slru=4 map.load=request",
		"flash.page_bytes=2K ftl=dftl dftl.entries=1 map.load=request",
		"flash.page_bytes=2K ftl=pm pm.bytes=512 pm.node=full map.load=request",
	};
	const char *seed = getenv("SEED");
	uint64_t packed = 0, paged = 0;

	(void)state;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		char text[500];
		struct random random;
		struct rig *rig;
		sector_t sectors;

		snprintf(text, sizeof text, SMALL "%s", options[i]);
		random_init(&random, seed ? strtoull(seed, NULL, 10) : 1, i);
		rig = rig_with(text);
		sectors = rig->drive->geometry.logical_sectors;
		for (int n = 0; n < 3000; n++) {
			sector_t length = 1 + random_below(&random, random_below(&random, 4) ? 24 : 100);
			sector_t start = random_below(&random, sectors - length);
			uint64_t kind = random_below(&random, 16);

			rig_serve(rig,
				kind < 10   ? REQUEST_WRITE
				: kind < 15 ? REQUEST_READ
					    : REQUEST_TRIM,
				start, start + length);
		}
		if (strcmp(rig->drive->ftl->ops->name, "dftl")) {
			packed += mini_of(rig)->pack.statistics.packed_pages;
			paged += mini_of(rig)->statistics.gc_full;
		}
		rig_close(rig);
	}
	assert_true(packed > 1000);
	assert_true(paged > 100);
}

/* ---- where minipages are ---- */

/* Pages of 4 minipages of 8 sectors: 16 physical, 8 logical ones. */
static void places_of_test(struct places *p)
{
	const struct geometry g = { .pages = 16,
		.logical_pages = 8,
		.sectors_per_page = 32,
		.sector_shift = 5,
		.full_page = 0xffffffff };

	places_init(p, &g, 3);
}

static uint32_t apart(const struct places *p)
{
	return p->apart.used - pool_count_free(&p->apart);
}

static void test_a_row_of_places_is_a_number(void **state)
{
	struct places p;

	(void)state;
	places_of_test(&p);
	places_set(&p, 4, 4, 20, 0xffffffff); /* LPN 1 in page 5 */
	assert_int_equal(p.entry[1], 21);
	assert_int_equal(places_get(&p, 6), 22);
	places_set(&p, 6, 1, 32, 0xff); /* its minipage 2 in page 8 */
	assert_int_equal(apart(&p), 1);
	assert_int_equal(places_get(&p, 5), 21);
	assert_int_equal(places_get(&p, 6), 32);
	assert_int_equal(places_page(&p, 1), 0xffffffff);
	places_set(&p, 4, 2, 42, 0xffff); /* packed: 0 and 1 end page 10, 2 and 3 begin page 11 */
	assert_int_equal(apart(&p), 1);
	places_set(&p, 6, 2, 44, 0xffff);
	assert_int_equal(p.entry[1], 43);
	assert_int_equal(apart(&p), 0);
	places_set(&p, 5, 1, 43, 0x7f); /* a sector is trimmed */
	assert_int_equal(apart(&p), 1);
	assert_int_equal(places_written(&p, 5), 0x7f);
	places_set(&p, 4, 4, 0, 0); /* all are */
	assert_int_equal(p.entry[1], 0);
	assert_int_equal(apart(&p), 0);
	places_release(&p);
}

/* Against an array of places and one of sectors. */
static void test_places_by_chance(void **state)
{
	uint32_t place[32] = { 0 };
	mask_t written[32] = { 0 };
	struct random random;
	struct places p;

	(void)state;
	places_of_test(&p);
	random_init(&random, 1, 7);
	for (int n = 0; n < 100000; n++) {
		sub_t first = (sub_t)random_below(&random, 32);
		uint32_t count = 1 + (uint32_t)random_below(&random, 4 - first % 4);
		uint32_t at = (uint32_t)random_below(&random, 3) * 4 + first % 4;
		mask_t mask = random_below(&random, 4) ? 0xffffffff : random_below(&random, UINT32_MAX);
		uint32_t inside = 0;

		mask = random_below(&random, 8) ? mask & bits_below(8 * count) : 0;
		places_set(&p, first, count, at, mask);
		for (uint32_t i = 0; i < count; i++) {
			place[first + i] = at + i;
			written[first + i] = mask >> 8 * i & 0xff;
		}
		for (sub_t sub = 0; sub < 32; sub++) {
			assert_int_equal(places_written(&p, sub), written[sub]);
			assert_true(!written[sub] || places_get(&p, sub) == place[sub]);
		}
		for (lpn_t lpn = 0; lpn < 8; lpn++) {
			const uint32_t *at_lpn = &place[4 * lpn];
			mask_t page = places_page(&p, lpn);
			bool row = at_lpn[1] == at_lpn[0] + 1 && at_lpn[2] == at_lpn[0] + 2 &&
				   at_lpn[3] == at_lpn[0] + 3;

			inside += !(!page || (page == 0xffffffff && row));
		}
		assert_int_equal(apart(&p), inside);
	}
	places_release(&p);
}

/* Logical page 0 is whole, page 1 has its minipages apart: then one number is changed. */
static void check_spoilt_places(void *number)
{
	struct places p;

	places_of_test(&p);
	places_set(&p, 0, 4, 60, 0xffffffff);
	places_set(&p, 4, 2, 20, 0xff0f);
	places_check(&p);
	if (*(const int *)number == 0)
		p.entry[0] = p.entry[1];
	else if (*(const int *)number == 1)
		p.entry[1] = 0;
	else
		places_apart(&p, p.entry[1])[4] = 0; /* a page without data needs no side table */
	places_check(&p);
}

static void test_the_side_table_is_checked(void **state)
{
	static const char *const says[] = { "2 of 1 entries", "0 of 1 entries",
		"LPN 1 has places apart and does not need them" };

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_aborts(check_spoilt_places, &i, says[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_ftl),
		cmocka_unit_test(test_minipage_ftl),
		cmocka_unit_test(test_pm_ftl),
		cmocka_unit_test(test_nodes_of_pm_ftl),
		cmocka_unit_test(test_a_load_for_the_request),
		cmocka_unit_test(test_mapping_pages_are_counted),
		cmocka_unit_test(test_a_read_waits_for_its_entries),
		cmocka_unit_test(test_a_write_waits_for_its_entries),
		cmocka_unit_test(test_who_waits_for_another_die),
		cmocka_unit_test(test_who_waits_with_a_node_in_dram),
		cmocka_unit_test(test_minipages_wait_in_ram),
		cmocka_unit_test(test_the_buffer_cooperates),
		cmocka_unit_test(test_a_merged_page_waits_in_part),
		cmocka_unit_test(test_a_pack_looks_up_what_it_takes),
		cmocka_unit_test(test_the_order_of_a_collection),
		cmocka_unit_test(test_the_order_of_a_large_collection),
		cmocka_unit_test(test_random_requests),
		cmocka_unit_test(test_a_row_of_places_is_a_number),
		cmocka_unit_test(test_places_by_chance),
		cmocka_unit_test(test_the_side_table_is_checked),
	};

	return cmocka_run_group_tests_name("minipage", tests, NULL, NULL);
}
