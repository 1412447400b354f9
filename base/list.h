/*
 * Doubly linked rings of array elements, which name each other by number: an element is in one ring, or in
 * none.  Every ring has a head, an element of the same array that stands for its two ends: the next
 * of the head is the first, the previous one the last.  Nothing is allocated and nothing can fail.
 *
 * The links are an array of struct link, or members of the elements: ARRAY_ELEMENTS(link), ARRAY_FIELD(page, link).
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include "base/fault.h"
#include "base/index.h"

#include <stdbool.h>

struct link {
	uint32_t previous, next;
};

CONTAINER struct link *list_link(struct array_field links, uint32_t i)
{
	return array_field_at(links, i);
}

/* The ring of a head becomes empty. */
CONTAINER void list_init(struct array_field links, uint32_t head)
{
	*list_link(links, head) = (struct link){ head, head };
}

/* The first element, or the one behind another; the head at the end. */
CONTAINER uint32_t list_next(struct array_field links, uint32_t i)
{
	return list_link(links, i)->next;
}

/* The last element, or the one before another; the head at the end. */
CONTAINER uint32_t list_previous(struct array_field links, uint32_t i)
{
	return list_link(links, i)->previous;
}

CONTAINER bool list_empty(struct array_field links, uint32_t head)
{
	return list_next(links, head) == head;
}

/* Puts an element that is in no ring before another, or, given the head, at the end. */
CONTAINER void list_append(struct array_field links, uint32_t head, uint32_t i)
{
	uint32_t last = list_previous(links, head);

	*list_link(links, i) = (struct link){ last, head };
	list_link(links, last)->next = i;
	list_link(links, head)->previous = i;
}

/* The same behind another, or at the beginning. */
CONTAINER void list_prepend(struct array_field links, uint32_t head, uint32_t i)
{
	list_append(links, list_next(links, head), i);
}

/* Takes an element out of its ring. */
CONTAINER void list_remove(struct array_field links, uint32_t i)
{
	struct link at = *list_link(links, i);

	list_link(links, at.previous)->next = at.next;
	list_link(links, at.next)->previous = at.previous;
}

/* Does the element, of `count`, stand where those beside it say? */
CONTAINER bool list_agrees(struct array_field links, uint32_t count, uint32_t i)
{
	struct link at = *list_link(links, i);

	return at.previous < count && at.next < count && list_next(links, at.previous) == i &&
	       list_previous(links, at.next) == i;
}

/* Elements of the ring of a head; INDEX_NONE if they are more than `most`, or their links, each one of an array,
 * contradict each other. */
CONTAINER uint32_t list_length(struct array_field links, uint32_t head, uint32_t most)
{
	uint32_t at = head;

	for (uint32_t length = 0; length <= most; length++) {
		uint32_t next = list_next(links, at);

		if (list_previous(links, next) != at)
			return INDEX_NONE;
		if (next == head)
			return length;
		at = next;
	}
	return INDEX_NONE;
}

#endif
