/*
 * A tool of the store to copy: a feature of the drive in one file, with every step explained.
 *
 *   1. make new-tool NAME=mine   (copies this file to gc/tools/mine.c, adds TOOL(mine) to gc/tools/list.h)
 *   2. make check-tool NAME=mine   (the conformance suite of page mapping with mine.on=true, verified runs)
 *   3. ./ssd run --verify -s mine.on=true class zipf
 *
 * This one counts the blocks that are erased in each plane and, after so many of them, collects one more
 * block as soon as the drive is idle.  What a tool can do beside that is in gc/tools/tool.h: claim streams
 * and blocks, choose where data of the host goes, work before a request or when room is made.
 */
#include "gc/tools/tool.h"

#include "base/memory.h"

/* Parameters: `skeleton: { on = true; every = 20; };` in a parameter file. */
struct skeleton_settings {
	bool on;
	uint64_t every, idle_ns;
};

#define SKELETON(type, field) PARAM(type, struct skeleton_settings, field)

static const struct param skeleton_params[] = {
	/* While this is off, the group is printed nowhere. */
	{ SKELETON(BOOL, on), 0, 1, "", "false", "collect a block when the drive is idle", .switches = true },
	{ SKELETON(UINT, every), 1, 1e9, "blocks", "8", "one for so many erased blocks of a plane",
		.matters_if = "skeleton.on=true" },
	{ SKELETON(UINT, idle_ns), 1, 1e18, "ns", "1000000", "no request has been in the drive for so long",
		.matters_if = "skeleton.on=true" },
	{ 0 },
};

/* Counters: the drive zeroes them when the measurement begins, and reports them. */
struct skeleton_statistics {
	uint64_t blocks;
};

/* All that the tool remembers.  The store allocates it, zeroed, if the tool is on. */
struct skeleton {
	uint32_t *erased; /* per plane: blocks since the last one was collected in idle time */
	struct skeleton_statistics count;
};

static bool skeleton_is_on(const void *settings)
{
	return ((const struct skeleton_settings *)settings)->on;
}

/* Space and collector are there. */
static void skeleton_init(struct tool *t)
{
	struct skeleton *s = t->state;

	s->erased = memory_array(t->space->geometry->planes, sizeof *s->erased, "skeleton");
}

static void skeleton_exit(struct tool *t)
{
	memory_free(((struct skeleton *)t->state)->erased);
}

/* What a block goes through: it is opened, filled, erased. */
static void skeleton_heard(struct tool *t, block_t b, enum block_event event)
{
	struct skeleton *s = t->state;

	if (event == BLOCK_ERASED)
		s->erased[geometry_plane(t->space->geometry, b)]++;
}

/* Work in idle time begins when no request has been in the drive for so long. */
static uint64_t skeleton_wait(const void *settings)
{
	return ((const struct skeleton_settings *)settings)->idle_ns;
}

/* Works in one plane; *moved: pages that were moved.  False: there is nothing to do. */
static bool skeleton_idle(struct tool *t, struct io *io, plane_t plane, uint32_t pages, uint64_t *moved)
{
	const struct skeleton_settings *settings = t->settings;
	struct skeleton *s = t->state;
	uint64_t before = t->space->handed_out;

	(void)pages; /* a whole block, whatever upkeep.step_pages says */
	if (s->erased[plane] < settings->every)
		return false;
	s->erased[plane] = 0;
	if (!collector_collect(t->collector, io, plane))
		return false;
	*moved = t->space->handed_out - before;
	s->count.blocks++;
	return true;
}

/* How the state is saved with a drive: a row for each field (base/state.h). */
static const struct state_row skeleton_state[] = {
	STATE_NUMBERS(struct skeleton, erased),
	STATE_COUNTED(count),
	{ 0 },
};

static const struct stat_row skeleton_rows[] = {
	{ "skeleton.blocks", "blocks", "collected when the drive was idle", STAT_COUNT,
		offsetof(struct skeleton_statistics, blocks) },
	{ 0 },
};

static void skeleton_statistics(struct tool *t, struct stat_list *list)
{
	struct skeleton *s = t->state;

	stat_list_add(list, (struct stat_group){ .title = "skeleton",
				    .rows = skeleton_rows,
				    .values = &s->count,
				    .size = sizeof s->count });
}

/* Settings that it does not go with: `ftl` may not be one without collections. */
static const struct refusal skeleton_refusals[] = {
	{ "skeleton.on", NULL, "ftl", "@collects_nothing", NEEDS_COLLECTION("it needs") },
	{ 0 },
};

/* The table: the only name that other files see, by the line in gc/tools/list.h. */
const struct store_tool tool_skeleton = {
	.name = "skeleton",
	.params = skeleton_params,
	.settings_size = sizeof(struct skeleton_settings),
	.refusals = skeleton_refusals,
	.size = sizeof(struct skeleton),
	.state = skeleton_state,
	.is_on = skeleton_is_on,
	.init = skeleton_init,
	.exit = skeleton_exit,
	.heard = skeleton_heard,
	.wait = skeleton_wait,
	.idle = skeleton_idle,
	.statistics = skeleton_statistics,
};
