/*
 * Collection: each policy's choice against a scan of all blocks, write amplification against theory and an
 * independent simulation, hysteresis, wear levelling.
 */
#include "tests/drive_fixture.h"
#include "tests/inside.h"

#include <math.h>

/* ---- a policy's choice against a scan of all candidates ---- */

/* Planes whose pages are written and die at random, with a mirror of all that a policy may know. */
struct plot {
	struct bench *bench;
	struct blocks *blocks;
	struct space *space;
	struct collector *collector;
	struct random random;
	struct io io;
	uint64_t clock;
	uint64_t *closed_at;  /* per block: when its last page was handed out */
	uint64_t *changed_at; /* per block: when it was closed or lost its last page so far */
	bool maps;            /* every eighth page is a mapping page */
};

static void ignore_relocation(struct ftl *ftl, struct io *io, owner_t owner, ppn_t from, ppn_t to)
{
	(void)ftl;
	(void)io;
	(void)owner;
	(void)from;
	(void)to;
}

enum { HOST, MAP };

static const struct stream streams[] = { { "host" }, [MAP] = { "map", .survivors = MAP, .map = true },
	{ 0 } };
static const struct collector_client client = { .relocate = ignore_relocation };

static void plot_open(struct plot *f, const char *settings)
{
	struct settings *s;

	f->bench = bench_open(settings);
	s = &f->bench->settings;
	f->blocks = blocks_create(f->bench->flash, FREE_LEAST_WORN, NULL, &bad_none);
	f->space = space_create(f->blocks, NULL, streams, 1);
	f->collector = collector_create(f->space, &s->ftl.gc, NULL, &client);
	f->collector->policy.useless_victims = s->ftl.gc.strict;
	f->io = (struct io){ .flash = f->bench->flash };
	f->clock = 0;
	f->maps = false;
	f->closed_at = memory_array(f->bench->geometry.blocks, sizeof *f->closed_at, "mirror");
	f->changed_at = memory_array(f->bench->geometry.blocks, sizeof *f->changed_at, "mirror");
	random_init(&f->random, seed_of_run(), 3);
}

static void plot_close(struct plot *f)
{
	memory_free(f->closed_at);
	memory_free(f->changed_at);
	collector_free(f->collector);
	space_free(f->space);
	blocks_free(f->blocks);
	bench_close(f->bench);
}

static bool is_candidate(const struct plot *f, block_t b, plane_t plane)
{
	return f->space->block[b].state == BLOCK_CLOSED && geometry_plane(&f->bench->geometry, b) == plane;
}

static void write_to(struct plot *f, plane_t plane, unsigned stream)
{
	ppn_t ppn = space_take(f->space, NULL, plane, stream, true);
	block_t b;

	assert_true(ppn != PPN_NONE);
	b = geometry_block(&f->bench->geometry, ppn);
	flash_program(&f->io, ppn, 1, 4, CAUSE_HOST, OP_NONE);
	f->clock++;
	if (f->space->block[b].state == BLOCK_CLOSED)
		f->closed_at[b] = f->changed_at[b] = f->clock;
}

static void write_one(struct plot *f, plane_t plane)
{
	write_to(f, plane, f->maps && random_below(&f->random, 8) == 0 ? MAP : HOST);
}

static void kill_one(struct plot *f)
{
	const struct geometry *g = &f->bench->geometry;
	ppn_t ppn = (ppn_t)random_below(&f->random, g->pages);

	if (flash_owner(f->bench->flash, ppn) == OWNER_NONE ||
		f->bench->flash->block[ppn / g->pages_per_block].next <= ppn % g->pages_per_block)
		return;
	space_release(f->space, ppn);
	f->changed_at[geometry_block(g, ppn)] = ++f->clock;
}

/* Empties a block as the collector would, without copying: its live pages die. */
static void reclaim(struct plot *f, block_t b)
{
	const struct geometry *g = &f->bench->geometry;

	for (uint32_t page = 0; page < g->pages_per_block; page++)
		if (flash_owner(f->bench->flash, geometry_first_page(g, b) + page) != OWNER_NONE)
			space_release(f->space, geometry_first_page(g, b) + page);
	space_erase(f->space, &f->io, b, CAUSE_GC);
}

/* Writes and kills random pages; calls `check` before each reclaim. */
static void play(struct plot *f, void (*check)(struct plot *, plane_t, block_t))
{
	uint32_t picks = 0;

	for (int i = 0; i < 20000; i++) {
		plane_t plane = (plane_t)random_below(&f->random, f->bench->geometry.planes);

		if (blocks_left(f->blocks, plane) > 2)
			write_one(f, plane);
		if (random_below(&f->random, 100) < 80)
			kill_one(f);
		if (blocks_left(f->blocks, plane) <= 2) {
			block_t b = f->collector->policy.ops->pick(&f->collector->policy, plane);

			check(f, plane, b);
			picks++;
			if (b != BLOCK_NONE)
				reclaim(f, b);
		}
	}
	assert_true(picks > 500);
}

#define PLOT PAPER_DRIVE "flash.dies=1 flash.blocks=24 flash.pages=6 "

static uint32_t reclaimable(const struct plot *f, plane_t plane)
{
	uint32_t blocks = 0;

	for (block_t b = 0; b < f->bench->geometry.blocks; b++)
		blocks += is_candidate(f, b, plane) &&
			  f->space->block[b].valid < f->bench->geometry.pages_per_block;
	return blocks;
}

static void assert_reclaimable(struct plot *f, plane_t plane, block_t b)
{
	if (b == BLOCK_NONE) {
		assert_int_equal(reclaimable(f, plane), 0);
		return;
	}
	assert_true(is_candidate(f, b, plane));
	assert_true(f->space->block[b].valid < f->bench->geometry.pages_per_block);
}

static void check_collector(void *collector)
{
	collector_check(collector);
}

/* The check finds a closed block that is missing in the policy, as in a damaged saved drive. */
static void test_candidates_are_the_closed_blocks(void **state)
{
	static const char *const policies[] = { "greedy", "cost_benefit", "fifo", "random", "d_choices",
		"patient" };

	(void)state;
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		struct plot f;
		char settings[1024];
		block_t b = 0;

		snprintf(settings, sizeof settings, PLOT "gc.policy=%s", policies[i]);
		plot_open(&f, settings);
		for (int pages = 0; pages < 60; pages++)
			write_one(&f, 0);
		collector_check(f.collector);
		while (f.space->block[b].state == BLOCK_CLOSED)
			b++;
		f.space->block[b].state = BLOCK_CLOSED;
		assert_aborts(check_collector, f.collector, "as its candidates");
		plot_close(&f);
	}
}

/* Fewest live pages; among equals the one that became so first. */
static void check_greedy(struct plot *f, plane_t plane, block_t picked)
{
	block_t best = BLOCK_NONE;

	assert_reclaimable(f, plane, picked);
	for (block_t b = 0; b < f->bench->geometry.blocks; b++) {
		uint32_t valid = f->space->block[b].valid;

		if (!is_candidate(f, b, plane) || valid == f->bench->geometry.pages_per_block)
			continue;
		if (best == BLOCK_NONE || valid < f->space->block[best].valid ||
			(valid == f->space->block[best].valid && f->changed_at[b] < f->changed_at[best]))
			best = b;
	}
	assert_int_equal(picked, best);
}

static void test_greedy_against_a_scan(void **state)
{
	struct plot f;

	(void)state;
	plot_open(&f, PLOT "gc.policy=greedy");
	play(&f, check_greedy);
	plot_close(&f);
}

/* The candidate of the plane that was closed first. */
static block_t first_closed(const struct plot *f, plane_t plane)
{
	block_t first = BLOCK_NONE;

	for (block_t b = 0; b < f->bench->geometry.blocks; b++)
		if (is_candidate(f, b, plane) &&
			(first == BLOCK_NONE || f->closed_at[b] < f->closed_at[first]))
			first = b;
	return first;
}

/* The first closed block that has a dead page; blocks before it without one count as closed anew. */
static void check_fifo(struct plot *f, plane_t plane, block_t picked)
{
	uint32_t pages = f->bench->geometry.pages_per_block;
	uint64_t end = f->clock;
	block_t b = first_closed(f, plane);

	assert_reclaimable(f, plane, picked);
	while (b != BLOCK_NONE && f->closed_at[b] <= end && f->space->block[b].valid == pages) {
		f->closed_at[b] = ++f->clock;
		b = first_closed(f, plane);
	}
	assert_int_equal(picked, picked == BLOCK_NONE ? BLOCK_NONE : b);
}

static void test_fifo_against_a_scan(void **state)
{
	struct plot f;

	(void)state;
	plot_open(&f, PLOT "gc.policy=fifo");
	play(&f, check_fifo);
	plot_close(&f);
}

/* The first closed block, whatever it holds; none if no block has a dead page. */
static void check_strict_fifo(struct plot *f, plane_t plane, block_t picked)
{
	assert_int_equal(picked, reclaimable(f, plane) ? first_closed(f, plane) : BLOCK_NONE);
}

static void test_strict_fifo_against_a_scan(void **state)
{
	struct plot f;

	(void)state;
	plot_open(&f, PLOT "gc.policy=fifo gc.strict=true");
	play(&f, check_strict_fifo);
	plot_close(&f);
}

/* The block with the fewest live pages, then the lowest, of mapping pages or of data.  Unless `all`, the
 * block that the mapping stream filled last is left out while this stream has no block open. */
static block_t scan_patiently(const struct plot *f, plane_t plane, bool map, bool all)
{
	block_t best = BLOCK_NONE;

	for (block_t b = 0; b < f->bench->geometry.blocks; b++) {
		const struct space_block *block = &f->space->block[b];
		bool last = block->stream == MAP && f->space->plane[plane].open[MAP].block == BLOCK_NONE;

		for (block_t other = 0; last && other < f->bench->geometry.blocks; other++)
			last = !is_candidate(f, other, plane) || f->space->block[other].stream != MAP ||
			       f->closed_at[other] <= f->closed_at[b];
		if (is_candidate(f, b, plane) && (block->stream == MAP) == map && (all || !last) &&
			block->valid < f->bench->geometry.pages_per_block &&
			(best == BLOCK_NONE || block->valid < f->space->block[best].valid))
			best = b;
	}
	return best;
}

static block_t choose_patiently(const struct plot *f, plane_t plane, bool all)
{
	block_t data = scan_patiently(f, plane, false, all), map = scan_patiently(f, plane, true, all);
	uint32_t live, pages = f->bench->geometry.pages_per_block;

	if (data == BLOCK_NONE || map == BLOCK_NONE)
		return data == BLOCK_NONE ? map : data;
	live = f->space->block[map].valid;
	if (live <= pages / 8 &&
		(live < f->space->block[data].valid || (live == f->space->block[data].valid && map < data)))
		return map;
	return blocks_left(f->blocks, plane) < f->collector->settings->low / 2 && live <= pages / 2 ? map
												    : data;
}

static void check_patient(struct plot *f, plane_t plane, block_t picked)
{
	block_t best = choose_patiently(f, plane, false);

	assert_reclaimable(f, plane, picked);
	assert_int_equal(picked, best == BLOCK_NONE ? choose_patiently(f, plane, true) : best);
}

/* Two blocks left are scarce with the first setting, not with the second. */
static void test_patient_against_a_scan(void **state)
{
	static const char *const low[] = { "gc.low=6", "gc.low=4" };
	struct plot f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char text[400];

		snprintf(text, sizeof text, PLOT "flash.pages=8 gc.policy=patient %s", low[i]);
		plot_open(&f, text);
		f.maps = true;
		play(&f, check_patient);
		collector_check(f.collector);
		plot_close(&f);
	}
}

/* Blocks 0 and 1 hold mapping pages, 2 and 1 of 8 live; block 1, filled last, is left out until another is
 * open. */
static void test_patient_passes_over_what_was_just_filled(void **state)
{
	struct plot f;
	struct gc_policy *policy;

	(void)state;
	plot_open(&f, PLOT "flash.pages=8 gc.policy=patient");
	policy = &f.collector->policy;
	for (int i = 0; i < 16; i++)
		write_to(&f, 0, MAP);
	for (ppn_t page = 0; page < 15; page += page == 5 ? 3 : 1)
		space_release(f.space, page);
	assert_int_equal(policy->ops->pick(policy, 0), 0);
	write_to(&f, 0, MAP);
	assert_int_equal(policy->ops->pick(policy, 0), 1);
	plot_close(&f);
}

/* age (1 - u) / 2u with the age in pages handed out since the block was full. */
static double worth(const struct plot *f, block_t b)
{
	double u = (double)f->space->block[b].valid / f->bench->geometry.pages_per_block;

	return u > 0 ? (double)(f->space->handed_out - f->space->stamp[b] + 1) * (1 - u) / (2 * u) : INFINITY;
}

static void check_cost_benefit(struct plot *f, plane_t plane, block_t picked)
{
	assert_reclaimable(f, plane, picked);
	for (block_t b = 0; picked != BLOCK_NONE && b < f->bench->geometry.blocks; b++)
		if (is_candidate(f, b, plane))
			assert_true(worth(f, b) <= worth(f, picked) * (1 + 1e-9));
}

static void test_cost_benefit_against_a_scan(void **state)
{
	struct plot f;

	(void)state;
	plot_open(&f, PLOT "gc.policy=cost_benefit");
	play(&f, check_cost_benefit);
	plot_close(&f);
}

static void test_random_picks_what_can_be_reclaimed(void **state)
{
	struct plot f;

	(void)state;
	plot_open(&f, PLOT "gc.policy=random");
	play(&f, assert_reclaimable);
	plot_close(&f);
}

static void test_d_choices_picks_what_can_be_reclaimed(void **state)
{
	struct plot f;

	(void)state;
	plot_open(&f, PLOT "gc.policy=d_choices gc.d=3");
	play(&f, assert_reclaimable);
	plot_close(&f);
}

/* A plane of 24 blocks of which 20 are closed and lost 0 .. 5 pages in turn. */
static void half_dead_plane(struct plot *f, const char *settings)
{
	plot_open(f, settings);
	for (int i = 0; i < 20 * 6; i++)
		write_one(f, 0);
	for (block_t b = 0; b < 20; b++)
		for (ppn_t page = 0; page < b % 6; page++)
			space_release(f->space, b * 6 + page);
}

/* Blocks 0, 6, 12, 18 lost nothing; of the 16 others each is expected 1/16 of the time: 1000 of 16000 picks,
 * standard deviation 31; six of them are allowed. */
static void pick_often(const char *settings, uint32_t picked[24])
{
	struct plot f;

	half_dead_plane(&f, settings);
	for (int i = 0; i < 16000; i++)
		picked[f.collector->policy.ops->pick(&f.collector->policy, 0)]++;
	plot_close(&f);
}

static void test_random_is_fair(void **state)
{
	uint32_t picked[24] = { 0 };

	(void)state;
	pick_often(PLOT "gc.policy=random", picked);
	for (block_t b = 0; b < 24; b++) {
		if (b < 20 && b % 6)
			assert_in_range(picked[b], 1000 - 186, 1000 + 186);
		else
			assert_int_equal(picked[b], 0);
	}
}

/* Each of all 20 blocks is expected 800 times, standard deviation 28. */
static void test_strict_random_is_fair(void **state)
{
	uint32_t picked[24] = { 0 };

	(void)state;
	pick_often(PLOT "gc.policy=random gc.strict=true", picked);
	for (block_t b = 0; b < 20; b++)
		assert_in_range(picked[b], 800 - 168, 800 + 168);
}

/* Blocks 5, 11, 17 lost 5 pages.  d = 1 finds one of them in 3 of 16 picks, d = 1000 always. */
static void test_d_choices_between_random_and_greedy(void **state)
{
	uint32_t best[2] = { 0, 0 };
	struct plot f;

	(void)state;
	for (int many = 0; many < 2; many++) {
		half_dead_plane(
			&f, many ? PLOT "gc.policy=d_choices gc.d=1000" : PLOT "gc.policy=d_choices gc.d=1");
		for (int i = 0; i < 1600; i++)
			best[many] += f.collector->policy.ops->pick(&f.collector->policy, 0) % 6 == 5;
		plot_close(&f);
	}
	assert_in_range(best[0], 300 - 100, 300 + 100);
	assert_int_equal(best[1], 1600);
}

/* Draws that can find nothing more are not made: at most 64 times as many as there are blocks. */
static void test_d_choices_draws_no_more_than_it_can_use(void **state)
{
	struct plot f[2];

	(void)state;
	half_dead_plane(&f[0], PLOT "gc.policy=d_choices gc.d=1000000");
	half_dead_plane(&f[1], PLOT "gc.policy=d_choices gc.d=1536");
	for (int i = 0; i < 20; i++)
		for (int k = 0; k < 2; k++)
			f[k].collector->policy.ops->pick(&f[k].collector->policy, 0);
	assert_memory_equal(
		&f[0].collector->policy.random, &f[1].collector->policy.random, sizeof(struct random));
	plot_close(&f[0]);
	plot_close(&f[1]);
}

/* No block of the plane has a dead page: every policy says so instead of searching forever. */
static void test_no_policy_picks_what_wins_nothing(void **state)
{
	struct plot f;

	(void)state;
	for (int policy = 0; gc_policies[policy]; policy++) {
		char text[1024];

		snprintf(text, sizeof text, PLOT "gc.policy=%s", gc_policies[policy]->name);
		plot_open(&f, text);
		for (int i = 0; i < 20 * 6; i++)
			write_one(&f, 0);
		assert_int_equal(f.collector->policy.ops->pick(&f.collector->policy, 0), BLOCK_NONE);
		assert_int_equal(f.collector->policy.ops->pick(&f.collector->policy, 1), BLOCK_NONE);
		plot_close(&f);
	}
}

/* ---- write amplification ---- */

/*
 * One plane, uniform writes of whole pages, outside time.  User pages are a share rho of the pages that
 * take part: one block is the collector's reserve.  The drive is written until it is in equilibrium (five
 * times over), then measured over three more.
 */
static double write_amplification(const char *policy, uint32_t blocks, uint32_t pages, double rho)
{
	double share = 1 - rho * (blocks - 1) / blocks;
	struct settings s;
	struct fault fault = { "" };
	struct drive *d;
	struct random random;
	uint64_t moved, n;
	char text[400];

	snprintf(text, sizeof text,
		"flash.channels=1 flash.chips=1 flash.dies=1 flash.planes=1 flash.blocks=%u "
		"flash.pages=%u flash.page_bytes=2048 flash.over_provisioning=%.9f gc.threshold=0 "
		"gc.separate=false "
		"gc.policy=%s seed=%llu",
		blocks, pages, share, policy, (unsigned long long)seed_of_run());
	fixture_settings(&s, text);
	d = drive_create(&s, false, &fault);
	assert_non_null(d);
	n = d->geometry.logical_pages;
	random_init(&random, seed_of_run(), 11);
	for (uint64_t i = 0; i < n; i++)
		drive_place(d, (struct extent){ i * 4, i * 4 + 4 });
	for (uint64_t i = 0; i < 8 * n; i++) {
		lpn_t lpn = (lpn_t)random_below(&random, n);

		if (i == 5 * n)
			d->ftl->store->collector->uncounted.moved_pages = 0;
		assert_true(drive_place(d, (struct extent){ lpn * 4ull, lpn * 4ull + 4 }));
	}
	moved = d->ftl->store->collector->uncounted.moved_pages;
	drive_free(d);
	settings_release(&s);
	return 1 + (double)moved / (3 * (double)n);
}

static const double rhos[] = { 0.70, 0.80, 0.90, 0.93 };

static void assert_within(double is, double should, double share, const char *what, double rho)
{
	if (fabs(is - should) > share * should)
		fail_msg("SEED=%llu: %s at rho %.2f: %.3f, should be %.3f", (unsigned long long)seed_of_run(),
			what, rho, is, should);
}

/* Live share p of the oldest block: p = exp(-(1 - p) / rho); then 1 / (1 - p). */
static void test_fifo_amplifies_as_in_theory(void **state)
{
	static const double table[] = { 1.876, 2.693, 5.179, 7.318 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		double p = 0;

		for (int round = 0; round < 10000; round++)
			p = exp(-(1 - p) / rhos[i]);
		assert_within(1 / (1 - p), table[i], 0.001, "the formula itself", rhos[i]);
		assert_within(
			write_amplification("fifo", 1000, 64, rhos[i]), table[i], 0.03, "fifo", rhos[i]);
	}
}

/* A block drawn at random is as full as the drive: 1 / (1 - rho).  The policy does not draw blocks that have
 * no dead page; about a share rho * WA / pages of all is that young; large blocks make this share small. */
static void test_random_amplifies_as_in_theory(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		if (!is_for_soak(i, 4))
			assert_within(write_amplification("random", 400, 1024, rhos[i]), 1 / (1 - rhos[i]),
				0.03, "random", rhos[i]);
}

/* The theories draw from all blocks.  With 4 pages to a block it matters that full ones are taken, too. */
static void test_strict_policies_amplify_as_in_theory(void **state)
{
	(void)state;
	assert_within(write_amplification("random gc.strict=true", 1000, 4, 0.7), 1 / (1 - 0.7), 0.03,
		"strict random", 0.7);
	assert_within(write_amplification("random gc.strict=true", 1000, 4, 0.8), 1 / (1 - 0.8), 0.03,
		"strict random", 0.8);
	assert_within(write_amplification("d_choices gc.d=1 gc.strict=true", 1000, 4, 0.8), 1 / (1 - 0.8),
		0.03, "strict choice of one", 0.8);
	assert_within(
		write_amplification("fifo gc.strict=true", 1000, 4, 0.7), 1.876, 0.03, "strict fifo", 0.7);
	assert_within(
		write_amplification("fifo gc.strict=true", 1000, 4, 0.8), 2.693, 0.03, "strict fifo", 0.8);
}

/* Published values of a simulation with 400 blocks of 64 pages. */
static void test_policies_amplify_as_published(void **state)
{
	static const struct {
		const char *policy;
		double published;
	} cases[] = { { "greedy", 2.65 }, { "d_choices", 2.72 }, { "fifo", 2.75 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_within(write_amplification(cases[i].policy, 400, 64, 0.8), cases[i].published, 0.03,
			cases[i].policy, 0.8);
}

/*
 * The same experiment in fifty lines of its own: blocks as plain arrays, the victim by a scan of `choices`
 * blocks drawn at random (0 = of all).  A block without a dead page wins nothing and is drawn again.
 */
struct plain {
	uint32_t blocks, pages, users, open, next, spare;
	uint32_t *where, *holds, *live; /* page of each user page; user page of each page or ~0; per block */
	uint64_t moved;
};

static void plain_put(struct plain *p, uint32_t user)
{
	if (p->where[user] != UINT32_MAX) {
		p->holds[p->where[user]] = UINT32_MAX;
		p->live[p->where[user] / p->pages]--;
	}
	p->where[user] = p->open * p->pages + p->next++;
	p->holds[p->where[user]] = user;
	p->live[p->open]++;
}

static uint32_t plain_victim(const struct plain *p, struct random *random, uint32_t choices)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < (choices ? choices : p->blocks) || best == UINT32_MAX; i++) {
		uint32_t b = choices ? (uint32_t)random_below(random, p->blocks) : i;

		if (b != p->open && b != p->spare && p->live[b] < p->pages &&
			(best == UINT32_MAX || p->live[b] < p->live[best]))
			best = b;
	}
	return best;
}

/* The open block is full: the live pages of a victim go to the spare block, which becomes the open one; the
 * victim becomes the spare. */
static void plain_collect(struct plain *p, struct random *random, uint32_t choices)
{
	uint32_t victim = plain_victim(p, random, choices);

	p->open = p->spare;
	p->next = 0;
	p->spare = victim;
	for (uint32_t page = victim * p->pages; page < (victim + 1) * p->pages; page++)
		if (p->holds[page] != UINT32_MAX) {
			plain_put(p, p->holds[page]);
			p->moved++;
		}
}

static double plain_amplification(double rho, uint32_t choices)
{
	struct plain p = { .blocks = 1000, .pages = 64, .users = (uint32_t)(rho * 999 * 64) };
	struct random random;
	uint32_t filled = 1;
	double result;

	p.where = memory_array(p.users, sizeof *p.where, "plain");
	p.holds = memory_array(p.blocks * p.pages, sizeof *p.holds, "plain");
	p.live = memory_array(p.blocks, sizeof *p.live, "plain");
	memset(p.where, 0xff, p.users * sizeof *p.where);
	memset(p.holds, 0xff, p.blocks * p.pages * sizeof *p.holds);
	random_init(&random, seed_of_run(), 12);
	p.spare = p.blocks - 1;
	for (uint64_t i = 0; i < 9 * (uint64_t)p.users; i++) {
		if (p.next == p.pages && filled < p.blocks - 1) {
			p.open = filled++;
			p.next = 0;
		}
		while (p.next == p.pages)
			plain_collect(&p, &random, choices);
		if (i == 6 * (uint64_t)p.users)
			p.moved = 0;
		plain_put(&p, i < p.users ? (uint32_t)i : (uint32_t)random_below(&random, p.users));
	}
	result = 1 + (double)p.moved / (3 * (double)p.users);
	memory_free(p.where);
	memory_free(p.holds);
	memory_free(p.live);
	return result;
}

/* Blocks of 64 pages: enough of them are full for the formula above to be 6 % too high. */
static void test_random_amplifies_as_simulated(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_within(write_amplification("random", 1000, 64, rhos[i]),
			plain_amplification(rhos[i], 1), 0.03, "random, small blocks", rhos[i]);
}

static void test_greedy_amplifies_as_simulated(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_within(write_amplification("greedy", 1000, 64, rhos[i]),
			plain_amplification(rhos[i], 0), 0.03, "greedy", rhos[i]);
}

static void test_d_choices_amplify_as_simulated(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_within(write_amplification("d_choices", 1000, 64, rhos[i]),
			plain_amplification(rhos[i], 10), 0.03, "d_choices", rhos[i]);
}

/* ---- the collector ---- */

static struct drive *small_drive(struct settings *s, const char *more)
{
	struct fault fault = { "" };
	struct drive *d;
	char text[1024];

	snprintf(text, sizeof text,
		PAPER_DRIVE "flash.channels=1 flash.dies=1 flash.planes=1 flash.blocks=32 flash.pages=8 "
			    "flash.over_provisioning=0.5 %s",
		more);
	fixture_settings(s, text);
	d = drive_create(s, true, &fault);
	if (!d)
		fail_msg("%s", fault.text);
	return d;
}

static void write_page(struct drive *d, lpn_t lpn)
{
	struct request r = { .start = lpn * 4ull, .sectors = 4, .type = REQUEST_WRITE };

	r.arrival = schedule_now(d->flash->schedule);
	assert_true(drive_submit(d, &r));
	drive_drain(d);
}

/*
 * Threshold 0.1 of 256 pages: below 26 free pages one victim is collected for each page written; with a
 * hysteresis of 0.1 it goes on until 52 are free.
 */
static void test_threshold_and_hysteresis(void **state)
{
	struct settings s;
	struct random random;

	(void)state;
	for (int hysteresis = 0; hysteresis < 2; hysteresis++) {
		struct drive *d = small_drive(
			&s, hysteresis ? "gc.threshold=0.1 gc.hysteresis=0.1" : "gc.threshold=0.1");
		const struct space_plane *plane = d->ftl->store->space->plane;
		uint64_t triggers = 0;

		random_init(&random, seed_of_run(), 5);
		for (int i = 0; i < 2000; i++) {
			uint64_t before = d->ftl->store->collector->count.collections,
				 free_before = plane->free_pages, done;

			write_page(d, (lpn_t)random_below(&random, d->geometry.logical_pages));
			done = d->ftl->store->collector->count.collections - before;
			triggers += done > 0;
			if (free_before >= 26)
				assert_int_equal(done, 0);
			else if (hysteresis)
				assert_true(plane->free_pages + 1 >= 52);
			else
				assert_int_equal(done, 1);
		}
		assert_true(triggers > 10);
		drive_check(d);
		drive_free(d);
		settings_release(&s);
	}
}

/* One page is written again and again: victims have no live page, and nothing is copied. */
static void test_dead_blocks_are_erased_without_copying(void **state)
{
	struct settings s;
	struct drive *d = small_drive(&s, "");

	(void)state;
	for (int i = 0; i < 1000; i++)
		write_page(d, 3);
	assert_true(d->ftl->store->collector->count.collections > 0);
	assert_int_equal(
		d->ftl->store->collector->count.direct_erases, d->ftl->store->collector->count.collections);
	assert_int_equal(d->ftl->store->collector->count.moved_pages, 0);
	assert_int_equal(flash_total(d->flash, OP_PROGRAM), 1000);
	drive_free(d);
	settings_release(&s);
}

/* Every page that the collector counts as moved was read and programmed for GC; every collection erased a
 * block. */
static void test_collection_is_counted_as_operations(void **state)
{
	struct settings s;
	struct drive *d = small_drive(&s, "flash.over_provisioning=0.2");
	struct random random;

	(void)state;
	random_init(&random, seed_of_run(), 6);
	for (int i = 0; i < 3000; i++)
		write_page(d, (lpn_t)random_below(&random, d->geometry.logical_pages));
	assert_true(d->ftl->store->collector->count.moved_pages > 1000);
	assert_int_equal(d->flash->count[OP_PROGRAM][CAUSE_GC], d->ftl->store->collector->count.moved_pages);
	assert_int_equal(d->flash->count[OP_READ][CAUSE_GC], d->ftl->store->collector->count.moved_pages);
	assert_int_equal(d->flash->count[OP_COPY][CAUSE_GC], d->ftl->store->collector->count.moved_pages);
	assert_int_equal(d->flash->count[OP_ERASE][CAUSE_GC], d->ftl->store->collector->count.collections);
	assert_int_equal(d->flash->count[OP_PROGRAM][CAUSE_HOST], 3000);
	drive_check(d);
	drive_free(d);
	settings_release(&s);
}

/* ---- wear ---- */

struct spread {
	uint32_t least, most;
	uint64_t moves, moved_pages, wear_programs, wear_erases, erases;
};

/* Three quarters of the pages are written once, the others again and again. */

static struct spread hot_and_cold(const char *wear)
{
	struct spread spread = { .least = UINT32_MAX };
	struct settings s;
	struct random random;
	struct drive *d = small_drive(&s, wear);
	lpn_t pages = d->geometry.logical_pages;

	random_init(&random, seed_of_run(), 4);
	for (lpn_t lpn = 0; lpn < pages; lpn++)
		write_page(d, lpn);
	for (int i = 0; i < 20000; i++)
		write_page(d, (lpn_t)random_below(&random, pages / 4));
	for (block_t b = 0; b < d->geometry.blocks; b++) {
		uint32_t erases = d->flash->block[b].erases;

		spread.least = erases < spread.least ? erases : spread.least;
		spread.most = erases > spread.most ? erases : spread.most;
		spread.erases += erases;
	}
	spread.moves = (uint64_t)statistic_in(&d->statistics, "wear.moves");
	spread.moved_pages = (uint64_t)statistic_in(&d->statistics, "wear.moved_pages");
	spread.wear_programs = d->flash->count[OP_PROGRAM][CAUSE_WEAR];
	spread.wear_erases = d->flash->count[OP_ERASE][CAUSE_WEAR];
	drive_check(d);
	drive_free(d);
	settings_release(&s);
	return spread;
}

/* Without levelling the cold blocks are never erased; with it no block stays far behind. */
static void test_static_wear_levelling_shrinks_the_spread(void **state)
{
	struct spread off = hot_and_cold("wear.delta=0"), on = hot_and_cold("wear.delta=10 wear.period=4");

	(void)state;
	assert_int_equal(off.moves, 0);
	assert_int_equal(off.least, 0);
	assert_true(off.most > 100);
	assert_true(on.most - on.least < (off.most - off.least) / 4);
	assert_true(on.moves > 10);
}

static void test_wear_levelling_keeps_its_period(void **state)
{
	struct spread spread = hot_and_cold("wear.delta=1 wear.period=100");

	(void)state;
	assert_true(spread.moves > 0);
	assert_true(spread.moves <= spread.erases / 100);
}

static void test_wear_levelling_costs_what_it_reports(void **state)
{
	struct spread on = hot_and_cold("wear.delta=10 wear.period=4");

	(void)state;
	assert_true(on.moved_pages > on.moves);
	assert_int_equal(on.wear_programs, on.moved_pages);
	assert_int_equal(on.wear_erases, on.moves);
}

/* The free block with the fewest erases next, or the one that has been free longest: the spread among hot
 * blocks is smaller with the first. */
static void test_dynamic_wear_levelling(void **state)
{
	struct spread on = hot_and_cold("wear.dynamic=true"), off = hot_and_cold("wear.dynamic=false");

	(void)state;
	assert_true(on.most < off.most);
}

/* A worn-out victim gives no block back, so the pages that its collection took from the reserve are lost:
 * cold data may not be moved into the rest.  Drives that wear out under levelling end as others do. */
static void test_wear_levelling_leaves_the_reserve(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 20; seed++) {
		struct random random;
		struct settings s;
		struct drive *d = small_drive(
			&s, "flash.over_provisioning=0.2 flash.endurance=8 wear.delta=1 wear.period=1");
		struct request r = { .sectors = 4, .type = REQUEST_WRITE };

		random_init(&random, seed_of_run() + seed, 6);
		do {
			r.arrival = schedule_now(d->flash->schedule);
			r.start = 4 * random_below(&random, d->geometry.logical_pages);
		} while (drive_submit(d, &r));
		assert_true(d->ftl->store->blocks->retired > 0);
		assert_true(statistic_in(&d->statistics, "wear.moves") > 0);
		drive_drain(d);
		drive_check(d);
		drive_free(d);
		settings_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_candidates_are_the_closed_blocks),
		cmocka_unit_test(test_greedy_against_a_scan),
		cmocka_unit_test(test_patient_against_a_scan),
		cmocka_unit_test(test_patient_passes_over_what_was_just_filled),
		cmocka_unit_test(test_fifo_against_a_scan),
		cmocka_unit_test(test_cost_benefit_against_a_scan),
		cmocka_unit_test(test_random_picks_what_can_be_reclaimed),
		cmocka_unit_test(test_d_choices_picks_what_can_be_reclaimed),
		cmocka_unit_test(test_random_is_fair),
		cmocka_unit_test(test_strict_fifo_against_a_scan),
		cmocka_unit_test(test_strict_random_is_fair),
		cmocka_unit_test(test_strict_policies_amplify_as_in_theory),
		cmocka_unit_test(test_d_choices_between_random_and_greedy),
		cmocka_unit_test(test_d_choices_draws_no_more_than_it_can_use),
		cmocka_unit_test(test_no_policy_picks_what_wins_nothing),
		cmocka_unit_test(test_fifo_amplifies_as_in_theory),
		cmocka_unit_test(test_random_amplifies_as_in_theory),
		cmocka_unit_test(test_policies_amplify_as_published),
		cmocka_unit_test(test_random_amplifies_as_simulated),
		cmocka_unit_test(test_greedy_amplifies_as_simulated),
		cmocka_unit_test(test_d_choices_amplify_as_simulated),
		cmocka_unit_test(test_threshold_and_hysteresis),
		cmocka_unit_test(test_dead_blocks_are_erased_without_copying),
		cmocka_unit_test(test_collection_is_counted_as_operations),
		cmocka_unit_test(test_static_wear_levelling_shrinks_the_spread),
		cmocka_unit_test(test_wear_levelling_keeps_its_period),
		cmocka_unit_test(test_wear_levelling_costs_what_it_reports),
		cmocka_unit_test(test_dynamic_wear_levelling),
		cmocka_unit_test(test_wear_levelling_leaves_the_reserve),
	};

	return cmocka_run_group_tests_name("collection", tests, NULL, NULL);
}
