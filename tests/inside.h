/* What tests look at inside an FTL: those built on a store keep it as the first thing of their state. */
#ifndef TESTS_INSIDE_H
#define TESTS_INSIDE_H

#include "ftl/store.h"

#include <string.h>

static inline struct store *store_of(const struct ftl *f)
{
	return *(struct store **)f->state;
}

/* They keep pages at fixed offsets and merge blocks: how full they are does not follow from how much was written. */
static inline bool merges_blocks(const char *ftl)
{
	static const char *const names[] = { "block", "inorder", "bast", "fast", "last", "superblock",
		"own_fixed" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(ftl, names[i]))
			return true;
	return false;
}

static inline uint64_t map_bytes_of(const struct ftl *f)
{
	struct ftl_facts facts = { 0 };

	f->ops->facts(f, &facts);
	return facts.map_bytes;
}

#endif
