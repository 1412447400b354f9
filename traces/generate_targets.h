/*
 * Target shares of a size mix: the weights of the mix are changed as little as possible (in relative entropy)
 * so that mean and shares are exact.  So the published statistics of a trace hold whatever else of its
 * profile is varied.  It deals with mixes only.
 */
#ifndef TRACES_GENERATE_TARGETS_H
#define TRACES_GENERATE_TARGETS_H

#include "base/fault.h"
#include "traces/generate_draw.h"

#include <stdbool.h>

/* Of requests of one kind; 0: as the weights give it. */
struct size_targets {
	double mean; /* sectors */
	/* share at most 8 KB long that crosses a border of 8 KB pages, with starts spread evenly over all
	 * sectors */
	double across;
	double across_16k; /* the same for pages of 16 KB */
	double small;      /* share below a block of the grid */
	double odd;        /* share above a block that is no whole number of blocks */
};

/* Changes the weights of the mix.  False and a fault, "WHERE: ...", if no weights of its sizes have these
 * shares. */
bool targets_apply(
	struct mix *, const struct size_targets *, uint64_t grid_sectors, const char *where, struct fault *);

#endif
