#include "drive/run/inside.h"

#include "base/hash.h"
#include "flash/schedule.h"
#include "ftl/store.h"

#include <inttypes.h>

/* keep_going() is called each time this many requests have been taken; a power of two. */
#define ASK_EVERY 4096u

/* Lets time pass until the request may enter the drive: it has arrived and there is a slot. */
static void run_wait_for_slot(struct drive *d, struct request *r)
{
	const struct host_settings *host = d->host->settings;
	uint64_t slots = host_slots(host);

	if (host->mode == HOST_OPEN)
		drive_run_until(d, r->arrival);
	while (d->in_drive >= slots && drive_run_to_completion(d))
		;
	if (host->mode == HOST_CLOSED)
		r->arrival = schedule_now(d->flash->schedule);
}

/* Takes the next request.  Skips updates of placement handles if the drive has none. */
static enum trace_status run_next_request(
	struct run *run, struct workload *workload, struct request *r, struct fault *fault)
{
	bool updates = store_knows(run->drive->ftl->store, REQUEST_UPDATE);
	enum trace_status status;

	do
		status = workload_next_for(run->drive->host, workload, r, fault);
	while (status == TRACE_OK && r->type == REQUEST_UPDATE && !updates);
	return status;
}

/* False: the command needs a collector or a zone that the drive lacks, or zones that the host layer uses. */
bool run_has_what_it_needs(
	const struct run *run, const struct workload *workload, const struct request *r, struct fault *fault)
{
	const struct drive *d = run->drive;
	const char *lacks = NULL;
	uint32_t zones = d->geometry.zone_pages ? d->geometry.logical_pages / d->geometry.zone_pages : 0;

	if (r->type == REQUEST_COLLECT && !d->ftl->store)
		lacks = "has no collector that could be asked to collect";
	if (r->type == REQUEST_ZONE && (!d->ftl->ops->command || r->start >= zones))
		lacks = "has no such zone";
	if (lacks)
		return fault_set(fault, "%s:%" PRIu64 ": %s: ftl = %s %s", workload->name, r->line,
			r->type == REQUEST_COLLECT ? "gc" : "zone command", d->ftl->ops->name, lacks);
	return r->type != REQUEST_ZONE || d->host->ops->order == HOST_AS_ASKED ||
	       fault_set(fault, "%s:%" PRIu64 ": zone command: host.layer = %s has the zones to itself",
		       workload->name, r->line, d->host->ops->name);
}

/* Arrivals of a later workload count from the present moment.  False: that is too late. */
static bool run_move_arrival(
	const struct run *run, const struct workload *workload, struct request *r, struct fault *fault)
{
	r->arrival += run->from;
	return !run->from || (r->arrival >= run->from && r->arrival <= TICK_NEVER / 2) ||
	       fault_set(fault,
		       "%s:%" PRIu64 ": arrives too late, %" PRIu64
		       " ns after this workload began at %" PRIu64 "; the last moment is %" PRIu64 " ns",
		       workload->name, r->line, r->arrival - run->from, run->from, TICK_NEVER / 2);
}

enum trace_status run_fetch(
	struct run *run, struct workload *workload, struct request *r, uint64_t *sum, struct fault *fault)
{
	enum trace_status status = run_next_request(run, workload, r, fault);
	const uint64_t summed[] = { r->arrival, r->start << 2 | (uint64_t)r->type, r->sectors };

	if (status != TRACE_OK)
		return status;
	if (!run_move_arrival(run, workload, r, fault) ||
		(!request_is_awaited(r->type) && !run_has_what_it_needs(run, workload, r, fault)))
		return TRACE_BAD;
	if (run->keeps_sum)
		*sum = hash_bytes(*sum, summed, sizeof summed);
	return TRACE_OK;
}

void run_tell_other_workload(
	struct run *run, const struct workload *workload, uint64_t requests, struct fault *fault)
{
	run->status = TRACE_BAD;
	fault_set(fault,
		"%s: not the workload of the run that was saved: its first %" PRIu64 " requests differ",
		workload->name, requests);
}

/* ---- the source for one tenant: a request is fetched ahead of the one being served ---- */

static void run_fetch_next(struct run *run, struct fault *fault)
{
	run->status = run_fetch(run, run->workload, &run->next, &run->sum, fault);
	if (run->status == TRACE_OK)
		drive_expect(run->drive, &run->next);
}

/* Reads the workload again up to the next request of the saved run.  `folded` counts them already. */
static void run_skip(struct run *run, struct fault *fault)
{
	uint64_t folded = run->drive->host->folded, sum = run->sum;

	run->sum = HASH_NOTHING;
	for (uint64_t i = 0; i <= run->requests && (!i || run->status == TRACE_OK); i++)
		run_fetch_next(run, fault);
	run->drive->host->folded = folded;
	if (run->status != TRACE_BAD && run->sum != sum)
		run_tell_other_workload(run, run->workload, run->requests, fault);
}

static void run_start(struct run *run, struct fault *fault)
{
	run->sum = HASH_NOTHING;
	run_fetch_next(run, fault);
}

static bool run_find(struct run *run, struct fault *fault)
{
	(void)fault;
	run_wait_for_slot(run->drive, &run->next);
	return true;
}

static bool run_take(struct run *run, struct request *r, struct fault *fault)
{
	*r = run->next;
	run_fetch_next(run, fault);
	run_wait_for_slot(run->drive, r);
	return true;
}

static const struct run_source source_of_one = {
	.begin = run_start, .skip = run_skip, .find = run_find, .take = run_take
};

/* ---- the loop ---- */

void run_begin(struct run *run, struct fault *fault)
{
	run->source = run->drive->host->door ? &tenants_source : &source_of_one;
	(run->resumed ? run->source->skip : run->source->begin)(run, fault);
}

/* Counts a request and submits it to the drive.  False: the drive did not take it. */
static bool run_enter(struct run *run, const struct request *r)
{
	run->requests++;
	run->commands += !request_is_awaited(r->type);
	return drive_submit(run->drive, r);
}

enum run_end run_serve(struct run *run, struct request *r)
{
	run_wait_for_slot(run->drive, r);
	return run_enter(run, r) ? RUN_DONE : RUN_DRIVE_FAILED;
}

/* Why the drive did not take the request: it is full or worn out, or the request broke one of its rules. */
static enum run_end run_refused(struct run *run, const struct request *r, struct fault *fault)
{
	const char *refusal = run->drive->ftl->refusal;

	if (!*refusal)
		return RUN_DRIVE_FAILED;
	fault_set(fault, "%s:%" PRIu64 ": request %" PRIu64 " %s", workload_name(run->workload, r), r->line,
		run->requests, refusal);
	return RUN_BAD_WORKLOAD;
}

enum run_end run_step(struct run *run, struct fault *fault)
{
	struct request r;

	if (!run->source->take(run, &r, fault))
		return RUN_DONE;
	if (!run_enter(run, &r))
		return run_refused(run, &r, fault);
	if (run->source->entered)
		run->source->entered(run, &r, fault);
	return RUN_DONE;
}

void run_wait(struct run *run, struct fault *fault)
{
	if (run->status != TRACE_OK || !run->source->find(run, fault))
		drive_drain(run->drive);
}

static bool run_is_time_to_ask(const struct run *run)
{
	return run->requests % ASK_EVERY == 0 || (run->ask_every && run->requests % run->ask_every == 0);
}

enum run_end run_workload(struct run *run, struct fault *fault)
{
	enum run_end end = RUN_DONE;

	run_begin(run, fault);
	while (end == RUN_DONE && run->status == TRACE_OK)
		end = run_is_time_to_ask(run) && !run->keep_going(run->context, run) ? RUN_INTERRUPTED
										     : run_step(run, fault);
	/* A signal may have ended the wait for the next request: then the workload is not bad. */
	if (run->status == TRACE_BAD && run->keep_going(run->context, run))
		return RUN_BAD_WORKLOAD;
	if (run->status == TRACE_BAD)
		end = RUN_INTERRUPTED;
	if (end == RUN_DONE && run->drive->queue_judge)
		queue_judge_end(run->drive->queue_judge);
	drive_drain(run->drive);
	if (run->windows)
		windows_end(run->windows);
	return end;
}

void run_failure(const struct run *run, struct fault *why)
{
	const struct drive *d = run->drive;
	uint64_t requests = run->workload ? workload_requests(run->workload) : 0;
	struct ftl_facts facts = ftl_facts(d->ftl);
	char all[40] = "";

	if (requests)
		snprintf(all, sizeof all, " of %" PRIu64, requests);
	if (*d->ftl->refusal)
		fault_set(why, "request %" PRIu64 " %s", run->requests, d->ftl->refusal);
	else if (facts.retired_blocks)
		fault_set(why,
			"worn out after %" PRIu64 "%s requests: %" PRIu64
			" of %u blocks have reached flash.endurance, no page can be written any more",
			run->requests, all, facts.retired_blocks, d->geometry.blocks);
	else
		fault_set(why,
			"full after %" PRIu64 "%s requests: no page can be written and no block reclaimed; a "
			"larger flash.over_provisioning helps",
			run->requests, all);
}
