/*
 * The mapping cache against a plain model (an array and a search for the oldest stamp), under random
 * look-ups, writes, collections and removals, for every map.gc_update; what it costs in time; and that
 * writing back the changes of collections, which may cause collections, ends.
 *
 *	SEED=n   another random run
 *	SEEDS=n  so many runs (default 3)
 */
#include "tests/directory_fixture.h"

#define PAGES 24u

static uint64_t seeds(void)
{
	const char *text = getenv("SEEDS");

	return text ? strtoull(text, NULL, 0) : 3;
}

static void entry_moved(struct world *w, struct io *io)
{
	map_cache_entry_moved(w->cache, io, (uint32_t)random_below(&w->random, PAGES));
}

static struct world *world_open(
	uint64_t seed, uint64_t cache_pages, uint32_t pinned, struct map_settings settings)
{
	struct world *w;

	settings.cache_bytes = cache_pages * 2048;
	settings.pin_pmt = pinned != 0;
	w = world_make(seed, PAGES, settings, entry_moved);
	w->cache = map_cache_create(w->directory, pinned);
	return w;
}

static void world_close(struct world *w)
{
	map_cache_free(w->cache);
	world_free(w);
}

static void world_check(const struct world *w)
{
	directory_check(w->directory);
	map_cache_check(w->cache);
}

/* A look-up as a request of its own. */
static void get(struct world *w, uint32_t id, bool write)
{
	begin(w);
	map_cache_get(w->cache, &w->bench->io, id, write, OP_NONE);
	end(w);
}

/* The same, untimed. */
static void get_untimed(struct world *w, uint32_t id, bool write)
{
	struct io io = { .flash = w->bench->flash };

	map_cache_get(w->cache, &io, id, write, OP_NONE);
}

/* ---- the plain model ---- */

#define MODEL_PAGE_BYTES 2048

struct model_page {
	bool cached, dirty, exists, copy, pending;
	uint32_t notes; /* pending changes */
	uint64_t used;  /* when it was last used, or became pending */
};

struct model {
	struct model_page page[PAGES];
	uint32_t room, pinned;
	enum map_gc_update update;
	uint64_t now;
	uint64_t hits, misses, unwritten, reads[2], programs[2]; /* [1]: for collections */
};

static uint32_t cached_pages(const struct model *m)
{
	uint32_t n = 0;

	for (uint32_t id = 0; id < PAGES; id++)
		n += m->page[id].cached;
	return n;
}

/* The page of the kind with the smallest stamp, or PAGES. */
static uint32_t oldest(const struct model *m, bool pending)
{
	uint32_t best = PAGES;

	for (uint32_t id = 0; id < PAGES; id++) {
		const struct model_page *p = &m->page[id];
		bool candidate = pending ? p->pending : p->cached && id >= m->pinned;

		if (candidate && (best == PAGES || p->used < m->page[best].used))
			best = id;
	}
	return best;
}

static void model_load(struct model *m, uint32_t id, bool timed, int paying)
{
	struct model_page *p = &m->page[id];
	uint32_t victim;

	while (cached_pages(m) >= m->room && (victim = oldest(m, false)) != PAGES) {
		struct model_page *v = &m->page[victim];

		if (v->dirty && (timed || !v->copy)) {
			m->programs[paying] += timed;
			v->copy = true;
		}
		v->cached = v->dirty = false;
	}
	m->reads[paying] += p->copy && timed;
	p->dirty = p->pending;
	p->pending = false;
	p->notes = 0;
	p->cached = true;
	p->used = ++m->now;
}

static void model_get(struct model *m, uint32_t id, bool write, bool timed)
{
	struct model_page *p = &m->page[id];

	m->hits += p->cached;
	m->misses += !p->cached && p->copy;
	m->unwritten += !p->cached && !p->copy;
	if (!p->cached)
		model_load(m, id, timed, 0);
	p->used = ++m->now;
	p->dirty |= write;
	p->exists |= write;
}

static void model_entry_moved(struct model *m, uint32_t id)
{
	struct model_page *p = &m->page[id];

	if (p->cached) {
		p->dirty = true;
		return;
	}
	p->notes++;
	if (!p->pending) {
		p->pending = true;
		p->used = ++m->now;
	}
}

static uint32_t model_notes(const struct model *m)
{
	uint32_t notes = 0;

	for (uint32_t id = 0; id < PAGES; id++)
		notes += m->page[id].notes;
	return notes;
}

/* Settles pending changes.  The limit of 64 pages at a time exceeds PAGES.  Lazily: until the notes
 * fit in 1/64 of the budget. */
static void model_settle(struct model *m)
{
	uint32_t may_wait = m->update == MAP_GC_LAZY ? m->room * MODEL_PAGE_BYTES / 64 / 8 : 0;

	while (m->update != MAP_GC_DEFER && model_notes(m) > may_wait) {
		uint32_t id = oldest(m, true);
		struct model_page *p = &m->page[id];

		if (m->update == MAP_GC_LOAD) {
			model_load(m, id, true, 1);
			continue;
		}
		m->reads[1] += p->copy;
		m->programs[1]++;
		p->copy = true;
		p->pending = false;
		p->notes = 0;
	}
}

static void model_remove(struct model *m, uint32_t id)
{
	m->page[id] = (struct model_page){ .used = m->page[id].used };
}

/* ---- both side by side ---- */

static void compare(const struct world *w, const struct model *m, uint64_t seed, uint64_t step)
{
	uint32_t resident = 0, existing = 0, pending = 0, copies = 0;
	bool same;

	for (uint32_t id = 0; id < PAGES; id++) {
		resident += m->page[id].cached;
		existing += m->page[id].exists;
		pending += m->page[id].pending;
		copies += m->page[id].copy;
		if (directory_exists(w->directory, id) != m->page[id].exists)
			fail_msg("SEED=%llu step %llu: does page %u exist?", (unsigned long long)seed,
				(unsigned long long)step, id);
	}
	same = w->cache->resident == resident && w->directory->existing == existing &&
	       w->directory->pending_pages == pending && w->directory->in_flash == copies &&
	       w->statistics.hits == m->hits && w->statistics.misses == m->misses &&
	       w->statistics.unwritten == m->unwritten &&
	       w->statistics.lookups == m->hits + m->misses + m->unwritten &&
	       count(w, OP_READ, CAUSE_MAP) == m->reads[0] &&
	       count(w, OP_PROGRAM, CAUSE_MAP) == m->programs[0] &&
	       count(w, OP_READ, CAUSE_GC_UPDATE) == m->reads[1] &&
	       count(w, OP_PROGRAM, CAUSE_GC_UPDATE) == m->programs[1];
	if (!same)
		fail_msg("SEED=%llu step %llu: resident %u/%u existing %u/%u pending %u/%u copies %u/%u hits "
			 "%llu/%llu "
			 "reads %llu/%llu programs %llu/%llu gc reads %llu/%llu gc programs %llu/%llu",
			(unsigned long long)seed, (unsigned long long)step, w->cache->resident, resident,
			w->directory->existing, existing, w->directory->pending_pages, pending,
			w->directory->in_flash, copies, (unsigned long long)w->statistics.hits,
			(unsigned long long)m->hits, (unsigned long long)count(w, OP_READ, CAUSE_MAP),
			(unsigned long long)m->reads[0], (unsigned long long)count(w, OP_PROGRAM, CAUSE_MAP),
			(unsigned long long)m->programs[0],
			(unsigned long long)count(w, OP_READ, CAUSE_GC_UPDATE),
			(unsigned long long)m->reads[1],
			(unsigned long long)count(w, OP_PROGRAM, CAUSE_GC_UPDATE),
			(unsigned long long)m->programs[1]);
}

/* Half of the time one of the first six. */
static uint32_t some_id(struct random *random)
{
	return (uint32_t)random_below(random, random_below(random, 2) ? PAGES : 6);
}

static void random_step(struct world *w, struct model *m, struct random *random)
{
	uint32_t id = some_id(random), kind = (uint32_t)random_below(random, 100);
	bool write = random_below(random, 2);

	if (kind < 60) {
		get(w, id, write);
		model_get(m, id, write, true);
	} else if (kind < 70) {
		get_untimed(w, id, write);
		model_get(m, id, write, false);
	} else if (kind < 90) {
		map_cache_entry_moved(w->cache, &w->bench->io, id);
		model_entry_moved(m, id);
	} else if (kind < 97) {
		begin(w);
		map_cache_flush_updates(w->cache, &w->bench->io);
		end(w);
		model_settle(m);
	} else {
		map_cache_remove(w->cache, id);
		model_remove(m, id);
	}
}

static void random_run(uint64_t seed, uint32_t room, uint32_t pinned, enum map_gc_update update)
{
	struct world *w = world_open(seed, room, pinned, (struct map_settings){ .gc_update = (int)update });
	struct model m = { .room = room, .pinned = pinned, .update = update };
	struct random random;

	random_init(&random, seed, 1);
	begin(w);
	end(w);
	for (uint64_t step = 0; step < 4000; step++) {
		random_step(w, &m, &random);
		compare(w, &m, seed, step);
		if (step % 16 == 0) {
			world_check(w);
			space_check(w->space);
		}
	}
	assert_true(w->collector->count.collections > 0);
	assert_true(w->directory->statistics.gc_moves > 0 || w->collector->count.map_moved_pages == 0);
	world_close(w);
}

static void test_agrees_with_a_plain_model(void **state)
{
	static const uint32_t rooms[] = { 1, 2, 5, 12 };

	(void)state;
	for (uint64_t i = 0; i < seeds(); i++)
		for (int update = MAP_GC_LOAD; update <= MAP_GC_DEFER; update++)
			for (size_t room = 0; room < sizeof rooms / sizeof rooms[0]; room++) {
				random_run(seed_of_run() + i, rooms[room], 0, (enum map_gc_update)update);
				random_run(seed_of_run() + i, rooms[room] + 4, 4, (enum map_gc_update)update);
			}
}

/* ---- small cases worked by hand ---- */

static void test_everything_fits_costs_nothing(void **state)
{
	struct world *w = world_open(1, PAGES, 0, (struct map_settings){ 0 });

	(void)state;
	for (int round = 0; round < 3; round++)
		for (uint32_t id = 0; id < PAGES; id++)
			get(w, id, true);
	assert_int_equal(flash_total(w->bench->flash, OP_READ) + flash_total(w->bench->flash, OP_PROGRAM), 0);
	assert_int_equal(w->statistics.hits, 2 * PAGES);
	assert_int_equal(w->statistics.unwritten, PAGES);
	assert_int_equal(w->statistics.misses, 0);
	assert_int_equal(directory_table_bytes(w->directory), PAGES * w->bench->geometry.page_bytes);
	world_close(w);
}

/* A clean page is evicted without a write; a dirty one is written once and read back. */
static void test_costs_of_one_page(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ 0 });

	(void)state;
	get(w, 0, false);
	get(w, 1, true);
	assert_int_equal(count(w, OP_PROGRAM, CAUSE_MAP), 0);
	get(w, 2, false);
	assert_int_equal(count(w, OP_PROGRAM, CAUSE_MAP), 1);
	assert_int_equal(count(w, OP_READ, CAUSE_MAP), 0);
	get(w, 1, false);
	assert_int_equal(count(w, OP_READ, CAUSE_MAP), 1);
	get(w, 2, false);
	assert_int_equal(count(w, OP_PROGRAM, CAUSE_MAP), 1);
	assert_int_equal(w->directory->existing, 1);
	world_close(w);
}

/* Untimed, a dirty page gets a copy in flash only when it is first evicted. */
static void test_outside_time(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ 0 });

	(void)state;
	for (int round = 0; round < 5; round++)
		for (uint32_t id = 0; id < 3; id++)
			get_untimed(w, id, true);
	assert_int_equal(w->bench->flash->untimed[OP_PROGRAM], 3);
	assert_int_equal(flash_total(w->bench->flash, OP_PROGRAM), 0);
	world_close(w);
}

/* The time from the start of a request to the end of its data read, which waits for the look-up. */
static uint64_t time_of_use(struct world *w, uint32_t id, ppn_t data)
{
	tick_t start = schedule_now(w->bench->flash->schedule), done = 0;
	struct io *io = &w->bench->io;
	uint32_t ticket;
	op_t ready;

	begin(w);
	ready = map_cache_get(w->cache, io, id, true, OP_NONE);
	flash_read(io, data, 1, CAUSE_HOST, ready);
	end(w);
	while (schedule_completed(w->bench->flash->schedule, &ticket, &done))
		;
	return done - start;
}

/*
 * Whole pages take 4 us on the bus, a sector 1, a command 0.1: a map read is 0.1 + 10 + 4 = 14.1 us, a map
 * write 0.1 + 4 + 100 = 104.1, the data read 0.1 + 10 + 1 = 11.1; one after the other.
 */
static void test_a_request_waits_for_its_map_traffic(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ .blocking = true });
	ppn_t data = old_page(w->bench, 3, 1, 0, 0);

	(void)state;
	assert_int_equal(time_of_use(w, 0, data), 11100);
	assert_int_equal(time_of_use(w, 0, data), 11100);
	assert_int_equal(time_of_use(w, 1, data), 104100 + 11100);
	assert_int_equal(time_of_use(w, 0, data), 104100 + 14100 + 11100);
	world_close(w);
}

/* The write-back waits for the look-up before: the steps of look-ups come one after the other. */
static void test_a_write_back_waits_for_the_look_up_before(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ .blocking = true });
	ppn_t first = old_page(w->bench, 2, 1, 0, 0), data = old_page(w->bench, 3, 1, 0, 0);
	struct io *io = &w->bench->io;
	tick_t start = schedule_now(w->bench->flash->schedule), done = 0;
	uint32_t ticket;
	op_t ready;

	(void)state;
	get_untimed(w, 0, true);
	begin(w);
	ready = flash_read(io, first, 1, CAUSE_MAP, OP_NONE);
	ready = map_cache_get(w->cache, io, 1, true, ready);
	flash_read(io, data, 1, CAUSE_HOST, ready);
	end(w);
	while (schedule_completed(w->bench->flash->schedule, &ticket, &done))
		;
	assert_int_equal(done - start, 11100 + 104100 + 11100);
	world_close(w);
}

/* Page 0 is evicted while it is still being loaded.  One after the other: the earlier look-up, the load of 0,
 * the write-back of 0, the load of 1. */
static void test_a_write_back_waits_for_its_own_load(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ .blocking = true });
	ppn_t first = old_page(w->bench, 2, 1, 0, 0);
	tick_t start = schedule_now(w->bench->flash->schedule), done = 0;
	uint32_t ticket;
	op_t before;

	(void)state;
	for (uint32_t id = 0; id < 3; id++)
		get_untimed(w, id, id < 2);
	begin(w);
	before = flash_read(&w->bench->io, first, 1, CAUSE_MAP, OP_NONE);
	map_cache_get(w->cache, &w->bench->io, 0, true, before);
	map_cache_get(w->cache, &w->bench->io, 1, true, OP_NONE);
	end(w);
	while (schedule_completed(w->bench->flash->schedule, &ticket, &done))
		;
	assert_int_equal(done - start, 11100 + 14100 + 104100 + 14100);
	world_close(w);
}

/* The write-back of the victim runs beside the load, and the request does not wait for it. */
static void test_a_request_does_not_wait_for_a_write_back(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ .blocking = false });
	ppn_t data = old_page(w->bench, 3, 1, 0, 0);

	(void)state;
	assert_int_equal(time_of_use(w, 0, data), 11100);
	assert_int_equal(time_of_use(w, 1, data), 11100);
	assert_int_equal(count(w, OP_PROGRAM, CAUSE_MAP), 1);
	world_close(w);
}

/* A page that another request is still loading is a hit, but the look-up waits for the load. */
static void test_a_hit_waits_for_a_load_under_way(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ 0 });
	struct io *io = &w->bench->io;
	op_t load;

	(void)state;
	get(w, 0, true);
	get(w, 1, false);
	begin(w);
	load = map_cache_get(w->cache, io, 0, false, OP_NONE);
	bench_submit(w->bench);
	begin(w);
	assert_true(load != OP_NONE);
	assert_true(map_cache_get(w->cache, io, 0, false, OP_NONE) == load);
	end(w);
	begin(w);
	assert_true(map_cache_get(w->cache, io, 0, false, OP_NONE) == OP_NONE);
	end(w);
	world_close(w);
}

/* ---- collections change the map, whose pages are written, which needs collections ... ---- */

/* Rewrites the data page, in the plane that its number gives. */
static void write_data(struct world *w, struct io *io, uint32_t owner, bool first)
{
	plane_t plane = owner % w->bench->geometry.planes;
	ppn_t to;

	assert_true(collector_make_room(w->collector, io, plane, STREAM_HOST));
	to = space_take(w->space, NULL, plane, STREAM_HOST, false);
	flash_program(io, to, owner, 1, CAUSE_HOST, OP_NONE);
	if (!first)
		space_release(w->space, w->data[owner]);
	w->data[owner] = to;
}

static void storm(uint64_t seed, enum map_gc_update update, uint32_t room)
{
	struct world *w = world_open(seed, room, 0, (struct map_settings){ .gc_update = (int)update });
	const uint32_t live = w->bench->geometry.pages / 2;
	struct io untimed = { .flash = w->bench->flash };
	uint32_t most_pending = 0;

	begin(w);
	end(w);
	for (uint32_t owner = 0; owner < live; owner++)
		write_data(w, &untimed, owner, true);
	for (int i = 0; i < 3000; i++) {
		begin(w);
		map_cache_flush_updates(w->cache, &w->bench->io);
		map_cache_get(w->cache, &w->bench->io, some_id(&w->random), true, OP_NONE);
		write_data(w, &w->bench->io, (uint32_t)random_below(&w->random, live), false);
		end(w);
		world_check(w);
		if (w->directory->pending_pages > most_pending)
			most_pending = w->directory->pending_pages;
	}
	space_check(w->space);
	if (!w->directory->statistics.gc_updates || !most_pending)
		fail_msg("SEED=%llu: no collection changed a page that is not in DRAM",
			(unsigned long long)seed);
	world_close(w);
}

static void test_paying_for_collections_ends(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < seeds(); i++)
		for (int update = MAP_GC_LOAD; update <= MAP_GC_DEFER; update++) {
			storm(seed_of_run() + i, (enum map_gc_update)update, 1);
			storm(seed_of_run() + i, (enum map_gc_update)update, 6);
		}
}

/* ---- the budget ---- */

static void test_budget(void **state)
{
	struct geometry g = { .pages = 1u << 24, .page_bytes = 8192 };

	(void)state;
	assert_int_equal(map_cache_room(&(struct map_settings){ 0 }, &g), 1u << 14);
	assert_int_equal(map_cache_room(&(struct map_settings){ .cache_bytes = 1 }, &g), 1);
	assert_int_equal(map_cache_room(&(struct map_settings){ .cache_bytes = 5 * 8192 + 1 }, &g), 5);
	g.pages = 256;
	assert_int_equal(map_cache_room(&(struct map_settings){ 0 }, &g), 8);
}

/* The budget must hold the pinned pages and one more. */
static void test_pinned_pages_fit_in_the_budget(void **state)
{
	const struct geometry g = { .pages = 1u << 20, .page_bytes = 8192 };
	struct map_settings settings = { .cache_bytes = 10 * 8192 + 8191, .pin_pmt = true };
	struct fault fault = { "" };

	(void)state;
	assert_true(map_cache_fits(&settings, &g, 9, &fault));
	assert_false(map_cache_fits(&settings, &g, 10, &fault));
	assert_string_equal(fault.text,
		"map.pin_pmt needs 90112 bytes, for the page table and one page beside it; map.cache_bytes "
		"gives 90111: use map.cache_bytes = 90112 or more, or map.pin_pmt = false");
	settings.pin_pmt = false;
	assert_true(map_cache_fits(&settings, &g, 10, &fault));
}

/* The drive is full: the look-up costs nothing, the cache stays consistent. */
static void test_no_page_to_write_to(void **state)
{
	struct world *w = world_open(1, 1, 0, (struct map_settings){ 0 });
	const struct geometry *g = &w->bench->geometry;

	(void)state;
	get(w, 0, true);
	for (uint32_t i = 0; i < g->pages; i++) {
		struct io io = { .flash = w->bench->flash };

		flash_program(&io, space_take(w->space, NULL, i % g->planes, STREAM_HOST, true), 1, 1,
			CAUSE_HOST, OP_NONE);
	}
	get(w, 1, true);
	assert_int_equal(flash_total(w->bench->flash, OP_PROGRAM), 0);
	assert_int_equal(w->cache->resident, 1);
	map_cache_entry_moved(w->cache, &w->bench->io, 2);
	begin(w);
	map_cache_flush_updates(w->cache, &w->bench->io);
	end(w);
	assert_int_equal(w->directory->pending_pages, 1);
	world_check(w);
	world_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agrees_with_a_plain_model),
		cmocka_unit_test(test_everything_fits_costs_nothing),
		cmocka_unit_test(test_costs_of_one_page),
		cmocka_unit_test(test_outside_time),
		cmocka_unit_test(test_a_request_waits_for_its_map_traffic),
		cmocka_unit_test(test_a_write_back_waits_for_the_look_up_before),
		cmocka_unit_test(test_a_write_back_waits_for_its_own_load),
		cmocka_unit_test(test_a_request_does_not_wait_for_a_write_back),
		cmocka_unit_test(test_a_hit_waits_for_a_load_under_way),
		cmocka_unit_test(test_paying_for_collections_ends),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_pinned_pages_fit_in_the_budget),
		cmocka_unit_test(test_no_page_to_write_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
