/*
 * The library gives the program's results, to the byte, however it is called; an error ends only the call.
 */
#include "base/toolbox.h"
#include "library/inside.h"
#include "tests/any_workload.h"
#include "tests/library_fixture.h"

#include <pthread.h>

/* The profile addresses terabytes. */
#define FOLD  "trace.fold=true"
#define LIMIT "trace.limit=1500"
#define MIXED LIMIT " " FOLD

/* Beside every FTL: other parts that a drive can have. */
static const char *const variants[] = { "buffer=lru dram.buffer_bytes=64K", "gc.policy=cost_benefit",
	"ftl=across buffer=lru dram.buffer_bytes=64K host.mode=closed", "host.layer=indirect",
	"host.mode=closed host.queue_depth=7 upkeep.idle_ns=100000" };

static char *const *configurations(size_t *n)
{
	static char text[64][160];
	static char *list[64];
	size_t used = 0;

	for (size_t i = 0; ftls[i]; i++)
		snprintf(text[used++], sizeof *text, "ftl=%s%s", ftls[i]->name,
			ftls[i]->admit ? " host.layer=zoned zoned.share=0.5" : any_workload(ftls[i]));
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
		snprintf(text[used++], sizeof *text, "%s", variants[i]);
	for (size_t i = 0; i < used; i++)
		list[i] = text[i];
	*n = used;
	return list;
}

/* What the program writes with --json for the same settings. */
static char *written_by_program(struct world *w, const char *settings)
{
	char line[600] = "run --quiet --verify --json @/run.json",
	     *words = memory_string(settings, "settings");

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		strcat(strcat(line, " -s "), word);
	memory_free(words);
	strcat(line, " parameters/tiny.cfg mixed");
	ssd(w, line);
	return w->status == DONE ? text_of(w, "run.json") : NULL;
}

/* The text of a statistic in JSON. */
static char *text_in(const char *json, const char *name)
{
	char key[80], *at, *text;

	snprintf(key, sizeof key, "\"%s\": \"", name);
	at = strstr(json, key);
	assert_non_null(at);
	text = memory_string(at + strlen(key), "text");
	*strchr(text, '"') = 0;
	return text;
}

/* Both must serve the same, or refuse it with the same words. */
static void same_as_program(struct world *w, const char *settings)
{
	char all[300], *written, *text, *command;
	ssdlab_drive *drive;
	enum ssdlab_status status;

	snprintf(all, sizeof all, LIMIT " %s", settings);
	written = written_by_program(w, all);
	snprintf(all, sizeof all, MIXED " %s", settings);
	status = open_with(&drive, "parameters/tiny.cfg", all, (struct ssdlab_options){ .verify = 1 });
	if (status == SSDLAB_OK)
		status = ssdlab_run(drive, "mixed");
	if (written) {
		assert_ok(drive, status);
		command = text_in(written, "run.command");
		text = results_of(drive, command, NULL);
		assert_string_equal(text, written);
		memory_free(command);
		ssdlab_free(text);
	} else {
		assert_int_not_equal(status, SSDLAB_OK);
		assert_non_null(strstr(w->err, ssdlab_error(drive)));
	}
	ssdlab_close(drive);
	memory_free(written);
}

static void test_runs_are_those_of_the_program(void **state)
{
	size_t n;
	char *const *settings = configurations(&n);

	assert_true(n >= 20);
	for (size_t i = 0; i < n; i++)
		same_as_program(*state, settings[i]);
}

/* ---- requests of the caller ---- */

/* In pieces of any size, with calls in between that change nothing. */
static void submit_in_pieces(
	ssdlab_drive *drive, const struct ssdlab_request *request, size_t n, uint64_t seed)
{
	struct random random;
	bool open = drive->shared->settings.host.mode == HOST_OPEN;

	random_init(&random, seed, 1);
	for (size_t at = 0, piece; at < n; at += piece) {
		piece = 1 + random_below(&random, 300);
		piece = piece < n - at ? piece : n - at;
		if (open && at)
			assert_ok(drive,
				ssdlab_advance(drive, request[at].arrival_ns - 1 -
							      random_below(&random, 3) *
								      (request[at].arrival_ns -
									      request[at - 1].arrival_ns) /
								      4));
		submit_all(drive, request + at, piece);
		assert_ok(drive, ssdlab_check(drive));
	}
	assert_ok(drive, ssdlab_drain(drive));
}

/* Empties run.workload_kind, the only value that may differ. */
static void forget_kind(char *json)
{
	char *kind = strstr(json, "\"run.workload_kind\": \"");
	char *end;

	assert_non_null(kind);
	kind += strlen("\"run.workload_kind\": \"");
	end = strchr(kind, '"');
	memmove(kind, end, strlen(end) + 1);
}

/* Submitted requests are no trace, whose unused arrival times a run warns of. */
static void forget_warnings(char *json)
{
	char *list = strstr(json, ",\n  \"warnings\": [");

	if (list)
		strcpy(list, "\n}\n");
}

/* Submitting the workload's requests gives the results of running it.  False: the settings are refused. */
static bool submitted_is_run(
	const char *workload, const char *settings, const struct ssdlab_request *request, size_t n)
{
	char all[300], *text[2];
	ssdlab_drive *drive[2];

	snprintf(all, sizeof all, MIXED " precondition.premap=none %s", settings);
	for (int i = 0; i < 2; i++) {
		if (open_with(&drive[i], "parameters/tiny.cfg", all,
			    (struct ssdlab_options){ .verify = 1 }) != SSDLAB_OK) {
			ssdlab_close(drive[i]);
			if (i)
				ssdlab_close(drive[0]);
			assert_int_equal(i, 0);
			return false;
		}
	}
	assert_ok(drive[0], ssdlab_run(drive[0], workload));
	submit_in_pieces(drive[1], request, n, 5);
	for (int i = 0; i < 2; i++) {
		text[i] = results_of(drive[i], "x", workload);
		forget_kind(text[i]);
		forget_warnings(text[i]);
	}
	assert_string_equal(text[0], text[1]);
	for (int i = 0; i < 2; i++) {
		ssdlab_free(text[i]);
		ssdlab_close(drive[i]);
	}
	return true;
}

static void test_submitted_requests_are_a_run(void **state)
{
	size_t n, requests;
	char *const *settings = configurations(&n);
	struct ssdlab_request *request = requests_of("mixed", MIXED, &requests);

	(void)state;
	assert_int_equal(requests, 1500);
	for (size_t i = 0; i < n; i++)
		submitted_is_run("mixed", settings[i], request, requests);
	memory_free(request);
}

/* Every fifth request becomes a FLUSH, trims become reads, and a write at every third place has FUA.  Returns
 * the same requests as SSDsim's text. */
static char *make_durable(struct ssdlab_request *request, size_t n)
{
	char *text = memory_array(n, 80, "text of a trace"), *at = text;

	for (size_t i = 0; i < n; i++) {
		struct ssdlab_request *r = &request[i];

		if (i % 5 == 4)
			*r = (struct ssdlab_request){ r->arrival_ns, 0, r->tag, 0, 0, SSDLAB_FLUSH };
		else if (r->kind == SSDLAB_TRIM)
			r->kind = SSDLAB_READ;
		else if (r->kind == SSDLAB_WRITE && i % 3 == 0)
			r->flags = SSDLAB_FUA;
		at += sprintf(at, "%llu 0 %llu %u %d\n", (unsigned long long)r->arrival_ns,
			(unsigned long long)r->sector, r->sectors,
			r->kind == SSDLAB_FLUSH  ? 2
			: r->kind == SSDLAB_READ ? 1
			: r->flags               ? 4
						 : 0);
	}
	return text;
}

static void test_submitted_flushes_and_fua_are_those_of_a_trace(void **state)
{
	static const char *const settings[] = { "", "host.write_done=memory",
		"host.write_done=memory host.write_bytes=64K host.plp=true",
		"host.write_done=memory flash.cell_bits=2 flash.program_unit=wordline flash.copyback=false",
		"buffer=lru dram.buffer_bytes=64K host.mode=closed" };
	struct world *w = *state;
	size_t n;
	struct ssdlab_request *request = requests_of("mixed", MIXED, &n);
	char *text = make_durable(request, n), *path = path_in(w, "durable.trace"), all[200];

	put_text(w, "durable.trace", text);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		snprintf(all, sizeof all, "trace.format=ssdsim trace.flush=true %s", settings[i]);
		assert_true(submitted_is_run(path, all, request, n));
	}
	memory_free(path);
	memory_free(text);
	memory_free(request);
}

/* Columns without arrival times: each request arrives when it can enter, however the columns are split. */
static void test_columns_say_what_rows_say(void **state)
{
	static const char *const settings = "precondition.premap=none host.queue_limit=3 " MIXED;
	size_t n = 900, taken;
	struct ssdlab_request *request = requests_of("mixed", MIXED, &taken);
	uint64_t sector[900];
	uint32_t sectors[900];
	uint8_t kind[900];
	char *text[3];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		sector[i] = request[i].sector;
		sectors[i] = request[i].sectors;
		kind[i] = request[i].kind;
	}
	for (int i = 0; i < 3; i++) {
		ssdlab_drive *drive = opened(settings, (struct ssdlab_options){ 0 });
		struct random random;

		random_init(&random, 9, (uint64_t)i);
		for (size_t at = 0, piece; at < n; at += piece) {
			struct ssdlab_columns columns = { sizeof columns, .sector = sector + at,
				.sectors = sectors + at, .kind = kind + at };

			piece = i ? 1 + random_below(&random, 60) : n;
			piece = piece < n - at ? piece : n - at;
			assert_ok(drive, ssdlab_submit_columns(drive, &columns, piece, &taken));
			assert_int_equal(taken, piece);
		}
		assert_ok(drive, ssdlab_drain(drive));
		text[i] = results_of(drive, "x", "y");
		ssdlab_close(drive);
	}
	assert_string_equal(text[1], text[0]);
	assert_string_equal(text[2], text[0]);
	for (int i = 0; i < 3; i++)
		ssdlab_free(text[i]);
	memory_free(request);
}

/* ---- completions ---- */

static size_t taken_from(ssdlab_drive *drive, struct ssdlab_completion *to, size_t room)
{
	size_t taken;

	assert_ok(drive, ssdlab_completions(drive, to, room, &taken));
	return taken;
}

static uint64_t parts_of(const struct ssdlab_completion *c)
{
	return c->controller_ns + c->map_ns + c->die_ns + c->collection_ns + c->bus_ns + c->cells_ns +
	       c->link_ns;
}

/* Each request completes once, in order of time; the sum of latencies is that of the statistics. */
static void check_completions(const struct ssdlab_completion *c, size_t n,
	const struct ssdlab_request *request, ssdlab_drive *drive)
{
	double mean, sum = 0;
	char *seen = memory_array(n, 1, "seen");

	for (size_t i = 0; i < n; i++) {
		const struct ssdlab_request *r = &request[c[i].tag - 1000];

		assert_false(seen[c[i].tag - 1000]++);
		assert_true(!i || c[i].completion_ns >= c[i - 1].completion_ns);
		assert_int_equal(c[i].arrival_ns, r->arrival_ns);
		assert_int_equal(c[i].sectors, r->sectors);
		assert_int_equal(c[i].kind, r->kind);
		assert_true(c[i].start_ns >= c[i].arrival_ns);
		assert_int_equal(parts_of(&c[i]), c[i].completion_ns - c[i].start_ns);
		sum += (double)(c[i].completion_ns - c[i].arrival_ns);
	}
	memory_free(seen);
	assert_ok(drive, ssdlab_statistic(drive, "request.all.latency_mean_ns", &mean));
	assert_float_equal(sum / (double)n, mean, 1e-6 * mean);
}

static void completions_with(const char *settings)
{
	size_t n, taken = 0;
	struct ssdlab_request *request = requests_of("mixed", MIXED, &n);
	struct ssdlab_completion *c = memory_array(n, sizeof *c, "completions");
	ssdlab_drive *drive = opened(settings, (struct ssdlab_options){ .completions = SSDLAB_PARTS });

	for (size_t at = 0; at < n; at += 100) {
		submit_all(drive, request + at, 100);
		taken += taken_from(drive, c + taken, 30);
	}
	while (ssdlab_in_flight(drive)) {
		uint64_t before = ssdlab_in_flight(drive);

		assert_ok(drive, ssdlab_next(drive));
		assert_true(ssdlab_in_flight(drive) < before);
	}
	taken += taken_from(drive, c + taken, n - taken);
	assert_int_equal(taken, n);
	assert_int_equal(taken_from(drive, c, n), 0);
	check_completions(c, n, request, drive);
	ssdlab_close(drive);
	memory_free(c);
	memory_free(request);
}

static void test_each_request_completes_once_and_its_parts_add_up(void **state)
{
	(void)state;
	completions_with(FOLD " precondition.premap=none");
	completions_with(FOLD " precondition.premap=none ftl=dftl host.link_ns=700 host.link_mb_per_s=200");
}

/* By hand, from parameters/tiny.cfg: a page takes 5,120 ns on the bus, 100,000 to program, 10,000 to read. */
static void test_a_write_and_a_read_take_the_time_of_their_parts(void **state)
{
	const struct ssdlab_request write = { 1000, 0, 7, 4, 0, SSDLAB_WRITE },
				    read = { 2000000, 0, 8, 4, 0, SSDLAB_READ };
	struct ssdlab_completion c[2];
	ssdlab_drive *drive = opened("precondition.mode=none precondition.premap=none dram.access_ns=10",
		(struct ssdlab_options){ .completions = SSDLAB_PARTS });

	(void)state;
	submit_all(drive, &write, 1);
	submit_all(drive, &read, 1);
	assert_ok(drive, ssdlab_drain(drive));
	assert_int_equal(taken_from(drive, c, 2), 2);
	assert_int_equal(c[0].tag, 7);
	assert_int_equal(c[0].completion_ns, 1000 + 10 + 5120 + 100000);
	assert_int_equal(c[0].controller_ns, 10);
	assert_int_equal(c[0].bus_ns, 5120);
	assert_int_equal(c[0].cells_ns, 100000);
	assert_int_equal(c[1].completion_ns - c[1].arrival_ns, 10 + 10000 + 5120);
	assert_int_equal(ssdlab_now(drive), c[1].completion_ns);
	ssdlab_close(drive);
}

static void test_statistics_start_again_when_they_are_told_to(void **state)
{
	size_t n;
	struct ssdlab_request *request = requests_of("mixed", MIXED, &n);
	ssdlab_drive *drive = opened(FOLD " precondition.premap=none", (struct ssdlab_options){ 0 });
	double count, served;

	(void)state;
	submit_all(drive, request, 1000);
	assert_ok(drive, ssdlab_reset_statistics(drive));
	submit_all(drive, request + 1000, n - 1000);
	assert_ok(drive, ssdlab_drain(drive));
	assert_ok(drive, ssdlab_statistic(drive, "run.requests", &count));
	assert_ok(drive, ssdlab_statistic(drive, "run.served", &served));
	assert_float_equal(count, 500, 0);
	assert_float_equal(served, 500, 0);
	assert_ok(drive, ssdlab_statistic(drive, "run.warm_up", &count));
	assert_float_equal(count, 1000, 0);
	memory_free(request);
	ssdlab_close(drive);
}

/* ---- mistakes ---- */

static void refused(ssdlab_drive *drive, enum ssdlab_status status, const char *text)
{
	if (status != SSDLAB_MISTAKE || !strstr(ssdlab_error(drive), text))
		fail_msg("%d, \"%s\" does not say \"%s\"", status, ssdlab_error(drive), text);
}

static void open_refuses(const char *parameters, const char *settings, const char *text)
{
	ssdlab_drive *drive;

	enum ssdlab_status status = open_with(&drive, parameters, settings, (struct ssdlab_options){ 0 });

	refused(drive, status, text);
	refused(drive, ssdlab_drain(drive), text);
	ssdlab_close(drive);
}

static void test_a_drive_that_cannot_be_is_refused(void **state)
{
	ssdlab_drive *drive;

	(void)state;
	open_refuses(NULL, "gc.treshold=0.1", "did you mean \"gc.threshold\"?");
	open_refuses(NULL, "gc.threshold=2", "gc.threshold");
	open_refuses("parameters/none.cfg", "", "parameters/none.cfg");
	open_refuses("parameters/tiny.cfg", "flash.pages=0", "flash.pages");
	open_refuses("parameters/tiny.cfg", "ftl=fast buffer=msac dram.buffer_bytes=64K", "ftl = fast");
	assert_int_equal(ssdlab_open(&drive, &(struct ssdlab_options){ .size = 1 }), SSDLAB_MISTAKE);
	ssdlab_close(drive);
	ssdlab_close(NULL);
}

static void submit_refuses(ssdlab_drive *drive, struct ssdlab_request r, const char *text)
{
	const struct ssdlab_request two[] = { { r.arrival_ns, 0, 0, 1, 0, SSDLAB_WRITE }, r };
	size_t taken;

	refused(drive, ssdlab_submit(drive, two, 2, &taken), text);
	assert_int_equal(taken, 1);
}

/*
 * By hand, on a drive that acknowledges from memory: the bus takes 5,120 ns a page, a program 100,000.  A
 * write is done when memory has it, a write with FUA and a FLUSH when the data is in flash.
 */
static void check_durable(ssdlab_drive *drive)
{
	struct ssdlab_completion c[3];

	assert_ok(drive, ssdlab_drain(drive));
	assert_int_equal(taken_from(drive, c, 3), 3);
	assert_int_equal(c[0].kind, SSDLAB_WRITE);
	assert_int_equal(c[0].completion_ns, 1000);
	assert_int_equal(c[1].tag, 1);
	assert_int_equal(c[1].kind, SSDLAB_FLUSH);
	assert_int_equal(c[1].sectors, 0);
	assert_int_equal(c[1].arrival_ns, 2000);
	assert_int_equal(c[1].completion_ns, 1000 + 5120 + 100000);
	assert_int_equal(c[2].completion_ns, 1000000 + 5120 + 100000);
	ssdlab_close(drive);
}

static void test_a_flush_and_fua_wait_for_the_flash(void **state)
{
	static const struct ssdlab_request rows[] = { { 1000, 0, 0, 4, 0, SSDLAB_WRITE },
		{ 2000, 0, 1, 0, 0, SSDLAB_FLUSH },
		{ 1000000, 4, 2, 4, 0, SSDLAB_WRITE, .flags = SSDLAB_FUA } };
	static const uint64_t arrival[] = { 1000, 2000, 1000000 }, sector[] = { 0, 0, 4 };
	static const uint32_t sectors[] = { 4, 0, 4 };
	static const uint8_t kind[] = { SSDLAB_WRITE, SSDLAB_FLUSH, SSDLAB_WRITE },
			     flags[] = { 0, 0, SSDLAB_FUA };
	const struct ssdlab_columns columns = { .size = sizeof columns,
		.arrival_ns = arrival,
		.sector = sector,
		.sectors = sectors,
		.kind = kind,
		.flags = flags };
	const char *settings = "precondition.mode=none precondition.premap=none dram.access_ns=0 "
			       "host.write_done=memory";
	const struct ssdlab_options tells = { .completions = SSDLAB_TIMES };
	ssdlab_drive *drive = opened(settings, tells);

	(void)state;
	submit_all(drive, rows, 3);
	check_durable(drive);
	drive = opened(settings, tells);
	assert_ok(drive, ssdlab_submit_columns(drive, &columns, 3, NULL));
	check_durable(drive);
}

static void test_a_request_that_cannot_be_is_refused_and_the_drive_goes_on(void **state)
{
	ssdlab_drive *drive = opened("precondition.premap=none", (struct ssdlab_options){ 0 });
	uint64_t end = ssdlab_sectors(drive);
	double count;

	(void)state;
	submit_refuses(drive, (struct ssdlab_request){ 0, 0, 0, 1, 0, 9 }, "request:1: kind 9");
	submit_refuses(drive, (struct ssdlab_request){ 0, 0, 0, 0, 0, SSDLAB_READ }, "request:1: 0 sectors");
	submit_refuses(drive, (struct ssdlab_request){ 0, 0, 0, 1, 0, SSDLAB_FLUSH }, "has 0 sectors");
	submit_refuses(drive, (struct ssdlab_request){ 0, 0, 0, 1, 0, SSDLAB_READ, .flags = SSDLAB_FUA },
		"flags 1; a write can have 1 (FUA)");
	submit_refuses(drive, (struct ssdlab_request){ 0, 0, 0, 1, 0, SSDLAB_WRITE, .flags = 3 }, "flags 3");
	submit_refuses(drive, (struct ssdlab_request){ 0, end, 0, 1, 0, SSDLAB_READ }, "beyond the drive");
	submit_refuses(
		drive, (struct ssdlab_request){ 0, end - 1, 0, 2, 0, SSDLAB_WRITE }, "trace.fold=true");
	submit_refuses(drive, (struct ssdlab_request){ 0, UINT64_MAX, 0, UINT32_MAX, 0, 0 }, "larger than");
	submit_all(drive, &(struct ssdlab_request){ 500, 0, 0, 1, 0, SSDLAB_WRITE }, 1);
	refused(drive, ssdlab_submit(drive, &(struct ssdlab_request){ 499, 0, 0, 1, 0, 1 }, 1, NULL),
		"sort them");
	refused(drive, ssdlab_prepare(drive, NULL), "once");
	refused(drive, ssdlab_run(drive, "no-such-profile"), "no-such-profile");
	refused(drive, ssdlab_statistic(drive, "wAf", &count), "wAf");
	assert_ok(drive, ssdlab_drain(drive));
	assert_ok(drive, ssdlab_statistic(drive, "run.served", &count));
	assert_float_equal(count, 9, 0);
	ssdlab_close(drive);
}

/* A trace whose devices are tenants is run; requests submitted by the caller are refused. */
static void test_tenants_are_for_whole_workloads(void **state)
{
	ssdlab_drive *drive = opened(FOLD " host.tenants=2 host.arbitration=round_robin trace.limit=300",
		(struct ssdlab_options){ 0 });
	struct ssdlab_request request = { .sectors = 8 };

	(void)state;
	assert_ok(drive, ssdlab_run(drive, "traces/samples/random.trace"));
	assert_ok(drive, ssdlab_run(drive, "traces/samples/random.trace"));
	refused(drive, ssdlab_submit(drive, &request, 1, NULL), "tenants are for ssdlab_run()");
	ssdlab_close(drive);
}

static void test_a_drive_that_is_full_can_be_asked(void **state)
{
	ssdlab_drive *drive = opened("flash.endurance=1 precondition.mode=none precondition.premap=none",
		(struct ssdlab_options){ 0 });
	enum ssdlab_status status = SSDLAB_OK;
	struct ssdlab_request r = { 0, 0, 0, 4, 0, SSDLAB_WRITE };
	size_t taken;
	double failed;

	(void)state;
	for (int i = 0; i < 5000 && status == SSDLAB_OK; i++) {
		r.sector = (uint64_t)(i * 4) % ssdlab_sectors(drive);
		status = ssdlab_submit(drive, &r, 1, &taken);
		assert_int_equal(taken, 1);
	}
	assert_int_equal(status, SSDLAB_DRIVE_FULL);
	assert_non_null(strstr(ssdlab_error(drive), "worn out after"));
	assert_int_equal(ssdlab_submit(drive, &r, 1, &taken), SSDLAB_DRIVE_FULL);
	assert_int_equal(taken, 0);
	assert_ok(drive, ssdlab_drain(drive));
	assert_ok(drive, ssdlab_statistic(drive, "run.drive_failed", &failed));
	assert_float_equal(failed, 1, 0);
	ssdlab_close(drive);
}

static int stop_at_once(void *calls, uint64_t requests, double share)
{
	(void)requests;
	(void)share;
	return ++*(int *)calls > 0;
}

static void test_the_caller_can_stop_a_call(void **state)
{
	int calls = 0;
	struct ssdlab_options more = { .progress = stop_at_once, .progress_context = &calls };
	ssdlab_drive *drive =
		opened(FOLD " precondition.mode=none precondition.premap=none trace.limit=9000", more);

	(void)state;
	assert_int_equal(ssdlab_run(drive, "mixed"), SSDLAB_STOPPED);
	assert_int_equal(calls, 1);
	assert_int_equal(ssdlab_in_flight(drive), 0);
	ssdlab_close(drive);
	drive = opened("precondition.mode=fill", more);
	assert_int_equal(ssdlab_prepare(drive, NULL), SSDLAB_STOPPED);
	assert_int_equal(ssdlab_drain(drive), SSDLAB_OK);
	assert_int_equal(ssdlab_submit(drive, NULL, 0, NULL), SSDLAB_STOPPED);
	ssdlab_close(drive);
}

/* ---- bugs ---- */

struct heard {
	int bugs;
	char text[200];
};

static void hear(void *context, const char *file, int line, const char *text)
{
	struct heard *heard = context;

	heard->bugs++;
	snprintf(heard->text, sizeof heard->text, "%s", text);
	assert_non_null(strstr(file, ".c"));
	assert_true(line > 0);
}

/* The planted bug: the drive counts one request too many. */
static void test_a_bug_ends_the_call_and_all_its_memory_is_freed(void **state)
{
	struct heard heard = { 0 };
	ssdlab_drive *drive = opened("precondition.premap=none",
			     (struct ssdlab_options){ .bug = hear, .bug_context = &heard }),
		     *copy;
	double waf;

	(void)state;
	submit_all(drive, &(struct ssdlab_request){ 0, 0, 0, 4, 0, SSDLAB_WRITE }, 1);
	assert_ok(drive, ssdlab_fork(drive, &copy));
	drive->drive->in_drive++;
	assert_int_equal(ssdlab_statistic(drive, "waf", &waf), SSDLAB_BROKEN);
	assert_int_equal(heard.bugs, 1);
	assert_string_equal(heard.text, ssdlab_error(drive));
	assert_non_null(strstr(heard.text, "requests submitted"));
	assert_int_equal(ssdlab_drain(drive), SSDLAB_BROKEN);
	assert_int_equal(ssdlab_now(drive), 0);
	assert_null(drive->guard.memory.first);
	ssdlab_close(drive);
	assert_ok(copy, ssdlab_drain(copy));
	assert_ok(copy, ssdlab_statistic(copy, "waf", &waf));
	ssdlab_close(copy);
}

static void test_a_closed_drive_leaves_no_memory(void **state)
{
	ssdlab_drive *drive = opened("ftl=dftl buffer=lru dram.buffer_bytes=64K " MIXED,
		(struct ssdlab_options){ .completions = SSDLAB_PARTS });

	(void)state;
	assert_ok(drive, ssdlab_run(drive, "mixed"));
	library_close_workload(drive);
	library_changed(drive);
	library_free_drive(drive);
	assert_null(drive->guard.memory.first);
	drive->drive = NULL;
	ssdlab_close(drive);
}

/* ---- forks and files ---- */

/* Serves the first part, then forks: one copy goes on as the drive does, the other differently. */
static void forks_of(const char *settings, const struct ssdlab_request *request, size_t n, size_t at)
{
	struct ssdlab_options more = { .completions = SSDLAB_TIMES };
	ssdlab_drive *drive = opened(settings, more), *same, *other, *never = opened(settings, more);
	char *text[3];

	submit_all(drive, request, at);
	submit_all(never, request, at);
	assert_ok(drive, ssdlab_fork(drive, &same));
	assert_int_equal(ssdlab_in_flight(same), ssdlab_in_flight(drive));
	assert_ok(drive, ssdlab_fork(drive, &other));
	for (size_t i = at; i < n; i++) {
		struct ssdlab_request r = request[i];

		r.kind = SSDLAB_WRITE;
		r.sector = request[n - 1 - i].sector;
		r.sectors = request[n - 1 - i].sectors;
		submit_all(other, &r, 1);
		submit_all(drive, request + i, 1);
	}
	ssdlab_close(other);
	submit_all(same, request + at, n - at);
	submit_all(never, request + at, n - at);
	for (int i = 0; i < 3; i++) {
		ssdlab_drive *one = i == 0 ? drive : i == 1 ? same : never;

		assert_ok(one, ssdlab_drain(one));
		assert_ok(one, ssdlab_check(one));
		text[i] = results_of(one, "x", "y");
	}
	assert_string_equal(text[0], text[2]);
	assert_string_equal(text[1], text[2]);
	for (int i = 0; i < 3; i++)
		ssdlab_free(text[i]);
	ssdlab_close(drive);
	ssdlab_close(never);
	ssdlab_close(same);
}

static void test_forks_do_not_disturb_one_another(void **state)
{
	size_t n, requests;
	char *const *settings = configurations(&n);
	struct ssdlab_request *request = requests_of("mixed", MIXED, &requests);
	char all[300];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		snprintf(all, sizeof all, FOLD " precondition.premap=none flash.endurance=0 %s", settings[i]);
		forks_of(all, request, 900, 100 + 37 * i % 700);
	}
	memory_free(request);
}

static void test_a_fork_leaves_the_completions(void **state)
{
	struct ssdlab_completion c[2];
	ssdlab_drive *drive = opened("precondition.premap=none",
			     (struct ssdlab_options){ .completions = SSDLAB_TIMES }),
		     *copy;

	(void)state;
	submit_all(drive, &(struct ssdlab_request){ 0, 0, 1, 4, 0, SSDLAB_WRITE }, 1);
	assert_ok(drive, ssdlab_drain(drive));
	submit_all(drive, &(struct ssdlab_request){ ssdlab_now(drive), 4, 2, 4, 0, SSDLAB_WRITE }, 1);
	assert_ok(drive, ssdlab_fork(drive, &copy));
	assert_ok(copy, ssdlab_drain(copy));
	assert_int_equal(taken_from(copy, c, 2), 1);
	assert_int_equal(c[0].tag, 2);
	assert_int_equal(taken_from(drive, c, 2), 1);
	assert_int_equal(c[0].tag, 1);
	ssdlab_close(copy);
	ssdlab_close(drive);
}

static ssdlab_drive *loaded(const char *settings, const char *path, const char *workload)
{
	ssdlab_drive *drive = opened(settings, (struct ssdlab_options){ 0 });

	assert_ok(drive, ssdlab_load(drive, path, workload));
	return drive;
}

/* Saves a drive that is only prepared, which the program loads, too, and one that is serving. */
static void test_a_drive_is_saved_and_loaded(void **state)
{
	static const char *const settings = "precondition.premap=none ftl=sftl buffer=lru "
					    "dram.buffer_bytes=64K " MIXED;
	struct world *w = *state;
	char *path = path_in(w, "saved"), *text[2], line[400];
	size_t n;
	struct ssdlab_request *request = requests_of("mixed", MIXED, &n);
	ssdlab_drive *drive = opened(settings, (struct ssdlab_options){ 0 }), *again;

	assert_ok(drive, ssdlab_save(drive, path));
	snprintf(line, sizeof line,
		"run --quiet --verify --load-drive @/saved -s precondition.premap=none -s ftl=sftl -s "
		"buffer=lru -s dram.buffer_bytes=64K -s " LIMIT " parameters/tiny.cfg mixed");
	ssd(w, line);
	assert_status(w, DONE, line);
	again = loaded(settings, path, NULL);
	submit_all(drive, request, 700);
	submit_all(again, request, 700);
	assert_ok(drive, ssdlab_save(drive, path));
	ssdlab_close(again);
	again = loaded(settings, path, NULL);
	submit_all(drive, request + 700, n - 700);
	submit_all(again, request + 700, n - 700);
	assert_ok(drive, ssdlab_drain(drive));
	assert_ok(again, ssdlab_drain(again));
	text[0] = results_of(drive, "x", "y");
	text[1] = results_of(again, "x", "y");
	assert_string_equal(text[0], text[1]);
	ssdlab_free(text[0]);
	ssdlab_free(text[1]);
	ssdlab_close(drive);
	ssdlab_close(again);
	memory_free(request);
	memory_free(path);
}

/* Files with changed bits, or cut short, are refused, and the drive still serves. */
static void damaged_is_refused(struct world *w, bool serving)
{
	static const char *const settings = "precondition.premap=none";
	char *path = path_in(w, "saved"), *bytes;
	ssdlab_drive *drive = opened(settings, (struct ssdlab_options){ 0 });
	struct random random;
	size_t size;
	FILE *file;

	if (serving)
		submit_all(drive, &(struct ssdlab_request){ 0, 0, 0, 4, 0, SSDLAB_WRITE }, 1);
	assert_ok(drive, ssdlab_save(drive, path));
	file = fopen(path, "rb");
	bytes = memory_array(1 << 20, 1, "file");
	size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	random_init(&random, 3, 3);
	for (int i = 0; i < 60; i++) {
		size_t at = random_below(&random, (uint32_t)size);
		ssdlab_drive *fresh = opened(settings, (struct ssdlab_options){ 0 });

		bytes[at] ^= 1 << random_below(&random, 8);
		put_bytes(w, "saved", bytes, i % 3 ? size : at);
		assert_int_equal(ssdlab_load(fresh, path, NULL), SSDLAB_MISTAKE);
		assert_non_null(strstr(ssdlab_error(fresh), "saved"));
		submit_all(fresh, &(struct ssdlab_request){ 0, 0, 0, 4, 0, SSDLAB_WRITE }, 1);
		ssdlab_close(fresh);
		file = fopen(path, "rb");
		fclose(file);
	}
	ssdlab_close(drive);
	memory_free(bytes);
	memory_free(path);
}

static void test_a_damaged_file_is_refused(void **state)
{
	damaged_is_refused(*state, false);
	damaged_is_refused(*state, true);
}

/* ---- policies of the caller ---- */

/* The formula of gc/candidates.c. */
static size_t pick_by_cost_and_benefit(void *calls, uint32_t plane, const struct ssdlab_block *b, size_t n)
{
	double most = -1;
	size_t best = 0;

	++*(int *)calls;
	for (size_t i = 0; i < n; i++) {
		double live = b[i].valid_pages, pages = b[i].pages;
		double value = live > 0 ? ((double)b[i].age + 1) * (pages - live) / (2 * live) : 1e300;

		assert_int_equal(b[i].plane, plane);
		assert_int_equal(b[i].programmed_pages, b[i].pages);
		assert_true(b[i].valid_pages < b[i].pages);
		if (value > most || (value == most && b[i].block < b[best].block)) {
			most = value;
			best = i;
		}
	}
	return best;
}

static size_t pick_the_oldest(void *calls, const struct ssdlab_page *page, size_t n)
{
	++*(int *)calls;
	for (size_t i = 0; i < n; i++) {
		assert_true(page[i].sectors >= page[i].dirty_sectors && page[i].sectors > 0);
		assert_true(page[i].used >= page[i].entered);
		assert_true(!i || page[i].used > page[i - 1].used);
	}
	return 0;
}

/* A policy of ssdlab, written again by the caller, gives the same results, under its own name. */
static void same_as_own(const char *key, const char *name, const char *settings, struct ssdlab_options more)
{
	char all[300], callback[80], own[80], *text[2], *at;
	size_t n;
	struct ssdlab_request *request = requests_of("mixed", MIXED, &n);

	for (int i = 0; i < 2; i++) {
		ssdlab_drive *drive, *fork;

		snprintf(all, sizeof all, FOLD " precondition.premap=none %s %s=%s", settings,
			i ? "seed" : key, i ? "1" : name);
		drive = opened(all, i ? more : (struct ssdlab_options){ 0 });
		submit_all(drive, request, 800);
		assert_ok(drive, ssdlab_fork(drive, &fork));
		ssdlab_close(drive);
		submit_all(fork, request + 800, n - 800);
		assert_ok(fork, ssdlab_drain(fork));
		text[i] = results_of(fork, "x", "y");
		ssdlab_close(fork);
	}
	snprintf(callback, sizeof callback, "\"%s\": \"mine\"", key);
	snprintf(own, sizeof own, "\"%s\": \"%s\"", key, name);
	at = strstr(text[1], callback);
	assert_non_null(at);
	assert_memory_equal(text[0], text[1], (size_t)(at - text[1]));
	assert_memory_equal(at - text[1] + text[0], own, strlen(own));
	if (!strcmp(key, "gc.policy"))
		assert_string_equal(at - text[1] + text[0] + strlen(own), at + strlen(callback));
	ssdlab_free(text[0]);
	ssdlab_free(text[1]);
	memory_free(request);
}

static void test_a_policy_of_the_caller_decides(void **state)
{
	int calls = 0;

	(void)state;
	same_as_own("gc.policy", "cost_benefit", "",
		(struct ssdlab_options){
			.gc_pick = pick_by_cost_and_benefit, .gc_context = &calls, .gc_name = "mine" });
	assert_true(calls > 50);
	calls = 0;
	same_as_own("buffer", "lru", "dram.buffer_bytes=32K",
		(struct ssdlab_options){
			.buffer_pick = pick_the_oldest, .buffer_context = &calls, .buffer_name = "mine" });
	assert_true(calls > 50);
}

static void test_a_policy_has_a_name_of_its_own(void **state)
{
	static const char *const names[] = { "greedy", "", "my policy" };
	struct ssdlab_options more = { .gc_pick = pick_by_cost_and_benefit };
	ssdlab_drive *drive;

	(void)state;
	for (int i = 0; i < 3; i++) {
		more.gc_name = names[i];
		assert_int_equal(open_with(&drive, NULL, "", more), SSDLAB_MISTAKE);
		assert_non_null(strstr(ssdlab_error(drive), "name"));
		ssdlab_close(drive);
	}
}

/* ---- an FTL of the caller ---- */

static struct ftl_ops skeleton(void)
{
	size_t i = 0;

	while (strcmp(ftls[i]->name, "skeleton") != 0)
		i++;
	return *ftls[i];
}

static void test_an_ftl_of_the_caller_serves(void **state)
{
	static const char *const names[] = { "waf", "flash.program.total", "flash.erase.total",
		"gc.moved_pages", "request.read.latency_mean_ns", "request.write.latency_p99_ns",
		"run.simulated_ns" };
	struct ftl_ops mine = skeleton();
	struct ssdlab_options more = { .ftl = &mine, .ftl_toolbox = &ssd_toolbox, .verify = 1 };
	ssdlab_drive *drive[2];
	double value[2];
	char *text;

	(void)state;
	mine.name = "mine";
	drive[0] = opened("mine.report_partial=true " MIXED, more);
	drive[1] = opened("ftl=skeleton " MIXED, (struct ssdlab_options){ .verify = 1 });
	for (int i = 0; i < 2; i++)
		assert_ok(drive[i], ssdlab_run(drive[i], "mixed"));
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		for (int i = 0; i < 2; i++)
			assert_ok(drive[i], ssdlab_statistic(drive[i], names[n], &value[i]));
		assert_true(value[0] == value[1]);
	}
	text = results_of(drive[0], "x", "y");
	assert_non_null(strstr(text, "\"run.ftl\": \"mine\""));
	ssdlab_free(text);
	for (int i = 0; i < 2; i++)
		ssdlab_close(drive[i]);
}

static void refused_ftl(struct ssdlab_options more, const char *why)
{
	ssdlab_drive *drive;

	assert_int_equal(open_with(&drive, NULL, "", more), SSDLAB_MISTAKE);
	assert_non_null(strstr(ssdlab_error(drive), why));
	ssdlab_close(drive);
}

static void test_an_ftl_of_other_sources_is_refused(void **state)
{
	struct ftl_ops mine = skeleton();
	struct toolbox other = ssd_toolbox;

	(void)state;
	refused_ftl((struct ssdlab_options){ .ftl = &mine, .ftl_toolbox = &ssd_toolbox },
		"skeleton: ssdlab has an FTL \"skeleton\"");
	mine.name = "mine";
	other.stamp = "0.0 1 2";
	refused_ftl(
		(struct ssdlab_options){ .ftl = &mine, .ftl_toolbox = &other }, "mine: compiled from other");
	refused_ftl((struct ssdlab_options){ .ftl = &mine }, "mine: compiled from other");
}

/* ---- threads ---- */

static void *run_in_thread(void *drive)
{
	return ssdlab_run(drive, "mixed") == SSDLAB_OK ? drive : NULL;
}

static void test_drives_run_in_threads_of_their_own(void **state)
{
	enum { THREADS = 4 };
	ssdlab_drive *drive[THREADS], *first = opened(MIXED, (struct ssdlab_options){ 0 });
	pthread_t thread[THREADS];
	char *text[THREADS + 1];
	void *done;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_ok(first, ssdlab_fork(first, &drive[i]));
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, drive[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &done), 0);
		assert_non_null(done);
	}
	assert_ok(first, ssdlab_run(first, "mixed"));
	text[THREADS] = results_of(first, "x", "y");
	for (int i = 0; i < THREADS; i++) {
		text[i] = results_of(drive[i], "x", "y");
		assert_string_equal(text[i], text[THREADS]);
		ssdlab_free(text[i]);
		ssdlab_close(drive[i]);
	}
	ssdlab_free(text[THREADS]);
	ssdlab_close(first);
}

static void *save_in_thread(void *job)
{
	void **drive_and_path = job;

	return ssdlab_save(drive_and_path[0], drive_and_path[1]) == SSDLAB_OK ? job : NULL;
}

static void test_any_number_of_threads_saves_at_once(void **state)
{
	enum { THREADS = 50 };
	ssdlab_drive *first = opened("precondition.premap=none", (struct ssdlab_options){ 0 }), *again;
	void *job[THREADS][2], *done;
	pthread_t thread[THREADS];
	char name[24];

	submit_all(first, &(struct ssdlab_request){ 0, 0, 0, 4, 0, SSDLAB_WRITE }, 1);
	for (int i = 0; i < THREADS; i++) {
		snprintf(name, sizeof name, "saved-%d", i);
		job[i][1] = path_in(*state, name);
		assert_ok(first, ssdlab_fork(first, (ssdlab_drive **)&job[i][0]));
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, save_in_thread, job[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &done), 0);
		assert_non_null(done);
		again = opened("precondition.premap=none", (struct ssdlab_options){ 0 });
		assert_ok(again, ssdlab_load(again, job[i][1], NULL));
		assert_int_equal(ssdlab_in_flight(again), 1);
		ssdlab_close(again);
		ssdlab_close(job[i][0]);
		memory_free(job[i][1]);
	}
	ssdlab_close(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_runs_are_those_of_the_program, set_up, tear_down),
		cmocka_unit_test(test_submitted_requests_are_a_run),
		cmocka_unit_test_setup_teardown(
			test_submitted_flushes_and_fua_are_those_of_a_trace, set_up, tear_down),
		cmocka_unit_test(test_columns_say_what_rows_say),
		cmocka_unit_test(test_each_request_completes_once_and_its_parts_add_up),
		cmocka_unit_test(test_a_write_and_a_read_take_the_time_of_their_parts),
		cmocka_unit_test(test_a_flush_and_fua_wait_for_the_flash),
		cmocka_unit_test(test_statistics_start_again_when_they_are_told_to),
		cmocka_unit_test(test_a_drive_that_cannot_be_is_refused),
		cmocka_unit_test(test_a_request_that_cannot_be_is_refused_and_the_drive_goes_on),
		cmocka_unit_test(test_tenants_are_for_whole_workloads),
		cmocka_unit_test(test_a_drive_that_is_full_can_be_asked),
		cmocka_unit_test(test_the_caller_can_stop_a_call),
		cmocka_unit_test(test_a_bug_ends_the_call_and_all_its_memory_is_freed),
		cmocka_unit_test(test_a_closed_drive_leaves_no_memory),
		cmocka_unit_test(test_forks_do_not_disturb_one_another),
		cmocka_unit_test(test_a_fork_leaves_the_completions),
		cmocka_unit_test_setup_teardown(test_a_drive_is_saved_and_loaded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_damaged_file_is_refused, set_up, tear_down),
		cmocka_unit_test(test_a_policy_of_the_caller_decides),
		cmocka_unit_test(test_a_policy_has_a_name_of_its_own),
		cmocka_unit_test(test_an_ftl_of_the_caller_serves),
		cmocka_unit_test(test_an_ftl_of_other_sources_is_refused),
		cmocka_unit_test(test_drives_run_in_threads_of_their_own),
		cmocka_unit_test_setup_teardown(test_any_number_of_threads_saves_at_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
