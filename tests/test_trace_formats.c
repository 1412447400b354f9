/* Every trace format, line by line: what good lines mean, what is said about bad ones, and that what
 * is written can be read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "traces/columns.h"
#include "traces/format.h"
#include "traces/trace.h"
#include "traces/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define R    REQUEST_READ
#define W    REQUEST_WRITE
#define T    REQUEST_TRIM
#define NONE RESPONSE_UNKNOWN

#define COLUMNS                                                                                              \
	"time_us,op,offset_bytes,size_sectors,-,device,response_ms" /* of the lines of format csv below */

/* --- good lines --- */

struct good {
	const char *format, *line;
	struct record record; /* .line is not looked at */
};

static const struct good good_lines[] = {
	{ "ssdsim", "0 0 303567 7 0", { 0, 303567 * 512ull, 7 * 512, NONE, 0, 0, W } },
	{ "ssdsim", "26214000 1 240840 6 1", { 26214000, 240840 * 512ull, 6 * 512, NONE, 0, 1, R } },
	{ "ssdsim", "  5\t2  8 1   1  ", { 5, 8 * 512, 512, NONE, 0, 2, R } },
	{ "ssdsim", "9999999999999999999 4294967295 1 1 0",
		{ 9999999999999999999u, 512, 512, NONE, 0, 4294967295, W } },
	{ "disksim", "0.000000 0 0 8 0", { 0, 0, 4096, NONE, 0, 0, W } },
	{ "disksim", "12.345678 3 100 16 1", { 12345678, 51200, 8192, NONE, 0, 3, R } },
	{ "disksim", "1.5 3 100 16 4", { 1500000, 51200, 8192, NONE, 0, 3, W } },
	{ "disksim", "7 3 100 16 5", { 7000000, 51200, 8192, NONE, 0, 3, R } },
	{ "disksim", "0.0000019 0 0 1 0", { 1, 0, 512, NONE, 0, 0, W } },
	{ "spc", "0,303567,3584,w,0.026214", { 26214000, 303567 * 512ull, 3584, NONE, 0, 0, W } },
	{ "spc", "23,20,1000,R,1.000000001", { 1000000001, 10240, 1000, NONE, 0, 23, R } },
	{ "spc", "1, 2, 512, W, 3.25, 7, more", { 3250000000, 1024, 512, NONE, 0, 1, W } },
	{ "msr", "128166391024154329,prxy,0,Write,1105182720,1024,1514",
		{ 12816639102415432900u, 1105182720, 1024, 151400, 0, 0, W } },
	{ "msr", "1,usr,2,read,0,4096,0", { 100, 0, 4096, 0, 0, 0, R } },
	{ "casotxt", "128166465299039000 \tRead\t32256\t8192 ",
		{ 12816646529903900000u, 32256, 8192, NONE, 0, 0, R } },
	{ "casotxt", "10\tWrite\t1.82083E+11\t4096", { 1000, 182083000000, 4096, NONE, 0, 0, W } },
	{ "systor", "1455591804.310701000,0.006475000,R,0,203468398592,32768",
		{ 1455591804310701000, 203468398592, 32768, 6475000, 0, 0, R } },
	{ "systor", "0.5,,W,6,512,512", { 500000000, 512, 512, NONE, 0, 6, W } },
	{ "alibaba", "64,W,126703644672,4096,1577808000000046",
		{ 1577808000000046000, 126703644672, 4096, NONE, 0, 64, W } },
	{ "alibaba", "0,R,512,512,1", { 1000, 512, 512, NONE, 0, 0, R } },
	{ "list", "w3", { 100000000, 12288, 4096, NONE, 0, 0, W } },
	{ "list", " =r0+16 ", { 0, 0, 65536, NONE, 0, 0, R } },
	{ "list", "t2.3+7", { 100000000, 8192 + 1536, 3584, NONE, 0, 0, T } },
	{ "tencent", "1538323200,4247200,128,1,1058",
		{ 1538323200000000000, 4247200 * 512ull, 65536, NONE, 0, 1058, W } },
	{ "tencent", "1,0,1,0,7", { 1000000000, 0, 512, NONE, 0, 7, R } },
	{ "fiu", "467651 2522 kjournald 644661632 8 W 6 0 98b9cb",
		{ 467651, 644661632 * 512ull, 4096, NONE, 0, 0, W } },
	{ "fiu", "1 2 my own process 16 8 R 8 1 ff", { 1, 8192, 4096, NONE, 0, 0, R } },
	{ "diskmon", "0\t0.047339\t0.00019\t0\tRead\t1320146\t8",
		{ 47339000, 1320146 * 512ull, 4096, 190000, 0, 0, R } },
	{ "diskmon", "17 3.5 0 2 Write 16 1", { 3500000000, 8192, 512, 0, 0, 2, W } },
	{ "blkparse", "  8,0    3        1     0.000000123   697  Q   W 223490 + 8 [kjournald]",
		{ 123, 223490 * 512ull, 4096, NONE, 0, 0, W } },
	{ "blkparse", "8,16 0 12 1.5 9 Q RA 8 + 1 [cp]", { 1500000000, 4096, 512, NONE, 0, 0, R } },
	{ "blkparse", "8,16 0 12 1.5 9 Q D 8 + 16 [fstrim]", { 1500000000, 4096, 8192, NONE, 0, 0, T } },
	{ "blkparse-d", "8,16 0 12 1.5 9 D WS 8 + 1 [cp]", { 1500000000, 4096, 512, NONE, 0, 0, W } },
	{ "blkparse-c", "8,16 0 12 1.5 0 C R 8 + 1 [0]", { 1500000000, 4096, 512, NONE, 0, 0, R } },
	{ "fio", "878 /dev/nvme0n1 write 16384 4096", { 878000, 16384, 4096, NONE, 0, 0, W } },
	{ "fio", "879 f read 0 1", { 879000, 0, 1, NONE, 0, 0, R } },
	{ "fio", "880 f trim 0 1048576", { 880000, 0, 1048576, NONE, 0, 0, T } },
	{ "fio2", "/tmp/f read 0 4096", { 0, 0, 4096, NONE, 0, 0, R } },
	{ "fio2", "/tmp/f trim 4096 4096", { 0, 4096, 4096, NONE, 0, 0, T } },
	{ "csv", "1.5,R,4096,8,x,sda,2", { 1500, 4096, 4096, 2000000, 0, 0, R } },
	{ "csv", "2 Write\t512 1 x sdb 0.5 more", { 2000, 512, 512, 500000, 0, 0, W } },
	{ "csv", " 3 , discard , 1.5E+3 , 2 ,, 7 , 0 , more", { 3000, 1500, 1024, 0, 0, 0, T } },
};

static struct format const *format_of(const char *name)
{
	const struct format *format = trace_format_named(name);

	assert_non_null(format);
	return format;
}

/* Parses one line as the 2nd of a file. */
static enum parsed parse_line(const struct format *format, const char *line, struct record *record)
{
	struct scan scan = { .line = 2, .names = names_create() };
	struct columns columns;
	struct fault fault;
	char text[256];
	enum parsed parsed;

	format_begin(format, &columns, &scan);
	if (!strcmp(format->name, "csv")) {
		assert_true(columns_parse(&columns, COLUMNS, &fault));
		scan.columns = &columns;
		scan.unit_ns = columns.time_unit_ns;
	}
	snprintf(text, sizeof text, "%s\n", line);
	scan.at = text;
	scan.end = text + strlen(line);
	*record = (struct record){ .response = RESPONSE_UNKNOWN };
	parsed = format->parse(&scan, record);
	if (parsed == PARSED_BAD)
		print_message("%s: %s: %s\n", format->name, line, scan.problem);
	names_free(scan.names);
	return parsed;
}

static void assert_same(const struct record *a, const struct record *b)
{
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->response, b->response);
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->type, b->type);
}

static void test_good_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good_lines / sizeof good_lines[0]; i++) {
		struct record record;

		print_message("%s: %s\n", good_lines[i].format, good_lines[i].line);
		assert_int_equal(parse_line(format_of(good_lines[i].format), good_lines[i].line, &record),
			PARSED_RECORD);
		assert_same(&record, &good_lines[i].record);
	}
}

/* --- lines that are no requests --- */

static void test_other_lines(void **state)
{
	static const struct {
		const char *format, *line;
		enum parsed parsed;
	} cases[] = {
		{ "systor", "1455591804.31,,,0,512,512", PARSED_OTHER },
		{ "list", "gc", PARSED_OTHER },
		{ "blkparse", "8,0 3 1 0.1 697 D W 223490 + 8 [kjournald]", PARSED_OTHER },
		{ "blkparse", "8,0 3 1 0.1 697 Q FWS [kjournald]", PARSED_OTHER },
		{ "blkparse", "8,0 3 1 0.1 697 Q FWS 0 + 0 [kjournald]", PARSED_OTHER },
		{ "blkparse", "8,0 3 1 0.1 697 m N cfq697 insert_request", PARSED_OTHER },
		{ "blkparse", "8,0 3 1 0.1 697 A W 10 + 8 <- (8,1) 2", PARSED_OTHER },
		{ "blkparse", "8,0 3 1 0.1 697 P N [kjournald]", PARSED_OTHER },
		{ "blkparse", "CPU0 (8,0):", PARSED_HEADING },
		{ "blkparse", " Reads Queued:           0,        0KiB", PARSED_HEADING },
		{ "blkparse", "Total (8,0):", PARSED_HEADING },
		{ "fio", "2 /dev/sdb add", PARSED_HEADING },
		{ "fio", "2 /dev/sdb open", PARSED_HEADING },
		{ "fio", "2 /dev/sdb sync 0 0", PARSED_OTHER },
		{ "fio", "2 /dev/sdb datasync 0 0", PARSED_OTHER },
		{ "fio", "9 /dev/sdb close", PARSED_HEADING },
		{ "fio2", "/dev/sdb wait 100 0", PARSED_HEADING },
	};
	struct record record;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		print_message("%s: %s\n", cases[i].format, cases[i].line);
		assert_int_equal(
			parse_line(format_of(cases[i].format), cases[i].line, &record), cases[i].parsed);
	}
}

static void test_headings(void **state)
{
	static const struct {
		const char *format, *text;
	} cases[] = {
		{ "systor", "Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,0,512\n" },
		{ "msr",
			"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n1,h,0,Read,0,512,0\n" },
		{ "alibaba", "device_id,opcode,offset,length,timestamp\n1,R,0,512,1\n" },
		{ "tencent", "Timestamp,Offset,Size,IOType,VolumeID\n1,0,1,0,7\n" },
		{ "fio", "fio version 3 iolog\n1 f read 0 512\n" },
		{ "fio2", "fio version 2 iolog\nf read 0 512\n" },
		{ "ssdsim", "# any text may have comments\n1 0 0 1 1\n" },
	};
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trace *t =
			trace_open_memory("t", cases[i].text, strlen(cases[i].text), &options, &fault);
		struct request request;

		assert_string_equal(fault.text, "");
		assert_string_equal(trace_format(t), cases[i].format);
		for (unsigned pass = 0; pass < 2; pass++) {
			assert_int_equal(trace_next(t, &request, &fault), TRACE_OK);
			assert_int_equal(request.line, 2);
			assert_int_equal(request.sectors, 1);
			assert_int_equal(trace_next(t, &request, &fault), TRACE_END);
			assert_int_equal(trace_counts(t).skipped, 1);
			assert_true(trace_rewind(t, &fault));
		}
		trace_close(t);
	}
}

/* --- bad lines --- */

struct bad {
	const char *format, *line, *problem;
};

/* The same mistake in every format that can make it: a field is replaced. */
static const struct bad bad_lines[] = {
	{ "ssdsim", "x 0 8 8 0", "time \"x\" is not a whole number of ns" },
	{ "ssdsim", "-1 0 8 8 0", "time -1 is negative" },
	{ "ssdsim", "1.5 0 8 8 0", "time \"1.5\" is not a whole number of ns" },
	{ "ssdsim", "99999999999999999999 0 8 8 0", "time 99999999999999999999 is too large" },
	{ "ssdsim", "1", "device is missing" },
	{ "ssdsim", "1 4294967296 8 8 0", "device 4294967296 is too large, should be at most 4294967295" },
	{ "ssdsim", "1 0", "first sector is missing" },
	{ "ssdsim", "1 0 -8 8 0", "first sector -8 is negative" },
	{ "ssdsim", "1 0 8", "size is missing" },
	{ "ssdsim", "1 0 8 0 0", "size is 0, should be at least 1" },
	{ "ssdsim", "1 0 8 8.5 0", "size \"8.5\" is not a whole number" },
	{ "ssdsim", "1 0 8 9999999999 0", "size 9999999999 is absurd, should be at most 8388608" },
	{ "ssdsim", "1 0 140737488355328 8 0",
		"address 140737488355328 is absurd, should be below 140737488355328" },
	{ "ssdsim", "1 0 8 8", "operation is missing" },
	{ "ssdsim", "1 0 8 8 2", "operation is 2, should be 1 (read) or 0 (write)" },
	{ "ssdsim", "1 0 8 8 R", "operation \"R\" is not a whole number" },
	{ "ssdsim", "1 0 8 8 1 9", "\"9\" follows the last field" },
	{ "ssdsim", "1 0 8 8\x01 1", "size \"8?\" is not a whole number" },
	{ "mqsim", "x 0 8 8 0", "time \"x\" is not a whole number of ns" },
	{ "mqsim", "-1 0 8 8 0", "time -1 is negative" },
	{ "mqsim", "1.5 0 8 8 0", "time \"1.5\" is not a whole number of ns" },
	{ "mqsim", "99999999999999999999 0 8 8 0", "time 99999999999999999999 is too large" },
	{ "mqsim", "1", "device is missing" },
	{ "mqsim", "1 0 -8 8 0", "first sector -8 is negative" },
	{ "mqsim", "1 0 8", "size is missing" },
	{ "mqsim", "1 0 8 0 0", "size is 0, should be at least 1" },
	{ "mqsim", "1 0 8 8 2", "operation is 2, should be 1 (read) or 0 (write)" },
	{ "mqsim", "1 0 8 8 1 9", "\"9\" follows the last field" },
	{ "disksim", "x 0 8 8 0", "time \"x\" is not a number" },
	{ "disksim", "-0.5 0 8 8 0", "time -0.5 is negative" },
	{ "disksim", "1.2.3 0 8 8 0", "time \"1.2.3\" is not a number" },
	{ "disksim", "1e5 0 8 8 0", "time \"1e5\" is not a number" },
	{ "disksim", "99999999999999.5 0 8 8 0", "time 99999999999999.5 is too large" },
	{ "disksim", "1.5", "device is missing" },
	{ "disksim", "1.5 a 8 8 0", "device \"a\" is not a whole number" },
	{ "disksim", "1.5 0", "first block is missing" },
	{ "disksim", "1.5 0 8", "size is missing" },
	{ "disksim", "1.5 0 8 0 0", "size is 0, should be at least 1" },
	{ "disksim", "1.5 0 8 8", "flag is missing" },
	{ "disksim", "1.5 0 8 8 R", "flag \"R\" is not a whole number" },
	{ "disksim", "1.5 0 8 8 1 9", "\"9\" follows the last field" },
	{ "spc", "x,8,512,R,0.5", "ASU \"x\" is not a whole number" },
	{ "spc", "-1,8,512,R,0.5", "ASU -1 is negative" },
	{ "spc", "0", "LBA is missing" },
	{ "spc", "0;8;512;R;0.5", "ASU \"0;8;512;R;0.5\" is not a whole number" },
	{ "spc", "0 8,512,R,0.5", "\"8\" stands where a comma belongs, before the LBA" },
	{ "spc", "0,-8,512,R,0.5", "LBA -8 is negative" },
	{ "spc", "0,8", "size is missing" },
	{ "spc", "0,8,0,R,0.5", "size is 0, should be at least 1" },
	{ "spc", "0,8,512", "type is missing" },
	{ "spc", "0,8,512,X,0.5", "type \"X\" should be R or W" },
	{ "spc", "0,8,512,R", "time is missing" },
	{ "spc", "0,8,512,R,soon", "time \"soon\" is not a number" },
	{ "spc", "0,8,512,R,0.5 6", "\"6\" follows the last field" },
	{ "spc", "0,140737488355328,512,R,0.5",
		"address 140737488355328 is absurd, should be below 140737488355328" },
	{ "msr", "x,h,0,Read,0,512,1", "time \"x\" is not a number" },
	{ "msr", "-5,h,0,Read,0,512,1", "time -5 is negative" },
	{ "msr", "999999999999999999,h,0,Read,0,512,1", "time 999999999999999999 is too large" },
	{ "msr", "1", "host is missing" },
	{ "msr", "1,h", "disk is missing" },
	{ "msr", "1,h,0", "type is missing" },
	{ "msr", "1,h,0,Trim,0,512,1", "type \"Trim\" should be Read or Write" },
	{ "msr", "1,h,0,Read,-512,512,1", "offset -512 is negative" },
	{ "msr", "1,h,0,Read,1.5E+11,512,1", "offset \"1.5E+11\" is not a whole number" },
	{ "msr", "1,h,0,Read,0", "size is missing" },
	{ "msr", "1,h,0,Read,0,0,1", "size is 0, should be at least 1" },
	{ "msr", "1,h,0,Read,0,512", "response time is missing" },
	{ "msr", "1,h,0,Read,0,512,9999999999999999999", "response time 9999999999999999999 is too large" },
	{ "msr", "1,h,0,Read,0,512,1,2", "\",2\" follows the last field" },
	{ "casotxt", "x Read 0 512", "time \"x\" is not a number" },
	{ "casotxt", "-5 Read 0 512", "time -5 is negative" },
	{ "casotxt", "1", "type is missing" },
	{ "casotxt", "1 Trim 0 512", "type \"Trim\" should be Read or Write" },
	{ "casotxt", "1 Read", "offset is missing" },
	{ "casotxt", "1 Read -1 512", "offset -1 is negative" },
	{ "casotxt", "1 Read 1.5E+99 512", "offset \"1.5E+99\" is not a whole number" },
	{ "casotxt", "1 Read 0x10 512", "offset \"0x10\" is not a whole number" },
	{ "casotxt", "1 Read 0", "size is missing" },
	{ "casotxt", "1 Read 0 0", "size is 0, should be at least 1" },
	{ "casotxt", "1 Read 0 512 7", "\"7\" follows the last field" },
	{ "systor", "x,0.1,R,0,0,512", "time \"x\" is not a number" },
	{ "systor", "-1.0,0.1,R,0,0,512", "time -1.0 is negative" },
	{ "systor", "99999999999.0,0.1,R,0,0,512", "time 99999999999.0 is too large" },
	{ "systor", "1.0", "response time is missing" },
	{ "systor", "1.0,late,R,0,0,512", "response time \"late\" is not a number" },
	{ "systor", "1.0,0.1,X,0,0,512", "type \"X\" should be R or W" },
	{ "systor", "1.0,0.1,R", "LUN is missing" },
	{ "systor", "1.0,0.1,R,a,0,512", "LUN \"a\" is not a whole number" },
	{ "systor", "1.0,0.1,R,0,-1,512", "offset -1 is negative" },
	{ "systor", "1.0,0.1,R,0,0", "size is missing" },
	{ "systor", "1.0,0.1,R,0,0,0", "size is 0, should be at least 1" },
	{ "systor", "1.0,0.1,R,0,0,99999999999999",
		"size 99999999999999 is absurd, should be at most 4294967296" },
	{ "systor", "1.0,0.1,R,0,72057594037927936,512",
		"address 72057594037927936 is absurd, should be below 72057594037927936" },
	{ "alibaba", "x,R,0,512,1", "device \"x\" is not a whole number" },
	{ "alibaba", "-1,R,0,512,1", "device -1 is negative" },
	{ "alibaba", "1", "type is missing" },
	{ "alibaba", "1,Q,0,512,1", "type \"Q\" should be R or W" },
	{ "alibaba", "1,R", "offset is missing" },
	{ "alibaba", "1,R,-4,512,1", "offset -4 is negative" },
	{ "alibaba", "1,R,0", "size is missing" },
	{ "alibaba", "1,R,0,0,1", "size is 0, should be at least 1" },
	{ "alibaba", "1,R,0,512", "time is missing" },
	{ "alibaba", "1,R,0,512,now", "time \"now\" is not a number" },
	{ "alibaba", "1,R,0,512,1 2", "\"2\" follows the last field" },
	{ "list", "x3", "\"x3\" should begin with r, w or t, or be gc" },
	{ "list", "=", "\"\" should begin with r, w or t, or be gc" },
	{ "list", "gc 1", "\"1\" follows the last field" },
	{ "list", "w", "page is missing" },
	{ "list", "w-1", "page -1 is negative" },
	{ "list", "w99999999999999", "page 99999999999999 is too large, should be at most 17592186044416" },
	{ "list", "w0.8", "sector 8 is too large, should be at most 7" },
	{ "list", "w0.", "sector is missing" },
	{ "list", "w0+0", "size is 0, should be at least 1" },
	{ "list", "w0+x", "length \"x\" is not a whole number" },
	{ "list", "w0+9999999", "length 9999999 is too large, should be at most 1048576" },
	{ "list", "w0 w1", "\"w1\" follows the last field" },
	{ "tencent", "x,0,1,0,7", "time \"x\" is not a number" },
	{ "tencent", "-1,0,1,0,7", "time -1 is negative" },
	{ "tencent", "1", "offset is missing" },
	{ "tencent", "1,-8,1,0,7", "offset -8 is negative" },
	{ "tencent", "1,0", "size is missing" },
	{ "tencent", "1,0,0,0,7", "size is 0, should be at least 1" },
	{ "tencent", "1,0,1", "type is missing" },
	{ "tencent", "1,0,1,2,7", "type is 2, should be 0 (read) or 1 (write)" },
	{ "tencent", "1,0,1,0", "volume is missing" },
	{ "tencent", "1,0,1,0,v7", "volume \"v7\" is not a whole number" },
	{ "tencent", "1,0,1,0,7 8", "\"8\" follows the last field" },
	{ "fiu", "x 2 p 16 8 W 6 0 ff", "time \"x\" is not a whole number of ns" },
	{ "fiu", "-1 2 p 16 8 W 6 0 ff", "time -1 is negative" },
	{ "fiu", "1", "process number is missing" },
	{ "fiu", "1 me p 16 8 W 6 0 ff", "process number \"me\" is not a whole number" },
	{ "fiu", "1 2", "process is missing" },
	{ "fiu", "1 2 p", "first sector is missing" },
	{ "fiu", "1 2 p -16 8 W 6 0 ff", "first sector -16 is negative" },
	{ "fiu", "1 2 p 16", "size is missing" },
	{ "fiu", "1 2 p 16 0 W 6 0 ff", "size is 0, should be at least 1" },
	{ "fiu", "1 2 p 16 8 V 6 0 ff", "type \"V\" should be R or W" },
	{ "fiu", "1 2 p 16 8 W", "major device number is missing" },
	{ "fiu", "1 2 p 16 8 W 6", "minor device number is missing" },
	{ "diskmon", "x 3.5 0 2 Write 16 1", "number \"x\" is not a whole number" },
	{ "diskmon", "17", "time is missing" },
	{ "diskmon", "17 -3.5 0 2 Write 16 1", "time -3.5 is negative" },
	{ "diskmon", "17 3.5 0 2", "type is missing" },
	{ "diskmon", "17 3.5 0 4294967296 Write 16 1",
		"disk 4294967296 is too large, should be at most 4294967295" },
	{ "diskmon", "17 3.5", "duration is missing" },
	{ "diskmon", "17 3.5 0", "disk is missing" },
	{ "diskmon", "17 3.5 0 2 Flush 16 1", "type \"Flush\" should be Read or Write" },
	{ "diskmon", "17 3.5 0 2 Write", "first sector is missing" },
	{ "diskmon", "17 3.5 0 2 Write 16", "size is missing" },
	{ "diskmon", "17 3.5 0 2 Write 16 0", "size is 0, should be at least 1" },
	{ "diskmon", "17 3.5 0 2 Write 16 1 1", "\"1\" follows the last field" },
	{ "blkparse", "hello", "device \"hello\" is not a whole number" },
	{ "blkparse", "8:0 3 1 0.1 697 Q W 8 + 8 [p]", "device \"8:0\" is not a whole number" },
	{ "blkparse", "8 3 1 0.1 697 Q W 8 + 8 [p]",
		"\"3\" stands where a comma belongs, before the minor device number" },
	{ "blkparse", "8,0", "CPU is missing" },
	{ "blkparse", "8,0 3", "sequence number is missing" },
	{ "blkparse", "8,0 3 1 now 697 Q W 8 + 8 [p]", "time \"now\" is not a number" },
	{ "blkparse", "8,0 3 1 -0.1 697 Q W 8 + 8 [p]", "time -0.1 is negative" },
	{ "blkparse", "8,0 3 1 0.1", "process number is missing" },
	{ "blkparse", "8,0 3 1 0.1 697", "action is missing" },
	{ "blkparse", "8,0 3 1 0.1 697 Q", "type is missing" },
	{ "blkparse", "8,0 3 1 0.1 697 Q W x + 8 [p]", "sector \"x\" is not a whole number" },
	{ "blkparse", "8,0 3 1 0.1 697 Q W 8 8 [p]", "\"+\" and the size are missing behind the sector" },
	{ "blkparse", "8,0 3 1 0.1 697 Q W 8 + x [p]", "size \"x\" is not a whole number" },
	{ "blkparse", "8,0 3 1 0.1 697 Q W 999999999999999 + 8 [p]",
		"address 999999999999999 is absurd, should be below 140737488355328" },
	{ "fio", "x f read 0 512", "time \"x\" is not a number" },
	{ "fio", "-1 f read 0 512", "time -1 is negative" },
	{ "fio", "1", "file is missing" },
	{ "fio", "1 f", "action is missing" },
	{ "fio", "1 f wait 100",
		"action \"wait\" is unknown, should be read, write, trim, add, open, close, sync or "
		"datasync" },
	{ "fio", "1 f r\x1b[2J 0 512",
		"action \"r?[2J\" is unknown, should be read, write, trim, add, open, close, sync or "
		"datasync" },
	{ "fio", "1 f read", "offset is missing" },
	{ "fio", "1 f read -1 512", "offset -1 is negative" },
	{ "fio", "1 f read 0", "length is missing" },
	{ "fio", "1 f read 0 0", "size is 0, should be at least 1" },
	{ "fio", "1 f read 0 512 9", "\"9\" follows the last field" },
	{ "fio", "1 f write 0 9999999999999", "size 9999999999999 is absurd, should be at most 4294967296" },
	{ "csv", "x,R,4096,8,x,sda,2", "time_us \"x\" is not a number" },
	{ "csv", "-1,R,4096,8,x,sda,2", "time_us -1 is negative" },
	{ "csv", "1", "type is missing" },
	{ "csv", "1,rd,4096,8,x,sda,2", "type \"rd\" should be R, Read, W, Write, T, Trim, D or Discard" },
	{ "csv", "1,R,,8,x,sda,2", "offset_bytes is missing" },
	{ "csv", "1,R,-4096,8,x,sda,2", "offset_bytes -4096 is negative" },
	{ "csv", "1,R,99999999999999999,8,x,sda,2",
		"address 99999999999999999 is absurd, should be below 72057594037927936" },
	{ "csv", "1,R,4096,8.5,x,sda,2", "size_sectors \"8.5\" is not a whole number" },
	{ "csv", "1,R,4096,0,x,sda,2", "size is 0, should be at least 1" },
	{ "csv", "1,R,4096,8388609,x,sda,2", "size 8388609 is absurd, should be at most 8388608" },
	{ "csv", "1,R,4096,8,x", "device is missing" },
	{ "csv", "1,R,4096,8,x,sda,fast", "response_ms \"fast\" is not a number" },
	{ "fio2", "f", "action is missing" },
	{ "fio2", "f jump",
		"action \"jump\" is unknown, should be read, write, trim, add, open, close, sync or "
		"datasync" },
	{ "fio2", "f read", "offset is missing" },
	{ "fio2", "f read x 512", "offset \"x\" is not a whole number" },
	{ "fio2", "f read -1 512", "offset -1 is negative" },
	{ "fio2", "f read 0", "length is missing" },
	{ "fio2", "f read 0 -1", "length -1 is negative" },
	{ "fio2", "f read 0 0", "size is 0, should be at least 1" },
	{ "fio2", "f read 0 512 9", "\"9\" follows the last field" },
	{ "fio2", "f wait", "wait is missing" },
	{ "fio2", "f wait -5", "wait -5 is negative" },
	{ "fio2", "f wait 99999999999999999", "wait 99999999999999999 is too large" },
};

/* Reads a file whose first line is right (or the format's heading) and whose second is not. */
static void expect_message(const struct format *format, const char *line, const char *problem)
{
	struct trace_options options = { .format = format->name,
		.columns = strcmp(format->name, "csv") ? NULL : COLUMNS };
	struct fault fault = { "" };
	struct request request;
	struct trace *t;
	char text[512], wanted[FAULT_BYTES];

	snprintf(
		text, sizeof text, "%s\n%s\n", format->columns.heading ? format->columns.heading : "#", line);
	snprintf(wanted, sizeof wanted, "bad.trace:2: %s; %s lines are: %s", problem, format->name,
		format->layout);
	t = trace_open_memory("bad.trace", text, strlen(text), &options, &fault);
	assert_non_null(t);
	assert_int_equal(trace_next(t, &request, &fault), TRACE_BAD);
	assert_string_equal(fault.text, wanted);
	trace_close(t);
}

static void test_bad_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++)
		expect_message(format_of(bad_lines[i].format), bad_lines[i].line, bad_lines[i].problem);
}

static void test_every_text_format_has_ten_bad_lines(void **state)
{
	(void)state;
	for (size_t i = 0; trace_formats[i].name; i++) {
		size_t lines = 0;

		/* The blkparse formats share one parser; records have a table of their own. */
		if (trace_formats[i].record_bytes || !strncmp(trace_formats[i].name, "blkparse-", 9))
			continue;
		for (size_t j = 0; j < sizeof bad_lines / sizeof bad_lines[0]; j++)
			lines += !strcmp(bad_lines[j].format, trace_formats[i].name);
		print_message("%s: %zu bad lines\n", trace_formats[i].name, lines);
		assert_true(lines >= 10);
	}
}

/* Times are in the unit of the column or in the one asked for, offsets and sizes each in its own; the first
 * line may be a heading. */
static void test_named_columns(void **state)
{
	static const struct {
		const char *columns, *unit, *text;
		struct record second;
	} cases[] = {
		{ "time_s,write,offset_sectors,size_bytes", NULL, "t,w,o,s\n1,0,8,512\n3,1,16,1024\n",
			{ 2000000000, 8192, 1024, NONE, 0, 0, W } },
		{ "read,time_100ns,size_sectors,offset_bytes", NULL, "1 10 1 0\n0 20 2 512\n",
			{ 1000, 512, 1024, NONE, 0, 0, W } },
		{ "size_bytes,device,op,-,time_ms,offset_bytes", "us", "512,a,W,,1,0\n512,b,R,,3,1024\n",
			{ 2000, 1024, 512, NONE, 0, 1, R } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trace_options options = { .columns = cases[i].columns, .time_unit = cases[i].unit };
		struct fault fault = { "" };
		struct trace *t =
			trace_open_memory("t", cases[i].text, strlen(cases[i].text), &options, &fault);
		struct record r;

		assert_string_equal(fault.text, "");
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_OK);
		assert_same(&r, &cases[i].second);
		assert_int_equal(trace_next_record(t, &r, &fault), TRACE_END);
		trace_close(t);
	}
}

static void test_wrong_columns(void **state)
{
	static const struct {
		const char *format, *columns, *says;
	} cases[] = {
		{ NULL, "time_us,op,offset_byte,size_bytes",
			"--columns: \"offset_byte\" is none; did you mean \"offset_bytes\"?" },
		{ NULL, "time_us,op,,size_bytes", "--columns: \"\" is none; there are time_ns time_100ns " },
		{ NULL, "time_us,op,size_bytes", "--columns: a column like offset_bytes is missing" },
		{ NULL, "time_us,op,write,offset_bytes,size_bytes",
			"--columns: 2 columns say the same as op" },
		{ "csv", NULL,
			"format csv needs names for its columns: --columns (in a run: trace.columns)" },
		{ "msr", "time_us", "--columns (trace.columns) are those of format csv, not msr" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trace_options options = { .format = cases[i].format, .columns = cases[i].columns };
		struct fault fault = { "" };

		assert_null(trace_open_memory("t", "1,R,0,512\n", 10, &options, &fault));
		if (strncmp(fault.text, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("\"%s\" should begin with \"%s\"", fault.text, cases[i].says);
	}
}

static void test_wrong_fio_headings(void **state)
{
	static const struct {
		const char *format, *first, *message;
	} cases[] = {
		{ "fio", "1 f read 0 512",
			"t:1: first line should be \"fio version 3 iolog\"; fio lines are: "
			"time[us] file action [offset[bytes] length[bytes]]" },
		{ "fio2", "fio version 3 iolog",
			"t:1: first line should be \"fio version 2 iolog\"; fio2 lines are: "
			"file action [offset[bytes] length[bytes]]" },
	};
	struct request request;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trace_options options = { .format = cases[i].format };
		struct fault fault = { "" };
		struct trace *t =
			trace_open_memory("t", cases[i].first, strlen(cases[i].first), &options, &fault);

		assert_non_null(t);
		assert_int_equal(trace_next(t, &request, &fault), TRACE_BAD);
		assert_string_equal(fault.text, cases[i].message);
		trace_close(t);
	}
}

static void test_fio_waits_add_up(void **state)
{
	static const char text[] =
		"fio version 2 iolog\nf add\nf open\nf read 0 512\nf wait 100 0\nf write 512 512\n"
		"f wait 50 0\ng read 0 512\n";
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };
	struct trace *t = trace_open_memory("t", text, sizeof text - 1, &options, &fault);
	static const tick_t arrival[] = { 0, 100000, 150000 };
	static const uint32_t device[] = { 0, 0, 1 };
	struct request request;

	(void)state;
	assert_string_equal(fault.text, "");
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(trace_next(t, &request, &fault), TRACE_OK);
		assert_int_equal(request.arrival, arrival[i]);
		assert_int_equal(request.device, device[i]);
	}
	assert_int_equal(trace_next(t, &request, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).devices, 2);
	trace_close(t);
}

/* --- binary records --- */

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

/* --- writing and reading back --- */

#define ROUND_TRIP 2000u

static void random_request(struct random *random, struct request *r, uint32_t step_ns, bool trims)
{
	r->arrival += random_below(random, 1000000) * step_ns;
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
	bool is_fio = !strcmp(format->name, "fio"), is_msr = !strcmp(format->name, "msr");

	random_init(&random, seed, 1);
	assert_true(trace_writer_begin(&writer, format->name, out, &fault));
	for (size_t i = 0; i < ROUND_TRIP; i++) {
		tick_t arrival = r.arrival;

		random_request(&random, &r, format->write_step_ns, is_fio);
		if (!i)
			r.arrival = arrival;
		assert_true(trace_writer_put(&writer, &r, &fault));
		sent[i] = r;
	}
	fclose(out);
	trace_writer_end(&writer);
	assert_int_equal(writer.rounded, 0);
	t = trace_open_memory("round", text, size, &options, &fault);
	assert_string_equal(fault.text, "");
	assert_string_equal(trace_format(t), !strcmp(format->name, "mqsim") ? "ssdsim" : format->name);
	for (size_t i = 0; i < ROUND_TRIP; i++)
		expect_request(t, &sent[i], is_fio || is_msr);
	assert_int_equal(trace_next(t, &r, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).devices, 3);
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
		if (!trace_formats[i].write)
			continue;
		print_message("SEED=%s %s\n", seed ? seed : "1", trace_formats[i].name);
		round_trip(&trace_formats[i], seed ? strtoull(seed, NULL, 0) : 1);
		written++;
	}
	assert_int_equal(written, 7);
}

static void test_what_cannot_be_written(void **state)
{
	static const char *const no_trims[] = { "ssdsim", "mqsim", "disksim", "spc", "msr", "systor" };
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
		"disksim, spc, msr, systor, fio");
	assert_false(trace_writer_begin(&writer, "nonsense", out, &fault));
	assert_true(trace_writer_begin(&writer, "msr", out, &fault));
	assert_true(trace_writer_put(&writer, &odd, &fault));
	assert_int_equal(writer.rounded, 1);
	trace_writer_end(&writer);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lines),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_headings),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_every_text_format_has_ten_bad_lines),
		cmocka_unit_test(test_named_columns),
		cmocka_unit_test(test_wrong_columns),
		cmocka_unit_test(test_wrong_fio_headings),
		cmocka_unit_test(test_fio_waits_add_up),
		cmocka_unit_test(test_vscsi_records),
		cmocka_unit_test(test_bad_vscsi_records),
		cmocka_unit_test(test_cut_vscsi_record),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
