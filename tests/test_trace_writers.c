/* Traces written in every format can be read back. */
#include "tests/trace_fixture.h"

#include "base/memory.h"
#include "base/random.h"
#include "traces/trace.h"
#include "traces/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_TRIP 2000u

static void random_request(struct random *random, struct request *r, uint32_t step_ns, bool trims)
{
	r->arrival += random_below(random, step_ns < 1000000000 ? 1000000 : 3) * step_ns;
	r->start = random_below(random, 1ull << 40);
	r->sectors = 1 + (uint32_t)random_below(random, 2048);
	r->device = (uint32_t)random_below(random, 3);
	r->type = (enum request_type)random_below(random, trims ? REQUEST_TYPES : REQUEST_TRIM);
}

static void expect_request(struct trace *t, const struct request *wanted, bool named_devices)
{
	struct fault fault = { "" };
	struct request got;

	assert_int_equal(trace_next(t, &got, &fault), TRACE_OK);
	assert_int_equal(got.arrival, wanted->arrival);
	assert_int_equal(got.start, wanted->start);
	assert_int_equal(got.sectors, wanted->sectors);
	assert_int_equal(got.type, wanted->type);
	if (!named_devices)
		assert_int_equal(got.device, wanted->device);
}

static void round_trip(const struct format *format, uint64_t seed)
{
	struct trace_options options = { .format = NULL };
	struct request *sent = memory_array(ROUND_TRIP, sizeof *sent, "test");
	struct trace_writer writer;
	struct random random;
	struct fault fault = { "" };
	struct request r = { .arrival = 0 };
	struct trace *t;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const char *name = format->name;
	bool named = !strcmp(name, "fio") || !strcmp(name, "msr") || !strcmp(name, "blkparse") ||
		     !strcmp(name, "csv");

	random_init(&random, seed, 1);
	assert_true(trace_writer_begin(&writer, format->name, out, &fault));
	for (size_t i = 0; i < ROUND_TRIP; i++) {
		tick_t arrival = r.arrival;

		random_request(&random, &r, format->write_step_ns, format->writes_trims);
		if (format->writes_objects) {
			r.start = random_below(&random, 100);
			r.device = 0;
			r.type = REQUEST_READ;
		}
		if (!i)
			r.arrival = arrival;
		assert_true(trace_writer_put(&writer, &r, &fault));
		sent[i] = r;
	}
	trace_writer_finish(&writer);
	fclose(out);
	trace_writer_end(&writer);
	assert_int_equal(writer.rounded, 0);
	t = trace_open_memory("round", text, size, &options, &fault);
	assert_string_equal(fault.text, "");
	assert_string_equal(trace_format(t), !strcmp(format->name, "mqsim") ? "ssdsim" : format->name);
	for (size_t i = 0; i < ROUND_TRIP; i++)
		expect_request(t, &sent[i], named);
	assert_int_equal(trace_next(t, &r, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).devices, format->writes_objects ? 1 : 3);
	trace_close(t);
	free(text);
	memory_free(sent);
}

static void test_round_trips(void **state)
{
	const char *seed = getenv("SEED");
	size_t written = 0;

	(void)state;
	for (size_t i = 0; trace_formats[i].name; i++) {
		if (!trace_formats[i].write_step_ns)
			continue;
		print_message("SEED=%s %s\n", seed ? seed : "1", trace_formats[i].name);
		round_trip(&trace_formats[i], seed ? strtoull(seed, NULL, 0) : 1);
		written++;
	}
	assert_int_equal(written, 10);
}

static void test_what_cannot_be_written(void **state)
{
	static const char *const no_trims[] = { "ssdsim", "mqsim", "disksim", "spc", "msr", "systor",
		"oracleGeneral" };
	struct request trim = { .sectors = 8, .line = 5, .type = REQUEST_TRIM };
	struct request odd = { .arrival = 1050, .sectors = 8, .type = REQUEST_READ };
	struct trace_writer writer;
	struct fault fault = { "" };
	char wanted[128];
	FILE *out = fopen("/dev/null", "w");

	(void)state;
	for (size_t i = 0; i < sizeof no_trims / sizeof no_trims[0]; i++) {
		assert_true(trace_writer_begin(&writer, no_trims[i], out, &fault));
		assert_false(trace_writer_put(&writer, &trim, &fault));
		snprintf(wanted, sizeof wanted, "request 5 is a trim, which format %s cannot say; fio can",
			no_trims[i]);
		assert_string_equal(fault.text, wanted);
		trace_writer_end(&writer);
	}
	assert_false(trace_writer_begin(&writer, "vscsi1", out, &fault));
	assert_string_equal(fault.text,
		"cannot write traces in format \"vscsi1\"; should be one of ssdsim, mqsim, "
		"disksim, spc, msr, systor, blkparse, fio, oracleGeneral, csv");
	assert_false(trace_writer_begin(&writer, "nonsense", out, &fault));
	assert_true(trace_writer_begin(&writer, "msr", out, &fault));
	assert_true(trace_writer_put(&writer, &odd, &fault));
	assert_int_equal(writer.rounded, 1);
	trace_writer_end(&writer);
	fclose(out);
}

/* Each record holds the number of the next one for its object. */
static void test_next_requests(void **state)
{
	static const sector_t starts[] = { 8, 16, 8, 8, 24, 16 };
	static const int next[] = { 2, 5, 3, -1, -1, -1 };
	struct request r = { .arrival = 2500000000, .sectors = 8, .line = 7, .type = REQUEST_WRITE };
	struct trace_writer writer;
	struct fault fault = { "" };
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);

	(void)state;
	assert_true(trace_writer_begin(&writer, "oracleGeneral", out, &fault));
	for (size_t i = 0; i < 6; i++) {
		r.start = starts[i];
		assert_true(trace_writer_put(&writer, &r, &fault));
	}
	trace_writer_finish(&writer);
	fclose(out);
	assert_int_equal(writer.rounded, 6);
	assert_int_equal(size, 6 * 24);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(little_endian(bytes + 24 * i, 4), 2);
		assert_int_equal(little_endian(bytes + 24 * i + 4, 8), starts[i]);
		assert_int_equal(little_endian(bytes + 24 * i + 12, 4), 4096);
		assert_true((int64_t)little_endian(bytes + 24 * i + 16, 8) == next[i]);
	}
	r.arrival = 4294967296000000000;
	assert_false(trace_writer_put(&writer, &r, &fault));
	assert_string_equal(
		fault.text, "request 7 is too late, too large or one too many for format oracleGeneral");
	trace_writer_end(&writer);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_next_requests),
		cmocka_unit_test(test_what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
