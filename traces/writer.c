#include "traces/writer.h"

#include "traces/devices.h"
#include "traces/format.h"

void trace_writer_formats(char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; trace_formats[i] && used < bytes; i++)
		if (trace_formats[i]->write)
			used += (size_t)snprintf(
				text + used, bytes - used, "%s%s", used ? ", " : "", trace_formats[i]->name);
}

bool trace_writer_begin(struct trace_writer *w, const char *name, FILE *out, struct fault *fault)
{
	char names[256];

	*w = (struct trace_writer){ .format = trace_format_named(name), .out = out };
	if (!w->format || !w->format->write) {
		trace_writer_formats(names, sizeof names);
		return fault_set(
			fault, "cannot write traces in format \"%s\"; should be one of %s", name, names);
	}
	w->devices = devices_create();
	if (w->format->heading)
		fputs(w->format->heading, out);
	return true;
}

static bool is_new_device(struct trace_writer *w, const struct request *r)
{
	struct record place = { .device = r->device, .bytes = 1 };
	uint64_t before = devices_count(w->devices);

	devices_note(w->devices, &place);
	return devices_count(w->devices) > before;
}

bool trace_writer_put(struct trace_writer *w, const struct request *r, struct fault *fault)
{
	if (r->type == REQUEST_TRIM && !w->format->writes_trims)
		return fault_set(fault, "request %llu is a trim, which format %s cannot say; fio can",
			(unsigned long long)r->line, w->format->name);
	if (w->format->introduce && is_new_device(w, r))
		w->format->introduce(w->out, r);
	w->rounded += r->arrival % w->format->write_step_ns != 0;
	w->format->write(w->out, r);
	return true;
}

void trace_writer_end(struct trace_writer *w)
{
	devices_free(w->devices);
}
