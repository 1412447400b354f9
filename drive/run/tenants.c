#include "drive/run/inside.h"

#include "base/bits.h"
#include "base/hash.h"
#include "flash/schedule.h"
#include "ftl/store.h"
#include "host/door.h"

#include <inttypes.h>

/* Most requests held while a shared trace is read on for the next one of a tenant. */
#define HELD_MOST 65536u

static struct door *tenants_door(const struct run *run)
{
	return run->drive->host->door;
}

static tick_t tenants_now(const struct run *run)
{
	return schedule_now(run->drive->flash->schedule);
}

/* ---- from the workload ---- */

static struct workload *tenants_workload(const struct run *run, uint32_t source)
{
	return tenants_door(run)->apart ? &run->workload->part[source] : run->workload;
}

/* Reads a request of the source and holds it, unless its tenant is left out. */
static void tenants_read_one(struct run *run, uint32_t source, struct fault *fault)
{
	struct door *door = tenants_door(run);
	struct door_source *s = &door->source[source];
	struct request r;
	enum trace_status status = run_fetch(run, tenants_workload(run, source), &r, &s->sum, fault);

	s->ended = status != TRACE_OK;
	if (status == TRACE_BAD)
		run->status = TRACE_BAD;
	if (s->ended)
		return;
	s->taken++;
	if (!door->tenants->of[r.device].is_absent)
		queues_put(&door->held, door->line[r.device], &r);
}

/* Reads on until the line has a request, if there is one. */
static void tenants_fill_line(struct run *run, uint32_t line, struct fault *fault)
{
	struct door *door = tenants_door(run);
	uint32_t source = door->apart ? line : 0;

	while (run->status != TRACE_BAD && !bits_get(&door->held.used, line) && !door->source[source].ended) {
		if (!door->apart && door->held.count == HELD_MOST &&
			!run->drive->settings->trace.sort_fully) {
			run->status = TRACE_BAD;
			fault_set(fault,
				"%s: %u requests of other tenants are held, and the next one of tenant %u is "
				"not among them; trace.sort_fully = true holds any number",
				run->workload->name, HELD_MOST, line);
			return;
		}
		tenants_read_one(run, source, fault);
	}
}

static void tenants_fill_lines(struct run *run, struct fault *fault)
{
	struct door *door = tenants_door(run);

	for (uint32_t i = 0; i < door->tenants->count; i++)
		if (door->line[i] == i && !door->tenants->of[i].is_absent)
			tenants_fill_line(run, i, fault);
}

/* ---- arrivals ---- */

/* The first request of a line arrives, at time `arrival`. */
static void tenants_send(struct run *run, uint32_t line, tick_t arrival, struct fault *fault)
{
	struct door *door = tenants_door(run);
	struct request r = queues_take(&door->held, line);

	r.arrival = arrival;
	door_arrive(door, &r);
	if (run->drive->queue_judge)
		queue_judge_arrived(run->drive->queue_judge, &r, tenants_now(run));
	drive_expect(run->drive, &r);
	tenants_fill_line(run, line, fault);
	if (door->ends_with_first && !bits_get(&door->held.used, line))
		door_close(door);
}

/* A request of a tenant has completed: the next one of a closed tenant arrives, if it has one. */
static void tenants_go_on(struct run *run, uint32_t tenant, struct fault *fault)
{
	const struct door *door = tenants_door(run);

	if (!door->tenants->of[tenant].is_open && bits_get(&door->held.used, tenant))
		tenants_send(run, tenant, tenants_now(run), fault);
}

/* The line of open tenants with the next arrival, at equal times the first one, and when that is; INDEX_NONE:
 * there is none. */
static uint32_t tenants_next_open(const struct door *door, tick_t *when)
{
	uint64_t lines = door->held.used & door->open_lines;
	uint32_t next = INDEX_NONE;

	*when = TICK_NEVER;
	for (; lines; lines &= lines - 1) {
		uint32_t line = (uint32_t)__builtin_ctzll(lines);
		tick_t arrival = queues_first(&door->held, line)->arrival;

		if (next == INDEX_NONE || arrival < *when) {
			next = line;
			*when = arrival;
		}
	}
	return next;
}

/* Lets all requests arrive that are due. */
static void tenants_arrive(struct run *run, struct fault *fault)
{
	struct door *door = tenants_door(run);
	uint32_t line;
	tick_t when;

	for (uint32_t i = 0; i < door->lefts; i++)
		tenants_go_on(run, door->left[i], fault);
	door->lefts = 0;
	while ((line = tenants_next_open(door, &when)) != INDEX_NONE && when <= tenants_now(run))
		tenants_send(run, line, when, fault);
}

/* ---- into the drive ---- */

/* Lets time pass, with no request waiting, until one may arrive. */
static void tenants_pass(struct run *run)
{
	struct drive *d = run->drive;
	const struct door *door = d->host->door;
	tick_t when;

	if (tenants_next_open(door, &when) == INDEX_NONE) {
		BUG_ON(!drive_run_to_completion(d), "a tenant waits for a request that is not in the drive");
	} else if (door->held.used & ~door->open_lines) {
		drive_run_to_completion_until(d, when);
	} else {
		drive_run_until(d, when);
	}
}

/* Lets time pass until a request waits and there is a slot.  False: there are no more requests, or a
 * fault. */
static bool tenants_find(struct run *run, struct fault *fault)
{
	struct drive *d = run->drive;
	struct door *door = d->host->door;

	for (;;) {
		tenants_arrive(run, fault);
		if (run->status == TRACE_BAD)
			return false;
		if (door->waiting.count && (d->in_drive < door->slots || !drive_run_to_completion(d)))
			return true;
		if (!door->waiting.count && !door->held.count)
			return false;
		if (!door->waiting.count)
			tenants_pass(run);
	}
}

static void tenants_set_status(struct run *run)
{
	const struct door *door = tenants_door(run);

	if (run->status != TRACE_BAD)
		run->status = door->waiting.count || door->held.count ? TRACE_OK : TRACE_END;
}

static bool tenants_take(struct run *run, struct request *r, struct fault *fault)
{
	bool found = tenants_find(run, fault);

	if (found)
		*r = door_next(run->drive->host->door);
	tenants_set_status(run);
	return found;
}

/* A command takes no slot, and so will not complete. */
static void tenants_entered(struct run *run, const struct request *r, struct fault *fault)
{
	if (!request_is_awaited(r->type))
		tenants_go_on(run, r->device, fault);
	tenants_set_status(run);
}

/* ---- the beginning ---- */

/* Reads the workloads again up to where the saved run had read them. */
static void tenants_read_again(struct run *run, struct fault *fault)
{
	struct door *door = tenants_door(run);
	uint32_t sources = door->apart ? run->workload->parts : 1;
	uint64_t folded = run->drive->host->folded;

	for (uint32_t i = 0; i < sources && run->status != TRACE_BAD; i++) {
		struct workload *workload = tenants_workload(run, i);
		const struct door_source *s = &door->source[i];
		uint64_t sum = HASH_NOTHING, taken = 0;
		enum trace_status status = TRACE_OK;
		struct request r;

		while (status == TRACE_OK && taken < s->taken + s->ended) {
			status = run_fetch(run, workload, &r, &sum, fault);
			taken += status == TRACE_OK;
		}
		if (status == TRACE_BAD)
			run->status = TRACE_BAD;
		else if (taken != s->taken || (s->taken && sum != s->sum))
			run_tell_other_workload(run, workload, s->taken, fault);
	}
	run->drive->host->folded = folded;
}

static void tenants_skip(struct run *run, struct fault *fault)
{
	run->status = TRACE_OK;
	door_set_lines(tenants_door(run), run->workload->part);
	tenants_read_again(run, fault);
	tenants_set_status(run);
}

static void tenants_begin(struct run *run, struct fault *fault)
{
	struct door *door = tenants_door(run);

	run->status = TRACE_OK;
	door_set_lines(door, run->workload->part);
	door_clear(door);
	if (run->drive->queue_judge)
		queue_judge_forget(run->drive->queue_judge);
	tenants_fill_lines(run, fault);
	for (uint32_t i = 0; i < door->tenants->count; i++)
		for (uint64_t n = 0; n < door->tenants->of[i].depth && run->status != TRACE_BAD; n++)
			tenants_go_on(run, i, fault);
	tenants_set_status(run);
}

const struct run_source tenants_source = { tenants_begin, tenants_skip, tenants_find, tenants_take,
	tenants_entered };
