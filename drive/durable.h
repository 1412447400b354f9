/*
 * What a host asks to be in flash: a FLUSH, of all data written before it, and a write with FUA (force unit
 * access), of its own data.  Data in the write buffer is handed to the FTL for that, and stays in the buffer
 * as clean; programs that wait for their wordline go on, as it is filled up.
 *
 * With power-loss protection (host.plp) data in the controller's memory is safe: a FLUSH takes its look-up
 * alone, and FUA changes nothing.
 *
 * Pages that an FTL keeps in memory to sort them (ftl = leaftl) are programmed, all of them.  Data that it
 * keeps until a page is full (zns, minipage) stays there: a FLUSH waits for the programs that have been made.
 */
#ifndef DRIVE_DURABLE_H
#define DRIVE_DURABLE_H

#include "drive/drive.h"

/* Pages that the memory for writes holds, 0 if writes are done in flash.  False and a fault: it is too
 * small for the drive ever to go on. */
bool durable_memory(const struct settings *, const struct geometry *, uint64_t *pages, struct fault *);

/* Do settings tell one request or moment of completion from another? */
bool durable_matters(const struct settings *);

/* Serves a FLUSH, in d->io. */
void durable_flush(struct drive *);

/* Before and after the write is served, in d->io: is it one with FUA, and its data to be in flash? */
bool durable_begin(struct drive *, const struct request *);
void durable_end(struct drive *);

#endif
