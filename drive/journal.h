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

#include "base/fault.h"
#include "observe/accounts.h"
#include "flash/flash.h"

#include <stdio.h>

struct journal;

/* `packed`: compressed by zstd; `tenants`: with a column for the tenant of the request, its device.  NULL and
 * a fault if the library cannot; errors of the stream are found when it is closed. */
struct journal *journal_create(FILE *, bool packed, bool tenants, struct fault *);

/* Before the first row: a last column says of each request whether it is a write with FUA. */
void journal_tell_fua(struct journal *);

/* Writes the rows so far to the stream; if it is packed, the compressor may keep some. */
void journal_flush(struct journal *);

/* Copies a stream of rows into another one. */
bool journal_copy(FILE *from, FILE *to, bool packed, struct fault *);

/* Writes everything to the stream.  False and a fault: it could not be packed. */
bool journal_finish(struct journal *, struct fault *);
void journal_free(struct journal *);

/*
 * A request enters the drive: returns the number of its row.  Then journal_taken() notes the operations that
 * it has caused.
 */
uint32_t journal_entered(struct journal *, const struct request *, tick_t now, const struct flash *);
void journal_taken(struct journal *, uint32_t row, const struct flash *);

/* Its operations are done. */
void journal_served(struct journal *, uint32_t row, const struct account *);

/* It has completed: writes the row, with its class, if it counts, and frees it. */
void journal_completed(struct journal *, uint32_t row, const char *of_class, tick_t when, bool counts);

/* Rows of requests in flight.  Call journal_flush() before saving: a resumed run appends to the rows
 * written. */
extern const struct state_row journal_state[];

/* Aborts if a request is in the drive. */
void journal_check_idle(const struct journal *);

#endif
