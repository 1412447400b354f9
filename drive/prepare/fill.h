/*
 * The writes of preconditioning.  Each returns false if the drive is full or the preparation is interrupted.
 * `used`, `valid`: physical pages programmed in the end, and logical pages that stay live.
 */
#ifndef PREPARE_FILL_H
#define PREPARE_FILL_H

#include "drive/prepare/footprint.h"

/* The footprint, written once: page by page, ascending, or request by request. */
bool fill_footprint(struct drive *, const struct footprint *);

/* Layout mixed, valid > 0: each of the pages programmed has the same chance to stay live. */
bool fill_mixed(struct drive *, struct footprint *, uint64_t used, uint64_t valid);

/* Layout apart: dead pages first, then the live ones. */
bool fill_apart(struct drive *, struct footprint *, uint64_t used, uint64_t valid);

/* Every page once, ascending or in runs whose order is random, then the mapping pages that this needs. */
bool fill_all(struct drive *, const struct footprint *);

#endif
