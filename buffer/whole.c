/*
 * Requests stay whole: evicts the pages of the least recently used write request together, as buffers that
 * hold requests instead of pages do.  A request across a page border then reaches the FTL as one again.  A
 * page belongs to the request that wrote it last; a read renews only the pages that it found.
 */
#include "base/bits.h"
#include "buffer/buffer.h"

struct whole_statistics {
	uint64_t across_pages, across_sectors, other_pages, other_sectors; /* dirty ones */
};

struct whole {
	uint32_t pages; /* head: least recently used first */
	struct whole_statistics count;
};

struct whole_page {
	struct link link;
	uint64_t request; /* that wrote it last */
};

static struct array_field whole_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct whole_page, link);
}

static void whole_init(struct buffer *b)
{
	((struct whole *)b->state)->pages = BUFFER_HEADS(b, struct whole_page, link, 1);
}

static void whole_removed(struct buffer *b, uint32_t node)
{
	list_remove(whole_links(b), node);
}

static void whole_inserted(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	(void)mask;
	list_append(whole_links(b), ((struct whole *)b->state)->pages, node);
	if (type == REQUEST_WRITE)
		((struct whole_page *)buffer_own(b, node))->request = b->request;
}

static void whole_hit(struct buffer *b, uint32_t node, enum request_type type, mask_t mask)
{
	whole_removed(b, node);
	whole_inserted(b, node, type, mask);
}

/* The node of a page that the request wrote last; NODE_NONE if the page is not such a one. */
static uint32_t whole_part(const struct buffer *b, lpn_t lpn, uint64_t request)
{
	uint32_t node = buffer_find(b, lpn);

	if (node == NODE_NONE || ((const struct whole_page *)buffer_own(b, node))->request != request)
		return NODE_NONE;
	return node;
}

/* Are these sectors of two pages no more than a page, on both sides of the border and without a gap? */
static bool whole_is_across(const struct buffer *b, mask_t left, mask_t right)
{
	uint32_t page = b->shape.sectors_per_page;
	uint32_t before = (uint32_t)__builtin_popcountll(left),
		 behind = (uint32_t)__builtin_popcountll(right);

	return before && behind && before + behind <= page && left >> (page - before) == bits_below(before) &&
	       right == bits_below(behind);
}

/* Counts an eviction of `pages` pages from `first` on, whose nodes are all in the buffer. */
static void whole_count(struct buffer *b, lpn_t first, uint32_t pages)
{
	struct whole_statistics *count = &((struct whole *)b->state)->count;
	mask_t dirty[2] = { 0, 0 };
	uint64_t sectors = 0, written = 0;

	for (uint32_t i = 0; i < pages; i++) {
		mask_t mask = buffer_node(b, buffer_find(b, first + i))->dirty;

		dirty[i != 0] = mask;
		sectors += (uint64_t)__builtin_popcountll(mask);
		written += mask != 0;
	}
	if (pages == 2 && whole_is_across(b, dirty[0], dirty[1])) {
		count->across_pages += written;
		count->across_sectors += sectors;
	} else {
		count->other_pages += written;
		count->other_sectors += sectors;
	}
}

static void whole_evict(struct buffer *b)
{
	uint32_t oldest = list_next(whole_links(b), ((struct whole *)b->state)->pages);
	uint64_t request = ((const struct whole_page *)buffer_own(b, oldest))->request;
	lpn_t first = buffer_node(b, oldest)->lpn, lpn;

	buffer_explain(b, "the least recently used page, with what is here of the request that wrote it");
	while (first && whole_part(b, first - 1, request) != NODE_NONE)
		first--;
	lpn = first;
	for (uint32_t node; (node = whole_part(b, lpn, request)) != NODE_NONE; lpn++)
		buffer_choose(b, node, WHOLE_PAGE);
	whole_count(b, first, lpn - first);
}

#define WHOLE(field) STAT_COUNT, offsetof(struct whole_statistics, field)

static const struct stat_row whole_rows[] = {
	{ "across_pages", "pages", "dirty, evicted for a request of at most a page across a border",
		WHOLE(across_pages) },
	{ "across_sectors", "sectors", "of these pages, the dirty ones", WHOLE(across_sectors) },
	{ "other_pages", "pages", "dirty, evicted for other requests", WHOLE(other_pages) },
	{ "other_sectors", "sectors", "of these pages, the dirty ones", WHOLE(other_sectors) },
	{ 0 },
};

static const struct state_row whole_state[] = {
	STATE_FIXED(pages),
	STATE_COUNTED(count),
	{ 0 },
};

static const struct state_row whole_page_state[] = {
	STATE_NUMBER(struct whole_page, link),
	STATE_NUMBER(struct whole_page, request),
	{ 0 },
};

const struct buffer_ops buffer_whole = {
	.name = "whole",
	.brief = "evicts the pages of the least recently used request together",
	.size = sizeof(struct whole),
	.page_size = sizeof(struct whole_page),
	.init = whole_init,
	.inserted = whole_inserted,
	.hit = whole_hit,
	.removed = whole_removed,
	.evict = whole_evict,
	.statistics = whole_rows,
	.count = offsetof(struct whole, count),
	.count_size = sizeof(struct whole_statistics),
	.state = whole_state,
	.page_state = whole_page_state,
};
