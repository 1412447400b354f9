/* What tests look at inside an FTL. */
#ifndef TESTS_INSIDE_H
#define TESTS_INSIDE_H

#include "ftl/store.h"

static inline uint64_t map_bytes_of(const struct ftl *f)
{
	return ftl_facts(f).map_bytes;
}

#endif
