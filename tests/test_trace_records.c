/* Trace formats of binary records. */
#include "tests/trace_fixture.h"
#include "traces/trace.h"

#include <string.h>

static void put(unsigned char **at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*(*at)++ = (unsigned char)(value >> (8 * i));
}

struct vscsi {
	unsigned command, version;
	uint64_t bytes, block, time, response;
};

static size_t put_vscsi(unsigned char *buffer, unsigned version, const struct vscsi *v)
{
	unsigned char *at = buffer;

	if (version == 1) {
		put(&at, 77, 4);
		put(&at, v->bytes, 4);
		put(&at, 1, 4);
		put(&at, v->command, 2);
		put(&at, v->version, 2);
	} else {
		put(&at, v->command, 2);
		put(&at, v->version, 2);
		put(&at, 77, 4);
		put(&at, v->bytes, 4);
		put(&at, 1, 4);
	}
	put(&at, v->block, 8);
	put(&at, v->time, 8);
	if (version == 2)
		put(&at, v->response, 8);
	return (size_t)(at - buffer);
}

/* Opens records of a version; the commands follow each other by 10 us. */
static struct trace *open_vscsi(unsigned char *buffer, unsigned version, const struct vscsi *v, size_t n,
	const char *format, struct fault *fault)
{
	struct trace_options options = { .format = format };
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += put_vscsi(buffer + size, version, &v[i]);
	return trace_open_memory("v", buffer, size, &options, fault);
}

static void test_vscsi_records(void **state)
{
	(void)state;
	for (unsigned version = 1; version <= 2; version++) {
		struct vscsi v[] = {
			{ 0x2a, version << 8, 4096, 16, 1000, 250 },
			{ 0x28, version << 8, 1024, 7, 1010, 90 },
			{ 0x42, version << 8, 24, 0, 1015, 5 },
			{ 0x8a, version << 8, 512, 1ull << 33, 1020, 1 },
			{ 0x88, version << 8, 512, 3, 1030, 1 },
			{ 0x28, version << 8, 0, 3, 1040, 1 },
		};
		static const struct record wanted[] = {
			{ 0, 8192, 4096, 250000, 0, 0, W },
			{ 10000, 3584, 1024, 90000, 0, 0, R },
			{ 20000, (1ull << 33) * 512, 512, 1000, 0, 0, W },
			{ 30000, 1536, 512, 1000, 0, 0, R },
		};
		unsigned char buffer[6 * 40];
		struct fault fault = { "" };
		struct trace *t = open_vscsi(buffer, version, v, 6, NULL, &fault);
		struct record record;

		assert_string_equal(fault.text, "");
		assert_string_equal(trace_format(t), version == 1 ? "vscsi1" : "vscsi2");
		for (size_t i = 0; i < 4; i++) {
			struct record want = wanted[i];

			if (version == 1)
				want.response = RESPONSE_UNKNOWN;
			assert_int_equal(trace_next_record(t, &record, &fault), TRACE_OK);
			assert_same(&record, &want);
		}
		assert_int_equal(trace_next_record(t, &record, &fault), TRACE_END);
		assert_int_equal(trace_counts(t).dropped, 2);
		trace_close(t);
	}
}

static void test_bad_vscsi_records(void **state)
{
	static const struct {
		unsigned version;
		struct vscsi v;
		const char *problem;
	} cases[] = {
		{ 1, { 0x28, 0x200, 512, 0, 1, 0 }, "version is 2, should be 1" },
		{ 1, { 0x28, 0, 512, 0, 1, 0 }, "version is 0, should be 1" },
		{ 1, { 0x2a, 0x300, 512, 0, 1, 0 }, "version is 3, should be 1" },
		{ 1, { 0x28, 0xffff, 512, 0, 1, 0 }, "version is 255, should be 1" },
		{ 1, { 0x28, 0x100, 512, 1ull << 47, 1, 0 },
			"address 140737488355328 is absurd, should be below 140737488355328" },
		{ 1, { 0x08, 0x100, 512, (1ull << 47) + 8, 1, 0 },
			"address 140737488355336 is absurd, should be below 140737488355328" },
		{ 1, { 0xa8, 0x100, 512, 1ull << 60, 1, 0 },
			"address 1152921504606846976 is absurd, should be below 140737488355328" },
		{ 1, { 0x28, 0x100, 512, UINT64_MAX, 1, 0 },
			"address 18446744073709551615 is absurd, should be below 140737488355328" },
		{ 1, { 0x8a, 0x100, 512, 0, 1ull << 62, 0 }, "time 4611686018427387904 is too large" },
		{ 1, { 0x2a, 0x100, 512, 0, UINT64_MAX, 0 }, "time 18446744073709551615 is too large" },
		{ 2, { 0x28, 0x100, 512, 0, 1, 0 }, "version is 1, should be 2" },
		{ 2, { 0x28, 0, 512, 0, 1, 0 }, "version is 0, should be 2" },
		{ 2, { 0x28, 0x3ff, 512, 0, 1, 0 }, "version is 3, should be 2" },
		{ 2, { 0x2a, 0xff00, 512, 0, 1, 0 }, "version is 255, should be 2" },
		{ 2, { 0x28, 0x200, 512, 1ull << 47, 1, 0 },
			"address 140737488355328 is absurd, should be below 140737488355328" },
		{ 2, { 0x0a, 0x200, 512, (1ull << 47) + 8, 1, 0 },
			"address 140737488355336 is absurd, should be below 140737488355328" },
		{ 2, { 0x2a, 0x200, 512, 1ull << 60, 1, 0 },
			"address 1152921504606846976 is absurd, should be below 140737488355328" },
		{ 2, { 0x88, 0x200, 512, UINT64_MAX, 1, 0 },
			"address 18446744073709551615 is absurd, should be below 140737488355328" },
		{ 2, { 0x28, 0x200, 512, 0, 1ull << 62, 0 }, "time 4611686018427387904 is too large" },
		{ 2, { 0xaa, 0x200, 512, 0, UINT64_MAX, 0 }, "time 18446744073709551615 is too large" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *name = cases[i].version == 1 ? "vscsi1" : "vscsi2";
		unsigned char buffer[40];
		struct fault fault = { "" };
		struct trace *t = open_vscsi(buffer, cases[i].version, &cases[i].v, 1, name, &fault);
		struct record record;
		char wanted[FAULT_BYTES];

		assert_non_null(t);
		assert_int_equal(trace_next_record(t, &record, &fault), TRACE_BAD);
		snprintf(wanted, sizeof wanted, "v:1: %s; %s records are: %s", cases[i].problem, name,
			format_of(name)->layout);
		assert_string_equal(fault.text, wanted);
		trace_close(t);
	}
}

static void test_cut_vscsi_record(void **state)
{
	struct vscsi v = { 0x28, 0x100, 512, 0, 1, 0 };
	struct trace_options options = { .format = "vscsi1" };
	unsigned char buffer[64];
	struct fault fault = { "" };
	struct record record;
	struct trace *t;

	(void)state;
	put_vscsi(buffer, 1, &v);
	put_vscsi(buffer + 32, 1, &v);
	t = trace_open_memory("v", buffer, 50, &options, &fault);
	assert_non_null(t);
	assert_int_equal(trace_next_record(t, &record, &fault), TRACE_BAD);
	assert_string_equal(fault.text, "v: ends within a record: 18 bytes are left over, records have 32");
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vscsi_records),
		cmocka_unit_test(test_bad_vscsi_records),
		cmocka_unit_test(test_cut_vscsi_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
