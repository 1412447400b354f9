/* Learned segments (ftl/demand/segments.h): lines and levels worked by hand. */
#include "base/random.h"
#include "ftl/demand/segments.h"
#include "tests/drive_fixture.h"

struct bed {
	struct segments segments;
	struct learner learner;
};

static void open_bed(struct bed *b, uint32_t gamma)
{
	*b = (struct bed){ .segments = { 0 } };
	learner_init(&b->learner, gamma);
}

static void close_bed(struct bed *b)
{
	segments_check(&b->segments, b->learner.gamma);
	segments_release(&b->segments);
	learner_release(&b->learner);
}

/* Pages x, in consecutive places from y on. */
static void learn(struct bed *b, const uint8_t *x, uint32_t count, ppn_t y)
{
	struct point point[GROUP_PAGES];

	for (uint32_t i = 0; i < count; i++)
		point[i] = (struct point){ x[i], y + i };
	segments_learn(&b->segments, &b->learner, point, count);
	segments_check(&b->segments, b->learner.gamma);
}

/* Pages from .. to. */
static void learn_run(struct bed *b, unsigned from, unsigned to, ppn_t y)
{
	uint8_t x[GROUP_PAGES];

	for (unsigned i = from; i <= to; i++)
		x[i - from] = (uint8_t)i;
	learn(b, x, to - from + 1, y);
}

struct expected {
	uint8_t first, last;
	uint16_t slope;
	uint8_t stride;
	uint32_t pages, intercept, level;
};

static void assert_segments(const struct bed *b, const struct expected *e, uint32_t count)
{
	assert_int_equal(b->segments.used, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct segment *s = &b->segments.segment[i];

		if (s->first != e[i].first || s->last != e[i].last || s->slope != e[i].slope ||
			s->stride != e[i].stride || s->level != e[i].level ||
			(e[i].pages && segment_pages(&b->segments, s) != e[i].pages) ||
			(e[i].intercept && s->intercept != e[i].intercept))
			fail_msg(
				"segment %u: pages %u to %u (%u), slope %u, intercept %u, %u apart, level %u",
				i, s->first, s->last, segment_pages(&b->segments, s), s->slope, s->intercept,
				s->stride, s->level);
	}
}

/* Runs with distances 1, 2, 3, 5 and 9, and others between them. */
static const uint8_t scattered[] = { 0, 1, 2, 3, 8, 10, 12, 14, 20, 23, 25, 30, 31, 40, 41 };

static void test_lines_without_a_miss(void **state)
{
	static const struct expected e[] = { { 0, 3, 16384, 1, 4, 0, 0 }, { 8, 14, 8192, 2, 4, 0, 0 },
		{ 20, 23, 5461, 3, 2, 0, 0 }, { 25, 30, 3277, 5, 2, 0, 0 }, { 31, 40, 1820, 9, 2, 0, 0 },
		{ 41, 41, 0, 1, 1, 1014, 0 } };
	struct bed b;

	(void)state;
	open_bed(&b, 0);
	learn(&b, scattered, 15, 1000);
	assert_segments(&b, e, 6);
	assert_int_equal(segments_bytes(&b.segments), 4 + 6 * 8);
	assert_int_equal(segments_released_bytes(&b.segments), 4 + 5 * 8 + 5);
	close_bed(&b);
}

static void test_lines_that_miss_by_one(void **state)
{
	static const struct expected e[] = { { 0, 3, 16384, 1, 4, 0, 0 }, { 8, 31, 5710, 0, 9, 1001, 0 },
		{ 40, 41, 16384, 1, 2, 0, 0 } };
	struct bed b;

	(void)state;
	open_bed(&b, 1);
	learn(&b, scattered, 15, 1000);
	assert_segments(&b, e, 3);
	assert_int_equal(segments_bytes(&b.segments), 4 + 3 * 8 + 9 + 1);
	/* 8, 10, 12, 14, 20, 23, 25, 30 and 31: its presence changes 14 times. */
	assert_int_equal(segments_released_bytes(&b.segments), 4 + 3 * 8 + 14);
	close_bed(&b);
}

static void test_one_line_that_misses_by_four(void **state)
{
	static const struct expected e = { 0, 41, 5596, 0, 15, 1000, 0 };
	struct bed b;

	(void)state;
	open_bed(&b, 4);
	learn(&b, scattered, 15, 1000);
	assert_segments(&b, &e, 1);
	close_bed(&b);
}

/* A third is not a multiple of 2^-14: over 64 pages it is near enough. */
static void test_a_slope_is_rounded(void **state)
{
	static const struct expected e = { 5, 194, 5461, 3, 64, 638, 0 };
	uint8_t x[64];
	struct bed b;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		x[i] = (uint8_t)(5 + 3 * i);
	open_bed(&b, 0);
	learn(&b, x, 64, 640);
	assert_segments(&b, &e, 1);
	close_bed(&b);
}

/* 1/95 is rounded down to 172: after two distances of 95 the line is at 1 instead of 2.  The third page is in
 * another segment; with gamma 1 it is in the same, approximate one. */
static void test_a_rounded_slope_may_miss(void **state)
{
	static const uint8_t x[] = { 48, 143, 238 };
	static const struct expected two[] = { { 48, 143, 172, 95, 2, 0, 0 }, { 238, 238, 0, 1, 1, 12, 0 } },
				     one = { 48, 238, 172, 0, 3, 0, 0 };
	struct bed b;

	(void)state;
	open_bed(&b, 0);
	learn(&b, x, 3, 10);
	assert_segments(&b, two, 2);
	close_bed(&b);
	open_bed(&b, 1);
	learn(&b, x, 3, 10);
	assert_segments(&b, &one, 1);
	close_bed(&b);
}

/* Places that are not consecutive are never on one line, whatever gamma is. */
static void test_places_must_be_consecutive(void **state)
{
	static const struct point points[] = { { 0, 10 }, { 1, 11 }, { 2, 20 }, { 3, 21 } };
	struct bed b;

	(void)state;
	open_bed(&b, 16);
	segments_learn(&b.segments, &b.learner, points, 4);
	assert_int_equal(b.segments.used, 2);
	assert_int_equal(b.segments.segment[1].first, 2);
	close_bed(&b);
}

static void test_levels(void **state)
{
	static const struct expected two[] = { { 90, 110, 16384, 1, 0, 0, 0 },
		{ 200, 255, 16384, 1, 0, 0, 0 }, { 0, 255, 16384, 1, 256, 0, 1 } };
	static const struct expected four[] = { { 0, 89, 16384, 1, 0, 0, 0 }, { 90, 110, 16384, 1, 0, 0, 0 },
		{ 111, 199, 16384, 1, 0, 0, 0 }, { 200, 255, 16384, 1, 0, 0, 0 } };
	const struct segment *s;
	uint32_t levels;
	struct bed b;

	(void)state;
	open_bed(&b, 0);
	learn_run(&b, 0, 255, 1000);
	assert_int_equal(segments_bytes(&b.segments), 12);
	learn_run(&b, 100, 100, 5000);
	assert_int_equal(segments_bytes(&b.segments), 20);
	assert_int_equal(segment_predict(segments_find(&b.segments, 100, &levels), 100), 5000);
	assert_int_equal(levels, 1);
	assert_int_equal(segment_predict(segments_find(&b.segments, 101, &levels), 101), 1101);
	assert_int_equal(levels, 2);
	learn_run(&b, 200, 255, 6000);
	assert_int_equal(segments_bytes(&b.segments), 28);
	learn_run(&b, 90, 110, 7000); /* nothing is left of the one for page 100 */
	assert_int_equal(segments_bytes(&b.segments), 28);
	assert_segments(&b, two, 3);
	segments_compact(&b.segments);
	assert_int_equal(segments_bytes(&b.segments), 28);
	assert_int_equal(b.segments.segment[2].last, 199);
	assert_int_equal(segment_pages(&b.segments, &b.segments.segment[2]), 200);
	learn_run(&b, 0, 89, 8000);
	learn_run(&b, 111, 199, 9000);
	assert_int_equal(segments_bytes(&b.segments), 44);
	assert_int_equal(segments_levels(&b.segments), 2);
	segments_compact(&b.segments);
	assert_segments(&b, four, 4);
	s = segments_find(&b.segments, 199, &levels);
	assert_int_equal(segment_predict(s, 199), 9000 + 88);
	close_bed(&b);
}

/*
 * {0-9} leaves level 0 for level 1 when {5} is learned. {2-7} replaces {5}, and {0-7} replaces {2-7}.
 * Then {3, 9} is learned: {0-7} leaves level 0 for a level in between, as it overlaps {0-9}.
 */
static void test_a_level_in_between(void **state)
{
	static const uint8_t ends[] = { 3, 9 };
	static const struct expected e[] = { { 3, 9, 2731, 6, 2, 0, 0 }, { 0, 7, 16384, 1, 8, 0, 1 },
		{ 0, 9, 16384, 1, 10, 0, 2 } };
	uint32_t levels;
	struct bed b;

	(void)state;
	open_bed(&b, 0);
	learn_run(&b, 0, 9, 100);
	learn_run(&b, 5, 5, 200);
	learn_run(&b, 2, 7, 300);
	learn_run(&b, 0, 7, 400);
	assert_int_equal(segments_levels(&b.segments), 2);
	learn(&b, ends, 2, 500);
	assert_segments(&b, e, 3);
	assert_int_equal(segment_predict(segments_find(&b.segments, 4, &levels), 4), 404);
	assert_int_equal(levels, 2);
	assert_int_equal(segment_predict(segments_find(&b.segments, 8, &levels), 8), 108);
	assert_int_equal(levels, 3);
	assert_null(segments_find(&b.segments, 10, &levels));
	assert_int_equal(levels, 3);
	close_bed(&b);
}

/* {0,2,4,6,8} is below {1,3,5,7}, and that below {3,8}: compaction takes page 8 from the lowest,
 * although that shares no page with the level in between. */
static void test_two_levels_down(void **state)
{
	static const uint8_t even[] = { 0, 2, 4, 6, 8 }, odd[] = { 1, 3, 5, 7 }, both[] = { 3, 8 };
	const struct segment *s;
	struct bed b;

	(void)state;
	open_bed(&b, 0);
	learn(&b, even, 5, 100);
	learn(&b, odd, 4, 200);
	learn(&b, both, 2, 300);
	assert_int_equal(b.segments.used, 3);
	segments_compact(&b.segments);
	assert_int_equal(b.segments.used, 3);
	s = &b.segments.segment[2];
	assert_int_equal(s->level, 2);
	assert_int_equal(s->first, 0);
	assert_int_equal(s->last, 6);
	assert_int_equal(b.segments.segment[1].last, 7);
	close_bed(&b);
}

/* An approximate segment lists its pages, and so can lose pages in its middle, too. */
static void test_a_list_loses_pages(void **state)
{
	uint32_t levels;
	struct bed b;

	(void)state;
	open_bed(&b, 4);
	learn(&b, scattered, 15, 1000);
	learn_run(&b, 10, 12, 2000);
	assert_int_equal(b.segments.segment[1].level, 1);
	assert_int_equal(segment_pages(&b.segments, &b.segments.segment[1]), 13);
	assert_int_equal(segments_bytes(&b.segments), 4 + 8 + 8 + 14);
	assert_null(segments_find(&b.segments, 9, &levels));
	close_bed(&b);
}

/* Any history: each page is found where it was learned last, within gamma, before and after a compaction. */
static void test_pages_are_where_they_were_learned(void **state)
{
	static const uint32_t gammas[] = { 0, 1, 4, 16 };
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 9);
	for (unsigned run = 0; run < 40; run++) {
		uint32_t gamma = gammas[run % 4], levels;
		ppn_t next = 0, at[GROUP_PAGES] = { 0 };
		bool known[GROUP_PAGES] = { false };
		struct bed b;

		open_bed(&b, gamma);
		for (unsigned step = 0; step < 200; step++) {
			struct point point[GROUP_PAGES];
			uint32_t count = 0, every = 1 + (uint32_t)random_below(&random, 12);

			for (unsigned x = (unsigned)random_below(&random, GROUP_PAGES); x < GROUP_PAGES;
				x += 1 + (unsigned)random_below(&random, every)) {
				next += 1 + !random_below(&random, 20);
				at[x] = next;
				known[x] = true;
				point[count++] = (struct point){ (uint8_t)x, next };
			}
			segments_learn(&b.segments, &b.learner, point, count);
			if (!random_below(&random, 20))
				segments_compact(&b.segments);
			segments_check(&b.segments, gamma);
			for (unsigned x = 0; x < GROUP_PAGES; x++) {
				const struct segment *s = segments_find(&b.segments, (uint8_t)x, &levels);

				if (!known[x])
					continue;
				assert_non_null(s);
				assert_true(segment_predict(s, (uint8_t)x) + gamma >= at[x]);
				assert_true(segment_predict(s, (uint8_t)x) <= at[x] + gamma);
				assert_true(!s->stride || segment_predict(s, (uint8_t)x) == at[x]);
			}
		}
		close_bed(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_without_a_miss),
		cmocka_unit_test(test_lines_that_miss_by_one),
		cmocka_unit_test(test_one_line_that_misses_by_four),
		cmocka_unit_test(test_a_slope_is_rounded),
		cmocka_unit_test(test_a_rounded_slope_may_miss),
		cmocka_unit_test(test_places_must_be_consecutive),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_a_level_in_between),
		cmocka_unit_test(test_two_levels_down),
		cmocka_unit_test(test_a_list_loses_pages),
		cmocka_unit_test(test_pages_are_where_they_were_learned),
	};

	return cmocka_run_group_tests_name("segments", tests, NULL, NULL);
}
