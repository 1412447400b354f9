/*
 * Every quirk of SSDsim, kept and repaired: what it does to a drive small enough to follow by hand,
 * and what the repaired engine does instead.
 *
 * Times, unless a test says otherwise (ns): command 7 cycles of 25 = 175; a sector on the bus
 * 512 * 25 = 12800, a page of 4 sectors 51200; sensing 20000, programming 200000, erasing 1500000.
 * A page write holds the channel for 51375 and its chip for 200000 more; a page read answers after
 * 175 + 20000 + 51200 = 71375.
 */
#include "tests/legacy_bench.h"

#define WRITE_NS 51375
#define READ_NS  71375
#define BUSY_NS  (WRITE_NS + 200000) /* until the chip takes the next command */
#define MOVE_NS  (14 * 25 + 20000 + 200000)
#define ERASE_NS 1500000

/* One plane of 4 blocks of 4 pages of 4 sectors, no buffer, no advanced commands. */
#define DRIVE                                                                                                \
	"channel number = 1\nchip number = 1\nchip number[0] = 1\ndie number = 1\nplane number = 1\n"        \
	"block number = 4\npage number = 4\nsubpage page = 4\nsubpage capacity = 512\n"                      \
	"t_PROG = 200000\nt_DBSY = 50\nt_BERS = 1500000\nt_WC = 25\nt_R = 20000\nt_WB = 100\n"               \
	"t_RC = 25\noverprovide = 0.1\n"

static void both_sides(const char *parameters, const char *trace, enum quirk quirk, struct bench *kept,
	struct bench *repaired)
{
	bench_run(kept, parameters, trace, 0);
	bench_run(repaired, parameters, trace, QUIRK_BIT(quirk));
	assert_int_equal(kept->end, LEGACY_DONE);
	assert_int_equal(repaired->end, LEGACY_DONE);
}

/* Block 0 receives page 1, then page 0 three times: two valid pages, ppn 0 and 3.  The write at 4 ms falls
 * below the threshold (11 free pages of 16 < 0.7 * 16) and asks for a collection, which can start when
 * the chip is idle again, at 4 ms + BUSY_NS.  It moves the pages to ppn 5 and 6, both of the other parity. */
#define FILL_A_BLOCK "0 0 4 4 0\n1000000 0 0 4 0\n2000000 0 0 4 0\n3000000 0 0 4 0\n4000000 0 8 4 0\n"
#define COLLECTION   (4000000 + BUSY_NS)
#define TRANSFER_NS  (8 * 512 * 50) /* 8 sectors out and in */

static void test_q2_collection_takes_no_time(void **state)
{
	struct bench kept, repaired;
	long long idle = COLLECTION + 2 * MOVE_NS + TRANSFER_NS + ERASE_NS;

	(void)state;
	both_sides(DRIVE "advanced command = 2\ngc hard threshold = 0.7\n",
		FILL_A_BLOCK "4252375 0 12 4 0\n90000000 0 0 4 0", Q2_FREE_COLLECTION, &kept, &repaired);
	assert_int_equal(kept.row[5].response, 4252375 + WRITE_NS);
	assert_int_equal(repaired.row[5].response, idle + WRITE_NS);
	assert_int_equal((int)bench_value(&kept, "copy back count"), 0);
	assert_int_equal((int)bench_value(&repaired, "copy back count"), 0);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Page 1 is buffered, page 0 is not.  SSDsim tests the buffered page for all eight sectors. */
static void test_q3_read_cursor(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "dram capacity = 8192\n", "1000 0 4 4 0\n2000000 0 0 8 1\n9000000 0 0 4 0",
		Q3_READ_CURSOR, &kept, &repaired);
	assert_int_equal(kept.row[1].response, 2000000 + 1000);
	assert_int_equal((int)bench_value(&kept, "buffer read hits"), 8);
	assert_int_equal(repaired.row[1].response, 2000000 + READ_NS);
	assert_int_equal((int)bench_value(&repaired, "buffer read hits"), 4);
	assert_int_equal((int)bench_value(&repaired, "buffer read miss"), 4);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Offsets 5 and up never hit. */
static void test_q3_high_offsets(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "dram capacity = 8192\nsubpage page = 8\n",
		"1000 0 0 8 0\n2000000 0 0 8 1\n9000000 0 0 4 0", Q3_READ_CURSOR, &kept, &repaired);
	assert_int_equal((int)bench_value(&kept, "buffer read hits"), 5);
	assert_int_equal((int)bench_value(&kept, "buffer read miss"), 3);
	assert_int_equal(kept.row[1].response, 2000000 + 175 + 20000 + 3 * 12800);
	assert_int_equal((int)bench_value(&repaired, "buffer read hits"), 8);
	assert_int_equal(repaired.row[1].response, 2000000 + 1000);
	bench_free(&kept);
	bench_free(&repaired);
}

/* The second write waits outside the drive until the first one is answered. */
static void test_q4_time_goes_back(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "queue_length = 1\n", "1000 0 0 4 0\n1010 0 4 4 0\n9000000 0 0 4 0",
		Q4_TIME_GOES_BACK, &kept, &repaired);
	assert_int_equal(kept.row[1].begin, 1010);
	assert_int_equal(kept.row[1].response, 1000 + BUSY_NS + WRITE_NS);
	assert_int_equal(repaired.row[1].begin, 1000 + WRITE_NS);
	assert_int_equal(repaired.row[1].response, 1000 + BUSY_NS + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

/* A collection that takes no time leaves no event behind: the write that waited sleeps until the next
 * arrival. */
static void test_q5_waiting_work_sleeps(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "advanced command = 2\ngc hard threshold = 0.7\n",
		FILL_A_BLOCK "4100000 0 12 4 0\n90000000 0 12 4 0\n99000000 0 0 4 0", Q5_QUEUE_LIMIT_IGNORED,
		&kept, &repaired);
	assert_int_equal(repaired.row[5].response, COLLECTION + WRITE_NS);
	assert_int_equal(kept.row[5].response, 90000000 + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

/* The queue limit holds only while an event is pending. */
static void test_q5_queue_limit(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "advanced command = 2\ngc hard threshold = 0.7\nqueue_length = 1\n",
		FILL_A_BLOCK "4100000 0 12 4 0\n90000000 0 12 4 0\n99000000 0 0 4 0", Q5_QUEUE_LIMIT_IGNORED,
		&kept, &repaired);
	assert_int_equal(kept.row[5].response, 90000000 + WRITE_NS);
	assert_int_equal(kept.row[6].begin, 90000000);
	assert_int_equal(repaired.row[5].response, COLLECTION + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Sectors 0-2 are on flash, the write brings 2 and 3: needed are 0 and 1, SSDsim fetches 0, 1 and 3. */
static void test_q6_update_read(void **state)
{
	struct bench kept, repaired;
	long long write = 175 + 2 * 12800;

	(void)state;
	both_sides(DRIVE, "1000 0 0 3 0\n1000000 0 2 2 0\n9000000 0 0 4 0", Q6_UPDATE_READ_TWICE, &kept,
		&repaired);
	assert_int_equal(kept.row[1].response, 1000000 + 175 + 20000 + 3 * 12800 + write);
	assert_int_equal((int)bench_value(&kept, "read count"), 2);
	assert_int_equal(repaired.row[1].response, 1000000 + 175 + 20000 + 2 * 12800 + write);
	assert_int_equal((int)bench_value(&repaired, "read count"), 1);
	assert_int_equal(
		(int)bench_value(&repaired, "the read operation leaded by un-covered update count"), 1);
	bench_free(&kept);
	bench_free(&repaired);
}

static void test_q7_last_line(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE, "1000 0 4 4 0\n9000000 0 8 4 0", Q7_END_OF_TRACE, &kept, &repaired);
	assert_int_equal(kept.rows, 1);
	assert_int_equal((int)bench_value(&kept, "max lsn"), 8);
	assert_int_equal(repaired.rows, 2);
	bench_free(&kept);
	bench_free(&repaired);
	both_sides(DRIVE, "1000 0 4 4 0\n9000000 0 8 4 0\n", Q7_END_OF_TRACE, &kept, &repaired);
	assert_int_equal(kept.rows, 2);
	assert_int_equal((int)bench_value(&kept, "min lsn"), 0);
	assert_int_equal((int)bench_value(&repaired, "min lsn"), 4);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Two chips; every write asks for a collection of its plane.  The second write could go to the idle chip at
 * once, but the collection that waits for the busy one holds the channel. */
static void test_q10_collection_blocks_channel(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "chip number = 2\nchip number[0] = 2\ngc hard threshold = 1.0\n",
		"0 0 0 4 0\n60000 0 4 4 0\n1000000 0 8 4 0\n9000000 0 0 4 0\n19000000 0 0 4 0",
		Q10_COLLECTION_BLOCKS_CHANNEL, &kept, &repaired);
	assert_int_equal(kept.row[1].response, 1000000 + WRITE_NS);
	assert_int_equal(repaired.row[1].response, 60000 + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Static allocation: the waiting write goes before the collection. */
static void test_q11_collection_starves(void **state)
{
	struct bench kept, repaired;
	long long collected = COLLECTION + 2 * MOVE_NS + TRANSFER_NS + ERASE_NS;

	(void)state;
	both_sides(DRIVE "allocation = 1\ngc hard threshold = 0.7\n",
		FILL_A_BLOCK "4001000 0 12 4 0\n90000000 0 0 4 0\n99000000 0 0 4 0", Q11_COLLECTION_STARVES,
		&kept, &repaired);
	assert_int_equal(kept.row[5].response, COLLECTION + WRITE_NS);
	assert_int_equal(repaired.row[5].response, collected + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Two dies with interleave could take both pages in one command; SSDsim's first command takes one. */
static void test_q12_first_issue(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "die number = 2\nadvanced command = 8\n", "1000 0 0 8 0\n9000000 0 0 4 0",
		Q12_FIRST_ISSUE_GATE, &kept, &repaired);
	assert_int_equal(kept.row[0].response, 1000 + BUSY_NS + WRITE_NS);
	assert_int_equal((int)bench_value(&kept, "interleave count"), 0);
	assert_int_equal(repaired.row[0].response, 1000 + 2 * WRITE_NS);
	assert_int_equal((int)bench_value(&repaired, "interleave count"), 1);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Two-plane commands on one-plane dies: the second command would take two writes and never goes out. */
static void test_q13_one_plane(void **state)
{
	static const char parameters[] = DRIVE "die number = 2\nadvanced command = 4\n";
	static const char trace[] = "1000 0 0 12 0\n9000000 0 0 4 0";
	struct bench b;

	(void)state;
	bench_run(&b, parameters, trace, 0);
	assert_int_equal(b.end, LEGACY_REFUSED);
	assert_non_null(strstr(b.fault.text, "Q13"));
	bench_run(&b, parameters, trace, QUIRK_BIT(Q13_ONE_PLANE_LIVELOCK));
	assert_int_equal(b.end, LEGACY_DONE);
	assert_int_equal(b.row[0].response, 1000 + 2 * BUSY_NS + WRITE_NS);
	bench_free(&b);
}

/* Three blocks aged to 4 of 8 pages leave 20 pages free.  The first write (19 free < 0.61 * 32) has block 1
 * collected: 4 pages are freed, SSDsim counts 8 and so collects nothing when 19 pages are free again. */
static void test_q14_overcounted(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "page number = 8\naged = 1\naged ratio = 0.3\ngc hard threshold = 0.61\n",
		"0 0 0 4 0\n10000000 0 4 4 0\n20000000 0 8 4 0\n30000000 0 12 4 0\n40000000 0 16 4 0\n"
		"50000000 0 20 4 0\n90000000 0 0 4 0",
		Q14_FREE_PAGES_OVERCOUNTED, &kept, &repaired);
	assert_int_equal((int)bench_value(&kept, "erase count"), 1);
	assert_int_equal((int)bench_value(&repaired, "erase count"), 2);
	bench_free(&kept);
	bench_free(&repaired);
}

/* A buffer of 8 sectors holds one sector of page 0 (all of it on flash) and page 1.  Page 2 needs one more
 * sector: page 0 leaves, its write grows to 4 sectors by the update read, and SSDsim believes 4 to be free.
 * So page 3 lacks one sector in SSDsim's count and four in truth. */
static void test_q15_count_wraps(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "allocation = 1\ndram capacity = 4096\n",
		"0 0 0 4 1\n1000000 0 0 1 0\n2000000 0 4 4 0\n3000000 0 8 4 0\n4000000 0 12 4 0\n90000000 0 "
		"0 4 0",
		Q15_BUFFER_COUNT_WRAPS, &kept, &repaired);
	assert_int_equal((int)bench_value(&kept, "buffer write miss"), 1 + 1);
	assert_int_equal((int)bench_value(&repaired, "buffer write miss"), 1 + 4);
	bench_free(&kept);
	bench_free(&repaired);
}

/* When the second write comes, none is complete yet: the first one's size is forgotten. */
static void test_q17_mean_size(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(
		DRIVE, "1000 0 0 1 0\n1010 0 4 3 0\n9000000 0 0 4 0", Q17_SINGLE_PRECISION, &kept, &repaired);
	assert_float_equal(bench_value(&kept, "write request average size"), 3, 1e-9);
	assert_float_equal(bench_value(&repaired, "write request average size"), 2, 1e-9);
	bench_free(&kept);
	bench_free(&repaired);
}

static void test_q19_duplicate_read(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE, "5000 0 0 4 1\n5010 0 0 4 1\n9000000 0 0 4 0", Q19_FREE_DUPLICATE_READ, &kept,
		&repaired);
	assert_int_equal(kept.row[0].response, 5010 + 1000);
	assert_int_equal(kept.row[0].arrival, 5010);
	assert_int_equal(kept.row[1].response, 5000 + READ_NS);
	assert_int_equal(repaired.row[0].response, 5000 + READ_NS);
	assert_int_equal(repaired.row[1].response, 5000 + READ_NS);
	assert_int_equal((int)bench_value(&repaired, "read count"), 1);
	bench_free(&kept);
	bench_free(&repaired);
}

static void test_q22_erase_labels(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "chip number = 2\nchip number[0] = 2\nplane number = 2\n",
		"1000 0 0 4 0\n9000000 0 0 4 0", Q22_CHIP_0_STATISTICS, &kept, &repaired);
	assert_non_null(
		legacy_statistics_find(&kept.statistics, "the 0 channel, 0 chip, 1 die, 4 plane has"));
	assert_null(legacy_statistics_find(&kept.statistics, "the 0 channel, 1 chip, 0 die, 1 plane has"));
	assert_non_null(
		legacy_statistics_find(&repaired.statistics, "the 0 channel, 1 chip, 0 die, 1 plane has"));
	assert_null(
		legacy_statistics_find(&repaired.statistics, "the 0 channel, 0 chip, 1 die, 4 plane has"));
	bench_free(&kept);
	bench_free(&repaired);
}

/* 12 of 16 pages are exported.  The write covers half of page 11 and half of the next: page 12, or page 0,
 * which is on flash as a whole. */
static void test_q29_wrap(void **state)
{
	struct bench kept, repaired;
	static const char label[] = "the read operation leaded by un-covered update count";

	(void)state;
	both_sides(DRIVE "overprovide = 0.25\n", "1000 0 0 4 1\n1000000 0 46 4 0\n9000000 0 0 4 0",
		Q29_REQUEST_NOT_WRAPPED, &kept, &repaired);
	assert_int_equal((int)bench_value(&kept, label), 0);
	assert_int_equal((int)bench_value(&repaired, label), 1);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Page 1 is written whole, then one sector of it.  The collection moves page 1 with 1 sector (repaired: 4),
 * and page 2 with 4. */
static void test_q30_mask_of_last_write(void **state)
{
	struct bench kept, repaired;
	long long idle = COLLECTION + 2 * MOVE_NS + ERASE_NS;

	(void)state;
	both_sides(DRIVE "gc hard threshold = 0.7\n",
		"0 0 4 4 0\n1000000 0 4 1 0\n2000000 0 8 4 0\n3000000 0 8 4 0\n4000000 0 12 4 0\n"
		"4300000 0 12 4 0\n90000000 0 0 4 0",
		Q30_MASK_OF_LAST_WRITE, &kept, &repaired);
	assert_int_equal(kept.row[5].response, idle + 5 * 512 * 50 + WRITE_NS);
	assert_int_equal(repaired.row[5].response, idle + 8 * 512 * 50 + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

/* Two dies of 16 pages; 12 writes of one page.  SSDsim puts all on die 0, which falls below half, while
 * six on each would leave both above. */
static void test_q32_die_skew(void **state)
{
	struct bench kept, repaired;
	char trace[512];
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		used += (size_t)snprintf(trace + used, sizeof trace - used, "%d000000 0 0 4 0\n", 10 * i);
	snprintf(trace + used, sizeof trace - used, "900000000 0 0 4 0");
	both_sides(DRIVE "die number = 2\nadvanced command = 8\ngc hard threshold = 0.5\n", trace,
		Q32_DIE_SKEW, &kept, &repaired);
	assert_true(bench_value(&kept, "erase count") >= 1);
	assert_int_equal((int)bench_value(&repaired, "erase count"), 0);
	bench_free(&kept);
	bench_free(&repaired);
}

/* A write of three pages, each of which asks for a collection that finds nothing to do.  It still
 * costs the turn, and no event follows: the second page waits for the arrival at 1 ms, the third for that
 * at 2 ms. */
#define THREE_PAGES "0 0 0 12 0\n1000000 0 36 4 0\n2000000 0 40 4 0\n9000000 0 0 4 0\n19000000 0 0 4 0"

static void check_three_pages(enum quirk quirk)
{
	struct bench kept, repaired;

	both_sides(DRIVE "gc hard threshold = 1.0\n", THREE_PAGES, quirk, &kept, &repaired);
	assert_int_equal(kept.row[0].response, 2000000 + WRITE_NS);
	assert_int_equal(repaired.row[0].response, 2 * BUSY_NS + WRITE_NS);
	bench_free(&kept);
	bench_free(&repaired);
}

static void test_q33_request_per_page(void **state)
{
	(void)state;
	check_three_pages(Q33_REQUEST_PER_PAGE);
}

static void test_q34_one_pass(void **state)
{
	(void)state;
	check_three_pages(Q34_ONE_PASS_PER_EVENT);
}

/* One die, two planes, interleave alone: of two waiting writes only one goes, and is counted as interleaved
 * all the same.  Three pages: the first alone (Q12), the second out of two, the third out of one. */
static void test_interleave_of_one_die(void **state)
{
	struct bench b;

	(void)state;
	bench_run(&b, DRIVE "plane number = 2\nadvanced command = 8\n", "1000 0 0 12 0\n9000000 0 0 4 0", 0);
	assert_int_equal(b.row[0].response, 1000 + 2 * BUSY_NS + WRITE_NS);
	assert_int_equal((int)bench_value(&b, "interleave count"), 1);
	bench_free(&b);
}

/* ---- quirks SSDsim does not survive ---- */

/* Pages of 12 sectors, two to a word of the table; a read of five pages has (5 * 12) / 32 + 1 = 2 words, so
 * that the fifth page is forgotten. */
static void test_q1_forgotten_page(void **state)
{
	struct bench kept, repaired;

	(void)state;
	both_sides(DRIVE "dram capacity = 8192\nsubpage page = 12\n", "1000 0 0 59 1\n90000000 0 0 4 0",
		Q1_READ_PAST_TABLE, &kept, &repaired);
	assert_int_equal((int)bench_value(&kept, "read count"), 4);
	assert_int_equal((int)bench_value(&repaired, "read count"), 5);
	assert_int_equal(kept.result.noted[Q1_READ_PAST_TABLE], 1);
	bench_free(&kept);
	bench_free(&repaired);
}

/* A page beyond the last one does no harm as long as it stays in the buffer. */
static void test_page_beyond_the_drive(void **state)
{
	static const char parameters[] = DRIVE "overprovide = 0\ndram capacity = 8192\n";
	struct bench b;

	(void)state;
	bench_run(&b, parameters, "0 0 62 4 0\n9000000 0 0 4 0", 0);
	assert_int_equal(b.end, LEGACY_DONE);
	bench_free(&b);
	bench_run(&b, parameters, "0 0 62 4 0\n1000 0 0 16 0\n9000000 0 0 4 0", 0);
	assert_int_equal(b.end, LEGACY_REFUSED);
	assert_non_null(strstr(b.fault.text, "Q29"));
}

/* The first page goes alone (Q12) and moves the die's token to plane 1; the next command takes planes 2 and 3
 * of 3. */
static void test_q35_plane_past_the_last(void **state)
{
	static const char parameters[] =
		DRIVE "plane number = 3\nadvanced command = 4\ngreed MPW command = 1\n",
			  trace[] = "1000 0 0 12 0\n90000000 0 0 4 0";
	struct bench b;

	(void)state;
	bench_run(&b, parameters, trace, 0);
	assert_int_equal(b.end, LEGACY_DIED);
	assert_non_null(strstr(
		b.fault.text, "behind the last: SSDsim crashes, hangs or reads behind a table here (Q35)"));
	bench_free(&b);
	bench_run(&b, parameters, trace, QUIRK_BIT(Q35_PLANE_PAST_THE_LAST));
	assert_int_equal(b.end, LEGACY_DONE);
	assert_int_equal((int)bench_value(&b, "multi-plane program count"), 1);
	bench_free(&b);
}

static void check_refused(const char *parameters, const char *trace, const char *quirk)
{
	struct bench b;

	bench_run(&b, parameters, trace, 0);
	assert_int_equal(b.end, LEGACY_REFUSED);
	if (!strstr(b.fault.text, quirk))
		print_message("%s\n", b.fault.text);
	assert_non_null(strstr(b.fault.text, quirk));
	assert_null(strchr(b.fault.text, '\n'));
}

static void test_refused(void **state)
{
	static const char trace[] = "0 0 0 4 0\n9000000 0 0 4 0";

	(void)state;
	check_refused(DRIVE "channel number = 2\nchip number[1] = 2\n", trace, "Q18");
	check_refused(DRIVE "aged = 1\naged ratio = 0.8\n", trace, "Q21");
	check_refused(DRIVE "allocation = 1\nstatic_allocation = 6\n", trace, "Q24");
	check_refused(DRIVE "dram capacity = 1024\n", trace, "Q25");
	check_refused(DRIVE, "0 0 0 0 0\n9000000 0 0 4 0", ":1: size is 0");
	check_refused(DRIVE "block number = 16777216\npage number = 64\n", trace, "Q28");
	check_refused(DRIVE "overprovide = 0\n", "0 0 62 4 0\n9000000 0 0 4 0", "Q29");
	check_refused(DRIVE "channel number = 0\n", trace, "channel number");
	check_refused(DRIVE, "0 0 0 4\n", ":1: operation is missing");
	check_refused(DRIVE, "0 0 0 4 0\n5 0 -1 4 0\n", ":2: first sector -1 is negative");
	check_refused(DRIVE, "0 0 0 4 7\n", "operation");
}

static void check_noted(const char *parameters, const char *trace, enum quirk quirk, size_t rows)
{
	struct bench b;

	bench_run(&b, parameters, trace, 0);
	assert_int_equal(b.end, LEGACY_DONE);
	assert_int_equal(b.rows, rows);
	assert_true(b.result.noted[quirk] > 0);
	bench_free(&b);
}

static void test_survived(void **state)
{
	(void)state;
	/* 65 pages: the last one is page 64 of its block */
	check_noted(DRIVE "page number = 128\n", "0 0 0 260 0\n900000000 0 0 4 0", Q8_PAGE_64, 1);
	check_noted(DRIVE "subpage page = 32\n", "0 0 0 32 0\n1000000 0 0 32 1\n900000000 0 0 4 0",
		Q16_PAGE_OF_32, 2);
	check_noted(DRIVE, "0 0 0 4 0\n9000000 0 0 4 0", Q23_EMPTY_AVERAGE, 1);
	check_noted(DRIVE "dram capacity = 8192\nsubpage page = 16\n",
		"0 0 0 16 1\n1000 0 0 4 0\n90000000 0 0 4 0", Q1_READ_PAST_TABLE, 2);
	check_noted(DRIVE, "0 0 0 4 0\n1 0 0 4 1\n2 0 0 4 0\n", Q7_END_OF_TRACE, 3);
}

/* With 32 sectors a page the masks work: a read of a written page comes from flash whole. */
static void test_page_of_32(void **state)
{
	struct bench b;

	(void)state;
	bench_run(&b, DRIVE "subpage page = 32\n", "1000 0 0 32 0\n1000000 0 0 32 1\n900000000 0 0 4 0", 0);
	assert_int_equal(b.row[0].response, 1000 + 175 + 32 * 12800);
	assert_int_equal(b.row[1].response, 1000000 + 175 + 20000 + 32 * 12800);
	bench_free(&b);
}

/* A full drive ends the run, and the results say so: static allocation loses writes, dynamic crashes. */
static void test_full_drive(void **state)
{
	static const char trace[] = "0 0 0 56 0\n10000000 0 0 32 0\n90000000 0 0 4 0";
	struct bench b;

	(void)state;
	bench_run(&b, DRIVE, trace, 0);
	assert_int_equal(b.end, LEGACY_DIED);
	assert_non_null(strstr(b.fault.text, "Q9"));
	assert_true(b.statistics.early_end);
	assert_int_equal(b.rows, 1);
	bench_free(&b);
	bench_run(&b, DRIVE "allocation = 1\n", trace, 0);
	assert_int_equal(b.end, LEGACY_DONE);
	assert_int_equal(b.rows, 2);
	assert_int_equal(b.result.noted[Q9_NO_FREE_PAGE], 14 + 8 - 16);
	assert_int_equal((int)bench_value(&b, "program count"), 16);
	bench_free(&b);
}

/* ---- lists of quirks ---- */

static void test_lists(void **state)
{
	quirk_set set;
	struct fault fault;

	(void)state;
	assert_true(quirk_set_parse(&set, "Q2,6", &fault));
	assert_true(set == (QUIRK_BIT(Q2_FREE_COLLECTION) | QUIRK_BIT(Q6_UPDATE_READ_TWICE)));
	assert_true(quirk_set_parse(&set, "all,-q32", &fault));
	assert_true(set == (quirk_set_all() & ~QUIRK_BIT(Q32_DIE_SKEW)));
	assert_false(quirk_set_parse(&set, "", &fault));
	assert_false(quirk_set_parse(&set, "Q2,", &fault));
	assert_false(quirk_set_parse(&set, "Q36", &fault));
	assert_non_null(strstr(fault.text, "did you mean Q3?"));
	assert_false(quirk_set_parse(&set, "Q0", &fault));
	assert_false(quirk_set_parse(&set, "Q2x", &fault));
	assert_false(quirk_set_parse(&set, "Q8", &fault));
	assert_non_null(strstr(fault.text, "nothing to repair"));
	for (enum quirk q = 1; q < QUIRKS; q++) {
		assert_int_equal(atoi(quirk_row(q)->name + 1), q);
		assert_true(quirk_row(q)->kind == QUIRK_SURVIVED || quirk_row(q)->repairable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_q2_collection_takes_no_time),
		cmocka_unit_test(test_q3_read_cursor),
		cmocka_unit_test(test_q3_high_offsets),
		cmocka_unit_test(test_q4_time_goes_back),
		cmocka_unit_test(test_q5_waiting_work_sleeps),
		cmocka_unit_test(test_q5_queue_limit),
		cmocka_unit_test(test_q6_update_read),
		cmocka_unit_test(test_q7_last_line),
		cmocka_unit_test(test_q10_collection_blocks_channel),
		cmocka_unit_test(test_q11_collection_starves),
		cmocka_unit_test(test_q12_first_issue),
		cmocka_unit_test(test_q13_one_plane),
		cmocka_unit_test(test_q14_overcounted),
		cmocka_unit_test(test_q15_count_wraps),
		cmocka_unit_test(test_q17_mean_size),
		cmocka_unit_test(test_q19_duplicate_read),
		cmocka_unit_test(test_q22_erase_labels),
		cmocka_unit_test(test_q29_wrap),
		cmocka_unit_test(test_q30_mask_of_last_write),
		cmocka_unit_test(test_q32_die_skew),
		cmocka_unit_test(test_q33_request_per_page),
		cmocka_unit_test(test_q34_one_pass),
		cmocka_unit_test(test_interleave_of_one_die),
		cmocka_unit_test(test_q1_forgotten_page),
		cmocka_unit_test(test_q35_plane_past_the_last),
		cmocka_unit_test(test_page_beyond_the_drive),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_survived),
		cmocka_unit_test(test_page_of_32),
		cmocka_unit_test(test_full_drive),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
