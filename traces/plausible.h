/*
 * Do a trace's times make sense?  Times read in the wrong unit are the commonest silent
 * mistake with traces: everything still runs, a thousand times too fast.
 */
#ifndef TRACES_PLAUSIBLE_H
#define TRACES_PLAUSIBLE_H

#include "types.h"

/* Real devices were traced at 1 request/hour to 100,000 requests/s on the mean.  True if the mean
 * over `requests` requests (fewer than 100 are not judged) and `ns` is within that; else the text
 * says what the rate is, which unit is suspected and how to set it. */
bool plausible_rate(uint64_t requests, tick_t ns, uint64_t unit_ns, char *text, size_t bytes);

#endif
