/*
 * Memory is allocated at start-up or when a pool grows, never per request.
 *
 * Running out of it is a limit of the machine, not a bug: one line on stderr names the array and its size,
 * and the program exits with status 2, or the guarded call ends (base/guard.h).
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed array of `count` elements.  Pages of a large array take no memory until they are touched.  `what`
 * names it in the error line.  Never NULL, even with count 0. */
void *memory_array(size_t count, size_t bytes, const char *what);

/* Number of elements it was created with or last resized to; 0 for NULL. */
size_t memory_count(const void *array);

/* Resized array; added elements are not initialised. */
void *memory_resize(void *, size_t count, size_t bytes, const char *what);

/* Makes room for `count` elements in an array that grows as it is filled: returns the same array, or one of
 * at least twice the *room.  Starts as NULL with room 0; added elements are not initialised. */
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

/* Arrays that were allocated under a guard and not freed; those that are resized stay in their list.  Zeroed:
 * empty. */
struct memory_list {
	struct memory_head *first;
};

/* Frees all its arrays. */
void memory_list_free(struct memory_list *);

#endif
