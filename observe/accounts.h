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
#include "flash/observer.h"

struct account {
	tick_t until; /* the time accounted for so far */
	uint64_t ns[PARTS];
};

struct accounts;

struct accounts *accounts_create(uint32_t units);
void accounts_free(struct accounts *);

/* Observes the medium from the first request on. */
struct flash_observer *accounts_observer(struct accounts *);

extern const struct state_row accounts_state[];

/* The account of a completed request; valid until its ticket is used again. */
const struct account *accounts_of(const struct accounts *, uint32_t ticket);

#endif
