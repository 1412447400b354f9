/*
 * A pool of numbered objects of one type.  The array moves when it grows, so objects are named by number and
 * looked up for each use.  The number that was given back last is taken first; if none is free, the lowest
 * that was never taken.
 *
 * An object has at least 4 bytes: while it is free, its first 4 hold the link to the next free one.  The
 * others keep their last contents; an object that is taken for the first time is zeroed.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/index.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

struct pool {
	void *object;
	uint32_t bytes;      /* of one */
	uint32_t used, room; /* objects ever taken; allocated */
	uint32_t free;       /* first free object; INDEX_NONE */
	const char *what;    /* names the pool if memory runs out */
};

static inline struct pool pool_create(uint32_t bytes, const char *what)
{
	return (struct pool){ .bytes = bytes, .free = INDEX_NONE, .what = what };
}

/* Room for so many objects before the pool grows.  None was taken yet. */
static inline void pool_reserve(struct pool *p, uint32_t objects)
{
	p->object = memory_array(objects, p->bytes, p->what);
	p->room = objects;
}

static inline void pool_free(struct pool *p)
{
	memory_free(p->object);
}

/* A member of each object, for containers. */
#define POOL_FIELD(pool, type, member)                                                                       \
	((struct array_field){ (pool).object, offsetof(type, member), (pool).bytes })

CONTAINER void *pool_at(const struct pool *p, uint32_t number)
{
	return (char *)p->object + (size_t)number * p->bytes;
}

CONTAINER uint32_t pool_take(struct pool *p)
{
	uint32_t number = p->free;

	if (number != INDEX_NONE) {
		memcpy(&p->free, pool_at(p, number), sizeof p->free);
		return number;
	}
	p->object = memory_grown(p->object, &p->room, p->used + 1, p->bytes, p->what);
	memset(pool_at(p, p->used), 0, p->bytes);
	return p->used++;
}

CONTAINER void pool_give(struct pool *p, uint32_t number)
{
	memcpy(pool_at(p, number), &p->free, sizeof p->free);
	p->free = number;
}

/* Number of free objects; INDEX_NONE if their list is broken. */
static inline uint32_t pool_count_free(const struct pool *p)
{
	uint32_t count = 0;

	for (uint32_t i = p->free; i != INDEX_NONE; memcpy(&i, pool_at(p, i), sizeof i))
		if (i >= p->used || ++count > p->used)
			return INDEX_NONE;
	return count;
}

/* Is every object free, once? */
static inline bool pool_is_free(const struct pool *p)
{
	return pool_count_free(p) == p->used;
}

#endif
