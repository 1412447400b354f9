/*
 * Refresh: blocks whose data is old or was read often are moved before they become unreadable.
 *
 * A block is due when as many senses as refresh.reads were made of it since its erase, or when it was opened
 * refresh.days ago; an open one when it is full.  Each plane has a list of its due blocks.  In front of each
 * request the first of a plane's list, up to refresh.per_request, are refreshed: room is made as for a page,
 * live pages move to the stream of their survivors, and the block is erased.  That is forced: the request's
 * operations stand behind it.  When the drive is idle upkeep does the same ahead (upkeep/).
 *
 * A block that is collected or begun meanwhile is no longer due.  Blocks in SLC mode never are.  With units,
 * a unit is due with its first block.
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

/* Where a block is: in no list, in that of opened ones, or in that of those that are due, for one reason. */
enum refresh_place { REFRESH_NOWHERE, REFRESH_OPENED, REFRESH_READ_OFTEN, REFRESH_OLD };

struct refresh {
	const struct refresh_settings *settings;
	struct collector *collector;
	struct space *space;
	struct retry *retry;
	/* Per block, and behind them the heads of each plane's two lists: of blocks in the order of being
	 * opened, and of those that are due.  A block is in one of them at most. */
	struct link *link;
	uint8_t *place; /* per block: enum refresh_place */
	int64_t age_ns; /* of a block that is due; 0: none is by its age */
	struct refresh_statistics count;
};

/* Collector and settings must outlive it. */
void refresh_init(struct refresh *, const struct refresh_settings *, struct collector *);
void refresh_release(struct refresh *);

/* A unit has closed, perhaps before its blocks were full: it is due if one of them was read so often. */
void refresh_closed(struct refresh *, block_t);

/* The first request comes: what is in the drive was opened in the order of the blocks of each plane. */
void refresh_begin(struct refresh *);

/* Time has passed: which blocks are old enough by now? */
void refresh_look(struct refresh *);

/* In front of a request: its operations are issued behind those of `io`. */
void refresh_before_request(struct refresh *, struct io *);

/* Refreshes a block of the plane in idle time.  False: none is due, or there is no room. */
bool refresh_idle(struct refresh *, struct io *, plane_t, uint64_t *moved);

extern const struct state_row refresh_state[];

void refresh_statistics(struct refresh *, struct stat_list *);

void refresh_check(const struct refresh *);

#endif
