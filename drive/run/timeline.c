#include "drive/run/timeline.h"

#include "base/memory.h"
#include "drive/run/explain.h"
#include "flash/schedule.h"

static void timeline_entering(void *timeline, const struct request *r)
{
	struct timeline *t = timeline;

	(void)r;
	t->entered++;
	t->tracer.open = t->entered >= t->from && t->entered <= t->to;
	if (t->entered != t->from)
		return;
	t->tracer.hardware = true;
	flash_observe(t->drive->flash, tracer_observer(&t->tracer));
}

static void timeline_issued(void *timeline, uint32_t ticket, const struct request *r)
{
	struct timeline *t = timeline;
	const struct drive *d = t->drive;
	uint32_t first =
		t->requests ? t->request[t->requests - 1].first + t->request[t->requests - 1].ops : 0;

	(void)ticket;
	if (!t->tracer.open)
		return;
	t->request =
		memory_grown(t->request, &t->request_room, t->requests + 1, sizeof *t->request, "timeline");
	t->request[t->requests++] = (struct timed_request){ .request = *r,
		.number = t->entered,
		.taken = schedule_now(d->flash->schedule),
		.served = schedule_now(d->flash->schedule) + d->io.accesses * d->settings->dram.access_ns,
		.first = first,
		.ops = t->tracer.ops - first,
		.in_drive = d->in_drive,
		.free_pages = d->geometry.pages - d->flash->pages_used };
	t->owner = memory_grown(t->owner, &t->owner_room, t->tracer.ops + 1, sizeof *t->owner, "timeline");
	for (uint32_t i = first; i < t->tracer.ops; i++)
		name_content(d->ftl, t->tracer.op[i].made.ppn, t->tracer.op[i].made.owner, t->owner[i],
			sizeof *t->owner);
	t->tracer.open = false;
}

void timeline_observe(struct timeline *t, struct drive *d)
{
	t->drive = d;
	t->observer = (struct drive_observer){
		.context = t, .entering = timeline_entering, .issued = timeline_issued
	};
	drive_observe(d, &t->observer);
}

void timeline_end(struct timeline *t, struct drive *d)
{
	flash_dismiss(d->flash, &t->tracer.observer);
	for (uint32_t i = 0; i < t->requests; i++) {
		struct timed_request *r = &t->request[i];

		for (uint32_t k = r->first; k < r->first + r->ops; k++) {
			const struct traced_op *op = &t->tracer.op[k];

			if (op->until != TICK_NEVER && op->until > r->served)
				r->served = op->until;
		}
	}
}

void timeline_release(struct timeline *t)
{
	tracer_release(&t->tracer);
	memory_free(t->request);
	memory_free(t->owner);
}
