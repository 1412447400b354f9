#include "drive/run/report.h"

#include "drive/statistics.h"
#include "drive/run/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the run and the drive before it ---- */

struct run_figures {
	struct run_facts facts;
	struct precondition_result before;
	const char *kind, *ftl, *buffer;
	uint64_t seed, requests, served, reordered, interrupted, failed, verified, simulated_ns;
	uint64_t warm_up, warm_up_ns, physical_bytes, logical_bytes, blocks, dies;
	double used, valid;
};

#define TEXT(field)  STAT_TEXT, offsetof(struct run_figures, field)
#define COUNT(field) STAT_COUNT, offsetof(struct run_figures, field)
#define REAL(field)  STAT_REAL, offsetof(struct run_figures, field)

static const struct stat_row run_rows[] = {
	{ "run.command", "", "as typed, without options that change no result", TEXT(facts.command) },
	{ "run.version", "", "version of ssd", TEXT(facts.version) },
	{ "run.parameters", "", "parameter file", TEXT(facts.parameters) },
	{ "run.workload", "", "trace file or profile", TEXT(facts.workload) },
	{ "run.workload_kind", "", "format of the trace; generated = by a generator profile", TEXT(kind) },
	{ "run.ftl", "", "flash translation layer", TEXT(ftl) },
	{ "run.buffer", "", "write buffer", TEXT(buffer) },
	{ "run.seed", "", "seed of all random choices", COUNT(seed) },
	{ "run.requests", "requests", "taken from the workload", COUNT(requests) },
	{ "run.served", "requests", "completed; equal to run.requests unless the drive failed",
		COUNT(served) },
	{ "run.reordered", "requests", "out of order in the trace; they were sorted by time",
		COUNT(reordered) },
	{ "run.interrupted", "", "1 = ended by a signal before the end of the workload", COUNT(interrupted) },
	{ "run.drive_failed", "", "1 = the drive is full or worn out, and no page can be written any more",
		COUNT(failed) },
	{ "run.verified", "", "1 = every sector read was compared with what was last written",
		COUNT(verified) },
	{ "run.simulated_ns", "ns", "from the first arrival to the last completion", COUNT(simulated_ns) },
	{ "run.warm_up", "requests", "entered before the statistics began; not part of any other number",
		COUNT(warm_up) },
	{ "run.warm_up_ns", "ns", "simulated time before the statistics began", COUNT(warm_up_ns) },
	{ 0 },
};

static const struct stat_row drive_rows[] = {
	{ "drive.physical_bytes", "bytes", "of all pages", COUNT(physical_bytes) },
	{ "drive.logical_bytes", "bytes", "as the host sees it", COUNT(logical_bytes) },
	{ "drive.blocks", "blocks", "", COUNT(blocks) },
	{ "drive.dies", "dies", "", COUNT(dies) },
	{ 0 },
};

static const struct stat_row start_rows[] = {
	{ "precondition.used", "share", "physical pages programmed", REAL(used) },
	{ "precondition.valid", "share", "physical pages live", REAL(valid) },
	{ "precondition.footprint_pages", "pages", "logical pages prepared for the workload",
		COUNT(before.footprint_pages) },
	{ "precondition.replayed", "requests", "of precondition.trace", COUNT(before.replayed) },
	{ 0 },
};

static struct run_figures report_figures(const struct run *run, const struct run_facts *facts)
{
	const struct drive *d = run->drive;
	const struct geometry *g = &d->geometry;
	const struct workload *w = run->workload;
	struct mark counted_from = run->windows ? run->windows->counted_from : (struct mark){ 0 };

	return (struct run_figures){ .facts = *facts,
		.before = *facts->before,
		.kind = w ? workload_kind(w) : "submitted",
		.ftl = d->ftl->ops->name,
		.buffer = d->buffer->ops->name,
		.seed = d->settings->top.seed,
		.requests = run->requests - run->commands - counted_from.requests,
		.warm_up = counted_from.requests,
		.warm_up_ns = counted_from.requests ? counted_from.when : 0,
		.served = d->count->request[REQUEST_TYPES].count,
		.reordered = w ? workload_reordered(w) : 0,
		.interrupted = facts->end == RUN_INTERRUPTED,
		.failed = facts->end == RUN_DRIVE_FAILED,
		.verified = d->oracle != NULL,
		.simulated_ns = d->last_completion - d->first_arrival,
		.physical_bytes = (uint64_t)g->pages * g->page_bytes,
		.logical_bytes = d->host->sectors * SECTOR_BYTES,
		.blocks = g->blocks,
		.dies = g->dies,
		.used = (double)facts->before->used_pages / g->pages,
		.valid = (double)facts->before->valid_pages / g->pages };
}

static void report_add_group(
	struct report *r, const char *title, const struct stat_row *rows, struct run_figures *f)
{
	struct stat_list list = { .room = 0 };

	stat_list_add(&list, (struct stat_group){ title, NULL, rows, f });
	stat_list_report(&list, r);
	stat_list_release(&list);
}

/* ---- warnings ---- */

static void report_add_warning(void *report, const struct warning *warning)
{
	report_warn(report, warning->text, warning->told);
}

static void report_add_doubt(void *report, const char *text)
{
	report_warn(report, text, false);
}

/* Adds warnings of traces, run and results; that of a failed drive was printed when it happened. */
static void report_add_warnings(struct report *r, const struct run *run, const struct run_facts *facts)
{
	const struct windows *w = run->windows;
	struct fault failed;

	if (run->workload)
		workload_each_warning(run->workload, report_add_warning, r);
	if (facts->end == RUN_DRIVE_FAILED) {
		run_failure(run, &failed);
		report_warn(r, failed.text, true);
	}
	if (w && windows_warm_up(w) && !w->counting)
		report_warn(r,
			"the run ended during the warm-up: statistics cover the whole run, "
			"and the log is empty",
			false);
	summary_doubts(r, run->drive->ftl, run->workload, report_add_doubt, r);
}

/* ---- reports ---- */

static void report_add_setting(void *report, const struct param_echo *setting)
{
	report_parameter(report, setting->key, setting->value);
}

void run_report(struct report *r, const struct run *run, const struct run_facts *facts)
{
	struct drive *d = run->drive;
	struct run_figures f = report_figures(run, facts);

	report_add_group(r, "run", run_rows, &f);
	report_section(r, "effective parameters");
	settings_echo(d->settings, report_add_setting, r);
	report_add_group(r, "drive", drive_rows, &f);
	report_add_group(r, "state before the first request", start_rows, &f);
	stat_list_report(&d->statistics, r);
	report_add_warnings(r, run, facts);
}

/* ---- names ---- */

#define REPORT_SETTINGS 7 /* of a small drive; then those of a feature */

/* Settings that switch a feature on. */
struct report_feature {
	char *setting[5]; /* ends with NULL */
};

/* Lists the statistics of a small drive with a feature.  False: FTL, buffer and host layer do not
 * fit together. */
static bool report_print_names_of(size_t ftl, size_t buffer, size_t layer, struct report_feature feature,
	FILE *out, struct stat_names *shown)
{
	char *small[REPORT_SETTINGS + 5] = { "flash.channels=1", "flash.chips=1", "flash.dies=1",
		"flash.planes=1", "flash.blocks=256", "flash.over_provisioning=0.3", "dram.buffer_bytes=1M" };
	size_t n = REPORT_SETTINGS;
	struct fault fault = { "" };
	struct settings settings;
	struct drive *d = NULL;
	bool fit;

	for (char *const *setting = feature.setting; *setting; setting++)
		small[n++] = *setting;
	if (settings_init(&settings, &fault) && settings_read(&settings, NULL, small, n, &fault)) {
		settings.top.ftl = (int)ftl;
		settings.top.buffer = (int)buffer;
		settings.host.layer = (int)layer;
		d = drive_create(&settings, false, &fault);
	}
	fit = d != NULL;
	if (fit)
		stat_list_print(&d->statistics, out, shown);
	drive_free(d);
	settings_release(&settings);
	return fit;
}

static void report_print_names_of_run(FILE *out, struct stat_names *shown)
{
	struct stat_list list = { .room = 0 };

	stat_list_add(&list, (struct stat_group){ "run", NULL, run_rows });
	stat_list_add(&list, (struct stat_group){ "drive", NULL, drive_rows });
	stat_list_add(&list, (struct stat_group){ "state before the first request", NULL, start_rows });
	stat_list_print(&list, out, shown);
	stat_list_release(&list);
}

void run_report_names(FILE *out)
{
	static const struct report_feature plain = { { NULL } }, features[] = {
		{ { "upkeep.idle_ns=1", "gc.soft=0.1" } },
		{ { "slc.mode=dynamic", "slc.density=2" } },
		{ { "flash.program_unit=wordline", "flash.copyback=false" } },
		{ { "host.write_done=memory", "host.queue_limit=1" } },
		{ { "fdp.handles=8", "fdp.isolation=initially" } },
		{ { "fdp.handles=8", "fdp.isolation=persistently" } },
		{ { "host.tenants=2", "host.arbitration=round_robin" } },
		{ { "flash.cache_register=both" } },
		{ { "retry.reads_per_step=1000", "refresh.reads=100000" } },
		{ { "bad.list=0" } },
		{ { "parity.on=true", "flash.channels=4", "placement.policy=superblock",
			"placement.superblock=unit" } },
	};
	struct stat_names shown = { .names = 0 };

	report_print_names_of_run(out, &shown);
	for (size_t ftl = 0; ftls[ftl]; ftl++)
		report_print_names_of(ftl, 0, 0, plain, out, &shown);
	for (size_t buffer = 1; buffers[buffer]; buffer++)
		for (size_t ftl = 0; ftls[ftl] && !report_print_names_of(ftl, buffer, 0, plain, out, &shown);
			ftl++)
			;
	for (size_t layer = 1; host_layers[layer]; layer++)
		for (size_t ftl = 0; ftls[ftl] && !report_print_names_of(ftl, 0, layer, plain, out, &shown);
			ftl++)
			;
	for (size_t i = 0; i < sizeof features / sizeof *features; i++)
		report_print_names_of(0, 0, 0, features[i], out, &shown);
	stat_names_release(&shown);
}

/* ---- columns ---- */

void run_report_latencies(const struct drive *d, FILE *out)
{
	const struct request_statistics *type = d->count->request;
	uint64_t low, high;

	statistics_sum_types(d->count);
	fprintf(out,
		"# latency_ns reads writes all   (requests whose latency lies below the first column and "
		"not below the one before)\n");
	for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++) {
		if (!type[REQUEST_TYPES].latency.bin[bin])
			continue;
		histogram_bin_bounds(bin, &low, &high);
		fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", high,
			type[REQUEST_READ].latency.bin[bin], type[REQUEST_WRITE].latency.bin[bin],
			type[REQUEST_TYPES].latency.bin[bin]);
	}
}

/* A window of erase counts at a time: nothing is allocated that could fail while the file is half written. */
void run_report_wear(const struct drive *d, FILE *out)
{
	enum { WINDOW = 1024 };
	uint64_t blocks[WINDOW];
	uint32_t most = 0;

	for (block_t b = 0; b < d->geometry.blocks; b++)
		if (d->flash->block[b].erases > most)
			most = d->flash->block[b].erases;
	fprintf(out, "# erases blocks\n");
	for (uint64_t from = 0; from <= most; from += WINDOW) {
		memset(blocks, 0, sizeof blocks);
		for (block_t b = 0; b < d->geometry.blocks; b++)
			if (d->flash->block[b].erases - from < WINDOW)
				blocks[d->flash->block[b].erases - from]++;
		for (uint64_t i = 0; i < WINDOW; i++)
			if (blocks[i])
				fprintf(out, "%" PRIu64 " %" PRIu64 "\n", from + i, blocks[i]);
	}
}
