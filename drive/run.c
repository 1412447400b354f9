#include "drive/run.h"

#include "flash/schedule.h"

/* How often keep_going() is asked, in requests; a power of two. */
#define ASK_EVERY 4096u

/* Lets time pass until the request may enter the drive: it has arrived and there is a slot. */
static void wait_for_slot(struct run *run, struct request *r)
{
	struct drive *d = run->drive;
	const struct host_settings *host = d->host->settings;
	uint64_t slots = host_slots(host);

	if (host->mode == HOST_OPEN)
		drive_run_until(d, r->arrival);
	while (d->in_drive >= slots && drive_run_to_completion(d))
		;
	if (host->mode == HOST_CLOSED)
		r->arrival = schedule_now(d->flash->schedule);
}

/* The next request of the workload, fitted to the drive, which is told to expect it. */
static enum trace_status fetch(struct run *run, struct request *r, struct fault *fault)
{
	enum trace_status status = workload_next_for(run->drive->host, run->workload, r, fault);

	if (status == TRACE_OK && r->type == REQUEST_COLLECT && !run->drive->ftl->store) {
		fault_set(fault, "%s:%llu: gc: ftl = %s has no collector that could be asked to collect",
			run->workload->name, (unsigned long long)r->line, run->drive->ftl->ops->name);
		return TRACE_BAD;
	}
	if (status == TRACE_OK)
		drive_expect(run->drive, r);
	return status;
}

static bool submit(struct run *run, const struct request *r)
{
	bool served;

	if (run->timeline) {
		timeline_begin(run->timeline, run->drive, run->requests);
		served = drive_submit(run->drive, r);
		timeline_taken(run->timeline, run->drive, r, run->requests);
		return served;
	}
	if (!run->explanation || run->explanation->number != run->requests)
		return drive_submit(run->drive, r);
	explanation_begin(run->explanation, run->drive, r);
	served = drive_submit(run->drive, r);
	explanation_taken(run->explanation, run->drive);
	return served;
}

/* One request is fetched ahead of the one being served. */
void run_begin(struct run *run, struct fault *fault)
{
	run->status = fetch(run, &run->next, fault);
}

enum run_end run_step(struct run *run, struct fault *fault)
{
	struct request r = run->next;

	run->requests++;
	run->asides += r.type == REQUEST_COLLECT;
	run->status = fetch(run, &run->next, fault);
	wait_for_slot(run, &r);
	if (run->windows)
		windows_pass(run->windows, run->drive, run->requests - 1);
	return submit(run, &r) ? RUN_DONE : RUN_DRIVE_FAILED;
}

void run_wait(struct run *run)
{
	if (run->status == TRACE_OK)
		wait_for_slot(run, &run->next);
	else
		drive_drain(run->drive);
}

enum run_end run_workload(struct run *run, struct fault *fault)
{
	enum run_end end = RUN_DONE;

	run_begin(run, fault);
	while (end == RUN_DONE && run->status == TRACE_OK) {
		end = run_step(run, fault);
		if (end == RUN_DONE && run->requests % ASK_EVERY == 0 && !run->keep_going(run->context, run))
			end = RUN_INTERRUPTED;
	}
	if (run->status == TRACE_BAD)
		return RUN_BAD_WORKLOAD;
	drive_drain(run->drive);
	if (run->windows)
		windows_end(run->windows, run->drive, run->requests);
	return end;
}
