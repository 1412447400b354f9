/*
 * Bad blocks: bad from the start and never used.  They are listed, drawn at random, or both.
 *
 * A plane then has fewer blocks.  With units (gc/space/units.h), unit i consists of the i-th good block of
 * each plane, or, without bad.remap, units with a bad block are lost.
 */
#include "gc/tools/tool.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

struct bad_settings {
	char *list; /* numbers of blocks in the drive, separated by blanks or commas */
	double share;
	bool remap;
};

#define BAD(type, field) PARAM(type, struct bad_settings, field)

static const struct param bad_params[] = {
	{ BAD(TEXT, list), 0, 0, "", "",
		"blocks that are never used: their numbers in the drive (plane * flash.blocks + block), "
		"separated by blanks or commas",
		.switches = true },
	{ BAD(REAL, share), 0, 0.9, "share", "0",
		"each block is never used with this probability; drawn with the seed", .switches = true },
	{ BAD(BOOL, remap), 0, 1, "", "true",
		"a unit is made of the next good block of each plane; false = of the blocks of one number, "
		"and is lost if one of them is bad",
		.matters_if = "placement.superblock=unit" },
	{ 0 },
};

static const struct refusal bad_refusals[] = {
	{ "bad.list", "bad.list!=", "ftl", "@collects_nothing", NEEDS_COLLECTION("bad blocks need") },
	{ "bad.share", "bad.share!=0", "ftl", "@collects_nothing", NEEDS_COLLECTION("bad blocks need") },
	{ 0 },
};

static void bad_add(struct bad_blocks *b, const struct geometry *g, block_t block)
{
	uint32_t *of_plane = &b->of_plane[geometry_plane(g, block)];

	if (bad_block(b, block))
		return;
	bits_set(b->block, block);
	b->count++;
	if (++*of_plane > b->most)
		b->most = *of_plane;
}

static bool bad_read_list(
	struct bad_blocks *b, const char *list, const struct geometry *g, struct fault *fault)
{
	static const char between[] = " ,";
	const char *at = list + strspn(list, between);

	while (*at) {
		char *end;
		unsigned long long block = strtoull(at, &end, 10);

		if (*at < '0' || *at > '9' || (*end && !strchr(between, *end)))
			return fault_set(
				fault, "bad.list: \"%.40s\" is no number of a block, such as \"3 17\"", at);
		if (block >= g->blocks)
			return fault_set(fault, "bad.list: block %llu of a drive of %u, the last is %u",
				block, g->blocks, g->blocks - 1);
		bad_add(b, g, (block_t)block);
		at = end + strspn(end, between);
	}
	return true;
}

static bool bad_is_on(const void *settings)
{
	const struct bad_settings *s = settings;

	return *s->list || s->share > 0;
}

static bool bad_draw(struct bad_blocks *b, const struct bad_settings *s, const struct geometry *g,
	uint64_t seed, struct fault *fault)
{
	struct random random;

	b->block = memory_array(bits_words(g->blocks), sizeof *b->block, "bad blocks");
	b->of_plane = memory_array(g->planes, sizeof *b->of_plane, "bad blocks");
	if (!bad_read_list(b, s->list, g, fault))
		return false;
	random_init(&random, seed, 0x626164);
	for (block_t block = 0; s->share > 0 && block < g->blocks; block++)
		if ((double)random_below(&random, 1000000) < s->share * 1e6)
			bad_add(b, g, block);
	return b->most < g->blocks_per_plane ||
	       fault_set(fault, "bad.list, bad.share: all %u blocks of a plane are bad", b->most);
}

static bool bad_claim(struct tool *t, struct tool_needs *needs, struct fault *fault)
{
	const struct bad_settings *s = t->settings;
	struct bad_blocks *b = t->state;

	if (!bad_draw(b, s, needs->device, needs->gc->seed, fault))
		return false;
	needs->device_bad = b;
	if (needs->units)
		return units_leave_out(needs->units, b, s->remap) ||
		       fault_set(fault, "bad.remap = false: every unit of %u blocks has a bad one; use true",
			       needs->device->planes);
	needs->bad = b;
	return true;
}

static void bad_exit(struct tool *t)
{
	struct bad_blocks *b = t->state;

	memory_free(b->block);
	memory_free(b->of_plane);
}

static const struct stat_row bad_rows[] = {
	{ "bad.blocks", "blocks", "that are never used", STAT_COUNT, offsetof(struct bad_blocks, count) },
	{ 0 },
};

static void bad_statistics(struct tool *t, struct stat_list *list)
{
	stat_list_add(list, (struct stat_group){ "bad blocks", NULL, bad_rows, t->state });
}

/* The settings say it all. */
static const struct state_row bad_state[] = {
	STATE_FIXED(block, of_plane, most, count),
	{ 0 },
};

const struct store_tool tool_bad = {
	.name = "bad",
	.params = bad_params,
	.settings_size = sizeof(struct bad_settings),
	.refusals = bad_refusals,
	.size = sizeof(struct bad_blocks),
	.state = bad_state,
	.is_on = bad_is_on,
	.claim = bad_claim,
	.exit = bad_exit,
	.statistics = bad_statistics,
};
