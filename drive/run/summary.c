#include "drive/run/summary.h"

#include "base/utf8.h"
#include "ftl/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- doubts ---- */

/* Of pages read or of requests: a larger share is worth a warning. */
#define SUMMARY_NOTABLE_SHARE 0.01
/* Requests in the drive per die, on average: with more the drive is overloaded, and the queue grows. */
#define SUMMARY_QUEUED 32
/* At most so many requests behind the limit of a trace are counted. */
#define SUMMARY_READS_ON 5000000

/* At most so many tenants have their latencies shown. */
#define SUMMARY_TENANTS 8

struct summary_teller {
	void (*tell)(void *context, const char *text);
	void *context;
};

/* 0: there is none of this name, or it has no value. */
static double summary_number(const struct report *r, const char *name)
{
	double value = report_number(r, name);

	return isfinite(value) ? value : 0;
}

/* The share of the pages that is over-provisioning. */
static double summary_spare(const struct report *r)
{
	return 1 - summary_number(r, "drive.logical_bytes") / summary_number(r, "drive.physical_bytes");
}

static void summary_doubt_reads(const struct report *r, const struct summary_teller *t)
{
	double unmapped = summary_number(r, "map.unmapped_reads");
	double all = unmapped + summary_number(r, "flash.read.host") +
		     summary_number(r, "flash.read.forwarded.host");
	char text[320];

	if (unmapped <= SUMMARY_NOTABLE_SHARE * all)
		return;
	snprintf(text, sizeof text,
		"%.0f of %.0f pages read (%.1f %%) held no data and cost only a look-up: read latencies are "
		"too low for a drive in use; see map.unmapped_reads and `ssd params precondition`",
		unmapped, all, 100 * unmapped / all);
	t->tell(t->context, text);
}

static void summary_doubt_addresses(const struct report *r, const struct summary_teller *t)
{
	double folded = summary_number(r, "run.folded"), all = summary_number(r, "run.served");
	char text[320];

	if (folded <= SUMMARY_NOTABLE_SHARE * all)
		return;
	snprintf(text, sizeof text,
		"%.0f of %.0f requests (%.1f %%) lie beyond the end of the drive and were folded into it: it "
		"is a smaller drive with hotter data than the workload's; use a larger one (flash.blocks) "
		"or, for a profile, trace.fit = true",
		folded, all, 100 * folded / all);
	t->tell(t->context, text);
}

static void summary_doubt_load(const struct report *r, const struct summary_teller *t)
{
	double latency = summary_number(r, "request.all.latency_mean_ns");
	double queued = latency * summary_number(r, "run.served") / summary_number(r, "run.simulated_ns");
	const char *mode = report_value(r, "host.mode");
	char text[320];

	if (!mode || strcmp(mode, "\"open\"") != 0 ||
		!(queued > SUMMARY_QUEUED * summary_number(r, "drive.dies")))
		return;
	snprintf(text, sizeof text,
		"requests arrive faster than the drive serves them: %.0f are in it on average, and their "
		"latency, %.3g s, is a wait for each other; use host.mode = closed, or a larger "
		"host.time_scale",
		queued, latency / 1e9);
	t->tell(t->context, text);
}

/* A trace of which only the beginning was served. */
static void summary_doubt_length(
	const struct report *r, struct workload *workload, const struct summary_teller *t)
{
	uint64_t left = workload_left_out(workload, SUMMARY_READS_ON);
	double served = summary_number(r, "run.served");
	char text[320];

	if (!left)
		return;
	snprintf(text, sizeof text,
		"the first %.0f of %s%.0f requests of the trace (trace.limit = %s); -s trace.limit=0 serves "
		"all",
		served, left == SUMMARY_READS_ON ? "more than " : "", served + (double)left,
		report_value(r, "trace.limit"));
	t->tell(t->context, text);
}

/* A trace whose arrival times have no effect. */
static void summary_doubt_times(
	const struct report *r, const struct workload *workload, const struct summary_teller *t)
{
	const char *mode = report_value(r, "host.mode");
	char text[320];

	if (!mode || strcmp(mode, "\"closed\"") != 0 || workload->parts || !workload_has_times(workload))
		return;
	snprintf(text, sizeof text,
		"the arrival times of the trace are not used: host.mode = closed keeps %s requests in the "
		"drive; -s host.mode=open lets them arrive as recorded",
		report_value(r, "host.queue_depth"));
	t->tell(t->context, text);
}

/*
 * More than two blocks collected for one page, one after the other.  A plane with as many free pages as the
 * reserve and an open block of each stream have together has a free block beside the reserve.
 */
static void summary_doubt_reserve(
	const struct report *r, const struct ftl *ftl, const struct summary_teller *t)
{
	double pages = summary_number(r, "gc.in_a_row"), most = summary_number(r, "gc.in_a_row_most");
	double all = summary_number(r, "flash.program.host"), enough;
	const struct space *space;
	char text[480], threshold[60] = "";

	if (pages <= SUMMARY_NOTABLE_SHARE * all || most <= 2)
		return;
	space = ftl->store->space;
	enough = (double)(space->reserve + space->streams) / space->geometry->blocks_per_plane;
	if (enough < summary_spare(r) / 2)
		snprintf(threshold, sizeof threshold, "raise gc.threshold to at least %.3f, or ",
			ceil(enough * 1000) / 1000);
	snprintf(text, sizeof text,
		"for %.0f of %.0f pages of the host (%.1f %%) up to %.0f blocks were collected in a row, "
		"because only the reserve was free (in each plane %u for copies): it makes writes slow, not "
		"the placement of data; %suse more blocks (flash.blocks)",
		pages, all, 100 * pages / all, most, space->reserve, threshold);
	t->tell(t->context, text);
}

void summary_doubts(const struct report *r, const struct ftl *ftl, struct workload *workload,
	void (*tell)(void *context, const char *text), void *context)
{
	const struct summary_teller t = { tell, context };
	char text[320];

	if (workload) {
		summary_doubt_length(r, workload, &t);
		summary_doubt_times(r, workload, &t);
	}
	summary_doubt_load(r, &t);
	summary_doubt_addresses(r, &t);
	summary_doubt_reads(r, &t);
	summary_doubt_reserve(r, ftl, &t);
	if (ftl->ops->doubt && ftl->ops->doubt(ftl, text, sizeof text))
		tell(context, text);
}

/* ---- numbers for people ---- */

struct summary_text {
	char text[40];
};

/* Three digits, in the largest unit in which the value is at least 1; each is `step` times the one before. */
static struct summary_text summary_scaled(double value, double step, const char *const *unit)
{
	struct summary_text s;

	while (fabs(value) >= 999.5 && unit[1]) {
		value /= step;
		unit++;
	}
	snprintf(s.text, sizeof s.text, "%.*f %s",
		fabs(value) < 9.995   ? 2
		: fabs(value) < 99.95 ? 1
				      : 0,
		value, *unit);
	return s;
}

static struct summary_text summary_time(double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };

	return summary_scaled(ns, 1000, units);
}

static struct summary_text summary_bytes(double bytes)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", NULL };

	return summary_scaled(bytes, 1000, units);
}

/* 39,877 */
static struct summary_text summary_count(double value)
{
	struct summary_text s;
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof digits, "%.0f", value), n = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			s.text[n++] = ',';
		s.text[n++] = digits[i];
	}
	s.text[n] = '\0';
	return s;
}

/* The value of a statistic.  A text lasts until the end of the statement. */
#define SUMMARY_COUNT(r, name) summary_count(summary_number(r, name)).text
#define SUMMARY_BYTES(r, name) summary_bytes(summary_number(r, name)).text
#define SUMMARY_TIME(r, name)  summary_time(summary_number(r, name)).text
#define SUMMARY_SHARE(r, name) (100 * summary_number(r, name))

/* ---- lines ---- */

static void summary_write_requests(const struct report *r, FILE *out)
{
	double seconds = summary_number(r, "run.simulated_ns") / 1e9;

	fprintf(out, "requests    %s served%s in %s", SUMMARY_COUNT(r, "run.served"),
		summary_number(r, "run.verified") ? " and verified" : "",
		SUMMARY_TIME(r, "run.simulated_ns"));
	if (seconds > 0)
		fprintf(out, ": %s IOPS, %.3g MB/s read, %.3g MB/s written",
			summary_count(summary_number(r, "run.served") / seconds).text,
			summary_number(r, "request.read.bytes") / 1e6 / seconds,
			summary_number(r, "request.write.bytes") / 1e6 / seconds);
	fputc('\n', out);
}

/* The requests whose statistics begin with `prefix`; no line if there are none. */
static void summary_write_latency(const struct report *r, const char *what, const char *prefix, FILE *out)
{
	static const char *const columns[] = { "mean", "p50", "p99", "p999", "max" };
	char name[64];

	snprintf(name, sizeof name, "%s.count", prefix);
	if (!summary_number(r, name))
		return;
	fprintf(out, "  %-10s", what);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		snprintf(name, sizeof name, "%s.latency_%s_ns", prefix, columns[i]);
		fprintf(out, "%-10s  ", SUMMARY_TIME(r, name));
	}
	snprintf(name, sizeof name, "%s.count", prefix);
	fprintf(out, "%s", SUMMARY_COUNT(r, name));
	snprintf(name, sizeof name, "%s.iops", prefix);
	if (isfinite(report_number(r, name)))
		fprintf(out, ", %s IOPS", SUMMARY_COUNT(r, name));
	fputc('\n', out);
}

static void summary_write_latencies(const struct report *r, FILE *out)
{
	fprintf(out, "latency     %-10s  %-10s  %-10s  %-10s  %-10s  of requests\n", "mean", "median", "99 %",
		"99.9 %", "longest");
	summary_write_latency(r, "read", "request.read", out);
	summary_write_latency(r, "write", "request.write", out);
	summary_write_latency(r, "flush", "request.flush", out);
}

static void summary_write_tenants(const struct report *r, FILE *out)
{
	const char *text = report_value(r, "host.tenants"); /* NULL: there is one */
	unsigned tenants = text ? (unsigned)strtoul(text, NULL, 10) : 0;
	char what[24], prefix[32];

	for (unsigned i = 0; i < tenants && i < SUMMARY_TENANTS; i++) {
		snprintf(what, sizeof what, "tenant %u", i);
		snprintf(prefix, sizeof prefix, "tenant.%u.all", i);
		summary_write_latency(r, what, prefix, out);
	}
	if (tenants > SUMMARY_TENANTS)
		fprintf(out, "  and %u more: --show 'tenant.*'\n", tenants - SUMMARY_TENANTS);
}

static void summary_write_flash(const struct report *r, FILE *out)
{
	double waf = summary_number(r, "waf"), written = summary_number(r, "request.write.bytes");

	if (waf > 0)
		fprintf(out, "waf         %.2f: the host wrote %s, flash programmed %s\n", waf,
			summary_bytes(written).text, summary_bytes(waf * written).text);
	fprintf(out,
		"flash       %s pages read, %s programmed, %s blocks erased; dies %.1f %% busy, buses %.1f "
		"%%\n",
		SUMMARY_COUNT(r, "flash.read.total"), SUMMARY_COUNT(r, "flash.program.total"),
		SUMMARY_COUNT(r, "flash.erase.total"), SUMMARY_SHARE(r, "die.busy_share"),
		SUMMARY_SHARE(r, "channel.busy_share"));
	if (summary_number(r, "gc.collections"))
		fprintf(out,
			"collection  %s blocks, %.2f valid pages copied out of each; %.1f %% of the dies' "
			"busy time\n",
			SUMMARY_COUNT(r, "gc.collections"), summary_number(r, "gc.moved_per_collection"),
			SUMMARY_SHARE(r, "gc.time_share"));
	if (summary_number(r, "flash.erase.merge"))
		fprintf(out, "merges      %s blocks erased, %s pages copied\n",
			SUMMARY_COUNT(r, "flash.erase.merge"), SUMMARY_COUNT(r, "flash.program.merge"));
	fprintf(out, "wear        a block was erased %s to %s times, %.1f on average\n",
		SUMMARY_COUNT(r, "wear.min"), SUMMARY_COUNT(r, "wear.max"), summary_number(r, "wear.mean"));
}

static void summary_write_memory(const struct report *r, FILE *out)
{
	double lookups = summary_number(r, "map.lookup");

	if (summary_number(r, "map.miss") > 0)
		fprintf(out,
			"map         %.1f %% of %s look-ups missed the cache; mapping pages: %s read, %s "
			"programmed\n",
			100 * summary_number(r, "map.miss") / lookups, summary_count(lookups).text,
			SUMMARY_COUNT(r, "flash.read.map"), SUMMARY_COUNT(r, "flash.program.map"));
	if (summary_number(r, "buffer.capacity_bytes") > 0)
		fprintf(out, "buffer      %s: %.1f %% of the sectors read and %.1f %% of those written hit\n",
			SUMMARY_BYTES(r, "buffer.capacity_bytes"), SUMMARY_SHARE(r, "buffer.read.hit_ratio"),
			SUMMARY_SHARE(r, "buffer.write.hit_ratio"));
}

void summary_write(const struct report *r, FILE *out)
{
	utf8_print(out, report_value(r, "run.workload"));
	fputs(" on ", out);
	utf8_print(out, report_value(r, "run.parameters"));
	fprintf(out, ": ftl = %s, buffer = %s, seed = %.0f\n", report_value(r, "run.ftl"),
		report_value(r, "run.buffer"), summary_number(r, "run.seed"));
	fprintf(out, "drive       %s of flash, %.1f %% of it over-provisioning; %.0f dies\n",
		SUMMARY_BYTES(r, "drive.physical_bytes"), 100 * summary_spare(r),
		summary_number(r, "drive.dies"));
	summary_write_requests(r, out);
	summary_write_latencies(r, out);
	summary_write_tenants(r, out);
	summary_write_flash(r, out);
	summary_write_memory(r, out);
}
