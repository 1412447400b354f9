/* A verified drive to which requests are given one by one. */
#ifndef TESTS_BED_FIXTURE_H
#define TESTS_BED_FIXTURE_H

#include "tests/drive_fixture.h"

struct bed {
	struct settings settings;
	struct drive *drive;
	tick_t last; /* completion of the last request */
};

static inline void bed_open(struct bed *b, const char *settings)
{
	struct fault fault = { "" };

	*b = (struct bed){ .drive = NULL };
	fixture_settings(&b->settings, settings);
	b->drive = drive_create(&b->settings, true, &fault);
	if (!b->drive)
		fail_msg("%s", fault.text);
	stat_list_start(&b->drive->statistics);
}

/* There is no such drive, and the fault contains the reason. */
static inline void assert_refused(const char *settings, const char *reason)
{
	struct settings s;
	struct fault fault = { "" };

	fixture_settings(&s, settings);
	assert_null(drive_create(&s, false, &fault));
	if (!strstr(fault.text, reason))
		fail_msg("%s: \"%s\" is not \"%s\"", settings, fault.text, reason);
	settings_release(&s);
}

static inline void bed_close(struct bed *b)
{
	drive_drain(b->drive);
	drive_check(b->drive);
	flash_check_idle(b->drive->flash);
	drive_free(b->drive);
	settings_release(&b->settings);
}

/* Serves a request for whole pages that arrives at `arrival`; returns its latency. */
static inline tick_t serve(
	struct bed *b, tick_t arrival, enum request_type type, sector_t page, uint32_t pages)
{
	uint32_t sectors = b->drive->geometry.sectors_per_page;

	drive_run_until(b->drive, arrival);
	drive_submit(b->drive, &(struct request){ .arrival = arrival,
				       .type = type,
				       .start = page * sectors,
				       .sectors = pages * sectors });
	while (b->drive->in_drive)
		drive_run_to_completion(b->drive);
	b->last = b->drive->last_completion;
	return b->last - arrival;
}

static inline void assert_statistic(struct bed *b, const char *name, double value)
{
	if (statistic_in(&b->drive->statistics, name) != value)
		fail_msg("%s is %g, not %g", name, statistic_in(&b->drive->statistics, name), value);
}

#endif
