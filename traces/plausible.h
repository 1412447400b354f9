/*
 * Checks the rate of arrival.  Times read in the wrong unit are the most common unnoticed mistake with
 * traces: the run works, but a thousand times too fast.
 */
#ifndef TRACES_PLAUSIBLE_H
#define TRACES_PLAUSIBLE_H

#include "types.h"

/* True if the mean rate, of `requests` requests in `ns`, is that of a real device: one request an hour to
 * 100,000 a second; fewer than 100 requests are not judged.  Otherwise the text says which unit is suspected
 * and how to set it. */
bool plausible_rate(uint64_t requests, tick_t ns, uint64_t unit_ns, char *text, size_t bytes);

#endif
