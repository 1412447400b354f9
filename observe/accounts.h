/*
 * Where the time of a request goes, from its entry into the drive to the end of its last operation.
 *
 * The critical path of a request ends with its last operation.  That operation became ready when the last of
 * its dependencies was done, and so on back to the release of the request's operations.  Every ns of this
 * path belongs to one part:
 *
 *	controller   until the release: look-ups, DRAM, data of a write on the host's link; and data that is
 *	             found to be wrong, before it is read again
 *	collection   ready while the die did background work (cause_is_background()); or waiting for such an
 *	             operation
 *	die          ready while the die did anything else; suspended by a read; waiting for an operation of
 *	             another request
 *	bus          dispatched to the die: waiting for the bus and using it
 *	cells        the cells work, for the whole command that the operation is part of
 *	map          all of this except collection, of operations on mapping pages
 *
 * The parts always add up to the total.
 */
#ifndef OBSERVE_ACCOUNTS_H
#define OBSERVE_ACCOUNTS_H

#include "base/state.h"
#include "observe/event.h"

enum part { PART_CONTROLLER, PART_MAP, PART_DIE, PART_COLLECTION, PART_BUS, PART_CELLS, PARTS };

struct account {
	tick_t until; /* the time accounted for so far */
	uint64_t ns[PARTS];
};

struct accounts;

struct accounts *accounts_create(uint32_t units);
void accounts_free(struct accounts *);

/* Events (flash/events.h).  Operations, tickets and units are small numbers. */
void accounts_made(struct accounts *, uint32_t op, enum cause);
void accounts_submitted(struct accounts *, uint32_t ticket, tick_t now, tick_t delay);
void accounts_released(struct accounts *, uint32_t op, uint32_t ticket, tick_t now); /* INDEX_NONE: none */
/*
 * A dependency of `op` is done: accounts_continued() if `op` waited for operation `by` of the same request,
 * whose critical path then continues with `op`; else accounts_waited().
 */
void accounts_continued(struct accounts *, uint32_t op, uint32_t by);
void accounts_waited(struct accounts *, uint32_t op, bool for_background, tick_t now);
void accounts_ready(struct accounts *, uint32_t op, uint32_t unit, tick_t now);
void accounts_started(struct accounts *, uint32_t op, uint32_t unit, tick_t now);
/* The time since the operation's last event belongs to this part. */
void accounts_passed(struct accounts *, uint32_t op, enum part, tick_t now);
void accounts_finished(struct accounts *, uint32_t op, uint32_t ticket);
/* The unit starts or ends background work. */
void accounts_unit(struct accounts *, uint32_t unit, bool background, tick_t now);

extern const struct state_row accounts_state[];

/* The account of a completed request; valid until its ticket is used again. */
const struct account *accounts_of(const struct accounts *, uint32_t ticket);

#endif
