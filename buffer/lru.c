/*
 * LRU: evicts the page used least recently, by a write or by a read that found some of its sectors.  The
 * buffer of SSDsim.
 */
#include "buffer/buffer.h"

struct lru {
	uint32_t pages; /* head: least recently used first */
};

struct lru_page {
	struct link link;
};

static struct array_field lru_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct lru_page, link);
}

static void lru_init(struct buffer *b)
{
	((struct lru *)b->state)->pages = BUFFER_HEADS(b, struct lru_page, link, 1);
}

static void lru_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	list_append(lru_links(b), ((struct lru *)b->state)->pages, node);
}

static void lru_removed(struct buffer *b, uint32_t node)
{
	list_remove(lru_links(b), node);
}

static void lru_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	lru_removed(b, node);
	lru_inserted(b, node, type, mask);
}

static void lru_evict(struct buffer *b)
{
	buffer_explain(b, "the least recently used page");
	buffer_choose(b, list_next(lru_links(b), ((struct lru *)b->state)->pages), WHOLE_PAGE);
}

static const struct state_row lru_state[] = {
	STATE_FIXED(pages),
	{ 0 },
};

static const struct state_row lru_page_state[] = {
	STATE_NUMBER(struct lru_page, link),
	{ 0 },
};

const struct buffer_ops buffer_lru = {
	.name = "lru",
	.brief = "evicts the least recently used page",
	.size = sizeof(struct lru),
	.page_size = sizeof(struct lru_page),
	.init = lru_init,
	.inserted = lru_inserted,
	.hit = lru_hit,
	.removed = lru_removed,
	.evict = lru_evict,
	.state = lru_state,
	.page_state = lru_page_state,
};
