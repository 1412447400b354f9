/*
 * Statistics of a trace: counts, sizes, alignment, footprint, sequentiality, reuse, time.  The names of the
 * statistics begin with "trace.".
 *
 * Memory: 23 to 46 bytes for each distinct 4 KiB page and for each distinct address at which a request ends
 * or a write begins, half as much again while a table grows; in addition some bytes for each device and for
 * each request in flight at once.
 */
#ifndef TRACES_STAT_H
#define TRACES_STAT_H

#include "stats/report.h"
#include "traces/record.h"

struct trace_stat;

/* `entry_bytes`, a power of two: size of the pages of page_reuse_8192_share, a cache of mapping entries. */
struct trace_stat *trace_stat_create(uint64_t entry_bytes);
void trace_stat_free(struct trace_stat *);

/* Counts the next request; times ascend. */
void trace_stat_add(struct trace_stat *, const struct record *);

/* Counts a FLUSH; it is not one of the requests. */
void trace_stat_add_flush(struct trace_stat *);

/* Optional: prefetches the table entries that the request after the next one needs. */
void trace_stat_expect(struct trace_stat *, const struct record *);

/* Requests counted so far. */
uint64_t trace_stat_requests(const struct trace_stat *);

/* Shares are fractions of 1; where the whole is empty they are 0. */
void trace_stat_report(struct trace_stat *, struct report *);

#endif
