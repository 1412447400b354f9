/*
 * A drive of mapping pages and some data, without an FTL.  Shared by the tests of the caches on a directory.
 */
#ifndef TESTS_DIRECTORY_FIXTURE_H
#define TESTS_DIRECTORY_FIXTURE_H

#include "tests/drive_fixture.h"

#include "pagemap/entry_cache.h"
#include "pagemap/map_cache.h"

#define WORLD_BASE 1000u /* owner of mapping page 0 */

enum { MAP = STREAM_HOST + 1 };

struct world {
	struct bench *bench;
	struct map_settings settings;
	struct gc_settings gc;
	struct blocks *blocks;
	struct space *space;
	struct collector *collector;
	struct directory *directory;
	struct map_cache *cache; /* the test makes one of these two */
	struct entry_cache *entries;
	struct map_statistics statistics;
	struct random random;
	ppn_t *data; /* data pages by owner; one that moves changes an entry */
	void (*moved)(struct world *, struct io *);
};

static inline ppn_t world_allocate(void *context, struct io *io, uint32_t id)
{
	struct world *w = context;
	plane_t plane = id % w->bench->geometry.planes;

	if (!collector_make_room(w->collector, io, plane, MAP))
		return PPN_NONE;
	return space_take(w->space, NULL, plane, MAP, false);
}

/* The world takes the place of the FTL. */
static inline void world_relocate(struct ftl *ftl, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	struct world *w = (struct world *)ftl;

	if (directory_owns(w->directory, owner)) {
		directory_page_moved(w->directory, owner - WORLD_BASE, from, to);
	} else {
		w->data[owner] = to;
		w->moved(w, io);
	}
}

static inline struct world *world_make(uint64_t seed, uint32_t pages, struct map_settings settings,
	void (*moved)(struct world *, struct io *))
{
	static const struct stream streams[] = { { "host" }, { "map", .survivors = MAP, .map = true },
		{ 0 } };
	static const struct collector_client client = { .relocate = world_relocate };
	struct world *w = memory_array(1, sizeof *w, "world");

	w->bench = bench_open(PAPER_DRIVE);
	w->settings = settings;
	w->settings.seed = seed;
	w->moved = moved;
	w->gc = (struct gc_settings){ .threshold = 0.1, .separate = true, .seed = seed };
	w->blocks = blocks_create(w->bench->flash, FREE_OLDEST, NULL, &bad_none);
	w->space = space_create(w->blocks, NULL, streams, 1);
	w->collector = collector_create(w->space, &w->gc, (struct ftl *)w, &client);
	w->directory = directory_create(&w->settings, w->space, &w->statistics, pages, WORLD_BASE,
		(struct directory_client){ w, world_allocate });
	w->data = memory_array(w->bench->geometry.pages, sizeof *w->data, "data pages");
	random_init(&w->random, seed, 3);
	return w;
}

/* Its cache must be freed before. */
static inline void world_free(struct world *w)
{
	directory_free(w->directory);
	collector_free(w->collector);
	space_free(w->space);
	blocks_free(w->blocks);
	bench_close(w->bench);
	memory_free(w->data);
	memory_free(w);
}

static inline uint64_t count(const struct world *w, enum op_kind kind, enum cause cause)
{
	return w->bench->flash->count[kind][cause];
}

static inline void begin(struct world *w)
{
	bench_begin(w->bench);
}

static inline void end(struct world *w)
{
	bench_submit(w->bench);
	schedule_drain(w->bench->flash->schedule);
}

#endif
