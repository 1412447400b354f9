#include "run/timeline.h"

#include "base/memory.h"
#include "run/explain.h"
#include "flash/schedule.h"

static bool covers(const struct timeline *t, uint64_t number)
{
	return number >= t->from && number <= t->to;
}

void timeline_begin(struct timeline *t, struct drive *d, uint64_t number)
{
	if (!covers(t, number))
		return;
	t->watch.spans = t->watch.open = true;
	schedule_watch(d->flash->schedule, &t->watch);
}

void timeline_taken(struct timeline *t, struct drive *d, const struct request *r, uint64_t number)
{
	const struct watch *w = &t->watch;
	uint32_t first =
		t->requests ? t->request[t->requests - 1].first + t->request[t->requests - 1].ops : 0;

	if (!covers(t, number))
		return;
	t->request =
		memory_grown(t->request, &t->request_room, t->requests + 1, sizeof *t->request, "timeline");
	t->request[t->requests++] = (struct timed_request){ .request = *r,
		.number = number,
		.taken = schedule_now(d->flash->schedule),
		.served = schedule_now(d->flash->schedule) + d->io.accesses * d->settings->dram.access_ns,
		.first = first,
		.ops = w->ops - first,
		.in_drive = d->in_drive,
		.free_pages = d->geometry.pages - d->flash->pages_used };
	t->owner = memory_grown(t->owner, &t->owner_room, w->ops + 1, sizeof *t->owner, "timeline");
	for (uint32_t i = first; i < w->ops; i++)
		name_owner(d->ftl, w->op[i].owner, t->owner[i], sizeof *t->owner);
	t->watch.open = false;
}

void timeline_end(struct timeline *t, struct drive *d)
{
	schedule_watch(d->flash->schedule, NULL);
	for (uint32_t i = 0; i < t->requests; i++) {
		struct timed_request *r = &t->request[i];

		for (uint32_t k = r->first; k < r->first + r->ops; k++) {
			const struct watched_op *op = &t->watch.op[k];

			if (!op->detached && op->done != TICK_NEVER && op->done > r->served)
				r->served = op->done;
		}
	}
}

void timeline_release(struct timeline *t)
{
	watch_release(&t->watch);
	memory_free(t->request);
	memory_free(t->owner);
}
