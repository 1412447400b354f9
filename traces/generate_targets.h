/*
 * Adjusts the weights of a size mix to a given mean and given shares: as little as possible (in relative
 * entropy), and exactly.  So the published properties of a trace hold whatever else is varied in its profile.
 */
#ifndef TRACES_GENERATE_TARGETS_H
#define TRACES_GENERATE_TARGETS_H

#include "base/fault.h"
#include "traces/generate_draw.h"

#include <stdbool.h>

/* Targets for the requests of one kind; 0: not set, the weights decide. */
struct size_targets {
	double mean; /* sectors */
	/* share of requests across 8 KB pages (at most 8 KB, on two pages), if all start sectors are equally
	 * likely */
	double across;
	double across_16k; /* the same for pages of 16 KB */
	double small;      /* share of requests smaller than a block of the grid */
	double odd;        /* share of requests larger than a block and not a multiple of it */
};

/* Changes the weights to meet the targets.  False and a fault, "WHERE: ...", if no weights do. */
bool targets_apply(
	struct mix *, const struct size_targets *, uint64_t grid_sectors, const char *where, struct fault *);

#endif
