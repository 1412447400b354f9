#include "drive/statistics.h"

#include "base/memory.h"
#include "flash/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of nothing there is no share: the number is left out. */
static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

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
	{ "run.command", "", "what was typed", TEXT(facts.command) },
	{ "run.version", "", "of ssd", TEXT(facts.version) },
	{ "run.parameters", "", "parameter file", TEXT(facts.parameters) },
	{ "run.workload", "", "trace file or profile", TEXT(facts.workload) },
	{ "run.workload_kind", "", "format of the trace; generated = made by a profile of the generator",
		TEXT(kind) },
	{ "run.ftl", "", "flash translation layer", TEXT(ftl) },
	{ "run.buffer", "", "write buffer", TEXT(buffer) },
	{ "run.seed", "", "of every random choice", COUNT(seed) },
	{ "run.requests", "requests", "taken from the workload", COUNT(requests) },
	{ "run.served", "requests", "completed; equal to run.requests unless the drive failed",
		COUNT(served) },
	{ "run.reordered", "requests", "that stood in the trace after a later one and were sorted",
		COUNT(reordered) },
	{ "run.interrupted", "", "1 = ended by the user before the workload", COUNT(interrupted) },
	{ "run.drive_failed", "", "1 = no page could be written any more, the drive is full or worn out",
		COUNT(failed) },
	{ "run.verified", "", "1 = every sector read was compared with the newest written", COUNT(verified) },
	{ "run.simulated_ns", "ns", "from the first arrival to the last completion", COUNT(simulated_ns) },
	{ "run.warm_up", "requests", "entered before the statistics began, and are in no other number",
		COUNT(warm_up) },
	{ "run.warm_up_ns", "ns", "simulated time until then", COUNT(warm_up_ns) },
	{ 0 },
};

static const struct stat_row drive_rows[] = {
	{ "drive.physical_bytes", "bytes", "of all pages", COUNT(physical_bytes) },
	{ "drive.logical_bytes", "bytes", "that the host sees", COUNT(logical_bytes) },
	{ "drive.blocks", "blocks", "", COUNT(blocks) },
	{ "drive.dies", "dies", "", COUNT(dies) },
	{ 0 },
};

static const struct stat_row start_rows[] = {
	{ "precondition.used", "share", "physical pages programmed", REAL(used) },
	{ "precondition.valid", "share", "physical pages live", REAL(valid) },
	{ "precondition.footprint_pages", "pages", "logical pages of the workload that were prepared",
		COUNT(before.footprint_pages) },
	{ "precondition.replayed", "requests", "of the warm-up trace", COUNT(before.replayed) },
	{ 0 },
};

static struct run_figures figures_of(const struct run *run, const struct run_facts *facts)
{
	const struct drive *d = run->drive;
	const struct geometry *g = &d->geometry;
	const struct workload *w = run->workload;
	struct mark counted_from = run->windows ? run->windows->counted_from : (struct mark){ 0 };

	return (struct run_figures){ .facts = *facts,
		.before = *facts->before,
		.kind = w->generator ? "generated" : trace_format(w->trace),
		.ftl = d->ftl->ops->name,
		.buffer = d->buffer->ops->name,
		.seed = d->settings->top.seed,
		.requests = run->requests - run->asides - counted_from.requests,
		.warm_up = counted_from.requests,
		.warm_up_ns = counted_from.requests ? counted_from.when : 0,
		.served = d->count->request[REQUEST_TYPES].count,
		.reordered = w->trace ? trace_counts(w->trace).reordered : 0,
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

static void report_group(
	struct report *r, const char *title, const struct stat_row *rows, struct run_figures *f)
{
	struct stat_list list = { .room = 0 };

	stat_list_add(&list, (struct stat_group){ title, NULL, rows, f });
	stat_list_report(&list, r);
	stat_list_release(&list);
}

/* ---- requests ---- */

#define CLASS(field) offsetof(struct class_statistics, field)

/* Of all requests of a type, and of those of a class, which begins with the same fields. */
static const struct stat_row request_rows[] = {
	{ "count", "requests", "completed", STAT_COUNT, CLASS(request.count) },
	{ "bytes", "bytes", "", STAT_COUNT, CLASS(request.bytes) },
	{ "latency", "", "arrival to completion", STAT_TIMES, CLASS(request.latency) },
	{ 0 },
};

static const struct stat_row service_rows[] = {
	{ "service", "", "entering the drive to completion: latency without the wait for a slot",
		STAT_TIMES },
	{ 0 },
};

static const struct stat_row class_rows[] = {
	{ "latency_per_sector_ns", "ns", "sum of the latencies / sum of the sectors", STAT_REAL,
		CLASS(latency_per_sector) },
	{ "latency_per_sector_mean_ns", "ns", "mean over the requests of latency / sectors", STAT_REAL,
		CLASS(latency_each_mean) },
	{ 0 },
};

static const struct stat_row class_write_rows[] = {
	{ "programs", "pages", "written for the host by these requests", STAT_COUNT, CLASS(programs) },
	{ "programs_per_sector", "pages", "programs / sectors", STAT_RATIO, CLASS(programs),
		CLASS(request.sectors) },
	{ "programs_per_sector_mean", "pages", "mean over the requests of programs / sectors", STAT_REAL,
		CLASS(programs_each_mean) },
	{ 0 },
};

void statistics_sum_types(struct drive_statistics *s)
{
	struct request_statistics *all = &s->request[REQUEST_TYPES];

	for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++) {
		struct request_statistics *of = &s->request[type];

		memset(&of->latency, 0, sizeof of->latency);
		for (int class = 0; class < CLASSES; class ++)
			histogram_join(&of->latency, &s->class[class][type].request.latency);
		of->count = of->latency.count;
	}
	memset(&all->latency, 0, sizeof all->latency);
	all->sectors = 0;
	for (int type = 0; type < REQUEST_TYPES; type++) {
		all->sectors += s->request[type].sectors;
		histogram_join(&all->latency, &s->request[type].latency);
	}
}

static void gather_requests(void *drive)
{
	struct drive_statistics *s = ((struct drive *)drive)->count;

	statistics_sum_types(s);
	for (int type = 0; type <= REQUEST_TYPES; type++)
		s->request[type].bytes = s->request[type].sectors * SECTOR_BYTES;
	for (int class = 0; class < CLASSES; class ++)
		for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++) {
			struct class_statistics *c = &s->class[class][type];

			c->request.bytes = c->request.sectors * SECTOR_BYTES;
			c->latency_per_sector =
				share((double)c->request.latency.sum, (double)c->request.sectors);
			c->latency_each_mean = share(c->latency_each, (double)c->request.count);
			c->programs_each_mean = share(c->programs_each, (double)c->request.count);
		}
}

/* `values` are zeroed with the first of their groups. */
static void add(struct drive *d, const char *title, const char *prefix, const struct stat_row *rows,
	void *values, size_t size)
{
	stat_list_add(&d->statistics, (struct stat_group){ title, prefix, rows, values, size });
}

static void add_requests(struct drive *d)
{
	static const char *const prefix[] = { "request.read.", "request.write.", "request.trim.",
		"request.all." };
	static const char *const class_prefix[CLASSES][2] = {
		[CLASS_ACROSS] = { "request.across.read.", "request.across.write." },
		[CLASS_ALIGNED] = { "request.aligned.read.", "request.aligned.write." },
		[CLASS_UNALIGNED] = { "request.unaligned.read.", "request.unaligned.write." },
	};
	const char *title = "requests by class: across = at most a page long and in two pages";
	struct drive_statistics *s = d->count;

	stat_list_add(
		&d->statistics, (struct stat_group){ "requests", prefix[0], request_rows, &s->request[0],
					sizeof s->request[0], d, NULL, gather_requests });
	for (int type = 1; type <= REQUEST_TYPES; type++)
		add(d, NULL, prefix[type], request_rows, &s->request[type], sizeof s->request[type]);
	for (int type = 0; type < REQUEST_TYPES; type++)
		add(d, NULL, prefix[type], service_rows, &s->service[type], sizeof s->service[type]);
	for (int class = 0; class < CLASSES; class ++)
		for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++, title = NULL) {
			struct class_statistics *c = &s->class[class][type];

			add(d, title, class_prefix[class][type], request_rows, c, sizeof *c);
			add(d, NULL, class_prefix[class][type], class_rows, c, 0);
			if (type == REQUEST_WRITE)
				add(d, NULL, class_prefix[class][type], class_write_rows, c, 0);
		}
}

/* ---- what is computed at the end ---- */

#undef COUNT
#undef REAL
#define COUNT(field) STAT_COUNT, offsetof(struct drive_figures, field)
#define REAL(field)  STAT_REAL, offsetof(struct drive_figures, field)

static const struct stat_row figure_rows[] = {
	{ "request.across_share", "share", "across requests of all requests", REAL(across_share) },
	{ "waf", "", "write amplification: bytes of pages programmed / bytes written by the host",
		REAL(waf) },
	{ "map.read", "pages", "mapping pages read for look-ups", COUNT(map_reads) },
	{ "map.write", "pages", "mapping pages programmed for look-ups", COUNT(map_programs) },
	{ "map.bytes", "bytes", "size of the mapping", COUNT(map_bytes) },
	{ 0 },
};

static const struct stat_row time_rows[] = {
	{ "die.busy_share", "share", "mean over the dies: cell array working", REAL(die_busy) },
	{ "gc.time_share", "share", "die time spent on collection and wear levelling, of all busy die time",
		REAL(die_background) },
	{ "channel.busy_share", "share", "mean over the channels: bus in use", REAL(channel_busy) },
	{ "die.multiplane_commands", "commands", "that served several planes", COUNT(multiplane_commands) },
	{ "die.suspensions", "", "programs and erases interrupted by a read", COUNT(suspensions) },
	{ 0 },
};

static const struct stat_row wear_rows[] = {
	{ "wear.min", "erases", "", COUNT(wear_min) },
	{ "wear.max", "erases", "", COUNT(wear_max) },
	{ "wear.mean", "erases", "", REAL(wear_mean) },
	{ "wear.sd", "erases", "standard deviation", REAL(wear_sd) },
	{ "wear.retired_blocks", "blocks", "worn out and out of use", COUNT(retired_blocks) },
	{ 0 },
};

double statistics_waf(const struct drive *d)
{
	return share((double)flash_total(d->flash, OP_PROGRAM) * d->geometry.sectors_per_page,
		(double)d->count->request[REQUEST_WRITE].sectors);
}

static void gather_figures(void *drive)
{
	const struct drive *d = drive;
	const struct class_statistics *across = d->count->class[CLASS_ACROSS];
	struct drive_figures *f = &d->count->figures;
	struct ftl_facts facts = { 0 };

	d->ftl->ops->facts(d->ftl, &facts);
	f->across_share =
		share((double)(across[REQUEST_READ].request.count + across[REQUEST_WRITE].request.count),
			(double)d->count->request[REQUEST_TYPES].count);
	f->waf = statistics_waf(d);
	f->map_reads = d->flash->count[OP_READ][CAUSE_MAP];
	f->map_programs = d->flash->count[OP_PROGRAM][CAUSE_MAP];
	f->map_bytes = facts.map_bytes;
	f->retired_blocks = facts.retired_blocks;
}

static void gather_times(void *drive)
{
	const struct drive *d = drive;
	struct drive_figures *f = &d->count->figures;
	struct busy busy = schedule_busy(d->flash->schedule);
	double elapsed = (double)(d->last_completion - d->first_arrival);

	f->die_busy = share((double)busy.die_ns, elapsed * d->geometry.dies);
	f->die_background = share((double)busy.die_background_ns, (double)busy.die_ns);
	f->channel_busy = share((double)busy.channel_ns, elapsed * d->geometry.channels);
	f->multiplane_commands = busy.multiplane_commands;
	f->suspensions = busy.suspensions;
}

static void gather_wear(void *drive)
{
	const struct drive *d = drive;
	struct drive_figures *f = &d->count->figures;
	double sum = 0, squares = 0, n = d->geometry.blocks;

	f->wear_min = UINT64_MAX;
	f->wear_max = 0;
	for (block_t b = 0; b < d->geometry.blocks; b++) {
		uint64_t erases = d->flash->block[b].erases;

		f->wear_min = erases < f->wear_min ? erases : f->wear_min;
		f->wear_max = erases > f->wear_max ? erases : f->wear_max;
		sum += (double)erases;
		squares += (double)erases * (double)erases;
	}
	f->wear_mean = sum / n;
	f->wear_sd = sqrt(fmax(0, squares / n - f->wear_mean * f->wear_mean));
}

static void add_figures(
	struct drive *d, const char *title, const struct stat_row *rows, void (*gather)(void *))
{
	stat_list_add(&d->statistics,
		(struct stat_group){ title, NULL, rows, &d->count->figures, 0, d, NULL, gather });
}

void statistics_add(struct drive *d)
{
	add_requests(d);
	host_statistics(d->host, &d->statistics);
	add_figures(d, "shares of the whole", figure_rows, gather_figures);
	flash_statistics(d->flash, &d->statistics);
	ftl_statistics(d->ftl, &d->statistics);
	buffer_statistics(d->buffer, &d->statistics);
	add_figures(d, "time", time_rows, gather_times);
	add_figures(d, "erases per block, since the drive was made", wear_rows, gather_wear);
}

/* ---- reports ---- */

static void report_setting(void *report, const char *key, const char *value)
{
	report_parameter(report, key, value);
}

void statistics_report(struct report *r, const struct run *run, const struct run_facts *facts)
{
	struct drive *d = run->drive;
	struct run_figures f = figures_of(run, facts);

	report_group(r, "run", run_rows, &f);
	report_section(r, "effective parameters");
	settings_echo(d->settings, report_setting, r);
	report_group(r, "drive", drive_rows, &f);
	report_group(r, "state before the first request", start_rows, &f);
	stat_list_report(&d->statistics, r);
}

/* Above this share of the pages read it is said that they held no data. */
#define NOTABLE_SHARE 0.01

bool statistics_doubt(const struct drive *d, char *text, size_t bytes)
{
	const struct flash *f = d->flash;
	double unmapped = (double)d->ftl->map.unmapped_reads;
	double read = (double)(f->count[OP_READ][CAUSE_HOST] + f->forwarded[CAUSE_HOST]);

	if (unmapped <= NOTABLE_SHARE * (read + unmapped))
		return false;
	snprintf(text, bytes,
		"%.0f of %.0f pages read (%.1f %%) held no data and cost a look-up only: read latencies are too "
		"low for a drive in use; see map.unmapped_reads and `ssd params precondition`",
		unmapped, read + unmapped, 100 * unmapped / (read + unmapped));
	return true;
}

/* ---- names ---- */

/* Shows what a small drive reports.  False: the FTL and the buffer do not go together. */
static bool print_names_of(size_t ftl, size_t buffer, size_t layer, FILE *out, struct stat_names *shown)
{
	static char *const small[] = { "flash.channels=1", "flash.chips=1", "flash.dies=1", "flash.planes=1",
		"flash.blocks=256", "flash.over_provisioning=0.3", "dram.buffer_bytes=1M" };
	struct fault fault = { "" };
	struct settings settings;
	struct drive *d = NULL;
	bool fit;

	if (settings_init(&settings, &fault) &&
		settings_read(&settings, NULL, small, sizeof small / sizeof *small, &fault)) {
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

static void print_names_of_run(FILE *out, struct stat_names *shown)
{
	struct stat_list list = { .room = 0 };

	stat_list_add(&list, (struct stat_group){ "run", NULL, run_rows });
	stat_list_add(&list, (struct stat_group){ "drive", NULL, drive_rows });
	stat_list_add(&list, (struct stat_group){ "state before the first request", NULL, start_rows });
	stat_list_print(&list, out, shown);
	stat_list_release(&list);
}

void statistics_print_names(FILE *out)
{
	struct stat_names shown = { .names = 0 };

	print_names_of_run(out, &shown);
	for (size_t ftl = 0; ftls[ftl]; ftl++)
		print_names_of(ftl, 0, 0, out, &shown);
	for (size_t buffer = 1; buffers[buffer]; buffer++)
		for (size_t ftl = 0; ftls[ftl] && !print_names_of(ftl, buffer, 0, out, &shown); ftl++)
			;
	for (size_t layer = 1; host_layers[layer]; layer++)
		print_names_of(0, 0, layer, out, &shown);
	stat_names_release(&shown);
}

/* ---- columns ---- */

void statistics_write_latencies(const struct drive *d, FILE *out)
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

/* A window of erase counts at a time: nothing is allocated, and so can fail, while the file is half written. */
void statistics_write_wear(const struct drive *d, FILE *out)
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
