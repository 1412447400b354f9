/*
 * `ssd measure`: what a drive makes of sectors written one at a time: in order, at random, and at each distance ahead
 * and back (Chardin, Pasteur, Petit, FlashDB 2011, section 3).
 *
 * A pass writes as many sectors as the pattern needs to go round what the host sees; at random, as many as the device
 * has.  Three passes bring the drive to a steady state, the fourth is timed: shorter runs flatter large pools.
 */
#include "cli/cli.h"
#include "prepare/precondition.h"
#include "drive/striped.h"
#include "flash/schedule.h"
#include "stats/output.h"

#include <math.h>

enum { PASSES = 3, SECTOR_BYTES_USUAL = 4096 };

/* Up to this share of its rate a distance is as slow as chance. */
#define LIKE_CHANCE 1.1

/* What is measured, one of the two, and the layer in front of it. */
struct subject {
	struct drive *drive;
	struct striped *striped;
	struct host *host;
	struct stat_list layer;   /* what the layer counts during the pass that is timed */
	uint64_t striped_sectors; /* 512-byte sectors of one of its sectors */
	uint64_t sectors, count;  /* of what is written at once; how many of these the host sees */
	struct random random;
	bool failed;
};

/* ---- a write ---- */

static tick_t now(const struct subject *m)
{
	return m->drive ? schedule_now(m->drive->flash->schedule) : striped_now(m->striped);
}

/* Reading costs this model nothing. */
static void write_striped(struct subject *m, const struct request *r)
{
	host_map(m->host, r);
	for (const struct host_part *p = m->host->part; p < m->host->part + m->host->parts; p++)
		for (sector_t s = p->device.start; p->type == REQUEST_WRITE && s < p->device.end;
			s += m->striped_sectors)
			striped_write(m->striped, s / m->striped_sectors);
}

static void write_at(struct subject *m, uint64_t number)
{
	struct request r = { .arrival = now(m),
		.start = number * m->sectors,
		.sectors = (uint32_t)m->sectors,
		.type = REQUEST_WRITE };

	if (m->striped) {
		write_striped(m, &r);
		return;
	}
	m->failed = m->failed || !drive_submit(m->drive, &r);
	while (m->drive->in_drive && drive_run_to_completion(m->drive))
		;
}

/* ---- patterns ---- */

/* Writes per second at this distance from one to the next, which may be negative; 0: at random.  NaN: the drive has
 * failed. */
static double rate(struct subject *m, int64_t distance)
{
	uint64_t length = (uint64_t)(distance < 0 ? -distance : distance), at = 0;
	uint64_t pass = length ? m->count / length : m->host->device_sectors / m->sectors;
	tick_t start = 0;

	for (uint64_t i = 0; i < (PASSES + 1) * pass && !m->failed; i++) {
		if (i == PASSES * pass) {
			start = now(m);
			stat_list_start(&m->layer);
		}
		if (!length)
			at = random_below(&m->random, m->count);
		write_at(m, at);
		at = (at + (distance < 0 ? m->count - length : length)) % m->count;
	}
	return m->failed ? NAN : (double)pass * 1e9 / (double)(now(m) - start);
}

static void report_rate(struct report *r, const char *name, double value, const char *meaning)
{
	report_real(r, name, value, "writes/s", meaning);
}

/* 1 ... 8, then four thirds and three halves of the one before in turn. */
static int64_t next_distance(int64_t d)
{
	if (d < 8)
		return d + 1;
	return d & (d - 1) ? d / 3 * 4 : d / 2 * 3;
}

/* Distances ahead and back until twice that at which they are as slow as chance, if they ever are. */
static void measure_distances(struct subject *m, struct report *r, double by_chance)
{
	int64_t d_max = 0, most = (int64_t)(m->count / 4);
	char name[40];

	for (int64_t d = 1; d <= most && (!d_max || d <= 2 * d_max); d = next_distance(d)) {
		double ahead = rate(m, d);

		snprintf(name, sizeof name, "measure.ahead.%lld", (long long)d);
		report_rate(r, name, ahead, "");
		snprintf(name, sizeof name, "measure.back.%lld", (long long)d);
		report_rate(r, name, rate(m, -d), "");
		if (!d_max && ahead <= by_chance * LIKE_CHANCE)
			d_max = d;
	}
	if (d_max)
		report_count(r, "measure.d_max", (uint64_t)d_max, "sectors",
			"first of these distances at which a write costs what a random one does");
}

/* ---- the programme ---- */

static void report_setting(void *report, const struct param_echo *setting)
{
	report_parameter(report, setting->key, setting->value);
}

static bool measure(
	struct subject *m, const struct settings *s, bool random, struct output *json, struct fault *fault)
{
	struct report *r = report_create();
	double by_chance;

	settings_echo(s, report_setting, r);
	report_section(r, "writes of one sector, one at a time");
	report_count(r, "measure.sector_bytes", m->sectors * SECTOR_BYTES, "bytes", "of one write");
	report_count(r, "measure.sectors", m->count, "sectors", "that the host sees");
	if (!random)
		report_rate(r, "measure.sequential", rate(m, 1), "");
	by_chance = rate(m, 0);
	report_rate(r, "measure.random", by_chance, "");
	stat_list_report(&m->layer, r);
	if (!random)
		measure_distances(m, r, by_chance);
	report_write_text(r, stdout);
	if (json->stream)
		report_write_json(r, json->stream);
	report_free(r);
	return !json->stream || output_commit(json, fault);
}

static bool open_striped(struct subject *m, const struct settings *s, struct fault *fault)
{
	const struct striped_settings *device = s->striped;

	m->striped = striped_create(device, fault);
	m->striped_sectors = device->sector_bytes / SECTOR_BYTES;
	if (m->striped)
		m->host = host_create(host_layers[s->host.layer], &s->host, s->host_own[s->host.layer],
			&s->trace, device->sectors * m->striped_sectors, (uint32_t)m->striped_sectors, fault);
	return m->host;
}

static bool open_drive(struct subject *m, const struct settings *s, struct fault *fault)
{
	struct precondition_result before;

	m->drive = drive_create(s, false, fault);
	if (!m->drive || !precondition(m->drive, NULL, &before, fault))
		return false;
	m->host = m->drive->host;
	stat_list_start(&m->drive->statistics);
	return true;
}

/* Whether such writes can be measured on what is there. */
static bool measurable(struct subject *m, uint64_t bytes, struct fault *fault)
{
	uint64_t whole = m->striped ? m->striped_sectors * SECTOR_BYTES : SECTOR_BYTES;

	if (bytes % whole)
		return fault_set(fault,
			"--sector %llu is no whole number of the device's sectors of %llu bytes",
			(unsigned long long)bytes, (unsigned long long)whole);
	m->sectors = bytes / SECTOR_BYTES;
	m->count = m->host->sectors / m->sectors;
	return m->count >= 4 ||
	       fault_set(fault, "a drive of %llu sectors of %llu bytes is too small to be measured",
		       (unsigned long long)m->count, (unsigned long long)bytes);
}

static int measure_with(const struct options *o, const struct settings *s, struct fault *fault)
{
	struct subject m = { 0 };
	struct output json = { .stream = NULL };
	int status = STATUS_USER;

	random_init(&m.random, s->top.seed, 0x6d656173);
	if (stat_list_init(&m.layer, &s->stats, fault) && (!o->json || output_open(&json, o->json, fault)) &&
		(s->striped->superblock ? open_striped : open_drive)(&m, s, fault) &&
		measurable(&m, o->sector_bytes ? o->sector_bytes : SECTOR_BYTES_USUAL, fault)) {
		if (m.host->ops->statistics)
			m.host->ops->statistics(m.host, &m.layer);
		if (measure(&m, s, o->random, &json, fault))
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
		{ "--json", o->json, true } };
	struct settings settings;
	int status = STATUS_USER;

	if (!cli_distinct(files, 2, fault))
		return STATUS_USER;
	if (settings_init(&settings, fault) &&
		settings_read(&settings, o->operand.text[0], o->setting.text, o->setting.count, fault)) {
		settings.precondition.premap = PREMAP_NONE; /* there is no trace */
		status = measure_with(o, &settings, fault);
	}
	settings_release(&settings);
	return status;
}
