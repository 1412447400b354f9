#include "traces/generate.h"

#include "base/memory.h"
#include "traces/generate_find.h"
#include "traces/generate_math.h"
#include "traces/generate_profile.h"
#include "traces/generate_ranges.h"

#include <math.h>

/* Streams of random numbers; the last is followed by one for each kind. */
enum { STREAM_TYPES = 101, STREAM_GAPS, STREAM_KIND };

/*
 * Multiples of these, taken modulo 1 (2^64), are spread evenly over [0, 1): the golden section,
 * and sqrt 2, which does not beat with it.
 */
#define EVEN_SHAPE 0x9e3779b97f4a7c15u /* 0.6180339887498949 * 2^64 */
#define EVEN_PLACE 0.4142135623730951

struct place {
	sector_t start;
	uint32_t sectors;
};

/* The reads or the writes. */
struct actor {
	const struct kind_settings *settings;
	const struct mix *sizes;
	struct random random;
	uint64_t left;    /* requests still to be made */
	double run_share; /* share of sequential requests among those that may be sequential */

	struct zipf popularity; /* of places, by rank */
	uint64_t step, phase;   /* place number -> pair of grid points */
	uint64_t shape_phase;   /* place number -> grid point of the pair, length */

	sector_t *cursor;     /* where each run continues */
	struct place *recent; /* ring of the last places, newest at `newest` */
	uint64_t known, newest;
};

struct generator {
	struct profile profile;
	struct align align;
	struct ranges ranges;
	struct actor actor[KINDS];
	struct random types, gaps;
	sector_t sectors, grid, offset;
	uint64_t blocks; /* grid points of the space */
	uint64_t requests, made;
	tick_t now;
	unsigned kind;     /* of the current request */
	bool same_kind;    /* as the previous request */
	struct place last; /* of the previous request */
};

/* ---- places ---- */

/*
 * A request at a grid point.  `where` is any number; it determines where a request smaller than the grid
 * begins inside its block.  A request that would exceed the space is moved back by whole blocks.
 */
static struct place place_on_grid(const struct generator *g, uint64_t block, uint64_t sectors, uint64_t where)
{
	sector_t start = block * g->grid + g->offset + align_residue(&g->align, block * g->grid);

	if (sectors < g->grid && draw_unit_of(where) >= g->profile.head)
		start += where % (g->grid - sectors + 1);
	if (start + sectors > g->sectors)
		start -= (start + sectors - g->sectors + g->grid - 1) / g->grid * g->grid;
	return (struct place){ start, (uint32_t)sectors };
}

static uint64_t actor_draw_sectors(struct actor *a)
{
	return mix_value(a->sizes, random_unit(&a->random));
}

/* Draws in separate statements, because C does not define the order in which arguments are evaluated. */
static struct place place_anywhere(struct generator *g, struct actor *a)
{
	uint64_t sectors = actor_draw_sectors(a);
	uint64_t where = random_next(&a->random);
	uint64_t block = random_below(&a->random, g->blocks);

	return place_on_grid(g, block, sectors, where);
}

/*
 * A place is a pure function of its number.  Its properties - first or second grid point of a pair (of an 8
 * KB page, if the grid is 4 KB), length, and address - are spread evenly over the numbers, so that the few
 * hottest places do not decide the size mix or the across-page ratio of the whole trace.  Over all numbers,
 * each grid point occurs once.
 */
static struct place place_numbered(const struct generator *g, const struct actor *a, uint64_t number)
{
	uint64_t pairs = g->blocks / 2;
	uint64_t low = number % pairs;
	uint64_t shape = low * EVEN_SHAPE + a->shape_phase;
	uint64_t pair = (low * a->step + a->phase) % pairs;
	uint64_t half = shape >> 63 ^ (number >= pairs);
	uint64_t sectors = mix_quantile(a->sizes, draw_unit_of(shape << 1));

	return place_on_grid(g, 2 * pair + half, sectors, scramble(number ^ a->phase));
}

/* The kind whose places a repeat takes: its own or, for the share `other`, the other kind. */
static struct actor *actor_owner(struct generator *g, struct actor *a)
{
	if (a->settings->other > 0 && random_unit(&a->random) < a->settings->other)
		return &g->actor[a == &g->actor[KIND_READ] ? KIND_WRITE : KIND_READ];
	return a;
}

static struct place place_resized(struct generator *g, struct actor *a, struct place place)
{
	uint64_t sectors;

	if (a->settings->resized <= 0 || random_unit(&a->random) >= a->settings->resized)
		return place;
	sectors = actor_draw_sectors(a);
	if (place.start + sectors <= g->sectors)
		place.sectors = (uint32_t)sectors;
	return place;
}

/* For the share `shifted`: another grid point from which a request of a new length overlaps the place, all
 * equally likely; the place itself if there is none. */
static struct place place_shifted(struct generator *g, struct actor *a, struct place place)
{
	uint64_t sectors, before, choices, choice;
	sector_t start;

	if (a->settings->shifted <= 0 || random_unit(&a->random) >= a->settings->shifted)
		return place;
	sectors = actor_draw_sectors(a);
	before = (sectors - 1) / g->grid;
	choices = before + (place.sectors - 1) / g->grid;
	choice = choices ? random_below(&a->random, choices) : 0;
	start = choice < before ? place.start - (choice + 1) * g->grid
				: place.start + (choice - before + 1) * g->grid;
	if (!choices || start > place.start + place.sectors || start + sectors > g->sectors)
		return place;
	return (struct place){ start, (uint32_t)sectors };
}

/* Repeats a place, possibly with a new length or start. */
static struct place place_repeated(struct generator *g, struct actor *a, struct place place)
{
	return place_shifted(g, a, place_resized(g, a, place));
}

static struct place place_popular(struct generator *g, struct actor *a)
{
	const struct actor *whose = actor_owner(g, a);

	return place_repeated(g, a, place_numbered(g, whose, zipf_draw(&whose->popularity, &a->random)));
}

/* Draws from 0 .. limit-1; the ranges 0, 1 to 2, 3 to 6, 7 to 14 ... are equally likely. */
static uint64_t actor_draw_octaves(struct actor *a, uint64_t limit)
{
	unsigned octaves = 64 - (unsigned)__builtin_clzll(limit);
	uint64_t first = ((uint64_t)1 << random_below(&a->random, octaves)) - 1;
	uint64_t width = first + 1 < limit - first ? first + 1 : limit - first;

	return first + random_below(&a->random, width);
}

/* Draws one of the last places of `whose`, which must have at least one. */
static struct place actor_recall(struct actor *a, const struct actor *whose)
{
	uint64_t depth = whose->settings->recent_depth;

	return whose->recent[(whose->newest + depth - actor_draw_octaves(a, whose->known)) % depth];
}

static struct place place_recent(struct generator *g, struct actor *a)
{
	const struct actor *whose = actor_owner(g, a);

	return whose->known ? place_repeated(g, a, actor_recall(a, whose)) : place_anywhere(g, a);
}

static struct place place_near(struct generator *g, struct actor *a)
{
	uint64_t sectors = actor_draw_sectors(a), distance, block;

	if (!a->known)
		return place_anywhere(g, a);
	block = actor_recall(a, a).start / g->grid;
	distance = 1 + actor_draw_octaves(a, a->settings->near_span / SECTOR_BYTES / g->grid);
	if (random_below(&a->random, 2))
		block = block + distance < g->blocks ? block + distance : g->blocks - 1;
	else
		block = block > distance ? block - distance : 0;
	return place_on_grid(g, block, sectors, random_next(&a->random));
}

static void actor_remember(struct actor *a, struct place place)
{
	if (a->settings->recent_depth > a->known)
		a->known++;
	if (++a->newest >= a->settings->recent_depth)
		a->newest = 0;
	a->recent[a->newest] = place;
}

/* ---- runs ---- */

static uint64_t actor_draw_stream(struct actor *a)
{
	return a->settings->streams == 1 ? 0 : random_below(&a->random, a->settings->streams);
}

/* A run continues at the next grid point; for a request of whole blocks this is its end. */
static sector_t place_after(const struct generator *g, struct place place)
{
	return place.start + (place.sectors + g->grid - 1) / g->grid * g->grid;
}

/* Continues one of the runs of this kind. */
static struct place place_next_of_stream(struct generator *g, struct actor *a)
{
	sector_t *cursor = &a->cursor[actor_draw_stream(a)];
	struct place place = { *cursor, (uint32_t)actor_draw_sectors(a) };

	if (place.start + place.sectors > g->sectors)
		place = place_on_grid(g, 0, place.sectors, 0);
	*cursor = place_after(g, place);
	return place;
}

static struct place place_next_of_last(struct generator *g, struct actor *a)
{
	struct place place = { g->last.start + g->last.sectors, (uint32_t)actor_draw_sectors(a) };

	return place.start + place.sectors > g->sectors ? place_on_grid(g, 0, place.sectors, 0) : place;
}

static bool actor_may_continue(const struct generator *g, const struct actor *a)
{
	return a->settings->follow != RUN_LAST || g->same_kind;
}

/* A request that does not continue a run: a repeat or a new place.  A run may start there. */
static struct place place_fresh(struct generator *g, struct actor *a)
{
	const struct kind_settings *s = a->settings;
	double u = random_unit(&a->random) * (1 - s->sequential);
	bool repeat = (u -= s->recent + s->popular) < 0;
	struct place place;

	if (repeat)
		place = u + s->popular < 0 ? place_recent(g, a) : place_popular(g, a);
	else
		place = u < s->near ? place_near(g, a) : place_anywhere(g, a);
	if (!repeat || s->follow == RUN_ANY)
		a->cursor[actor_draw_stream(a)] = place_after(g, place);
	return place;
}

static struct place place_next(struct generator *g, struct actor *a)
{
	if (actor_may_continue(g, a) && random_unit(&a->random) < a->run_share)
		return a->settings->follow == RUN_LAST ? place_next_of_last(g, a)
						       : place_next_of_stream(g, a);
	return place_fresh(g, a);
}

/* ---- requests ---- */

/* Each kind is drawn with its share of the remaining requests, so that the final counts are exact. */
static unsigned generator_next_kind(struct generator *g)
{
	uint64_t reads = g->actor[KIND_READ].left, writes = g->actor[KIND_WRITE].left;

	if (!reads || !writes)
		return writes ? KIND_WRITE : KIND_READ;
	if (g->made && random_unit(&g->types) < g->profile.together)
		return g->kind;
	return random_below(&g->types, reads + writes) < writes ? KIND_WRITE : KIND_READ;
}

static tick_t generator_next_gap(struct generator *g)
{
	double mean = (double)mix_value(&g->profile.gap_mix, random_unit(&g->gaps));

	if (g->profile.gap_law == GAP_EXPONENTIAL)
		mean *= -portable_log1p(-random_unit(&g->gaps));
	return (tick_t)(mean + 0.5);
}

/* The next request of the current range.  The requests were counted, so there must be one. */
static struct place place_next_in_range(struct generator *g)
{
	struct extent e = { 0, 0 };

	BUG_ON(!ranges_next(&g->ranges, &e), "ranges end before request %llu of %llu",
		(unsigned long long)g->made + 1, (unsigned long long)g->requests);
	return (struct place){ e.start, (uint32_t)extent_sectors(e) };
}

static struct place generator_next_place(struct generator *g, struct actor *a)
{
	struct place place;

	if (g->profile.range_bytes)
		return place_next_in_range(g);
	place = place_next(g, a);
	actor_remember(a, place);
	return place;
}

bool generator_next(struct generator *g, struct request *request)
{
	unsigned kind;

	if (g->made == g->requests)
		return false;
	kind = generator_next_kind(g);
	g->same_kind = g->made && kind == g->kind;
	g->kind = kind;
	g->actor[kind].left--;
	g->last = generator_next_place(g, &g->actor[kind]);
	if (g->made)
		g->now += generator_next_gap(g);
	*request = (struct request){
		.arrival = g->now,
		.start = g->last.start,
		.line = ++g->made,
		.sectors = g->last.sectors,
		.type = kind == KIND_WRITE ? REQUEST_WRITE : REQUEST_READ,
	};
	return true;
}

/* ---- opening ---- */

static uint64_t generator_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A step that visits each of n points once, with consecutive points far apart. */
static uint64_t generator_even_step(uint64_t n)
{
	uint64_t step = (uint64_t)(EVEN_PLACE * (double)n) | 1;

	while (generator_common_divisor(step, n) != 1)
		step += 2;
	return step;
}

static void actor_open(struct generator *g, unsigned kind)
{
	struct actor *a = &g->actor[kind];
	const struct kind_settings *s = &g->profile.kind[kind];
	double wanted = floor(s->places * (double)a->left + 0.5);
	uint64_t pairs = g->blocks / 2, places = 2 * pairs;

	a->settings = s;
	a->run_share = s->sequential;
	if (s->follow == RUN_LAST && s->sequential > 0)
		a->run_share /= profile_after_own_kind(&g->profile, kind);
	a->sizes = &g->profile.size_mix[kind];
	random_init(&a->random, g->profile.seed, STREAM_KIND + kind);
	if (s->places > 0 && wanted < (double)places)
		places = wanted < 1 ? 1 : (uint64_t)wanted;
	zipf_init(&a->popularity, places, s->zipf, floor(s->flat * (double)places));
	a->step = generator_even_step(pairs);
	a->phase = random_below(&a->random, pairs);
	a->shape_phase = random_next(&a->random);
	a->recent = memory_array(s->recent_depth, sizeof *a->recent, "recent places");
	a->cursor = memory_array(s->streams, sizeof *a->cursor, "sequential runs");
	for (uint64_t i = 0; i < s->streams; i++)
		a->cursor[i] = place_on_grid(g, g->blocks / s->streams * i, g->grid, 0).start;
}

static uint64_t generator_count(const struct generator *g)
{
	const struct profile *p = &g->profile;

	return p->range_bytes ? ranges_count(g->ranges, p->requests ? p->requests : UINT64_MAX) : p->requests;
}

struct generator *generator_open(const char *profile, char *const overrides[], size_t n, struct fault *fault)
{
	struct generator *g = memory_array(1, sizeof *g, "generator");
	struct profile *p = &g->profile;

	if (!profile_open(p, profile, overrides, n, fault)) {
		memory_free(g);
		return NULL;
	}
	g->sectors = p->space / SECTOR_BYTES;
	g->grid = p->grid / SECTOR_BYTES;
	g->offset = p->offset / SECTOR_BYTES;
	g->blocks = g->sectors / g->grid;
	random_init(&g->types, p->seed, STREAM_TYPES);
	random_init(&g->gaps, p->seed, STREAM_GAPS);
	align_init(&g->align, &p->align, g->sectors, p->seed);
	g->ranges = ranges_create(
		&p->size_mix[KIND_READ], g->sectors, p->range_bytes / SECTOR_BYTES, g->grid, p->seed);
	g->requests = generator_count(g);
	g->actor[KIND_WRITE].left = (uint64_t)(p->write_share * (double)g->requests + 0.5);
	g->actor[KIND_READ].left = g->requests - g->actor[KIND_WRITE].left;
	for (unsigned kind = 0; kind < KINDS; kind++)
		actor_open(g, kind);
	return g;
}

void generator_close(struct generator *g)
{
	if (!g)
		return;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		memory_free(g->actor[kind].cursor);
		memory_free(g->actor[kind].recent);
	}
	profile_release(&g->profile);
	memory_free(g);
}

uint64_t generator_requests(const struct generator *g)
{
	return g->requests;
}

uint64_t generator_sectors(const struct generator *g)
{
	return g->sectors;
}

uint64_t generator_seed(const struct generator *g)
{
	return g->profile.seed;
}

bool generator_known(const char *profile)
{
	char *path = profile_find(profile);
	bool known = path || built_in_text(built_in_profiles, profile);

	memory_free(path);
	return known;
}

void generator_list(void (*visit)(void *context, const char *name, const char *brief), void *context)
{
	profile_list(visit, context);
}
