/*
 * Durable writes: a FLUSH completes when all data written before it is in flash, a write with FUA (force
 * unit access) when its own data is.  Both write back dirty data from the write buffer, which stays there as
 * clean, and fill up the wordlines that their programs wait for.
 *
 * With power-loss protection (host.plp) data in the controller's memory is safe: a FLUSH takes only the time
 * of its look-up, and FUA changes nothing.
 *
 * Both program all pages that an FTL keeps in memory to sort them (ftl = leaftl).  Data that an FTL keeps
 * until a page is full (zns, minipage) stays in memory: a FLUSH waits only for programs already issued.
 */
#ifndef DRIVE_DURABLE_H
#define DRIVE_DURABLE_H

#include "drive/drive.h"

/* How many pages the memory for writes holds; 0 if writes are complete in flash.  False and a fault: it is so
 * small that the drive would deadlock. */
bool durable_memory(const struct settings *, const struct geometry *, uint64_t *pages, struct fault *);

/* Do settings add FLUSH or FUA, or change when they or writes are complete? */
bool durable_matters(const struct settings *);

/* Serves a FLUSH, in d->io. */
void durable_flush(struct drive *);

/* Before and after a request is served, in d->io.  durable_end() only if durable_begin() has returned true:
 * the request is a write with FUA, whose data must be in flash. */
bool durable_begin(struct drive *, const struct request *);
void durable_end(struct drive *);

#endif
