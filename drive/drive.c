#include "drive/durable.h"
#include "drive/inside.h"

#include "flash/schedule.h"
#include "ftl/store.h"

#include <string.h>

/* Most pages of one request whose mapping entries are prefetched. */
#define EXPECT_MOST 4u

/* ---- the request path ---- */

/* The buffer's sink: flushes and misses reach the FTL as part of the current request.  The request does not
 * wait for flushes that make room for data that it has already read. */
static void drive_hand_over(struct drive *d, const struct extent *extents, size_t n,
	void (*write)(struct ftl *, struct io *, const struct extent *, size_t))
{
	uint32_t accesses = d->io.accesses;

	if (d->ftl->failed)
		return;
	d->io.detached = d->buffer->allocating;
	write(d->ftl, &d->io, extents, n);
	d->io.detached = false;
	if (d->buffer->allocating)
		d->io.accesses = accesses;
}

/* Data of one placement handle. */
static void drive_write_run(void *drive, uint8_t handle, const struct extent *extents, size_t n)
{
	struct drive *d = drive;
	uint8_t of_request = d->io.handle;

	d->io.handle = handle;
	drive_hand_over(d, extents, n, d->ftl->ops->write);
	d->io.handle = of_request;
}

static void drive_write_to_ftl(void *drive, const struct extent *extents, size_t n)
{
	struct drive *d = drive;

	if (page_handles_kept(&d->handles))
		page_handles_write(&d->handles, extents, n, drive_write_run, d);
	else
		drive_hand_over(d, extents, n, d->ftl->ops->write);
}

static void drive_write_merged_to_ftl(void *drive, const struct extent *extents, size_t n)
{
	struct drive *d = drive;

	drive_hand_over(d, extents, n, d->ftl->ops->write_merged);
}

static void drive_read_from_ftl(void *drive, const struct extent *extents, size_t n)
{
	struct drive *d = drive;

	d->ftl->ops->read(d->ftl, &d->io, extents, n);
}

static void drive_expect_read(struct drive *d, const struct request *r)
{
	oracle_expect(d->oracle, request_extent(r));
	for (uint32_t i = 0; i < d->host->parts; i++)
		oracle_expect_at(d->oracle, d->host->part[i].host, d->host->part[i].device);
}

/* Tells the oracle of a part of a write: the request's data is new, all other data was read before. */
static void drive_tell_written(struct drive *d, const struct request *r, const struct host_part *p)
{
	struct extent e = { p->host, p->host + extent_sectors(p->device) };
	struct extent all = p->appends ? e : request_extent(r); /* an append has gone to its zone's pointer */
	sector_t from = e.start > all.start ? e.start : all.start, to = e.end < all.end ? e.end : all.end;

	if (p->moves || from >= to)
		from = to = e.start;
	if (d->io.timed && e.start < from)
		oracle_give(d->oracle, (struct extent){ e.start, from });
	if (d->io.timed && to < e.end)
		oracle_give(d->oracle, (struct extent){ to, e.end });
	if (from < to)
		oracle_write(d->oracle, (struct extent){ from, to });
}

static void drive_write_batch(struct drive *d)
{
	if (d->batched)
		d->ftl->ops->write(d->ftl, &d->io, d->batch, d->batched);
	d->batched = 0;
}

/* Outside time: bypasses the buffer, which is empty then.  Ascending writes reach the FTL in batches. */
static void drive_serve_part_untimed(struct drive *d, const struct host_part *p)
{
	uint32_t n = d->batched;

	if (p->type != REQUEST_WRITE || (n && (n == DRIVE_BATCH || p->device.start < d->batch[n - 1].end)))
		drive_write_batch(d);
	if (p->type == REQUEST_WRITE) {
		oracle_send(d->oracle, p->host, p->device);
		d->batch[d->batched++] = p->device;
	} else if (p->type == REQUEST_READ) {
		d->ftl->ops->read(d->ftl, &d->io, &p->device, 1);
	} else {
		oracle_unsend(d->oracle, p->device);
		d->ftl->ops->trim(d->ftl, &d->io, p->device);
	}
}

static void drive_serve_part(struct drive *d, const struct host_part *p)
{
	if (!d->io.timed) {
		drive_serve_part_untimed(d, p);
	} else if (p->type == REQUEST_READ) {
		d->io.accesses += buffer_read(d->buffer, p->device);
	} else if (p->type == REQUEST_WRITE) {
		oracle_send(d->oracle, p->host, p->device);
		if (page_handles_kept(&d->handles))
			page_handles_note(&d->handles, p->device, d->io.handle);
		d->io.accesses += buffer_write(d->buffer, p->device);
	} else {
		oracle_unsend(d->oracle, p->device);
		buffer_trim(d->buffer, p->device);
		d->ftl->ops->trim(d->ftl, &d->io, p->device);
	}
}

static void drive_serve_read_of_write(struct drive *d, const struct host_part *p)
{
	oracle_expect(d->oracle, (struct extent){ p->host, p->host + extent_sectors(p->device) });
	oracle_expect_at(d->oracle, p->host, p->device);
	drive_serve_part(d, p);
	oracle_answered(d->oracle);
	oracle_take(d->oracle, (struct extent){ p->host, p->host + extent_sectors(p->device) });
}

/* Does the FTL accept this write or trim?  Sets the address of an append. */
static bool drive_admits(struct drive *d, struct host_part *p)
{
	sector_t start = p->device.start;

	if (!d->ftl->ops->admit)
		return true;
	drive_write_batch(d);
	if (d->ftl->failed || !d->ftl->ops->admit(d->ftl, &d->io, &p->device, p->type, p->appends))
		return false;
	p->host += p->device.start - start;
	return true;
}

/* Makes operations issued from now on depend on the parts that this part's `after` names. */
static void drive_set_step(struct drive *d, struct host_part *p)
{
	const struct host_part *part = d->host->part;
	bool waits = p->after.from < p->after.end;

	p->issued = d->io.last_op;
	d->io.step_behind = waits ? part[p->after.from].issued : INDEX_NONE;
	d->io.step = waits ? part[p->after.end].issued : INDEX_NONE;
	d->io.step_of_writes = waits && part[p->after.from].type == REQUEST_WRITE;
}

/* With a host layer a write may also read sectors, as they were before the write, and write them elsewhere.
 * Outside time these reads would change nothing and are skipped. */
static void drive_serve_write(struct drive *d, const struct request *r)
{
	struct host *h = d->host;

	for (struct host_part *p = h->part; p < h->part + h->parts; p++) {
		drive_set_step(d, p);
		if (p->type == REQUEST_READ) {
			if (d->io.timed && !(d->ftl->failed && d->ftl->ops->admit))
				drive_serve_read_of_write(d, p);
		} else if (drive_admits(d, p)) {
			if (d->oracle && p->type == REQUEST_WRITE)
				drive_tell_written(d, r, p);
			drive_serve_part(d, p);
		}
	}
}

static void drive_serve_trim(struct drive *d)
{
	struct host *h = d->host;

	for (uint32_t i = 0; i < h->parts; i++)
		if (!drive_admits(d, &h->part[i]))
			return;
	if (h->trimmed.start < h->trimmed.end)
		oracle_trim(d->oracle, h->trimmed);
	for (uint32_t i = 0; i < h->parts; i++)
		drive_serve_part(d, &h->part[i]);
}

static void drive_serve(struct drive *d, const struct request *r)
{
	struct host *h = d->host;

	host_map(h, r);
	if (r->type == REQUEST_WRITE) {
		drive_serve_write(d, r);
	} else if (r->type == REQUEST_TRIM) {
		drive_serve_trim(d);
	} else {
		if (d->oracle)
			drive_expect_read(d, r);
		for (uint32_t i = 0; i < h->parts; i++)
			drive_serve_part(d, &h->part[i]);
		oracle_answered(d->oracle);
	}
}

void drive_expect(struct drive *d, const struct request *r)
{
	const struct ftl_hints *hints = ftl_hints(d->ftl);
	lpn_t first = geometry_lpn(&d->geometry, r->start);
	lpn_t last = geometry_lpn(&d->geometry, r->start + r->sectors - 1);

	if (!request_has_sectors(r->type) || !hints->prefetch)
		return;
	for (sector_t lpn = d->prefetched.start; lpn < d->prefetched.end; lpn++)
		hints->prefetch(d->ftl, (lpn_t)lpn, PREFETCH_TARGET);
	d->prefetched = (struct extent){ 0 };
	if (last >= d->geometry.logical_pages)
		return;
	hints->prefetch(d->ftl, first, PREFETCH_ENTRY);
	d->prefetched = (struct extent){ first, last < first + EXPECT_MOST ? last + 1 : first + EXPECT_MOST };
}

/* When the drive may begin a request: the controller has processed the command, and the data of a write has
 * crossed the link. */
static tick_t drive_arrives(struct drive *d, const struct request *r)
{
	tick_t now = host_process_command(d->host, schedule_now(d->flash->schedule));

	if (!host_has_link(d->host->settings) || r->type == REQUEST_READ)
		return now;
	return host_cross(d->host, false, now, r->type == REQUEST_WRITE ? r->sectors : 0);
}

static void drive_count_programs(struct class_statistics *c, uint64_t programs, const struct request *r)
{
	c->programs += programs;
	c->programs_each += (double)programs / r->sectors;
}

/* At the start of a request: the data in the blocks ages, and tools of the store work before it. */
static void drive_prepare(struct drive *d, const struct request *r)
{
	bool first = d->flash->retry && flash_pass_time(d->flash);

	if (d->ftl->store)
		store_enter(d->ftl->store, &d->io, r, first);
}

static void drive_command(struct drive *d, const struct request *r)
{
	struct schedule *s = d->flash->schedule;

	upkeep_entered(&d->upkeep);
	schedule_begin(s, &d->io);
	if (d->prepares)
		drive_prepare(d, r);
	drive_remember(d, d->io.ticket, (struct pending){ .is_command = true });
	if (store_knows(d->ftl->store, r->type))
		store_command(d->ftl->store, &d->io, r);
	else if (r->type == REQUEST_ZONE)
		d->ftl->ops->command(d->ftl, &d->io, (uint32_t)r->start, (enum zone_command)r->hint);
	else if (!store_collect(d->ftl->store, &d->io))
		schedule_note(s, "no block can be reclaimed: each would cost as many pages as it frees");
	schedule_submit(s, &d->io, 0);
}

static void drive_serve_request(struct drive *d, const struct request *r)
{
	bool durable = durable_begin(d, r);

	if (r->type == REQUEST_FLUSH)
		durable_flush(d);
	else
		drive_serve(d, r);
	if (durable)
		durable_end(d);
}

/* Counts a request that has entered; `programs`: pages programmed for the host before it. */
static void drive_count_entered(
	struct drive *d, const struct request *r, enum request_class kind, uint64_t programs)
{
	d->in_drive++;
	if (r->type == REQUEST_FLUSH)
		d->flushes++;
	else
		d->submitted[r->type]++;
	if (r->type == REQUEST_WRITE)
		drive_count_programs(&d->count->of_class[kind][REQUEST_WRITE],
			d->flash->count[OP_PROGRAM][CAUSE_HOST] - programs, r);
}

static bool drive_is_first(const struct drive *d)
{
	return !d->submitted[REQUEST_READ] && !d->submitted[REQUEST_WRITE] && !d->submitted[REQUEST_TRIM] &&
	       !d->flushes;
}

static void drive_enter(struct drive *d, const struct request *r)
{
	enum request_class kind = drive_classify(&d->geometry, r);
	tick_t now = schedule_now(d->flash->schedule);
	uint64_t programs = d->flash->count[OP_PROGRAM][CAUSE_HOST];

	if (drive_is_first(d))
		d->first_arrival = r->arrival > d->counted_from ? r->arrival : d->counted_from;
	upkeep_entered(&d->upkeep);
	schedule_begin(d->flash->schedule, &d->io);
	drive_remember(d, d->io.ticket,
		(struct pending){ r->arrival, now, r->sectors, (uint8_t)r->type, (uint8_t)kind,
			d->tenant ? (uint8_t)r->device : 0,
			r->type == REQUEST_WRITE && r->flags & REQUEST_FUA });
	DRIVE_TELL(d, entered, (o->context, d->io.ticket, r));
	if (d->prepares)
		drive_prepare(d, r);
	drive_serve_request(d, r);
	drive_count_entered(d, r, kind, programs);
	schedule_submit(d->flash->schedule, &d->io,
		drive_arrives(d, r) - now + d->io.accesses * d->settings->dram.access_ns +
			d->io.controller_ns);
}

static void drive_act(struct drive *d)
{
	struct io io;

	schedule_begin_for_nobody(d->flash->schedule, &io);
	store_act(d->ftl->store, &io);
	schedule_submit(d->flash->schedule, &io, 0);
}

bool drive_submit(struct drive *d, const struct request *r)
{
	DRIVE_TELL(d, entering, (o->context, r));
	if (d->acts && store_is_due(d->ftl->store))
		drive_act(d);
	if (request_is_awaited(r->type))
		drive_enter(d, r);
	else
		drive_command(d, r);
	DRIVE_TELL(d, issued, (o->context, d->io.ticket, r));
	return !d->ftl->failed;
}

void drive_observe(struct drive *d, struct drive_observer *observer)
{
	struct drive_observer **link = &d->observers;

	while (*link)
		link = &(*link)->next;
	*link = observer;
	observer->next = NULL;
	if (observer->served && !d->accounts) {
		d->accounts = accounts_create(d->geometry.dies);
		flash_observe(d->flash, accounts_observer(d->accounts));
	}
}

void drive_dismiss(struct drive *d, struct drive_observer *observer)
{
	struct drive_observer **link = &d->observers;

	while (*link && *link != observer)
		link = &(*link)->next;
	if (*link)
		*link = observer->next;
}

/* Entries of free tickets are marked too, but overwritten before they are read. */
void drive_count_from_here(struct drive *d)
{
	stat_list_start(&d->statistics);
	memset(d->submitted, 0, sizeof d->submitted);
	d->flushes = 0;
	for (uint32_t ticket = 0; ticket < d->pending_used; ticket++)
		d->pending[ticket].uncounted = true;
	d->uncounted = d->in_drive;
	d->warming = false;
	d->counted_from = d->first_arrival = d->last_completion = schedule_now(d->flash->schedule);
}

/* ---- outside time ---- */

static void drive_begin_untimed(struct drive *d)
{
	oracle_step(d->oracle);
	d->io = (struct io){ .flash = d->flash, .timed = false, .cached = d->replaying };
}

static void drive_serve_untimed(struct drive *d, const struct extent *e, size_t n, enum request_type type)
{
	drive_begin_untimed(d);
	for (size_t i = 0; i < n; i++) {
		uint32_t sectors = (uint32_t)extent_sectors(e[i]);

		drive_serve(d, &(struct request){ .start = e[i].start, .sectors = sectors, .type = type });
	}
	drive_write_batch(d);
	if (d->ftl->ops->place_map && !d->filling)
		d->ftl->ops->place_map(d->ftl, &d->io);
}

bool drive_place_map(struct drive *d)
{
	drive_begin_untimed(d);
	if (d->ftl->ops->place_map)
		d->ftl->ops->place_map(d->ftl, &d->io);
	return !d->ftl->failed;
}

bool drive_place_together(struct drive *d, const struct extent *extents, size_t n)
{
	if (drive_stops(d))
		return false;
	drive_serve_untimed(d, extents, n, REQUEST_WRITE);
	return !d->ftl->failed;
}

bool drive_place(struct drive *d, struct extent e)
{
	return drive_place_together(d, &e, 1);
}

void drive_discard(struct drive *d, struct extent e)
{
	drive_serve_untimed(d, &e, 1, REQUEST_TRIM);
}

void drive_look(struct drive *d, struct extent e)
{
	drive_serve_untimed(d, &e, 1, REQUEST_READ);
}

/* ---- assembly ---- */

bool drive_buffer(struct drive *d, const struct buffer_ops *ops, const void *own, struct fault *fault)
{
	const struct ftl_ops *ftl = d->ftl->ops;

	buffer_free(d->buffer);
	page_handles_release(&d->handles);
	if (ops->evict && store_has_labels(d->ftl->store))
		page_handles_init(&d->handles, &d->geometry);
	d->buffer = buffer_create(ops, own,
		(struct buffer_shape){ d->settings->dram.buffer_bytes, d->geometry.sectors_per_page,
			d->geometry.pages_per_block, d->geometry.logical_pages },
		(struct buffer_sink){ d, drive_write_to_ftl, drive_write_merged_to_ftl, drive_read_from_ftl },
		d->oracle);
	if (d->buffer->merges && !ftl->write_merged)
		return fault_set(fault,
			"buffer = %s needs an FTL that writes parts of several pages into one; ftl = %s "
			"does not",
			ops->name, ftl->name);
	if (d->buffer->pads && !ftl->pads)
		return fault_set(
			fault, "buffer = %s pads blocks, which ftl = %s cannot", ops->name, ftl->name);
	return true;
}
