/*
 * A drive under load, to be compared with theory or another program: requests of whole pages, in a closed
 * loop or with exponential gaps, at pages drawn evenly or one after the other.
 */
#ifndef TESTS_LOAD_FIXTURE_H
#define TESTS_LOAD_FIXTURE_H

#include "drive/statistics.h"
#include "tests/drive_fixture.h"

#include <math.h>

struct load {
	struct settings settings;
	struct drive *drive;
	struct random random;
	lpn_t pages, next; /* that are addressed, and the next one of a sequence */
	double latency_ns; /* mean, of the requests counted last */
};

/* The first `pages` pages are addressed; they hold data. */
static inline struct load *load_open(const char *settings, lpn_t pages)
{
	struct load *l = memory_array(1, sizeof *l, "load");
	struct fault fault = { "" };

	fixture_settings(&l->settings, settings);
	l->drive = drive_create(&l->settings, false, &fault);
	if (!l->drive)
		fail_msg("%s", fault.text);
	l->pages = pages;
	if (pages)
		assert_true(drive_place(
			l->drive, (struct extent){ 0, geometry_page_start(&l->drive->geometry, pages) }));
	random_init(&l->random, seed_of_run(), 9);
	return l;
}

static inline void load_close(struct load *l)
{
	drive_drain(l->drive);
	drive_check(l->drive);
	drive_free(l->drive);
	settings_release(&l->settings);
	memory_free(l);
}

static inline tick_t load_now(const struct load *l)
{
	return schedule_now(l->drive->flash->schedule);
}

struct demand {
	double writes; /* share of the requests */
	bool sequential;
	uint32_t pages; /* of a request */
};

static inline void load_request(struct load *l, struct demand demand, tick_t arrival)
{
	const struct geometry *g = &l->drive->geometry;
	lpn_t lpn = l->next;

	if (!demand.sequential)
		lpn = (lpn_t)random_below(&l->random, l->pages);
	else if ((l->next += demand.pages) + demand.pages > l->pages)
		l->next = 0;
	assert_true(drive_submit(l->drive,
		&(struct request){ .arrival = arrival,
			.start = geometry_page_start(g, lpn),
			.sectors = demand.pages * g->sectors_per_page,
			.type = random_unit(&l->random) < demand.writes ? REQUEST_WRITE : REQUEST_READ }));
}

/* Requests a second with `depth` of them always in the drive; the first quarter is not counted. */
static inline double load_iops(struct load *l, struct demand demand, uint64_t depth, uint64_t requests)
{
	const struct request_statistics *all = &l->drive->count->request[REQUEST_TYPES];
	double before = 0, sum = 0;
	tick_t from = 0;

	stat_list_start(&l->drive->statistics);
	for (uint64_t i = 0; i < requests; i++) {
		while (l->drive->in_drive >= depth)
			drive_run_to_completion(l->drive);
		if (i == requests / 4) {
			statistics_sum_types(l->drive->count);
			from = load_now(l);
			before = (double)all->count;
			sum = before * histogram_mean(&all->latency);
		}
		load_request(l, demand, load_now(l));
	}
	statistics_sum_types(l->drive->count);
	l->latency_ns =
		((double)all->count * histogram_mean(&all->latency) - sum) / ((double)all->count - before);
	return ((double)all->count - before) * 1e9 / (double)(load_now(l) - from);
}

#endif
