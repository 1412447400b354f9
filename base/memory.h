/*
 * Memory.  Everything is taken at start-up or when a pool grows, never per request.
 *
 * Memory that cannot be had is the machine's limit, not a bug: one line on
 * stderr says how much was wanted for what, and the program exits with status 2.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed array of `count` elements.  Large arrays cost nothing until touched.
 * `what` names it in the error line.  Never NULL (count 0 gives one element). */
void *memory_array(size_t count, size_t bytes, const char *what);

/* How many elements it was made for, or has grown to; 0 for NULL. */
size_t memory_count(const void *array);

/* Resized array; new elements are not initialised. */
void *memory_resize(void *, size_t count, size_t bytes, const char *what);

/* An array that grows as it is filled, with room for `count` elements: the same one, or one of twice the
 * *room or more.  Starts as NULL with room 0; new elements are not initialised. */
void *memory_enlarged(void *, uint32_t *room, uint32_t count, size_t bytes, const char *what);
static inline void *memory_grown(void *array, uint32_t *room, uint32_t count, size_t bytes, const char *what)
{
	if (__builtin_expect(count <= *room, 1))
		return array;
	return memory_enlarged(array, room, count, bytes, what);
}

/* Copy of a string. */
char *memory_string(const char *, const char *what);

void memory_free(void *);

#endif
