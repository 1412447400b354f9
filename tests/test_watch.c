/* Requests by hand (-L). */
#include "tests/program_fixture.h"

/* One plane of tiny.cfg, whose pages have 4 sectors. */
#define PLANE "-s precondition.premap=none -s flash.channels=1 -s flash.planes=1 parameters/tiny.cfg"

/* Pages 0 to 3 fill block 0, of which three die: the collection moves page 3 and erases it, and is no request. */
static void test_a_collection_by_hand(void **state)
{
	struct world *w = *state;

	ssd(w, "run --verify -L w0+4,w0+2,w2,gc,r3,=r2.1+2 " PLANE);
	assert_status(w, DONE, "run -L");
	assert_int_equal(value_of(w, "run.requests"), 5);
	assert_int_equal(value_of(w, "run.served"), 5);
	assert_int_equal(value_of(w, "gc.collections"), 1);
	assert_int_equal(value_of(w, "gc.moved_pages"), 1);
	assert_int_equal(value_of(w, "flash.erase.gc"), 1);
	assert_int_equal(value_of(w, "request.read.bytes"), 2048 + 1024);
	/* The last two arrive together, 400 ms after the first, and share the die. */
	assert_true(value_of(w, "run.simulated_ns") > 400000000);
	assert_true(value_of(w, "run.simulated_ns") < 400100000);
}

/* Where nothing is dead nothing is won, and nothing happens. */
static void test_a_collection_that_wins_nothing(void **state)
{
	struct world *w = *state;

	ssd(w, "run --verify --explain 2 -L w0+4,gc " PLANE);
	assert_status(w, DONE, "run -L");
	assert_int_equal(value_of(w, "gc.collections"), 0);
	assert_true(says(w, "no block can be reclaimed: each would cost as many pages as it frees"));
}

/* A page is one of the drive; of no drive, 4 KB. */
static void test_lists_wherever_a_trace_is_taken(void **state)
{
	struct world *w = *state;

	ssd(w, "trace convert --to spc -L w1,=r2.1+3,gc,t4");
	assert_status(w, USER, "trace convert -L"); /* this format knows no trims */
	ssd(w, "trace convert --to spc -L w1,=r2.1+3,gc,r4");
	assert_status(w, DONE, "trace convert -L");
	assert_string_equal(
		w->out, "0,8,4096,W,0.000000000\n0,17,1536,R,0.000000000\n0,32,4096,R,0.200000000\n");
	ssd(w, "trace stat -L w1,gc,r4");
	assert_int_equal(value_of(w, "trace.requests"), 2);
	assert_int_equal(value_of(w, "trace.dropped_events"), 1);
	put_text(w, "my.list", "# by hand\nw1\n=r2.1+3\n");
	ssd(w, "run -s precondition.mode=trace -s precondition.trace=@/my.list "
	       "-s precondition.used=0.5 -L w5 parameters/tiny.cfg");
	assert_status(w, DONE, "run -L");
	assert_int_equal(value_of(w, "run.requests"), 1);
	assert_int_equal(value_of(w, "precondition.replayed"), 2);
}

static void test_mistakes_in_lists(void **state)
{
	static const struct mistake mistakes[] = {
		{ "run -q -L w0,x1 parameters/tiny.cfg",
			"w0,x1:2: \"x1\" should begin with r, w or t, or be gc" },
		{ "run -q -L '' parameters/tiny.cfg", "has no request in list format" },
		{ "run -q -L w0,gc -s ftl=block -s flash.order=ascending parameters/tiny.cfg",
			"w0,gc:2: gc: ftl = block has no collector that could be asked to collect" },
		{ "run -q -L w0 parameters/tiny.cfg uniform", "3 operands are given" },
		{ "run -q -L w0 -s workload.seed=1 parameters/tiny.cfg", "only profiles have settings" },
	};

	assert_mistakes(*state, mistakes, COUNT(mistakes));
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_a_collection_by_hand),
		TEST(test_a_collection_that_wins_nothing), TEST(test_lists_wherever_a_trace_is_taken),
		TEST(test_mistakes_in_lists) };

	return cmocka_run_group_tests_name("seeing a drive", tests, NULL, NULL);
}
