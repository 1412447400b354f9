/*
 * The small traces that ship: each runs verified, with the command traces/README.md gives, and shows the
 * effect it is there for, by comparison with a run in which the effect is absent.
 */
#include "tests/program_fixture.h"

/* What a run printed. */
struct outcome {
	char text[32768];
};

/* Runs a sample on the drive of 4 MB of the README, every sector verified. */
static struct outcome simulate(struct world *w, const char *sample, const char *options)
{
	struct outcome o;
	char arguments[512];

	snprintf(arguments, sizeof arguments,
		"run --verify -s flash.blocks=128 %s parameters/tiny.cfg traces/samples/%s.trace", options,
		sample);
	ssd(w, arguments);
	assert_status(w, DONE, arguments);
	assert_true(snprintf(o.text, sizeof o.text, "%s", w->out) < (int)sizeof o.text);
	return o;
}

/* The value of a line "name = value". */
static double statistic(const struct outcome *o, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = o->text; line; line = strchr(line, '\n'), line += line != NULL)
		if (!strncmp(line, name, length) && !strncmp(line + length, " = ", 3))
			return strtod(line + length + 3, NULL);
	fail_msg("no statistic %s", name);
	return 0;
}

static double run_statistic(struct world *w, const char *sample, const char *options, const char *name)
{
	struct outcome o = simulate(w, sample, options);

	return statistic(&o, name);
}

static void every_request_is_served_and_verified(void **state)
{
	struct world *w = *state;
	static const struct {
		const char *sample;
		double requests;
	} samples[] = { { "sequential", 6000 }, { "random", 6000 }, { "hot-cold", 6000 },
		{ "collection", 8000 }, { "bus", 3000 }, { "partial", 4000 }, { "across", 4000 } };

	for (size_t i = 0; i < COUNT(samples); i++) {
		struct outcome o = simulate(w, samples[i].sample, "");

		assert_true(statistic(&o, "run.verified") == 1);
		assert_true(statistic(&o, "run.requests") == samples[i].requests);
		assert_true(statistic(&o, "run.served") == samples[i].requests);
	}
}

/* The same number of writes, over and over the same space: only random ones leave live pages behind. */
static void random_writes_cost_copies(void **state)
{
	struct world *w = *state;
	struct outcome sequential = simulate(w, "sequential", ""), random = simulate(w, "random", "");

	assert_true(statistic(&sequential, "flash.program.host") == statistic(&random, "flash.program.host"));
	assert_true(statistic(&sequential, "gc.collections") > 0);
	assert_true(statistic(&sequential, "flash.copy.total") == 0);
	assert_true(statistic(&random, "flash.copy.total") > 0);
	assert_true(statistic(&random, "waf") > statistic(&sequential, "waf"));
}

/* Hot blocks become invalid by themselves, given time, which FIFO does not give them. */
static void hot_places_cost_fewer_copies(void **state)
{
	struct world *w = *state;
	double alike = run_statistic(w, "random", "", "flash.copy.total");
	double hot = run_statistic(w, "hot-cold", "", "flash.copy.total");
	double hot_in_turn = run_statistic(w, "hot-cold", "-s gc.policy=fifo", "flash.copy.total");

	assert_true(hot < alike / 10);
	assert_true(hot_in_turn > 2 * hot);
}

/* The cost of collection depends on the policy and on spare space (a quarter more blocks). */
static void collection_depends_on_policy_and_space(void **state)
{
	struct world *w = *state;
	double greedy = run_statistic(w, "collection", "", "waf");
	double fifo = run_statistic(w, "collection", "-s gc.policy=fifo", "waf");
	double roomy = run_statistic(w, "collection", "-s flash.blocks=160", "waf");
	double ideal = run_statistic(w, "collection", "-s ftl=direct", "waf");

	assert_true(fifo > greedy);
	assert_true(roomy < greedy);
	assert_true(ideal < roomy);
}

/*
 * A read takes 8 pages of 2 KB.  On two channels each of two dies reads and sends four in turn, 4 x (10 +
 * 5.12) us; on one channel the second die waits for one transfer more.  At 150 MB/s a read needs 8 x 13.653
 * = 109.227 us of a bus that gets one every 100 us, so that the k-th read waits k x 9.227 us.
 */
static void bus_is_the_bottleneck(void **state)
{
	struct world *w = *state;
	static const char one_channel[] = "-s flash.channels=1 -s flash.chips=2";
	static const char slow_bus[] = "-s flash.channels=1 -s flash.chips=2 -s flash.bus_mb_per_s=150";
	static const char name[] = "request.read.latency_mean_ns";
	double queued = 2999 / 2.0 * (8 * 2048 / 0.15 - 100000);
	double slow = run_statistic(w, "bus", slow_bus, name);

	assert_true(run_statistic(w, "bus", "", name) == 60480);
	assert_true(run_statistic(w, "bus", one_channel, name) == 65600);
	assert_true(slow > queued && slow < queued + 200000);
}

/* Writes smaller than a page read what they do not cover; whole pages and the ideal device never do. */
static void partial_writes_read_first(void **state)
{
	struct world *w = *state;
	static const char name[] = "flash.read.rmw";

	assert_true(run_statistic(w, "partial", "", name) > 0);
	assert_true(run_statistic(w, "partial", "-s ftl=direct", name) == 0);
	assert_true(run_statistic(w, "random", "", name) == 0);
	assert_true(run_statistic(w, "partial", "", "request.write.latency_mean_ns") >
		    run_statistic(w, "partial", "-s ftl=direct", "request.write.latency_mean_ns"));
}

/* A page's worth of data over a page border costs two programs, or one of Across-FTL's areas. */
static void across_writes_cost_two_programs(void **state)
{
	struct world *w = *state;
	struct outcome page = simulate(w, "across", ""), across = simulate(w, "across", "-s ftl=across");
	double writes = statistic(&page, "request.write.count");

	assert_true(statistic(&page, "flash.program.host") == 2 * writes);
	assert_true(statistic(&across, "flash.program.host") == writes);
	assert_true(statistic(&page, "flash.read.rmw") > 0);
	assert_true(statistic(&across, "flash.read.rmw") == 0);
	assert_true(statistic(&across, "waf") < statistic(&page, "waf"));
}

/* Every profile fits the drive of parameters/class.cfg, and shows the effects of its requests: reads find
 * data, writes of parts of pages read the rest. */
static void every_profile_fits_the_class_drive(void **state)
{
	static const char *const only_read[] = { "ranges", "web", "websearch" };
	struct world *w = *state;
	char line[256], *list, *name;

	ssd(w, "list profiles");
	list = memory_string(w->out, "profiles");
	for (name = strtok(strchr(list, '\n'), "\n"); name; name = strtok(NULL, "\n")) {
		bool writes = true, whole = !strncmp(name + 2, "sequential", 10);

		name[2 + strcspn(name + 2, " ")] = 0;
		for (size_t i = 0; i < COUNT(only_read); i++)
			writes &= strcmp(name + 2, only_read[i]) != 0;
		snprintf(line, sizeof line, "run --verify -s trace.limit=1500 parameters/class.cfg %s",
			name + 2);
		ssd(w, line);
		assert_status(w, DONE, line);
		assert_int_equal(value_of(w, "run.folded"), 0);
		assert_int_equal(value_of(w, "run.served"), value_of(w, "run.requests"));
		assert_int_equal(value_of(w, "map.unmapped_reads"), 0);
		if (value_of(w, "request.read.count"))
			assert_true(value_of(w, "flash.read.host") > 0);
		assert_true((value_of(w, "flash.read.rmw") > 0) == (writes && !whole));
	}
	memory_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_profile_fits_the_class_drive),
		TEST(every_request_is_served_and_verified),
		TEST(random_writes_cost_copies),
		TEST(hot_places_cost_fewer_copies),
		TEST(collection_depends_on_policy_and_space),
		TEST(bus_is_the_bottleneck),
		TEST(partial_writes_read_first),
		TEST(across_writes_cost_two_programs),
	};

	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
