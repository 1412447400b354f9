/*
 * Queues in one word: singly linked rings of array elements, which name each other by number.  A ring is named by its
 * last element, whose link is the first; INDEX_NONE: it is empty.  Where there are few queues and their ends are used
 * much, base/queue.h.
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/index.h"

CONTAINER uint32_t *ring_next(struct array_field next, uint32_t i)
{
	return array_field_at(next, i);
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

/* The first element, and the one behind another; INDEX_NONE: there is none. */
CONTAINER uint32_t ring_first(uint32_t last, struct array_field next)
{
	return last == INDEX_NONE ? INDEX_NONE : *ring_next(next, last);
}

CONTAINER uint32_t ring_behind(uint32_t last, struct array_field next, uint32_t i)
{
	return i == last ? INDEX_NONE : *ring_next(next, i);
}

/* Takes out the first element, which goes on naming the one behind it; INDEX_NONE if there is none. */
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
