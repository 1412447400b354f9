#include "run/windows.h"

#include "base/state.h"
#include "drive/statistics.h"
#include "flash/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- as a user writes them ---- */

bool amount_read(const char *text, const struct unit *unit, uint64_t *count, uint64_t *scaled)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno || !value)
		return false;
	*count = *end ? 0 : value;
	while (*end && unit->name && strcmp(end, unit->name))
		unit++;
	if (*end && (!unit->name || value > UINT64_MAX / unit->scale))
		return false;
	*scaled = *end ? value * unit->scale : 0;
	return true;
}

bool span_read(struct span *span, const char *text)
{
	static const struct unit units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { NULL, 0 } };

	return amount_read(text, units, &span->requests, &span->ns);
}

bool warm_up_read(struct windows *w, const char *text)
{
	const char *colon = strstr(text, "%:");
	char *end;

	if (!colon)
		return span_read(&w->warm_up, text);
	if (*text < '0' || *text > '9')
		return false;
	w->within = strtod(text, &end) / 100;
	return end == colon && w->within > 0 && w->within <= 1 && span_read(&w->warm_up, colon + 2);
}

/* ---- as they go by ---- */

static struct mark windows_mark(const struct drive *d, uint64_t requests)
{
	return (struct mark){ requests, schedule_now(d->flash->schedule), flash_total(d->flash, OP_PROGRAM),
		d->count->request[REQUEST_WRITE].sectors };
}

/* NaN: nothing was written. */
static double windows_waf_since(const struct drive *d, const struct mark *from)
{
	struct mark now = windows_mark(d, 0);

	if (now.sectors == from->sectors)
		return NAN;
	return (double)(now.programs - from->programs) * d->geometry.sectors_per_page /
	       (double)(now.sectors - from->sectors);
}

static bool windows_is_over(
	const struct windows *w, const struct span *span, const struct drive *d, uint64_t requests)
{
	if (span->requests)
		return requests - w->from.requests >= span->requests;
	return span->ns && schedule_now(d->flash->schedule) - w->from.when >= span->ns;
}

static void windows_begin_counting(struct windows *w, struct drive *d, uint64_t requests)
{
	if (requests)
		drive_count_from_here(d);
	w->counting = true;
	w->from = w->counted_from = windows_mark(d, requests);
	if (!w->out)
		return;
	w->series = series_create(&d->statistics);
	fputs("window,from_ns,to_ns,entered,in_drive,free_blocks,window_waf", w->out);
	series_begin(w->series, w->out);
}

/* One window of the warm-up is over: is it the last? */
static void windows_warm(struct windows *w, struct drive *d, uint64_t requests)
{
	double waf = windows_waf_since(d, &w->from), before = w->waf;

	if (w->within <= 0 || fabs(waf - before) <= w->within * before) {
		windows_begin_counting(w, d, requests);
		return;
	}
	w->waf = waf;
	w->from = windows_mark(d, requests);
}

static void windows_put_row(struct windows *w, struct drive *d, uint64_t requests)
{
	struct ftl_facts facts = ftl_facts(d->ftl);
	double waf = windows_waf_since(d, &w->from);
	struct mark now = windows_mark(d, requests);

	fprintf(w->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", ++w->rows,
		w->from.when, now.when, requests - w->from.requests, d->in_drive, facts.free_blocks);
	if (isfinite(waf))
		fprintf(w->out, "%.9g", waf);
	series_row(w->series, w->out);
	w->from = now;
}

void windows_pass(struct windows *w, struct drive *d, uint64_t requests)
{
	if (!w->begun) {
		w->begun = true;
		w->waf = NAN;
		w->from = windows_mark(d, requests);
		d->warming = w->warm_up.requests || w->warm_up.ns;
		if (!d->warming)
			windows_begin_counting(w, d, requests);
	}
	if (!w->counting && windows_is_over(w, &w->warm_up, d, requests))
		windows_warm(w, d, requests);
	else if (w->counting && w->out && windows_is_over(w, &w->every, d, requests))
		windows_put_row(w, d, requests);
}

void windows_end(struct windows *w, struct drive *d, uint64_t requests)
{
	if (w->series)
		windows_put_row(w, d, requests);
	windows_release(w);
}

void windows_release(struct windows *w)
{
	series_free(w->series);
	w->series = NULL;
}

static const struct state_row windows_state[] = {
	STATE_FIXED(warm_up, within, every, out),
	STATE_BOOL(struct windows, begun),
	STATE_BOOL(struct windows, counting),
	STATE_NUMBER(struct windows, waf),
	STATE_NUMBER(struct windows, from),
	STATE_NUMBER(struct windows, counted_from),
	STATE_NUMBER(struct windows, rows),
	STATE_COUNTED(series),
	{ 0 },
};

void windows_regions(struct windows *w, struct drive *d, struct regions *r)
{
	state_visit(r, windows_state, w);
	if (r->broken || !w->out || !w->counting)
		return;
	if (!w->series)
		w->series = series_create(&d->statistics);
	series_regions(w->series, r);
}
