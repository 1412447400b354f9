#include "buffer/groups.h"

#include "base/fault.h"

static struct hashed groups_by_number(const struct groups *g)
{
	return (struct hashed){ POOL_FIELD(g->pool, struct group, number),
		POOL_FIELD(g->pool, struct group, chain) };
}

struct groups groups_create(uint32_t pages, uint32_t heads)
{
	uint32_t bytes = (uint32_t)(sizeof(struct group) + bits_words(pages) * sizeof(uint64_t));
	struct groups g = { pool_create(bytes, "blocks in the buffer"),
		hash_create(1, "index of blocks in the buffer"), pages, heads };

	for (uint32_t i = 0; i < heads; i++)
		pool_take(&g.pool);
	for (uint32_t i = 0; i < heads; i++)
		list_init(group_links(&g), i);
	return g;
}

void groups_free(struct groups *g)
{
	pool_free(&g->pool);
	hash_free(&g->index);
}

uint32_t groups_enter(struct groups *g, struct buffer *b, uint32_t node)
{
	lpn_t lpn = buffer_node(b, node)->lpn;
	uint32_t at = hash_find(&g->index, groups_by_number(g), lpn / g->pages);

	if (at == INDEX_NONE) {
		at = pool_take(&g->pool);
		memset(group_at(g, at), 0, g->pool.bytes);
		group_at(g, at)->number = lpn / g->pages;
		hash_add(&g->index, groups_by_number(g), at);
	} else {
		list_remove(group_links(g), at);
	}
	group_at(g, at)->held++;
	bits_set(group_at(g, at)->page, lpn % g->pages);
	((struct grouped_page *)buffer_own(b, node))->group = at;
	return at;
}

void groups_leave(struct groups *g, const struct buffer *b, uint32_t node)
{
	uint32_t at = group_of(b, node);

	bits_clear(group_at(g, at)->page, buffer_node(b, node)->lpn % g->pages);
	if (--group_at(g, at)->held)
		return;
	list_remove(group_links(g), at);
	hash_remove(&g->index, groups_by_number(g), at);
	pool_give(&g->pool, at);
}

void groups_choose(const struct groups *g, struct buffer *b, uint32_t group)
{
	const struct group *at = group_at(g, group);
	lpn_t first = at->number * g->pages;

	for (uint32_t i = 0; i < g->pages; i++)
		if (bits_get(at->page, i))
			buffer_choose(b, buffer_find(b, first + i), WHOLE_PAGE);
		else if (b->pads)
			buffer_pad(b, first + i);
}

void groups_restored(struct groups *g)
{
	hash_clear(&g->index);
	for (uint32_t i = g->heads; i < g->pool.used; i++)
		if (group_at(g, i)->held)
			hash_add(&g->index, groups_by_number(g), i);
}

static const struct state_row group_state[] = {
	STATE_NUMBER(struct group, number),
	STATE_REBUILT(chain),
	STATE_NUMBER(struct group, link),
	STATE_NUMBER(struct group, held),
	STATE_NUMBER(struct group, note),
	STATE_TAIL(page),
	{ 0 },
};

const struct state_row groups_state[] = {
	STATE_POOL(struct groups, pool, group_state),
	STATE_REBUILT(index),
	STATE_FIXED(pages, heads),
	{ 0 },
};

const struct state_row grouped_page_state[] = {
	STATE_NUMBER(struct grouped_page, group),
	{ 0 },
};

void groups_check(const struct groups *g, const struct buffer *b)
{
	uint32_t known = g->heads + pool_count_free(&g->pool);
	uint64_t held = 0;

	for (uint32_t i = 0; i < b->nodes.used; i++) {
		const struct buffer_node *node = buffer_node(b, i);

		if (!node->stored)
			continue;
		BUG_ON(group_at(g, group_of(b, i))->number != node->lpn / g->pages ||
				!bits_get(group_at(g, group_of(b, i))->page, node->lpn % g->pages),
			"LPN %u is in the buffer and not in its block", node->lpn);
		held++;
	}
	for (uint32_t i = g->heads; i < g->pool.used; i++) {
		const struct group *at = group_at(g, i);
		uint32_t pages = 0;

		for (size_t word = 0; word < bits_words(g->pages); word++)
			pages += (uint32_t)__builtin_popcountll(at->page[word]);
		BUG_ON(at->held && (at->held != pages ||
					   hash_find(&g->index, groups_by_number(g), at->number) != i),
			"block %u holds %u pages in the buffer and counts %u, or is another", at->number,
			pages, at->held);
		held -= at->held;
		known += at->held != 0;
	}
	BUG_ON(held || known != g->pool.used, "blocks in the buffer hold other pages than the buffer");
}
