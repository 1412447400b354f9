/*
 * How fast the simulator is and how much memory it takes: random requests of 4, 8 and 16 KB, 60 % of them
 * writes, over the whole drive with full timing, on drives of three sizes, without collection and with heavy
 * collection; beside the same page writes on a floor (floor.h).  Bytes are the most that the drive adds to
 * the process; "ready" is the elapsed time until the first request.  Nothing passes or fails by these
 * figures.
 */
#include "base/memory.h"
#include "base/random.h"
#include "tests/bench/bench.h"
#include "tests/bench/floor.h"
#include "drive/drive.h"
#include "drive/prepare/precondition.h"
#include "parameters/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct load {
	const char *name;
	unsigned blocks; /* per plane of 8 x 4 x 2 x 2 planes; 64 pages each */
	double over_provisioning, used, valid;
	unsigned requests;
	unsigned page_kb; /* 0: 8 */
};

static const struct load loads[] = {
	{ "8 GB, no collection", 128, 0.10, 0.50, 0.40, 250000 },
	{ "8 GB, heavy collection", 128, 0.25, 0.90, 0.75, 1000000 },
	{ "128 GB, no collection", 2048, 0.10, 0.50, 0.40, 2000000 },
	{ "128 GB, heavy collection", 2048, 0.25, 0.90, 0.75, 2000000 },
	{ "1 TB, no collection", 16384, 0.10, 0.50, 0.40, 2000000 },
	{ "1 TB, heavy collection", 16384, 0.25, 0.90, 0.75, 2000000 },
	{ "16 KB pages, none", 1024, 0.10, 0.50, 0.40, 2000000, 16 },
	{ "16 KB pages, heavy", 1024, 0.25, 0.90, 0.75, 2000000, 16 },
};

static double resident_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static struct request draw(struct random *random, const struct geometry *g)
{
	static const uint32_t sectors[] = { 8, 16, 32 };
	struct request r = { .sectors = sectors[random_below(random, 3)] };

	r.type = random_below(random, 10) < 6 ? REQUEST_WRITE : REQUEST_READ;
	r.start = random_below(random, (g->logical_sectors - 32) / r.sectors) * r.sectors;
	r.device = (uint32_t)(r.start / 64 % 4); /* for placement handles */
	return r;
}

/* Draws the requests of a load, before time is taken.  The caller frees them. */
static struct request *draw_all(const struct load *load, const struct geometry *g)
{
	struct request *requests = memory_array(load->requests, sizeof *requests, "requests");
	struct random random;

	random_init(&random, 1, 1);
	for (unsigned i = 0; i < load->requests; i++)
		requests[i] = draw(&random, g);
	return requests;
}

/* A closed loop of 64 requests.  The next request is announced, as in drive/run/run.c. */
static void drive_requests(struct drive *d, const struct request *requests, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct request r = requests[i];

		if (i + 1 < n)
			drive_expect(d, &requests[i + 1]);
		while (d->in_drive >= 64)
			drive_run_to_completion(d);
		r.arrival = d->last_completion;
		if (!drive_submit(d, &r)) {
			fprintf(stderr, "bench: the drive failed\n");
			exit(1);
		}
	}
	drive_drain(d);
}

struct floor_cost {
	double ns_per_page, amplification;
};

/* The same page writes on the floor. */
static struct floor_cost measure_floor(
	const struct geometry *g, const struct load *load, const struct request *requests)
{
	uint32_t live = (uint32_t)(load->valid * g->pages), writes = 0;
	struct floor_drive *f =
		floor_create(g->planes, g->blocks_per_plane, g->pages_per_block, g->logical_pages);
	struct floor_cost cost;
	struct random random;
	uint64_t before;
	double start;

	random_init(&random, 1, 2);
	for (uint32_t i = 0; i < live; i++)
		floor_write(f, i);
	while (floor_programs(f) < load->used * g->pages)
		floor_write(f, (uint32_t)random_below(&random, live));
	before = floor_programs(f);
	start = bench_processor_time();
	for (unsigned i = 0; i < load->requests; i++) {
		const struct request *r = &requests[i];

		if (r->type != REQUEST_WRITE)
			continue;
		for (sector_t s = r->start; s < r->start + r->sectors; s += g->sectors_per_page, writes++)
			floor_write(f, geometry_lpn(g, s));
	}
	cost.ns_per_page = (bench_processor_time() - start) / writes * 1e9;
	cost.amplification = (double)(floor_programs(f) - before) / writes;
	floor_free(f);
	return cost;
}

/* `ftl`: its name, and settings. */
static bool configure(struct settings *s, const struct load *load, const char *ftl, struct fault *fault)
{
	char *words = memory_string(ftl, "bench"), *word = strtok(words, " ");

	if (!settings_init(s, fault))
		return false;
	for (int i = 0; ftls[i]; i++)
		if (!strcmp(ftls[i]->name, word))
			s->top.ftl = i;
	while ((word = strtok(NULL, " ")))
		if (!params_set(word, s->group, s->groups, fault))
			return false;
	memory_free(words);
	s->flash.blocks = load->blocks;
	s->flash.page_bytes = load->page_kb ? load->page_kb * 1024 : s->flash.page_bytes;
	s->flash.over_provisioning = load->over_provisioning;
	s->precondition.mode = PRECONDITION_SYNTHETIC;
	s->precondition.used = load->used;
	s->precondition.valid = load->valid;
	s->precondition.premap = PREMAP_NONE;
	return true;
}

/* A drive after a load, and its cost. */
struct served {
	struct settings settings;
	struct request *requests;
	struct drive *drive;
	double prepared, ready, ran; /* seconds: processor time, elapsed time, processor time */
	double bytes;                /* the most that the drive added to the process */
};

/* The caller frees it. */
static struct served *serve(const struct load *load, const char *ftl)
{
	struct served *s = memory_array(1, sizeof *s, "bench");
	struct precondition_result before;
	struct fault fault = { "" };
	struct geometry g;
	double mib, start, clock;

	if (!configure(&s->settings, load, ftl, &fault) || !geometry_derive(&g, &s->settings.flash, &fault))
		bench_give_up(fault.text);
	s->requests = draw_all(load, &g);
	mib = resident_mib();
	start = bench_processor_time();
	clock = bench_elapsed_time();
	s->drive = drive_create(&s->settings, false, &fault);
	if (!s->drive || !precondition(s->drive, NULL, &before, &fault))
		bench_give_up(fault.text);
	stat_list_start(&s->drive->statistics);
	s->ready = bench_elapsed_time() - clock;
	s->prepared = bench_processor_time() - start;
	start = bench_processor_time();
	drive_requests(s->drive, s->requests, load->requests);
	s->ran = bench_processor_time() - start;
	s->bytes = (resident_mib() - mib) * (1 << 20);
	drive_check(s->drive);
	return s;
}

static void served_free(struct served *s)
{
	memory_free(s->requests);
	drive_free(s->drive);
	settings_release(&s->settings);
	memory_free(s);
}

static void measure(const struct load *load, const char *ftl)
{
	struct served *s = serve(load, ftl);
	const struct flash *flash = s->drive->flash;
	struct floor_cost floor = measure_floor(flash->geometry, load, s->requests);
	double programs = (double)flash->count[OP_PROGRAM][CAUSE_HOST],
	       all = (double)flash_total(flash, OP_PROGRAM),
	       operations = all + (double)(flash_total(flash, OP_READ) + flash_total(flash, OP_ERASE));

	printf("%-26s %9.0f %11.0f %6.2f %8.0f %8.2f %8.0f %6.1f %7.1f %7.2f %7.2f\n", load->name,
		load->requests / s->ran, operations / s->ran, all / programs, s->ran / programs * 1e9,
		floor.amplification, floor.ns_per_page, s->ran / programs * 1e9 / floor.ns_per_page,
		s->bytes / flash->geometry->pages, s->prepared, s->ready);
	fflush(stdout);
	served_free(s);
}

static void serve_alone(const struct load *load, const char *ftl)
{
	served_free(serve(load, ftl));
}

/* Runs a load in `copies` child processes at once, so that each measures its own memory.  False if one
 * failed. */
static bool apart(void (*work)(const struct load *, const char *ftl), const struct load *load,
	const char *ftl, int copies)
{
	bool done = true;
	int status;

	fflush(stdout);
	for (int i = 0; i < copies; i++) {
		pid_t child = fork();

		if (child == 0) {
			work(load, ftl);
			exit(0);
		}
		done = done && child > 0;
	}
	while (wait(&status) > 0)
		done = done && status == 0;
	return done;
}

/* Rows `first` to `last` of the loads. */
static bool table(const char *ftl, size_t first, size_t last)
{
	bool done = true;

	printf("# FTL %s; closed loop, 64 requests in the drive; processor time of one core\n", ftl);
	printf("%-26s %9s %11s %6s %8s %8s %8s %6s %7s %7s %7s\n", "# drive", "requests", "flash ops", "WAF",
		"ns/page", "floor's", "floor's", "ratio", "bytes", "prepare", "ready");
	printf("%-26s %9s %11s %6s %8s %8s %8s %6s %7s %7s %7s\n", "#", "/s", "/s", "", "written", "WAF",
		"ns/page", "", "/page", "s", "s clock");
	for (size_t i = first; done && i <= last; i++)
		done = apart(measure, &loads[i], ftl, 1);
	putchar('\n');
	return done;
}

#define ROWS (sizeof loads / sizeof *loads)

static void bench_loads(void)
{
	static const struct {
		const char *ftl;
		size_t first, last;
	} tables[] = { { "page", 0, ROWS - 1 },
		{ "page slc.mode=static slc.density=4 slc.when_full=fold", 2, 3 },
		{ "page slc.mode=dynamic slc.density=4", 2, 3 },
		{ "page fdp.handles=4 gc.threshold=0.05", 2, 3 },
		{ "page placement.policy=superblock placement.superblock=unit", 2, 3 }, { "across", 2, 3 },
		{ "mrsm", 2, 3 }, { "dftl", 2, 3 }, { "sftl", 2, 3 }, { "minipage", 6, 7 }, { "pm", 6, 7 } };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!table(tables[i].ftl, tables[i].first, tables[i].last))
			exit(1);
}

/* Two whole runs at once, preparation included; at best twice as fast as one after the other. */
static void bench_pairs(void)
{
	static const size_t rows[] = { 0, 1, 2, 3 };

	printf("# FTL page; two runs at once, by the clock\n%-26s %9s %9s %9s\n", "# drive", "one, s",
		"two, s", "faster");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct load *load = &loads[rows[i]];
		double start = bench_elapsed_time(), one, two;

		if (!apart(serve_alone, load, "page", 1))
			exit(1);
		one = bench_elapsed_time() - start;
		if (!apart(serve_alone, load, "page", 2))
			exit(1);
		two = bench_elapsed_time() - start - one;
		printf("%-26s %9.2f %9.2f %9.2f\n", load->name, one, two, 2 * one / two);
	}
	fflush(stdout);
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = { { "loads", bench_loads }, { "pairs", bench_pairs }, { "generating", bench_generating },
	{ "legacy", bench_legacy }, { "reading", bench_reading } };

#define PARTS (sizeof parts / sizeof *parts)

static bool is_ftl(const char *name)
{
	size_t length = strcspn(name, " ");

	for (size_t i = 0; ftls[i]; i++)
		if (strlen(ftls[i]->name) == length && !strncmp(ftls[i]->name, name, length))
			return true;
	return false;
}

static int usage(void)
{
	fprintf(stderr, "usage: bench          everything\n"
			"       bench PART     loads, pairs, generating, legacy or reading\n"
			"       bench FTL [N]  the loads, or the Nth of them (from 1), with this FTL;\n"
			"                      \"page fdp.handles=4\": and with settings\n");
	return 2;
}

int main(int argc, char **argv)
{
	size_t row = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	bool found = false;

	if (row > ROWS) {
		fprintf(stderr, "bench: there are rows 1 to %zu\n", ROWS);
		return 2;
	}
	for (size_t i = 0; i < PARTS; i++)
		if (argc == 1 || !strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			putchar('\n');
			found = true;
		}
	if (!found && !is_ftl(argv[1]))
		return usage();
	return !found && !table(argv[1], row ? row - 1 : 0, row ? row - 1 : ROWS - 1);
}
