/*
 * Parts of a run: what passes before the statistics begin (warm-up), and rows of them over time (series).
 *
 * A window ends before the first request that enters the drive when the span is over: so many requests have entered
 * since it began, or so much simulated time has passed.  An FTL changes its state when a request enters, so the
 * operations a row counts are those that its requests caused; latencies are those of requests that completed in it.
 */
#ifndef RUN_WINDOWS_H
#define RUN_WINDOWS_H

#include "drive/drive.h"
#include "stats/series.h"

/* One of these is 0; both: no window ever ends. */
struct span {
	uint64_t requests;
	tick_t ns;
};

/* Where a window begins. */
struct mark {
	uint64_t requests; /* that have entered */
	tick_t when;
	uint64_t programs, sectors; /* of which a WAF is made */
};

struct windows {
	struct span warm_up; /* a zeroed one: none */
	double within; /* > 0: until the WAF of two such windows, one after another, differs by this share at most */
	struct span every; /* of the series */
	FILE *out;         /* of the series; NULL: none */

	bool begun, counting; /* a request has entered; the statistics have begun */
	double waf;           /* of the warm-up's window before */
	struct mark from, counted_from;
	struct series *series;
	uint64_t rows;
};

/* A whole number above 0 and what stands behind it. */
bool count_read(const char *text, uint64_t *count, const char **behind);

/* "1000" requests, or "10s", "5ms", "20us", "300ns". */
bool span_read(struct span *, const char *text);

/* "SPAN", or "2%:SPAN": until the WAF of two windows agrees. */
bool warm_up_read(struct windows *, const char *text);

/* Where a run between two requests is; rows that were written are the caller's affair. */
void windows_regions(struct windows *, struct drive *, struct regions *);

/* Before a request enters the drive, which `requests` have entered. */
void windows_pass(struct windows *, struct drive *, uint64_t requests);

/* After the last one has completed: the last row. */
void windows_end(struct windows *, struct drive *, uint64_t requests);

/* Of a run that came to its end or did not. */
void windows_release(struct windows *);

#endif
