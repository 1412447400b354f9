/*
 * A binary min-heap.  Elements are plain values of one type; `before` compares two of them and must be a
 * strict order.  Equal elements leave in an order that depends on the sequence of calls alone.
 *
 * heap_add() and heap_remove() work on an array of the caller, which may hold several heaps; struct heap has
 * an array of its own that grows.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/index.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

typedef bool heap_before(const void *, const void *);

/* Order of plain numbers. */
static inline bool heap_number_before(const void *left, const void *right)
{
	return *(const uint64_t *)left < *(const uint64_t *)right;
}

/* Puts `value` into the free place `at`, or higher after moving parents down.  `value` may lie in the array
 * after the heap. */
CONTAINER void heap_sift_up(struct array_field heap, uint32_t at, const void *value, heap_before *before)
{
	for (; at && before(value, array_field_at(heap, (at - 1) / 2)); at = (at - 1) / 2)
		memcpy(array_field_at(heap, at), array_field_at(heap, (at - 1) / 2), heap.stride);
	memcpy(array_field_at(heap, at), value, heap.stride);
}

/* The same downwards, moving children up. */
CONTAINER void heap_sift_down(
	struct array_field heap, uint32_t count, uint32_t at, const void *value, heap_before *before)
{
	uint32_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && before(array_field_at(heap, child + 1), array_field_at(heap, child)))
			child++;
		if (!before(array_field_at(heap, child), value))
			break;
		memcpy(array_field_at(heap, at), array_field_at(heap, child), heap.stride);
		at = child;
	}
	memcpy(array_field_at(heap, at), value, heap.stride);
}

/* Adds an element to a heap of `count`, whose array has room for one more. */
CONTAINER void heap_add(struct array_field heap, uint32_t count, const void *value, heap_before *before)
{
	heap_sift_up(heap, count, value, before);
}

/* Removes the element at a place from a heap of `count`; the caller decrements its count. */
CONTAINER void heap_remove(struct array_field heap, uint32_t count, uint32_t at, heap_before *before)
{
	const void *last = array_field_at(heap, count - 1);

	if (at == count - 1)
		return;
	if (at && before(last, array_field_at(heap, (at - 1) / 2)))
		heap_sift_up(heap, at, last, before);
	else
		heap_sift_down(heap, count - 1, at, last, before);
}

/* All zero is an empty heap; element 0 is the minimum.  Its owner frees `element`. */
struct heap {
	void *element;
	uint32_t count, room;
};

/* `bytes` is the size of an element, the same in every call; `what` names the heap if memory runs out. */
CONTAINER void heap_push(
	struct heap *h, const void *value, size_t bytes, heap_before *before, const char *what)
{
	h->element = memory_grown(h->element, &h->room, h->count + 1, bytes, what);
	heap_add((struct array_field){ h->element, 0, bytes }, h->count++, value, before);
}

/* Moves the minimum of a heap that is not empty into *out. */
CONTAINER void heap_pop(struct heap *h, void *out, size_t bytes, heap_before *before)
{
	memcpy(out, h->element, bytes);
	heap_remove((struct array_field){ h->element, 0, bytes }, h->count--, 0, before);
}

#endif
