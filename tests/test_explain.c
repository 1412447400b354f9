/* `ssd run --explain`: what the witness of a request saw, worked out by hand. */
#include "tests/drive_fixture.h"

#include "run/explain.h"

static void serve(struct drive *d, enum request_type type, sector_t start, uint32_t sectors)
{
	struct request r = {
		.arrival = schedule_now(d->flash->schedule), .start = start, .sectors = sectors, .type = type
	};

	assert_true(drive_submit(d, &r));
	drive_drain(d);
}

/* The drive of the fixture: 100 ns for a command, 1 us for a sector on the bus. */
static void test_a_read_modify_write(void **state)
{
	struct settings settings;
	struct fault fault = { "" };
	struct explanation x = { .number = 2 };
	struct request r = { .start = 1, .sectors = 2, .type = REQUEST_WRITE };
	struct drive *d;
	char *text = NULL, line[80];
	size_t bytes;
	FILE *out;

	(void)state;
	fixture_settings(&settings, PAPER_DRIVE "ftl=page");
	d = drive_create(&settings, true, &fault);
	serve(d, REQUEST_WRITE, 0, 4);
	r.arrival = schedule_now(d->flash->schedule);
	explanation_begin(&x, d, &r);
	assert_true(drive_submit(d, &r));
	explanation_taken(&x, d);
	drive_drain(d);

	/* Two kept sectors are read: command, cells, bus; then the whole page is programmed. */
	assert_int_equal(x.watch.ops, 2);
	assert_int_equal(x.watch.op[0].kind, OP_READ);
	assert_int_equal(x.watch.op[0].cause, CAUSE_RMW);
	assert_int_equal(x.watch.op[0].done - r.arrival, 100 + 10000 + 2000);
	assert_int_equal(x.watch.op[1].kind, OP_PROGRAM);
	assert_int_equal(x.watch.op[1].ready, x.watch.op[0].done);
	assert_int_equal(x.watch.op[1].done - x.watch.op[1].start, 100 + 4000 + 100000);
	assert_int_equal(x.watch.waits, 1);
	assert_int_equal(x.watch.wait[0].op, 1);
	assert_int_equal(x.watch.wait[0].other, 0);
	assert_int_equal(x.accesses, 1);

	out = open_memstream(&text, &bytes);
	explanation_write(&x, d, out);
	fclose(out);
	assert_non_null(strstr(text, "completed 116200 ns after its arrival"));
	/* Where it was programmed, the two sectors that came along with the two new ones. */
	snprintf(line, sizeof line, "# afterwards LPN 0: in %u.0: sectors 0-3\n", x.watch.op[1].ppn / 4);
	assert_non_null(strstr(text, line));
	free(text);
	explanation_release(&x, d);
	drive_free(d);
	settings_release(&settings);
}

/* The layer reads the page of its sector, which lies at the first place of the pool, and writes it to the second. */
static void test_behind_a_host_layer(void **state)
{
	struct settings settings;
	struct fault fault = { "" };
	struct explanation x = { .number = 2 };
	struct request r = { .start = 1, .sectors = 2, .type = REQUEST_WRITE };
	struct drive *d;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	(void)state;
	fixture_settings(&settings, PAPER_DRIVE "ftl=page host.layer=indirect indirect.sector_bytes=2K "
						"indirect.logical_sectors=40");
	d = drive_create(&settings, true, &fault);
	serve(d, REQUEST_WRITE, 0, 4);
	explanation_begin(&x, d, &r);
	assert_true(drive_submit(d, &r));
	explanation_taken(&x, d);
	drive_drain(d);
	out = open_memstream(&text, &bytes);
	explanation_write(&x, d, out);
	fclose(out);
	assert_non_null(strstr(text, "# behind the host layer: read of 4 sectors from sector 160\n"
				     "# behind the host layer: write of 4 sectors from sector 164\n"
				     "# afterwards LPN 41: in "));
	free(text);
	explanation_release(&x, d);
	drive_free(d);
	settings_release(&settings);
}

/* Operations that serve others after the request was taken in are not its own. */
static void test_other_requests_are_not_seen(void **state)
{
	struct settings settings;
	struct fault fault = { "" };
	struct explanation x = { .number = 1 };
	struct request r = { .start = 0, .sectors = 4, .type = REQUEST_WRITE };
	struct drive *d;

	(void)state;
	fixture_settings(&settings, PAPER_DRIVE "ftl=page");
	d = drive_create(&settings, true, &fault);
	explanation_begin(&x, d, &r);
	assert_true(drive_submit(d, &r));
	explanation_taken(&x, d);
	for (sector_t page = 1; page < 40; page++)
		serve(d, REQUEST_WRITE, 4 * page, 4);
	assert_int_equal(x.watch.ops, 1);
	assert_int_equal(x.watch.op[0].done, 100 + 4000 + 100000);
	explanation_release(&x, d);
	drive_free(d);
	settings_release(&settings);
}

/* Room for one page of 4 sectors: the second write drives the first out, which is said before the operations. */
static void test_an_eviction(void **state)
{
	struct settings settings;
	struct fault fault = { "" };
	struct explanation x = { .number = 2 };
	struct request r = { .start = 40, .sectors = 4, .type = REQUEST_WRITE };
	struct drive *d;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	fixture_settings(&settings, PAPER_DRIVE "ftl=page buffer=lru dram.buffer_bytes=2K");
	d = drive_create(&settings, true, &fault);
	serve(d, REQUEST_WRITE, 21, 3);
	r.arrival = schedule_now(d->flash->schedule);
	explanation_begin(&x, d, &r);
	assert_true(drive_submit(d, &r));
	explanation_taken(&x, d);
	drive_drain(d);
	serve(d, REQUEST_WRITE, 0, 4); /* drives out, too, and is not explained */
	explanation_write(&x, d, out);
	fclose(out);
	assert_non_null(strstr(text, "# the buffer makes room: the page that was not used for longest\n"
				     "#     LPN 5 leaves, 3 of its sectors, 3 dirty\n#  op"));
	assert_null(strstr(text, "LPN 10 leaves"));
	free(text);
	explanation_release(&x, d);
	drive_free(d);
	settings_release(&settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_read_modify_write),
		cmocka_unit_test(test_an_eviction), cmocka_unit_test(test_behind_a_host_layer),
		cmocka_unit_test(test_other_requests_are_not_seen) };

	return cmocka_run_group_tests_name("explanations", tests, NULL, NULL);
}
