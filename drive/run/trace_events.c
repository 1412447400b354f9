#include "drive/run/trace_events.h"

#include "base/memory.h"
#include "drive/run/explain.h"
#include "drive/run/timeline_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Processes are groups of tracks. */
enum group { GROUP_REQUESTS = 1, GROUP_CHANNELS, GROUP_DIES, GROUP_COUNTS, GROUP_REGISTERS, GROUPS };

struct events {
	const struct timeline *timeline;
	const struct drive *drive;
	uint32_t per_channel, per_chip; /* units */
	FILE *out;
	const char *between;
	uint32_t *first, *last; /* per operation, number + 1 of its first span on a die and of its last */
	uint32_t *request;      /* per operation, index */
};

/* Begins an event; the caller adds further members and the closing brace. */
static void trace_events_put_event(
	struct events *e, const char *phase, enum group group, uint32_t track, tick_t when)
{
	fprintf(e->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":%" PRIu64 ".%03u", e->between, phase,
		group, track, when / 1000, (unsigned)(when % 1000));
	e->between = ",";
}

static void trace_events_put_name(
	struct events *e, const char *what, enum group group, uint32_t track, const char *name)
{
	trace_events_put_event(e, "M", group, track, 0);
	fprintf(e->out, ",\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", what, name);
}

static void trace_events_put_tracks(struct events *e)
{
	static const char *const groups[] = { [GROUP_REQUESTS] = "requests",
		[GROUP_CHANNELS] = "channels",
		[GROUP_DIES] = "dies",
		[GROUP_COUNTS] = "counts",
		[GROUP_REGISTERS] = "cache registers" };
	const bool registers = e->drive->settings->flash.cache_register != CACHE_OFF;
	const struct geometry *g = &e->drive->geometry;
	char name[40];

	for (int group = GROUP_REQUESTS; group < (registers ? GROUPS : GROUP_REGISTERS); group++)
		trace_events_put_name(e, "process_name", (enum group)group, 0, groups[group]);
	for (uint32_t c = 0; c < g->channels; c++) {
		snprintf(name, sizeof name, "channel %u", c);
		trace_events_put_name(e, "thread_name", GROUP_CHANNELS, c, name);
	}
	for (uint32_t u = 0; u < g->dies / e->per_chip; u++) {
		snprintf(name, sizeof name, "%s %u", e->per_chip > 1 ? "chip" : "die", u);
		trace_events_put_name(e, "thread_name", GROUP_DIES, u, name);
		snprintf(name, sizeof name, "register %u", u);
		if (registers)
			trace_events_put_name(e, "thread_name", GROUP_REGISTERS, u, name);
	}
}

/* Details of the operation. */
static void trace_events_put_operation(struct events *e, uint32_t op)
{
	const struct tracer *t = &e->timeline->tracer;
	const struct traced_op *o = &t->op[op];
	char place[24];
	const char *between = "";

	name_place(&e->drive->geometry, o->made.ppn, place, sizeof place);
	fprintf(e->out, ",\"request\":%" PRIu64 ",\"operation\":%u,\"page\":\"%s\"",
		e->timeline->request[e->request[op]].number, op + 1, place);
	if (o->made.kind == OP_COPY) {
		name_place(&e->drive->geometry, o->made.to, place, sizeof place);
		fprintf(e->out, ",\"to\":\"%s\"", place);
	}
	fprintf(e->out, ",\"holds\":\"%s\",\"sectors\":%u,\"waited for\":\"", e->timeline->owner[op],
		o->made.sectors);
	for (uint32_t i = 0; i < t->waits; i++)
		if (t->wait[i].op == op && t->wait[i].other != TRACED_EARLIER) {
			fprintf(e->out, "%s%u", between, t->wait[i].other + 1);
			between = ", ";
		}
	fprintf(e->out, "\",\"awaited\":%s", o->made.awaited ? "true" : "false");
}

static void trace_events_put_slice(struct events *e, const struct busy_span *span)
{
	static const enum group groups[] = {
		[BUSY_BUS] = GROUP_CHANNELS, [BUSY_CELLS] = GROUP_DIES, [BUSY_REGISTER] = GROUP_REGISTERS
	};
	uint32_t track = span->place == BUSY_BUS ? span->unit / e->per_channel : span->unit;

	trace_events_put_event(e, "X", groups[span->place], track, span->from);
	fprintf(e->out, ",\"dur\":%" PRIu64 ".%03u,\"name\":\"%s %s\",\"cat\":\"%s\",\"args\":{\"planes\":%u",
		(span->to - span->from) / 1000, (unsigned)((span->to - span->from) % 1000),
		op_name(span->kind), cause_name(span->cause), cause_name(span->cause), span->planes);
	if (span->op != TRACED_EARLIER)
		trace_events_put_operation(e, span->op);
	fputs("}}", e->out);
}

/* From the end of an operation to the start of one that waited for it, each on its die. */
static void trace_events_put_arrow(struct events *e, uint32_t number, const struct traced_wait *wait)
{
	const struct busy_span *span = e->timeline->tracer.span, *source, *target;

	if (wait->op == TRACED_EARLIER || wait->other == TRACED_EARLIER || !e->first[wait->op] ||
		!e->last[wait->other])
		return;
	source = &span[e->last[wait->other] - 1];
	target = &span[e->first[wait->op] - 1];
	trace_events_put_event(e, "s", GROUP_DIES, source->unit, source->to - 1);
	fprintf(e->out, ",\"id\":%u,\"name\":\"waits\",\"cat\":\"waits\"}", number + 1);
	trace_events_put_event(e, "f", GROUP_DIES, target->unit, target->from);
	fprintf(e->out, ",\"id\":%u,\"name\":\"waits\",\"cat\":\"waits\",\"bp\":\"e\"}", number + 1);
}

static void trace_events_put_request(struct events *e, const struct timed_request *r)
{
	const struct geometry *g = &e->drive->geometry;
	lpn_t first = geometry_lpn(g, r->request.start);

	trace_events_put_event(e, "b", GROUP_REQUESTS, 0, r->request.arrival);
	fprintf(e->out, ",\"id\":%" PRIu64 ",\"cat\":\"request\",\"name\":\"%s", r->number,
		request_name(r->request.type));
	if (r->request.sectors)
		fprintf(e->out, " LPN %u", first);
	fprintf(e->out,
		"\",\"args\":{\"request\":%" PRIu64 ",\"sector\":%" PRIu64
		",\"sectors\":%u,\"waited for a slot ns\":%" PRIu64 ",\"operations\":%u",
		r->number, r->request.start, r->request.sectors, r->taken - r->request.arrival, r->ops);
	if (e->drive->host->door)
		fprintf(e->out, ",\"tenant\":%u", r->request.device);
	fputs("}}", e->out);
	trace_events_put_event(e, "e", GROUP_REQUESTS, 0, r->served);
	fprintf(e->out, ",\"id\":%" PRIu64 ",\"cat\":\"request\",\"name\":\"%s", r->number,
		request_name(r->request.type));
	if (r->request.sectors)
		fprintf(e->out, " LPN %u", first);
	fputs("\"}", e->out);
}

static void trace_events_put_counts(struct events *e, const struct timed_request *r)
{
	trace_events_put_event(e, "C", GROUP_COUNTS, 0, r->taken);
	fprintf(e->out, ",\"name\":\"free pages\",\"args\":{\"pages\":%" PRIu64 "}}", r->free_pages);
	trace_events_put_event(e, "C", GROUP_COUNTS, 0, r->taken);
	fprintf(e->out, ",\"name\":\"requests in the drive\",\"args\":{\"requests\":%" PRIu64 "}}",
		r->in_drive);
}

static void trace_events_find_spans(struct events *e)
{
	const struct timeline *t = e->timeline;

	for (uint32_t i = 0; i < t->requests; i++)
		for (uint32_t k = 0; k < t->request[i].ops; k++)
			e->request[t->request[i].first + k] = i;
	for (uint32_t i = 0; i < t->tracer.spans; i++) {
		const struct busy_span *span = &t->tracer.span[i];

		if (span->place != BUSY_CELLS || span->op == TRACED_EARLIER)
			continue;
		if (!e->first[span->op])
			e->first[span->op] = i + 1;
		e->last[span->op] = i + 1;
	}
}

void trace_events_write(const struct timeline *t, const struct drive *d, FILE *out)
{
	const struct geometry *g = &d->geometry;
	uint32_t per_chip = d->settings->flash.interleave ? 1 : g->dies_per_chip;
	struct events e = { .timeline = t,
		.drive = d,
		.per_chip = per_chip,
		.per_channel = g->dies_per_channel / per_chip,
		.out = out,
		.between = "",
		.first = memory_array(t->tracer.ops, sizeof *e.first, "timeline"),
		.last = memory_array(t->tracer.ops, sizeof *e.last, "timeline"),
		.request = memory_array(t->tracer.ops, sizeof *e.request, "timeline") };

	trace_events_find_spans(&e);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	trace_events_put_tracks(&e);
	for (uint32_t i = 0; i < t->tracer.spans; i++)
		trace_events_put_slice(&e, &t->tracer.span[i]);
	for (uint32_t i = 0; i < t->tracer.waits; i++)
		trace_events_put_arrow(&e, i, &t->tracer.wait[i]);
	for (uint32_t i = 0; i < t->requests; i++) {
		trace_events_put_request(&e, &t->request[i]);
		trace_events_put_counts(&e, &t->request[i]);
	}
	fputs("\n]}\n", out);
	memory_free(e.first);
	memory_free(e.last);
	memory_free(e.request);
}

void trace_events_write_page(const struct timeline *t, const struct drive *d, FILE *out)
{
	const char *data = strstr(timeline_page, "@events@");

	BUG_ON(!data, "the page has no place for the events");
	fwrite(timeline_page, 1, (size_t)(data - timeline_page), out);
	trace_events_write(t, d, out);
	fputs(data + strlen("@events@"), out);
}
