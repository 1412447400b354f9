/* Elements of arrays are named by their index.  INDEX_NONE names none. */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

/* Containers are always inlined: in their callers, sizes and orders are constants.  NO_HOT: make tricks. */
#ifdef NO_HOT
#define CONTAINER static inline
#else
#define CONTAINER static inline __attribute__((always_inline))
#endif

/* A member of the elements of an array.  Make one for each call: arrays move when they grow.  An array
 * without elements may be NULL. */
struct array_field {
	void *array;
	size_t offset, stride;
};

/* ARRAY_ELEMENTS(array): the elements themselves.  ARRAY_FIELD(array, name): one of their members. */
#define ARRAY_ELEMENTS(array) ((struct array_field){ (array), 0, sizeof *(array) })
#define ARRAY_FIELD(array, name)                                                                             \
	((struct array_field){ (array), offsetof(__typeof__(*(array)), name), sizeof *(array) })

CONTAINER void *array_field_at(struct array_field f, uint32_t i)
{
	return (char *)f.array + f.offset + i * f.stride;
}

#endif
