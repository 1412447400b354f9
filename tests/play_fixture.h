/*
 * Random requests for a small verified drive, played in a child that may die: the oracle and the invariants
 * are the judges.  The parent prints the last requests and how to repeat them.
 */
#ifndef TESTS_PLAY_FIXTURE_H
#define TESTS_PLAY_FIXTURE_H

#include "tests/drive_fixture.h"

#include <sys/mman.h>

/* What the child writes and the parent reads when the child is dead. */
enum { REMEMBERED = 24 };
struct last_requests {
	uint64_t requests;
	uint32_t sectors_per_page;
	struct request last[REMEMBERED]; /* number i at i % REMEMBERED */
};

/* A drive, and what is done to it. */
struct combination {
	char name[224];
	char settings[4096];
	size_t ftl, buffer, layer;
	bool trims;
	unsigned features; /* a set of WITH_SLC ... of random_fixture.h */
	uint64_t seed;
	struct last_requests *journal; /* NULL: none is kept */
	CMUnitTestFunction test;       /* of the case of a suite */
};

struct player {
	struct settings settings;
	struct drive *drive;
	struct random random;
	bool trims;
	struct last_requests *journal;
	uint64_t digest; /* of all completion times */
};

/* Like fixture_settings() and drive_create(), for children and tests alike. */
static inline void player_open(struct player *p, const struct combination *c)
{
	struct fault fault = { "" };

	fixture_settings(&p->settings, c->settings);
	p->settings.top.ftl = (int)c->ftl;
	p->settings.top.buffer = (int)c->buffer;
	p->settings.host.layer = (int)c->layer;
	p->trims = c->trims;
	p->journal = c->journal;
	p->digest = 0;
	random_init(&p->random, c->seed, 7);
	p->drive = drive_create(&p->settings, true, &fault);
	BUG_ON(!p->drive, "%s: %s", c->name, fault.text);
	if (p->journal)
		p->journal->sectors_per_page = p->drive->geometry.sectors_per_page;
}

static inline void player_close(struct player *p)
{
	drive_free(p->drive);
	settings_release(&p->settings);
}

/* Returns the layer if it suits the FTL, else another.  A drive that is written in zones needs the layer that
 * writes zones, and no other drive takes that layer. */
static inline size_t layer_for(size_t ftl, size_t layer)
{
	bool zones = ftls[ftl]->admit;

	if (zones == (host_layers[layer]->order == HOST_ZONES))
		return layer;
	for (layer = 0; zones != (host_layers[layer]->order == HOST_ZONES);)
		layer++;
	return layer;
}

/* False: the drive is refused, for lack of spare blocks or because settings, or the buffer, exclude each
 * other. */
static inline bool makes_a_drive(const struct combination *c, struct fault *fault)
{
	struct settings s;
	struct drive *d;

	fixture_settings(&s, c->settings);
	s.top.ftl = (int)c->ftl;
	s.host.layer = (int)c->layer;
	s.top.buffer = (int)c->buffer;
	d = drive_create(&s, false, fault);
	drive_free(d);
	settings_release(&s);
	return d;
}

/* Half of the requests go to an eighth of what the host sees; lengths from one sector to four pages. */
static inline struct request random_request(struct player *p)
{
	uint32_t page = p->drive->geometry.sectors_per_page;
	sector_t sectors = p->drive->host->sectors;
	uint64_t kind = random_below(&p->random, 100);
	uint32_t pages = random_below(&p->random, 4) ? 1 : 4;
	sector_t range = random_below(&p->random, 2) ? sectors : sectors / 8;
	struct request r = { .start = random_below(&p->random, range),
		.line = 1,
		.sectors = 1 + (uint32_t)random_below(&p->random, pages * page) };

	if (r.sectors > sectors - r.start)
		r.sectors = (uint32_t)(sectors - r.start);
	r.hint = (uint8_t)(r.start % 5);
	r.device = r.hint;
	r.type = kind < 55 ? REQUEST_WRITE : kind < 90 || !p->trims ? REQUEST_READ : REQUEST_TRIM;
	if (r.type == REQUEST_WRITE && r.start % 19 == 3)
		r.flags = REQUEST_FUA;
	return r.start % 23 == 7 ? (struct request){ .line = 1, .type = REQUEST_FLUSH } : r;
}

/* Submits the request and lets time pass until at most `depth` are in flight.  False: the drive failed. */
static inline bool play(struct player *p, struct request r, uint64_t depth)
{
	struct drive *d = p->drive;
	bool alive;

	if (p->journal)
		p->journal->last[p->journal->requests++ % REMEMBERED] = r;
	r.arrival = schedule_now(d->flash->schedule);
	alive = drive_submit(d, &r);
	while (d->in_drive > depth && drive_run_to_completion(d))
		p->digest = p->digest * 0x100000001b3u + schedule_now(d->flash->schedule);
	return alive;
}

/* Writes or reads all that the host sees, page after page. */
static inline bool play_all_pages(struct player *p, enum request_type type)
{
	const struct geometry *g = &p->drive->geometry;

	for (lpn_t lpn = 0; lpn < p->drive->host->sectors >> g->sector_shift; lpn++)
		if (!play(p,
			    (struct request){ .start = geometry_page_start(g, lpn),
				    .line = 1,
				    .type = type,
				    .sectors = g->sectors_per_page },
			    4))
			return false;
	return true;
}

static inline void player_check(const struct player *p)
{
	host_check(p->drive->host);
	ftl_check(p->drive->ftl);
	buffer_check(p->drive->buffer);
}

/* ---- in a child ---- */

static inline void print_last_requests(const struct last_requests *j)
{
	static const char *const names[] = { "read", "write", "trim", "gc", "flush", "update", "zone" };
	uint64_t from = j->requests > REMEMBERED ? j->requests - REMEMBERED : 0;

	print_error("the last of %llu requests were (LPNs of the host)\n", (unsigned long long)j->requests);
	for (uint64_t i = from; i < j->requests; i++) {
		const struct request *r = &j->last[i % REMEMBERED];
		uint64_t last = r->start + r->sectors - 1;

		print_error("  request %llu: %-5s LPN %llu to %llu, sectors %llu to %llu\n",
			(unsigned long long)i + 1, names[r->type],
			(unsigned long long)r->start / j->sectors_per_page,
			(unsigned long long)last / j->sectors_per_page, (unsigned long long)r->start,
			(unsigned long long)last);
	}
}

/* Fails with the output of the child, its last requests, the settings, and the line that repeats it. */
static inline void run_combination(struct combination *c, void (*act)(void *), const char *repeat)
{
	char path[TEMPORARY_PATH];
	int shared = temporary_file(path);
	struct child child;

	assert_true(shared >= 0);
	unlink(path);
	assert_int_equal(ftruncate(shared, sizeof *c->journal), 0);
	c->journal = mmap(NULL, sizeof *c->journal, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	assert_true(c->journal != MAP_FAILED);
	run_in_child(&child, act, c);
	if (child.status) {
		print_last_requests(c->journal);
		print_error("of %s; repeat it with  SEED=%llu %s\n", c->name, (unsigned long long)c->seed,
			repeat);
		print_error("settings %s\n", c->settings);
		fail_msg("%s: status %#x, %s", c->name, (unsigned)child.status, child.text);
	}
	munmap(c->journal, sizeof *c->journal);
	close(shared);
}

#endif
