/*
 * Reads that need several senses.  The longer data lies in a block, the more often the block was erased and
 * the more often it is read, the further its cells drift from the voltages that a read compares them with.  A
 * read that fails is repeated with other voltages: a table gives the further senses that a read needs by the
 * erases and the age of its block, and every retry.reads_per_step senses of the block since its erase add
 * one.
 *
 * A block keeps the number of its senses since its erase, the moment when it was opened, and the number of
 * further senses that its last read needed: with retry.history the next read begins with the same voltages.
 * Time counts from the first request.  Data written before it is retry.age_days old then and has not been
 * read.
 *
 * Outside time nothing is counted: all of this begins with the first request.
 */
#ifndef FLASH_RETRY_H
#define FLASH_RETRY_H

#include "base/fault.h"
#include "flash/geometry.h"
#include "stats/table.h"

#define RETRY_ROWS_MOST  16u
#define RETRY_STEPS_MOST 64u

struct retry_settings {
	char *pe, *days, *steps;
	uint64_t reads_per_step, max, ecc_ns, erases;
	double age_days;
	bool history;
};

extern const struct param retry_params[];

static inline bool retry_is_on(const struct retry_settings *s)
{
	return *s->steps || s->reads_per_step;
}

/* Events of a block, for its refresh (gc/tools/refresh.c). */
enum retry_event {
	RETRY_OPENED, /* its first page is programmed */
	RETRY_FILLED, /* its last page is */
	RETRY_SENSED,
	RETRY_ERASED,
};

struct retry_listener {
	void *context; /* NULL: nobody listens */
	void (*hears)(void *context, block_t, enum retry_event);
};

/* Further senses, in thousandths, by erases (ascending) and by age in seconds (ascending). */
struct retry_table {
	uint32_t rows, columns; /* 0: there is no table */
	int64_t erases[RETRY_ROWS_MOST], seconds[RETRY_ROWS_MOST];
	int64_t steps[RETRY_ROWS_MOST][RETRY_ROWS_MOST];
};

struct retry_block {
	uint64_t senses; /* since its erase */
	int64_t born;    /* ns after the first request; below 0: before it */
	uint8_t worked;  /* further senses of its last read */
};

struct retry_statistics {
	uint64_t senses, reads, steps, failed, history_hits;
	uint64_t histogram[RETRY_STEPS_MOST + 1];
};

struct retry {
	const struct retry_settings *settings;
	const struct geometry *geometry;
	struct retry_table table;
	struct retry_block *block;
	struct retry_listener listener;
	bool begun;   /* the first request has come */
	tick_t first; /* when */
	int64_t now;  /* ns after it */
	struct stat_row histogram_rows[2];
	struct retry_statistics count;
};

/* NULL and a fault: the table is malformed.  The settings must outlive it. */
struct retry *retry_create(const struct retry_settings *, const struct geometry *, struct fault *);
void retry_free(struct retry *);

/* A request or a round of background work begins now.  True: it is the first. */
bool retry_pass_time(struct retry *, tick_t now);

/* For a block that has pages before the first request: its data has the age of retry.age_days. */
void retry_prefill(struct retry *, block_t);

/* Reads a page of the block, which has been erased `erases` times.  Returns the number of senses after the
 * first. */
uint32_t retry_read(struct retry *, block_t, uint32_t erases, bool slc);

/* Another event of the block; ignored before the first request. */
void retry_note(struct retry *, block_t, enum retry_event);

/* Age of the block, in ns. */
static inline int64_t retry_age(const struct retry *r, block_t b)
{
	return r->now - r->block[b].born;
}

extern const struct state_row retry_state[];

void retry_statistics(struct retry *, struct stat_list *);

#endif
