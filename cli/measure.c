/*
 * `ssd measure`: the write rate of a drive for single sectors, each written when the one before it is done:
 * in order, at random, and at each distance forwards and backwards (Chardin, Pasteur, Petit, FlashDB 2011,
 * section 3).
 *
 * A pass writes as many sectors as the pattern needs to go once round the host's address space; at random, as
 * many as the device has.  Three passes bring the drive to a steady state, the fourth is timed: with fewer,
 * large pools look too good.
 */
#include "cli/cli.h"
#include "drive/prepare/precondition.h"
#include "drive/striped.h"
#include "flash/schedule.h"
#include "stats/output.h"

#include <inttypes.h>
#include <math.h>

enum { PASSES = 3, SECTOR_BYTES_USUAL = 4096 };

/* A distance is as slow as random writes up to this multiple of their rate. */
#define LIKE_RANDOM 1.1

/* The device measured, a drive or a striped device, and the layer in front of it. */
struct subject {
	struct drive *drive;
	struct striped *striped;
	struct host *host;
	struct stat_list layer;   /* statistics of the layer, during the timed pass */
	uint64_t striped_sectors; /* 512-byte sectors of one of its sectors */
	uint64_t sectors, count;  /* of one write; how many of these the host sees */
	struct random random;
	bool failed;
};

/* ---- a write ---- */

static tick_t measure_now(const struct subject *m)
{
	return m->drive ? schedule_now(m->drive->flash->schedule) : striped_now(m->striped);
}

/* Reads take no time in this model. */
static void measure_write_striped(struct subject *m, const struct request *r)
{
	host_map(m->host, r);
	for (const struct host_part *p = m->host->part; p < m->host->part + m->host->parts; p++)
		for (sector_t s = p->device.start; p->type == REQUEST_WRITE && s < p->device.end;
			s += m->striped_sectors)
			striped_write(m->striped, s / m->striped_sectors);
}

static void measure_write(struct subject *m, uint64_t number)
{
	struct request r = { .arrival = measure_now(m),
		.start = number * m->sectors,
		.sectors = (uint32_t)m->sectors,
		.type = REQUEST_WRITE };

	if (m->striped) {
		measure_write_striped(m, &r);
		return;
	}
	m->failed = m->failed || !drive_submit(m->drive, &r);
	while (m->drive->in_drive && drive_run_to_completion(m->drive))
		;
}

/* ---- patterns ---- */

/* Writes per second at this distance, in sectors, from one write to the next; 0: at random.  NaN: the
 * drive failed. */
static double measure_rate(struct subject *m, int64_t distance)
{
	uint64_t length = (uint64_t)(distance < 0 ? -distance : distance), at = 0;
	uint64_t pass = length ? m->count / length : m->host->device.sectors / m->sectors;
	tick_t start = 0;

	for (uint64_t i = 0; i < (PASSES + 1) * pass && !m->failed; i++) {
		if (i == PASSES * pass) {
			start = measure_now(m);
			stat_list_start(&m->layer);
		}
		if (!length)
			at = random_below(&m->random, m->count);
		measure_write(m, at);
		at = (at + (distance < 0 ? m->count - length : length)) % m->count;
	}
	return m->failed ? NAN : (double)pass * 1e9 / (double)(measure_now(m) - start);
}

static void measure_report_rate(struct report *r, const char *name, double value, const char *meaning)
{
	report_real(r, name, value, "writes/s", meaning);
}

/* 1 to 8, then alternately 4/3 and 3/2 of the distance before: 12, 16, 24, 32, ... */
static int64_t measure_next_distance(int64_t d)
{
	if (d < 8)
		return d + 1;
	return d & (d - 1) ? d / 3 * 4 : d / 2 * 3;
}

/* Measures up to twice the distance at which writes are as slow as random ones, if they ever are. */
static void measure_distances(struct subject *m, struct report *r, double at_random)
{
	int64_t d_max = 0, most = (int64_t)(m->count / 4);
	char name[40];

	for (int64_t d = 1; d <= most && (!d_max || d <= 2 * d_max); d = measure_next_distance(d)) {
		double ahead = measure_rate(m, d);

		snprintf(name, sizeof name, "measure.ahead.%" PRId64, d);
		measure_report_rate(r, name, ahead, "");
		snprintf(name, sizeof name, "measure.back.%" PRId64, d);
		measure_report_rate(r, name, measure_rate(m, -d), "");
		if (!d_max && ahead <= at_random * LIKE_RANDOM)
			d_max = d;
	}
	if (d_max)
		report_count(r, "measure.d_max", (uint64_t)d_max, "sectors",
			"smallest of these distances at which writes are as slow as random ones");
}

/* ---- the measurement ---- */

static void measure_report_setting(void *report, const struct param_echo *setting)
{
	report_parameter(report, setting->key, setting->value);
}

static bool measure_and_report(
	struct subject *m, const struct settings *s, bool random, struct output *json, struct fault *fault)
{
	struct report *r = report_create();
	double at_random;

	settings_echo(s, measure_report_setting, r);
	report_section(r, "writes of one sector, one at a time");
	report_count(r, "measure.sector_bytes", m->sectors * SECTOR_BYTES, "bytes", "of one write");
	report_count(r, "measure.sectors", m->count, "sectors", "of the drive as the host sees it");
	if (!random)
		measure_report_rate(r, "measure.sequential", measure_rate(m, 1), "");
	at_random = measure_rate(m, 0);
	measure_report_rate(r, "measure.random", at_random, "");
	stat_list_report(&m->layer, r);
	if (!random)
		measure_distances(m, r, at_random);
	report_write_text(r, stdout);
	if (json->stream)
		report_write_json(r, json->stream);
	report_free(r);
	return !json->stream || output_commit(json, fault);
}

static bool measure_open_striped(struct subject *m, const struct settings *s, struct fault *fault)
{
	const struct striped_settings *device = s->striped;

	m->striped = striped_create(device, fault);
	m->striped_sectors = device->sector_bytes / SECTOR_BYTES;
	if (m->striped)
		m->host = host_create(host_layers[s->host.layer], &s->host, s->host_own[s->host.layer],
			&s->trace,
			(struct host_device){
				device->sectors * m->striped_sectors, (uint32_t)m->striped_sectors },
			fault);
	return m->host;
}

static bool measure_open_drive(struct subject *m, const struct settings *s, struct fault *fault)
{
	struct precondition_result before;

	m->drive = drive_create(s, false, fault);
	if (!m->drive || !precondition(m->drive, NULL, &before, fault))
		return false;
	m->host = m->drive->host;
	stat_list_start(&m->drive->statistics);
	return true;
}

/* False and a fault: such writes cannot be measured on this device. */
static bool measure_is_possible(struct subject *m, uint64_t bytes, struct fault *fault)
{
	uint64_t whole = m->striped ? m->striped_sectors * SECTOR_BYTES : SECTOR_BYTES;

	if (m->drive && m->drive->ftl->ops->admit && m->host->ops->order != HOST_ZONES)
		return fault_set(fault,
			"measure: writes go anywhere, which ftl = %s takes with host.layer = zoned",
			m->drive->ftl->ops->name);
	if (bytes % whole)
		return fault_set(fault,
			"--sector %" PRIu64 " is not a multiple of the device's sectors of %" PRIu64 " bytes",
			bytes, whole);
	m->sectors = bytes / SECTOR_BYTES;
	m->count = m->host->sectors / m->sectors;
	return m->count >= 4 ||
	       fault_set(fault,
		       "a drive of %" PRIu64 " sectors of %" PRIu64 " bytes is too small to be measured",
		       m->count, bytes);
}

static int measure_with(const struct options *o, const struct settings *s, struct fault *fault)
{
	struct subject m = { 0 };
	struct output json = { .stream = NULL };
	int status = STATUS_USER;

	random_init(&m.random, s->top.seed, 0x6d656173);
	if (stat_list_init(&m.layer, &s->stats, fault) && (!o->json || output_open(&json, o->json, fault)) &&
		(s->striped->superblock ? measure_open_striped : measure_open_drive)(&m, s, fault) &&
		measure_is_possible(&m, o->sector_bytes ? o->sector_bytes : SECTOR_BYTES_USUAL, fault)) {
		if (m.host->ops->statistics)
			m.host->ops->statistics(m.host, &m.layer);
		if (measure_and_report(&m, s, o->random, &json, fault))
			status = m.failed ? STATUS_DRIVE_FAILED : STATUS_DONE;
	}
	output_abandon(&json);
	stat_list_release(&m.layer);
	if (m.striped)
		host_free(m.host);
	striped_free(m.striped);
	drive_free(m.drive);
	return status;
}

int cli_measure(const struct options *o, struct fault *fault)
{
	const struct named files[] = { { "the parameters", o->operand.text[0], false },
		{ "--plugin", o->plugin, false }, { "--json", o->json, true } };
	struct settings settings;
	int status = STATUS_USER;

	if (!cli_distinct(files, 3, fault))
		return STATUS_USER;
	if (!o->json)
		cli_listing();
	if (cli_settings(&settings, o, fault)) {
		settings.precondition.premap = PREMAP_NONE; /* there is no trace */
		status = measure_with(o, &settings, fault);
	}
	settings_release(&settings);
	return status;
}
