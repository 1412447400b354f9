#include "drive/run/windows.h"

#include "base/state.h"
#include "drive/statistics.h"
#include "flash/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading spans from text ---- */

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

bool windows_warm_up(const struct windows *w)
{
	return w->warm_up.requests || w->warm_up.ns;
}

/* ---- during the run ---- */

static struct mark windows_mark(const struct windows *w)
{
	const struct drive *d = w->drive;

	return (struct mark){ w->requests, schedule_now(d->flash->schedule),
		flash_total(d->flash, OP_PROGRAM), d->count->request[REQUEST_WRITE].sectors };
}

/* Since the window began.  NaN: nothing was written. */
static double windows_waf(const struct windows *w)
{
	struct mark now = windows_mark(w);

	if (now.sectors == w->from.sectors)
		return NAN;
	return (double)(now.programs - w->from.programs) * w->drive->geometry.sectors_per_page /
	       (double)(now.sectors - w->from.sectors);
}

static bool windows_is_over(const struct windows *w, const struct span *span)
{
	if (span->requests)
		return w->requests - w->from.requests >= span->requests;
	return span->ns && schedule_now(w->drive->flash->schedule) - w->from.when >= span->ns;
}

static void windows_begin_counting(struct windows *w)
{
	if (w->requests)
		drive_count_from_here(w->drive);
	w->counting = true;
	w->from = w->counted_from = windows_mark(w);
	if (!w->out)
		return;
	fputs("window,from_ns,to_ns,entered,in_drive,free_blocks,window_waf", w->out);
	series_begin(w->series, w->out);
}

/* One window of the warm-up is over: is it the last? */
static void windows_warm(struct windows *w)
{
	double waf = windows_waf(w), before = w->waf;

	if (w->within <= 0 || fabs(waf - before) <= w->within * before) {
		windows_begin_counting(w);
		return;
	}
	w->waf = waf;
	w->from = windows_mark(w);
}

static void windows_put_row(struct windows *w)
{
	struct ftl_facts facts = ftl_facts(w->drive->ftl);
	double waf = windows_waf(w);
	struct mark now = windows_mark(w);

	fprintf(w->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", ++w->rows,
		w->from.when, now.when, w->requests - w->from.requests, w->drive->in_drive,
		facts.free_blocks);
	if (isfinite(waf))
		fprintf(w->out, "%.9g", waf);
	series_row(w->series, w->out);
	w->from = now;
}

/* Before the request enters. */
static void windows_pass(void *windows, const struct request *r)
{
	struct windows *w = windows;

	(void)r;
	if (!w->begun) {
		w->begun = true;
		w->waf = NAN;
		w->from = windows_mark(w);
		w->drive->warming = w->warm_up.requests || w->warm_up.ns;
		if (!w->drive->warming)
			windows_begin_counting(w);
	}
	if (!w->counting && windows_is_over(w, &w->warm_up))
		windows_warm(w);
	else if (w->counting && w->out && windows_is_over(w, &w->every))
		windows_put_row(w);
	w->requests++;
}

void windows_open(struct windows *w, struct drive *d, FILE *out)
{
	w->drive = d;
	w->out = out;
	w->series = out ? series_create(&d->statistics) : NULL;
	w->observer = (struct drive_observer){ .context = w, .entering = windows_pass };
	drive_observe(d, &w->observer);
}

void windows_close(struct windows *w)
{
	series_free(w->series);
	w->series = NULL;
}

void windows_end(struct windows *w)
{
	if (w->counting && w->out)
		windows_put_row(w);
	windows_close(w);
}

const struct state_row windows_state[] = {
	STATE_FIXED(warm_up, within, every, observer, drive, out),
	STATE_NUMBER(struct windows, requests),
	STATE_NUMBER(struct windows, begun),
	STATE_NUMBER(struct windows, counting),
	STATE_NUMBER(struct windows, waf),
	STATE_NUMBER(struct windows, from),
	STATE_NUMBER(struct windows, counted_from),
	STATE_NUMBER(struct windows, rows),
	STATE_POINTER(struct windows, series, series_state),
	{ 0 },
};
