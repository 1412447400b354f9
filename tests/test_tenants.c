/*
 * Several tenants in front of a drive: times and shares worked out by hand, what a run with tenants has in
 * common with one without, and random runs under the judges.
 *
 * One die: a read of a page takes q = 100 + 10,000 + 4,000 ns, a write 100 + 4,000 + 100,000
 * (drive_fixture.h).
 */
#include "base/random.h"
#include "drive/run/checkpoint.h"
#include "tests/run_fixture.h"

#include <math.h>

#define ONE_DIE PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.blocks=64 trace.fold=true "

enum { Q = 14100, W = 104100 };

/* ---- workloads ---- */

struct text {
	char *text;
	size_t bytes;
	FILE *out;
};

static void text_open(struct text *t)
{
	t->out = open_memstream(&t->text, &t->bytes);
}

static void put(struct text *t, tick_t time, uint32_t tenant, sector_t sector, uint32_t sectors, bool reads)
{
	fprintf(t->out, "%llu %u %llu %u %d\n", (unsigned long long)time, tenant, (unsigned long long)sector,
		sectors, reads);
}

/* Reads of each tenant, of so many pages, at pages that differ. */
static char *reads_of(uint32_t tenants, const uint32_t *pages, uint32_t each)
{
	struct text t;

	text_open(&t);
	for (uint32_t i = 0; i < each; i++)
		for (uint32_t k = 0; k < tenants; k++)
			put(&t, 0, k, 4 * (i * 37 % 64), 4 * (pages ? pages[k] : 1), true);
	fclose(t.out);
	return t.text;
}

/* ---- runs ---- */

static struct replay *begin(const char *settings, const char *trace)
{
	struct trace_options options = { .format = "ssdsim", .commands = true };
	struct replay *r = replay_open(settings);

	drive_place(r->drive, (struct extent){ 0, r->drive->host->sectors });
	r->workload = (struct workload){ .name = "trace", .limit = UINT64_MAX };
	r->workload.trace = trace_open_memory("trace", trace, strlen(trace), &options, &r->fault);
	stat_list_start(&r->drive->statistics);
	run_begin(&r->run, &r->fault);
	return r;
}

static uint64_t completed(const struct replay *r, uint32_t tenant)
{
	const struct request_statistics *of = r->drive->tenant[tenant].request;

	return of[REQUEST_READ].count + of[REQUEST_WRITE].count + of[REQUEST_TRIM].count;
}

static void finish(struct replay *r)
{
	while (r->run.status == TRACE_OK)
		assert_int_equal(run_step(&r->run, &r->fault), RUN_DONE);
	assert_int_equal(r->run.status, TRACE_END);
	drive_drain(r->drive);
	drive_check(r->drive);
}

/* ---- shares ---- */

/* Equal requests, one after the other: at every moment the tenants are within one request of each other. */
static void test_equal_tenants_have_equal_shares(void **state)
{
	static const char *const kinds[] = { "fifo", "round_robin", "priority", "weighted" };
	char *trace = reads_of(2, NULL, 400), settings[512];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct replay *r;

		snprintf(settings, sizeof settings,
			ONE_DIE "host.tenants=2 host.mode=closed host.queue_depth=4 host.slots=1 "
				"host.arbitration=%s host.weights=4,1,1",
			kinds[i]);
		r = begin(settings, trace);
		while (r->run.status == TRACE_OK && r->run.requests < 790) {
			uint64_t first, second;

			run_step(&r->run, &r->fault);
			first = completed(r, 0);
			second = completed(r, 1);
			/* fifo: the four of one tenant, which it sent first, and the four of the other */
			assert_true(first <= second + (i ? 1 : 4) && second <= first + (i ? 1 : 4));
		}
		finish(r);
		assert_int_equal(completed(r, 0), 400);
		replay_free(r);
	}
	free(trace);
}

/* Commands are counted, not bytes. */
static void test_large_requests_have_no_smaller_share(void **state)
{
	static const uint32_t pages[] = { 1, 32 };
	char *trace = reads_of(2, pages, 200);
	struct replay *r = begin(ONE_DIE "host.tenants=2 host.mode=closed host.queue_depth=4 host.slots=1 "
					 "host.arbitration=round_robin",
		trace);

	(void)state;
	while (r->run.requests < 390) {
		run_step(&r->run, &r->fault);
		assert_true(completed(r, 0) <= completed(r, 1) + 1 && completed(r, 1) <= completed(r, 0) + 1);
	}
	finish(r);
	replay_free(r);
	free(trace);
}

static void test_weights_are_shares(void **state)
{
	char *trace = reads_of(3, NULL, 4000);
	struct replay *r = begin(ONE_DIE "host.tenants=3 host.mode=closed host.queue_depth=8 host.slots=2 "
					 "host.arbitration=weighted host.classes=H,M,L",
		trace);
	double third;

	(void)state;
	while (r->run.requests < 6000)
		run_step(&r->run, &r->fault);
	third = (double)completed(r, 2);
	assert_true(third > 800);
	assert_true((double)completed(r, 0) > 3.99 * third && (double)completed(r, 0) < 4.01 * third + 1);
	assert_true((double)completed(r, 1) > 1.99 * third && (double)completed(r, 1) < 2.01 * third + 1);
	finish(r);
	replay_free(r);
	free(trace);
}

/* ---- times by hand ---- */

/* One request takes q, and each of the two tenants has one at a time, in the queue or in the drive. */
static void test_two_closed_tenants(void **state)
{
	struct replay *r = begin(ONE_DIE "host.tenants=2 host.mode=closed host.queue_depth=1 host.slots=1 "
					 "host.arbitration=round_robin",
		"0 0 0 4 1\n0 0 4 4 1\n0 1 8 4 1\n0 1 12 4 1\n");

	(void)state;
	finish(r);
	/* Tenant 0: 0 to q; again it arrives at q, and enters at 2 q behind tenant 1. */
	assert_int_equal(r->drive->tenant[0].request[REQUEST_READ].latency.min, Q);
	assert_int_equal(r->drive->tenant[0].request[REQUEST_READ].latency.max, 2 * Q);
	assert_int_equal(r->drive->tenant[1].request[REQUEST_READ].latency.min, 2 * Q);
	assert_int_equal(r->drive->tenant[1].request[REQUEST_READ].latency.max, 2 * Q);
	assert_int_equal(r->drive->last_completion, 4 * Q);
	assert_true(statistic_in(&r->drive->statistics, "tenant.1.read.bytes") == 4096);
	/* 2 in 56,400 ns */
	assert_true(fabs(statistic_in(&r->drive->statistics, "tenant.1.all.iops") - 35460.9929) < 1e-4);
	replay_free(r);
}

/* A closed tenant reads at depth 1; an open one sends two reads at 1,000 ns, the first of which waits for the
 * read under way, the second also for the next one of the closed tenant: q - 1,000 + q, and q more. */
static void test_an_open_beside_a_closed_tenant(void **state)
{
	struct replay *r =
		begin(ONE_DIE "host.tenants=2 host.modes=closed,open host.queue_depth=1 host.slots=1 "
			      "host.arbitration=round_robin",
			"0 0 0 4 1\n0 0 4 4 1\n0 0 8 4 1\n1000 1 12 4 1\n1000 1 16 4 1\n");

	(void)state;
	finish(r);
	assert_int_equal(r->drive->tenant[1].request[REQUEST_READ].latency.min, 2 * Q - 1000);
	assert_int_equal(r->drive->tenant[1].request[REQUEST_READ].latency.max, 4 * Q - 1000);
	assert_int_equal(r->drive->last_completion, 5 * Q);
	replay_free(r);
}

/* A FLUSH of one tenant waits for the data of another. */
static void test_a_flush_is_of_the_whole_drive(void **state)
{
	struct replay *r = begin(ONE_DIE "host.tenants=2", "0 0 0 4 0\n1000 1 0 0 2\n");

	(void)state;
	finish(r);
	assert_int_equal(completed(r, 0), 1);
	assert_int_equal(completed(r, 1), 1);
	assert_true(statistic_in(&r->drive->statistics, "tenant.1.all.count") == 1);
	assert_true(statistic_in(&r->drive->statistics, "tenant.1.all.latency_mean_ns") == W - 1000);
	replay_free(r);
}

/* Counted like any other request, whether one tenant sends it or several. */
static void test_a_flush_is_a_request(void **state)
{
	static const char *const settings[] = { ONE_DIE, ONE_DIE "host.tenants=2" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct replay *r = begin(settings[i], "0 0 0 4 0\n1000 0 0 0 2\n2000 0 4 4 1\n");
		char *text;

		finish(r);
		text = replay_report(r);
		assert_true(value_of(text, "run.requests") == 3);
		assert_true(value_of(text, "run.served") == 3);
		assert_true(value_of(text, "request.flush.count") == 1);
		free(text);
		replay_free(r);
	}
}

/* Twice as slow, in the second half of the drive; the first line of a trace is at 0. */
static void test_time_scale_and_range_of_a_tenant(void **state)
{
	struct replay *r = begin(ONE_DIE "host.tenants=2 host.time_scales=1,2 host.ranges=0..0.5,0.5..1",
		"100000 0 8 4 0\n200000 1 8 4 0\n");
	sector_t half = r->drive->host->sectors / 8 * 4;

	(void)state;
	finish(r);
	assert_int_equal(r->drive->last_completion, 200000 + W);
	assert_int_equal(r->drive->host->part[0].device.start, half + 8);
	replay_free(r);
}

/* As if the trace had no lines of the others. */
static void test_a_tenant_alone(void **state)
{
	const char *settings = ONE_DIE "host.tenants=3 host.mode=closed host.queue_depth=2 host.alone=1";
	struct replay *r = begin(settings, "0 0 0 4 1\n0 1 8 4 1\n0 2 4 4 0\n0 1 16 4 1\n0 0 4 4 1\n");

	(void)state;
	finish(r);
	assert_int_equal(completed(r, 0) + completed(r, 2), 0);
	assert_int_equal(completed(r, 1), 2);
	assert_int_equal(r->drive->last_completion, 2 * Q);
	replay_free(r);
}

/* A new run forgets the rest of the first one, except for requests in the drive. */
static void test_a_run_behind_one_that_was_ended(void **state)
{
	struct trace_options options = { .format = "ssdsim" };
	const char *second = "0 0 0 4 1\n0 1 4 4 1\n0 1 8 4 1\n";
	char *trace = reads_of(2, NULL, 100);
	struct replay *r = begin(ONE_DIE "host.tenants=2 host.mode=closed host.queue_depth=3 host.slots=2 "
					 "host.arbitration=round_robin",
		trace);

	(void)state;
	while (r->run.requests < 25)
		run_step(&r->run, &r->fault);
	drive_drain(r->drive);
	assert_int_equal(completed(r, 0) + completed(r, 1), 25);
	trace_close(r->workload.trace);
	r->workload.served = 0;
	r->workload.trace = trace_open_memory("second", second, strlen(second), &options, &r->fault);
	run_begin(&r->run, &r->fault);
	finish(r);
	assert_int_equal(r->run.requests, 28);
	assert_int_equal(completed(r, 0) + completed(r, 1), 28);
	replay_free(r);
	free(trace);
}

/* ---- as without tenants ---- */

static char *random_lines(struct random *random, uint32_t tenants, uint32_t lines, sector_t sectors)
{
	struct text t;
	tick_t now = 0;

	text_open(&t);
	for (uint32_t i = 0; i < lines; i++) {
		now += random_below(random, 3) ? random_below(random, 20000) : random_below(random, 200000);
		put(&t, now, (uint32_t)random_below(random, tenants), random_below(random, sectors),
			1 + (uint32_t)random_below(random, 12), random_below(random, 2));
	}
	fclose(t.out);
	return t.text;
}

/* In the order of arrival, at the times of the trace: the tenant of a request does not matter. */
static void test_fifo_of_open_tenants_is_one_queue(void **state)
{
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 5);
	for (int i = 0; i < 20; i++) {
		char *trace = random_lines(&random, 4, 300, 600), settings[512];
		struct replay *one, *several;

		snprintf(settings, sizeof settings, ONE_DIE "host.queue_limit=%d",
			(int)random_below(&random, 5));
		one = begin(settings, trace);
		strcat(settings, " host.tenants=4 host.arbitration=fifo");
		several = begin(settings, trace);
		finish(one);
		finish(several);
		assert_int_equal(one->drive->last_completion, several->drive->last_completion);
		assert_memory_equal(one->drive->count, several->drive->count, sizeof *one->drive->count);
		replay_free(one);
		replay_free(several);
		free(trace);
	}
}

/* ---- several workloads ---- */

#define MIDDLE  ONE_DIE "flash.pages=16 flash.blocks=512 trace.fit=true "
#define SAMPLES ONE_DIE "flash.channels=2 trace.limit=700 "

/* The requests of the workloads as one trace. */
static char *merge(struct replay *r, char *const names[], size_t n)
{
	enum trace_status status;
	struct request request;
	struct workload all;
	struct text t;

	assert_true(workload_open_several(
		&all, names, n, &r->settings, (struct workload_opening){ .again = true }, &r->fault));
	text_open(&t);
	while ((status = workload_next_for(r->drive->host, &all, &request, &r->fault)) == TRACE_OK)
		put(&t, request.arrival, request.device, request.start, request.sectors,
			request.type == REQUEST_READ);
	assert_int_equal(status, TRACE_END);
	fclose(t.out);
	workload_close(&all);
	return t.text;
}

static char *const samples[] = { "traces/samples/random.trace", "traces/samples/hot-cold.trace",
	"traces/samples/sequential.trace" };

static struct replay *begin_samples(const char *settings)
{
	struct replay *r = replay_open(settings);

	drive_place(r->drive, (struct extent){ 0, r->drive->host->sectors });
	assert_true(workload_open_several(&r->workload, samples, 3, &r->settings,
		(struct workload_opening){ .again = false }, &r->fault));
	stat_list_start(&r->drive->statistics);
	run_begin(&r->run, &r->fault);
	return r;
}

/* Traces apart, and the same traces merged into one whose devices are the tenants. */
static void test_traces_apart_or_in_one(void **state)
{
	static const char *const hosts[] = { "host.mode=open host.queue_limit=3",
		"host.mode=closed host.queue_depth=3 host.slots=4",
		"host.mode=closed host.depths=1,7,2 host.burst=3 host.slots=2",
		"host.modes=open,closed,open host.queue_limit=2 host.time_scales=0.1,1,0.5" };
	static const char *const kinds[] = { "fifo", "round_robin", "weighted", "priority" };

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		char settings[1024];
		struct replay *apart, *one;
		char *trace;

		snprintf(settings, sizeof settings,
			SAMPLES "host.tenants=3 host.classes=M,L,M host.arbitration=%s %s", kinds[i % 4],
			hosts[i / 4]);
		apart = begin_samples(settings);
		trace = merge(apart, samples, 3);
		/* Its times have been scaled. */
		strcat(settings, " host.time_scales= trace.limit=0");
		one = begin(settings, trace);
		finish(apart);
		finish(one);
		assert_int_equal(apart->run.requests, 2100);
		assert_int_equal(apart->drive->last_completion, one->drive->last_completion);
		assert_memory_equal(apart->drive->count, one->drive->count, sizeof *one->drive->count);
		for (uint32_t k = 0; k < 3; k++)
			assert_memory_equal(apart->drive->tenant[k].request, one->drive->tenant[k].request,
				sizeof one->drive->tenant[k].request);
		replay_free(apart);
		replay_free(one);
		free(trace);
	}
}

static void test_merged_by_time_and_then_by_tenant(void **state)
{
	struct replay *r = replay_open(SAMPLES "host.tenants=3");
	struct request request, last = { .line = 0 };
	uint64_t from[3] = { 0 };
	struct workload all;

	(void)state;
	assert_true(workload_open_several(
		&all, samples, 3, &r->settings, (struct workload_opening){ .again = true }, &r->fault));
	for (int pass = 0; pass < 2; pass++) {
		last.arrival = last.device = 0;
		while (workload_next_for(r->drive->host, &all, &request, &r->fault) == TRACE_OK) {
			assert_true(request.arrival > last.arrival ||
				    (request.arrival == last.arrival && request.device >= last.device));
			assert_true(request.device < 3);
			from[request.device]++;
			last = request;
		}
		assert_true(workload_rewind(&all, &r->fault));
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(from[i], 2 * 700);
	workload_close(&all);
	workload_close(&r->workload);
	replay_free(r);
}

/* How many of 100 requests of two tenants are at the same place. */
static uint32_t equal_requests(const char *settings)
{
	char *const names[] = { "uniform", "uniform" };
	struct replay *r = replay_open(settings);
	struct request request[2];
	struct workload all;
	uint32_t equal = 0;

	r->settings.trace.bytes = r->drive->host->sectors * SECTOR_BYTES;
	if (!workload_open_several(
		    &all, names, 2, &r->settings, (struct workload_opening){ .again = false }, &r->fault))
		fail_msg("%s", r->fault.text);
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 2; k++)
			assert_int_equal(
				workload_next_for(r->drive->host, &all.part[k], &request[k], &r->fault),
				TRACE_OK);
		equal += request[0].start == request[1].start;
	}
	workload_close(&all);
	replay_free(r);
	return equal;
}

static void test_seeds_of_tenants(void **state)
{
	(void)state;
	assert_true(equal_requests(MIDDLE "host.tenants=2") < 20);
	assert_true(equal_requests(MIDDLE "host.tenants=2 host.seeds=4,5") < 20);
	assert_int_equal(equal_requests(MIDDLE "host.tenants=2 host.seeds=4,4"), 100);
	/* The same places of two halves. */
	assert_int_equal(equal_requests(MIDDLE "host.tenants=2 host.seeds=4,4 host.ranges=apart"), 0);
}

static void test_settings_of_the_profile_of_a_tenant(void **state)
{
	char *words[] = { "write_share=0.5", "0.requests=7", "1.requests=9", "1.write_share=0", "12.seed=3" };
	char *const names[] = { "uniform", "uniform" };
	struct replay *r = replay_open(MIDDLE "host.tenants=2");
	uint64_t requests[2] = { 0 }, writes[2] = { 0 };
	struct request request;
	struct workload all;

	(void)state;
	r->settings.trace.bytes = r->drive->host->sectors * SECTOR_BYTES;
	r->settings.trace.profile = memory_array(5, sizeof(char *), "settings of the workload");
	memcpy(r->settings.trace.profile, words, sizeof words);
	r->settings.trace.profile_count = 5;
	assert_true(workload_open_several(
		&all, names, 2, &r->settings, (struct workload_opening){ .again = false }, &r->fault));
	while (workload_next_for(r->drive->host, &all, &request, &r->fault) == TRACE_OK) {
		requests[request.device]++;
		writes[request.device] += request.type == REQUEST_WRITE;
	}
	assert_int_equal(requests[0], 7);
	assert_int_equal(requests[1], 9);
	assert_true(writes[0] > 0);
	assert_int_equal(writes[1], 0);
	workload_close(&all);
	replay_free(r);
}

/* Tenant 1 has sent everything when its second request arrives, at 2 q; tenant 0 then has two requests, one
 * of which waits. */
static void test_the_end_of_the_first_tenant(void **state)
{
	struct replay *r = begin(ONE_DIE "host.tenants=2 host.mode=closed host.depths=2,1 host.slots=1 "
					 "host.arbitration=round_robin host.end=first",
		"0 0 0 4 1\n0 0 4 4 1\n0 0 8 4 1\n0 0 12 4 1\n0 0 16 4 1\n0 1 0 4 1\n0 1 4 4 1\n");

	(void)state;
	finish(r);
	/* 0 1 0 1 0: the third request of tenant 0 arrived before the second of tenant 1 did. */
	assert_int_equal(completed(r, 0), 3);
	assert_int_equal(completed(r, 1), 2);
	replay_free(r);
}

/* ---- saved and resumed ---- */

struct saved {
	struct replay *replay;
	struct checkpoint what;
	uint64_t save_at; /* UINT64_MAX: it is not saved */
	char path[TEMPORARY_PATH];
};

static bool save_then(void *saved, const struct run *run)
{
	struct saved *s = saved;
	struct fault fault;

	if (run->requests == s->save_at && !checkpoint_save(&s->what, s->path, &fault))
		fail_msg("%s", fault.text);
	return true;
}

/* The report of a run without judges; `resume`: of the saved run, resumed. */
static char *report_of_samples(struct saved *s, const char *settings, bool resume)
{
	struct replay *r = s->replay = memory_array(1, sizeof *r, "replay");
	char *report;

	fixture_settings(&r->settings, settings);
	r->drive = drive_create(&r->settings, false, &r->fault);
	r->run = (struct run){ .drive = r->drive,
		.workload = &r->workload,
		.keep_going = save_then,
		.ask_every = 1,
		.context = s,
		.keeps_sum = true };
	r->settings.trace.bytes = r->drive->host->sectors * SECTOR_BYTES;
	s->what = (struct checkpoint){ .run = &r->run, .before = &r->before };
	assert_true(workload_open_several(&r->workload, samples, 3, &r->settings,
		(struct workload_opening){ .again = false }, &r->fault));
	stat_list_start(&r->drive->statistics);
	if (resume && !checkpoint_load(&s->what, s->path, &r->fault))
		fail_msg("%s", r->fault.text);
	r->end = run_workload(&r->run, &r->fault);
	if (r->end != RUN_DONE)
		fail_msg("%s", r->fault.text);
	drive_check(r->drive);
	report = replay_report(r);
	replay_free(r);
	return report;
}

static void test_a_run_of_several_traces_is_resumed(void **state)
{
	static const char *const hosts[] = { "host.mode=open host.queue_limit=3",
		"host.mode=closed host.queue_depth=3 host.slots=4 host.end=first",
		"host.modes=closed,open,closed host.queue_limit=2 host.alone=2",
		"host.modes=open,closed,open host.queue_limit=2 host.ranges=apart" };
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 8);
	for (size_t i = 0; i < 4; i++) {
		struct saved s = { .save_at = 50 + random_below(&random, 600) };
		char settings[1024], *whole, *resumed;

		temporary_path(s.path);
		snprintf(settings, sizeof settings,
			SAMPLES "host.tenants=3 host.arbitration=weighted host.classes=M,L,M host.burst=2 %s",
			hosts[i]);
		whole = report_of_samples(&s, settings, false);
		s.save_at = UINT64_MAX;
		resumed = report_of_samples(&s, settings, true);
		assert_string_equal(whole, resumed);
		unlink(s.path);
		free(whole);
		free(resumed);
	}
}

/* ---- refused ---- */

static void test_a_device_that_is_no_tenant(void **state)
{
	struct replay *r = begin(ONE_DIE "host.tenants=2", "0 0 0 4 0\n0 1 0 4 0\n0 7 4 4 0\n");

	(void)state;
	while (r->run.status == TRACE_OK)
		run_step(&r->run, &r->fault);
	assert_int_equal(r->run.status, TRACE_BAD);
	assert_non_null(strstr(r->fault.text, "trace:3: device 7, host.tenants = 2"));
	replay_free(r);
}

/* 32 of tenant 0 have arrived and one more has been read when the next line of tenant 1 is looked for. */
static void test_lines_of_others_are_held(void **state)
{
	enum { LINES = 65536 + 33 + 1 };
	struct text t;
	struct replay *r;

	(void)state;
	text_open(&t);
	put(&t, 0, 1, 0, 4, true);
	for (uint32_t i = 0; i < LINES; i++)
		put(&t, 0, 0, 0, 4, true);
	put(&t, 0, 1, 4, 4, true);
	fclose(t.out);
	r = begin(ONE_DIE "host.tenants=2 host.mode=closed", t.text);
	assert_int_equal(r->run.status, TRACE_BAD);
	assert_non_null(strstr(r->fault.text, "65536 requests of other tenants are held, and the next one of "
					      "tenant 1 is not among them"));
	replay_free(r);
	r = begin(ONE_DIE "host.tenants=2 host.mode=closed trace.sort_fully=true", t.text);
	assert_int_equal(r->run.status, TRACE_OK);
	replay_free(r);
	free(t.text);
}

/* ---- under the judges ---- */

static void draw_host(char *text, size_t bytes, struct random *random, uint32_t tenants)
{
	static const char *const kinds[] = { "fifo", "round_robin", "weighted", "priority" };
	char classes[2 * TENANTS_MOST] = "", modes[8 * TENANTS_MOST] = "", depths[8 * TENANTS_MOST] = "";

	for (uint32_t i = 0; i < tenants; i++) {
		const char *comma = i ? "," : "";

		sprintf(classes + strlen(classes), "%s%c", comma, "UHML"[random_below(random, 4)]);
		sprintf(modes + strlen(modes), "%s%s", comma, random_below(random, 2) ? "open" : "closed");
		sprintf(depths + strlen(depths), "%s%d", comma, 1 + (int)random_below(random, 6));
	}
	snprintf(text, bytes,
		ONE_DIE "flash.channels=%d host.tenants=%u host.arbitration=%s host.classes=%s host.modes=%s "
			"host.depths=%s host.burst=%d host.queue_limit=%d host.slots=%d host.weights=%d,%d,1",
		1 + (int)random_below(random, 2), tenants, kinds[random_below(random, 4)], classes,
		random_below(random, 2) ? modes : "", depths, 1 + (int)random_below(random, 4),
		(int)random_below(random, 9), (int)random_below(random, 9), 1 + (int)random_below(random, 5),
		1 + (int)random_below(random, 3));
}

/* The judge of the queues checks that no order is broken and no slot is empty while a request waits. */
static void test_random_runs_under_the_judges(void **state)
{
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 6);
	for (uint64_t i = 0; i < amount(SANITIZED ? 100 : 1000, 20000); i++) {
		uint32_t tenants = 2 + (uint32_t)random_below(&random, 5);
		uint64_t lines = 20 + random_below(&random, 100), sum = 0;
		char *trace = random_lines(&random, tenants, (uint32_t)lines, 600), settings[2048];
		struct replay *r;

		draw_host(settings, sizeof settings, &random, tenants);
		r = begin(settings, trace);
		finish(r);
		queue_judge_end(r->drive->queue_judge);
		for (uint32_t k = 0; k < tenants; k++)
			sum += completed(r, k);
		if (r->run.requests != lines || sum != lines)
			fail_msg("%s: %llu of %llu requests", settings, (unsigned long long)sum,
				(unsigned long long)lines);
		replay_free(r);
		free(trace);
	}
}

/* ---- the judge itself ---- */

struct judged {
	uint32_t tenant[4];
	uint64_t line[4]; /* arrived, in this order; 0: no more */
	uint32_t enters_tenant;
	uint64_t enters; /* 0: time passes */
	uint64_t in_drive;
	const char *why;
};

static void judge(void *judged)
{
	const struct judged *c = judged;
	struct queue_judge *j = queue_judge_create(2, 3);

	for (int i = 0; i < 4 && c->line[i]; i++)
		queue_judge_arrived(j, &(struct request){ .line = c->line[i], .device = c->tenant[i] }, 0);
	if (c->enters)
		queue_judge_entered(
			j, &(struct request){ .line = c->enters, .device = c->enters_tenant }, c->in_drive);
	else
		queue_judge_time_passes(j, c->in_drive);
	queue_judge_free(j);
}

static void test_the_judge_of_the_queues(void **state)
{
	static struct judged cases[] = {
		{ { 0, 1, 0 }, { 5, 7, 9 }, 0, 5, 2, NULL },
		{ { 0, 1, 0 }, { 5, 7, 9 }, 1, 7, 2, NULL },
		{ { 0, 1, 0 }, { 5, 7, 9 }, 0, 9, 2, "line 9 of tenant 0 enters before line 5" },
		{ { 0, 1, 0 }, { 5, 7, 9 }, 1, 8, 2, "line 8 of tenant 1 enters before line 7" },
		{ { 0, 0 }, { 5, 7 }, 1, 5, 2, "line 5 of tenant 1 enters and has not arrived" },
		{ { 0, 0 }, { 5, 7 }, 0, 5, 3, "line 5 enters, and 3 of 3 slots are taken" },
		{ { 0, 0 }, { 5, 7 }, 0, 0, 2, "2 requests wait while 2 of 3 slots are taken" },
		{ { 0, 0 }, { 5, 7 }, 0, 0, 3, NULL },
		{ { 0 }, { 0 }, 0, 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct child child;

		run_in_child(&child, judge, &cases[i]);
		if (cases[i].why ? !strstr(child.text, cases[i].why) : child.status)
			fail_msg("case %zu: status %#x, %s", i, (unsigned)child.status, child.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_tenants_have_equal_shares),
		cmocka_unit_test(test_large_requests_have_no_smaller_share),
		cmocka_unit_test(test_weights_are_shares),
		cmocka_unit_test(test_two_closed_tenants),
		cmocka_unit_test(test_an_open_beside_a_closed_tenant),
		cmocka_unit_test(test_a_flush_is_of_the_whole_drive),
		cmocka_unit_test(test_a_flush_is_a_request),
		cmocka_unit_test(test_time_scale_and_range_of_a_tenant),
		cmocka_unit_test(test_a_tenant_alone),
		cmocka_unit_test(test_a_run_behind_one_that_was_ended),
		cmocka_unit_test(test_fifo_of_open_tenants_is_one_queue),
		cmocka_unit_test(test_traces_apart_or_in_one),
		cmocka_unit_test(test_merged_by_time_and_then_by_tenant),
		cmocka_unit_test(test_seeds_of_tenants),
		cmocka_unit_test(test_settings_of_the_profile_of_a_tenant),
		cmocka_unit_test(test_the_end_of_the_first_tenant),
		cmocka_unit_test(test_a_run_of_several_traces_is_resumed),
		cmocka_unit_test(test_a_device_that_is_no_tenant),
		cmocka_unit_test(test_lines_of_others_are_held),
		cmocka_unit_test(test_random_runs_under_the_judges),
		cmocka_unit_test(test_the_judge_of_the_queues),
	};

	return cmocka_run_group_tests_name("tenants", tests, NULL, NULL);
}
