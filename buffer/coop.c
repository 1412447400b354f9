/*
 * LRU that cooperates with an FTL that maps minipages, parts of a page: the "data buffer cooperation" of PM-FTL (Zhou,
 * Wu, Xie, FMS 2016), which the slides name and do not explain.
 *
 * The page that was not used for longest leaves whole, to be one page of flash, if each of its minipages has dirty
 * sectors.  Else a page of flash is filled with minipages of it and of the next ones in order of use, passing over
 * pages that are whole; what a page has beside stays in its place.
 */
#include "buffer/buffer.h"

#include "base/bits.h"

struct coop_settings {
	uint64_t minipage_bytes;
	bool packs;
};

struct coop_statistics {
	uint64_t whole_pages, packed_pages;
};

struct coop {
	uint32_t pages;              /* head: the one that was not used for longest first */
	uint32_t sectors, minipages; /* of a minipage; of a page */
	struct coop_statistics statistics;
};

struct coop_page {
	struct link link;
};

static const struct param params[] = {
	{ PARAM(UINT, struct coop_settings, minipage_bytes), 512, 16384, "bytes", "4096",
		"size of a minipage, as the FTL has it" },
	{ PARAM(BOOL, struct coop_settings, packs), 0, 1, "", "true",
		"minipages of several pages leave together; false: a page leaves alone, whole or not" },
	{ 0 },
};

static struct array_field links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct coop_page, link);
}

static void coop_init(struct buffer *b)
{
	const struct coop_settings *s = b->settings;
	struct coop *c = b->state;
	uint32_t page = b->shape.sectors_per_page, sectors = (uint32_t)(s->minipage_bytes / SECTOR_BYTES);

	c->pages = BUFFER_HEADS(b, struct coop_page, link, 1);
	c->sectors = sectors < page ? sectors : page;
	c->minipages = (page + c->sectors - 1) / c->sectors;
	b->merges = b->in_order = true;
}

static void coop_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)type;
	(void)mask;
	list_append(links(b), ((struct coop *)b->state)->pages, node);
}

static void coop_removed(struct buffer *b, uint32_t node)
{
	list_remove(links(b), node);
}

static void coop_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	coop_removed(b, node);
	coop_inserted(b, node, type, mask);
}

/* The sectors of the first dirty minipages of a page, at most *room of them. */
static mask_t first_minipages(const struct buffer *b, uint32_t node, uint32_t *room)
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

static bool is_whole(const struct buffer *b, uint32_t node)
{
	uint32_t room = ((const struct coop *)b->state)->minipages;

	first_minipages(b, node, &room);
	return !room;
}

static void pack(struct buffer *b)
{
	struct coop *c = b->state;
	uint32_t room = c->minipages;

	buffer_explain(b, "minipages of pages that were not used for longest share a page");
	for (uint32_t node = list_next(links(b), c->pages); node != c->pages && room;
		node = list_next(links(b), node))
		if (!is_whole(b, node))
			buffer_choose(b, node, first_minipages(b, node, &room));
	buffer_merge(b);
	c->statistics.packed_pages++;
}

static void coop_evict(struct buffer *b)
{
	struct coop *c = b->state;
	uint32_t oldest = list_next(links(b), c->pages);
	bool whole = is_whole(b, oldest);

	if (!whole && ((const struct coop_settings *)b->settings)->packs) {
		pack(b);
		return;
	}
	buffer_explain(b, "the page that was not used for longest%s", whole ? ", to be a page of flash" : "");
	buffer_choose(b, oldest, WHOLE_PAGE);
	c->statistics.whole_pages += whole;
	if (whole)
		buffer_merge(b);
}

#define COUNT(name) STAT_COUNT, offsetof(struct coop_statistics, name)

static const struct stat_row rows[] = {
	{ "whole_pages", "pages", "that left with dirty sectors in each minipage", COUNT(whole_pages) },
	{ "packed_pages", "pages", "of flash asked for, for minipages of several", COUNT(packed_pages) },
	{ 0 },
};

static void coop_statistics(struct buffer *b, struct stat_list *list)
{
	struct coop *c = b->state;

	stat_list_add(list, (struct stat_group){ NULL, "coop.", rows, &c->statistics, sizeof c->statistics });
}

static void coop_regions(struct buffer *b, struct regions *r)
{
	buffer_link_regions(b, r, links(b), ((struct coop *)b->state)->pages, 1);
}

const struct buffer_ops buffer_coop = {
	.name = "coop",
	.brief = "LRU that hands over whole pages, and minipages of several in one (PM-FTL, FMS 2016)",
	.size = sizeof(struct coop),
	.page_size = sizeof(struct coop_page),
	.params = params,
	.settings_size = sizeof(struct coop_settings),
	.init = coop_init,
	.inserted = coop_inserted,
	.hit = coop_hit,
	.removed = coop_removed,
	.evict = coop_evict,
	.statistics = coop_statistics,
	.regions = coop_regions,
};
