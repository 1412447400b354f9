/* What tests look at inside an FTL: those built on a store keep it as the first thing of their state. */
#ifndef TESTS_INSIDE_H
#define TESTS_INSIDE_H

#include "ftl/store.h"

static inline struct store *store_of(const struct ftl *f)
{
	return *(struct store **)f->state;
}

static inline uint64_t map_bytes_of(const struct ftl *f)
{
	struct ftl_facts facts = { 0 };

	f->ops->facts(f, &facts);
	return facts.map_bytes;
}

#endif
