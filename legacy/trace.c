#include "legacy/trace.h"

#include "traces/trace.h"

#include <inttypes.h>
#include <string.h>

bool legacy_trace_open(
	struct legacy_trace *t, const char *path, const char *list, uint32_t page_bytes, struct fault *fault)
{
	struct trace_options options = {
		.as_written = "ssdsim", .again = true, .list = list, .page_bytes = page_bytes
	};

	*t = (struct legacy_trace){ .path = path, .trace = trace_open(path, &options, fault) };
	if (!t->trace)
		return false;
	t->as_written = !strcmp(trace_format(t->trace), options.as_written);
	return true;
}

void legacy_trace_close(struct legacy_trace *t)
{
	trace_close(t->trace);
}

bool legacy_trace_rewind(struct legacy_trace *t, struct fault *fault)
{
	t->line = t->disordered = t->trims = t->blank = 0;
	t->last_time = 0;
	return trace_rewind(t->trace, fault);
}

static enum legacy_line_status trace_refuse_place(
	const struct legacy_trace *t, const struct request *r, struct fault *fault)
{
	fault_set(fault,
		"%s:%" PRIu64 ": sector and size must be below 2^31; with %" PRIu64
		" and %u SSDsim gives up, too",
		t->path, r->line, r->start, r->sectors);
	return LINE_BAD;
}

enum legacy_line_status legacy_trace_next(
	struct legacy_trace *t, struct legacy_line *line, struct fault *fault)
{
	enum trace_status status;
	struct record record;
	struct request r;

	while ((status = trace_next_record(t->trace, &record, fault)) == TRACE_OK &&
		record.type == REQUEST_TRIM)
		t->trims++;
	if (t->as_written)
		t->blank = trace_counts(t->trace).blank + trace_counts(t->trace).skipped;
	if (status != TRACE_OK)
		return status == TRACE_END ? LINE_END : LINE_BAD;
	r = record_request(&record);
	if (r.start > INT32_MAX || r.sectors > INT32_MAX)
		return trace_refuse_place(t, &r, fault);
	*line = (struct legacy_line){ r.arrival < INT64_MAX ? (int64_t)r.arrival : INT64_MAX,
		(uint32_t)r.start, r.sectors, r.type == REQUEST_READ,
		!t->as_written || trace_line_ended(t->trace) };
	t->line = r.line;
	t->disordered += line->time < t->last_time;
	t->last_time = line->time;
	return LINE_OK;
}
