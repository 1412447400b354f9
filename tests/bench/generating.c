/*
 * How fast workloads are generated: requests are drawn and dropped, from profiles that use each part of the
 * generator.
 */
#include "tests/bench/bench.h"
#include "traces/generate.h"

#include <stdio.h>
#include <stdlib.h>

#define REQUESTS      5000000
#define REQUESTS_TEXT "requests=5000000"

static const struct {
	const char *profile, *what;
} drawn[] = {
	{ "sequential", "one run" },
	{ "uniform", "anywhere" },
	{ "zipf", "popular places" },
	{ "ranges", "shuffled ranges" },
	{ "mixed", "runs, repeats, popular places" },
	{ "f1", "repeats of odd sizes" },
	{ "lun1", "everything, with local alignment" },
	{ "systor-lun", "the same in 5 TB" },
};

/* Requests per second.  `sum` keeps the compiler from removing the loop. */
static double measure(const char *profile, uint64_t *sum)
{
	char *const overrides[] = { REQUESTS_TEXT };
	struct fault fault = { "" };
	struct generator *g = generator_open(profile, overrides, 1, &fault);
	double start = bench_processor_time(), rate;
	struct request r;

	if (!g)
		bench_give_up(fault.text);
	while (generator_next(g, &r))
		*sum += r.start + r.arrival;
	rate = (double)generator_requests(g) / (bench_processor_time() - start);
	generator_close(g);
	return rate;
}

void bench_generating(void)
{
	uint64_t sum = 0;

	printf("\n# generating %d requests; processor time of one core\n", REQUESTS);
	printf("%-12s %14s  %s\n", "# profile", "requests/s", "what is drawn");
	for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
		printf("%-12s %14.0f  %s\n", drawn[i].profile, measure(drawn[i].profile, &sum),
			drawn[i].what);
	printf("# checksum %016llx: the same on every machine\n", (unsigned long long)sum);
	fflush(stdout);
}
