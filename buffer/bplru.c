/*
 * BPLRU (Kim and Ahn, "BPLRU: a buffer management scheme for improving random writes in flash storage", FAST
 * 2008): evicts all pages of the least recently written block together, so that an FTL with log blocks gets
 * whole blocks.  Reads move nothing.
 *   - Padding: pages of the victim that are not buffered are read from flash and written with it.  This helps
 *     FTLs that map blocks; with page mapping it only adds cost, so it is off by default.
 *   - Compensation: a block that was written from its first sector to its last, each once and in order, is
 *     not expected to be written again soon and is evicted next.
 */
#include "buffer/groups.h"

#define NOT_IN_ORDER UINT32_MAX /* in place of a block's next sector: it was not written in order */

enum { RECENT, HEADS }; /* blocks, least recently written first */

struct bplru_settings {
	bool padding;
	uint64_t block_pages;
};

struct bplru_statistics {
	uint64_t blocks, compensations;
};

struct bplru {
	struct groups groups;
	struct bplru_statistics count;
};

#define BPLRU(type, field) PARAM(type, struct bplru_settings, field)

static const struct param bplru_params[] = {
	{ BPLRU(BOOL, padding), 0, 1, "", "false",
		"pages of an evicted block that are not buffered are read and written with it" },
	{ BPLRU(UINT, block_pages), 0, 65536, "pages", "0",
		"size of a block in the buffer; 0 = that of a "
		"flash block" },
	{ 0 },
};

static void bplru_init(struct buffer *b)
{
	const struct bplru_settings *s = b->settings;

	((struct bplru *)b->state)->groups =
		groups_create(s->block_pages ? (uint32_t)s->block_pages : b->shape.pages_per_block, HEADS);
	b->pads = s->padding;
}

static void bplru_exit(struct buffer *b)
{
	groups_free(&((struct bplru *)b->state)->groups);
}

/* Records a write to a block that is in no list, and puts it in the list. */
static void bplru_written(struct buffer *b, uint32_t group, lpn_t lpn, mask_t mask)
{
	struct bplru *p = b->state;
	struct array_field links = group_links(&p->groups);
	struct group *at = group_at(&p->groups, group);
	uint32_t first = (lpn % p->groups.pages << b->sector_shift) + (uint32_t)__builtin_ctzll(mask);

	at->note = at->note == first ? first + (uint32_t)__builtin_popcountll(mask) : NOT_IN_ORDER;
	if (at->note != p->groups.pages << b->sector_shift) {
		list_append(links, RECENT, group);
		return;
	}
	list_prepend(links, RECENT, group);
	p->count.compensations++;
}

static void bplru_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	bplru_written(b, groups_enter(&((struct bplru *)b->state)->groups, b, node),
		buffer_node(b, node)->lpn, mask);
}

static void bplru_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct bplru *p = b->state;

	if (type != REQUEST_WRITE)
		return;
	list_remove(group_links(&p->groups), group_of(b, node));
	bplru_written(b, group_of(b, node), buffer_node(b, node)->lpn, mask);
}

static void bplru_removed(struct buffer *b, uint32_t node)
{
	groups_leave(&((struct bplru *)b->state)->groups, b, node);
}

static void bplru_evict(struct buffer *b)
{
	struct bplru *p = b->state;
	uint32_t victim = list_next(group_links(&p->groups), RECENT);
	const struct group *block = group_at(&p->groups, victim);

	buffer_explain(b, "block %u, which %s", block->number,
		block->note == p->groups.pages << b->sector_shift ? "was written whole and in order"
								  : "was written least recently");
	groups_choose(&p->groups, b, victim);
	p->count.blocks++;
}

static const struct stat_row bplru_stats[] = {
	{ "evicted_blocks", "blocks", "", STAT_COUNT, offsetof(struct bplru_statistics, blocks) },
	{ "compensations", "blocks", "written whole and in order, evicted next", STAT_COUNT,
		offsetof(struct bplru_statistics, compensations) },
	{ 0 },
};

static void bplru_check(const struct buffer *b)
{
	groups_check(&((const struct bplru *)b->state)->groups, b);
}

static void bplru_restored(struct buffer *b)
{
	groups_restored(&((struct bplru *)b->state)->groups);
}

static const struct state_row bplru_state[] = {
	STATE_STRUCT(struct bplru, groups, groups_state),
	STATE_COUNTED(count),
	{ 0 },
};

const struct buffer_ops buffer_bplru = {
	.name = "bplru",
	.brief = "evicts the least recently written block, padded if asked for (FAST'08)",
	.size = sizeof(struct bplru),
	.page_size = sizeof(struct grouped_page),
	.params = bplru_params,
	.settings_size = sizeof(struct bplru_settings),
	.init = bplru_init,
	.exit = bplru_exit,
	.inserted = bplru_inserted,
	.hit = bplru_hit,
	.removed = bplru_removed,
	.evict = bplru_evict,
	.statistics = bplru_stats,
	.count = offsetof(struct bplru, count),
	.count_size = sizeof(struct bplru_statistics),
	.check = bplru_check,
	.state = bplru_state,
	.page_state = grouped_page_state,
	.restored = bplru_restored,
};
