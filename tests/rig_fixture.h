/*
 * A drive of one plane for cases worked by hand, served one request at a time: what tests of a single FTL
 * share.
 */
#ifndef TESTS_RIG_FIXTURE_H
#define TESTS_RIG_FIXTURE_H

#include "tests/drive_fixture.h"

/* 1 plane of 40 blocks of 8 pages of 16 sectors, 192 logical pages.  A sector takes 1 us on the bus, reading
 * a page 10 us in the cells, writing 100. */
#define ONE_PLANE                                                                                            \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=40 flash.pages=8 "          \
	"flash.page_bytes=8K flash.over_provisioning=0.4 flash.read_ns=10000 flash.program_ns=100000 "       \
	"flash.erase_ns=1000000 flash.command_ns=0 flash.bus_mb_per_s=512 dram.access_ns=0 "

struct rig {
	struct settings settings;
	struct drive *drive;
	uint64_t before[OP_KINDS][CAUSES]; /* counts of the flash before the last request */
};

/* With the sector oracle; the settings name everything, the FTL too. */
static inline struct rig *rig_with(const char *settings)
{
	struct rig *rig = memory_array(1, sizeof *rig, "rig");
	struct fault fault = { "" };

	fixture_settings(&rig->settings, settings);
	rig->drive = drive_create(&rig->settings, true, &fault);
	if (!rig->drive)
		fail_msg("%s", fault.text);
	return rig;
}

static inline void rig_close(struct rig *rig)
{
	drive_drain(rig->drive);
	drive_check(rig->drive);
	drive_free(rig->drive);
	settings_release(&rig->settings);
	memory_free(rig);
}

/* Serves the request to its end and checks all invariants.  Returns its latency. */
static inline tick_t rig_serve(struct rig *rig, enum request_type type, sector_t start, sector_t end)
{
	struct drive *d = rig->drive;
	struct request r = { .arrival = schedule_now(d->flash->schedule),
		.start = start,
		.line = 1,
		.sectors = (uint32_t)(end - start),
		.type = type };

	memcpy(rig->before, d->flash->count, sizeof rig->before);
	assert_true(drive_submit(d, &r));
	drive_drain(d);
	ftl_check(d->ftl);
	return d->last_completion - r.arrival;
}

/* Operations of the last request. */
static inline unsigned rig_cost(const struct rig *rig, enum op_kind kind, enum cause cause)
{
	return (unsigned)(rig->drive->flash->count[kind][cause] - rig->before[kind][cause]);
}

#endif
