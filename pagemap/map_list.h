/*
 * Doubly linked lists of indices through an array of links: an index is in one list at most.
 */
#ifndef PAGEMAP_MAP_LIST_H
#define PAGEMAP_MAP_LIST_H

#include "base/fault.h"

#include <stdint.h>

#define MAP_LIST_NONE UINT32_MAX

struct map_link {
	uint32_t newer, older;
};

struct map_list {
	uint32_t newest, oldest, length;
};

static inline struct map_list map_list_empty(void)
{
	return (struct map_list){ MAP_LIST_NONE, MAP_LIST_NONE, 0 };
}

static inline void map_list_add(struct map_list *list, struct map_link *link, uint32_t i)
{
	link[i] = (struct map_link){ MAP_LIST_NONE, list->newest };
	if (list->newest == MAP_LIST_NONE)
		list->oldest = i;
	else
		link[list->newest].newer = i;
	list->newest = i;
	list->length++;
}

static inline void map_list_remove(struct map_list *list, struct map_link *link, uint32_t i)
{
	if (link[i].newer == MAP_LIST_NONE)
		list->newest = link[i].older;
	else
		link[link[i].newer].older = link[i].older;
	if (link[i].older == MAP_LIST_NONE)
		list->oldest = link[i].newer;
	else
		link[link[i].older].newer = link[i].newer;
	list->length--;
}

/* Aborts unless the links lead through `length` indices and back; returns the length. */
static inline uint32_t map_list_check(
	const struct map_list *list, const struct map_link *link, const char *name)
{
	uint32_t length = 0, newer = MAP_LIST_NONE;

	for (uint32_t i = list->newest; i != MAP_LIST_NONE; newer = i, i = link[i].older) {
		BUG_ON(++length > list->length, "the list of %s is longer than %u", name, list->length);
		BUG_ON(link[i].newer != newer, "the list of %s leads from %u to %u and back to %u", name,
			newer, i, link[i].newer);
	}
	BUG_ON(length != list->length || list->oldest != newer, "the list of %s has %u, not %u", name, length,
		list->length);
	return length;
}

#endif
