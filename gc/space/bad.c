#include "gc/space/bad.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define BAD(type, field) PARAM(type, struct bad_settings, field)

const struct param bad_params[] = {
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

const struct refusal bad_refusals[] = {
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

bool bad_init(struct bad_blocks *b, const struct bad_settings *settings, const struct geometry *g,
	struct fault *fault)
{
	struct random random;

	*b = (struct bad_blocks){ 0 };
	if (!bad_is_on(settings))
		return true;
	b->block = memory_array(bits_words(g->blocks), sizeof *b->block, "bad blocks");
	b->of_plane = memory_array(g->planes, sizeof *b->of_plane, "bad blocks");
	if (!bad_read_list(b, settings->list, g, fault))
		return false;
	random_init(&random, settings->seed, 0x626164);
	for (block_t block = 0; settings->share > 0 && block < g->blocks; block++)
		if ((double)random_below(&random, 1000000) < settings->share * 1e6)
			bad_add(b, g, block);
	return b->most < g->blocks_per_plane ||
	       fault_set(fault, "bad.list, bad.share: all %u blocks of a plane are bad", b->most);
}

void bad_release(struct bad_blocks *b)
{
	memory_free(b->block);
	memory_free(b->of_plane);
}

static const struct stat_row bad_rows[] = {
	{ "bad.blocks", "blocks", "that are never used", STAT_COUNT, offsetof(struct bad_blocks, count) },
	{ 0 },
};

void bad_statistics(struct bad_blocks *b, struct stat_list *list)
{
	if (b->block)
		stat_list_add(list, (struct stat_group){ "bad blocks", NULL, bad_rows, b });
}
