/*
 * Wear levelling.  Dynamic: which free block is opened next.  Static: blocks of cold data are never chosen as
 * victims; their data is moved into worn blocks, so that their own, less worn cells come into use.  It is
 * done after a collection, for at most one block every wear.period erases of a plane.
 */
#include "flash/schedule.h"
#include "gc/tools/tool.h"

struct wear_settings {
	bool dynamic, lowest;
	uint64_t delta, period; /* delta 0: no static levelling */
};

struct wear_statistics {
	uint64_t moves, moved_pages;
};

struct wear {
	unsigned stream; /* for cold data; cold mapping pages go to the stream of mapping pages */
	struct wear_statistics count, uncounted;
};

#define WEAR(type, field) PARAM(type, struct wear_settings, field)

static const struct param wear_params[] = {
	{ WEAR(BOOL, dynamic), 0, 1, "", "true",
		"the free block with the fewest erases is used next; off = the one that has been free "
		"longest" },
	{ WEAR(BOOL, lowest), 0, 1, "", "false",
		"the free block with the lowest number is used next, whatever its wear, as in models "
		"without wear" },
	{ WEAR(UINT, delta), 0, 1e9, "erases", "0",
		"difference between the most and the least worn block of a plane from which cold data is "
		"moved; 0 = never" },
	{ WEAR(UINT, period), 1, 1e9, "erases", "16",
		"cold data moves at most once per this many erases of a plane",
		.matters_if = "wear.delta!=0" },
	{ 0 },
};

static void wear_wants(const void *settings, struct tool_wants *wants)
{
	const struct wear_settings *s = settings;

	wants->order = s->lowest ? FREE_LOWEST : s->dynamic ? FREE_LEAST_WORN : FREE_OLDEST;
}

static bool wear_claim(struct tool *t, struct tool_needs *needs, struct fault *fault)
{
	const struct wear_settings *settings = t->settings;
	struct wear *w = t->state;

	(void)fault;
	w->stream = needs->count++;
	needs->streams[w->stream] =
		(struct stream){ "wear", .survivors = needs->streams[STREAM_HOST].survivors, .worn = true };
	needs->open_blocks += settings->delta > 0;
	needs->cold_blocks += settings->delta > 0;
	return true;
}

/* The closed block of the plane with the fewest erases; BLOCK_NONE: none.  `*most`: erases of the most worn
 * block. */
static block_t wear_coldest(const struct space *s, plane_t plane, uint32_t *most)
{
	block_t first = plane * s->geometry->blocks_per_plane, cold = BLOCK_NONE;

	*most = 0;
	for (block_t b = first; b < first + s->geometry->blocks_per_plane; b++) {
		uint32_t erases = s->flash->block[b].erases;

		*most = erases > *most ? erases : *most;
		if (s->block[b].state == BLOCK_CLOSED &&
			(cold == BLOCK_NONE || erases < s->flash->block[cold].erases))
			cold = b;
	}
	return cold;
}

static void wear_level(struct tool *t, struct io *io, plane_t plane)
{
	const struct wear_settings *settings = t->settings;
	struct space *s = t->space;
	struct wear *w = t->state;
	struct wear_statistics *count = io->timed ? &w->count : &w->uncounted;
	const struct stream *from;
	uint32_t most;
	block_t cold;

	if (!settings->delta || s->blocks->plane[plane].erases % settings->period)
		return;
	cold = wear_coldest(s, plane, &most);
	if (cold == BLOCK_NONE || most - s->flash->block[cold].erases <= settings->delta ||
		blocks_left(s->blocks, plane) <= s->reserve)
		return;
	from = space_stream(s, cold);
	schedule_note(s->flash->schedule,
		"wear: block %u has %u erases, another of its plane %u: what it holds moves", cold,
		s->flash->block[cold].erases, most);
	collector_count(t->collector, io)->map_erases += from->map;
	count->moved_pages += collector_reclaim(
		t->collector, io, cold, from->map ? from->survivors : w->stream, CAUSE_WEAR, UINT32_MAX);
	count->moves++;
}

static void wear_check(const struct tool *t)
{
	uint64_t medium = t->space->flash->count[OP_PROGRAM][CAUSE_WEAR];
	const struct wear *w = t->state;

	BUG_ON(medium != w->count.moved_pages, "the medium counts %llu cold pages moved, wear levelling %llu",
		(unsigned long long)medium, (unsigned long long)w->count.moved_pages);
}

#define COUNT(name) STAT_COUNT, offsetof(struct wear_statistics, name)

static const struct stat_row wear_rows[] = {
	{ "wear.moves", "blocks", "emptied by static wear levelling", COUNT(moves) },
	{ "wear.moved_pages", "pages", "copied by it", COUNT(moved_pages) },
	{ 0 },
};

static void wear_statistics(struct tool *t, struct stat_list *list)
{
	struct wear *w = t->state;

	stat_list_add(list, (struct stat_group){ NULL, NULL, wear_rows, &w->count, sizeof w->count });
}

static const struct state_row wear_state[] = {
	STATE_FIXED(stream),
	STATE_COUNTED(count, uncounted),
	{ 0 },
};

static const struct refusal wear_refusals[] = {
	{ "placement.superblock", "@units", "wear.delta", "wear.delta!=0",
		"levels blocks; a unit is levelled as a whole or not at all: set wear.delta = 0" },
	{ 0 },
};

const struct store_tool tool_wear = {
	.name = "wear",
	.params = wear_params,
	.settings_size = sizeof(struct wear_settings),
	.refusals = wear_refusals,
	.size = sizeof(struct wear),
	.state = wear_state,
	.wants = wear_wants,
	.claim = wear_claim,
	.collected = wear_level,
	.check = wear_check,
	.statistics = wear_statistics,
};
