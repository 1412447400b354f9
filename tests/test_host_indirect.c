/*
 * The layer that redirects (host/indirect.c): where each write goes, worked out by hand, and in the long run
 * compared with the formula for its mean distance; what is read to complete a sector, and what waits for it;
 * what it refuses.
 */
#include "drive/prepare/image.h"
#include "drive/prepare/precondition.h"
#include "tests/run_fixture.h"

#include <math.h>

/* The layer alone, on a device of `device_sectors` sectors of 512 bytes in pages of 4. */
struct alone {
	struct settings settings;
	struct host *host;
	struct fault fault;
};

static struct alone *alone_open(const char *settings, sector_t device_sectors)
{
	struct alone *a = memory_array(1, sizeof *a, "layer");
	int layer;

	fixture_settings(&a->settings, settings);
	params_set("host.layer=indirect", a->settings.group, a->settings.groups, &a->fault);
	layer = a->settings.host.layer;
	a->host = host_create(host_layers[layer], &a->settings.host, a->settings.host_own[layer],
		&a->settings.trace, (struct host_device){ device_sectors, 4 }, &a->fault);
	return a;
}

static void alone_close(struct alone *a)
{
	host_free(a->host);
	settings_release(&a->settings);
	memory_free(a);
}

static const struct host *map(struct alone *a, enum request_type type, sector_t start, uint32_t sectors)
{
	host_map(a->host, &(struct request){ .start = start, .sectors = sectors, .type = type });
	return a->host;
}

/* Writes a whole sector of 2 KiB; returns the place it goes to. */
static sector_t place_of(struct alone *a, sector_t sector)
{
	const struct host *h = map(a, REQUEST_WRITE, 4 * sector, 4);

	assert_int_equal(h->parts, 1);
	assert_int_equal(h->part[0].type, REQUEST_WRITE);
	assert_int_equal(h->part[0].host, 4 * sector);
	assert_int_equal(extent_sectors(h->part[0].device), 4);
	assert_int_equal(h->part[0].device.start % 4, 0);
	return h->part[0].device.start / 4;
}

#define SMALL "indirect.sector_bytes=2K indirect.logical_sectors=4 indirect.pool=0.5 "

static void assert_part(const struct host *h, uint32_t part, enum request_type type, sector_t host,
	sector_t start, sector_t sectors)
{
	assert_true(part < h->parts);
	assert_int_equal(h->part[part].type, type);
	assert_int_equal(h->part[part].host, host);
	assert_int_equal(h->part[part].device.start, start);
	assert_int_equal(extent_sectors(h->part[part].device), sectors);
}

/* ---- where writes go ---- */

/* Sectors 0-3 at 0-3, pool 4 and 5.  Figure 2 of the paper: 0, 3 and 0 again; then on, around the end. */
static void test_the_nearest_place_ahead(void **state)
{
	static const struct {
		sector_t sector, place;
	} writes[] = { { 0, 4 }, { 3, 5 }, { 0, 0 }, { 1, 3 }, { 1, 4 }, { 2, 1 }, { 0, 2 }, { 3, 3 } };
	struct alone *a = alone_open(SMALL, 24);

	(void)state;
	assert_int_equal(a->host->sectors, 16);
	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
		assert_int_equal(place_of(a, writes[i].sector), writes[i].place);
	host_check(a->host);
	alone_close(a);
}

/* The same with a lag of 1: a place that a write frees may be written by the next but one. */
static void test_a_place_joins_the_pool_later(void **state)
{
	static const struct {
		sector_t sector, place;
	} writes[] = { { 0, 4 }, { 3, 5 }, { 0, 0 }, { 1, 3 }, { 1, 4 }, { 2, 1 } };
	struct alone *a = alone_open(SMALL "indirect.async_lag=1", 24);

	(void)state;
	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
		assert_int_equal(place_of(a, writes[i].sector), writes[i].place);
	/* Sector 2 lay at 2, which is free but not in the pool yet; only 3, freed by the write before, is. */
	assert_int_equal(place_of(a, 0), 3);
	assert_int_equal(place_of(a, 0), 2);
	host_check(a->host);
	alone_close(a);
}

/* 20,000 writes of s/256 mod |L|, s = 1103515245 s + 12345 mod 2^31: places and distances of an independent
 * model. */
static void test_twenty_thousand_writes(void **state)
{
	static const struct {
		const char *settings;
		uint32_t logical, places;
		uint64_t distance, last;
	} cases[] = {
		{ "indirect.logical_sectors=1000 indirect.pool=1 indirect.async_lag=3", 1000, 2000, 25972,
			1971 },
		{ "indirect.logical_sectors=1000 indirect.pool=1", 1000, 2000, 25956, 1955 },
		{ "indirect.logical_sectors=4096 indirect.pool=0.125 indirect.async_lag=3", 4096, 4608, 97119,
			350 },
		{ "indirect.logical_sectors=4096 indirect.pool=0.125", 4096, 4608, 96536, 4375 },
		{ "indirect.logical_sectors=1000 indirect.pool=0.145 indirect.async_lag=3", 1000, 1145, 84498,
			912 },
		{ "indirect.logical_sectors=1000 indirect.pool=0.145", 1000, 1145, 83240, 799 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char settings[160];
		struct alone *a;
		uint64_t s = 0x5eed, distance = 0, last = cases[i].places - 1;

		snprintf(settings, sizeof settings, "indirect.sector_bytes=2K %s", cases[i].settings);
		a = alone_open(settings, 4 * cases[i].places);
		assert_non_null(a->host);
		for (int n = 0; n < 20000; n++) {
			uint64_t from = last;

			s = (s * 1103515245 + 12345) & 0x7fffffff;
			last = place_of(a, (s >> 8) % cases[i].logical);
			distance += (last + cases[i].places - from - 1) % cases[i].places + 1;
		}
		assert_int_equal(distance, cases[i].distance);
		assert_int_equal(last, cases[i].last);
		host_check(a->host);
		alone_close(a);
	}
}

/*
 * Just ahead of the last write the share u of free places solves u = 1 - exp(-u |F|/|L|), and the mean
 * distance is 1/u: 4.13 for the paper's 29,000 of 200,000, "an average distance of 4", where equation (1)
 * gives 7.90.
 */
static void test_mean_distance_in_the_long_run(void **state)
{
	static const double pools[] = { 0.145, 0.25, 0.5, 3 };
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 3);
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
		enum { LOGICAL = 20000 };
		uint64_t places = LOGICAL + (uint64_t)llround(pools[i] * LOGICAL), distance = 0,
			 last = places - 1, n;
		double u = 1;
		char settings[160];
		struct alone *a;

		for (int step = 0; step < 200; step++)
			u = 1 - exp(-u * (double)places / LOGICAL);
		snprintf(settings, sizeof settings,
			"indirect.sector_bytes=2K indirect.logical_sectors=%d indirect.pool=%g", LOGICAL,
			pools[i]);
		a = alone_open(settings, 4 * places);
		for (n = 0; n < 3 * places; n++)
			last = place_of(a, random_below(&random, LOGICAL));
		for (n = 0; n < 2 * places; n++) {
			uint64_t from = last;

			last = place_of(a, random_below(&random, LOGICAL));
			distance += (last + places - from - 1) % places + 1;
		}
		assert_float_equal((double)distance / (double)n * u, 1, 0.015);
		alone_close(a);
	}
}

/* ---- parts of sectors ---- */

/* Of sector 1, the second and third 512 bytes are written: a write of the last ones reads these first, at
 * their place. */
static void test_what_a_sector_lacks_is_read(void **state)
{
	struct alone *a = alone_open(SMALL, 24);
	const struct host *h = map(a, REQUEST_WRITE, 5, 2);

	(void)state;
	assert_int_equal(h->parts, 1);
	assert_part(h, 0, REQUEST_WRITE, 5, 17, 2);
	h = map(a, REQUEST_WRITE, 7, 4);
	assert_int_equal(h->parts, 3);
	assert_part(h, 0, REQUEST_READ, 5, 17, 2);
	assert_part(h, 1, REQUEST_WRITE, 5, 21, 3);
	assert_part(h, 2, REQUEST_WRITE, 8, 4, 3);
	h = map(a, REQUEST_READ, 0, 12);
	assert_int_equal(h->parts, 2);
	assert_part(h, 0, REQUEST_READ, 5, 21, 3);
	assert_part(h, 1, REQUEST_READ, 8, 4, 3);
	h = map(a, REQUEST_TRIM, 6, 4);
	assert_int_equal(h->parts, 2);
	assert_part(h, 0, REQUEST_TRIM, 6, 22, 2);
	assert_part(h, 1, REQUEST_TRIM, 8, 4, 2);
	h = map(a, REQUEST_READ, 0, 16);
	assert_int_equal(h->parts, 2);
	assert_part(h, 0, REQUEST_READ, 5, 21, 1);
	assert_part(h, 1, REQUEST_READ, 10, 6, 1);
	alone_close(a);
}

/* Places that join the pool are trimmed on the device. */
static void test_trims(void **state)
{
	struct alone *a = alone_open(SMALL "indirect.trim=true", 24);
	const struct host *h;

	(void)state;
	map(a, REQUEST_WRITE, 0, 3);
	h = map(a, REQUEST_WRITE, 2, 2);
	assert_int_equal(h->parts, 3);
	assert_part(h, 0, REQUEST_READ, 0, 16, 2);
	assert_part(h, 1, REQUEST_TRIM, 0, 16, 3);
	assert_part(h, 2, REQUEST_WRITE, 0, 20, 4);
	alone_close(a);
}

#define BEHIND_LAYER PAPER_DRIVE "host.layer=indirect indirect.sector_bytes=2K "

/* A write of the second sector of a full page of four: the page is read (100 + 10000 + 4000), then programmed
 * elsewhere (100 + 4000 + 100000).  Where there is no data yet, nothing is read. */
static void test_a_write_waits_for_what_completes_it(void **state)
{
	struct replay *r = replay(BEHIND_LAYER, "0 0 0 1 0\n1000000 0 4 4 0\n2000000 0 5 1 0\n");
	const struct histogram *latency = &r->drive->count->request[REQUEST_WRITE].latency;

	(void)state;
	assert_int_equal(latency->min, 100 + 1000 + 100000);
	assert_int_equal(latency->max, 14100 + 104100);
	assert_int_equal(flash_total(r->drive->flash, OP_READ), 1);
	drive_check(r->drive);
	replay_free(r);
}

/* Both sectors of a write are completed by reads, the second behind three reads of its page (14100 each): the
 * programs of both begin only after that read (13100). */
static void test_a_write_waits_for_all_that_completes_it(void **state)
{
	struct replay *r =
		replay(BEHIND_LAYER, "0 0 0 8 0\n1000000 0 4 4 1\n1000000 0 4 4 1\n1000000 0 4 4 1\n"
				     "1000000 0 1 4 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 3 * 14100 + 13100 + 104100);
	replay_free(r);
}

/* ---- with a drive ---- */

/* The whole device is written beneath the layer: the host finds its sectors at their first places. */
static void test_beneath(void **state)
{
	struct replay *r = replay_open(BEHIND_LAYER "precondition.mode=fill precondition.beneath=true");
	struct precondition_result before;
	char text[80];

	(void)state;
	assert_true(precondition(r->drive, NULL, &before, &r->fault));
	assert_int_equal(before.valid_pages, r->drive->geometry.logical_pages);
	stat_list_start(&r->drive->statistics);
	snprintf(text, sizeof text, "0 0 0 %llu 1\n1000000 0 1 1 0\n2000000 0 0 8 1\n",
		(unsigned long long)r->drive->host->sectors);
	replay_trace(r, text);
	assert_int_equal(r->end, RUN_DONE);
	assert_int_equal(r->drive->ftl->map.unmapped_reads, 0);
	assert_int_equal(flash_total(r->drive->flash, OP_READ), r->drive->host->sectors / 4 + 1 + 2);
	replay_free(r);
}

/* Filling through the layer leaves the pages of the pool as they were. */
static void test_filled_through_the_layer(void **state)
{
	struct replay *r = replay_open(BEHIND_LAYER "precondition.mode=fill");
	struct precondition_result before;

	(void)state;
	assert_true(precondition(r->drive, NULL, &before, &r->fault));
	assert_int_equal(before.valid_pages, r->drive->host->sectors / 4);
	drive_check(r->drive);
	replay_free(r);
}

static void test_a_drive_is_loaded_behind_its_own_layer(void **state)
{
	static const char *const others[] = { PAPER_DRIVE, BEHIND_LAYER "indirect.sector_bytes=4K",
		BEHIND_LAYER "indirect.async_lag=1", BEHIND_LAYER "indirect.pool=0.5" };
	struct replay *saved = replay_open(BEHIND_LAYER);
	char path[] = "/tmp/ssdlab-drive-XXXXXX";
	int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	assert_true(image_save(saved->drive, path, &saved->fault));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct replay *other = replay_open(others[i]);

		assert_false(image_load(other->drive, path, &other->fault));
		assert_non_null(strstr(other->fault.text, "another drive was saved"));
		replay_free(other);
	}
	unlink(path);
	close(file);
	replay_free(saved);
}

/* ---- statistics and refusals ---- */

/* The paper's SSD: 687 KB of table and list for 229,000 sectors, 800 MB for the host. */
static void test_statistics(void **state)
{
	static const char *const lines[] = {
		"\nindirect.table_bytes = 687000 ",
		"\nindirect.usable_bytes = 819200000 ",
		"\ndrive.logical_bytes = 819200000 ",
		"\nindirect.pool_sectors = 29000 ",
		"\nindirect.writes = 4 ",
		"\nindirect.completed = 1 ",
		"\nindirect.distance = 200004 ",
		"\nindirect.last = 200003 ",
	};
	struct replay *r =
		replay(PAPER_DRIVE "flash.blocks=20000 host.layer=indirect indirect.logical_sectors=200000 "
				   "indirect.pool=0.145 flash.over_provisioning=0.25",
			"0 0 0 8 0\n1000000 0 8 4 0\n2000000 0 12 1 0\n3000000 0 0 8 0\n");
	char *report = replay_report(r);

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strstr(report, lines[i]))
			fail_msg("%s is not in %s", lines[i], report);
	free(report);
	replay_free(r);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *settings, *says;
	} cases[] = {
		{ "indirect.sector_bytes=1536",
			"indirect.sector_bytes = 1536 is not a power of two; use 512 to 32768" },
		{ "indirect.sector_bytes=1K indirect.logical_sectors=7",
			"7 is no whole number of pages, which have 2 of" },
		{ "indirect.logical_sectors=100 indirect.pool=0.3",
			"100 sectors of 4096 bytes and a pool of 30 do not fit on a device of 128" },
		{ "indirect.pool=1000",
			"0 sectors of 4096 bytes and a pool of 128 do not fit on a device of 128" },
		{ "indirect.logical_sectors=100 indirect.pool=0.28 indirect.async_lag=28",
			"a pool of 28 sectors runs dry with async_lag = 28; use a larger indirect.pool" },
		{ "indirect.logical_sectors=100 indirect.pool=0", "a pool of 0 sectors runs dry" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct alone *a = alone_open(cases[i].settings, 1024);

		assert_null(a->host);
		if (!strstr(a->fault.text, cases[i].says))
			fail_msg("%s: %s", cases[i].settings, a->fault.text);
		alone_close(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_nearest_place_ahead),
		cmocka_unit_test(test_a_place_joins_the_pool_later),
		cmocka_unit_test(test_twenty_thousand_writes),
		cmocka_unit_test(test_mean_distance_in_the_long_run),
		cmocka_unit_test(test_what_a_sector_lacks_is_read),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_a_write_waits_for_what_completes_it),
		cmocka_unit_test(test_a_write_waits_for_all_that_completes_it),
		cmocka_unit_test(test_beneath),
		cmocka_unit_test(test_filled_through_the_layer),
		cmocka_unit_test(test_a_drive_is_loaded_behind_its_own_layer),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("host layer indirect", tests, NULL, NULL);
}
