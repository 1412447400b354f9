#include "legacy/engine.h"

/* SSDsim takes the least of the begin times, newest read first, and treats a 0 found so far as "none
 * yet": a read issued at time 0 hides those created after it. */
void legacy_read_begins(struct engine *e, const struct read *r)
{
	struct request *q;

	if (r->request == NONE)
		return;
	q = request_at(e, r->request);
	if (e->now == 0) {
		if (r->ordinal < q->read_at_0)
			q->read_at_0 = r->ordinal;
	} else if (r->ordinal < q->read_at_0 && (!q->begin || e->now < q->begin)) {
		q->begin = e->now;
	}
}

void legacy_subrequest_timed(struct engine *e, uint32_t request, int64_t end)
{
	struct request *q = request_at(e, request);

	if (end > q->end)
		q->end = end;
	if (!--q->pending)
		timed_push(&e->due, q->answered ? 0 : (uint64_t)q->end, request);
}

void legacy_request_answered(struct engine *e, uint32_t request)
{
	struct request *q = request_at(e, request);

	q->begin = e->now;
	q->end = e->now + 1000;
	q->answered = true;
}

/* Puts a read in the queue of its chip and in the index. */
static uint32_t queue_read(struct engine *e, uint32_t ppn, uint32_t sectors)
{
	uint32_t number = pool_take(&e->reads), chip = ppn / e->layout.pages_per_chip;

	*read_at(e, number) = (struct read){ .end = TIME_NEVER,
		.ppn = ppn,
		.sectors = sectors,
		.request = NONE,
		.write = NONE,
		.next = NONE,
		.sharer = NONE,
		.sequence = (uint32_t)++e->sequence };
	queue_append(&e->chip[chip].reads, next_reads(e), number);
	e->channel[chip / e->layout.chips].reads++;
	hash_add(&e->queued_reads, reads_by_ppn(e), number);
	return number;
}

bool legacy_on_drive(struct engine *e, uint32_t lpn)
{
	if (lpn >= e->layout.logical_pages)
		legacy_stop(e, Q29_REQUEST_NOT_WRAPPED, LEGACY_REFUSED,
			"a request runs past the last page of the drive, which a larger 'overprovide' "
			"prevents");
	return lpn < e->layout.logical_pages;
}

/* If a read of the page is already queued, SSDsim completes this one in 1000 ns, however long the queued one
 * waits.  For a page that was never written it reads page 0. */
void legacy_create_read(struct engine *e, uint32_t request, uint32_t lpn, uint32_t sectors)
{
	struct record map = record_get(&e->map, lpn);
	uint32_t queued = hash_find(&e->queued_reads, reads_by_ppn(e), map.number), number;
	struct request *q = request_at(e, request);
	struct read r = { .request = request, .ordinal = q->reads++ };

	q->pending++;
	if (quirk_kept(e, Q19_FREE_DUPLICATE_READ) ? queued != NONE : !map.mask) {
		legacy_read_begins(e, &r);
		legacy_subrequest_timed(e, request, e->now + 1000);
	} else if (queued != NONE) {
		legacy_read_begins(e, &r);
		number = pool_take(&e->reads);
		r.sharer = read_at(e, queued)->sharer;
		*read_at(e, number) = r;
		read_at(e, queued)->sharer = number;
	} else {
		number = queue_read(e, map.number, sectors);
		read_at(e, number)->request = request;
		read_at(e, number)->ordinal = r.ordinal;
	}
}

/* Reads the sectors that a partial write does not cover. SSDsim counts the read twice, and reads also sectors
 * that only the write has, which are on no page yet. Returns the read, or NONE if the write covers all. */
static uint32_t create_update_read(struct engine *e, struct record map, uint32_t mask)
{
	bool twice = quirk_kept(e, Q6_UPDATE_READ_TWICE);

	if (!(map.mask & ~mask))
		return NONE;
	e->count.update_reads++;
	e->count.reads += twice;
	return queue_read(e, map.number, legacy_mask_sectors(twice ? map.mask ^ mask : map.mask & ~mask));
}

uint32_t legacy_create_write(struct engine *e, uint32_t request, uint32_t lpn, uint32_t mask)
{
	struct record map = record_get(&e->map, lpn);
	struct request *q = request_at(e, request);
	uint32_t update = create_update_read(e, map, mask);
	uint32_t number = pool_take(&e->writes);
	struct write *w = write_at(e, number);
	const struct layout *l = &e->layout;

	if (update != NONE && !e->dynamic)
		mask |= map.mask;
	*w = (struct write){ .lpn = lpn,
		.mask = mask,
		.request = request,
		.update = NONE,
		.next = NONE,
		.sequence = (uint32_t)++e->sequence };
	q->pending++;
	q->begin = e->now;
	if (e->per_channel)
		e->channel[e->dynamic ? lpn % l->channels
				      : legacy_static_plane(e, lpn) / l->planes_per_chip / l->chips]
			.writes++;
	e->queued_writes++;
	if (update != NONE && e->update_blocks) {
		w->update = update;
		read_at(e, update)->write = number;
	} else {
		legacy_lane_append(e, number);
	}
	return legacy_mask_sectors(mask);
}
