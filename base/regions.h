/*
 * State as a list of memory regions.  A room that owns state names its regions, always in the
 * same order; whoever visits them saves, loads or compares the drive without knowing what
 * they mean.
 */
#ifndef BASE_REGIONS_H
#define BASE_REGIONS_H

#include <stddef.h>

struct regions {
	void (*visit)(struct regions *, void *bytes, size_t size);
};

static inline void regions_visit(struct regions *r, void *bytes, size_t size)
{
	r->visit(r, bytes, size);
}

#endif
