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
	struct buffer_node *n = buffer_node(b, node);

	n->previous = NODE_NONE;
	n->next = c->first;
	*(c->first == NODE_NONE ? &c->last : &buffer_node(b, c->first)->previous) = node;
	c->first = node;
}

static inline void chain_remove(struct buffer *b, struct chain *c, uint32_t node)
{
	struct buffer_node *n = buffer_node(b, node);

	*(n->previous == NODE_NONE ? &c->first : &buffer_node(b, n->previous)->next) = n->next;
	*(n->next == NODE_NONE ? &c->last : &buffer_node(b, n->next)->previous) = n->previous;
}

#endif
