/*
 * The write buffer: paths of the core worked by hand, policies that use every operation, and policies that
 * break the contract.  Pages have 4 sectors.
 */
#define PAGE  4u
#define BLOCK 4u /* pages */

#include "tests/inside.h"
#include "tests/notebook_fixture.h"
#include "tests/play_fixture.h"

#include "buffer/ghosts.h"
#include "buffer/groups.h"
#include "stats/table.h"

#include <math.h>

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
	assert_noted(&book, 0, WRITE_CALL, 3, 21);
	assert_noted(&book, 1, READ_CALL, 5, 9);
	assert_int_equal(buffer_dirty_sectors(b), 0);
	buffer_check(b);
	buffer_free(b);
}

/* Room for two pages: nothing is evicted; each page takes one access. */
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

/* Sectors 1 and 10 are present; missing sectors on both sides of a page border are one range. */
static void test_missing_ranges_are_joined(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 16, &book);

	(void)state;
	write_to(b, 1, 2);
	write_to(b, 10, 11);
	assert_int_equal(read_from(b, 0, 12), 2);
	assert_int_equal(book.records, 3);
	assert_noted(&book, 0, READ_CALL, 0, 1);
	assert_noted(&book, 1, READ_CALL, 2, 10);
	assert_noted(&book, 2, READ_CALL, 11, 12);
	assert_int_equal(b->statistics.hit_sectors[REQUEST_READ], 2);
	assert_int_equal(b->statistics.miss_sectors[REQUEST_READ], 10);
	buffer_free(b);
}

/* A saved state may claim that a block has a page in the buffer that is not there. */
static void add_a_page_to_its_block(void *context)
{
	static const uint64_t defaults[8]; /* of its settings */
	struct notebook book = { .records = 0 };
	struct buffer *b = buffer_with(policy("bplru"), defaults, 1024, &book);
	struct groups *g = b->state; /* its first member */

	(void)context;
	write_to(b, 0, PAGE);
	buffer_check(b);
	bits_set(group_at(g, g->heads)->page, 1);
	buffer_check(b);
}

static void test_blocks_hold_what_the_buffer_holds(void **state)
{
	(void)state;
	assert_aborts(add_a_page_to_its_block, NULL, "block 0 holds 2 pages in the buffer and counts 1");
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

/* Room for 8 sectors: pages 0 (4), 1 (2) and 2 (2) fill it.  Page 3 needs 4: page 0, the least recently used,
 * is evicted. */
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
	assert_noted(&book, 0, WRITE_CALL, 0, 4);
	assert_int_equal(b->statistics.evictions, 1);
	assert_int_equal(b->statistics.flushed_sectors, 4);
	assert_int_equal(b->used, 8);
	buffer_check(b);
	buffer_free(b);
}

/* The same, but page 0 was read and page 1 written again meanwhile: page 2 is evicted, then page 0. */
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
	assert_noted(&book, 0, WRITE_CALL, 8, 10);
	assert_noted(&book, 1, WRITE_CALL, 0, 4);
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
	assert_noted(&book, 0, WRITE_CALL, 0, 1);
	assert_noted(&book, 1, WRITE_CALL, 2, 4);
	buffer_free(b);
}

/* The buffer has room for at least one page; a request of many pages passes through it page by page. */
static void test_a_buffer_of_one_page(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 1, &book);

	(void)state;
	assert_int_equal(b->capacity, PAGE);
	write_to(b, 2, 22);
	assert_int_equal(book.records, 5);
	assert_noted(&book, 0, WRITE_CALL, 2, 4);
	for (sector_t page = 1; page < 5; page++)
		assert_noted(&book, page, WRITE_CALL, page * 4, page * 4 + 4);
	assert_int_equal(b->used, 2);
	clear(&book);
	write_to(b, 20, 22); /* a hit: nothing needs to leave */
	assert_int_equal(book.records, 0);
	write_to(b, 22, 24); /* it grows to the whole page */
	assert_int_equal(book.records, 0);
	write_to(b, 0, 1);
	assert_noted(&book, 0, WRITE_CALL, 20, 24);
	buffer_check(b);
	buffer_free(b);
}

/* One sector of each of 8 pages fills the buffer; a page of 4 sectors evicts four of them, one at a time. */
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
		assert_noted(&book, page, WRITE_CALL, 4 * page, 4 * page + 1);
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
	assert_noted(&book, 0, READ_CALL, 2, 8);
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
		struct buffer *b = buffer_create(policy("lru"), NULL,
			(struct buffer_shape){ 2 * page * SECTOR_BYTES, page, BLOCK, 1000 },
			(struct buffer_sink){ &book, note_write, note_merged, note_read }, NULL);

		clear(&book);
		write_to(b, 0, 2 * page);
		read_from(b, 0, 2 * page);
		assert_int_equal(book.records, 0);
		write_to(b, 2 * page, 3 * page);
		assert_int_equal(book.records, 1);
		assert_noted(&book, 0, WRITE_CALL, 0, page);
		buffer_check(b);
		buffer_free(b);
	}
}

/* ---- a policy of the test's own ---- */

struct pair_policy {
	uint32_t pages;
};

struct pair_page {
	struct link link;
};

static struct array_field pair_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct pair_page, link);
}

static void pair_init(struct buffer *b)
{
	((struct pair_policy *)b->state)->pages = BUFFER_HEADS(b, struct pair_page, link, 1);
}

static void pair_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	list_append(pair_links(b), ((struct pair_policy *)b->state)->pages, node);
}

static void pair_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)mask;
	(void)b;
	(void)node;
	(void)type;
}

static void pair_removed(struct buffer *b, uint32_t node)
{
	list_remove(pair_links(b), node);
}

/* The two pages that came last leave together. */
static void pair_evict(struct buffer *b)
{
	uint32_t head = ((struct pair_policy *)b->state)->pages, last = list_previous(pair_links(b), head);

	buffer_choose(b, last, WHOLE_PAGE);
	if (list_previous(pair_links(b), last) != head)
		buffer_choose(b, list_previous(pair_links(b), last), WHOLE_PAGE);
}

static const struct state_row pair_page_state[] = {
	STATE_NUMBER(struct pair_page, link),
	{ 0 },
};

static const struct buffer_ops pair = {
	.name = "pair",
	.brief = "for this test",
	.size = sizeof(struct pair_policy),
	.page_size = sizeof(struct pair_page),
	.init = pair_init,
	.inserted = pair_inserted,
	.hit = pair_hit,
	.removed = pair_removed,
	.evict = pair_evict,
	.page_state = pair_page_state,
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
	assert_noted(&book, 0, WRITE_CALL, 24, 32);
	assert_int_equal(b->statistics.evictions, 1);
	assert_int_equal(b->statistics.evicted_pages, 2);
	buffer_check(b);
	clear(&book);
	write_to(b, 44, 48);
	write_to(b, 4, 8);
	assert_int_equal(book.calls, 1);
	assert_int_equal(book.records, 2);
	assert_noted(&book, 0, WRITE_CALL, 40, 41);
	assert_noted(&book, 1, WRITE_CALL, 44, 48);
	buffer_free(b);
}

/* ---- everything a policy can do: three of the test's own, first in first out ---- */

enum { NOTHING, INSERTED, HIT, RESIZED, REMOVED };

/* The arguments of the last hook, and a sum of sectors that only the hooks update. */
struct trial {
	uint32_t pages; /* head: the oldest first */
	int hook;
	enum request_type type;
	mask_t mask;
	uint64_t held;
	lpn_t last_out;
};

/* Hits of a page, in its own state. */
struct trial_page {
	uint64_t hits[2];
	struct link link;
};

static struct array_field trial_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct trial_page, link);
}

static void trial_init(struct buffer *b)
{
	((struct trial *)b->state)->pages = BUFFER_HEADS(b, struct trial_page, link, 1);
}

static uint32_t trial_oldest(const struct buffer *b)
{
	return list_next(trial_links(b), ((struct trial *)b->state)->pages);
}

static void told(struct buffer *b, int hook, enum request_type type, mask_t mask)
{
	struct trial *t = b->state;

	t->hook = hook;
	t->type = type;
	t->mask = mask;
}

static void trial_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct trial *t = b->state;

	list_append(trial_links(b), t->pages, node);
	t->held += buffer_sectors(b, node);
	told(b, INSERTED, type, mask);
}

static void trial_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	((struct trial_page *)buffer_own(b, node))->hits[type]++;
	told(b, HIT, type, mask);
}

static void trial_resized(struct buffer *b, uint32_t node, mask_t before)
{
	struct trial *t = b->state;

	t->held += buffer_sectors(b, node) - (uint64_t)__builtin_popcountll(before);
	told(b, RESIZED, REQUEST_TYPES, before);
}

static void trial_removed(struct buffer *b, uint32_t node)
{
	struct trial *t = b->state;

	list_remove(trial_links(b), node);
	t->held -= buffer_sectors(b, node);
	t->last_out = buffer_node(b, node)->lpn;
	told(b, REMOVED, REQUEST_TYPES, 0);
}

/* Data that was read enters the buffer. */
static void reading_init(struct buffer *b)
{
	trial_init(b);
	b->read_allocate = true;
}

static void whole_evict(struct buffer *b)
{
	buffer_choose(b, trial_oldest(b), WHOLE_PAGE);
}

/* The block of the oldest page leaves, padded. */
static void block_init(struct buffer *b)
{
	trial_init(b);
	b->pads = true;
}

static void block_evict(struct buffer *b)
{
	lpn_t oldest = buffer_node(b, trial_oldest(b))->lpn;
	lpn_t first = oldest - oldest % b->shape.pages_per_block;

	for (uint32_t i = b->shape.pages_per_block; i--;) {
		uint32_t node = buffer_find(b, first + i);

		if (node == NODE_NONE)
			buffer_pad(b, first + i);
		else
			buffer_choose(b, node, WHOLE_PAGE);
	}
}

/* The lowest sector of the oldest page leaves, and with it the lowest one of the page that came after it. */
static void parts_init(struct buffer *b)
{
	trial_init(b);
	b->merges = true;
}

static mask_t lowest_sector(const struct buffer *b, uint32_t node)
{
	mask_t stored = buffer_node(b, node)->stored;

	return stored & (~stored + 1);
}

static void parts_evict(struct buffer *b)
{
	uint32_t oldest = trial_oldest(b), next = list_next(trial_links(b), oldest);

	buffer_choose(b, oldest, lowest_sector(b, oldest));
	if (next == ((struct trial *)b->state)->pages)
		return;
	buffer_choose(b, next, lowest_sector(b, next));
	buffer_merge(b);
}

static const struct state_row trial_page_state[] = {
	STATE_NUMBER(struct trial_page, link),
	{ 0 },
};

#define TRIAL(policy_name, start, leave)                                                                     \
	{                                                                                                    \
		.name = policy_name, .brief = "for this test", .size = sizeof(struct trial),                 \
		.page_size = sizeof(struct trial_page), .init = start, .inserted = trial_inserted,           \
		.hit = trial_hit, .resized = trial_resized, .removed = trial_removed, .evict = leave,        \
		.page_state = trial_page_state                                                               \
	}

static const struct buffer_ops trials[] = {
	TRIAL("reading", reading_init, whole_evict),
	TRIAL("block", block_init, block_evict),
	TRIAL("parts", parts_init, parts_evict),
};

enum { READING, BY_BLOCK, IN_PARTS, TRIALS };

static void assert_told(const struct buffer *b, int hook, enum request_type type, mask_t mask)
{
	const struct trial *t = b->state;

	assert_int_equal(t->hook, hook);
	assert_int_equal(t->type, type);
	assert_int_equal(t->mask, mask);
}

/* Pages 0 and 2: a write of other sectors is a hit and makes the page grow; a read that finds nothing is no
 * hit. */
static void test_hooks_are_told_type_and_sectors(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&trials[IN_PARTS], 16, &book);
	const struct trial_page *page;

	(void)state;
	write_to(b, 1, 2);
	assert_told(b, INSERTED, REQUEST_WRITE, 0x2);
	read_from(b, 2, 4);
	assert_told(b, INSERTED, REQUEST_WRITE, 0x2);
	read_from(b, 0, 4);
	assert_told(b, HIT, REQUEST_READ, 0xf);
	write_to(b, 1, 2);
	assert_told(b, HIT, REQUEST_WRITE, 0x2);
	write_to(b, 3, 4);
	assert_told(b, RESIZED, REQUEST_TYPES, 0x2);
	page = buffer_own(b, buffer_find(b, 0));
	assert_int_equal(page->hits[REQUEST_READ], 1);
	assert_int_equal(page->hits[REQUEST_WRITE], 2);
	write_to(b, 8, 12);
	page = buffer_own(b, buffer_find(b, 2));
	assert_int_equal(page->hits[REQUEST_WRITE], 0);
	buffer_trim(b, (struct extent){ 9, 10 });
	assert_told(b, RESIZED, REQUEST_TYPES, 0xf);
	assert_int_equal(((struct trial *)b->state)->held, 5);
	buffer_trim(b, (struct extent){ 0, 4 });
	assert_told(b, REMOVED, REQUEST_TYPES, 0);
	buffer_free(b);
}

/* Room for two pages.  Page 0 is dirty; a read of pages 0 to 2 inserts 1 and 2 and evicts 0, after the flash
 * read. */
static void test_what_was_read_enters_clean(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&trials[READING], 8, &book);

	(void)state;
	write_to(b, 1, 4);
	assert_int_equal(read_from(b, 1, 12), 1);
	assert_int_equal(book.records, 2);
	assert_noted(&book, 0, READ_CALL, 4, 12);
	assert_noted(&book, 1, WRITE_CALL, 1, 4);
	assert_told(b, INSERTED, REQUEST_READ, 0xf);
	assert_int_equal(buffer_dirty_sectors(b), 0);
	assert_int_equal(b->used, 8);
	assert_int_equal(b->statistics.hit_sectors[REQUEST_READ], 3);
	assert_int_equal(b->statistics.pages[REQUEST_READ], 3);
	clear(&book);
	write_to(b, 16, 18); /* page 1 leaves: clean, so nothing is flushed */
	assert_int_equal(book.records, 0);
	assert_int_equal(((struct trial *)b->state)->last_out, 1);
	assert_int_equal(b->statistics.evicted_pages, 2);
	assert_int_equal(b->statistics.flushed_pages, 1);
	read_from(b, 18, 19); /* one more sector of a buffered page: its dirty sectors stay dirty */
	assert_int_equal(buffer_dirty_sectors(b), 2);
	assert_told(b, RESIZED, REQUEST_TYPES, 0x3);
	assert_int_equal(((struct trial *)b->state)->held, 7);
	buffer_check(b);
	buffer_free(b);
}

/* Only sectors missing at the start of the read enter: page 1, found then and evicted by page 0, does not. */
static void test_what_was_found_does_not_enter_again(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&trials[READING], 8, &book);

	(void)state;
	write_to(b, 4, 8);
	write_to(b, 12, 16);
	read_from(b, 0, 8);
	assert_int_equal(buffer_find(b, 1), NODE_NONE);
	assert_true(buffer_find(b, 0) != NODE_NONE && buffer_find(b, 3) != NODE_NONE);
	buffer_free(b);
}

/* The policy names pages 7 to 4 of a block, of which 5 and 6 are buffered: the flush writes 4 to 7 in
 * ascending order, 4 and 7 as padding. */
static void test_blocks_are_padded_in_order(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&trials[BY_BLOCK], 8, &book);

	(void)state;
	write_to(b, 21, 28);
	write_to(b, 0, 2);
	assert_int_equal(book.records, 3);
	assert_int_equal(book.calls, 1);
	assert_noted(&book, 0, WRITE_CALL, 16, 16);
	assert_noted(&book, 1, WRITE_CALL, 21, 28);
	assert_noted(&book, 2, WRITE_CALL, 28, 28);
	assert_int_equal(b->statistics.evictions, 1);
	assert_int_equal(b->statistics.evicted_pages, 2);
	buffer_free(b);
}

/* The lowest sectors of pages 0 and 1 leave and share a page; page 1 had no other and is gone. */
static void test_parts_leave_and_are_merged(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&trials[IN_PARTS], 8, &book);

	(void)state;
	write_to(b, 0, 4);
	write_to(b, 5, 6);
	write_to(b, 8, 12);
	assert_int_equal(book.records, 2);
	assert_noted(&book, 0, MERGED_CALL, 0, 1);
	assert_noted(&book, 1, MERGED_CALL, 5, 6);
	assert_int_equal(book.calls, 1);
	assert_int_equal(buffer_find(b, 1), NODE_NONE);
	assert_int_equal(buffer_node(b, buffer_find(b, 0))->stored, 0xe);
	assert_int_equal(b->used, 7);
	assert_int_equal(b->statistics.merged_writes, 1);
	buffer_trim(b, (struct extent){ 8, 12 });
	clear(&book);
	write_to(b, 0, 1);
	write_to(b, 12, 16);
	write_to(b, 16, 17);
	assert_noted(&book, 0, MERGED_CALL, 0, 1);
	assert_noted(&book, 1, MERGED_CALL, 12, 13);
	assert_int_equal(((struct trial *)b->state)->held, b->used);
	buffer_check(b);
	buffer_free(b);
}

/* Lone page: nothing to merge with. */
static void test_a_page_shrinks_until_it_fits(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(&trials[IN_PARTS], 4, &book);

	(void)state;
	write_to(b, 0, 4);
	write_to(b, 4, 6);
	assert_int_equal(book.calls, 2);
	assert_noted(&book, 0, WRITE_CALL, 0, 1);
	assert_noted(&book, 1, WRITE_CALL, 1, 2);
	assert_int_equal(b->statistics.evictions, 2);
	buffer_free(b);
}

/*
 * Room for 8 sectors, pages 0 and 1.  Writes: 0-4 (all new, there is room), 2-6 (page 0 found whole, page 1
 * new, there is room), 4-8 (2 found, 2 absent), 8-12 (new, no room at all: short by 4).  Reads: 2-8 (page 0
 * is gone, 4 found).
 */
static void test_hit_ratios_are_counted_four_ways(void **state)
{
	struct notebook book = { .records = 0 };
	struct buffer *b = new_buffer(policy("lru"), 8, &book);

	(void)state;
	write_to(b, 0, 4);
	write_to(b, 2, 6);
	write_to(b, 4, 8);
	write_to(b, 8, 12);
	read_from(b, 2, 8);
	assert_true(buffer_statistic(b, "buffer.write.hit_ratio") == 4 / 16.);
	assert_true(buffer_statistic(b, "buffer.write.page_hit_ratio") == 1 / 5.);
	assert_true(buffer_statistic(b, "buffer.write.request_hit_ratio") == 0);
	assert_true(buffer_statistic(b, "buffer.write.legacy_hit_ratio") == 4 / 10.);
	assert_true(fabs(buffer_statistic(b, "buffer.read.hit_ratio") - 4 / 6.) < 1e-6);
	assert_true(buffer_statistic(b, "buffer.read.page_hit_ratio") == 1 / 2.);
	assert_true(buffer_statistic(b, "buffer.read.request_hit_ratio") == 0);
	assert_true(buffer_statistic(b, "buffer.read.legacy_hit_ratio") == 1);
	read_from(b, 4, 12);
	assert_true(buffer_statistic(b, "buffer.read.request_hit_ratio") == 1 / 2.);
	assert_true(buffer_statistic(b, "buffer.capacity_bytes") == 8 * 512);
	assert_true(buffer_statistic(b, "buffer.dirty_sectors") == 8);
	buffer_free(b);
}

/* Room for three ghosts: the oldest are forgotten; one that is added again becomes the newest. */
static void test_ghosts(void **state)
{
	struct ghosts g = ghosts_create(3);

	(void)state;
	for (lpn_t lpn = 1; lpn <= 3; lpn++)
		ghosts_add(&g, lpn);
	ghosts_add(&g, 1);
	ghosts_add(&g, 4);
	assert_false(ghosts_take(&g, 2));
	assert_true(ghosts_take(&g, 1));
	assert_false(ghosts_take(&g, 1));
	ghosts_add(&g, 5); /* in the place of 1: none is forgotten */
	assert_true(ghosts_take(&g, 3) && ghosts_take(&g, 4) && ghosts_take(&g, 5));
	ghosts_free(&g);
}

/* ---- the same policies in front of a drive ---- */

#define SMALL_DRIVE PAPER_DRIVE "flash.blocks=16 flash.over_provisioning=0.4 dram.buffer_bytes=16K "

/* Page mapping whose merged writes program a page each. */
static void attach(struct drive *d, struct ftl_ops *able, const struct buffer_ops *ops)
{
	struct fault fault = { "" };

	*able = *d->ftl->ops;
	able->write_merged = able->write;
	d->ftl->ops = able;
	if (!drive_buffer(d, ops, NULL, &fault))
		fail_msg("%s", fault.text);
}

/* Random requests on a verified drive: every sector is right, and so is the policy's own count. */
static void test_policies_in_front_of_a_drive(void **state)
{
	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		struct combination c = { .settings = SMALL_DRIVE, .trims = true, .seed = seed_of_run() };
		struct ftl_ops able;
		struct player p;

		player_open(&p, &c);
		attach(p.drive, &able, &trials[i]);
		for (int step = 0; step < 20000; step++) {
			assert_true(play(&p, random_request(&p), 4));
			assert_int_equal(
				((struct trial *)p.drive->buffer->state)->held, p.drive->buffer->used);
		}
		assert_true(play_all_pages(&p, REQUEST_READ));
		assert_true(flash_total(p.drive->flash, OP_ERASE) > 0);
		assert_true(p.drive->buffer->statistics.evictions > 1000);
		assert_int_equal(p.drive->flash->count[OP_PROGRAM][CAUSE_PAD] > 1000, i == BY_BLOCK);
		assert_int_equal(p.drive->buffer->statistics.merged_writes > 1000, i == IN_PARTS);
		player_check(&p);
		player_close(&p);
	}
}

/* Room for one page, which is dirty.  A read of a page from flash takes 1000 for its look-up and 14100,
 * although its data evicts the dirty page: it waits for neither look-up nor program of that page. */
static void test_a_read_does_not_wait_for_its_allocation(void **state)
{
	struct combination c = { .settings = SMALL_DRIVE "dram.buffer_bytes=2K dram.access_ns=1000" };
	struct ftl_ops able;
	struct player p;

	(void)state;
	player_open(&p, &c);
	attach(p.drive, &able, &trials[READING]);
	drive_place(p.drive, (struct extent){ 4, 8 });
	play(&p, (struct request){ .start = 0, .sectors = 4, .type = REQUEST_WRITE }, 0);
	play(&p, (struct request){ .start = 4, .sectors = 4, .type = REQUEST_READ }, 0);
	drive_drain(p.drive);
	assert_int_equal(p.drive->count->request[REQUEST_READ].latency.max, 1000 + 14100);
	assert_int_equal(p.drive->flash->count[OP_PROGRAM][CAUSE_HOST], 1);
	play(&p, (struct request){ .start = 4, .sectors = 4, .type = REQUEST_READ }, 0);
	drive_drain(p.drive);
	assert_int_equal(p.drive->count->request[REQUEST_READ].latency.min, 1000);
	player_check(&p);
	player_close(&p);
}

/* The message names what the FTL lacks. */
static void test_an_ftl_may_refuse_a_buffer(void **state)
{
	static const char *const says[] = { "", "buffer = block pads blocks, which ftl = across cannot",
		"buffer = parts needs an FTL that writes parts of several pages into one; ftl = across " };

	(void)state;
	for (int i = 1; i < TRIALS; i++) {
		struct combination c = { .settings = SMALL_DRIVE };
		struct fault fault = { "" };
		struct player p;

		while (strcmp(ftls[c.ftl]->name, "across") != 0)
			c.ftl++;
		player_open(&p, &c);
		assert_false(drive_buffer(p.drive, &trials[i], NULL, &fault));
		assert_memory_equal(fault.text, says[i], strlen(says[i]));
		player_close(&p);
	}
}

/* ---- policies that break the contract ---- */

static void evict_nothing(struct buffer *b)
{
	(void)b;
}

static void evict_nobody(struct buffer *b)
{
	buffer_choose(b, NODE_NONE, WHOLE_PAGE);
}

static void evict_twice(struct buffer *b)
{
	pair_evict(b);
	pair_evict(b);
}

static void merge_unasked(struct buffer *b)
{
	buffer_merge(b);
}

static void pad_unasked(struct buffer *b)
{
	buffer_pad(b, 7);
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
	bad.evict = evict_twice;
	assert_aborts(overflow, &bad, "pair evicts LPN 0 twice");
	bad.evict = merge_unasked;
	assert_aborts(overflow, &bad, "pair merges without having said so");
	bad.evict = pad_unasked;
	assert_aborts(overflow, &bad, "pair pads LPN 7, which is in the buffer, or without having said so");
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
	struct buffer_node *node;

	write_to(b, 0, 4);
	node = buffer_node(b, buffer_find(b, 0));
	switch (*(int *)what) {
	case 0:
		b->used++;
		break;
	case 1:
		node->lpn = 3;
		break;
	default:
		node->stored &= ~(mask_t)1;
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
		cmocka_unit_test(test_blocks_hold_what_the_buffer_holds),
		cmocka_unit_test(test_reads_insert_nothing),
		cmocka_unit_test(test_the_least_recent_page_leaves),
		cmocka_unit_test(test_use_keeps_a_page),
		cmocka_unit_test(test_a_page_with_a_hole_is_flushed_together),
		cmocka_unit_test(test_a_buffer_of_one_page),
		cmocka_unit_test(test_as_many_leave_as_are_needed),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_every_page_size),
		cmocka_unit_test(test_victims_are_flushed_together_in_order),
		cmocka_unit_test(test_hooks_are_told_type_and_sectors),
		cmocka_unit_test(test_what_was_read_enters_clean),
		cmocka_unit_test(test_what_was_found_does_not_enter_again),
		cmocka_unit_test(test_blocks_are_padded_in_order),
		cmocka_unit_test(test_parts_leave_and_are_merged),
		cmocka_unit_test(test_a_page_shrinks_until_it_fits),
		cmocka_unit_test(test_hit_ratios_are_counted_four_ways),
		cmocka_unit_test(test_ghosts),
		cmocka_unit_test(test_policies_in_front_of_a_drive),
		cmocka_unit_test(test_a_read_does_not_wait_for_its_allocation),
		cmocka_unit_test(test_an_ftl_may_refuse_a_buffer),
		cmocka_unit_test(test_a_policy_must_name_a_victim),
		cmocka_unit_test(test_a_policy_must_be_complete),
		cmocka_unit_test(test_check_finds_broken_invariants),
	};

	return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
