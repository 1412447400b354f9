/*
 * FIFO queues of one word: singly linked rings of array elements, linked by index.  The word is the last
 * element, whose link names the first; INDEX_NONE is an empty ring.  For a few queues that are used heavily,
 * base/queue.h is faster.
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/index.h"

CONTAINER uint32_t *ring_next(struct array_field next, uint32_t i)
{
	return (uint32_t *)array_field_at(next, i);
}

CONTAINER void ring_append(uint32_t *last, struct array_field next, uint32_t i)
{
	if (*last == INDEX_NONE) {
		*ring_next(next, i) = i;
	} else {
		*ring_next(next, i) = *ring_next(next, *last);
		*ring_next(next, *last) = i;
	}
	*last = i;
}

/* The first element, and the one after `i`; INDEX_NONE if there is none. */
CONTAINER uint32_t ring_first(uint32_t last, struct array_field next)
{
	return last == INDEX_NONE ? INDEX_NONE : *ring_next(next, last);
}

CONTAINER uint32_t ring_behind(uint32_t last, struct array_field next, uint32_t i)
{
	return i == last ? INDEX_NONE : *ring_next(next, i);
}

/* Removes the first element; INDEX_NONE if there is none.  Its link still names the next one. */
CONTAINER uint32_t ring_take(uint32_t *last, struct array_field next)
{
	uint32_t first = ring_first(*last, next);

	if (first == INDEX_NONE)
		return INDEX_NONE;
	*ring_next(next, *last) = *ring_next(next, first);
	if (first == *last)
		*last = INDEX_NONE;
	return first;
}

#endif
