/* Reading traces: containers, detection, order, devices, units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "tests/tier.h"
#include "traces/trace.h"
#include "traces/window.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static uint64_t seed(void)
{
	const char *text = getenv("SEED");
	uint64_t value = text ? strtoull(text, NULL, 0) : 1;

	print_message("SEED=%llu\n", (unsigned long long)value);
	return value;
}

/* Opens text that must be readable. */
static struct trace *open_text(const char *text, const struct trace_options *options)
{
	struct fault fault = { "" };
	struct trace *t = trace_open_memory("t", text, strlen(text), options, &fault);

	assert_string_equal(fault.text, "");
	assert_non_null(t);
	return t;
}

/* Reads to the end or to a fault; returns the number of requests. */
static uint64_t drain(struct trace *t, struct fault *fault)
{
	struct request r;
	enum trace_status status;
	tick_t last = 0;
	uint64_t n = 0;

	while ((status = trace_next(t, &r, fault)) == TRACE_OK) {
		assert_true(r.arrival >= last);
		last = r.arrival;
		n++;
	}
	if (status == TRACE_END)
		assert_string_equal(fault->text, "");
	else
		assert_string_not_equal(fault->text, "");
	return n;
}

/* The fault of a trace that cannot be opened or read. */
static void expect_fault(
	const void *bytes, size_t size, const struct trace_options *options, const char *message)
{
	struct fault fault = { "" };
	struct trace *t = trace_open_memory("t", bytes, size, options, &fault);

	if (t)
		drain(t, &fault);
	trace_close(t);
	assert_string_equal(fault.text, message);
}

/* --- detection --- */

static void test_detection(void **state)
{
	static const struct {
		const char *format, *text;
	} cases[] = {
		{ "ssdsim", "0 0 303567 7 0\n26214000 1 240840 6 1\n" },
		{ "ssdsim", "0 0 303567 7 0" },
		{ "ssdsim", "0 0 303567 7 0\r\n26214000 1 240840 6 1\r\n" },
		{ "ssdsim", "\n\n0 0 303567 7 0\n\n" },
		{ "ssdsim", "\xef\xbb\xbf"
			    "0 0 303567 7 0\n" },
		{ "disksim", "0.000000 0 303567 7 0\n26.214000 1 240840 6 1\n" },
		{ "disksim", "0 0 303567 7 0\n26.214000 1 240840 6 1\n" },
		{ "spc", "0,303567,3584,w,0.000000\n1,55590,3072,w,0.000000\n" },
		{ "msr", "128166391024154329,prxy,0,Write,1105182720,1024,1514\n" },
		{ "casotxt", "128166465299039000 \tRead\t32256\t8192\n" },
		{ "systor", "Timestamp,Response,IOType,LUN,Offset,Size\n1455591804.310701000,0.006475000,R,0,"
			    "512,512\n" },
		{ "alibaba", "64,W,126703644672,4096,1577808000000046\n" },
		{ "tencent", "1538323200,4247200,128,1,1058\n" },
		{ "tencent", "1538323200,4247200,28,1,1058\n" },
		{ "cloudphysics", "1,5633,28,512,42932745\n" },
		{ "fiu", "467651 2522 kjournald 644661632 8 W 6 0 98b9\n" },
		{ "blkparse", "8,0 3 1 0.0 697 Q W 8 + 8 [p]\n8,0 3 2 0.1 697 D W 8 + 8 [p]\n8,0 3 3 0.2 0 C "
			      "W 8 + 8 [0]\n" },
		{ "blkparse", "8,0 3 3 0.2 0 C W 8 + 8 [0]\n8,0 3 1 0.0 697 Q W 8 + 8 [p]\n" },
		{ "blkparse-d", "8,0 3 2 0.1 697 D W 8 + 8 [p]\n8,0 3 3 0.2 0 C W 8 + 8 [0]\n" },
		{ "blkparse-c", "8,0 3 3 0.2 0 C W 8 + 8 [0]\n" },
		{ "diskmon", "0\t0.047339\t0.00019\t0\tRead\t1320146\t8\n" },
		{ "fio", "fio version 3 iolog\n1 f read 0 512\n" },
		{ "fio2", "fio version 2 iolog\nf read 0 512\n" },
		/* One bad line does not hide what the others are. */
		{ "ssdsim", "0 0 8 8 0\n1 0 8 8 0\n2 0 8 eight 0\n3 0 8 8 0\n" },
		/* FLUSHes, alone or at the beginning. */
		{ "ssdsim", "0 0 0 0 2\n" },
		{ "ssdsim", "0 0 0 0 2\r\n5 1 0 0 2\r\n" },
		{ "ssdsim", "0 0 0 0 2\n5 0 8 8 4\n" },
		{ "list", "f\nf\n" },
	};
	struct trace_options options = { .format = "auto", .member = "", .devices = "", .time_unit = "" };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trace *t = open_text(cases[i].text, &options);

		assert_string_equal(trace_format(t), cases[i].format);
		trace_close(t);
	}
}

/* One absurd number in every line does not hide the format, and is what the message names. */
static void test_absurd_first_line(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "0 0 8 0 1\n1 0 8 0 1\n", "t:1: size is 0, should be at least 1; ssdsim lines are: " },
		{ "# a\n\n0 0 9223372036854775808 8 1\n",
			"t:3: address 9223372036854775808 is absurd, should be below " },
		{ "0 0 99999999999999999999 8 1\r\n",
			"t:1: first sector 99999999999999999999 is too large; ssdsim " },
		{ "NaN 0 8 8 1\n", "t:1: time \"NaN\" is not a whole number of ns; ssdsim " },
		{ "-5 0 8 8 1", "t:1: time -5 is negative; ssdsim " },
		{ "1,prxy,0,Write,1105182720,0,1514\n", "t:1: size is 0, should be at least 1; msr " },
		{ "0.5,0.1,R,0,512,0\n", "t:1: size is 0, should be at least 1; systor " },
		{ "five 0 8 8 1\n", "t:1: \"five 0 8 8 1\" is in no known trace format; " },
		{ "0 0 8 0 0 0\n", "t:1: \"0 0 8 0 0 0\" is in no known trace format; " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trace_options options = { .format = NULL };
		struct fault fault = { "" };
		struct trace *t =
			trace_open_memory("t", cases[i].text, strlen(cases[i].text), &options, &fault);

		if (t)
			drain(t, &fault);
		trace_close(t);
		if (strncmp(fault.text, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("\"%s\" should begin with \"%s\"", fault.text, cases[i].says);
	}
}

/* A record that is a read of 4 KiB in both versions of vscsi: there is no telling which. */
static void test_two_formats_fit(void **state)
{
	static const unsigned char both[40] = {
		[0] = 0x28, [3] = 2, [5] = 16, [9] = 16, [12] = 0x28, [15] = 1, [16] = 8, [24] = 1
	};
	struct trace_options unknown = { .format = NULL }, second = { .format = "vscsi2" };
	struct fault fault = { "" };
	struct trace *t;

	(void)state;
	expect_fault(both, sizeof both, &unknown,
		"t: can be read as vscsi1, vscsi2; choose with --format (in a run: trace.format)");
	t = trace_open_memory("t", both, sizeof both, &second, &fault);
	assert_non_null(t);
	assert_int_equal(drain(t, &fault), 1);
	trace_close(t);
}

static void test_unreadable(void **state)
{
	static const char remedy[] =
		"is in no known trace format; name it with --format (in a run: trace.format), `ssd list "
		"formats` shows all, or its columns with --columns (trace.columns)";
	struct trace_options options = { .format = NULL }, wrong = { .format = "ssdism" };
	struct trace_options systor = { .format = "systor" }, unit = { .time_unit = "h" };
	char message[FAULT_BYTES], garbage[4096];

	(void)state;
	expect_fault("", 0, &options, "t: is empty; a trace has at least one request");
	snprintf(message, sizeof message, "t:1: \"hello world\" %s", remedy);
	expect_fault("hello world\n", 12, &options, message);
	memset(garbage, 0xee, sizeof garbage);
	snprintf(message, sizeof message, "t:1: \"%.47s\" %s",
		"???????????????????????????????????????????????????????", remedy);
	expect_fault(garbage, sizeof garbage, &options, message);
	expect_fault("1 0 8 8 0\n", 10, &wrong, "unknown trace format \"ssdism\"; did you mean \"ssdsim\"?");
	expect_fault("1 0 8 8 0\n", 10, &unit, "unknown time unit \"h\"; should be ns, 100ns, us, ms or s");
	expect_fault("\n\n# nothing\n", 12, &systor, "t: has no request in systor format");
	expect_fault("1.0,0.1,,0,0,512\n", 17, &systor, "t: has no request in systor format");
}

static void test_bad_line_behind_good_ones(void **state)
{
	struct trace_options options = { .format = NULL };
	static const char text[] = "0 0 8 8 0\n1 0 8 8 0\n2 0 8 8 0\n3 0 8\n";

	(void)state;
	expect_fault(text, sizeof text - 1, &options,
		"t:4: size is missing; ssdsim lines are: time[ns] device first-sector sectors "
		"1=read|0=write|4=write with FUA|2=FLUSH");
}

static void test_endless_line(void **state)
{
	struct trace_options options = { .format = "ssdsim" };
	size_t size = 1u << 20;
	char *text = memory_array(size, 1, "test");

	(void)state;
	memset(text, '7', size);
	expect_fault(text, size, &options, "t: a line has no end within 65536 bytes; it is no text");
	memory_free(text);
}

/* --- files --- */

static void test_files(void **state)
{
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };
	char path[] = "/tmp/ssdlab-test-XXXXXX", message[256];
	int fd = mkstemp(path);
	struct trace *t;

	(void)state;
	assert_int_equal(write(fd, "5 0 8 8 0\n7 0 8 8 1\n", 20), 20);
	close(fd);
	t = trace_open(path, &options, &fault);
	assert_non_null(t);
	assert_int_equal(trace_bytes_total(t), 20);
	assert_int_equal(drain(t, &fault), 2);
	assert_int_equal(trace_bytes_read(t), 20);
	trace_close(t);
	assert_int_equal(truncate(path, 0), 0);
	assert_null(trace_open(path, &options, &fault));
	snprintf(message, sizeof message, "%s: is empty; a trace has at least one request", path);
	assert_string_equal(fault.text, message);
	unlink(path);
	assert_null(trace_open(path, &options, &fault));
	snprintf(message, sizeof message, "%s: cannot be opened: No such file or directory", path);
	assert_string_equal(fault.text, message);
	assert_null(trace_open("/", &options, &fault));
	assert_string_equal(fault.text, "/: is a directory: a trace is a file");
}

/* --- compression and archives --- */

struct packed {
	char *bytes;
	size_t size;
};

#define PACKED_ROOM (1u << 20)

/* Packs `files` copies of the text, named 0.trace, 1.trace ..., into one archive. */
static struct packed pack(int (*set_format)(struct archive *), int (*add_filter)(struct archive *),
	const char *text, size_t size, int files)
{
	struct packed p = { .bytes = memory_array(PACKED_ROOM, 1, "test") };
	struct archive *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	assert_int_equal(add_filter(a), ARCHIVE_OK);
	assert_int_equal(set_format(a), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(a, 1);
	assert_int_equal(archive_write_open_memory(a, p.bytes, PACKED_ROOM, &p.size), ARCHIVE_OK);
	for (int i = 0; i < files; i++) {
		char name[32];

		snprintf(name, sizeof name, "folder/%d.trace", i);
		archive_entry_clear(entry);
		archive_entry_set_pathname(entry, name);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, (la_int64_t)size);
		assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
		assert_int_equal(archive_write_data(a, text, size), size);
	}
	archive_entry_free(entry);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	return p;
}

/* More text than a block holds after unpacking. */
#define PACKED_LINES 30000u

static char *long_text(size_t *size)
{
	char *text = memory_array(PACKED_LINES, 40, "test");
	struct random random;

	random_init(&random, 7, 0);
	*size = 0;
	for (unsigned i = 0; i < PACKED_LINES; i++)
		*size += (size_t)sprintf(text + *size, "%u 0 %u 8 %u\n", 1000 * i,
			(unsigned)random_below(&random, 1u << 30), (unsigned)random_below(&random, 2));
	return text;
}

typedef int (*filter)(struct archive *);

static const struct {
	const char *name;
	filter add;
} filters[] = {
	{ "gzip", archive_write_add_filter_gzip },
	{ "xz", archive_write_add_filter_xz },
	{ "zstd", archive_write_add_filter_zstd },
	{ "bzip2", archive_write_add_filter_bzip2 },
	{ "lz4", archive_write_add_filter_lz4 },
	{ "none", archive_write_add_filter_none },
};

static void expect_whole(const char *bytes, size_t size, const char *member)
{
	struct trace_options options = { .member = member };
	struct fault fault = { "" };
	struct trace *t = trace_open_memory("t", bytes, size, &options, &fault);

	assert_string_equal(fault.text, "");
	assert_int_equal(drain(t, &fault), PACKED_LINES);
	assert_int_equal(trace_bytes_read(t), size);
	trace_close(t);
}

/* Cut anywhere, it must not pass for a shorter trace. */
static void expect_cut(const char *bytes, size_t size)
{
	for (size_t part = 1; part < 8; part++) {
		struct trace_options options = { .format = NULL };
		struct fault fault = { "" };
		struct trace *t = trace_open_memory("t", bytes, size * part / 8, &options, &fault);

		if (t)
			drain(t, &fault);
		trace_close(t);
		assert_string_not_equal(fault.text, "");
	}
}

static void test_compressed(void **state)
{
	size_t size;
	char *text = long_text(&size);

	(void)state;
	for (size_t i = 0; i + 1 < sizeof filters / sizeof filters[0]; i++) {
		struct packed raw = pack(archive_write_set_format_raw, filters[i].add, text, size, 1);

		print_message("%s\n", filters[i].name);
		expect_whole(raw.bytes, raw.size, NULL);
		expect_cut(raw.bytes, raw.size);
		memory_free(raw.bytes);
	}
	memory_free(text);
}

/* One flipped bit must not pass for another trace. */
static void expect_flips_seen(const char *name, char *bytes, size_t size, uint64_t from_seed)
{
	struct random random;

	random_init(&random, from_seed, size);
	for (int i = 0; i < 60; i++) {
		struct trace_options options = { .sort_fully = true };
		struct fault fault = { "" };
		size_t at = 10 + random_below(&random, size - 10);
		char bit = (char)(1 << random_below(&random, 8));
		struct trace *t;

		bytes[at] ^= bit;
		t = trace_open_memory("t", bytes, size, &options, &fault);
		if (t)
			drain(t, &fault);
		trace_close(t);
		bytes[at] ^= bit;
		if (strncmp(fault.text, "t: is damaged or cut short", 26) != 0)
			fail_msg("%s: a flipped bit at byte %zu: \"%s\"", name, at, fault.text);
	}
}

static void test_damaged(void **state)
{
	uint64_t from = seed();
	size_t size;
	char *text = long_text(&size);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct packed raw = pack(archive_write_set_format_raw, filters[i].add, text, size / 4, 1);

		/* zstd's checksum is optional, and libarchive writes none. */
		if (filters[i].add != archive_write_add_filter_zstd)
			expect_flips_seen(filters[i].name, raw.bytes, raw.size, from);
		memory_free(raw.bytes);
	}
	memory_free(text);
}

#define GZIP_ROOM 512 /* of a small file: head, one stored block, checksum and length */

static size_t put_little_endian(unsigned char *to, uint32_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (unsigned char)(value >> 8 * i);
	return bytes;
}

/* A text as gzip stores it, with a checksum and a length that may be wrong. */
static size_t store_gzip(unsigned char file[GZIP_ROOM], const char *text, uint32_t crc, uint32_t length)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3,
		1 /* the last block, stored */ };
	size_t size = strlen(text), at = sizeof head;

	memcpy(file, head, sizeof head);
	at += put_little_endian(file + at, (uint32_t)size, 2);
	at += put_little_endian(file + at, ~(uint32_t)size, 2);
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a file's text has no end mark */
	memcpy(file + at, text, size);
	at += size;
	at += put_little_endian(file + at, crc, 4);
	return at + put_little_endian(file + at, length, 4);
}

/* Checksum and length are checked, and must be there. */
static void test_gzip_check(void **state)
{
	static const char text[] = "#123456789\n1 0 8 8 0\n";
	uint32_t crc = (uint32_t)crc32(0, (const void *)text, sizeof text - 1), length = sizeof text - 1;
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };
	unsigned char file[GZIP_ROOM];
	size_t size = store_gzip(file, text, crc, length);
	struct trace *t = trace_open_memory("t", file, size, &options, &fault);

	(void)state;
	assert_string_equal(fault.text, "");
	assert_int_equal(drain(t, &fault), 1);
	trace_close(t);
	for (size_t cut = 1; cut <= 8; cut++)
		expect_fault(file, size - cut, &options, "t: is damaged or cut short: its end is missing");
	store_gzip(file, text, crc ^ 1, length);
	expect_fault(file, size, &options, "t: is damaged or cut short: incorrect data check");
	store_gzip(file, text, crc, length + 1);
	expect_fault(file, size, &options, "t: is damaged or cut short: incorrect length check");
	file[store_gzip(file, text, crc, length)] = 'x';
	expect_fault(file, size + 1, &options, "t: is damaged or cut short: something follows its end");
}

/* Bytes like the head of a member, in the middle of another, do not switch the check off. */
static void test_chance_head(void **state)
{
	static const char text[] = "#\x1f\x8b\x08\x08 not a head\n1 0 8 8 0\n";
	uint32_t crc = (uint32_t)crc32(0, (const void *)text, sizeof text - 1);
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };
	unsigned char file[GZIP_ROOM];
	size_t size = store_gzip(file, text, crc, sizeof text - 1);
	struct trace *t = trace_open_memory("t", file, size, &options, &fault);

	(void)state;
	assert_string_equal(fault.text, "");
	assert_int_equal(drain(t, &fault), 1);
	trace_close(t);
	file[size - 12]++;
	expect_fault(file, size, &options, "t: is damaged or cut short: incorrect data check");
}

/* Two compressed files, one behind the other, are one file. */
static void test_members_of_gzip(void **state)
{
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };
	struct packed a =
		pack(archive_write_set_format_raw, archive_write_add_filter_gzip, "1 0 8 8 0\n", 10, 1);
	struct packed b =
		pack(archive_write_set_format_raw, archive_write_add_filter_gzip, "2 0 8 8 0\n", 10, 1);
	struct trace *t;

	(void)state;
	memcpy(a.bytes + a.size, b.bytes, b.size);
	t = trace_open_memory("t", a.bytes, a.size + b.size, &options, &fault);
	assert_string_equal(fault.text, "");
	assert_int_equal(drain(t, &fault), 2);
	trace_close(t);
	memory_free(a.bytes);
	memory_free(b.bytes);
}

/* A number that depends on every request of the trace. */
static uint64_t sum_of(
	const char *bytes, size_t size, const struct trace_options *options, struct fault *fault)
{
	struct trace *t = trace_open_memory("t", bytes, size, options, fault);
	struct request r;
	uint64_t sum = 0;

	while (t && trace_next(t, &r, fault) == TRACE_OK)
		sum = (sum * 31 + r.arrival) * 31 + r.start * 2 + (r.type == REQUEST_READ);
	trace_close(t);
	return sum;
}

/* The text in members of a few lines each, as bgzip and pigz make them, and an empty one; then `zeros`, then
 * `end`. */
static struct packed pack_members(const char *text, size_t size, size_t zeros, const char *end)
{
	struct packed all = { memory_array(4 * size + zeros + strlen(end), 1, "test"), 0 };

	for (size_t at = 0, part; at <= size; at += part + !part) {
		struct packed one;

		part = size - at < 777 ? size - at : 777;
		one = pack(archive_write_set_format_raw, archive_write_add_filter_gzip, text + at, part, 1);
		memcpy(all.bytes + all.size, one.bytes, one.size);
		all.size += one.size;
		memory_free(one.bytes);
	}
	all.size += zeros;
	memcpy(all.bytes + all.size, end, strlen(end));
	all.size += strlen(end);
	return all;
}

#define STEP 211 /* bytes from one flipped bit to the next */

/* The checksum of every member counts.  A flipped bit is seen, or it was in a field of a head that nothing
 * reads: a date, a system. */
static void test_damaged_members(void **state)
{
	size_t size, seen = 0, step = amount(shorter(24, 8), 1) * STEP;
	char *text = long_text(&size);
	struct packed all = pack_members(text, size, 0, "");
	struct trace_options options = { .sort_fully = true };
	struct fault fault = { "" };
	uint64_t sum;

	(void)state;
	expect_whole(all.bytes, all.size, NULL);
	sum = sum_of(all.bytes, all.size, &options, &fault);
	for (size_t at = 10; at < all.size; at += step) {
		uint64_t flipped;

		fault = (struct fault){ "" };
		all.bytes[at] ^= 4;
		flipped = sum_of(all.bytes, all.size, &options, &fault);
		all.bytes[at] ^= 4;
		assert_true(strstr(fault.text, "damaged") || (!*fault.text && flipped == sum));
		seen += *fault.text != 0;
	}
	assert_true(seen > all.size / step * 9 / 10);
	memory_free(all.bytes);
	memory_free(text);
}

/* gzip pads with zeros what it writes on tape; nothing else may follow. */
static void test_padded_gzip(void **state)
{
	struct trace_options options = { .format = NULL };
	size_t size;
	char *text = long_text(&size);

	(void)state;
	for (size_t zeros = 1; zeros < 1000000; zeros *= 9) {
		struct packed padded = pack_members(text, size, zeros, ""),
			      more = pack_members(text, size, zeros, "x");

		expect_whole(padded.bytes, padded.size, NULL);
		expect_fault(more.bytes, more.size, &options,
			"t: is damaged or cut short: something follows its end");
		memory_free(padded.bytes);
		memory_free(more.bytes);
	}
	memory_free(text);
}

/* Nothing, compressed by each packer. */
static void test_empty_packed(void **state)
{
	static const struct {
		const char *name;
		size_t size;
		const char *bytes;
	} packed[] = {
		{ "gz", 20,
			"\037\213\010\000\000\000\000\000\000\003\003\000\000\000\000\000\000\000\000\000" },
		{ "xz", 32,
			"\375\067\172\130\132\000\000\004\346\326\264\106\000\000\000\000\034\337\104\041\037"
			"\266\363\175\001\000\000\000\000\004\131\132" },
		{ "zst", 13, "\050\265\057\375\044\000\001\000\000\231\351\330\121" },
		{ "bz2", 14, "\102\132\150\071\027\162\105\070\120\220\000\000\000\000" },
		{ "lz4", 15, "\004\042\115\030\144\100\247\000\000\000\000\005\135\314\002" },
	};
	struct trace_options options = { .format = NULL };

	(void)state;
	for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
		print_message("%s\n", packed[i].name);
		expect_fault(packed[i].bytes, packed[i].size, &options,
			"t: is empty: a trace has at least one request");
	}
}

static void test_archived(void **state)
{
	size_t size;
	char *text = long_text(&size);

	(void)state;
	for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
		struct packed tar = pack(archive_write_set_format_ustar, filters[i].add, text, size, 1);

		print_message("tar, %s\n", filters[i].name);
		expect_whole(tar.bytes, tar.size, NULL);
		expect_whole(tar.bytes, tar.size, "0.trace");
		expect_whole(tar.bytes, tar.size, "folder/0.trace");
		memory_free(tar.bytes);
	}
	memory_free(text);
}

/* Zeros follow the last file of a tar archive; the checksum follows more of them than are read at a time. */
static void test_damaged_archive(void **state)
{
	enum { ZEROS = 1 << 20 };
	struct trace_options options = { .format = NULL }, named = { .member = "0.trace" };
	struct packed plain =
		pack(archive_write_set_format_ustar, archive_write_add_filter_none, "1 0 8 8 0\n", 10, 1);
	char *padded = memory_array(plain.size + ZEROS, 1, "test");
	struct packed tar;

	(void)state;
	memcpy(padded, plain.bytes, plain.size);
	tar = pack(
		archive_write_set_format_raw, archive_write_add_filter_gzip, padded, plain.size + ZEROS, 1);
	tar.bytes[tar.size - 5] ^= 1;
	expect_fault(tar.bytes, tar.size, &options, "t: is damaged or cut short: incorrect data check");
	expect_fault(tar.bytes, tar.size, &named, "t: is damaged or cut short: incorrect data check");
	memory_free(tar.bytes);
	memory_free(padded);
	memory_free(plain.bytes);
}

/* A compressed file inside an archive, as SYSTOR '17 is handed out, or inside another. */
static void test_compressed_in_archive(void **state)
{
	size_t size;
	char *text = long_text(&size);
	struct packed gz = pack(archive_write_set_format_raw, archive_write_add_filter_gzip, text, size, 1);
	struct packed tar =
		pack(archive_write_set_format_ustar, archive_write_add_filter_none, gz.bytes, gz.size, 1);
	struct packed zip =
		pack(archive_write_set_format_zip, archive_write_add_filter_none, gz.bytes, gz.size, 1);
	struct packed twice =
		pack(archive_write_set_format_raw, archive_write_add_filter_gzip, gz.bytes, gz.size, 1);

	(void)state;
	expect_whole(twice.bytes, twice.size, NULL);
	memory_free(twice.bytes);
	expect_whole(tar.bytes, tar.size, NULL);
	expect_whole(zip.bytes, zip.size, "0.trace");
	memory_free(zip.bytes);
	memory_free(tar.bytes);
	memory_free(gz.bytes);
	memory_free(text);
}

static void test_members(void **state)
{
	struct trace_options options = { .format = NULL }, second = { .member = "1.trace" },
			     none = { .member = "2" };
	static const char text[] = "1 0 8 8 0\n";
	struct packed tar = pack(archive_write_set_format_ustar, archive_write_add_filter_gzip, text, 10, 2);
	struct packed zip = pack(archive_write_set_format_zip, archive_write_add_filter_none, text, 10, 2);
	struct fault fault = { "" };
	struct trace *t;

	(void)state;
	expect_fault(tar.bytes, tar.size, &options,
		"t: holds several files (\"folder/1.trace\" is the second); choose one with --member");
	expect_fault(zip.bytes, zip.size, &options,
		"t: holds several files (\"folder/1.trace\" is the second); choose one with --member");
	expect_fault(tar.bytes, tar.size, &none, "t: holds no such file: 2");
	t = trace_open_memory("t", tar.bytes, tar.size, &second, &fault);
	assert_string_equal(fault.text, "");
	assert_int_equal(drain(t, &fault), 1);
	trace_close(t);
	memory_free(tar.bytes);
	memory_free(zip.bytes);
}

static void test_empty_archive(void **state)
{
	struct trace_options options = { .format = NULL };
	struct packed tar = pack(archive_write_set_format_ustar, archive_write_add_filter_none, "", 0, 1);

	(void)state;
	expect_fault(tar.bytes, tar.size, &options, "t: is empty; a trace has at least one request");
	memory_free(tar.bytes);
}

/* --- order --- */

static int by_time_and_line(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Records whose times are up to `reach` records later than their place, and the order they belong in. */
static struct record *shuffled(uint64_t from_seed, size_t n, size_t reach, struct record **sorted)
{
	struct record *records = memory_array(n, sizeof *records, "test");
	struct random random;

	random_init(&random, from_seed, reach);
	for (size_t i = 0; i < n; i++)
		records[i] = (struct record){ .time = i * 10 + random_below(&random, reach * 10 + 1),
			.line = i + 1 };
	*sorted = memory_array(n, sizeof *records, "test");
	memcpy(*sorted, records, n * sizeof *records);
	qsort(*sorted, n, sizeof *records, by_time_and_line);
	return records;
}

static void expect_sorted(uint64_t from_seed, size_t n, size_t reach, size_t size)
{
	struct record *sorted, *records = shuffled(from_seed, n, reach, &sorted);
	struct window *w = window_create(size, size, size);
	struct record got;
	size_t in = 0;

	for (size_t out = 0; out < n; out++) {
		for (; in < n && !window_full(w); in++) {
			*window_slot(w) = records[in];
			assert_true(window_push(w));
		}
		assert_true(window_pop(w, &got));
		assert_int_equal(got.line, sorted[out].line);
		assert_int_equal(window_last(w), sorted[out].time);
	}
	assert_false(window_pop(w, &got));
	assert_int_equal(window_late(w) > 0, reach > 0);
	window_free(w);
	memory_free(records);
	memory_free(sorted);
}

static void test_window_sorts(void **state)
{
	uint64_t from = seed();

	(void)state;
	expect_sorted(from, 5000, 0, 16);
	expect_sorted(from, 5000, 10, 16);
	expect_sorted(from, 50000, 1000, 4096);
	expect_sorted(from, 50000, 1000, SIZE_MAX);
	expect_sorted(from, 1000, 1000000, SIZE_MAX);
}

/* Puts in records of these times until the window is full; returns how many it took. */
static size_t fill(struct window *w, tick_t from)
{
	size_t n = 0;

	for (; !window_full(w); n++) {
		*window_slot(w) = (struct record){ .time = from + n, .line = from + n };
		assert_true(window_push(w));
	}
	return n;
}

static void test_window_widens(void **state)
{
	struct window *w = window_create(16, 64, 1000);

	(void)state;
	assert_int_equal(fill(w, 1000), 16);
	*window_slot(w) = (struct record){ .time = 1014, .line = 1 };
	assert_true(window_push(w));
	assert_int_equal(fill(w, 2000), 64 - 17);
	/* late by 16, a quarter: still no reason to widen */
	*window_slot(w) = (struct record){ .time = 2000 + 47 - 17, .line = 2 };
	assert_true(window_push(w));
	assert_true(window_full(w));
	/* late by more */
	*window_slot(w) = (struct record){ .time = 2000 + 47 - 18, .line = 3 };
	assert_true(window_push(w));
	assert_int_equal(fill(w, 3000), 256 - 66);
	*window_slot(w) = (struct record){ .time = 1000, .line = 4 };
	assert_true(window_push(w));
	assert_int_equal(fill(w, 4000), 1000 - 257);
	window_free(w);
}

static void test_too_late(void **state)
{
	struct trace_options window = { .format = NULL }, fully = { .sort_fully = true };
	size_t n = 20000, size = 0;
	char *text = memory_array(n + 1, 24, "test");
	struct trace *t;
	struct fault fault = { "" };

	(void)state;
	for (size_t i = 0; i < n; i++)
		size += (size_t)sprintf(text + size, "%zu 0 8 8 0\n", 1000 + i);
	sprintf(text + size, "5 0 8 8 0\n");
	t = open_text(text, &window);
	drain(t, &fault);
	assert_string_equal(fault.text,
		"t:20001: its time lies before that of a request which is gone already; "
		"read the trace with --sort (trace.sort_fully = true)");
	trace_close(t);
	fault.text[0] = '\0';
	t = open_text(text, &fully);
	assert_int_equal(drain(t, &fault), n + 1);
	assert_int_equal(trace_counts(t).reordered, 1);
	trace_close(t);
	memory_free(text);
}

static void test_first_arrival_is_the_origin(void **state)
{
	struct trace_options options = { .format = NULL };
	struct trace *t = open_text("500 0 1 8 0\n400 0 2 8 0\n500 0 3 8 0\n450 0 4 8 0\n", &options);
	static const struct {
		tick_t arrival;
		uint64_t line;
	} wanted[] = { { 0, 2 }, { 50, 4 }, { 100, 1 }, { 100, 3 } };
	struct fault fault = { "" };
	struct request r;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.arrival, wanted[i].arrival);
		assert_int_equal(r.line, wanted[i].line);
	}
	assert_int_equal(trace_next(t, &r, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).reordered, 2);
	trace_close(t);
}

/* --- devices --- */

#define DEVICES_TEXT "0 7 100 8 0\n1 2 0 16 1\n2 7 5000 8 0\n3 9 1 1 1\n"

static void expect_starts(
	const struct trace_options *options, const sector_t *start, size_t n, uint64_t dropped)
{
	struct trace *t = open_text(DEVICES_TEXT, options);
	struct fault fault = { "" };
	struct request r;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.start, start[i]);
	}
	assert_int_equal(trace_next(t, &r, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).devices, 3);
	assert_int_equal(trace_counts(t).dropped, dropped);
	trace_close(t);
}

/* The order and the times of the file, lines as SSDsim takes them, and whether the last one ends with a
 * newline. */
static void test_as_written(void **state)
{
	static const struct {
		tick_t time;
		bool ended;
	} expected[] = { { 900, true }, { 500, true }, { 700, false } };
	struct trace_options options = { .format = "ssdsim", .as_written = "ssdsim" };
	struct trace *t = open_text("900 0 8 8 1\n\n500 0 8 8 0 more\n \n+700 0 0 8 1", &options);
	struct fault fault = { "" };
	struct request r;

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.arrival, expected[i].time);
		assert_int_equal(r.line, 2 * i + 1);
		assert_int_equal(trace_line_ended(t), expected[i].ended);
	}
	assert_int_equal(trace_next(t, &r, &fault), TRACE_END);
	assert_int_equal(trace_counts(t).blank, 1);
	assert_int_equal(trace_counts(t).skipped, 1);
	trace_close(t);
}

/* Devices 2, 7 and 9 reach to sectors 16, 5008 and 2: 1, 3 and 1 MiB (of 2048 sectors) when rounded up. */
static void test_devices(void **state)
{
	struct trace_options own = { .format = NULL }, all = { .devices = "all" }, seven = { .devices = "7" };
	struct trace_options none = { .devices = "8" };
	static const char absurd[] = "0 0 140737488355000 8 0\n0 1 140737488355000 8 0\n";

	(void)state;
	expect_starts(&own, (sector_t[]){ 100, 0, 5000, 1 }, 4, 0);
	expect_starts(&all, (sector_t[]){ 2048 + 100, 0, 2048 + 5000, 2048 + 3 * 2048 + 1 }, 4, 0);
	expect_starts(&seven, (sector_t[]){ 100, 5000 }, 2, 2);
	expect_fault(DEVICES_TEXT, strlen(DEVICES_TEXT), &none, "t: has no request of device \"8\"");
	expect_fault(absurd, sizeof absurd - 1, &all,
		"t: the address spaces of its devices do not fit together into 2^63 bytes; "
		"choose one with --devices");
}

static void test_named_devices(void **state)
{
	static const char text[] = "1,usr,0,Read,0,512,0\n2,web,1,Read,512,512,0\n3,usr,1,Read,1024,512,0\n"
				   "4,web,1,Read,1536,512,0\n";
	struct trace_options own = { .format = NULL }, web = { .devices = "web,1" };
	static const uint32_t device[] = { 0, 1, 2, 1 };
	struct trace *t = open_text(text, &own);
	struct fault fault = { "" };
	struct request r;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.device, device[i]);
	}
	trace_close(t);
	t = open_text(text, &web);
	assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
	assert_int_equal(r.line, 2);
	assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
	assert_int_equal(r.line, 4);
	assert_int_equal(trace_next(t, &r, &fault), TRACE_END);
	trace_close(t);
}

/* In whatever order they come, "disk2" lies before "disk10". */
static void test_order_of_names(void **state)
{
	static const struct {
		const char *host;
		unsigned place;
	} devices[] = { { "disk10", 5 }, { "b", 3 }, { "disk2", 4 }, { "", 0 }, { "a", 1 }, { "a0", 2 },
		{ "disk10a", 7 }, { "disk010", 6 } };
	struct trace_options all = { .format = "fio", .devices = "all" };
	char text[1024] = "fio version 3 iolog\n";
	struct fault fault = { "" };
	struct request r;
	struct trace *t;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		sprintf(text + strlen(text), "%u /%s read 0 512\n", i, devices[i].host);
	t = open_text(text, &all);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.start, devices[i].place * 2048);
	}
	trace_close(t);
}

static void test_many_devices(void **state)
{
	size_t n = 3000, size = 0;
	char *text = memory_array(n, 32, "test");
	struct trace_options all = { .devices = "all" };
	struct fault fault = { "" };
	struct request r;
	struct trace *t;

	(void)state;
	for (size_t i = 0; i < n; i++)
		size += (size_t)sprintf(text + size, "%zu %zu 0 8 0\n", i, (i * 7919) % n);
	t = open_text(text, &all);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.start, (i * 7919) % n * 2048);
	}
	assert_int_equal(trace_counts(t).devices, n);
	trace_close(t);
	memory_free(text);
}

/* --- sectors and units --- */

static void test_partial_sectors(void **state)
{
	struct trace_options options = { .format = NULL };
	struct trace *t = open_text(
		"0,R,0,512,1\n0,R,100,512,2\n0,R,512,1,3\n0,R,511,2,4\n0,R,1023,1025,5\n", &options);
	static const struct {
		sector_t start;
		uint32_t sectors;
	} wanted[] = { { 0, 1 }, { 0, 2 }, { 1, 1 }, { 0, 2 }, { 1, 3 } };
	struct fault fault = { "" };
	struct request r;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.start, wanted[i].start);
		assert_int_equal(r.sectors, wanted[i].sectors);
	}
	assert_int_equal(trace_counts(t).unaligned, 4);
	trace_close(t);
}

static void test_rounded_addresses(void **state)
{
	struct trace_options options = { .format = NULL };
	struct trace *t = open_text("1\tRead\t1.82083E+11\t4096\n2\tRead\t512\t4096\n", &options);
	struct fault fault = { "" };

	(void)state;
	assert_int_equal(drain(t, &fault), 2);
	assert_int_equal(trace_counts(t).rounded, 1);
	trace_close(t);
}

static void test_time_units(void **state)
{
	static const struct {
		const char *unit;
		tick_t ns;
	} cases[] = { { NULL, 1 }, { "auto", 1 }, { "ns", 1 }, { "100ns", 100 }, { "us", 1000 },
		{ "ms", 1000000 }, { "s", 1000000000 } };
	struct fault fault = { "" };
	struct request r;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trace_options options = { .time_unit = cases[i].unit };
		struct trace *t = open_text("10 0 8 8 0\n17 0 8 8 0\n", &options);

		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(trace_next(t, &r, &fault), TRACE_OK);
		assert_int_equal(r.arrival, 7 * cases[i].ns);
		trace_close(t);
	}
}

static void keep_warning(void *context, const char *text)
{
	snprintf(context, 512, "%s", text);
}

/* `n` requests, each `gap` after the one before, read in a unit, give this warning. */
static void expect_warning(size_t n, uint64_t gap, const char *unit, const char *wanted)
{
	char *text = memory_array(n, 48, "test"), warning[512] = "";
	struct trace_options options = {
		.format = "ssdsim", .time_unit = unit, .warn = keep_warning, .warn_context = warning
	};
	struct fault fault = { "" };
	size_t size = 0;
	struct trace *t;

	for (size_t i = 0; i < n; i++)
		size += (size_t)sprintf(text + size, "%llu 0 8 8 0\n", (unsigned long long)(i * gap));
	t = open_text(text, &options);
	assert_int_equal(drain(t, &fault), n);
	assert_string_equal(warning, wanted);
	trace_close(t);
	memory_free(text);
}

static void test_implausible_rates(void **state)
{
	(void)state;
	/* 1,000 requests/s: whatever unit makes it so */
	expect_warning(1001, 1000000, NULL, "");
	expect_warning(1001, 1000, "us", "");
	/* microseconds read as nanoseconds */
	expect_warning(1001, 1000, NULL,
		"t: 1e+06 requests/s on average are hard to believe; if the times are in us, "
		"set --time-unit us (trace.time_unit = \"us\")");
	/* nanoseconds read as seconds: one request in 11 days */
	expect_warning(1001, 1000000, "s",
		"t: 1e-06 requests/s on average are hard to believe; if the times are in ms, "
		"set --time-unit ms (trace.time_unit = \"ms\")");
	/* too few to judge */
	expect_warning(50, 1, NULL, "");
}

/* Reading the text gives this warning. */
static void expect_warning_of(const char *text, const char *devices, const char *wanted)
{
	char warning[512] = "";
	struct trace_options options = { .devices = devices, .warn = keep_warning, .warn_context = warning };
	struct fault fault = { "" };
	struct trace *t = open_text(text, &options);

	drain(t, &fault);
	assert_string_equal(warning, wanted);
	trace_close(t);
}

static void test_warnings(void **state)
{
	static const char several[] =
		"t: has several devices, whose addresses overlap; lay them out one after another "
		"with --devices all (trace.devices = \"all\") or choose one";

	(void)state;
	expect_warning_of(DEVICES_TEXT, "own", several);
	expect_warning_of(DEVICES_TEXT, "", several);
	expect_warning_of(DEVICES_TEXT, "all", "");
	expect_warning_of(DEVICES_TEXT, "7", "");
	expect_warning_of("1 0 8 8 0\n2 0 16 8 0\n", "", "");
	expect_warning_of("1\tRead\t1.82083E+11\t4096\n2\tRead\t512\t4096\n", "",
		"t: 1 addresses have lost their last digits (1.2E+11), and so their alignment");
}

/* Two traces that are read at once are independent. */
static void test_two_at_once(void **state)
{
	struct trace_options options = { .format = NULL };
	struct trace *a = open_text("1 0 8 8 0\n2 0 8 8 0\n", &options);
	struct trace *b = open_text("0,303567,3584,w,0.5\n3,1,512,r,0.75\n", &options);
	struct fault fault = { "" };
	struct request r;

	(void)state;
	assert_int_equal(trace_next(a, &r, &fault), TRACE_OK);
	assert_int_equal(r.start, 8);
	assert_int_equal(trace_next(b, &r, &fault), TRACE_OK);
	assert_int_equal(r.start, 303567);
	assert_int_equal(trace_next(a, &r, &fault), TRACE_OK);
	assert_int_equal(r.arrival, 1);
	assert_int_equal(trace_next(b, &r, &fault), TRACE_OK);
	assert_int_equal(r.arrival, 250000000);
	trace_close(b);
	assert_int_equal(trace_next(a, &r, &fault), TRACE_END);
	trace_close(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detection),
		cmocka_unit_test(test_absurd_first_line),
		cmocka_unit_test(test_two_formats_fit),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_bad_line_behind_good_ones),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_gzip_check),
		cmocka_unit_test(test_chance_head),
		cmocka_unit_test(test_members_of_gzip),
		cmocka_unit_test(test_damaged_members),
		cmocka_unit_test(test_padded_gzip),
		cmocka_unit_test(test_empty_packed),
		cmocka_unit_test(test_archived),
		cmocka_unit_test(test_damaged_archive),
		cmocka_unit_test(test_compressed_in_archive),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_empty_archive),
		cmocka_unit_test(test_window_sorts),
		cmocka_unit_test(test_window_widens),
		cmocka_unit_test(test_too_late),
		cmocka_unit_test(test_first_arrival_is_the_origin),
		cmocka_unit_test(test_as_written),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_named_devices),
		cmocka_unit_test(test_order_of_names),
		cmocka_unit_test(test_many_devices),
		cmocka_unit_test(test_partial_sectors),
		cmocka_unit_test(test_rounded_addresses),
		cmocka_unit_test(test_time_units),
		cmocka_unit_test(test_implausible_rates),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_two_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
