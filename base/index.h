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
struct field {
	void *array;
	size_t offset, stride;
};

/* FIELD(array) is the elements themselves, FIELD_OF(array, name) one member of them. */
#define FIELD(array) ((struct field){ (array), 0, sizeof *(array) })
#define FIELD_OF(array, name)                                                                                \
	((struct field){ (array), offsetof(__typeof__(*(array)), name), sizeof *(array) })

CONTAINER void *field_at(struct field f, uint32_t i)
{
	return (char *)f.array + f.offset + i * f.stride;
}

#endif
