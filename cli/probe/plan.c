/* Which jobs: a table of series, and how many requests of each a drive of a given size has room for. */
#include "base/memory.h"
#include "cli/probe/probe.h"

#include <inttypes.h>

#define K UINT64_C(1024)
#define M (K * K)

/* A job that writes is limited to a share of the drive, so that no stage but the last one collects. */
enum { PROBE_SHARE = 64, PROBE_REGION_SHARE = 8, PROBE_BURSTS = 8, PROBE_FEWEST = 8 };
/* The fill is measured in PROBE_PARTS parts; a round of overwriting is 1 / PROBE_ROUND_SHARE of the drive. */
enum { PROBE_FILLED = 128 << 10, PROBE_PARTS = 20, PROBE_ROUND_SHARE = 40, PROBE_ROUNDS = 24 };

static const struct probe_series probe_table[] = {
	{ "empty-read", "random reads of a drive that was never written, by size", PROBE_EMPTY, 100, false,
		PROBE_BY_SIZE, 512, 128 * K, 0, 1, 1000 },
	{ "first", "the first writes, in order", PROBE_FRESH, 0, true, PROBE_BY_REGION, 256 * M, 256 * M,
		64 * K, 8, 1 },
	{ "write", "random writes, one at a time, by size", PROBE_FRESH, 0, false, PROBE_BY_SIZE, 512, M, 0,
		1, 1000 },
	{ "write-4k", "random writes of 4 KiB, by the number in the drive", PROBE_FRESH, 0, false,
		PROBE_BY_DEPTH, 1, 256, 4 * K, 0, 2000 },
	{ "rewrite", "random writes of 64 KiB within a region, by its size", PROBE_MEMORY, 0, false,
		PROBE_BY_REGION, M, 512 * M, 64 * K, 1, 1 },
	{ "burst", "bursts of writes of 64 KiB after a pause of 0.5 s, by size of the burst", PROBE_MEMORY, 0,
		false, PROBE_BY_BURST, 128 * K, 64 * M, 64 * K, 0, 1 },
	{ "flush", "random writes with a FLUSH behind each, one at a time, by size", PROBE_CACHE, 0, false,
		PROBE_BY_SIZE, 512, 32 * K, 0, 1, 64, .flushes = true },
	{ "cache", "parts that follow one another in order, 128 KiB, 32 in the drive, by size", PROBE_CACHE,
		0, true, PROBE_BY_PLACE, 4 * M, UINT64_C(1) << 50, PROBE_FILLED, 32, 1 },
	{ "fill", "the whole drive in order, 128 KiB, 32 in the drive, by twentieths", PROBE_FULL, 0, true,
		PROBE_BY_PART, 1, PROBE_PARTS, PROBE_FILLED, 32, 1 },
	{ "read", "random reads, one at a time, by size", PROBE_FULL, 100, false, PROBE_BY_SIZE, 512, M, 0, 1,
		1000, .middle = true },
	{ "read-4k", "random reads of 4 KiB, by the number in the drive", PROBE_FULL, 100, false,
		PROBE_BY_DEPTH, 1, 256, 4 * K, 0, 4000 },
	{ "stream", "reads in order, 128 KiB, by the number in the drive", PROBE_FULL, 100, true,
		PROBE_BY_DEPTH, 1, 32, 128 * K, 0, 4000 },
	{ "overwrite", "random writes of 16 KiB, 32 in the drive, in rounds of a fortieth of the drive",
		PROBE_FULL, 0, false, PROBE_BY_ROUND, 1, PROBE_ROUNDS, 16 * K, 32, 1 },
	{ "beside", "reads beside as many writes, at random, 4 KiB, by the number in the drive", PROBE_FULL,
		50, false, PROBE_BY_DEPTH, 1, 32, 4 * K, 0, 2000 },
};

static void probe_name(char *text, size_t room, const struct probe_series *s, uint64_t value)
{
	if (s->by == PROBE_BY_PART || s->by == PROBE_BY_ROUND)
		snprintf(text, room, "%s-%02" PRIu64, s->name, value);
	else if (s->by == PROBE_BY_DEPTH || value < K)
		snprintf(text, room, "%s-%" PRIu64, s->name, value);
	else
		snprintf(text, room, "%s-%" PRIu64 "%c", s->name, value < M ? value / K : value / M,
			value < M ? 'k' : 'm');
}

/* Sets what depends on the value of the series.  False: the drive is too small for it. */
static bool probe_fit_job(struct probe_job *j, uint64_t value, uint64_t drive)
{
	const struct probe_series *s = j->series;
	uint64_t most;

	j->bytes = s->by == PROBE_BY_SIZE ? value : s->bytes;
	j->depth = s->by == PROBE_BY_DEPTH ? value : s->depth;
	j->region = drive / j->bytes * j->bytes;
	if (s->middle) {
		j->offset = j->region / j->bytes * 2 / 5 * j->bytes;
		j->region = j->region / j->bytes * 4 / 5 * j->bytes - j->offset;
	}
	j->requests = s->requests + (s->by == PROBE_BY_DEPTH ? 40 * value : 0);
	switch (s->by) {
	case PROBE_BY_REGION:
		j->region = value;
		j->requests = value / j->bytes * (s->in_order ? 1 : 4);
		return value <= drive / PROBE_REGION_SHARE;
	case PROBE_BY_BURST:
		j->burst = j->depth = value / j->bytes;
		j->requests = PROBE_BURSTS * j->burst;
		return value <= drive / PROBE_SHARE;
	case PROBE_BY_PLACE:
		j->offset = j->region = value;
		j->requests = value / j->bytes;
		return value <= drive / 4;
	case PROBE_BY_PART:
		j->offset = drive / j->bytes * (value - 1) / PROBE_PARTS * j->bytes;
		j->region = drive / j->bytes * value / PROBE_PARTS * j->bytes - j->offset;
		j->requests = j->region / j->bytes;
		return true;
	case PROBE_BY_ROUND:
		j->requests = drive / PROBE_ROUND_SHARE / j->bytes;
		return true;
	default:
		most = s->reads == 100 ? UINT64_MAX : drive / PROBE_SHARE / j->bytes;
		j->requests = j->requests < most ? j->requests : most;
		return j->requests >= PROBE_FEWEST;
	}
}

/* First value of the series.  On a small drive the region of the first writes is halved until it fits. */
static uint64_t probe_first(const struct probe_series *s, uint64_t drive)
{
	uint64_t value = s->from;

	while (s->by == PROBE_BY_REGION && s->from == s->to && value > drive / PROBE_REGION_SHARE)
		value /= 2;
	return value;
}

void probe_plan_make(struct probe_plan *p, uint64_t bytes)
{
	enum { SERIES = sizeof probe_table / sizeof *probe_table, EACH = 32 };

	bytes -= bytes % PROBE_FILLED; /* so that reads find only sectors that were filled */
	p->job = memory_array(SERIES * EACH, sizeof *p->job, "plan");
	p->jobs = 0;
	for (const struct probe_series *s = probe_table; s < probe_table + SERIES; s++) {
		bool counted = s->by == PROBE_BY_PART || s->by == PROBE_BY_ROUND;

		for (uint64_t value = probe_first(s, bytes); value <= s->to; value += counted ? 1 : value) {
			struct probe_job *j = &p->job[p->jobs];

			*j = (struct probe_job){ .series = s };
			probe_name(j->name, sizeof j->name, s, value);
			p->jobs += probe_fit_job(j, value, bytes);
			if (s->from == s->to)
				break;
		}
	}
}

void probe_plan_free(struct probe_plan *p)
{
	memory_free(p->job);
}
