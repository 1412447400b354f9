/*
 * A binary heap of (key, value), smallest key first.  Keys are times or sequence numbers.
 * Zeroed is empty; grows by doubling.
 */
#ifndef LEGACY_HEAP_H
#define LEGACY_HEAP_H

#include "base/memory.h"

#include <stdint.h>

struct heap_entry {
	uint64_t key;
	uint32_t value;
};

struct heap {
	struct heap_entry *entry; /* entry[0] is the smallest */
	uint32_t count, capacity;
};

static inline void heap_push(struct heap *h, uint64_t key, uint32_t value)
{
	uint32_t i = h->count++;

	if (i == h->capacity) {
		h->capacity = h->capacity ? 2 * h->capacity : 16;
		h->entry = memory_resize(h->entry, h->capacity, sizeof *h->entry, "legacy queues");
	}
	for (; i && h->entry[(i - 1) / 2].key > key; i = (i - 1) / 2)
		h->entry[i] = h->entry[(i - 1) / 2];
	h->entry[i] = (struct heap_entry){ key, value };
}

/* Removes the smallest; the heap must not be empty. */
static inline uint32_t heap_pop(struct heap *h)
{
	uint32_t top = h->entry[0].value, i = 0;
	struct heap_entry last = h->entry[--h->count];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= h->count)
			break;
		child += child + 1 < h->count && h->entry[child + 1].key < h->entry[child].key;
		if (h->entry[child].key >= last.key)
			break;
		h->entry[i] = h->entry[child];
		i = child;
	}
	if (h->count)
		h->entry[i] = last;
	return top;
}

#endif
