#include "traces/writer.h"

#include "traces/devices.h"
#include "traces/format.h"

void trace_writer_formats(char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (const struct format *f = trace_formats; f->name && used < bytes; f++)
		if (f->write_step_ns)
			used += (size_t)snprintf(
				text + used, bytes - used, "%s%s", used ? ", " : "", f->name);
}

static bool trace_writer_start(
	struct trace_writer *w, const char *name, bool wide, FILE *out, struct fault *fault)
{
	char names[256];

	*w = (struct trace_writer){ .format = trace_format_named(name), .out = out };
	if (!w->format || !w->format->write_step_ns) {
		trace_writer_formats(names, sizeof names);
		return fault_set(
			fault, "cannot write traces in format \"%s\"; should be one of %s", name, names);
	}
	w->wide = wide && w->format->writes_hints;
	w->devices = devices_create();
	if (w->format->writes_objects)
		w->objects = objects_create();
	if (w->format->writes_heading)
		fprintf(out, "%s%s\n", w->format->columns.heading, w->wide ? ",hint,flags" : "");
	return true;
}

bool trace_writer_begin(struct trace_writer *w, const char *name, FILE *out, struct fault *fault)
{
	return trace_writer_start(w, name, false, out, fault);
}

bool trace_writer_begin_wide(struct trace_writer *w, const char *name, FILE *out, struct fault *fault)
{
	return trace_writer_start(w, name, true, out, fault);
}

static bool trace_writer_meets(struct trace_writer *w, const struct request *r)
{
	struct record record = { .device = r->device, .bytes = 1 };
	uint64_t before = devices_count(w->devices);

	devices_note(w->devices, &record);
	return devices_count(w->devices) > before;
}

/* Counts what the format cannot express.  False: the request is left out. */
static bool trace_writer_can_say(struct trace_writer *w, const struct request *r)
{
	const struct format *f = w->format;
	bool write = r->type == REQUEST_WRITE, update = r->type == REQUEST_UPDATE && w->wide;

	w->flushes += r->type == REQUEST_FLUSH && !f->writes_flushes;
	w->commands += !request_is_awaited(r->type) && !update;
	w->fua += write && r->flags & REQUEST_FUA && !f->writes_fua;
	w->appends += write && r->flags & REQUEST_APPEND;
	w->hints += request_has_sectors(r->type) && r->hint && !w->wide;
	return request_has_sectors(r->type) || (r->type == REQUEST_FLUSH && f->writes_flushes) || update;
}

bool trace_writer_put(struct trace_writer *w, const struct request *r, struct fault *fault)
{
	if (!trace_writer_can_say(w, r))
		return true;
	if (r->type == REQUEST_TRIM && !w->format->writes_trims)
		return fault_set(fault, "request %" PRIu64 " is a trim, which format %s cannot say; fio can",
			r->line, w->format->name);
	if (w->format->introduce && trace_writer_meets(w, r))
		w->format->introduce(w->out, r);
	w->rounded += r->arrival % w->format->write_step_ns != 0;
	if (w->objects)
		return objects_add(w->objects, r, fault);
	if (w->wide)
		csv_write_more(w->out, r);
	else
		w->format->write(w->out, r);
	return true;
}

void trace_writer_finish(struct trace_writer *w)
{
	if (w->objects)
		objects_write(w->objects, w->out);
}

void trace_writer_end(struct trace_writer *w)
{
	devices_free(w->devices);
	objects_free(w->objects);
}

/* ---- formats of columns; SSDsim's is in format_ssdsim.c ---- */

#define SECONDS(ns)      (ns) / 1000000000, (ns) % 1000000000 /* for "%" PRIu64 ".%09" PRIu64 */
#define MILLISECONDS(ns) (ns) / 1000000, (ns) % 1000000
#define BYTES(sectors)   (uint64_t)(sectors) * SECTOR_BYTES

void disksim_write(FILE *out, const struct request *r)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64 " %u %" PRIu64 " %u %d\n", MILLISECONDS(r->arrival), r->device,
		r->start, r->sectors, r->type == REQUEST_READ);
}

void spc_write(FILE *out, const struct request *r)
{
	fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",%c,%" PRIu64 ".%09" PRIu64 "\n", r->device, r->start,
		BYTES(r->sectors), r->type == REQUEST_READ ? 'R' : 'W', SECONDS(r->arrival));
}

/* Times are rounded down to 100 ns, the unit of the format. */
void msr_write(FILE *out, const struct request *r)
{
	fprintf(out, "%" PRIu64 ",trace,%u,%s,%" PRIu64 ",%" PRIu64 ",0\n", r->arrival / 100, r->device,
		r->type == REQUEST_READ ? "Read" : "Write", BYTES(r->start), BYTES(r->sectors));
}

void systor_write(FILE *out, const struct request *r)
{
	fprintf(out, "%" PRIu64 ".%09" PRIu64 ",0.000000000,%c,%u,%" PRIu64 ",%" PRIu64 "\n",
		SECONDS(r->arrival), r->type == REQUEST_READ ? 'R' : 'W', r->device, BYTES(r->start),
		BYTES(r->sectors));
}

static void csv_write_columns(FILE *out, const struct request *r)
{
	static const char *const names[] = { [REQUEST_READ] = "read",
		[REQUEST_WRITE] = "write",
		[REQUEST_TRIM] = "trim",
		[REQUEST_FLUSH] = "flush",
		[REQUEST_UPDATE] = "update" };

	fprintf(out, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%u", r->arrival, names[r->type], BYTES(r->start),
		BYTES(r->sectors), r->device);
}

void csv_write(FILE *out, const struct request *r)
{
	csv_write_columns(out, r);
	fputc('\n', out);
}

void csv_write_more(FILE *out, const struct request *r)
{
	csv_write_columns(out, r);
	fprintf(out, ",%u,%s\n", r->hint, r->flags & REQUEST_FUA ? "FUA" : "");
}
