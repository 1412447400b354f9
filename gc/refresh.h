/*
 * Refresh: blocks whose data is old or was read often are moved before they become unreadable.
 *
 * A block is due when it has been sensed refresh.reads times since its erase, or was opened refresh.days ago;
 * an open block only once it is full.  Each plane has a list of its due blocks.  Before each request the
 * first of each plane's list, up to refresh.per_request, are refreshed: room is made as for a page, live
 * pages move to the stream of their survivors, and the block is erased.  The request's operations queue
 * behind this work.  When the drive is idle, ftl/ refreshes blocks ahead.
 *
 * A block that is collected meanwhile is no longer due; a begun one is finished by the collector.  Blocks in
 * SLC mode are never due.  A unit is due as soon as one of its blocks is.
 */
#ifndef GC_REFRESH_H
#define GC_REFRESH_H

#include "base/list.h"
#include "flash/retry.h"
#include "gc/collect.h"

struct refresh_settings {
	uint64_t reads, per_request;
	double days;
};

extern const struct param refresh_params[];

static inline bool refresh_is_on(const struct refresh_settings *s)
{
	return s->reads || s->days > 0;
}

struct refresh_statistics {
	uint64_t blocks, due_reads, due_age, postponed;
};

/* The list that a block is in: none, that of opened blocks, or that of due blocks, for one of two reasons. */
enum refresh_place { REFRESH_NOWHERE, REFRESH_OPENED, REFRESH_READ_OFTEN, REFRESH_OLD };

struct refresh {
	const struct refresh_settings *settings;
	struct collector *collector;
	struct space *space;
	struct retry *retry;
	/* Per block, and behind them the heads of each plane's two lists: opened blocks, in the order of
	 * being opened, and due blocks.  A block is in at most one of them. */
	struct link *link;
	uint8_t *place; /* per block: enum refresh_place */
	int64_t age_ns; /* age from which a block is due; 0: none is due by age */
	struct refresh_statistics count;
};

/* Collector and settings must outlive it. */
void refresh_init(struct refresh *, const struct refresh_settings *, struct collector *);
void refresh_release(struct refresh *);

/* The block may have closed (a unit perhaps before its blocks were full): due if sensed refresh.reads
 * times. */
void refresh_closed(struct refresh *, block_t);

/* Before the first request: blocks with data count as opened in the order of their numbers. */
void refresh_begin(struct refresh *);

/* Time has passed: finds the blocks that are due by their age. */
void refresh_look(struct refresh *);

/* Refreshes due blocks before a request, whose operations are issued after those of `io`. */
void refresh_before_request(struct refresh *, struct io *);

/* Refreshes a block of the plane in idle time.  False: none is due, or there is no room. */
bool refresh_idle(struct refresh *, struct io *, plane_t, uint64_t *moved);

extern const struct state_row refresh_state[];

void refresh_statistics(struct refresh *, struct stat_list *);

void refresh_check(const struct refresh *);

#endif
