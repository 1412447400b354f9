/*
 * Detects the format of a trace from its first lines.
 */
#ifndef TRACES_DETECT_H
#define TRACES_DETECT_H

#include "traces/format.h"
#include "traces/source.h"

/* The one format that reads the first lines (at most 64) without fault.  If none does, the one that reads at
 * least half of them, or that would read the first but for one number, so that the bad line can be named.
 * NULL and a fault if the trace is empty, if no format fits, or if several do. */
const struct format *trace_detect(struct source *, struct fault *);

#endif
