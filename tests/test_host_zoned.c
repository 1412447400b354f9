/*
 * The layer that writes zones (host/zoned.c): where pages go and what is cleaned, worked out by hand;
 * compared with page mapping, whose collector has the same rules; dependencies; what it refuses.
 */
#include "drive/prepare/precondition.h"
#include "tests/run_fixture.h"

/* The layer alone, on zones of 4 pages of 4 sectors. */
struct alone {
	struct settings settings;
	struct host *host;
	struct fault fault;
};

static struct alone *alone_open(const char *settings, uint32_t zones)
{
	struct alone *a = memory_array(1, sizeof *a, "layer");
	int layer;

	fixture_settings(&a->settings, settings);
	params_set("host.layer=zoned", a->settings.group, a->settings.groups, &a->fault);
	layer = a->settings.host.layer;
	a->host = host_create(host_layers[layer], &a->settings.host, a->settings.host_own[layer],
		&a->settings.trace, (struct host_device){ 16 * (sector_t)zones, 4, 16 }, &a->fault);
	assert_non_null(a->host);
	return a;
}

static void alone_close(struct alone *a)
{
	host_check(a->host);
	host_free(a->host);
	settings_release(&a->settings);
	memory_free(a);
}

static void map(struct alone *a, enum request_type type, sector_t start, uint32_t sectors)
{
	host_map(a->host, &(struct request){ .start = start, .sectors = sectors, .type = type });
}

/* Writes whole pages, one by one. */
static void write_pages(struct alone *a, const uint32_t *pages, size_t n)
{
	for (size_t i = 0; i < n; i++)
		map(a, REQUEST_WRITE, 4 * pages[i], 4);
}

/* Parts as text: "R5@9+1" reads page 5 of the host at page 9 of the device, "w" moves one, T3 resets zone 3;
 * behind it the parts that it waits for, "[0,2)". */
static void expect_parts(const struct alone *a, const char *expected)
{
	const struct host *h = a->host;
	char text[512] = "";

	for (uint32_t i = 0; i < h->parts; i++) {
		const struct host_part *p = &h->part[i];
		size_t length = strlen(text);

		if (p->type == REQUEST_TRIM)
			length += (size_t)sprintf(text + length, " T%u", (unsigned)p->device.start / 16);
		else
			length += (size_t)sprintf(text + length, " %c%g@%g+%g",
				p->type == REQUEST_READ ? 'R'
				: p->moves              ? 'w'
							: 'W',
				(double)p->host / 4, (double)p->device.start / 4,
				(double)extent_sectors(p->device) / 4);
		if (p->after.from < p->after.end)
			sprintf(text + length, "[%u,%u)", p->after.from, p->after.end);
	}
	assert_string_equal(*text ? text + 1 : text, expected);
	host_check(h);
}

#define EIGHT "zoned.share=0.5 zoned.low=2 "

/* ---- where pages go ---- */

/* Pages that continue in the same zone are one command; those in the next zone are another. */
static void test_writes_are_sequential(void **state)
{
	struct alone *a = alone_open(EIGHT, 8);

	(void)state;
	assert_int_equal(a->host->sectors, 64);
	map(a, REQUEST_WRITE, 20, 24);
	expect_parts(a, "W5@0+4 W9@4+2");
	map(a, REQUEST_WRITE, 24, 4);
	expect_parts(a, "W6@6+1");
	/* Page 6 has moved, so the read has three parts. */
	map(a, REQUEST_READ, 20, 12);
	expect_parts(a, "R5@0+1 R6@6+1 R7@2+1");
	map(a, REQUEST_READ, 33, 5);
	expect_parts(a, "R8.25@3.25+0.75 R9@4+0.5");
	map(a, REQUEST_READ, 0, 8);
	expect_parts(a, "");
	alone_close(a);
}

/* A page is written as a whole; the sectors that the request lacks are read first, if it was written
 * before. */
static void test_parts_of_pages(void **state)
{
	struct alone *a = alone_open(EIGHT, 8);

	(void)state;
	map(a, REQUEST_WRITE, 21, 1);
	expect_parts(a, "W5@0+1");
	map(a, REQUEST_WRITE, 22, 4);
	expect_parts(a, "R5@0+1 W5@1+1[0,1) W6@2+1");
	map(a, REQUEST_WRITE, 23, 8);
	expect_parts(a, "R5@1+1 W5@3+1[0,1) W6@4+2");
	alone_close(a);
}

/* Whole pages are unmapped, other sectors keep their data. */
static void test_trims(void **state)
{
	struct alone *a = alone_open(EIGHT, 8);

	(void)state;
	map(a, REQUEST_WRITE, 0, 16);
	map(a, REQUEST_TRIM, 2, 9);
	expect_parts(a, "");
	assert_int_equal(a->host->trimmed.start, 4);
	assert_int_equal(a->host->trimmed.end, 8);
	map(a, REQUEST_READ, 0, 16);
	expect_parts(a, "R0@0+1 R2@2+2");
	map(a, REQUEST_TRIM, 9, 2);
	assert_true(a->host->trimmed.start >= a->host->trimmed.end);
	map(a, REQUEST_WRITE, 5, 1);
	expect_parts(a, "W1@4+1");
	alone_close(a);
}

/* ---- cleaning: 8 zones of 4 pages, 16 pages of the host ---- */

/*
 * Zones 0 to 3 are filled; then pages 1, 2, 3, 5 go to zone 4, pages 6, 7, 9, 10 to zone 5 and the others
 * except 0, 4, 8, 12 to zone 6.  One page is live in each of zones 0 to 3, in zone 0 for longest, and only
 * zone 7 is free.  Two zones must be free before another one is opened: zones 0 and 1 are cleaned into zone
 * 7.
 */
static void fill_and_overwrite(struct alone *a)
{
	static const uint32_t pages[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 2, 3, 5, 6,
		7, 9, 10, 11, 13, 14, 15 };

	write_pages(a, pages, sizeof pages / sizeof *pages);
}

static void test_cleaning_by_hand(void **state)
{
	static const uint32_t again[] = { 1, 2, 3 };
	struct alone *a = alone_open(EIGHT, 8);

	(void)state;
	fill_and_overwrite(a);
	map(a, REQUEST_WRITE, 4, 4);
	expect_parts(a, "R0@0+1 w0@28+1[0,1) T0[1,2) R4@4+1 w4@29+1[3,4) T1[4,5) W1@0+1");
	/* Zone 4 loses pages 1, 2 and 3 and then has one live page, 5, but later than zones 2 and 3. */
	write_pages(a, again + 1, 2);
	map(a, REQUEST_WRITE, 24, 4);
	expect_parts(a, "W6@3+1");
	/* Zone 1 is free, zone 7 open: one more is cleaned, and then the free zone with the fewest resets is
	 * opened, of equal ones the first. */
	map(a, REQUEST_WRITE, 12, 8);
	expect_parts(a, "R8@8+1 w8@30+1[0,1) T2[1,2) W3@4+2");
	alone_close(a);
}

/* Moved pages go to the zone of new data, and open it. */
static void test_cleaning_among_new_data(void **state)
{
	struct alone *a = alone_open(EIGHT "zoned.separate=false", 8);

	(void)state;
	fill_and_overwrite(a);
	map(a, REQUEST_WRITE, 4, 4);
	expect_parts(a, "R0@0+1 w0@28+1[0,1) T0[1,2) W1@29+1");
	alone_close(a);
}

/* A zone without live pages costs a reset only; of the free zones one that was never used is taken first. */
static void test_an_empty_zone_is_cleaned_first(void **state)
{
	static const uint32_t pages[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4,
		5, 8, 9, 12, 13, 14, 1 };
	struct alone *a = alone_open(EIGHT, 8);

	(void)state;
	write_pages(a, pages, sizeof pages / sizeof *pages);
	map(a, REQUEST_WRITE, 8, 4);
	expect_parts(a, "T0 W2@28+1");
	map(a, REQUEST_WRITE, 0, 4);
	map(a, REQUEST_WRITE, 12, 4);
	map(a, REQUEST_WRITE, 24, 4);
	expect_parts(a, "W6@31+1");
	map(a, REQUEST_WRITE, 20, 4);
	expect_parts(a, "T4 W5@0+1");
	alone_close(a);
}

/* The zone of a page's old data may be cleaned to make room for the new: the old data is read where it
 * went. */
static void test_a_page_that_moves_while_it_is_written(void **state)
{
	struct alone *a = alone_open(EIGHT, 8);

	(void)state;
	fill_and_overwrite(a);
	map(a, REQUEST_WRITE, 1, 1);
	expect_parts(a, "R0@0+1 w0@28+1[0,1) T0[1,2) R4@4+1 w4@29+1[3,4) T1[4,5) R0@28+1 W0@0+1[6,7)");
	alone_close(a);
}

/* ---- in time ---- */

/*
 * The first case above on 4 dies with a channel each: page k of a zone is on die k.  A read takes 14,100 ns,
 * a program 104,100, an erase 1,000,100.
 *
 *	die 0   read 0 to 14,100; read 4 to 28,200; program 0 (zone 7) to 132,300
 *	die 1                                       program 4 (zone 7) to 132,300
 *	all     erase zone 0, whose page has moved, to 1,132,400; zone 1 to 2,132,500
 *	die 0   program 1 in zone 0, ready since that was erased, to 2,236,600
 */
static void test_cleaning_takes_time(void **state)
{
	static const uint32_t first[] = { 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15 };
	struct replay *r = replay_open(PAPER_DRIVE
		"ftl=zns host.layer=zoned zoned.share=0.5 zoned.low=2 zns.serial=false "
		"flash.channels=4 flash.dies=1 flash.planes=1 flash.pages=1 flash.over_provisioning=0 "
		"precondition.mode=fill precondition.premap=none");
	struct drive *d = r->drive;

	(void)state;
	assert_true(precondition(d, NULL, &r->before, &r->fault));
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		assert_true(drive_place(d, (struct extent){ 4 * first[i], 4 * first[i] + 4 }));
	stat_list_start(&d->statistics);
	assert_true(drive_submit(
		d, &(struct request){ .start = 4, .sectors = 4, .line = 1, .type = REQUEST_WRITE }));
	drive_drain(d);
	assert_int_equal(statistic_in(&d->statistics, "zoned.cleaned"), 2);
	assert_int_equal(statistic_in(&d->statistics, "zoned.moved"), 2);
	assert_int_equal(statistic_in(&d->statistics, "flash.erase.host"), 8);
	assert_int_equal(statistic_in(&d->statistics, "zns.resets"), 2);
	assert_int_equal(statistic_in(&d->statistics, "request.write.latency_max_ns"), 2236600);
	replay_free(r);
}

/* ---- compared with page mapping ---- */

/* Blocks of a plane, for the collector, correspond to zones, for the layer. */
struct pair {
	unsigned zones, zone_pages, low;
	const char *share, *over_provisioning;
	bool separate;
};

static struct replay *opened(const char *size, const char *own)
{
	char settings[1024];
	struct replay *r;

	snprintf(settings, sizeof settings,
		"flash.chips=1 flash.dies=1 flash.planes=1 flash.page_bytes=2048 flash.read_ns=10000 "
		"flash.program_ns=100000 flash.erase_ns=1000000 precondition.mode=fill %s %s",
		size, own);
	r = replay_open(settings);
	assert_true(precondition(r->drive, NULL, &r->before, &r->fault));
	stat_list_start(&r->drive->statistics);
	return r;
}

static struct replay *behind_the_layer(const struct pair *p)
{
	char size[128], own[256];

	snprintf(size, sizeof size, "flash.channels=4 flash.blocks=%u flash.pages=%u", p->zones,
		p->zone_pages / 4);
	snprintf(own, sizeof own,
		"ftl=zns host.layer=zoned flash.over_provisioning=0 zoned.share=%s zoned.low=%u "
		"zoned.separate=%s",
		p->share, p->low, p->separate ? "true" : "false");
	return opened(size, own);
}

static struct replay *page_mapped(const struct pair *p)
{
	char size[128], own[256];

	snprintf(size, sizeof size, "flash.channels=1 flash.blocks=%u flash.pages=%u", p->zones,
		p->zone_pages);
	snprintf(own, sizeof own,
		"ftl=page flash.over_provisioning=%s gc.policy=greedy gc.threshold=0 gc.hysteresis=0 "
		"gc.low=%u gc.separate=%s",
		p->over_provisioning, p->low, p->separate ? "true" : "false");
	return opened(size, own);
}

static struct request any_request(struct random *random, sector_t sectors)
{
	static const enum request_type types[] = { REQUEST_WRITE, REQUEST_WRITE, REQUEST_WRITE,
		REQUEST_READ };
	sector_t range = random_below(random, 3) ? sectors / 8 : sectors;
	struct request r = { .start = random_below(random, range),
		.line = 1,
		.sectors = 1 + (uint32_t)random_below(random, 12),
		.type = types[random_below(random, 4)] };

	if (r.sectors > sectors - r.start)
		r.sectors = (uint32_t)(sectors - r.start);
	return r;
}

static void expect_equal(
	struct replay *layer, const char *of_layer, struct replay *page, const char *of_page, unsigned number)
{
	double a = statistic_in(&layer->drive->statistics, of_layer);
	double b = statistic_in(&page->drive->statistics, of_page);

	if (a != b)
		fail_msg("pair %u: %s is %g, %s of page mapping %g", number, of_layer, a, of_page, b);
}

static void test_the_counts_of_page_mapping(void **state)
{
	static const struct pair pairs[] = {
		{ 64, 64, 3, "0.75", "0.25", true },
		{ 32, 128, 4, "0.75", "0.25", true },
		{ 128, 16, 6, "0.8", "0.2", true },
		{ 64, 64, 3, "0.75", "0.25", false },
		{ 16, 32, 2, "0.7", "0.3", true },
		{ 40, 8, 2, "0.85", "0.15", false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct replay *layer = behind_the_layer(&pairs[i]), *page = page_mapped(&pairs[i]);
		struct random random;

		random_init(&random, seed_of_run() + i, 5);
		assert_int_equal(layer->drive->host->sectors, page->drive->host->sectors);
		for (unsigned n = 0; n < 20 * pairs[i].zones * pairs[i].zone_pages / 10; n++) {
			struct request r = any_request(&random, page->drive->host->sectors);

			assert_true(drive_submit(layer->drive, &r) && drive_submit(page->drive, &r));
			drive_drain(layer->drive);
			drive_drain(page->drive);
		}
		drive_check(layer->drive);
		expect_equal(layer, "zoned.writes", page, "flash.program.host", i);
		expect_equal(layer, "zoned.completed", page, "flash.read.rmw", i);
		expect_equal(layer, "zoned.moved", page, "gc.moved_pages", i);
		expect_equal(layer, "zoned.cleaned", page, "gc.collections", i);
		expect_equal(layer, "zns.resets", page, "flash.erase.total", i);
		expect_equal(layer, "wear.max", page, "wear.max", i);
		expect_equal(layer, "waf", page, "waf", i);
		assert_int_equal(statistic_in(&layer->drive->statistics, "zns.waf"), 1);
		assert_true(statistic_in(&layer->drive->statistics, "zoned.moved") > 0);
		replay_free(layer);
		replay_free(page);
	}
}

/* Two streams fill two zones, which one active zone does not allow. */
static void test_streams_need_active_zones(void **state)
{
	static const struct {
		const char *settings;
		bool is_drive;
	} list[] = {
		{ "zns.open=1 zns.active=1", false },
		{ "zns.open=1 zns.active=1 zoned.separate=false", true },
		{ "zns.open=1 zns.active=2", true },
		{ "zns.open=0 zns.active=0", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		char text[600];
		struct settings s;
		struct fault fault = { "" };
		struct drive *d;

		snprintf(text, sizeof text,
			PAPER_DRIVE "ftl=zns host.layer=zoned flash.blocks=20 zoned.share=0.3 "
				    "precondition.premap=none %s",
			list[i].settings);
		fixture_settings(&s, text);
		d = drive_create(&s, false, &fault);
		if ((d != NULL) != list[i].is_drive)
			fail_msg("%s: %s", list[i].settings, fault.text);
		if (!d)
			assert_non_null(strstr(fault.text, "zns.active = 1 allows one"));
		drive_free(d);
		settings_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_are_sequential),
		cmocka_unit_test(test_parts_of_pages),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_cleaning_by_hand),
		cmocka_unit_test(test_cleaning_among_new_data),
		cmocka_unit_test(test_an_empty_zone_is_cleaned_first),
		cmocka_unit_test(test_a_page_that_moves_while_it_is_written),
		cmocka_unit_test(test_cleaning_takes_time),
		cmocka_unit_test(test_streams_need_active_zones),
		cmocka_unit_test(test_the_counts_of_page_mapping),
	};

	return cmocka_run_group_tests_name("layer that writes zones", tests, NULL, NULL);
}
