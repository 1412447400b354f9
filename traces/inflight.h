/*
 * How many requests of a trace were in flight at once, from arrivals and response times.  Memory: 8 bytes for
 * each request in flight at the worst moment.
 */
#ifndef TRACES_INFLIGHT_H
#define TRACES_INFLIGHT_H

#include "base/heap.h"
#include "types.h"

/* A request arrives (arrivals ascend) and completes at `completion`.  Returns how many others are still in
 * flight; the heap holds their completions. */
static inline uint64_t inflight_add(struct heap *completions, tick_t arrival, tick_t completion)
{
	uint32_t others;
	tick_t done;

	while (completions->count && *(tick_t *)completions->element <= arrival)
		heap_pop(completions, &done, sizeof done, heap_number_before);
	others = completions->count;
	heap_push(completions, &completion, sizeof completion, heap_number_before, "requests in flight");
	return others;
}

#endif
