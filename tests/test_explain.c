/*
 * `ssd run --explain`: what the tracer recorded of a request, worked out by hand.  On the drive of the
 * fixture a command takes 100 ns and a sector 1 us on the bus.
 */
#include "tests/drive_fixture.h"

#include "drive/run/explain.h"

/* A drive, one explained request, and the text of its explanation. */
struct explained {
	struct settings settings;
	struct drive *drive;
	struct explanation x;
	char *text;
};

static void explained_open(struct explained *e, const char *settings)
{
	struct fault fault = { "" };

	*e = (struct explained){ .x = { .number = 1 } };
	fixture_settings(&e->settings, settings);
	e->drive = drive_create(&e->settings, true, &fault);
	if (!e->drive)
		fail_msg("%s", fault.text);
}

static struct request explained_request(
	const struct explained *e, enum request_type type, sector_t start, uint32_t sectors)
{
	return (struct request){ .arrival = schedule_now(e->drive->flash->schedule),
		.start = start,
		.sectors = sectors,
		.type = type };
}

static void explained_serve(struct explained *e, enum request_type type, sector_t start, uint32_t sectors)
{
	struct request r = explained_request(e, type, start, sectors);

	assert_true(drive_submit(e->drive, &r));
	drive_drain(e->drive);
}

/* Explains the request; time does not pass. */
static void explained_take(struct explained *e, enum request_type type, sector_t start, uint32_t sectors)
{
	struct request r = explained_request(e, type, start, sectors);

	explanation_observe(&e->x, e->drive);
	assert_true(drive_submit(e->drive, &r));
}

static const char *explained_write(struct explained *e)
{
	size_t bytes;
	FILE *out = open_memstream(&e->text, &bytes);

	explanation_write(&e->x, e->drive, out);
	fclose(out);
	return e->text;
}

static void explained_close(struct explained *e)
{
	free(e->text);
	explanation_release(&e->x);
	drive_free(e->drive);
	settings_release(&e->settings);
}

static void test_a_read_modify_write(void **state)
{
	struct explained e;
	const struct traced_op *op;
	tick_t arrival;
	char line[80];

	(void)state;
	explained_open(&e, PAPER_DRIVE "ftl=page");
	explained_serve(&e, REQUEST_WRITE, 0, 4);
	arrival = schedule_now(e.drive->flash->schedule);
	explained_take(&e, REQUEST_WRITE, 1, 2);
	drive_drain(e.drive);

	/* Two kept sectors are read: command, cells, bus; then the whole page is programmed. */
	assert_int_equal(e.x.tracer.ops, 2);
	op = e.x.tracer.op;
	assert_int_equal(op[0].made.kind, OP_READ);
	assert_int_equal(op[0].made.cause, CAUSE_RMW);
	assert_int_equal(op[0].done - arrival, 100 + 10000 + 2000);
	assert_int_equal(op[1].made.kind, OP_PROGRAM);
	assert_int_equal(op[1].ready, op[0].done);
	assert_int_equal(op[1].done - op[1].start, 100 + 4000 + 100000);
	assert_int_equal(e.x.tracer.waits, 1);
	assert_int_equal(e.x.tracer.wait[0].op, 1);
	assert_int_equal(e.x.tracer.wait[0].other, 0);
	assert_int_equal(e.x.accesses, 1);

	assert_non_null(strstr(explained_write(&e), "completed 116200 ns after its arrival"));
	/* The page where it was programmed holds the two kept sectors and the two new ones. */
	snprintf(line, sizeof line, "# afterwards LPN 0: in %u.0: sectors 0-3\n", op[1].made.ppn / 4);
	assert_non_null(strstr(e.text, line));
	explained_close(&e);
}

/* The page is read from the controller's memory once the program of an earlier write has its data, at
 * 12100. */
static void test_a_forwarded_read(void **state)
{
	struct explained e;
	struct request write;
	tick_t arrival;

	(void)state;
	explained_open(&e, PAPER_DRIVE "ftl=page flash.forward_bytes=64K");
	explained_serve(&e, REQUEST_WRITE, 0, 4);
	arrival = schedule_now(e.drive->flash->schedule);
	write = explained_request(&e, REQUEST_WRITE, 1, 2);
	assert_true(drive_submit(e.drive, &write));
	explained_take(&e, REQUEST_READ, 0, 4);
	drive_drain(e.drive);
	assert_int_equal(e.x.tracer.ops, 1);
	assert_int_equal(e.x.tracer.op[0].made.kind, OP_FORWARD);
	assert_int_equal(e.x.tracer.op[0].done - arrival, 100 + 10000 + 2000);
	assert_int_equal(e.x.tracer.waits, 1);
	assert_int_equal(e.x.tracer.wait[0].op, 0);
	assert_int_equal(e.x.tracer.wait[0].other, TRACED_EARLIER);
	assert_non_null(strstr(explained_write(&e), "a request before"));
	explained_close(&e);
}

/* Two pages of a wordline of four are written; with two passes, all four. */
static void test_a_wordline_that_lacks_pages(void **state)
{
	static const struct {
		const char *settings;
		uint32_t sectors;
		const char *note;
	} cases[] = {
		{ "flash.program_ns=100000", 8, "0.1 waits for its wordline: 2 of 4 pages made" },
		{ "flash.passes=2 flash.program_ns=[50000,100000] flash.pages=8", 16,
			"0.3 waits for the next wordline, before its second pass" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char settings[600];
		struct explained e;

		snprintf(settings, sizeof settings,
			PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.copyback=false "
				    "flash.cell_bits=4 flash.program_unit=wordline %s",
			cases[i].settings);
		explained_open(&e, settings);
		explained_take(&e, REQUEST_WRITE, 0, cases[i].sectors);
		drive_drain(e.drive);
		if (!strstr(explained_write(&e), cases[i].note))
			fail_msg("%s", e.text);
		explained_close(&e);
	}
}

/* The layer reads the page of its sector, which lies at the first place of the pool, and writes it to the
 * second. */
static void test_behind_a_host_layer(void **state)
{
	struct explained e;

	(void)state;
	explained_open(&e, PAPER_DRIVE "ftl=page host.layer=indirect indirect.sector_bytes=2K "
				       "indirect.logical_sectors=40");
	explained_serve(&e, REQUEST_WRITE, 0, 4);
	explained_take(&e, REQUEST_WRITE, 1, 2);
	drive_drain(e.drive);
	assert_non_null(
		strstr(explained_write(&e), "# behind the host layer: read of 4 sectors from sector 160\n"
					    "# behind the host layer: write of 4 sectors from sector 164\n"
					    "# afterwards LPN 41: in "));
	explained_close(&e);
}

/* Operations that serve others after the request was taken in are not its own. */
static void test_other_requests_are_not_seen(void **state)
{
	struct explained e;

	(void)state;
	explained_open(&e, PAPER_DRIVE "ftl=page");
	explained_take(&e, REQUEST_WRITE, 0, 4);
	for (sector_t page = 1; page < 40; page++)
		explained_serve(&e, REQUEST_WRITE, 4 * page, 4);
	assert_int_equal(e.x.tracer.ops, 1);
	assert_int_equal(e.x.tracer.op[0].done, 100 + 4000 + 100000);
	explained_close(&e);
}

/* Room for one page of 4 sectors: the second write evicts the first, which is reported before the
 * operations. */
static void test_an_eviction(void **state)
{
	struct explained e;

	(void)state;
	explained_open(&e, PAPER_DRIVE "ftl=page buffer=lru dram.buffer_bytes=2K");
	explained_serve(&e, REQUEST_WRITE, 21, 3);
	explained_take(&e, REQUEST_WRITE, 40, 4);
	drive_drain(e.drive);
	explained_serve(&e, REQUEST_WRITE, 0, 4); /* evicts, too, but is not explained */
	assert_non_null(strstr(explained_write(&e), "# the buffer makes room: the least recently used page\n"
						    "#     LPN 5 leaves, 3 of its sectors, 3 dirty\n#  op"));
	assert_null(strstr(e.text, "LPN 10 leaves"));
	explained_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_read_modify_write),
		cmocka_unit_test(test_a_forwarded_read), cmocka_unit_test(test_an_eviction),
		cmocka_unit_test(test_a_wordline_that_lacks_pages),
		cmocka_unit_test(test_behind_a_host_layer),
		cmocka_unit_test(test_other_requests_are_not_seen) };

	return cmocka_run_group_tests_name("explanations", tests, NULL, NULL);
}
