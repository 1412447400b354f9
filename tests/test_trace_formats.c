/* Every trace format of text, line by line: the meaning of good lines, the messages about bad ones. */
#include "tests/trace_lines.h"
#include "traces/columns.h"
#include "traces/trace.h"

#include <string.h>

/* --- good lines --- */

/* Parses one line as the 2nd of a file. */
static enum parsed parse_line(const struct format *format, const char *line, struct record *record)
{
	struct scan scan = { .line = 2, .names = names_create() };
	struct json_lines lines;
	struct columns columns;
	struct fault fault;
	const char *object = OBJECT;
	char text[256];
	enum parsed parsed;

	format_begin(format, &columns, &scan);
	if (!strcmp(format->name, "csv") || !strcmp(format->name, "json")) {
		assert_true(columns_parse(&columns, COLUMNS, &fault));
		assert_true(json_flatten(object, object + strlen(object), &lines));
		json_name_keys(&columns, &lines);
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
		{ "biosnoop", "0.1 jbd2/x y 5 sda FF 0 0 0.1", PARSED_OTHER },
		{ "biosnoop", "0.1 jbd2/x 5 sda W 0 0 0.1", PARSED_OTHER },
		{ "iosnoop", "0.1 0.2 jbd2/x 5 FF 8,0 0 0 0.1", PARSED_OTHER },
		{ "cloudphysics", "1,5,35,0,0", PARSED_OTHER },
		{ "xperf", "DiskFlush, 5, x", PARSED_OTHER },
		{ "xperf", "  DiskRead,  TimeStamp, Process Name ( PID), ThreadID", PARSED_OTHER },
		{ "xperf", "EndHeader", PARSED_OTHER },
		{ "ftrace", "dd-1 [000] 5.5: block_rq_issue: 8,0 R 4096 () 8 + 8 [dd]", PARSED_OTHER },
		{ "ftrace", "dd-1 [000] 5.5: sched_switch: prev_comm=dd", PARSED_OTHER },
		{ "ftrace-d", "dd-1 [000] 5.5: block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 [dd]",
			PARSED_OTHER },
		{ "ftrace-d", "dd-1 [000] 5.5: block_rq_issue: 8,0 FWS 0 () 18446744073709551615 + 0 [dd]",
			PARSED_OTHER },
		{ "ftrace", "cpus=8", PARSED_HEADING },
		{ "perf-trace", "1.5 dd/1 read(fd: 3, count: 4096) = 4096", PARSED_OTHER },
		{ "nvme", "dd 5.5: nvme_setup_cmd: nvme0: qid=0, cmdid=1, nsid=0, cmd=(nvme_admin_identify)",
			PARSED_OTHER },
		{ "nvme", "dd 5.5: nvme_setup_cmd: nvme0: disk=x, cmd=(nvme_cmd_flush nsid=1)",
			PARSED_OTHER },
		{ "nvme", "dd 5.5: nvme_complete_rq: nvme0: disk=x, qid=1", PARSED_OTHER },
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

/* Reads a file whose first line is right (or the format's heading) and whose second is not. */
static void expect_message(const struct format *format, const char *line, const char *problem)
{
	bool json = !strcmp(format->name, "json");
	const char *first = json ? OBJECT : format->columns.heading ? format->columns.heading : "#";
	struct trace_options options = { .format = format->name,
		.columns = strcmp(format->name, "csv") && !json ? NULL : COLUMNS };
	struct fault fault = { "" };
	struct request request;
	struct trace *t;
	char text[512], wanted[FAULT_BYTES];

	snprintf(text, sizeof text, "%s\n%s\n", first, line);
	snprintf(wanted, sizeof wanted, "bad.trace:2: %s; %s lines are: %s", problem, format->name,
		format->layout);
	t = trace_open_memory("bad.trace", text, strlen(text), &options, &fault);
	if (!t)
		fail_msg("%s", fault.text);
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

/* --- every sample against every format --- */

#define SAMPLE_BYTES 16384

/* A file of all good lines of a format. */
static void put_sample(const struct format *format, char text[SAMPLE_BYTES])
{
	const char *first = !strcmp(format->name, "json")
				    ? "{\"ts_us\":1,\"op\":\"R\",\"lba\":0,\"sectors\":1}"
			    : format->columns.heading ? format->columns.heading
						      : "# sample";
	size_t n = (size_t)snprintf(text, SAMPLE_BYTES, "%s\n", first);

	for (size_t i = 0; i < sizeof good_lines / sizeof *good_lines && n < SAMPLE_BYTES; i++)
		if (!strcmp(good_lines[i].format, format->name))
			n += (size_t)snprintf(text + n, SAMPLE_BYTES - n, "%s\n", good_lines[i].line);
	assert_true(n < SAMPLE_BYTES);
}

/* Each sample is detected as its own format, with and without its heading: no other format reads all of it,
 * except those that parse the same lines and yield. */
static void test_no_sample_is_taken_for_another(void **state)
{
	char text[SAMPLE_BYTES];

	(void)state;
	for (const struct format *f = trace_formats; f->name; f++) {
		const char *wanted = strcmp(f->name, "mqsim") ? f->name : "ssdsim";

		if (f->record_bytes)
			continue;
		put_sample(format_of(wanted), text);
		for (unsigned headless = 0; headless < 2; headless++) {
			const char *begin = headless ? strchr(text, '\n') + 1 : text;
			struct trace_options options = { .format = NULL };
			struct fault fault = { "" };
			struct trace *t;

			if (headless && (!strncmp(f->name, "fio", 3) || !strcmp(f->name, "csv") ||
						!strcmp(f->name, "json")))
				continue;
			t = trace_open_memory("t", begin, strlen(begin), &options, &fault);
			if (!t || strcmp(trace_format(t), wanted) != 0)
				fail_msg("%s is %s %s", f->name, t ? trace_format(t) : "", fault.text);
			trace_close(t);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lines),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_headings),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_every_text_format_has_ten_bad_lines),
		cmocka_unit_test(test_no_sample_is_taken_for_another),
		cmocka_unit_test(test_named_columns),
		cmocka_unit_test(test_wrong_columns),
		cmocka_unit_test(test_wrong_fio_headings),
		cmocka_unit_test(test_fio_waits_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
