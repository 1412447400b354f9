/*
 * How many requests of a trace were under way at once, from arrivals and response times.
 * Memory: 8 bytes for each request under way at the worst moment.
 */
#ifndef TRACES_INFLIGHT_H
#define TRACES_INFLIGHT_H

#include "types.h"

struct inflight;

struct inflight *inflight_create(void);
void inflight_free(struct inflight *);

/* A request arrives (arrivals ascend) and is done at `completion`.  Returns how many others are
 * still under way. */
uint64_t inflight_add(struct inflight *, tick_t arrival, tick_t completion);

#endif
