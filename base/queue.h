/*
 * First come, first served: singly linked queues of array elements, which name each other by number.  An
 * element is in one queue, or in none; its link is a uint32_t member: ARRAY_FIELD(op, next).
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "base/index.h"

/* Empty if `first` is INDEX_NONE; `last` means nothing then. */
struct queue {
	uint32_t first, last;
};

#define QUEUE_EMPTY ((struct queue){ INDEX_NONE, INDEX_NONE })

CONTAINER uint32_t *queue_next(struct array_field next, uint32_t i)
{
	return array_field_at(next, i);
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

/* Puts an element before all others. */
CONTAINER void queue_prepend(struct queue *q, struct array_field next, uint32_t i)
{
	*queue_next(next, i) = q->first;
	if (q->first == INDEX_NONE)
		q->last = i;
	q->first = i;
}

/* Takes out the element behind `before`, which is not the last one; INDEX_NONE: the first. */
CONTAINER uint32_t queue_take_behind(struct queue *q, struct array_field next, uint32_t before)
{
	uint32_t *link = before == INDEX_NONE ? &q->first : queue_next(next, before), i = *link;

	*link = *queue_next(next, i);
	if (q->last == i)
		q->last = before;
	return i;
}

/* Takes out the first element; INDEX_NONE if there is none.  Its link goes on naming the one behind it. */
CONTAINER uint32_t queue_take(struct queue *q, struct array_field next)
{
	uint32_t first = q->first;

	if (first != INDEX_NONE)
		q->first = *queue_next(next, first);
	return first;
}

#endif
