/*
 * Random drives serving random traces, as SSDsim would and with quirks repaired at random: every run must
 * end, with results or a reason, and what it wrote must add up.  The engine checks its own state at the end
 * of each run (legacy/check.c).  Runs without repairs that end must give the very rows and statistics of a
 * model that follows the rules one by one (tests/legacy_model.h).
 *
 * SEED=... repeats one run, RUNS=... does more of them.
 */
#include "tests/legacy_bench.h"
#include "tests/legacy_model.h"

#include "base/memory.h"
#include "base/random.h"

#define LINES      400
#define FILE_BYTES (1 << 20)
#define CALM_LINES 20
#define LINE_BYTES 64

struct text {
	char *bytes;
	size_t used, room;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->used += (size_t)vsnprintf(t->bytes + t->used, t->room - t->used, format, args);
	va_end(args);
	assert_true(t->used < t->room);
}

static unsigned pick(struct random *r, const unsigned *from, unsigned count)
{
	return from[random_below(r, count)];
}

#define PICK(r, ...)                                                                                         \
	pick(r, (const unsigned[]){ __VA_ARGS__ },                                                           \
		sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

/* Writes a drive; returns its sectors. */
static unsigned random_drive(struct random *r, struct text *t)
{
	unsigned channels = PICK(r, 1, 2, 3, 5), chips = PICK(r, 1, 2, 3), dies = PICK(r, 1, 2, 3, 4);
	unsigned planes = PICK(r, 1, 2, 3, 4), blocks = PICK(r, 4, 8, 16, 20),
		 pages = PICK(r, 4, 7, 8, 16, 64, 65);
	unsigned sectors = PICK(r, 1, 2, 3, 4, 8, 16, 32);

	add(t, "channel number = %u\nchip number = %u\n", channels, channels * chips);
	for (unsigned c = 0; c < channels; c++)
		add(t, "chip number[%u] = %u\n", c, chips);
	add(t, "die number = %u\nplane number = %u\nblock number = %u\npage number = %u\nsubpage page = %u\n",
		dies, planes, blocks, pages, sectors);
	add(t, "subpage capacity = 512\nt_PROG = 200000\nt_DBSY = 50\nt_BERS = 1500000\nt_WC = 25\nt_R = "
	       "20000\n"
	       "t_WB = 100\nt_RC = 25\noverprovide = 0.1\n");
	return channels * chips * dies * planes * blocks * pages * sectors;
}

static void random_policy(struct random *r, struct text *t)
{
	add(t, "allocation = %u\nstatic_allocation = %u\ndynamic_allocation = %u\n", PICK(r, 0, 0, 1),
		PICK(r, 0, 1, 2, 3, 4, 5), PICK(r, 0, 0, 1));
	add(t, "advanced command = %u\nadvanced command priority2 = %u\n", PICK(r, 0, 2, 4, 6, 8, 10, 12, 31),
		PICK(r, 0, 1));
	add(t, "greed CB command = %u\ngreed MPW command = %u\nactive write = %u\n", PICK(r, 0, 0, 1),
		PICK(r, 0, 1), PICK(r, 0, 0, 0, 1));
	add(t, "dram capacity = %u\nqueue_length = %u\n", PICK(r, 0, 0, 2048, 16384, 131074),
		PICK(r, 0, 1, 2, 5, 20));
	add(t, "aged = %u\naged ratio = 0.%u\ngc hard threshold = 0.%u\n", PICK(r, 0, 1), PICK(r, 3, 5, 7),
		PICK(r, 1, 3, 5));
}

/* Random requests; `calm`: then single ones, long after, which wake sleeping writes (Q5).  The last one is on
 * the line that SSDsim never simulates (Q7). */
static void random_trace(struct random *r, struct text *t, unsigned sectors, bool calm)
{
	unsigned lines = PICK(r, 1, 10, 100, LINES), gap = PICK(r, 1, 1000, 100000, 3000000);
	unsigned most = sectors / 4 < 64 ? sectors / 4 : 64,
		 range = (unsigned)(sectors * random_unit(r) * 0.9) / PICK(r, 1, 1, 50) + 1;
	uint64_t time = random_below(r, 2) * 1000;

	for (unsigned i = 0; i < lines; i++) {
		time += random_below(r, 2 * gap);
		add(t, "%s%llu 0 %u %u %u", i ? "\n" : "", (unsigned long long)time,
			(unsigned)random_below(r, range), 1 + (unsigned)random_below(r, most),
			(unsigned)random_below(r, 2));
	}
	if (!calm && random_below(r, 2))
		add(t, "\n");
	for (unsigned i = 0; calm && i < CALM_LINES; i++)
		add(t, "\n%llu 0 %u 1 1", (unsigned long long)(time += 1000000000000), i % sectors);
}

static quirk_set random_quirks(struct random *r)
{
	switch (random_below(r, 3)) {
	case 0:
		return 0;
	case 1:
		return quirk_set_all();
	default:
		return quirk_set_all() & random_next(r);
	}
}

/* Counts the rows of ex.out and checks the arithmetic of each. */
static unsigned count_rows(const struct bench *b)
{
	char path[128], line[256];
	unsigned rows = 0;
	FILE *file;

	bench_path(b, "ex.out", path, sizeof path);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		long long arrival, begin, response, process;
		int sector, size, operation;

		if (sscanf(line, "%lld %d %d %d %lld %lld %lld", &arrival, &sector, &size, &operation, &begin,
			    &response, &process) != 7)
			continue;
		assert_int_equal(process, response - arrival);
		assert_true(size > 0);
		rows++;
	}
	fclose(file);
	return rows;
}

static unsigned count_lines(const struct text *trace, quirk_set repaired)
{
	unsigned lines = 0;
	bool unterminated = trace->bytes[trace->used - 1] != '\n';

	for (size_t i = 0; i < trace->used; i++)
		lines += trace->bytes[i] == '\n';
	return lines + (unterminated && repaired & QUIRK_BIT(Q7_END_OF_TRACE));
}

static void check_results(const struct bench *b, const struct text *trace, quirk_set repaired)
{
	double requests = bench_value(b, "read request count") + bench_value(b, "write request count");

	assert_int_equal(b->result.requests, (uint64_t)requests);
	assert_int_equal(count_rows(b), b->result.requests);
	if (b->end == LEGACY_DONE)
		assert_int_equal(b->result.requests, count_lines(trace, repaired));
	assert_true(bench_value(b, "write flash count") <= bench_value(b, "program count"));
	assert_true(bench_value(b, "gc copy back count") <= bench_value(b, "copy back count"));
	assert_true(bench_value(b, "direct erase count") <= bench_value(b, "erase count"));
	if (repaired & QUIRK_BIT(Q22_CHIP_0_STATISTICS))
		assert_int_equal((int)bench_value(b, "erase"), (int)bench_value(b, "erase count"));
}

/* The text after a heading in a file of the bench; the caller frees it. */
static char *read_behind(const struct bench *b, const char *name, const char *heading)
{
	char path[128], *bytes = memory_array(1, FILE_BYTES, "test"), *found;
	FILE *file;

	bench_path(b, name, path, sizeof path);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(bytes, 1, FILE_BYTES - 1, file) < FILE_BYTES - 1);
	fclose(file);
	found = strstr(bytes, heading);
	assert_non_null(found);
	memmove(bytes, found + strlen(heading), strlen(found + strlen(heading)) + 1);
	return bytes;
}

/* In ex.out the statistics follow the rows of requests. */
static void compare(const struct bench *b, const struct model_result *model)
{
	char *rows = read_behind(b, "ex.out", "process time\n");
	char *statistics = read_behind(b, "statistic10.dat", "simulation output----------------------\n");

	assert_memory_equal(rows, model->rows, strlen(model->rows));
	assert_memory_equal(rows + strlen(model->rows), statistics, strcspn(statistics, "\n"));
	assert_string_equal(statistics, model->statistics);
	memory_free(rows);
	memory_free(statistics);
}

static enum model_end run_model(
	const struct bench *b, const struct text *parameters, const struct text *trace)
{
	struct legacy_parameters p;
	struct model_result model;
	struct fault fault;
	enum model_end end;

	assert_true(legacy_parameters_parse(&p, parameters->bytes, parameters->used, "test", &fault));
	end = model_run(&p, trace->bytes, &model);
	if (end == MODEL_DONE)
		compare(b, &model);
	free(model.rows);
	free(model.statistics);
	legacy_parameters_free(&p);
	return end;
}

/* Where the run is not refused, the model ends normally if the engine does without having met Q7; else it
 * crashes. */
static bool compare_seed(uint64_t seed, struct text *parameters, struct text *trace)
{
	struct random r;
	struct bench b;
	unsigned sectors;
	bool done;

	random_init(&r, seed, 5);
	parameters->used = trace->used = 0;
	sectors = random_drive(&r, parameters);
	random_policy(&r, parameters);
	random_trace(&r, trace, sectors, true);
	bench_execute(&b, parameters->bytes, trace->bytes, 0);
	done = b.end == LEGACY_DONE && !b.result.noted[Q7_END_OF_TRACE];
	if (b.end != LEGACY_REFUSED)
		assert_int_equal(run_model(&b, parameters, trace), done ? MODEL_DONE : MODEL_CRASHED);
	bench_remove(&b);
	return done;
}

static enum legacy_end run_seed(uint64_t seed, struct text *parameters, struct text *trace)
{
	struct random r;
	struct bench b;
	quirk_set repaired;
	unsigned sectors;

	random_init(&r, seed, 4);
	parameters->used = trace->used = 0;
	sectors = random_drive(&r, parameters);
	random_policy(&r, parameters);
	random_trace(&r, trace, sectors, false);
	repaired = random_quirks(&r);
	bench_execute(&b, parameters->bytes, trace->bytes, repaired);
	bench_read_statistics(&b);
	if (b.end != LEGACY_REFUSED)
		check_results(&b, trace, repaired);
	bench_remove(&b);
	bench_free(&b);
	return b.end;
}

/* The seeds to run, and room for the parameters and the trace of each. */
struct campaign {
	bool single;
	unsigned long first, runs;
	struct text parameters, trace;
};

static int start(void **state)
{
	const char *one = getenv("SEED"), *many = getenv("RUNS");
	struct campaign *c = memory_array(1, sizeof *c, "test");

	c->single = one;
	c->first = one ? strtoul(one, NULL, 10) : 1;
	c->runs = one ? 1 : many ? strtoul(many, NULL, 10) : 400;
	c->parameters = (struct text){ memory_array(1, 4096, "test"), 0, 4096 };
	c->trace.room = (LINES + CALM_LINES) * LINE_BYTES;
	c->trace.bytes = memory_array(1, c->trace.room, "test");
	*state = c;
	return 0;
}

static int finish(void **state)
{
	struct campaign *c = *state;

	memory_free(c->parameters.bytes);
	memory_free(c->trace.bytes);
	memory_free(c);
	return 0;
}

static void test_random(void **state)
{
	struct campaign *c = *state;
	unsigned ends[3] = { 0 };

	for (unsigned long seed = c->first; seed < c->first + c->runs; seed++) {
		fprintf(stderr, "\rSEED=%lu ", seed);
		ends[run_seed(seed, &c->parameters, &c->trace)]++;
	}
	fprintf(stderr, "\n");
	print_message("%u runs done, %u refused, %u died\n", ends[LEGACY_DONE], ends[LEGACY_REFUSED],
		ends[LEGACY_DIED]);
	assert_true(c->single || 2 * ends[LEGACY_DONE] > c->runs);
}

static void test_against_model(void **state)
{
	struct campaign *c = *state;
	unsigned compared = 0;

	for (unsigned long seed = c->first; seed < c->first + c->runs; seed++) {
		fprintf(stderr, "\rSEED=%lu ", seed);
		compared += compare_seed(seed, &c->parameters, &c->trace);
	}
	fprintf(stderr, "\n");
	print_message("%u of %lu runs end and are equal\n", compared, c->runs);
	assert_true(c->single || 2 * compared > c->runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_against_model),
	};

	return cmocka_run_group_tests(tests, start, finish);
}
