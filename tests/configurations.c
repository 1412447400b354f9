/*
 * Runs of random configurations under both judges: FTL x buffer x host layer x geometry x every option x
 * collection x preconditioning x arrival.  Unlike a test it counts findings and goes on.
 *
 *	configurations N [REQUESTS [SEED [deep]]]    N runs of REQUESTS (2000), the first with SEED (1);
 *	                                             deep: up to 4,096 in flight, of up to 5.9 MB
 *	configurations --write FOLDER N [REQUESTS [SEED [deep]]]
 *	                                             writes them as runs of `ssd`, for tests/same-bytes
 *
 * Environment: WITH, some of "slc handles units wordlines bad parity": only drives with these; FTL: only with
 * this FTL.
 */
#include "drive/prepare/precondition.h"
#include "drive/run/run.h"
#include "tests/random_fixture.h"

#include <sys/mman.h>

/* Seconds: a run that takes longer is reported, with its time without the judges; "too slow" if that is below
 * FAST. */
#define SLOW 60.0
#define FAST 1.0

/* Counted by the children. */
struct counts {
	uint64_t refused, failed, requests, programs, erases;
};

struct one {
	struct combination *combination;
	struct counts *counts;
	int requests;
	bool deep;
	bool without_judges;
};

struct longest {
	double seconds;
	uint64_t seed;
};

static bool go_on(void *drive, const struct run *run)
{
	(void)drive;
	(void)run;
	return true;
}

static void count(struct counts *counts, struct drive *d, const struct run *run, enum run_end end)
{
	const struct flash *f = d->flash;

	counts->failed += end == RUN_DRIVE_FAILED;
	counts->requests += run->requests;
	counts->programs += flash_total(f, OP_PROGRAM);
	counts->erases += flash_total(f, OP_ERASE);
}

/* Completes the settings of a combination and makes its trace, which the caller frees. */
static char *complete(struct combination *c, int requests, bool deep)
{
	unsigned sectors = 90, depth = 40;
	struct random random;
	char *trace;

	random_init(&random, c->seed, 9);
	if (deep) {
		sectors <<= random_below(&random, 8);
		depth = 1u << random_below(&random, 13);
	}
	trace = random_trace(&random, requests, c, sectors);
	add_of_host(c, &random, depth);
	return trace;
}

static void run_one(void *one)
{
	struct one *o = one;
	struct combination *c = o->combination;
	struct trace_options options = { .format = "csv", .columns = RANDOM_COLUMNS, .commands = true };
	struct workload workload = { .name = "trace", .limit = UINT64_MAX };
	struct run run = { .workload = &workload, .keep_going = go_on };
	struct precondition_result before;
	struct settings settings;
	struct fault fault = { "" };
	char *trace = complete(c, o->requests, o->deep);
	enum run_end end;

	fixture_settings(&settings, c->settings);
	settings.top.ftl = (int)c->ftl;
	settings.top.buffer = (int)c->buffer;
	settings.host.layer = (int)c->layer;
	run.drive = drive_create(&settings, !o->without_judges, &fault);
	workload.trace = trace_open_memory("trace", trace, strlen(trace), &options, &fault);
	BUG_ON(!run.drive || !workload.trace, "%s", fault.text);
	if (precondition(run.drive, &workload, &before, &fault)) {
		stat_list_start(&run.drive->statistics);
		end = run_workload(&run, &fault);
		o->counts->refused += end == RUN_BAD_WORKLOAD; /* a request is larger than the drive */
		if (end != RUN_BAD_WORKLOAD) {
			drive_check(run.drive);
			count(o->counts, run.drive, &run, end);
		}
	} else {
		o->counts->refused++;
	}
	workload_close(&workload);
	drive_free(run.drive);
	settings_release(&settings);
	free(trace);
}

/* All FTLs take turns. */
static size_t ftl_of(uint64_t seed)
{
	size_t all = 0;

	while (ftls[all])
		all++;
	return seed % all;
}

/* NULL: any FTL. */
static bool is_of_ftl(uint64_t seed, const char *name)
{
	return !name || !*name || !strcmp(ftls[ftl_of(seed)]->name, name);
}

/* Drawn until FTL and buffer go together, and the drive has what its FTL needs. */
static void draw_combination(struct combination *c, uint64_t seed)
{
	struct random random;
	size_t policies = 0;

	while (buffers[policies])
		policies++;
	random_init(&random, seed, 8);
	do
		*c = (struct combination){ .ftl = ftl_of(seed),
			.buffer = random_below(&random, policies),
			.layer = layer_for(ftl_of(seed), random_below(&random, 2)),
			.seed = seed };
	while (refuses(c->ftl, c->buffer));
	snprintf(c->name, sizeof c->name, "%s+%s+%s", ftls[c->ftl]->name, buffers[c->buffer]->name,
		host_layers[c->layer]->name);
	draw_drive(c);
}

/* Processor time, as wall-clock time depends on the load of the machine. */
static double seconds_of_children(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

/* FOLDER/runs has a line of arguments for each combination, FOLDER/SEED.csv its trace. */
static int write_runs(const char *folder, uint64_t n, int requests, uint64_t first, bool deep)
{
	FILE *runs = create(folder, "runs"), *empty = create(folder, "empty.cfg");

	for (uint64_t seed = first; seed < first + n; seed++) {
		struct combination c;
		char name[32], *trace;
		FILE *file;

		draw_combination(&c, seed);
		trace = complete(&c, requests, deep);
		snprintf(name, sizeof name, "%llu.csv", (unsigned long long)seed);
		file = create(folder, name);
		fputs(trace, file);
		fclose(file);
		free(trace);
		fprintf(runs, "-s ftl=%s -s buffer=%s -s host.layer=%s -s trace.format=csv",
			ftls[c.ftl]->name, buffers[c.buffer]->name, host_layers[c.layer]->name);
		fprintf(runs, " -s trace.columns=" RANDOM_COLUMNS);
		for (char *word = strtok(c.settings, " "); word; word = strtok(NULL, " "))
			fprintf(runs, " -s %s", word);
		fprintf(runs, " %s/empty.cfg %s/%s\n", folder, folder, name);
	}
	fclose(empty);
	return fclose(runs);
}

/* Seconds of processor time that the run took. */
static double time_run(struct child *child, struct one *one)
{
	double before = seconds_of_children();

	run_in_child(child, run_one, one);
	return seconds_of_children() - before;
}

/* The judges take a small multiple of the time of a run; more is reported, but is no finding. */
static void tell_slow(struct one *one, const char *repeat, double took)
{
	struct counts unused = { 0 };
	struct one alone = { one->combination, &unused, one->requests, one->deep, true };
	struct combination again;
	struct child child;
	double without;

	draw_combination(&again, one->combination->seed);
	alone.combination = &again;
	without = time_run(&child, &alone);
	printf("%s: %s: %.1f s with the judges, %.1f s without%s\n", repeat, again.name, took, without,
		took > SLOW && without < FAST ? ": too slow" : "");
}

/* Is there a finding? */
static bool try_one(struct one *one, struct longest *longest)
{
	uint64_t seed = one->combination->seed;
	struct child child;
	char repeat[80];
	double took;

	took = time_run(&child, one);
	snprintf(repeat, sizeof repeat, "configurations 1 %d %llu%s", one->requests, (unsigned long long)seed,
		one->deep ? " deep" : "");
	if (took > longest->seconds)
		*longest = (struct longest){ took, seed };
	if (took > SLOW)
		tell_slow(one, repeat, took);
	if (child.status)
		printf("finding: %s: %s, status %#x: %s\n  %s\n", repeat, one->combination->name,
			(unsigned)child.status, child.text, one->combination->settings);
	return child.status != 0;
}

/* Memory shared with the children; NULL: there is none. */
static struct counts *shared_counts(void)
{
	FILE *file = tmpfile();
	void *shared = MAP_FAILED;

	if (!file)
		return NULL;
	if (!ftruncate(fileno(file), sizeof(struct counts)))
		shared = mmap(
			NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	fclose(file);
	return shared == MAP_FAILED ? NULL : shared;
}

int main(int argc, char **argv)
{
	bool writes = argc > 2 && !strcmp(argv[1], "--write");
	char **number = writes ? argv + 2 : argv;
	int numbers = writes ? argc - 2 : argc;
	uint64_t n = numbers > 1 ? strtoull(number[1], NULL, 10) : 100, findings = 0;
	uint64_t first = numbers > 3 ? strtoull(number[3], NULL, 10) : 1;
	int requests = numbers > 2 ? atoi(number[2]) : 2000;
	bool deep = numbers > 4 && !strcmp(number[4], "deep");
	unsigned wanted = features_wanted();
	const char *ftl = getenv("FTL");
	struct longest longest = { 0 };
	struct counts *counts;

	if (writes)
		return write_runs(argv[2], n, requests, first, deep);
	for (uint64_t seed = 0; !is_of_ftl(seed, ftl); seed++)
		if (ftls[seed] == NULL) {
			fprintf(stderr, "configurations: no FTL is called %s\n", ftl);
			return 2;
		}
	counts = shared_counts();
	if (!counts)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (uint64_t seed = first, runs = 0; runs < n; seed++) {
		struct combination c;
		struct one one = { &c, counts, requests, deep, false };

		if (!is_of_ftl(seed, ftl))
			continue;
		draw_combination(&c, seed);
		if (wanted & ~c.features)
			continue;
		findings += try_one(&one, &longest);
		runs++;
	}
	printf("configurations: %llu runs, %llu were refused and %llu wore out or filled their drives; "
	       "%llu requests, %llu programs, %llu erases; the longest took %.1f s (seed %llu); "
	       "%llu findings\n",
		(unsigned long long)n, (unsigned long long)counts->refused,
		(unsigned long long)counts->failed, (unsigned long long)counts->requests,
		(unsigned long long)counts->programs, (unsigned long long)counts->erases, longest.seconds,
		(unsigned long long)longest.seed, (unsigned long long)findings);
	return findings != 0;
}
