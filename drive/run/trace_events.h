/*
 * A timeline as a file: in Chrome's Trace Event Format, which Perfetto (ui.perfetto.dev) and others read, or
 * as an HTML page that shows the same without a network.
 *
 * Channels and dies are tracks; their busy times are slices, named by kind and cause, with request, page and
 * contents of the page; an arrow leads from an operation to one that waited for it; requests are spans from
 * arrival to the end of their operations; counters show free pages and requests in the drive.  If all
 * requests are recorded, the slices of dies and of channels add up to the busy times of the statistics.
 */
#ifndef RUN_TRACE_EVENTS_H
#define RUN_TRACE_EVENTS_H

#include "drive/run/timeline.h"

void trace_events_write(const struct timeline *, const struct drive *, FILE *);
void trace_events_write_page(const struct timeline *, const struct drive *, FILE *);

#endif
