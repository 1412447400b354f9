/*
 * How fast traces are read: MB of unpacked text and requests per second, by format and by packing.
 */
#include "base/memory.h"
#include "base/random.h"
#include "tests/bench/bench.h"
#include "traces/trace.h"
#include "traces/writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUESTS    500000u
#define BLOCK_BYTES (256u << 10)
#define REPETITIONS 3

/* --- files to read --- */

typedef unsigned long long number;

static void put_casotxt(FILE *out, const struct request *r)
{
	fprintf(out, "%llu \t%s\t%llu\t%u\n", 128166465299039000 + (number)r->arrival / 100,
		r->type == REQUEST_READ ? "Read" : "Write", (number)r->start * SECTOR_BYTES,
		r->sectors * SECTOR_BYTES);
}

static void put_alibaba(FILE *out, const struct request *r)
{
	fprintf(out, "64,%c,%llu,%u,%llu\n", r->type == REQUEST_READ ? 'R' : 'W',
		(number)r->start * SECTOR_BYTES, r->sectors * SECTOR_BYTES,
		1577808000000000 + (number)r->arrival / 1000);
}

static void put_tencent(FILE *out, const struct request *r)
{
	fprintf(out, "%llu,%llu,%u,%d,1058\n", 1538323200 + (number)r->arrival / 1000000000, (number)r->start,
		r->sectors, r->type == REQUEST_WRITE);
}

static void put_fiu(FILE *out, const struct request *r)
{
	fprintf(out, "%llu 2522 kjournald %llu %u %c 6 0 98b9cb8ff5b6a8b1d9f5e8b1e9f6a3c2\n",
		(number)r->arrival, (number)r->start, r->sectors, r->type == REQUEST_READ ? 'R' : 'W');
}

static void put_blkparse(FILE *out, const struct request *r)
{
	fprintf(out, "  8,0    3 %8llu %5llu.%09llu  697  Q   %c %llu + %u [kjournald]\n", (number)r->line,
		(number)r->arrival / 1000000000, (number)r->arrival % 1000000000,
		r->type == REQUEST_READ ? 'R' : 'W', (number)r->start, r->sectors);
}

static void put_fio2(FILE *out, const struct request *r)
{
	if (r->line == 1)
		fputs("fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n", out);
	fprintf(out, "/dev/sdb wait 100 0\n/dev/sdb %s %llu %u\n", r->type == REQUEST_READ ? "read" : "write",
		(number)r->start * SECTOR_BYTES, r->sectors * SECTOR_BYTES);
}

static void put_ftrace(FILE *out, const struct request *r)
{
	fprintf(out, "  dd-1234  [000] d..3. %llu.%06llu: block_rq_issue: 8,0 %c %u () %llu + %u [dd]\n",
		(number)r->arrival / 1000000000, (number)r->arrival % 1000000000 / 1000,
		r->type == REQUEST_READ ? 'R' : 'W', r->sectors * SECTOR_BYTES, (number)r->start, r->sectors);
}

static void put_biosnoop(FILE *out, const struct request *r)
{
	if (r->line == 1)
		fputs("TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n", out);
	fprintf(out, "%llu.%06llu %-14s %-6d %-7s %c %-10llu %-6u %7.2f\n", (number)r->arrival / 1000000000,
		(number)r->arrival % 1000000000 / 1000, "supervise", 1950, "xvda1",
		r->type == REQUEST_READ ? 'R' : 'W', (number)r->start, r->sectors * SECTOR_BYTES, 0.74);
}

static void put_json(FILE *out, const struct request *r)
{
	fprintf(out, "{\"ts_ns\": %llu, \"op\": \"%s\", \"lba\": %llu, \"sectors\": %u}\n",
		(number)r->arrival, r->type == REQUEST_READ ? "read" : "write", (number)r->start, r->sectors);
}

/* NULL: traces/writer.h writes this format.  The last file is packed, too. */
static const struct plain {
	const char *format;
	void (*put)(FILE *, const struct request *);
} plains[] = {
	{ "disksim", NULL },
	{ "spc", NULL },
	{ "msr", NULL },
	{ "casotxt", put_casotxt },
	{ "systor", NULL },
	{ "alibaba", put_alibaba },
	{ "tencent", put_tencent },
	{ "fiu", put_fiu },
	{ "blkparse", put_blkparse },
	{ "fio", NULL },
	{ "fio2", put_fio2 },
	{ "ftrace", put_ftrace },
	{ "biosnoop", put_biosnoop },
	{ "csv", NULL },
	{ "json", put_json },
	{ "oracleGeneral", NULL },
	{ "ssdsim", NULL },
};

/* 4 to 64 KB anywhere on 1 TB, half of them writes, 10,000 a second. */
static struct request draw(struct random *random, uint64_t i)
{
	return (struct request){
		.arrival = i * 100000 + random_below(random, 100000),
		.start = random_below(random, 1u << 28) * 8,
		.sectors = 8u << random_below(random, 5),
		.line = i + 1,
		.type = random_below(random, 2) ? REQUEST_WRITE : REQUEST_READ,
	};
}

static uint64_t write_plain(const struct plain *plain, const char *path)
{
	FILE *out = fopen(path, "w");
	struct trace_writer writer = { .format = NULL };
	struct random random;
	struct fault fault = { "" };
	long bytes;

	if (!out)
		bench_give_up("a trace cannot be written");
	random_init(&random, 1, 1);
	if (!plain->put && !trace_writer_begin(&writer, plain->format, out, &fault))
		bench_give_up(fault.text);
	for (uint64_t i = 0; i < REQUESTS; i++) {
		struct request r = draw(&random, i);

		if (plain->put)
			plain->put(out, &r);
		else if (!trace_writer_put(&writer, &r, &fault))
			bench_give_up(fault.text);
	}
	if (!plain->put) {
		trace_writer_finish(&writer);
		trace_writer_end(&writer);
	}
	bytes = ftell(out);
	if (fclose(out) || bytes < 0)
		bench_give_up("a trace cannot be written");
	return (uint64_t)bytes;
}

static void pack(const char *from, const char *to, int (*add_filter)(struct archive *))
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	char *block = memory_array(BLOCK_BYTES, 1, "bench");
	int file = open(from, O_RDONLY);
	ssize_t got;

	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_pathname(entry, "trace");
	if (file < 0 || add_filter(archive) != ARCHIVE_OK ||
		archive_write_set_format_raw(archive) != ARCHIVE_OK ||
		archive_write_open_filename(archive, to) != ARCHIVE_OK ||
		archive_write_header(archive, entry) != ARCHIVE_OK)
		bench_give_up("a trace cannot be packed");
	while ((got = read(file, block, BLOCK_BYTES)) > 0)
		if (archive_write_data(archive, block, (size_t)got) != got)
			bench_give_up("a trace cannot be packed");
	close(file);
	archive_entry_free(entry);
	if (archive_write_free(archive) != ARCHIVE_OK)
		bench_give_up("a trace cannot be packed");
	memory_free(block);
}

/* --- reading --- */

/* Seconds of processor time; counts the requests. */
static double read_trace(const char *path, uint64_t *requests)
{
	struct trace_options options = { .format = NULL };
	struct fault fault = { "" };
	struct request request;
	double start = bench_processor_time();
	struct trace *trace = trace_open(path, &options, &fault);
	enum trace_status status = TRACE_BAD;

	*requests = 0;
	while (trace && (status = trace_next(trace, &request, &fault)) == TRACE_OK)
		(*requests)++;
	if (status == TRACE_BAD)
		bench_give_up(fault.text);
	trace_close(trace);
	return bench_processor_time() - start;
}

/* What the floor does with a file: counts its lines and copies its bytes. */
struct content {
	char *copy;
	uint64_t room, bytes, lines;
};

static void take(struct content *content, const char *block, size_t bytes)
{
	const char *at = block, *end = block + bytes;

	for (; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		content->lines++;
	if (bytes > content->room - content->bytes)
		bench_give_up("a trace grew while it was packed");
	memcpy(content->copy + content->bytes, block, bytes);
	content->bytes += bytes;
}

/* The floor of a plain file: `wc -l` and a copy. */
static double read_plainly(const char *path, struct content *content)
{
	char *block = memory_array(BLOCK_BYTES, 1, "bench");
	double start = bench_processor_time();
	int file = open(path, O_RDONLY);
	ssize_t got;

	while ((got = read(file, block, BLOCK_BYTES)) > 0)
		take(content, block, (size_t)got);
	if (got < 0)
		bench_give_up("a trace cannot be read");
	close(file);
	start = bench_processor_time() - start;
	memory_free(block);
	return start;
}

/* The floor of a packed file: the same, behind the library that unpacks it. */
static double read_packed(const char *path, struct content *content)
{
	char *block = memory_array(BLOCK_BYTES, 1, "bench");
	double start = bench_processor_time();
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	la_ssize_t got = -1;

	archive_read_support_filter_all(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open_filename(archive, path, BLOCK_BYTES) == ARCHIVE_OK &&
		archive_read_next_header(archive, &entry) == ARCHIVE_OK)
		while ((got = archive_read_data(archive, block, BLOCK_BYTES)) > 0)
			take(content, block, (size_t)got);
	if (got < 0)
		bench_give_up("a packed trace cannot be read");
	archive_read_free(archive);
	start = bench_processor_time() - start;
	memory_free(block);
	return start;
}

/* --- the table --- */

/* Measures several times and takes the shortest: other programs disturbed it least.  The memory of the copy
 * is touched before the clock starts. */
static void measure(const char *name, const char *path, uint64_t bytes,
	double (*read_floor)(const char *, struct content *))
{
	struct content content = { .copy = memory_array(bytes, 1, "bench"), .room = bytes };
	double best = 0, best_floor = 0, mb = (double)bytes / 1e6;
	uint64_t requests;

	memset(content.copy, 1, bytes);
	for (int i = 0; i < REPETITIONS; i++) {
		double reading = read_trace(path, &requests), floor;

		content.bytes = content.lines = 0;
		floor = read_floor(path, &content);
		best = i && best < reading ? best : reading;
		best_floor = i && best_floor < floor ? best_floor : floor;
	}
	if (requests != REQUESTS || (content.lines < requests && strcmp(name, "oracleGeneral") != 0) ||
		content.bytes != bytes)
		bench_give_up("requests were lost");
	printf("%-14s %8.1f %8.0f %8.0f %6.2f %8.1f\n", name, mb, mb / best, mb / best_floor,
		best / best_floor, (double)requests / 1e6 / best);
	fflush(stdout);
	memory_free(content.copy);
}

static void measure_packings(const char *plain, const char *packed, uint64_t bytes)
{
	static const struct {
		const char *name;
		int (*add)(struct archive *);
	} filters[] = {
		{ "ssdsim, gz", archive_write_add_filter_gzip },
		{ "ssdsim, xz", archive_write_add_filter_xz },
		{ "ssdsim, zst", archive_write_add_filter_zstd },
		{ "ssdsim, bz2", archive_write_add_filter_bzip2 },
		{ "ssdsim, lz4", archive_write_add_filter_lz4 },
	};

	for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
		pack(plain, packed, filters[i].add);
		measure(filters[i].name, packed, bytes, read_packed);
	}
}

static void name_file(char path[32])
{
	int file;

	strcpy(path, "/tmp/ssdlab-bench-XXXXXX");
	file = mkstemp(path);
	if (file < 0 || close(file))
		bench_give_up("no file can be written in /tmp");
}

void bench_reading(void)
{
	char plain[32], packed[32];
	uint64_t bytes = 0;

	name_file(plain);
	name_file(packed);
	printf("# reading traces of %u requests; processor time of one core; MB of unpacked text\n",
		REQUESTS);
	printf("%-14s %8s %8s %8s %6s %8s\n", "# format", "MB", "MB/s", "floor's", "ratio", "million");
	printf("%-14s %8s %8s %8s %6s %8s\n", "#", "", "", "MB/s", "", "req/s");
	for (size_t i = 0; i < sizeof plains / sizeof plains[0]; i++) {
		bytes = write_plain(&plains[i], plain);
		measure(plains[i].format, plain, bytes, read_plainly);
	}
	measure_packings(plain, packed, bytes);
	unlink(plain);
	unlink(packed);
}
