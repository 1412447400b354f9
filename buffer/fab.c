/*
 * FAB (Jo, Kang, Park, Kim and Lee, "FAB: flash-aware buffer management policy for portable media players",
 * IEEE Trans. Consumer Electronics 52(2), 2006): evicts the block with the most pages in the buffer, among
 * equals the least recently used one.  A block that loses a page to a trim counts as used.
 */
#include "base/ranks.h"
#include "buffer/groups.h"

struct fab_settings {
	uint64_t block_pages;
};

struct fab {
	struct groups groups; /* the first `pages` of them are heads */
	struct ranks ranks;   /* by number of pages not buffered */
};

#define FAB(type, field) PARAM(type, struct fab_settings, field)

static const struct param fab_params[] = {
	{ FAB(UINT, block_pages), 0, 65536, "pages", "0",
		"size of a block in the buffer; 0 = that of a "
		"flash block" },
	{ 0 },
};

static void fab_init(struct buffer *b)
{
	const struct fab_settings *s = b->settings;
	uint32_t pages = s->block_pages ? (uint32_t)s->block_pages : b->shape.pages_per_block;
	struct fab *p = b->state;

	p->groups = groups_create(pages, pages);
	p->ranks = ranks_create(group_links(&p->groups), 0, pages);
}

static void fab_exit(struct buffer *b)
{
	groups_free(&((struct fab *)b->state)->groups);
}

static void fab_used(struct fab *p, uint32_t group)
{
	ranks_add(&p->ranks, group_links(&p->groups), p->groups.pages - group_at(&p->groups, group)->held,
		group);
}

static void fab_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct fab *p = b->state;

	(void)type;
	(void)mask;
	fab_used(p, groups_enter(&p->groups, b, node));
}

static void fab_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct fab *p = b->state;

	(void)type;
	(void)mask;
	list_remove(group_links(&p->groups), group_of(b, node));
	fab_used(p, group_of(b, node));
}

static void fab_removed(struct buffer *b, uint32_t node)
{
	struct fab *p = b->state;
	uint32_t group = group_of(b, node);

	groups_leave(&p->groups, b, node);
	if (!group_at(&p->groups, group)->held)
		return;
	list_remove(group_links(&p->groups), group);
	fab_used(p, group);
}

static void fab_evict(struct buffer *b)
{
	struct fab *p = b->state;
	uint32_t victim = ranks_first(&p->ranks, group_links(&p->groups));

	buffer_explain(b, "block %u, which has the most pages here, %u", group_at(&p->groups, victim)->number,
		group_at(&p->groups, victim)->held);
	groups_choose(&p->groups, b, victim);
}

static void fab_check(const struct buffer *b)
{
	groups_check(&((const struct fab *)b->state)->groups, b);
}

static void fab_restored(struct buffer *b)
{
	groups_restored(&((struct fab *)b->state)->groups);
}

static const struct state_row fab_state[] = {
	STATE_STRUCT(struct fab, groups, groups_state),
	STATE_STRUCT(struct fab, ranks, ranks_state),
	{ 0 },
};

const struct buffer_ops buffer_fab = {
	.name = "fab",
	.brief = "evicts the block with the most pages in the buffer (flash-aware buffer, 2006)",
	.size = sizeof(struct fab),
	.page_size = sizeof(struct grouped_page),
	.params = fab_params,
	.settings_size = sizeof(struct fab_settings),
	.init = fab_init,
	.exit = fab_exit,
	.inserted = fab_inserted,
	.hit = fab_hit,
	.removed = fab_removed,
	.evict = fab_evict,
	.check = fab_check,
	.state = fab_state,
	.page_state = grouped_page_state,
	.restored = fab_restored,
};
