#include "drive/inside.h"

#include "drive/statistics.h"
#include "flash/schedule.h"
#include "ftl/fill_up.h"
#include "host/door.h"

/* ---- completions ---- */

static void drive_count_request(struct request_statistics *s, const struct pending *p, tick_t when)
{
	s->count++;
	histogram_add(&s->latency, when - p->arrival);
}

static void drive_count_in_class(struct class_statistics *c, const struct pending *p, tick_t when)
{
	drive_count_request(&c->request, p, when);
	c->request.sectors += p->sectors;
	c->latency_each += (double)(when - p->arrival) / p->sectors;
}

/* Counts a FLUSH as a trim: neither has rows of its own. */
static void drive_count_for_tenant(struct drive *d, const struct pending *p, tick_t when)
{
	struct tenant_statistics *t = &d->tenant[p->tenant];
	int type = p->type == REQUEST_FLUSH ? REQUEST_TRIM : p->type;

	drive_count_request(&t->request[type], p, when);
	t->request[type].sectors += p->sectors;
	t->ns = when - d->first_arrival;
}

static void drive_count_durable(struct durable_statistics *s, const struct pending *p, tick_t when)
{
	drive_count_request(&s->request, p, when);
	s->request.sectors += p->sectors;
	histogram_add(&s->service, when - p->entered);
}

static inline void drive_complete(struct drive *d, uint32_t ticket, const struct pending *p, tick_t when)
{
	struct drive_statistics *s = d->count;

	upkeep_left(&d->upkeep, when);
	d->in_drive--;
	d->uncounted -= p->uncounted;
	if (d->host->door)
		door_note_left(d->host->door, p->tenant);
	DRIVE_TELL(d, completed, (o->context, ticket, p, when));
	if (p->uncounted)
		return;
	d->last_completion = when > d->last_completion ? when : d->last_completion;
	s->request[REQUEST_TYPES].count++;
	if (d->tenant)
		drive_count_for_tenant(d, p, when);
	if (p->type == REQUEST_FLUSH || p->fua)
		drive_count_durable(p->fua ? &s->fua : &s->flush, p, when);
	if (p->type == REQUEST_FLUSH)
		return;
	s->request[p->type].sectors += p->sectors;
	histogram_add(&s->service[p->type], when - p->entered);
	if (p->type == REQUEST_TRIM)
		drive_count_request(&s->request[REQUEST_TRIM], p, when);
	else
		drive_count_in_class(&s->of_class[p->kind][p->type], p, when);
}

/* Sends the data of a read across the link: a request of the schedule without operations, which only takes
 * time. */
static void drive_send_data(struct drive *d, uint32_t ticket, struct pending p, tick_t when)
{
	struct schedule *s = d->flash->schedule;
	struct io io;

	when = host_cross(d->host, true, when, p.sectors);
	if (when <= schedule_now(s)) {
		drive_complete(d, ticket, &p, when);
		return;
	}
	p.on_link = true;
	schedule_begin(s, &io);
	drive_remember(d, io.ticket, p);
	DRIVE_TELL(d, goes_on, (o->context, ticket, io.ticket));
	schedule_submit(s, &io, when - schedule_now(s));
}

static void drive_collect_completions(struct drive *d)
{
	uint32_t ticket;
	tick_t when;

	while (schedule_completed(d->flash->schedule, &ticket, &when)) {
		const struct pending *p = &d->pending[ticket];

		if (p->is_command)
			upkeep_left(&d->upkeep, when);
		if (p->is_round)
			upkeep_end_round(&d->upkeep);
		if (p->is_command || p->is_round)
			continue;
		if (!p->on_link)
			DRIVE_TELL(d, served, (o->context, ticket, accounts_of(d->accounts, ticket)));
		if (host_has_link(d->host->settings) && p->type == REQUEST_READ && !p->on_link)
			drive_send_data(d, ticket, *p, when);
		else
			drive_complete(d, ticket, p, when);
	}
}

/* ---- time ---- */

static void drive_begin_round(struct drive *d)
{
	struct schedule *s = d->flash->schedule;
	struct io io;

	schedule_begin_work(s, &io, d->upkeep.least_wait_ns);
	drive_remember(d, io.ticket, (struct pending){ .is_round = true });
	upkeep_begin_round(&d->upkeep, &io, schedule_now(s));
	schedule_submit(s, &io, 0);
}

/* Lets time pass until something completes, a wordline is filled up or a round of work begins.  False: none
 * of these happens up to that moment. */
static bool drive_pass_with_upkeep(struct drive *d, tick_t until)
{
	struct schedule *s = d->flash->schedule;
	tick_t due = upkeep_due(&d->upkeep, schedule_now(s));

	if (schedule_run_to_completion(s, due < until ? due : until))
		drive_collect_completions(d);
	else if (fill_up_next(d->ftl->store))
		;
	else if (due <= until)
		drive_begin_round(d);
	else
		return false;
	return true;
}

static void drive_pass(struct drive *d, tick_t until)
{
	do
		schedule_run_until(d->flash->schedule, until);
	while (fill_up_next(d->ftl->store));
	drive_collect_completions(d);
}

void drive_run_until(struct drive *d, tick_t until)
{
	DRIVE_TELL(d, time_passes, (o->context));
	while (upkeep_is_on(&d->upkeep) && drive_pass_with_upkeep(d, until))
		;
	drive_pass(d, until);
}

bool drive_run_to_completion(struct drive *d)
{
	bool completed;

	DRIVE_TELL(d, time_passes, (o->context));
	do
		completed = schedule_run_to_completion(d->flash->schedule, TICK_NEVER);
	while (!completed && (fill_up_next(d->ftl->store) || fill_up_stalled(d->ftl->store)));
	drive_collect_completions(d);
	return completed;
}

bool drive_run_to_completion_until(struct drive *d, tick_t until)
{
	uint64_t in_drive = d->in_drive;

	DRIVE_TELL(d, time_passes, (o->context));
	while (d->in_drive == in_drive && drive_pass_with_upkeep(d, until))
		;
	if (d->in_drive == in_drive)
		drive_pass(d, until);
	return d->in_drive < in_drive;
}

/* Data may be on the link when the medium is idle. */
void drive_drain(struct drive *d)
{
	do
		drive_pass(d, TICK_NEVER);
	while (schedule_goes_on(d->flash->schedule) || fill_up_stalled(d->ftl->store));
	schedule_drain(d->flash->schedule);
	drive_collect_completions(d);
	statistics_sum_types(d->count);
}
