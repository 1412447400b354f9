/*
 * A bucket queue: array elements in one list per rank, a small number.  ranks_first() is the oldest element
 * of the lowest rank.  Adding and removing (list_remove()) are O(1).  Links as in list.h; the heads of the
 * lists are consecutive elements of the array.
 */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include "base/list.h"

struct ranks {
	uint32_t head;          /* of the list of rank 0 */
	uint32_t count, lowest; /* number of ranks; all below `lowest` are empty */
};

CONTAINER struct ranks ranks_create(struct array_field links, uint32_t head, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		list_init(links, head + i);
	return (struct ranks){ head, count, count };
}

/* Adds an element, which is in no list, as the last of its rank. */
CONTAINER void ranks_add(struct ranks *r, struct array_field links, uint32_t rank, uint32_t i)
{
	list_append(links, r->head + rank, i);
	if (rank < r->lowest)
		r->lowest = rank;
}

/* The first element of the lowest rank; INDEX_NONE if there is none. */
CONTAINER uint32_t ranks_first(struct ranks *r, struct array_field links)
{
	for (; r->lowest < r->count; r->lowest++)
		if (!list_empty(links, r->head + r->lowest))
			return list_next(links, r->head + r->lowest);
	return INDEX_NONE;
}

#endif
