/*
 * Shares that a size mix is to have, in place of weights that were tried until they came out: the weights of
 * the mix are changed as little as possible (in relative entropy) so that mean and shares are exact.  So
 * whatever else of a profile is varied, what is published of its trace stays true.  Knows mixes only.
 */
#ifndef TRACES_GENERATE_TARGETS_H
#define TRACES_GENERATE_TARGETS_H

#include "base/fault.h"
#include "traces/generate_draw.h"

#include <stdbool.h>

/* Of requests of one kind; 0: whatever the weights say. */
struct size_targets {
	double mean; /* sectors */
	/* share that crosses a page of 8 KB and is no longer, from starts on any sector alike */
	double across;
	double across_16k; /* the same for pages of 16 KB */
	double small;      /* share below a block of the grid */
	double odd;        /* share above a block that is no whole number of blocks */
};

/* Weighs the mix anew; false and a fault, "WHERE: ...", if no weights of its sizes have these shares. */
bool targets_apply(
	struct mix *, const struct size_targets *, uint64_t grid_sectors, const char *where, struct fault *);

#endif
