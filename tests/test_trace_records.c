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

/* --- libCacheSim --- */

struct object {
	uint64_t time, object, bytes, next;
};

static struct trace *open_objects(
	unsigned char *buffer, const struct object *o, size_t n, const char *format, struct fault *fault)
{
	struct trace_options options = { .format = format };
	unsigned char *at = buffer;

	for (size_t i = 0; i < n; i++) {
		put(&at, o[i].time, 4);
		put(&at, o[i].object, 8);
		put(&at, o[i].bytes, 4);
		put(&at, o[i].next, 8);
	}
	*fault = (struct fault){ "" };
	return trace_open_memory("o", buffer, n * 24, &options, fault);
}

static void test_objects(void **state)
{
	static const struct object good[] = { { 100, 8, 4096, 3 }, { 100, 16, 512, UINT64_MAX },
		{ 101, 3, 0, 9 }, { 102, 8, 4096, INT64_MAX }, { 103, 0, 1, 5 },
		{ 103, 1ull << 40, 65536, UINT64_MAX }, { 104, 9, 512, 1ull << 40 },
		{ 105, 9, 1 << 20, UINT64_MAX }, { 4294967295, 9, 512, 9 },
		{ 4294967295, 9, 512, UINT64_MAX }, { 4294967295, 1, 4294967295, 11 } };
	static const uint64_t seconds[] = { 0, 0, 2, 3, 3, 4, 5, 4294967195, 4294967195, 4294967195 };
	unsigned char buffer[11 * 24];
	struct fault fault;
	struct trace *t = open_objects(buffer, good, 11, NULL, &fault);
	struct record r;

	(void)state;
	assert_string_equal(fault.text, "");
	assert_string_equal(trace_format(t), "oracleGeneral");
	for (size_t i = 0; i < 10; i++) {
		const struct object *o = &good[i + (i > 1)];
		struct record wanted = { seconds[i] * 1000000000, o->object * 512, o->bytes, NONE, 0, 0, R };

		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
		assert_same(&r, &wanted);
	}
	assert_int_equal(trace_next_record(t, &r, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).dropped, 1);
	trace_close(t);
}

static void test_bad_objects(void **state)
{
	static const struct {
		struct object object;
		const char *problem;
	} cases[] = {
		{ { 1, 8, 512, 0 }, "next request 0 is not behind this one" },
		{ { 1, 8, 512, 1 }, "next request 1 is not behind this one" },
		{ { 1, 8, 512, (uint64_t)-2 }, "next request -2 is not behind this one" },
		{ { 1, 8, 512, INT64_MIN }, "next request -9223372036854775808 is not behind this one" },
		{ { 1, 8, 512, INT64_MAX - 1 }, "next request 9223372036854775806 is not behind this one" },
		{ { 1, 8, 512, (1ull << 40) + 1 }, "next request 1099511627777 is not behind this one" },
		{ { 1, 1ull << 47, 512, 9 },
			"address 140737488355328 is absurd, should be below 140737488355328" },
		{ { 1, 1ull << 63, 512, 9 },
			"address 9223372036854775808 is absurd, should be below 140737488355328" },
		{ { 1, UINT64_MAX, 512, 9 },
			"address 18446744073709551615 is absurd, should be below 140737488355328" },
		{ { 1, 1ull << 50, 1, UINT64_MAX },
			"address 1125899906842624 is absurd, should be below 140737488355328" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct object objects[2] = { { 0, 0, 512, UINT64_MAX }, cases[i].object };
		unsigned char buffer[2 * 24];
		char wanted[FAULT_BYTES];
		struct fault fault;
		struct trace *t = open_objects(buffer, objects, 2, "oracleGeneral", &fault);
		struct record r;

		assert_non_null(t);
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_BAD);
		snprintf(wanted, sizeof wanted, "o:2: %s; oracleGeneral records are: %s", cases[i].problem,
			format_of("oracleGeneral")->layout);
		assert_string_equal(fault.text, wanted);
		trace_close(t);
	}
}

/* The bytes of one vscsi record may also be a record of another format and a piece of one. */
static void test_few_records(void **state)
{
	(void)state;
	for (unsigned version = 1; version <= 2; version++)
		for (size_t n = 1; n <= 3; n++) {
			struct vscsi v = { 0x2a, version << 8, 4096, 16, 1000, 250 }, all[3] = { v, v, v };
			unsigned char buffer[3 * 40];
			struct fault fault = { "" };
			struct trace *t = open_vscsi(buffer, version, all, n, NULL, &fault);

			assert_string_equal(fault.text, "");
			assert_string_equal(trace_format(t), version == 1 ? "vscsi1" : "vscsi2");
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
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_bad_objects),
		cmocka_unit_test(test_few_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
