/* A job on a model: requests in a closed loop, timed as fio does. */
#include "flash/schedule.h"
#include "cli/probe/probe.h"

#include <string.h>

static uint64_t probe_next(const struct probe_job *j, uint64_t i, struct random *random)
{
	uint64_t places = j->region / j->bytes;

	return j->offset + (j->series->in_order ? i % places : random_below(random, places)) * j->bytes;
}

static enum request_type probe_type(const struct probe_job *j, struct random *random)
{
	uint8_t reads = j->series->reads;

	return reads == 100 || (reads && random_below(random, 100) < reads) ? REQUEST_READ : REQUEST_WRITE;
}

/* Waits for the write, and sends a FLUSH. */
static bool probe_flush(struct drive *d)
{
	struct request r = { .type = REQUEST_FLUSH };

	while (d->in_drive && drive_run_to_completion(d))
		;
	r.arrival = schedule_now(d->flash->schedule);
	return drive_submit(d, &r);
}

bool probe_measure(
	struct drive *d, const struct probe_job *j, struct random *random, struct probe_result *result)
{
	tick_t start = schedule_now(d->flash->schedule);
	bool works = true;

	drive_count_from_here(d);
	for (uint64_t i = 0; i < j->requests && works; i++) {
		struct request r = { .sectors = (uint32_t)(j->bytes / SECTOR_BYTES) };

		if (j->burst && i % j->burst == 0) {
			drive_drain(d);
			drive_run_until(d, schedule_now(d->flash->schedule) + PROBE_PAUSE_NS);
		}
		while (d->in_drive >= j->depth && drive_run_to_completion(d))
			;
		r.arrival = schedule_now(d->flash->schedule);
		r.start = probe_next(j, i, random) / SECTOR_BYTES;
		r.type = probe_type(j, random);
		works = drive_submit(d, &r) && (!j->series->flushes || probe_flush(d));
	}
	drive_drain(d);
	result->ns = schedule_now(d->flash->schedule) - start;
	for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++)
		result->latency[type] = d->count->request[type].latency;
	result->flush = d->count->flush.request.latency;
	return works;
}
