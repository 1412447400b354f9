/*
 * Memory.  Everything is taken at start-up or when a pool grows, never per request.
 *
 * Memory that cannot be had is the machine's limit, not a bug: one line on
 * stderr says how much was wanted for what, and the program exits with status 2.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* Zeroed array of `count` elements.  Large arrays cost nothing until touched.
 * `what` names it in the error line.  Never NULL (count 0 gives one element). */
void *memory_array(size_t count, size_t bytes, const char *what);

/* Resized array; new elements are not initialised. */
void *memory_resize(void *, size_t count, size_t bytes, const char *what);

/* Copy of a string. */
char *memory_string(const char *, const char *what);

void memory_free(void *);

#endif
