/*
 * Parts of a run: the warm-up before the statistics begin, and a row of statistics for each window (series).
 *
 * A window ends before the first request that enters the drive after its span: that many requests have
 * entered since it began, or that much simulated time has passed.  An FTL changes its state when a request
 * enters, so the operations of a row are those its requests caused; the latencies are of requests that
 * completed in the window.
 */
#ifndef RUN_WINDOWS_H
#define RUN_WINDOWS_H

#include "drive/drive.h"
#include "stats/series.h"

/* One of the two is 0; if both are, no window ever ends. */
struct span {
	uint64_t requests;
	tick_t ns;
};

/* Where a window begins. */
struct mark {
	uint64_t requests; /* entered so far */
	tick_t when;
	uint64_t programs, sectors; /* pages programmed, sectors written by the host: for the WAF */
};

struct windows {
	struct span warm_up; /* zeroed: none */
	double within; /* > 0: warm up until two consecutive windows differ in WAF by at most this share */
	struct span every; /* of the series */

	struct drive_observer observer;
	struct drive *drive;
	FILE *out;             /* of the series; NULL: none */
	struct series *series; /* its columns; NULL: none */
	uint64_t requests;     /* entered so far, commands too */

	bool begun, counting; /* a request has entered; the statistics have begun */
	double waf;           /* of the previous window of the warm-up */
	struct mark from, counted_from;
	uint64_t rows;
};

/* A unit of an amount.  A table of units ends with a row without a name. */
struct unit {
	const char *name;
	uint64_t scale;
};

/* Reads "5000", a count, or "10ms", a number of units: a whole number above 0.  Sets the other result to 0.
 * False: it is neither. */
bool amount_read(const char *text, const struct unit *, uint64_t *count, uint64_t *scaled);

/* "1000" requests, or "10s", "5ms", "20us", "300ns". */
bool span_read(struct span *, const char *text);

/* "SPAN", or "2%:SPAN": until the WAF of two windows agrees. */
bool warm_up_read(struct windows *, const char *text);

/* Is there one? */
bool windows_warm_up(const struct windows *);

/* Observes the drive.  Call once the spans are set.  `out`: of the series; NULL: none. */
void windows_open(struct windows *, struct drive *, FILE *out);
void windows_close(struct windows *);

/* State between two requests; rows of the series already written are left to the caller. */
extern const struct state_row windows_state[];

/* Call after the last request has completed: writes the last row. */
void windows_end(struct windows *);

#endif
