/*
 * Pages in order of their last use, for policies that ask more of that order than which page comes first: the
 * pages of one kind in the same order (rings beside the queue), and whether a page is among the last so many.
 * Nothing walks over the pages, except where one comes to another place than the newest.
 */
#ifndef BUFFER_RECENCY_H
#define BUFFER_RECENCY_H

#include "buffer/buffer.h"

/* What the policy's own state of a page begins with. */
struct recency_page {
	uint64_t used; /* when: a later use has a greater number; 0 in heads */
	struct link link;
};

struct recency {
	uint32_t queue; /* head: the page that was not used for longest first */
	uint32_t pages;
	uint32_t inside,
		edge; /* pages among the last at present, and the newest of them; the head if there is none */
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

/* The page that was not used for longest. */
static inline uint32_t recency_oldest(const struct recency *r, const struct buffer *b)
{
	return list_next(recency_links(b), r->queue);
}

/* The page is used now; it is in no queue. */
void recency_add(struct recency *, struct buffer *, uint32_t node);
void recency_remove(struct recency *, struct buffer *, uint32_t node);

/* A page that is in no queue takes the place of another, which will leave and stands before it until then. */
void recency_replace(struct recency *, struct buffer *, uint32_t node, uint32_t other);

/* Is the page among the `last` ones that were not used for longest? */
bool recency_is_last(struct recency *, const struct buffer *, uint32_t node, uint32_t last);

/* Puts a page of the queue into a ring of pages in the same order, from both ends: at once if it is the newest or
 * the oldest of them. */
void recency_sort_in(const struct buffer *, struct array_field ring, uint32_t head, uint32_t node);

/* The order of use, and that every page is in it. */
void recency_regions(struct recency *, struct buffer *, struct regions *);

/* Aborts unless the queue is in order and the window right. */
void recency_check(const struct recency *, const struct buffer *);

#endif
