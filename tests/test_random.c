/*
 * Millions of random requests on drives that are random themselves: geometry, numbers, and every option
 * that is chosen by name or is true or false.  The sector oracle compares every sector read, the medium
 * enforces its laws, the invariants are checked all the time, and no drive may fail that was not refused.
 *
 * `make check` plays a short case of each FTL with each buffer, `make test` of every third pair; `make soak`
 * (SOAK=1) plays all cases, with 100,000 requests each.
 *
 * 	SEED=n          the first case; the others follow
 * 	CASES=n         so many cases of each FTL and buffer
 * 	OPERATIONS=n    requests of a case
 * 	TEST=text       only cases whose name contains the text, e.g. TEST=mrsm
 */
#include "ftl/store.h"
#include "tests/random_fixture.h"

/* The FTLs with the most to go wrong get the most cases, in front of them the simplest buffers. */
enum { REQUESTS = 100000, CASES_OF_REMAPPING_FTLS = 26, CASES_OF_OTHERS = 4, CASES_OF_POLICIES = 1 };

static uint64_t requests_of_a_case(void)
{
	return from_environment("OPERATIONS", amount(REQUESTS / 100, SANITIZED ? REQUESTS / 20 : REQUESTS));
}

/* ---- a case ---- */

/* Now and then a request moves a placement handle to new blocks. */
static struct request any_request(struct player *p, uint64_t number)
{
	struct request r = random_request(p);

	if (store_knows(p->drive->ftl->store, REQUEST_UPDATE) && number % 61 == 0)
		r = (struct request){ .type = REQUEST_UPDATE, .hint = r.hint, .device = r.device };
	return r;
}

/* Full, overwritten at random, full again, and read. */
static void play_long(void *context)
{
	struct player player, *p = &player;
	uint64_t n = requests_of_a_case();

	player_open(p, context);
	for (uint64_t i = 0; i < n; i++) {
		if (i == n / 4 || i == n - 1)
			BUG_ON(!play_all_pages(p, REQUEST_WRITE), "the drive failed when it was filled");
		BUG_ON(!play(p, any_request(p, i), random_below(&p->random, 16)), "the drive failed");
		if (i % 1024 == 0)
			player_check(p);
	}
	BUG_ON(!play_all_pages(p, REQUEST_READ), "the drive failed when it was read");
	drive_drain(p->drive);
	drive_check(p->drive);
	player_close(p);
}

static bool remaps(const struct ftl_ops *ops)
{
	return !strcmp(ops->name, "across") || !strcmp(ops->name, "mrsm");
}

/* The host layers in turn. */
static size_t layer_of(uint64_t seed)
{
	size_t layers = 0;

	while (host_layers[layers])
		layers++;
	return seed % layers;
}

/* mmap with the buffer that it needs counts as a remapping FTL with a simple buffer. */
static uint64_t cases_of(size_t ftl, size_t buffer)
{
	bool remapping = remaps(ftls[ftl]), simple = buffer < 2;

	if (!strcmp(ftls[ftl]->name, "mmap"))
		remapping = simple = !strcmp(buffers[buffer]->name, "msac");
	return amount(1, !simple ? CASES_OF_POLICIES : remapping ? CASES_OF_REMAPPING_FTLS : CASES_OF_OTHERS);
}

static uint64_t play_cases(size_t ftl, size_t buffer)
{
	const char *only = getenv("TEST");
	uint64_t cases = refuses(ftl, buffer) ? 0 : from_environment("CASES", cases_of(ftl, buffer));
	bool in_turn = only || !is_for_check(ftl + buffer, 3);
	uint64_t played = 0, first = from_environment("SEED", amount(1 + ftl + buffer, 1));

	for (uint64_t i = 0; in_turn && i < cases; i++) {
		struct combination c = { .ftl = ftl,
			.buffer = buffer,
			.layer = layer_for(ftl, layer_of(first + i)),
			.seed = first + i };
		char repeat[320];

		snprintf(c.name, sizeof c.name, "%s+%s+%s", ftls[ftl]->name, buffers[buffer]->name,
			host_layers[c.layer]->name);
		if (only && !strstr(c.name, only))
			continue;
		snprintf(repeat, sizeof repeat, "CASES=1 OPERATIONS=%llu TEST=%s tests/test_random",
			(unsigned long long)requests_of_a_case(), c.name);
		draw_drive(&c);
		run_combination(&c, play_long, repeat);
		played += requests_of_a_case();
	}
	return played;
}

static void test_random_drives(void **state)
{
	(void)state;
	for (size_t ftl = 0; ftls[ftl]; ftl++) {
		uint64_t played = 0;

		for (size_t buffer = 0; buffers[buffer]; buffer++)
			played += play_cases(ftl, buffer);
		print_message("%10llu requests with %s\n", (unsigned long long)played, ftls[ftl]->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_drives) };

	return cmocka_run_group_tests_name("random drives", tests, NULL, NULL);
}
