/*
 * Array elements in rings by rank, a small number: at hand is the element that came first to the lowest rank
 * there is.  Joining and leaving (list_remove()) cost O(1).  Links as in list.h; the heads of the rings follow one
 * another in the array.
 */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include "base/list.h"

struct ranks {
	uint32_t head;          /* of rank 0 */
	uint32_t count, lowest; /* ranks there are; below `lowest` none has an element */
};

CONTAINER struct ranks ranks_create(struct array_field links, uint32_t head, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		list_init(links, head + i);
	return (struct ranks){ head, count, count };
}

/* The element is in no ring and becomes the last of its rank. */
CONTAINER void ranks_add(struct ranks *r, struct array_field links, uint32_t rank, uint32_t i)
{
	list_append(links, r->head + rank, i);
	if (rank < r->lowest)
		r->lowest = rank;
}

/* The first of the lowest rank; INDEX_NONE. */
CONTAINER uint32_t ranks_first(struct ranks *r, struct array_field links)
{
	for (; r->lowest < r->count; r->lowest++)
		if (!list_empty(links, r->head + r->lowest))
			return list_next(links, r->head + r->lowest);
	return INDEX_NONE;
}

#endif
