/*
 * The cache of single mapping entries against a plain model (an array and a search for the oldest stamp),
 * under random look-ups, changes of value and size, and collections; and its timing, worked by hand.
 *
 *	SEED=n   another random run
 *	STEPS=n  a longer one (default 20000 per case)
 */
#include "tests/directory_fixture.h"

#define PAGES    7u /* the eighth plane has data of the tests */
#define PER_PAGE 6u
#define KEYS     (PAGES * PER_PAGE)

/* ---- a drive whose mapping pages are all in flash ---- */

static void nothing_moves(struct world *w, struct io *io)
{
	(void)w;
	(void)io;
}

static struct world *world_open(struct entry_cache_plan plan, bool blocking)
{
	struct world *w = world_make(1, PAGES, (struct map_settings){ .blocking = blocking }, nothing_moves);
	struct io untimed = { .flash = w->bench->flash };

	plan.per_page = PER_PAGE;
	plan.least = plan.least ? plan.least : 4;
	w->entries = entry_cache_create(w->directory, plan);
	for (uint32_t id = 0; id < PAGES; id++)
		directory_enter(w->directory, id);
	directory_place(w->directory, &untimed);
	assert_int_equal(w->directory->in_flash, PAGES);
	return w;
}

static void world_close(struct world *w)
{
	entry_cache_check(w->entries);
	directory_check(w->directory);
	entry_cache_free(w->entries);
	world_free(w);
}

#define ONE_SIZE  8u /* of plans whose entries are all of this size */
#define PROTECTED 2u /* head of the protected segment */

/* ---- the plain model ---- */

struct model_entry {
	bool cached, dirty, protected;
	uint32_t bytes;
	uint64_t used; /* stamp of its last use, or of its demotion from the protected ones */
};

struct model {
	struct model_entry entry[KEYS];
	struct entry_cache_plan plan;
	uint64_t now, reads, programs, batched, hits;
};

static uint64_t model_bytes(const struct model *m)
{
	uint64_t bytes = 0;

	for (uint32_t key = 0; key < KEYS; key++)
		bytes += m->entry[key].cached ? m->entry[key].bytes : 0;
	return bytes;
}

/* The entry of the segment with the smallest stamp, or KEYS. */
static uint32_t oldest(const struct model *m, bool protected)
{
	uint32_t best = KEYS;

	for (uint32_t key = 0; key < KEYS; key++)
		if (m->entry[key].cached && m->entry[key].protected == protected &&
			(best == KEYS || m->entry[key].used < m->entry[best].used))
			best = key;
	return best;
}

static void model_use(struct model *m, uint32_t key)
{
	uint32_t count = 0;

	m->entry[key].protected = true;
	m->entry[key].used = ++m->now;
	for (key = 0; key < KEYS; key++)
		count += m->entry[key].cached && m->entry[key].protected;
	if (count > m->plan.protect) {
		key = oldest(m, true);
		m->entry[key].protected = false;
		m->entry[key].used = ++m->now;
	}
}

/* Returns the page written last; PAGES: none; KEYS: the entry `stays` would have to leave. */
static uint32_t model_fit_beside(struct model *m, uint32_t bytes, uint32_t stays)
{
	uint32_t written = PAGES;

	while (model_bytes(m) + bytes > m->plan.bytes) {
		uint32_t key = oldest(m, false), page;

		key = key == KEYS ? oldest(m, true) : key;
		if (key == stays)
			return KEYS;
		page = key / PER_PAGE;
		if (m->entry[key].dirty) {
			written = page;
			m->reads++;
			m->programs++;
			m->entry[key].dirty = false;
			for (uint32_t k = page * PER_PAGE; m->plan.batch && k < (page + 1) * PER_PAGE; k++) {
				m->batched += m->entry[k].dirty;
				m->entry[k].dirty = false;
			}
		}
		m->entry[key] = (struct model_entry){ 0 };
	}
	return written;
}

static uint32_t model_fit(struct model *m, uint32_t bytes)
{
	return model_fit_beside(m, bytes, KEYS);
}

static void model_enter(struct model *m, uint32_t key, uint32_t bytes)
{
	m->entry[key] = (struct model_entry){ .cached = true, .bytes = bytes, .used = ++m->now };
}

static void model_get(struct model *m, uint32_t key, uint32_t bytes)
{
	if (m->entry[key].cached) {
		m->hits++;
		model_use(m, key);
		return;
	}
	m->reads += model_fit(m, bytes) != key / PER_PAGE || !m->plan.read_once;
	model_enter(m, key, bytes);
}

/* ---- both side by side ---- */

static void compare(const struct world *w, const struct model *m, uint64_t step)
{
	for (uint32_t key = 0; key < KEYS; key++) {
		const struct cached_entry *e = entry_cache_find(w->entries, key);
		const struct model_entry *k = &m->entry[key];

		if ((e != NULL) != k->cached || entry_cache_dirty(w->entries, key) != k->dirty ||
			(e && (e->bytes != k->bytes || (e->segment == PROTECTED) != k->protected)))
			fail_msg("step %llu: entry %u is in DRAM: %d, should be %d", (unsigned long long)step,
				key, e != NULL, k->cached);
	}
	assert_int_equal(count(w, OP_READ, CAUSE_MAP) + w->bench->flash->forwarded[CAUSE_MAP], m->reads);
	assert_int_equal(count(w, OP_PROGRAM, CAUSE_MAP), m->programs);
	assert_int_equal(w->entries->statistics.writebacks, m->programs);
	assert_int_equal(w->entries->statistics.batched, m->batched);
	assert_int_equal(w->statistics.hits, m->hits);
}

static uint32_t some_size(const struct model *m, struct random *random)
{
	uint32_t words = 1 + (uint32_t)random_below(random, 5);

	return m->plan.least == ONE_SIZE ? ONE_SIZE : 4 * words;
}

/* Gives an entry in DRAM a new value, perhaps of another size. */
static void change(struct world *w, struct model *m, uint32_t key, uint32_t bytes)
{
	entry_cache_change(w->entries, key, bytes);
	entry_cache_fit(w->entries, &w->bench->io);
	m->entry[key].bytes = bytes;
	m->entry[key].dirty = true;
	model_fit(m, 0);
}

static void look_up(struct world *w, struct model *m, uint32_t key, uint32_t bytes)
{
	struct cached_entry *e = entry_cache_find(w->entries, key);

	if (e && e->bytes < bytes) {
		entry_cache_grow(w->entries, &w->bench->io, key, bytes);
		m->reads++;
		m->entry[key].bytes = bytes;
		model_use(m, key);
		model_fit(m, 0);
	} else {
		entry_cache_get(w->entries, &w->bench->io, key, bytes);
		model_get(m, key, bytes);
	}
}

/* A look-up with prefetch: the next entries of the page enter, too. */
static void look_ahead(struct world *w, struct model *m, uint32_t key)
{
	entry_cache_get(w->entries, &w->bench->io, key, 8);
	model_get(m, key, 8);
	for (uint32_t next = key + 1; next < key + 3 && next % PER_PAGE; next++) {
		entry_cache_enter(w->entries, &w->bench->io, next, 8, key);
		if (!m->entry[next].cached && model_fit_beside(m, 8, key) != KEYS)
			model_enter(m, next, 8);
	}
	entry_cache_touch(w->entries, key);
	model_use(m, key);
}

static void random_step(struct world *w, struct model *m, struct random *random)
{
	uint32_t key = (uint32_t)random_below(random, random_below(random, 2) ? KEYS : 10);
	uint32_t bytes = some_size(m, random), kind = (uint32_t)random_below(random, 100);

	begin(w);
	if (kind < 70)
		look_up(w, m, key, bytes);
	else if (kind < 80)
		look_ahead(w, m, key);
	if (kind < 50 && m->entry[key].cached)
		change(w, m, key, bytes);
	if (kind >= 90) {
		assert_int_equal(entry_cache_moved(w->entries, key), m->entry[key].cached);
		m->entry[key].dirty = m->entry[key].cached;
	}
	end(w);
}

static uint64_t steps(void)
{
	const char *text = getenv("STEPS");

	return text ? strtoull(text, NULL, 0) : 20000;
}

static void random_run(uint64_t seed, struct entry_cache_plan plan)
{
	struct world *w = world_open(plan, false);
	struct model m = { .plan = plan };
	struct random random;

	random_init(&random, seed, 1);
	for (uint64_t step = 0; step < steps(); step++) {
		random_step(w, &m, &random);
		compare(w, &m, step);
		if (step % 16 == 0)
			entry_cache_check(w->entries);
	}
	assert_true(m.hits && m.programs && w->collector->count.collections);
	assert_int_equal(m.batched != 0, plan.batch);
	world_close(w);
}

static void test_agrees_with_a_plain_model(void **state)
{
	static const uint64_t bytes[] = { 20, 56, 200 }, protect[] = { 0, 1, 4, 1000 };

	(void)state;
	for (unsigned way = 0; way < 8; way++)
		for (size_t i = 0; i < 3; i++)
			for (size_t k = 0; k < (way & 4 ? 1 : 4); k++)
				random_run(seed_of_run() + i, (struct entry_cache_plan){ .bytes = bytes[i],
								      .least = way & 4 ? ONE_SIZE : 4,
								      .protect = protect[k],
								      .batch = way & 1,
								      .read_once = way & 2 });
}

/* ---- saved and loaded ---- */

struct copying {
	struct state_visitor visitor;
	unsigned char bytes[1 << 16];
	size_t at;
	bool into;
};

static void copy_region(struct state_visitor *r, void *bytes, size_t size)
{
	struct copying *c = (struct copying *)r;

	assert_true(c->at + size <= sizeof c->bytes);
	memcpy(c->into ? bytes : c->bytes + c->at, c->into ? c->bytes + c->at : bytes, size);
	c->at += size;
}

/* The change of a size evicts `gone`; KEYS: nothing. */
static void assert_state_goes_over(struct entry_cache_plan plan, uint32_t gone)
{
	struct world *a = world_open(plan, false), *b = world_open(plan, false);
	struct copying *c = memory_array(1, sizeof *c, "copy");

	c->visitor = (struct state_visitor){ .visit = copy_region };
	begin(a);
	for (uint32_t key = 0; key < 40; key++)
		entry_cache_get(a->entries, &a->bench->io, key % 30, 8);
	entry_cache_change(a->entries, 7, plan.least == ONE_SIZE ? ONE_SIZE : 20);
	entry_cache_fit(a->entries, &a->bench->io);
	end(a);
	state_visit(&c->visitor, entry_cache_state, a->entries);
	c->at = 0;
	c->into = true;
	state_visit(&c->visitor, entry_cache_state, b->entries);
	for (uint32_t key = 0; key < KEYS; key++) {
		struct cached_entry *e = entry_cache_find(b->entries, key);

		assert_int_equal(e != NULL, key < 30 && key != gone);
		assert_int_equal(entry_cache_dirty(b->entries, key), key == 7);
	}
	memory_free(c);
	world_close(a);
	world_close(b);
}

static void test_state_goes_from_one_cache_to_another(void **state)
{
	(void)state;
	assert_state_goes_over((struct entry_cache_plan){ .bytes = 244, .protect = 3 }, 10);
	assert_state_goes_over((struct entry_cache_plan){ .bytes = 240, .least = ONE_SIZE }, KEYS);
}

/* ---- times ---- */

/* The time from a request to the end of its read of data, on another die, which waits for the look-up. */
static uint64_t time_of_use(struct world *w, uint32_t key, ppn_t data)
{
	tick_t start = schedule_now(w->bench->flash->schedule), done = 0;
	struct io *io = &w->bench->io;
	uint32_t ticket;

	begin(w);
	flash_read(io, data, 1, CAUSE_HOST, entry_cache_get(w->entries, io, key, 8));
	end(w);
	while (schedule_completed(w->bench->flash->schedule, &ticket, &done))
		;
	return done - start;
}

/* Looks up entry 0 twice and changes it; then `next`, which evicts it, `next` again, and entry 0 again. */
static void assert_times(struct entry_cache_plan plan, bool blocking, uint32_t next, const uint64_t times[5])
{
	struct world *w;
	ppn_t data;
	const uint32_t key[] = { 0, 0, next, next, 0 };

	plan.bytes = 8;
	w = world_open(plan, blocking);
	data = old_page(w->bench, 3, 1, 0, 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(time_of_use(w, key[i], data), times[i]);
		if (i == 1)
			entry_cache_change(w->entries, 0, 8);
	}
	world_close(w);
}

/*
 * A map read takes 0.1 us for the command, 10 in the cells and 4 on the bus: 14.1; a map program 104.1; the
 * data read 11.1.  Mapping page 4 is on the other channel than page 0.
 */
static void test_who_waits(void **state)
{
	const uint32_t other = 4 * PER_PAGE;

	(void)state;
	/* Nothing waits for the write-back: load, data. */
	assert_times((struct entry_cache_plan){ 0 }, false, other,
		(uint64_t[]){ 14100 + 11100, 11100, 14100 + 11100, 11100, 14100 + 11100 });
	/* One after the other: read and program of the write-back, load, data. */
	assert_times((struct entry_cache_plan){ 0 }, true, other,
		(uint64_t[]){ 14100 + 11100, 11100, 14100 + 104100 + 14100 + 11100, 11100, 14100 + 11100 });
	/* The same mapping page: its old copy is read once; a load of the new one is answered by the
	 * controller. */
	assert_times((struct entry_cache_plan){ .read_once = true }, false, 1,
		(uint64_t[]){ 14100 + 11100, 11100, 14100 + 11100, 11100, 14100 + 11100 });
	assert_times((struct entry_cache_plan){ .read_once = true }, true, 1,
		(uint64_t[]){ 14100 + 11100, 11100, 14100 + 104100 + 11100, 11100, 14100 + 11100 });
	assert_times((struct entry_cache_plan){ 0 }, true, 1,
		(uint64_t[]){ 14100 + 11100, 11100, 14100 + 104100 + 11100, 11100, 14100 + 11100 });
}

/* An entry whose load is in flight is not in DRAM yet; another entry of the same page may be. */
static void test_a_hit_waits_for_its_own_load(void **state)
{
	struct world *w = world_open((struct entry_cache_plan){ .bytes = 24 }, false);
	struct io *io = &w->bench->io;
	op_t load;

	(void)state;
	begin(w);
	entry_cache_get(w->entries, io, 0, 8);
	end(w);
	begin(w);
	load = entry_cache_get(w->entries, io, 1, 8);
	assert_true(load != OP_NONE);
	entry_cache_enter(w->entries, io, 2, 8, 1);
	assert_true(entry_cache_get(w->entries, io, 0, 8) == OP_NONE);
	assert_true(entry_cache_get(w->entries, io, 1, 8) == load);
	assert_true(entry_cache_get(w->entries, io, 2, 8) == load);
	end(w);
	begin(w);
	assert_true(entry_cache_get(w->entries, io, 1, 8) == OP_NONE);
	end(w);
	world_close(w);
}

/* Room for two entries.  Entry 6 is being loaded when entry 1, whose page was loaded before, takes its
 * place. */
static void test_an_entry_does_not_wait_for_the_one_before_it(void **state)
{
	struct world *w = world_open((struct entry_cache_plan){ .bytes = 16 }, false);
	struct io *io = &w->bench->io;

	(void)state;
	begin(w);
	entry_cache_get(w->entries, io, 0, 8);
	end(w);
	begin(w);
	assert_true(entry_cache_get(w->entries, io, 6, 8) != OP_NONE);
	assert_true(entry_cache_get(w->entries, io, 0, 8) == OP_NONE);
	entry_cache_enter(w->entries, io, 1, 8, 0);
	assert_true(entry_cache_get(w->entries, io, 1, 8) == OP_NONE);
	assert_true(entry_cache_get(w->entries, io, 6, 8) != OP_NONE);
	end(w);
	world_close(w);
}

/* Many requests, each begun when all earlier reads have completed: reads in flight are always remembered,
 * completed ones only in small numbers. */
static void test_fetches_are_kept_while_they_are_under_way(void **state)
{
	struct world *w = world_open((struct entry_cache_plan){ .bytes = 4 * KEYS }, false);
	struct io *io = &w->bench->io;
	struct fetches fetches = fetches_create();
	op_t read[4];

	(void)state;
	for (uint32_t n = 0; n < 4000; n += 4) {
		begin(w);
		for (uint32_t i = 0; i < 4; i++) {
			read[i] = directory_read(w->directory, io, i, CAUSE_MAP, OP_NONE);
			fetches_begin(&fetches, io, n + i + 1, read[i]);
		}
		fetches_begin(&fetches, io, n + 4, read[0]);
		fetches_forget(&fetches, n + 3);
		assert_true(fetches_pending(&fetches, io, n + 1) == read[0]);
		assert_true(fetches_pending(&fetches, io, n + 2) == read[1]);
		assert_true(fetches_pending(&fetches, io, n + 3) == OP_NONE);
		assert_true(fetches_pending(&fetches, io, n + 4) == read[0]);
		end(w);
	}
	assert_true(fetches.pool.used < 150);
	for (uint32_t number = 1; number <= 4000; number++)
		assert_true(fetches_pending(&fetches, io, number) == OP_NONE);
	assert_int_equal(fetches.index.count, 0);
	assert_true(pool_is_free(&fetches.pool));
	fetches_free(&fetches);
	world_close(w);
}

/* The write-back of an entry includes the deferred updates of its mapping page. */
static void test_a_write_back_pays_for_notes(void **state)
{
	struct world *w = world_open((struct entry_cache_plan){ .bytes = 8 }, false);

	(void)state;
	begin(w);
	entry_cache_get(w->entries, &w->bench->io, 0, 8);
	entry_cache_change(w->entries, 0, 8);
	directory_defer_update(w->directory, 0);
	directory_defer_update(w->directory, 1);
	entry_cache_get(w->entries, &w->bench->io, PER_PAGE, 8);
	end(w);
	assert_int_equal(w->directory->pending_pages, 1);
	assert_int_equal(directory_oldest_update(w->directory), 1);
	world_close(w);
}

/* A full drive: the look-up does nothing, the dirty entry stays; if it outgrows the budget, it leaves without
 * a write-back. */
static void test_no_page_to_write_to(void **state)
{
	struct world *w = world_open((struct entry_cache_plan){ .bytes = 8 }, false);
	struct io *io = &w->bench->io;

	(void)state;
	begin(w);
	entry_cache_get(w->entries, io, 0, 8);
	entry_cache_change(w->entries, 0, 8);
	end(w);
	w->directory->client.allocate = NULL;
	for (plane_t p = 0; p < w->bench->geometry.planes; p++)
		while (space_has_page(w->space, p, STREAM_HOST, true)) {
			struct io untimed = { .flash = w->bench->flash };

			flash_program(&untimed, space_take(w->space, NULL, p, STREAM_HOST, true), 1, 1,
				CAUSE_HOST, OP_NONE);
		}
	w->directory->client.allocate = world_allocate;
	for (uint32_t id = 0; id < PAGES; id++)
		while (space_has_page(w->space, id, MAP, true)) {
			struct io untimed = { .flash = w->bench->flash };

			flash_program(&untimed, space_take(w->space, NULL, id, MAP, true), 1, 1, CAUSE_HOST,
				OP_NONE);
		}
	begin(w);
	assert_true(entry_cache_get(w->entries, io, PER_PAGE, 8) == OP_NONE);
	end(w);
	assert_null(entry_cache_find(w->entries, PER_PAGE));
	assert_true(entry_cache_dirty(w->entries, 0));
	assert_int_equal(count(w, OP_READ, CAUSE_MAP), 1);
	begin(w);
	entry_cache_change(w->entries, 0, 16);
	entry_cache_fit(w->entries, io);
	end(w);
	assert_null(entry_cache_find(w->entries, 0));
	assert_false(entry_cache_dirty(w->entries, 0));
	world_close(w);
}

/* ---- mapping pages without a copy when preconditioning ends ---- */

static void test_pages_are_placed_once_in_ascending_order(void **state)
{
	struct world *w = world_make(1, PAGES, (struct map_settings){ 0 }, nothing_moves);
	struct io untimed = { .flash = w->bench->flash };
	static const uint32_t entered[] = { 5, 2, 3 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		directory_enter(w->directory, entered[i]);
	directory_remove(w->directory, 3);
	directory_place(w->directory, &untimed);
	directory_place(w->directory, &untimed);
	assert_int_equal(w->bench->flash->untimed[OP_PROGRAM], 2);
	directory_enter(w->directory, 3);
	directory_enter(w->directory, 5);
	directory_place(w->directory, &untimed);
	assert_int_equal(w->bench->flash->untimed[OP_PROGRAM], 3);
	assert_true(directory_in_flash(w->directory, 2) && directory_in_flash(w->directory, 3) &&
		    directory_in_flash(w->directory, 5));
	directory_check(w->directory);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agrees_with_a_plain_model),
		cmocka_unit_test(test_state_goes_from_one_cache_to_another),
		cmocka_unit_test(test_who_waits),
		cmocka_unit_test(test_a_hit_waits_for_its_own_load),
		cmocka_unit_test(test_an_entry_does_not_wait_for_the_one_before_it),
		cmocka_unit_test(test_fetches_are_kept_while_they_are_under_way),
		cmocka_unit_test(test_a_write_back_pays_for_notes),
		cmocka_unit_test(test_no_page_to_write_to),
		cmocka_unit_test(test_pages_are_placed_once_in_ascending_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
