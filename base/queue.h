/*
 * FIFO queues: singly linked lists of array elements, linked by index.  An element is in at most one queue;
 * its link is a uint32_t member: ARRAY_FIELD(op, next).
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "base/index.h"

/* An empty queue has `first` INDEX_NONE, and `last` is undefined. */
struct queue {
	uint32_t first, last;
};

#define QUEUE_EMPTY ((struct queue){ INDEX_NONE, INDEX_NONE })

CONTAINER uint32_t *queue_next(struct array_field next, uint32_t i)
{
	return (uint32_t *)array_field_at(next, i);
}

CONTAINER void queue_append(struct queue *q, struct array_field next, uint32_t i)
{
	*queue_next(next, i) = INDEX_NONE;
	if (q->first == INDEX_NONE)
		q->first = i;
	else
		*queue_next(next, q->last) = i;
	q->last = i;
}

/* Puts an element at the front. */
CONTAINER void queue_prepend(struct queue *q, struct array_field next, uint32_t i)
{
	*queue_next(next, i) = q->first;
	if (q->first == INDEX_NONE)
		q->last = i;
	q->first = i;
}

/* Removes the element after `before`, which is not the last one; with INDEX_NONE the first. */
CONTAINER uint32_t queue_take_behind(struct queue *q, struct array_field next, uint32_t before)
{
	uint32_t *link = before == INDEX_NONE ? &q->first : queue_next(next, before), i = *link;

	*link = *queue_next(next, i);
	if (q->last == i)
		q->last = before;
	return i;
}

/* Removes the first element; INDEX_NONE if there is none.  Its link still names the next one. */
CONTAINER uint32_t queue_take(struct queue *q, struct array_field next)
{
	uint32_t first = q->first;

	if (first != INDEX_NONE)
		q->first = *queue_next(next, first);
	return first;
}

#endif
