/*
 * A log: a table with a row for each request, in the order of completion.  A row tells what the request was,
 * when it arrived, where its latency went, and how many operations it caused, by kind and purpose: data,
 * mapping pages, background work (GC, wear levelling, folding, refresh).
 *
 * The parts of the latency are those of observe/accounts.h, preceded by the wait outside the drive and, for a
 * read, followed by the transfer of its data on the host's link.  That they add up to the latency is checked.
 *
 * There is a row for each request that the statistics count, so columns add up to the statistics.
 */
#ifndef DRIVE_JOURNAL_H
#define DRIVE_JOURNAL_H

#include "drive/drive.h"

#include <stdio.h>

struct journal;

/* `packed`: compressed by zstd; `tenants`: with a column for the tenant of the request, its device.  NULL and
 * a fault if the library cannot; errors of the stream are found when it is closed. */
struct journal *journal_create(FILE *, bool packed, bool tenants, struct fault *);

/* Observes the drive, from its first request on. */
void journal_observe(struct journal *, struct drive *);

/* Before the first row: a last column says of each request whether it is a write with FUA. */
void journal_tell_fua(struct journal *);

/* Writes the rows so far to the stream; if it is packed, the compressor may keep some. */
void journal_flush(struct journal *);

/* Copies a stream of rows into another one. */
bool journal_copy(FILE *from, FILE *to, bool packed, struct fault *);

/* Writes everything to the stream.  False and a fault: it could not be packed. */
bool journal_finish(struct journal *, struct fault *);
void journal_free(struct journal *);

/* Rows of requests in flight.  Call journal_flush() before saving: a resumed run appends to the rows
 * written. */
extern const struct state_row journal_state[];

#endif
