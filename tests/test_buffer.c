/*
 * The write buffer: the core's paths by hand, LRU against a plain model, policies that break the contract.
 * Pages have 4 sectors.
 */
#include "tests/drive_fixture.h"

#include "buffer/chain.h"

#define PAGE 4u

/* ---- a sink that writes down what it gets ---- */

struct record {
	bool write;
	size_t group; /* which call it came with */
	struct extent extent;
};

struct notebook {
	struct record record[4096];
	size_t records, calls;
};

static void put(struct notebook *book, bool write, const struct extent *extents, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(book->records < sizeof book->record / sizeof book->record[0]);
		book->record[book->records++] = (struct record){ write, book->calls, extents[i] };
	}
	book->calls++;
}

static void note_write(void *book, const struct extent *extents, size_t n)
{
	put(book, true, extents, n);
}

static void note_read(void *book, const struct extent *extents, size_t n)
{
	put(book, false, extents, n);
}

static void clear(struct notebook *book)
{
	book->records = book->calls = 0;
}

static const struct buffer_ops *policy(const char *name)
{
	for (size_t i = 0; buffers[i]; i++)
		if (!strcmp(buffers[i]->name, name))
			return buffers[i];
	fail_msg("no buffer %s", name);
	return NULL;
}

static struct buffer *new_buffer(const struct buffer_ops *ops, uint32_t sectors, struct notebook *book)
{
	return buffer_create(ops, NULL, sectors * SECTOR_BYTES, PAGE,
		(struct buffer_sink){ book, note_write, note_read }, NULL);
}

static void assert_noted(const struct notebook *book, size_t at, bool write, sector_t start, sector_t end)
{
	assert_true(at < book->records);
	assert_true(book->record[at].write == write);
	assert_int_equal(book->record[at].extent.start, start);
	assert_int_equal(book->record[at].extent.end, end);
}

static uint32_t write_to(struct buffer *b, sector_t start, sector_t end)
{
	return buffer_write(b, (struct extent){ start, end });
}

static uint32_t read_from(struct buffer *b, sector_t start, sector_t end)
{
	return buffer_read(b, (struct extent){ start, end });
}

/* ---- paths by hand ---- */

static void test_none_passes_requests_on_whole(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("none"), 1024, &book);

	(void)state;
	assert_int_equal(write_to(b, 3, 21), 0);
	assert_int_equal(read_from(b, 5, 9), 0);
	buffer_trim(b, (struct extent){ 3, 21 });
	assert_int_equal(book.records, 2);
	assert_noted(&book, 0, true, 3, 21);
	assert_noted(&book, 1, false, 5, 9);
	assert_int_equal(buffer_dirty_sectors(b), 0);
	buffer_check(b);
	buffer_free(b);
}

/* Two pages of room: nothing leaves; each page costs an access. */
static void test_what_was_written_is_read_from_the_buffer(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 8, &book);

	(void)state;
	assert_int_equal(write_to(b, 2, 7), 2);
	assert_int_equal(read_from(b, 2, 7), 2);
	assert_int_equal(read_from(b, 3, 4), 1);
	assert_int_equal(book.records, 0);
	assert_int_equal(b->statistics.hit_sectors[REQUEST_READ], 6);
	assert_int_equal(b->statistics.miss_sectors[REQUEST_WRITE], 5);
	assert_int_equal(buffer_dirty_sectors(b), 5);
	buffer_check(b);
	buffer_free(b);
}

/* Sectors 1 and 10 are present; what is missing on both sides of a page border is one range. */
static void test_missing_ranges_are_joined(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 16, &book);

	(void)state;
	write_to(b, 1, 2);
	write_to(b, 10, 11);
	assert_int_equal(read_from(b, 0, 12), 2);
	assert_int_equal(book.records, 3);
	assert_noted(&book, 0, false, 0, 1);
	assert_noted(&book, 1, false, 2, 10);
	assert_noted(&book, 2, false, 11, 12);
	assert_int_equal(b->statistics.hit_sectors[REQUEST_READ], 2);
	assert_int_equal(b->statistics.miss_sectors[REQUEST_READ], 10);
	buffer_free(b);
}

static void test_reads_insert_nothing(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 8, &book);

	(void)state;
	assert_int_equal(read_from(b, 0, 4), 0);
	assert_int_equal(read_from(b, 0, 4), 0);
	assert_int_equal(book.records, 2);
	assert_int_equal(b->used, 0);
	buffer_free(b);
}

/*
 * Room for 8 sectors: pages 0 (4), 1 (2) and 2 (2) fill it.  Page 3 needs 4: page 0 goes, which was used
 * first.
 */
static void test_the_least_recent_page_leaves(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 8, &book);

	(void)state;
	write_to(b, 0, 4);
	write_to(b, 5, 7);
	write_to(b, 8, 10);
	assert_int_equal(book.records, 0);
	write_to(b, 12, 16);
	assert_int_equal(book.records, 1);
	assert_noted(&book, 0, true, 0, 4);
	assert_int_equal(b->statistics.evictions, 1);
	assert_int_equal(b->statistics.flushed_sectors, 4);
	assert_int_equal(b->used, 8);
	buffer_check(b);
	buffer_free(b);
}

/* The same, but page 0 was read and page 1 written again meanwhile: page 2 goes, then page 0. */
static void test_use_keeps_a_page(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 8, &book);

	(void)state;
	write_to(b, 0, 4);
	write_to(b, 5, 7);
	write_to(b, 8, 10);
	read_from(b, 3, 4);
	write_to(b, 5, 6);
	write_to(b, 12, 16);
	assert_int_equal(book.records, 2);
	assert_noted(&book, 0, true, 8, 10);
	assert_noted(&book, 1, true, 0, 4);
	buffer_free(b);
}

/* A page with a hole leaves as two ranges, flushed together. */
static void test_a_page_with_a_hole_is_flushed_together(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 4, &book);

	(void)state;
	write_to(b, 0, 1);
	write_to(b, 2, 4);
	write_to(b, 4, 8);
	assert_int_equal(book.records, 2);
	assert_int_equal(book.calls, 1);
	assert_noted(&book, 0, true, 0, 1);
	assert_noted(&book, 1, true, 2, 4);
	buffer_free(b);
}

/* However little is asked for, one page is kept; a request of many pages passes through it page by page. */
static void test_a_buffer_of_one_page(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 1, &book);

	(void)state;
	assert_int_equal(b->capacity, PAGE);
	write_to(b, 2, 22);
	assert_int_equal(book.records, 5);
	assert_noted(&book, 0, true, 2, 4);
	for (sector_t page = 1; page < 5; page++)
		assert_noted(&book, page, true, page * 4, page * 4 + 4);
	assert_int_equal(b->used, 2);
	clear(&book);
	write_to(b, 20, 22); /* a hit: nothing needs to leave */
	assert_int_equal(book.records, 0);
	write_to(b, 22, 24); /* it grows to the whole page */
	assert_int_equal(book.records, 0);
	write_to(b, 0, 1);
	assert_noted(&book, 0, true, 20, 24);
	buffer_check(b);
	buffer_free(b);
}

/* One sector each of 8 pages fill 8 sectors; a page of 4 makes four of them leave, one at a time. */
static void test_as_many_leave_as_are_needed(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 8, &book);

	(void)state;
	for (sector_t page = 0; page < 8; page++)
		write_to(b, 4 * page, 4 * page + 1);
	write_to(b, 40, 44);
	assert_int_equal(book.calls, 4);
	for (sector_t page = 0; page < 4; page++)
		assert_noted(&book, page, true, 4 * page, 4 * page + 1);
	buffer_free(b);
}

static void test_trims(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 16, &book);

	(void)state;
	write_to(b, 0, 8);
	buffer_trim(b, (struct extent){ 2, 12 }); /* half of page 0, all of page 1, page 2 is not there */
	assert_int_equal(b->used, 2);
	assert_int_equal(buffer_dirty_sectors(b), 2);
	buffer_check(b);
	read_from(b, 0, 8);
	assert_int_equal(book.records, 1);
	assert_noted(&book, 0, false, 2, 8);
	buffer_trim(b, (struct extent){ 0, 2 });
	assert_int_equal(b->used, 0);
	buffer_check(b);
	buffer_free(b);
}

static void test_every_page_size(void **state)
{
	struct notebook book = { .records = 0 };

	(void)state;
	for (uint32_t page = 4; page <= 64; page *= 2) {
		struct buffer *b = buffer_create(policy("lru"), NULL, 2 * page * SECTOR_BYTES, page,
			(struct buffer_sink){ &book, note_write, note_read }, NULL);

		clear(&book);
		write_to(b, 0, 2 * page);
		read_from(b, 0, 2 * page);
		assert_int_equal(book.records, 0);
		write_to(b, 2 * page, 3 * page);
		assert_int_equal(book.records, 1);
		assert_noted(&book, 0, true, 0, page);
		buffer_check(b);
		buffer_free(b);
	}
}

/* ---- LRU against a plain model ---- */

enum { MODEL_PAGES = 40 };

/* Per page which sectors are held and when it was used last. */
struct model {
	mask_t held[MODEL_PAGES];
	uint64_t used_at[MODEL_PAGES], clock;
	uint32_t capacity;
};

static uint32_t bits(mask_t mask)
{
	return (uint32_t)__builtin_popcountll(mask);
}

static uint32_t model_used(const struct model *m)
{
	uint32_t used = 0;

	for (int lpn = 0; lpn < MODEL_PAGES; lpn++)
		used += bits(m->held[lpn]);
	return used;
}

static void expect_mask(struct notebook *book, bool write, lpn_t lpn, mask_t mask)
{
	for (uint32_t i = 0; i < PAGE; i++) {
		uint32_t from = i;

		if (!(mask >> i & 1))
			continue;
		while (i + 1 < PAGE && mask >> (i + 1) & 1)
			i++;
		put(book, write, &(struct extent){ lpn * PAGE + from, lpn * PAGE + i + 1 }, 1);
	}
}

static void model_evict(struct model *m, struct notebook *book)
{
	int oldest = -1;

	for (int lpn = 0; lpn < MODEL_PAGES; lpn++)
		if (m->held[lpn] && (oldest < 0 || m->used_at[lpn] < m->used_at[oldest]))
			oldest = lpn;
	expect_mask(book, true, (lpn_t)oldest, m->held[oldest]);
	m->held[oldest] = 0;
}

static void model_write(struct model *m, struct extent e, struct notebook *book)
{
	for (lpn_t lpn = (lpn_t)(e.start / PAGE); lpn <= (e.end - 1) / PAGE; lpn++) {
		mask_t mask = extent_mask(e, lpn, 2);

		m->used_at[lpn] = ++m->clock;
		while (model_used(m) + bits(mask & ~m->held[lpn]) > m->capacity)
			model_evict(m, book);
		m->held[lpn] |= mask;
	}
}

/* Sectors one by one, joined where they touch. */
static void model_read(struct model *m, struct extent e, struct notebook *book)
{
	sector_t from = e.start;

	for (sector_t s = e.start; s <= e.end; s++) {
		bool held = s == e.end || m->held[s / PAGE] >> s % PAGE & 1;

		if (!held)
			continue;
		if (from < s)
			put(book, false, &(struct extent){ from, s }, 1);
		from = s + 1;
	}
	for (lpn_t lpn = (lpn_t)(e.start / PAGE); lpn <= (e.end - 1) / PAGE; lpn++)
		if (m->held[lpn] & extent_mask(e, lpn, 2))
			m->used_at[lpn] = ++m->clock;
}

static void model_trim(struct model *m, struct extent e)
{
	for (lpn_t lpn = (lpn_t)(e.start / PAGE); lpn <= (e.end - 1) / PAGE; lpn++)
		m->held[lpn] &= ~extent_mask(e, lpn, 2);
}

static void assert_same_notes(const struct notebook *is, const struct notebook *should, int step)
{
	bool same = is->records == should->records;

	for (size_t i = 0; same && i < is->records; i++)
		same = is->record[i].write == should->record[i].write &&
		       is->record[i].extent.start == should->record[i].extent.start &&
		       is->record[i].extent.end == should->record[i].extent.end;
	if (!same)
		fail_msg("step %d: the buffer and the model disagree; repeat with SEED=%llu", step,
			(unsigned long long)seed_of_run());
}

static void play_against_model(uint32_t capacity, struct random *random)
{
	struct notebook is = { .records = 0 }, should = { .records = 0 };
	struct model m = { .capacity = capacity };
	struct buffer *b = new_buffer(policy("lru"), capacity, &is);

	for (int step = 0; step < 5000; step++) {
		sector_t start = random_below(random, MODEL_PAGES * PAGE - 12);
		struct extent e = { start, start + 1 + random_below(random, 12) };
		uint64_t kind = random_below(random, 10);

		clear(&is);
		clear(&should);
		if (kind < 5) {
			buffer_write(b, e);
			model_write(&m, e, &should);
		} else if (kind < 8) {
			buffer_read(b, e);
			model_read(&m, e, &should);
		} else {
			buffer_trim(b, e);
			model_trim(&m, e);
		}
		assert_same_notes(&is, &should, step);
		assert_int_equal(b->used, model_used(&m));
		assert_int_equal(buffer_dirty_sectors(b), model_used(&m));
		buffer_check(b);
	}
	buffer_free(b);
}

static void test_lru_against_a_model(void **state)
{
	static const uint32_t capacities[] = { 4, 5, 8, 13, 40, 150, 1000 };
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 9);
	for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++)
		play_against_model(capacities[i], &random);
}

/* ---- a policy of the test's own ---- */

struct pair_policy {
	struct chain chain;
};

static void pair_init(struct buffer *b)
{
	chain_init(&((struct pair_policy *)b->state)->chain);
}

static void pair_inserted(struct buffer *b, uint32_t node)
{
	chain_push_first(b, &((struct pair_policy *)b->state)->chain, node);
}

static void pair_hit(struct buffer *b, uint32_t node, enum request_type type)
{
	(void)b;
	(void)node;
	(void)type;
}

static void pair_removed(struct buffer *b, uint32_t node)
{
	chain_remove(b, &((struct pair_policy *)b->state)->chain, node);
}

/* The two pages that came last leave together. */
static void pair_evict(struct buffer *b)
{
	uint32_t first = ((struct pair_policy *)b->state)->chain.first;

	buffer_choose(b, first);
	if (b->node[first].next != NODE_NONE)
		buffer_choose(b, b->node[first].next);
}

static const struct buffer_ops pair = {
	.name = "pair",
	.brief = "for this test",
	.size = sizeof(struct pair_policy),
	.init = pair_init,
	.inserted = pair_inserted,
	.hit = pair_hit,
	.removed = pair_removed,
	.evict = pair_evict,
};

/* Pages 7 and 6, named in descending order, leave as one ascending range. */
static void test_victims_are_flushed_together_in_order(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&pair, 12, &book);

	(void)state;
	write_to(b, 0, 4);
	write_to(b, 24, 28);
	write_to(b, 28, 32);
	write_to(b, 40, 41);
	assert_int_equal(book.calls, 1);
	assert_int_equal(book.records, 1);
	assert_noted(&book, 0, true, 24, 32);
	assert_int_equal(b->statistics.evictions, 2);
	buffer_check(b);
	clear(&book);
	write_to(b, 44, 48);
	write_to(b, 4, 8);
	assert_int_equal(book.calls, 1);
	assert_int_equal(book.records, 2);
	assert_noted(&book, 0, true, 40, 41);
	assert_noted(&book, 1, true, 44, 48);
	buffer_free(b);
}

/* ---- policies that break the contract ---- */

static void evict_nothing(struct buffer *b)
{
	(void)b;
}

static void evict_nobody(struct buffer *b)
{
	buffer_choose(b, NODE_NONE);
}

static void overflow(void *ops)
{
	struct notebook *book = memory_array(1, sizeof *book, "notebook");
	struct buffer *b = new_buffer(ops, 4, book);

	write_to(b, 0, 8);
}

static void test_a_policy_must_name_a_victim(void **state)
{
	struct buffer_ops bad = pair;

	(void)state;
	bad.evict = evict_nothing;
	assert_aborts(overflow, &bad, "pair evicts nothing from a full buffer");
	bad.evict = evict_nobody;
	assert_aborts(overflow, &bad, "pair evicts a page that is not in the buffer");
}

static void test_a_policy_must_be_complete(void **state)
{
	struct buffer_ops bad = pair;

	(void)state;
	bad.removed = NULL;
	assert_aborts(overflow, &bad, "buffer policy pair lacks a required operation");
	bad = pair;
	bad.brief = NULL;
	assert_aborts(overflow, &bad, "without name or brief");
}

static void corrupt(void *what)
{
	struct notebook *book = memory_array(1, sizeof *book, "notebook");
	struct buffer *b = new_buffer(policy("lru"), 8, book);

	write_to(b, 0, 4);
	switch (*(int *)what) {
	case 0:
		b->used++;
		break;
	case 1:
		b->node[0].lpn = 3;
		break;
	default:
		b->node[0].stored &= ~(mask_t)1;
		b->used--;
	}
	buffer_check(b);
}

static void test_check_finds_broken_invariants(void **state)
{
	static const char *const says[] = { "holds 4 sectors of 8, counts 5",
		"holds LPN 3, its index does not", "LPN 0 has dirty sectors that are not stored" };

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_aborts(corrupt, &i, says[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_passes_requests_on_whole),
		cmocka_unit_test(test_what_was_written_is_read_from_the_buffer),
		cmocka_unit_test(test_missing_ranges_are_joined),
		cmocka_unit_test(test_reads_insert_nothing),
		cmocka_unit_test(test_the_least_recent_page_leaves),
		cmocka_unit_test(test_use_keeps_a_page),
		cmocka_unit_test(test_a_page_with_a_hole_is_flushed_together),
		cmocka_unit_test(test_a_buffer_of_one_page),
		cmocka_unit_test(test_as_many_leave_as_are_needed),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_every_page_size),
		cmocka_unit_test(test_lru_against_a_model),
		cmocka_unit_test(test_victims_are_flushed_together_in_order),
		cmocka_unit_test(test_a_policy_must_name_a_victim),
		cmocka_unit_test(test_a_policy_must_be_complete),
		cmocka_unit_test(test_check_finds_broken_invariants),
	};

	return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
