/*
 * Write buffer policies: which pages each evicts, by hand and against plain models that look at every page.
 * Pages have 8 sectors, blocks 4 pages.
 */
#define PAGE  8u
#define BLOCK 4u

#include "tests/notebook_fixture.h"
#include "tests/rig_fixture.h"

/* A buffer of a policy with settings. */
struct desk {
	struct notebook book;
	struct param_group group;
	struct buffer *b;
};

static struct desk *desk_open(const char *name, uint32_t sectors, const char *options)
{
	const struct buffer_ops *ops = policy(name);
	struct desk *d = memory_array(1, sizeof *d, "desk");
	struct fault fault = { "" };
	char *copy = memory_string(options, "options");

	d->group = (struct param_group){ buffer_group(ops), ops->params,
		memory_array(1, ops->settings_size, "settings") };
	if (ops->params)
		assert_true(params_defaults(&d->group, 1, &fault));
	for (char *next = strtok(copy, " "); next; next = strtok(NULL, " "))
		if (!params_set(next, &d->group, 1, &fault))
			fail_msg("%s", fault.text);
	memory_free(copy);
	d->b = buffer_with(ops, d->group.settings, sectors, &d->book);
	return d;
}

static void desk_close(struct desk *d)
{
	buffer_check(d->b);
	buffer_free(d->b);
	memory_free(d->group.settings);
	memory_free(d);
}

/* So many sectors of a page, from its first. */
static void put_page(struct desk *d, lpn_t lpn, uint32_t sectors)
{
	write_to(d->b, (sector_t)lpn * PAGE, (sector_t)lpn * PAGE + sectors);
	buffer_check(d->b);
}

static void get_page(struct desk *d, lpn_t lpn, uint32_t sectors)
{
	read_from(d->b, (sector_t)lpn * PAGE, (sector_t)lpn * PAGE + sectors);
}

static void assert_page_noted(const struct desk *d, size_t at, int kind, lpn_t lpn, uint32_t sectors)
{
	assert_noted(&d->book, at, kind, (sector_t)lpn * PAGE, (sector_t)lpn * PAGE + sectors);
}

static double statistic(struct desk *d, const char *name)
{
	return buffer_statistic(d->b, name);
}

/* ---- BPLRU ---- */

/*
 * Room for 4 pages.  Block 0 (pages 2 and 0) is written after block 2 (page 9), which a read does not save,
 * and then block 7 (page 28).  Rewriting a page of block 0 saves the whole block, until its turn comes.
 */
static void test_bplru_blocks_leave_whole(void **state)
{
	struct desk *d = desk_open("bplru", 4 * PAGE, "");

	(void)state;
	put_page(d, 2, 8);
	put_page(d, 9, 8);
	put_page(d, 0, 8);
	get_page(d, 9, 8);
	put_page(d, 28, 8);
	put_page(d, 20, 1);
	assert_page_noted(d, 0, WRITE_CALL, 9, 8);
	put_page(d, 2, 1);
	put_page(d, 9, 8);
	assert_page_noted(d, 1, WRITE_CALL, 28, 8);
	put_page(d, 24, 8);
	assert_page_noted(d, 2, WRITE_CALL, 20, 1);
	put_page(d, 30, 8);
	assert_int_equal(d->book.calls, 4);
	assert_page_noted(d, 3, WRITE_CALL, 0, 8);
	assert_page_noted(d, 4, WRITE_CALL, 2, 8);
	assert_int_equal(d->b->statistics.evictions, 4);
	desk_close(d);
}

/* Block 0 is written after block 1, whole and in order though not by whole pages, and leaves first. */
static void test_bplru_compensates_sequential_blocks(void **state)
{
	struct desk *d = desk_open("bplru", 5 * PAGE, "");

	(void)state;
	put_page(d, 4, 8);
	write_to(d->b, 0, 3);
	write_to(d->b, 3, 20);
	write_to(d->b, 20, 32);
	assert_true(statistic(d, "bplru.compensations") == 1);
	put_page(d, 8, 1);
	assert_noted(&d->book, 0, WRITE_CALL, 0, 32);
	desk_close(d);
}

/* A sector written twice, a gap, or a write after the last sector: the block is not sequential. */
static void test_bplru_order_is_broken(void **state)
{
	static const struct extent breaks[] = { { 4, 6 }, { 20, 21 } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct desk *d = desk_open("bplru", 5 * PAGE, "");

		put_page(d, 4, 8);
		write_to(d->b, 0, 6);
		if (i < 2)
			write_to(d->b, breaks[i].start, breaks[i].end);
		write_to(d->b, 6, 32);
		if (i == 2)
			write_to(d->b, 31, 32);
		assert_true(statistic(d, "bplru.compensations") == (i == 2));
		put_page(d, 8, 1);
		assert_page_noted(d, 0, WRITE_CALL, 4, 8);
		desk_close(d);
	}
}

/* Page 1 is in the buffer in part, and the FTL completes it; pages 0 and 3 are not in the buffer. */
static void test_bplru_pads(void **state)
{
	struct desk *d = desk_open("bplru", 2 * PAGE, "bplru.padding=true");

	(void)state;
	put_page(d, 2, 8);
	put_page(d, 1, 4);
	put_page(d, 8, 8);
	assert_int_equal(d->book.records, 4);
	assert_int_equal(d->book.calls, 1);
	assert_page_noted(d, 0, WRITE_CALL, 0, 0);
	assert_noted(&d->book, 1, WRITE_CALL, 8, 12);
	assert_noted(&d->book, 2, WRITE_CALL, 16, 24);
	assert_page_noted(d, 3, WRITE_CALL, 3, 0);
	desk_close(d);
}

/* ---- 2QW-Clock ---- */

/*
 * Room for 4 pages, the queue's share is one, two ghosts.  0 to 3 fill the queue.  4 evicts 0, which
 * comes back into the ring and evicts 1, and so on until the ring holds 0, 1 and 2 and the queue 4.  3 comes
 * back when the queue has its share: the hand takes 4 off each of the three and evicts 0.
 */
static void test_2qw_pages_that_come_back_stay(void **state)
{
	struct desk *d = desk_open("2qw-clock", 4 * PAGE, "");

	(void)state;
	for (lpn_t lpn = 0; lpn <= 4; lpn++)
		put_page(d, lpn, 8);
	for (lpn_t lpn = 0; lpn <= 3; lpn++)
		put_page(d, lpn, 8);
	assert_int_equal(d->book.calls, 5);
	for (lpn_t lpn = 0; lpn <= 3; lpn++)
		assert_page_noted(d, lpn, WRITE_CALL, lpn, 8);
	assert_page_noted(d, 4, WRITE_CALL, 0, 8);
	assert_true(statistic(d, "qw.ghost_hits") == 4);
	assert_true(statistic(d, "qw.queue_evictions") == 4);
	assert_true(statistic(d, "qw.ring_evictions") == 1);
	assert_true(statistic(d, "qw.hand_steps") == 12);

	/* The hand is at 1, whose weight comes from a read only; 2 and 3 were written. */
	get_page(d, 1, 8);
	put_page(d, 2, 1);
	put_page(d, 5, 8);
	assert_page_noted(d, 5, WRITE_CALL, 1, 8);
	assert_true(statistic(d, "qw.hand_steps") == 12 + 3);
	desk_close(d);
}

/* Page 0 came first and leaves first, though it was used again. */
static void test_2qw_a_use_in_the_queue_moves_nothing(void **state)
{
	struct desk *d = desk_open("2qw-clock", 4 * PAGE, "");

	(void)state;
	for (lpn_t lpn = 0; lpn < 4; lpn++)
		put_page(d, lpn, 8);
	put_page(d, 0, 8);
	get_page(d, 0, 8);
	put_page(d, 4, 1);
	assert_page_noted(d, 0, WRITE_CALL, 0, 8);
	desk_close(d);
}

/* Page 0 grows, and is itself evicted for that: it comes back into the ring with its new sectors only. */
static void test_2qw_a_page_may_drive_itself_out(void **state)
{
	struct desk *d = desk_open("2qw-clock", 2 * PAGE, "");

	(void)state;
	put_page(d, 0, 2);
	put_page(d, 1, 8);
	put_page(d, 2, 6);
	write_to(d->b, 4, 6);
	assert_int_equal(d->book.records, 1);
	assert_page_noted(d, 0, WRITE_CALL, 0, 2);
	assert_int_equal(buffer_node(d->b, buffer_find(d->b, 0))->stored, 0x30);
	assert_true(statistic(d, "qw.ghost_hits") == 1);
	desk_close(d);
}

/* A page enters by a read with less weight: of pages 1 to 3 in the ring the hand evicts 2, which was read,
 * first. */
static void test_2qw_reads_weigh_less(void **state)
{
	struct desk *d = desk_open("2qw-clock", 4 * PAGE, "qw.read_allocate=true");

	(void)state;
	for (lpn_t lpn = 1; lpn <= 5; lpn++)
		put_page(d, lpn, 8);
	put_page(d, 1, 8); /* a ghost: into the ring; 2 leaves */
	get_page(d, 2, 8); /* the same by a read; 3 leaves */
	put_page(d, 3, 8); /* the same; 4 leaves */
	clear(&d->book);
	put_page(d, 6, 8); /* the queue holds its share, 5: 1, 2 and 3 weigh 4, 1 and 4 */
	assert_int_equal(d->book.calls, 0);
	assert_int_equal(buffer_find(d->b, 2), NODE_NONE); /* clean: nothing to flush */
	assert_true(statistic(d, "qw.hand_steps") == 4);
	desk_close(d);
}

/* ---- clean first, most of a block, least often ---- */

/* Room for 4 pages, of which the older half is the window: 1 is clean and in it, 3 is clean and is not. */
static void test_cflru_clean_pages_of_the_window_leave_first(void **state)
{
	struct desk *d = desk_open("cflru", 4 * PAGE, "cflru.window=0.5");

	(void)state;
	put_page(d, 0, 8);
	get_page(d, 1, 8);
	put_page(d, 2, 8);
	get_page(d, 3, 8);
	clear(&d->book);
	put_page(d, 4, 8);
	assert_int_equal(d->book.calls, 0);
	assert_int_equal(buffer_find(d->b, 1), NODE_NONE);
	put_page(d, 5, 8); /* 0 and 2 are last now */
	assert_page_noted(d, 0, WRITE_CALL, 0, 8);
	write_to(d->b, 24, 25); /* 3 gets dirty, and clean by a trim */
	buffer_trim(d->b, (struct extent){ 24, 25 });
	put_page(d, 6, 2); /* 2 and 4 are last: 2 goes */
	put_page(d, 7, 8); /* 4 and 5 */
	assert_page_noted(d, 1, WRITE_CALL, 2, 8);
	assert_page_noted(d, 2, WRITE_CALL, 4, 8);
	put_page(d, 8, 8); /* 5 and 3, which is clean again */
	assert_int_equal(d->book.calls, 3);
	assert_int_equal(buffer_find(d->b, 3), NODE_NONE);
	desk_close(d);
}

/* Blocks 0 and 2 have two pages each, block 1 one: block 2 leaves, since block 0 was used after it. */
static void test_fab_the_fullest_block_leaves(void **state)
{
	struct desk *d = desk_open("fab", 5 * PAGE, "");

	(void)state;
	put_page(d, 0, 8);
	put_page(d, 8, 8);
	put_page(d, 4, 8);
	put_page(d, 3, 8);
	put_page(d, 9, 8);
	get_page(d, 0, 1);
	put_page(d, 16, 1);
	assert_int_equal(d->book.calls, 1);
	assert_noted(&d->book, 0, WRITE_CALL, 64, 80);
	put_page(d, 17, 8);
	put_page(d, 18, 7); /* block 4 has three */
	put_page(d, 30, 8);
	assert_noted(&d->book, 1, WRITE_CALL, 128, 129);
	assert_noted(&d->book, 2, WRITE_CALL, 136, 151);
	assert_int_equal(d->book.calls, 2);
	desk_close(d);
}

/* A request across a border leaves as one extent; a page that another one wrote since is not part of it. */
static void test_whole_requests_leave(void **state)
{
	struct desk *d = desk_open("whole", 4 * PAGE, "");

	(void)state;
	write_to(d->b, 4, 12);  /* pages 0 and 1 */
	write_to(d->b, 12, 20); /* pages 1 and 2: 1 is theirs now */
	put_page(d, 9, 8);
	put_page(d, 10, 8);
	put_page(d, 11, 4);
	assert_int_equal(d->book.calls, 1);
	assert_noted(&d->book, 0, WRITE_CALL, 4, 8);
	get_page(d, 1, 1); /* 2 is the oldest, and takes 1 with it */
	put_page(d, 12, 8);
	assert_int_equal(d->book.calls, 2);
	assert_noted(&d->book, 1, WRITE_CALL, 8, 20);
	desk_close(d);
}

/* Evicted: 2 pages of 8 sectors across a border; 2 of 10, 2 of 7 with a gap, 1 of 4. */
static void test_whole_counts_across_pages(void **state)
{
	struct desk *d = desk_open("whole", 4 * PAGE, "");
	uint64_t count[4];

	(void)state;
	write_to(d->b, 4, 12);
	write_to(d->b, 38, 48);
	write_to(d->b, 77, 85);
	buffer_trim(d->b, (struct extent){ 80, 81 });
	write_to(d->b, 96, 100);
	put_page(d, 20, 8);
	put_page(d, 22, 8);
	put_page(d, 24, 8);
	put_page(d, 26, 8);
	memcpy(count, (const char *)d->b->state + d->b->ops->count, sizeof count);
	assert_int_equal(d->book.calls, 4);
	assert_int_equal(count[0], 2);
	assert_int_equal(count[1], 8);
	assert_int_equal(count[2], 5);
	assert_int_equal(count[3], 10 + 7 + 4);
	desk_close(d);
}

static void test_lfu_the_least_used_page_leaves(void **state)
{
	struct desk *d = desk_open("lfu", 3 * PAGE, "");

	(void)state;
	put_page(d, 0, 8);
	put_page(d, 1, 8);
	put_page(d, 2, 8);
	get_page(d, 0, 1);
	put_page(d, 1, 1);
	put_page(d, 3, 8); /* 2 was never used */
	assert_page_noted(d, 0, WRITE_CALL, 2, 8);
	put_page(d, 4, 8); /* nor was 3 */
	assert_page_noted(d, 1, WRITE_CALL, 3, 8);
	get_page(d, 4, 8); /* once each: 0 was used before 1 and 4 */
	put_page(d, 5, 8);
	assert_page_noted(d, 2, WRITE_CALL, 0, 8);
	desk_close(d);
}

/* ---- MSAC ---- */

static struct desk *msac_open(uint32_t sectors, const char *options)
{
	return desk_open("msac", sectors, options);
}

/* Two half pages share one; a full page has no partner; 5 and 4 sectors do not fit in 8, under either
 * rule. */
static void test_msac_what_fits_shares_a_page(void **state)
{
	static const char *const rules[] = { "msac.rule=le", "msac.rule=eq" };
	static const struct {
		uint32_t tail, other;
		bool merged;
	} cases[] = { { 4, 4, true }, { 8, 4, false }, { 5, 4, false } };

	(void)state;
	for (int rule = 0; rule < 2; rule++)
		for (int i = 0; i < 3; i++) {
			struct desk *d = msac_open(2 * PAGE, rules[rule]);

			put_page(d, 7, cases[i].tail);
			put_page(d, 3, cases[i].other);
			put_page(d, 9, PAGE);
			assert_int_equal(d->book.calls, cases[i].tail + cases[i].other > PAGE);
			put_page(d, 10, PAGE);
			assert_true(d->book.record[0].kind == (cases[i].merged ? MERGED_CALL : WRITE_CALL));
			assert_true(statistic(d, "msac.msm_merges") == cases[i].merged);
			if (cases[i].merged)
				assert_page_noted(d, 1, MERGED_CALL, 7, 4);
			else
				assert_page_noted(d, 0, WRITE_CALL, 7, cases[i].tail);
			desk_close(d);
		}
}

/* The tail has 3 sectors, the pages after it 6, 5 and 2: 5 is the first that fits; then 2 fits no more. */
static void test_msac_the_first_that_fits(void **state)
{
	static const char *const options[] = { "", "msac.rule=eq", "msac.max_members=4" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct desk *d = msac_open(2 * PAGE, options[i]);

		put_page(d, 7, 3);
		put_page(d, 6, 6);
		put_page(d, 5, 5);
		put_page(d, 4, 2);
		put_page(d, 3, 1);
		assert_int_equal(d->book.calls, 1);
		assert_page_noted(d, 0, MERGED_CALL, 5, 5);
		assert_page_noted(d, 1, MERGED_CALL, 7, 3);
		desk_close(d);
	}
}

/* 1 sector, then 3, 5, 2, 2: with four members the 5 no longer fits, both 2 do. */
static void test_msac_as_many_as_fit(void **state)
{
	struct desk *d = msac_open(2 * PAGE, "msac.max_members=4");

	(void)state;
	put_page(d, 1, 1);
	put_page(d, 2, 3);
	put_page(d, 3, 5);
	put_page(d, 4, 2);
	put_page(d, 5, 2);
	put_page(d, 6, 8);
	assert_int_equal(d->book.calls, 1);
	assert_int_equal(d->book.records, 4);
	assert_page_noted(d, 0, MERGED_CALL, 1, 1);
	assert_page_noted(d, 1, MERGED_CALL, 2, 3);
	assert_page_noted(d, 2, MERGED_CALL, 4, 2);
	assert_page_noted(d, 3, MERGED_CALL, 5, 2);
	assert_true(statistic(d, "msac.msm_partners") == 3);
	desk_close(d);
}

/*
 * Room for 8 full pages, of which 2 are the area.  The oldest, 0, was used `uses` times and 1 `other`.
 * Returns the page that is evicted.
 */
static lpn_t who_leaves(const char *options, uint32_t uses, uint32_t other, double area)
{
	struct desk *d;
	char text[128];
	lpn_t gone;

	snprintf(text, sizeof text, "msac.area=%g %s", area, options);
	d = msac_open(8 * PAGE, text);
	put_page(d, 0, 8);
	for (uint32_t i = 0; i < uses; i++)
		get_page(d, 0, 1);
	put_page(d, 1, 8);
	for (uint32_t i = 0; i < other; i++)
		get_page(d, 1, 1);
	for (lpn_t lpn = 2; lpn < 9; lpn++)
		put_page(d, lpn, 8);
	assert_int_equal(d->book.calls, 1);
	gone = (lpn_t)(d->book.record[0].extent.start / PAGE);
	desk_close(d);
	return gone;
}

static void test_msac_a_colder_page_leaves_instead(void **state)
{
	(void)state;
	assert_int_equal(who_leaves("", 0, 0, 0.25), 0); /* cold */
	assert_int_equal(who_leaves("", 1, 0, 0.25), 1); /* warm, 1 is cold */
	assert_int_equal(who_leaves("", 3, 1, 0.25), 0); /* warm, none is cold */
	assert_int_equal(who_leaves("", 4, 3, 0.25), 1); /* hot, 1 is warm */
	assert_int_equal(who_leaves("", 5, 4, 0.25), 0); /* hot, 1 is, too */
	assert_int_equal(who_leaves("", 1, 1, 0.26), 2); /* the area is a page larger */
	assert_int_equal(who_leaves("", 4, 3, 0.26), 2); /* cold before warm */
	assert_int_equal(who_leaves("", 4, 0, 0), 0);    /* the area is never less than the oldest itself */
	assert_int_equal(who_leaves("msac.plti=false", 4, 0, 0.25), 0);
	assert_int_equal(who_leaves("msac.warm=2", 1, 0, 0.25), 0);
	assert_int_equal(who_leaves("msac.hot=3", 3, 1, 0.25), 1);
}

/* Room for 4 pages, 2 of them the area.  Page 0 is warm and spared, 1 is evicted; which pages after that? */
static void test_msac_exchange(void **state)
{
	static const struct {
		const char *options;
		lpn_t gone[4];
	} cases[] = {
		{ "msac.exchange=swap msac.decay=half", { 1, 0, 2, 3 } }, /* in the place of 1, and cold */
		{ "msac.exchange=swap msac.decay=one", { 1, 0, 2, 3 } },
		{ "msac.exchange=swap msac.decay=none", { 1, 2, 3, 4 } }, /* spared again and again */
		{ "msac.exchange=head msac.decay=half", { 1, 2, 3, 0 } }, /* newer than 3, and cold */
		{ "msac.exchange=head msac.decay=none", { 1, 2, 3, 4 } },
	};

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct desk *d = msac_open(4 * PAGE, cases[i].options);

		assert_true(params_set("msac.area=0.5", &d->group, 1, &(struct fault){ "" }));
		put_page(d, 0, 8);
		get_page(d, 0, 8);
		for (lpn_t lpn = 1; lpn < 8; lpn++)
			put_page(d, lpn, 8);
		for (int k = 0; k < 4; k++)
			assert_page_noted(d, (size_t)k, WRITE_CALL, cases[i].gone[k], 8);
		desk_close(d);
	}
}

/* Page 0 is full and warm; 1, of 5 sectors, leaves in its stead, with 2, of 3, if plti_merge is on. */
static void test_msac_merges_what_leaves_instead(void **state)
{
	(void)state;
	for (int merge = 0; merge < 2; merge++) {
		struct desk *d = msac_open(2 * PAGE,
			merge ? "msac.area=1 msac.plti_merge=true" : "msac.area=1 msac.plti_merge=false");

		put_page(d, 0, 8);
		get_page(d, 0, 8);
		put_page(d, 1, 5);
		put_page(d, 2, 3);
		put_page(d, 3, 1);
		assert_int_equal(d->book.records, 1 + merge);
		assert_page_noted(d, 0, merge ? MERGED_CALL : WRITE_CALL, 1, 5);
		assert_true(statistic(d, "msac.plti_cold") == 1);
		desk_close(d);
	}
}

/* ---- in front of an FTL ---- */

/*
 * Blocks of 8 pages of 16 sectors that hold data; room for two pages.  Pages 3 and 1, the latter in part, are
 * evicted by page 9.  With the six others read and written in their places a log block is full and in order,
 * and nothing has to be copied; page mapping does the same work without that gain.
 */
static void pad_a_block(const char *ftl, double switches)
{
	struct rig *rig;
	char settings[512];

	snprintf(settings, sizeof settings,
		ONE_PLANE
		"flash.order=ascending buffer=bplru bplru.padding=true dram.buffer_bytes=16K ftl=%s",
		ftl);
	rig = rig_with(settings);
	drive_place(rig->drive, (struct extent){ 0, 256 });
	stat_list_start(&rig->drive->statistics);
	rig_serve(rig, REQUEST_WRITE, 48, 64);
	rig_serve(rig, REQUEST_WRITE, 16, 20);
	rig_serve(rig, REQUEST_WRITE, 144, 160);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_PAD), 6);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_PAD), 6);
	assert_int_equal(rig_cost(rig, OP_READ, CAUSE_RMW), 1);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_HOST), 2);
	assert_int_equal(flash_total(rig->drive->flash, OP_PROGRAM), 8);
	if (switches)
		assert_true(statistic_in(&rig->drive->statistics, "log.merge.switch") == switches);
	rig_serve(rig, REQUEST_READ, 0, 256);
	rig_close(rig);
}

static void test_padded_blocks_are_switched(void **state)
{
	(void)state;
	pad_a_block("bast", 1);
	pad_a_block("block", 0);
	pad_a_block("page", 0);
	pad_a_block("mmap", 0);
}

/* The last block of the drive has fewer pages, and a page that was never written is not padded. */
static void test_what_is_not_there_is_not_padded(void **state)
{
	struct rig *rig = rig_with(ONE_PLANE
		"ftl=page buffer=bplru bplru.padding=true bplru.block_pages=128 dram.buffer_bytes=8K");

	(void)state;
	drive_place(rig->drive, (struct extent){ 190 * 16, 191 * 16 });
	rig_serve(rig, REQUEST_WRITE, 191 * 16, 192 * 16);
	rig_serve(rig, REQUEST_WRITE, 0, 16);
	assert_int_equal(rig_cost(rig, OP_PROGRAM, CAUSE_PAD), 1);
	assert_int_equal(flash_total(rig->drive->flash, OP_PROGRAM), 2);
	rig_close(rig);
}

/* ---- plain models ---- */

enum { MODEL_PAGES = 40, MODEL_BLOCKS = MODEL_PAGES / BLOCK };

/* `at` orders pages: by last use, by arrival, or by place in the ring. */
struct model_page {
	mask_t held, dirty;
	int64_t at, ghost; /* ghost: when it became one, 0 = it is none */
	uint32_t uses, weight;
	bool in_ring;
	uint64_t request; /* that wrote it last */
};

struct model_block {
	int64_t at;
	uint32_t cursor; /* PAGE * BLOCK + 1: out of order */
};

struct model {
	const char *policy;
	bool eq, swap, plti_merge;
	uint32_t members, decay;
	struct model_page page[MODEL_PAGES];
	struct model_block block[MODEL_BLOCKS];
	int64_t clock, before; /* `before`: of compensated blocks, falling */
	uint32_t capacity;
	uint64_t request;
	mask_t leaving[MODEL_PAGES];
	bool merging;
	struct notebook book;
};

static bool is(const struct model *m, const char *policy)
{
	return !strcmp(m->policy, policy);
}

static uint32_t model_used(const struct model *m)
{
	uint32_t used = 0;

	for (int i = 0; i < MODEL_PAGES; i++)
		used += mask_bits(m->page[i].held);
	return used;
}

static int model_pages(const struct model *m)
{
	int pages = 0;

	for (int i = 0; i < MODEL_PAGES; i++)
		pages += m->page[i].held != 0;
	return pages;
}

static int held_of_block(const struct model *m, int block)
{
	int held = 0;

	for (int i = 0; i < (int)BLOCK; i++)
		held += m->page[block * (int)BLOCK + i].held != 0;
	return held;
}

/* The first page in order after the moment `behind`, in the ring or not, except `but`; -1: none. */
static int next_in_order(const struct model *m, int64_t behind, bool in_ring, int but)
{
	int best = -1;

	for (int i = 0; i < MODEL_PAGES; i++)
		if (m->page[i].held && m->page[i].in_ring == in_ring && i != but && m->page[i].at > behind &&
			(best < 0 || m->page[i].at < m->page[best].at))
			best = i;
	return best;
}

static void block_written(struct model *m, int lpn, mask_t mask)
{
	struct model_block *block = &m->block[lpn / (int)BLOCK];
	uint32_t first = (uint32_t)lpn % BLOCK * PAGE + (uint32_t)__builtin_ctzll(mask);

	block->cursor = block->cursor == first ? first + mask_bits(mask) : PAGE * BLOCK + 1;
	block->at = block->cursor == PAGE * BLOCK ? --m->before : ++m->clock;
}

static void model_hit(struct model *m, int lpn, enum request_type type, mask_t mask)
{
	struct model_page *page = &m->page[lpn];
	uint32_t weight = type == REQUEST_WRITE ? 4 : 1;

	page->uses += page->uses < 255;
	if (is(m, "2qw-clock"))
		page->weight = page->in_ring && page->weight < weight ? weight : page->weight;
	else
		page->at = ++m->clock;
	if (is(m, "bplru") && type == REQUEST_WRITE)
		block_written(m, lpn, mask);
	if (is(m, "fab"))
		m->block[lpn / (int)BLOCK].at = ++m->clock;
}

static void model_inserted(struct model *m, int lpn, enum request_type type, mask_t mask)
{
	struct model_page *page = &m->page[lpn];

	page->at = ++m->clock;
	page->uses = page->weight = 0;
	page->in_ring = is(m, "2qw-clock") && page->ghost;
	if (page->in_ring)
		page->weight = type == REQUEST_WRITE ? 4 : 1;
	page->ghost = 0;
	if (held_of_block(m, lpn / (int)BLOCK) == 1)
		m->block[lpn / (int)BLOCK].cursor = 0;
	if (is(m, "bplru"))
		block_written(m, lpn, mask);
	if (is(m, "fab"))
		m->block[lpn / (int)BLOCK].at = ++m->clock;
}

/* ---- eviction ---- */

static void leave(struct model *m, int lpn)
{
	assert_true(lpn >= 0);
	m->leaving[lpn] = m->page[lpn].held;
}

/* Evicts the block with the most pages, or any if not `fullest`; among equals the oldest. */
static void evict_block(struct model *m, bool fullest)
{
	int best = -1;

	for (int i = 0; i < MODEL_BLOCKS; i++) {
		int more = best < 0 || !fullest ? 0 : held_of_block(m, i) - held_of_block(m, best);

		if (held_of_block(m, i) &&
			(best < 0 || more > 0 || (!more && m->block[i].at < m->block[best].at)))
			best = i;
	}
	for (int i = 0; i < (int)BLOCK; i++)
		leave(m, best * (int)BLOCK + i);
}

static void evict_least_used(struct model *m)
{
	int best = -1;

	for (int i = next_in_order(m, 0, false, -1); i >= 0; i = next_in_order(m, m->page[i].at, false, -1))
		if (best < 0 || m->page[i].uses < m->page[best].uses)
			best = i;
	leave(m, best);
}

static void evict_clean_first(struct model *m)
{
	int window = model_pages(m) / 4, i = next_in_order(m, 0, false, -1), oldest = i;

	for (; window--; i = next_in_order(m, m->page[i].at, false, -1))
		if (!m->page[i].dirty) {
			leave(m, i);
			return;
		}
	leave(m, oldest);
}

/* The oldest page, and its neighbours as far as they were last written by the same request. */
static void evict_request(struct model *m)
{
	int oldest = next_in_order(m, 0, false, -1), first = oldest, end = oldest + 1;
	uint64_t request = m->page[oldest].request;

	while (first && m->page[first - 1].held && m->page[first - 1].request == request)
		first--;
	while (end < MODEL_PAGES && m->page[end].held && m->page[end].request == request)
		end++;
	while (first < end)
		leave(m, first++);
}

static void add_ghost(struct model *m, int lpn)
{
	uint32_t most = m->capacity / 2 / PAGE, ghosts = 0;
	int oldest = lpn;

	m->page[lpn].ghost = ++m->clock;
	for (int i = 0; i < MODEL_PAGES; i++) {
		ghosts += m->page[i].ghost != 0;
		if (m->page[i].ghost && m->page[i].ghost < m->page[oldest].ghost)
			oldest = i;
	}
	if (ghosts > (most ? most : 1))
		m->page[oldest].ghost = 0;
}

static void evict_2qw(struct model *m)
{
	uint32_t queued = 0;
	int i;

	for (i = 0; i < MODEL_PAGES; i++)
		queued += m->page[i].in_ring ? 0 : mask_bits(m->page[i].held);
	if (next_in_order(m, 0, true, -1) < 0 || queued > m->capacity / 4) {
		i = next_in_order(m, 0, false, -1);
		add_ghost(m, i);
	} else {
		while (m->page[i = next_in_order(m, 0, true, -1)].weight) {
			m->page[i].weight--;
			m->page[i].at = ++m->clock;
		}
	}
	leave(m, i);
}

/* Merges the tail with the pages that fit, scanned from the oldest on.  False: none fits. */
static bool model_merge(struct model *m, int tail)
{
	uint32_t room = PAGE - mask_bits(m->page[tail].held), members = 1;

	if (!room)
		return false;
	for (int i = next_in_order(m, 0, false, tail); i >= 0 && members < m->members;
		i = next_in_order(m, m->page[i].at, false, tail)) {
		uint32_t size = mask_bits(m->page[i].held);

		if (size == PAGE || (m->eq ? size != room : size > room))
			continue;
		leave(m, i);
		room -= size;
		members++;
	}
	if (members > 1)
		leave(m, tail);
	m->merging |= members > 1;
	return members > 1;
}

static int temperature(const struct model *m, int lpn)
{
	return m->page[lpn].uses < 1 ? 0 : m->page[lpn].uses < 4 ? 1 : 2;
}

/* The first page of that temperature among the oldest quarter; -1: none. */
static int in_area(const struct model *m, int temp)
{
	int area = (model_pages(m) + 3) / 4;

	for (int i = next_in_order(m, 0, false, -1); area--; i = next_in_order(m, m->page[i].at, false, -1))
		if (temperature(m, i) == temp)
			return i;
	return -1;
}

static void evict_msac(struct model *m)
{
	int tail = next_in_order(m, 0, false, -1), own = temperature(m, tail), other = -1;

	if (model_merge(m, tail))
		return;
	if (own > 0)
		other = in_area(m, 0);
	if (own == 2 && other < 0)
		other = in_area(m, 1);
	if (other < 0) {
		leave(m, tail);
		return;
	}
	m->page[tail].at = m->swap ? m->page[other].at : ++m->clock;
	m->page[tail].uses -= m->decay == 0 ? (m->page[tail].uses + 1) / 2 : m->decay == 1;
	if (!m->plti_merge || !model_merge(m, other))
		leave(m, other);
}

/* All dirty sectors that leave, in one call. */
static void model_flush(struct model *m)
{
	struct extent run[MODEL_PAGES * PAGE] = { { 0 } };
	size_t n = 0;

	for (sector_t s = 0; s < MODEL_PAGES * PAGE; s++) {
		if (!(m->leaving[s / PAGE] & m->page[s / PAGE].dirty & (mask_t)1 << s % PAGE))
			continue;
		if (n && run[n - 1].end == s)
			run[n - 1].end++;
		else
			run[n++] = (struct extent){ s, s + 1 };
	}
	if (n)
		put(&m->book, m->merging ? MERGED_CALL : WRITE_CALL, run, n);
	for (int i = 0; i < MODEL_PAGES; i++)
		if (m->leaving[i])
			m->page[i].held = m->page[i].dirty = 0;
}

static void model_evict(struct model *m)
{
	memset(m->leaving, 0, sizeof m->leaving);
	m->merging = false;
	if (is(m, "bplru") || is(m, "fab"))
		evict_block(m, is(m, "fab"));
	else if (is(m, "lfu"))
		evict_least_used(m);
	else if (is(m, "whole"))
		evict_request(m);
	else if (is(m, "cflru"))
		evict_clean_first(m);
	else if (is(m, "2qw-clock"))
		evict_2qw(m);
	else if (is(m, "msac"))
		evict_msac(m);
	else
		leave(m, next_in_order(m, 0, false, -1));
	model_flush(m);
}

/* ---- requests ---- */

static void model_enter(struct model *m, int lpn, mask_t mask, enum request_type type)
{
	struct model_page *page = &m->page[lpn];
	bool is_new;

	while (model_used(m) + mask_bits(mask & ~page->held) > m->capacity)
		model_evict(m);
	is_new = !page->held;
	page->held |= mask;
	page->dirty |= type == REQUEST_WRITE ? mask : 0;
	if (is_new)
		model_inserted(m, lpn, type, mask);
}

static void model_write(struct model *m, struct extent e)
{
	m->request++;
	for (lpn_t lpn = (lpn_t)(e.start / PAGE); lpn <= (e.end - 1) / PAGE; lpn++) {
		mask_t mask = extent_mask(e, lpn, 3);

		if (m->page[lpn].held)
			model_hit(m, (int)lpn, REQUEST_WRITE, mask);
		m->page[lpn].request = m->request;
		model_enter(m, (int)lpn, mask, REQUEST_WRITE);
	}
}

static void model_read(struct model *m, struct extent e)
{
	lpn_t first = (lpn_t)(e.start / PAGE), last = (lpn_t)((e.end - 1) / PAGE);
	struct extent missing[64];
	mask_t absent[64];
	size_t n = 0;

	for (sector_t s = e.start; s < e.end; s++) {
		if (m->page[s / PAGE].held >> s % PAGE & 1)
			continue;
		if (n && missing[n - 1].end == s)
			missing[n - 1].end++;
		else
			missing[n++] = (struct extent){ s, s + 1 };
	}
	for (lpn_t lpn = first; lpn <= last; lpn++) {
		mask_t mask = extent_mask(e, lpn, 3);

		absent[lpn - first] = mask & ~m->page[lpn].held;
		if (mask & m->page[lpn].held)
			model_hit(m, (int)lpn, REQUEST_READ, mask);
	}
	if (n)
		put(&m->book, READ_CALL, missing, n);
	for (lpn_t lpn = first; lpn <= last && is(m, "cflru"); lpn++)
		if (absent[lpn - first])
			model_enter(m, (int)lpn, absent[lpn - first], REQUEST_READ);
}

/* A block that loses a page and keeps others counts as used, for FAB. */
static void model_trim(struct model *m, struct extent e)
{
	for (lpn_t lpn = (lpn_t)(e.start / PAGE); lpn <= (e.end - 1) / PAGE; lpn++) {
		struct model_page *page = &m->page[lpn];
		bool was = page->held;

		page->held &= ~extent_mask(e, lpn, 3);
		page->dirty &= page->held;
		if (was && !page->held && is(m, "fab"))
			m->block[lpn / BLOCK].at = ++m->clock;
	}
}

static void play_against_model(struct model *m, const char *options, struct random *random)
{
	struct desk *d = desk_open(m->policy, m->capacity, options);

	for (int step = 0; step < 6000; step++) {
		sector_t range = random_below(random, 3) ? MODEL_PAGES * PAGE : MODEL_PAGES * PAGE / 4;
		sector_t start = random_below(random, range - 20);
		struct extent e = { start,
			start + 1 + random_below(random, random_below(random, 2) ? 20 : 5) };
		uint64_t kind = random_below(random, 20);

		clear(&d->book);
		clear(&m->book);
		if (kind < 12) {
			buffer_write(d->b, e);
			model_write(m, e);
		} else if (kind < 19) {
			buffer_read(d->b, e);
			model_read(m, e);
		} else {
			buffer_trim(d->b, e);
			model_trim(m, e);
		}
		assert_same_notes(&d->book, &m->book, step);
		assert_int_equal(d->b->used, model_used(m));
		buffer_check(d->b);
	}
	desk_close(d);
}

static void test_policies_against_models(void **state)
{
	static const char *const policies[] = { "lru", "bplru", "2qw-clock", "cflru", "fab", "lfu", "whole" };
	static const uint32_t capacities[] = { 8, 11, 24, 80, 200, 400 };
	struct model *m = memory_array(1, sizeof *m, "model");
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 9);
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
		for (size_t k = 0; k < sizeof capacities / sizeof *capacities; k++) {
			*m = (struct model){ .policy = policies[i], .capacity = capacities[k] };
			play_against_model(m, "", &random);
		}
	memory_free(m);
}

/* Every way to merge and to exchange. */
static void test_msac_against_its_model(void **state)
{
	static const char *const decays[] = { "half", "one", "none" };
	struct model *m = memory_array(1, sizeof *m, "model");
	struct random random;
	char options[200];

	(void)state;
	random_init(&random, seed_of_run(), 10);
	for (unsigned i = 0; i < 48; i++) {
		*m = (struct model){ .policy = "msac",
			.capacity = 40 + 40 * (i % 5),
			.eq = i & 1,
			.swap = i >> 1 & 1,
			.plti_merge = i >> 2 & 1,
			.members = i & 8 ? 5 : 2,
			.decay = i / 16 };
		snprintf(options, sizeof options,
			"msac.rule=%s msac.exchange=%s msac.plti_merge=%s msac.max_members=%u msac.decay=%s",
			m->eq ? "eq" : "le", m->swap ? "swap" : "head", m->plti_merge ? "true" : "false",
			m->members, decays[m->decay]);
		play_against_model(m, options, &random);
	}
	memory_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bplru_blocks_leave_whole),
		cmocka_unit_test(test_bplru_compensates_sequential_blocks),
		cmocka_unit_test(test_bplru_order_is_broken),
		cmocka_unit_test(test_bplru_pads),
		cmocka_unit_test(test_2qw_pages_that_come_back_stay),
		cmocka_unit_test(test_2qw_a_use_in_the_queue_moves_nothing),
		cmocka_unit_test(test_2qw_a_page_may_drive_itself_out),
		cmocka_unit_test(test_2qw_reads_weigh_less),
		cmocka_unit_test(test_cflru_clean_pages_of_the_window_leave_first),
		cmocka_unit_test(test_fab_the_fullest_block_leaves),
		cmocka_unit_test(test_whole_requests_leave),
		cmocka_unit_test(test_whole_counts_across_pages),
		cmocka_unit_test(test_lfu_the_least_used_page_leaves),
		cmocka_unit_test(test_msac_what_fits_shares_a_page),
		cmocka_unit_test(test_msac_the_first_that_fits),
		cmocka_unit_test(test_msac_as_many_as_fit),
		cmocka_unit_test(test_msac_a_colder_page_leaves_instead),
		cmocka_unit_test(test_msac_exchange),
		cmocka_unit_test(test_msac_merges_what_leaves_instead),
		cmocka_unit_test(test_padded_blocks_are_switched),
		cmocka_unit_test(test_what_is_not_there_is_not_padded),
		cmocka_unit_test(test_policies_against_models),
		cmocka_unit_test(test_msac_against_its_model),
	};

	return cmocka_run_group_tests_name("buffer policies", tests, NULL, NULL);
}
