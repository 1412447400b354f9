/*
 * Detects the format of a trace from its first lines.
 */
#ifndef TRACES_DETECT_H
#define TRACES_DETECT_H

#include "traces/format.h"
#include "traces/source.h"

/* Returns the one format that parses the first lines (at most 64) without error.  If there is none: the one
 * that parses at least half of them, or that would parse the first line but for one bad number, so that the
 * error message can name that line.  NULL and a fault if the trace is empty, if no format fits, or if several
 * do. */
const struct format *trace_detect(struct source *, struct fault *);

#endif
