/*
 * Numbered objects of one kind, given out and taken back: requests and sub-requests.
 * The array moves when it grows, so objects are named by number and looked up when used.
 * Free objects are chained through their first 32 bits.
 */
#ifndef LEGACY_POOL_H
#define LEGACY_POOL_H

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#define NONE UINT32_MAX

struct pool {
	char *items;
	uint32_t bytes;          /* of one object, at least 4 */
	uint32_t used, capacity; /* ever given out; allocated */
	uint32_t free;           /* first free object, NONE */
};

static inline struct pool pool_create(uint32_t bytes)
{
	return (struct pool){ .bytes = bytes, .free = NONE };
}

static inline void *pool_item(const struct pool *p, uint32_t number)
{
	return p->items + (size_t)number * p->bytes;
}

/* Contents are undefined. */
static inline uint32_t pool_take(struct pool *p)
{
	uint32_t number = p->free;

	if (number != NONE) {
		memcpy(&p->free, pool_item(p, number), sizeof p->free);
		return number;
	}
	if (p->used == p->capacity) {
		p->capacity = p->capacity ? p->capacity + p->capacity / 2 : 64;
		p->items = memory_resize(p->items, p->capacity, p->bytes, "legacy queues");
	}
	return p->used++;
}

static inline void pool_give(struct pool *p, uint32_t number)
{
	memcpy(pool_item(p, number), &p->free, sizeof p->free);
	p->free = number;
}

#endif
