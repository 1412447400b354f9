#include "drive/run/timeline.h"

#include "base/memory.h"
#include "drive/run/explain.h"
#include "flash/schedule.h"

static bool timeline_covers(const struct timeline *t, uint64_t number)
{
	return number >= t->from && number <= t->to;
}

void timeline_begin(struct timeline *t, struct drive *d, uint64_t number)
{
	if (!timeline_covers(t, number))
		return;
	t->tracer.hardware = t->tracer.open = true;
	schedule_trace(d->flash->schedule, &t->tracer);
}

void timeline_taken(struct timeline *t, struct drive *d, const struct request *r, uint64_t number)
{
	uint32_t first =
		t->requests ? t->request[t->requests - 1].first + t->request[t->requests - 1].ops : 0;

	if (!timeline_covers(t, number))
		return;
	t->request =
		memory_grown(t->request, &t->request_room, t->requests + 1, sizeof *t->request, "timeline");
	t->request[t->requests++] = (struct timed_request){ .request = *r,
		.number = number,
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

void timeline_end(struct timeline *t, struct drive *d)
{
	schedule_trace(d->flash->schedule, NULL);
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
