/* `ssd trace` stat, convert and generate. */
#include "cli/cli.h"
#include "stats/output.h"
#include "stats/report.h"
#include "stats/table.h"
#include "traces/format.h"
#include "traces/generate.h"
#include "traces/stat.h"
#include "traces/stat_plot.h"
#include "traces/writer.h"

#include <inttypes.h>
#include <string.h>

static bool trace_writes_csv(const struct options *o)
{
	return o->to && !strcmp(o->to, "csv");
}

static struct trace *trace_open_given(const struct options *o, const char *path, struct fault *fault)
{
	struct trace_options options = o->trace;
	struct trace *trace;

	options.warn = cli_warn;
	options.commands = true;
	options.again = trace_writes_csv(o);
	trace = trace_open(path, &options, fault);
	if (trace && !options.format && !options.list)
		cli_note("%s: format %s", path, trace_format(trace));
	return trace;
}

static void trace_progress(struct progress *p, uint64_t requests, const struct trace *trace)
{
	uint64_t total = trace_bytes_total(trace);

	if (progress_due(p))
		progress_show(p, requests, total ? (double)trace_bytes_read(trace) / (double)total : 0, NULL);
}

/* The file becomes whole, or it is removed. */
static bool trace_close_output(struct output *out, bool done, struct fault *fault)
{
	if (done)
		return output_commit(out, fault);
	output_abandon(out);
	return false;
}

/* ---- stat ---- */

/* The next request, after `n` have been read; none beyond --limit. */
static enum trace_status trace_next_of(
	struct trace *trace, const struct options *o, uint64_t n, struct record *r, struct fault *fault)
{
	return o->limit && n == o->limit ? TRACE_END : trace_next_record(trace, r, fault);
}

/* What is counted of a trace: its requests, and commands other than FLUSH. */
struct measured {
	struct trace_stat *stat;
	uint64_t commands;
};

/* The next one with sectors.  FLUSHes on the way are counted; other commands count as events that the format
 * leaves out. */
static enum trace_status trace_next_with_sectors(struct trace *trace, const struct options *o, uint64_t n,
	struct record *r, struct measured *m, struct fault *fault)
{
	enum trace_status status;

	while ((status = trace_next_of(trace, o, n, r, fault)) == TRACE_OK && !request_has_sectors(r->type))
		if (r->type == REQUEST_FLUSH)
			trace_stat_add_flush(m->stat);
		else
			m->commands++;
	return status;
}

static bool trace_measure(
	struct trace *trace, const struct options *o, struct measured *m, struct fault *fault)
{
	struct record record, next;
	enum trace_status status = trace_next_with_sectors(trace, o, 0, &next, m, fault);
	struct progress progress;
	uint64_t n = 0;

	progress_start(&progress, false);
	while (status == TRACE_OK) {
		record = next;
		status = trace_next_with_sectors(trace, o, ++n, &next, m, fault);
		if (status == TRACE_OK)
			trace_stat_expect(m->stat, &next);
		trace_stat_add(m->stat, &record);
		trace_progress(&progress, n, trace);
	}
	progress_end(&progress);
	return status == TRACE_END;
}

/* Facts from reading the file, reported before the statistics. */
struct reading {
	const char *file, *format;
	struct trace_counts count;
};

#define READ(field) offsetof(struct reading, field)

static const struct stat_row reading_rows[] = {
	{ "trace.file", "", "as given", STAT_TEXT, READ(file) },
	{ "trace.format", "", "of the file", STAT_TEXT, READ(format) },
	{ "trace.skipped_lines", "lines", "headings and comments", STAT_COUNT, READ(count.skipped) },
	{ "trace.dropped_events", "events", "that are not requests, or of devices not chosen", STAT_COUNT,
		READ(count.dropped) },
	{ "trace.reordered", "requests", "out of order in the file; they were sorted by time", STAT_COUNT,
		READ(count.reordered) },
	{ "trace.partial_sectors", "requests", "that do not cover whole sectors", STAT_COUNT,
		READ(count.unaligned) },
	{ "trace.rounded_addresses", "requests", "whose address has lost its last digits (1.2E+11)",
		STAT_COUNT, READ(count.rounded) },
	{ 0 },
};

static struct report *trace_describe(
	const char *path, const struct trace *trace, struct trace_stat *stat, uint64_t commands)
{
	struct reading reading = { path, trace_format(trace), trace_counts(trace) };
	struct stat_group group = { .title = "trace", .rows = reading_rows, .values = &reading };
	struct stat_list list = { .group = &group, .groups = 1 };
	struct report *report = report_create();

	reading.count.dropped += commands;
	stat_list_report(&list, report);
	trace_stat_report(stat, report);
	return report;
}

/* NULL and a fault: the trace cannot be read to its end. */
static struct report *trace_stat_one(const struct options *o, const char *path, struct fault *fault)
{
	struct trace *trace = trace_open_given(o, path, fault);
	struct measured m = { 0 };
	struct report *report = NULL;

	if (!trace)
		return NULL;
	m.stat = trace_stat_create(o->reuse_page ? o->reuse_page : 2048);
	if (trace_measure(trace, o, &m, fault) && (!o->plot || trace_stat_plot(m.stat, path, o->plot, fault)))
		report = trace_describe(path, trace, m.stat, m.commands);
	trace_stat_free(m.stat);
	trace_close(trace);
	return report;
}

/* Prints each when it is read; several make an array in `json`, which may be NULL. */
static bool trace_stat_all(const struct options *o, FILE *json, struct fault *fault)
{
	size_t n = o->operand.count;

	if (json && n > 1)
		fputs("[\n", json);
	for (size_t i = 0; i < n; i++) {
		struct report *report = trace_stat_one(o, o->operand.text[i], fault);

		if (!report)
			return false;
		if (i)
			putchar('\n');
		report_write_text(report, stdout);
		if (json && i)
			fputs(",\n", json);
		if (json)
			report_write_json(report, json);
		report_free(report);
	}
	if (json && n > 1)
		fputs("]\n", json);
	return true;
}

int cli_trace_stat(const struct options *o, struct fault *fault)
{
	struct output json = { .stream = NULL };

	if (o->reuse_page & (o->reuse_page - 1))
		return cli_status(fault_set(fault,
			"trace stat: --reuse-page %" PRIu64
			" is not a power of two; 512, 1024, 2048 ... 65536 are",
			o->reuse_page));

	if (o->plot && o->operand.count > 1)
		return cli_status(fault_set(
			fault, "trace stat: --plot draws one trace, %zu are given", o->operand.count));
	for (size_t i = 0; i < o->operand.count; i++)
		if (!cli_distinct((struct named[]){ { "the trace", o->operand.text[i], false },
					  { "--json", o->json, true }, { "--plot", o->plot, true } },
			    3, fault))
			return STATUS_USER;
	if (!o->json && !o->plot)
		cli_listing();
	if (!o->json)
		return cli_status(trace_stat_all(o, NULL, fault));
	return cli_status(output_open(&json, o->json, fault) &&
			  trace_close_output(&json, trace_stat_all(o, json.stream, fault), fault));
}

/* ---- convert and generate ---- */

/* With --devices all the result has one device. */
static bool trace_convert(
	struct trace *trace, const struct options *o, struct trace_writer *writer, struct fault *fault)
{
	bool one_space = o->trace.devices && !strcmp(o->trace.devices, "all");
	struct record record;
	struct progress progress;
	enum trace_status status;
	uint64_t n = 0;
	bool written = true;

	progress_start(&progress, false);
	while (written && (status = trace_next_of(trace, o, n, &record, fault)) == TRACE_OK) {
		struct request request = record_request(&record);

		if (one_space)
			request.device = 0;
		written = trace_writer_put(writer, &request, fault);
		trace_progress(&progress, ++n, trace);
	}
	progress_end(&progress);
	return written && status == TRACE_END;
}

static bool trace_generate(struct generator *generator, const struct options *o, struct trace_writer *writer,
	struct fault *fault)
{
	struct request request;
	uint64_t writes = 0;

	while (generator_next(generator, &request)) {
		if (!trace_writer_put(writer, &request, fault))
			return false;
		writes += request.type == REQUEST_WRITE;
		if (!o->flush_every || writes < o->flush_every)
			continue;
		writes = 0;
		request = (struct request){ .arrival = request.arrival,
			.line = request.line,
			.device = request.device,
			.type = REQUEST_FLUSH };
		if (!trace_writer_put(writer, &request, fault))
			return false;
	}
	return true;
}

/* Does any request have a hint or FUA, for which csv has further columns? */
static bool trace_has_more(struct trace *trace, const struct options *o, bool *more, struct fault *fault)
{
	enum trace_status status = TRACE_OK;
	struct record r;

	*more = false;
	for (uint64_t n = 0; !*more && (status = trace_next_of(trace, o, n, &r, fault)) == TRACE_OK; n++)
		*more = request_has_sectors(r.type) &&
			(r.hint || (r.type == REQUEST_WRITE && r.flags & REQUEST_FUA));
	return status != TRACE_BAD && trace_rewind(trace, fault);
}

static bool trace_begin_writing(const struct options *o, struct trace *trace, struct trace_writer *writer,
	FILE *out, struct fault *fault)
{
	const char *to = o->to ? o->to : "ssdsim";
	bool more = false;

	if (trace && trace_writes_csv(o) && !trace_has_more(trace, o, &more, fault)) {
		*writer = (struct trace_writer){ .out = out };
		return false;
	}
	return (more ? trace_writer_begin_wide : trace_writer_begin)(writer, to, out, fault);
}

static void trace_tell_unsaid(const struct trace_writer *w)
{
	const struct {
		uint64_t n;
		const char *what;
	} unsaid[] = { { w->flushes, "FLUSHes were left out" }, { w->fua, "writes have lost their FUA" },
		{ w->appends, "appends became writes" }, { w->hints, "hints were left out" },
		{ w->commands, "other commands were left out" } };

	for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++)
		if (unsaid[i].n)
			cli_note("%" PRIu64 " %s: format %s cannot say them", unsaid[i].n, unsaid[i].what,
				w->format->name);
}

static void trace_tell_losses(const struct trace *trace, const struct trace_writer *writer)
{
	if (writer->rounded)
		cli_note("%" PRIu64
			 " arrival times were rounded down: the format cannot express them exactly",
			writer->rounded);
	if (writer->format->writes_objects)
		cli_note("format %s has no types: all requests are reads in it", writer->format->name);
	trace_tell_unsaid(writer);
	if (trace && trace_counts(trace).unaligned)
		cli_note("%" PRIu64 " requests were widened to whole sectors", trace_counts(trace).unaligned);
}

/* Exactly one of the two sources is given. */
static int trace_write(
	const struct options *o, struct trace *trace, struct generator *generator, struct fault *fault)
{
	const char *path = o->out && strcmp(o->out, "-") ? o->out : "/dev/stdout";
	struct trace_writer writer;
	struct output out;
	bool done;

	if (!output_open(&out, path, fault))
		return STATUS_USER;
	if (!strcmp(path, "/dev/stdout"))
		cli_listing();
	done = trace_begin_writing(o, trace, &writer, out.stream, fault) &&
	       (trace ? trace_convert(trace, o, &writer, fault)
		      : trace_generate(generator, o, &writer, fault));
	if (done)
		trace_writer_finish(&writer);
	trace_writer_end(&writer);
	if (!trace_close_output(&out, done, fault))
		return STATUS_USER;
	trace_tell_losses(trace, &writer);
	return STATUS_DONE;
}

int cli_trace_convert(const struct options *o, struct fault *fault)
{
	struct trace *trace;
	int status;

	if (!o->to)
		return cli_status(fault_set(fault,
			"trace convert: option --to FORMAT is missing; `ssd trace convert --help` lists the "
			"formats"));
	trace = trace_open_given(o, o->operand.text[0], fault);
	status = trace ? trace_write(o, trace, NULL, fault) : STATUS_USER;
	trace_close(trace);
	return status;
}

int cli_trace_generate(const struct options *o, struct fault *fault)
{
	struct generator *generator =
		generator_open(o->operand.text[0], o->setting.text, o->setting.count, fault);
	int status = generator ? trace_write(o, NULL, generator, fault) : STATUS_USER;

	generator_close(generator);
	return status;
}
