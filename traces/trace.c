#include "traces/trace.h"

#include "base/memory.h"
#include "traces/detect.h"
#include "traces/devices.h"
#include "traces/format.h"
#include "traces/plausible.h"
#include "traces/source.h"
#include "traces/window.h"

#include <string.h>

/* A sorted trace should stay in the processor's cache on its way through the window. */
#define WINDOW_RECORDS     4096u
#define WINDOW_RECORDS_MAX (1u << 20)
/* Times are judged after so many requests, for an early warning, and at the end. */
#define JUDGED_REQUESTS    10000u
/* Devices that are laid out one after another begin on borders that keep every alignment. */
#define DEVICE_ALIGN       (1u << 20)

struct trace {
	struct trace_options options;
	struct source *source;
	const struct format *format;
	struct scan scan;
	struct window *window;
	struct devices *devices;
	struct devices *layout;      /* NULL: each device has its own addresses */
	bool only_one;               /* device, named by the options */
	bool ended;
	bool warned;                 /* of implausible times */
	tick_t first;                /* arrival of the first that left, ns in the file's epoch */
	uint64_t left;               /* requests handed out */
	uint64_t skipped, dropped, unaligned;
};

static enum trace_status bad_line(struct trace *t, struct fault *fault)
{
	fault_set(fault, "%s:%llu: %s; a %s %s is %s", source_name(t->source), (unsigned long long)t->scan.line,
	          t->scan.problem, t->format->name, t->format->record_bytes ? "record" : "line",
	          t->format->layout);
	return TRACE_BAD;
}

/* The next line or binary record that is neither empty nor a comment. */
static enum source_status next_piece(struct trace *t, struct fault *fault)
{
	uint32_t record_bytes = t->format->record_bytes;
	enum source_status status;

	for (;;) {
		if (record_bytes) {
			status = source_record(t->source, record_bytes, &t->scan.at, fault);
			t->scan.end = t->scan.at + record_bytes;
		} else {
			status = source_line(t->source, &t->scan.at, &t->scan.end, fault);
		}
		t->scan.line++;
		if (record_bytes || status != SOURCE_OK)
			return status;
		if (*t->scan.at == '#')
			t->skipped++;
		else if (t->scan.at < t->scan.end)
			return status;
	}
}

static bool is_chosen(const struct trace *t, const struct record *r)
{
	const char *wanted = t->options.devices;
	const char *name;
	char number[16];

	if (!t->only_one)
		return true;
	name = names_text(t->scan.names, r->device);
	if (!name) {
		snprintf(number, sizeof number, "%u", r->device);
		name = number;
	}
	return !strcmp(name, wanted);
}

static enum trace_status too_many_devices(struct trace *t, struct fault *fault)
{
	scan_describe(&t->scan, "this is device number %u of the trace, which is absurd", DEVICES_MAX + 1);
	return bad_line(t, fault);
}

/* Reads one request of the chosen devices, in file order. */
static enum trace_status read_record(struct trace *t, struct record *r, struct fault *fault)
{
	for (;;) {
		enum source_status status = next_piece(t, fault);

		if (status != SOURCE_OK)
			return status == SOURCE_END ? TRACE_END : TRACE_BAD;
		r->response = RESPONSE_UNKNOWN;
		r->line = t->scan.line;
		switch (t->format->parse(&t->scan, r)) {
		case PARSED_RECORD:
			if (devices_note(t->devices, r) == DEVICES_MAX)
				return too_many_devices(t, fault);
			if (is_chosen(t, r))
				return TRACE_OK;
			t->dropped++;
			break;
		case PARSED_HEADING:
			t->skipped++;
			break;
		case PARSED_OTHER:
			t->dropped++;
			break;
		case PARSED_BAD:
			return bad_line(t, fault);
		}
	}
}

static enum trace_status too_late(struct trace *t, struct fault *fault)
{
	fault_set(fault,
	          "%s:%llu: lies before requests more than %u lines ago; "
	          "read the trace with --sort to sort it in memory",
	          source_name(t->source), (unsigned long long)window_slot(t->window)->line, WINDOW_RECORDS);
	return TRACE_BAD;
}

/* Fills the window or reaches the end. */
static enum trace_status fill_window(struct trace *t, struct fault *fault)
{
	while (!t->ended && !window_full(t->window)) {
		enum trace_status status = read_record(t, window_slot(t->window), fault);

		if (status == TRACE_BAD)
			return status;
		if (status == TRACE_END)
			t->ended = true;
		else if (!window_push(t->window))
			return too_late(t, fault);
	}
	return TRACE_OK;
}

static enum trace_status refuse_empty(struct trace *t, struct fault *fault)
{
	if (t->only_one && t->dropped)
		fault_set(fault, "%s: has no request of device \"%s\"", source_name(t->source), t->options.devices);
	else
		fault_set(fault, "%s: has no request in %s format", source_name(t->source), t->format->name);
	return TRACE_BAD;
}

/* `last` is the arrival of the latest request handed out, from the first. */
static void judge_times(struct trace *t, tick_t last)
{
	char text[256], line[FAULT_BYTES];

	if (t->warned || !t->options.warn ||
	    plausible_rate(t->left, last, t->scan.unit_ns, text, sizeof text))
		return;
	snprintf(line, sizeof line, "%.200s: %s", source_name(t->source), text);
	t->options.warn(t->options.warn_context, line);
	t->warned = true;
}

static enum trace_status finish(struct trace *t, struct fault *fault)
{
	if (!t->left)
		return refuse_empty(t, fault);
	judge_times(t, window_last(t->window) - t->first);
	return TRACE_END;
}

enum trace_status trace_next_record(struct trace *t, struct record *r, struct fault *fault)
{
	if (fill_window(t, fault) == TRACE_BAD)
		return TRACE_BAD;
	if (!window_pop(t->window, r))
		return finish(t, fault);
	if (!t->left++)
		t->first = r->time;
	r->time -= t->first;
	if (t->left == JUDGED_REQUESTS)
		judge_times(t, r->time);
	if (t->layout)
		r->offset += devices_base(t->layout, r->device);
	t->unaligned += ((r->offset | r->bytes) & (SECTOR_BYTES - 1)) != 0;
	return TRACE_OK;
}

enum trace_status trace_next(struct trace *t, struct request *request, struct fault *fault)
{
	struct record r;
	enum trace_status status = trace_next_record(t, &r, fault);

	if (status == TRACE_OK)
		*request = record_request(&r);
	return status;
}

/* --- opening --- */

static bool find_format(struct trace *t, struct fault *fault)
{
	const char *name = t->options.format;

	if (!name || !strcmp(name, "auto")) {
		t->format = trace_detect(t->source, fault);
		return t->format != NULL;
	}
	t->format = trace_format_named(name);
	return t->format || fault_set(fault, "unknown trace format \"%s\"; `ssd list` shows them", name);
}

static bool find_time_unit(struct trace *t, struct fault *fault)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "100ns", 100 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *name = t->options.time_unit;

	t->scan.unit_ns = t->format->time_unit_ns;
	if (!name || !strcmp(name, "auto"))
		return true;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (!strcmp(units[i].name, name)) {
			t->scan.unit_ns = units[i].ns;
			return true;
		}
	}
	return fault_set(fault, "unknown time unit \"%s\"; should be ns, 100ns, us, ms or s", name);
}

/* Where a trace comes from: a file, or bytes in memory. */
struct origin {
	const char *name;
	const void *bytes;   /* NULL: a file */
	size_t size;
};

static struct source *open_source(const struct origin *from, const char *member, struct fault *fault)
{
	if (from->bytes)
		return source_memory(from->name, from->bytes, from->size, fault);
	return source_open(from->name, member, fault);
}

/* Leaves the devices as they are. */
static struct trace *open_plain(const struct origin *from, const struct trace_options *options, struct fault *fault)
{
	struct trace *t = memory_array(1, sizeof *t, "trace");

	t->options = *options;
	t->scan.names = names_create();
	t->devices = devices_create();
	if (options->sort_fully)
		t->window = window_create(SIZE_MAX, SIZE_MAX);
	else
		t->window = window_create(WINDOW_RECORDS, WINDOW_RECORDS_MAX);
	t->source = open_source(from, options->member, fault);
	if (t->source && find_format(t, fault) && find_time_unit(t, fault))
		return t;
	trace_close(t);
	return NULL;
}

/* Reads the whole trace once to learn how far each device reaches. */
static bool measure_devices(struct trace *t, const struct origin *from, struct fault *fault)
{
	struct trace *ahead;
	struct record r;
	enum trace_status status;

	if (!strcmp(from->name, "-"))
		return fault_set(fault, "-: devices can be laid out one after another only in a file, "
		                        "which is read twice");
	ahead = open_plain(from, &t->options, fault);
	if (!ahead)
		return false;
	do
		status = read_record(ahead, &r, fault);
	while (status == TRACE_OK);
	t->layout = ahead->devices;
	ahead->devices = NULL;
	trace_close(ahead);
	devices_lay_out(t->layout, DEVICE_ALIGN);
	return status == TRACE_END;
}

static struct trace *open_origin(const struct origin *from, const struct trace_options *options,
                                 struct fault *fault)
{
	struct trace *t = open_plain(from, options, fault);
	const char *devices = options->devices;

	if (!t)
		return NULL;
	if (devices && !strcmp(devices, "all")) {
		if (measure_devices(t, from, fault))
			return t;
		trace_close(t);
		return NULL;
	}
	t->only_one = devices && strcmp(devices, "own");
	return t;
}

struct trace *trace_open(const char *path, const struct trace_options *options, struct fault *fault)
{
	struct origin from = { .name = path };

	return open_origin(&from, options, fault);
}

struct trace *trace_open_memory(const char *name, const void *bytes, size_t size,
                                const struct trace_options *options, struct fault *fault)
{
	struct origin from = { .name = name, .bytes = bytes, .size = size };

	return open_origin(&from, options, fault);
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
	memory_free(t);
}

/* --- facts --- */

const char *trace_format(const struct trace *t)
{
	return t->format->name;
}

uint64_t trace_reordered(const struct trace *t)
{
	return window_late(t->window);
}

uint64_t trace_skipped(const struct trace *t)
{
	return t->skipped;
}

uint64_t trace_dropped(const struct trace *t)
{
	return t->dropped;
}

uint64_t trace_devices(const struct trace *t)
{
	return devices_count(t->devices);
}

uint64_t trace_unaligned(const struct trace *t)
{
	return t->unaligned;
}

uint64_t trace_rounded(const struct trace *t)
{
	return t->scan.rounded;
}

uint64_t trace_bytes_read(const struct trace *t)
{
	return source_bytes_read(t->source);
}

uint64_t trace_bytes_total(const struct trace *t)
{
	return source_bytes_total(t->source);
}
