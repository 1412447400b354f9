/*
 * Doubly linked lists of array elements, linked by index.  An element is in at most one list.  Each list is a
 * ring through its head, an extra element of the array: head.next is the first element, head.previous the
 * last.  Nothing is allocated and nothing can fail.
 *
 * The links are an array of struct link, or members of the elements: ARRAY_ELEMENTS(links),
 * ARRAY_FIELD(page, link).
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
	return (struct link *)array_field_at(links, i);
}

/* Makes the list of a head empty. */
CONTAINER void list_init(struct array_field links, uint32_t head)
{
	*list_link(links, head) = (struct link){ head, head };
}

/* The element after `i`; the first one after the head, the head after the last one. */
CONTAINER uint32_t list_next(struct array_field links, uint32_t i)
{
	return list_link(links, i)->next;
}

/* The element before `i`; the last one before the head, the head before the first one. */
CONTAINER uint32_t list_previous(struct array_field links, uint32_t i)
{
	return list_link(links, i)->previous;
}

CONTAINER bool list_empty(struct array_field links, uint32_t head)
{
	return list_next(links, head) == head;
}

/* Inserts element `i`, which is in no list, before `head`: at the end of the list, or before an element. */
CONTAINER void list_append(struct array_field links, uint32_t head, uint32_t i)
{
	uint32_t last = list_previous(links, head);

	*list_link(links, i) = (struct link){ last, head };
	list_link(links, last)->next = i;
	list_link(links, head)->previous = i;
}

/* The same after `head`: at the beginning of the list, or after an element. */
CONTAINER void list_prepend(struct array_field links, uint32_t head, uint32_t i)
{
	list_append(links, list_next(links, head), i);
}

/* Removes an element from its list. */
CONTAINER void list_remove(struct array_field links, uint32_t i)
{
	struct link at = *list_link(links, i);

	list_link(links, at.previous)->next = at.next;
	list_link(links, at.next)->previous = at.previous;
}

/* Length of a list; INDEX_NONE if it is longer than `most` or its links contradict each other.  Every link is
 * an index into the array. */
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
