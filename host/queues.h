/* Queues of requests, first in first out, that share a pool. */
#ifndef HOST_QUEUES_H
#define HOST_QUEUES_H

#include "base/queue.h"
#include "base/state.h"
#include "host/tenants.h"

struct queues {
	struct pool requests;
	struct queue queue[TENANTS_MOST];
	uint64_t count; /* requests in all */
	uint64_t used;  /* queues that are not empty, as bits */
};

void queues_init(struct queues *);
void queues_release(struct queues *);

void queues_put(struct queues *, uint32_t queue, const struct request *);

/* The first request of a queue that is not empty; queues_take() removes it. */
const struct request *queues_first(const struct queues *, uint32_t queue);
struct request queues_take(struct queues *, uint32_t queue);

extern const struct state_row queues_state[];

#endif
