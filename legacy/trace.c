#include "legacy/trace.h"

#include "base/memory.h"
#include "traces/trace.h"

#include <limits.h>
#include <string.h>

#define BLOCK_LINES 16384u

/* What was read, and what had been passed over by then. */
struct read_line {
	struct legacy_line line;
	enum legacy_line_status status; /* only the last line of a trace is not LINE_OK */
	uint64_t number, trims, blank;
};

struct legacy_block {
	struct read_line line[BLOCK_LINES];
	uint64_t trims;     /* at its end */
	bool last;          /* the trace ends in it */
	struct fault fault; /* of a bad line */
};

/* ---- beside ---- */

static enum legacy_line_status refuse_place(
	const struct legacy_trace *t, const struct request *r, struct fault *fault)
{
	fault_set(fault, "%s:%llu: sector and size must be below 2^31; with %llu and %u SSDsim gives up, too",
		t->path, (unsigned long long)r->line, (unsigned long long)r->start, r->sectors);
	return LINE_BAD;
}

static enum legacy_line_status read_line(
	const struct legacy_trace *t, struct read_line *l, uint64_t *trims, struct fault *fault)
{
	struct record record;
	struct request r;
	enum trace_status status;

	while ((status = trace_next_record(t->trace, &record, fault)) == TRACE_OK &&
		record.type == REQUEST_TRIM)
		++*trims;
	l->trims = *trims;
	l->blank = t->as_written ? trace_counts(t->trace).blank + trace_counts(t->trace).skipped : 0;
	if (status != TRACE_OK)
		return status == TRACE_END ? LINE_END : LINE_BAD;
	r = record_request(&record);
	if (r.start > INT32_MAX || r.sectors > INT32_MAX)
		return refuse_place(t, &r, fault);
	l->line = (struct legacy_line){ r.arrival < INT64_MAX ? (int64_t)r.arrival : INT64_MAX,
		(uint32_t)r.start, r.sectors, r.type == REQUEST_READ,
		!t->as_written || trace_line_ended(t->trace) };
	l->number = r.line;
	return LINE_OK;
}

/* The block that is not taken from, after the other. */
static void read_block(void *trace)
{
	const struct legacy_trace *t = trace;
	struct legacy_block *b = &t->block[!t->taken];
	struct read_line *l = b->line;

	b->trims = t->block[t->taken].trims;
	do
		l->status = read_line(t, l, &b->trims, &b->fault);
	while (l->status == LINE_OK && ++l < b->line + BLOCK_LINES);
	b->last = l < b->line + BLOCK_LINES;
}

/* ---- in front ---- */

/* The first block is read, into the second of the two. */
static void begin(struct legacy_trace *t)
{
	t->line = t->disordered = t->trims = t->blank = 0;
	t->last_time = 0;
	t->at = BLOCK_LINES;
	t->taken = 0;
	t->block[0].trims = 0;
	beside_start(&t->reading, read_block, t);
}

static void next_block(struct legacy_trace *t)
{
	beside_end(&t->reading);
	t->taken = !t->taken;
	t->at = 0;
	if (!t->block[t->taken].last)
		beside_start(&t->reading, read_block, t);
}

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
	t->block = memory_array(2, sizeof *t->block, "lines of the trace");
	begin(t);
	return true;
}

void legacy_trace_close(struct legacy_trace *t)
{
	beside_free(&t->reading);
	memory_free(t->block);
	trace_close(t->trace);
}

bool legacy_trace_rewind(struct legacy_trace *t, struct fault *fault)
{
	beside_end(&t->reading);
	if (!trace_rewind(t->trace, fault))
		return false;
	begin(t);
	return true;
}

enum legacy_line_status legacy_trace_next(
	struct legacy_trace *t, struct legacy_line *line, struct fault *fault)
{
	const struct read_line *l;

	if (t->at == BLOCK_LINES)
		next_block(t);
	l = &t->block[t->taken].line[t->at];
	t->trims = l->trims;
	t->blank = l->blank;
	if (l->status == LINE_BAD)
		*fault = t->block[t->taken].fault;
	if (l->status != LINE_OK)
		return l->status;
	*line = l->line;
	t->at++;
	t->line = l->number;
	t->disordered += line->time < t->last_time;
	t->last_time = line->time;
	return LINE_OK;
}
