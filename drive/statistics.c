#include "drive/statistics.h"

#include "base/memory.h"
#include "drive/durable.h"
#include "flash/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* NaN if there is no whole; the statistic is then left out. */
static double statistics_share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* ---- classes ---- */

enum request_class drive_classify(const struct geometry *g, const struct request *r)
{
	sector_t end = r->start + r->sectors;
	uint32_t page = g->sectors_per_page;

	if (r->sectors <= page && geometry_lpn(g, r->start) != geometry_lpn(g, end - 1))
		return CLASS_ACROSS;
	return (r->start | end) & (page - 1) ? CLASS_UNALIGNED : CLASS_ALIGNED;
}

const char *class_name(enum request_class kind)
{
	static const char *const names[CLASSES] = { "across", "aligned", "unaligned" };

	return names[kind];
}

/* ---- requests ---- */

#define CLASS(field) offsetof(struct class_statistics, field)

/* For requests of a type and for those of a class: struct class_statistics begins with the same fields. */
static const struct stat_row request_rows[] = {
	{ "count", "requests", "completed", STAT_COUNT, CLASS(request.count) },
	{ "bytes", "bytes", "", STAT_COUNT, CLASS(request.bytes) },
	{ "latency", "", "arrival to completion", STAT_TIMES, CLASS(request.latency) },
	{ 0 },
};

#define DURABLE(field) offsetof(struct durable_statistics, field)

static const struct stat_row flush_rows[] = {
	{ "count", "requests", "completed", STAT_COUNT, DURABLE(request.count) },
	{ "latency", "", "arrival to completion", STAT_TIMES, DURABLE(request.latency) },
	{ "service", "", "entry into the drive to completion", STAT_TIMES, DURABLE(service) },
	{ 0 },
};

static const struct stat_row fua_rows[] = {
	{ "count", "requests", "writes to be in flash when they are completed", STAT_COUNT,
		DURABLE(request.count) },
	{ "bytes", "bytes", "", STAT_COUNT, DURABLE(request.bytes) },
	{ "latency", "", "arrival to completion", STAT_TIMES, DURABLE(request.latency) },
	{ "service", "", "entry into the drive to completion", STAT_TIMES, DURABLE(service) },
	{ 0 },
};

static const struct stat_row service_rows[] = {
	{ "service", "", "entry into the drive to completion: latency without the wait for a free slot",
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
	{ "programs", "pages", "programmed for the host by these requests", STAT_COUNT, CLASS(programs) },
	{ "programs_per_sector", "pages", "programs / sectors", STAT_RATIO, CLASS(programs),
		CLASS(request.sectors) },
	{ "programs_per_sector_mean", "pages", "mean over the requests of programs / sectors", STAT_REAL,
		CLASS(programs_each_mean) },
	{ 0 },
};

/* Sums up all types. */
static void statistics_join_types(struct request_statistics *request)
{
	struct request_statistics *all = &request[REQUEST_TYPES];

	*all = (struct request_statistics){ 0 };
	for (int type = 0; type < REQUEST_TYPES; type++) {
		all->count += request[type].count;
		all->sectors += request[type].sectors;
		histogram_join(&all->latency, &request[type].latency);
	}
}

void statistics_sum_types(struct drive_statistics *s)
{
	for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++) {
		struct request_statistics *of = &s->request[type];

		memset(&of->latency, 0, sizeof of->latency);
		for (int kind = 0; kind < CLASSES; kind++)
			histogram_join(&of->latency, &s->of_class[kind][type].request.latency);
		of->count = of->latency.count;
	}
	statistics_join_types(s->request);
	s->request[REQUEST_TYPES].count += s->flush.request.count;
	histogram_join(&s->request[REQUEST_TYPES].latency, &s->flush.request.latency);
}

static void statistics_gather_requests(void *drive)
{
	struct drive_statistics *s = ((struct drive *)drive)->count;

	statistics_sum_types(s);
	s->fua.request.bytes = s->fua.request.sectors * SECTOR_BYTES;
	for (int type = 0; type <= REQUEST_TYPES; type++)
		s->request[type].bytes = s->request[type].sectors * SECTOR_BYTES;
	for (int kind = 0; kind < CLASSES; kind++)
		for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++) {
			struct class_statistics *c = &s->of_class[kind][type];

			c->request.bytes = c->request.sectors * SECTOR_BYTES;
			c->latency_per_sector =
				statistics_share((double)c->request.latency.sum, (double)c->request.sectors);
			c->latency_each_mean = statistics_share(c->latency_each, (double)c->request.count);
			c->programs_each_mean = statistics_share(c->programs_each, (double)c->request.count);
		}
}

static void statistics_gather_tenants(void *drive)
{
	struct drive *d = drive;

	for (struct tenant_statistics *t = d->tenant; t < d->tenant + d->host->tenants.count; t++) {
		statistics_join_types(t->request);
		for (int type = 0; type <= REQUEST_TYPES; type++)
			t->request[type].bytes = t->request[type].sectors * SECTOR_BYTES;
		t->iops = statistics_share((double)t->request[REQUEST_TYPES].count * 1e9, (double)t->ns);
	}
}

/* `size` is 0 if another group zeroes the values. */
static void statistics_add_group(struct drive *d, const char *title, const char *prefix,
	const struct stat_row *rows, void *values, size_t size)
{
	stat_list_add(&d->statistics, (struct stat_group){ title, prefix, rows, values, size });
}

/* FLUSH and FUA, which most workloads lack: a count of 0 is reported only with settings that concern them. */
static void statistics_add_durable(struct drive *d)
{
	struct drive_statistics *s = d->count;
	bool quiet = !durable_matters(d->settings);

	stat_list_add(&d->statistics, (struct stat_group){ .prefix = "request.flush.",
					      .rows = flush_rows,
					      .values = &s->flush,
					      .size = sizeof s->flush,
					      .quiet = quiet });
	stat_list_add(&d->statistics, (struct stat_group){ .prefix = "request.fua.",
					      .rows = fua_rows,
					      .values = &s->fua,
					      .size = sizeof s->fua,
					      .quiet = quiet });
}

static void statistics_add_requests(struct drive *d)
{
	static const char *const prefix[] = { "request.read.", "request.write.", "request.trim.",
		"request.all." };
	static const char *const class_prefix[CLASSES][2] = {
		[CLASS_ACROSS] = { "request.across.read.", "request.across.write." },
		[CLASS_ALIGNED] = { "request.aligned.read.", "request.aligned.write." },
		[CLASS_UNALIGNED] = { "request.unaligned.read.", "request.unaligned.write." },
	};
	const char *title = "requests by class: across = at most a page long, but in two pages";
	struct drive_statistics *s = d->count;

	stat_list_add(
		&d->statistics, (struct stat_group){ "requests", prefix[0], request_rows, &s->request[0],
					sizeof s->request[0], d, NULL, statistics_gather_requests });
	for (int type = 1; type <= REQUEST_TYPES; type++)
		statistics_add_group(
			d, NULL, prefix[type], request_rows, &s->request[type], sizeof s->request[type]);
	for (int type = 0; type < REQUEST_TYPES; type++)
		statistics_add_group(
			d, NULL, prefix[type], service_rows, &s->service[type], sizeof s->service[type]);
	statistics_add_durable(d);
	for (int kind = 0; kind < CLASSES; kind++)
		for (int type = REQUEST_READ; type <= REQUEST_WRITE; type++, title = NULL) {
			struct class_statistics *c = &s->of_class[kind][type];

			statistics_add_group(d, title, class_prefix[kind][type], request_rows, c, sizeof *c);
			statistics_add_group(d, NULL, class_prefix[kind][type], class_rows, c, 0);
			if (type == REQUEST_WRITE)
				statistics_add_group(
					d, NULL, class_prefix[kind][type], class_write_rows, c, 0);
		}
}

/* ---- tenants ---- */

static const struct stat_row rate_rows[] = {
	{ "iops", "requests/s", "completed / time from the first arrival of the run to its last completion",
		STAT_REAL, offsetof(struct tenant_statistics, iops) },
	{ 0 },
};

/* `all` has trims and FLUSH, too. */
static void statistics_add_tenant(struct drive *d, uint32_t number)
{
	static const int types[] = { REQUEST_READ, REQUEST_WRITE, REQUEST_TYPES };
	static const char *const names[] = { "read.", "write.", "all." };
	struct tenant_statistics *t = &d->tenant[number];

	for (int i = 0; i < 3; i++) {
		snprintf(t->prefix[i], sizeof t->prefix[i], "tenant.%u.%s", number, names[i]);
		stat_list_add(&d->statistics,
			(struct stat_group){ number || i ? NULL : "tenants", t->prefix[i], request_rows,
				&t->request[types[i]], i ? 0 : offsetof(struct tenant_statistics, iops), d,
				NULL, number || i ? NULL : statistics_gather_tenants });
	}
	statistics_add_group(d, NULL, t->prefix[2], rate_rows, t, 0);
}

/* ---- computed at the end ---- */

#undef COUNT
#undef REAL
#define COUNT(field) STAT_COUNT, offsetof(struct drive_figures, field)
#define REAL(field)  STAT_REAL, offsetof(struct drive_figures, field)

static const struct stat_row figure_rows[] = {
	{ "request.across_share", "share", "across requests, of all requests", REAL(across_share) },
	{ "waf", "", "write amplification: bytes of pages programmed / bytes written by the host",
		REAL(waf) },
	{ "map.read", "pages", "mapping pages read for look-ups", COUNT(map_reads) },
	{ "map.write", "pages", "mapping pages programmed for look-ups", COUNT(map_programs) },
	{ "map.bytes", "bytes", "size of the mapping table", COUNT(map_bytes) },
	{ 0 },
};

static const struct stat_row time_rows[] = {
	{ "die.busy_share", "share", "time the cell array is busy, mean over the dies", REAL(die_busy) },
	{ "gc.time_share", "share", "collection and wear levelling, of the busy time of all dies",
		REAL(die_background) },
	{ "channel.busy_share", "share", "time the bus is busy, mean over the channels", REAL(channel_busy) },
	{ "die.multiplane_commands", "commands", "executed on several planes at once",
		COUNT(multiplane_commands) },
	{ "die.suspensions", "", "programs and erases suspended for a read", COUNT(suspensions) },
	{ 0 },
};

static const struct stat_row cache_register_rows[] = {
	{ "die.cache_reads", "commands", "reads begun while data of another read leaves the die",
		COUNT(cache_reads) },
	{ "die.cache_programs", "commands", "programs loaded while the cells of the die program",
		COUNT(cache_programs) },
	{ 0 },
};

static const struct stat_row wear_rows[] = {
	{ "wear.min", "erases", "", COUNT(wear_min) },
	{ "wear.max", "erases", "", COUNT(wear_max) },
	{ "wear.mean", "erases", "", REAL(wear_mean) },
	{ "wear.sd", "erases", "standard deviation", REAL(wear_sd) },
	{ "wear.retired_blocks", "blocks", "worn out, no longer used", COUNT(retired_blocks) },
	{ 0 },
};

double statistics_waf(const struct drive *d)
{
	return statistics_share((double)flash_total(d->flash, OP_PROGRAM) * d->geometry.sectors_per_page,
		(double)d->count->request[REQUEST_WRITE].sectors);
}

static void statistics_gather_figures(void *drive)
{
	const struct drive *d = drive;
	const struct class_statistics *across = d->count->of_class[CLASS_ACROSS];
	struct drive_figures *f = &d->count->figures;
	struct ftl_facts facts = ftl_facts(d->ftl);

	f->across_share = statistics_share(
		(double)(across[REQUEST_READ].request.count + across[REQUEST_WRITE].request.count),
		(double)d->count->request[REQUEST_TYPES].count);
	f->waf = statistics_waf(d);
	f->map_reads = d->flash->count[OP_READ][CAUSE_MAP];
	f->map_programs = d->flash->count[OP_PROGRAM][CAUSE_MAP];
	f->map_bytes = facts.map_bytes;
	f->retired_blocks = facts.retired_blocks;
}

static void statistics_gather_times(void *drive)
{
	const struct drive *d = drive;
	struct drive_figures *f = &d->count->figures;
	struct busy busy = schedule_busy(d->flash->schedule);
	double elapsed = (double)(d->last_completion - d->first_arrival);

	f->die_busy = statistics_share((double)busy.die_ns, elapsed * d->geometry.dies);
	f->die_background = statistics_share((double)busy.die_background_ns, (double)busy.die_ns);
	f->channel_busy = statistics_share((double)busy.channel_ns, elapsed * d->geometry.channels);
	f->multiplane_commands = busy.multiplane_commands;
	f->suspensions = busy.suspensions;
	f->cache_reads = busy.cache_reads;
	f->cache_programs = busy.cache_programs;
}

static void statistics_gather_wear(void *drive)
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

static void statistics_add_figures(
	struct drive *d, const char *title, const struct stat_row *rows, void (*gather)(void *))
{
	stat_list_add(&d->statistics,
		(struct stat_group){ title, NULL, rows, &d->count->figures, 0, d, NULL, gather });
}

void statistics_add(struct drive *d)
{
	statistics_add_requests(d);
	for (uint32_t i = 0; d->tenant && i < d->host->tenants.count; i++)
		statistics_add_tenant(d, i);
	host_statistics(d->host, &d->statistics);
	statistics_add_figures(d, "shares of the whole", figure_rows, statistics_gather_figures);
	flash_statistics(d->flash, &d->statistics);
	ftl_statistics(d->ftl, &d->statistics);
	upkeep_statistics(&d->upkeep, &d->statistics);
	buffer_statistics(d->buffer, &d->statistics);
	statistics_add_figures(d, "time", time_rows, statistics_gather_times);
	if (d->settings->flash.cache_register != CACHE_OFF)
		statistics_add_figures(d, NULL, cache_register_rows, statistics_gather_times);
	statistics_add_figures(
		d, "erases per block, since the drive was made", wear_rows, statistics_gather_wear);
}
