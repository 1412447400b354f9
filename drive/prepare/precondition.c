#include "drive/prepare/precondition.h"

#include "base/hash.h"
#include "base/memory.h"
#include "ftl/fill_up.h"
#include "drive/prepare/fill.h"
#include "drive/prepare/footprint.h"

#include <math.h>
#include <string.h>

struct preparation {
	struct footprint footprint;
	struct workload warm_up; /* mode = trace */
};

/* ---- reading ---- */

/* Reads the warm-up trace for its checksum, before any of it is replayed. */
static bool preparation_sum_warm_up(struct preparation *p, struct drive *d, struct fault *fault)
{
	struct request r;
	enum trace_status status;

	d->past.warm_up = HASH_NOTHING;
	do
		status = footprint_next_request(d, &p->warm_up, &r, &d->past.warm_up, fault);
	while (status == TRACE_OK);
	return status == TRACE_END;
}

static bool preparation_open_warm_up(
	struct preparation *p, struct drive *d, const struct workload *workload, struct fault *fault)
{
	const char *name = d->settings->precondition.trace;
	struct trace_settings own = d->settings->trace;

	own.profile_count = 0; /* settings of a profile and listed requests are the workload's */
	own.list = NULL;
	if (!*name)
		return fault_set(
			fault, "precondition.mode = \"trace\" needs precondition.trace, a file or a profile");
	if (!strcmp(name, "-") && workload && !strcmp(workload->name, "-"))
		return fault_set(
			fault, "standard input cannot be both precondition.trace and the trace of the run");
	return workload_open(&p->warm_up, name, &own, true, NULL, fault) &&
	       preparation_sum_warm_up(p, d, fault);
}

bool precondition_reads(const struct precondition_settings *s)
{
	return s->premap != PREMAP_NONE && s->mode != PRECONDITION_FILL;
}

struct preparation *preparation_read(struct drive *d, struct workload *workload, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;
	struct preparation *p = memory_array(1, sizeof *p, "preparation");
	bool reads_only = s->mode != PRECONDITION_SYNTHETIC, done = true;

	d->past = (struct drive_past){ 0 };
	footprint_init(&p->footprint, d);
	if (s->mode == PRECONDITION_TRACE)
		done = preparation_open_warm_up(p, d, workload, fault);
	if (done && precondition_reads(s))
		done = footprint_read(&p->footprint, d, workload, reads_only, fault);
	d->past.footprint_pages = p->footprint.pages;
	if (done)
		return p;
	preparation_free(p);
	return NULL;
}

void preparation_free(struct preparation *p)
{
	if (!p)
		return;
	workload_close(&p->warm_up);
	footprint_free(&p->footprint);
	memory_free(p);
}

/* ---- modes ---- */

static bool precondition_check_shares(
	const struct drive *d, uint64_t used, uint64_t valid, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;

	if (valid > used)
		return fault_set(fault, "precondition.valid = %g is more than precondition.used = %g",
			s->valid, s->used);
	if (valid > host_pages(d))
		return fault_set(fault,
			"precondition.valid = %g is more than the drive's logical pages (%.3f of the "
			"physical ones)",
			s->valid, (double)host_pages(d) / d->geometry.pages);
	return true;
}

/* Modes aged (valid = 0) and synthetic. */
static bool precondition_age(struct footprint *f, struct drive *d, uint64_t used, uint64_t valid)
{
	uint64_t others = valid - (f->by_request ? (valid < f->pages ? valid : f->pages) : 0);
	bool apart = d->settings->precondition.layout == LAYOUT_APART || !others;

	return apart ? fill_apart(d, f, used, others) : fill_mixed(d, f, used, others);
}

static bool precondition_fill(const struct footprint *f, struct drive *d)
{
	bool fits;

	d->host->beneath = d->settings->precondition.beneath;
	fits = fill_all(d, f);
	d->host->beneath = false;
	return fits;
}

static bool precondition_replay_once(struct drive *d, struct workload *w, uint64_t used, struct fault *fault)
{
	struct request r;
	enum trace_status status = TRACE_END;

	while (d->flash->pages_used < used &&
		(status = footprint_next_request(d, w, &r, NULL, fault)) == TRACE_OK) {
		if (r.type == REQUEST_WRITE && !drive_place(d, request_extent(&r)))
			break;
		if (r.type == REQUEST_TRIM)
			drive_discard(d, request_extent(&r));
		d->past.replayed++;
	}
	return status != TRACE_BAD;
}

static bool precondition_replay(struct drive *d, struct workload *w, uint64_t used, struct fault *fault)
{
	uint64_t passes = d->settings->precondition.passes;
	bool good = true;

	d->replaying = true;
	for (uint64_t pass = 0; pass < passes && d->flash->pages_used < used && !d->ftl->failed && good;
		pass++)
		good = workload_rewind(w, fault) && precondition_replay_once(d, w, used, fault);
	d->replaying = false;
	return good;
}

bool preparation_apply(struct preparation *p, struct drive *d, struct fault *fault)
{
	const struct precondition_settings *s = &d->settings->precondition;
	struct footprint *f = &p->footprint;
	bool synthetic = s->mode == PRECONDITION_SYNTHETIC, aged = s->mode == PRECONDITION_AGED, fits = true;
	uint64_t used = (uint64_t)llround(s->used * d->geometry.pages);
	uint64_t valid = synthetic ? (uint64_t)llround(s->valid * d->geometry.pages) : 0;

	if (aged || synthetic) {
		if (!precondition_check_shares(d, used, valid, fault))
			return false;
		fits = precondition_age(f, d, used, valid);
	} else if (s->mode == PRECONDITION_FILL) {
		if (s->beneath && !d->host->ops->adopt)
			return fault_set(fault,
				"precondition.beneath: host.layer = %s must find an empty device",
				d->host->ops->name);
		fits = precondition_fill(f, d);
	} else if (s->mode == PRECONDITION_TRACE) {
		if (!precondition_replay(d, &p->warm_up, used, fault))
			return false;
		fits = !d->ftl->failed;
	}
	if (fits && !synthetic && !(aged && f->by_request)) /* these modes have written it already */
		fits = fill_footprint(d, f);
	if (*d->ftl->refusal)
		return fault_set(fault,
			"preparing the drive %s; host.layer = zoned takes writes in "
			"any order",
			d->ftl->refusal);
	if (d->ftl->store)
		fill_up_untimed(d->ftl->store);
	return fits ||
	       fault_set(fault, "the drive is full before the first request; use a larger drive or lower "
				"precondition.used");
}

void precondition_count(const struct drive *d, struct precondition_result *result)
{
	struct ftl_facts facts = ftl_facts(d->ftl);

	*result = (struct precondition_result){ .used_pages = d->flash->pages_used,
		.valid_pages = facts.live_pages,
		.footprint_pages = d->past.footprint_pages,
		.replayed = d->past.replayed };
}

bool precondition(
	struct drive *d, struct workload *workload, struct precondition_result *result, struct fault *fault)
{
	struct preparation *p = preparation_read(d, workload, fault);
	bool done = p && preparation_apply(p, d, fault);

	preparation_free(p);
	precondition_count(d, result);
	return done;
}
