/*
 * Pages in order of their last use, for policies that need more of that order than the oldest page: lists of
 * some of the pages in the same order, and whether a page is among the n least recently used ones.  No
 * operation searches the pages, except recency_sort_in().
 */
#ifndef BUFFER_RECENCY_H
#define BUFFER_RECENCY_H

#include "buffer/buffer.h"

/* The policy's state for a page begins with this. */
struct recency_page {
	uint64_t used; /* number of its last use, ascending; 0 in heads */
	struct link link;
};

struct recency {
	uint32_t queue; /* head: least recently used first */
	uint32_t pages;
	uint32_t inside; /* pages in the window at the LRU end */
	uint32_t edge;   /* the most recently used of them; if there are none, the head of the list */
	uint64_t clock;
};

struct recency recency_create(struct buffer *);

static inline uint64_t recency_used(const struct buffer *b, uint32_t node)
{
	return ((const struct recency_page *)buffer_own(b, node))->used;
}

static inline struct array_field recency_links(const struct buffer *b)
{
	return BUFFER_FIELD(b, struct recency_page, link);
}

/* The least recently used page. */
static inline uint32_t recency_oldest(const struct recency *r, const struct buffer *b)
{
	return list_next(recency_links(b), r->queue);
}

/* Adds a page, used now, or removes one. */
void recency_add(struct recency *, struct buffer *, uint32_t node);
void recency_remove(struct recency *, struct buffer *, uint32_t node);

/* Adds a page in the place of `other`: right behind it, with the same time of use, until `other` is
 * removed. */
void recency_replace(struct recency *, struct buffer *, uint32_t node, uint32_t other);

/* Is the page one of the `last` least recently used ones?  Sets the window to that size. */
bool recency_is_last(struct recency *, const struct buffer *, uint32_t node, uint32_t last);

/* Adds a page to a list of pages in the same order, searching from both ends. */
void recency_sort_in(const struct buffer *, struct array_field ring, uint32_t head, uint32_t node);

/* State, for saving a run. */
extern const struct state_row recency_state[], recency_page_state[];

/* Aborts unless the queue is in order and the window is right. */
void recency_check(const struct recency *, const struct buffer *);

#endif
