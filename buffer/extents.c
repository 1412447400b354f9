#include "buffer/extents.h"

#include "base/bits.h"
#include "base/memory.h"

void extents_push(struct extent_list *list, struct extent e)
{
	list->extent =
		memory_grown(list->extent, &list->room, list->n + 1, sizeof *list->extent, "buffer extents");
	list->extent[list->n++] = e;
}

void extents_add(struct extent_list *list, struct extent e)
{
	if (list->n && list->extent[list->n - 1].end == e.start)
		list->extent[list->n - 1].end = e.end;
	else
		extents_push(list, e);
}

void extents_add_mask(struct extent_list *list, sector_t first, mask_t mask)
{
	for (uint32_t from = 0, end = 0; bits_next_run(mask, &from, &end);)
		extents_add(list, (struct extent){ first + from, first + end });
}
