#include "drive/statistics.h"

#include "flash/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NAME_BYTES 96

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static const char *join(char *name, const char *prefix, const char *suffix)
{
	snprintf(name, NAME_BYTES, "%s.%s", prefix, suffix);
	return name;
}

/* ---- the run ---- */

static void echo_setting(void *report, const char *line)
{
	report_comment(report, "%s", line);
}

static void report_run(struct report *r, const struct run *run, const struct run_facts *facts)
{
	const struct drive *d = run->drive;
	uint64_t served =
		d->completed[REQUEST_READ] + d->completed[REQUEST_WRITE] + d->completed[REQUEST_TRIM];

	report_section(r, "run");
	report_text(r, "run.command", facts->command, "what was typed");
	report_text(r, "run.version", facts->version, "of ssd");
	report_text(r, "run.parameters", facts->parameters, "parameter file");
	report_text(r, "run.workload", facts->workload, "trace file or profile");
	report_text(r, "run.workload_kind",
		run->workload->generator ? "generated" : trace_format(run->workload->trace),
		"format of the trace; generated = made by a profile of the generator");
	report_text(r, "run.ftl", d->ftl->ops->name, "");
	report_text(r, "run.buffer", d->buffer->ops->name, "");
	report_count(r, "run.seed", d->settings->top.seed, "", "");
	report_count(r, "run.requests", run->requests, "requests", "taken from the workload");
	report_count(r, "run.served", served, "requests",
		"completed; equal to run.requests unless the drive failed");
	report_count(r, "run.folded", d->host->folded, "requests", "whose address was folded into the drive");
	report_count(r, "run.reordered", run->workload->trace ? trace_reordered(run->workload->trace) : 0,
		"requests", "that stood in the trace after a later one and were sorted");
	report_count(r, "run.interrupted", facts->end == RUN_INTERRUPTED, "",
		"1 = ended by the user before the workload");
	report_count(r, "run.drive_failed", facts->end == RUN_DRIVE_FAILED, "",
		"1 = no page could be written any more, the drive is full or worn out");
	report_count(r, "run.verified", d->oracle != NULL, "",
		"1 = every sector read was compared with the newest written");
	report_count(r, "run.simulated_ns", d->last_completion - d->first_arrival, "ns",
		"from the first arrival to the last completion");
	report_section(r, "effective parameters");
	settings_echo(d->settings, echo_setting, r);
}

static void report_drive(struct report *r, const struct drive *d, const struct precondition_result *before)
{
	const struct geometry *g = &d->geometry;

	report_section(r, "drive");
	report_count(r, "drive.physical_bytes", (uint64_t)g->pages * g->page_bytes, "bytes", "");
	report_count(r, "drive.logical_bytes", (uint64_t)g->logical_pages * g->page_bytes, "bytes", "");
	report_count(r, "drive.blocks", g->blocks, "blocks", "");
	report_count(r, "drive.dies", g->dies, "dies", "");
	report_section(r, "state before the first request");
	report_real(r, "precondition.used", share((double)before->used_pages, g->pages), "share",
		"physical pages programmed");
	report_real(r, "precondition.valid", share((double)before->valid_pages, g->pages), "share",
		"physical pages live");
	report_count(r, "precondition.footprint_pages", before->footprint_pages, "pages",
		"logical pages of the workload that were prepared");
	report_count(r, "precondition.replayed", before->replayed, "requests", "of the warm-up trace");
}

/* ---- requests ---- */

static void report_latency(struct report *r, const char *prefix, const struct histogram *h)
{
	char name[NAME_BYTES];

	report_real(
		r, join(name, prefix, "latency_mean_ns"), histogram_mean(h), "ns", "arrival to completion");
	report_real(
		r, join(name, prefix, "latency_sd_ns"), histogram_deviation(h), "ns", "standard deviation");
	report_count(r, join(name, prefix, "latency_p50_ns"), histogram_percentile(h, 0.5), "ns", "median");
	report_count(r, join(name, prefix, "latency_p99_ns"), histogram_percentile(h, 0.99), "ns", "");
	report_count(r, join(name, prefix, "latency_p999_ns"), histogram_percentile(h, 0.999), "ns", "");
	report_count(r, join(name, prefix, "latency_max_ns"), h->max, "ns", "");
}

static void report_requests(struct report *r, const struct drive *d)
{
	static const char *const prefix[] = { "request.read", "request.write", "request.trim",
		"request.all" };
	char name[NAME_BYTES];

	report_section(r, "requests");
	for (int type = 0; type <= REQUEST_TYPES; type++) {
		uint64_t sectors = type < REQUEST_TYPES
					   ? d->sectors[type]
					   : d->sectors[REQUEST_READ] + d->sectors[REQUEST_WRITE] +
						     d->sectors[REQUEST_TRIM];

		report_count(r, join(name, prefix[type], "count"), d->latency[type].count, "requests",
			"completed");
		report_count(r, join(name, prefix[type], "bytes"), sectors * SECTOR_BYTES, "bytes", "");
		report_latency(r, prefix[type], &d->latency[type]);
	}
}

static void report_class(struct report *r, const char *prefix, const struct class_statistics *c, bool write)
{
	double latency = histogram_mean(&c->latency) * (double)c->count;
	char name[NAME_BYTES];

	report_count(r, join(name, prefix, "count"), c->count, "requests", "completed");
	report_count(r, join(name, prefix, "bytes"), c->sectors * SECTOR_BYTES, "bytes", "");
	report_latency(r, prefix, &c->latency);
	report_real(r, join(name, prefix, "latency_per_sector_ns"), share(latency, (double)c->sectors), "ns",
		"sum of the latencies / sum of the sectors");
	if (!write)
		return;
	report_count(r, join(name, prefix, "programs"), c->programs, "pages",
		"written for the host by these requests");
	report_real(r, join(name, prefix, "programs_per_sector"),
		share((double)c->programs, (double)c->sectors), "pages", "programs / sectors");
}

static void report_classes(struct report *r, const struct drive *d)
{
	char prefix[NAME_BYTES / 2];

	report_section(r, "requests by class: across = at most a page long and in two pages");
	for (int class = 0; class < CLASSES; class ++)
		for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++) {
			snprintf(prefix, sizeof prefix, "request.%s.%s",
				class_name((enum request_class) class),
				type == REQUEST_READ ? "read" : "write");
			report_class(r, prefix, &d->class[class][type], type == REQUEST_WRITE);
		}
	report_real(r, "request.across_share",
		share((double)(d->class[CLASS_ACROSS][0].count + d->class[CLASS_ACROSS][1].count),
			(double)d->latency[REQUEST_TYPES].count),
		"share", "across requests of all requests");
}

/* ---- the medium ---- */

static void report_operations(struct report *r, const struct flash *f)
{
	static const char *const kind_names[OP_KINDS] = { "flash.read", "flash.program", "flash.copy",
		"flash.erase" };
	static const char *const units[OP_KINDS] = { "pages", "pages", "pages", "blocks" };
	char name[NAME_BYTES];

	report_section(r, "flash operations by cause; a copy-back counts as a read, a program and a copy");
	for (int kind = 0; kind < OP_KINDS; kind++) {
		report_count(r, join(name, kind_names[kind], "total"), flash_total(f, (enum op_kind)kind),
			units[kind], "");
		for (int cause = 0; cause < CAUSES; cause++)
			report_count(r, join(name, kind_names[kind], cause_name((enum cause)cause)),
				f->count[kind][cause], units[kind], "");
	}
	report_count(r, "flash.read.forwarded", flash_forwarded(f), "pages",
		"reads of a page still on its way to flash, served from the controller; not in flash.read");
	report_count(r, "flash.transferred_bytes", f->transferred_sectors * SECTOR_BYTES, "bytes",
		"over all channels");
}

static void report_waf(struct report *r, const struct drive *d)
{
	double programmed = (double)flash_total(d->flash, OP_PROGRAM) * d->geometry.sectors_per_page;

	report_real(r, "waf", share(programmed, (double)d->sectors[REQUEST_WRITE]), "",
		"write amplification: bytes of pages programmed / bytes written by the host");
}

static void report_collection(struct report *r, const struct drive *d)
{
	const struct collector *c = d->ftl->collector;
	struct busy busy = schedule_busy(d->flash->schedule);
	double elapsed = (double)(d->last_completion - d->first_arrival);

	report_section(r, "garbage collection and wear levelling");
	report_text(r, "gc.policy", c->policy.ops->name, "");
	report_count(r, "gc.collections", c->collections, "blocks", "collected");
	report_count(r, "gc.direct_erases", c->direct_erases, "blocks", "of these without a live page");
	report_count(r, "gc.moved_pages", c->moved_pages, "pages", "live pages copied out of victims");
	report_real(r, "gc.moved_per_collection", share((double)c->moved_pages, (double)c->collections),
		"pages", "");
	report_real(r, "gc.time_share", share((double)busy.die_background_ns, (double)busy.die_ns), "share",
		"die time spent on collection and wear levelling, of all busy die time");
	report_count(r, "wear.moves", c->wear_moves, "blocks", "emptied by static wear levelling");
	report_count(r, "wear.moved_pages", c->wear_moved_pages, "pages", "");
	report_section(r, "time");
	report_real(r, "die.busy_share", share((double)busy.die_ns, elapsed * d->geometry.dies), "share",
		"mean over the dies: cell array working");
	report_real(r, "channel.busy_share", share((double)busy.channel_ns, elapsed * d->geometry.channels),
		"share", "mean over the channels: bus in use");
	report_count(r, "die.multiplane_commands", busy.multiplane_commands, "commands",
		"that served several planes");
	report_count(r, "die.suspensions", busy.suspensions, "", "programs and erases interrupted by a read");
}

static void report_wear(struct report *r, const struct drive *d)
{
	uint64_t min = UINT64_MAX, max = 0;
	double sum = 0, squares = 0, n = d->geometry.blocks, mean;

	for (block_t b = 0; b < d->geometry.blocks; b++) {
		uint64_t erases = d->flash->block[b].erases;

		min = erases < min ? erases : min;
		max = erases > max ? erases : max;
		sum += (double)erases;
		squares += (double)erases * (double)erases;
	}
	mean = sum / n;
	report_section(r, "erases per block, since the drive was made");
	report_count(r, "wear.min", min, "erases", "");
	report_count(r, "wear.max", max, "erases", "");
	report_real(r, "wear.mean", mean, "erases", "");
	report_real(r, "wear.sd", sqrt(fmax(0, squares / n - mean * mean)), "erases", "standard deviation");
	report_count(r, "wear.retired_blocks", d->ftl->space->retired, "blocks", "worn out and out of use");
}

/* ---- map and buffer ---- */

static void report_map(struct report *r, const struct drive *d)
{
	const struct ftl *f = d->ftl;

	report_section(r, "address mapping");
	report_count(r, "map.lookup", f->map.lookups, "look-ups", "page-level translations");
	report_count(r, "map.hit", f->map.hits, "look-ups", "answered from DRAM");
	report_count(r, "map.miss", f->map.misses, "look-ups", "that had to read a mapping page");
	report_count(r, "map.read", d->flash->count[OP_READ][CAUSE_MAP], "pages", "mapping pages read");
	report_count(
		r, "map.write", d->flash->count[OP_PROGRAM][CAUSE_MAP], "pages", "mapping pages programmed");
	report_count(
		r, "map.dram_access", f->map.accesses, "entries", "mapping entries read or written in DRAM");
	report_count(r, "map.bytes", f->ops->map_bytes(f), "bytes", "size of the mapping");
}

static void report_buffer(struct report *r, const struct buffer *b)
{
	const struct buffer_statistics *s = &b->statistics;

	report_section(r, "write buffer");
	report_count(r, "buffer.capacity_bytes", b->capacity * SECTOR_BYTES, "bytes", "");
	report_count(r, "buffer.read.hit_sectors", s->hit_sectors[REQUEST_READ], "sectors", "");
	report_count(r, "buffer.read.miss_sectors", s->miss_sectors[REQUEST_READ], "sectors", "");
	report_count(r, "buffer.write.hit_sectors", s->hit_sectors[REQUEST_WRITE], "sectors",
		"written over data still in the buffer");
	report_count(r, "buffer.write.miss_sectors", s->miss_sectors[REQUEST_WRITE], "sectors", "");
	report_count(r, "buffer.evictions", s->evictions, "pages", "");
	report_count(
		r, "buffer.flushed_sectors", s->flushed_sectors, "sectors", "dirty data handed to the FTL");
	report_count(r, "buffer.dirty_sectors", buffer_dirty_sectors(b), "sectors",
		"still in the buffer at the end");
}

void statistics_report(struct report *r, const struct run *run, const struct run_facts *facts)
{
	const struct drive *d = run->drive;

	report_run(r, run, facts);
	report_drive(r, d, facts->before);
	report_requests(r, d);
	report_classes(r, d);
	report_operations(r, d->flash);
	report_waf(r, d);
	report_collection(r, d);
	report_wear(r, d);
	report_map(r, d);
	report_buffer(r, d->buffer);
	if (d->ftl->ops->report) {
		report_section(r, d->ftl->ops->name);
		d->ftl->ops->report(d->ftl, r);
	}
}

/* ---- columns ---- */

void statistics_write_latencies(const struct drive *d, FILE *out)
{
	uint64_t low, high;

	fprintf(out,
		"# latency_ns reads writes all   (requests whose latency lies below the first column and "
		"not below the one before)\n");
	for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++) {
		if (!d->latency[REQUEST_TYPES].bin[bin])
			continue;
		histogram_bin_bounds(bin, &low, &high);
		fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", high,
			d->latency[REQUEST_READ].bin[bin], d->latency[REQUEST_WRITE].bin[bin],
			d->latency[REQUEST_TYPES].bin[bin]);
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
