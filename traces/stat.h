/*
 * What can be said about a trace: counts, sizes, alignment, footprint, sequentiality, reuse,
 * time.  Knows records only; reports into stats/report.h under names that begin with "trace.".
 *
 * Memory: 23 to 46 bytes for each distinct 4 KiB page touched and for each distinct address a
 * request ends at or a write begins at, half as much again while a table grows; the rest is constant but for some
 * bytes per device and per request that was in flight at once.
 */
#ifndef TRACES_STAT_H
#define TRACES_STAT_H

#include "stats/report.h"
#include "traces/record.h"

struct trace_stat;

/* Pages of the reuse that a cache of mapping entries sees have `entry_bytes`, a power of two. */
struct trace_stat *trace_stat_create(uint64_t entry_bytes);
void trace_stat_free(struct trace_stat *);

/* Takes in the next request; times ascend. */
void trace_stat_add(struct trace_stat *, const struct record *);

/* Tells the request that will be taken in after the next one, so that what it needs of the tables is at hand
 * by then.  It may be left out; it counts nothing. */
void trace_stat_expect(struct trace_stat *, const struct record *);

/* Requests taken in so far. */
uint64_t trace_stat_requests(const struct trace_stat *);

/* Shares are fractions of 1; where the whole is empty they are 0. */
void trace_stat_report(const struct trace_stat *, struct report *);

#endif
