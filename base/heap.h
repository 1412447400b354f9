/*
 * A binary heap: the element that goes before all others is at hand.  Elements are plain values of
 * one type; `before` says which of two goes first and must be a strict order.  Elements of which
 * neither goes before the other leave in an order that depends on nothing but the sequence of calls.
 *
 * heap_add() and heap_remove() work on an array of the caller's (several heaps in one big array, say);
 * struct heap has an array of its own that grows.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/index.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

typedef bool heap_before(const void *, const void *);

/* The order of plain numbers. */
static inline bool heap_number_before(const void *left, const void *right)
{
	return *(const uint64_t *)left < *(const uint64_t *)right;
}

/* The inner half of what follows.  The place `at` is empty; the element `new`, which may lie in the array beyond
 * the heap, is put there or above, whence others move down. */
CONTAINER void heap_sift_up(struct array_field heap, uint32_t at, const void *new, heap_before *before)
{
	for (; at && before(new, array_field_at(heap, (at - 1) / 2)); at = (at - 1) / 2)
		memcpy(array_field_at(heap, at), array_field_at(heap, (at - 1) / 2), heap.stride);
	memcpy(array_field_at(heap, at), new, heap.stride);
}

/* The same where it belongs there or below. */
CONTAINER void heap_sift_down(
	struct array_field heap, uint32_t count, uint32_t at, const void *new, heap_before *before)
{
	uint32_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && before(array_field_at(heap, child + 1), array_field_at(heap, child)))
			child++;
		if (!before(array_field_at(heap, child), new))
			break;
		memcpy(array_field_at(heap, at), array_field_at(heap, child), heap.stride);
		at = child;
	}
	memcpy(array_field_at(heap, at), new, heap.stride);
}

/* Adds an element to a heap of `count`, whose array has room for one more. */
CONTAINER void heap_add(struct array_field heap, uint32_t count, const void *new, heap_before *before)
{
	heap_sift_up(heap, count, new, before);
}

/* Takes the element at a place out of a heap of `count`, which has one less from then on. */
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

/* Zeroed is empty; element 0 goes first.  Whoever owns it frees `element`. */
struct heap {
	void *element;
	uint32_t count, room;
};

/* `bytes` is the size of an element, the same in every call; `what` names the heap should memory run out. */
CONTAINER void heap_push(struct heap *h, const void *new, size_t bytes, heap_before *before, const char *what)
{
	h->element = memory_grown(h->element, &h->room, h->count + 1, bytes, what);
	heap_add((struct array_field){ h->element, 0, bytes }, h->count++, new, before);
}

/* Takes out the first element, which is there, into *out. */
CONTAINER void heap_pop(struct heap *h, void *out, size_t bytes, heap_before *before)
{
	memcpy(out, h->element, bytes);
	heap_remove((struct array_field){ h->element, 0, bytes }, h->count--, 0, before);
}

#endif
