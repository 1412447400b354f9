/*
 * The host: which addresses are admitted and where they are folded to, and when requests enter the drive:
 * open loop, queue limit, closed loop, time scale, each with times worked out by hand.
 */
#include "drive/prepare/image.h"
#include "tests/run_fixture.h"

enum { WRITE = 104100 }; /* one page: 100 + 4000 + 100000 (drive_fixture.h) */

/* ---- addresses ---- */

/* A drive of 1000 sectors in pages of 4. */
static bool admit(struct request *r, bool fold, struct fault *fault, uint64_t *folded)
{
	struct trace_settings trace = { .fold = fold };
	struct host host = { .trace = &trace,
		.sectors = 1000,
		.device = { 1000, 4 },
		.tenants = { 1, { { .is_open = true, .time_scale = 1, .range = { 0, 1000 } } } } };
	bool admitted = host_admit(&host, r, "some.trace", fault);

	*folded = host.folded;
	return admitted;
}

static void test_what_fits_is_let_in_unchanged(void **state)
{
	static const struct {
		sector_t start;
		uint32_t sectors;
	} cases[] = { { 0, 1 }, { 0, 1000 }, { 999, 1 }, { 500, 500 } };
	struct fault fault = { "" };
	uint64_t folded;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct request r = { .start = cases[i].start, .sectors = cases[i].sectors };

		assert_true(admit(&r, false, &fault, &folded));
		assert_int_equal(r.start, cases[i].start);
		assert_int_equal(folded, 0);
	}
}

static void test_what_lies_beyond_is_an_error_with_its_line(void **state)
{
	static const struct {
		sector_t start;
		uint32_t sectors;
	} cases[] = { { 1000, 1 }, { 999, 2 }, { UINT64_MAX - 1, 1 }, { 1, 990 + 10 } };
	struct fault fault = { "" };
	uint64_t folded;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct request r = { .start = cases[i].start, .sectors = cases[i].sectors, .line = 17 };

		assert_false(admit(&r, false, &fault, &folded));
		assert_non_null(strstr(fault.text, "some.trace:17: "));
		assert_non_null(strstr(fault.text, "drive of 1000"));
	}
}

/* 1003 % 1000 = 3.  998 + 4 would end at 1002: one page less.  UINT64_MAX = ...551615. */
static void test_folding_by_hand(void **state)
{
	static const struct {
		sector_t start, folded;
		uint32_t sectors;
	} cases[] = { { 1000, 0, 1 }, { 1003, 3, 2 }, { 998, 994, 4 }, { 2999, 995, 2 },
		{ UINT64_MAX - 15, 600, 8 } };
	struct fault fault = { "" };
	uint64_t folded;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct request r = { .start = cases[i].start, .sectors = cases[i].sectors };

		assert_true(admit(&r, true, &fault, &folded));
		assert_int_equal(r.start, cases[i].folded);
		assert_int_equal(folded, 1);
	}
}

/* Whatever is folded lies in the drive, at the same place of its page, and keeps its length. */
static void test_folding_keeps_the_place_in_the_page(void **state)
{
	struct fault fault = { "" };
	struct random random;
	uint64_t folded;

	(void)state;
	random_init(&random, seed_of_run(), 1);
	for (int i = 0; i < 100000; i++) {
		struct request r = { .start = random_next(&random) >> random_below(&random, 60),
			.sectors = 1 + (uint32_t)random_below(&random, 996) },
			       before = r;

		assert_true(admit(&r, true, &fault, &folded));
		assert_true(r.start < 1000 && r.start + r.sectors <= 1000);
		assert_int_equal(r.sectors, before.sectors);
		assert_int_equal(r.start % 4, before.start % 4);
	}
}

static void test_a_request_larger_than_the_drive_cannot_be_folded(void **state)
{
	struct request r = { .start = 5, .sectors = 1001, .line = 3 };
	struct fault fault = { "" };
	uint64_t folded;

	(void)state;
	assert_false(admit(&r, true, &fault, &folded));
	assert_non_null(
		strstr(fault.text, "some.trace:3: a request of 1001 sectors is larger than the drive"));
}

static void test_slots(void **state)
{
	struct host_settings s = { .mode = HOST_OPEN, .queue_limit = 0, .queue_depth = 7 };

	(void)state;
	assert_true(host_slots(&s) == UINT64_MAX);
	s.queue_limit = 5;
	assert_int_equal(host_slots(&s), 5);
	s.mode = HOST_CLOSED;
	assert_int_equal(host_slots(&s), 7);
}

/* ---- times ---- */

/* Two pages at once on two channels: neither waits for the other. */
static void test_open_loop(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n0 0 4 4 0\n");

	(void)state;
	assert_int_equal(r->end, RUN_DONE);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.count, 2);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.min, WRITE);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, WRITE);
	replay_free(r);
}

/* The second request waits for a slot until the first completes; the wait is part of its latency. */
static void test_queue_limit(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "host.queue_limit=1", "0 0 0 4 0\n1000 0 4 4 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.min, WRITE);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 2 * WRITE - 1000);
	assert_int_equal(r->drive->last_completion, 2 * WRITE);
	replay_free(r);
}

/* A request behind a full queue is not served before it arrives, either. */
static void test_queue_limit_does_not_hurry(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "host.queue_limit=1", "0 0 0 4 0\n500000 0 4 4 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, WRITE);
	assert_int_equal(r->drive->last_completion, 500000 + WRITE);
	replay_free(r);
}

/* The times of the trace are ignored: each request arrives when the one before completes. */
static void test_closed_loop_of_depth_1(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "host.mode=closed host.queue_depth=1",
		"0 0 0 4 0\n1 0 4 4 0\n900000000 0 8 4 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.min, WRITE);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, WRITE);
	assert_int_equal(r->drive->last_completion, 3 * WRITE);
	replay_free(r);
}

/* Three requests, two at a time: the third comes when the first two are done (both at 104100). */
static void test_closed_loop_of_depth_2(void **state)
{
	struct replay *r = replay(
		PAPER_DRIVE "host.mode=closed host.queue_depth=2", "0 0 0 4 0\n1 0 4 4 0\n2 0 8 4 0\n");

	(void)state;
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, WRITE);
	assert_int_equal(r->drive->last_completion, 2 * WRITE);
	replay_free(r);
}

static void test_time_scale(void **state)
{
	static const struct {
		const char *settings;
		tick_t end;
	} cases[] = {
		{ PAPER_DRIVE, 1000000 + WRITE },
		{ PAPER_DRIVE "host.time_scale=0.5", 500000 + WRITE },
		{ PAPER_DRIVE "host.time_scale=3", 3000000 + WRITE },
		{ PAPER_DRIVE "host.time_scale=0", WRITE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct replay *r = replay(cases[i].settings, "0 0 0 4 0\n1000000 0 4 4 0\n");

		assert_int_equal(r->drive->last_completion, cases[i].end);
		assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, WRITE);
		replay_free(r);
	}
}

/* 2000 requests at the same moment, no limit: all are in the drive at once and all are served. */
static void test_no_limit(void **state)
{
	char *text = memory_array(2000, 32, "trace");
	size_t at = 0;
	struct replay *r;

	(void)state;
	for (int i = 0; i < 2000; i++)
		at += (size_t)sprintf(text + at, "0 0 %d 4 %d\n", i % 60 * 4, i % 2);
	r = replay(PAPER_DRIVE "host.queue_limit=0", text);
	assert_int_equal(r->end, RUN_DONE);
	assert_int_equal(r->drive->count->request[REQUEST_TYPES].count, 2000);
	replay_free(r);
	memory_free(text);
}

/* The wait for a slot is part of the latency and not of the service. */
static void test_service_begins_in_the_drive(void **state)
{
	struct replay *r =
		replay(PAPER_DRIVE "host.queue_limit=1", "0 0 0 4 0\n1000 0 4 4 0\n1000000 0 0 4 1\n");

	(void)state;
	assert_int_equal(r->drive->count->service[REQUEST_READ].count, 1);
	assert_int_equal(r->drive->count->service[REQUEST_WRITE].count, 2);
	assert_int_equal(r->drive->count->service[REQUEST_WRITE].max, WRITE);
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.max, 2 * WRITE - 1000);
	replay_free(r);
}

/* ---- layers ---- */

/* Exports three quarters of the device; a write goes to the sector that has been free for longest. */
struct redirect {
	sector_t *place;           /* per host sector; UINT64_MAX: never written */
	sector_t *free;            /* a ring with room for every sector of the device */
	uint64_t first, last, ram; /* of the ring; bytes of the table */
};

static sector_t redirect_init(struct host *h, struct fault *fault)
{
	struct redirect *t = h->state;
	sector_t sectors = h->device.sectors / 4 * 3;

	if (h->device.sectors < 64) {
		fault_set(fault, "the device is too small to be redirected");
		return 0;
	}
	t->place = memory_array(sectors, sizeof *t->place, "redirection");
	t->free = memory_array(h->device.sectors, sizeof *t->free, "redirection");
	memset(t->place, 0xff, sectors * sizeof *t->place);
	for (; t->last < h->device.sectors; t->last++)
		t->free[t->last] = h->device.sectors - 1 - t->last;
	return sectors;
}

static void redirect_exit(struct host *h)
{
	struct redirect *t = h->state;

	memory_free(t->place);
	memory_free(t->free);
}

static void release(struct host *h, sector_t s)
{
	struct redirect *t = h->state;

	if (t->place[s] == UINT64_MAX)
		return;
	host_add(h, (struct host_part){ { t->place[s], t->place[s] + 1 }, s, REQUEST_TRIM });
	t->free[t->last++ % h->device.sectors] = t->place[s];
	t->place[s] = UINT64_MAX;
}

static void redirect_map(struct host *h, const struct request *r)
{
	struct redirect *t = h->state;

	for (sector_t s = r->start; s < r->start + r->sectors; s++) {
		if (r->type != REQUEST_READ)
			release(h, s);
		if (r->type == REQUEST_WRITE)
			t->place[s] = t->free[t->first++ % h->device.sectors];
		if (r->type != REQUEST_TRIM && t->place[s] != UINT64_MAX)
			host_add(h, (struct host_part){ { t->place[s], t->place[s] + 1 }, s, r->type });
	}
}

static const struct state_row redirect_state[] = {
	STATE_NUMBERS(struct redirect, place),
	STATE_NUMBERS(struct redirect, free),
	STATE_NUMBER(struct redirect, first),
	STATE_NUMBER(struct redirect, last),
	{ 0 },
};

static const struct host_ops redirect = {
	.name = "redirect",
	.brief = "for this test",
	.size = sizeof(struct redirect),
	.init = redirect_init,
	.exit = redirect_exit,
	.map = redirect_map,
	.state = redirect_state,
};

static struct replay *redirected(const char *settings)
{
	struct replay *r = replay_open(settings);
	struct drive *d = r->drive;
	struct host *layer, direct;

	layer = host_create(&redirect, &r->settings.host, NULL, &r->settings.trace,
		(struct host_device){ d->geometry.logical_sectors, d->geometry.sectors_per_page }, &r->fault);
	assert_non_null(layer);
	direct = *d->host;
	*d->host = *layer; /* the list of statistics points there */
	*layer = direct;
	host_free(layer);
	return r;
}

/* A drive of 512 logical sectors, of which the last one is free first.  Two sectors in one page are written
 * as one request of two parts, the second of which writes the page once more, and are read by two parts. */
static void test_a_request_of_several_parts_has_one_latency(void **state)
{
	struct replay *r = redirected(PAPER_DRIVE);
	sector_t last = r->drive->geometry.logical_sectors - 1;

	(void)state;
	assert_int_equal(r->drive->host->sectors, r->drive->geometry.logical_sectors / 4 * 3);
	replay_trace(r, "0 0 0 2 0\n1000000 0 0 2 1\n2000000 0 8 4 1\n");
	assert_int_equal(r->drive->count->request[REQUEST_WRITE].latency.count, 1);
	assert_int_equal(flash_total(r->drive->flash, OP_PROGRAM), 2);
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.count, 2);
	assert_int_equal(flash_total(r->drive->flash, OP_READ), 2);
	assert_int_equal(r->drive->count->request[REQUEST_READ].latency.min, 0);
	assert_int_equal(((struct redirect *)r->drive->host->state)->place[0], last);
	assert_int_equal(((struct redirect *)r->drive->host->state)->place[1], last - 1);
	replay_free(r);
}

/* Addresses are folded into the exported sectors, and an error names their number. */
static void test_exported_sectors_are_what_the_host_has(void **state)
{
	struct replay *r = redirected(PAPER_DRIVE);
	sector_t sectors = r->drive->host->sectors;
	char line[64], says[64];

	(void)state;
	snprintf(line, sizeof line, "0 0 %llu 4 0\n", (unsigned long long)sectors);
	snprintf(says, sizeof says, "beyond the drive of %llu sectors", (unsigned long long)sectors);
	replay_trace(r, line);
	assert_int_equal(r->end, RUN_BAD_WORKLOAD);
	assert_non_null(strstr(r->fault.text, says));
	replay_free(r);
	r = redirected(PAPER_DRIVE "trace.fold=true");
	replay_trace(r, line);
	assert_int_equal(r->end, RUN_DONE);
	assert_int_equal(r->drive->host->folded, 1);
	assert_true(((struct redirect *)r->drive->host->state)->place[0] != UINT64_MAX);
	replay_free(r);
}

/* Data written before the drive was saved is found, and read right, in the drive that loads it. */
static void test_a_layer_is_saved_with_its_drive(void **state)
{
	struct replay *saved = redirected(PAPER_DRIVE), *loaded = redirected(PAPER_DRIVE);
	char path[] = "/tmp/ssdlab-drive-XXXXXX";
	int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	replay_trace(saved, "0 0 0 9 0\n1000000 0 4 6 0\n");
	assert_int_equal(saved->end, RUN_DONE);
	assert_true(image_save(saved->drive, path, &saved->fault));
	assert_true(image_load(loaded->drive, path, &loaded->fault));
	unlink(path);
	close(file);
	assert_memory_equal(((struct redirect *)loaded->drive->host->state)->place,
		((struct redirect *)saved->drive->host->state)->place,
		saved->drive->host->sectors * sizeof(sector_t));
	replay_trace(loaded, "0 0 0 12 1\n1000000 0 2 1 0\n2000000 0 0 12 1\n");
	assert_int_equal(loaded->end, RUN_DONE);
	replay_free(saved);
	replay_free(loaded);
}

/* Every FTL and buffer behind a layer that scatters: each sector the host reads is what it wrote last. */
static void test_a_redirecting_layer_under_the_oracle(void **state)
{
	struct random random;
	char settings[512];

	(void)state;
	random_init(&random, seed_of_run(), 4);
	for (size_t f = 0; ftls[f]; f++) {
		struct replay *r;

		if (ftls[f]->admit) /* takes no random writes */
			continue;
		snprintf(settings, sizeof settings,
			PAPER_DRIVE "ftl=%s buffer=%s flash.blocks=28 flash.over_provisioning=0.4 "
				    "dram.buffer_bytes=16K trace.fold=true",
			ftls[f]->name, f % 2 ? "none" : "lru");
		r = redirected(settings);
		for (sector_t s = 0; s + 4 <= r->drive->host->sectors; s += 4)
			assert_true(drive_place(r->drive, (struct extent){ s, s + 4 }));
		for (int i = 0; i < 5000; i++) {
			struct request q = { .start = random_next(&random),
				.sectors = 1 + (uint32_t)random_below(&random, 9),
				.type = random_below(&random, 8) ? (enum request_type)random_below(&random, 2)
								 : REQUEST_TRIM };

			assert_true(host_admit(r->drive->host, &q, "chance", &r->fault));
			q.arrival = schedule_now(r->drive->flash->schedule);
			assert_true(drive_submit(r->drive, &q));
			while (r->drive->in_drive > 4)
				drive_run_to_completion(r->drive);
		}
		drive_drain(r->drive);
		drive_check(r->drive);
		replay_free(r);
	}
}

static void test_a_layer_may_refuse_a_device(void **state)
{
	struct fault fault = { "" };
	struct host_settings settings = { .mode = HOST_OPEN };

	(void)state;
	assert_null(host_create(&redirect, &settings, NULL, NULL, (struct host_device){ 60, 4 }, &fault));
	assert_string_equal(fault.text, "the device is too small to be redirected");
}

/* ---- how a run ends ---- */

static void test_a_request_beyond_the_drive_ends_the_run(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n5 0 100000 4 0\n");

	(void)state;
	assert_int_equal(r->end, RUN_BAD_WORKLOAD);
	assert_non_null(strstr(r->fault.text, "trace:2: "));
	assert_non_null(strstr(r->fault.text, "trace.fold"));
	replay_free(r);
}

static void test_a_bad_line_ends_the_run(void **state)
{
	struct replay *r = replay(PAPER_DRIVE, "0 0 0 4 0\n5 0 8 x 0\n");

	(void)state;
	assert_int_equal(r->end, RUN_BAD_WORKLOAD);
	assert_non_null(strstr(r->fault.text, "trace:2: "));
	replay_free(r);
}

static void test_folded_requests_are_counted(void **state)
{
	struct replay *r =
		replay(PAPER_DRIVE "trace.fold=true", "0 0 0 4 0\n5 0 100000 4 0\n6 0 100001 4 1\n");

	(void)state;
	assert_int_equal(r->end, RUN_DONE);
	assert_int_equal(r->drive->host->folded, 2);
	replay_free(r);
}

static void test_only_the_first_requests(void **state)
{
	struct replay *r = replay(PAPER_DRIVE "trace.limit=2", "0 0 0 4 0\n1 0 4 4 0\n2 0 8 4 0\n");

	(void)state;
	assert_int_equal(r->run.requests, 2);
	assert_int_equal(r->drive->count->request[REQUEST_TYPES].count, 2);
	replay_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_fits_is_let_in_unchanged),
		cmocka_unit_test(test_what_lies_beyond_is_an_error_with_its_line),
		cmocka_unit_test(test_folding_by_hand),
		cmocka_unit_test(test_folding_keeps_the_place_in_the_page),
		cmocka_unit_test(test_a_request_larger_than_the_drive_cannot_be_folded),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_open_loop),
		cmocka_unit_test(test_queue_limit),
		cmocka_unit_test(test_queue_limit_does_not_hurry),
		cmocka_unit_test(test_closed_loop_of_depth_1),
		cmocka_unit_test(test_closed_loop_of_depth_2),
		cmocka_unit_test(test_time_scale),
		cmocka_unit_test(test_no_limit),
		cmocka_unit_test(test_service_begins_in_the_drive),
		cmocka_unit_test(test_a_request_of_several_parts_has_one_latency),
		cmocka_unit_test(test_exported_sectors_are_what_the_host_has),
		cmocka_unit_test(test_a_layer_is_saved_with_its_drive),
		cmocka_unit_test(test_a_redirecting_layer_under_the_oracle),
		cmocka_unit_test(test_a_layer_may_refuse_a_device),
		cmocka_unit_test(test_a_request_beyond_the_drive_ends_the_run),
		cmocka_unit_test(test_a_bad_line_ends_the_run),
		cmocka_unit_test(test_folded_requests_are_counted),
		cmocka_unit_test(test_only_the_first_requests),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
