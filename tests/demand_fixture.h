/*
 * Filled drives for the FTLs whose page table lies in flash, and the cost of their requests.  Shared by the
 * tests of these FTLs.
 */
#ifndef TESTS_DEMAND_FIXTURE_H
#define TESTS_DEMAND_FIXTURE_H

#include "tests/rig_fixture.h"

#include "drive/prepare/precondition.h"
#include "ftl/demand/demand.h"

/* 57344 logical pages of 4 sectors, 512 entries in a mapping page, 112 mapping pages. */
#define FILLED                                                                                               \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=1024 flash.pages=64 "       \
	"flash.page_bytes=2K flash.over_provisioning=0.125 gc.threshold=0.02 gc.separate=false "             \
	"precondition.mode=fill "

/* ---- a drive, and what requests cost ---- */

static inline struct rig *filled(const char *drive, const char *more)
{
	struct precondition_result result;
	struct fault fault = { "" };
	struct rig *rig;
	char text[1200];

	snprintf(text, sizeof text, "%s%s", drive, more);
	rig = rig_with(text);
	assert_true(precondition(rig->drive, NULL, &result, &fault));
	stat_list_start(&rig->drive->statistics);
	return rig;
}

static inline tick_t on_page(struct rig *rig, enum request_type type, lpn_t lpn)
{
	uint32_t sectors = rig->drive->geometry.sectors_per_page;

	return rig_serve(rig, type, (sector_t)lpn * sectors, (sector_t)(lpn + 1) * sectors);
}

static inline tick_t reading(struct rig *rig, lpn_t lpn)
{
	return on_page(rig, REQUEST_READ, lpn);
}

static inline tick_t writing(struct rig *rig, lpn_t lpn)
{
	return on_page(rig, REQUEST_WRITE, lpn);
}

/* Mapping pages read and programmed since the drive was filled, collections apart. */
static inline void assert_map(const struct rig *rig, uint64_t reads, uint64_t programs)
{
	const struct flash *f = rig->drive->flash;

	assert_int_equal(f->count[OP_READ][CAUSE_MAP] + f->forwarded[CAUSE_MAP], reads);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_MAP], programs);
}

static inline uint64_t statistic(struct rig *rig, const char *name)
{
	struct report *report = report_create();
	char *text, *line, pattern[80];
	uint64_t value = 0;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	stat_list_report(&rig->drive->statistics, report);
	report_write_text(report, out);
	report_free(report);
	fclose(out);
	snprintf(pattern, sizeof pattern, "\n%s = ", name);
	line = strstr(text, pattern);
	if (!line)
		fail_msg("no statistic %s", name);
	value = strtoull(line + strlen(pattern), NULL, 10);
	free(text);
	return value;
}

/* The entry, as the FTL prints it, contains `says`. */
static inline void assert_entry(struct rig *rig, lpn_t lpn, const char *says)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	ftl_words(rig->drive->ftl)->print_entry(rig->drive->ftl, lpn, out);
	fclose(out);
	if (!strstr(text, says))
		fail_msg("LPN %u is \"%s\", should be \"%s\"", lpn, text, says);
	free(text);
}

/* ---- collection ---- */

/* 2048 pages of 4 sectors in blocks of 8 on one plane; 1536 logical pages, three mapping pages. */
#define SMALL                                                                                                \
	"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=256 flash.pages=8 "         \
	"flash.page_bytes=2K flash.over_provisioning=0.25 gc.threshold=0.76 precondition.premap=none "

/* The first block holds LPNs 0, 1, 600 and 601, and dead pages of 2 to 5.  It will be the first victim when
 * new pages are written. */
static inline struct rig *with_a_victim(const char *ftl)
{
	static const lpn_t first[] = { 0, 1, 600, 601, 2, 3, 4, 5 };
	struct rig *rig = filled(SMALL, ftl);

	for (size_t i = 0; i < 8; i++)
		drive_place(rig->drive, (struct extent){ first[i] * 4, first[i] * 4 + 4 });
	stat_list_start(&rig->drive->statistics);
	for (lpn_t lpn = 2; lpn < 6; lpn++)
		writing(rig, lpn);
	return rig;
}

/* The same after the block was collected.  The entry of LPN 0 is in DRAM; the others change in two mapping
 * pages. */
static inline struct rig *collected_once(const char *ftl)
{
	struct rig *rig = with_a_victim(ftl);
	const struct collector *c = rig->drive->ftl->store->collector;
	const struct flash *f = rig->drive->flash;

	reading(rig, 0);
	for (lpn_t lpn = 1024; !c->count.collections; lpn++)
		writing(rig, lpn % 1536);
	assert_int_equal(c->count.collections, 1);
	assert_int_equal(c->count.moved_pages, 4);
	assert_int_equal(f->count[OP_READ][CAUSE_GC_UPDATE] + f->forwarded[CAUSE_GC_UPDATE], 2);
	assert_int_equal(f->count[OP_PROGRAM][CAUSE_GC_UPDATE], 2);
	return rig;
}

/* ---- time ---- */

/*
 * A page takes 16 us on the bus, 10 in the cells to be read, 100 to be written: reads 26 us, programs 116,
 * one after the other on the only die.  All entries lie in one mapping page; DRAM holds one of them, or all,
 * or none.
 */
#define TIMED ONE_PLANE "precondition.mode=fill precondition.premap=none gc.threshold=0 "

#endif
