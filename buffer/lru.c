/*
 * LRU: pages in order of their last use, by a write or a read that found something; the one
 * that was not used for longest leaves alone.  The buffer of SSDsim.
 */
#include "buffer/chain.h"

struct lru {
	struct chain recent;
};

static void lru_init(struct buffer *b)
{
	chain_init(&((struct lru *)b->state)->recent);
}

static void lru_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	chain_push_first(b, &((struct lru *)b->state)->recent, node);
}

static void lru_removed(struct buffer *b, uint32_t node)
{
	chain_remove(b, &((struct lru *)b->state)->recent, node);
}

static void lru_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	lru_removed(b, node);
	lru_inserted(b, node, type, mask);
}

static void lru_evict(struct buffer *b)
{
	buffer_choose(b, ((struct lru *)b->state)->recent.last, WHOLE_PAGE);
}

const struct buffer_ops buffer_lru = {
	.name = "lru",
	.brief = "the page that was not used for longest leaves first",
	.size = sizeof(struct lru),
	.init = lru_init,
	.inserted = lru_inserted,
	.hit = lru_hit,
	.removed = lru_removed,
	.evict = lru_evict,
};
