/* Tables whose first line names their columns. */
#include "tests/trace_fixture.h"
#include "traces/trace.h"

#include <string.h>

static struct trace *open_table(const char *text, const char *columns, struct fault *fault)
{
	struct trace_options options = { .columns = columns };

	*fault = (struct fault){ "" };
	return trace_open_memory("t", text, strlen(text), &options, fault);
}

/* The second request of each shows how the columns were understood. */
static void test_names_of_columns(void **state)
{
	static const struct {
		const char *format, *text;
		struct record second;
	} cases[] = {
		{ "csv", "time_us,op,offset,size\n0,R,0,512\n2,W,4096,512\n",
			{ 2000, 4096, 512, NONE, 0, 0, W } },
		{ "csv", "timestamp_ns,type,lba,sectors\n0,R,0,1\n2,D,8,2\n",
			{ 2, 4096, 1024, NONE, 0, 0, T } },
		{ "csv", "ts_ms,rw,sector,bytes\n0,R,0,1\n2.5,w,8,512\n",
			{ 2500000, 4096, 512, NONE, 0, 0, W } },
		{ "csv",
			"Time (s),Process,IOType,Offset (Bytes),Length (Sectors)\n0,a b,Read,0,1\n"
			"2,,Write,8,3\n",
			{ 2000000000, 8, 1536, NONE, 0, 0, W } },
		{ "csv", "\"timeUs\",\"Op\",\"offsetBytes\",\"sizeBytes\"\n0,R,0,1\n2,W,512,512\n",
			{ 2000, 512, 512, NONE, 0, 0, W } },
		{ "csv", "size_sectors\toffset_sectors\tis_write\ttime_s\n1\t0\t0\t0\n1\t8\t1\t1\n",
			{ 1000000000, 4096, 512, NONE, 0, 0, W } },
		{ "csv", "time_us op lba sectors disk latency_us\n0 R 0 1 sda 5\n1 W 8 1 sdb 7\n",
			{ 1000, 4096, 512, 7000, 0, 1, W } },
		{ "csv", "#time_us op lba sectors\n0 R 0 1\n1 W 8 1\n", { 1000, 4096, 512, NONE, 0, 0, W } },
		{ "csv", "timestamp,time_us,op,offset,size\nx y,0,R,0,1\nz,1,W,8,1\n",
			{ 1000, 8, 1, NONE, 0, 0, W } },
		{ "csv", "filetime,command,byte_offset,request_size\r\n0,Read,0,1\r\n1,Write,8,1\r\n",
			{ 100, 8, 1, NONE, 0, 0, W } },
		{ "csv", "time_us,op,offset,size\n0,R,0,1\n1,flush,,0\n2,unmap,8,1\n",
			{ 2000, 8, 1, NONE, 0, 0, T } },
		{ "json",
			"{\"ts_us\":0,\"op\":\"read\",\"lba\":0,\"sectors\":1}\n"
			"{\"op\":\"write\",\"sectors\":2,\"more\":[],\"lba\":8,\"ts_us\":1}\n",
			{ 1000, 4096, 1024, NONE, 0, 0, W } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fault fault;
		struct trace *t = open_table(cases[i].text, NULL, &fault);
		struct record r;

		print_message("%s", cases[i].text);
		assert_string_equal(fault.text, "");
		assert_string_equal(trace_format(t), cases[i].format);
		for (unsigned pass = 0; pass < 2; pass++) {
			assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
			assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
			assert_same(&r, &cases[i].second);
			assert_int_equal(trace_next_record(t, &r, &fault), TRACE_END);
			assert_true(trace_rewind(t, &fault));
		}
		trace_close(t);
	}
}

/* What a heading leaves open is asked in one line, with an example of columns that answer it. */
static void test_questions(void **state)
{
	static const struct {
		const char *text, *question, *columns;
	} cases[] = {
		{ "timestamp,op,offset,size\n1,R,0,512\n", "its heading gives no unit of \"timestamp\"",
			"time_us,op,offset_bytes,size_bytes" },
		{ "time_s,op,lba,length\n1,R,0,512\n", "its heading gives no unit of \"length\"",
			"time_s,op,offset_sectors,size_bytes" },
		{ "t block count type\n1 0 8 R\n",
			"its heading gives no unit of \"t\" and \"block\" and \"count\"",
			"time_us,offset_sectors,size_sectors,op" },
		{ "time_s,rw,lba,sectors\n1,0,0,8\n",
			"its heading does not say whether \"rw\" is 1 for a write or for a read",
			"time_s,write,offset_sectors,size_sectors" },
		{ "{\"ts\":1,\"op\":\"R\",\"offset\":0,\"size\":512}\n",
			"its heading gives no unit of \"ts\"", "time_us,op,offset_bytes,size_bytes" },
		{ "{\"ts_s\":1,\"rw\":1,\"offset\":0,\"size\":512}\n",
			"its heading does not say whether \"rw\" is 1 for a write or for a read",
			"time_s,write,offset_bytes,size_bytes" },
		{ "Timestamp,Size,Offset,IOType,VolumeID\n1538323200,4247200,128,1,1058\n",
			"its heading does not say whether \"IOType\" is 1 for a write or for a read",
			"time_us,size_bytes,offset_bytes,write,device" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char wanted[FAULT_BYTES];
		struct fault fault;
		struct record r;
		struct trace *t = open_table(cases[i].text, NULL, &fault);

		snprintf(wanted, sizeof wanted,
			"t: %s; name the columns, for example --columns %s (in a run: trace.columns)",
			cases[i].question, cases[i].columns);
		assert_null(t);
		assert_string_equal(fault.text, wanted);
		t = open_table(cases[i].text, cases[i].columns, &fault);
		assert_string_equal(fault.text, "");
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
		trace_close(t);
	}
}

static void test_missing_columns(void **state)
{
	struct fault fault;

	(void)state;
	assert_null(open_table("TIME(ms) DISK COMM PID LAT(ms)\n1 sda x 7 2\n", NULL, &fault));
	assert_string_equal(fault.text,
		"t: its heading names no type and no offset and no size; name the columns, for example "
		"--columns time_ms,device,-,-,response_ms (in a run: trace.columns)");
	assert_null(open_table("a,b,op,time\nx,y,z,0\n", NULL, &fault));
	assert_non_null(strstr(fault.text, "is in no known trace format"));
}

/* The columns of NVMe and SCSI commands are named by hand. */
static void test_numbers_of_commands(void **state)
{
	static const struct {
		const char *columns, *text;
	} cases[] = {
		{ "time_us,nvme_opcode,offset_sectors,size_sectors", "0,0x02,0,1\n0,0x0,0,1\n1,1,8,1\n" },
		{ "time_us,scsi_opcode,offset_sectors,size_sectors", "0,0x28,0,1\n0,35,0,1\n1,2A,8,1\n" },
	};
	static const struct record second = { 1000, 4096, 512, NONE, 0, 0, W };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fault fault;
		struct trace *t = open_table(cases[i].text, cases[i].columns, &fault);
		struct record r;

		assert_string_equal(fault.text, "");
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
		assert_same(&r, &second);
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_END);
		trace_close(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_columns),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_missing_columns),
		cmocka_unit_test(test_numbers_of_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
