/* The saved state of a drive. */
#include "drive/drive.h"
#include "flash/schedule.h"

static const struct state_row drive_state_of_past[] = {
	STATE_NUMBER(struct drive_past, footprint_pages),
	STATE_NUMBER(struct drive_past, replayed),
	STATE_OF_RUN,
	STATE_NUMBER(struct drive_past, workload),
	STATE_NUMBER(struct drive_past, warm_up),
	{ 0 },
};

/* Entries of free tickets keep their last contents, so the same bounds apply. */
static const struct state_row drive_state_of_pending[] = {
	STATE_NUMBER(struct pending, arrival),
	STATE_NUMBER(struct pending, entered),
	STATE_NUMBER(struct pending, sectors),
	STATE_UP_TO(struct pending, type, STATE_LIMIT(REQUEST_FLUSH)),
	STATE_BELOW(struct pending, kind, STATE_LIMIT(CLASSES)),
	STATE_BELOW(struct pending, tenant, STATE_LIMIT(TENANTS_MOST)), /* drive_state_holds() */
	STATE_BOOL(struct pending, fua),
	STATE_BOOL(struct pending, on_link),
	STATE_BOOL(struct pending, uncounted),
	STATE_BOOL(struct pending, is_command),
	STATE_BOOL(struct pending, is_round),
	{ 0 },
};

uint32_t drive_tickets(const struct drive *d)
{
	uint32_t tickets = d->pending_used;

	while (tickets && (d->pending[tickets - 1].is_command || d->pending[tickets - 1].is_round))
		tickets--;
	return tickets;
}

static bool drive_state_holds(void *drive)
{
	const struct drive *d = drive;

	const struct schedule *s = d->flash->schedule;

	if (d->pending_used < schedule_tickets(s) ||
		(d->judge && !judge_covers(d->judge, schedule_tickets(s))) ||
		(d->accounts && !accounts_cover(d->accounts, schedule_ops(s), schedule_tickets(s))))
		return false;
	for (uint32_t i = 0; i < d->pending_used; i++)
		if (d->pending[i].tenant >= d->host->tenants.count)
			return false;
	return true;
}

const struct state_row drive_state[] = {
	STATE_FIXED(settings, geometry, queue_judge, observer_of_queues, observers, flash, prepares, acts,
		stops, stops_context, count, tenant),
	STATE_SCRATCH(io, prefetched, batch, batched, stopped, replaying, filling),
	STATE_STRUCT(struct drive, past, drive_state_of_past),
	STATE_POINTER(struct drive, ftl, ftl_state),
	STATE_POINTER(struct drive, host, host_state),
	STATE_POINTER(struct drive, oracle, oracle_state),
	STATE_POINTER(struct drive, judge, judge_state),
	STATE_OF_RUN,
	STATE_POINTER(struct drive, accounts, accounts_state),
	STATE_STRUCT(struct drive, statistics, stat_list_state),
	STATE_POINTER(struct drive, buffer, buffer_state),
	STATE_STRUCT(struct drive, handles, page_handles_state),
	STATE_STRUCT(struct drive, upkeep, upkeep_state),
	STATE_GROWN(
		struct drive, pending, pending_used, pending_room, STATE_UNBOUNDED, drive_state_of_pending),
	STATE_NUMBER(struct drive, in_drive),
	STATE_NUMBER(struct drive, uncounted),
	STATE_NUMBER(struct drive, counted_from),
	STATE_BOOL(struct drive, warming),
	STATE_NUMBER(struct drive, submitted),
	STATE_NUMBER(struct drive, flushes),
	STATE_NUMBER(struct drive, first_arrival),
	STATE_NUMBER(struct drive, last_completion),
	STATE_RESTORED(drive_state_holds),
	{ 0 },
};
