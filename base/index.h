/* Elements of arrays are named by their number; this one names none. */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

/* Containers are inlined into their users, where sizes and orders are constants. */
#define CONTAINER static inline __attribute__((always_inline))

/* A field in each element of an array.  Made anew for every call, since arrays move when they grow; an array that
 * has no element yet may be NULL. */
struct array_field {
	void *array;
	size_t offset, stride;
};

/* ARRAY_ELEMENTS(array) is the elements themselves, ARRAY_FIELD(array, name) one member of them. */
#define ARRAY_ELEMENTS(array) ((struct array_field){ (array), 0, sizeof *(array) })
#define ARRAY_FIELD(array, name)                                                                             \
	((struct array_field){ (array), offsetof(__typeof__(*(array)), name), sizeof *(array) })

CONTAINER void *array_field_at(struct array_field f, uint32_t i)
{
	return (char *)f.array + f.offset + i * f.stride;
}

#endif
