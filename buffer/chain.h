/*
 * A doubly linked list of buffer nodes through their `previous` and `next`: what most
 * policies order their pages with.  First = most recent, by custom.
 */
#ifndef BUFFER_CHAIN_H
#define BUFFER_CHAIN_H

#include "buffer/buffer.h"

struct chain {
	uint32_t first, last;
};

static inline void chain_init(struct chain *c)
{
	c->first = c->last = NODE_NONE;
}

static inline void chain_push_first(struct buffer *b, struct chain *c, uint32_t node)
{
	b->node[node].previous = NODE_NONE;
	b->node[node].next = c->first;
	if (c->first == NODE_NONE)
		c->last = node;
	else
		b->node[c->first].previous = node;
	c->first = node;
}

static inline void chain_remove(struct buffer *b, struct chain *c, uint32_t node)
{
	uint32_t previous = b->node[node].previous, next = b->node[node].next;

	if (previous == NODE_NONE)
		c->first = next;
	else
		b->node[previous].next = next;
	if (next == NODE_NONE)
		c->last = previous;
	else
		b->node[next].previous = previous;
}

#endif
