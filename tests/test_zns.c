/*
 * Zones (ftl/zns/): the state machine against an independent model, command by command; where pages lie;
 * times and messages worked out by hand.
 */
#include "ftl/zns/zns.h"
#include "drive/prepare/precondition.h"
#include "tests/run_fixture.h"
#include "traces/source.h"

/* ---- commands ---- */

struct device {
	struct settings settings;
	struct drive *drive;
	struct zns *zns;
	uint32_t page, zone;      /* sectors of each */
	unsigned behind, nothing; /* see obey() */
};

static struct device *device_open(const char *settings)
{
	struct device *d = memory_array(1, sizeof *d, "device");
	struct fault fault = { "" };
	char text[2048];

	snprintf(text, sizeof text, "ftl=zns precondition.premap=none %s", settings);
	fixture_settings(&d->settings, text);
	d->drive = drive_create(&d->settings, true, &fault);
	if (!d->drive)
		fail_msg("%s", fault.text);
	d->zns = zns_of(d->drive->ftl);
	d->page = d->drive->geometry.sectors_per_page;
	d->zone = (uint32_t)d->zns->zone_sectors;
	stat_list_start(&d->drive->statistics);
	return d;
}

static void device_close(struct device *d)
{
	drive_drain(d->drive);
	drive_check(d->drive);
	drive_free(d->drive);
	settings_release(&d->settings);
	memory_free(d);
}

static void assert_statistic(struct device *d, const char *name, double value)
{
	double got = statistic_in(&d->drive->statistics, name);

	if (got != value)
		fail_msg("%s is %g, not %g", name, got, value);
}

/* A request of whole pages of a zone, done at once.  False: the run would end. */
static bool give(
	struct device *d, enum request_type type, uint32_t zone, uint32_t page, uint32_t pages, uint8_t flags)
{
	struct request r = { .arrival = schedule_now(d->drive->flash->schedule),
		.start = (sector_t)zone * d->zone + (sector_t)page * d->page,
		.line = 1,
		.sectors = pages * d->page,
		.type = type,
		.flags = flags };
	bool taken = drive_submit(d->drive, &r);

	drive_drain(d->drive);
	return taken;
}

/* Commands for which there is no request. */
static void command(struct device *d, char letter, uint32_t zone)
{
	struct schedule *s = d->drive->flash->schedule;
	struct io io;
	uint32_t ticket;
	tick_t when;

	schedule_begin(s, &io);
	if (letter == 'O')
		zone_open(d->drive->ftl, &io, zone);
	else if (letter == 'C')
		zone_close(d->drive->ftl, &io, zone);
	else
		zone_finish(d->drive->ftl, &io, zone);
	schedule_submit(s, &io, 0);
	schedule_drain(s);
	while (schedule_completed(s, &ticket, &when))
		;
}

/* ---- against an independent model ---- */

/*
 * To the model a zone that is finished and not padded is written to its end: reads behind its data are reads,
 * and its reset erases.  Here there is nothing to read or erase; the differences are counted.
 */
static void note_differences(struct device *d, char letter, uint32_t zone, uint32_t pages)
{
	const struct zone *z = &d->zns->zone[zone];
	uint32_t data = (uint32_t)(z->written / d->page);

	if (z->state != ZONE_FULL || z->padded)
		return;
	if (letter == 'R' && pages > data)
		d->behind += pages - data;
	d->nothing += letter == 'T' && !data;
}

/* One of `W|A|R|T|F|O|C zone [pages]`: a write at the pointer, an append, a read of the first pages, a reset,
 * finish, open, close. */
static void obey(struct device *d, char letter, uint32_t zone, uint32_t pages)
{
	uint32_t pointer = (uint32_t)(d->zns->zone[zone].written / d->page);

	note_differences(d, letter, zone, pages);
	if (letter == 'W')
		give(d, REQUEST_WRITE, zone, pointer < d->zns->zone_pages ? pointer : 0, pages, 0);
	else if (letter == 'A')
		give(d, REQUEST_WRITE, zone, 0, pages, REQUEST_APPEND);
	else if (letter == 'R')
		give(d, REQUEST_READ, zone, 0, pages, 0);
	else if (letter == 'T')
		give(d, REQUEST_TRIM, zone, 0, d->zns->zone_pages, 0);
	else
		command(d, letter, zone);
}

static void obey_list(struct device *d, const char *name)
{
	const char *line, *end;
	char path[128], text[64], letter;
	uint32_t zone, pages;
	struct source *list;
	struct fault fault;
	unsigned n = 0;

	snprintf(path, sizeof path, "tests/golden/traces/%s.zones.xz", name);
	list = source_open(path, NULL, false, &fault);
	assert_non_null(list);
	for (; source_line(list, &line, &end, &fault) == SOURCE_OK; n++) {
		pages = 0;
		snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
		assert_true(sscanf(text, "%c %u %u", &letter, &zone, &pages) >= 2);
		obey(d, letter, zone, pages);
		if (n % 256 == 0)
			ftl_check(d->drive->ftl);
	}
	assert_true(n > 0 && source_sound(list, &fault));
	source_close(list);
}

/* The value here of a counter of the table. */
static double counter(struct device *d, const char *name)
{
	struct stat_list *list = &d->drive->statistics;
	char text[64];

	if (!strcmp(name, "open_end"))
		return d->zns->open;
	if (!strcmp(name, "active_end"))
		return d->zns->active;
	if (!strcmp(name, "programs"))
		return statistic_in(list, "flash.program.host");
	if (!strcmp(name, "pad_pages"))
		return statistic_in(list, "flash.program.pad");
	if (!strcmp(name, "reads"))
		return statistic_in(list, "flash.read.host") + d->behind;
	if (!strcmp(name, "unmapped_reads"))
		return statistic_in(list, "map.unmapped_reads") - d->behind;
	if (!strcmp(name, "erased_zones"))
		return statistic_in(list, "zns.erased_zones") + d->nothing;
	snprintf(text, sizeof text, "zns.%s", name);
	return statistic_in(list, text);
}

struct row {
	char trace[32], model[96], name[32];
	double value;
};

static bool next_row(FILE *table, struct row *row)
{
	char line[256];

	while (fgets(line, sizeof line, table))
		if (sscanf(line, "golden\t%31[^\t]\t%95[^\t]\t%31[^\t]\t%lf", row->trace, row->model,
			    row->name, &row->value) == 4)
			return true;
	return false;
}

/* "zns zones=24 zone=256 open=2 active=8 finish=pad" on 4 planes. */
static struct device *device_of(const char *model)
{
	unsigned zones, zone, open, active;
	char finish[8], settings[512];

	assert_int_equal(sscanf(model, "zns zones=%u zone=%u open=%u active=%u finish=%7s", &zones, &zone,
				 &open, &active, finish),
		5);
	snprintf(settings, sizeof settings,
		"flash.channels=2 flash.chips=1 flash.dies=1 flash.planes=2 flash.page_bytes=2048 "
		"flash.over_provisioning=0 flash.blocks=%u flash.pages=%u zns.open=%u zns.active=%u "
		"zns.finish=%s zns.refuse=count",
		zones, zone / 4, open, active, finish);
	return device_open(settings);
}

static void test_counts_of_a_model(void **state)
{
	FILE *table = fopen("tests/golden/zns-counts.tsv", "r");
	struct row row, before = { .trace = "" };
	struct device *d = NULL;
	unsigned rows = 0, wrong = 0;

	(void)state;
	assert_non_null(table);
	for (; next_row(table, &row); rows++) {
		if (strcmp(row.trace, before.trace) || strcmp(row.model, before.model)) {
			if (d)
				device_close(d);
			d = device_of(row.model);
			obey_list(d, row.trace);
			before = row;
		}
		if (counter(d, row.name) != row.value) {
			print_error("%s, %s: %s is %g, not %g\n", row.trace, row.model, row.name,
				counter(d, row.name), row.value);
			wrong++;
		}
	}
	device_close(d);
	fclose(table);
	assert_int_equal(rows, 456);
	assert_int_equal(wrong, 0);
}

/* ---- where pages lie ---- */

/*
 * Eight planes, channels first: position 1 is plane 4, of the other channel.  Zone 2 is block 2 of each
 * plane, its page 9 the second one of plane 4.  Of two rows zone 1 is blocks 2 and 3, its page 40 the second
 * one of plane 0 in block 3.
 */
static void test_places_of_pages(void **state)
{
	struct device *d = device_open(PAPER_DRIVE);

	(void)state;
	assert_int_equal(d->zns->zones, 4);
	assert_int_equal(d->zns->zone_pages, 32);
	assert_int_equal(zns_page(d->drive->ftl, 2, 9), (4 * 8 + 2) * 4 + 1);
	assert_int_equal(zns_page(d->drive->ftl, 2, 31), (7 * 8 + 2) * 4 + 3);
	give(d, REQUEST_WRITE, 2, 0, 10, 0);
	assert_int_equal(flash_owner(d->drive->flash, (4 * 8 + 2) * 4 + 1), 2 * 32 + 9);
	device_close(d);
	d = device_open(PAPER_DRIVE "zns.rows=2");
	assert_int_equal(d->zns->zones, 2);
	assert_int_equal(zns_page(d->drive->ftl, 1, 40), 3 * 4 + 1);
	device_close(d);
}

/* ---- states ---- */

static void expect_states(struct device *d, const char *letters)
{
	for (uint32_t zone = 0; letters[zone]; zone++)
		if ("eoxcf"[d->zns->zone[zone].state] != letters[zone])
			fail_msg("zone %u is %s, not %c", zone, zone_state_names[d->zns->zone[zone].state],
				letters[zone]);
}

/* States: empty, open, x = open by a command, closed, full.  Two may be open, three active. */
static void test_states_by_hand(void **state)
{
	static const struct {
		const char *command, *states;
	} steps[] = {
		{ "W0", "oeee" },
		{ "W1", "ooee" },
		{ "W2", "cooe" }, /* 0 was used least recently */
		{ "W1", "cooe" },
		{ "W0", "ooce" }, /* 2, not 1, which was used later */
		{ "W3", "ooce" }, /* refused: three are active */
		{ "O1", "oxce" },
		{ "O2", "cxxe" }, /* 1 is not closed for it */
		{ "W0", "cxxe" }, /* refused: two open by command */
		{ "C1", "ccxe" },
		{ "W0", "ocxe" },
		{ "F1", "ofxe" },
		{ "W1", "ofxe" }, /* refused: full */
		{ "O3", "cfxx" },
		{ "C3", "cfxe" }, /* nothing was written to it */
		{ "C0", "cfxe" },
		{ "T1", "cexe" },
		{ "T0", "eexe" },
		{ "T2", "eeee" },
		{ "T2", "eeee" },
		{ "F3", "eeef" },
		{ "T3", "eeee" },
	};
	struct device *d =
		device_open(PAPER_DRIVE "zns.open=2 zns.active=3 zns.refuse=count zns.finish=none");

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		obey(d, steps[i].command[0], (uint32_t)(steps[i].command[1] - '0'), 1);
		expect_states(d, steps[i].states);
		ftl_check(d->drive->ftl);
	}
	assert_statistic(d, "zns.writes", 6);
	assert_statistic(d, "zns.implicit_closes", 4);
	assert_statistic(d, "zns.explicit_opens", 3);
	assert_statistic(d, "zns.closes", 2);
	assert_statistic(d, "zns.finishes", 2);
	assert_statistic(d, "zns.resets", 4);
	assert_statistic(d, "zns.erased_zones", 3);
	assert_statistic(d, "zns.error_active", 1);
	assert_statistic(d, "zns.error_open", 1);
	assert_statistic(d, "zns.error_full", 1);
	assert_statistic(d, "zns.open_most", 2);
	assert_statistic(d, "zns.active_most", 3);
	device_close(d);
}

/* A write that ends with the zone fills it; one that goes beyond it is refused as a whole. */
static void test_the_end_of_a_zone(void **state)
{
	struct device *d = device_open(PAPER_DRIVE "zns.refuse=count");

	(void)state;
	give(d, REQUEST_WRITE, 1, 0, 30, 0);
	give(d, REQUEST_WRITE, 1, 30, 3, 0);
	expect_states(d, "eoee");
	give(d, REQUEST_WRITE, 1, 0, 2, REQUEST_APPEND);
	expect_states(d, "efee");
	give(d, REQUEST_WRITE, 1, 0, 1, REQUEST_APPEND);
	assert_statistic(d, "zns.error_boundary", 1);
	assert_statistic(d, "zns.error_full", 1);
	assert_statistic(d, "zns.filled", 1);
	assert_statistic(d, "zns.appends", 1);
	assert_statistic(d, "zns.writes", 1);
	assert_statistic(d, "flash.program.total", 32);
	give(d, REQUEST_READ, 1, 0, 32, 0);
	assert_statistic(d, "flash.read.host", 32);
	device_close(d);
}

/* An append names its zone by any of its pages, also one that its data does not come to: 31 and 32 of an
 * untouched zone, the pages behind the pointer, one before it.  The data is at the pointer, and is new. */
static void test_an_append_names_any_page(void **state)
{
	static const uint32_t named[] = { 31, 2, 4, 0 }, pages[] = { 2, 1, 3, 1 };
	struct device *d = device_open(PAPER_DRIVE);

	(void)state;
	for (unsigned round = 1; round <= 2; round++) {
		for (size_t i = 0; i < 4; i++)
			assert_true(give(d, REQUEST_WRITE, 1, named[i], pages[i], REQUEST_APPEND));
		assert_int_equal(d->zns->zone[1].written, 7 * d->page);
		assert_true(give(d, REQUEST_READ, 1, 0, 7, 0));
		assert_statistic(d, "flash.read.host", 7 * round);
		assert_statistic(d, "zns.appends", 4 * round);
		assert_true(give(d, REQUEST_TRIM, 1, 0, 32, 0));
	}
	device_close(d);
}

/* ---- data ---- */

static bool give_sectors(struct device *d, enum request_type type, sector_t start, uint32_t sectors)
{
	struct request r = { .arrival = schedule_now(d->drive->flash->schedule),
		.start = start,
		.line = 1,
		.sectors = sectors,
		.type = type };
	bool taken = drive_submit(d->drive, &r);

	drive_drain(d->drive);
	return taken;
}

/* A quarter of a page waits in the controller's memory, and is read there; the rest completes it. */
static void test_parts_of_pages(void **state)
{
	struct device *d = device_open(PAPER_DRIVE);

	(void)state;
	give_sectors(d, REQUEST_WRITE, 0, 1);
	give_sectors(d, REQUEST_READ, 0, 4);
	assert_statistic(d, "flash.program.total", 0);
	assert_statistic(d, "flash.read.total", 0);
	assert_statistic(d, "flash.read.forwarded.host", 1);
	assert_statistic(d, "map.unmapped_reads", 0);
	assert_statistic(d, "request.write.latency_max_ns", 0);
	assert_statistic(d, "request.read.latency_max_ns", 0);
	give_sectors(d, REQUEST_WRITE, 1, 2);
	give_sectors(d, REQUEST_WRITE, 3, 6);
	assert_statistic(d, "flash.program.total", 2);
	assert_statistic(d, "zns.pages", 2);
	give_sectors(d, REQUEST_READ, 2, 7);
	assert_statistic(d, "flash.read.host", 2);
	assert_statistic(d, "flash.read.forwarded.host", 2);
	/* A reset drops the sector that waits; a finish writes it to flash. */
	give(d, REQUEST_TRIM, 0, 0, 32, 0);
	give_sectors(d, REQUEST_READ, 8, 1);
	assert_statistic(d, "map.unmapped_reads", 1);
	give_sectors(d, REQUEST_WRITE, 0, 5);
	command(d, 'F', 0);
	give_sectors(d, REQUEST_READ, 0, 8);
	assert_statistic(d, "flash.program.host", 4);
	assert_statistic(d, "flash.program.pad", 30);
	assert_statistic(d, "flash.read.host", 4);
	device_close(d);
}

/* A zone is programmed with the host's data and nothing else; one that is finished early is padded. */
static void test_amplification_of_the_device(void **state)
{
	struct device *d = device_open(PAPER_DRIVE);

	(void)state;
	give(d, REQUEST_WRITE, 0, 0, 32, 0);
	give(d, REQUEST_WRITE, 3, 0, 8, 0);
	assert_statistic(d, "zns.waf", 1);
	assert_statistic(d, "waf", 1);
	command(d, 'F', 3);
	assert_statistic(d, "flash.program.pad", 24);
	assert_statistic(d, "zns.waf", 1 + 24.0 / 40);
	give(d, REQUEST_TRIM, 3, 0, 32, 0);
	assert_statistic(d, "flash.erase.host", 8);
	assert_statistic(d, "flash.erase.total", 8);
	device_close(d);
	d = device_open(PAPER_DRIVE "zns.finish=none");
	give(d, REQUEST_WRITE, 3, 0, 5, 0);
	command(d, 'F', 3);
	assert_statistic(d, "zns.waf", 1);
	give(d, REQUEST_READ, 3, 0, 32, 0);
	assert_statistic(d, "flash.read.host", 5);
	assert_statistic(d, "map.unmapped_reads", 27);
	give(d, REQUEST_TRIM, 3, 0, 32, 0);
	assert_statistic(d, "flash.erase.host", 5);
	device_close(d);
}

/* Only a trim of one whole zone is a reset; after any other the data is still there, as the oracle sees. */
static void test_other_trims_are_ignored(void **state)
{
	struct device *d = device_open(PAPER_DRIVE);

	(void)state;
	give(d, REQUEST_WRITE, 0, 0, 32, 0);
	give(d, REQUEST_WRITE, 1, 0, 3, 0);
	give(d, REQUEST_TRIM, 0, 0, 31, 0);
	give(d, REQUEST_TRIM, 0, 1, 32, 0);
	give(d, REQUEST_TRIM, 0, 0, 64, 0);
	give(d, REQUEST_READ, 0, 0, 35, 0);
	assert_statistic(d, "zns.ignored_trims", 3);
	assert_statistic(d, "zns.resets", 0);
	assert_statistic(d, "flash.read.host", 35);
	give(d, REQUEST_TRIM, 1, 0, 32, 0);
	give(d, REQUEST_READ, 1, 0, 3, 0);
	assert_statistic(d, "zns.resets", 1);
	assert_statistic(d, "map.unmapped_reads", 3);
	device_close(d);
}

/* ---- time: a program takes 4100 ns on the bus and 100 us in the cells, an erase 100 ns and 1 ms ---- */

/* Commands at the same time, and when each is done. */
struct timed {
	const char *settings, *commands;
	tick_t done[4];
};

static void submit_at_once(struct device *d, const char *commands)
{
	char letter;
	unsigned zone, page, pages;
	int length;

	for (; sscanf(commands, "%c%u.%u+%u %n", &letter, &zone, &page, &pages, &length) == 4;
		commands += length) {
		struct request r = { .start = (sector_t)zone * d->zone + (sector_t)page * d->page,
			.line = 1,
			.sectors = pages * d->page,
			.type = letter == 'T' ? REQUEST_TRIM : REQUEST_WRITE,
			.flags = letter == 'A' ? REQUEST_APPEND : 0 };

		assert_true(drive_submit(d->drive, &r));
	}
}

static void test_times_by_hand(void **state)
{
	static const struct timed cases[] = {
		/* The pages are on two channels: at once, but for the lock of the zone. */
		{ "", "W0.0+1 W0.1+1", { 104100, 208200 } },
		{ "zns.serial=false", "W0.0+1 W0.1+1", { 104100, 104100 } },
		{ "", "W0.0+1 W1.0+1", { 104100, 208200 } }, /* no lock, the same die */
		{ "", "A0.0+1 A0.0+1", { 104100, 104100 } },
		/* Pages 0 and 2 share a channel: the second transfer follows the first. */
		{ "", "W0.0+3 W0.3+1", { 108200, 212300 } },
		{ "", "A0.0+1 A0.0+1 W0.2+1", { 104100, 104100, 208200 } },
		{ "", "W0.0+1 A0.0+1 W0.2+1", { 104100, 104100, 208200 } },
		/* A reset waits for what is written to its blocks, then erases two dies at once. */
		{ "", "W0.0+2 T0.0+32", { 104100, 1104200 } },
		/* A zone that is reset is erased before it is written again. */
		{ "", "W0.0+1 T0.0+32 W0.0+1", { 104100, 1104200, 1208300 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char settings[1024];
		struct device *d;

		snprintf(settings, sizeof settings, PAPER_DRIVE "%s", cases[i].settings);
		d = device_open(settings);
		submit_at_once(d, cases[i].commands);
		for (size_t k = 0; d->drive->in_drive;) {
			uint64_t before = d->drive->in_drive;

			assert_true(drive_run_to_completion(d->drive));
			for (; before > d->drive->in_drive; before--, k++)
				if (schedule_now(d->drive->flash->schedule) != cases[i].done[k])
					fail_msg("case %zu: done after %llu ns, not %llu", i,
						(unsigned long long)schedule_now(d->drive->flash->schedule),
						(unsigned long long)cases[i].done[k]);
		}
		device_close(d);
	}
}

/* ---- refusals ---- */

/* The messages of mistakes that end a run, in one line. */
static void test_messages(void **state)
{
	static const struct {
		const char *settings, *trace, *message;
	} cases[] = {
		{ "", "0 0 4 4 0\n",
			"trace:1: request 1 writes zone 0 at page 1, its write pointer is at page 0" },
		{ "", "0 0 0 5 0\n0 0 4 4 0\n",
			"trace:2: request 2 writes zone 0 at page 1, its write pointer is at page 1, sector "
			"1" },
		{ "", "0 0 128 128 0\n0 0 252 4 0\n", "trace:2: request 2 writes zone 1, which is full" },
		{ "", "0 0 0 132 0\n",
			"trace:1: request 1 writes zone 0 up to page 33, which is behind its end at page "
			"32" },
		{ "zns.open=1 zns.active=1", "0 0 0 4 0\n0 0 128 4 0\n",
			"trace:2: request 2 needs zone 1, an empty one, while zns.active = 1 are active" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char settings[1024];
		struct replay *r;

		snprintf(settings, sizeof settings, PAPER_DRIVE "ftl=zns precondition.premap=none %s",
			cases[i].settings);
		r = replay(settings, cases[i].trace);
		assert_int_equal(r->end, RUN_BAD_WORKLOAD);
		assert_string_equal(r->fault.text, cases[i].message);
		replay_free(r);
	}
}

static void test_commands_may_be_refused(void **state)
{
	struct device *d = device_open(PAPER_DRIVE "zns.open=1");

	(void)state;
	command(d, 'O', 2);
	assert_false(give(d, REQUEST_WRITE, 1, 0, 1, 0));
	assert_string_equal(d->drive->ftl->refusal,
		"needs zone 1, which is not open, while zns.open = 1 are open by command");
	device_close(d);
}

/* Requests by hand. */
static struct replay *replay_list(const char *settings, const char *list)
{
	struct trace_options options = { .format = "list", .page_bytes = 2048, .commands = true };
	struct replay *r;
	char text[1024];

	snprintf(text, sizeof text, PAPER_DRIVE "ftl=zns precondition.premap=none %s", settings);
	r = replay_open(text);
	r->workload = (struct workload){ .name = "list", .limit = UINT64_MAX };
	r->workload.trace = trace_open_memory("list", list, strlen(list), &options, &r->fault);
	if (!r->workload.trace)
		fail_msg("%s", r->fault.text);
	stat_list_start(&r->drive->statistics);
	r->end = run_workload(&r->run, &r->fault);
	return r;
}

static void expect_bad_list(const char *settings, const char *list, const char *message)
{
	struct replay *r = replay_list(settings, list);

	assert_int_equal(r->end, RUN_BAD_WORKLOAD);
	assert_string_equal(r->fault.text, message);
	replay_free(r);
}

/* Appends go to where the zone was written last, whatever page of it they name. */
static void test_commands_in_a_list(void **state)
{
	struct replay *r = replay_list("", "zo1\nw32+2\na63+3\na40\nr32+6\nzc1\nzf1\nzf3\nt32+32\n");
	struct stat_list *list = &r->drive->statistics;

	(void)state;
	assert_int_equal(r->end, RUN_DONE);
	drive_check(r->drive);
	assert_int_equal(statistic_in(list, "zns.writes"), 1);
	assert_int_equal(statistic_in(list, "zns.appends"), 2);
	assert_int_equal(statistic_in(list, "zns.explicit_opens"), 1);
	assert_int_equal(statistic_in(list, "zns.closes"), 1);
	assert_int_equal(statistic_in(list, "zns.finishes"), 2);
	assert_int_equal(statistic_in(list, "zns.resets"), 1);
	assert_int_equal(statistic_in(list, "flash.program.host"), 6);
	assert_int_equal(statistic_in(list, "flash.program.pad"), 26 + 32);
	assert_int_equal(statistic_in(list, "flash.read.host"), 6);
	assert_int_equal(statistic_in(list, "request.all.count"), 5);
	replay_free(r);
	expect_bad_list("", "zo4\n", "list:1: zone command: ftl = zns has no such zone");
	expect_bad_list("", "w0+32\nzo0\n", "list:2: request 2 opens zone 0, which is full");
	expect_bad_list("flash.blocks=16 host.layer=zoned zoned.low=2 zoned.share=0.4", "zo0\n",
		"list:1: zone command: host.layer = zoned has the zones to itself");
	expect_bad_list("ftl=page", "zo0\n", "list:1: zone command: ftl = page has no such zone");
	r = replay_list("ftl=page", "a3\nr3\n");
	assert_int_equal(statistic_in(&r->drive->statistics, "flash.read.host"), 1);
	replay_free(r);
}

/* Preparation whose writes a zone refuses. */
static void test_a_drive_that_cannot_be_prepared(void **state)
{
	struct replay *r =
		replay_open(PAPER_DRIVE "ftl=zns precondition.mode=fill precondition.fill_run=8 seed=3");

	(void)state;
	assert_false(precondition(r->drive, NULL, &r->before, &r->fault));
	assert_non_null(strstr(r->fault.text, "preparing the drive writes zone "));
	assert_non_null(strstr(r->fault.text, "host.layer = zoned takes writes in any order"));
	replay_free(r);
	r = replay_open(PAPER_DRIVE "ftl=zns precondition.mode=fill");
	assert_true(precondition(r->drive, NULL, &r->before, &r->fault));
	assert_int_equal(r->before.used_pages, 128);
	replay_free(r);
}

static void expect_refused(const char *settings, const char *message)
{
	struct settings s;
	struct fault fault = { "" };

	fixture_settings(&s, settings);
	assert_null(drive_create(&s, false, &fault));
	assert_string_equal(fault.text, message);
	settings_release(&s);
}

static void test_drives_that_are_refused(void **state)
{
	(void)state;
	expect_refused(PAPER_DRIVE "ftl=zns zns.open=3 zns.active=2",
		"zns.open = 3 is more than zns.active = 2: open zones are active");
	expect_refused(PAPER_DRIVE "ftl=zns zns.rows=5",
		"zns.rows = 5: a zone of 160 pages does not fit on a drive of 128; use fewer rows");
	expect_refused(PAPER_DRIVE "ftl=page host.layer=zoned",
		"host.layer = zoned writes zones: ftl = zns has them");
	expect_refused(PAPER_DRIVE "ftl=zns host.layer=zoned zoned.share=0.3",
		"zoned.share = 0.3: of 4 zones 2 hold the host's data; zoned.low + 2 = 5 must be left for "
		"cleaning: use a smaller share, or smaller zones");
}

/* With one erase left for each block: its zone cannot be written again. */
static void test_a_zone_that_is_worn_out(void **state)
{
	struct device *d = device_open(PAPER_DRIVE "flash.endurance=1 zns.refuse=count");
	struct ftl_facts facts;

	(void)state;
	assert_true(give(d, REQUEST_WRITE, 0, 0, 2, 0));
	assert_true(give(d, REQUEST_TRIM, 0, 0, 32, 0));
	assert_true(give(d, REQUEST_WRITE, 1, 0, 1, 0));
	assert_false(give(d, REQUEST_WRITE, 0, 0, 1, 0));
	facts = ftl_facts(d->drive->ftl);
	assert_int_equal(facts.retired_blocks, 2);
	assert_int_equal(facts.free_blocks, 64 - 2 - 1);
	device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_of_a_model),
		cmocka_unit_test(test_places_of_pages),
		cmocka_unit_test(test_states_by_hand),
		cmocka_unit_test(test_the_end_of_a_zone),
		cmocka_unit_test(test_an_append_names_any_page),
		cmocka_unit_test(test_parts_of_pages),
		cmocka_unit_test(test_amplification_of_the_device),
		cmocka_unit_test(test_other_trims_are_ignored),
		cmocka_unit_test(test_times_by_hand),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_commands_may_be_refused),
		cmocka_unit_test(test_commands_in_a_list),
		cmocka_unit_test(test_a_drive_that_cannot_be_prepared),
		cmocka_unit_test(test_drives_that_are_refused),
		cmocka_unit_test(test_a_zone_that_is_worn_out),
	};

	return cmocka_run_group_tests_name("zones", tests, NULL, NULL);
}
