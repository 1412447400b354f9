/*
 * Fuzz entry for traces: the containers, the detector, every reader, the sorting, and the statistics.
 * Whatever the bytes are, reading must end with requests - in order of time unless the order of the file was
 * asked for - or with a fault of exactly one line.
 *
 * Build with clang -fsanitize=fuzzer,address,undefined and every source of traces/, parameters/, stats/ and
 * base/, run as `fuzz_trace NEW_CORPUS tests/fuzz/corpus/trace`. tests/test_trace_fuzz.c includes this file
 * and replays the corpus without a fuzzer.
 */
#include "stats/report.h"
#include "traces/format.h"
#include "traces/stat.h"
#include "traces/trace.h"

#include <string.h>

#define BYTES_MEASURED (64u << 20) /* the statistics of longer requests take time and show nothing new */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_fault(const struct fault *fault)
{
	BUG_ON(!fault->text[0], "a fault without a word");
	BUG_ON(strchr(fault->text, '\n') != NULL, "a fault of several lines: %s", fault->text);
}

static void check_record(const struct record *r, tick_t last)
{
	struct request request = record_request(r);

	BUG_ON(r->time < last, "time goes back");
	BUG_ON(!r->bytes || !request.sectors, "an empty request");
	BUG_ON(request.start * SECTOR_BYTES > r->offset, "a request begins too late");
	BUG_ON((request.start + request.sectors) * SECTOR_BYTES < r->offset + r->bytes,
		"a request ends too early");
	BUG_ON(r->type >= REQUEST_TYPES, "an unknown type");
}

static void read_all(struct trace *t, struct trace_stat *stat, bool ordered)
{
	struct fault fault = { "" };
	enum trace_status status;
	struct record r;
	tick_t last = 0;

	while ((status = trace_next_record(t, &r, &fault)) == TRACE_OK) {
		check_record(&r, last);
		last = ordered ? r.time : 0;
		if (stat && r.bytes <= BYTES_MEASURED)
			trace_stat_add(stat, &r);
	}
	if (status == TRACE_BAD)
		check_fault(&fault);
}

/* NULL if it cannot be opened. */
static struct trace *open_bytes(const uint8_t *data, size_t bytes, const struct trace_options *options)
{
	struct fault fault = { "" };
	struct trace *t = trace_open_memory("fuzz", data, bytes, options, &fault);

	if (!t)
		check_fault(&fault);
	else
		BUG_ON(!trace_format_named(trace_format(t)), "an unknown format was found");
	return t;
}

static void read_as_it_is(const uint8_t *data, size_t bytes)
{
	struct trace_options options = { .format = NULL };
	struct trace *t = open_bytes(data, bytes, &options);
	struct trace_stat *stat;
	struct report *report;

	if (!t)
		return;
	stat = trace_stat_create(2048);
	report = report_create();
	read_all(t, stat, true);
	trace_stat_report(stat, report);
	report_free(report);
	trace_stat_free(stat);
	trace_close(t);
}

static void read_as(const uint8_t *data, size_t bytes, const struct trace_options *options)
{
	struct trace *t = open_bytes(data, bytes, options);

	if (t)
		read_all(t, NULL, !options->as_written);
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct trace_options laid_out = { .devices = "all", .sort_fully = true };
	struct trace_options named = { .format = NULL };
	struct trace_options as_written = { .format = "ssdsim", .as_written = "ssdsim" };
	size_t formats = 0;

	while (trace_formats[formats].name)
		formats++;
	named.format = trace_formats[bytes % formats].name;
	read_as_it_is(data, bytes);
	read_as(data, bytes, &laid_out);
	read_as(data, bytes, &named);
	read_as(data, bytes, &as_written);
	return 0;
}
