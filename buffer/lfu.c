/*
 * LFU: evicts the page used least often since it entered, among equals the least recently used one.  A page
 * that was used often in the past stays long after; frequency-based replacement (Robinson and Devarakonda,
 * SIGMETRICS 1990) and others address this.  Counts saturate at 255, as in a byte per page.
 */
#include "base/ranks.h"
#include "buffer/buffer.h"

enum { COUNTS = 256 };

struct lfu {
	struct ranks ranks; /* by uses since the page entered */
};

struct lfu_page {
	struct link link;
	uint32_t uses;
};

static struct array_field lfu_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct lfu_page, link);
}

static void lfu_init(struct buffer *b)
{
	uint32_t heads = BUFFER_HEADS(b, struct lfu_page, link, COUNTS);

	((struct lfu *)b->state)->ranks = ranks_create(lfu_links(b), heads, COUNTS);
}

static void lfu_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	ranks_add(&((struct lfu *)b->state)->ranks, lfu_links(b), 0, node);
}

static void lfu_removed(struct buffer *b, uint32_t node)
{
	list_remove(lfu_links(b), node);
}

static void lfu_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	struct lfu_page *page = buffer_own(b, node);

	(void)type;
	(void)mask;
	list_remove(lfu_links(b), node);
	page->uses += page->uses < COUNTS - 1;
	ranks_add(&((struct lfu *)b->state)->ranks, lfu_links(b), page->uses, node);
}

static void lfu_evict(struct buffer *b)
{
	uint32_t victim = ranks_first(&((struct lfu *)b->state)->ranks, lfu_links(b));

	buffer_explain(
		b, "a page used %u times since it entered", ((struct lfu_page *)buffer_own(b, victim))->uses);
	buffer_choose(b, victim, WHOLE_PAGE);
}

static const struct state_row lfu_state[] = {
	STATE_STRUCT(struct lfu, ranks, ranks_state),
	{ 0 },
};

static const struct state_row lfu_page_state[] = {
	STATE_NUMBER(struct lfu_page, link),
	STATE_NUMBER(struct lfu_page, uses),
	{ 0 },
};

const struct buffer_ops buffer_lfu = {
	.name = "lfu",
	.brief = "evicts the page used least often",
	.size = sizeof(struct lfu),
	.page_size = sizeof(struct lfu_page),
	.init = lfu_init,
	.inserted = lfu_inserted,
	.hit = lfu_hit,
	.removed = lfu_removed,
	.evict = lfu_evict,
	.state = lfu_state,
	.page_state = lfu_page_state,
};
