/*
 * Which tenant's queue is next.  The arbiter is asked when there is a slot in the drive and a queue that is
 * not empty.  A decision holds for at most host.burst commands of the queue, and no longer if that is empty
 * when the next slot is to be filled.
 *
 *	round_robin   the next queue behind the one named last
 *	priority      the first class with commands, urgent, high, medium, low; among its queues round robin
 *	weighted      urgent ones first; the other classes take turns, each for as many commands as its
 *	              weight, or until it has none; among the queues of a class round robin
 *
 * With fifo all tenants share a queue (host/door.h), and there is nothing to decide.
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

	uint32_t named[TENANT_CLASSES]; /* the tenant of the class that was named last */
	uint32_t tenant;                /* that the present decision names */
	uint64_t left;                  /* commands that it still may have */
	uint32_t turn;                  /* weighted: the class in turn */
	uint64_t credit;                /* commands that it still may have in this turn */
};

void arbiter_init(struct arbiter *, const struct tenants *, enum arbitration, uint64_t burst);

/* The tenant whose command is next.  `waiting`: those with commands, as bits; at least one. */
uint32_t arbiter_next(struct arbiter *, uint64_t waiting);

extern const struct state_row arbiter_state[];

#endif
