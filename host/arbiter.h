/*
 * Chooses the tenant whose queue is served next.  Called when the drive has a free slot and a queue is not
 * empty.  A decision covers up to host.burst commands of the queue.  It ends early if the queue is empty when
 * the next slot is to be filled.
 *
 *	round_robin   the next queue with commands behind the one chosen last
 *	priority      the first class with commands of urgent, high, medium, low; round robin among its
 *	              queues
 *	weighted      urgent first; the other classes take turns, each for as many commands as its weight or
 *	              until it has none, round robin among the queues of a class
 *
 * With fifo all tenants share one queue (host/door.h), and there is nothing to decide.
 */
#ifndef HOST_ARBITER_H
#define HOST_ARBITER_H

#include "base/state.h"
#include "host/tenants.h"

struct arbiter {
	const struct tenants *tenants;
	enum arbitration arbitration;
	uint64_t burst;
	uint64_t members[TENANT_CLASSES]; /* tenants of each class, as bits; round_robin: all in one */

	uint32_t named[TENANT_CLASSES]; /* tenant of the class that was chosen last */
	uint32_t tenant;                /* chosen by the current decision */
	uint64_t left;                  /* commands left in this decision */
	uint32_t turn;                  /* weighted: the class whose turn it is */
	uint64_t credit;                /* commands left in this turn */
};

void arbiter_init(struct arbiter *, const struct tenants *, enum arbitration, uint64_t burst);

/* The tenant whose command is next.  `waiting`: tenants with commands, as bits; at least one. */
uint32_t arbiter_next(struct arbiter *, uint64_t waiting);

extern const struct state_row arbiter_state[];

#endif
