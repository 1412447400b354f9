/*
 * What stands in front of the drive: when requests arrive and what they may address.
 *
 *   open     requests arrive at the times of the trace; at most `queue_limit` of them are in the
 *            drive, the others wait at its door (the wait is part of their latency)
 *   closed   `queue_depth` requests are always in the drive; the next one arrives when one completes
 *
 * Knows requests and the size of the drive.  Knows nothing of pages or time passing.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "base/fault.h"
#include "base/param.h"
#include "types.h"

enum host_mode { HOST_OPEN, HOST_CLOSED };

struct host_settings {
	int mode;
	uint64_t queue_limit; /* open: 0 = no limit */
	uint64_t queue_depth; /* closed */
	double time_scale;    /* open: arrival times are multiplied by it */
};

/* Of the group "trace"; what reading needs is passed on to traces/. */
struct trace_settings {
	char *format, *member, *devices, *time_unit;
	bool fold, sort_fully;
	uint64_t limit; /* requests; 0 = all */
};

extern const struct param host_params[], trace_params[];

struct host {
	const struct host_settings *settings;
	const struct trace_settings *trace;
	sector_t sectors; /* of the drive */
	uint32_t sectors_per_page;
	uint64_t folded; /* requests whose address was folded into the drive */
};

/* Fits a request of the trace to the drive.  False and a fault if it addresses what the drive does not have. */
bool host_admit(struct host *, struct request *, const char *trace_name, struct fault *);

/* How many requests may be in the drive at once. */
static inline uint64_t host_slots(const struct host_settings *s)
{
	if (s->mode == HOST_CLOSED)
		return s->queue_depth;
	return s->queue_limit ? s->queue_limit : UINT64_MAX;
}

#endif
