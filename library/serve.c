#include "library/inside.h"

#include "flash/schedule.h"
#include "ftl/store.h"

#include <string.h>

/* ---- preparing ---- */

bool library_open_workload(struct library_call *c, const char *name)
{
	ssdlab_drive *h = c->h;
	const struct settings *s = &h->shared->settings;

	library_close_workload(h);
	h->workload_name = memory_string(name, "name of the workload");
	if (workload_open(&h->workload, h->workload_name, &s->trace, precondition_reads(&s->precondition),
		    NULL, &h->fault)) {
		h->run.workload = &h->workload;
		return true;
	}
	c->status = SSDLAB_MISTAKE;
	return false;
}

void library_close_workload(ssdlab_drive *h)
{
	if (h->run.workload)
		workload_close(h->run.workload);
	h->run.workload = NULL;
	memory_free(h->workload_name);
	h->workload_name = NULL;
}

/* The statistics begin here. */
static void library_begin(ssdlab_drive *h)
{
	stat_list_start(&h->drive->statistics);
	precondition_count(h->drive, &h->before);
	h->prepared = true;
}

static bool library_apply(struct library_call *c)
{
	ssdlab_drive *h = c->h;

	if (!precondition(h->drive, h->run.workload, &h->before, &h->fault))
		c->status = SSDLAB_MISTAKE;
	if (h->stopped) {
		library_fault(c, "stopped while the drive was prepared");
		c->status = h->end = SSDLAB_STOPPED;
	}
	return c->status == SSDLAB_OK;
}

bool library_prepare(struct library_call *c, const char *workload)
{
	ssdlab_drive *h = c->h;

	if (!workload && precondition_reads(&h->shared->settings.precondition))
		library_fault(c, "the drive is prepared for what a workload reads: name the workload, or set "
				 "precondition.premap=none, precondition.mode=none or fill");
	else if ((!workload || library_open_workload(c, workload)) && library_apply(c))
		library_begin(h);
	return c->status == SSDLAB_OK;
}

static void library_call_prepare(void *call)
{
	struct library_call *c = call;

	if (c->h->prepared)
		library_fault(c, "the drive has been prepared; it is, once, before its first request");
	else
		library_prepare(c, c->text[0]);
	library_close_workload(c->h);
}

enum ssdlab_status ssdlab_prepare(ssdlab_drive *h, const char *workload)
{
	struct library_call c = { .h = h, .text = { workload } };

	return library_enter(&c, NEEDS_SERVING, library_call_prepare);
}

/* ---- a whole workload ---- */

static bool library_keep_going(void *handle, const struct run *run)
{
	ssdlab_drive *h = handle;
	const struct ssdlab_options *o = &h->shared->options;

	h->stopped = o->progress &&
		     o->progress(o->progress_context, run->requests, workload_progress(run->workload));
	return !h->stopped;
}

static void library_end_run(struct library_call *c, enum run_end end)
{
	ssdlab_drive *h = c->h;

	switch (end) {
	case RUN_DONE:
		break;
	case RUN_BAD_WORKLOAD:
		c->status = SSDLAB_MISTAKE;
		break;
	case RUN_INTERRUPTED:
		library_fault(c, "stopped after %llu requests", (unsigned long long)h->run.requests);
		c->status = SSDLAB_STOPPED;
		break;
	case RUN_DRIVE_FAILED:
		run_failure(&h->run, &h->fault);
		c->status = h->end = SSDLAB_DRIVE_FULL;
	}
}

static void library_call_run(void *call)
{
	struct library_call *c = call;
	ssdlab_drive *h = c->h;

	library_changed(h);
	if (!(h->prepared ? library_open_workload(c, c->text[0]) : library_prepare(c, c->text[0])))
		return;
	h->run.keep_going = library_keep_going;
	h->run.context = h;
	h->run.from = h->run.requests ? schedule_now(h->drive->flash->schedule) : 0;
	library_end_run(c, run_workload(&h->run, &h->fault));
	h->last_arrival = schedule_now(h->drive->flash->schedule);
}

enum ssdlab_status ssdlab_run(ssdlab_drive *h, const char *workload)
{
	struct library_call c = { .h = h, .text = { workload }, NEEDED(GIVEN(workload)) };

	return library_enter(&c, NEEDS_SERVING, library_call_run);
}

/* ---- requests of the caller ---- */

/* The i-th of the call, whose requests are rows or columns. */
static struct request library_request_at(const struct library_call *c, size_t i)
{
	const struct ssdlab_request *row = c->rows;
	const struct ssdlab_columns *of = c->columns;
	uint64_t now = schedule_now(c->h->drive->flash->schedule);

	if (!of)
		return (struct request){ row[i].arrival_ns, row[i].sector, row[i].tag, row[i].sectors,
			row[i].device, (enum request_type)row[i].kind, row[i].hint, row[i].flags };
	return (struct request){ .arrival = of->arrival_ns ? of->arrival_ns[i] : now,
		.start = of->sector[i],
		.line = of->tag ? of->tag[i] : c->h->run.requests + (i > c->done),
		.sectors = of->sectors[i],
		.device = of->device ? of->device[i] : 0,
		.type = (enum request_type)of->kind[i],
		.hint = of->hint ? of->hint[i] : 0,
		.flags = of->flags ? of->flags[i] : 0 };
}

static bool library_is_command(struct library_call *c, size_t i, const struct request *r)
{
	const struct drive *d = c->h->drive;

	if (r->type != REQUEST_COLLECT && r->type != REQUEST_FLUSH && r->type != REQUEST_UPDATE)
		library_fault(c,
			"request:%zu: kind %u is not 0 read, 1 write, 2 trim, 3 collect, 4 flush or 5 update",
			i, (unsigned)r->type);
	else if (r->sectors)
		library_fault(c, "request:%zu: a command has 0 sectors", i);
	else if (r->type == REQUEST_COLLECT && !d->ftl->store)
		library_fault(c, "request:%zu: ftl = %s has no collector", i, d->ftl->ops->name);
	else if (r->type == REQUEST_UPDATE && !store_knows(d->ftl->store, REQUEST_UPDATE))
		library_fault(c, "request:%zu: an update needs placement handles (fdp.handles)", i);
	return c->status == SSDLAB_OK;
}

static bool library_is_open_loop(const ssdlab_drive *h)
{
	return h->drive->host->settings->mode == HOST_OPEN;
}

static bool library_arrives_now(const struct library_call *c)
{
	return c->columns && !c->columns->arrival_ns;
}

/* host.time_scale multiplies arrivals. */
static uint64_t library_latest_arrival(const ssdlab_drive *h)
{
	const struct tenant *host = &h->drive->host->tenants.of[0];

	return host->is_open && host->time_scale > 1 ? (uint64_t)((double)SSDLAB_TIME_MOST / host->time_scale)
						     : SSDLAB_TIME_MOST;
}

/* Is its arrival in order, and not too late for the simulation? */
static bool library_arrives(struct library_call *c, size_t i, const struct request *r)
{
	uint64_t latest = library_latest_arrival(c->h);

	if (library_arrives_now(c))
		return true;
	if (r->arrival > latest)
		library_fault(c, "request:%zu: arrives at %llu ns; the last moment is %llu ns", i,
			(unsigned long long)r->arrival, (unsigned long long)latest);
	else if (request_is_awaited(r->type) && r->arrival < c->h->last_arrival && library_is_open_loop(c->h))
		library_fault(c,
			"request:%zu: arrives at %llu ns, before the request before it (%llu); sort them, or "
			"use host.mode=closed",
			i, (unsigned long long)r->arrival, (unsigned long long)c->h->last_arrival);
	return c->status == SSDLAB_OK;
}

static bool library_flags_are_known(const struct request *r)
{
	return !r->flags || (r->flags == SSDLAB_FUA && r->type == REQUEST_WRITE);
}

static bool library_reserved_is_0(const struct library_call *c, size_t i)
{
	static const uint8_t nothing[sizeof c->rows->reserved];

	return !c->rows || !memcmp(c->rows[i].reserved, nothing, sizeof nothing);
}

/* A number that the request gives for its placement handle, as `by` says; `handles`: of which so many are
 * read. */
static bool library_names_handle(
	struct library_call *c, size_t i, const char *by, uint32_t number, uint32_t handles)
{
	if (number && !handles)
		library_fault(c,
			"request:%zu: %s %u, which nothing reads; set fdp.handles and fdp.by=%s, or leave it "
			"0",
			i, by, number, by);
	else if (handles && number >= handles)
		library_fault(c, "request:%zu: %s %u; with fdp.handles = %u it is 0 to %u", i, by, number,
			handles, handles - 1);
	return c->status == SSDLAB_OK;
}

static bool library_is_placed(struct library_call *c, size_t i, const struct request *r)
{
	struct tool_labels read = store_labels(c->h->drive->ftl->store, r->type);

	return library_names_handle(c, i, "device", r->device, read.devices) &&
	       library_names_handle(c, i, "hint", r->hint, read.hints);
}

static bool library_is_possible(struct library_call *c, size_t i, const struct request *r)
{
	if (!request_has_sectors(r->type) && !library_is_command(c, i, r))
		return false;
	if (request_has_sectors(r->type) && !r->sectors)
		library_fault(c, "request:%zu: 0 sectors; it should have at least 1", i);
	else if (!library_flags_are_known(r))
		library_fault(
			c, "request:%zu: flags %u; a write can have 1 (FUA), others have 0", i, r->flags);
	else if (!library_reserved_is_0(c, i))
		library_fault(c, "request:%zu: reserved is not 0; clear the struct before it is filled", i);
	return c->status == SSDLAB_OK && library_is_placed(c, i, r) && library_arrives(c, i, r);
}

/* Gets the i-th request.  False: the drive cannot serve it.  `line` is first its index, for messages, then
 * its tag, for the completion. */
static bool library_take(struct library_call *c, size_t i, struct request *r)
{
	ssdlab_drive *h = c->h;
	uint64_t tag, arrival;

	*r = library_request_at(c, i);
	arrival = r->arrival;
	tag = r->line;
	r->line = i;
	if (library_is_possible(c, i, r) && request_has_sectors(r->type) &&
		!host_admit(h->drive->host, r, "request", &h->fault))
		c->status = SSDLAB_MISTAKE;
	r->line = tag;
	if (c->status == SSDLAB_OK)
		h->last_arrival = arrival;
	return c->status == SSDLAB_OK;
}

static bool library_goes_on(struct library_call *c, size_t i)
{
	enum { EVERY = 65536 };
	ssdlab_drive *h = c->h;
	const struct ssdlab_options *o = &h->shared->options;

	h->stopped = o->progress && i % EVERY == EVERY - 1 &&
		     o->progress(o->progress_context, h->run.requests, (double)i / (double)c->n);
	return !h->stopped;
}

/* The next request is announced before this one is served: a hint for speed, as with a workload. */
static void library_submit_all(struct library_call *c)
{
	ssdlab_drive *h = c->h;
	struct request next, r;
	enum run_end end = RUN_DONE;
	bool more = c->n && library_take(c, 0, &next);

	for (size_t i = 0; more && end == RUN_DONE; i++) {
		r = next;
		if (library_arrives_now(c))
			r.arrival = h->last_arrival = ssdlab_now(h);
		more = i + 1 < c->n && library_take(c, i + 1, &next);
		if (more)
			drive_expect(h->drive, &next);
		end = run_serve(&h->run, &r);
		c->done++;
		if (end == RUN_DONE && more && !library_goes_on(c, i))
			end = RUN_INTERRUPTED;
	}
	if (end != RUN_DONE)
		library_end_run(c, end);
}

static bool library_columns_are_given(struct library_call *c)
{
	const struct ssdlab_columns *of = c->columns;
	const struct library_given given[] = { { of->sector, "columns.sector" },
		{ of->sectors, "columns.sectors" }, { of->kind, "columns.kind" }, { NULL, NULL } };

	if (of->size != sizeof *of)
		library_fault(c, "columns.size is not that of struct ssdlab_columns: compile the program "
				 "with the header of this library");
	return c->status == SSDLAB_OK && (!c->n || library_has(c, given));
}

static void library_call_submit(void *call)
{
	struct library_call *c = call;

	library_changed(c->h);
	if (c->columns && !library_columns_are_given(c))
		return;
	if (c->h->drive->host->tenants.count > 1)
		library_fault(c,
			"host.tenants = %u: requests of the caller enter in his order; tenants are for "
			"ssdlab_run()",
			c->h->drive->host->tenants.count);
	else if (c->n && (c->h->prepared || library_prepare(c, NULL)))
		library_submit_all(c);
}

static enum ssdlab_status library_submit(struct library_call *c, size_t *taken)
{
	library_enter(c, NEEDS_SERVING, library_call_submit);
	if (taken)
		*taken = c->done;
	return c->status;
}

enum ssdlab_status ssdlab_submit(
	ssdlab_drive *h, const struct ssdlab_request *requests, size_t n, size_t *taken)
{
	struct library_call c = { .h = h, .rows = requests, .n = n, NEEDED(GIVEN_IF(n, requests)) };

	return library_submit(&c, taken);
}

enum ssdlab_status ssdlab_submit_columns(
	ssdlab_drive *h, const struct ssdlab_columns *columns, size_t n, size_t *taken)
{
	struct library_call c = { .h = h, .columns = columns, .n = n, NEEDED(GIVEN(columns)) };

	return library_submit(&c, taken);
}

/* ---- time ---- */

uint64_t ssdlab_now(const ssdlab_drive *h)
{
	return h && h->drive ? schedule_now(h->drive->flash->schedule) : 0;
}

uint64_t ssdlab_sectors(const ssdlab_drive *h)
{
	return h && h->drive ? h->drive->host->sectors : 0;
}

uint64_t ssdlab_in_flight(const ssdlab_drive *h)
{
	return h && h->drive ? h->drive->in_drive : 0;
}

static void library_call_advance(void *call)
{
	struct library_call *c = call;

	library_changed(c->h);
	if (c->number > SSDLAB_TIME_MOST)
		library_fault(c, "%llu ns is too late; the last moment is %llu ns",
			(unsigned long long)c->number, (unsigned long long)SSDLAB_TIME_MOST);
	else if (c->h->prepared || library_prepare(c, NULL))
		drive_run_until(c->h->drive, c->number);
}

enum ssdlab_status ssdlab_advance(ssdlab_drive *h, uint64_t until_ns)
{
	struct library_call c = { .h = h, .number = until_ns };

	return library_enter(&c, NEEDS_DRIVE, library_call_advance);
}

/* Completions of work in idle time, which is no request, do not count. */
static void library_call_next(void *call)
{
	struct library_call *c = call;
	struct drive *d = c->h->drive;
	uint64_t before = d->in_drive;

	library_changed(c->h);
	while (d->in_drive && d->in_drive == before && drive_run_to_completion(d))
		;
}

enum ssdlab_status ssdlab_next(ssdlab_drive *h)
{
	struct library_call c = { .h = h };

	return library_enter(&c, NEEDS_DRIVE, library_call_next);
}

static void library_call_drain(void *call)
{
	struct library_call *c = call;

	library_changed(c->h);
	drive_drain(c->h->drive);
}

enum ssdlab_status ssdlab_drain(ssdlab_drive *h)
{
	struct library_call c = { .h = h };

	return library_enter(&c, NEEDS_DRIVE, library_call_drain);
}

static void library_call_completions(void *call)
{
	struct library_call *c = call;
	ssdlab_drive *h = c->h;
	struct array_field next = POOL_FIELD(h->completed, struct library_completed, next);
	struct ssdlab_completion *to = c->out;
	uint32_t number;

	if (!h->shared->options.completions)
		library_fault(c, "the drive was opened without completions; set options.completions");
	for (; c->done < c->n && (number = queue_take(&h->done, next)) != INDEX_NONE; c->done++) {
		to[c->done] = *library_completion(h, number);
		pool_give(&h->completed, number);
	}
	*c->count = c->done;
}

enum ssdlab_status ssdlab_completions(
	ssdlab_drive *h, struct ssdlab_completion *completions, size_t room, size_t *taken)
{
	struct library_call c = { .h = h,
		.out = completions,
		.n = room,
		.count = taken,
		NEEDED(GIVEN(taken), GIVEN_IF(room, completions)) };

	if (taken)
		*taken = 0;
	return library_enter(&c, NEEDS_DRIVE, library_call_completions);
}
