#include "traces/trace.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "traces/detect.h"
#include "traces/devices.h"
#include "traces/format.h"
#include "traces/plausible.h"
#include "traces/source.h"
#include "traces/window.h"

#include <stdlib.h>
#include <string.h>

/* A sorted trace should stay in the processor's cache on its way through the window.  One that is
 * not is often in order of completion, and some responses take many seconds. */
#define WINDOW_SORTED     4096u
#define WINDOW_DISORDERED (1u << 16)
#define WINDOW_MOST       (1u << 20)
/* Times are checked after this number of requests, for an early warning, and at the end. */
#define JUDGED_REQUESTS 10000u
/* Devices that are laid out one after another begin at multiples of this, which keeps every alignment. */
#define DEVICE_ALIGN (1u << 20)

struct trace {
	struct trace_options options;
	char *list; /* options.list with a request on each line; NULL: none */
	struct source *source;
	const struct format *format;
	struct scan scan;
	struct columns columns; /* of the format, or those that the options name */
	struct window *window;
	struct record behind; /* the next one to be returned; line 0: none */
	struct devices *devices;
	struct devices *layout; /* NULL: each device has its own addresses */
	bool only_one;          /* reads only the device that the options name */
	uint64_t only_number;   /* its number; UINT64_MAX: it has a name */
	bool as_written;        /* the format is options.as_written */
	bool ended;             /* everything was read */
	bool finished;          /* everything was returned, in this pass or an earlier one */
	bool warned_times, warned_devices;
	tick_t first;              /* arrival of the first request returned, ns in the file's epoch */
	uint64_t left;             /* requests returned */
	struct trace_counts count; /* of lines not counted elsewhere */
};

static enum trace_status trace_bad_line(struct trace *t, struct fault *fault)
{
	if (!source_sound(t->source, fault))
		return TRACE_BAD;
	fault_set(fault, "%s:%llu: %s; %s %s are: %s", source_name(t->source),
		(unsigned long long)t->scan.line, t->scan.problem, t->format->name,
		t->format->record_bytes ? "records" : "lines", t->format->layout);
	return TRACE_BAD;
}

static enum source_status trace_next_binary(struct trace *t, struct fault *fault)
{
	uint32_t bytes = t->format->record_bytes;
	enum source_status status = source_record(t->source, bytes, &t->scan.at, fault);

	t->scan.line++;
	if (status == SOURCE_OK)
		t->scan.end = t->scan.at + bytes;
	return status;
}

/* The next line that is neither empty nor a comment. */
static enum source_status trace_next_line(struct trace *t, struct fault *fault)
{
	enum source_status status;

	while ((status = source_line(t->source, &t->scan.at, &t->scan.end, fault)) == SOURCE_OK) {
		t->scan.line++;
		if (t->scan.at < t->scan.end && *t->scan.at != '#')
			break;
		t->count.skipped += t->scan.at < t->scan.end;
		t->count.blank += t->scan.at == t->scan.end;
	}
	return status;
}

static bool trace_chooses(const struct trace *t, const struct record *r)
{
	const char *name;

	if (!t->only_one)
		return true;
	name = names_text(t->scan.names, r->device);
	return name ? !strcmp(name, t->options.devices) : r->device == t->only_number;
}

static enum trace_status trace_refuse_devices(struct trace *t, struct fault *fault)
{
	scan_describe(&t->scan, "this is device number %u of the trace, which is absurd", DEVICES_MAX + 1);
	return trace_bad_line(t, fault);
}

static enum parsed trace_parse(struct trace *t, struct record *r)
{
	const char *begin = t->scan.at;
	enum parsed parsed = t->format->parse(&t->scan, r);

	if (parsed != PARSED_BAD || !t->as_written || !t->format->tolerate)
		return parsed;
	t->scan.at = begin;
	return t->format->tolerate(&t->scan, r);
}

/* Reads one request of the chosen devices, in file order. */
static enum trace_status trace_read(struct trace *t, struct record *r, struct fault *fault)
{
	for (;;) {
		enum source_status status =
			t->format->record_bytes ? trace_next_binary(t, fault) : trace_next_line(t, fault);

		if (status != SOURCE_OK)
			return status == SOURCE_END ? TRACE_END : TRACE_BAD;
		r->response = RESPONSE_UNKNOWN;
		r->hint = r->flags = 0;
		r->line = t->scan.line;
		switch (trace_parse(t, r)) {
		case PARSED_RECORD:
			if (!t->as_written && devices_note(t->devices, r) == DEVICES_MAX)
				return trace_refuse_devices(t, fault);
			if (trace_chooses(t, r))
				return TRACE_OK;
			t->count.dropped++;
			break;
		case PARSED_HEADING:
			t->count.skipped++;
			break;
		case PARSED_OTHER:
			t->count.dropped++;
			break;
		case PARSED_BAD:
			return trace_bad_line(t, fault);
		}
	}
}

static enum trace_status trace_refuse_late(struct trace *t, struct fault *fault)
{
	if (!source_sound(t->source, fault))
		return TRACE_BAD;
	fault_set(fault,
		"%s:%llu: its time lies before that of a request which is gone already; "
		"read the trace with --sort (trace.sort_fully = true)",
		source_name(t->source), (unsigned long long)window_slot(t->window)->line);
	return TRACE_BAD;
}

/* Fills the window or reaches the end. */
static enum trace_status trace_fill_window(struct trace *t, struct fault *fault)
{
	while (!t->ended && !window_full(t->window)) {
		enum trace_status status = trace_read(t, window_slot(t->window), fault);

		if (status == TRACE_BAD)
			return status;
		if (status == TRACE_END)
			t->ended = true;
		else if (!window_push(t->window))
			return trace_refuse_late(t, fault);
	}
	return TRACE_OK;
}

static enum trace_status trace_refuse_empty(struct trace *t, struct fault *fault)
{
	if (t->only_one && t->count.dropped)
		fault_set(fault, "%s: has no request of device \"%s\"", source_name(t->source),
			t->options.devices);
	else
		fault_set(fault, "%s: has no request in %s format", source_name(t->source), t->format->name);
	return TRACE_BAD;
}

static void trace_warn(const struct trace *t, const char *text)
{
	char line[FAULT_BYTES];

	if (!t->options.warn)
		return;
	snprintf(line, sizeof line, "%.200s: %s", source_name(t->source), text);
	t->options.warn(t->options.warn_context, line);
}

/* `last`: ns from the first arrival to that of the request returned last. */
static void trace_judge_times(struct trace *t, tick_t last)
{
	char text[256];

	if (t->warned_times || plausible_rate(t->left, last, t->scan.unit_ns, text, sizeof text))
		return;
	trace_warn(t, text);
	t->warned_times = true;
}

static void trace_judge_addresses(const struct trace *t)
{
	char text[128];

	if (!t->scan.rounded)
		return;
	snprintf(text, sizeof text,
		"%llu addresses have lost their last digits (1.2E+11), and so their alignment",
		(unsigned long long)t->scan.rounded);
	trace_warn(t, text);
}

static void trace_tell_unflushed(const struct trace *t)
{
	char text[128];

	if (!t->scan.unflushed)
		return;
	snprintf(text, sizeof text,
		"%llu FLUSH and FUA are left out; --flush (in a run: trace.flush = true) reads them",
		(unsigned long long)t->scan.unflushed);
	trace_warn(t, text);
}

static enum trace_status trace_finish(struct trace *t, struct fault *fault)
{
	if (!t->left)
		return trace_refuse_empty(t, fault);
	if (!t->finished && !t->as_written) {
		trace_judge_times(t, window_last(t->window) - t->first);
		trace_judge_addresses(t);
		trace_tell_unflushed(t);
	}
	t->finished = true;
	return TRACE_END;
}

static enum trace_status trace_next_sorted(struct trace *t, struct record *r, struct fault *fault)
{
	if (trace_fill_window(t, fault) == TRACE_BAD)
		return TRACE_BAD;
	if (!window_pop(t->window, r))
		return TRACE_END;
	if (!t->left)
		t->first = r->time;
	r->time -= t->first;
	if (t->left + 1 == JUDGED_REQUESTS)
		trace_judge_times(t, r->time);
	return TRACE_OK;
}

/* Splits a record from the FLUSH before it, which is returned first. */
static void trace_divide(struct trace *t, struct record *r)
{
	r->flags &= (uint8_t)~RECORD_FLUSH_FIRST;
	if (!t->options.commands)
		return;
	t->behind = *r;
	r->type = REQUEST_FLUSH;
	r->offset = r->bytes = 0;
	r->flags = r->hint = 0;
}

static enum trace_status trace_next_undivided(struct trace *t, struct record *r, struct fault *fault)
{
	enum trace_status status;

	if (t->behind.line) {
		*r = t->behind;
		t->behind.line = 0;
		return TRACE_OK;
	}
	status = t->as_written ? trace_read(t, r, fault) : trace_next_sorted(t, r, fault);
	if (status == TRACE_OK && r->flags & RECORD_FLUSH_FIRST)
		trace_divide(t, r);
	return status;
}

enum trace_status trace_next_record(struct trace *t, struct record *r, struct fault *fault)
{
	enum trace_status status = trace_next_undivided(t, r, fault);

	if (status == TRACE_BAD)
		return status;
	if (status == TRACE_END)
		return trace_finish(t, fault);
	t->left++;
	if (t->layout)
		r->offset += devices_base(t->layout, r->device);
	t->count.unaligned += ((r->offset | r->bytes) & (SECTOR_BYTES - 1)) != 0;
	return TRACE_OK;
}

static void trace_judge_devices(struct trace *t)
{
	if (!t->layout && !t->only_one && !t->options.shared)
		trace_warn(t,
			"has several devices, whose addresses overlap; lay them out one after another with "
			"--devices all (trace.devices = \"all\") or choose one");
	t->warned_devices = true;
}

enum trace_status trace_next(struct trace *t, struct request *request, struct fault *fault)
{
	struct record r;
	enum trace_status status = trace_next_record(t, &r, fault);

	if (status != TRACE_OK)
		return status;
	*request = record_request(&r);
	if (!t->warned_devices && devices_count(t->devices) > 1)
		trace_judge_devices(t);
	return TRACE_OK;
}

/* --- opening --- */

static bool trace_refuse_format(const char *name, struct fault *fault)
{
	struct suggestion near = { .word = name };

	for (const struct format *f = trace_formats; f->name; f++)
		suggestion_offer(&near, f->name);
	if (near.nearest)
		return fault_set(
			fault, "unknown trace format \"%s\"; did you mean \"%s\"?", name, near.nearest);
	return fault_set(fault, "unknown trace format \"%s\"; `ssd list` shows them", name);
}

/* Settings that are unset come as NULL or as an empty string. */
static bool trace_is_set(const char *option, const char *preset)
{
	return option && *option && strcmp(option, preset) != 0;
}

/* Columns that the user or the first line names. */
static bool trace_take_columns(struct trace *t, const char *names, bool commas, struct fault *fault)
{
	struct json_lines lines;

	if (!columns_parse(&t->columns, names, fault))
		return false;
	t->format = trace_format_named("csv");
	if (trace_detect_json(t->source, &lines, fault)) {
		t->format = trace_format_named("json");
		json_name_keys(&t->columns, &lines);
	} else if (commas) {
		t->columns.separators = SEPARATED_BY_COMMAS;
	}
	t->scan.columns = &t->columns;
	t->scan.unit_ns = t->columns.time_unit_ns;
	return true;
}

static bool trace_is_named(const char *format)
{
	return format && (!strcmp(format, "csv") || !strcmp(format, "json"));
}

static bool trace_find_columns(struct trace *t, struct fault *fault)
{
	if (trace_is_set(t->options.format, "auto") && !trace_is_named(t->options.format))
		return fault_set(fault, "--columns (trace.columns) are those of format csv, not %s",
			t->options.format);
	return trace_take_columns(t, t->options.columns, false, fault);
}

static bool trace_find_format(struct trace *t, struct fault *fault)
{
	const char *name = t->options.format;
	struct detected detected = { .columns = "" };

	if (trace_is_set(t->options.columns, ""))
		return trace_find_columns(t, fault);
	if (trace_is_set(name, "auto") && !trace_is_named(name))
		t->format = trace_format_named(name);
	else
		t->format = trace_detect(t->source, &detected, fault);
	if (detected.columns[0])
		return trace_take_columns(t, detected.columns, detected.commas, fault);
	if (trace_is_named(name) && !detected.asked)
		return fault_set(fault,
			"format %s needs names for its columns: --columns (in a run: trace.columns)", name);
	if (!t->format && trace_is_set(name, "auto"))
		return trace_refuse_format(name, fault);
	if (!t->format && t->options.as_written && source_rewind(t->source, fault))
		t->format = trace_format_named(t->options.as_written);
	if (!t->format)
		return false;
	t->as_written = t->options.as_written && !strcmp(t->format->name, t->options.as_written);
	t->scan.as_written = t->as_written;
	format_begin(t->format, &t->columns, &t->scan);
	return true;
}

/* The option replaces the format's unit. */
static bool trace_find_time_unit(struct trace *t, struct fault *fault)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "100ns", 100 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *name = t->options.time_unit;

	if (!trace_is_set(name, "auto"))
		return true;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (!strcmp(units[i].name, name)) {
			t->scan.unit_ns = units[i].ns;
			return true;
		}
	}
	return fault_set(fault, "unknown time unit \"%s\"; should be ns, 100ns, us, ms or s", name);
}

/* Resets all but the source to the state before the first read. */
static void trace_begin_pass(struct trace *t)
{
	window_free(t->window);
	devices_free(t->devices);
	t->devices = devices_create();
	if (t->options.sort_fully)
		t->window = window_create(SIZE_MAX, SIZE_MAX, SIZE_MAX);
	else
		t->window = window_create(WINDOW_SORTED, WINDOW_DISORDERED, WINDOW_MOST);
	t->scan = (struct scan){ .unit_ns = t->scan.unit_ns,
		.names = t->scan.names,
		.columns = t->scan.columns,
		.page_bytes = t->options.page_bytes,
		.commands = t->options.commands,
		.flushes = t->options.flush,
		.as_written = t->as_written };
	t->count = (struct trace_counts){ 0 };
	t->ended = false;
	t->left = 0;
	t->behind.line = 0;
}

bool trace_rewind(struct trace *t, struct fault *fault)
{
	trace_begin_pass(t);
	return source_rewind(t->source, fault);
}

static bool trace_lay_out(struct trace *t, struct fault *fault)
{
	uint32_t *ranks = names_ranks(t->scan.names);
	bool fits = devices_lay_out(t->layout, ranks, DEVICE_ALIGN, OFFSET_MAX);

	memory_free(ranks);
	return fits || fault_set(fault,
			       "%s: the address spaces of its devices do not fit together into 2^63 bytes; "
			       "choose one with --devices",
			       source_name(t->source));
}

/* Reads the whole trace once to learn how far each device reaches. */
static bool trace_measure_devices(struct trace *t, struct fault *fault)
{
	struct record r;
	enum trace_status status;

	do
		status = trace_read(t, &r, fault);
	while (status == TRACE_OK);
	if (status == TRACE_BAD)
		return false;
	t->layout = t->devices;
	t->devices = NULL;
	return trace_lay_out(t, fault) && trace_rewind(t, fault);
}

/* By number or by name. */
static void trace_choose_device(struct trace *t)
{
	char *end;

	t->only_one = true;
	t->only_number = strtoull(t->options.devices, &end, 10);
	if (*end || t->only_number > UINT32_MAX)
		t->only_number = UINT64_MAX;
}

static bool trace_lays_out(const struct trace_options *options)
{
	return options->devices && !strcmp(options->devices, "all");
}

static bool trace_find_devices(struct trace *t, struct fault *fault)
{
	if (trace_lays_out(&t->options))
		return trace_measure_devices(t, fault);
	if (trace_is_set(t->options.devices, "own"))
		trace_choose_device(t);
	return true;
}

/* The source may be NULL, and the fault is set then. */
static struct trace *trace_open_source(struct trace *t, struct source *source, struct fault *fault)
{
	t->source = source;
	t->scan.names = names_create();
	trace_begin_pass(t);
	if (source && trace_find_format(t, fault) && trace_find_time_unit(t, fault) &&
		trace_find_devices(t, fault))
		return t;
	trace_close(t);
	return NULL;
}

static struct trace *trace_create(const struct trace_options *options)
{
	struct trace *t = memory_array(1, sizeof *t, "trace");

	t->options = *options;
	return t;
}

static struct source *trace_open_list(struct trace *t, const char *name, struct fault *fault)
{
	t->list = memory_string(t->options.list, "list of requests");
	t->options.format = "list";
	for (char *comma = t->list; (comma = strchr(comma, ','));)
		*comma = '\n';
	return source_memory(name, t->list, strlen(t->list), NULL, fault);
}

struct trace *trace_open(const char *path, const struct trace_options *options, struct fault *fault)
{
	bool again = options->again || trace_lays_out(options);
	struct trace *t = trace_create(options);

	return trace_open_source(t,
		options->list ? trace_open_list(t, path, fault)
			      : source_open(path, options->member, again, fault),
		fault);
}

struct trace *trace_open_memory(const char *name, const void *bytes, size_t size,
	const struct trace_options *options, struct fault *fault)
{
	return trace_open_source(
		trace_create(options), source_memory(name, bytes, size, options->member, fault), fault);
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	source_close(t->source);
	window_free(t->window);
	devices_free(t->devices);
	devices_free(t->layout);
	names_free(t->scan.names);
	memory_free(t->list);
	memory_free(t);
}

/* --- facts --- */

tick_t trace_span(const struct trace *t)
{
	return t->left ? window_last(t->window) - t->first : 0;
}

const char *trace_format(const struct trace *t)
{
	return t->format->name;
}

struct trace_counts trace_counts(const struct trace *t)
{
	struct trace_counts count = t->count;

	count.reordered = window_late(t->window);
	count.devices = devices_count(t->devices);
	count.rounded = t->scan.rounded;
	count.unflushed = t->scan.unflushed;
	return count;
}

uint64_t trace_bytes_read(const struct trace *t)
{
	return source_bytes_read(t->source);
}

uint64_t trace_bytes_total(const struct trace *t)
{
	return source_bytes_total(t->source);
}

bool trace_line_ended(const struct trace *t)
{
	return source_line_ended(t->source);
}
