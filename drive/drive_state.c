/* The saved state of a drive. */
#include "drive/drive.h"

static const struct state_row drive_state_of_past[] = {
	STATE_NUMBER(struct drive_past, footprint_pages),
	STATE_NUMBER(struct drive_past, replayed),
	STATE_OF_RUN,
	STATE_NUMBER(struct drive_past, workload),
	STATE_NUMBER(struct drive_past, warm_up),
	{ 0 },
};

static const struct state_row drive_state_of_pending[] = {
	STATE_NUMBER(struct pending, arrival),
	STATE_NUMBER(struct pending, entered),
	STATE_NUMBER(struct pending, sectors),
	STATE_NUMBER(struct pending, type),
	STATE_NUMBER(struct pending, kind),
	STATE_NUMBER(struct pending, tenant),
	STATE_NUMBER(struct pending, fua),
	STATE_NUMBER(struct pending, on_link),
	STATE_NUMBER(struct pending, uncounted),
	STATE_NUMBER(struct pending, is_command),
	STATE_NUMBER(struct pending, is_round),
	{ 0 },
};

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
	STATE_GROWN(struct drive, pending, pending_used, pending_room, drive_state_of_pending),
	STATE_NUMBER(struct drive, in_drive),
	STATE_NUMBER(struct drive, uncounted),
	STATE_NUMBER(struct drive, counted_from),
	STATE_NUMBER(struct drive, warming),
	STATE_NUMBER(struct drive, submitted),
	STATE_NUMBER(struct drive, flushes),
	STATE_NUMBER(struct drive, first_arrival),
	STATE_NUMBER(struct drive, last_completion),
	{ 0 },
};
