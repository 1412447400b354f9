/*
 * What the tests of the core share: settings from one line of text, and bare flash that takes
 * operations.  It uses the rooms' interfaces, not their internals.
 */
#ifndef TESTS_DRIVE_FIXTURE_H
#define TESTS_DRIVE_FIXTURE_H

#include "base/memory.h"
#include "drive/drive.h"
#include "drive/judged.h"
#include "flash/schedule.h"
#include "parameters/params.h"
#include "tests/child_fixture.h"
#include "tests/tier.h"

/*
 * The drive of the hand-worked cases: 2 channels x 1 chip x 2 dies x 2 planes x 8 blocks x 4 pages of 4
 * sectors.  A command takes 100 ns on the bus and a sector 1000; reading a page takes 10 us in the cells,
 * writing 100 us, erasing 1 ms.
 */
#define PAPER_DRIVE                                                                                          \
	"flash.channels=2 flash.chips=1 flash.dies=2 flash.planes=2 flash.blocks=8 flash.pages=4 "           \
	"flash.page_bytes=2048 flash.over_provisioning=0.5 flash.read_ns=10000 flash.program_ns=100000 "     \
	"flash.erase_ns=1000000 flash.command_ns=100 flash.plane_command_ns=100 flash.bus_mb_per_s=512 "     \
	"dram.access_ns=0 "

/* Environment variable SEED, for another random run or to repeat a failure. */
static inline uint64_t seed_of_run(void)
{
	const char *text = getenv("SEED");

	return text ? strtoull(text, NULL, 0) : 20231;
}

/* ---- settings ---- */

/* Defaults, then each "key=value" of the text; values hold no spaces. */
static inline void fixture_settings(struct settings *s, const char *text)
{
	struct fault fault = { "" };
	char *copy = memory_string(text, "settings");

	assert_true(settings_init(s, &fault));
	for (char *next = strtok(copy, " "); next; next = strtok(NULL, " "))
		if (!params_set(next, s->group, s->groups, &fault))
			fail_msg("%s: %s", next, fault.text);
	s->ftl.gc.seed = s->ftl.map.seed = s->top.seed;
	memory_free(copy);
}

/* A statistic of a list, as it is reported. */
static inline double statistic_in(struct stat_list *list, const char *name)
{
	struct report *report = report_create();
	char *text = NULL, line[80];
	const char *at;
	double value;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	stat_list_report(list, report);
	report_write_text(report, out);
	fclose(out);
	snprintf(line, sizeof line, "\n%s = ", name);
	at = strstr(text, line);
	if (!at)
		fail_msg("%s is not reported", name);
	value = strtod(at + strlen(line), NULL);
	free(text);
	report_free(report);
	return value;
}

/* ---- flash without an FTL ---- */

struct bench {
	struct settings settings;
	struct geometry geometry;
	struct flash *flash;
	struct judge *judge; /* NULL: none */
	struct io io;        /* of the request being made */
};

/* Without the judge.  With it, every end of a transfer is an event. */
static inline struct bench *bench_open_unjudged(const char *text)
{
	struct bench *b = memory_array(1, sizeof *b, "bench");
	struct fault fault = { "" };

	fixture_settings(&b->settings, text);
	if (!geometry_derive(&b->geometry, &b->settings.flash, &fault))
		fail_msg("%s", fault.text);
	b->flash = flash_create(&b->geometry, &b->settings.flash, NULL);
	return b;
}

static inline struct bench *bench_open(const char *text)
{
	struct bench *b = bench_open_unjudged(text);

	b->judge = judged_medium(b->flash, 0);
	return b;
}

static inline void bench_close(struct bench *b)
{
	flash_free(b->flash);
	judge_free(b->judge);
	settings_release(&b->settings);
	memory_free(b);
}

/* A page by its place: dies are counted over all channels, planes in their die, blocks in their plane. */
static inline ppn_t page_at(const struct bench *b, die_t die, uint32_t plane, uint32_t block, uint32_t page)
{
	const struct geometry *g = &b->geometry;

	return ((die * g->planes_per_die + plane) * g->blocks_per_plane + block) * g->pages_per_block + page;
}

/* A page that was programmed long ago. */
static inline ppn_t old_page(struct bench *b, die_t die, uint32_t plane, uint32_t block, uint32_t page)
{
	struct io io = { .flash = b->flash };
	ppn_t ppn = page_at(b, die, plane, block, page);

	flash_program(&io, ppn, 1, b->geometry.sectors_per_page, CAUSE_HOST, OP_NONE);
	return ppn;
}

static inline void bench_begin(struct bench *b)
{
	schedule_begin(b->flash->schedule, &b->io);
}

static inline void bench_submit(struct bench *b)
{
	schedule_submit(b->flash->schedule, &b->io, 0);
}

/* A request of one operation on a whole page. */
static inline op_t submit_read(struct bench *b, ppn_t ppn)
{
	op_t op;

	bench_begin(b);
	op = flash_read(&b->io, ppn, b->geometry.sectors_per_page, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	return op;
}

static inline op_t submit_program(struct bench *b, ppn_t ppn)
{
	op_t op;

	bench_begin(b);
	op = flash_program(&b->io, ppn, 1, b->geometry.sectors_per_page, CAUSE_HOST, OP_NONE);
	bench_submit(b);
	return op;
}

static inline op_t submit_erase(struct bench *b, ppn_t page_of_block)
{
	op_t op;

	bench_begin(b);
	op = flash_erase(&b->io, geometry_block(&b->geometry, page_of_block), CAUSE_GC);
	bench_submit(b);
	return op;
}

#endif
