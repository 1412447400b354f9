/*
 * A log: a table with a row for each request, in the order of completion.  A row says what the request was,
 * when it came, where its latency went, and which operations it caused, by kind and by benefit: of data, of
 * mapping pages, of collection and wear levelling.
 *
 * The parts of the latency are those of observe/accounts.h, the wait at the door before them and, for a read,
 * the data on the host's link behind them.  They add up to the latency, which is checked.
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

/* Packed by zstd if wanted.  False and a fault if the library cannot; errors of the stream show when it is
 * closed. */
struct journal *journal_create(FILE *, bool packed, struct fault *);

/* Rows so far are in the stream, unless it is packed: then not all. */
void journal_flush(struct journal *);

/* A stream of rows into another, packed if wanted. */
bool journal_copy(FILE *from, FILE *to, bool packed, struct fault *);

/* Everything is in the stream.  False and a fault: it could not be packed. */
bool journal_finish(struct journal *, struct fault *);
void journal_free(struct journal *);

/* A request enters; when it has been taken in, which operations it caused.  Returns the row's number, by
 * which it is found again. */
uint32_t journal_entered(struct journal *, const struct request *, tick_t now, const struct flash *);
void journal_taken(struct journal *, uint32_t row, const struct flash *);

/* Its operations are done. */
void journal_served(struct journal *, uint32_t row, const struct account *);

/* It has completed: the row is written, naming its class, if it counts, and given back. */
void journal_completed(struct journal *, uint32_t row, const char *of_class, tick_t when, bool counts);

/* Rows of requests in flight.  To be flushed before it is saved: a resumed run appends to the rows written. */
extern const struct state_row journal_state[];

/* From now on rows are checked and go nowhere. */
void journal_mute(struct journal *);

/* Aborts unless no request is in the drive. */
void journal_check_idle(const struct journal *);

/* How many rows there have been in the drive at a time: their numbers are below. */
uint32_t journal_rows(const struct journal *);

#endif
