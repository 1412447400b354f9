/*
 * LRU that cooperates with an FTL that maps minipages, parts of a page: the "data buffer cooperation" of
 * PM-FTL (Zhou, Wu, Xie, FMS 2016), which the slides name and do not explain.
 *
 * If each minipage of the least recently used page has dirty sectors, the page is evicted whole, to be one
 * page of flash.  Otherwise a page of flash is filled with dirty minipages of it and of the next pages in
 * order of use, except pages with every minipage dirty; other sectors of these pages stay in the buffer.
 */
#include "base/bits.h"
#include "buffer/recency.h"

struct coop_settings {
	uint64_t minipage_bytes;
	bool packs;
};

struct coop_statistics {
	uint64_t whole_pages, packed_pages;
};

struct coop {
	struct recency recency;
	uint32_t sectors, minipages; /* of a minipage; of a page */
	struct coop_statistics statistics;
};

static const struct param coop_params[] = {
	{ PARAM(UINT, struct coop_settings, minipage_bytes), 512, 16384, "bytes", "4096",
		"size of a minipage, the same as the FTL's" },
	{ PARAM(BOOL, struct coop_settings, packs), 0, 1, "", "true",
		"minipages of several pages are evicted together; false: a page is evicted alone, whole or "
		"not" },
	{ 0 },
};

static void coop_init(struct buffer *b)
{
	const struct coop_settings *s = b->settings;
	struct coop *c = b->state;
	uint32_t page = b->shape.sectors_per_page, sectors = (uint32_t)(s->minipage_bytes / SECTOR_BYTES);

	c->recency = recency_create(b);
	c->sectors = sectors < page ? sectors : page;
	c->minipages = (page + c->sectors - 1) / c->sectors;
	b->merges = b->in_order = true;
}

static void coop_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	recency_add(&((struct coop *)b->state)->recency, b, node);
}

static void coop_removed(struct buffer *b, uint32_t node)
{
	recency_remove(&((struct coop *)b->state)->recency, b, node);
}

static void coop_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	coop_removed(b, node);
	coop_inserted(b, node, type, mask);
}

/* The dirty sectors of the first dirty minipages of a page, at most *room minipages; *room counts down. */
static mask_t coop_first_minipages(const struct buffer *b, uint32_t node, uint32_t *room)
{
	const struct coop *c = b->state;
	mask_t dirty = buffer_node(b, node)->dirty, taken = 0;

	for (uint32_t i = 0; i < c->minipages && *room; i++) {
		mask_t part = dirty & bits_below(c->sectors) << i * c->sectors;

		taken |= part;
		*room -= part != 0;
	}
	return taken;
}

static bool coop_is_whole(const struct buffer *b, uint32_t node)
{
	uint32_t room = ((const struct coop *)b->state)->minipages;

	coop_first_minipages(b, node, &room);
	return !room;
}

static void coop_pack(struct buffer *b)
{
	struct coop *c = b->state;
	uint32_t room = c->minipages;

	buffer_explain(b, "minipages of the least recently used pages share a page");
	for (uint32_t node = recency_oldest(&c->recency, b); node != c->recency.queue && room;
		node = list_next(recency_links(b), node))
		if (buffer_node(b, node)->dirty && !coop_is_whole(b, node))
			buffer_choose(b, node, coop_first_minipages(b, node, &room));
	buffer_merge(b);
	c->statistics.packed_pages++;
}

static void coop_evict(struct buffer *b)
{
	struct coop *c = b->state;
	uint32_t oldest = recency_oldest(&c->recency, b);
	bool whole = coop_is_whole(b, oldest);

	if (!whole && buffer_node(b, oldest)->dirty && ((const struct coop_settings *)b->settings)->packs) {
		coop_pack(b);
		return;
	}
	buffer_explain(b, "the least recently used page%s", whole ? ", to be a page of flash" : "");
	buffer_choose(b, oldest, WHOLE_PAGE);
	c->statistics.whole_pages += whole;
	if (whole)
		buffer_merge(b);
}

#define COUNT(name) STAT_COUNT, offsetof(struct coop_statistics, name)

static const struct stat_row coop_rows[] = {
	{ "whole_pages", "pages", "evicted with dirty sectors in each minipage", COUNT(whole_pages) },
	{ "packed_pages", "pages", "of flash written with minipages of several pages", COUNT(packed_pages) },
	{ 0 },
};

static void coop_check(const struct buffer *b)
{
	recency_check(&((const struct coop *)b->state)->recency, b);
}

static const struct state_row coop_state[] = {
	STATE_STRUCT(struct coop, recency, recency_state),
	STATE_FIXED(sectors, minipages),
	STATE_COUNTED(statistics),
	{ 0 },
};

const struct buffer_ops buffer_coop = {
	.name = "coop",
	.brief = "LRU that evicts whole pages, or minipages of several pages into one (PM-FTL, FMS 2016)",
	.size = sizeof(struct coop),
	.page_size = sizeof(struct recency_page),
	.params = coop_params,
	.settings_size = sizeof(struct coop_settings),
	.init = coop_init,
	.inserted = coop_inserted,
	.hit = coop_hit,
	.removed = coop_removed,
	.evict = coop_evict,
	.statistics = coop_rows,
	.count = offsetof(struct coop, statistics),
	.count_size = sizeof(struct coop_statistics),
	.check = coop_check,
	.state = coop_state,
	.page_state = recency_page_state,
};
